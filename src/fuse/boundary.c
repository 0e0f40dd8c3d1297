/* boundary.c - where the launch of an SK stands, and how the streams it takes together are held back
 * before it begins and until it has ended. Tasks of the scope lend their places to these waits and writes. */
#include "fuse/planner.h"

typedef struct branch {
  uint32_t stream, count, first; /* count: scope nodes on the stream; first: into the planner's sorted list */
  bool front, back;              /* something comes before / after the scope on this stream */
} branch;

typedef struct layout {
  sk__planner *p;
  sk__scope *scope;
  uint32_t number;    /* of the scope */
  branch *branches;
  size_t count;
  uint32_t *nodes;    /* scope nodes by stream, in order */
  uint32_t fronts;    /* branches that something comes before */
  size_t main, entry; /* branches; entry == count: only one stream */
} layout;

static sk_status make_branches(layout *l) {
  sk__planner *p = l->p;
  l->count = l->scope->streams.count;
  l->branches = sk__arena_array(&p->scope_scratch, branch, l->count);
  l->nodes = sk__arena_array(&p->scope_scratch, uint32_t, l->scope->nodes.count);
  uint32_t *branch_of = sk__arena_array(&p->scope_scratch, uint32_t, p->graph->stream_count);
  if (l->branches == NULL || l->nodes == NULL || branch_of == NULL) return SK_OUT_OF_MEMORY;
  for (size_t b = 0; b < l->count; b++) {
    l->branches[b].stream = l->scope->streams.items[b];
    branch_of[l->branches[b].stream] = (uint32_t)b;
  }
  for (size_t i = 0; i < l->scope->nodes.count; i++)
    l->branches[branch_of[p->nodes[l->scope->nodes.items[i]].stream]].count++;
  for (size_t b = 1; b < l->count; b++) l->branches[b].first = l->branches[b - 1].first + l->branches[b - 1].count;
  for (size_t b = 0; b < l->count; b++) l->branches[b].count = 0;
  for (size_t i = 0; i < l->scope->nodes.count; i++) {
    branch *mine = &l->branches[branch_of[p->nodes[l->scope->nodes.items[i]].stream]];
    l->nodes[mine->first + mine->count++] = l->scope->nodes.items[i];
  }
  for (size_t b = 0; b < l->count; b++) {
    branch *mine = &l->branches[b];
    mine->front = sk__before(p, l->nodes[mine->first]) != SK__NONE;
    l->fronts += mine->front;
    mine->back = sk__behind(p, l->nodes[mine->first + mine->count - 1]) != SK__NONE;
  }
  return SK_OK;
}

/* ---- roles ----------------------------------------------------------------------------------- */

/* The node of a branch that can become the launch, SK__NONE. */
static uint32_t launch_node(const layout *l, size_t at) {
  uint32_t skip = l->fronts > l->branches[at].front; /* some other branch is waited for */
  for (uint32_t i = skip; i < l->branches[at].count; i++) {
    uint32_t node = l->nodes[l->branches[at].first + i];
    if (l->p->nodes[node].type == SK__NODE_KERNEL) return node;
  }
  return SK__NONE;
}
static bool fits_sub(const branch *b) { return 2u * b->front + 2u * b->back <= b->count; }
static bool fits_entry(const branch *b) { return 2u * b->front + 2u * b->back - b->front <= b->count; }

static sk__scope_status choose_roles(layout *l) {
  l->entry = l->count;
  l->main = 0;
  if (l->count == 1) return launch_node(l, 0) != SK__NONE ? SK__SCOPE_SUCCESS : SK__SCOPE_NO_TARGET_NODE;
  size_t unfit = 0; /* branches that cannot be plain sub-streams */
  for (size_t b = 0; b < l->count; b++) {
    if (launch_node(l, b) == SK__NONE && !fits_entry(&l->branches[b]) && !fits_sub(&l->branches[b]))
      return SK__SCOPE_RESOURCE_INSUFFICIENT;
    unfit += !fits_sub(&l->branches[b]);
  }
  for (l->main = 0; l->main < l->count; l->main++) {
    const branch *main = &l->branches[l->main];
    if (launch_node(l, l->main) == SK__NONE || unfit > 1u + !fits_sub(main)) continue;
    for (l->entry = 0; l->entry < l->count; l->entry++) {
      const branch *entry = &l->branches[l->entry];
      bool others_fit = unfit == (size_t)!fits_sub(main) + !fits_sub(entry);
      if (l->entry != l->main && fits_entry(entry) && others_fit) return SK__SCOPE_SUCCESS;
    }
  }
  return SK__SCOPE_NO_TARGET_NODE;
}

