/* H2: a 1:1 operator whose second vector core does not signal, in a SuperKernel with more cores than it: those that have
 * nothing to do wait at the barrier behind it, which is not what went wrong. */
#include "hazard.h"

__global__ __mix__(1, 1) void narrow(__gm__ int32_t *out) {
  asc_init();
  if ASC_IS_AIV {
    __ubuf__ int32_t tile[LINE];
    if (asc_get_sub_block_id() == 0) {
      asc_duplicate(tile, 1, LINE);
      PIPES(PIPE_V, PIPE_MTE3);
      asc_copy_ub2gm(out + asc_get_block_idx() * LINE, tile, sizeof tile);
    }
#ifndef REPAIRED
    if (asc_get_sub_block_id() == 0)
#endif
      asc_sync_block_arrive(PIPE_MTE3, 6);
  } else {
    asc_sync_block_wait(PIPE_MTE3, 6); /* @end */
  }
  asc_sync();
}

__global__ __mix__(1, 2) void wide(__gm__ int32_t *in, __gm__ int32_t *out) {
  asc_init();
  if ASC_IS_AIV {
    __ubuf__ int32_t tile[LINE];
    asc_copy_gm2ub(tile, in + vector_index() % CORES * LINE, sizeof tile);
    PIPES(PIPE_MTE2, PIPE_MTE3);
    asc_copy_ub2gm(out + vector_index() * LINE, tile, sizeof tile);
  }
  asc_sync();
}

int main(void) {
  start();
  int32_t *first = device(CORES * LINE * 4, 0), *second = device(4 * CORES * LINE * 4, 0);
  narrow<<<CORES, 0, NULL>>>(first);
  wide<<<2 * CORES, 0, NULL>>>(first, second);
  return finish();
}
