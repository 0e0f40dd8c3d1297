/* run.c - see run.h. */
#include "verify/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/judge.h"
#include "verify/undefined.h"

/* ---- causes ---------------------------------------------------------------------------------- */

static bool same_place(const sk__end *a, const sk__end *b) {
  return sk__site_place(a->site) == sk__site_place(b->site) && strcmp(a->kernel, b->kernel) == 0;
}

bool sk__same_cause(const sk__finding *a, const sk__finding *b) {
  if (strcmp(a->id, b->id) != 0) return false;
  bool straight = same_place(&a->ends[0], &b->ends[0]) && same_place(&a->ends[1], &b->ends[1]);
  bool crossed = same_place(&a->ends[0], &b->ends[1]) && same_place(&a->ends[1], &b->ends[0]);
  if (!straight && !crossed) return false;
  return a->ends[0].site != NULL || a->ends[1].site != NULL || strcmp(a->message, b->message) == 0;
}

/* ---- runs ------------------------------------------------------------------------------------ */

void sk__run_prepare_first(sk__runtime *runtime, const sk__machine_options *plain, sk__schedule schedule) {
  sk__machine_options options = *plain;
  options.schedule = schedule;
  options.threads = 1; /* nothing may depend on the host's threads */
  sk__machine_configure(sk__runtime_machine(runtime), &options);
  sk__undefined_prepare(sk__runtime_machine(runtime), true);
  sk__sums_clear(sk__machine_checker(sk__runtime_machine(runtime)));
}

void sk__run_prepare(sk__runtime *runtime, const sk__machine_options *plain, sk__schedule schedule) {
  sk__run_prepare_first(runtime, plain, schedule);
  sk__runtime_join_streams(runtime);
}

static void add_launch(sk__mode_result *mode, const sk__run_stats *stats, bool is_sk) {
  mode->launches++;
  mode->sk_launches += is_sk;
  if (is_sk && mode->outcome == SK__NOTHING_FUSED) mode->outcome = SK__SAME;
  mode->cycles += stats->elapsed_cycles;
  if (stats->aic_used > mode->aic) mode->aic = stats->aic_used;
  if (stats->aiv_used > mode->aiv) mode->aiv = stats->aiv_used;
}

static void note_status(sk__mode_result *mode, sk_status status, const char *name) {
  if (status == SK_OK || mode->status != SK_OK) return;
  mode->status = status;
  mode->outcome = SK__FAILED;
  if (mode->why[0] == '\0') snprintf(mode->why, sizeof mode->why, "%s: %s", name, sk_status_text(status));
}

sk_status sk__run_tasks(sk__runtime *runtime, sk__task *const *tasks, size_t count, sk__mode_result *mode) {
  return sk__run_tasks_timed(runtime, tasks, count, mode, NULL);
}

sk_status sk__run_tasks_timed(sk__runtime *runtime, sk__task *const *tasks, size_t count, sk__mode_result *mode, uint64_t *cycles) {
  sk__task_result *results = calloc(count, sizeof *results);
  if (results == NULL) return SK_OUT_OF_MEMORY;
  sk_status worst = sk__runtime_run(runtime, tasks, count, results);
  for (size_t i = 0; i < count; i++) {
    bool made = tasks[i]->kind == SK__TASK_SUPERKERNEL; /* the program fused it itself */
    if (tasks[i]->kind != SK__TASK_KERNEL && !made) continue;
    add_launch(mode, &results[i].stats, made);
    if (cycles != NULL) cycles[i] = results[i].stats.cycles;
    note_status(mode, results[i].status, made ? tasks[i]->superkernel->name : tasks[i]->kernel->name);
  }
  note_status(mode, worst, "a task");
  sk__machine *machine = sk__runtime_machine(runtime);
  if (mode->mode.kind == SK__MODE_UNFUSED) sk__judge_cores(sk__machine_checker(machine), sk__machine_soc(machine), tasks, results, count);
  free(results);
  return SK_OK;
}

sk__fuse_options sk__mode_options(sk__runtime *runtime, sk__mode_kind kind) {
  sk__fuse_options options = sk__fuse_defaults();
  const sk__soc *soc = sk__machine_soc(sk__runtime_machine(runtime));
  if (kind == SK__MODE_PER_OP) options.debug_per_op_max_core_num = 1;
  if (kind == SK__MODE_NO_FLUSH) options.no_flush = true;
  if (kind == SK__MODE_ALONE) options.single_op_scopes = true;
  if (kind == SK__MODE_EARLY_START) options.early_start = 1;
  if (kind == SK__MODE_FULL_CORES) {
    options.force_aic = soc->aic_count;
    options.force_aiv = soc->aiv_count;
  }
  return options;
}

static void add_launches(sk__mode_result *mode, const sk__launch_result *results, size_t launches, sk_status worst) {
  for (size_t i = 0; i < launches; i++) {
    add_launch(mode, &results[i].stats, results[i].is_sk);
    note_status(mode, results[i].status, results[i].name);
  }
  note_status(mode, worst, "the plan");
}

/* Launches of SKs carry the names of the plan. */
static void take_sk_cycles(const sk__plan *plan, const sk__launch_result *results, size_t launches, uint64_t *cycles) {
  for (size_t k = 0; k < plan->sk_count; k++) cycles[k] = 0;
  size_t k = 0;
  for (size_t i = 0; i < launches; i++) {
    if (!results[i].is_sk) continue;
    for (size_t tries = 0; tries < plan->sk_count && plan->sks[k].name != results[i].name; tries++) k = (k + 1) % plan->sk_count;
    if (plan->sk_count > 0 && plan->sks[k].name == results[i].name) cycles[k] = results[i].stats.cycles;
  }
}

sk_status sk__run_plan(sk__runtime *runtime, const sk__plan *plan, sk__mode_result *mode, uint64_t *sk_cycles) {
  sk__launch_result *results = calloc(plan->graph->node_count + 1, sizeof *results);
  if (results == NULL) return SK_OUT_OF_MEMORY;
  size_t launches = 0;
  sk_status worst = sk__plan_run(runtime, plan, results, &launches);
  add_launches(mode, results, launches, worst);
  if (sk_cycles != NULL) take_sk_cycles(plan, results, launches, sk_cycles);
  free(results);
  return SK_OK;
}

sk_status sk__run_ge_plan(sk__runtime *runtime, const sk__graph *graph, const sk__ge_plan *plan, sk__mode_result *mode) {
  sk__launch_result *results = calloc(graph->node_count + 1, sizeof *results);
  if (results == NULL) return SK_OUT_OF_MEMORY;
  size_t launches = 0;
  sk_status worst = sk__ge_plan_run(runtime, plan, results, &launches);
  add_launches(mode, results, launches, worst);
  free(results);
  return SK_OK;
}
