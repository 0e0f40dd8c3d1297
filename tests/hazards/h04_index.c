/* H4: a 1:1 operator that takes its tile from the block index, which two vector cores share in a 1:2 SuperKernel. */
#include "hazard.h"

__global__ __mix__(1, 1) void one(__gm__ int32_t *out) {
  asc_init();
  if ASC_IS_AIV {
    __ubuf__ int32_t tile[LINE];
#ifdef REPAIRED
    if (asc_get_sub_block_id() != 0) return;
#endif
    asc_duplicate(tile, 1, LINE);
    PIPES(PIPE_V, PIPE_MTE3);
    asc_copy_ub2gm(out + asc_get_block_idx() * LINE, tile, sizeof tile); /* @end */
  }
  asc_sync();
}

__global__ __mix__(1, 2) void two(__gm__ int32_t *out) {
  asc_init();
  if ASC_IS_AIV {
    __ubuf__ int32_t tile[LINE];
    asc_duplicate(tile, 2, LINE);
    PIPES(PIPE_V, PIPE_MTE3);
    asc_copy_ub2gm(out + vector_index() * LINE, tile, sizeof tile);
  }
  asc_sync();
}

int main(void) {
  start();
  int32_t *first = device(CORES * LINE * 4, 0), *second = device(2 * CORES * LINE * 4, 0);
  one<<<CORES, 0, NULL>>>(first);
  two<<<CORES, 0, NULL>>>(second);
  return finish();
}
