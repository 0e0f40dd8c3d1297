/* Top-k of the softmax against the definition in double, over sizes where a variant, a tile or a tail begins. */
#include <math.h>

#include "ops_fixture.h"

typedef struct gating_case { uint32_t rows, experts, k; sk_dtype dtype; uint32_t blocks; } gating_case;

typedef struct gating_run {
  gating_case of;
  void *x, *y;
  int32_t *chosen, *row_idx;
} gating_run;

/* finished may be NULL; x is taken. */
static gating_run play(gating_case c, void *x, const uint8_t *finished) {
  size_t in = (size_t)c.rows * c.experts, out = (size_t)c.rows * c.k;
  void *d_x = upload(x, in * float_bytes(c.dtype)), *d_y = upload(NULL, out * float_bytes(c.dtype));
  void *d_chosen = upload(NULL, out * 4), *d_rows = upload(NULL, out * 4);
  void *d_finished = finished != NULL ? upload(finished, c.rows) : NULL;
  assert_int_equal(sk_moe_gating_top_k_softmax(d_x, d_finished, d_y, d_chosen, d_rows, c.rows, c.experts, c.k, c.dtype,
                                               c.blocks, NULL), ACL_SUCCESS);
  device_check();
  gating_run run = {c, x, download(d_y, out * float_bytes(c.dtype)), download(d_chosen, out * 4), download(d_rows, out * 4)};
  void *all[] = {d_x, d_y, d_chosen, d_rows, d_finished};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    if (all[i] != NULL) assert_int_equal(aclrtFree(all[i]), ACL_SUCCESS);
  return run;
}

static void drop(gating_run *run) {
  free(run->x);
  free(run->y);
  free(run->chosen);
  free(run->row_idx);
}

/* Softmax of one row in double. */
static double *weights_of(const gating_run *run, uint32_t row) {
  uint32_t experts = run->of.experts;
  double *weight = malloc(experts * sizeof *weight), maximum = -INFINITY, sum = 0.0;
  assert_non_null(weight);
  size_t first = (size_t)row * experts;
  for (uint32_t e = 0; e < experts; e++) maximum = fmax(maximum, element(run->x, run->of.dtype, first + e));
  for (uint32_t e = 0; e < experts; e++) sum += weight[e] = exp(element(run->x, run->of.dtype, first + e) - maximum);
  for (uint32_t e = 0; e < experts; e++) weight[e] /= sum;
  return weight;
}

/* A row: distinct experts, the weights of the definition, descending, none left out that is larger; among
 * equal logits the lower index first. */
static void check_row(const gating_run *run, uint32_t row) {
  const gating_case *c = &run->of;
  double *weight = weights_of(run, row), last = INFINITY, slack = c->dtype == SK_FLOAT16 ? 0x1p-10 : 1e-5;
  bool *taken = calloc(c->experts, sizeof *taken);
  size_t out = (size_t)row * c->k, in = (size_t)row * c->experts;
  for (uint32_t j = 0; j < c->k; j++) {
    int32_t expert = run->chosen[out + j];
    double y = element(run->y, c->dtype, out + j);
    assert_in_range(expert, 0, c->experts - 1);
    assert_false(taken[expert]);
    taken[expert] = true;
    double expected = weight[expert], allowed = fmax(expected * 4e-6 + 1e-7, c->dtype == SK_FLOAT ? 0.0 : ulp_of(c->dtype, expected));
    if (fabs(y - expected) > allowed) fail_msg("row %u, y[%u] of expert %d is %.9g, expected %.9g", row, j, expert, y, expected);
    if (expected > last * (1.0 + slack) + 0x1p-24) fail_msg("row %u: y[%u] is larger than the one before", row, j);
    last = expected;
    assert_int_equal(run->row_idx[out + j], (int32_t)(row + j * c->rows));
    if (j > 0 && element(run->x, c->dtype, in + (size_t)expert) == element(run->x, c->dtype, in + (size_t)run->chosen[out + j - 1]))
      assert_true(expert > run->chosen[out + j - 1]);
  }
  double least = element(run->x, c->dtype, in + (size_t)run->chosen[out + c->k - 1]);
  for (uint32_t e = 0; e < c->experts; e++) {
    if (taken[e]) continue;
    if (weight[e] > last * (1.0 + slack) + 0x1p-24) fail_msg("row %u: expert %u was left out", row, e);
    if (element(run->x, c->dtype, in + e) == least) assert_true((int32_t)e > run->chosen[out + c->k - 1]);
  }
  free(weight);
  free(taken);
}

static void play_random(gating_case c, sk__rng *rng) {
  gating_run run = play(c, random_tensor(c.dtype, (size_t)c.rows * c.experts, rng), NULL);
  for (uint32_t row = 0; row < c.rows; row++) check_row(&run, row);
  drop(&run);
}

