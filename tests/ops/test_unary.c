/* isinf by every bit pattern that matters, powers against the definition in double, packed words of many scales. */
#include <math.h>
#include <stdio.h>

#include "ops_fixture.h"

static sk_tensor run_unary(const char *name, const void *data, sk_dtype dtype, int64_t count, double exponent, uint32_t blocks) {
  sk_tensor self = tensor(upload(data, (size_t)count * sk_dtype_bytes(dtype)), dtype, SHAPE(count)), out = {0};
  op_call call = {.name = name, .in = {&self}, .in_count = 1, .blocks = blocks, .attribute = {REAL("exponent", exponent)},
                  .attribute_count = isnan(exponent) ? 0 : 1};
  run_op(&call, &out, 1);
  aclrtFree(self.data);
  return out;
}

/* All patterns of 16 bits, as half and as bfloat16; as the upper bits of floats with three lower halves. */
static void test_isinf_of_every_half(void **state) {
  (void)state;
  static uint16_t all[65536];
  for (uint32_t i = 0; i < 65536; i++) all[i] = (uint16_t)i;
  device_open();
  for (int t = 0; t < 2; t++) {
    sk_dtype dtype = t == 0 ? SK_FLOAT16 : SK_BF16;
    sk_tensor out = run_unary("isinf", all, dtype, 65536, NAN, t == 0 ? 1 : 0);
    assert_int_equal(out.dtype, SK_BOOL);
    uint8_t *got = fetch(&out);
    for (size_t i = 0; i < 65536; i++) assert_int_equal(got[i], isinf(element(all, dtype, i)) ? 1 : 0);
    free(got);
  }
}

static void test_isinf_of_floats(void **state) {
  (void)state;
  static uint32_t all[65536 * 3];
  for (uint32_t i = 0; i < 65536 * 3; i++) all[i] = i / 3 << 16 | (i % 3 == 0 ? 0 : i % 3 == 1 ? 1 : 0xffffu);
  device_open();
  sk_tensor out = run_unary("IsInf", all, SK_FLOAT, 65536 * 3, NAN, 0);
  uint8_t *got = fetch(&out);
  for (size_t i = 0; i < 65536 * 3; i++) assert_int_equal(got[i], (all[i] & 0x7fffffffu) == 0x7f800000u ? 1 : 0);
  free(got);
}

static void test_isinf_of_integers_is_false(void **state) {
  (void)state;
  static const sk_dtype types[] = {SK_INT8, SK_UINT8, SK_INT16, SK_INT32, SK_INT64, SK_BOOL};
  static uint8_t data[8 * 1001];
  memset(data, 0x7f, sizeof data);
  device_open();
  for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
    sk_tensor out = run_unary("isinf", data, types[t], 1001, NAN, 0);
    uint8_t *got = fetch(&out);
    for (size_t i = 0; i < 1001; i++) assert_int_equal(got[i], 0);
    free(got);
  }
}

static const double exponents[] = {0.5, 2.0, 3.0, -0.5, -1.0, -2.0};

static void play_powers(sk_dtype dtype, const void *data, int64_t count, uint32_t blocks) {
  for (int e = 0; e < 6; e++) {
    sk_tensor out = run_unary("pow", data, dtype, count, exponents[e], blocks);
    void *got = fetch(&out);
    uint64_t want[1];
    for (size_t i = 0; i < (size_t)count; i++) {
      double x = element(data, dtype, i), exact = pow(x, exponents[e]), have = element(got, dtype, i);
      if (exponents[e] == 0.5) exact = sqrt(x);        /* the root of -inf is NaN, that of -0 is -0 */
      if (exponents[e] == -0.5) exact = 1.0 / sqrt(x);
      set_element(want, dtype, 0, exact);
      exact = element(want, dtype, 0);
      /* two or three roundings in float, and one at a limit of the range */
      double slack = dtype == SK_FLOAT ? 2.0 * ulp_of(dtype, exact) : ulp_of(dtype, exact);
      bool near_the_end = fabs(exact) > 3.4e38 || fabs(have) > 3.4e38;
      if (isnan(exact) ? !isnan(have) : have != exact && !(fabs(have - exact) <= slack) && !near_the_end)
        fail_msg("%s: %.9g to the power %g is %.9g, expected %.9g", sk_dtype_name(dtype), x, exponents[e], have, exact);
    }
    aclrtFree(out.data);
    free(got);
  }
}

static void test_powers(void **state) {
  (void)state;
  static const sk_dtype types[] = {SK_FLOAT, SK_FLOAT16, SK_BF16};
  sk__rng rng = sk__rng_from_seed(sk_test_seed("pow"));
  device_open();
  for (int t = 0; t < 3; t++)
    for (int i = 0; i < 2; i++) {
      int64_t count = i == 0 ? 1 : 30011;
      void *data = random_tensor(types[t], (size_t)count, &rng);
      play_powers(types[t], data, count, i == 0 ? 0 : 1);
      free(data);
    }
}

static void test_powers_of_special_numbers(void **state) {
  (void)state;
  static const sk_dtype types[] = {SK_FLOAT, SK_FLOAT16, SK_BF16};
  static const double values[] = {0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, NAN, 65504.0, 4.0, 0.25, 0x1p-20, -8.0};
  device_open();
  for (int t = 0; t < 3; t++) {
    uint32_t data[12];
    for (size_t i = 0; i < 12; i++) set_element(data, types[t], i, values[i]);
    play_powers(types[t], data, 12, 0);
  }
}

