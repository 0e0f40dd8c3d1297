/* numbers.h - the chip's number formats and the conversions between them, one value at a time.
 *
 * These are the plain versions: SIMD loops elsewhere are compared with them bit for bit. Everything is
 * integer arithmetic on magnitudes, so the host's rounding mode, flush-to-zero setting and instruction
 * set do not matter.
 *
 *   binary16  h   s eeeee mmmmmmmmmm        bias 15, max 65504
 *   bfloat16  bf  s eeeeeeee mmmmmmm        bias 127
 *   binary32  f   s eeeeeeee m(23)          bias 127
 *   HF32          s eeeeeeee m(11) 0(12)    a binary32 whose low 12 mantissa bits are clear
 *   int4          two per byte, element 0 in the low nibble
 *
 * 16-bit floats travel as uint16_t bit patterns, int4 values as int8_t in -8..7.
 *
 * Rules common to all functions:
 * - Subnormals are kept. The sign of zero is kept except where a function says otherwise.
 * - NaN to a narrower or wider float: sign and leading payload bits stay, the quiet bit is set; these
 *   are the bits the x86 and Arm conversion instructions give. NaN to an integer: 0, in both modes.
 * - Overflow to a float is decided after rounding with an unbounded exponent range, in every rounding
 *   mode; the result is then infinity or, when saturating, the largest finite value.
 * - Which rounding modes an instruction accepts is the business of the instruction: here every mode is
 *   defined for every conversion. */
#ifndef SK_BASE_NUMBERS_H
#define SK_BASE_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Rounding modes: name, number in the kernel interface, what it does. */
#define SK__ROUND_LIST(X)                                          \
  X(NONE, 0, "exact, or to nearest with ties to even")             \
  X(RINT, 1, "to nearest, ties to even")                           \
  X(FLOOR, 2, "towards minus infinity")                            \
  X(CEIL, 3, "towards plus infinity")                              \
  X(ROUND, 4, "to nearest, ties away from zero")                   \
  X(TRUNC, 5, "towards zero")                                      \
  X(ODD, 6, "towards zero, then the last bit is set if inexact")
typedef enum sk__round {
#define X(name, value, text) SK__ROUND_##name = (value),
  SK__ROUND_LIST(X)
#undef X
  SK__ROUNDS = 7,
} sk__round;

/* "RINT"; NULL for a number that is no mode. */
const char *sk__round_name(sk__round mode);
const char *sk__round_text(sk__round mode);

/* What a half or bfloat16 result does at its limits. The values are those of CTRL[48]. */
typedef enum sk__float_mode {
  SK__FLOAT_SATURATE = 0, /* +-inf -> +-MAX, NaN -> +0 */
  SK__FLOAT_INF_NAN = 1,
} sk__float_mode;

/* What an integer result does out of range. The values are those of CTRL[59]. */
typedef enum sk__int_mode {
  SK__INT_CLAMP = 0,
  SK__INT_TRUNCATE = 1, /* low bits of the rounded value in two's complement; infinities still clamp */
} sk__int_mode;

#define SK__F16_INF 0x7c00u
#define SK__F16_MAX 0x7bffu
#define SK__F16_NAN 0x7e00u
#define SK__BF16_INF 0x7f80u
#define SK__BF16_MAX 0x7f7fu
#define SK__BF16_NAN 0x7fc0u

