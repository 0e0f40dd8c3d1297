/* plan_print.c - a planned graph for people: a listing, and a Graphviz graph. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "fuse/ge/plan.h"

enum { EFFECT_BYTES = 700 };

/* ---- listing --------------------------------------------------------------------------------- */

static void print_operators(const sk__ge_plan *plan, const sk__ge_scope *scope, FILE *to) {
  static const char *const types[] = {"AIV_ONLY", "AIC_ONLY", "MIX_AIV_1_0", "MIX_AIC_1_0", "MIX_AIC_1_1", "MIX_AIC_1_2"};
  fprintf(to, "  operators:");
  for (size_t i = 0; i < scope->member_count; i++) {
    const sk__ge_node *node = &plan->ge.nodes[scope->members[i]];
    fprintf(to, " %s(%s", node->name, node->facts_known ? types[node->sub.type] : node->type);
    if (node->facts_known && !node->sub.dynamic) fprintf(to, " x %u", node->sub.blocks);
    fprintf(to, ")");
  }
  fprintf(to, "\n");
}

static void print_unknown(const sk__ge_plan *plan, const sk__ge_scope *scope, FILE *to) {
  fprintf(to, "  type, cores and synchronisation are not known: nothing describes the kernels of");
  size_t told = 0, all = 0;
  for (size_t i = 0; i < scope->member_count; i++) {
    const sk__ge_node *node = &plan->ge.nodes[scope->members[i]];
    all += !node->facts_known;
    if (node->facts_known || told == 8) continue;
    fprintf(to, "%s %s", told++ == 0 ? "" : ",", node->name);
  }
  if (all > told) fprintf(to, " and %zu more", all - told);
  fprintf(to, "\n");
}

static void print_cut(const sk__ge_plan *plan, uint32_t scope, bool behind, FILE *to) {
  uint32_t at = sk__ge_cut_of(plan, scope, behind);
  if (at == UINT32_MAX) return;
  fprintf(to, "  %s at %s (node %" PRId64 "): %s\n", behind ? "ends" : "begins", plan->ge.nodes[at].name, plan->ge.nodes[at].id, sk__ge_cut_reason(plan, scope, at));
}

static void print_options(const sk__ge_plan *plan, uint32_t scope, FILE *to) {
  const sk__ge_options *options = &plan->programs[scope].options;
  for (int key = 0; key < SK__GE_KEYS; key++) {
    char effect[EFFECT_BYTES];
    sk__text text = sk__text_on(effect, sizeof effect);
    if (!options->values[key].given) continue;
    sk__ge_option_effect(plan, scope, (sk__ge_key)key, &text);
    fprintf(to, "  option %s=%s: %s\n", sk__ge_key_name((sk__ge_key)key), options->values[key].text, effect);
  }
}

static void print_alone(const sk__ge_plan *plan, FILE *to) {
  bool headed = false;
  for (uint32_t i = 0; i < plan->ge.node_count; i++) {
    const sk__ge_node *node = &plan->ge.nodes[i];
    sk__ge_alone why = sk__ge_alone_of(plan, i);
    if (!sk__ge_is_operator(node) || why == SK__GE_ALONE_NONE) continue;
    if (!headed) fprintf(to, "not fused:\n");
    headed = true;
    fprintf(to, "  %s (node %" PRId64 "): %s: %s; %s\n", node->name, node->id, sk__ge_alone_code(why), sk__ge_alone_text(why), sk__ge_alone_advice(why));
  }
}

