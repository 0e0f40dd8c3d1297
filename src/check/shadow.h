/* shadow.h - private to floor 1: what local and GM shadow share: probes, the order test, conflicts.
 *
 * A cell is the state of bytes with one history: last writer, and who accessed them since. Cells exist
 * in levels; the largest that is uniform is the one that is touched. */
#ifndef SK_CHECK_SHADOW_H
#define SK_CHECK_SHADOW_H

#include "check/checker.h"

#define SK__PAGE_BYTES 4096u
#define SK__PAGE_SHIFT 12
#define SK__CHUNK_BYTES 256u
#define SK__CHUNK_SHIFT 8
#define SK__CHUNKS_PER_PAGE (SK__PAGE_BYTES / SK__CHUNK_BYTES)

/* ---- local memory ---------------------------------------------------------------------------- */

#define SK__LOCAL_READERS 4 /* classes of pipes, see reader_class in shadow_local.c */

typedef struct sk__local_cell {
  uint64_t writer;
  uint64_t reader[SK__LOCAL_READERS];
  uint16_t writer_origin;
  uint16_t reader_origin[SK__LOCAL_READERS];
  uint16_t zero[3];           /* so that cells compare by memcmp */
} sk__local_cell;

typedef struct sk__local_page { /* split: the chunks hold the state */
  _Alignas(64) sk__local_cell cell;
  bool split;
} sk__local_page;

/* form: 0 = one cell | odd: two, bits 8..15 say which blocks of 32 bytes have the second (local_seconds) |
 * else the address of the sk__local_runs that hold the state. */
typedef struct sk__local_chunk {
  _Alignas(64) sk__local_cell cell;
  uint64_t form;
} sk__local_chunk;
typedef struct sk__local_second { _Alignas(64) sk__local_cell cell; } sk__local_second;

/* The cell of a byte, and where the bytes that share it end (shadow_local.c). */
const sk__local_cell *sk__local_cell_at(const sk__checker *checker, uint64_t address, uint64_t *end);

/* ---- GM -------------------------------------------------------------------------------------- */

/* accessor: readers and atomics since the last write: 0, one stamp, or a set (SK__STAMP_SET | pointer). */
typedef struct sk__gm_cell {
  uint64_t writer, accessor;
  uint16_t writer_origin, accessor_origin;
} sk__gm_cell;

#define SK__GM_RUNS 3
/* head: | 31 lock | 30 expanded | 29..28 runs - 1 | 25..13 start of run 2 | 12..0 start of run 1 |
 * Expanded: writer[0] is the pointer to the chunks. All zero = one run, never touched. */
typedef struct sk__gm_page {
  _Alignas(64) _Atomic uint32_t head;
  uint16_t writer_origin[SK__GM_RUNS], accessor_origin[SK__GM_RUNS];
  uint64_t writer[SK__GM_RUNS], accessor[SK__GM_RUNS];
} sk__gm_page;
_Static_assert(sizeof(sk__gm_page) == 64, "one cache line per page");

/* Calls fn for each cell of the range, ascending, while nobody changes it; fn returns false to stop behind the page.
 * shadow_gm.c */
typedef bool (*sk__gm_cell_fn)(void *context, const sk__gm_cell *cell, uint64_t low, uint64_t high);
void sk__shadow_gm_walk(sk__checker *checker, uint64_t address, uint64_t bytes, sk__gm_cell_fn fn, void *context);

/* ---- probes ---------------------------------------------------------------------------------- */

/* Kinds of a probe beyond sk__access: bytes of a line that goes back to memory only because of its other bytes. */
#define SK__PROBE_WRITE_BACK 7

/* What went wrong with some bytes. */
typedef enum sk__trouble { SK__TROUBLE_NONE, SK__TROUBLE_ORDER, SK__TROUBLE_FRESH, SK__TROUBLE_UNREAD } sk__trouble;

/* One access while it is judged. Neighbouring bytes with the same trouble become one finding. */
typedef struct sk__probe {
  const uint64_t *seen;       /* towards every actor: base or ext */
  const uint64_t *row;        /* inside the core */
  const sk__gaps *gaps;       /* what is not known all the same */
  uint64_t ordered_clock;     /* own clocks below are in `seen`, or for local memory ordered anyhow */
  uint64_t fresh_below;       /* what was written at lower clocks is not initialised; 0 = do not judge */
  uint64_t write_order_from;  /* the own pipe's writes with clocks from here on are ordered */
  uint64_t stamp;
  uint32_t core;
  uint8_t pipe;
  uint8_t kind;               /* sk__access without READ_ANY, or what the host does (gm_chunk.h) */
  bool any;                   /* READ_ANY: bytes never written are no finding */
  bool unread;                /* as the checker's */
  uint16_t origin;
  sk__checker *checker;
  sk__order *order;
  const void *site;
  const char *instr;
  /* trouble not yet reported */
  sk__trouble trouble;
  bool met;                   /* there was some, reported or not */
  bool other_writes;          /* or is an atomic, told by its stamp */
  uint16_t other_origin;
  uint64_t other, low, high;
} sk__probe;

