/* move.h - DataCopy and DataCopyPad between device memory and the memories of a core. */
#ifndef SK_KERNEL_OPERATOR_MOVE_H
#define SK_KERNEL_OPERATOR_MOVE_H

#include "matmul_record.h"
#include "tensor.h"

namespace AscendC {

namespace Internal {
template <typename T>
SK_INLINE uint32_t copy_bytes(uint32_t elems) {
  return static_cast<uint32_t>(bytes_of_elems<T>(elems));
}
template <typename T>
SK_INLINE uint32_t place(const LocalTensor<T> &tensor) {
  return memory_of(tensor.GetPosition());
}
/* Copies count whole blocks of 32 bytes. On the kind of core that has the tensor's memory. */
template <typename T>
SK_INLINE void must_hold_on_core(uint32_t count, const LocalTensor<T> &tensor) {
  uint32_t whole = static_cast<uint32_t>(elems_of_bytes<T>(bytes_of_elems<T>(count) / ONE_BLK_SIZE * ONE_BLK_SIZE));
  if ((place(tensor) == 1) == (ASCEND_IS_AIV != 0)) must_hold(whole, tensor);
}
SK_INLINE void no_path(const char *text) { sk_kernel_finding("NO_DATA_PATH", text, false); }
} // namespace Internal

/* A vector core's TSCM lies in L1 of its cube core, whose Matmul service makes the copies. */
namespace Internal {
template <typename T>
SK_INLINE bool is_shared_l1(const LocalTensor<T> &tensor) {
  return tensor.GetPosition() == TPosition::TSCM && (ASCEND_IS_AIV);
}
template <typename T>
SK_INLINE sk_matmul_load load_of(const LocalTensor<T> &dst, const GlobalTensor<T> &src) {
  sk_matmul_load load = {};
  load.to = dst.sk_location();
  load.from = reinterpret_cast<uint64_t>(src.sk_elements());
  return load;
}
template <typename T, typename U>
SK_INLINE sk_matmul_load load_of(const LocalTensor<T> &dst, const LocalTensor<U> &src) {
  sk_matmul_load load = {};
  load.to = dst.sk_location();
  load.from = src.sk_location();
  load.from_ub = true;
  return load;
}
template <typename T, class Source>
SK_INLINE void load_shared_l1(const LocalTensor<T> &dst, const Source &src, uint32_t count, uint32_t blocks, uint32_t src_gap,
                              uint32_t dst_gap) {
  sk_matmul_load load = load_of(dst, src);
  load.count = count, load.length_blocks = blocks, load.src_gap_blocks = src_gap, load.dst_gap_blocks = dst_gap;
  sk_matmul_load_l1("DataCopy", &load);
}
} // namespace Internal

/* ---- device memory to a core --------------------------------------------------------------- */

template <typename T>
SK_INLINE void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const uint32_t count) {
  if (Internal::is_shared_l1(dst)) {
    Internal::must_hold(count, dst);
    Internal::load_shared_l1(dst, src, 1, Internal::copy_bytes<T>(count) / ONE_BLK_SIZE, 0, 0);
    return;
  }
  Internal::must_hold_on_core(count, dst);
  uint32_t bytes = Internal::copy_bytes<T>(count);
  void *to = dst.sk_elements();
  const void *from = src.sk_elements();
  switch (Internal::place(dst)) {
    case 1: asc_copy_gm2ub(to, from, bytes); break;
    case 2: asc_copy_gm2l1(to, from, bytes); break;
    default: Internal::no_path("DataCopy: device memory is copied to the unified buffer or to L1");
  }
}
template <typename T>
SK_INLINE void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyParams &params) {
  if (Internal::is_shared_l1(dst)) {
    Internal::load_shared_l1(dst, src, params.blockCount, params.blockLen, params.srcGap, params.dstGap);
    return;
  }
  void *to = dst.sk_elements();
  const void *from = src.sk_elements();
  switch (Internal::place(dst)) {
    case 1: asc_copy_gm2ub(to, from, params.blockCount, params.blockLen, params.srcGap, params.dstGap); break;
    case 2: asc_copy_gm2l1(to, from, params.blockCount, params.blockLen, params.srcGap, params.dstGap); break;
    default: Internal::no_path("DataCopy: device memory is copied to the unified buffer or to L1");
  }
}

