/* Plans executed on the machine: every operator runs on its own blocks, in order, idle cores take part in
 * the barriers only. */
#include "run_bed.h"

static void test_chain_of_three_is_one_launch(void **state) {
  (void)state;
  bed b;
  bed_open(&b);
  launch(&b, &cube, 8, 0, 1, 1);
  launch(&b, &vector, 40, 1, 2, 10);
  launch(&b, &cube, 20, 2, 3, 100);
  sk__fuse_options options = sk__fuse_defaults();
  sk__launch_result results[16];
  assert_int_equal(plan_and_run(&b, &options, results), 1);
  assert_true(results[0].is_sk);
  assert_int_equal(results[0].type, SK_MIX_AIC_1_2);
  assert_int_equal(results[0].blocks, 20);
  assert_int_equal(results[0].stats.aiv_used, 40);
  check(&b, 3, 111);
}

static void test_vector_only_chain(void **state) {
  (void)state;
  bed b;
  bed_open(&b);
  launch(&b, &vector, 48, 0, 1, 1);
  launch(&b, &vector, 7, 1, 2, 10);
  launch(&b, &vector, 48, 2, 3, 100);
  sk__fuse_options options = sk__fuse_defaults();
  sk__launch_result results[16];
  assert_int_equal(plan_and_run(&b, &options, results), 1);
  assert_int_equal(results[0].type, SK_AIV_ONLY);
  assert_int_equal(results[0].blocks, 48);
  check(&b, 3, 111);
}

static void test_none_scope_keeps_a_kernel_outside(void **state) {
  (void)state;
  bed b;
  bed_open(&b);
  launch(&b, &vector, 8, 0, 1, 1);
  assert_int_equal(aclskScopeBegin(NULL, b.stream), ACL_SUCCESS);
  launch(&b, &vector, 8, 1, 2, 10);
  assert_int_equal(aclskScopeEnd(NULL, b.stream), ACL_SUCCESS);
  launch(&b, &vector, 8, 2, 3, 100);
  sk__fuse_options options = sk__fuse_defaults();
  sk__launch_result results[16];
  assert_int_equal(plan_and_run(&b, &options, results), 3);
  assert_true(results[0].is_sk);
  assert_false(results[1].is_sk);
  assert_true(results[2].is_sk);
  check(&b, 3, 111);
}

static void test_per_op_runs_each_alone_on_all_cores(void **state) {
  (void)state;
  bed b;
  bed_open(&b);
  launch(&b, &cube, 8, 0, 1, 1);
  launch(&b, &vector, 5, 1, 2, 10);
  sk__fuse_options options = sk__fuse_defaults();
  options.debug_per_op_max_core_num = 1;
  sk__launch_result results[16];
  assert_int_equal(plan_and_run(&b, &options, results), 2);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(results[i].type, SK_MIX_AIC_1_2);
    assert_int_equal(results[i].blocks, 24);
  }
  check(&b, 2, 11);
}

static void test_forced_to_all_cores(void **state) {
  (void)state;
  bed b;
  bed_open(&b);
  launch(&b, &cube, 8, 0, 1, 1);
  launch(&b, &vector, 5, 1, 2, 10);
  sk__fuse_options options = sk__fuse_defaults();
  options.force_aic = 24;
  options.force_aiv = 48;
  sk__launch_result results[16];
  assert_int_equal(plan_and_run(&b, &options, results), 1);
  assert_int_equal(results[0].type, SK_MIX_AIC_1_2);
  assert_int_equal(results[0].stats.aiv_used, 48);
  check(&b, 2, 11);
}

