/* UNINITIALISED_READ: the second of two weight tiles is never loaded into L1; the product takes it as it is found. */
#include "hazard.h"

#define ROWS 20u      /* of A: its second fractal has 4 of 16 rows; the rest is multiplied and not stored, which is no finding */
#define FRACTAL 256u  /* half elements */

__global__ __cube__ void multiply(__gm__ half *a, __gm__ half *b, __gm__ float *out) {
  __cbuf__ half a1[2 * FRACTAL], b1[2 * FRACTAL];
  __ca__ half a0[2 * FRACTAL];
  __cb__ half b0[FRACTAL];
  __cc__ float c0[2 * FRACTAL];
  asc_init();
  asc_copy_gm2l1(a1, a, ROWS * 16 * 2);
#ifdef REPAIRED
  asc_copy_gm2l1(b1, b, 2 * FRACTAL * 2);
#else
  asc_copy_gm2l1(b1, b, FRACTAL * 2);
#endif
  PIPES(PIPE_MTE2, PIPE_MTE1);
  asc_copy_l12l0a(a0, a1, 0, 2, 1, 0);
  for (uint16_t tile = 0; tile < 2; tile++) {
    asc_copy_l12l0b_trans(b0, b1, tile, 1, 1, 0, false, 0); /* @end */
    PIPES(PIPE_MTE1, PIPE_M);
    asc_mmad(c0, a0, b0, 32, 16, 16, 0, false, false, tile == 0); /* @end */
    asc_sync_pipe(PIPE_M);
    PIPES(PIPE_M, PIPE_MTE1);
  }
  PIPES(PIPE_M, PIPE_FIX);
  asc_copy_l0c2gm(out + asc_get_block_idx() * ROWS * 16, c0, 16, ROWS, 16, 32, 0, 0, 0, false, true); /* @end */
  asc_sync();
}

int main(void) {
  start();
  half *a = device(ROWS * 16 * 2, 0), *b = device(2 * FRACTAL * 2, 0);
  float *out = device(CORES * ROWS * 16 * 4, 0);
  multiply<<<CORES, 0, NULL>>>(a, b, out);
  return finish();
}
