/* high_level_tmp.h - temporary memory of the high-level functions, once: what the host's Get...TmpSize functions tell is
 * what a call takes from its sharedTmpBuffer or, without one, from what the pipe has left. C and C++.
 *
 * Sizes are bytes: below `least` a call does not work, more than `most` it does not use. */
#ifndef SK_KERNEL_OPERATOR_HIGH_LEVEL_TMP_H
#define SK_KERNEL_OPERATOR_HIGH_LEVEL_TMP_H

#include "high_level_list.h"

typedef struct sk_tmp_sizes {
  uint32_t least, most;
} sk_tmp_sizes;

#define SK_TMP_REPEAT_BYTES 256u

static inline uint32_t sk_tmp_larger(uint32_t a, uint32_t b) { return a > b ? a : b; }
static inline uint32_t sk_tmp_smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }
static inline uint32_t sk_tmp_up(uint32_t n, uint32_t unit) { return (n + unit - 1) / unit * unit; }
static inline sk_tmp_sizes sk_tmp_exactly(uint32_t bytes) {
  sk_tmp_sizes s = {bytes, bytes};
  return s;
}
static inline sk_tmp_sizes sk_tmp_range(uint32_t least, uint32_t most) {
  sk_tmp_sizes s = {least, most};
  return s;
}
/* `times` the data, at least as many repeats. */
static inline sk_tmp_sizes sk_tmp_times(uint32_t times, uint32_t data_bytes) {
  return sk_tmp_range(times * SK_TMP_REPEAT_BYTES, times * sk_tmp_larger(data_bytes, SK_TMP_REPEAT_BYTES));
}
/* Those that compute in float whatever the source is. */
static inline sk_tmp_sizes sk_tmp_floats(uint32_t times, uint32_t elems) { return sk_tmp_times(times, elems * 4); }

/* ---- rows: `m` rows of `k` elements of `type` bytes ------------------------------------------------ */

static inline sk_tmp_sizes sk_tmp_per_row(uint32_t m, uint32_t floats) { return sk_tmp_range(floats * 4, m * floats * 4); }
static inline sk_tmp_sizes sk_tmp_softmax(uint32_t m, uint32_t k, uint32_t type) { return sk_tmp_per_row(m, 32 / type + k + 64); }
static inline sk_tmp_sizes sk_tmp_softmax_flash(uint32_t m, uint32_t k, uint32_t type, bool update) {
  return update ? sk_tmp_per_row(m, 4 * (32 / type) + 2 * k) : sk_tmp_softmax(m, k, type);
}
/* `value` bytes: the type of maxima and sums. Basic blocks: eight rows at once. */
static inline sk_tmp_sizes sk_tmp_softmax_flash2(uint32_t m, uint32_t k, uint32_t type, uint32_t value, bool basic_block) {
  uint32_t block = 32 / value;
  if (!basic_block || k % 64 != 0) return sk_tmp_per_row(m, type == 2 ? 2 * block + k + 64 : block + 64);
  uint32_t floats = block + (type == 2 ? k : 0) + (k == 1024 ? 128 : 64), rows = m;
  while (m % 8 == 0 && rows * k >= 64 * 256) rows /= 2;
  return sk_tmp_range(8 * floats * 4, sk_tmp_larger(rows, 8) * floats * 4);
}
static inline sk_tmp_sizes sk_tmp_softmax_flash3(uint32_t m, uint32_t k, uint32_t value) {
  return sk_tmp_per_row(m, 5 * (32 / value) + 2 * k + 64);
}
static inline sk_tmp_sizes sk_tmp_softmax_grad(uint32_t m, uint32_t k, uint32_t type, bool front) {
  uint32_t block = 32 / type;
  return sk_tmp_per_row(m, type == 2 ? 2 * block + 3 * k + 64 : (front ? block : 2 * block) + k + 64);
}
static inline sk_tmp_sizes sk_tmp_sum(uint32_t n, uint32_t type) {
  return sk_tmp_exactly(sk_tmp_up((n + 256 / type - 1) / (256 / type), 32 / type) * type);
}
static inline sk_tmp_sizes sk_tmp_mean(uint32_t n, uint32_t type, uint32_t accumulator) {
  bool widened = type == 2 && accumulator == 4;
  uint32_t lanes = 256 / (widened ? 4 : type), repeats = (n + lanes - 1) / lanes;
  return sk_tmp_exactly(sk_tmp_up(repeats, 32) + (widened ? sk_tmp_up(n * 2, 32) * 2 : 0));
}
static inline sk_tmp_sizes sk_tmp_running_sum(uint32_t rows, uint32_t columns, uint32_t type, bool along_rows) {
  if (!along_rows) return sk_tmp_exactly(type == 2 ? rows * columns * 4 : 0);
  uint32_t row = columns * type * (type == 2 ? 3 : 2);
  return sk_tmp_range(16 * row, sk_tmp_up(rows, 16) * row);
}

