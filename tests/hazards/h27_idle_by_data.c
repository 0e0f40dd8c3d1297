/* H27: how many cores have work depends on the data, and the others return without the early-start call. */
#include "hazard.h"

typedef struct first_args { __gm__ int32_t *data, *active; } first_args;
typedef struct second_args { __gm__ int32_t *data, *out; } second_args;

__aicore__ static inline void produce(__gm__ int32_t *data, __gm__ int32_t *active) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  if (vector_index() >= (uint32_t)*active) {
#ifdef REPAIRED
    sk_set_next_task_start(PIPE_MTE3, PIPE_FIX);
#endif
    return;
  }
  asc_duplicate(tile, 1, LINE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(data + vector_index() * LINE, tile, sizeof tile);
  sk_set_next_task_start(PIPE_MTE3, PIPE_FIX); /* @end */
}

__aicore__ static inline void consume(__gm__ int32_t *data, __gm__ int32_t *out) {
  __ubuf__ int32_t ahead[LINE], tile[LINE];
  (void)ahead;
  asc_init();
  sk_wait_previous_task_end();
  asc_copy_gm2ub(tile, data + (vector_index() + 1) % CORES * LINE, sizeof tile);
  PIPES(PIPE_MTE2, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * LINE, tile, sizeof tile);
  asc_sync();
}

__global__ __mix__(0, 1) void first(__gm__ int32_t *data, __gm__ int32_t *active) { produce(data, active); }
__global__ __mix__(0, 1) void second(__gm__ int32_t *data, __gm__ int32_t *out) { consume(data, out); }
__sk__ __mix__(0, 1) void first_sk(const first_args *args) { produce(args->data, args->active); }
__sk__ __mix__(0, 1) void second_sk(const second_args *args) { consume(args->data, args->out); }
SK_BIND(first, 2, first_sk);
SK_BIND(second, 1, second_sk);

int main(void) {
  start();
  int32_t *data = device(CORES * LINE * 4, 0), *out = device(CORES * LINE * 4, 0), *active = device(64, 0);
  const int32_t half = CORES / 2;
  if (aclrtMemcpy(active, 64, &half, sizeof half, ACL_MEMCPY_HOST_TO_DEVICE) != ACL_SUCCESS) return 1;
  first<<<CORES, 0, NULL>>>(data, active);
  second<<<CORES, 0, NULL>>>(data, out);
  return finish();
}
