/* H11: a scalar store that stays in the data cache of its core. */
#include "hazard.h"

__global__ __vector__ void produce(__gm__ int32_t *partial) {
  asc_init();
  partial[vector_index() * LINE] = 1; /* @end */
#ifdef REPAIRED
  asc_dcci_single(partial + vector_index() * LINE);
  asc_sync_data_barrier(DSB_ALL);
#endif
  asc_sync();
}

__global__ __vector__ void consume(__gm__ int32_t *partial, __gm__ int32_t *out) {
  __ubuf__ int32_t line[LINE];
  asc_init();
  asc_copy_gm2ub(line, partial + (vector_index() + 1) % CORES * LINE, sizeof line); /* @end */
  PIPES(PIPE_MTE2, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * LINE, line, sizeof line);
  asc_sync();
}

int main(void) {
  start();
  int32_t *partial = device(CORES * LINE * 4, 0), *out = device(CORES * LINE * 4, 0);
  produce<<<CORES, 0, NULL>>>(partial);
  consume<<<CORES, 0, NULL>>>(partial, out);
  return finish();
}
