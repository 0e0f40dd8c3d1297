/* H6: graph mode starts one vector core per cube core where the cube side is the larger, although a 1:2 operator is in
 * the scope. @verify --modes ge --emulate-vendor-defects */
#include "hazard.h"

#ifdef REPAIRED
#define CUBE_BLOCKS 4u
#else
#define CUBE_BLOCKS ALL_AIC
#endif

__global__ __mix__(1, 2) void halves(__gm__ int32_t *out) {
  asc_init();
  if ASC_IS_AIV {
    __ubuf__ int32_t tile[LINE];
    asc_duplicate(tile, 2, LINE);
    PIPES(PIPE_V, PIPE_MTE3);
    asc_copy_ub2gm(out + vector_index() * LINE, tile, sizeof tile);
  }
  asc_sync();
}

__global__ __cube__ void pass(__gm__ half *in, __gm__ half *out) {
  __cbuf__ half tile[TILE];
  asc_init();
  asc_copy_gm2l1(tile, in + asc_get_block_idx() * TILE, sizeof tile);
  PIPES(PIPE_MTE2, PIPE_MTE3);
  asc_copy_l12gm(out + asc_get_block_idx() * TILE, tile, sizeof tile);
  asc_sync();
}

int main(void) {
  start();
  int32_t *first = device(2 * 4 * LINE * 4, 0);
  half *in = device(ALL_AIC * TILE * 2, 1), *out = device(ALL_AIC * TILE * 2, 0);
  aclskScopeBegin("both", NULL);
  halves<<<4, 0, NULL>>>(first);
  pass<<<CUBE_BLOCKS, 0, NULL>>>(in, out);
  aclskScopeEnd("both", NULL);
  return finish();
}
