/* reference.h - conversions by another method than the code under test: all values of a format in a sorted
 * table of doubles and a search for the neighbours; the C library's rounding functions for integers. */
#ifndef SK_TESTS_BASE_REFERENCE_H
#define SK_TESTS_BASE_REFERENCE_H

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/numbers.h"
#include "base/rng.h"
#include "harness.h"

/* All non-negative values of a 16-bit float by bit pattern; values[infinity] is the number that would
 * follow the largest one. */
typedef struct ref_format {
  uint32_t infinity, largest, quiet_nan;
  uint32_t mantissa_bits, payload_shift; /* position of the format's payload in a binary32 */
  double values[0x8000];
} ref_format;

static inline ref_format *ref_make(uint32_t mantissa_bits, int bias) {
  ref_format *f = malloc(sizeof *f);
  if (f == NULL) abort();
  uint32_t exponents = 0x8000u >> mantissa_bits;
  f->infinity = (exponents - 1) << mantissa_bits;
  f->largest = f->infinity - 1;
  f->quiet_nan = f->infinity | 1u << (mantissa_bits - 1);
  f->mantissa_bits = mantissa_bits;
  f->payload_shift = 23 - mantissa_bits;
  for (uint32_t bits = 0; bits <= f->infinity; bits++) {
    uint32_t exponent = bits >> mantissa_bits, mantissa = bits & ((1u << mantissa_bits) - 1);
    double fraction = (double)mantissa / (double)(1u << mantissa_bits);
    f->values[bits] = exponent == 0 ? ldexp(fraction, 1 - bias) : ldexp(1.0 + fraction, (int)exponent - bias);
  }
  return f;
}
static inline ref_format *ref_f16(void) { return ref_make(10, 15); }
static inline ref_format *ref_bf16(void) { return ref_make(7, 127); }

/* A finite double into the format. */
static inline uint16_t ref_narrow(const ref_format *f, double x, sk__round mode, sk__float_mode limits) {
  double size = fabs(x);
  uint32_t sign = signbit(x) ? 0x8000u : 0u, low = 0, high = f->infinity, chosen;
  if (size >= f->values[f->infinity]) {
    chosen = f->infinity;
  } else {
    while (high - low > 1) {
      uint32_t middle = (low + high) / 2;
      if (f->values[middle] <= size) low = middle; else high = middle;
    }
    double half_way = (f->values[low] + f->values[high]) / 2;
    uint32_t even = (low & 1u) == 0 ? low : high, odd = (low & 1u) == 0 ? high : low;
    uint32_t nearest = size < half_way ? low : high;
    if (f->values[low] == size) chosen = low;
    else if (mode == SK__ROUND_TRUNC) chosen = low;
    else if (mode == SK__ROUND_FLOOR) chosen = sign != 0 ? high : low;
    else if (mode == SK__ROUND_CEIL) chosen = sign != 0 ? low : high;
    else if (mode == SK__ROUND_ROUND) chosen = nearest;
    else if (mode == SK__ROUND_ODD) chosen = odd;
    else chosen = size == half_way ? even : nearest;
  }
  if (chosen == f->infinity && limits == SK__FLOAT_SATURATE) chosen = f->largest;
  return (uint16_t)(sign | chosen);
}

/* Any binary32 into the format. */
static inline uint16_t ref_from_f32(const ref_format *f, float x, sk__round mode, sk__float_mode limits) {
  uint32_t bits = sk__bits_from_f32(x), sign = (bits >> 16) & 0x8000u;
  if (isnan(x)) {
    if (limits == SK__FLOAT_SATURATE) return 0;
    return (uint16_t)(sign | f->quiet_nan | ((bits & 0x7fffffu) >> f->payload_shift));
  }
  if (isinf(x)) return (uint16_t)(sign | (limits == SK__FLOAT_SATURATE ? f->largest : f->infinity));
  return ref_narrow(f, (double)x, mode, limits);
}

