/* prune.c - streams of a scope that bring no kernel to it: tasks that are no kernels, and events alone. */
#include "fuse/planner.h"

typedef struct content { bool kernels, defaults; } content;

/* What each stream brings to the scope; by stream index. */
static content *contents(sk__planner *p, const sk__scope *scope) {
  content *all = sk__arena_array(&p->scratch, content, p->graph->stream_count);
  for (size_t i = 0; all != NULL && i < scope->nodes.count; i++) {
    content *mine = &all[p->nodes[scope->nodes.items[i]].stream];
    mine->kernels |= p->nodes[scope->nodes.items[i]].type == SK__NODE_KERNEL;
    mine->defaults |= p->nodes[scope->nodes.items[i]].type == SK__NODE_DEFAULT;
  }
  return all;
}

/* task_breaker_bypass. A default node beside kernels of its stream cannot be skipped: it becomes a cut. A
 * stream without kernels runs beside the SK and leaves the scope as a whole. */
sk_status sk__prune_default_nodes(sk__planner *p) {
  size_t kept_scopes = 0;
  for (size_t s = 0; s < p->scopes.count; s++) {
    sk__scope scope = p->scopes.items[s];
    const content *streams = contents(p, &scope);
    if (streams == NULL) return SK_OUT_OF_MEMORY;
    size_t kept = 0;
    for (size_t i = 0; i < scope.nodes.count; i++) {
      uint32_t at = scope.nodes.items[i];
      content mine = streams[p->nodes[at].stream];
      if (mine.defaults && !mine.kernels) continue;
      scope.nodes.items[kept++] = at;
      if (p->nodes[at].type != SK__NODE_DEFAULT) continue;
      p->nodes[at].fusible = false;
      p->nodes[at].reason = SK__REASON_DEFAULT_NODE;
      p->nodes[at].sub = SK__NO_SUB;
      p->resplit = true;
    }
    scope.nodes.count = kept;
    if (kept == 0) continue;
    sk_status status = sk__scope_streams(p, &scope);
    if (status != SK_OK) return status;
    p->scopes.items[kept_scopes++] = scope;
  }
  p->scopes.count = kept_scopes;
  return SK_OK;
}

/* A stream that brings only events to a scope gains nothing by being in it. */
sk_status sk__prune_event_streams(sk__planner *p) {
  for (size_t s = 0; s < p->scopes.count; s++) {
    const sk__scope *scope = &p->scopes.items[s];
    const content *streams = contents(p, scope);
    if (streams == NULL) return SK_OUT_OF_MEMORY;
    for (size_t i = 0; i < scope->nodes.count; i++) {
      sk__pnode *node = &p->nodes[scope->nodes.items[i]];
      if (!sk__is_event_node(node->type) || streams[p->nodes[scope->nodes.items[i]].stream].kernels) continue;
      node->fusible = false;
      node->reason = SK__REASON_ISOLATED_EVENT;
      node->sub = SK__NO_SUB;
      p->resplit = true;
    }
  }
  return SK_OK;
}
