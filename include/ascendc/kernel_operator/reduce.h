/* reduce.h - sums, maxima and minima: per block, per pair, per repeat, and of a whole tensor. */
#ifndef SK_KERNEL_OPERATOR_REDUCE_H
#define SK_KERNEL_OPERATOR_REDUCE_H

#include "vector.h"

namespace AscendC {

namespace Internal {
SK_INLINE uint8_t repeats(int32_t repeat) {
  if (repeat < 0 || repeat > 255) {
    sk_kernel_finding("BAD_ARGUMENT", "a reduction has 0 to 255 repeats", false);
    return 0;
  }
  return static_cast<uint8_t>(repeat);
}
template <ReduceType type, typename T>
SK_INLINE void reduce_block(T *dst, const T *src, int32_t repeat, int32_t dst_step, int32_t block, int32_t step) {
  uint8_t n = repeats(repeat);
  uint16_t d = static_cast<uint16_t>(dst_step), b = static_cast<uint16_t>(block), s = static_cast<uint16_t>(step);
  if constexpr (type == ReduceType::SUM) asc_datablock_reduce_sum(dst, src, n, d, b, s);
  else if constexpr (type == ReduceType::MAX) asc_datablock_reduce_max(dst, src, n, d, b, s);
  else asc_datablock_reduce_min(dst, src, n, d, b, s);
}
#define SK_BY_ORDER(kind)                                                                                          \
  switch (order) {                                                                                                 \
    case ReduceOrder::ORDER_VALUE_INDEX: asc_repeat_reduce_##kind##_value_index(dst, src, n, d, b, s); break;      \
    case ReduceOrder::ORDER_INDEX_VALUE: asc_repeat_reduce_##kind##_index_value(dst, src, n, d, b, s); break;      \
    case ReduceOrder::ORDER_ONLY_VALUE: asc_repeat_reduce_##kind##_only_value(dst, src, n, d, b, s); break;        \
    case ReduceOrder::ORDER_ONLY_INDEX: asc_repeat_reduce_##kind##_only_index(dst, src, n, d, b, s); break;        \
  }
template <ReduceType type, typename T>
SK_INLINE void reduce_repeat(T *dst, const T *src, int32_t repeat, int32_t dst_step, int32_t block, int32_t step,
                             ReduceOrder order) {
  uint8_t n = repeats(repeat);
  uint16_t d = static_cast<uint16_t>(dst_step), b = static_cast<uint16_t>(block), s = static_cast<uint16_t>(step);
  if constexpr (type == ReduceType::SUM) asc_repeat_reduce_sum(dst, src, n, d, b, s);
  else if constexpr (type == ReduceType::MAX) { SK_BY_ORDER(max) sk_note_extreme(false); }
  else { SK_BY_ORDER(min) sk_note_extreme(true); }
}
#undef SK_BY_ORDER
} // namespace Internal

/* ---- names of the current API: mask before repeat ---------------------------------------------------- */

#define SK_WITH_MASKS(X) X(int32_t mask, static_cast<uint64_t>(mask)) X(const uint64_t mask[], mask)
#define SK_REDUCE_NEW(MaskParameter, mask_value)                                                                       \
  template <ReduceType type, typename T, bool isSetMask = true>                                                        \
  SK_INLINE void ReduceDataBlock(const LocalTensor<T> &dst, const LocalTensor<T> &src, MaskParameter, int32_t repeat,  \
                                 int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride) {                   \
    SK_TAKES("ReduceDataBlock", PrimT<T>, half, float);                                                                \
    Internal::set_mask<isSetMask>(mask_value);                                                                         \
    Internal::reduce_block<type>(dst.sk_elements(), src.sk_elements(), repeat, dstRepStride, srcBlkStride, srcRepStride); \
  }                                                                                                                    \
  template <ReduceType type, typename T, bool isSetMask = true>                                                        \
  SK_INLINE void ReducePairElem(const LocalTensor<T> &dst, const LocalTensor<T> &src, MaskParameter, int32_t repeat,   \
                                int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride) {                    \
    SK_TAKES("ReducePairElem", PrimT<T>, half, float);                                                                 \
    static_assert(type == ReduceType::SUM, "ReducePairElem: pairs are summed only");                                   \
    Internal::set_mask<isSetMask>(mask_value);                                                                         \
    asc_pair_reduce_sum(dst.sk_elements(), src.sk_source(), Internal::repeats(repeat),                                 \
                        static_cast<uint16_t>(dstRepStride), static_cast<uint16_t>(srcBlkStride),                      \
                        static_cast<uint16_t>(srcRepStride));                                                          \
  }                                                                                                                    \
  template <ReduceType type, typename T, typename S, bool isSetMask = true>                                            \
  SK_INLINE void ReduceDataBlock(const LocalTensor<T> &dst, const LocalTensor<S> &src, MaskParameter, int32_t repeat,  \
                                 int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride) {                   \
    SK_TAKES("ReduceDataBlock", PrimT<T>, half, float);                                                                \
    static_assert(std::is_same<T, S>::value, "ReduceDataBlock: results have the type of the elements");                \
    ReduceDataBlock<type, T, isSetMask>(dst, src, mask, repeat, dstRepStride, srcBlkStride, srcRepStride);             \
  }                                                                                                                    \
  template <ReduceType type, typename T, typename S, bool isSetMask = true>                                            \
  SK_INLINE void ReducePairElem(const LocalTensor<T> &dst, const LocalTensor<S> &src, MaskParameter, int32_t repeat,   \
                                int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride) {                    \
    SK_TAKES("ReducePairElem", PrimT<T>, half, float);                                                                 \
    static_assert(std::is_same<T, S>::value, "ReducePairElem: results have the type of the elements");                 \
    ReducePairElem<type, T, isSetMask>(dst, src, mask, repeat, dstRepStride, srcBlkStride, srcRepStride);              \
  }                                                                                                                    \
  template <ReduceType type, typename T, bool isSetMask = true>                                                        \
  SK_INLINE void ReduceRepeat(const LocalTensor<T> &dst, const LocalTensor<T> &src, MaskParameter, int32_t repeat,     \
                              int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride,                        \
                              ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX) {                                    \
    SK_TAKES("ReduceRepeat", PrimT<T>, half, float);                                                                   \
    Internal::set_mask<isSetMask>(mask_value);                                                                         \
    Internal::reduce_repeat<type>(dst.sk_elements(), src.sk_elements(), repeat, dstRepStride, srcBlkStride, srcRepStride, order); \
  }                                                                                                                    \
  template <ReduceType type, typename T, typename S, bool isSetMask = true>                                            \
  SK_INLINE void ReduceRepeat(const LocalTensor<T> &dst, const LocalTensor<S> &src, MaskParameter, int32_t repeat,     \
                              int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride,                        \
                              ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX) {                                    \
    SK_TAKES("ReduceRepeat", PrimT<T>, half, float);                                                                   \
    static_assert(std::is_same<T, S>::value, "ReduceRepeat: sums of integers into a wider type are not modelled");     \
    ReduceRepeat<type, T, isSetMask>(dst, src, mask, repeat, dstRepStride, srcBlkStride, srcRepStride, order);         \
  }                                                                                                                    \
  template <typename T, bool isSetMask = true>                                                                         \
  SK_INLINE void WholeReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, MaskParameter, int32_t repeat,   \
                                int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride) {                    \
    SK_TAKES("WholeReduceSum", PrimT<T>, half, float);                                                                 \
    ReduceRepeat<ReduceType::SUM, T, isSetMask>(dst, src, mask, repeat, dstRepStride, srcBlkStride, srcRepStride);     \
  }                                                                                                                    \
  template <typename T, bool isSetMask = true>                                                                         \
  SK_INLINE void WholeReduceMax(const LocalTensor<T> &dst, const LocalTensor<T> &src, MaskParameter, int32_t repeat,   \
                                int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride,                      \
                                ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX) {                                  \
    SK_TAKES("WholeReduceMax", PrimT<T>, half, float);                                                                 \
    ReduceRepeat<ReduceType::MAX, T, isSetMask>(dst, src, mask, repeat, dstRepStride, srcBlkStride, srcRepStride, order); \
  }                                                                                                                    \
  template <typename T, bool isSetMask = true>                                                                         \
  SK_INLINE void WholeReduceMin(const LocalTensor<T> &dst, const LocalTensor<T> &src, MaskParameter, int32_t repeat,   \
                                int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride,                      \
                                ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX) {                                  \
    SK_TAKES("WholeReduceMin", PrimT<T>, half, float);                                                                 \
    ReduceRepeat<ReduceType::MIN, T, isSetMask>(dst, src, mask, repeat, dstRepStride, srcBlkStride, srcRepStride, order); \
  }                                                                                                                    \
  /* Old names: repeat before mask. */                                                                                 \
  template <typename T, bool isSetMask = true>                                                                         \
  SK_INLINE void BlockReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, int32_t repeat, MaskParameter,   \
                                int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride) {                    \
    SK_TAKES("BlockReduceSum", PrimT<T>, half, float);                                                                 \
    ReduceDataBlock<ReduceType::SUM, T, isSetMask>(dst, src, mask, repeat, dstRepStride, srcBlkStride, srcRepStride);  \
  }                                                                                                                    \
  template <typename T, bool isSetMask = true>                                                                         \
  SK_INLINE void BlockReduceMax(const LocalTensor<T> &dst, const LocalTensor<T> &src, int32_t repeat, MaskParameter,   \
                                int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride) {                    \
    SK_TAKES("BlockReduceMax", PrimT<T>, half, float);                                                                 \
    ReduceDataBlock<ReduceType::MAX, T, isSetMask>(dst, src, mask, repeat, dstRepStride, srcBlkStride, srcRepStride);  \
  }                                                                                                                    \
  template <typename T, bool isSetMask = true>                                                                         \
  SK_INLINE void BlockReduceMin(const LocalTensor<T> &dst, const LocalTensor<T> &src, int32_t repeat, MaskParameter,   \
                                int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride) {                    \
    SK_TAKES("BlockReduceMin", PrimT<T>, half, float);                                                                 \
    ReduceDataBlock<ReduceType::MIN, T, isSetMask>(dst, src, mask, repeat, dstRepStride, srcBlkStride, srcRepStride);  \
  }                                                                                                                    \
  template <typename T, bool isSetMask = true>                                                                         \
  SK_INLINE void PairReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, int32_t repeat, MaskParameter,    \
                               int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride) {                     \
    SK_TAKES("PairReduceSum", PrimT<T>, half, float);                                                                  \
    ReducePairElem<ReduceType::SUM, T, isSetMask>(dst, src, mask, repeat, dstRepStride, srcBlkStride, srcRepStride);   \
  }
