/* H5: a vector operator takes its tile from the raw block index, which in a SuperKernel with cube cores two vector cores share. */
#include "hazard.h"

__global__ __vector__ void fill(__gm__ int32_t *out) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
#ifdef REPAIRED
  uint32_t index = vector_index();
#else
  uint32_t index = (uint32_t)block_idx;
#endif
  asc_duplicate(tile, (int32_t)index, LINE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + index * LINE, tile, sizeof tile); /* @end */
  asc_sync();
}

int main(void) {
  start();
  int32_t *out = device(CORES * LINE * 4, 0);
  fill<<<CORES, 0, NULL>>>(out);
  return finish();
}
