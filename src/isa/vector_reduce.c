/* vector_reduce.c - reductions of each 32-byte block, of each repeat and of neighbours: asc_datablock_reduce_*,
 * asc_repeat_reduce_*, asc_pair_reduce_sum, and the registers they leave behind.
 *
 * Elements the mask hides count as 0 in sums and do not exist for max and min; a result that no enabled
 * element contributes to is not written. Work goes in pieces of a few repeats: sources are packed (or used
 * in place), reduced, and the results written before the next piece is read. */
#include <string.h>

#include "base/numbers.h"
#include "c_api/asc_vector_other.h"
#include "isa/simd/reduce_kernels.h"
#include "isa/vector_other.h"

SK__SIMD_BIND(reduce)

#define PIECE 16u /* repeats worked on at a time */
#define NO_KEY INT32_MIN

typedef enum reduce_unit { BLOCK, REPEAT, PAIR } reduce_unit;
typedef enum reduce_op { SUM, MAX, MIN } reduce_op;

typedef struct reduction {
  const char *name, *name_sync;
  reduce_unit unit;
  reduce_op op;
  Order_t order;     /* what max and min of repeats write */
  bool is_f16;
} reduction;

/* What follows from the kind of reduction. */
typedef struct shape {
  uint32_t lanes;          /* elements per repeat */
  uint32_t width;          /* elements per result */
  uint32_t results;        /* per repeat */
  uint32_t result_bytes;   /* one result, index included */
  uint32_t step_bytes;     /* unit of the destination's repeat stride: the results of one full repeat */
  uint32_t align_bytes;
} shape;

static shape shape_of(const reduction *what) {
  uint32_t size = what->is_f16 ? 2 : 4;
  shape s = {.lanes = SK__REPEAT_BYTES / size, .result_bytes = size};
  if (what->unit == BLOCK) {
    s.width = SK__BLOCK_BYTES / size;
    s.align_bytes = 8 * size;
  } else if (what->unit == PAIR) {
    s.width = 2;
    s.align_bytes = SK__BLOCK_BYTES;
  } else {
    s.width = s.lanes;
    if (what->op != SUM && what->order == ONLY_INDEX) s.result_bytes = 4;
    if (what->op != SUM && (what->order == VALUE_INDEX || what->order == INDEX_VALUE)) s.result_bytes = 2 * size;
    s.align_bytes = s.result_bytes;
  }
  s.results = s.lanes / s.width;
  s.step_bytes = s.results * s.result_bytes;
  return s;
}

/* Which results of iteration r have an enabled element: a bit each. */
static uint64_t present_results(const shape *s, const sk__iterations *it, uint32_t r) {
  uint64_t present = 0;
  for (uint32_t lane = 0; lane < s->lanes; lane++)
    if (sk__lane_enabled(it, r, lane)) present |= UINT64_C(1) << (lane / s->width);
  return present;
}

typedef struct reduce_run {
  const reduction *what;
  shape s;
  sk__iterations it;
  sk__stream src;
  uint8_t *dst;
  uint64_t dst_step;             /* bytes from one repeat's results to the next */
  uint64_t present, present_tail;
  bool whole;                    /* every lane of every repeat is enabled */
  bool saturate;
  int32_t best_key;              /* running extremum */
} reduce_run;

static uint64_t present_in(const reduce_run *run, uint32_t r) { return r < run->it.full ? run->present : run->present_tail; }

/* ---- destination ----------------------------------------------------------------------------- */

static uint64_t dst_extent(const reduce_run *run) {
  uint64_t extent = 0;
  uint32_t total = sk__iteration_total(&run->it);
  uint32_t last[2] = {run->it.full != 0 ? run->it.full - 1 : 0, total - 1};
  for (uint32_t i = 0; i < 2; i++) {
    uint64_t present = present_in(run, last[i]);
    if (present == 0) continue;
    uint64_t end = last[i] * run->dst_step + (64u - (uint32_t)__builtin_clzll(present)) * run->s.result_bytes;
    if (end > extent) extent = end;
  }
  return extent;
}

