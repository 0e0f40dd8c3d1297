/* plan.c - skv plan: how a program's launches are fused, and why not. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "report/report.h"

static const char help[] =
    "usage: skv plan PROGRAM [arguments]\n\n"
    "Runs PROGRAM (built by skcc) and lists for each synchronised stretch of launches the SuperKernels that\n"
    "come about: members, type, cores, synchronisation between them; and for each operator that is not\n"
    "fused the reason and what to change.\n\n"
    "example:\n"
    "  skv plan ./seed_case\n";

int sk__cli_plan(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "--help") == 0) {
    fputs(help, stdout);
    return SK__EXIT_CLEAN;
  }
  if (argc > 1 && argv[1][0] == '-') return sk__cli_usage("plan", "unknown option '%s'; legal: --help", argv[1]);
  if (argc < 2) return sk__cli_usage("plan", "no program given; usage: skv plan PROGRAM [arguments]");
  sk__cli_request run = {.verb = "plan", .twin = true, .quiet = true, .modes = "unfused,fused", .program = argv + 1};
  json_t *document = NULL;
  int code = sk__cli_launch(&run, &document);
  if (document == NULL) return code;
  json_t *plans = json_object_get(document, "plans"), *plan;
  size_t index;
  json_array_foreach(plans, index, plan) {
    if (json_array_size(plans) > 1) printf("%ssegment %zu\n", index > 0 ? "\n" : "", index + 1);
    const char *listing = json_string_value(json_object_get(plan, "listing"));
    fputs(listing != NULL ? listing : "", stdout);
  }
  if (json_array_size(plans) == 0) printf("no launch, nothing to plan\n");
  json_decref(document);
  return SK__EXIT_CLEAN;
}