SK_WITH_MASKS(SK_REDUCE_NEW)
#undef SK_REDUCE_NEW

template <typename T, bool isSetMask = true>
SK_INLINE void RepeatReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, int32_t repeat, int32_t mask,
                               int32_t /* dstBlkStride */, int32_t srcBlkStride, int32_t dstRepStride, int32_t srcRepStride) {
  SK_TAKES("RepeatReduceSum", PrimT<T>, half, float);
  ReduceRepeat<ReduceType::SUM, T, isSetMask>(dst, src, mask, repeat, dstRepStride, srcBlkStride, srcRepStride);
}

/* ---- the registers behind them ------------------------------------------------------------------------ */

namespace Internal {
template <typename T>
SK_INLINE T from_bits(uint64_t bits) {
  if constexpr (sizeof(T) == 2) return __builtin_bit_cast(T, static_cast<uint16_t>(bits));
  else return __builtin_bit_cast(T, static_cast<uint32_t>(bits));
}
/* Value and index of the last maximum or minimum over repeats. */
template <typename T>
SK_INLINE void last_extreme(bool least, T &value, uint32_t &index) {
  order_local_access();
  if (least) asc_get_reduce_min_cnt(value, index);
  else asc_get_reduce_max_cnt(value, index);
}
} // namespace Internal
template <typename T>
SK_INLINE void GetReduceRepeatMaxMinSpr(T &value, T &index) {
  SK_TAKES("GetReduceRepeatMaxMinSpr", T, half, float);
  uint32_t position = 0;
  Internal::last_extreme(sk_last_extreme_is_least(), value, position);
  index = Internal::from_bits<T>(position);
}
template <typename T>
SK_INLINE void GetReduceRepeatMaxMinSpr(T &value) {
  SK_TAKES("GetReduceRepeatMaxMinSpr", T, half, float);
  uint32_t position = 0;
  Internal::last_extreme(sk_last_extreme_is_least(), value, position);
}
template <typename T>
SK_INLINE T GetReduceRepeatSumSpr() {
  SK_TAKES("GetReduceRepeatSumSpr", T, half, float);
  Internal::order_local_access();
  return Internal::from_bits<T>(static_cast<uint64_t>(asc_get_acc_val()));
}

