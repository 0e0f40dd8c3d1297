/* parsers.c - see parsers.h. */
#include "fuzz/parsers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "fuse/ge/ge.h"
#include "fuse/planner.h"
#include "verify/verify.h"

enum { WHY_BYTES = 256, PLANNED_NODES = 2000 };

#define invariant(condition)                                          \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "broken in %s: %s\n", __func__, #condition);    \
      abort();                                                        \
    }                                                                 \
  } while (0)

/* What is refused is refused in one line that says something. */
static void check_why(sk_status status, const char *why) {
  if (status == SK_OK || status == SK_OUT_OF_MEMORY) return;
  invariant(why[0] != '\0');
  invariant(strlen(why) < WHY_BYTES);
  invariant(strchr(why, '\n') == NULL);
}

static void write_and_read(const sk__graph *graph) {
  json_t *dump = NULL, *second = NULL;
  sk__graph *back = NULL;
  char why[WHY_BYTES] = "";
  sk_status status = sk__graph_to_json(graph, &dump);
  invariant(status == SK_OK); /* its names came out of JSON */
  invariant(sk__graph_from_json(dump, &back, why, sizeof why) == SK_OK);
  invariant(sk__graph_to_json(back, &second) == SK_OK);
  invariant(json_equal(dump, second));
  json_decref(dump);
  json_decref(second);
  sk__graph_free(back);
}

static void plan(const sk__graph *graph) {
  sk__fuse_options options = sk__fuse_defaults();
  sk__plan *made = NULL;
  char why[WHY_BYTES] = "";
  sk_status status = sk__plan_make(graph, &options, &made, why, sizeof why);
  check_why(status, why);
  if (status != SK_OK) return;
  json_t *json = sk__plan_json(made);
  json_decref(json);
  sk__plan_free(made);
}

static sk_status parse_graph(const char *text, size_t bytes) {
  sk__graph *graph = NULL;
  char why[WHY_BYTES] = "";
  sk_status status = sk__graph_from_text(text, bytes, &graph, why, sizeof why);
  check_why(status, why);
  if (status != SK_OK) return status;
  write_and_read(graph);
  if (graph->node_count <= PLANNED_NODES) plan(graph);
  sk__graph_free(graph);
  return SK_OK;
}

static sk_status parse_options(const json_t *json, sk__arena *arena) {
  sk__fuse_options options;
  char why[WHY_BYTES] = "";
  sk_status status = sk__fuse_options_read(json, arena, &options, NULL, NULL, why, sizeof why);
  check_why(status, why);
  return status;
}

static sk_status parse_record(const json_t *json, sk__arena *arena) {
  sk__ge_input input;
  char why[WHY_BYTES] = "";
  sk_status status = sk__ge_input_from_json(json, arena, &input, why, sizeof why);
  check_why(status, why);
  if (status != SK_OK) return status;
  sk__ge_program program;
  sk__ge_failure failure;
  memset(&failure, 0, sizeof failure);
  sk_status made = sk__ge_generate(&input, arena, &program, &failure);
  if (made == SK_INVALID_ARGUMENT) invariant(failure.why[0] != '\0');
  return SK_OK;
}

static sk_status parse_kernels(const json_t *json) {
  static const char text[] = "node { name: \"a\" op: \"A\" attr { key: \"_super_kernel_scope\" value { s: 's: \"s\"' } } }\n"
                             "node { name: \"b\" op: \"B\" input: \"a:0\" attr { key: \"_super_kernel_scope\" value { s: 's: \"s\"' } } }\n";
  sk__ge_request request = {.kernels = json};
  sk__ge_plan *made = NULL;
  char why[WHY_BYTES] = "";
  if (!json_is_object(json)) return SK_PARSE; /* the command line looks at this itself */
  sk_status status = sk__ge_plan_read(text, strlen(text), &request, &made, why, sizeof why);
  check_why(status, why);
  if (status == SK_OK) sk__ge_plan_free(made);
  return status == SK_INVALID_ARGUMENT ? SK_OK : status; /* what the generator refuses is no bad description */
}

