/* soft_sync.h - synchronisation of vector cores through device memory. */
#ifndef SK_KERNEL_OPERATOR_SOFT_SYNC_H
#define SK_KERNEL_OPERATOR_SOFT_SYNC_H

#include "tensor.h"

namespace AscendC {

template <bool isAIVOnly = true>
SK_INLINE void SyncAll(const GlobalTensor<int32_t> &gmWorkspace, const LocalTensor<int32_t> &ubWorkspace,
                       const int32_t usedCores = 0) {
  static_assert(isAIVOnly, "SyncAll: the barrier through device memory is for vector cores only");
  sk_soft_sync_all(gmWorkspace.sk_address(), ubWorkspace.sk_address(), usedCores);
}
template <bool isAIVOnly = true>
SK_INLINE void IBSet(const GlobalTensor<int32_t> &gmWorkspace, const LocalTensor<int32_t> &ubWorkspace, int32_t blockIdx,
                     int32_t eventID) {
  sk_soft_set(gmWorkspace.sk_address(), ubWorkspace.sk_address(), blockIdx, eventID, isAIVOnly);
}
template <bool isAIVOnly = true>
SK_INLINE void IBWait(const GlobalTensor<int32_t> &gmWorkspace, const LocalTensor<int32_t> &ubWorkspace, int32_t blockIdx,
                      int32_t eventID) {
  sk_soft_wait(gmWorkspace.sk_address(), ubWorkspace.sk_address(), blockIdx, eventID, isAIVOnly);
}
SK_INLINE void InitDetermineComputeWorkspace(const GlobalTensor<int32_t> &gmWorkspace, const LocalTensor<int32_t> &ubWorkspace) {
  sk_turns_begin(gmWorkspace.sk_address(), ubWorkspace.sk_address());
}
SK_INLINE void WaitPreBlock(const GlobalTensor<int32_t> &gmWorkspace, const LocalTensor<int32_t> &ubWorkspace) {
  sk_turn_wait(gmWorkspace.sk_address(), ubWorkspace.sk_address());
}
SK_INLINE void NotifyNextBlock(const GlobalTensor<int32_t> &gmWorkspace, const LocalTensor<int32_t> &ubWorkspace) {
  sk_turn_notify(gmWorkspace.sk_address(), ubWorkspace.sk_address());
}

} // namespace AscendC

#endif
