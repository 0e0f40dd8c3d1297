/* vec.h - the float vector of the level a file is compiled for: VW lanes of 32 bits in GCC vector
 * extensions, with the few operations that need the instruction set by name.
 *
 * Rule: the same bits at every level. So fma is always one rounding (emulated where the CPU has none),
 * nothing is contracted behind our back (-ffp-contract=off), and a NaN made by arithmetic is always
 * 0x7fc00000, whatever the operands' payloads and the order the compiler gave them. */
#ifndef SK_ISA_SIMD_VEC_H
#define SK_ISA_SIMD_VEC_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#if defined(__AVX512F__)
#define VW 16
#elif defined(__AVX2__)
#define VW 8
#else
#define VW 4
#endif

typedef float vf __attribute__((vector_size(VW * 4)));
typedef int32_t vi __attribute__((vector_size(VW * 4)));
typedef uint32_t vu __attribute__((vector_size(VW * 4)));
typedef uint16_t vh __attribute__((vector_size(VW * 2)));
typedef int16_t vs __attribute__((vector_size(VW * 2)));
typedef int8_t vb __attribute__((vector_size(VW)));
typedef uint8_t vub __attribute__((vector_size(VW)));

#define V_INLINE static inline __attribute__((always_inline, unused))

V_INLINE vf v_set(float x) { return x - (vf){0}; } /* not {0} + x: that loses the sign of -0 */
V_INLINE vi v_seti(int32_t x) { return (vi){0} + x; }
V_INLINE vf v_if(vi mask, vf a, vf b) { return (vf)((mask & (vi)a) | (~mask & (vi)b)); }
V_INLINE vi v_ifi(vi mask, vi a, vi b) { return (mask & a) | (~mask & b); }
V_INLINE vf v_abs(vf x) { return (vf)((vi)x & 0x7fffffff); }
V_INLINE vf v_canon(vf x) {
#if VW == 16
  const __m512 nan = (__m512)v_seti(0x7fc00000);
  return (vf)_mm512_mask_mov_ps((__m512)x, _mm512_cmp_ps_mask((__m512)x, (__m512)x, _CMP_UNORD_Q), nan);
#else
  return v_if(x == x, x, (vf)v_seti(0x7fc00000));
#endif
}
/* Into [low, high]; NaN stays NaN. */
V_INLINE vf v_clamp(vf x, float low, float high) {
#if VW == 16
  return (vf)_mm512_min_ps((__m512)v_set(high), _mm512_max_ps((__m512)v_set(low), (__m512)x));
#elif VW == 8
  return (vf)_mm256_min_ps((__m256)v_set(high), _mm256_max_ps((__m256)v_set(low), (__m256)x));
#elif defined(__x86_64__)
  return (vf)_mm_min_ps((__m128)v_set(high), _mm_max_ps((__m128)v_set(low), (__m128)x));
#else
  return v_if(x > high, v_set(high), v_if(x < low, v_set(low), x));
#endif
}

/* ---- memory: m = VW lanes, or fewer at the end (the rest of the vector is 0) --------------------- */

#if VW == 16
#define V_PART(m) ((1u << (m)) - 1u)
#define V_LOAD_PART_4(p, m) _mm512_maskz_loadu_epi32((__mmask16)V_PART(m), p)
#define V_LOAD_PART_2(p, m) _mm256_maskz_loadu_epi16((__mmask16)V_PART(m), p)
#define V_LOAD_PART_1(p, m) _mm_maskz_loadu_epi8((__mmask16)V_PART(m), p)
#define V_STORE_PART_4(p, m, v) _mm512_mask_storeu_epi32(p, (__mmask16)V_PART(m), (__m512i)(v))
#define V_STORE_PART_2(p, m, v) _mm256_mask_storeu_epi16(p, (__mmask16)V_PART(m), (__m256i)(v))
#define V_STORE_PART_1(p, m, v) _mm_mask_storeu_epi8(p, (__mmask16)V_PART(m), (__m128i)(v))
#define V_LOAD_PART(p, m, type, size) v = (type)V_LOAD_PART_##size(p, m)
#define V_STORE_PART(p, m, v, size) V_STORE_PART_##size(p, m, v)
#else
/* By powers of two: the sizes are constants, so no call to memcpy is left. bytes < whole. */
V_INLINE void v_copy_part(uint8_t *to, const uint8_t *from, size_t bytes, size_t whole) {
  if (whole > 16 && (bytes & 16)) memcpy(to, from, 16), to += 16, from += 16;
  if (whole > 8 && (bytes & 8)) memcpy(to, from, 8), to += 8, from += 8;
  if (whole > 4 && (bytes & 4)) memcpy(to, from, 4), to += 4, from += 4;
  if (bytes & 2) memcpy(to, from, 2), to += 2, from += 2;
  if (bytes & 1) *to = *from;
}
#define V_LOAD_PART(p, m, type, size) v_copy_part((uint8_t *)&v, (const uint8_t *)(p), (m) * (size), VW * (size))
#define V_STORE_PART(p, m, v, size) v_copy_part((uint8_t *)(p), (const uint8_t *)&(v), (m) * (size), VW * (size))
#endif

