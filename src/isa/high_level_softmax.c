/* high_level_softmax.c - softmax and its relatives over rows, step by step or in one, and the gradient. A row's
 * maximum, sum and factor are blocks of 32 bytes filled with it. */
#include <math.h>
#include <string.h>

#include "isa/high_level.h"

static const char *const softmax_names[] = {"SoftMax", "LogSoftMax", "SoftmaxFlash", "SoftmaxFlashV2"};

static uint32_t softmax_scratch(sk_softmax_kind kind, const sk_rows *s, bool update) {
  uint32_t type = s->float_bits / 8;
  switch (kind) {
    case SK_SOFTMAX_PLAIN:
    case SK_SOFTMAX_LOG: return sk_tmp_softmax(1, s->pitch, type).least;
    case SK_SOFTMAX_FLASH: return sk_tmp_softmax_flash(1, s->pitch, type, update).least;
    case SK_SOFTMAX_FLASH2: return sk_tmp_softmax_flash2(1, s->pitch, type, s->value_bits / 8, false).least;
  }
  return 0;
}

/* in_sum and in_max NULL: a first step. Only the second form of the steps leaves rows undivided. */
void sk_high_softmax(sk_softmax_kind kind, const sk_rows *shape, void *dst, void *sum, void *max, const void *src, void *scale,
                     const void *in_sum, const void *in_max, sk_scratch tmp) {
  sk__core *core = sk__high_begin_rows(softmax_names[kind], shape, SK__SITE());
  if (core == NULL || !sk__high_scratch(core, tmp, softmax_scratch(kind, shape, in_max != NULL))) return;
  uint64_t values = sk__high_values_bytes(shape);
  void *d = dst, *s = (void *)(uintptr_t)src, *is = (void *)(uintptr_t)in_sum, *im = (void *)(uintptr_t)in_max;
  if (!sk__high_matrix(core, &s, shape, SK__READ, "src") || !sk__high_operand(core, &is, values, SK__READ, "inExpSum") ||
      !sk__high_operand(core, &im, values, SK__READ, "inMax") || !sk__high_matrix(core, &d, shape, SK__WRITE, "dst") ||
      !sk__high_operand(core, &sum, values, SK__WRITE, "sum") || !sk__high_operand(core, &max, values, SK__WRITE, "max") ||
      !sk__high_operand(core, &scale, values, SK__WRITE, "expMax"))
    return;
  uint32_t bits = shape->float_bits, value_bits = shape->value_bits;
  for (uint32_t r = 0; r < shape->rows; r++) {
    double old_max = im != NULL ? sk__high_block_value(im, value_bits, r) : -INFINITY;
    double old_sum = is != NULL ? sk__high_block_value(is, value_bits, r) : 0, largest = old_max, total = 0;
    for (uint32_t i = 0; i < shape->columns; i++) largest = fmax(largest, sk__high_get(s, bits, sk__high_at(shape, r, i)));
    double shrink = im != NULL ? exp(old_max - largest) : 0;
    for (uint32_t i = 0; i < shape->columns; i++) total += exp(sk__high_get(s, bits, sk__high_at(shape, r, i)) - largest);
    total += shrink * old_sum;
    for (uint32_t i = 0; i < shape->columns; i++) {
      double off = sk__high_get(s, bits, sk__high_at(shape, r, i)) - largest;
      double value = kind == SK_SOFTMAX_LOG ? (off - log(total)) / log(10) : kind == SK_SOFTMAX_FLASH2 ? exp(off) : exp(off) / total;
      sk__high_put(d, bits, sk__high_at(shape, r, i), value);
    }
    if (scale != NULL && im != NULL)
      sk__high_fill_block(scale, bits, r, kind == SK_SOFTMAX_FLASH ? shrink * old_sum / total : shrink);
    if (sum != NULL) sk__high_fill_block(sum, value_bits, r, total);
    if (max != NULL) sk__high_fill_block(max, value_bits, r, largest);
  }
  sk__high_time(core, (uint64_t)shape->rows * shape->columns, 8);
}

/* ---- shifted by the means of parts ------------------------------------------------------------------ */

#define PARTS 8u

/* Which part's mean an element counts for: the first 512 by position, the rest lane by lane of 64. */
static uint32_t part_of(uint32_t i) { return i < 512 ? i / 64 : i % 64 / 8; }

