/* The option string of graph mode: what is refused, in which order, with which advice; then what is taken. */
#include "ge_text.h"

static sk__ge_error refused(const char *text, const char *key) {
  sk__arena arena = {0};
  sk__ge_options options;
  sk__ge_failure failure = {0};
  sk_status status = sk__ge_options_read(text, &arena, &options, &failure);
  if (status == SK_OK) print_message("'%s' was taken\n", text);
  assert_int_equal(status, SK_INVALID_ARGUMENT);
  if (key != NULL) assert_string_equal(failure.key, key);
  assert_null(strchr(failure.why, '\n'));
  sk__ge_error error = failure.error;
  sk__arena_free(&arena);
  return error;
}

static void test_empty_keys_and_values(void **state) {
  (void)state;
  assert_int_equal(refused("early-start=", NULL), SK__GE_OPT_EMPTY);
  assert_int_equal(refused("=1", NULL), SK__GE_OPT_EMPTY);
  assert_int_equal(refused("foo=", NULL), SK__GE_OPT_EMPTY); /* tested before the key */
}

static void test_values_out_of_their_domain(void **state) {
  (void)state;
  assert_int_equal(refused("early-start=3", "early-start"), SK__GE_OPT_VALUE);
  assert_int_equal(refused("feed-sync-all=01", "feed-sync-all"), SK__GE_OPT_VALUE);
  assert_int_equal(refused("func-align=3", "func-align"), SK__GE_OPT_ALIGN);
  assert_int_equal(refused("func-align=1", "func-align"), SK__GE_OPT_ALIGN);
  assert_int_equal(refused("func-align=99999999999999999999999", "func-align"), SK__GE_OPT_ALIGN);
  assert_int_equal(refused("split-mode=0", "split-mode"), SK__GE_OPT_RANGE);
  assert_int_equal(refused("split-mode=65", "split-mode"), SK__GE_OPT_RANGE);
  assert_int_equal(refused("debug-aic-num=-1", "debug-aic-num"), SK__GE_OPT_DIGIT);
}

static void test_unknown_keys(void **state) {
  (void)state;
  assert_int_equal(refused("foo=1", "foo"), SK__GE_OPT_UNKNOWN);
  assert_int_equal(refused("early_start=1", "early_start"), SK__GE_OPT_UNKNOWN);
  assert_int_equal(refused("link-mode=1", "link-mode"), SK__GE_OPT_UNKNOWN);
  assert_int_equal(refused("Profiling=1", "Profiling"), SK__GE_OPT_UNKNOWN);
  assert_int_equal(refused(" \"early-start=0\"", "\"early-start"), SK__GE_OPT_UNKNOWN);
}

static void test_unknown_key_names_the_nearest(void **state) {
  (void)state;
  sk__arena arena = {0};
  sk__ge_options options;
  sk__ge_failure failure;
  assert_int_equal(sk__ge_options_read("early_start=1", &arena, &options, &failure), SK_INVALID_ARGUMENT);
  assert_non_null(strstr(failure.why, "did you mean 'early-start'?"));
  assert_int_equal(sk__ge_options_read("splitmode=4", &arena, &options, &failure), SK_INVALID_ARGUMENT);
  assert_non_null(strstr(failure.why, "did you mean 'split-mode'?"));
  sk__arena_free(&arena);
}

static void test_order_of_errors(void **state) {
  (void)state;
  assert_int_equal(refused("early-start=1:early-start=1", "early-start"), SK__GE_OPT_REPEAT);
  assert_int_equal(refused("early-start=1:early-start=9", "early-start"), SK__GE_OPT_REPEAT); /* before the value */
  assert_int_equal(refused("early-start=9:foo=1", "early-start"), SK__GE_OPT_VALUE);
  assert_int_equal(refused("foo=1:early-start=9", "foo"), SK__GE_OPT_UNKNOWN);
}

static void test_too_long_a_string(void **state) {
  (void)state;
  size_t bytes = SK__GE_MAX_OPTION_BYTES + 2;
  char *text = malloc(bytes);
  assert_non_null(text);
  memset(text, ':', bytes - 1);
  text[bytes - 1] = '\0';
  assert_int_equal(refused(text, NULL), SK__GE_OPT_RANGE);
  free(text);
}

