/* Init, device, context: misuse first, then use. */
#include "device_fixture.h"

static void test_nothing_works_without_a_device(void **state) {
  (void)state;
  void *p = NULL;
  int32_t id = 0;
  assert_ok(aclInit(NULL));
  assert_fails(aclrtMalloc(&p, 32, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetDevice(0)");
  assert_int_equal(aclrtGetDevice(&id), ACL_ERROR_RT_CONTEXT_NULL);
  assert_int_equal(aclrtResetDevice(0), ACL_ERROR_RT_CONTEXT_NULL);
  assert_int_equal(aclrtSynchronizeDevice(), ACL_ERROR_RT_CONTEXT_NULL);
  assert_int_equal(launch_plain(NULL, &crash_vector, 1), ACL_ERROR_RT_CONTEXT_NULL);
}
static void test_init_twice(void **state) {
  (void)state;
  assert_ok(aclInit(NULL));
  assert_int_equal(aclInit(NULL), ACL_ERROR_REPEAT_INITIALIZE);
}
static void test_init_with_a_missing_file(void **state) {
  (void)state;
  assert_fails(aclInit("no/such/file.json"), ACL_ERROR_INVALID_PARAM, "no/such/file.json");
  assert_ok(aclInit(""));
}
static void test_finalize_without_init(void **state) {
  (void)state;
  assert_int_equal(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
  assert_ok(aclInit(NULL));
  assert_ok(aclFinalize());
  assert_int_equal(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
  assert_ok(aclInit(NULL));
}
static void test_other_devices_do_not_exist(void **state) {
  (void)state;
  int64_t value = 0;
  aclrtContext context = NULL;
  assert_fails(aclrtSetDevice(1), ACL_ERROR_RT_INVALID_DEVICEID, "device 1");
  assert_int_equal(aclrtSetDevice(-1), ACL_ERROR_RT_INVALID_DEVICEID);
  assert_int_equal(aclrtGetDeviceInfo(1, ACL_DEV_ATTR_VECTOR_CORE_NUM, &value), ACL_ERROR_RT_INVALID_DEVICEID);
  assert_int_equal(aclrtCreateContext(&context, 3), ACL_ERROR_RT_INVALID_DEVICEID);
  device_open();
  assert_int_equal(aclrtResetDevice(2), ACL_ERROR_RT_INVALID_DEVICEID);
}
static void test_null_results_are_refused(void **state) {
  (void)state;
  device_open();
  assert_fails(aclrtGetDevice(NULL), ACL_ERROR_INVALID_PARAM, "deviceId");
  assert_fails(aclrtGetDeviceCount(NULL), ACL_ERROR_INVALID_PARAM, "count");
  assert_fails(aclrtGetRunMode(NULL), ACL_ERROR_INVALID_PARAM, "runMode");
  assert_fails(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_NPU_ARCH, NULL), ACL_ERROR_INVALID_PARAM, "value");
  assert_fails(aclrtCreateContext(NULL, 0), ACL_ERROR_INVALID_PARAM, "context");
  assert_fails(aclrtGetCurrentContext(NULL), ACL_ERROR_INVALID_PARAM, "context");
}
static void test_unknown_device_attribute(void **state) {
  (void)state;
  int64_t value = 0;
  assert_fails(aclrtGetDeviceInfo(0, (aclrtDevAttr)999, &value), ACL_ERROR_INVALID_PARAM, "101, 102, 201");
}
static void test_dead_contexts_are_refused(void **state) {
  (void)state;
  int nothing;
  aclrtContext context = NULL;
  assert_int_equal(aclrtGetCurrentContext(&context), ACL_ERROR_RT_CONTEXT_NULL);
  assert_int_equal(aclrtDestroyContext(&nothing), ACL_ERROR_RT_INVALID_HANDLE);
  assert_int_equal(aclrtSetCurrentContext(NULL), ACL_ERROR_RT_INVALID_HANDLE);
  assert_ok(aclrtCreateContext(&context, 0));
  assert_ok(aclrtDestroyContext(context));
  assert_int_equal(aclrtDestroyContext(context), ACL_ERROR_RT_INVALID_HANDLE);
  assert_int_equal(aclrtGetCurrentContext(&context), ACL_ERROR_RT_CONTEXT_NULL);
}
static void test_other_error_levels(void **state) {
  (void)state;
  assert_int_equal(aclrtPeekAtLastError((aclrtLastErrLevel)1), ACL_ERROR_INVALID_PARAM);
}

static void test_counted_devices(void **state) {
  (void)state;
  int32_t id = -1;
  assert_ok(aclrtSetDevice(0));
  assert_ok(aclrtSetDevice(0));
  assert_ok(aclrtResetDevice(0));
  assert_ok(aclrtGetDevice(&id));
  assert_int_equal(id, 0);
  assert_ok(aclrtResetDevice(0));
  assert_int_equal(aclrtGetDevice(&id), ACL_ERROR_RT_CONTEXT_NULL);
}
static void test_a_context_is_enough(void **state) {
  (void)state;
  aclrtContext first = NULL, second = NULL, current = NULL;
  void *p = NULL;
  assert_ok(aclrtCreateContext(&first, 0));
  assert_ok(aclrtCreateContext(&second, 0));
  assert_ok(aclrtGetCurrentContext(&current));
  assert_ptr_equal(current, second);
  assert_ok(aclrtSetCurrentContext(first));
  assert_ok(aclrtGetCurrentContext(&current));
  assert_ptr_equal(current, first);
  assert_ok(aclrtMalloc(&p, 32, ACL_MEM_MALLOC_HUGE_FIRST));
}
static void test_facts_of_the_device(void **state) {
  (void)state;
  uint32_t count = 0;
  aclrtRunMode mode = ACL_DEVICE;
  assert_ok(aclrtGetDeviceCount(&count));
  assert_int_equal(count, 1);
  assert_ok(aclrtGetRunMode(&mode));
  assert_int_equal(mode, ACL_HOST);
  static const struct { aclrtDevAttr attribute; int64_t value; } facts[] = {
      {ACL_DEV_ATTR_AICORE_CORE_NUM, 24}, {ACL_DEV_ATTR_CUBE_CORE_NUM, 24}, {ACL_DEV_ATTR_VECTOR_CORE_NUM, 48},
      {ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE, 192 * 1024}, {ACL_DEV_ATTR_L2_CACHE_SIZE, 192 << 20}, {ACL_DEV_ATTR_NPU_ARCH, 2201}};
  for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
    int64_t value = -1;
    assert_ok(aclrtGetDeviceInfo(0, facts[i].attribute, &value));
    assert_int_equal(value, facts[i].value);
  }
  assert_non_null(aclrtGetSocName());
}
static void test_last_error_is_read_once(void **state) {
  (void)state;
  assert_null(aclGetRecentErrMsg());
  assert_int_equal(aclrtSetDevice(7), ACL_ERROR_RT_INVALID_DEVICEID);
  assert_int_equal(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_INVALID_DEVICEID);
  assert_int_equal(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_INVALID_DEVICEID);
  assert_int_equal(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
  assert_non_null(strstr(aclGetRecentErrMsg(), "107001"));
}

SK_TESTS(SK_TEST(test_nothing_works_without_a_device), SK_TEST(test_init_twice), SK_TEST(test_init_with_a_missing_file),
         SK_TEST(test_finalize_without_init), SK_TEST(test_other_devices_do_not_exist), SK_TEST(test_null_results_are_refused),
         SK_TEST(test_unknown_device_attribute), SK_TEST(test_dead_contexts_are_refused), SK_TEST(test_other_error_levels),
         SK_TEST(test_counted_devices), SK_TEST(test_a_context_is_enough), SK_TEST(test_facts_of_the_device),
         SK_TEST(test_last_error_is_read_once))
