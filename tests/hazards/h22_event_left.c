/* H22: an event flag that is set and not waited for at the end of an operator. */
#include "hazard.h"

__global__ __vector__ void leave(__gm__ int32_t *out) {
  __ubuf__ int32_t tile[TILE];
  asc_init();
  asc_duplicate(tile, 1, TILE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * TILE, tile, sizeof tile);
  asc_sync_notify(PIPE_MTE3, PIPE_V, 1); /* @end */
#ifdef REPAIRED
  asc_sync_wait(PIPE_MTE3, PIPE_V, 1);
#endif
  asc_sync();
}

int main(void) {
  start();
  int32_t *out = device(CORES * TILE * 4, 0);
  leave<<<CORES, 0, NULL>>>(out);
  return finish();
}
