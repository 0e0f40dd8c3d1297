/* plan.c - a whole graph of launches in graph mode: nodes grouped, one program per scope, all run in an order
 * that respects streams and events. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/vec.h"
#include "fuse/fuse.h"
#include "fuse/ge/internal.h"
#include "fuse/judge.h"
#include "fuse/order.h"

struct sk__ge_plan {
  const sk__graph *graph;  /* borrowed */
  sk__arena arena;
  sk__ge_node *nodes;      /* per graph node */
  uint32_t *before, *behind; /* per graph node: nearest kernels of its stream */
  uint32_t *record;          /* per graph node: of a wait, what it waits for */
  sk__ge_grouping grouping;
  sk__ge_program *programs; /* per scope */
  sk__plan order;          /* what the order of launches needs: members, places, decisions */
};

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
  out->name = node->type == SK__NODE_KERNEL && node->kernel.name != NULL ? node->kernel.name : "task";
  if (node->type != SK__NODE_KERNEL || node->marker != SK__NO_MARKER) return;
  out->supported = node->kernel.bound && !node->kernel.in_task_group;
  out->simt = node->kernel.simt;
  if (node->task != NULL) out->sub = sk__ge_sub_of_task(node->task);
  else
    out->sub = (sk__ge_sub){.described = true, .name = node->kernel.name, .type = node->kernel.type, .type_known = true, .complete = true, .task_known = true,
                            .blocks = node->kernel.blocks, .op_type = node->kernel.name, .text_bytes = {node->kernel.code_bytes[0][0], node->kernel.code_bytes[0][1]}};
}

/* What the operator says that made the launch. */
static void take_attributes(const sk__attributes *attributes, const char *options, sk__ge_node *out) {
  out->name = attributes->name;
  out->scope = attributes->scope;
  out->options = options != NULL ? options : attributes->options;
  out->aicore_num = attributes->aicore_num;
  out->vectorcore_num = attributes->vectorcore_num;
  if (attributes->type != NULL) out->sub.op_type = attributes->type;
}

static sk_status translate_all(sk__ge_plan *plan, sk__ge_options_fn options_of, void *context) {
  const sk__graph *graph = plan->graph;
  plan->nodes = sk__arena_array(&plan->arena, sk__ge_node, graph->node_count);
  if (plan->nodes == NULL) return SK_OUT_OF_MEMORY;
  frame_list frames = {0};
  sk_status status = SK_OK;
  for (size_t i = 0; i < graph->node_count && status == SK_OK; i++) {
    status = follow(&frames, &graph->nodes[i]);
    const sk__task *task = graph->nodes[i].task;
    const sk__attributes *attributes = task != NULL ? task->attributes : NULL;
    const char *scope = attributes != NULL ? attributes->scope : frames.count > 0 ? sk__vec_last(&frames) : NULL;
    const char *options = scope != NULL && options_of != NULL ? options_of(context, scope) : NULL;
    translate(&graph->nodes[i], scope, options, &plan->nodes[i]);
    if (attributes != NULL) take_attributes(attributes, options, &plan->nodes[i]);
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
      if (plan->nodes[node].kind == SK__GE_NODE_COMPUTE) latest = node;
      if (plan->nodes[mirror].kind == SK__GE_NODE_COMPUTE) next = mirror;
    }
  }
  return SK_OK;
}

typedef struct sent { uint64_t event; uint32_t node; } sent;
static int by_event(const void *a, const void *b) {
  const sent *x = a, *y = b;
  if (x->event != y->event) return x->event < y->event ? -1 : 1;
  return x->node < y->node ? -1 : x->node > y->node;
}

