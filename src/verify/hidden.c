/* hidden.c - what debug options hide (H45): SuperKernels that a program made with them, planned and run without. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "verify/run.h"
#include "verify/trial.h"
#include "verify/verifier.h"

static const char *const debug_keys[] = {"debug-sync-all", "debug-dcci-all"}; /* of graph mode */

/* SuperKernels that the program made with an option for debugging. */
typedef struct instrumented {
  const sk__superkernel *made; /* NULL: none */
  const char *option;
} instrumented;

/* Graph mode: the operators of a SuperKernel carry its options. */
static const char *debug_option_of(const sk__superkernel *made) {
  for (size_t i = 0; i < made->part_count; i++) {
    const sk__attributes *attributes = made->parts[i]->attributes;
    sk__arena arena = {0};
    sk__ge_options options;
    sk__ge_failure failure;
    const char *found = NULL;
    if (attributes == NULL || attributes->scope == NULL || attributes->options == NULL) continue;
    if (sk__ge_options_read(attributes->options, &arena, &options, &failure) == SK_OK)
      found = options.values[SK__GE_KEY_DEBUG_SYNC_ALL].number != 0   ? debug_keys[0]
              : options.values[SK__GE_KEY_DEBUG_DCCI_ALL].number != 0 ? debug_keys[1]
                                                                  : NULL;
    sk__arena_free(&arena);
    if (found != NULL) return found;
  }
  return NULL;
}

static instrumented find_instrumented(sk__form work) {
  for (size_t i = 0; i < work.count; i++) {
    if (work.tasks[i]->kind != SK__TASK_SUPERKERNEL) continue;
    const sk__superkernel *made = work.tasks[i]->superkernel;
    const sk__fuse_options *options = sk__made_with(made);
    const char *option = options == NULL ? debug_option_of(made) : options->debug_sync_all != 0 ? "debug_sync_all" : NULL;
    if (option != NULL) return (instrumented){made, option};
  }
  return (instrumented){NULL, NULL};
}

static bool is_of_mode(const sk__seen_finding *seen, size_t index) { return index < 256 && (seen->modes[index / 64] >> (index % 64) & 1) != 0; }

/* `known`: what the mode had before, of the first `count` findings. What it has beyond is told; false: nothing. */
static bool add_hidden(const sk__verify_result *result, size_t index, const bool *known, size_t count, sk__text *text) {
  bool any = false;
  for (size_t i = 0; i < result->finding_count; i++) {
    sk__finding classified;
    if (!is_of_mode(&result->findings[i], index) || (i < count && known[i])) continue;
    sk__classified(&result->findings[i], &classified);
    sk__text_add(text, "%s %s", any ? "," : " without them there is", classified.id);
    any = true;
  }
  return any;
}

static void report_hidden(sk__verifier *verifier, const instrumented *what, size_t index, const bool *known, size_t count, bool differs) {
  sk__finding finding = {.category = SK__CAT_OPTIONS, .severity = SK__ERROR, .count = 1, .end_count = 1};
  sk__text_copy(finding.id, sizeof finding.id, "H45");
  finding.ends[0] = (sk__end){.role = "SuperKernel", .core = -1, .core_type = -1, .pipe = -1, .block = -1, .sub_block = -1, .launch = -1, .task = -1};
  sk__text_copy(finding.ends[0].kernel, sizeof finding.ends[0].kernel, what->made->name);
  sk__text text = sk__text_on(finding.message, sizeof finding.message);
  sk__text_add(&text, "'%.80s' was made with %s, whose %s hide a defect:", what->made->name, what->option,
              what->option == debug_keys[1] ? "flushes" : "barriers");
  bool any = add_hidden(&verifier->result, index, known, count, &text);
  if (differs) sk__text_add(&text, "%s results differ from those un-fused", any ? ", and" : " without them");
  if (!any && !differs) return;
  sk__text_copy(finding.remedy, sizeof finding.remedy, sk__hazard_find("H45")->remedy);
  sk__collect_finding(&verifier->result, index, &finding, SK__STREAMS_UNKNOWN);
  verifier->result.modes[index].findings++;
}

