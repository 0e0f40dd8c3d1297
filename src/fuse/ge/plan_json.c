/* plan_json.c - a planned graph as JSON: SuperKernels with their programs in the form of the recorded decisions, and
 * a decision for every operator. */
#include "fuse/ge/plan.h"

enum { EFFECT_BYTES = 700 };

static json_t *cut_json(const sk__ge_plan *plan, uint32_t scope, bool behind) {
  uint32_t at = sk__ge_cut_of(plan, scope, behind);
  if (at == UINT32_MAX) return json_null();
  return json_pack("{s:I,s:s,s:s}", "nodeId", (json_int_t)plan->ge.nodes[at].id, "name", plan->ge.nodes[at].name, "reason", sk__ge_cut_reason(plan, scope, at));
}

static json_t *options_json(const sk__ge_plan *plan, uint32_t scope) {
  const sk__ge_options *options = &plan->programs[scope].options;
  json_t *out = json_object();
  for (int key = 0; key < SK__GE_KEYS; key++) {
    char effect[EFFECT_BYTES];
    sk__text text = sk__text_on(effect, sizeof effect);
    if (!options->values[key].given) continue;
    sk__ge_option_effect(plan, scope, (sk__ge_key)key, &text);
    json_object_set_new(out, sk__ge_key_name((sk__ge_key)key), json_pack("{s:s,s:s}", "value", options->values[key].text, "effect", effect));
  }
  return out;
}

static json_t *warnings_json(const char *const *items, size_t count) {
  json_t *out = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(out, json_string(items[i]));
  return out;
}

static json_t *scope_json(const sk__ge_plan *plan, uint32_t number) {
  const sk__ge_scope *scope = &plan->grouping.scopes[number];
  const sk__ge_program *program = &plan->programs[number];
  json_t *members = json_array(), *unknown = json_array();
  for (size_t i = 0; i < scope->member_count; i++) {
    const sk__ge_node *node = &plan->ge.nodes[scope->members[i]];
    json_array_append_new(members, json_integer(node->id));
    if (!node->facts_known) json_array_append_new(unknown, json_string(node->name));
  }
  json_t *out = json_pack("{s:s,s:s,s:I,s:o,s:o,s:o,s:o,s:o,s:o}", "name", scope->name, "scope", scope->scope, "stream", (json_int_t)scope->stream, "nodeIds",
                          members, "undescribed", unknown, "begins", cut_json(plan, number, false), "ends", cut_json(plan, number, true), "options",
                          options_json(plan, number), "program", plan->made[number] ? sk__ge_program_json(program) : json_null());
  if (out != NULL) json_object_set_new(out, "warnings", warnings_json(program->warnings, program->warning_count));
  if (out != NULL && plan->made[number]) json_object_set_new(out, "kernel", json_string(program->name));
  return out;
}

static json_t *decision_json(const sk__ge_plan *plan, uint32_t at) {
  const sk__ge_node *node = &plan->ge.nodes[at];
  sk__ge_alone why = sk__ge_alone_of(plan, at);
  bool fused = plan->scope_of[at] != UINT32_MAX;
  json_t *out = json_pack("{s:I,s:s,s:s,s:I,s:s}", "nodeId", (json_int_t)node->id, "name", node->name, "type", node->type, "stream", (json_int_t)node->stream,
                          "fate", fused ? "fused" : "stays");
  if (out == NULL) return NULL;
  if (fused) {
    json_object_set_new(out, "superkernel", json_string(plan->grouping.scopes[plan->scope_of[at]].name));
    return out;
  }
  json_object_set_new(out, "reason", json_string(sk__ge_alone_code(why)));
  json_object_set_new(out, "text", json_string(sk__ge_alone_text(why)));
  json_object_set_new(out, "advice", json_string(sk__ge_alone_advice(why)));
  return out;
}

json_t *sk__ge_plan_json(const sk__ge_plan *plan) {
  json_t *scopes = json_array(), *decisions = json_array();
  size_t operators = 0;
  for (uint32_t k = 0; k < plan->grouping.scope_count; k++) json_array_append_new(scopes, scope_json(plan, k));
  for (uint32_t i = 0; i < plan->ge.node_count; i++) {
    if (!sk__ge_is_operator(&plan->ge.nodes[i])) continue;
    operators++;
    json_array_append_new(decisions, decision_json(plan, i));
  }
  json_t *out = json_pack("{s:s,s:s,s:b,s:I,s:I,s:o,s:o}", "version", "1.0", "path", "ge", "beforeCompile", (int)(plan->before_compile && plan->graph == NULL),
                          "otherGraphs", (json_int_t)plan->other_graphs, "scopeCount", (json_int_t)plan->grouping.scope_count, "scopes", scopes, "decisions",
                          decisions);
  bool whole = out != NULL && json_array_size(scopes) == plan->grouping.scope_count && json_array_size(decisions) == operators;
  if (!whole) {
    json_decref(out);
    return NULL;
  }
  json_object_set_new(out, "warnings", warnings_json(plan->grouping.warnings, plan->grouping.warning_count));
  return out;
}
