/* aclskOptimize: what it refuses, what its options mean, and that a fused model computes what it did before. */
#include <stdlib.h>
#include <unistd.h>

#include <jansson.h>

#include "../runtime/device_fixture.h"
#include "acl/super_kernel.h"
#include "fuse/acl_options.h"

/* ---- helpers --------------------------------------------------------------------------------- */

static aclrtStream capture_begin(void) {
  aclrtStream stream = stream_new();
  assert_ok(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
  return stream;
}

static aclmdlRI capture_end(aclrtStream stream) {
  aclmdlRI model = NULL;
  assert_ok(aclmdlRICaptureEnd(stream, &model));
  return model;
}

static void replay(aclmdlRI model) { assert_ok(aclmdlRIExecute(model, -1)); }

static size_t tasks_of(aclmdlRI model, sk__task_kind kind) {
  sk__task *const *tasks = NULL;
  size_t count = 0, found = 0;
  bool optimised = false;
  assert_ok(sk__model_tasks(model, "test", &tasks, &count, &optimised));
  for (size_t i = 0; i < count; i++) found += kind == SK__TASK_KINDS || tasks[i]->kind == kind;
  return found;
}

/* Tasks of the only circle, 0 none. */
static size_t circle_of(aclmdlRI model) {
  sk__task *const *tasks = NULL;
  size_t count = 0, found = 0;
  bool optimised = false;
  assert_ok(sk__model_tasks(model, "test", &tasks, &count, &optimised));
  for (size_t i = 0; i < count; i++) found += tasks[i]->circle != NULL;
  return found;
}

static void event_between(aclrtStream from, aclrtStream to) {
  aclrtEvent event = NULL;
  assert_ok(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
  assert_ok(aclrtRecordEvent(event, from));
  assert_ok(aclrtStreamWaitEvent(to, event));
}

size_t cpp_option_bytes(void); /* acl_header.cpp */

/* ---- misuse ---------------------------------------------------------------------------------- */

static void models_that_are_none(void **state) {
  (void)state;
  int nothing = 0;
  assert_fails(aclskOptimize(NULL, NULL), ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetDevice");
  device_open();
  assert_fails(aclskOptimize(NULL, NULL), ACL_ERROR_INVALID_PARAM, "model is NULL");
  assert_fails(aclskOptimize(&nothing, NULL), ACL_ERROR_RT_INVALID_HANDLE, "no live captured model");
  aclrtStream stream = capture_begin();
  aclmdlRICaptureStatus status;
  aclmdlRI model = NULL;
  assert_ok(aclmdlRICaptureGetInfo(stream, &status, &model));
  assert_fails(aclskOptimize(model, NULL), ACL_ERROR_RT_MODEL_CAPTURED, "still being captured");
}

static void twice_is_refused(void **state) {
  (void)state;
  device_open();
  void *a = buffer_new(1), *b = buffer_new(0);
  aclrtStream stream = capture_begin();
  assert_ok(launch_add(stream, &add_vector, 4, a, b, 1));
  aclmdlRI model = capture_end(stream);
  assert_ok(aclskOptimize(model, NULL));
  assert_fails(aclskOptimize(model, NULL), ACL_ERROR_FAILURE, "optimised before");
  replay(model);
  buffer_check(b, 2);
}

/* The model stays what it was and still runs. */
static void marks_without_a_partner(void **state) {
  (void)state;
  device_open();
  void *a = buffer_new(1), *b = buffer_new(0);
  aclrtStream stream = capture_begin();
  assert_ok(aclskScopeBegin("left_open", stream));
  assert_ok(launch_add(stream, &add_vector, 4, a, b, 1));
  aclmdlRI model = capture_end(stream);
  assert_fails(aclskOptimize(model, NULL), ACL_ERROR_FAILURE, "left_open");
  assert_int_equal(tasks_of(model, SK__TASK_KERNEL), 1);
  assert_int_equal(tasks_of(model, SK__TASK_SUPERKERNEL), 0);
  replay(model);
  buffer_check(b, 2);
}

static void more_cores_than_there_are(void **state) {
  (void)state;
  device_open();
  void *a = buffer_new(1), *b = buffer_new(0);
  aclrtStream stream = capture_begin();
  assert_ok(launch_add(stream, &add_cube, 30, a, b, 1));
  aclmdlRI model = capture_end(stream);
  assert_fails(aclskOptimize(model, NULL), ACL_ERROR_FAILURE, "add");
  replay(model);
  buffer_check(b, 2);
}

/* ---- options --------------------------------------------------------------------------------- */

typedef struct warnings { size_t count; char last[256]; } warnings;
static void note(void *context, const char *text) {
  warnings *w = context;
  w->count++;
  snprintf(w->last, sizeof w->last, "%s", text);
}

static sk__fuse_options read_options(aclskOption *options, size_t count, sk__arena *arena, warnings *w) {
  aclskOptions all = {options, count};
  sk__fuse_options out;
  *w = (warnings){0};
  assert_int_equal(sk__acl_options_read(&all, arena, &out, note, w), SK_OK);
  return out;
}

static void values_out_of_range_keep_the_default(void **state) {
  (void)state;
  sk__arena arena = {0};
  warnings w;
  aclskOption options[] = {{.optionType = PRELOAD_CODE, .preload = {3}}, {.optionType = SPLIT_MODE, .splitMode = {5}},
                           {.optionType = EARLY_START, .earlyStart = {2}}, {.optionType = STREAM_FUSION, .streamFusion = {UINT32_MAX}},
                           {.optionType = AGGRESSIVE_OPT_STRATEGIES, .aggressiveOpts = {7, 3, 2}}};
  sk__fuse_options out = read_options(options, 5, &arena, &w);
  assert_int_equal(w.count, 5);
  assert_non_null(strstr(w.last, "legal: 0 to 1"));
  assert_int_equal(out.preload_code, 1);
  assert_int_equal(out.split_mode, 4);
  assert_int_equal(out.early_start, 0);
  assert_int_equal(out.stream_fusion, 1);
  assert_int_equal(out.event_breaker_bypass, 7);
  assert_int_equal(out.value_breaker_bypass, 3);
  assert_int_equal(out.task_breaker_bypass, 0);
  options[1].splitMode.splitCnt = 0;
  assert_int_equal(read_options(options + 1, 1, &arena, &w).split_mode, 4);
  assert_int_equal(w.count, 1);
  sk__arena_free(&arena);
}

static void the_first_of_two_counts(void **state) {
  (void)state;
  sk__arena arena = {0};
  warnings w;
  aclskOption options[] = {{.optionType = SPLIT_MODE, .splitMode = {2}}, {.optionType = SPLIT_MODE, .splitMode = {3}}};
  assert_int_equal(read_options(options, 2, &arena, &w).split_mode, 2);
  assert_int_equal(w.count, 1);
  assert_non_null(strstr(w.last, "SPLIT_MODE"));
  sk__arena_free(&arena);
}

static void unknown_and_absent_options(void **state) {
  (void)state;
  sk__arena arena = {0};
  warnings w;
  aclskOption unknown = {.optionType = (aclskOptionType)99, .preload = {2}};
  sk__fuse_options out = read_options(&unknown, 1, &arena, &w), standard = sk__fuse_defaults();
  assert_int_equal(w.count, 0);
  assert_memory_equal(&out, &standard, sizeof out);
  out = read_options(NULL, 3, &arena, &w);
  assert_int_equal(w.count, 1);
  assert_memory_equal(&out, &standard, sizeof out);
  assert_int_equal(sk__acl_options_read(NULL, &arena, &out, note, &w), SK_OK);
  assert_int_equal(w.count, 1);
  assert_memory_equal(&out, &standard, sizeof out);
}

static void lists_of_names(void **state) {
  (void)state;
  sk__arena arena = {0};
  warnings w;
  char good[] = "add.*", bad[] = "*add";
  char *names[] = {NULL, good, bad}, *empty[] = {NULL};
  aclskOption options[] = {{.optionType = DCCI_AFTER_KERNEL_END, .dcciAfterKernelEnd = {names, 3}},
                           {.optionType = UBUF_LOCK_IGNORE_KERNEL, .ubufLockIgnoreKernel = {2, names}},
                           {.optionType = DCCI_BEFORE_KERNEL_START, .dcciBeforeKernelStart = {empty, 1}},
                           {.optionType = DCCI_DISABLE_ON_KERNEL, .disableKernelDcci = {NULL, 2}}};
  sk__fuse_options out = read_options(options, 4, &arena, &w);
  assert_int_equal(w.count, 3); /* a bad pattern, an empty list, a missing list */
  assert_int_equal(out.dcci_after_kernel_end.count, 2);
  good[0] = 'x'; /* the caller's text is the caller's */
  assert_string_equal(out.dcci_after_kernel_end.items[0], "add.*");
  assert_int_equal(out.ubuf_lock_ignore_kernel.count, 1);
  assert_int_equal(out.dcci_before_kernel_start.count, 0);
  assert_int_equal(out.dcci_disable_on_kernel.count, 0);
  sk__arena_free(&arena);
}

static void extensions_and_the_core_number_option(void **state) {
  (void)state;
  sk__arena arena = {0};
  warnings w;
  char good[] = "a=1,2:b=x/y", bad[] = "a=1:a=2";
  aclskOption options[] = {{.optionType = OPT_EXTEND_OPTION, .optExtend = {good}}, {.optionType = DEBUG_EXTEND_OPTION, .debugExtend = {bad}},
                           {.optionType = KERNEL_MAP, .kernelMap = {NULL, 9}},
                           {.optionType = DEBUG_PER_OP_MAX_CORE_NUM, .debugPerOpMaxCoreNum = {1}},
                           {.optionType = DEBUG_CROSS_CORE_SYNC_CHECK, .debugCrossCoreSyncCheck = {0}}};
  assert_int_equal(read_options(options, 4, &arena, &w).debug_cross_core_sync_check, 1);
  assert_int_equal(w.count, 1);
  assert_non_null(strstr(w.last, "DEBUG_EXTEND_OPTION"));
  assert_int_equal(read_options(options, 5, &arena, &w).debug_cross_core_sync_check, 0);
  sk__arena_free(&arena);
}

static void both_languages_see_one_layout(void **state) {
  (void)state;
  assert_int_equal(cpp_option_bytes(), sizeof(aclskOption));
}

/* ---- use ------------------------------------------------------------------------------------- */

static void a_chain_becomes_one_launch(void **state) {
  (void)state;
  device_open();
  void *a = buffer_new(1), *b = buffer_new(0), *c = buffer_new(0);
  aclrtStream stream = capture_begin();
  assert_ok(aclskScopeBegin("chain", stream));
  assert_ok(launch_add(stream, &add_vector, 8, a, b, 1));
  assert_ok(launch_add(stream, &add_cube, 3, b, c, 10));
  assert_ok(launch_add(stream, &add_vector, 48, c, a, 100));
  assert_ok(aclskScopeEnd("chain", stream));
  aclmdlRI model = capture_end(stream);
  assert_ok(aclskOptimize(model, NULL));
  assert_int_equal(tasks_of(model, SK__TASK_KINDS), 1);
  assert_int_equal(circle_of(model), 0);
  sk__task *const *tasks = NULL;
  size_t count = 0;
  bool optimised = false;
  assert_ok(sk__model_tasks(model, "test", &tasks, &count, &optimised));
  assert_true(optimised);
  assert_string_equal(sk__task_kind_name(tasks[0]->kind), "SuperKernel");
  assert_string_equal(tasks[0]->superkernel->scopes, "chain");
  assert_string_equal(tasks[0]->superkernel->first, "add");
  replay(model);
  buffer_check(a, 112);
  replay(model); /* the same again, on what the first left */
  buffer_check(a, 223);
  assert_ok(aclmdlRIExecuteAsync(model, stream_new()));
  buffer_check(a, 334);
  assert_ok(aclmdlRIDestroy(model));
  assert_int_equal(findings_all(), 0);
}

static void marks_go_even_when_nothing_is_fused(void **state) {
  (void)state;
  device_open();
  void *a = buffer_new(1), *b = buffer_new(0);
  aclrtStream stream = capture_begin();
  assert_ok(aclskScopeBegin(NULL, stream));
  assert_ok(launch_add(stream, &add_vector, 4, a, b, 1));
  assert_ok(aclskScopeEnd(NULL, stream));
  aclmdlRI model = capture_end(stream);
  assert_ok(aclskOptimize(model, NULL));
  assert_int_equal(tasks_of(model, SK__TASK_KINDS), 1);
  assert_int_equal(tasks_of(model, SK__TASK_KERNEL), 1);
  replay(model);
  buffer_check(b, 2);
}

static void an_empty_model(void **state) {
  (void)state;
  device_open();
  aclmdlRI model = capture_end(capture_begin());
  assert_ok(aclskOptimize(model, NULL));
  assert_int_equal(tasks_of(model, SK__TASK_KINDS), 0);
  replay(model);
}

static void options_reach_the_plan(void **state) {
  (void)state;
  device_open();
  void *a = buffer_new(1), *b = buffer_new(0);
  aclrtStream stream = capture_begin();
  assert_ok(launch_add(stream, &add_vector, 4, a, b, 1));
  assert_ok(launch_add(stream, &add_vector, 4, b, a, 1));
  aclmdlRI model = capture_end(stream);
  aclskOption option = {.optionType = DEBUG_PER_OP_MAX_CORE_NUM, .debugPerOpMaxCoreNum = {1}};
  aclskOptions options = {&option, 1};
  assert_ok(aclskOptimize(model, &options));
  assert_int_equal(tasks_of(model, SK__TASK_SUPERKERNEL), 2);
  replay(model);
  buffer_check(a, 3);
}

/* Two streams join in one SK; before and behind it each goes on with work that is not fused. */
static void streams_are_tied_to_the_launch(void **state) {
  (void)state;
  device_open();
  void *a = buffer_new(1), *b = buffer_new(0), *c = buffer_new(0), *d = buffer_new(0), *e = buffer_new(0), *f = buffer_new(0);
  aclrtStream first = capture_begin(), second = stream_new();
  assert_ok(aclskScopeBegin(NULL, first));
  assert_ok(launch_add(first, &add_vector, 4, a, b, 1)); /* b = 2 */
  event_between(first, second);
  assert_ok(launch_add(second, &add_vector, 4, a, c, 2)); /* c = 3 */
  assert_ok(aclskScopeEnd(NULL, first));
  assert_ok(aclskScopeBegin("pair", first));
  assert_ok(launch_add(first, &add_vector, 4, b, d, 10));   /* d = 12 */
  assert_ok(launch_add(second, &add_cube, 4, c, e, 20));    /* e = 23 */
  assert_ok(launch_add(second, &add_vector, 4, e, c, 1));   /* c = 24 */
  assert_ok(launch_add(first, &add_vector, 4, d, b, 1));    /* b = 13 */
  assert_ok(aclskScopeEnd("pair", first));
  assert_ok(aclskScopeBegin(NULL, first));
  assert_ok(launch_add(second, &add_vector, 4, c, f, 100)); /* f = 124 */
  event_between(second, first);
  assert_ok(launch_add(first, &add_vector, 4, f, d, 1000)); /* d = 1124 */
  assert_ok(aclskScopeEnd(NULL, first));
  aclmdlRI model = capture_end(first);
  assert_ok(aclskOptimize(model, NULL));
  assert_true(tasks_of(model, SK__TASK_SUPERKERNEL) >= 1);
  assert_int_equal(tasks_of(model, SK__TASK_KERNEL), 4);
  for (int i = 0; i < 2; i++) {
    replay(model);
    buffer_check(b, 13);
    buffer_check(f, 124);
    buffer_check(d, 1124);
  }
  assert_int_equal(findings_all(), 0);
}

/* A record inside an SK is waited for by work that stays outside. */
static void a_wait_outside_follows_its_record(void **state) {
  (void)state;
  device_open();
  void *a = buffer_new(1), *b = buffer_new(0), *c = buffer_new(0), *d = buffer_new(0);
  aclrtStream first = capture_begin(), second = stream_new();
  assert_ok(aclskScopeBegin("front", first));
  assert_ok(launch_add(first, &add_vector, 4, a, b, 1)); /* b = 2 */
  event_between(first, second);
  assert_ok(launch_add(first, &add_vector, 4, a, d, 5)); /* d = 6 */
  assert_ok(aclskScopeEnd("front", first));
  assert_ok(launch_add(second, &add_vector, 4, b, c, 1)); /* c = 3, in no scope */
  event_between(second, first);
  assert_ok(launch_add(first, &add_vector, 4, c, d, 1));  /* d = 4, in no scope */
  aclmdlRI model = capture_end(first);
  assert_ok(aclskOptimize(model, NULL));
  assert_int_equal(tasks_of(model, SK__TASK_SUPERKERNEL), 1);
  for (int i = 0; i < 2; i++) {
    replay(model);
    buffer_check(c, 3);
    buffer_check(d, 4);
  }
  assert_int_equal(findings_all(), 0);
}

/* Two streams that nothing orders race before and after fusing into launches of their own. */
static void what_raced_still_races(void **state) {
  (void)state;
  device_open();
  void *a = buffer_new(1), *b = buffer_new(0);
  aclrtStream first = capture_begin(), second = stream_new();
  event_between(first, second);
  assert_ok(launch_add(first, &add_vector, 4, a, b, 1));
  assert_ok(launch_add(second, &add_vector, 4, a, b, 1)); /* the same bytes, at the same time */
  event_between(second, first);
  aclmdlRI model = capture_end(first);
  aclskOption option = {.optionType = DEBUG_PER_OP_MAX_CORE_NUM, .debugPerOpMaxCoreNum = {1}};
  aclskOptions options = {&option, 1};
  assert_ok(aclskOptimize(model, &options));
  assert_int_equal(tasks_of(model, SK__TASK_SUPERKERNEL), 2);
  assert_ok(aclmdlRIExecute(model, -1));
  assert_true(findings_all() > 0);
}

static void failures_are_reported_at_the_replay(void **state) {
  (void)state;
  device_open();
  aclrtStream stream = capture_begin();
  assert_ok(launch_plain(stream, &crash_vector, 2));
  aclmdlRI model = capture_end(stream);
  assert_ok(aclskOptimize(model, NULL));
  assert_int_equal(aclmdlRIExecute(model, -1), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
  assert_ok(aclmdlRIDestroy(model));
}

/* A fused model in a second plan: the SK is a task like a copy, the rest can be fused. */
static void a_superkernel_is_not_fused_again(void **state) {
  (void)state;
  device_open();
  void *a = buffer_new(1), *b = buffer_new(0);
  aclrtStream stream = capture_begin();
  assert_ok(launch_add(stream, &add_vector, 4, a, b, 1));
  aclmdlRI model = capture_end(stream);
  assert_ok(aclskOptimize(model, NULL));
  sk__task *const *tasks = NULL;
  size_t count = 0;
  bool optimised = false;
  sk__graph *graph = NULL;
  assert_ok(sk__model_tasks(model, "test", &tasks, &count, &optimised));
  assert_int_equal(sk__graph_from_tasks(sk__machine_soc(sk__runtime_machine(sk__runtime_get())), tasks, count, &graph), SK_OK);
  assert_int_equal(graph->node_count, 1);
  assert_int_equal(graph->nodes[0].type, SK__NODE_DEFAULT);
  sk__fuse_options standard = sk__fuse_defaults();
  sk__plan *plan = NULL;
  char why[128];
  assert_int_equal(sk__plan_make(graph, &standard, &plan, why, sizeof why), SK_OK);
  assert_int_equal(plan->sk_count, 0);
  sk__launch_result results[2];
  size_t launches = 0;
  assert_int_equal(sk__plan_run(sk__runtime_get(), plan, results, &launches), SK_OK);
  assert_int_equal(launches, 1);
  assert_true(results[0].is_sk);
  sk__plan_free(plan);
  sk__graph_free(graph);
  buffer_check(b, 2);
}

/* ---- SuperKernels that run at the same time as work outside of them --------------------------- */

static void copy_on(aclrtStream stream, void *to, const void *from) {
  assert_ok(aclrtMemcpyAsync(to, BUFFER_BYTES, from, BUFFER_BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
}

/* Copies on streams of their own do not cut a SuperKernel. */
static int optimise_beside_copies(aclmdlRI model) {
  aclskOption option = {.optionType = AGGRESSIVE_OPT_STRATEGIES, .aggressiveOpts = {0, 0, 1}};
  aclskOptions options = {&option, 1};
  return aclskOptimize(model, &options);
}

/* first: b = a + 1, then d = c + 10; side, between the two: c = b. */
typedef struct beside { aclrtStream first, side; void *a, *b, *c, *d; } beside;
static beside beside_open(void) {
  device_open();
  return (beside){stream_new(), stream_new(), buffer_new(1), buffer_new(0), buffer_new(0), buffer_new(0)};
}
static void beside_record(const beside *s) {
  assert_ok(launch_add(s->first, &add_vector, 8, s->a, s->b, 1));
  event_between(s->first, s->side);
  copy_on(s->side, s->c, s->b);
  event_between(s->side, s->first);
  assert_ok(launch_add(s->first, &add_cube, 8, s->c, s->d, 10));
}
static aclmdlRI beside_model(const beside *s) {
  assert_ok(aclmdlRICaptureBegin(s->first, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
  beside_record(s);
  return capture_end(s->first);
}

/* A copy that goes wrong outside of the SuperKernel fails the replay; the SuperKernel comes to its end all the same. */
static void a_failure_beside_it_is_told(void **state) {
  (void)state;
  beside s = beside_open();
  aclmdlRI model = beside_model(&s);
  assert_ok(optimise_beside_copies(model));
  assert_ok(aclrtFree(s.c));
  assert_int_not_equal(aclmdlRIExecute(model, -1), ACL_SUCCESS);
  assert_true(findings_of("GM_USE_AFTER_FREE") > 0);
  assert_int_equal(findings_of("DEADLOCK"), 0);
}

static void a_copy_runs_beside_it(void **state) {
  (void)state;
  beside s = beside_open();
  beside_record(&s); /* un-fused */
  buffer_check(s.d, 12);
  aclmdlRI model = beside_model(&s);
  assert_ok(optimise_beside_copies(model));
  assert_int_equal(tasks_of(model, SK__TASK_SUPERKERNEL), 1);
  assert_int_equal(tasks_of(model, SK__TASK_KERNEL), 0);
  assert_int_equal(circle_of(model), 4); /* the SuperKernel, the wait, the copy, the record */
  for (uint32_t i = 0; i < 3; i++) {
    void *start = buffer_new(100 * i);
    copy_on(NULL, s.a, start);
    assert_ok(aclrtSynchronizeDevice());
    replay(model);
    buffer_check(s.d, 100 * i + 11);
  }
  assert_ok(aclmdlRIDestroy(model));
  assert_int_equal(findings_all(), 0);
}

/* What comes in front of the model and behind it is ordered with it, also on another stream than that of the capture. */
static void replays_on_other_streams_keep_the_order(void **state) {
  (void)state;
  beside s = beside_open();
  void *e = buffer_new(0);
  aclmdlRI model = beside_model(&s);
  assert_ok(optimise_beside_copies(model));
  aclrtStream others[] = {s.first, stream_new(), NULL};
  for (int i = 0; i < 3; i++) {
    assert_ok(launch_add(others[i], &add_vector, 5, s.d, s.a, 1000)); /* 1000, 2011, 3022 */
    assert_ok(aclmdlRIExecuteAsync(model, others[i]));
    assert_ok(launch_add(others[i], &add_vector, 5, s.d, e, 1));
    assert_ok(aclrtSynchronizeDevice());
    buffer_check(e, 1012 + 1011 * (uint32_t)i);
  }
  assert_int_equal(findings_all(), 0);
}

/* A wait behind the circle for what its end records. */
static void what_comes_behind_waits_for_its_end(void **state) {
  (void)state;
  beside s = beside_open();
  void *e = buffer_new(0);
  aclrtStream third = stream_new();
  assert_ok(aclmdlRICaptureBegin(s.first, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
  beside_record(&s);
  event_between(s.first, third);
  aclrtEvent back = NULL;
  assert_ok(launch_add(third, &add_vector, 8, s.d, e, 1));
  assert_ok(aclrtCreateEventExWithFlag(&back, ACL_EVENT_SYNC));
  assert_ok(aclrtRecordEvent(back, third));
  assert_ok(aclrtStreamWaitEvent(s.first, back));
  aclmdlRI model = capture_end(s.first);
  assert_ok(optimise_beside_copies(model));
  replay(model);
  buffer_check(e, 13);
  assert_int_equal(findings_all(), 0);
}

/* ---- dumps ----------------------------------------------------------------------------------- */

static json_t *meta_json(const char *directory, const char *name) {
  char path[512];
  json_error_t error;
  snprintf(path, sizeof path, "%s/%s", directory, name);
  json_t *json = json_load_file(path, 0, &error);
  if (json == NULL) fail_msg("%s: %s", path, error.text);
  return json;
}
static void meta_holds(const char *directory, const char *name, const char *part) {
  char path[512], text[16384] = "";
  snprintf(path, sizeof path, "%s/%s", directory, name);
  FILE *file = fopen(path, "r");
  if (file == NULL) fail_msg("%s is missing", path);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  if (strstr(text, part) == NULL) fail_msg("'%s' is not in %s:\n%s", part, path, text);
}
/* A directory of the test's own becomes the current one. */
static void meta_begin(char directory[64], bool asked) {
  snprintf(directory, 64, "%s/skmetaXXXXXX", P_tmpdir);
  assert_non_null(mkdtemp(directory));
  assert_int_equal(chdir(directory), 0);
  if (asked) setenv("ASCEND_OP_COMPILE_SAVE_KERNEL_META", "1", 1);
}
static void meta_end(const char *directory) {
  char command[128];
  unsetenv("ASCEND_OP_COMPILE_SAVE_KERNEL_META");
  assert_int_equal(chdir("/"), 0);
  snprintf(command, sizeof command, "rm -r %s", directory);
  assert_int_equal(system(command), 0);
}

static void no_dump_unless_asked(void **state) {
  (void)state;
  char directory[64];
  device_open();
  meta_begin(directory, false);
  void *a = buffer_new(1), *b = buffer_new(0);
  aclrtStream stream = capture_begin();
  assert_ok(launch_add(stream, &add_vector, 4, a, b, 1));
  assert_ok(aclskOptimize(capture_end(stream), NULL));
  assert_int_not_equal(access("sk_meta", F_OK), 0);
  meta_end(directory);
}
static void dumps_of_a_model(void **state) {
  (void)state;
  char directory[64], path[128];
  device_open();
  meta_begin(directory, true);
  void *a = buffer_new(1), *b = buffer_new(0);
  aclrtStream stream = capture_begin();
  assert_ok(aclskScopeBegin("s", stream));
  assert_ok(launch_add(stream, &add_vector, 4, a, b, 1));
  assert_ok(launch_add(stream, &add_vector, 4, b, a, 1));
  assert_ok(aclskScopeEnd("s", stream));
  assert_ok(launch_add(stream, &add_vector, 4, a, b, 1));
  assert_ok(aclskOptimize(capture_end(stream), NULL));
  snprintf(path, sizeof path, "sk_meta/%ld/model_0_1", (long)getpid());
  meta_holds(path, "sk_scope_split.log", "round 1, initial split: ");
  meta_holds(path, "sk_scope_split.log", "deadlock refine: 1 scopes");
  meta_holds(path, "sk_node_detail.log", "scope begin s");
  meta_holds(path, "sk_device_args.log", "scopeId 0 nodeCnt 2 entry sk_entry_aiv\n  AIC queue, 4 copies: numBlocks 0 taskCnt 0\n  AIV queue, 4 copies: numBlocks 4 taskCnt 5\n");
  meta_holds(path, "sk_device_args.log", "    index 0 type SYNC numBlocks 0 entryCnt 0 args 2 (AIV_TO_AIV) extraInfo 0\n");
  meta_holds(path, "sk_device_args.log", "  dfx 1: add numBlocks 4 cubeNum 0 vecNum 4 code size ");
  meta_holds(path, "sk_fused_nodes.log", "task 1: node ");
  meta_holds(path, "sk_fusion_fail_reasons.log", "NOT_IN_SCOPE");
  meta_holds(path, "super_kernel.log", "break reason");
  json_t *origin = meta_json(path, "sk_graph_origin.json"), *updated = meta_json(path, "sk_graph_updated.json"), *queues = meta_json(path, "sk_task_queue.json");
  assert_int_equal(json_integer_value(json_object_get(origin, "totalNodes")), 9);
  assert_int_equal(json_integer_value(json_object_get(updated, "totalNodes")), 2);
  const json_t *early = json_object_get(json_object_get(origin, "options"), "early_start");
  assert_string_equal(json_string_value(json_object_get(early, "name")), "EARLY_START");
  assert_int_equal(json_integer_value(json_object_get(early, "type")), 16);
  assert_int_equal(json_integer_value(json_object_get(queues, "scopeCount")), 1);
  json_decref(origin);
  json_decref(updated);
  json_decref(queues);
  meta_end(directory);
}
static void dumps_of_a_failure(void **state) {
  (void)state;
  char directory[64], path[128];
  device_open();
  meta_begin(directory, true);
  void *a = buffer_new(1), *b = buffer_new(0);
  aclrtStream stream = capture_begin();
  assert_ok(aclskScopeBegin("left_open", stream));
  assert_ok(launch_add(stream, &add_vector, 4, a, b, 1));
  assert_fails(aclskOptimize(capture_end(stream), NULL), ACL_ERROR_FAILURE, "left_open");
  snprintf(path, sizeof path, "sk_meta/%ld/model_0_1", (long)getpid());
  meta_holds(path, "super_kernel.log", "the model is not fused: scope 'left_open' is begun and never ended");
  json_decref(meta_json(path, "sk_graph_origin.json"));
  meta_end(directory);
}

SK_TESTS(SK_TEST(no_dump_unless_asked),
         SK_TEST(dumps_of_a_model),
         SK_TEST(dumps_of_a_failure),
         SK_TEST(models_that_are_none),
         SK_TEST(a_failure_beside_it_is_told),
         SK_TEST(twice_is_refused),
         SK_TEST(marks_without_a_partner),
         SK_TEST(more_cores_than_there_are),
         SK_TEST(values_out_of_range_keep_the_default),
         SK_TEST(the_first_of_two_counts),
         SK_TEST(unknown_and_absent_options),
         SK_TEST(lists_of_names),
         SK_TEST(extensions_and_the_core_number_option),
         SK_TEST(both_languages_see_one_layout),
         SK_TEST(a_chain_becomes_one_launch),
         SK_TEST(marks_go_even_when_nothing_is_fused),
         SK_TEST(an_empty_model),
         SK_TEST(options_reach_the_plan),
         SK_TEST(streams_are_tied_to_the_launch),
         SK_TEST(a_wait_outside_follows_its_record),
         SK_TEST(what_raced_still_races),
         SK_TEST(a_copy_runs_beside_it),
         SK_TEST(replays_on_other_streams_keep_the_order),
         SK_TEST(what_comes_behind_waits_for_its_end),
         SK_TEST(failures_are_reported_at_the_replay),
         SK_TEST(a_superkernel_is_not_fused_again))
