/* H8: one flag id in two modes before the first has been waited for. */
#include "hazard.h"

#ifdef REPAIRED
#define SECOND 2
#else
#define SECOND 1
#endif

__global__ __mix__(1, 2) void collide(void) {
  asc_init();
  if ASC_IS_AIV {
    asc_sync_subblock_arrive(PIPE_MTE3, 1);
    asc_sync_block_arrive(PIPE_MTE3, SECOND); /* @end */
    asc_sync_subblock_wait(PIPE_MTE3, 1);
  } else {
    asc_sync_block_wait(PIPE_FIX, SECOND);
  }
  asc_sync();
}

int main(void) {
  start();
  collide<<<CORES, 0, NULL>>>();
  return finish();
}
