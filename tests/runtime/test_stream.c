/* Streams, events, callbacks: misuse first, then use. */
#include <pthread.h>

#include "device_fixture.h"

static void test_dead_streams_are_refused(void **state) {
  (void)state;
  device_open();
  int nothing;
  aclrtStream stream = stream_new();
  assert_ok(aclrtDestroyStream(stream));
  assert_fails(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE, "no live stream");
  assert_int_equal(aclrtDestroyStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
  assert_int_equal(aclrtSynchronizeStreamWithTimeout(&nothing, 10), ACL_ERROR_RT_INVALID_HANDLE);
  assert_int_equal(launch_plain(&nothing, &crash_vector, 1), ACL_ERROR_RT_INVALID_HANDLE);
}
static void test_stream_arguments_are_checked(void **state) {
  (void)state;
  device_open();
  aclrtStream stream = NULL;
  assert_fails(aclrtCreateStream(NULL), ACL_ERROR_INVALID_PARAM, "NULL");
  assert_fails(aclrtCreateStreamWithConfig(&stream, 0, 0x40), ACL_ERROR_INVALID_PARAM, "0x3f");
  assert_fails(aclrtSynchronizeStreamWithTimeout(NULL, -2), ACL_ERROR_INVALID_PARAM, "-1");
  assert_fails(aclrtDestroyStream(NULL), ACL_ERROR_INVALID_PARAM, "default stream");
  assert_ok(aclrtCreateStreamWithConfig(&stream, 7, 0x3f));
  assert_ok(aclrtDestroyStreamForce(stream));
}
static void test_dead_events_are_refused(void **state) {
  (void)state;
  device_open();
  aclrtEvent event = NULL;
  aclrtEventRecordedStatus status;
  float ms;
  assert_ok(aclrtCreateEvent(&event));
  assert_ok(aclrtDestroyEvent(event));
  assert_fails(aclrtRecordEvent(event, NULL), ACL_ERROR_RT_INVALID_HANDLE, "no live event");
  assert_int_equal(aclrtDestroyEvent(event), ACL_ERROR_RT_INVALID_HANDLE);
  assert_int_equal(aclrtStreamWaitEvent(NULL, event), ACL_ERROR_RT_INVALID_HANDLE);
  assert_int_equal(aclrtSynchronizeEvent(event), ACL_ERROR_RT_INVALID_HANDLE);
  assert_int_equal(aclrtQueryEventStatus(event, &status), ACL_ERROR_RT_INVALID_HANDLE);
  assert_int_equal(aclrtResetEvent(event, NULL), ACL_ERROR_RT_INVALID_HANDLE);
  assert_int_equal(aclrtEventElapsedTime(&ms, event, event), ACL_ERROR_RT_INVALID_HANDLE);
}
static void test_event_arguments_are_checked(void **state) {
  (void)state;
  device_open();
  aclrtEvent event = NULL;
  float ms;
  assert_int_equal(aclrtCreateEvent(NULL), ACL_ERROR_INVALID_PARAM);
  assert_fails(aclrtCreateEventWithFlag(&event, 0x4), ACL_ERROR_INVALID_PARAM, "legal bits: 0xb");
  assert_ok(aclrtCreateEvent(&event));
  assert_int_equal(aclrtQueryEventStatus(event, NULL), ACL_ERROR_INVALID_PARAM);
  assert_int_equal(aclrtEventElapsedTime(NULL, event, event), ACL_ERROR_INVALID_PARAM);
  assert_fails(aclrtEventElapsedTime(&ms, event, event), ACL_ERROR_INVALID_PARAM, "recorded and complete");
  int no_stream;
  assert_int_equal(aclrtRecordEvent(event, &no_stream), ACL_ERROR_RT_INVALID_HANDLE);
  assert_int_equal(aclrtStreamWaitEvent(&no_stream, event), ACL_ERROR_RT_INVALID_HANDLE);
}
static void test_events_do_what_their_flags_say(void **state) {
  (void)state;
  device_open();
  aclrtEvent sync = NULL, time = NULL;
  float ms;
  assert_ok(aclrtCreateEventExWithFlag(&sync, ACL_EVENT_SYNC));
  assert_ok(aclrtCreateEventExWithFlag(&time, ACL_EVENT_TIME_LINE));
  assert_ok(aclrtRecordEvent(sync, NULL));
  assert_ok(aclrtRecordEvent(time, NULL));
  assert_ok(aclrtSynchronizeDevice());
  assert_fails(aclrtStreamWaitEvent(NULL, time), ACL_ERROR_RT_PARAM_INVALID, "ACL_EVENT_SYNC");
  assert_fails(aclrtEventElapsedTime(&ms, sync, time), ACL_ERROR_RT_PARAM_INVALID, "ACL_EVENT_TIME_LINE");
  assert_ok(aclrtStreamWaitEvent(NULL, sync));
  assert_ok(aclrtEventElapsedTime(&ms, time, time));
}
static void test_callbacks_are_checked(void **state) {
  (void)state;
  device_open();
  int no_stream;
  assert_int_equal(aclrtLaunchHostFunc(NULL, NULL, NULL), ACL_ERROR_INVALID_PARAM);
  assert_int_equal(aclrtLaunchCallback(NULL, NULL, ACL_CALLBACK_BLOCK, NULL), ACL_ERROR_INVALID_PARAM);
  assert_int_equal(aclrtLaunchHostFunc(&no_stream, free, NULL), ACL_ERROR_RT_INVALID_HANDLE);
}

static void test_nothing_runs_before_somebody_waits(void **state) {
  (void)state;
  device_open();
  void *a = buffer_new(1);
  uint32_t word = 0;
  assert_ok(launch_add(NULL, &add_vector, 4, a, a, 1));
  assert_ok(aclrtMemcpy(&word, 4, a, 4, ACL_MEMCPY_DEVICE_TO_HOST)); /* waits for no stream */
  assert_int_equal(word, 1);
  buffer_check(a, 2);
}
static void test_one_stream_keeps_its_order(void **state) {
  (void)state;
  device_open();
  void *a = buffer_new(0), *b = buffer_new(0);
  aclrtStream stream = stream_new();
  for (uint32_t i = 0; i < 10; i++) {
    assert_ok(launch_add(stream, i % 2 == 0 ? &add_vector : &add_cube, 3 + i, a, b, 1));
    assert_ok(launch_add(stream, &add_vector, 48, b, a, 2));
  }
  assert_ok(aclrtSynchronizeStream(stream));
  buffer_check(a, 30);
  assert_int_equal(findings_all(), 0);
}
static void test_waiting_for_any_stream_runs_all(void **state) {
  (void)state;
  device_open();
  void *a = buffer_new(0), *b = buffer_new(0);
  aclrtStream first = stream_new(), second = stream_new();
  assert_ok(launch_add(first, &add_vector, 4, a, a, 1));
  assert_ok(launch_add(second, &add_vector, 4, b, b, 2));
  assert_ok(aclrtSynchronizeStreamWithTimeout(second, 100));
  buffer_check(a, 1);
  buffer_check(b, 2);
}
static void test_streams_without_an_event_race(void **state) {
  (void)state;
  device_open();
  void *a = buffer_new(0), *b = buffer_new(0);
  aclrtStream first = stream_new(), second = stream_new();
  assert_ok(launch_add(first, &add_vector, 4, a, b, 1));
  assert_ok(launch_add(second, &add_vector, 5, b, a, 2));
  assert_ok(aclrtSynchronizeDevice());
  assert_true(findings_of("SYNC_GM") > 0);
}
static void test_an_event_orders_two_streams(void **state) {
  (void)state;
  device_open();
  void *a = buffer_new(0), *b = buffer_new(0);
  aclrtStream first = stream_new(), second = stream_new();
  aclrtEvent event = NULL;
  assert_ok(aclrtCreateEvent(&event));
  assert_ok(launch_add(first, &add_vector, 4, a, b, 1));
  assert_ok(aclrtRecordEvent(event, first));
  assert_ok(aclrtStreamWaitEvent(second, event));
  assert_ok(launch_add(second, &add_vector, 5, b, a, 2));
  buffer_check(a, 3);
  assert_int_equal(findings_all(), 0);
}
static void test_synchronising_orders_two_streams(void **state) {
  (void)state;
  device_open();
  void *a = buffer_new(0), *b = buffer_new(0);
  aclrtStream first = stream_new(), second = stream_new();
  assert_ok(launch_add(first, &add_vector, 4, a, b, 1));
  assert_ok(aclrtSynchronizeStream(first));
  assert_ok(launch_add(second, &add_vector, 5, b, a, 2));
  buffer_check(a, 3);
  assert_int_equal(findings_all(), 0);
}
/* An event stands for what was issued before its latest record, not for what came later. */
static void test_a_record_covers_its_past_only(void **state) {
  (void)state;
  device_open();
  void *a = buffer_new(0), *b = buffer_new(0);
  aclrtStream first = stream_new(), second = stream_new();
  aclrtEvent event = NULL;
  assert_ok(aclrtCreateEvent(&event));
  assert_ok(aclrtRecordEvent(event, first));
  assert_ok(launch_add(first, &add_vector, 4, a, b, 1));
  assert_ok(aclrtStreamWaitEvent(second, event));
  assert_ok(launch_add(second, &add_vector, 5, b, a, 2));
  assert_ok(aclrtSynchronizeDevice());
  assert_true(findings_of("SYNC_GM") > 0);
}
static void test_event_status(void **state) {
  (void)state;
  device_open();
  aclrtEvent event = NULL;
  aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
  void *a = buffer_new(0);
  assert_ok(aclrtCreateEvent(&event));
  assert_ok(aclrtQueryEventStatus(event, &status)); /* never recorded */
  assert_int_equal(status, ACL_EVENT_RECORDED_STATUS_COMPLETE);
  assert_ok(launch_add(NULL, &add_vector, 4, a, a, 1));
  assert_ok(aclrtRecordEvent(event, NULL));
  assert_ok(aclrtQueryEventStatus(event, &status)); /* polling makes progress */
  assert_int_equal(status, ACL_EVENT_RECORDED_STATUS_COMPLETE);
  assert_ok(aclrtResetEvent(event, NULL));
  assert_ok(aclrtSynchronizeEvent(event));
}
static void test_elapsed_time_is_the_estimate(void **state) {
  (void)state;
  device_open();
  aclrtEvent start = NULL, middle = NULL, end = NULL;
  float first = 0, whole = 0, back = 0;
  void *a = buffer_new(0);
  aclrtStream stream = stream_new();
  assert_ok(aclrtCreateEvent(&start));
  assert_ok(aclrtCreateEvent(&middle));
  assert_ok(aclrtCreateEvent(&end));
  assert_ok(aclrtRecordEvent(start, stream));
  assert_ok(launch_add(stream, &add_vector, 4, a, a, 1));
  assert_ok(aclrtRecordEvent(middle, stream));
  assert_ok(launch_add(stream, &add_vector, 4, a, a, 1));
  assert_ok(aclrtRecordEvent(end, stream));
  assert_ok(aclrtSynchronizeEvent(end));
  assert_ok(aclrtEventElapsedTime(&first, start, middle));
  assert_ok(aclrtEventElapsedTime(&whole, start, end));
  assert_ok(aclrtEventElapsedTime(&back, end, start));
  assert_true(first > 0 && whole > first && back == -whole);
}
static void test_a_destroyed_event_still_ends_what_waits(void **state) {
  (void)state;
  device_open();
  void *a = buffer_new(0), *b = buffer_new(0);
  aclrtStream first = stream_new(), second = stream_new();
  aclrtEvent event = NULL;
  assert_ok(aclrtCreateEvent(&event));
  assert_ok(launch_add(first, &add_vector, 4, a, b, 1));
  assert_ok(aclrtRecordEvent(event, first));
  assert_ok(aclrtStreamWaitEvent(second, event));
  assert_ok(aclrtDestroyEvent(event));
  assert_ok(aclrtDestroyStream(first));
  assert_ok(launch_add(second, &add_vector, 5, b, a, 2));
  buffer_check(a, 3);
  assert_int_equal(findings_all(), 0);
}

typedef struct seen { void *buffer; uint32_t value; int calls; } seen;
static void look(void *context) {
  seen *s = context;
  s->calls++;
  assert_ok(aclrtMemcpy(&s->value, 4, s->buffer, 4, ACL_MEMCPY_DEVICE_TO_HOST));
}
static void test_callbacks_run_in_stream_order(void **state) {
  (void)state;
  device_open();
  void *a = buffer_new(0);
  aclrtStream stream = stream_new();
  seen first = {a, 99, 0}, second = {a, 99, 0};
  assert_ok(launch_add(stream, &add_vector, 4, a, a, 1));
  assert_ok(aclrtLaunchHostFunc(stream, look, &first));
  assert_ok(launch_add(stream, &add_vector, 4, a, a, 1));
  assert_ok(aclrtLaunchCallback(look, &second, ACL_CALLBACK_NO_BLOCK, stream));
  assert_int_equal(first.calls, 0);
  assert_ok(aclrtSynchronizeStream(stream));
  assert_int_equal(first.calls + second.calls, 2);
  assert_int_equal(first.value, 1);
  assert_int_equal(second.value, 2);
}
static void queue_more(void *context) {
  seen *s = context;
  assert_ok(launch_add(NULL, &add_vector, 4, s->buffer, s->buffer, 10));
  assert_ok(aclrtSynchronizeDevice()); /* its own past: returns at once */
  s->calls++;
}
static void test_a_callback_may_queue_work(void **state) {
  (void)state;
  device_open();
  seen s = {buffer_new(0), 0, 0};
  assert_ok(aclrtLaunchHostFunc(NULL, queue_more, &s));
  buffer_check(s.buffer, 10);
  assert_int_equal(s.calls, 1);
}

/* Two threads, each with a stream, events and memory of its own. */
static void *work_on_thread(void *context) {
  (void)context;
  aclrtStream stream = stream_new();
  for (uint32_t i = 0; i < 100; i++) {
    void *a = buffer_new(i), *b = buffer_new(0);
    aclrtEvent event = NULL;
    assert_ok(aclrtCreateEvent(&event));
    assert_ok(launch_add(stream, &add_vector, 1 + i % 9, a, b, 1));
    assert_ok(aclrtRecordEvent(event, stream));
    assert_ok(launch_add(stream, &add_cube, 1 + i % 7, b, a, 2));
    assert_ok(i % 2 == 0 ? aclrtSynchronizeEvent(event) : aclrtSynchronizeStream(stream));
    buffer_check(a, i + 3);
    assert_ok(aclrtDestroyEvent(event));
    assert_ok(aclrtFree(a));
    assert_ok(aclrtFree(b));
  }
  assert_ok(aclrtDestroyStream(stream));
  return NULL;
}
static void test_two_host_threads(void **state) {
  (void)state;
  device_open();
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&threads[i], NULL, work_on_thread, NULL), 0);
  for (int i = 0; i < 2; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
  assert_int_equal(findings_all(), 0);
}

