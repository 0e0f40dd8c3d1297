/* dot.c - a plan as a Graphviz graph: streams as columns, SKs as boxes, sub-kernels in final order. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "fuse/fuse.h"

static const char *shape(const sk__node *node) {
  if (node->marker != SK__NO_MARKER) return "plain";
  return node->type == SK__NODE_KERNEL ? "box" : "ellipse";
}

static void print_name(const char *text, FILE *to) {
  for (; text != NULL && *text != '\0'; text++) {
    if (*text == '"' || *text == '\\') fputc('\\', to);
    fputc(*text, to);
  }
}

static void print_node(const sk__plan *plan, size_t index, FILE *to) {
  const sk__node *node = &plan->graph->nodes[index];
  fprintf(to, "    n%zu [shape=%s, label=\"%" PRIu64 " ", index, shape(node), node->id);
  if (node->type == SK__NODE_KERNEL && node->marker == SK__NO_MARKER) {
    print_name(node->kernel.name, to);
    fprintf(to, " x %u", node->kernel.blocks);
    if (plan->decisions[index].sk == UINT32_MAX) fprintf(to, "\\n%s", sk__why_of(&plan->decisions[index]).reason);
  } else if (node->marker != SK__NO_MARKER) {
    fprintf(to, "%s ", node->marker == SK__MARK_BEGIN ? "begin" : node->marker == SK__MARK_END ? "end" : "placeholder");
    print_name(node->scope, to);
  } else {
    static const char *const names[] = {
#define X(name) #name,
        SK__NODE_LIST(X)
#undef X
    };
    fputs(names[node->type], to);
  }
  fprintf(to, "\"];\n");
}

/* ---- edges: streams order their nodes; a wait follows the notify of its event ----------------- */

static void print_streams(const sk__graph *graph, FILE *to) {
  for (uint32_t s = 0; s < graph->stream_count; s++)
    for (uint32_t i = 1; i < graph->stream_sizes[s]; i++) fprintf(to, "  n%u -> n%u;\n", graph->stream_nodes[s][i - 1], graph->stream_nodes[s][i]);
}

static void print_events(const sk__graph *graph, sk__event_node *waiters, FILE *to) {
  size_t count = 0;
  for (uint32_t i = 0; i < graph->node_count; i++)
    if (graph->nodes[i].type == SK__NODE_WAIT) waiters[count++] = (sk__event_node){graph->nodes[i].event_id, i};
  sk__event_nodes_sort(waiters, count);
  for (uint32_t i = 0; i < graph->node_count; i++) {
    if (graph->nodes[i].type != SK__NODE_NOTIFY) continue;
    for (size_t k = sk__event_nodes_find(waiters, count, graph->nodes[i].event_id, 0); k < count && waiters[k].event == graph->nodes[i].event_id; k++)
      fprintf(to, "  n%u -> n%u [style=dashed];\n", i, waiters[k].node);
  }
}

/* ---- nodes, SK by SK ------------------------------------------------------------------------- */

/* Nodes sorted by their SK, those of none at the end: nodes[first[k]] .. nodes[first[k + 1]]. */
static void sort_by_sk(const sk__plan *plan, uint32_t *first, uint32_t *nodes) {
  for (size_t i = 0; i < plan->graph->node_count; i++) {
    size_t sk = plan->decisions[i].sk != UINT32_MAX ? plan->decisions[i].sk : plan->sk_count;
    first[sk + 2]++;
  }
  for (size_t k = 0; k <= plan->sk_count; k++) first[k + 2] += first[k + 1];
  for (uint32_t i = 0; i < plan->graph->node_count; i++) {
    size_t sk = plan->decisions[i].sk != UINT32_MAX ? plan->decisions[i].sk : plan->sk_count;
    nodes[first[sk + 1]++] = i;
  }
}

static void print_clusters(const sk__plan *plan, const uint32_t *first, const uint32_t *nodes, FILE *to) {
  for (size_t sk = 0; sk <= plan->sk_count; sk++) {
    bool inside = sk < plan->sk_count;
    fprintf(to, inside ? "  subgraph cluster_%zu {\n    label=\"" : "  {\n", sk);
    if (inside) {
      print_name(plan->sks[sk].name, to);
      fprintf(to, "\";\n");
    }
    for (uint32_t i = first[sk]; i < first[sk + 1]; i++) print_node(plan, nodes[i], to);
    fprintf(to, "  }\n");
  }
}

sk_status sk__plan_dot(const sk__plan *plan, FILE *to) {
  size_t count = plan->graph->node_count;
  uint32_t *first = sk__calloc(plan->sk_count + 3, sizeof *first), *nodes = sk__calloc(count + 1, sizeof *nodes);
  sk__event_node *waiters = sk__calloc(count + 1, sizeof *waiters);
  sk_status status = first != NULL && nodes != NULL && waiters != NULL ? SK_OK : SK_OUT_OF_MEMORY;
  if (status == SK_OK) {
    sort_by_sk(plan, first, nodes);
    fprintf(to, "digraph plan {\n  node [fontname=\"sans-serif\", fontsize=10];\n");
    print_clusters(plan, first, nodes, to);
    print_streams(plan->graph, to);
    print_events(plan->graph, waiters, to);
    fprintf(to, "}\n");
  }
  sk__free(first);
  sk__free(nodes);
  sk__free(waiters);
  return status;
}
