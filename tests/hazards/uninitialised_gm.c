/* UNINITIALISED_READ: a kernel reads device memory that nobody has written. */
#include "hazard.h"

#ifdef REPAIRED
#define FILL 0
#else
#define FILL -1
#endif

__global__ __vector__ void copy(__gm__ int32_t *in, __gm__ int32_t *out) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  asc_copy_gm2ub(tile, in + vector_index() * LINE, sizeof tile); /* @end */
  PIPES(PIPE_MTE2, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * LINE, tile, sizeof tile);
  asc_sync();
}

int main(void) {
  start();
  int32_t *in = device(CORES * LINE * 4, FILL), *out = device(CORES * LINE * 4, 0);
  copy<<<CORES, 0, NULL>>>(in, out);
  return finish();
}
