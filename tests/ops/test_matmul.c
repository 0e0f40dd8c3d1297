/* Matrix products: small whole numbers, whose sums are exact in float, against integer arithmetic; real numbers against
 * sums in double. */
#include <math.h>
#include <stdio.h>

#include "ops_fixture.h"

static const sk_dtype types[] = {SK_FLOAT16, SK_BF16, SK_FLOAT, SK_INT8};

typedef struct product {
  uint32_t m, k, n;
  bool a_transposed, b_transposed, b_nz;
  uint32_t a_batch, b_batch; /* 0: no batch dimension */
  uint32_t blocks;
} product;

static size_t index_of(uint32_t row, uint32_t column, uint32_t rows, uint32_t columns, bool transposed) {
  return transposed ? (size_t)column * rows + row : (size_t)row * columns + column;
}

/* Storage [ceil(columns / C0)][ceil(rows / 16)][16][C0] of matrices [rows, columns]; padding is never looked at, so it is not zero. */
static void *to_nz(const void *from, sk_dtype dtype, uint32_t batches, uint32_t rows, uint32_t columns, size_t *bytes) {
  uint32_t size = (uint32_t)sk_dtype_bytes(dtype), c0 = 32 / size, padded = (rows + 15) / 16 * 16, wide = (columns + c0 - 1) / c0 * c0;
  *bytes = (size_t)batches * padded * wide * size;
  char *to = malloc(*bytes);
  assert_non_null(to);
  memset(to, 0x11, *bytes);
  for (uint32_t b = 0; b < batches; b++)
    for (uint32_t r = 0; r < rows; r++)
      for (uint32_t c = 0; c < columns; c++)
        memcpy(to + ((size_t)b * padded * wide + (size_t)(c / c0) * padded * c0 + (size_t)r * c0 + c % c0) * size,
               (const char *)from + (((size_t)b * rows + r) * columns + c) * size, size);
  return to;
}

static sk_tensor operand(const void *data, sk_dtype dtype, uint32_t batch, uint32_t rows, uint32_t columns, bool transposed, bool nz) {
  uint32_t batches = batch > 0 ? batch : 1, stored_rows = transposed ? columns : rows, stored_columns = transposed ? rows : columns;
  size_t bytes = (size_t)batches * rows * columns * sk_dtype_bytes(dtype);
  void *packed = nz ? to_nz(data, dtype, batches, stored_rows, stored_columns, &bytes) : NULL;
  sk_tensor t = {.data = upload(packed != NULL ? packed : data, bytes), .dtype = dtype, .format = nz ? SK_FRACTAL_NZ : SK_ND};
  free(packed);
  if (batch > 0) t.shape[t.rank++] = batch;
  t.shape[t.rank++] = stored_rows;
  t.shape[t.rank++] = stored_columns;
  return t;
}

static void *whole_numbers(sk_dtype dtype, size_t count, uint32_t range, sk__rng *rng) {
  void *data = malloc(count * sk_dtype_bytes(dtype));
  assert_non_null(data);
  for (size_t i = 0; i < count; i++) set_element(data, dtype, i, (double)sk__rng_below(rng, 2 * range + 1) - range);
  return data;
}

static void play(product p, sk_dtype dtype, bool whole, sk__rng *rng) {
  uint32_t a_count = p.a_batch > 0 ? p.a_batch : 1, b_count = p.b_batch > 0 ? p.b_batch : 1, batches = a_count > b_count ? a_count : b_count;
  size_t a_elems = (size_t)p.m * p.k, b_elems = (size_t)p.k * p.n;
  uint32_t range = dtype == SK_INT8 ? 127 : 6;
  void *a = whole ? whole_numbers(dtype, a_count * a_elems, range, rng) : random_tensor(dtype, a_count * a_elems, rng);
  void *b = whole ? whole_numbers(dtype, b_count * b_elems, range, rng) : random_tensor(dtype, b_count * b_elems, rng);
  sk_tensor x = operand(a, dtype, p.a_batch, p.m, p.k, p.a_transposed, false), y = operand(b, dtype, p.b_batch, p.k, p.n, p.b_transposed, p.b_nz);
  sk_tensor out = {0};
  op_call call = {.name = "BatchMatMulV3", .in = {&x, &y}, .in_count = 2, .blocks = p.blocks,
                  .attribute = {INTEGER("transpose_x1", p.a_transposed), INTEGER("transpose_x2", p.b_transposed)}, .attribute_count = 2};
  run_op(&call, &out, 1);
  assert_int_equal(out.dtype, dtype == SK_INT8 ? SK_INT32 : dtype);
  assert_int_equal(tensor_elements(&out), (size_t)batches * p.m * p.n);
  void *got = fetch(&out);
  uint64_t wanted[1];
  for (uint32_t batch = 0; batch < batches; batch++)
    for (uint32_t i = 0; i < p.m; i++)
      for (uint32_t j = 0; j < p.n; j++) {
        double sum = 0.0, size = 0.0;
        for (uint32_t k = 0; k < p.k; k++) {
          double term = element(a, dtype, (a_count == 1 ? 0 : batch) * a_elems + index_of(i, k, p.m, p.k, p.a_transposed)) *
                        element(b, dtype, (b_count == 1 ? 0 : batch) * b_elems + index_of(k, j, p.k, p.n, p.b_transposed));
          sum += term;
          size += fabs(term);
        }
        set_element(wanted, out.dtype, 0, sum);
        double have = element(got, out.dtype, ((size_t)batch * p.m + i) * p.n + j), want = element(wanted, out.dtype, 0);
        double slack = whole ? 0.0 : size * 0x1p-22 + ulp_of(out.dtype, want);
        if (fabs(have - want) > slack) fail_msg("%s, batch %u: result (%u, %u) is %.9g, expected %.9g", sk_dtype_name(dtype), batch, i, j, have, want);
      }
  aclrtFree(x.data), aclrtFree(y.data), aclrtFree(out.data);
  free(a), free(b), free(got);
}

