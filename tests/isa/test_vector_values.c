/* Every elementwise instruction on every type: special values against each other, and random ones,
 * against an independent reference, in all modes of CTRL. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "vector_reference.h"

#define N 4096u

/* Bits that matter, cut to the width of the type. */
static const uint64_t special_16[] = {
    0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x0400, 0x3c00, 0xbc00, 0x3c01, 0x3e00, 0x4000, 0x4100, 0x7bff, 0xfbff,
    0x7c00, 0xfc00, 0x7e00, 0xfe00, 0x7c01, 0x7fff, 0xffff, 0x3f80, 0x7f80, 0xff80, 0x7f7f, 0x4248, 0x5bff, 0xd800};
static const uint64_t special_32[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x3f800000, 0xbf800000, 0x3f000000,
    0xbf000000, 0x3effffff, 0x3fc00000, 0x40200000, 0xc0200000, 0x477fe000, 0x477fefff, 0x477ff000, 0x477fffff,
    0x47800000, 0xc77ff000, 0x33000000, 0x33000001, 0x387fc000, 0x387fe000, 0x7f7fffff, 0xff7fffff, 0x7f7f8000,
    0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 0x7fffffff, 0x4effffff, 0x4f000000, 0xcf000000,
    0xcf000001, 0x5effffff, 0x5f000000, 0xdf000000, 0x43000000, 0x42fe0000, 0xc3000000, 0x46fffe00, 0x3f801000,
    0x3f803000, 0x3f808000, 0x3f818000, 0x42b17217, 0xc2d00000};
static const uint64_t special_64[] = {0, 1, UINT64_MAX, INT64_MAX, (uint64_t)INT64_MIN, INT32_MAX, 0x80000000,
                                      (uint64_t)INT32_MIN, 16777217, 0xffffff8000000000, 0x7fffffbfffffffff};

static uint64_t draw(type t) {
  uint64_t random = fixture_random(), pick = fixture_random() >> 8;
  if ((random & 3) != 0 || type_bits(t) < 16) return random >> 8;
  if (type_bits(t) == 16) return special_16[pick % (sizeof special_16 / 8)];
  if (type_bits(t) == 32) return special_32[pick % (sizeof special_32 / 8)];
  return special_64[pick % (sizeof special_64 / 8)];
}

static double ulp_distance(uint64_t got, uint64_t want, long double exact) {
  if (got == want) return 0;
  long double g = to_value(F32, got);
  if (isnan(g) || isinf(g) || isnan(exact)) return INFINITY;
  int e;
  frexpl(exact, &e);
  return (double)fabsl(ldexpl(g - exact, -(e - 24 < -149 ? -149 : e - 24)));
}

static void check_row(const row *r, uint32_t flags) {
  static const uint32_t counts[] = {N, 1, 31, 130};
  uint8_t *d = ub(0), *a = ub(48 << 10), *b = ub(96 << 10);
  static uint64_t da[N], aa[N], ba[N];
  sk__self->ctrl = (uint64_t)((flags & SK__V_FLOAT_SATURATE) == 0) << SK__CTRL_FLOAT_INF_NAN |
                   (uint64_t)((flags & SK__V_INT_SATURATE) != 0) << SK__CTRL_INT_SATURATE |
                   (uint64_t)((flags & SK__V_CAST_TRUNCATE) != 0) << SK__CTRL_CAST_TRUNCATE;
  for (uint32_t turn = 0; turn < sizeof counts / sizeof counts[0]; turn++) {
    uint32_t n = type_bits(r->d) == 4 || type_bits(r->s) == 4 ? (counts[turn] + 1) & ~1u : counts[turn];
    for (uint32_t i = 0; i < N; i++) {
      element_store(r->s, a, i, aa[i] = draw(r->s));
      element_store(r->s, b, i, ba[i] = draw(r->s));
      element_store(r->d, d, i, da[i] = draw(r->d));
      aa[i] = element_load(r->s, a, i), ba[i] = element_load(r->s, b, i), da[i] = element_load(r->d, d, i);
    }
    uint64_t k = scalar_for(r, draw(r->s));
    r->count(d, a, b, k, n);
    assert_int_equal(fixture_findings, 0);
    for (uint32_t i = 0; i < N; i++) {
      uint64_t got = element_load(r->d, d, i), want = i < n ? reference(r, aa[i], ba[i], da[i], k, flags) : da[i];
      if (got == want) continue;
      if (i < n && !r->exact && type_is_float(r->d)) {
        long double x = to_value(r->s, aa[i]);
        long double exact = strncmp(r->name, "exp", 3) == 0 ? expl(x) : strncmp(r->name, "log", 3) == 0 ? logl(x) : 1 / sqrtl(x);
        if (ulp_distance(got, want, exact) < 1.0) continue;
      }
      fail_msg("%s flags %u element %u of %u: a %llx b %llx d %llx k %llx: got %llx, want %llx", r->name, flags, i, n,
               (unsigned long long)aa[i], (unsigned long long)ba[i], (unsigned long long)da[i], (unsigned long long)k,
               (unsigned long long)got, (unsigned long long)want);
    }
  }
}

