/* H32: an operator takes its end for the end of a kernel: an event flag stays set, and the atomic mode on. */
#include "hazard.h"

__global__ __vector__ void add(__gm__ int32_t *sum) {
  __ubuf__ int32_t tile[TILE];
  asc_init();
  asc_duplicate(tile, 1, TILE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_set_atomic_add_int(); /* @end */
  asc_copy_ub2gm(sum, tile, sizeof tile);
  asc_sync_notify(PIPE_MTE3, PIPE_V, 1); /* @end */
#ifdef REPAIRED
  asc_sync_wait(PIPE_MTE3, PIPE_V, 1);
  asc_set_atomic_none();
#endif
  asc_sync();
}

__global__ __vector__ void store(__gm__ int32_t *out) {
  __ubuf__ int32_t tile[TILE];
  asc_duplicate(tile, 2, TILE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * TILE, tile, sizeof tile);
  asc_sync();
}

int main(void) {
  start();
  int32_t *sum = device(TILE * 4, 0), *out = device(CORES * TILE * 4, 1);
  add<<<CORES, 0, NULL>>>(sum);
  store<<<CORES, 0, NULL>>>(out);
  return finish();
}
