/* spill.h - tensors put aside in device memory and fetched again (SpmBuffer), with the events that keep it in order. */
#ifndef SK_KERNEL_OPERATOR_SPILL_H
#define SK_KERNEL_OPERATOR_SPILL_H

#include "move.h"
#include "pipe.h"
#include "sync.h"

namespace AscendC {

namespace Internal {
template <HardEvent event>
SK_INLINE void round_trip() {
  TEventID id = GetTPipePtr()->FetchEventID(event);
  SetFlag<event>(id);
  WaitFlag<event>(id);
}
/* What bursts with their gaps reach over in device memory. */
template <typename T>
SK_INLINE uint64_t extent_elems(const DataCopyParams &p, uint16_t gap) {
  if (p.blockCount == 0 || p.blockLen == 0) return 0;
  return elems_of_bytes<T>((uint64_t{p.blockCount} * (p.blockLen + gap) - gap) * ONE_BLK_SIZE);
}
template <typename T>
SK_INLINE DataCopyParams one_burst(uint64_t elems) {
  return DataCopyParams(1, static_cast<uint16_t>(bytes_of_elems<T>(elems) / ONE_BLK_SIZE), 0, 0);
}
} // namespace Internal

/* The part of the workspace; a finding and the end of the block where it is not inside. */
template <typename T>
SK_INLINE GlobalTensor<T> TPipe::spilled(int32_t offset, uint64_t elems, const char *message) {
  uint64_t at = Internal::bytes_of_elems<T>(static_cast<uint32_t>(offset)), bytes = Internal::bytes_of_elems<T>(elems);
  if (offset < 0 || at + bytes > spill_.GetSize()) sk_kernel_finding("BAD_ARGUMENT", message, true);
  return spill_.ReinterpretCast<T>()[static_cast<uint64_t>(offset)];
}
template <typename T>
SK_INLINE void TPipe::WriteSpmBuffer(const LocalTensor<T> &from, const DataCopyParams &params, int32_t offset) {
  if (!(ASCEND_IS_AIV)) return;
  GlobalTensor<T> to = spilled<T>(offset, Internal::extent_elems<T>(params, params.dstStride),
                                  "WriteSpmBuffer: offset and size are not inside the bytes that InitSpmBuffer named");
  Internal::round_trip<HardEvent::V_MTE3>();
  Internal::round_trip<HardEvent::MTE2_MTE3>();
  DataCopy(to, from, params);
  Internal::round_trip<HardEvent::MTE3_MTE2>();
  Internal::round_trip<HardEvent::MTE3_V>();
}
template <typename T>
SK_INLINE void TPipe::ReadSpmBuffer(const LocalTensor<T> &to, const DataCopyParams &params, int32_t offset) {
  if (!(ASCEND_IS_AIV)) return;
  GlobalTensor<T> from = spilled<T>(offset, Internal::extent_elems<T>(params, params.srcStride),
                                    "ReadSpmBuffer: offset and size are not inside the bytes that InitSpmBuffer named");
  Internal::round_trip<HardEvent::V_MTE2>();
  DataCopy(to, from, params);
  Internal::round_trip<HardEvent::MTE2_V>();
  Internal::round_trip<HardEvent::MTE2_MTE3>();
}
template <typename T>
SK_INLINE void TPipe::WriteSpmBuffer(const LocalTensor<T> &from, const int32_t elems, int32_t offset) {
  WriteSpmBuffer(from, Internal::one_burst<T>(elems != 0 ? static_cast<uint32_t>(elems) : from.GetSize()), offset);
}
template <typename T>
SK_INLINE void TPipe::ReadSpmBuffer(const LocalTensor<T> &to, const int32_t elems, int32_t offset) {
  ReadSpmBuffer(to, Internal::one_burst<T>(elems != 0 ? static_cast<uint32_t>(elems) : to.GetSize()), offset);
}

} // namespace AscendC

#endif
