/* Wrong arguments of vector instructions: each is found, names its operand and legal values, and leaves
 * memory alone; the right call beside it is silent. */
#include <string.h>

#include "vector_fixture.h"

#include "c_api/asc_vector.h"

static uint8_t before[UB_BYTES];
static void start(void) {
  fixture_reset(5);
  memcpy(before, fixture_ub, UB_BYTES);
}
static void expect_finding(const char *id, const char *part) {
  assert_int_equal(fixture_findings, 1);
  assert_string_equal(fixture_finding.id, id);
  assert_non_null(strstr(fixture_finding.message, part));
  assert_memory_equal(before, fixture_ub, UB_BYTES);
  for (uint32_t i = 0; i < UB_BYTES; i++) assert_int_equal(fixture_written[i], 0);
}

static void test_repeat_stride_past_255(void **state) {
  (void)state;
  start();
  asc_exp((float *)ub(0), (const float *)ub(1024), 1, 1, 1, 256, 8);
  expect_finding("BAD_ARGUMENT", "asc_exp: dst_repeat_stride is 256; legal: 0..255");
  start();
  asc_exp((float *)ub(0), (const float *)ub(1024), 1, 1, 1, 8, 300);
  expect_finding("BAD_ARGUMENT", "src_repeat_stride is 300");
  start();
  asc_exp((float *)ub(0), (const float *)ub(1024), 1, 1, 1, 255, 255);
  assert_int_equal(fixture_findings, 0);
}
static void test_misaligned_operand(void **state) {
  (void)state;
  start();
  asc_add((float *)ub(4), (float *)ub(1024), (float *)ub(2048), 8);
  expect_finding("MISALIGNED", "dst");
  start();
  asc_add((float *)ub(0), (float *)ub(1024), (float *)ub(2064), 8);
  expect_finding("MISALIGNED", "src1");
}
static void test_past_the_end(void **state) {
  (void)state;
  start();
  asc_abs((half *)ub(UB_BYTES - 64), (half *)ub(0), 33);
  expect_finding("OUT_OF_BOUNDS", "dst");
  start();
  asc_abs((half *)ub(UB_BYTES - 64), (half *)ub(0), 32);
  assert_int_equal(fixture_findings, 0);
  start();
  asc_add((half *)ub(0), (half *)ub(0), (half *)ub(UB_BYTES - 512), 2, 1, 1, 1, 8, 8, 9);
  expect_finding("OUT_OF_BOUNDS", "src1");
  start();
  asc_add((half *)ub(0), (half *)ub(0), (half *)ub(UB_BYTES - 512), 2, 1, 1, 1, 8, 8, 8);
  assert_int_equal(fixture_findings, 0);
}
static void test_last_partial_block_may_end_the_ub(void **state) {
  (void)state;
  start();
  asc_set_vector_mask(0, 0xff); /* one block of floats */
  asc_exp((float *)ub(UB_BYTES - 32), (float *)ub(UB_BYTES - 32), 1, 1, 1, 8, 8);
  assert_int_equal(fixture_findings, 0);
}
static void test_overlap(void **state) {
  (void)state;
  start(); /* one element further: the flat addition would feed on its own results */
  asc_add((float *)ub(32), (float *)ub(0), (float *)ub(4096), 128);
  assert_int_equal(fixture_findings, 1);
  assert_string_equal(fixture_finding.id, "OVERLAP");
  start();
  asc_add((float *)ub(0), (float *)ub(0), (float *)ub(4096), 128);
  assert_int_equal(fixture_findings, 0);
  start(); /* widening in place from the front: iteration 0 destroys what iteration 1 reads */
  asc_half2float((float *)ub(0), (half *)ub(0), 128);
  assert_int_equal(fixture_findings, 1);
  start(); /* from the back, it does not */
  asc_half2float((float *)ub(0), (half *)ub(256), 128);
  assert_int_equal(fixture_findings, 0);
  start(); /* narrowing in place */
  asc_float2half((half *)ub(0), (float *)ub(0), 128);
  assert_int_equal(fixture_findings, 0);
  start(); /* accumulation is for src1, not for src0 */
  asc_add((float *)ub(0), (float *)ub(0), (float *)ub(4096), 3, 1, 1, 1, 0, 0, 8);
  assert_int_equal(fixture_findings, 1);
  start();
  asc_add((float *)ub(0), (float *)ub(4096), (float *)ub(0), 3, 1, 1, 1, 0, 8, 0);
  assert_int_equal(fixture_findings, 0);
}
/* In counter mode the count is per iteration of a copy, and may be longer than eight blocks. */
static void test_long_copies(void **state) {
  (void)state;
  start();
  asc_set_mask_count();
  asc_set_vector_mask(0, 1000);
  asc_copy((int32_t *)ub(65536), (int32_t *)ub(0), 2, 1, 1, 125, 125);
  assert_int_equal(fixture_findings, 0);
  assert_memory_equal(ub(65536), before, 8000);
  start();
  asc_set_mask_count();
  asc_set_vector_mask(0, 1000);
  asc_copy((int32_t *)ub(32), (int32_t *)ub(0), 2, 1, 1, 125, 125);
  assert_int_equal(fixture_findings, 1);
}
static void test_shift_distance(void **state) {
  (void)state;
  start();
  asc_shiftleft((int16_t *)ub(0), (int16_t *)ub(512), 17, 16);
  expect_finding("BAD_ARGUMENT", "the shift distance is 17; legal: 0..16");
  start();
  asc_shiftright((int32_t *)ub(0), (int32_t *)ub(512), -1, 16);
  expect_finding("BAD_ARGUMENT", "the shift distance is -1; legal: 0..32");
  start();
  asc_shiftright((int32_t *)ub(0), (int32_t *)ub(512), 32, 16);
  assert_int_equal(fixture_findings, 0);
}
static void test_odd_int4_count(void **state) {
  (void)state;
  start();
  asc_half2int4((int4b_t *)ub(0), (half *)ub(512), 7);
  expect_finding("BAD_ARGUMENT", "asc_half2int4: count is 7; legal: even");
  start();
  asc_int42half((half *)ub(0), (int4b_t *)ub(512), 8);
  assert_int_equal(fixture_findings, 0);
}
static void test_nothing_on_a_cube_core(void **state) {
  (void)state;
  start();
  sk__self->type = SK__AIC;
  asc_add_sync((float *)ub(0), (float *)ub(1024), (float *)ub(2048), 8);
  asc_set_vector_mask(1, 2);
  assert_int_equal(fixture_findings, 0);
  assert_int_equal(fixture_barriers, 0);
  assert_memory_equal(before, fixture_ub, UB_BYTES);
  assert_true(sk__self->mask[0] == UINT64_MAX);
}
static void test_nothing_for_zero(void **state) {
  (void)state;
  start();
  asc_add((float *)ub(0), (float *)ub(1024), (float *)ub(2048), 0);
  asc_set_vector_mask(UINT64_MAX, UINT64_MAX);
  asc_add((float *)ub(0), (float *)ub(1024), (float *)ub(2048), 0, 1, 1, 1, 8, 8, 8);
  asc_set_vector_mask(UINT64_MAX, 0); /* floats look at the low half only */
  asc_add((float *)ub(0), (float *)ub(1024), (float *)ub(2048), 1, 1, 1, 1, 8, 8, 8);
  assert_int_equal(fixture_findings, 0);
  assert_memory_equal(before, fixture_ub, UB_BYTES);
}
static void test_count_form_leaves_its_count(void **state) {
  (void)state;
  start();
  asc_add_sync((float *)ub(0), (float *)ub(1024), (float *)ub(2048), 19);
  assert_true(sk__self->mask[0] == 19 && sk__self->mask[1] == 0);
  assert_false(sk__ctrl(sk__self, SK__CTRL_COUNTER_MODE));
  assert_int_equal(fixture_barriers, 1);
}
static void test_raw_offsets_are_addresses(void **state) {
  (void)state;
  start();
  asc_duplicate((float *)64, 1.5f, 8);
  asc_add_scalar((float *)128, (float *)64, 2.0f, 8);
  assert_int_equal(fixture_findings, 0);
  assert_true(((float *)ub(128))[7] == 3.5f);
}
static void test_cost_counts_iterations(void **state) {
  (void)state;
  start();
  asc_exp((float *)ub(0), (float *)ub(4096), 65); /* two iterations at 32 elements per cycle */
  assert_int_equal(sk__self->cycles[SK__PIPE_V], 10 + 2 * 2);
  asc_add((int16_t *)ub(0), (int16_t *)ub(4096), (int16_t *)ub(8192), 128 * 10);
  assert_int_equal(sk__self->cycles[SK__PIPE_V], 14 + 10 + 10);
}

SK_TESTS(SK_TEST(test_repeat_stride_past_255), SK_TEST(test_misaligned_operand), SK_TEST(test_past_the_end),
         SK_TEST(test_last_partial_block_may_end_the_ub), SK_TEST(test_overlap), SK_TEST(test_long_copies), SK_TEST(test_shift_distance), SK_TEST(test_odd_int4_count),
         SK_TEST(test_nothing_on_a_cube_core), SK_TEST(test_nothing_for_zero),
         SK_TEST(test_count_form_leaves_its_count), SK_TEST(test_raw_offsets_are_addresses),
         SK_TEST(test_cost_counts_iterations))