/* ---- a whole tensor ----------------------------------------------------------------------------------- */

namespace Internal {
/* Elements that the framework's reductions use of their work tensor, for so many repeats of 256 bytes. Here less is touched. */
template <typename T>
SK_INLINE constexpr uint32_t whole_blocks(uint32_t elems) {
  constexpr uint32_t block = ONE_BLK_SIZE / sizeof(T);
  return (elems + block - 1) / block * block;
}
template <typename T>
SK_INLINE constexpr uint32_t pairs_of_repeats(uint32_t elems) {
  constexpr uint32_t lanes = ONE_REPEAT_BYTE_SIZE / sizeof(T);
  return 2 * ((elems + lanes - 1) / lanes);
}
template <typename T>
SK_INLINE constexpr uint32_t extreme_work(uint32_t repeats, bool with_index) {
  uint32_t first = whole_blocks<T>(2 * repeats), second = pairs_of_repeats<T>(2 * repeats);
  if (!with_index) return first;
  return first + whole_blocks<T>(second) + (second > 2 ? whole_blocks<T>(pairs_of_repeats<T>(second)) : 0);
}
template <typename T>
SK_INLINE uint32_t count_repeats(int32_t count) {
  uint32_t repeats = static_cast<uint32_t>(count) / (ONE_REPEAT_BYTE_SIZE / sizeof(T));
  return repeats == 0 ? 1 : repeats;
}
template <typename T>
SK_INLINE void work_holds(const char *call, const LocalTensor<T> &work, uint32_t least) {
  if (!(ASCEND_IS_AIV)) return;
  if (__builtin_expect(work.GetSize() < least, 0)) sk_work_too_small(call, work.GetSize(), least);
}
} // namespace Internal