static void test_two_streams_joined_by_events(void **state) {
  (void)state;
  bed b;
  bed_open(&b);
  void *first = b.stream, *second, *event;
  assert_int_equal(aclrtCreateStream(&second), ACL_SUCCESS);
  assert_int_equal(aclrtCreateEvent(&event), ACL_SUCCESS);
  launch(&b, &cube, 8, 0, 1, 1);
  assert_int_equal(aclrtRecordEvent(event, first), ACL_SUCCESS);
  assert_int_equal(aclrtStreamWaitEvent(second, event), ACL_SUCCESS);
  b.stream = second;
  launch(&b, &vector, 8, 1, 2, 10);
  assert_int_equal(aclrtRecordEvent(event, second), ACL_SUCCESS);
  assert_int_equal(aclrtStreamWaitEvent(first, event), ACL_SUCCESS);
  b.stream = first;
  launch(&b, &cube, 8, 2, 3, 100);
  sk__fuse_options options = sk__fuse_defaults();
  sk__launch_result results[16];
  assert_int_equal(plan_and_run(&b, &options, results), 1);
  assert_int_equal(results[0].type, SK_MIX_AIC_1_1);
  check(&b, 3, 111);
}

/* Two streams with an operator outside every SK between them, ordered by one event object used twice. */
static void two_streams_around_an_operator(bool joined) {
  bed b;
  bed_open(&b);
  void *first = b.stream, *second, *event;
  assert_int_equal(aclrtCreateStream(&second), ACL_SUCCESS);
  assert_int_equal(aclrtCreateEvent(&event), ACL_SUCCESS);
  launch(&b, &vector, 8, 0, 1, 1);
  assert_int_equal(aclrtRecordEvent(event, first), ACL_SUCCESS);
  assert_int_equal(aclrtStreamWaitEvent(second, event), ACL_SUCCESS);
  b.stream = second;
  launch(&b, &vector, 5, 1, 2, 10);
  if (joined) {
    assert_int_equal(aclrtRecordEvent(event, second), ACL_SUCCESS);
    assert_int_equal(aclrtStreamWaitEvent(first, event), ACL_SUCCESS);
  }
  b.stream = first;
  launch(&b, &vector, 3, 2, 3, 100);
  take_graph(&b);
  b.graph->nodes[3].kernel.bound = false;
  sk__fuse_options options = sk__fuse_defaults();
  sk__launch_result results[16];
  size_t launches = 0;
  assert_int_equal(sk__plan_make(b.graph, &options, &b.plan, b.why, sizeof b.why), SK_OK);
  assert_int_equal(sk__plan_run(b.runtime, b.plan, results, &launches), SK_OK);
  size_t findings = 0;
  sk__findings(sk__machine_checker(sk__runtime_machine(b.runtime)), &findings);
  assert_int_equal(findings > 0, !joined);
  if (joined) check(&b, 3, 111);
}
static void test_order_reaches_across_an_outside_operator(void **state) {
  (void)state;
  two_streams_around_an_operator(true);
}
static void test_missing_order_across_streams_is_found(void **state) {
  (void)state;
  two_streams_around_an_operator(false);
}

/* A wait inside an SK orders what comes behind it in the queue after the outside operator, nothing before. */
static void wait_inside(bool joined) {
  bed b;
  bed_open(&b);
  void *first = b.stream, *second, *event;
  assert_int_equal(aclrtCreateStream(&second), ACL_SUCCESS);
  assert_int_equal(aclrtCreateEvent(&event), ACL_SUCCESS);
  b.stream = second;
  launch(&b, &vector, 5, 0, 2, 10);
  assert_int_equal(aclrtRecordEvent(event, second), ACL_SUCCESS);
  b.stream = first;
  launch(&b, &vector, 8, 0, joined ? 1 : 2, 1); /* unordered with the first operator */
  assert_int_equal(aclrtStreamWaitEvent(first, event), ACL_SUCCESS);
  launch(&b, &vector, 7, 2, 3, 100);
  take_graph(&b);
  b.graph->nodes[0].kernel.bound = false;
  sk__fuse_options options = sk__fuse_defaults();
  sk__launch_result results[16];
  size_t launches = 0, findings = 0;
  assert_int_equal(sk__plan_make(b.graph, &options, &b.plan, b.why, sizeof b.why), SK_OK);
  assert_int_equal(b.plan->sk_count, 1);
  assert_int_equal(b.plan->sks[0].member_count, 3);
  assert_int_equal(sk__plan_run(b.runtime, b.plan, results, &launches), SK_OK);
  sk__findings(sk__machine_checker(sk__runtime_machine(b.runtime)), &findings);
  assert_int_equal(findings > 0, !joined);
  if (joined) check(&b, 3, 110);
}
static void test_wait_inside_orders_what_follows(void **state) {
  (void)state;
  wait_inside(true);
}
static void test_wait_inside_orders_nothing_before_it(void **state) {
  (void)state;
  wait_inside(false);
}

