/* run.c - skv run and skv verify: the same launch, one plain run or the mode matrix. */
#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "cli/cli.h"
#include "fuse/ge/ge.h"
#include "report/report.h"

#define FILE_HELP                                                                                     \
  "  --json FILE    the report as JSON (schema superkernel.verify/1)\n"                                \
  "  --sarif FILE   the findings as SARIF 2.1.0, for code hosts and editors\n"                         \
  "  --junit FILE   the modes as JUnit XML test cases, for build servers\n"                            \
  "  --suppress FILE  findings that do not count: lines 'ID [kernel-pattern] [file-pattern] # reason'\n" \
  "  --unread       also results in local memory that are overwritten before anybody has read them (a note)\n" \
  "  --python FILE  interpreter for a script, else $SKV_PYTHON, else the one this was built for\n"           \
  "  --no-source    no source lines in the report\n"                                                   \
  "  -q, --quiet    no text\n\n"

static const char verify_help[] =
    "usage: skv verify [options] PROGRAM [arguments]\n\n"
    "Runs PROGRAM (built by skcc, or a torch_npu script NAME.py; no harness needed), records its launches, replays them fused in every mode\n"
    "on the same memory, compares all outputs bit for bit and explains every hazard.\n\n"
    "  --modes LIST   comma separated: default, or unfused, fused, per-op, full-cores, no-flush, ge, early-start,\n"
    "                 alone, twice, neighbour (each operator by itself, twice in a row, between good ones), each with\n"
    "                 /in-order, /reversed, /random:SEED, /slow-consumer, /slow-aiv1, /waves\n"
    "  --all          of a script all device work, also what has neither a scope nor super_kernel_optimize\n"
    "  --ge-options S  option string of every scope in mode ge (GE graph mode), such as stream-fusion=1:early-start=0;\n"
    "                 skv plan --help lists the keys\n"
    "  --emulate-vendor-defects  fuse as the real optimizers do where they are known to be wrong\n"
    "  --random N     N more random schedules of the fused mode (0 to 10000)\n"
    "  --soc NAME     chip profile (skv soc lists them)\n"
    "  --no-diagnose  a failure of a fused mode is not run otherwise (sync-all, dcci, fewer operators ...; at most 64\n"
    "                 runs for one failure, 512 in all) to tell its cause\n"
    "  --trace FILE   what each core does, un-fused and fused, as a Chrome trace (estimated times)\n"
    FILE_HELP
    "examples:\n"
    "  skv verify ./add\n"
    "  skv verify model.py\n"
    "  skv verify --random 200 --json report.json ./seed_case\n"
    "  skv verify --sarif report.sarif --suppress known.txt ./add\n"
    "  skv verify --modes unfused,fused/reversed ./add 4096\n"
    "  skv verify --modes ge --ge-options feed-sync-all=1 ./seed_case\n";

static const char run_help[] =
    "usage: skv run [options] PROGRAM [arguments]\n\n"
    "Runs PROGRAM (built by skcc, or a torch_npu script NAME.py) once on the simulated NPU with all checks.\n\n"
    "  --schedule S   in-order (default), reversed, random:SEED, slow-consumer, slow-aiv1, waves\n"
    "  --threads N    host threads, 1 to 64 (results do not depend on it)\n"
    "  --checks S     on (default), off: bounds are checked all the same\n"
    "  --soc NAME     chip profile (skv soc lists them)\n"
    "  --save-graph FILE  what was launched as a graph dump for skv plan; one file per stretch of work that differs\n"
    "                 (FILE-2.json ...) when there are several\n"
    FILE_HELP
    "examples:\n"
    "  skv run ./add\n"
    "  skv run --schedule random:7 --threads 2 ./add\n";

enum { OPT_MODES = 256, OPT_RANDOM, OPT_SOC, OPT_JSON, OPT_SARIF, OPT_JUNIT, OPT_SUPPRESS, OPT_NO_SOURCE, OPT_SCHEDULE,
       OPT_THREADS, OPT_CHECKS, OPT_TRACE, OPT_NO_DIAGNOSE, OPT_SAVE_GRAPH, OPT_GE_OPTIONS, OPT_PYTHON, OPT_ALL, OPT_EMULATE, OPT_UNREAD, OPT_HELP };
#define COMMON_OPTIONS                                                                        \
  {"unread", 0, 0, OPT_UNREAD}, {"soc", 1, 0, OPT_SOC}, {"json", 1, 0, OPT_JSON}, {"sarif", 1, 0, OPT_SARIF},                \
      {"junit", 1, 0, OPT_JUNIT}, {"suppress", 1, 0, OPT_SUPPRESS},                            \
      {"python", 1, 0, OPT_PYTHON}, {"no-source", 0, 0, OPT_NO_SOURCE}, {"quiet", 0, 0, 'q'}, {"help", 0, 0, OPT_HELP}, {0, 0, 0, 0}
