/* SYNC_GM: a memset on one stream clears what a kernel of another reads, and no event stands between them. */
#include "hazard.h"

__global__ __vector__ void consume(__gm__ int32_t *data, __gm__ int32_t *out) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  asc_copy_gm2ub(tile, data + vector_index() * LINE, sizeof tile); /* @end */
  PIPES(PIPE_MTE2, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * LINE, tile, sizeof tile);
  asc_sync();
}

int main(void) {
  start();
  aclrtStream first = new_stream(), second = new_stream();
  int32_t *data = device(CORES * LINE * 4, 1), *out = device(CORES * LINE * 4, 0);
  aclrtMemsetAsync(data, CORES * LINE * 4, 0, CORES * LINE * 4, first);
#ifdef REPAIRED
  aclrtEvent event = NULL;
  if (aclrtCreateEvent(&event) != ACL_SUCCESS) return 1;
  aclrtRecordEvent(event, first);
  aclrtStreamWaitEvent(second, event);
#endif
  consume<<<CORES, 0, second>>>(data, out);
  return finish();
}
