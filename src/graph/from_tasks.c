/* from_tasks.c - the graph of what a program launched. */
#include <string.h>

#include "base/memory.h"
#include "graph/internal.h"

enum { MARKER_NODES = 3 };

static bool is_marker(const sk__task *task) { return task->kind == SK__TASK_SCOPE_BEGIN || task->kind == SK__TASK_SCOPE_END; }

/* ---- streams: dense numbers in order of first appearance ------------------------------------- */

typedef struct stream_map {
  sk__stream **items;
  uint32_t count;
} stream_map;

static uint32_t stream_number(stream_map *map, sk__stream *stream) {
  for (uint32_t i = map->count; i-- > 0;)
    if (map->items[i] == stream) return i;
  map->items[map->count] = stream;
  return map->count++;
}

/* ---- events: the latest record of each ------------------------------------------------------- */

/* Open addressing by the event's address; sized for all tasks, so it never fills. */
typedef struct event_slot {
  const sk__event *event;
  uint32_t record; /* node of the latest record, UINT32_MAX none yet */
} event_slot;
typedef struct event_map {
  event_slot *slots;
  size_t mask;
} event_map;

static event_slot *event_find(event_map *map, const sk__event *event) {
  size_t at = (size_t)(((uintptr_t)event >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 20) & map->mask;
  while (map->slots[at].event != NULL && map->slots[at].event != event) at = (at + 1) & map->mask;
  if (map->slots[at].event == NULL) map->slots[at] = (event_slot){event, UINT32_MAX};
  return &map->slots[at];
}

static void place_event(sk__graph *graph, event_map *map, uint32_t index, const sk__task *task) {
  sk__node *node = &graph->nodes[index];
  event_slot *slot = event_find(map, task->event);
  switch (task->kind) {
    case SK__TASK_EVENT_RECORD:
      node->type = SK__NODE_NOTIFY;
      node->event_flag = SK__EVENT_EXTERNAL; /* until a wait in this segment means it */
      slot->record = index;
      break;
    case SK__TASK_EVENT_WAIT: node->type = SK__NODE_WAIT; break;
    default: node->type = SK__NODE_RESET; break;
  }
  if (slot->record == UINT32_MAX) {
    node->event_id = UINT64_C(1) << 32 | index; /* nothing in this graph has this event */
    node->event_flag = SK__EVENT_EXTERNAL;
    return;
  }
  node->event_id = graph->nodes[slot->record].id;
  if (task->kind == SK__TASK_EVENT_WAIT) graph->nodes[slot->record].event_flag = 0;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static void place_kernel(sk__node *node, const sk__task *task) {
  const sk_kernel *kernel = task->kernel;
  const sk_binding *binding = sk__runtime_binding_of(kernel);
  bool conflict = binding != NULL && sk__runtime_binding_conflict(binding) != NULL;
  node->type = SK__NODE_KERNEL;
  node->kernel = (sk__kernel_info){
      .name = kernel->name,
      .type = (sk_kernel_type)kernel->type,
      .blocks = task->blocks,
      .schedmode = kernel->schedmode <= 1 ? kernel->schedmode : SK__SCHEDMODE_NONE,
      .bound = !conflict, /* without a binding the verifier binds the kernel itself: any launch can be called as a function here */
      .unbound_reason = conflict ? "BINDMAP_ENTRY_CONFLICT" : NULL,
      .cap = binding != NULL ? binding->capabilities : 0,
      .binding_copies = binding != NULL ? binding->count : 1,
      .has_half = {kernel->aic != NULL, kernel->aiv != NULL},
  };
}

static const sk__marker marks[2][MARKER_NODES] = {
    {SK__MARK_BEGIN, SK__MARK_PLACEHOLDER, SK__MARK_PLACEHOLDER},
    {SK__MARK_PLACEHOLDER, SK__MARK_PLACEHOLDER, SK__MARK_END},
};

static sk_status place_task(sk__graph *graph, stream_map *streams, event_map *events, sk__task *task, size_t *at) {
  uint32_t stream = stream_number(streams, task->stream);
  const char *scope = NULL;
  if (is_marker(task) && task->scope != NULL && (scope = sk__arena_strdup(graph->arena, task->scope)) == NULL)
    return SK_OUT_OF_MEMORY;
  for (size_t part = 0; part < (is_marker(task) ? MARKER_NODES : 1); part++) {
    sk__node *node = &graph->nodes[*at];
    *node = (sk__node){.id = *at + 1, .stream = stream, .type = SK__NODE_DEFAULT, .task = task};
    if (is_marker(task)) {
      node->type = SK__NODE_KERNEL;
      node->marker = marks[task->kind == SK__TASK_SCOPE_END][part];
      node->scope = scope;
    } else if (task->kind == SK__TASK_KERNEL) {
      place_kernel(node, task);
    } else if (task->kind == SK__TASK_VALUE_WRITE || task->kind == SK__TASK_VALUE_WAIT) {
      node->type = task->kind == SK__TASK_VALUE_WRITE ? SK__NODE_MEMORY_WRITE : SK__NODE_MEMORY_WAIT;
      node->address = task->to;
      node->value = task->number;
      node->condition = task->condition;
    } else if (task->event != NULL) {
      place_event(graph, events, (uint32_t)*at, task);
    }
    ++*at;
  }
  return SK_OK;
}

static sk_status place_all(sk__graph *graph, sk__task *const *tasks, size_t count) {
  stream_map streams = {sk__calloc(count + 1, sizeof(sk__stream *)), 0};
  event_map events = {NULL, 15};
  while (events.mask < 2 * count) events.mask = events.mask * 2 + 1;
  events.slots = sk__calloc(events.mask + 1, sizeof(event_slot));
  sk_status status = streams.items != NULL && events.slots != NULL ? SK_OK : SK_OUT_OF_MEMORY;
  size_t at = 0;
  for (size_t i = 0; i < count && status == SK_OK; i++) status = place_task(graph, &streams, &events, tasks[i], &at);
  graph->stream_count = streams.count;
  sk__free(streams.items);
  sk__free(events.slots);
  return status;
}

sk_status sk__graph_from_tasks(const sk__soc *soc, sk__task *const *tasks, size_t count, sk__graph **out) {
  sk__graph *graph = sk__graph_new();
  if (graph == NULL) return SK_OUT_OF_MEMORY;
  graph->soc = soc;
  graph->implicit_resets = true;
  graph->aic_count = soc->aic_count;
  graph->aiv_count = soc->aiv_count;
  for (size_t i = 0; i < count; i++) graph->node_count += is_marker(tasks[i]) ? MARKER_NODES : 1;
  graph->nodes = sk__arena_array(graph->arena, sk__node, graph->node_count);
  sk_status status = graph->nodes == NULL ? SK_OUT_OF_MEMORY : place_all(graph, tasks, count);
  if (status == SK_OK) status = sk__graph_index(graph);
  if (status != SK_OK) {
    sk__graph_free(graph);
    return status;
  }
  *out = graph;
  return SK_OK;
}