static inline uint32_t sk__bits_from_f32(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
static inline float sk__f32_from_bits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline bool sk__f16_is_nan(uint16_t h) { return (h & 0x7fffu) > SK__F16_INF; }
static inline bool sk__f16_is_inf(uint16_t h) { return (h & 0x7fffu) == SK__F16_INF; }
static inline bool sk__bf16_is_nan(uint16_t b) { return (b & 0x7fffu) > SK__BF16_INF; }
static inline bool sk__bf16_is_inf(uint16_t b) { return (b & 0x7fffu) == SK__BF16_INF; }

/* ---- the two roundings everything is made of ------------------------------------------------- */

/* magnitude / 2^shift as an integer, rounded; `negative` is the sign of the number it belongs to. */
static inline uint64_t sk__round_shift(uint64_t magnitude, uint32_t shift, bool negative, sk__round mode) {
  if (shift == 0) return magnitude;
  if (shift > 64) { /* below one half whatever it is: only "is it zero" is left */
    magnitude = magnitude != 0;
    shift = 2;
  }
  const uint64_t half = UINT64_C(1) << 63;
  uint64_t kept = shift == 64 ? 0 : magnitude >> shift;
  uint64_t rest = magnitude << (64 - shift);
  bool up = false;
  switch (mode) {
    case SK__ROUND_NONE:
    case SK__ROUND_RINT: up = rest > half || (rest == half && (kept & 1) != 0); break;
    case SK__ROUND_FLOOR: up = negative && rest != 0; break;
    case SK__ROUND_CEIL: up = !negative && rest != 0; break;
    case SK__ROUND_ROUND: up = rest >= half; break;
    case SK__ROUND_ODD: up = rest != 0 && (kept & 1) == 0; break;
    case SK__ROUND_TRUNC:
    case SK__ROUNDS: break;
  }
  return kept + up;
}

/* Exponent and mantissa fields of magnitude * 2^exponent in a format with `mantissa_bits` stored bits
 * whose smallest normal number is 2^min_exponent. An unbounded exponent field: the caller looks whether
 * the result reaches its infinity. A carry out of the mantissa walks into the exponent by itself. */
static inline uint64_t sk__float_fields(bool negative, uint64_t magnitude, int32_t exponent,
                                        int32_t mantissa_bits, int32_t min_exponent, sk__round mode) {
  if (magnitude == 0) return 0;
  int32_t top = 63 - __builtin_clzll(magnitude) + exponent;
  int32_t last = (top > min_exponent ? top : min_exponent) - mantissa_bits; /* weight of the last bit */
  int32_t shift = last - exponent;
  uint64_t kept = shift <= 0 ? magnitude << -shift
                             : sk__round_shift(magnitude, (uint32_t)shift, negative, mode);
  return ((uint64_t)(last - (min_exponent - mantissa_bits)) << mantissa_bits) + kept;
}

static inline uint16_t sk__f16_pack(bool negative, uint64_t magnitude, int32_t exponent, sk__round mode,
                                    sk__float_mode limits) {
  uint64_t fields = sk__float_fields(negative, magnitude, exponent, 10, -14, mode);
  if (fields >= SK__F16_INF) fields = limits == SK__FLOAT_SATURATE ? SK__F16_MAX : SK__F16_INF;
  return (uint16_t)(fields | (negative ? 0x8000u : 0u));
}
static inline uint16_t sk__bf16_pack(bool negative, uint64_t magnitude, int32_t exponent, sk__round mode,
                                     sk__float_mode limits) {
  uint64_t fields = sk__float_fields(negative, magnitude, exponent, 7, -126, mode);
  if (fields >= SK__BF16_INF) fields = limits == SK__FLOAT_SATURATE ? SK__BF16_MAX : SK__BF16_INF;
  return (uint16_t)(fields | (negative ? 0x8000u : 0u));
}
static inline float sk__f32_pack(bool negative, uint64_t magnitude, int32_t exponent, sk__round mode) {
  uint64_t fields = sk__float_fields(negative, magnitude, exponent, 23, -126, mode);
  if (fields > 0x7f800000u) fields = 0x7f800000u;
  return sk__f32_from_bits((uint32_t)fields | (negative ? 0x80000000u : 0u));
}

/* A finite binary32 taken apart: value = magnitude * 2^exponent. */
typedef struct sk__parts {
  bool negative;
  uint32_t magnitude; /* below 2^24 */
  int32_t exponent;
} sk__parts;
static inline sk__parts sk__f32_parts(float value) {
  uint32_t bits = sk__bits_from_f32(value);
  uint32_t field = (bits >> 23) & 0xffu;
  sk__parts parts = {(bits >> 31) != 0, bits & 0x7fffffu, field == 0 ? -149 : (int32_t)field - 150};
  if (field != 0) parts.magnitude |= 0x800000u;
  return parts;
}

/* ---- float to float -------------------------------------------------------------------------- */

static inline float sk__f32_from_f16(uint16_t h) {
  uint32_t sign = (uint32_t)(h & 0x8000u) << 16, rest = h & 0x7fffu;
  if (rest > SK__F16_INF) return sk__f32_from_bits(sign | 0x7fc00000u | (rest & 0x3ffu) << 13);
  if (rest == SK__F16_INF) return sk__f32_from_bits(sign | 0x7f800000u);
  if (rest >= 0x400u) return sk__f32_from_bits(sign | ((rest << 13) + ((127u - 15u) << 23)));
  return sk__f32_pack(sign != 0, rest, -24, SK__ROUND_NONE);
}
/* A plain widening of the bits: a signalling NaN stays as it is. */
static inline float sk__f32_from_bf16(uint16_t b) { return sk__f32_from_bits((uint32_t)b << 16); }

static inline uint16_t sk__f16_from_f32(float value, sk__round mode, sk__float_mode limits) {
  uint32_t bits = sk__bits_from_f32(value), rest = bits & 0x7fffffffu;
  uint16_t sign = (uint16_t)((bits >> 16) & 0x8000u);
  if (rest > 0x7f800000u)
    return limits == SK__FLOAT_SATURATE ? 0 : (uint16_t)(sign | SK__F16_NAN | ((rest >> 13) & 0x3ffu));
  if (rest == 0x7f800000u)
    return (uint16_t)(sign | (limits == SK__FLOAT_SATURATE ? SK__F16_MAX : SK__F16_INF));
  sk__parts parts = sk__f32_parts(value);
  return sk__f16_pack(parts.negative, parts.magnitude, parts.exponent, mode, limits);
}
static inline uint16_t sk__bf16_from_f32(float value, sk__round mode, sk__float_mode limits) {
  uint32_t bits = sk__bits_from_f32(value), rest = bits & 0x7fffffffu;
  uint16_t sign = (uint16_t)((bits >> 16) & 0x8000u);
  if (rest > 0x7f800000u)
    return limits == SK__FLOAT_SATURATE ? 0 : (uint16_t)(sign | SK__BF16_NAN | ((rest >> 16) & 0x7fu));
  if (rest == 0x7f800000u)
    return (uint16_t)(sign | (limits == SK__FLOAT_SATURATE ? SK__BF16_MAX : SK__BF16_INF));
  sk__parts parts = sk__f32_parts(value);
  return sk__bf16_pack(parts.negative, parts.magnitude, parts.exponent, mode, limits);
}
/* The limits of CTRL[48] applied to a value that is a half or bfloat16 already. */
static inline uint16_t sk__f16_limit(uint16_t h, sk__float_mode limits) {
  if (limits == SK__FLOAT_INF_NAN || (h & 0x7fffu) < SK__F16_INF) return h;
  return sk__f16_is_nan(h) ? 0 : (uint16_t)((h & 0x8000u) | SK__F16_MAX);
}
static inline uint16_t sk__bf16_limit(uint16_t b, sk__float_mode limits) {
  if (limits == SK__FLOAT_INF_NAN || (b & 0x7fffu) < SK__BF16_INF) return b;
  return sk__bf16_is_nan(b) ? 0 : (uint16_t)((b & 0x8000u) | SK__BF16_MAX);
}

/* float to integral float. Every zero result is +0, also that of -0 and of -0.25. */
static inline float sk__f32_integral(float value, sk__round mode) {
  uint32_t bits = sk__bits_from_f32(value), rest = bits & 0x7fffffffu;
  if (rest > 0x7f800000u) return sk__f32_from_bits(bits | 0x400000u);
  sk__parts parts = sk__f32_parts(value);
  if (parts.exponent >= 0) return value; /* integral already, or infinite */
  uint64_t whole = sk__round_shift(parts.magnitude, (uint32_t)-parts.exponent, parts.negative, mode);
  return sk__f32_pack(whole != 0 && parts.negative, whole, 0, SK__ROUND_NONE);
}

/* HF32: 11 mantissa bits, to nearest; CTRL[47] chooses where ties go. Rounds up to infinity past the
 * largest HF32 number. */
typedef enum sk__hf32_ties { SK__HF32_TIES_EVEN = 0, SK__HF32_TIES_ZERO = 1 } sk__hf32_ties;
static inline float sk__hf32_from_f32(float value, sk__hf32_ties ties) {
  uint32_t bits = sk__bits_from_f32(value), rest = bits & 0x7fffffffu;
  if (rest > 0x7f800000u) return sk__f32_from_bits((bits | 0x400000u) & ~0xfffu);
  uint32_t last = (bits >> 12) & 1u;
  bits += ties == SK__HF32_TIES_EVEN ? 0x7ffu + last : 0x7ffu;
  return sk__f32_from_bits(bits & ~0xfffu);
}
/* The scale of a quantising L0C move keeps 10 mantissa bits: the low 13 bits count as zero. */
static inline float sk__quant_scale(float scale) {
  return sk__f32_from_bits(sk__bits_from_f32(scale) & ~0x1fffu);
}

/* ---- float to integer ------------------------------------------------------------------------ */

/* Rounds to an integer of `bits` bits (1..64), returned sign- or zero-extended to 64. */
static inline uint64_t sk__int_from_f32(float value, sk__round mode, sk__int_mode limits, uint32_t bits,
                                        bool is_signed) {
  uint32_t rest = sk__bits_from_f32(value) & 0x7fffffffu;
  if (rest > 0x7f800000u) return 0;
  sk__parts parts = sk__f32_parts(value);
  uint64_t magnitude;
  bool huge = false; /* past 64 bits: the low bits below are still right */
  if (parts.exponent < 0) {
    magnitude = sk__round_shift(parts.magnitude, (uint32_t)-parts.exponent, parts.negative, mode);
  } else {
    huge = parts.exponent > 40;
    magnitude = parts.exponent < 64 ? (uint64_t)parts.magnitude << parts.exponent : 0;
  }
  uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
  uint64_t most = is_signed ? mask >> 1 : mask;                  /* largest positive magnitude */
  uint64_t least = is_signed ? (mask >> 1) + 1 : 0;              /* largest negative magnitude */
  if (limits == SK__INT_CLAMP || rest == 0x7f800000u) {
    uint64_t bound = parts.negative ? least : most;
    if (huge || rest == 0x7f800000u || magnitude > bound) magnitude = bound;
  }
  uint64_t result = (parts.negative ? 0 - magnitude : magnitude) & mask;
  if (is_signed && result > most) result |= ~mask;
  return result;
}

/* Integer types: name, C type that carries a value, bits, signed. */
#define SK__INT_LIST(X)      \
  X(i4, int8_t, 4, true)     \
  X(i8, int8_t, 8, true)     \
  X(u8, uint8_t, 8, false)   \
  X(i16, int16_t, 16, true)  \
  X(u16, uint16_t, 16, false)\
  X(i32, int32_t, 32, true)  \
  X(u32, uint32_t, 32, false)\
  X(i64, int64_t, 64, true)

/* sk__i4_from_f32 ... sk__i64_from_f32, and the same from f16 and bf16 (which widen exactly). */
#define X(name, type, bits, is_signed)                                                                 \
  static inline type sk__##name##_from_f32(float value, sk__round mode, sk__int_mode limits) {         \
    return (type)sk__int_from_f32(value, mode, limits, bits, is_signed);                               \
  }                                                                                                    \
  static inline type sk__##name##_from_f16(uint16_t value, sk__round mode, sk__int_mode limits) {      \
    return sk__##name##_from_f32(sk__f32_from_f16(value), mode, limits);                               \
  }                                                                                                    \
  static inline type sk__##name##_from_bf16(uint16_t value, sk__round mode, sk__int_mode limits) {     \
    return sk__##name##_from_f32(sk__f32_from_bf16(value), mode, limits);                              \
  }
