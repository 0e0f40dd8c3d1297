/* types.h - enumerations and constants of namespace AscendC, and the traits the other headers use. */
#ifndef SK_KERNEL_OPERATOR_TYPES_H
#define SK_KERNEL_OPERATOR_TYPES_H

#include "library.h"
#include "std.h"

/* Which pipes a function works on: for the chip's compiler. */
#define __in_pipe__(...)
#define __out_pipe__(...)
#define __inout_pipe__(...)

/* Forwarders leave no frame of their own: findings name the user's line. */
#define SK_INLINE inline __attribute__((always_inline, artificial))

/* The compiler's variables of the same meaning; a local name hides them. */
struct sk_block_idx_variable {
  SK_INLINE operator int64_t() const { return asc_get_block_idx(); }
};
struct sk_block_num_variable {
  SK_INLINE operator int64_t() const { return asc_get_block_num(); }
};
static constexpr sk_block_idx_variable block_idx{};
static constexpr sk_block_num_variable block_num{};

namespace AscendC {

using ::bfloat16_t;
using ::half;
using ::int4b_t;

/* ---- memories and events ------------------------------------------------------------------- */

enum class TPosition : uint8_t {
  GM, A1, A2, B1, B2, C1, C2, CO1, CO2, VECIN, VECOUT, VECCALC, LCM = VECCALC, SPM, SHM = SPM, TSCM, C2PIPE2GM,
  C2PIPE2LOCAL, MAX
};
using QuePosition = TPosition;
enum class Hardware : uint8_t { GM, UB, L1, L0A, L0B, L0C, BIAS, FIXBUF, MAX };
enum class HardEvent : uint8_t {
#define X(src, dst) src##_##dst,
  SK_HARD_EVENT_LIST(X)
#undef X
  MAX
};
using TEventID = int8_t;
enum class TBufState : uint8_t { FREE, OCCUPIED, ENQUE, DEQUE };
enum class MemDsbT : uint8_t { ALL, DDR, UB, SEQ };
enum class CacheLine : uint64_t { SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE = 1 };
enum class DcciDst : uint64_t { CACHELINE_ALL = 0, CACHELINE_UB = 1, CACHELINE_OUT = 2, CACHELINE_ATOMIC = 3 };
enum class CacheMode : uint8_t {
  CACHE_MODE_DISABLE = 0, CACHE_MODE_NORMAL = 1, CACHE_MODE_LAST = 2, CACHE_MODE_PERSISTENT = 4,
  DISABLE = 0, NORMAL = 1, LAST = 2, PERSISTENT = 4
};
enum class CacheRwMode : uint8_t { READ = 1, WRITE = 2, RW = 3 };

/* ---- modes --------------------------------------------------------------------------------- */

enum class RoundMode : uint8_t { CAST_NONE, CAST_RINT, CAST_FLOOR, CAST_CEIL, CAST_ROUND, CAST_TRUNC, CAST_ODD, CAST_HYBRID };
enum class CMPMODE : uint8_t { LT, GT, EQ, LE, GE, NE };
enum class SELMODE : uint8_t { VSEL_CMPMASK_SPR, VSEL_TENSOR_SCALAR_MODE, VSEL_TENSOR_TENSOR_MODE };
enum class ReduceType : uint8_t { SUM, MAX, MIN };
enum class ReduceOrder : uint8_t { ORDER_VALUE_INDEX, ORDER_INDEX_VALUE, ORDER_ONLY_VALUE, ORDER_ONLY_INDEX };
enum class DeqScale : uint8_t { DEQ_NONE, DEQ, VDEQ, DEQ8, VDEQ8, DEQ16, VDEQ16 };
enum class BlockMode : uint8_t {
  BLOCK_MODE_NORMAL, BLOCK_MODE_MATRIX, BLOCK_MODE_VECTOR, BLOCK_MODE_SMALL_CHANNEL, BLOCK_MODE_DEPTHWISE
};
enum class DataFormat : uint8_t { ND, NZ, NCHW, NC1HWC0, NHWC, NCDHW, NDC1HWC0, FRACTAL_Z_3D };
enum class MaskMode : uint8_t { NORMAL, COUNTER };
enum class SaturationMode : uint8_t { FLOAT, FLOAT8, INT, CAST };
enum class AtomicDtype : uint8_t {
  ATOMIC_NONE, ATOMIC_F32, ATOMIC_F16, ATOMIC_S16, ATOMIC_S32, ATOMIC_S8, ATOMIC_BF16
};
enum class AtomicOp : uint8_t { ATOMIC_SUM };
enum class EngineType : uint8_t { AIC = 1, AIV = 2 };
/* Core types as template arguments; g_coreType is that of the half being compiled. */
constexpr int32_t AIC = 1, AIV = 2;
enum class CO2Layout : uint8_t { NZ, ROW_MAJOR, COLUMN_MAJOR };
enum class HF32Mode : uint8_t { DISABLE, ENABLE };
enum class HF32TransMode : uint8_t { NEAREST_EVEN, NEAREST_ZERO };
enum class FmatrixMode : uint8_t { FMATRIX_LEFT, FMATRIX_RIGHT };
enum class TransposeType : uint8_t {
  TRANSPOSE_TYPE_NONE, TRANSPOSE_NZ2ND_0213, TRANSPOSE_NZ2NZ_0213, TRANSPOSE_NZ2NZ_012_WITH_N, TRANSPOSE_NZ2ND_012_WITH_N,
  TRANSPOSE_NZ2ND_012_WITHOUT_N, TRANSPOSE_NZ2NZ_012_WITHOUT_N, TRANSPOSE_ND2ND_ONLY, TRANSPOSE_ND_UB_GM,
  TRANSPOSE_GRAD_ND_UB_GM, TRANSPOSE_ND2ND_B16, TRANSPOSE_NCHW2NHWC, TRANSPOSE_NHWC2NCHW
};
enum class KernelMode : uint8_t { MIX_MODE, AIC_MODE, AIV_MODE };

/* ---- constants ----------------------------------------------------------------------------- */

constexpr uint64_t MASK_PLACEHOLDER = 0;
constexpr uint64_t MASK_PLACEHOLDER_LIST[2] = {0, 0};
constexpr uint32_t ONE_BLK_SIZE = 32;
constexpr uint32_t DEFAULT_C0_SIZE = 32;
constexpr uint32_t ONE_REPEAT_BYTE_SIZE = 256;
constexpr int32_t DEFAULT_BLK_NUM = 8;
constexpr int32_t DEFAULT_BLK_STRIDE = 1;
constexpr uint8_t DEFAULT_REPEAT_STRIDE = 8;
constexpr uint8_t DEFAULT_DATA_COPY_NBURST = 1, DEFAULT_DATA_COPY_STRIDE = 0;
constexpr int32_t BLOCK_CUBE = 16; /* rows and columns of a fractal */
constexpr uint32_t BRCB_BROADCAST_NUMBER = 8;
constexpr uint8_t PAD_SIZE = 4; /* sides of an image that LoadData pads */
constexpr uint8_t B16_BYTE_SIZE = 2, B32_BYTE_SIZE = 4, B16_DATA_NUM_PER_BLOCK = 16, B32_DATA_NUM_PER_BLOCK = 8;
constexpr int32_t B16_DATA_NUM_PER_REPEAT = 128, B32_DATA_NUM_PER_REPEAT = 64;
constexpr uint32_t ONE_BLK_HALF_NUM = 16, ONE_BLK_FLOAT_NUM = 8, HALF_REPEAT_SIZE = 128, FLOAT_REPEAT_SIZE = 64;
constexpr uint64_t RESERVED_WORKSPACE = 16 * 1024 * 1024;
constexpr uint32_t TOTAL_UB_SIZE = 192 * 1024;
constexpr uint32_t TOTAL_L1_SIZE = 512 * 1024;
constexpr uint32_t TOTAL_L0A_SIZE = 64 * 1024;
constexpr uint32_t TOTAL_L0B_SIZE = 64 * 1024;
constexpr uint32_t TOTAL_L0C_SIZE = 128 * 1024;
constexpr uint32_t TMP_UB_OFFSET = 184 * 1024;
constexpr uint32_t TOTAL_VEC_LOCAL_SIZE = 184 * 1024;
constexpr uint32_t TMP_UB_SIZE = 8 * 1024;
constexpr uint32_t CACHE_LINE_SIZE = 64;
constexpr uint32_t MAX_REPEAT_TIMES = 255;
constexpr int32_t K_MAX_DIM = 8;
constexpr int32_t NCHW_CONV_ADDR_LIST_SIZE = 16;
/* Flags that SyncAll and its like take for themselves; what kernels of several cores pass when they say it by hand. */
constexpr uint16_t SYNC_AIC_FLAG = 11, SYNC_AIV_FLAG = 12, SYNC_AIC_AIV_FLAG = 13, SYNC_AIV_ONLY_ALL = 14;

/* ---- traits -------------------------------------------------------------------------------- */

template <typename T, typename U>
struct IsSameType {
  static constexpr bool value = std::is_same<T, U>::value;
};
template <typename T, typename U>
inline constexpr bool IsSameTypeV = std::is_same<T, U>::value;
template <bool condition, typename T, typename F>
struct Conditional {
  using type = typename std::conditional<condition, T, F>::type;
};

/* Parts of size b that hold a. */
template <typename T>
SK_INLINE constexpr typename std::enable_if<std::is_integral<T>::value, T>::type Ceil(T a, T b) {
  return b == 0 ? a : (a + b - 1) / b;
}

/* Of two types, or of any, as 32 bits. */
SK_INLINE constexpr uint32_t Ceil(uint32_t a, uint32_t b) { return b == 0 ? a : (a + b - 1) / b; }
SK_INLINE constexpr uint32_t DivCeil(uint32_t a, uint32_t b) { return (a + b - 1) / b; }
SK_INLINE constexpr uint32_t AlignUp(uint32_t a, uint32_t b) { return DivCeil(a, b) * b; }

/* What a call says of element types that it does not take: its name, and those that it does. */
#define SK_TAKES(Name, T, ...) \
  static_assert(Internal::is_one_of<T, __VA_ARGS__>, Name ": element types are " #__VA_ARGS__)
#define SK_TAKES_FROM(Name, D, S, ...) \
  static_assert(Internal::is_one_of<D(S), __VA_ARGS__>, Name ": element types, as destination(source), are " #__VA_ARGS__)

namespace Internal {
template <typename T>
inline constexpr bool always_false = false;
template <typename T, typename... Types>
inline constexpr bool is_one_of = (std::is_same<T, Types>::value || ...);

/* A scalar's bits, as the library takes them. */
template <typename T>
SK_INLINE uint64_t raw(T value) {
  if constexpr (sizeof(T) == 1) return __builtin_bit_cast(uint8_t, value);
  else if constexpr (sizeof(T) == 2) return __builtin_bit_cast(uint16_t, value);
  else if constexpr (sizeof(T) == 4) return __builtin_bit_cast(uint32_t, value);
  else return __builtin_bit_cast(uint64_t, value);
}

template <typename T>
inline constexpr uint32_t bits_of = sizeof(T) * 8;
template <>
inline constexpr uint32_t bits_of<int4b_t> = 4;
template <typename T>
SK_INLINE constexpr uint64_t bytes_of_elems(uint64_t elems) {
  return elems * bits_of<T> / 8;
}
template <typename T>
SK_INLINE constexpr uint64_t elems_of_bytes(uint64_t bytes) {
  return bytes * 8 / bits_of<T>;
}

/* The memory a position lies in, numbered as in the library; 0 = device memory. */
constexpr uint32_t memory_of(TPosition position) {
  switch (position) {
    case TPosition::VECIN: case TPosition::VECOUT: case TPosition::VECCALC: return 1;
    case TPosition::A1: case TPosition::B1: case TPosition::C1: case TPosition::TSCM: return 2;
    case TPosition::A2: return 3;
    case TPosition::B2: return 4;
    case TPosition::CO1: return 5;
    case TPosition::C2: return 6;
    case TPosition::C2PIPE2GM: return 7;
    default: return 0;
  }
}
constexpr uint32_t memory_of(Hardware hardware) {
  switch (hardware) {
    case Hardware::UB: return 1;
    case Hardware::L1: return 2;
    case Hardware::L0A: return 3;
    case Hardware::L0B: return 4;
    case Hardware::L0C: return 5;
    case Hardware::BIAS: return 6;
    case Hardware::FIXBUF: return 7;
    default: return 0;
  }
}
constexpr TPosition position_of_memory(uint32_t memory) {
  switch (memory) {
    case 1: return TPosition::VECCALC;
    case 2: return TPosition::A1;
    case 3: return TPosition::A2;
    case 4: return TPosition::B2;
    case 5: return TPosition::CO1;
    case 6: return TPosition::C2;
    case 7: return TPosition::C2PIPE2GM;
    default: return TPosition::GM;
  }
}

constexpr pipe_t event_source(HardEvent event) {
  constexpr pipe_t pipes[] = {
#define X(src, dst) PIPE_##src,
      SK_HARD_EVENT_LIST(X)
#undef X
  };
  return pipes[static_cast<uint32_t>(event)];
}
constexpr pipe_t event_target(HardEvent event) {
  constexpr pipe_t pipes[] = {
#define X(src, dst) PIPE_##dst,
      SK_HARD_EVENT_LIST(X)
#undef X
  };
  return pipes[static_cast<uint32_t>(event)];
}
} // namespace Internal
/* Bits of an element, also of those that are smaller than a byte. */
template <typename T>
struct SizeOfBits { static constexpr size_t value = Internal::bits_of<T>; };

} // namespace AscendC

#endif
