/* KERNEL_FAULT: a kernel's recursion uses up the stack of its scalar unit. */
#include "hazard.h"

#ifndef REPAIRED
__aicore__ static int32_t deeper(int32_t depth) {
  volatile int32_t frame[256];
  frame[depth & 255] = depth;
  return depth == INT32_MAX ? 0 : deeper(depth + 1) + frame[(depth + 1) & 255];
}
#endif

__global__ __vector__ void broken(__gm__ int32_t *out) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  asc_duplicate(tile, 1, LINE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * LINE, tile, sizeof tile);
  asc_sync();
#ifndef REPAIRED
  tile[0] = deeper(0);
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
  broken<<<CORES, 0, NULL>>>(x);
  (void)aclrtSynchronizeDevice();
  sound<<<CORES, 0, NULL>>>(y);
  (void)aclrtSynchronizeDevice();
  if (aclrtMemcpy(&got, sizeof got, y, sizeof got, ACL_MEMCPY_DEVICE_TO_HOST) != ACL_SUCCESS || got != 2) return 1;
  return finish();
}
