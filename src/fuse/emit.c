/* emit.c - the two queues of an SK, its launch type and its size. */
#include <inttypes.h>
#include <stdio.h>

#include "fuse/planner.h"

enum { UNIT_BYTES = 2048, MOST_OF_A_STEP = 12 };
static const uint32_t icache_units[2] = {[SK__AIC] = 16, [SK__AIV] = 8};

typedef struct emitter {
  sk__planner *p;
  const sk__scope *scope;
  sk__step *steps;
  sk_kernel_type type;
  uint32_t blocks;
  bool runs[2];   /* some operator has a function there */
  bool out_of_memory;
} emitter;

static const sk__node *node_of(const emitter *e, uint32_t step) { return &e->p->graph->nodes[e->steps[step].node]; }
static bool is_kernel(const emitter *e, uint32_t step) { return e->p->nodes[e->steps[step].node].type == SK__NODE_KERNEL; }

/* ---- launch ---------------------------------------------------------------------------------- */

/* A task record of the real planner holds 8 bits of its block count. */
static uint32_t recorded(const emitter *e, uint32_t blocks) { return e->p->options->emulate_vendor_defects ? blocks & 0xff : blocks; }

/* Blocks of a task on one queue, before promotion. */
static uint32_t plain_blocks(const emitter *e, uint32_t step, int queue) {
  const sk__kernel_info *kernel = &node_of(e, step)->kernel;
  return recorded(e, kernel->blocks * (queue == SK__AIV && kernel->type == SK_MIX_AIC_1_2 ? 2 : 1));
}
/* In a 1:2 launch a 1:1 kernel runs on both vector cores of each AI core. */
static uint32_t queue_blocks(const emitter *e, uint32_t step, int queue) {
  bool promoted = queue == SK__AIV && e->type == SK_MIX_AIC_1_2 && node_of(e, step)->kernel.type == SK_MIX_AIC_1_1;
  return recorded(e, plain_blocks(e, step, queue) * (promoted ? 2 : 1));
}

/* debug_per_op_max_core_num: the one operator of the SK on as many cores as it could ever meet. The real planner starts it there
 * even when it has more blocks, and those beyond never run. */
static sk_status widen_single_op(emitter *e, uint32_t queue_max[2]) {
  const sk__pnode *node = &e->p->nodes[e->steps[0].node];
  const sk__graph *graph = e->p->graph;
  if (!e->p->options->emulate_vendor_defects && (queue_max[SK__AIC] > graph->aic_count || queue_max[SK__AIV] > graph->aiv_count))
    return sk__plan_refuse(e->p, "%s (node %" PRIu64 "): it needs more cores than the device has, %u cube and %u vector cores of %u and %u",
                           node_of(e, 0)->kernel.name, node_of(e, 0)->id, queue_max[SK__AIC], queue_max[SK__AIV], graph->aic_count, graph->aiv_count);
  uint32_t cube = node->need[SK__AIC] > 0 ? node->need[SK__AIC] : (node->need[SK__AIV] + 1) / 2;
  bool batch = node->schedmode == 1;
  if (e->runs[SK__AIC]) queue_max[SK__AIC] = batch ? cube : graph->aic_count;
  if (e->runs[SK__AIV]) queue_max[SK__AIV] = batch ? 2 * cube : graph->aiv_count;
  uint32_t half = (queue_max[SK__AIV] + 1) / 2;
  e->blocks = queue_max[SK__AIC] > half ? queue_max[SK__AIC] : half;
  e->type = SK_MIX_AIC_1_2;
  return SK_OK;
}

