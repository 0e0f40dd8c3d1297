/* twin.c - the verifier: one segment of work, un-fused as the reference, then in every other mode. */
#include <stdlib.h>
#include <string.h>

#include "verify/diagnose.h"
#include "verify/judge.h"
#include "verify/run.h"
#include "verify/undefined.h"
#include "verify/unwritten.h"
#include "verify/verifier.h"

/* Runs the mode and compares memory with the reference. */
static sk_status run_and_compare(sk__verifier *verifier, const sk__work *work, size_t index, const sk__buffers *buffers, sk__image *reference,
                                 sk__undefined *undefined) {
  sk__machine *machine = sk__runtime_machine(verifier->runtime);
  sk__mode_result *mode = &verifier->result.modes[index];
  *undefined = (sk__undefined){.count = 0};
  sk_status status = sk__gm_begin(machine);
  if (status != SK_OK) return status;
  if (!verifier->again) sk__inherited_put(machine, &verifier->inherited);
  status = sk__run_mode(verifier, work, index);
  bool comparable = status == SK_OK && mode->outcome != SK__FAILED;
  sk__order_sums others = {.count = 0}; /* with more operators results are other ones */
  sk__order_sums *sums = sk__mode_has_company(mode->mode.kind) ? &others : &verifier->sums;
  sk__undefined_take(machine, reference, verifier->again ? NULL : &verifier->inherited, undefined);
  sk_status judged = sk__image_judge(machine, buffers, reference, comparable, sums, mode);
  return status != SK_OK ? status : judged;
}

/* The mode has read what nobody wrote and failed or differs: once more, on what the reference found there. If then all is
 * well, a difference was none of fusing; the first mode of a segment that has one speaks for all. */
static sk_status compare_again(sk__verifier *verifier, const sk__work *work, size_t index, const sk__buffers *buffers, sk__image *reference,
                               const sk__mode_result *before, sk__undefined *undefined) {
  sk__mode_result *mode = &verifier->result.modes[index], first = *mode;
  sk__undefined none;
  *mode = *before;
  verifier->again = true;
  sk_status status = run_and_compare(verifier, work, index, buffers, reference, &none);
  verifier->again = false;
  sk__undefined_free(&none);
  if (status != SK_OK || mode->outcome == SK__FAILED || first.outcome == SK__FAILED) { /* one failure is enough */
    *mode = first;
    return status;
  }
  mode->findings = first.findings;
  mode->seconds += first.seconds - before->seconds;
  if (mode->outcome == SK__MISMATCH) return status;
  verifier->doubts[index].count = first.difference_count;
  memcpy(verifier->doubts[index].items, first.differences, sizeof first.differences);
  if (verifier->undefined.count > 0) return status;
  sk__undefined_free(&verifier->undefined);
  verifier->undefined = *undefined;
  *undefined = (sk__undefined){.count = 0};
  return status;
}

static sk_status compare_mode(sk__verifier *verifier, const sk__work *work, size_t index, const sk__buffers *buffers, sk__image *reference) {
  sk__mode_result *mode = &verifier->result.modes[index], before = *mode;
  sk__undefined undefined;
  sk_status status = run_and_compare(verifier, work, index, buffers, reference, &undefined);
  bool fails = mode->outcome >= SK__MISMATCH && before.outcome < SK__MISMATCH;
  if (status == SK_OK && fails && undefined.read)
    status = compare_again(verifier, work, index, buffers, reference, &before, &undefined);
  sk__undefined_free(&undefined);
  if (mode->mode.kind == SK__MODE_PER_OP && mode->outcome == SK__MISMATCH && before.outcome != SK__MISMATCH) {
    sk__judge_bodies(sk__runtime_machine(verifier->runtime), work->apart.tasks, work->apart.count, mode);
    sk__collect_findings(verifier, index, NULL);
  }
  return status;
}

