/* LOCAL_OUT_OF_BOUNDS: a load runs past the end of UB. */
#include "hazard.h"

__global__ __vector__ void load(__gm__ int32_t *in, __gm__ int32_t *out) {
  asc_init();
#ifdef REPAIRED
  uint64_t at = 190 * 1024;
#else
  uint64_t at = 192 * 1024 - 32;
#endif
  __ubuf__ int32_t *tile = (__ubuf__ int32_t *)asc_get_phy_buf_addr(at);
  asc_copy_gm2ub(tile, in, TILE * 4); /* @end */
  PIPES(PIPE_MTE2, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * TILE, tile, TILE * 4);
  asc_sync();
}

int main(void) {
  start();
  int32_t *in = device(TILE * 4, 1), *out = device(CORES * TILE * 4, 0);
  load<<<CORES, 0, NULL>>>(in, out);
  return finish();
}
