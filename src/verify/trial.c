/* trial.c - see trial.h. */
#include "verify/trial.h"

#include <string.h>

#include "verify/run.h"

/* ---- signs ----------------------------------------------------------------------------------- */

sk__sign sk__sign_of(const sk__finding *finding) {
  sk__sign sign;
  memset(&sign, 0, sizeof sign);
  memcpy(sign.id, finding->id, sizeof sign.id);
  for (uint32_t i = 0; i < 2 && i < finding->end_count; i++) {
    sign.places[i] = sk__site_place(finding->ends[i].site);
    memcpy(sign.kernels[i], finding->ends[i].kernel, sizeof sign.kernels[i]);
  }
  return sign;
}

static bool has_place(const sk__sign *sign, int end) { return sign->places[end] != NULL || sign->kernels[end][0] != '\0'; }

bool sk__same_sign(const sk__sign *a, const sk__sign *b) {
  if (strcmp(a->id, b->id) != 0) return false;
  bool any = false;
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      any |= has_place(a, i) && has_place(b, j);
      if (has_place(a, i) && a->places[i] == b->places[j] && strcmp(a->kernels[i], b->kernels[j]) == 0) return true;
    }
  return !any; /* neither says where */
}

typedef SK__VEC(sk__sign) sk__signs;

/* Takes the checker's findings; those that `but` has are not kept. */
static sk_status take_signs(const sk__segment *segment, const sk__sign *but, size_t but_count, sk__sign **items, size_t *count) {
  sk__checker *checker = sk__machine_checker(sk__runtime_machine(segment->runtime));
  size_t found = 0;
  const sk__finding *findings = sk__findings(checker, &found);
  sk_status status = SK_OK;
  sk__signs signs = {0};
  for (size_t i = 0; i < found && status == SK_OK; i++) {
    sk__sign sign = sk__sign_of(&findings[i]);
    bool known = false;
    for (size_t k = 0; k < but_count && !known; k++) known = sk__same_sign(&but[k], &sign);
    if (!known && !sk__vec_push(&signs, sign)) status = SK_OUT_OF_MEMORY;
  }
  sk__findings_clear(checker);
  *items = signs.items;
  *count = signs.count;
  return status;
}

void sk__trial_result_free(sk__trial_result *result) { sk__vec_free(&result->signs); }

/* ---- fewer tasks ----------------------------------------------------------------------------- */

static bool contains(const sk__members *members, uint32_t index) {
  for (size_t i = 0; i < members->count; i++)
    if (members->items[i] == index) return true;
  return false;
}

/* Left out: fused in the mode, between the first and the last member, and no member. */
static bool is_left_out(const sk__trial *trial, uint32_t index) {
  const sk__members *members = &trial->members;
  if (index < members->items[0] || index > members->items[members->count - 1]) return false;
  return contains(trial->all, index) && !contains(members, index);
}

static bool leaves_out(const sk__trial *trial) {
  for (size_t i = 0; i < trial->all->count; i++)
    if (is_left_out(trial, trial->all->items[i])) return true;
  return false;
}

void sk__reduced_free(sk__reduced *reduced) {
  sk__free(reduced->tasks);
  sk__free(reduced->indices);
  sk__image_free(&reduced->image);
  sk__vec_free(&reduced->signs);
  memset(reduced, 0, sizeof *reduced);
}

/* The list is what the trial leaves. */
static bool is_reduced_for(const sk__segment *segment, const sk__trial *trial, const sk__reduced *reduced) {
  size_t at = 0;
  for (uint32_t i = 0; i < segment->count; i++)
    if (!is_left_out(trial, i) && (at == reduced->count || reduced->indices[at++] != i)) return false;
  return at == reduced->count;
}