/* ---- norms: h elements a row, `m` rows ---------------------------------------------------------------- */

static inline sk_tmp_sizes sk_tmp_layer_norm(uint32_t m, uint32_t h, uint32_t type, bool reuse) {
  uint32_t buffers = reuse && type == 4 ? 2 : 3, values = 2 * sk_tmp_up(m * 4, 32);
  return sk_tmp_range(buffers * sk_tmp_up(h * 4, 32) + values, buffers * sk_tmp_up(m * h * 4, 32) + values);
}
/* `weight` bytes: the type of gamma and beta. */
static inline sk_tmp_sizes sk_tmp_normalize(uint32_t a, uint32_t r, uint32_t weight, uint32_t type) {
  uint32_t row = sk_tmp_up(r, 32 / type) * 4;
  return sk_tmp_range(sk_tmp_larger(sk_tmp_up(a * 4, 32), (weight == 4 ? 2 : 4) * row), 2 * row + 2 * sk_tmp_up(a, 8) * row);
}
static inline sk_tmp_sizes sk_tmp_layer_norm_separate(uint32_t a, uint32_t r, uint32_t type) {
  uint32_t row = sk_tmp_up(r, 32 / type) * 4, values = sk_tmp_up(a * 4, 32);
  sk_tmp_sizes normalize = sk_tmp_normalize(a, r, type, type);
  return sk_tmp_range(sk_tmp_larger(2 * row, normalize.least) + values, sk_tmp_larger(2 * a * row, normalize.most) + values);
}
static inline sk_tmp_sizes sk_tmp_rms_norm(uint32_t m, uint32_t h, uint32_t type) {
  uint32_t times = type == 2 ? 2 : 1;
  return sk_tmp_range((times * h + 8) * 4, (times * m * h + sk_tmp_up(m, 32 / type)) * 4);
}
static inline sk_tmp_sizes sk_tmp_batch_norm(uint32_t b, uint32_t sh, uint32_t type, bool basic_block) {
  uint32_t values = 2 * sk_tmp_up(sh * 4, 32), column = basic_block ? 256 : type == 2 ? 64 : 32;
  return sk_tmp_range(3 * b * column + values, 3 * sk_tmp_up(b * sh * 4, 32) + values);
}
/* d channels a group, hw elements a channel. */
static inline sk_tmp_sizes sk_tmp_group_norm(uint32_t n, uint32_t groups, uint32_t d, uint32_t hw, uint32_t type, bool reuse) {
  uint32_t channel = sk_tmp_up(hw * type, 32) / type * 4, buffers = reuse && type == 4 ? 2 : 3;
  uint32_t values = 2 * sk_tmp_up(n * groups * 4, 32);
  return sk_tmp_range(buffers * d * channel + values, buffers * n * groups * d * channel + values);
}
static inline sk_tmp_sizes sk_tmp_layer_norm_grad(uint32_t m, uint32_t h, uint32_t type, bool reuse) {
  uint32_t buffers = type == 2 ? 9 : reuse ? 4 : 6;
  return sk_tmp_range(buffers * sk_tmp_smaller(m * h, h * h) * type, buffers * sk_tmp_larger(m * h, h * h) * type);
}
static inline sk_tmp_sizes sk_tmp_layer_norm_grad_beta(uint32_t m, uint32_t h, uint32_t type) {
  uint32_t buffers = type == 2 ? 4 : 2;
  return sk_tmp_range(buffers * h * 4, buffers * m * h * 4);
}
static inline sk_tmp_sizes sk_tmp_welford_update(uint32_t elems, uint32_t type, bool reuse) {
  uint32_t times = type == 2 ? 3 : reuse ? 1 : 2;
  return sk_tmp_range(times * SK_TMP_REPEAT_BYTES, times * sk_tmp_up(elems, 64) * 4);
}
static inline sk_tmp_sizes sk_tmp_welford_finalize(uint32_t columns) {
  return sk_tmp_range(1024, columns <= 64 ? 1024 : 512 + columns * 8);
}

