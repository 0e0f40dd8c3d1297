/* Which nodes end up in which SK: marker sets, first split, batch mode, deadlocks, launches, boundaries. */
#include "graph_text.h"

static sk__fuse_options vendor(void) {
  sk__fuse_options options = sk__fuse_defaults();
  options.emulate_vendor_defects = true;
  return options;
}

/* ---- marker sets ---- */

static void test_without_markers_everything_is_fused(void **state) {
  (void)state;
  assert_sks(plan_of("0a:C8 0b:V8"), "a b");
}
static void test_none_scope_is_left_out(void **state) {
  (void)state;
  sk__plan *plan = plan_of("0B() 0a:C8 0E() 0b:C8");
  assert_sks(plan, "b");
  assert_reason(plan, "a", "IN_UNFUSIBLE_SCOPE");
}
static void test_named_scopes_exclude_the_rest(void **state) {
  (void)state;
  sk__plan *plan = plan_of("0B(A) 0a:C8 0E(A) 0b:C8 0B(A) 0c:C8 0E(A)");
  assert_sks(plan, "a | c");
  assert_reason(plan, "b", "NOT_IN_SCOPE");
  assert_string_equal(plan->sks[0].name, "sk_0_A_start_a_end_a");
}
static void test_only_equal_sets_share_an_sk(void **state) {
  (void)state;
  assert_sks(plan_of("0B(A) 0a:C8 0B(B) 0b:C8 0E(B) 0c:C8 0E(A) 0d:C8"), "a | b | c");
  assert_sks(plan_of("0B(A) 0B(B) 0a:C8 0E(A) 0b:C8 0E(B)"), "a | b");
  assert_sks(plan_of("0B(A) 0B(A) 0a:C8 0E(A) 0b:C8 0E(A)"), "a b");
}
static void test_none_scope_wins_over_names(void **state) {
  (void)state;
  sk__plan *plan = plan_of("0B(A) 0a:C8 0B() 0b:C8 0E(A) 0c:C8 0E()");
  assert_sks(plan, "a");
  assert_reason(plan, "b", "IN_UNFUSIBLE_SCOPE");
  assert_reason(plan, "c", "IN_UNFUSIBLE_SCOPE");
}
static void test_scope_covers_other_streams(void **state) {
  (void)state;
  assert_sks(plan_of("0B(A) 1a:C8 0E(A)"), "a");
}
/* At most 1,024 names; behind them every marker is lost, also of a name that is known, and a placeholder registers its name too. */
static void test_names_beyond_the_limit(void **state) {
  (void)state;
  char *text = NULL;
  size_t bytes = 0;
  FILE *to = open_memstream(&text, &bytes);
  for (int i = 0; i < 1023; i++) fprintf(to, "0B(n%d) 0E(n%d) ", i, i);
  fprintf(to, "0P(p) 0B(n0) 0a:C8 0E(n0) 0B() 0B(q) 0b:C8 0B() 0c:C8 0E() 0E(q) 0E()");
  fclose(to);
  sk__plan *plan = plan_of(text);
  const char *const wanted[] = {"EXCEED_SCOPE_MAX", "EXCEED_SCOPE_MAX", "IN_UNFUSIBLE_SCOPE"}; /* the scope opened last gives the reason */
  size_t found = 0;
  for (size_t i = 0; i < plan->graph->node_count; i++)
    if (plan->graph->nodes[i].marker == SK__NO_MARKER) assert_string_equal(sk__why_of(&plan->decisions[i]).reason, wanted[found++]);
  assert_int_equal(found, 3);
  sk__plan_free(plan);
  free(text);
}

static void test_text_none_is_a_name(void **state) {
  (void)state;
  assert_sks(plan_of("0B(None) 0a:C8 0E(None) 0b:C8"), "a");
}
static void test_unpaired_markers_are_refused(void **state) {
  (void)state;
  assert_no_plan("0a:C8 0E(A) 0b:C8", sk__fuse_defaults(), "no open begin");
  assert_no_plan("0B(A) 0a:C8", sk__fuse_defaults(), "never ended");
  sk__plan *plan = plan_with("0a:C8 0E(A) 0b:C8", vendor()); /* the name is known all the same */
  assert_int_equal(plan->sk_count, 0);
  assert_reason(plan, "b", "NOT_IN_SCOPE");
}

