/* Launches: what is refused, what fails on the device, and that the process lives on. */
#include "device_fixture.h"

static void test_block_counts_are_checked(void **state) {
  (void)state;
  device_open();
  void *a = buffer_new(0);
  assert_fails(launch_add(NULL, &add_vector, 0, a, a, 1), ACL_ERROR_RT_PARAM_INVALID, "legal: 1 to 65535");
  assert_fails(launch_add(NULL, &add_vector, 65536, a, a, 1), ACL_ERROR_RT_PARAM_INVALID, "host.c:12");
  buffer_check(a, 0);
}
/* Nobody sees the code of <<<>>>. */
static void test_launches_that_cannot_be_made_are_found(void **state) {
  (void)state;
  assert_fails(launch_plain(NULL, &add_vector, 1), ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetDevice");
  assert_int_equal(findings_of("LAUNCH_INVALID"), 1);
  device_open();
  aclrtStream stream = stream_new();
  assert_ok(aclrtDestroyStream(stream));
  assert_fails(launch_plain(stream, &crash_vector, 1), ACL_ERROR_RT_INVALID_HANDLE, "no live stream");
  assert_int_equal(findings_of("LAUNCH_INVALID"), 2);
}
static void test_dynamic_ub_is_checked(void **state) {
  (void)state;
  device_open();
  assert_fails(sk_kernel_launch(&endless_vector, 1, 192 * 1024 + 1, NULL, "", "host.c", 1), ACL_ERROR_RT_PARAM_INVALID, "196608");
}
static void test_records_of_another_interface_are_refused(void **state) {
  (void)state;
  device_open();
  sk_kernel old = add_vector, half = add_vector;
  old.abi = SK_KERNEL_ABI + 1;
  half.aiv = NULL;
  assert_fails(launch_plain(NULL, &old, 1), ACL_ERROR_RT_PARAM_INVALID, "compile again");
  assert_fails(launch_plain(NULL, &half, 1), ACL_ERROR_RT_PARAM_INVALID, "no vector half");
  half = add_cube;
  half.aic = NULL;
  assert_fails(launch_plain(NULL, &half, 1), ACL_ERROR_RT_PARAM_INVALID, "no cube half");
}
static void test_handles_are_checked(void **state) {
  (void)state;
  device_open();
  aclrtFuncHandle handle = NULL;
  int nothing;
  assert_fails(aclrtBinaryGetFunction(NULL, NULL, &handle), ACL_ERROR_INVALID_PARAM, "kernelName is NULL");
  assert_fails(aclrtBinaryGetFunction(NULL, "add", NULL), ACL_ERROR_INVALID_PARAM, "func is NULL");
  assert_fails(aclrtBinaryGetFunction(NULL, "no_such", &handle), ACL_ERROR_INVALID_PARAM, "no_such");
  assert_fails(aclrtBinaryGetFunction(&nothing, "add", &handle), ACL_ERROR_RT_INVALID_HANDLE, "no loaded binary");
  assert_fails(aclrtLaunchKernel(&nothing, 1, NULL, 0, NULL), ACL_ERROR_RT_INVALID_HANDLE, "no kernel");
  assert_fails(aclrtGetHardwareSyncAddr(NULL), ACL_ERROR_INVALID_PARAM, "addr is NULL");
}
static void test_explicit_launches_are_checked(void **state) {
  (void)state;
  device_open();
  sk_kernel_register(&add_vector);
  aclrtFuncHandle handle = NULL;
  char args[64] = {0};
  assert_ok(aclrtBinaryGetFunction(NULL, "add", &handle));
  assert_fails(aclrtLaunchKernel(handle, 1, args, 23, NULL), ACL_ERROR_RT_PARAM_INVALID, "takes 24 argument bytes, given 23");
  assert_fails(aclrtLaunchKernel(handle, 1, NULL, 24, NULL), ACL_ERROR_RT_PARAM_INVALID, "takes 24");
}
static void test_argument_arrays_are_checked(void **state) {
  (void)state;
  device_open();
  sk_kernel_register(&add_vector);
  aclrtFuncHandle handle = NULL;
  aclrtLaunchKernelCfg none = {NULL, 0}, some = {&none, 1};
  aclrtBinaryLoadOptions options = {&none, 1};
  aclrtBinHandle bin = NULL;
  void *a = buffer_new(1);
  uint32_t add = 4, slots = SLOTS;
  void *args[4] = {&a, NULL, &add, &slots};
  assert_ok(aclrtBinaryGetFunction(NULL, "add", &handle));
  assert_fails(aclrtLaunchKernelWithArgsArray(&none, 1, NULL, NULL, args), ACL_ERROR_RT_INVALID_HANDLE, "no kernel");
  assert_fails(aclrtLaunchKernelWithArgsArray(handle, 1, NULL, NULL, NULL), ACL_ERROR_RT_PARAM_INVALID, "4 parameters");
  assert_fails(aclrtLaunchKernelWithArgsArray(handle, 1, NULL, &none, args), ACL_ERROR_RT_PARAM_INVALID, "args[1] (to of 'add')");
  args[1] = &a;
  assert_fails(aclrtLaunchKernelWithArgsArray(handle, 1, NULL, &some, args), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "attributes");
  assert_ok(aclrtLaunchKernelWithArgsArray(handle, 1, NULL, &none, args));
  buffer_check(a, 5);
  assert_fails(aclrtBinaryLoadFromFile("x", &options, &bin), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "load options");
  assert_int_equal(aclrtBinaryLoadFromFile(NULL, NULL, &bin), ACL_ERROR_INVALID_PARAM);
  assert_int_equal(aclrtBinaryLoadFromData("x", 1, NULL, NULL), ACL_ERROR_INVALID_PARAM);
}
/* Launches through an expression, as skcc's code makes them. */
static void test_pointers_that_launch_nothing(void **state) {
  (void)state;
  device_open();
  assert_int_equal(sk_launch_tell("host.c", 21, 1, 0, NULL, 0, NULL), ACL_ERROR_RT_PARAM_INVALID);
  assert_fails(sk_launch_end(), ACL_ERROR_RT_PARAM_INVALID, "host.c:21: the pointer that is launched is null");
  assert_int_equal(sk_launch_tell("host.c", 22, 1, 0, NULL, 1, NULL), 0);
  assert_fails(sk_launch_end(), ACL_ERROR_RT_PARAM_INVALID, "host.c:22: what is launched is no kernel");
  assert_null(sk_launch_take(&add_vector, NULL));
  assert_non_null(strstr(aclGetRecentErrMsg(), "'add' is called like a function"));
  assert_int_equal(findings_of("LAUNCH_INVALID"), 3);
}
static void test_a_launch_is_taken_once(void **state) {
  (void)state;
  device_open();
  assert_int_equal(sk_launch_tell("host.c", 23, 7, 64, NULL, 1, NULL), 0);
  sk_told_launch *launch = sk_launch_take(&add_vector, NULL);
  assert_non_null(launch);
  assert_int_equal(launch->blocks, 7);
  assert_int_equal(launch->ub, 64);
  assert_int_equal(launch->line, 23);
  assert_null(sk_launch_take(&add_vector, NULL));
  launch->code = 5;
  assert_int_equal(sk_launch_end(), 5);
  assert_int_equal(findings_of("LAUNCH_INVALID"), 1);
}
static void test_launches_among_arguments_of_launches(void **state) {
  (void)state;
  device_open();
  enum { ROOM = 16, DEEP = ROOM + 2 };
  for (uint32_t i = 0; i < DEEP; i++) assert_int_equal(sk_launch_tell("host.c", i, i, 0, NULL, 1, NULL), i < ROOM ? 0 : ACL_ERROR_RT_PARAM_INVALID);
  for (uint32_t i = DEEP; i-- > 0;) {
    sk_told_launch *launch = i < ROOM ? sk_launch_take(&add_vector, NULL) : NULL;
    if (i < ROOM) assert_int_equal(launch->blocks, i);
    assert_int_equal(sk_launch_end(), i < ROOM ? 0 : ACL_ERROR_RT_PARAM_INVALID);
  }
  assert_null(sk_launch_take(&add_vector, NULL));
}
static void test_data_types(void **state) {
  (void)state;
  static const struct { aclDataType type; size_t bytes; } sizes[] = {
      {ACL_FLOAT, 4}, {ACL_FLOAT16, 2}, {ACL_BF16, 2}, {ACL_INT8, 1}, {ACL_UINT64, 8}, {ACL_COMPLEX128, 16}, {ACL_DT_UNDEFINED, 0}, {(aclDataType)99, 0}};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) assert_int_equal(aclDataTypeSize(sizes[i].type), sizes[i].bytes);
  assert_true(aclFloat16ToFloat(0x3c00) == 1.0f && aclFloat16ToFloat(0x0001) == 0x1p-24f);
  assert_int_equal(aclFloatToFloat16(65504.0f), 0x7bff);
  assert_int_equal(aclFloatToFloat16(1.0f + 0x1p-11f), 0x3c00); /* a tie goes to even */
}
static void test_host_pointers_as_arguments_are_found(void **state) {
  (void)state;
  device_open();
  char host[64];
  void *a = buffer_new(0);
  assert_ok(launch_add(NULL, &add_vector, 1, a, NULL, 1)); /* an optional tensor that is not there */
  assert_int_equal(findings_of("GM_ARGUMENT"), 0);
  assert_ok(launch_add(NULL, &add_vector, 1, a, host, 1));
  assert_int_equal(findings_of("GM_ARGUMENT"), 1);
}

