/* SAME_PIPE: the last tile of a core is pushed back, so that its store overlaps the one before. */
#include "hazard.h"

#define COUNT (TILE + TILE / 2)

__global__ __vector__ void tiles(__gm__ int32_t *out) {
  __ubuf__ int32_t tile[TILE];
  asc_init();
  asc_duplicate(tile, 1, TILE);
  PIPES(PIPE_V, PIPE_MTE3);
  __gm__ int32_t *mine = out + vector_index() * COUNT;
  asc_copy_ub2gm(mine, tile, sizeof tile); /* @end */
#ifdef REPAIRED
  asc_sync_pipe(PIPE_MTE3);
#endif
  asc_copy_ub2gm(mine + COUNT - TILE, tile, sizeof tile); /* @end */
  asc_sync();
}

int main(void) {
  start();
  int32_t *out = device(CORES * COUNT * 4, 0);
  tiles<<<CORES, 0, NULL>>>(out);
  return finish();
}
