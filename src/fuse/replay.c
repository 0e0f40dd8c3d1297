/* replay.c - plays recorded decisions and counts how many agree. */
#include "fuse/replay.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { MAX_LINE_BYTES = 1 << 26 };

static void print_case(const sk__replay *replay) {
  const json_t *tags = json_object_get(replay->record, "tags");
  fprintf(replay->report, "case %lld", (long long)json_integer_value(json_object_get(replay->record, "case")));
  for (size_t i = 0; i < json_array_size(tags); i++) {
    const char *tag = json_string_value(json_array_get(tags, i));
    fprintf(replay->report, "%s%s", i == 0 ? " [" : " ", tag != NULL ? tag : "?");
  }
  if (json_array_size(tags) > 0) fputc(']', replay->report);
}

static bool was_shown(const sk__replay *replay, const char *kind) {
  for (size_t i = 0; i < replay->kind_count; i++)
    if (strcmp(replay->kinds[i], kind) == 0) return true;
  return false;
}

void sk__replay_differs(sk__replay *replay, const char *kind, const json_t *expected, const json_t *mine, const char *why) {
  bool first = !replay->differs;
  replay->differs = true;
  if (was_shown(replay, kind)) {
    if (replay->emulate || !first) return;
    print_case(replay);
    fprintf(replay->report, ", %s differs\n", kind);
    return;
  }
  if (replay->kind_count < SK__REPLAY_KINDS) sk__text_copy(replay->kinds[replay->kind_count++], SK__REPLAY_KIND_BYTES, kind);
  char *want = expected != NULL ? json_dumps(expected, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
  char *have = mine != NULL ? json_dumps(mine, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
  print_case(replay);
  fprintf(replay->report, ", %s: recorded %.1500s, planned %.1500s%s%s\n", kind, want != NULL ? want : "nothing", have != NULL ? have : "nothing",
          why[0] != '\0' ? ": " : "", why);
  free(want);
  free(have);
}

void sk__replay_unreadable(sk__replay *replay, const char *why) {
  print_case(replay);
  fprintf(replay->report, " cannot be read: %s\n", why);
  replay->differs = true;
}

sk_status sk__replay_refuse(const sk__replay *replay, const char *why) {
  fprintf(replay->report, "line %zu: %s\n", replay->result->cases + 1, why);
  return SK_PARSE;
}

static sk_status play_line(sk__replay *replay, const char *line, size_t bytes) {
  if (bytes > MAX_LINE_BYTES) return sk__replay_refuse(replay, "too long");
  json_error_t error;
  json_t *record = json_loadb(line, bytes, 0, &error);
  if (record == NULL) {
    char why[JSON_ERROR_TEXT_LENGTH + 32];
    snprintf(why, sizeof why, "column %d: %s", error.column, error.text);
    return sk__replay_refuse(replay, why);
  }
  replay->record = record;
  replay->differs = false;
  sk_status status = replay->play(replay);
  if (status == SK_OK) {
    sk__check_result *result = replay->result;
    bool tagged = json_array_size(json_object_get(record, "tags")) > 0;
    result->cases++;
    result->untagged += !tagged;
    result->agreed += !replay->differs;
    result->agreed_untagged += !replay->differs && !tagged;
  }
  replay->record = NULL;
  json_decref(record);
  return status;
}

sk_status sk__replay_all(sk__replay *replay, FILE *vectors) {
  *replay->result = (sk__check_result){0};
  char *line = NULL;
  size_t capacity = 0;
  sk_status status = SK_OK;
  for (ssize_t length; status == SK_OK && (length = getline(&line, &capacity, vectors)) >= 0;)
    if (length > 1) status = play_line(replay, line, (size_t)length);
  free(line);
  if (status == SK_OK && ferror(vectors)) status = SK_IO;
  if (status == SK_OK && replay->result->cases > 0) fprintf(replay->report, "agreed %zu of %zu\n", replay->result->agreed, replay->result->cases);
  return status;
}
