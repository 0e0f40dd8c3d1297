/* BAD_ARGUMENT: a shift by more than the width of the element. */
#include "hazard.h"

__global__ __vector__ void compute(__gm__ float *out) {
  __ubuf__ float a[TILE], b[2 * TILE];
  asc_init();
  asc_duplicate(a, 1.0f, TILE);
  asc_duplicate(b, 1.0f, 2 * TILE);
  asc_sync_pipe(PIPE_V);
#ifdef REPAIRED
  asc_shiftleft((__ubuf__ uint32_t *)a, (__ubuf__ uint32_t *)b, 3, TILE);
#else
  asc_shiftleft((__ubuf__ uint32_t *)a, (__ubuf__ uint32_t *)b, 33, TILE); /* @end */
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
