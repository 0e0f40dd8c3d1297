/* The quantised product against the definition: sums in 64 bits, then the steps of each result type. */
#include <math.h>
#include <stdio.h>

#include "ops_fixture.h"

typedef struct quant_case {
  uint32_t m, k, n, batches; /* batches 0: no batch dimension; x1 has none */
  sk_dtype out, scale, bias; /* bias SK_BOOL: none */
  uint32_t scale_count;      /* 1 or n */
  bool offset, pertoken, transposed, bias_batched;
  uint32_t blocks;
} quant_case;

static float cut(float scale) {
  uint32_t bits;
  memcpy(&bits, &scale, 4);
  bits &= 0xffffe000u;
  memcpy(&scale, &bits, 4);
  return scale;
}
static double clamp(double v, double low, double high) { return v < low ? low : v > high ? high : v; }

static void *random_bytes(size_t count, sk__rng *rng) {
  int8_t *data = malloc(count);
  assert_non_null(data);
  for (size_t i = 0; i < count; i++) data[i] = (int8_t)sk__rng_below(rng, 256);
  return data;
}

typedef struct quant_data {
  int8_t *x1, *x2;
  float scale[1024], offset[1024], pertoken[1024];
  uint64_t words[1024];
  int32_t whole_bias[4096];
  float bias[4096];
} quant_data;

/* What the result must be. A word's own offset is one of its column's number, 0 when an offset is given. */
static double expected(const quant_case *c, const quant_data *d, uint32_t batch, uint32_t i, uint32_t j) {
  size_t at = c->scale_count == 1 ? 0 : j, bias_at = (c->bias_batched ? (size_t)batch * c->n : 0) + j;
  int64_t sum = c->bias == SK_INT32 ? d->whole_bias[bias_at] : 0;
  for (uint32_t k = 0; k < c->k; k++)
    sum += d->x1[(size_t)i * c->k + k] * d->x2[(size_t)batch * c->k * c->n + (c->transposed ? (size_t)j * c->k + k : (size_t)k * c->n + j)];
  if (c->out == SK_INT32) return (double)sum;
  bool floats = c->out == SK_BF16 || c->pertoken;
  float f = (float)sum * (floats ? d->scale[at] : cut(d->scale[at]));
  if (c->out == SK_INT8) {
    double offset = c->offset ? clamp(rint((double)d->offset[at]), -256, 255) : c->scale == SK_INT64 ? (double)((int64_t)at % 7 - 3) : 0;
    return clamp(clamp(rint((double)f), -256, 255) + offset, -128, 127);
  }
  if (!floats) return clamp((double)f, -65504, 65504);
  if (c->pertoken) f *= d->pertoken[i];
  if (c->bias != SK_BOOL && c->bias != SK_INT32) f += d->bias[bias_at];
  return (double)f;
}

static sk_tensor column_tensor(const float *values, sk_dtype dtype, size_t count) {
  uint32_t data[4096];
  assert_true(count <= 4096);
  for (size_t i = 0; i < count; i++) set_element(data, dtype, i, (double)values[i]);
  return tensor(upload(data, count * sk_dtype_bytes(dtype)), dtype, SHAPE((int64_t)count));
}

