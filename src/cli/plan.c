/* plan.c - skv plan: how launches are fused, and why not. The verb, and plans of programs. */
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/plan.h"
#include "fuse/ge/ge.h"

static const char help[] =
    "usage: skv plan [options] PROGRAM [arguments]\n"
    "       skv plan [options] GRAPH.json | GRAPH.pbtxt\n"
    "       skv plan --check VECTORS.jsonl\n\n"
    "Lists the SuperKernels that come about: members, type, cores, synchronisation between them; for each operator that\n"
    "is not fused the reason and what to change; for each option its effect, or why it has none. PROGRAM (built by skcc)\n"
    "is run; GRAPH.json is a graph dump of the real system or of the same form; GRAPH.pbtxt (or .txt) is the text of a\n"
    "GE graph, planned by the rules of graph mode.\n\n"
    "  --options OPTIONS         of the optimizer: JSON, a file or the text itself:\n"
    "                            {\"super_kernel_optimize_options\": {...}, \"super_kernel_debug_options\": {...}};\n"
    "                            in graph mode the option string of scopes that bring none: early-start=0:... (below)\n"
    "  --ge                      plan a program or a dump by the rules of graph mode\n"
    "  --kernels JSON            what a GE text does not tell: {\"<node or operator type>\": {\"type\": \"AIC_ONLY\", \"blocks\": 24}}\n"
    "  --format F                listing (default), json, dot (Graphviz)\n"
    "  --trace FILE              what each core of PROGRAM does, un-fused and fused, as a Chrome trace (estimated times)\n"
    "  --check FILE              play recorded decisions of either path; exit 0 only when all agree\n"
    "  --emulate-vendor-defects  decide as the real optimizer does where it is known to be wrong\n\n"
    "examples:\n"
    "  skv plan ./seed_case\n"
    "  skv plan --options '{\"super_kernel_optimize_options\": {\"early_start\": 1}}' sk_graph_updated.json\n"
    "  skv plan --options stream-fusion=1 --kernels kernels.json dynamo_optimized_graph_1.pbtxt\n"
    "  skv plan --format dot sk_graph_updated.json | dot -Tsvg > plan.svg\n";

static int read_format(const char *text, sk__plan_format *out) {
  static const char *const names[] = {
#define X(name, text) text,
      SK__PLAN_FORMATS(X)
#undef X
  };
  for (int i = 0; i < 3; i++)
    if (strcmp(text, names[i]) == 0) {
      *out = (sk__plan_format)i;
      return 0;
    }
  return sk__cli_usage("plan", "--format '%s'; legal: listing, json, dot", text);
}

/* ---- a program ---- */

static int print_plans(const sk__plan_request *r, json_t *document) {
  json_t *plans = json_object_get(document, "plans"), *plan;
  size_t index;
  if (r->format == SK__PLAN_JSON) {
    json_dumpf(plans, stdout, JSON_INDENT(2));
    printf("\n");
  }
  json_array_foreach(plans, index, plan) {
    if (r->format == SK__PLAN_JSON) break;
    long long segment = json_integer_value(json_object_get(plan, "segment")), alike = json_integer_value(json_object_get(plan, "segments"));
    if (json_array_size(plans) > 1 || alike > 1) printf("%ssegment %lld", index > 0 ? "\n" : "", segment);
    if (alike > 1) printf(" to %lld", segment + alike - 1);
    if (json_array_size(plans) > 1 || alike > 1) printf("\n");
    const char *listing = json_string_value(json_object_get(plan, "listing"));
    fputs(listing != NULL ? listing : "", stdout);
  }
  if (json_array_size(plans) == 0 && r->format == SK__PLAN_LISTING) printf("no launch, nothing to plan\n");
  return SK__EXIT_CLEAN;
}

/* The program is run un-fused and fused, so that the listing has times. */
static int plan_run(const sk__plan_request *r, char **program) {
  sk__cli_request run = {.verb = "plan", .twin = true, .quiet = true, .modes = "unfused,fused", .trace = r->trace, .program = program};
  json_t *document = NULL;
  if (r->trace != NULL && sk__cli_check_output("plan", "--trace", r->trace) != 0) return SK__EXIT_USAGE;
  int code = sk__cli_launch(&run, &document);
  if (document == NULL) return code;
  int printed = print_plans(r, document);
  json_decref(document);
  return code == SK__EXIT_INTERNAL ? code : printed;
}

/* ---- a program's graphs, planned in another way ---- */

/* "graph.json", "graph-3.json": the segment; 0 something else. */
static unsigned long segment_of(const char *name) {
  if (strcmp(name, "graph.json") == 0) return 1;
  char *end = NULL;
  unsigned long number = strncmp(name, "graph-", 6) == 0 ? strtoul(name + 6, &end, 10) : 0;
  return end != NULL && strcmp(end, ".json") == 0 ? number : 0;
}
static int is_graph(const struct dirent *entry) { return segment_of(entry->d_name) > 0; }
static int by_segment(const struct dirent **a, const struct dirent **b) {
  unsigned long x = segment_of((*a)->d_name), y = segment_of((*b)->d_name);
  return x < y ? -1 : x > y;
}

