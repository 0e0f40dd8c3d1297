/* high_level_norm.c - normalisation over rows, over the first dimension and over groups of channels, with given means too,
 * and the gradients of the first kind. */
#include <math.h>

#include "isa/high_level.h"

static void *plain(const void *pointer) { return (void *)(uintptr_t)pointer; }

static const char *const norm_names[] = {"LayerNorm", "LayerNorm", "RmsNorm", "DeepNorm", "Normalize"};

static uint32_t norm_scratch(const sk_norm *n, bool reuse) {
  uint32_t rows = n->shape.rows, pitch = n->shape.pitch, type = n->shape.float_bits / 8;
  switch (n->kind) {
    case SK_NORM_LAYER:
    case SK_NORM_DEEP: return sk_tmp_layer_norm(rows, pitch, type, reuse).least;
    case SK_NORM_LAYER_SEPARATE: return sk_tmp_layer_norm_separate(rows, n->shape.columns, type).least;
    case SK_NORM_RMS: return sk_tmp_rms_norm(rows, pitch, type).least;
    case SK_NORM_GIVEN: return sk_tmp_normalize(rows, n->shape.columns, n->weight_bits / 8, type).least;
  }
  return 0;
}

/* mean, spread: results, or with SK_NORM_GIVEN operands; a value per row without gaps. more: the second summand of
 * DeepNorm. rstd, gamma, beta NULL: not wanted. */
void sk_high_norm(const sk_norm *n, void *dst, void *mean, void *spread, void *rstd, const void *src, const void *more, const void *gamma,
                  const void *beta, sk_scratch tmp) {
  const sk_rows *shape = &n->shape;
  sk__core *core = sk__high_begin_rows(norm_names[n->kind], shape, SK__SITE());
  if (core == NULL || !sk__high_scratch(core, tmp, norm_scratch(n, tmp.reuse))) return;
  uint32_t bits = shape->float_bits, columns = shape->columns;
  uint64_t weights = (uint64_t)columns * n->weight_bits / 8, values = (uint64_t)shape->rows * shape->value_bits / 8;
  sk__access direction = n->kind == SK_NORM_GIVEN ? SK__READ : SK__WRITE;
  void *d = dst, *s = plain(src), *m = plain(more), *g = plain(gamma), *b = plain(beta);
  if (!sk__high_operand(core, &s, sk__high_matrix_bytes(shape), SK__READ, "src") ||
      !sk__high_operand(core, &m, sk__high_matrix_bytes(shape), SK__READ, "gx") || !sk__high_operand(core, &g, weights, SK__READ, "gamma") ||
      !sk__high_operand(core, &b, weights, SK__READ, "beta") || !sk__high_operand(core, &mean, values, direction, "mean") ||
      !sk__high_operand(core, &spread, values, direction, "variance") || !sk__high_operand(core, &rstd, values, SK__WRITE, "rstd") ||
      !sk__high_operand(core, &d, sk__high_matrix_bytes(shape), SK__WRITE, "dst"))
    return;
  for (uint32_t r = 0; r < shape->rows; r++) {
    uint64_t row = (uint64_t)r * shape->pitch;
    double centre = 0, square = 0;
#define AT(i) (sk__high_get(s, bits, row + (i)) * (m != NULL ? n->alpha : 1) + (m != NULL ? sk__high_get(m, bits, row + (i)) : 0))
    if (n->kind == SK_NORM_GIVEN) {
      centre = sk__high_get(mean, shape->value_bits, r);
      square = sk__high_get(spread, shape->value_bits, r);
    } else {
      for (uint32_t i = 0; i < columns && n->kind != SK_NORM_RMS; i++) centre += AT(i) / columns;
      for (uint32_t i = 0; i < columns; i++) square += (AT(i) - centre) * (AT(i) - centre) / columns;
      if (mean != NULL) sk__high_put(mean, shape->value_bits, r, centre);
      if (spread != NULL) sk__high_put(spread, shape->value_bits, r, square);
    }
    double factor = 1 / sqrt(square + n->epsilon);
    if (rstd != NULL) sk__high_put(rstd, shape->value_bits, r, factor);
    for (uint32_t i = 0; i < columns; i++) {
      double value = (AT(i) - centre) * factor;
      if (g != NULL) value *= sk__high_get(g, n->weight_bits, i);
      if (b != NULL) value += sk__high_get(b, n->weight_bits, i);
      sk__high_put(d, bits, row + i, value);
    }
#undef AT
  }
  sk__high_time(core, (uint64_t)shape->rows * columns, 8);
}