static bool part_means_wrong(sk__core *core, const sk_rows *shape, const sk_part_means *p) {
  if (shape->columns < 512 || shape->columns % 64 != 0 || shape->columns != shape->pitch)
    sk__bad_argument(core, "srcK", shape->columns, "512 or more, a multiple of 64, and oriSrcK the same");
  else if (shape->rows % 8 != 0) sk__bad_argument(core, "srcM", shape->rows, "a multiple of 8");
  else if (p->parts != PARTS) sk__bad_argument(core, "splitMeanCnt", p->parts, "8");
  else if (p->loop_count == 0) sk__bad_argument(core, "loopCnt", 0, "1 or more");
  else if (!(p->alpha > 0 && p->alpha < 1)) sk__bad_argument(core, "alpha", (int64_t)p->alpha, "between 0 and 1");
  else return false;
  return true;
}

void sk_high_softmax_part_means(const sk_rows *shape, const sk_part_means *p, void *dst, void *mean, void *sum, void *max, const void *src,
                                void *scale, const void *in_mean, const void *in_sum, const void *in_max, sk_scratch tmp) {
  sk__core *core = sk__high_begin_rows("SoftmaxFlashV3", shape, SK__SITE());
  if (core == NULL || part_means_wrong(core, shape, p) ||
      !sk__high_scratch(core, tmp, sk_tmp_softmax_flash3(1, shape->pitch, shape->value_bits / 8).least))
    return;
  uint64_t values = sk__high_values_bytes(shape), matrix = sk__high_matrix_bytes(shape);
  void *d = dst, *s = (void *)(uintptr_t)src, *ie = (void *)(uintptr_t)in_mean, *is = (void *)(uintptr_t)in_sum, *im = (void *)(uintptr_t)in_max;
  if (!sk__high_operand(core, &s, matrix, SK__READ, "src") || !sk__high_operand(core, &ie, values, SK__READ, "inMean") ||
      !sk__high_operand(core, &is, values, SK__READ, "inExpSum") || !sk__high_operand(core, &im, values, SK__READ, "inMax") ||
      !sk__high_operand(core, &d, matrix, SK__WRITE, "dst") || !sk__high_operand(core, &mean, values, SK__WRITE, "mean") ||
      !sk__high_operand(core, &sum, values, SK__WRITE, "expSum") || !sk__high_operand(core, &max, values, SK__WRITE, "max") ||
      !sk__high_operand(core, &scale, values, SK__WRITE, "expMax"))
    return;
  uint32_t bits = shape->float_bits, value_bits = shape->value_bits, part = shape->columns / PARTS;
  double slope = (double)p->alpha / (1 - (double)p->alpha);
  for (uint32_t r = 0; r < shape->rows; r++) {
    uint64_t row = (uint64_t)r * shape->pitch;
    double local[PARTS] = {0}, centre = 0, largest = -INFINITY, total = 0;
    for (uint32_t i = 0; i < shape->columns; i++) local[part_of(i)] += sk__high_get(s, bits, row + i) / part;
    for (uint32_t i = 0; i < PARTS; i++) centre += local[i] / PARTS;
    for (uint32_t i = 0; i < shape->columns; i++)
      largest = fmax(largest, sk__high_get(s, bits, row + i) - (centre - local[i / part]) * slope);
    double fresh_mean = centre, shift = 0, old_mean = 0, factor = 0;
    if (im != NULL) {
      old_mean = sk__high_block_value(ie, value_bits, r);
      fresh_mean = (centre + old_mean * (p->loop_count - 1)) / p->loop_count;
      shift = (centre - fresh_mean) * slope;
      double old_max = sk__high_block_value(im, value_bits, r) + (old_mean - fresh_mean) * slope, fresh_max = fmax(largest + shift, old_max);
      factor = exp(old_max - fresh_max);
      largest = fresh_max;
    }
    for (uint32_t i = 0; i < shape->columns; i++) {
      double value = exp(sk__high_get(s, bits, row + i) - (centre - local[i / part]) * slope - (largest - shift));
      total += value;
      sk__high_put(d, bits, row + i, value);
    }
    if (im != NULL) {
      total += factor * sk__high_block_value(is, value_bits, r);
      sk__high_fill_block(scale, bits, r, factor);
    }
    sk__high_fill_block(mean, value_bits, r, fresh_mean);
    sk__high_fill_block(sum, value_bits, r, total);
    sk__high_fill_block(max, value_bits, r, largest);
  }
  sk__high_time(core, (uint64_t)shape->rows * shape->columns, 12);
}

/* ---- with maxima and sums that are given; the gradient ----------------------------------------------- */

