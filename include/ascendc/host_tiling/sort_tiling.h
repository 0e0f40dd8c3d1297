/* sort_tiling.h - tilings and temporary buffers of Sort, Concat and TopK.
 *
 * The functions here need no temporary buffer beside what Sort merges in; the sizes are what a portable kernel may reserve:
 * records of eight bytes, twice where they are merged. */
#ifndef SK_HOST_TILING_SORT_H
#define SK_HOST_TILING_SORT_H

#include "host_tiling/shape.h"
#include "kernel_operator/high_level.h"
#include "kernel_operator/sort.h"
#include "tiling/platform/platform_ascendc.h"

namespace AscendC {

enum class SortType { RADIX_SORT, MERGE_SORT };
struct SortConfig {
  SortType type = SortType::RADIX_SORT;
  bool isDescend = false, hasSrcIndex = false, hasDstIndex = false;
};

namespace Internal {
/* Records of whole groups. */
inline uint32_t record_bytes(uint32_t elems) { return (elems + SORT_GROUP - 1) / SORT_GROUP * SORT_GROUP * SORT_RECORD_BYTES; }
} // namespace Internal

inline uint32_t GetSortTmpSize(const platform_ascendc::PlatformAscendC &, const uint32_t elemCount, const uint32_t) {
  return Internal::record_bytes(elemCount);
}
/* Scores are sorted as they stand. */
inline uint32_t GetConcatTmpSize(const platform_ascendc::PlatformAscendC &, const uint32_t, const uint32_t) { return 0; }
inline void GetSortMaxMinTmpSize(const ge::Shape &srcShape, TensorDataType, TensorDataType, bool, const SortConfig &, uint32_t &maxValue,
                                 uint32_t &minValue) {
  maxValue = minValue = 2 * Internal::record_bytes(static_cast<uint32_t>(srcShape.GetShapeSize()));
}

/* False: inner is no multiple of 32, or k is beyond it. The tiling has nothing that the function does not know itself. */
inline bool TopKTilingFunc(const platform_ascendc::PlatformAscendC &, const int32_t inner, const int32_t outter, const int32_t k,
                           const uint32_t dataTypeSize, const bool, TopKMode, const bool, TopkTiling &) {
  return inner > 0 && inner % 32 == 0 && outter > 0 && k > 0 && k <= inner && (dataTypeSize == 2 || dataTypeSize == 4);
}
inline bool GetTopKMaxMinTmpSize(const platform_ascendc::PlatformAscendC &, const int32_t inner, const int32_t outter, const bool, const bool,
                                 TopKMode, const bool, const uint32_t, uint32_t &maxValue, uint32_t &minValue) {
  minValue = inner > 0 ? 2 * Internal::record_bytes(static_cast<uint32_t>(inner)) : 0;
  maxValue = outter > 0 ? minValue * static_cast<uint32_t>(outter) : 0;
  return maxValue != 0;
}

} // namespace AscendC

#endif