static void taken(sk__arena *arena, const char *text, sk__ge_options *out) {
  sk__ge_failure failure;
  sk_status status = sk__ge_options_read(text, arena, out, &failure);
  if (status != SK_OK) print_message("'%s': %s\n", text, failure.why);
  assert_int_equal(status, SK_OK);
}

static void test_nothing_given_is_the_defaults(void **state) {
  (void)state;
  sk__arena arena = {0};
  static const char *const empty[] = {NULL, "", "   ", "\"\"", ":", " : : "};
  for (size_t i = 0; i < sizeof empty / sizeof empty[0]; i++) {
    sk__ge_options options;
    taken(&arena, empty[i], &options);
    for (int k = 0; k < SK__GE_KEYS; k++) assert_false(options.values[k].given);
    assert_int_equal(options.values[SK__GE_KEY_FUNC_ALIGN].number, 512);
    assert_int_equal(options.values[SK__GE_KEY_EARLY_START].number, 1);
    assert_int_equal(options.values[SK__GE_KEY_PRELOAD_CODE].number, SK__GE_PRELOAD_PER_FUNC);
    assert_int_equal(options.values[SK__GE_KEY_SPLIT_MODE].number, 4);
    assert_int_equal(options.values[SK__GE_KEY_STREAM_FUSION].number, 0);
  }
  sk__arena_free(&arena);
}

static void test_values_are_taken(void **state) {
  (void)state;
  sk__arena arena = {0};
  sk__ge_options options;
  taken(&arena, "\"early-start=0:func-align=256\"", &options);
  assert_int_equal(options.values[SK__GE_KEY_EARLY_START].number, 0);
  assert_int_equal(options.values[SK__GE_KEY_FUNC_ALIGN].number, 256);
  taken(&arena, "func-align=0064", &options);
  assert_int_equal(options.values[SK__GE_KEY_FUNC_ALIGN].number, 64);
  taken(&arena, ":early-start=1: :", &options);
  assert_true(options.values[SK__GE_KEY_EARLY_START].given);
  taken(&arena, "preload-code=max", &options);
  assert_int_equal(options.values[SK__GE_KEY_PRELOAD_CODE].number, SK__GE_PRELOAD_MAX);
  sk__arena_free(&arena);
}

static void test_first_equals_splits(void **state) {
  (void)state;
  sk__arena arena = {0};
  sk__ge_options options;
  taken(&arena, "compile-options=-DX=1,-O2", &options);
  assert_string_equal(options.values[SK__GE_KEY_COMPILE_OPTIONS].text, "-DX=1,-O2");
  sk__arena_free(&arena);
}

static void test_part_without_equals_is_ignored(void **state) {
  (void)state;
  sk__arena arena = {0};
  sk__ge_options options;
  taken(&arena, "early-start: func-align = 8 :x", &options);
  assert_false(options.values[SK__GE_KEY_EARLY_START].given);
  assert_int_equal(options.values[SK__GE_KEY_FUNC_ALIGN].number, 8);
  assert_int_equal(options.ignored_count, 2);
  assert_string_equal(options.ignored[0], "early-start");
  assert_string_equal(options.ignored[1], "x");
  sk__arena_free(&arena);
}

static void test_list_of_blanks_is_an_empty_list(void **state) {
  (void)state;
  planned p;
  ge_plan(&p, "[{'type':'AIV_ONLY','blocks':8,'dynamic':true,'op_type':''}]", "dcci-before-kernel-start=, ,", false);
  assert_int_equal(p.status, SK_OK);
  for (size_t i = 0; i < p.program.queue[SK__AIV].count; i++) assert_int_not_equal(p.program.queue[SK__AIV].items[i].kind, SK__GE_STEP_DCCI);
  ge_free(&p);
}

SK_TESTS(SK_TEST(test_empty_keys_and_values), SK_TEST(test_values_out_of_their_domain), SK_TEST(test_unknown_keys),
         SK_TEST(test_unknown_key_names_the_nearest), SK_TEST(test_order_of_errors), SK_TEST(test_too_long_a_string),
         SK_TEST(test_nothing_given_is_the_defaults), SK_TEST(test_values_are_taken), SK_TEST(test_first_equals_splits),
         SK_TEST(test_part_without_equals_is_ignored), SK_TEST(test_list_of_blanks_is_an_empty_list))
