/* high_level_more.c - high-level functions over flat data and over matrices with a mask: reductions of an axis, classes
 * of numbers, running means, random keep, progressions, selection by bytes. */
#include <math.h>
#include <string.h>

#include "base/numbers.h"
#include "isa/high_level.h"

/* ---- an axis of a matrix ---------------------------------------------------------------------------- */

static const char *const reduction_names[] = {"ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceAny", "ReduceAll"};

static double combine(sk_high_reduction op, double a, double b) {
  switch (op) {
    case SK_HIGH_REDUCE_SUM:
    case SK_HIGH_REDUCE_MEAN: return a + b;
    case SK_HIGH_REDUCE_MAX: return a > b || a != a ? a : b;
    case SK_HIGH_REDUCE_MIN: return a < b || a != a ? a : b;
    case SK_HIGH_REDUCE_PROD: return a * b;
    case SK_HIGH_REDUCE_ANY: return a != 0 || b != 0;
    case SK_HIGH_REDUCE_ALL: return a != 0 && b != 0;
  }
  return NAN;
}
static double element(const void *from, uint32_t bits, uint64_t i) { return bits == 8 ? ((const uint8_t *)from)[i] : sk__high_get(from, bits, i); }

void sk_high_reduce(sk_high_reduction op, uint32_t bits, void *dst, const void *src, uint32_t rows, uint32_t columns, bool along_row,
                    sk_scratch tmp) {
  static const sk_tmp_reduction families[] = {SK_TMP_SUM, SK_TMP_SUM, SK_TMP_EXTREME, SK_TMP_EXTREME, SK_TMP_PRODUCT, SK_TMP_LOGICAL, SK_TMP_LOGICAL};
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, reduction_names[op], SK__SITE());
  if (core == NULL || rows == 0 || columns == 0) return;
  if (!sk__high_scratch(core, tmp, sk_tmp_reduce(families[op], rows, columns, bits / 8, along_row, tmp.reuse).least)) return;
  uint32_t per_block = 256 / bits, pitch = (columns + per_block - 1) / per_block * per_block; /* rows begin at blocks */
  uint32_t results = along_row ? rows : columns, steps = along_row ? columns : rows;
  void *d = dst, *s = (void *)(uintptr_t)src;
  if (!sk__high_operand(core, &s, ((uint64_t)(rows - 1) * pitch + columns) * bits / 8, SK__READ, "src") ||
      !sk__high_operand(core, &d, (uint64_t)results * bits / 8, SK__WRITE, "dst"))
    return;
  for (uint32_t r = 0; r < results; r++) {
    double total = element(s, bits, along_row ? (uint64_t)r * pitch : r);
    bool logical = op == SK_HIGH_REDUCE_ANY || op == SK_HIGH_REDUCE_ALL;
    if (logical) total = total != 0;
    for (uint32_t i = 1; i < steps; i++) total = combine(op, total, element(s, bits, along_row ? (uint64_t)r * pitch + i : (uint64_t)i * pitch + r));
    if (op == SK_HIGH_REDUCE_MEAN) total /= steps;
    if (bits == 8) ((uint8_t *)d)[r] = (uint8_t)total;
    else sk__high_put(d, bits, r, total);
  }
  sk__high_time(core, (uint64_t)rows * columns, 3);
}

/* ---- words and classes ---------------------------------------------------------------------------------- */

/* dst[i] = a ^ b; `total`: their sum instead, in dst[0]. */
void sk_high_xor(uint16_t *dst, const uint16_t *src0, const uint16_t *src1, uint32_t count, bool total, sk_scratch tmp) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, total ? "ReduceXorSum" : "Xor", SK__SITE());
  if (core == NULL || count == 0) return;
  uint32_t times = !total ? 1 : tmp.reuse ? 2 : 3;
  if (!sk__high_scratch(core, tmp, total ? sk_tmp_times(times, count * 2).most : SK_TMP_REPEAT_BYTES)) return;
  void *d = dst, *a = (void *)(uintptr_t)src0, *b = (void *)(uintptr_t)src1;
  uint64_t bytes = (uint64_t)count * 2;
  if (!sk__high_operand(core, &a, bytes, SK__READ, "src0") || !sk__high_operand(core, &b, bytes, SK__READ, "src1") ||
      !sk__high_operand(core, &d, total ? 2 : bytes, SK__WRITE, "dst"))
    return;
  uint32_t sum = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint16_t word = ((const uint16_t *)a)[i] ^ ((const uint16_t *)b)[i];
    sum += word;
    if (!total) ((uint16_t *)d)[i] = word;
  }
  if (total) *(uint16_t *)d = (uint16_t)sum;
  sk__high_time(core, count, 3);
}