/* Results stand one after the other without a gap. */
static bool dst_dense(const reduce_run *run) {
  return run->whole && (run->dst_step == run->s.step_bytes || sk__iteration_total(&run->it) == 1);
}

static void dst_footprint(sk__core *core, const reduce_run *run) {
  uint32_t total = sk__iteration_total(&run->it);
  if (dst_dense(run)) {
    sk__local_access(core, SK__PIPE_V, SK__WRITE, run->dst, (uint64_t)total * run->s.step_bytes);
    return;
  }
  for (uint32_t r = 0; r < total; r++) {
    uint64_t present = present_in(run, r);
    while (present != 0) { /* runs of present results */
      uint32_t first = (uint32_t)__builtin_ctzll(present), n = 1;
      while (first + n < run->s.results && (present >> (first + n) & 1) != 0) n++;
      sk__local_access(core, SK__PIPE_V, SK__WRITE, run->dst + r * run->dst_step + first * run->s.result_bytes,
                       (uint64_t)n * run->s.result_bytes);
      present &= first + n >= 64 ? 0 : UINT64_MAX << (first + n);
    }
  }
}

/* Puts the packed results of `count` repeats, the first of them r, where they belong. */
static void store(const reduce_run *run, uint32_t r, uint32_t count, const uint8_t *packed) {
  const shape *s = &run->s;
  if (dst_dense(run)) {
    memcpy(run->dst + (uint64_t)r * s->step_bytes, packed, (size_t)count * s->step_bytes);
    return;
  }
  for (uint32_t i = 0; i < count; i++, packed += s->step_bytes) {
    uint64_t present = present_in(run, r + i);
    uint8_t *to = run->dst + (uint64_t)(r + i) * run->dst_step;
    for (uint32_t k = 0; k < s->results; k++)
      if ((present >> k & 1) != 0) memcpy(to + k * s->result_bytes, packed + k * s->result_bytes, s->result_bytes);
  }
}

/* ---- source ---------------------------------------------------------------------------------- */

/* `count` repeats as packed elements: in place where there is nothing to close or to hide. */
static const void *load(const reduce_run *run, uint32_t r, uint32_t count, uint8_t *buffer) {
  if (run->whole && sk__stream_flat(&run->src, &run->it)) return run->src.base + (uint64_t)r * SK__REPEAT_BYTES;
  uint32_t size = run->what->is_f16 ? 2 : 4;
  for (uint32_t i = 0; i < count; i++) {
    uint8_t *to = buffer + i * SK__REPEAT_BYTES;
    sk__stream_gather(&run->src, &run->it, r + i, to);
    if (run->whole) continue;
    for (uint32_t lane = 0; lane < run->s.lanes; lane++)
      if (!sk__lane_enabled(&run->it, r + i, lane)) memset(to + lane * size, 0, size);
  }
  return buffer;
}

/* ---- sums ------------------------------------------------------------------------------------ */

static void sums(const reduce_run *run, const void *in, uint32_t count, void *out) {
  uint32_t results = count * run->s.results;
  if (run->what->is_f16) {
    sk__simd_reduce->sum_f16(out, in, results, run->s.width, run->saturate);
  } else if (run->what->unit == PAIR) {
    sk__simd_reduce->sum2_f32(out, in, results);
  } else if (run->what->unit == BLOCK) {
    sk__simd_reduce->sum8_f32(out, in, results);
  } else {
    float blocks[PIECE * 8];
    sk__simd_reduce->sum8_f32(blocks, in, count * 8);
    sk__simd_reduce->sum8_f32(out, blocks, count);
  }
}

