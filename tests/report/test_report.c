/* Results as JSON and as text: misuse first, then use. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "harness.h"
#include "report/report.h"

static const char sample[] =
    "{\"schema\":\"superkernel.verify/1\",\"verdict\":\"findings\",\"program\":\"./p\",\"program_end\":\"ended with exit code 3\","
    "\"failure\":\"out of host memory\",\"soc\":{\"name\":\"chip\",\"aic\":24,\"aiv\":48},\"seconds\":1.5,\"segments\":1,"
    "\"modes\":[{\"name\":\"unfused\",\"fused\":false,\"launches\":2,\"superkernels\":0,\"cores\":{\"aic\":0,\"aiv\":8},"
    "\"result\":\"reference\",\"seconds\":0.25,\"estimated_cycles\":1000,\"findings\":0,\"differences\":[]},"
    "{\"name\":\"fused\",\"fused\":true,\"launches\":1,\"superkernels\":1,\"cores\":{\"aic\":8,\"aiv\":16},"
    "\"result\":\"different\",\"seconds\":0.5,\"estimated_cycles\":800,\"findings\":1,\"differences\":[{\"buffer\":\"y (argument 2 of k)\","
    "\"dtype\":\"float\",\"match\":\"different\",\"elements\":64,\"differing\":2,\"first_index\":5,\"reference\":1.5,\"other\":\"nan\","
    "\"max_abs\":0.5,\"max_rel\":\"inf\",\"max_ulp\":7,\"ties\":0}]}],"
    "\"findings\":[{\"id\":\"H7\",\"category\":\"operator\",\"severity\":\"error\",\"message\":\"words\",\"remedy\":\"do it\",\"count\":3,"
    "\"unfused\":false,\"fused\":true,\"modes\":[\"fused\"],\"ends\":[{\"role\":\"sets\",\"kernel\":\"k\",\"instruction\":\"asc_set\","
    "\"file\":\"k.c\",\"line\":9,\"function\":\"k\",\"code\":\"set(1);\",\"core\":25,\"core_type\":\"AIV\",\"pipe\":\"MTE3\",\"block\":0,\"sub_block\":1,"
    "\"sub_kernel\":0,\"memory\":\"GM\",\"address\":\"0x10\",\"bytes\":4,\"detail\":\"more\"},{\"role\":\"host\",\"core\":\"host\"}]}],"
    "\"estimate\":{\"unfused_cycles\":1000,\"fused_cycles\":800,\"unfused_us\":10.0,\"fused_us\":8.0,\"saved_us\":2.0,\"label\":\"x\"},"
    "\"plans\":[{\"listing\":\"l\"}],"
    "\"suppressions\":{\"file\":\"known.txt\",\"findings\":0,\"unused\":[{\"line\":2,\"rule\":\"H9 k\",\"reason\":\"old\"}]}}";

static json_t *load(const char *text) {
  json_error_t error;
  json_t *document = json_loads(text, 0, &error);
  if (document == NULL) fail_msg("%d: %s", error.column, error.text);
  return document;
}

/* The text of a document; NULL when it is refused. */
static char *text_of(json_t *document) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *to = open_memstream(&text, &bytes);
  sk_status status = sk__report_text(document, true, to);
  fclose(to);
  if (status == SK_OK) return text;
  assert_int_equal(status, SK_PARSE);
  assert_int_equal(bytes, 0); /* nothing half-printed */
  free(text);
  return NULL;
}

#define assert_has(text, part)                                              \
  do {                                                                      \
    if (strstr(text, part) == NULL) fail_msg("no '%s' in:\n%s", part, text); \
  } while (0)

/* SARIF and JUnit of whatever it is; that they are legal is asked where a reader for them is. */
static void other_forms(json_t *document) {
  json_t *log = NULL;
  char *xml = NULL;
  size_t bytes = 0;
  FILE *to = open_memstream(&xml, &bytes);
  sk_status sarif = sk__report_sarif(document, 1, "1.0", &log), junit = sk__report_junit(document, to);
  fclose(to);
  assert_int_equal(sarif, junit);
  assert_true(sarif == SK_OK ? log != NULL && bytes > 0 : log == NULL && bytes == 0);
  json_decref(log);
  free(xml);
}

static void test_other_documents_are_refused(void **state) {
  (void)state;
  static const char *const bad[] = {"{}", "[]", "{\"schema\":\"superkernel.verify/2\"}", "{\"schema\":1}",
                                    "{\"schema\":\"superkernel.verify/1\",\"verdict\":\"clean\",\"soc\":{},\"modes\":{},\"findings\":[]}",
                                    "{\"schema\":\"superkernel.verify/1\",\"verdict\":\"clean\",\"soc\":1,\"modes\":[],\"findings\":[]}"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    json_t *document = load(bad[i]);
    assert_null(text_of(document));
    other_forms(document);
    json_decref(document);
  }
}

