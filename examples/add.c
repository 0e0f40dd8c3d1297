/* add.c - the smallest whole program: z = x + y on all vector cores, checked on the host.
 *
 *   skcc add.c -o add && skv verify ./add */
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"
#include "c_api/asc_simd.h"

#define TILE 2048u /* floats per tile: 8 KiB of UB */

__global__ __vector__ void add(__gm__ float *x, __gm__ float *y, __gm__ float *z, uint32_t per_core) {
  __ubuf__ float a[TILE], b[TILE];
  asc_init();
  uint32_t core = (uint32_t)(asc_get_block_idx() * asc_get_sub_block_num() + asc_get_sub_block_id());
  for (uint32_t i = core * per_core; i < (core + 1) * per_core; i += TILE) {
    asc_copy_gm2ub(a, x + i, sizeof a);
    asc_copy_gm2ub(b, y + i, sizeof b);
    asc_sync_notify(PIPE_MTE2, PIPE_V, 0); /* both tiles have arrived */
    asc_sync_wait(PIPE_MTE2, PIPE_V, 0);
    asc_add(a, a, b, TILE);
    asc_sync_notify(PIPE_V, PIPE_MTE3, 0); /* the sum is there */
    asc_sync_wait(PIPE_V, PIPE_MTE3, 0);
    asc_copy_ub2gm(z + i, a, sizeof a);
    asc_sync_notify(PIPE_MTE3, PIPE_MTE2, 0); /* the tile may be overwritten */
    asc_sync_wait(PIPE_MTE3, PIPE_MTE2, 0);
  }
}

static void *device_array(const float *from, size_t bytes) {
  void *array = NULL;
  if (aclrtMalloc(&array, bytes, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS ||
      (from != NULL && aclrtMemcpy(array, bytes, from, bytes, ACL_MEMCPY_HOST_TO_DEVICE) != ACL_SUCCESS)) {
    fprintf(stderr, "add: %s\n", aclGetRecentErrMsg());
    exit(1);
  }
  return array;
}

int main(void) {
  const uint32_t cores = 48, per_core = 4 * TILE, count = cores * per_core;
  const size_t bytes = count * sizeof(float);
  float *host = malloc(bytes), *sum = malloc(bytes);
  if (host == NULL || sum == NULL) return 1;
  for (uint32_t i = 0; i < count; i++) host[i] = (float)i;

  aclInit(NULL);
  aclrtSetDevice(0);
  float *x = device_array(host, bytes), *y = device_array(host, bytes), *z = device_array(NULL, bytes);
  add<<<cores, 0, NULL>>>(x, y, z, per_core);
  int failed = aclrtSynchronizeDevice() != ACL_SUCCESS || aclrtMemcpy(sum, bytes, z, bytes, ACL_MEMCPY_DEVICE_TO_HOST) != ACL_SUCCESS;
  for (uint32_t i = 0; i < count; i++) failed += sum[i] != host[i] + host[i];
  printf("add: %u elements, %d wrong\n", count, failed);

  aclrtFree(x);
  aclrtFree(y);
  aclrtFree(z);
  free(host);
  free(sum);
  aclrtResetDevice(0);
  aclFinalize();
  return failed != 0;
}