static sk_status force_counts(emitter *e) {
  uint32_t aic = e->p->options->force_aic, aiv = e->p->options->force_aiv;
  if (aic == 0 && aiv == 0) return SK_OK;
  uint32_t need_aic = e->type == SK_AIV_ONLY ? 0 : e->blocks;
  uint32_t need_aiv = e->type == SK_AIC_ONLY ? 0 : e->blocks * (e->type == SK_MIX_AIC_1_2 ? 2 : 1);
  if (aiv != 0 && aic != 0 && aiv != aic && aiv != 2 * aic)
    return sk__plan_refuse(e->p, "%u cube and %u vector cores: legal ratios are 1:0, 0:1, 1:1 and 1:2", aic, aiv);
  if (aic < need_aic || aiv < need_aiv)
    return sk__plan_refuse(e->p, "%s needs %u cube and %u vector cores, %u and %u are asked for", e->scope->name, need_aic,
                           need_aiv, aic, aiv);
  e->type = aiv == 0 ? SK_AIC_ONLY : aic == 0 ? SK_AIV_ONLY : aiv == aic ? SK_MIX_AIC_1_1 : SK_MIX_AIC_1_2;
  e->blocks = aic > 0 ? aic : aiv;
  return SK_OK;
}

static sk_status choose_launch(emitter *e, uint32_t queue_max[2]) {
  bool any_1_2 = false;
  for (uint32_t i = 0; i < e->scope->tasks.count; i++) {
    if (!is_kernel(e, i)) continue;
    const sk__node *node = node_of(e, i);
    any_1_2 |= node->kernel.type == SK_MIX_AIC_1_2;
    for (int queue = SK__AIC; queue <= SK__AIV; queue++) {
      if (!e->steps[i].uses[queue]) continue;
      if (!node->kernel.has_half[queue])
        return sk__plan_refuse(e->p, "kernel %s has no function for %s", node->kernel.name, queue == SK__AIC ? "cube cores" : "vector cores");
      e->runs[queue] = true;
      if (plain_blocks(e, i, queue) > queue_max[queue]) queue_max[queue] = plain_blocks(e, i, queue);
    }
  }
  uint32_t cube = queue_max[SK__AIC], vector = queue_max[SK__AIV];
  if (!e->runs[SK__AIC] && !e->runs[SK__AIV]) return sk__plan_refuse(e->p, "%s has no function to run", e->scope->name);
  if (!e->runs[SK__AIC] || !e->runs[SK__AIV]) {
    e->type = !e->runs[SK__AIC] ? SK_AIV_ONLY : SK_AIC_ONLY;
    e->blocks = cube + vector;
  } else if (!any_1_2 && vector <= cube) {
    e->type = SK_MIX_AIC_1_1;
    e->blocks = cube;
  } else {
    e->type = SK_MIX_AIC_1_2;
    e->blocks = cube > (vector + 1) / 2 ? cube : (vector + 1) / 2;
  }
  bool single = e->scope->tasks.count == 1 && is_kernel(e, 0);
  sk_status status = e->p->options->debug_per_op_max_core_num != 0 && single ? widen_single_op(e, queue_max) : SK_OK;
  return status == SK_OK ? force_counts(e) : status;
}

static const char *entry_name(sk__planner *p, sk_kernel_type type) {
  const sk__fuse_options *o = p->options;
  const char *kind = type == SK_AIV_ONLY ? "aiv" : type == SK_AIC_ONLY ? "aic" : type == SK_MIX_AIC_1_1 ? "mix11" : "mix12";
  return sk__arena_format(p->keep, "sk_entry_%s%s%s%s", kind, o->debug_sync_all != 0 ? "_debug" : "",
                          o->debug_op_exec_trace != 0 || o->debug_cross_core_sync_check != 0 ? "_op_trace" : "",
                          o->early_start != 0 ? "_early_start" : "");
}

/* ---- single instructions --------------------------------------------------------------------- */

static void emit(emitter *e, int queue, sk__op op) {
  if (!sk__vec_push(&e->p->ops[queue], op)) e->out_of_memory = true;
}

/* Room for what one step can emit on each queue. */
static bool make_room(emitter *e) {
  for (int queue = SK__AIC; queue <= SK__AIV; queue++)
    if (!sk__vec_reserve(&e->p->ops[queue], e->p->ops[queue].count + MOST_OF_A_STEP)) e->out_of_memory = true;
  return !e->out_of_memory;
}

