/* H15: two operators in a row are bound with the capability that leaves out the cache flush (a warning). */
#include "hazard.h"

#ifdef REPAIRED
#define CAPABILITY 0
#else
#define CAPABILITY 4
#endif

typedef struct fill_args { __gm__ int32_t *out; } fill_args;

__aicore__ static inline void fill_with(__gm__ int32_t *out, int32_t value) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  asc_duplicate(tile, value, LINE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * LINE, tile, sizeof tile);
  asc_sync();
}

__global__ __mix__(0, 1) void one(__gm__ int32_t *out) { fill_with(out, 1); }
__global__ __mix__(0, 1) void two(__gm__ int32_t *out) { fill_with(out, 2); }
__sk__ __mix__(0, 1) void one_sk(const fill_args *args) { fill_with(args->out, 1); }
__sk__ __mix__(0, 1) void two_sk(const fill_args *args) { fill_with(args->out, 2); }
SK_BIND(one, CAPABILITY, one_sk);
SK_BIND(two, CAPABILITY, two_sk);

int main(void) {
  start();
  int32_t *first = device(CORES * LINE * 4, 0), *second = device(CORES * LINE * 4, 0);
  one<<<CORES, 0, NULL>>>(first);
  two<<<CORES, 0, NULL>>>(second);
  return finish();
}
