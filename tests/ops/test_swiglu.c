/* Dequantise, gate, quantise: against the definition in double, over types, forms and sizes where a tile or a group begins. */
#include <math.h>
#include <stdio.h>

#include "ops_fixture.h"

typedef struct swiglu_case {
  uint32_t rows, columns; /* of a half */
  sk_dtype x, bias;       /* bias SK_BOOL: none */
  bool left, dynamic, activation;
  uint32_t quant;         /* 0 none, 1 one value, 2 one per column */
  uint32_t groups, mode;  /* groups 0: none; pairs of number and rows when `pairs` */
  bool pairs;
  uint32_t blocks;
} swiglu_case;

typedef struct swiglu_data {
  void *x, *bias;
  float *weight, *activation, *quant, *offset;
  int64_t list[128];
  uint32_t group_of[4096], used; /* group of each row; rows that belong to one */
} swiglu_data;

static float *positive(size_t count, double scale, sk__rng *rng) {
  float *data = malloc(count * sizeof *data);
  assert_non_null(data);
  for (size_t i = 0; i < count; i++) data[i] = (float)((sk__rng_unit(rng) + 0.1) * scale);
  return data;
}

static void fill(swiglu_data *d, const swiglu_case *c, sk__rng *rng) {
  size_t n = 2 * (size_t)c->columns, rows = c->groups > 0 ? c->groups : 1, quants = c->quant == 2 ? c->columns : 1;
  d->weight = positive(rows * n, c->x == SK_INT32 ? 0.01 : 1.0, rng);
  d->activation = positive(c->rows, 1.0, rng);
  d->quant = positive(rows * quants, c->dynamic ? 1.0 : 0.05, rng);
  d->offset = positive(rows * quants, 20.0, rng);
  d->bias = c->bias == SK_BOOL ? NULL : malloc(rows * n * 4);
  for (size_t i = 0; d->bias != NULL && i < rows * n; i++)
    set_element(d->bias, c->bias, i, c->bias == SK_INT32 ? (double)sk__rng_below(rng, 401) - 200.0 : sk__rng_unit(rng) * 2.0 - 1.0);
  if (c->x == SK_INT32) {
    d->x = malloc(c->rows * n * 4);
    for (size_t i = 0; i < c->rows * n; i++) ((int32_t *)d->x)[i] = (int32_t)sk__rng_below(rng, 601) - 300;
  } else {
    d->x = random_tensor(c->x, c->rows * n, rng);
  }
  d->used = c->groups > 0 ? 0 : c->rows;
  memset(d->group_of, 0, sizeof d->group_of);
  for (uint32_t g = 0; g < c->groups; g++) {
    uint32_t left = c->rows - d->used, number = c->pairs ? c->groups - 1 - g : g, here = (uint32_t)sk__rng_below(rng, 2 * c->rows / c->groups + 1);
    if (here > left) here = left;
    if (c->pairs) d->list[2 * g] = number;
    d->list[c->pairs ? 2 * g + 1 : g] = here == 0 && g % 2 != 0 ? -3 : (int64_t)here; /* a negative count is none */
    for (uint32_t i = 0; i < here; i++) d->group_of[d->used++] = number;
  }
}

/* The value before rounding, and for dynamic quantisation without the row's scale. */
static double value(const swiglu_case *c, const swiglu_data *d, uint32_t row, uint32_t j) {
  double v[2];
  size_t n = 2 * (size_t)c->columns, group = d->group_of[row];
  for (size_t k = 0; k < 2; k++) {
    size_t at = c->mode == 1 ? 2 * (size_t)j + k : k * c->columns + j;
    v[k] = element(d->x, c->x, row * n + at);
    if (c->bias == SK_INT32) v[k] += ((int32_t *)d->bias)[group * n + at];
    v[k] *= (double)d->weight[group * n + at];
    if (c->activation) v[k] *= (double)d->activation[row];
    if (c->bias != SK_INT32 && c->bias != SK_BOOL) v[k] += element(d->bias, c->bias, group * n + at);
  }
  double gate = v[c->mode != 0 || c->left ? 0 : 1], other = v[c->mode != 0 || c->left ? 1 : 0], s;
  if (c->mode == 0) {
    s = gate / (1.0 + exp(-gate)) * other;
  } else {
    gate = fmin(gate, 3.0), other = fmax(fmin(other, 3.0), -3.0);
    s = gate / (1.0 + exp(-1.5 * gate)) * (other + 0.5);
  }
  size_t at = c->quant == 2 ? group * c->columns + j : group;
  if (c->dynamic) return c->quant > 0 ? s * (double)d->quant[at] : s;
  return c->quant > 0 ? s / (double)d->quant[at] + (double)d->offset[at] : s;
}

