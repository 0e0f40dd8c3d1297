/* group.c - which nodes of a GE graph become one SuperKernel: fusibility, the strict check, cuts. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fuse/ge/group.h"

enum { NO_SCOPE = UINT32_MAX };
typedef enum check { CHECK_NONE, CHECK_BYPASS, CHECK_ABORT } check;

/* A node as member of a scope, or as an unfusible one remembered for it. */
typedef struct mark { uint32_t scope, stream, node; } mark;
typedef SK__VEC(mark) mark_list;
typedef SK__VEC(int64_t) id_list;

typedef struct work {
  sk__ge_grouper *g;
  const char **names;      /* scope names, ascending */
  size_t name_count;
  uint32_t *scope;         /* per node, after unfusible ones lost theirs */
  check *checks;           /* per scope: of its last visited node */
  mark_list members, remembered;
  id_list cuts;
} work;

/* ---- attributes ------------------------------------------------------------------------------ */

static bool named(const sk__ge_node *node) { return node->kind == SK__GE_NODE_COMPUTE && node->scope != NULL && node->scope[0] != '\0'; }

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static sk_status collect_names(work *w) {
  const sk__ge_graph *graph = w->g->graph;
  w->names = sk__arena_array(w->g->arena, const char *, graph->node_count);
  w->scope = sk__arena_array(w->g->arena, uint32_t, graph->node_count);
  if (w->names == NULL || w->scope == NULL) return SK_OUT_OF_MEMORY;
  size_t count = 0;
  for (size_t i = 0; i < graph->node_count; i++)
    if (named(&graph->nodes[i])) w->names[count++] = graph->nodes[i].scope;
  if (count > 0) qsort(w->names, count, sizeof *w->names, by_text);
  for (size_t i = 0; i < count; i++)
    if (w->name_count == 0 || strcmp(w->names[w->name_count - 1], w->names[i]) != 0) w->names[w->name_count++] = w->names[i];
  for (size_t i = 0; i < graph->node_count; i++) {
    w->scope[i] = NO_SCOPE;
    if (!named(&graph->nodes[i])) continue;
    const char *const *found = bsearch(&graph->nodes[i].scope, w->names, w->name_count, sizeof *w->names, by_text);
    w->scope[i] = (uint32_t)(found - w->names);
  }
  w->checks = sk__arena_array(w->g->arena, check, w->name_count);
  return w->checks != NULL ? SK_OK : SK_OUT_OF_MEMORY;
}

/* strict-scope-check of a node's own options. Split at ':' and '=' without trimming; a part with another
 * number of '=' does not count. */
static sk_status read_check(work *w, const sk__ge_node *node, check *out) {
  static const char key[] = "strict-scope-check";
  *out = CHECK_NONE;
  for (const char *at = node->options; at != NULL;) {
    const char *colon = strchr(at, ':'), *end = colon != NULL ? colon : at + strlen(at);
    const char *equals = memchr(at, '=', (size_t)(end - at));
    bool one = equals != NULL && memchr(equals + 1, '=', (size_t)(end - equals - 1)) == NULL;
    if (one && (size_t)(equals - at) == sizeof key - 1 && memcmp(at, key, sizeof key - 1) == 0) {
      size_t length = (size_t)(end - equals - 1);
      if (length == 6 && memcmp(equals + 1, "bypass", 6) == 0) *out = CHECK_BYPASS;
      else if (length == 5 && memcmp(equals + 1, "abort", 5) == 0) *out = CHECK_ABORT;
      else {
        sk__text_add(&w->g->why, "node %s: strict-scope-check is '%.*s'; legal: bypass, abort", node->name, (int)(length > 60 ? 60 : length), equals + 1);
        return SK_INVALID_ARGUMENT;
      }
    }
    at = colon != NULL ? colon + 1 : NULL;
  }
  return SK_OK;
}

/* The test between the first and last node of a scope: tiling on AICPU is not looked at again there. */
static bool fusible_in_range(const sk__ge_node *node) { return node->hccl || (node->supported && !node->simt); }
static bool fusible(const sk__ge_node *node) {
  bool on_aicpu = node->tiling_on_aicpu && !node->tiling_sink && node->reuse_binary;
  return node->hccl || (fusible_in_range(node) && !on_aicpu);
}

static sk_status visit_nodes(work *w) {
  const sk__ge_graph *graph = w->g->graph;
  for (uint32_t i = 0; i < graph->node_count; i++) {
    const sk__ge_node *node = &graph->nodes[i];
    uint32_t scope = w->scope[i];
    if (scope == NO_SCOPE) continue;
    check value;
    sk_status status = read_check(w, node, &value);
    if (status != SK_OK) return status;
    w->checks[scope] = value;
    mark here = {scope, w->g->stream_of[i], i};
    if (!fusible(node) && value == CHECK_NONE) {
      w->scope[i] = NO_SCOPE;
      if (!sk__vec_push(&w->remembered, here)) return SK_OUT_OF_MEMORY;
    } else if (!sk__vec_push(&w->members, here)) {
      return SK_OUT_OF_MEMORY;
    }
  }
  return SK_OK;
}

