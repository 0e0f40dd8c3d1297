/* cube_tiles.h - a matrix product in blocks on one cube core: what the matrix operators share.
 *
 * A core owns blocks of up to 128 x 256 results; two halves of 128 columns fill L0C. Along k it moves in steps of 16
 * columns of fractals through L1 (two steps in flight) and of 8 through L0A and L0B (two tiles in flight each). Sizes
 * count columns of fractals, 32 bytes wide, so that they are the same for 8, 16 and 32-bit elements. Every buffer is
 * guarded by a pair of flags: "full" towards the pipe that reads it, "free" back to the pipe that fills it. */
#ifndef SK_OPS_CUBE_TILES_H
#define SK_OPS_CUBE_TILES_H

#include "c_api/asc_simd.h"

#define CUBE_BLOCK_M 128u
#define CUBE_BLOCK_N 256u
#define CUBE_HALF_N 128u
#define CUBE_STEP 16u /* columns of fractals of one L1 buffer */
#define CUBE_TILE 8u  /* of one L0 buffer */
#define CUBE_FRACTAL 512u
#define CUBE_COLUMN 32u /* bytes of a fractal's row */
#define CUBE_A1_BYTES (CUBE_STEP * CUBE_BLOCK_M * CUBE_COLUMN)
#define CUBE_B1_BYTES (CUBE_STEP * CUBE_BLOCK_N * CUBE_COLUMN)
#define CUBE_L0_BYTES (CUBE_TILE * CUBE_HALF_N * CUBE_COLUMN)
#define CUBE_C0_FLOATS (CUBE_BLOCK_M * CUBE_HALF_N)
#define CUBE_MAX_BATCH_RANK 4u

/* Types of the operands, as the host passes them (sk_dtype). */
#define CUBE_FLOAT 0u
#define CUBE_HALF 1u
#define CUBE_INT8 2u
#define CUBE_BF16 27u

/* Flags from M to MTE1: L0B buffers have 0 and 1, L0A buffers 2 and 3, the bias table 4. */
#define CUBE_FREE_L0B 0u
#define CUBE_FREE_L0A 2u
#define CUBE_FREE_BT 4u
/* Between MTE2 and MTE1: L1 buffers have 0 and 1, the bias in L1 2. */
#define CUBE_BIAS_L1 2u

/* c [m, n] = a [m, k] * b [k, n], for each of `batches`. A transposed operand is stored the other way round. */
typedef struct cube_tiling {
  uint32_t m, k, n, block_m, block_n;
  uint32_t dtype, element_bytes;
  uint32_t a_transposed, b_transposed, b_nz;
  uint32_t batches, batch_rank;
  uint32_t batch_shape[CUBE_MAX_BATCH_RANK], a_step[CUBE_MAX_BATCH_RANK], b_step[CUBE_MAX_BATCH_RANK]; /* in matrices; 0: repeated */
  uint32_t has_bias; /* [n], the type of L0C */
} cube_tiling;

typedef struct cube_core {
  const cube_tiling *tiling;
  __cbuf__ uint8_t *a1, *b1, *bias1;
  __ca__ uint8_t *a0;
  __cb__ uint8_t *b0;
  __cc__ uint8_t *c0;
  __gm__ uint8_t *a, *b, *bias;
  uint32_t l1, l0a, l0b; /* which of two buffers is next */
} cube_core;

/* One block of results. */
typedef struct cube_block { uint32_t batch, m0, n0, m, n; } cube_block;

