/* merge.c - scopes become SK nodes one after another: stream, boundary, events made anew. */
#include <stdlib.h>
#include <string.h>

#include "fuse/ge/group.h"

enum { NONE = UINT32_MAX };
#define FIRST_MEMORY_ID (INT32_MAX / 2)

typedef struct link { sk__ge_event event; bool alive; uint32_t next_from, next_to; } link; /* next of the same node */
typedef SK__VEC(link) link_list;
typedef struct pair { uint32_t from, to, order; } pair;
typedef SK__VEC(pair) pair_list;

typedef struct merger {
  sk__ge_grouper *g;
  uint32_t *group_of;      /* per node: SK it was merged into, NONE */
  uint32_t *slot;          /* per node: SK that stands at its place, NONE */
  uint32_t *before, *after; /* per node: nearest place of its stream that still stands, itself included; NONE */
  uint32_t *sends, *receives; /* per node: first link */
  link_list links;
  pair_list pairs;         /* of the scope being merged */
  SK__VEC(int64_t) free_ids; /* plain event ids removed with this scope */
  int64_t counted;         /* events made so far, over all scopes */
} merger;

static bool is_sk(uint32_t end) { return (end & SK__GE_SK_END) != 0; }

/* ---- links ----------------------------------------------------------------------------------- */

static sk_status add_link(merger *m, sk__ge_event event) {
  link one = {event, true, NONE, NONE};
  uint32_t number = (uint32_t)m->links.count;
  if (!is_sk(event.from)) {
    one.next_from = m->sends[event.from];
    m->sends[event.from] = number;
  }
  if (!is_sk(event.to)) {
    one.next_to = m->receives[event.to];
    m->receives[event.to] = number;
  }
  return sk__vec_push(&m->links, one) ? SK_OK : SK_OUT_OF_MEMORY;
}

static sk_status remake(merger *m, uint32_t from, uint32_t to) {
  pair one = {from, to, (uint32_t)m->pairs.count};
  return from == to || sk__vec_push(&m->pairs, one) ? SK_OK : SK_OUT_OF_MEMORY;
}

static sk_status remove_link(merger *m, link *one) {
  one->alive = false;
  if (one->event.kind != SK__GE_EVENT_KIND) return SK_OK;
  return sk__vec_push(&m->free_ids, one->event.id) ? SK_OK : SK_OUT_OF_MEMORY;
}

/* ---- streams --------------------------------------------------------------------------------- */

/* The end that stands nearest to the node's place, itself included; what is passed over is skipped for good. */
static uint32_t nearest(uint32_t *jump, const merger *m, uint32_t node) {
  uint32_t at = node;
  while (at != NONE && jump[at] != at) at = jump[at];
  for (uint32_t step = node; step != NONE && step != at;) {
    uint32_t next = jump[step];
    jump[step] = at;
    step = next;
  }
  if (at == NONE) return NONE;
  return m->slot[at] != NONE ? (SK__GE_SK_END | m->slot[at]) : at;
}

static uint32_t neighbour(merger *m, uint32_t node, bool forward) {
  const sk__ge_grouper *g = m->g;
  uint32_t position = g->position[node], stream = g->stream_of[node];
  if (forward ? position + 1 == g->stream_sizes[stream] : position == 0) return NONE;
  return nearest(forward ? m->after : m->before, m, g->stream_nodes[stream][forward ? position + 1 : position - 1]);
}

static void take_out(merger *m, uint32_t node) {
  const sk__ge_grouper *g = m->g;
  uint32_t position = g->position[node], stream = g->stream_of[node];
  m->before[node] = position == 0 ? NONE : g->stream_nodes[stream][position - 1];
  m->after[node] = position + 1 == g->stream_sizes[stream] ? NONE : g->stream_nodes[stream][position + 1];
}

typedef struct part { uint32_t stream, first, last; } part; /* of a scope on one stream */
typedef SK__VEC(part) part_list;

static int by_stream(const void *a, const void *b) {
  const part *x = a, *y = b;
  if (x->stream != y->stream) return x->stream < y->stream ? -1 : 1;
  return x->first < y->first ? -1 : x->first > y->first;
}