/* ---- a core to device memory --------------------------------------------------------------- */

template <typename T>
SK_INLINE void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count) {
  Internal::must_hold_on_core(count, src);
  uint32_t bytes = Internal::copy_bytes<T>(count);
  void *to = dst.sk_elements();
  const void *from = src.sk_elements();
  switch (Internal::place(src)) {
    case 1: asc_copy_ub2gm(to, from, bytes); break;
    case 2: asc_copy_l12gm(to, from, bytes); break;
    default: Internal::no_path("DataCopy: the unified buffer and L1 are copied to device memory; L0C goes by Fixpipe");
  }
}
template <typename T>
SK_INLINE void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &params) {
  void *to = dst.sk_elements();
  const void *from = src.sk_elements();
  switch (Internal::place(src)) {
    case 1: asc_copy_ub2gm(to, from, params.blockCount, params.blockLen, params.srcGap, params.dstGap); break;
    case 2: asc_copy_l12gm(to, from, params.blockCount, params.blockLen, params.srcGap, params.dstGap); break;
    default: Internal::no_path("DataCopy: the unified buffer and L1 are copied to device memory; L0C goes by Fixpipe");
  }
}

/* ---- inside a core ------------------------------------------------------------------------- */

template <typename T, typename U>
SK_INLINE void DataCopy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const DataCopyParams &params) {
  SK_TRAITS_AGREE("DataCopy", T, U);
  void *to = dst.sk_elements();
  const void *from = src.sk_elements();
  uint32_t out = Internal::place(dst), in = Internal::place(src);
  if constexpr (std::is_same<PrimT<T>, PrimT<U>>::value)
    if (in == 1 && Internal::is_shared_l1(dst)) {
      Internal::load_shared_l1(dst, src, params.blockCount, params.blockLen, params.srcGap, params.dstGap);
      return;
    }
  if (in == 1 && out == 1) asc_copy_ub2ub(to, from, params.blockCount, params.blockLen, params.srcGap, params.dstGap);
  else if (in == 2 && out == 6)
    asc_copy_l12bt(dst.sk_location(), from, !std::is_same<PrimT<T>, PrimT<U>>::value, params.blockCount, params.blockLen,
                   params.srcGap, params.dstGap);
  else if (in == 2 && out == 7) asc_copy_l12fb(to, from, params.blockCount, params.blockLen, params.srcGap, params.dstGap);
  else Internal::no_path("DataCopy: there is no path between these two memories of a core");
}
template <typename T, typename U>
SK_INLINE void DataCopy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const uint32_t count) {
  SK_TRAITS_AGREE("DataCopy", T, U);
  void *to = dst.sk_elements();
  const void *from = src.sk_elements();
  uint32_t out = Internal::place(dst), in = Internal::place(src), bytes = Internal::copy_bytes<U>(count);
  if constexpr (std::is_same<PrimT<T>, PrimT<U>>::value)
    if (in == 1 && Internal::is_shared_l1(dst)) {
      Internal::must_hold(count, dst);
      Internal::load_shared_l1(dst, src, 1, bytes / ONE_BLK_SIZE, 0, 0);
      return;
    }
  if (in == 1 && out == 1) asc_copy_ub2ub(to, from, bytes);
  else if (in == 2 && out == 6) asc_copy_l12bt(dst.sk_location(), from, !std::is_same<PrimT<T>, PrimT<U>>::value, bytes);
  else if (in == 2 && out == 7) asc_copy_l12fb(to, from, bytes);
  else Internal::no_path("DataCopy: there is no path between these two memories of a core");
}

/* ---- any number of bytes -------------------------------------------------------------------- */

