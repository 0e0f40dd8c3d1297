/* edges.c - two queues: which sub-kernel must follow which, and which of these edges are needed. */
#include <stdlib.h>

#include "base/vec.h"
#include "fuse/ge/internal.h"

typedef SK__VEC(sk__ge_edge) edge_list;

/* Flags an edge takes. Rows: sender AIC, AIV, MIX. */
static uint32_t kinds_of(sk_kernel_type from, sk_kernel_type to) {
  static const uint8_t table[3][3] = {
      {SK__GE_EDGE_CC, SK__GE_EDGE_CV, SK__GE_EDGE_CV},
      {SK__GE_EDGE_VC, SK__GE_EDGE_VV, SK__GE_EDGE_VC},
      {SK__GE_EDGE_VC, SK__GE_EDGE_CV, SK__GE_EDGE_CV | SK__GE_EDGE_VC},
  };
  int row = sk__ge_is_aic(from) ? 0 : sk__ge_is_aiv(from) ? 1 : 2, column = sk__ge_is_aic(to) ? 0 : sk__ge_is_aiv(to) ? 1 : 2;
  return table[row][column];
}

static sk_status add(const sk__ge_build *b, edge_list *edges, uint32_t from, uint32_t to) {
  sk__ge_edge edge = {from, to, kinds_of(b->parts[from].sub->type, b->parts[to].sub->type)};
  return sk__vec_push(edges, edge) ? SK_OK : SK_OUT_OF_MEMORY;
}

/* ---- where edges come from ------------------------------------------------------------------- */

typedef struct standing { int64_t stream; uint32_t number; } standing;
static int by_stream(const void *a, const void *b) {
  const standing *x = a, *y = b;
  if (x->stream != y->stream) return x->stream < y->stream ? -1 : 1;
  return x->number < y->number ? -1 : x->number > y->number;
}

static sk_status add_streams(sk__ge_build *b, edge_list *edges) {
  standing *all = sk__arena_array(b->arena, standing, b->count);
  if (all == NULL) return SK_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < b->count; i++) all[i] = (standing){b->parts[i].sub->stream, i};
  qsort(all, b->count, sizeof *all, by_stream);
  sk_status status = SK_OK;
  for (size_t i = 0; i < b->count && status == SK_OK; i++) {
    bool last = i + 1 == b->count || all[i].stream != all[i + 1].stream;
    b->parts[all[i].number].last_of_stream = last;
    if (!last) status = add(b, edges, all[i].number, all[i + 1].number);
  }
  return status;
}

/* Each event once, in the order in which they are first sent. */
static sk_status refuse_self(sk__ge_build *b) {
  for (size_t i = 0; i < b->count; i++)
    for (size_t k = 0; k < b->parts[i].sub->send.count; k++) {
      const sk__ge_event_use *use = sk__ge_use_of(b, b->parts[i].sub->send.items[k]);
      if (use->first_send == i && use->last_send == use->last_recv)
        return sk__ge_fail(b->failure, SK__GE_EVENT_SELF, NULL, b->parts[use->last_send].position, -1, "event %lld", (long long)use->id);
    }
  return SK_OK;
}

/* The real generator remembers one sender and one receiver of each event, in whatever order they stand. */
static sk_status add_last_pairs(sk__ge_build *b, edge_list *edges) {
  for (size_t i = 0; i < b->count; i++)
    for (size_t k = 0; k < b->parts[i].sub->send.count; k++) {
      const sk__ge_event_use *use = sk__ge_use_of(b, b->parts[i].sub->send.items[k]);
      if (use->last_recv == UINT32_MAX || use->first_send != i) continue;
      sk_status status = add(b, edges, use->last_send, use->last_recv);
      if (status != SK_OK) return status;
    }
  return SK_OK;
}

