/* framework_names.h - functions of the framework's own that operators call, though they are no part of its interface: on plain
 * addresses in the unified buffer what the calls of nearly the same name do on tensors. */
#ifndef SK_KERNEL_OPERATOR_FRAMEWORK_NAMES_H
#define SK_KERNEL_OPERATOR_FRAMEWORK_NAMES_H

#include "cube.h"
#include "move.h"
#include "reduce.h"
#include "transpose.h"

namespace AscendC {
namespace Internal {
/* All from an address to the end of its memory. */
template <typename T>
SK_INLINE LocalTensor<T> local_from(T *address) {
  LocalTensor<T> tensor;
  tensor.SetAddr(address);
  return tensor;
}
template <typename T>
SK_INLINE GlobalTensor<T> global_from(__gm__ T *address) {
  GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer(address);
  return tensor;
}
} // namespace Internal

/* Movement, on vector cores only: a cube core's half of the same code does nothing. */
template <typename T>
SK_INLINE void DataCopyGM2UBImpl(__ubuf__ T *dst, __gm__ T *src, const DataCopyParams &params) {
  if (ASCEND_IS_AIV) DataCopy(Internal::local_from(dst), Internal::global_from(src), params);
}
template <typename T>
SK_INLINE void DataCopyUB2GMImpl(__gm__ T *dst, __ubuf__ T *src, const DataCopyParams &params) {
  if (ASCEND_IS_AIV) DataCopy(Internal::global_from(dst), Internal::local_from(src), params);
}
template <typename T>
SK_INLINE void DataCopyPadGm2UBImpl(__ubuf__ T *dst, __gm__ T *src, const DataCopyParams &params, const DataCopyPadParams &padding) {
  if (ASCEND_IS_AIV) DataCopyPad(Internal::local_from(dst), Internal::global_from(src), params, padding);
}
template <typename T>
SK_INLINE void DataCopyPadGm2UBImpl(__ubuf__ T *dst, __gm__ T *src, const DataCopyExtParams &params, const DataCopyPadExtParams<T> &padding) {
  if (ASCEND_IS_AIV) DataCopyPad(Internal::local_from(dst), Internal::global_from(src), params, padding);
}
template <typename T>
SK_INLINE void DataCopyPadUB2GMImpl(__gm__ T *dst, __ubuf__ T *src, const DataCopyParams &params) {
  if (ASCEND_IS_AIV) DataCopyPad(Internal::global_from(dst), Internal::local_from(src), params);
}
template <typename T>
SK_INLINE void DataCopyPadUB2GMImpl(__gm__ T *dst, __ubuf__ T *src, const DataCopyExtParams &params) {
  if (ASCEND_IS_AIV) DataCopyPad(Internal::global_from(dst), Internal::local_from(src), params);
}

template <typename T>
SK_INLINE void TransDataTo5HDImpl(__ubuf__ T *dst[16], __ubuf__ T *src[16], const TransDataTo5HDParams &params) {
  uint64_t to[16], from[16];
  for (int i = 0; i < 16; i++) to[i] = reinterpret_cast<uint64_t>(dst[i]), from[i] = reinterpret_cast<uint64_t>(src[i]);
  TransDataTo5HD<T>(to, from, params);
}
template <typename T>
SK_INLINE void TransDataTo5HDImpl(uint64_t dst[16], uint64_t src[16], const TransDataTo5HDParams &params) {
  TransDataTo5HD<T>(dst, src, params);
}

/* With the mask that is set. */
#define SK_BLOCK_REDUCE_IMPL(Name, op)                                                                                    \
  template <typename T>                                                                                                   \
  SK_INLINE void Name(__ubuf__ T *dst, __ubuf__ T *src, int32_t repeat, int32_t dstRepStride, int32_t srcBlkStride,       \
                      int32_t srcRepStride) {                                                                             \
    ReduceDataBlock<ReduceType::op, T, false>(Internal::local_from(dst), Internal::local_from(src), 0, repeat, dstRepStride, \
                                              srcBlkStride, srcRepStride);                                                \
  }
SK_BLOCK_REDUCE_IMPL(BlockReduceSumIntrinsicsImpl, SUM)
SK_BLOCK_REDUCE_IMPL(BlockReduceMaxIntrinsicsImpl, MAX)
SK_BLOCK_REDUCE_IMPL(BlockReduceMinIntrinsicsImpl, MIN)
#undef SK_BLOCK_REDUCE_IMPL

template <typename D, typename A, typename B>
SK_INLINE void MmadImpl(const LocalTensor<D> &dst, const LocalTensor<A> &a, const LocalTensor<B> &b, const MmadParams &params) {
  Mmad(dst, a, b, params);
}

} // namespace AscendC

#endif
