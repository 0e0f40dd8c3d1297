/* warn.c - what a program or a grouping tells people besides: a bounded list of lines. */
#include <stdarg.h>

#include "base/text.h"
#include "fuse/ge/group.h"
#include "fuse/ge/internal.h"
#include "fuse/ge/plan.h"

enum { MAX_WARNINGS = 64 };

static __attribute__((format(printf, 4, 0))) void add(sk__arena *arena, const char ***warnings, size_t *count, const char *format, va_list arguments) {
  char text[400];
  sk__text line = sk__text_on(text, sizeof text);
  sk__text_vadd(&line, format, arguments);
  sk__text_one_line(text);
  if (*warnings == NULL) *warnings = sk__arena_array(arena, const char *, MAX_WARNINGS);
  if (*warnings == NULL || *count == MAX_WARNINGS) return;
  const char *kept = sk__arena_strdup(arena, text);
  if (kept != NULL) (*warnings)[(*count)++] = kept;
}

void sk__ge_warn(sk__ge_build *b, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  add(b->arena, &b->out->warnings, &b->out->warning_count, format, arguments);
  va_end(arguments);
}

void sk__ge_group_warn(sk__ge_grouper *g, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  add(g->arena, &g->out->warnings, &g->out->warning_count, format, arguments);
  va_end(arguments);
}

void sk__ge_plan_warn(sk__ge_plan *plan, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  add(&plan->arena, &plan->grouping.warnings, &plan->grouping.warning_count, format, arguments);
  va_end(arguments);
}
