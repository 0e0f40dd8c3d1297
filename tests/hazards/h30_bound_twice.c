/* H30: a kernel is bound twice, with different functions: which one holds is open, and it is not fused. */
#include "hazard.h"

typedef struct fill_args { __gm__ int32_t *out; } fill_args;

__aicore__ static inline void fill_with(__gm__ int32_t *out, int32_t value) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  asc_duplicate(tile, value, LINE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * LINE, tile, sizeof tile);
  asc_sync();
}
__global__ __mix__(0, 1) void fill(__gm__ int32_t *out) { fill_with(out, 1); }
__sk__ __mix__(0, 1) void fill_sk(const fill_args *args) { fill_with(args->out, 1); }
SK_BIND(fill, 0, fill_sk);
#ifndef REPAIRED
__sk__ __mix__(0, 1) void fill_old_sk(const fill_args *args) { fill_with(args->out, 2); }
SK_BIND(fill, 4, fill_old_sk);
#endif

int main(void) {
  start();
  int32_t *out = device(CORES * LINE * 4, 0);
  fill<<<CORES, 0, NULL>>>(out);
  return finish();
}