/* The running total over repeats, added in order. */
static void accumulate(sk__core *core, const reduce_run *run, uint32_t r, uint32_t count, const void *results) {
  for (uint32_t i = 0; i < count; i++) {
    if (present_in(run, r + i) == 0) continue;
    uint32_t bits = run->what->is_f16 ? ((const uint16_t *)results)[i] : ((const uint32_t *)results)[i];
    if (r + i == 0) {
      core->acc_value = bits;
    } else if (run->what->is_f16) {
      float sum = sk__f32_from_f16((uint16_t)core->acc_value) + sk__f32_from_f16((uint16_t)bits);
      core->acc_value = sk__f16_from_f32(sum, SK__ROUND_RINT, run->saturate ? SK__FLOAT_SATURATE : SK__FLOAT_INF_NAN);
    } else {
      core->acc_value = sk__bits_from_f32(sk__f32_from_bits((uint32_t)core->acc_value) + sk__f32_from_bits(bits));
    }
  }
}

/* ---- greatest and least ---------------------------------------------------------------------- */

static uint32_t bits_of_key(const reduce_run *run, int32_t key) {
  bool is_f16 = run->what->is_f16;
  uint32_t bits;
  if (key == INT32_MAX) {
    bits = is_f16 ? SK__F16_NAN : UINT32_C(0x7fc00000);
  } else {
    int32_t ordered = run->what->op == MIN ? ~key : key;
    bits = is_f16 ? (uint32_t)(ordered ^ (ordered >> 31 & INT16_MAX)) & 0xffffu
                  : (uint32_t)(ordered ^ (ordered >> 31 & INT32_MAX));
  }
  return is_f16 ? sk__f16_limit((uint16_t)bits, run->saturate ? SK__FLOAT_SATURATE : SK__FLOAT_INF_NAN) : bits;
}

static void put(uint8_t *to, uint32_t value, uint32_t bytes) { memcpy(to, &value, bytes); /* little-endian hosts only */ }

/* Packed results of `count` repeats; also moves the running extremum on. */
static void extremes(sk__core *core, reduce_run *run, const void *in, uint32_t r, uint32_t count, uint8_t *out) {
  _Alignas(64) int32_t key[PIECE * 128];
  int32_t best[PIECE * 8];
  uint32_t index[PIECE * 8];
  const shape *s = &run->s;
  uint32_t size = run->what->is_f16 ? 2 : 4, groups = count * s->results;
  if (run->what->is_f16) sk__simd_reduce->order_f16(key, in, (size_t)count * s->lanes, run->what->op == MIN);
  else sk__simd_reduce->order_f32(key, in, (size_t)count * s->lanes, run->what->op == MIN);
  if (!run->whole)
    for (uint32_t i = 0; i < count; i++)
      for (uint32_t lane = 0; lane < s->lanes; lane++)
        if (!sk__lane_enabled(&run->it, r + i, lane)) key[i * s->lanes + lane] = NO_KEY;
  sk__simd_reduce->greatest(best, key, groups, s->width);
  if (run->what->unit == BLOCK) {
    for (uint32_t g = 0; g < groups; g++) put(out + g * size, bits_of_key(run, best[g]), size);
    return;
  }
  sk__simd_reduce->first_of(index, best, key, groups, s->width);
  uint64_t *record = run->what->op == MAX ? core->reduce_max : core->reduce_min;
  for (uint32_t g = 0; g < groups; g++, out += s->result_bytes) {
    uint32_t value = bits_of_key(run, best[g]);
    if (best[g] > run->best_key) {
      run->best_key = best[g];
      record[0] = value;
      record[1] = (uint64_t)(r + g) * s->lanes + index[g];
    }
    switch (run->what->order) {
      case VALUE_INDEX: put(out, value, size), put(out + size, index[g], size); break;
      case INDEX_VALUE: put(out, index[g], size), put(out + size, value, size); break;
      case ONLY_VALUE: put(out, value, size); break;
      case ONLY_INDEX: put(out, index[g], 4); break;
    }
  }
}

/* ---- the outline ----------------------------------------------------------------------------- */

/* Results that land on the source of the next repeat, which is under way already. Results on their own
 * source are fine: that is how reductions work in place. */
