/* vector_convert.c - inner loops of the conversion family, one per instruction and rounding mode. Modes
 * of CTRL that kernels rarely use (cast to integer by truncation) run the plain versions of numbers.h. */
#include "base/numbers.h"
#include "isa/simd/vector_loops.h"

#define TRUNCATING (__builtin_expect((p->flags & SK__V_CAST_TRUNCATE) != 0, 0))
#define LIMITS ((p->flags & SK__V_FLOAT_SATURATE) != 0 ? SK__FLOAT_SATURATE : SK__FLOAT_INF_NAN)
#define LD_bf16(p, i, m) (vf)((vu)v_widen_h(v_load_h(p, i, m)) << 16)

/* ---- to float and half ------------------------------------------------------------------------- */

/* The half next to x in the direction of the mode, from the nearest one. Past 65536 in magnitude every
 * mode gives infinity: overflow is decided with an unbounded exponent. */
V_INLINE vh half_directed(vf x, int mode) {
  vf at = v_from_half(v_to_half(x));
  vi h = v_widen_h(v_to_half(x));
  vi negative = (h & 0x8000) != 0, bounded = v_abs(x) < 65536.0f;
  vi too_high = at > x, too_low = at < x;
  vi too_far = v_abs(at) > v_abs(x);
  vi step = v_seti(0);
  if (mode == SK__ROUND_FLOOR) step = too_high & ((negative & 1) | (~negative & -1));
  if (mode == SK__ROUND_CEIL) step = too_low & ((negative & -1) | (~negative & 1));
  if (mode == SK__ROUND_TRUNC || mode == SK__ROUND_ODD) step = too_far & -1;
  if (mode == SK__ROUND_ROUND) { /* a tie that went to the even neighbour below goes up */
    vf up = v_from_half(v_narrow_h(h + 1));
    step = (v_abs(at) < v_abs(x)) & (v_abs(x) - v_abs(at) == v_abs(up) - v_abs(x)) & 1;
  }
  h += step & bounded;
  if (mode == SK__ROUND_ODD) {
    vi inexact = (v_from_half(v_narrow_h(h)) != x) & (x == x);
    h |= inexact & bounded & 1;
  }
  return v_narrow_h(h);
}
V_INLINE vh half_rounded(vf x, int mode, int saturate) {
  vh r = mode == SK__ROUND_RINT ? v_to_half(x) : half_directed(x, mode);
  if (saturate) {
    vi h = v_widen_h(r), rest = h & 0x7fff;
    vi limited = v_ifi(rest > 0x7c00, v_seti(0), v_ifi(rest == 0x7c00, (h & 0x8000) | 0x7bff, h));
    r = v_narrow_h(limited);
  }
  return r;
}

#define CONVERT_f16_f32(mode) LOOP(v_store_f32(dst, i, m, LD_f16(s0, i, m));)
#define CONVERT_bf16_f32(mode) LOOP(v_store_f32(dst, i, m, LD_bf16(s0, i, m));)
#define CONVERT_f32_f16(mode)                             \
  LOOP_f16(v_store_h(dst, i, m, half_rounded(v_load_f32(s0, i, m), mode, saturate));)

/* Carries out of the mantissa walk into the exponent and, at the end of the range, to infinity; infinity
 * itself has no low bits to carry. */
V_INLINE vh bf16_rounded(vf x, int mode, int saturate) {
  vu bits = (vu)x, negative = (vu)((vi)bits >> 31);
  vu add = mode == SK__ROUND_RINT    ? 0x7fffu + ((bits >> 16) & 1u)
           : mode == SK__ROUND_ROUND ? (vu){0} + 0x8000u
           : mode == SK__ROUND_FLOOR ? negative & 0xffffu
           : mode == SK__ROUND_CEIL  ? ~negative & 0xffffu
                                     : (vu){0};
  vi r = (vi)((bits + add) >> 16);
  vi nan = x != x;
  r = v_ifi(nan, (vi)(bits >> 16) | 0x40, r);
  if (saturate) r = v_ifi(nan, v_seti(0), v_ifi((r & 0x7fff) == 0x7f80, (r & 0x8000) | 0x7f7f, r));
  return v_narrow_h(r);
}
#define CONVERT_f32_bf16(mode) \
  LOOP_f16(v_store_h(dst, i, m, bf16_rounded(v_load_f32(s0, i, m), mode, saturate));)