namespace Internal {
template <typename T>
SK_INLINE void load_padded(const LocalTensor<T> &dst, const GlobalTensor<T> &src, uint32_t count, uint32_t bytes,
                           uint32_t src_gap_bytes, uint32_t dst_gap_blocks, bool pad, uint32_t left, uint32_t right, uint64_t bits) {
  if (place(dst) != 1) {
    no_path("DataCopyPad: device memory is loaded into the unified buffer");
    return;
  }
  /* Without padding values of the call: with that of SetPadValue, or, where there is none, paddings are left
   * undefined and the rest is filled with the burst's first element. */
  uint32_t mode = pad ? 1 : sk_pad_value_given() ? 0 : 2;
  sk_copy_gm2ub_pad(dst.sk_address(), src.sk_address(), sizeof(T), count, bytes, left, right, src_gap_bytes, dst_gap_blocks, mode,
                    bits);
}
} // namespace Internal

template <typename T>
SK_INLINE void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyExtParams &params,
                           const DataCopyPadExtParams<T> &padding) {
  Internal::load_padded(dst, src, params.blockCount, params.blockLen, params.srcStride, params.dstStride, padding.isPad,
                        padding.leftPadding, padding.rightPadding, Internal::raw(padding.paddingValue));
}
template <typename T>
SK_INLINE void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyParams &params,
                           const DataCopyPadParams &padding) {
  Internal::load_padded(dst, src, params.blockCount, params.blockLen, params.srcGap, params.dstGap, padding.isPad,
                        padding.leftPadding, padding.rightPadding, padding.paddingValue);
}
template <typename T>
SK_INLINE void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyExtParams &params) {
  if (Internal::place(src) != 1) {
    Internal::no_path("DataCopyPad: device memory is stored from the unified buffer");
    return;
  }
  sk_copy_ub2gm_pad(dst.sk_address(), src.sk_address(), sizeof(T), params.blockCount, params.blockLen, params.srcStride,
                    params.dstStride);
}
template <typename T>
SK_INLINE void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &params) {
  DataCopyPad(dst, src, DataCopyExtParams(params.blockCount, params.blockLen, params.srcGap, params.dstGap, 0));
}
template <typename T, TPosition position = TPosition::MAX>
SK_INLINE void SetPadValue(T value) {
  sk_set_pad_value(Internal::raw(value));
}

/* ---- slices and formats ---------------------------------------------------------------------- */

namespace Internal {
/* Elements from the start of a slice to its burst number `index`, innermost dimension first. */
struct slice_walk {
  const SliceInfo *slice;
  uint32_t dims, elem_bytes;
  SK_INLINE uint32_t bursts(uint32_t dim) const {
    const SliceInfo &s = slice[dim];
    uint32_t burst = dim == 0 ? s.burstLen * ONE_BLK_SIZE / elem_bytes : 1, span = s.endIndex - s.startIndex + 1;
    return burst == 0 ? 0 : (span + s.stride) / (burst + s.stride);
  }
  /* What is not as it must be, nullptr nothing. */
  SK_INLINE const char *wrong() const {
    for (uint32_t d = 0; d < dims; d++) {
      const SliceInfo &s = slice[d];
      if (s.endIndex < s.startIndex) return "DataCopy: a slice ends before it begins";
      if (d + 1 < dims && s.endIndex >= s.shapeValue) return "DataCopy: a slice reaches beyond its dimension (shapeValue)";
      if (d > 0 && s.burstLen != 1) return "DataCopy: the burstLen of outer dimensions is 1";
    }
    uint32_t burst = slice[0].burstLen * ONE_BLK_SIZE / elem_bytes, n = bursts(0);
    if (n * burst + (n - 1) * slice[0].stride == slice[0].endIndex - slice[0].startIndex + 1 && n != 0) return nullptr;
    return "DataCopy: bursts of burstLen blocks with stride elements between them do not fill the slice from startIndex to endIndex";
  }
  SK_INLINE uint32_t total() const {
    uint32_t n = 1;
    for (uint32_t d = 0; d < dims; d++) n *= bursts(d);
    return n;
  }
  SK_INLINE uint64_t offset(uint32_t index) const {
    uint64_t at = 0, row = 1;
    for (uint32_t d = 0; d < dims; d++) {
      uint32_t n = bursts(d), burst = d == 0 ? slice[0].burstLen * ONE_BLK_SIZE / elem_bytes : 1;
      at += row * (slice[d].startIndex + (index % n) * (burst + slice[d].stride));
      index /= n;
      row *= slice[d].shapeValue;
    }
    return at;
  }
};
template <typename D, typename S>
SK_INLINE void copy_slices(const D &dst, const S &src, uint32_t elem_bytes, const SliceInfo dst_slices[], const SliceInfo src_slices[],
                           uint32_t dims) {
  slice_walk to{dst_slices, dims, elem_bytes}, from{src_slices, dims, elem_bytes};
  const char *wrong = to.wrong() != nullptr ? to.wrong() : from.wrong();
  if (wrong != nullptr) {
    sk_kernel_finding("BAD_ARGUMENT", wrong, false);
    return;
  }
  if (to.total() != from.total() || dst_slices[0].burstLen != src_slices[0].burstLen) {
    sk_kernel_finding("BAD_ARGUMENT", "DataCopy: source and destination slices differ in their bursts", false);
    return;
  }
  uint32_t elems = dst_slices[0].burstLen * ONE_BLK_SIZE / elem_bytes;
  for (uint32_t i = 0; i < to.total(); i++) DataCopy(dst[to.offset(i)], src[from.offset(i)], elems);
}
} // namespace Internal
template <typename T>
SK_INLINE void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const SliceInfo dst_slices[],
                        const SliceInfo src_slices[], const uint32_t dims = 1) {
  static_assert(!is_tensorTrait_v<T>, "DataCopy: slices are of tensors without TensorTrait");
  Internal::copy_slices(dst, src, sizeof(T), dst_slices, src_slices, dims);
}
template <typename T>
SK_INLINE void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const SliceInfo dst_slices[],
                        const SliceInfo src_slices[], const uint32_t dims = 1) {
  static_assert(!is_tensorTrait_v<T>, "DataCopy: slices are of tensors without TensorTrait");
  Internal::copy_slices(dst, src, sizeof(T), dst_slices, src_slices, dims);
}

