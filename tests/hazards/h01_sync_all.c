/* H1: SyncAll in an operator with fewer blocks than its SuperKernel, next to an operator that fills the chip. */
#include "hazard.h"

#ifdef REPAIRED
#define BLOCKS ALL_AIV
#else
#define BLOCKS CORES
#endif

__global__ __mix__(0, 1) void fill(__gm__ int32_t *out) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  asc_duplicate(tile, 1, LINE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * LINE, tile, sizeof tile);
  asc_sync();
}

__global__ __mix__(0, 1) __schedmode__(1) void meet(__gm__ int32_t *out) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  asc_copy_gm2ub(tile, out + vector_index() * LINE, sizeof tile);
  PIPES(PIPE_MTE2, PIPE_MTE3);
  sk_sync_all_aiv(); /* @end */
  asc_copy_ub2gm(out + (vector_index() + 1) % asc_get_block_num() * LINE, tile, sizeof tile);
  asc_sync();
}

int main(void) {
  start();
  int32_t *out = device(ALL_AIV * LINE * 4, 0);
  fill<<<ALL_AIV, 0, NULL>>>(out);
  meet<<<BLOCKS, 0, NULL>>>(out);
  return finish();
}
