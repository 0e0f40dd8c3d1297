/* high_level_layout.h - rows padded to whole blocks and cut again, formats of five dimensions, and matrices in fractals with
 * two dimensions exchanged, split or joined. */
#ifndef SK_KERNEL_OPERATOR_HIGH_LEVEL_LAYOUT_H
#define SK_KERNEL_OPERATOR_HIGH_LEVEL_LAYOUT_H

#include "high_level.h"
#include "layout.h"
#include "transpose.h"

namespace AscendC {

/* ---- rows ------------------------------------------------------------------------------------------------ */

#define SK_UNPAD_TILING_FIELDS(X, F)                                                                                 \
  X(srcHeight) X(srcWidth) X(tmpBuffer1BlockNum) X(tmpBuffer1RowNum) X(tmpBuffer2Offset) X(widthTiling)              \
  X(widthFractal) X(widthFractalTail)
#define SK_PAD_TILING_FIELDS(X, F)                                                                                   \
  X(srcHeight) X(srcWidth) X(srcOriWidth) X(widthWithoutLastBlock) X(blocksPerRow) X(heightTiling) X(heightFractal)  \
  X(heightFractalTail) X(mainLoopOffset) X(tailBlockOffset) X(tmpBuffer1BlockNum) X(tmpBuffer1RowNum)                \
  X(tmpBuffer2Offset) X(widthTiling) X(widthFractal) X(widthFractalTail) X(widthFractalTailAlingned) X(brcbTiling)   \
  X(brcbFractal) X(brcbFractalTail) X(maxRepeatTimes) X(brcbTilingRepeatTimes) X(brcbTilingRepeatTimesTail)          \
  X(brcbFractalTailRepeatTimes) X(brcbFractalTailRepeatTimesTail) X(reserved)
#define SK_TRANSPOSE_TILING_FIELDS(X, F)                                                                             \
  X(param0) X(param1) X(param2) X(param3) X(param4) X(param5) X(param6) X(param7) X(param8) X(param9) X(param10)     \
  X(param11) X(param12) X(param13) X(param14) X(param15) X(param16) X(param17)
#define SK_LAYOUT_TILINGS(X)                                                                                         \
  X(UnPadTiling, SK_UNPAD_TILING_FIELDS) X(PadTiling, SK_PAD_TILING_FIELDS)                                          \
  X(ConfusionTransposeTiling, SK_TRANSPOSE_TILING_FIELDS)
#define SK_LAYOUT_TILING(Name, FIELDS)        \
  struct Name {                               \
    FIELDS(SK_TILING_FIELD, SK_TILING_FLOAT)  \
  };
SK_LAYOUT_TILINGS(SK_LAYOUT_TILING)
#undef SK_LAYOUT_TILING

struct PadParams {
  uint16_t leftPad = 0, rightPad = 0;
  int32_t padValue = 0;
};
struct UnPadParams {
  uint16_t leftPad = 0, rightPad = 0;
};
#define SK_PADS(shared, scratch)                                                                                     \
  template <typename T>                                                                                              \
  SK_INLINE void Pad(const LocalTensor<T> &dst, const LocalTensor<T> &src, const PadParams &params,                  \
                     shared const PadTiling &tiling) {                                                               \
    static_assert(sizeof(T) == 2 || sizeof(T) == 4, "Pad: elements have 16 or 32 bits");                             \
    sk_padding padding{tiling.srcHeight, tiling.srcWidth, tiling.srcOriWidth, params.leftPad, params.rightPad};      \
    sk_high_pad(sizeof(T), dst.sk_address(), src.sk_address(), &padding,                                             \
                Internal::raw(static_cast<T>(params.padValue)), scratch(false));                                     \
  }
SK_WITH_TMP(SK_PADS)
#undef SK_PADS
template <typename T>
SK_INLINE void UnPad(const LocalTensor<T> &dst, const LocalTensor<T> &src, const UnPadParams &params, const UnPadTiling &tiling) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4, "UnPad: elements have 16 or 32 bits");
  sk_padding padding{tiling.srcHeight, tiling.srcWidth, tiling.srcWidth, params.leftPad, params.rightPad};
  sk_high_unpad(sizeof(T), dst.sk_address(), src.sk_address(), &padding);
}
template <typename T>
SK_INLINE void UnPad(const LocalTensor<T> &dst, const LocalTensor<T> &src, const UnPadParams &params, const SharedTmp &,
                     const UnPadTiling &tiling) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4, "UnPad: elements have 16 or 32 bits");
  UnPad(dst, src, params, tiling);
}

/* ---- five dimensions --------------------------------------------------------------------------------------- */

