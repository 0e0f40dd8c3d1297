/* dot.c - a plan as a Graphviz graph: streams as columns, SKs as boxes, sub-kernels in final order. */
#include <inttypes.h>

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
    if (plan->decisions[index].sk == UINT32_MAX) fprintf(to, "\\n%s", plan->decisions[index].reason);
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

/* Streams order their nodes; a wait follows the notify of its event. */
static void print_edges(const sk__graph *graph, FILE *to) {
  for (size_t i = 0; i < graph->node_count; i++) {
    const sk__node *node = &graph->nodes[i];
    for (size_t j = i + 1; j < graph->node_count; j++)
      if (graph->nodes[j].stream == node->stream) {
        fprintf(to, "  n%zu -> n%zu;\n", i, j);
        break;
      }
    if (node->type != SK__NODE_NOTIFY) continue;
    for (size_t j = 0; j < graph->node_count; j++)
      if (graph->nodes[j].type == SK__NODE_WAIT && graph->nodes[j].event_id == node->event_id)
        fprintf(to, "  n%zu -> n%zu [style=dashed];\n", i, j);
  }
}

void sk__plan_dot(const sk__plan *plan, FILE *to) {
  fprintf(to, "digraph plan {\n  node [fontname=\"sans-serif\", fontsize=10];\n");
  for (size_t sk = 0; sk <= plan->sk_count; sk++) {
    bool inside = sk < plan->sk_count;
    fprintf(to, inside ? "  subgraph cluster_%zu {\n    label=\"" : "  {\n", sk);
    if (inside) {
      print_name(plan->sks[sk].name, to);
      fprintf(to, "\";\n");
    }
    for (size_t i = 0; i < plan->graph->node_count; i++)
      if (plan->decisions[i].sk == (inside ? (uint32_t)sk : UINT32_MAX)) print_node(plan, i, to);
    fprintf(to, "  }\n");
  }
  print_edges(plan->graph, to);
  fprintf(to, "}\n");
}
