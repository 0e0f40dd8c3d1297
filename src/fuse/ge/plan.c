/* plan.c - a whole graph in graph mode: nodes grouped, one program per scope. The graph is what a program
 * launched, or a text dump. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/vec.h"
#include "fuse/ge/graph_text.h"
#include "fuse/ge/plan.h"

/* ---- nodes ----------------------------------------------------------------------------------- */

typedef SK__VEC(const char *) frame_list; /* names of open scopes; NULL the None scope */

/* The innermost frame counts; an end closes the latest frame of its name. */
static sk_status follow(frame_list *frames, const sk__node *node) {
  if (node->marker == SK__MARK_BEGIN) return sk__vec_push(frames, node->scope) ? SK_OK : SK_OUT_OF_MEMORY;
  if (node->marker != SK__MARK_END) return SK_OK;
  for (size_t i = frames->count; i-- > 0;) {
    const char *open = frames->items[i];
    if (open != node->scope && (open == NULL || node->scope == NULL || strcmp(open, node->scope) != 0)) continue;
    sk__vec_remove(frames, i);
    break;
  }
  return SK_OK;
}

static void translate(const sk__node *node, const char *scope, const char *options, sk__ge_node *out) {
  *out = (sk__ge_node){.id = (int64_t)node->id, .stream = node->stream, .scope = scope, .options = options};
  bool event = node->type == SK__NODE_NOTIFY || node->type == SK__NODE_WAIT || node->type == SK__NODE_RESET;
  if (event || node->marker != SK__NO_MARKER) out->kind = SK__GE_NODE_EVENT;
  out->name = out->type = node->type == SK__NODE_KERNEL && node->kernel.name != NULL ? node->kernel.name : "task";
  out->facts_known = true;
  if (node->type != SK__NODE_KERNEL || node->marker != SK__NO_MARKER) return;
  out->supported = node->kernel.bound && !node->kernel.in_task_group;
  out->simt = node->kernel.simt;
  if (node->task != NULL) out->sub = sk__ge_sub_of_task(node->task);
  else
    out->sub = (sk__ge_sub){.described = true, .name = node->kernel.name, .type = node->kernel.type, .type_known = true, .complete = true, .task_known = true,
                            .blocks = node->kernel.blocks, .op_type = node->kernel.name, .text_bytes = {node->kernel.code_bytes[0][0], node->kernel.code_bytes[0][1]}};
}

/* A launch is of one tiling key: that of its kernel. */
static const sk__ge_tiling one_key[] = {
    [SK_AIC_ONLY] = {0, SK_AIC_ONLY},           [SK_AIV_ONLY] = {0, SK_AIV_ONLY},       [SK_MIX_AIV_1_0] = {0, SK_MIX_AIV_1_0},
    [SK_MIX_AIC_1_0] = {0, SK_MIX_AIC_1_0},     [SK_MIX_AIC_1_1] = {0, SK_MIX_AIC_1_1}, [SK_MIX_AIC_1_2] = {0, SK_MIX_AIC_1_2},
};

/* What the operator says that made the launch. */
static void take_attributes(const sk__attributes *attributes, const char *options, sk__ge_node *out) {
  out->name = attributes->name;
  out->scope = attributes->scope;
  out->options = options != NULL ? options : attributes->options;
  out->aicore_num = attributes->aicore_num;
  out->vectorcore_num = attributes->vectorcore_num;
  if (attributes->type != NULL) out->type = out->sub.op_type = attributes->type;
  if (!attributes->tiling_sink) return;
  out->tiling_sink = out->sub.dynamic = out->sub.dcci_before = out->sub.dcci_after = true;
  out->sub.tilings = &one_key[out->sub.type];
  out->sub.tiling_count = 1;
}

static sk_status translate_all(sk__ge_plan *plan, sk__ge_options_fn options_of, void *context) {
  const sk__graph *graph = plan->graph;
  sk__ge_node *nodes = sk__arena_array(&plan->arena, sk__ge_node, graph->node_count);
  if (nodes == NULL) return SK_OUT_OF_MEMORY;
  plan->ge = (sk__ge_graph){.nodes = nodes, .node_count = graph->node_count, .aic_count = graph->aic_count, .aiv_count = graph->aiv_count};
  frame_list frames = {0};
  sk_status status = SK_OK;
  for (size_t i = 0; i < graph->node_count && status == SK_OK; i++) {
    status = follow(&frames, &graph->nodes[i]);
    const sk__task *task = graph->nodes[i].task;
    const sk__attributes *attributes = task != NULL ? task->attributes : NULL;
    const char *scope = attributes != NULL ? attributes->scope : frames.count > 0 ? sk__vec_last(&frames) : NULL;
    const char *options = scope != NULL && options_of != NULL ? options_of(context, scope) : NULL;
    translate(&graph->nodes[i], scope, options, &nodes[i]);
    if (attributes != NULL) take_attributes(attributes, options, &nodes[i]);
  }
  sk__vec_free(&frames);
  return status;
}

