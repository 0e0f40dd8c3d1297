/* Mode ge: a program's scopes fused by the rules of GE graph mode. */
#include "superkernel/ge.h"
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
/* What graph mode's own options do about it, on the smallest scope. */
static void test_a_failure_is_diagnosed(void **state) {
  (void)state;
  sk__verifier_set_diagnose(twin_open("ge"), true);
  void *a = buffer_new(0), *b = buffer_new(0), *c = buffer_new(0);
  aclrtStream stream = new_stream();
  assert_ok(aclskScopeBegin("s", stream));
  launch(stream, &add_vector, 8, c, c, 1);
  launch(stream, &load_last, 1, a, b, 1);
  launch(stream, &store_first, 1, b, a, 1);
  assert_ok(aclskScopeEnd("s", stream));
  assert_ok(aclrtSynchronizeDevice());
  const sk__verify_result *result = twin_result();
  const sk__diagnosis *diagnosis = NULL;
  for (size_t i = 0; i < result->finding_count; i++)
    if (result->findings[i].diagnosis != NULL) diagnosis = result->findings[i].diagnosis;
  assert_non_null(diagnosis);
  assert_int_equal(diagnosis->mode.kind, SK__MODE_GE);
  assert_int_equal(diagnosis->fused_count, 3);
  assert_int_equal(diagnosis->member_count, 2);
  assert_string_equal(diagnosis->members[0], "load_last");
  assert_string_equal(diagnosis->members[1], "store_first");
  for (uint32_t i = 0; i < diagnosis->attempt_count; i++) {
    const sk__attempt *attempt = &diagnosis->attempts[i];
    if (attempt->change == SK__CHANGE_DCCI_ALL) assert_int_equal(attempt->effect, SK__EFFECT_GOES_AWAY);
    if (attempt->change == SK__CHANGE_EARLY_START_OFF) assert_int_equal(attempt->effect, SK__EFFECT_STAYS);
  }
  assert_true(diagnosis->attempt_count >= 3);
}
/* The options that were given stay, but for the one that changes. */
static void test_a_diagnosis_keeps_the_given_options(void **state) {
  (void)state;
  sk__verifier *verifier = twin_open("ge");
  sk__verifier_set_ge_options(verifier, "stream-fusion=1: early-start=1:split-mode=4");
  sk__verifier_set_diagnose(verifier, true);
  void *a = buffer_new(0), *b = buffer_new(0), *c = buffer_new(0);
  aclrtStream one = new_stream(), two = new_stream();
  assert_ok(aclskScopeBegin("s", one));
  launch(two, &add_cube, 8, c, c, 1);
  launch(one, &load_last, 1, a, b, 1);
  launch(one, &store_first, 1, b, a, 1);
  assert_ok(aclskScopeEnd("s", one));
  assert_ok(aclrtSynchronizeDevice());
  const sk__verify_result *result = twin_result();
  const sk__diagnosis *diagnosis = NULL;
  for (size_t i = 0; i < result->finding_count; i++)
    if (result->findings[i].diagnosis != NULL) diagnosis = result->findings[i].diagnosis;
  assert_non_null(diagnosis); /* two unconnected streams are refused without stream-fusion */
  assert_int_equal(diagnosis->fused_count, 3);
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

/* A program that compiles its graph itself: two operators, the first alone in a scope or both. */
static void compiled_program(const sk_kernel *first, bool both, void *a) {
  aclrtStream stream = new_stream();
  aclmdlRI model = NULL;
  assert_ok(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
  assert_ok(sk_ge_operator_set(&(sk_ge_operator){.name = "First", .scope = "s"}));
  launch(stream, first, 4, a, a, 0);
  assert_ok(sk_ge_operator_set(&(sk_ge_operator){.name = "Second", .scope = both ? "s" : NULL}));
  launch(stream, &store_first, 4, a, a, 1);
  assert_ok(sk_ge_operator_set(NULL));
  assert_ok(aclmdlRICaptureEnd(stream, &model));
  assert_ok(sk_ge_compile(model, NULL));
  assert_ok(aclmdlRIExecute(model, -1));
}
static void test_a_compiled_graph_is_run_apart_and_as_made(void **state) {
  (void)state;
  twin_open("unfused,fused,full-cores,ge");
  compiled_program(&load_drained, false, buffer_new(0));
  assert_int_equal(mode_of("unfused")->sk_launches, 0);
  assert_int_equal(mode_of("unfused")->launches, 2);
  static const char *const fused[] = {"fused", "full-cores", "ge"};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(mode_of(fused[i])->outcome, SK__SAME);
    assert_int_equal(mode_of(fused[i])->sk_launches, 1);
    assert_int_equal(mode_of(fused[i])->launches, 2);
  }
  assert_int_equal(mode_of("full-cores")->aic, 24);
  assert_int_equal(shown_all(), 0);
}
/* Without a scope nothing of a compiled graph is fused, in no mode. */
static void test_a_compiled_graph_without_scopes_is_left_alone(void **state) {
  (void)state;
  twin_open("unfused,fused,per-op,ge");
  aclrtStream stream = new_stream();
  aclmdlRI model = NULL;
  void *a = buffer_new(0);
  assert_ok(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
  assert_ok(sk_ge_operator_set(&(sk_ge_operator){.name = "First"}));
  launch(stream, &load_last, 4, a, a, 0);
  launch(stream, &store_first, 4, a, a, 1);
  assert_ok(sk_ge_operator_set(NULL));
  assert_ok(aclmdlRICaptureEnd(stream, &model));
  assert_ok(sk_ge_compile(model, NULL));
  assert_ok(aclmdlRIExecute(model, -1));
  static const char *const fused[] = {"fused", "per-op", "ge"};
  for (int i = 0; i < 3; i++) assert_int_equal(mode_of(fused[i])->outcome, SK__NOTHING_FUSED);
  assert_int_equal(shown_all(), 0);
}
static void test_what_a_compiled_graph_loses_is_found(void **state) {
  (void)state;
  twin_open("unfused,fused");
  compiled_program(&load_last, true, buffer_new(0));
  assert_int_equal(mode_of("unfused")->findings, 0);
  assert_int_equal(mode_of("fused")->findings, 1);
}
static void test_the_same_kept_apart_is_silent(void **state) {
  (void)state;
  twin_open("unfused,fused");
  compiled_program(&load_last, false, buffer_new(0));
  assert_int_equal(shown_all(), 0);
}

SK_TESTS(SK_TEST(test_bad_options_are_told), SK_TEST(test_without_scopes_nothing_is_fused), SK_TEST(test_streams_without_an_event_need_the_option),
         SK_TEST(test_a_scope_becomes_one_launch), SK_TEST(test_an_order_that_only_fusing_takes_away), SK_TEST(test_a_failure_is_diagnosed),
         SK_TEST(test_a_diagnosis_keeps_the_given_options), SK_TEST(test_the_same_drained_is_silent),
         SK_TEST(test_a_compiled_graph_is_run_apart_and_as_made), SK_TEST(test_what_a_compiled_graph_loses_is_found),
         SK_TEST(test_the_same_kept_apart_is_silent), SK_TEST(test_a_compiled_graph_without_scopes_is_left_alone))
