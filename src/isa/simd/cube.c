/* cube.c - the cube's inner loops at one instruction set level (compiled once per level).
 *
 * The order of additions is fixed: step after step, one fused multiply-add each. Everything that could
 * make two levels differ is settled here: sums that are NaN get one payload, and a level without fused
 * multiply-add computes it exactly. */
#include <math.h>
#include <string.h>

#include "base/numbers.h"
#include "isa/simd/cube_ops.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
#define LANES 16
#define ROWS 8
#define BLOCKS 2
#elif defined(__AVX2__)
#define LANES 8
#define ROWS 4
#define BLOCKS 1
#else
#define LANES 4
#define ROWS 2
#define BLOCKS 1
#endif

typedef float vf __attribute__((vector_size(LANES * 4)));
typedef int32_t vi __attribute__((vector_size(LANES * 4)));
typedef uint32_t vu __attribute__((vector_size(LANES * 4)));
typedef float vfu __attribute__((vector_size(LANES * 4), aligned(4), may_alias));
typedef int32_t viu __attribute__((vector_size(LANES * 4), aligned(4), may_alias));

/* ---- floats ---------------------------------------------------------------------------------- */

#if defined(__AVX512F__)
static inline vf fma_exact(vf a, vf b, vf c) { return (vf)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c); }
#elif defined(__FMA__)
static inline vf fma_exact(vf a, vf b, vf c) { return (vf)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c); }
#elif defined(__x86_64__)
/* Without the instruction: the product is exact in binary64; the sum is rounded to odd there, which
 * keeps the last rounding to binary32 honest. */
typedef double vd __attribute__((vector_size(16)));
typedef int64_t vl __attribute__((vector_size(16)));
static inline vd add_to_odd(vd p, vd c) {
  vd s = p + c;
  vd part = s - p;
  vd error = (p - (s - part)) + (c - part);
  vl inexact = (vl)((error > 0) | (error < 0)); /* a NaN error (infinite sum) is neither */
  vl away = (vl)((error > 0) == (s > 0));       /* all ones: the magnitude was rounded down */
  vl even = ((vl)s & 1) - 1;                    /* all ones if the last bit is 0 */
  vl step = (away & 1) - (~away & 1);
  return (vd)((vl)s + (step & inexact & even));
}
static inline vf fma_exact(vf a, vf b, vf c) {
  vd low = add_to_odd((vd)_mm_cvtps_pd((__m128)a) * (vd)_mm_cvtps_pd((__m128)b), (vd)_mm_cvtps_pd((__m128)c));
  __m128 ah = _mm_movehl_ps((__m128)a, (__m128)a), bh = _mm_movehl_ps((__m128)b, (__m128)b);
  __m128 ch = _mm_movehl_ps((__m128)c, (__m128)c);
  vd high = add_to_odd((vd)_mm_cvtps_pd(ah) * (vd)_mm_cvtps_pd(bh), (vd)_mm_cvtps_pd(ch));
  return (vf)_mm_movelh_ps(_mm_cvtpd_ps((__m128d)low), _mm_cvtpd_ps((__m128d)high));
}
#define EMULATED_FMA 1
#else
static inline vf fma_exact(vf a, vf b, vf c) {
  for (int i = 0; i < LANES; i++) c[i] = __builtin_fmaf(a[i], b[i], c[i]);
  return c;
}
#endif

/* One payload for every NaN; then, in saturating mode, no infinities and no NaN. */
static inline vf finish(vf v, const sk__cube_tile *t) {
  vi bits = (vi)v, nan = (vi)(v != v);
  bits = (bits & ~nan) | (nan & 0x7fc00000);
  if (__builtin_expect(t->saturate, 0)) {
    bits &= ~nan;
    vi infinite = (vi)((bits & 0x7fffffff) == 0x7f800000);
    bits -= infinite & 1; /* the largest finite value is one below in bits, for either sign */
  }
  return (vf)bits;
}

#define TILE_ATTR
#define TILE_VEC vf
#define TILE_LANES LANES
#define TILE_ROWS ROWS
#define TILE_BLOCKS BLOCKS
#define TILE_LOAD(p) (*(const vfu *)(const void *)(p))
#define TILE_STORE(p, v) (*(vfu *)(void *)(p) = (v))
#define TILE_START(v, add) (v)
#define TILE_FINISH(v, t) finish(v, t)