/* ---- quantisation and masks ------------------------------------------------------------------------------ */

static inline sk_tmp_sizes sk_tmp_quantise(uint32_t elems) {
  return sk_tmp_range(512, sk_tmp_up(sk_tmp_larger(2 * elems, 512), 32));
}
static inline sk_tmp_sizes sk_tmp_dequantise(uint32_t rows, uint32_t columns) {
  return sk_tmp_range((72 + 2 * columns) * 4, (72 + rows * columns + columns) * 4);
}
/* scales: how many; 1: one for all. */
static inline sk_tmp_sizes sk_tmp_anti_quantise(bool bf16, uint32_t k, uint32_t elems, uint32_t scales, bool transposed) {
  if (!bf16) return sk_tmp_exactly(0);
  if (scales == 1) return sk_tmp_range(1024, sk_tmp_larger(elems * 4, 1024));
  return sk_tmp_exactly(transposed ? 80 * scales * 4 : 2 * scales * 4 + 64 * k * 4);
}
static inline sk_tmp_sizes sk_tmp_drop_out(uint32_t elems) { return sk_tmp_range(512, sk_tmp_larger(8 * elems, 512)); }
/* unlike: the mask's rows have another length than the source's, and the mask may not be changed. */
static inline sk_tmp_sizes sk_tmp_select(uint32_t elems, uint32_t mask_type, bool unlike) {
  uint32_t mask = unlike ? sk_tmp_up(elems * mask_type, 32) : 0;
  return sk_tmp_range(sk_tmp_larger(1024, sk_tmp_up(sk_tmp_smaller(elems, 4096), 32) * 2 + 512) + mask,
                      sk_tmp_larger(1024, sk_tmp_up(elems, 32) * 2 + 512) + mask);
}

/* ---- an axis of a matrix ------------------------------------------------------------------------------------ */

/* The greatest power of two below n (n itself only where there is one row). */
static inline uint32_t sk_tmp_half(uint32_t n) {
  uint32_t k = 1;
  while (k * 2 < n) k *= 2;
  return k;
}
static inline uint32_t sk_tmp_power(uint32_t n) {
  uint32_t k = 1;
  while (k * 2 <= n) k *= 2;
  return k;
}
typedef enum sk_tmp_reduction { SK_TMP_SUM, SK_TMP_EXTREME, SK_TMP_PRODUCT, SK_TMP_LOGICAL } sk_tmp_reduction;
static inline sk_tmp_sizes sk_tmp_reduce(sk_tmp_reduction op, uint32_t first, uint32_t last, uint32_t type, bool along_row, bool reuse) {
  if (op == SK_TMP_LOGICAL && type == 1 && along_row) return sk_tmp_exactly(sk_tmp_up(last, 32) * 2 + first * 32);
  if (reuse) return sk_tmp_exactly(op == SK_TMP_PRODUCT && along_row ? SK_TMP_REPEAT_BYTES : 0);
  if (!along_row) return sk_tmp_exactly(sk_tmp_half(first) * sk_tmp_up(last * (op == SK_TMP_SUM ? 4 : type), 32));
  uint32_t k = first > 1 ? sk_tmp_half(last) : sk_tmp_power(last);
  if (op == SK_TMP_SUM) return sk_tmp_exactly(last <= 64 ? 0 : first * k * 4);
  if (op == SK_TMP_PRODUCT) return sk_tmp_exactly((sk_tmp_larger(8, k) + first * 8) * 4 + SK_TMP_REPEAT_BYTES);
  return sk_tmp_exactly(last <= 32 / type ? 0 : first * (last < 256 / type ? 32u : 256u));
}