/* Rows are the batch: mean and variance stand for a column, gamma and beta for a row. */
void sk_high_batch_norm(const sk_rows *shape, void *dst, void *mean, void *variance, const void *src, const void *gamma, const void *beta,
                        double epsilon, bool basic_block, sk_scratch tmp) {
  sk__core *core = sk__high_begin_rows("BatchNorm", shape, SK__SITE());
  if (core == NULL) return;
  uint32_t bits = shape->float_bits, rows = shape->rows;
  if ((uint64_t)shape->columns * bits / 8 % SK__BLOCK_BYTES != 0) {
    sk__bad_argument(core, "S * H", shape->columns, "a multiple of %u, a block of 32 bytes", 256 / bits);
    return;
  }
  if (basic_block && (rows % 8 != 0 || shape->columns % 64 != 0 || shape->columns >= 2048)) {
    sk__bad_argument(core, "isBasicBlock", 1, "false, or B a multiple of 8 and S * H a multiple of 64 below 2048 (here %u and %u)", rows, shape->columns);
    return;
  }
  if (!sk__high_scratch(core, tmp, sk_tmp_batch_norm(rows, shape->columns, bits / 8, basic_block).least)) return;
  uint64_t values = (uint64_t)shape->columns * bits / 8, weights = (uint64_t)rows * bits / 8;
  void *d = dst, *s = plain(src), *g = plain(gamma), *b = plain(beta);
  if (!sk__high_operand(core, &s, sk__high_matrix_bytes(shape), SK__READ, "inputX") || !sk__high_operand(core, &g, weights, SK__READ, "gamm") ||
      !sk__high_operand(core, &b, weights, SK__READ, "beta") || !sk__high_operand(core, &mean, values, SK__WRITE, "outputMean") ||
      !sk__high_operand(core, &variance, values, SK__WRITE, "outputVariance") ||
      !sk__high_operand(core, &d, sk__high_matrix_bytes(shape), SK__WRITE, "output"))
    return;
  for (uint32_t c = 0; c < shape->columns; c++) {
    double centre = 0, square = 0;
    for (uint32_t r = 0; r < rows; r++) centre += sk__high_get(s, bits, (uint64_t)r * shape->pitch + c) / rows;
    for (uint32_t r = 0; r < rows; r++) {
      double off = sk__high_get(s, bits, (uint64_t)r * shape->pitch + c) - centre;
      square += off * off / rows;
    }
    for (uint32_t r = 0; r < rows; r++) {
      uint64_t at = (uint64_t)r * shape->pitch + c;
      double value = (sk__high_get(s, bits, at) - centre) / sqrt(square + epsilon);
      sk__high_put(d, bits, at, value * sk__high_get(g, bits, r) + sk__high_get(b, bits, r));
    }
    sk__high_put(mean, bits, c, centre);
    sk__high_put(variance, bits, c, square);
  }
  sk__high_time(core, (uint64_t)rows * shape->columns, 8);
}

/* Channels of hw elements begin at blocks; d channels are a group. */
void sk_high_group_norm(const sk_groups *p, void *dst, void *mean, void *variance, const void *src, const void *gamma, const void *beta,
                        double epsilon, sk_scratch tmp) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, "GroupNorm", SK__SITE());
  if (core == NULL) return;
  if (p->n == 0 || p->groups == 0 || p->channels == 0 || p->elems == 0 || p->channels % p->groups != 0) {
    sk__bad_argument(core, "groupNum", p->groups, "a divisor of C, here %u, in a tiling of GetGroupNormNDTilingInfo", p->channels);
    return;
  }
  uint32_t bits = p->float_bits, per_block = 256 / bits, pitch = (p->elems + per_block - 1) / per_block * per_block;
  uint32_t members = p->channels / p->groups;
  if (!sk__high_scratch(core, tmp, sk_tmp_group_norm(p->n, p->groups, members, p->elems, bits / 8, tmp.reuse).least)) return;
  uint64_t matrix = (uint64_t)p->n * p->channels * pitch * bits / 8, values = (uint64_t)p->n * p->groups * bits / 8;
  uint64_t weights = (uint64_t)p->channels * bits / 8;
  void *d = dst, *s = plain(src), *g = plain(gamma), *b = plain(beta);
  if (!sk__high_operand(core, &s, matrix, SK__READ, "inputX") || !sk__high_operand(core, &g, weights, SK__READ, "gamma") ||
      !sk__high_operand(core, &b, weights, SK__READ, "beta") || !sk__high_operand(core, &mean, values, SK__WRITE, "outputMean") ||
      !sk__high_operand(core, &variance, values, SK__WRITE, "outputVariance") || !sk__high_operand(core, &d, matrix, SK__WRITE, "output"))
    return;
  double count = (double)members * p->elems;
  for (uint32_t group = 0; group < p->n * p->groups; group++) {
    uint64_t first = (uint64_t)group * members * pitch;
    double centre = 0, square = 0;
    for (uint32_t i = 0; i < members * p->elems; i++) centre += sk__high_get(s, bits, first + (uint64_t)(i / p->elems) * pitch + i % p->elems) / count;
    for (uint32_t i = 0; i < members * p->elems; i++) {
      double off = sk__high_get(s, bits, first + (uint64_t)(i / p->elems) * pitch + i % p->elems) - centre;
      square += off * off / count;
    }
    for (uint32_t i = 0; i < members * p->elems; i++) {
      uint64_t at = first + (uint64_t)(i / p->elems) * pitch + i % p->elems;
      uint32_t channel = group % p->groups * members + i / p->elems;
      double value = (sk__high_get(s, bits, at) - centre) / sqrt(square + epsilon);
      sk__high_put(d, bits, at, value * sk__high_get(g, bits, channel) + sk__high_get(b, bits, channel));
    }
    sk__high_put(mean, bits, group, centre);
    sk__high_put(variance, bits, group, square);
  }
  sk__high_time(core, (uint64_t)p->n * p->channels * pitch, 8);
}

