/* elementwise_tiling.h - temporary memory of the elementwise high-level functions: at least and at most as many bytes, and how
 * many times the source it holds. */
#ifndef SK_HOST_TILING_ELEMENTWISE_H
#define SK_HOST_TILING_ELEMENTWISE_H

#include "host_tiling/shape.h"
#include "kernel_operator/high_level_tmp.h"
#include "tiling/platform/platform_ascendc.h"

namespace AscendC {

namespace Internal {
inline void tell_sizes(sk_tmp_sizes sizes, uint32_t &maxValue, uint32_t &minValue) {
  maxValue = sizes.most > sizes.least ? sizes.most : sizes.least;
  minValue = sizes.least;
}
inline sk_tmp_sizes elementwise_sizes(sk_high_op op, const ge::Shape &shape, uint32_t type, bool reuse) {
  return sk_tmp_times(sk_tmp_repeats(op, type, reuse, false), elems_of(shape) * type);
}
} // namespace Internal

/* Most have one form. */
#define SK_TMP_SIZE_AND_FACTOR(Name)                                                                                  \
  inline void Get##Name##MaxMinTmpSize(const ge::Shape &srcShape, const uint32_t typeSize, const bool isReuseSource,  \
                                       uint32_t &maxValue, uint32_t &minValue) {                                      \
    Internal::tell_sizes(Internal::elementwise_sizes(SK_HIGH_##Name, srcShape, typeSize, isReuseSource), maxValue, minValue); \
  }                                                                                                                   \
  inline void Get##Name##TmpBufferFactorSize(const uint32_t typeSize, uint32_t &maxLiveNodeCount, uint32_t &extraBuf) { \
    maxLiveNodeCount = sk_tmp_repeats(SK_HIGH_##Name, typeSize, false, false), extraBuf = 0;                          \
  }
SK_TMP_SIZE_AND_FACTOR(Tanh) SK_TMP_SIZE_AND_FACTOR(Log) SK_TMP_SIZE_AND_FACTOR(Log10) SK_TMP_SIZE_AND_FACTOR(Sin)
SK_TMP_SIZE_AND_FACTOR(Cos) SK_TMP_SIZE_AND_FACTOR(Tan) SK_TMP_SIZE_AND_FACTOR(Asin) SK_TMP_SIZE_AND_FACTOR(Acos)
SK_TMP_SIZE_AND_FACTOR(Atan) SK_TMP_SIZE_AND_FACTOR(Sinh) SK_TMP_SIZE_AND_FACTOR(Cosh) SK_TMP_SIZE_AND_FACTOR(Asinh)
SK_TMP_SIZE_AND_FACTOR(Acosh) SK_TMP_SIZE_AND_FACTOR(Atanh) SK_TMP_SIZE_AND_FACTOR(Erf) SK_TMP_SIZE_AND_FACTOR(Erfc)
SK_TMP_SIZE_AND_FACTOR(Lgamma) SK_TMP_SIZE_AND_FACTOR(Digamma) SK_TMP_SIZE_AND_FACTOR(Floor) SK_TMP_SIZE_AND_FACTOR(Ceil)
SK_TMP_SIZE_AND_FACTOR(Trunc) SK_TMP_SIZE_AND_FACTOR(Frac) SK_TMP_SIZE_AND_FACTOR(Sign) SK_TMP_SIZE_AND_FACTOR(Fmod)
SK_TMP_SIZE_AND_FACTOR(GeGLU) SK_TMP_SIZE_AND_FACTOR(Sigmoid) SK_TMP_SIZE_AND_FACTOR(ReGlu)
#undef SK_TMP_SIZE_AND_FACTOR

/* Those that compute in float whatever the source is: as many floats. */
#define SK_TMP_SIZE_OF_FLOATS(Name, op)                                                                               \
  inline void Get##Name##MaxMinTmpSize(const ge::Shape &srcShape, const uint32_t typeSize, const bool isReuseSource,  \
                                       uint32_t &maxValue, uint32_t &minValue) {                                      \
    Internal::tell_sizes(sk_tmp_floats(sk_tmp_repeats(op, typeSize, isReuseSource, false), Internal::elems_of(srcShape)), maxValue, minValue); \
  }                                                                                                                   \
  inline void Get##Name##TmpBufferFactorSize(const uint32_t typeSize, uint32_t &maxLiveNodeCount, uint32_t &extraBuf) { \
    maxLiveNodeCount = sk_tmp_repeats(op, typeSize, false, false) * (typeSize == 2 ? 2 : 1), extraBuf = 0;            \
  }
SK_TMP_SIZE_OF_FLOATS(Log2, SK_HIGH_Log2) SK_TMP_SIZE_OF_FLOATS(Exp, SK_HIGH_ExpTaylor)
#undef SK_TMP_SIZE_OF_FLOATS

