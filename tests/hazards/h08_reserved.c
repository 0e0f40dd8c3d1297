/* H8: a flag id that the hardware's own barriers use. */
#include "hazard.h"

#ifdef REPAIRED
#define ID 3
#else
#define ID 12
#endif

__global__ __mix__(1, 1) void reserved(void) {
  asc_init();
  if ASC_IS_AIV asc_sync_block_arrive(PIPE_MTE3, ID); /* @end */
  else asc_sync_block_wait(PIPE_FIX, ID);
  asc_sync();
}

int main(void) {
  start();
  reserved<<<CORES, 0, NULL>>>();
  return finish();
}
