/* H12: a core reads by scalar loads what its own copy has just changed under its data cache. */
#include "hazard.h"

__global__ __vector__ void reread(__gm__ int32_t *data, __gm__ int32_t *out) {
  __ubuf__ int32_t line[LINE];
  asc_init();
  __gm__ int32_t *mine = data + vector_index() * LINE;
  asc_duplicate(line, mine[0] + 1, LINE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(mine, line, sizeof line); /* @end */
  PIPES(PIPE_MTE3, PIPE_S);
  PIPES(PIPE_MTE3, PIPE_V);
#ifdef REPAIRED
  asc_dcci_single(mine);
#endif
  asc_duplicate(line, mine[1], LINE); /* @end */
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * LINE, line, sizeof line);
  asc_sync();
}

int main(void) {
  start();
  int32_t *data = device(CORES * LINE * 4, 0), *out = device(CORES * LINE * 4, 0);
  reread<<<CORES, 0, NULL>>>(data, out);
  return finish();
}
