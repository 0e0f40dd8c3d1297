/* H29: the function for SuperKernels does something else than its kernel. */
#include "hazard.h"

typedef struct fill_args { __gm__ int32_t *out; int32_t value; } fill_args;

__aicore__ static inline void fill_with(__gm__ int32_t *out, int32_t value) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  asc_duplicate(tile, value, LINE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * LINE, tile, sizeof tile);
  asc_sync();
}

__global__ __mix__(0, 1) void fill(__gm__ int32_t *out, int32_t value) { fill_with(out, value + 1); }
#ifdef REPAIRED
__sk__ __mix__(0, 1) void fill_sk(const fill_args *args) { fill_with(args->out, args->value + 1); }
#else
__sk__ __mix__(0, 1) void fill_sk(const fill_args *args) { fill_with(args->out, args->value); }
#endif
SK_BIND(fill, 0, fill_sk);

int main(void) {
  start();
  int32_t *out = device(CORES * LINE * 4, 0);
  fill<<<CORES, 0, NULL>>>(out, 7);
  return finish();
}
