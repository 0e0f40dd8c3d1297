/* Values that streams write and wait for: misuse, what can never come, then use. */
#include <pthread.h>
#include <unistd.h>

#include "device_fixture.h"

static uint64_t *word_new(uint64_t value) {
  void *word = NULL;
  assert_ok(aclrtMalloc(&word, 32, ACL_MEM_MALLOC_HUGE_FIRST));
  assert_ok(aclrtMemcpy(word, sizeof value, &value, sizeof value, ACL_MEMCPY_HOST_TO_DEVICE));
  return word;
}
static uint64_t word_of(const uint64_t *word) {
  uint64_t value = 0;
  assert_ok(aclrtMemcpy(&value, sizeof value, word, sizeof value, ACL_MEMCPY_DEVICE_TO_HOST));
  return value;
}

static void test_arguments_are_checked(void **state) {
  (void)state;
  device_open();
  uint64_t *word = word_new(0), host = 0;
  assert_fails(aclrtValueWrite(NULL, 1, 0, NULL), ACL_ERROR_INVALID_PARAM, "devAddr is NULL");
  assert_fails(aclrtValueWait(NULL, 1, 0, NULL), ACL_ERROR_INVALID_PARAM, "devAddr is NULL");
  assert_fails(aclrtValueWrite((char *)word + 4, 1, 0, NULL), ACL_ERROR_INVALID_PARAM, "multiple of 8");
  assert_fails(aclrtValueWait((char *)word + 32, 1, 0, NULL), ACL_ERROR_INVALID_PARAM, "no live device memory");
  assert_fails(aclrtValueWrite(&host, 1, 0, NULL), ACL_ERROR_INVALID_PARAM, "no live device memory");
  assert_fails(aclrtValueWrite(word, 1, 1, NULL), ACL_ERROR_INVALID_PARAM, "legal: 0");
  assert_fails(aclrtValueWait(word, 1, 4, NULL), ACL_ERROR_INVALID_PARAM, "3 NOR");
  assert_fails(aclrtValueWait(word, 1, 0, &host), ACL_ERROR_RT_INVALID_HANDLE, "no live stream");
}

/* ---- what can never come ---- */

static void test_nobody_writes_it(void **state) {
  (void)state;
  device_open();
  uint64_t *word = word_new(0);
  void *to = buffer_new(0);
  aclrtStream stream = stream_new();
  assert_ok(aclrtValueWait(word, 1, ACL_STREAM_WAIT_VALUE_GEQ, stream));
  assert_ok(launch_add(stream, &add_vector, 8, to, to, 1));
  assert_true(aclrtSynchronizeStream(stream) != ACL_SUCCESS);
  assert_int_equal(findings_of("DEADLOCK"), 1);
  buffer_check(to, 0); /* what hung is gone, and the device goes on */
  assert_ok(launch_add(stream, &add_vector, 8, to, to, 1));
  buffer_check(to, 1);
  assert_int_equal(findings_all(), 1);
}
static void test_two_streams_wait_for_each_other(void **state) {
  (void)state;
  device_open();
  uint64_t *x = word_new(0), *y = word_new(0);
  aclrtStream a = stream_new(), b = stream_new();
  assert_ok(aclrtValueWait(x, 1, ACL_STREAM_WAIT_VALUE_EQ, a));
  assert_ok(aclrtValueWrite(y, 1, 0, a));
  assert_ok(aclrtValueWait(y, 1, ACL_STREAM_WAIT_VALUE_EQ, b));
  assert_ok(aclrtValueWrite(x, 1, 0, b));
  assert_true(aclrtSynchronizeDevice() != ACL_SUCCESS);
  assert_int_equal(findings_of("DEADLOCK"), 1); /* one cause, however many wait */
}
static void test_an_event_behind_it(void **state) {
  (void)state;
  device_open();
  uint64_t *word = word_new(0);
  aclrtStream a = stream_new(), b = stream_new();
  aclrtEvent event = NULL;
  assert_ok(aclrtCreateEvent(&event));
  assert_ok(aclrtValueWait(word, 1, ACL_STREAM_WAIT_VALUE_GEQ, a));
  assert_ok(aclrtRecordEvent(event, a));
  assert_ok(aclrtStreamWaitEvent(b, event));
  assert_ok(aclrtValueWrite(word, 1, 0, b));
  assert_true(aclrtSynchronizeEvent(event) != ACL_SUCCESS);
  assert_int_equal(findings_of("DEADLOCK"), 1);
}

