/* scope_options.c - option strings of graph mode's scopes, and changes of them. */
#include <string.h>

#include "verify/trial.h"

const char *sk__scope_options(sk__task *const *tasks, size_t count, const char *scope) {
  for (size_t i = 0; i < count; i++) {
    const sk__attributes *attributes = tasks[i]->attributes;
    if (attributes != NULL && attributes->scope != NULL && strcmp(attributes->scope, scope) == 0) return attributes->options;
  }
  return NULL;
}

char *sk__options_with(sk__arena *arena, const char *text, const char *key, const char *part) {
  if (text == NULL) text = "";
  size_t room = strlen(text) + strlen(part) + 2, used = 0;
  char *out = sk__arena_array(arena, char, room);
  if (out == NULL) return NULL;
  while (*text != '\0') {
    size_t length = strcspn(text, ":"), blanks = strspn(text, " \t");
    if (length > 0 && strncmp(text + blanks, key, strlen(key)) != 0) {
      memcpy(out + used, text, length);
      used += length;
      out[used++] = ':';
    }
    text += length + (text[length] == ':');
  }
  memcpy(out + used, part, strlen(part) + 1);
  return out;
}