/* Per node: the kernel before it and behind it on its stream, UINT32_MAX none. */
static sk_status find_kernels(sk__ge_plan *plan, uint32_t **before, uint32_t **behind) {
  const sk__graph *graph = plan->graph;
  *before = sk__arena_array(&plan->arena, uint32_t, graph->node_count);
  *behind = sk__arena_array(&plan->arena, uint32_t, graph->node_count);
  if (*before == NULL || *behind == NULL) return SK_OUT_OF_MEMORY;
  for (uint32_t s = 0; s < graph->stream_count; s++) {
    uint32_t latest = UINT32_MAX, next = UINT32_MAX, size = graph->stream_sizes[s];
    for (uint32_t at = 0; at < size; at++) {
      uint32_t node = graph->stream_nodes[s][at], mirror = graph->stream_nodes[s][size - 1 - at];
      (*before)[node] = latest;
      (*behind)[mirror] = next;
      if (plan->ge.nodes[node].kind == SK__GE_NODE_COMPUTE) latest = node;
      if (plan->ge.nodes[mirror].kind == SK__GE_NODE_COMPUTE) next = mirror;
    }
  }
  return SK_OK;
}

/* Per wait: the latest record of its event in front of it, UINT32_MAX none here. */
static sk_status find_records(sk__ge_plan *plan) {
  const sk__graph *graph = plan->graph;
  sk__event_node *all = sk__arena_array(&plan->arena, sk__event_node, graph->node_count);
  plan->record = sk__arena_array(&plan->arena, uint32_t, graph->node_count);
  if (all == NULL || plan->record == NULL) return SK_OUT_OF_MEMORY;
  size_t count = 0;
  for (uint32_t i = 0; i < graph->node_count; i++)
    if (graph->nodes[i].type == SK__NODE_NOTIFY) all[count++] = (sk__event_node){graph->nodes[i].event_id, i};
  sk__event_nodes_sort(all, count);
  for (uint32_t i = 0; i < graph->node_count; i++) {
    const sk__node *node = &graph->nodes[i];
    plan->record[i] = UINT32_MAX;
    if (node->type != SK__NODE_WAIT || (node->event_flag & SK__EVENT_EXTERNAL) != 0) continue;
    size_t behind = sk__event_nodes_find(all, count, node->event_id, i);
    if (behind > 0 && all[behind - 1].event == node->event_id) plan->record[i] = all[behind - 1].node;
  }
  return SK_OK;
}

static sk_status list_events(sk__ge_plan *plan) {
  const sk__graph *graph = plan->graph;
  sk__ge_event *events = sk__arena_array(&plan->arena, sk__ge_event, graph->node_count);
  if (events == NULL) return SK_OUT_OF_MEMORY;
  sk_status status = find_kernels(plan, &plan->before, &plan->behind);
  if (status == SK_OK) status = find_records(plan);
  for (uint32_t i = 0; i < graph->node_count && status == SK_OK; i++) {
    uint32_t record = plan->record[i];
    if (record == UINT32_MAX) continue;
    uint32_t from = plan->before[record], to = plan->behind[i];
    if (from != UINT32_MAX && to != UINT32_MAX && from != to)
      events[plan->ge.event_count++] = (sk__ge_event){SK__GE_EVENT_KIND, (int64_t)graph->nodes[i].event_id, from, to, graph->nodes[i].stream};
  }
  plan->ge.events = events;
  return status;
}

/* ---- programs -------------------------------------------------------------------------------- */

static bool all_known(const sk__ge_plan *plan, const sk__ge_scope *scope) {
  for (size_t i = 0; i < scope->member_count; i++)
    if (!plan->ge.nodes[scope->members[i]].facts_known) return false;
  return true;
}