/* ---- use ---- */

static void test_conditions(void **state) {
  (void)state;
  static const struct { uint64_t memory, value; uint32_t flag; bool holds; } cases[] = {
      {5, 5, ACL_STREAM_WAIT_VALUE_GEQ, true},  {4, 5, ACL_STREAM_WAIT_VALUE_GEQ, false},
      {1, UINT64_MAX, ACL_STREAM_WAIT_VALUE_GEQ, true}, /* 2 further, round the end */
      {UINT64_MAX, 1, ACL_STREAM_WAIT_VALUE_GEQ, false},
      {5, 5, ACL_STREAM_WAIT_VALUE_EQ, true},   {6, 5, ACL_STREAM_WAIT_VALUE_EQ, false},
      {6, 2, ACL_STREAM_WAIT_VALUE_AND, true},  {5, 2, ACL_STREAM_WAIT_VALUE_AND, false},
      {5, 2, ACL_STREAM_WAIT_VALUE_NOR, true},  {UINT64_MAX - 1, 1, ACL_STREAM_WAIT_VALUE_NOR, false},
  };
  device_open();
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    uint64_t *word = word_new(cases[i].memory);
    aclrtStream stream = stream_new();
    assert_ok(aclrtValueWait(word, cases[i].value, cases[i].flag, stream));
    if ((aclrtSynchronizeStream(stream) == ACL_SUCCESS) != cases[i].holds) fail_msg("case %zu", i);
  }
}
static void test_a_write_is_of_64_bits(void **state) {
  (void)state;
  device_open();
  uint64_t *word = word_new(0);
  assert_ok(aclrtValueWrite(word, UINT64_C(0x123456789abcdef0), 0, NULL));
  assert_ok(aclrtSynchronizeStream(NULL));
  assert_true(word_of(word) == UINT64_C(0x123456789abcdef0));
}

