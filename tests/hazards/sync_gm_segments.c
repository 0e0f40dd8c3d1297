/* SYNC_GM: what a kernel of one stream reads is overwritten on another, behind a second reader; host copies part the three. */
#include "hazard.h"

__global__ __vector__ void first(__gm__ int32_t *data, __gm__ int32_t *out) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  asc_copy_gm2ub(tile, data + vector_index() * LINE, sizeof tile); /* @end */
  PIPES(PIPE_MTE2, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * LINE, tile, sizeof tile);
  asc_sync();
}

__global__ __vector__ void second(__gm__ int32_t *data, __gm__ int32_t *out) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  asc_copy_gm2ub(tile, data + vector_index() * LINE, sizeof tile);
  PIPES(PIPE_MTE2, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * LINE, tile, sizeof tile);
  asc_sync();
}

__global__ __vector__ void overwrite(__gm__ int32_t *data) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  asc_duplicate(tile, 1, LINE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(data + vector_index() * LINE, tile, sizeof tile); /* @end */
  asc_sync();
}

int main(void) {
  start();
  const size_t bytes = CORES * LINE * 4;
  aclrtStream one = new_stream(), two = new_stream();
  int32_t *data = device(bytes, 0), *of_first = device(bytes, 0), *of_second = device(bytes, 0);
  void *host = NULL;
  if (aclrtMallocHost(&host, bytes) != ACL_SUCCESS) return 1;
  first<<<CORES, 0, one>>>(data, of_first);
#ifdef REPAIRED
  aclrtEvent event = NULL;
  if (aclrtCreateEvent(&event) != ACL_SUCCESS) return 1;
  aclrtRecordEvent(event, one);
  aclrtStreamWaitEvent(two, event);
#endif
  aclrtMemcpyAsync(host, bytes, of_second, bytes, ACL_MEMCPY_DEVICE_TO_HOST, two); /* what is verified ends here */
  second<<<CORES, 0, two>>>(data, of_second);
  aclrtMemcpyAsync(host, bytes, of_second, bytes, ACL_MEMCPY_DEVICE_TO_HOST, two);
  overwrite<<<CORES, 0, two>>>(data);
  aclrtSynchronizeDevice();
  aclrtFreeHost(host);
  return finish();
}