namespace Internal {
template <typename T, class Source>
SK_INLINE void rows_to_shared_l1(const LocalTensor<T> &dst, const Source &src, const Nd2NzParams &params) {
  sk_matmul_load load = load_of(dst, src);
  load.to_nz = true;
  load.elem_bytes = sizeof(PrimT<T>), load.matrices = params.ndNum, load.rows = params.nValue, load.columns = params.dValue;
  load.src_matrix = params.srcNdMatrixStride, load.src_row = params.srcDValue;
  load.c0_stride = params.dstNzC0Stride, load.row_stride = params.dstNzNStride, load.nz_matrix = params.dstNzMatrixStride;
  sk_matmul_load_l1("DataCopy", &load);
}
} // namespace Internal
template <typename T>
SK_INLINE void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const Nd2NzParams &params) {
  if (Internal::place(src) == 1 && Internal::is_shared_l1(dst)) Internal::rows_to_shared_l1(dst, src, params);
  else if (!(ASCEND_IS_AIC)) Internal::no_path("DataCopy: Nd2Nz inside a core goes from the unified buffer to TSCM");
}
template <typename T>
SK_INLINE void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const Nd2NzParams &params) {
  if (Internal::is_shared_l1(dst)) {
    Internal::rows_to_shared_l1(dst, src, params);
    return;
  }
  if (Internal::place(dst) == 2) {
    /* Pairs, which the numbers count. */
    using Moved = typename std::conditional<std::is_same<PrimT<T>, int4b_t>::value, int8_t, PrimT<T>>::type;
    asc_copy_gm2l1_nd2nz(reinterpret_cast<Moved *>(dst.sk_elements()), reinterpret_cast<const Moved *>(src.sk_elements()),
                         params.ndNum, params.nValue, params.dValue, params.srcNdMatrixStride, params.srcDValue,
                         params.dstNzC0Stride, params.dstNzNStride, params.dstNzMatrixStride);
    return;
  }
  if (Internal::place(dst) != 1) {
    Internal::no_path("DataCopy: Nd2Nz goes from device memory to L1 or to the unified buffer");
    return;
  }
  /* Into the unified buffer by one padded copy per column group, as the framework does it. */
  constexpr uint32_t c0 = ONE_BLK_SIZE / sizeof(PrimT<T>);
  for (uint32_t nd = 0; nd < params.ndNum; nd++)
    for (uint32_t column = 0; column < params.dValue; column += c0) {
      uint32_t width = params.dValue - column < c0 ? params.dValue - column : c0;
      sk_copy_gm2ub_pad(reinterpret_cast<void *>(dst.sk_location() + uint64_t{nd} * params.dstNzMatrixStride * sizeof(PrimT<T>) +
                                                 uint64_t{column / c0} * params.dstNzC0Stride * ONE_BLK_SIZE),
                        src.sk_elements() + uint64_t{nd} * params.srcNdMatrixStride + column, sizeof(PrimT<T>), params.nValue,
                        width * sizeof(PrimT<T>), 0, 0, (params.srcDValue - width) * sizeof(PrimT<T>), params.dstNzNStride - 1u, 1, 0);
    }
}
template <typename T>
SK_INLINE void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const Nz2NdParamsFull &params) {
  static_assert(sizeof(PrimT<T>) == 2 || sizeof(PrimT<T>) == 4, "DataCopy: Nz2Nd takes elements of 16 or 32 bits");
  if (Internal::place(src) != 1) {
    Internal::no_path("DataCopy: Nz2Nd goes from the unified buffer to device memory");
    return;
  }
  constexpr uint32_t width = 16;
  for (uint32_t nd = 0; nd < params.ndNum; nd++)
    for (uint32_t w = 0; w < params.dValue / width; w++)
      sk_copy_ub2gm_pad(dst.sk_elements() + uint64_t{nd} * params.dstNdMatrixStride + w * width,
                        src.sk_elements() + uint64_t{nd} * params.srcNdMatrixStride * 256 + uint64_t{w} * params.srcNStride * width,
                        sizeof(PrimT<T>), params.nValue, width * sizeof(PrimT<T>), 0, (params.dstDStride - width) * sizeof(PrimT<T>));
}