static inline vf set1(const void *p) {
  float x;
  memcpy(&x, p, sizeof x);
#if LANES == 16
  return (vf){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x};
#elif LANES == 8
  return (vf){x, x, x, x, x, x, x, x};
#else
  return (vf){x, x, x, x};
#endif
}
#define TILE_SET1(p) set1(p)

#define TILE(name) tile_f32_##name
#define TILE_DOT(a, b, sum) fma_exact(a, b, sum)
#include "isa/simd/cube_tile.h"
#undef TILE
#undef TILE_DOT
#ifdef EMULATED_FMA
#define TILE(name) tile_exact_##name
#define TILE_DOT(a, b, sum) ((a) * (b) + (sum))
#include "isa/simd/cube_tile.h"
#undef TILE
#undef TILE_DOT
#endif
#undef TILE_VEC
#undef TILE_LOAD
#undef TILE_STORE
#undef TILE_SET1
#undef TILE_START
#undef TILE_FINISH

static void mmad_f32(const sk__cube_tile *t) {
#ifdef EMULATED_FMA
  if (t->exact_products) {
    tile_exact_mmad(t);
    return;
  }
#endif
  tile_f32_mmad(t);
}

/* ---- integers -------------------------------------------------------------------------------- */

static inline vi set1_word(const uint32_t *p) {
  int32_t x = (int32_t)*p;
#if LANES == 16
  return (vi){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x};
#elif LANES == 8
  return (vi){x, x, x, x, x, x, x, x};
#else
  return (vi){x, x, x, x};
#endif
}
static inline vi add_wrapping(vi a, vi b) { return (vi)((vu)a + (vu)b); }
/* Two int16 products per word, added. */
static inline vi dot_pairs(vi a, vi b, vi sum) {
#if defined(__AVX512BW__)
  return add_wrapping(sum, (vi)_mm512_madd_epi16((__m512i)a, (__m512i)b));
#elif defined(__AVX2__)
  return add_wrapping(sum, (vi)_mm256_madd_epi16((__m256i)a, (__m256i)b));
#elif defined(__x86_64__)
  return add_wrapping(sum, (vi)_mm_madd_epi16((__m128i)a, (__m128i)b));
#else
  vi low = ((a << 16) >> 16) * ((b << 16) >> 16), high = (a >> 16) * (b >> 16);
  return add_wrapping(sum, add_wrapping(low, high));
#endif
}

#define TILE_VEC vi
#define TILE_LOAD(p) (*(const viu *)(const void *)(p))
#define TILE_STORE(p, v) (*(viu *)(void *)(p) = (v))
#define TILE_SET1(p) set1_word(p)
#define TILE_FINISH(v, t) (v)
#define TILE(name) tile_pairs_##name
#define TILE_START(v, add) (v)
#define TILE_DOT(a, b, sum) dot_pairs(a, b, sum)
#include "isa/simd/cube_tile.h"
#undef TILE
#undef TILE_START
#undef TILE_DOT

#if defined(__AVX512F__)
/* Four products per word where the host has the instruction. Its left side is unsigned: A is stored
 * plus 128, and column_add takes 128 times the column's sum away again. */
#define VNNI __attribute__((target("avx512vnni")))
#undef TILE_ATTR
#define TILE_ATTR VNNI
static inline VNNI vi dot_quads(vi a, vi b, vi sum) {
  return (vi)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)a, (__m512i)b);
}
#define TILE(name) tile_quads_##name
#define TILE_START(v, add) add_wrapping(v, TILE_LOAD(add))
#define TILE_DOT(a, b, sum) dot_quads(a, b, sum)
#include "isa/simd/cube_tile.h"
#undef TILE
#undef TILE_START
#undef TILE_DOT