/* Emits into that room where it is wanted. Which queue wants what changes from step to step, so it is written either way and
 * counted, without a jump that would be guessed wrong. */
static void emit_where(emitter *e, bool wanted, int queue, sk__op op) {
  e->p->ops[queue].items[e->p->ops[queue].count] = op;
  e->p->ops[queue].count += wanted;
}

static uint32_t slot_function(const emitter *e, uint32_t step, uint32_t slot) {
  uint32_t bound = node_of(e, step)->kernel.binding_copies;
  return bound == 2 ? slot % 2 : slot < bound ? slot : 0;
}

static void emit_preload(emitter *e, uint32_t step) {
  uint32_t last = slot_function(e, step, e->p->options->split_mode - 1);
  for (int queue = SK__AIC; queue <= SK__AIV; queue++) {
    uint32_t bytes = node_of(e, step)->kernel.code_bytes[last][queue], units = (bytes + UNIT_BYTES - 1) / UNIT_BYTES;
    if (units == 0 || units > icache_units[queue] || e->p->options->preload_code == 0) units = icache_units[queue];
    if (e->p->options->preload_code == 2) units = 0;
    emit_where(e, e->steps[step].uses[queue], queue,
               (sk__op){.type = SK__OP_PRELOAD, .node = step, .blocks = queue_blocks(e, step, queue),
                        .preload_units = (uint8_t)units, .task = node_of(e, step)->task});
  }
}

static uint8_t debug_word(const emitter *e, const sk__kernel_info *kernel) {
  const sk__fuse_options *o = e->p->options;
  bool cap = o->no_flush || (kernel->cap & SK_CAP_DISABLE_DCCI) != 0;
  bool disable = sk__patterns_match(&o->dcci_disable_on_kernel, kernel->name);
  bool before = sk__patterns_match(&o->dcci_before_kernel_start, kernel->name);
  bool after = sk__patterns_match(&o->dcci_after_kernel_end, kernel->name);
  if (!cap && disable && !before && !after) after = true; /* the binary was not built for it: flush all the same */
  bool disabled = cap || disable;
  return (uint8_t)((disabled ? SK__FUNC_DISABLE_DCCI : 0) | (before ? SK__FUNC_DCCI_BEFORE : 0) | (after ? SK__FUNC_DCCI_AFTER : 0) |
         (after || !disabled ? SK__FUNC_DO_AFTER_FLUSH : 0) | (o->debug_cross_core_sync_check != 0 ? SK__FUNC_CROSS_CORE_CHECK : 0) |
         (sk__patterns_match(&o->barrier_after, kernel->name) ? SK__FUNC_BARRIER_AFTER : 0));
}

static void emit_function(emitter *e, uint32_t step) {
  const sk__node *node = node_of(e, step);
  sk__op op = {.type = SK__OP_FUNC, .node = step, .debug = debug_word(e, &node->kernel), .early_mask = (uint16_t)e->steps[step].early_func,
               .copy_count = (uint8_t)(e->p->options->split_mode), .task = node->task};
  for (uint32_t slot = 0; slot < op.copy_count; slot++) op.copies[slot] = (uint8_t)slot_function(e, step, slot);
  for (int queue = SK__AIC; queue <= SK__AIV; queue++) {
    op.blocks = queue_blocks(e, step, queue);
    emit_where(e, e->steps[step].uses[queue], queue, op);
  }
}

static void emit_word(emitter *e, int queue, sk__op_type type, uint32_t step, sk__event_op word) {
  const sk__event_op *kept = sk__arena_copy(e->p->keep, &word, sizeof word);
  if (kept == NULL) e->out_of_memory = true;
  else emit(e, queue, (sk__op){.type = type, .node = step, .event = kept});
}