static void test_explicit_launch(void **state) {
  (void)state;
  device_open();
  sk_kernel_register(&add_vector);
  aclrtFuncHandle handle = NULL;
  void *a = buffer_new(1), *address = NULL;
  add_args args = {(uint64_t)a, (uint64_t)a, 4, SLOTS};
  assert_ok(aclrtBinaryGetFunction(NULL, "add", &handle));
  assert_ok(aclrtLaunchKernel(handle, 3, &args, sizeof args, NULL));
  memset(&args, 0, sizeof args); /* the launch has its own copy */
  buffer_check(a, 5);
  assert_ok(aclrtGetHardwareSyncAddr(&address));
  assert_non_null(address);
}
static void test_all_block_counts_give_the_same(void **state) {
  (void)state;
  device_open();
  static const uint32_t counts[] = {1, 2, 24, 47, 48, 49, 64, 200, 65535};
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    void *a = buffer_new(1), *b = buffer_new(0);
    assert_ok(launch_add(NULL, &add_vector, counts[i], a, b, 1));
    assert_ok(launch_add(NULL, &add_cube, counts[i] < 1000 ? counts[i] : 9, b, a, 1));
    buffer_check(a, 3);
  }
  assert_int_equal(findings_all(), 0);
}

/* After a failure the next launch, on any stream, is as good as ever. */
static void fails_and_lives_on(const sk_kernel *kernel, int code, const char *finding) {
  void *a = buffer_new(1);
  aclrtStream stream = stream_new();
  assert_ok(launch_plain(stream, kernel, 2));
  assert_ok(launch_add(stream, &add_vector, 4, a, a, 1)); /* is not held up */
  assert_fails(aclrtSynchronizeStream(stream), code, "findings say why");
  assert_int_equal(findings_of(finding), 1);
  assert_ok(aclrtSynchronizeStream(stream)); /* told once */
  buffer_check(a, 2);
  assert_ok(launch_add(stream, &add_vector, 48, a, a, 1));
  buffer_check(a, 3);
}
static void test_a_vector_kernel_faults(void **state) {
  (void)state;
  device_open();
  fails_and_lives_on(&crash_vector, ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, "KERNEL_FAULT");
}
static void test_a_cube_kernel_faults(void **state) {
  (void)state;
  device_open();
  fails_and_lives_on(&crash_cube, ACL_ERROR_RT_AICORE_EXCEPTION, "KERNEL_FAULT");
}
static void test_a_kernel_waits_for_ever(void **state) {
  (void)state;
  device_open();
  fails_and_lives_on(&hang_vector, ACL_ERROR_RT_VECTOR_CORE_TIMEOUT, "DEADLOCK");
}
static void test_a_kernel_never_ends(void **state) {
  (void)state;
  device_open();
  sk__machine *machine = sk__runtime_machine(sk__runtime_get());
  sk__machine_options options = *sk__machine_options_of(machine);
  options.instruction_budget = 100000;
  sk__machine_configure(machine, &options);
  fails_and_lives_on(&endless_vector, ACL_ERROR_RT_VECTOR_CORE_TIMEOUT, "ENDLESS");
}
static void test_memory_freed_before_the_launch_ran(void **state) {
  (void)state;
  device_open();
  void *a = buffer_new(1), *b = buffer_new(0);
  assert_ok(launch_add(NULL, &add_vector, 1, a, b, 1));
  assert_ok(aclrtFree(a)); /* waits for nothing */
  (void)aclrtSynchronizeDevice();
  assert_int_equal(findings_of("GM_USE_AFTER_FREE"), 1);
}
static void test_failures_wait_for_the_next_synchronisation(void **state) {
  (void)state;
  device_open();
  aclrtEvent event = NULL;
  aclrtEventRecordedStatus status;
  assert_ok(aclrtCreateEvent(&event));
  assert_ok(launch_plain(NULL, &crash_vector, 1));
  assert_ok(aclrtRecordEvent(event, NULL));
  assert_ok(aclrtQueryEventStatus(event, &status));
  assert_int_equal(status, ACL_EVENT_RECORDED_STATUS_COMPLETE);
  assert_int_equal(aclrtSynchronizeDevice(), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
  assert_ok(aclrtSynchronizeDevice());
}

SK_TESTS(SK_TEST(test_block_counts_are_checked), SK_TEST(test_launches_that_cannot_be_made_are_found), SK_TEST(test_dynamic_ub_is_checked), SK_TEST(test_records_of_another_interface_are_refused),
         SK_TEST(test_handles_are_checked), SK_TEST(test_explicit_launches_are_checked), SK_TEST(test_argument_arrays_are_checked),
         SK_TEST(test_pointers_that_launch_nothing), SK_TEST(test_a_launch_is_taken_once), SK_TEST(test_launches_among_arguments_of_launches),
         SK_TEST(test_data_types), SK_TEST(test_host_pointers_as_arguments_are_found),
         SK_TEST(test_explicit_launch), SK_TEST(test_all_block_counts_give_the_same), SK_TEST(test_a_vector_kernel_faults),
         SK_TEST(test_a_cube_kernel_faults), SK_TEST(test_a_kernel_waits_for_ever), SK_TEST(test_a_kernel_never_ends),
         SK_TEST(test_memory_freed_before_the_launch_ran), SK_TEST(test_failures_wait_for_the_next_synchronisation))