/* ---- first split ---- */

static void test_unfusible_node_ends_its_stream_only(void **state) {
  (void)state;
  assert_sks(plan_of("0a:C8 0b:C8 0x:C8! 0d:C8"), "a b | d");
  assert_sks(plan_of("0a:C8 1b:V8 0c:C8 1d:V8"), "a b c d");
  assert_sks(plan_of("0a:C8 0x:C8! 1c:V8 1d:V8 1e:V8 0f:C8"), "a c d e | f");
}
static void test_wait_is_taken_behind_its_record(void **state) {
  (void)state;
  assert_sks(plan_of("1b:C8 0W(x) 1N(x) 0d:C8"), "b d");
}
static void test_released_tail_of_another_stream(void **state) {
  (void)state;
  assert_sks(plan_of("0a:C8 0N(x) 1x:C8! 1W(x) 1e:C8"), "a e");
}
static void test_streams_kept_apart_on_request(void **state) {
  (void)state;
  sk__fuse_options options = sk__fuse_defaults();
  options.stream_fusion = 0;
  assert_sks(plan_with("0a:C8 1b:V8 0c:C8 1d:V8", options), "a b c d");
  options.strict_stream_fusion = true;
  assert_sks(plan_with("0a:C8 1b:V8 0c:C8 1d:V8", options), "a c | b d");
}
static void test_streams_of_events_only_stay_outside(void **state) {
  (void)state;
  sk__plan *plan = plan_of("0a:C8 0N(x) 1W(x) 1N(y) 0W(y) 0b:C8 0R(x) 0R(y)");
  assert_sks(plan, "a N | b");
  assert_string_equal(sk__why_of(&plan->decisions[2]).reason, "ISOLATED_EVENT");
}
static void test_value_tasks(void **state) {
  (void)state;
  sk__fuse_options options = sk__fuse_defaults();
  assert_sks(plan_with("0a:C8 0w(x=1) 0b:C8", options), "a N b");
  assert_sks(plan_with("0a:C8 0w(x=1) 0u(x=1) 0b:C8", options), "a | b");
  options.value_breaker_bypass = 1;
  assert_sks(plan_with("0a:C8 0w(x=1) 0b:C8 1u(x=1) 1c:C8", options), "a b c");
  assert_no_plan("0a:C8 0u(x=1) 0u(x=2) 0w(x=1)", options, "different things");
  assert_no_plan("0a:C8 0u(x=1) 0w(x=1) 0w(x=1)", options, "both release");
}
static void test_value_task_does_not_escape_its_scope(void **state) {
  (void)state;
  const char *graph = "0B(A) 0a:C8 0E(A) 0w(x=1)";
  sk__plan *own = plan_of(graph);
  assert_string_equal(sk__why_of(&own->decisions[3]).reason, "NOT_IN_SCOPE");
  sk__plan *theirs = plan_with(graph, vendor());
  assert_string_equal(sk__why_of(&theirs->decisions[3]).reason, "ISOLATED_EVENT"); /* it was fusible for a moment */
}
static void test_other_tasks(void **state) {
  (void)state;
  assert_sks(plan_of("0a:C8 1D 0b:C8 1D"), "a b");
  assert_sks(plan_of("0a:C8 0D 0b:C8"), "a | b");
  sk__fuse_options options = sk__fuse_defaults();
  options.task_breaker_bypass = 1;
  assert_sks(plan_with("0a:C8 0N(x) 1W(x) 1D 1N(y) 0W(y) 0b:C8 0R(x) 0R(y)", options), "a N W b");
}

/* ---- batch mode ---- */

