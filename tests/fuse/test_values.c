/* Value writes and waits inside and beside SuperKernels: what can never come, then results equal to un-fused ones in every
 * schedule, and the order they give. */
#include "run_bed.h"

static uint64_t *word_new(void) {
  void *word = NULL;
  assert_int_equal(aclrtMalloc(&word, 32, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  assert_int_equal(aclrtMemset(word, 32, 0, 32), ACL_SUCCESS);
  return word;
}
static void *new_stream(void) {
  void *stream = NULL;
  assert_int_equal(aclrtCreateStream(&stream), ACL_SUCCESS);
  return stream;
}
static void launch_on(bed *b, void *stream, const sk_kernel *kernel, int from, int to, uint32_t add) {
  b->stream = stream;
  launch(b, kernel, 8, from, to, add);
}

static void wait_for(uint64_t *word, void *stream) { assert_int_equal(aclrtValueWait(word, 1, ACL_STREAM_WAIT_VALUE_GEQ, stream), ACL_SUCCESS); }
static void tell(uint64_t *word, void *stream) { assert_int_equal(aclrtValueWrite(word, 1, 0, stream), ACL_SUCCESS); }
static void fill(uint64_t *word, void *stream) { assert_int_equal(aclrtMemsetAsync(word, 8, 1, 8, stream), ACL_SUCCESS); }

static void plan(bed *b, uint32_t bypass, size_t sks) {
  sk__fuse_options options = sk__fuse_defaults();
  options.value_breaker_bypass = bypass;
  assert_int_equal(sk__plan_make(b->graph, &options, &b->plan, b->why, sizeof b->why), SK_OK);
  assert_int_equal(b->plan->sk_count, sks);
}

/* Some of the tasks cannot run yet: taken from a captured model. */
static void take_model(bed *b, void *origin) {
  aclmdlRI model = NULL;
  sk__task *const *tasks = NULL;
  bool optimised = false;
  assert_int_equal(aclmdlRICaptureEnd(origin, &model), ACL_SUCCESS);
  assert_int_equal(sk__model_tasks(model, "test", &tasks, &b->count, &optimised), ACL_SUCCESS);
  sk__runtime_set_hook(b->runtime, NULL, NULL);
  assert_int_equal(sk__graph_from_tasks(sk__machine_soc(sk__runtime_machine(b->runtime)), tasks, b->count, &b->graph), SK_OK);
}
/* `to` comes after what `from` has so far. */
static void join(void *from, void *to) {
  void *event = NULL;
  assert_int_equal(aclrtCreateEvent(&event), ACL_SUCCESS);
  assert_int_equal(aclrtRecordEvent(event, from), ACL_SUCCESS);
  assert_int_equal(aclrtStreamWaitEvent(to, event), ACL_SUCCESS);
}

/* A capture that `first` has begun, into which it draws `side`. */
typedef struct captured {
  bed b;
  void *first, *side;
  uint64_t *word;
} captured;
static void capture_one(captured *c) {
  bed_open(&c->b);
  c->first = c->b.stream;
  c->word = word_new();
  assert_int_equal(aclmdlRICaptureBegin(c->first, ACL_MODEL_RI_CAPTURE_MODE_RELAXED), ACL_SUCCESS);
}
static void capture_two(captured *c) {
  capture_one(c);
  c->side = new_stream();
  join(c->first, c->side);
}
/* The capture ends, and is planned into so many SuperKernels. */
static void end_and_plan(captured *c, uint32_t bypass, size_t sks) {
  take_model(&c->b, c->first);
  plan(&c->b, bypass, sks);
}

static const char *const schedules[] = {"in-order", "reversed", "random:1", "random:2", "slow-consumer", "slow-aiv1", "waves"};

/* Runs the plan in every schedule, with one and two host threads; the word is zero before. */
static void run_everywhere(bed *b, uint64_t *word, sk_status wanted, int buffer, uint32_t added) {
  for (size_t i = 0; i < 2 * sizeof schedules / sizeof schedules[0]; i++) {
    sk__machine *machine = sk__runtime_machine(b->runtime);
    sk__machine_options options = *sk__machine_options_of(machine);
    uint32_t start[SLOTS * 8];
    assert_int_equal(sk__schedule_parse(schedules[i / 2], &options.schedule), SK_OK);
    options.threads = 1 + i % 2;
    for (uint32_t k = 0; k < SLOTS * 8; k++) start[k] = k;
    for (int k = 0; k < 4; k++) assert_int_equal(aclrtMemcpy(b->buffer[k], sizeof start, start, sizeof start, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
    assert_int_equal(aclrtMemset(word, 8, 0, 8), ACL_SUCCESS);
    sk__runtime_join_streams(b->runtime);
    sk__machine_configure(machine, &options);
    sk__launch_result results[16];
    size_t launches = 0;
    sk_status status = sk__plan_run(b->runtime, b->plan, results, &launches);
    size_t count = 0;
    const sk__finding *findings = sk__findings(sk__machine_checker(machine), &count);
    for (size_t k = 0; k < count; k++) print_message("finding %s: %s\n", findings[k].id, findings[k].message);
    if (status != wanted) fail_msg("%s, %u threads: %s", schedules[i / 2], options.threads, sk_status_text(status));
    if (wanted != SK_OK) return;
    assert_int_equal(count, 0);
    check(b, buffer, added);
  }
}

/* ---- what can never come --------------------------------------------------------------------- */

/* s0: a . b; the word is filled on s1 behind c. */
static void capture_written_behind(captured *c) {
  capture_two(c);
  launch_on(&c->b, c->first, &vector, 0, 1, 1);
  wait_for(c->word, c->first);
  launch_on(&c->b, c->side, &vector, 0, 3, 1);
  launch_on(&c->b, c->first, &vector, 1, 2, 1);
  fill(c->word, c->side);
  join(c->side, c->first);
}

/* All three are fused. */
static void test_it_is_written_behind_the_superkernel(void **state) {
  (void)state;
  captured c;
  capture_written_behind(&c);
  end_and_plan(&c, 2, 1);
  run_everywhere(&c.b, c.word, SK_DEADLOCK, 0, 0);
  assert_non_null(finding(&c.b, "H41"));
  assert_non_null(strstr(finding(&c.b, "H41")->message, "to be at least 1 (it is 0), which nothing that runs before the SuperKernel's end writes"));
}
static void test_nobody_writes_it(void **state) {
  (void)state;
  captured c;
  capture_one(&c);
  launch_on(&c.b, c.first, &vector, 0, 1, 1);
  wait_for(c.word, c.first);
  launch_on(&c.b, c.first, &vector, 1, 2, 1);
  end_and_plan(&c, 0, 2);
  run_everywhere(&c.b, c.word, SK_DEADLOCK, 0, 0);
  assert_non_null(finding(&c.b, "DEADLOCK"));
  assert_null(finding(&c.b, "H41"));
}

/* ---- use ------------------------------------------------------------------------------------- */

/* The same as the first, without the bypass: the wait stays outside, and the SuperKernel of a and c comes to its end. */
static void test_a_wait_outside(void **state) {
  (void)state;
  captured c;
  capture_written_behind(&c);
  end_and_plan(&c, 0, 2);
  run_everywhere(&c.b, c.word, SK_OK, 2, 2);
}
/* The word is written on another stream, which needs none of the SuperKernel. */
static void test_a_write_outside_of_the_superkernel(void **state) {
  (void)state;
  captured c;
  capture_two(&c);
  launch_on(&c.b, c.first, &vector, 0, 1, 1);
  wait_for(c.word, c.first);
  launch_on(&c.b, c.first, &vector, 3, 2, 1);
  fill(c.word, c.side);
  join(c.side, c.first);
  end_and_plan(&c, 2, 1);
  run_everywhere(&c.b, c.word, SK_OK, 2, 1);
}
/* Both inside: b reads what a wrote on another stream, which nothing but the word orders. */
static void test_both_inside(void **state) {
  (void)state;
  captured c;
  capture_two(&c);
  launch_on(&c.b, c.side, &cube, 0, 1, 1);
  tell(c.word, c.side);
  wait_for(c.word, c.first);
  launch_on(&c.b, c.first, &vector, 1, 2, 10);
  join(c.side, c.first);
  end_and_plan(&c, 1, 1);
  run_everywhere(&c.b, c.word, SK_OK, 2, 11);
}
/* A write inside ends a wait outside, whose stream goes on while the SuperKernel waits for it. */
static void test_a_write_inside_for_a_wait_outside(void **state) {
  (void)state;
  captured c;
  capture_two(&c);
  launch_on(&c.b, c.first, &vector, 0, 1, 1);
  tell(c.word, c.first);
  wait_for(c.word, c.side);
  launch_on(&c.b, c.side, &cube, 1, 2, 10);
  join(c.side, c.first);
  launch_on(&c.b, c.first, &vector, 2, 3, 100);
  end_and_plan(&c, 0, 2);
  run_everywhere(&c.b, c.word, SK_OK, 3, 111);
}

SK_TESTS(SK_TEST(test_it_is_written_behind_the_superkernel), SK_TEST(test_nobody_writes_it), SK_TEST(test_a_wait_outside),
         SK_TEST(test_a_write_outside_of_the_superkernel), SK_TEST(test_both_inside), SK_TEST(test_a_write_inside_for_a_wait_outside))