inline void GetGeluMaxMinTmpSize(const ge::Shape &srcShape, const uint32_t typeSize, uint32_t &maxValue, uint32_t &minValue) {
  Internal::tell_sizes(sk_tmp_floats(sk_tmp_repeats(SK_HIGH_Gelu, typeSize, false, false), Internal::elems_of(srcShape)), maxValue, minValue);
}
inline uint32_t GetGeluMaxTmpSize(const ge::Shape &srcShape, const uint32_t typeSize) {
  uint32_t most = 0, least = 0;
  GetGeluMaxMinTmpSize(srcShape, typeSize, most, least);
  return most;
}
inline uint32_t GetGeluMinTmpSize(const ge::Shape &srcShape, const uint32_t typeSize) {
  uint32_t most = 0, least = 0;
  GetGeluMaxMinTmpSize(srcShape, typeSize, most, least);
  return least;
}
inline void GetRoundMaxMinTmpSize(const platform_ascendc::PlatformAscendC &, const ge::Shape &srcShape, const uint32_t typeSize,
                                  const bool isReuseSource, uint32_t &maxValue, uint32_t &minValue) {
  Internal::tell_sizes(Internal::elementwise_sizes(SK_HIGH_Round, srcShape, typeSize, isReuseSource), maxValue, minValue);
}
inline void GetRoundTmpBufferFactorSize(const platform_ascendc::PlatformAscendC &, const uint32_t typeSize, uint32_t &maxLiveNodeCount,
                                        uint32_t &extraBuf) {
  maxLiveNodeCount = sk_tmp_repeats(SK_HIGH_Round, typeSize, false, false), extraBuf = 0;
}
/* A shape of one element is a scalar; the sizes for two tensors are those of Power's half and float forms. Integers have a
 * pair of their own: six times the source, seven with a scalar. */
inline void GetPowerMaxMinTmpSize(const ge::Shape &srcShape1, const ge::Shape &srcShape2, const bool typeIsInt, const uint32_t typeSize,
                                  const bool, uint32_t &maxValue, uint32_t &minValue) {
  bool first = !(srcShape1.GetDimNum() == 1 && srcShape1.GetDim(0) == 1), second = !(srcShape2.GetDimNum() == 1 && srcShape2.GetDim(0) == 1);
  bool scalar = !(first && second);
  uint32_t data = Internal::elems_of(first ? srcShape1 : srcShape2) * typeSize;
  if (typeIsInt) return Internal::tell_sizes(sk_tmp_times(scalar ? 7 : 6, data), maxValue, minValue);
  minValue = sk_tmp_repeats(SK_HIGH_Power, typeSize, false, scalar) * SK_TMP_REPEAT_BYTES;
  uint32_t times = typeSize == 2 ? 14 : scalar ? 5 : 4;
  maxValue = times * sk_tmp_larger(data, typeSize == 2 ? SK_TMP_REPEAT_BYTES / 2 : SK_TMP_REPEAT_BYTES) + SK_TMP_REPEAT_BYTES;
}
inline void GetPowerTmpBufferFactorSize(const bool baseIsTensor, const bool expIsTensor, const bool typeIsInt, const uint32_t typeSize,
                                        uint32_t &maxLiveNodeCount, uint32_t &extraBuffer) {
  bool scalar = !(baseIsTensor && expIsTensor);
  maxLiveNodeCount = typeIsInt ? (scalar ? 7 : 6) : typeSize == 2 ? 14 : scalar ? 5 : 4;
  extraBuffer = typeIsInt ? 0 : SK_TMP_REPEAT_BYTES;
}
inline void GetSwiGLUMaxMinTmpSize(const ge::Shape &srcShape, const uint32_t typeSize, uint32_t &maxValue, uint32_t &minValue, const bool) {
  Internal::tell_sizes(sk_tmp_times(typeSize == 2 ? 6 : 0, Internal::elems_of(srcShape) * typeSize), maxValue, minValue);
}
inline void GetSwiGLUTmpBufferFactorSize(const uint32_t typeSize, uint32_t &maxLiveNodeCount, uint32_t &extraBuffer) {
  maxLiveNodeCount = typeSize == 2 ? 6 : 0, extraBuffer = 0;
}
/* They take none. */
inline void GetSiluTmpSize(const ge::Shape &, const uint32_t, const bool, uint32_t &maxValue, uint32_t &minValue) { maxValue = minValue = 0; }
inline void GetSwishTmpSize(const ge::Shape &, const uint32_t, const bool, uint32_t &maxValue, uint32_t &minValue) { maxValue = minValue = 0; }
inline void GetArangeMaxMinTmpSize(uint32_t &maxValue, uint32_t &minValue) { maxValue = minValue = 0; }
inline void GetArithProgressionMaxMinTmpSize(uint32_t &maxValue, uint32_t &minValue) { maxValue = minValue = 0; }

/* One pass over the data. */
inline void GetClampMaxMinTmpSize(const ge::Shape &srcShape, const uint32_t typeSize, const bool, uint32_t &maxValue, uint32_t &minValue) {
  Internal::tell_sizes(sk_tmp_times(1, Internal::elems_of(srcShape) * typeSize), maxValue, minValue);
}
inline void GetClampTmpBufferFactorSize(const uint32_t, uint32_t &maxLiveNodeCount, uint32_t &extraBuf) { maxLiveNodeCount = 1, extraBuf = 0; }
inline void GetXorMaxMinTmpSize(const ge::Shape &srcShape, const uint32_t typeSize, const bool, uint32_t &maxValue, uint32_t &minValue) {
  Internal::tell_sizes(sk_tmp_times(1, Internal::elems_of(srcShape) * typeSize), maxValue, minValue);
}
inline void GetXorTmpBufferFactorSize(const uint32_t, uint32_t &maxLiveNodeCount, uint32_t &extraBuffer) { maxLiveNodeCount = 1, extraBuffer = 0; }
inline void GetAxpyMaxMinTmpSize(const ge::Shape &srcShape, const uint32_t typeSize, const bool, uint32_t &maxValue, uint32_t &minValue) {
  Internal::tell_sizes(sk_tmp_times(typeSize == 2 ? 4 : 0, Internal::elems_of(srcShape) * typeSize), maxValue, minValue);
}
inline void GetAxpyTmpBufferFactorSize(const uint32_t typeSize, uint32_t &maxLiveNodeCount, uint32_t &extraBuf) {
  maxLiveNodeCount = typeSize == 2 ? 4 : 1, extraBuf = 0;
}

} // namespace AscendC

#endif
