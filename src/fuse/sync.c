/* sync.c - which barriers and flags stand between the tasks of an SK. */
#include <stdlib.h>

#include "fuse/planner.h"

enum { SEARCH_STEPS = 100 };

typedef struct edge { uint32_t sender, receiver; } edge;
typedef struct syncer {
  sk__planner *p;
  const sk__scope *scope;
  uint32_t number;       /* of the scope */
  sk__step *steps;
  size_t count;
  bool present[2];       /* queue types some kernel of the SK uses */
  SK__VEC(edge) edges[2]; /* by the sender's core type */
} syncer;

/* ---- queues ---------------------------------------------------------------------------------- */

/* The nearest kernel on the node's graph stream, the node itself included; markers count. */
static uint32_t nearest_kernel(const syncer *s, uint32_t at, bool forward) {
  for (int step = 0; step < SEARCH_STEPS && at != SK__NONE; step++, at = forward ? sk__behind(s->p, at) : sk__before(s->p, at))
    if (s->p->nodes[at].type == SK__NODE_KERNEL) return at;
  return SK__NONE;
}

/* The same as the real planner does it: what a search finds is remembered for the nodes it passed that are of the kind it
 * began at, whichever way it went, so that a later search the other way may come out at a kernel behind it. */
static uint32_t remembered_kernel(const syncer *s, uint32_t start, bool forward) {
  uint32_t path[SEARCH_STEPS], scope = s->number + 1, at = start;
  for (int step = 0; step < SEARCH_STEPS && at != SK__NONE; step++, at = forward ? sk__behind(s->p, at) : sk__before(s->p, at)) {
    path[step] = at;
    uint32_t kernel = s->p->nodes[at].type == SK__NODE_KERNEL ? at : SK__NONE;
    if (s->p->remembered[at].scope == scope) kernel = s->p->remembered[at].kernel;
    if (kernel == SK__NONE) continue;
    for (int i = 0; i <= step; i++)
      if (s->p->nodes[path[i]].type == SK__NODE_KERNEL || s->p->nodes[path[i]].type == s->p->nodes[start].type)
        s->p->remembered[path[i]] = (sk__remembered){kernel, scope};
    return kernel;
  }
  return SK__NONE;
}

/* The kernel whose queue an event of the SK shares. */
static uint32_t kernel_of_event(const syncer *s, uint32_t event, bool forward) {
  uint32_t start = forward ? sk__behind(s->p, event) : sk__before(s->p, event);
  if (s->p->remembered == NULL || start == SK__NONE) return nearest_kernel(s, start, forward);
  uint32_t kernel = remembered_kernel(s, start, forward);
  if (kernel != SK__NONE) s->p->remembered[event] = (sk__remembered){kernel, s->number + 1};
  return kernel;
}

static sk__core_type queue_of_shape(sk__shape shape) { return shape == SK__SHAPE_AIC ? SK__AIC : SK__AIV; }

static uint32_t first_kernel(const syncer *s) {
  for (size_t i = 0; i < s->scope->tasks.count; i++)
    if (s->p->nodes[s->scope->tasks.items[i]].type == SK__NODE_KERNEL) return s->scope->tasks.items[i];
  return SK__NONE;
}

static sk__core_type present_queue(const syncer *s, sk__core_type queue) {
  return s->present[queue] ? queue : (sk__core_type)(SK__AIC + SK__AIV - queue);
}

static sk__core_type queue_of_kernel(const syncer *s, uint32_t kernel) {
  if (kernel == SK__NONE) kernel = first_kernel(s);
  return present_queue(s, kernel == SK__NONE ? SK__AIV : queue_of_shape(s->p->nodes[kernel].shape));
}

static sk__core_type queue_of_wait(const syncer *s, uint32_t node, uint32_t kernel_before) {
  uint32_t next = kernel_of_event(s, node, true);
  if (next == SK__NONE) return queue_of_kernel(s, SK__NONE);
  sk__shape shape = s->p->nodes[next].shape;
  if (shape != SK__SHAPE_MIX) return present_queue(s, queue_of_shape(shape));
  if (kernel_before == SK__NONE || s->p->nodes[kernel_before].shape == SK__SHAPE_MIX) return present_queue(s, SK__AIV);
  bool related = s->p->nodes[kernel_before].stream == s->p->nodes[next].stream || sk__linked(s->p, kernel_before, next);
  sk__core_type queue = queue_of_shape(s->p->nodes[kernel_before].shape);
  return present_queue(s, related ? queue : (sk__core_type)(SK__AIC + SK__AIV - queue));
}

