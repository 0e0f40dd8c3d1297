/* acl_optimize.c - aclskOptimize: a captured model's tasks are planned and replaced by the fused form.
 *
 * Each SK becomes one task on the stream of its main node; the other streams it takes in are tied to that
 * stream by events before and behind it. What is not fused stays the task it was, so a replay, a verifier or
 * a dump sees ordinary work. Scope marks go, whatever else happens. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "fuse/acl_options.h"
#include "fuse/execute.h"
#include "fuse/judge.h"
#include "fuse/order.h"

enum { WHY_BYTES = 512 };

/* What all SKs of one model share; lives as long as any task with one of them. */
typedef struct shared {
  uint32_t references;
  sk__graph *graph;          /* borrows the captured tasks, which `tasks` keeps alive */
  sk__plan *plan;
  sk__task **tasks;
  size_t task_count;
  sk__snapshot **records;    /* per node, of the SK that runs; all NULL between runs */
  sk__arena arena;           /* names in the options */
} shared;

typedef struct fused_sk {
  sk__superkernel base;
  shared *of;
  uint32_t number;           /* in the plan */
} fused_sk;

static void shared_unref(shared *all) {
  if (all == NULL || --all->references > 0) return;
  sk__plan_free(all->plan);
  sk__graph_free(all->graph);
  for (size_t i = 0; i < all->task_count; i++) sk__task_unref(all->tasks[i]);
  free(all->tasks);
  free(all->records);
  sk__arena_free(&all->arena);
  free(all);
}

static void fused_free(sk__superkernel *base) {
  fused_sk *mine = (fused_sk *)base;
  shared_unref(mine->of);
  free((void *)(uintptr_t)base->scopes);
  free(mine);
}

/* ---- running --------------------------------------------------------------------------------- */

static bool belongs(const fused_sk *mine, size_t node) { return mine->of->plan->decisions[node].sk == mine->number; }

/* Records outside that waits inside mean have run: their events hold what they ordered. */
static void fetch_records(const fused_sk *mine) {
  const sk__graph *graph = mine->of->graph;
  for (size_t i = 0; i < graph->node_count; i++) {
    if (!belongs(mine, i) || graph->nodes[i].type != SK__NODE_WAIT) continue;
    uint32_t record = sk__record_of(graph, &graph->nodes[i]);
    if (record == UINT32_MAX || belongs(mine, record) || mine->of->records[record] != NULL) continue;
    sk__snapshot *order = sk__event_order(graph->nodes[i].task->event);
    if (order != NULL) mine->of->records[record] = sk__snapshot_ref(order);
  }
}

