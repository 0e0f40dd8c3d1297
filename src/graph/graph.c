/* graph.c - life of a graph and its tables. */
#include "graph/graph.h"

#include "graph/internal.h"

sk__graph *sk__graph_new(void) {
  sk__arena arena = {0};
  sk__graph *graph = sk__arena_new(&arena, sk__graph);
  if (graph == NULL) return NULL;
  graph->arena = sk__arena_new(&arena, sk__arena);
  if (graph->arena == NULL) {
    sk__arena_free(&arena);
    return NULL;
  }
  *graph->arena = arena; /* the arena lives in its own first chunk */
  return graph;
}

void sk__graph_free(sk__graph *graph) {
  if (graph == NULL) return;
  sk__arena arena = *graph->arena;
  sk__arena_free(&arena);
}

sk_status sk__graph_index(sk__graph *graph) {
  graph->stream_sizes = sk__arena_array(graph->arena, uint32_t, graph->stream_count);
  graph->stream_nodes = sk__arena_array(graph->arena, uint32_t *, graph->stream_count);
  if (graph->stream_sizes == NULL || graph->stream_nodes == NULL) return SK_OUT_OF_MEMORY;
  for (size_t i = 0; i < graph->node_count; i++) graph->nodes[i].position = graph->stream_sizes[graph->nodes[i].stream]++;
  for (uint32_t stream = 0; stream < graph->stream_count; stream++) {
    graph->stream_nodes[stream] = sk__arena_array(graph->arena, uint32_t, graph->stream_sizes[stream]);
    if (graph->stream_nodes[stream] == NULL) return SK_OUT_OF_MEMORY;
  }
  for (size_t i = 0; i < graph->node_count; i++)
    graph->stream_nodes[graph->nodes[i].stream][graph->nodes[i].position] = (uint32_t)i;
  return SK_OK;
}
