/* Worked examples of an independent script, played case by case with the tolerances they carry. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "ops_fixture.h"

static json_t *load(const char *name) {
  char path[512];
  json_error_t error;
  snprintf(path, sizeof path, "%s/tests/ops/golden/%s.json", SUPERKERNEL_SOURCE, name);
  json_t *file = json_load_file(path, 0, &error);
  if (file == NULL) fail_msg("%s:%d: %s", path, error.line, error.text);
  return file;
}

static const char *dtype_name(json_t *tensor) { return json_string_value(json_object_get(tensor, "dtype")); }

static sk_dtype dtype_named(const char *name) {
  static const struct { const char *name; sk_dtype dtype; } all[] = {
      {"fp32", SK_FLOAT}, {"fp16", SK_FLOAT16}, {"bf16", SK_BF16}, {"int8", SK_INT8}, {"int32", SK_INT32}, {"int64", SK_INT64},
  };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    if (strcmp(name, all[i].name) == 0) return all[i].dtype;
  fail_msg("no type %s", name);
  return SK_FLOAT;
}
static sk_dtype dtype_of(json_t *tensor) { return dtype_named(dtype_name(tensor)); }

static size_t elements(json_t *tensor) { return json_array_size(json_object_get(tensor, "data")); }
static size_t last_dimension(json_t *tensor) {
  json_t *shape = json_object_get(tensor, "shape");
  return (size_t)json_integer_value(json_array_get(shape, json_array_size(shape) - 1));
}

/* A number of the data list; the words for what JSON cannot hold. int8 is listed as 0 to 255 in places. */
static double number(json_t *tensor, size_t i) {
  json_t *value = json_array_get(json_object_get(tensor, "data"), i);
  if (json_is_boolean(value)) return json_is_true(value);
  if (json_is_integer(value) && strcmp(dtype_name(tensor), "int8") == 0) return (int8_t)json_integer_value(value);
  if (!json_is_string(value)) return json_number_value(value);
  const char *word = json_string_value(value);
  return strcmp(word, "nan") == 0 ? NAN : strcmp(word, "inf") == 0 ? INFINITY : -INFINITY;
}

static void *upload_float(json_t *tensor) {
  uint32_t words[4096];
  size_t count = elements(tensor), bytes = float_bytes(dtype_of(tensor));
  json_t *bits = json_object_get(tensor, "bits");
  assert_true(count <= 4096);
  for (size_t i = 0; i < count; i++) {
    uint32_t word = (uint32_t)strtoul(json_string_value(json_array_get(bits, i)), NULL, 16);
    memcpy((char *)words + i * bytes, &word, bytes);
  }
  return upload(words, count * bytes);
}

static bool within(json_t *rule, sk_dtype dtype, double expected, double got) {
  if (isnan(expected)) return isnan(got);
  if (expected == got) return true;
  if (!json_is_object(rule)) return false;
  double gap = fabs(expected - got);
  return gap <= json_number_value(json_object_get(rule, "abs")) ||
         gap <= fabs(expected) * json_number_value(json_object_get(rule, "rel")) ||
         gap <= ulp_of(dtype, expected) * json_number_value(json_object_get(rule, "ulp"));
}

static void compare(json_t *test, const char *output, size_t i, sk_dtype dtype, double got) {
  json_t *tensor = json_object_get(json_object_get(test, "outputs"), output);
  json_t *rule = json_object_get(json_object_get(test, "tolerance"), output);
  double expected = number(tensor, i);
  if (!within(rule, dtype, expected, got))
    fail_msg("%s: %s[%zu] is %.9g, expected %.9g", json_string_value(json_object_get(test, "name")), output, i, got, expected);
}

static void play_gating(json_t *test) {
  json_t *inputs = json_object_get(test, "inputs"), *x = json_object_get(inputs, "x"), *mask = json_object_get(inputs, "finished");
  sk_dtype dtype = dtype_of(x);
  size_t experts = last_dimension(x), rows = elements(x) / experts;
  size_t k = (size_t)json_integer_value(json_object_get(json_object_get(test, "attrs"), "k")), count = rows * k;
  uint8_t finished[64];
  for (size_t i = 0; json_is_object(mask) && i < rows; i++) finished[i] = number(mask, i) != 0.0;
  void *d_x = upload_float(x), *d_finished = json_is_object(mask) ? upload(finished, rows) : NULL;
  void *d_y = upload(NULL, count * float_bytes(dtype)), *d_experts = upload(NULL, count * 4), *d_rows = upload(NULL, count * 4);
  assert_int_equal(sk_moe_gating_top_k_softmax(d_x, d_finished, d_y, d_experts, d_rows, (uint32_t)rows, (uint32_t)experts,
                                               (uint32_t)k, dtype, 0, NULL), ACL_SUCCESS);
  device_check();
  void *y = download(d_y, count * float_bytes(dtype));
  int32_t *chosen = download(d_experts, count * 4), *row_idx = download(d_rows, count * 4);
  for (size_t i = 0; i < count; i++) {
    compare(test, "y", i, dtype, element(y, dtype, i));
    compare(test, "expert_idx", i, SK_FLOAT, chosen[i]);
    compare(test, "row_idx", i, SK_FLOAT, row_idx[i]);
  }
  free(y);
  free(chosen);
  free(row_idx);
}

