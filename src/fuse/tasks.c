/* tasks.c - what an SK executes: its kernels, and those events that reach beyond it. */
#include "fuse/planner.h"

/* ---- events inside one scope cancel ---------------------------------------------------------- */

static void count_balance(sk__planner *p, uint32_t number) {
  const sk__scope *scope = &p->scopes.items[number];
  for (size_t i = 0; i < scope->nodes.count; i++) {
    const sk__pnode *node = &p->nodes[scope->nodes.items[i]];
    if (node->type != SK__NODE_NOTIFY && node->type != SK__NODE_WAIT) continue;
    sk__pevent *event = &p->events.items[node->event];
    if (event->touched_by != number + 1) {
      event->touched_by = number + 1;
      event->balance = 0;
    }
    event->balance += node->type == SK__NODE_NOTIFY ? (int64_t)event->waits.count : -1;
  }
}

static bool cancelled(const sk__planner *p, uint32_t number, uint32_t at) {
  const sk__pnode *node = &p->nodes[at];
  if (sk__is_marker(p, at)) return true;
  if (!sk__is_event_node(node->type)) return false;
  const sk__pevent *event = &p->events.items[node->event];
  bool counted = event->touched_by == number + 1;
  if (node->type == SK__NODE_WAIT) return event->balance >= 0;
  if (node->type == SK__NODE_RESET) return counted && event->balance == 0;
  return event->balance == 0 && !(event->by_address && event->waits.count == 0);
}

/* ---- words: what remains of events becomes stores and polls of device memory ------------------ */

/* False: the event lacks a part, and a word could never be right. */
static bool give_word(sk__planner *p, uint32_t number) {
  sk__pevent *event = &p->events.items[number];
  if (event->by_address || event->worded) return true;
  if (event->notify == SK__NONE || event->waits.count == 0) return false;
  if (event->resets.count == 0 && !p->graph->implicit_resets) return false;
  event->worded = true;
  return true;
}

/* Nodes of worded events outside every SK work on the word too. */
static void rewrite(sk__planner *p, uint32_t at, uint32_t event, sk__update_kind kind, uint8_t value) {
  if (p->nodes[at].scope != SK__NONE) return;
  p->updates[at] = (sk__update){kind, .is_event = true, .word = event, .value = value};
}

void sk__rewrite_events(sk__planner *p) {
  for (uint32_t e = 0; e < p->events.count; e++) {
    const sk__pevent *event = &p->events.items[e];
    if (!event->worded) continue;
    rewrite(p, event->notify, e, SK__UPDATE_WRITE, 1);
    for (size_t i = 0; i < event->waits.count; i++) rewrite(p, event->waits.items[i], e, SK__UPDATE_WAIT, 1);
    for (size_t i = 0; i < event->resets.count; i++) rewrite(p, event->resets.items[i], e, SK__UPDATE_WRITE, 0);
  }
}

/* ---- deferred waits -------------------------------------------------------------------------- */

/* auto_op_parallel: a wait moves to just before the next kernel of its stream, so that kernels of other
 * streams can run meanwhile. */
