/* H33: the atomic mode of an operator stays on, and the next one stores with it. */
#include "hazard.h"

__global__ __vector__ void add(__gm__ int32_t *sum) {
  __ubuf__ int32_t tile[TILE];
  asc_init();
  asc_duplicate(tile, 1, TILE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_set_atomic_add_int(); /* @end */
  asc_copy_ub2gm(sum, tile, sizeof tile);
#ifdef REPAIRED
  asc_set_atomic_none();
#endif
  asc_sync();
}

__global__ __vector__ void store(__gm__ int32_t *out) {
  __ubuf__ int32_t tile[TILE];
  asc_duplicate(tile, 2, TILE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * TILE, tile, sizeof tile); /* @end */
  asc_sync();
}

int main(void) {
  start();
  int32_t *sum = device(TILE * 4, 0), *out = device(CORES * TILE * 4, 1);
  add<<<CORES, 0, NULL>>>(sum);
  store<<<CORES, 0, NULL>>>(out);
  return finish();
}
