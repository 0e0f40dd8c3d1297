/* scalar.h - who this core is, scalar arithmetic, caches, registers: everything of the scalar unit. */
#ifndef SK_KERNEL_OPERATOR_SCALAR_H
#define SK_KERNEL_OPERATOR_SCALAR_H

#include "tensor.h"

namespace AscendC {

/* ---- who and where ------------------------------------------------------------------------- */

SK_INLINE int64_t GetBlockIdx() { return sk_block_index(); }
SK_INLINE int64_t GetBlockNum() { return asc_get_block_num(); }
SK_INLINE int64_t GetSubBlockIdx() { return asc_get_sub_block_id(); }
SK_INLINE int64_t GetSubBlockNum() { return asc_get_sub_block_num(); }
SK_INLINE int64_t GetTaskRatio() { return asc_get_sub_block_num(); }
SK_INLINE int64_t GetTaskRation() { return asc_get_sub_block_num(); }
SK_INLINE int64_t GetSystemCycle() { return asc_get_system_cycle(); }
SK_INLINE int64_t GetProgramCounter() { return asc_get_program_counter(); }
SK_INLINE void GetArchVersion(uint32_t &version) { asc_get_arch_ver(version); }
SK_INLINE constexpr uint32_t GetDataBlockSizeInBytes() { return ONE_BLK_SIZE; }
SK_INLINE constexpr uint32_t GetUBSizeInBytes() { return TOTAL_UB_SIZE; }
SK_INLINE constexpr uint32_t GetVecLen() { return ONE_REPEAT_BYTE_SIZE; }
SK_INLINE void InitSocState() {
  Internal::order_vector_instructions();
  sk_init_soc_state();
}

template <EngineType engine, auto function, class... Args>
SK_INLINE void Async(Args... args) {
  if (engine == EngineType::AIC ? ASCEND_IS_AIC : ASCEND_IS_AIV) function(args...);
}

/* ---- bits and scalar conversions ------------------------------------------------------------ */

template <int countValue>
SK_INLINE int64_t GetBitCount(uint64_t value) {
  static_assert(countValue == 0 || countValue == 1, "GetBitCount counts zeros or ones");
  return countValue == 1 ? asc_popc(value) : asc_zero_bits_cnt(value);
}
SK_INLINE int64_t CountLeadingZero(uint64_t value) { return asc_clz(value); }
template <int countValue>
SK_INLINE int64_t GetSFFValue(uint64_t value) {
  static_assert(countValue == 0 || countValue == 1, "GetSFFValue finds a zero or a one");
  return countValue == 1 ? asc_ffs(value) : asc_ffz(value);
}
SK_INLINE int64_t CountBitsCntSameAsSignBit(int64_t value) { return asc_sflbits(value); }

namespace Internal {
/* float to half, to odd: truncated, and the last bit set if anything was lost. */
SK_INLINE half half_to_odd(float value) {
  half result;
  uint32_t bits = sk_numbers::float_bits(value), sign = bits >> 16 & 0x8000u, rest = bits & 0x7fffffffu;
  if (rest > 0x7f800000u) result.bits = 0x7e00u;
  else if (rest == 0x7f800000u) result.bits = static_cast<uint16_t>(sign | 0x7c00u);
  else if (rest >= 0x47800000u) result.bits = static_cast<uint16_t>(sign | 0x7bffu);
  else if (rest >= 0x38800000u)
    result.bits = static_cast<uint16_t>(sign | (rest - 0x38000000u) >> 13 | ((rest & 0x1fffu) != 0));
  else {
    uint32_t exponent = rest >> 23, shift = 126 - exponent, mantissa = (rest & 0x7fffffu) | (exponent != 0 ? 0x800000u : 0);
    uint32_t kept = shift >= 32 ? 0 : mantissa >> shift;
    result.bits = static_cast<uint16_t>(sign | kept | (shift >= 32 ? mantissa != 0 : (mantissa & ((1u << shift) - 1)) != 0));
  }
  return result;
}
template <RoundMode mode>
SK_INLINE int32_t float_to_int(float value) {
  float rounded = mode == RoundMode::CAST_ROUND   ? __builtin_roundf(value)
                  : mode == RoundMode::CAST_CEIL  ? __builtin_ceilf(value)
                  : mode == RoundMode::CAST_FLOOR ? __builtin_floorf(value)
                                                  : __builtin_rintf(value);
  if (rounded != rounded) return 0;
  if (rounded >= 0x1p31f) return INT32_MAX;
  return rounded <= -0x1p31f ? INT32_MIN : static_cast<int32_t>(rounded);
}
} // namespace Internal

template <typename T, typename U, RoundMode mode>
SK_INLINE U Cast(T value) {
  static_assert(std::is_same<T, float>::value, "Cast of a scalar takes a float");
  if constexpr (std::is_same<U, half>::value) {
    static_assert(mode == RoundMode::CAST_ODD, "Cast of a scalar to half rounds with CAST_ODD only");
    return Internal::half_to_odd(value);
  } else {
    static_assert(std::is_same<U, int32_t>::value, "Cast of a scalar gives half or int32_t");
    static_assert(mode == RoundMode::CAST_ROUND || mode == RoundMode::CAST_CEIL || mode == RoundMode::CAST_FLOOR ||
                      mode == RoundMode::CAST_RINT,
                  "Cast of a scalar to int32_t rounds with ROUND, CEIL, FLOOR or RINT");
    return Internal::float_to_int<mode>(value);
  }
}
SK_INLINE bfloat16_t Cast(const float &value) { return bfloat16_t(value); }
SK_INLINE float Cast(const bfloat16_t &value) { return static_cast<float>(value); }
SK_INLINE bfloat16_t ToBfloat16(const float &value) { return bfloat16_t(value); }
SK_INLINE float ToFloat(const bfloat16_t &value) { return static_cast<float>(value); }
template <typename T, typename U, RoundMode mode>
SK_INLINE U ScalarCast(T value) {
  return Cast<T, U, mode>(value);
}

/* ---- caches -------------------------------------------------------------------------------- */

template <typename T>
SK_INLINE T ReadGmByPassDCache(__gm__ T *address) {
  static_assert(std::is_integral<T>::value, "ReadGmByPassDCache reads integers");
  uint64_t bits = 0;
  sk_read_past_cache(&bits, address, sizeof(T));
  return static_cast<T>(bits);
}
template <typename T>
SK_INLINE void WriteGmByPassDCache(__gm__ T *address, T value) {
  static_assert(std::is_integral<T>::value, "WriteGmByPassDCache writes integers");
  sk_write_past_cache(address, static_cast<uint64_t>(value), sizeof(T));
}
template <typename T, CacheLine entire, DcciDst dst>
SK_INLINE void DataCacheCleanAndInvalid(const GlobalTensor<T> &tensor) {
  if constexpr (entire == CacheLine::SINGLE_CACHE_LINE) {
    if constexpr (dst == DcciDst::CACHELINE_ALL || dst == DcciDst::CACHELINE_OUT) asc_dcci_single(tensor.sk_address());
    else asc_ub_dcci_single(tensor.sk_address());
  } else if constexpr (dst == DcciDst::CACHELINE_ALL) asc_dcci_entire_all();
  else if constexpr (dst == DcciDst::CACHELINE_UB) asc_dcci_entire_ub();
  else if constexpr (dst == DcciDst::CACHELINE_OUT) asc_dcci_entire_out();
  else asc_dcci_entire_atomic();
}
template <typename T, CacheLine entire>
SK_INLINE void DataCacheCleanAndInvalid(const GlobalTensor<T> &tensor) {
  DataCacheCleanAndInvalid<T, entire, DcciDst::CACHELINE_ALL>(tensor);
}
template <typename T, CacheLine entire, DcciDst dst>
SK_INLINE void DataCacheCleanAndInvalid(const LocalTensor<T> &tensor) {
  if constexpr (entire == CacheLine::SINGLE_CACHE_LINE) asc_ub_dcci_single(tensor.sk_address());
  else asc_dcci_entire_ub();
}
template <typename T>
SK_INLINE void DataCachePreload(const GlobalTensor<uint64_t> &tensor, const T offset) {
  asc_datacache_preload(tensor.sk_address(), static_cast<int64_t>(offset));
}
SK_INLINE void ICachePreLoad(const int64_t length) { asc_icache_preload(nullptr, length); }
SK_INLINE int64_t GetICachePreloadStatus() { return asc_get_icache_preload_status(); }

/* ---- masks --------------------------------------------------------------------------------- */

template <typename T, MaskMode mode = MaskMode::NORMAL>
SK_INLINE void SetVectorMask(const uint64_t high, const uint64_t low) {
  if (ASCEND_IS_AIV) asc_set_vector_mask(high, low); /* a cube core's half of the same code does nothing */
}
template <typename T, MaskMode mode = MaskMode::NORMAL>
SK_INLINE void SetVectorMask(int32_t length) {
  uint64_t n = static_cast<uint64_t>(length);
  if constexpr (mode == MaskMode::COUNTER) SetVectorMask<T, mode>(0, n);
  else
    SetVectorMask<T, mode>(n >= 128 ? UINT64_MAX : n > 64 ? (uint64_t{1} << (n - 64)) - 1 : 0,
                           n >= 64 ? UINT64_MAX : (uint64_t{1} << n) - 1);
}
SK_INLINE void ResetMask() { SetVectorMask<uint8_t>(UINT64_MAX, UINT64_MAX); }
SK_INLINE void SetMaskCount() { asc_set_mask_count(); }
SK_INLINE void SetMaskNorm() { asc_set_mask_norm(); }

/* ---- modes --------------------------------------------------------------------------------- */

namespace Internal {
template <typename T>
constexpr uint32_t atomic_type() {
  if (std::is_same<T, float>::value) return 1;
  if (std::is_same<T, half>::value) return 2;
  if (std::is_same<T, int16_t>::value) return 3;
  if (std::is_same<T, int32_t>::value) return 4;
  if (std::is_same<T, int8_t>::value) return 5;
  return std::is_same<T, bfloat16_t>::value ? 6 : 0;
}
} // namespace Internal
#define SK_ATOMIC_SETTER(name, op)                                                                           \
  template <typename T>                                                                                      \
  SK_INLINE void name() {                                                                                    \
    constexpr uint32_t type = Internal::atomic_type<T>();                                                    \
    static_assert(type != 0, #name ": elements are float, half, bfloat16_t, int8_t, int16_t or int32_t");   \
    if constexpr (type == 1) asc_set_atomic_##op##_float();                                                  \
    else if constexpr (type == 2) asc_set_atomic_##op##_float16();                                           \
    else if constexpr (type == 3) asc_set_atomic_##op##_int16();                                             \
    else if constexpr (type == 4) asc_set_atomic_##op##_int();                                               \
    else if constexpr (type == 5) asc_set_atomic_##op##_int8();                                              \
    else asc_set_atomic_##op##_bfloat();                                                                     \
  }
SK_ATOMIC_SETTER(SetAtomicAdd, add)
SK_ATOMIC_SETTER(SetAtomicMax, max)
SK_ATOMIC_SETTER(SetAtomicMin, min)
#undef SK_ATOMIC_SETTER
template <typename T>
SK_INLINE void SetAtomicType() {
  constexpr uint32_t type = Internal::atomic_type<T>();
  static_assert(type != 0, "SetAtomicType: elements are float, half, bfloat16_t, int8_t, int16_t or int32_t");
  sk_set_atomic_type(type);
}
SK_INLINE void DisableDmaAtomic() { asc_set_atomic_none(); }
SK_INLINE void SetAtomicNone() { asc_set_atomic_none(); }
template <AtomicDtype type, AtomicOp op>
SK_INLINE void SetStoreAtomicConfig() {
  asc_set_store_atomic_config_v1(static_cast<uint16_t>(type), static_cast<uint16_t>(op));
}
SK_INLINE void GetStoreAtomicConfig(uint16_t &type, uint16_t &op) {
  asc_store_atomic_config config;
  asc_get_store_atomic_config(config);
  type = config.atomic_type;
  op = config.atomic_op;
}

template <int8_t first, int8_t last>
SK_INLINE void SetCtrlSpr(int64_t value) {
  sk_set_control_bits(first, last, static_cast<uint64_t>(value));
}
template <int8_t first, int8_t last>
SK_INLINE int64_t GetCtrlSpr() {
  return static_cast<int64_t>(sk_control_bits(first, last));
}
/* Bit by mode; float: 0 saturates, integer: 1 saturates, cast: 0 saturates. */
template <SaturationMode mode = SaturationMode::FLOAT>
SK_INLINE void SetSaturationFlag(bool saturate) {
  static_assert(mode != SaturationMode::FLOAT8, "SetSaturationFlag: there is no 8-bit float on this architecture");
  if constexpr (mode == SaturationMode::FLOAT) sk_set_control_bits(48, 48, !saturate);
  else if constexpr (mode == SaturationMode::INT) sk_set_control_bits(53, 53, saturate);
  else sk_set_control_bits(59, 59, !saturate);
}
template <SaturationMode mode = SaturationMode::FLOAT>
SK_INLINE bool GetSaturationFlag() {
  static_assert(mode != SaturationMode::FLOAT8, "GetSaturationFlag: there is no 8-bit float on this architecture");
  if constexpr (mode == SaturationMode::FLOAT) return sk_control_bits(48, 48) == 0;
  else if constexpr (mode == SaturationMode::INT) return sk_control_bits(53, 53) != 0;
  else return sk_control_bits(59, 59) == 0;
}

SK_INLINE void CheckLocalMemoryIA(const CheckLocalMemoryIAParam &params) {
  uint32_t kinds = params.isScalarRead | params.isScalarWrite << 1 | params.isVectorRead << 2 | params.isVectorWrite << 3 |
                   params.isMteRead << 4 | params.isMteWrite << 5;
  sk_watch_local(params.enableBit, params.startAddr, params.endAddr, kinds, params.isEnable);
}

struct AscendCUtils {
  static SK_INLINE constexpr int32_t GetBitSize(int32_t bytes) { return bytes * 8; }
  static SK_INLINE constexpr int32_t GetC0Size() { return DEFAULT_C0_SIZE; }
  /* Elements of a block of 32 bytes. */
  static SK_INLINE constexpr int32_t GetC0Count(const int32_t elem_bytes) { return GetC0Size() / elem_bytes; }
  static SK_INLINE constexpr int32_t GetDefaultBlockNum() { return DEFAULT_BLK_NUM; }
  static SK_INLINE int64_t GetRsvdCnt() {
    Internal::order_local_access();
    return asc_get_rsvd_count();
  }
  template <typename T, bool isSetMask = true>
  static SK_INLINE void SetMask(const uint64_t &high, const uint64_t &low) {
    if constexpr (isSetMask) SetVectorMask<T>(high, low);
  }
  template <typename T, bool isSetMask = true>
  static SK_INLINE void SetMask(int32_t elems) {
    if constexpr (isSetMask) SetVectorMask<T>(elems);
  }
  template <typename T>
  static SK_INLINE void SetMaskCount() { asc_set_mask_count(); }
  template <typename T>
  static SK_INLINE void SetMaskNorm() { asc_set_mask_norm(); }
  template <bool isSetMask = true>
  static SK_INLINE void ResetMask() {
    if constexpr (isSetMask) AscendC::ResetMask();
  }
  /* 1: overflow gives infinities, 0: it saturates. */
  static SK_INLINE void SetOverflow(uint64_t infinities) { sk_set_control_bits(48, 48, infinities == 1); }
};

/* ---- workspace ----------------------------------------------------------------------------- */

SK_INLINE void SetSysWorkSpace(GM_ADDR workspace) { sk_set_system_workspace(reinterpret_cast<uint64_t>(workspace)); }
SK_INLINE void SetSysWorkspace(GM_ADDR workspace) { sk_set_system_workspace(reinterpret_cast<uint64_t>(workspace)); }
SK_INLINE void SetSysWorkspaceForce(GM_ADDR workspace) { sk_set_system_workspace(reinterpret_cast<uint64_t>(workspace)); }
SK_INLINE __gm__ uint8_t *GetSysWorkSpacePtr() { return reinterpret_cast<__gm__ uint8_t *>(sk_system_workspace()); }
SK_INLINE GM_ADDR GetUserWorkspace(GM_ADDR workspace) { return workspace + RESERVED_WORKSPACE; }

SK_INLINE void Trap() { sk_kernel_trap(); }

} // namespace AscendC

/* Kernels name it with and without the namespace. */
using AscendC::GetSysWorkSpacePtr;

/* The compiler's scalar minimum and maximum. */
#define SK_EXTREMES(T)                                                \
  SK_INLINE constexpr T min(T a, T b) { return b < a ? b : a; }       \
  SK_INLINE constexpr T max(T a, T b) { return a < b ? b : a; }
SK_EXTREMES(int32_t) SK_EXTREMES(uint32_t) SK_EXTREMES(int64_t) SK_EXTREMES(uint64_t) SK_EXTREMES(float)
#undef SK_EXTREMES

#endif
