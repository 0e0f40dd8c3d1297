/* RED_ZONE: code that no check sees stores behind an allocation; its end is compared when it is freed. */
#include "hazard.h"

__global__ __vector__ void fill(__gm__ int32_t *out) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  asc_duplicate(tile, 1, LINE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * LINE, tile, sizeof tile);
  asc_sync();
}

int main(void) {
  start();
  int32_t *out = device(CORES * LINE * 4, 0);
  fill<<<CORES, 0, NULL>>>(out);
  if (aclrtSynchronizeDevice() != ACL_SUCCESS) return 1;
#ifdef REPAIRED
  out[CORES * LINE - 1] = 2;
#else
  out[CORES * LINE] = 2; /* the host, through the device's address */
#endif
  aclrtFree(out);
  return finish();
}
