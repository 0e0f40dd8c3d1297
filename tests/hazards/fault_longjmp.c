/* KERNEL_FAULT: a kernel jumps out by longjmp. */
#include "hazard.h"

#include <setjmp.h>

static jmp_buf way_out;

__global__ __vector__ void broken(__gm__ int32_t *out) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  asc_duplicate(tile, 1, LINE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * LINE, tile, sizeof tile);
  asc_sync();
#ifndef REPAIRED
  longjmp(way_out, 1); /* @end */
#endif
}

/* Runs all the same. */
__global__ __vector__ void sound(__gm__ int32_t *out) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  asc_duplicate(tile, 2, LINE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * LINE, tile, sizeof tile);
  asc_sync();
}

int main(void) {
  start();
  int32_t *x = device(CORES * LINE * 4, 0), *y = device(CORES * LINE * 4, 0), got = 0;
  if (setjmp(way_out) != 0) return 1; /* a kernel never comes here */
  broken<<<CORES, 0, NULL>>>(x);
  (void)aclrtSynchronizeDevice();
  sound<<<CORES, 0, NULL>>>(y);
  (void)aclrtSynchronizeDevice();
  if (aclrtMemcpy(&got, sizeof got, y, sizeof got, ACL_MEMCPY_DEVICE_TO_HOST) != ACL_SUCCESS || got != 2) return 1;
  return finish();
}