/* Each receiver follows the last earlier sender on each queue; what these senders follow comes by itself. */
static sk_status add_all_pairs(sk__ge_build *b, edge_list *edges) {
  uint32_t *last = sk__arena_array(b->arena, uint32_t, 2 * b->event_count); /* 1 + number, per event and queue */
  if (last == NULL) return SK_OUT_OF_MEMORY;
  sk_status status = SK_OK;
  for (uint32_t i = 0; i < b->count; i++) {
    const sk__ge_part *part = &b->parts[i];
    for (size_t k = 0; k < part->recv.count && status == SK_OK; k++) {
      const uint32_t *senders = &last[2 * (sk__ge_use_of(b, part->recv.items[k]) - b->events)];
      if (senders[0] != 0) status = add(b, edges, senders[0] - 1, i);
      if (senders[1] != 0 && senders[1] != senders[0] && status == SK_OK) status = add(b, edges, senders[1] - 1, i);
    }
    for (size_t k = 0; k < part->send.count; k++)
      for (int queue = SK__AIC; queue <= SK__AIV; queue++)
        if (sk__ge_on(part->sub->type, (sk__core_type)queue)) last[2 * (sk__ge_use_of(b, part->send.items[k]) - b->events) + queue] = i + 1;
  }
  return status;
}

/* An event to the outside says that both halves of a MIX sub are done: one block tells it, after the other
 * half has told that block. */
static sk_status add_notifies(sk__ge_build *b, edge_list *edges) {
  sk_status status = SK_OK;
  for (uint32_t i = 0; i + 1 < b->count && status == SK_OK; i++)
    if (sk__ge_is_mix(b->parts[i].sub->type) && b->parts[i].has_notify && b->parts[i].sub->stream != b->parts[i + 1].sub->stream)
      status = add(b, edges, i, i + 1);
  return status;
}

static int by_ends(const void *a, const void *b) {
  const sk__ge_edge *x = a, *y = b;
  if (x->from != y->from) return x->from < y->from ? -1 : 1;
  return x->to < y->to ? -1 : x->to > y->to;
}

static void merge(edge_list *edges) {
  if (edges->count == 0) return;
  qsort(edges->items, edges->count, sizeof *edges->items, by_ends);
  size_t kept = 1;
  for (size_t i = 1; i < edges->count; i++) {
    if (by_ends(&edges->items[i], &edges->items[kept - 1]) == 0) edges->items[kept - 1].kinds |= edges->items[i].kinds;
    else edges->items[kept++] = edges->items[i];
  }
  edges->count = kept;
}

/* ---- which are needed ------------------------------------------------------------------------ */

typedef struct direction { uint32_t kind; sk__core_type from, to; } direction;
static const direction cube_to_vector = {SK__GE_EDGE_CV, SK__AIC, SK__AIV}, vector_to_cube = {SK__GE_EDGE_VC, SK__AIV, SK__AIC};

/* Crossed: another edge of the direction leaves later and arrives earlier. All are tested before any is
 * removed. `best` holds one more than the latest sender of each receiver, then of all receivers before it. */
static void mark_crossed(const sk__ge_build *b, const edge_list *edges, direction d, uint32_t *best, uint32_t *crossed) {
  for (size_t i = 0; i < b->count; i++) best[i] = 0;
  for (size_t i = 0; i < edges->count; i++) {
    const sk__ge_edge *edge = &edges->items[i];
    if ((edge->kinds & d.kind) == 0) continue;
    uint32_t sender = b->parts[edge->from].rank[d.from] + 1, receiver = b->parts[edge->to].rank[d.to];
    if (best[receiver] < sender) best[receiver] = sender;
  }
  uint32_t most = 0;
  for (size_t i = 0; i < b->count; i++) {
    uint32_t here = best[i];
    best[i] = most;
    if (most < here) most = here;
  }
  for (size_t i = 0; i < edges->count; i++) {
    const sk__ge_edge *edge = &edges->items[i];
    if ((edge->kinds & d.kind) != 0 && best[b->parts[edge->to].rank[d.to]] > b->parts[edge->from].rank[d.from] + 1) crossed[i] |= d.kind;
  }
}