static void test_listing_and_json(void **state) {
  (void)state;
  bed b;
  bed_open(&b);
  launch(&b, &cube, 8, 0, 1, 1);
  launch(&b, &vector, 8, 1, 2, 10);
  sk__fuse_options options = sk__fuse_defaults();
  sk__launch_result results[16];
  plan_and_run(&b, &options, results);
  char *text = NULL;
  size_t bytes = 0;
  FILE *to = open_memstream(&text, &bytes);
  sk__plan_print(b.plan, to);
  fclose(to);
  assert_non_null(strstr(text, "  AIC: P:cube_add cube_add b11 s13\n  AIV: P:vector_add w13 vector_add\n"));
  free(text);
  json_t *json = sk__plan_json(b.plan);
  assert_non_null(json);
  json_t *scope = json_array_get(json_object_get(json, "scopes"), 0);
  assert_string_equal(json_string_value(json_object_get(scope, "type")), "MIX_1_1");
  assert_int_equal(json_array_size(json_object_get(json, "decisions")), 2);
  json_decref(json);
}

/* ---- findings about the plan ---- */

static void nothing(const void *raw) { (void)raw; }
static const sk_kernel wide = {.abi = SK_KERNEL_ABI, .type = SK_MIX_AIC_1_2, .name = "wide", .file = "t.c", .args_bytes = sizeof(args), .aic = nothing, .aiv = nothing};

static void ratio(bool repaired) {
  bed b;
  bed_open(&b);
  launch(&b, &wide, 8, 0, 1, 1);
  take_graph(&b);
  sk__fuse_options options = sk__fuse_defaults();
  options.force_aic = 16;
  options.force_aiv = repaired ? 32 : 16;
  sk__launch_result results[16];
  size_t launches = 0;
  assert_int_equal(sk__plan_make(b.graph, &options, &b.plan, b.why, sizeof b.why), SK_OK);
  assert_int_equal(sk__plan_run(b.runtime, b.plan, results, &launches), SK_OK);
  assert_int_equal(finding(&b, "H6") != NULL, !repaired);
}
static void test_ratio_below_the_operator(void **state) {
  (void)state;
  ratio(false);
}
static void test_ratio_of_the_operator(void **state) {
  (void)state;
  ratio(true);
}

static void neighbours(bool repaired) {
  static const char *const all[] = {".*_add"}, *const one[] = {"cube_.*"};
  bed b;
  bed_open(&b);
  launch(&b, &vector, 8, 0, 1, 1);
  launch(&b, &vector, 8, 1, 2, 10);
  take_graph(&b);
  for (size_t i = 0; i < b.graph->node_count; i++) b.graph->nodes[i].kernel.cap = SK_CAP_DISABLE_DCCI;
  sk__fuse_options options = sk__fuse_defaults();
  options.dcci_disable_on_kernel = repaired ? (sk__patterns){one, 1} : (sk__patterns){all, 1};
  if (repaired) options.dcci_after_kernel_end = (sk__patterns){all, 1};
  sk__launch_result results[16];
  size_t launches = 0;
  assert_int_equal(sk__plan_make(b.graph, &options, &b.plan, b.why, sizeof b.why), SK_OK);
  assert_int_equal(sk__plan_run(b.runtime, b.plan, results, &launches), SK_OK);
  assert_int_equal(finding(&b, "H15") != NULL, !repaired);
  assert_null(finding(&b, "H16"));
}
static void test_neighbours_without_a_flush(void **state) {
  (void)state;
  neighbours(false);
}
static void test_neighbours_with_a_flush(void **state) {
  (void)state;
  neighbours(true);
}

