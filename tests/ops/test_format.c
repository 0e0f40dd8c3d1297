/* Storage in FRACTAL_NZ and back: every place of it by the formula, padding zero, and what takes such storage. */
#include <stdio.h>

#include "ops_fixture.h"

static const sk_dtype types[] = {SK_INT8, SK_FLOAT16, SK_FLOAT, SK_INT32, SK_BF16, SK_UINT8};

/* No byte is zero, so that padding is told from values. */
static uint8_t *random_bytes(size_t count, sk__rng *rng) {
  uint8_t *data = malloc(count);
  assert_non_null(data);
  for (size_t i = 0; i < count; i++) data[i] = (uint8_t)(1 + sk__rng_below(rng, 255));
  return data;
}

static void check_storage(const uint8_t *plain, const uint8_t *nz, size_t size, size_t batches, size_t rows, size_t columns, size_t c0) {
  size_t fractal_rows = (rows + 15) / 16, fractal_columns = (columns + c0 - 1) / c0;
  static const uint8_t zero[4];
  for (size_t b = 0; b < batches; b++)
    for (size_t j1 = 0; j1 < fractal_columns; j1++)
      for (size_t i1 = 0; i1 < fractal_rows; i1++)
        for (size_t i0 = 0; i0 < 16; i0++)
          for (size_t j0 = 0; j0 < c0; j0++) {
            size_t i = i1 * 16 + i0, j = j1 * c0 + j0, at = (((b * fractal_columns + j1) * fractal_rows + i1) * 16 + i0) * c0 + j0;
            const uint8_t *want = i < rows && j < columns ? plain + ((b * rows + i) * columns + j) * size : zero;
            if (memcmp(nz + at * size, want, size) != 0) fail_msg("element (%zu, %zu) of matrix %zu is not at its place", i, j, b);
          }
}

static void play(sk_dtype dtype, sk_dtype by, size_t c0, int64_t batches, int64_t rows, int64_t columns, uint32_t blocks, sk__rng *rng) {
  size_t size = sk_dtype_bytes(dtype), count = (size_t)(batches * rows * columns);
  uint8_t *plain = random_bytes(count * size, rng);
  sk_tensor self = tensor(upload(plain, count * size), dtype, SHAPE(batches, rows, columns)), nz = {0}, back = {0};
  op_call call = {.name = "TransData", .in = {&self}, .in_count = 1, .attribute = {INTEGER("acl_format", 29), INTEGER("customize_dtype", by)},
                  .attribute_count = by == dtype ? 1 : 2, .blocks = blocks};
  if (c0 == 8) call.attribute_count = 2;
  run_op(&call, &nz, 1);
  uint8_t *stored = fetch(&nz);
  check_storage(plain, stored, size, (size_t)batches, (size_t)rows, (size_t)columns, c0);
  op_call again = {.name = "npu_format_cast", .in = {&nz}, .in_count = 1, .attribute = {INTEGER("acl_format", 2)}, .attribute_count = 1, .blocks = blocks};
  run_op(&again, &back, 1);
  uint8_t *returned = fetch(&back);
  assert_memory_equal(returned, plain, count * size);
  aclrtFree(self.data), aclrtFree(nz.data), aclrtFree(back.data);
  free(plain), free(stored), free(returned);
}

static void play_types(int64_t batches, int64_t rows, int64_t columns, uint32_t blocks) {
  sk__rng rng = sk__rng_from_seed(sk_test_seed("format") + (uint64_t)rows);
  device_open();
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
    play(types[i], types[i], sk_dtype_bytes(types[i]) == 1 ? 32 : 16, batches, rows, columns, blocks, &rng);
  play(SK_INT32, SK_INT32, 8, batches, rows, columns, blocks, &rng);
  play(SK_FLOAT16, SK_INT8, 32, batches, rows, columns, blocks, &rng);
}

#define SIZE_TEST(b, m, n)                          \
  static void test_##b##_##m##_##n(void **state) {  \
    (void)state;                                    \
    play_types(b, m, n, 0);                         \
  }
SIZE_TEST(1, 1, 1) SIZE_TEST(1, 16, 32) SIZE_TEST(1, 17, 33) SIZE_TEST(3, 5, 20) SIZE_TEST(2, 2100, 70) SIZE_TEST(1, 300, 1030)

static void test_many_units_on_two_cores(void **state) {
  (void)state;
  play_types(3, 40, 300, 2);
}

