/* test_numbers_float.c - float formats into each other and integers into floats. */
#include "reference.h"

static const sk__float_mode both[] = {SK__FLOAT_SATURATE, SK__FLOAT_INF_NAN};

static uint32_t bits_of(float x) { return sk__bits_from_f32(x); }

static void test_half_values_known_by_hand(void **state) {
  (void)state;
  static const struct { float x; uint16_t h; } known[] = {
    {1.0f, 0x3c00}, {-2.0f, 0xc000}, {65504.0f, 0x7bff}, {0x1p-24f, 0x0001}, {0x1p-14f, 0x0400},
    {65519.996f, 0x7bff}, {65520.0f, 0x7c00}, {0.1f, 0x2e66}, {-0.0f, 0x8000}, {0x1p-25f, 0x0000}, {0x1.8p-25f, 0x0001}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    assert_int_equal(sk__f16_from_f32(known[i].x, SK__ROUND_RINT, SK__FLOAT_INF_NAN), known[i].h);
  assert_int_equal(sk__bf16_from_f32(1.0f, SK__ROUND_RINT, SK__FLOAT_INF_NAN), 0x3f80);
  assert_int_equal(sk__bf16_from_f32(3.14159274f, SK__ROUND_RINT, SK__FLOAT_INF_NAN), 0x4049);
}

static void test_half_overflow_follows_the_limit_mode_in_every_rounding_mode(void **state) {
  (void)state;
  for (int mode = 0; mode < SK__ROUNDS; mode++) {
    assert_int_equal(sk__f16_from_f32(65536.0f, mode, SK__FLOAT_INF_NAN), 0x7c00);
    assert_int_equal(sk__f16_from_f32(-1e30f, mode, SK__FLOAT_INF_NAN), 0xfc00);
    assert_int_equal(sk__f16_from_f32(65536.0f, mode, SK__FLOAT_SATURATE), 0x7bff);
    assert_int_equal(sk__f16_from_f32(-INFINITY, mode, SK__FLOAT_SATURATE), 0xfbff);
    assert_int_equal(sk__f16_from_f32(-NAN, mode, SK__FLOAT_SATURATE), 0);
    assert_int_equal(sk__bf16_from_f32(INFINITY, mode, SK__FLOAT_SATURATE), 0x7f7f);
  }
  assert_int_equal(sk__f16_from_f32(65535.0f, SK__ROUND_TRUNC, SK__FLOAT_INF_NAN), 0x7bff);
  assert_int_equal(sk__f16_from_f32(65505.0f, SK__ROUND_CEIL, SK__FLOAT_INF_NAN), 0x7c00);
}

static void test_every_half_widens_exactly(void **state) {
  (void)state;
  ref_format *f = ref_f16();
  for (uint32_t h = 0; h < 0x10000u; h++) {
    uint32_t sign = (h & 0x8000u) << 16, rest = h & 0x7fffu, wanted;
    if (rest > f->infinity) wanted = sign | 0x7fc00000u | (rest & 0x3ffu) << 13;
    else if (rest == f->infinity) wanted = sign | 0x7f800000u;
    else wanted = sign | bits_of((float)f->values[rest]);
    same("f32_from_f16", h, 0, 0, bits_of(sk__f32_from_f16((uint16_t)h)), wanted);
    assert_int_equal(sk__f16_is_nan((uint16_t)h), rest > f->infinity);
    assert_int_equal(sk__f16_is_inf((uint16_t)h), rest == f->infinity);
  }
  free(f);
}

static void test_every_bfloat16_widens_exactly(void **state) {
  (void)state;
  ref_format *f = ref_bf16();
  for (uint32_t b = 0; b < 0x10000u; b++) {
    float x = sk__f32_from_bf16((uint16_t)b);
    if ((b & 0x7fffu) < f->infinity)
      assert_true((double)x == ((b & 0x8000u) != 0 ? -f->values[b & 0x7fffu] : f->values[b & 0x7fffu]));
    same("f32_from_bf16", b, 0, 0, bits_of(x), b << 16);
    assert_int_equal(sk__bf16_is_nan((uint16_t)b), isnan(x));
    assert_int_equal(sk__bf16_is_inf((uint16_t)b), isinf(x) != 0);
  }
  free(f);
}

static void test_every_half_comes_back(void **state) {
  (void)state;
  ref_format *f = ref_f16();
  for (uint32_t h = 0; h < 0x10000u; h++)
    for (int mode = 0; mode < SK__ROUNDS; mode++)
      for (int k = 0; k < 2; k++) {
        uint16_t back = sk__f16_from_f32(sk__f32_from_f16((uint16_t)h), mode, both[k]);
        uint32_t rest = h & 0x7fffu, wanted = h;
        if (rest > f->infinity) wanted = both[k] == SK__FLOAT_SATURATE ? 0 : h | 0x200u;
        if (rest == f->infinity && both[k] == SK__FLOAT_SATURATE) wanted = h - 1;
        same("f16 and back", h, mode, both[k], back, wanted);
        uint16_t limited = sk__f16_limit((uint16_t)h, both[k]);
        same("f16_limit", h, mode, both[k], limited, both[k] == SK__FLOAT_SATURATE ? wanted : h);
      }
  free(f);
}

static void narrow_both(const ref_format *half, const ref_format *brain, float x) {
  for (int mode = 0; mode < SK__ROUNDS; mode++)
    for (int k = 0; k < 2; k++) {
      same("f16_from_f32", bits_of(x), mode, both[k], sk__f16_from_f32(x, mode, both[k]),
           ref_from_f32(half, x, mode, both[k]));
      same("bf16_from_f32", bits_of(x), mode, both[k], sk__bf16_from_f32(x, mode, both[k]),
           ref_from_f32(brain, x, mode, both[k]));
    }
}

/* Every value of the half format, every midpoint of two of them, and the binary32 neighbours of all these. */
static void test_narrowing_around_every_half(void **state) {
  (void)state;
  ref_format *half = ref_f16(), *brain = ref_bf16();
  for (uint32_t h = 0; h < half->infinity; h++)
    for (int side = 0; side < 2; side++) {
      double at = side == 0 ? half->values[h] : (half->values[h] + half->values[h + 1]) / 2;
      for (int d = -1; d <= 1; d++) {
        uint32_t bits = bits_of((float)at);
        float x = sk__f32_from_bits(bits + (uint32_t)(bits == 0 && d < 0 ? 0 : d));
        narrow_both(half, brain, x);
        narrow_both(half, brain, -x);
      }
    }
  free(half);
  free(brain);
}

static void test_narrowing_around_every_bfloat16(void **state) {
  (void)state;
  ref_format *half = ref_f16(), *brain = ref_bf16();
  static const uint32_t tails[] = {0x0001, 0x7fff, 0x8000, 0x8001, 0xffff};
  for (uint32_t b = 0; b < 0x10000u; b++)
    for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++)
      narrow_both(half, brain, sk__f32_from_bits(b << 16 | tails[i]));
  free(half);
  free(brain);
}