static void fill(quant_data *d, const quant_case *c, sk__rng *rng) {
  size_t batches = c->batches > 0 ? c->batches : 1;
  d->x1 = random_bytes((size_t)c->m * c->k, rng);
  d->x2 = random_bytes(batches * c->k * c->n, rng);
  double scale = (c->out == SK_INT8 ? 100.0 : 30.0) / (5000.0 * sqrt((double)c->k));
  for (uint32_t j = 0; j < c->n; j++) {
    d->scale[j] = (float)((sk__rng_unit(rng) + 0.2) * scale);
    if (c->scale == SK_BF16) d->scale[j] = sk__f32_from_bf16(sk__bf16_from_f32(d->scale[j], SK__ROUND_RINT, SK__FLOAT_INF_NAN));
    uint32_t bits;
    memcpy(&bits, &d->scale[j], 4);
    d->words[j] = (bits & 0xffffe000u) | UINT64_C(1) << 46 | ((uint64_t)((int64_t)j % 7 - 3) & 0x1ffu) << 37;
    d->offset[j] = (float)(sk__rng_unit(rng) * 700.0 - 350.0);
  }
  for (uint32_t i = 0; i < c->m; i++) d->pertoken[i] = (float)(sk__rng_unit(rng) + 0.1);
  for (size_t j = 0; j < c->n * batches; j++) {
    d->whole_bias[j] = (int32_t)sk__rng_below(rng, 20001) - 10000;
    d->bias[j] = sk__f32_from_bf16(sk__bf16_from_f32((float)sk__rng_unit(rng) * 8.0f - 4.0f, SK__ROUND_RINT, SK__FLOAT_INF_NAN));
    if (c->bias == SK_FLOAT16) d->bias[j] = sk__f32_from_f16(sk__f16_from_f32(d->bias[j], SK__ROUND_RINT, SK__FLOAT_INF_NAN));
  }
}

static void play(quant_case c, sk__rng *rng) {
  static quant_data d;
  fill(&d, &c, rng);
  size_t batches = c.batches > 0 ? c.batches : 1;
  int64_t rows = c.transposed ? c.n : c.k, columns = c.transposed ? c.k : c.n;
  sk_tensor x1 = tensor(upload(d.x1, (size_t)c.m * c.k), SK_INT8, SHAPE(c.m, c.k)), out = {0};
  sk_tensor x2 = tensor(upload(d.x2, batches * c.k * c.n), SK_INT8, SHAPE(rows, columns));
  if (c.batches > 0) x2 = tensor(x2.data, SK_INT8, SHAPE(c.batches, rows, columns));
  sk_tensor scale = c.scale == SK_INT64 ? tensor(upload(d.words, c.scale_count * 8), SK_INT64, SHAPE(c.scale_count))
                                        : column_tensor(d.scale, c.scale, c.scale_count);
  sk_tensor offset = column_tensor(d.offset, SK_FLOAT, c.scale_count), pertoken = column_tensor(d.pertoken, SK_FLOAT, c.m);
  size_t bias_count = c.bias_batched ? batches * c.n : c.n;
  sk_tensor bias = c.bias == SK_INT32 ? tensor(upload(d.whole_bias, bias_count * 4), SK_INT32, SHAPE((int64_t)bias_count))
                                      : column_tensor(d.bias, c.bias == SK_BOOL ? SK_FLOAT : c.bias, bias_count);
  if (c.bias_batched) bias = tensor(bias.data, bias.dtype, SHAPE((int64_t)batches, 1, c.n));
  op_call call = {.name = "npu_quant_matmul", .in_count = 6, .blocks = c.blocks,
                  .in = {&x1, &x2, &scale, c.offset ? &offset : NULL, c.pertoken ? &pertoken : NULL, c.bias != SK_BOOL ? &bias : NULL},
                  .attribute = {INTEGER("output_dtype", c.out), INTEGER("transpose_x2", c.transposed)}, .attribute_count = 2};
  run_op(&call, &out, 1);
  assert_int_equal(out.dtype, c.out);
  void *got = fetch(&out);
  uint64_t want[1];
  for (uint32_t batch = 0; batch < batches; batch++)
    for (uint32_t i = 0; i < c.m; i++)
      for (uint32_t j = 0; j < c.n; j++) {
        set_element(want, c.out, 0, expected(&c, &d, batch, i, j));
        double have = element(got, c.out, ((size_t)batch * c.m + i) * c.n + j);
        if (have != element(want, c.out, 0))
          fail_msg("%s from %s scale, batch %u: (%u, %u) is %.9g, expected %.9g", sk_dtype_name(c.out), sk_dtype_name(c.scale), batch, i, j, have,
                   element(want, c.out, 0));
      }
  void *all[] = {x1.data, x2.data, scale.data, offset.data, pertoken.data, bias.data, out.data};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) aclrtFree(all[i]);
  free(d.x1), free(d.x2), free(got);
}

