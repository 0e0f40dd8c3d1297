/* cli.h - floor 9: the verbs of skv. No logic of its own: options in, the library's answers out. */
#ifndef SK_CLI_CLI_H
#define SK_CLI_CLI_H

#include <jansson.h>
#include <stdbool.h>

/* Exit codes of every verb. */
enum { SK__EXIT_CLEAN = 0, SK__EXIT_FOUND = 1, SK__EXIT_USAGE = 2, SK__EXIT_NOT_MODELLED = 3, SK__EXIT_INTERNAL = 4 };

/* The list is written once: name, function, what it does, its help text. */
#define SK__VERB_LIST(X)                                                                    \
  X(verify, "run a program un-fused and fused, compare, explain every hazard")              \
  X(run, "run a program on the simulated NPU with all checks")                              \
  X(plan, "show how a program's launches are fused, and why not")                           \
  X(report, "print a saved JSON report as text")                                            \
  X(soc, "list the chip profiles")                                                          \
  X(ops, "list the operator library")                                                       \
  X(explain, "explain a hazard or finding id")                                              \
  X(version, "print the version")
#define X(name, what) int sk__cli_##name(int argc, char **argv);
SK__VERB_LIST(X)
#undef X

/* One line on standard error, "skv VERB: ...", and the exit code for bad usage. */
int sk__cli_usage(const char *verb, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Options shared by run, verify and plan, read up to the program's name. */
typedef struct sk__cli_request {
  const char *verb;
  const char *json, *modes, *random, *soc, *schedule, *threads, *checks, *trace, *save_graph;
  bool quiet, twin;
  char **program;            /* NULL-terminated argv of the program */
} sk__cli_request;
/* 0 when a file can appear at the path; else the exit code, after one line that names the option. */
int sk__cli_check_output(const char *verb, const char *option, const char *path);
/* Starts the program with the verifier attached and waits. Prints the text unless quiet, writes the
 * JSON if asked; returns the exit code. *document (new reference) is set when there is one. */
int sk__cli_launch(const sk__cli_request *run, json_t **document);

#endif