/* Fills device memory from a scratch piece of the unified buffer; order MTE3 before readers follows. */
template <typename T>
SK_INLINE void InitOutput(GlobalTensor<T> dst, uint32_t elems, T value = T(0)) {
  if (!(ASCEND_IS_AIV)) return;
  LocalTensor<T> scratch(sk_pipe_rest(), TPosition::VECCALC);
  uint32_t most = scratch.GetSize() / (256 / sizeof(T)) * (256 / sizeof(T)), first = elems < most ? elems : most;
  if (elems == 0) return;
  sk_set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); /* scratch may still be on its way out */
  sk_wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
  if constexpr (sizeof(T) == 2)
    asc_duplicate(reinterpret_cast<uint16_t *>(scratch.sk_address()), static_cast<uint16_t>(Internal::raw(value)), first);
  else if constexpr (sizeof(T) == 4)
    asc_duplicate(reinterpret_cast<uint32_t *>(scratch.sk_address()), static_cast<uint32_t>(Internal::raw(value)), first);
  else
    static_assert(Internal::always_false<T>, "InitOutput: elements have 16 or 32 bits");
  sk_mask_full();
  sk_set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  sk_wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  for (uint32_t done = 0; done < elems; done += most) {
    uint32_t part = elems - done < most ? elems - done : most;
    sk_copy_ub2gm_pad(dst.sk_address() + done, scratch.sk_address(), sizeof(T), 1, static_cast<uint32_t>(part * sizeof(T)), 0, 0);
  }
}

/* The name of the high-level API. */
template <typename T>
SK_INLINE void Fill(GlobalTensor<T> &gmWorkspaceAddr, const uint64_t size, const T value) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4, "Fill: elements are uint16_t, int16_t, half, uint32_t, int32_t and float");
  InitOutput(gmWorkspaceAddr, static_cast<uint32_t>(size), value);
}
/* Its earlier name. */
template <typename T>
SK_INLINE void InitGlobalMemory(GlobalTensor<T> &gmWorkspaceAddr, const uint64_t size, const T value) {
  Fill(gmWorkspaceAddr, size, value);
}

} // namespace AscendC

#endif