static void choose_queues(syncer *s) {
  for (size_t i = 0; i < s->count; i++) {
    sk__shape shape = s->p->nodes[s->steps[i].node].shape;
    s->present[SK__AIC] |= shape == SK__SHAPE_AIC || shape == SK__SHAPE_MIX;
    s->present[SK__AIV] |= shape == SK__SHAPE_AIV || shape == SK__SHAPE_MIX;
  }
  uint32_t kernel_before = SK__NONE;
  for (size_t i = 0; i < s->count; i++) {
    sk__step *step = &s->steps[i];
    const sk__pnode *node = &s->p->nodes[step->node];
    if (node->type == SK__NODE_KERNEL) {
      step->uses[SK__AIC] = node->shape != SK__SHAPE_AIV;
      step->uses[SK__AIV] = node->shape != SK__SHAPE_AIC;
      kernel_before = step->node;
    } else if (node->type == SK__NODE_WAIT) {
      step->uses[queue_of_wait(s, step->node, kernel_before)] = true;
    } else {
      step->uses[queue_of_kernel(s, kernel_of_event(s, step->node, false))] = true;
    }
  }
}

/* ---- edges ----------------------------------------------------------------------------------- */

/* Third chip: kernels that lock the buffer stand in groups of their own, with a full barrier between. */
static bool splits(const syncer *s, size_t i) {
  const sk__node *node = &s->p->graph->nodes[s->steps[i].node];
  return node->type == SK__NODE_KERNEL && node->kernel.mix_split &&
         !sk__patterns_match(&s->p->options->ubuf_lock_ignore_kernel, node->kernel.name);
}
static bool begins_group(const syncer *s, size_t i) { return i > 0 && s->steps[i].group != s->steps[i - 1].group; }
static void number_groups(syncer *s) {
  if (!s->p->graph->third_chip) return;
  for (size_t i = 1; i < s->count; i++) s->steps[i].group = s->steps[i - 1].group + (splits(s, i) != splits(s, i - 1));
}


static bool add_edge(syncer *s, uint32_t from, uint32_t to) {
  if (from >= to || s->steps[from].group != s->steps[to].group) return true;
  const sk__step *a = &s->steps[from], *b = &s->steps[to];
  bool ok = true;
  if (a->uses[SK__AIC] && b->uses[SK__AIV]) ok = sk__vec_push(&s->edges[SK__AIC], ((edge){from, to}));
  if (ok && a->uses[SK__AIV] && b->uses[SK__AIC]) ok = sk__vec_push(&s->edges[SK__AIV], ((edge){from, to}));
  return ok;
}

static bool add_event_edges(syncer *s, uint32_t from) {
  size_t count;
  const uint32_t *links = sk__links_from(s->p, s->steps[from].node, &count);
  bool ok = true;
  for (size_t i = 0; i < count && ok; i++) {
    uint32_t to = s->p->step_of[links[i]];
    if (to != SK__NONE) ok = add_edge(s, from, to);
  }
  return ok;
}

static sk_status find_edges(syncer *s) {
  bool ok = true;
  for (uint32_t i = 0; i < s->count && ok; i++) {
    uint32_t *before = &s->p->last_step[s->p->nodes[s->steps[i].node].stream];
    if (*before != 0) ok = add_edge(s, *before - 1, i);
    *before = i + 1;
    if (ok && s->p->nodes[s->steps[i].node].type == SK__NODE_KERNEL) ok = add_event_edges(s, i);
  }
  return ok ? SK_OK : SK_OUT_OF_MEMORY;
}

/* ---- elimination ----------------------------------------------------------------------------- */

static int by_sender(const void *a, const void *b) {
  const edge *x = a, *y = b;
  if (x->sender != y->sender) return x->sender < y->sender ? -1 : 1;
  return x->receiver < y->receiver ? -1 : x->receiver > y->receiver;
}

/* Flags of one direction: no edge around a later sender that reaches an earlier receiver, one receiver
 * per sender (the first), one sender per receiver (the last). */
