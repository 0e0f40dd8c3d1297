/* acl_compile.c - sk_ge_compile: a captured model's launches are planned by the rules of graph mode, and its scopes
 * replaced by SuperKernels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "base/log.h"
#include "fuse/ge/plan.h"
#include "fuse/replace.h"
#include "superkernel/ge.h"

/* What all SKs of one model share; lives as long as any task with one of them. */
typedef struct shared {
  uint32_t references;
  sk__graph *graph;          /* borrows the captured tasks, which `tasks` keeps alive */
  sk__ge_plan *plan;
  sk__task **tasks;
  size_t task_count;
} shared;

typedef struct compiled_sk {
  sk__superkernel base;
  shared *of;
  uint32_t number;           /* in the plan */
  sk__event **waits;         /* events of the waits inside that mean a record outside */
  size_t wait_count;
} compiled_sk;

static void shared_unref(shared *all) {
  if (all == NULL || --all->references > 0) return;
  sk__ge_plan_free(all->plan);
  sk__graph_free(all->graph);
  sk__tasks_free(all->tasks, all->task_count);
  free(all);
}

static void compiled_free(sk__superkernel *base) {
  compiled_sk *mine = (compiled_sk *)base;
  shared_unref(mine->of);
  free((void *)(uintptr_t)base->parts);
  free((void *)(uintptr_t)base->listing);
  free(mine->waits);
  free(mine);
}

/* ---- running --------------------------------------------------------------------------------- */

/* What waits inside mean has been recorded: outside, or by this SK, which is a matter of its program. */
static void join_waits(const compiled_sk *mine, sk__snapshot *before) {
  for (size_t i = 0; i < mine->wait_count; i++) {
    sk__snapshot *order = sk__event_order(mine->waits[i]);
    if (order != NULL) sk__snapshot_join(before, order);
  }
}

static sk_status compiled_run(sk__superkernel *base, sk__runtime *runtime, sk__stream *stream, sk__run_stats *stats) {
  compiled_sk *mine = (compiled_sk *)base;
  sk__machine *machine = sk__runtime_machine(runtime);
  size_t count = 0;
  const sk__ge_program *program = &sk__ge_plan_programs(mine->of->plan, &count)[mine->number];
  sk__snapshot *before = sk__snapshot_new(sk__machine_checker(machine), sk__stream_order(stream));
  if (before == NULL) return SK_OUT_OF_MEMORY;
  join_waits(mine, before);
  sk__snapshot *after = sk__snapshot_new(sk__machine_checker(machine), before);
  sk__launch_result result = {0};
  sk_status status = after != NULL ? sk__ge_launch(runtime, program, NULL, before, after, &result) : SK_OUT_OF_MEMORY;
  sk__snapshot_unref(before);
  if (after == NULL) return status;
  *stats = result.stats;
  sk__stream_add_cycles(stream, result.stats.cycles + sk__machine_soc(machine)->costs.launch_cycles);
  for (size_t i = 0; i < base->part_count; i++)
    if (base->parts[i]->kind == SK__TASK_EVENT_RECORD) sk__event_record(base->parts[i]->event, stream, after);
  sk__stream_set_order(stream, after);
  return status;
}

/* ---- making ---------------------------------------------------------------------------------- */

static char *listing_of(const sk__ge_program *program) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *stream = open_memstream(&text, &bytes);
  if (stream == NULL) return NULL;
  sk__ge_print(program, stream);
  fclose(stream);
  return text;
}

static bool waits_outside(const shared *all, uint32_t node, uint32_t number) {
  const sk__plan *order = sk__ge_plan_order(all->plan);
  uint32_t record = all->plan->record[node];
  return all->graph->nodes[node].type == SK__NODE_WAIT && sk__is_part(order, node, number) &&
         (record == UINT32_MAX || !sk__is_part(order, record, number));
}
static sk__event **outside_waits(const shared *all, uint32_t number, size_t *count) {
  for (uint32_t i = 0; i < all->graph->node_count; i++) *count += waits_outside(all, i, number);
  sk__event **waits = calloc(*count + 1, sizeof(sk__event *)), **at = waits;
  for (uint32_t i = 0; i < all->graph->node_count && waits != NULL; i++)
    if (waits_outside(all, i, number)) *at++ = all->graph->nodes[i].task->event;
  return waits;
}

static sk__superkernel *compiled_new(void *context, uint32_t number) {
  shared *all = context;
  size_t count = 0, part_count = 0, wait_count = 0;
  const sk__ge_program *program = &sk__ge_plan_programs(all->plan, &count)[number];
  const sk__sk *sk = &sk__ge_plan_order(all->plan)->sks[number];
  compiled_sk *mine = calloc(1, sizeof *mine);
  sk__task **parts = sk__parts_of(sk__ge_plan_order(all->plan), number, &part_count);
  sk__event **waits = outside_waits(all, number, &wait_count);
  char *listing = listing_of(program);
  if (mine == NULL || parts == NULL || waits == NULL || listing == NULL) {
    free(mine);
    free(parts);
    free(waits);
    free(listing);
    return NULL;
  }
  mine->base = (sk__superkernel){.references = 1, .parts = parts, .part_count = part_count, .listing = listing, .scope_id = number,
                                 .blocks = program->blocks, .type = program->type, .name = sk->name, .scopes = sk__ge_plan_scope(all->plan, number),
                                 .first = program->inputs[program->subs[0]].name, .last = program->inputs[program->subs[program->sub_count - 1]].name,
                                 .run = compiled_run, .free = compiled_free};
  mine->of = all;
  mine->number = number;
  mine->waits = waits;
  mine->wait_count = wait_count;
  all->references++;
  return &mine->base;
}

