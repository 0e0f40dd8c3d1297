/* H16: an option takes away the flush after an operator that was not built for it. */
#include "hazard.h"

#include "acl/super_kernel.h"

#ifdef REPAIRED
#define CAPABILITY 4
#else
#define CAPABILITY 0
#endif

typedef struct fill_args { __gm__ int32_t *out; } fill_args;

__aicore__ static inline void fill_tile(__gm__ int32_t *out) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  asc_duplicate(tile, 1, LINE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * LINE, tile, sizeof tile);
  asc_sync();
}
__global__ __mix__(0, 1) void fill(__gm__ int32_t *out) { fill_tile(out); }
__sk__ __mix__(0, 1) void fill_sk(const fill_args *args) { fill_tile(args->out); }
SK_BIND(fill, CAPABILITY, fill_sk);

int main(void) {
  start();
  int32_t *out = device(CORES * LINE * 4, 0);
  aclrtStream stream = new_stream();
  aclmdlRI model = NULL;
  aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
  aclskScopeBegin("fill", stream);
  fill<<<CORES, 0, stream>>>(out);
  aclskScopeEnd("fill", stream);
  if (aclmdlRICaptureEnd(stream, &model) != ACL_SUCCESS) return 1;
  char *names[] = {"fill"};
  aclskOption option = {.optionType = DCCI_DISABLE_ON_KERNEL, .disableKernelDcci = {names, 1}};
  aclskOptions options = {&option, 1};
  if (aclskOptimize(model, &options) != ACL_SUCCESS || aclmdlRIExecute(model, -1) != ACL_SUCCESS) return 1;
  return finish();
}
