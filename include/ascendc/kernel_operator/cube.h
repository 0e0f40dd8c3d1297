/* cube.h - the matrix unit: loads of fractals, multiply-add, results out of L0C. */
#ifndef SK_KERNEL_OPERATOR_CUBE_H
#define SK_KERNEL_OPERATOR_CUBE_H

#include "move.h"

extern "C++" void sk_cube_load_b_trans_b4(int4b_t *dst, const int4b_t *src, SK_ARGS_TRANS) __asm__("sk_copy_l12l0b_trans_b4")
    __attribute__((visibility("default")));

namespace AscendC {

namespace Internal {
/* Which L0 a tensor lies in: 3 = A, 4 = B, 2 = L1. */
template <typename T>
SK_INLINE uint32_t target_of(const LocalTensor<T> &tensor) {
  return memory_of(tensor.GetPosition());
}
/* The C functions know signed and unsigned 8-bit types, 16-bit floats and 32-bit types. */
template <typename T>
SK_INLINE void load_fractals(uint32_t target, T *dst, const T *src, uint32_t start, uint8_t repeat, uint16_t stride, uint16_t gap) {
  uint16_t first = static_cast<uint16_t>(start);
  if (target == 3) asc_copy_l12l0a(dst, src, first, repeat, stride, gap);
  else if (target == 4) asc_copy_l12l0b(dst, src, first, repeat, stride, gap);
  else no_path("LoadData: L1 is loaded into L0A and L0B");
}
template <typename T>
SK_INLINE void load_transposed(uint32_t target, T *dst, const T *src, const LoadData2dTransposeParams &p) {
  bool down = p.addrMode == 1;
  if constexpr (std::is_same<T, int4b_t>::value) {
    if (target == 4) sk_cube_load_b_trans_b4(dst, src, p.startIndex, p.repeatTimes, p.srcStride, p.dstGap, down, p.dstFracGap);
    else no_path("LoadDataWithTranspose: int4b_t is transposed into L0B only");
  } else if (target == 3) {
    asc_copy_l12l0a_trans(dst, src, p.startIndex, p.repeatTimes, p.srcStride, p.dstGap, down, p.dstFracGap);
  } else if (target == 4) {
    asc_copy_l12l0b_trans(dst, src, p.startIndex, p.repeatTimes, p.srcStride, p.dstGap, down, p.dstFracGap);
  } else {
    no_path("LoadDataWithTranspose: L1 is loaded into L0A and L0B");
  }
}
} // namespace Internal

/* ---- loads ------------------------------------------------------------------------------------- */

template <typename T>
SK_INLINE void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData2DParams &p) {
  const PrimT<T> *from = src.sk_elements();
  uint32_t target = Internal::target_of(dst);
  if (p.ifTranspose) {
    if constexpr (sizeof(PrimT<T>) == 2) {
      Internal::load_transposed(target, dst.sk_elements(), from,
                                LoadData2dTransposeParams(p.startIndex, p.repeatTimes, p.srcStride, p.dstGap, 0, p.addrMode));
    } else {
      sk_kernel_finding("BAD_ARGUMENT", "LoadData: ifTranspose is for elements of 16 bits", false);
    }
    return;
  }
  if (p.addrMode == 0) {
    Internal::load_fractals(target, dst.sk_elements(), from, p.startIndex, p.repeatTimes, p.srcStride, p.dstGap);
    return;
  }
  for (uint32_t i = 0; i < p.repeatTimes; i++) /* downwards: one fractal at a time */
    Internal::load_fractals(target, reinterpret_cast<PrimT<T> *>(dst.sk_location() + uint64_t{i} * (p.dstGap + 1u) * 512), from,
                            p.startIndex - i * p.srcStride, 1, 0, 0);
}
template <typename T>
SK_INLINE void LoadData(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const LoadData2DParams &p) {
  static_assert(!std::is_same<PrimT<T>, int4b_t>::value, "LoadData: int4b_t is loaded from L1 only");
  const PrimT<T> *from = src.sk_elements();
  switch (Internal::target_of(dst)) {
    case 2: asc_copy_gm2l1(dst.sk_elements(), from, p.startIndex, p.repeatTimes, p.srcStride, p.dstGap); break;
    case 3: asc_copy_gm2l0a(dst.sk_elements(), from, p.startIndex, p.repeatTimes, p.srcStride, p.dstGap); break;
    case 4: asc_copy_gm2l0b(dst.sk_elements(), from, p.startIndex, p.repeatTimes, p.srcStride, p.dstGap); break;
    default: Internal::no_path("LoadData: device memory is loaded into L1, L0A and L0B");
  }
}
template <typename T>
SK_INLINE void LoadDataWithTranspose(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData2dTransposeParams &p) {
  Internal::load_transposed(Internal::target_of(dst), dst.sk_elements(), src.sk_source(), p);
}
template <typename T, typename U>
SK_INLINE void LoadDataWithSparse(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<U> &index,
                                  const LoadData2DParams &p) {
  static_assert(std::is_same<PrimT<T>, int8_t>::value, "LoadDataWithSparse: elements are int8_t");
  SK_TRAITS_AGREE("LoadDataWithSparse", T, U);
  asc_copy_l12l0b_sparse(dst.sk_elements(), src.sk_elements(), reinterpret_cast<const int8_t *>(index.sk_elements()), p.startIndex,
                         p.repeatTimes);
}

