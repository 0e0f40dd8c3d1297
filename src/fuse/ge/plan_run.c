/* plan_run.c - runs a planned graph: SuperKernels and what stays outside, in an order that respects streams and
 * events, at the same time where they wait for each other. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/vec.h"
#include "fuse/ge/plan.h"

/* A wait by the kernel behind it. */
typedef struct answered { uint32_t behind, wait; } answered;

typedef struct runner {
  const sk__ge_plan *plan;
  sk__arena arena;
  uint32_t *first, *adopted;   /* event tasks of SK k: adopted[first[k]] .. adopted[first[k + 1]] */
  const sk__ge_event **by_id;  /* words between a member and the outside, ascending ids */
  size_t event_count;
  answered *waits;             /* waits with a record in the graph, ascending */
  size_t wait_count;
  bool *inside, *releases;
  sk__ge_tellers *tellers;     /* per SK */
  void **kept;                 /* per SK */
} runner;

/* ---- event tasks of an SK -------------------------------------------------------------------- */

static bool is_adopted(const sk__ge_plan *plan, uint32_t node) {
  return plan->order.decisions[node].sk != UINT32_MAX && plan->ge.nodes[node].kind == SK__GE_NODE_EVENT;
}

static sk_status sort_adopted(runner *r) {
  const sk__ge_plan *plan = r->plan;
  r->first = sk__arena_array(&r->arena, uint32_t, plan->order.sk_count + 2);
  r->adopted = sk__arena_array(&r->arena, uint32_t, plan->graph->node_count + 1);
  if (r->first == NULL || r->adopted == NULL) return SK_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < plan->graph->node_count; i++)
    if (is_adopted(plan, i)) r->first[plan->order.decisions[i].sk + 2]++;
  for (size_t k = 0; k < plan->order.sk_count; k++) r->first[k + 2] += r->first[k + 1];
  for (uint32_t i = 0; i < plan->graph->node_count; i++)
    if (is_adopted(plan, i)) r->adopted[r->first[plan->order.decisions[i].sk + 1]++] = i;
  return SK_OK;
}

/* ---- words ----------------------------------------------------------------------------------- */

static int by_event_id(const void *a, const void *b) {
  int64_t x = (*(const sk__ge_event *const *)a)->id, y = (*(const sk__ge_event *const *)b)->id;
  return x < y ? -1 : x > y;
}

static int by_behind(const void *a, const void *b) {
  const answered *x = a, *y = b;
  if (x->behind != y->behind) return x->behind < y->behind ? -1 : 1;
  return x->wait < y->wait ? -1 : 1;
}

static sk_status sort_events(runner *r) {
  const sk__ge_grouping *grouping = &r->plan->grouping;
  r->by_id = sk__arena_array(&r->arena, const sk__ge_event *, grouping->event_count + 1);
  if (r->by_id == NULL) return SK_OUT_OF_MEMORY;
  for (size_t i = 0; i < grouping->event_count; i++)
    if (grouping->events[i].kind == SK__GE_MEMORY_KIND) r->by_id[r->event_count++] = &grouping->events[i];
  if (r->event_count > 0) qsort((void *)r->by_id, r->event_count, sizeof r->by_id[0], by_event_id);
  return SK_OK;
}

static const sk__ge_event *event_of(const runner *r, int64_t id) {
  sk__ge_event key = {.id = id};
  const sk__ge_event *at = &key;
  const sk__ge_event **found = r->event_count > 0 ? (const sk__ge_event **)bsearch(&at, r->by_id, r->event_count, sizeof r->by_id[0], by_event_id) : NULL;
  return found != NULL ? *found : NULL;
}

/* The node at which an event starts: an SK sends behind its last sub. */
static uint32_t source_of(const runner *r, const sk__ge_event *event) {
  if ((event->from & SK__GE_SK_END) == 0) return event->from;
  const sk__ge_scope *scope = &r->plan->grouping.scopes[event->from & ~SK__GE_SK_END];
  return scope->members[scope->member_count - 1];
}

typedef SK__VEC(uint32_t) node_list;