/* A file that cannot be read to its end says so in its report. */
static sk_status parse_records(const char *text, size_t bytes) {
  sk_status status = SK_NOT_FOUND;
  for (int path = 0; path < 2 && bytes > 0; path++) {
    char *said = NULL;
    size_t said_bytes = 0;
    FILE *vectors = fmemopen((void *)(uintptr_t)text, bytes, "r"), *report = open_memstream(&said, &said_bytes);
    invariant(vectors != NULL && report != NULL);
    sk__check_result result = {0};
    status = path == 0 ? sk__plan_check(vectors, true, report, &result) : sk__ge_check_stream(vectors, true, report, &result);
    fclose(vectors);
    fclose(report);
    if (status == SK_PARSE) invariant(said_bytes > 0);
    if (status == SK_OK && result.cases == 0) status = SK_NOT_FOUND;
    invariant(result.agreed <= result.cases);
    free(said);
    if (status == SK_OK && result.agreed > 0) return SK_OK;
  }
  return status;
}

static sk_status parse_json(fuzz_parser parser, const char *text, size_t bytes) {
  json_error_t error;
  json_t *json = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &error);
  if (json == NULL) return SK_PARSE;
  sk__arena arena = {0};
  sk_status status = parser == FUZZ_OPTIONS ? parse_options(json, &arena) : parser == FUZZ_GE_KERNELS ? parse_kernels(json) : parse_record(json, &arena);
  sk__arena_free(&arena);
  json_decref(json);
  return status;
}

static sk_status parse_ge_options(const char *text) {
  sk__arena arena = {0};
  sk__ge_options options;
  sk__ge_failure failure;
  memset(&failure, 0, sizeof failure);
  sk_status status = sk__ge_options_read(text, &arena, &options, &failure);
  if (status == SK_INVALID_ARGUMENT) invariant(failure.why[0] != '\0');
  sk__arena_free(&arena);
  return status;
}

static sk_status parse_modes(const char *text) {
  sk__mode *modes = NULL;
  size_t count = 0;
  char why[WHY_BYTES] = "";
  sk_status status = sk__mode_list(text, 0, &modes, &count, why, sizeof why);
  check_why(status, why);
  for (size_t i = 0; i < count && status == SK_OK; i++) { /* names are read back */
    char name[SK__MODE_NAME_BYTES];
    sk__mode again;
    sk__mode_name(modes[i], name);
    invariant(sk__mode_parse(name, &again) == SK_OK);
    invariant(again.kind == modes[i].kind && again.schedule.kind == modes[i].schedule.kind && again.schedule.seed == modes[i].schedule.seed);
  }
  if (status == SK_OK) free(modes);
  return status;
}

/* What cannot be planned is no bad text: the reason is looked at, and that is all. */
static sk_status parse_ge_graph(const char *text, size_t bytes) {
  sk__ge_request request = {.options = NULL};
  sk__ge_plan *made = NULL;
  char why[WHY_BYTES] = "";
  sk_status status = sk__ge_plan_read(text, bytes, &request, &made, why, sizeof why);
  check_why(status, why);
  if (status != SK_OK) return status == SK_INVALID_ARGUMENT ? SK_OK : status;
  json_t *json = sk__ge_plan_json(made);
  invariant(json != NULL); /* names are UTF-8 */
  json_decref(json);
  FILE *nowhere = fopen("/dev/null", "w");
  if (nowhere != NULL) {
    sk__ge_plan_print(made, nowhere);
    sk__ge_plan_dot(made, nowhere);
    fclose(nowhere);
  }
  sk__ge_plan_free(made);
  return SK_OK;
}

sk_status fuzz_parse(fuzz_parser parser, const uint8_t *data, size_t bytes) {
  char *text = malloc(bytes + 1); /* a text of its own, so that reading beyond its end is seen */
  if (text == NULL) return SK_OUT_OF_MEMORY;
  memcpy(text, data, bytes);
  text[bytes] = '\0';
  sk__schedule schedule;
  sk_status status = SK_INTERNAL;
  switch (parser) {
    case FUZZ_GRAPH: status = parse_graph(text, bytes); break;
    case FUZZ_OPTIONS:
    case FUZZ_GE_KERNELS:
    case FUZZ_GE_RECORD: status = parse_json(parser, text, bytes); break;
    case FUZZ_GE_OPTIONS: status = parse_ge_options(text); break;
    case FUZZ_SCHEDULE: status = sk__schedule_parse(text, &schedule); break;
    case FUZZ_MODES: status = parse_modes(text); break;
    case FUZZ_PATTERN: status = sk__pattern_legal(text) && sk__pattern_match(text, text) ? SK_OK : SK_NOT_FOUND; break;
    case FUZZ_GE_GRAPH: status = parse_ge_graph(text, bytes); break;
    case FUZZ_RECORDS: status = parse_records(text, bytes); break;
    case FUZZ_PARSERS: break;
  }
  free(text);
  return status;
}