#define NONE SK_BOOL
/* Every combination of types that is legal. */
static const struct { sk_dtype out, scale, bias; bool offset, pertoken; } kinds[] = {
    {SK_FLOAT16, SK_INT64, NONE, false, false},   {SK_FLOAT16, SK_INT64, SK_INT32, false, false}, {SK_FLOAT16, SK_FLOAT, SK_INT32, false, false},
    {SK_INT8, SK_INT64, NONE, false, false},      {SK_INT8, SK_INT64, SK_INT32, false, false},    {SK_INT8, SK_INT64, SK_INT32, true, false},
    {SK_INT8, SK_FLOAT, NONE, true, false},       {SK_INT8, SK_FLOAT, SK_INT32, false, false},    {SK_BF16, SK_FLOAT, NONE, false, false},
    {SK_BF16, SK_BF16, SK_INT32, false, false},   {SK_BF16, SK_FLOAT, SK_BF16, false, true},      {SK_BF16, SK_BF16, SK_FLOAT, false, true},
    {SK_FLOAT16, SK_FLOAT, NONE, false, true},    {SK_FLOAT16, SK_FLOAT, SK_INT32, false, true},  {SK_FLOAT16, SK_FLOAT, SK_FLOAT16, false, true},
    {SK_FLOAT16, SK_FLOAT, SK_FLOAT, false, true}, {SK_INT32, SK_FLOAT, SK_INT32, false, false},  {SK_INT32, SK_BF16, NONE, false, false},
};
#define KINDS (sizeof kinds / sizeof kinds[0])

static void play_kinds(uint32_t m, uint32_t k, uint32_t n, uint32_t blocks) {
  sk__rng rng = sk__rng_from_seed(sk_test_seed("quant_matmul") + m + n);
  device_open();
  for (size_t i = 0; i < KINDS; i++)
    play((quant_case){.m = m, .k = k, .n = n, .out = kinds[i].out, .scale = kinds[i].scale, .bias = kinds[i].bias, .offset = kinds[i].offset,
                      .pertoken = kinds[i].pertoken, .scale_count = i % 3 == 0 ? 1 : n, .transposed = i % 2 != 0, .blocks = blocks}, &rng);
}
/* The other choice of one scale or one per column. */
static void play_kinds_again(uint32_t m, uint32_t k, uint32_t n, uint32_t blocks) {
  sk__rng rng = sk__rng_from_seed(sk_test_seed("quant_matmul_again") + m + n);
  device_open();
  for (size_t i = 0; i < KINDS; i++)
    play((quant_case){.m = m, .k = k, .n = n, .out = kinds[i].out, .scale = kinds[i].scale, .bias = kinds[i].bias, .offset = kinds[i].offset,
                      .pertoken = kinds[i].pertoken, .scale_count = i % 3 != 0 ? 1 : n, .transposed = i % 2 == 0, .blocks = blocks}, &rng);
}

static void test_small(void **state) {
  (void)state;
  play_kinds(2, 32, 4, 0);
}
static void test_one_row(void **state) {
  (void)state;
  play_kinds(1, 40, 70, 0);
}
static void test_sample_shape(void **state) {
  (void)state;
  play_kinds_again(48, 64, 64, 0);
}
static void test_several_blocks(void **state) {
  (void)state;
  play_kinds(150, 70, 300, 0);
}
static void test_several_blocks_on_two_cores(void **state) {
  (void)state;
  play_kinds_again(290, 33, 530, 2);
}
static void test_long_sums_on_one_core(void **state) {
  (void)state;
  play_kinds(70, 1100, 267, 1);
}

