/* deadlock.c - keeps an SK from waiting, with its cores in hand, for work that needs those cores. Cuts a
 * scope at a wait that could end so. */
#include "fuse/planner.h"

/* What an accepted scope means to later ones. */
typedef struct accepted { sk__list streams; uint32_t max[2]; } accepted;

typedef struct examiner {
  sk__planner *p;
  uint32_t *stream_stamp;   /* per stream: number of the part whose accepted nodes are on it */
  uint32_t *last;           /* per stream of the part: 1 + position of the last accepted node */
  uint32_t *first;          /* per stream of the part: position of its first accepted node */
  uint32_t part;            /* number of the part in work */
  uint32_t stamp;           /* of the searches of this part, whose findings hold on when it takes up more streams */
  uint32_t inside[2], outside[2]; /* cores the part holds; cores that others need while it waits */
  SK__VEC(accepted) accepted;
  SK__VEC(uint32_t) work;   /* nodes still to search backwards from */
  SK__VEC(sk__scope) parts;
  bool out_of_memory;
} examiner;

static bool on_part(const examiner *e, uint32_t stream) { return e->stream_stamp[stream] == e->part; }

static bool shares_stream(const examiner *e, uint32_t accepted_number) {
  const sk__list *streams = &e->accepted.items[accepted_number - 1].streams;
  for (size_t i = 0; i < streams->count; i++)
    if (on_part(e, streams->items[i])) return true;
  return false;
}

static bool enough(const examiner *e, const uint32_t need[2], uint32_t mine[2], const uint32_t other[2]) {
  const uint32_t device[2] = {e->p->graph->aic_count, e->p->graph->aiv_count};
  if (need[SK__AIC] <= mine[SK__AIC] && need[SK__AIV] <= mine[SK__AIV]) return true;
  for (int type = SK__AIC; type <= SK__AIV; type++)
    if (need[type] + other[type] > device[type]) return false;
  for (int type = SK__AIC; type <= SK__AIV; type++)
    if (need[type] > mine[type]) mine[type] = need[type];
  return true;
}

static bool behind_part(const examiner *e, uint32_t at) {
  const sk__pnode *node = &e->p->nodes[at];
  return on_part(e, node->stream) && node->position + 1 > e->last[node->stream];
}
static bool before_part(const examiner *e, uint32_t at) {
  const sk__pnode *node = &e->p->nodes[at];
  return on_part(e, node->stream) && node->position < e->first[node->stream];
}

/* ---- what must run before a record outside the SK -------------------------------------------- */

/* One node on the way back; *stop: nothing before it matters. */
static sk__sub_reason pass(examiner *e, uint32_t at, bool *stop) {
  sk__planner *p = e->p;
  sk__pnode *node = &p->nodes[at];
  *stop = false;
  switch (node->type) {
    case SK__NODE_KERNEL:
      return enough(e, node->need, e->outside, e->inside) ? SK__NO_SUB : SK__SUB_KERNEL_INSUFFICIENT_CORES;
    case SK__NODE_WAIT: {
      uint32_t notify = p->events.items[node->event].notify;
      if (notify == SK__NONE) return SK__SUB_NOTIFY_NOT_IN_GRAPH;
      if (behind_part(e, notify)) return SK__SUB_NOTIFY_AFTER_SK_RANGE;
      uint32_t stream = p->nodes[notify].stream;
      if (!on_part(e, stream) && stream != node->stream && !sk__vec_push(&e->work, notify)) e->out_of_memory = true;
      return SK__NO_SUB;
    }
    case SK__NODE_NOTIFY: {
      if (node->accepted != 0 && !enough(e, e->accepted.items[node->accepted - 1].max, e->outside, e->inside)) return SK__SUB_NOTIFY_INSUFFICIENT_CORES;
      const sk__pevent *event = &p->events.items[node->event];
      *stop = event->waits.count == 0;
      for (size_t i = 0; i < event->waits.count && !*stop; i++) *stop = before_part(e, event->waits.items[i]);
      return SK__NO_SUB;
    }
    case SK__NODE_DEFAULT:
    case SK__NODE_RESET: return SK__NO_SUB;
    default: return SK__SUB_NO_SUPPORT_NODE;
  }
}