void sk_high_softmax_given(const sk_rows *shape, void *dst, const void *sum, const void *max, const void *src, sk_scratch tmp) {
  sk__core *core = sk__high_begin_rows("SimpleSoftMax", shape, SK__SITE());
  if (core == NULL || !sk__high_scratch(core, tmp, sk_tmp_softmax(1, shape->pitch, shape->float_bits / 8).least)) return;
  void *d = dst, *s = (void *)(uintptr_t)src, *t = (void *)(uintptr_t)sum, *m = (void *)(uintptr_t)max;
  if (!sk__high_matrix(core, &s, shape, SK__READ, "src") ||
      !sk__high_operand(core, &t, sk__high_values_bytes(shape), SK__READ, "inSum") ||
      !sk__high_operand(core, &m, sk__high_values_bytes(shape), SK__READ, "inMax") ||
      !sk__high_matrix(core, &d, shape, SK__WRITE, "dst"))
    return;
  for (uint32_t r = 0; r < shape->rows; r++)
    for (uint32_t i = 0; i < shape->columns; i++) {
      uint64_t at = sk__high_at(shape, r, i);
      double x = sk__high_get(s, shape->float_bits, at);
      sk__high_put(d, shape->float_bits, at, exp(x - sk__high_block_value(m, shape->value_bits, r)) / sk__high_block_value(t, shape->value_bits, r));
    }
  sk__high_time(core, (uint64_t)shape->rows * shape->columns, 4);
}

void sk_high_softmax_grad(const sk_rows *shape, void *dst, const void *grad, const void *src, bool front_only,
                          sk_scratch tmp) {
  sk__core *core = sk__high_begin_rows(front_only ? "SoftmaxGradFront" : "SoftmaxGrad", shape, SK__SITE());
  if (core == NULL || !sk__high_scratch(core, tmp, sk_tmp_softmax_grad(1, shape->pitch, shape->float_bits / 8, front_only).least)) return;
  uint32_t bits = shape->float_bits;
  void *d = dst, *g = (void *)(uintptr_t)grad, *s = (void *)(uintptr_t)src;
  if (!sk__high_matrix(core, &g, shape, SK__READ, "grad") || !sk__high_matrix(core, &s, shape, SK__READ, "src") ||
      !(front_only ? sk__high_operand(core, &d, sk__high_values_bytes(shape), SK__WRITE, "dst") : sk__high_matrix(core, &d, shape, SK__WRITE, "dst")))
    return;
  for (uint32_t r = 0; r < shape->rows; r++) {
    double total = 0;
    for (uint32_t i = 0; i < shape->columns; i++) total += sk__high_get(g, bits, sk__high_at(shape, r, i)) * sk__high_get(s, bits, sk__high_at(shape, r, i));
    if (front_only) sk__high_fill_block(d, bits, r, total);
    for (uint32_t i = 0; i < shape->columns && !front_only; i++)
      sk__high_put(d, bits, sk__high_at(shape, r, i), (sk__high_get(g, bits, sk__high_at(shape, r, i)) - total) * sk__high_get(s, bits, sk__high_at(shape, r, i)));
  }
  sk__high_time(core, (uint64_t)shape->rows * shape->columns, 5);
}

bool sk_high_adjust_rows(const sk_rows *shape, void *dst, const void *max, uint32_t from_bits, double to) {
  sk__core *core = sk__high_begin_rows("AdjustSoftMaxRes", shape, SK__SITE());
  if (core == NULL) return false;
  void *d = dst, *m = (void *)(uintptr_t)max;
  if (!sk__high_operand(core, &m, sk__high_values_bytes(shape), SK__READ, "max")) return false;
  uint32_t run = shape->nz_rows == 0 ? shape->columns : SK__NZ_COLUMNS; /* of a row, side by side */
  uint64_t elems = sk__high_at(shape, shape->rows - 1, shape->columns - 1) + 1;
  d = sk__ub_operand(core, d, elems * shape->float_bits / 8, SK__BLOCK_BYTES, "softMaxRes");
  bool found = false;
  for (uint32_t r = 0; r < shape->rows && d != NULL; r++) {
    uint32_t bits = 0;
    memcpy(&bits, (const uint8_t *)m + (uint64_t)r * SK__BLOCK_BYTES, shape->value_bits / 8);
    if (bits != from_bits) continue;
    found = true;
    for (uint32_t i = 0; i < shape->columns; i++) {
      uint64_t at = sk__high_at(shape, r, i);
      sk__high_put(d, shape->float_bits, at, to);
      uint32_t n = shape->columns - i < run ? shape->columns - i : run;
      if (i % run == 0) sk__local_access(core, SK__PIPE_V, SK__WRITE, (uint8_t *)d + at * shape->float_bits / 8, (uint64_t)n * shape->float_bits / 8);
    }
  }
  sk__high_time(core, shape->rows, 1);
  return found;
}