/* Per wait: the latest record of its event in front of it, UINT32_MAX none here. */
static sk_status find_records(sk__ge_plan *plan) {
  const sk__graph *graph = plan->graph;
  sent *all = sk__arena_array(&plan->arena, sent, graph->node_count);
  plan->record = sk__arena_array(&plan->arena, uint32_t, graph->node_count);
  if (all == NULL || plan->record == NULL) return SK_OUT_OF_MEMORY;
  size_t count = 0;
  for (uint32_t i = 0; i < graph->node_count; i++)
    if (graph->nodes[i].type == SK__NODE_NOTIFY) all[count++] = (sent){graph->nodes[i].event_id, i};
  qsort(all, count, sizeof *all, by_event);
  for (uint32_t i = 0; i < graph->node_count; i++) {
    const sk__node *node = &graph->nodes[i];
    plan->record[i] = UINT32_MAX;
    if (node->type != SK__NODE_WAIT || (node->event_flag & SK__EVENT_EXTERNAL) != 0) continue;
    size_t low = 0, high = count; /* the first that is behind (event, i) */
    while (low < high) {
      size_t middle = low + (high - low) / 2;
      if (by_event(&all[middle], &(sent){node->event_id, i}) < 0) low = middle + 1;
      else high = middle;
    }
    if (low > 0 && all[low - 1].event == node->event_id) plan->record[i] = all[low - 1].node;
  }
  return SK_OK;
}

static sk_status list_events(sk__ge_plan *plan, sk__ge_graph *out) {
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
      events[out->event_count++] = (sk__ge_event){SK__GE_EVENT_KIND, (int64_t)graph->nodes[i].event_id, from, to, graph->nodes[i].stream};
  }
  out->events = events;
  return status;
}

/* ---- programs -------------------------------------------------------------------------------- */

static sk_status generate_all(sk__ge_plan *plan, bool emulate, sk__text *why) {
  const sk__ge_grouping *grouping = &plan->grouping;
  plan->programs = sk__arena_array(&plan->arena, sk__ge_program, grouping->scope_count);
  if (plan->programs == NULL) return SK_OUT_OF_MEMORY;
  for (size_t k = 0; k < grouping->scope_count; k++) {
    sk__ge_failure failure;
    sk__ge_input input = sk__ge_scope_input(&grouping->scopes[k], emulate);
    sk_status status = sk__ge_generate(&input, &plan->arena, &plan->programs[k], &failure);
    if (status == SK_INVALID_ARGUMENT) sk__text_add(why, "scope %.100s: %s", grouping->scopes[k].scope, failure.why);
    if (status != SK_OK) return status;
  }
  return SK_OK;
}

/* ---- order ----------------------------------------------------------------------------------- */

static void adopt(sk__ge_plan *plan, uint32_t node, uint32_t sk) {
  sk__decision *decision = &plan->order.decisions[node];
  if (decision->fate == SK__STAYS && plan->nodes[node].kind == SK__GE_NODE_EVENT) *decision = (sk__decision){.fate = SK__FUSED, .sk = sk};
}

static uint32_t sk_of(const sk__ge_plan *plan, uint32_t node) { return node == UINT32_MAX ? UINT32_MAX : plan->order.decisions[node].sk; }

/* Event tasks between members of an SK on one stream belong to it, and both ends of an event between two of
 * its members: waits are done before it, records behind. */
static void adopt_events(sk__ge_plan *plan) {
  const sk__graph *graph = plan->graph;
  for (uint32_t i = 0; i < graph->node_count; i++) {
    if (plan->nodes[i].kind != SK__GE_NODE_EVENT) continue;
    uint32_t before = sk_of(plan, plan->before[i]), behind = sk_of(plan, plan->behind[i]), record = plan->record[i];
    if (before != UINT32_MAX && before == behind) adopt(plan, i, before);
    if (behind == UINT32_MAX || record == UINT32_MAX || sk_of(plan, plan->before[record]) != behind) continue;
    adopt(plan, i, behind);
    adopt(plan, record, behind);
  }
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
    order->sks[k] = (sk__sk){.name = scope->name, .scope_id = k, .members = members, .member_count = scope->member_count, .main = members[0]};
  }
  adopt_events(plan);
  return SK_OK;
}

/* ---- life ------------------------------------------------------------------------------------ */