static const struct option verify_options[] = {{"modes", 1, 0, OPT_MODES}, {"random", 1, 0, OPT_RANDOM},
                                               {"ge-options", 1, 0, OPT_GE_OPTIONS}, {"all", 0, 0, OPT_ALL}, {"emulate-vendor-defects", 0, 0, OPT_EMULATE}, {"no-diagnose", 0, 0, OPT_NO_DIAGNOSE},
                                               {"trace", 1, 0, OPT_TRACE}, COMMON_OPTIONS};
static const struct option run_options[] = {{"schedule", 1, 0, OPT_SCHEDULE}, {"threads", 1, 0, OPT_THREADS},
                                            {"checks", 1, 0, OPT_CHECKS},     {"save-graph", 1, 0, OPT_SAVE_GRAPH},
                                            COMMON_OPTIONS};

int sk__cli_unknown_option(const char *verb, const struct option *options, const char *given) {
  const char *names[24] = {NULL};
  char word[64] = ""; /* without "=value" */
  size_t count = 0;
  for (; options[count].name != NULL; count++) names[count] = options[count].name;
  bool is_long = given[0] == '-' && given[1] == '-';
  if (is_long) snprintf(word, sizeof word, "%.*s", (int)strcspn(given + 2, "="), given + 2);
  const char *near = is_long ? sk__nearest(word, names, count) : NULL;
  char legal[320];
  sk__text text = sk__text_on(legal, sizeof legal);
  for (size_t i = 0; i < count; i++) sk__text_add(&text, "%s--%s", i > 0 ? ", " : "", names[i]);
  return near != NULL ? sk__cli_usage(verb, "unknown option '%s' (did you mean '--%s'?); legal: %s", given, near, legal)
                      : sk__cli_usage(verb, "unknown option '%s'; legal: %s", given, legal);
}

/* The program's arguments are its own, but an option of ours among them is rarely meant for it. */
void sk__cli_note_misplaced(const char *verb, const struct option *options, char *const *argv, char *const *program) {
  if (strcmp(program[-1], "--") == 0 && program - 1 > argv) return;
  for (char *const *word = program + 1; *word != NULL; word++)
    for (const struct option *o = options; o->name != NULL && strncmp(*word, "--", 2) == 0; o++) {
      if (strcspn(*word + 2, "=") != strlen(o->name) || strncmp(*word + 2, o->name, strlen(o->name)) != 0) continue;
      fprintf(stderr, "skv %s: note: '%s' stands behind '%s' and is given to it; options of skv stand before the program, "
              "and '--' before the program says that this is meant\n", verb, *word, *program);
      return;
    }
}

static bool is_number(const char *text, unsigned long low, unsigned long high) {
  char *end = NULL;
  errno = 0;
  unsigned long value = strtoul(text, &end, 10);
  return errno == 0 && text[0] >= '0' && text[0] <= '9' && *end == '\0' && value >= low && value <= high;
}

int sk__cli_check_ge_options(const char *verb, const char *option, const char *text) {
  sk__arena arena = {0};
  sk__ge_options options;
  sk__ge_failure failure = {.error = SK__GE_NONE};
  sk_status status = sk__ge_options_read(text, &arena, &options, &failure);
  int code = status == SK_OK ? 0 : status == SK_INVALID_ARGUMENT ? sk__cli_usage(verb, "%s: %s", option, failure.why) : SK__EXIT_INTERNAL;
  sk__arena_free(&arena);
  return code;
}

static int check_modes(const sk__cli_request *run) {
  char why[320];
  sk__mode *modes = NULL;
  size_t count = 0;
  bool ge = false;
  if (run->modes != NULL && sk__mode_list(run->modes, 0, &modes, &count, why, sizeof why) != SK_OK)
    return sk__cli_usage(run->verb, "--modes: %s", why);
  for (size_t i = 0; i < count; i++) ge |= modes[i].kind == SK__MODE_GE;
  free(modes);
  if (run->ge_options == NULL) return 0;
  if (!ge) return sk__cli_usage(run->verb, "--ge-options needs mode ge: --modes ge or --modes default,ge");
  return sk__cli_check_ge_options(run->verb, "--ge-options", run->ge_options);
}

