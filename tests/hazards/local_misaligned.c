/* LOCAL_MISALIGNED: an operand in UB does not start on 32 bytes. */
#include "hazard.h"

#ifdef REPAIRED
#define SKIP 8
#else
#define SKIP 1
#endif

__global__ __vector__ void fill(__gm__ int32_t *out) {
  __ubuf__ int32_t tile[TILE];
  asc_init();
  asc_duplicate(tile, 0, 8);
  asc_duplicate(tile + SKIP, 1, TILE - 8); /* @end */ /* @alone: the tile stays unwritten, and is stored */
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * TILE, tile, sizeof tile);
  asc_sync();
}

int main(void) {
  start();
  int32_t *out = device(CORES * TILE * 4, 0);
  fill<<<CORES, 0, NULL>>>(out);
  return finish();
}
