/* acl_optimize.c - aclskOptimize: a captured model's tasks are planned and replaced by the fused form. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "fuse/acl_options.h"
#include "fuse/execute.h"
#include "fuse/judge.h"
#include "fuse/meta.h"
#include "fuse/planner.h"
#include "fuse/replace.h"

/* What all SKs of one model share; lives as long as any task with one of them. */
typedef struct shared {
  uint32_t references;
  sk__graph *graph;          /* borrows the captured tasks, which `tasks` keeps alive */
  sk__plan *plan;
  sk__task **tasks;
  size_t task_count;
  sk__told *told;            /* per node, of the SK that runs; all zero between runs */
  sk__arena arena;           /* names in the options */
} shared;

typedef struct fused_sk {
  sk__superkernel base;
  shared *of;
  uint32_t number;           /* in the plan */
  uint32_t *events;          /* its waits and records: nodes */
  size_t event_count;
} fused_sk;

static void shared_unref(shared *all) {
  if (all == NULL || --all->references > 0) return;
  sk__plan_free(all->plan);
  sk__graph_free(all->graph);
  sk__tasks_free(all->tasks, all->task_count);
  free(all->told);
  sk__arena_free(&all->arena);
  free(all);
}

static void fused_free(sk__superkernel *base) {
  fused_sk *mine = (fused_sk *)base;
  shared_unref(mine->of);
  free((void *)(uintptr_t)base->scopes);
  free((void *)(uintptr_t)base->parts);
  free(mine->events);
  free(mine);
}

/* ---- running --------------------------------------------------------------------------------- */

/* The record outside that an event node of the SK waits for, UINT32_MAX: it is no such wait. */
static uint32_t outside_record(const fused_sk *mine, uint32_t node) {
  const sk__graph *graph = mine->of->graph;
  uint32_t record = graph->nodes[node].type == SK__NODE_WAIT ? sk__record_of(graph, &graph->nodes[node]) : UINT32_MAX;
  return record != UINT32_MAX && mine->of->plan->decisions[record].sk != mine->number ? record : UINT32_MAX;
}

/* Records outside that waits inside mean have run: their events hold what they ordered. */
static void fetch_records(const fused_sk *mine) {
  for (size_t i = 0; i < mine->event_count; i++) {
    uint32_t record = outside_record(mine, mine->events[i]);
    if (record == UINT32_MAX || mine->of->told[record].done) continue;
    sk__snapshot *order = sk__event_order(mine->of->graph->nodes[mine->events[i]].task->event);
    mine->of->told[record] = (sk__told){.done = true, .order = order != NULL ? sk__snapshot_ref(order) : NULL};
  }
}

static void forget(sk__told *told) {
  if (told->order != NULL) sk__snapshot_unref(told->order);
  *told = (sk__told){0};
}

/* Records inside take effect for the waits outside, with what the recording core knew then. */
static void publish_records(const fused_sk *mine, const sk__stream *stream, sk__snapshot *after) {
  for (size_t i = 0; i < mine->event_count; i++) {
    uint32_t node = mine->events[i], record = outside_record(mine, node);
    sk__told *told = &mine->of->told[node];
    if (mine->of->graph->nodes[node].type == SK__NODE_NOTIFY)
      sk__event_record(mine->of->graph->nodes[node].task->event, stream, told->order != NULL ? told->order : after);
    forget(told);
    if (record != UINT32_MAX) forget(&mine->of->told[record]);
  }
}

static sk_status fused_run(sk__superkernel *base, sk__runtime *runtime, sk__stream *stream, sk__run_stats *stats) {
  fused_sk *mine = (fused_sk *)base;
  sk__machine *machine = sk__runtime_machine(runtime);
  sk__snapshot *before = sk__stream_order(stream);
  sk__snapshot *after = sk__snapshot_new(sk__machine_checker(machine), before);
  if (after == NULL) return SK_OUT_OF_MEMORY;
  sk__launch_result result;
  fetch_records(mine);
  sk_status status = sk__sk_run(runtime, mine->of->plan, &mine->of->plan->sks[mine->number], mine->of->told, before, after, &result);
  *stats = result.stats;
  sk__stream_add_cycles(stream, result.stats.cycles + sk__machine_soc(machine)->costs.launch_cycles);
  publish_records(mine, stream, after);
  sk__stream_set_order(stream, after);
  return status;
}

const sk__fuse_options *sk__made_with(const sk__superkernel *superkernel) {
  return superkernel->run == fused_run ? &((const fused_sk *)superkernel)->of->plan->options : NULL;
}

/* ---- making ---------------------------------------------------------------------------------- */

/* "sk_<id>_<scopes>_start_...": the scopes' names out of an SK's name; NULL on no memory. */
static char *scopes_of(const sk__sk *sk, const char *first) {
  char head[32], tail[32];
  snprintf(head, sizeof head, "sk_%u_", sk->scope_id);
  snprintf(tail, sizeof tail, "_start_");
  const char *begin = sk->name + strlen(head);
  const char *end = begin;
  for (const char *at = begin; (at = strstr(at, tail)) != NULL; at++)
    if (strncmp(at + strlen(tail), first, strlen(first)) == 0) {
      end = at;
      break;
    }
  return strndup(begin, (size_t)(end - begin));
}

static bool is_event_of(const shared *all, uint32_t node, uint32_t number) {
  sk__node_type type = all->graph->nodes[node].type;
  return all->plan->decisions[node].sk == number && (type == SK__NODE_WAIT || type == SK__NODE_NOTIFY);
}
static uint32_t *events_of(const shared *all, uint32_t number, size_t *count) {
  for (uint32_t i = 0; i < all->graph->node_count; i++) *count += is_event_of(all, i, number);
  uint32_t *events = calloc(*count + 1, sizeof *events), *at = events;
  for (uint32_t i = 0; i < all->graph->node_count && events != NULL; i++)
    if (is_event_of(all, i, number)) *at++ = i;
  return events;
}