SK_INLINE void SetFmatrix(uint16_t l1H, uint16_t l1W, const uint8_t padList[4], const FmatrixMode &mode) {
  asc_l13d_fmatrix_config config = {0};
  config.l1_h_size = l1H;
  config.l1_w_size = l1W;
  config.padding_left_size = padList[0];
  config.padding_right_size = padList[1];
  config.padding_top_size = padList[2];
  config.padding_bottom_size = padList[3];
  if (mode == FmatrixMode::FMATRIX_LEFT) asc_set_l13d_fmatrix(config);
  else asc_set_l13d_fmatrix_b(config);
}
template <typename T>
SK_INLINE void SetLoadDataPaddingValue(const T value) {
  if constexpr (sizeof(T) == 2) asc_set_l13d_padding(static_cast<uint16_t>(Internal::raw(value)));
  else asc_set_l13d_padding(Internal::raw(value));
}
SK_INLINE void SetLoadDataBoundary(uint32_t bytes) { asc_set_l13d_size(bytes); }
SK_INLINE void SetLoadDataRepeat(const LoadDataRepeatParam &p) {
  asc_load3d_v2_config config = {0};
  config.rpt_stride = p.repeatStride;
  config.rpt_time = p.repeatTime;
  config.rpt_mode = p.repeatMode;
  asc_set_l13d_rpt(config);
}

struct IsResetLoad3dConfig {
  bool isSetFMatrix = true, isSetPadding = true;
};
constexpr IsResetLoad3dConfig IS_RESER_LOAD3D_DEFAULT_CONFIG = {true, true};
namespace Internal {
/* What the image's matrix and padding registers do not hold. */
template <typename T>
SK_INLINE void load_image(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData3DParamsV2<PrimT<T>> &p) {
#define SK_IMAGE                                                                                                            \
  p.kExtension, p.mExtension, p.kStartPt, p.mStartPt, p.strideW, p.strideH, p.filterW, p.filterH, p.dilationFilterW,        \
      p.dilationFilterH, p.filterSizeW, p.filterSizeH, p.enTranspose, p.fMatrixCtrl, p.channelSize
  uint32_t target = target_of(dst);
  const PrimT<T> *from = src.sk_elements();
  if (target == 3) {
    asc_copy_l12l0a(dst.sk_elements(), from, SK_IMAGE);
  } else if (target == 4) {
    if constexpr (sizeof(PrimT<T>) >= 2) asc_copy_l12l0b(dst.sk_elements(), from, SK_IMAGE);
    else no_path("LoadData: images go to L0B with elements of 16 or 32 bits");
  } else {
    no_path("LoadData: images are loaded into L0A and L0B");
  }
#undef SK_IMAGE
}
} // namespace Internal

