/* test_numbers_int.c - floats into integers, integers into narrower ones, packed int4, names of the modes. */
#include "reference.h"

static const sk__int_mode both[] = {SK__INT_CLAMP, SK__INT_TRUNCATE};

static void test_specials_by_hand(void **state) {
  (void)state;
  assert_int_equal(sk__i32_from_f32(NAN, SK__ROUND_RINT, SK__INT_CLAMP), 0);
  assert_int_equal(sk__i32_from_f32(NAN, SK__ROUND_RINT, SK__INT_TRUNCATE), 0);
  assert_true(sk__i64_from_f32(INFINITY, SK__ROUND_RINT, SK__INT_CLAMP) == INT64_MAX);
  assert_true(sk__i64_from_f32(-INFINITY, SK__ROUND_RINT, SK__INT_TRUNCATE) == INT64_MIN);
  assert_int_equal(sk__i4_from_f16(0x7c00, SK__ROUND_RINT, SK__INT_CLAMP), 7);
  assert_int_equal(sk__i4_from_f16(0xfc00, SK__ROUND_RINT, SK__INT_CLAMP), -8);
  assert_int_equal(sk__u8_from_f16(0xbc00, SK__ROUND_RINT, SK__INT_CLAMP), 0);    /* -1 */
  assert_int_equal(sk__u8_from_f16(0xbc00, SK__ROUND_RINT, SK__INT_TRUNCATE), 255);
  assert_int_equal(sk__i16_from_f16(0x7bff, SK__ROUND_RINT, SK__INT_CLAMP), 32767); /* 65504 */
  assert_int_equal(sk__i16_from_f16(0x7bff, SK__ROUND_RINT, SK__INT_TRUNCATE), -32);
}

static void test_half_way_values_by_hand(void **state) {
  (void)state;
  static const struct { float x; int wanted[SK__ROUNDS]; } known[] = {
    /* NONE RINT FLOOR CEIL ROUND TRUNC ODD */
    {2.5f, {2, 2, 2, 3, 3, 2, 3}},
    {-2.5f, {-2, -2, -3, -2, -3, -2, -3}},
    {3.5f, {4, 4, 3, 4, 4, 3, 3}},
    {-0.5f, {0, 0, -1, 0, -1, 0, -1}},
    {0.49999997f, {0, 0, 0, 1, 0, 0, 1}},
    {8388607.5f, {8388608, 8388608, 8388607, 8388608, 8388608, 8388607, 8388607}}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    for (int mode = 0; mode < SK__ROUNDS; mode++)
      same("i32_from_f32", sk__bits_from_f32(known[i].x), mode, 0,
           (uint64_t)sk__i32_from_f32(known[i].x, mode, SK__INT_CLAMP), (uint64_t)known[i].wanted[mode]);
}

static void test_every_half_to_every_integer(void **state) {
  (void)state;
  for (uint32_t h = 0; h < 0x10000u; h++) {
    double x = (double)sk__f32_from_f16((uint16_t)h);
    for (int mode = 0; mode < SK__ROUNDS; mode++)
      for (int k = 0; k < 2; k++) {
#define X(name, type, bits, is_signed)                                                          \
  same(#name "_from_f16", h, mode, both[k], (uint64_t)sk__##name##_from_f16((uint16_t)h, mode, both[k]), \
       ref_int(x, mode, both[k], bits, is_signed));
        SK__INT_LIST(X)
#undef X
      }
  }
}

static void test_every_bfloat16_to_every_integer(void **state) {
  (void)state;
  for (uint32_t b = 0; b < 0x10000u; b++) {
    double x = (double)sk__f32_from_bf16((uint16_t)b);
    for (int mode = 0; mode < SK__ROUNDS; mode++)
      for (int k = 0; k < 2; k++) {
#define X(name, type, bits, is_signed)                                                            \
  same(#name "_from_bf16", b, mode, both[k], (uint64_t)sk__##name##_from_bf16((uint16_t)b, mode, both[k]), \
       ref_int(x, mode, both[k], bits, is_signed));
        SK__INT_LIST(X)
#undef X
      }
  }
}

static void test_floats_of_the_walk_to_every_integer(void **state) {
  (void)state;
  ref_walk walk = ref_walk_begin("float to int");
  for (float x; ref_walk_next(&walk, &x);)
    for (int mode = 0; mode < SK__ROUNDS; mode++)
      for (int k = 0; k < 2; k++) {
#define X(name, type, bits, is_signed)                                                              \
  same(#name "_from_f32", sk__bits_from_f32(x), mode, both[k], (uint64_t)sk__##name##_from_f32(x, mode, both[k]), \
       ref_int((double)x, mode, both[k], bits, is_signed));
        SK__INT_LIST(X)
#undef X
      }
}

static void test_narrowing_integers_clamps_or_truncates(void **state) {
  (void)state;
  assert_int_equal(sk__i16_from_i32(40000, SK__INT_CLAMP), 32767);
  assert_int_equal(sk__i16_from_i32(-40000, SK__INT_CLAMP), -32768);
  assert_int_equal(sk__i16_from_i32(40000, SK__INT_TRUNCATE), -25536);
  assert_int_equal(sk__i16_from_i32(-123, SK__INT_CLAMP), -123);
  assert_int_equal(sk__i32_from_i64(INT64_MAX, SK__INT_CLAMP), INT32_MAX);
  assert_int_equal(sk__i32_from_i64(INT64_MIN, SK__INT_CLAMP), INT32_MIN);
  assert_int_equal(sk__i32_from_i64(INT64_MAX, SK__INT_TRUNCATE), -1);
  assert_int_equal(sk__i32_from_i64(INT64_C(0x123456789), SK__INT_TRUNCATE), 0x23456789);
  assert_true(sk__i64_from_i32(INT32_MIN) == INT32_MIN);
}

static void test_packed_int4_element_0_is_the_low_nibble(void **state) {
  (void)state;
  uint8_t bytes[2] = {0x8f, 0x70};
  static const int wanted[] = {-1, -8, 0, 7};
  for (size_t i = 0; i < 4; i++) assert_int_equal(sk__i4_load(bytes, i), wanted[i]);
  sk__i4_store(bytes, 1, 5);
  sk__i4_store(bytes, 2, -3);
  assert_int_equal(bytes[0], 0x5f);
  assert_int_equal(bytes[1], 0x7d);
}

static void test_modes_have_names_and_others_none(void **state) {
  (void)state;
  assert_string_equal(sk__round_name(SK__ROUND_RINT), "RINT");
  assert_string_equal(sk__round_name((sk__round)6), "ODD");
  assert_non_null(sk__round_text(SK__ROUND_FLOOR));
  assert_null(sk__round_name((sk__round)7));
  assert_null(sk__round_text((sk__round)99));
}

SK_TESTS(
  SK_TEST(test_specials_by_hand),
  SK_TEST(test_half_way_values_by_hand),
  SK_TEST(test_every_half_to_every_integer),
  SK_TEST(test_every_bfloat16_to_every_integer),
  SK_TEST(test_floats_of_the_walk_to_every_integer),
  SK_TEST(test_narrowing_integers_clamps_or_truncates),
  SK_TEST(test_packed_int4_element_0_is_the_low_nibble),
  SK_TEST(test_modes_have_names_and_others_none))
