/* asc_types.h - the words of the kernel dialect for gcc and clang: qualifiers, element types, constants.
 *
 * Qualifiers name address spaces and core types on the chip; here every memory lies in one address space
 * and skcc splits a source by core type, so most of them expand to nothing. */
#ifndef ASC_TYPES_H
#define ASC_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- qualifiers ---------------------------------------------------------------------------- */

#define __inline__ inline
#define __forceinline__ inline
#ifndef likely
#define likely(condition) (__builtin_expect(!!(condition), 1))
#endif
#ifndef unlikely
#define unlikely(condition) (__builtin_expect(!!(condition), 0))
#endif

/* skcc knows these words itself; macros would hide them from it. They are for other compilers. */
#ifndef __SKCC__
#define __global__ __attribute__((visibility("default"), used))
#define __aicore__
#define __host__
#define __vector__
#define __cube__
#define __mix__(aic, aiv)
#define __schedmode__(mode)
#define __sk__
#define __gm__
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __fbuf__
#define __biasbuf__
#endif

#ifndef __NPU_ARCH__ /* skcc says it before a source's first line */
#define __NPU_ARCH__ 2201
#endif

/* skcc compiles a source once per core type and says which half this is, as constants 0 and 1. Without
 * skcc the question is answered by the core that runs. */
#if defined(SK_HALF_AIC) && defined(SK_HALF_AIV)
#define ASCEND_IS_AIC (SK_HALF_AIC)
#define ASCEND_IS_AIV (SK_HALF_AIV)
#ifdef __cplusplus
constexpr int32_t g_coreType = SK_HALF_AIC ? 1 : 2;
#endif
#else
#ifdef __cplusplus
extern "C" {
#endif
__attribute__((visibility("default"))) int sk_core_is_aiv(void);
#ifdef __cplusplus
}
#endif
#define ASCEND_IS_AIC (!sk_core_is_aiv())
#define ASCEND_IS_AIV (sk_core_is_aiv())
#endif
#define ASCEND_IS_NOT_AIC (!(ASCEND_IS_AIC))
#define ASCEND_IS_NOT_AIV (!(ASCEND_IS_AIV))
#define ASC_IS_AIC ASCEND_IS_AIC
#define ASC_IS_AIV ASCEND_IS_AIV

/* ---- element types ------------------------------------------------------------------------- */

/* All three are plain storage: two bytes, two bytes, one byte that holds two nibbles. */
#ifdef __cplusplus

