/* replace.c - the tasks of a captured model with SuperKernels in place of what they fuse. */
#include "fuse/replace.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "fuse/execute.h"
#include "fuse/judge.h"
#include "fuse/order.h"

typedef struct builder {
  sk__runtime *runtime;
  const sk__plan *plan;
  sk__make_sk_fn make;
  void *context;
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
  const sk__graph *graph = b->plan->graph;
  b->streams[0] = graph->nodes[b->plan->sks[number].main.value].task->stream;
  b->stream_count = 1;
  for (size_t i = 0; i < graph->node_count; i++) {
    if (b->plan->decisions[i].sk != number) continue;
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
  sk__superkernel *made = status == SK_OK ? b->make(b->context, number) : NULL;
  if (made == NULL) return SK_OUT_OF_MEMORY;
  status = push(b, sk__task_of_superkernel(b->runtime, b->streams[0], made));
  if (status == SK_OK && b->stream_count > 1) status = tie(b, b->streams[0], b->streams + 1, b->stream_count - 1);
  for (size_t i = 0; i < b->plan->graph->node_count && status == SK_OK; i++) /* resets inside; waits took effect there */
    if (b->plan->decisions[i].sk == number && b->plan->graph->nodes[i].type == SK__NODE_RESET)
      status = push(b, sk__task_ref(b->plan->graph->nodes[i].task));
  return status;
}

/* The runtime's events keep their latest record only: each wait must come before the next record of its event. */
static sk_status check_events(const builder *b, const uint32_t *order, size_t count, char *why) {
  const sk__graph *graph = b->plan->graph;
  uint32_t *place = malloc((graph->node_count + 1) * sizeof *place); /* when a node takes effect */
  if (place == NULL) return SK_OUT_OF_MEMORY;
  uint32_t *sk_place = malloc((b->plan->sk_count + 1) * sizeof *sk_place);
  for (size_t i = 0; i < count && sk_place != NULL; i++) {
    const sk__decision *decision = &b->plan->decisions[order[i]];
    if (decision->sk != UINT32_MAX) sk_place[decision->sk] = (uint32_t)i;
    else place[order[i]] = (uint32_t)i;
  }
  for (size_t i = 0; i < graph->node_count && sk_place != NULL; i++)
    if (b->plan->decisions[i].sk != UINT32_MAX) place[i] = sk_place[b->plan->decisions[i].sk];
  sk_status status = sk_place != NULL ? SK_OK : SK_OUT_OF_MEMORY;
  for (size_t i = 0; i < graph->node_count && status == SK_OK; i++) {
    if (graph->nodes[i].type != SK__NODE_WAIT) continue;
    uint32_t record = sk__record_of(graph, &graph->nodes[i]);
    if (record == UINT32_MAX || b->plan->decisions[i].sk == b->plan->decisions[record].sk) continue;
    for (size_t j = record + 1; j < graph->node_count && status == SK_OK; j++) {
      if (graph->nodes[j].type != SK__NODE_NOTIFY || graph->nodes[j].task->event != graph->nodes[i].task->event || place[j] > place[i] ||
          place[j] < place[record])
        continue;
      snprintf(why, SK__REPLACE_WHY_BYTES, "not modelled: once fused, an event would be recorded again (node %llu) before its wait (node %llu)",
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
  sk_status status = sk__plan_order(b->plan, &order, &count);
  if (status == SK_NOT_MODELLED) {
    sk__report_circle(sk__machine_checker(sk__runtime_machine(b->runtime)), b->plan, order, count);
    snprintf(why, SK__REPLACE_WHY_BYTES, "not modelled: a SuperKernel and work outside it would wait for each other; end the scope at the wait");
  }
  if (status == SK_OK) status = check_events(b, order, count, why);
  for (size_t i = 0; i < count && status == SK_OK; i++) {
    const sk__decision *decision = &b->plan->decisions[order[i]];
    status = decision->fate == SK__STAYS ? push(b, sk__task_ref(b->plan->graph->nodes[order[i]].task)) : place_sk(b, decision->sk);
  }
  sk__free(order);
  return status;
}

sk_status sk__replace_tasks(sk__runtime *runtime, const sk__plan *plan, sk__make_sk_fn make, void *context, sk__task ***tasks, size_t *count,
                            char why[SK__REPLACE_WHY_BYTES]) {
  builder b = {.runtime = runtime, .plan = plan, .make = make, .context = context};
  b.streams = calloc(plan->graph->node_count + 1, sizeof(sk__stream *));
  sk_status status = b.streams != NULL ? build(&b, why) : SK_OUT_OF_MEMORY;
  free(b.streams);
  if (status != SK_OK) {
    sk__tasks_free(b.tasks, b.count);
    return status;
  }
  *tasks = b.tasks;
  *count = b.count;
  return SK_OK;
}

sk__task **sk__parts_of(const sk__plan *plan, uint32_t number, size_t *count) {
  const sk__graph *graph = plan->graph;
  sk__task **parts = calloc(graph->node_count + 1, sizeof(sk__task *));
  *count = 0;
  for (size_t i = 0; i < graph->node_count && parts != NULL; i++) {
    const sk__node *node = &graph->nodes[i]; /* resets are tasks of their own behind the SK */
    if (plan->decisions[i].sk == number && node->marker == SK__NO_MARKER && node->type != SK__NODE_RESET) parts[(*count)++] = node->task;
  }
  return parts;
}
