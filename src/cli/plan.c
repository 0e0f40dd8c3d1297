/* plan.c - skv plan: how launches are fused, and why not: of a program, or of a graph dump. */
#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "cli/cli.h"
#include "report/report.h"

static const char help[] =
    "usage: skv plan [options] PROGRAM [arguments]\n"
    "       skv plan [options] GRAPH.json\n"
    "       skv plan --check VECTORS.jsonl\n\n"
    "Lists the SuperKernels that come about: members, type, cores, synchronisation between them; and for each\n"
    "operator that is not fused the reason and what to change. PROGRAM (built by skcc) is run; GRAPH.json is a\n"
    "graph dump of the real system or of the same form.\n\n"
    "  --options JSON            options of the optimizer for a dump: a file, or the text itself:\n"
    "                            {\"super_kernel_optimize_options\": {...}, \"super_kernel_debug_options\": {...}}\n"
    "  --format F                listing (default), json, dot (Graphviz)\n"
    "  --trace FILE              what each core of PROGRAM does, un-fused and fused, as a Chrome trace (estimated times)\n"
    "  --check FILE              play recorded decisions of either path; exit 0 only when all agree\n"
    "  --emulate-vendor-defects  decide as the real optimizer does where it is known to be wrong\n\n"
    "examples:\n"
    "  skv plan ./seed_case\n"
    "  skv plan --options '{\"super_kernel_optimize_options\": {\"early_start\": 1}}' sk_graph_origin.json\n"
    "  skv plan --format dot sk_graph_origin.json | dot -Tsvg > plan.svg\n";

typedef enum format { LISTING, JSON, DOT } format;
typedef struct request {
  const char *options, *check, *trace;
  format format;
  bool emulate;
} request;

static int read_format(const char *text, format *out) {
  static const char *const names[] = {"listing", "json", "dot"};
  for (int i = 0; i < 3; i++)
    if (strcmp(text, names[i]) == 0) {
      *out = (format)i;
      return 0;
    }
  return sk__cli_usage("plan", "--format '%s'; legal: listing, json, dot", text);
}

/* ---- recorded decisions ---- */

/* The first record tells whether a file holds plans of captured graphs or programs of graph mode. */
static bool holds_ge_records(FILE *file) {
  json_t *first = json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL);
  bool ge = first != NULL && sk__ge_is_vectors(first);
  json_decref(first);
  rewind(file);
  return ge;
}

static int check_vectors(const request *r) {
  FILE *file = fopen(r->check, "r");
  if (file == NULL) return sk__cli_usage("plan", "--check '%s': %s", r->check, strerror(errno));
  if (holds_ge_records(file)) {
    fclose(file);
    return sk__ge_check(r->check, r->emulate, stdout) == 0 ? SK__EXIT_CLEAN : SK__EXIT_FOUND;
  }
  sk__check_result result;
  sk_status status = sk__plan_check(file, r->emulate, stdout, &result);
  fclose(file);
  if (status == SK_PARSE) return sk__cli_usage("plan", "--check '%s' is no file of recorded decisions", r->check);
  if (status != SK_OK) {
    fprintf(stderr, "skv plan: %s\n", sk_status_text(status));
    return SK__EXIT_INTERNAL;
  }
  return result.cases > 0 && result.agreed == result.cases ? SK__EXIT_CLEAN : SK__EXIT_FOUND;
}

/* ---- a dump ---- */

static void warn(void *context, const char *text) {
  (void)context;
  fprintf(stderr, "skv plan: warning: %s\n", text);
}

/* The text of --options: itself when it looks like JSON, else a file's. Owned by the caller (free). */
static json_t *load_options(const char *given, int *failed) {
  json_error_t error;
  bool text = given[strspn(given, " \t\n")] == '{';
  json_t *json = text ? json_loads(given, JSON_REJECT_DUPLICATES, &error) : json_load_file(given, JSON_REJECT_DUPLICATES, &error);
  if (json == NULL) *failed = sk__cli_usage("plan", "--options: %s%sline %d: %s", text ? "" : given, text ? "" : ", ", error.line, error.text);
  return json;
}

static int print_plan(const request *r, const sk__plan *plan) {
  if (r->format == DOT) {
    sk__plan_dot(plan, stdout);
  } else if (r->format == LISTING) {
    sk__plan_print(plan, stdout);
  } else {
    json_t *json = sk__plan_json(plan);
    if (json == NULL || json_dumpf(json, stdout, JSON_INDENT(2)) != 0) return SK__EXIT_INTERNAL;
    printf("\n");
    json_decref(json);
  }
  return SK__EXIT_CLEAN;
}

static int plan_graph(const request *r, const sk__graph *graph) {
  sk__arena arena = {0};
  sk__fuse_options options = sk__fuse_defaults();
  char why[256] = "";
  int failed = 0;
  json_t *json = r->options != NULL ? load_options(r->options, &failed) : NULL;
  if (json != NULL && sk__fuse_options_read(json, &arena, &options, warn, NULL, why, sizeof why) != SK_OK)
    failed = sk__cli_usage("plan", "--options: %s", why);
  options.emulate_vendor_defects = r->emulate;
  sk__plan *plan = NULL;
  if (failed == 0) {
    sk_status status = sk__plan_make(graph, &options, &plan, why, sizeof why);
    if (status == SK_OK) failed = print_plan(r, plan);
    else if (status == SK_OUT_OF_MEMORY || status == SK_INTERNAL) failed = SK__EXIT_INTERNAL;
    else failed = SK__EXIT_FOUND;
    if (status != SK_OK) fprintf(stderr, "skv plan: the graph cannot be optimised: %s\n", why[0] != '\0' ? why : sk_status_text(status));
  }
  sk__plan_free(plan);
  json_decref(json);
  sk__arena_free(&arena);
  return failed;
}