/* What a callback waits for, and how often it came back. */
typedef struct waiting { aclrtEvent event; aclrtStream stream; int returned; } waiting;
static void wait_in_callback(void *context) {
  waiting *w = context;
  aclrtEventRecordedStatus status;
  if (w->event != NULL) {
    assert_ok(aclrtSynchronizeEvent(w->event));
    assert_ok(aclrtQueryEventStatus(w->event, &status));
  }
  if (w->stream != NULL) assert_ok(aclrtSynchronizeStream(w->stream));
  w->returned++;
}
/* first: callback, record a; second: wait a, record b; third: wait b. All of it comes behind the callback. */
static void wait_for_what_comes_behind(int what) {
  device_open();
  aclrtStream first = stream_new(), second = stream_new(), third = stream_new();
  aclrtEvent a, b;
  assert_ok(aclrtCreateEvent(&a));
  assert_ok(aclrtCreateEvent(&b));
  waiting w = {what == 0 ? a : what == 1 ? b : NULL, what == 2 ? third : what == 3 ? first : NULL, 0};
  assert_ok(aclrtLaunchHostFunc(first, wait_in_callback, &w));
  assert_ok(aclrtRecordEvent(a, first));
  assert_ok(aclrtStreamWaitEvent(second, a));
  assert_ok(aclrtRecordEvent(b, second));
  assert_ok(aclrtStreamWaitEvent(third, b));
  assert_ok(aclrtSynchronizeDevice());
  assert_int_equal(w.returned, 1);
  assert_true(findings_of("DEADLOCK") >= 1);
}
static void test_a_callback_waits_for_an_event_behind_it(void **state) {
  (void)state;
  wait_for_what_comes_behind(0);
}
static void test_a_callback_waits_for_an_event_of_another_stream(void **state) {
  (void)state;
  wait_for_what_comes_behind(1);
}
static void test_a_callback_waits_for_a_stream_that_waits_for_it(void **state) {
  (void)state;
  wait_for_what_comes_behind(2);
}
static void test_a_callback_waits_for_its_own_stream(void **state) {
  (void)state;
  wait_for_what_comes_behind(3);
}
/* The same events, recorded before the callback, or again where nothing holds them. */
static void test_a_callback_may_wait_for_what_does_not_wait_for_it(void **state) {
  (void)state;
  device_open();
  aclrtStream first = stream_new(), second = stream_new(), third = stream_new();
  aclrtEvent a, b;
  assert_ok(aclrtCreateEvent(&a));
  assert_ok(aclrtCreateEvent(&b));
  waiting before = {a, second, 0}, again = {b, NULL, 0};
  assert_ok(aclrtRecordEvent(a, first));
  assert_ok(aclrtLaunchHostFunc(first, wait_in_callback, &before));
  assert_ok(aclrtStreamWaitEvent(second, a));
  assert_ok(aclrtLaunchHostFunc(first, wait_in_callback, &again));
  assert_ok(aclrtRecordEvent(b, first));
  assert_ok(aclrtRecordEvent(b, third));
  assert_ok(aclrtSynchronizeDevice());
  assert_int_equal(before.returned + again.returned, 2);
  assert_int_equal(findings_of("DEADLOCK"), 0);
}

