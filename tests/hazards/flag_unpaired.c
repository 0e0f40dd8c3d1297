/* FLAG_UNPAIRED: an event is waited for that nobody has set. */
#include "hazard.h"

__global__ __vector__ void wait_only(void) {
  asc_init();
#ifdef REPAIRED
  asc_sync_notify(PIPE_MTE2, PIPE_V, 0);
#endif
  asc_sync_wait(PIPE_MTE2, PIPE_V, 0); /* @end */
  asc_sync();
}

int main(void) {
  start();
  wait_only<<<CORES, 0, NULL>>>();
  return finish();
}