/* Records of one sub's events from a node: what its waits between stand for. */
static bool list_records(runner *r, uint32_t from, uint32_t to, node_list *out) {
  const sk__ge_plan *plan = r->plan;
  size_t low = 0, high = r->wait_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (r->waits[middle].behind < to) low = middle + 1;
    else high = middle;
  }
  for (size_t i = low; i < r->wait_count && r->waits[i].behind == to; i++) {
    uint32_t wait = r->waits[i].wait, record = plan->record[wait];
    if (plan->before[record] != from) continue;
    if (is_adopted(plan, wait)) r->inside[wait] = true;
    if (!sk__vec_push(out, record)) return false;
  }
  return true;
}

/* What a sub tells: records behind it that belong to the SK, and to its stream that it may go on. */
static bool list_told(const runner *r, uint32_t from, node_list *out) {
  const sk__graph *graph = r->plan->graph;
  const sk__node *node = &graph->nodes[from];
  for (uint32_t at = node->position + 1; at < graph->stream_sizes[node->stream]; at++) {
    uint32_t next = graph->stream_nodes[node->stream][at];
    if (r->plan->ge.nodes[next].kind == SK__GE_NODE_COMPUTE) break;
    if (graph->nodes[next].type == SK__NODE_NOTIFY && r->plan->order.decisions[next].sk == r->plan->order.decisions[from].sk && !sk__vec_push(out, next))
      return false;
  }
  return !r->releases[from] || sk__vec_push(out, from);
}

static bool is_last_there(const sk__ge_plan *plan, const sk__ge_scope *scope, size_t sub) {
  for (size_t i = sub + 1; i < scope->member_count; i++)
    if (plan->graph->nodes[scope->members[i]].stream == plan->graph->nodes[scope->members[sub]].stream) return false;
  return true;
}

static sk_status map_words(runner *r, uint32_t k) {
  const sk__ge_scope *scope = &r->plan->grouping.scopes[k];
  const sk__ge_program *program = &r->plan->programs[k];
  sk__ge_tellers *out = &r->tellers[k];
  node_list *words = sk__calloc(program->param_count + 2, sizeof *words);
  out->first = sk__arena_array(&r->arena, uint32_t, program->param_count + 2);
  bool good = words != NULL && out->first != NULL;
  for (uint32_t number = 0; number < program->sub_count && good; number++) {
    uint32_t at = program->subs[number], node = scope->members[at];
    const sk__ge_sub *sub = &program->inputs[at];
    for (size_t i = 0; i < sub->recv.count && good; i++) {
      const sk__ge_event *event = event_of(r, sub->recv.items[i]);
      uint32_t from = event != NULL ? source_of(r, event) : UINT32_MAX;
      if (event != NULL && r->plan->order.decisions[from].sk != k) good = list_records(r, from, node, &words[program->params[number].wait + i]);
    }
    r->releases[node] = sub->send.count > 0 && at + 1 < scope->member_count && scope->stream != sub->stream && is_last_there(r->plan, scope, at);
    for (size_t i = 0; i < sub->send.count && good; i++) good = list_told(r, node, &words[program->params[number].notify + i]);
  }
  size_t total = 0;
  for (uint32_t n = 0; n <= program->param_count && good; n++) total += words[n].count;
  out->nodes = good ? sk__arena_array(&r->arena, uint32_t, total + 1) : NULL;
  good = good && out->nodes != NULL;
  uint32_t filled = 0;
  for (uint32_t n = 0; n <= program->param_count && words != NULL; n++) {
    if (good) out->first[n] = filled;
    for (size_t i = 0; i < words[n].count && good; i++) out->nodes[filled++] = words[n].items[i];
    sk__vec_free(&words[n]);
  }
  if (good) out->first[program->param_count + 1] = filled;
  sk__free(words);
  return good ? SK_OK : SK_OUT_OF_MEMORY;
}