/* More than a chunk of random bits, cut and rounded; one scale with many offsets and the other way round. */
static void test_packed_words(void **state) {
  (void)state;
  enum { N = 2500 };
  static uint32_t bits[N];
  static float offsets[N];
  sk__rng rng = sk__rng_from_seed(sk_test_seed("words"));
  for (size_t i = 0; i < N; i++) bits[i] = (uint32_t)sk__rng_below(&rng, UINT32_MAX), offsets[i] = (float)(sk__rng_unit(&rng) * 700.0 - 350.0);
  device_open();
  for (int k = 0; k < 6; k++) {
    int64_t scales = k / 2 == 1 ? 1 : N, count = k / 2 == 2 ? 1 : N, round = k % 2;
    sk_tensor scale = tensor(upload(bits, (size_t)scales * 4), SK_FLOAT, SHAPE(scales)), offset = tensor(upload(offsets, (size_t)count * 4), SK_FLOAT, SHAPE(count));
    sk_tensor out = {0};
    run_op(&(op_call){.name = "TransQuantParamV2", .in = {&scale, &offset}, .in_count = 2, .attribute = {INTEGER("round_mode", round)}, .attribute_count = 1}, &out, 1);
    assert_int_equal(tensor_elements(&out), N);
    uint64_t *got = fetch(&out);
    for (size_t i = 0; i < N; i++) {
      uint32_t word = bits[scales == 1 ? 0 : i], sign = word & 0x80000000u, rest = word & 0x7fffffffu;
      if (round == 1 && rest < 0x800000u) rest = 0;
      if (round == 1 && rest < 0x7f800000u) rest = (uint32_t)(nearbyint((double)rest / 8192.0) * 8192.0);
      int64_t whole = (int64_t)fmax(fmin(nearbyint((double)offsets[count == 1 ? 0 : i]), 255.0), -256.0);
      uint64_t want = sign | (rest & 0xffffe000u) | UINT64_C(1) << 46 | ((uint64_t)whole & 0x1ffu) << 37;
      if (got[i] != want) fail_msg("word %zu of scale %08x is %016llx, expected %016llx", i, word, (unsigned long long)got[i], (unsigned long long)want);
    }
    free(got);
    aclrtFree(scale.data), aclrtFree(offset.data), aclrtFree(out.data);
  }
}

static void test_refusals_of_packing(void **state) {
  (void)state;
  device_open();
  sk_tensor scale = tensor(NULL, SK_FLOAT, SHAPE(4)), two = tensor(NULL, SK_FLOAT, SHAPE(2, 4)), three = tensor(NULL, SK_FLOAT, SHAPE(3)), half = tensor(NULL, SK_FLOAT16, SHAPE(4));
  sk_tensor none = tensor(NULL, SK_FLOAT, SHAPE(0)), out = {0};
#define PACK(...) plan_op(&(op_call){.name = "npu_trans_quant_param", .in = {__VA_ARGS__}, .in_count = 2}, &out, 1)
  assert_refused(PACK(&two), "scale is [2, 4]", "[1, n]");
  assert_refused(PACK(&none), "scale is [0]", "not empty");
  assert_refused(PACK(&half), "scale is float16", "float32");
  assert_refused(PACK(&scale, &three), "offset is [3]", "[n] or [1]");
  assert_refused(plan_op(&(op_call){.name = "npu_trans_quant_param", .in = {&scale}, .in_count = 1, .attribute = {INTEGER("round_mode", 2)}, .attribute_count = 1}, &out, 1),
                 "round_mode is 2", "0 (cut)");
}

static void test_refusals(void **state) {
  (void)state;
  device_open();
  sk_tensor x = tensor(NULL, SK_FLOAT, SHAPE(4)), whole = tensor(NULL, SK_INT32, SHAPE(4)), words = tensor(NULL, SK_UINT64, SHAPE(4)), out = {0};
  assert_refused(plan_op(&(op_call){.name = "Pows", .in = {&x}, .in_count = 1, .attribute = {REAL("exponent", 2.5)}, .attribute_count = 1}, &out, 1),
                 "exponent is another number", "0.5, 2, 3");
  assert_refused(plan_op(&(op_call){.name = "Pows", .in = {&whole}, .in_count = 1}, &out, 1), "self is int32", "float32, float16, bfloat16");
  assert_refused(plan_op(&(op_call){.name = "IsInf", .in = {&words}, .in_count = 1}, &out, 1), "self is uint64", "bool");
  assert_refused(plan_op(&(op_call){.name = "IsInf", .in = {&x}, .in_count = 1, .attribute = {REAL("exponent", 2.0)}, .attribute_count = 1}, &out, 1),
                 "attribute is exponent", "no attributes");
}

SK_TESTS(SK_TEST(test_refusals), SK_TEST(test_refusals_of_packing), SK_TEST(test_packed_words), SK_TEST(test_isinf_of_every_half), SK_TEST(test_isinf_of_floats), SK_TEST(test_isinf_of_integers_is_false),
         SK_TEST(test_powers), SK_TEST(test_powers_of_special_numbers))