/* b: two launches, a write; a: a launch of what b made, behind a wait that is queued first. */
static void hand_over(bool wait) {
  uint64_t *word = word_new(0);
  void *from = buffer_new(1), *between = buffer_new(0), *to = buffer_new(0);
  aclrtStream a = stream_new(), b = stream_new();
  if (wait) assert_ok(aclrtValueWait(word, 7, ACL_STREAM_WAIT_VALUE_EQ, a));
  if (wait) assert_ok(launch_add(a, &add_vector, 8, between, to, 1));
  assert_ok(launch_add(b, &add_cube, 8, from, between, 1));
  assert_ok(launch_add(b, &add_vector, 8, between, between, 1));
  assert_ok(aclrtValueWrite(word, 7, 0, b));
  if (!wait) assert_ok(launch_add(a, &add_vector, 8, between, to, 1));
  buffer_check(to, 4);
}
static void test_a_write_that_is_queued_later(void **state) {
  (void)state;
  device_open();
  hand_over(true);
  assert_int_equal(findings_all(), 0);
}
static void test_without_the_wait_it_races(void **state) {
  (void)state;
  device_open();
  hand_over(false);
  assert_true(findings_of("SYNC_GM") > 0);
}
static void test_what_does_not_wait_goes_on(void **state) {
  (void)state;
  device_open();
  uint64_t *word = word_new(0);
  void *to = buffer_new(0), *other = buffer_new(0);
  aclrtStream a = stream_new(), b = stream_new();
  assert_ok(aclrtValueWait(word, 1, ACL_STREAM_WAIT_VALUE_GEQ, a));
  assert_ok(launch_add(a, &add_vector, 8, to, to, 1));
  assert_ok(launch_add(b, &add_vector, 8, other, other, 1));
  assert_ok(aclrtSynchronizeStream(b));
  uint32_t first = 9;
  assert_ok(aclrtMemcpy(&first, sizeof first, other, sizeof first, ACL_MEMCPY_DEVICE_TO_HOST));
  assert_int_equal(first, 1);
  assert_ok(aclrtMemcpy(&first, sizeof first, to, sizeof first, ACL_MEMCPY_DEVICE_TO_HOST));
  assert_int_equal(first, 0);
  assert_ok(aclrtValueWrite(word, 1, 0, b));
  buffer_check(to, 1);
  assert_int_equal(findings_all(), 0);
}
static void test_the_host_writes_it(void **state) {
  (void)state;
  device_open();
  uint64_t *word = word_new(0), one = 1;
  void *to = buffer_new(0);
  aclrtStream stream = stream_new();
  assert_ok(aclrtValueWait(word, 1, ACL_STREAM_WAIT_VALUE_EQ, stream));
  assert_ok(launch_add(stream, &add_vector, 8, to, to, 1));
  assert_ok(aclrtMemcpy(word, sizeof one, &one, sizeof one, ACL_MEMCPY_HOST_TO_DEVICE));
  assert_ok(aclrtSynchronizeStream(stream));
  buffer_check(to, 1);
}
static void test_a_fill_of_another_stream_writes_it(void **state) {
  (void)state;
  device_open();
  uint64_t *word = word_new(0);
  void *to = buffer_new(0);
  aclrtStream a = stream_new(), b = stream_new();
  assert_ok(aclrtValueWait(word, UINT64_C(0x0101010101010101), ACL_STREAM_WAIT_VALUE_EQ, a));
  assert_ok(launch_add(a, &add_vector, 8, to, to, 1));
  assert_ok(aclrtMemsetAsync(word, 8, 1, 8, b));
  buffer_check(to, 1);
}
static void test_a_kernel_writes_it(void **state) {
  (void)state;
  device_open();
  uint32_t *flags = buffer_new(0);
  void *to = buffer_new(0), *from = buffer_new(0);
  aclrtStream a = stream_new(), b = stream_new();
  assert_ok(aclrtValueWait(flags, UINT64_C(0x0000000500000005), ACL_STREAM_WAIT_VALUE_EQ, a));
  assert_ok(launch_add(a, &add_vector, 8, flags, to, 1)); /* reads what the other kernel wrote */
  assert_ok(launch_add(b, &add_vector, 8, from, flags, 5));
  buffer_check(to, 6);
  assert_int_equal(findings_all(), 0);
}
/* The streams take turns at one buffer; each tells the other by a word of its own, from the last to the first. Fills tell nothing
 * of who made them: what waits comes after all that streams have done by then. */
