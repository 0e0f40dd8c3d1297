/* Programs of graph mode, from the rules: launch type and size, what stands between two operators, events,
 * two queues. Goldens are written down from the rules by hand. */
#include "ge_text.h"

#define C8 "{'type':'AIC_ONLY','blocks':8}"
#define V8 "{'type':'AIV_ONLY','blocks':8}"
#define M8 "{'type':'MIX_AIC_1_1','blocks':8}"

/* ---- refusals ---- */

static void test_nothing_to_fuse(void **state) {
  (void)state;
  expect_failure("null", "", false, SK__GE_NO_OPS);
}

static void test_debug_numbers(void **state) {
  (void)state;
  expect_failure("[" C8 "]", "debug-aic-num=24:debug-aiv-num=12", false, SK__GE_NUM_RATIO);
  expect_failure("[" C8 "]", "debug-aic-num=100:debug-aiv-num=30", false, SK__GE_NUM_RATIO);
  expect_failure("[" V8 "]", "debug-aiv-num=49", false, SK__GE_NUM_DEVICE);
  expect_failure("[" C8 "]", "debug-aic-num=7", false, SK__GE_NUM_SUBS);
  expect_failure("[" C8 "]", "debug-aiv-num=8", false, SK__GE_NUM_SUBS);
}

static void test_events_at_the_ends(void **state) {
  (void)state;
  expect_failure("[{'type':'AIC_ONLY','blocks':8,'recv':[7]}," V8 "]", "", false, SK__GE_FIRST_RECV);
  expect_failure("[" C8 ",{'type':'AIV_ONLY','blocks':8,'send':[7]}]", "", false, SK__GE_LAST_SEND);
}

static void test_early_start_flags(void **state) {
  (void)state;
  expect_failure("[{'type':'AIC_ONLY','blocks':8,'es_set':true}]", "early-start=0", false, SK__GE_SUB_EARLY_START);
  expect_failure("[" C8 ",{'type':'AIC_ONLY','blocks':1,'dynamic':true,'es_wait':true}]", "", false, SK__GE_DYN_EARLY_START);
}

static void test_streams_need_an_event_or_two_queues(void **state) {
  (void)state;
  expect_failure("[{'type':'AIC_ONLY','blocks':8,'stream':0},{'type':'AIV_ONLY','blocks':8,'stream':1}]", "", false, SK__GE_NEED_STREAM_FUSION);
}

static void test_own_refusals(void **state) {
  (void)state;
  const char *early = "[{'type':'AIC_ONLY','blocks':8,'stream':0,'es_set':true},{'type':'AIV_ONLY','blocks':8,'stream':1}]";
  expect_failure(early, "stream-fusion=1", false, SK__GE_EARLY_START_UNUSED);
  expect_lines(early, "stream-fusion=1", true, "C P:op0 op0 | V P:op1 op1");
  const char *backward = "[{'type':'AIC_ONLY','blocks':8,'stream':0},{'type':'AIV_ONLY','blocks':8,'stream':1},"
                         "{'type':'AIV_ONLY','blocks':8,'stream':1,'recv':[9]},{'type':'AIC_ONLY','blocks':8,'stream':0,'send':[9]},"
                         "{'type':'AIV_ONLY','blocks':8,'stream':1}]";
  expect_failure(backward, "stream-fusion=1", false, SK__GE_EVENT_BACKWARD);
}

/* ---- launch ---- */

static void expect_launch(const char *subs, bool emulate, sk_kernel_type type, uint32_t blocks) {
  planned p;
  ge_plan(&p, subs, "", emulate);
  assert_int_equal(p.status, SK_OK);
  assert_int_equal(p.program.type, type);
  assert_int_equal(p.program.blocks, blocks);
  ge_free(&p);
}

