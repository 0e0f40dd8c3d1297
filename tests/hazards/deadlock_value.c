/* DEADLOCK: a stream waits for a value that is written behind a wait for this stream. */
#include "hazard.h"

__global__ __vector__ void put(__gm__ int32_t *out, int32_t value) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  asc_duplicate(tile, value, LINE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * LINE, tile, sizeof tile);
  asc_sync();
}

int main(void) {
  start();
  int32_t *one = device(CORES * LINE * 4, 0), *two = device(CORES * LINE * 4, 0);
  uint64_t *ready = device(64, 0), *done = device(64, 0);
  aclrtStream first = new_stream(), second = new_stream();
  aclrtValueWait(ready, 1, ACL_STREAM_WAIT_VALUE_EQ, first);
  put<<<CORES, 0, first>>>(one, 1);
  aclrtValueWrite(done, 1, 0, first);
#ifndef REPAIRED
  aclrtValueWait(done, 1, ACL_STREAM_WAIT_VALUE_EQ, second);
#endif
  put<<<CORES, 0, second>>>(two, 2);
  aclrtValueWrite(ready, 1, 0, second);
#ifdef REPAIRED
  aclrtValueWait(done, 1, ACL_STREAM_WAIT_VALUE_EQ, second);
#endif
  return finish();
}