/* ---- laying the tasks onto the branches ------------------------------------------------------ */

typedef struct slots { sk__update ops[4]; uint32_t count; } slots;

static void slot_append(slots *s, sk__update op) { s->ops[s->count++] = op; }
static void slot_prepend(slots *s, sk__update op) {
  for (uint32_t i = s->count; i > 0; i--) s->ops[i] = s->ops[i - 1];
  s->ops[0] = op;
  s->count++;
}

static sk_status new_word(layout *l, uint32_t stream, bool back, bool notify, uint32_t *out) {
  if (!sk__vec_push(&l->p->words, ((sk__word){l->number, stream, back}))) return SK_OUT_OF_MEMORY;
  *out = (uint32_t)l->p->words.count - 1;
  return sk__vec_push(&l->scope->boundary, ((sk__boundary_op){*out, notify})) ? SK_OK : SK_OUT_OF_MEMORY;
}

/* Links one other stream into the chain that ends at the launch; *previous is the branch that waits. */
static sk_status link_branch(layout *l, slots *all, size_t at, size_t *previous) {
  const branch *b = &l->branches[at];
  uint32_t word;
  sk_status status = SK_OK;
  if (b->front) {
    if ((status = new_word(l, b->stream, false, false, &word)) != SK_OK) return status;
    slot_append(&all[at], (sk__update){SK__UPDATE_WRITE, .word = word, .value = 1});
    slot_prepend(&all[*previous], (sk__update){SK__UPDATE_WAIT, .word = word, .value = 1});
    *previous = at;
  }
  if (b->back) {
    if ((status = new_word(l, b->stream, true, true, &word)) != SK_OK) return status;
    slot_append(&all[at], (sk__update){SK__UPDATE_WAIT, .word = word, .value = 1});
    slot_append(&all[at], (sk__update){SK__UPDATE_WRITE, .word = word});
  }
  return status;
}

static sk_status lay_out(layout *l) {
  sk__planner *p = l->p;
  slots *all = sk__arena_array(&p->scope_scratch, slots, l->count);
  if (all == NULL) return SK_OUT_OF_MEMORY;
  size_t previous = l->main;
  sk_status status = SK_OK;
  for (size_t b = 0; b < l->count && status == SK_OK; b++)
    if (b != l->main && b != l->entry) status = link_branch(l, all, b, &previous);
  if (status == SK_OK && l->entry < l->count) status = link_branch(l, all, l->entry, &previous);
  l->scope->main = launch_node(l, l->main);
  for (size_t b = 0; b < l->count; b++)
    for (uint32_t i = 0; i < l->branches[b].count; i++) {
      uint32_t node = l->nodes[l->branches[b].first + i];
      p->updates[node] = i < all[b].count ? all[b].ops[i] : (sk__update){.kind = SK__UPDATE_DISABLE};
    }
  p->updates[l->scope->main] = (sk__update){.kind = SK__UPDATE_LAUNCH};
  return status;
}

static sk_status place_launch(sk__planner *p, uint32_t number) {
  sk__scope *scope = &p->scopes.items[number];
  layout l = {.p = p, .scope = scope, .number = number};
  bool any_kernel = false;
  for (size_t i = 0; i < scope->nodes.count && !any_kernel; i++) any_kernel = sk__is_real_kernel(p, scope->nodes.items[i]);
  scope->status = SK__SCOPE_NO_TARGET_NODE;
  if (any_kernel) {
    sk_status status = make_branches(&l);
    if (status != SK_OK) return status;
    scope->status = choose_roles(&l);
  }
  if (scope->status == SK__SCOPE_SUCCESS) return lay_out(&l);
  for (size_t i = 0; i < scope->nodes.count; i++) {
    sk__pnode *node = &p->nodes[scope->nodes.items[i]];
    node->fusible = false;
    node->reason = SK__REASON_SCOPE_FUSE_PART;
    node->sub = scope->status == SK__SCOPE_NO_TARGET_NODE ? SK__SUB_NO_TARGET_NODE : SK__SUB_RESOURCE_INSUFFICIENT;
    node->scope = SK__NONE;
  }
  return SK_OK;
}

sk_status sk__place_launch(sk__planner *p, uint32_t scope) {
  sk_status status = place_launch(p, scope);
  if (status == SK_OK && p->scopes.items[scope].status == SK__SCOPE_SUCCESS) status = sk__make_tasks(p, scope);
  return status;
}
