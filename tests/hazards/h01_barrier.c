/* H1: a barrier over all vector cores in an operator that uses only some of them. */
#include "hazard.h"

#ifdef REPAIRED
#define BLOCKS ALL_AIV
#else
#define BLOCKS CORES
#endif

__global__ __mix__(0, 1) __schedmode__(1) void meet(__gm__ int32_t *out) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  asc_duplicate(tile, 1, LINE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * LINE, tile, sizeof tile);
  asc_sync_inter_arrive(PIPE_MTE3, 0); /* @end */
  asc_sync_inter_wait(PIPE_MTE3, 0);
  asc_sync();
}

int main(void) {
  start();
  int32_t *out = device(ALL_AIV * LINE * 4, 0);
  meet<<<BLOCKS, 0, NULL>>>(out);
  return finish();
}
