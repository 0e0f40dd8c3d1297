/* UNWRITTEN_OUTPUT: the last tile is left out, and the host takes the whole result. */
#include "hazard.h"

#define TILES (CORES + 1)
#define COUNT (TILES * LINE - 3) /* the last tile ends inside a block of 32 bytes */

__global__ __vector__ void fill(__gm__ int32_t *out, uint32_t tiles) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  asc_duplicate(tile, 1, LINE);
  PIPES(PIPE_V, PIPE_MTE3);
  for (uint32_t i = vector_index(); i < tiles; i += CORES)
    asc_copy_ub2gm_align(out + i * LINE, tile, (i + 1 < TILES ? LINE : LINE - 3) * 4);
  asc_sync();
}

int main(void) {
  start();
  static int32_t result[TILES * LINE];
  int32_t *out = device(sizeof result, -1);
#ifdef REPAIRED
  fill<<<CORES, 0, NULL>>>(out, TILES);
#else
  fill<<<CORES, 0, NULL>>>(out, COUNT / LINE);
#endif
  if (aclrtSynchronizeDevice() != ACL_SUCCESS) return 1;
  /* The twin takes twelve bytes of padding along. */
  if (aclrtMemcpy(result, sizeof result, out, sizeof result, ACL_MEMCPY_DEVICE_TO_HOST) != ACL_SUCCESS) return 1;
  return finish();
}
