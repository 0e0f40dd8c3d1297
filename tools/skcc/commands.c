/* commands.c - entries for compile_commands.json (-MJ): what an editor's language server needs to read a source,
 * with the dialect's qualifiers as empty macros. One entry per source and line, each with a comma behind it. */
#include "skcc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const qualifiers[] = {"__global__", "__aicore__", "__vector__", "__cube__", "__sk__", "__gm__", "__ubuf__",
                                         "__cbuf__", "__ca__", "__cb__", "__cc__", "__biasbuf__", "__fbuf__",
                                         "__mix__(...)", "__schedmode__(...)"};

static void add_words(text *to, const list *words) {
  for (size_t i = 0; i < words->count; i++) {
    text_puts(to, ", ");
    text_quoted(to, words->items[i]);
  }
}

static void add_entry(text *to, const options *o, const places *p, const input *in, const char *directory) {
  list argv = {0};
  list_add(&argv, in->cplusplus ? "c++" : "c");
  list_add(&argv, in->cplusplus ? "-std=gnu++17" : "-std=gnu11");
  list_join(&argv, in->cplusplus ? &o->cpp_only : &o->c_only);
  list_join(&argv, &o->compile);
  list_join(&argv, &o->preprocess);
  list_addf(&argv, "-isystem%s", p->include_ascendc);
  list_addf(&argv, "-idirafter%s", p->include);
  add_half_macros(&argv, false);
  for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++) list_addf(&argv, "-D%s=", qualifiers[i]);
  list_add(&argv, in->path);
  text_puts(to, "{\"directory\": ");
  text_quoted(to, directory);
  text_puts(to, ", \"file\": ");
  text_quoted(to, in->path);
  text_puts(to, ", \"arguments\": [");
  text_quoted(to, compiler_of(o, in->cplusplus));
  text_puts(to, ", \"-x\"");
  add_words(to, &argv);
  text_puts(to, "]},\n");
}

int commands_write(const options *o, const places *p) {
  char directory[4096];
  text out = {0};
  if (o->commands == NULL) return 0;
  if (getcwd(directory, sizeof directory) == NULL) strcpy(directory, ".");
  for (size_t i = 0; i < o->input_count; i++)
    if (o->inputs[i].source) add_entry(&out, o, p, &o->inputs[i], directory);
  FILE *file = fopen(o->commands, "w");
  bool good = file != NULL && (out.length == 0 || fwrite(out.bytes, out.length, 1, file) == 1);
  if (file != NULL && fclose(file) != 0) good = false;
  if (good) return 0;
  fprintf(stderr, "skcc: cannot write '%s': %s\n", o->commands, strerror(errno));
  return EXIT_USAGE;
}
