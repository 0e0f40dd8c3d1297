/* order.c - one sequence of launches for several streams: units (SKs, and tasks outside) are taken in
 * order of capture as soon as what they depend on has been taken. Units that wait for each other in a circle are taken
 * together, as soon as what all of them depend on has been. */
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

/* ---- ready units ----------------------------------------------------------------------------- */

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

/* ---- circles --------------------------------------------------------------------------------- */

static const uint32_t unseen = 0, placed = UINT32_MAX;

/* One step of the search for circles: a unit and the next of the ties that leave it. */
typedef struct visit { uint32_t unit, tie; } visit;
typedef struct search {
  const sk__units *units;
  uint32_t *seen, *low;      /* per unit: 1 + its turn, the earliest turn it leads back to; placed: its circle is known */
  uint32_t *open;            /* units whose circle is not known yet, as a stack */
  visit *path;
  uint32_t turns, open_count, depth;
  uint32_t *circle;          /* the answer: the lowest unit of each one's circle, itself when there is none */
} search;

static void enter(search *s, uint32_t unit) {
  s->seen[unit] = s->low[unit] = ++s->turns;
  s->open[s->open_count++] = unit;
  s->path[s->depth++] = (visit){unit, s->units->first[unit]};
}

/* All that was opened since the unit leads back to it. */
static void close_circle(search *s, uint32_t unit) {
  uint32_t first = s->open_count, lowest = unit;
  do {
    first--;
    if (s->open[first] < lowest) lowest = s->open[first];
  } while (s->open[first] != unit);
  for (uint32_t i = first; i < s->open_count; i++) {
    s->circle[s->open[i]] = lowest;
    s->seen[s->open[i]] = placed;
  }
  s->open_count = first;
}

static void leave(search *s, uint32_t unit) {
  if (s->low[unit] == s->seen[unit]) close_circle(s, unit);
  if (--s->depth == 0) return;
  uint32_t from = s->path[s->depth - 1].unit;
  if (s->seen[unit] != placed && s->low[unit] < s->low[from]) s->low[from] = s->low[unit];
}

/* Strongly connected units, by Tarjan's algorithm without recursion. */
static void search_from(search *s, uint32_t unit) {
  enter(s, unit);
  while (s->depth > 0) {
    visit *at = &s->path[s->depth - 1];
    if (at->tie == s->units->first[at->unit + 1]) {
      leave(s, at->unit);
      continue;
    }
    uint32_t to = s->units->ties.items[s->units->leaving[at->tie++]].to;
    if (s->seen[to] == unseen) enter(s, to);
    else if (s->seen[to] != placed && s->seen[to] < s->low[at->unit]) s->low[at->unit] = s->seen[to];
  }
}

static sk_status find_circles(const sk__units *u, uint32_t *circle) {
  search s = {.units = u, .circle = circle, .seen = sk__calloc(u->count + 1, sizeof(uint32_t)), .low = sk__calloc(u->count + 1, sizeof(uint32_t)),
              .open = sk__calloc(u->count + 1, sizeof(uint32_t)), .path = sk__calloc(u->count + 1, sizeof(visit))};
  bool good = s.seen != NULL && s.low != NULL && s.open != NULL && s.path != NULL;
  for (uint32_t i = 0; i < u->count && good; i++)
    if (s.seen[i] == unseen) search_from(&s, i);
  sk__free(s.seen);
  sk__free(s.low);
  sk__free(s.open);
  sk__free(s.path);
  return good ? SK_OK : SK_OUT_OF_MEMORY;
}

/* ---- the sequence ---------------------------------------------------------------------------- */

typedef struct sorter {
  const sk__units *units;
  uint32_t *circle;          /* per unit: the lowest unit of its circle */
  uint32_t *next;            /* per unit: the next of its circle, UINT32_MAX the last */
  uint32_t *open;            /* per lowest unit: ties from outside of the circle to it */
  sk__ready ready;
} sorter;

/* A unit that stands alone: its launch. Units of a circle: side by side, in order of capture. */
static void take(sorter *s, uint32_t lowest, sk__sequence *out) {
  const sk__units *u = s->units;
  bool alone = s->next[lowest] == UINT32_MAX;
  for (uint32_t unit = lowest; unit != UINT32_MAX; unit = s->next[unit]) {
    out->circles[out->count] = alone ? UINT32_MAX : out->circle_count;
    out->nodes[out->count++] = u->leader[unit];
    for (uint32_t i = u->first[unit]; i < u->first[unit + 1]; i++) {
      uint32_t to = s->circle[u->ties.items[u->leaving[i]].to];
      if (to != lowest && --s->open[to] == 0) sk__ready_push(&s->ready, to);
    }
  }
  out->circle_count += !alone;
}

static sk_status sort_units(const sk__units *u, sk__sequence *out) {
  sorter s = {.units = u, .circle = sk__calloc(u->count + 1, sizeof(uint32_t)), .next = sk__malloc((u->count + 1) * sizeof(uint32_t)),
              .open = sk__calloc(u->count + 1, sizeof(uint32_t)), .ready = {sk__calloc(u->count + 1, sizeof(uint32_t)), 0}};
  uint32_t *last = sk__malloc((u->count + 1) * sizeof(uint32_t)); /* per lowest unit: the last of its circle so far */
  bool good = s.circle != NULL && s.next != NULL && s.open != NULL && s.ready.items != NULL && last != NULL;
  sk_status status = good ? find_circles(u, s.circle) : SK_OUT_OF_MEMORY;
  if (status == SK_OK) {
    memset(s.next, 0xff, (u->count + 1) * sizeof(uint32_t));
    for (uint32_t i = 0; i < u->count; i++) {
      if (s.circle[i] != i) s.next[last[s.circle[i]]] = i;
      last[s.circle[i]] = i;
    }
    for (size_t i = 0; i < u->ties.count; i++) {
      uint32_t from = s.circle[u->ties.items[i].from], to = s.circle[u->ties.items[i].to];
      s.open[to] += from != to;
    }
    for (uint32_t i = 0; i < u->count; i++)
      if (s.circle[i] == i && s.open[i] == 0) sk__ready_push(&s.ready, i);
    while (s.ready.count > 0) take(&s, sk__ready_pop(&s.ready), out);
  }
  sk__free(s.circle);
  sk__free(s.next);
  sk__free(s.open);
  sk__free(s.ready.items);
  sk__free(last);
  return status;
}

sk_status sk__plan_order(const sk__plan *plan, sk__sequence *out) {
  sk__units units;
  sk_status status = sk__units_make(plan, &units);
  *out = (sk__sequence){.nodes = sk__malloc((plan->graph->node_count + 1) * sizeof(uint32_t)), .circles = sk__malloc((plan->graph->node_count + 1) * sizeof(uint32_t))};
  if (status == SK_OK) status = out->nodes != NULL && out->circles != NULL ? sort_units(&units, out) : SK_OUT_OF_MEMORY;
  sk__units_free(&units);
  return status;
}

void sk__sequence_free(sk__sequence *sequence) {
  sk__free(sequence->nodes);
  sk__free(sequence->circles);
}