static VNNI void column_sums(uint32_t *to, const sk__cube_tile *t) {
  uint32_t blocks = (t->n + SK__CUBE_LANES - 1) / SK__CUBE_LANES;
  for (uint32_t n = 0; n < blocks; n++) {
    const uint32_t *b = t->b + (size_t)n * t->b_steps * SK__CUBE_LANES;
    vi sum = {0};
    for (uint32_t k = 0; k < t->steps; k++)
      sum = dot_quads((vi)_mm512_set1_epi8(1), TILE_LOAD(b + (size_t)k * SK__CUBE_LANES), sum);
    TILE_STORE(to + n * SK__CUBE_LANES, sum * -128);
  }
}
#endif

static void widen_i8(int16_t *restrict to, const int8_t *restrict from, size_t n) {
  for (size_t i = 0; i < n; i++) to[i] = from[i];
}

static void widen_i4(int8_t *to, const uint8_t *restrict from, size_t n) {
  uint16_t *restrict pairs = (uint16_t *)(void *)to;
  for (size_t i = 0; i < n / 2; i++) pairs[i] = (uint16_t)((from[i] & 0x0fu) | (from[i] & 0xf0u) << 4);
  for (size_t i = 0; i < n; i++) to[i] = (int8_t)((to[i] ^ 8) - 8);
}
static void offset_i8(uint8_t *to, const int8_t *from, size_t n) {
  for (size_t i = 0; i < n; i++) to[i] = (uint8_t)((uint8_t)from[i] ^ 0x80u);
}
static uint32_t largest(const uint32_t *from, size_t n) {
  uint32_t most = 0;
  for (size_t i = 0; i < n; i++) {
    uint32_t sign = (uint32_t)((int32_t)from[i] >> 31), magnitude = (from[i] ^ sign) - sign;
    most = magnitude > most ? magnitude : most;
  }
  return most;
}
/* HF32: 11 bits of mantissa, to nearest; ties to even, or toward zero. */
static void round_hf32(uint32_t *restrict to, const uint32_t *restrict from, size_t n, bool ties_to_zero) {
  uint32_t even = ties_to_zero ? 0 : 1;
  for (size_t i = 0; i < n; i++) {
    uint32_t bits = from[i], rounded = (bits + 0x7ffu + (bits >> 12 & even)) & ~0xfffu;
    to[i] = (bits & 0x7f800000u) == 0x7f800000u ? bits : rounded;
  }
}

/* ---- layouts --------------------------------------------------------------------------------- */