static void eliminate(syncer *s, sk__core_type from) {
  edge *edges = s->edges[from].items;
  size_t count = s->edges[from].count;
  if (count == 0) return;
  qsort(edges, count, sizeof *edges, by_sender);
  uint32_t reached = SK__NONE; /* first receiver of any later sender */
  for (size_t end = count; end > 0;) {
    size_t begin = end;
    while (begin > 0 && edges[begin - 1].sender == edges[end - 1].sender) begin--;
    const edge *first = &edges[begin]; /* sorted: the earliest receiver of this sender */
    sk__step *sender = &s->steps[first->sender], *receiver = &s->steps[first->receiver];
    if (first->receiver <= reached && (receiver->receive[from] == SK__NONE || receiver->receive[from] < first->sender)) {
      if (receiver->receive[from] != SK__NONE) s->steps[receiver->receive[from]].send[from] = SK__NONE;
      receiver->receive[from] = first->sender;
      sender->send[from] = first->receiver;
    }
    if (first->receiver < reached) reached = first->receiver;
    end = begin;
  }
}

/* At a wait, the kernel before on its queue needs no barrier of its own: the wait's barrier follows. Not
 * so if a record or reset stands between, which would then be early; the real planner misses that. */
static void drop_redundant_barriers(syncer *s) {
  uint32_t last[2] = {SK__NONE, SK__NONE};
  bool raised[2] = {false, false};
  for (uint32_t i = 0; i < s->count; i++) {
    sk__step *step = &s->steps[i];
    sk__node_type type = s->p->nodes[step->node].type;
    if (begins_group(s, i)) last[SK__AIC] = last[SK__AIV] = SK__NONE;
    for (int queue = SK__AIC; queue <= SK__AIV; queue++) {
      if (!step->uses[queue]) continue;
      if (type == SK__NODE_KERNEL) {
        last[queue] = i;
        raised[queue] = false;
      } else if (type != SK__NODE_WAIT) {
        raised[queue] = true;
      } else if (last[queue] != SK__NONE && s->steps[last[queue]].send[queue] == SK__NONE &&
                 (!raised[queue] || s->p->options->emulate_vendor_defects)) {
        s->steps[last[queue]].barrier[queue] = false;
      }
    }
  }
}

static void close_groups(syncer *s) {
  for (uint32_t i = 1; i < s->count; i++) {
    if (!begins_group(s, i)) continue;
    sk__step *last = &s->steps[i - 1];
    last->all_sync = true;
    for (int type = SK__AIC; type <= SK__AIV; type++) {
      last->barrier[type] = false;
      if (last->send[type] != SK__NONE) s->steps[last->send[type]].receive[type] = SK__NONE;
      last->send[type] = SK__NONE;
    }
  }
}

static void sync_everything(syncer *s) {
  for (size_t i = 0; i < s->count; i++) {
    sk__step *step = &s->steps[i];
    step->all_sync = true;
    for (int type = SK__AIC; type <= SK__AIV; type++) {
      step->barrier[type] = false;
      step->send[type] = step->receive[type] = SK__NONE;
    }
  }
}

/* ---- early start ----------------------------------------------------------------------------- */

static const struct { uint32_t set, wait, xset, xwait; } early_bits[2] = {
    [SK__AIC] = {SK__EARLY_C2C_SET, SK__EARLY_C2C_WAIT, SK__EARLY_C2V_SET, SK__EARLY_V2C_WAIT},
    [SK__AIV] = {SK__EARLY_V2V_SET, SK__EARLY_V2V_WAIT, SK__EARLY_V2C_SET, SK__EARLY_C2V_WAIT},
};

/* The barrier in front of an operator that waits by itself moves into it. */
static void early_wait(syncer *s, uint32_t at, uint32_t before, sk__core_type side) {
  sk__step *step = &s->steps[at], *prior = &s->steps[before];
  prior->next_step[side] = at;
  step->wait_step[side] = at;
  if (prior->barrier[side]) {
    prior->barrier[side] = false;
    prior->early_sync |= early_bits[side].set | early_bits[side].wait;
    step->early_func |= early_bits[side].wait;
  } else if ((prior->early_sync & early_bits[side].set) != 0) {
    step->early_func |= early_bits[side].wait;
  }
  if (prior->send[side] != SK__NONE) {
    prior->early_sync |= early_bits[side].xset;
    step->early_func |= early_bits[side].xset;
    prior->send[side] = SK__NONE;
  }
}