template <typename T, const IsResetLoad3dConfig &config = IS_RESER_LOAD3D_DEFAULT_CONFIG>
SK_INLINE void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData3DParamsV2<PrimT<T>> &p) {
  if constexpr (config.isSetFMatrix)
    SetFmatrix(p.l1H, p.l1W, p.padList, p.fMatrixCtrl ? FmatrixMode::FMATRIX_RIGHT : FmatrixMode::FMATRIX_LEFT);
  if constexpr (config.isSetPadding) SetLoadDataPaddingValue(p.padValue);
  Internal::load_image(dst, src, p);
}
/* The image's size and padding are those that SetFmatrix and SetLoadDataPaddingValue said. */
template <typename T>
SK_INLINE void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData3DParamsV2Pro &p) {
  auto half_word = [&](int i) { return static_cast<uint16_t>(p.extConfig >> 16 * i); };
  auto byte = [&](int i) { return static_cast<uint8_t>(p.filterConfig >> 8 * i); };
  LoadData3DParamsV2<PrimT<T>> q;
  q.kExtension = half_word(0), q.mExtension = half_word(1), q.kStartPt = half_word(2), q.mStartPt = half_word(3);
  q.strideW = byte(0), q.strideH = byte(1), q.filterW = byte(2), q.filterH = byte(3);
  q.dilationFilterW = byte(4), q.dilationFilterH = byte(5);
  q.filterSizeW = p.filterSizeW, q.filterSizeH = p.filterSizeH, q.enTranspose = p.enTranspose;
  q.fMatrixCtrl = p.fMatrixCtrl, q.channelSize = p.channelSize;
  Internal::load_image(dst, src, q);
}
template <typename T, typename U>
SK_INLINE void LoadData(const LocalTensor<T> &, const U &, const LoadData2DParamsV2 &) {
  static_assert(Internal::always_false<T>, "LoadData: LoadData2DParamsV2 is not there on this architecture (2201)");
}
SK_INLINE void Load3DSetFMatrixCal(uint16_t l1H, uint16_t l1W, const uint8_t padList[4]) {
  SetFmatrix(l1H, l1W, padList, FmatrixMode::FMATRIX_LEFT);
}
template <typename T>
SK_INLINE void Load3DSetPaddingCal(const T padValue) {
  SetLoadDataPaddingValue(padValue);
}

template <typename T>
SK_INLINE void Fill(const LocalTensor<T> &dst, const InitConstValueParams<PrimT<T>> &p) {
  asc_fill_value_config config = {0};
  config.repeat = p.repeatTimes;
  config.blk_num = p.blockNum;
  config.dst_gap = p.dstGap;
  typename std::conditional<sizeof(PrimT<T>) == 4, uint32_t, PrimT<T>>::type value;
  if constexpr (sizeof(PrimT<T>) == 4) value = static_cast<uint32_t>(Internal::raw(p.initValue));
  else value = p.initValue;
  switch (Internal::target_of(dst)) {
    case 2: asc_fill_l1(dst.sk_elements(), value, config); break;
    case 3: asc_fill_l0a(dst.sk_elements(), value, config); break;
    case 4: asc_fill_l0b(dst.sk_elements(), value, config); break;
    default: Internal::no_path("Fill: constants go to L1, L0A and L0B");
  }
}
template <typename T>
SK_INLINE void InitConstValue(const LocalTensor<T> &dst, const InitConstValueParams<PrimT<T>> &p) {
  Fill(dst, p);
}

/* ---- multiply-add -------------------------------------------------------------------------------- */

namespace Internal {
template <typename C, typename A>
struct mmad_types {
  static constexpr int code = -1;
};
template <>
struct mmad_types<float, half> { static constexpr int code = SK_MMAD_F16; };
template <>
struct mmad_types<float, bfloat16_t> { static constexpr int code = SK_MMAD_BF16; };
template <>
struct mmad_types<float, float> { static constexpr int code = SK_MMAD_F32; };
template <>
struct mmad_types<int32_t, int8_t> { static constexpr int code = SK_MMAD_I8; };
template <>
struct mmad_types<int32_t, int4b_t> { static constexpr int code = SK_MMAD_I4; };
} // namespace Internal

