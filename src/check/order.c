/* order.c - happens-before: rows inside a core, one vector per core towards the others.
 *
 * Invariants while a launch runs on a core:
 *   row[p] contains row[S]: what the scalar unit has waited for, every later instruction has too, but for its own stores;
 *   own clocks below ordered_clock are judged by base/ext, never by rows, which may lag behind them: a
 *   launch and a SyncAll raise it instead of writing the rows;
 *   a snapshot that is shared (a base, a message taken or in two boxes) does not change any more;
 *   a clock grows when it is published, so that later accesses are not covered by what went out;
 *   what a vector does not know below its clocks stands in its gaps (gaps.c), which change wherever it does. */
#include "check/checker.h"

static _Atomic uint64_t next_serial = 1; /* names contents of snapshots, process-wide */

/* The low bits count changes of one snapshot, so that changing it needs no shared counter. */
static uint64_t new_serial(void) { return atomic_fetch_add_explicit(&next_serial, 1, memory_order_relaxed) << 24; }

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Of n / 8 cores; in eights, for which compilers make vector code. */
static void join_clocks(uint64_t *restrict into, const uint64_t *restrict from, uint32_t n) {
  for (uint32_t i = 0; i < n; i += SK__PIPE_SLOTS)
    for (uint32_t q = 0; q < SK__PIPE_SLOTS; q++) into[i + q] = larger(into[i + q], from[i + q]);
}

static void host_clocks(uint64_t *into) {
  for (uint32_t i = SK__HOST_CORE * SK__PIPE_SLOTS; i < SK__MAX_ACTORS; i++) into[i] = SK__STAMP_CLOCK;
}

static void copy_clocks(uint64_t *into, const uint64_t *from, uint32_t n) {
  memcpy(into, from, n * sizeof *into);
  host_clocks(into);
}

static void add_core(sk__cores *cores, uint32_t core) { cores->word[core / 64] |= UINT64_C(1) << (core % 64); }

static sk__cores all_cores(uint32_t actors) {
  sk__cores cores = {0};
  for (uint32_t core = 0; core < actors / SK__PIPE_SLOTS; core++) add_core(&cores, core);
  return cores;
}

/* Joins the entries of some cores only. */
static void join_cores(uint64_t *into, const uint64_t *from, const sk__cores *cores) {
  for (uint32_t w = 0; w < SK__MAX_CORES / 64; w++)
    for (uint64_t left = cores->word[w]; left != 0; left &= left - 1) {
      size_t at = (w * 64 + (uint32_t)__builtin_ctzll(left)) * SK__PIPE_SLOTS;
      join_clocks(into + at, from + at, SK__PIPE_SLOTS);
    }
}

static void join_core_sets(sk__cores *into, const sk__cores *from) {
  for (uint32_t w = 0; w < SK__MAX_CORES / 64; w++) into->word[w] |= from->word[w];
}

/* ---- snapshots ------------------------------------------------------------------------------- */

static void snapshot_start(sk__checker *checker, sk__snapshot *s) {
  atomic_init(&s->references, 1);
  s->actors = checker->actors;
  s->serial = new_serial();
  s->contains = 0;
  s->parent = NULL;
  s->beyond = (sk__cores){0};
  s->gaps = NULL;
}

static sk__snapshot *snapshot_alloc(void) { return sk__aligned_alloc(64, (sizeof(sk__snapshot) + 63) & ~(size_t)63); }

sk__snapshot *sk__snapshot_new(sk__checker *checker, sk__snapshot *copy_of) {
  sk__snapshot *s = snapshot_alloc();
  if (s == NULL) return NULL;
  snapshot_start(checker, s);
  if (copy_of == NULL) copy_of = checker->nothing;
  if (copy_of != NULL) {
    copy_clocks(s->clock, copy_of->clock, s->actors);
    s->contains = copy_of->serial;
    s->gaps = sk__gaps_ref(copy_of->gaps);
  } else { /* the checker's own first one */
    memset(s->clock, 0, sizeof s->clock);
    host_clocks(s->clock);
  }
  return s;
}

