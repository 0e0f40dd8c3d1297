/* LOST_RESULT: the second of two computations writes where the first has left its result, before anybody took it.
 * @verify --unread */
#include "hazard.h"

__global__ __vector__ void twice_and_half(__gm__ float *x, __gm__ float *y) {
  __ubuf__ float in[TILE];
  __ubuf__ float out[2 * TILE];
  asc_init();
  asc_duplicate(out, 0.0f, 2 * TILE); /* a fill may be overwritten */
  asc_copy_gm2ub(in, x + vector_index() * TILE, sizeof in);
  PIPES(PIPE_MTE2, PIPE_V);
  asc_sync_pipe(PIPE_V);
  asc_mul_scalar(out, in, 2.0f, TILE); /* @end */
  asc_sync_pipe(PIPE_V);
#ifdef REPAIRED
  asc_mul_scalar(out + TILE, in, 0.5f, TILE);
#else
  asc_mul_scalar(out, in, 0.5f, TILE); /* @end */
#endif
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(y + vector_index() * 2 * TILE, out, sizeof out);
  asc_sync();
}

int main(void) {
  start();
  float *x = device(CORES * TILE * 4, 0), *y = device(CORES * 2 * TILE * 4, 0);
  twice_and_half<<<CORES, 0, NULL>>>(x, y);
  return finish();
}