static void test_disabled_flush_of_an_old_binary(void **state) {
  (void)state;
  static const char *const all[] = {".*"};
  bed b;
  bed_open(&b);
  launch(&b, &vector, 8, 0, 1, 1);
  take_graph(&b);
  sk__fuse_options options = sk__fuse_defaults();
  options.dcci_disable_on_kernel = (sk__patterns){all, 1};
  sk__launch_result results[16];
  size_t launches = 0;
  assert_int_equal(sk__plan_make(b.graph, &options, &b.plan, b.why, sizeof b.why), SK_OK);
  assert_int_equal(sk__plan_run(b.runtime, b.plan, results, &launches), SK_OK);
  assert_non_null(finding(&b, "H16"));
}

/* ---- early start ---- */

/* The calls of an operator built for early start, gated by the configuration word it is given. */
static void wait_for_predecessor(sk__core *core) {
  if ((core->view.early_mask & 2) != 0) sk__cross_wait_system(core, 11);
  if ((core->view.early_mask & 32) != 0) sk__cross_wait_system(core, 14);
  sk__early_call(core, true);
}
static void start_successor(sk__core *core) {
  sk__early_call(core, false);
  if ((core->view.early_mask & 1) != 0) sk__cross_set_system(core, SK__PIPE_FIX, 0, 11);
  if ((core->view.early_mask & 16) != 0) sk__cross_set_system(core, SK__PIPE_MTE3, 0, 14);
}
static void early_kernel(const void *raw) {
  wait_for_predecessor(sk__self);
  add_kernel(raw);
  start_successor(sk__self);
}
static const sk_kernel early = {.abi = SK_KERNEL_ABI, .type = SK_AIV_ONLY, .name = "early", .file = "t.c", .args_bytes = sizeof(args), .aiv = early_kernel};

static void test_early_start_leaves_order_to_the_operators(void **state) {
  (void)state;
  bed b;
  bed_open(&b);
  launch(&b, &early, 8, 0, 1, 1);
  launch(&b, &early, 40, 1, 2, 10); /* idle cores stand in for the operator that has no block on them */
  launch(&b, &early, 4, 2, 3, 100);
  take_graph(&b);
  for (size_t i = 0; i < 3; i++) b.graph->nodes[i].kernel.cap = SK_CAP_EARLY_START_SET | SK_CAP_EARLY_START_WAIT;
  sk__fuse_options options = sk__fuse_defaults();
  options.early_start = 1;
  sk__launch_result results[16];
  assert_int_equal(plan_and_run(&b, &options, results), 1);
  assert_int_equal(b.plan->sks[0].queue[SK__AIV].ops[1].early_mask, 16);
  check(&b, 3, 111);
}

SK_TESTS(SK_TEST(test_chain_of_three_is_one_launch), SK_TEST(test_vector_only_chain), SK_TEST(test_none_scope_keeps_a_kernel_outside),
         SK_TEST(test_per_op_runs_each_alone_on_all_cores), SK_TEST(test_forced_to_all_cores),
         SK_TEST(test_two_streams_joined_by_events), SK_TEST(test_listing_and_json), SK_TEST(test_order_reaches_across_an_outside_operator),
         SK_TEST(test_missing_order_across_streams_is_found), SK_TEST(test_wait_inside_orders_what_follows),
         SK_TEST(test_wait_inside_orders_nothing_before_it),
         SK_TEST(test_ratio_below_the_operator), SK_TEST(test_ratio_of_the_operator),
         SK_TEST(test_neighbours_without_a_flush), SK_TEST(test_neighbours_with_a_flush),
         SK_TEST(test_disabled_flush_of_an_old_binary), SK_TEST(test_early_start_leaves_order_to_the_operators))
