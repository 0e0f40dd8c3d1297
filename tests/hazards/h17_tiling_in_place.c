/* H17: the host rewrites a tiling between two launches of an operator that is bound without the flush: the second
 * SuperKernel finds the tiling of the first in its cores' data caches. */
#include "hazard.h"

typedef struct fill_args { __gm__ int32_t *tiling, *out; } fill_args;

__aicore__ static inline void fill_by(__gm__ int32_t *tiling, __gm__ int32_t *out) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
#ifdef REPAIRED
  asc_dcci_single(tiling);
#endif
  asc_duplicate(tile, tiling[0], LINE); /* @end */
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * LINE, tile, sizeof tile);
  asc_sync();
}

__global__ __mix__(0, 1) void fill(__gm__ int32_t *tiling, __gm__ int32_t *out) { fill_by(tiling, out); }
__sk__ __mix__(0, 1) void fill_sk(const fill_args *args) { fill_by(args->tiling, args->out); }
SK_BIND(fill, 4, fill_sk);

int main(void) {
  start();
  int32_t *tiling = device(64, 0), *out = device(CORES * LINE * 4, 0);
  for (int32_t value = 1; value <= 2; value++) {
    if (aclrtMemcpy(tiling, 64, &value, sizeof value, ACL_MEMCPY_HOST_TO_DEVICE) != ACL_SUCCESS) return 1;
    fill<<<CORES, 0, NULL>>>(tiling, out);
    if (aclrtSynchronizeDevice() != ACL_SUCCESS) return 1;
  }
  return finish();
}
