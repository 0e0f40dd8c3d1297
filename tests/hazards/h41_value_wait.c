/* H41: a wait for a value is fused although its word is filled behind the SuperKernel, on a stream of the SuperKernel. */
#include "hazard.h"
#include "acl/super_kernel.h"

__global__ __vector__ void put(__gm__ int32_t *out, int32_t value) {
  __ubuf__ int32_t tile[TILE];
  asc_init();
  asc_duplicate(tile, value, TILE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * TILE, tile, sizeof tile);
  asc_sync();
}

static void join(aclrtStream from, aclrtStream to) {
  aclrtEvent event = NULL;
  aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC);
  aclrtRecordEvent(event, from);
  aclrtStreamWaitEvent(to, event);
}

int main(void) {
  start();
  int32_t *out[3];
  for (int i = 0; i < 3; i++) out[i] = device(CORES * TILE * 4, 0);
  uint64_t *ready = device(64, 0);
  aclrtStream first = new_stream(), second = new_stream();
  aclmdlRI model = NULL;
  aclmdlRICaptureBegin(first, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
  join(first, second);
  put<<<CORES, 0, first>>>(out[0], 1);
  aclrtValueWait(ready, 1, ACL_STREAM_WAIT_VALUE_GEQ, first);
  put<<<CORES, 0, first>>>(out[1], 2);
  put<<<CORES, 0, second>>>(out[2], 3);
  aclrtMemsetAsync(ready, 8, 1, 8, second);
  join(second, first);
#ifdef REPAIRED
  const uint32_t bypass = ACLSK_VALUE_BREAKER_BYPASS_NONE;
#else
  const uint32_t bypass = ACLSK_VALUE_BREAKER_BYPASS_UNPAIRED_WAIT;
#endif
  aclskOption option = {.optionType = AGGRESSIVE_OPT_STRATEGIES, .aggressiveOpts = {.valueBreakerBypass = bypass}};
  aclskOptions options = {.options = &option, .numOptions = 1};
  if (aclmdlRICaptureEnd(first, &model) != ACL_SUCCESS || aclskOptimize(model, &options) != ACL_SUCCESS) return 1;
  (void)aclmdlRIExecute(model, -1);
  aclmdlRIDestroy(model);
  return finish();
}