static int plan_dump(const request *r, const char *path) {
  char *text = NULL, why[256] = "";
  size_t bytes = 0;
  if (sk__file_read(path, &text, &bytes) != SK_OK) return sk__cli_usage("plan", "'%s' cannot be read: %s", path, strerror(errno));
  sk__graph *graph = NULL;
  sk_status status = sk__graph_from_text(text, bytes, &graph, why, sizeof why);
  free(text);
  if (status != SK_OK) return sk__cli_usage("plan", "'%s': %s", path, why[0] != '\0' ? why : sk_status_text(status));
  int code = plan_graph(r, graph);
  sk__graph_free(graph);
  return code;
}

/* A dump starts with a brace; a program never does. */
static bool is_dump(const char *path) {
  FILE *file = fopen(path, "r");
  if (file == NULL) return false;
  int first = fgetc(file);
  while (first == ' ' || first == '\t' || first == '\n' || first == '\r') first = fgetc(file);
  fclose(file);
  return first == '{' || first == '[';
}

/* ---- a program ---- */

static int plan_program(const request *r, char **program) {
  if (r->options != NULL || r->format == DOT || r->emulate)
    return sk__cli_usage("plan", "--options, --format dot and --emulate-vendor-defects need a graph dump, '%s' is a program", program[0]);
  sk__cli_request run = {.verb = "plan", .twin = true, .quiet = true, .modes = "unfused,fused", .trace = r->trace, .program = program};
  json_t *document = NULL;
  if (r->trace != NULL && sk__cli_check_output("plan", "--trace", r->trace) != 0) return SK__EXIT_USAGE;
  int code = sk__cli_launch(&run, &document);
  if (document == NULL) return code;
  json_t *plans = json_object_get(document, "plans"), *plan;
  size_t index;
  if (r->format == JSON) {
    json_dumpf(plans, stdout, JSON_INDENT(2));
    printf("\n");
  }
  json_array_foreach(plans, index, plan) {
    if (r->format == JSON) break;
    long long segment = json_integer_value(json_object_get(plan, "segment")), alike = json_integer_value(json_object_get(plan, "segments"));
    if (json_array_size(plans) > 1 || alike > 1) printf("%ssegment %lld", index > 0 ? "\n" : "", segment);
    if (alike > 1) printf(" to %lld", segment + alike - 1);
    if (json_array_size(plans) > 1 || alike > 1) printf("\n");
    const char *listing = json_string_value(json_object_get(plan, "listing"));
    fputs(listing != NULL ? listing : "", stdout);
  }
  if (json_array_size(plans) == 0 && r->format == LISTING) printf("no launch, nothing to plan\n");
  json_decref(document);
  return SK__EXIT_CLEAN;
}

int sk__cli_plan(int argc, char **argv) {
  enum { OPT_OPTIONS = 256, OPT_FORMAT, OPT_CHECK, OPT_EMULATE, OPT_TRACE, OPT_HELP };
  static const struct option options[] = {{"options", 1, 0, OPT_OPTIONS}, {"format", 1, 0, OPT_FORMAT},
                                          {"check", 1, 0, OPT_CHECK},     {"emulate-vendor-defects", 0, 0, OPT_EMULATE},
                                          {"trace", 1, 0, OPT_TRACE},     {"help", 0, 0, OPT_HELP},
                                          {0, 0, 0, 0}};
  request r = {0};
  opterr = 0;
  optind = 1;
  for (int option; (option = getopt_long(argc, argv, "+", options, NULL)) != -1;) {
    switch (option) {
      case OPT_OPTIONS: r.options = optarg; break;
      case OPT_CHECK: r.check = optarg; break;
      case OPT_TRACE: r.trace = optarg; break;
      case OPT_EMULATE: r.emulate = true; break;
      case OPT_HELP: fputs(help, stdout); return SK__EXIT_CLEAN;
      case OPT_FORMAT:
        if (read_format(optarg, &r.format) != 0) return SK__EXIT_USAGE;
        break;
      default:
        return sk__cli_usage("plan", "unknown option '%s'; legal: --options, --format, --check, --emulate-vendor-defects, --trace, --help", argv[optind - 1]);
    }
  }
  if (r.check != NULL) return optind == argc ? check_vectors(&r) : sk__cli_usage("plan", "--check takes no program, given '%s'", argv[optind]);
  if (optind >= argc) return sk__cli_usage("plan", "no program or graph given; usage: skv plan [options] PROGRAM | GRAPH.json");
  if (r.trace != NULL && is_dump(argv[optind])) return sk__cli_usage("plan", "--trace needs a program, '%s' is a graph dump", argv[optind]);
  return is_dump(argv[optind]) ? plan_dump(&r, argv[optind]) : plan_program(&r, argv + optind);
}