__aicore__ static inline uint32_t cube_up(uint32_t value, uint32_t multiple) { return (value + multiple - 1) / multiple * multiple; }
__aicore__ static inline uint32_t cube_least(uint32_t a, uint32_t b) { return a < b ? a : b; }
__aicore__ static inline uint32_t cube_c0(const cube_tiling *t) { return CUBE_COLUMN / t->element_bytes; }
__aicore__ static inline uint32_t cube_blocks(const cube_tiling *t) {
  return t->batches * ((t->m + t->block_m - 1) / t->block_m) * ((t->n + t->block_n - 1) / t->block_n);
}
__aicore__ static inline cube_block cube_block_at(const cube_tiling *t, uint32_t index) {
  uint32_t rows = (t->m + t->block_m - 1) / t->block_m, columns = (t->n + t->block_n - 1) / t->block_n;
  cube_block b = {.batch = index / (rows * columns), .m0 = index % rows * t->block_m, .n0 = index / rows % columns * t->block_n};
  b.m = cube_least(t->m - b.m0, t->block_m);
  b.n = cube_least(t->n - b.n0, t->block_n);
  return b;
}
/* Matrices before the one that belongs to this batch. */
__aicore__ static inline uint64_t cube_matrix(const cube_tiling *t, uint32_t batch, const uint32_t *step) {
  uint64_t matrix = 0;
  for (uint32_t i = t->batch_rank; i-- > 0; batch /= t->batch_shape[i]) matrix += (uint64_t)(batch % t->batch_shape[i]) * step[i];
  return matrix;
}

/* ---- GM to L1 --------------------------------------------------------------------------------------- */

/* Rows of a stored matrix in L1: whole fractals, whole squares where 8-bit elements will be transposed. */
__aicore__ static inline uint32_t cube_l1_rows(const cube_tiling *t, uint32_t rows, bool turned) {
  return cube_up(rows, turned && t->element_bytes == 1 ? 32 : 16);
}

__aicore__ static inline void cube_nd2nz(const cube_tiling *t, __cbuf__ uint8_t *to, __gm__ uint8_t *from, uint32_t rows, uint32_t columns,
                                         uint32_t pitch, uint32_t column_step) {
  if (t->element_bytes == 1)
    asc_copy_gm2l1_nd2nz((__cbuf__ int8_t *)to, (__gm__ int8_t *)from, 1, (uint16_t)rows, (uint16_t)columns, 0, (uint16_t)pitch,
                         (uint16_t)column_step, 1, 0);
  else if (t->element_bytes == 2)
    asc_copy_gm2l1_nd2nz((__cbuf__ half *)to, (__gm__ half *)from, 1, (uint16_t)rows, (uint16_t)columns, 0, (uint16_t)pitch,
                         (uint16_t)column_step, 1, 0);
  else
    asc_copy_gm2l1_nd2nz((__cbuf__ float *)to, (__gm__ float *)from, 1, (uint16_t)rows, (uint16_t)columns, 0, (uint16_t)pitch,
                         (uint16_t)column_step, 1, 0);
}

/* Part of a stored matrix [all_rows, pitch] as Nz. 32-bit elements that will be transposed stand in strips of 16 rows
 * instead, since their squares are two fractals side by side. */
__aicore__ static inline void cube_load_l1(const cube_tiling *t, __cbuf__ uint8_t *to, __gm__ uint8_t *matrix, uint32_t row, uint32_t column,
                                           uint32_t rows, uint32_t columns, uint32_t pitch, bool turned) {
  uint32_t l1_rows = cube_l1_rows(t, rows, turned);
  __gm__ uint8_t *from = matrix + ((uint64_t)row * pitch + column) * t->element_bytes;
  if (!turned || t->element_bytes != 4) {
    cube_nd2nz(t, to, from, rows, columns, pitch, l1_rows);
    return;
  }
  for (uint32_t first = 0; first < rows; first += 16)
    cube_nd2nz(t, to + first * cube_up(columns, 16) * 4, from + (uint64_t)first * pitch * 4, cube_least(rows - first, 16), columns, pitch, 16);
}

