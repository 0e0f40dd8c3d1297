/* convert.h - Cast between element types, and requantisation with a scale register. */
#ifndef SK_KERNEL_OPERATOR_CONVERT_H
#define SK_KERNEL_OPERATOR_CONVERT_H

#include "vector.h"

namespace AscendC {

namespace Internal {
/* One structure per pair of types that exists; without it Cast does not compile. */
template <typename D, typename S>
struct conversion {
  static constexpr bool exists = false;
};
SK_INLINE void no_such_rounding() {
  sk_kernel_finding("BAD_ARGUMENT", "Cast: these two types are not converted with this RoundMode", false);
}
#define SK_CONVERSION(D, S, ...)                                                      \
  template <>                                                                         \
  struct conversion<D, S> {                                                           \
    static constexpr bool exists = true;                                              \
    template <class... Args>                                                          \
    static SK_INLINE void run(RoundMode mode, D *dst, const S *src, Args... args) {   \
      switch (mode) {                                                                 \
        __VA_ARGS__                                                                   \
        default: no_such_rounding();                                                  \
      }                                                                               \
    }                                                                                 \
  };
#define SK_CASE(mode, function) case RoundMode::CAST_##mode: function(dst, src, args...); break;
#define SK_FIVE(function)                                                                            \
  SK_CASE(RINT, function##_rn) SK_CASE(FLOOR, function##_rd) SK_CASE(CEIL, function##_ru)            \
  SK_CASE(ROUND, function##_rna) SK_CASE(TRUNC, function##_rz)
#define SK_SIX(function) SK_CASE(NONE, function) SK_FIVE(function)
SK_CONVERSION(half, int4b_t, SK_CASE(NONE, asc_int42half))
SK_CONVERSION(half, int8_t, SK_CASE(NONE, asc_int82half))
SK_CONVERSION(half, uint8_t, SK_CASE(NONE, asc_uint82half))
SK_CONVERSION(half, int16_t, SK_SIX(asc_int162half))
SK_CONVERSION(float, int16_t, SK_CASE(NONE, asc_int162float))
SK_CONVERSION(int4b_t, half, SK_SIX(asc_half2int4))
SK_CONVERSION(int8_t, half, SK_SIX(asc_half2int8))
SK_CONVERSION(uint8_t, half, SK_SIX(asc_half2uint8))
SK_CONVERSION(int16_t, half, SK_FIVE(asc_half2int16))
SK_CONVERSION(int32_t, half, SK_FIVE(asc_half2int32))
SK_CONVERSION(float, half, SK_CASE(NONE, asc_half2float))
SK_CONVERSION(float, bfloat16_t, SK_CASE(NONE, asc_bfloat162float))
SK_CONVERSION(int32_t, bfloat16_t, SK_FIVE(asc_bfloat162int32))
SK_CONVERSION(half, float, SK_SIX(asc_float2half) SK_CASE(ODD, asc_float2half_ro))
SK_CONVERSION(bfloat16_t, float, SK_FIVE(asc_float2bfloat16))
SK_CONVERSION(int16_t, float, SK_FIVE(asc_float2int16))
SK_CONVERSION(int32_t, float, SK_FIVE(asc_float2int32))
SK_CONVERSION(int64_t, float, SK_FIVE(asc_float2int64))
SK_CONVERSION(float, float, SK_FIVE(asc_float2float))
SK_CONVERSION(float, int32_t, SK_SIX(asc_int322float))
SK_CONVERSION(int16_t, int32_t, SK_CASE(NONE, asc_int322int16))
SK_CONVERSION(int32_t, int64_t, SK_CASE(NONE, asc_int642int32))
SK_CONVERSION(int64_t, int32_t, SK_CASE(NONE, asc_int322int64))
SK_CONVERSION(float, int64_t, SK_FIVE(asc_int642float))
#undef SK_CONVERSION
#undef SK_CASE
#undef SK_FIVE
#undef SK_SIX
/* The mode is ignored: the scale register says what happens. */
template <>
struct conversion<half, int32_t> {
  static constexpr bool exists = true;
  static SK_INLINE void run(RoundMode, half *dst, const int32_t *src, uint32_t count) { asc_deq_int322half(dst, src, count); }
  static SK_INLINE void run(RoundMode, half *dst, const int32_t *src, uint8_t repeat, uint16_t dst_block, uint16_t src_block,
                            uint8_t dst_repeat, uint8_t src_repeat) {
    asc_deq_int322half(dst, src, repeat, dst_block, src_block, dst_repeat, src_repeat);
  }
};
} // namespace Internal

#define SK_CAST_EXISTS(T, U) \
  static_assert(Internal::conversion<PrimT<T>, PrimT<U>>::exists, \
                "Cast: there is no conversion between these element types; as destination(source): " \
                "half(int4b_t), half(int8_t), half(uint8_t), half(int16_t), float(int16_t), int4b_t(half), " \
                "int8_t(half), uint8_t(half), int16_t(half), int32_t(half), float(half), float(bfloat16_t), " \
                "int32_t(bfloat16_t), half(float), bfloat16_t(float), int16_t(float), int32_t(float), " \
                "int64_t(float), float(float), float(int32_t), int16_t(int32_t), int32_t(int64_t), " \
                "int64_t(int32_t), float(int64_t), half(int32_t)")
template <typename T, typename U>
SK_INLINE void Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src, const RoundMode &mode, const uint32_t count) {
  SK_CAST_EXISTS(T, U);
  SK_TRAITS_AGREE("Cast", T, U);
  Internal::all_hold(count, dst, src);
  Internal::conversion<PrimT<T>, PrimT<U>>::run(mode, dst.sk_elements(), src.sk_source(), count);
  sk_mask_full();
}
template <typename T, typename U, bool isSetMask = true>
SK_INLINE void Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src, const RoundMode &mode, const uint64_t mask,
                    const uint8_t repeat, const UnaryRepeatParams &p) {
  SK_CAST_EXISTS(T, U);
  SK_TRAITS_AGREE("Cast", T, U);
  Internal::set_mask<isSetMask>(mask);
  Internal::conversion<PrimT<T>, PrimT<U>>::run(mode, dst.sk_elements(), src.sk_source(), SK_STRIDES_1(repeat, p));
}
template <typename T, typename U, bool isSetMask = true>
SK_INLINE void Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src, const RoundMode &mode, const uint64_t mask[],
                    const uint8_t repeat, const UnaryRepeatParams &p) {
  SK_CAST_EXISTS(T, U);
  SK_TRAITS_AGREE("Cast", T, U);
  Internal::set_mask<isSetMask>(mask);
  Internal::conversion<PrimT<T>, PrimT<U>>::run(mode, dst.sk_elements(), src.sk_source(), SK_STRIDES_1(repeat, p));
}
#undef SK_CAST_EXISTS

