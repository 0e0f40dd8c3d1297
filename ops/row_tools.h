/* row_tools.h - what row-wise vector kernels share: broadcasting operations and reductions to one value.
 *
 * All of it runs on PIPE_V; each step that reads what the step before wrote has a barrier between. */
#ifndef SK_OPS_ROW_TOOLS_H
#define SK_OPS_ROW_TOOLS_H

#include "c_api/asc_simd.h"

#define FLOATS_PER_REPEAT 64u
#define FLOATS_PER_BLOCK 8u

/* Element types as the host passes them (sk_dtype). */
#define DTYPE_FLOAT 0u
#define DTYPE_HALF 1u
#define DTYPE_BF16 27u

__aicore__ static inline uint32_t dtype_bytes(uint32_t dtype) { return dtype == DTYPE_FLOAT ? 4u : 2u; }
__aicore__ static inline uint32_t round_up(uint32_t value, uint32_t multiple) {
  return (value + multiple - 1u) / multiple * multiple;
}

/* Number of this vector core among the operator's, from 0. In a launch that starts two vector cores per
 * block (a SuperKernel may) the raw block index counts AI cores, so the sub-block belongs in. */
__aicore__ static inline uint32_t vector_index(void) {
  return (uint32_t)(asc_get_block_idx() * asc_get_sub_block_num() + asc_get_sub_block_id());
}

/* count elements of the row type to float. Source and destination do not overlap. The C API has no plain
 * copy of exactly count floats inside UB; the maximum of a value with itself is one. */
__aicore__ static inline void row_to_float(__ubuf__ float *to, __ubuf__ float *from, uint32_t dtype, uint32_t count) {
  if (dtype == DTYPE_HALF) {
    asc_half2float(to, (__ubuf__ half *)from, count);
  } else if (dtype == DTYPE_BF16) {
    asc_bfloat162float(to, (__ubuf__ bfloat16_t *)from, count);
  } else {
    asc_max(to, from, from, count);
  }
  asc_sync_pipe(PIPE_V);
}

/* The next high-dimension operations work on exactly `count` elements, whatever their repeat says. */
__aicore__ static inline void begin_count(uint32_t count) {
  asc_set_mask_count();
  asc_set_vector_mask(0, count);
}
__aicore__ static inline void end_count(void) {
  asc_set_mask_norm();
  asc_set_vector_mask(~(uint64_t)0, ~(uint64_t)0);
}

/* Row minus, times, divided by one value that fills a 32-byte block: the block is read again for each. */
__aicore__ static inline void row_sub_block(__ubuf__ float *row, __ubuf__ float *block, uint32_t count) {
  begin_count(count);
  asc_sub(row, row, block, 1, 1, 1, 0, 8, 8, 0);
  end_count();
  asc_sync_pipe(PIPE_V);
}
__aicore__ static inline void row_mul_block(__ubuf__ float *row, __ubuf__ float *block, uint32_t count) {
  begin_count(count);
  asc_mul(row, row, block, 1, 1, 1, 0, 8, 8, 0);
  end_count();
  asc_sync_pipe(PIPE_V);
}
__aicore__ static inline void row_div_block(__ubuf__ float *row, __ubuf__ float *block, uint32_t count) {
  begin_count(count);
  asc_div(row, row, block, 1, 1, 1, 0, 8, 8, 0);
  end_count();
  asc_sync_pipe(PIPE_V);
}

/* Scratch of a reduction: partial results of up to 64 repeats twice, then one block with the value. */
#define REDUCE_FLOATS (FLOATS_PER_REPEAT + FLOATS_PER_BLOCK)

/* brcb reads a whole block though only its first element is a result: the rest must hold something. */
__aicore__ static inline void reduce_prepare(__ubuf__ float *scratch) {
  asc_duplicate(scratch + FLOATS_PER_REPEAT, 0.0f, FLOATS_PER_BLOCK);
  asc_sync_pipe(PIPE_V);
}

/* Maximum or sum of count (at most 4096) floats into all 64 elements at `blocks`. */
__aicore__ static inline void row_max(__ubuf__ float *blocks, __ubuf__ float *row, uint32_t count, __ubuf__ float *scratch) {
  asc_repeat_reduce_max_only_value(scratch, row, count);
  asc_sync_pipe(PIPE_V);
  asc_repeat_reduce_max_only_value(scratch + FLOATS_PER_REPEAT, scratch, round_up(count, FLOATS_PER_REPEAT) / FLOATS_PER_REPEAT);
  asc_sync_pipe(PIPE_V);
  asc_set_vector_mask(~(uint64_t)0, ~(uint64_t)0);
  asc_brcb((__ubuf__ uint32_t *)blocks, (__ubuf__ uint32_t *)(scratch + FLOATS_PER_REPEAT), 1, 8, 1);
  asc_sync_pipe(PIPE_V);
}
__aicore__ static inline void row_sum(__ubuf__ float *blocks, __ubuf__ float *row, uint32_t count, __ubuf__ float *scratch) {
  asc_repeat_reduce_sum(scratch, row, count);
  asc_sync_pipe(PIPE_V);
  asc_repeat_reduce_sum(scratch + FLOATS_PER_REPEAT, scratch, round_up(count, FLOATS_PER_REPEAT) / FLOATS_PER_REPEAT);
  asc_sync_pipe(PIPE_V);
  asc_set_vector_mask(~(uint64_t)0, ~(uint64_t)0);
  asc_brcb((__ubuf__ uint32_t *)blocks, (__ubuf__ uint32_t *)(scratch + FLOATS_PER_REPEAT), 1, 8, 1);
  asc_sync_pipe(PIPE_V);
}

/* 0, 1, 2 ... up to count (rounded up to a power of two times 8): doubling, so few instructions. */
__aicore__ static inline void fill_iota(__ubuf__ int32_t *to, uint32_t count) {
  for (int32_t i = 0; i < 8; i++) to[i] = i;
  asc_sync_notify(PIPE_S, PIPE_V, 0);
  asc_sync_wait(PIPE_S, PIPE_V, 0);
  for (uint32_t have = 8; have < count; have *= 2) {
    asc_add_scalar(to + have, to, (int32_t)have, have);
    asc_sync_pipe(PIPE_V);
  }
}

#endif