SK__INT_LIST(X)
#undef X

/* ---- integer to float ------------------------------------------------------------------------ */

static inline uint64_t sk__magnitude(int64_t value) {
  return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}
static inline float sk__f32_from_i64(int64_t value, sk__round mode) {
  return sk__f32_pack(value < 0, sk__magnitude(value), 0, mode);
}
static inline float sk__f32_from_i32(int32_t value, sk__round mode) { return sk__f32_from_i64(value, mode); }
static inline float sk__f32_from_i16(int16_t value) { return (float)value; }
/* 32767 becomes 32768 to nearest: a half has 11 significant bits. Never overflows. */
static inline uint16_t sk__f16_from_i16(int16_t value, sk__round mode) {
  return sk__f16_pack(value < 0, sk__magnitude(value), 0, mode, SK__FLOAT_INF_NAN);
}
static inline uint16_t sk__f16_from_i8(int8_t value) { return sk__f16_from_i16(value, SK__ROUND_NONE); }
static inline uint16_t sk__f16_from_u8(uint8_t value) { return sk__f16_from_i16(value, SK__ROUND_NONE); }
static inline uint16_t sk__f16_from_i4(int8_t value) { return sk__f16_from_i16(value, SK__ROUND_NONE); }

/* int32 times a half scale, the exact product rounded once to nearest even. */
static inline uint16_t sk__f16_from_i32_deq(int32_t value, uint16_t scale, sk__float_mode limits) {
  bool negative = (value < 0) != ((scale & 0x8000u) != 0);
  if (sk__f16_is_nan(scale)) return sk__f16_limit((uint16_t)(scale | 0x200u), limits);
  if (sk__f16_is_inf(scale)) {
    uint32_t special = value == 0 ? SK__F16_NAN : SK__F16_INF | (negative ? 0x8000u : 0u);
    return sk__f16_limit((uint16_t)special, limits);
  }
  uint32_t field = (scale >> 10) & 0x1fu;
  uint64_t significand = (scale & 0x3ffu) | (field != 0 ? 0x400u : 0u);
  int32_t exponent = field == 0 ? -24 : (int32_t)field - 25;
  return sk__f16_pack(negative, sk__magnitude(value) * significand, exponent, SK__ROUND_RINT, limits);
}

