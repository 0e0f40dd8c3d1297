/* forgotten_flush.c - an operator that is right alone and wrong in a SuperKernel.
 *
 * `produce` writes with scalar stores, which stay in its core's data cache. The end of a launch flushes
 * that cache; the end of a sub-kernel need not. `consume` reads by DMA, past every cache, so fused it may
 * see the old values. Built with -DREPAIRED the missing flush is there. */
#include <stdio.h>

#include "acl/acl.h"
#include "c_api/asc_simd.h"

#define CORES 8u
#define LINE 16u /* int32 elements in a 64-byte cache line: one line per core */

__aicore__ static inline uint32_t core_index(void) {
  return (uint32_t)(asc_get_block_idx() * asc_get_sub_block_num() + asc_get_sub_block_id());
}

__global__ __vector__ void produce(__gm__ int32_t *partial) {
  asc_init();
  partial[core_index() * LINE] = (int32_t)core_index() + 1;
#ifdef REPAIRED
  asc_dcci_single(partial + core_index() * LINE);
  asc_sync_data_barrier(DSB_ALL);
#endif
  asc_sync();
}

__global__ __vector__ void consume(__gm__ int32_t *partial, __gm__ int32_t *out) {
  __ubuf__ int32_t line[LINE];
  asc_init();
  asc_copy_gm2ub(line, partial + (core_index() + 1) % CORES * LINE, sizeof line);
  asc_sync_notify(PIPE_MTE2, PIPE_MTE3, 0);
  asc_sync_wait(PIPE_MTE2, PIPE_MTE3, 0);
  asc_copy_ub2gm(out + core_index() * LINE, line, sizeof line);
  asc_sync();
}

int main(void) {
  int32_t *partial = NULL, *out = NULL, result[CORES * LINE];
  aclInit(NULL);
  aclrtSetDevice(0);
  aclrtMalloc((void **)&partial, sizeof result, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMalloc((void **)&out, sizeof result, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMemset(partial, sizeof result, 0, sizeof result);
  produce<<<CORES, 0, NULL>>>(partial);
  consume<<<CORES, 0, NULL>>>(partial, out);
  int failed = aclrtSynchronizeDevice() != ACL_SUCCESS ||
               aclrtMemcpy(result, sizeof result, out, sizeof result, ACL_MEMCPY_DEVICE_TO_HOST) != ACL_SUCCESS;
  for (uint32_t i = 0; i < CORES && !failed; i++) failed = result[i * LINE] != (int32_t)((i + 1) % CORES) + 1;
  printf("forgotten_flush: %s\n", failed ? "WRONG" : "correct");
  aclrtFree(partial);
  aclrtFree(out);
  aclrtResetDevice(0);
  aclFinalize();
  return failed;
}
