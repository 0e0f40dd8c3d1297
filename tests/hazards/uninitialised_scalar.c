/* UNINITIALISED_READ: scalar code sums elements of UB of which the last was never written. */
#include "hazard.h"

#ifdef REPAIRED
#define FILLED TILE
#else
#define FILLED (TILE - 8)
#endif

__global__ __vector__ void sum(__gm__ int32_t *out) {
  __ubuf__ int32_t tile[TILE];
  int32_t total = 0;
  asc_init();
  asc_duplicate(tile, 1, FILLED);
  PIPES(PIPE_V, PIPE_S);
  for (uint32_t i = 0; i < TILE; i++) total += tile[i]; /* @end */
  out[vector_index() * LINE] = total;
  asc_dcci_single(out + vector_index() * LINE);
}

int main(void) {
  start();
  int32_t *out = device(CORES * LINE * 4, 0);
  sum<<<CORES, 0, NULL>>>(out);
  return finish();
}