static uint32_t at_most(uint32_t a, uint32_t b) { return a < b ? a : b; }

static void play_all_types(uint32_t rows, uint32_t experts, uint32_t k, uint32_t blocks) {
  static const sk_dtype dtypes[] = {SK_FLOAT, SK_FLOAT16, SK_BF16};
  sk__rng rng = sk__rng_from_seed(sk_test_seed("gating") + experts * 31 + k);
  device_open();
  for (int i = 0; i < 3; i++) play_random((gating_case){rows, experts, k, dtypes[i], blocks}, &rng);
}

#define EXPERTS_TEST(n)                                  \
  static void test_##n##_experts(void **state) {         \
    (void)state;                                         \
    play_all_types(3, n, at_most(n, 8), 0);              \
  }
EXPERTS_TEST(1) EXPERTS_TEST(7) EXPERTS_TEST(31) EXPERTS_TEST(32) EXPERTS_TEST(33) EXPERTS_TEST(100) EXPERTS_TEST(256)
EXPERTS_TEST(2048) EXPERTS_TEST(4096) EXPERTS_TEST(4097) EXPERTS_TEST(10000)

static void test_k_is_all_experts(void **state) {
  (void)state;
  play_all_types(2, 77, 77, 0);
}
static void test_k_is_1024_of_one_chunk(void **state) {
  (void)state;
  play_all_types(2, 2048, 1024, 0);
}
static void test_k_is_1024_of_three_chunks(void **state) {
  (void)state;
  play_all_types(2, 8300, 1024, 0);
}
static void test_k_is_one(void **state) {
  (void)state;
  play_all_types(2, 5000, 1, 0);
}
static void test_last_chunk_shorter_than_k(void **state) {
  (void)state;
  play_all_types(2, 4100, 60, 0);
}
static void test_one_row(void **state) {
  (void)state;
  play_all_types(1, 65, 9, 0);
}
static void test_more_rows_than_cores(void **state) {
  (void)state;
  play_all_types(131, 24, 5, 0);
}
static void test_rows_on_fewer_blocks(void **state) {
  (void)state;
  play_all_types(29, 40, 40, 3);
}
static void test_more_blocks_than_cores(void **state) {
  (void)state;
  play_all_types(200, 16, 4, 200);
}

/* Few distinct logits: most are ties. */
static void test_ties_go_to_the_lower_index(void **state) {
  (void)state;
  static const uint32_t sizes[] = {64, 300, 5000};
  static const sk_dtype dtypes[] = {SK_FLOAT, SK_FLOAT16, SK_BF16};
  sk__rng rng = sk__rng_from_seed(sk_test_seed("ties"));
  device_open();
  for (int i = 0; i < 9; i++) {
    gating_case c = {2, sizes[i / 3], 40, dtypes[i % 3], 0};
    void *x = malloc((size_t)c.rows * c.experts * 4);
    for (uint32_t e = 0; e < c.rows * c.experts; e++) set_element(x, c.dtype, e, sk__rng_below(&rng, 4));
    gating_run run = play(c, x, NULL);
    for (uint32_t row = 0; row < c.rows; row++) check_row(&run, row);
    drop(&run);
  }
}

/* Half input of the full-load variant: weights are rounded before they are sorted, so that ties arise. */
static void test_half_ties_after_rounding(void **state) {
  (void)state;
  sk__rng rng = sk__rng_from_seed(sk_test_seed("rounding"));
  device_open();
  gating_case c = {4, 2048, 700, SK_FLOAT16, 0};
  gating_run run = play(c, random_tensor(c.dtype, (size_t)c.rows * c.experts, &rng), NULL);
  const uint16_t *y = run.y;
  uint32_t ties = 0;
  for (uint32_t i = 0; i < c.rows * c.k; i++) {
    if (i % c.k == 0) continue;
    assert_true(y[i] <= y[i - 1]);
    if (y[i] != y[i - 1]) continue;
    assert_true(run.chosen[i] > run.chosen[i - 1]);
    ties++;
  }
  assert_true(ties > 0);
  drop(&run);
}

/* Large spreads: most weights are zero, and the sum must not overflow. */
static void test_far_apart_logits(void **state) {
  (void)state;
  static const uint32_t sizes[] = {33, 4097};
  device_open();
  for (int i = 0; i < 2; i++) {
    gating_case c = {1, sizes[i], 2, SK_FLOAT, 0};
    float *x = malloc(c.experts * sizeof *x);
    for (uint32_t e = 0; e < c.experts; e++) x[e] = -3e38f;
    x[c.experts - 1] = 3e38f;
    x[5] = -INFINITY;
    gating_run run = play(c, x, NULL);
    assert_true(((float *)run.y)[0] == 1.0f && ((float *)run.y)[1] == 0.0f);
    assert_int_equal(run.chosen[0], (int32_t)c.experts - 1);
    assert_int_equal(run.chosen[1], 0);
    drop(&run);
  }
}