/* Part of a matrix that is stored as Nz already. */
__aicore__ static inline void cube_load_l1_nz(const cube_tiling *t, __cbuf__ uint8_t *to, __gm__ uint8_t *matrix, uint32_t row, uint32_t column,
                                              uint32_t rows, uint32_t columns, uint32_t all_rows, bool turned) {
  uint32_t c0 = cube_c0(t), padded = cube_up(all_rows, 16), length = cube_up(rows, 16);
  __gm__ uint8_t *from = matrix + ((uint64_t)(column / c0) * padded + row) * CUBE_COLUMN;
  uint32_t number = (columns + c0 - 1) / c0, l1_rows = cube_l1_rows(t, rows, turned);
  if (padded - length <= UINT16_MAX) {
    asc_copy_gm2l1((__cbuf__ void *)to, (__gm__ void *)from, (uint16_t)number, (uint16_t)length, (uint16_t)(padded - length), (uint16_t)(l1_rows - length));
    return;
  }
  for (uint32_t i = 0; i < number; i++) /* further apart than a gap can tell */
    asc_copy_gm2l1((__cbuf__ void *)(to + i * l1_rows * CUBE_COLUMN), (__gm__ void *)(from + (uint64_t)i * padded * CUBE_COLUMN), length * CUBE_COLUMN);
}

__aicore__ static inline void cube_load_step(cube_core *c, const cube_block *b, uint32_t k0, uint32_t k) {
  const cube_tiling *t = c->tiling;
  __cbuf__ uint8_t *a1 = c->a1 + c->l1 * CUBE_A1_BYTES, *b1 = c->b1 + c->l1 * CUBE_B1_BYTES;
  __gm__ uint8_t *a = c->a + cube_matrix(t, b->batch, t->a_step) * t->m * t->k * t->element_bytes;
  uint64_t b_elems = (uint64_t)t->k * t->n;
  if (t->b_nz) b_elems = t->b_transposed ? (uint64_t)cube_up(t->n, 16) * cube_up(t->k, cube_c0(t)) : (uint64_t)cube_up(t->k, 16) * cube_up(t->n, cube_c0(t));
  __gm__ uint8_t *bm = c->b + cube_matrix(t, b->batch, t->b_step) * b_elems * t->element_bytes;
  asc_sync_wait(PIPE_MTE1, PIPE_MTE2, c->l1);
  if (t->a_transposed)
    cube_load_l1(t, a1, a, k0, b->m0, k, b->m, t->m, true);
  else
    cube_load_l1(t, a1, a, b->m0, k0, b->m, k, t->k, false);
  if (t->b_nz && t->b_transposed)
    cube_load_l1_nz(t, b1, bm, b->n0, k0, b->n, k, t->n, false);
  else if (t->b_nz)
    cube_load_l1_nz(t, b1, bm, k0, b->n0, k, b->n, t->k, true);
  else if (t->b_transposed)
    cube_load_l1(t, b1, bm, b->n0, k0, b->n, k, t->k, false);
  else
    cube_load_l1(t, b1, bm, k0, b->n0, k, b->n, t->n, true);
  asc_sync_notify(PIPE_MTE2, PIPE_MTE1, c->l1);
}

/* ---- L1 to L0 --------------------------------------------------------------------------------------- */

/* Columns of fractals that k elements take; a pair at a time for 32-bit elements. */
__aicore__ static inline uint32_t cube_k_fractals(const cube_tiling *t, uint32_t k) {
  return t->element_bytes == 4 ? cube_up(k, 16) / 8 : (k + cube_c0(t) - 1) / cube_c0(t);
}