/* ---- one scope ------------------------------------------------------------------------------- */

static int by_scope(const void *a, const void *b) {
  const mark *x = a, *y = b;
  if (x->scope != y->scope) return x->scope < y->scope ? -1 : 1;
  if (x->stream != y->stream) return x->stream < y->stream ? -1 : 1;
  return x->node < y->node ? -1 : x->node > y->node;
}
static int by_node(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}
static int by_id(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

static sk_status offend(work *w, uint32_t scope, uint32_t index, bool *offended) {
  sk__ge_grouper *g = w->g;
  const sk__ge_node *node = &g->graph->nodes[index];
  const char *what = w->scope[index] == scope ? "is not fusible" : "does not belong to it";
  if (w->checks[scope] == CHECK_ABORT) {
    sk__text_add(&g->why, "scope %.100s: node %.100s (%" PRId64 ") between its nodes %s; strict-scope-check=abort", w->names[scope], node->name, node->id, what);
    return SK_INVALID_ARGUMENT;
  }
  if (!*offended)
    sk__ge_group_warn(g, "scope %.100s is not fused: node %.100s (%" PRId64 ") between its nodes %s; strict-scope-check=bypass", w->names[scope], node->name, node->id, what);
  *offended = true;
  return SK_OK;
}

static bool is_foreign(const work *w, uint32_t scope, uint32_t node) { return w->scope[node] != scope || !fusible_in_range(&w->g->graph->nodes[node]); }

/* With a check: the first node of the stream between the scope's first and last one there that is no proper
 * member stands right behind one that is. */
static sk_status check_range(work *w, const mark *marks, size_t count, bool *offended) {
  const sk__ge_grouper *g = w->g;
  sk_status status = SK_OK;
  for (size_t i = 0; i < count && status == SK_OK && !*offended; i++) {
    uint32_t behind = g->position[marks[i].node] + 1, scope = marks[0].scope;
    if (is_foreign(w, scope, marks[i].node)) status = offend(w, scope, marks[i].node, offended);
    else if (i + 1 < count && g->position[marks[i + 1].node] != behind) status = offend(w, scope, g->stream_nodes[marks[0].stream][behind], offended);
  }
  return status;
}

/* First place of the stream whose node is not before `node`. */
static uint32_t place_of(const sk__ge_grouper *g, uint32_t stream, uint32_t node) {
  uint32_t low = 0, high = g->stream_sizes[stream];
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (g->stream_nodes[stream][middle] < node) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* Without a check every such node is a cut. Only the cuts next to a member, on whatever stream it runs, tell
 * anything: looking them up costs the same however much lies between. `nodes` are all members, ascending. */
static sk_status cut_range(work *w, const mark *marks, size_t count, const uint32_t *nodes, size_t node_count) {
  const sk__ge_grouper *g = w->g;
  const uint32_t *stream = g->stream_nodes[marks[0].stream];
  uint32_t first = marks[0].node, last = marks[count - 1].node, scope = marks[0].scope;
  size_t from = 0, to = node_count;
  while (from < to) {
    size_t middle = from + (to - from) / 2;
    if (nodes[middle] < first) from = middle + 1;
    else to = middle;
  }
  for (size_t i = from; i < node_count && nodes[i] <= last; i++) {
    uint32_t at = place_of(g, marks[0].stream, nodes[i]), next = at + (stream[at] == nodes[i]);
    const uint32_t near[] = {at > 0 ? stream[at - 1] : first, stream[at], next < g->stream_sizes[marks[0].stream] ? stream[next] : last};
    for (int k = 0; k < 3; k++)
      if (near[k] >= first && near[k] <= last && is_foreign(w, scope, near[k]) && !sk__vec_push(&w->cuts, g->graph->nodes[near[k]].id)) return SK_OUT_OF_MEMORY;
  }
  return SK_OK;
}

static sk_status add_group(work *w, uint32_t scope, const uint32_t *nodes, size_t count, const int64_t *begin, const int64_t *end) {
  sk__ge_scope group = {.scope = w->names[scope], .base = w->names[scope], .member_count = count, .split = begin != NULL};
  if (begin != NULL) {
    group.cut_begin = *begin;
    group.cut_end = *end;
  }
  if (begin != NULL) group.scope = sk__arena_format(w->g->arena, "%s_split_%" PRId64 "_%" PRId64, w->names[scope], *begin, *end);
  group.members = sk__arena_copy(w->g->arena, nodes, count * sizeof *nodes);
  if (group.scope == NULL || group.members == NULL || !sk__vec_push(&w->g->groups, group)) return SK_OUT_OF_MEMORY;
  return SK_OK;
}

/* Pieces strictly between neighbouring cuts, over all streams. `nodes` ascend. */
static sk_status split(work *w, uint32_t scope, const uint32_t *nodes, size_t count) {
  const sk__ge_node *all = w->g->graph->nodes;
  if (!sk__vec_push(&w->cuts, all[nodes[0]].id - 1) || !sk__vec_push(&w->cuts, all[nodes[count - 1]].id + 1)) return SK_OUT_OF_MEMORY;
  qsort(w->cuts.items, w->cuts.count, sizeof *w->cuts.items, by_id);
  size_t cut = 0; /* the last one before or at the node */
  for (size_t from = 0; from < count;) {
    while (cut + 1 < w->cuts.count && w->cuts.items[cut + 1] <= all[nodes[from]].id) cut++;
    if (w->cuts.items[cut] == all[nodes[from]].id) { /* an unfusible node that kept its scope */
      from++;
      continue;
    }
    size_t to = from;
    while (to < count && all[nodes[to]].id < w->cuts.items[cut + 1]) to++;
    sk_status status = add_group(w, scope, nodes + from, to - from, &w->cuts.items[cut], &w->cuts.items[cut + 1]);
    if (status != SK_OK) return status;
    sk__ge_scope *piece = &sk__vec_last(&w->g->groups);
    piece->cut_before = piece->cut_begin != all[nodes[0]].id - 1;
    piece->cut_behind = piece->cut_end != all[nodes[count - 1]].id + 1;
    from = to;
  }
  return SK_OK;
}

/* Unfusible nodes remembered for the scope and a stream it runs on, wherever they stand there. */
static sk_status add_remembered(work *w, uint32_t scope, uint32_t stream, size_t *at) {
  const mark_list *all = &w->remembered;
  while (*at < all->count && (all->items[*at].scope < scope || (all->items[*at].scope == scope && all->items[*at].stream < stream))) ++*at;
  for (; *at < all->count && all->items[*at].scope == scope && all->items[*at].stream == stream; ++*at)
    if (!sk__vec_push(&w->cuts, w->g->graph->nodes[all->items[*at].node].id)) return SK_OUT_OF_MEMORY;
  return SK_OK;
}

/* The scope whose members are marks[0 .. count), by streams. */
static sk_status finish_scope(work *w, const mark *marks, size_t count, size_t *remembered) {
  uint32_t *nodes = sk__arena_array(w->g->arena, uint32_t, count);
  if (nodes == NULL) return SK_OUT_OF_MEMORY;
  for (size_t i = 0; i < count; i++) nodes[i] = marks[i].node;
  qsort(nodes, count, sizeof *nodes, by_node);
  uint32_t scope = marks[0].scope;
  bool offended = false;
  sk__vec_clear(&w->cuts);
  for (size_t from = 0; from < count;) {
    size_t to = from;
    while (to < count && marks[to].stream == marks[from].stream) to++;
    sk_status status = add_remembered(w, scope, marks[from].stream, remembered);
    if (status == SK_OK) status = w->checks[scope] != CHECK_NONE ? check_range(w, &marks[from], to - from, &offended) : cut_range(w, &marks[from], to - from, nodes, count);
    if (status != SK_OK) return status;
    from = to;
  }
  /* in the real pass a scope that is bypassed and has cuts of its own is still split at these */
  if (offended && (w->cuts.count == 0 || !w->g->emulate)) return SK_OK;
  return w->cuts.count > 0 ? split(w, scope, nodes, count) : add_group(w, scope, nodes, count, NULL, NULL);
}

static sk_status make_groups(work *w) {
  sk_status status = collect_names(w);
  if (status == SK_OK) status = visit_nodes(w);
  if (status != SK_OK) return status;
  if (w->members.count > 0) qsort(w->members.items, w->members.count, sizeof(mark), by_scope);
  if (w->remembered.count > 0) qsort(w->remembered.items, w->remembered.count, sizeof(mark), by_scope);
  size_t remembered = 0;
  for (size_t from = 0; from < w->members.count && status == SK_OK;) {
    size_t to = from;
    while (to < w->members.count && w->members.items[to].scope == w->members.items[from].scope) to++;
    status = finish_scope(w, &w->members.items[from], to - from, &remembered);
    from = to;
  }
  return status;
}

sk_status sk__ge_make_groups(sk__ge_grouper *g) {
  work w = {.g = g};
  sk_status status = make_groups(&w);
  sk__vec_free(&w.members);
  sk__vec_free(&w.remembered);
  sk__vec_free(&w.cuts);
  return status;
}