/* Of several receivers of one sender the first stays, then of several senders of one receiver the last. */
static void keep_one(const sk__ge_build *b, edge_list *edges, direction d, uint32_t *best) {
  for (size_t i = 0; i < b->count; i++) best[i] = UINT32_MAX;
  for (size_t i = 0; i < edges->count; i++) {
    const sk__ge_edge *edge = &edges->items[i];
    if ((edge->kinds & d.kind) != 0 && b->parts[edge->to].rank[d.to] < best[edge->from]) best[edge->from] = b->parts[edge->to].rank[d.to];
  }
  for (size_t i = 0; i < edges->count; i++) {
    sk__ge_edge *edge = &edges->items[i];
    if (b->parts[edge->to].rank[d.to] != best[edge->from]) edge->kinds &= ~d.kind;
  }
  for (size_t i = 0; i < b->count; i++) best[i] = 0;
  for (size_t i = 0; i < edges->count; i++) {
    const sk__ge_edge *edge = &edges->items[i];
    if ((edge->kinds & d.kind) != 0 && b->parts[edge->from].rank[d.from] + 1 > best[edge->to]) best[edge->to] = b->parts[edge->from].rank[d.from] + 1;
  }
  for (size_t i = 0; i < edges->count; i++) {
    sk__ge_edge *edge = &edges->items[i];
    if (b->parts[edge->from].rank[d.from] + 1 != best[edge->to]) edge->kinds &= ~d.kind;
  }
}

static sk_status eliminate(sk__ge_build *b, edge_list *edges) {
  uint32_t *best = sk__arena_array(b->arena, uint32_t, b->count), *crossed = sk__arena_array(b->arena, uint32_t, edges->count);
  if (best == NULL || crossed == NULL) return SK_OUT_OF_MEMORY;
  mark_crossed(b, edges, cube_to_vector, best, crossed);
  mark_crossed(b, edges, vector_to_cube, best, crossed);
  for (size_t i = 0; i < edges->count; i++) {
    bool both = crossed[i] == (SK__GE_EDGE_CV | SK__GE_EDGE_VC);
    edges->items[i].kinds &= both && b->emulate ? ~(uint32_t)SK__GE_EDGE_VC : ~crossed[i];
  }
  keep_one(b, edges, vector_to_cube, best);
  keep_one(b, edges, cube_to_vector, best);
  return SK_OK;
}

/* ---- what the barriers leave open ------------------------------------------------------------ */

/* The real generator puts a barrier behind a sub only if the sub keeps an edge. A sub that loses its edges to a
 * later sender is safe on the queue of that sender; on its other queue the one that depends on it may find it
 * running. Recorded programs are like that: the order is not repaired here, it is told. */
static sk_status warn_open(sk__ge_build *b, const edge_list *edges, sk__core_type queue) {
  uint32_t *barriers = sk__arena_array(b->arena, uint32_t, b->count + 1); /* on the queue before sub i */
  if (barriers == NULL) return SK_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < b->count; i++) {
    const sk__ge_part *part = &b->parts[i];
    bool here = sk__ge_on(part->sub->type, queue);
    barriers[i] += here && part->has_wait && (i > 0 || !b->emulate);
    barriers[i + 1] = barriers[i] + (here && (part->edges_out != 0 || (part->last_of_stream && part->has_notify)));
  }
  for (size_t i = 0; i < edges->count; i++) {
    const sk__ge_part *from = &b->parts[edges->items[i].from], *to = &b->parts[edges->items[i].to];
    if (from->number >= to->number || !sk__ge_on(from->sub->type, queue) || !sk__ge_on(to->sub->type, queue)) continue;
    if (barriers[to->number] == barriers[from->number])
      sk__ge_warn(b, "operator %u depends on operator %u and no barrier of the %s cores lies between them (H36)", to->position, from->position,
                  queue == SK__AIC ? "cube" : "vector");
  }
  return SK_OK;
}

/* Block 0 tells the outside. Its own core type meets before that only where the sub keeps an edge or ends its stream, and the
 * other half of a MIX sub is gathered only by a flag that the notifying queue's next sub waits for. */