/* A mode that adds operators: its own un-fused run is what the fused one is compared with. */
static sk_status compare_in_company(sk__verifier *verifier, const sk__work *work, size_t index, const sk__buffers *buffers) {
  sk__machine *machine = sk__runtime_machine(verifier->runtime);
  sk__mode_result *mode = &verifier->result.modes[index], plain = {.mode = mode->mode, .outcome = SK__REFERENCE};
  sk__neighbour_fn neighbour_of = mode->mode.kind == SK__MODE_NEIGHBOUR ? sk__neighbour_of : NULL;
  sk__task **unfused = NULL, **marked = NULL;
  size_t unfused_count = 0, marked_count = 0;
  sk__image reference = {NULL, 0, SK_OK};
  sk__form base = work->apart;
  sk_status status = sk__tasks_in_company(verifier->runtime, base.tasks, base.count, neighbour_of, false, &unfused, &unfused_count);
  if (status == SK_OK)
    status = sk__tasks_in_company(verifier->runtime, base.tasks, base.count, neighbour_of, true, &marked, &marked_count);
  if (status == SK_OK) status = sk__gm_begin(machine);
  if (status == SK_OK) {
    sk__run_prepare(verifier->runtime, &verifier->plain, (sk__schedule){SK__SCHEDULE_IN_ORDER, 0});
    status = sk__run_tasks(verifier->runtime, unfused, unfused_count, &plain);
    sk__findings_clear(sk__machine_checker(machine)); /* what they tell is told by the fused run as well */
    if (status == SK_OK) status = sk__image_take(machine, NULL, &reference);
    sk__gm_roll_back(machine);
  }
  if (status == SK_OK && plain.status != SK_OK) { /* it cannot even be done un-fused */
    mode->status = plain.status;
    mode->outcome = SK__FAILED;
    memcpy(mode->why, plain.why, sizeof mode->why);
  } else if (status == SK_OK) {
    sk__work company = {.made = {marked, marked_count}, .apart = {marked, marked_count}, .marked = {marked, marked_count}};
    status = compare_mode(verifier, &company, index, buffers, &reference);
  }
  sk__image_free(&reference);
  sk__tasks_free(unfused, unfused_count);
  sk__tasks_free(marked, marked_count);
  return status;
}

/* A mode's status is the first failure of all its segments; how this one ended is what `run` leaves there when
 * it starts clean. */
static sk_status take_status(sk__mode_result *mode, sk_status earlier) {
  sk_status mine = mode->status;
  if (earlier != SK_OK) mode->status = earlier;
  return mine;
}

static void segment_close(sk__work *work) {
  if (!work->by_program) return;
  sk__tasks_free((sk__task **)(uintptr_t)work->apart.tasks, work->apart.count);
  sk__tasks_free((sk__task **)(uintptr_t)work->marked.tasks, work->marked.count);
}

static sk_status segment_open(sk__runtime *runtime, sk__task *const *tasks, size_t count, sk__work *work) {
  sk__form made = {tasks, count};
  *work = (sk__work){.made = made, .apart = made, .marked = made};
  bool any = false;
  for (size_t i = 0; i < count; i++) any |= tasks[i]->kind == SK__TASK_SUPERKERNEL && tasks[i]->superkernel->part_count > 0;
  if (!any) return SK_OK;
  sk__task **apart = NULL, **marked = NULL;
  size_t apart_count = 0, marked_count = 0;
  sk_status status = sk__tasks_apart(runtime, tasks, count, false, &apart, &apart_count);
  if (status == SK_OK && (status = sk__tasks_apart(runtime, tasks, count, true, &marked, &marked_count)) != SK_OK)
    sk__tasks_free(apart, apart_count);
  if (status != SK_OK) return status;
  work->apart = (sk__form){apart, apart_count};
  work->marked = (sk__form){marked, marked_count};
  work->by_program = true;
  return SK_OK;
}

/* What the segment brought that was not there before is run otherwise, on memory as it was before the segment. */
static sk_status diagnose_segment(sk__verifier *verifier, const sk__segment *work, const sk__failures *failures) {
  bool any = verifier->result.finding_count > failures->first_finding;
  for (size_t i = 0; i < verifier->result.mode_count; i++) any |= verifier->result.modes[i].outcome != failures->outcomes[i];
  if (any && verifier->progress != NULL)
    verifier->progress(verifier->progress_context, "diagnosis", verifier->result.mode_count - 1, verifier->result.mode_count);
  return sk__diagnose(work, failures, &verifier->result, &verifier->diagnosis_runs);
}

static sk__outcome *outcomes_of(const sk__verify_result *result) {
  sk__outcome *outcomes = calloc(result->mode_count, sizeof *outcomes);
  for (size_t i = 0; outcomes != NULL && i < result->mode_count; i++) outcomes[i] = result->modes[i].outcome;
  return outcomes;
}