static sk_status run_reduced(const sk__segment *segment, const sk__trial *trial, sk__reduced *reduced, uint32_t *runs) {
  sk__machine *machine = sk__runtime_machine(segment->runtime);
  sk__reduced_free(reduced);
  reduced->tasks = sk__calloc(segment->count, sizeof *reduced->tasks);
  reduced->indices = sk__calloc(segment->count, sizeof *reduced->indices);
  if (reduced->tasks == NULL || reduced->indices == NULL) return SK_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < segment->count; i++) {
    if (is_left_out(trial, i)) continue;
    reduced->indices[reduced->count] = i;
    reduced->tasks[reduced->count++] = segment->tasks[i];
  }
  sk_status status = sk__gm_begin(machine);
  if (status != SK_OK) return status;
  sk__mode_result mode = {.outcome = SK__REFERENCE};
  ++*runs;
  sk__run_prepare(segment->runtime, segment->plain, (sk__schedule){SK__SCHEDULE_IN_ORDER, 0});
  status = sk__run_tasks(segment->runtime, reduced->tasks, reduced->count, &mode);
  reduced->status = mode.status;
  if (status == SK_OK) status = take_signs(segment, NULL, 0, &reduced->signs.items, &reduced->signs.count);
  if (status == SK_OK) status = sk__image_take(machine, NULL, &reduced->image);
  sk__gm_roll_back(machine);
  return status;
}

/* ---- one trial ------------------------------------------------------------------------------- */

/* Borrows from the trial. */
static sk__fuse_options options_of(const sk__segment *segment, const sk__trial *trial) {
  static const char *const everything[] = {".*"};
  const sk__patterns all = {everything, 1}, one = {&trial->operator_name, 1};
  sk__mode_kind kind = trial->change == SK__CHANGE_OWN_CORES ? SK__MODE_FUSED
                       : trial->change == SK__CHANGE_ALONE   ? SK__MODE_PER_OP
                                                             : trial->mode.kind;
  sk__fuse_options options = sk__mode_options(segment->runtime, kind);
  options.emulate_vendor_defects = segment->emulate;
  switch (trial->change) {
    case SK__CHANGE_DCCI_BEFORE: options.dcci_before_kernel_start = one; break;
    case SK__CHANGE_DCCI_AFTER: options.dcci_after_kernel_end = one; break;
    case SK__CHANGE_DCCI_EVERYWHERE: options.dcci_before_kernel_start = options.dcci_after_kernel_end = all; break;
    case SK__CHANGE_EARLY_START_OFF: options.early_start = 0; break;
    case SK__CHANGE_BARRIER_AFTER: options.barrier_after = one; break;
    case SK__CHANGE_BARRIER_EVERYWHERE: options.barrier_after = all; break;
    case SK__CHANGE_SYNC_ALL: options.debug_sync_all = 1; break;
    case SK__CHANGE_SINGLE_OPERATORS: options.single_op_scopes = true; break;
    case SK__CHANGE_OWN_CORES:
    case SK__CHANGE_ALONE:
    case SK__CHANGE_DCCI_ALL: /* of graph mode only */
    case SK__CHANGE_ONE_STREAM:
    case SK__CHANGE_NONE: break;
  }
  return options;
}

uint32_t sk__nodes_of_task(const sk__task *task) {
  return task->kind == SK__TASK_SCOPE_BEGIN || task->kind == SK__TASK_SCOPE_END ? 3 : 1;
}

/* Whatever is no member stays as it is: the graph says that it has no binding. */
static void keep_out(const sk__trial *trial, sk__task *const *tasks, size_t count, const uint32_t *indices, sk__graph *graph) {
  size_t at = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (tasks[i]->kind == SK__TASK_KERNEL && !contains(&trial->members, indices != NULL ? indices[i] : i))
      graph->nodes[at].kernel.bound = false;
    at += sk__nodes_of_task(tasks[i]);
  }
}

/* ---- graph mode ---- */

typedef struct ge_context { const sk__segment *segment; const sk__trial *trial; sk__arena *arena; } ge_context;

/* What the scope's operators say, if no string was given for all scopes. */
static const char *own_options(const sk__segment *segment, const char *scope) {
  return segment->ge_options != NULL ? segment->ge_options : sk__scope_options(segment->tasks, segment->count, scope);
}

static const char *ge_options_of(void *context, const char *scope) {
  const ge_context *c = context;
  const char *own = own_options(c->segment, scope);
  switch (c->trial->change) {
    case SK__CHANGE_DCCI_ALL: return sk__options_with(c->arena, own, "debug-dcci-all", "debug-dcci-all=1");
    case SK__CHANGE_EARLY_START_OFF: return sk__options_with(c->arena, own, "early-start", "early-start=0");
    case SK__CHANGE_SYNC_ALL: return sk__options_with(c->arena, own, "debug-sync-all", "debug-sync-all=1");
    default: return c->segment->ge_options;
  }
}

