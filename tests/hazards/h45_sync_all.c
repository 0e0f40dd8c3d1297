/* H45: a model that is fused with early start and debug_sync_all, which leaves early start out: a store behind the call that
 * lets the next operator start is hidden. */
#include "hazard.h"
#include "acl/super_kernel.h"

typedef struct first_args { __gm__ int32_t *data; } first_args;
typedef struct second_args { __gm__ int32_t *data, *out; } second_args;

__aicore__ static inline void produce(__gm__ int32_t *data) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  asc_duplicate(tile, 1, LINE);
  PIPES(PIPE_V, PIPE_MTE3);
#ifdef REPAIRED
  asc_copy_ub2gm(data + vector_index() * LINE, tile, sizeof tile);
  sk_set_next_task_start(PIPE_MTE3, PIPE_FIX);
#else
  sk_set_next_task_start(PIPE_MTE3, PIPE_FIX);
  asc_copy_ub2gm(data + vector_index() * LINE, tile, sizeof tile);
#endif
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

__global__ __mix__(0, 1) void first(__gm__ int32_t *data) { produce(data); }
__global__ __mix__(0, 1) void second(__gm__ int32_t *data, __gm__ int32_t *out) { consume(data, out); }
__sk__ __mix__(0, 1) void first_sk(const first_args *args) { produce(args->data); }
__sk__ __mix__(0, 1) void second_sk(const second_args *args) { consume(args->data, args->out); }
SK_BIND(first, 2, first_sk);
SK_BIND(second, 1, second_sk);

int main(void) {
  start();
  int32_t *data = device(CORES * LINE * 4, 0), *out = device(CORES * LINE * 4, 0);
  aclrtStream stream = new_stream();
  aclmdlRI model = NULL;
  aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
  first<<<CORES, 0, stream>>>(data);
  second<<<CORES, 0, stream>>>(data, out);
  aclskOption list[] = {{.optionType = EARLY_START, .earlyStart = {.enableEarlyStart = ACLSK_EARLY_START_ENABLED}},
                        {.optionType = DEBUG_SYNC_ALL, .debugSync = {.debugSyncAll = 1}}};
  aclskOptions options = {.options = list, .numOptions = 2};
  if (aclmdlRICaptureEnd(stream, &model) != ACL_SUCCESS || aclskOptimize(model, &options) != ACL_SUCCESS) return 1;
  if (aclmdlRIExecute(model, -1) != ACL_SUCCESS) return 1;
  aclmdlRIDestroy(model);
  return finish();
}
