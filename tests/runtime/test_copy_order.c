/* Copies and memsets of streams, and what nothing orders with them: each finding beside its silent twin. */
#include "device_fixture.h"

static void *pinned_new(void) {
  void *host = NULL;
  assert_ok(aclrtMallocHost(&host, BUFFER_BYTES));
  memset(host, 7, BUFFER_BYTES);
  return host;
}

static void event_between(aclrtStream from, aclrtStream to) {
  aclrtEvent event = NULL;
  assert_ok(aclrtCreateEvent(&event));
  assert_ok(aclrtRecordEvent(event, from));
  assert_ok(aclrtStreamWaitEvent(to, event));
}

typedef struct two { aclrtStream first, second; void *a, *b, *c; } two;
static two two_open(void) {
  device_open();
  return (two){stream_new(), stream_new(), buffer_new(1), buffer_new(2), buffer_new(3)};
}

/* What `first` does, perhaps an event, and what `second` does: the findings. */
typedef void (*act)(const two *t, aclrtStream stream);
static size_t findings_between(const two *t, act one, act other, bool ordered) {
  size_t before = findings_of("SYNC_GM");
  one(t, t->first);
  if (ordered) event_between(t->first, t->second);
  other(t, t->second);
  assert_ok(aclrtSynchronizeDevice());
  return findings_of("SYNC_GM") - before;
}

static void kernel_reads(const two *t, aclrtStream s) { assert_ok(launch_add(s, &add_vector, 8, t->a, t->c, 1)); }
static void kernel_writes(const two *t, aclrtStream s) { assert_ok(launch_add(s, &add_vector, 8, t->c, t->a, 1)); }
static void copy_reads(const two *t, aclrtStream s) { assert_ok(aclrtMemcpyAsync(t->b, BUFFER_BYTES, t->a, BUFFER_BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, s)); }
static void copy_writes(const two *t, aclrtStream s) { assert_ok(aclrtMemcpyAsync(t->a, BUFFER_BYTES, t->b, BUFFER_BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, s)); }
static void set_writes(const two *t, aclrtStream s) { assert_ok(aclrtMemsetAsync(t->a, BUFFER_BYTES, 0, BUFFER_BYTES, s)); }
static void host_reads(const two *t, aclrtStream s) { assert_ok(aclrtMemcpyAsync(pinned_new(), BUFFER_BYTES, t->a, BUFFER_BYTES, ACL_MEMCPY_DEVICE_TO_HOST, s)); }
static void host_writes(const two *t, aclrtStream s) { assert_ok(aclrtMemcpyAsync(t->a, BUFFER_BYTES, pinned_new(), BUFFER_BYTES, ACL_MEMCPY_HOST_TO_DEVICE, s)); }
static void pageable_writes(const two *t, aclrtStream s) {
  static uint8_t bytes[BUFFER_BYTES];
  assert_ok(aclrtMemcpyAsync(t->a, BUFFER_BYTES, bytes, BUFFER_BYTES, ACL_MEMCPY_HOST_TO_DEVICE, s));
}

/* One side writes: found in either order of the streams, and silent with an event. */
static void conflict(act one, act other) {
  two t = two_open();
  assert_int_equal(findings_between(&t, one, other, true), 0);
  assert_int_equal(findings_between(&t, other, one, true), 0);
  assert_int_equal(findings_all(), 0);
  assert_true(findings_between(&t, one, other, false) > 0);
  assert_int_equal(findings_all(), findings_of("SYNC_GM"));
}

static void a_copy_reads_what_a_kernel_writes(void **state) { (void)state; conflict(kernel_writes, copy_reads); }
static void a_kernel_writes_what_a_copy_reads(void **state) { (void)state; conflict(copy_reads, kernel_writes); }
static void a_kernel_reads_what_a_copy_writes(void **state) { (void)state; conflict(copy_writes, kernel_reads); }
static void a_copy_overwrites_what_a_kernel_writes(void **state) { (void)state; conflict(kernel_writes, copy_writes); }
static void a_kernel_reads_what_a_memset_clears(void **state) { (void)state; conflict(set_writes, kernel_reads); }
static void a_copy_reads_what_a_memset_clears(void **state) { (void)state; conflict(set_writes, copy_reads); }
static void two_copies(void **state) { (void)state; conflict(copy_writes, copy_reads); }
static void a_copy_to_the_host(void **state) { (void)state; conflict(kernel_writes, host_reads); }
static void a_copy_from_the_host(void **state) { (void)state; conflict(host_writes, kernel_reads); }