static void emit_event(emitter *e, uint32_t step) {
  const sk__node *node = node_of(e, step);
  const sk__pnode *mine = &e->p->nodes[e->steps[step].node];
  const sk__pevent *event = &e->p->events.items[mine->event];
  sk__op_type type = mine->type == SK__NODE_NOTIFY ? SK__OP_EVENT_NOTIFY : mine->type == SK__NODE_WAIT ? SK__OP_EVENT_WAIT : SK__OP_EVENT_RESET;
  sk__event_op word = {.word = SK__NONE, .condition = node->condition, .address = node->address, .value = node->value};
  if (!event->by_address) word = (sk__event_op){.word = mine->event, .condition = 1, .value = type != SK__OP_EVENT_RESET};
  emit_word(e, e->steps[step].uses[SK__AIC] ? SK__AIC : SK__AIV, type, step, word);
}

static void emit_sync(emitter *e, bool wanted, int queue, uint32_t step, sk__sync sync) {
  emit_where(e, wanted, queue, (sk__op){.type = SK__OP_SYNC, .node = step, .sync = sync});
}
static void emit_all_sync(emitter *e, uint32_t step) {
  uint8_t debug = e->p->options->debug_sync_all != 0 ? SK__FUNC_SYNC_ALL : 0;
  for (int queue = SK__AIC; queue <= SK__AIV; queue++)
    emit(e, queue, (sk__op){.type = SK__OP_SYNC, .node = step, .sync = SK__SYNC_ALL_SYNC, .debug = debug});
}
/* A part of early start that cores without the operator do in its place. */
static void emit_early(emitter *e, int queue, uint32_t step, uint32_t bit, sk__sync sync, uint32_t active_step) {
  if ((e->steps[step].early_sync & bit) == 0) return;
  uint32_t active = active_step == SK__NONE ? 0 : queue_blocks(e, active_step, queue);
  emit(e, queue, (sk__op){.type = SK__OP_SYNC, .node = step, .sync = sync, .blocks = active, .early_mask = (uint16_t)bit});
}

/* ---- queues ---------------------------------------------------------------------------------- */

static void emit_step(emitter *e, uint32_t i) {
  const sk__step *s = &e->steps[i];
  if (!make_room(e)) return;
  emit_early(e, SK__AIC, i, SK__EARLY_V2C_WAIT, SK__SYNC_WAIT_AIV_TO_AIC, s->wait_step[SK__AIC]);
  emit_early(e, SK__AIV, i, SK__EARLY_C2V_WAIT, SK__SYNC_WAIT_AIC_TO_AIV, s->wait_step[SK__AIV]);
  emit_sync(e, s->receive[SK__AIV] != SK__NONE, SK__AIC, i, SK__SYNC_WAIT_AIV_TO_AIC);
  emit_sync(e, s->receive[SK__AIC] != SK__NONE, SK__AIV, i, SK__SYNC_WAIT_AIC_TO_AIV);
  if (is_kernel(e, i)) emit_function(e, i);
  else emit_event(e, i);
  if (i + 1 < e->scope->tasks.count && is_kernel(e, i + 1)) emit_preload(e, i + 1);
  emit_early(e, SK__AIC, i, SK__EARLY_C2C_SET, SK__SYNC_AIC_TO_AIC, s->set_step[SK__AIC]);
  emit_early(e, SK__AIC, i, SK__EARLY_C2C_WAIT, SK__SYNC_AIC_TO_AIC, s->next_step[SK__AIC]);
  emit_early(e, SK__AIC, i, SK__EARLY_C2V_SET, SK__SYNC_SET_AIC_TO_AIV, s->next_step[SK__AIC]);
  emit_early(e, SK__AIV, i, SK__EARLY_V2V_SET, SK__SYNC_AIV_TO_AIV, s->set_step[SK__AIV]);
  emit_early(e, SK__AIV, i, SK__EARLY_V2V_WAIT, SK__SYNC_AIV_TO_AIV, s->next_step[SK__AIV]);
  emit_early(e, SK__AIV, i, SK__EARLY_V2C_SET, SK__SYNC_SET_AIV_TO_AIC, s->next_step[SK__AIV]);
  if (s->all_sync) emit_all_sync(e, i);
  emit_sync(e, s->barrier[SK__AIC], SK__AIC, i, SK__SYNC_AIC_TO_AIC);
  emit_sync(e, s->barrier[SK__AIV], SK__AIV, i, SK__SYNC_AIV_TO_AIV);
  emit_sync(e, s->send[SK__AIC] != SK__NONE, SK__AIC, i, SK__SYNC_SET_AIC_TO_AIV);
  emit_sync(e, s->send[SK__AIV] != SK__NONE, SK__AIV, i, SK__SYNC_SET_AIV_TO_AIC);
}

