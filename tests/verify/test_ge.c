/* Mode ge: a program's scopes fused by the rules of GE graph mode. */
#include "twin_fixture.h"

static aclrtStream new_stream(void) {
  aclrtStream stream = NULL;
  assert_ok(aclrtCreateStream(&stream));
  return stream;
}

/* Two kernels before, two in a scope, one behind. */
static void scoped_program(const void *a, const void *b) {
  aclrtStream stream = new_stream();
  launch(stream, &add_vector, 8, a, (void *)(uintptr_t)b, 1);
  assert_ok(aclskScopeBegin("s", stream));
  launch(stream, &add_cube, 8, b, (void *)(uintptr_t)a, 1);
  launch(stream, &add_vector, 8, a, (void *)(uintptr_t)b, 1);
  assert_ok(aclskScopeEnd("s", stream));
  launch(stream, &add_vector, 8, b, (void *)(uintptr_t)a, 1);
  assert_ok(aclrtSynchronizeStream(stream));
}

static void test_bad_options_are_told(void **state) {
  (void)state;
  sk__verifier_set_ge_options(twin_open("ge"), "early-strat=1");
  scoped_program(buffer_new(0), buffer_new(0));
  assert_int_equal(mode_of("ge")->outcome, SK__FAILED);
  assert_non_null(strstr(mode_of("ge")->why, "early-strat"));
}
static void test_without_scopes_nothing_is_fused(void **state) {
  (void)state;
  twin_open("ge");
  void *a = buffer_new(0);
  launch(NULL, &add_vector, 8, a, a, 1);
  assert_ok(aclrtSynchronizeDevice());
  assert_int_equal(mode_of("ge")->outcome, SK__NOTHING_FUSED);
  assert_int_equal(mode_of("ge")->launches, 1);
}
static void test_streams_without_an_event_need_the_option(void **state) {
  (void)state;
  for (int round = 0; round < 2; round++) {
    sk__verifier_set_ge_options(twin_open("ge"), round == 0 ? NULL : "stream-fusion=1");
    void *a = buffer_new(0), *b = buffer_new(0);
    aclrtStream one = new_stream(), two = new_stream();
    assert_ok(aclskScopeBegin("s", one));
    launch(one, &add_vector, 8, a, a, 1);
    launch(two, &add_cube, 8, b, b, 1);
    assert_ok(aclskScopeEnd("s", one));
    assert_ok(aclrtSynchronizeDevice());
    assert_int_equal(mode_of("ge")->outcome, round == 0 ? SK__FAILED : SK__SAME);
    if (round == 0) assert_non_null(strstr(mode_of("ge")->why, "stream-fusion"));
  }
}
static void test_a_scope_becomes_one_launch(void **state) {
  (void)state;
  twin_open("ge");
  void *a = buffer_new(0);
  scoped_program(a, buffer_new(0));
  assert_int_equal(mode_of("ge")->outcome, SK__SAME);
  assert_int_equal(mode_of("ge")->launches, 3);
  assert_int_equal(mode_of("ge")->sk_launches, 1);
  assert_int_equal(shown_all(), 0);
  buffer_check(a, 4);
}
static void test_an_order_that_only_fusing_takes_away(void **state) {
  (void)state;
  twin_open("ge");
  void *a = buffer_new(0);
  aclrtStream stream = new_stream();
  assert_ok(aclskScopeBegin("s", stream));
  launch(stream, &load_last, 4, a, a, 0);
  launch(stream, &store_first, 4, a, a, 1);
  assert_ok(aclskScopeEnd("s", stream));
  assert_ok(aclrtSynchronizeStream(stream));
  assert_int_equal(shown("H18"), 1);
}
static void test_the_same_drained_is_silent(void **state) {
  (void)state;
  twin_open("ge");
  void *a = buffer_new(0);
  aclrtStream stream = new_stream();
  assert_ok(aclskScopeBegin("s", stream));
  launch(stream, &load_drained, 4, a, a, 0);
  launch(stream, &store_first, 4, a, a, 1);
  assert_ok(aclskScopeEnd("s", stream));
  assert_ok(aclrtSynchronizeStream(stream));
  assert_int_equal(shown_all(), 0);
}

SK_TESTS(SK_TEST(test_bad_options_are_told), SK_TEST(test_without_scopes_nothing_is_fused), SK_TEST(test_streams_without_an_event_need_the_option),
         SK_TEST(test_a_scope_becomes_one_launch), SK_TEST(test_an_order_that_only_fusing_takes_away), SK_TEST(test_the_same_drained_is_silent))
