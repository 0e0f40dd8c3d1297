/* shape_tiling.h - tilings and temporary buffers of the high-level functions other than Matmul.
 *
 * The functions here need no temporary buffer; the sizes are what a portable kernel may reserve: at least a
 * repeat of 256 bytes, at most four times the source. */
#ifndef SK_HOST_TILING_SHAPE_H
#define SK_HOST_TILING_SHAPE_H

#include <vector>

#include "host_tiling/data.h"
#include "kernel_operator/high_level.h"

namespace ge {
class Shape {
public:
  Shape() = default;
  explicit Shape(const std::vector<int64_t> &dims) : dims_(dims) {}
  size_t GetDimNum() const { return dims_.size(); }
  int64_t GetDim(size_t index) const { return index < dims_.size() ? dims_[index] : 0; }
  std::vector<int64_t> GetDims() const { return dims_; }
  int64_t GetShapeSize() const {
    int64_t size = 1;
    for (int64_t dim : dims_) size *= dim;
    return size;
  }

private:
  std::vector<int64_t> dims_;
};
} // namespace ge

namespace optiling {
SK_HOST_TILING(SoftMaxTiling, AscendC::SoftMaxTiling, SK_SOFTMAX_TILING_LIST)
SK_HOST_TILING(LayerNormTiling, AscendC::LayerNormTiling, SK_NORM_TILING_LIST)
SK_HOST_TILING(RmsNormTiling, AscendC::RmsNormTiling, SK_NORM_TILING_LIST)
} // namespace optiling

namespace AscendC {

using TensorShape = ge::Shape;

namespace Internal {
inline uint32_t largest_tmp(const ge::Shape &shape, uint32_t typeSize) {
  uint32_t bytes = static_cast<uint32_t>(shape.GetShapeSize()) * typeSize * 4;
  return bytes < 256 ? 256 : bytes;
}
inline void rows_and_columns(const ge::Shape &shape, uint32_t &rows, uint32_t &columns) {
  columns = shape.GetDimNum() == 0 ? 0 : static_cast<uint32_t>(shape.GetDim(shape.GetDimNum() - 1));
  rows = columns == 0 ? 0 : static_cast<uint32_t>(shape.GetShapeSize()) / columns;
}
} // namespace Internal

#define SK_TMP_SIZE(Name)                                                                                           \
  inline void Get##Name##MaxMinTmpSize(const ge::Shape &srcShape, const uint32_t typeSize, const bool, uint32_t &maxValue, \
                                       uint32_t &minValue) {                                                        \
    maxValue = Internal::largest_tmp(srcShape, typeSize);                                                           \
    minValue = 256;                                                                                                 \
  }
SK_TMP_SIZE(Sigmoid) SK_TMP_SIZE(Tanh) SK_TMP_SIZE(Log) SK_TMP_SIZE(Log2) SK_TMP_SIZE(Log10) SK_TMP_SIZE(Sin) SK_TMP_SIZE(Cos)
SK_TMP_SIZE(Tan) SK_TMP_SIZE(Asin) SK_TMP_SIZE(Acos) SK_TMP_SIZE(Atan) SK_TMP_SIZE(Sinh) SK_TMP_SIZE(Cosh) SK_TMP_SIZE(Asinh)
SK_TMP_SIZE(Acosh) SK_TMP_SIZE(Atanh) SK_TMP_SIZE(Erf) SK_TMP_SIZE(Erfc) SK_TMP_SIZE(Lgamma) SK_TMP_SIZE(Digamma)
SK_TMP_SIZE(Floor) SK_TMP_SIZE(Ceil) SK_TMP_SIZE(Round) SK_TMP_SIZE(Trunc) SK_TMP_SIZE(Frac) SK_TMP_SIZE(Sign) SK_TMP_SIZE(Exp)
SK_TMP_SIZE(Power) SK_TMP_SIZE(Fmod) SK_TMP_SIZE(GeGLU) SK_TMP_SIZE(ReGlu) SK_TMP_SIZE(SwiGLU) SK_TMP_SIZE(Silu)
SK_TMP_SIZE(AscendQuant) SK_TMP_SIZE(AscendDequant) SK_TMP_SIZE(Clamp) SK_TMP_SIZE(Xor) SK_TMP_SIZE(LayerNorm)
SK_TMP_SIZE(RmsNorm) SK_TMP_SIZE(Sum) SK_TMP_SIZE(Mean)
#undef SK_TMP_SIZE
inline uint32_t GetGeluMaxTmpSize(const ge::Shape &srcShape, const uint32_t typeSize) { return Internal::largest_tmp(srcShape, typeSize); }
inline uint32_t GetGeluMinTmpSize(const ge::Shape &, const uint32_t) { return 256; }
inline uint32_t GetSoftMaxMaxTmpSize(const ge::Shape &srcShape, const uint32_t typeSize, const bool) { return Internal::largest_tmp(srcShape, typeSize); }
inline uint32_t GetSoftMaxMinTmpSize(const ge::Shape &, const uint32_t, const bool) { return 256; }
inline uint32_t GetSoftMaxFlashV2MaxTmpSize(const ge::Shape &srcShape, const uint32_t typeSize, const uint32_t, const bool, const bool) {
  return Internal::largest_tmp(srcShape, typeSize);
}
inline uint32_t GetSoftMaxFlashV2MinTmpSize(const ge::Shape &, const uint32_t, const uint32_t, const bool, const bool) { return 256; }

inline void SoftMaxTilingFunc(const ge::Shape &srcShape, const uint32_t, const uint32_t, SoftMaxTiling &tiling) {
  Internal::rows_and_columns(srcShape, tiling.srcM, tiling.srcK);
  tiling.srcSize = tiling.srcM * tiling.srcK;
}
inline void SoftMaxFlashV2TilingFunc(const ge::Shape &srcShape, const uint32_t size, const uint32_t, const uint32_t workspace,
                                     SoftMaxTiling &tiling, const bool, const bool) {
  SoftMaxTilingFunc(srcShape, size, workspace, tiling);
}
/* Dimensions B, S, H of the source; H as it is stored. */
inline void GetLayerNormNDTilingInfo(const ge::Shape &srcShape, const uint32_t, const uint32_t, const bool, LayerNormTiling &tiling) {
  uint32_t rows = 0;
  Internal::rows_and_columns(srcShape, rows, tiling.hLength);
  tiling.bLength = 1, tiling.sLength = rows, tiling.originalHLength = tiling.hLength;
}
inline bool GetRmsNormTilingInfo(const ge::Shape &srcShape, const ge::Shape &originSrcShape, const uint32_t, const uint32_t,
                                 RmsNormTiling &tiling, const bool = false) {
  uint32_t rows = 0, columns = 0;
  Internal::rows_and_columns(srcShape, rows, tiling.hLength);
  Internal::rows_and_columns(originSrcShape, rows, columns);
  tiling.bLength = 1, tiling.sLength = rows, tiling.originalHLength = columns;
  return rows != 0 && columns != 0 && columns <= tiling.hLength;
}

} // namespace AscendC

#endif
