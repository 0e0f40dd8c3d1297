/* H39: two launches that may run at once meet in barriers, and together need more cores than there are. */
#include "hazard.h"

#ifdef REPAIRED
#define MODE __schedmode__(1)
#else
#define MODE
#endif

__global__ __mix__(0, 1) MODE void meet(__gm__ int32_t *out) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  asc_duplicate(tile, 1, LINE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * LINE, tile, sizeof tile);
  sk_sync_all_aiv();
}

int main(void) {
  start();
  aclrtStream first = new_stream(), second = new_stream();
  int32_t *x = device(ALL_AIV * LINE * 4, 0), *y = device(ALL_AIV * LINE * 4, 0);
  meet<<<ALL_AIV, 0, first>>>(x);
  meet<<<ALL_AIV, 0, second>>>(y);
  return finish();
}
