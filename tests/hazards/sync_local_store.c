/* SYNC_LOCAL: scalar code stores into UB, and the copy behind it does not wait for the store: the scalar unit only issues it. */
#include "hazard.h"

__global__ __vector__ void store(__gm__ int32_t *out) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  asc_duplicate(tile, 0, LINE);
  PIPES(PIPE_V, PIPE_S);
  tile[3] = 7; /* @end */
#ifdef REPAIRED
  PIPES(PIPE_S, PIPE_MTE3);
#else
  PIPES(PIPE_V, PIPE_MTE3);
#endif
  asc_copy_ub2gm(out + vector_index() * LINE, tile, sizeof tile); /* @end */
  asc_sync();
}

int main(void) {
  start();
  int32_t *out = device(CORES * LINE * 4, 0);
  store<<<CORES, 0, NULL>>>(out);
  return finish();
}
