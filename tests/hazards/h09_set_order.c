/* H9: the order of two sets of one core is taken to protect data that only the first covers. */
#include "hazard.h"

__global__ __mix__(1, 1) void hurry(__gm__ int32_t *data, __gm__ int32_t *out) {
  asc_init();
  if ASC_IS_AIV {
    if (asc_get_sub_block_id() == 0) {
      __ubuf__ int32_t tile[LINE];
      asc_duplicate(tile, 1, LINE);
      PIPES(PIPE_V, PIPE_MTE3);
      asc_copy_ub2gm(data + asc_get_block_idx() * LINE, tile, sizeof tile); /* @end */
    }
    asc_sync_block_arrive(PIPE_MTE3, 0); /* data is there */
    asc_sync_block_arrive(PIPE_V, 1);
  } else {
    __cbuf__ int32_t copy[LINE];
#ifdef REPAIRED
    asc_sync_block_wait(PIPE_MTE2, 0);
    asc_sync_block_wait(PIPE_MTE2, 1);
#else
    asc_sync_block_wait(PIPE_MTE2, 1); /* "then 0 is set too" */
#endif
    asc_copy_gm2l1(copy, data + asc_get_block_idx() * LINE, sizeof copy); /* @end */
    PIPES(PIPE_MTE2, PIPE_MTE3);
    asc_copy_l12gm(out + asc_get_block_idx() * LINE, copy, sizeof copy);
#ifndef REPAIRED
    asc_sync_block_wait(PIPE_MTE2, 0);
#endif
  }
  asc_sync();
}

int main(void) {
  start();
  int32_t *data = device(CORES * LINE * 4, 0), *out = device(CORES * LINE * 4, 0);
  hurry<<<CORES, 0, NULL>>>(data, out);
  return finish();
}