/* A rule on whatever it is. */
static void suppress(json_t *document) {
  json_t *copy = json_deep_copy(document);
  json_t *rules = load("{\"file\":\"f\",\"rules\":[{\"line\":1,\"rule\":\"H7 k *.c\",\"id\":\"H7\",\"kernel\":\"k\",\"file\":\"*.c\","
                       "\"reason\":\"known\",\"used\":false}]}");
  sk__suppressions_apply(rules, copy);
  char *text = text_of(copy);
  free(text);
  json_decref(rules);
  json_decref(copy);
}

/* Each value of the sample in turn is taken away or becomes something else; whatever comes of it ends well. */
static size_t damage(json_t *whole, json_t *part) {
  static const char *const others[] = {"null", "-7", "\"word\"", "[]", "{}", "[1,2]", "1e300"};
  size_t tried = 0, index;
  const char *key;
  json_t *value, *keys = json_array(); /* an object that changes cannot be walked */
  json_object_foreach(part, key, value) json_array_append_new(keys, json_string(key));
  for (size_t k = 0; k < json_array_size(keys); k++) {
    key = json_string_value(json_array_get(keys, k));
    json_t *kept = json_incref(json_object_get(part, key));
    for (size_t i = 0; i <= sizeof others / sizeof others[0]; i++, tried++) {
      if (i < sizeof others / sizeof others[0]) json_object_set_new(part, key, json_loads(others[i], JSON_DECODE_ANY, NULL));
      else json_object_del(part, key);
      free(text_of(whole));
      other_forms(whole);
      suppress(whole);
      json_object_set(part, key, kept);
    }
    tried += damage(whole, kept);
    json_decref(kept);
  }
  json_decref(keys);
  json_array_foreach(part, index, value) {
    json_t *kept = json_incref(value);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++, tried++) {
      json_array_set_new(part, index, json_loads(others[i], JSON_DECODE_ANY, NULL));
      free(text_of(whole));
      other_forms(whole);
      suppress(whole);
      json_array_set(part, index, kept);
    }
    tried += damage(whole, kept);
    json_decref(kept);
  }
  return tried;
}
static void test_damaged_documents_end_well(void **state) {
  (void)state;
  json_t *document = load(sample);
  assert_true(damage(document, document) > 500);
  char *text = text_of(document);
  assert_non_null(text);
  free(text);
  json_decref(document);
}
/* What is suppressed leaves the verdict to the rest: here a mode that differs. */
static void test_verdict_without_suppressed_findings(void **state) {
  (void)state;
  static const struct { const char *verdict, *result, *severity, *left; } cases[] = {
      {"findings", "different", "error", "mismatch"}, {"findings", "failed", "error", "findings"},
      {"findings", "identical", "error", "clean"},    {"findings", "identical", "warning", "clean"},
      {"error", "identical", "error", "error"},       {"not-modelled", "identical", "error", "not-modelled"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    json_t *document = load(sample), *mode = json_array_get(json_object_get(document, "modes"), 1);
    json_t *rules = load("{\"file\":\"f\",\"rules\":[{\"line\":1,\"rule\":\"H7\",\"id\":\"H7\",\"kernel\":\"*\",\"file\":\"*\","
                         "\"reason\":\"known\",\"used\":false}]}");
    json_object_set_new(document, "verdict", json_string(cases[i].verdict));
    json_object_set_new(mode, "result", json_string(cases[i].result));
    json_object_set_new(json_array_get(json_object_get(document, "findings"), 0), "severity", json_string(cases[i].severity));
    sk__suppressions_apply(rules, document);
    assert_string_equal(json_string_value(json_object_get(document, "verdict")), cases[i].left);
    json_decref(rules);
    json_decref(document);
  }
}
static void test_reports_that_cannot_be_written(void **state) {
  (void)state;
  json_t *document = load(sample);
  assert_int_not_equal(sk__report_write(document, "no/such/directory/report.json"), SK_OK);
  assert_int_not_equal(sk__report_write(document, "/dev/full"), SK_OK);
  json_decref(document);
}

static void test_text_of_a_full_report(void **state) {
  (void)state;
  json_t *document = load(sample);
  char *text = text_of(document);
  assert_has(text, "./p on simulated chip (24 AIC + 48 AIV)\n");
  assert_has(text, "\n  unfused              2          8 AIV             reference                0     0.250 s         1000\n");
  assert_has(text, "\n  fused                1 (1 SK)   8 AIC + 16 AIV    different                1     0.500 s          800\n");
  assert_has(text, "\n  fused:\n    y (argument 2 of k): 2 of 64 elements differ (float)\n"
                   "      first at element 5: un-fused 1.5, here nan; needs abs 0.5 or rel inf, 7 ULP\n");
  assert_has(text, "un-fused 10.0 us, fused 8.0 us, fusing saves 2.0 us");
  assert_has(text, "\n  error H7  Unbalanced cross-core flags leak into the next operator\n    words\n"
                   "      sets      k asc_set at k.c:9, AIV core 25 block 0.1, pipe MTE3, 4 bytes of GM at 0x10, more\n"
                   "                | set(1);\n"
                   "      host      host\n"
                   "    seen 3 times in 1 mode: fused; silent un-fused\n    remedy: do it\n");
  assert_has(text, "\n  warning: known.txt line 2 suppresses nothing: H9 k # old\n");
  assert_has(text, "the verifier stopped: out of host memory");
  assert_has(text, "the program itself: ended with exit code 3");
  assert_has(text, "\nverdict: findings (1 finding; skv explain ID tells more)\n");
  free(text);
  json_decref(document);
}
static void test_many_quiet_modes_are_folded(void **state) {
  (void)state;
  json_t *document = load(sample), *modes = json_object_get(document, "modes"), *quiet = json_deep_copy(json_array_get(modes, 0));
  json_object_set_new(quiet, "result", json_string("identical"));
  for (int i = 0; i < 30; i++) json_array_append(modes, quiet);
  json_t *loud = json_deep_copy(quiet);
  json_object_set_new(loud, "name", json_string("loud"));
  json_object_set_new(loud, "findings", json_integer(2));
  json_array_append_new(modes, loud);
  char *text = text_of(document);
  assert_has(text, "  loud  ");
  assert_has(text, "... and 20 more modes, all identical, without findings");
  free(text);
  json_decref(quiet);
  json_decref(document);
}
static void test_wide_columns_stay_in_line(void **state) {
  (void)state;
  json_t *document = load(sample), *mode = json_array_get(json_object_get(document, "modes"), 1);
  json_object_set_new(mode, "name", json_string("full-cores/slow-consumer"));
  json_object_set_new(mode, "launches", json_integer(100000));
  json_object_set_new(mode, "superkernels", json_integer(100000));
  char *text = text_of(document);
  assert_has(text, "\n  mode                     launches           cores ");
  assert_has(text, "\n  unfused                  2                  8 AIV ");
  assert_has(text, "\n  full-cores/slow-consumer 100000 (100000 SK) 8 AIC + 16 AIV ");
  free(text);
  json_decref(document);
}
static void test_like_ends_are_told_once(void **state) {
  (void)state;
  json_t *document = load(sample), *modes = json_object_get(document, "modes");
  static const char *const names[] = {"a", "b", "c", "d", "e"};
  for (int i = 0; i < 5; i++) {
    json_t *failed = json_deep_copy(json_array_get(modes, 0));
    json_object_set_new(failed, "name", json_string(names[i]));
    json_object_set_new(failed, "why", json_string(i == 1 ? "other" : "hangs"));
    json_array_append_new(modes, failed);
  }
  char *text = text_of(document);
  assert_has(text, "\n  a, c, d, e failed: hangs\n");
  assert_has(text, "\n  b failed: other\n");
  free(text);
  json_decref(document);
}
static void test_a_run_without_launches(void **state) {
  (void)state;
  json_t *document = load(sample);
  json_object_set_new(document, "segments", json_integer(0));
  char *text = text_of(document);
  assert_has(text, "the program launched no kernel");
  assert_null(strstr(text, "est. cycles"));
  free(text);
  json_decref(document);
}
static void test_written_reports_read_back(void **state) {
  (void)state;
  char path[] = "report-test-XXXXXX";
  int descriptor = mkstemp(path);
  assert_true(descriptor >= 0);
  close(descriptor);
  json_t *document = load(sample);
  assert_int_equal(sk__report_write(document, path), SK_OK);
  json_t *again = json_load_file(path, 0, NULL);
  assert_true(json_equal(document, again));
  json_decref(again);
  json_decref(document);
  unlink(path);
}

/* A result by hand, to JSON. */
static void test_json_of_a_result(void **state) {
  (void)state;
  sk__mode_result modes[2] = {{.mode = {SK__MODE_UNFUSED, {SK__SCHEDULE_IN_ORDER, 0}}, .outcome = SK__REFERENCE, .launches = 3, .aiv = 5, .cycles = 3700},
                              {.mode = {SK__MODE_FUSED, {SK__SCHEDULE_IN_ORDER, 0}}, .outcome = SK__CLOSE, .launches = 1, .sk_launches = 1,
                               .cycles = 1850, .difference_count = 1}};
  modes[1].differences[0] = (sk__buffer_difference){"b", 0, {SK__WITHIN_TOLERANCE, SK__DTYPE_F16, 9, 1, 4, INFINITY, -INFINITY, 0.0, NAN, 2, 0}};
  sk__seen_finding seen = {.finding = {.id = "SYNC_GM", .severity = SK__ERROR, .message = "m", .remedy = "r", .end_count = 2, .count = 4, .in_fused = true},
                           .modes = {2}};
  for (int i = 0; i < 2; i++)
    seen.finding.ends[i] = (sk__end){.role = "writer", .core = 24 + i, .core_type = SK__AIV, .pipe = SK__PIPE_MTE3, .block = 0, .sub_block = i,
                                     .task = 1, .address = 64, .bytes = 32, .mem = SK__MEM_GM, .kernel = "k"};
  sk__verify_result result = {.mode_count = 2, .modes = modes, .finding_count = 1, .findings = &seen, .segments = 1, .plans = json_array()};
  const sk__soc *soc = sk__soc_find(NULL);
  json_t *document = sk__report_json(&result, soc);
  assert_string_equal(json_string_value(json_object_get(document, "verdict")), "findings");
  json_t *difference = json_array_get(json_object_get(json_array_get(json_object_get(document, "modes"), 1), "differences"), 0);
  assert_string_equal(json_string_value(json_object_get(difference, "reference")), "inf");
  assert_string_equal(json_string_value(json_object_get(difference, "other")), "-inf");
  assert_string_equal(json_string_value(json_object_get(difference, "max_rel")), "nan");
  assert_string_equal(json_string_value(json_object_get(difference, "match")), "within-tolerance");
  json_t *finding = json_array_get(json_object_get(document, "findings"), 0);
  assert_string_equal(json_string_value(json_object_get(finding, "id")), "H4"); /* as it turned out to be */
  assert_string_equal(json_string_value(json_array_get(json_object_get(finding, "modes"), 0)), "fused");
  json_t *end = json_array_get(json_object_get(finding, "ends"), 1);
  assert_int_equal(json_integer_value(json_object_get(end, "sub_block")), 1);
  assert_null(json_object_get(end, "file"));
  json_t *estimate = json_object_get(document, "estimate");
  assert_true(fabs(json_number_value(json_object_get(estimate, "saved_us")) - 1850.0 / soc->costs.clock_mhz) < 1e-9);
  assert_null(json_object_get(document, "plans"));
  assert_null(json_object_get(document, "failure"));
  json_decref(document);
  json_decref(result.plans);
}
static void test_verdicts(void **state) {
  (void)state;
  sk__mode_result modes[2] = {{.outcome = SK__REFERENCE}, {.outcome = SK__SAME}};
  sk__seen_finding seen = {.finding = {.severity = SK__WARNING}};
  sk__verify_result result = {.mode_count = 2, .modes = modes, .finding_count = 1, .findings = &seen, .segments = 1};
  assert_int_equal(sk__verdict_of(&result), SK__VERDICT_CLEAN); /* warnings do not count */
  modes[1].outcome = SK__CLOSE;
  assert_int_equal(sk__verdict_of(&result), SK__VERDICT_CLEAN);
  modes[1].outcome = SK__MISMATCH;
  assert_int_equal(sk__verdict_of(&result), SK__VERDICT_MISMATCH);
  seen.finding.severity = SK__ERROR;
  assert_int_equal(sk__verdict_of(&result), SK__VERDICT_FINDINGS);
  seen.finding.category = SK__CAT_NOT_MODELLED;
  assert_int_equal(sk__verdict_of(&result), SK__VERDICT_NOT_MODELLED);
  modes[0].status = SK_INTERNAL;
  assert_int_equal(sk__verdict_of(&result), SK__VERDICT_ERROR);
  sk__verify_result none = {.mode_count = 2, .modes = (sk__mode_result[2]){{.outcome = SK__REFERENCE}, {.outcome = SK__NOTHING_FUSED}}};
  assert_int_equal(sk__verdict_of(&none), SK__VERDICT_NOTHING);
  none.segments = 1;
  assert_int_equal(sk__verdict_of(&none), SK__VERDICT_CLEAN);
  static const int codes[] = {0, 2, 1, 1, 1, 3, 4};
  for (int i = 0; i < 7; i++) assert_int_equal(sk__verdict_exit_code((sk__verdict)i), codes[i]);
}

SK_TESTS(SK_TEST(test_other_documents_are_refused), SK_TEST(test_damaged_documents_end_well), SK_TEST(test_reports_that_cannot_be_written),
         SK_TEST(test_verdict_without_suppressed_findings),
         SK_TEST(test_text_of_a_full_report), SK_TEST(test_many_quiet_modes_are_folded), SK_TEST(test_wide_columns_stay_in_line),
         SK_TEST(test_like_ends_are_told_once),
         SK_TEST(test_a_run_without_launches), SK_TEST(test_written_reports_read_back), SK_TEST(test_json_of_a_result), SK_TEST(test_verdicts))
