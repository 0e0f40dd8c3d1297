/* H38: work is laid out by the number of the physical core. */
#include "hazard.h"

__global__ __vector__ void by_core(__gm__ int32_t *out) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
#ifdef REPAIRED
  uint32_t at = vector_index();
#else
  uint32_t at = (uint32_t)asc_get_core_id() % CORES; /* @end */
#endif
  asc_duplicate(tile, (int32_t)at, LINE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + at * LINE, tile, sizeof tile);
  asc_sync();
}

int main(void) {
  start();
  int32_t *out = device(CORES * LINE * 4, 0);
  by_core<<<CORES, 0, NULL>>>(out);
  return finish();
}
