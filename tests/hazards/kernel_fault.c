/* KERNEL_FAULT: a kernel follows a null pointer. */
#include "hazard.h"

__global__ __vector__ void follow(__gm__ int32_t *out) {
  asc_init();
#ifdef REPAIRED
  volatile int32_t here = 1, *where = &here;
#else
  volatile int32_t *where = NULL;
#endif
  __ubuf__ int32_t tile[LINE];
  asc_duplicate(tile, *where, LINE); /* @end */
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * LINE, tile, sizeof tile);
  asc_sync();
}

int main(void) {
  start();
  int32_t *out = device(CORES * LINE * 4, 0);
  follow<<<CORES, 0, NULL>>>(out);
  return finish();
}
