/* launch.c - starts a program with the verifier attached and collects its report. */
#include <elf.h>
#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/plan.h"
#include "report/report.h"

static bool ends_with(const char *text, const char *tail) {
  size_t n = strlen(text), m = strlen(tail);
  return n >= m && strcmp(text + n - m, tail) == 0;
}

static bool is_script(const char *path) { return ends_with(path, ".py"); }

/* A shared object has no interpreter segment; a position independent program has one. */
static bool is_shared_object(FILE *file, const Elf64_Ehdr *header) {
  if (header->e_type != ET_DYN) return false;
  for (int i = 0; i < header->e_phnum; i++) {
    Elf64_Phdr segment;
    if (fseek(file, (long)(header->e_phoff + (uint64_t)i * header->e_phentsize), SEEK_SET) != 0 ||
        fread(&segment, sizeof segment, 1, file) != 1)
      return false;
    if (segment.p_type == PT_INTERP) return false;
  }
  return true;
}

/* What the verb takes. */
static const char *legal_inputs(const char *verb) {
  return strcmp(verb, "plan") == 0 ? "a program built by skcc (skcc FILE -o NAME), a script NAME.py, a graph dump (JSON), or the text of a GE graph"
                                   : "a program built by skcc (skcc FILE -o NAME), or a script NAME.py";
}

/* 0 when the program can be started, else the exit code after one line that names the trouble. */
static int check_program(const char *verb, const char *path) {
  struct stat status;
  if (stat(path, &status) != 0) return sk__cli_usage(verb, "'%s': %s", path, strerror(errno));
  if (S_ISDIR(status.st_mode)) return sk__cli_usage(verb, "'%s' is a directory; legal: %s", path, legal_inputs(verb));
  if (is_script(path)) return access(path, R_OK) == 0 ? 0 : sk__cli_usage(verb, "'%s' cannot be read: %s", path, strerror(errno));
  FILE *file = fopen(path, "rb");
  if (file == NULL) return sk__cli_usage(verb, "'%s' cannot be read: %s", path, strerror(errno));
  Elf64_Ehdr header;
  bool elf = fread(&header, sizeof header, 1, file) == 1 && memcmp(header.e_ident, ELFMAG, SELFMAG) == 0;
  bool shared = elf && is_shared_object(file, &header);
  fclose(file);
  if (shared) return sk__cli_usage(verb, "'%s' is a shared object; give the program that loads it", path);
  if (!elf && sk__plan_file_of(path) != SK__PLAN_FILE_NONE)
    return sk__cli_usage(verb, "'%s' is a graph, not a program: skv plan reads it; legal: %s", path, legal_inputs(verb));
  if (!elf) return sk__cli_usage(verb, "'%s' is no program; legal: %s", path, legal_inputs(verb));
  if (access(path, X_OK) != 0) return sk__cli_usage(verb, "'%s' is not executable", path);
  return 0;
}

static void set_or_clear(const char *name, const char *value) {
  if (value != NULL) setenv(name, value, 1);
}

/* Runs in the child: never returns. */
static _Noreturn void start(const sk__cli_request *run, const char *report) {
  setenv(SK__ENV_REPORT, report, 1);
  setenv(SK__ENV_TWIN, run->twin ? "1" : "0", 1);
  setenv(SK__ENV_PROGRESS, !run->quiet && isatty(STDERR_FILENO) ? "1" : "0", 1);
  set_or_clear(SK__ENV_MODES, run->modes);
  set_or_clear(SK__ENV_RANDOM, run->random);
  set_or_clear(SK__ENV_GE_OPTIONS, run->ge_options);
  set_or_clear(SK__ENV_EMULATE, run->emulate ? "1" : NULL);
  set_or_clear(SK__ENV_UNREAD, run->unread ? "1" : NULL);
  set_or_clear(SK__ENV_DIAGNOSE, run->no_diagnose ? "0" : NULL);
  set_or_clear(SK__ENV_TRACE, run->trace);
  set_or_clear(SK__ENV_SAVE_GRAPH, run->save_graph);
  setenv(SK__ENV_SCOPED, is_script(run->program[0]) && !run->all ? "1" : "0", 1);
  set_or_clear("SUPERKERNEL_SOC", run->soc);
  set_or_clear("SUPERKERNEL_SCHEDULE", run->schedule);
  set_or_clear("SUPERKERNEL_THREADS", run->threads);
  set_or_clear("SUPERKERNEL_CHECKS", run->checks);
  if (is_script(run->program[0])) sk__cli_start_script(run);
  execv(run->program[0], run->program);
  fprintf(stderr, "skv %s: '%s' cannot be started: %s\n", run->verb, run->program[0], strerror(errno));
  _exit(SK__EXIT_USAGE);
}

