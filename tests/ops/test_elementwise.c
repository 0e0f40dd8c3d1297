/* Add, sub, mul and casts against the definition in host arithmetic: every type, tails, several tiles, one element. */
#include <math.h>
#include <stdio.h>

#include "ops_fixture.h"

static const sk_dtype numbers[] = {SK_FLOAT, SK_FLOAT16, SK_BF16, SK_INT32, SK_INT16, SK_INT8, SK_UINT8};
#define NUMBERS (sizeof numbers / sizeof numbers[0])

static bool is_float(sk_dtype dtype) { return dtype == SK_FLOAT || dtype == SK_FLOAT16 || dtype == SK_BF16; }

/* Any bits for integers, normal numbers for floats. */
static void *random_values(sk_dtype dtype, size_t count, sk__rng *rng) {
  if (is_float(dtype)) return random_tensor(dtype, count, rng);
  uint8_t *data = malloc(count * sk_dtype_bytes(dtype));
  assert_non_null(data);
  for (size_t i = 0; i < count * sk_dtype_bytes(dtype); i++) data[i] = (uint8_t)sk__rng_below(rng, dtype == SK_BOOL ? 2 : 256);
  return data;
}

/* The low bits of an integer, in the type. */
static void set_wrapped(void *data, sk_dtype dtype, size_t i, int64_t value) { memcpy((char *)data + i * sk_dtype_bytes(dtype), &value, sk_dtype_bytes(dtype)); }
static int64_t integer(const void *data, sk_dtype dtype, size_t i) {
  return dtype == SK_INT64 ? ((const int64_t *)data)[i] : (int64_t)element(data, dtype, i);
}

/* a op alpha * b as the operator rounds it: each step in float, or in half where that is native. */
static void expect(void *to, size_t i, sk_dtype dtype, char op, const void *a, const void *b, size_t j, double alpha) {
  if (!is_float(dtype)) {
    uint64_t x = (uint64_t)integer(a, dtype, i), y = (uint64_t)integer(b, dtype, j) * (uint64_t)(int64_t)alpha;
    set_wrapped(to, dtype, i, (int64_t)(op == '+' ? x + y : op == '-' ? x - y : x * y));
    return;
  }
  float x = (float)element(a, dtype, i), y = (float)element(b, dtype, j) * (float)alpha;
  set_element(to, dtype, i, (double)(op == '+' ? x + y : op == '-' ? x - y : x * y));
}

static const char *name_of(char op) { return op == '+' ? "Add" : op == '-' ? "Sub" : "Mul"; }

static void compare(const sk_tensor *out, const void *expected, const char *what) {
  uint8_t *got = fetch(out);
  size_t bytes = sk_dtype_bytes(out->dtype);
  for (size_t i = 0; i < tensor_elements(out); i++)
    if (memcmp(got + i * bytes, (const uint8_t *)expected + i * bytes, bytes) != 0)
      fail_msg("%s, %s: element %zu of %zu is %.9g, expected %.9g", what, sk_dtype_name(out->dtype), i, tensor_elements(out),
               element(got, out->dtype, i), element(expected, out->dtype, i));
  free(got);
}

/* other_count 1 or count; alpha NAN: not given. */
static void play(char op, sk_dtype dtype, size_t count, size_t other_count, double alpha, uint32_t blocks, sk__rng *rng) {
  void *a = random_values(dtype, count, rng), *b = random_values(dtype, other_count, rng);
  void *expected = malloc(count * sk_dtype_bytes(dtype));
  assert_non_null(expected);
  for (size_t i = 0; i < count; i++) expect(expected, i, dtype, op, a, b, other_count == 1 ? 0 : i, isnan(alpha) ? 1.0 : alpha);
  sk_tensor self = tensor(upload(a, count * sk_dtype_bytes(dtype)), dtype, SHAPE((int64_t)count));
  sk_tensor other = tensor(upload(b, other_count * sk_dtype_bytes(dtype)), dtype, SHAPE((int64_t)other_count)), out = {0};
  op_call call = {.name = name_of(op), .in = {&self, &other}, .in_count = 2, .blocks = blocks};
  if (!isnan(alpha)) call.attribute[call.attribute_count++] = REAL("alpha", alpha);
  run_op(&call, &out, 1);
  compare(&out, expected, name_of(op));
  aclrtFree(self.data), aclrtFree(other.data), aclrtFree(out.data);
  free(a), free(b), free(expected);
}