static void play_quant(json_t *test) {
  json_t *inputs = json_object_get(test, "inputs"), *x = json_object_get(inputs, "input");
  json_t *smooth = json_object_get(inputs, "smooth_scales"), *ends = json_object_get(inputs, "group_index");
  bool packed = strcmp(json_string_value(json_object_get(json_object_get(test, "attrs"), "dst_type")), "int8") != 0;
  size_t columns = last_dimension(x), rows = elements(x) / columns, bytes = elements(x) / (packed ? 2 : 1), groups = 0;
  int32_t group_ends[64];
  if (json_is_object(ends)) groups = elements(ends);
  for (size_t i = 0; i < groups; i++) group_ends[i] = (int32_t)number(ends, i);
  void *d_smooth = json_is_object(smooth) ? upload_float(smooth) : NULL;
  void *d_ends = groups > 0 ? upload(group_ends, groups * 4) : NULL;
  void *d_x = upload_float(x), *d_y = upload(NULL, bytes), *d_scale = upload(NULL, rows * 4);
  assert_int_equal(sk_dynamic_quant(d_x, d_smooth, d_ends, d_y, d_scale, (uint32_t)rows, (uint32_t)columns, (uint32_t)groups,
                                    dtype_of(x), packed ? 4 : 8, 0, NULL), ACL_SUCCESS);
  device_check();
  void *y = download(d_y, bytes);
  float *scale = download(d_scale, rows * 4);
  for (size_t i = 0; i < rows; i++) compare(test, "scale", i, SK_FLOAT, (double)scale[i]);
  for (size_t i = 0; i < rows * columns; i++)
    compare(test, packed ? "y_nibbles" : "y", i, SK_FLOAT, packed ? sk__i4_load(y, i) : ((int8_t *)y)[i]);
  for (size_t i = 0; packed && i < bytes / 4; i++) compare(test, "y", i, SK_FLOAT, ((int32_t *)y)[i]);
  free(y);
  free(scale);
}

/* A tensor of the file in device memory. Integers beyond 2^53 are read as such. */
static sk_tensor upload_tensor(json_t *from) {
  sk_tensor t = {.dtype = dtype_of(from), .format = SK_ND};
  json_t *shape = json_object_get(from, "shape"), *data = json_object_get(from, "data");
  for (; t.rank < json_array_size(shape); t.rank++) t.shape[t.rank] = json_integer_value(json_array_get(shape, t.rank));
  if (json_object_get(from, "bits") != NULL) {
    t.data = upload_float(from);
    return t;
  }
  char *bytes = malloc(tensor_bytes(&t));
  assert_non_null(bytes);
  for (size_t i = 0; i < tensor_elements(&t); i++) {
    if (t.dtype == SK_INT64) ((int64_t *)(void *)bytes)[i] = json_integer_value(json_array_get(data, i));
    else set_element(bytes, t.dtype, i, number(from, i));
  }
  t.data = upload(bytes, tensor_bytes(&t));
  free(bytes);
  return t;
}

/* Inputs by the names of the record, as far as the file gives them. */
static void take_inputs(op_call *call, sk_tensor *tensors, json_t *test) {
  const sk_operator *op = sk_operator_find(call->name);
  for (; call->in_count < op->input_count; call->in_count++) {
    json_t *given = json_object_get(json_object_get(test, "inputs"), op->inputs[call->in_count].name);
    if (!json_is_object(given)) continue;
    tensors[call->in_count] = upload_tensor(given);
    call->in[call->in_count] = &tensors[call->in_count];
  }
}

/* Every element that the file has; the result may be longer, where rows stay untouched. */
static void compare_all(json_t *test, const char *output, const sk_tensor *out) {
  json_t *wanted = json_object_get(json_object_get(test, "outputs"), output);
  assert_int_equal(dtype_of(wanted), out->dtype);
  void *got = download(out->data, elements(wanted) * sk_dtype_bytes(out->dtype)); /* the rest may be unwritten */
  for (size_t i = 0; i < elements(wanted); i++) compare(test, output, i, out->dtype, element(got, out->dtype, i));
  free(got);
}