void sk_high_classify(sk_high_class which, uint32_t float_bits, uint32_t result_bits, void *dst, const void *src, uint32_t count) {
  static const char *const names[] = {"IsFinite", "IsInf", "IsNan"};
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, names[which], SK__SITE());
  if (core == NULL || count == 0) return;
  void *d = dst, *s = (void *)(uintptr_t)src;
  if (!sk__high_operand(core, &s, (uint64_t)count * float_bits / 8, SK__READ, "src") ||
      !sk__high_operand(core, &d, (uint64_t)count * result_bits / 8, SK__WRITE, "dst"))
    return;
  for (uint32_t i = 0; i < count; i++) {
    double x = sk__high_get(s, float_bits, i);
    bool is = which == SK_HIGH_IS_FINITE ? isfinite(x) : which == SK_HIGH_IS_INF ? isinf(x) : isnan(x);
    if (result_bits == 8) ((uint8_t *)d)[i] = is;
    else sk__high_put(d, result_bits, i, is);
  }
  sk__high_time(core, count, 4);
}

/* type 0 half, 1 float, 2 int16, 3 int32. */
void sk_high_arange(uint32_t type, void *dst, double first, double step, uint32_t count) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, "Arange", SK__SITE());
  if (core == NULL || count == 0) return;
  uint32_t bits = type == 0 || type == 2 ? 16 : 32;
  void *d = dst;
  if (!sk__high_operand(core, &d, (uint64_t)count * bits / 8, SK__WRITE, "dst")) return;
  for (uint32_t i = 0; i < count; i++) {
    double value = first + i * step;
    if (type < 2) sk__high_put(d, bits, i, value);
    else if (bits == 16) ((int16_t *)d)[i] = (int16_t)(int64_t)value;
    else ((int32_t *)d)[i] = (int32_t)(int64_t)value;
  }
  sk__high_time(core, count, 1);
}

/* ---- running mean and variance ----------------------------------------------------------------------------- */

/* One more value per column: mean' = mean + (x - mean) / n, variance' = variance + (x - mean) (x - mean'), step by step in
 * float: what one call rounds stays in the next one's sums. */
void sk_high_welford_update(const sk_rows *shape, float *out_mean, float *out_variance, const float *mean, const float *variance, const void *x,
                            float reciprocal, bool in_place, sk_scratch tmp) {
  sk__core *core = sk__high_begin_rows("WelfordUpdate", shape, SK__SITE());
  uint32_t bits = shape->float_bits;
  if (core == NULL || !sk__high_scratch(core, tmp, sk_tmp_welford_update(shape->rows * shape->pitch, bits / 8, tmp.reuse).least)) return;
  uint64_t matrix = sk__high_matrix_bytes(shape), elems = in_place ? (uint64_t)shape->rows * shape->pitch : matrix * 8 / bits, bytes = elems * 4;
  void *om = out_mean, *ov = out_variance, *m = (void *)(uintptr_t)mean, *v = (void *)(uintptr_t)variance, *s = (void *)(uintptr_t)x;
  if (!sk__high_operand(core, &m, bytes, SK__READ, "inputMean") || !sk__high_operand(core, &v, bytes, SK__READ, "inputVariance") ||
      !sk__high_operand(core, &s, matrix, SK__READ, "inputX") || !sk__high_operand(core, &om, bytes, SK__WRITE, "outputMean") ||
      !sk__high_operand(core, &ov, bytes, SK__WRITE, "outputVariance"))
    return;
  for (uint64_t i = 0; i < elems; i++) {
    float old = ((const float *)m)[i], fresh = old, spread = ((const float *)v)[i];
    if (i % shape->pitch < shape->columns) {
      float value = (float)sk__high_get(s, bits, i);
      fresh = old + (value - old) * reciprocal;
      spread += (value - old) * (value - fresh);
    } else if (!in_place) {
      continue;
    }
    ((float *)om)[i] = fresh;
    ((float *)ov)[i] = spread;
  }
  sk__high_time(core, elems, 5);
}

