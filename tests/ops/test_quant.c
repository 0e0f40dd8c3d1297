/* Per-row quantisation against the formula, step by step in float as the operator rounds it, and in double. */
#include <math.h>

#include "ops_fixture.h"

typedef struct quant_case {
  uint32_t rows, columns, groups; /* groups 0: at most one row of smooth */
  bool smooth;
  sk_dtype dtype;
  uint32_t bits, blocks;
} quant_case;

typedef struct quant_run {
  quant_case of;
  void *x, *smooth, *y;
  int32_t *ends;
  float *scale;
} quant_run;

static void free_device(void *device) {
  if (device != NULL) assert_int_equal(aclrtFree(device), ACL_SUCCESS);
}

/* x, smooth and ends are taken. */
static quant_run play(quant_case c, void *x, void *smooth, int32_t *ends) {
  size_t count = (size_t)c.rows * c.columns, smooth_rows = c.groups > 0 ? c.groups : 1;
  void *d_x = upload(x, count * 2), *d_y = upload(NULL, count * c.bits / 8), *d_scale = upload(NULL, c.rows * 4u);
  void *d_smooth = smooth != NULL ? upload(smooth, smooth_rows * c.columns * 2) : NULL;
  void *d_ends = ends != NULL ? upload(ends, c.groups * 4u) : NULL;
  assert_int_equal(sk_dynamic_quant(d_x, d_smooth, d_ends, d_y, d_scale, c.rows, c.columns, c.groups, c.dtype, c.bits, c.blocks,
                                    NULL), ACL_SUCCESS);
  device_check();
  quant_run run = {c, x, smooth, download(d_y, count * c.bits / 8), ends, download(d_scale, c.rows * 4u)};
  free_device(d_x);
  free_device(d_y);
  free_device(d_scale);
  free_device(d_smooth);
  free_device(d_ends);
  return run;
}

static void drop(quant_run *run) {
  free(run->x);
  free(run->smooth);
  free(run->y);
  free(run->ends);
  free(run->scale);
}

/* First group that ends behind the row. */
static uint32_t group_of(const quant_run *run, uint32_t row) {
  for (uint32_t g = 0; run->ends != NULL && g < run->of.groups; g++)
    if (run->ends[g] > (int32_t)row) return g;
  return 0;
}

/* Products of two half or bfloat16 numbers are exact in float. */
static float product(const quant_run *run, uint32_t row, uint32_t column) {
  size_t columns = run->of.columns;
  float value = (float)element(run->x, run->of.dtype, (size_t)row * columns + column);
  if (run->smooth == NULL) return value;
  return value * (float)element(run->smooth, run->of.dtype, group_of(run, row) * columns + column);
}

static int stored(const quant_run *run, size_t i) {
  return run->of.bits == 8 ? ((int8_t *)run->y)[i] : sk__i4_load(run->y, i);
}

static void check_row(const quant_run *run, uint32_t row) {
  const quant_case *c = &run->of;
  float maximum = 0.0f, limit = c->bits == 8 ? 127.0f : 7.0f;
  for (uint32_t j = 0; j < c->columns; j++) maximum = fmaxf(maximum, fabsf(product(run, row, j)));
  float multiplier = limit / maximum;
  assert_true(run->scale[row] == 1.0f / multiplier);
  for (uint32_t j = 0; j < c->columns; j++) {
    int got = stored(run, (size_t)row * c->columns + j);
    float scaled = product(run, row, j) * multiplier;
    double exact = (double)product(run, row, j) * (double)limit / (double)maximum;
    if (got != (int)lrintf(scaled) || fabs(got - exact) > 0.5 + 1e-4)
      fail_msg("row %u, y[%u] is %d, expected %.9g", row, j, got, exact);
  }
}

static void play_random(quant_case c, sk__rng *rng) {
  size_t smooth_rows = c.groups > 0 ? c.groups : 1;
  void *x = random_tensor(c.dtype, (size_t)c.rows * c.columns, rng);
  void *smooth = c.smooth ? random_tensor(c.dtype, smooth_rows * c.columns, rng) : NULL;
  int32_t *ends = c.groups > 0 ? malloc(c.groups * sizeof *ends) : NULL;
  for (uint32_t g = 0; g < c.groups; g++) ends[g] = (int32_t)((uint64_t)c.rows * (g + 1) * (g + 2) / (c.groups * (c.groups + 1)));
  quant_run run = play(c, x, smooth, ends);
  for (uint32_t row = 0; row < c.rows; row++) check_row(&run, row);
  drop(&run);
}

/* Both types, with and without smooth. */
static void play_kinds(uint32_t rows, uint32_t columns, uint32_t bits, uint32_t blocks) {
  sk__rng rng = sk__rng_from_seed(sk_test_seed("quant") + columns);
  device_open();
  for (int i = 0; i < 4; i++)
    play_random((quant_case){rows, columns, 0, i / 2 != 0, i % 2 == 0 ? SK_FLOAT16 : SK_BF16, bits, blocks}, &rng);
}