static inline double ref_integral(double x, sk__round mode) {
  double t = trunc(x);
  switch (mode) {
    case SK__ROUND_FLOOR: return floor(x);
    case SK__ROUND_CEIL: return ceil(x);
    case SK__ROUND_ROUND: return round(x);
    case SK__ROUND_TRUNC: return t;
    case SK__ROUND_ODD: return t != x && fmod(t, 2.0) == 0.0 ? t + copysign(1.0, x) : t;
    case SK__ROUND_NONE:
    case SK__ROUND_RINT:
    case SK__ROUNDS: break;
  }
  return rint(x);
}

/* A double (exact image of the source) to an integer, as 64 bits sign- or zero-extended. */
static inline uint64_t ref_int(double x, sk__round mode, sk__int_mode limits, int bits, bool is_signed) {
  if (isnan(x)) return 0;
  double t = isinf(x) ? x : ref_integral(x, mode);
  double most = ldexp(1.0, is_signed ? bits - 1 : bits); /* one past the largest */
  double least = is_signed ? -most : 0.0;
  if (limits == SK__INT_CLAMP || isinf(x)) {
    if (t >= most) return (uint64_t)((((__int128)1) << (is_signed ? bits - 1 : bits)) - 1);
    if (t < least) t = least;
  }
  __int128 whole = (__int128)fmod(t, ldexp(1.0, bits));
  __int128 span = (__int128)1 << bits;
  whole &= span - 1;
  if (is_signed && whole >= span / 2) whole -= span;
  return (uint64_t)whole;
}

/* Stops at the first difference, with everything needed to try it again. */
static inline void same(const char *what, uint64_t input, int mode, int limits, uint64_t got, uint64_t wanted) {
  if (got != wanted)
    fail_msg("%s(0x%" PRIx64 ", mode %d, limits %d) = 0x%" PRIx64 ", should be 0x%" PRIx64, what, input, mode,
             limits, got, wanted);
}

/* binary32 patterns where conversions go wrong, one at a time; returns false at the end. The list: around
 * every power of two, around every half-integer up to 70000, specials, and 100000 seeded random ones. */
typedef struct ref_walk {
  uint64_t step;
  sk__rng rng;
} ref_walk;

static inline ref_walk ref_walk_begin(const char *name) {
  return (ref_walk){0, sk__rng_from_seed(sk_test_seed(name))};
}
static inline bool ref_walk_next(ref_walk *walk, float *x) {
  static const uint32_t special[] = {0x7f800000u, 0x7f800001u, 0x7fa00000u, 0x7fc00000u, 0x7fffffffu,
                                     0x7fc12345u, 0x7f7fffffu, 0x00000001u, 0x007fffffu, 0x00800000u};
  const uint64_t powers = 256 * 16, halves = 140001 * 3, specials = sizeof special / sizeof special[0];
  uint64_t step = walk->step++;
  uint32_t sign = (step & 1u) != 0 ? 0x80000000u : 0u;
  step >>= 1;
  if (step < powers) { /* mantissas 0, 1, 2, all but one, all, and both sides of the middle and of some bits */
    static const uint32_t mantissas[16] = {0,        1,        2,        0x7ffffe, 0x7fffff, 0x400000,
                                           0x3fffff, 0x400001, 0x1000,   0xfff,    0x1001,   0x1800,
                                           0x8000,   0x7fff,   0x8001,   0x18000};
    *x = sk__f32_from_bits(sign | (uint32_t)(step / 16) << 23 | mantissas[step % 16]);
    return true;
  }
  step -= powers;
  if (step < halves) {
    uint32_t bits = sk__bits_from_f32((float)(step / 3) * 0.5f);
    *x = sk__f32_from_bits(sign | (bits + (uint32_t)(step % 3) - (bits != 0)));
    return true;
  }
  step -= halves;
  if (step < specials) {
    *x = sk__f32_from_bits(sign | special[step]);
    return true;
  }
  step -= specials;
  if (step >= 50000) return false;
  uint64_t random = sk__rng_next(&walk->rng);
  uint32_t bits = (uint32_t)random & 0x7fffffffu;
  if (random >> 63 != 0) bits = (bits & 0x7fffffu) | (100u + (uint32_t)(random >> 40) % 70u) << 23;
  *x = sk__f32_from_bits(sign | bits);
  return true;
}

#endif