static void test_narrowing_of_the_walk(void **state) {
  (void)state;
  ref_format *half = ref_f16(), *brain = ref_bf16();
  ref_walk walk = ref_walk_begin("narrowing");
  for (float x; ref_walk_next(&walk, &x);) narrow_both(half, brain, x);
  free(half);
  free(brain);
}

static void test_integral_float(void **state) {
  (void)state;
  assert_int_equal(bits_of(sk__f32_integral(-0.0f, SK__ROUND_RINT)), 0);
  assert_int_equal(bits_of(sk__f32_integral(-0.25f, SK__ROUND_CEIL)), 0);
  ref_walk walk = ref_walk_begin("integral");
  for (float x; ref_walk_next(&walk, &x);)
    for (int mode = 0; mode < SK__ROUNDS; mode++) {
      uint32_t got = bits_of(sk__f32_integral(x, mode)), wanted;
      if (isnan(x)) {
        wanted = bits_of(x) | 0x400000u;
      } else {
        double t = ref_integral((double)x, mode);
        wanted = t == 0 ? 0 : bits_of((float)t);
      }
      same("f32_integral", bits_of(x), mode, 0, got, wanted);
    }
}

/* In units of the last HF32 bit, the value is q; exact in double. */
static void test_hf32(void **state) {
  (void)state;
  assert_int_equal(bits_of(sk__hf32_from_f32(sk__f32_from_bits(0x3f801800u), SK__HF32_TIES_EVEN)), 0x3f802000u);
  assert_int_equal(bits_of(sk__hf32_from_f32(sk__f32_from_bits(0x3f801800u), SK__HF32_TIES_ZERO)), 0x3f801000u);
  ref_walk walk = ref_walk_begin("hf32");
  for (float x; ref_walk_next(&walk, &x);)
    for (int ties = 0; ties < 2; ties++) {
      uint32_t got = bits_of(sk__hf32_from_f32(x, ties)), wanted;
      if (isnan(x)) {
        wanted = (bits_of(x) | 0x400000u) & 0xfffff000u;
      } else if (isinf(x)) {
        wanted = bits_of(x);
      } else {
        int exponent;
        frexp((double)x, &exponent);
        int last = (exponent - 1 < -126 ? -126 : exponent - 1) - 11;
        double q = ldexp(fabs((double)x), -last), low = floor(q);
        bool up = q - low > 0.5 || (q - low == 0.5 && ties == SK__HF32_TIES_EVEN && fmod(low, 2.0) == 1.0);
        double value = copysign(ldexp(low + (up ? 1.0 : 0.0), last), (double)x);
        wanted = bits_of(fabs(value) >= 0x1p128 ? copysignf(INFINITY, x) : (float)value);
      }
      same("hf32_from_f32", bits_of(x), ties, 0, got, wanted);
    }
}