static void check(const swiglu_case *c, const swiglu_data *d, const int8_t *y, const float *scale) {
  for (uint32_t row = 0; row < d->used; row++) {
    double most = 0.0;
    for (uint32_t j = 0; c->dynamic && j < c->columns; j++) most = fmax(most, fabs(value(c, d, row, j)));
    double divisor = c->dynamic ? most / 127.0 : 1.0;
    if (c->dynamic && fabs((double)scale[row] - divisor) > divisor * 1e-5) fail_msg("scale[%u] is %.9g, expected %.9g", row, (double)scale[row], divisor);
    for (uint32_t j = 0; j < c->columns; j++) {
      double exact = fmax(fmin(value(c, d, row, j) / divisor, 127.0), -128.0);
      if (fabs((double)y[(size_t)row * c->columns + j] - exact) > 0.5 + 1e-3) fail_msg("y[%u][%u] is %d, expected %.9g", row, j, y[(size_t)row * c->columns + j], exact);
    }
  }
}

static void play(swiglu_case c, sk__rng *rng) {
  swiglu_data d;
  fill(&d, &c, rng);
  int64_t n = 2 * c.columns, groups = c.groups > 0 ? c.groups : 1, quants = c.quant == 2 ? c.columns : 1;
  sk_tensor x = tensor(upload(d.x, (size_t)(c.rows * n) * sk_dtype_bytes(c.x)), c.x, SHAPE(c.rows, n));
  sk_tensor weight = tensor(upload(d.weight, (size_t)(groups * n) * 4), SK_FLOAT, SHAPE(groups, n)), out[2] = {{0}};
  sk_tensor activation = tensor(upload(d.activation, c.rows * 4u), SK_FLOAT, SHAPE(c.rows, 1));
  sk_tensor bias = tensor(d.bias != NULL ? upload(d.bias, (size_t)(groups * n) * sk_dtype_bytes(c.bias)) : NULL, c.bias, SHAPE(groups, n));
  sk_tensor quant = tensor(upload(d.quant, (size_t)(groups * quants) * 4), SK_FLOAT, SHAPE(groups, quants)), offset = quant;
  if (c.groups > 0 && quants == 1) quant = tensor(quant.data, SK_FLOAT, SHAPE(groups));
  offset = quant;
  offset.data = upload(d.offset, (size_t)(groups * quants) * 4);
  sk_tensor list = tensor(upload(d.list, sizeof d.list), SK_INT64, c.pairs ? SHAPE(groups, 2) : SHAPE(groups));
  op_call call = {.name = "DequantSwigluQuant", .in_count = 7, .blocks = c.blocks, .attribute_count = 6,
                  .in = {&x, c.x == SK_INT32 || c.groups > 0 ? &weight : NULL, c.activation ? &activation : NULL, d.bias != NULL ? &bias : NULL,
                         c.quant > 0 ? &quant : NULL, c.quant > 0 && !c.dynamic ? &offset : NULL, c.groups > 0 ? &list : NULL},
                  .attribute = {INTEGER("activate_left", c.left), INTEGER("quant_mode", c.dynamic), INTEGER("swiglu_mode", c.mode),
                                REAL("clamp_limit", 3.0), REAL("glu_alpha", 1.5), REAL("glu_bias", 0.5)}};
  if (call.in[1] == NULL)
    for (int64_t i = 0; i < n; i++) d.weight[i] = 1.0f;
  run_op(&call, out, 2);
  /* Rows behind the last group are not written. */
  int8_t *y = d.used > 0 ? download(out[0].data, (size_t)d.used * c.columns) : NULL;
  float *scale = c.dynamic && d.used > 0 ? download(out[1].data, d.used * sizeof(float)) : NULL;
  check(&c, &d, y, scale);
  void *all[] = {x.data, weight.data, activation.data, bias.data, quant.data, offset.data, list.data, out[0].data, out[1].data};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    if (all[i] != NULL) aclrtFree(all[i]);
  free(d.x), free(d.bias), free(d.weight), free(d.activation), free(d.quant), free(d.offset), free(y), free(scale);
}

