/* session.c - what a program built by skcc does for skv: attach the verifier, write the report at exit.
 *
 * Without skv a program runs as it is; findings then go to standard error when it ends. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/report.h"

static sk__verifier *verifier;
static sk__runtime *the_runtime;
static sk__graph_saver saver;
static sk_status saving_failed;
static bool unwritten; /* a file that was asked for, beside the report */
static pid_t owner;    /* a process that this one forks has nothing to report: the records it inherits are this one's */
static bool twin, progress;
static const char *report_path, *trace_path; /* NULL none */

/* Programs may change their environment later. */
static bool is_one(const char *variable) {
  const char *text = getenv(variable);
  return text != NULL && strcmp(text, "1") == 0;
}
static void read_environment(void) {
  owner = getpid();
  twin = is_one(SK__ENV_TWIN);
  progress = is_one(SK__ENV_PROGRESS);
  report_path = getenv(SK__ENV_REPORT);
  trace_path = getenv(SK__ENV_TRACE);
}

static void print_progress(void *context, const char *mode, size_t index, size_t count) {
  (void)context;
  fprintf(stderr, "\r\033[K[%zu/%zu] %s", index + 1, count, mode);
  fflush(stderr);
}

static void write_report(const char *path) {
  json_t *document = sk__report_json(sk__verifier_result(verifier), sk__machine_soc(sk__runtime_machine(the_runtime)));
  if (document != NULL && (unwritten || saving_failed != SK_OK)) json_object_set_new(document, SK__REPORT_UNWRITTEN, json_true());
  sk_status status = document != NULL ? sk__report_write(document, path) : SK_OUT_OF_MEMORY;
  if (status != SK_OK)
    fprintf(stderr, "superkernel: cannot write the report to '%s': %s (%s)\n", path, sk_status_text(status), strerror(errno));
  json_decref(document);
}

static void write_trace(const char *path) {
  sk_status status = sk__report_trace(verifier, sk__machine_soc(sk__runtime_machine(the_runtime)), path);
  if (status == SK_OK) return;
  unwritten = true;
  fprintf(stderr, "superkernel: cannot write the trace to '%s': %s (%s)\n", path, sk_status_text(status), strerror(errno));
}

/* The first failure is told, once. */
static void save_segment(void *context, sk__task *const *tasks, size_t count) {
  sk_status *failed = context;
  if (*failed != SK_OK) return;
  *failed = sk__graph_saver_add(&saver, tasks, count);
  if (*failed == SK_INVALID_ARGUMENT) fprintf(stderr, "superkernel: no graph in '%s': the name of a kernel or scope is not UTF-8\n", saver.path);
  else if (*failed != SK_OK)
    fprintf(stderr, "superkernel: cannot write a graph to '%s': %s (%s)\n", saver.path, sk_status_text(*failed), strerror(errno));
}

static void print_findings(void) {
  json_t *document = sk__report_json(sk__verifier_result(verifier), sk__machine_soc(sk__runtime_machine(the_runtime)));
  if (document == NULL) return;
  if (json_array_size(json_object_get(document, "findings")) > 0) {
    json_object_set_new(document, "program", json_string(program_invocation_short_name));
    sk__report_add_source(document, "/proc/self/exe");
    if (sk__report_text(document, true, stderr) != SK_OK) fprintf(stderr, "superkernel: the findings cannot be printed\n");
  }
  json_decref(document);
}

static void finish(void) {
  if (verifier == NULL || getpid() != owner) return;
  sk_status status = sk__runtime_flush(the_runtime); /* what nobody waited for */
  if (status != SK_OK) fprintf(stderr, "superkernel: pending work failed at exit: %s\n", sk_status_text(status));
  sk__verifier_collect(verifier);
  if (progress) fprintf(stderr, "\r\033[K");
  if (trace_path != NULL && twin) write_trace(trace_path);
  sk__graph_saver_free(&saver);
  if (report_path != NULL) write_report(report_path);
  else print_findings();
}

static sk_status attach_twin(sk__runtime *runtime, char *why, size_t why_bytes) {
  const char *list = getenv(SK__ENV_MODES), *random = getenv(SK__ENV_RANDOM);
  sk__mode *modes = NULL;
  size_t count = 0;
  sk_status status = sk__mode_list(list != NULL ? list : "default", random != NULL ? (uint32_t)strtoul(random, NULL, 10) : 0,
                                   &modes, &count, why, why_bytes);
  if (status == SK_OK) status = sk__verifier_create(runtime, modes, count, &verifier);
  if (status == SK_OK) sk__verifier_set_ge_options(verifier, getenv(SK__ENV_GE_OPTIONS));
  if (status == SK_OK) sk__verifier_set_emulate(verifier, is_one(SK__ENV_EMULATE));
  if (status == SK_OK) sk__verifier_set_scoped(verifier, is_one(SK__ENV_SCOPED));
  const char *diagnose = getenv(SK__ENV_DIAGNOSE);
  if (status == SK_OK) sk__verifier_set_diagnose(verifier, diagnose == NULL || strcmp(diagnose, "0") != 0);
  if (status == SK_OK && trace_path != NULL) status = sk__verifier_keep_timelines(verifier);
  if (status == SK_OK && progress) sk__verifier_set_progress(verifier, print_progress, NULL);
  return status;
}

static void attach(sk__runtime *runtime) {
  char why[256] = "";
  the_runtime = runtime;
  read_environment();
  sk_status status = twin ? attach_twin(runtime, why, sizeof why) : sk__recorder_create(runtime, &verifier);
  sk__checker_set_unread(sk__machine_checker(sk__runtime_machine(runtime)), is_one(SK__ENV_UNREAD));
  saver = (sk__graph_saver){.path = getenv(SK__ENV_SAVE_GRAPH), .soc = sk__machine_soc(sk__runtime_machine(runtime))};
  if (status == SK_OK && saver.path != NULL) sk__verifier_set_observer(verifier, save_segment, &saving_failed);
  if (status == SK_OK && atexit(finish) == 0) return;
  fprintf(stderr, "superkernel: the verifier cannot attach: %s%s%s\n", sk_status_text(status), why[0] != '\0' ? ": " : "", why);
  exit(4);
}

bool sk__session_is_twin(void) { return verifier != NULL && twin; }
void sk__session_collect(void) {
  if (verifier != NULL) sk__verifier_collect(verifier);
}
void sk__session_attach_again(void) {
  if (verifier != NULL) sk__verifier_attach(verifier);
}

__attribute__((constructor)) static void announce(void) { sk__runtime_on_create(attach); }