#define V_LOAD(name, type, element, size)                        \
  V_INLINE type name(const void *from, size_t i, size_t m) {     \
    type v = {0};                                                \
    const element *p = (const element *)from + i;                \
    if (m == VW) memcpy(&v, p, sizeof v);                        \
    else V_LOAD_PART(p, m, type, size);                          \
    return v;                                                    \
  }
#define V_STORE(name, type, element, size)                       \
  V_INLINE void name(void *to, size_t i, size_t m, type v) {     \
    element *p = (element *)to + i;                              \
    if (m == VW) memcpy(p, &v, sizeof v);                        \
    else V_STORE_PART(p, m, v, size);                            \
  }
V_LOAD(v_load_f32, vf, float, 4)
V_STORE(v_store_f32, vf, float, 4)
V_LOAD(v_load_i32, vi, int32_t, 4)
V_STORE(v_store_i32, vi, int32_t, 4)
V_LOAD(v_load_h, vh, uint16_t, 2)
V_STORE(v_store_h, vh, uint16_t, 2)
V_LOAD(v_load_i16, vs, int16_t, 2)
V_STORE(v_store_i16, vs, int16_t, 2)
V_LOAD(v_load_i8, vb, int8_t, 1)
V_STORE(v_store_i8, vb, int8_t, 1)
V_LOAD(v_load_u8, vub, uint8_t, 1)
V_STORE(v_store_u8, vub, uint8_t, 1)

/* ---- widths: to and from 32 bits (narrowing keeps the low bits) ----------------------------------- */