/* A weight that was cast is a weight: the product is the same. */
static void test_products_take_cast_weights(void **state) {
  (void)state;
  sk__rng rng = sk__rng_from_seed(sk_test_seed("cast weights"));
  device_open();
  int8_t *a = (int8_t *)random_bytes(20 * 70, &rng), *b = (int8_t *)random_bytes(70 * 90, &rng);
  sk_tensor x = tensor(upload(a, 20 * 70), SK_INT8, SHAPE(20, 70)), w = tensor(upload(b, 70 * 90), SK_INT8, SHAPE(70, 90)), nz = {0}, one = {0}, two = {0};
  run_op(&(op_call){.name = "npu_format_cast", .in = {&w}, .in_count = 1}, &nz, 1);
  assert_int_equal(nz.format, SK_FRACTAL_NZ);
  run_op(&(op_call){.name = "matmul", .in = {&x, &w}, .in_count = 2}, &one, 1);
  run_op(&(op_call){.name = "matmul", .in = {&x, &nz}, .in_count = 2}, &two, 1);
  int32_t *first = fetch(&one), *second = fetch(&two);
  assert_memory_equal(first, second, 20 * 90 * 4);
  free(a), free(b), free(first), free(second);
}

static void test_refusals(void **state) {
  (void)state;
  device_open();
  sk_tensor x = tensor(NULL, SK_INT8, SHAPE(4, 8)), row = tensor(NULL, SK_INT8, SHAPE(8)), wide = tensor(NULL, SK_INT64, SHAPE(4, 8)), nz = x, out = {0};
  nz.format = SK_FRACTAL_NZ;
#define PLAN(tensor, ...) plan_op(&(op_call){.name = "npu_format_cast", .in = {&(tensor)}, .in_count = 1, .attribute = {__VA_ARGS__}, \
                                  .attribute_count = sizeof((sk_attribute[]){__VA_ARGS__}) / sizeof(sk_attribute)}, &out, 1)
  assert_refused(PLAN(x, INTEGER("acl_format", 4)), "acl_format is 4", "29 (FRACTAL_NZ)");
  assert_refused(PLAN(x, INTEGER("acl_format", 2)), "acl_format is the format of self", "29 for row-major");
  assert_refused(PLAN(nz, INTEGER("acl_format", 29)), "acl_format is the format of self", "2 for FRACTAL_NZ");
  sk_tensor narrow = nz;
  narrow.format = SK_FRACTAL_NZ_C0_8;
  assert_refused(PLAN(narrow, INTEGER("acl_format", 2)), "format of self is 54", "32 or 64 bytes");
  assert_refused(PLAN(row, INTEGER("acl_format", 29)), "rank of self is 1", "2 to 8");
  assert_refused(PLAN(wide, INTEGER("acl_format", 29)), "self is int64", "float32");
  assert_refused(PLAN(x, INTEGER("customize_dtype", SK_INT32)), "customize_dtype is 3", "32 or 64 bytes");
  assert_refused(PLAN(x, INTEGER("customize_dtype", SK_INT64)), "customize_dtype is 9", "1, 2 or 4 bytes");
  assert_refused(plan_op(&(op_call){.name = "Add", .in = {&nz, &nz}, .in_count = 2}, &out, 1), "self is in FRACTAL_NZ", "row-major");
  assert_refused(plan_op(&(op_call){.name = "matmul", .in = {&nz, &x}, .in_count = 2}, &out, 1), "self is in FRACTAL_NZ", "row-major");
}

static void test_the_result_has_the_planned_format(void **state) {
  (void)state;
  device_open();
  sk_tensor x = tensor(upload(NULL, 32), SK_INT8, SHAPE(4, 8)), out = tensor(upload(NULL, 512), SK_INT8, SHAPE(4, 8));
  const sk_tensor *inputs[] = {&x};
  sk_call call = {.inputs = inputs, .input_count = 1, .outputs = &out, .output_count = 1};
  assert_refused(sk_operator_launch(sk_operator_find("TransData"), &call), "format of out is 2", "29");
}

SK_TESTS(SK_TEST(test_refusals), SK_TEST(test_the_result_has_the_planned_format), SK_TEST(test_1_1_1), SK_TEST(test_1_16_32), SK_TEST(test_1_17_33),
         SK_TEST(test_3_5_20), SK_TEST(test_2_2100_70), SK_TEST(test_1_300_1030), SK_TEST(test_many_units_on_two_cores),
         SK_TEST(test_products_take_cast_weights))