/* Repeat by repeat, the totals added in order; the result is stored by the scalar unit. */
template <typename T, bool isSetMask = true>
SK_INLINE void ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &work, const int32_t count) {
  SK_TAKES("ReduceSum", PrimT<T>, half, float);
  asc_repeat_reduce_sum(work.sk_elements(), src.sk_source(), static_cast<uint32_t>(count));
  sk_mask_full();
  if (ASCEND_IS_AIV && count > 0) dst.SetValue(0, GetReduceRepeatSumSpr<PrimT<T>>());
}
namespace Internal {
/* Totals of repeats in work, down to one in dst, as a tree. */
template <typename T>
SK_INLINE void sum_of_repeats(const LocalTensor<T> &dst, const LocalTensor<T> &work, uint32_t totals) {
  constexpr uint32_t lanes = ONE_REPEAT_BYTE_SIZE / sizeof(PrimT<T>);
  while (totals > lanes) {
    sk_pipe_barrier(PIPE_V);
    asc_repeat_reduce_sum(work.sk_elements(), work.sk_source(), totals);
    totals = (totals + lanes - 1) / lanes;
  }
  sk_pipe_barrier(PIPE_V);
  asc_repeat_reduce_sum(dst.sk_elements(), work.sk_source(), totals);
  sk_mask_full();
}
template <bool least, typename T>
SK_INLINE void store_extreme(const LocalTensor<T> &dst, bool with_index) {
  if (!(ASCEND_IS_AIV)) return;
  PrimT<T> value;
  uint32_t index = 0;
  last_extreme(least, value, index);
  sk_note_extreme(least);
  dst.SetValue(0, value);
  if (with_index) dst.SetValue(1, from_bits<PrimT<T>>(index));
}
} // namespace Internal
#define SK_REDUCE_MASKED(MaskParameter, mask_value)                                                                    \
  template <typename T>                                                                                                \
  SK_INLINE void ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &work,           \
                           MaskParameter, const int32_t repeat, const int32_t srcRepStride) {                          \
    SK_TAKES("ReduceSum", PrimT<T>, half, float);                                                                      \
    if (repeat > 0) Internal::work_holds("ReduceSum", work, Internal::whole_blocks<PrimT<T>>(static_cast<uint32_t>(repeat)));  \
    Internal::set_mask<true>(mask_value);                                                                              \
    Internal::reduce_repeat<ReduceType::SUM>(work.sk_elements(), src.sk_elements(), repeat, 1, 1, srcRepStride,        \
                                             ReduceOrder::ORDER_ONLY_VALUE);                                           \
    if (repeat > 0) Internal::sum_of_repeats(dst, work, static_cast<uint32_t>(repeat));                                \
  }                                                                                                                    \
  template <typename T>                                                                                                \
  SK_INLINE void ReduceMax(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &work,           \
                           MaskParameter, const int32_t repeat, const int32_t srcRepStride, bool calIndex = false) {   \
    SK_TAKES("ReduceMax", PrimT<T>, half, float);                                                                      \
    if (repeat > 0) Internal::work_holds("ReduceMax", work, Internal::extreme_work<PrimT<T>>(static_cast<uint32_t>(repeat), calIndex)); \
    Internal::set_mask<true>(mask_value);                                                                              \
    Internal::reduce_repeat<ReduceType::MAX>(work.sk_elements(), src.sk_elements(), repeat, 1, 1, srcRepStride,        \
                                             ReduceOrder::ORDER_VALUE_INDEX);                                          \
    if (repeat > 0) Internal::store_extreme<false>(dst, calIndex);                                                     \
  }                                                                                                                    \
  template <typename T>                                                                                                \
  SK_INLINE void ReduceMin(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &work,           \
                           MaskParameter, const int32_t repeat, const int32_t srcRepStride, bool calIndex = false) {   \
    SK_TAKES("ReduceMin", PrimT<T>, half, float);                                                                      \
    if (repeat > 0) Internal::work_holds("ReduceMin", work, Internal::extreme_work<PrimT<T>>(static_cast<uint32_t>(repeat), calIndex)); \
    Internal::set_mask<true>(mask_value);                                                                              \
    Internal::reduce_repeat<ReduceType::MIN>(work.sk_elements(), src.sk_elements(), repeat, 1, 1, srcRepStride,        \
                                             ReduceOrder::ORDER_VALUE_INDEX);                                          \
    if (repeat > 0) Internal::store_extreme<true>(dst, calIndex);                                                      \
  }
