/* compare.h - comparisons into bits, and selection by bits. */
#ifndef SK_KERNEL_OPERATOR_COMPARE_H
#define SK_KERNEL_OPERATOR_COMPARE_H

#include "vector.h"

namespace AscendC {

namespace Internal {
SK_INLINE void equal_only() { sk_kernel_finding("BAD_ARGUMENT", "Compare: int32_t is compared for EQ only", false); }
template <class... Args>
SK_INLINE void compare(CMPMODE mode, uint8_t *dst, const int32_t *src0, Args... args) {
  if (mode == CMPMODE::EQ) asc_eq(dst, src0, args...);
  else equal_only();
}
template <class... Args>
SK_INLINE void compare_scalar(CMPMODE mode, uint8_t *dst, const int32_t *src, Args... args) {
  if (mode == CMPMODE::EQ) asc_eq_scalar(dst, src, args...);
  else equal_only();
}
#define SK_BY_MODE(suffix, ...)                                  \
  switch (mode) {                                                \
    case CMPMODE::LT: asc_lt##suffix(__VA_ARGS__); break;        \
    case CMPMODE::GT: asc_gt##suffix(__VA_ARGS__); break;        \
    case CMPMODE::EQ: asc_eq##suffix(__VA_ARGS__); break;        \
    case CMPMODE::LE: asc_le##suffix(__VA_ARGS__); break;        \
    case CMPMODE::GE: asc_ge##suffix(__VA_ARGS__); break;        \
    case CMPMODE::NE: asc_ne##suffix(__VA_ARGS__); break;        \
  }
template <typename T, class... Args>
SK_INLINE void compare(CMPMODE mode, uint8_t *dst, const T *src0, Args... args) {
  SK_BY_MODE(, dst, src0, args...)
}
template <typename T, class... Args>
SK_INLINE void compare_scalar(CMPMODE mode, uint8_t *dst, const T *src, Args... args) {
  SK_BY_MODE(_scalar, dst, src, args...)
}
template <typename T, class... Args>
SK_INLINE void compare_register(CMPMODE mode, const T *src0, Args... args) {
  SK_BY_MODE(, src0, args...)
}
#undef SK_BY_MODE

/* Whole repeats of 256 bytes in counter mode; a rest is not compared. False: there is not one. */
template <typename T>
SK_INLINE bool begin_whole_repeats(uint32_t count) {
  constexpr uint32_t lanes = ONE_REPEAT_BYTE_SIZE / sizeof(T);
  if (count < lanes) return false;
  asc_set_mask_count();
  asc_set_vector_mask(0, count / lanes * lanes);
  return true;
}
SK_INLINE void end_whole_repeats() {
  asc_set_mask_norm();
  sk_mask_full();
}
template <typename U>
SK_INLINE uint8_t *bits_of_tensor(const LocalTensor<U> &tensor) {
  return reinterpret_cast<uint8_t *>(tensor.sk_elements());
}
} // namespace Internal

template <typename T, typename U>
SK_INLINE void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, CMPMODE mode,
                       uint32_t count) {
  SK_TAKES("Compare", PrimT<T>, half, float, int32_t);
  SK_TRAITS_AGREE("Compare", T, U);
  static_assert(sizeof(PrimT<U>) == 1, "Compare: results are bits in int8_t or uint8_t");
  Internal::all_hold(count / (ONE_REPEAT_BYTE_SIZE / sizeof(PrimT<T>)) * (ONE_REPEAT_BYTE_SIZE / sizeof(PrimT<T>)) / 8, dst);
  if (!Internal::begin_whole_repeats<PrimT<T>>(count)) return;
  Internal::compare(mode, Internal::bits_of_tensor(dst), src0.sk_source(), src1.sk_source(),
                    SK_STRIDES_2(uint8_t{1}, BinaryRepeatParams()));
  Internal::end_whole_repeats();
}
/* The mask has no part in comparisons into memory. */
template <typename T, typename U, bool isSetMask = true>
SK_INLINE void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, CMPMODE mode,
                       const uint64_t mask, uint8_t repeat, const BinaryRepeatParams &p) {
  SK_TAKES("Compare", PrimT<T>, half, float, int32_t);
  SK_TRAITS_AGREE("Compare", T, U);
  static_assert(sizeof(PrimT<U>) == 1, "Compare: results are bits in int8_t or uint8_t");
  Internal::set_mask<isSetMask>(mask);
  Internal::compare(mode, Internal::bits_of_tensor(dst), src0.sk_source(), src1.sk_source(), SK_STRIDES_2(repeat, p));
}
template <typename T, typename U, bool isSetMask = true>
SK_INLINE void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, CMPMODE mode,
                       const uint64_t mask[], uint8_t repeat, const BinaryRepeatParams &p) {
  SK_TAKES("Compare", PrimT<T>, half, float, int32_t);
  SK_TRAITS_AGREE("Compare", T, U);
  static_assert(sizeof(PrimT<U>) == 1, "Compare: results are bits in int8_t or uint8_t");
  Internal::set_mask<isSetMask>(mask);
  Internal::compare(mode, Internal::bits_of_tensor(dst), src0.sk_source(), src1.sk_source(), SK_STRIDES_2(repeat, p));
}
/* Into the mask register: one repeat. */
template <typename T, bool isSetMask = true>
SK_INLINE void Compare(const LocalTensor<T> &src0, const LocalTensor<T> &src1, CMPMODE mode, const uint64_t mask,
                       const BinaryRepeatParams &p) {
  SK_TAKES("Compare", PrimT<T>, half, float);
  Internal::set_mask<isSetMask>(mask);
  Internal::compare_register(mode, src0.sk_source(), src1.sk_source(), SK_STRIDES_2(uint8_t{1}, p));
}
template <typename T, bool isSetMask = true>
SK_INLINE void Compare(const LocalTensor<T> &src0, const LocalTensor<T> &src1, CMPMODE mode, const uint64_t mask[],
                       const BinaryRepeatParams &p) {
  SK_TAKES("Compare", PrimT<T>, half, float);
  Internal::set_mask<isSetMask>(mask);
  Internal::compare_register(mode, src0.sk_source(), src1.sk_source(), SK_STRIDES_2(uint8_t{1}, p));
}

