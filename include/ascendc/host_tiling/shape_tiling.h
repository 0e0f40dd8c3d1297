/* shape_tiling.h - tilings and temporary memory of the high-level functions that reduce, quantise, mask and move: all but the
 * norms, softmax, the elementwise ones and Matmul. */
#ifndef SK_HOST_TILING_SHAPE_H
#define SK_HOST_TILING_SHAPE_H

#include "host_tiling/data.h"
#include "host_tiling/elementwise_tiling.h"
#include "kernel_operator/high_level_layout.h"
#include "kernel_operator/high_level_norm.h"

namespace optiling {
SK_LAYOUT_TILINGS(SK_HOST_TILING_TYPED)
} // namespace optiling

namespace AscendC {

/* ---- reductions ---------------------------------------------------------------------------------------------- */

inline void GetSumMaxMinTmpSize(const uint32_t n, const uint32_t typeSize, const bool, uint32_t &maxSize, uint32_t &minSize) {
  Internal::tell_sizes(sk_tmp_sum(n, typeSize), maxSize, minSize);
}
inline void GetMeanMaxMinTmpSize(const uint32_t n, const uint32_t srcTypeSize, const uint32_t accTypeSize, const bool, uint32_t &maxSize,
                                 uint32_t &minSize) {
  Internal::tell_sizes(sk_tmp_mean(n, srcTypeSize, accTypeSize), maxSize, minSize);
}
inline void GetMeanTmpBufferFactorSize(const uint32_t, uint32_t &maxLiveNodeCount, uint32_t &extraBuffer) { maxLiveNodeCount = 1, extraBuffer = 0; }
inline void GetCumSumMaxMinTmpSize(const ge::Shape &srcShape, const uint32_t typeSize, const bool isLastAxis, const bool, uint32_t &maxValue,
                                   uint32_t &minValue) {
  Internal::tell_sizes(sk_tmp_running_sum(Internal::dim_of(srcShape, 0), Internal::dim_of(srcShape, 1), typeSize, isLastAxis), maxValue, minValue);
}
#define SK_REDUCE_TMP_SIZE(Name, FAMILY)                                                                                   \
  inline void Get##Name##MaxMinTmpSize(const ge::Shape &srcShape, const TensorDataType dataType, ReducePattern pattern,    \
                                       bool /* isSrcInnerPad */, bool isReuseSource, uint32_t &maxValue, uint32_t &minValue) { \
    Internal::tell_sizes(sk_tmp_reduce(SK_TMP_##FAMILY, Internal::dim_of(srcShape, 0), Internal::dim_of(srcShape, 1),      \
                                       Internal::bytes_of_type(dataType), pattern == ReducePattern::AR, isReuseSource),    \
                         maxValue, minValue);                                                                              \
  }
SK_REDUCE_TMP_SIZE(ReduceSum, SUM) SK_REDUCE_TMP_SIZE(ReduceMean, SUM) SK_REDUCE_TMP_SIZE(ReduceMax, EXTREME)
SK_REDUCE_TMP_SIZE(ReduceMin, EXTREME) SK_REDUCE_TMP_SIZE(ReduceProd, PRODUCT) SK_REDUCE_TMP_SIZE(ReduceAny, LOGICAL)
SK_REDUCE_TMP_SIZE(ReduceAll, LOGICAL)
#undef SK_REDUCE_TMP_SIZE
inline void GetReduceXorSumMaxMinTmpSize(const ge::Shape &srcShape, const uint32_t typeSize, const bool isReuseSource, uint32_t &maxValue,
                                         uint32_t &minValue) {
  maxValue = minValue = sk_tmp_times(isReuseSource ? 2 : 3, Internal::elems_of(srcShape) * typeSize).most;
}

/* ---- quantisation and masks -------------------------------------------------------------------------------------- */

