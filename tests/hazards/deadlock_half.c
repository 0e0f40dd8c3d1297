/* DEADLOCK: a barrier over all vector cores that half of them do not reach. */
#include "hazard.h"

__global__ __mix__(0, 1) __schedmode__(1) void half_way(void) {
  asc_init();
#ifndef REPAIRED
  if (vector_index() % 2 == 0)
#endif
    sk_sync_all_aiv(); /* @end */
  asc_sync();
}

int main(void) {
  start();
  half_way<<<ALL_AIV, 0, NULL>>>();
  return finish();
}
