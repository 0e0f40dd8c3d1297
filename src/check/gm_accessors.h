/* gm_accessors.h - private to the shadow of device memory: who accessed a cell since its last write.
 *
 * Nobody, one stamp, or a set where several actors read (weights) or add atomically. Dropping an accessor that is ordered
 * before a new one of the same kind loses nothing: who is ordered after the new one is ordered after the old one. */
#ifndef SK_CHECK_GM_ACCESSORS_H
#define SK_CHECK_GM_ACCESSORS_H

#include "check/shadow.h"

/* Open addressing over (actor, atomic), which may come more than once, from launches that do not know each other; a stamp
 * of 0 is an empty slot. The origins follow the stamps. */
typedef struct sk__gm_set {
  uint32_t capacity, count;
  uint32_t atomics, unused; /* how many are atomic */
  uint64_t stamp[];
} sk__gm_set;

static inline size_t sk__gm_set_bytes(uint32_t capacity) { return sizeof(sk__gm_set) + capacity * (sizeof(uint64_t) + sizeof(uint16_t)); }
static inline uint16_t *sk__gm_set_origins(sk__gm_set *set) { return (uint16_t *)(set->stamp + set->capacity); }
static inline sk__gm_set *sk__gm_set_of(uint64_t accessor) { return (sk__gm_set *)(uintptr_t)(accessor & SK__STAMP_CLOCK); }
static inline bool sk__gm_is_set(uint64_t accessor) { return (accessor & SK__STAMP_SET) != 0; }
static inline bool sk__gm_has_atomic(uint64_t accessor) {
  return sk__gm_is_set(accessor) ? sk__gm_set_of(accessor)->atomics != 0 : (accessor & SK__STAMP_ATOMIC) != 0;
}

/* Made before a rehearsal that knows more of it than the program's streams do: it stays. */
static inline bool sk__gm_outlasts(const sk__probe *probe, uint64_t earlier) {
  const sk__rehearsal *rehearsal = probe->checker->rehearsal;
  if (SK__LIKELY(rehearsal == NULL)) return false;
  uint32_t actor = sk__stamp_actor(earlier);
  uint64_t clock = sk__stamp_clock(earlier);
  return actor < SK__HOST_CORE * SK__PIPE_SLOTS && clock <= rehearsal->begun[actor / SK__PIPE_SLOTS] && clock > rehearsal->known[actor];
}

/* The actor's own earlier access of the same kind is of no more use, unless it was made in a launch that this one does not
 * know. */
static inline bool sk__gm_is_superseded(const sk__probe *probe, uint64_t earlier, uint64_t me) {
  if (earlier >> SK__STAMP_SHIFT != me >> SK__STAMP_SHIFT || sk__gm_outlasts(probe, earlier)) return false;
  return SK__LIKELY(probe->gaps == NULL) || sk__stamp_clock(earlier) >= probe->order->launch_clock || sk__ordered(probe, earlier);
}

/* Neither is another's that is ordered before this one. */
static inline bool sk__gm_is_covered(const sk__probe *probe, uint64_t earlier) {
  return sk__ordered(probe, earlier) && !sk__gm_outlasts(probe, earlier);
}

/* Does the accessor with this stamp conflict with the probe, and is it unordered? */
static inline bool sk__gm_is_rival(const sk__probe *probe, uint64_t stamp) {
  if (stamp == 0) return false;
  bool atomic = (stamp & SK__STAMP_ATOMIC) != 0;
  if (probe->kind == SK__READ && !atomic) return false;
  if (probe->kind == SK__ATOMIC && atomic) return false;
  return !sk__ordered(probe, stamp);
}

/* Adds the probe to the accessors; `me` is its stamp with the atomic bit. */
void sk__gm_add_accessor(sk__probe *probe, sk__gm_cell *cell, uint64_t me);
SK__COLD void sk__gm_judge_set(sk__probe *probe, const sk__gm_cell *cell, uint64_t low, uint64_t high);
static inline void sk__gm_judge_accessors(sk__probe *probe, const sk__gm_cell *cell, uint64_t low, uint64_t high) {
  uint64_t a = cell->accessor;
  if (a == 0) return;
  if (SK__UNLIKELY(sk__gm_is_set(a))) sk__gm_judge_set(probe, cell, low, high);
  else if (SK__UNLIKELY(sk__gm_is_rival(probe, a)))
    sk__probe_trouble(probe, SK__TROUBLE_ORDER, a, cell->accessor_origin, false, low, high);
}

void sk__gm_set_free(sk__checker *checker, sk__gm_set *set);
static inline void sk__gm_drop_accessor(sk__checker *checker, uint64_t accessor) {
  if (sk__gm_is_set(accessor)) sk__gm_set_free(checker, sk__gm_set_of(accessor));
}
/* No memory: the bytes count as written by the host, in favour of silence. */
SK__COLD void sk__gm_forget_cell(sk__checker *checker, sk__gm_cell *cell);
/* The copy gets a set of its own. */
void sk__gm_cell_copy(sk__checker *checker, sk__gm_cell *to, const sk__gm_cell *from);

#endif
