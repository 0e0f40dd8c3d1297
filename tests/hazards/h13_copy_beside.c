/* H13: one core writes a word of a line by scalar stores, another the rest of it by a copy. */
#include "hazard.h"

__global__ __vector__ void share(__gm__ int32_t *out) {
  __ubuf__ int32_t tile[8];
  asc_init();
  uint32_t pair = vector_index() / 2;
#ifdef REPAIRED
  __gm__ int32_t *line = out + pair * 2 * LINE, *rest = line + LINE;
#else
  __gm__ int32_t *line = out + pair * LINE, *rest = line + 8;
#endif
  if (vector_index() % 2 == 0) {
    line[0] = 1; /* @end */
    asc_dcci_single(line);
    asc_sync_data_barrier(DSB_ALL);
  } else {
    asc_duplicate(tile, 2, 8);
    PIPES(PIPE_V, PIPE_MTE3);
    asc_copy_ub2gm(rest, tile, sizeof tile); /* @end */
  }
  asc_sync();
}

int main(void) {
  start();
  int32_t *out = device(CORES * LINE * 4, 0);
  share<<<CORES, 0, NULL>>>(out);
  return finish();
}