/* Before `into` takes over clocks. */
static void join_gaps(sk__gaps **into, const uint64_t *clocks, sk__gaps *from, const uint64_t *from_clocks, uint32_t actors) {
  if (*into == from) return;
  sk__gaps *joined = sk__gaps_joined(*into, clocks, from, from_clocks, actors);
  sk__gaps_unref(*into);
  *into = joined;
}

static sk__snapshot *told_apart(sk__checker *checker, sk__snapshot *before, uint32_t first, uint32_t end) {
  sk__snapshot *known = before != NULL ? before : checker->nothing;
  sk__gaps *gaps = sk__gaps_until(known->gaps, known->clock, checker->clock, checker->actors, first, end);
  if (gaps == known->gaps) {
    sk__gaps_unref(gaps);
    return sk__snapshot_ref(before);
  }
  checker->has_gaps = true;
  sk__snapshot *s = sk__snapshot_new(checker, known);
  if (s == NULL) {
    sk__gaps_unref(gaps);
    return sk__snapshot_ref(before);
  }
  sk__gaps_unref(s->gaps);
  s->gaps = gaps;
  return s;
}

sk__snapshot *sk__snapshot_launch(sk__checker *checker, sk__snapshot *before) {
  return told_apart(checker, before, 0, sk__engine_core(checker->soc));
}
sk__snapshot *sk__snapshot_engine(sk__checker *checker, sk__snapshot *before) {
  return told_apart(checker, before, sk__engine_core(checker->soc), sk__engine_core(checker->soc) + 1);
}

void sk__checker_clocks(const sk__checker *checker, uint64_t *out) { memcpy(out, checker->clock, SK__MAX_CORES * sizeof *out); }

sk__snapshot *sk__snapshot_since(sk__checker *checker, const sk__snapshot *known, const uint64_t *clocks) {
  sk__snapshot *s = sk__snapshot_new(checker, NULL);
  if (s == NULL) return NULL;
  if (known == NULL) known = checker->nothing;
  s->gaps = sk__gaps_until(known->gaps, known->clock, clocks, s->actors, 0, sk__engine_core(checker->soc) + 1);
  s->contains = 0;
  for (uint32_t actor = 0; actor < s->actors; actor++) s->clock[actor] = checker->clock[actor / SK__PIPE_SLOTS];
  if (s->gaps != NULL) checker->has_gaps = true;
  return s;
}

void sk__snapshot_join(sk__snapshot *into, const sk__snapshot *from) {
  if (from == NULL || into == from || into->contains == from->serial) return;
  join_gaps(&into->gaps, into->clock, from->gaps, from->clock, into->actors);
  if (into->contains == from->contains && from->contains != 0) {
    join_cores(into->clock, from->clock, &from->beyond);
    join_core_sets(&into->beyond, &from->beyond);
  } else {
    join_clocks(into->clock, from->clock, into->actors);
    into->contains = from->serial;
    into->beyond = all_cores(into->actors);
  }
  into->serial++;
}

sk__snapshot *sk__snapshot_ref(sk__snapshot *s) {
  if (s != NULL) atomic_fetch_add_explicit(&s->references, 1, memory_order_relaxed);
  return s;
}

/* True when these were the last references: the block is the caller's now. */
static bool last_refs(sk__snapshot *s, uint32_t n) {
  if (s == NULL || n == 0 || atomic_fetch_sub_explicit(&s->references, n, memory_order_acq_rel) != n) return false;
  sk__snapshot_unref(s->parent);
  sk__gaps_unref(s->gaps);
  return true;
}

void sk__snapshot_unref(sk__snapshot *s) {
  if (last_refs(s, 1)) sk__free(s);
}

/* ---- launches -------------------------------------------------------------------------------- */

static uint64_t *own_entries(uint64_t *clocks, const sk__order *order) {
  return clocks + (size_t)order->core * SK__PIPE_SLOTS;
}


