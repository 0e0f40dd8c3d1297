/* H10: cross-core flags in a kernel whose launch has no scheduler that counts them. */
#include "hazard.h"

#ifdef REPAIRED
#define TYPE __mix__(0, 1) __schedmode__(1)
#else
#define TYPE __vector__ __schedmode__(1)
#endif

__global__ TYPE void alone(void) {
  asc_init();
  asc_sync_inter_arrive(PIPE_MTE3, 0); /* @end */
  asc_sync_inter_wait(PIPE_MTE3, 0);
  asc_sync();
}

int main(void) {
  start();
  alone<<<ALL_AIV, 0, NULL>>>();
  return finish();
}
