/* ops_fixture.c - see ops_fixture.h. */
#include "ops_fixture.h"

#include <math.h>
#include <stdio.h>

#include "runtime/runtime.h"

void device_open(void) {
  assert_int_equal(aclInit(NULL), ACL_SUCCESS);
  assert_int_equal(aclrtSetDevice(0), ACL_SUCCESS);
}

void device_check(void) {
  int error = aclrtSynchronizeDevice();
  size_t count = 0;
  const sk__finding *findings = sk__findings(sk__machine_checker(sk__runtime_machine(sk__runtime_get())), &count);
  for (size_t i = 0; i < count; i++) print_message("finding %s: %s\n", findings[i].id, findings[i].message);
  assert_int_equal(error, ACL_SUCCESS);
  assert_int_equal(count, 0);
}

void *upload(const void *data, size_t bytes) {
  void *device = NULL;
  assert_int_equal(aclrtMalloc(&device, bytes, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  if (data != NULL) assert_int_equal(aclrtMemcpy(device, bytes, data, bytes, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
  return device;
}

void *download(const void *device, size_t bytes) {
  void *data = malloc(bytes);
  assert_non_null(data);
  assert_int_equal(aclrtSynchronizeDevice(), ACL_SUCCESS);
  assert_int_equal(aclrtMemcpy(data, bytes, device, bytes, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
  return data;
}

size_t float_bytes(sk_dtype dtype) { return dtype == SK_FLOAT ? 4 : 2; }

double element(const void *data, sk_dtype dtype, size_t i) {
  if (dtype == SK_FLOAT) return (double)((const float *)data)[i];
  uint16_t bits = ((const uint16_t *)data)[i];
  return (double)(dtype == SK_FLOAT16 ? sk__f32_from_f16(bits) : sk__f32_from_bf16(bits));
}

void set_element(void *data, sk_dtype dtype, size_t i, double value) {
  float single = (float)value;
  if (dtype == SK_FLOAT) ((float *)data)[i] = single;
  else if (dtype == SK_FLOAT16) ((uint16_t *)data)[i] = sk__f16_from_f32(single, SK__ROUND_RINT, SK__FLOAT_INF_NAN);
  else ((uint16_t *)data)[i] = sk__bf16_from_f32(single, SK__ROUND_RINT, SK__FLOAT_INF_NAN);
}

void *random_tensor(sk_dtype dtype, size_t count, sk__rng *rng) {
  void *data = malloc(count * float_bytes(dtype));
  assert_non_null(data);
  for (size_t i = 0; i < count; i++) {
    double sum = -6.0;
    for (int k = 0; k < 12; k++) sum += sk__rng_unit(rng);
    set_element(data, dtype, i, sum);
  }
  return data;
}

double ulp_of(sk_dtype dtype, double value) {
  int digits = dtype == SK_FLOAT ? 24 : dtype == SK_FLOAT16 ? 11 : 8;
  int least = dtype == SK_FLOAT16 ? -24 : dtype == SK_FLOAT ? -149 : -133;
  int exponent = 0;
  (void)frexp(value, &exponent);
  int step = exponent - digits;
  return ldexp(1.0, step < least ? least : step);
}

void assert_refused(int error, const char *word, const char *other) {
  const char *text = aclGetRecentErrMsg();
  assert_int_equal(error, ACL_ERROR_INVALID_PARAM);
  assert_non_null(text);
  if (strstr(text, word) == NULL || strstr(text, other) == NULL) fail_msg("no '%s' and '%s' in: %s", word, other, text);
}