/* ---- plans ---- */

static sk_status plan_by_mode(const sk__segment *segment, const sk__trial *trial, sk__planned *out) {
  char why[192] = "";
  if (trial->mode.kind == SK__MODE_GE) {
    ge_context context = {segment, trial, &out->arena};
    return sk__ge_plan_make(out->graph, ge_options_of, &context, segment->emulate, &out->ge, why, sizeof why);
  }
  sk__fuse_options options = options_of(segment, trial);
  return sk__plan_make(out->graph, &options, &out->plan, why, sizeof why);
}

sk_status sk__trial_plan(const sk__segment *segment, const sk__trial *trial, const sk__reduced *reduced, sk__planned *out) {
  const sk__soc *soc = sk__machine_soc(sk__runtime_machine(segment->runtime));
  sk__task *const *tasks = reduced != NULL ? reduced->tasks : segment->tasks;
  size_t count = reduced != NULL ? reduced->count : segment->count;
  memset(out, 0, sizeof *out);
  sk_status status = sk__graph_from_tasks(soc, tasks, count, &out->graph);
  if (status != SK_OK) return status;
  sk__graph *graph = out->graph;
  if (trial->members.count > 0) keep_out(trial, tasks, count, reduced != NULL ? reduced->indices : NULL, graph);
  if (trial->change == SK__CHANGE_ONE_STREAM) {
    for (size_t i = 0; i < graph->node_count; i++) graph->nodes[i].stream = 0;
    graph->stream_count = 1;
    status = sk__graph_index(graph);
  }
  if (status == SK_OK) status = plan_by_mode(segment, trial, out);
  return status == SK_INVALID_ARGUMENT || status == SK_NOT_MODELLED ? SK_STATE : status; /* the planner says no */
}

const sk__plan *sk__planned_order(const sk__planned *planned) { return planned->ge != NULL ? sk__ge_plan_order(planned->ge) : planned->plan; }

void sk__planned_free(sk__planned *planned) {
  if (planned->ge != NULL) sk__ge_plan_free(planned->ge);
  if (planned->plan != NULL) sk__plan_free(planned->plan);
  if (planned->graph != NULL) sk__graph_free(planned->graph);
  sk__arena_free(&planned->arena);
  memset(planned, 0, sizeof *planned);
}

sk_status sk__trial_run(const sk__segment *segment, const sk__trial *trial, sk__reduced *reduced, sk__trial_result *out,
                        uint32_t *runs) {
  sk__machine *machine = sk__runtime_machine(segment->runtime);
  sk__image *reference = segment->reference;
  bool fewer = leaves_out(trial);
  memset(out, 0, sizeof *out);
  if (fewer && !is_reduced_for(segment, trial, reduced)) {
    sk_status status = run_reduced(segment, trial, reduced, runs);
    if (status != SK_OK) return status;
  }
  if (fewer && reduced->status != SK_OK) return SK_STATE;
  if (fewer) reference = &reduced->image;
  sk__planned planned;
  sk_status status = sk__trial_plan(segment, trial, fewer ? reduced : NULL, &planned);
  if (status != SK_OK) {
    sk__planned_free(&planned);
    return status;
  }
  sk__mode_result mode = {.mode = trial->mode, .outcome = SK__NOTHING_FUSED};
  status = sk__gm_begin(machine);
  if (status == SK_OK) {
    ++*runs;
    sk__run_prepare(segment->runtime, segment->plain, trial->mode.schedule);
    status = planned.ge != NULL ? sk__run_ge_plan(segment->runtime, planned.graph, planned.ge, &mode)
                                : sk__run_plan(segment->runtime, planned.plan, &mode, NULL);
    sk__order_sums sums = {.count = 0}; /* differences by order are no failure here either */
    sk_status judged = sk__image_judge(machine, segment->buffers, reference, status == SK_OK && mode.outcome != SK__FAILED, &sums, &mode);
    if (status == SK_OK) status = judged;
  }
  sk_status taken = take_signs(segment, reduced->signs.items, fewer ? reduced->signs.count : 0, &out->signs.items, &out->signs.count);
  out->status = mode.status;
  out->outcome = mode.outcome;
  sk__planned_free(&planned);
  return status != SK_OK ? status : taken;
}
