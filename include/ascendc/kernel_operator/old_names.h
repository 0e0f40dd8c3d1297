/* old_names.h - earlier names that kernels still use. */
#ifndef SK_KERNEL_OPERATOR_OLD_NAMES_H
#define SK_KERNEL_OPERATOR_OLD_NAMES_H

#include "convert.h"
#include "reduce.h"
#include "scalar.h"
#include "sync.h"

namespace AscendC {

template <int countValue>
SK_INLINE int64_t ScalarGetCountOfValue(uint64_t value) {
  return GetBitCount<countValue>(value);
}
SK_INLINE int64_t ScalarCountLeadingZero(uint64_t value) { return CountLeadingZero(value); }
template <int countValue>
SK_INLINE int64_t ScalarGetSFFValue(uint64_t value) {
  return GetSFFValue<countValue>(value);
}
template <typename T, typename U, bool isVecDeq = true, bool halfBlock = true>
SK_INLINE void CastDeq(const LocalTensor<T> &dst, const LocalTensor<U> &src, const uint32_t count) {
  CastDequant<T, U, isVecDeq, halfBlock>(dst, src, count);
}
template <typename T, typename U, bool isSetMask = true, bool isVecDeq = true, bool halfBlock = true>
SK_INLINE void CastDeq(const LocalTensor<T> &dst, const LocalTensor<U> &src, const int32_t mask, uint8_t repeat,
                       const UnaryRepeatParams &p) {
  CastDequant<T, U, isSetMask, isVecDeq, halfBlock>(dst, src, mask, repeat, p);
}
template <typename T>
SK_INLINE T GetAccVal() {
  return GetReduceRepeatSumSpr<T>();
}
SK_INLINE int64_t GetAccVal() {
  Internal::order_local_access();
  return asc_get_acc_val();
}
template <typename T>
SK_INLINE void GetReduceMaxMinCount(T &value, T &index) {
  GetReduceRepeatMaxMinSpr<T>(value, index);
}
template <typename T>
SK_INLINE void GetReduceMaxMinCount(T &value) {
  GetReduceRepeatMaxMinSpr<T>(value);
}

/* Between the cores of a block. */
template <pipe_t pipe>
SK_INLINE void NotifyEvent(uint16_t flag) {
  CrossCoreSetFlag<2, pipe>(flag);
}
SK_INLINE void WaitEvent(uint16_t flag) { CrossCoreWaitFlag(flag); }

} // namespace AscendC

#endif