/* Own copy of the vector, so that it may change; NULL on no memory. */
static uint64_t *own_ext(const sk__checker *checker, sk__order *order) {
  if (order->ext == NULL) {
    uint64_t *ext = order->spare;
    if (ext == NULL) ext = sk__aligned_alloc(64, (SK__MAX_ACTORS * sizeof *ext + 63) & ~(size_t)63);
    order->spare = NULL;
    if (ext == NULL) {
      sk__history_lost(order->checker);
      return NULL;
    }
    copy_clocks(ext, order->base->clock, checker->actors);
    memset(order->ext_cores, 0, sizeof order->ext_cores);
    order->ext = ext;
  }
  return order->ext;
}

static void drop_ext(sk__order *order) {
  if (order->ext == NULL) return;
  order->spare = order->ext; /* is empty while there is an ext */
  order->ext = NULL;
}

_Static_assert(SK__PIPE_SLOTS == 8, "latest_clock names each");
static uint64_t latest_clock(const sk__order *order) { /* as a tree: a chain of eight is slower */
  const uint64_t *c = order->clock;
  uint64_t low = larger(larger(c[0], c[1]), larger(c[2], c[3])), high = larger(larger(c[4], c[5]), larger(c[6], c[7]));
  return larger(low, high);
}

static void start_clocks_at(sk__order *order, uint64_t clock) {
  for (int q = 0; q < SK__PIPE_SLOTS; q++) order->clock[q] = clock;
  order->begin_clock = clock;
  order->dropped_clock = 0;
  order->refused = false;
  order->scope_open = false;
}

static void leave(sk__order *order) {
  if (order->checker != NULL) {
    uint64_t *kept = &order->checker->clock[order->core];
    *kept = larger(*kept, latest_clock(order));
  }
  sk__snapshot_unref(order->base);
  sk__gaps_unref(order->gaps);
  sk__free(order->ext);
  sk__free(order->spare);
  order->base = NULL;
  order->gaps = NULL;
  order->ext = order->spare = NULL;
}

void sk__order_begin(sk__checker *checker, sk__order *order, uint32_t core, sk__snapshot *before) {
  leave(order);
  order->checker = checker;
  order->core = core;
  order->base = sk__snapshot_ref(before != NULL ? before : checker->nothing);
  order->gaps = sk__gaps_ref(order->base->gaps);
  order->same_pipe = checker->same_pipe;
  order->in_order_pipes = 1u << SK__PIPE_S;
  order->in_sub = false;
  order->watched = 0;
  start_clocks_at(order, checker->clock[core] + 1);
  order->launch_clock = order->ordered_clock = order->begin_clock;
  const uint64_t *own = own_entries(order->base->clock, order);
  for (int p = 0; p < SK__PIPES; p++) memcpy(order->row[p], own, sizeof order->row[p]);
}

void sk__order_begin_sub(sk__order *order) {
  sk__order_settle(order);
  start_clocks_at(order, latest_clock(order) + 1);
  order->in_order_pipes = 1u << SK__PIPE_S;
  order->in_sub = true;
}

void sk__order_barrier_dropped(sk__order *order) {
  sk__order_settle(order);
  uint64_t next = latest_clock(order) + 1;
  for (int q = 0; q < SK__PIPE_SLOTS; q++) order->clock[q] = next;
  order->dropped_clock = next;
}

/* Everything from other cores that this core is ordered after. */
static void join_seen(sk__snapshot *into, const sk__order *order) {
  sk__snapshot_join(into, order->base);
  if (order->ext == NULL) return;
  join_gaps(&into->gaps, into->clock, order->gaps, order->ext, into->actors);
  sk__cores cores;
  memcpy(&cores, order->ext_cores, sizeof cores);
  join_cores(into->clock, order->ext, &cores);
  join_core_sets(&into->beyond, &cores);
}

void sk__order_end(sk__checker *checker, sk__order *order, sk__snapshot *into) {
  (void)checker;
  if (order->base == NULL) return;
  sk__order_settle(order);
  if (into != NULL) {
    join_seen(into, order);
    uint64_t *own = own_entries(into->clock, order);
    for (int q = 0; q < SK__PIPES; q++) own[q] = larger(own[q], order->clock[q]);
    add_core(&into->beyond, order->core);
    into->serial++;
  }
  leave(order);
}

