/* SYNC_GM: a copy from page-locked memory is under way on one stream, a kernel of another reads what it brings. */
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
  void *host = NULL;
  if (aclrtMallocHost(&host, CORES * LINE * 4) != ACL_SUCCESS) return 1;
  for (uint32_t i = 0; i < CORES * LINE; i++) ((int32_t *)host)[i] = (int32_t)i;
  aclrtMemcpyAsync(data, CORES * LINE * 4, host, CORES * LINE * 4, ACL_MEMCPY_HOST_TO_DEVICE, first);
#ifdef REPAIRED
  aclrtEvent event = NULL;
  if (aclrtCreateEvent(&event) != ACL_SUCCESS) return 1;
  aclrtRecordEvent(event, first);
  aclrtStreamWaitEvent(second, event);
#endif
  consume<<<CORES, 0, second>>>(data, out);
  return finish();
}
