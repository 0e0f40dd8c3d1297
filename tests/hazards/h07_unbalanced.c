/* H7: a cross-core flag that is set and never waited for. */
#include "hazard.h"

__global__ __mix__(1, 1) void leave(__gm__ int32_t *out) {
  asc_init();
  if ASC_IS_AIC {
    asc_sync_block_arrive(PIPE_FIX, 1); /* @end */
  } else {
    __ubuf__ int32_t tile[LINE];
#ifdef REPAIRED
    asc_sync_block_wait(PIPE_MTE3, 1);
#endif
    if (asc_get_sub_block_id() == 0) {
      asc_duplicate(tile, 1, LINE);
      PIPES(PIPE_V, PIPE_MTE3);
      asc_copy_ub2gm(out + asc_get_block_idx() * LINE, tile, sizeof tile);
    }
  }
  asc_sync();
}

int main(void) {
  start();
  int32_t *out = device(CORES * LINE * 4, 0);
  leave<<<CORES, 0, NULL>>>(out);
  return finish();
}