/* Segments are asked for by a scope or by SuperKernels that the program made. */
static bool is_asked_for(sk__task *const *tasks, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (tasks[i]->kind == SK__TASK_SCOPE_BEGIN || tasks[i]->kind == SK__TASK_SUPERKERNEL) return true;
  return false;
}

/* The other segments run once, as they are; what is found or fails counts for the reference. */
static sk_status pass_segment(sk__verifier *verifier, sk__task *const *tasks, size_t count) {
  sk__mode_result *plain = &verifier->result.modes[0], passed = {.mode = plain->mode};
  verifier->result.passed_segments++;
  sk__gm_set_defined(sk__runtime_machine(verifier->runtime), SK__GM_BASE, SK__GM_BYTES); /* nobody looks what it writes */
  sk_status status = sk__run_tasks(verifier->runtime, tasks, count, &passed);
  sk__collect_findings(verifier, 0, NULL);
  if (passed.status == SK_OK) return status;
  if (plain->status == SK_OK) {
    plain->status = passed.status;
    plain->outcome = SK__FAILED;
    memcpy(plain->why, passed.why, sizeof plain->why);
  }
  return passed.status;
}

/* Behind a segment: what a mode left in data caches is what its next segment begins with. */
static void keep_left(sk__verifier *verifier) {
  for (size_t i = 0; i < verifier->result.mode_count; i++) {
    sk__left_free(verifier->left[i]);
    verifier->left[i] = verifier->leaving[i];
    verifier->leaving[i] = NULL;
  }
}

/* The device is left as the reference left it. Where the host does not wait, work of other streams may meet what the segment
 * did: then the reference runs once more, so that the order it is judged by is the program's own and not that of the last mode. */
static sk_status leave(sk__verifier *verifier, const sk__work *work, const sk__image *reference, const sk__orders *orders) {
  sk__runtime *runtime = verifier->runtime;
  sk__machine *machine = sk__runtime_machine(runtime);
  if (orders->count == 0) {
    sk__runtime_join_streams(runtime);
    return sk__image_put(machine, reference);
  }
  sk__mode_result again = {.mode = verifier->result.modes[0].mode};
  sk_status status = sk__orders_put(runtime, orders);
  if (status != SK_OK) return status;
  sk__run_prepare_first(runtime, &verifier->plain, again.mode.schedule);
  sk__left *plain = sk__machine_swap_left(machine, NULL);
  status = sk__run_tasks(runtime, work->apart.tasks, work->apart.count, &again);
  sk__left_free(sk__machine_swap_left(machine, plain));
  sk__findings_clear(sk__machine_checker(machine)); /* the reference has told them */
  for (size_t i = 0; i < reference->count; i++)
    sk__gm_replace(machine, reference->pieces[i].start, reference->pieces[i].data, reference->pieces[i].bytes);
  return status;
}

