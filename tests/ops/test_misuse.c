/* What the operators refuse: each refusal names the argument, its value and what is legal. */
#include "ops_fixture.h"

static int gating(uint32_t rows, uint32_t experts, uint32_t k, sk_dtype dtype, uint32_t blocks) {
  static void *memory;
  if (memory == NULL) memory = upload(NULL, 1 << 16);
  return sk_moe_gating_top_k_softmax(memory, NULL, memory, memory, memory, rows, experts, k, dtype, blocks, NULL);
}

static void test_gating_refuses_without_a_device(void **state) {
  (void)state;
  int32_t x[16] = {0};
  assert_int_equal(sk_moe_gating_top_k_softmax(x, NULL, x, x, x, 1, 8, 1, SK_FLOAT, 0, NULL),
                   ACL_ERROR_RT_CONTEXT_NULL);
}
static void test_gating_refuses_k_above_the_experts(void **state) {
  (void)state;
  device_open();
  assert_refused(gating(2, 8, 9, SK_FLOAT, 0), "k is 9", "at most 1024");
  assert_refused(gating(2, 0, 1, SK_FLOAT, 0), "k is 1", "number of experts");
}
static void test_gating_refuses_k_above_1024(void **state) {
  (void)state;
  device_open();
  assert_refused(gating(2, 4096, 1025, SK_FLOAT, 0), "k is 1025", "at most 1024");
}
static void test_gating_refuses_other_types(void **state) {
  (void)state;
  device_open();
  assert_refused(gating(2, 8, 1, (sk_dtype)9, 0), "dtype is 9", "27 bfloat16");
}
static void test_gating_refuses_too_many_blocks(void **state) {
  (void)state;
  device_open();
  assert_refused(gating(2, 8, 1, SK_FLOAT, 65536), "blocks is 65536", "65535");
}
static void test_gating_refuses_missing_tensors(void **state) {
  (void)state;
  device_open();
  void *d = upload(NULL, 256);
  assert_refused(sk_moe_gating_top_k_softmax(NULL, NULL, d, d, d, 1, 8, 1, SK_FLOAT, 0, NULL), "x is NULL", "device memory");
  assert_refused(sk_moe_gating_top_k_softmax(d, NULL, NULL, d, d, 1, 8, 1, SK_FLOAT, 0, NULL), "y is NULL", "device memory");
  assert_refused(sk_moe_gating_top_k_softmax(d, NULL, d, NULL, d, 1, 8, 1, SK_FLOAT, 0, NULL), "expert_idx is NULL", "device memory");
  assert_refused(sk_moe_gating_top_k_softmax(d, NULL, d, d, NULL, 1, 8, 1, SK_FLOAT, 0, NULL), "row_idx is NULL", "device memory");
}
static void test_gating_refuses_more_than_32_bits_of_row_index(void **state) {
  (void)state;
  device_open();
  assert_refused(gating(1u << 30, 8, 4, SK_FLOAT, 0), "rows is 1073741824", "2147483647");
}
static void test_gating_of_nothing_launches_nothing(void **state) {
  (void)state;
  device_open();
  assert_int_equal(gating(0, 8, 1, SK_FLOAT, 0), ACL_SUCCESS);
  assert_int_equal(gating(2, 8, 0, SK_FLOAT, 0), ACL_SUCCESS);
  device_check();
}

static int quant(uint32_t rows, uint32_t columns, uint32_t groups, sk_dtype dtype, uint32_t bits, uint32_t blocks) {
  static void *memory;
  if (memory == NULL) memory = upload(NULL, 1 << 16);
  return sk_dynamic_quant(memory, groups > 0 ? memory : NULL, groups > 0 ? memory : NULL, memory, memory, rows, columns, groups,
                          dtype, bits, blocks, NULL);
}