static sk_status list_parts(const merger *m, const sk__ge_scope *scope, part_list *out) {
  for (size_t i = 0; i < scope->member_count; i++) {
    part one = {m->g->stream_of[scope->members[i]], scope->members[i], scope->members[i]};
    if (!sk__vec_push(out, one)) return SK_OUT_OF_MEMORY;
  }
  qsort(out->items, out->count, sizeof(part), by_stream);
  size_t kept = 0;
  for (size_t i = 0; i < out->count; i++) {
    if (kept > 0 && out->items[kept - 1].stream == out->items[i].stream) out->items[kept - 1].last = out->items[i].last;
    else out->items[kept++] = out->items[i];
  }
  out->count = kept;
  return SK_OK;
}

/* A collective first gives the stream of the lowest number whose first sub is none. */
static uint32_t stream_of_sk(const merger *m, const sk__ge_scope *scope, const part_list *parts) {
  const sk__ge_node *nodes = m->g->graph->nodes;
  uint32_t standard = m->g->stream_of[scope->members[0]];
  if (!nodes[scope->members[0]].hccl) return standard;
  for (size_t i = 0; i < parts->count; i++)
    if (!nodes[parts->items[i].first].hccl) return parts->items[i].stream;
  return standard;
}

/* ---- one scope ------------------------------------------------------------------------------- */

static const part *part_on(const part_list *parts, uint32_t stream) {
  part key = {.stream = stream};
  size_t low = 0, high = parts->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (parts->items[middle].stream < key.stream) low = middle + 1;
    else high = middle;
  }
  return low < parts->count && parts->items[low].stream == stream ? &parts->items[low] : NULL;
}

/* Whoever ran beside the scope before or behind it on another stream still does. */
static sk_status bound(merger *m, const sk__ge_scope *scope, uint32_t number, uint32_t sk_stream, const part_list *parts) {
  for (size_t i = 0; i < parts->count; i++) {
    if (parts->items[i].stream == sk_stream) continue;
    uint32_t earlier = neighbour(m, parts->items[i].first, false), later = neighbour(m, parts->items[i].last, true);
    uint32_t last = parts->items[i].last, end = SK__GE_SK_END | number;
    sk_status status = earlier != NONE ? remake(m, earlier, end) : SK_OK;
    if (status == SK_OK && later != NONE) status = remake(m, last == scope->members[scope->member_count - 1] ? end : last, later);
    if (status != SK_OK) return status;
  }
  return SK_OK;
}

static uint32_t new_source(const merger *m, const sk__ge_scope *scope, uint32_t number, uint32_t from) {
  bool last = !is_sk(from) && m->group_of[from] == number && from == scope->members[scope->member_count - 1];
  return last ? SK__GE_SK_END | number : from;
}

static uint32_t new_destination(const merger *m, const sk__ge_scope *scope, uint32_t number, uint32_t sk_stream, const part_list *parts, const sk__ge_event *event) {
  const sk__ge_node *nodes = m->g->graph->nodes;
  uint32_t to = event->to, end = SK__GE_SK_END | number;
  if (is_sk(to) || m->group_of[to] != number) return to;
  if (to == scope->members[0]) return end;
  bool outside = is_sk(event->from) || m->group_of[event->from] != number;
  bool first_there = part_on(parts, m->g->stream_of[to])->first == to && m->g->stream_of[to] != sk_stream;
  const part *own = part_on(parts, sk_stream);
  int64_t sk_stream_id = nodes[own->first].stream;
  if (first_there && outside && (event->recv_stream == sk_stream_id || event->recv_stream == nodes[to].stream)) return end;
  if (nodes[to].tiling_on_aicpu && event->recv_stream != nodes[to].stream) return end;
  return to;
}

static sk_status move_link(merger *m, const sk__ge_scope *scope, uint32_t number, uint32_t sk_stream, const part_list *parts, link *one) {
  if (!one->alive) return SK_OK;
  sk__ge_event event = one->event;
  sk_status status = remove_link(m, one);
  if (status != SK_OK) return status;
  return remake(m, new_source(m, scope, number, event.from), new_destination(m, scope, number, sk_stream, parts, &event));
}

static int by_ends(const void *a, const void *b) {
  const pair *x = a, *y = b;
  if (x->from != y->from) return x->from < y->from ? -1 : 1;
  if (x->to != y->to) return x->to < y->to ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}
