/* pattern.c - kernel name patterns: '.' is any one character, 'x*' any number of x; the whole name must
 * match. */
#include <ctype.h>
#include <string.h>

#include "base/log.h"
#include "fuse/planner.h"

enum { MAX_NAME = 1024 };

/* Positions reachable in the pattern, as a set: linear in name times pattern, whatever the stars. */
static bool match_trimmed(const char *pattern, size_t length, const char *name) {
  bool at[MAX_NAME + 1], next[MAX_NAME + 1];
  memset(at, 0, length + 1);
  at[0] = true;
  for (;; name++) {
    for (size_t i = 0; i < length; i++)
      if (at[i] && i + 1 < length && pattern[i + 1] == '*') at[i + 2] = true;
    if (*name == '\0') return at[length];
    memset(next, 0, length + 1);
    for (size_t i = 0; i < length; i++) {
      if (!at[i] || (pattern[i] != '.' && pattern[i] != *name)) continue;
      bool star = i + 1 < length && pattern[i + 1] == '*';
      next[star ? i : i + 1] = true;
    }
    memcpy(at, next, length + 1);
  }
}

bool sk__pattern_match(const char *pattern, const char *name) {
  while (isspace((unsigned char)*pattern)) pattern++;
  size_t length = strlen(pattern);
  while (length > 0 && isspace((unsigned char)pattern[length - 1])) length--;
  bool legal = length > 0 && length <= MAX_NAME && pattern[0] != '*';
  for (size_t i = 0; i < length && legal; i++)
    legal = isalnum((unsigned char)pattern[i]) || strchr("_-.*", pattern[i]) != NULL;
  return legal && match_trimmed(pattern, length, name);
}

bool sk__patterns_match(const sk__patterns *patterns, const char *name) {
  for (size_t i = 0; i < patterns->count; i++)
    if (patterns->items[i] != NULL && sk__pattern_match(patterns->items[i], name)) return true;
  return false;
}