/* ---- inside a core --------------------------------------------------------------------------- */

/* Rows are written one word at a time, by every instruction. A wider load behind such a store waits until
 * the store has left the core, and in front of it may stand a tile of streaming stores: so rows are read
 * one word at a time too, which the compiler must not widen. */
static inline uint64_t row_word(const uint64_t *row, int pipe) {
  uint64_t word = row[pipe];
  __asm__("" : "+r"(word));
  return word;
}

static inline void join_row(uint64_t *into, const uint64_t *from) {
  for (int p = 0; p < SK__PIPE_SLOTS; p++) {
    uint64_t mine = row_word(into, p), other = row_word(from, p);
    into[p] = mine > other ? mine : other;
  }
}

void sk__order_set_flag(sk__order *order, sk__pipe src, sk__event_clock *out) {
  sk__order_settle(order);
  order->row[src][SK__PIPE_S] = order->clock[SK__PIPE_S];
  for (int p = 0; p < SK__PIPE_SLOTS; p++) out->row[p] = row_word(order->row[src], p);
  out->row[src] = order->clock[src]++;
  if (src == SK__PIPE_S) out->row[SK__STORES] = order->clock[SK__STORES]++;
}

void sk__order_wait_flag(sk__order *order, sk__pipe dst, const sk__event_clock *in) {
  sk__order_settle(order);
  if (dst != SK__PIPE_S) {
    join_row(order->row[dst], in->row);
    return;
  }
  for (int p = 0; p < SK__PIPES; p++) join_row(order->row[p], in->row);
}

void sk__order_barrier(sk__order *order, sk__pipe pipe) {
  sk__order_settle(order);
  if (pipe != SK__PIPE_ALL) {
    order->row[pipe][SK__PIPE_S] = order->clock[SK__PIPE_S];
    order->row[pipe][pipe] = order->clock[pipe]++;
    return;
  }
  for (int p = 0; p < SK__PIPES; p++) memcpy(order->row[p], order->clock, sizeof order->row[p]);
  for (int q = 0; q < SK__PIPE_SLOTS; q++) order->clock[q]++;
}

/* ---- between cores --------------------------------------------------------------------------- */

/* The message, to be joined into: what others hold stays as it is. NULL on no memory. */
static sk__snapshot *own_message(sk__checker *checker, const sk__order *order, sk__snapshot **message) {
  sk__snapshot *m = *message;
  if (m != NULL && atomic_load_explicit(&m->references, memory_order_acquire) == 1) return m;
  sk__snapshot *fresh = sk__snapshot_new(checker, m != NULL ? m : order->base);
  if (fresh == NULL) {
    sk__history_lost(checker);
    return NULL;
  }
  if (m == NULL) fresh->parent = sk__snapshot_ref(order->base);
  sk__snapshot_unref(m);
  return *message = fresh;
}

/* For H9: the set covers the pipe up to its clock, and comes before sets issued later. */
static void note_set(sk__checker *checker, const sk__order *order, sk__pipe pipe) {
  sk__sets *sets = &checker->sets[order->core];
  uint64_t count = atomic_load_explicit(&sets->count, memory_order_relaxed);
  sk__set_note *note = &sets->ring[count % SK__SETS];
  atomic_store_explicit(&note->pipe, (uint32_t)pipe, memory_order_relaxed);
  atomic_store_explicit(&note->clock, order->clock[pipe], memory_order_relaxed);
  atomic_store_explicit(&note->issue, order->clock[SK__PIPE_S], memory_order_relaxed);
  atomic_store_explicit(&sets->count, count + 1, memory_order_release);
}

