/* schedmode.c - cuts scopes so that a kernel that synchronises all its cores (batch mode) meets an SK of
 * exactly its size. */
#include "fuse/planner.h"

typedef struct window { uint32_t max[2]; bool any, started; } window;

/* Cores of a kernel as compared here: a batch kernel of one core type counts for both. */
static void needs(const sk__pnode *node, uint32_t out[2]) {
  out[SK__AIC] = node->need[SK__AIC];
  out[SK__AIV] = node->need[SK__AIV];
  if (node->schedmode != 1) return;
  if (out[SK__AIV] == 0) out[SK__AIV] = 2 * out[SK__AIC];
  if (out[SK__AIC] == 0) out[SK__AIC] = (out[SK__AIV] + 1) / 2;
}

typedef enum verdict { KEEP, DROP, RISE } verdict;

static verdict judge(window *w, const sk__pnode *node) {
  uint32_t need[2];
  bool batch = node->schedmode == 1;
  needs(node, need);
  if (w->started && (batch || w->any)) {
    bool smaller = false, larger = false;
    for (int type = SK__AIC; type <= SK__AIV; type++) {
      smaller |= need[type] != 0 && need[type] < w->max[type];
      larger |= need[type] != 0 && need[type] > w->max[type];
    }
    if (batch && smaller) return DROP;
    if (w->any && larger) return RISE;
  }
  for (int type = SK__AIC; type <= SK__AIV; type++) w->max[type] = need[type] > w->max[type] ? need[type] : w->max[type];
  w->any |= batch;
  w->started = true;
  return KEEP;
}

static sk_status note_culprits(sk__planner *p, sk__scope *part, uint32_t at, verdict why) {
  part->broken = SK__BREAK_SYNCALL_OP_DROP;
  part->trigger = at;
  part->culprits.count = 0;
  part->culprits.items = sk__arena_array(&p->scratch, uint32_t, part->nodes.count + 1);
  if (part->culprits.items == NULL) return SK_OUT_OF_MEMORY;
  if (why == DROP) part->culprits.items[part->culprits.count++] = at;
  for (size_t i = 0; why == RISE && i < part->nodes.count; i++)
    if (sk__is_real_kernel(p, part->nodes.items[i]) && p->nodes[part->nodes.items[i]].schedmode == 1)
      part->culprits.items[part->culprits.count++] = part->nodes.items[i];
  return SK_OK;
}

static sk_status split_scope(sk__planner *p, size_t *number) {
  SK__VEC(sk__scope) parts = {0};
  sk__scope whole = p->scopes.items[*number];
  window w = {{0, 0}, false, false};
  size_t begin = 0;
  sk_status status = SK_OK;
  for (size_t i = 0; i <= whole.nodes.count && status == SK_OK; i++) {
    verdict why = KEEP;
    bool end = i == whole.nodes.count;
    if (!end && p->nodes[whole.nodes.items[i]].type == SK__NODE_KERNEL) why = judge(&w, &p->nodes[whole.nodes.items[i]]);
    if (!end && why == KEEP) continue;
    sk__scope part = whole;
    part.nodes = (sk__list){whole.nodes.items + begin, i - begin};
    if (!end) status = note_culprits(p, &part, whole.nodes.items[i], why);
    if (status == SK_OK) status = sk__scope_streams(p, &part);
    if (status == SK_OK && !sk__vec_push(&parts, part)) status = SK_OUT_OF_MEMORY;
    if (end) break;
    begin = i;
    w = (window){{0, 0}, false, false};
    judge(&w, &p->nodes[whole.nodes.items[i]]);
  }
  if (status == SK_OK && parts.count > 1) status = sk__scopes_replace(p, *number, parts.items, parts.count);
  if (parts.count > 1) *number += parts.count - 1;
  sk__vec_free(&parts);
  return status;
}

sk_status sk__schedmode_split(sk__planner *p) {
  sk_status status = SK_OK;
  for (size_t s = 0; s < p->scopes.count && status == SK_OK; s++) status = split_scope(p, &s);
  return status;
}
