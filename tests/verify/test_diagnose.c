/* A failure that only fused modes have is run otherwise: what it goes away with, and the smallest scope that fails. */
#include "twin_fixture.h"

static sk__verifier *diagnosing(const char *modes) {
  sk__verifier *verifier = twin_open(modes);
  sk__verifier_set_diagnose(verifier, true);
  return verifier;
}

/* The diagnosis of the one finding of that id. */
static const sk__diagnosis *diagnosis_of(const char *id) {
  const sk__verify_result *result = twin_result();
  const sk__diagnosis *found = NULL;
  assert_int_equal(shown(id), 1);
  for (size_t i = 0; i < result->finding_count; i++) {
    sk__finding finding;
    sk__classified(&result->findings[i], &finding);
    if (strcmp(finding.id, id) == 0) found = result->findings[i].diagnosis;
  }
  assert_non_null(found);
  assert_true(found->runs > 0 && found->runs <= SK__DIAGNOSIS_RUNS);
  return found;
}

static void scope_is(const sk__diagnosis *diagnosis, uint32_t count, const char *first, const char *second) {
  const char *names[] = {first, second};
  assert_true(diagnosis->smallest);
  assert_int_equal(diagnosis->member_count, count);
  for (uint32_t i = 0; i < count; i++) assert_string_equal(diagnosis->members[i], names[i]);
}

static sk__effect effect_of(const sk__diagnosis *diagnosis, sk__change change, const char *name) {
  for (uint32_t i = 0; i < diagnosis->attempt_count; i++) {
    const sk__attempt *attempt = &diagnosis->attempts[i];
    if (attempt->change != change || (attempt->operator_name == NULL) != (name == NULL)) continue;
    if (name == NULL || strcmp(attempt->operator_name, name) == 0) return attempt->effect;
  }
  fail_msg("%s was not tried", sk__change_key(change));
  return SK__EFFECT_UNCLEAR;
}
static bool was_tried(const sk__diagnosis *diagnosis, sk__change change) {
  for (uint32_t i = 0; i < diagnosis->attempt_count; i++)
    if (diagnosis->attempts[i].change == change) return true;
  return false;
}

static size_t diagnoses(void) {
  const sk__verify_result *result = twin_result();
  size_t count = 0;
  for (size_t i = 0; i < result->finding_count; i++) count += result->findings[i].diagnosis != NULL;
  for (size_t i = 0; i < result->mode_count; i++) count += result->modes[i].diagnosis != NULL;
  return count;
}

/* ---- none ---- */

static void test_only_who_asks_gets_one(void **state) {
  (void)state;
  twin_open("unfused,fused");
  void *a = buffer_new(0), *b = buffer_new(0);
  launch(NULL, &load_last, 1, a, b, 1);
  launch(NULL, &store_first, 1, b, a, 1);
  assert_ok(aclrtSynchronizeDevice());
  assert_int_equal(shown("H18"), 1);
  assert_int_equal(diagnoses(), 0);
}
static void test_a_clean_program_has_none(void **state) {
  (void)state;
  diagnosing("unfused,fused,per-op,full-cores,no-flush");
  void *a = buffer_new(0), *b = buffer_new(0);
  launch(NULL, &add_vector, 8, a, b, 1);
  launch(NULL, &add_cube, 8, b, a, 1);
  assert_ok(aclrtSynchronizeDevice());
  assert_int_equal(shown_all(), 0);
  assert_int_equal(diagnoses(), 0);
}
static void test_what_fails_unfused_as_well_has_none(void **state) {
  (void)state;
  diagnosing("unfused,fused");
  void *a = buffer_new(0);
  launch(NULL, &crash_always, 4, a, a, 1);
  (void)aclrtSynchronizeDevice();
  assert_int_equal(diagnoses(), 0);
}

/* ---- causes ---- */

