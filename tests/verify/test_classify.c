/* What only fusing brings about is called by the hazard it is; each must-find has its repaired twin. */
#include "twin_fixture.h"

static aclrtStream stream_new(void) {
  aclrtStream stream = NULL;
  assert_ok(aclrtCreateStream(&stream));
  return stream;
}

static void test_second_vector_core_writes_the_same_tile(void **state) {
  (void)state;
  twin_open("unfused,fused,full-cores");
  void *a = buffer_new(0);
  launch(NULL, &both_vectors, 4, a, a, 1);
  assert_ok(aclrtSynchronizeDevice());
  assert_int_equal(shown("H4"), 1);
  assert_int_equal(shown("SYNC_GM"), 0);
}
static void test_second_vector_core_stays_idle(void **state) {
  (void)state;
  twin_open("unfused,fused,full-cores");
  void *a = buffer_new(0);
  launch(NULL, &first_vector, 4, a, a, 1);
  assert_ok(aclrtSynchronizeDevice());
  assert_int_equal(shown_all(), 0);
}

static void two_kernels(const sk_kernel *first, const sk_kernel *second) {
  twin_open("unfused,fused");
  void *a = buffer_new(0), *b = buffer_new(0);
  launch(NULL, first, 1, a, b, 1);
  launch(NULL, second, 1, b, a, 1);
  assert_ok(aclrtSynchronizeDevice());
}
static void test_a_load_that_nothing_waits_for(void **state) {
  (void)state;
  two_kernels(&load_last, &store_first);
  assert_int_equal(shown("H18"), 1);
  assert_int_equal(shown("SYNC_GM"), 0);
}
static void test_a_load_that_is_drained(void **state) {
  (void)state;
  two_kernels(&load_drained, &store_first);
  assert_int_equal(shown_all(), 0);
}
static void test_local_memory_reused_too_early(void **state) {
  (void)state;
  two_kernels(&local_last, &local_first);
  assert_int_equal(shown("H19"), 1);
  assert_int_equal(shown("SYNC_LOCAL"), 0);
}
static void test_local_memory_drained(void **state) {
  (void)state;
  two_kernels(&local_drained, &local_first);
  assert_int_equal(shown_all(), 0);
}

/* The event orders the launches; inside an SK it does not reach the load. */
static void two_streams(const sk_kernel *first) {
  twin_open("unfused,fused");
  void *a = buffer_new(0), *b = buffer_new(0);
  aclrtStream one = stream_new(), two = stream_new();
  aclrtEvent event = NULL;
  assert_ok(aclrtCreateEvent(&event));
  launch(one, first, 1, a, b, 1);
  assert_ok(aclrtRecordEvent(event, one));
  assert_ok(aclrtStreamWaitEvent(two, event));
  launch(two, &store_first, 1, b, a, 1);
  assert_ok(aclrtSynchronizeDevice());
  assert_int_equal(mode_of("fused")->sk_launches, 1);
}
static void test_a_load_on_another_stream(void **state) {
  (void)state;
  two_streams(&load_last);
  assert_int_equal(shown("H36"), 1);
}
static void test_a_drained_load_on_another_stream(void **state) {
  (void)state;
  two_streams(&load_drained);
  assert_int_equal(shown_all(), 0);
}

/* What is wrong un-fused as well keeps its name. */
static void test_a_race_of_the_program_stays_one(void **state) {
  (void)state;
  twin_open("unfused,fused");
  void *a = buffer_new(0), *b = buffer_new(0);
  launch(stream_new(), &load_last, 1, a, b, 1);
  launch(stream_new(), &store_first, 1, b, a, 1);
  assert_ok(aclrtSynchronizeDevice());
  assert_int_equal(shown("SYNC_GM"), 1);
  assert_int_equal(shown("H36") + shown("H18"), 0);
}

static sk__seen_finding pair(const char *id, int32_t first_task, int32_t second_task) {
  sk__seen_finding seen = {.finding = {.end_count = 2, .in_fused = true}};
  strcpy(seen.finding.id, id);
  strcpy(seen.finding.message, "words");
  for (int i = 0; i < 2; i++)
    seen.finding.ends[i] = (sk__end){.core_type = SK__AIV, .launch = 3, .block = 2, .sub_block = i, .mem = SK__MEM_UB};
  seen.finding.ends[0].task = first_task;
  seen.finding.ends[1].task = second_task;
  return seen;
}
static void assert_named(const sk__seen_finding *seen, const char *id) {
  sk__finding finding;
  sk__classified(seen, &finding);
  assert_string_equal(finding.id, id);
  assert_string_equal(finding.message, "words");
}
static void test_names_by_places(void **state) {
  (void)state;
  sk__seen_finding seen = pair("SYNC_GM", 1, 1);
  assert_named(&seen, "H4");
  snprintf(seen.finding.ends[1].detail, sizeof seen.finding.ends[1].detail, "%s", SK__RAW_INDEX);
  assert_named(&seen, "H5");
  seen.finding.ends[1].block = 3; /* another AI core */
  assert_named(&seen, "SYNC_GM");
  seen = pair("SYNC_GM", 1, 1);
  seen.finding.ends[1].launch = 4;
  assert_named(&seen, "SYNC_GM");
  seen = pair("SYNC_GM", 1, 2); /* two operators: how one of them finds its place is not why */
  snprintf(seen.finding.ends[1].detail, sizeof seen.finding.ends[1].detail, "%s", SK__RAW_INDEX);
  assert_named(&seen, "H18");
  seen = pair("SYNC_GM", -1, -1); /* outside of any SK */
  assert_named(&seen, "SYNC_GM");
  seen = pair("SYNC_LOCAL", 1, 1);
  assert_named(&seen, "SYNC_LOCAL");
  seen = pair("SYNC_LOCAL", 0, 1);
  assert_named(&seen, "H19");
  seen.streams = SK__STREAMS_DIFFER;
  assert_named(&seen, "H36");
  seen = pair("SYNC_GM", 0, 1);
  assert_named(&seen, "H18");
  seen.finding.in_unfused = true;
  assert_named(&seen, "SYNC_GM");
  seen = pair("BAD_ARGUMENT", 0, 1);
  assert_named(&seen, "BAD_ARGUMENT");
}
static void test_unwritten_local_bytes(void **state) {
  (void)state;
  sk__seen_finding seen = pair("UNINITIALISED_READ", 2, 0);
  seen.finding.end_count = 1;
  assert_named(&seen, "H34");
  seen.finding.ends[0].mem = SK__MEM_GM;
  assert_named(&seen, "UNINITIALISED_READ");
  seen.finding.ends[0].mem = SK__MEM_UB;
  seen.finding.in_unfused = true;
  assert_named(&seen, "UNINITIALISED_READ");
}

SK_TESTS(SK_TEST(test_second_vector_core_writes_the_same_tile), SK_TEST(test_second_vector_core_stays_idle),
         SK_TEST(test_a_load_that_nothing_waits_for), SK_TEST(test_a_load_that_is_drained), SK_TEST(test_local_memory_reused_too_early),
         SK_TEST(test_local_memory_drained), SK_TEST(test_a_load_on_another_stream), SK_TEST(test_a_drained_load_on_another_stream),
         SK_TEST(test_a_race_of_the_program_stays_one), SK_TEST(test_names_by_places), SK_TEST(test_unwritten_local_bytes))
