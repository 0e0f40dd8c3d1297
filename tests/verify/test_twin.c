/* Twin runs: what is the same, close and different; what the device holds afterwards; what gets fused. */
#include "twin_fixture.h"

static void test_a_kernel_that_fails_in_the_reference(void **state) {
  (void)state;
  twin_open("unfused,fused");
  void *a = buffer_new(0);
  assert_ok(aclrtFree(a));
  launch(NULL, &add_vector, 4, a, a, 1); /* the launch itself is accepted */
  (void)aclrtSynchronizeDevice();
  assert_int_equal(shown("GM_USE_AFTER_FREE"), 2); /* the load and the store */
  assert_int_equal(sk__verdict_of(twin_result()), SK__VERDICT_FINDINGS);
}
/* The next synchronisation is about what came after, under the verifier and under the recorder. */
static void test_a_failure_is_told_once(void **state) {
  (void)state;
  for (int round = 0; round < 2; round++) {
    twin_open(round == 0 ? "unfused,fused" : NULL);
    void *a = buffer_new(0);
    launch(NULL, &crash_always, 4, a, a, 1);
    launch(NULL, &add_vector, 4, a, a, 1);
    assert_int_equal(aclrtSynchronizeDevice(), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    launch(NULL, &add_vector, 4, a, a, 1);
    assert_ok(aclrtSynchronizeDevice());
    buffer_check(a, 2);
    assert_int_equal(twin_result()->modes[0].outcome, SK__FAILED);
    assert_int_equal(twin_result()->modes[0].status, SK_FAULT);
    if (round == 0) assert_int_equal(mode_of("fused")->launches, 1); /* of the second segment only */
  }
}
static void test_a_kernel_that_fails_only_fused(void **state) {
  (void)state;
  twin_open("unfused,fused,full-cores");
  void *a = buffer_new(0);
  launch(NULL, &crash_fused, 4, a, a, 0);
  assert_ok(aclrtSynchronizeDevice()); /* the program sees the reference */
  assert_int_equal(mode_of("full-cores")->outcome, SK__FAILED);
  assert_non_null(strstr(mode_of("full-cores")->why, "faulted"));
  assert_int_equal(mode_of("fused")->outcome, SK__SAME);
  assert_int_equal(sk__verdict_of(twin_result()), SK__VERDICT_FINDINGS);
  assert_int_equal(shown("KERNEL_FAULT"), 1);
}
static void test_different_results_name_the_buffer(void **state) {
  (void)state;
  twin_open("unfused,fused,full-cores");
  void *a = buffer_new(0), *b = buffer_new(7);
  launch(NULL, &ratio_words, 4, a, b, 5);
  assert_ok(aclrtSynchronizeDevice());
  const sk__mode_result *mode = mode_of("full-cores");
  assert_int_equal(mode->outcome, SK__MISMATCH);
  assert_int_equal(mode->difference_count, 1);
  const sk__buffer_difference *difference = &mode->differences[0];
  assert_string_equal(difference->buffer, "to (argument 2 of ratio_words)");
  assert_int_equal(difference->how.dtype, SK__DTYPE_U32);
  assert_int_equal(difference->how.elements, BUFFER_BYTES / 4);
  assert_int_equal(difference->how.differing, 4 * 8);
  assert_true(difference->how.first_reference == 6.0 && difference->how.first_other == 7.0);
  assert_int_equal(sk__verdict_of(twin_result()), SK__VERDICT_MISMATCH);
}
static void test_close_results_are_within_tolerance(void **state) {
  (void)state;
  twin_open("unfused,fused,full-cores");
  void *a = buffer_new(0), *b = buffer_new(7);
  launch(NULL, &ratio_floats, 4, a, b, 0);
  assert_ok(aclrtSynchronizeDevice());
  const sk__mode_result *mode = mode_of("full-cores");
  assert_int_equal(mode->outcome, SK__CLOSE);
  assert_int_equal(mode->differences[0].how.max_ulp, 1);
  assert_int_equal(sk__verdict_of(twin_result()), SK__VERDICT_CLEAN);
}
static void test_memory_that_is_no_argument_is_compared(void **state) {
  (void)state;
  twin_open("unfused,fused,full-cores");
  void *a = buffer_new(0), *b = buffer_new(0);
  launch(NULL, &ratio_words, 4, a, b, 5);   /* makes a difference in b ... */
  launch(NULL, &add_hidden, 4, b, a, 1);    /* ... which moves on to a, behind the verifier's back */
  assert_ok(aclrtSynchronizeDevice());
  assert_int_equal(mode_of("full-cores")->difference_count, 2);
  twin_open("unfused,full-cores");
  void *e = buffer_new(0);
  launch(NULL, &ratio_hidden, 4, e, e, 5);
  assert_ok(aclrtSynchronizeDevice());
  assert_int_equal(mode_of("full-cores")->outcome, SK__MISMATCH);
  assert_string_equal(mode_of("full-cores")->differences[0].buffer, "device memory that is no kernel argument");
  twin_open("unfused,full-cores");
  void *c = buffer_new(0), *d = NULL;
  assert_ok(aclrtMalloc(&d, BUFFER_BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
  launch(NULL, &add_hidden, 4, c, d, 1);
  assert_ok(aclrtSynchronizeDevice());
  assert_int_equal(mode_of("full-cores")->outcome, SK__SAME);
  buffer_check(d, 1);
}

static void test_good_programs_are_identical_in_all_modes(void **state) {
  (void)state;
  twin_open("default");
  void *a = buffer_new(0), *b = buffer_new(0);
  aclrtStream stream = NULL;
  assert_ok(aclrtCreateStream(&stream));
  launch(stream, &add_cube, 20, a, b, 1);
  launch(stream, &add_vector, 7, b, a, 2);
  launch(stream, &add_vector, 48, a, b, 4);
  launch(stream, &first_vector, 24, a, b, 9);
  launch(stream, &add_cube, 3, b, a, 8);
  assert_ok(aclrtSynchronizeStream(stream));
  assert_int_equal(shown_all(), 0);
  for (size_t i = 1; i < twin_result()->mode_count; i++) {
    assert_int_equal(twin_result()->modes[i].outcome, SK__SAME);
    assert_true(twin_result()->modes[i].sk_launches > 0);
  }
  assert_int_equal(sk__verdict_of(twin_result()), SK__VERDICT_CLEAN);
  assert_int_equal(twin_result()->segments, 1);
}
/* The same work in place, over several segments, with and without the verifier: the same bytes. */
static void work(void *a, void *b, void *c, aclrtStream stream) {
  launch(stream, &add_vector, 5, a, a, 1);
  launch(stream, &add_cube, 4, a, b, 1);
  assert_ok(aclrtMemsetAsync(c, BUFFER_BYTES, 3, 64, stream));
  assert_ok(aclrtSynchronizeStream(stream));
  launch(stream, &add_vector, 5, b, b, 1);
  assert_ok(aclrtMemcpyAsync(a, BUFFER_BYTES, b, 96, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
  launch(stream, &ratio_words, 7, a, b, 2);
  assert_ok(aclrtSynchronizeStream(stream));
}
static void test_the_device_is_left_as_by_a_plain_run(void **state) {
  (void)state;
  assert_ok(aclrtSetDevice(0));
  aclrtStream stream = NULL;
  assert_ok(aclrtCreateStream(&stream));
  uint32_t plain[3][BUFFER_BYTES / 4], twin[3][BUFFER_BYTES / 4];
  for (int round = 0; round < 2; round++) {
    if (round == 1) twin_open("default");
    void *buffers[3] = {buffer_new(1), buffer_new(2), buffer_new(3)};
    work(buffers[0], buffers[1], buffers[2], stream);
    for (int i = 0; i < 3; i++)
      assert_ok(aclrtMemcpy(round == 0 ? plain[i] : twin[i], BUFFER_BYTES, buffers[i], BUFFER_BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
  }
  assert_memory_equal(plain, twin, sizeof plain);
  assert_int_equal(twin_result()->segments, 2);
}
static void count_call(void *context) { (*(int *)context)++; }
static void test_host_callbacks_run_once_and_split_segments(void **state) {
  (void)state;
  twin_open("default");
  void *a = buffer_new(0);
  int calls = 0;
  aclrtStream stream = NULL;
  assert_ok(aclrtCreateStream(&stream));
  launch(stream, &add_vector, 4, a, a, 1);
  assert_ok(aclrtLaunchHostFunc(stream, count_call, &calls));
  launch(stream, &add_vector, 4, a, a, 1);
  assert_ok(aclrtLaunchHostFunc(stream, count_call, &calls));
  assert_ok(aclrtSynchronizeStream(stream));
  assert_int_equal(calls, 2);
  assert_int_equal(twin_result()->segments, 2);
  buffer_check(a, 2);
  assert_int_equal(shown_all(), 0);
}
static void test_without_scopes_everything_is_fused(void **state) {
  (void)state;
  twin_open("unfused,fused");
  void *a = buffer_new(0), *b = buffer_new(0);
  for (int i = 0; i < 4; i++) launch(NULL, i % 2 == 0 ? &add_vector : &add_cube, 8, i % 2 == 0 ? a : b, i % 2 == 0 ? b : a, 1);
  assert_ok(aclrtSynchronizeDevice());
  assert_int_equal(mode_of("unfused")->launches, 4);
  assert_int_equal(mode_of("unfused")->sk_launches, 0);
  assert_int_equal(mode_of("fused")->launches, 1);
  assert_int_equal(mode_of("fused")->sk_launches, 1);
  assert_int_equal(json_array_size(twin_result()->plans), 1);
}
static json_int_t estimated(size_t scope, const char *key) {
  const json_t *scopes = json_object_get(json_array_get(twin_result()->plans, 0), "scopes");
  return json_integer_value(json_object_get(json_object_get(json_array_get(scopes, scope), "estimate"), key));
}
/* Each SuperKernel's own launches, gaps and work; what lies outside belongs to none. */
static void test_each_superkernel_has_an_estimate(void **state) {
  (void)state;
  twin_open("unfused,fused");
  void *a = buffer_new(0), *b = buffer_new(0);
  aclrtStream stream = NULL;
  assert_ok(aclrtCreateStream(&stream));
  for (int scope = 0; scope < 2; scope++) {
    assert_ok(aclskScopeBegin(scope == 0 ? "one" : "two", stream));
    for (int i = 0; i < 2 + scope; i++) launch(stream, &add_vector, 8, a, b, 1);
    assert_ok(aclskScopeEnd(scope == 0 ? "one" : "two", stream));
    launch(stream, &add_cube, 8, b, a, 1);
  }
  assert_ok(aclrtSynchronizeStream(stream));
  const json_int_t gap = sk__machine_soc(sk__runtime_machine(sk__runtime_get()))->costs.launch_cycles;
  uint64_t work = 0;
  for (size_t k = 0; k < 2; k++) {
    assert_int_equal(estimated(k, "unfused_launches"), 2 + k);
    assert_int_equal(estimated(k, "unfused_gap_cycles"), (json_int_t)(2 + k) * gap);
    assert_int_equal(estimated(k, "fused_gap_cycles"), gap);
    assert_true(estimated(k, "fused_cycles") > 0); /* calls and barriers: the kernels here move data only, which has no price */
    work += (uint64_t)(estimated(k, "unfused_cycles") + estimated(k, "unfused_gap_cycles"));
  }
  assert_true(work < mode_of("unfused")->cycles);
}
static void test_scopes_limit_what_is_fused(void **state) {
  (void)state;
  twin_open("unfused,fused");
  void *a = buffer_new(0), *b = buffer_new(0);
  aclrtStream stream = NULL;
  assert_ok(aclrtCreateStream(&stream));
  launch(stream, &add_vector, 8, a, b, 1);
  assert_ok(aclskScopeBegin("s", stream));
  launch(stream, &add_vector, 8, b, a, 1);
  launch(stream, &add_vector, 8, a, b, 1);
  assert_ok(aclskScopeEnd("s", stream));
  launch(stream, &add_vector, 8, b, a, 1);
  assert_ok(aclrtSynchronizeStream(stream));
  assert_int_equal(mode_of("fused")->launches, 3);
  assert_int_equal(mode_of("fused")->sk_launches, 1);
  buffer_check(a, 4);
}
static void test_the_none_scope_is_never_fused(void **state) {
  (void)state;
  twin_open("unfused,fused,per-op,full-cores");
  void *a = buffer_new(0), *b = buffer_new(0);
  aclrtStream stream = NULL;
  assert_ok(aclrtCreateStream(&stream));
  assert_ok(aclskScopeBegin(NULL, stream));
  launch(stream, &add_vector, 8, a, b, 1);
  launch(stream, &add_vector, 8, b, a, 1);
  assert_ok(aclskScopeEnd(NULL, stream));
  assert_ok(aclrtSynchronizeStream(stream));
  for (size_t i = 1; i < twin_result()->mode_count; i++) {
    assert_int_equal(twin_result()->modes[i].sk_launches, 0);
    assert_int_equal(twin_result()->modes[i].outcome, SK__NOTHING_FUSED);
  }
  assert_int_equal(sk__verdict_of(twin_result()), SK__VERDICT_CLEAN);
}
static void test_captured_models_are_verified_at_each_replay(void **state) {
  (void)state;
  twin_open("unfused,fused");
  void *a = buffer_new(0), *b = buffer_new(0);
  aclrtStream stream = NULL;
  aclmdlRI model = NULL;
  assert_ok(aclrtCreateStream(&stream));
  assert_ok(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
  launch(stream, &add_vector, 8, a, b, 1);
  launch(stream, &add_cube, 8, b, a, 1);
  assert_ok(aclmdlRICaptureEnd(stream, &model));
  for (int i = 0; i < 3; i++) assert_ok(aclmdlRIExecuteAsync(model, stream));
  assert_ok(aclrtSynchronizeStream(stream));
  assert_int_equal(twin_result()->segments, 3);
  assert_int_equal(mode_of("fused")->sk_launches, 3);
  buffer_check(a, 6);
  assert_int_equal(shown_all(), 0);
}
static void test_findings_of_the_host_are_collected(void **state) {
  (void)state;
  sk__verifier *verifier = twin_open("unfused,fused");
  void *a = buffer_new(0);
  assert_ok(aclrtFree(a));
  assert_int_equal(aclrtFree(a), ACL_ERROR_RT_MEMORY_FREE);
  sk__verifier_collect(verifier);
  assert_int_equal(shown("GM_FREE_INVALID"), 1);
}

SK_TESTS(SK_TEST(test_a_kernel_that_fails_in_the_reference), SK_TEST(test_a_failure_is_told_once),
         SK_TEST(test_a_kernel_that_fails_only_fused),
         SK_TEST(test_different_results_name_the_buffer), SK_TEST(test_close_results_are_within_tolerance),
         SK_TEST(test_memory_that_is_no_argument_is_compared), SK_TEST(test_good_programs_are_identical_in_all_modes),
         SK_TEST(test_the_device_is_left_as_by_a_plain_run), SK_TEST(test_host_callbacks_run_once_and_split_segments),
         SK_TEST(test_without_scopes_everything_is_fused), SK_TEST(test_scopes_limit_what_is_fused), SK_TEST(test_each_superkernel_has_an_estimate),
         SK_TEST(test_the_none_scope_is_never_fused), SK_TEST(test_captured_models_are_verified_at_each_replay),
         SK_TEST(test_findings_of_the_host_are_collected))
