/* check.c - where our program differs from a recorded decision of the real generator; one record shown. */
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "fuse/ge/internal.h"
#include "fuse/replay.h"

/* A programming error of the generator: which one it is matters only where it can be told. */
static bool same_refusal(const json_t *expected, const json_t *mine) {
  const char *name = json_string_value(json_object_get(expected, "error"));
  if (name == NULL || strcmp(name, "CRASH") != 0) return json_equal(expected, mine);
  return json_equal(json_object_get(expected, "error"), json_object_get(mine, "error")) && json_equal(json_object_get(expected, "why"), json_object_get(mine, "why"));
}

static void compare(sk__replay *r, const json_t *expected, const json_t *mine, const char *why) {
  bool refused = json_object_get(expected, "error") != NULL, refuse = json_object_get(mine, "error") != NULL;
  if (refused || refuse) {
    if (refused != refuse || !same_refusal(expected, mine))
      sk__replay_differs(r, "refusal", refused ? expected : json_object_get(expected, "type"), refuse ? mine : json_object_get(mine, "type"), why);
    return;
  }
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)mine, key, value) {
    const json_t *other = json_object_get(expected, key);
    if (other == NULL || !json_equal(other, value)) sk__replay_differs(r, key, other, value, "");
  }
  json_object_foreach((json_t *)(uintptr_t)expected, key, value) {
    if (json_object_get(mine, key) == NULL) sk__replay_differs(r, key, value, NULL, "");
  }
}

bool sk__ge_is_vectors(const json_t *first) {
  return json_is_object(first) && json_object_get(first, "subs") != NULL && json_object_get(first, "graph") == NULL;
}

static sk_status play(sk__replay *r) {
  if (!sk__ge_is_vectors(r->record)) return sk__replay_refuse(r, "no recorded case of graph mode");
  char why[256] = "";
  sk__arena arena = {0};
  sk__ge_input input;
  sk__ge_program program;
  sk__ge_failure failure;
  sk_status status = sk__ge_input_from_json(r->record, &arena, &input, why, sizeof why);
  if (status == SK_PARSE) {
    sk__replay_unreadable(r, why);
    status = SK_OK;
  } else if (status == SK_OK) {
    input.emulate_vendor_defects = r->emulate;
    sk_status made = sk__ge_generate(&input, &arena, &program, &failure);
    if (made != SK_OK && made != SK_INVALID_ARGUMENT) {
      status = made;
    } else {
      json_t *mine = made == SK_OK ? sk__ge_program_json(&program) : sk__ge_failure_json(&failure);
      if (mine == NULL) status = SK_OUT_OF_MEMORY;
      else compare(r, json_object_get(r->record, "expect"), mine, made == SK_OK ? "" : failure.why);
      json_decref(mine);
    }
  }
  sk__arena_free(&arena);
  return status;
}

sk_status sk__ge_check_stream(FILE *vectors, bool emulate_vendor_defects, FILE *report, sk__check_result *result) {
  sk__replay replay = {.emulate = emulate_vendor_defects, .report = report, .result = result, .play = play};
  return sk__replay_all(&replay, vectors);
}

sk_status sk__ge_show(const json_t *record, bool emulate_vendor_defects, bool as_json, FILE *to, char *why, size_t why_bytes) {
  sk__arena arena = {0};
  sk__ge_input input;
  sk__ge_program program;
  sk__ge_failure failure;
  sk_status status = sk__ge_input_from_json(record, &arena, &input, why, why_bytes);
  input.emulate_vendor_defects = emulate_vendor_defects;
  if (status == SK_OK) {
    status = sk__ge_generate(&input, &arena, &program, &failure);
    if (status == SK_INVALID_ARGUMENT) sk__text_copy(why, why_bytes, failure.why);
  }
  if (status == SK_OK && as_json) {
    json_t *json = sk__ge_program_json(&program);
    if (json == NULL) status = SK_OUT_OF_MEMORY;
    else if (json_dumpf(json, to, JSON_INDENT(2)) != 0 || fputc('\n', to) == EOF) status = SK_IO;
    json_decref(json);
  } else if (status == SK_OK) {
    sk__ge_print(&program, to);
  }
  sk__arena_free(&arena);
  return status;
}

int sk__ge_check(const char *path, bool emulate_vendor_defects, FILE *report) {
  FILE *file = fopen(path, "r");
  if (file == NULL) {
    fprintf(report, "%s: %s\n", path, strerror(errno));
    return 1;
  }
  sk__check_result result;
  sk_status status = sk__ge_check_stream(file, emulate_vendor_defects, report, &result);
  fclose(file);
  if (status != SK_OK) fprintf(report, "%s: %s\n", path, sk_status_text(status));
  return status != SK_OK || result.cases == 0 || result.agreed != result.cases;
}
