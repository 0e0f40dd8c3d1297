/* snapshot.c - what a vector of clocks knows, as it is handed on: counted, shared, joined; told apart at launches. */
#include "check/order.h"

static _Atomic uint64_t next_serial = 1; /* names contents of snapshots, process-wide */

/* The low bits count changes of one snapshot, so that changing it needs no shared counter. */
static uint64_t new_serial(void) { return atomic_fetch_add_explicit(&next_serial, 1, memory_order_relaxed) << 24; }

void sk__snapshot_start(sk__checker *checker, sk__snapshot *s) {
  atomic_init(&s->references, 1);
  s->actors = checker->actors;
  s->serial = new_serial();
  s->contains = 0;
  s->parent = NULL;
  s->beyond = (sk__cores){0};
  s->gaps = NULL;
}

sk__snapshot *sk__snapshot_alloc(void) { return sk__aligned_alloc(64, (sizeof(sk__snapshot) + 63) & ~(size_t)63); }

sk__snapshot *sk__snapshot_new(sk__checker *checker, sk__snapshot *copy_of) {
  sk__snapshot *s = sk__snapshot_alloc();
  if (s == NULL) return NULL;
  sk__snapshot_start(checker, s);
  if (copy_of == NULL) copy_of = checker->nothing;
  if (copy_of != NULL) {
    sk__copy_clocks(s->clock, copy_of->clock, s->actors);
    s->contains = copy_of->serial;
    s->gaps = sk__gaps_ref(copy_of->gaps);
  } else { /* the checker's own first one */
    memset(s->clock, 0, sizeof s->clock);
    sk__host_clocks(s->clock);
  }
  return s;
}

void sk__gaps_join(sk__gaps **into, const uint64_t *clocks, sk__gaps *from, const uint64_t *from_clocks, uint32_t actors) {
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

void sk__rehearsal_begin(sk__rehearsal *rehearsal, const uint64_t *clocks) {
  memcpy(rehearsal->begun, clocks, sizeof rehearsal->begun);
  memset(rehearsal->known, 0xff, sizeof rehearsal->known);
}

void sk__rehearsal_add_stream(sk__rehearsal *rehearsal, const sk__snapshot *order) {
  for (uint32_t actor = 0; actor < SK__HOST_CORE * SK__PIPE_SLOTS; actor++) {
    uint64_t knows = order != NULL && actor < order->actors ? order->clock[actor] : 0;
    uint64_t gap = order != NULL ? sk__gaps_first(order->gaps, actor) : UINT64_MAX;
    if (gap <= knows) knows = gap - 1;
    if (knows < rehearsal->known[actor]) rehearsal->known[actor] = knows;
  }
}

void sk__checker_rehearse(sk__checker *checker, const sk__rehearsal *rehearsal) { checker->rehearsal = rehearsal; }

void sk__snapshot_join(sk__snapshot *into, const sk__snapshot *from) {
  if (from == NULL || into == from || into->contains == from->serial) return;
  sk__gaps_join(&into->gaps, into->clock, from->gaps, from->clock, into->actors);
  if (into->contains == from->contains && from->contains != 0) {
    sk__join_cores(into->clock, from->clock, &from->beyond);
    sk__join_core_sets(&into->beyond, &from->beyond);
  } else {
    sk__join_clocks(into->clock, from->clock, into->actors);
    into->contains = from->serial;
    into->beyond = sk__all_cores(into->actors);
  }
  into->serial++;
}

sk__snapshot *sk__snapshot_ref(sk__snapshot *s) {
  if (s != NULL) atomic_fetch_add_explicit(&s->references, 1, memory_order_relaxed);
  return s;
}

bool sk__snapshot_last_refs(sk__snapshot *s, uint32_t n) {
  if (s == NULL || n == 0 || atomic_fetch_sub_explicit(&s->references, n, memory_order_acq_rel) != n) return false;
  sk__snapshot_unref(s->parent);
  sk__gaps_unref(s->gaps);
  return true;
}

void sk__snapshot_unref(sk__snapshot *s) {
  if (sk__snapshot_last_refs(s, 1)) sk__free(s);
}
