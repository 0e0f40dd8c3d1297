/* order.c - one sequence of launches for several streams: units (SKs, and tasks outside) are taken in
 * order of capture as soon as what they depend on has been taken. */
#include <string.h>

#include "base/memory.h"
#include "base/vec.h"
#include "fuse/order.h"

typedef struct link { uint32_t from, to; } link;
typedef struct units {
  const sk__plan *plan;
  uint32_t *unit_of;     /* per node: unit, UINT32_MAX for nodes that vanish */
  uint32_t *leader;      /* per unit: node that stands for it */
  size_t count;
  SK__VEC(link) links;
  bool out_of_memory;
} units;

static void depend(units *u, uint32_t from, uint32_t to) {
  if (from == to) return;
  if (!sk__vec_push(&u->links, ((link){from, to}))) u->out_of_memory = true;
}

static sk_status make_units(units *u) {
  const sk__graph *graph = u->plan->graph;
  uint32_t *sk_unit = sk__malloc((u->plan->sk_count + 1) * sizeof(uint32_t));
  if (sk_unit == NULL) return SK_OUT_OF_MEMORY;
  for (size_t i = 0; i < graph->node_count; i++) { /* units in order of their leaders */
    const sk__decision *decision = &u->plan->decisions[i];
    u->unit_of[i] = UINT32_MAX;
    if (decision->sk != UINT32_MAX && u->plan->sks[decision->sk].main.value == i) sk_unit[decision->sk] = (uint32_t)u->count;
    else if (decision->fate != SK__STAYS) continue;
    u->unit_of[i] = (uint32_t)u->count;
    u->leader[u->count++] = (uint32_t)i;
  }
  for (size_t i = 0; i < graph->node_count; i++)
    if (u->plan->decisions[i].sk != UINT32_MAX) u->unit_of[i] = sk_unit[u->plan->decisions[i].sk];
  sk__free(sk_unit);
  return SK_OK;
}

/* Stream order, and records before the waits that mean them. */
static sk_status make_links(units *u) {
  const sk__graph *graph = u->plan->graph;
  uint32_t *last = sk__malloc((graph->stream_count + 1) * sizeof(uint32_t));
  if (last == NULL) return SK_OUT_OF_MEMORY;
  memset(last, 0xff, (graph->stream_count + 1) * sizeof(uint32_t));
  for (size_t i = 0; i < graph->node_count; i++) {
    uint32_t unit = u->unit_of[i];
    if (unit == UINT32_MAX) continue;
    uint32_t *before = &last[graph->nodes[i].stream];
    if (*before != UINT32_MAX) depend(u, *before, unit);
    *before = unit;
    const sk__node *node = &graph->nodes[i];
    if (node->type != SK__NODE_WAIT || (node->event_flag & SK__EVENT_EXTERNAL) != 0) continue;
    if (node->event_id == 0 || node->event_id > graph->node_count) continue;
    uint32_t record = u->unit_of[node->event_id - 1]; /* events of task graphs are named by their record's id */
    if (record != UINT32_MAX) depend(u, record, unit);
  }
  sk__free(last);
  return u->out_of_memory ? SK_OUT_OF_MEMORY : SK_OK;
}

/* ---- sorting --------------------------------------------------------------------------------- */

typedef struct heap { uint32_t *items; size_t count; } heap;

static void heap_push(heap *h, uint32_t unit) {
  size_t at = h->count++;
  for (; at > 0 && h->items[(at - 1) / 2] > unit; at = (at - 1) / 2) h->items[at] = h->items[(at - 1) / 2];
  h->items[at] = unit;
}
static uint32_t heap_pop(heap *h) {
  uint32_t top = h->items[0], last = h->items[--h->count];
  size_t at = 0;
  for (size_t child; (child = 2 * at + 1) < h->count; at = child) {
    if (child + 1 < h->count && h->items[child + 1] < h->items[child]) child++;
    if (h->items[child] >= last) break;
    h->items[at] = h->items[child];
  }
  h->items[at] = last;
  return top;
}

/* Ready units, lowest first. */
static sk_status sort_units(const units *u, uint32_t *order, size_t *count) {
  uint32_t *open = sk__calloc(u->count + 1, sizeof(uint32_t));
  uint32_t *first = sk__calloc(u->count + 2, sizeof(uint32_t)); /* targets of unit i: first[i] .. first[i + 1] */
  uint32_t *targets = sk__calloc(u->links.count + 1, sizeof(uint32_t));
  heap ready = {sk__calloc(u->count + 1, sizeof(uint32_t)), 0};
  sk_status status = open != NULL && first != NULL && targets != NULL && ready.items != NULL ? SK_OK : SK_OUT_OF_MEMORY;
  if (status == SK_OK) {
    for (size_t i = 0; i < u->links.count; i++) {
      open[u->links.items[i].to]++;
      first[u->links.items[i].from]++;
    }
    for (size_t i = 0; i < u->count; i++) first[i + 1] += first[i];
    for (size_t i = 0; i < u->links.count; i++) targets[--first[u->links.items[i].from]] = u->links.items[i].to;
    for (uint32_t i = 0; i < u->count; i++)
      if (open[i] == 0) heap_push(&ready, i);
    while (ready.count > 0) {
      uint32_t unit = heap_pop(&ready);
      order[(*count)++] = u->leader[unit];
      for (uint32_t i = first[unit]; i < first[unit + 1]; i++)
        if (--open[targets[i]] == 0) heap_push(&ready, targets[i]);
    }
    if (*count < u->count) status = SK_NOT_MODELLED;
  }
  sk__free(open);
  sk__free(first);
  sk__free(targets);
  sk__free(ready.items);
  return status;
}

sk_status sk__plan_order(const sk__plan *plan, uint32_t **order, size_t *count) {
  size_t nodes = plan->graph->node_count + 1;
  units u = {.plan = plan};
  u.unit_of = sk__malloc(nodes * sizeof(uint32_t));
  u.leader = sk__malloc(nodes * sizeof(uint32_t));
  *order = sk__malloc(nodes * sizeof(uint32_t));
  *count = 0;
  sk_status status = u.unit_of != NULL && u.leader != NULL && *order != NULL ? make_units(&u) : SK_OUT_OF_MEMORY;
  if (status == SK_OK) status = make_links(&u);
  if (status == SK_OK) status = sort_units(&u, *order, count);
  sk__vec_free(&u.links);
  sk__free(u.unit_of);
  sk__free(u.leader);
  return status;
}