/* A to Zz: rows of fractals. `column` is the first column of fractals along k, step_k what the L1 buffer holds. */
__aicore__ static inline void cube_load_a(const cube_tiling *t, __ca__ uint8_t *to, __cbuf__ uint8_t *from, uint32_t m, uint32_t step_k,
                                          uint32_t column, uint32_t kf) {
  if (!t->a_transposed) {
    uint32_t rows = cube_up(m, 16);
    for (uint32_t r = 0; r < rows / 16; r++)
      asc_copy_l12l0a((__ca__ int8_t *)to + r * kf * CUBE_FRACTAL, (__cbuf__ int8_t *)from + column * rows * CUBE_COLUMN, (uint16_t)r, (uint8_t)kf,
                      (uint16_t)(rows / 16), 0);
    return;
  }
  uint32_t rows = cube_l1_rows(t, step_k, true);
  if (t->element_bytes == 1)
    for (uint32_t p = 0; p < (m + 31) / 32; p++)
      asc_copy_l12l0a_trans((__ca__ int8_t *)to + 2 * p * kf * CUBE_FRACTAL, (__cbuf__ int8_t *)from, (uint16_t)(p * (rows / 32) + column), (uint8_t)kf,
                            1, 0, false, (uint16_t)(kf - 1));
  else if (t->element_bytes == 2)
    for (uint32_t p = 0; p < (m + 15) / 16; p++)
      asc_copy_l12l0a_trans((__ca__ half *)(to + p * kf * CUBE_FRACTAL), (__cbuf__ half *)from, (uint16_t)(p * (rows / 16) + column), (uint8_t)kf,
                            1, 0, false, 0);
  else
    for (uint32_t p = 0; p < (m + 15) / 16; p++)
      asc_copy_l12l0a_trans((__ca__ float *)(to + p * kf * CUBE_FRACTAL), (__cbuf__ float *)from,
                            (uint16_t)(column / 2 * (cube_up(m, 16) / 16) + p), (uint8_t)(kf / 2), (uint16_t)(cube_up(m, 16) / 16), 1, false, 0);
}

/* Columns of B as Mmad is told them: 8-bit squares come as two fractals. */
__aicore__ static inline uint32_t cube_columns(const cube_tiling *t, uint32_t n) {
  return t->element_bytes == 1 && !t->b_transposed ? cube_up(n, 32) : n;
}

/* B to Zn. block_n is what the L1 buffer holds, n0 and n what this half takes of it. */
__aicore__ static inline void cube_load_b(const cube_tiling *t, __cb__ uint8_t *to, __cbuf__ uint8_t *from, uint32_t block_n, uint32_t n0,
                                          uint32_t n, uint32_t step_k, uint32_t column, uint32_t kf) {
  uint32_t nf = (cube_columns(t, n) + 15) / 16;
  if (t->b_transposed) {
    uint32_t rows = cube_up(block_n, 16) / 16;
    for (uint32_t q = 0; q < kf; q++)
      asc_copy_l12l0b((__cb__ int8_t *)to + q * nf * CUBE_FRACTAL, (__cbuf__ int8_t *)from, (uint16_t)((column + q) * rows + n0 / 16), (uint8_t)nf, 1, 0);
    return;
  }
  uint32_t rows = cube_l1_rows(t, step_k, true);
  if (t->element_bytes == 1)
    for (uint32_t q = 0; q < kf; q++)
      asc_copy_l12l0b_trans((__cb__ int8_t *)to + q * nf * CUBE_FRACTAL, (__cbuf__ int8_t *)from, (uint16_t)(n0 / 32 * (rows / 32) + column + q),
                            (uint8_t)(nf / 2), (uint16_t)(rows / 32), 1, false, 0);
  else if (t->element_bytes == 2)
    for (uint32_t q = 0; q < kf; q++)
      asc_copy_l12l0b_trans((__cb__ half *)(to + q * nf * CUBE_FRACTAL), (__cbuf__ half *)from, (uint16_t)(n0 / 16 * (rows / 16) + column + q),
                            (uint8_t)nf, (uint16_t)(rows / 16), 0, false, 0);
  else
    for (uint32_t q = 0; q < kf; q += 2)
      asc_copy_l12l0b_trans((__cb__ float *)(to + q * nf * CUBE_FRACTAL), (__cbuf__ float *)from,
                            (uint16_t)((column + q) / 2 * (cube_up(block_n, 16) / 16) + n0 / 16), (uint8_t)nf, 1, 0, false, (uint16_t)(nf - 1));
}

/* ---- the product ------------------------------------------------------------------------------------ */

