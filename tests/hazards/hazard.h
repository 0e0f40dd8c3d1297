/* hazard.h - what the programs of the must-find suite share: device memory, streams, the end. */
#ifndef HAZARD_H
#define HAZARD_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"
#ifdef __cplusplus
#include "kernel_operator.h"
using namespace AscendC;
#else
#include "c_api/asc_simd.h"
#endif

#define CORES 8u
#define LINE 16u   /* int32 elements of a 64-byte cache line */
#define TILE 256u  /* int32 elements of a kilobyte */
#define ALL_AIV 48u
#define ALL_AIC 24u

#ifndef __cplusplus
/* Vector cores counted by block and sub-block; right in a launch and inside an SK. */
__aicore__ static inline uint32_t vector_index(void) {
  return (uint32_t)(asc_get_block_idx() * asc_get_sub_block_num() + asc_get_sub_block_id());
}

/* A flag between two pipes, set and waited for at once. */
#define PIPES(from, to)             \
  do {                              \
    asc_sync_notify(from, to, 0);   \
    asc_sync_wait(from, to, 0);     \
  } while (0)

#endif

/* Device memory filled with a byte; fill < 0: as it comes. */
__attribute__((unused)) static void *device(size_t bytes, int fill) {
  void *memory = NULL;
  if (aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS) exit(1);
  if (fill >= 0 && aclrtMemset(memory, bytes, fill, bytes) != ACL_SUCCESS) exit(1);
  return memory;
}

__attribute__((unused)) static aclrtStream new_stream(void) {
  aclrtStream stream = NULL;
  if (aclrtCreateStream(&stream) != ACL_SUCCESS) exit(1);
  return stream;
}

__attribute__((unused)) static int start(void) {
  aclInit(NULL);
  return aclrtSetDevice(0);
}

/* Waits for all work; the report is the verifier's business, not this program's. */
__attribute__((unused)) static int finish(void) {
  (void)aclrtSynchronizeDevice();
  aclrtResetDevice(0);
  aclFinalize();
  return 0;
}

#endif
