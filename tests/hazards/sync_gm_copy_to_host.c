/* SYNC_GM: a copy to page-locked memory on one stream reads what a kernel of another writes; the host waits for both later. */
#include "hazard.h"

__global__ __vector__ void produce(__gm__ int32_t *data) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  asc_duplicate(tile, 1, LINE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(data + vector_index() * LINE, tile, sizeof tile); /* @end */
  asc_sync();
}

int main(void) {
  start();
  aclrtStream first = new_stream(), second = new_stream();
  int32_t *data = device(CORES * LINE * 4, 0);
  void *host = NULL;
  if (aclrtMallocHost(&host, CORES * LINE * 4) != ACL_SUCCESS) return 1;
  produce<<<CORES, 0, first>>>(data);
#ifdef REPAIRED
  aclrtEvent event = NULL;
  if (aclrtCreateEvent(&event) != ACL_SUCCESS) return 1;
  aclrtRecordEvent(event, first);
  aclrtStreamWaitEvent(second, event);
#endif
  aclrtMemcpyAsync(host, CORES * LINE * 4, data, CORES * LINE * 4, ACL_MEMCPY_DEVICE_TO_HOST, second);
  return finish();
}
