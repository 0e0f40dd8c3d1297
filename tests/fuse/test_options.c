/* Options of the two dictionaries, name patterns, extension texts. */
#include <string.h>

#include "base/arena.h"
#include "fuse/planner.h"
#include "harness.h"

typedef struct reading {
  sk__fuse_options options;
  sk_status status;
  char why[256], warnings[1024];
  sk__arena arena;
  json_t *json;
} reading;

static void note(void *context, const char *text) {
  reading *r = context;
  strncat(r->warnings, text, sizeof r->warnings - strlen(r->warnings) - 1);
  strncat(r->warnings, "\n", sizeof r->warnings - strlen(r->warnings) - 1);
}

static reading read_options(const char *optimise, const char *debug) {
  reading r = {.status = SK_OK};
  char text[1024];
  snprintf(text, sizeof text, "{\"super_kernel_optimize_options\": %s, \"super_kernel_debug_options\": %s}", optimise, debug);
  r.json = json_loads(text, 0, NULL);
  assert_non_null(r.json);
  r.status = sk__fuse_options_read(r.json, &r.arena, &r.options, note, &r, r.why, sizeof r.why);
  return r;
}

static void refused(const char *optimise, const char *debug, const char *why) {
  reading r = read_options(optimise, debug);
  assert_int_equal(r.status, SK_INVALID_ARGUMENT);
  if (strstr(r.why, why) == NULL) print_message("'%s' lacks '%s'\n", r.why, why);
  assert_non_null(strstr(r.why, why));
}

static void test_unknown_keys_name_the_nearest(void **state) {
  (void)state;
  refused("{\"early_strat\": 1}", "null", "did you mean 'early_start'");
  refused("{\"debug_sync_all\": 1}", "null", "unknown option 'debug_sync_all'");
  refused("null", "{\"debug_sync_al\": 1}", "did you mean 'debug_sync_all'");
  refused("{\"aggressive_opt_strategies\": {\"task_bypass\": 1}}", "null", "unknown option 'task_bypass'");
  sk__fuse_options options;
  sk__arena arena = {0};
  char why[256];
  json_t *json = json_loads("{\"super_kernel_optimise_options\": {}}", 0, NULL);
  assert_int_equal(sk__fuse_options_read(json, &arena, &options, NULL, NULL, why, sizeof why), SK_INVALID_ARGUMENT);
  assert_non_null(strstr(why, "did you mean 'super_kernel_optimize_options'"));
  json_decref(json);
}

static void test_wrong_types_are_refused(void **state) {
  (void)state;
  refused("{\"early_start\": \"1\"}", "null", "early_start: not an integer");
  refused("{\"dcci_after_kernel_end\": \"x\"}", "null", "not a list of names");
  refused("{\"dcci_after_kernel_end\": [1]}", "null", "not a list of names");
  refused("{\"aggressive_opt_strategies\": 1}", "null", "not a dictionary");
  refused("[]", "null", "not a dictionary");
}

static void test_out_of_range_warns_and_keeps_the_default(void **state) {
  (void)state;
  reading r = read_options("{\"preload_code\": 3, \"split_mode\": 5, \"early_start\": 2}", "{\"debug_sync_all\": -1}");
  assert_int_equal(r.status, SK_OK);
  assert_int_equal(r.options.preload_code, 1);
  assert_int_equal(r.options.split_mode, 4);
  assert_int_equal(r.options.early_start, 0);
  assert_int_equal(r.options.debug_sync_all, 0);
  assert_non_null(strstr(r.warnings, "preload_code = 3 is out of range; legal: 0 to 2; 1 is used"));
}

static void test_defaults(void **state) {
  (void)state;
  reading r = read_options("null", "null");
  assert_int_equal(r.status, SK_OK);
  assert_int_equal(r.options.preload_code, 1);
  assert_int_equal(r.options.split_mode, 4);
  assert_int_equal(r.options.stream_fusion, 1);
  assert_string_equal(r.warnings, "");
}

static void test_every_key_is_taken(void **state) {
  (void)state;
  reading r = read_options("{\"preload_code\": 2, \"split_mode\": 2, \"stream_fusion\": 0, \"auto_op_parallel\": 1, \"early_start\": 1,"
                           "\"constant_codegen\": 1, \"dcci_disable_on_kernel\": [\"a\", \"b\"], \"opt_extend\": \"a=1,2:b=x/y\","
                           "\"aggressive_opt_strategies\": {\"value_breaker_bypass\": 3, \"task_breaker_bypass\": 1}}",
                           "{\"debug_sync_all\": 1, \"debug_op_exec_trace\": 1}");
  assert_int_equal(r.status, SK_OK);
  assert_string_equal(r.warnings, "");
  assert_int_equal(r.options.split_mode, 2);
  assert_int_equal(r.options.auto_op_parallel, 1);
  assert_int_equal(r.options.value_breaker_bypass, 3);
  assert_int_equal(r.options.task_breaker_bypass, 1);
  assert_int_equal(r.options.dcci_disable_on_kernel.count, 2);
  assert_int_equal(r.options.debug_op_exec_trace, 1);
}

static void test_one_operator_on_all_cores_turns_the_check_on(void **state) {
  (void)state;
  assert_int_equal(read_options("null", "{\"debug_per_op_max_core_num\": 1}").options.debug_cross_core_sync_check, 1);
  const char *off_later = "{\"debug_per_op_max_core_num\": 1, \"debug_cross_core_sync_check\": 0}";
  assert_int_equal(read_options("null", off_later).options.debug_cross_core_sync_check, 0);
}

static void test_patterns(void **state) {
  (void)state;
  assert_false(sk__pattern_legal(""));
  assert_false(sk__pattern_legal("*abc"));
  assert_false(sk__pattern_legal("a+b"));
  assert_false(sk__pattern_match("*abc", "abc"));
  assert_false(sk__pattern_match("Mat", "MatMul")); /* the whole name */
  assert_true(sk__pattern_match(".*", ""));
  assert_true(sk__pattern_match(".*", "anything"));
  assert_true(sk__pattern_match("Mat.*", "MatMulV2_kernel"));
  assert_true(sk__pattern_match(" Rope.* ", "Rope_1"));
  assert_true(sk__pattern_match("M*atMul", "atMul"));
  assert_true(sk__pattern_match("M*atMul", "MMatMul"));
  assert_true(sk__pattern_match("Sw.gLu", "SwiGLu") == false);
  assert_true(sk__pattern_match("a**", "a")); /* any number of '*' behind an a */
  assert_false(sk__pattern_match("a**", "aa"));
  assert_true(sk__pattern_match("a*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"));
  assert_false(sk__pattern_match("a*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac"));
}

static void test_extension_texts(void **state) {
  (void)state;
  static const char *const bad[] = {"a=1:a=2", "a==1", "a=", "a=1::b=2", "", "=1", "a", "a=1,", "a=,1", "a=1:", "a=$"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) assert_false(sk__extension_legal(bad[i], 1024));
  assert_true(sk__extension_legal("a=1,2:b=x/y", 1024));
  assert_true(sk__extension_legal(" a=1 ", 1024));
  assert_false(sk__extension_legal("a=1234567", 5));
}

SK_TESTS(SK_TEST(test_unknown_keys_name_the_nearest), SK_TEST(test_wrong_types_are_refused),
         SK_TEST(test_out_of_range_warns_and_keeps_the_default), SK_TEST(test_defaults), SK_TEST(test_every_key_is_taken),
         SK_TEST(test_one_operator_on_all_cores_turns_the_check_on), SK_TEST(test_patterns), SK_TEST(test_extension_texts))
