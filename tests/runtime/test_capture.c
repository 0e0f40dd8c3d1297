/* Captured models and scope marks: misuse first, then use. */
#include <pthread.h>

#include "device_fixture.h"
#include "superkernel/model.h"

static aclmdlRI model_of(aclrtStream stream) {
  aclmdlRICaptureStatus status;
  aclmdlRI model = NULL;
  assert_ok(aclmdlRICaptureGetInfo(stream, &status, &model));
  return model;
}

static void begin(aclrtStream stream) { assert_ok(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL)); }
static aclmdlRI end(aclrtStream stream) {
  aclmdlRI model = NULL;
  assert_ok(aclmdlRICaptureEnd(stream, &model));
  return model;
}
static aclrtEvent event_new(void) {
  aclrtEvent event = NULL;
  assert_ok(aclrtCreateEvent(&event));
  return event;
}

static void test_default_stream_cannot_be_captured(void **state) {
  (void)state;
  device_open();
  assert_int_equal(aclmdlRICaptureBegin(NULL, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL), ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT);
}
static void test_a_wait_cannot_draw_in_the_default_stream(void **state) {
  (void)state;
  device_open();
  aclrtStream stream = stream_new();
  aclrtEvent event = event_new();
  begin(stream);
  assert_ok(aclrtRecordEvent(event, stream));
  assert_int_equal(aclrtStreamWaitEvent(NULL, event), ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT);
}
static void test_begin_is_checked(void **state) {
  (void)state;
  device_open();
  int no_stream;
  aclrtStream stream = stream_new();
  assert_int_equal(aclmdlRICaptureBegin(&no_stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL), ACL_ERROR_RT_INVALID_HANDLE);
  assert_fails(aclmdlRICaptureBegin(stream, (aclmdlRICaptureMode)3), ACL_ERROR_INVALID_PARAM, "2 RELAXED");
  begin(stream);
  assert_int_equal(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL), ACL_ERROR_RT_STREAM_CAPTURED);
}
static void test_end_is_checked(void **state) {
  (void)state;
  device_open();
  aclmdlRI model = NULL;
  aclrtStream stream = stream_new();
  assert_int_equal(aclmdlRICaptureEnd(stream, NULL), ACL_ERROR_INVALID_PARAM);
  assert_int_equal(aclmdlRICaptureEnd(stream, &model), ACL_ERROR_RT_STREAM_NOT_CAPTURED);
}
static void test_end_on_another_stream(void **state) {
  (void)state;
  device_open();
  aclmdlRI model = NULL;
  aclrtStream stream = stream_new(), other = stream_new();
  aclrtEvent event = event_new();
  begin(stream);
  assert_ok(aclrtRecordEvent(event, stream));
  assert_ok(aclrtStreamWaitEvent(other, event));
  assert_int_equal(aclmdlRICaptureEnd(other, &model), ACL_ERROR_STREAM_CAPTURE_UNMATCHED);
}

