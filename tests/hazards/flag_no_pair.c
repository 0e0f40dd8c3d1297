/* FLAG_NO_PAIR: an event between two pipes that have none. */
#include "hazard.h"

#ifdef REPAIRED
#define FROM PIPE_MTE2
#else
#define FROM PIPE_MTE1
#endif

__global__ __vector__ void no_pair(void) {
  asc_init();
  asc_sync_notify(FROM, PIPE_V, 0); /* @end */
#ifdef REPAIRED
  asc_sync_wait(FROM, PIPE_V, 0);
#endif
  asc_sync();
}

int main(void) {
  start();
  no_pair<<<CORES, 0, NULL>>>();
  return finish();
}
