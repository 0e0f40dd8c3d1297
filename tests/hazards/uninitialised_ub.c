/* UNINITIALISED_READ: a kernel stores local memory that it has not written. */
#include "hazard.h"

__global__ __vector__ void store(__gm__ int32_t *out) {
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
  int32_t *out = device(CORES * TILE * 4, 0);
  store<<<CORES, 0, NULL>>>(out);
  return finish();
}
