/* order_cross.c - happens-before between cores: what a set publishes and a wait takes over, one vector per core. */
#include "check/order.h"

void sk__order_join_seen(sk__snapshot *into, const sk__order *order) {
  sk__snapshot_join(into, order->base);
  if (order->ext == NULL) return;
  sk__gaps_join(&into->gaps, into->clock, order->gaps, order->ext, into->actors);
  sk__cores cores;
  memcpy(&cores, order->ext_cores, sizeof cores);
  sk__join_cores(into->clock, order->ext, &cores);
  sk__join_core_sets(&into->beyond, &cores);
}

/* ---- sets ------------------------------------------------------------------------------------ */

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
  sk__order_join_seen(m, order);
  sk__add_core(&m->beyond, order->core);
  order->row[pipe][SK__PIPE_S] = order->clock[SK__PIPE_S];
  uint64_t *own = sk__own_entries(m->clock, order);
  sk__join_clocks(own, order->row[pipe], SK__PIPE_SLOTS);
  own[pipe] = sk__later(own[pipe], order->clock[pipe]);
  note_set(checker, order, pipe);
  order->clock[pipe]++;
  if (pipe != SK__PIPE_S) order->clock[SK__PIPE_S]++;
  m->serial++;
}

/* ---- waits ----------------------------------------------------------------------------------- */

/* What the whole core waits for holds for each of its pipes. */
static void join_own_rows(sk__order *order, const uint64_t *clocks) {
  const uint64_t *own = clocks + (size_t)order->core * SK__PIPE_SLOTS;
  for (int p = 0; p < SK__PIPES; p++) sk__join_clocks(order->row[p], own, SK__PIPE_SLOTS);
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

/* A snapshot that contains all this core has seen becomes its base. What others take after it as a message's
 * parent is this one itself, so its own parent is of no more use; messages are taken under floor 2's lock. */
static void rebase(sk__order *order, sk__snapshot *base) {
  sk__snapshot_unref(order->base);
  order->base = sk__snapshot_ref(base);
  sk__order_set_gaps(order, base->gaps);
  sk__order_drop_ext(order);
  sk__snapshot_unref(base->parent);
  base->parent = NULL;
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
    sk__copy_clocks(ext, order->base->clock, checker->actors);
    memset(order->ext_cores, 0, sizeof order->ext_cores);
    order->ext = ext;
  }
  return order->ext;
}

static void take_entries(sk__checker *checker, sk__order *order, const sk__snapshot *message) {
  uint64_t *ext = own_ext(checker, order);
  if (ext == NULL) return;
  sk__cores cores = message->contains == order->base->serial ? message->beyond : sk__all_cores(checker->actors);
  sk__gaps_join(&order->gaps, ext, message->gaps, message->clock, checker->actors);
  sk__join_cores(ext, message->clock, &cores);
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
