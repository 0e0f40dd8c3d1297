/* SKs that run at the same time as work outside of them: they wait inside for what waits for an event they record. First what
 * can never end, then results equal to un-fused ones in every schedule and with one and two host threads, and the order that
 * events give in both directions. */
#include "fuse/ge/ge.h"
#include "run_bed.h"

static void *new_stream(void) {
  void *stream = NULL;
  assert_int_equal(aclrtCreateStream(&stream), ACL_SUCCESS);
  return stream;
}

/* `to` comes after what `from` has so far. */
static void join(void *from, void *to) {
  void *event = NULL;
  assert_int_equal(aclrtCreateEvent(&event), ACL_SUCCESS);
  assert_int_equal(aclrtRecordEvent(event, from), ACL_SUCCESS);
  assert_int_equal(aclrtStreamWaitEvent(to, event), ACL_SUCCESS);
  assert_int_equal(aclrtDestroyEvent(event), ACL_SUCCESS);
}

static void launch_on(bed *b, void *stream, const sk_kernel *kernel, uint32_t blocks, int from, int to, uint32_t add) {
  b->stream = stream;
  launch(b, kernel, blocks, from, to, add);
}

static const char *finding_text(const bed *b) {
  size_t count = 0;
  const sk__finding *findings = sk__findings(sk__machine_checker(sk__runtime_machine(b->runtime)), &count);
  for (size_t i = 0; i < count; i++) print_message("finding %s: %s\n", findings[i].id, findings[i].message);
  return count == 1 ? findings[0].message : "";
}