/* A segment that fails un-fused is not run fused: there is nothing to compare with, and its findings tell. */
sk_status sk__verify_segment(void *context, sk__runtime *runtime, sk__task *const *tasks, size_t count) {
  sk__verifier *verifier = context;
  sk__machine *machine = sk__runtime_machine(runtime);
  if (verifier->scoped && !is_asked_for(tasks, count)) return pass_segment(verifier, tasks, count);
  verifier->result.segments++;
  if (verifier->observer != NULL) verifier->observer(verifier->observer_context, tasks, count);
  double start = sk__seconds();
  sk__image reference = {NULL, 0, SK_OK};
  sk__unwritten unwritten = {NULL, 0, 0};
  sk__buffers buffers = {NULL, 0};
  sk__mode_result *plain = &verifier->result.modes[0];
  sk_status earlier = plain->status, ended = SK_OK;
  plain->status = SK_OK;
  verifier->sums.count = 0;
  sk__inherited_refresh(machine, &verifier->inherited);
  sk__work work;
  sk__outcome *outcomes = outcomes_of(&verifier->result);
  sk__failures failures = {verifier->result.finding_count, outcomes};
  sk_status status = segment_open(runtime, tasks, count, &work);
  if (status == SK_OK && outcomes == NULL) status = SK_OUT_OF_MEMORY;
  sk__orders orders = {.items = NULL};
  if (status == SK_OK && sk__runtime_goes_on(runtime)) status = sk__orders_take(runtime, &orders);
  if (status == SK_OK) status = sk__buffers_of(machine, work.apart.tasks, work.apart.count, &buffers);
  if (status == SK_OK) status = sk__gm_begin(machine);
  if (status == SK_OK) {
    status = sk__run_mode(verifier, &work, 0);
    ended = plain->status;
    if (status == SK_OK) status = sk__image_take(machine, NULL, &reference);
    sk__inherited_forget(&verifier->inherited, &reference);
    sk__unwritten_take(machine, &reference, &unwritten);
    sk__gm_roll_back(machine);
  }
  sk__rehearsal rehearsal;
  if (orders.count > 0) sk__orders_rehearse(runtime, &orders, work.apart.tasks, work.apart.count, &rehearsal);
  if (verifier->result.mode_count > 1) {
    sk__judge_bindings(sk__machine_checker(machine), work.apart.tasks, work.apart.count, &verifier->judged);
    sk__collect_findings(verifier, 1, NULL);
  }
  for (size_t i = 1; i < verifier->result.mode_count && status == SK_OK && ended == SK_OK; i++)
    status = sk__mode_has_company(verifier->result.modes[i].mode.kind) ? compare_in_company(verifier, &work, i, &buffers)
                                                                       : compare_mode(verifier, &work, i, &buffers, &reference);
  for (size_t i = 1; i < verifier->result.mode_count && status == SK_OK && ended == SK_OK; i++)
    if (verifier->result.modes[i].mode.kind == SK__MODE_FUSED && verifier->result.modes[i].mode.schedule.kind == SK__SCHEDULE_IN_ORDER)
      status = sk__look_behind(verifier, &work, i, &buffers, &reference);
  if (verifier->sums.count > 0) {
    sk__order_sums_report(&verifier->sums, sk__machine_checker(machine));
    sk__collect_findings(verifier, 1, NULL);
  }
  if (verifier->diagnose && status == SK_OK && ended == SK_OK) {
    sk__segment whole = {runtime, &verifier->plain, work.marked.tasks, work.marked.count, &buffers, &reference, verifier->emulate, verifier->ge_options};
    status = diagnose_segment(verifier, &whole, &failures);
  }
  free(outcomes);
  sk__checker_rehearse(sk__machine_checker(machine), NULL);
  keep_left(verifier);
  if (ended != SK_OK) sk__orders_free(&orders);
  sk_status put = leave(verifier, &work, &reference, &orders);
  sk__orders_free(&orders);
  if (status == SK_OK) status = put;
  sk__unwritten_put(machine, &unwritten);
  sk__unwritten_free(&unwritten);
  if (status == SK_OK) status = sk__gm_set_undefined(machine, verifier->undefined.items, verifier->undefined.count, &verifier->undefined.reader);
  if (status == SK_OK) status = sk__inherited_keep(machine, &verifier->inherited);
  sk__inherited_add(&verifier->inherited, &verifier->undefined);
  sk__undefined_free(&verifier->undefined);
  sk__machine_configure(machine, &verifier->plain);
  sk__image_free(&reference);
  sk__buffers_free(&buffers);
  segment_close(&work);
  verifier->result.seconds += sk__seconds() - start;
  if (verifier->result.status == SK_OK) verifier->result.status = status;
  ended = take_status(plain, earlier);
  return status != SK_OK ? status : ended;
}

/* A plain run: the same bookkeeping, one mode, nothing rolled back. */
sk_status sk__record_segment(void *context, sk__runtime *runtime, sk__task *const *tasks, size_t count) {
  (void)runtime;
  sk__verifier *verifier = context;
  verifier->result.segments++;
  if (verifier->observer != NULL) verifier->observer(verifier->observer_context, tasks, count);
  sk__mode_result *mode = &verifier->result.modes[0];
  double start = sk__seconds();
  sk_status earlier = mode->status;
  mode->status = SK_OK;
  sk_status status = sk__run_tasks(verifier->runtime, tasks, count, mode);
  sk_status ended = take_status(mode, earlier);
  mode->seconds += sk__seconds() - start;
  verifier->result.seconds = mode->seconds;
  sk__collect_findings(verifier, 0, NULL);
  return status != SK_OK ? status : ended;
}