#define SK_COMPARES(Name)                                                                                              \
  template <typename T, typename U, bool isSetMask = true>                                                             \
  SK_INLINE void Name(const LocalTensor<U> &dst, const LocalTensor<T> &src, const SK_SAME_TYPE &value, CMPMODE mode,   \
                      uint32_t count) {                                                                                \
    SK_TAKES(#Name, T, half, float, int32_t);                                                                          \
    static_assert(sizeof(U) == 1, #Name ": results are bits in int8_t or uint8_t");                                    \
    Internal::all_hold(count / (ONE_REPEAT_BYTE_SIZE / sizeof(T)) * (ONE_REPEAT_BYTE_SIZE / sizeof(T)) / 8, dst);      \
    if (!Internal::begin_whole_repeats<T>(count)) return;                                                              \
    Internal::compare_scalar(mode, Internal::bits_of_tensor(dst), static_cast<const T *>(src.sk_address()), value,     \
                             SK_STRIDES_1(uint8_t{1}, UnaryRepeatParams()));                                           \
    Internal::end_whole_repeats();                                                                                     \
  }                                                                                                                    \
  template <typename T, typename U, bool isSetMask = true>                                                             \
  SK_INLINE void Name(const LocalTensor<U> &dst, const LocalTensor<T> &src, const SK_SAME_TYPE &value, CMPMODE mode,   \
                      const uint64_t mask, uint8_t repeat, const UnaryRepeatParams &p) {                               \
    SK_TAKES(#Name, T, half, float, int32_t);                                                                          \
    static_assert(sizeof(U) == 1, #Name ": results are bits in int8_t or uint8_t");                                    \
    Internal::set_mask<isSetMask>(mask);                                                                               \
    Internal::compare_scalar(mode, Internal::bits_of_tensor(dst), static_cast<const T *>(src.sk_address()), value,     \
                             SK_STRIDES_1(repeat, p));                                                                 \
  }                                                                                                                    \
  template <typename T, typename U, bool isSetMask = true>                                                             \
  SK_INLINE void Name(const LocalTensor<U> &dst, const LocalTensor<T> &src, const SK_SAME_TYPE &value, CMPMODE mode,   \
                      const uint64_t mask[], uint8_t repeat, const UnaryRepeatParams &p) {                             \
    SK_TAKES(#Name, T, half, float, int32_t);                                                                          \
    static_assert(sizeof(U) == 1, #Name ": results are bits in int8_t or uint8_t");                                    \
    Internal::set_mask<isSetMask>(mask);                                                                               \
    Internal::compare_scalar(mode, Internal::bits_of_tensor(dst), static_cast<const T *>(src.sk_address()), value,     \
                             SK_STRIDES_1(repeat, p));                                                                 \
  }
SK_COMPARES(Compares)
SK_COMPARES(CompareScalar)
#undef SK_COMPARES

/* ---- whole tensors: bits = a < b ------------------------------------------------------------------------ */

namespace Internal {
template <typename T, CMPMODE mode>
struct tensor_comparison {
  using sk_is_expression = void;
  const LocalTensor<T> &left, &right;
  template <typename U>
  SK_INLINE void run(const LocalTensor<U> &dst) const {
    Compare(dst, left, right, mode, left.GetSize());
  }
};
} // namespace Internal
#define SK_TENSOR_COMPARISON(symbol, mode)                                                                             \
  template <typename T>                                                                                                \
  SK_INLINE Internal::tensor_comparison<T, CMPMODE::mode> operator symbol(const LocalTensor<T> &left, const LocalTensor<T> &right) { \
    return {left, right};                                                                                              \
  }
SK_TENSOR_COMPARISON(<, LT)
SK_TENSOR_COMPARISON(>, GT)
SK_TENSOR_COMPARISON(==, EQ)
SK_TENSOR_COMPARISON(<=, LE)
SK_TENSOR_COMPARISON(>=, GE)
SK_TENSOR_COMPARISON(!=, NE)
#undef SK_TENSOR_COMPARISON

template <typename T>
SK_INLINE void GetCmpMask(const LocalTensor<T> &dst) {
  asc_get_cmp_mask(dst.sk_elements());
}
template <typename T>
SK_INLINE void SetCmpMask(const LocalTensor<T> &src) {
  asc_set_cmp_mask(src.sk_elements());
}

/* ---- selection ----------------------------------------------------------------------------------- */

/* Mode 0 uses the first repeat's bits for every repeat; modes 1 and 2 go on through the bits. */
template <typename T, typename U>
SK_INLINE void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0,
                      const LocalTensor<T> &src1, SELMODE mode, uint32_t count) {
  SK_TAKES("Select", PrimT<T>, half, float);
  static_assert(std::is_unsigned<PrimT<U>>::value, "Select: the mask has unsigned elements");
  SK_TRAITS_AGREE("Select", T, U);
  if (mode == SELMODE::VSEL_CMPMASK_SPR) {
    asc_set_cmp_mask(selMask.sk_elements());
    asc_select(dst.sk_elements(), src0.sk_source(), src1.sk_source(), count);
  } else {
    sk_select_by_bits(dst.sk_elements(), selMask.sk_elements(), src0.sk_elements(), src1.sk_elements(), 0, sizeof(PrimT<T>), count,
                      SK_STRIDES_2(uint8_t{0}, BinaryRepeatParams()));
  }
  sk_mask_full();
}
template <typename T, typename U>
SK_INLINE void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0,
                      const SK_SAME_TYPE &value, SELMODE, uint32_t count) {
  SK_TAKES("Select", PrimT<T>, half, float);
  static_assert(std::is_unsigned<PrimT<U>>::value, "Select: the mask has unsigned elements");
  SK_TRAITS_AGREE("Select", T, U);
  sk_select_by_bits(dst.sk_elements(), selMask.sk_elements(), src0.sk_elements(), nullptr,
                    static_cast<uint32_t>(Internal::raw(value)), sizeof(PrimT<T>), count,
                    SK_STRIDES_2(uint8_t{0}, BinaryRepeatParams()));
  sk_mask_full();
}
#define SK_SELECT_STRIDED(MaskParameter)                                                                                \
  template <typename T, typename U, bool isSetMask = true>                                                              \
  SK_INLINE void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0,           \
                        const LocalTensor<T> &src1, SELMODE mode, MaskParameter, uint8_t repeat,                        \
                        const BinaryRepeatParams &p) {                                                                  \
    SK_TAKES("Select", PrimT<T>, half, float);                                                                          \
    static_assert(std::is_unsigned<PrimT<U>>::value, "Select: the mask has unsigned elements");                         \
    SK_TRAITS_AGREE("Select", T, U);                                                                                    \
    if (mode == SELMODE::VSEL_CMPMASK_SPR) asc_set_cmp_mask(selMask.sk_elements());                                     \
    Internal::set_mask<isSetMask>(mask);                                                                                \
    if (mode == SELMODE::VSEL_CMPMASK_SPR)                                                                              \
      asc_select(dst.sk_elements(), src0.sk_source(), src1.sk_source(),                                                 \
                 SK_STRIDES_2(repeat, p));                                                                              \
    else                                                                                                                \
      sk_select_by_bits(dst.sk_elements(), selMask.sk_elements(), src0.sk_elements(), src1.sk_elements(), 0, sizeof(PrimT<T>), 0, \
                        SK_STRIDES_2(repeat, p));                                                                       \
  }                                                                                                                     \
  template <typename T, typename U, bool isSetMask = true>                                                              \
  SK_INLINE void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0,           \
                        const SK_SAME_TYPE &value, SELMODE, MaskParameter, uint8_t repeat,                              \
                        const BinaryRepeatParams &p) {                                                                  \
    SK_TAKES("Select", PrimT<T>, half, float);                                                                          \
    static_assert(std::is_unsigned<PrimT<U>>::value, "Select: the mask has unsigned elements");                         \
    SK_TRAITS_AGREE("Select", T, U);                                                                                    \
    Internal::set_mask<isSetMask>(mask);                                                                                \
    sk_select_by_bits(dst.sk_elements(), selMask.sk_elements(), src0.sk_elements(), nullptr,                            \
                      static_cast<uint32_t>(Internal::raw(value)), sizeof(PrimT<T>), 0, SK_STRIDES_2(repeat, p));       \
  }
SK_SELECT_STRIDED(uint64_t mask)
SK_SELECT_STRIDED(const uint64_t mask[])
#undef SK_SELECT_STRIDED
/* Mode 0 with the register as it stands. */
template <typename T>
SK_INLINE void Select(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, const uint8_t repeat,
                      const BinaryRepeatParams &p) {
  SK_TAKES("Select", PrimT<T>, half, float);
  asc_select(dst.sk_elements(), src0.sk_source(), src1.sk_source(), SK_STRIDES_2(repeat, p));
}

} // namespace AscendC

#endif
