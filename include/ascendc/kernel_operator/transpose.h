/* transpose.h - 16 x 16 blocks turned, and blocks gathered by lists of addresses. */
#ifndef SK_KERNEL_OPERATOR_TRANSPOSE_H
#define SK_KERNEL_OPERATOR_TRANSPOSE_H

#include "vector.h"

namespace AscendC {

template <typename T>
SK_INLINE void Transpose(const LocalTensor<T> &dst, const LocalTensor<T> &src) {
  SK_TAKES("Transpose", PrimT<T>, int16_t, uint16_t, half);
  asc_transpose(reinterpret_cast<uint16_t *>(dst.sk_elements()), reinterpret_cast<const uint16_t *>(src.sk_elements()));
}

template <typename T>
SK_INLINE void Transpose(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &tmp,
                         const TransposeParamsExt &p) {
  if constexpr (sizeof(PrimT<T>) == 2) {
    if (p.transposeType == TransposeType::TRANSPOSE_ND2ND_B16) {
      if (p.hSize == 16 && p.wSize == 16) Transpose(dst, src);
      else sk_kernel_finding("BAD_ARGUMENT", "Transpose: TRANSPOSE_ND2ND_B16 takes 16 rows and 16 columns", false);
      return;
    }
  }
  static_assert(sizeof(PrimT<T>) <= 4, "Transpose: elements have 8, 16 or 32 bits");
  bool to_last = p.transposeType == TransposeType::TRANSPOSE_NCHW2NHWC;
  sk_volume volume{p.nSize, p.cSize, 1, p.hSize, p.wSize};
  if (to_last || p.transposeType == TransposeType::TRANSPOSE_NHWC2NCHW)
    sk_high_channels(sizeof(PrimT<T>), dst.sk_elements(), src.sk_elements(), &volume, to_last,
                     sk_scratch{tmp.sk_elements(), tmp.GetLength(), true, false});
  else
    sk_kernel_finding("BAD_ARGUMENT", "Transpose: transposeType; legal: TRANSPOSE_ND2ND_B16 (16 bits), TRANSPOSE_NCHW2NHWC, TRANSPOSE_NHWC2NCHW", false);
}

template <typename T>
SK_INLINE void TransDataTo5HD(uint64_t dstList[16], uint64_t srcList[16], const TransDataTo5HDParams &p) {
  asc_set_va_reg(VA0, dstList);
  asc_set_va_reg(VA1, dstList + 8);
  asc_set_va_reg(VA2, srcList);
  asc_set_va_reg(VA3, srcList + 8);
  if constexpr (sizeof(PrimT<T>) == 1)
    asc_transto5hd_b8(VA0, VA2, p.repeatTimes, p.dstRepStride, p.srcRepStride, p.dstHighHalf, p.srcHighHalf);
  else if constexpr (sizeof(PrimT<T>) == 2) asc_transto5hd_b16(VA0, VA2, p.repeatTimes, p.dstRepStride, p.srcRepStride);
  else {
    static_assert(sizeof(PrimT<T>) == 4, "TransDataTo5HD: elements have 8, 16 or 32 bits");
    asc_transto5hd_b32(VA0, VA2, p.repeatTimes, p.dstRepStride, p.srcRepStride);
  }
}
template <typename T>
SK_INLINE void TransDataTo5HD(const LocalTensor<T> (&dst)[16], const LocalTensor<T> (&src)[16], const TransDataTo5HDParams &p) {
  uint64_t to[16], from[16];
  for (int i = 0; i < 16; i++) to[i] = dst[i].sk_location(), from[i] = src[i].sk_location();
  TransDataTo5HD<T>(to, from, p);
}
/* Lists of addresses in the unified buffer. */
template <typename T>
SK_INLINE void TransDataTo5HD(const LocalTensor<uint64_t> &dst, const LocalTensor<uint64_t> &src, const TransDataTo5HDParams &p) {
  uint64_t to[16], from[16];
  for (uint32_t i = 0; i < 16; i++) to[i] = dst.GetValue(i), from[i] = src.GetValue(i);
  TransDataTo5HD<T>(to, from, p);
}

} // namespace AscendC

#endif