inline void GetAscendQuantMaxMinTmpSize(const ge::Shape &srcShape, const uint32_t, uint32_t &maxValue, uint32_t &minValue) {
  Internal::tell_sizes(sk_tmp_quantise(Internal::elems_of(srcShape)), maxValue, minValue);
}
inline void GetAscendQuantTmpBufferFactorSize(uint32_t &maxLiveNodeCount, uint32_t &extraBuf) { maxLiveNodeCount = 2, extraBuf = 0; }
inline void GetAscendDequantMaxMinTmpSize(const ge::Shape &srcShape, const uint32_t, uint32_t &maxValue, uint32_t &minValue) {
  uint32_t rows = srcShape.GetDimNum() == 2 ? Internal::dim_of(srcShape, 0) : 1;
  Internal::tell_sizes(sk_tmp_dequantise(rows, Internal::columns_of(srcShape)), maxValue, minValue);
}
inline void GetAscendDequantTmpBufferFactorSize(const ge::Shape &srcShape, uint32_t &maxLiveNodeCount, uint32_t &extraBuf) {
  maxLiveNodeCount = srcShape.GetDimNum() == 2 ? 1 : 2;
  extraBuf = 72 + (srcShape.GetDimNum() == 2 ? Internal::columns_of(srcShape) : 0);
}
inline void GetAscendAntiQuantMaxMinTmpSize(const ge::Shape &srcShape, const ge::Shape &scaleShape, bool isTranspose, TensorDataType,
                                            TensorDataType outputDataType, uint32_t &maxValue, uint32_t &minValue) {
  Internal::tell_sizes(sk_tmp_anti_quantise(outputDataType == ge::DT_BF16, Internal::dim_of(srcShape, 0), Internal::elems_of(srcShape),
                                            Internal::elems_of(scaleShape), isTranspose),
                       maxValue, minValue);
}
inline uint32_t GetAscendAntiQuantMaxTmpSize(const ge::Shape &srcShape, const ge::Shape &scaleShape, bool isTranspose, TensorDataType inputDataType,
                                             TensorDataType outputDataType) {
  uint32_t most = 0, least = 0;
  GetAscendAntiQuantMaxMinTmpSize(srcShape, scaleShape, isTranspose, inputDataType, outputDataType, most, least);
  return most;
}
inline uint32_t GetAscendAntiQuantMinTmpSize(const ge::Shape &srcShape, const ge::Shape &scaleShape, bool isTranspose, TensorDataType inputDataType,
                                             TensorDataType outputDataType) {
  uint32_t most = 0, least = 0;
  GetAscendAntiQuantMaxMinTmpSize(srcShape, scaleShape, isTranspose, inputDataType, outputDataType, most, least);
  return least;
}
inline void GetDropOutMaxMinTmpSize(const ge::Shape &srcShape, const uint32_t, const bool, uint32_t &maxValue, uint32_t &minValue) {
  Internal::tell_sizes(sk_tmp_drop_out(Internal::elems_of(srcShape)), maxValue, minValue);
}
inline uint32_t GetDropOutMaxTmpSize(const ge::Shape &srcShape, const uint32_t, const bool) { return sk_tmp_drop_out(Internal::elems_of(srcShape)).most; }
inline uint32_t GetDropOutMinTmpSize(const ge::Shape &srcShape, const uint32_t, const bool) { return sk_tmp_drop_out(Internal::elems_of(srcShape)).least; }
inline void GetSelectMaxMinTmpSize(const ge::Shape &src0Shape, const ge::Shape &src1Shape, const uint32_t, const ge::Shape &maskShape,
                                   const uint32_t maskTypeSize, const bool isReuseMask, uint32_t &maxValue, uint32_t &minValue) {
  const ge::Shape &source = Internal::elems_of(src0Shape) == 1 ? src1Shape : src0Shape;
  uint32_t mask = Internal::columns_of(maskShape);
  bool unlike = mask != Internal::columns_of(source) && mask > 1 && !isReuseMask;
  Internal::tell_sizes(sk_tmp_select(Internal::elems_of(source), maskTypeSize, unlike), maxValue, minValue);
}
inline uint32_t GetSelectMaxTmpSize(const ge::Shape &src0Shape, const ge::Shape &src1Shape, const uint32_t srcTypeSize, const ge::Shape &maskShape,
                                    const uint32_t maskTypeSize, const bool isReuseMask) {
  uint32_t most = 0, least = 0;
  GetSelectMaxMinTmpSize(src0Shape, src1Shape, srcTypeSize, maskShape, maskTypeSize, isReuseMask, most, least);
  return most;
}
inline uint32_t GetSelectMinTmpSize(const ge::Shape &src0Shape, const ge::Shape &src1Shape, const uint32_t srcTypeSize, const ge::Shape &maskShape,
                                    const uint32_t maskTypeSize, const bool isReuseMask) {
  uint32_t most = 0, least = 0;
  GetSelectMaxMinTmpSize(src0Shape, src1Shape, srcTypeSize, maskShape, maskTypeSize, isReuseMask, most, least);
  return least;
}
inline void GetSelectWithBytesMaskMaxMinTmpSize(const ge::Shape &src0Shape, const ge::Shape &src1Shape, const uint32_t srcTypeSize,
                                                const ge::Shape &maskShape, const uint32_t maskTypeSize, const bool isReuseMask,
                                                uint32_t &maxValue, uint32_t &minValue) {
  GetSelectMaxMinTmpSize(src0Shape, src1Shape, srcTypeSize, maskShape, maskTypeSize, isReuseMask, maxValue, minValue);
}

/* ---- layouts --------------------------------------------------------------------------------------------------------- */