void sk__ge_plan_print(const sk__ge_plan *plan, FILE *to) {
  if (plan->grouping.scope_count == 0) fprintf(to, "no SuperKernel\n");
  for (uint32_t k = 0; k < plan->grouping.scope_count; k++) {
    const sk__ge_scope *scope = &plan->grouping.scopes[k];
    fprintf(to, "%s on stream %" PRId64, scope->name, scope->stream);
    if (plan->made[k]) {
      fprintf(to, ": ");
      sk__ge_print(&plan->programs[k], to);
    } else {
      fprintf(to, "\n");
      print_unknown(plan, scope, to);
    }
    print_operators(plan, scope, to);
    print_cut(plan, k, false, to);
    print_cut(plan, k, true, to);
    print_options(plan, k, to);
  }
  print_alone(plan, to);
  if (plan->before_compile && plan->graph == NULL)
    fprintf(to, "note: the graph was written before compilation: which operators can be called from a SuperKernel is not in it, all are taken to\n");
  if (plan->other_graphs > 0) fprintf(to, "note: %zu more graphs of the model are not planned\n", plan->other_graphs);
  for (size_t i = 0; i < plan->grouping.warning_count; i++) fprintf(to, "warning: %s\n", plan->grouping.warnings[i]);
}

/* ---- Graphviz -------------------------------------------------------------------------------- */

static void print_name(const char *text, FILE *to) {
  for (; *text != '\0'; text++) {
    if (*text == '"' || *text == '\\') fputc('\\', to);
    fputc(*text == '\n' ? ' ' : *text, to);
  }
}

static void print_node(const sk__ge_plan *plan, uint32_t at, FILE *to) {
  const sk__ge_node *node = &plan->ge.nodes[at];
  fprintf(to, "    n%u [shape=%s, label=\"", at, node->kind == SK__GE_NODE_COMPUTE ? "box" : "ellipse");
  print_name(node->name, to);
  if (node->facts_known && node->kind == SK__GE_NODE_COMPUTE) fprintf(to, " x %u", node->sub.blocks);
  sk__ge_alone why = sk__ge_alone_of(plan, at);
  if (sk__ge_is_operator(node) && why != SK__GE_ALONE_NONE) fprintf(to, "\\n%s", sk__ge_alone_code(why));
  fprintf(to, "\"];\n");
}

typedef struct last { int64_t stream; uint32_t node; } last;
static int by_stream(const void *a, const void *b) {
  const last *x = a, *y = b;
  if (x->stream != y->stream) return x->stream < y->stream ? -1 : 1;
  return x->node < y->node ? -1 : x->node > y->node;
}

static void print_edges(const sk__ge_plan *plan, FILE *to) {
  last *all = sk__malloc((plan->ge.node_count + 1) * sizeof *all);
  size_t count = 0;
  for (uint32_t i = 0; all != NULL && i < plan->ge.node_count; i++)
    if (plan->ge.nodes[i].kind == SK__GE_NODE_COMPUTE) all[count++] = (last){plan->ge.nodes[i].stream, i};
  if (count > 0) qsort(all, count, sizeof *all, by_stream);
  for (size_t i = 1; i < count; i++)
    if (all[i].stream == all[i - 1].stream) fprintf(to, "  n%u -> n%u;\n", all[i - 1].node, all[i].node);
  sk__free(all);
  for (size_t i = 0; i < plan->ge.event_count; i++) fprintf(to, "  n%u -> n%u [style=dashed];\n", plan->ge.events[i].from, plan->ge.events[i].to);
}

void sk__ge_plan_dot(const sk__ge_plan *plan, FILE *to) {
  fprintf(to, "digraph plan {\n  node [fontname=\"sans-serif\", fontsize=10];\n");
  for (size_t k = 0; k < plan->grouping.scope_count; k++) {
    const sk__ge_scope *scope = &plan->grouping.scopes[k];
    fprintf(to, "  subgraph cluster_%zu {\n    label=\"", k);
    print_name(scope->name, to);
    fprintf(to, "\";\n");
    for (size_t i = 0; i < scope->member_count; i++) print_node(plan, scope->members[i], to);
    fprintf(to, "  }\n");
  }
  fprintf(to, "  {\n");
  for (uint32_t i = 0; i < plan->ge.node_count; i++)
    if (plan->scope_of[i] == UINT32_MAX && plan->ge.nodes[i].kind == SK__GE_NODE_COMPUTE) print_node(plan, i, to);
  fprintf(to, "  }\n");
  print_edges(plan, to);
  fprintf(to, "}\n");
}