void sk__ge_plan_free(sk__ge_plan *plan) {
  if (plan == NULL) return;
  sk__arena_free(&plan->arena);
  sk__free(plan);
}

sk_status sk__ge_plan_make(const sk__graph *graph, sk__ge_options_fn options_of, void *context, bool emulate_vendor_defects, sk__ge_plan **out, char *why,
                           size_t why_bytes) {
  sk__ge_plan *plan = sk__calloc(1, sizeof *plan);
  if (plan == NULL) return SK_OUT_OF_MEMORY;
  plan->graph = graph;
  sk__text text = sk__text_on(why, why_bytes);
  sk_status status = translate_all(plan, options_of, context);
  sk__ge_graph *ge = sk__arena_new(&plan->arena, sk__ge_graph);
  if (status == SK_OK && ge == NULL) status = SK_OUT_OF_MEMORY;
  if (status == SK_OK) {
    *ge = (sk__ge_graph){.nodes = plan->nodes, .node_count = graph->node_count, .aic_count = graph->aic_count, .aiv_count = graph->aiv_count};
    status = list_events(plan, ge);
  }
  if (status == SK_OK) status = sk__ge_group(ge, emulate_vendor_defects, &plan->arena, &plan->grouping, why, why_bytes);
  if (status == SK_OK) status = generate_all(plan, emulate_vendor_defects, &text);
  if (status == SK_OK) status = make_order(plan);
  if (status != SK_OK) {
    sk__ge_plan_free(plan);
    return status;
  }
  *out = plan;
  return SK_OK;
}

const sk__ge_program *sk__ge_plan_programs(const sk__ge_plan *plan, size_t *count) {
  *count = plan->grouping.scope_count;
  return plan->programs;
}

const sk__plan *sk__ge_plan_order(const sk__ge_plan *plan) { return &plan->order; }

const char *sk__ge_plan_scope(const sk__ge_plan *plan, uint32_t number) { return plan->grouping.scopes[number].scope; }

const sk__task *sk__ge_plan_record_of(const sk__ge_plan *plan, const sk__task *wait) {
  for (size_t i = 0; i < plan->graph->node_count; i++)
    if (plan->graph->nodes[i].task == wait) return plan->record[i] != UINT32_MAX ? plan->graph->nodes[plan->record[i]].task : NULL;
  return NULL;
}

size_t sk__ge_plan_warning_count(const sk__ge_plan *plan) { return plan->grouping.warning_count; }
const char *sk__ge_plan_warning(const sk__ge_plan *plan, size_t number) { return plan->grouping.warnings[number]; }

void sk__ge_plan_print(const sk__ge_plan *plan, FILE *to) {
  for (size_t k = 0; k < plan->grouping.scope_count; k++) {
    fprintf(to, "%s on stream %lld: ", plan->grouping.scopes[k].name, (long long)plan->grouping.scopes[k].stream);
    sk__ge_print(&plan->programs[k], to);
  }
  for (size_t i = 0; i < plan->graph->node_count; i++)
    if (plan->nodes[i].kind == SK__GE_NODE_COMPUTE && plan->order.decisions[i].sk == UINT32_MAX) {
      bool named = plan->nodes[i].scope != NULL && plan->nodes[i].scope[0] != '\0';
      const char *why = !named ? "in no scope" : plan->nodes[i].supported ? "its scope is not fused" : "cannot be called from a SuperKernel";
      fprintf(to, "%s (node %lld) runs by itself: %s\n", plan->nodes[i].name, (long long)plan->nodes[i].id, why);
    }
  for (size_t i = 0; i < plan->grouping.warning_count; i++) fprintf(to, "warning: %s\n", plan->grouping.warnings[i]);
}

/* ---- running --------------------------------------------------------------------------------- */

typedef struct runner {
  sk__runtime *runtime;
  const sk__ge_plan *plan;
  uint32_t *first, *adopted; /* event tasks of SK k: adopted[first[k]] .. adopted[first[k + 1]] */
  sk__launch_result *results;
  size_t *launches;
} runner;

