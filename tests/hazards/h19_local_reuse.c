/* H19: an operator writes local memory that the one before still works on. */
#include "hazard.h"

__global__ __vector__ void first(__gm__ int32_t *in) {
  __ubuf__ int32_t tile[TILE];
  asc_init();
  asc_copy_gm2ub(tile, in, sizeof tile); /* @end */
#ifdef REPAIRED
  asc_sync();
#endif
}

__global__ __vector__ void second(__gm__ int32_t *out) {
  __ubuf__ int32_t tile[TILE];
  asc_init();
  asc_duplicate(tile, 1, TILE); /* @end */
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * TILE, tile, sizeof tile);
  asc_sync();
}

int main(void) {
  start();
  int32_t *in = device(TILE * 4, 0), *out = device(CORES * TILE * 4, 0);
  first<<<CORES, 0, NULL>>>(in);
  second<<<CORES, 0, NULL>>>(out);
  return finish();
}