static sk_status generate_all(sk__ge_plan *plan, bool emulate, sk__text *why) {
  const sk__ge_grouping *grouping = &plan->grouping;
  plan->programs = sk__arena_array(&plan->arena, sk__ge_program, grouping->scope_count);
  plan->made = sk__arena_array(&plan->arena, bool, grouping->scope_count);
  plan->scope_of = sk__arena_array(&plan->arena, uint32_t, plan->ge.node_count);
  if (plan->programs == NULL || plan->made == NULL || plan->scope_of == NULL) return SK_OUT_OF_MEMORY;
  for (size_t i = 0; i < plan->ge.node_count; i++) plan->scope_of[i] = UINT32_MAX;
  for (uint32_t k = 0; k < grouping->scope_count; k++) {
    const sk__ge_scope *scope = &grouping->scopes[k];
    for (size_t i = 0; i < scope->member_count; i++) plan->scope_of[scope->members[i]] = k;
    sk__ge_failure failure;
    sk__ge_input input = sk__ge_scope_input(scope, emulate);
    plan->made[k] = all_known(plan, scope);
    /* without its operators only the options can be refused */
    if (!plan->made[k]) {
      sk_status read = sk__ge_options_read(input.options, &plan->arena, &plan->programs[k].options, &failure);
      if (read == SK_INVALID_ARGUMENT) sk__text_add(why, "scope %.100s: %s", scope->scope, failure.why);
      if (read != SK_OK) return read;
      continue;
    }
    sk_status status = sk__ge_generate(&input, &plan->arena, &plan->programs[k], &failure);
    if (status == SK_INVALID_ARGUMENT) sk__text_add(why, "scope %.100s: %s", scope->scope, failure.why);
    if (status != SK_OK) return status;
  }
  return SK_OK;
}

static sk_status group_and_generate(sk__ge_plan *plan, bool emulate, char *why, size_t why_bytes) {
  sk__text text = sk__text_on(why, why_bytes);
  sk_status status = sk__ge_group(&plan->ge, emulate, &plan->arena, &plan->grouping, why, why_bytes);
  return status == SK_OK ? generate_all(plan, emulate, &text) : status;
}

/* ---- order ----------------------------------------------------------------------------------- */

static void adopt(sk__ge_plan *plan, uint32_t node, uint32_t sk) {
  sk__decision *decision = &plan->order.decisions[node];
  if (decision->fate == SK__STAYS && plan->ge.nodes[node].kind == SK__GE_NODE_EVENT) *decision = (sk__decision){.fate = SK__FUSED, .sk = sk};
}

static uint32_t sk_of(const sk__ge_plan *plan, uint32_t node) { return node == UINT32_MAX ? UINT32_MAX : plan->order.decisions[node].sk; }

/* A sub that is not the last of its SK tells the outside itself, also where it is the last on the SK's own stream: records
 * right behind it belong to the SK. On other streams the whole rest of the stream goes on then. */
static void adopt_records(sk__ge_plan *plan, const bool *foreign, uint32_t sk) {
  const sk__graph *graph = plan->graph;
  const sk__ge_scope *scope = &plan->grouping.scopes[sk];
  for (size_t i = 0; i + 1 < scope->member_count; i++) {
    const sk__node *node = &graph->nodes[scope->members[i]];
    if (plan->ge.nodes[scope->members[i]].stream != scope->stream) continue;
    for (uint32_t at = node->position + 1; at < graph->stream_sizes[node->stream]; at++) {
      uint32_t next = graph->stream_nodes[node->stream][at];
      const sk__decision *decision = &plan->order.decisions[next];
      if (decision->fate == SK__STAYS && foreign[next]) adopt(plan, next, sk);
      if (decision->fate == SK__STAYS || plan->ge.nodes[next].kind != SK__GE_NODE_EVENT) break;
    }
  }
}

/* Event tasks between members of an SK on one stream belong to it, and both ends of an event between two of
 * its members. */