/* ---- requantisation ---------------------------------------------------------------------------- */

SK_INLINE void SetDeqScale(half scale) { asc_set_deq_scale(scale); }
SK_INLINE void SetDeqScale(float scale, int16_t offset, bool signMode) { asc_set_deq_scale(scale, offset, signMode); }
template <typename T>
SK_INLINE void SetDeqScale(const LocalTensor<T> &vdeq, const VdeqInfo &info) {
  asc_set_deq_scale(reinterpret_cast<uint64_t *>(vdeq.sk_address()), info.vdeqScale, info.vdeqOffset, info.vdeqSignMode);
}

namespace Internal {
template <bool isVecDeq, bool halfBlock, typename D, typename S, class... Args>
SK_INLINE void cast_dequant(D *dst, const S *src, Args... args) {
  if constexpr (std::is_same<D, half>::value) {
    asc_deq_int322half(dst, src, args...);
  } else {
    if constexpr (isVecDeq && halfBlock) asc_vdeq_int162b8_h(dst, src, args...);
    else if constexpr (isVecDeq) asc_vdeq_int162b8_l(dst, src, args...);
    else if constexpr (halfBlock) asc_deq_int162b8_h(dst, src, args...);
    else asc_deq_int162b8_l(dst, src, args...);
  }
}
} // namespace Internal
template <typename T, typename U, bool isVecDeq = true, bool halfBlock = true>
SK_INLINE void CastDequant(const LocalTensor<T> &dst, const LocalTensor<U> &src, const uint32_t count) {
  SK_TAKES_FROM("CastDequant", PrimT<T>, PrimT<U>, half(int32_t), int8_t(int16_t), uint8_t(int16_t));
  SK_TRAITS_AGREE("CastDequant", T, U);
  Internal::cast_dequant<isVecDeq, halfBlock>(dst.sk_elements(), src.sk_elements(), count);
  sk_mask_full();
}
template <typename T, typename U, bool isSetMask = true, bool isVecDeq = true, bool halfBlock = true>
SK_INLINE void CastDequant(const LocalTensor<T> &dst, const LocalTensor<U> &src, const int32_t mask, uint8_t repeat,
                           const UnaryRepeatParams &p) {
  SK_TAKES_FROM("CastDequant", PrimT<T>, PrimT<U>, half(int32_t), int8_t(int16_t), uint8_t(int16_t));
  SK_TRAITS_AGREE("CastDequant", T, U);
  Internal::set_mask<isSetMask>(static_cast<uint64_t>(mask));
  Internal::cast_dequant<isVecDeq, halfBlock>(dst.sk_elements(), src.sk_elements(), SK_STRIDES_1(repeat, p));
}
template <typename T, typename U, bool isSetMask = true, bool isVecDeq = true, bool halfBlock = true>
SK_INLINE void CastDequant(const LocalTensor<T> &dst, const LocalTensor<U> &src, const uint64_t mask[], uint8_t repeat,
                           const UnaryRepeatParams &p) {
  SK_TAKES_FROM("CastDequant", PrimT<T>, PrimT<U>, half(int32_t), int8_t(int16_t), uint8_t(int16_t));
  SK_TRAITS_AGREE("CastDequant", T, U);
  Internal::set_mask<isSetMask>(mask);
  Internal::cast_dequant<isVecDeq, halfBlock>(dst.sk_elements(), src.sk_elements(), SK_STRIDES_1(repeat, p));
}

} // namespace AscendC

#endif
