/* ENDLESS: a kernel whose loop of instructions does not end. */
#include "hazard.h"

__global__ __vector__ void spin(uint32_t rounds) {
  asc_init();
#ifdef REPAIRED
  for (uint32_t i = 0; i < rounds; i++) asc_sync_pipe(PIPE_V);
#else
  for (uint32_t i = 0; i < rounds; i += 0) asc_sync_pipe(PIPE_V); /* @end */
#endif
}

int main(void) {
  start();
  spin<<<1, 0, NULL>>>(3);
  return finish();
}
