/* GM_USE_AFTER_FREE: memory is freed while the kernel that uses it has not run. */
#include "hazard.h"

__global__ __vector__ void fill(__gm__ int32_t *out) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  asc_duplicate(tile, 1, LINE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * LINE, tile, sizeof tile); /* @end */
  asc_sync();
}

int main(void) {
  start();
  int32_t *out = device(CORES * LINE * 4, 0);
  fill<<<CORES, 0, NULL>>>(out);
#ifdef REPAIRED
  aclrtSynchronizeDevice();
#endif
  aclrtFree(out);
  return finish();
}
