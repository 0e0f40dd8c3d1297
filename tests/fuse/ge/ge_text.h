/* ge_text.h - programs of graph mode from one line of JSON, and back as text. */
#ifndef SK_TESTS_GE_TEXT_H
#define SK_TESTS_GE_TEXT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "fuse/ge/ge.h"
#include "harness.h"

typedef struct planned {
  sk__arena arena;
  json_t *record;
  sk__ge_input input;
  sk__ge_program program;
  sk__ge_failure failure;
  sk_status status;
} planned;

/* subs: JSON list with ' for "; options may be NULL. */
static inline void ge_plan(planned *p, const char *subs, const char *options, bool emulate) {
  memset(p, 0, sizeof *p);
  char text[8192];
  snprintf(text, sizeof text, "{'subs':%s}", subs);
  for (char *c = text; *c != '\0'; c++)
    if (*c == '\'') *c = '"';
  json_error_t error;
  p->record = json_loads(text, 0, &error);
  if (p->record == NULL) print_message("%s: %s\n", text, error.text);
  assert_non_null(p->record);
  char why[256];
  assert_int_equal(sk__ge_input_from_json(p->record, &p->arena, &p->input, why, sizeof why), SK_OK);
  p->input.options = options;
  p->input.emulate_vendor_defects = emulate;
  p->status = sk__ge_generate(&p->input, &p->arena, &p->program, &p->failure);
}

static inline void ge_free(planned *p) {
  json_decref(p->record);
  sk__arena_free(&p->arena);
}

/* The two lines of the listing without their heads; the caller frees. */
static inline char *ge_lines(const sk__ge_program *program) {
  char *text = NULL, *out = NULL;
  size_t bytes = 0;
  FILE *to = open_memstream(&text, &bytes);
  sk__ge_print(program, to);
  fclose(to);
  const char *aic = strstr(text, "  AIC:"), *aiv = strstr(text, "  AIV:");
  FILE *lines = open_memstream(&out, &bytes);
  if (aic != NULL) fprintf(lines, "C%.*s", (int)strcspn(aic + 6, "\n"), aic + 6);
  if (aiv != NULL) fprintf(lines, "%sV%.*s", aic != NULL ? " | " : "", (int)strcspn(aiv + 6, "\n"), aiv + 6);
  fclose(lines);
  free(text);
  return out;
}

static inline void expect_lines(const char *subs, const char *options, bool emulate, const char *wanted) {
  planned p;
  ge_plan(&p, subs, options, emulate);
  if (p.status != SK_OK) print_message("%s\n", p.failure.why);
  assert_int_equal(p.status, SK_OK);
  char *lines = ge_lines(&p.program);
  assert_string_equal(lines, wanted);
  free(lines);
  ge_free(&p);
}

static inline void expect_failure(const char *subs, const char *options, bool emulate, sk__ge_error error) {
  planned p;
  ge_plan(&p, subs, options, emulate);
  assert_int_equal(p.status, SK_INVALID_ARGUMENT);
  if (p.failure.error != error) print_message("%s\n", p.failure.why);
  assert_int_equal(p.failure.error, error);
  assert_null(strchr(p.failure.why, '\n'));
  ge_free(&p);
}

#endif