static int by_order(const void *a, const void *b) {
  const pair *x = a, *y = b;
  return x->order < y->order ? -1 : x->order > y->order;
}
static int by_number(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

static void once_each(pair_list *pairs) {
  if (pairs->count == 0) return;
  qsort(pairs->items, pairs->count, sizeof(pair), by_ends);
  size_t kept = 1;
  for (size_t i = 1; i < pairs->count; i++)
    if (pairs->items[i].from != pairs->items[kept - 1].from || pairs->items[i].to != pairs->items[kept - 1].to) pairs->items[kept++] = pairs->items[i];
  pairs->count = kept;
  qsort(pairs->items, pairs->count, sizeof(pair), by_order);
}

static bool in_root(const merger *m, uint32_t end) { return is_sk(end) || m->group_of[end] == NONE; }

static int64_t stream_id(const merger *m, uint32_t end) {
  return is_sk(end) ? m->g->groups.items[end & ~SK__GE_SK_END].stream : m->g->graph->nodes[end].stream;
}

/* Events inside the graph reuse plain ids; all others are words in memory. */
static sk_status make_events(merger *m) {
  if (m->free_ids.count > 0) qsort(m->free_ids.items, m->free_ids.count, sizeof(int64_t), by_number);
  size_t used = 0;
  for (size_t i = 0; i < m->pairs.count; i++) {
    sk__ge_event event = {SK__GE_MEMORY_KIND, FIRST_MEMORY_ID + m->counted++, m->pairs.items[i].from, m->pairs.items[i].to, 0};
    event.recv_stream = stream_id(m, event.to);
    if (used < m->free_ids.count && in_root(m, event.from) && in_root(m, event.to)) {
      event.kind = SK__GE_EVENT_KIND;
      event.id = m->free_ids.items[used++];
    }
    sk_status status = add_link(m, event);
    if (status != SK_OK) return status;
  }
  return SK_OK;
}

static sk_status merge_events(merger *m, const sk__ge_scope *scope, uint32_t number, uint32_t sk_stream, const part_list *parts) {
  sk__vec_clear(&m->pairs);
  sk__vec_clear(&m->free_ids);
  sk_status status = bound(m, scope, number, sk_stream, parts);
  for (size_t i = 0; i < scope->member_count && status == SK_OK; i++) {
    for (uint32_t at = m->receives[scope->members[i]]; at != NONE && status == SK_OK; at = m->links.items[at].next_to)
      status = move_link(m, scope, number, sk_stream, parts, &m->links.items[at]);
    for (uint32_t at = m->sends[scope->members[i]]; at != NONE && status == SK_OK; at = m->links.items[at].next_from)
      status = move_link(m, scope, number, sk_stream, parts, &m->links.items[at]);
  }
  if (status != SK_OK) return status;
  once_each(&m->pairs);
  return make_events(m);
}

static sk_status merge_one(merger *m, uint32_t number, part_list *parts) {
  const sk__ge_graph *graph = m->g->graph;
  sk__ge_scope *scope = &m->g->groups.items[number];
  const sk__ge_node *first = &graph->nodes[scope->members[0]], *last = &graph->nodes[scope->members[scope->member_count - 1]];
  sk_status status = list_parts(m, scope, parts);
  if (status != SK_OK) return status;
  uint32_t stream = stream_of_sk(m, scope, parts), place = part_on(parts, stream)->first;
  scope->stream = graph->nodes[place].stream;
  scope->options = first->options;
  scope->name = sk__arena_format(m->g->arena, "sk_%s_start_%s_end_%s", scope->scope, first->name, last->name);
  if (scope->name == NULL) return SK_OUT_OF_MEMORY;
  for (size_t i = 0; i < scope->member_count; i++) {
    m->group_of[scope->members[i]] = number;
    if (scope->members[i] != place) take_out(m, scope->members[i]);
  }
  m->slot[place] = number;
  return merge_events(m, scope, number, stream, parts);
}

/* ---- subs ------------------------------------------------------------------------------------ */

/* Links of one node in order of making; the lists run from the newest to the oldest. */
static sk_status event_ids(const merger *m, uint32_t first, bool receives, sk__ge_ids *out) {
  size_t count = 0;
  for (uint32_t at = first; at != NONE; at = receives ? m->links.items[at].next_to : m->links.items[at].next_from) count += m->links.items[at].alive;
  int64_t *items = sk__arena_array(m->g->arena, int64_t, count);
  if (items == NULL) return SK_OUT_OF_MEMORY;
  size_t to = count;
  for (uint32_t at = first; at != NONE; at = receives ? m->links.items[at].next_to : m->links.items[at].next_from)
    if (m->links.items[at].alive) items[--to] = m->links.items[at].event.id;
  *out = (sk__ge_ids){items, count};
  return SK_OK;
}

static void limit_cores(const sk__ge_graph *graph, sk__ge_scope *scope) {
  uint32_t aic = 0, aiv = 0;
  for (size_t i = 0; i < scope->member_count; i++) {
    const sk__ge_node *node = &graph->nodes[scope->members[i]];
    if (node->hccl) continue;
    if (node->aicore_num > aic) aic = node->aicore_num;
    if (node->vectorcore_num > aiv) aiv = node->vectorcore_num;
  }
  bool known = aic != 0 && aiv != 0;
  scope->aic_count = known ? aic : graph->aic_count;
  scope->aiv_count = known ? aiv : graph->aiv_count;
}

static sk_status make_subs(const merger *m, sk__ge_scope *scope) {
  const sk__ge_graph *graph = m->g->graph;
  scope->subs = sk__arena_array(m->g->arena, sk__ge_sub, scope->member_count);
  if (scope->subs == NULL) return SK_OUT_OF_MEMORY;
  limit_cores(graph, scope);
  for (size_t i = 0; i < scope->member_count; i++) {
    uint32_t node = scope->members[i];
    sk__ge_sub *sub = &scope->subs[i];
    *sub = graph->nodes[node].sub;
    sub->stream = graph->nodes[node].stream;
    sk_status status = event_ids(m, m->sends[node], false, &sub->send);
    if (status == SK_OK) status = event_ids(m, m->receives[node], true, &sub->recv);
    if (status != SK_OK) return status;
  }
  return SK_OK;
}

/* ---- all ------------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b) {
  const sk__ge_scope *x = a, *y = b;
  int order = strcmp(x->scope, y->scope);
  return order != 0 ? order : x->members[0] < y->members[0] ? -1 : 1;
}

static sk_status prepare(merger *m) {
  const sk__ge_graph *graph = m->g->graph;
  uint32_t **tables[] = {&m->group_of, &m->slot, &m->before, &m->after, &m->sends, &m->receives};
  for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++) {
    *tables[t] = sk__arena_array(m->g->arena, uint32_t, graph->node_count);
    if (*tables[t] == NULL) return SK_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < graph->node_count; i++) (*tables[t])[i] = *tables[t] == m->before || *tables[t] == m->after ? i : NONE;
  }
  sk_status status = SK_OK;
  for (size_t i = 0; i < graph->event_count && status == SK_OK; i++) status = add_link(m, graph->events[i]);
  return status;
}

static sk_status publish(merger *m) {
  sk__ge_grouping *out = m->g->out;
  out->events = sk__arena_array(m->g->arena, sk__ge_event, m->links.count);
  out->scopes = sk__arena_array(m->g->arena, sk__ge_scope, m->g->groups.count);
  if (out->events == NULL || out->scopes == NULL) return SK_OUT_OF_MEMORY;
  for (size_t i = 0; i < m->links.count; i++)
    if (m->links.items[i].alive) out->events[out->event_count++] = m->links.items[i].event;
  sk_status status = SK_OK;
  for (size_t k = 0; k < m->g->groups.count && status == SK_OK; k++) {
    out->scopes[out->scope_count++] = m->g->groups.items[k];
    status = make_subs(m, &out->scopes[k]);
  }
  return status;
}

sk_status sk__ge_merge_groups(sk__ge_grouper *g) {
  merger m = {.g = g};
  part_list parts = {0};
  if (g->groups.count > 0) qsort(g->groups.items, g->groups.count, sizeof(sk__ge_scope), by_name);
  sk_status status = prepare(&m);
  for (uint32_t k = 0; k < g->groups.count && status == SK_OK; k++) {
    sk__vec_clear(&parts);
    status = merge_one(&m, k, &parts);
  }
  if (status == SK_OK) status = publish(&m);
  sk__vec_free(&parts);
  sk__vec_free(&m.links);
  sk__vec_free(&m.pairs);
  sk__vec_free(&m.free_ids);
  return status;
}