#define COLUMNS_TEST(n)                           \
  static void test_##n##_columns(void **state) {  \
    (void)state;                                  \
    play_kinds(3, n, 8, 0);                       \
  }
COLUMNS_TEST(1) COLUMNS_TEST(7) COLUMNS_TEST(127) COLUMNS_TEST(1000) COLUMNS_TEST(4096) COLUMNS_TEST(4097) COLUMNS_TEST(5000)
COLUMNS_TEST(12288)

static void test_one_row(void **state) {
  (void)state;
  play_kinds(1, 65, 8, 0);
}
static void test_more_rows_than_cores(void **state) {
  (void)state;
  play_kinds(131, 40, 8, 0);
}
static void test_rows_on_few_blocks_in_several_batches(void **state) {
  (void)state;
  play_kinds(141, 24, 8, 1); /* 64 + 64 + 13 scales */
}
static void test_more_blocks_than_cores(void **state) {
  (void)state;
  play_kinds(130, 16, 8, 120);
}
static void test_int4_in_one_chunk(void **state) {
  (void)state;
  play_kinds(5, 136, 4, 0);
}
static void test_int4_in_two_chunks(void **state) {
  (void)state;
  play_kinds(3, 5000, 4, 0);
}

static void test_groups_choose_the_smooth_row(void **state) {
  (void)state;
  static const quant_case cases[] = {{50, 32, 4, true, SK_BF16, 8, 0}, {50, 33, 7, true, SK_FLOAT16, 8, 3},
                                     {9, 5000, 3, true, SK_BF16, 8, 0}, {130, 16, 130, true, SK_FLOAT16, 4, 2}};
  sk__rng rng = sk__rng_from_seed(sk_test_seed("groups"));
  device_open();
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) play_random(cases[i], &rng);
}

static void test_zero_rows_are_zero_with_scale_zero(void **state) {
  (void)state;
  static const uint32_t sizes[] = {5, 512, 4500};
  device_open();
  for (int i = 0; i < 3; i++) {
    quant_case c = {2, sizes[i], 0, false, SK_FLOAT16, 8, 0};
    uint16_t *x = calloc((size_t)c.rows * c.columns, 2);
    x[c.columns] = 0x3c00; /* the second row is not zero */
    quant_run run = play(c, x, NULL, NULL);
    for (uint32_t j = 0; j < c.columns; j++) assert_int_equal(stored(&run, j), 0);
    assert_true(run.scale[0] == 0.0f);
    check_row(&run, 1);
    drop(&run);
  }
}

static void test_infinite_rows_are_zero_with_infinite_scale(void **state) {
  (void)state;
  static const uint32_t sizes[] = {5, 4500};
  sk__rng rng = sk__rng_from_seed(sk_test_seed("infinite"));
  device_open();
  for (int i = 0; i < 4; i++) {
    quant_case c = {2, sizes[i / 2], 0, false, i % 2 == 0 ? SK_FLOAT16 : SK_BF16, 8, 0};
    void *x = random_tensor(c.dtype, (size_t)c.rows * c.columns, &rng);
    set_element(x, c.dtype, 3, -INFINITY);
    quant_run run = play(c, x, NULL, NULL);
    for (uint32_t j = 0; j < c.columns; j++) assert_int_equal(stored(&run, j), 0);
    assert_true(isinf(run.scale[0]));
    check_row(&run, 1);
    drop(&run);
  }
}

/* The largest element, wherever it stands, becomes the limit with its sign. */
static void test_the_maximum_is_found_anywhere(void **state) {
  (void)state;
  static const uint32_t places[] = {0, 63, 64, 4095, 4096, 4999};
  device_open();
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    quant_case c = {1, 5000, 0, false, SK_FLOAT16, 8, 0};
    void *x = malloc(c.columns * 2);
    for (uint32_t j = 0; j < c.columns; j++) set_element(x, c.dtype, j, 0.25);
    set_element(x, c.dtype, places[i], -8.0);
    quant_run run = play(c, x, NULL, NULL);
    assert_int_equal(stored(&run, places[i]), -127);
    check_row(&run, 0);
    drop(&run);
  }
}

SK_TESTS(SK_TEST(test_1_columns), SK_TEST(test_7_columns), SK_TEST(test_127_columns), SK_TEST(test_1000_columns), SK_TEST(test_4096_columns),
         SK_TEST(test_4097_columns), SK_TEST(test_5000_columns), SK_TEST(test_12288_columns), SK_TEST(test_one_row),
         SK_TEST(test_more_rows_than_cores), SK_TEST(test_rows_on_few_blocks_in_several_batches), SK_TEST(test_more_blocks_than_cores),
         SK_TEST(test_int4_in_one_chunk), SK_TEST(test_int4_in_two_chunks), SK_TEST(test_groups_choose_the_smooth_row),
         SK_TEST(test_zero_rows_are_zero_with_scale_zero), SK_TEST(test_infinite_rows_are_zero_with_infinite_scale),
         SK_TEST(test_the_maximum_is_found_anywhere))