SK_WITH_MASKS(SK_REDUCE_MASKED)
#undef SK_REDUCE_MASKED
template <typename T>
SK_INLINE void ReduceMax(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &work, const int32_t count,
                         bool calIndex = false) {
  SK_TAKES("ReduceMax", PrimT<T>, half, float);
  if (count > 0)
    Internal::work_holds("ReduceMax", work, Internal::extreme_work<PrimT<T>>(Internal::count_repeats<PrimT<T>>(count), calIndex));
  asc_repeat_reduce_max_value_index(work.sk_elements(), src.sk_source(), static_cast<uint32_t>(count));
  sk_mask_full();
  if (count > 0) Internal::store_extreme<false>(dst, calIndex);
}
template <typename T>
SK_INLINE void ReduceMin(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &work, const int32_t count,
                         bool calIndex = false) {
  SK_TAKES("ReduceMin", PrimT<T>, half, float);
  if (count > 0)
    Internal::work_holds("ReduceMin", work, Internal::extreme_work<PrimT<T>>(Internal::count_repeats<PrimT<T>>(count), calIndex));
  asc_repeat_reduce_min_value_index(work.sk_elements(), src.sk_source(), static_cast<uint32_t>(count));
  sk_mask_full();
  if (count > 0) Internal::store_extreme<true>(dst, calIndex);
}

} // namespace AscendC

#endif