static void play_types(const char *seed, size_t count, size_t other_count, uint32_t blocks) {
  sk__rng rng = sk__rng_from_seed(sk_test_seed(seed) + count);
  device_open();
  for (size_t i = 0; i < NUMBERS; i++)
    for (int op = 0; op < 3; op++) play("+-*"[op], numbers[i], count, other_count, NAN, blocks, &rng);
}

#define COUNT_TEST(n)                          \
  static void test_##n##_elements(void **state) { \
    (void)state;                               \
    play_types("elements", n, n, 0);           \
  }
COUNT_TEST(1) COUNT_TEST(31) COUNT_TEST(511) COUNT_TEST(512) COUNT_TEST(513) COUNT_TEST(70001) COUNT_TEST(24576) COUNT_TEST(24577)

static void test_many_tiles_on_two_cores(void **state) {
  (void)state;
  play_types("tiles", 100003, 100003, 2);
}
static void test_one_element_on_the_right(void **state) {
  (void)state;
  play_types("one", 40001, 1, 3);
}
static void test_alpha(void **state) {
  (void)state;
  sk__rng rng = sk__rng_from_seed(sk_test_seed("alpha"));
  device_open();
  for (size_t i = 0; i < NUMBERS; i++)
    for (int k = 0; k < 4; k++)
      play("+-"[k % 2], numbers[i], 20001, k < 2 ? 20001 : 1, numbers[i] == SK_UINT8 ? 3.0 : is_float(numbers[i]) ? -2.5 : -3.0, 2, &rng);
}

static void test_a_scalar_attribute(void **state) {
  (void)state;
  sk__rng rng = sk__rng_from_seed(sk_test_seed("scalar"));
  device_open();
  for (size_t i = 0; i < NUMBERS; i++)
    for (int op = 0; op < 3; op++) {
      sk_dtype dtype = numbers[i];
      size_t count = 9001;
      double value = is_float(dtype) ? 1.5 : dtype == SK_UINT8 ? 200.0 : -100.0;
      void *a = random_values(dtype, count, &rng), *expected = malloc(count * 4);
      uint64_t one[1];
      set_element(one, dtype, 0, value);
      for (size_t k = 0; k < count; k++) expect(expected, k, dtype, "+-*"[op], a, one, 0, 1.0);
      sk_tensor self = tensor(upload(a, count * sk_dtype_bytes(dtype)), dtype, SHAPE(1, (int64_t)count)), out = {0};
      op_call call = {.name = name_of("+-*"[op]), .in = {&self}, .in_count = 1, .attribute = {REAL("scalar", value)}, .attribute_count = 1};
      run_op(&call, &out, 1);
      compare(&out, expected, "scalar");
      free(a), free(expected);
    }
}

/* self [d0, d1, d2], other with ones: each element's partner by its indices. */
static void play_shapes(char op, sk_dtype dtype, const uint32_t d[3], const uint32_t e[3], double alpha, uint32_t blocks, sk__rng *rng) {
  size_t count = (size_t)d[0] * d[1] * d[2], other_count = (size_t)e[0] * e[1] * e[2], bytes = sk_dtype_bytes(dtype);
  void *a = random_values(dtype, count, rng), *b = random_values(dtype, other_count, rng), *expected = malloc(count * bytes);
  assert_non_null(expected);
  for (size_t i = 0; i < count; i++) {
    size_t i0 = i / d[2] / d[1], i1 = i / d[2] % d[1], i2 = i % d[2];
    expect(expected, i, dtype, op, a, b, ((e[0] == 1 ? 0 : i0) * e[1] + (e[1] == 1 ? 0 : i1)) * e[2] + (e[2] == 1 ? 0 : i2), alpha);
  }
  sk_tensor self = tensor(upload(a, count * bytes), dtype, SHAPE(d[0], d[1], d[2])), out = {0};
  sk_tensor other = tensor(upload(b, other_count * bytes), dtype, e[0] == 1 ? SHAPE(e[1], e[2]) : SHAPE(e[0], e[1], e[2]));
  op_call call = {.name = name_of(op), .in = {&self, &other}, .in_count = 2, .blocks = blocks};
  if (alpha != 1.0) call.attribute[call.attribute_count++] = REAL("alpha", alpha);
  run_op(&call, &out, 1);
  compare(&out, expected, name_of(op));
  aclrtFree(self.data), aclrtFree(other.data), aclrtFree(out.data);
  free(a), free(b), free(expected);
}

