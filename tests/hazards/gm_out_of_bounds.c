/* GM_OUT_OF_BOUNDS: the last core copies past the end of its allocation. */
#include "hazard.h"

__global__ __vector__ void copy(__gm__ int32_t *in, __gm__ int32_t *out, uint32_t count) {
  __ubuf__ int32_t tile[TILE];
  asc_init();
  uint32_t first = vector_index() * TILE, n = TILE;
#ifdef REPAIRED
  if (first + n > count) n = count - first;
#else
  (void)count;
#endif
  asc_copy_gm2ub(tile, in + first, n * 4); /* @end */
  PIPES(PIPE_MTE2, PIPE_MTE3);
  asc_copy_ub2gm(out + first, tile, n * 4);
  asc_sync();
}

int main(void) {
  start();
  uint32_t count = CORES * TILE - 64;
  int32_t *in = device(count * 4, 1), *out = device(CORES * TILE * 4, 0);
  copy<<<CORES, 0, NULL>>>(in, out, count);
  return finish();
}
