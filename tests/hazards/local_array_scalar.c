/* LOCAL_OUT_OF_BOUNDS: a loop of scalar code writes one element more than the array has. */
#include "hazard.h"

__global__ __vector__ void count(__gm__ int32_t *out) {
  __ubuf__ int32_t numbers[TILE];
  asc_init();
#ifdef REPAIRED
  for (uint32_t i = 0; i < TILE; i++)
#else
  for (uint32_t i = 0; i <= TILE; i++)
#endif
    numbers[i] = (int32_t)i; /* @end */
  PIPES(PIPE_S, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * TILE, numbers, TILE * 4);
  asc_sync();
}

int main(void) {
  start();
  int32_t *out = device(CORES * TILE * 4, 0);
  count<<<CORES, 0, NULL>>>(out);
  return finish();
}