struct TransDataConfig {
  DataFormat srcFormat, dstFormat;
};
template <typename T, typename U>
struct TransDataParams {
  T srcLayout;
  U dstLayout;
};
namespace Internal {
/* The other layout must be what the five dimensions make it. */
template <class Blocks>
SK_INLINE bool same_volume(const sk_volume &v, const Blocks &b, bool by_n) {
  uint32_t channels = (v.c + 15) / 16, numbers = (v.n + 15) / 16;
  if (by_n)
    return b.sk_dim(0) == v.d && b.sk_dim(1) == channels && b.sk_dim(2) == v.h && b.sk_dim(3) == v.w && b.sk_dim(4) == numbers;
  return b.sk_dim(0) == v.n && b.sk_dim(1) == v.d && b.sk_dim(2) == channels && b.sk_dim(3) == v.h && b.sk_dim(4) == v.w;
}
template <class Plain, class Blocks>
SK_INLINE void trans_data(void *dst, const void *src, const Plain &plain, const Blocks &blocks, bool to_blocks, bool by_n, sk_scratch tmp) {
  static_assert(Plain::sk_dims == 5, "TransData: NCDHW has five dimensions");
  static_assert(Blocks::sk_dims == 6 || Blocks::sk_dims == 7, "TransData: NDC1HWC0 has six dimensions, FRACTAL_Z_3D seven");
  sk_volume v{plain.sk_dim(0), plain.sk_dim(1), plain.sk_dim(2), plain.sk_dim(3), plain.sk_dim(4)};
  if (same_volume(v, blocks, by_n)) sk_high_trans_data(dst, src, &v, to_blocks, by_n, tmp);
  else sk_kernel_finding("BAD_ARGUMENT", "TransData: the layouts differ; legal: C1 and N1 are those of C and N, the rest the same", false);
}
} // namespace Internal
#define SK_TRANS_DATA(shared, scratch)                                                                               \
  template <const TransDataConfig &config, typename T, typename U, typename S>                                       \
  SK_INLINE void TransData(const LocalTensor<T> &dst, const LocalTensor<T> &src, shared const TransDataParams<U, S> &params) { \
    static_assert(sizeof(T) == 2, "TransData: elements have 16 bits");                                                         \
    constexpr bool to_blocks = config.srcFormat == DataFormat::NCDHW;                                                \
    constexpr DataFormat other = to_blocks ? config.dstFormat : config.srcFormat;                                    \
    static_assert((to_blocks || config.dstFormat == DataFormat::NCDHW) &&                                            \
                      (other == DataFormat::NDC1HWC0 || other == DataFormat::FRACTAL_Z_3D),                          \
                  "TransData: from NCDHW to NDC1HWC0 or FRACTAL_Z_3D, or back");                                     \
    constexpr bool by_n = other == DataFormat::FRACTAL_Z_3D;                                                         \
    if constexpr (to_blocks)                                                                                         \
      Internal::trans_data(dst.sk_address(), src.sk_address(), params.srcLayout, params.dstLayout, true, by_n, scratch(false)); \
    else                                                                                                             \
      Internal::trans_data(dst.sk_address(), src.sk_address(), params.dstLayout, params.srcLayout, false, by_n, scratch(false)); \
  }
SK_WITH_TMP(SK_TRANS_DATA)
#undef SK_TRANS_DATA

/* ---- matrices in fractals -------------------------------------------------------------------------------------- */

/* The tiling holds B, N, S, H / N and the type it was made for. */
#define SK_TRANSPOSE(Name, shared, scratch)                                                                          \
  template <typename T>                                                                                              \
  SK_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, shared TransposeType type,               \
                      const ConfusionTransposeTiling &tiling) {                                                      \
    static_assert(sizeof(T) == 2 || sizeof(T) == 4, "Transpose: elements have 16 or 32 bits");                       \
    sk_volume volume{tiling.param0, tiling.param1, 1, tiling.param2, tiling.param3};                                 \
    uint32_t number = static_cast<uint32_t>(type);                                                                   \
    if (number < 1 || number > 7)                                                                                    \
      sk_kernel_finding("BAD_ARGUMENT", #Name ": transposeType; legal: TRANSPOSE_NZ2ND_0213 to TRANSPOSE_ND2ND_ONLY, 1 to 7", false); \
    else if (tiling.param4 != number)                                                                                \
      sk_kernel_finding("BAD_ARGUMENT", #Name ": the tiling; legal: one that GetTransposeTilingInfo made for this transposeType", false); \
    else sk_high_transpose(number, sizeof(T), dst.sk_address(), src.sk_address(), &volume, scratch(false));          \
  }
SK_TRANSPOSE(Transpose, , SK_TMP_OF_PIPE)
SK_TRANSPOSE(Transpose, const SharedTmp &tmp SK_COMMA, SK_TMP_GIVEN)
SK_TRANSPOSE(ConfusionTranspose, , SK_TMP_OF_PIPE)
SK_TRANSPOSE(ConfusionTranspose, const SharedTmp &tmp SK_COMMA, SK_TMP_GIVEN)
#undef SK_TRANSPOSE

#define SK_NAME_TILING(Name, FIELDS) using AscendC::Name;
namespace tiling {
SK_LAYOUT_TILINGS(SK_NAME_TILING)
} // namespace tiling

} // namespace AscendC

SK_LAYOUT_TILINGS(SK_NAME_TILING)
#undef SK_NAME_TILING

#endif
