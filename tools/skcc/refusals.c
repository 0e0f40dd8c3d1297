/* refusals.c - what an API header refuses (static_assert), said again at the user's line in front of the compiler's own text.
 *
 * The compilers report it inside the header, with the line that calls it before (gcc: "required from") or behind (clang:
 * "in instantiation of ... requested here"). */
#include "skcc.h"

#include <stdio.h>
#include <string.h>

typedef struct span {
  const char *first;
  size_t length;
} span;

static bool has(span line, const char *words) { return line.first != NULL && memmem(line.first, line.length, words, strlen(words)) != NULL; }

static size_t digits_at(span line, size_t i) {
  size_t n = 0;
  while (i + n < line.length && line.first[i + n] >= '0' && line.first[i + n] <= '9') n++;
  return n;
}
/* "file:line" or "file:line:column" at the start of a message, which a colon ends; empty if there is none. */
static span position_of(span line) {
  const char *colon = memchr(line.first, ':', line.length);
  if (colon == NULL) return (span){0};
  size_t at = (size_t)(colon - line.first), end = at + 1 + digits_at(line, at + 1);
  if (end == at + 1 || end >= line.length || line.first[end] != ':') return (span){0};
  size_t column = digits_at(line, end + 1);
  if (column > 0 && end + 1 + column < line.length && line.first[end + 1 + column] == ':') end += 1 + column;
  return (span){line.first, end};
}

static bool in_api(span position) { return has(position, "include/ascendc/") || has(position, "include/superkernel/"); }
static bool in_user_code(span position) { return position.length > 0 && !in_api(position); }

/* The sentence of a failed assertion; empty if the line is something else. */
static span sentence_of(span line) {
  static const char *const heads[] = {"error: static assertion failed: ", "error: static assertion failed due to requirement '",
                                      "error: static_assert failed due to requirement '", "error: static_assert failed \""};
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
    const char *at = memmem(line.first, line.length, heads[i], strlen(heads[i]));
    if (at == NULL) continue;
    at += strlen(heads[i]);
    span rest = {at, (size_t)(line.first + line.length - at)};
    if (heads[i][strlen(heads[i]) - 1] == '\'') { /* the condition comes first */
      const char *end = memmem(rest.first, rest.length, "' \"", 3), *newer = memmem(rest.first, rest.length, "': ", 3);
      if (end == NULL) end = newer;
      if (end == NULL) return (span){0};
      rest = (span){end + 3, (size_t)(rest.first + rest.length - end - 3)};
    }
    if (rest.length > 0 && rest.first[rest.length - 1] == '"') rest.length--;
    return rest;
  }
  return (span){0};
}

static void say(span position, span sentence, text *said) {
  if (position.length == 0) return;
  char *place = format_string("%.*s: error: ", (int)position.length, position.first);
  if (said->length == 0 || strstr(said->bytes, place) == NULL)
    text_printf(said, "%s%.*s\n", place, (int)sentence.length, sentence.first);
}

void text_of_refusals(const text *messages, text *said) {
  span caller = {0}, waiting = {0}; /* the user's line of the instantiation at hand; a sentence whose line is still to come */
  for (const char *at = messages->bytes, *end = at + messages->length; at < end;) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    span line = {at, (size_t)((stop != NULL ? stop : end) - at)};
    at = stop != NULL ? stop + 1 : end;
    span position = position_of(line), sentence = sentence_of(line);
    if (has(line, ": In instantiation of ") || has(line, ": In function ")) caller = (span){0};
    if (has(line, "required from ") && caller.length == 0 && in_user_code(position)) caller = position;
    if (waiting.length > 0 && has(line, "note: in instantiation of ") && in_user_code(position)) {
      say(position, waiting, said);
      waiting = (span){0};
    }
    if (sentence.length == 0 || !in_api(position)) continue;
    say(caller, sentence, said);
    waiting = caller.length == 0 ? sentence : (span){0};
  }
}
