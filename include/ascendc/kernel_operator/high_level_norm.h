/* high_level_norm.h - normalisation of rows, of batches and of groups of channels, and the gradients of the first. */
#ifndef SK_KERNEL_OPERATOR_HIGH_LEVEL_NORM_H
#define SK_KERNEL_OPERATOR_HIGH_LEVEL_NORM_H

#include "high_level.h"

namespace AscendC {

/* Fields in the framework's order: X of 32-bit integers, F of floats. Those that name no shape change nothing here. */
#define SK_NORM_TILING_SHAPE(X) X(bLength) X(sLength) X(hLength) X(originalHLength)
#define SK_NORM_TILING_PARTS(X)                                                                                              \
  X(inputXSize) X(meanVarSize) X(numberOfTmpBuf) X(meanTmpTensorPos) X(meanTmpTensorSize) X(varianceTmpTensorPos)            \
  X(varianceTmpTensorSize) X(tmpBufSize) X(oneTmpSize) X(firstTmpStartPos) X(secondTmpStartPos) X(thirdTmpStartPos)          \
  X(loopRound) X(inputRoundSize) X(inputTailSize) X(inputTailPos) X(meanVarRoundSize) X(meanVarTailSize) X(meanVarTailPos)
#define SK_LAYER_NORM_TILING_FIELDS(X, F) SK_NORM_TILING_SHAPE(X) SK_NORM_TILING_PARTS(X) X(bshCurLength) X(bsCurLength) F(lastDimValueBack)
#define SK_SEPARATE_TILING_FIELDS(X, F)                                                                                      \
  X(aLength) X(rLength) X(halfAddRepeatTimes) X(rHeadLength) F(k2Rec) F(k2RRec) X(inputXSize) X(meanVarSize)                 \
  X(numberOfTmpBuf) X(varianceTmpTensorPos) X(varianceTmpTensorSize) X(tmpBufSize) X(oneTmpSize) X(firstTmpStartPos)         \
  X(secondTmpStartPos) X(thirdTmpStartPos) X(loopRound) X(inputRoundSize) X(inputTailSize) X(inputTailPos)                   \
  X(meanVarRoundSize) X(meanVarTailSize) X(meanVarTailPos) X(arCurLength) X(aCurLength) F(rValueBack)
#define SK_RMS_NORM_TILING_FIELDS(X, F)                                                                                      \
  SK_NORM_TILING_SHAPE(X) F(reciprocalOfHLength) X(mainBshLength) X(mainBsLength) X(mainBsLengthAlign) X(loopRound)          \
  X(inputTailPos) X(tailBshLength) X(tailBsLength)
#define SK_BATCH_NORM_TILING_FIELDS(X, F)                                                                                    \
  X(originalBLength) X(meanVarSize) X(meanTmpTensorPos) X(varianceTmpTensorPos) X(tmpBufSize) X(oneTmpSize)                  \
  X(firstTmpStartPos) X(secondTmpStartPos) X(thirdTmpStartPos) X(loopRound) X(inputTailSize) X(inputTailPos)                 \
  X(meanVarTailSize) X(meanVarTailPos) X(bshCurLength) X(shCurLength) F(firstDimValueBack) X(castHalfRepStride)              \
  X(shCurLengthBlockNum) X(castHalfOutRepStride)
#define SK_GROUP_NORM_TILING_FIELDS(X, F)                                                                                    \
  X(n) X(c) X(hw) X(g) X(d) X(hwAlignSize) X(dhwAlignSize) SK_NORM_TILING_PARTS(X) X(bshCurLength) X(bsCurLength) F(factor)
#define SK_LAYER_NORM_GRAD_TILING_FIELDS(X, F)                                                                               \
  X(stackBufferSize) SK_NORM_TILING_SHAPE(X) X(oneCalSize) X(nohCalSize) X(loopNum) X(tailSize) X(nohTailSize)               \
  X(tmpTensorBSHPos) X(tmpTensorBSHSize) X(pdVarTensorPos) X(pdVarTensorSize) X(pdMeanTensorPos) X(pdMeanTensorSize)         \
  X(x1TensorPos) X(x1TensorSize) X(x2TensorPos) X(x2TensorSize) X(x3TensorPos) X(x3TensorSize) X(tmpTensorPos)               \
  X(tmpTensorSize) X(tmpTensor1Pos) X(tmpTensor1Size) X(tmpTensor2Pos) X(tmpTensor2Size) X(lastDimValueBack)                 \
  X(lastDimValueBackMulTwo)
#define SK_LAYER_NORM_GRAD_BETA_TILING_FIELDS(X, F)                                                                          \
  X(stackBufferSize) SK_NORM_TILING_SHAPE(X) X(bshLength) X(bsLength) X(oneCalSize) X(numberOfTmpBuf) X(loopRound)           \
  X(inputTailSize) X(inputTailPos) X(bsTailSize) X(bshCurLength) X(bsCurLength) X(gammaTempTensorPos) X(betaTempTensorPos)   \
  X(inputDyTmpTensorPos) X(resForGammaTmpTensorPos) X(reserved)
/* X(structure, its fields). */
#define SK_NORM_TILINGS(X)                                                                                                   \
  X(LayerNormTiling, SK_LAYER_NORM_TILING_FIELDS) X(LayerNormSeparateTiling, SK_SEPARATE_TILING_FIELDS)                      \
  X(RmsNormTiling, SK_RMS_NORM_TILING_FIELDS) X(DeepNormTiling, SK_LAYER_NORM_TILING_FIELDS)                                 \
  X(BatchNormTiling, SK_BATCH_NORM_TILING_FIELDS) X(GroupNormTiling, SK_GROUP_NORM_TILING_FIELDS)                            \
  X(LayerNormGradTiling, SK_LAYER_NORM_GRAD_TILING_FIELDS) X(LayerNormGradBetaTiling, SK_LAYER_NORM_GRAD_BETA_TILING_FIELDS)
#define SK_NORM_TILING(Name, FIELDS)          \
  struct Name {                               \
    FIELDS(SK_TILING_FIELD, SK_TILING_FLOAT)  \
  };
SK_NORM_TILINGS(SK_NORM_TILING)
#undef SK_NORM_TILING

struct LayerNormPara {
  uint32_t aLength = 0, rLength = 0, rLengthWithPadding = 0;
};
struct LayerNormConfig {
  bool isNoBeta = false, isNoGamma = false, isOnlyOutput = false, isOutputRstd = true;
};
constexpr LayerNormConfig LNCFG_NORM = {false, false, false, true};
enum class ReducePattern : uint32_t {
  AR, RA, R, ARA, ARAR, ARARA, ARARAR, ARARARA, ARARARAR, ARARARARA, RAR, RARA, RARAR, RARARA, RARARAR, RARARARA
};
using NormalizePara = LayerNormPara;
struct NormalizeConfig {
  ReducePattern reducePattern = ReducePattern::AR;
  int32_t aLength = -1;
  bool isNoBeta = false, isNoGamma = false, isOnlyOutput = false;
};
constexpr NormalizeConfig NLCFG_NORM = {ReducePattern::AR, -1, false, false, false};
struct LayerNormGradShapeInfo {
  DataFormat dataFormat = DataFormat::ND;
};

namespace Internal {
/* B x S rows of H elements of which the first originalHLength are data. */
template <typename T, class Tiling>
SK_INLINE sk_rows rows_of_tiling(const Tiling &t) {
  return sk_rows{t.bLength * t.sLength, t.originalHLength != 0 ? t.originalHLength : t.hLength, t.hLength, float_bits<T>(), float_bits<T>()};
}
template <typename T, typename U>
SK_INLINE sk_norm norm_of_para(sk_norm_kind kind, const LayerNormPara &p, float epsilon) {
  static_assert(sizeof(U) >= sizeof(T), "LayerNorm and Normalize: gamma and beta are as precise as the source, or more");
  return sk_norm{kind, sk_rows{p.aLength, p.rLength, p.rLengthWithPadding, float_bits<T>(), 32}, float_bits<U>(), epsilon, 1};
}
} // namespace Internal

#define SK_NORMS(shared, scratch)                                                                                            \
  template <typename T, bool isReuseSource = false>                                                                          \
  SK_INLINE void LayerNorm(const LocalTensor<T> &output, const LocalTensor<T> &mean, const LocalTensor<T> &variance,         \
                           const LocalTensor<T> &x, const LocalTensor<T> &gamma, const LocalTensor<T> &beta,                 \
                           shared const T epsilon, const LayerNormTiling &t) {                                               \
    SK_TAKES("LayerNorm", T, half, float);                                                                                   \
    sk_norm norm{SK_NORM_LAYER, Internal::rows_of_tiling<T>(t), sizeof(T) * 8, static_cast<float>(epsilon), 1};              \
    sk_high_norm(&norm, output.sk_address(), mean.sk_address(), variance.sk_address(), nullptr, x.sk_address(), nullptr,     \
                 gamma.sk_address(), beta.sk_address(), scratch(isReuseSource));                                             \
  }                                                                                                                          \
  template <typename U, typename T, bool isReuseSource = false, const LayerNormConfig &config = LNCFG_NORM>                  \
  SK_INLINE void LayerNorm(const LocalTensor<T> &output, const LocalTensor<float> &mean, const LocalTensor<float> &rstd,     \
                           const LocalTensor<T> &x, const LocalTensor<U> &gamma, const LocalTensor<U> &beta,                 \
                           const float epsilon, shared const LayerNormPara &para, const LayerNormSeparateTiling &) {         \
    SK_TAKES("LayerNorm", T, half, float);                                                                                   \
    sk_norm norm = Internal::norm_of_para<T, U>(SK_NORM_LAYER_SEPARATE, para, epsilon);                                      \
    sk_high_norm(&norm, output.sk_address(), mean.sk_address(), config.isOutputRstd ? nullptr : rstd.sk_address(),           \
                 config.isOutputRstd ? rstd.sk_address() : nullptr, x.sk_address(), nullptr,                                 \
                 config.isNoGamma ? nullptr : gamma.sk_address(), config.isNoBeta ? nullptr : beta.sk_address(),             \
                 scratch(isReuseSource));                                                                                    \
  }                                                                                                                          \
  template <typename U, typename T, bool isReuseSource = false, const NormalizeConfig &config = NLCFG_NORM>                  \
  SK_INLINE void Normalize(const LocalTensor<T> &output, const LocalTensor<float> &rstd, const LocalTensor<float> &mean,     \
                           const LocalTensor<float> &variance, const LocalTensor<T> &x, const LocalTensor<U> &gamma,         \
                           const LocalTensor<U> &beta, shared const float epsilon, const NormalizePara &para) {              \
    SK_TAKES("Normalize", T, half, float);                                                                                   \
    static_assert(config.reducePattern == ReducePattern::AR, "Normalize: reducePattern is AR");                              \
    static_assert(!config.isOnlyOutput, "Normalize: isOnlyOutput is false");                                                 \
    sk_norm norm = Internal::norm_of_para<T, U>(SK_NORM_GIVEN, para, epsilon);                                               \
    sk_high_norm(&norm, output.sk_address(), mean.sk_address(), variance.sk_address(), rstd.sk_address(), x.sk_address(),    \
                 nullptr, config.isNoGamma ? nullptr : gamma.sk_address(), config.isNoBeta ? nullptr : beta.sk_address(),    \
                 scratch(isReuseSource));                                                                                    \
  }                                                                                                                          \
  template <typename T, bool isBasicBlock = false>                                                                           \
  SK_INLINE void RmsNorm(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &gamma,                  \
                         shared const T epsilon, const RmsNormTiling &t) {                                                   \
    SK_TAKES("RmsNorm", T, half, float);                                                                                     \
    sk_norm norm{SK_NORM_RMS, Internal::rows_of_tiling<T>(t), sizeof(T) * 8, static_cast<float>(epsilon), 1};                \
    sk_high_norm(&norm, dst.sk_address(), nullptr, nullptr, nullptr, src.sk_address(), nullptr, gamma.sk_address(), nullptr, \
                 scratch(false));                                                                                            \
  }                                                                                                                          \
  template <typename T, bool isReuseSrc = false, bool isBasicBlock = false>                                                  \
  SK_INLINE void DeepNorm(const LocalTensor<T> &dst, const LocalTensor<T> &mean, const LocalTensor<T> &variance,             \
                          const LocalTensor<T> &src, const LocalTensor<T> &gx, const LocalTensor<T> &beta,                   \
                          const LocalTensor<T> &gamma, shared const T alpha, const T epsilon, const DeepNormTiling &t) {     \
    SK_TAKES("DeepNorm", T, half, float);                                                                                    \
    sk_norm norm{SK_NORM_DEEP, Internal::rows_of_tiling<T>(t), sizeof(T) * 8, static_cast<float>(epsilon),                   \
                 static_cast<float>(alpha)};                                                                                 \
    sk_high_norm(&norm, dst.sk_address(), mean.sk_address(), variance.sk_address(), nullptr, src.sk_address(),               \
                 gx.sk_address(), gamma.sk_address(), beta.sk_address(), scratch(isReuseSrc));                               \
  }                                                                                                                          \
  template <typename T, bool isReuseSource = false, bool isBasicBlock = false>                                               \
  SK_INLINE void BatchNorm(const LocalTensor<T> &output, const LocalTensor<T> &mean, const LocalTensor<T> &variance,         \
                           const LocalTensor<T> &x, const LocalTensor<T> &gamm, const LocalTensor<T> &beta,                  \
                           shared const T epsilon, const BatchNormTiling &t) {                                               \
    SK_TAKES("BatchNorm", T, half, float);                                                                                   \
    sk_rows shape{t.originalBLength, t.meanVarSize, t.meanVarSize, Internal::float_bits<T>(), sizeof(T) * 8};                \
    sk_high_batch_norm(&shape, output.sk_address(), mean.sk_address(), variance.sk_address(), x.sk_address(),                \
                       gamm.sk_address(), beta.sk_address(), static_cast<float>(epsilon), isBasicBlock,                      \
                       scratch(isReuseSource));                                                                              \
  }                                                                                                                          \
  template <typename T, bool isReuseSource = false>                                                                          \
  SK_INLINE void GroupNorm(const LocalTensor<T> &output, const LocalTensor<T> &mean, const LocalTensor<T> &variance,         \
                           const LocalTensor<T> &x, const LocalTensor<T> &gamma, const LocalTensor<T> &beta,                 \
                           shared const T epsilon, const GroupNormTiling &t) {                                               \
    SK_TAKES("GroupNorm", T, half, float);                                                                                   \
    sk_groups groups{t.n, t.c, t.g, t.hw, Internal::float_bits<T>()};                                                        \
    sk_high_group_norm(&groups, output.sk_address(), mean.sk_address(), variance.sk_address(), x.sk_address(),               \
                       gamma.sk_address(), beta.sk_address(), static_cast<float>(epsilon), scratch(isReuseSource));          \
  }                                                                                                                          \
  template <typename T, bool isReuseSource = false>                                                                          \
  SK_INLINE void LayerNormGrad(const LocalTensor<T> &dx, const LocalTensor<T> &forGamma, const LocalTensor<T> &dy,           \
                               const LocalTensor<T> &x, const LocalTensor<T> &variance, const LocalTensor<T> &mean,          \
                               const LocalTensor<T> &gamma, shared T epsilon, const LayerNormGradTiling &t,                  \
                               const LayerNormGradShapeInfo &info = {}) {                                                    \
    SK_TAKES("LayerNormGrad", T, half, float);                                                                               \
    sk_rows shape = Internal::rows_of_tiling<T>(t);                                                                          \
    if (info.dataFormat != DataFormat::ND)                                                                                   \
      sk_kernel_finding("BAD_ARGUMENT", "LayerNormGrad: dataFormat; legal: DataFormat::ND", false);                          \
    else                                                                                                                     \
      sk_high_layer_norm_grad(&shape, dx.sk_address(), forGamma.sk_address(), dy.sk_address(), x.sk_address(),               \
                              variance.sk_address(), mean.sk_address(), gamma.sk_address(), static_cast<float>(epsilon),     \
                              scratch(isReuseSource));                                                                       \
  }                                                                                                                          \
  template <typename T, bool isReuseSource = false>                                                                          \
  SK_INLINE void LayerNormGradBeta(const LocalTensor<T> &dGamma, const LocalTensor<T> &dBeta, const LocalTensor<T> &forGamma, \
                                   const LocalTensor<T> &dy, shared const LayerNormGradBetaTiling &t) {                      \
    SK_TAKES("LayerNormGradBeta", T, half, float);                                                                           \
    sk_rows shape = Internal::rows_of_tiling<T>(t);                                                                          \
    sk_high_layer_norm_grad_beta(&shape, dGamma.sk_address(), dBeta.sk_address(), forGamma.sk_address(), dy.sk_address(),    \
                                 scratch(isReuseSource));                                                                    \
  }
SK_WITH_TMP(SK_NORMS)
#undef SK_NORMS

#define SK_NAME_TILING(Name, FIELDS) using AscendC::Name;
namespace tiling {
SK_NORM_TILINGS(SK_NAME_TILING)
} // namespace tiling

} // namespace AscendC

SK_NORM_TILINGS(SK_NAME_TILING)
#undef SK_NAME_TILING

#endif