/* The old isBias says that C keeps what it holds. */
template <typename T, typename U, typename S>
SK_INLINE void Mmad(const LocalTensor<T> &dst, const LocalTensor<U> &fm, const LocalTensor<S> &filter, const MmadParams &p) {
  static_assert(std::is_same<PrimT<U>, PrimT<S>>::value && Internal::mmad_types<PrimT<T>, PrimT<U>>::code >= 0,
                "Mmad: float from half, bfloat16_t or float; int32_t from int8_t or int4b_t");
  SK_TRAITS_AGREE("Mmad", T, U);
  SK_TRAITS_AGREE("Mmad", T, S);
  bool from_zero = p.cmatrixInitVal && !p.isBias;
  if constexpr (std::is_same<PrimT<U>, int4b_t>::value)
    asc_mmad_s4(dst.sk_elements(), fm.sk_elements(), filter.sk_elements(), p.m, p.k, p.n, p.unitFlag, p.kDirectionAlign,
                p.cmatrixSource, from_zero);
  else
    asc_mmad(dst.sk_elements(), fm.sk_source(), filter.sk_source(), p.m, p.k,
             p.n, p.unitFlag, p.kDirectionAlign, p.cmatrixSource, from_zero);
}
template <typename T, typename U, typename S, typename V>
SK_INLINE void Mmad(const LocalTensor<T> &dst, const LocalTensor<U> &fm, const LocalTensor<S> &filter,
                    const LocalTensor<V> &bias, const MmadParams &p) {
  constexpr int code = Internal::mmad_types<PrimT<T>, PrimT<U>>::code;
  static_assert(std::is_same<PrimT<U>, PrimT<S>>::value && code >= 0 && std::is_same<PrimT<T>, PrimT<V>>::value,
                "Mmad: float from half, bfloat16_t or float; int32_t from int8_t or int4b_t; bias as the result");
  SK_TRAITS_AGREE("Mmad", T, U);
  SK_TRAITS_AGREE("Mmad", T, S);
  SK_TRAITS_AGREE("Mmad", T, V);
  if (Internal::target_of(bias) != 6) {
    Internal::no_path("Mmad: a bias stands in the bias table (TPosition::C2)");
    return;
  }
  sk_mmad_bias(dst.sk_elements(), fm.sk_elements(), filter.sk_elements(), bias.sk_elements(), static_cast<sk_mmad_type>(code), p.m,
               p.k, p.n, p.unitFlag, p.kDirectionAlign, true, false);
}
template <typename T, typename U, typename S>
SK_INLINE void MmadWithSparse(const LocalTensor<T> &dst, const LocalTensor<U> &fm, const LocalTensor<S> &filter,
                              const MmadParams &p) {
  static_assert(std::is_same<PrimT<T>, int32_t>::value && std::is_same<PrimT<U>, int8_t>::value &&
                    std::is_same<PrimT<S>, int8_t>::value,
                "MmadWithSparse: int32_t from int8_t");
  SK_TRAITS_AGREE("MmadWithSparse", T, U);
  SK_TRAITS_AGREE("MmadWithSparse", T, S);
  asc_mmad_sparse(dst.sk_elements(), fm.sk_elements(), filter.sk_elements(), p.m, p.k, p.n, p.unitFlag, p.cmatrixSource,
                  p.cmatrixInitVal && !p.isBias);
}

SK_INLINE void SetHF32Mode(HF32Mode mode) {
  if (mode == HF32Mode::ENABLE) asc_enable_hf32();
  else asc_set_fp32_mode();
}
SK_INLINE void SetHF32Mode(bool enable) { SetHF32Mode(enable ? HF32Mode::ENABLE : HF32Mode::DISABLE); }
SK_INLINE void SetHF32TransMode(HF32TransMode mode) { asc_enable_hf32_trans(static_cast<uint32_t>(mode)); }
SK_INLINE void SetHF32TransMode(bool toZero) { asc_enable_hf32_trans(toZero); }
SK_INLINE void SetMMRowMajor() { asc_set_mmad_direction_n(); }
SK_INLINE void SetMMColumnMajor() { asc_set_mmad_direction_m(); }
SK_INLINE void SetMMLayoutTransform(bool columnFirst) {
  if (columnFirst) asc_set_mmad_direction_n();
  else asc_set_mmad_direction_m();
}

/* ---- results ----------------------------------------------------------------------------------- */

SK_INLINE void SetFixpipeNz2ndFlag(uint16_t ndNum, uint16_t srcNdStride, uint16_t dstNdStride) {
  asc_set_l0c_copy_params(ndNum, srcNdStride, dstNdStride);
}
SK_INLINE void SetFixpipePreQuantFlag(uint64_t config) { asc_set_l0c_copy_prequant(config); }
template <typename T, bool setRelu = false>
SK_INLINE void SetFixPipeConfig(const LocalTensor<T> &preData, bool isUnitFlag = false) {
  asc_set_l0c2gm_config(setRelu ? preData.sk_location() : 0, setRelu ? 0 : preData.sk_location(), isUnitFlag);
}
template <typename T>
SK_INLINE void SetFixPipeConfig(const LocalTensor<T> &reluPre, const LocalTensor<T> &quantPre, bool isUnitFlag = false) {
  asc_set_l0c2gm_config(reluPre.sk_location(), quantPre.sk_location(), isUnitFlag);
}