static sk__sub_reason search_back(examiner *e, uint32_t from) {
  sk__vec_clear(&e->work);
  if (!sk__vec_push(&e->work, from)) e->out_of_memory = true;
  while (e->work.count > 0) {
    uint32_t at = sk__vec_pop(&e->work);
    e->p->nodes[at].visit = e->stamp;
    for (;;) {
      at = sk__before(e->p, at);
      if (at == SK__NONE || e->p->nodes[at].visit == e->stamp) break;
      e->p->nodes[at].visit = e->stamp;
      if (e->p->nodes[at].accepted != 0 && shares_stream(e, e->p->nodes[at].accepted)) break;
      bool stop;
      sk__sub_reason code = pass(e, at, &stop);
      if (code != SK__NO_SUB) return code;
      if (stop) break;
    }
  }
  return SK__NO_SUB;
}

/* ---- nodes of the part ----------------------------------------------------------------------- */

static sk__sub_reason examine_wait(examiner *e, const sk__pnode *node, uint32_t accepted_nodes) {
  sk__planner *p = e->p;
  uint32_t notify = p->events.items[node->event].notify;
  if (node->unpaired && (p->options->value_breaker_bypass & 2u) != 0) return SK__NO_SUB;
  if (notify == SK__NONE) return SK__SUB_NOTIFY_NOT_IN_GRAPH;
  if (accepted_nodes == 0) return SK__SUB_FIRST_WAIT;
  uint32_t stream = p->nodes[notify].stream;
  if (on_part(e, stream)) return behind_part(e, notify) ? SK__SUB_NOTIFY_AFTER_SK_RANGE : SK__NO_SUB;
  uint32_t owner = p->nodes[notify].accepted;
  if (owner != 0 && shares_stream(e, owner)) return SK__NO_SUB;
  if (owner != 0 && !enough(e, e->accepted.items[owner - 1].max, e->outside, e->inside)) return SK__SUB_NOTIFY_INSUFFICIENT_CORES;
  return search_back(e, notify);
}

static void accept_node(examiner *e, const sk__pnode *node) {
  if (!on_part(e, node->stream)) {
    e->stream_stamp[node->stream] = e->part;
    e->first[node->stream] = node->position;
  }
  e->last[node->stream] = node->position + 1;
}

/* Accepts nodes in order; the count accepted, and the code of the one that was not. */
static size_t examine(examiner *e, const sk__scope *part, sk__sub_reason *code) {
  sk__planner *p = e->p;
  e->part++;
  e->stamp++;
  memset(e->inside, 0, sizeof e->inside);
  memset(e->outside, 0, sizeof e->outside);
  for (size_t i = 0; i < part->nodes.count; i++) {
    uint32_t at = part->nodes.items[i];
    const sk__pnode *node = &p->nodes[at];
    *code = SK__NO_SUB;
    if (node->type == SK__NODE_KERNEL) {
      if (!enough(e, node->need, e->inside, e->outside)) *code = SK__SUB_NOT_FIND_DEADLOCK;
    } else if (node->type == SK__NODE_NOTIFY) {
      const accepted *owner = node->accepted != 0 ? &e->accepted.items[node->accepted - 1] : NULL;
      if (owner != NULL && owner->max[SK__AIC] + owner->max[SK__AIV] > 0) *code = SK__SUB_NOTIFY_INVALID;
    } else if (node->type == SK__NODE_WAIT) {
      *code = examine_wait(e, node, (uint32_t)i);
    }
    if (*code != SK__NO_SUB) return i;
    accept_node(e, node);
  }
  return part->nodes.count;
}