static void test_batches(void **state) {
  (void)state;
  sk__rng rng = sk__rng_from_seed(sk_test_seed("quant batch"));
  device_open();
  for (size_t i = 0; i < KINDS; i++)
    play((quant_case){.m = 40, .k = 64, .n = 70, .batches = 5, .out = kinds[i].out, .scale = kinds[i].scale, .bias = kinds[i].bias, .offset = kinds[i].offset,
                      .pertoken = kinds[i].pertoken, .scale_count = 70, .bias_batched = kinds[i].bias != NONE && i % 2 != 0, .blocks = i % 2 != 0 ? 2 : 0}, &rng);
}

/* The packed word 1 is no scale of one: its scale bits are zero. */
static void test_the_word_one_is_a_scale_of_zero(void **state) {
  (void)state;
  device_open();
  int8_t ones[64];
  memset(ones, 1, sizeof ones);
  uint64_t words[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  for (int64_t count = 1; count <= 8; count += 7) {
    sk_tensor x1 = tensor(upload(ones, 64), SK_INT8, SHAPE(8, 8)), x2 = x1, scale = tensor(upload(words, 64), SK_INT64, SHAPE(count)), out = {0};
    op_call call = {.name = "npu_quant_matmul", .in = {&x1, &x2, &scale}, .in_count = 3, .attribute = {INTEGER("output_dtype", SK_FLOAT16)}, .attribute_count = 1};
    run_op(&call, &out, 1);
    uint16_t *got = fetch(&out);
    for (int i = 0; i < 64; i++) assert_int_equal(got[i], 0);
    free(got);
  }
}

static void test_unsigned_results_of_words_without_the_sign_bit(void **state) {
  (void)state;
  device_open();
  int8_t x1[2] = {100, 100}, x2[2] = {2, -2};
  float one = 1.0f;
  uint64_t word = 0;
  memcpy(&word, &one, 4);
  sk_tensor a = tensor(upload(x1, 2), SK_INT8, SHAPE(2, 1)), b = tensor(upload(x2, 2), SK_INT8, SHAPE(1, 2));
  sk_tensor scale = tensor(upload(&word, 8), SK_UINT64, SHAPE(1)), out = {0};
  run_op(&(op_call){.name = "npu_quant_matmul", .in = {&a, &b, &scale}, .in_count = 3}, &out, 1);
  uint8_t *got = fetch(&out);
  assert_true(got[0] == 200 && got[1] == 0);
  free(got);
}

static void test_refusals(void **state) {
  (void)state;
  device_open();
  sk_tensor x1 = tensor(NULL, SK_INT8, SHAPE(4, 8)), x2 = tensor(NULL, SK_INT8, SHAPE(8, 6)), out = {0};
  sk_tensor words = tensor(NULL, SK_INT64, SHAPE(6)), scale = tensor(NULL, SK_FLOAT, SHAPE(6)), bf16 = tensor(NULL, SK_BF16, SHAPE(6));
  sk_tensor five = tensor(NULL, SK_FLOAT, SHAPE(5)), four = tensor(NULL, SK_FLOAT, SHAPE(4)), packed = tensor(NULL, SK_INT32, SHAPE(8, 6));
  sk_tensor empty = tensor(NULL, SK_INT8, SHAPE(0, 8)), half_bias = tensor(NULL, SK_FLOAT16, SHAPE(6)), batch = tensor(NULL, SK_INT32, SHAPE(2, 1, 6));
#define PLAN(dtype, ...) plan_op(&(op_call){.name = "QuantBatchMatmulV3", .in = {__VA_ARGS__}, .in_count = 6, .attribute = {INTEGER("output_dtype", dtype)}, .attribute_count = 1}, &out, 1)
  assert_refused(PLAN(SK_INT8, &x1, &packed, &words), "x2 is int32", "int8");
  assert_refused(PLAN(SK_INT8, &x1, &x2), "scale is NULL", "float32, int64");
  assert_refused(PLAN(0, &x1, &x2, &words), "output_dtype is 0", "27 bfloat16");
  assert_refused(PLAN(SK_BF16, &x1, &x2, &words), "scale is int64", "float32 or bfloat16");
  assert_refused(PLAN(SK_INT8, &x1, &x2, &bf16), "scale is bfloat16", "int64");
  assert_refused(PLAN(SK_INT8, &x1, &x2, &five), "scale is [5]", "[n] or [1]");
  assert_refused(PLAN(SK_FLOAT16, &x1, &x2, &words, &scale), "offset is given", "int8");
  assert_refused(PLAN(SK_INT8, &x1, &x2, &scale, &four), "offset is [4]", "[n] or [1]");
  assert_refused(PLAN(SK_INT8, &x1, &x2, &scale, NULL, &four), "pertoken_scale is given", "float16");
  assert_refused(PLAN(SK_FLOAT16, &x1, &x2, &words, NULL, &four), "pertoken_scale is given", "float32 scale");
  assert_refused(PLAN(SK_BF16, &x1, &x2, &scale, NULL, &five), "pertoken_scale is [5]", "[m]");
  assert_refused(PLAN(SK_FLOAT16, &x1, &x2, &words, NULL, NULL, &half_bias), "bias is float16", "int32");
  assert_refused(PLAN(SK_BF16, &x1, &x2, &scale, NULL, &four, &half_bias), "bias is float16", "bfloat16");
  assert_refused(PLAN(SK_BF16, &x1, &x2, &scale, NULL, &four, &five), "bias is [5]", "[n]");
  assert_refused(PLAN(SK_INT32, &x1, &x2, &scale, NULL, NULL, &batch), "bias is [2, 1, 6]", "three dimensions");
  assert_refused(PLAN(SK_INT8, &empty, &x2, &words), "x1 is [0, 8]", "1 and above");
}

/* The plan asks for workspace only where vector cores finish. */
static void test_workspace(void **state) {
  (void)state;
  device_open();
  sk_tensor x1 = tensor(upload(NULL, 64), SK_INT8, SHAPE(8, 8)), words = tensor(upload(NULL, 64), SK_INT64, SHAPE(8)), scale = tensor(upload(NULL, 32), SK_FLOAT, SHAPE(8));
  sk_tensor out = {0};
  const sk_tensor *inputs[] = {&x1, &x1, &words};
  sk_attribute attribute = INTEGER("output_dtype", SK_FLOAT16);
  sk_call call = {.inputs = inputs, .input_count = 3, .outputs = &out, .output_count = 1, .attributes = &attribute, .attribute_count = 1};
  const sk_operator *op = sk_operator_find("npu_quant_matmul");
  assert_int_equal(sk_operator_plan(op, &call), ACL_SUCCESS);
  assert_int_equal(call.workspace_bytes, 0);
  inputs[2] = &scale;
  assert_int_equal(sk_operator_plan(op, &call), ACL_SUCCESS);
  assert_true(call.workspace_bytes > 0);
  out.data = upload(NULL, 128);
  assert_refused(sk_operator_launch(op, &call), "workspace is NULL", "workspace_bytes");
  call.workspace = upload(NULL, 64);
  call.workspace_bytes = 64;
  assert_refused(sk_operator_launch(op, &call), "workspace_bytes is 64", "at least");
}

SK_TESTS(SK_TEST(test_refusals), SK_TEST(test_workspace), SK_TEST(test_small), SK_TEST(test_one_row), SK_TEST(test_sample_shape), SK_TEST(test_several_blocks),
         SK_TEST(test_several_blocks_on_two_cores), SK_TEST(test_long_sums_on_one_core), SK_TEST(test_batches),
         SK_TEST(test_the_word_one_is_a_scale_of_zero), SK_TEST(test_unsigned_results_of_words_without_the_sign_bit))
