/* DEADLOCK: a host callback waits for an event of another stream, which waits for an event behind the callback. */
#include "hazard.h"

__global__ __vector__ void fill(__gm__ int32_t *out) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  asc_duplicate(tile, 1, LINE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * LINE, tile, sizeof tile);
  asc_sync();
}

static aclrtEvent copied;

static void look(void *flag) {
  (void)aclrtSynchronizeEvent(copied);
  *(int *)flag = 1;
}

int main(void) {
  start();
  int done = 0;
  aclrtStream first = new_stream(), second = new_stream();
  aclrtEvent filled;
  if (aclrtCreateEvent(&filled) != ACL_SUCCESS || aclrtCreateEvent(&copied) != ACL_SUCCESS) return 1;
  int32_t *one = device(CORES * LINE * 4, 0), *two = device(CORES * LINE * 4, 0);
  fill<<<CORES, 0, first>>>(one);
#ifdef REPAIRED
  aclrtRecordEvent(filled, first);
  if (aclrtLaunchHostFunc(first, look, &done) != ACL_SUCCESS) return 1;
#else
  if (aclrtLaunchHostFunc(first, look, &done) != ACL_SUCCESS) return 1;
  aclrtRecordEvent(filled, first);
#endif
  aclrtStreamWaitEvent(second, filled);
  fill<<<CORES, 0, second>>>(two);
  aclrtRecordEvent(copied, second);
  if (aclrtSynchronizeStream(second) != ACL_SUCCESS || done != 1) return 1;
  return finish();
}