__aicore__ static inline void cube_mmad(const cube_tiling *t, __cc__ uint8_t *c, __ca__ uint8_t *a, __cb__ uint8_t *b, uint32_t m, uint32_t k,
                                        uint32_t n, bool from_bias, bool from_zero) {
  /* One row alone would be taken as a vector that lies contiguous; the second is nobody's. */
  uint16_t rows = (uint16_t)(m == 1 ? 2 : m), depth = (uint16_t)k, columns = (uint16_t)cube_columns(t, n);
  if (t->dtype == CUBE_INT8)
    asc_mmad((__cc__ int32_t *)c, (__ca__ int8_t *)a, (__cb__ int8_t *)b, rows, depth, columns, 0, false, from_bias, from_zero);
  else if (t->dtype == CUBE_HALF)
    asc_mmad((__cc__ float *)c, (__ca__ half *)a, (__cb__ half *)b, rows, depth, columns, 0, false, from_bias, from_zero);
  else if (t->dtype == CUBE_BF16)
    asc_mmad((__cc__ float *)c, (__ca__ bfloat16_t *)a, (__cb__ bfloat16_t *)b, rows, depth, columns, 0, false, from_bias, from_zero);
  else
    asc_mmad((__cc__ float *)c, (__ca__ float *)a, (__cb__ float *)b, rows, depth, columns, 0, true, from_bias, from_zero);
}

__aicore__ static inline uint32_t cube_half_columns(const cube_block *b, uint32_t half_block) {
  uint32_t first = half_block * CUBE_HALF_N;
  return b->n <= first ? 0 : cube_least(b->n - first, CUBE_HALF_N);
}

/* The bias of one half into the table that its first Mmad starts from. */
__aicore__ static inline void cube_load_bias_table(const cube_core *c, uint32_t half_block, uint32_t n) {
  asc_sync_wait(PIPE_M, PIPE_MTE1, CUBE_FREE_BT);
  asc_copy_l12bt(0, (__cbuf__ void *)(c->bias1 + half_block * CUBE_HALF_N * 4), 0, cube_up(n, 32) * 4);
}

/* One tile along k against both halves of the block. */
__aicore__ static inline void cube_multiply_tile(cube_core *c, const cube_block *b, uint32_t step_k, uint32_t column, uint32_t k, bool first) {
  const cube_tiling *t = c->tiling;
  uint32_t kf = cube_k_fractals(t, k);
  __ca__ uint8_t *a0 = c->a0 + c->l0a * CUBE_L0_BYTES;
  asc_sync_wait(PIPE_M, PIPE_MTE1, CUBE_FREE_L0A + c->l0a);
  cube_load_a(t, a0, c->a1 + c->l1 * CUBE_A1_BYTES, b->m, step_k, column, kf);
  for (uint32_t half_block = 0; half_block < 2; half_block++) {
    uint32_t n = cube_half_columns(b, half_block);
    if (n == 0) break;
    __cb__ uint8_t *b0 = c->b0 + c->l0b * CUBE_L0_BYTES;
    asc_sync_wait(PIPE_M, PIPE_MTE1, CUBE_FREE_L0B + c->l0b);
    cube_load_b(t, b0, c->b1 + c->l1 * CUBE_B1_BYTES, b->n, half_block * CUBE_HALF_N, n, step_k, column, kf);
    if (first && t->has_bias) cube_load_bias_table(c, half_block, n);
    asc_sync_notify(PIPE_MTE1, PIPE_M, c->l0b); /* covers A and the bias: the pipe loaded them before */
    asc_sync_wait(PIPE_MTE1, PIPE_M, c->l0b);
    if (first) asc_sync_wait(PIPE_FIX, PIPE_M, half_block); /* the last block's results have left */
    if (!first && (b->m / 16) * (n / 16) < 10) asc_sync_pipe(PIPE_M); /* short additions are not kept in order */
    cube_mmad(t, c->c0 + half_block * CUBE_C0_FLOATS * 4, a0, b0, b->m, k, n, first && t->has_bias, first && !t->has_bias);
    asc_sync_notify(PIPE_M, PIPE_MTE1, CUBE_FREE_L0B + c->l0b);
    if (first && t->has_bias) asc_sync_notify(PIPE_M, PIPE_MTE1, CUBE_FREE_BT);
    c->l0b ^= 1u;
  }
  asc_sync_notify(PIPE_M, PIPE_MTE1, CUBE_FREE_L0A + c->l0a);
  c->l0a ^= 1u;
}

