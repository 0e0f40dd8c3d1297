/* SYNC_GM: two cores store to the same bytes, and nothing orders them. */
#include "hazard.h"

#ifdef REPAIRED
#define STEP LINE
#else
#define STEP (LINE / 2)
#endif

__global__ __vector__ void store(__gm__ int32_t *out) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  asc_duplicate(tile, 1, LINE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * STEP, tile, sizeof tile); /* @end */
  asc_sync();
}

int main(void) {
  start();
  int32_t *out = device(CORES * LINE * 4, 0);
  store<<<CORES, 0, NULL>>>(out);
  return finish();
}
