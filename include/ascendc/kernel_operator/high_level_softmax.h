/* high_level_softmax.h - softmax of rows, whole or step by step, its logarithm and its gradient. Maxima, sums and factors of
 * rows are blocks of 32 bytes. */
#ifndef SK_KERNEL_OPERATOR_HIGH_LEVEL_SOFTMAX_H
#define SK_KERNEL_OPERATOR_HIGH_LEVEL_SOFTMAX_H

#include "high_level.h"

namespace AscendC {

#define SK_SOFTMAX_TILING_LIST(X)                                                                                    \
  X(srcM) X(srcK) X(srcSize) X(outMaxM) X(outMaxK) X(outMaxSize) X(splitM) X(splitK) X(splitSize) X(reduceM)         \
  X(reduceK) X(reduceSize) X(rangeM) X(tailM) X(tailSplitSize) X(tailReduceSize)
struct SoftMaxTiling {
  SK_SOFTMAX_TILING_LIST(SK_TILING_FIELD)
};
struct LogSoftMaxTiling {
  SK_SOFTMAX_TILING_LIST(SK_TILING_FIELD)
};
struct SoftMaxShapeInfo {
  uint32_t srcM = 0, srcK = 0, oriSrcM = 0, oriSrcK = 0;
};
struct SoftMaxParams {
  uint32_t srcM = 0, srcK = 0, oriSrcM = 0, oriSrcK = 0, loopCnt = 0, splitMeanCnt = 0;
  float alpha = 0;
};
struct SoftmaxConfig {
  bool isCheckTiling = true;
  uint32_t oriSrcM = 0, oriSrcK = 0;
};
constexpr SoftmaxConfig SOFTMAX_DEFAULT_CFG = {true, 0, 0};

namespace Internal {
/* The shape given, else that of the tiling, else one row. */
template <typename T, typename V, bool isDataFormatNZ = false, class Tiling>
SK_INLINE sk_rows rows_of(const LocalTensor<T> &src, const Tiling &tiling, const SoftMaxShapeInfo &shape) {
  uint32_t rows = shape.srcM != 0 ? shape.srcM : tiling.srcM != 0 ? tiling.srcM : 1;
  uint32_t pitch = shape.srcK != 0 ? shape.srcK : tiling.srcK != 0 ? tiling.srcK : src.GetSize();
  return sk_rows{shape.oriSrcM != 0 ? shape.oriSrcM : rows, shape.oriSrcK != 0 ? shape.oriSrcK : pitch, pitch, float_bits<T>(),
                 float_bits<V>(), isDataFormatNZ ? rows : 0};
}
} // namespace Internal

#define SK_SOFTMAX(shared, scratch)                                                                                          \
  template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,                 \
            const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG, typename V>                                                  \
  SK_INLINE void SoftMax(const LocalTensor<T> &dst, const LocalTensor<V> &sum, const LocalTensor<V> &max,                   \
                         const LocalTensor<T> &src, shared const SoftMaxTiling &tiling,                                        \
                         const SoftMaxShapeInfo &shapeInfo = {}) {                                                          \
    SK_TAKES("SoftMax", T, half, float);                                                                                    \
    sk_rows shape = Internal::rows_of<T, V, isDataFormatNZ>(src, tiling, shapeInfo);                                        \
    sk_high_softmax(SK_SOFTMAX_PLAIN, &shape, dst.sk_address(), sum.sk_address(), max.sk_address(), src.sk_address(),       \
                    nullptr, nullptr, nullptr, scratch(isReuseSource));                                                     \
  }                                                                                                                         \
  template <typename T, bool isReuseSource = false, bool isBasicBlock = false>                                              \
  SK_INLINE void SoftMax(const LocalTensor<T> &dst, const LocalTensor<T> &src, shared const SoftMaxTiling &tiling,             \
                         const SoftMaxShapeInfo &shapeInfo = {}) {                                                          \
    SK_TAKES("SoftMax", T, half, float);                                                                                    \
    sk_rows shape = Internal::rows_of<T, T>(src, tiling, shapeInfo);                                                        \
    sk_high_softmax(SK_SOFTMAX_PLAIN, &shape, dst.sk_address(), nullptr, nullptr, src.sk_address(), nullptr, nullptr,       \
                    nullptr, scratch(isReuseSource));                                                                       \
  }                                                                                                                         \
  template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,                 \
            const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG, typename V>                                                  \
  SK_INLINE void SimpleSoftMax(const LocalTensor<T> &dst, const LocalTensor<V> &inSum, const LocalTensor<V> &inMax,         \
                               const LocalTensor<T> &src, shared const SoftMaxTiling &tiling,                                  \
                               const SoftMaxShapeInfo &shapeInfo = {}) {                                                    \
    SK_TAKES("SimpleSoftMax", T, half, float);                                                                              \
    sk_rows shape = Internal::rows_of<T, V, isDataFormatNZ>(src, tiling, shapeInfo);                                        \
    sk_high_softmax_given(&shape, dst.sk_address(), inSum.sk_address(), inMax.sk_address(), src.sk_address(),               \
                          scratch(isReuseSource));                                                                          \
  }                                                                                                                         \
  template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,                       \
            bool isDataFormatNZ = false, const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG, typename V>                     \
  SK_INLINE void SoftmaxFlashV2(const LocalTensor<T> &dst, const LocalTensor<V> &expSum, const LocalTensor<V> &max,         \
                                const LocalTensor<T> &src, const LocalTensor<T> &expMax, const LocalTensor<V> &inExpSum,    \
                                const LocalTensor<V> &inMax, shared const SoftMaxTiling &tiling,                               \
                                const SoftMaxShapeInfo &shapeInfo = {}) {                                                   \
    SK_TAKES("SoftmaxFlashV2", T, half, float);                                                                             \
    sk_rows shape = Internal::rows_of<T, V, isDataFormatNZ>(src, tiling, shapeInfo);                                        \
    sk_high_softmax(SK_SOFTMAX_FLASH2, &shape, dst.sk_address(), expSum.sk_address(), max.sk_address(), src.sk_address(),   \
                    isUpdate ? expMax.sk_address() : nullptr, isUpdate ? inExpSum.sk_address() : nullptr,                   \
                    isUpdate ? inMax.sk_address() : nullptr, scratch(isReuseSource));                                       \
  }                                                                                                                         \
  template <typename T, bool isBasicBlock = false, bool isDataFormatNZ = false>                                             \
  SK_INLINE void SoftmaxGradFront(const LocalTensor<T> &dst, const LocalTensor<T> &grad, const LocalTensor<T> &src,         \
                                  shared const SoftMaxTiling &tiling, const SoftMaxShapeInfo &shapeInfo = {}) {                \
    SK_TAKES("SoftmaxGradFront", T, half, float);                                                                              \
    sk_rows shape = Internal::rows_of<T, T, isDataFormatNZ>(src, tiling, shapeInfo);                                           \
    sk_high_softmax_grad(&shape, dst.sk_address(), grad.sk_address(), src.sk_address(), true, scratch(false));              \
  }                                                                                                                         \
  template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>                                            \
  SK_INLINE void SoftmaxGrad(const LocalTensor<T> &dst, const LocalTensor<T> &grad, const LocalTensor<T> &src,              \
                             shared const SoftMaxTiling &tiling, bool isFront = false, const SoftMaxShapeInfo &shapeInfo = {}) { \
    SK_TAKES("SoftmaxGrad", T, half, float);                                                                                     \
    sk_rows shape = Internal::rows_of<T, T, isDataFormatNZ>(src, tiling, shapeInfo);                                             \
    sk_high_softmax_grad(&shape, dst.sk_address(), grad.sk_address(), src.sk_address(), isFront, scratch(isReuseSource));   \
  } \
  template <typename T, bool isReuseSource = false, bool isBasicBlock = false, typename V>                                  \
  SK_INLINE void SoftmaxFlash(const LocalTensor<T> &dst, const LocalTensor<V> &sum, const LocalTensor<V> &max,              \
                              const LocalTensor<T> &src, const LocalTensor<T> &expMax, const LocalTensor<V> &inSum,         \
                              const LocalTensor<V> &inMax, shared const SoftMaxTiling &tiling, bool isUpdate = false,       \
                              const SoftMaxShapeInfo &shapeInfo = {}) {                                                     \
    SK_TAKES("SoftmaxFlash", T, half, float);                                                                               \
    sk_rows shape = Internal::rows_of<T, V>(src, tiling, shapeInfo);                                                        \
    sk_high_softmax(SK_SOFTMAX_FLASH, &shape, dst.sk_address(), sum.sk_address(), max.sk_address(), src.sk_address(),       \
                    isUpdate ? expMax.sk_address() : nullptr, isUpdate ? inSum.sk_address() : nullptr,                      \
                    isUpdate ? inMax.sk_address() : nullptr, scratch(isReuseSource));                                       \
  }                                                                                                                         \
  template <typename T, typename U, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,           \
            bool isDataFormatNZ = false, const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>                                 \
  SK_INLINE void SoftmaxFlashV3(const LocalTensor<T> &dst, const LocalTensor<U> &mean, const LocalTensor<U> &expSum,        \
                                const LocalTensor<U> &max, const LocalTensor<T> &src, const LocalTensor<T> &expMax,         \
                                const LocalTensor<U> &inMean, const LocalTensor<U> &inExpSum, const LocalTensor<U> &inMax,  \
                                shared const SoftMaxTiling &, const SoftMaxParams &p) {                                     \
    static_assert(std::is_same<T, half>::value && std::is_same<U, float>::value,                                            \
                  "SoftmaxFlashV3: rows are half, their values float");                                                     \
    static_assert(!isDataFormatNZ, "SoftmaxFlashV3: isDataFormatNZ is reserved, legal: false");                                        \
    sk_rows shape{p.oriSrcM, p.oriSrcK, p.srcK, 16, 32};                                                                    \
    sk_part_means means{p.loopCnt, p.splitMeanCnt, p.alpha};                                                                \
    sk_high_softmax_part_means(&shape, &means, dst.sk_address(), mean.sk_address(), expSum.sk_address(), max.sk_address(),  \
                               src.sk_address(), isUpdate ? expMax.sk_address() : nullptr,                                  \
                               isUpdate ? inMean.sk_address() : nullptr, isUpdate ? inExpSum.sk_address() : nullptr,        \
                               isUpdate ? inMax.sk_address() : nullptr, scratch(isReuseSource));                            \
  }
SK_WITH_TMP(SK_SOFTMAX)
#undef SK_SOFTMAX

/* The logarithm is that to base 10. */
template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>
SK_INLINE void LogSoftMax(const LocalTensor<T> &dst, const LocalTensor<T> &sum, const LocalTensor<T> &max, const LocalTensor<T> &src,
                          const SharedTmp &tmp, const LogSoftMaxTiling &tiling, const SoftMaxShapeInfo &shapeInfo = {}) {
  SK_TAKES("LogSoftMax", T, half, float);
  sk_rows shape = Internal::rows_of<T, T, isDataFormatNZ>(src, tiling, shapeInfo);
  sk_high_softmax(SK_SOFTMAX_LOG, &shape, dst.sk_address(), sum.sk_address(), max.sk_address(), src.sk_address(), nullptr, nullptr,
                  nullptr, SK_TMP_GIVEN(isReuseSource));
}
template <typename T, typename V, bool isDataFormatNZ = false, uint8_t stepSizeMode = 0>
SK_INLINE bool AdjustSoftMaxRes(const LocalTensor<T> &res, const LocalTensor<V> &max, const uint32_t from, const T to,
                                const SoftMaxShapeInfo &shapeInfo) {
  SK_TAKES("AdjustSoftMaxRes", T, half, float);
  sk_rows shape = Internal::rows_of<T, V, isDataFormatNZ>(res, SoftMaxTiling(), shapeInfo);
  return sk_high_adjust_rows(&shape, res.sk_address(), max.sk_address(), from, static_cast<float>(to));
}

namespace tiling {
using AscendC::LogSoftMaxTiling;
using AscendC::SoftMaxTiling;
} // namespace tiling

} // namespace AscendC

using AscendC::LogSoftMaxTiling;
using AscendC::SoftMaxTiling;

#endif