/* Records inside take effect for the waits outside, with what the recording core knew then. */
static void publish_records(const fused_sk *mine, const sk__stream *stream, sk__snapshot *after) {
  const sk__graph *graph = mine->of->graph;
  for (size_t i = 0; i < graph->node_count; i++) {
    if (belongs(mine, i) && graph->nodes[i].type == SK__NODE_NOTIFY)
      sk__event_record(graph->nodes[i].task->event, stream, mine->of->records[i] != NULL ? mine->of->records[i] : after);
    if (mine->of->records[i] != NULL) sk__snapshot_unref(mine->of->records[i]);
    mine->of->records[i] = NULL;
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
  sk_status status = sk__sk_run(runtime, mine->of->plan, &mine->of->plan->sks[mine->number], mine->of->records, before, after, &result);
  *stats = result.stats;
  sk__stream_add_cycles(stream, result.stats.cycles + sk__machine_soc(machine)->costs.launch_cycles);
  publish_records(mine, stream, after);
  sk__stream_set_order(stream, after);
  return status;
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

static sk__superkernel *fused_new(shared *all, uint32_t number) {
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
  if (mine == NULL || scopes == NULL) {
    free(mine);
    free(scopes);
    return NULL;
  }
  mine->base = (sk__superkernel){.references = 1, .scope_id = sk->scope_id, .blocks = sk->blocks, .type = sk->type, .name = sk->name,
                                 .scopes = scopes, .first = first, .last = last, .run = fused_run, .free = fused_free};
  mine->of = all;
  mine->number = number;
  all->references++;
  return &mine->base;
}

typedef struct builder {
  sk__runtime *runtime;
  shared *all;
  sk__task **tasks;
  size_t count, capacity;
  sk__stream **streams;      /* scratch: those of one SK, the main one first */
  size_t stream_count;
} builder;

/* Takes the reference; NULL = there was no memory for the task. */
static sk_status push(builder *b, sk__task *task) {
  if (task != NULL && b->count == b->capacity) {
    size_t capacity = b->capacity * 2 + 16;
    sk__task **tasks = realloc(b->tasks, capacity * sizeof(sk__task *));
    if (tasks != NULL) {
      b->tasks = tasks;
      b->capacity = capacity;
    }
  }
  if (task == NULL || b->count == b->capacity) {
    sk__task_unref(task);
    return SK_OUT_OF_MEMORY;
  }
  b->tasks[b->count++] = task;
  return SK_OK;
}

static void collect_streams(builder *b, uint32_t number) {
  const sk__graph *graph = b->all->graph;
  b->streams[0] = graph->nodes[b->all->plan->sks[number].main.value].task->stream;
  b->stream_count = 1;
  for (size_t i = 0; i < graph->node_count; i++) {
    if (b->all->plan->decisions[i].sk != number) continue;
    bool known = false;
    for (size_t s = 0; s < b->stream_count && !known; s++) known = b->streams[s] == graph->nodes[i].task->stream;
    if (!known) b->streams[b->stream_count++] = graph->nodes[i].task->stream;
  }
}

/* Each of `to` waits for all that `from` did so far. */
static sk_status tie(builder *b, sk__stream *from, sk__stream *const *to, size_t count) {
  sk__event *event = sk__event_new();
  if (event == NULL) return SK_OUT_OF_MEMORY;
  sk_status status = push(b, sk__task_of_event(b->runtime, SK__TASK_EVENT_RECORD, from, event));
  for (size_t i = 0; i < count && status == SK_OK; i++)
    status = push(b, sk__task_of_event(b->runtime, SK__TASK_EVENT_WAIT, to[i], event));
  sk__event_unref(event);
  return status;
}

static sk_status place_sk(builder *b, uint32_t number) {
  collect_streams(b, number);
  sk_status status = SK_OK;
  for (size_t i = 1; i < b->stream_count && status == SK_OK; i++) status = tie(b, b->streams[i], b->streams, 1);
  sk__superkernel *made = status == SK_OK ? fused_new(b->all, number) : NULL;
  if (made == NULL) return SK_OUT_OF_MEMORY;
  status = push(b, sk__task_of_superkernel(b->runtime, b->streams[0], made));
  if (status == SK_OK && b->stream_count > 1) status = tie(b, b->streams[0], b->streams + 1, b->stream_count - 1);
  for (size_t i = 0; i < b->all->graph->node_count && status == SK_OK; i++) /* resets inside; waits took effect there */
    if (b->all->plan->decisions[i].sk == number && b->all->graph->nodes[i].type == SK__NODE_RESET)
      status = push(b, sk__task_ref(b->all->graph->nodes[i].task));
  return status;
}

/* The runtime's events keep their latest record only: each wait must come before the next record of its event. */
static sk_status check_events(const builder *b, const uint32_t *order, size_t count, char *why) {
  const sk__graph *graph = b->all->graph;
  uint32_t *place = malloc((graph->node_count + 1) * sizeof *place); /* when a node takes effect */
  if (place == NULL) return SK_OUT_OF_MEMORY;
  uint32_t *sk_place = malloc((b->all->plan->sk_count + 1) * sizeof *sk_place);
  for (size_t i = 0; i < count && sk_place != NULL; i++) {
    const sk__decision *decision = &b->all->plan->decisions[order[i]];
    if (decision->sk != UINT32_MAX) sk_place[decision->sk] = (uint32_t)i;
    else place[order[i]] = (uint32_t)i;
  }
  for (size_t i = 0; i < graph->node_count && sk_place != NULL; i++)
    if (b->all->plan->decisions[i].sk != UINT32_MAX) place[i] = sk_place[b->all->plan->decisions[i].sk];
  sk_status status = sk_place != NULL ? SK_OK : SK_OUT_OF_MEMORY;
  for (size_t i = 0; i < graph->node_count && status == SK_OK; i++) {
    if (graph->nodes[i].type != SK__NODE_WAIT) continue;
    uint32_t record = sk__record_of(graph, &graph->nodes[i]);
    if (record == UINT32_MAX || b->all->plan->decisions[i].sk == b->all->plan->decisions[record].sk) continue;
    for (size_t j = record + 1; j < graph->node_count && status == SK_OK; j++) {
      if (graph->nodes[j].type != SK__NODE_NOTIFY || graph->nodes[j].task->event != graph->nodes[i].task->event || place[j] > place[i] ||
          place[j] < place[record])
        continue;
      snprintf(why, WHY_BYTES, "not modelled: once fused, an event would be recorded again (node %llu) before its wait (node %llu)",
               (unsigned long long)graph->nodes[j].id, (unsigned long long)graph->nodes[i].id);
      status = SK_NOT_MODELLED;
    }
  }
  free(place);
  free(sk_place);
  return status;
}

static sk_status build(builder *b, char *why) {
  uint32_t *order = NULL;
  size_t count = 0;
  sk_status status = sk__plan_order(b->all->plan, &order, &count);
  if (status == SK_NOT_MODELLED) {
    sk__report_circle(b->runtime, b->all->plan, order, count);
    snprintf(why, WHY_BYTES, "not modelled: a SuperKernel and work outside it would wait for each other; end the scope at the wait");
  }
  if (status == SK_OK) status = check_events(b, order, count, why);
  for (size_t i = 0; i < count && status == SK_OK; i++) {
    const sk__decision *decision = &b->all->plan->decisions[order[i]];
    status = decision->fate == SK__STAYS ? push(b, sk__task_ref(b->all->graph->nodes[order[i]].task)) : place_sk(b, decision->sk);
  }
  sk__free(order);
  return status;
}

/* ---- the call -------------------------------------------------------------------------------- */

static void log_warning(void *context, const char *text) {
  (void)context;
  sk__log(SK__LOG_WARNING, "aclskOptimize: %s", text);
}

/* Graph and plan of a model, in what its SKs will share. */
static sk_status prepare(sk__runtime *runtime, sk__task *const *tasks, size_t count, const aclskOptions *options, shared *all, char *why) {
  all->tasks = calloc(count + 1, sizeof(sk__task *));
  if (all->tasks == NULL) return SK_OUT_OF_MEMORY;
  for (; all->task_count < count; all->task_count++) all->tasks[all->task_count] = sk__task_ref(tasks[all->task_count]);
  sk__fuse_options read;
  sk_status status = sk__acl_options_read(options, &all->arena, &read, log_warning, NULL);
  if (status == SK_OK) status = sk__graph_from_tasks(sk__machine_soc(sk__runtime_machine(runtime)), all->tasks, count, &all->graph);
  if (status == SK_OK) status = sk__plan_make(all->graph, &read, &all->plan, why, WHY_BYTES);
  if (status != SK_OK) return status;
  all->records = calloc(all->graph->node_count + 1, sizeof(sk__snapshot *));
  return all->records != NULL ? SK_OK : SK_OUT_OF_MEMORY;
}

static aclError failed(aclError code, const char *why) {
  char text[WHY_BYTES + 64];
  snprintf(text, sizeof text, "aclskOptimize: %s", why);
  return sk_report_error(code, text);
}

static aclError code_of(sk_status status, const char *why) {
  if (status == SK_OUT_OF_MEMORY) return failed(ACL_ERROR_BAD_ALLOC, "no host memory");
  char text[WHY_BYTES];
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
  char why[WHY_BYTES] = "";
  builder b = {.runtime = runtime, .all = calloc(1, sizeof(shared)), .streams = calloc(count + 1, sizeof(sk__stream *))};
  sk_status status = b.all != NULL && b.streams != NULL ? SK_OK : SK_OUT_OF_MEMORY;
  if (b.all != NULL) b.all->references = 1;
  if (status == SK_OK) status = prepare(runtime, tasks, count, options, b.all, why);
  if (status == SK_OK) status = build(&b, why);
  if (status == SK_OK) {
    sk__judge_plan(sk__machine_checker(sk__runtime_machine(runtime)), b.all->plan);
    sk__model_replace(model, b.tasks, b.count);
  } else {
    for (size_t i = 0; i < b.count; i++) sk__task_unref(b.tasks[i]);
    free(b.tasks);
  }
  free(b.streams);
  shared_unref(b.all);
  return status == SK_OK ? ACL_SUCCESS : code_of(status, why);
}
