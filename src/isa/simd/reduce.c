/* reduce.c - inner loops of the reducing instructions: sums by a tree of neighbours, greatest element.
 *
 * A sum adds neighbours, then neighbouring sums, and so on; the order is part of the result. Halves live
 * in binary32 while the tree is climbed and every sum is rounded to half precision at once, so they are
 * the sums a half adder gives.
 *
 * The greatest element is found on signed keys that order like the numbers (-0 below +0, every NaN on
 * top); for the least element the keys are complemented. Callers put INT32_MIN where a mask hides an
 * element: no number has that key. */
#include "isa/simd/reduce_kernels.h"

#include <string.h>

/* Vectors wider than the level's registers are passed between functions here that are always inlined. */
#pragma GCC diagnostic ignored "-Wpsabi"

typedef float v8f __attribute__((vector_size(32)));
typedef int32_t v8i __attribute__((vector_size(32)));
typedef uint32_t v8u __attribute__((vector_size(32)));

/* For loops with comparisons the native width: wider vectors fall apart into scalars there. */
#if defined(__AVX2__)
#define LANES 8
typedef v8i lanes;
static const lanes lane_number = {0, 1, 2, 3, 4, 5, 6, 7};
#else
#define LANES 4
typedef int32_t lanes __attribute__((vector_size(16)));
static const lanes lane_number = {0, 1, 2, 3};
#endif

#define F32_NAN UINT32_C(0x7fc00000)
#define F32_INF UINT32_C(0x7f800000)
#define F32_OF_F16_MAX UINT32_C(0x477fe000) /* 65504 */
#define F32_PAST_F16 UINT32_C(0x47800000)   /* 65536: where rounded sums leave the halves */

/* ---- rounding -------------------------------------------------------------------------------- */

/* What is done to each sum. Both half modes round to nearest even; sums of halves that would be
 * subnormal halves are exact, so dropping 13 bits is right for them too. */
typedef enum rounding { KEEP_F32, TO_F16, TO_F16_SATURATING } rounding;

static inline __attribute__((always_inline)) uint32_t round_bits(uint32_t bits, rounding mode) {
  uint32_t sign = bits & UINT32_C(0x80000000), magnitude = bits ^ sign;
  if (mode == KEEP_F32) return magnitude > F32_INF ? F32_NAN : bits;
  uint32_t rounded = (magnitude + 0xfff + (magnitude >> 13 & 1)) & ~UINT32_C(0x1fff);
  uint32_t limit = mode == TO_F16 ? F32_INF : F32_OF_F16_MAX;
  rounded = sign | (rounded >= F32_PAST_F16 ? limit : rounded);
  return magnitude > F32_INF ? (mode == TO_F16 ? F32_NAN : 0) : rounded;
}
/* All ones where a > b, both below 2^31. */
static inline __attribute__((always_inline)) v8u above(v8u a, uint32_t b) { return (v8u)((v8i)(b - a) >> 31); }
static inline __attribute__((always_inline)) v8f round8(v8f value, rounding mode) {
  v8u bits = (v8u)value, sign = bits & UINT32_C(0x80000000), magnitude = bits ^ sign;
  v8u is_nan = above(magnitude, F32_INF);
  if (mode == KEEP_F32) return (v8f)((bits & ~is_nan) | (is_nan & F32_NAN));
  v8u rounded = (magnitude + 0xfff + (magnitude >> 13 & 1)) & ~UINT32_C(0x1fff);
  v8u past = above(rounded, F32_PAST_F16 - 1);
  uint32_t limit = mode == TO_F16 ? F32_INF : F32_OF_F16_MAX, nan = mode == TO_F16 ? F32_NAN : 0;
  rounded = sign | (rounded & ~past) | (past & limit);
  return (v8f)((rounded & ~is_nan) | (is_nan & nan));
}
static inline __attribute__((always_inline)) float add_rounded(float a, float b, rounding mode) {
  float sum = a + b;
  uint32_t bits;
  memcpy(&bits, &sum, sizeof bits);
  bits = round_bits(bits, mode);
  memcpy(&sum, &bits, sizeof sum);
  return sum;
}

/* ---- trees ----------------------------------------------------------------------------------- */

