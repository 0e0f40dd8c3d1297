/* H29: the function for SuperKernels is declared for fewer cores than its kernel. */
#include "hazard.h"

typedef struct fill_args { __gm__ int32_t *out; } fill_args;

__aicore__ static inline void fill_tile(__gm__ int32_t *out) {
  asc_init();
  if ASC_IS_AIV {
    __ubuf__ int32_t tile[LINE];
    asc_duplicate(tile, 1, LINE);
    PIPES(PIPE_V, PIPE_MTE3);
    asc_copy_ub2gm(out + vector_index() * LINE, tile, sizeof tile);
  }
  asc_sync();
}

__global__ __mix__(1, 2) void fill(__gm__ int32_t *out) { fill_tile(out); }
#ifdef REPAIRED
__sk__ __mix__(1, 2) void fill_sk(const fill_args *args) { fill_tile(args->out); }
#else
__sk__ __mix__(1, 1) void fill_sk(const fill_args *args) { fill_tile(args->out); }
#endif
SK_BIND(fill, 0, fill_sk);

int main(void) {
  start();
  int32_t *out = device(2 * CORES * LINE * 4, 0);
  fill<<<CORES, 0, NULL>>>(out);
  return finish();
}