static inline uint64_t sk__write_order_from(const sk__order *order, sk__pipe pipe) {
  return order->same_pipe && (order->in_order_pipes >> pipe & 1u) == 0 ? UINT64_MAX : order->ordered_clock;
}
static inline uint64_t sk__stamp_of(const sk__order *order, sk__pipe pipe) {
  return ((uint64_t)order->core * SK__PIPE_SLOTS + pipe) << SK__STAMP_SHIFT | order->clock[pipe];
}

static inline void sk__probe_begin(sk__probe *probe, sk__checker *checker, sk__order *order, sk__pipe pipe,
                                   sk__access kind, const void *site, const char *instr) {
  if (SK__UNLIKELY(!order->scope_open)) sk__scope_open(checker, order);
  probe->seen = order->ext != NULL ? order->ext : order->base->clock;
  probe->row = order->row[pipe];
  probe->gaps = order->gaps;
  probe->ordered_clock = order->ordered_clock;
  probe->write_order_from = sk__write_order_from(order, pipe);
  probe->stamp = sk__stamp_of(order, pipe);
  probe->core = order->core;
  probe->pipe = (uint8_t)pipe;
  probe->origin = sk__call_of(checker, site, instr);
  probe->checker = checker;
  probe->order = order;
  probe->fresh_below = order->begin_clock;
  probe->any = kind == SK__READ_ANY;
  probe->kind = (uint8_t)(kind == SK__READ_ANY ? SK__READ : kind);
  probe->site = site;
  probe->instr = instr;
  probe->unread = checker->unread;
  probe->trouble = SK__TROUBLE_NONE;
  probe->met = false;
}

/* Is the access with this stamp (flag bits ignored; 0 = nobody) ordered before the probe's? The own pipe's
 * accesses with clocks from `own_from` on are. */
static inline bool sk__ordered_from(const sk__probe *probe, uint64_t stamp, uint64_t own_from) {
  uint32_t actor = sk__stamp_actor(stamp);
  uint64_t clock = sk__stamp_clock(stamp);
  if (clock <= probe->seen[actor])
    return SK__LIKELY(probe->gaps == NULL) || !sk__gaps_hold(probe->gaps, actor, clock);
  if (actor / SK__PIPE_SLOTS != probe->core || clock < probe->ordered_clock) return false;
  uint32_t pipe = actor % SK__PIPE_SLOTS;
  return clock <= probe->row[pipe] || (pipe == probe->pipe && clock >= own_from);
}
static inline bool sk__ordered(const sk__probe *probe, uint64_t stamp) {
  return sk__ordered_from(probe, stamp, probe->ordered_clock);
}
static inline bool sk__write_ordered(const sk__probe *probe, uint64_t stamp) {
  return sk__ordered_from(probe, stamp, probe->write_order_from);
}
/* The same for local memory: own stamps only, and an earlier launch has left the core. */
static inline bool sk__own_ordered(uint64_t stamp, const uint64_t *row, uint32_t own_pipe, uint64_t ordered_clock,
                                   uint64_t own_from) {
  uint64_t clock = sk__stamp_clock(stamp);
  uint32_t pipe = sk__stamp_actor(stamp) % SK__PIPE_SLOTS;
  return clock < ordered_clock || clock <= row[pipe] || (pipe == own_pipe && clock >= own_from);
}
static inline bool sk__ordered_local(const sk__probe *probe, uint64_t stamp) {
  return sk__own_ordered(stamp, probe->row, probe->pipe, probe->ordered_clock, 0);
}
static inline bool sk__write_ordered_local(const sk__probe *probe, uint64_t stamp) {
  return sk__own_ordered(stamp, probe->row, probe->pipe, probe->ordered_clock, probe->write_order_from);
}
/* The far side of the trouble is an earlier instruction of the probe's own pipe and launch. */
static inline bool sk__is_same_pipe(const sk__probe *probe, uint64_t other) {
  return sk__stamp_actor(other) == probe->core * SK__PIPE_SLOTS + probe->pipe &&
         sk__stamp_clock(other) >= probe->ordered_clock;
}

/* Notes trouble with bytes [low, high) of absolute addresses; reports what was noted before if this is
 * something else. `other` is the stamp on the far side, 0 if there is none. */
SK__COLD void sk__probe_trouble(sk__probe *probe, sk__trouble trouble, uint64_t other, uint16_t other_origin,
                                bool other_writes, uint64_t low, uint64_t high);
SK__COLD void sk__probe_report(sk__probe *probe);
static inline void sk__probe_end(sk__probe *probe) {
  if (SK__UNLIKELY(probe->trouble != SK__TROUBLE_NONE)) sk__probe_report(probe);
}

#endif
