/* UNWRITTEN_OUTPUT: the tiling data says that there is no work, and the host takes what was there. */
#include "hazard.h"

typedef struct tiling { uint32_t tiles; } tiling;

__global__ __vector__ void fill(__gm__ int32_t *out, tiling t) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  asc_duplicate(tile, 1, LINE);
  PIPES(PIPE_V, PIPE_MTE3);
  for (uint32_t i = vector_index(); i < t.tiles; i += CORES) asc_copy_ub2gm(out + i * LINE, tile, sizeof tile);
  asc_sync();
}

int main(void) {
  start();
  static int32_t result[CORES * LINE];
  int32_t *out = device(sizeof result, -1), *scratch = device(sizeof result, -1);
#ifdef REPAIRED
  tiling t = {CORES};
#else
  tiling t = {0};
#endif
  fill<<<CORES, 0, NULL>>>(out, t);
  if (aclrtSynchronizeDevice() != ACL_SUCCESS) return 1;
  if (aclrtMemcpy(result, sizeof result, out, sizeof result, ACL_MEMCPY_DEVICE_TO_HOST) != ACL_SUCCESS) return 1;
  /* No launch was given this one: it is nobody's result. */
  if (aclrtMemcpy(result, sizeof result, scratch, sizeof result, ACL_MEMCPY_DEVICE_TO_HOST) != ACL_SUCCESS) return 1;
  return finish();
}
