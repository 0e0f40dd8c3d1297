/* util.c - growing text and lists for a process that lives for milliseconds and frees at exit. */
#include "skcc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void *checked(void *memory) {
  if (memory == NULL) {
    fputs("skcc: out of memory\n", stderr);
    run_cleanup();
    exit(EXIT_INTERNAL);
  }
  return memory;
}

void *grow(void *items, size_t count, size_t *capacity, size_t item_bytes) {
  if (count < *capacity) return items;
  *capacity = *capacity > 0 ? *capacity * 2 : 16;
  return checked(realloc(items, *capacity * item_bytes));
}

static void text_reserve(text *to, size_t more) {
  if (to->length + more < to->capacity) return;
  to->capacity = (to->length + more) * 2 + 64;
  to->bytes = checked(realloc(to->bytes, to->capacity));
}

void text_add(text *to, const char *bytes, size_t length) {
  text_reserve(to, length);
  memcpy(to->bytes + to->length, bytes, length);
  to->length += length;
  to->bytes[to->length] = '\0';
}

void text_puts(text *to, const char *string) { text_add(to, string, strlen(string)); }

static char *format_valist(const char *format, va_list arguments) {
  char *string = NULL;
  if (vasprintf(&string, format, arguments) < 0) string = NULL;
  return checked(string);
}

void text_printf(text *to, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *string = format_valist(format, arguments);
  va_end(arguments);
  text_puts(to, string);
  free(string);
}

void text_quoted(text *to, const char *string) {
  text_puts(to, "\"");
  for (const char *c = string; *c != '\0'; c++) {
    if (*c == '"' || *c == '\\') text_add(to, "\\", 1);
    text_add(to, c, 1);
  }
  text_puts(to, "\"");
}

char *format_string(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *string = format_valist(format, arguments);
  va_end(arguments);
  return string;
}

char *copy_string(const char *string, size_t length) {
  char *copy = checked(malloc(length + 1));
  memcpy(copy, string, length);
  copy[length] = '\0';
  return copy;
}

void list_add(list *to, const char *item) {
  to->items = grow(to->items, to->count, &to->capacity, sizeof *to->items);
  to->items[to->count++] = copy_string(item, strlen(item));
}

void list_addf(list *to, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  to->items = grow(to->items, to->count, &to->capacity, sizeof *to->items);
  to->items[to->count++] = format_valist(format, arguments);
  va_end(arguments);
}

void list_join(list *to, const list *more) {
  for (size_t i = 0; i < more->count; i++) list_add(to, more->items[i]);
}

void list_add_words(list *to, const char *words) {
  char *copy = copy_string(words, strlen(words)), *rest = NULL;
  for (char *next = strtok_r(copy, " ", &rest); next != NULL; next = strtok_r(NULL, " ", &rest)) list_add(to, next);
  free(copy);
}

bool read_file(const char *path, text *into) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  struct stat about;
  bool good = fstat(file, &about) == 0;
  if (good && S_ISDIR(about.st_mode)) {
    errno = EISDIR;
    good = false;
  }
  if (good) text_reserve(into, (size_t)about.st_size + 1);
  while (good) {
    text_reserve(into, 4096);
    ssize_t got = read(file, into->bytes + into->length, into->capacity - into->length - 1);
    if (got < 0) good = false;
    if (got <= 0) break;
    into->length += (size_t)got;
  }
  int error = errno;
  close(file);
  errno = error;
  text_reserve(into, 1);
  into->bytes[into->length] = '\0';
  return good;
}