static void check_overlap(sk__core *core, const reduce_run *run) {
  const uint8_t *d = run->dst, *s = run->src.base;
  if (d >= s + sk__stream_extent(&run->src, &run->it) || s >= d + dst_extent(run)) return;
  for (uint32_t r = 0; r + 1 < sk__iteration_total(&run->it); r++) {
    const uint8_t *from = d + r * run->dst_step, *to = from + run->s.step_bytes;
    for (uint32_t block = 0; block < 8; block++) {
      const uint8_t *next = s + (uint64_t)(r + 1) * run->src.repeat_bytes + (uint64_t)block * run->src.block_bytes;
      if (next >= to || from >= next + SK__BLOCK_BYTES) continue;
      sk__instr_finding(core, "OVERLAP", SK__CAT_OPERATOR, SK__ERROR, "use another buffer for the results",
                        "the results of repeat %u overlap the source of the next one", r);
      return;
    }
  }
}

static void reduce_pieces(sk__core *core, reduce_run *run) {
  _Alignas(64) uint8_t buffer[PIECE * SK__REPEAT_BYTES], out[PIECE * SK__REPEAT_BYTES / 2];
  uint32_t total = sk__iteration_total(&run->it);
  for (uint32_t r = 0; r < total; r += PIECE) {
    uint32_t count = total - r < PIECE ? total - r : PIECE;
    const void *in = load(run, r, count, buffer);
    if (run->what->op == SUM) {
      sums(run, in, count, out);
      if (run->what->unit == REPEAT) accumulate(core, run, r, count, out);
    } else {
      extremes(core, run, in, r, count, out);
    }
    store(run, r, count, out);
  }
}

static void reduce(sk__core *core, const reduction *what, void *dst, const void *src, const sk__iterations *it,
                   uint32_t dst_repeat_stride, uint32_t src_block_stride, uint32_t src_repeat_stride) {
  if (sk__iterations_empty(it)) return;
  static const sk__vector_rate rates[] = {SK__RATE_REDUCE_BLOCK, SK__RATE_REDUCE_REPEAT, SK__RATE_REDUCE_PAIR};
  uint32_t size = what->is_f16 ? 2 : 4;
  reduce_run run = {.what = what, .s = shape_of(what), .it = *it, .best_key = NO_KEY};
  run.saturate = !sk__ctrl(core, SK__CTRL_FLOAT_INF_NAN);
  run.whole = it->tail == 0 && !it->pattern && it->prefix == it->lanes;
  run.present = it->full != 0 ? present_results(&run.s, it, 0) : 0;
  run.present_tail = it->tail != 0 ? present_results(&run.s, it, it->full) : 0;
  run.dst_step = (uint64_t)dst_repeat_stride * run.s.step_bytes;
  run.src = sk__stream_of(src, size * 8, src_block_stride, src_repeat_stride);
  run.dst = sk__ub_operand(core, dst, dst_extent(&run), run.s.align_bytes, "dst");
  if (run.dst == NULL) return;
  run.src.base = sk__ub_operand(core, src, sk__stream_extent(&run.src, it), SK__BLOCK_BYTES, "src");
  if (run.src.base == NULL) return;
  if (core->checks) {
    sk__stream_access(core, SK__PIPE_V, SK__READ, &run.src, it);
    dst_footprint(core, &run);
  }
  check_overlap(core, &run);
  reduce_pieces(core, &run);
  sk__vector_time(core, rates[what->unit], size, (uint64_t)sk__iteration_total(it) * run.s.lanes);
}

static void reduce_count(const reduction *what, void *dst, const void *src, uint32_t count, bool sync, const void *site) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, sync ? what->name_sync : what->name, site);
  if (core == NULL) return;
  sk__mask_count_form(core, count);
  sk__iterations it = sk__iterations_count(count, what->is_f16 ? 128 : 64);
  reduce(core, what, dst, src, &it, 1, 1, 8);
  if (sync) sk__pipe_barrier(core, SK__PIPE_ALL);
}
static void reduce_strided(const reduction *what, void *dst, const void *src, SK_ARGS_REDUCE, const void *site) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, what->name, site);
  if (core == NULL) return;
  sk__iterations it = sk__iterations_of(core, repeat, what->is_f16 ? 128 : 64);
  reduce(core, what, dst, src, &it, dst_repeat_stride, src_block_stride, src_repeat_stride);
}