static void test_batch_kernels_meet_their_own_size(void **state) {
  (void)state;
  assert_sks(plan_of("0a:C8* 0b:C4* 0c:C2*"), "a | b | c");
  assert_sks(plan_of("0a:C2* 0b:C4* 0c:C8*"), "a | b | c");
  assert_sks(plan_of("0a:C4* 0b:C4* 0c:C4*"), "a b c");
  assert_sks(plan_of("0a:C8 0b:C4 0c:C2"), "a b c");
  assert_sks(plan_of("0a:C8* 0b:C2 0c:C4*"), "a b | c");
  assert_sks(plan_of("0a:C4* 0b:V8* 0c:C8*"), "a b | c");
  assert_sks(plan_of("0a:C4* 0b:C8"), "a | b");
  assert_sks(plan_of("0a:C4 0b:C8*"), "a b");
  assert_sks(plan_of("0a:C8* 0b:C4*^8"), "a b");
}

/* ---- deadlocks ---- */

static void test_first_wait_is_cut_off(void **state) {
  (void)state;
  assert_sks(plan_of("1o:C8! 1N(x) 0W(x) 0a:C8 0R(x)"), "a");
}
static void test_outside_kernel_too_big(void **state) {
  (void)state;
  sk__plan *plan = plan_of("1o:C8! 1N(x) 0a:C20 0W(x) 0b:C24 0R(x)");
  assert_sks(plan, "a | b");
  assert_string_equal(sk__why_of(&plan->decisions[3]).reason, "EXIST_DEADLOCK");
  assert_string_equal(sk__why_of(&plan->decisions[3]).sub_reason, "KERNEL_INSUFFICIENT_CORES");
  assert_non_null(sk__why_of(&plan->decisions[3]).advice);
}
static void test_outside_kernel_that_fits(void **state) {
  (void)state;
  assert_sks(plan_of("1o:C8! 1N(x) 0a:C8 0W(x) 0b:C16 0R(x)"), "a W b");
  assert_sks(plan_of("1o:C8! 1N(x) 0a:C8 0W(x) 0b:C20 0R(x)"), "a | b");
}
static void test_kernel_larger_than_the_device(void **state) {
  (void)state;
  assert_no_plan("0a:C30", sk__fuse_defaults(), "more cores");
}
static void test_event_without_reset(void **state) {
  (void)state;
  assert_no_plan("0a:C8 0N(x) 1W(x) 1o:C8!", sk__fuse_defaults(), "a reset");
}

/* ---- launch type and size ---- */

static void launch(const char *graph, sk_kernel_type type, uint32_t blocks) {
  sk__plan *plan = plan_of(graph);
  assert_int_equal(plan->sk_count, 1);
  assert_int_equal(plan->sks[0].type, type);
  assert_int_equal(plan->sks[0].blocks, blocks);
}
static void test_launch_types(void **state) {
  (void)state;
  launch("0a:V40", SK_AIV_ONLY, 40);
  launch("0a:C20 0b:V16", SK_MIX_AIC_1_1, 20);
  launch("0a:C20 0b:V48", SK_MIX_AIC_1_2, 24);
  launch("0a:m10 0b:V30", SK_MIX_AIC_1_2, 15);
  launch("0a:m10 0b:M8", SK_MIX_AIC_1_2, 10);
  launch("0a:M4 0b:C24", SK_MIX_AIC_1_2, 24);
}
static void test_one_to_one_kernel_is_doubled_in_a_one_to_two_launch(void **state) {
  (void)state;
  sk__plan *plan = plan_of("0a:m10 0b:V30");
  assert_int_equal(plan->sks[0].queue[SK__AIC].ops[1].blocks, 10);
  assert_int_equal(plan->sks[0].queue[SK__AIV].ops[1].blocks, 20);
}
static void test_per_op_maximum(void **state) {
  (void)state;
  sk__fuse_options options = sk__fuse_defaults();
  options.debug_per_op_max_core_num = 1;
  sk__plan *plan = plan_with("0a:C8 0b:V5 0c:V5*", options);
  assert_int_equal(plan->sk_count, 3);
  for (int i = 0; i < 3; i++) assert_int_equal(plan->sks[i].type, SK_MIX_AIC_1_2);
  assert_int_equal(plan->sks[0].blocks, 24);
  assert_int_equal(plan->sks[1].blocks, 24);
  assert_int_equal(plan->sks[2].blocks, 3);
}
static void test_forced_counts(void **state) {
  (void)state;
  sk__fuse_options options = sk__fuse_defaults();
  options.force_aic = 24;
  options.force_aiv = 36;
  assert_no_plan("0a:C8", options, "legal ratios");
  options.force_aiv = 0;
  assert_no_plan("0a:C8 0b:V8", options, "asked for");
  options.force_aiv = 48;
  sk__plan *plan = plan_with("0a:C8 0b:V8", options);
  assert_int_equal(plan->sks[0].type, SK_MIX_AIC_1_2);
  assert_int_equal(plan->sks[0].blocks, 24);
}

