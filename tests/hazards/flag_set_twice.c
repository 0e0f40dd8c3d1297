/* FLAG_SET_TWICE: an event is set again before it has been waited for. */
#include "hazard.h"

__global__ __vector__ void twice(void) {
  asc_init();
  asc_sync_notify(PIPE_MTE2, PIPE_V, 0); /* @end */
#ifdef REPAIRED
  asc_sync_wait(PIPE_MTE2, PIPE_V, 0);
#endif
  asc_sync_notify(PIPE_MTE2, PIPE_V, 0); /* @end */
  asc_sync_wait(PIPE_MTE2, PIPE_V, 0);
  asc_sync();
}

int main(void) {
  start();
  twice<<<CORES, 0, NULL>>>();
  return finish();
}
