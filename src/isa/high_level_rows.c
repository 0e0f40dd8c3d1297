/* high_level_rows.c - high-level functions over rows: softmax and its gradient, sums, normalisation, the k
 * greatest. A row's single value is a block of 32 bytes filled with it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "isa/high_level.h"

static uint64_t matrix_bytes(const sk_rows *s) { return ((uint64_t)(s->rows - 1) * s->pitch + s->columns) * s->float_bits / 8; }
static uint64_t values_bytes(const sk_rows *s) { return (uint64_t)s->rows * SK__BLOCK_BYTES; }

static sk__core *begin_rows(const char *name, const sk_rows *shape, const void *site) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, name, site);
  if (core == NULL || shape->rows == 0 || shape->columns == 0) return NULL;
  if (shape->columns <= shape->pitch) return core;
  sk__bad_argument(core, "the number of columns", shape->columns, "1..%u, the length of a row", shape->pitch);
  return NULL;
}

static void fill_block(void *values, uint32_t bits, uint32_t row, double value) {
  uint32_t n = 256 / bits;
  for (uint32_t i = 0; i < n; i++) sk__high_put(values, bits, (uint64_t)row * n + i, value);
}
static double block_value(const void *values, uint32_t bits, uint32_t row) {
  return sk__high_get(values, bits, (uint64_t)row * (256 / bits));
}

/* ---- softmax ------------------------------------------------------------------------------------------ */

void sk_high_softmax(const sk_rows *shape, void *dst, void *sum, void *max, const void *src, void *scale, const void *in_sum,
                     const void *in_max, bool divide) {
  sk__core *core = begin_rows(divide ? "SoftMax" : "SoftmaxFlashV2", shape, SK__SITE());
  if (core == NULL) return;
  uint64_t values = values_bytes(shape);
  void *d = dst, *s = (void *)(uintptr_t)src, *is = (void *)(uintptr_t)in_sum, *im = (void *)(uintptr_t)in_max;
  if (!sk__high_operand(core, &s, matrix_bytes(shape), SK__READ, "src") ||
      !sk__high_operand(core, &is, values, SK__READ, "inExpSum") || !sk__high_operand(core, &im, values, SK__READ, "inMax") ||
      !sk__high_operand(core, &d, matrix_bytes(shape), SK__WRITE, "dst") || !sk__high_operand(core, &sum, values, SK__WRITE, "sum") ||
      !sk__high_operand(core, &max, values, SK__WRITE, "max") || !sk__high_operand(core, &scale, values, SK__WRITE, "expMax"))
    return;
  uint32_t bits = shape->float_bits, value_bits = shape->value_bits;
  for (uint32_t r = 0; r < shape->rows; r++) {
    uint64_t row = (uint64_t)r * shape->pitch;
    double old_max = im != NULL ? block_value(im, value_bits, r) : -INFINITY, old_sum = is != NULL ? block_value(is, value_bits, r) : 0;
    double largest = old_max, total = 0;
    for (uint32_t i = 0; i < shape->columns; i++) largest = fmax(largest, sk__high_get(s, bits, row + i));
    for (uint32_t i = 0; i < shape->columns; i++) total += exp(sk__high_get(s, bits, row + i) - largest);
    for (uint32_t i = 0; i < shape->columns; i++)
      sk__high_put(d, bits, row + i, exp(sk__high_get(s, bits, row + i) - largest) / (divide ? total : 1));
    double shrink = im != NULL ? exp(old_max - largest) : 0;
    if (scale != NULL && im != NULL) fill_block(scale, bits, r, shrink);
    if (sum != NULL) fill_block(sum, value_bits, r, total + shrink * old_sum);
    if (max != NULL) fill_block(max, value_bits, r, largest);
  }
  sk__high_time(core, (uint64_t)shape->rows * shape->columns, 8);
}

void sk_high_softmax_given(const sk_rows *shape, void *dst, const void *sum, const void *max, const void *src) {
  sk__core *core = begin_rows("SimpleSoftMax", shape, SK__SITE());
  if (core == NULL) return;
  void *d = dst, *s = (void *)(uintptr_t)src, *t = (void *)(uintptr_t)sum, *m = (void *)(uintptr_t)max;
  if (!sk__high_operand(core, &s, matrix_bytes(shape), SK__READ, "src") ||
      !sk__high_operand(core, &t, values_bytes(shape), SK__READ, "inSum") ||
      !sk__high_operand(core, &m, values_bytes(shape), SK__READ, "inMax") ||
      !sk__high_operand(core, &d, matrix_bytes(shape), SK__WRITE, "dst"))
    return;
  for (uint32_t r = 0; r < shape->rows; r++)
    for (uint32_t i = 0; i < shape->columns; i++) {
      uint64_t at = (uint64_t)r * shape->pitch + i;
      double x = sk__high_get(s, shape->float_bits, at);
      sk__high_put(d, shape->float_bits, at, exp(x - block_value(m, shape->value_bits, r)) / block_value(t, shape->value_bits, r));
    }
  sk__high_time(core, (uint64_t)shape->rows * shape->columns, 4);
}

