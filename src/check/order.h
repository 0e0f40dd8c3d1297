/* order.h - private to the files that keep the order: clocks of a vector, and what order.c, order_cross.c, meeting.c and
 * snapshot.c have of each other.
 *
 * Invariants while a launch runs on a core:
 *   row[p] contains row[S]: what the scalar unit has waited for, every later instruction has too, but for its own stores;
 *   own clocks below ordered_clock are judged by base/ext, never by rows, which may lag behind them: a
 *   launch and a SyncAll raise it instead of writing the rows;
 *   a snapshot that is shared (a base, a message taken or in two boxes) does not change any more;
 *   a clock grows when it is published, so that later accesses are not covered by what went out;
 *   what a vector does not know below its clocks stands in its gaps (gaps.c), which change wherever it does. */
#ifndef SK_CHECK_ORDER_H
#define SK_CHECK_ORDER_H

#include <string.h>

#include "check/checker.h"

/* ---- clocks and sets of cores ---------------------------------------------------------------- */

static inline uint64_t sk__later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Of n / 8 cores; in eights, for which compilers make vector code. */
static inline void sk__join_clocks(uint64_t *restrict into, const uint64_t *restrict from, uint32_t n) {
  for (uint32_t i = 0; i < n; i += SK__PIPE_SLOTS)
    for (uint32_t q = 0; q < SK__PIPE_SLOTS; q++) into[i + q] = sk__later(into[i + q], from[i + q]);
}

static inline void sk__host_clocks(uint64_t *into) {
  for (uint32_t i = SK__HOST_CORE * SK__PIPE_SLOTS; i < SK__MAX_ACTORS; i++) into[i] = SK__STAMP_CLOCK;
}

static inline void sk__copy_clocks(uint64_t *into, const uint64_t *from, uint32_t n) {
  memcpy(into, from, n * sizeof *into);
  sk__host_clocks(into);
}

static inline void sk__add_core(sk__cores *cores, uint32_t core) { cores->word[core / 64] |= UINT64_C(1) << (core % 64); }

static inline sk__cores sk__all_cores(uint32_t actors) {
  sk__cores cores = {0};
  for (uint32_t core = 0; core < actors / SK__PIPE_SLOTS; core++) sk__add_core(&cores, core);
  return cores;
}

/* Joins the entries of some cores only. */
static inline void sk__join_cores(uint64_t *into, const uint64_t *from, const sk__cores *cores) {
  for (uint32_t w = 0; w < SK__MAX_CORES / 64; w++)
    for (uint64_t left = cores->word[w]; left != 0; left &= left - 1) {
      size_t at = (w * 64 + (uint32_t)__builtin_ctzll(left)) * SK__PIPE_SLOTS;
      sk__join_clocks(into + at, from + at, SK__PIPE_SLOTS);
    }
}

static inline void sk__join_core_sets(sk__cores *into, const sk__cores *from) {
  for (uint32_t w = 0; w < SK__MAX_CORES / 64; w++) into->word[w] |= from->word[w];
}

/* ---- of a core ------------------------------------------------------------------------------- */

static inline uint64_t *sk__own_entries(uint64_t *clocks, const sk__order *order) {
  return clocks + (size_t)order->core * SK__PIPE_SLOTS;
}

_Static_assert(SK__PIPE_SLOTS == 8, "sk__latest_clock names each");
static inline uint64_t sk__latest_clock(const sk__order *order) { /* as a tree: a chain of eight is slower */
  const uint64_t *c = order->clock;
  uint64_t low = sk__later(sk__later(c[0], c[1]), sk__later(c[2], c[3])), high = sk__later(sk__later(c[4], c[5]), sk__later(c[6], c[7]));
  return sk__later(low, high);
}

static inline void sk__order_set_gaps(sk__order *order, sk__gaps *gaps) {
  if (order->gaps == gaps) return;
  sk__gaps_unref(order->gaps);
  order->gaps = sk__gaps_ref(gaps);
}

static inline void sk__order_drop_ext(sk__order *order) {
  if (order->ext == NULL) return;
  order->spare = order->ext; /* is empty while there is an ext */
  order->ext = NULL;
}

/* order_cross.c: joins everything from other cores that this core is ordered after. */
void sk__order_join_seen(sk__snapshot *into, const sk__order *order);

/* ---- snapshot.c ------------------------------------------------------------------------------ */

/* A block without contents, NULL on no memory; then all but its clocks as of a new snapshot. */
sk__snapshot *sk__snapshot_alloc(void);
void sk__snapshot_start(sk__checker *checker, sk__snapshot *s);
/* True when these were the last n references: the block is the caller's now. */
bool sk__snapshot_last_refs(sk__snapshot *s, uint32_t n);
/* Before `into` takes over clocks. */
void sk__gaps_join(sk__gaps **into, const uint64_t *clocks, sk__gaps *from, const uint64_t *from_clocks, uint32_t actors);

#endif
