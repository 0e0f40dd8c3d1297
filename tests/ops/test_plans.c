/* Random calls of every operator, legal and not: a plan is either refused under the operator's name with what is legal,
 * or its outputs are as the record says; it never reads data. Small good ones run, and nothing is found. */
#include <stdio.h>

#include "ops_fixture.h"

static int64_t random_size(sk__rng *rng) {
  static const int64_t sizes[] = {1, 2, 8, 8, 16, 32, 64, 64, 128, 3, 0, -1, 65535, 65536, INT32_MAX, INT64_C(1) << 40};
  /* Mostly the few that go together. */
  uint32_t most = sk__rng_below(rng, 10) == 0 ? sizeof sizes / sizeof sizes[0] : 8;
  return sizes[sk__rng_below(rng, most)];
}

static sk_dtype random_dtype(uint64_t legal, sk__rng *rng) {
  for (int tries = 0; tries < 200; tries++) {
    uint32_t number = (uint32_t)sk__rng_below(rng, 64);
    if ((legal >> number & 1u) != 0 || sk__rng_below(rng, 400) == 0) return (sk_dtype)number;
  }
  return SK_FLOAT;
}

static sk_tensor random_operand(const sk_operator_tensor *rule, const sk_tensor *first, sk__rng *rng) {
  static const sk_format formats[] = {SK_ND, SK_ND, SK_ND, SK_ND, SK_ND, SK_FRACTAL_NZ, SK_FRACTAL_NZ_C0_8, SK_FRACTAL_NZ_C0_16};
  sk_tensor t = {.format = formats[sk__rng_below(rng, rule->may_be_nz ? 8 : 5)], .dtype = random_dtype(rule->dtypes, rng)};
  if (first != NULL && sk__rng_below(rng, 2) == 0) { /* like the first, or its end */
    t = *first;
    if (sk__rng_below(rng, 2) == 0 && t.rank > 1 && t.rank <= SK_MAX_RANK) t.shape[0] = t.shape[t.rank - 1], t.rank = 1;
    t.dtype = sk__rng_below(rng, 2) == 0 ? first->dtype : random_dtype(rule->dtypes, rng);
    return t;
  }
  t.rank = rule->least_rank + (uint32_t)sk__rng_below(rng, rule->most_rank - rule->least_rank + 1u);
  if (sk__rng_below(rng, 50) == 0) t.rank = (uint32_t)sk__rng_below(rng, 12);
  for (uint32_t i = 0; i < t.rank && i < SK_MAX_RANK; i++) t.shape[i] = random_size(rng);
  return t;
}

static sk_attribute random_attribute(const sk_operator *op, sk__rng *rng) {
  static const double values[] = {0, 1, 2, 3, 8, 27, 29, -1, 0.5, -2, 1e30, 4};
  if (op->attribute_count == 0 || sk__rng_below(rng, 40) == 0) return INTEGER("no_such", 1);
  const sk_operator_attribute *rule = &op->attributes[sk__rng_below(rng, op->attribute_count)];
  double value = values[sk__rng_below(rng, sizeof values / sizeof values[0])];
  bool real = rule->kind == SK_REAL || sk__rng_below(rng, 40) == 0;
  return real ? REAL(rule->name, value) : INTEGER(rule->name, (int64_t)value);
}

#define SMALL 20000u

/* Every byte 1, which is a legal value of everything but a list of groups. */
static void run_small(op_call *call, const sk_operator *op, sk_tensor *in, sk_tensor *out) {
  for (uint32_t i = 0; i < op->input_count; i++)
    if (call->in[i] != NULL && tensor_elements(&in[i]) > SMALL) return;
  for (uint32_t i = 0; i < op->output_count; i++)
    if (tensor_elements(&out[i]) > SMALL) return;
  for (uint32_t i = 0; i < op->input_count; i++) {
    size_t bytes = call->in[i] != NULL ? tensor_bytes(&in[i]) : 0;
    if (bytes == 0) continue;
    in[i].data = upload(NULL, bytes);
    assert_int_equal(aclrtMemset(in[i].data, bytes, strcmp(op->inputs[i].name, "group_index") == 0 ? 0 : 1, bytes), ACL_SUCCESS);
  }
  run_op(call, out, op->output_count);
  for (uint32_t i = 0; i < op->output_count; i++)
    if (out[i].data != NULL) assert_int_equal(aclrtFree(out[i].data), ACL_SUCCESS);
  for (uint32_t i = 0; i < op->input_count; i++)
    if (call->in[i] != NULL && in[i].data != NULL) assert_int_equal(aclrtFree(in[i].data), ACL_SUCCESS);
}

/* Whether the plan was good. */
static bool play(const sk_operator *op, sk__rng *rng) {
  sk_tensor in[8], out[3] = {{0}};
  op_call call = {.name = op->name, .in_count = op->input_count, .blocks = sk__rng_below(rng, 20) == 0 ? 70000u : (uint32_t)sk__rng_below(rng, 50)};
  for (uint32_t i = 0; i < op->input_count; i++) {
    if (sk__rng_below(rng, op->inputs[i].optional ? 2 : 100) == 0) continue;
    in[i] = random_operand(&op->inputs[i], i > 0 && call.in[0] != NULL ? &in[0] : NULL, rng);
    call.in[i] = &in[i];
  }
  while (call.attribute_count < 4 && sk__rng_below(rng, 2) == 0) call.attribute[call.attribute_count++] = random_attribute(op, rng);
  int error = plan_op(&call, out, op->output_count);
  if (error != ACL_SUCCESS) {
    assert_int_equal(error, ACL_ERROR_INVALID_PARAM);
    const char *text = aclGetRecentErrMsg();
    assert_non_null(text);
    if (strstr(text, op->name) == NULL || strstr(text, "; legal: ") == NULL) fail_msg("%s refuses with: %s", op->name, text);
    return false;
  }
  for (uint32_t i = 0; i < op->output_count; i++) {
    const sk_operator_tensor *rule = &op->outputs[i];
    if ((rule->dtypes & SK_DTYPE_BIT(out[i].dtype)) == 0 || out[i].rank < rule->least_rank || out[i].rank > rule->most_rank)
      fail_msg("%s: %s is planned as %s of rank %u", op->name, rule->name, sk_dtype_name(out[i].dtype), out[i].rank);
    for (uint32_t k = 0; k < out[i].rank; k++) assert_true(out[i].shape[k] >= 0);
  }
  if (call.blocks <= 65535 && sk__rng_below(rng, 3) == 0) run_small(&call, op, in, out);
  return true;
}

static void test_random_plans(void **state) {
  (void)state;
  size_t count = 0;
  const sk_operator *all = sk_operator_all(&count);
  sk__rng rng = sk__rng_from_seed(sk_test_seed("plans"));
  device_open();
  for (size_t i = 0; i < count; i++) {
    uint32_t good = 0;
    for (uint32_t k = 0; k < 4000; k++) good += play(&all[i], &rng);
    if (good == 0 || good == 4000) fail_msg("%s: %u of 4000 random plans are good", all[i].name, good);
  }
  device_check();
}

SK_TESTS(SK_TEST_LIMIT(test_random_plans, 120))
