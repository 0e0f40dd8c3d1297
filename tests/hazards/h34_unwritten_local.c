/* H34: an operator reads local memory it has not written; the one before has. */
#include "hazard.h"

__global__ __vector__ void first(__gm__ int32_t *out) {
  __ubuf__ int32_t tile[TILE];
  asc_init();
  asc_duplicate(tile, 7, TILE); /* @end */
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * TILE, tile, sizeof tile);
  asc_sync();
}

__global__ __vector__ void second(__gm__ int32_t *out) {
  __ubuf__ int32_t tile[TILE];
  asc_init();
#ifdef REPAIRED
  asc_duplicate(tile, 0, TILE);
#else
  asc_duplicate(tile, 0, TILE - 8);
#endif
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * TILE, tile, sizeof tile); /* @end */
  asc_sync();
}

int main(void) {
  start();
  int32_t *one = device(CORES * TILE * 4, 0), *two = device(CORES * TILE * 4, 0);
  first<<<CORES, 0, NULL>>>(one);
  second<<<CORES, 0, NULL>>>(two);
  return finish();
}
