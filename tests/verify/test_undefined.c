/* Memory that nobody has written: what a run finds there, and who is told when a result depends on it. */
#include "base/memory.h"
#include "twin_fixture.h"
#include "verify/undefined.h"

static void *unwritten(void) {
  void *memory = NULL;
  assert_ok(aclrtMalloc(&memory, BUFFER_BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
  return memory;
}

static sk__verifier *verifier;

/* All work is done, and the host looks at the buffer. */
static void take(const void *buffer, uint8_t to[BUFFER_BYTES]) {
  assert_ok(aclrtSynchronizeDevice());
  assert_ok(aclrtMemcpy(to, BUFFER_BYTES, buffer, BUFFER_BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
  sk__verifier_collect(verifier);
}

static void test_a_result_that_the_host_takes(void **state) {
  (void)state;
  uint8_t host[BUFFER_BYTES];
  verifier = twin_open("unfused,fused,fused/reversed");
  void *from = unwritten(), *to = buffer_new(7);
  launch(NULL, &add_vector, 8, from, to, 1);
  assert_ok(aclrtSynchronizeDevice());
  assert_int_equal(shown("UNINITIALISED_READ"), 1);
  assert_int_equal(shown("UNDEFINED_RESULT"), 0);
  assert_int_equal(mode_of("fused")->outcome, SK__SAME);
  take(to, host);
  assert_int_equal(shown("UNDEFINED_RESULT"), 1);
  assert_int_equal(mode_of("fused")->outcome, SK__MISMATCH);
  assert_int_equal(mode_of("fused/reversed")->outcome, SK__MISMATCH);
  assert_int_equal(mode_of("fused")->difference_count, 1);
  assert_int_equal(mode_of("fused")->differences[0].how.differing, SLOTS * 8);
  assert_int_equal(host[0], 1); /* the reference's: what was there, and 1 */
}
static void test_memory_stays_as_it_was_found(void **state) {
  (void)state;
  uint8_t before[BUFFER_BYTES], after[BUFFER_BYTES];
  verifier = twin_open("unfused,fused");
  uint8_t *from = unwritten();
  memcpy(before, from, sizeof before);
  launch(NULL, &add_vector, 8, from, buffer_new(0), 1);
  launch(NULL, &add_vector, 8, from, buffer_new(0), 2);
  assert_ok(aclrtSynchronizeDevice());
  memcpy(after, from, sizeof after);
  assert_memory_equal(before, after, sizeof before);
}
static void test_what_nobody_takes_is_nobody_s_business(void **state) {
  (void)state;
  uint8_t host[BUFFER_BYTES];
  verifier = twin_open("unfused,fused");
  void *from = unwritten(), *workspace = buffer_new(0), *result = buffer_new(0);
  launch(NULL, &add_vector, 8, from, workspace, 1);
  launch(NULL, &add_vector, 8, buffer_new(4), result, 1);
  take(result, host);
  assert_int_equal(shown("UNDEFINED_RESULT"), 0);
  assert_int_equal(mode_of("fused")->outcome, SK__SAME);
}
static void test_what_was_written_anew_is_defined(void **state) {
  (void)state;
  uint8_t host[BUFFER_BYTES];
  verifier = twin_open("unfused,fused");
  void *from = unwritten(), *by_host = buffer_new(0), *by_kernel = buffer_new(0), *good = buffer_new(4);
  launch(NULL, &add_vector, 8, from, by_host, 1);
  launch(NULL, &add_vector, 8, from, by_kernel, 1);
  assert_ok(aclrtSynchronizeDevice());
  assert_ok(aclrtMemset(by_host, BUFFER_BYTES, 0, BUFFER_BYTES));
  launch(NULL, &add_vector, 8, good, by_kernel, 1);
  take(by_host, host);
  take(by_kernel, host);
  assert_int_equal(shown("UNDEFINED_RESULT"), 0);
}
/* Segment by segment: unwritten -> between -> to. With `anew` somebody writes between in between. */
static void hand_on(bool anew) {
  uint8_t host[BUFFER_BYTES];
  verifier = twin_open("unfused,fused,fused/reversed");
  void *between = buffer_new(0), *further = buffer_new(0), *to = buffer_new(7);
  launch(NULL, &add_vector, 8, unwritten(), between, 1);
  assert_ok(aclrtSynchronizeDevice());
  if (anew) launch(NULL, &add_vector, 8, to, between, 1);
  assert_ok(aclrtSynchronizeDevice());
  launch(NULL, &add_vector, 8, between, buffer_new(0), 1); /* reads it, and nobody looks */
  assert_ok(aclrtSynchronizeDevice());
  launch(NULL, &add_vector, 8, between, further, 1);
  assert_ok(aclrtSynchronizeDevice());
  launch(NULL, &add_vector, 8, further, to, 1);
  take(to, host);
}
static void test_results_that_later_segments_read(void **state) {
  (void)state;
  hand_on(false);
  assert_int_equal(shown("UNDEFINED_RESULT"), 1);
  assert_int_equal(mode_of("fused")->outcome, SK__MISMATCH);
}
static void test_later_segments_and_what_was_written_anew(void **state) {
  (void)state;
  hand_on(true);
  assert_int_equal(shown("UNDEFINED_RESULT"), 0);
  assert_int_equal(mode_of("fused")->outcome, SK__SAME);
}
static void test_other_bytes_leave_no_trace(void **state) {
  (void)state;
  uint8_t before[BUFFER_BYTES], after[BUFFER_BYTES];
  verifier = twin_open("unfused,fused");
  uint8_t *between = buffer_new(0);
  launch(NULL, &add_vector, 8, unwritten(), between, 1);
  assert_ok(aclrtSynchronizeDevice());
  memcpy(before, between, sizeof before);
  launch(NULL, &add_vector, 8, between, buffer_new(0), 1);
  assert_ok(aclrtSynchronizeDevice());
  memcpy(after, between, sizeof after);
  assert_memory_equal(before, after, sizeof before);
  assert_int_equal(mode_of("fused")->outcome, SK__SAME);
}
static void test_what_was_freed_is_forgotten(void **state) {
  (void)state;
  uint8_t host[BUFFER_BYTES];
  verifier = twin_open("unfused,fused");
  void *from = unwritten(), *to = buffer_new(0);
  launch(NULL, &add_vector, 8, from, to, 1);
  assert_ok(aclrtSynchronizeDevice());
  assert_ok(aclrtFree(to));
  take(buffer_new(0), host);
  assert_int_equal(shown("UNDEFINED_RESULT"), 0);
}
static void test_plain_runs_find_what_is_there(void **state) {
  (void)state;
  uint8_t host[BUFFER_BYTES];
  verifier = twin_open(NULL);
  uint8_t *from = unwritten();
  void *to = buffer_new(0);
  memset(from, 5, BUFFER_BYTES); /* told to nobody */
  launch(NULL, &add_vector, 8, from, to, 1);
  take(to, host);
  assert_int_equal(host[0], 6);
  assert_int_equal(shown("UNDEFINED_RESULT"), 0);
}

/* Whatever is refused, that somebody read what nobody wrote is told. */
static void test_refused_memory_tells_less(void **state) {
  (void)state;
#if SK__HARD
  verifier = twin_open(NULL);
  sk__machine *machine = sk__runtime_machine(sk__runtime_get());
  uint8_t *to = buffer_new(7);
  uint8_t other[BUFFER_BYTES];
  memset(other, 0xff, sizeof other); /* no byte is equal: one stretch */
  sk__piece piece = {(uint64_t)to, BUFFER_BYTES, other};
  const sk__image reference = {&piece, 1, SK_OK};
  sk__machine_options alone = *sk__machine_options_of(machine);
  alone.threads = 1;
  sk__machine_configure(machine, &alone);
  sk__undefined_prepare(machine, false);
  launch(NULL, &add_vector, 8, unwritten(), buffer_new(0), 1);
  assert_ok(aclrtSynchronizeDevice());
  for (uint64_t n = 1;; n++) {
    sk__undefined found;
    sk__alloc_fail_at(n);
    sk__undefined_take(machine, &reference, NULL, &found);
    sk__alloc_fail_at(0);
    assert_true(found.read);
    size_t count = found.count;
    sk__undefined_free(&found);
    if (count == 0) continue;
    assert_int_equal(n, 3); /* a block to compare in, and the list of stretches */
    assert_int_equal(count, 1);
    return;
  }
#else
  skip();
#endif
}

SK_TESTS(SK_TEST(test_a_result_that_the_host_takes), SK_TEST(test_memory_stays_as_it_was_found), SK_TEST(test_what_nobody_takes_is_nobody_s_business),
         SK_TEST(test_what_was_written_anew_is_defined), SK_TEST(test_what_was_freed_is_forgotten), SK_TEST(test_plain_runs_find_what_is_there),
         SK_TEST(test_refused_memory_tells_less),
         SK_TEST(test_results_that_later_segments_read), SK_TEST(test_later_segments_and_what_was_written_anew),
         SK_TEST(test_other_bytes_leave_no_trace))