void sk_high_softmax_grad(const sk_rows *shape, void *dst, const void *grad, const void *src, bool front_only) {
  sk__core *core = begin_rows(front_only ? "SoftmaxGradFront" : "SoftmaxGrad", shape, SK__SITE());
  if (core == NULL) return;
  uint32_t bits = shape->float_bits;
  void *d = dst, *g = (void *)(uintptr_t)grad, *s = (void *)(uintptr_t)src;
  if (!sk__high_operand(core, &g, matrix_bytes(shape), SK__READ, "grad") || !sk__high_operand(core, &s, matrix_bytes(shape), SK__READ, "src") ||
      !sk__high_operand(core, &d, front_only ? values_bytes(shape) : matrix_bytes(shape), SK__WRITE, "dst"))
    return;
  for (uint32_t r = 0; r < shape->rows; r++) {
    uint64_t row = (uint64_t)r * shape->pitch;
    double total = 0;
    for (uint32_t i = 0; i < shape->columns; i++) total += sk__high_get(g, bits, row + i) * sk__high_get(s, bits, row + i);
    if (front_only) fill_block(d, bits, r, total);
    for (uint32_t i = 0; i < shape->columns && !front_only; i++)
      sk__high_put(d, bits, row + i, (sk__high_get(g, bits, row + i) - total) * sk__high_get(s, bits, row + i));
  }
  sk__high_time(core, (uint64_t)shape->rows * shape->columns, 5);
}

bool sk_high_adjust_rows(const sk_rows *shape, void *dst, const void *max, uint32_t from_bits, double to) {
  sk__core *core = begin_rows("AdjustSoftMaxRes", shape, SK__SITE());
  if (core == NULL) return false;
  void *d = dst, *m = (void *)(uintptr_t)max;
  if (!sk__high_operand(core, &m, values_bytes(shape), SK__READ, "max")) return false;
  d = sk__ub_operand(core, d, matrix_bytes(shape), SK__BLOCK_BYTES, "softMaxRes");
  bool found = false;
  for (uint32_t r = 0; r < shape->rows && d != NULL; r++) {
    uint32_t bits = 0;
    memcpy(&bits, (const uint8_t *)m + (uint64_t)r * SK__BLOCK_BYTES, shape->value_bits / 8);
    if (bits != from_bits) continue;
    found = true;
    uint8_t *row = (uint8_t *)d + (uint64_t)r * shape->pitch * shape->float_bits / 8;
    for (uint32_t i = 0; i < shape->columns; i++) sk__high_put(row, shape->float_bits, i, to);
    sk__local_access(core, SK__PIPE_V, SK__WRITE, row, (uint64_t)shape->columns * shape->float_bits / 8);
  }
  sk__high_time(core, shape->rows, 1);
  return found;
}

/* ---- sums and norms ---------------------------------------------------------------------------------- */

void sk_high_row_sum(const sk_rows *shape, void *dst, const void *src, double factor) {
  sk__core *core = begin_rows(factor == 1 ? "Sum" : "Mean", shape, SK__SITE());
  if (core == NULL) return;
  uint32_t bits = shape->float_bits;
  void *d = dst, *s = (void *)(uintptr_t)src;
  if (!sk__high_operand(core, &s, matrix_bytes(shape), SK__READ, "src") ||
      !sk__high_operand(core, &d, (uint64_t)shape->rows * bits / 8, SK__WRITE, "dst"))
    return;
  for (uint32_t r = 0; r < shape->rows; r++) {
    double total = 0;
    for (uint32_t i = 0; i < shape->columns; i++) total += sk__high_get(s, bits, (uint64_t)r * shape->pitch + i);
    sk__high_put(d, bits, r, total * factor);
  }
  sk__high_time(core, (uint64_t)shape->rows * shape->columns, 2);
}

void sk_high_normalise(const sk_rows *shape, void *dst, void *mean, void *variance, const void *src, const void *gamma,
                       const void *beta, double epsilon, bool root_mean_square) {
  sk__core *core = begin_rows(root_mean_square ? "RmsNorm" : "LayerNorm", shape, SK__SITE());
  if (core == NULL) return;
  uint32_t bits = shape->float_bits;
  uint64_t row_bytes = (uint64_t)shape->columns * bits / 8, values = (uint64_t)shape->rows * bits / 8;
  void *d = dst, *s = (void *)(uintptr_t)src, *g = (void *)(uintptr_t)gamma, *b = (void *)(uintptr_t)beta;
  if (!sk__high_operand(core, &s, matrix_bytes(shape), SK__READ, "src") || !sk__high_operand(core, &g, row_bytes, SK__READ, "gamma") ||
      !sk__high_operand(core, &b, row_bytes, SK__READ, "beta") || !sk__high_operand(core, &d, matrix_bytes(shape), SK__WRITE, "dst") ||
      !sk__high_operand(core, &mean, values, SK__WRITE, "mean") || !sk__high_operand(core, &variance, values, SK__WRITE, "variance"))
    return;
  for (uint32_t r = 0; r < shape->rows; r++) {
    uint64_t row = (uint64_t)r * shape->pitch;
    double centre = 0, square = 0;
    for (uint32_t i = 0; i < shape->columns && !root_mean_square; i++) centre += sk__high_get(s, bits, row + i) / shape->columns;
    for (uint32_t i = 0; i < shape->columns; i++) {
      double off = sk__high_get(s, bits, row + i) - centre;
      square += off * off / shape->columns;
    }
    if (mean != NULL) sk__high_put(mean, bits, r, centre);
    if (variance != NULL) sk__high_put(variance, bits, r, square);
    double factor = 1 / sqrt(square + epsilon);
    for (uint32_t i = 0; i < shape->columns; i++) {
      double value = (sk__high_get(s, bits, row + i) - centre) * factor;
      if (g != NULL) value *= sk__high_get(g, bits, i);
      if (b != NULL) value += sk__high_get(b, bits, i);
      sk__high_put(d, bits, row + i, value);
    }
  }
  sk__high_time(core, (uint64_t)shape->rows * shape->columns, 8);
}