void sk__order_publish(sk__checker *checker, sk__order *order, sk__pipe pipe, sk__snapshot **message) {
  sk__order_settle(order);
  sk__snapshot *m = own_message(checker, order, message);
  if (m == NULL) return;
  join_seen(m, order);
  add_core(&m->beyond, order->core);
  order->row[pipe][SK__PIPE_S] = order->clock[SK__PIPE_S];
  uint64_t *own = own_entries(m->clock, order);
  join_clocks(own, order->row[pipe], SK__PIPE_SLOTS);
  own[pipe] = larger(own[pipe], order->clock[pipe]);
  note_set(checker, order, pipe);
  order->clock[pipe]++;
  if (pipe != SK__PIPE_S) order->clock[SK__PIPE_S]++;
  m->serial++;
}

/* What the whole core waits for holds for each of its pipes. */
static void join_own_rows(sk__order *order, const uint64_t *clocks) {
  const uint64_t *own = clocks + (size_t)order->core * SK__PIPE_SLOTS;
  for (int p = 0; p < SK__PIPES; p++) join_clocks(order->row[p], own, SK__PIPE_SLOTS);
}

/* Worth sharing: a message from a group's set, which all its members take. Messages between few cores would
 * give each core a base of its own, and joining vectors of different bases is slow. The hard build shares
 * all, so that random programs of few cores meet both ways. */
enum { FEW_CORES = SK__HARD ? 0 : 8 };
static bool from_many(const sk__snapshot *message) {
  int cores = 0;
  for (uint32_t w = 0; w < SK__MAX_CORES / 64; w++) cores += __builtin_popcountll(message->beyond.word[w]);
  return cores > FEW_CORES;
}

/* Does it hold all this core has seen? */
static bool contains_seen(const sk__snapshot *s, const sk__order *order) {
  if (s->contains != order->base->serial) return false;
  if (order->ext == NULL) return true;
  if (order->gaps != s->gaps && s->gaps != NULL) return false; /* it may not know what ext knows */
  for (uint32_t w = 0; w < SK__MAX_CORES / 64; w++)
    for (uint64_t left = order->ext_cores[w]; left != 0; left &= left - 1) {
      size_t at = (w * 64 + (uint32_t)__builtin_ctzll(left)) * SK__PIPE_SLOTS;
      for (uint32_t q = 0; q < SK__PIPE_SLOTS; q++)
        if (order->ext[at + q] > s->clock[at + q]) return false;
    }
  return true;
}

static void set_gaps(sk__order *order, sk__gaps *gaps) {
  if (order->gaps == gaps) return;
  sk__gaps_unref(order->gaps);
  order->gaps = sk__gaps_ref(gaps);
}

/* A snapshot that contains all this core has seen becomes its base. What others take after it as a message's
 * parent is this one itself, so its own parent is of no more use; messages are taken under floor 2's lock. */
static void rebase(sk__order *order, sk__snapshot *base) {
  sk__snapshot_unref(order->base);
  order->base = sk__snapshot_ref(base);
  set_gaps(order, base->gaps);
  drop_ext(order);
  sk__snapshot_unref(base->parent);
  base->parent = NULL;
}

static void take_entries(sk__checker *checker, sk__order *order, const sk__snapshot *message) {
  uint64_t *ext = own_ext(checker, order);
  if (ext == NULL) return;
  sk__cores cores = message->contains == order->base->serial ? message->beyond : all_cores(checker->actors);
  join_gaps(&order->gaps, ext, message->gaps, message->clock, checker->actors);
  join_cores(ext, message->clock, &cores);
  for (uint32_t w = 0; w < SK__MAX_CORES / 64; w++) order->ext_cores[w] |= cores.word[w];
}

/* Bases stay common if cores that hear of a newer one from the same side move on to it. */
void sk__order_acquire(sk__checker *checker, sk__order *order, sk__snapshot *message) {
  if (message == NULL) return;
  sk__order_settle(order);
  sk__snapshot *parent = message->parent;
  if (from_many(message) && contains_seen(message, order)) {
    rebase(order, message);
  } else {
    if (parent != NULL && parent->serial == message->contains && contains_seen(parent, order)) rebase(order, parent);
    take_entries(checker, order, message);
  }
  join_own_rows(order, message->clock);
}

