/* SYNC_GM: both streams read the weights, on the same cores; the second then overwrites them, although nothing says that
 * the first has read. */
#include "hazard.h"

__global__ __vector__ void apply(__gm__ int32_t *weights, __gm__ int32_t *to) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  asc_copy_gm2ub(tile, weights, sizeof tile); /* @end */
  PIPES(PIPE_MTE2, PIPE_MTE3);
  asc_copy_ub2gm(to + vector_index() * LINE, tile, sizeof tile);
  asc_sync();
}

__global__ __vector__ void refresh(__gm__ int32_t *weights) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  asc_duplicate(tile, 2, LINE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(weights, tile, sizeof tile); /* @end */
  asc_sync();
}

int main(void) {
  start();
  int32_t *weights = device(LINE * 4, 1), *y = device(CORES * LINE * 4, 0), *z = device(CORES * LINE * 4, 0);
  aclrtStream one = new_stream(), two = new_stream();
  aclrtEvent read;
  aclrtCreateEventExWithFlag(&read, ACL_EVENT_SYNC);
  apply<<<CORES, 0, one>>>(weights, y);
  aclrtRecordEvent(read, one);
  apply<<<CORES, 0, two>>>(weights, z);
#ifdef REPAIRED
  aclrtStreamWaitEvent(two, read);
#endif
  refresh<<<1, 0, two>>>(weights);
  return finish();
}
