/* sk_ge_compile: launches with the attributes of graph mode operators, fused in a captured model. */
#include "../../runtime/device_fixture.h"
#include "superkernel/ge.h"
#include "superkernel/model.h"

static aclrtStream capture_begin(void) {
  aclrtStream stream = stream_new();
  assert_ok(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
  return stream;
}

static aclmdlRI capture_end(aclrtStream stream) {
  aclmdlRI model = NULL;
  assert_ok(sk_ge_operator_set(NULL));
  assert_ok(aclmdlRICaptureEnd(stream, &model));
  return model;
}

/* One launch of an operator: b = a + 1. */
static void add_one(aclrtStream stream, sk_ge_operator op, const sk_kernel *kernel, const void *a, void *b) {
  assert_ok(sk_ge_operator_set(&op));
  assert_ok(launch_add(stream, kernel, 4, a, b, 1));
}

static const sk__superkernel *only_sk(aclmdlRI model, size_t *count) {
  sk__task *const *tasks = NULL;
  const sk__superkernel *found = NULL;
  size_t task_count = 0;
  bool optimised = false;
  *count = 0;
  assert_ok(sk__model_tasks(model, "test", &tasks, &task_count, &optimised));
  for (size_t i = 0; i < task_count; i++)
    if (tasks[i]->kind == SK__TASK_SUPERKERNEL) {
      found = tasks[i]->superkernel;
      ++*count;
    }
  return found;
}

/* ---- misuse ---------------------------------------------------------------------------------- */

static void an_operator_needs_a_name(void **state) {
  (void)state;
  device_open();
  sk_ge_operator op = {.scope = "sp1"};
  assert_fails(sk_ge_operator_set(&op), ACL_ERROR_INVALID_PARAM, "no name");
  op = (sk_ge_operator){.name = "Add", .tiling_sink = 2};
  assert_fails(sk_ge_operator_set(&op), ACL_ERROR_INVALID_PARAM, "legal: 0, 1");
}

static void models_that_are_none(void **state) {
  (void)state;
  int nothing = 0;
  device_open();
  assert_fails(sk_ge_compile(NULL, NULL), ACL_ERROR_INVALID_PARAM, "model is NULL");
  assert_fails(sk_ge_compile(&nothing, NULL), ACL_ERROR_RT_INVALID_HANDLE, "no live captured model");
}

/* Refused options leave the model as it was. */
static void bad_options_are_refused(void **state) {
  (void)state;
  device_open();
  static const char *const bad[][2] = {{"early-strat=1", "early-strat"}, {"debug-aic-num=24:debug-aiv-num=25", "debug-aic-num"},
                                       {"strict-scope-check=maybe", "bypass, abort"}, {"feed-sync-all=2", "feed-sync-all"}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    aclrtStream stream = capture_begin();
    void *a = buffer_new(1), *b = buffer_new(0);
    add_one(stream, (sk_ge_operator){.name = "Add", .scope = "sp1", .options = bad[i][0]}, &add_vector, a, b);
    aclmdlRI model = capture_end(stream);
    assert_fails(sk_ge_compile(model, NULL), ACL_ERROR_FAILURE, bad[i][1]);
    assert_ok(aclmdlRIExecute(model, -1));
    buffer_check(b, 2);
  }
}

static void twice_is_refused(void **state) {
  (void)state;
  device_open();
  aclrtStream stream = capture_begin();
  void *a = buffer_new(1), *b = buffer_new(0);
  add_one(stream, (sk_ge_operator){.name = "Add"}, &add_vector, a, b);
  aclmdlRI model = capture_end(stream);
  assert_ok(sk_ge_compile(model, NULL));
  assert_fails(sk_ge_compile(model, NULL), ACL_ERROR_FAILURE, "compiled before");
}

/* ---- use ------------------------------------------------------------------------------------- */

/* Names are those of the operators; a launch outside of the scope stays. */
static void a_scope_becomes_one_superkernel(void **state) {
  (void)state;
  device_open();
  aclrtStream stream = capture_begin();
  void *a = buffer_new(1), *b = buffer_new(0);
  add_one(stream, (sk_ge_operator){.name = "Add", .scope = "sp1"}, &add_vector, a, b);
  add_one(stream, (sk_ge_operator){.name = "Add_1", .scope = "sp1"}, &add_cube, b, a);
  add_one(stream, (sk_ge_operator){.name = "Add_2"}, &add_vector, a, b);
  aclmdlRI model = capture_end(stream);
  char *listing = NULL;
  size_t count = 0;
  assert_ok(sk_ge_compile(model, &listing));
  assert_non_null(strstr(listing, "Add_2 (node 3): NOT_IN_SCOPE: it lies in no scope"));
  free(listing);
  const sk__superkernel *made = only_sk(model, &count);
  assert_int_equal(count, 1);
  assert_string_equal(made->name, "sk_sp1_start_Add_end_Add_1");
  assert_string_equal(made->scopes, "sp1");
  assert_int_equal(made->part_count, 2);
  assert_ok(aclmdlRIExecute(model, -1));
  buffer_check(a, 3);
  buffer_check(b, 4);
  assert_int_equal(findings_all(), 0);
}

static void forced_core_counts(void **state) {
  (void)state;
  device_open();
  aclrtStream stream = capture_begin();
  void *a = buffer_new(1), *b = buffer_new(0);
  add_one(stream, (sk_ge_operator){.name = "Add", .scope = "sp1", .options = "debug-aic-num=24:debug-aiv-num=48"}, &add_vector, a, b);
  aclmdlRI model = capture_end(stream);
  size_t count = 0;
  assert_ok(sk_ge_compile(model, NULL));
  const sk__superkernel *made = only_sk(model, &count);
  assert_int_equal(made->type, SK_MIX_AIC_1_2);
  assert_int_equal(made->blocks, 24);
  assert_ok(aclmdlRIExecute(model, -1));
  buffer_check(b, 2);
}

/* limit_core_num bounds what may be forced. */
static void forced_beyond_the_limit(void **state) {
  (void)state;
  device_open();
  aclrtStream stream = capture_begin();
  void *a = buffer_new(1), *b = buffer_new(0);
  sk_ge_operator op = {.name = "Add", .scope = "sp1", .options = "debug-aic-num=24:debug-aiv-num=48", .aicore_num = 8, .vectorcore_num = 16};
  add_one(stream, op, &add_vector, a, b);
  assert_fails(sk_ge_compile(capture_end(stream), NULL), ACL_ERROR_FAILURE, "debug-aic-num");
}

/* A copy of the host's between two members: the scope is cut there. */
static void what_cannot_be_called_cuts(void **state) {
  (void)state;
  device_open();
  aclrtStream stream = capture_begin();
  void *a = buffer_new(1), *b = buffer_new(0), *c = buffer_new(0);
  sk_ge_operator op = {.name = "Add", .scope = "sp1"};
  add_one(stream, op, &add_vector, a, b);
  op.name = "Copy";
  assert_ok(sk_ge_operator_set(&op));
  assert_ok(aclrtMemcpyAsync(c, BUFFER_BYTES, b, BUFFER_BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
  add_one(stream, (sk_ge_operator){.name = "Add_1", .scope = "sp1"}, &add_vector, c, a);
  aclmdlRI model = capture_end(stream);
  size_t count = 0;
  assert_ok(sk_ge_compile(model, NULL));
  const sk__superkernel *last = only_sk(model, &count);
  assert_int_equal(count, 2);
  assert_string_equal(last->name, "sk_sp1_split_2_4_start_Add_1_end_Add_1");
  assert_ok(aclmdlRIExecute(model, -1));
  buffer_check(a, 3);
}

/* The second stream starts behind the first and is waited for. */
static void streams_meet_in_a_superkernel(void **state) {
  (void)state;
  device_open();
  aclrtStream stream = capture_begin(), other = stream_new();
  void *a = buffer_new(1), *b = buffer_new(0), *c = buffer_new(0);
  aclrtEvent there = NULL, back = NULL;
  assert_ok(aclrtCreateEventExWithFlag(&there, ACL_EVENT_SYNC));
  assert_ok(aclrtCreateEventExWithFlag(&back, ACL_EVENT_SYNC));
  sk_ge_operator op = {.name = "Add", .scope = "sp1", .options = "stream-fusion=1"};
  add_one(stream, op, &add_vector, a, b);
  assert_ok(aclrtRecordEvent(there, stream));
  assert_ok(aclrtStreamWaitEvent(other, there));
  add_one(other, (sk_ge_operator){.name = "Add_1", .scope = "sp1", .options = op.options}, &add_cube, b, c);
  assert_ok(aclrtRecordEvent(back, other));
  assert_ok(aclrtStreamWaitEvent(stream, back));
  add_one(stream, (sk_ge_operator){.name = "Add_2"}, &add_vector, c, a);
  aclmdlRI model = capture_end(stream);
  assert_ok(sk_ge_compile(model, NULL));
  for (int round = 0; round < 2; round++) assert_ok(aclmdlRIExecute(model, -1));
  buffer_check(a, 7);
  assert_int_equal(findings_all(), 0);
}

/* ---- work outside of it that a SuperKernel waits for, and that waits for it ---------------------- */

static void event_between(aclrtStream from, aclrtStream to) {
  aclrtEvent event = NULL;
  assert_ok(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
  assert_ok(aclrtRecordEvent(event, from));
  assert_ok(aclrtStreamWaitEvent(to, event));
}

/* stream: b = a + 1, d = c + 100 in a scope; side, between the two and in no scope: c = b + 10, by `kind`. */
typedef struct sandwich { aclrtStream stream, side; void *a, *b, *c, *d; } sandwich;
static sandwich sandwich_open(void) {
  device_open();
  return (sandwich){stream_new(), stream_new(), buffer_new(1), buffer_new(0), buffer_new(0), buffer_new(0)};
}
static void sandwich_record(const sandwich *s, uint32_t first_blocks, const sk_kernel *kind) {
  sk_ge_operator op = {.name = "Add", .scope = "sp1", .options = "early-start=0"};
  assert_ok(sk_ge_operator_set(&op));
  assert_ok(launch_add(s->stream, &add_vector, first_blocks, s->a, s->b, 1));
  event_between(s->stream, s->side);
  assert_ok(sk_ge_operator_set(&(sk_ge_operator){.name = "Beside"}));
  assert_ok(launch_add(s->side, kind, 5, s->b, s->c, 10));
  event_between(s->side, s->stream);
  op.name = "Add_1";
  assert_ok(sk_ge_operator_set(&op));
  assert_ok(launch_add(s->stream, &add_vector, 4, s->c, s->d, 100));
  assert_ok(sk_ge_operator_set(NULL));
}
static aclmdlRI sandwich_model(const sandwich *s, uint32_t first_blocks, const sk_kernel *kind) {
  assert_ok(aclmdlRICaptureBegin(s->stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
  sandwich_record(s, first_blocks, kind);
  return capture_end(s->stream);
}

/* The SuperKernel keeps all vector cores, and what it waits for needs one: it hangs at each replay. */
static void no_core_is_left_for_what_it_waits_for(void **state) {
  (void)state;
  sandwich s = sandwich_open();
  aclmdlRI model = sandwich_model(&s, 48, &add_vector);
  assert_ok(sk_ge_compile(model, NULL));
  for (int i = 0; i < 2; i++) {
    assert_int_equal(aclmdlRIExecute(model, -1), ACL_ERROR_RT_VECTOR_CORE_TIMEOUT);
    assert_int_equal(findings_of("H39"), 1);
  }
  assert_int_equal(findings_all(), 1);
}

static void a_kernel_runs_beside_it(void **state) {
  (void)state;
  sandwich s = sandwich_open();
  sandwich_record(&s, 40, &add_vector); /* un-fused */
  buffer_check(s.d, 112);
  aclmdlRI model = sandwich_model(&s, 40, &add_vector);
  size_t count = 0;
  assert_ok(sk_ge_compile(model, NULL));
  const sk__superkernel *made = only_sk(model, &count);
  assert_int_equal(count, 1);
  assert_int_equal(made->type, SK_MIX_AIV_1_0);
  void *e = buffer_new(0);
  aclrtStream others[] = {s.stream, stream_new(), NULL};
  for (uint32_t i = 0; i < 3; i++) { /* the second and the third replay find 1000 more each time */
    assert_ok(aclmdlRIExecuteAsync(model, others[i]));
    assert_ok(launch_add(others[i], &add_vector, 5, s.d, e, 1));
    assert_ok(launch_add(others[i], &add_vector, 5, s.a, s.a, 1000));
    buffer_check(e, 113 + 1000 * i);
  }
  assert_ok(aclmdlRIDestroy(model));
  assert_int_equal(findings_all(), 0);
}

/* All vector cores are the SuperKernel's, a cube kernel needs none of them. */
static void cores_of_the_other_type_are_free(void **state) {
  (void)state;
  sandwich s = sandwich_open();
  aclmdlRI model = sandwich_model(&s, 48, &add_cube);
  assert_ok(sk_ge_compile(model, NULL));
  for (int i = 0; i < 2; i++) assert_ok(aclmdlRIExecute(model, -1));
  buffer_check(s.d, 112);
  assert_int_equal(findings_all(), 0);
}

/* What runs beside it is no part of it: it takes new arguments at the next replay. */
static void arguments_beside_it_can_be_changed(void **state) {
  (void)state;
  sandwich s = sandwich_open();
  aclmdlRI model = sandwich_model(&s, 40, &add_vector);
  assert_ok(sk_ge_compile(model, NULL));
  assert_ok(aclmdlRIExecute(model, -1));
  add_args args = {(uint64_t)s.b, (uint64_t)s.c, 20, SLOTS};
  assert_ok(sk_model_update(model, "add", 1, &args, sizeof args));
  assert_ok(aclmdlRIExecute(model, -1));
  buffer_check(s.d, 122);
  assert_int_equal(findings_all(), 0);
}

SK_TESTS(SK_TEST(no_core_is_left_for_what_it_waits_for), SK_TEST(a_kernel_runs_beside_it), SK_TEST(cores_of_the_other_type_are_free),
         SK_TEST(arguments_beside_it_can_be_changed), SK_TEST(an_operator_needs_a_name), SK_TEST(models_that_are_none), SK_TEST(bad_options_are_refused), SK_TEST(twice_is_refused),
         SK_TEST(a_scope_becomes_one_superkernel), SK_TEST(forced_core_counts), SK_TEST(forced_beyond_the_limit),
         SK_TEST(what_cannot_be_called_cuts), SK_TEST(streams_meet_in_a_superkernel))