/* ---- gradients ---------------------------------------------------------------------------------------- */

/* The gradient of x, and what the gradient of gamma is made of: (x - mean) * rstd. */
void sk_high_layer_norm_grad(const sk_rows *shape, void *dx, void *for_gamma, const void *dy, const void *x, const void *variance,
                             const void *mean, const void *gamma, double epsilon, sk_scratch tmp) {
  sk__core *core = sk__high_begin_rows("LayerNormGrad", shape, SK__SITE());
  uint32_t bits = shape->float_bits, h = shape->columns;
  if (core == NULL || !sk__high_scratch(core, tmp, sk_tmp_layer_norm_grad(shape->rows, shape->pitch, bits / 8, tmp.reuse).least)) return;
  uint64_t matrix = sk__high_matrix_bytes(shape), values = (uint64_t)shape->rows * bits / 8, weights = (uint64_t)h * bits / 8;
  void *g = plain(dy), *s = plain(x), *v = plain(variance), *m = plain(mean), *w = plain(gamma);
  if (!sk__high_operand(core, &g, matrix, SK__READ, "inputDy") || !sk__high_operand(core, &s, matrix, SK__READ, "inputX") ||
      !sk__high_operand(core, &v, values, SK__READ, "inputVariance") || !sk__high_operand(core, &m, values, SK__READ, "inputMean") ||
      !sk__high_operand(core, &w, weights, SK__READ, "inputGamma") || !sk__high_operand(core, &dx, matrix, SK__WRITE, "outputPdX") ||
      !sk__high_operand(core, &for_gamma, matrix, SK__WRITE, "resForGamma"))
    return;
  for (uint32_t r = 0; r < shape->rows; r++) {
    uint64_t row = (uint64_t)r * shape->pitch;
    double centre = sk__high_get(m, bits, r), rstd = 1 / sqrt(sk__high_get(v, bits, r) + epsilon);
    double by_variance = 0, by_mean = 0, sum_off = 0;
    for (uint32_t i = 0; i < h; i++) {
      double weighted = sk__high_get(g, bits, row + i) * sk__high_get(w, bits, i), off = sk__high_get(s, bits, row + i) - centre;
      by_variance += -0.5 * weighted * off * rstd * rstd * rstd;
      by_mean -= weighted * rstd;
      sum_off += off;
    }
    by_mean += by_variance * -2 * sum_off / h;
    for (uint32_t i = 0; i < h; i++) {
      double weighted = sk__high_get(g, bits, row + i) * sk__high_get(w, bits, i), off = sk__high_get(s, bits, row + i) - centre;
      sk__high_put(for_gamma, bits, row + i, off * rstd);
      sk__high_put(dx, bits, row + i, weighted * rstd + by_variance * 2 / h * off + by_mean / h);
    }
  }
  sk__high_time(core, (uint64_t)shape->rows * h, 12);
}

void sk_high_layer_norm_grad_beta(const sk_rows *shape, void *d_gamma, void *d_beta, const void *for_gamma, const void *dy, sk_scratch tmp) {
  sk__core *core = sk__high_begin_rows("LayerNormGradBeta", shape, SK__SITE());
  uint32_t bits = shape->float_bits;
  if (core == NULL || !sk__high_scratch(core, tmp, sk_tmp_layer_norm_grad_beta(1, shape->pitch, bits / 8).least)) return;
  uint64_t matrix = sk__high_matrix_bytes(shape), weights = (uint64_t)shape->columns * bits / 8;
  void *f = plain(for_gamma), *g = plain(dy);
  if (!sk__high_operand(core, &f, matrix, SK__READ, "resForGamma") || !sk__high_operand(core, &g, matrix, SK__READ, "inputDy") ||
      !sk__high_operand(core, &d_gamma, weights, SK__WRITE, "outputPdGamma") || !sk__high_operand(core, &d_beta, weights, SK__WRITE, "outputPdBeta"))
    return;
  for (uint32_t c = 0; c < shape->columns; c++) {
    double by_gamma = 0, by_beta = 0;
    for (uint32_t r = 0; r < shape->rows; r++) {
      uint64_t at = (uint64_t)r * shape->pitch + c;
      by_gamma += sk__high_get(g, bits, at) * sk__high_get(f, bits, at);
      by_beta += sk__high_get(g, bits, at);
    }
    sk__high_put(d_gamma, bits, c, by_gamma);
    sk__high_put(d_beta, bits, c, by_beta);
  }
  sk__high_time(core, (uint64_t)shape->rows * shape->columns, 4);
}
