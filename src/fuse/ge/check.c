/* check.c - replays recorded decisions of the real generator and counts how many agree. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "fuse/fuse.h"
#include "fuse/ge/internal.h"

enum { MAX_KINDS = 48, MAX_LINE_BYTES = 1 << 26 };

typedef struct player {
  bool emulate;
  FILE *report;
  sk__check_result *result;
  char kinds[MAX_KINDS][24]; /* kinds of difference already shown */
  size_t kind_count;
  const json_t *record;
  bool differs;
} player;

static void print_tags(const player *y) {
  const json_t *tags = json_object_get(y->record, "tags");
  for (size_t i = 0; i < json_array_size(tags); i++) {
    const char *tag = json_string_value(json_array_get(tags, i));
    fprintf(y->report, "%s%s", i == 0 ? " [" : " ", tag != NULL ? tag : "?");
  }
  if (json_array_size(tags) > 0) fputc(']', y->report);
}

static void differ(player *y, const char *kind, const json_t *expected, const json_t *mine, const char *why) {
  bool first = !y->differs; /* without emulation each case that differs is named, each kind shown once */
  y->differs = true;
  for (size_t i = 0; i < y->kind_count; i++)
    if (strcmp(y->kinds[i], kind) == 0) {
      if (y->emulate || !first) return;
      fprintf(y->report, "case %lld", (long long)json_integer_value(json_object_get(y->record, "case")));
      print_tags(y);
      fprintf(y->report, ", %s differs\n", kind);
      return;
    }
  if (y->kind_count < MAX_KINDS) sk__text_copy(y->kinds[y->kind_count++], sizeof y->kinds[0], kind);
  char *want = expected != NULL ? json_dumps(expected, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
  char *have = mine != NULL ? json_dumps(mine, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
  fprintf(y->report, "case %lld", (long long)json_integer_value(json_object_get(y->record, "case")));
  print_tags(y);
  fprintf(y->report, ", %s: recorded %.1500s, planned %.1500s%s%s\n", kind, want != NULL ? want : "nothing", have != NULL ? have : "nothing",
          why[0] != '\0' ? ": " : "", why);
  free(want);
  free(have);
}

/* A programming error of the generator: which one it is matters only where it can be told. */
static bool same_refusal(const json_t *expected, const json_t *mine) {
  const char *name = json_string_value(json_object_get(expected, "error"));
  if (name == NULL || strcmp(name, "CRASH") != 0) return json_equal(expected, mine);
  return json_equal(json_object_get(expected, "error"), json_object_get(mine, "error")) && json_equal(json_object_get(expected, "why"), json_object_get(mine, "why"));
}

static void compare(player *y, const json_t *expected, const json_t *mine, const char *why) {
  bool refused = json_object_get(expected, "error") != NULL, refuse = json_object_get(mine, "error") != NULL;
  if (refused || refuse) {
    if (refused != refuse || !same_refusal(expected, mine))
      differ(y, "refusal", refused ? expected : json_object_get(expected, "type"), refuse ? mine : json_object_get(mine, "type"), why);
    return;
  }
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)mine, key, value) {
    const json_t *other = json_object_get(expected, key);
    if (other == NULL || !json_equal(other, value)) differ(y, key, other, value, "");
  }
  json_object_foreach((json_t *)(uintptr_t)expected, key, value) {
    if (json_object_get(mine, key) == NULL) differ(y, key, value, NULL, "");
  }
}

static sk_status play(player *y) {
  char why[256] = "";
  sk__arena arena = {0};
  sk__ge_input input;
  sk__ge_program program;
  sk__ge_failure failure;
  sk_status status = sk__ge_input_from_json(y->record, &arena, &input, why, sizeof why);
  if (status == SK_PARSE) {
    fprintf(y->report, "case %lld cannot be read: %s\n", (long long)json_integer_value(json_object_get(y->record, "case")), why);
    y->differs = true;
    status = SK_OK;
  } else if (status == SK_OK) {
    input.emulate_vendor_defects = y->emulate;
    sk_status made = sk__ge_generate(&input, &arena, &program, &failure);
    if (made != SK_OK && made != SK_INVALID_ARGUMENT) {
      status = made;
    } else {
      json_t *mine = made == SK_OK ? sk__ge_program_json(&program) : sk__ge_failure_json(&failure);
      if (mine == NULL) status = SK_OUT_OF_MEMORY;
      else compare(y, json_object_get(y->record, "expect"), mine, made == SK_OK ? "" : failure.why);
      json_decref(mine);
    }
  }
  sk__arena_free(&arena);
  return status;
}

bool sk__ge_is_vectors(const json_t *first) {
  return json_is_object(first) && json_object_get(first, "subs") != NULL && json_object_get(first, "graph") == NULL;
}

static sk_status play_line(player *y, const char *line, size_t bytes) {
  sk__check_result *result = y->result;
  json_error_t error;
  json_t *record = bytes > MAX_LINE_BYTES ? NULL : json_loadb(line, bytes, 0, &error);
  if (record == NULL || !sk__ge_is_vectors(record)) {
    const char *what = bytes > MAX_LINE_BYTES ? "too long" : record == NULL ? error.text : "no recorded case of graph mode";
    fprintf(y->report, "line %zu: %s\n", result->cases + 1, what);
    json_decref(record);
    return SK_PARSE;
  }
  y->record = record;
  y->differs = false;
  sk_status status = play(y);
  bool tagged = json_array_size(json_object_get(record, "tags")) > 0;
  result->cases++;
  result->untagged += !tagged;
  result->agreed += !y->differs;
  result->agreed_untagged += !y->differs && !tagged;
  json_decref(record);
  return status;
}

sk_status sk__ge_check_stream(FILE *vectors, bool emulate_vendor_defects, FILE *report, sk__check_result *result) {
  player y = {.emulate = emulate_vendor_defects, .report = report, .result = result};
  *result = (sk__check_result){0};
  char *line = NULL;
  size_t capacity = 0;
  sk_status status = SK_OK;
  for (ssize_t length; status == SK_OK && (length = getline(&line, &capacity, vectors)) >= 0;)
    if (length > 1) status = play_line(&y, line, (size_t)length);
  free(line);
  if (status == SK_OK && ferror(vectors)) status = SK_IO;
  if (status == SK_OK) fprintf(report, "agreed %zu of %zu\n", result->agreed, result->cases);
  return status;
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
