/* SAME_PIPE: two loads whose destinations overlap, without a barrier of their pipe. */
#include "hazard.h"

__global__ __vector__ void patch(__gm__ int32_t *data, __gm__ int32_t *out) {
  __ubuf__ int32_t tile[TILE];
  asc_init();
  asc_copy_gm2ub(tile, data, sizeof tile); /* @end */
#ifdef REPAIRED
  asc_sync_pipe(PIPE_MTE2);
#endif
  asc_copy_gm2ub(tile + TILE / 2, data, sizeof tile / 2); /* @end */
  PIPES(PIPE_MTE2, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * TILE, tile, sizeof tile);
  asc_sync();
}

int main(void) {
  start();
  int32_t *data = device(TILE * 4, 1), *out = device(CORES * TILE * 4, 0);
  patch<<<CORES, 0, NULL>>>(data, out);
  return finish();
}
