/* call_operator.c - calls an operator by its record, as the words of a line say, with what a mutant may only show beside:
 * operators that write the inputs anew and read the results by DMA, the same call once more, one that has all cores, and
 * the host.
 *
 *   call_operator NAME [words as in call.h] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "c_api/asc_simd.h"

#define CALL_PROGRAM "call_operator"
#include "call.h"

enum { PIECE = 16384 };

/* ---- bystanders ---- */

/* Reads by DMA what an operator left, as whatever stands behind it would. */
__global__ __vector__ void take(__gm__ uint8_t *from, __gm__ uint8_t *to, uint64_t bytes) {
  __ubuf__ uint8_t local[PIECE];
  asc_init();
  if (asc_get_block_idx() * asc_get_sub_block_num() + asc_get_sub_block_id() == 0)
    for (uint64_t at = 0; at < bytes; at += PIECE) {
      uint32_t piece = bytes - at < PIECE ? (uint32_t)(bytes - at) : PIECE;
      asc_copy_gm2ub_align(local, from + at, piece);
      asc_sync_notify(PIPE_MTE2, PIPE_MTE3, 0);
      asc_sync_wait(PIPE_MTE2, PIPE_MTE3, 0);
      asc_copy_ub2gm_align(to + at, local, piece);
      asc_sync_notify(PIPE_MTE3, PIPE_MTE2, 0);
      asc_sync_wait(PIPE_MTE3, PIPE_MTE2, 0);
    }
  asc_sync();
}
/* The same bytes over again by DMA: whoever keeps them in a cache or still reads them is found out. */
__global__ __vector__ void renew(__gm__ uint8_t *tensor, uint64_t bytes) {
  __ubuf__ uint8_t local[PIECE];
  asc_init();
  if (asc_get_block_idx() * asc_get_sub_block_num() + asc_get_sub_block_id() == 0)
    for (uint64_t at = 0; at < bytes; at += PIECE) {
      uint32_t piece = bytes - at < PIECE ? (uint32_t)(bytes - at) : PIECE;
      asc_copy_gm2ub_align(local, tensor + at, piece);
      asc_sync_notify(PIPE_MTE2, PIPE_MTE3, 0);
      asc_sync_wait(PIPE_MTE2, PIPE_MTE3, 0);
      asc_copy_ub2gm_align(tensor + at, local, piece);
      asc_sync_notify(PIPE_MTE3, PIPE_MTE2, 0);
      asc_sync_wait(PIPE_MTE3, PIPE_MTE2, 0);
    }
  asc_sync();
}
__global__ __mix__(1, 2) void all_cores(__gm__ uint8_t *nothing) {
  (void)nothing;
  asc_init();
  asc_sync();
}

/* ---- the call ---- */

static void read_back(const sk_tensor *t) {
  size_t bytes = sk_tensor_bytes(t);
  void *data = malloc(bytes + 1);
  if (data == NULL) stop("malloc");
  if (bytes > 0 && aclrtMemcpy(data, bytes, t->data, bytes, ACL_MEMCPY_DEVICE_TO_HOST) != ACL_SUCCESS) stop("aclrtMemcpy");
  free(data);
}

int main(int argc, char **argv) {
  static request r;
  sk_tensor first[MOST] = {{0}}, second[MOST] = {{0}};
  aclInit(NULL);
  aclrtSetDevice(0);
  read_call(&r, argc, argv, 1);
  launch(&r, first);
  for (uint32_t i = 0; i < r.input_count; i++)
    if (r.given[i] != NULL && sk_tensor_bytes(r.given[i]) > 0) renew<<<1, 0, NULL>>>((__gm__ uint8_t *)r.given[i]->data, sk_tensor_bytes(r.given[i]));
  launch(&r, second);
  for (uint32_t i = 0; i < r.written; i++) {
    size_t bytes = sk_tensor_bytes(&first[i]);
    if (bytes > 0) take<<<1, 0, NULL>>>((__gm__ uint8_t *)first[i].data, (__gm__ uint8_t *)device(bytes), bytes);
  }
  all_cores<<<24, 0, NULL>>>(NULL);
  launch(&r, second);
  if (aclrtSynchronizeDevice() != ACL_SUCCESS) fprintf(stderr, "call_operator: the work failed\n");
  for (uint32_t i = 0; i < r.written; i++) {
    read_back(&first[i]);
    read_back(&second[i]);
  }
  return 0;
}