/* ---- entry points ---------------------------------------------------------------------------- */

#define ENTRY(op, tag, D, S, half_words, unit, kind, order)                                                  \
  static const reduction op##_##tag = {SK__NAME(op), SK__NAME_SYNC(op), unit, kind, order, half_words};      \
  void sk_##op##_##tag##_n(D *dst, const S *src, uint32_t count) {                                           \
    reduce_count(&op##_##tag, dst, src, count, false, SK__SITE());                                           \
  }                                                                                                          \
  void sk_##op##_##tag##_ns(D *dst, const S *src, uint32_t count) {                                          \
    reduce_count(&op##_##tag, dst, src, count, true, SK__SITE());                                            \
  }                                                                                                          \
  void sk_##op##_##tag##_h(D *dst, const S *src, SK_ARGS_REDUCE) {                                           \
    reduce_strided(&op##_##tag, dst, src, repeat, dst_repeat_stride, src_block_stride, src_repeat_stride,    \
                   SK__SITE());                                                                              \
  }
#define ENTRIES(op, unit, kind, order)                     \
  ENTRY(op, f16, half, half, true, unit, kind, order)      \
  ENTRY(op, f32, float, float, false, unit, kind, order)
#define INDEX_ENTRIES(op, kind)                            \
  ENTRY(op, f16, void, half, true, REPEAT, kind, ONLY_INDEX) \
  ENTRY(op, f32, void, float, false, REPEAT, kind, ONLY_INDEX)

ENTRIES(datablock_reduce_sum, BLOCK, SUM, ONLY_VALUE)
ENTRIES(datablock_reduce_max, BLOCK, MAX, ONLY_VALUE)
ENTRIES(datablock_reduce_min, BLOCK, MIN, ONLY_VALUE)
ENTRIES(repeat_reduce_sum, REPEAT, SUM, ONLY_VALUE)
ENTRIES(pair_reduce_sum, PAIR, SUM, ONLY_VALUE)
ENTRIES(repeat_reduce_max_value_index, REPEAT, MAX, VALUE_INDEX)
ENTRIES(repeat_reduce_max_index_value, REPEAT, MAX, INDEX_VALUE)
ENTRIES(repeat_reduce_max_only_value, REPEAT, MAX, ONLY_VALUE)
ENTRIES(repeat_reduce_min_value_index, REPEAT, MIN, VALUE_INDEX)
ENTRIES(repeat_reduce_min_index_value, REPEAT, MIN, INDEX_VALUE)
ENTRIES(repeat_reduce_min_only_value, REPEAT, MIN, ONLY_VALUE)
INDEX_ENTRIES(repeat_reduce_max_only_index, MAX)
INDEX_ENTRIES(repeat_reduce_min_only_index, MIN)

/* ---- registers ------------------------------------------------------------------------------- */

static sk__core *read_register(const char *name, const void *site) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_S, name, site);
  if (core != NULL) sk__advance(core, SK__PIPE_S, sk__machine_soc(core->machine)->costs.scalar_cycles);
  return core;
}
#define GET_COUNT(which, tag, T)                                                                  \
  void sk_get_reduce_##which##_cnt_##tag(T *value, uint32_t *index) {                             \
    sk__core *core = read_register("asc_get_reduce_" #which "_cnt", SK__SITE());                  \
    if (core == NULL) return;                                                                     \
    memcpy(value, &core->reduce_##which[0], sizeof *value);                                       \
    *index = (uint32_t)core->reduce_##which[1];                                                   \
  }
GET_COUNT(max, f16, half)
GET_COUNT(max, f32, float)
GET_COUNT(min, f16, half)
GET_COUNT(min, f32, float)

int64_t asc_get_acc_val(void) {
  sk__core *core = read_register("asc_get_acc_val", SK__SITE());
  return core == NULL ? 0 : (int64_t)core->acc_value;
}
