/* main.c - skv: picks the verb. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"

static const struct verb {
  const char *name, *what;
  int (*run)(int argc, char **argv);
} verbs[] = {
#define X(name, what) {#name, what, sk__cli_##name},
    SK__VERB_LIST(X)
#undef X
};
#define VERBS (sizeof verbs / sizeof verbs[0])

static void print_help(FILE *to) {
  fprintf(to, "usage: skv VERB [options] ...\n\nA simulated NPU that proves kernels survive SuperKernel fusion, or says why not.\n\n");
  for (size_t i = 0; i < VERBS; i++) fprintf(to, "  %-9s %s\n", verbs[i].name, verbs[i].what);
  fprintf(to,
          "\nexamples:\n"
          "  skv cc add.c -o add && skv verify ./add    is this kernel safe in a SuperKernel?\n"
          "  skv run --soc ascend910b3 ./add            run it on another chip\n"
          "  skv verify --json report.json ./add        for machines\n"
          "  skv explain H7                             what does this id mean?\n"
          "\nskv VERB --help tells the options of a verb.\n"
          "exit codes: 0 clean, 1 mismatch, findings or a failed program, 2 bad usage, 3 not modelled, 4 internal error\n");
}

int sk__cli_usage(const char *verb, const char *format, ...) {
  va_list arguments;
  fprintf(stderr, "skv %s: ", verb);
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fprintf(stderr, "\n");
  return SK__EXIT_USAGE;
}

static int unknown_verb(const char *name) {
  const char *names[VERBS];
  for (size_t i = 0; i < VERBS; i++) names[i] = verbs[i].name;
  const char *near = sk__nearest(name, names, VERBS);
  fprintf(stderr, "skv: no verb '%s'%s%s%s; legal:", name, near != NULL ? " (did you mean '" : "",
          near != NULL ? near : "", near != NULL ? "'?)" : "");
  for (size_t i = 0; i < VERBS; i++) fprintf(stderr, "%s %s", i > 0 ? "," : "", names[i]);
  fprintf(stderr, "\n");
  return SK__EXIT_USAGE;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    print_help(stderr);
    return SK__EXIT_USAGE;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
    print_help(stdout);
    return SK__EXIT_CLEAN;
  }
  if (strcmp(argv[1], "--version") == 0) return sk__cli_version(1, argv);
  for (size_t i = 0; i < VERBS; i++)
    if (strcmp(argv[1], verbs[i].name) == 0) return verbs[i].run(argc - 1, argv + 1);
  return unknown_verb(argv[1]);
}
