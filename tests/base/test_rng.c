/* test_rng.c - the generators against the published sequences of their authors' reference code. */
#include "base/rng.h"
#include "harness.h"

static void test_splitmix64_sequence(void **state) {
  (void)state;
  uint64_t s = 1234567;
  static const uint64_t wanted[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                                    UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
                                    UINT64_C(16408922859458223821)};
  for (int i = 0; i < 5; i++) assert_true(sk__splitmix64(&s) == wanted[i]);
}

static void test_xoshiro256_sequence(void **state) {
  (void)state;
  sk__rng rng = {{1, 2, 3, 4}};
  static const uint64_t wanted[] = {11520, 0, 1509978240, UINT64_C(1215971899390074240)};
  for (int i = 0; i < 4; i++) assert_true(sk__rng_next(&rng) == wanted[i]);
}

static void test_same_seed_same_sequence(void **state) {
  (void)state;
  sk__rng a = sk__rng_from_seed(7), b = sk__rng_from_seed(7), c = sk__rng_from_seed(8);
  int differ = 0;
  for (int i = 0; i < 100; i++) {
    uint64_t x = sk__rng_next(&a);
    assert_true(x == sk__rng_next(&b));
    differ += x != sk__rng_next(&c);
  }
  assert_int_equal(differ, 100);
}

static void test_below_reaches_every_value_and_no_other(void **state) {
  (void)state;
  sk__rng rng = sk__rng_from_seed(sk_test_seed("below"));
  unsigned seen[7] = {0};
  for (int i = 0; i < 7000; i++) {
    uint32_t x = sk__rng_below(&rng, 7);
    assert_true(x < 7);
    seen[x]++;
  }
  for (int i = 0; i < 7; i++) assert_in_range(seen[i], 800, 1200);
  assert_int_equal(sk__rng_below(&rng, 1), 0);
}

static void test_unit_stays_in_the_unit_interval(void **state) {
  (void)state;
  sk__rng rng = sk__rng_from_seed(sk_test_seed("unit"));
  double sum = 0;
  for (int i = 0; i < 10000; i++) {
    double x = sk__rng_unit(&rng);
    assert_true(x >= 0 && x < 1);
    sum += x;
  }
  assert_true(sum > 4800 && sum < 5200);
}

SK_TESTS(SK_TEST(test_splitmix64_sequence), SK_TEST(test_xoshiro256_sequence),
         SK_TEST(test_same_seed_same_sequence), SK_TEST(test_below_reaches_every_value_and_no_other),
         SK_TEST(test_unit_stays_in_the_unit_interval))
