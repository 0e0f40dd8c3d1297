/* CROSS_NOT_MIXED: flags between cube and vector cores in a launch without cube cores. */
#include "hazard.h"

#ifdef REPAIRED
#define TYPE __mix__(1, 2)
#else
#define TYPE __mix__(0, 1)
#endif

__global__ TYPE void alone(void) {
  asc_init();
  if ASC_IS_AIV asc_sync_block_arrive(PIPE_MTE3, 0); /* @end */
#ifdef REPAIRED
  else asc_sync_block_wait(PIPE_FIX, 0);
#endif
  asc_sync();
}

int main(void) {
  start();
  alone<<<CORES, 0, NULL>>>();
  return finish();
}