/* All types, in all four ways of storing the operands. */
static void play_all(uint32_t m, uint32_t k, uint32_t n, uint32_t blocks) {
  sk__rng rng = sk__rng_from_seed(sk_test_seed("matmul") + m * 7 + k * 3 + n);
  device_open();
  for (int t = 0; t < 4; t++)
    for (int ways = 0; ways < 4; ways++)
      play((product){m, k, n, ways & 1, ways & 2, false, 0, 0, blocks}, types[t], true, &rng);
}

#define SIZE_TEST(m, k, n)                                  \
  static void test_##m##_##k##_##n(void **state) {          \
    (void)state;                                            \
    play_all(m, k, n, 0);                                   \
  }
SIZE_TEST(1, 1, 1) SIZE_TEST(1, 64, 64) SIZE_TEST(2, 3, 5) SIZE_TEST(16, 16, 16) SIZE_TEST(17, 33, 31) SIZE_TEST(48, 64, 64) SIZE_TEST(127, 100, 129)
SIZE_TEST(128, 128, 128) SIZE_TEST(33, 257, 300) SIZE_TEST(140, 530, 65)

static void test_blocks_on_one_core(void **state) {
  (void)state;
  play_all(150, 300, 270, 1);
}
static void test_blocks_on_three_cores(void **state) {
  (void)state;
  play_all(260, 96, 520, 3);
}

static void test_long_sums(void **state) {
  (void)state;
  sk__rng rng = sk__rng_from_seed(sk_test_seed("long"));
  device_open();
  for (int t = 0; t < 4; t++) play((product){5, 4100, 40, false, t % 2 != 0, false, 0, 0, 0}, types[t], true, &rng);
}

static void test_real_numbers(void **state) {
  (void)state;
  sk__rng rng = sk__rng_from_seed(sk_test_seed("real"));
  device_open();
  for (int t = 0; t < 3; t++)
    for (int ways = 0; ways < 4; ways++) play((product){70, 300, 90, ways & 1, ways & 2, false, 0, 0, 0}, types[t], false, &rng);
}

static void test_batches(void **state) {
  (void)state;
  sk__rng rng = sk__rng_from_seed(sk_test_seed("batch"));
  device_open();
  for (int t = 0; t < 4; t++) {
    play((product){20, 40, 30, false, false, false, 3, 3, 0}, types[t], true, &rng);
    play((product){20, 40, 30, true, true, false, 0, 3, 2}, types[t], true, &rng);
    play((product){20, 40, 30, false, true, false, 5, 1, 0}, types[t], true, &rng);
    play((product){130, 40, 270, false, false, false, 3, 0, 2}, types[t], true, &rng);
  }
}

static void test_weights_in_nz(void **state) {
  (void)state;
  static const uint32_t sizes[][3] = {{3, 16, 32}, {20, 40, 70}, {5, 300, 290}, {130, 530, 33}};
  sk__rng rng = sk__rng_from_seed(sk_test_seed("nz"));
  device_open();
  for (int t = 0; t < 4; t++)
    for (int i = 0; i < 8; i++)
      if (types[t] != SK_FLOAT)
        play((product){sizes[i / 2][0], sizes[i / 2][1], sizes[i / 2][2], false, i % 2 != 0, true, 0, i == 3 ? 2 : 0, 0}, types[t], true, &rng);
}

/* More rows of a stored weight than a gap between bursts can count. */
static void test_tall_weights(void **state) {
  (void)state;
  sk__rng rng = sk__rng_from_seed(sk_test_seed("tall"));
  device_open();
  play((product){2, 48, 70001, false, true, true, 0, 0, 0}, SK_INT8, true, &rng);
  play((product){2, 48, 70001, false, true, false, 0, 0, 0}, SK_FLOAT16, true, &rng);
}