static void test_quant_scale_drops_13_bits(void **state) {
  (void)state;
  assert_int_equal(bits_of(sk__quant_scale(sk__f32_from_bits(0x3f803fffu))), 0x3f802000u);
  assert_int_equal(bits_of(sk__quant_scale(sk__f32_from_bits(0xbf801fffu))), 0xbf800000u);
}

/* The quotient by another way: in units of one half of the divisor, 128 bits wide. */
static uint64_t ref_round_shift(uint64_t magnitude, uint32_t shift, bool negative, sk__round mode) {
  if (shift > 100) shift = 100;
  unsigned __int128 divisor = (unsigned __int128)1 << shift;
  uint64_t low = (uint64_t)(magnitude / divisor);
  unsigned __int128 rest = magnitude % divisor, twice = rest * 2;
  if (rest == 0) return low;
  switch (mode) {
    case SK__ROUND_FLOOR: return low + negative;
    case SK__ROUND_CEIL: return low + !negative;
    case SK__ROUND_ROUND: return low + (twice >= divisor);
    case SK__ROUND_ODD: return low | 1u;
    case SK__ROUND_TRUNC: return low;
    case SK__ROUND_NONE:
    case SK__ROUND_RINT:
    case SK__ROUNDS: break;
  }
  return low + (twice > divisor || (twice == divisor && low % 2 == 1));
}

static void test_round_shift(void **state) {
  (void)state;
  sk__rng rng = sk__rng_from_seed(sk_test_seed("round shift"));
  for (uint32_t shift = 0; shift <= 70; shift++)
    for (int i = 0; i < 200; i++) {
      uint64_t magnitude = sk__rng_next(&rng) >> sk__rng_below(&rng, 64);
      if (i % 4 == 0 && shift >= 1 && shift <= 64) /* a tie, or next to one */
        magnitude = ((shift < 64 ? magnitude << shift : 0) | UINT64_C(1) << (shift - 1)) + (uint64_t)(i / 4 % 3) - 1;
      if (i == 1) magnitude = UINT64_MAX;
      for (int mode = 0; mode < SK__ROUNDS; mode++)
        for (int negative = 0; negative < 2; negative++)
          same("round_shift", magnitude, mode, (int)shift, sk__round_shift(magnitude, shift, negative, mode),
               ref_round_shift(magnitude, shift, negative, mode));
    }
}

static void test_packing_past_the_range_is_infinite(void **state) {
  (void)state;
  assert_int_equal(bits_of(sk__f32_pack(false, 1, 127, SK__ROUND_RINT)), 0x7f000000u);
  assert_int_equal(bits_of(sk__f32_pack(true, 1, 128, SK__ROUND_TRUNC)), 0xff800000u);
  assert_int_equal(bits_of(sk__f32_pack(false, 3, 127, SK__ROUND_RINT)), 0x7f800000u);
  assert_int_equal(bits_of(sk__f32_pack(false, UINT64_MAX, 500, SK__ROUND_RINT)), 0x7f800000u);
  assert_int_equal(bits_of(sk__f32_pack(true, 0, 500, SK__ROUND_RINT)), 0x80000000u);
  assert_int_equal(bits_of(sk__f32_pack(true, 1, -500, SK__ROUND_FLOOR)), 0x80000001u);
}

