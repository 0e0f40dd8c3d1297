/* DEADLOCK: the cube core waits for a flag that nobody sets. */
#include "hazard.h"

__global__ __mix__(1, 2) void wait_for_ever(void) {
  asc_init();
  if ASC_IS_AIC asc_sync_block_wait(PIPE_FIX, 0); /* @end */
#ifdef REPAIRED
  else asc_sync_block_arrive(PIPE_MTE3, 0);
#endif
  asc_sync();
}

int main(void) {
  start();
  wait_for_ever<<<CORES, 0, NULL>>>();
  return finish();
}
