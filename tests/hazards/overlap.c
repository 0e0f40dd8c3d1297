/* OVERLAP: source and destination of an instruction share bytes without being the same. */
#include "hazard.h"

#ifdef REPAIRED
#define SHIFT TILE
#else
#define SHIFT 8
#endif

__global__ __vector__ void move(__gm__ float *out) {
  __ubuf__ float tile[2 * TILE];
  asc_init();
  asc_duplicate(tile, 1.0f, 2 * TILE);
  asc_sync_pipe(PIPE_V);
  asc_exp(tile + SHIFT, tile, 64); /* @end */
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * TILE, tile, TILE * 4);
  asc_sync();
}

int main(void) {
  start();
  float *out = device(CORES * TILE * 4, 0);
  move<<<CORES, 0, NULL>>>(out);
  return finish();
}
