/* order.c - one sequence of launches for several streams: units (SKs, and tasks outside) are taken in
 * order of capture as soon as what they depend on has been taken. */
#include <string.h>

#include "base/memory.h"
#include "base/vec.h"
#include "fuse/order.h"

static sk_status depend(sk__units *u, uint32_t from, uint32_t to, uint32_t record, uint32_t wait) {
  return from == to || sk__vec_push(&u->ties, ((sk__tie){from, to, record, wait})) ? SK_OK : SK_OUT_OF_MEMORY;
}

static sk_status make_units(sk__units *u) {
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
static sk_status make_ties(sk__units *u) {
  const sk__graph *graph = u->plan->graph;
  uint32_t *last = sk__malloc((graph->stream_count + 1) * sizeof(uint32_t));
  if (last == NULL) return SK_OUT_OF_MEMORY;
  memset(last, 0xff, (graph->stream_count + 1) * sizeof(uint32_t));
  sk_status status = SK_OK;
  for (uint32_t i = 0; i < graph->node_count && status == SK_OK; i++) {
    uint32_t unit = u->unit_of[i];
    if (unit == UINT32_MAX) continue;
    uint32_t *before = &last[graph->nodes[i].stream];
    if (*before != UINT32_MAX) status = depend(u, *before, unit, UINT32_MAX, UINT32_MAX);
    *before = unit;
    const sk__node *node = &graph->nodes[i];
    if (status != SK_OK || node->type != SK__NODE_WAIT || (node->event_flag & SK__EVENT_EXTERNAL) != 0) continue;
    if (node->event_id == 0 || node->event_id > graph->node_count) continue;
    uint32_t record = (uint32_t)(node->event_id - 1); /* events of task graphs are named by their record's id */
    if (u->unit_of[record] != UINT32_MAX) status = depend(u, u->unit_of[record], unit, record, i);
  }
  sk__free(last);
  return status;
}

static sk_status sort_ties(sk__units *u) {
  u->first = sk__calloc(u->count + 2, sizeof(uint32_t));
  u->leaving = sk__calloc(u->ties.count + 1, sizeof(uint32_t));
  if (u->first == NULL || u->leaving == NULL) return SK_OUT_OF_MEMORY;
  for (size_t i = 0; i < u->ties.count; i++) u->first[u->ties.items[i].from]++;
  for (size_t i = 0; i < u->count; i++) u->first[i + 1] += u->first[i];
  for (uint32_t i = 0; i < u->ties.count; i++) u->leaving[--u->first[u->ties.items[i].from]] = i;
  return SK_OK;
}

sk_status sk__units_make(const sk__plan *plan, sk__units *out) {
  size_t nodes = plan->graph->node_count + 1;
  *out = (sk__units){.plan = plan};
  out->unit_of = sk__malloc(nodes * sizeof(uint32_t));
  out->leader = sk__malloc(nodes * sizeof(uint32_t));
  sk_status status = out->unit_of != NULL && out->leader != NULL ? make_units(out) : SK_OUT_OF_MEMORY;
  if (status == SK_OK) status = make_ties(out);
  if (status == SK_OK) status = sort_ties(out);
  return status;
}

void sk__units_free(sk__units *units) {
  sk__vec_free(&units->ties);
  sk__free(units->unit_of);
  sk__free(units->leader);
  sk__free(units->first);
  sk__free(units->leaving);
}

/* ---- sorting --------------------------------------------------------------------------------- */

void sk__ready_push(sk__ready *h, uint32_t unit) {
  size_t at = h->count++;
  for (; at > 0 && h->items[(at - 1) / 2] > unit; at = (at - 1) / 2) h->items[at] = h->items[(at - 1) / 2];
  h->items[at] = unit;
}
uint32_t sk__ready_pop(sk__ready *h) {
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
static sk_status sort_units(const sk__units *u, uint32_t *order, size_t *count) {
  uint32_t *open = sk__calloc(u->count + 1, sizeof(uint32_t));
  sk__ready ready = {sk__calloc(u->count + 1, sizeof(uint32_t)), 0};
  sk_status status = open != NULL && ready.items != NULL ? SK_OK : SK_OUT_OF_MEMORY;
  if (status == SK_OK) {
    for (size_t i = 0; i < u->ties.count; i++) open[u->ties.items[i].to]++;
    for (uint32_t i = 0; i < u->count; i++)
      if (open[i] == 0) sk__ready_push(&ready, i);
    while (ready.count > 0) {
      uint32_t unit = sk__ready_pop(&ready);
      order[(*count)++] = u->leader[unit];
      for (uint32_t i = u->first[unit]; i < u->first[unit + 1]; i++) {
        uint32_t to = u->ties.items[u->leaving[i]].to;
        if (--open[to] == 0) sk__ready_push(&ready, to);
      }
    }
    if (*count < u->count) status = SK_NOT_MODELLED;
  }
  sk__free(open);
  sk__free(ready.items);
  return status;
}

sk_status sk__plan_order(const sk__plan *plan, uint32_t **order, size_t *count) {
  sk__units units;
  sk_status status = sk__units_make(plan, &units);
  *order = sk__malloc((plan->graph->node_count + 1) * sizeof(uint32_t));
  *count = 0;
  if (status == SK_OK) status = *order != NULL ? sort_units(&units, *order, count) : SK_OUT_OF_MEMORY;
  sk__units_free(&units);
  return status;
}