#if defined(__AVX2__)
typedef int32_t v8 __attribute__((vector_size(32)));
typedef int32_t v8u __attribute__((vector_size(32), aligned(4), may_alias));
#define SHUFFLE __builtin_shufflevector
/* 8 rows of 8 words, transposed into rows of 16 words. */
static inline void transpose_8x8(uint32_t *to, const uint32_t *from, uint32_t row_words) {
  v8 r[8], t[8], u[8];
  for (int i = 0; i < 8; i++) r[i] = *(const v8u *)(const void *)(from + (size_t)i * row_words);
  for (int i = 0; i < 4; i++) {
    t[2 * i] = SHUFFLE(r[2 * i], r[2 * i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    t[2 * i + 1] = SHUFFLE(r[2 * i], r[2 * i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      u[4 * i + 2 * j] = SHUFFLE(t[4 * i + j], t[4 * i + 2 + j], 0, 1, 8, 9, 4, 5, 12, 13);
      u[4 * i + 2 * j + 1] = SHUFFLE(t[4 * i + j], t[4 * i + 2 + j], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  for (int i = 0; i < 4; i++) {
    *(v8u *)(void *)(to + i * SK__CUBE_LANES) = SHUFFLE(u[i], u[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    *(v8u *)(void *)(to + (i + 4) * SK__CUBE_LANES) = SHUFFLE(u[i], u[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}
static void transpose(uint32_t *to, const uint32_t *from, uint32_t row_words) {
  for (uint32_t w = 0; w < row_words; w += 8)
    for (uint32_t half = 0; half < 2; half++)
      transpose_8x8(to + w * SK__CUBE_LANES + half * 8, from + w + (size_t)half * 8 * row_words, row_words);
}
#else
static void transpose(uint32_t *restrict to, const uint32_t *restrict from, uint32_t row_words) {
  for (uint32_t w = 0; w < row_words; w++)
    for (uint32_t r = 0; r < 16; r++) to[w * SK__CUBE_LANES + r] = from[(size_t)r * row_words + w];
}
#endif

#if defined(__AVX512BW__)
/* 16 x 16 of 16-bit elements, row r beside row r + 8: pairs of rows, of twos, of fours, then the halves change places. */
static void transpose_b16(uint16_t *to, const uint16_t *from) {
  const __m512i halves = _mm512_setr_epi64(0, 1, 4, 5, 2, 3, 6, 7);
  __m512i r[8], t[8], u[8];
  for (int i = 0; i < 8; i++)
    r[i] = _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)(const void *)(from + 16 * i))),
                              _mm256_loadu_si256((const __m256i *)(const void *)(from + 16 * (i + 8))), 1);
  for (int i = 0; i < 4; i++) {
    t[2 * i] = _mm512_unpacklo_epi16(r[2 * i], r[2 * i + 1]);
    t[2 * i + 1] = _mm512_unpackhi_epi16(r[2 * i], r[2 * i + 1]);
  }
  for (int j = 0; j < 2; j++)
    for (int i = 0; i < 2; i++) {
      u[4 * j + 2 * i] = _mm512_unpacklo_epi32(t[4 * j + i], t[4 * j + 2 + i]);
      u[4 * j + 2 * i + 1] = _mm512_unpackhi_epi32(t[4 * j + i], t[4 * j + 2 + i]);
    }
  for (int q = 0; q < 4; q++)
    for (int odd = 0; odd < 2; odd++) {
      __m512i pair = odd ? _mm512_unpackhi_epi64(u[q], u[4 + q]) : _mm512_unpacklo_epi64(u[q], u[4 + q]);
      int c = 2 * q + odd; /* columns c and c + 8 */
      pair = _mm512_permutexvar_epi64(halves, pair);
      _mm256_storeu_si256((__m256i *)(void *)(to + 16 * c), _mm512_castsi512_si256(pair));
      _mm256_storeu_si256((__m256i *)(void *)(to + 16 * (c + 8)), _mm512_extracti64x4_epi64(pair, 1));
    }
}
#elif defined(__AVX2__)
/* 16 x 16 of 16-bit elements: pairs of rows, of twos, of fours, and of halves. */
static void transpose_b16(uint16_t *to, const uint16_t *from) {
  __m256i r[16], t[16], u[16], v[16];
  for (int i = 0; i < 16; i++) r[i] = _mm256_loadu_si256((const __m256i *)(const void *)(from + 16 * i));
  for (int i = 0; i < 8; i++) {
    t[2 * i] = _mm256_unpacklo_epi16(r[2 * i], r[2 * i + 1]);
    t[2 * i + 1] = _mm256_unpackhi_epi16(r[2 * i], r[2 * i + 1]);
  }
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < 2; i++) {
      u[4 * j + 2 * i] = _mm256_unpacklo_epi32(t[4 * j + i], t[4 * j + 2 + i]);
      u[4 * j + 2 * i + 1] = _mm256_unpackhi_epi32(t[4 * j + i], t[4 * j + 2 + i]);
    }
  for (int j = 0; j < 2; j++)
    for (int q = 0; q < 4; q++) {
      v[8 * j + 2 * q] = _mm256_unpacklo_epi64(u[8 * j + q], u[8 * j + 4 + q]);
      v[8 * j + 2 * q + 1] = _mm256_unpackhi_epi64(u[8 * j + q], u[8 * j + 4 + q]);
    }
  for (int c = 0; c < 8; c++) {
    _mm256_storeu_si256((__m256i *)(void *)(to + 16 * c), _mm256_permute2x128_si256(v[c], v[8 + c], 0x20));
    _mm256_storeu_si256((__m256i *)(void *)(to + 16 * (c + 8)), _mm256_permute2x128_si256(v[c], v[8 + c], 0x31));
  }
}
#elif defined(__SSE4_1__)
/* 8 x 8 of 16-bit elements out of and into rows of 16. */
static inline void transpose_b16_8x8(uint16_t *to, const uint16_t *from) {
  __m128i r[8], t[8], u[8];
  for (int i = 0; i < 8; i++) r[i] = _mm_loadu_si128((const __m128i *)(const void *)(from + 16 * i));
  for (int i = 0; i < 4; i++) {
    t[2 * i] = _mm_unpacklo_epi16(r[2 * i], r[2 * i + 1]);
    t[2 * i + 1] = _mm_unpackhi_epi16(r[2 * i], r[2 * i + 1]);
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      u[4 * i + 2 * j] = _mm_unpacklo_epi32(t[4 * i + j], t[4 * i + 2 + j]);
      u[4 * i + 2 * j + 1] = _mm_unpackhi_epi32(t[4 * i + j], t[4 * i + 2 + j]);
    }
  for (int i = 0; i < 4; i++) {
    _mm_storeu_si128((__m128i *)(void *)(to + 32 * i), _mm_unpacklo_epi64(u[i], u[i + 4]));
    _mm_storeu_si128((__m128i *)(void *)(to + 32 * i + 16), _mm_unpackhi_epi64(u[i], u[i + 4]));
  }
}
static void transpose_b16(uint16_t *to, const uint16_t *from) {
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) transpose_b16_8x8(to + j * 128 + i * 8, from + i * 128 + j * 8);
}
#else
static void transpose_b16(uint16_t *restrict to, const uint16_t *restrict from) {
  for (uint32_t r = 0; r < 16; r++)
    for (uint32_t c = 0; c < 16; c++) to[c * 16 + r] = from[r * 16 + c];
}
#endif

/* ---- 16-bit floats --------------------------------------------------------------------------- */

static void widen_f16(float *to, const uint16_t *from, size_t n) {
  size_t i = 0;
#if defined(__AVX512F__)
  for (; i + 16 <= n; i += 16)
    _mm512_storeu_ps(to + i, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)(from + i))));
#elif defined(__F16C__)
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(from + i))));
#endif
  for (; i < n; i++) to[i] = sk__f32_from_f16(from[i]);
}

