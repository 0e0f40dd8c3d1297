/* graph.c - entry of grouping: checks the graph and lists the nodes of each stream. */
#include <stdlib.h>

#include "base/text.h"
#include "fuse/ge/group.h"
#include "fuse/ge/internal.h"

static sk_status check_graph(sk__ge_grouper *g) {
  const sk__ge_graph *graph = g->graph;
  if (graph->node_count > SK__GE_MAX_NODES || graph->event_count > SK__GE_MAX_EVENTS) {
    sk__text_add(&g->why, "graph of %zu nodes and %zu events; at most %u and %u", graph->node_count, graph->event_count, SK__GE_MAX_NODES, SK__GE_MAX_EVENTS);
    return SK_INVALID_ARGUMENT;
  }
  for (size_t i = 0; i < graph->node_count; i++)
    if (graph->nodes[i].name == NULL || (i > 0 && graph->nodes[i].id <= graph->nodes[i - 1].id)) {
      sk__text_add(&g->why, "node %zu: %s", i, graph->nodes[i].name == NULL ? "no name" : "ids do not ascend");
      return SK_INVALID_ARGUMENT;
    }
  for (size_t i = 0; i < graph->event_count; i++)
    if (graph->events[i].from >= graph->node_count || graph->events[i].to >= graph->node_count) {
      sk__text_add(&g->why, "event %zu: an end is no node", i);
      return SK_INVALID_ARGUMENT;
    }
  return SK_OK;
}

static int by_number(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

static int64_t *distinct_streams(const sk__ge_grouper *g, uint32_t *count) {
  const sk__ge_graph *graph = g->graph;
  int64_t *ids = sk__arena_array(g->arena, int64_t, graph->node_count);
  if (ids == NULL) return NULL;
  for (size_t i = 0; i < graph->node_count; i++) ids[i] = graph->nodes[i].stream;
  qsort(ids, graph->node_count, sizeof *ids, by_number);
  for (size_t i = 0; i < graph->node_count; i++)
    if (*count == 0 || ids[*count - 1] != ids[i]) ids[(*count)++] = ids[i];
  return ids;
}

static sk_status index_streams(sk__ge_grouper *g) {
  const sk__ge_graph *graph = g->graph;
  int64_t *ids = distinct_streams(g, &g->stream_count);
  if (g->stream_count > SK__GE_MAX_STREAMS) {
    sk__text_add(&g->why, "graph of %u streams; at most %u", g->stream_count, SK__GE_MAX_STREAMS);
    return SK_INVALID_ARGUMENT;
  }
  g->stream_of = sk__arena_array(g->arena, uint32_t, graph->node_count);
  g->position = sk__arena_array(g->arena, uint32_t, graph->node_count);
  uint32_t *all = sk__arena_array(g->arena, uint32_t, graph->node_count);
  if (ids == NULL || g->stream_of == NULL || g->position == NULL || all == NULL) return SK_OUT_OF_MEMORY;
  g->stream_nodes = sk__arena_array(g->arena, uint32_t *, g->stream_count);
  g->stream_sizes = sk__arena_array(g->arena, uint32_t, g->stream_count);
  if (g->stream_nodes == NULL || g->stream_sizes == NULL) return SK_OUT_OF_MEMORY;
  for (size_t i = 0; i < graph->node_count; i++) {
    const int64_t *found = bsearch(&graph->nodes[i].stream, ids, g->stream_count, sizeof *ids, by_number);
    g->stream_of[i] = (uint32_t)(found - ids);
    if (graph->nodes[i].kind == SK__GE_NODE_COMPUTE) g->position[i] = g->stream_sizes[g->stream_of[i]]++;
  }
  for (uint32_t s = 0; s < g->stream_count; s++) {
    g->stream_nodes[s] = all;
    all += g->stream_sizes[s];
  }
  for (uint32_t i = 0; i < graph->node_count; i++)
    if (graph->nodes[i].kind == SK__GE_NODE_COMPUTE) g->stream_nodes[g->stream_of[i]][g->position[i]] = i;
  return SK_OK;
}

sk_status sk__ge_group(const sk__ge_graph *graph, bool emulate_vendor_defects, sk__arena *arena, sk__ge_grouping *out, char *why, size_t why_bytes) {
  *out = (sk__ge_grouping){0};
  sk__ge_grouper g = {.graph = graph, .arena = arena, .emulate = emulate_vendor_defects, .why = sk__text_on(why, why_bytes), .out = out};
  sk_status status = check_graph(&g);
  if (status == SK_OK && graph->node_count > 0) {
    status = index_streams(&g);
    if (status == SK_OK) status = sk__ge_make_groups(&g);
    if (status == SK_OK) status = sk__ge_merge_groups(&g);
  }
  sk__vec_free(&g.groups);
  if (status == SK_INVALID_ARGUMENT) sk__text_one_line(why);
  return status;
}

sk__ge_input sk__ge_scope_input(const sk__ge_scope *scope, bool emulate_vendor_defects) {
  return (sk__ge_input){.subs = scope->subs, .count = scope->member_count, .options = scope->options, .aic_count = scope->aic_count,
                        .aiv_count = scope->aiv_count, .chip_supported = true, .emulate_vendor_defects = emulate_vendor_defects};
}
