/* LOST_RESULT: two buffers, and each load goes into the first, over a tile that nobody has used yet. @verify --unread */
#include "hazard.h"

__global__ __vector__ void copy(__gm__ float *x, __gm__ float *y) {
  __ubuf__ float tiles[2 * TILE];
  asc_init();
  asc_copy_gm2ub(tiles, x + vector_index() * 2 * TILE, TILE * 4); /* @end */
  asc_sync_pipe(PIPE_MTE2);
#ifdef REPAIRED
  asc_copy_gm2ub(tiles + TILE, x + (vector_index() * 2 + 1) * TILE, TILE * 4);
#else
  asc_copy_gm2ub(tiles, x + (vector_index() * 2 + 1) * TILE, TILE * 4); /* @end */
#endif
  PIPES(PIPE_MTE2, PIPE_MTE3);
  asc_copy_ub2gm(y + vector_index() * 2 * TILE, tiles, TILE * 4);
#ifdef REPAIRED
  asc_copy_ub2gm(y + (vector_index() * 2 + 1) * TILE, tiles + TILE, TILE * 4);
#endif
  asc_sync();
}

int main(void) {
  start();
  float *x = device(CORES * 2 * TILE * 4, 0), *y = device(CORES * 2 * TILE * 4, 0);
  copy<<<CORES, 0, NULL>>>(x, y);
  return finish();
}
