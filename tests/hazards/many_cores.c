/* SYNC_GM: three cores each write the same bytes over and over, for long enough that several host threads could take part. */
#include "hazard.h"

#define ROUNDS 400u

__global__ __vector__ void race(__gm__ int32_t *out) {
  __ubuf__ int32_t tile[TILE];
  asc_init();
#ifdef REPAIRED
  __gm__ int32_t *mine = out + vector_index() * TILE;
#else
  __gm__ int32_t *mine = out + vector_index() % 16 * TILE;
#endif
  asc_duplicate(tile, 1, TILE);
  PIPES(PIPE_V, PIPE_MTE3);
  for (uint32_t i = 0; i < ROUNDS; i++) {
    asc_copy_ub2gm(mine, tile, sizeof tile); /* @end */
    PIPES(PIPE_MTE3, PIPE_S);
  }
  asc_sync();
}

int main(void) {
  start();
  int32_t *out = device(ALL_AIV * TILE * 4, 0);
  for (uint32_t i = 0; i < 3; i++) {
    race<<<ALL_AIV, 0, NULL>>>(out);
    (void)aclrtSynchronizeDevice();
  }
  return finish();
}
