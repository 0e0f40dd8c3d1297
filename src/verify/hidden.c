/* hidden.c - what debug options hide (H45): SuperKernels that a program made with debug_sync_all, run without it. */
#include <stdlib.h>

#include "base/text.h"
#include "verify/run.h"
#include "verify/verifier.h"

/* Of SuperKernels that the program made with barriers for debugging; NULL: none. */
static const sk__superkernel *instrumented(sk__form work) {
  for (size_t i = 0; i < work.count; i++) {
    const sk__fuse_options *options = work.tasks[i]->kind == SK__TASK_SUPERKERNEL ? sk__made_with(work.tasks[i]->superkernel) : NULL;
    if (options != NULL && options->debug_sync_all != 0) return work.tasks[i]->superkernel;
  }
  return NULL;
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

static void report_hidden(sk__verifier *verifier, const sk__superkernel *made, size_t index, const bool *known, size_t count, bool differs) {
  sk__finding finding = {.category = SK__CAT_OPTIONS, .severity = SK__ERROR, .count = 1, .end_count = 1};
  sk__text_copy(finding.id, sizeof finding.id, "H45");
  finding.ends[0] = (sk__end){.role = "SuperKernel", .core = -1, .core_type = -1, .pipe = -1, .block = -1, .sub_block = -1, .launch = -1, .task = -1};
  sk__text_copy(finding.ends[0].kernel, sizeof finding.ends[0].kernel, made->name);
  sk__text text = sk__text_on(finding.message, sizeof finding.message);
  sk__text_add(&text, "'%.80s' was made with debug_sync_all, whose barriers hide a defect:", made->name);
  bool any = add_hidden(&verifier->result, index, known, count, &text);
  if (differs) sk__text_add(&text, "%s results differ from those un-fused", any ? ", and" : " without them");
  if (!any && !differs) return;
  sk__text_copy(finding.remedy, sizeof finding.remedy, sk__hazard_find("H45")->remedy);
  sk__collect_finding(&verifier->result, index, &finding, SK__STREAMS_UNKNOWN);
  verifier->result.modes[index].findings++;
}

sk_status sk__look_behind(sk__verifier *verifier, const sk__work *work, size_t index, const sk__buffers *buffers, sk__image *reference) {
  const sk__superkernel *made = instrumented(work->made);
  if (made == NULL) return SK_OK;
  sk__machine *machine = sk__runtime_machine(verifier->runtime);
  sk__mode_result bare = {.mode = verifier->result.modes[index].mode};
  sk__order_sums others = {.count = 0};
  size_t count = verifier->result.finding_count;
  bool *known = calloc(count + 1, sizeof(bool));
  if (known == NULL) return SK_OUT_OF_MEMORY;
  for (size_t i = 0; i < count; i++) known[i] = is_of_mode(&verifier->result.findings[i], index);
  sk__fuse_options options = *sk__made_with(made);
  options.debug_sync_all = 0;
  sk__graph *graph = NULL;
  sk__plan *plan = NULL;
  char why[192] = "";
  sk_status status = sk__graph_from_tasks(sk__machine_soc(machine), work->marked.tasks, work->marked.count, &graph);
  if (status == SK_OK) status = sk__plan_make(graph, &options, &plan, why, sizeof why);
  if (status == SK_OK) status = sk__gm_begin(machine);
  if (status == SK_OK) {
    sk__run_prepare(verifier->runtime, &verifier->plain, bare.mode.schedule);
    status = sk__run_plan(verifier->runtime, plan, &bare, NULL);
    sk__collect_findings(verifier, index, plan);
    sk_status judged = sk__image_judge(machine, buffers, reference, status == SK_OK && bare.outcome != SK__FAILED, &others, &bare);
    if (status == SK_OK) status = judged;
  }
  if (status == SK_OK) report_hidden(verifier, made, index, known, count, bare.outcome == SK__MISMATCH);
  free(known);
  sk__plan_free(plan);
  sk__graph_free(graph);
  return sk__is_refusal(status) ? SK_OK : status; /* other modes tell that */
}