typedef struct thread_end { aclrtStream stream; aclmdlRI model; int error; } thread_end;
static void *end_on_thread(void *context) {
  thread_end *t = context;
  t->error = aclmdlRICaptureEnd(t->stream, &t->model);
  return NULL;
}
static int end_elsewhere(aclmdlRICaptureMode mode) {
  pthread_t thread;
  thread_end t = {stream_new(), NULL, -1};
  assert_ok(aclmdlRICaptureBegin(t.stream, mode));
  assert_int_equal(pthread_create(&thread, NULL, end_on_thread, &t), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  return t.error;
}
static void test_end_on_another_thread(void **state) {
  (void)state;
  device_open();
  assert_int_equal(end_elsewhere(ACL_MODEL_RI_CAPTURE_MODE_GLOBAL), ACL_ERROR_STREAM_CAPTURE_WRONG_THREAD);
  assert_int_equal(end_elsewhere(ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL), ACL_ERROR_STREAM_CAPTURE_WRONG_THREAD);
  assert_int_equal(end_elsewhere(ACL_MODEL_RI_CAPTURE_MODE_RELAXED), ACL_SUCCESS);
}
static void test_a_stream_that_does_not_come_back(void **state) {
  (void)state;
  device_open();
  void *a = buffer_new(0);
  aclmdlRI model = NULL;
  aclrtStream stream = stream_new(), other = stream_new();
  aclrtEvent event = event_new();
  begin(stream);
  assert_ok(aclrtRecordEvent(event, stream));
  assert_ok(aclrtStreamWaitEvent(other, event));
  assert_ok(launch_add(other, &add_vector, 4, a, a, 1));
  assert_int_equal(aclmdlRICaptureEnd(stream, &model), ACL_ERROR_RT_STREAM_UNJOINED);
  assert_int_equal(aclmdlRIExecuteAsync(model, stream), ACL_ERROR_RT_CAPTURE_INVALIDATED);
  assert_ok(aclmdlRIDestroy(model));
  assert_ok(aclrtSynchronizeStream(other)); /* free again */
  buffer_check(a, 0);
}
static void test_captured_waits_need_a_captured_record(void **state) {
  (void)state;
  device_open();
  aclrtStream stream = stream_new(), second = stream_new();
  aclrtEvent outside = event_new(), elsewhere = event_new();
  assert_ok(aclrtRecordEvent(outside, NULL));
  begin(stream);
  assert_int_equal(aclrtStreamWaitEvent(stream, outside), ACL_ERROR_RT_CAPTURE_DEPENDENCY);
  begin(second);
  assert_ok(aclrtRecordEvent(elsewhere, second));
  assert_int_equal(aclrtStreamWaitEvent(stream, elsewhere), ACL_ERROR_STREAM_CAPTURE_CONFLICT);
}
static void test_captured_events_cannot_be_waited_for_by_the_host(void **state) {
  (void)state;
  device_open();
  aclrtStream stream = stream_new();
  aclrtEvent event = event_new();
  aclrtEventRecordedStatus status;
  begin(stream);
  assert_ok(aclrtRecordEvent(event, stream));
  assert_int_equal(aclrtSynchronizeEvent(event), ACL_ERROR_RT_EVENT_CAPTURED);
  assert_int_equal(aclrtQueryEventStatus(event, &status), ACL_ERROR_RT_EVENT_CAPTURED);
}
static void test_captured_streams_cannot_be_waited_for(void **state) {
  (void)state;
  device_open();
  aclrtStream stream = stream_new();
  begin(stream);
  assert_int_equal(aclrtSynchronizeStream(stream), ACL_ERROR_RT_STREAM_CAPTURED);
  assert_int_equal(aclrtDestroyStream(stream), ACL_ERROR_RT_STREAM_CAPTURED);
  assert_ok(aclrtDestroyStream(stream_new()));
}
static void test_models_are_checked(void **state) {
  (void)state;
  device_open();
  int no_model;
  aclrtStream stream = stream_new(), other = stream_new();
  assert_fails(aclmdlRIExecute(&no_model, -2), ACL_ERROR_INVALID_PARAM, "-1");
  assert_fails(aclmdlRIExecute(&no_model, -1), ACL_ERROR_RT_INVALID_HANDLE, "no live captured model");
  assert_int_equal(aclmdlRIDestroy(&no_model), ACL_ERROR_RT_INVALID_HANDLE);
  assert_int_equal(aclmdlRIDebugPrint(&no_model), ACL_ERROR_RT_INVALID_HANDLE);
  assert_int_equal(aclmdlRICaptureGetInfo(stream, NULL, NULL), ACL_ERROR_INVALID_PARAM);
  begin(stream);
  aclmdlRI model = model_of(stream);
  assert_int_equal(aclmdlRIExecuteAsync(model, other), ACL_ERROR_RT_MODEL_CAPTURED);
  assert_int_equal(aclmdlRIDestroy(model), ACL_ERROR_RT_MODEL_CAPTURED);
  assert_ptr_equal(end(stream), model);
  begin(other);
  assert_int_equal(aclmdlRIExecuteAsync(model, other), ACL_ERROR_RT_STREAM_CAPTURED);
  (void)end(other);
  assert_ok(aclmdlRIDestroy(model));
  assert_int_equal(aclmdlRIExecuteAsync(model, other), ACL_ERROR_RT_INVALID_HANDLE);
}

static void unsafe_calls(aclrtStream stream, int expected) {
  char *a = NULL, host[8] = {0};
  assert_ok(aclrtMalloc((void **)&a, 64, ACL_MEM_MALLOC_HUGE_FIRST));
  assert_int_equal(aclrtMemcpy(a, 64, host, 8, ACL_MEMCPY_HOST_TO_DEVICE), expected);
  assert_int_equal(aclrtMemcpy2d(a, 8, host, 8, 8, 1, ACL_MEMCPY_HOST_TO_DEVICE), expected);
  assert_int_equal(aclrtMemset(a, 64, 0, 64), expected);
  assert_int_equal(aclrtMemcpyAsync(a, 64, host, 8, ACL_MEMCPY_HOST_TO_DEVICE, stream), expected);
  assert_ok(aclrtMemsetAsync(a, 64, 0, 64, stream));
}
static void *unsafe_on_thread(void *context) {
  int expected = *(int *)context;
  unsafe_calls(NULL, expected);
  return NULL;
}
static void test_unsafe_calls_during_a_capture(void **state) {
  (void)state;
  device_open();
  static const struct { aclmdlRICaptureMode mode; int here, elsewhere; } cases[] = {
      {ACL_MODEL_RI_CAPTURE_MODE_GLOBAL, ACL_ERROR_STREAM_CAPTURE_UNSAFE, ACL_ERROR_STREAM_CAPTURE_UNSAFE},
      {ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL, ACL_ERROR_STREAM_CAPTURE_UNSAFE, ACL_SUCCESS},
      {ACL_MODEL_RI_CAPTURE_MODE_RELAXED, ACL_SUCCESS, ACL_SUCCESS}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    aclrtStream stream = stream_new();
    pthread_t thread;
    int elsewhere = cases[i].elsewhere;
    assert_ok(aclmdlRICaptureBegin(stream, cases[i].mode));
    unsafe_calls(stream, cases[i].here);
    assert_int_equal(pthread_create(&thread, NULL, unsafe_on_thread, &elsewhere), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    (void)end(stream);
  }
}
static void test_scope_names_are_checked(void **state) {
  (void)state;
  device_open();
  char name[257];
  int no_stream;
  memset(name, 'x', sizeof name);
  name[256] = '\0';
  assert_fails(aclskScopeBegin("", NULL), ACL_ERROR_INVALID_PARAM, "1 to 255");
  assert_fails(aclskScopeEnd(name, NULL), ACL_ERROR_INVALID_PARAM, "given 256");
  assert_int_equal(aclskScopeBegin("a", &no_stream), ACL_ERROR_RT_INVALID_HANDLE);
  name[255] = '\0';
  assert_ok(aclskScopeBegin(name, NULL));
  assert_ok(aclskScopeEnd(name, NULL));
  assert_ok(aclskScopeBegin(NULL, NULL));
  assert_ok(aclskScopeEnd(NULL, NULL));
  assert_ok(aclrtSynchronizeDevice());
}

static void test_capture_info(void **state) {
  (void)state;
  device_open();
  aclrtStream stream = stream_new();
  aclmdlRICaptureStatus status;
  aclmdlRI model = NULL;
  assert_ok(aclmdlRICaptureGetInfo(stream, &status, &model));
  assert_int_equal(status, ACL_MODEL_RI_CAPTURE_STATUS_NONE);
  begin(stream);
  assert_ok(aclmdlRICaptureGetInfo(stream, &status, &model));
  assert_int_equal(status, ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
  assert_non_null(model);
  assert_ok(aclmdlRIDebugPrint(end(stream)));
}
static void test_captured_once_replayed_twice(void **state) {
  (void)state;
  device_open();
  void *a = buffer_new(0), *b = buffer_new(0);
  aclrtStream stream = stream_new();
  begin(stream);
  assert_ok(launch_add(stream, &add_vector, 4, a, b, 1));
  assert_ok(launch_add(stream, &add_vector, 5, b, a, 2));
  aclmdlRI model = end(stream);
  buffer_check(a, 0); /* recorded, not run */
  assert_ok(aclmdlRIExecuteAsync(model, stream));
  assert_ok(aclmdlRIExecuteAsync(model, stream));
  buffer_check(a, 6);
  assert_ok(aclmdlRIExecute(model, 1000));
  buffer_check(a, 9);
  assert_ok(aclmdlRIDestroy(model));
  assert_int_equal(findings_all(), 0);
}
/* Arguments are those of the capture, whatever the host's variables hold later. */
static void test_a_replay_is_ordered_on_the_stream_it_is_given(void **state) {
  (void)state;
  device_open();
  void *a = buffer_new(0), *b = buffer_new(0);
  aclrtStream captured = stream_new(), stream = stream_new();
  begin(captured);
  assert_ok(launch_add(captured, &add_vector, 4, a, b, 1));
  aclmdlRI model = end(captured);
  assert_ok(launch_add(stream, &add_vector, 7, b, a, 3));
  assert_ok(aclmdlRIExecuteAsync(model, stream));
  assert_ok(launch_add(stream, &add_vector, 5, b, a, 2));
  buffer_check(a, 6);
  assert_int_equal(findings_all(), 0);
}
/* Replays do not wait for one another but by events; those of one model follow one another. */
static void test_replays_on_two_streams(void **state) {
  (void)state;
  device_open();
  void *a = buffer_new(1), *b = buffer_new(0), *c = buffer_new(0);
  aclrtStream captured = stream_new(), first = stream_new(), second = stream_new();
  begin(captured);
  assert_ok(launch_add(captured, &add_vector, 4, a, b, 1));
  aclmdlRI producer = end(captured);
  begin(captured);
  assert_ok(launch_add(captured, &add_vector, 4, b, c, 1));
  aclmdlRI consumer = end(captured);
  aclrtEvent event = NULL;
  assert_ok(aclrtCreateEvent(&event));
  assert_ok(aclmdlRIExecuteAsync(producer, first));
  assert_ok(aclrtRecordEvent(event, first));
  assert_ok(aclrtStreamWaitEvent(second, event));
  assert_ok(aclmdlRIExecuteAsync(consumer, second));
  assert_ok(aclmdlRIExecuteAsync(consumer, captured)); /* behind the one before */
  assert_ok(aclrtSynchronizeDevice());
  assert_int_equal(findings_all(), 0);
  assert_ok(aclmdlRIExecuteAsync(producer, first));
  assert_ok(aclmdlRIExecuteAsync(consumer, second));
  assert_ok(aclrtSynchronizeDevice());
  assert_true(findings_of("SYNC_GM") > 0);
  assert_int_equal(findings_all(), findings_of("SYNC_GM"));
}
static void test_two_streams_of_one_capture(void **state) {
  (void)state;
  device_open();
  void *a = buffer_new(0), *b = buffer_new(0), *c = buffer_new(0);
  aclrtStream stream = stream_new(), side = stream_new(), replay = stream_new();
  aclrtEvent fork = event_new(), join = event_new();
  begin(stream);
  assert_ok(launch_add(stream, &add_vector, 4, a, b, 1));
  assert_ok(aclrtRecordEvent(fork, stream));
  assert_ok(aclrtStreamWaitEvent(side, fork));
  assert_ok(launch_add(side, &add_vector, 5, b, c, 2));
  assert_ok(aclrtRecordEvent(join, side));
  assert_ok(aclrtStreamWaitEvent(stream, join));
  assert_ok(launch_add(stream, &add_vector, 6, c, a, 3));
  aclmdlRI model = end(stream);
  assert_ok(aclmdlRIExecuteAsync(model, replay));
  assert_ok(aclmdlRIExecuteAsync(model, replay));
  buffer_check(a, 12);
  assert_int_equal(findings_all(), 0);
}
/* A model keeps the streams and events it needs. */
static void test_a_model_outlives_its_stream_and_events(void **state) {
  (void)state;
  device_open();
  void *a = buffer_new(0), *b = buffer_new(0);
  aclrtStream stream = stream_new(), side = stream_new();
  aclrtEvent fork = event_new(), join = event_new();
  begin(stream);
  assert_ok(aclrtRecordEvent(fork, stream));
  assert_ok(aclrtStreamWaitEvent(side, fork));
  assert_ok(launch_add(side, &add_vector, 5, a, b, 2));
  assert_ok(aclrtRecordEvent(join, side));
  assert_ok(aclrtStreamWaitEvent(stream, join));
  aclmdlRI model = end(stream);
  assert_ok(aclrtDestroyEvent(fork));
  assert_ok(aclrtDestroyEvent(join));
  assert_ok(aclrtDestroyStream(side));
  assert_ok(aclrtDestroyStream(stream));
  assert_ok(aclmdlRIExecute(model, -1));
  buffer_check(b, 2);
  assert_ok(aclmdlRIDestroy(model));
}
static void test_an_event_outlives_its_model(void **state) {
  (void)state;
  device_open();
  aclrtStream stream = stream_new();
  aclrtEvent event = event_new();
  aclrtEventRecordedStatus status;
  begin(stream);
  assert_ok(aclrtRecordEvent(event, stream));
  assert_ok(aclmdlRIDestroy(end(stream)));
  assert_ok(aclrtQueryEventStatus(event, &status));
  assert_ok(aclrtRecordEvent(event, stream));
  assert_ok(aclrtStreamWaitEvent(NULL, event));
  assert_ok(aclrtSynchronizeEvent(event));
}
static void test_pinned_copies_are_captured(void **state) {
  (void)state;
  device_open();
  uint32_t *host = NULL;
  void *a = buffer_new(0);
  aclrtStream stream = stream_new();
  assert_ok(aclrtMallocHost((void **)&host, BUFFER_BYTES));
  begin(stream);
  assert_ok(aclrtMemcpyAsync(a, BUFFER_BYTES, host, BUFFER_BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream));
  aclmdlRI model = end(stream);
  for (uint32_t round = 1; round < 3; round++) {
    for (size_t i = 0; i < BUFFER_BYTES / 4; i++) host[i] = round;
    assert_ok(aclmdlRIExecuteAsync(model, stream));
    buffer_check(a, round);
  }
}

/* What a segment hook gets, in one letter a task: ( ) scope, k kernel. */
static char seen[64];
static sk_status note_segment(void *context, sk__runtime *runtime, sk__task *const *tasks, size_t count) {
  (void)context;
  for (size_t i = 0; i < count; i++)
    strcat(seen, tasks[i]->kind == SK__TASK_SCOPE_BEGIN ? "(" : tasks[i]->kind == SK__TASK_SCOPE_END ? ")" : "k");
  strcat(seen, "|");
  return sk__runtime_run(runtime, tasks, count, NULL);
}
static void count_call(void *context) { ++*(int *)context; }

static void test_host_work_divides_a_scope(void **state) {
  (void)state;
  device_open();
  int calls = 0;
  void *a = buffer_new(1), *b = buffer_new(0);
  aclrtStream stream = stream_new();
  begin(stream);
  assert_ok(aclskScopeBegin("outer", stream));
  assert_ok(launch_add(stream, &add_vector, 2, a, b, 1));
  assert_ok(aclskScopeBegin(NULL, stream));
  assert_ok(aclskScopeEnd(NULL, stream));
  assert_ok(aclrtLaunchHostFunc(stream, count_call, &calls));
  assert_ok(launch_add(stream, &add_vector, 2, b, a, 1));
  assert_ok(aclskScopeEnd("outer", stream));
  assert_ok(launch_add(stream, &add_vector, 2, a, b, 1));
  aclmdlRI model = end(stream);
  sk__runtime_set_hook(sk__runtime_get(), note_segment, NULL);
  assert_ok(aclmdlRIExecuteAsync(model, stream));
  assert_ok(aclrtSynchronizeStream(stream));
  assert_string_equal(seen, "(k())|(k)k|");
  assert_int_equal(calls, 1);
  buffer_check(b, 4);
}

static void test_updates_are_checked(void **state) {
  (void)state;
  device_open();
  void *a = buffer_new(1), *b = buffer_new(0);
  aclrtStream stream = stream_new();
  aclmdlRI model = NULL;
  add_args args = {(uint64_t)a, (uint64_t)b, 5, SLOTS};
  assert_fails(sk_model_update(NULL, add_vector.name, 0, &args, sizeof args), ACL_ERROR_INVALID_PARAM, "the model is NULL");
  assert_ok(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
  assert_ok(launch_add(stream, &add_vector, 2, a, b, 1));
  assert_ok(aclmdlRICaptureEnd(stream, &model));
  assert_fails(sk_model_update(model, NULL, 0, &args, sizeof args), ACL_ERROR_INVALID_PARAM, "kernel is NULL");
  assert_fails(sk_model_update(model, add_vector.name, 0, NULL, sizeof args), ACL_ERROR_INVALID_PARAM, "args is NULL");
  assert_fails(sk_model_update(model, add_vector.name, 1, &args, sizeof args), ACL_ERROR_INVALID_PARAM, "has 1 launches of");
  assert_fails(sk_model_update(model, "other", 0, &args, sizeof args), ACL_ERROR_INVALID_PARAM, "has 0 launches of");
  assert_fails(sk_model_update(model, add_vector.name, 0, &args, sizeof args - 1), ACL_ERROR_INVALID_PARAM, "legal: 24");
}
static void test_an_update_counts_from_the_next_replay(void **state) {
  (void)state;
  device_open();
  void *a = buffer_new(1), *b = buffer_new(0), *c = buffer_new(0);
  aclrtStream stream = stream_new();
  aclmdlRI model = NULL;
  assert_ok(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
  assert_ok(launch_add(stream, &add_vector, 2, a, b, 1));
  assert_ok(launch_add(stream, &add_vector, 2, b, c, 1));
  assert_ok(aclmdlRICaptureEnd(stream, &model));
  assert_ok(aclmdlRIExecuteAsync(model, stream));
  add_args args = {(uint64_t)b, (uint64_t)c, 5, SLOTS};
  assert_ok(sk_model_update(model, add_vector.name, 1, &args, sizeof args)); /* what is pending has the old ones */
  buffer_check(c, 3);
  assert_ok(aclmdlRIExecuteAsync(model, stream));
  buffer_check(b, 2);
  buffer_check(c, 7);
  assert_int_equal(findings_of("H42"), 0);
}

SK_TESTS(SK_TEST(test_updates_are_checked), SK_TEST(test_an_update_counts_from_the_next_replay), SK_TEST(test_default_stream_cannot_be_captured), SK_TEST(test_a_wait_cannot_draw_in_the_default_stream), SK_TEST(test_begin_is_checked),
         SK_TEST(test_end_is_checked), SK_TEST(test_end_on_another_stream), SK_TEST(test_end_on_another_thread),
         SK_TEST(test_a_stream_that_does_not_come_back), SK_TEST(test_captured_waits_need_a_captured_record),
         SK_TEST(test_captured_events_cannot_be_waited_for_by_the_host), SK_TEST(test_captured_streams_cannot_be_waited_for),
         SK_TEST(test_models_are_checked), SK_TEST(test_unsafe_calls_during_a_capture), SK_TEST(test_scope_names_are_checked),
         SK_TEST(test_capture_info), SK_TEST(test_captured_once_replayed_twice), SK_TEST(test_a_replay_is_ordered_on_the_stream_it_is_given),
         SK_TEST(test_replays_on_two_streams),
         SK_TEST(test_two_streams_of_one_capture), SK_TEST(test_a_model_outlives_its_stream_and_events),
         SK_TEST(test_an_event_outlives_its_model), SK_TEST(test_pinned_copies_are_captured),
         SK_TEST(test_host_work_divides_a_scope))