static void run_all(const char *name, uint32_t flags) {
  fixture_reset(sk_test_seed(name));
  for (uint32_t i = 0; i < row_count; i++) check_row(&rows[i], flags);
}
static void test_default_modes(void **state) { (void)state; run_all("default", 0); }
static void test_saturating_floats(void **state) { (void)state; run_all("saturate", SK__V_FLOAT_SATURATE); }
static void test_saturating_integers(void **state) { (void)state; run_all("integers", SK__V_INT_SATURATE); }
static void test_truncating_casts(void **state) { (void)state; run_all("truncate", SK__V_CAST_TRUNCATE); }

/* Half has few values: all of them, correctly rounded. */
static void test_half_functions_exhaustively(void **state) {
  (void)state;
  fixture_reset(1);
  for (uint32_t r = 0; r < row_count; r++) {
    if (rows[r].shape != UNARY || rows[r].s != F16) continue;
    for (uint32_t base = 0; base < 65536; base += 16384) {
      for (uint32_t i = 0; i < 16384; i++) element_store(F16, ub(96 << 10), i, base + i);
      rows[r].count(ub(0), ub(96 << 10), NULL, 0, 16384);
      for (uint32_t i = 0; i < 16384; i++) {
        uint64_t got = element_load(rows[r].d, ub(0), i), want = reference(&rows[r], base + i, 0, 0, 0, 0);
        if (got != want)
          fail_msg("%s(%x): got %llx, want %llx", rows[r].name, base + i, (unsigned long long)got, (unsigned long long)want);
      }
    }
  }
}

/* Every 1021st float, signs and subnormals included. */
static void test_float_functions_within_one_ulp(void **state) {
  (void)state;
  fixture_reset(1);
  for (uint32_t r = 0; r < row_count; r++) {
    if (rows[r].exact) continue;
    double worst = 0;
    for (uint64_t x = 0; x < UINT64_C(1) << 32;) {
      uint32_t n = 0;
      for (; n < 16384 && x < UINT64_C(1) << 32; x += 1021) element_store(F32, ub(96 << 10), n++, x);
      rows[r].count(ub(0), ub(96 << 10), NULL, 0, n);
      for (uint32_t i = 0; i < n; i++) {
        uint64_t bits = element_load(F32, ub(96 << 10), i), got = element_load(F32, ub(0), i);
        double value = (double)to_value(F32, bits), exact = rows[r].name[0] == 'e'   ? exp(value)
                                                            : rows[r].name[0] == 'l' ? log(value)
                                                                                     : 1 / sqrt(value);
        if (isnan(exact) || isinf((float)exact)) {
          assert_int_equal(got, reference(&rows[r], bits, 0, 0, 0, 0));
          continue;
        }
        double distance = ulp_distance(got, UINT64_MAX, exact);
        if (distance > worst) worst = distance;
      }
    }
    printf("# %s: at most %.3f ULP\n", rows[r].name, worst);
    assert_true(worst < 1.0);
  }
}

SK_TESTS(SK_TEST(test_float_functions_within_one_ulp), SK_TEST(test_default_modes), SK_TEST(test_saturating_floats), SK_TEST(test_saturating_integers),
         SK_TEST(test_truncating_casts), SK_TEST(test_half_functions_exhaustively))
