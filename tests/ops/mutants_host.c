/* mutants_host.c - calls the operators on shapes whose tiles and flags all matter: several rows a core, two
 * loads of one row, a mask, groups. What a mutant breaks is found by skv verify, not here. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"
#include "c_api/asc_simd.h"
#include "superkernel/ops.h"

/* Reads the scales by DMA, as any operator behind the quantisation would. */
__global__ __vector__ void take(__gm__ float *scale, __gm__ float *out, uint32_t rows) {
  __ubuf__ float local[1024];
  asc_init();
  if (asc_get_block_idx() * asc_get_sub_block_num() + asc_get_sub_block_id() == 0) {
    asc_copy_gm2ub_align(local, scale, rows * (uint32_t)sizeof(float));
    asc_sync_notify(PIPE_MTE2, PIPE_MTE3, 0);
    asc_sync_wait(PIPE_MTE2, PIPE_MTE3, 0);
    asc_copy_ub2gm_align(out, local, rows * (uint32_t)sizeof(float));
  }
  asc_sync();
}
__global__ __vector__ void idle(__gm__ float *out) {
  (void)out;
  asc_init();
  asc_sync();
}

static void *device(size_t bytes, int value) {
  void *memory = NULL;
  if (aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS) exit(1);
  if (value >= 0) aclrtMemset(memory, bytes, value, bytes);
  return memory;
}

static int run(uint32_t rows, uint32_t experts, uint32_t k, uint32_t blocks) {
  void *x = device((size_t)rows * experts * 2, 0x3c), *y = device((size_t)rows * k * 2, -1);
  int32_t *chosen = device((size_t)rows * k * 4, -1), *row_idx = device((size_t)rows * k * 4, -1);
  uint8_t *finished = device(rows, 0);
  void *smooth = device((size_t)2 * k * 2, 0x3e), *q = device((size_t)rows * k, -1);
  float *scale = device((size_t)rows * 4, -1), *out = device((size_t)rows * 4, -1);
  int32_t ends[2] = {(int32_t)(rows / 2), (int32_t)rows}, *d_ends = device(sizeof ends, 0);
  aclrtMemcpy(d_ends, sizeof ends, ends, sizeof ends, ACL_MEMCPY_HOST_TO_DEVICE);
  int error = sk_moe_gating_top_k_softmax(x, finished, y, chosen, row_idx, rows, experts, k, SK_BF16, blocks, NULL);
  if (error == ACL_SUCCESS) error = sk_dynamic_quant(y, smooth, d_ends, q, scale, rows, k, 2, SK_BF16, 8, blocks, NULL);
  if (error != ACL_SUCCESS) return error;
  take<<<1, 0, NULL>>>(scale, out, rows);
  idle<<<48, 0, NULL>>>(out);
  return aclrtSynchronizeDevice();
}

/* mutants_host rows experts k blocks */
int main(int argc, char **argv) {
  if (argc != 5) return 2;
  aclInit(NULL);
  aclrtSetDevice(0);
  int error = run((uint32_t)atoi(argv[1]), (uint32_t)atoi(argv[2]), (uint32_t)atoi(argv[3]), (uint32_t)atoi(argv[4]));
  if (error != ACL_SUCCESS) fprintf(stderr, "%d: %s\n", error, aclGetRecentErrMsg());
  return error != ACL_SUCCESS;
}
