/* split.c - the first cut of the graph into scopes: nodes with the same open scopes, taken in an order
 * that respects streams and events. */
#include "fuse/planner.h"

typedef struct stream_state {
  uint32_t cursor;      /* node, SK__NONE at the end */
  uint32_t waits_for;   /* event the stream is suspended on, SK__NONE */
  bool ended;           /* for the scope in work */
  bool candidate;
} stream_state;

typedef struct splitter {
  sk__planner *p;
  stream_state *streams;
  bool *processed, *visited; /* per node; visited: NOTIFY nodes */
  SK__VEC(uint32_t) taken;
  SK__VEC(uint32_t) culprits;
  uint32_t flags;
  uint32_t last_kernel; /* of the scope in work */
  bool out_of_memory;
} splitter;

/* ---- skipping what cannot be fused, between scopes ------------------------------------------- */

static bool skip_unfusible(splitter *s, uint32_t stream);

static void release_waiters(splitter *s, uint32_t event) {
  for (size_t i = 0; i < s->p->events.items[event].waits.count; i++) {
    uint32_t stream = s->p->nodes[s->p->events.items[event].waits.items[i]].stream;
    if (s->streams[stream].waits_for == event) s->streams[stream].waits_for = SK__NONE;
  }
}

/* Skips the unfusible head of one stream; true when it released a suspended stream. */
static bool skip_unfusible(splitter *s, uint32_t stream) {
  stream_state *state = &s->streams[stream];
  bool released = false;
  while (state->cursor != SK__NONE && state->waits_for == SK__NONE && !s->p->nodes[state->cursor].fusible) {
    uint32_t at = state->cursor;
    const sk__pnode *node = &s->p->nodes[at];
    if (node->type == SK__NODE_WAIT) {
      uint32_t notify = s->p->events.items[node->event].notify;
      if (notify != SK__NONE && !s->visited[notify]) {
        state->waits_for = node->event;
        break;
      }
    } else if (node->type == SK__NODE_NOTIFY) {
      s->visited[at] = true;
      release_waiters(s, node->event);
      released = true;
    }
    s->processed[at] = true;
    state->cursor = sk__behind(s->p, at);
  }
  return released;
}

static void skip_all(splitter *s) {
  bool again = true;
  while (again) {
    again = false;
    for (uint32_t stream = 0; stream < s->p->graph->stream_count; stream++) again |= skip_unfusible(s, stream);
  }
}

/* ---- candidates ------------------------------------------------------------------------------ */

static void try_add(splitter *s, uint32_t stream) {
  stream_state *state = &s->streams[stream];
  if (state->ended || state->candidate || state->waits_for != SK__NONE) return;
  while (state->cursor != SK__NONE && s->processed[state->cursor]) state->cursor = sk__behind(s->p, state->cursor);
  if (state->cursor == SK__NONE) return;
  const sk__pnode *node = &s->p->nodes[state->cursor];
  if (!node->fusible) {
    state->ended = true;
    if (!sk__vec_push(&s->culprits, state->cursor)) s->out_of_memory = true;
    return;
  }
  if (node->flags != s->flags) {
    state->ended = true;
    return;
  }
  if (node->type == SK__NODE_WAIT) {
    uint32_t notify = s->p->events.items[node->event].notify;
    if (notify != SK__NONE && !s->visited[notify]) {
      state->waits_for = node->event;
      return;
    }
  }
  state->candidate = true;
}

/* Class of a candidate under auto_op_parallel: lower goes first. */
static uint32_t parallel_class(const splitter *s, uint32_t at) {
  const sk__pnode *node = &s->p->nodes[at];
  if (node->type == SK__NODE_DEFAULT) return 0;
  if (sk__is_event_node(node->type) || sk__is_marker(s->p, at)) return 1;
  if (s->last_kernel == SK__NONE) return node->shape == SK__SHAPE_MIX ? 2 : 3;
  const sk__pnode *last = &s->p->nodes[s->last_kernel];
  bool elsewhere = s->p->nodes[at].stream != s->p->nodes[s->last_kernel].stream;
  sk__shape wanted = last->shape == SK__SHAPE_MIX ? SK__SHAPE_MIX : last->shape == SK__SHAPE_AIV ? SK__SHAPE_AIC : SK__SHAPE_AIV;
  if (!elsewhere) return 4;
  return node->shape == wanted ? 2 : 3;
}

