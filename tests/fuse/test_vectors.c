/* The planner against recorded decisions of the real one. The records lie beside the repository; without
 * them the tests are skipped by name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuse/fuse.h"
#include "harness.h"

#ifndef SUPERKERNEL_SOURCE
#error "SUPERKERNEL_SOURCE is the root of the sources"
#endif

static FILE *open_vectors(void) {
  char path[4096];
  const char *shared = getenv("SUPERKERNEL_SHARED");
  if (shared != NULL) snprintf(path, sizeof path, "%s/vectors/plan/plan_vectors.jsonl", shared);
  else snprintf(path, sizeof path, "%s/../shared/vectors/plan/plan_vectors.jsonl", SUPERKERNEL_SOURCE);
  FILE *file = fopen(path, "r");
  if (file == NULL) {
    print_message("no %s: set SUPERKERNEL_SHARED to the folder that holds vectors/plan\n", path);
    skip();
  }
  return file;
}

static void test_agrees_with_every_record_when_defects_are_emulated(void **state) {
  (void)state;
  FILE *file = open_vectors();
  sk__check_result result;
  assert_int_equal(sk__plan_check(file, true, stdout, &result), SK_OK);
  assert_true(result.cases > 0);
  assert_int_equal(result.agreed, result.cases);
  fclose(file);
}

static void test_own_rules_differ_only_where_a_defect_is_tagged(void **state) {
  (void)state;
  FILE *file = open_vectors();
  sk__check_result result;
  char *text = NULL;
  size_t bytes = 0;
  FILE *report = open_memstream(&text, &bytes);
  assert_int_equal(sk__plan_check(file, false, report, &result), SK_OK);
  fclose(report);
  if (result.agreed_untagged != result.untagged) print_message("%s", text);
  assert_int_equal(result.agreed_untagged, result.untagged);
  assert_int_equal(result.agreed, result.untagged); /* and the tagged ones do differ */
  free(text);
  fclose(file);
}

SK_TESTS(SK_TEST(test_agrees_with_every_record_when_defects_are_emulated), SK_TEST(test_own_rules_differ_only_where_a_defect_is_tagged))
