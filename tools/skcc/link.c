/* link.c - objects to a program, a shared object or one object; the output appears whole or not at all. */
#include "skcc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "skcc_config.h"

/* Calls that move memory go through the hooks' versions, which report device memory first. */
static const char wrapped[] =
    "-Wl,--wrap=memcpy,--wrap=memmove,--wrap=memset,--wrap=__memcpy_chk,--wrap=__memmove_chk,--wrap=__memset_chk";

static void add_library(const places *p, list *argv) {
  list_add(argv, wrapped);
  list_add(argv, p->hooks);
  list_addf(argv, "-L%s", p->library_dir);
  list_add(argv, "-lsuperkernel");
  list_addf(argv, "-Wl,-rpath,%s", p->library_dir);
}

int link_print(const places *p) {
  list words = {0};
  if (SKCC_SANITIZE[0] != '\0') list_add(&words, SKCC_SANITIZE);
  add_library(p, &words);
  for (size_t i = 0; i < words.count; i++)
    if (printf("%s%s", i > 0 ? " " : "", words.items[i]) < 0) return EXIT_INTERNAL;
  return puts("") < 0 ? EXIT_INTERNAL : 0;
}

static int replace_output(const char *output, char *temporary) {
  if (rename(temporary, output) != 0) {
    fprintf(stderr, "skcc: cannot write '%s': %s\n", output, strerror(errno));
    unlink(temporary);
    return EXIT_COMPILE;
  }
  run_unfinished(NULL);
  return 0;
}

static int link_all(const options *o, const places *p, char *const *objects, const char *temporary) {
  list argv = {0};
  bool cplusplus = false;
  for (size_t i = 0; i < o->input_count; i++) cplusplus |= !o->inputs[i].source || o->inputs[i].cplusplus; /* an object may be C++ */
  list_add_words(&argv, compiler_of(o, cplusplus));
  list_join(&argv, &o->compile);
  if (o->kind == OUTPUT_SHARED) {
    list_add(&argv, "-shared");
    list_add(&argv, "-Wl,-Bsymbolic"); /* two operator libraries may hold kernels of one name */
  }
  list_add(&argv, "-o");
  list_add(&argv, temporary);
  for (size_t i = 0; i < o->input_count; i++) list_add(&argv, objects[i] != NULL ? objects[i] : o->inputs[i].path);
  if (SKCC_SANITIZE[0] != '\0') { /* the first shared library, but what the hooks replace is theirs */
    list_add(&argv, p->hooks);
    list_add_words(&argv, SKCC_SANITIZE);
  }
  list_join(&argv, &o->link);
  add_library(p, &argv);
  return run_command(&argv, NULL) == 0 ? 0 : EXIT_COMPILE;
}

/* ld -r of one object is a copy that stands beside the output, ready to be renamed. */
static int copy_object(const char *object, const char *temporary) {
  list argv = {0};
  const char *const words[] = {"ld", "-r", "-o", temporary, object};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) list_add(&argv, words[i]);
  return run_command(&argv, NULL) == 0 ? 0 : EXIT_COMPILE;
}

char *object_name(const char *source) {
  const char *slash = strrchr(source, '/'), *base = slash != NULL ? slash + 1 : source, *dot = strrchr(base, '.');
  return format_string("%.*s.o", (int)(dot != NULL && dot > base ? dot - base : (long)strlen(base)), base);
}

int link_output(const options *o, const places *p, char *const *objects) {
  for (size_t i = 0; i < (o->kind == OUTPUT_OBJECT ? o->input_count : 1); i++) {
    const char *output = o->output;
    if (output == NULL) output = o->kind == OUTPUT_OBJECT ? object_name(o->inputs[i].path) : "a.out";
    char *temporary = format_string("%s.skcc.%d", output, (int)getpid());
    run_unfinished(temporary);
    int code = o->kind == OUTPUT_OBJECT ? copy_object(objects[i], temporary) : link_all(o, p, objects, temporary);
    if (code != 0) return code;
    if (run_interrupted()) return EXIT_INTERNAL;
    code = replace_output(output, temporary);
    if (code != 0) return code;
  }
  return 0;
}