static sk_status map_all(runner *r) {
  const sk__ge_plan *plan = r->plan;
  size_t nodes = plan->graph->node_count + 1;
  r->inside = sk__arena_array(&r->arena, bool, nodes);
  r->releases = sk__arena_array(&r->arena, bool, nodes);
  r->waits = sk__arena_array(&r->arena, answered, nodes);
  r->tellers = sk__arena_array(&r->arena, sk__ge_tellers, plan->order.sk_count + 1);
  r->kept = sk__arena_array(&r->arena, void *, plan->order.sk_count + 1);
  if (r->inside == NULL || r->releases == NULL || r->waits == NULL || r->tellers == NULL || r->kept == NULL) return SK_OUT_OF_MEMORY;
  for (uint32_t i = 0; i + 1 < nodes; i++)
    if (plan->record[i] != UINT32_MAX) r->waits[r->wait_count++] = (answered){plan->behind[i], i};
  if (r->wait_count > 0) qsort(r->waits, r->wait_count, sizeof r->waits[0], by_behind);
  sk_status status = sort_events(r);
  for (uint32_t k = 0; k < plan->order.sk_count && status == SK_OK; k++) status = map_words(r, k);
  return status;
}

/* ---- running --------------------------------------------------------------------------------- */

/* Waits that no word of the program stands for are answered before it starts; one for a record of the same SK is a matter of
 * the program. */
static sk_status prepare(sk__course *course, uint32_t sk) {
  const runner *r = course->context;
  const sk__ge_plan *plan = r->plan;
  for (uint32_t i = r->first[sk]; i < r->first[sk + 1]; i++) {
    uint32_t node = r->adopted[i], record = plan->record[node];
    if (plan->graph->nodes[node].type != SK__NODE_WAIT || r->inside[node]) continue;
    if (record != UINT32_MAX && plan->order.decisions[record].sk == sk) continue;
    sk_status status = sk__course_node(course, node);
    if (status != SK_OK) return status;
  }
  return SK_OK;
}

static sk_status begin(sk__course *course, uint32_t sk, sk__snapshot *before, sk__snapshot *after, sk__launch_result *result,
                       sk__standing **standing) {
  const runner *r = course->context;
  sk_status status = sk__ge_begin(course, &r->plan->programs[sk], &r->tellers[sk], before, after, result, standing, &r->kept[sk]);
  result->node = course->plan->sks[sk].main.value;
  return status;
}

static sk_status finish(sk__course *course, uint32_t sk) {
  const runner *r = course->context;
  for (uint32_t i = r->first[sk]; i < r->first[sk + 1]; i++) {
    if (r->plan->graph->nodes[r->adopted[i]].type == SK__NODE_WAIT) continue;
    sk_status status = sk__course_node(course, r->adopted[i]);
    if (status != SK_OK) return status;
  }
  return SK_OK;
}

sk_status sk__ge_plan_run(sk__runtime *runtime, const sk__ge_plan *plan, sk__launch_result *results, size_t *launches) {
  return sk__ge_plan_run_part(runtime, plan, NULL, results, launches);
}

sk_status sk__ge_plan_run_part(sk__runtime *runtime, const sk__ge_plan *plan, const sk__part *part, sk__launch_result *results, size_t *launches) {
  *launches = 0;
  if (plan->graph == NULL) return SK_INVALID_ARGUMENT;
  for (size_t i = 0; i < plan->graph->node_count; i++)
    if (plan->graph->nodes[i].task == NULL) return SK_INVALID_ARGUMENT; /* a graph from a file has nothing to run */
  runner r = {.plan = plan};
  sk__course course = {.runtime = runtime, .plan = &plan->order, .part = part, .results = results, .launches = launches, .prepare = prepare,
                       .begin = begin, .finish = finish, .context = &r};
  course.told = sk__calloc(plan->graph->node_count + 1, sizeof(sk__told));
  sk_status status = course.told != NULL ? sort_adopted(&r) : SK_OUT_OF_MEMORY;
  if (status == SK_OK) status = map_all(&r);
  course.inside = r.inside;
  course.releases = r.releases;
  if (status == SK_OK) status = sk__course_run(&course);
  for (size_t k = 0; k < plan->order.sk_count && r.kept != NULL; k++) sk__ge_kept_free(r.kept[k]);
  sk__free(course.told);
  sk__arena_free(&r.arena);
  return status;
}
