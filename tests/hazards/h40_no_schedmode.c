/* H40: an operator with a barrier over all cores, on some of them, that is not declared schedmode 1. */
#include "hazard.h"

#ifdef REPAIRED
#define BLOCKS ALL_AIV
#define MODE __schedmode__(1)
#else
#define BLOCKS CORES
#define MODE
#endif

__global__ __mix__(0, 1) MODE void meet(__gm__ int32_t *out) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  asc_duplicate(tile, 1, LINE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * LINE, tile, sizeof tile);
  sk_sync_all_aiv(); /* @end */
}

int main(void) {
  start();
  int32_t *out = device(ALL_AIV * LINE * 4, 0);
  meet<<<BLOCKS, 0, NULL>>>(out);
  return finish();
}