/* Sums of neighbours inside 128-bit halves: a0+a1 a2+a3 b0+b1 b2+b3 | a4+a5 a6+a7 b4+b5 b6+b7. */
static inline __attribute__((always_inline)) v8f add_neighbours(v8f a, v8f b) {
  v8f even = __builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14);
  v8f odd = __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15);
  return even + odd;
}
static inline __attribute__((always_inline)) void tree8(float *out, const float *in, size_t groups, rounding mode) {
  size_t group = 0;
  for (; group + 4 <= groups; group += 4) { /* read before written: out may be the start of in */
    v8f a, b, c, d;
    memcpy(&a, in + 8 * group, 32), memcpy(&b, in + 8 * group + 8, 32);
    memcpy(&c, in + 8 * group + 16, 32), memcpy(&d, in + 8 * group + 24, 32);
    v8f low = add_neighbours(a, b), high = add_neighbours(c, d);
    if (mode != KEEP_F32) low = round8(low, mode), high = round8(high, mode);
    v8f quads = add_neighbours(low, high); /* first four of a b c d | last four of a b c d */
    if (mode != KEEP_F32) quads = round8(quads, mode);
    v8f other = __builtin_shufflevector(quads, quads, 4, 5, 6, 7, 0, 1, 2, 3);
    v8f sums = round8(quads + other, mode);
    memcpy(out + group, &sums, 16);
  }
  for (; group < groups; group++) {
    const float *x = in + 8 * group;
    float a = add_rounded(x[0], x[1], mode), b = add_rounded(x[2], x[3], mode);
    float c = add_rounded(x[4], x[5], mode), d = add_rounded(x[6], x[7], mode);
    out[group] = add_rounded(add_rounded(a, b, mode), add_rounded(c, d, mode), mode);
  }
}
/* n sums of neighbours, in order. */
static inline __attribute__((always_inline)) void pairs(float *out, const float *in, size_t n, rounding mode) {
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    v8f a, b;
    memcpy(&a, in + 2 * i, 32), memcpy(&b, in + 2 * i + 8, 32);
    v8f even = __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14);
    v8f odd = __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
    v8f sums = round8(even + odd, mode);
    memcpy(out + i, &sums, 32);
  }
  for (; i < n; i++) out[i] = add_rounded(in[2 * i], in[2 * i + 1], mode);
}

/* ---- halves ---------------------------------------------------------------------------------- */

/* Eight at a time and without a branch: left to itself, a compiler jumps around the rare cases. */
typedef uint16_t v8h __attribute__((vector_size(16)));

static inline __attribute__((always_inline)) void widen(float *out, const uint16_t *in) {
  v8h half;
  memcpy(&half, in, sizeof half);
  v8u bits = __builtin_convertvector(half, v8u), rest = bits & 0x7fffu, sign = (bits & 0x8000u) << 16;
  v8u small = (v8u)(__builtin_convertvector((v8i)rest, v8f) * 0x1p-24f); /* subnormal halves */
  v8u is_normal = above(rest, 0x3ffu), is_special = above(rest, 0x7bffu);
  v8u normal = (rest << 13) + UINT32_C(0x38000000) + (is_special & UINT32_C(0x38000000));
  v8u wide = sign | (normal & is_normal) | (small & ~is_normal);
  memcpy(out, &wide, sizeof wide);
}
/* The halves that equal eight rounded sums. */
static inline __attribute__((always_inline)) void narrow(uint16_t *out, v8f value) {
  v8u bits = (v8u)value, rest = bits & UINT32_C(0x7fffffff), sign = bits >> 16 & 0x8000u;
  v8u is_normal = above(rest, UINT32_C(0x387fffff)), is_special = above(rest, UINT32_C(0x477fffff));
  v8u small = (v8u)__builtin_convertvector((v8f)(rest & ~is_normal) * 0x1p24f, v8i);
  v8u normal = ((rest - UINT32_C(0x38000000)) >> 13) - (is_special & UINT32_C(0x1c000));
  v8h half = __builtin_convertvector(sign | (normal & is_normal) | (small & ~is_normal), v8h);
  memcpy(out, &half, sizeof half);
}