static void test_broadcasts(void **state) {
  (void)state;
  static const uint32_t shapes[][2][3] = {
      {{3, 7, 40}, {1, 1, 40}},     {{3, 7, 40}, {1, 7, 40}},       {{3, 7, 40}, {3, 1, 1}},     {{3, 7, 40}, {3, 7, 1}},    {{3, 7, 40}, {1, 7, 1}},
      {{1, 5, 20000}, {1, 1, 20000}}, {{1, 5, 20000}, {1, 5, 1}},   {{200, 3, 5}, {1, 1, 5}},    {{200, 3, 5}, {1, 3, 1}},   {{2, 1, 33}, {1, 1, 33}},
  };
  sk__rng rng = sk__rng_from_seed(sk_test_seed("broadcast"));
  device_open();
  for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
    for (size_t i = 0; i < NUMBERS; i++)
      for (int op = 0; op < 3; op++) play_shapes("+-*"[op], numbers[i], shapes[s][0], shapes[s][1], op < 2 && s % 2 == 0 ? 3.0 : 1.0, s % 3 == 0 ? 2 : 0, &rng);
}

static void test_the_result_may_be_an_input(void **state) {
  (void)state;
  device_open();
  float a[3] = {1.0f, 2.0f, 3.0f};
  sk_tensor self = tensor(upload(a, sizeof a), SK_FLOAT, SHAPE(3)), out = self;
  const sk_tensor *inputs[] = {&self, &self};
  sk_call call = {.inputs = inputs, .input_count = 2, .outputs = &out, .output_count = 1};
  assert_int_equal(sk_operator_launch(sk_operator_find("Add"), &call), ACL_SUCCESS);
  device_check();
  float *got = fetch(&self);
  assert_true(got[0] == 2.0f && got[1] == 4.0f && got[2] == 6.0f);
  free(got);
}

static void test_special_floats(void **state) {
  (void)state;
  static const double values[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 65504.0, -65504.0, 0x1p-24, 1.0};
  enum { N = sizeof values / sizeof values[0] };
  device_open();
  for (int t = 0; t < 3; t++)
    for (int op = 0; op < 3; op++) {
      uint32_t a[N * N], b[N * N], expected[N * N];
      for (size_t i = 0; i < N * N; i++) set_element(a, numbers[t], i, values[i / N]), set_element(b, numbers[t], i, values[i % N]);
      for (size_t i = 0; i < N * N; i++) expect(expected, i, numbers[t], "+-*"[op], a, b, i, 1.0);
      sk_tensor self = tensor(upload(a, N * N * float_bytes(numbers[t])), numbers[t], SHAPE(N, N)), out = {0};
      sk_tensor other = tensor(upload(b, N * N * float_bytes(numbers[t])), numbers[t], SHAPE(N, N));
      op_call call = {.name = name_of("+-*"[op]), .in = {&self, &other}, .in_count = 2};
      run_op(&call, &out, 1);
      void *got = fetch(&out);
      for (size_t i = 0; i < N * N; i++) {
        double want = element(expected, numbers[t], i), have = element(got, numbers[t], i);
        if (isnan(want) ? !isnan(have) : want != have || signbit(want) != signbit(have))
          fail_msg("%s of %g and %g is %g, expected %g", name_of("+-*"[op]), values[i / N], values[i % N], have, want);
      }
      free(got);
    }
}

/* ---- casts --------------------------------------------------------------------------------------- */

static const sk_dtype all[] = {SK_FLOAT, SK_FLOAT16, SK_BF16, SK_INT32, SK_INT16, SK_INT8, SK_UINT8, SK_INT64, SK_BOOL};
#define ALL (sizeof all / sizeof all[0])

