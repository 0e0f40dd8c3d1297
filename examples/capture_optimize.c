/* capture_optimize.c - a captured model, fused by aclskOptimize and replayed.
 *
 * Two vector kernels inside a scope become one SuperKernel. The first replay runs them as two launches, the
 * second, after optimising, as one; both must give what plain C gives. */
#include <stdio.h>

#include "acl/super_kernel.h"
#include "c_api/asc_simd.h"

#define CORES 8u
#define PART 64u /* int32 elements per core */
#define COUNT (CORES * PART)

__aicore__ static inline uint32_t core_index(void) {
  return (uint32_t)(asc_get_block_idx() * asc_get_sub_block_num() + asc_get_sub_block_id());
}

/* out = x + y, each core its own part. */
__global__ __vector__ void add(__gm__ int32_t *x, __gm__ int32_t *y, __gm__ int32_t *out) {
  __ubuf__ int32_t a[PART], b[PART];
  asc_init();
  asc_copy_gm2ub(a, x + core_index() * PART, sizeof a);
  asc_copy_gm2ub(b, y + core_index() * PART, sizeof b);
  asc_sync_notify(PIPE_MTE2, PIPE_V, 0);
  asc_sync_wait(PIPE_MTE2, PIPE_V, 0);
  asc_add(a, a, b, PART);
  asc_sync_notify(PIPE_V, PIPE_MTE3, 0);
  asc_sync_wait(PIPE_V, PIPE_MTE3, 0);
  asc_copy_ub2gm(out + core_index() * PART, a, sizeof a);
  asc_sync();
}

/* One replay: y and z are computed from x; 0 when z = 3 x. */
static int replay(aclmdlRI model, const int32_t *x, int32_t *device_z) {
  int32_t z[COUNT];
  if (aclrtMemset(device_z, sizeof z, 0, sizeof z) != ACL_SUCCESS || aclmdlRIExecute(model, -1) != ACL_SUCCESS ||
      aclrtMemcpy(z, sizeof z, device_z, sizeof z, ACL_MEMCPY_DEVICE_TO_HOST) != ACL_SUCCESS)
    return 1;
  for (uint32_t i = 0; i < COUNT; i++)
    if (z[i] != 3 * x[i]) return 1;
  return 0;
}

int main(void) {
  int32_t x[COUNT], *device_x = NULL, *y = NULL, *z = NULL;
  aclrtStream stream = NULL;
  aclmdlRI model = NULL;
  for (uint32_t i = 0; i < COUNT; i++) x[i] = (int32_t)(i * 7u) - 100;
  aclInit(NULL);
  aclrtSetDevice(0);
  aclrtCreateStream(&stream);
  aclrtMalloc((void **)&device_x, sizeof x, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMalloc((void **)&y, sizeof x, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMalloc((void **)&z, sizeof x, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMemcpy(device_x, sizeof x, x, sizeof x, ACL_MEMCPY_HOST_TO_DEVICE);

  aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
  aclskScopeBegin("triple", stream);
  add<<<CORES, 0, stream>>>(device_x, device_x, y);
  add<<<CORES, 0, stream>>>(y, device_x, z);
  aclskScopeEnd("triple", stream);
  aclmdlRICaptureEnd(stream, &model);

  aclskOption option = {.optionType = PRELOAD_CODE, .preload = {.preloadMode = 1}};
  aclskOptions options = {&option, 1};
  int failed = replay(model, x, z);
  if (aclskOptimize(model, &options) != ACL_SUCCESS) {
    printf("capture_optimize: %s\n", aclGetRecentErrMsg());
    failed = 1;
  }
  aclmdlRIDebugPrint(model);
  failed |= replay(model, x, z);
  printf("capture_optimize: %s\n", failed ? "WRONG" : "correct");
  aclmdlRIDestroy(model);
  aclrtFree(device_x);
  aclrtFree(y);
  aclrtFree(z);
  aclrtDestroyStream(stream);
  aclrtResetDevice(0);
  aclFinalize();
  return failed;
}
