/* H43: an operator whose tiling is computed on the device is called on all cores of the SuperKernel, more than its tiling
 * has blocks. @verify --modes ge */
#include "superkernel/ge.h"
#include "hazard.h"

__global__ __vector__ void scale(__gm__ int32_t *in, __gm__ int32_t *out) {
  __ubuf__ int32_t tile[TILE];
  asc_init();
#ifdef REPAIRED
  if (asc_get_block_idx() >= asc_get_block_num()) return;
#endif
  uint32_t offset = (uint32_t)asc_get_block_idx() * TILE;
  asc_copy_gm2ub(tile, in + offset, sizeof tile); /* @end */
  PIPES(PIPE_MTE2, PIPE_V);
  asc_mul_scalar(tile, tile, 3, TILE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + offset, tile, sizeof tile);
  asc_sync();
}

int main(void) {
  start();
  int32_t *in = device(ALL_AIV * TILE * 4, 1), *out = device(ALL_AIV * TILE * 4, 0);
  sk_ge_operator op = {.name = "scale", .scope = "sp1", .tiling_sink = 1};
  if (sk_ge_operator_set(&op) != ACL_SUCCESS) return 1;
  scale<<<CORES, 0, NULL>>>(in, out);
  return finish();
}