static bool has_kernel(const sk__planner *p, const uint32_t *nodes, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (sk__is_real_kernel(p, nodes[i])) return true;
  return false;
}

static sk_status accept_part(examiner *e, sk__scope *part) {
  sk__planner *p = e->p;
  sk_status status = sk__scope_streams(p, part);
  if (status != SK_OK) return status;
  accepted mine = {.streams = part->streams};
  for (size_t i = 0; i < part->nodes.count; i++)
    for (int type = SK__AIC; type <= SK__AIV; type++)
      if (p->nodes[part->nodes.items[i]].need[type] > mine.max[type]) mine.max[type] = p->nodes[part->nodes.items[i]].need[type];
  if (!sk__vec_push(&e->accepted, mine) || !sk__vec_push(&e->parts, *part)) return SK_OUT_OF_MEMORY;
  for (size_t i = 0; i < part->nodes.count; i++) {
    p->nodes[part->nodes.items[i]].accepted = (uint32_t)e->accepted.count;
  }
  return SK_OK;
}

static sk_status refine_scope(examiner *e, size_t number) {
  sk__planner *p = e->p;
  sk__scope rest = p->scopes.items[number];
  while (rest.nodes.count > 0) {
    sk__sub_reason code = SK__NO_SUB;
    size_t rejected = examine(e, &rest, &code);
    if (e->out_of_memory) return SK_OUT_OF_MEMORY;
    if (rejected == rest.nodes.count) return accept_part(e, &rest);
    size_t cut = rejected + 1;
    while (cut > 0 && p->nodes[rest.nodes.items[cut - 1]].type != SK__NODE_WAIT) cut--;
    uint32_t at = rest.nodes.items[rejected];
    if (cut-- == 0)
      return sk__plan_refuse(p, "%s (node %llu): %s, and no wait before it could be left out", sk__node_label(p, at),
                             (unsigned long long)p->graph->nodes[at].id, sk__sub_text(code));
    p->nodes[at].reason = SK__REASON_EXIST_DEADLOCK;
    p->nodes[at].sub = code;
    sk__scope first = rest;
    first.nodes.count = cut;
    rest.nodes = (sk__list){rest.nodes.items + cut + 1, rest.nodes.count - cut - 1};
    if (cut == 0) continue;
    if (has_kernel(p, rest.nodes.items, rest.nodes.count)) {
      first.broken = SK__BREAK_DEADLOCK_DETECTED;
      first.trigger = at;
      first.culprits.count = 0;
    }
    sk_status status = accept_part(e, &first);
    if (status != SK_OK) return status;
  }
  return SK_OK;
}

sk_status sk__deadlock_refine(sk__planner *p) {
  size_t streams = p->graph->stream_count;
  examiner e = {.p = p, .stamp = p->search_stamp};
  e.stream_stamp = sk__arena_array(&p->scratch, uint32_t, streams);
  e.last = sk__arena_array(&p->scratch, uint32_t, streams);
  e.first = sk__arena_array(&p->scratch, uint32_t, streams);
  if (e.stream_stamp == NULL || e.last == NULL || e.first == NULL) return SK_OUT_OF_MEMORY;
  for (size_t i = 0; i < p->graph->node_count; i++) p->nodes[i].accepted = 0;
  sk_status status = SK_OK;
  for (size_t s = 0; s < p->scopes.count && status == SK_OK; s++) status = refine_scope(&e, s);
  if (status == SK_OK) {
    sk__vec_clear(&p->scopes);
    if (!sk__vec_reserve(&p->scopes, e.parts.count)) status = SK_OUT_OF_MEMORY;
    for (size_t i = 0; i < e.parts.count && status == SK_OK; i++) p->scopes.items[p->scopes.count++] = e.parts.items[i];
  }
  p->search_stamp = e.stamp;
  sk__vec_free(&e.accepted);
  sk__vec_free(&e.work);
  sk__vec_free(&e.parts);
  return status;
}
