/* cycle.c - waits that nothing can ever release: a record that comes only behind its own wait. */
#include <stdlib.h>

#include "base/memory.h"
#include "graph/graph.h"

typedef struct search {
  const sk__graph *graph;
  sk__event_node *records, *waits;   /* of events inside the graph, by event */
  size_t record_count, wait_count;
  uint32_t *open;            /* per node: predecessors that have not run */
  uint32_t *ready;
  size_t ready_count;
} search;

static bool inside(const sk__node *node, sk__node_type type) { return node->type == type && (node->event_flag & SK__EVENT_EXTERNAL) == 0; }

static void collect(search *s) {
  for (uint32_t i = 0; i < s->graph->node_count; i++) {
    const sk__node *node = &s->graph->nodes[i];
    if (inside(node, SK__NODE_NOTIFY)) s->records[s->record_count++] = (sk__event_node){node->event_id, i};
    if (inside(node, SK__NODE_WAIT)) s->waits[s->wait_count++] = (sk__event_node){node->event_id, i};
    s->open[i] = node->position > 0;
  }
  sk__event_nodes_sort(s->records, s->record_count);
  sk__event_nodes_sort(s->waits, s->wait_count);
  for (size_t i = 0; i < s->wait_count; i++) {
    size_t at = sk__event_nodes_find(s->records, s->record_count, s->waits[i].event, 0);
    s->open[s->waits[i].node] += at < s->record_count && s->records[at].event == s->waits[i].event;
  }
}

static void close_one(search *s, uint32_t node) {
  if (--s->open[node] == 0) s->ready[s->ready_count++] = node;
}

/* The first record of an event releases its waits. */
static void run(search *s, uint32_t at) {
  const sk__node *node = &s->graph->nodes[at];
  if (node->position + 1 < s->graph->stream_sizes[node->stream]) close_one(s, s->graph->stream_nodes[node->stream][node->position + 1]);
  if (!inside(node, SK__NODE_NOTIFY)) return;
  if (s->records[sk__event_nodes_find(s->records, s->record_count, node->event_id, 0)].node != at) return;
  for (size_t i = sk__event_nodes_find(s->waits, s->wait_count, node->event_id, 0); i < s->wait_count && s->waits[i].event == node->event_id; i++)
    close_one(s, s->waits[i].node);
}

sk_status sk__graph_find_cycle(const sk__graph *graph, const sk__node **out) {
  size_t count = graph->node_count + 1;
  search s = {.graph = graph};
  s.records = sk__calloc(count, sizeof *s.records);
  s.waits = sk__calloc(count, sizeof *s.waits);
  s.open = sk__calloc(count, sizeof *s.open);
  s.ready = sk__calloc(count, sizeof *s.ready);
  sk_status status = s.records != NULL && s.waits != NULL && s.open != NULL && s.ready != NULL ? SK_OK : SK_OUT_OF_MEMORY;
  *out = NULL;
  if (status == SK_OK) {
    collect(&s);
    for (uint32_t i = 0; i < graph->node_count; i++)
      if (s.open[i] == 0) s.ready[s.ready_count++] = i;
    for (size_t i = 0; i < s.ready_count; i++) run(&s, s.ready[i]);
    for (size_t i = 0; i < s.wait_count; i++) { /* of those in front of which nothing else is missing the first captured */
      const sk__node *wait = &graph->nodes[s.waits[i].node];
      bool stuck = s.open[s.waits[i].node] == 1 && (wait->position == 0 || s.open[graph->stream_nodes[wait->stream][wait->position - 1]] == 0);
      if (stuck && (*out == NULL || wait->id < (*out)->id)) *out = wait;
    }
  }
  sk__free(s.records);
  sk__free(s.waits);
  sk__free(s.open);
  sk__free(s.ready);
  return status;
}