static double clamp(double v, double low, double high) { return isnan(v) ? 0.0 : v < low ? low : v > high ? high : v; }

static void expect_cast(void *to, sk_dtype to_type, const void *from, sk_dtype from_type, size_t i) {
  double value = element(from, from_type, i);
  if (to_type == SK_BOOL) {
    set_element(to, to_type, i, from_type == SK_INT64 ? ((const int64_t *)from)[i] != 0 : isnan(value) || value != 0.0);
  } else if (is_float(to_type)) {
    /* by way of float: int64 must not be rounded twice on its way there */
    float single = from_type == SK_INT64 ? (float)((const int64_t *)from)[i] : (float)value;
    set_element(to, to_type, i, (double)single);
  } else if (!is_float(from_type)) {
    set_wrapped(to, to_type, i, integer(from, from_type, i));
  } else if (to_type == SK_INT64) {
    value = trunc(value);
    ((int64_t *)to)[i] = isnan(value) ? 0 : value >= 0x1p63 ? INT64_MAX : value < -0x1p63 ? INT64_MIN : (int64_t)value;
  } else {
    double low = to_type == SK_INT32 ? -0x1p31 : to_type == SK_INT16 ? -32768.0 : to_type == SK_INT8 ? -128.0 : 0.0;
    double high = to_type == SK_INT32 ? 0x1p31 - 1.0 : to_type == SK_INT16 ? 32767.0 : to_type == SK_INT8 ? 127.0 : 255.0;
    set_element(to, to_type, i, clamp(trunc(value), low, high));
  }
}

static void play_cast(sk_dtype from, sk_dtype to, const void *data, size_t count, uint32_t blocks) {
  void *expected = calloc(count, 8);
  assert_non_null(expected);
  for (size_t i = 0; i < count; i++) expect_cast(expected, to, data, from, i);
  sk_tensor self = tensor(upload(data, count * sk_dtype_bytes(from)), from, SHAPE((int64_t)count)), out = {0};
  op_call call = {.name = "Cast", .in = {&self}, .in_count = 1, .attribute = {INTEGER("dst_type", to)}, .attribute_count = 1, .blocks = blocks};
  run_op(&call, &out, 1);
  char what[48];
  snprintf(what, sizeof what, "cast from %s", sk_dtype_name(from));
  if (is_float(to)) { /* NaN keeps no promise about its bits */
    void *got = fetch(&out);
    for (size_t i = 0; i < count; i++)
      if (isnan(element(expected, to, i))) {
        assert_true(isnan(element(got, to, i)));
        memcpy((char *)expected + i * sk_dtype_bytes(to), (char *)got + i * sk_dtype_bytes(to), sk_dtype_bytes(to));
      }
    free(got);
  }
  compare(&out, expected, what);
  aclrtFree(self.data), aclrtFree(out.data);
  free(expected);
}

static void test_casts_of_every_pair(void **state) {
  (void)state;
  sk__rng rng = sk__rng_from_seed(sk_test_seed("cast"));
  device_open();
  for (size_t f = 0; f < ALL; f++)
    for (size_t t = 0; t < ALL; t++) {
      size_t count = 8195;
      void *data = random_values(all[f], count, &rng);
      for (size_t i = 0; is_float(all[f]) && i < count; i++) set_element(data, all[f], i, element(data, all[f], i) * 100.0);
      play_cast(all[f], all[t], data, count, 1);
      free(data);
    }
}