/* Types of x and bias, both gates, both ways to quantise, with the scales that are optional and without. */
static void play_kinds(uint32_t rows, uint32_t columns, uint32_t blocks) {
  static const struct { sk_dtype x, bias; bool activation; } kinds[] = {
      {SK_INT32, SK_BOOL, true},  {SK_INT32, SK_BOOL, false},  {SK_FLOAT16, SK_BOOL, false}, {SK_BF16, SK_BOOL, false},
      {SK_INT32, SK_INT32, true}, {SK_INT32, SK_FLOAT, false}, {SK_INT32, SK_FLOAT16, true}, {SK_INT32, SK_BF16, true},
  };
  sk__rng rng = sk__rng_from_seed(sk_test_seed("swiglu") + columns);
  device_open();
  for (uint32_t i = 0; i < 8; i++)
    for (uint32_t quant = 0; quant < 3; quant++)
      play((swiglu_case){.rows = rows, .columns = columns, .x = kinds[i].x, .bias = kinds[i].bias, .left = (i + quant) % 2 != 0,
                         .dynamic = quant < 2 || i % 2 == 0, .activation = kinds[i].activation, .quant = quant, .blocks = blocks}, &rng);
  for (uint32_t quant = 0; quant < 3; quant++)
    play((swiglu_case){.rows = rows, .columns = columns, .x = SK_INT32, .bias = SK_BOOL, .activation = true, .quant = quant, .blocks = blocks}, &rng);
}

#define COLUMNS_TEST(n)                            \
  static void test_##n##_columns(void **state) {   \
    (void)state;                                   \
    play_kinds(3, n, 0);                           \
  }
COLUMNS_TEST(1) COLUMNS_TEST(8) COLUMNS_TEST(33) COLUMNS_TEST(1000) COLUMNS_TEST(2048) COLUMNS_TEST(2049) COLUMNS_TEST(5000)

static void test_more_rows_than_cores(void **state) {
  (void)state;
  play_kinds(130, 24, 0);
}
static void test_batches_of_rows_on_two_cores(void **state) {
  (void)state;
  play_kinds(200, 40, 2);
}

static void play_groups(uint32_t rows, uint32_t columns, uint32_t groups, uint32_t blocks) {
  sk__rng rng = sk__rng_from_seed(sk_test_seed("groups") + rows);
  device_open();
  for (uint32_t i = 0; i < 24; i++)
    play((swiglu_case){.rows = rows, .columns = columns, .x = i % 3 == 0 ? SK_BF16 : SK_INT32, .bias = i % 3 == 1 ? SK_FLOAT : SK_BOOL,
                       .activation = i % 3 != 0, .left = i % 4 < 2, .dynamic = i % 4 != 3, .quant = i % 2 + 1, .groups = groups, .mode = i / 8,
                       .pairs = i % 5 == 0, .blocks = blocks}, &rng);
}
static void test_groups(void **state) {
  (void)state;
  play_groups(60, 64, 5, 0);
}
static void test_groups_of_several_chunks(void **state) {
  (void)state;
  play_groups(9, 2080, 3, 0);
}
static void test_groups_on_one_core(void **state) {
  (void)state;
  play_groups(150, 32, 7, 1);
}