static sk_status adopt_events(sk__ge_plan *plan) {
  const sk__graph *graph = plan->graph;
  bool *foreign = sk__calloc(graph->node_count + 1, sizeof *foreign); /* records behind a member for which somebody outside of its SK waits */
  if (foreign == NULL) return SK_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < graph->node_count; i++) {
    if (plan->ge.nodes[i].kind != SK__GE_NODE_EVENT) continue;
    uint32_t before = sk_of(plan, plan->before[i]), behind = sk_of(plan, plan->behind[i]), record = plan->record[i];
    if (before != UINT32_MAX && before == behind) adopt(plan, i, before);
    if (record == UINT32_MAX) continue;
    foreign[record] |= plan->behind[i] != UINT32_MAX && behind != sk_of(plan, plan->before[record]);
    if (behind == UINT32_MAX || sk_of(plan, plan->before[record]) != behind) continue;
    adopt(plan, i, behind);
    adopt(plan, record, behind);
  }
  for (uint32_t k = 0; k < plan->order.sk_count; k++) adopt_records(plan, foreign, k);
  sk__free(foreign);
  return SK_OK;
}

static sk_status make_order(sk__ge_plan *plan) {
  const sk__graph *graph = plan->graph;
  sk__plan *order = &plan->order;
  *order = (sk__plan){.graph = graph, .sk_count = plan->grouping.scope_count};
  order->decisions = sk__arena_array(&plan->arena, sk__decision, graph->node_count);
  order->sks = sk__arena_array(&plan->arena, sk__sk, order->sk_count);
  if (order->decisions == NULL || order->sks == NULL) return SK_OUT_OF_MEMORY;
  for (size_t i = 0; i < graph->node_count; i++)
    order->decisions[i] = (sk__decision){.fate = graph->nodes[i].marker != SK__NO_MARKER ? SK__REMOVED : SK__STAYS, .sk = UINT32_MAX};
  for (uint32_t k = 0; k < order->sk_count; k++) {
    const sk__ge_scope *scope = &plan->grouping.scopes[k];
    sk__node_index *members = sk__arena_array(&plan->arena, sk__node_index, scope->member_count);
    if (members == NULL) return SK_OUT_OF_MEMORY;
    for (size_t i = 0; i < scope->member_count; i++) {
      members[i] = (sk__node_index){scope->members[i]};
      order->decisions[scope->members[i]] = (sk__decision){.fate = i == 0 ? SK__LAUNCHES_SK : SK__FUSED, .sk = k};
    }
    order->sks[k] = (sk__sk){.name = scope->name, .scope_id = k, .members = members, .member_count = scope->member_count, .main = members[0],
                             .type = plan->programs[k].type, .blocks = plan->programs[k].blocks};
  }
  return adopt_events(plan);
}

/* ---- life ------------------------------------------------------------------------------------ */

void sk__ge_plan_free(sk__ge_plan *plan) {
  if (plan == NULL) return;
  sk__arena_free(&plan->arena);
  sk__free(plan);
}

/* Gives the plan out, or takes it back. */
static sk_status hand_over(sk__ge_plan *plan, sk_status status, sk__ge_plan **out) {
  if (status == SK_OK) *out = plan;
  else sk__ge_plan_free(plan);
  return status;
}

sk_status sk__ge_plan_make(const sk__graph *graph, sk__ge_options_fn options_of, void *context, bool emulate_vendor_defects, sk__ge_plan **out, char *why,
                           size_t why_bytes) {
  sk__ge_plan *plan = sk__calloc(1, sizeof *plan);
  if (plan == NULL) return SK_OUT_OF_MEMORY;
  plan->graph = graph;
  sk_status status = translate_all(plan, options_of, context);
  if (status == SK_OK) status = list_events(plan);
  if (status == SK_OK) status = group_and_generate(plan, emulate_vendor_defects, why, why_bytes);
  if (status == SK_OK) status = make_order(plan);
  return hand_over(plan, status, out);
}

/* Descriptions by the name of the node, else by the type of the operator. */
static sk_status describe(sk__ge_plan *plan, sk__ge_node *nodes, const json_t *kernels, sk__text *why) {
  for (size_t i = 0; i < plan->ge.node_count; i++) {
    sk__ge_node *node = &nodes[i];
    const char *key = json_object_get(kernels, node->name) != NULL ? node->name : node->type;
    const json_t *found = json_object_get(kernels, key);
    if (found == NULL || node->kind != SK__GE_NODE_COMPUTE) continue;
    sk_status status = sk__ge_sub_from_json(found, key, &plan->arena, &node->sub, why);
    if (status != SK_OK) return status;
    node->sub.name = node->name;
    node->sub.op_type = node->type;
    node->facts_known = node->sub.described;
    node->tiling_on_aicpu = node->sub.aicpu_tiling;
  }
  return SK_OK;
}

