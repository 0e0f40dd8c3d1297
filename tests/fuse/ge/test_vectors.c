/* test_vectors.c - the generator against recorded decisions of the real one. */
#include "ge_text.h"
#include "../vectors.h"

static void test_agrees_with_every_record_when_defects_are_emulated(void **state) {
  (void)state;
  vectors_agree_when_emulated("ge/ge_vectors.jsonl", sk__ge_check_stream);
}

static void test_own_rules_differ_only_where_a_defect_is_tagged(void **state) {
  (void)state;
  vectors_differ_only_where_tagged("ge/ge_vectors.jsonl", sk__ge_check_stream);
}

static void test_no_file_is_a_difference(void **state) {
  (void)state;
  char *text = NULL;
  size_t bytes = 0;
  FILE *report = open_memstream(&text, &bytes);
  assert_int_not_equal(sk__ge_check("/no/such/file", true, report), 0);
  fclose(report);
  assert_non_null(strstr(text, "/no/such/file: "));
  free(text);
}

static void check_text(const char *lines, sk_status wanted, size_t cases) {
  FILE *file = fmemopen((void *)(uintptr_t)lines, strlen(lines), "r");
  assert_non_null(file);
  char *text = NULL;
  size_t bytes = 0;
  FILE *report = open_memstream(&text, &bytes);
  sk__check_result result;
  assert_int_equal(sk__ge_check_stream(file, true, report, &result), wanted);
  assert_int_equal(result.agreed, cases);
  fclose(report);
  fclose(file);
  free(text);
}

static void test_malformed_records_are_refused(void **state) {
  (void)state;
  check_text("{\"case\":0,\n", SK_PARSE, 0);
  check_text("{\"case\":0,\"graph\":{}}\n", SK_PARSE, 0);
  check_text("{\"case\":0,\"subs\":[{\"type\":\"AIV_ONLY\",\"blocks\":-1}],\"expect\":{}}\n", SK_OK, 0);
  check_text("{\"case\":0,\"subs\":[{\"type\":\"AIV_ONLY\",\"blocks\":1,\"recv\":[\"x\"]}],\"expect\":{}}\n", SK_OK, 0);
  check_text("{\"case\":0,\"subs\":null,\"options\":\"\",\"expect\":{\"error\":\"NO_OPS\"}}\n", SK_OK, 1);
}

static void test_one_record_is_shown(void **state) {
  (void)state;
  json_t *record = json_loads("{\"subs\":[{\"type\":\"AIV_ONLY\",\"blocks\":8,\"name\":\"add\"}],\"options\":\"preload-code=none\"}", 0, NULL);
  json_t *refused = json_loads("{\"subs\":[],\"options\":\"x=1\"}", 0, NULL);
  char *text = NULL, why[256];
  size_t bytes = 0;
  FILE *to = open_memstream(&text, &bytes);
  assert_int_equal(sk__ge_show(refused, false, false, to, why, sizeof why), SK_INVALID_ARGUMENT);
  assert_non_null(strstr(why, "x: unknown key"));
  assert_int_equal(sk__ge_show(record, false, false, to, why, sizeof why), SK_OK);
  assert_int_equal(sk__ge_show(record, false, true, to, why, sizeof why), SK_OK);
  fclose(to);
  assert_non_null(strstr(text, "MIX_AIV_1_0, 8 blocks, 1 queue, 4 copies of 1 operators"));
  assert_non_null(strstr(text, "  AIV: add\n"));
  assert_non_null(strstr(text, "\"nparams\": 1"));
  free(text);
  json_decref(record);
  json_decref(refused);
}

SK_TESTS(SK_TEST(test_agrees_with_every_record_when_defects_are_emulated), SK_TEST(test_own_rules_differ_only_where_a_defect_is_tagged),
         SK_TEST(test_no_file_is_a_difference), SK_TEST(test_malformed_records_are_refused), SK_TEST(test_one_record_is_shown))
