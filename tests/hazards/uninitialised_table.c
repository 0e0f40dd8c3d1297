/* UNINITIALISED_READ: two tables of which one entry is missing: the last scale of a product's columns, and its last bias. What
 * pads the tables' units is never written either, and never used. */
#include "hazard.h"

#define SIDE 16u
#define FRACTAL 512u /* bytes: 16 rows of 32 int8 */
#ifdef REPAIRED
#define LOADED SIDE
#else
#define LOADED (SIDE - 8)
#endif

__global__ __cube__ void product(__gm__ int8_t *a, __gm__ int32_t *bias, __gm__ uint64_t *scales, __gm__ half *out) {
  __cbuf__ int8_t a1[FRACTAL], b1[FRACTAL];
  __cbuf__ int32_t bias1[2 * SIDE];
  __cbuf__ uint64_t scales1[2 * SIDE];
  __ca__ int8_t a0[FRACTAL];
  __cb__ int8_t b0[FRACTAL];
  __cc__ int32_t c0[SIDE * SIDE];
  __fbuf__ uint64_t table[2 * SIDE];
  asc_init();
  asc_copy_gm2l1(a1, a, sizeof a1);
  asc_copy_gm2l1(b1, a, sizeof b1);
  asc_copy_gm2l1(bias1, bias, LOADED * sizeof *bias1);
  asc_copy_gm2l1(scales1, scales, LOADED * sizeof *scales1);
  PIPES(PIPE_MTE2, PIPE_MTE1);
  PIPES(PIPE_MTE2, PIPE_FIX);
  asc_copy_l12l0a(a0, a1, 0, 1, 1, 0);
  asc_copy_l12l0b(b0, b1, 0, 1, 1, 0);
  asc_copy_l12bt(0, bias1, 0, sizeof bias1);
  asc_copy_l12fb((__fbuf__ void *)table, (__cbuf__ void *)scales1, sizeof scales1); /* @end */
  PIPES(PIPE_MTE1, PIPE_M);
  asc_mmad(c0, a0, b0, SIDE, 32, SIDE, 0, false, true, false);
  PIPES(PIPE_M, PIPE_FIX);
  asc_sync_pipe(PIPE_FIX);
  asc_set_l0c2gm_config(0, (uint64_t)table, false);
  asc_copy_l0c2gm(out + asc_get_block_idx() * SIDE * SIDE, c0, SIDE, SIDE, SIDE, SIDE, 0, VDEQF16, 0, false, true); /* @end */
  asc_sync();
}

int main(void) {
  start();
  int8_t *a = device(FRACTAL, 0);
  int32_t *bias = device(SIDE * 4, 0);
  uint64_t *scales = device(SIDE * 8, 0);
  half *out = device(CORES * SIDE * SIDE * 2, 0);
  product<<<CORES, 0, NULL>>>(a, bias, scales, out);
  return finish();
}
