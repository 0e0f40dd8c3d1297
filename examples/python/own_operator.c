/* own_operator.c - the kernel of own_operator.py: y = relu(x) squared, float32, as a shared object.
 *
 * Compiled by: skcc -shared own_operator.c -o own_operator.so */
#include <stdint.h>

#include "acl/acl.h"
#include "c_api/asc_simd.h"

#define CORES 16u
#define TILE 2048u

__global__ __vector__ void squared_relu(__gm__ float *x, __gm__ float *y, uint32_t per_core, uint32_t total) {
  __ubuf__ float tile[TILE];
  asc_init();
  uint32_t core = (uint32_t)(asc_get_block_idx() * asc_get_sub_block_num() + asc_get_sub_block_id());
  uint32_t begin = core * per_core, end = begin + per_core < total ? begin + per_core : total;
  for (uint32_t at = begin; at < end; at += TILE) {
    uint32_t count = end - at < TILE ? end - at : TILE;
    asc_copy_gm2ub_align(tile, x + at, count * sizeof(float));
    asc_sync();
    asc_relu(tile, tile, count);
    asc_sync_pipe(PIPE_V);
    asc_mul(tile, tile, tile, count);
    asc_sync();
    asc_copy_ub2gm_align(y + at, tile, count * sizeof(float));
    asc_sync();
  }
  asc_sync();
}

/* Called by the script: queues the kernel for `total` elements; 0 or an acl error. */
__attribute__((visibility("default"))) int launch_squared_relu(void *x, void *y, uint32_t total, void *stream) {
  uint32_t per_core = (total + CORES - 1) / CORES;
  per_core = (per_core + 15u) / 16u * 16u; /* whole 64-byte lines: no line belongs to two cores */
  uint32_t blocks = total > 0 ? (total + per_core - 1) / per_core : 0;
  if (blocks == 0) return ACL_SUCCESS;
  (void)aclrtGetLastError(ACL_RT_THREAD_LEVEL);
  squared_relu<<<blocks, 0, stream>>>((__gm__ float *)x, (__gm__ float *)y, per_core, total);
  return aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL);
}