static void test_limiting_bfloat16(void **state) {
  (void)state;
  for (uint32_t b = 0; b < 0x10000u; b++) {
    same("bf16_limit", b, 0, SK__FLOAT_INF_NAN, sk__bf16_limit((uint16_t)b, SK__FLOAT_INF_NAN), b);
    uint32_t wanted = (b & 0x7fffu) > 0x7f80u ? 0 : (b & 0x7fffu) == 0x7f80u ? b - 1 : b;
    same("bf16_limit", b, 0, SK__FLOAT_SATURATE, sk__bf16_limit((uint16_t)b, SK__FLOAT_SATURATE), wanted);
  }
}

/* ---- integers to floats ---- */

static void test_small_integers_to_half_are_exact(void **state) {
  (void)state;
  for (int v = -128; v < 256; v++) {
    if (v < 128) assert_true(sk__f32_from_f16(sk__f16_from_i8((int8_t)v)) == (float)v);
    if (v >= 0) assert_true(sk__f32_from_f16(sk__f16_from_u8((uint8_t)v)) == (float)v);
    if (v >= -8 && v < 8) assert_true(sk__f32_from_f16(sk__f16_from_i4((int8_t)v)) == (float)v);
  }
}

static void test_every_int16_to_half_and_float(void **state) {
  (void)state;
  ref_format *f = ref_f16();
  assert_true(sk__f32_from_f16(sk__f16_from_i16(32767, SK__ROUND_RINT)) == 32768.0f);
  for (int v = INT16_MIN; v <= INT16_MAX; v++) {
    for (int mode = 0; mode < SK__ROUNDS; mode++)
      same("f16_from_i16", (uint64_t)v, mode, 0, sk__f16_from_i16((int16_t)v, mode),
           ref_narrow(f, (double)v, mode, SK__FLOAT_INF_NAN));
    assert_true((double)sk__f32_from_i16((int16_t)v) == (double)v);
  }
  free(f);
}

/* The two binary32 neighbours of an integer, found with nextafterf and compared as 128-bit integers. */
static float ref_f32_from_int(int64_t value, sk__round mode) {
  __int128 v = value;
  float near = (float)value;
  float low = (__int128)near <= v ? near : nextafterf(near, -INFINITY);
  if ((__int128)low == v) return low;
  float high = nextafterf(low, INFINITY);
  __int128 below = v - (__int128)low, above = (__int128)high - v;
  float inner = v > 0 ? low : high, outer = v > 0 ? high : low;
  float even = (bits_of(low) & 1u) == 0 ? low : high, odd = (bits_of(low) & 1u) == 0 ? high : low;
  switch (mode) {
    case SK__ROUND_FLOOR: return low;
    case SK__ROUND_CEIL: return high;
    case SK__ROUND_TRUNC: return inner;
    case SK__ROUND_ODD: return odd;
    case SK__ROUND_ROUND: return below == above ? outer : below < above ? low : high;
    case SK__ROUND_NONE:
    case SK__ROUND_RINT:
    case SK__ROUNDS: break;
  }
  return below == above ? even : below < above ? low : high;
}

static void int_to_float(int64_t v) {
  for (int mode = 0; mode < SK__ROUNDS; mode++) {
    same("f32_from_i64", (uint64_t)v, mode, 0, bits_of(sk__f32_from_i64(v, mode)), bits_of(ref_f32_from_int(v, mode)));
    int32_t narrow = (int32_t)v;
    same("f32_from_i32", (uint32_t)narrow, mode, 0, bits_of(sk__f32_from_i32(narrow, mode)),
         bits_of(ref_f32_from_int(narrow, mode)));
  }
}