static sk__superkernel *fused_new(void *context, uint32_t number) {
  shared *all = context;
  const sk__sk *sk = &all->plan->sks[number];
  const char *first = NULL, *last = NULL;
  for (size_t i = 0; i < sk->member_count; i++) {
    const sk__node *node = &all->graph->nodes[sk->members[i].value];
    if (node->type != SK__NODE_KERNEL || node->marker != SK__NO_MARKER) continue;
    if (first == NULL) first = node->kernel.name;
    last = node->kernel.name;
  }
  fused_sk *mine = calloc(1, sizeof *mine);
  char *scopes = scopes_of(sk, first != NULL ? first : "");
  size_t part_count = 0, event_count = 0;
  sk__task **parts = sk__parts_of(all->plan, number, &part_count);
  uint32_t *events = events_of(all, number, &event_count);
  if (mine == NULL || scopes == NULL || parts == NULL || events == NULL) {
    free(mine);
    free(scopes);
    free(parts);
    free(events);
    return NULL;
  }
  mine->base = (sk__superkernel){.references = 1, .parts = parts, .part_count = part_count, .scope_id = sk->scope_id, .blocks = sk->blocks, .type = sk->type, .name = sk->name,
                                 .scopes = scopes, .first = first, .last = last, .run = fused_run, .free = fused_free};
  mine->of = all;
  mine->number = number;
  mine->events = events;
  mine->event_count = event_count;
  all->references++;
  return &mine->base;
}

/* ---- circles --------------------------------------------------------------------------------- */

static sk_status run_circle(void *context, sk__runtime *runtime, const sk__part *part, sk__launch_result *results, size_t *launches) {
  return sk__plan_run_part(runtime, ((const shared *)context)->plan, part, results, launches);
}
static void keep_shared(void *context) { ((shared *)context)->references++; }
static void drop_shared(void *context) { shared_unref(context); }
static const sk__maker maker = {fused_new, run_circle, keep_shared, drop_shared};

/* ---- the call -------------------------------------------------------------------------------- */

static void log_warning(void *context, const char *text) {
  (void)context;
  sk__log(SK__LOG_WARNING, "aclskOptimize: %s", text);
}

/* Graph and plan of a model, in what its SKs will share. */
static sk_status prepare(sk__runtime *runtime, sk__task *const *tasks, size_t count, const aclskOptions *options, shared *all, FILE *split_log, char *why) {
  all->tasks = calloc(count + 1, sizeof(sk__task *));
  if (all->tasks == NULL) return SK_OUT_OF_MEMORY;
  for (; all->task_count < count; all->task_count++) all->tasks[all->task_count] = sk__task_ref(tasks[all->task_count]);
  sk__fuse_options read;
  sk_status status = sk__acl_options_read(options, &all->arena, &read, log_warning, NULL);
  if (status == SK_OK) status = sk__graph_from_tasks(sk__machine_soc(sk__runtime_machine(runtime)), all->tasks, count, &all->graph);
  if (status == SK_OK) status = sk__plan_make_logged(all->graph, &read, split_log, &all->plan, why, SK__REPLACE_WHY_BYTES);
  if (status != SK_OK) return status;
  all->told = calloc(all->graph->node_count + 1, sizeof(sk__told));
  return all->told != NULL ? SK_OK : SK_OUT_OF_MEMORY;
}

static aclError failed(aclError code, const char *why) {
  char text[SK__REPLACE_WHY_BYTES + 64];
  snprintf(text, sizeof text, "aclskOptimize: %s", why);
  return sk_report_error(code, text);
}

static aclError code_of(sk_status status, const char *why) {
  if (status == SK_OUT_OF_MEMORY) return failed(ACL_ERROR_BAD_ALLOC, "no host memory");
  char text[SK__REPLACE_WHY_BYTES];
  snprintf(text, sizeof text, "the model cannot be fused: %s", why[0] != '\0' ? why : sk_status_text(status));
  return failed(ACL_ERROR_FAILURE, text);
}

aclError aclskOptimize(aclmdlRI model, aclskOptions *options) {
  sk__task *const *tasks = NULL;
  size_t count = 0;
  bool optimised = false;
  aclError error = sk__model_tasks(model, "aclskOptimize", &tasks, &count, &optimised);
  if (error != ACL_SUCCESS) return error;
  if (optimised) return failed(ACL_ERROR_FAILURE, "the model was optimised before");
  sk__runtime *runtime = sk__runtime_get();
  char why[SK__REPLACE_WHY_BYTES] = "";
  shared *all = calloc(1, sizeof *all);
  if (all == NULL) return code_of(SK_OUT_OF_MEMORY, why);
  all->references = 1;
  sk__task **fused = NULL;
  size_t fused_count = 0;
  sk__meta *meta = sk__meta_open();
  sk_status status = prepare(runtime, tasks, count, options, all, sk__meta_split_log(meta), why);
  if (status == SK_OK) status = sk__replace_tasks(runtime, all->plan, &maker, all, &fused, &fused_count, why);
  sk__meta_close(meta, all->graph, status == SK_OK ? all->plan : NULL, why[0] != '\0' ? why : sk_status_text(status), fused, fused_count);
  if (status == SK_OK) {
    sk__judge_plan(sk__machine_checker(sk__runtime_machine(runtime)), all->plan);
    sk__model_replace(model, fused, fused_count);
  }
  shared_unref(all);
  return status == SK_OK ? ACL_SUCCESS : code_of(status, why);
}