/* ---- barriers over many cores ---------------------------------------------------------------- */

/* The meeting's references to a snapshot go; if nobody else has any, the next meeting is written into it. */
static void give_back(sk__meeting *meeting, sk__snapshot *s, uint32_t n) {
  if (!last_refs(s, n)) return;
  sk__free(meeting->spare);
  meeting->spare = s;
}

/* Starts what all will know. When every core of the chip comes, each writes its own entries, and there is
 * nothing to copy but the copy engine's: what a recycled block holds until then is older and counts for nothing, but where
 * gaps are told from it. */
static sk__snapshot *meeting_open(sk__checker *checker, sk__meeting *meeting, const sk__order *order, uint32_t members) {
  sk__snapshot *all = meeting->spare;
  uint32_t cores = sk__engine_core(checker->soc);
  bool everybody = members == cores;
  meeting->spare = NULL;
  if (all == NULL && (all = snapshot_alloc()) != NULL) {
    memset(all->clock, 0, sizeof all->clock);
    host_clocks(all->clock);
  }
  if (all == NULL) return NULL;
  snapshot_start(checker, all);
  all->contains = order->base->serial;
  all->gaps = sk__gaps_ref(order->base->gaps);
  if (!everybody || checker->has_gaps) memcpy(all->clock, order->base->clock, all->actors * sizeof *all->clock);
  else memcpy(all->clock + cores * SK__PIPE_SLOTS, order->base->clock + cores * SK__PIPE_SLOTS, SK__PIPE_SLOTS * sizeof *all->clock);
  return all;
}

void sk__meeting_arrive(sk__checker *checker, sk__meeting *meeting, sk__order *order, uint32_t members) {
  sk__order_settle(order);
  if (meeting->came++ == 0) {
    meeting->base = order->base;
    meeting->all = meeting_open(checker, meeting, order, members);
    if (meeting->all == NULL) sk__history_lost(checker);
  }
  sk__snapshot *all = meeting->all;
  if (all == NULL) return;
  if (order->base != meeting->base || order->ext != NULL) join_seen(all, order);
  add_core(&all->beyond, order->core);
  memcpy(own_entries(all->clock, order), order->clock, sizeof order->clock); /* nobody knows later ones */
}

static void forget_last(sk__meeting *meeting) {
  give_back(meeting, meeting->left_base, meeting->gave_back);
  give_back(meeting, meeting->agreed, 1 + meeting->inside);
  meeting->left_base = meeting->agreed = NULL;
  meeting->gave_back = meeting->inside = 0;
}

void sk__meeting_complete(sk__meeting *meeting) {
  forget_last(meeting);
  sk__snapshot *all = meeting->all;
  if (all != NULL) {
    all->serial++;
    atomic_fetch_add_explicit(&all->references, meeting->came, memory_order_relaxed);
    meeting->agreed = all;
    meeting->left_base = meeting->base;
    meeting->inside = meeting->came;
  }
  meeting->all = meeting->base = NULL;
  meeting->came = 0;
}

void sk__meeting_depart(sk__meeting *meeting, sk__order *order) {
  if (meeting->agreed == NULL) return;
  drop_ext(order);
  if (order->base == meeting->left_base) meeting->gave_back++;
  else sk__snapshot_unref(order->base);
  order->base = meeting->agreed;
  set_gaps(order, order->base->gaps);
  meeting->inside--;
  uint64_t next = latest_clock(order) + 1;
  for (int q = 0; q < SK__PIPE_SLOTS; q++) order->clock[q] = next;
  order->ordered_clock = next;
}

void sk__meeting_break(sk__meeting *meeting) {
  give_back(meeting, meeting->all, 1);
  meeting->all = meeting->base = NULL;
  meeting->came = 0;
}

void sk__meeting_end(sk__meeting *meeting) {
  sk__meeting_break(meeting);
  forget_last(meeting);
  sk__free(meeting->spare);
  meeting->spare = NULL;
}
