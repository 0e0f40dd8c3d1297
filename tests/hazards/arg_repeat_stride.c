/* BAD_ARGUMENT: a repeat stride of a unary instruction that the hardware's eight bits cannot hold. */
#include "hazard.h"

__global__ __vector__ void compute(__gm__ float *out) {
  __ubuf__ float a[TILE], b[2 * TILE];
  asc_init();
  asc_duplicate(a, 1.0f, TILE);
  asc_duplicate(b, 1.0f, 2 * TILE);
  asc_sync_pipe(PIPE_V);
#ifdef REPAIRED
  asc_abs(a, b, 1, 1, 1, 8, 8);
#else
  asc_abs(a, b, 1, 1, 1, 8, 256); /* @end */
#endif
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * TILE, a, sizeof a);
  asc_sync();
}

int main(void) {
  start();
  float *out = device(CORES * TILE * 4, 0);
  compute<<<CORES, 0, NULL>>>(out);
  return finish();
}
