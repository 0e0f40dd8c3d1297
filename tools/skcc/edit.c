/* edit.c - a list of changes to the preprocessed text, applied in one pass.
 *
 * After a change that moves columns or lines a marker names the line again and blanks restore the
 * column, so messages and debug information keep pointing at what the user wrote. */
#include "skcc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_edit(unit *u, uint32_t at, uint32_t remove, uint32_t anchor, char *insert, bool resync) {
  u->edits = grow(u->edits, u->edit_count, &u->edit_capacity, sizeof *u->edits);
  u->edits[u->edit_count] = (edit){at, remove, anchor, (uint32_t)u->edit_count + 1, insert, resync};
  u->edit_count++;
}

void edit_replace(unit *u, uint32_t first, uint32_t last, char *insert) {
  const token *a = &u->tokens[first], *b = &u->tokens[last];
  add_edit(u, a->at, b->at + b->length - a->at, last, insert, true);
}

void edit_blank(unit *u, uint32_t first, uint32_t last) {
  for (uint32_t i = first; i <= last; i++) {
    const token *t = &u->tokens[i];
    char *blanks = copy_string(u->source.bytes + t->at, t->length);
    memset(blanks, ' ', t->length);
    add_edit(u, t->at, t->length, i, blanks, false);
  }
}

void edit_before(unit *u, uint32_t at, char *insert) { add_edit(u, u->tokens[at].at, 0, at, insert, true); }

void edit_after(unit *u, uint32_t at, char *insert) {
  add_edit(u, u->tokens[at].at + u->tokens[at].length, 0, at, insert, true);
}

static int by_place(const void *a, const void *b) {
  const edit *x = a, *y = b;
  if (x->at != y->at) return x->at < y->at ? -1 : 1;
  if ((x->remove == 0) != (y->remove == 0)) return x->remove == 0 ? -1 : 1;
  return x->order < y->order ? -1 : 1;
}

static void write_resync(const unit *u, const edit *e, text *out) {
  const token *t = &u->tokens[e->anchor];
  uint32_t end = e->at + e->remove, line_start = end;
  while (line_start > 0 && u->source.bytes[line_start - 1] != '\n') line_start--;
  text_printf(out, "\n# %u ", t->line);
  text_quoted(out, u->files.items[t->file]);
  text_puts(out, t->system ? " 3\n" : "\n");
  text_printf(out, "%*s", (int)(end - line_start), "");
}

void begin_system_text(const unit *u, uint32_t at, text *out) {
  const token *t = &u->tokens[at];
  text_printf(out, "\n# %u ", t->line);
  text_quoted(out, u->files.items[t->file]);
  text_puts(out, " 3\n");
}

void edit_write(unit *u, text *out) {
  if (u->edit_count > 0) qsort(u->edits, u->edit_count, sizeof *u->edits, by_place);
  uint32_t done = 0;
  for (size_t i = 0; i < u->edit_count; i++) {
    const edit *e = &u->edits[i];
    if (e->at < done) continue; /* inside something already replaced as a whole */
    text_add(out, u->source.bytes + done, e->at - done);
    text_puts(out, e->insert);
    done = e->at + e->remove;
    bool joined = i + 1 < u->edit_count && e[1].at == done && e[1].remove == 0;
    if (e->resync && !joined) write_resync(u, e, out);
  }
  text_add(out, u->source.bytes + done, u->source.length - done);
}

static void add_message(unit *u, uint32_t at, const char *kind, const char *format, va_list arguments) {
  char *message = NULL;
  if (vasprintf(&message, format, arguments) < 0) message = NULL;
  const token *t = &u->tokens[at];
  uint32_t line_start = t->at;
  while (line_start > 0 && u->source.bytes[line_start - 1] != '\n') line_start--;
  text_printf(&u->messages, "%s:%u:%u: %s: %s\n", u->files.items[t->file], t->line, t->at - line_start + 1, kind,
              message != NULL ? message : format);
  free(message);
}

void unit_error(unit *u, uint32_t at, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  add_message(u, at, "error", format, arguments);
  va_end(arguments);
  u->error_count++;
}

void unit_warning(unit *u, uint32_t at, const char *format, ...) {
  if (u->quiet) return;
  va_list arguments;
  va_start(arguments, format);
  add_message(u, at, "warning", format, arguments);
  va_end(arguments);
}