static void test_launch_type_and_size(void **state) {
  (void)state;
  expect_launch("[{'type':'AIV_ONLY','blocks':40}]", false, SK_MIX_AIV_1_0, 40);
  expect_launch("[{'type':'AIC_ONLY','blocks':20},{'type':'AIV_ONLY','blocks':16}]", false, SK_MIX_AIC_1_1, 20);
  expect_launch("[{'type':'AIC_ONLY','blocks':20},{'type':'AIV_ONLY','blocks':48}]", false, SK_MIX_AIC_1_2, 24);
  expect_launch("[{'type':'MIX_AIC_1_1','blocks':10},{'type':'AIV_ONLY','blocks':30}]", false, SK_MIX_AIC_1_2, 15);
  expect_launch("[{'type':'MIX_AIC_1_1','blocks':10},{'type':'MIX_AIC_1_2','blocks':8}]", false, SK_MIX_AIC_1_2, 10);
}

static void test_two_vector_cores_stay_two(void **state) {
  (void)state;
  const char *subs = "[{'type':'MIX_AIC_1_2','blocks':4},{'type':'AIC_ONLY','blocks':24}]";
  expect_launch(subs, true, SK_MIX_AIC_1_1, 24);
  expect_launch(subs, false, SK_MIX_AIC_1_2, 24);
}

/* ---- between two operators ---- */