/* Two batch dimensions, one of them repeated in each operand. */
static void test_two_batch_dimensions(void **state) {
  (void)state;
  device_open();
  float a[2 * 4], b[3 * 2], want[2 * 3 * 2]; /* [2, 1, 2, 2] x [1, 3, 2, 1] */
  for (int i = 0; i < 8; i++) a[i] = (float)(i + 1);
  for (int i = 0; i < 6; i++) b[i] = (float)(10 * i + 1);
  for (int p = 0; p < 2; p++)
    for (int q = 0; q < 3; q++)
      for (int r = 0; r < 2; r++) want[(p * 3 + q) * 2 + r] = a[p * 4 + r * 2] * b[q * 2] + a[p * 4 + r * 2 + 1] * b[q * 2 + 1];
  sk_tensor x = tensor(upload(a, sizeof a), SK_FLOAT, SHAPE(2, 1, 2, 2)), y = tensor(upload(b, sizeof b), SK_FLOAT, SHAPE(1, 3, 2, 1)), out = {0};
  run_op(&(op_call){.name = "matmul", .in = {&x, &y}, .in_count = 2}, &out, 1);
  assert_int_equal(out.rank, 4);
  float *got = fetch(&out);
  for (int i = 0; i < 12; i++) assert_true(got[i] == want[i]);
  free(got);
}

static void test_overflow_of_half_is_infinite(void **state) {
  (void)state;
  device_open();
  uint16_t a[2], b[2];
  set_element(a, SK_FLOAT16, 0, 60000.0), set_element(a, SK_FLOAT16, 1, 60000.0);
  set_element(b, SK_FLOAT16, 0, 1.0), set_element(b, SK_FLOAT16, 1, 1.0);
  sk_tensor x = tensor(upload(a, 4), SK_FLOAT16, SHAPE(1, 2)), y = tensor(upload(b, 4), SK_FLOAT16, SHAPE(2, 1)), out = {0};
  run_op(&(op_call){.name = "matmul", .in = {&x, &y}, .in_count = 2}, &out, 1);
  uint16_t *got = fetch(&out);
  assert_int_equal(*got, 0x7c00);
  free(got);
}

static void test_refusals(void **state) {
  (void)state;
  device_open();
  sk_tensor a = tensor(NULL, SK_FLOAT16, SHAPE(4, 8)), b = tensor(NULL, SK_FLOAT16, SHAPE(7, 5)), out = {0};
  sk_tensor other = tensor(NULL, SK_BF16, SHAPE(8, 5)), row = tensor(NULL, SK_FLOAT16, SHAPE(8)), wide = tensor(NULL, SK_FLOAT16, SHAPE(8, 65536));
  sk_tensor three = tensor(NULL, SK_FLOAT16, SHAPE(3, 8, 5)), two = tensor(NULL, SK_FLOAT16, SHAPE(2, 4, 8)), words = tensor(NULL, SK_INT32, SHAPE(8, 5));
  sk_tensor nz = tensor(NULL, SK_FLOAT, SHAPE(8, 5)), real = tensor(NULL, SK_FLOAT, SHAPE(4, 8)), none = tensor(NULL, SK_FLOAT16, SHAPE(4, 0));
  nz.format = SK_FRACTAL_NZ;
#define REFUSED(x, y, word, legal) assert_refused(plan_op(&(op_call){.name = "matmul", .in = {&(x), &(y)}, .in_count = 2}, &out, 1), word, legal)
  REFUSED(a, b, "mat2 is [7, 5]", "8 along k");
  REFUSED(a, other, "mat2 is bfloat16", "type of self");
  REFUSED(a, row, "rank of mat2 is 1", "2 to 6");
  REFUSED(a, wide, "mat2 is [8, 65536]", "65535");
  REFUSED(two, three, "mat2 is [3, 8, 5]", "batch");
  REFUSED(words, words, "self is int32", "int8");
  REFUSED(real, nz, "float32 in FRACTAL_NZ", "row-major");
  REFUSED(none, none, "mat2 is [4, 0]", "along k");
}

SK_TESTS(SK_TEST(test_refusals), SK_TEST(test_1_1_1), SK_TEST(test_1_64_64), SK_TEST(test_2_3_5), SK_TEST(test_16_16_16), SK_TEST(test_17_33_31),
         SK_TEST(test_48_64_64), SK_TEST(test_127_100_129), SK_TEST(test_128_128_128), SK_TEST(test_33_257_300), SK_TEST(test_140_530_65),
         SK_TEST(test_blocks_on_one_core), SK_TEST(test_blocks_on_three_cores), SK_TEST(test_long_sums), SK_TEST(test_real_numbers),
         SK_TEST(test_batches), SK_TEST(test_weights_in_nz), SK_TEST(test_tall_weights), SK_TEST(test_two_batch_dimensions), SK_TEST(test_overflow_of_half_is_infinite))
