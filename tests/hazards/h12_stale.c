/* H12: a scalar read of a line that an earlier operator has cached and another has changed since. */
#include "hazard.h"

__global__ __vector__ void look(__gm__ int32_t *data, __gm__ int32_t *out) {
  __ubuf__ int32_t line[LINE];
  asc_init();
#ifdef REPAIRED
  asc_dcci_single(data + vector_index() * LINE);
#endif
  asc_duplicate(line, data[vector_index() * LINE], LINE); /* @end */
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * LINE, line, sizeof line);
  asc_sync();
}

__global__ __vector__ void change(__gm__ int32_t *data) {
  __ubuf__ int32_t line[LINE];
  asc_init();
  asc_duplicate(line, 2, LINE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(data + (vector_index() + 1) % CORES * LINE, line, sizeof line); /* @end */
  asc_sync();
}

int main(void) {
  start();
  int32_t *data = device(CORES * LINE * 4, 0), *before = device(CORES * LINE * 4, 0), *after = device(CORES * LINE * 4, 0);
  look<<<CORES, 0, NULL>>>(data, before);
  change<<<CORES, 0, NULL>>>(data);
  look<<<CORES, 0, NULL>>>(data, after);
  return finish();
}