static void emit_boundary(emitter *e, uint32_t queue) {
  for (size_t i = 0; i < e->scope->boundary.count; i++) {
    const sk__boundary_op *op = &e->scope->boundary.items[i];
    sk__event_op word = {.word = (uint32_t)e->p->events.count + op->word, .value = op->notify};
    emit_word(e, (int)queue, op->notify ? SK__OP_EVENT_NOTIFY : SK__OP_EVENT_RESET, SK__NONE, word);
  }
}

static sk_status keep_sk(emitter *e, sk__sk *sk, const uint32_t queue_max[2]) {
  sk__planner *p = e->p;
  for (int queue = SK__AIC; queue <= SK__AIV; queue++) {
    sk->queue[queue].ops = sk__arena_copy(p->keep, p->ops[queue].items, p->ops[queue].count * sizeof(sk__op));
    sk->queue[queue].count = p->ops[queue].count;
    sk->queue[queue].blocks = queue_max[queue];
    if (sk->queue[queue].ops == NULL) return SK_OUT_OF_MEMORY;
  }
  sk->type = e->type;
  sk->blocks = e->blocks;
  sk->member_count = e->scope->tasks.count;
  sk->members = sk__arena_array(p->keep, sk__node_index, sk->member_count);
  sk->main = (sk__node_index){e->scope->main};
  sk->entry = entry_name(p, e->type);
  if (sk->members == NULL || sk->entry == NULL) return SK_OUT_OF_MEMORY;
  for (size_t i = 0; i < sk->member_count; i++) sk->members[i] = (sk__node_index){e->scope->tasks.items[i]};
  return SK_OK;
}

sk_status sk__build_sk(sk__planner *p, uint32_t scope) {
  emitter e = {.p = p, .scope = &p->scopes.items[scope]};
  uint32_t end_queue = SK__AIV, queue_max[2] = {0, 0};
  sk__sk *sk = sk__arena_new(p->keep, sk__sk);
  sk__vec_clear(&p->ops[SK__AIC]);
  sk__vec_clear(&p->ops[SK__AIV]);
  sk_status status = sk != NULL ? sk__plan_sync(p, scope, &e.steps, &end_queue) : SK_OUT_OF_MEMORY;
  if (status == SK_OK) status = choose_launch(&e, queue_max);
  if (status == SK_OK) {
    if (make_room(&e) && is_kernel(&e, 0)) emit_preload(&e, 0);
    for (uint32_t i = 0; i < e.scope->tasks.count; i++) emit_step(&e, i);
    emit_boundary(&e, end_queue);
    if (e.type == SK_MIX_AIC_1_1 || (e.type == SK_MIX_AIC_1_2 && p->options->debug_per_op_max_core_num == 0)) {
      queue_max[SK__AIC] = e.blocks;
      queue_max[SK__AIV] = e.blocks * (e.type == SK_MIX_AIC_1_2 ? 2 : 1);
    }
    status = e.out_of_memory ? SK_OUT_OF_MEMORY : keep_sk(&e, sk, queue_max);
  }
  p->scopes.items[scope].sk = sk;
  return status;
}