static bool is_adopted(const sk__ge_plan *plan, uint32_t node) {
  return plan->order.decisions[node].sk != UINT32_MAX && plan->nodes[node].kind == SK__GE_NODE_EVENT;
}

static sk_status sort_adopted(runner *r) {
  const sk__ge_plan *plan = r->plan;
  r->first = sk__calloc(plan->order.sk_count + 2, sizeof(uint32_t));
  r->adopted = sk__calloc(plan->graph->node_count + 1, sizeof(uint32_t));
  if (r->first == NULL || r->adopted == NULL) return SK_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < plan->graph->node_count; i++)
    if (is_adopted(plan, i)) r->first[plan->order.decisions[i].sk + 2]++;
  for (size_t k = 0; k < plan->order.sk_count; k++) r->first[k + 2] += r->first[k + 1];
  for (uint32_t i = 0; i < plan->graph->node_count; i++)
    if (is_adopted(plan, i)) r->adopted[r->first[plan->order.decisions[i].sk + 1]++] = i;
  return SK_OK;
}

/* A wait for a record of the same SK is a matter of the program. */
static sk_status run_events(const runner *r, uint32_t sk, bool waits) {
  const sk__ge_plan *plan = r->plan;
  for (uint32_t i = r->first[sk]; i < r->first[sk + 1]; i++) {
    const sk__node *node = &plan->graph->nodes[r->adopted[i]];
    if ((node->type == SK__NODE_WAIT) != waits) continue;
    uint32_t record = plan->record[r->adopted[i]];
    if (record != UINT32_MAX && plan->order.decisions[record].sk == sk) continue;
    sk__task *task = node->task;
    sk_status status = sk__runtime_run(r->runtime, &task, 1, NULL);
    if (status != SK_OK) return status;
  }
  return SK_OK;
}

static sk_status run_sk(const runner *r, uint32_t sk) {
  sk_status status = run_events(r, sk, true);
  if (status != SK_OK) return status;
  sk__launch_result *result = &r->results[(*r->launches)++];
  status = sk__ge_run(r->runtime, &r->plan->programs[sk], NULL, result);
  sk_status events = run_events(r, sk, false);
  return status != SK_OK ? status : events;
}

static sk_status run_alone(const runner *r, const sk__node *node) {
  sk__task *task = node->task;
  sk__task_result result;
  sk_status status = sk__runtime_run(r->runtime, &task, 1, &result);
  if (task->kind == SK__TASK_KERNEL)
    r->results[(*r->launches)++] = (sk__launch_result){.name = node->kernel.name, .type = node->kernel.type, .blocks = node->kernel.blocks, .status = result.status, .stats = result.stats};
  return status;
}

sk_status sk__ge_plan_run(sk__runtime *runtime, const sk__ge_plan *plan, sk__launch_result *results, size_t *launches) {
  runner r = {.runtime = runtime, .plan = plan, .results = results, .launches = launches};
  *launches = 0;
  for (size_t i = 0; i < plan->graph->node_count; i++)
    if (plan->graph->nodes[i].task == NULL) return SK_INVALID_ARGUMENT; /* a graph from a file has nothing to run */
  uint32_t *order = NULL;
  size_t count = 0;
  sk_status status = sk__plan_order(&plan->order, &order, &count);
  if (status == SK_NOT_MODELLED) sk__report_circle(runtime, &plan->order, order, count);
  if (status == SK_OK) status = sort_adopted(&r);
  sk_status worst = SK_OK;
  for (size_t i = 0; i < count && status == SK_OK; i++) {
    uint32_t sk = plan->order.decisions[order[i]].sk;
    sk_status one = sk != UINT32_MAX ? run_sk(&r, sk) : run_alone(&r, &plan->graph->nodes[order[i]]);
    if (worst == SK_OK) worst = one;
  }
  sk__free(order);
  sk__free(r.first);
  sk__free(r.adopted);
  return status != SK_OK ? status : worst;
}