/* ---- boundaries ---- */

static void test_single_stream_launches_at_its_first_kernel(void **state) {
  (void)state;
  sk__plan *plan = plan_of("0o:C1! 0a:C2 0b:C2 0p:C1!");
  assert_int_equal(plan->sks[0].main.value, 1);
}
static void test_main_and_entry_of_two_streams(void **state) {
  (void)state;
  sk__plan *plan = plan_of("0o:C1! 1p:C1! 0a:C2 1b:V2 0c:C2 1d:V2 0e:C2 0q:C1! 1r:C1!");
  assert_sks(plan, "a b c d e");
  assert_int_equal(plan->sks[0].main.value, 5); /* the second node of stream 1 */
  assert_int_equal(plan->decisions[5].fate, SK__LAUNCHES_SK);
  assert_queue(plan, "AIC", "P:a a b11 P:c c b11 P:e e ALL R:s0.front0 N:s0.back0");
}
static void test_too_few_tasks_for_the_boundary(void **state) {
  (void)state;
  sk__plan *plan = plan_of("0o:C1! 1p:C1! 0a:C2 1b:V2 0q:C1! 1r:C1!");
  assert_int_equal(plan->sk_count, 0);
  assert_reason(plan, "a", "SCOPE_FUSE_PART/RESOURCE_INSUFFICIENT");
}

SK_TESTS(SK_TEST(test_without_markers_everything_is_fused), SK_TEST(test_none_scope_is_left_out), SK_TEST(test_named_scopes_exclude_the_rest),
         SK_TEST(test_only_equal_sets_share_an_sk), SK_TEST(test_none_scope_wins_over_names), SK_TEST(test_scope_covers_other_streams),
         SK_TEST(test_names_beyond_the_limit), SK_TEST(test_text_none_is_a_name), SK_TEST(test_unpaired_markers_are_refused), SK_TEST(test_unfusible_node_ends_its_stream_only),
         SK_TEST(test_wait_is_taken_behind_its_record), SK_TEST(test_released_tail_of_another_stream),
         SK_TEST(test_streams_kept_apart_on_request), SK_TEST(test_streams_of_events_only_stay_outside), SK_TEST(test_value_tasks),
         SK_TEST(test_value_task_does_not_escape_its_scope), SK_TEST(test_other_tasks), SK_TEST(test_batch_kernels_meet_their_own_size),
         SK_TEST(test_first_wait_is_cut_off), SK_TEST(test_outside_kernel_too_big), SK_TEST(test_outside_kernel_that_fits),
         SK_TEST(test_kernel_larger_than_the_device), SK_TEST(test_event_without_reset), SK_TEST(test_launch_types),
         SK_TEST(test_one_to_one_kernel_is_doubled_in_a_one_to_two_launch), SK_TEST(test_per_op_maximum), SK_TEST(test_forced_counts),
         SK_TEST(test_single_stream_launches_at_its_first_kernel), SK_TEST(test_main_and_entry_of_two_streams),
         SK_TEST(test_too_few_tasks_for_the_boundary))