/* ---- integer to integer ---------------------------------------------------------------------- */

static inline int16_t sk__i16_from_i32(int32_t value, sk__int_mode limits) {
  if (limits == SK__INT_CLAMP) {
    if (value > INT16_MAX) return INT16_MAX;
    if (value < INT16_MIN) return INT16_MIN;
  }
  return (int16_t)value;
}
static inline int32_t sk__i32_from_i64(int64_t value, sk__int_mode limits) {
  if (limits == SK__INT_CLAMP) {
    if (value > INT32_MAX) return INT32_MAX;
    if (value < INT32_MIN) return INT32_MIN;
  }
  return (int32_t)value;
}
static inline int64_t sk__i64_from_i32(int32_t value) { return value; }

/* ---- int4 in memory -------------------------------------------------------------------------- */

/* Element `index` of packed int4 data, sign-extended. */
static inline int8_t sk__i4_load(const void *packed, size_t index) {
  uint8_t byte = ((const uint8_t *)packed)[index / 2];
  uint8_t nibble = (uint8_t)((index & 1) != 0 ? byte >> 4 : byte & 0xf);
  return (int8_t)((nibble ^ 8) - 8);
}
/* Replaces element `index`; its neighbour in the byte stays. */
static inline void sk__i4_store(void *packed, size_t index, int8_t value) {
  uint8_t *byte = (uint8_t *)packed + index / 2;
  uint32_t nibble = (uint32_t)value & 0xfu;
  *byte = (uint8_t)((index & 1) != 0 ? (*byte & 0x0fu) | nibble << 4 : (*byte & 0xf0u) | nibble);
}

#endif