/* Names of all operators, and behind them the types. NULL on no memory. */
static const char **names_of_operators(sk__ge_plan *plan, size_t *operators) {
  const char **names = sk__arena_array(&plan->arena, const char *, 2 * plan->ge.node_count + 1);
  size_t count = 0;
  for (size_t i = 0; names != NULL && i < plan->ge.node_count; i++)
    if (plan->ge.nodes[i].kind == SK__GE_NODE_COMPUTE) names[count++] = plan->ge.nodes[i].name;
  *operators = count;
  for (size_t i = 0; names != NULL && i < plan->ge.node_count; i++)
    if (plan->ge.nodes[i].kind == SK__GE_NODE_COMPUTE) names[count++] = plan->ge.nodes[i].type;
  return names;
}

static bool is_among(const char *name, const char *const *list, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(list[i], name) == 0) return true;
  return false;
}

/* Each type once, a few of many. */
static void list_types(sk__text *text, const char *const *types, size_t count) {
  const char *told[12];
  size_t n = 0, limit = sizeof told / sizeof *told;
  for (size_t i = 0; i < count && n <= limit; i++) {
    if (is_among(types[i], told, n < limit ? n : limit)) continue;
    sk__text_add(text, "%s%s", n == 0 ? "" : ", ", n < limit ? types[i] : "...");
    if (n < limit) told[n] = types[i];
    n++;
  }
}

/* Descriptions of what the graph has not: mostly a misspelt name. */
static void warn_of_strangers(sk__ge_plan *plan, const json_t *kernels) {
  size_t operators = 0;
  const char **names = names_of_operators(plan, &operators), *name;
  json_t *description;
  json_object_foreach((json_t *)(uintptr_t)kernels, name, description) {
    if (names == NULL || is_among(name, names, 2 * operators)) continue;
    char legal[240], guess[100] = "";
    sk__text types = sk__text_on(legal, sizeof legal);
    list_types(&types, names + operators, operators);
    const char *near = sk__nearest(name, names, 2 * operators);
    if (near != NULL) snprintf(guess, sizeof guess, " (did you mean '%.64s'?)", near);
    sk__ge_plan_warn(plan, "kernels: '%.64s' is no operator of this graph and no type of one%s; the types are: %s", name, guess, legal);
  }
}

sk_status sk__ge_plan_read(const char *text, size_t bytes, const sk__ge_request *request, sk__ge_plan **out, char *why, size_t why_bytes) {
  sk__ge_plan *plan = sk__calloc(1, sizeof *plan);
  if (plan == NULL) return SK_OUT_OF_MEMORY;
  sk__ge_text_graph read;
  sk__text message = sk__text_on(why, why_bytes);
  sk_status status = sk__ge_graph_from_text(text, bytes, &plan->arena, &read, why, why_bytes);
  if (status == SK_OK) {
    const sk__soc *chip = sk__soc_find(NULL);
    sk__ge_node *nodes = (sk__ge_node *)(uintptr_t)read.graph.nodes; /* the arena's, so ours */
    plan->ge = read.graph;
    plan->ge.aic_count = chip->aic_count;
    plan->ge.aiv_count = chip->aiv_count;
    plan->before_compile = read.before_compile;
    plan->other_graphs = read.other_graphs;
    for (size_t i = 0; i < plan->ge.node_count; i++)
      if (nodes[i].scope != NULL && (nodes[i].options == NULL || nodes[i].options[0] == '\0')) nodes[i].options = request->options;
    if (request->kernels != NULL) status = describe(plan, nodes, request->kernels, &message);
  }
  if (status == SK_OK) status = group_and_generate(plan, request->emulate_vendor_defects, why, why_bytes);
  if (status == SK_OK && request->kernels != NULL) warn_of_strangers(plan, request->kernels);
  return hand_over(plan, status, out);
}

const sk__ge_program *sk__ge_plan_programs(const sk__ge_plan *plan, size_t *count) {
  *count = plan->grouping.scope_count;
  return plan->programs;
}

const sk__plan *sk__ge_plan_order(const sk__ge_plan *plan) { return &plan->order; }

const char *sk__ge_plan_scope(const sk__ge_plan *plan, uint32_t number) { return plan->grouping.scopes[number].scope; }

size_t sk__ge_plan_warning_count(const sk__ge_plan *plan) { return plan->grouping.warning_count; }
const char *sk__ge_plan_warning(const sk__ge_plan *plan, size_t number) { return plan->grouping.warnings[number]; }