namespace Internal {
template <typename D>
SK_INLINE PrimT<D> *fix_target(const GlobalTensor<D> &tensor) {
  return tensor.sk_elements();
}
template <typename D>
SK_INLINE PrimT<D> *fix_target(const LocalTensor<D> &tensor) {
  return tensor.sk_elements();
}
#define SK_FIX_CALL(function) \
  function(dst, src, n, m, dst_stride, src_stride, unit_flag, static_cast<uint64_t>(quant), relu, split, nd)
template <typename D, typename S>
SK_INLINE void fix(const GlobalTensor<D> &tensor, const S *src, uint16_t n, uint16_t m, uint32_t dst_stride, uint16_t src_stride,
                   uint8_t unit_flag, QuantMode_t quant, uint8_t relu, bool split, bool nd) {
  PrimT<D> *dst = tensor.sk_elements();
  SK_FIX_CALL(asc_copy_l0c2gm);
}
template <typename D, typename S>
SK_INLINE void fix(const LocalTensor<D> &tensor, const S *src, uint16_t n, uint16_t m, uint32_t dst_stride, uint16_t src_stride,
                   uint8_t unit_flag, QuantMode_t quant, uint8_t relu, bool split, bool nd) {
  PrimT<D> *dst = tensor.sk_elements();
  if (memory_of(tensor.GetPosition()) != 2) {
    no_path("Fixpipe: results go to device memory or to L1");
    return;
  }
  SK_FIX_CALL(asc_copy_l0c2l1);
}
#undef SK_FIX_CALL
SK_INLINE constexpr bool scale_per_column(QuantMode_t mode) {
  return mode == VDEQF16 || mode == VREQ8 || mode == VQF322B8_PRE;
}

template <const FixpipeConfig &config, class Target, typename S>
SK_INLINE void fixpipe(const Target &dst, const LocalTensor<S> &src, const FixpipeParamsV220 &p) {
  static_assert(!config.isToUB, "Fixpipe: results go to device memory or L1 on this architecture");
  static_assert(config.format != CO2Layout::COLUMN_MAJOR, "Fixpipe: CFG_COLUMN_MAJOR is not there on this architecture");
  constexpr bool nd = config.format == CO2Layout::ROW_MAJOR;
  if constexpr (nd) asc_set_l0c_copy_params(p.ndNum, p.srcNdStride, p.dstNdStride);
  fix(dst, src.sk_source(), p.nSize, p.mSize, p.dstStride, p.srcStride, p.unitFlag, p.quantPre, p.reluEn, p.isChannelSplit, nd);
}
/* The table of scales goes from L1 to the fixpipe buffer, 128 bytes at a time, ahead of the results. */
SK_INLINE void load_scales(const LocalTensor<uint64_t> &table, uint16_t columns) {
  uint16_t units = static_cast<uint16_t>((columns * 8u + 127) / 128);
  void *buffer = reinterpret_cast<void *>(sk_local_address(7, 0));
  asc_copy_l12fb(buffer, table.sk_address(), 1, units, 0, 0);
  sk_pipe_barrier(PIPE_FIX);
  asc_set_l0c2gm_config(0, reinterpret_cast<uint64_t>(buffer), false);
}
} // namespace Internal

#define SK_FIXPIPE(Target)                                                                                             \
  template <typename T, typename U, const FixpipeConfig &config = CFG_ROW_MAJOR>                                       \
  SK_INLINE void Fixpipe(const Target<T> &dst, const LocalTensor<U> &src, const FixpipeParamsV220 &p) {                \
    SK_TRAITS_AGREE("Fixpipe", T, U);                                                                                  \
    if (p.quantPre != NoQuant && p.quantPre != F322F16 && p.quantPre != F322BF16) asc_set_l0c_copy_prequant(p.deqScalar); \
    Internal::fixpipe<config>(dst, src, p);                                                                            \
  }                                                                                                                    \
  template <typename T, typename U, const FixpipeConfig &config = CFG_ROW_MAJOR>                                       \
  SK_INLINE void Fixpipe(const Target<T> &dst, const LocalTensor<U> &src, const LocalTensor<uint64_t> &cbufWorkspace,  \
                         const FixpipeParamsV220 &p) {                                                                 \
    SK_TRAITS_AGREE("Fixpipe", T, U);                                                                                  \
    if (Internal::scale_per_column(p.quantPre)) Internal::load_scales(cbufWorkspace, p.nSize);                         \
    Internal::fixpipe<config>(dst, src, p);                                                                            \
  }                                                                                                                    \
  template <typename T, typename U>                                                                                    \
  SK_INLINE void DataCopy(const Target<T> &dst, const LocalTensor<U> &src, const DataCopyCO12DstParams &p) {           \
    SK_TRAITS_AGREE("DataCopy", T, U);                                                                                 \
    Internal::fix(dst, src.sk_source(), p.nSize, p.mSize, p.dstStride, p.srcStride, p.unitFlag,                        \
                  p.quantPre, p.reluPre, p.channelSplit, p.nz2ndEn);                                                   \
  }
SK_FIXPIPE(GlobalTensor)
SK_FIXPIPE(LocalTensor)
#undef SK_FIXPIPE

} // namespace AscendC

#endif