static void early_start(syncer *s) {
  uint32_t last[2] = {SK__NONE, SK__NONE};
  for (uint32_t i = 0; i < s->count; i++) {
    sk__step *step = &s->steps[i];
    const sk__node *node = &s->p->graph->nodes[step->node];
    bool kernel = node->type == SK__NODE_KERNEL;
    for (int side = SK__AIC; side <= SK__AIV; side++) {
      if (!step->uses[side]) continue;
      int other = SK__AIC + SK__AIV - side;
      bool receives = step->receive[other] != SK__NONE;
      if (kernel && (node->kernel.cap & SK_CAP_EARLY_START_SET) != 0 && step->barrier[side]) {
        step->barrier[side] = false;
        step->early_func |= early_bits[side].set;
        step->early_sync |= early_bits[side].set | early_bits[side].wait;
        step->set_step[side] = i;
      }
      if (kernel && (node->kernel.cap & SK_CAP_EARLY_START_WAIT) != 0 && last[side] != SK__NONE) {
        early_wait(s, i, last[side], (sk__core_type)side);
        if (receives) {
          step->early_sync |= early_bits[side].xwait;
          step->early_func |= early_bits[side].xwait;
          step->receive[other] = SK__NONE;
        }
      }
      last[side] = i;
    }
    if (step->all_sync) last[SK__AIC] = last[SK__AIV] = i;
    if (kernel && s->p->graph->third_chip) step->early_func |= SK__EARLY_SPLIT_CORE_CTRL;
  }
}

/* ---- all ------------------------------------------------------------------------------------- */

static sk_status prepare(syncer *s) {
  s->count = s->scope->tasks.count;
  s->steps = sk__arena_array(&s->p->scope_scratch, sk__step, s->count);
  if (s->steps == NULL) return SK_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < s->count; i++) {
    s->steps[i] = (sk__step){.node = s->scope->tasks.items[i],
                             .send = {SK__NONE, SK__NONE}, .receive = {SK__NONE, SK__NONE},
                             .set_step = {SK__NONE, SK__NONE}, .next_step = {SK__NONE, SK__NONE},
                             .wait_step = {SK__NONE, SK__NONE}};
    s->p->step_of[s->steps[i].node] = i;
  }
  return SK_OK;
}

static void clean_up(syncer *s) {
  for (size_t i = 0; i < s->count; i++) {
    uint32_t node = s->steps[i].node;
    s->p->step_of[node] = SK__NONE;
    s->p->last_step[s->p->nodes[node].stream] = 0;
  }
  sk__vec_free(&s->edges[SK__AIC]);
  sk__vec_free(&s->edges[SK__AIV]);
}

static void add_barriers(syncer *s) {
  for (size_t i = 0; i + 1 < s->count; i++) {
    sk__node_type type = s->p->nodes[s->steps[i].node].type;
    if (type == SK__NODE_NOTIFY || type == SK__NODE_RESET) continue;
    s->steps[i].barrier[SK__AIC] = s->steps[i].uses[SK__AIC];
    s->steps[i].barrier[SK__AIV] = s->steps[i].uses[SK__AIV];
  }
}

sk_status sk__plan_sync(sk__planner *p, uint32_t scope, sk__step **steps, uint32_t *end_queue) {
  syncer s = {.p = p, .scope = &p->scopes.items[scope], .number = scope};
  sk_status status = prepare(&s);
  if (status != SK_OK) return status;
  choose_queues(&s);
  number_groups(&s);
  add_barriers(&s);
  status = find_edges(&s);
  if (status == SK_OK) {
    eliminate(&s, SK__AIC);
    eliminate(&s, SK__AIV);
    drop_redundant_barriers(&s);
    if (p->graph->third_chip) close_groups(&s);
    if (s.scope->boundary.count > 0) s.steps[s.count - 1].all_sync = true;
    if (p->options->debug_sync_all != 0) sync_everything(&s);
    else if (p->options->early_start != 0) early_start(&s);
    uint32_t last = s.scope->last_before_move;
    *end_queue = queue_of_kernel(&s, nearest_kernel(&s, last, false));
    *steps = s.steps;
  }
  clean_up(&s);
  return status;
}