/* Stream of the next node to take, SK__NONE when there is no candidate: the lowest class, in it the node captured first. Which
 * stream that is changes from node to node, so the lowest rank is taken without a jump. */
static uint32_t next_candidate(const splitter *s) {
  bool parallel = s->p->options->auto_op_parallel != 0;
  uint32_t best = SK__NONE;
  uint64_t lowest = UINT64_MAX;
  for (uint32_t stream = 0; stream < s->p->graph->stream_count; stream++) {
    if (!s->streams[stream].candidate) continue;
    uint32_t at = s->streams[stream].cursor;
    uint64_t rank = (uint64_t)(parallel ? parallel_class(s, at) : 0) << 32 | at;
    best = rank < lowest ? stream : best;
    lowest = rank < lowest ? rank : lowest;
  }
  return best;
}

static void take(splitter *s, uint32_t stream) {
  stream_state *state = &s->streams[stream];
  uint32_t at = state->cursor;
  const sk__pnode *node = &s->p->nodes[at];
  state->candidate = false;
  s->processed[at] = true;
  state->cursor = sk__behind(s->p, at);
  if (!sk__vec_push(&s->taken, at)) s->out_of_memory = true;
  if (sk__is_real_kernel(s->p, at)) s->last_kernel = at;
  if (node->type == SK__NODE_NOTIFY) {
    const sk__pevent *event = &s->p->events.items[node->event];
    s->visited[at] = true;
    release_waiters(s, node->event);
    for (size_t i = 0; i < event->waits.count; i++) try_add(s, s->p->nodes[event->waits.items[i]].stream);
  } else if (node->type == SK__NODE_RESET && node->event != SK__NONE) {
    uint32_t notify = s->p->events.items[node->event].notify;
    if (notify != SK__NONE) s->visited[notify] = false;
  }
  try_add(s, stream);
}

/* ---- scopes ---------------------------------------------------------------------------------- */

static uint32_t find_seed(const splitter *s) {
  uint32_t seed = SK__NONE;
  for (uint32_t stream = 0; stream < s->p->graph->stream_count; stream++) {
    const stream_state *state = &s->streams[stream];
    if (state->cursor == SK__NONE || state->waits_for != SK__NONE) continue;
    if (s->p->nodes[state->cursor].fusible && state->cursor < seed) seed = state->cursor;
  }
  return seed;
}

sk_status sk__scope_streams(sk__planner *p, sk__scope *scope) {
  size_t most = scope->nodes.count < p->graph->stream_count ? scope->nodes.count : p->graph->stream_count;
  uint32_t *found = sk__arena_array(&p->scratch, uint32_t, most);
  bool *seen = sk__calloc(p->graph->stream_count + 1, sizeof(bool));
  if (found == NULL || seen == NULL) {
    sk__free(seen);
    return SK_OUT_OF_MEMORY;
  }
  scope->streams = (sk__list){found, 0};
  for (size_t i = 0; i < scope->nodes.count && scope->streams.count < most; i++) {
    uint32_t stream = p->nodes[scope->nodes.items[i]].stream;
    if (seen[stream]) continue;
    seen[stream] = true;
    found[scope->streams.count++] = stream;
  }
  sk__free(seen);
  return SK_OK;
}

static sk_status keep_scope(splitter *s) {
  sk__planner *p = s->p;
  sk__scope scope = {.flags = s->flags, .main = SK__NONE, .trigger = SK__NONE, .last_before_move = SK__NONE};
  scope.nodes.items = sk__arena_copy(&p->scratch, s->taken.items, s->taken.count * sizeof(uint32_t));
  scope.nodes.count = s->taken.count;
  if (scope.nodes.items == NULL) return SK_OUT_OF_MEMORY;
  if (s->culprits.count > 0) {
    scope.broken = SK__BREAK_UNFUSIBLE_NODE;
    scope.culprits.items = sk__arena_copy(&p->scratch, s->culprits.items, s->culprits.count * sizeof(uint32_t));
    scope.culprits.count = s->culprits.count;
    if (scope.culprits.items == NULL) return SK_OUT_OF_MEMORY;
    for (size_t i = 0; i < s->culprits.count; i++) /* one of them: the smallest reads best */
      if (s->culprits.items[i] < scope.trigger) scope.trigger = s->culprits.items[i];
  }
  sk_status status = sk__scope_streams(p, &scope);
  if (status != SK_OK) return status;
  return sk__vec_push(&p->scopes, scope) ? SK_OK : SK_OUT_OF_MEMORY;
}

