/* soft_sync.h - synchronisation of vector cores through device memory. */
#ifndef SK_KERNEL_OPERATOR_SOFT_SYNC_H
#define SK_KERNEL_OPERATOR_SOFT_SYNC_H

#include "pipe.h"
#include "sync.h"

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

/* Some vector cores (Wait) go on when others (Arrive) have come to a place, round by round. The workspace begins as
 * zeros; the last 1600 bytes of UB belong to it. */
enum class PipeMode : uint8_t { SCALAR_MODE, MTE3_MODE, MAX };
template <PipeMode mode>
class GroupBarrier {
  static_assert(mode == PipeMode::MTE3_MODE, "GroupBarrier: the mode is PipeMode::MTE3_MODE");

public:
  SK_INLINE GroupBarrier(GM_ADDR workspace, uint32_t arriveSize, uint32_t waitSize) {
    if (ASCEND_IS_AIV) sk_group_begin(&barrier_, workspace, arriveSize, waitSize);
  }
  GroupBarrier() = delete;
  SK_INLINE void Arrive(uint32_t arriveIndex) {
    if (ASCEND_IS_AIV) {
      if (!sk_group_arrive_ready(&barrier_, arriveIndex)) return;
      order_ones();
      sk_group_arrive(&barrier_);
    }
  }
  SK_INLINE void Wait(uint32_t waitIndex) {
    if (ASCEND_IS_AIV) {
      if (!sk_group_wait_ready(&barrier_, waitIndex)) return;
      order_ones();
      sk_group_wait(&barrier_);
    }
  }
  SK_INLINE uint64_t GetWorkspaceLen() {
    return uint64_t{512} * (barrier_.arrivers > barrier_.waiters ? barrier_.arrivers : barrier_.waiters);
  }

private:
  SK_INLINE void order_ones() {
    TEventID id = GetTPipePtr()->FetchEventID(HardEvent::S_MTE3);
    SetFlag<HardEvent::S_MTE3>(id);
    WaitFlag<HardEvent::S_MTE3>(id);
  }
  sk_group_barrier barrier_ = {};
};

} // namespace AscendC

#endif
