/* SAME_PIPE: a vector instruction reads what the one before writes (a warning). */
#include "hazard.h"

__global__ __vector__ void chain(__gm__ float *out) {
  __ubuf__ float tile[TILE];
  asc_init();
  asc_duplicate(tile, 1.0f, TILE); /* @end */
#ifdef REPAIRED
  asc_sync_pipe(PIPE_V);
#endif
  asc_exp(tile, tile, TILE); /* @end */
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * TILE, tile, sizeof tile);
  asc_sync();
}

int main(void) {
  start();
  float *out = device(CORES * TILE * 4, 0);
  chain<<<CORES, 0, NULL>>>(out);
  return finish();
}
