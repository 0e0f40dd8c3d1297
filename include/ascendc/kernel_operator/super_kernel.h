/* super_kernel.h - what an operator in a SuperKernel is told, and the early-start calls. */
#ifndef SK_KERNEL_OPERATOR_SUPER_KERNEL_H
#define SK_KERNEL_OPERATOR_SUPER_KERNEL_H

#include "tensor.h"

namespace sk {

/* The second argument of an __sk__ function. */
struct SkSystemArgs {
  uint16_t skBlockIdx;
  uint16_t skNumBlocks;   /* cores of this type that run the operator */
  uint16_t skTaskSyncCfg; /* what it may synchronise itself: early start */
  uint8_t reserved[10];
};
static_assert(sizeof(SkSystemArgs) == 16, "layout of the system arguments");

SK_INLINE uint16_t SkGetBlockIdx(const SkSystemArgs *args) { return args->skBlockIdx; }
SK_INLINE uint16_t SkGetNumBlocks(const SkSystemArgs *args) { return args->skNumBlocks; }
SK_INLINE uint16_t SkGetTaskSyncCfg(const SkSystemArgs *args) { return args->skTaskSyncCfg; }
SK_INLINE void SkSetTaskSyncCfg(SkSystemArgs *args, uint16_t config) { args->skTaskSyncCfg = config; }

} // namespace sk

namespace AscendC {

/* Later operators may start once the chosen pipe has finished what it has been given. Acts inside a
 * SuperKernel only, as far as its early-start configuration allows. */
template <pipe_t aivPipe = PIPE_MTE3, pipe_t aicPipe = PIPE_FIX, bool force = false>
SK_INLINE void SetNextTaskStart() {
  static_assert(aivPipe == PIPE_MTE2 || aivPipe == PIPE_MTE3 || aivPipe == PIPE_S || aivPipe == PIPE_V,
                "SetNextTaskStart: the pipe of vector cores is MTE2, MTE3, S or V");
  static_assert(aicPipe == PIPE_MTE1 || aicPipe == PIPE_MTE2 || aicPipe == PIPE_MTE3 || aicPipe == PIPE_FIX || aicPipe == PIPE_M,
                "SetNextTaskStart: the pipe of cube cores is MTE1, MTE2, MTE3, FIX or M");
  sk_set_next_task_start(aivPipe, aicPipe);
}
template <bool force = false>
SK_INLINE void WaitPreTaskEnd() {
  sk_wait_previous_task_end();
}

} // namespace AscendC

#endif