static void test_wide_integers_to_float(void **state) {
  (void)state;
  assert_true(sk__f32_from_i32(2147483647, SK__ROUND_RINT) == 2147483648.0f);
  assert_true(sk__f32_from_i32(2147483647, SK__ROUND_TRUNC) == 2147483520.0f);
  int_to_float(0);
  int_to_float(INT64_MIN);
  int_to_float(INT64_MAX);
  for (int k = 0; k < 63; k++)
    for (int j = 0; j <= k; j++)
      for (int d = -1; d <= 1; d++) {
        int64_t v = (int64_t)(((uint64_t)1 << k) + ((uint64_t)1 << j) * (k == j ? 0 : 1)) + d;
        int_to_float(v);
        int_to_float((int64_t)(0 - (uint64_t)v));
        int_to_float((int64_t)(((uint64_t)1 << k) - ((uint64_t)1 << j)) + d);
      }
  sk__rng rng = sk__rng_from_seed(sk_test_seed("wide integers"));
  for (int i = 0; i < 100000; i++) int_to_float((int64_t)sk__rng_next(&rng) >> sk__rng_below(&rng, 64));
}

static void test_dequantised_half_is_the_product_rounded_once(void **state) {
  (void)state;
  ref_format *f = ref_f16();
  sk__rng rng = sk__rng_from_seed(sk_test_seed("deq"));
  static const uint16_t scales[] = {0x0000, 0x8000, 0x0001, 0x03ff, 0x0400, 0x3c00, 0xbc01, 0x7bff, 0x1400};
  for (int i = 0; i < 200000; i++) {
    uint64_t random = sk__rng_next(&rng);
    int32_t value = (int32_t)(uint32_t)random >> ((random >> 32) & 31u);
    uint16_t scale = i % 4 == 0 ? scales[(random >> 40) % 9] : (uint16_t)(random >> 48);
    if ((scale & 0x7fffu) >= f->infinity) continue;
    double product = (double)value * (double)sk__f32_from_f16(scale);
    if (product == 0) product = (value < 0) != ((scale & 0x8000u) != 0) ? -0.0 : 0.0;
    for (int k = 0; k < 2; k++)
      same("f16_from_i32_deq", (uint64_t)(uint32_t)value << 16 | scale, 0, both[k],
           sk__f16_from_i32_deq(value, scale, both[k]), ref_narrow(f, product, SK__ROUND_RINT, both[k]));
  }
  free(f);
}

static void test_dequantising_with_a_special_scale(void **state) {
  (void)state;
  assert_int_equal(sk__f16_from_i32_deq(-3, 0x7c00, SK__FLOAT_INF_NAN), 0xfc00);
  assert_int_equal(sk__f16_from_i32_deq(-3, 0x7c00, SK__FLOAT_SATURATE), 0xfbff);
  assert_int_equal(sk__f16_from_i32_deq(0, 0xfc00, SK__FLOAT_INF_NAN), 0x7e00);
  assert_int_equal(sk__f16_from_i32_deq(0, 0xfc00, SK__FLOAT_SATURATE), 0);
  assert_int_equal(sk__f16_from_i32_deq(5, 0x7d01, SK__FLOAT_INF_NAN), 0x7f01);
  assert_int_equal(sk__f16_from_i32_deq(5, 0x7d01, SK__FLOAT_SATURATE), 0);
}

SK_TESTS(
  SK_TEST(test_half_values_known_by_hand),
  SK_TEST(test_half_overflow_follows_the_limit_mode_in_every_rounding_mode),
  SK_TEST(test_every_half_widens_exactly),
  SK_TEST(test_every_bfloat16_widens_exactly),
  SK_TEST(test_every_half_comes_back),
  SK_TEST(test_narrowing_around_every_half),
  SK_TEST(test_narrowing_around_every_bfloat16),
  SK_TEST(test_narrowing_of_the_walk),
  SK_TEST(test_integral_float),
  SK_TEST(test_hf32),
  SK_TEST(test_quant_scale_drops_13_bits),
  SK_TEST(test_round_shift),
  SK_TEST(test_packing_past_the_range_is_infinite),
  SK_TEST(test_limiting_bfloat16),
  SK_TEST(test_small_integers_to_half_are_exact),
  SK_TEST(test_every_int16_to_half_and_float),
  SK_TEST(test_wide_integers_to_float),
  SK_TEST(test_dequantised_half_is_the_product_rounded_once),
  SK_TEST(test_dequantising_with_a_special_scale))
