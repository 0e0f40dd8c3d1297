/* high_level_more.h - the rarer functions of the high-level API: reductions of an axis, classes
 * of numbers, running means, random keep, progressions, selection by bytes. */
#ifndef SK_KERNEL_OPERATOR_HIGH_LEVEL_MORE_H
#define SK_KERNEL_OPERATOR_HIGH_LEVEL_MORE_H

#include "high_level.h"

namespace AscendC {

/* ---- reductions of the last axis (AR) or the first (RA) ------------------------------------------------------ */

namespace Pattern {
namespace Reduce {
struct AR { static constexpr bool sk_along_row = true; };
struct RA { static constexpr bool sk_along_row = false; };
} // namespace Reduce
} // namespace Pattern

#define SK_REDUCE_TYPES_SUM "half, float"
#define SK_REDUCE_TYPES_MEAN "half, float"
#define SK_REDUCE_TYPES_MAX "half, float"
#define SK_REDUCE_TYPES_MIN "half, float"
#define SK_REDUCE_TYPES_PROD "half, float"
#define SK_REDUCE_TYPES_ANY "uint8_t, float"
#define SK_REDUCE_TYPES_ALL "uint8_t, float"
namespace Internal {
template <typename T, sk_high_reduction op>
constexpr bool reduce_takes() {
  return is_one_of<T, float, typename std::conditional<op == SK_HIGH_REDUCE_ANY || op == SK_HIGH_REDUCE_ALL, uint8_t, half>::type>;
}
} // namespace Internal
#define SK_REDUCE(Name, OP, shared, scratch)                                                                                 \
  template <class T, class pattern, bool isReuseSource = false>                                                              \
  SK_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, shared const uint32_t srcShape[], bool srcInnerPad) { \
    static_assert(Internal::reduce_takes<T, SK_HIGH_REDUCE_##OP>(), #Name ": element types are " SK_REDUCE_TYPES_##OP);           \
    if (!srcInnerPad && srcShape[1] * sizeof(T) % 32 != 0)                                                                   \
      sk_kernel_finding("BAD_ARGUMENT", #Name ": rows that do not begin at blocks of 32 bytes; legal: srcInnerPad true", false); \
    else sk_high_reduce(SK_HIGH_REDUCE_##OP, sizeof(T) * 8, dst.sk_address(), src.sk_address(),                                  \
                        srcShape[0], srcShape[1], pattern::sk_along_row, scratch(isReuseSource));                            \
  }
#define SK_REDUCE_BOTH(Name, OP)                                                                                             \
  SK_REDUCE(Name, OP, , SK_TMP_OF_PIPE) SK_REDUCE(Name, OP, const SharedTmp &tmp SK_COMMA, SK_TMP_GIVEN)
SK_REDUCE_BOTH(ReduceSum, SUM)
SK_REDUCE_BOTH(ReduceMean, MEAN)
SK_REDUCE_BOTH(ReduceMax, MAX)
SK_REDUCE_BOTH(ReduceMin, MIN)
SK_REDUCE_BOTH(ReduceProd, PROD)
SK_REDUCE_BOTH(ReduceAny, ANY)
SK_REDUCE_BOTH(ReduceAll, ALL)
#undef SK_REDUCE_BOTH
#undef SK_REDUCE

/* ---- words, classes, progressions ------------------------------------------------------------------------------ */

#define SK_XOR(shared, scratch, count_parameter, count)                                                                      \
  template <typename T, bool isReuseSource = false>                                                                          \
  SK_INLINE void Xor(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1 shared count_parameter) { \
    SK_TAKES("Xor", T, int16_t, uint16_t);                                                                                       \
    sk_high_xor(reinterpret_cast<uint16_t *>(dst.sk_address()), reinterpret_cast<const uint16_t *>(src0.sk_address()),       \
                reinterpret_cast<const uint16_t *>(src1.sk_address()), count, false, scratch(isReuseSource));                \
  }
SK_XOR(, SK_TMP_OF_PIPE, , src0.GetSize())
SK_XOR(, SK_TMP_OF_PIPE, SK_COMMA const uint32_t elems, elems)
SK_XOR(SK_COMMA const SharedTmp &tmp, SK_TMP_GIVEN, , src0.GetSize())
SK_XOR(SK_COMMA const SharedTmp &tmp, SK_TMP_GIVEN, SK_COMMA const uint32_t elems, elems)
#undef SK_XOR
#define SK_WORDS(shared, scratch)                                                                                            \
  template <typename T, bool isReuseSource = false>                                                                          \
  SK_INLINE void ReduceXorSum(LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, shared const uint32_t count) { \
    SK_TAKES("ReduceXorSum", T, int16_t);                                                                                    \
    sk_high_xor(reinterpret_cast<uint16_t *>(dst.sk_address()), reinterpret_cast<const uint16_t *>(src0.sk_address()),       \
                reinterpret_cast<const uint16_t *>(src1.sk_address()), count, true, scratch(isReuseSource));                 \
  }                                                                                                                          \
  template <typename R, typename T, bool isReuseSource = false>                                                              \
  SK_INLINE void IsFinite(const LocalTensor<R> &dst, const LocalTensor<T> &src, shared const uint32_t count) {               \
    SK_TAKES("IsFinite", T, half, float);                                                                                    \
    static_assert(std::is_same<R, bool>::value || std::is_same<R, T>::value, "IsFinite: results are bool or the source's type"); \
    sk_high_classify(SK_HIGH_IS_FINITE, Internal::float_bits<T>(), sizeof(R) * 8, dst.sk_address(), src.sk_address(), count); \
  }                                                                                                                          \
  template <typename R, typename T, bool isReuseSource = false>                                                              \
  SK_INLINE void IsInf(const LocalTensor<R> &dst, const LocalTensor<T> &src, shared const uint32_t count) {                  \
    SK_TAKES("IsInf", T, half, float);                                                                                       \
    static_assert(std::is_same<R, bool>::value || std::is_same<R, T>::value, "IsInf: results are bool or the source's type"); \
    sk_high_classify(SK_HIGH_IS_INF, Internal::float_bits<T>(), sizeof(R) * 8, dst.sk_address(), src.sk_address(), count);   \
  }                                                                                                                          \
  template <typename R, typename T, bool isReuseSource = false>                                                              \
  SK_INLINE void IsNan(const LocalTensor<R> &dst, const LocalTensor<T> &src, shared const uint32_t count) {                  \
    SK_TAKES("IsNan", T, half, float);                                                                                       \
    static_assert(std::is_same<R, bool>::value || std::is_same<R, T>::value, "IsNan: results are bool or the source's type"); \
    sk_high_classify(SK_HIGH_IS_NAN, Internal::float_bits<T>(), sizeof(R) * 8, dst.sk_address(), src.sk_address(), count);   \
  }                                                                                                                          \
  template <typename T, bool isReuseSource = false>                                                                          \
  SK_INLINE void Clamp(const LocalTensor<T> &dst, const LocalTensor<T> &src, const SK_SAME_TYPE &min, const SK_SAME_TYPE &max, \
                       shared const uint32_t count) {                                                                        \
    SK_TAKES("Clamp", T, half, float);                                                                                       \
    Internal::high_scalar(SK_HIGH_ClampMax, dst, src, static_cast<float>(max), count, scratch(isReuseSource));               \
    Internal::high_scalar(SK_HIGH_ClampMin, dst, dst, static_cast<float>(min), count, scratch(isReuseSource));               \
  }
SK_WITH_TMP(SK_WORDS)
#undef SK_WORDS

namespace Internal {
template <typename T>
constexpr uint32_t progression_type() {
  if constexpr (std::is_same<T, half>::value) return 0;
  else if constexpr (std::is_same<T, float>::value) return 1;
  else if constexpr (std::is_same<T, int16_t>::value) return 2;
  else if constexpr (std::is_same<T, int32_t>::value) return 3;
  else static_assert(always_false<T>, "Arange: elements are half, float, int16_t and int32_t");
}
} // namespace Internal
template <typename T>
SK_INLINE void Arange(const LocalTensor<T> &dst, const SK_SAME_TYPE firstValue, const SK_SAME_TYPE diffValue, const int32_t count) {
  SK_TAKES("Arange", T, half, float, int16_t, int32_t);
  sk_high_arange(Internal::progression_type<T>(), dst.sk_address(), static_cast<double>(static_cast<float>(firstValue)),
                 static_cast<double>(static_cast<float>(diffValue)), static_cast<uint32_t>(count));
}
template <typename T>
SK_INLINE void ArithProgression(const LocalTensor<T> &dst, const SK_SAME_TYPE firstValue, const SK_SAME_TYPE diffValue, const int32_t count) {
  SK_TAKES("ArithProgression", T, half, float, int16_t, int32_t);
  Arange<T>(dst, firstValue, diffValue, count);
}

/* ---- running mean and variance ------------------------------------------------------------------------------------ */

struct WelfordUpdateParam {
  uint32_t rnLength = 1, abLength = 0, abComputeLength = 0;
  float nRec = 1;
};
struct WelfordUpdateConfig {
  bool isInplace = false;
};
constexpr WelfordUpdateConfig WFUPDATE_DEFAULT_CFG = {false};
struct WelfordFinalizePara {
  uint32_t rnLength = 1, abLength = 0, headCount = 0, headCountLength = 0, tailCount = 0, tailCountLength = 0;
  float abRec = 1, rRec = 1;
};

namespace Internal {
/* Without a tail each column stands for as many values. */
SK_INLINE sk_counts counts_of(const WelfordFinalizePara &p) {
  if (p.tailCount == 0) return sk_counts{p.abLength, p.abLength, 1.0 / (static_cast<double>(p.rRec) * p.abLength), 0, p.rRec};
  return sk_counts{p.abLength, p.headCountLength, static_cast<double>(p.headCount), static_cast<double>(p.tailCount), p.rRec};
}
} // namespace Internal
#define SK_WELFORD(shared, scratch)                                                                                          \
  template <typename T, typename U, bool isReuseSource = false, const WelfordUpdateConfig &config = WFUPDATE_DEFAULT_CFG>    \
  SK_INLINE void WelfordUpdate(const LocalTensor<U> &outputMean, const LocalTensor<U> &outputVariance,                       \
                               const LocalTensor<U> &inputMean, const LocalTensor<U> &inputVariance, const LocalTensor<T> &inputX, \
                               shared const WelfordUpdateParam &para) {                                                      \
    SK_TAKES("WelfordUpdate", T, half, float);                                                                               \
    static_assert(std::is_same<U, float>::value, "WelfordUpdate: mean and variance are float");                              \
    sk_rows shape{para.rnLength, para.abComputeLength, para.abLength, Internal::float_bits<T>(), 32};                        \
    sk_high_welford_update(&shape, outputMean.sk_address(), outputVariance.sk_address(), inputMean.sk_address(),             \
                           inputVariance.sk_address(), inputX.sk_address(), para.nRec, config.isInplace,                     \
                           scratch(isReuseSource));                                                                          \
  }                                                                                                                          \
  template <bool isReuseSource = false>                                                                                      \
  SK_INLINE void WelfordFinalize(const LocalTensor<float> &outputMean, const LocalTensor<float> &outputVariance,             \
                                 const LocalTensor<float> &inputMean, const LocalTensor<float> &inputVariance,               \
                                 const LocalTensor<int32_t> &counts, shared const WelfordFinalizePara &para) {               \
    sk_counts p{para.abLength, 0, 0, 0, para.rRec};                                                                          \
    sk_high_welford_finalise(outputMean.sk_address(), outputVariance.sk_address(), inputMean.sk_address(),                   \
                             inputVariance.sk_address(), counts.sk_address(), &p, scratch(isReuseSource));                   \
  }                                                                                                                          \
  template <bool isReuseSource = false>                                                                                      \
  SK_INLINE void WelfordFinalize(const LocalTensor<float> &outputMean, const LocalTensor<float> &outputVariance,             \
                                 const LocalTensor<float> &inputMean, const LocalTensor<float> &inputVariance,               \
                                 shared const WelfordFinalizePara &para) {                                                   \
    sk_counts p = Internal::counts_of(para);                                                                                 \
    sk_high_welford_finalise(outputMean.sk_address(), outputVariance.sk_address(), inputMean.sk_address(),                   \
                             inputVariance.sk_address(), nullptr, &p, scratch(isReuseSource));                               \
  }
SK_WITH_TMP(SK_WELFORD)
#undef SK_WELFORD

/* ---- masks ------------------------------------------------------------------------------------------------------------ */

struct DropOutShapeInfo {
  uint32_t firstAxis = 0, srcLastAxis = 0, maskLastAxis = 0;
};
constexpr uint32_t DROPOUT_MODE_BYTE_MISALIGN = 1, DROPOUT_MODE_BYTE_ALIGN = 2, DROPOUT_MODE_BIT_ALIGN = 3, DROPOUT_MODE_BIT_MISALIGN = 4;
struct SelectWithBytesMaskShapeInfo {
  uint32_t firstAxis = 0, srcLastAxis = 0, maskLastAxis = 0;
};
#define SK_MASKED(shared, scratch)                                                                                           \
  template <typename T, bool isInitBitMode = false, uint32_t dropOutMode = 0>                                                \
  SK_INLINE void DropOut(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &mask,             \
                         shared const float keepProb, const DropOutShapeInfo &info) {                                        \
    SK_TAKES("DropOut", T, half, float);                                                                                     \
    static_assert(dropOutMode <= 4, "DropOut: dropOutMode is 0 to 4");                                                       \
    bool bits = dropOutMode >= DROPOUT_MODE_BIT_ALIGN || (dropOutMode == 0 && info.maskLastAxis < info.srcLastAxis);         \
    if (!(keepProb > 0 && keepProb < 1)) sk_kernel_finding("BAD_ARGUMENT", "DropOut: keepProb; legal: between 0 and 1", false); \
    else sk_high_mask("DropOut", Internal::float_bits<T>(), dst.sk_address(), src.sk_address(), mask.sk_address(),           \
                      info.firstAxis, info.srcLastAxis, info.maskLastAxis, bits ? 0 : 1, true, 1.0 / static_cast<double>(keepProb), 0, \
                      scratch(false));                                                                                       \
  }
SK_WITH_TMP(SK_MASKED)
#undef SK_MASKED
/* Where the mask is not 0 the second source is taken; one of the two is a scalar. */
#define SK_SELECT_BY_MASK(Name)                                                                                              \
  template <typename T, typename U, bool isReuseMask = true>                                                                 \
  SK_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const SK_SAME_TYPE src1, const LocalTensor<U> &mask, \
                      const SharedTmp &tmp, const SelectWithBytesMaskShapeInfo &info) {                                      \
    SK_TAKES(#Name, T, half, float);                                                                                         \
    sk_high_mask(#Name, Internal::float_bits<T>(), dst.sk_address(), src0.sk_address(), mask.sk_address(), info.firstAxis,   \
                 info.srcLastAxis, info.maskLastAxis, sizeof(U), false, 1, static_cast<float>(src1), SK_TMP_GIVEN(false));   \
  }                                                                                                                          \
  template <typename T, typename U, bool isReuseMask = true>                                                                 \
  SK_INLINE void Name(const LocalTensor<T> &dst, const SK_SAME_TYPE src0, const LocalTensor<T> &src1, const LocalTensor<U> &mask, \
                      const SharedTmp &tmp, const SelectWithBytesMaskShapeInfo &info) {                                      \
    SK_TAKES(#Name, T, half, float);                                                                                         \
    sk_high_mask(#Name, Internal::float_bits<T>(), dst.sk_address(), src1.sk_address(), mask.sk_address(), info.firstAxis,   \
                 info.srcLastAxis, info.maskLastAxis, sizeof(U), true, 1, static_cast<float>(src0), SK_TMP_GIVEN(false));    \
  }
SK_SELECT_BY_MASK(Select)
SK_SELECT_BY_MASK(SelectWithBytesMask)
#undef SK_SELECT_BY_MASK

} // namespace AscendC

#endif