static void test_early_start_pairs(void **state) {
  (void)state;
  static const struct { const char *subs, *lines; } cases[] = {
      {"[" C8 "," C8 "]", "C P:op0 P:op1 op0 [s11] cfg=0 [w11] op1"},
      {"[" C8 "," V8 "]", "C P:op0 op0 [s11] cfg=1 [w11 s13] | V P:op1 cfg=1 [w13] op1"},
      {"[" C8 "," M8 "]", "C P:op0 P:op1 op0 [s11] cfg=2 [w11 s13] op1 | V P:op1 cfg=2 [w13] op1"},
      {"[" V8 "," C8 "]", "C P:op1 cfg=4 [w12] op1 | V P:op0 op0 [s14] cfg=4 [w14 s12]"},
      {"[" V8 "," V8 "]", "V P:op0 P:op1 op0 [s14] cfg=5 [w14] op1"},
      {"[" V8 "," M8 "]", "C P:op1 cfg=6 [w12] op1 | V P:op0 P:op1 op0 [s14] cfg=6 [w14 s12] op1"},
      {"[" M8 "," C8 "]", "C P:op0 P:op1 op0 [s11] cfg=8 [w11 w12] op1 | V P:op0 op0 [s14] cfg=8 [w14 s12]"},
      {"[" M8 "," V8 "]", "C P:op0 op0 [s11] cfg=9 [w11 s13] | V P:op0 P:op1 op0 [s14] cfg=9 [w14 w13] op1"},
      {"[" M8 "," M8 "]", "C P:op0 P:op1 op0 [s11] cfg=10 [w11 s13 w12] op1 | V P:op0 P:op1 op0 [s14] cfg=10 [w14 s12 w13] op1"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) expect_lines(cases[i].subs, "", false, cases[i].lines);
}

static void test_idle_cores_do_what_the_operator_does_on_busy_ones(void **state) {
  (void)state;
  expect_lines("[{'type':'MIX_AIC_1_2','blocks':8,'es_set':true},{'type':'MIX_AIC_1_1','blocks':6,'es_wait':true}]", "preload-code=none", false,
               "C op0 [s11 from core 8] cfg=10 [w11 s13 w12 from core 6] op1 | V op0 [s14 from block 8] cfg=10 [w14 s12 w13 from block 6] op1");
}

static void test_full_barriers_without_early_start(void **state) {
  (void)state;
  expect_lines("[" C8 "," C8 "]", "early-start=0", false, "C P:op0 P:op1 op0 b11 op1");
  expect_lines("[" V8 "," V8 "]", "early-start=0", false, "V P:op0 P:op1 op0 b14 op1");
  expect_lines("[" C8 "," V8 "]", "early-start=0", false, "C P:op0 op0 ALL | V P:op1 ALL op1");
}

static void test_wait_after_the_other_kind_takes_an_extra_barrier(void **state) {
  (void)state;
  const char *subs = "[" V8 ",{'type':'AIC_ONLY','blocks':8,'recv':[70]}]";
  expect_failure(subs, "preload-code=none", true, SK__GE_CRASH);
  expect_lines(subs, "preload-code=none", false, "C W:p3 b11 cfg=4 [w12] op1 0:p3 | V op0 [s14] cfg=4 [w14 s12]");
}

static void test_notify_and_wait_at_one_place(void **state) {
  (void)state;
  expect_lines("[{'type':'AIC_ONLY','blocks':8,'send':[70]},{'type':'AIV_ONLY','blocks':6,'recv':[80]}]", "preload-code=none", false,
               "C op0 [s11] cfg=1 [w11 s13] N:p2 ALL | V cfg=1 [w13] W:p4 ALL op1 0:p4");
}

/* ---- two queues ---- */

static void test_unrelated_operators_share_only_a_local_barrier(void **state) {
  (void)state;
  expect_lines("[{'type':'AIC_ONLY','blocks':8,'stream':0},{'type':'AIC_ONLY','blocks':6,'stream':1}]", "stream-fusion=1", false, "C P:op0 P:op1 op0 pipes op1");
}

static void test_first_wait_of_a_queue(void **state) {
  (void)state;
  const char *subs = "[{'type':'AIC_ONLY','blocks':8,'stream':0},{'type':'AIV_ONLY','blocks':6,'stream':1,'recv':[80]}]";
  expect_lines(subs, "stream-fusion=1:preload-code=none", true, "C op0 | V op1 0:p3");
  expect_lines(subs, "stream-fusion=1:preload-code=none", false, "C op0 | V W:p3 b14 op1 0:p3");
}

static void test_shared_event_orders_every_receiver(void **state) {
  (void)state;
  const char *subs = "[{'type':'AIC_ONLY','blocks':8,'stream':0,'send':[7]},{'type':'AIV_ONLY','blocks':6,'stream':1,'recv':[7]},"
                     "{'type':'AIV_ONLY','blocks':4,'stream':2,'recv':[7]}]";
  expect_lines(subs, "stream-fusion=1:preload-code=none", true, "C op0 b11 s13 | V op1 pipes w13 op2");
  expect_lines(subs, "stream-fusion=1:preload-code=none", false, "C op0 b11 s13 | V w13 op1 pipes op2");
}

static void test_barrier_of_selections_that_would_hang(void **state) {
  (void)state;
  /* the vector queue selects once, the cube queue never: a SyncAll of both would wait for ever */
  const char *subs = "[{'type':'AIC_ONLY','blocks':4,'stream':0},{'type':'AIV_ONLY','blocks':1,'stream':1,'dynamic':true}]";
  expect_lines(subs, "stream-fusion=1:preload-code=none", true, "C op0 | V select:op1 ALL op1? unlock:p5");
  expect_lines(subs, "stream-fusion=1:preload-code=none", false, "C op0 | V select:op1 b14 op1? unlock:p5");
}

static void test_crossed_selections_that_would_hang(void **state) {
  (void)state;
  /* one selection in each queue; the vector one stands behind a flag of a cube operator behind the other */
  const char *subs = "[{'type':'AIC_ONLY','blocks':4,'stream':0,'dynamic':true},{'type':'AIV_ONLY','blocks':4,'stream':1},"
                     "{'type':'AIC_ONLY','blocks':4,'stream':2,'send':[5]},{'type':'AIV_ONLY','blocks':4,'stream':1,'dynamic':true,'recv':[5]}]";
  expect_lines(subs, "stream-fusion=1:preload-code=none", false,
               "C select:op0 b11 op0? unlock:p4 pipes op2 b11 s13 | V op1 select:op3 b14 w13 b14 op3? unlock:p11");
}

/* ---- SyncAll of small operators ---- */

static void test_feed_publishes_and_replays(void **state) {
  (void)state;
  const char *subs = "[" C8 ",{'type':'AIC_ONLY','blocks':4,'sync_all':true}]";
  expect_lines(subs, "feed-sync-all=1:preload-code=none", false, "C zero:4096 pipes b11 feed-off op0 [s11] cfg=0 [w11] feed@64 op1+replay");
  planned p;
  ge_plan(&p, subs, "feed-sync-all=1:split-mode=1", false);
  assert_int_equal(p.status, SK_OK);
  const sk__ge_step *last = &p.program.queue[SK__AIC].items[p.program.queue[SK__AIC].count - 1];
  assert_int_equal(last->feed, SK__GE_FEED_PUBLISH_END | SK__GE_FEED_REPLAY);
  ge_free(&p);
  ge_plan(&p, subs, "feed-sync-all=1:split-mode=1", true);
  last = &p.program.queue[SK__AIC].items[p.program.queue[SK__AIC].count - 1];
  assert_int_equal(last->feed, SK__GE_FEED_REPLAY); /* nobody tells the end */
  ge_free(&p);
}

static void test_parameters_are_numbered(void **state) {
  (void)state;
  planned p;
  ge_plan(&p, "[{'type':'AIC_ONLY','blocks':8,'args':3,'send':[70]},{'type':'AIC_ONLY','blocks':1,'dynamic':true,'recv':[80]}]",
          "profiling=1:feed-sync-all=1", false);
  assert_int_equal(p.status, SK_OK);
  assert_int_equal(p.program.params[0].kernel, 1);
  assert_int_equal(p.program.params[0].notify, 4);
  assert_int_equal(p.program.params[1].kernel, 5);
  assert_int_equal(p.program.params[1].wait, 9);
  assert_int_equal(p.program.param_count, 9);
  assert_int_equal(p.program.workspace_param, 10);
  assert_int_equal(p.program.profiling_param, 11);
  assert_int_equal(p.program.task_param, 12);
  ge_free(&p);
}

static void test_names(void **state) {
  (void)state;
  planned p, other;
  const char *subs = "[{'type':'AIC_ONLY','blocks':8,'name':'a','send':[70]},{'type':'AIV_ONLY','blocks':8,'name':'b','recv':[80]},{'type':'AIV_ONLY','blocks':8,'name':'c'}]";
  const char *renumbered = "[{'type':'AIC_ONLY','blocks':8,'name':'a','send':[1]},{'type':'AIV_ONLY','blocks':8,'name':'b','recv':[2]},{'type':'AIV_ONLY','blocks':8,'name':'c'}]";
  ge_plan(&p, subs, "", false);
  ge_plan(&other, renumbered, "early-start=0", false);
  assert_string_equal(p.program.name, other.program.name); /* neither event ids nor options count */
  assert_string_equal(sk__ge_symbol(&p.program, 0, 0, &p.arena), "a_start");
  assert_string_equal(sk__ge_symbol(&p.program, 1, 2, &p.arena), "b_middle_split2");
  assert_string_equal(sk__ge_symbol(&p.program, 2, 0, &p.arena), "c_end");
  ge_free(&p);
  ge_free(&other);
}

SK_TESTS(SK_TEST(test_nothing_to_fuse), SK_TEST(test_debug_numbers), SK_TEST(test_events_at_the_ends), SK_TEST(test_early_start_flags),
         SK_TEST(test_streams_need_an_event_or_two_queues), SK_TEST(test_own_refusals), SK_TEST(test_launch_type_and_size),
         SK_TEST(test_two_vector_cores_stay_two), SK_TEST(test_early_start_pairs), SK_TEST(test_idle_cores_do_what_the_operator_does_on_busy_ones),
         SK_TEST(test_full_barriers_without_early_start), SK_TEST(test_wait_after_the_other_kind_takes_an_extra_barrier),
         SK_TEST(test_notify_and_wait_at_one_place), SK_TEST(test_unrelated_operators_share_only_a_local_barrier),
         SK_TEST(test_first_wait_of_a_queue), SK_TEST(test_shared_event_orders_every_receiver), SK_TEST(test_barrier_of_selections_that_would_hang),
         SK_TEST(test_crossed_selections_that_would_hang), SK_TEST(test_feed_publishes_and_replays), SK_TEST(test_parameters_are_numbered),
         SK_TEST(test_names))