/* Two dimensions: along the one that is 1 in the source. */
inline void GetBroadCastMaxMinTmpSize(const platform_ascendc::PlatformAscendC &, const ge::Shape &srcShape, const ge::Shape &dstShape,
                                      uint32_t typeSize, const bool, uint32_t &maxValue, uint32_t &minValue) {
  uint32_t rows = dstShape.GetDimNum() > 1 ? Internal::dim_of(dstShape, 0) : 1, axis = srcShape.GetDimNum() > 1 && srcShape.GetDim(1) == 1;
  Internal::tell_sizes(sk_tmp_broadcast(Internal::elems_of(srcShape), rows, Internal::columns_of(dstShape), axis, typeSize), maxValue, minValue);
}
inline void GetPadMaxMinTmpSize(const ge::Shape &srcShape, const uint32_t, uint32_t &maxValue, uint32_t &minValue) {
  Internal::tell_sizes(sk_tmp_pad(Internal::elems_of(srcShape)), maxValue, minValue);
}
inline void PadTilingFunc(const ge::Shape &srcShape, const ge::Shape &oriSrcShape, const uint32_t, const uint32_t typeSize, PadTiling &tiling) {
  tiling.srcHeight = Internal::dim_of(srcShape, 0), tiling.srcWidth = Internal::dim_of(srcShape, 1);
  tiling.srcOriWidth = Internal::dim_of(oriSrcShape, 1), tiling.blocksPerRow = tiling.srcWidth * typeSize / 32;
}
inline void GetUnPadMaxMinTmpSize(const platform_ascendc::PlatformAscendC &, const ge::Shape &, const uint32_t, uint32_t &maxValue, uint32_t &minValue) {
  maxValue = minValue = 0;
}
inline void UnPadTilingFunc(const ge::Shape &srcShape, const uint32_t, const uint32_t, UnPadTiling &tiling) {
  tiling.srcHeight = Internal::dim_of(srcShape, 0), tiling.srcWidth = Internal::dim_of(srcShape, 1);
}
/* False: the formats are none that TransData takes. */
inline bool GetTransDataMaxMinTmpSize(const platform_ascendc::PlatformAscendC &, const ge::Shape &srcShape, const ge::Shape &dstShape,
                                      const TensorDataType, const TransDataConfig &config, uint32_t &maxValue, uint32_t &minValue) {
  bool to_blocks = config.srcFormat == DataFormat::NCDHW;
  DataFormat other = to_blocks ? config.dstFormat : config.srcFormat;
  const ge::Shape &s = to_blocks ? srcShape : dstShape;
  if ((!to_blocks && config.dstFormat != DataFormat::NCDHW) || (other != DataFormat::NDC1HWC0 && other != DataFormat::FRACTAL_Z_3D) || s.GetDimNum() != 5)
    return false;
  Internal::tell_sizes(sk_tmp_trans_data(Internal::dim_of(s, 0), Internal::dim_of(s, 1), Internal::dim_of(s, 2), Internal::dim_of(s, 3),
                                         Internal::dim_of(s, 4), to_blocks, other == DataFormat::FRACTAL_Z_3D),
                       maxValue, minValue);
  return true;
}
/* [B, N, S, H / N]; [H, W] for transposeType 7. */
inline void GetTransposeMaxMinTmpSize(const ge::Shape &srcShape, const uint32_t typeSize, const uint32_t transposeTypeIn, uint32_t &maxValue,
                                      uint32_t &minValue) {
  Internal::tell_sizes(sk_tmp_transpose(transposeTypeIn, Internal::dim_of(srcShape, 2), typeSize), maxValue, minValue);
}
inline void GetConfusionTransposeMaxMinTmpSize(const ge::Shape &srcShape, const uint32_t typeSize, const uint32_t transposeTypeIn,
                                               uint32_t &maxValue, uint32_t &minValue) {
  GetTransposeMaxMinTmpSize(srcShape, typeSize, transposeTypeIn, maxValue, minValue);
}
inline void GetTransposeTilingInfo(const ge::Shape &srcShape, const uint32_t, const uint32_t, const uint32_t transposeTypeIn,
                                   ConfusionTransposeTiling &tiling) {
  bool matrix = transposeTypeIn == 7;
  tiling.param0 = matrix ? 1 : Internal::dim_of(srcShape, 0), tiling.param1 = matrix ? 1 : Internal::dim_of(srcShape, 1);
  tiling.param2 = Internal::dim_of(srcShape, matrix ? 0 : 2), tiling.param3 = Internal::dim_of(srcShape, matrix ? 1 : 3);
  tiling.param4 = transposeTypeIn;
}
inline void GetConfusionTransposeTilingInfo(const ge::Shape &srcShape, const uint32_t stackBufferSize, const uint32_t typeSize,
                                            const uint32_t transposeTypeIn, ConfusionTransposeTiling &tiling) {
  GetTransposeTilingInfo(srcShape, stackBufferSize, typeSize, transposeTypeIn, tiling);
}
inline void GetConfusionTransposeOnlyTilingInfo(const ge::Shape &srcShape, const uint32_t stackBufferSize, const uint32_t typeSize,
                                                ConfusionTransposeTiling &tiling) {
  GetTransposeTilingInfo(srcShape, stackBufferSize, typeSize, 7, tiling);
}

} // namespace AscendC

#endif
