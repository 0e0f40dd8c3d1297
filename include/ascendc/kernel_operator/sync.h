/* sync.h - flags, barriers, and synchronisation across cores. */
#ifndef SK_KERNEL_OPERATOR_SYNC_H
#define SK_KERNEL_OPERATOR_SYNC_H

#include "tensor.h"

namespace AscendC {

template <HardEvent event>
SK_INLINE void SetFlag(int32_t id) {
  sk_set_flag(Internal::event_source(event), Internal::event_target(event), id);
}
template <HardEvent event>
SK_INLINE void WaitFlag(int32_t id) {
  sk_wait_flag(Internal::event_source(event), Internal::event_target(event), id);
}
template <pipe_t src, pipe_t dst>
SK_INLINE void SetFlag(TEventID id) {
  sk_set_flag(src, dst, id);
}
template <pipe_t src, pipe_t dst>
SK_INLINE void WaitFlag(TEventID id) {
  sk_wait_flag(src, dst, id);
}
template <pipe_t pipe>
SK_INLINE void PipeBarrier() {
  static_assert(pipe != PIPE_S, "PipeBarrier: there is no barrier of the scalar pipe");
  sk_pipe_barrier(pipe);
}
template <MemDsbT which>
SK_INLINE void DataSyncBarrier() {
  asc_sync_data_barrier(static_cast<mem_dsb_t>(which));
}
template <pipe_t src, pipe_t dst>
class TQueSync {
public:
  SK_INLINE void SetFlag(TEventID id) { sk_set_flag(src, dst, id); }
  SK_INLINE void WaitFlag(TEventID id) { sk_wait_flag(src, dst, id); }
};

} // namespace AscendC

/* The instructions by the compiler's own names. */
SK_INLINE void pipe_barrier(pipe_t pipe) { sk_pipe_barrier(pipe); }
SK_INLINE void set_flag(pipe_t src, pipe_t dst, int32_t id) { sk_set_flag(src, dst, id); }
SK_INLINE void wait_flag(pipe_t src, pipe_t dst, int32_t id) { sk_wait_flag(src, dst, id); }
SK_INLINE void icache_preload(int64_t length) { asc_icache_preload(nullptr, length); }
#define PRELOAD(length) ::icache_preload(length)

namespace AscendC {

/* ---- across cores -------------------------------------------------------------------------- */

SK_INLINE void SetSyncBaseAddr(uint64_t address) { asc_set_ffts_base_addr(address); }

template <uint8_t mode, pipe_t pipe>
SK_INLINE void CrossCoreSetFlag(uint16_t flag) {
  static_assert(mode <= 2, "CrossCoreSetFlag: modes are 0, 1 and 2");
  sk_cross_set(pipe, mode, flag);
}
template <uint8_t mode = 0, pipe_t pipe = PIPE_S>
SK_INLINE void CrossCoreWaitFlag(uint16_t flag) {
  sk_cross_wait(pipe, flag);
}
/* The hardware barrier. Cube cores have no part in the form for vector cores only. */
template <bool isAIVOnly = true>
SK_INLINE void SyncAll() {
  if constexpr (isAIVOnly) {
    if (ASCEND_IS_AIV) sk_sync_all_aiv();
  } else {
    sk_sync_all_mix();
  }
}

} // namespace AscendC

#endif