/* Legal values are checked before anything is started. */
static int check_values(const sk__cli_request *run) {
  char why[320];
  sk__schedule schedule;
  if (run->random != NULL && !is_number(run->random, 0, 10000))
    return sk__cli_usage(run->verb, "--random '%s'; legal: a number, 0 to 10000", run->random);
  if (run->threads != NULL && !is_number(run->threads, 1, 64))
    return sk__cli_usage(run->verb, "--threads '%s'; legal: a number, 1 to 64", run->threads);
  if (run->checks != NULL && strcmp(run->checks, "on") != 0 && strcmp(run->checks, "off") != 0)
    return sk__cli_usage(run->verb, "--checks '%s'; legal: on, off", run->checks);
  if (run->schedule != NULL && sk__schedule_parse(run->schedule, &schedule) != SK_OK)
    return sk__cli_usage(run->verb, "--schedule '%s'; legal: in-order, reversed, random:SEED, slow-consumer, slow-aiv1, waves",
                         run->schedule);
  if (run->soc != NULL && sk__soc_find(run->soc) == NULL) {
    sk__text text = sk__text_on(why, sizeof why);
    size_t count = 0;
    const sk__soc *socs = sk__soc_all(&count);
    for (size_t i = 0; i < count; i++) sk__text_add(&text, "%s%s", i > 0 ? ", " : "", socs[i].name);
    return sk__cli_usage(run->verb, "--soc: no chip profile '%s'; legal: %s", run->soc, why);
  }
  int code = check_modes(run);
  if (code == 0) code = sk__cli_check_outputs(run->verb, &run->outputs);
  if (code == 0 && run->trace != NULL) code = sk__cli_check_output(run->verb, "--trace", run->trace);
  if (code == 0 && run->save_graph != NULL) code = sk__cli_check_output(run->verb, "--save-graph", run->save_graph);
  return code;
}

static int read_suppressions(const char *path, sk__cli_request *run) {
  char why[512];
  sk_status status = sk__suppressions_read(path, &run->suppressions, why, sizeof why);
  if (status == SK_OK) return 0;
  if (status == SK_PARSE) return sk__cli_usage(run->verb, "--suppress '%s' %s", path, why);
  return sk__cli_usage(run->verb, "--suppress '%s': %s", path, strerror(errno));
}

static int parse(int argc, char **argv, const struct option *options, const char *help, sk__cli_request *run) {
  const char *suppressions = NULL;
  opterr = 0;
  optind = 1;
  for (int option; (option = getopt_long(argc, argv, "+:qh", options, NULL)) != -1;) {
    switch (option) {
      case OPT_MODES: run->modes = optarg; break;
      case OPT_RANDOM: run->random = optarg; break;
      case OPT_SOC: run->soc = optarg; break;
      case OPT_JSON: run->outputs.json = optarg; break;
      case OPT_SARIF: run->outputs.sarif = optarg; break;
      case OPT_JUNIT: run->outputs.junit = optarg; break;
      case OPT_SUPPRESS: suppressions = optarg; break;
      case OPT_ALL: run->all = true; break;
      case OPT_EMULATE: run->emulate = true; break;
      case OPT_UNREAD: run->unread = true; break;
      case OPT_PYTHON: run->python = optarg; break;
      case OPT_NO_SOURCE: run->no_source = true; break;
      case OPT_SCHEDULE: run->schedule = optarg; break;
      case OPT_THREADS: run->threads = optarg; break;
      case OPT_CHECKS: run->checks = optarg; break;
      case OPT_TRACE: run->trace = optarg; break;
      case OPT_GE_OPTIONS: run->ge_options = optarg; break;
      case OPT_NO_DIAGNOSE: run->no_diagnose = true; break;
      case OPT_SAVE_GRAPH: run->save_graph = optarg; break;
      case 'q': run->quiet = true; break;
      case 'h':
      case OPT_HELP: fputs(help, stdout); return -1;
      case ':': return sk__cli_usage(run->verb, "option '%s' needs a value", argv[optind - 1]);
      default: return sk__cli_unknown_option(run->verb, options, argv[optind - 1]);
    }
  }
  if (optind >= argc) return sk__cli_usage(run->verb, "no program given; usage: skv %s [options] PROGRAM [arguments]", run->verb);
  run->program = argv + optind;
  sk__cli_note_misplaced(run->verb, options, argv, run->program);
  int refused = check_values(run);
  return refused != 0 || suppressions == NULL ? refused : read_suppressions(suppressions, run);
}

static int go(int argc, char **argv, bool twin, const struct option *options, const char *help) {
  sk__cli_request run = {.verb = argv[0], .twin = twin};
  int stop = parse(argc, argv, options, help, &run);
  if (stop != 0) return stop < 0 ? SK__EXIT_CLEAN : stop;
  json_t *document = NULL;
  int code = sk__cli_launch(&run, &document);
  json_decref(document);
  json_decref(run.suppressions);
  return code;
}

int sk__cli_verify(int argc, char **argv) { return go(argc, argv, true, verify_options, verify_help); }
int sk__cli_run(int argc, char **argv) { return go(argc, argv, false, run_options, run_help); }
