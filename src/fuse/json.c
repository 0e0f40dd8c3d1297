/* json.c - a plan as JSON: the planner's queue dump, with every decision added. */
#include <stdio.h>

#include "fuse/planner.h"

static const char *op_name(sk__op_type type) {
  switch (type) {
#define X(name, value) \
  case SK__OP_##name: return #name;
    SK__TASK_TYPE_LIST(X)
#undef X
  }
  return "";
}
const char *sk__sync_name(sk__sync sync) {
  switch (sync) {
#define X(name, value) \
  case SK__SYNC_##name: return #name;
    SK__SYNC_LIST(X)
#undef X
  }
  return "";
}

static json_t *hex(uint64_t value) {
  char text[24];
  snprintf(text, sizeof text, "0x%llx", (unsigned long long)value);
  return json_string(text);
}

static json_t *op_json(const sk__plan *plan, const sk__sk *sk, const sk__op *op) {
  json_t *out = json_object();
  uint64_t args = op->type == SK__OP_SYNC ? (uint64_t)op->sync : op->type == SK__OP_PRELOAD ? op->preload_units : sk__is_event_op(op) ? op->event->address : 0;
  json_object_set_new(out, "nodeIndex", json_integer(op->node));
  json_object_set_new(out, "type", json_string(op_name(op->type)));
  json_object_set_new(out, "numBlocks", json_integer(op->blocks));
  json_object_set_new(out, "entryCnt", json_integer(op->copy_count));
  json_object_set_new(out, "args", hex(args));
  json_object_set_new(out, "debugOptions", json_integer(op->debug));
  json_t *entries = json_array();
  for (uint32_t i = 0; i < op->copy_count; i++) json_array_append_new(entries, json_integer(op->copies[i]));
  json_object_set_new(out, "entries", entries);
  if (op->type == SK__OP_FUNC || op->type == SK__OP_PRELOAD)
    json_object_set_new(out, "kernel", json_string(plan->graph->nodes[sk->members[op->node].value].kernel.name));
  if (op->type == SK__OP_SYNC) json_object_set_new(out, "sync", json_string(sk__sync_name(op->sync)));
  if (op->early_mask != 0) json_object_set_new(out, "earlyStart", json_integer(op->early_mask));
  if (!sk__is_event_op(op)) return out;
  if (op->event->word != UINT32_MAX) json_object_set_new(out, "word", json_string(plan->words[op->event->word].label));
  json_object_set_new(out, "value", json_integer((json_int_t)op->event->value));
  if (op->type == SK__OP_EVENT_WAIT) json_object_set_new(out, "condition", json_integer(op->event->condition));
  return out;
}

static json_t *queue_json(const sk__plan *plan, const sk__sk *sk, const sk__queue *queue) {
  json_t *infos = json_array();
  json_int_t functions = 0;
  for (size_t i = 0; i < queue->count; i++) {
    json_array_append_new(infos, op_json(plan, sk, &queue->ops[i]));
    functions += queue->ops[i].type == SK__OP_FUNC;
  }
  return json_pack("{s:I,s:I,s:{s:I,s:o}}", "numBlocks", (json_int_t)queue->blocks, "funcCnt", functions, "taskQue", "taskCnt",
                   (json_int_t)queue->count, "taskInfos", infos);
}

static json_t *sk_json(const sk__plan *plan, const sk__sk *sk) {
  static const char *const types[] = {"AIV_ONLY", "AIC_ONLY", "MIX_AIV_1_0", "MIX_AIC_1_0", "MIX_1_1", "MIX_1_2"};
  json_t *members = json_array();
  for (size_t i = 0; i < sk->member_count; i++)
    json_array_append_new(members, json_integer((json_int_t)plan->graph->nodes[sk->members[i].value].id));
  json_t *cut = sk->cut_by.value == UINT32_MAX ? json_null() : json_integer((json_int_t)plan->graph->nodes[sk->cut_by.value].id);
  return json_pack("{s:I,s:s,s:s,s:s,s:I,s:I,s:s,s:o,s:o,s:{s:o,s:o}}", "scopeId", (json_int_t)sk->scope_id, "name", sk->name,
                   "entry", sk->entry, "type", types[sk->type], "blocks", (json_int_t)sk->blocks, "mainNodeId",
                   (json_int_t)plan->graph->nodes[sk->main.value].id, "breakReason", sk->cut, "breakNodeId", cut, "nodeIds", members,
                   "taskQueues", "aic", queue_json(plan, sk, &sk->queue[SK__AIC]), "aiv", queue_json(plan, sk, &sk->queue[SK__AIV]));
}

static json_t *decision_json(const sk__plan *plan, size_t at) {
  static const char *const fates[] = {"stays", "fused", "launch", "removed", "boundary"};
  static const char *const kinds[] = {"KERNEL", "NOTIFY", "WAIT", "RESET", "MEMORY_WRITE", "MEMORY_WAIT", "DEFAULT"};
  const sk__node *node = &plan->graph->nodes[at];
  const sk__decision *decision = &plan->decisions[at];
  sk__why why = sk__why_of(decision);
  json_t *out = json_pack("{s:I,s:I,s:s,s:s,s:s,s:s*,s:s*,s:s*}", "nodeId", (json_int_t)node->id, "stream", (json_int_t)node->stream,
                          "nodeType", kinds[node->type], "fate", fates[decision->fate], "reason", why.reason, "subReason",
                          why.sub_reason, "text", why.text, "advice", why.advice);
  if (out == NULL) return NULL;
  if (node->marker != SK__NO_MARKER) json_object_set_new(out, "scope", node->scope != NULL ? json_string(node->scope) : json_null());
  if (node->type == SK__NODE_KERNEL && node->marker == SK__NO_MARKER) json_object_set_new(out, "kernel", json_string(node->kernel.name));
  if (decision->sk != UINT32_MAX) json_object_set_new(out, "scopeId", json_integer(plan->sks[decision->sk].scope_id));
  return out;
}

json_t *sk__plan_json(const sk__plan *plan) {
  json_t *scopes = json_array(), *decisions = json_array();
  for (size_t i = 0; i < plan->sk_count; i++) json_array_append_new(scopes, sk_json(plan, &plan->sks[i]));
  for (size_t i = 0; i < plan->graph->node_count; i++) json_array_append_new(decisions, decision_json(plan, i));
  json_t *out = json_pack("{s:s,s:s,s:I,s:o,s:o}", "version", "1.0", "description", "task queues of the planned SuperKernels",
                          "scopeCount", (json_int_t)plan->sk_count, "scopes", scopes, "decisions", decisions);
  bool whole = out != NULL && json_array_size(scopes) == plan->sk_count && json_array_size(decisions) == plan->graph->node_count;
  if (!whole) {
    json_decref(out);
    return NULL;
  }
  json_object_set_new(out, "options", sk__fuse_options_json(&plan->options));
  json_object_set_new(out, "inner_options", sk__inner_options_json(plan->graph->third_chip));
  return out;
}
