/* GM_ARGUMENT: host memory is passed where a kernel takes device memory. */
#include "hazard.h"

__global__ __vector__ void fill(__gm__ int32_t *out, uint32_t count) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  if (count == 0) return;
  asc_duplicate(tile, 1, LINE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * LINE, tile, sizeof tile);
  asc_sync();
}

int main(void) {
  start();
  static int32_t host[CORES * LINE];
  int32_t *out = device(sizeof host, 0);
#ifdef REPAIRED
  fill<<<CORES, 0, NULL>>>(out, 1);
#else
  (void)out;
  fill<<<CORES, 0, NULL>>>(host, 0);
#endif
  return finish();
}
