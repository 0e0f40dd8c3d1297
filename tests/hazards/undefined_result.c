/* UNDEFINED_RESULT: a product is told twice as many columns as were loaded. Loads of whole fractals take along what lies
 * behind the data, which is as it should be; it may not get into the sum. */
#include "hazard.h"

#define SIDE 16u
#define FRACTAL (SIDE * SIDE)

__global__ __cube__ void product(__gm__ half *left, __gm__ half *right, __gm__ float *out) {
  __cbuf__ half l1_left[2 * FRACTAL];
  __cbuf__ half l1_right[2 * FRACTAL];
  __ca__ half a[2 * FRACTAL];
  __cb__ half b[2 * FRACTAL];
  __cc__ float c[FRACTAL];
  asc_init();
  asc_copy_gm2l1(l1_left, left, (FRACTAL + SIDE) * 2); /* of the second fractal one row; the rest stays as it is found */
  asc_copy_gm2l1(l1_right, right, 2 * FRACTAL * 2);
  PIPES(PIPE_MTE2, PIPE_MTE1);
  asc_copy_l12l0a(a, l1_left, 0, 2, 1, 0); /* @end */
  asc_copy_l12l0b(b, l1_right, 0, 2, 1, 0);
  PIPES(PIPE_MTE1, PIPE_M);
#ifdef REPAIRED
  asc_mmad(c, a, b, SIDE, SIDE, SIDE, 0, false, false, true);
#else
  asc_mmad(c, a, b, SIDE, 2 * SIDE, SIDE, 0, false, false, true);
#endif
  PIPES(PIPE_M, PIPE_FIX);
  asc_copy_l0c2gm(out + asc_get_block_idx() * FRACTAL, c, SIDE, SIDE, SIDE, SIDE, 0, 0, 0, false, true);
  asc_sync();
}

int main(void) {
  start();
  static float result[CORES * FRACTAL];
  half *left = device((FRACTAL + SIDE) * 2, 0), *right = device(2 * FRACTAL * 2, 0);
  float *out = device(sizeof result, 0);
  product<<<CORES, 0, NULL>>>(left, right, out);
  if (aclrtSynchronizeDevice() != ACL_SUCCESS) return 1;
  if (aclrtMemcpy(result, sizeof result, out, sizeof result, ACL_MEMCPY_DEVICE_TO_HOST) != ACL_SUCCESS) return 1;
  return finish();
}
