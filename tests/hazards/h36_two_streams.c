/* H36: an event orders two launches of two streams; inside a SuperKernel it does not reach a load left undrained. */
#include "hazard.h"

__global__ __vector__ void load(__gm__ int32_t *data) {
  __ubuf__ int32_t tile[TILE];
  asc_init();
  asc_copy_gm2ub(tile, data + vector_index() * TILE, sizeof tile); /* @end */
#ifdef REPAIRED
  asc_sync();
#endif
}

__global__ __vector__ void overwrite(__gm__ int32_t *data) {
  __ubuf__ int32_t ahead[TILE], tile[TILE];
  (void)ahead;
  asc_init();
  asc_duplicate(tile, 1, TILE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(data + (vector_index() + 1) % CORES * TILE, tile, sizeof tile); /* @end */
  asc_sync();
}

int main(void) {
  start();
  aclrtStream first = new_stream(), second = new_stream();
  aclrtEvent event = NULL;
  if (aclrtCreateEvent(&event) != ACL_SUCCESS) return 1;
  int32_t *data = device(CORES * TILE * 4, 0);
  load<<<CORES, 0, first>>>(data);
  aclrtRecordEvent(event, first);
  aclrtStreamWaitEvent(second, event);
  overwrite<<<CORES, 0, second>>>(data);
  return finish();
}