static void warn_notify(sk__ge_build *b, const sk__ge_part *part) {
  bool mix = sk__ge_is_mix(part->sub->type);
  const sk__ge_part *end = b->parts + b->count, *next = part + 1;
  if (!part->has_notify) return;
  sk__core_type queue = mix && next < end && sk__ge_is_aic(next->sub->type) ? SK__AIC : sk__ge_event_queue(part);
  uint32_t crossing = queue == SK__AIC ? SK__GE_EDGE_VC : SK__GE_EDGE_CV;
  while (next < end && !sk__ge_on(next->sub->type, queue)) next++;
  bool own = part->edges_out != 0 || part->last_of_stream || sk__ge_number(b, SK__GE_KEY_DEBUG_SYNC_ALL) != 0;
  bool other = !mix || ((part->edges_out & crossing) != 0 && next < end && (next->edges_in & crossing) != 0);
  if (!own || !other)
    sk__ge_warn(b, "operator %u notifies the outside, and no barrier of the %s cores lies between it and the notify (H31)", part->position,
                (queue == SK__AIC) == own ? "vector" : "cube");
}

/* The barrier behind an outside wait of a MIX sub counts flags 12 and 13, as edges do: one that is set and not yet waited for
 * lets a side through. */
static void warn_barrier(sk__ge_build *b, const edge_list *edges, const sk__ge_part *part) {
  if (!part->has_wait || !sk__ge_is_mix(part->sub->type)) return;
  for (size_t i = 0; i < edges->count; i++) {
    const sk__ge_edge *edge = &edges->items[i];
    if ((edge->kinds & (SK__GE_EDGE_CV | SK__GE_EDGE_VC)) == 0 || edge->from >= part->number || edge->to <= part->number) continue;
    sk__ge_warn(b, "operator %u waits for the outside, and the barrier behind counts flags that operator %u has set for operator %u (H8)", part->position,
                b->parts[edge->from].position, b->parts[edge->to].position);
    return;
  }
}

/* ---- all ------------------------------------------------------------------------------------- */

/* A copy in the arena, ends as positions in the list, without edges that lost all kinds. */
static sk__ge_edge *publish(const sk__ge_build *b, const edge_list *edges, size_t *count) {
  sk__ge_edge *out = sk__arena_array(b->arena, sk__ge_edge, edges->count);
  *count = 0;
  for (size_t i = 0; out != NULL && i < edges->count; i++) {
    const sk__ge_edge *edge = &edges->items[i];
    if (edge->kinds != 0) out[(*count)++] = (sk__ge_edge){b->parts[edge->from].position, b->parts[edge->to].position, edge->kinds};
  }
  return out;
}

static sk_status make(sk__ge_build *b, edge_list *edges) {
  sk_status status = refuse_self(b);
  if (status == SK_OK) status = add_streams(b, edges);
  if (status == SK_OK) status = b->emulate ? add_last_pairs(b, edges) : add_all_pairs(b, edges);
  if (status == SK_OK) status = add_notifies(b, edges);
  if (status != SK_OK) return status;
  merge(edges);
  b->out->edges = publish(b, edges, &b->out->edge_count);
  status = eliminate(b, edges);
  if (status != SK_OK) return status;
  b->out->edges_kept = publish(b, edges, &b->out->edge_kept_count);
  for (size_t i = 0; i < edges->count; i++) {
    b->parts[edges->items[i].from].edges_out |= edges->items[i].kinds;
    b->parts[edges->items[i].to].edges_in |= edges->items[i].kinds;
  }
  if (b->out->edges == NULL || b->out->edges_kept == NULL) return SK_OUT_OF_MEMORY;
  for (size_t i = 0; i < b->count; i++) {
    warn_notify(b, &b->parts[i]);
    warn_barrier(b, edges, &b->parts[i]);
  }
  if (sk__ge_number(b, SK__GE_KEY_DEBUG_SYNC_ALL) != 0) return SK_OK; /* barriers everywhere */
  status = warn_open(b, edges, SK__AIC);
  return status == SK_OK ? warn_open(b, edges, SK__AIV) : status;
}

sk_status sk__ge_edges(sk__ge_build *b) {
  edge_list edges = {0};
  uint32_t next[2] = {0, 0};
  for (size_t i = 0; i < b->count; i++)
    for (int queue = SK__AIC; queue <= SK__AIV; queue++)
      if (sk__ge_on(b->parts[i].sub->type, (sk__core_type)queue)) b->parts[i].rank[queue] = next[queue]++;
  sk_status status = make(b, &edges);
  sk__vec_free(&edges);
  return status;
}