static void test_infinite_logit_makes_the_row_nan(void **state) {
  (void)state;
  static const uint32_t sizes[] = {20, 100, 5000};
  device_open();
  for (int i = 0; i < 6; i++) {
    gating_case c = {2, sizes[i / 2], 3, SK_FLOAT, 0};
    float *x = malloc((size_t)c.rows * c.experts * sizeof *x);
    for (uint32_t e = 0; e < c.rows * c.experts; e++) x[e] = i % 2 == 0 ? 1.0f : -INFINITY;
    for (uint32_t e = c.experts; e < 2 * c.experts; e++) x[e] = (float)(e % 7);
    if (i % 2 == 0) x[2] = INFINITY;
    gating_run run = play(c, x, NULL);
    for (uint32_t j = 0; j < c.k; j++) assert_true(isnan(((float *)run.y)[j]));
    check_row(&run, 1); /* the next row is as if alone */
    drop(&run);
  }
}

static void test_finished_rows_name_no_expert(void **state) {
  (void)state;
  static const uint32_t sizes[] = {24, 333, 4500};
  sk__rng rng = sk__rng_from_seed(sk_test_seed("finished"));
  device_open();
  for (int i = 0; i < 3; i++) {
    gating_case c = {i == 0 ? 700u : 5u, sizes[i], 6, SK_BF16, i == 0 ? 2u : 0u}; /* 350 rows a core: two loads of flags */
    uint8_t *finished = malloc(c.rows);
    for (uint32_t r = 0; r < c.rows; r++) finished[r] = (uint8_t)sk__rng_below(&rng, 2);
    gating_run run = play(c, random_tensor(c.dtype, (size_t)c.rows * c.experts, &rng), finished);
    for (uint32_t r = 0; r < c.rows; r++) {
      if (!finished[r]) {
        check_row(&run, r);
        continue;
      }
      double *weight = weights_of(&run, r), largest = 0.0;
      for (uint32_t e = 0; e < c.experts; e++) largest = fmax(largest, weight[e]);
      assert_true(fabs(element(run.y, c.dtype, (size_t)r * c.k) - largest) <= ulp_of(c.dtype, largest));
      for (uint32_t j = 0; j < c.k; j++) {
        assert_int_equal(run.chosen[r * c.k + j], (int32_t)c.experts);
        assert_int_equal(run.row_idx[r * c.k + j], (int32_t)(r + j * c.rows));
      }
      free(weight);
    }
    free(finished);
    drop(&run);
  }
}

/* 253241 equal logits: 1/253241 in float lies exactly halfway between two bfloat16 numbers, of which the
 * smaller is even. */
static void test_bfloat16_rounds_ties_away(void **state) {
  (void)state;
  device_open();
  gating_case c = {1, 253241, 2, SK_BF16, 0};
  gating_run run = play(c, calloc(c.experts, 2), NULL);
  for (int j = 0; j < 2; j++) {
    assert_int_equal(((uint16_t *)run.y)[j], 0x3685);
    assert_int_equal(run.chosen[j], j);
  }
  drop(&run);
}

SK_TESTS(SK_TEST(test_1_experts), SK_TEST(test_7_experts), SK_TEST(test_31_experts), SK_TEST(test_32_experts), SK_TEST(test_33_experts),
         SK_TEST(test_100_experts), SK_TEST(test_256_experts), SK_TEST(test_2048_experts), SK_TEST(test_4096_experts),
         SK_TEST(test_4097_experts), SK_TEST(test_10000_experts), SK_TEST(test_k_is_all_experts), SK_TEST(test_k_is_1024_of_one_chunk),
         SK_TEST(test_k_is_1024_of_three_chunks), SK_TEST(test_k_is_one), SK_TEST(test_last_chunk_shorter_than_k), SK_TEST(test_one_row),
         SK_TEST(test_more_rows_than_cores), SK_TEST(test_rows_on_fewer_blocks), SK_TEST(test_more_blocks_than_cores),
         SK_TEST(test_ties_go_to_the_lower_index), SK_TEST(test_half_ties_after_rounding), SK_TEST(test_far_apart_logits),
         SK_TEST(test_infinite_logit_makes_the_row_nan), SK_TEST(test_finished_rows_name_no_expert),
         SK_TEST(test_bfloat16_rounds_ties_away))
