/* NOT_MODELLED: a kernel asks for something that only the chip knows. */
#include "hazard.h"

__global__ __vector__ void ask(__gm__ int32_t *out) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
#ifdef REPAIRED
  int32_t value = 1;
#else
  int32_t value = (int32_t)asc_get_phy_stack_base(); /* @end */
#endif
  asc_duplicate(tile, value, LINE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * LINE, tile, sizeof tile);
  asc_sync();
}

int main(void) {
  start();
  int32_t *out = device(CORES * LINE * 4, 0);
  ask<<<CORES, 0, NULL>>>(out);
  return finish();
}