static void take_turns(bool fill) {
  enum { TURNS = 24 };
  uint64_t *words = NULL;
  assert_ok(aclrtMalloc((void **)&words, TURNS * sizeof *words, ACL_MEM_MALLOC_HUGE_FIRST));
  assert_ok(aclrtMemset(words, TURNS * sizeof *words, 0, TURNS * sizeof *words));
  void *to = buffer_new(0);
  aclrtStream streams[2] = {stream_new(), stream_new()};
  for (int turn = 0; turn < TURNS; turn++) {
    uint64_t *word = words + TURNS - 1 - turn;
    aclrtStream mine = streams[turn % 2], others = streams[(turn + 1) % 2];
    assert_ok(launch_add(mine, &add_vector, 8, to, to, 1));
    assert_ok(fill ? aclrtMemsetAsync(word, sizeof *word, 1, sizeof *word, mine) : aclrtValueWrite(word, 1, 0, mine));
    assert_ok(aclrtValueWait(word, 1, ACL_STREAM_WAIT_VALUE_GEQ, others));
  }
  buffer_check(to, TURNS);
  assert_int_equal(findings_all(), 0);
}
static void test_many_words_take_turns(void **state) {
  (void)state;
  device_open();
  take_turns(false);
}
static void test_many_fills_take_turns(void **state) {
  (void)state;
  device_open();
  take_turns(true);
}
/* What is launched behind the last word of another stream races, however much was ordered before. */
static void test_after_the_turns_it_races(void **state) {
  (void)state;
  device_open();
  uint64_t *word = word_new(0);
  void *to = buffer_new(0);
  aclrtStream a = stream_new(), b = stream_new();
  assert_ok(launch_add(a, &add_vector, 8, to, to, 1));
  assert_ok(aclrtMemsetAsync(word, 8, 1, 8, a));
  assert_ok(aclrtValueWait(word, 1, ACL_STREAM_WAIT_VALUE_GEQ, b));
  assert_ok(launch_add(a, &add_vector, 8, to, to, 1));
  assert_ok(aclrtValueWait(word, 1, ACL_STREAM_WAIT_VALUE_GEQ, a));
  assert_ok(launch_add(b, &add_vector, 8, to, to, 1));
  assert_ok(aclrtSynchronizeDevice());
  assert_true(findings_of("SYNC_GM") > 0);
}
static void test_a_word_reset_in_between(void **state) {
  (void)state;
  device_open();
  uint64_t *word = word_new(1);
  void *to = buffer_new(0);
  aclrtStream a = stream_new(), b = stream_new();
  assert_ok(aclrtValueWrite(word, 0, 0, a));
  assert_ok(aclrtValueWait(word, 1, ACL_STREAM_WAIT_VALUE_EQ, a));
  assert_ok(launch_add(a, &add_vector, 8, to, to, 1));
  assert_true(aclrtSynchronizeStream(b) == ACL_SUCCESS);
  assert_int_equal(word_of(word), 0);
  assert_ok(aclrtValueWrite(word, 1, 0, b));
  buffer_check(to, 1);
}
static void test_a_captured_model_is_replayed(void **state) {
  (void)state;
  device_open();
  uint64_t *word = word_new(0);
  void *to = buffer_new(0);
  aclrtStream a = stream_new(), b = stream_new();
  aclmdlRI model = NULL;
  assert_ok(aclmdlRICaptureBegin(a, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
  assert_ok(aclrtValueWait(word, 1, ACL_STREAM_WAIT_VALUE_EQ, a));
  assert_ok(launch_add(a, &add_vector, 8, to, to, 1));
  assert_ok(aclrtValueWrite(word, 0, 0, a));
  assert_ok(aclmdlRICaptureEnd(a, &model));
  for (int i = 0; i < 3; i++) {
    assert_ok(aclmdlRIExecuteAsync(model, a));
    assert_ok(aclrtValueWrite(word, 1, 0, b));
    assert_ok(aclrtSynchronizeDevice());
    assert_int_equal(word_of(word), 0);
    buffer_check(to, (uint32_t)i + 1);
  }
  assert_ok(aclmdlRIExecuteAsync(model, a));
  assert_true(aclrtSynchronizeDevice() != ACL_SUCCESS); /* the word was reset, and nobody has written it again */
  assert_ok(aclmdlRIDestroy(model));
}

static uint64_t *awaited;
static void *write_later(void *unused) {
  (void)unused;
  usleep(30000);
  aclrtStream stream = stream_new();
  assert_ok(aclrtValueWrite(awaited, 1, 0, stream));
  assert_ok(aclrtSynchronizeStream(stream));
  return NULL;
}
static void test_another_thread_writes_it(void **state) {
  (void)state;
  device_open();
  awaited = word_new(0);
  void *to = buffer_new(0);
  aclrtStream stream = stream_new();
  pthread_t thread;
  assert_ok(aclrtValueWait(awaited, 1, ACL_STREAM_WAIT_VALUE_GEQ, stream));
  assert_ok(launch_add(stream, &add_vector, 8, to, to, 1));
  assert_int_equal(pthread_create(&thread, NULL, write_later, NULL), 0);
  assert_ok(aclrtSynchronizeStream(stream));
  assert_int_equal(pthread_join(thread, NULL), 0);
  buffer_check(to, 1);
  assert_int_equal(findings_all(), 0);
}

SK_TESTS(SK_TEST(test_arguments_are_checked), SK_TEST(test_nobody_writes_it), SK_TEST(test_two_streams_wait_for_each_other),
         SK_TEST(test_an_event_behind_it), SK_TEST(test_conditions), SK_TEST(test_a_write_is_of_64_bits),
         SK_TEST(test_a_write_that_is_queued_later), SK_TEST(test_without_the_wait_it_races), SK_TEST(test_what_does_not_wait_goes_on),
         SK_TEST(test_the_host_writes_it), SK_TEST(test_a_fill_of_another_stream_writes_it), SK_TEST(test_a_kernel_writes_it),
         SK_TEST(test_many_words_take_turns), SK_TEST(test_many_fills_take_turns), SK_TEST(test_after_the_turns_it_races),
         SK_TEST(test_a_word_reset_in_between), SK_TEST(test_a_captured_model_is_replayed), SK_TEST(test_another_thread_writes_it))