/* ---- layouts -------------------------------------------------------------------------------------------------- */

/* To `rows` x `columns` along `axis`. */
static inline sk_tmp_sizes sk_tmp_broadcast(uint32_t source_elems, uint32_t rows, uint32_t columns, uint32_t axis, uint32_t type) {
  bool bytes = type == 1;
  uint32_t cast = bytes ? (sk_tmp_up(source_elems, 16) + sk_tmp_up(rows * columns, 16)) * 2 : 0, wide = bytes ? 2 : type, block = 32 / wide;
  if (source_elems == 1 || source_elems == rows * columns) return sk_tmp_exactly(bytes ? cast + 32 : 0);
  if (axis == 0) return sk_tmp_exactly(cast + 32);
  uint32_t row = columns % block == 0 ? 0 : sk_tmp_up(columns, block) * wide;
  return sk_tmp_range(cast + block * 32 + block * row, cast + sk_tmp_up(rows, 8) * 32 + rows * row);
}
/* type_index: the number of the TransposeType; s: the length of its third dimension. */
static inline sk_tmp_sizes sk_tmp_transpose(uint32_t type_index, uint32_t s, uint32_t type) {
  if (type_index == 1 || type_index == 2) return sk_tmp_range(256 * type, sk_tmp_larger(sk_tmp_up(s, 16) * 16 * type, 256 * type));
  return sk_tmp_exactly(type_index >= 3 && type_index <= 6 ? 512 * type : 0);
}
static inline sk_tmp_sizes sk_tmp_channels(uint32_t c, uint32_t type, bool to_last) {
  return sk_tmp_exactly((to_last ? c + 2 : 2 * c + 1) * (type == 1 ? 32 : 16) * 32);
}
static inline sk_tmp_sizes sk_tmp_pad(uint32_t elems) { return sk_tmp_range(1024, sk_tmp_up(sk_tmp_larger(elems, 1), 16) * 64); }
/* to_blocks: from NCDHW; by_n: the other layout is FRACTAL_Z_3D, which has blocks of N too. 16-bit elements. */
static inline sk_tmp_sizes sk_tmp_trans_data(uint32_t n, uint32_t c, uint32_t d, uint32_t h, uint32_t w, bool to_blocks, bool by_n) {
  uint32_t plane = sk_tmp_up(h * w, 16) * 2, channels = sk_tmp_up(c, 16), numbers = sk_tmp_up(n, 16);
  if (!by_n) return sk_tmp_exactly(to_blocks ? d * plane * (1 + channels) : d * channels * plane + 512);
  uint32_t blocks = numbers * channels * d * plane;
  if (to_blocks) return sk_tmp_exactly(sk_tmp_larger(c * d * plane, d * h * w * numbers * 2) + blocks);
  return sk_tmp_exactly(n == numbers && c == channels ? blocks : 2 * blocks);
}

/* ---- elementwise ------------------------------------------------------------------------------------------------ */

/* Repeats of 256 bytes; `scalar`: the second operand is one. */
static inline uint32_t sk_tmp_repeats(sk_high_op op, uint32_t type, bool reuse, bool scalar) {
  switch (op) {
#define X(name, half_repeats, float_repeats, reuse_repeats, formula) \
  case SK_HIGH_##name: return (type == 2 ? half_repeats : reuse ? reuse_repeats : float_repeats) + (SK_HIGH_##name == SK_HIGH_Power && scalar && type == 4);
    SK_HIGH_UNARY_LIST(X) SK_HIGH_BINARY_LIST(X)
#undef X
  }
  return 0;
}

#endif
