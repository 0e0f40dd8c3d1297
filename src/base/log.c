/* log.c - levelled messages, one write per line so that threads do not interleave. */
#include "base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/text.h"

static const char *const level_names[] = {
#define X(name, value, text) text,
  SK__LOG_LIST(X)
#undef X
};

#define LEVEL_UNREAD (-1)
/* A cache of the environment variable, written once with the same value by whoever comes first. */
static _Atomic int highest = LEVEL_UNREAD;

static void write_line(const char *level, const char *format, va_list arguments) {
  char buffer[2048];
  sk__text text = sk__text_on(buffer, sizeof buffer - 1);
  sk__text_add(&text, "superkernel: %s: ", level);
  sk__text_vadd(&text, format, arguments);
  buffer[text.length] = '\n';
  ssize_t written = write(STDERR_FILENO, buffer, text.length + 1);
  (void)written; /* nowhere left to complain to */
}

__attribute__((format(printf, 2, 3))) static void say(const char *level, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  write_line(level, format, arguments);
  va_end(arguments);
}

static int read_level(void) {
  const char *wanted = getenv("SUPERKERNEL_LOG");
  if (wanted == NULL || wanted[0] == '\0') return SK__LOG_WARNING;
  for (int i = 0; i < SK__LOG_LEVELS; i++)
    if (strcasecmp(wanted, level_names[i]) == 0) return i;
  const char *near = sk__nearest(wanted, level_names, SK__LOG_LEVELS);
  say("warning", "SUPERKERNEL_LOG=%s is none of error, warning, info, debug%s%s%s; using warning", wanted,
      near != NULL ? " (did you mean " : "", near != NULL ? near : "", near != NULL ? "?)" : "");
  return SK__LOG_WARNING;
}

bool sk__log_on(sk__log_level level) {
  int limit = atomic_load_explicit(&highest, memory_order_relaxed);
  if (limit == LEVEL_UNREAD) {
    limit = read_level();
    atomic_store_explicit(&highest, limit, memory_order_relaxed);
  }
  return (int)level <= limit;
}

void sk__log(sk__log_level level, const char *format, ...) {
  if (!sk__log_on(level)) return;
  va_list arguments;
  va_start(arguments, format);
  write_line(level_names[level], format, arguments);
  va_end(arguments);
}
