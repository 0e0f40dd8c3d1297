/* softmax_tiling.h - tilings and temporary memory of softmax and its relatives. The last dimension is a row. */
#ifndef SK_HOST_TILING_SOFTMAX_H
#define SK_HOST_TILING_SOFTMAX_H

#include "host_tiling/data.h"
#include "host_tiling/elementwise_tiling.h"
#include "kernel_operator/high_level_softmax.h"

namespace optiling {
SK_HOST_TILING(SoftMaxTiling, AscendC::SoftMaxTiling, SK_SOFTMAX_TILING_LIST)
SK_HOST_TILING(LogSoftMaxTiling, AscendC::LogSoftMaxTiling, SK_SOFTMAX_TILING_LIST)
} // namespace optiling

namespace AscendC {

inline uint32_t GetSoftMaxMaxTmpSize(const ge::Shape &srcShape, const uint32_t dataTypeSize, const bool) {
  return sk_tmp_softmax(Internal::rows_of(srcShape), Internal::columns_of(srcShape), dataTypeSize).most;
}
inline uint32_t GetSoftMaxMinTmpSize(const ge::Shape &srcShape, const uint32_t dataTypeSize, const bool) {
  return sk_tmp_softmax(Internal::rows_of(srcShape), Internal::columns_of(srcShape), dataTypeSize).least;
}
inline uint32_t GetLogSoftMaxMaxTmpSize(const ge::Shape &srcShape, const uint32_t dataTypeSize, const bool isReuseSource) {
  return GetSoftMaxMaxTmpSize(srcShape, dataTypeSize, isReuseSource);
}
inline uint32_t GetLogSoftMaxMinTmpSize(const ge::Shape &srcShape, const uint32_t dataTypeSize, const bool isReuseSource) {
  return GetSoftMaxMinTmpSize(srcShape, dataTypeSize, isReuseSource);
}
inline uint32_t GetSoftMaxFlashMaxTmpSize(const ge::Shape &srcShape, const uint32_t dataTypeSize, const bool isUpdate, const bool) {
  return sk_tmp_softmax_flash(Internal::rows_of(srcShape), Internal::columns_of(srcShape), dataTypeSize, isUpdate).most;
}
inline uint32_t GetSoftMaxFlashMinTmpSize(const ge::Shape &srcShape, const uint32_t dataTypeSize, const bool isUpdate, const bool) {
  return sk_tmp_softmax_flash(Internal::rows_of(srcShape), Internal::columns_of(srcShape), dataTypeSize, isUpdate).least;
}
inline uint32_t GetSoftMaxFlashV2MaxTmpSize(const ge::Shape &srcShape, const uint32_t dataTypeSize1, const uint32_t dataTypeSize2, const bool,
                                            const bool isBasicBlock = false, const bool = false) {
  return sk_tmp_softmax_flash2(Internal::rows_of(srcShape), Internal::columns_of(srcShape), dataTypeSize1, dataTypeSize2, isBasicBlock).most;
}
inline uint32_t GetSoftMaxFlashV2MinTmpSize(const ge::Shape &srcShape, const uint32_t dataTypeSize1, const uint32_t dataTypeSize2, const bool,
                                            const bool isBasicBlock = false, const bool isFlashOutputBrc = false) {
  uint32_t rows = Internal::rows_of(srcShape), columns = Internal::columns_of(srcShape);
  uint32_t least = sk_tmp_softmax_flash2(rows, columns, dataTypeSize1, dataTypeSize2, isBasicBlock).least;
  uint32_t together = isBasicBlock && columns % 64 == 0 ? 8 : 1;
  return isFlashOutputBrc ? least / together * sk_tmp_smaller(32 / dataTypeSize1, rows) : least;
}
inline void GetSoftMaxFlashV3MaxMinTmpSize(const ge::Shape &srcShape, const uint32_t, const uint32_t dataTypeSize2, uint32_t &maxValue,
                                           uint32_t &minValue, const bool, const bool = false) {
  Internal::tell_sizes(sk_tmp_softmax_flash3(Internal::rows_of(srcShape), Internal::columns_of(srcShape), dataTypeSize2), maxValue, minValue);
}
inline uint32_t GetSoftMaxGradMaxTmpSize(const ge::Shape &srcShape, const uint32_t dataTypeSize, const bool isFront, const bool) {
  return sk_tmp_softmax_grad(Internal::rows_of(srcShape), Internal::columns_of(srcShape), dataTypeSize, isFront).most;
}
inline uint32_t GetSoftMaxGradMinTmpSize(const ge::Shape &srcShape, const uint32_t dataTypeSize, const bool isFront, const bool) {
  return sk_tmp_softmax_grad(Internal::rows_of(srcShape), Internal::columns_of(srcShape), dataTypeSize, isFront).least;
}

namespace Internal {
/* Parts of as many rows as the temporary memory holds, eight at a time where it holds more. */
template <class Tiling>
inline void softmax_tiling(const ge::Shape &shape, uint32_t block, uint32_t row_bytes, uint32_t tmp_bytes, Tiling &t) {
  uint32_t rows = rows_of(shape), columns = columns_of(shape), part = row_bytes == 0 ? 0 : tmp_bytes / row_bytes;
  if (part > rows) part = rows;
  if (part < rows && part > 8) part = part / 8 * 8;
  t.srcM = rows, t.srcK = columns, t.srcSize = rows * columns;
  t.outMaxM = rows, t.outMaxK = block, t.outMaxSize = rows * block;
  t.splitM = part, t.splitK = columns, t.splitSize = part * columns;
  t.reduceM = part, t.reduceK = block, t.reduceSize = part * block;
  t.rangeM = part == 0 ? 0 : rows / part, t.tailM = part == 0 ? 0 : rows % part;
  t.tailSplitSize = t.tailM * columns, t.tailReduceSize = t.tailM * block;
}
} // namespace Internal

inline void SoftMaxTilingFunc(const ge::Shape &srcShape, const uint32_t dataTypeSize, const uint32_t localWorkSpaceSize, SoftMaxTiling &tiling) {
  Internal::softmax_tiling(srcShape, 32 / dataTypeSize, GetSoftMaxMinTmpSize(srcShape, dataTypeSize, false), localWorkSpaceSize, tiling);
}
inline void LogSoftMaxTilingFunc(const ge::Shape &srcShape, const uint32_t dataTypeSize, const uint32_t localWorkSpaceSize, LogSoftMaxTiling &tiling) {
  Internal::softmax_tiling(srcShape, 32 / dataTypeSize, GetSoftMaxMinTmpSize(srcShape, dataTypeSize, false), localWorkSpaceSize, tiling);
}
inline void SoftMaxFlashTilingFunc(const ge::Shape &srcShape, const uint32_t dataTypeSize, const uint32_t localWorkSpaceSize,
                                   SoftMaxTiling &tiling, const bool isUpdate = false) {
  Internal::softmax_tiling(srcShape, 32 / dataTypeSize, GetSoftMaxFlashMinTmpSize(srcShape, dataTypeSize, isUpdate, false), localWorkSpaceSize, tiling);
}
inline void SoftMaxFlashV2TilingFunc(const ge::Shape &srcShape, const uint32_t dataTypeSize1, const uint32_t dataTypeSize2,
                                     const uint32_t localWorkSpaceSize, SoftMaxTiling &tiling, const bool isUpdate,
                                     const bool isBasicBlock = false, const bool = false) {
  uint32_t least = GetSoftMaxFlashV2MinTmpSize(srcShape, dataTypeSize1, dataTypeSize2, isUpdate, isBasicBlock);
  uint32_t row = isBasicBlock && Internal::columns_of(srcShape) % 64 == 0 ? least / 8 : least;
  Internal::softmax_tiling(srcShape, 32 / dataTypeSize2, row, localWorkSpaceSize, tiling);
}
inline void SoftMaxFlashV3TilingFunc(const ge::Shape &srcShape, const uint32_t, const uint32_t dataTypeSize2, const uint32_t localWorkSpaceSize,
                                     SoftMaxTiling &tiling, const bool, const bool = false) {
  uint32_t row = sk_tmp_softmax_flash3(1, Internal::columns_of(srcShape), dataTypeSize2).least;
  Internal::softmax_tiling(srcShape, 32 / dataTypeSize2, row, localWorkSpaceSize, tiling);
}
inline void SoftMaxGradTilingFunc(const ge::Shape &srcShape, const uint32_t dataTypeSize, const uint32_t localWorkSpaceSize,
                                  SoftMaxTiling &tiling, const bool isFront = false) {
  Internal::softmax_tiling(srcShape, 32 / dataTypeSize, GetSoftMaxGradMinTmpSize(srcShape, dataTypeSize, isFront, false), localWorkSpaceSize, tiling);
}
/* Parts of equal size, rows of 64 elements and more that are multiples of 64. */
inline bool IsBasicBlockInSoftMax(const SoftMaxTiling &tiling, const uint32_t dataTypeSize = 2) {
  return dataTypeSize != 0 && tiling.tailM == 0 && tiling.srcK >= 256 / dataTypeSize && tiling.srcK < 2048 && tiling.srcK % 64 == 0;
}

} // namespace AscendC

#endif