static void test_a_zero_scale_of_a_group_counts_as_one(void **state) {
  (void)state;
  device_open();
  float weight[64], zero[1] = {0.0f}, ten[1] = {10.0f};
  int32_t x[64];
  int64_t list[1] = {1};
  for (int i = 0; i < 64; i++) weight[i] = 1.0f, x[i] = i < 32 ? 20 : i - 40;
  sk_tensor in = tensor(upload(x, sizeof x), SK_INT32, SHAPE(1, 64)), w = tensor(upload(weight, sizeof weight), SK_FLOAT, SHAPE(1, 64)), out[2] = {{0}};
  sk_tensor quant = tensor(upload(zero, 4), SK_FLOAT, SHAPE(1)), offset = tensor(upload(ten, 4), SK_FLOAT, SHAPE(1)), g = tensor(upload(list, 8), SK_INT64, SHAPE(1));
  run_op(&(op_call){.name = "DequantSwigluQuant", .in = {&in, &w, NULL, NULL, &quant, &offset, &g}, .in_count = 7,
                    .attribute = {INTEGER("activate_left", 1)}, .attribute_count = 1}, out, 2);
  int8_t *y = fetch(&out[0]);
  for (int i = 0; i < 32; i++) {
    int exact = 20 * (i - 8) + 10;
    assert_int_equal(y[i], exact > 127 ? 127 : exact < -128 ? -128 : exact);
  }
  free(y);
}

static void test_zero_rows(void **state) {
  (void)state;
  device_open();
  uint16_t x[2 * 64] = {0};
  sk_tensor in = tensor(upload(x, sizeof x), SK_FLOAT16, SHAPE(2, 64)), out[2] = {{0}};
  run_op(&(op_call){.name = "DequantSwigluQuant", .in = {&in}, .in_count = 1, .attribute = {INTEGER("quant_mode", 1)}, .attribute_count = 1}, out, 2);
  int8_t *y = fetch(&out[0]);
  float *scale = fetch(&out[1]);
  for (int i = 0; i < 64; i++) assert_int_equal(y[i], 0);
  assert_true(scale[0] == 0.0f && scale[1] == 0.0f);
  free(y), free(scale);
}

