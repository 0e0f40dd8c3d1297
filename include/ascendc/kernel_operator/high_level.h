/* high_level.h - activations, mathematics, softmax, normalisation, sums, quantisation, the k greatest.
 *
 * Forms with a sharedTmpBuffer take it and do not need it; tiling structures name the shape only. */
#ifndef SK_KERNEL_OPERATOR_HIGH_LEVEL_H
#define SK_KERNEL_OPERATOR_HIGH_LEVEL_H

#include "vector.h"

namespace AscendC {

namespace Internal {
template <typename T>
constexpr uint32_t float_bits() {
  static_assert(std::is_same<T, half>::value || std::is_same<T, float>::value, "high-level functions take half and float");
  return sizeof(T) * 8;
}
template <typename T>
SK_INLINE void high_unary(sk_high_op op, const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count) {
  sk_high_elementwise(op, float_bits<T>(), dst.sk_address(), src.sk_address(), nullptr, 0, count);
}
template <typename T>
SK_INLINE void high_binary(sk_high_op op, const LocalTensor<T> &dst, const LocalTensor<T> &a, const LocalTensor<T> &b, uint32_t count) {
  sk_high_elementwise(op, float_bits<T>(), dst.sk_address(), a.sk_address(), b.sk_address(), 0, count);
}
template <typename T>
SK_INLINE void high_scalar(sk_high_op op, const LocalTensor<T> &dst, const LocalTensor<T> &src, double scalar, uint32_t count) {
  sk_high_elementwise(op, float_bits<T>(), dst.sk_address(), src.sk_address(), nullptr, scalar, count);
}
} // namespace Internal

using SharedTmp = LocalTensor<uint8_t>;

template <typename T, typename U>
constexpr auto DivCeil(T a, U b) {
  return (a + b - 1) / b;
}

/* ---- elementwise ------------------------------------------------------------------------------------ */

#define SK_HIGH_UNARY(Name)                                                                                          \
  template <typename T, bool a = false, bool b = false>                                                              \
  SK_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const SharedTmp &, const uint32_t count) { \
    Internal::high_unary(SK_HIGH_##Name, dst, src, count);                                                           \
  }                                                                                                                  \
  template <typename T, bool a = false, bool b = false>                                                              \
  SK_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const SharedTmp &) {                     \
    Internal::high_unary(SK_HIGH_##Name, dst, src, src.GetSize());                                                   \
  }                                                                                                                  \
  template <typename T, bool a = false, bool b = false>                                                              \
  SK_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count) {                  \
    Internal::high_unary(SK_HIGH_##Name, dst, src, count);                                                           \
  }                                                                                                                  \
  template <typename T, bool a = false, bool b = false>                                                              \
  SK_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src) {                                        \
    Internal::high_unary(SK_HIGH_##Name, dst, src, src.GetSize());                                                   \
  }
SK_HIGH_UNARY(Gelu) SK_HIGH_UNARY(FasterGelu) SK_HIGH_UNARY(FasterGeluV2) SK_HIGH_UNARY(Silu) SK_HIGH_UNARY(Sigmoid)
SK_HIGH_UNARY(Tanh) SK_HIGH_UNARY(Log) SK_HIGH_UNARY(Log2) SK_HIGH_UNARY(Log10) SK_HIGH_UNARY(Sin) SK_HIGH_UNARY(Cos)
SK_HIGH_UNARY(Tan) SK_HIGH_UNARY(Asin) SK_HIGH_UNARY(Acos) SK_HIGH_UNARY(Atan) SK_HIGH_UNARY(Sinh) SK_HIGH_UNARY(Cosh)
SK_HIGH_UNARY(Asinh) SK_HIGH_UNARY(Acosh) SK_HIGH_UNARY(Atanh) SK_HIGH_UNARY(Erf) SK_HIGH_UNARY(Erfc)
SK_HIGH_UNARY(Lgamma) SK_HIGH_UNARY(Digamma) SK_HIGH_UNARY(Floor) SK_HIGH_UNARY(Ceil) SK_HIGH_UNARY(Round)
SK_HIGH_UNARY(Trunc) SK_HIGH_UNARY(Frac) SK_HIGH_UNARY(Sign)
#undef SK_HIGH_UNARY

template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
SK_INLINE void Exp(const LocalTensor<T> &dst, const LocalTensor<T> &src, const SharedTmp &, const uint32_t count) {
  Internal::high_unary(SK_HIGH_ExpTaylor, dst, src, count);
}
template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
SK_INLINE void Exp(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count) {
  Internal::high_unary(SK_HIGH_ExpTaylor, dst, src, count);
}

#define SK_HIGH_BINARY(Name)                                                                                           \
  template <typename T, bool isReuseSource = false>                                                                    \
  SK_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, const SharedTmp &, \
                      uint32_t count) {                                                                                \
    Internal::high_binary(SK_HIGH_##Name, dst, src0, src1, count);                                                     \
  }                                                                                                                    \
  template <typename T, bool isReuseSource = false>                                                                    \
  SK_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, uint32_t count) { \
    Internal::high_binary(SK_HIGH_##Name, dst, src0, src1, count);                                                     \
  }                                                                                                                    \
  template <typename T, bool isReuseSource = false>                                                                    \
  SK_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1) {             \
    Internal::high_binary(SK_HIGH_##Name, dst, src0, src1, src0.GetSize());                                            \
  }
SK_HIGH_BINARY(Power) SK_HIGH_BINARY(Fmod) SK_HIGH_BINARY(GeGLU) SK_HIGH_BINARY(ReGlu)
#undef SK_HIGH_BINARY
#define SK_HIGH_SCALAR(Name)                                                                                           \
  template <typename T, bool isReuseSource = false>                                                                    \
  SK_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const SK_SAME_TYPE &scalar, const SharedTmp &, \
                      uint32_t count) {                                                                                \
    Internal::high_scalar(SK_HIGH_##Name, dst, src, static_cast<float>(scalar), count);                                \
  }                                                                                                                    \
  template <typename T, bool isReuseSource = false>                                                                    \
  SK_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const SK_SAME_TYPE &scalar, uint32_t count) { \
    Internal::high_scalar(SK_HIGH_##Name, dst, src, static_cast<float>(scalar), count);                                \
  }
SK_HIGH_SCALAR(Power) SK_HIGH_SCALAR(ClampMax) SK_HIGH_SCALAR(ClampMin)
#undef SK_HIGH_SCALAR
/* The framework gives the data size first. */
template <typename T, bool isReuseSource = false>
SK_INLINE void Swish(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t dataSize, const SK_SAME_TYPE scalar) {
  Internal::high_scalar(SK_HIGH_Swish, dst, src, static_cast<float>(scalar), dataSize);
}
#define SK_SWIGLU(...)                                                                                                   \
  template <typename T, bool isReuseSource = false>                                                                      \
  SK_INLINE void SwiGLU(LocalTensor<T> &dst, LocalTensor<T> &src0, LocalTensor<T> &src1, const float &scalar, __VA_ARGS__) { \
    sk_high_swiglu(Internal::float_bits<T>(), dst.sk_address(), src0.sk_address(), src1.sk_address(), scalar, count);    \
  }
SK_SWIGLU(const uint32_t count)
SK_SWIGLU(const SharedTmp &, const uint32_t count)
#undef SK_SWIGLU

/* ---- softmax ------------------------------------------------------------------------------------------ */

/* Tilings name the shape; the other fields are the framework's and change nothing here. */
#define SK_TILING_FIELD(name) uint32_t name = 0;
#define SK_SOFTMAX_TILING_LIST(X)                                                                                    \
  X(srcM) X(srcK) X(srcSize) X(outMaxM) X(outMaxK) X(outMaxSize) X(splitM) X(splitK) X(splitSize) X(reduceM)         \
  X(reduceK) X(reduceSize) X(rangeM) X(tailM) X(tailSplitSize) X(tailReduceSize)
#define SK_NORM_TILING_LIST(X) X(bLength) X(sLength) X(hLength) X(originalHLength)
struct SoftMaxTiling {
  SK_SOFTMAX_TILING_LIST(SK_TILING_FIELD)
};
struct SoftMaxShapeInfo {
  uint32_t srcM = 0, srcK = 0, oriSrcM = 0, oriSrcK = 0;
};
struct SoftmaxConfig {
  bool isCheckTiling = true;
  uint32_t oriSrcM = 0, oriSrcK = 0;
};
constexpr SoftmaxConfig SOFTMAX_DEFAULT_CFG = {true, 0, 0};

namespace Internal {
/* The shape given, else that of the tiling, else one row. */
template <typename T, typename V>
SK_INLINE sk_rows rows_of(const LocalTensor<T> &src, const SoftMaxTiling &tiling, const SoftMaxShapeInfo &shape) {
  uint32_t rows = shape.srcM != 0 ? shape.srcM : tiling.srcM != 0 ? tiling.srcM : 1;
  uint32_t pitch = shape.srcK != 0 ? shape.srcK : tiling.srcK != 0 ? tiling.srcK : src.GetSize();
  return sk_rows{shape.oriSrcM != 0 ? shape.oriSrcM : rows, shape.oriSrcK != 0 ? shape.oriSrcK : pitch, pitch, float_bits<T>(),
                 float_bits<V>()};
}
template <bool isDataFormatNZ>
SK_INLINE constexpr void rows_only() {
  static_assert(!isDataFormatNZ, "SoftMax and its relatives: the NZ layout is not modelled");
}
} // namespace Internal

#define SK_WITH_TMP(X) X() X(const SharedTmp & SK_COMMA)
#define SK_SOFTMAX(tmp)                                                                                                     \
  template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,                 \
            const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG, typename V>                                                  \
  SK_INLINE void SoftMax(const LocalTensor<T> &dst, const LocalTensor<V> &sum, const LocalTensor<V> &max,                   \
                         const LocalTensor<T> &src, tmp const SoftMaxTiling &tiling,                                        \
                         const SoftMaxShapeInfo &shapeInfo = {}) {                                                          \
    Internal::rows_only<isDataFormatNZ>();                                                                                  \
    sk_rows shape = Internal::rows_of<T, V>(src, tiling, shapeInfo);                                                        \
    sk_high_softmax(&shape, dst.sk_address(), sum.sk_address(), max.sk_address(), src.sk_address(), nullptr, nullptr,       \
                    nullptr, true);                                                                                         \
  }                                                                                                                         \
  template <typename T, bool isReuseSource = false, bool isBasicBlock = false>                                              \
  SK_INLINE void SoftMax(const LocalTensor<T> &dst, const LocalTensor<T> &src, tmp const SoftMaxTiling &tiling,             \
                         const SoftMaxShapeInfo &shapeInfo = {}) {                                                          \
    sk_rows shape = Internal::rows_of<T, T>(src, tiling, shapeInfo);                                                        \
    sk_high_softmax(&shape, dst.sk_address(), nullptr, nullptr, src.sk_address(), nullptr, nullptr, nullptr, true);         \
  }                                                                                                                         \
  template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,                 \
            const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG, typename V>                                                  \
  SK_INLINE void SimpleSoftMax(const LocalTensor<T> &dst, const LocalTensor<V> &inSum, const LocalTensor<V> &inMax,         \
                               const LocalTensor<T> &src, tmp const SoftMaxTiling &tiling,                                  \
                               const SoftMaxShapeInfo &shapeInfo = {}) {                                                    \
    Internal::rows_only<isDataFormatNZ>();                                                                                  \
    sk_rows shape = Internal::rows_of<T, V>(src, tiling, shapeInfo);                                                        \
    sk_high_softmax_given(&shape, dst.sk_address(), inSum.sk_address(), inMax.sk_address(), src.sk_address());              \
  }                                                                                                                         \
  template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,                       \
            bool isDataFormatNZ = false, const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG, typename V>                     \
  SK_INLINE void SoftmaxFlashV2(const LocalTensor<T> &dst, const LocalTensor<V> &expSum, const LocalTensor<V> &max,         \
                                const LocalTensor<T> &src, const LocalTensor<T> &expMax, const LocalTensor<V> &inExpSum,    \
                                const LocalTensor<V> &inMax, tmp const SoftMaxTiling &tiling,                               \
                                const SoftMaxShapeInfo &shapeInfo = {}) {                                                   \
    Internal::rows_only<isDataFormatNZ>();                                                                                  \
    sk_rows shape = Internal::rows_of<T, V>(src, tiling, shapeInfo);                                                        \
    sk_high_softmax(&shape, dst.sk_address(), expSum.sk_address(), max.sk_address(), src.sk_address(),                      \
                    isUpdate ? expMax.sk_address() : nullptr, isUpdate ? inExpSum.sk_address() : nullptr,                   \
                    isUpdate ? inMax.sk_address() : nullptr, false);                                                        \
  }                                                                                                                         \
  template <typename T, bool isBasicBlock = false, bool isDataFormatNZ = false>                                             \
  SK_INLINE void SoftmaxGradFront(const LocalTensor<T> &dst, const LocalTensor<T> &grad, const LocalTensor<T> &src,         \
                                  tmp const SoftMaxTiling &tiling, const SoftMaxShapeInfo &shapeInfo = {}) {                \
    Internal::rows_only<isDataFormatNZ>();                                                                                  \
    sk_rows shape = Internal::rows_of<T, T>(src, tiling, shapeInfo);                                                        \
    sk_high_softmax_grad(&shape, dst.sk_address(), grad.sk_address(), src.sk_address(), true);                              \
  }                                                                                                                         \
  template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>                                            \
  SK_INLINE void SoftmaxGrad(const LocalTensor<T> &dst, const LocalTensor<T> &grad, const LocalTensor<T> &src,              \
                             tmp const SoftMaxTiling &tiling, bool isFront = false, const SoftMaxShapeInfo &shapeInfo = {}) { \
    Internal::rows_only<isDataFormatNZ>();                                                                                  \
    sk_rows shape = Internal::rows_of<T, T>(src, tiling, shapeInfo);                                                        \
    sk_high_softmax_grad(&shape, dst.sk_address(), grad.sk_address(), src.sk_address(), isFront);                           \
  }
SK_WITH_TMP(SK_SOFTMAX)
#undef SK_SOFTMAX
template <typename T, typename V, bool isDataFormatNZ = false, uint8_t stepSizeMode = 0>
SK_INLINE bool AdjustSoftMaxRes(const LocalTensor<T> &res, const LocalTensor<V> &max, const uint32_t from, const T to,
                                const SoftMaxShapeInfo &shapeInfo) {
  Internal::rows_only<isDataFormatNZ>();
  sk_rows shape = Internal::rows_of<T, V>(res, SoftMaxTiling(), shapeInfo);
  return sk_high_adjust_rows(&shape, res.sk_address(), max.sk_address(), from, static_cast<float>(to));
}

/* ---- sums, norms, quantisation, the k greatest --------------------------------------------------------- */

struct SumParams {
  uint32_t outter = 1, inner = 0, n = 0;
};
struct MeanParams {
  uint32_t outter = 1, inner = 0, n = 0;
};
struct LayerNormTiling {
  SK_NORM_TILING_LIST(SK_TILING_FIELD)
};
struct RmsNormTiling {
  SK_NORM_TILING_LIST(SK_TILING_FIELD)
};
struct DequantParams {
  uint32_t m = 0, n = 0, calCount = 0;
};
struct TopkTiling {
  int32_t tmpLocalSize = 0;
};
struct TopKInfo {
  int32_t outter = 1, inner = 0, n = 0;
};
enum class TopKMode : uint8_t { TOPK_NORMAL, TOPK_NSMALL };

#define SK_ROW_FUNCTIONS(tmp)                                                                                               \
  template <typename T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>                      \
  SK_INLINE void Sum(LocalTensor<T> &dst, const LocalTensor<T> &src, tmp const SumParams &p) {                              \
    sk_rows shape{p.outter, p.n, p.inner, Internal::float_bits<T>(), 32};                                                   \
    sk_high_row_sum(&shape, dst.sk_address(), src.sk_address(), 1);                                                         \
  }                                                                                                                         \
  template <typename T, bool isReuseSource = false>                                                                         \
  SK_INLINE void Mean(const LocalTensor<T> &dst, const LocalTensor<T> &src, tmp const MeanParams &p) {                      \
    sk_rows shape{p.outter, p.n, p.inner, Internal::float_bits<T>(), 32};                                                   \
    sk_high_row_sum(&shape, dst.sk_address(), src.sk_address(), 1.0 / p.n);                                                 \
  }                                                                                                                         \
  template <typename T, bool isReuseSource = false>                                                                         \
  SK_INLINE void LayerNorm(const LocalTensor<T> &output, const LocalTensor<T> &mean, const LocalTensor<T> &variance,        \
                           const LocalTensor<T> &x, const LocalTensor<T> &gamma, const LocalTensor<T> &beta,                \
                           tmp const T epsilon, const LayerNormTiling &t) {                                                 \
    sk_rows shape{t.bLength * t.sLength, t.originalHLength != 0 ? t.originalHLength : t.hLength, t.hLength,                 \
                  Internal::float_bits<T>(), 32};                                                                           \
    sk_high_normalise(&shape, output.sk_address(), mean.sk_address(), variance.sk_address(), x.sk_address(),                \
                      gamma.sk_address(), beta.sk_address(), static_cast<float>(epsilon), false);                           \
  }                                                                                                                         \
  template <typename T, bool isBasicBlock = false>                                                                          \
  SK_INLINE void RmsNorm(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &gamma,                 \
                         tmp const T epsilon, const RmsNormTiling &t) {                                                     \
    sk_rows shape{t.bLength * t.sLength, t.originalHLength != 0 ? t.originalHLength : t.hLength, t.hLength,                 \
                  Internal::float_bits<T>(), 32};                                                                           \
    sk_high_normalise(&shape, dst.sk_address(), nullptr, nullptr, src.sk_address(), gamma.sk_address(), nullptr,            \
                      static_cast<float>(epsilon), true);                                                                   \
  }                                                                                                                         \
  template <typename D>                                                                                                     \
  SK_INLINE void AscendDequant(const LocalTensor<D> &dst, const LocalTensor<int32_t> &src, const float scale,               \
                               tmp const DequantParams &p) {                                                                \
    sk_high_dequantise(sizeof(D) * 8, std::is_same<D, bfloat16_t>::value, dst.sk_address(), src.sk_address(), nullptr,      \
                       scale, p.m, p.n);                                                                                    \
  }                                                                                                                         \
  template <typename T, bool isReuseSource = false>                                                                         \
  SK_INLINE void AscendQuant(const LocalTensor<int8_t> &dst, const LocalTensor<T> &src, tmp const LocalTensor<T> &scale,    \
                             const T offset, const uint32_t scaleCount, const uint32_t count) {                             \
    sk_high_quantise_by(Internal::float_bits<T>(), dst.sk_address(), src.sk_address(), scale.sk_address(), nullptr,         \
                        static_cast<float>(offset), scaleCount, count);                                                     \
  }                                                                                                                         \
  template <typename T, bool isReuseSource = false>                                                                         \
  SK_INLINE void AscendQuant(const LocalTensor<int8_t> &dst, const LocalTensor<T> &src, tmp const LocalTensor<T> &scale,    \
                             const LocalTensor<T> &offset, const uint32_t scaleCount, const uint32_t offsetCount,           \
                             const uint32_t count) {                                                                        \
    if (scaleCount != offsetCount) sk_kernel_finding("BAD_ARGUMENT", "AscendQuant: offsetCount differs from scaleCount", false); \
    else sk_high_quantise_by(Internal::float_bits<T>(), dst.sk_address(), src.sk_address(), scale.sk_address(),             \
                             offset.sk_address(), 0, scaleCount, count);                                                    \
  }                                                                                                                         \
  template <typename T, bool isReuseSource = false>                                                                         \
  SK_INLINE void AscendQuant(const LocalTensor<int8_t> &dst, const LocalTensor<T> &src, tmp const float scale,              \
                             const float offset, const uint32_t count) {                                                    \
    sk_high_quantise(Internal::float_bits<T>(), dst.sk_address(), src.sk_address(), scale, offset, count);                  \
  }                                                                                                                         \
  template <typename D>                                                                                                     \
  SK_INLINE void AscendDequant(const LocalTensor<D> &dst, const LocalTensor<int32_t> &src, const LocalTensor<float> &scale, \
                               tmp const DequantParams &p) {                                                                \
    sk_high_dequantise(sizeof(D) * 8, std::is_same<D, bfloat16_t>::value, dst.sk_address(), src.sk_address(),               \
                       scale.sk_address(), 0, p.m, p.n);                                                                    \
  }                                                                                                                         \
  template <typename T, bool isInitIndex = false, bool isHasfinish = false, bool isReuseSrc = false,                        \
            TopKMode topkMode = TopKMode::TOPK_NORMAL>                                                                      \
  SK_INLINE void TopK(const LocalTensor<T> &dstValue, const LocalTensor<int32_t> &dstIndex, const LocalTensor<T> &src,      \
                      const LocalTensor<int32_t> &srcIndex, const LocalTensor<bool> &, tmp const int32_t k,                 \
                      const TopkTiling &, const TopKInfo &info, const bool isLargest = true) {                              \
    static_assert(!isHasfinish, "TopK: rows that are finished already are not modelled");                                   \
    sk_rows shape{static_cast<uint32_t>(info.outter), static_cast<uint32_t>(info.n), static_cast<uint32_t>(info.inner),     \
                  Internal::float_bits<T>(), 32};                                                                           \
    sk_high_top_k(&shape, dstValue.sk_address(), dstIndex.sk_address(), src.sk_address(),                                   \
                  isInitIndex ? srcIndex.sk_address() : nullptr, static_cast<uint32_t>(k), isLargest);                      \
  }
SK_WITH_TMP(SK_ROW_FUNCTIONS)
#undef SK_ROW_FUNCTIONS
#undef SK_WITH_TMP

template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
SK_INLINE void Broadcast(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t dstShape[dim],
                         const uint32_t srcShape[dim], const SharedTmp &) {
  static_assert(dim == 1 || dim == 2, "Broadcast: one or two dimensions");
  sk_high_broadcast(sizeof(T), dst.sk_address(), src.sk_address(), dstShape, srcShape, dim);
}
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
SK_INLINE void Broadcast(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t dstShape[dim],
                         const uint32_t srcShape[dim]) {
  Broadcast<T, dim, axis, isReuseSource>(dst, src, dstShape, srcShape, SharedTmp());
}

struct CumSumConfig {
  bool isLastAxis = true, isReuseSource = false, outputLastRow = true;
};
constexpr CumSumConfig defaultCumSumConfig = {true, false, true};
struct CumSumInfo {
  uint32_t outter = 0, inner = 0;
};
template <typename T, const CumSumConfig &config = defaultCumSumConfig>
SK_INLINE void CumSum(LocalTensor<T> &dst, LocalTensor<T> &lastRow, const LocalTensor<T> &src, const CumSumInfo &info) {
  sk_rows shape{info.outter, info.inner, info.inner, Internal::float_bits<T>(), 32};
  sk_high_running_sum(&shape, dst.sk_address(), config.outputLastRow ? lastRow.sk_address() : nullptr, src.sk_address(),
                      config.isLastAxis);
}
template <typename T, const CumSumConfig &config = defaultCumSumConfig>
SK_INLINE void CumSum(LocalTensor<T> &dst, LocalTensor<T> &lastRow, const LocalTensor<T> &src, LocalTensor<uint8_t> &,
                      const CumSumInfo &info) {
  CumSum<T, config>(dst, lastRow, src, info);
}

namespace tiling {
using AscendC::LayerNormTiling;
using AscendC::RmsNormTiling;
using AscendC::SoftMaxTiling;
using AscendC::TopkTiling;
} // namespace tiling

} // namespace AscendC

using AscendC::LayerNormTiling;
using AscendC::RmsNormTiling;
using AscendC::SoftMaxTiling;
using AscendC::TopkTiling;

#endif