static void test_quant_refuses_float(void **state) {
  (void)state;
  device_open();
  assert_refused(quant(2, 8, 0, SK_FLOAT, 8, 0), "dtype is 0", "1 half, 27 bfloat16");
}
static void test_quant_refuses_no_columns(void **state) {
  (void)state;
  device_open();
  assert_refused(quant(2, 0, 0, SK_BF16, 8, 0), "columns is 0", "1 and above");
}
static void test_quant_refuses_other_widths(void **state) {
  (void)state;
  device_open();
  assert_refused(quant(2, 8, 0, SK_BF16, 5, 0), "dst_bits is 5", "8 (int8), 4 (int4)");
}
static void test_quant_refuses_odd_columns_of_int4(void **state) {
  (void)state;
  device_open();
  assert_refused(quant(2, 12, 0, SK_BF16, 4, 0), "columns is 12", "multiple of 8");
}
static void test_quant_refuses_too_many_groups(void **state) {
  (void)state;
  device_open();
  assert_refused(quant(2, 8, 1025, SK_BF16, 8, 0), "groups is 1025", "1 to 1024");
}
static void test_quant_refuses_groups_without_smooth(void **state) {
  (void)state;
  device_open();
  void *d = upload(NULL, 256);
  assert_refused(sk_dynamic_quant(d, NULL, d, d, d, 1, 8, 1, SK_BF16, 8, 0, NULL), "smooth is NULL", "group_index");
  assert_refused(sk_dynamic_quant(d, d, d, d, d, 1, 8, 0, SK_BF16, 8, 0, NULL), "groups is 0", "1 to 1024");
}
static void test_quant_refuses_missing_tensors(void **state) {
  (void)state;
  device_open();
  void *d = upload(NULL, 256);
  assert_refused(sk_dynamic_quant(NULL, NULL, NULL, d, d, 1, 8, 0, SK_BF16, 8, 0, NULL), "x is NULL", "device memory");
  assert_refused(sk_dynamic_quant(d, NULL, NULL, NULL, d, 1, 8, 0, SK_BF16, 8, 0, NULL), "y is NULL", "device memory");
  assert_refused(sk_dynamic_quant(d, NULL, NULL, d, NULL, 1, 8, 0, SK_BF16, 8, 0, NULL), "scale is NULL", "device memory");
}
static void test_quant_refuses_too_many_blocks(void **state) {
  (void)state;
  device_open();
  assert_refused(quant(2, 8, 0, SK_BF16, 8, 65536), "blocks is 65536", "65535");
}
static void test_quant_of_no_rows_launches_nothing(void **state) {
  (void)state;
  device_open();
  assert_int_equal(quant(0, 8, 0, SK_BF16, 8, 0), ACL_SUCCESS);
  device_check();
}

/* The runtime's refusals pass through. */
static void test_operators_report_a_bad_stream(void **state) {
  (void)state;
  device_open();
  void *d = upload(NULL, 256);
  int no_stream;
  assert_int_equal(sk_dynamic_quant(d, NULL, NULL, d, d, 1, 8, 0, SK_BF16, 8, 0, &no_stream), ACL_ERROR_RT_INVALID_HANDLE);
  assert_int_equal(sk_moe_gating_top_k_softmax(d, NULL, d, d, d, 1, 8, 1, SK_BF16, 0, &no_stream), ACL_ERROR_RT_INVALID_HANDLE);
}

static void check_tensors(const sk_operator_tensor *tensors, uint32_t count) {
  assert_true(count > 0);
  for (uint32_t i = 0; i < count; i++)
    assert_true(tensors[i].name[0] != '\0' && tensors[i].shape[0] != '\0' && tensors[i].dtypes != 0 && tensors[i].least_rank <= tensors[i].most_rank);
}

static void test_records_are_complete(void **state) {
  (void)state;
  size_t count = 0;
  const sk_operator *all = sk_operator_all(&count);
  assert_true(count >= 6);
  for (size_t i = 0; i < count; i++) {
    const char *const texts[] = {all[i].name, all[i].torch_name, all[i].kernel_type, all[i].rule, all[i].split, all[i].sync};
    for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) assert_true(texts[t] != NULL && texts[t][0] != '\0');
    check_tensors(all[i].inputs, all[i].input_count);
    check_tensors(all[i].outputs, all[i].output_count);
    for (uint32_t a = 0; a < all[i].attribute_count; a++)
      assert_true(all[i].attributes[a].name[0] != '\0' && all[i].attributes[a].legal[0] != '\0');
    assert_ptr_equal(sk_operator_find(all[i].name), &all[i]);
    assert_non_null(all[i].code);
  }
}

SK_TESTS(SK_TEST(test_gating_refuses_without_a_device), SK_TEST(test_gating_refuses_k_above_the_experts),
         SK_TEST(test_gating_refuses_k_above_1024), SK_TEST(test_gating_refuses_other_types), SK_TEST(test_gating_refuses_too_many_blocks),
         SK_TEST(test_gating_refuses_missing_tensors), SK_TEST(test_gating_refuses_more_than_32_bits_of_row_index),
         SK_TEST(test_gating_of_nothing_launches_nothing), SK_TEST(test_quant_refuses_float), SK_TEST(test_quant_refuses_no_columns),
         SK_TEST(test_quant_refuses_other_widths), SK_TEST(test_quant_refuses_odd_columns_of_int4),
         SK_TEST(test_quant_refuses_too_many_groups), SK_TEST(test_quant_refuses_groups_without_smooth),
         SK_TEST(test_quant_refuses_missing_tensors), SK_TEST(test_quant_refuses_too_many_blocks),
         SK_TEST(test_quant_of_no_rows_launches_nothing), SK_TEST(test_operators_report_a_bad_stream), SK_TEST(test_records_are_complete))
