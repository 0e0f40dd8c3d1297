/* H33: a mode that stays changed at the end of an operator, though nobody uses it yet. */
#include "hazard.h"

__global__ __vector__ void clamp(__gm__ int32_t *out) {
  __ubuf__ int32_t tile[TILE];
  asc_init();
  asc_set_ctrl((uint64_t)asc_get_ctrl() | UINT64_C(1) << 53); /* @end */
  asc_duplicate(tile, 1, TILE);
  asc_sync_pipe(PIPE_V);
  asc_add(tile, tile, tile, TILE);
#ifdef REPAIRED
  asc_set_ctrl((uint64_t)asc_get_ctrl() & ~(UINT64_C(1) << 53));
#endif
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * TILE, tile, sizeof tile);
  asc_sync();
}

int main(void) {
  start();
  int32_t *out = device(CORES * TILE * 4, 0);
  clamp<<<CORES, 0, NULL>>>(out);
  return finish();
}