/* Columns joined to one mean and variance, a number each. */
void sk_high_welford_finalise(float *out_mean, float *out_variance, const float *mean, const float *variance, const int32_t *counts,
                              const sk_counts *p, sk_scratch tmp) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, "WelfordFinalize", SK__SITE());
  if (core == NULL || p->columns == 0) return;
  if (counts == NULL && p->head_columns > p->columns) {
    sk__bad_argument(core, "headCountLength", p->head_columns, "0..%u, abLength less tailCountLength", p->columns);
    return;
  }
  if (!sk__high_scratch(core, tmp, sk_tmp_welford_finalize(p->columns).least)) return;
  uint64_t bytes = (uint64_t)p->columns * 4;
  void *om = out_mean, *ov = out_variance, *m = (void *)(uintptr_t)mean, *v = (void *)(uintptr_t)variance, *c = (void *)(uintptr_t)counts;
  if (!sk__high_operand(core, &m, bytes, SK__READ, "inputMean") || !sk__high_operand(core, &v, bytes, SK__READ, "inputVariance") ||
      !sk__high_operand(core, &c, bytes, SK__READ, "counts") || !sk__high_operand(core, &om, 4, SK__WRITE, "outputMean") ||
      !sk__high_operand(core, &ov, 4, SK__WRITE, "outputVariance"))
    return;
#define COUNT(i) (c != NULL ? (double)((const int32_t *)c)[i] : (i) < p->head_columns ? p->head : p->tail)
  double centre = 0, spread = 0;
  for (uint32_t i = 0; i < p->columns; i++) centre += ((const float *)m)[i] * COUNT(i) * p->reciprocal;
  for (uint32_t i = 0; i < p->columns; i++) {
    double off = ((const float *)m)[i] - centre;
    spread += (((const float *)v)[i] + off * off * COUNT(i)) * p->reciprocal;
  }
#undef COUNT
  *(float *)om = (float)centre, *(float *)ov = (float)spread;
  sk__high_time(core, p->columns, 6);
}

/* ---- masks ---------------------------------------------------------------------------------------------------- */

/* The mask's element or bit says which elements go through `kept`; the others become `else_value` or src1. */
void sk_high_mask(const char *name, uint32_t bits, void *dst, const void *src, const void *mask, uint32_t rows, uint32_t columns,
                  uint32_t mask_pitch, uint32_t mask_bytes, bool keep_where_set, double factor, double else_value,
                  sk_scratch tmp) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, name, SK__SITE());
  if (core == NULL || rows == 0 || columns == 0) return;
  bool by_bit = mask_bytes == 0;
  uint64_t count = (uint64_t)rows * columns, mask_size = (uint64_t)rows * mask_pitch * (by_bit ? 1 : mask_bytes);
  if (by_bit ? (uint64_t)mask_pitch * 8 < columns : mask_pitch < columns) {
    sk__bad_argument(core, "maskLastAxis", mask_pitch, "at least %u", by_bit ? (columns + 7) / 8 : columns);
    return;
  }
  if (!sk__high_scratch(core, tmp, factor != 1 ? sk_tmp_drop_out(1).least : sk_tmp_select((uint32_t)count, 1, false).least)) return;
  void *d = dst, *s = (void *)(uintptr_t)src, *m = (void *)(uintptr_t)mask;
  if (!sk__high_operand(core, &s, count * bits / 8, SK__READ, "src") || !sk__high_operand(core, &m, mask_size, SK__READ, "mask") ||
      !sk__high_operand(core, &d, count * bits / 8, SK__WRITE, "dst"))
    return;
  for (uint32_t r = 0; r < rows; r++)
    for (uint32_t i = 0; i < columns; i++) {
      const uint8_t *line = (const uint8_t *)m + (uint64_t)r * mask_pitch * (by_bit ? 1 : mask_bytes);
      bool set = by_bit && (line[i / 8] >> i % 8 & 1) != 0;
      for (uint32_t k = 0; k < mask_bytes; k++) set |= line[(uint64_t)i * mask_bytes + k] != 0;
      uint64_t at = (uint64_t)r * columns + i;
      sk__high_put(d, bits, at, set == keep_where_set ? sk__high_get(s, bits, at) * factor : else_value);
    }
  sk__high_time(core, count, 3);
}
