/* Queues: what stands between the tasks of an SK. Expected rows were derived by hand from the rules. */
#include "graph_text.h"

static void both(const char *graph, const char *aic, const char *aiv) {
  sk__plan *plan = plan_of(graph);
  assert_int_equal(plan->sk_count, 1);
  assert_queue(plan, "AIC", aic);
  assert_queue(plan, "AIV", aiv);
  sk__plan_free(plan);
}

static void test_two_tasks_of_each_pair_of_types(void **state) {
  (void)state;
  both("0a:C8 0b:C8", "P:a a P:b b11 b", "");
  both("0a:V8 0b:V8", "", "P:a a P:b b14 b");
  both("0a:C8 0b:V8", "P:a a b11 s13", "P:b w13 b");
  both("0a:V8 0b:C8", "P:b w12 b", "P:a a b14 s12");
  both("0a:M8 0b:C8", "P:a a P:b b11 w12 b", "P:a a b14 s12");
  both("0a:M8 0b:V8", "P:a a b11 s13", "P:a a P:b b14 w13 b");
  both("0a:C8 0b:M8", "P:a a P:b b11 s13 b", "P:b w13 b");
  both("0a:V8 0b:M8", "P:b w12 b", "P:a a P:b b14 s12 b");
  both("0a:M8 0b:M8", "P:a a P:b b11 s13 w12 b", "P:a a P:b b14 s12 w13 b");
}

static void test_three_tasks_of_one_stream(void **state) {
  (void)state;
  both("0a:C8 0b:V8 0c:C8", "P:a a b11 s13 P:c w12 c", "P:b w13 b b14 s12");
}

static void test_independent_streams_only_share_barriers(void **state) {
  (void)state;
  both("0a:C8 1b:V8", "P:a a b11", "P:b b");
}

static void test_event_becomes_one_flag(void **state) {
  (void)state;
  both("0a:C8 1b:V8 0N(x) 1W(x) 0c:C8 1d:V8", "P:a a b11 s13 P:c c b11", "P:b b b14 P:d w13 d");
}

static void test_one_flag_serves_two_receivers(void **state) {
  (void)state;
  both("0a:C8 0N(x) 0N(y) 1W(x) 1b:V8 1W(y) 1c:V8", "P:a a b11 s13", "P:b w13 b P:c b14 c");
}

static void test_crossed_flags_are_dropped(void **state) {
  (void)state;
  both("0a:C8 0N(x) 0b:C8 0N(y) 1W(y) 1c:V8 1W(x) 1d:V8", "P:a a P:b b11 b b11 s13", "P:c w13 c P:d b14 d");
}

static void test_last_of_two_senders_counts(void **state) {
  (void)state;
  both("0a:C8 0N(x) 2b:C8 2N(y) 1W(x) 1W(y) 1c:V8", "P:a a P:b b11 b b11 s13", "P:c w13 c");
}

static void test_wait_for_the_outside_takes_the_barrier(void **state) {
  (void)state;
  both("1o:C4! 1N(x) 0a:C8 0W(x) 0b:C8 0R(x)", "P:a a W:e0x78 P:b b11 b", "");
}

static void test_record_before_a_wait_keeps_its_barrier(void **state) {
  (void)state;
  const char *graph = "1o:C1! 1N(y) 0a:C8 0N(x) 0W(y) 0b:C8 0R(x) 0R(y) 2p:C1! 2W(x)";
  both(graph, "P:a a b11 N:e0x78 W:e0x79 P:b b11 b", "");
  sk__fuse_options vendor = sk__fuse_defaults();
  vendor.emulate_vendor_defects = true;
  sk__plan *plan = plan_with(graph, vendor);
  assert_queue(plan, "AIC", "P:a a N:e0x78 W:e0x79 P:b b11 b");
}

static void test_sync_all_replaces_everything(void **state) {
  (void)state;
  sk__fuse_options options = sk__fuse_defaults();
  options.debug_sync_all = 1;
  options.early_start = 1;
  sk__plan *plan = plan_with("0a:C8^2 0b:V8^1", options);
  assert_queue(plan, "AIC", "P:a a ALL ALL");
  assert_queue(plan, "AIV", "P:b ALL b ALL");
}

static void test_early_start_leaves_the_barrier_to_the_operators(void **state) {
  (void)state;
  sk__fuse_options options = sk__fuse_defaults();
  options.early_start = 1;
  sk__plan *plan = plan_with("0a:C8^2 0b:C4^1", options);
  assert_queue(plan, "AIC", "P:a a P:b [set 11, count 8] [wait 11, count 4] b");
  assert_int_equal(plan->sks[0].queue[0].ops[1].early_mask, 1);
  assert_int_equal(plan->sks[0].queue[0].ops[5].early_mask, 2);
  assert_queue(plan_with("0a:C8^2 0b:C4", options), "AIC", "P:a a P:b [set 11, count 8] [wait 11, count 0] b");
  assert_queue(plan_with("0a:C8 0b:C4^1", options), "AIC", "P:a a P:b [set 11, count 0] [wait 11, count 4] b");
  assert_queue(plan_of("0a:C8^2 0b:C4^1"), "AIC", "P:a a P:b b11 b");
}

static void test_flush_words(void **state) {
  (void)state;
  static const char *const all[] = {".*"}, *const only_b[] = {"b"};
  sk__fuse_options options = sk__fuse_defaults();
  sk__plan *plan = plan_with("0a:C8 0b:C8^4", options);
  assert_int_equal(plan->sks[0].queue[0].ops[1].debug, SK__FUNC_DO_AFTER_FLUSH);
  assert_int_equal(plan->sks[0].queue[0].ops[4].debug, SK__FUNC_DISABLE_DCCI);
  options.dcci_disable_on_kernel = (sk__patterns){all, 1};
  options.dcci_before_kernel_start = (sk__patterns){only_b, 1};
  plan = plan_with("0a:C8 0b:C8^4", options);
  assert_int_equal(plan->sks[0].queue[0].ops[1].debug, SK__FUNC_DISABLE_DCCI | SK__FUNC_DCCI_AFTER | SK__FUNC_DO_AFTER_FLUSH);
  assert_int_equal(plan->sks[0].queue[0].ops[4].debug, SK__FUNC_DISABLE_DCCI | SK__FUNC_DCCI_BEFORE);
}

SK_TESTS(SK_TEST(test_two_tasks_of_each_pair_of_types), SK_TEST(test_three_tasks_of_one_stream),
         SK_TEST(test_independent_streams_only_share_barriers), SK_TEST(test_event_becomes_one_flag),
         SK_TEST(test_one_flag_serves_two_receivers), SK_TEST(test_crossed_flags_are_dropped), SK_TEST(test_last_of_two_senders_counts),
         SK_TEST(test_wait_for_the_outside_takes_the_barrier), SK_TEST(test_record_before_a_wait_keeps_its_barrier),
         SK_TEST(test_sync_all_replaces_everything), SK_TEST(test_early_start_leaves_the_barrier_to_the_operators), SK_TEST(test_flush_words))
