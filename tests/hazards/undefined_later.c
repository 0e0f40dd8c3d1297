/* UNDEFINED_RESULT: what nobody has written is read by one launch, and what that makes of it by another, behind a
 * synchronisation; the host takes the second result. */
#include "hazard.h"

__global__ __vector__ void plus_one(__gm__ int32_t *in, __gm__ int32_t *out, uint32_t rows) {
  __ubuf__ int32_t tile[2 * LINE], sum[2 * LINE];
  asc_init();
  asc_copy_gm2ub(tile, in + vector_index() * 2 * LINE, rows * LINE * 4); /* the second row stays as it is found */
  PIPES(PIPE_MTE2, PIPE_V);
  asc_add_scalar(sum, tile, 1, 2 * LINE); /* @end */
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * 2 * LINE, sum, sizeof sum);
  asc_sync();
}

int main(void) {
  start();
  static int32_t result[2 * CORES * LINE];
  int32_t *in = device(sizeof result, 0), *between = device(sizeof result, 0), *out = device(sizeof result, 0);
#ifdef REPAIRED
  const uint32_t rows = 2;
#else
  const uint32_t rows = 1;
#endif
  plus_one<<<CORES, 0, NULL>>>(in, between, rows);
  if (aclrtSynchronizeDevice() != ACL_SUCCESS) return 1;
  plus_one<<<CORES, 0, NULL>>>(between, out, 2);
  if (aclrtSynchronizeDevice() != ACL_SUCCESS) return 1;
  if (aclrtMemcpy(result, sizeof result, out, sizeof result, ACL_MEMCPY_DEVICE_TO_HOST) != ACL_SUCCESS) return 1;
  return finish();
}