/* ---- the plan without the option --------------------------------------------------------------- */

typedef struct scopes { const sk__work *work; sk__arena arena; } scopes;

static const char *without_debug(void *context, const char *scope) {
  scopes *s = context;
  const char *text = sk__scope_options(s->work->marked.tasks, s->work->marked.count, scope);
  for (size_t i = 0; i < sizeof debug_keys / sizeof *debug_keys && text != NULL; i++) text = sk__options_with(&s->arena, text, debug_keys[i], "");
  return text;
}

/* Of the captured-graph path one plan, of graph mode the other. */
typedef struct bare_plan { sk__graph *graph; sk__plan *plan; sk__ge_plan *ge; scopes scopes; } bare_plan;

static sk_status plan_bare(sk__verifier *verifier, const sk__work *work, const instrumented *what, bare_plan *out) {
  char why[192] = "";
  const sk__fuse_options *made_with = sk__made_with(what->made);
  sk_status status = sk__graph_from_tasks(sk__machine_soc(sk__runtime_machine(verifier->runtime)), work->marked.tasks, work->marked.count, &out->graph);
  if (status != SK_OK) return status;
  if (made_with == NULL) {
    out->scopes.work = work;
    return sk__ge_plan_make(out->graph, without_debug, &out->scopes, false, &out->ge, why, sizeof why);
  }
  sk__fuse_options options = *made_with;
  options.debug_sync_all = 0;
  return sk__plan_make(out->graph, &options, &out->plan, why, sizeof why);
}

static sk_status run_bare(sk__verifier *verifier, const bare_plan *plan, size_t index, sk__mode_result *bare) {
  sk__run_prepare(verifier->runtime, &verifier->plain, bare->mode.schedule);
  sk_status status = plan->ge != NULL ? sk__run_ge_plan(verifier->runtime, plan->graph, plan->ge, bare)
                                      : sk__run_plan(verifier->runtime, plan->plan, bare, NULL);
  sk__collect_findings(verifier, index, plan->ge != NULL ? sk__ge_plan_order(plan->ge) : plan->plan);
  return status;
}

static void free_bare(bare_plan *plan) {
  sk__plan_free(plan->plan);
  if (plan->ge != NULL) sk__ge_plan_free(plan->ge);
  sk__graph_free(plan->graph);
  sk__arena_free(&plan->scopes.arena);
}

sk_status sk__look_behind(sk__verifier *verifier, const sk__work *work, size_t index, const sk__buffers *buffers, sk__image *reference) {
  instrumented what = find_instrumented(work->made);
  if (what.made == NULL) return SK_OK;
  sk__machine *machine = sk__runtime_machine(verifier->runtime);
  sk__mode_result bare = {.mode = verifier->result.modes[index].mode};
  sk__order_sums others = {.count = 0};
  size_t count = verifier->result.finding_count;
  bool *known = calloc(count + 1, sizeof(bool));
  if (known == NULL) return SK_OUT_OF_MEMORY;
  for (size_t i = 0; i < count; i++) known[i] = is_of_mode(&verifier->result.findings[i], index);
  bare_plan plan = {0};
  sk_status status = plan_bare(verifier, work, &what, &plan);
  if (status == SK_OK) status = sk__gm_begin(machine);
  if (status == SK_OK) {
    status = run_bare(verifier, &plan, index, &bare);
    sk_status judged = sk__image_judge(machine, buffers, reference, status == SK_OK && bare.outcome != SK__FAILED, &others, &bare);
    if (status == SK_OK) status = judged;
  }
  if (status == SK_OK) report_hidden(verifier, &what, index, known, count, bare.outcome == SK__MISMATCH);
  free(known);
  free_bare(&plan);
  return sk__is_refusal(status) ? SK_OK : status; /* other modes tell that */
}
