/* SYNC_GM: the host copies a result with aclrtMemcpy before anything has waited for the kernel that writes it. */
#include "hazard.h"

__global__ __vector__ void fill(__gm__ int32_t *out) {
  __ubuf__ int32_t tile[TILE];
  asc_init();
  asc_duplicate(tile, 7, TILE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * TILE, tile, sizeof tile); /* @end */
  asc_sync();
}

int main(void) {
  start();
  static int32_t result[CORES * TILE];
  int32_t *out = device(sizeof result, 0);
  aclrtStream stream = new_stream();
  fill<<<CORES, 0, stream>>>(out);
#ifdef REPAIRED
  if (aclrtSynchronizeStream(stream) != ACL_SUCCESS) return 1;
#endif
  if (aclrtMemcpy(result, sizeof result, out, sizeof result, ACL_MEMCPY_DEVICE_TO_HOST) != ACL_SUCCESS) return 1;
  return finish();
}
