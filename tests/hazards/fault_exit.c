/* KERNEL_FAULT: a kernel ends the program where it should return. */
#include "hazard.h"

__global__ __vector__ void give_up(__gm__ int32_t *out) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
#ifdef REPAIRED
  if (vector_index() >= CORES) return;
#else
  if (vector_index() == CORES - 1) exit(3); /* @end */
#endif
  asc_duplicate(tile, 1, LINE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * LINE, tile, sizeof tile);
  asc_sync();
}

int main(void) {
  start();
  int32_t *out = device(CORES * LINE * 4, 0);
  give_up<<<CORES, 0, NULL>>>(out);
  return finish();
}