/* How the program ended, in words; empty when it ended well. */
static void describe_end(int status, char *text, size_t bytes) {
  text[0] = '\0';
  if (!WIFEXITED(status))
    snprintf(text, bytes, "was killed by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
  else if (WEXITSTATUS(status) != 0)
    snprintf(text, bytes, "ended with exit code %d", WEXITSTATUS(status));
}

static int report_document(const sk__cli_request *run, json_t *document, int status) {
  char end[128];
  describe_end(status, end, sizeof end);
  json_object_set_new(document, "program", json_string(run->program[0]));
  /* What a script launches was compiled with skv. */
  if (!run->no_source) sk__report_add_source(document, is_script(run->program[0]) ? "/proc/self/exe" : run->program[0]);
  if (run->suppressions != NULL) sk__suppressions_apply(run->suppressions, document);
  int code = sk__cli_verdict_code(document);
  bool unwritten = json_object_del(document, SK__REPORT_UNWRITTEN) == 0; /* the program said why */
  if (end[0] != '\0') {
    json_object_set_new(document, "program_end", json_string(end));
    if (code == SK__EXIT_CLEAN || code == SK__EXIT_USAGE) {
      json_object_set_new(document, "verdict", json_string(sk__verdict_name(SK__VERDICT_PROGRAM)));
      code = SK__EXIT_FOUND;
    }
  }
  code = sk__cli_write_outputs(run->verb, &run->outputs, document, code);
  if (!run->quiet && sk__report_text(document, !run->no_source, stdout) != SK_OK) code = SK__EXIT_INTERNAL;
  if (unwritten) code = SK__EXIT_INTERNAL;
  return code;
}

static int no_report(const sk__cli_request *run, int status) {
  char end[128];
  describe_end(status, end, sizeof end);
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : SK__EXIT_FOUND;
  if (end[0] == '\0')
    return sk__cli_usage(run->verb, "'%s' left no report: it used no simulated device (%s), or ended by _exit", run->program[0],
                         is_script(run->program[0]) ? "does it import torch_npu and work on device 'npu'?" : "was it built by skcc?");
  if (code == SK__EXIT_USAGE) return code; /* it said why */
  fprintf(stderr, "skv %s: '%s' %s and left no report\n", run->verb, run->program[0], end);
  return code == SK__EXIT_INTERNAL ? code : SK__EXIT_FOUND;
}

/* Where the child puts its report; NULL with one line said. */
static bool make_report_file(const char *verb, char *path, size_t bytes) {
  const char *directory = getenv("TMPDIR");
  int length = snprintf(path, bytes, "%s/skv-report-XXXXXX", directory != NULL && directory[0] != '\0' ? directory : P_tmpdir);
  int descriptor = length > 0 && (size_t)length < bytes ? mkstemp(path) : -1;
  if (descriptor >= 0) return close(descriptor) == 0;
  fprintf(stderr, "skv %s: no temporary file '%s': %s\n", verb, path, strerror(errno));
  return false;
}

/* ---- signals --------------------------------------------------------------------------------- */

static volatile sig_atomic_t program;

static void pass_on(int number) { kill(program, number); }

/* Sets the handler of those signals that nobody has asked to ignore. */
static void set_passed(void (*handler)(int)) {
  static const int passed[] = {SIGTERM, SIGHUP};
  for (size_t i = 0; i < sizeof passed / sizeof passed[0]; i++)
    if (signal(passed[i], handler) == SIG_IGN) signal(passed[i], SIG_IGN);
}

/* The keyboard's signals go to the program as well; those that would end skv alone are passed on. Either way skv stays to tell
 * how the program ended. */
static pid_t fork_program(void) {
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);
  pid_t child = fork();
  if (child > 0) {
    program = child;
    set_passed(pass_on);
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
  }
  sigprocmask(SIG_SETMASK, &before, NULL);
  return child;
}

int sk__cli_launch(const sk__cli_request *run, json_t **document) {
  *document = NULL;
  int refused = check_program(run->verb, run->program[0]);
  if (refused != 0) return refused;
  char report[512];
  if (!make_report_file(run->verb, report, sizeof report)) return SK__EXIT_INTERNAL;
  fflush(NULL);
  pid_t child = fork_program();
  if (child == 0) start(run, report);
  int status = 0;
  pid_t ended;
  do ended = child > 0 ? waitpid(child, &status, 0) : -1;
  while (ended < 0 && child > 0 && errno == EINTR);
  json_error_t error;
  json_t *read = ended > 0 ? json_load_file(report, 0, &error) : NULL;
  unlink(report);
  if (ended < 0) {
    fprintf(stderr, "skv %s: the program cannot be started: %s\n", run->verb, strerror(errno));
    return SK__EXIT_INTERNAL;
  }
  if (read == NULL) return no_report(run, status);
  *document = read;
  return report_document(run, read, status);
}
