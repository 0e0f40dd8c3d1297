/* pattern.c - kernel name patterns: '.' is any one character, 'x*' any number of x; the whole name must
 * match. */
#include <ctype.h>
#include <string.h>

#include "base/log.h"
#include "fuse/planner.h"

enum { MAX_NAME = 1024 };

static bool fits(char pattern, char c) { return pattern == '.' || pattern == c; }

/* Positions reachable in the pattern, as a set: linear in name times pattern, whatever the stars. A second star in a row takes
 * the first as its character. */
static bool match_trimmed(const char *pattern, size_t length, const char *name) {
  bool at[MAX_NAME + 1], next[MAX_NAME + 1];
  memset(at, 0, length + 1);
  at[0] = true;
  for (;; name++) {
    for (size_t i = 2; i <= length; i++) at[i] |= pattern[i - 1] == '*' && at[i - 2];
    if (*name == '\0') return at[length];
    next[0] = false;
    for (size_t i = 1; i <= length; i++)
      next[i] = pattern[i - 1] != '*' ? at[i - 1] && fits(pattern[i - 1], *name) : i >= 2 && at[i] && fits(pattern[i - 2], *name);
    memcpy(at, next, length + 1);
  }
}

/* The pattern without blanks around it; false when it is empty or holds what no pattern may. */
static bool trim(const char **pattern, size_t *length) {
  const char *text = *pattern;
  while (isspace((unsigned char)*text)) text++;
  *pattern = text;
  *length = strlen(text);
  while (*length > 0 && isspace((unsigned char)text[*length - 1])) --*length;
  bool legal = *length > 0 && *length <= MAX_NAME && text[0] != '*';
  for (size_t i = 0; i < *length && legal; i++) legal = isalnum((unsigned char)text[i]) || strchr("_-.*", text[i]) != NULL;
  return legal;
}

bool sk__pattern_legal(const char *pattern) {
  size_t length;
  return trim(&pattern, &length);
}

bool sk__pattern_match(const char *pattern, const char *name) {
  size_t length;
  return trim(&pattern, &length) && match_trimmed(pattern, length, name);
}

bool sk__patterns_match(const sk__patterns *patterns, const char *name) {
  for (size_t i = 0; i < patterns->count; i++)
    if (patterns->items[i] != NULL && sk__pattern_match(patterns->items[i], name)) return true;
  return false;
}

/* ---- extension texts ------------------------------------------------------------------------- */

static size_t span(const char *text, const char *more) {
  size_t n = 0;
  while (isalnum((unsigned char)text[n]) || (text[n] != '\0' && strchr(more, text[n]) != NULL)) n++;
  return n;
}

static bool key_is_new(const char *begin, const char *key, size_t length) {
  for (const char *at = begin; at < key;) {
    if (span(at, "_-.") == length && strncmp(at, key, length) == 0) return false;
    at += strcspn(at, ":");
    at += *at == ':';
  }
  return true;
}

bool sk__extension_legal(const char *text, size_t limit) {
  size_t length = strlen(text);
  if (length > limit) return false;
  while (isspace((unsigned char)*text)) text++;
  const char *begin = text;
  while (true) {
    size_t key = span(text, "_-.");
    if (key == 0 || text[key] != '=' || !key_is_new(begin, text, key)) return false;
    text += key + 1;
    for (;; text++) {
      size_t value = span(text, "_-./");
      if (value == 0) return false;
      text += value;
      if (*text != ',') break;
    }
    if (*text != ':') break;
    text++;
  }
  while (isspace((unsigned char)*text)) text++;
  return *text == '\0';
}
