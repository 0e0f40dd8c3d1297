/* SAME_PIPE: two small matrix products add into one L0C matrix without a barrier of PIPE_M. */
#include "hazard.h"

#define SIDE 16u

__global__ __cube__ void add_products(__gm__ half *in, __gm__ float *out) {
  __cbuf__ half l1[SIDE * SIDE];
  __ca__ half a[SIDE * SIDE];
  __cb__ half b[SIDE * SIDE];
  __cc__ float c[SIDE * SIDE];
  asc_init();
  asc_copy_gm2l1(l1, in, sizeof l1);
  PIPES(PIPE_MTE2, PIPE_MTE1);
  asc_copy_l12l0a(a, l1, 0, 1, 1, 0);
  asc_copy_l12l0b(b, l1, 0, 1, 1, 0);
  PIPES(PIPE_MTE1, PIPE_M);
  asc_mmad(c, a, b, SIDE, SIDE, SIDE, 0, false, false, true); /* @end */
#ifdef REPAIRED
  asc_sync_pipe(PIPE_M);
#endif
  asc_mmad(c, a, b, SIDE, SIDE, SIDE, 0, false, false, false); /* @end */
  PIPES(PIPE_M, PIPE_FIX);
  asc_copy_l0c2gm(out + asc_get_block_idx() * SIDE * SIDE, c, SIDE, SIDE, SIDE, SIDE, 0, 0, 0, false, true);
  asc_sync();
}

int main(void) {
  start();
  half *in = device(SIDE * SIDE * 2, 0);
  float *out = device(CORES * SIDE * SIDE * 4, 0);
  add_products<<<CORES, 0, NULL>>>(in, out);
  return finish();
}
