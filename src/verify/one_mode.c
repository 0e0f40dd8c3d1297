/* one_mode.c - a segment of work run in one mode: un-fused, fused on either path, or as the program fused it. */
#include <stdio.h>
#include <stdlib.h>

#include "fuse/ge/ge.h"
#include "verify/run.h"
#include "verify/verifier.h"

static const char *ge_options_of(void *context, const char *scope) {
  (void)scope;
  return ((const sk__verifier *)context)->ge_options;
}

static void refuse_mode(sk__mode_result *mode, sk_status status, const char *why) {
  mode->status = status;
  mode->outcome = SK__FAILED;
  snprintf(mode->why, sizeof mode->why, "cannot be fused: %s", why);
}

static sk_status run_ge(sk__verifier *verifier, sk__form work, size_t index) {
  sk__mode_result *mode = &verifier->result.modes[index];
  sk__graph *graph = NULL;
  sk__ge_plan *plan = NULL;
  sk_status status = sk__graph_from_tasks(sk__machine_soc(sk__runtime_machine(verifier->runtime)), work.tasks, work.count, &graph);
  if (status != SK_OK) return status;
  char why[192] = "";
  status = sk__ge_plan_make(graph, ge_options_of, verifier, verifier->emulate, &plan, why, sizeof why);
  if (status == SK_OK) {
    status = sk__run_ge_plan(verifier->runtime, graph, plan, mode);
    sk__collect_findings(verifier, index, sk__ge_plan_order(plan));
    sk__ge_plan_free(plan);
  } else if (sk__is_refusal(status)) {
    refuse_mode(mode, status, why);
    status = SK_OK;
  }
  sk__graph_free(graph);
  return status;
}

static sk_status run_fused(sk__verifier *verifier, sk__form work, size_t index) {
  sk__mode_result *mode = &verifier->result.modes[index];
  const sk__soc *soc = sk__machine_soc(sk__runtime_machine(verifier->runtime));
  sk__graph *graph = NULL;
  sk__plan *plan = NULL;
  sk_status status = sk__graph_from_tasks(soc, work.tasks, work.count, &graph);
  if (status != SK_OK) return status;
  sk__fuse_options options = sk__mode_options(verifier->runtime, mode->mode.kind);
  options.emulate_vendor_defects = verifier->emulate;
  char why[192] = "";
  status = sk__plan_make(graph, &options, &plan, why, sizeof why);
  if (status == SK_OK) {
    bool first = mode->mode.kind == SK__MODE_FUSED && mode->mode.schedule.kind == SK__SCHEDULE_IN_ORDER;
    uint64_t *cycles = first ? calloc(plan->sk_count + 1, sizeof *cycles) : NULL;
    sk_status earlier = mode->status;
    mode->status = SK_OK;
    status = sk__run_plan(verifier->runtime, plan, mode, cycles);
    if (first && !verifier->again) sk__keep_plan(verifier, plan, mode->status == SK_OK ? cycles : NULL); /* of what failed there is no time */
    if (earlier != SK_OK) mode->status = earlier;
    free(cycles);
    sk__collect_findings(verifier, index, plan);
    sk__plan_free(plan);
  } else if (sk__is_refusal(status)) {
    refuse_mode(mode, status, why);
    status = SK_OK;
  }
  sk__graph_free(graph);
  return status;
}

/* The reference: what each task costs is kept for the estimates of what is made of them. */
static sk_status run_reference(sk__verifier *verifier, sk__form work, sk__mode_result *mode) {
  sk__task_costs_free(&verifier->costs);
  verifier->costs = (sk__task_costs){work.tasks, calloc(work.count + 1, sizeof(uint64_t)), work.count};
  if (verifier->costs.cycles == NULL) return SK_OUT_OF_MEMORY;
  return sk__run_tasks_timed(verifier->runtime, work.tasks, work.count, mode, verifier->costs.cycles);
}

/* Whose timeline is kept. */
static bool is_timed(sk__mode mode) {
  return mode.schedule.kind == SK__SCHEDULE_IN_ORDER && (mode.kind == SK__MODE_UNFUSED || mode.kind == SK__MODE_FUSED);
}

static sk_status run_kind(sk__verifier *verifier, const sk__work *work, size_t index) {
  sk__mode_result *mode = &verifier->result.modes[index];
  switch (mode->mode.kind) {
    case SK__MODE_UNFUSED:
      if (index == 0) return run_reference(verifier, work->apart, mode);
      return sk__run_tasks(verifier->runtime, work->apart.tasks, work->apart.count, mode);
    case SK__MODE_GE: return run_ge(verifier, work->marked, index);
    case SK__MODE_FUSED:
      if (!work->by_program) return run_fused(verifier, work->made, index);
      if (mode->mode.schedule.kind == SK__SCHEDULE_IN_ORDER && !verifier->again) sk__keep_made(verifier, work->made);
      return sk__run_tasks(verifier->runtime, work->made.tasks, work->made.count, mode);
    default: return run_fused(verifier, work->marked, index);
  }
}

sk_status sk__run_mode(sk__verifier *verifier, const sk__work *work, size_t index) {
  sk__mode_result *mode = &verifier->result.modes[index];
  sk__machine *machine = sk__runtime_machine(verifier->runtime);
  (index == 0 ? sk__run_prepare_first : sk__run_prepare)(verifier->runtime, &verifier->plain, mode->mode.schedule);
  if (index > 0) sk__undefined_prepare(machine, verifier->again);
  sk__left *plain = sk__machine_swap_left(machine, sk__left_copy(verifier->left[index]));
  char name[SK__MODE_NAME_BYTES];
  sk__mode_name(mode->mode, name);
  if (verifier->progress != NULL)
    verifier->progress(verifier->progress_context, name, index, verifier->result.mode_count);
  bool timed = verifier->tracker != NULL && is_timed(mode->mode) && !verifier->again;
  if (timed) sk__tracker_start(verifier->tracker, machine, mode->mode.kind == SK__MODE_FUSED ? SK__TIMELINE_FUSED : SK__TIMELINE_UNFUSED);
  double start = sk__seconds();
  sk_status status = run_kind(verifier, work, index);
  if (timed) sk__tracker_stop(verifier->tracker, machine);
  mode->seconds += sk__seconds() - start;
  sk__left_free(verifier->leaving[index]);
  verifier->leaving[index] = sk__machine_swap_left(machine, plain);
  sk__collect_findings(verifier, index, NULL);
  return status;
}