static void test_a_load_that_no_barrier_covers(void **state) {
  (void)state;
  diagnosing("unfused,fused");
  void *a = buffer_new(0), *b = buffer_new(0);
  launch(NULL, &load_last, 1, a, b, 1);
  launch(NULL, &store_first, 1, b, a, 1);
  assert_ok(aclrtSynchronizeDevice());
  const sk__diagnosis *diagnosis = diagnosis_of("H18");
  scope_is(diagnosis, 2, "load_last", "store_first");
  assert_int_equal(effect_of(diagnosis, SK__CHANGE_BARRIER_AFTER, "load_last"), SK__EFFECT_GOES_AWAY);
  assert_int_equal(effect_of(diagnosis, SK__CHANGE_BARRIER_AFTER, "store_first"), SK__EFFECT_STAYS);
  assert_int_equal(effect_of(diagnosis, SK__CHANGE_DCCI_EVERYWHERE, NULL), SK__EFFECT_STAYS);
  assert_int_equal(effect_of(diagnosis, SK__CHANGE_SYNC_ALL, NULL), SK__EFFECT_STAYS);
  assert_int_equal(effect_of(diagnosis, SK__CHANGE_SINGLE_OPERATORS, NULL), SK__EFFECT_GOES_AWAY);
  assert_false(was_tried(diagnosis, SK__CHANGE_EARLY_START_OFF));
  assert_false(was_tried(diagnosis, SK__CHANGE_ONE_STREAM));
  assert_string_equal(diagnosis->points_to, ""); /* the finding is called by its hazard */
}
static void test_results_that_hang_on_the_number_of_cores(void **state) {
  (void)state;
  diagnosing("unfused,fused,full-cores,full-cores/reversed");
  void *a = buffer_new(0), *b = buffer_new(7), *c = buffer_new(0);
  launch(NULL, &add_vector, 4, a, c, 1);
  launch(NULL, &ratio_words, 4, a, b, 5);
  launch(NULL, &add_cube, 4, a, c, 1);
  assert_ok(aclrtSynchronizeDevice());
  assert_int_equal(mode_of("full-cores")->outcome, SK__MISMATCH);
  assert_null(mode_of("full-cores/reversed")->diagnosis); /* the first schedule has it */
  const sk__diagnosis *diagnosis = mode_of("full-cores")->diagnosis;
  assert_non_null(diagnosis);
  scope_is(diagnosis, 1, "ratio_words", NULL);
  assert_int_equal(diagnosis->fused_count, 3);
  assert_int_equal(effect_of(diagnosis, SK__CHANGE_OWN_CORES, NULL), SK__EFFECT_GOES_AWAY);
  assert_string_equal(diagnosis->points_to, "H1 H2 H3 H4 H5 H6");
}
/* Two operators of which one makes the SuperKernel what it must not be for the other. */
static void test_a_ratio_that_another_operator_brings(void **state) {
  (void)state;
  diagnosing("unfused,fused");
  void *a = buffer_new(0), *b = buffer_new(7), *c = buffer_new(0);
  launch(NULL, &ratio_words, 4, a, b, 5);
  launch(NULL, &add_vector, 8, a, c, 1); /* eight vector cores beside four cube cores */
  assert_ok(aclrtSynchronizeDevice());
  const sk__diagnosis *diagnosis = mode_of("fused")->diagnosis;
  assert_non_null(diagnosis);
  scope_is(diagnosis, 2, "ratio_words", "add_vector");
  assert_int_equal(effect_of(diagnosis, SK__CHANGE_SINGLE_OPERATORS, NULL), SK__EFFECT_GOES_AWAY);
  assert_int_equal(effect_of(diagnosis, SK__CHANGE_ALONE, NULL), SK__EFFECT_STAYS);
  assert_string_equal(diagnosis->points_to, "H1 H2 H3 H4 H5 H6");
}
static void test_a_fault_is_found_again(void **state) {
  (void)state;
  diagnosing("unfused,fused,full-cores");
  void *a = buffer_new(0);
  launch(NULL, &add_cube, 4, a, a, 0);
  launch(NULL, &crash_fused, 4, a, a, 0);
  assert_ok(aclrtSynchronizeDevice());
  const sk__diagnosis *diagnosis = diagnosis_of("KERNEL_FAULT");
  assert_int_equal(diagnosis->mode.kind, SK__MODE_FULL_CORES);
  scope_is(diagnosis, 1, "crash_fused", NULL);
  assert_int_equal(effect_of(diagnosis, SK__CHANGE_OWN_CORES, NULL), SK__EFFECT_GOES_AWAY);
}
static void test_two_streams_are_made_one(void **state) {
  (void)state;
  diagnosing("unfused,fused");
  void *a = buffer_new(0), *b = buffer_new(0);
  aclrtStream one = NULL, two = NULL;
  aclrtEvent event = NULL;
  assert_ok(aclrtCreateStream(&one));
  assert_ok(aclrtCreateStream(&two));
  assert_ok(aclrtCreateEvent(&event));
  launch(one, &load_last, 1, a, b, 1);
  assert_ok(aclrtRecordEvent(event, one));
  assert_ok(aclrtStreamWaitEvent(two, event));
  launch(two, &store_first, 1, b, a, 1);
  assert_ok(aclrtSynchronizeDevice());
  const sk__diagnosis *diagnosis = diagnosis_of("H36");
  assert_int_equal(effect_of(diagnosis, SK__CHANGE_ONE_STREAM, NULL), SK__EFFECT_STAYS); /* no stream covers that pipe */
  assert_int_equal(effect_of(diagnosis, SK__CHANGE_BARRIER_AFTER, "load_last"), SK__EFFECT_GOES_AWAY);
}

