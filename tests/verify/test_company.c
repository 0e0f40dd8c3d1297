/* Modes alone, twice and neighbour: what one operator does by itself, after itself, beside good ones. */
#include "twin_fixture.h"

#define MODES "unfused,fused,alone,twice,neighbour"

/* One launch under the modes. */
static void one(const sk_kernel *kernel, uint32_t blocks) {
  void *a = buffer_new(1), *b = buffer_new(0);
  launch(NULL, kernel, blocks, a, b, 1);
  assert_ok(aclrtSynchronizeDevice());
}

static void test_a_good_operator_is_silent(void **state) {
  (void)state;
  twin_open(MODES);
  one(&add_vector, 8);
  one(&add_cube, 8);
  one(&first_vector, 8);
  one(&local_drained, 8);
  one(&load_drained, 8);
  for (size_t i = 1; i < twin_result()->mode_count; i++)
    if (twin_result()->modes[i].outcome != SK__SAME) fail_msg("mode %zu: outcome %d: %s", i, (int)twin_result()->modes[i].outcome, twin_result()->modes[i].why);
  assert_int_equal(shown_all(), 0);
  assert_int_equal(sk__verdict_of(twin_result()), SK__VERDICT_CLEAN);
}

/* Each operator becomes a launch of its own; twice it is one launch as well, of two. */
static void test_launches(void **state) {
  (void)state;
  twin_open(MODES);
  void *a = buffer_new(0), *b = buffer_new(0);
  for (int i = 0; i < 3; i++) launch(NULL, &add_vector, 8, i % 2 == 0 ? a : b, i % 2 == 0 ? b : a, 1);
  assert_ok(aclrtSynchronizeDevice());
  assert_int_equal(mode_of("fused")->launches, 1);
  static const char *const names[] = {"alone", "twice", "neighbour"};
  for (size_t i = 0; i < 3; i++) {
    assert_int_equal(mode_of(names[i])->launches, 3);
    assert_int_equal(mode_of(names[i])->sk_launches, 3);
    assert_int_equal(mode_of(names[i])->outcome, SK__SAME);
  }
  assert_int_equal(mode_of("alone")->aiv, 8);
  assert_int_equal(mode_of("twice")->aiv, 8);
  assert_int_equal(mode_of("neighbour")->aiv, 48);
  buffer_check(b, 3);
}

/* In place: the second run reads what the first left, un-fused as well. */
static void test_an_operator_in_place_has_its_own_reference(void **state) {
  (void)state;
  twin_open(MODES);
  void *a = buffer_new(5);
  launch(NULL, &add_vector, 8, a, a, 1);
  assert_ok(aclrtSynchronizeDevice());
  assert_int_equal(mode_of("twice")->outcome, SK__SAME);
  buffer_check(a, 6); /* the program sees one run */
}

/* What is still running at the end hurts whoever comes next. */
static void test_an_operator_that_does_not_wait_is_found_beside_others(void **state) {
  (void)state;
  twin_open("unfused,alone");
  one(&local_last, 8);
  assert_int_equal(shown_all(), 0);
  twin_open("unfused,neighbour");
  one(&local_last, 8);
  assert_true(shown_all() > 0);
  assert_true(mode_of("neighbour")->findings > 0);
}

/* Beside a neighbour for two vector cores per cube core, a kernel written for one meets the second. */
static void test_an_operator_that_counts_on_one_vector_core_is_found(void **state) {
  (void)state;
  twin_open("unfused,alone,twice");
  one(&both_vectors, 8);
  assert_int_equal(shown_all(), 0);
  twin_open("unfused,neighbour");
  one(&both_vectors, 8);
  assert_true(shown("H4") > 0);
}

static void test_what_must_not_be_fused_is_not(void **state) {
  (void)state;
  twin_open(MODES);
  void *a = buffer_new(0), *b = buffer_new(0);
  aclrtStream stream = NULL;
  assert_ok(aclrtCreateStream(&stream));
  assert_ok(aclskScopeBegin(NULL, stream));
  launch(stream, &add_vector, 8, a, b, 1);
  assert_ok(aclskScopeEnd(NULL, stream));
  assert_ok(aclrtSynchronizeStream(stream));
  for (size_t i = 1; i < twin_result()->mode_count; i++) assert_int_equal(twin_result()->modes[i].outcome, SK__NOTHING_FUSED);
}

static void test_scopes_of_the_program_do_not_matter(void **state) {
  (void)state;
  twin_open(MODES);
  void *a = buffer_new(0), *b = buffer_new(0);
  aclrtStream stream = NULL;
  assert_ok(aclrtCreateStream(&stream));
  assert_ok(aclskScopeBegin("s", stream));
  launch(stream, &add_vector, 8, a, b, 1);
  assert_ok(aclskScopeEnd("s", stream));
  launch(stream, &add_vector, 8, b, a, 1);
  assert_ok(aclrtSynchronizeStream(stream));
  assert_int_equal(mode_of("fused")->sk_launches, 1);
  assert_int_equal(mode_of("twice")->sk_launches, 2);
  assert_int_equal(mode_of("neighbour")->sk_launches, 2);
  buffer_check(a, 2);
}

SK_TESTS(SK_TEST(test_a_good_operator_is_silent), SK_TEST(test_launches), SK_TEST(test_an_operator_in_place_has_its_own_reference),
         SK_TEST(test_an_operator_that_does_not_wait_is_found_beside_others), SK_TEST(test_an_operator_that_counts_on_one_vector_core_is_found),
         SK_TEST(test_what_must_not_be_fused_is_not),
         SK_TEST(test_scopes_of_the_program_do_not_matter))
