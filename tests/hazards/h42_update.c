/* H42: a launch of a captured model gets other arguments after it was fused. */
#include "superkernel/model.h"
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

typedef struct put_args { int32_t *out; int32_t value; } put_args;

int main(void) {
  start();
  int32_t *out = device(2 * CORES * TILE * 4, 0);
  aclrtStream stream = new_stream();
  aclmdlRI model = NULL;
  aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
#ifdef REPAIRED
  aclskScopeBegin(NULL, stream);
#endif
  put<<<CORES, 0, stream>>>(out, 1);
#ifdef REPAIRED
  aclskScopeEnd(NULL, stream);
#endif
  put<<<CORES, 0, stream>>>(out + CORES * TILE, 2);
  if (aclmdlRICaptureEnd(stream, &model) != ACL_SUCCESS || aclskOptimize(model, NULL) != ACL_SUCCESS) return 1;
  put_args next = {out, 3};
  for (int i = 0; i < 2; i++)
    if (aclmdlRIExecute(model, -1) != ACL_SUCCESS || sk_model_update(model, "put", 0, &next, sizeof next) != ACL_SUCCESS) return 1;
  aclmdlRIDestroy(model);
  return finish();
}