/* *done: nothing can be taken with the seed, a wait that nothing taken so far releases. The real splitter then stops for
 * good, and what stands behind stays as it is. */
static sk_status build_scope(splitter *s, uint32_t seed, bool *done) {
  uint32_t streams = s->p->graph->stream_count;
  sk__vec_clear(&s->taken);
  sk__vec_clear(&s->culprits);
  s->flags = s->p->nodes[seed].flags;
  s->last_kernel = SK__NONE;
  if (s->p->options->strict_stream_fusion && s->p->options->stream_fusion == 0)
    for (uint32_t stream = 0; stream < streams; stream++) s->streams[stream].ended = stream != s->p->nodes[seed].stream;
  for (uint32_t stream = 0; stream < streams; stream++) try_add(s, stream);
  for (uint32_t stream; (stream = next_candidate(s)) != SK__NONE;) take(s, stream);
  if (s->out_of_memory) return SK_OUT_OF_MEMORY;
  for (uint32_t stream = 0; stream < streams; stream++) {
    s->streams[stream].ended = false;
    s->streams[stream].waits_for = SK__NONE;
  }
  *done = s->taken.count == 0;
  sk_status status = *done ? SK_OK : keep_scope(s);
  skip_all(s);
  return status;
}

sk_status sk__initial_split(sk__planner *p) {
  splitter s = {.p = p};
  s.streams = sk__calloc(p->graph->stream_count + 1, sizeof *s.streams);
  s.processed = sk__calloc(p->graph->node_count + 1, sizeof(bool));
  s.visited = sk__calloc(p->graph->node_count + 1, sizeof(bool));
  sk_status status = s.streams != NULL && s.processed != NULL && s.visited != NULL ? SK_OK : SK_OUT_OF_MEMORY;
  if (status == SK_OK) {
    for (uint32_t stream = 0; stream < p->graph->stream_count; stream++) {
      s.streams[stream].waits_for = SK__NONE;
      s.streams[stream].cursor = p->graph->stream_sizes[stream] > 0 ? p->graph->stream_nodes[stream][0] : SK__NONE;
    }
    skip_all(&s);
    bool done = false;
    for (uint32_t seed; status == SK_OK && !done && (seed = find_seed(&s)) != SK__NONE;) status = build_scope(&s, seed, &done);
  }
  sk__vec_free(&s.taken);
  sk__vec_free(&s.culprits);
  sk__free(s.streams);
  sk__free(s.processed);
  sk__free(s.visited);
  return status;
}

/* debug_per_op_max_core_num, single_op_scopes: every kernel that can be fused is a scope of its own, nothing else is. */
sk_status sk__per_op_split(sk__planner *p) {
  for (uint32_t stream = 0; stream < p->graph->stream_count; stream++)
    for (uint32_t i = 0; i < p->graph->stream_sizes[stream]; i++) {
      uint32_t at = p->graph->stream_nodes[stream][i];
      if (p->nodes[at].type != SK__NODE_KERNEL || !p->nodes[at].fusible) continue;
      sk__scope scope = {.main = SK__NONE, .trigger = SK__NONE, .last_before_move = SK__NONE};
      scope.nodes = (sk__list){sk__arena_copy(&p->scratch, &at, sizeof at), 1};
      scope.streams = (sk__list){sk__arena_copy(&p->scratch, &stream, sizeof stream), 1};
      if (scope.nodes.items == NULL || scope.streams.items == NULL || !sk__vec_push(&p->scopes, scope)) return SK_OUT_OF_MEMORY;
    }
  return SK_OK;
}

sk_status sk__scopes_replace(sk__planner *p, size_t at, const sk__scope *with, size_t n) {
  size_t count = p->scopes.count;
  if (!sk__vec_reserve(&p->scopes, count + n)) return SK_OUT_OF_MEMORY;
  sk__scope *items = p->scopes.items;
  memmove(items + at + n, items + at + 1, (count - at - 1) * sizeof *items);
  for (size_t i = 0; i < n; i++) items[at + i] = with[i];
  p->scopes.count = count + n - 1;
  return SK_OK;
}
