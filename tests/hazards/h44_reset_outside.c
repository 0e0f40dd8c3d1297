/* H44: the event of a captured model is reset outside of it, which a SuperKernel's word does not see. */
#include "hazard.h"

__global__ __vector__ void fill(__gm__ int32_t *out, int32_t value) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  asc_duplicate(tile, value, LINE);
  PIPES(PIPE_V, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * LINE, tile, sizeof tile);
  asc_sync();
}

int main(void) {
  start();
  int32_t *out = device(CORES * LINE * 4, 0);
  aclrtStream first = new_stream(), second = new_stream();
  aclrtEvent forth = NULL, back = NULL;
  aclmdlRI model = NULL;
  if (aclrtCreateEvent(&forth) != ACL_SUCCESS || aclrtCreateEvent(&back) != ACL_SUCCESS) return 1;
  aclmdlRICaptureBegin(first, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
  fill<<<CORES, 0, first>>>(out, 1);
  aclrtRecordEvent(forth, first);
  aclrtStreamWaitEvent(second, forth);
#ifdef REPAIRED
  aclrtResetEvent(forth, second);
#endif
  fill<<<CORES, 0, second>>>(out, 2);
  aclrtRecordEvent(back, second);
  aclrtStreamWaitEvent(first, back);
  if (aclmdlRICaptureEnd(first, &model) != ACL_SUCCESS) return 1;
  for (int replay = 0; replay < 2; replay++) {
    if (aclmdlRIExecute(model, -1) != ACL_SUCCESS) return 1;
#ifndef REPAIRED
    aclrtResetEvent(forth, first);
#endif
  }
  return finish();
}
