/* UNDEFINED_RESULT: rows of ten numbers are computed and stored 24 lanes wide. The twin stores whole blocks of 32 bytes as
 * well: six lanes of padding go along as they were found, and the host takes them too. @with UNINITIALISED_READ */
#include "hazard.h"

#define WIDTH 10u
#ifdef REPAIRED
#define LANES WIDTH
#else
#define LANES 24u
#endif
#define PITCH 24u

__global__ __vector__ void rows(__gm__ int32_t *out) {
  __ubuf__ int32_t row[TILE];
  __ubuf__ int32_t result[TILE];
  asc_init();
  asc_duplicate(row, 1, WIDTH);
  asc_sync_pipe(PIPE_V);
  asc_add_scalar(result, row, 1, LANES); /* @end */
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * PITCH, result, (LANES * 4 + 31) / 32 * 32);
  asc_sync();
}

int main(void) {
  start();
  static int32_t result[CORES * PITCH];
  int32_t *out = device(sizeof result, 0);
  rows<<<CORES, 0, NULL>>>(out);
  if (aclrtSynchronizeDevice() != ACL_SUCCESS) return 1;
  if (aclrtMemcpy(result, sizeof result, out, sizeof result, ACL_MEMCPY_DEVICE_TO_HOST) != ACL_SUCCESS) return 1;
  return finish();
}