static void test_refusals(void **state) {
  (void)state;
  device_open();
  sk_tensor x = tensor(NULL, SK_INT32, SHAPE(4, 64)), bf = tensor(NULL, SK_BF16, SHAPE(4, 64)), odd = tensor(NULL, SK_BF16, SHAPE(4, 63)), out[2] = {{0}};
  sk_tensor w = tensor(NULL, SK_FLOAT, SHAPE(64)), short_w = tensor(NULL, SK_FLOAT, SHAPE(32)), act = tensor(NULL, SK_FLOAT, SHAPE(4, 1)), five = tensor(NULL, SK_FLOAT, SHAPE(5));
  sk_tensor list = tensor(NULL, SK_INT64, SHAPE(2)), w2 = tensor(NULL, SK_FLOAT, SHAPE(2, 64)), small = tensor(NULL, SK_BF16, SHAPE(4, 32)), row = tensor(NULL, SK_INT32, SHAPE(64));
  sk_tensor f16 = tensor(NULL, SK_FLOAT16, SHAPE(4, 64)), half_quant = tensor(NULL, SK_FLOAT16, SHAPE(32)), triple = tensor(NULL, SK_INT64, SHAPE(2, 3)), words = tensor(NULL, SK_INT32, SHAPE(2));
#define ATTRIBUTES(...) .attribute = {__VA_ARGS__}, .attribute_count = sizeof((sk_attribute[]){__VA_ARGS__}) / sizeof(sk_attribute)
#define PLAN(attributes, ...) plan_op(&(op_call){.name = "npu_dequant_swiglu_quant", .in = {__VA_ARGS__}, .in_count = 7, attributes}, out, 2)
#define DYNAMIC ATTRIBUTES(INTEGER("quant_mode", 1))
#define STATIC ATTRIBUTES(INTEGER("quant_mode", 0))
  assert_refused(PLAN(DYNAMIC, &x), "weight_scale is NULL", "x is int32");
  assert_refused(PLAN(DYNAMIC, &row, &w), "rank of x is 1", "2 to 8");
  assert_refused(PLAN(DYNAMIC, &odd), "x is [4, 63]", "even");
  assert_refused(PLAN(DYNAMIC, &bf, NULL, &act), "activation_scale is given", "int32");
  assert_refused(PLAN(DYNAMIC, &bf, NULL, NULL, &w), "bias is given", "int32");
  assert_refused(PLAN(DYNAMIC, &x, &short_w), "weight_scale is [32]", "[2H]");
  assert_refused(PLAN(DYNAMIC, &x, &w, &five), "activation_scale is [5]", "[rows]");
  assert_refused(PLAN(DYNAMIC, &x, &w, NULL, &short_w), "bias is [32]", "[2H]");
  assert_refused(PLAN(DYNAMIC, &x, &w, NULL, NULL, &five), "quant_scale is [5]", "[H]");
  assert_refused(PLAN(DYNAMIC, &x, &w, NULL, NULL, &half_quant), "quant_scale is float16", "float32");
  assert_refused(PLAN(DYNAMIC, &x, &w, NULL, NULL, &short_w, &short_w), "quant_offset is given", "quant_mode 1");
  assert_refused(PLAN(STATIC, &x, &w, NULL, NULL, &short_w), "quant_offset is NULL", "quant_mode is 0");
  assert_refused(PLAN(STATIC, &x, &w, NULL, NULL, NULL, &short_w), "quant_scale is NULL", "quant_offset");
  assert_refused(PLAN(ATTRIBUTES(INTEGER("quant_mode", 2)), &x, &w), "quant_mode is 2", "1 (dynamic)");
  assert_refused(PLAN(ATTRIBUTES(INTEGER("swiglu_mode", 3)), &x, &w), "swiglu_mode is 3", "0, 1, 2");
  assert_refused(PLAN(ATTRIBUTES(REAL("clamp_limit", 0.0)), &x, &w), "clamp_limit", "above 0");
  assert_refused(PLAN(ATTRIBUTES(REAL("glu_alpha", NAN)), &x, &w), "glu_alpha", "finite");
  assert_refused(PLAN(ATTRIBUTES(REAL("glu_bias", INFINITY)), &x, &w), "glu_bias", "finite");
  assert_refused(PLAN(DYNAMIC, &x, &w, NULL, NULL, NULL, NULL, &list), "weight_scale is [64]", "[groups, 2H]");
  assert_refused(PLAN(DYNAMIC, &x, &w2, NULL, NULL, NULL, NULL, &triple), "group_index is [2, 3]", "[groups, 2]");
  assert_refused(PLAN(DYNAMIC, &x, &w2, NULL, NULL, NULL, NULL, &words), "group_index is int32", "int64");
  assert_refused(PLAN(DYNAMIC, &small, NULL, NULL, NULL, NULL, NULL, &list), "x is [4, 32]", "multiple of 64");
  assert_refused(PLAN(DYNAMIC, &f16, NULL, NULL, NULL, NULL, NULL, &list), "x is float16", "bfloat16 with group_index");
}

SK_TESTS(SK_TEST(test_refusals), SK_TEST(test_zero_rows), SK_TEST(test_1_columns), SK_TEST(test_8_columns), SK_TEST(test_33_columns), SK_TEST(test_1000_columns),
         SK_TEST(test_2048_columns), SK_TEST(test_2049_columns), SK_TEST(test_5000_columns), SK_TEST(test_more_rows_than_cores),
         SK_TEST(test_batches_of_rows_on_two_cores), SK_TEST(test_groups), SK_TEST(test_groups_of_several_chunks), SK_TEST(test_groups_on_one_core),
         SK_TEST(test_a_zero_scale_of_a_group_counts_as_one))