/* Plans each saved graph, and removes it. */
static int plan_saved(const sk__plan_request *r, const char *directory) {
  struct dirent **entries = NULL;
  int count = scandir(directory, &entries, is_graph, by_segment), code = SK__EXIT_CLEAN;
  if (count == 0 && r->format == SK__PLAN_LISTING) printf("no launch, nothing to plan\n");
  for (int i = 0; i < count; i++) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%.255s", directory, entries[i]->d_name);
    if (count > 1 && r->format == SK__PLAN_LISTING) printf("%ssegment %lu\n", i > 0 ? "\n" : "", segment_of(entries[i]->d_name));
    if (code == SK__EXIT_CLEAN) code = sk__cli_plan_file(r, path, SK__PLAN_FILE_DUMP);
    unlink(path);
    free(entries[i]);
  }
  free(entries);
  return count < 0 ? SK__EXIT_INTERNAL : code;
}

static int plan_graphs(const sk__plan_request *r, char **program) {
  if (r->trace != NULL) return sk__cli_usage("plan", "--trace shows the default plan; it goes with none of --options, --ge, --format dot, --emulate-vendor-defects");
  int refused = sk__cli_plan_check_options(r);
  if (refused != 0) return refused;
  const char *root = getenv("TMPDIR");
  char directory[512], path[640];
  snprintf(directory, sizeof directory, "%.400s/skv-plan-XXXXXX", root != NULL && root[0] != '\0' ? root : P_tmpdir);
  if (mkdtemp(directory) == NULL) {
    fprintf(stderr, "skv plan: no temporary directory '%s': %s\n", directory, strerror(errno));
    return SK__EXIT_INTERNAL;
  }
  snprintf(path, sizeof path, "%s/graph.json", directory);
  sk__cli_request run = {.verb = "plan", .quiet = true, .save_graph = path, .program = program};
  json_t *document = NULL;
  int code = sk__cli_launch(&run, &document);
  if (document != NULL) code = plan_saved(r, directory);
  json_decref(document);
  rmdir(directory);
  return code;
}

static int plan_program(const sk__plan_request *r, char **program) {
  if (r->kernels != NULL) return sk__cli_usage("plan", "--kernels needs the text of a GE graph, '%s' is none", program[0]);
  bool other = r->options != NULL || r->format == SK__PLAN_DOT || r->emulate || r->ge;
  return other ? plan_graphs(r, program) : plan_run(r, program);
}

int sk__cli_plan(int argc, char **argv) {
  enum { OPT_OPTIONS = 256, OPT_FORMAT, OPT_CHECK, OPT_EMULATE, OPT_TRACE, OPT_GE, OPT_KERNELS, OPT_HELP };
  static const struct option options[] = {{"options", 1, 0, OPT_OPTIONS}, {"format", 1, 0, OPT_FORMAT}, {"check", 1, 0, OPT_CHECK},
                                          {"emulate-vendor-defects", 0, 0, OPT_EMULATE}, {"trace", 1, 0, OPT_TRACE}, {"ge", 0, 0, OPT_GE},
                                          {"kernels", 1, 0, OPT_KERNELS}, {"help", 0, 0, OPT_HELP}, {0, 0, 0, 0}};
  sk__plan_request r = {0};
  opterr = 0;
  optind = 1;
  for (int option; (option = getopt_long(argc, argv, "+:h", options, NULL)) != -1;) {
    switch (option) {
      case OPT_OPTIONS: r.options = optarg; break;
      case OPT_CHECK: r.check = optarg; break;
      case OPT_TRACE: r.trace = optarg; break;
      case OPT_KERNELS: r.kernels = optarg; break;
      case OPT_EMULATE: r.emulate = true; break;
      case OPT_GE: r.ge = true; break;
      case 'h':
      case OPT_HELP:
        fputs(help, stdout);
        fputs("\ngraph mode, key=value with colons between:\n", stdout);
        sk__ge_options_help(stdout);
        return SK__EXIT_CLEAN;
      case OPT_FORMAT:
        if (read_format(optarg, &r.format) != 0) return SK__EXIT_USAGE;
        break;
      case ':': return sk__cli_usage("plan", "option '%s' needs a value", argv[optind - 1]);
      default: return sk__cli_unknown_option("plan", options, argv[optind - 1]);
    }
  }
  if (r.check != NULL) return optind == argc ? sk__cli_plan_check(&r) : sk__cli_usage("plan", "--check takes no program, given '%s'", argv[optind]);
  if (optind >= argc) return sk__cli_usage("plan", "no program or graph given; usage: skv plan [options] PROGRAM | GRAPH");
  sk__plan_file kind = sk__plan_file_of(argv[optind]);
  if (kind == SK__PLAN_FILE_NONE) {
    sk__cli_note_misplaced("plan", options, argv, argv + optind);
    return plan_program(&r, argv + optind);
  }
  if (optind + 1 < argc) return sk__cli_usage("plan", "'%s' is a graph and takes no arguments, given '%s'", argv[optind], argv[optind + 1]);
  if (r.trace != NULL) return sk__cli_usage("plan", "--trace needs a program, '%s' is a graph", argv[optind]);
  return sk__cli_plan_file(&r, argv[optind], kind);
}