static void test_casts_of_edges(void **state) {
  (void)state;
  static const double values[] = {0.0, -0.0, 0.5, -0.5, 0.99999, -1.9999999, 1.5, 127.4, 127.99, 128.0, -128.9, -129.0, 255.9, 256.0, 300.5,
                                  32767.9, 32768.0, -32769.0, 65504.0, 65520.0, 1e6, 2147483520.0, 2147483648.0, -2147483648.0, -3e9, 9.3e18,
                                  -9.3e18, 1e30, -1e30, INFINITY, -INFINITY, NAN, 0x1p-140, -0x1p-149, 1.99951171875, 2049.0};
  enum { N = sizeof values / sizeof values[0] };
  device_open();
  for (int f = 0; f < 3; f++)
    for (size_t t = 0; t < ALL; t++) {
      uint32_t data[N];
      for (size_t i = 0; i < N; i++) set_element(data, all[f], i, values[i]);
      play_cast(all[f], all[t], data, N, 0);
    }
  static const int64_t wide[] = {0, 1, -1, 255, 256, -256, INT64_C(1) << 32, (INT64_C(1) << 32) + 5, INT32_MIN, INT32_MAX, INT64_MIN, INT64_MAX,
                                 16777217, (INT64_C(1) << 40) + 1, -32769, 65536};
  for (size_t t = 0; t < ALL; t++) play_cast(SK_INT64, all[t], wide, sizeof wide / sizeof wide[0], 0);
  static const int32_t words[] = {0, 1, -1, INT32_MIN, INT32_MAX, 16777217, -16777219, 256, -256, 65536, 33554433};
  for (size_t t = 0; t < ALL; t++) play_cast(SK_INT32, all[t], words, sizeof words / sizeof words[0], 0);
  static const int16_t shorts[] = {0, 1, -1, INT16_MIN, INT16_MAX, 256, -256, 2049};
  for (size_t t = 0; t < ALL; t++) play_cast(SK_INT16, all[t], shorts, sizeof shorts / sizeof shorts[0], 0);
}

static void test_casts_on_many_cores(void **state) {
  (void)state;
  sk__rng rng = sk__rng_from_seed(sk_test_seed("cores"));
  device_open();
  void *data = random_values(SK_FLOAT, 600001, &rng);
  play_cast(SK_FLOAT, SK_BF16, data, 600001, 0);
  play_cast(SK_FLOAT, SK_INT64, data, 300001, 0);
  free(data);
}

/* ---- what is refused ------------------------------------------------------------------------------ */

static void test_refusals_of_add(void **state) {
  (void)state;
  device_open();
  void *d = upload(NULL, 4096);
  sk_tensor self = tensor(d, SK_FLOAT, SHAPE(4, 8)), half = tensor(d, SK_FLOAT16, SHAPE(4, 8)), row = tensor(d, SK_FLOAT, SHAPE(7)), out = {0};
  sk_tensor wide = tensor(d, SK_INT64, SHAPE(4, 8)), whole = tensor(d, SK_INT32, SHAPE(4, 8));
  assert_refused(plan_op(&(op_call){.name = "Add", .in = {&self, &half}, .in_count = 2}, &out, 1), "Add: other is float16", "type of self");
  assert_refused(plan_op(&(op_call){.name = "Add", .in = {&self, &row}, .in_count = 2}, &out, 1), "other is [7]", "shape of self");
  assert_refused(plan_op(&(op_call){.name = "Add", .in = {&wide, &wide}, .in_count = 2}, &out, 1), "self is int64", "float32, float16");
  assert_refused(plan_op(&(op_call){.name = "Add", .in = {&self}, .in_count = 1}, &out, 1), "other is NULL", "scalar");
  assert_refused(plan_op(&(op_call){.name = "Add", .in = {NULL, &self}, .in_count = 2}, &out, 1), "self is NULL", "float32");
  assert_refused(plan_op(&(op_call){.name = "Add", .in = {&whole, &whole}, .in_count = 2, .attribute = {REAL("alpha", 0.5)}, .attribute_count = 1}, &out, 1),
                 "alpha is no integer", "integer type");
  assert_refused(plan_op(&(op_call){.name = "Add", .in = {&self, &self}, .in_count = 2, .attribute = {REAL("beta", 0.5)}, .attribute_count = 1}, &out, 1),
                 "attribute is beta", "alpha, scalar");
  assert_refused(plan_op(&(op_call){.name = "Mul", .in = {&self, &self}, .in_count = 2, .attribute = {REAL("scalar", 0.5)}, .attribute_count = 1}, &out, 1),
                 "scalar is given", "other");
  assert_refused(plan_op(&(op_call){.name = "Add", .in = {&self, &self, &self}, .in_count = 3}, &out, 1), "input_count is 3", "record");
  sk_tensor cube = tensor(d, SK_FLOAT, SHAPE(4, 2, 4)), between = tensor(d, SK_FLOAT, SHAPE(4, 1, 4));
  assert_refused(plan_op(&(op_call){.name = "Add", .in = {&cube, &between}, .in_count = 2}, &out, 1), "other is [4, 1, 4]", "before or behind");
  assert_refused(plan_op(&(op_call){.name = "Add", .in = {&row, &self}, .in_count = 2}, &out, 1), "other is [4, 8]", "shape of self");
  self.rank = 9;
  assert_refused(plan_op(&(op_call){.name = "Add", .in = {&self, &self}, .in_count = 2}, &out, 1), "rank of self is 9", "0 to 8");
}