/* A later copy of the same stream, which the other knows, must not cover an earlier one of a third. */
static void copies_of_a_third_stream(void **state) {
  (void)state;
  two t = two_open();
  aclrtStream third = stream_new();
  void *d = buffer_new(0), *e = buffer_new(0);
  copy_writes(&t, third);
  assert_ok(aclrtMemcpyAsync(d, BUFFER_BYTES, e, BUFFER_BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, t.first));
  event_between(t.first, t.second);
  kernel_reads(&t, t.second);
  assert_ok(aclrtSynchronizeDevice());
  assert_true(findings_of("SYNC_GM") > 0);
}

static void both_read(void **state) {
  (void)state;
  two t = two_open();
  assert_int_equal(findings_between(&t, kernel_reads, copy_reads, false), 0);
  assert_int_equal(findings_between(&t, copy_reads, host_reads, false), 0);
  assert_int_equal(findings_all(), 0);
}

static void waiting_orders(void **state) {
  (void)state;
  two t = two_open();
  copy_writes(&t, t.first);
  assert_ok(aclrtSynchronizeStream(t.first));
  kernel_reads(&t, t.second);
  assert_ok(aclrtSynchronizeDevice());
  kernel_writes(&t, t.first);
  buffer_check(t.b, 2);
  assert_int_equal(findings_all(), 0);
}

static void kernel_reads_b(const two *t, aclrtStream s) { assert_ok(launch_add(s, &add_vector, 8, t->b, t->c, 1)); }

/* Giving back an event that has nothing to do with it is no waiting; to ask for one until it is over is. */
static void what_orders_and_what_does_not(void **state) {
  (void)state;
  two t = two_open();
  aclrtEvent event = NULL, other = NULL;
  aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
  assert_ok(aclrtCreateEvent(&event));
  assert_ok(aclrtCreateEvent(&other));
  kernel_writes(&t, t.first);
  assert_ok(aclrtRecordEvent(event, t.first));
  while (status != ACL_EVENT_RECORDED_STATUS_COMPLETE) assert_ok(aclrtQueryEventStatus(event, &status));
  copy_reads(&t, t.second);
  assert_ok(aclrtSynchronizeDevice());
  assert_int_equal(findings_all(), 0);
  copy_reads(&t, t.first);
  assert_ok(aclrtDestroyEvent(other));
  kernel_reads_b(&t, t.second);
  assert_ok(aclrtSynchronizeDevice());
  assert_true(findings_of("SYNC_GM") > 0);
}

/* With memory that may be paged the call returns when the copy is done. */
static void a_copy_of_pageable_memory_is_over_at_once(void **state) {
  (void)state;
  two t = two_open();
  assert_int_equal(findings_between(&t, pageable_writes, kernel_reads, false), 0);
  assert_int_equal(findings_all(), 0);
}

/* Copying what nobody has written is no reading of it. */
static void unwritten_bytes_may_be_copied(void **state) {
  (void)state;
  two t = two_open();
  void *fresh = NULL;
  assert_ok(aclrtMalloc(&fresh, BUFFER_BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
  assert_ok(aclrtMemcpyAsync(t.a, BUFFER_BYTES, fresh, BUFFER_BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, t.first));
  assert_ok(aclrtSynchronizeDevice());
  assert_int_equal(findings_all(), 0);
}

SK_TESTS(SK_TEST(a_copy_reads_what_a_kernel_writes), SK_TEST(a_kernel_writes_what_a_copy_reads), SK_TEST(a_kernel_reads_what_a_copy_writes),
         SK_TEST(a_copy_overwrites_what_a_kernel_writes), SK_TEST(a_kernel_reads_what_a_memset_clears), SK_TEST(a_copy_reads_what_a_memset_clears),
         SK_TEST(two_copies), SK_TEST(a_copy_to_the_host), SK_TEST(a_copy_from_the_host), SK_TEST(copies_of_a_third_stream), SK_TEST(both_read),
         SK_TEST(waiting_orders), SK_TEST(what_orders_and_what_does_not), SK_TEST(a_copy_of_pageable_memory_is_over_at_once), SK_TEST(unwritten_bytes_may_be_copied))