static void refill(const bed *b) {
  uint32_t start[SLOTS * 8];
  for (uint32_t i = 0; i < SLOTS * 8; i++) start[i] = i;
  for (int i = 0; i < 4; i++)
    assert_int_equal(aclrtMemcpy(b->buffer[i], sizeof start, start, sizeof start, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
}

/* Every schedule, with one and two host threads. */
static const char *const schedules[] = {"in-order", "reversed", "random:1", "random:2", "random:3", "slow-consumer", "slow-aiv1", "waves"};
static void configure(const bed *b, size_t number) {
  sk__machine *machine = sk__runtime_machine(b->runtime);
  sk__machine_options options = *sk__machine_options_of(machine);
  assert_int_equal(sk__schedule_parse(schedules[number / 2], &options.schedule), SK_OK);
  options.threads = 1 + number % 2;
  sk__machine_configure(machine, &options);
}
enum { CONFIGURATIONS = 2 * sizeof schedules / sizeof schedules[0] };

/* ---- captured graph: the side stream has copies only ---- */

static sk__plan *plan_bypassing(bed *b) {
  if (b->graph == NULL) take_graph(b);
  sk__fuse_options options = sk__fuse_defaults();
  options.task_breaker_bypass = 1;
  assert_int_equal(sk__plan_make(b->graph, &options, &b->plan, b->why, sizeof b->why), SK_OK);
  return b->plan;
}

static void copy(bed *b, void *stream, int from, int to) {
  assert_int_equal(aclrtMemcpyAsync(b->buffer[to], SLOTS * 32, b->buffer[from], SLOTS * 32, ACL_MEMCPY_DEVICE_TO_DEVICE, stream), ACL_SUCCESS);
}

static void run_everywhere(bed *b, size_t wanted, int buffer, uint32_t added) {
  for (size_t i = 0; i < CONFIGURATIONS; i++) {
    sk__launch_result results[16];
    size_t launches = 0;
    refill(b);
    sk__runtime_join_streams(b->runtime);
    configure(b, i);
    sk_status status = sk__plan_run(b->runtime, b->plan, results, &launches);
    finding_text(b);
    if (status != SK_OK) fail_msg("%s, %zu threads: %s", schedules[i / 2], 1 + i % 2, sk_status_text(status));
    assert_null(finding(b, "DEADLOCK"));
    assert_int_equal(launches, wanted);
    check(b, buffer, added);
  }
}

/* s0: a N . W b;  s1: W copy N */
static void test_one_round(void **state) {
  (void)state;
  bed b;
  bed_open(&b);
  void *first = b.stream, *side = new_stream();
  launch_on(&b, first, &cube, 8, 0, 1, 1);
  join(first, side);
  copy(&b, side, 1, 2);
  join(side, first);
  launch_on(&b, first, &vector, 8, 2, 3, 10);
  assert_int_equal(plan_bypassing(&b)->sk_count, 1);
  run_everywhere(&b, 1, 3, 11);
}

static void test_two_rounds(void **state) {
  (void)state;
  bed b;
  bed_open(&b);
  void *first = b.stream, *side = new_stream();
  launch_on(&b, first, &vector, 40, 0, 1, 1);
  join(first, side);
  copy(&b, side, 1, 2);
  join(side, first);
  launch_on(&b, first, &cube, 8, 2, 3, 10);
  join(first, side);
  copy(&b, side, 3, 0);
  join(side, first);
  launch_on(&b, first, &vector, 8, 0, 2, 100);
  assert_int_equal(plan_bypassing(&b)->sk_count, 1);
  run_everywhere(&b, 1, 2, 111);
}

/* Without the events the SuperKernel does not wait, and its last operator reads what was there before. */
static void test_nothing_stands_without_a_circle(void **state) {
  (void)state;
  bed b;
  bed_open(&b);
  void *first = b.stream, *side = new_stream();
  launch_on(&b, first, &cube, 8, 0, 1, 1);
  copy(&b, side, 3, 2);
  join(side, first);
  launch_on(&b, first, &vector, 8, 2, 3, 10);
  assert_int_equal(plan_bypassing(&b)->sk_count, 1);
  run_everywhere(&b, 1, 3, 10);
}

/* ---- graph mode: kernels of another stream that no SK takes in ---- */

typedef struct side_by_side {
  bed b;
  void *first, *side;
  sk__ge_plan *plan;
} side_by_side;

static void ge_open(side_by_side *s) {
  bed_open(&s->b);
  s->first = s->b.stream;
  s->side = new_stream();
  assert_int_equal(aclskScopeBegin("s", s->first), ACL_SUCCESS);
}

static const char *options_of(void *context, const char *scope) {
  (void)scope;
  return context;
}

/* Kernels of the side stream can be called from no SK. */
static void ge_plan(side_by_side *s, const char *options, size_t sks) {
  assert_int_equal(aclskScopeEnd("s", s->first), ACL_SUCCESS);
  take_graph(&s->b);
  for (size_t i = 0; i < s->b.graph->node_count; i++)
    if (s->b.graph->nodes[i].task->stream != s->b.graph->nodes[0].task->stream) s->b.graph->nodes[i].kernel.bound = false;
  char why[512] = "";
  sk_status status = sk__ge_plan_make(s->b.graph, options_of, (void *)(uintptr_t)options, false, &s->plan, why, sizeof why);
  if (status != SK_OK) fail_msg("%s", why);
  size_t count = 0;
  sk__ge_plan_programs(s->plan, &count);
  assert_int_equal(count, sks);
}

static sk_status ge_run(side_by_side *s, size_t *launches) {
  sk__launch_result results[16];
  sk__runtime_join_streams(s->b.runtime);
  return sk__ge_plan_run(s->b.runtime, s->plan, results, launches);
}

/* a on the SK's stream, x outside, b in the SK: a -> x -> b. x has `blocks` of its kind. */
static void sandwich(side_by_side *s, const sk_kernel *kind, uint32_t first_blocks, uint32_t blocks) {
  ge_open(s);
  launch_on(&s->b, s->first, &vector, first_blocks, 0, 1, 1);
  join(s->first, s->side);
  launch_on(&s->b, s->side, kind, blocks, 1, 2, 10);
  join(s->side, s->first);
  launch_on(&s->b, s->first, &vector, 8, 2, 3, 100);
  ge_plan(s, "early-start=0", 1);
}

/* What waits needs vector cores, and the SK has them all. */
static void test_no_core_is_left_for_what_is_waited_for(void **state) {
  (void)state;
  side_by_side s;
  size_t launches = 0;
  sandwich(&s, &vector, 48, 5);
  assert_int_equal(ge_run(&s, &launches), SK_DEADLOCK);
  assert_non_null(finding(&s.b, "H39"));
  assert_non_null(strstr(finding(&s.b, "H39")->message, "'vector_add', which has to run first, cannot start"));
  assert_non_null(strstr(finding(&s.b, "H39")->message, "of 48 AIV there are 0 left"));
}
/* The same with cores left, of its own type or of the other. */
static void in_every_configuration(side_by_side *s, size_t wanted, int buffer, uint32_t added) {
  for (size_t i = 0; i < CONFIGURATIONS; i++) {
    size_t launches = 0;
    refill(&s->b);
    configure(&s->b, i);
    sk_status status = ge_run(s, &launches);
    assert_string_equal(finding_text(&s->b), "");
    if (status != SK_OK) fail_msg("%s, %zu threads: %s", schedules[i / 2], 1 + i % 2, sk_status_text(status));
    assert_int_equal(launches, wanted);
    check(&s->b, buffer, added);
  }
}
static void test_cores_that_are_left_are_enough(void **state) {
  (void)state;
  side_by_side s;
  sandwich(&s, &vector, 40, 5);
  in_every_configuration(&s, 2, 3, 111);
}
static void test_fewer_cores_than_blocks_take_turns(void **state) {
  (void)state;
  side_by_side s;
  sandwich(&s, &vector, 46, 30);
  in_every_configuration(&s, 2, 3, 111);
}
static void test_cores_of_the_other_type_are_free(void **state) {
  (void)state;
  side_by_side s;
  sandwich(&s, &cube, 48, 24);
  in_every_configuration(&s, 2, 3, 111);
}

static void test_two_rounds_with_kernels(void **state) {
  (void)state;
  side_by_side s;
  ge_open(&s);
  launch_on(&s.b, s.first, &vector, 20, 0, 1, 1);
  join(s.first, s.side);
  launch_on(&s.b, s.side, &vector, 9, 1, 2, 10);
  join(s.side, s.first);
  launch_on(&s.b, s.first, &vector, 20, 2, 3, 100);
  join(s.first, s.side);
  launch_on(&s.b, s.side, &vector, 9, 3, 0, 1000);
  join(s.side, s.first);
  launch_on(&s.b, s.first, &vector, 7, 0, 1, 10000);
  ge_plan(&s, "early-start=0", 1);
  in_every_configuration(&s, 3, 1, 11111);
}

/* The first sub-kernel of another stream waits before the SK starts: for work that comes behind a sub-kernel of that SK. */
static void test_a_wait_in_front_of_the_launch_never_ends(void **state) {
  (void)state;
  side_by_side s;
  ge_open(&s);
  void *third = new_stream();
  launch_on(&s.b, s.first, &vector, 8, 0, 1, 1);
  join(s.first, s.side);
  launch_on(&s.b, s.side, &cube, 5, 1, 2, 10);
  join(s.side, third);
  launch_on(&s.b, third, &vector, 8, 2, 3, 100);
  join(third, s.first);
  launch_on(&s.b, s.first, &vector, 8, 3, 0, 1000);
  assert_int_equal(aclskScopeEnd("s", s.first), ACL_SUCCESS);
  take_graph(&s.b);
  for (size_t i = 0; i < s.b.graph->node_count; i++)
    if (s.b.graph->nodes[i].type == SK__NODE_KERNEL && s.b.graph->nodes[i].kernel.type == SK_AIC_ONLY) s.b.graph->nodes[i].kernel.bound = false;
  char why[512] = "";
  assert_int_equal(sk__ge_plan_make(s.b.graph, options_of, (void *)(uintptr_t)"stream-fusion=1:early-start=0", false, &s.plan, why, sizeof why), SK_OK);
  size_t launches = 0;
  assert_int_equal(ge_run(&s, &launches), SK_DEADLOCK);
  assert_non_null(strstr(finding_text(&s.b), "never starts"));
}

/* ---- the estimate ---- */

static const sk__launch_result *result_of(const sk__launch_result *results, size_t count, bool is_sk) {
  for (size_t i = 0; i < count; i++)
    if (results[i].is_sk == is_sk) return &results[i];
  fail_msg("no such launch");
  return NULL;
}
static void run_once(side_by_side *s, sk__launch_result *results, size_t *launches) {
  refill(&s->b);
  sk__runtime_join_streams(s->b.runtime);
  assert_int_equal(sk__ge_plan_run(s->b.runtime, s->plan, results, launches), SK_OK);
  assert_int_equal(*launches, 2);
}

/* a, x with its launch gap, b: one after another in the time that the SuperKernel takes, and x takes none beside that. */
static void test_the_time_it_stands_is_counted(void **state) {
  (void)state;
  side_by_side s;
  sk__launch_result results[16];
  size_t launches = 0;
  sandwich(&s, &vector, 40, 1);
  run_once(&s, results, &launches);
  const sk__launch_result *sk = result_of(results, launches, true), *x = result_of(results, launches, false);
  uint64_t gap = sk__machine_soc(sk__runtime_machine(s.b.runtime))->costs.launch_cycles;
  assert_true(sk->stats.cycles > x->stats.cycles + gap);
  assert_int_equal(sk->stats.elapsed_cycles, sk->stats.cycles + gap);
  assert_int_equal(x->stats.elapsed_cycles, 0);
}
/* The same, with nobody in the SuperKernel who waits for x: it comes behind it, and both count. */
static void test_what_comes_behind_counts_by_itself(void **state) {
  (void)state;
  side_by_side s;
  sk__launch_result results[16];
  size_t launches = 0;
  ge_open(&s);
  launch_on(&s.b, s.first, &vector, 40, 0, 1, 1);
  launch_on(&s.b, s.first, &vector, 8, 1, 3, 100);
  join(s.first, s.side);
  launch_on(&s.b, s.side, &vector, 1, 1, 2, 10);
  ge_plan(&s, "early-start=0", 1);
  run_once(&s, results, &launches);
  const sk__launch_result *sk = result_of(results, launches, true), *x = result_of(results, launches, false);
  uint64_t gap = sk__machine_soc(sk__runtime_machine(s.b.runtime))->costs.launch_cycles;
  assert_true(sk->stats.cycles < x->stats.cycles + gap);
  assert_int_equal(sk->stats.elapsed_cycles, sk->stats.cycles + gap);
  assert_int_equal(x->stats.elapsed_cycles, x->stats.cycles + gap);
}

/* ---- the order that events give ---- */

/* x reads what the first wrote, the last overwrites what x read; what lies between them in the SK is not ordered with x, and
 * may write what x writes, or something else. */
enum { WHOLE, OTHER_DATA };
static size_t findings_of(int what) {
  side_by_side s;
  ge_open(&s);
  launch_on(&s.b, s.first, &vector, 20, 0, 1, 1);
  join(s.first, s.side);
  launch_on(&s.b, s.first, &vector, 20, 0, what == OTHER_DATA ? 2 : 3, 5); /* behind the record: x is not ordered with it */
  launch_on(&s.b, s.side, &vector, 9, 1, 2, 10);
  join(s.side, s.first);
  launch_on(&s.b, s.first, &vector, 20, 2, 1, 100);
  ge_plan(&s, "early-start=0", 1);
  size_t launches = 0, count = 0;
  assert_int_equal(ge_run(&s, &launches), SK_OK);
  sk__findings(sk__machine_checker(sk__runtime_machine(s.b.runtime)), &count);
  if (count == 0) check(&s.b, 1, 111);
  return count;
}
static void test_what_comes_behind_the_record_is_not_ordered(void **state) {
  (void)state;
  assert_true(findings_of(OTHER_DATA) > 0);
}
static void test_events_order_both_ways(void **state) {
  (void)state;
  assert_int_equal(findings_of(WHOLE), 0);
}

SK_TESTS(SK_TEST(test_no_core_is_left_for_what_is_waited_for), SK_TEST(test_a_wait_in_front_of_the_launch_never_ends),
         SK_TEST(test_what_comes_behind_the_record_is_not_ordered), SK_TEST(test_one_round), SK_TEST(test_two_rounds),
         SK_TEST(test_nothing_stands_without_a_circle), SK_TEST(test_cores_that_are_left_are_enough),
         SK_TEST(test_fewer_cores_than_blocks_take_turns), SK_TEST(test_cores_of_the_other_type_are_free), SK_TEST(test_two_rounds_with_kernels),
         SK_TEST(test_events_order_both_ways), SK_TEST(test_the_time_it_stands_is_counted), SK_TEST(test_what_comes_behind_counts_by_itself))
