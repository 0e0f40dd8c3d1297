/* Models that a program fused itself, whose SuperKernel and work outside of it wait for each other: the reference has their
 * parts as they were issued, and what runs fused gives the same. */
#include "acl/super_kernel.h"
#include "superkernel/ge.h"
#include "twin_fixture.h"

static aclrtStream new_stream(void) {
  aclrtStream stream = NULL;
  assert_ok(aclrtCreateStream(&stream));
  return stream;
}

static void event_between(aclrtStream from, aclrtStream to) {
  aclrtEvent event = NULL;
  assert_ok(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
  assert_ok(aclrtRecordEvent(event, from));
  assert_ok(aclrtStreamWaitEvent(to, event));
}

static int calls;
static void count_call(void *context) {
  (void)context;
  calls++;
}

typedef struct model { aclrtStream stream, side; void *a, *b, *c, *d; aclmdlRI captured; } model;
static model model_open(void) {
  model m = {new_stream(), new_stream(), buffer_new(1), buffer_new(0), buffer_new(0), buffer_new(0), NULL};
  assert_ok(aclmdlRICaptureBegin(m.stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
  return m;
}
static void replay_all(model *m, uint32_t expected) {
  for (int i = 0; i < 3; i++) {
    assert_ok(aclmdlRIExecute(m->captured, -1));
    buffer_check(m->d, expected);
  }
}

/* b = a + 1, c = b by a copy of the other stream, d = c + 10. */
static model copy_between(bool with_callback) {
  model m = model_open();
  launch(m.stream, &add_vector, 8, m.a, m.b, 1);
  event_between(m.stream, m.side);
  assert_ok(aclrtMemcpyAsync(m.c, BUFFER_BYTES, m.b, BUFFER_BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, m.side));
  if (with_callback) assert_ok(aclrtLaunchHostFunc(m.side, count_call, NULL));
  event_between(m.side, m.stream);
  launch(m.stream, &add_cube, 8, m.c, m.d, 10);
  assert_ok(aclmdlRICaptureEnd(m.stream, &m.captured));
  aclskOption option = {.optionType = AGGRESSIVE_OPT_STRATEGIES, .aggressiveOpts = {0, 0, 1}};
  aclskOptions options = {&option, 1};
  assert_ok(aclskOptimize(m.captured, &options));
  return m;
}

/* b = a + 1, c = b + 100 by a kernel of the other stream in no scope, d = c + 10. */
static model kernel_between(uint32_t blocks) {
  model m = model_open();
  sk_ge_operator op = {.name = "First", .scope = "s", .options = "early-start=0"}, beside = {.name = "Beside"};
  assert_ok(sk_ge_operator_set(&op));
  launch(m.stream, &add_vector, blocks, m.a, m.b, 1);
  event_between(m.stream, m.side);
  assert_ok(sk_ge_operator_set(&beside));
  launch(m.side, &add_vector, 5, m.b, m.c, 100);
  event_between(m.side, m.stream);
  op.name = "Last";
  assert_ok(sk_ge_operator_set(&op));
  launch(m.stream, &add_vector, 8, m.c, m.d, 10);
  assert_ok(sk_ge_operator_set(NULL));
  assert_ok(aclmdlRICaptureEnd(m.stream, &m.captured));
  assert_ok(sk_ge_compile(m.captured, NULL));
  return m;
}

/* Un-fused all is well; fused the cores for what the SuperKernel waits for are missing. */
static void test_a_deadlock_is_the_fused_modes_alone(void **state) {
  (void)state;
  twin_open("unfused,fused");
  model m = kernel_between(48);
  assert_ok(aclmdlRIExecute(m.captured, -1));
  assert_int_equal(mode_of("unfused")->findings, 0);
  assert_int_equal(mode_of("fused")->outcome, SK__FAILED);
  assert_int_equal(mode_of("fused")->status, SK_DEADLOCK);
  assert_int_equal(shown("H39"), 1);
  buffer_check(m.d, 112);
}

static void same_everywhere(const char *const *names, size_t count, size_t unfused_launches, size_t fused_launches) {
  assert_int_equal(shown_all(), 0);
  assert_int_equal(mode_of("unfused")->launches, unfused_launches);
  assert_int_equal(mode_of("unfused")->sk_launches, 0);
  assert_int_equal(mode_of("fused")->launches, fused_launches);
  for (size_t i = 0; i < count; i++) {
    if (mode_of(names[i])->outcome != SK__SAME) fail_msg("%s: outcome %d", names[i], mode_of(names[i])->outcome);
    assert_true(mode_of(names[i])->sk_launches > 0);
  }
}

static void test_a_copy_beside_it(void **state) {
  (void)state;
  static const char *const names[] = {"fused", "per-op", "no-flush", "fused/reversed", "fused/random:7", "fused/slow-consumer", "fused/waves"};
  twin_open("unfused,fused,per-op,no-flush,fused/reversed,fused/random:7,fused/slow-consumer,fused/waves");
  model m = copy_between(false);
  replay_all(&m, 12);
  same_everywhere(names, sizeof names / sizeof names[0], 3 * 2, 3);
}

static void test_a_kernel_beside_it(void **state) {
  (void)state;
  static const char *const names[] = {"fused", "full-cores", "ge", "fused/reversed", "fused/random:7", "fused/slow-consumer", "fused/waves"};
  twin_open("unfused,fused,full-cores,ge,fused/reversed,fused/random:7,fused/slow-consumer,fused/waves");
  model m = kernel_between(40);
  replay_all(&m, 112);
  same_everywhere(names, sizeof names / sizeof names[0], 3 * 3, 3 * 2);
}

/* The kernel beside the SuperKernel: behind the first sub-kernel, before the last, and a launch of its own. */
static void test_its_timeline(void **state) {
  (void)state;
  sk__verifier *verifier = twin_open("unfused,fused");
  assert_int_equal(sk__verifier_keep_timelines(verifier), SK_OK);
  model m = kernel_between(40);
  assert_ok(aclmdlRIExecute(m.captured, -1));
  const sk__timeline *timeline = sk__verifier_timeline(verifier, SK__TIMELINE_FUSED);
  uint64_t first_end = 0, last_begin = UINT64_MAX, beside_begin = UINT64_MAX, beside_end = 0, whole_end = 0;
  for (size_t i = 0; i < timeline->count; i++) {
    const sk__timeline_span *span = &timeline->spans[i];
    assert_true(span->launch <= 1);
    if (span->launch == 0 && span->task == 0 && span->end_cycles > first_end) first_end = span->end_cycles;
    if (span->launch == 0 && span->task == 1 && span->begin_cycles < last_begin) last_begin = span->begin_cycles;
    if (span->launch == 0 && span->task == UINT32_MAX && span->end_cycles > whole_end) whole_end = span->end_cycles;
    if (span->launch == 1 && span->begin_cycles < beside_begin) beside_begin = span->begin_cycles;
    if (span->launch == 1 && span->end_cycles > beside_end) beside_end = span->end_cycles;
  }
  const sk__soc *soc = sk__machine_soc(sk__runtime_machine(sk__runtime_get()));
  assert_true(first_end > 0 && beside_end > 0 && whole_end > 0);
  assert_true(first_end + soc->costs.launch_cycles <= beside_begin && beside_begin <= beside_end && beside_end <= last_begin);
  assert_int_equal(mode_of("fused")->cycles, whole_end + soc->costs.launch_cycles);
}

/* Work on the host must not be run once for each mode. */
static void test_a_callback_beside_it_runs_once(void **state) {
  (void)state;
  twin_open("unfused,fused");
  model m = copy_between(true);
  calls = 0;
  replay_all(&m, 12);
  assert_int_equal(calls, 3);
  assert_int_equal(shown_all(), 0);
}

SK_TESTS(SK_TEST(test_a_deadlock_is_the_fused_modes_alone), SK_TEST(test_a_copy_beside_it), SK_TEST(test_a_kernel_beside_it),
         SK_TEST(test_a_callback_beside_it_runs_once), SK_TEST(test_its_timeline))
