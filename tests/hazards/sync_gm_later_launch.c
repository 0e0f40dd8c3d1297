/* SYNC_GM: a stream reads what another writes, not in its first launch beside it but in the one after: the launch
 * between ran on the same cores later than the writer did, and orders nothing. */
#include "hazard.h"

__global__ __vector__ void copy(__gm__ int32_t *from, __gm__ int32_t *to) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  asc_copy_gm2ub(tile, from + (vector_index() + 1) % CORES * LINE, sizeof tile); /* @end */
  PIPES(PIPE_MTE2, PIPE_MTE3);
  asc_copy_ub2gm(to + vector_index() * LINE, tile, sizeof tile); /* @end */
  asc_sync();
}

int main(void) {
  start();
  int32_t *x = device(CORES * LINE * 4, 1), *y = device(CORES * LINE * 4, 0), *z = device(CORES * LINE * 4, 0);
  int32_t *other = device(CORES * LINE * 4, 0);
  aclrtStream one = new_stream(), two = new_stream();
  aclrtEvent written;
  aclrtCreateEventExWithFlag(&written, ACL_EVENT_SYNC);
  copy<<<CORES, 0, one>>>(x, y);
  aclrtRecordEvent(written, one);
#ifdef REPAIRED
  aclrtStreamWaitEvent(two, written);
#endif
  copy<<<CORES, 0, two>>>(x, other);
  copy<<<CORES, 0, two>>>(y, z);
  return finish();
}