/* Halves are worked on in pieces that stay in the first-level cache. */
#define PIECE 2048

static inline __attribute__((always_inline)) void sum_halves(uint16_t *out, const uint16_t *in, size_t results,
                                                             uint32_t per_result, rounding mode) {
  _Alignas(64) float wide[PIECE], sums[PIECE / 2];
  size_t most = PIECE / per_result;
  while (results > 0) {
    size_t now = results < most ? results : most, elems = now * per_result;
    for (size_t i = 0; i < elems; i += 8) widen(wide + i, in + i);
    elems /= 2;
    pairs(sums, wide, elems, mode);
    while (elems > now) elems /= 8, tree8(sums, sums, elems, mode);
    uint16_t halves[8];
    for (size_t i = 0; i < now; i += 8) {
      v8f sum;
      memcpy(&sum, sums + i, sizeof sum); /* reads past `now` stay inside sums */
      narrow(halves, sum);
      memcpy(out + i, halves, 2 * (now - i < 8 ? now - i : 8));
    }
    out += now, in += now * per_result, results -= now;
  }
}

static void sum8_f32(float *out, const float *in, size_t groups) { tree8(out, in, groups, KEEP_F32); }
static void sum2_f32(float *out, const float *in, size_t n) { pairs(out, in, n, KEEP_F32); }
static void sum_f16(uint16_t *out, const uint16_t *in, size_t results, uint32_t per_result, bool saturate) {
  if (saturate) sum_halves(out, in, results, per_result, TO_F16_SATURATING);
  else sum_halves(out, in, results, per_result, TO_F16);
}

/* ---- greatest and least ---------------------------------------------------------------------- */

static void order_f32(int32_t *key, const uint32_t *bits, size_t n, bool least) {
  int32_t flip = least ? -1 : 0;
  for (size_t i = 0; i < n; i++) {
    int32_t value = (int32_t)bits[i], ordered = value ^ (value >> 31 & INT32_MAX);
    key[i] = (value & INT32_MAX) > (int32_t)F32_INF ? INT32_MAX : ordered ^ flip;
  }
}
static void order_f16(int32_t *key, const uint16_t *bits, size_t n, bool least) {
  int32_t flip = least ? -1 : 0;
  for (size_t i = 0; i < n; i++) {
    int32_t value = (int16_t)bits[i], ordered = value ^ (value >> 31 & INT16_MAX);
    key[i] = (value & INT16_MAX) > 0x7c00 ? INT32_MAX : ordered ^ flip;
  }
}
static void greatest(int32_t *out, const int32_t *key, size_t groups, uint32_t per_group) {
  for (size_t group = 0; group < groups; group++, key += per_group) {
    lanes best;
    memcpy(&best, key, sizeof best);
    for (uint32_t i = LANES; i < per_group; i += LANES) {
      lanes other;
      memcpy(&other, key + i, sizeof other);
      lanes greater = other > best;
      best = (other & greater) | (best & ~greater);
    }
    int32_t result = best[0];
    for (int i = 1; i < LANES; i++) result = best[i] > result ? best[i] : result;
    out[group] = result;
  }
}
static void first_of(uint32_t *index, const int32_t *value, const int32_t *key, size_t groups, uint32_t per_group) {
  for (size_t group = 0; group < groups; group++, key += per_group) {
    lanes first = lane_number - lane_number + INT32_MAX;
    for (uint32_t i = per_group; i > 0; i -= LANES) { /* from the back, so that the first one stays */
      lanes here;
      memcpy(&here, key + i - LANES, sizeof here);
      lanes hit = here == value[group];
      first = ((lane_number + (int32_t)(i - LANES)) & hit) | (first & ~hit);
    }
    int32_t result = first[0];
    for (int i = 1; i < LANES; i++) result = first[i] < result ? first[i] : result;
    index[group] = (uint32_t)result;
  }
}

const sk__simd_reduce_table SK__SIMD(reduce) = {
    .sum8_f32 = sum8_f32,
    .sum2_f32 = sum2_f32,
    .sum_f16 = sum_f16,
    .order_f32 = order_f32,
    .order_f16 = order_f16,
    .greatest = greatest,
    .first_of = first_of,
};
