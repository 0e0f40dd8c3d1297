/* replace.c - the tasks of a captured model with SuperKernels in place of what they fuse. */
#include "fuse/replace.h"

#include <stdio.h>
#include <stdlib.h>

#include "fuse/execute.h"
#include "fuse/order.h"

typedef struct builder {
  sk__runtime *runtime;
  const sk__plan *plan;
  const sk__maker *maker;
  void *context;
  SK__VEC(sk__task *) tasks;
  sk__stream **streams;      /* scratch: those of one SK, the main one first */
  size_t stream_count;
} builder;

/* Takes the reference; NULL = there was no memory for the task. */
static sk_status push(builder *b, sk__task *task) {
  if (task != NULL && sk__vec_push(&b->tasks, task)) return SK_OK;
  sk__task_unref(task);
  return SK_OUT_OF_MEMORY;
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

static sk_status push_tie(builder *b, sk__task *task) {
  if (task != NULL) task->tie = true;
  return push(b, task);
}

/* Each of `to` waits for all that `from` did so far. */
static sk_status tie(builder *b, sk__stream *from, sk__stream *const *to, size_t count) {
  sk__event *event = sk__event_new();
  if (event == NULL) return SK_OUT_OF_MEMORY;
  sk_status status = push_tie(b, sk__task_of_event(b->runtime, SK__TASK_EVENT_RECORD, from, event));
  for (size_t i = 0; i < count && status == SK_OK; i++)
    status = push_tie(b, sk__task_of_event(b->runtime, SK__TASK_EVENT_WAIT, to[i], event));
  sk__event_unref(event);
  return status;
}

/* Resets inside an SK; waits and records take effect there. */
static sk_status push_resets(builder *b, uint32_t number) {
  sk_status status = SK_OK;
  for (size_t i = 0; i < b->plan->graph->node_count && status == SK_OK; i++)
    if (b->plan->decisions[i].sk == number && b->plan->graph->nodes[i].type == SK__NODE_RESET)
      status = push(b, sk__task_ref(b->plan->graph->nodes[i].task));
  return status;
}

static sk_status place_sk(builder *b, uint32_t number) {
  collect_streams(b, number);
  sk_status status = SK_OK;
  for (size_t i = 1; i < b->stream_count && status == SK_OK; i++) status = tie(b, b->streams[i], b->streams, 1);
  sk__superkernel *made = status == SK_OK ? b->maker->superkernel(b->context, number) : NULL;
  if (made == NULL) return SK_OUT_OF_MEMORY;
  status = push(b, sk__task_of_superkernel(b->runtime, b->streams[0], made));
  if (status == SK_OK && b->stream_count > 1) status = tie(b, b->streams[0], b->streams + 1, b->stream_count - 1);
  return status == SK_OK ? push_resets(b, number) : status;
}

/* One task of a circle. */
static sk_status place_in_circle(builder *b, uint32_t node, sk__circle *circle) {
  const sk__decision *decision = &b->plan->decisions[node];
  const sk__task *own = b->plan->graph->nodes[node].task;
  sk__superkernel *made = decision->fate != SK__STAYS ? b->maker->superkernel(b->context, decision->sk) : NULL;
  if (decision->fate != SK__STAYS && made == NULL) return SK_OUT_OF_MEMORY;
  sk__task *task = made != NULL ? sk__task_of_superkernel(b->runtime, own->stream, made) : sk__task_again(b->runtime, own, own->stream);
  if (task != NULL) sk__task_set_circle(task, circle);
  return push(b, task);
}

static sk_status place_circle(builder *b, const uint32_t *nodes, uint32_t count) {
  sk__circle *circle = sk__circle_new(b->plan, nodes, count, b->maker, b->context);
  sk_status status = circle != NULL ? SK_OK : SK_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < count && status == SK_OK; i++) status = place_in_circle(b, nodes[i], circle);
  for (uint32_t i = 0; i < count && status == SK_OK; i++)
    if (b->plan->decisions[nodes[i]].sk != UINT32_MAX) status = push_resets(b, b->plan->decisions[nodes[i]].sk);
  if (circle != NULL && --circle->references == 0) circle->free(circle);
  return status;
}

/* When a node takes effect: an SK and a circle are one point. */
static uint32_t *places_of(const builder *b, const sk__sequence *sequence) {
  const sk__plan *plan = b->plan;
  uint32_t *place = calloc(plan->graph->node_count + 1, sizeof *place), *sk_place = calloc(plan->sk_count + 1, sizeof *sk_place);
  for (size_t i = 0, first = 0; i < sequence->count && place != NULL && sk_place != NULL; i++) {
    if (i == 0 || sequence->circles[i] == UINT32_MAX || sequence->circles[i] != sequence->circles[i - 1]) first = i;
    const sk__decision *decision = &plan->decisions[sequence->nodes[i]];
    if (decision->sk != UINT32_MAX) sk_place[decision->sk] = (uint32_t)first;
    else place[sequence->nodes[i]] = (uint32_t)first;
  }
  for (size_t i = 0; i < plan->graph->node_count && place != NULL && sk_place != NULL; i++)
    if (plan->decisions[i].sk != UINT32_MAX) place[i] = sk_place[plan->decisions[i].sk];
  if (sk_place == NULL) free(place);
  bool good = sk_place != NULL;
  free(sk_place);
  return good ? place : NULL;
}

