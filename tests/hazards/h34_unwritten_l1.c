/* H34: an operator multiplies a tile of L1 that it has not loaded; the one before has, by luck at the same place. */
#include "hazard.h"

#define FRACTAL 256u /* half elements */

#define TILES()                                                                                                \
  __cbuf__ half a1[FRACTAL], b1[FRACTAL];                                                                      \
  __ca__ half a0[FRACTAL];                                                                                     \
  __cb__ half b0[FRACTAL];                                                                                     \
  __cc__ float c0[FRACTAL]

__global__ __cube__ void first(__gm__ half *in, __gm__ float *out) {
  TILES();
  asc_init();
  asc_copy_gm2l1(a1, in, sizeof a1);
  asc_copy_gm2l1(b1, in, sizeof b1); /* @end */
  PIPES(PIPE_MTE2, PIPE_MTE1);
  asc_copy_l12l0a(a0, a1, 0, 1, 1, 0);
  asc_copy_l12l0b(b0, b1, 0, 1, 1, 0);
  PIPES(PIPE_MTE1, PIPE_M);
  asc_mmad(c0, a0, b0, 16, 16, 16, 0, false, false, true);
  PIPES(PIPE_M, PIPE_FIX);
  asc_copy_l0c2gm(out + asc_get_block_idx() * FRACTAL, c0, 16, 16, 16, 16, 0, 0, 0, false, true);
  asc_sync();
}

__global__ __cube__ void second(__gm__ half *in, __gm__ float *out) {
  TILES();
  asc_init();
  asc_copy_gm2l1(a1, in, sizeof a1);
#ifdef REPAIRED
  asc_copy_gm2l1(b1, in, sizeof b1);
#else
  (void)b1;
#endif
  PIPES(PIPE_MTE2, PIPE_MTE1);
  asc_copy_l12l0a(a0, a1, 0, 1, 1, 0);
  asc_copy_l12l0b(b0, b1, 0, 1, 1, 0); /* @end */
  PIPES(PIPE_MTE1, PIPE_M);
  asc_mmad(c0, a0, b0, 16, 16, 16, 0, false, false, true); /* @end */
  PIPES(PIPE_M, PIPE_FIX);
  asc_copy_l0c2gm(out + asc_get_block_idx() * FRACTAL, c0, 16, 16, 16, 16, 0, 0, 0, false, true); /* @end */
  asc_sync();
}

int main(void) {
  start();
  half *in = device(FRACTAL * 2, 0);
  float *one = device(CORES * FRACTAL * 4, 0), *two = device(CORES * FRACTAL * 4, 0);
  first<<<CORES, 0, NULL>>>(in, one);
  second<<<CORES, 0, NULL>>>(in, two);
  return finish();
}
