/* LAUNCH_INVALID: a launch of no blocks, for a batch that happens to be empty. */
#include "hazard.h"

__global__ __vector__ void fill(__gm__ int32_t *out) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  asc_duplicate(tile, 1, LINE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * LINE, tile, sizeof tile);
  asc_sync();
}

int main(void) {
  start();
  int32_t *out = device(CORES * LINE * 4, 0);
  uint32_t rest = 0;
  fill<<<CORES, 0, NULL>>>(out);
#ifdef REPAIRED
  if (rest > 0) fill<<<rest, 0, NULL>>>(out);
#else
  fill<<<rest, 0, NULL>>>(out);
#endif
  return finish();
}
