/* norm_tiling.h - tilings and temporary memory of the norms. The kernel needs the shape; the other fields say how many rows
 * the temporary memory holds at a time. */
#ifndef SK_HOST_TILING_NORM_H
#define SK_HOST_TILING_NORM_H

#include "host_tiling/data.h"
#include "host_tiling/elementwise_tiling.h"
#include "kernel_operator/high_level_norm.h"

namespace optiling {
SK_NORM_TILINGS(SK_HOST_TILING_TYPED)
} // namespace optiling

namespace AscendC {

namespace Internal {
/* [B, S, H] or [B, S, H, originalH]. */
template <class Tiling>
inline void rows_of_norm(const ge::Shape &shape, const ge::Shape &original, Tiling &t) {
  t.bLength = dim_of(shape, 0), t.sLength = dim_of(shape, 1), t.hLength = dim_of(shape, 2);
  t.originalHLength = original.GetDimNum() > 3 ? dim_of(original, 3) : dim_of(original, 2);
}
inline uint32_t norm_rows(const ge::Shape &shape) { return dim_of(shape, 0) * dim_of(shape, 1); }
template <class Tiling>
inline void parts_of_rows(uint32_t rows, uint32_t length, uint32_t tmp_bytes, sk_tmp_sizes sizes, Tiling &t) {
  uint32_t values = 2 * sk_tmp_up(rows * 4, 32), row = (sizes.least - values), part = tmp_bytes < sizes.least || row == 0 ? 0 : (tmp_bytes - values) / row;
  if (part > rows) part = rows;
  t.inputXSize = rows * length, t.meanVarSize = rows, t.tmpBufSize = tmp_bytes / 4, t.oneTmpSize = part * length;
  t.inputRoundSize = t.oneTmpSize, t.meanVarRoundSize = part, t.loopRound = part == 0 ? 0 : rows / part;
  t.meanVarTailSize = part == 0 ? 0 : rows % part, t.inputTailSize = t.meanVarTailSize * length;
  t.inputTailPos = t.inputXSize - t.inputTailSize, t.meanVarTailPos = rows - t.meanVarTailSize;
}
} // namespace Internal

/* ---- LayerNorm and what uses it ----------------------------------------------------------------------------- */

inline void GetLayerNormMaxMinTmpSize(const ge::Shape &srcShape, const uint32_t typeSize, const bool isReuseSource, uint32_t &maxValue,
                                      uint32_t &minValue) {
  Internal::tell_sizes(sk_tmp_layer_norm(Internal::norm_rows(srcShape), Internal::dim_of(srcShape, 2), typeSize, isReuseSource), maxValue, minValue);
}
inline void GetLayerNormNDTilingInfo(const ge::Shape &srcShape, const uint32_t stackBufferSize, const uint32_t typeSize, const bool isReuseSource,
                                     LayerNormTiling &tiling) {
  Internal::rows_of_norm(srcShape, srcShape, tiling);
  uint32_t rows = Internal::norm_rows(srcShape), h = tiling.hLength;
  Internal::parts_of_rows(rows, h, stackBufferSize, sk_tmp_layer_norm(rows, h, typeSize, isReuseSource), tiling);
  tiling.bshCurLength = tiling.oneTmpSize, tiling.bsCurLength = tiling.meanVarRoundSize;
  tiling.lastDimValueBack = 1.0f / static_cast<float>(tiling.originalHLength);
}
inline void GetLayerNormNDTillingInfo(const ge::Shape &srcShape, const uint32_t stackBufferSize, const uint32_t typeSize,
                                      const bool isReuseSource, LayerNormTiling &tilling) {
  GetLayerNormNDTilingInfo(srcShape, stackBufferSize, typeSize, isReuseSource, tilling);
}
inline void GetNormalizeMaxMinTmpSize(const ge::Shape &srcShape, const uint32_t typeSizeU, const uint32_t typeSizeT, const bool, const bool,
                                      const bool, uint32_t &maxValue, uint32_t &minValue) {
  Internal::tell_sizes(sk_tmp_normalize(Internal::dim_of(srcShape, 0), Internal::dim_of(srcShape, 1), typeSizeU, typeSizeT), maxValue, minValue);
}
/* [A, R]: the form with float means and the reciprocal of the deviation. */
inline void GetLayerNormMaxMinTmpSize(const ge::Shape &srcShape, const uint32_t typeSize, const bool, const bool, const bool, uint32_t &maxValue,
                                      uint32_t &minValue) {
  Internal::tell_sizes(sk_tmp_layer_norm_separate(Internal::dim_of(srcShape, 0), Internal::dim_of(srcShape, 1), typeSize), maxValue, minValue);
}
inline void GetLayerNormNDTilingInfo(const ge::Shape &srcShape, const uint32_t stackBufferSize, const uint32_t typeSize, const bool, const bool,
                                     LayerNormSeparateTiling &tiling) {
  tiling.aLength = Internal::dim_of(srcShape, 0), tiling.rLength = Internal::dim_of(srcShape, 1);
  uint32_t row = sk_tmp_up(tiling.rLength, 32 / typeSize);
  Internal::parts_of_rows(tiling.aLength, row, stackBufferSize, sk_tmp_layer_norm_separate(tiling.aLength, tiling.rLength, typeSize), tiling);
  tiling.arCurLength = tiling.oneTmpSize, tiling.aCurLength = tiling.meanVarRoundSize;
  tiling.rValueBack = 1.0f / static_cast<float>(tiling.rLength);
}
inline bool GetRmsNormMaxMinTmpSize(const ge::Shape &srcShape, const uint32_t typeSize, uint32_t &maxValue, uint32_t &minValue, const bool = false) {
  Internal::tell_sizes(sk_tmp_rms_norm(Internal::norm_rows(srcShape), Internal::dim_of(srcShape, 2), typeSize), maxValue, minValue);
  return srcShape.GetDimNum() == 3;
}
/* False: the shapes are not [B, S, H] twice, differ in more than H, or the temporary memory is too small. */
inline bool GetRmsNormTilingInfo(const ge::Shape &srcShape, const ge::Shape &originSrcShape, const uint32_t stackBufferByteSize,
                                 const uint32_t typeSize, RmsNormTiling &tiling, const bool isBasicBlock = false) {
  Internal::rows_of_norm(srcShape, originSrcShape, tiling);
  uint32_t rows = Internal::norm_rows(srcShape), h = tiling.hLength;
  sk_tmp_sizes sizes = sk_tmp_rms_norm(rows, h, typeSize);
  tiling.reciprocalOfHLength = tiling.originalHLength == 0 ? 0 : 1.0f / static_cast<float>(tiling.originalHLength);
  tiling.mainBsLength = h == 0 ? 0 : sk_tmp_smaller(rows, stackBufferByteSize / ((typeSize == 2 ? 2 : 1) * h * 4 + 4));
  tiling.mainBshLength = tiling.mainBsLength * h, tiling.mainBsLengthAlign = sk_tmp_up(tiling.mainBsLength, 8);
  tiling.loopRound = tiling.mainBsLength == 0 ? 0 : rows / tiling.mainBsLength;
  tiling.tailBsLength = tiling.mainBsLength == 0 ? 0 : rows % tiling.mainBsLength, tiling.tailBshLength = tiling.tailBsLength * h;
  tiling.inputTailPos = rows * h - tiling.tailBshLength;
  bool basic = h % 64 == 0 && rows % 8 == 0 && h < 2048;
  return srcShape.GetDimNum() == 3 && originSrcShape.GetDimNum() == 3 && Internal::norm_rows(originSrcShape) == rows &&
         tiling.originalHLength != 0 && tiling.originalHLength <= h && stackBufferByteSize >= sizes.least && (!isBasicBlock || basic);
}
namespace Internal {
inline bool deep_norm_shape(const ge::Shape &shape, bool isBasicBlock) {
  uint32_t h = dim_of(shape, 2);
  return shape.GetDimNum() == 3 && h != 0 && h <= 2040 && (!isBasicBlock || (h % 64 == 0 && norm_rows(shape) % 8 == 0));
}
} // namespace Internal
inline bool GetDeepNormMaxMinTmpSize(const ge::Shape &srcShape, const uint32_t typeSize, const bool isReuseSource, const bool isBasicBlock,
                                     uint32_t &maxValue, uint32_t &minValue) {
  if (!Internal::deep_norm_shape(srcShape, isBasicBlock)) return false;
  Internal::tell_sizes(sk_tmp_layer_norm(Internal::norm_rows(srcShape), Internal::dim_of(srcShape, 2), typeSize, isReuseSource), maxValue, minValue);
  return true;
}
inline bool GetDeepNormTilingInfo(const ge::Shape &srcShape, const ge::Shape &originSrcShape, const uint32_t stackBufferSize,
                                  const uint32_t typeSize, const bool isReuseSource, const bool isBasicBlock, DeepNormTiling &tiling) {
  Internal::rows_of_norm(srcShape, originSrcShape, tiling);
  uint32_t rows = Internal::norm_rows(srcShape), h = tiling.hLength;
  sk_tmp_sizes sizes = sk_tmp_layer_norm(rows, h, typeSize, isReuseSource);
  Internal::parts_of_rows(rows, h, stackBufferSize, sizes, tiling);
  tiling.bshCurLength = tiling.oneTmpSize, tiling.bsCurLength = tiling.meanVarRoundSize;
  tiling.lastDimValueBack = tiling.originalHLength == 0 ? 0 : 1.0f / static_cast<float>(tiling.originalHLength);
  return Internal::deep_norm_shape(srcShape, isBasicBlock) && tiling.originalHLength != 0 && tiling.originalHLength <= h &&
         (!isBasicBlock || tiling.originalHLength == h) && stackBufferSize >= sizes.least;
}

/* ---- batches and groups ---------------------------------------------------------------------------------------- */

namespace Internal {
inline bool batch_norm_shape(const ge::Shape &shape, const ge::Shape &original, uint32_t typeSize, bool isBasicBlock) {
  uint32_t sh = dim_of(shape, 1) * dim_of(shape, 2);
  return shape.GetDimNum() == 3 && original.GetDimNum() == 3 && sh * typeSize % 32 == 0 && dim_of(original, 0) != 0 &&
         (!isBasicBlock || (sh % 64 == 0 && sh < 2048 && dim_of(original, 0) % 8 == 0));
}
} // namespace Internal
inline bool GetBatchNormMaxMinTmpSize(const ge::Shape &srcShape, const ge::Shape &originSrcShape, const uint32_t typeSize, const bool,
                                      uint32_t &maxValue, uint32_t &minValue, const bool isBasicBlock = false) {
  if (!Internal::batch_norm_shape(srcShape, originSrcShape, typeSize, isBasicBlock)) return false;
  uint32_t sh = Internal::dim_of(srcShape, 1) * Internal::dim_of(srcShape, 2);
  Internal::tell_sizes(sk_tmp_batch_norm(Internal::dim_of(originSrcShape, 0), sh, typeSize, isBasicBlock), maxValue, minValue);
  return true;
}
inline bool GetBatchNormNDTilingInfo(const ge::Shape &srcShape, const ge::Shape &originSrcShape, const uint32_t stackBufferByteSize,
                                     const uint32_t typeSize, const bool isReuseSource, BatchNormTiling &tiling, const bool isBasicBlock = false) {
  uint32_t most = 0, least = 0, b = Internal::dim_of(originSrcShape, 0), sh = Internal::dim_of(srcShape, 1) * Internal::dim_of(srcShape, 2);
  if (!GetBatchNormMaxMinTmpSize(srcShape, originSrcShape, typeSize, isReuseSource, most, least, isBasicBlock) || stackBufferByteSize < least)
    return false;
  uint32_t values = 2 * sk_tmp_up(sh, 8), columns = sk_tmp_smaller(sh, (stackBufferByteSize / 4 - values) / 3 / b / 8 * 8);
  tiling.originalBLength = b, tiling.meanVarSize = sh, tiling.tmpBufSize = stackBufferByteSize / 4;
  tiling.shCurLength = columns, tiling.bshCurLength = tiling.oneTmpSize = columns * b, tiling.loopRound = sh / columns;
  tiling.meanVarTailSize = sh % columns, tiling.inputTailSize = tiling.meanVarTailSize * b;
  tiling.meanVarTailPos = tiling.inputTailPos = sh - tiling.meanVarTailSize;
  tiling.firstDimValueBack = 1.0f / static_cast<float>(b), tiling.shCurLengthBlockNum = columns / 8;
  return true;
}
inline void GetGroupNormMaxMinTmpSize(const ge::Shape &srcShape, const uint32_t typeSize, const bool isReuseSource, const uint32_t groupNum,
                                      uint32_t &maxValue, uint32_t &minValue) {
  uint32_t d = groupNum == 0 ? 0 : Internal::dim_of(srcShape, 1) / groupNum, hw = Internal::dim_of(srcShape, 2) * Internal::dim_of(srcShape, 3);
  Internal::tell_sizes(sk_tmp_group_norm(Internal::dim_of(srcShape, 0), groupNum, d, hw, typeSize, isReuseSource), maxValue, minValue);
}
inline void GetGroupNormNDTilingInfo(const ge::Shape &srcShape, const uint32_t stackBufferSize, const uint32_t typeSize, const bool isReuseSource,
                                     const uint32_t groupNum, GroupNormTiling &tiling) {
  tiling.n = Internal::dim_of(srcShape, 0), tiling.c = Internal::dim_of(srcShape, 1), tiling.g = groupNum;
  tiling.hw = Internal::dim_of(srcShape, 2) * Internal::dim_of(srcShape, 3), tiling.d = groupNum == 0 ? 0 : tiling.c / groupNum;
  tiling.hwAlignSize = sk_tmp_up(tiling.hw, 32 / typeSize), tiling.dhwAlignSize = tiling.d * tiling.hwAlignSize;
  sk_tmp_sizes sizes = sk_tmp_group_norm(tiling.n, groupNum, tiling.d, tiling.hw, typeSize, isReuseSource);
  Internal::parts_of_rows(tiling.n * groupNum, tiling.dhwAlignSize, stackBufferSize, sizes, tiling);
  tiling.bshCurLength = tiling.oneTmpSize, tiling.bsCurLength = tiling.meanVarRoundSize;
  tiling.factor = tiling.d * tiling.hw == 0 ? 0 : 1.0f / static_cast<float>(tiling.d * tiling.hw);
}

/* ---- gradients and running means ---------------------------------------------------------------------------------- */

inline void GetLayerNormGradMaxMinTmpSize(const ge::Shape &srcShape, const uint32_t typeSize, const bool isReuseSource, uint32_t &maxValue,
                                          uint32_t &minValue) {
  Internal::tell_sizes(sk_tmp_layer_norm_grad(Internal::norm_rows(srcShape), Internal::dim_of(srcShape, 2), typeSize, isReuseSource), maxValue, minValue);
}
inline void GetLayerNormGradNDTilingInfo(const ge::Shape &srcShape, const uint32_t stackBufferSize, const uint32_t, const bool,
                                         LayerNormGradTiling &tiling) {
  Internal::rows_of_norm(srcShape, srcShape, tiling);
  tiling.stackBufferSize = stackBufferSize;
}
inline void GetLayerNormGradBetaMaxMinTmpSize(const ge::Shape &srcShape, const uint32_t typeSize, const bool, uint32_t &maxValue, uint32_t &minValue) {
  Internal::tell_sizes(sk_tmp_layer_norm_grad_beta(Internal::norm_rows(srcShape), Internal::dim_of(srcShape, 2), typeSize), maxValue, minValue);
}
inline void GetLayerNormGradBetaNDTilingInfo(const ge::Shape &srcShape, const uint32_t stackBufferSize, const uint32_t, const bool,
                                             LayerNormGradBetaTiling &tiling) {
  Internal::rows_of_norm(srcShape, srcShape, tiling);
  tiling.stackBufferSize = stackBufferSize, tiling.bsLength = Internal::norm_rows(srcShape), tiling.bshLength = tiling.bsLength * tiling.hLength;
}
inline void GetWelfordUpdateMaxMinTmpSize(const ge::Shape &srcShape, const uint32_t typeSizeT, const uint32_t, const bool isReuseSource, const bool,
                                          uint32_t &maxValue, uint32_t &minValue) {
  Internal::tell_sizes(sk_tmp_welford_update(Internal::elems_of(srcShape), typeSizeT, isReuseSource), maxValue, minValue);
}
inline void GetWelfordFinalizeMaxMinTmpSize(const ge::Shape &srcShape, const uint32_t, const bool, uint32_t &maxValue, uint32_t &minValue) {
  Internal::tell_sizes(sk_tmp_welford_finalize(Internal::dim_of(srcShape, 0)), maxValue, minValue);
}

} // namespace AscendC

#endif