static void test_refusals_of_a_launch(void **state) {
  (void)state;
  device_open();
  void *d = upload(NULL, 4096);
  sk_tensor self = tensor(d, SK_FLOAT, SHAPE(4, 8)), out = tensor(d, SK_FLOAT, SHAPE(4, 8)), nothing = tensor(NULL, SK_FLOAT, SHAPE(4, 8));
  const sk_tensor *inputs[] = {&self, &nothing};
  sk_call call = {.inputs = inputs, .input_count = 2, .outputs = &out, .output_count = 1};
  const sk_operator *add = sk_operator_find("add");
  assert_refused(sk_operator_launch(add, &call), "other is NULL", "device memory");
  inputs[1] = &self;
  out.data = NULL;
  assert_refused(sk_operator_launch(add, &call), "out is NULL", "device memory");
  out = tensor(d, SK_FLOAT, SHAPE(4, 7));
  assert_refused(sk_operator_launch(add, &call), "out is [4, 7]", "sk_operator_plan");
  out = tensor(d, SK_FLOAT16, SHAPE(4, 8));
  assert_refused(sk_operator_launch(add, &call), "out is float16", "float32");
  out = tensor(d, SK_FLOAT, SHAPE(4, 8));
  call.blocks = 65536;
  assert_refused(sk_operator_launch(add, &call), "blocks is 65536", "65535");
  assert_refused(sk_operator_launch(NULL, &call), "op is NULL", "sk_operator_find");
  assert_null(sk_operator_find("NoSuchOperator"));
}

static void test_refusals_of_cast(void **state) {
  (void)state;
  device_open();
  sk_tensor self = tensor(NULL, SK_FLOAT, SHAPE(4)), words = tensor(NULL, SK_UINT64, SHAPE(4)), out = {0};
  op_call call = {.name = "Cast", .in = {&self}, .in_count = 1, .attribute = {INTEGER("dst_type", 11)}, .attribute_count = 1};
  assert_refused(plan_op(&call, &out, 1), "dst_type is 11", "27 bfloat16");
  call.attribute[0] = REAL("dst_type", 1.0);
  assert_refused(plan_op(&call, &out, 1), "dst_type is a real number", "0 float32");
  assert_refused(plan_op(&(op_call){.name = "Cast", .in = {&words}, .in_count = 1}, &out, 1), "self is uint64", "float32");
}

static void test_nothing_launches_nothing(void **state) {
  (void)state;
  device_open();
  sk_tensor self = tensor(NULL, SK_FLOAT, SHAPE(4, 0)), out = {0};
  run_op(&(op_call){.name = "Add", .in = {&self, &self}, .in_count = 2}, &out, 1);
  assert_true(out.rank == 2 && out.shape[1] == 0);
}

SK_TESTS(SK_TEST(test_refusals_of_add), SK_TEST(test_refusals_of_a_launch), SK_TEST(test_refusals_of_cast), SK_TEST(test_nothing_launches_nothing),
         SK_TEST(test_1_elements), SK_TEST(test_31_elements), SK_TEST(test_511_elements), SK_TEST(test_512_elements), SK_TEST(test_513_elements),
         SK_TEST(test_24576_elements), SK_TEST(test_24577_elements), SK_TEST(test_70001_elements), SK_TEST(test_many_tiles_on_two_cores),
         SK_TEST(test_one_element_on_the_right), SK_TEST(test_alpha), SK_TEST(test_a_scalar_attribute), SK_TEST(test_broadcasts), SK_TEST(test_the_result_may_be_an_input),
         SK_TEST(test_special_floats), SK_TEST(test_casts_of_every_pair), SK_TEST(test_casts_of_edges), SK_TEST(test_casts_on_many_cores))
