/* pick.h - elements by offset or pattern, one element to a block, running numbers. */
#ifndef SK_KERNEL_OPERATOR_PICK_H
#define SK_KERNEL_OPERATOR_PICK_H

#include "vector.h"

namespace AscendC {

namespace Internal {
template <typename T>
SK_INLINE raw_bits<T> *raw_address(const LocalTensor<T> &tensor) {
  return reinterpret_cast<raw_bits<T> *>(tensor.sk_elements());
}
template <typename T>
SK_INLINE const PrimT<T> *byte_offset(const LocalTensor<T> &tensor, uint32_t bytes) {
  return reinterpret_cast<const PrimT<T> *>(tensor.sk_location() + bytes);
}
} // namespace Internal

template <typename T>
SK_INLINE void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &offset,
                      const uint32_t srcBaseAddr, const uint32_t count) {
  SK_TAKES("Gather", PrimT<T>, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float);
  asc_gather(dst.sk_elements(), Internal::byte_offset(src, srcBaseAddr), offset.sk_source(), count);
  sk_mask_full();
}
template <typename T>
SK_INLINE void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &offset,
                      const uint32_t srcBaseAddr, const uint64_t mask, const uint8_t repeat, const uint16_t dstRepStride) {
  SK_TAKES("Gather", PrimT<T>, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float);
  Internal::set_mask<true>(mask);
  asc_gather(dst.sk_elements(), Internal::byte_offset(src, srcBaseAddr), offset.sk_source(), dstRepStride, repeat);
}
template <typename T>
SK_INLINE void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &offset,
                      const uint32_t srcBaseAddr, const uint64_t mask[], const uint8_t repeat, const uint16_t dstRepStride) {
  SK_TAKES("Gather", PrimT<T>, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float);
  Internal::set_mask<true>(mask);
  asc_gather(dst.sk_elements(), Internal::byte_offset(src, srcBaseAddr), offset.sk_source(), dstRepStride, repeat);
}
template <typename T>
SK_INLINE void Gatherb(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &offset,
                       const uint8_t repeat, const GatherRepeatParams &p) {
  SK_TAKES("Gatherb", PrimT<T>, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float);
  asc_gather_datablock(Internal::raw_address(dst), Internal::raw_address(src), offset.sk_source(),
                       p.dstRepStride, p.dstBlkStride, repeat);
}

namespace Internal {
template <typename R>
SK_INLINE void gather_mask(R *dst, const R *src, const R *bits, uint8_t pattern, bool reduceMode, uint32_t mask,
                           const GatherMaskParams &p, uint64_t &kept) {
  if (reduceMode) {
    asc_set_mask_count();
    asc_set_vector_mask(0, mask);
  }
  asc_reduce(dst, src, bits, p.repeatTimes, p.src0BlockStride, pattern, p.src0RepeatStride, p.src1RepeatStride);
  if (reduceMode) {
    asc_set_mask_norm();
    sk_mask_full();
  }
  order_local_access();
  kept = static_cast<uint64_t>(asc_get_rsvd_count());
}
} // namespace Internal
template <typename T, typename U>
SK_INLINE void GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<U> &src1Pattern,
                          const bool reduceMode, const uint32_t mask, const GatherMaskParams &params, uint64_t &rsvdCnt) {
  static_assert(sizeof(PrimT<T>) == 2 || sizeof(PrimT<T>) == 4, "GatherMask: elements have 16 or 32 bits");
  static_assert(sizeof(PrimT<T>) == sizeof(PrimT<U>) && std::is_unsigned<PrimT<U>>::value,
                "GatherMask: the pattern has unsigned elements as wide as the source's");
  SK_TRAITS_AGREE("GatherMask", T, U);
  Internal::gather_mask(Internal::raw_address(dst), static_cast<const Internal::raw_bits<T> *>(Internal::raw_address(src0)),
                        static_cast<const Internal::raw_bits<T> *>(Internal::raw_address(src1Pattern)), 0, reduceMode, mask, params,
                        rsvdCnt);
}
template <typename T>
SK_INLINE void GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const uint8_t src1Pattern, const bool reduceMode,
                          const uint32_t mask, const GatherMaskParams &params, uint64_t &rsvdCnt) {
  static_assert(sizeof(PrimT<T>) == 2 || sizeof(PrimT<T>) == 4, "GatherMask: elements have 16 or 32 bits");
  if (src1Pattern < 1 || src1Pattern > 7) {
    sk_kernel_finding("BAD_ARGUMENT", "GatherMask: fixed patterns are 1 to 7", false);
    return;
  }
  const Internal::raw_bits<T> *src = Internal::raw_address(src0);
  Internal::gather_mask(Internal::raw_address(dst), src, src, src1Pattern, reduceMode, mask, params, rsvdCnt);
}

template <typename T>
SK_INLINE void Brcb(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint8_t repeat, const BrcbRepeatParams &p) {
  SK_TAKES("Brcb", PrimT<T>, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float);
  asc_brcb(Internal::raw_address(dst), static_cast<const Internal::raw_bits<T> *>(Internal::raw_address(src)), p.dstBlkStride,
           p.dstRepStride, repeat);
}

/* ---- first, first + 1, ... ------------------------------------------------------------------------------ */

namespace Internal {
template <typename T>
constexpr uint32_t index_type() {
  return std::is_same<T, half>::value ? 0 : std::is_same<T, float>::value ? 1 : std::is_same<T, int16_t>::value ? 2 : 3;
}
template <typename T>
SK_INLINE double index_start(T value) {
  if constexpr (std::is_same<T, half>::value) return static_cast<float>(value);
  else return static_cast<double>(value);
}
} // namespace Internal
template <typename T>
SK_INLINE void CreateVecIndex(const LocalTensor<T> &dst, const SK_SAME_TYPE &firstValue, uint32_t count) {
  SK_TAKES("CreateVecIndex", T, half, float, int16_t, int32_t);
  sk_create_index(dst.sk_address(), Internal::index_type<T>(), Internal::index_start<T>(firstValue), count, 0, 1, 8);
  sk_mask_full();
}
template <typename T>
SK_INLINE void CreateVecIndex(const LocalTensor<T> &dst, const SK_SAME_TYPE &firstValue, uint64_t mask, uint8_t repeat,
                              uint16_t dstBlkStride, uint8_t dstRepStride) {
  SK_TAKES("CreateVecIndex", T, half, float, int16_t, int32_t);
  Internal::set_mask<true>(mask);
  sk_create_index(dst.sk_address(), Internal::index_type<T>(), Internal::index_start<T>(firstValue), 0, repeat, dstBlkStride, dstRepStride);
}
template <typename T>
SK_INLINE void CreateVecIndex(const LocalTensor<T> &dst, const SK_SAME_TYPE &firstValue, const uint64_t mask[], uint8_t repeat,
                              uint16_t dstBlkStride, uint8_t dstRepStride) {
  SK_TAKES("CreateVecIndex", T, half, float, int16_t, int32_t);
  Internal::set_mask<true>(mask);
  sk_create_index(dst.sk_address(), Internal::index_type<T>(), Internal::index_start<T>(firstValue), 0, repeat, dstBlkStride, dstRepStride);
}
template <typename T>
SK_INLINE void CreateVecIndex(LocalTensor<T> &dst, const SK_SAME_TYPE &firstValue, uint32_t count) {
  SK_TAKES("CreateVecIndex", T, half, float, int16_t, int32_t);
  CreateVecIndex(static_cast<const LocalTensor<T> &>(dst), firstValue, count);
}

} // namespace AscendC

#endif
