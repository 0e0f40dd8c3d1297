/* How two buffers differ: bit-exact first, then by element type within its thresholds. */
#include <math.h>
#include <string.h>

#include "base/numbers.h"
#include "harness.h"
#include "verify/verify.h"

static sk__difference compare_floats(const float *a, const float *b, size_t count) {
  sk__difference d;
  sk__compare(SK__DTYPE_F32, a, b, count * 4, &d);
  assert_int_equal(d.elements, count);
  return d;
}

static void test_equal_bytes_are_identical(void **state) {
  (void)state;
  float a[3] = {1.0f, NAN, -0.0f};
  sk__difference d = compare_floats(a, a, 3);
  assert_int_equal(d.match, SK__IDENTICAL);
  assert_int_equal(d.differing, 0);
  sk__compare(SK__DTYPE_F32, a, a, 0, &d);
  assert_int_equal(d.match, SK__IDENTICAL);
}
static void test_first_difference_and_extremes(void **state) {
  (void)state;
  float a[4] = {1.0f, 2.0f, 4.0f, 8.0f}, b[4] = {1.0f, 3.0f, 4.0f, 8.5f};
  sk__difference d = compare_floats(a, b, 4);
  assert_int_equal(d.match, SK__DIFFERENT);
  assert_int_equal(d.differing, 2);
  assert_int_equal(d.first_index, 1);
  assert_true(d.first_reference == 2.0 && d.first_other == 3.0);
  assert_true(d.max_abs == 1.0 && d.max_rel == 0.5);
}
static void test_ulp_distance(void **state) {
  (void)state;
  float a[2] = {1.0f, -1e-45f}, b[2] = {1.0f + 0x1p-23f, 1e-45f};
  sk__difference d = compare_floats(a, b, 2);
  assert_int_equal(d.match, SK__WITHIN_TOLERANCE); /* the second is two steps over zero */
  assert_int_equal(d.max_ulp, 2);
  uint16_t h[1] = {0x3c00}, g[1] = {0x3c05};
  sk__compare(SK__DTYPE_F16, h, g, 2, &d);
  assert_int_equal(d.max_ulp, 5);
}
/* Just inside and just outside of each float type's threshold. */
static void test_thresholds_by_type(void **state) {
  (void)state;
  float a = 1.0f, inside = 1.0f + 0x1p-20f, outside = 1.0f + 0x1.2p-20f;
  assert_int_equal(compare_floats(&a, &inside, 1).match, SK__WITHIN_TOLERANCE);
  assert_int_equal(compare_floats(&a, &outside, 1).match, SK__DIFFERENT);
  static const struct { sk__dtype dtype; uint16_t one; uint16_t steps; } halves[] = {
      {SK__DTYPE_F16, 0x3c00, 2}, {SK__DTYPE_BF16, 0x3f80, 2}}; /* 2^-9 and 2^-6 relative */
  for (int i = 0; i < 2; i++) {
    uint16_t near = (uint16_t)(halves[i].one + halves[i].steps), far = (uint16_t)(near + 1);
    sk__difference d;
    sk__compare(halves[i].dtype, &halves[i].one, &near, 2, &d);
    assert_int_equal(d.match, SK__WITHIN_TOLERANCE);
    sk__compare(halves[i].dtype, &halves[i].one, &far, 2, &d);
    assert_int_equal(d.match, SK__DIFFERENT);
  }
}
static void test_nan_equals_nan_only(void **state) {
  (void)state;
  float quiet = NAN, other = sk__f32_from_bits(0x7fc00001), one = 1.0f;
  assert_int_equal(compare_floats(&quiet, &other, 1).match, SK__WITHIN_TOLERANCE);
  assert_int_equal(compare_floats(&quiet, &one, 1).match, SK__DIFFERENT);
  assert_int_equal(compare_floats(&one, &quiet, 1).match, SK__DIFFERENT);
}
static void test_infinities(void **state) {
  (void)state;
  float inf = INFINITY, minus = -INFINITY, large = 3.4e38f;
  assert_int_equal(compare_floats(&inf, &minus, 1).match, SK__DIFFERENT);
  assert_int_equal(compare_floats(&inf, &large, 1).match, SK__DIFFERENT);
  sk__difference d = compare_floats(&inf, &large, 1);
  assert_true(d.max_abs == 0.0); /* an infinite gap is no tolerance */
}
static void test_zeros_of_either_sign(void **state) {
  (void)state;
  float plus = 0.0f, minus = -0.0f;
  sk__difference d = compare_floats(&plus, &minus, 1);
  assert_int_equal(d.match, SK__WITHIN_TOLERANCE);
  assert_int_equal(d.differing, 1);
  assert_int_equal(d.max_ulp, 0);
}
static void test_integers_are_exact_and_ties_counted(void **state) {
  (void)state;
  int8_t a[4] = {1, 2, 3, -128}, b[4] = {1, 3, 2, 127};
  sk__difference d;
  sk__compare(SK__DTYPE_I8, a, b, 4, &d);
  assert_int_equal(d.match, SK__DIFFERENT);
  assert_int_equal(d.differing, 3);
  assert_int_equal(d.ties, 2);
  assert_int_equal(d.max_ulp, 0);
  assert_true(d.max_abs == 255.0);
}
static void test_every_type_reads_its_own_size(void **state) {
  (void)state;
  static const struct { sk__dtype dtype; double second; } types[] = {
      {SK__DTYPE_BYTES, 0}, {SK__DTYPE_I8, 0}, {SK__DTYPE_U8, 0}, {SK__DTYPE_I16, -2}, {SK__DTYPE_U16, 65534},
      {SK__DTYPE_I32, -2}, {SK__DTYPE_U32, 4294967294.0}, {SK__DTYPE_I64, -2}, {SK__DTYPE_U64, 18446744073709551614.0}};
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    uint32_t size = sk__dtype_bytes(types[i].dtype);
    uint8_t a[16] = {0}, b[16] = {0};
    memset(b + size, 0xff, size);
    b[size] = 0xfe; /* little endian: ...fffe */
    sk__difference d;
    sk__compare(types[i].dtype, a, b, 2 * size, &d);
    assert_int_equal(d.elements, 2);
    assert_int_equal(d.first_index, 1);
    if (size > 1) assert_true(d.first_other == types[i].second);
  }
}
static void test_odd_sizes_are_compared_as_bytes(void **state) {
  (void)state;
  uint8_t a[7] = {0}, b[7] = {0, 0, 0, 0, 0, 0, 1};
  sk__difference d;
  sk__compare(SK__DTYPE_F32, a, b, 7, &d);
  assert_int_equal(d.dtype, SK__DTYPE_BYTES);
  assert_int_equal(d.elements, 7);
  assert_int_equal(d.first_index, 6);
}
static void test_types_from_declared_parameters(void **state) {
  (void)state;
  static const struct { const char *text; sk__dtype dtype; } cases[] = {
      {NULL, SK__DTYPE_BYTES}, {"GM_ADDR", SK__DTYPE_BYTES}, {"__gm__ uint8_t *", SK__DTYPE_BYTES}, {"__gm__ int8_t *", SK__DTYPE_I8},
      {"__gm__ float *", SK__DTYPE_F32}, {"__gm__ half *", SK__DTYPE_F16}, {"__gm__ bfloat16_t *", SK__DTYPE_BF16},
      {"__gm__ const int32_t *", SK__DTYPE_I32}, {"__gm__ uint32_t *", SK__DTYPE_U32}, {"__gm__ int64_t *", SK__DTYPE_I64},
      {"__gm__ uint64_t *", SK__DTYPE_U64}, {"__gm__ int16_t *", SK__DTYPE_I16}, {"__gm__ uint16_t *", SK__DTYPE_U16},
      {"__gm__ int *", SK__DTYPE_I32}, {"__gm__ struct tiling *", SK__DTYPE_BYTES}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    if (sk__dtype_of_text(cases[i].text) != cases[i].dtype)
      fail_msg("'%s' is %s", cases[i].text, sk__dtype_name(sk__dtype_of_text(cases[i].text)));
}

SK_TESTS(SK_TEST(test_equal_bytes_are_identical), SK_TEST(test_first_difference_and_extremes), SK_TEST(test_ulp_distance),
         SK_TEST(test_thresholds_by_type), SK_TEST(test_nan_equals_nan_only), SK_TEST(test_infinities), SK_TEST(test_zeros_of_either_sign),
         SK_TEST(test_integers_are_exact_and_ties_counted), SK_TEST(test_every_type_reads_its_own_size),
         SK_TEST(test_odd_sizes_are_compared_as_bytes), SK_TEST(test_types_from_declared_parameters))