/* ---- circles --------------------------------------------------------------------------------- */

static sk_status run_circle(void *context, sk__runtime *runtime, const sk__part *part, sk__launch_result *results, size_t *launches) {
  return sk__ge_plan_run_part(runtime, ((const shared *)context)->plan, part, results, launches);
}
static void keep_shared(void *context) { ((shared *)context)->references++; }
static void drop_shared(void *context) { shared_unref(context); }
static const sk__maker maker = {compiled_new, run_circle, keep_shared, drop_shared};

/* ---- the call -------------------------------------------------------------------------------- */

static sk_status prepare(sk__runtime *runtime, sk__task *const *tasks, size_t count, shared *all, char *why) {
  all->tasks = calloc(count + 1, sizeof(sk__task *));
  if (all->tasks == NULL) return SK_OUT_OF_MEMORY;
  for (; all->task_count < count; all->task_count++) all->tasks[all->task_count] = sk__task_ref(tasks[all->task_count]);
  sk_status status = sk__graph_from_tasks(sk__machine_soc(sk__runtime_machine(runtime)), all->tasks, count, &all->graph);
  if (status == SK_OK) status = sk__ge_plan_make(all->graph, NULL, NULL, false, &all->plan, why, SK__REPLACE_WHY_BYTES);
  return status;
}

/* Nothing of the graph may be fused: a None scope around it says so to a verifier, which else takes work without
 * scopes for work that may. */
static sk_status mark_unfused(sk__runtime *runtime, sk__task ***tasks, size_t *count) {
  if (*count == 0) return SK_OK;
  sk__task **marked = realloc(*tasks, (*count + 2) * sizeof(sk__task *));
  if (marked == NULL) return SK_OUT_OF_MEMORY;
  *tasks = marked;
  sk__task *begin = sk__task_of_mark(runtime, SK__TASK_SCOPE_BEGIN, marked[0]->stream, NULL);
  sk__task *end = sk__task_of_mark(runtime, SK__TASK_SCOPE_END, marked[0]->stream, NULL);
  if (begin == NULL || end == NULL) {
    sk__task_unref(begin);
    sk__task_unref(end);
    return SK_OUT_OF_MEMORY;
  }
  memmove(marked + 1, marked, *count * sizeof(sk__task *));
  marked[0] = begin;
  marked[*count + 1] = end;
  *count += 2;
  return SK_OK;
}

static aclError failed(aclError code, const char *why) {
  char text[SK__REPLACE_WHY_BYTES + 64];
  snprintf(text, sizeof text, "sk_ge_compile: %s", why);
  return sk_report_error(code, text);
}

static aclError code_of(sk_status status, const char *why) {
  if (status == SK_OK) return ACL_SUCCESS;
  if (status == SK_OUT_OF_MEMORY) return failed(ACL_ERROR_BAD_ALLOC, "no host memory");
  return failed(ACL_ERROR_FAILURE, why[0] != '\0' ? why : sk_status_text(status));
}

static sk_status write_listing(const sk__ge_plan *plan, char **listing) {
  size_t bytes = 0;
  *listing = NULL;
  FILE *stream = open_memstream(listing, &bytes);
  if (stream == NULL) return SK_OUT_OF_MEMORY;
  sk__ge_plan_print(plan, stream);
  return fclose(stream) == 0 ? SK_OK : SK_OUT_OF_MEMORY;
}

int sk_ge_compile(void *model, char **listing) {
  sk__task *const *tasks = NULL;
  size_t count = 0, fused_count = 0;
  bool optimised = false;
  aclError error = sk__model_tasks(model, "sk_ge_compile", &tasks, &count, &optimised);
  if (error != ACL_SUCCESS) return error;
  if (optimised) return failed(ACL_ERROR_FAILURE, "the model was compiled before");
  sk__runtime *runtime = sk__runtime_get();
  char why[SK__REPLACE_WHY_BYTES] = "";
  shared *all = calloc(1, sizeof *all);
  if (all == NULL) return code_of(SK_OUT_OF_MEMORY, why);
  all->references = 1;
  sk__task **fused = NULL;
  sk_status status = prepare(runtime, tasks, count, all, why);
  if (status == SK_OK) status = sk__replace_tasks(runtime, sk__ge_plan_order(all->plan), &maker, all, &fused, &fused_count, why);
  bool made = status == SK_OK;
  if (made && sk__ge_plan_order(all->plan)->sk_count == 0) status = mark_unfused(runtime, &fused, &fused_count);
  if (status == SK_OK && listing != NULL) status = write_listing(all->plan, listing);
  if (made && status != SK_OK) sk__tasks_free(fused, fused_count);
  if (status == SK_OK) {
    for (size_t i = 0; i < sk__ge_plan_warning_count(all->plan); i++) sk__log(SK__LOG_WARNING, "%s", sk__ge_plan_warning(all->plan, i));
    sk__model_replace(model, fused, fused_count);
  }
  shared_unref(all);
  return code_of(status, why);
}
