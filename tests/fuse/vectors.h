/* vectors.h - plays recorded decisions of the real system: one way for both fusion paths. The records lie
 * beside the repository; without them the tests are skipped by name. */
#ifndef SK_TESTS_FUSE_VECTORS_H
#define SK_TESTS_FUSE_VECTORS_H

#include <stdio.h>
#include <stdlib.h>

#include "fuse/fuse.h"
#include "harness.h"

#ifndef SUPERKERNEL_SOURCE
#error "SUPERKERNEL_SOURCE is the root of the sources"
#endif

typedef sk_status (*vectors_player)(FILE *vectors, bool emulate_vendor_defects, FILE *report, sk__check_result *result);

/* name: "plan/plan_vectors.jsonl", below shared/vectors. */
static inline FILE *vectors_open(const char *name) {
  static char path[4096], reason[4200];
  const char *shared = getenv("SUPERKERNEL_SHARED");
  if (shared != NULL) snprintf(path, sizeof path, "%s/vectors/%s", shared, name);
  else snprintf(path, sizeof path, "%s/../shared/vectors/%s", SUPERKERNEL_SOURCE, name);
  FILE *file = fopen(path, "r");
  snprintf(reason, sizeof reason, "no shared/vectors/%s beside the sources or in SUPERKERNEL_SHARED", name);
  if (file == NULL) SK_SKIP(reason);
  return file;
}

static inline void vectors_agree_when_emulated(const char *name, vectors_player play) {
  FILE *file = vectors_open(name);
  sk__check_result result;
  assert_int_equal(play(file, true, stdout, &result), SK_OK);
  assert_true(result.cases > 0);
  assert_int_equal(result.agreed, result.cases);
  fclose(file);
}

static inline void vectors_differ_only_where_tagged(const char *name, vectors_player play) {
  FILE *file = vectors_open(name);
  sk__check_result result;
  char *text = NULL;
  size_t bytes = 0;
  FILE *report = open_memstream(&text, &bytes);
  assert_int_equal(play(file, false, report, &result), SK_OK);
  fclose(report);
  if (result.agreed_untagged != result.untagged) print_message("%s", text);
  assert_int_equal(result.agreed_untagged, result.untagged);
  assert_int_equal(result.agreed, result.untagged); /* and the tagged ones do differ */
  free(text);
  fclose(file);
}

#endif
