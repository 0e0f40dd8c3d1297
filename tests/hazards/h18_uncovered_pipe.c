/* H18: the last access of an operator runs on a pipe that the barrier behind it does not wait for. */
#include "hazard.h"

__global__ __vector__ void load(__gm__ int32_t *data) {
  __ubuf__ int32_t tile[TILE];
  asc_init();
  asc_copy_gm2ub(tile, data + vector_index() * TILE, sizeof tile); /* @end */
#ifdef REPAIRED
  asc_sync();
#endif
}

__global__ __vector__ void overwrite(__gm__ int32_t *data) {
  __ubuf__ int32_t ahead[TILE], tile[TILE];
  (void)ahead;
  asc_init();
  asc_duplicate(tile, 1, TILE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(data + (vector_index() + 1) % CORES * TILE, tile, sizeof tile); /* @end */
  asc_sync();
}

int main(void) {
  start();
  int32_t *data = device(CORES * TILE * 4, 0);
  load<<<CORES, 0, NULL>>>(data);
  overwrite<<<CORES, 0, NULL>>>(data);
  return finish();
}
