/* H11: capability 4 leaves out the flush behind an operator that does store by scalar code. */
/* @with H15 */
#include "hazard.h"

#ifdef REPAIRED
#define CAPABILITY 0
#else
#define CAPABILITY 4
#endif

typedef struct produce_args { __gm__ int32_t *partial; } produce_args;

__aicore__ static inline void store_one(__gm__ int32_t *partial) {
  asc_init();
  partial[vector_index() * LINE] = 1; /* @end */
#ifdef REPAIRED
  asc_dcci_single(partial + vector_index() * LINE); /* for modes that flush nowhere */
  asc_sync_data_barrier(DSB_ALL);
#endif
  asc_sync();
}

__global__ __mix__(0, 1) void produce(__gm__ int32_t *partial) { store_one(partial); }
__sk__ __mix__(0, 1) void produce_sk(const produce_args *args) { store_one(args->partial); }
SK_BIND(produce, CAPABILITY, produce_sk);

__global__ __vector__ void consume(__gm__ int32_t *partial, __gm__ int32_t *out) {
  __ubuf__ int32_t line[LINE];
  asc_init();
  asc_copy_gm2ub(line, partial + (vector_index() + 1) % CORES * LINE, sizeof line); /* @end */
  PIPES(PIPE_MTE2, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * LINE, line, sizeof line);
  asc_sync();
}

int main(void) {
  start();
  int32_t *partial = device(CORES * LINE * 4, 0), *out = device(CORES * LINE * 4, 0);
  produce<<<CORES, 0, NULL>>>(partial);
  consume<<<CORES, 0, NULL>>>(partial, out);
  return finish();
}
