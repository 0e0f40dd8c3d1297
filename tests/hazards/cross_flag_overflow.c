/* CROSS_FLAG_OVERFLOW: sixteen sets of a flag before the other side has waited once. */
#include "hazard.h"

#ifdef REPAIRED
#define TIMES 15
#else
#define TIMES 16
#endif

__global__ __mix__(1, 2) void flood(void) {
  asc_init();
  for (int i = 0; i < TIMES; i++) {
    if ASC_IS_AIC asc_sync_block_arrive(PIPE_FIX, 0); /* @end */
    else asc_sync_block_wait(PIPE_MTE3, 0);
  }
  asc_sync();
}

int main(void) {
  start();
  flood<<<CORES, 0, NULL>>>();
  return finish();
}
