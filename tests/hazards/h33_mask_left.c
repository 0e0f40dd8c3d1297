/* H33: a vector mask of an operator stays set, and the next one computes with it. */
#include "hazard.h"

__global__ __vector__ void half_masked(__gm__ float *out) {
  __ubuf__ float tile[64];
  asc_init();
  asc_duplicate(tile, 0.0f, 64);
  asc_sync_pipe(PIPE_V);
  asc_set_vector_mask(0, 0xffffffff); /* @end */
  asc_add_scalar(tile, tile, 1.0f, 1, 1, 1, 8, 8);
#ifdef REPAIRED
  asc_set_vector_mask(UINT64_MAX, UINT64_MAX);
#endif
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * 64, tile, sizeof tile);
  asc_sync();
}

__global__ __vector__ void twice(__gm__ float *data) {
  __ubuf__ float tile[64];
  asc_copy_gm2ub(tile, data + vector_index() * 64, sizeof tile);
  PIPES(PIPE_MTE2, PIPE_V);
  asc_add(tile, tile, tile, 1, 1, 1, 1, 8, 8, 8); /* @end */
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(data + vector_index() * 64, tile, sizeof tile);
  asc_sync();
}

int main(void) {
  start();
  float *out = device(CORES * 64 * 4, 0), *data = device(CORES * 64 * 4, 0);
  half_masked<<<CORES, 0, NULL>>>(out);
  twice<<<CORES, 0, NULL>>>(data);
  return finish();
}