/* Value conversions are register arithmetic: nothing here touches the kernel's memory. */
namespace sk_numbers {
constexpr uint32_t float_bits(float value) { return __builtin_bit_cast(uint32_t, value); }
constexpr float bits_float(uint32_t bits) { return __builtin_bit_cast(float, bits); }
constexpr float half_to_float(uint16_t h) {
  uint32_t sign = (uint32_t)(h & 0x8000u) << 16, rest = h & 0x7fffu;
  if (rest >= 0x7c00u) return bits_float(sign | 0x7f800000u | (rest & 0x3ffu) << 13);
  if (rest >= 0x400u) return bits_float(sign | ((rest << 13) + 0x38000000u));
  float magnitude = (float)rest * 0x1p-24f;
  return sign ? -magnitude : magnitude;
}
constexpr uint16_t float_to_half(float value) {
  uint32_t bits = float_bits(value), sign = bits >> 16 & 0x8000u, rest = bits & 0x7fffffffu;
  if (rest > 0x7f800000u) return (uint16_t)0x7e00u;
  if (rest >= 0x477ff000u) return (uint16_t)(sign | 0x7c00u);
  if (rest >= 0x38800000u) return (uint16_t)(sign | ((rest - 0x38000000u + 0xfffu + (rest >> 13 & 1u)) >> 13));
  /* Subnormal: adding 0.5 lets the hardware round at the right place (to nearest, ties to even). */
  return (uint16_t)(sign | (float_bits(bits_float(rest) + 0.5f) - 0x3f000000u));
}
constexpr float bf16_to_float(uint16_t b) { return bits_float((uint32_t)b << 16); }
constexpr uint16_t float_to_bf16(float value) {
  uint32_t bits = float_bits(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return (uint16_t)0x7fc0u;
  return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
} // namespace sk_numbers

#define SK_NUMBER_CLASS(name, to_float, from_float)                                        \
  struct name {                                                                            \
    uint16_t bits;                                                                         \
    name() = default;                                                                      \
    constexpr name(float value) : bits(sk_numbers::from_float(value)) {}                   \
    constexpr operator float() const { return sk_numbers::to_float(bits); }                \
    name &operator+=(float x) { return *this = name(float(*this) + x); }                   \
    name &operator-=(float x) { return *this = name(float(*this) - x); }                   \
    name &operator*=(float x) { return *this = name(float(*this) * x); }                   \
    name &operator/=(float x) { return *this = name(float(*this) / x); }                   \
  }
SK_NUMBER_CLASS(half, half_to_float, float_to_half);
SK_NUMBER_CLASS(bfloat16_t, bf16_to_float, float_to_bf16);
#undef SK_NUMBER_CLASS

struct int4b_t {
  uint8_t bits;
};

typedef half sk_scalar_f16;
typedef bfloat16_t sk_scalar_bf16;

#else /* C */

#ifdef __FLT16_MAX__
typedef _Float16 half;
#else
typedef struct half { uint16_t bits; } half;
#endif
typedef struct bfloat16_t { uint16_t bits; } bfloat16_t;
typedef struct int4b_t { uint8_t bits; } int4b_t;

/* 16-bit floats cross the library's boundary as raw bits in the low half of a register. */
typedef uint32_t sk_scalar_f16;
typedef uint32_t sk_scalar_bf16;

#define SK_VALUE_INLINE static inline __attribute__((always_inline, unused, artificial))
SK_VALUE_INLINE uint32_t sk_float_bits(float value) {
  union { float f; uint32_t u; } both = {value};
  return both.u;
}
SK_VALUE_INLINE float sk_bits_float(uint32_t bits) {
  union { uint32_t u; float f; } both = {bits};
  return both.f;
}
SK_VALUE_INLINE uint32_t sk_half_raw(half value) {
  union { half h; uint16_t u; } both = {value};
  return both.u;
}
SK_VALUE_INLINE uint32_t sk_bf16_raw(bfloat16_t value) { return value.bits; }
/* From any number; by way of float, as the C++ classes do it. */
SK_VALUE_INLINE uint32_t sk_bf16_of(double value) {
  uint32_t bits = sk_float_bits((float)value);
  return (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc0u : (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
}
SK_VALUE_INLINE uint32_t sk_half_of(double value) {
#ifdef __FLT16_MAX__
  return sk_half_raw((half)(float)value);
#else
  uint32_t bits = sk_float_bits((float)value), sign = bits >> 16 & 0x8000u, rest = bits & 0x7fffffffu;
  if (rest > 0x7f800000u) return 0x7e00u;
  if (rest >= 0x477ff000u) return sign | 0x7c00u;
  if (rest >= 0x38800000u) return sign | (rest - 0x38000000u + 0xfffu + (rest >> 13 & 1u)) >> 13;
  return sign | (sk_float_bits(sk_bits_float(rest) + 0.5f) - 0x3f000000u);
#endif
}
/* The bits of a 16-bit float operand given as that type, as the other one, or as any number. */
SK_VALUE_INLINE uint32_t sk_half_of_bf16(bfloat16_t value) { return sk_half_of(sk_bits_float((uint32_t)value.bits << 16)); }
#ifdef __FLT16_MAX__
SK_VALUE_INLINE uint32_t sk_bf16_of_half(half value) { return sk_bf16_of((float)value); }
#else
SK_VALUE_INLINE uint32_t sk_bf16_of_half(half value) {
  uint32_t sign = (uint32_t)(value.bits & 0x8000u) << 16, rest = value.bits & 0x7fffu;
  if (rest >= 0x7c00u) return sk_bf16_of(sk_bits_float(sign | 0x7f800000u | (rest & 0x3ffu) << 13));
  if (rest >= 0x400u) return sk_bf16_of(sk_bits_float(sign | ((rest << 13) + 0x38000000u)));
  return sk_bf16_of((sign ? -0x1p-24f : 0x1p-24f) * (float)rest);
}
#endif
#define SK_HALF_BITS(value) \
  _Generic((value), half: sk_half_raw, bfloat16_t: sk_half_of_bf16, default: sk_half_of)(value)
#define SK_BF16_BITS(value) \
  _Generic((value), half: sk_bf16_of_half, bfloat16_t: sk_bf16_raw, default: sk_bf16_of)(value)
/* A scalar operand in the form the library takes, by the type of the pointer it goes with. */
#define SK_SCALAR(pointer, value)                                                                \
  _Generic((pointer), half *: SK_HALF_BITS(value), const half *: SK_HALF_BITS(value),            \
           bfloat16_t *: SK_BF16_BITS(value), const bfloat16_t *: SK_BF16_BITS(value), default: (value))

#endif

typedef float sk_scalar_f32;
typedef int16_t sk_scalar_i16;
typedef uint16_t sk_scalar_u16;
typedef int32_t sk_scalar_i32;
typedef uint32_t sk_scalar_u32;

#define GM_ADDR __gm__ uint8_t *

/* ---- constants ----------------------------------------------------------------------------- */

#define ASC_UB_SIZE (192 * 1024 - 256)
#define ASC_L1_SIZE (512 * 1024 - 256)

typedef enum pipe_t {
  PIPE_S = 0, PIPE_V = 1, PIPE_M = 2, PIPE_MTE1 = 3, PIPE_MTE2 = 4, PIPE_MTE3 = 5, PIPE_ALL = 6,
  PIPE_MTE4 = 7, PIPE_MTE5 = 8, PIPE_V2 = 9, PIPE_FIX = 10
} pipe_t;
typedef enum event_t {
  EVENT_ID0 = 0, EVENT_ID1 = 1, EVENT_ID2 = 2, EVENT_ID3 = 3, EVENT_ID4 = 4, EVENT_ID5 = 5, EVENT_ID6 = 6,
  EVENT_ID7 = 7
} event_t;
typedef enum mem_dsb_t { DSB_ALL = 0, DSB_DDR = 1, DSB_UB = 2, DSB_SEQ = 3 } mem_dsb_t;
typedef enum cache_line_t { SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE = 1 } cache_line_t;
typedef enum dcci_dst_t { CACHELINE_ALL = 0, CACHELINE_UB = 1, CACHELINE_OUT = 2, CACHELINE_ATOMIC = 3 } dcci_dst_t;
typedef enum pad_t {
  PAD_NONE = 0, PAD_MODE1 = 1, PAD_MODE2 = 2, PAD_MODE3 = 3, PAD_MODE4 = 4, PAD_MODE5 = 5, PAD_MODE6 = 6,
  PAD_MODE7 = 7, PAD_MODE8 = 8
} pad_t;
typedef enum Order_t { VALUE_INDEX = 0, INDEX_VALUE = 1, ONLY_VALUE = 2, ONLY_INDEX = 3 } Order_t;
typedef enum ub_addr8_t { VA0 = 0, VA1 = 1, VA2 = 2, VA3 = 3, VA4 = 4, VA5 = 5, VA6 = 6, VA7 = 7 } ub_addr8_t;
typedef enum QuantMode_t {
  NoQuant = 0, F322F16 = 1, AttachF16Mul = 6, VREQ8 = 8, REQ8 = 9, VDEQF16 = 10, DEQF16 = 11,
  VSHIFTS322S16 = 12, SHIFTS322S16 = 13, F322BF16 = 16, VQF162B8_PRE = 17, QF162B8_PRE = 18,
  VQF162S4_PRE = 19, QF162S4_PRE = 20, VREQ4 = 21, REQ4 = 22, VQF322B8_PRE = 23, QF322B8_PRE = 24,
  VQF322S4_PRE = 25, QF322S4_PRE = 26, VDEQS16 = 27, DEQS16 = 28
} QuantMode_t;

#endif
