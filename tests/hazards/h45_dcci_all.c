/* H45: a graph of graph mode that is compiled with debug-dcci-all, whose flush behind every operator hides that the first one
 * leaves what its scalar code has stored in the data cache. @with H11 */
#include "superkernel/ge.h"
#include "hazard.h"

__global__ __vector__ void first(__gm__ int32_t *data) {
  asc_init();
  data[vector_index() * LINE] = 7;
#ifdef REPAIRED
  asc_dcci_single(data + vector_index() * LINE);
#endif
  asc_sync();
}

__global__ __vector__ void second(__gm__ int32_t *data, __gm__ int32_t *out) {
  __ubuf__ int32_t tile[LINE];
  asc_init();
  asc_copy_gm2ub(tile, data + vector_index() * LINE, sizeof tile);
  PIPES(PIPE_MTE2, PIPE_MTE3);
  asc_copy_ub2gm(out + vector_index() * LINE, tile, sizeof tile);
  asc_sync();
}

int main(void) {
  start();
  int32_t *data = device(CORES * LINE * 4, 0), *out = device(CORES * LINE * 4, 0);
  aclrtStream stream = new_stream();
  aclmdlRI model = NULL;
  sk_ge_operator op = {.name = "first", .scope = "sp1", .options = "debug-dcci-all=1"};
  aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
  sk_ge_operator_set(&op);
  first<<<CORES, 0, stream>>>(data);
  op.name = "second";
  sk_ge_operator_set(&op);
  second<<<CORES, 0, stream>>>(data, out);
  if (aclmdlRICaptureEnd(stream, &model) != ACL_SUCCESS || sk_ge_compile(model, NULL) != ACL_SUCCESS) return 1;
  if (aclmdlRIExecute(model, -1) != ACL_SUCCESS) return 1;
  aclmdlRIDestroy(model);
  return finish();
}
