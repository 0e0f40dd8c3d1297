/* SYNC_LOCAL: the next load overwrites a tile that the store of the last round may still read. */
#include "hazard.h"

__global__ __vector__ void copy(__gm__ int32_t *in, __gm__ int32_t *out) {
  __ubuf__ int32_t tile[TILE];
  asc_init();
  for (uint32_t i = vector_index() * 2; i < vector_index() * 2 + 2; i++) {
    asc_copy_gm2ub(tile, in + i * TILE, sizeof tile); /* @end */
    PIPES(PIPE_MTE2, PIPE_MTE3);
    asc_copy_ub2gm(out + i * TILE, tile, sizeof tile); /* @end */
#ifdef REPAIRED
    PIPES(PIPE_MTE3, PIPE_MTE2);
#endif
  }
  asc_sync();
}

int main(void) {
  start();
  int32_t *in = device(2 * CORES * TILE * 4, 1), *out = device(2 * CORES * TILE * 4, 0);
  copy<<<CORES, 0, NULL>>>(in, out);
  return finish();
}
