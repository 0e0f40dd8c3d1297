/* H14: an object over two cache lines is cleaned by its first line only. */
#include "hazard.h"

__global__ __vector__ void produce(__gm__ int32_t *data) {
  asc_init();
  __gm__ int32_t *pair = data + vector_index() * 2 * LINE + LINE - 1; /* its second word lies in the next line */
  pair[0] = 1;
  pair[1] = 2; /* @end */
  asc_dcci_single(pair);
#ifdef REPAIRED
  asc_dcci_single(pair + 1);
#endif
  asc_sync_data_barrier(DSB_ALL);
  asc_sync();
}

__global__ __vector__ void consume(__gm__ int32_t *data, __gm__ int32_t *out) {
  __ubuf__ int32_t lines[2 * LINE];
  asc_init();
  asc_copy_gm2ub(lines, data + (vector_index() + 1) % CORES * 2 * LINE, sizeof lines); /* @end */
  PIPES(PIPE_MTE2, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * 2 * LINE, lines, sizeof lines);
  asc_sync();
}

int main(void) {
  start();
  int32_t *data = device(CORES * 2 * LINE * 4, 0), *out = device(CORES * 2 * LINE * 4, 0);
  produce<<<CORES, 0, NULL>>>(data);
  consume<<<CORES, 0, NULL>>>(data, out);
  return finish();
}