static sk_status defer_waits(sk__planner *p, sk__scope *scope) {
  size_t count = scope->tasks.count;
  uint32_t *moved = sk__arena_array(&p->scratch, uint32_t, count);
  uint32_t *kernels_left = sk__arena_array(&p->scope_scratch, uint32_t, p->graph->stream_count);
  SK__VEC(uint32_t) pending = {0};
  if (moved == NULL || kernels_left == NULL) return SK_OUT_OF_MEMORY;
  for (size_t i = 0; i < count; i++)
    if (p->nodes[scope->tasks.items[i]].type == SK__NODE_KERNEL) kernels_left[p->nodes[scope->tasks.items[i]].stream]++;
  size_t out = 0;
  bool pushed = true;
  for (size_t i = 0; i < count && pushed; i++) {
    uint32_t at = scope->tasks.items[i], stream = p->nodes[at].stream;
    if (p->nodes[at].type == SK__NODE_WAIT && kernels_left[stream] > 0) {
      pushed = sk__vec_push(&pending, at);
      continue;
    }
    if (p->nodes[at].type == SK__NODE_KERNEL) {
      kernels_left[stream]--;
      size_t kept = 0;
      for (size_t w = 0; w < pending.count; w++)
        if (p->nodes[pending.items[w]].stream == stream) moved[out++] = pending.items[w];
        else pending.items[kept++] = pending.items[w];
      pending.count = kept;
    }
    moved[out++] = at;
  }
  sk__vec_free(&pending);
  if (!pushed) return SK_OUT_OF_MEMORY;
  if (out != count) return SK_INTERNAL;
  scope->tasks.items = moved;
  return SK_OK;
}

/* ---- names ----------------------------------------------------------------------------------- */

static sk_status name_scope(sk__planner *p, sk__scope *scope) {
  SK__VEC(char) names = {0};
  const uint64_t *set = p->flag_sets[scope->flags];
  bool ok = true;
  for (size_t word = 0; word < SK__MAX_SCOPE_NAMES / 64; word++)
    for (uint64_t open = set[word]; open != 0 && ok; open &= open - 1) {
      const char *name = p->scope_names[word * 64 + (size_t)__builtin_ctzll(open)];
      size_t before = names.count, bytes = strlen(name);
      ok = sk__vec_reserve(&names, before + bytes + 2); /* with the stroke between names, or the end */
      if (!ok) break;
      if (before > 0) names.items[names.count++] = '_';
      memcpy(names.items + names.count, name, bytes);
      names.count += bytes;
    }
  ok = ok && sk__vec_push(&names, '\0');
  uint32_t first = SK__NONE, last = SK__NONE;
  for (size_t i = 0; i < scope->tasks.count; i++) {
    if (p->nodes[scope->tasks.items[i]].type != SK__NODE_KERNEL) continue;
    if (first == SK__NONE) first = scope->tasks.items[i];
    last = scope->tasks.items[i];
  }
  if (ok && first == SK__NONE)
    scope->name = sk__arena_format(p->keep, "sk_*_no_kernel_scope_%s", names.count > 1 ? names.items : "none");
  else if (ok)
    scope->name = sk__arena_format(p->keep, "sk_*_%s_start_%s_end_%s", names.count > 1 ? names.items : "none",
                                   p->graph->nodes[first].kernel.name, p->graph->nodes[last].kernel.name);
  sk__vec_free(&names);
  return ok && scope->name != NULL ? SK_OK : SK_OUT_OF_MEMORY;
}

sk_status sk__make_tasks(sk__planner *p, uint32_t number) {
  sk__scope *scope = &p->scopes.items[number];
  scope->tasks.items = sk__arena_array(&p->scratch, uint32_t, scope->nodes.count);
  if (scope->tasks.items == NULL) return SK_OUT_OF_MEMORY;
  count_balance(p, number);
  for (size_t i = 0; i < scope->nodes.count; i++) {
    uint32_t at = scope->nodes.items[i];
    if (cancelled(p, number, at)) continue;
    if (sk__is_event_node(p->nodes[at].type) && !give_word(p, p->nodes[at].event)) {
      scope->status = SK__SCOPE_UNRECOVERABLE_FAIL;
      return sk__plan_refuse(p, "event of node %llu needs a record, a wait and a reset in the graph",
                             (unsigned long long)p->graph->nodes[at].id);
    }
    scope->tasks.items[scope->tasks.count++] = at;
  }
  scope->last_before_move = scope->tasks.items[scope->tasks.count - 1];
  sk_status status = p->options->auto_op_parallel != 0 ? defer_waits(p, scope) : SK_OK;
  return status == SK_OK ? name_scope(p, scope) : status;
}
