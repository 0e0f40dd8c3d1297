/* high_level_quant.h - to integers of 8 bits and back by scales: AscendQuant, AscendDequant, AscendAntiQuant, AddDeqRelu. */
#ifndef SK_KERNEL_OPERATOR_HIGH_LEVEL_QUANT_H
#define SK_KERNEL_OPERATOR_HIGH_LEVEL_QUANT_H

#include "high_level.h"

namespace AscendC {

/* ---- to int8_t: one scale and offset, or one per element of a period ---------------------------------- */

/* Counts that are known at compile time; 0: the call's own. */
struct AscendQuantConfig {
  constexpr AscendQuantConfig(uint32_t calc, uint32_t offset, uint32_t scale, uint32_t local)
      : calcCount(calc), offsetCount(offset), scaleCount(scale), workLocalSize(local) {}
  uint32_t calcCount, offsetCount, scaleCount, workLocalSize;
};
constexpr AscendQuantConfig ASCEND_QUANT_DEFAULT_CFG = {0, 0, 0, 0};

namespace Internal {
constexpr uint32_t fixed_or(uint32_t fixed, uint32_t given) { return fixed != 0 ? fixed : given; }

template <typename T, const AscendQuantConfig &config>
SK_INLINE void quantise(const LocalTensor<int8_t> &dst, const LocalTensor<T> &src, float scale, float offset, uint32_t count, sk_scratch tmp) {
  SK_TAKES("AscendQuant", T, half, float);
  sk_high_quantise(float_bits<T>(), dst.sk_address(), src.sk_address(), scale, offset, fixed_or(config.calcCount, count), tmp);
}
template <typename T, const AscendQuantConfig &config>
SK_INLINE void quantise_by(const LocalTensor<int8_t> &dst, const LocalTensor<T> &src, const LocalTensor<T> &scale, const T *offsets, T offset,
                           uint32_t scales, uint32_t count, sk_scratch tmp) {
  SK_TAKES("AscendQuant", T, half, float);
  sk_high_quantise_by(float_bits<T>(), dst.sk_address(), src.sk_address(), scale.sk_address(), offsets, static_cast<float>(offset),
                      fixed_or(config.scaleCount, scales), fixed_or(config.calcCount, count), tmp);
}
template <const AscendQuantConfig &config>
SK_INLINE bool offsets_fit(uint32_t scales, uint32_t offsets) {
  bool fit = fixed_or(config.scaleCount, scales) == fixed_or(config.offsetCount, offsets);
  if (!fit) sk_kernel_finding("BAD_ARGUMENT", "AscendQuant: offsetCount differs from scaleCount", false);
  return fit;
}
} // namespace Internal

#define SK_QUANT(shared, scratch)                                                                                            \
  template <typename T, bool isReuseSource = false, const AscendQuantConfig &config = ASCEND_QUANT_DEFAULT_CFG>              \
  SK_INLINE void AscendQuant(const LocalTensor<int8_t> &dst, const LocalTensor<T> &src, shared const float scale,            \
                             const float offset, const uint32_t count) {                                                     \
    Internal::quantise<T, config>(dst, src, scale, offset, count, scratch(isReuseSource));                                   \
  }                                                                                                                          \
  template <typename T, bool isReuseSource = false, const AscendQuantConfig &config = ASCEND_QUANT_DEFAULT_CFG>              \
  SK_INLINE void AscendQuant(const LocalTensor<int8_t> &dst, const LocalTensor<T> &src, shared const float scale,            \
                             const float offset) {                                                                           \
    Internal::quantise<T, config>(dst, src, scale, offset, src.GetSize(), scratch(isReuseSource));                           \
  }                                                                                                                          \
  template <typename T, bool isReuseSource = false, const AscendQuantConfig &config = ASCEND_QUANT_DEFAULT_CFG>              \
  SK_INLINE void AscendQuant(const LocalTensor<int8_t> &dst, const LocalTensor<T> &src, shared const LocalTensor<T> &scale,  \
                             const T offset, const uint32_t scaleCount, const uint32_t count) {                              \
    Internal::quantise_by<T, config>(dst, src, scale, nullptr, offset, scaleCount, count, scratch(isReuseSource));           \
  }                                                                                                                          \
  template <typename T, bool isReuseSource = false, const AscendQuantConfig &config = ASCEND_QUANT_DEFAULT_CFG>              \
  SK_INLINE void AscendQuant(const LocalTensor<int8_t> &dst, const LocalTensor<T> &src, shared const LocalTensor<T> &scale,  \
                             const T offset) {                                                                               \
    Internal::quantise_by<T, config>(dst, src, scale, nullptr, offset, scale.GetSize(), src.GetSize(), scratch(isReuseSource)); \
  }                                                                                                                          \
  template <typename T, bool isReuseSource = false, const AscendQuantConfig &config = ASCEND_QUANT_DEFAULT_CFG>              \
  SK_INLINE void AscendQuant(const LocalTensor<int8_t> &dst, const LocalTensor<T> &src, shared const LocalTensor<T> &scale,  \
                             const LocalTensor<T> &offset, const uint32_t scaleCount, const uint32_t offsetCount,            \
                             const uint32_t count) {                                                                         \
    if (Internal::offsets_fit<config>(scaleCount, offsetCount))                                                              \
      Internal::quantise_by<T, config>(dst, src, scale, offset.sk_address(), T(0), scaleCount, count, scratch(isReuseSource)); \
  }                                                                                                                          \
  template <typename T, bool isReuseSource = false, const AscendQuantConfig &config = ASCEND_QUANT_DEFAULT_CFG>              \
  SK_INLINE void AscendQuant(const LocalTensor<int8_t> &dst, const LocalTensor<T> &src, shared const LocalTensor<T> &scale,  \
                             const LocalTensor<T> &offset) {                                                                 \
    if (Internal::offsets_fit<config>(scale.GetSize(), offset.GetSize()))                                                    \
      Internal::quantise_by<T, config>(dst, src, scale, offset.sk_address(), T(0), scale.GetSize(), src.GetSize(),           \
                                       scratch(isReuseSource));                                                              \
  }
SK_WITH_TMP(SK_QUANT)
#undef SK_QUANT

/* ---- from int32_t ----------------------------------------------------------------------------------------- */

enum class DeQuantMode { DEQUANT_WITH_SINGLE_ROW, DEQUANT_WITH_MULTI_ROW };
struct DequantParams {
  uint32_t m = 0, n = 0, calCount = 0;
};

namespace Internal {
template <typename D, typename S>
constexpr sk_high_scale scale_of_columns() {
  SK_TAKES_FROM("AscendDequant", D, S, half(uint64_t), float(float), float(bfloat16_t), bfloat16_t(bfloat16_t), bfloat16_t(float));
  return std::is_same<S, uint64_t>::value ? SK_HIGH_SCALE_U64 : std::is_same<S, bfloat16_t>::value ? SK_HIGH_SCALE_BF16 : SK_HIGH_SCALE_F32;
}
/* `elems` of them, in rows of `n` of which `count` are computed. */
template <typename D>
SK_INLINE void dequantise(const LocalTensor<D> &dst, const LocalTensor<int32_t> &src, const void *scales, sk_high_scale kind, float scale,
                          const DequantParams &p, uint32_t elems, bool single_row, sk_scratch tmp) {
  sk_dequant what{p.m, p.n, p.calCount, elems, sizeof(D) * 8, std::is_same<D, bfloat16_t>::value, single_row, kind, scale};
  sk_high_dequantise(&what, dst.sk_address(), src.sk_address(), scales, tmp);
}
/* Rows as long as there are scales. */
template <typename D, typename S>
SK_INLINE void dequantise_flat(const LocalTensor<D> &dst, const LocalTensor<int32_t> &src, const LocalTensor<S> &scale, uint32_t elems,
                               bool single_row, sk_scratch tmp) {
  uint32_t n = scale.GetSize();
  if (n == 0 || src.GetSize() % n != 0) {
    sk_kernel_finding("BAD_ARGUMENT", "AscendDequant: the elements of srcTensor are no multiple of those of deqScale", false);
    return;
  }
  dequantise(dst, src, scale.sk_address(), scale_of_columns<D, S>(), 0, DequantParams{src.GetSize() / n, n, n}, elems, single_row, tmp);
}
} // namespace Internal

#define SK_ONE_ROW (mode == DeQuantMode::DEQUANT_WITH_SINGLE_ROW)
#define SK_DEQUANT(shared, scratch)                                                                                          \
  template <typename D, typename S, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>                                 \
  SK_INLINE void AscendDequant(const LocalTensor<D> &dst, const LocalTensor<int32_t> &src, const LocalTensor<S> &scale,      \
                               shared DequantParams p) {                                                                     \
    Internal::dequantise(dst, src, scale.sk_address(), Internal::scale_of_columns<D, S>(), 0, p, p.m * p.n, SK_ONE_ROW,      \
                         scratch(false));                                                                                    \
  }                                                                                                                          \
  template <typename D, typename S, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>                                 \
  SK_INLINE void AscendDequant(const LocalTensor<D> &dst, const LocalTensor<int32_t> &src, const S scale, shared DequantParams p) { \
    SK_TAKES_FROM("AscendDequant", D, S, float(float), float(bfloat16_t), bfloat16_t(bfloat16_t), bfloat16_t(float));        \
    Internal::dequantise(dst, src, nullptr, SK_HIGH_SCALE_F32, static_cast<float>(scale), p, p.m * p.n, SK_ONE_ROW, scratch(false)); \
  }                                                                                                                          \
  template <typename D, typename S, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>                                 \
  SK_INLINE void AscendDequant(const LocalTensor<D> &dst, const LocalTensor<int32_t> &src, const LocalTensor<S> &scale,      \
                               shared const uint32_t calCount) {                                                             \
    Internal::dequantise_flat(dst, src, scale, calCount, SK_ONE_ROW, scratch(false));                                        \
  }
SK_WITH_TMP(SK_DEQUANT)
#undef SK_DEQUANT
#define SK_DEQUANT_ALL(shared, scratch)                                                                                      \
  template <typename D, typename S, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>                                 \
  SK_INLINE void AscendDequant(const LocalTensor<D> &dst, const LocalTensor<int32_t> &src, const LocalTensor<S> &scale shared) { \
    Internal::dequantise_flat(dst, src, scale, src.GetSize(), SK_ONE_ROW, scratch(false));                                   \
  }
SK_DEQUANT_ALL(, SK_TMP_OF_PIPE)
SK_DEQUANT_ALL(SK_COMMA [[maybe_unused]] const SharedTmp &tmp, SK_TMP_GIVEN)
#undef SK_DEQUANT_ALL
#undef SK_ONE_ROW

/* ---- weights of 8 and 4 bits to floats --------------------------------------------------------------------- */

struct AntiQuantShapeInfo {
  uint32_t offsetHeight = 0, offsetWidth = 0, scaleHeight = 0, scaleWidth = 0;
};
namespace Internal {
/* k rows of as many columns as there are scales; transposed: a row per scale, k columns. */
template <typename S, typename D, bool isTranspose>
SK_INLINE void anti_quantise(const LocalTensor<D> &dst, const LocalTensor<S> &src, const D *offsets, const LocalTensor<D> &scale,
                             uint32_t k, const AntiQuantShapeInfo &shape, sk_scratch tmp) {
  SK_TAKES_FROM("AscendAntiQuant", D, S, half(int8_t), bfloat16_t(int8_t), half(int4b_t), bfloat16_t(int4b_t));
  uint32_t given = isTranspose ? shape.scaleHeight : shape.scaleWidth, channels = given != 0 ? given : scale.GetSize();
  sk_high_anti_quantise(bits_of<S>, std::is_same<D, bfloat16_t>::value, dst.sk_address(), src.sk_address(), offsets, scale.sk_address(), 0, 0,
                        isTranspose ? channels : k, isTranspose ? k : channels, isTranspose, tmp);
}
template <typename S, typename D>
SK_INLINE void anti_quantise_all(const LocalTensor<D> &dst, const LocalTensor<S> &src, D offset, D scale, uint32_t k, sk_scratch tmp) {
  SK_TAKES_FROM("AscendAntiQuant", D, S, half(int8_t), bfloat16_t(int8_t), half(int4b_t), bfloat16_t(int4b_t));
  if (k == 0) return;
  sk_high_anti_quantise(bits_of<S>, std::is_same<D, bfloat16_t>::value, dst.sk_address(), src.sk_address(), nullptr, nullptr,
                        static_cast<float>(offset), static_cast<float>(scale), k, src.GetSize() / k, false, tmp);
}
} // namespace Internal

#define SK_ANTI_QUANT(shared, scratch)                                                                                       \
  template <typename S, typename D, bool isTranspose>                                                                        \
  SK_INLINE void AscendAntiQuant(const LocalTensor<D> &dst, const LocalTensor<S> &src, const LocalTensor<D> &offset,         \
                                 const LocalTensor<D> &scale, shared const uint32_t k, const AntiQuantShapeInfo &shape = {}) { \
    Internal::anti_quantise<S, D, isTranspose>(dst, src, offset.sk_address(), scale, k, shape, scratch(false));              \
  }                                                                                                                          \
  template <typename S, typename D, bool isTranspose>                                                                        \
  SK_INLINE void AscendAntiQuant(const LocalTensor<D> &dst, const LocalTensor<S> &src, const LocalTensor<D> &scale,          \
                                 shared const uint32_t k, const AntiQuantShapeInfo &shape = {}) {                            \
    Internal::anti_quantise<S, D, isTranspose>(dst, src, nullptr, scale, k, shape, scratch(false));                          \
  }                                                                                                                          \
  template <typename S, typename D, bool isTranspose>                                                                        \
  SK_INLINE void AscendAntiQuant(const LocalTensor<D> &dst, const LocalTensor<S> &src, const D offset, const D scale,        \
                                 shared const uint32_t k, const AntiQuantShapeInfo & = {}) {                                 \
    Internal::anti_quantise_all<S, D>(dst, src, offset, scale, k, scratch(false));                                           \
  }                                                                                                                          \
  template <typename S, typename D, bool isTranspose>                                                                        \
  SK_INLINE void AscendAntiQuant(const LocalTensor<D> &dst, const LocalTensor<S> &src, const D scale, shared const uint32_t k, \
                                 const AntiQuantShapeInfo & = {}) {                                                          \
    Internal::anti_quantise_all<S, D>(dst, src, D(0.0f), scale, k, scratch(false));                                          \
  }
SK_WITH_TMP(SK_ANTI_QUANT)
#undef SK_ANTI_QUANT

/* ---- max(0, (a + b) * DEQSCALE) ----------------------------------------------------------------------------- */

SK_INLINE void AddDeqRelu(const LocalTensor<half> &dst, const LocalTensor<int32_t> &src0, const LocalTensor<int32_t> &src1, const int32_t &count) {
  sk_add_deq_relu(dst.sk_address(), src0.sk_address(), src1.sk_address(), static_cast<uint32_t>(count));
  sk_mask_full();
}
template <bool isSetMask = true>
SK_INLINE void AddDeqRelu(const LocalTensor<half> &dst, const LocalTensor<int32_t> &src0, const LocalTensor<int32_t> &src1, uint64_t mask,
                          const uint8_t repeat, const BinaryRepeatParams &p) {
  Internal::set_mask<isSetMask>(mask);
  sk_add_deq_relu_strided(dst.sk_address(), src0.sk_address(), src1.sk_address(), SK_STRIDES_2(repeat, p));
}
template <bool isSetMask = true>
SK_INLINE void AddDeqRelu(const LocalTensor<half> &dst, const LocalTensor<int32_t> &src0, const LocalTensor<int32_t> &src1, const uint64_t mask[],
                          const uint8_t repeat, const BinaryRepeatParams &p) {
  Internal::set_mask<isSetMask>(mask);
  sk_add_deq_relu_strided(dst.sk_address(), src0.sk_address(), src1.sk_address(), SK_STRIDES_2(repeat, p));
}
/* The same with the element types named. */
template <typename T, typename U>
SK_INLINE void AddDeqRelu(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1, const int32_t &count) {
  SK_TAKES_FROM("AddDeqRelu", PrimT<T>, PrimT<U>, half(int32_t));
  SK_TRAITS_AGREE("AddDeqRelu", T, U);
  sk_add_deq_relu(dst.sk_elements(), src0.sk_elements(), src1.sk_elements(), static_cast<uint32_t>(count));
  sk_mask_full();
}
template <typename T, typename U, bool isSetMask = true, typename Mask>
SK_INLINE void AddDeqRelu(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1, Mask mask, const uint8_t repeat,
                          const BinaryRepeatParams &p) {
  SK_TAKES_FROM("AddDeqRelu", PrimT<T>, PrimT<U>, half(int32_t));
  SK_TRAITS_AGREE("AddDeqRelu", T, U);
  Internal::set_mask<isSetMask>(mask);
  sk_add_deq_relu_strided(dst.sk_elements(), src0.sk_elements(), src1.sk_elements(), SK_STRIDES_2(repeat, p));
}

} // namespace AscendC

#endif
