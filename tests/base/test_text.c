/* test_text.c - bounded text, nearest spelling, status names, log lines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/status.h"
#include "base/text.h"
#include "harness.h"

static void test_text_that_does_not_fit_is_cut_with_dots(void **state) {
  (void)state;
  char buffer[12];
  sk__text text = sk__text_on(buffer, sizeof buffer);
  sk__text_add(&text, "%s", "12345678");
  assert_false(text.cut);
  sk__text_add(&text, "%s", "9abc");
  assert_true(text.cut);
  assert_string_equal(buffer, "12345678...");
  sk__text_add(&text, "more");
  assert_string_equal(buffer, "12345678...");
}

static void test_a_cut_leaves_no_half_character(void **state) {
  (void)state;
  char buffer[8];
  sk__text text = sk__text_on(buffer, sizeof buffer);
  sk__text_add(&text, "abc\xc3\xa4\xc3\xa4\xc3\xa4");
  assert_string_equal(buffer, "abc...");
  assert_int_equal(text.length, 6);
}

static void test_tiny_buffers_hold_terminated_text(void **state) {
  (void)state;
  char buffer[3] = "xx";
  for (size_t bytes = 1; bytes <= 3; bytes++) {
    sk__text_copy(buffer, bytes, "long text");
    assert_int_equal(strlen(buffer), bytes - 1);
  }
}

static void test_text_that_fits_exactly_is_whole(void **state) {
  (void)state;
  char buffer[6];
  sk__text text = sk__text_on(buffer, sizeof buffer);
  sk__text_add(&text, "%d", 12);
  sk__text_add(&text, "%s", "345");
  assert_string_equal(buffer, "12345");
  assert_int_equal(text.length, 5);
  assert_false(text.cut);
}

static const char *const options[] = {"early_start", "split_mode", "dcci_after_kernel", "debug_sync_all", "x"};
#define OPTIONS (sizeof options / sizeof options[0])

static void test_nothing_is_near_a_foreign_word(void **state) {
  (void)state;
  assert_null(sk__nearest("batch", options, OPTIONS));
  assert_null(sk__nearest("", options, OPTIONS));
  assert_null(sk__nearest("q", options, OPTIONS));
  assert_null(sk__nearest("early", options, 0));
  char longer[200];
  memset(longer, 'a', sizeof longer - 1);
  longer[sizeof longer - 1] = '\0';
  assert_null(sk__nearest(longer, options, OPTIONS));
}

static void test_nearest_finds_slips(void **state) {
  (void)state;
  assert_string_equal(sk__nearest("eraly_start", options, OPTIONS), "early_start");
  assert_string_equal(sk__nearest("splitmode", options, OPTIONS), "split_mode");
  assert_string_equal(sk__nearest("DCCI_AFTER_KERNAL", options, OPTIONS), "dcci_after_kernel");
  assert_string_equal(sk__nearest("debug-sync-all", options, OPTIONS), "debug_sync_all");
  static const char *const close[] = {"abcx", "abcd"};
  assert_string_equal(sk__nearest("abcd", close, 2), "abcd");
  assert_string_equal(sk__nearest("abce", close, 2), "abcx"); /* a tie: the first of the list */
}

static void test_every_status_has_name_and_text(void **state) {
  (void)state;
#define X(name, value, text)                               \
  assert_string_equal(sk_status_name(SK_##name), "SK_" #name); \
  assert_string_equal(sk_status_text(SK_##name), text);
  SK__STATUS_LIST(X)
#undef X
  assert_string_equal(sk_status_name((sk_status)999), "SK_?");
  assert_non_null(sk_status_text((sk_status)-1));
}

/* Everything this process writes to stderr until now, into `seen`. */
static FILE *catch_stderr(void) {
  FILE *file = tmpfile();
  assert_non_null(file);
  assert_true(dup2(fileno(file), STDERR_FILENO) >= 0);
  return file;
}
static void read_caught(FILE *file, char *seen, size_t bytes) {
  rewind(file);
  seen[fread(seen, 1, bytes - 1, file)] = '\0';
}

static void test_an_unknown_log_level_is_said(void **state) {
  (void)state;
  char seen[512];
  setenv("SUPERKERNEL_LOG", "debgu", 1);
  FILE *file = catch_stderr();
  assert_false(sk__log_on(SK__LOG_INFO));
  assert_true(sk__log_on(SK__LOG_WARNING));
  read_caught(file, seen, sizeof seen);
  assert_non_null(strstr(seen, "did you mean debug?"));
}

static void test_log_is_silent_above_its_level(void **state) {
  (void)state;
  char seen[512];
  unsetenv("SUPERKERNEL_LOG");
  FILE *file = catch_stderr();
  sk__log(SK__LOG_INFO, "not wanted");
  sk__log(SK__LOG_WARNING, "core %d waits", 3);
  read_caught(file, seen, sizeof seen);
  assert_string_equal(seen, "superkernel: warning: core 3 waits\n");
}

static void test_log_prints_all_at_debug(void **state) {
  (void)state;
  char seen[512];
  setenv("SUPERKERNEL_LOG", "debug", 1);
  FILE *file = catch_stderr();
  sk__log(SK__LOG_DEBUG, "a");
  sk__log(SK__LOG_ERROR, "b");
  read_caught(file, seen, sizeof seen);
  assert_string_equal(seen, "superkernel: debug: a\nsuperkernel: error: b\n");
}

SK_TESTS(SK_TEST(test_text_that_does_not_fit_is_cut_with_dots), SK_TEST(test_a_cut_leaves_no_half_character),
         SK_TEST(test_tiny_buffers_hold_terminated_text), SK_TEST(test_text_that_fits_exactly_is_whole),
         SK_TEST(test_nothing_is_near_a_foreign_word), SK_TEST(test_nearest_finds_slips),
         SK_TEST(test_every_status_has_name_and_text), SK_TEST(test_an_unknown_log_level_is_said),
         SK_TEST(test_log_is_silent_above_its_level), SK_TEST(test_log_prints_all_at_debug))