SK_TESTS(SK_TEST(test_two_host_threads), SK_TEST(test_dead_streams_are_refused), SK_TEST(test_stream_arguments_are_checked), SK_TEST(test_dead_events_are_refused),
         SK_TEST(test_event_arguments_are_checked), SK_TEST(test_events_do_what_their_flags_say), SK_TEST(test_callbacks_are_checked),
         SK_TEST(test_nothing_runs_before_somebody_waits), SK_TEST(test_one_stream_keeps_its_order),
         SK_TEST(test_waiting_for_any_stream_runs_all), SK_TEST(test_streams_without_an_event_race),
         SK_TEST(test_an_event_orders_two_streams), SK_TEST(test_synchronising_orders_two_streams),
         SK_TEST(test_a_record_covers_its_past_only), SK_TEST(test_event_status), SK_TEST(test_elapsed_time_is_the_estimate),
         SK_TEST(test_a_destroyed_event_still_ends_what_waits), SK_TEST(test_callbacks_run_in_stream_order),
         SK_TEST(test_a_callback_may_queue_work),
         SK_TEST(test_a_callback_waits_for_an_event_behind_it), SK_TEST(test_a_callback_waits_for_an_event_of_another_stream),
         SK_TEST(test_a_callback_waits_for_a_stream_that_waits_for_it), SK_TEST(test_a_callback_waits_for_its_own_stream),
         SK_TEST(test_a_callback_may_wait_for_what_does_not_wait_for_it))
