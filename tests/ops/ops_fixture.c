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
  switch (dtype) {
    case SK_FLOAT: return (double)((const float *)data)[i];
    case SK_FLOAT16: return (double)sk__f32_from_f16(((const uint16_t *)data)[i]);
    case SK_BF16: return (double)sk__f32_from_bf16(((const uint16_t *)data)[i]);
    case SK_INT8: return ((const int8_t *)data)[i];
    case SK_UINT8:
    case SK_BOOL: return ((const uint8_t *)data)[i];
    case SK_INT16: return ((const int16_t *)data)[i];
    case SK_INT32: return ((const int32_t *)data)[i];
    case SK_INT64: return (double)((const int64_t *)data)[i];
    case SK_UINT64: return (double)((const uint64_t *)data)[i];
  }
  fail_msg("no type %d", (int)dtype);
  return 0.0;
}

void set_element(void *data, sk_dtype dtype, size_t i, double value) {
  float single = (float)value;
  switch (dtype) {
    case SK_FLOAT: ((float *)data)[i] = single; return;
    case SK_FLOAT16: ((uint16_t *)data)[i] = sk__f16_from_f32(single, SK__ROUND_RINT, SK__FLOAT_INF_NAN); return;
    case SK_BF16: ((uint16_t *)data)[i] = sk__bf16_from_f32(single, SK__ROUND_RINT, SK__FLOAT_INF_NAN); return;
    case SK_INT8: ((int8_t *)data)[i] = (int8_t)value; return;
    case SK_UINT8:
    case SK_BOOL: ((uint8_t *)data)[i] = (uint8_t)value; return;
    case SK_INT16: ((int16_t *)data)[i] = (int16_t)value; return;
    case SK_INT32: ((int32_t *)data)[i] = (int32_t)value; return;
    case SK_INT64: ((int64_t *)data)[i] = (int64_t)value; return;
    case SK_UINT64: ((uint64_t *)data)[i] = (uint64_t)value; return;
  }
  fail_msg("no type %d", (int)dtype);
}

/* ---- operators by record ------------------------------------------------------------------------ */

sk_tensor tensor(void *data, sk_dtype dtype, const int64_t *shape) {
  sk_tensor t = {.data = data, .dtype = dtype, .format = SK_ND};
  for (; shape[t.rank] >= 0; t.rank++) t.shape[t.rank] = shape[t.rank];
  return t;
}

size_t tensor_elements(const sk_tensor *t) {
  size_t count = 1;
  for (uint32_t i = 0; i < t->rank; i++) count *= (size_t)t->shape[i];
  return count;
}
size_t tensor_bytes(const sk_tensor *t) { return sk_tensor_bytes(t); }
void *fetch(const sk_tensor *t) { return download(t->data, tensor_bytes(t)); }

static sk_call make_call(const op_call *call, sk_tensor *out, uint32_t out_count) {
  return (sk_call){.inputs = call->in, .input_count = call->in_count, .outputs = out, .output_count = out_count,
                   .attributes = call->attribute, .attribute_count = call->attribute_count, .blocks = call->blocks};
}

int plan_op(const op_call *call, sk_tensor *out, uint32_t out_count) {
  sk_call c = make_call(call, out, out_count);
  const sk_operator *op = sk_operator_find(call->name);
  if (op == NULL) fail_msg("no operator %s", call->name);
  return sk_operator_plan(op, &c);
}

void run_op(const op_call *call, sk_tensor *out, uint32_t out_count) {
  sk_call c = make_call(call, out, out_count);
  const sk_operator *op = sk_operator_find(call->name);
  if (op == NULL) fail_msg("no operator %s", call->name);
  if (sk_operator_plan(op, &c) != ACL_SUCCESS) fail_msg("%s", aclGetRecentErrMsg());
  for (uint32_t i = 0; i < out_count; i++)
    if (tensor_bytes(&out[i]) > 0) out[i].data = upload(NULL, tensor_bytes(&out[i]));
  if (c.workspace_bytes > 0) c.workspace = upload(NULL, c.workspace_bytes);
  if (sk_operator_launch(op, &c) != ACL_SUCCESS) fail_msg("%s", aclGetRecentErrMsg());
  device_check();
  if (c.workspace != NULL) assert_int_equal(aclrtFree(c.workspace), ACL_SUCCESS);
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
