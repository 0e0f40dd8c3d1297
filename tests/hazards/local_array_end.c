/* LOCAL_OUT_OF_BOUNDS: a copy is longer than the array it goes to; the one behind gets the rest. */
#include "hazard.h"

#ifdef REPAIRED
#define ROOM TILE
#else
#define ROOM (TILE - 8)
#endif

__global__ __vector__ void load(__gm__ int32_t *in, __gm__ int32_t *out) {
  __ubuf__ int32_t tile[ROOM], next[TILE];
  asc_init();
  asc_copy_gm2ub(tile, in, TILE * 4); /* @end */
  PIPES(PIPE_MTE2, PIPE_MTE3);
  PIPES(PIPE_MTE3, PIPE_MTE2);
  asc_copy_gm2ub(next, in, TILE * 4);
  PIPES(PIPE_MTE2, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * TILE, next, TILE * 4);
  asc_sync();
}

int main(void) {
  start();
  int32_t *in = device(TILE * 4, 1), *out = device(CORES * TILE * 4, 0);
  load<<<CORES, 0, NULL>>>(in, out);
  return finish();
}
