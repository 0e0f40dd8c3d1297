/* rewrite.c - one preprocessed text to the text of one of its parts. */
#include "skcc.h"

/* What the user's own files say; those of the system and of this product say it of everybody. */
static void read_facts(unit *u) {
  bool *user = NULL;
  size_t capacity = 0;
  for (size_t i = 0; i < u->files.count; i++) {
    user = grow(user, i, &capacity, sizeof *user);
    user[i] = false;
  }
  for (size_t i = 1; i < u->token_count; i++)
    if (!u->tokens[i].system) user[u->tokens[i].file] = true;
  bool cube = false;
  for (size_t i = 0; i < u->files.count; i++)
    if (user[i]) (void)lex_raw_facts(u->files.items[i], &u->flags, &cube);
}

void rewrite_read(unit *u) {
  lex(u);
  scan(u);
  read_facts(u);
}

bool rewrite_part(const unit *read, part which, unit *u, text *out) {
  *u = *read; /* tokens and functions are shared; edits and kernels are the part's own */
  u->part = which;
  rewrite_qualifiers(u);
  rewrite_kernels(u);
  rewrite_launches(u);
  rewrite_bindings(u);
  rewrite_launch_headers(u);
  rewrite_arrays(u);
  if (u->error_count > 0) return false;
  if ((u->needs_glue || u->kernel_count > 0) && u->token_count > 2) {
    text glue = {0};
    begin_system_text(u, 1, &glue);
    text_puts(&glue, glue_text(u->cplusplus));
    edit_before(u, 1, glue.bytes);
    u->edits[u->edit_count - 1].order = 0; /* first of all */
  }
  edit_write(u, out);
  return true;
}