static void play_quant_matmul(json_t *test) {
  sk_tensor in[8], out = {0};
  const char *type = json_string_value(json_object_get(json_object_get(test, "attrs"), "output_dtype"));
  op_call call = {.name = "npu_quant_matmul", .attribute = {INTEGER("output_dtype", dtype_named(type))}, .attribute_count = 1};
  take_inputs(&call, in, test);
  run_op(&call, &out, 1);
  assert_int_equal(tensor_elements(&out), elements(json_object_get(json_object_get(test, "outputs"), "y")));
  compare_all(test, "y", &out);
}

static void play_swiglu(json_t *test) {
  static const char *const names[] = {"activate_left", "quant_mode", "swiglu_mode", "clamp_limit", "glu_alpha", "glu_bias"};
  sk_tensor in[8], out[2] = {{0}};
  op_call call = {.name = "npu_dequant_swiglu_quant"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    json_t *value = json_object_get(json_object_get(test, "attrs"), names[i]);
    if (value == NULL) continue;
    call.attribute[call.attribute_count++] = json_is_real(value) ? REAL(names[i], json_real_value(value))
                                                                 : INTEGER(names[i], json_is_true(value) ? 1 : json_integer_value(value));
  }
  take_inputs(&call, in, test);
  run_op(&call, out, 2);
  compare_all(test, "y", &out[0]);
  if (json_object_get(json_object_get(test, "outputs"), "scale") != NULL) compare_all(test, "scale", &out[1]);
}

static void play_trans_quant_param(json_t *test) {
  sk_tensor in[8], out = {0};
  op_call call = {.name = "npu_trans_quant_param", .attribute_count = 1,
                  .attribute = {INTEGER("round_mode", json_integer_value(json_object_get(json_object_get(test, "attrs"), "round_mode")))}};
  take_inputs(&call, in, test);
  run_op(&call, &out, 1);
  json_t *words = json_object_get(json_object_get(json_object_get(test, "outputs"), "out"), "data");
  assert_int_equal(tensor_elements(&out), json_array_size(words));
  int64_t *got = fetch(&out);
  for (size_t i = 0; i < json_array_size(words); i++) assert_int_equal(got[i], json_integer_value(json_array_get(words, i)));
  free(got);
}

/* The storage as the file lists it: offsets of what is not zero, and the values there. */
static void play_format_cast(json_t *test) {
  json_t *outputs = json_object_get(test, "outputs"), *offsets = json_object_get(outputs, "storage_nonzero_offset");
  json_t *shape = json_object_get(outputs, "storage_shape"), *by = json_object_get(json_object_get(test, "attrs"), "customize_dtype");
  sk_tensor in[8], out = {0};
  op_call call = {.name = "npu_format_cast", .attribute = {INTEGER("acl_format", 29)}, .attribute_count = 1};
  if (json_is_string(by)) call.attribute[call.attribute_count++] = INTEGER("customize_dtype", dtype_named(json_string_value(by)));
  take_inputs(&call, in, test);
  run_op(&call, &out, 1);
  size_t places = tensor_bytes(&out) / sk_dtype_bytes(out.dtype), wanted = 1, next = 0;
  for (size_t i = 0; i < elements(shape); i++) wanted *= (size_t)number(shape, i);
  assert_int_equal(places, wanted);
  void *got = fetch(&out);
  for (size_t i = 0; i < places; i++) {
    if (next < elements(offsets) && (size_t)number(offsets, next) == i)
      compare(test, "storage_nonzero_value", next++, out.dtype, element(got, out.dtype, i));
    else
      assert_true(element(got, out.dtype, i) == 0.0);
  }
  assert_int_equal(next, elements(offsets));
  free(got);
}

static void play_file(const char *name, void (*play)(json_t *)) {
  json_t *file = load(name), *test;
  size_t i;
  device_open();
  assert_true(json_array_size(json_object_get(file, "cases")) >= 5);
  json_array_foreach(json_object_get(file, "cases"), i, test) play(test);
  json_decref(file);
}

static void test_moe_gating_top_k_softmax(void **state) {
  (void)state;
  play_file("npu_moe_gating_top_k_softmax", play_gating);
}
static void test_dynamic_quant(void **state) {
  (void)state;
  play_file("npu_dynamic_quant", play_quant);
}

static void test_quant_matmul(void **state) {
  (void)state;
  play_file("npu_quant_matmul", play_quant_matmul);
}

static void test_dequant_swiglu_quant(void **state) {
  (void)state;
  play_file("npu_dequant_swiglu_quant", play_swiglu);
}

static void test_format_cast(void **state) {
  (void)state;
  play_file("npu_format_cast", play_format_cast);
}

static void test_trans_quant_param(void **state) {
  (void)state;
  play_file("npu_trans_quant_param", play_trans_quant_param);
}

SK_TESTS(SK_TEST(test_moe_gating_top_k_softmax), SK_TEST(test_dynamic_quant), SK_TEST(test_quant_matmul),
         SK_TEST(test_dequant_swiglu_quant), SK_TEST(test_format_cast),
         SK_TEST(test_trans_quant_param))
