/* SYNC_LOCAL: a vector instruction uses a tile while the load of it may still run. */
#include "hazard.h"

__global__ __vector__ void twice(__gm__ float *data) {
  __ubuf__ float tile[TILE];
  asc_init();
  asc_copy_gm2ub(tile, data + vector_index() * TILE, sizeof tile); /* @end */
#ifdef REPAIRED
  PIPES(PIPE_MTE2, PIPE_V);
#endif
  asc_add(tile, tile, tile, TILE); /* @end */
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(data + vector_index() * TILE, tile, sizeof tile);
  asc_sync();
}

int main(void) {
  start();
  float *data = device(CORES * TILE * 4, 0);
  twice<<<CORES, 0, NULL>>>(data);
  return finish();
}