/* The bias of the block's columns in L1, zeros behind the last. */
__aicore__ static inline void cube_load_bias(const cube_core *c, const cube_block *b) {
  asc_fill_value_config all = {.repeat = 1, .blk_num = CUBE_BLOCK_N * 4 / 32, .dst_gap = 0};
  asc_sync_wait(PIPE_MTE1, PIPE_MTE2, CUBE_BIAS_L1);
  asc_fill_l1((__cbuf__ uint32_t *)c->bias1, 0u, all);
  asc_sync_pipe(PIPE_MTE2);
  asc_copy_gm2l1_nd2nz((__cbuf__ int32_t *)c->bias1, (__gm__ int32_t *)c->bias + b->n0, 1, 1, (uint16_t)b->n, 0, (uint16_t)b->n, 1, 1, 0);
  asc_sync_notify(PIPE_MTE2, PIPE_MTE1, CUBE_BIAS_L1);
  asc_sync_wait(PIPE_MTE2, PIPE_MTE1, CUBE_BIAS_L1);
}

/* The whole block into L0C; the caller stores it and frees each half towards M. */
__aicore__ static inline void cube_multiply(cube_core *c, const cube_block *b) {
  const cube_tiling *t = c->tiling;
  uint32_t step = CUBE_STEP * cube_c0(t), tile = CUBE_TILE * cube_c0(t);
  if (t->has_bias) cube_load_bias(c, b);
  for (uint32_t k0 = 0; k0 < t->k; k0 += step) {
    uint32_t step_k = cube_least(t->k - k0, step);
    cube_load_step(c, b, k0, step_k);
    asc_sync_wait(PIPE_MTE2, PIPE_MTE1, c->l1);
    for (uint32_t k = 0; k < step_k; k += tile)
      cube_multiply_tile(c, b, step_k, k / cube_c0(t), cube_least(step_k - k, tile), k0 == 0 && k == 0);
    asc_sync_notify(PIPE_MTE1, PIPE_MTE2, c->l1);
    c->l1 ^= 1u;
  }
  if (t->has_bias) asc_sync_notify(PIPE_MTE1, PIPE_MTE2, CUBE_BIAS_L1);
}

/* At the start every buffer is free; at the end every "free" has to be taken back. */
__aicore__ static inline void cube_all_free(const cube_core *c) {
  for (uint32_t i = 0; i < 2; i++) {
    asc_sync_notify(PIPE_MTE1, PIPE_MTE2, i);
    asc_sync_notify(PIPE_M, PIPE_MTE1, CUBE_FREE_L0A + i);
    asc_sync_notify(PIPE_M, PIPE_MTE1, CUBE_FREE_L0B + i);
    asc_sync_notify(PIPE_FIX, PIPE_M, i);
  }
  if (!c->tiling->has_bias) return;
  asc_sync_notify(PIPE_MTE1, PIPE_MTE2, CUBE_BIAS_L1);
  asc_sync_notify(PIPE_M, PIPE_MTE1, CUBE_FREE_BT);
}
__aicore__ static inline void cube_take_back(const cube_core *c) {
  for (uint32_t i = 0; i < 2; i++) {
    asc_sync_wait(PIPE_MTE1, PIPE_MTE2, i);
    asc_sync_wait(PIPE_M, PIPE_MTE1, CUBE_FREE_L0A + i);
    asc_sync_wait(PIPE_M, PIPE_MTE1, CUBE_FREE_L0B + i);
    asc_sync_wait(PIPE_FIX, PIPE_M, i);
  }
  if (!c->tiling->has_bias) return;
  asc_sync_wait(PIPE_MTE1, PIPE_MTE2, CUBE_BIAS_L1);
  asc_sync_wait(PIPE_M, PIPE_MTE1, CUBE_FREE_BT);
}

#endif
