/* cli.h - floor 9: the verbs of skv. No logic of its own: options in, the library's answers out. */
#ifndef SK_CLI_CLI_H
#define SK_CLI_CLI_H

#include <getopt.h>
#include <jansson.h>
#include <stdbool.h>

/* Exit codes of every verb. */
enum { SK__EXIT_CLEAN = 0, SK__EXIT_FOUND = 1, SK__EXIT_USAGE = 2, SK__EXIT_NOT_MODELLED = 3, SK__EXIT_INTERNAL = 4 };

/* The list is written once: name, function, what it does, its help text. */
#define SK__VERB_LIST(X)                                                                    \
  X(cc, "compile kernels with their host code (skcc)")                                      \
  X(verify, "run a program un-fused and fused, compare, explain every hazard")              \
  X(run, "run a program on the simulated NPU with all checks")                              \
  X(plan, "show how a program's launches are fused, and why not")                           \
  X(report, "a saved JSON report as text, SARIF or JUnit")                                  \
  X(soc, "list the chip profiles")                                                          \
  X(ops, "list the operator library")                                                       \
  X(explain, "explain a hazard or finding id")                                              \
  X(version, "print the version")
#define X(name, what) int sk__cli_##name(int argc, char **argv);
SK__VERB_LIST(X)
#undef X

/* One line on standard error, "skv VERB: ...", and the exit code for bad usage. */
int sk__cli_usage(const char *verb, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same for an option that the verb does not have: names the nearest and all legal ones. */
int sk__cli_unknown_option(const char *verb, const struct option *options, const char *given);

/* One line on standard error when an argument of the program is an option of the verb; argv is all the verb was given. */
void sk__cli_note_misplaced(const char *verb, const struct option *options, char *const *argv, char *const *program);

/* 0 when the text is an option string of GE graph mode, else the exit code after one line that names the trouble. */
int sk__cli_check_ge_options(const char *verb, const char *option, const char *text);

/* Files a report goes to: the option's name is the form's; NULL where not asked for. */
#define SK__OUTPUT_LIST(X) X(json) X(sarif) X(junit)
typedef struct sk__cli_outputs {
#define X(name) const char *name;
  SK__OUTPUT_LIST(X)
#undef X
} sk__cli_outputs;
/* 0, or the exit code after one line: what is wanted is a file. The option may be NULL. */
int sk__cli_refuse_directory(const char *verb, const char *option, const char *path);
/* 0 when a file can appear at the path; else the exit code, after one line that names the option. */
int sk__cli_check_output(const char *verb, const char *option, const char *path);
/* 0 when each can be written, else the exit code after one line that names the trouble. */
int sk__cli_check_outputs(const char *verb, const sk__cli_outputs *outputs);
/* Writes what is asked for; code when all went well, else the exit code after one line. */
int sk__cli_write_outputs(const char *verb, const sk__cli_outputs *outputs, json_t *document, int code);
/* Exit code of the document's verdict. */
int sk__cli_verdict_code(json_t *document);

/* Options shared by run, verify and plan, read up to the program's name. */
typedef struct sk__cli_request {
  const char *verb;
  const char *modes, *random, *soc, *schedule, *threads, *checks, *trace, *save_graph, *ge_options;
  sk__cli_outputs outputs;
  json_t *suppressions;      /* sk__suppressions_read, or NULL */
  const char *python;        /* interpreter for scripts; NULL = SKV_PYTHON, or the installation's */
  bool quiet, twin, no_source, no_diagnose, all, emulate, unread;
  char **program;            /* NULL-terminated argv of the program */
} sk__cli_request;
/* Replaces the process by an interpreter that runs the script; never returns. */
_Noreturn void sk__cli_start_script(const sk__cli_request *run);
/* Starts the program with the verifier attached and waits. Prints the text unless quiet, writes the
 * files asked for; returns the exit code. *document (new reference) is set when there is one. */
int sk__cli_launch(const sk__cli_request *run, json_t **document);

#endif