static void widen_bf16(float *restrict to, const uint16_t *restrict from, size_t n) {
  uint32_t *words = (uint32_t *)(void *)to;
  for (size_t i = 0; i < n; i++) words[i] = (uint32_t)from[i] << 16;
}

static void narrow_f16(uint16_t *to, const float *from, size_t n) {
  size_t i = 0;
#if defined(__AVX512F__)
  for (; i + 16 <= n; i += 16)
    _mm256_storeu_si256((__m256i *)(void *)(to + i),
                        _mm512_cvtps_ph(_mm512_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
#elif defined(__F16C__)
  for (; i + 8 <= n; i += 8)
    _mm_storeu_si128((__m128i *)(void *)(to + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
#endif
  for (; i < n; i++) to[i] = sk__f16_from_f32(from[i], SK__ROUND_RINT, SK__FLOAT_INF_NAN);
}

static void narrow_bf16(uint16_t *restrict to, const float *restrict from, size_t n) {
  const uint32_t *words = (const uint32_t *)(const void *)from;
  for (size_t i = 0; i < n; i++) {
    uint32_t bits = words[i];
    uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    uint32_t nan = (bits >> 16) | 0x40u;
    to[i] = (uint16_t)((bits & 0x7fffffffu) > 0x7f800000u ? nan : rounded);
  }
}

#define COMMON_OPS                                                                     \
  .widen_f16 = widen_f16, .widen_bf16 = widen_bf16, .narrow_f16 = narrow_f16,          \
  .narrow_bf16 = narrow_bf16, .transpose = transpose, .transpose_b16 = transpose_b16,  \
  .mmad_f32 = mmad_f32, .widen_i8 = widen_i8, .widen_i4 = widen_i4,                    \
  .offset_i8 = offset_i8, .largest = largest, .round_hf32 = round_hf32

const sk__simd_cube_table SK__SIMD(cube) = {COMMON_OPS, .mmad_i32 = tile_pairs_mmad, .int_pack = 2};
#if defined(__AVX512F__)
extern const sk__simd_cube_table sk__cube_avx512_quads;
const sk__simd_cube_table sk__cube_avx512_quads = {
    COMMON_OPS, .mmad_i32 = tile_quads_mmad, .int_pack = 4, .column_sums = column_sums};
#endif