void sk_high_running_sum(const sk_rows *shape, void *dst, void *last_row, const void *src, bool along_rows) {
  sk__core *core = begin_rows("CumSum", shape, SK__SITE());
  if (core == NULL) return;
  uint32_t bits = shape->float_bits;
  void *d = dst, *s = (void *)(uintptr_t)src;
  uint64_t last_bytes = (uint64_t)(along_rows ? shape->rows : shape->columns) * bits / 8;
  if (!sk__high_operand(core, &s, matrix_bytes(shape), SK__READ, "src") || !sk__high_operand(core, &d, matrix_bytes(shape), SK__WRITE, "dst") ||
      !sk__high_operand(core, &last_row, last_bytes, SK__WRITE, "lastRow"))
    return;
  uint32_t lines = along_rows ? shape->rows : shape->columns, steps = along_rows ? shape->columns : shape->rows;
  for (uint32_t line = 0; line < lines; line++) {
    double total = 0;
    for (uint32_t step = 0; step < steps; step++) {
      uint64_t at = along_rows ? (uint64_t)line * shape->pitch + step : (uint64_t)step * shape->pitch + line;
      total += sk__high_get(s, bits, at);
      sk__high_put(d, bits, at, total);
    }
    if (last_row != NULL) sk__high_put(last_row, bits, line, total);
  }
  sk__high_time(core, (uint64_t)shape->rows * shape->columns, 4);
}

/* ---- the k greatest ------------------------------------------------------------------------------------ */

typedef struct candidate { double value; uint32_t at; } candidate;
static int greater_first(const void *a, const void *b) {
  const candidate *x = a, *y = b;
  if (x->value != y->value) return x->value > y->value ? -1 : 1;
  return x->at < y->at ? -1 : 1;
}

void sk_high_top_k(const sk_rows *shape, void *values, int32_t *positions, const void *src, const int32_t *index, uint32_t k,
                   bool largest) {
  sk__core *core = begin_rows("TopK", shape, SK__SITE());
  if (core == NULL) return;
  uint32_t bits = shape->float_bits, value_pitch = (k * bits / 8 + 31) / 32 * 256 / bits, position_pitch = (k + 7) / 8 * 8;
  if (k == 0 || k > shape->columns || shape->columns * sizeof(candidate) > 1u << 20) {
    sk__bad_argument(core, "k", k, "1..%u of at most 65536 columns", shape->columns);
    return;
  }
  void *v = values, *p = positions, *s = (void *)(uintptr_t)src, *n = (void *)(uintptr_t)index;
  if (!sk__high_operand(core, &s, matrix_bytes(shape), SK__READ, "src") ||
      !sk__high_operand(core, &n, (uint64_t)shape->columns * 4, SK__READ, "srcIndex") ||
      !sk__high_operand(core, &v, ((uint64_t)(shape->rows - 1) * value_pitch + k) * bits / 8, SK__WRITE, "dstValue") ||
      !sk__high_operand(core, &p, ((uint64_t)(shape->rows - 1) * position_pitch + k) * 4, SK__WRITE, "dstIndex"))
    return;
  candidate *row = core->scratch;
  for (uint32_t r = 0; r < shape->rows; r++) {
    for (uint32_t i = 0; i < shape->columns; i++) {
      double x = sk__high_get(s, bits, (uint64_t)r * shape->pitch + i);
      row[i] = (candidate){largest ? x : -x, i};
    }
    qsort(row, shape->columns, sizeof *row, greater_first);
    for (uint32_t i = 0; i < k; i++) {
      sk__high_put(v, bits, (uint64_t)r * value_pitch + i, largest ? row[i].value : -row[i].value);
      ((int32_t *)p)[(uint64_t)r * position_pitch + i] = n != NULL ? ((const int32_t *)n)[row[i].at] : (int32_t)row[i].at;
    }
  }
  sk__high_time(core, (uint64_t)shape->rows * shape->columns, 32);
}