/* ---- the smallest scope ---- */

/* Bystanders before, between and behind; those between are left out, for they would cut the scope. */
static void test_bystanders_drop_out(void **state) {
  (void)state;
  diagnosing("unfused,fused");
  void *a = buffer_new(0), *b = buffer_new(0), *c = buffer_new(1), *d = buffer_new(0);
  for (int i = 0; i < 5; i++) launch(NULL, &add_vector, 4, c, d, 1);
  launch(NULL, &local_last, 1, a, b, 1);
  launch(NULL, &load_last, 1, c, b, 1); /* one without a barrier, which would cover the fault */
  launch(NULL, &local_first, 1, b, a, 1);
  for (int i = 0; i < 5; i++) launch(NULL, &add_cube, 4, c, d, 1);
  assert_ok(aclrtSynchronizeDevice());
  const sk__diagnosis *diagnosis = diagnosis_of("H19");
  assert_int_equal(diagnosis->fused_count, 13);
  scope_is(diagnosis, 2, "local_last", "local_first");
  buffer_check(d, 2); /* the device is left as the reference left it */
}
/* Without an end that names the operators: a result that differs, and two hundred candidates. */
static void test_many_operators_take_few_runs(void **state) {
  (void)state;
  diagnosing("unfused,full-cores");
  void *a = buffer_new(0), *b = buffer_new(7), *c = buffer_new(0);
  for (int i = 0; i < 120; i++) launch(NULL, &add_vector, 2, a, c, 1);
  launch(NULL, &ratio_words, 4, a, b, 5);
  for (int i = 0; i < 80; i++) launch(NULL, &add_vector, 2, a, c, 1);
  assert_ok(aclrtSynchronizeDevice());
  const sk__diagnosis *diagnosis = mode_of("full-cores")->diagnosis;
  assert_non_null(diagnosis);
  scope_is(diagnosis, 1, "ratio_words", NULL);
  assert_true(diagnosis->runs <= 32);
}
static void test_a_program_that_repeats_itself_is_diagnosed_once(void **state) {
  (void)state;
  diagnosing("unfused,fused");
  void *a = buffer_new(0), *b = buffer_new(0);
  for (int i = 0; i < 3; i++) {
    launch(NULL, &load_last, 1, a, b, 1);
    launch(NULL, &store_first, 1, b, a, 1);
    assert_ok(aclrtSynchronizeDevice());
  }
  assert_int_equal(twin_result()->segments, 3);
  assert_int_equal(diagnoses(), 1);
}
SK_TESTS(SK_TEST(test_only_who_asks_gets_one), SK_TEST(test_a_clean_program_has_none),
         SK_TEST(test_what_fails_unfused_as_well_has_none), SK_TEST(test_a_load_that_no_barrier_covers),
         SK_TEST(test_results_that_hang_on_the_number_of_cores), SK_TEST(test_a_ratio_that_another_operator_brings),
         SK_TEST(test_a_fault_is_found_again), SK_TEST(test_two_streams_are_made_one), SK_TEST(test_bystanders_drop_out),
         SK_TEST(test_many_operators_take_few_runs), SK_TEST(test_a_program_that_repeats_itself_is_diagnosed_once))
