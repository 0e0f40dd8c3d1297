/* BAD_ARGUMENT: an event id that does not exist. */
#include "hazard.h"

__global__ __vector__ void compute(__gm__ float *out) {
  __ubuf__ float a[TILE], b[2 * TILE];
  asc_init();
  asc_duplicate(a, 1.0f, TILE);
  asc_duplicate(b, 1.0f, 2 * TILE);
  asc_sync_pipe(PIPE_V);
#ifdef REPAIRED
  asc_sync_pipe(PIPE_V);
#else
  asc_sync_notify(PIPE_V, PIPE_MTE3, 8); /* @end */
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
