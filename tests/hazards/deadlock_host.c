/* DEADLOCK: a host callback waits for the device, which waits for the callback to return. */
#include "hazard.h"

__global__ __vector__ void fill(__gm__ int32_t *out) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  asc_duplicate(tile, 1, LINE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * LINE, tile, sizeof tile);
  asc_sync();
}

static void finished(void *flag) {
#ifndef REPAIRED
  (void)aclrtSynchronizeDevice();
#endif
  *(int *)flag = 1;
}

int main(void) {
  start();
  int done = 0;
  aclrtStream stream = new_stream();
  int32_t *out = device(CORES * LINE * 4, 0);
  fill<<<CORES, 0, stream>>>(out);
  if (aclrtLaunchHostFunc(stream, finished, &done) != ACL_SUCCESS) return 1;
  if (aclrtSynchronizeStream(stream) != ACL_SUCCESS || done != 1) return 1;
  return finish();
}
