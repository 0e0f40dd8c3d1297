/* shadow_gm_query.c - questions about device memory's history that record nothing. */
#include "check/gm_accessors.h"

/* ---- the last writer ------------------------------------------------------------------------- */

/* An atomic counts as a write; of several unordered ones the lowest actor is named. */
static void last_atomic(sk__gm_cell *cell) {
  uint64_t a = cell->accessor;
  if (!sk__gm_is_set(a)) {
    if ((a & SK__STAMP_ATOMIC) == 0) return;
    cell->writer = a;
    cell->writer_origin = cell->accessor_origin;
    return;
  }
  sk__gm_set *set = sk__gm_set_of(a);
  uint64_t best = 0;
  for (uint32_t i = 0; i < set->capacity; i++) {
    uint64_t s = set->stamp[i];
    if ((s & SK__STAMP_ATOMIC) == 0 || (best != 0 && sk__stamp_actor(s) > sk__stamp_actor(best))) continue;
    best = s;
    cell->writer = s;
    cell->writer_origin = sk__gm_set_origins(set)[i];
  }
}

static bool take_last(void *context, const sk__gm_cell *cell, uint64_t low, uint64_t high) {
  sk__gm_cell *last = context;
  (void)low;
  (void)high;
  *last = *cell;
  last_atomic(last);
  return false;
}

bool sk__shadow_gm_last_writer(sk__checker *checker, uint64_t address, sk__end *end) {
  sk__gm_cell cell;
  sk__shadow_gm_walk(checker, address, 1, take_last, &cell);
  if (cell.writer == 0) return false;
  *end = (sk__end){.role = (cell.writer & SK__STAMP_ATOMIC) != 0 ? "atomic" : "writer", .mem = SK__MEM_GM,
                   .address = address, .bytes = 1};
  sk__end_from_stamp(checker, cell.writer, cell.writer_origin, end);
  return true;
}

/* ---- what nobody has written ----------------------------------------------------------------- */

typedef struct stretches {
  sk__gm_unwritten_fn fn;
  void *context;
  uint64_t start, end;   /* not yet told; equal: none */
  bool by_kernel, stopped;
} stretches;

static void tell_stretch(stretches *s) {
  if (s->start != s->end && !s->stopped) s->stopped = !s->fn(s->context, s->start, s->end - s->start);
  s->start = s->end = 0;
}

/* Cells come in ascending order. */
static bool add_cell(void *context, const sk__gm_cell *cell, uint64_t low, uint64_t high) {
  stretches *s = context;
  bool atomic = sk__gm_has_atomic(cell->accessor);
  if (cell->writer != 0 || atomic) {
    s->by_kernel |= atomic || cell->writer != SK__STAMP_HOST;
    return !s->stopped;
  }
  if (s->end != low) {
    tell_stretch(s);
    s->start = low;
  }
  s->end = high;
  return !s->stopped;
}

bool sk__shadow_gm_unwritten(sk__checker *checker, uint64_t address, uint64_t bytes, sk__gm_unwritten_fn fn, void *context) {
  stretches s = {.fn = fn, .context = context};
  sk__shadow_gm_walk(checker, address, bytes, add_cell, &s);
  tell_stretch(&s);
  return s.by_kernel;
}

/* ---- what a launch has written --------------------------------------------------------------- */

typedef struct by_launch {
  sk__checker *checker;
  int32_t launch;
  uint64_t other;        /* the last stamp that was not of it */
  sk__end *end;
  bool found;
} by_launch;

static bool judge_cell(void *context, const sk__gm_cell *cell, uint64_t low, uint64_t high) {
  by_launch *b = context;
  sk__gm_cell written = *cell;
  last_atomic(&written);
  if (written.writer == 0 || written.writer == b->other) return true;
  sk__end end = {.role = (written.writer & SK__STAMP_ATOMIC) != 0 ? "atomic" : "writer", .mem = SK__MEM_GM, .address = low, .bytes = high - low};
  sk__end_from_stamp(b->checker, written.writer, written.writer_origin, &end);
  b->found = end.launch == b->launch;
  if (b->found) *b->end = end;
  else b->other = written.writer;
  return !b->found;
}

bool sk__shadow_gm_written_by(sk__checker *checker, uint64_t address, uint64_t bytes, int32_t launch, sk__end *end) {
  by_launch b = {.checker = checker, .launch = launch, .end = end};
  sk__shadow_gm_walk(checker, address, bytes, judge_cell, &b);
  return b.found;
}