/* Records by event, and of one event as issued. */
typedef struct recorded { const sk__event *event; uint32_t node; } recorded;
static int by_event(const void *a, const void *b) {
  const recorded *x = a, *y = b;
  if (x->event != y->event) return (uintptr_t)x->event < (uintptr_t)y->event ? -1 : 1;
  return x->node < y->node ? -1 : x->node > y->node;
}

/* The first record of the wait's event, behind its own, that takes effect before the wait does; UINT32_MAX none. */
static uint32_t lost_to(const recorded *records, size_t count, const uint32_t *place, uint32_t record, uint32_t wait, const sk__event *event) {
  size_t low = 0, high = count;
  recorded own = {event, record};
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (by_event(&records[middle], &own) <= 0) low = middle + 1;
    else high = middle;
  }
  for (; low < count && records[low].event == event; low++)
    if (place[records[low].node] >= place[record] && place[records[low].node] <= place[wait]) return records[low].node;
  return UINT32_MAX;
}

/* The runtime's events keep their latest record only: each wait must come before the next record of its event. Within an SK
 * or a circle waits take what their own record told. */
static sk_status check_events(const builder *b, const sk__sequence *sequence, char *why) {
  const sk__graph *graph = b->plan->graph;
  uint32_t *place = places_of(b, sequence);
  recorded *records = calloc(graph->node_count + 1, sizeof *records);
  size_t count = 0;
  sk_status status = place != NULL && records != NULL ? SK_OK : SK_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < graph->node_count && status == SK_OK; i++)
    if (graph->nodes[i].type == SK__NODE_NOTIFY) records[count++] = (recorded){graph->nodes[i].task->event, i};
  if (count > 0) qsort(records, count, sizeof *records, by_event);
  for (uint32_t i = 0; i < graph->node_count && status == SK_OK; i++) {
    uint32_t record = graph->nodes[i].type == SK__NODE_WAIT ? sk__record_of(graph, &graph->nodes[i]) : UINT32_MAX;
    if (record == UINT32_MAX || place[i] == place[record]) continue;
    uint32_t later = lost_to(records, count, place, record, i, graph->nodes[i].task->event);
    if (later == UINT32_MAX) continue;
    snprintf(why, SK__REPLACE_WHY_BYTES, "not modelled: once fused, an event would be recorded again (node %llu) before its wait (node %llu)",
             (unsigned long long)graph->nodes[later].id, (unsigned long long)graph->nodes[i].id);
    status = SK_NOT_MODELLED;
  }
  free(place);
  free(records);
  return status;
}

static sk_status build(builder *b, char *why) {
  sk__sequence sequence;
  sk_status status = sk__plan_order(b->plan, &sequence);
  if (status == SK_OK) status = check_events(b, &sequence, why);
  for (size_t i = 0, step; i < sequence.count && status == SK_OK; i += step) {
    const sk__decision *decision = &b->plan->decisions[sequence.nodes[i]];
    for (step = 1; sequence.circles[i] != UINT32_MAX && i + step < sequence.count && sequence.circles[i + step] == sequence.circles[i];) step++;
    if (step > 1) status = place_circle(b, sequence.nodes + i, (uint32_t)step);
    else status = decision->fate == SK__STAYS ? push(b, sk__task_ref(b->plan->graph->nodes[sequence.nodes[i]].task)) : place_sk(b, decision->sk);
  }
  sk__sequence_free(&sequence);
  return status;
}

sk_status sk__replace_tasks(sk__runtime *runtime, const sk__plan *plan, const sk__maker *maker, void *context, sk__task ***tasks, size_t *count,
                            char why[SK__REPLACE_WHY_BYTES]) {
  builder b = {.runtime = runtime, .plan = plan, .maker = maker, .context = context};
  b.streams = calloc(plan->graph->node_count + 1, sizeof(sk__stream *));
  sk_status status = b.streams != NULL ? build(&b, why) : SK_OUT_OF_MEMORY;
  free(b.streams);
  if (status != SK_OK) {
    sk__tasks_free(b.tasks.items, b.tasks.count);
    return status;
  }
  *tasks = b.tasks.items;
  *count = b.tasks.count;
  return SK_OK;
}

bool sk__is_part(const sk__plan *plan, uint32_t node, uint32_t number) {
  const sk__node *is = &plan->graph->nodes[node];
  return plan->decisions[node].sk == number && is->marker == SK__NO_MARKER && is->type != SK__NODE_RESET;
}

sk__task **sk__parts_of(const sk__plan *plan, uint32_t number, size_t *count) {
  const sk__graph *graph = plan->graph;
  *count = 0;
  for (uint32_t i = 0; i < graph->node_count; i++) *count += sk__is_part(plan, i, number);
  sk__task **parts = calloc(*count + 1, sizeof(sk__task *)), **at = parts;
  for (uint32_t i = 0; i < graph->node_count && parts != NULL; i++)
    if (sk__is_part(plan, i, number)) *at++ = graph->nodes[i].task;
  return parts;
}
