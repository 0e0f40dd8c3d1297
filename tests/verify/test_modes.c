/* Names of modes and lists of them. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "verify/verify.h"

static void test_unknown_modes_are_refused(void **state) {
  (void)state;
  static const char *const bad[] = {"", "fuse", "fused/", "fused/fast", "fused/random:", "fused/random:x", "/waves",
                                    "unfused,fused", " fused", "Fused", "per_op"};
  sk__mode mode;
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    if (sk__mode_parse(bad[i], &mode) != SK_INVALID_ARGUMENT) fail_msg("'%s' was accepted", bad[i]);
}
static void test_a_bad_list_names_the_word_and_the_legal_ones(void **state) {
  (void)state;
  static const struct { const char *list, *word; } bad[] = {
      {"fused,nonsense", "'nonsense'"}, {"", "''"}, {"fused,,per-op", "''"}, {"default,", "''"}, {"fused,random:3", "'random:3'"}, {"fused/reversed:3", "'fused/reversed:3'"}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    char why[320] = "";
    sk__mode *modes = NULL;
    size_t count = 0;
    assert_int_equal(sk__mode_list(bad[i].list, 0, &modes, &count, why, sizeof why), SK_INVALID_ARGUMENT);
    assert_null(modes);
    if (strstr(why, bad[i].word) == NULL || strstr(why, "no-flush") == NULL) fail_msg("%s: %s", bad[i].list, why);
  }
}

static void test_every_name_parses_back(void **state) {
  (void)state;
  for (int kind = 0; kind < SK__MODE_KINDS; kind++)
    for (int schedule = 0; schedule < SK__SCHEDULES; schedule++) {
      sk__mode mode = {(sk__mode_kind)kind, {(sk__schedule_kind)schedule, schedule == SK__SCHEDULE_RANDOM ? 18446744073709551615u : 0}}, back;
      char name[SK__MODE_NAME_BYTES];
      sk__mode_name(mode, name);
      assert_int_equal(sk__mode_parse(name, &back), SK_OK);
      assert_int_equal(back.kind, mode.kind);
      assert_int_equal(back.schedule.kind, mode.schedule.kind);
      assert_int_equal(back.schedule.seed, mode.schedule.seed);
    }
  sk__mode mode;
  assert_int_equal(sk__mode_parse("fused/in-order", &mode), SK_OK);
  assert_int_equal(mode.schedule.kind, SK__SCHEDULE_IN_ORDER);
}

static sk__mode *list(const char *text, uint32_t random, size_t *count) {
  char why[320];
  sk__mode *modes = NULL;
  assert_int_equal(sk__mode_list(text, random, &modes, count, why, sizeof why), SK_OK);
  return modes;
}

static void test_the_reference_comes_first(void **state) {
  (void)state;
  static const struct { const char *text; size_t count; } cases[] = {
      {"fused", 2}, {"unfused,fused", 2}, {"fused,unfused", 3}, {"unfused/reversed", 2}, {"unfused", 1}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    size_t count = 0;
    sk__mode *modes = list(cases[i].text, 0, &count);
    assert_int_equal(count, cases[i].count);
    assert_int_equal(modes[0].kind, SK__MODE_UNFUSED);
    assert_int_equal(modes[0].schedule.kind, SK__SCHEDULE_IN_ORDER);
    free(modes);
  }
}
static void test_the_default_matrix_has_every_kind_and_schedule(void **state) {
  (void)state;
  size_t count = 0, plain = 0;
  sk__mode *modes = list("default", 0, &plain);
  bool kinds[SK__MODE_KINDS] = {false}, schedules[SK__SCHEDULES] = {false};
  for (size_t i = 0; i < plain; i++) kinds[modes[i].kind] = schedules[modes[i].schedule.kind] = true;
  for (int i = 0; i < SK__MODE_KINDS; i++) /* early start: only for programs with a binding for it; the others on request */
    assert_int_equal(kinds[i], i != SK__MODE_EARLY_START && i != SK__MODE_GE && i != SK__MODE_ALONE && i != SK__MODE_TWICE &&
                                   i != SK__MODE_NEIGHBOUR);
  for (int i = 0; i < SK__SCHEDULES; i++) assert_true(schedules[i]);
  free(modes);
  modes = list("default", 200, &count);
  assert_int_equal(count, plain + 200);
  for (size_t i = 0; i < count; i++) /* no seed twice */
    for (size_t j = 0; j < i; j++)
      assert_true(modes[i].kind != modes[j].kind || modes[i].schedule.kind != modes[j].schedule.kind ||
                  modes[i].schedule.seed != modes[j].schedule.seed);
  free(modes);
}
static void test_default_within_a_list(void **state) {
  (void)state;
  size_t plain = 0, count = 0;
  free(list("default", 0, &plain));
  free(list("default,unfused/waves", 0, &count));
  assert_int_equal(count, plain + 1);
}

SK_TESTS(SK_TEST(test_unknown_modes_are_refused), SK_TEST(test_a_bad_list_names_the_word_and_the_legal_ones),
         SK_TEST(test_every_name_parses_back), SK_TEST(test_the_reference_comes_first),
         SK_TEST(test_the_default_matrix_has_every_kind_and_schedule), SK_TEST(test_default_within_a_list))
