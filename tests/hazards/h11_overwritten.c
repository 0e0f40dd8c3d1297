/* H11: a dirty line is written back later over what a copy has put there in the meantime. */
#include "hazard.h"

__global__ __vector__ void mark(__gm__ int32_t *data) {
  asc_init();
  data[vector_index() * LINE] = 1; /* @end */
#ifdef REPAIRED
  asc_dcci_single(data + vector_index() * LINE);
  asc_sync_data_barrier(DSB_ALL);
#endif
  asc_sync();
}

__global__ __vector__ void fill(__gm__ int32_t *data) {
  __ubuf__ int32_t line[LINE];
  asc_init();
  asc_duplicate(line, 2, LINE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(data + (vector_index() + 1) % CORES * LINE, line, sizeof line); /* @end */
  asc_sync();
}

int main(void) {
  start();
  int32_t *data = device(CORES * LINE * 4, 0);
  mark<<<CORES, 0, NULL>>>(data);
  fill<<<CORES, 0, NULL>>>(data);
  return finish();
}