/* gcc 12 takes __builtin_convertvector of bytes apart lane by lane, so these are spelled out. */
#if VW == 16
V_INLINE vi v_widen_i8(vb x) { return (vi)_mm512_cvtepi8_epi32((__m128i)x); }
V_INLINE vi v_widen_u8(vub x) { return (vi)_mm512_cvtepu8_epi32((__m128i)x); }
V_INLINE vi v_widen_i16(vs x) { return (vi)_mm512_cvtepi16_epi32((__m256i)x); }
V_INLINE vi v_widen_h(vh x) { return (vi)_mm512_cvtepu16_epi32((__m256i)x); }
V_INLINE vb v_narrow_i8(vi x) { return (vb)_mm512_cvtepi32_epi8((__m512i)x); }
V_INLINE vh v_narrow_h(vi x) { return (vh)_mm512_cvtepi32_epi16((__m512i)x); }
#elif VW == 8
V_INLINE vi v_widen_i8(vb x) { return (vi)_mm256_cvtepi8_epi32(_mm_cvtsi64_si128((int64_t)x)); }
V_INLINE vi v_widen_u8(vub x) { return (vi)_mm256_cvtepu8_epi32(_mm_cvtsi64_si128((int64_t)x)); }
V_INLINE vi v_widen_i16(vs x) { return (vi)_mm256_cvtepi16_epi32((__m128i)x); }
V_INLINE vi v_widen_h(vh x) { return (vi)_mm256_cvtepu16_epi32((__m128i)x); }
V_INLINE vb v_narrow_i8(vi x) {
  const __m256i pick = _mm256_set1_epi32(0x0c080400);
  __m256i lanes = _mm256_shuffle_epi8((__m256i)x, pick);
  __m128i both = _mm_unpacklo_epi32(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
  return (vb)_mm_cvtsi128_si64(both);
}
V_INLINE vh v_narrow_h(vi x) {
  __m256i low = (__m256i)(x & 0xffff);
  return (vh)_mm256_castsi256_si128(_mm256_permute4x64_epi64(_mm256_packus_epi32(low, low), 0x08));
}
#elif defined(__SSE4_1__)
V_INLINE vi v_widen_i8(vb x) { return (vi)_mm_cvtepi8_epi32(_mm_cvtsi32_si128((int32_t)x)); }
V_INLINE vi v_widen_u8(vub x) { return (vi)_mm_cvtepu8_epi32(_mm_cvtsi32_si128((int32_t)x)); }
V_INLINE vi v_widen_i16(vs x) { return (vi)_mm_cvtepi16_epi32(_mm_cvtsi64_si128((int64_t)x)); }
V_INLINE vi v_widen_h(vh x) { return (vi)_mm_cvtepu16_epi32(_mm_cvtsi64_si128((int64_t)x)); }
V_INLINE vb v_narrow_i8(vi x) {
  return (vb)_mm_cvtsi128_si32(_mm_shuffle_epi8((__m128i)x, _mm_set1_epi32(0x0c080400)));
}
V_INLINE vh v_narrow_h(vi x) {
  __m128i low = (__m128i)(x & 0xffff);
  return (vh)_mm_cvtsi128_si64(_mm_packus_epi32(low, low));
}
#else
V_INLINE vi v_widen_i8(vb x) { return __builtin_convertvector(x, vi); }
V_INLINE vi v_widen_u8(vub x) { return __builtin_convertvector(x, vi); }
V_INLINE vi v_widen_i16(vs x) { return __builtin_convertvector(x, vi); }
V_INLINE vi v_widen_h(vh x) { return __builtin_convertvector(x, vi); }
V_INLINE vb v_narrow_i8(vi x) { return __builtin_convertvector(x, vb); }
V_INLINE vh v_narrow_h(vi x) { return __builtin_convertvector(x, vh); }
#endif
V_INLINE vub v_narrow_u8(vi x) { return (vub)v_narrow_i8(x); }
V_INLINE vs v_narrow_i16(vi x) { return (vs)v_narrow_h(x); }

/* int4: element 0 in the low nibble; i is even, an odd m leaves half of the last byte to whoever packs. */
V_INLINE vi v_load_i4(const void *from, size_t i, size_t m) {
  const uint8_t *p = (const uint8_t *)from + i / 2;
  uint64_t packed = 0;
  if (m == VW) memcpy(&packed, p, VW / 2);
  else for (size_t j = 0; j < (m + 1) / 2; j++) packed |= (uint64_t)p[j] << 8 * j;
  uint8_t wide[16];
#if defined(__x86_64__)
  const __m128i low = _mm_set1_epi8(15);
  __m128i x = _mm_cvtsi64_si128((int64_t)packed);
  x = _mm_unpacklo_epi8(_mm_and_si128(x, low), _mm_and_si128(_mm_srli_epi16(x, 4), low));
  memcpy(wide, &x, 16);
#else
  for (size_t j = 0; j < 16; j++) wide[j] = packed >> 4 * j & 15;
#endif
  vb bytes;
  memcpy(&bytes, wide, VW);
  return (v_widen_i8(bytes) ^ 8) - 8;
}
V_INLINE void v_store_i4(void *to, size_t i, size_t m, vi x) {
  uint8_t *p = (uint8_t *)to + i / 2;
  vb bytes = v_narrow_i8(x & 15);
  uint64_t packed = 0;
#if defined(__x86_64__)
  __m128i wide = _mm_setzero_si128();
  memcpy(&wide, &bytes, VW);
  wide = _mm_maddubs_epi16(wide, _mm_set1_epi16(0x1001)); /* even element + 16 * odd element */
  packed = (uint64_t)_mm_cvtsi128_si64(_mm_packus_epi16(wide, wide));
#else
  for (size_t j = 0; j < VW; j++) packed |= (uint64_t)(uint8_t)bytes[j] << 4 * j;
#endif
  if (m == VW) memcpy(p, &packed, VW / 2);
  else for (size_t j = 0; j < (m + 1) / 2; j++) p[j] = (uint8_t)(packed >> 8 * j);
}

/* ---- half precision ---------------------------------------------------------------------------- */

V_INLINE vf v_from_half(vh h) {
#if VW == 16
  return (vf)_mm512_cvtph_ps((__m256i)h);
#elif VW == 8
  return (vf)_mm256_cvtph_ps((__m128i)h);
#else
  vu u = (vu)v_widen_h(h);
  vu sign = (u & 0x8000u) << 16, rest = u & 0x7fffu;
  vi special = (vi)(rest >= 0x7c00u), nan = (vi)(rest > 0x7c00u), small = (vi)(rest < 0x400u);
  vi normal = ((vi)((rest << 13) + 0x38000000u) + (special & 0x38000000)) | (nan & 0x400000);
  vf tiny = __builtin_convertvector((vi)rest, vf) * 0x1p-24f;
  return (vf)(v_ifi(small, (vi)tiny, normal) | (vi)sign);
#endif
}
/* To nearest, ties to even. */
V_INLINE vh v_to_half(vf x) {
#if VW == 16
  return (vh)_mm512_cvtps_ph((__m512)x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#elif VW == 8
  return (vh)_mm256_cvtps_ph((__m256)x, _MM_FROUND_TO_NEAREST_INT);
#else
  vu bits = (vu)x, sign = (bits >> 16) & 0x8000u;
  vi rest = (vi)(bits & 0x7fffffffu);
  vi nan = rest > 0x7f800000, huge = rest >= 0x477ff000, normal = rest >= 0x38800000;
  vi r_nan = 0x7e00 | ((rest >> 13) & 0x3ff);
  vi r_normal = (rest - 0x38000000 + 0xfff + ((rest >> 13) & 1)) >> 13;
  vi r_small = (vi)((vf)v_ifi(normal, v_seti(0), rest) + 0.5f) - 0x3f000000;
  vi r = v_ifi(nan, r_nan, v_ifi(huge, v_seti(0x7c00), v_ifi(normal, r_normal, r_small)));
  return v_narrow_h(r | (vi)sign);
#endif
}

/* ---- arithmetic the language has no operator for ------------------------------------------------ */

V_INLINE vf v_fma(vf a, vf b, vf c) {
#if VW == 16
  return (vf)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif VW == 8
  return (vf)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(__aarch64__)
  return (vf)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
  /* The product is exact in double. The sum is rounded to odd, so that the second rounding cannot err. */
  typedef double vd __attribute__((vector_size(VW * 8)));
  typedef int64_t vl __attribute__((vector_size(VW * 8)));
  vd p = __builtin_convertvector(a, vd) * __builtin_convertvector(b, vd), y = __builtin_convertvector(c, vd);
  vd s = p + y, t = s - p, lost = (p - (s - t)) + (y - t);
  vl inexact = (vl)(lost > 0.0) | (vl)(lost < 0.0);
  vl even = ((vl)s & 1) - 1;
  vl away = ~((vl)(lost > 0.0) ^ (vl)(s > 0.0)); /* the rest points away from zero: the magnitude grows */
  vl step = (away & 1) | (~away & -1);
  s = (vd)((vl)s + (inexact & even & step));
  return __builtin_convertvector(s, vf);
#endif
}
V_INLINE vf v_sqrt(vf x) {
#if VW == 16
  return (vf)_mm512_sqrt_ps((__m512)x);
#elif VW == 8
  return (vf)_mm256_sqrt_ps((__m256)x);
#elif defined(__x86_64__)
  return (vf)_mm_sqrt_ps((__m128)x);
#else
  for (int i = 0; i < VW; i++) x[i] = __builtin_sqrtf(x[i]);
  return x;
#endif
}

/* x * 2^n for an integral n in -300..300, rounded once also where the result is subnormal. */
V_INLINE vf v_scale(vf x, vf n) {
#if VW == 16
  return (vf)_mm512_scalef_ps((__m512)x, (__m512)n);
#else
  vi whole = __builtin_convertvector(n, vi), first = whole >> 1, second = whole - first;
  return x * (vf)((vu)(first + 127) << 23) * (vf)((vu)(second + 127) << 23);
#endif
}

/* Rounding to an integral value; mode numbers are those of the chip (RINT 1 .. TRUNC 5). */
#if VW == 16
#define V_ROUND_(x, imm) (vf) _mm512_roundscale_ps((__m512)(x), imm)
#elif VW == 8
#define V_ROUND_(x, imm) (vf) _mm256_round_ps((__m256)(x), imm)
#elif defined(__SSE4_1__)
#define V_ROUND_(x, imm) (vf) _mm_round_ps((__m128)(x), imm)
#endif
#ifdef V_ROUND_
V_INLINE vf v_rint(vf x) { return V_ROUND_(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
V_INLINE vf v_floor(vf x) { return V_ROUND_(x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC); }
V_INLINE vf v_ceil(vf x) { return V_ROUND_(x, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC); }
V_INLINE vf v_trunc(vf x) { return V_ROUND_(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC); }
#else
#define V_LANES(name, function)                                   \
  V_INLINE vf name(vf x) {                                        \
    for (int i = 0; i < VW; i++) x[i] = function(x[i]);           \
    return x;                                                     \
  }
V_LANES(v_rint, __builtin_rintf)
V_LANES(v_floor, __builtin_floorf)
V_LANES(v_ceil, __builtin_ceilf)
V_LANES(v_trunc, __builtin_truncf)
#endif
/* Ties away from zero: the largest number below one half, so that nothing below a tie is carried up. */
V_INLINE vf v_round_away(vf x) {
  vf half = (vf)(((vi)x & (int32_t)0x80000000) | 0x3effffff);
  return v_if(v_abs(x) < 0x1p23f, v_trunc(x + half), x);
}
#define V_MODE_RINT(x) v_rint(x)
#define V_MODE_FLOOR(x) v_floor(x)
#define V_MODE_CEIL(x) v_ceil(x)
#define V_MODE_ROUND(x) v_round_away(x)
#define V_MODE_TRUNC(x) v_trunc(x)

/* Integral floats to int32: clamped, NaN to 0. */
V_INLINE vi v_to_i32(vf x) {
  vi high = x >= 0x1p31f, low = x < -0x1p31f, nan = x != x;
  vf safe = v_if(high | low | nan, v_set(0), x);
  vi r = __builtin_convertvector(safe, vi);
  return (r & ~(high | low)) | (high & 0x7fffffff) | (low & (int32_t)0x80000000);
}

#endif