/* Integral, every zero is +0, a NaN is quiet. */
#define CONVERT_f32_f32(mode) LOOP(v_store_f32(dst, i, m, V_MODE(mode, v_load_f32(s0, i, m)) + 0.0f);)
V_INLINE vf rounded(vf x, int mode) {
  return mode == SK__ROUND_RINT    ? v_rint(x)
         : mode == SK__ROUND_FLOOR ? v_floor(x)
         : mode == SK__ROUND_CEIL  ? v_ceil(x)
         : mode == SK__ROUND_ROUND ? v_round_away(x)
                                   : v_trunc(x);
}
#define V_MODE(mode, x) rounded(x, mode)

#define CONVERT_i16_f32(mode) \
  LOOP(v_store_f32(dst, i, m, __builtin_convertvector(v_widen_i16(v_load_i16(s0, i, m)), vf));)
#define CONVERT_i16_f16(mode)                                                                            \
  LOOP({                                                                                                 \
    vf x = __builtin_convertvector(v_widen_i16(v_load_i16(s0, i, m)), vf);                \
    v_store_h(dst, i, m, half_rounded(x, mode, 0));                                                        \
  })
#define CONVERT_i8_f16(mode) \
  LOOP(v_store_h(dst, i, m, v_to_half(__builtin_convertvector(v_widen_i8(v_load_i8(s0, i, m)), vf)));)
#define CONVERT_u8_f16(mode) \
  LOOP(v_store_h(dst, i, m, v_to_half(__builtin_convertvector(v_widen_u8(v_load_u8(s0, i, m)), vf)));)

/* An int32 is exact as a high part of 16 bits times 2^16 plus a low part: the float nearest is one fma
 * away in any case, but directed modes want the neighbours, so they go by the plain version. */
#define CONVERT_i32_f32(mode)                                                                             \
  if ((mode) == SK__ROUND_RINT)                                                                           \
    LOOP(v_store_f32(dst, i, m, __builtin_convertvector(v_load_i32(s0, i, m), vf)););                        \
  else                                                                                                    \
    for (size_t i = 0; i < n; i++) ((float *)dst)[i] = sk__f32_from_i32(((const int32_t *)s0)[i], mode)
#define CONVERT_i64_f32(mode)                                                                             \
  if ((mode) == SK__ROUND_RINT)                                                                           \
    for (size_t i = 0; i < n; i++) ((float *)dst)[i] = (float)((const int64_t *)s0)[i];                      \
  else                                                                                                    \
    for (size_t i = 0; i < n; i++) ((float *)dst)[i] = sk__f32_from_i64(((const int64_t *)s0)[i], mode)

/* ---- to integers -------------------------------------------------------------------------------- */

