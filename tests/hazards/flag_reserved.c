/* FLAG_RESERVED: an event id that belongs to the system. */
#include "hazard.h"

#ifdef REPAIRED
#define ID 5
#else
#define ID 6
#endif

__global__ __vector__ void reserved(void) {
  asc_init();
  asc_sync_notify(PIPE_MTE2, PIPE_V, ID); /* @end */
  asc_sync_wait(PIPE_MTE2, PIPE_V, ID);
  asc_sync();
}

int main(void) {
  start();
  reserved<<<CORES, 0, NULL>>>();
  return finish();
}