/* Clamping happens in float: the bounds of every type but i32 and i64 are floats. NaN becomes 0. */
V_INLINE vi clamped(vf x, int mode, float low, float high) {
  vf r = v_clamp(rounded(x, mode), low, high);
  return __builtin_convertvector(v_if(x == x, r, v_set(0)), vi);
}
#define TO_SMALL(LD, tag, low, high, mode) \
  LOOP(v_store_##tag(dst, i, m, v_narrow_##tag(clamped(LD(s0, i, m), mode, low, high)));)
#define BY_PLAIN(T, S, function, mode) \
  for (size_t i = 0; i < n; i++) ((T *)dst)[i] = function(((const S *)s0)[i], mode, SK__INT_TRUNCATE)

#define CONVERT_f16_i8(mode)                                              \
  if (TRUNCATING) BY_PLAIN(int8_t, uint16_t, sk__i8_from_f16, mode);      \
  else TO_SMALL(LD_f16, i8, -128.0f, 127.0f, mode)
#define CONVERT_f16_u8(mode)                                              \
  if (TRUNCATING) BY_PLAIN(uint8_t, uint16_t, sk__u8_from_f16, mode);     \
  else TO_SMALL(LD_f16, u8, 0.0f, 255.0f, mode)
#define CONVERT_f16_i16(mode)                                             \
  if (TRUNCATING) BY_PLAIN(int16_t, uint16_t, sk__i16_from_f16, mode);    \
  else TO_SMALL(LD_f16, i16, -32768.0f, 32767.0f, mode)
#define CONVERT_f32_i16(mode)                                             \
  if (TRUNCATING) BY_PLAIN(int16_t, float, sk__i16_from_f32, mode);       \
  else TO_SMALL(LD_f32, i16, -32768.0f, 32767.0f, mode)
#define TO_I32(LD, mode) LOOP(v_store_i32(dst, i, m, v_to_i32(rounded(LD(s0, i, m), mode)));)
#define CONVERT_f16_i32(mode)                                             \
  if (TRUNCATING) BY_PLAIN(int32_t, uint16_t, sk__i32_from_f16, mode);    \
  else TO_I32(LD_f16, mode)
#define CONVERT_bf16_i32(mode)                                            \
  if (TRUNCATING) BY_PLAIN(int32_t, uint16_t, sk__i32_from_bf16, mode);   \
  else TO_I32(LD_bf16, mode)
#define CONVERT_f32_i32(mode)                                             \
  if (TRUNCATING) BY_PLAIN(int32_t, float, sk__i32_from_f32, mode);       \
  else TO_I32(LD_f32, mode)

V_INLINE int64_t to_i64(float x) {
  if (!(x < 0x1p63f)) return x != x ? 0 : INT64_MAX;
  return x < -0x1p63f ? INT64_MIN : (int64_t)x;
}
#define CONVERT_f32_i64(mode)                                             \
  if (TRUNCATING) BY_PLAIN(int64_t, float, sk__i64_from_f32, mode);       \
  else                                                                    \
    LOOP({                                                                \
      vf x = rounded(v_load_f32(s0, i, m), mode);                          \
      for (size_t j = 0; j < m; j++) ((int64_t *)dst)[i + j] = to_i64(x[j]); \
    })

#define CONVERT_f16_i4(mode)                                                                              \
  if (TRUNCATING)                                                                                         \
    for (size_t i = 0; i < n; i++)                                                                        \
      sk__i4_store(dst, i, sk__i4_from_f16(((const uint16_t *)s0)[i], mode, SK__INT_TRUNCATE));           \
  else                                                                                                    \
    LOOP(v_store_i4(dst, i, m, clamped(LD_f16(s0, i, m), mode, -8.0f, 7.0f));)
#define CONVERT_i4_f16(mode) \
  LOOP(v_store_h(dst, i, m, v_to_half(__builtin_convertvector(v_load_i4(s0, i, m), vf)));)

/* ---- integer to integer -------------------------------------------------------------------------- */

#define CONVERT_i32_i16(mode)                                                                             \
  const int32_t *from = s0;                                                                                \
  int16_t *to = dst;                                                                                        \
  if (TRUNCATING) PLAIN_LOOP to[i] = (int16_t)from[i];                                                    \
  else PLAIN_LOOP to[i] = (int16_t)(from[i] < INT16_MIN ? INT16_MIN : from[i] > INT16_MAX ? INT16_MAX : from[i])
#define CONVERT_i64_i32(mode)                                                                             \
  const int64_t *from = s0;                                                                                \
  int32_t *to = dst;                                                                                        \
  if (TRUNCATING) PLAIN_LOOP to[i] = (int32_t)from[i];                                                    \
  else PLAIN_LOOP to[i] = (int32_t)(from[i] < INT32_MIN ? INT32_MIN : from[i] > INT32_MAX ? INT32_MAX : from[i])
#define CONVERT_i32_i64(mode)                                                                             \
  const int32_t *from = s0;                                                                                \
  int64_t *to = dst;                                                                                        \
  PLAIN_LOOP to[i] = from[i]

#define DEFINE(op, tag, D, S, from, to, rounding) \
  KERNEL(op, tag) {                               \
    (void)s1;                                      \
    (void)p;                                      \
    CONVERT_##from##_##to(SK__ROUND_##rounding);  \
  }
SK_VECTOR_CONVERT_LIST(DEFINE)

/* ---- narrowing arithmetic ----------------------------------------------------------------------- */

#define NARROW(op, tag, to, low, high, x)                                                 \
  KERNEL(op, tag) {                                                                       \
    (void)p;                                                                              \
    LOOP({                                                                                \
      vf x0 = LD_f16(s0, i, m);                                                            \
      vf x1 = LD_f16(s1, i, m);                                                            \
      vf r = x;                                                                           \
      v_store_##to(dst, i, m, v_narrow_##to(clamped(r, SK__ROUND_RINT, low, high)));        \
    });                                                                                   \
  }
NARROW(mul_cast_half2int8, i8f16, i8, -128.0f, 127.0f, x0 * x1)
NARROW(mul_cast_half2uint8, u8f16, u8, 0.0f, 255.0f, x0 * x1)
NARROW(add_relu, i8f16, i8, 0.0f, 127.0f, x0 + x1)
NARROW(sub_relu, i8f16, i8, 0.0f, 127.0f, x0 - x1)
