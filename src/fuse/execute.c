/* execute.c - runs a plan on the machine: the interpreter every core of an SK runs, and the order of
 * launches around it.
 *
 * Streams are executed one launch after another, in an order that respects streams and events. So a wait
 * inside an SK has been released before the SK starts, and a record inside it takes effect when it ends:
 * event instructions of the queues order nothing further here, the runtime's events do. A plan in which
 * work outside waits for an SK that waits for that work cannot be run so and stops as not modelled. */
#include "base/memory.h"
#include "base/vec.h"
#include "fuse/fuse.h"
#include "fuse/judge.h"
#include "fuse/order.h"

/* ---- one core -------------------------------------------------------------------------------- */

typedef struct sk_program {
  const sk__sk *sk;
  const sk__fuse_options *options;
} sk_program;

static uint32_t index_of(const sk__core *core) {
  return core->type == SK__AIC ? core->block_idx : core->block_idx * core->ratio + core->sub_block;
}

static void barrier(sk__core *core) {
  bool aic = core->type == SK__AIC;
  sk__cross_set_system(core, aic ? SK__PIPE_FIX : SK__PIPE_MTE3, 0, aic ? SK__FLAG_AIC_ALL : SK__FLAG_AIV_ALL);
  sk__cross_wait_system(core, aic ? SK__FLAG_AIC_ALL : SK__FLAG_AIV_ALL);
}

static void sync(sk__core *core, const sk_program *program, const sk__op *op) {
  bool aic = core->type == SK__AIC;
  if (op->early_mask != 0 && op->blocks != 0 && index_of(core) < op->blocks) return; /* the operator does it */
  bool early_set = (op->early_mask & SK__EARLY_SELF_SET) != 0, early_wait = (op->early_mask & SK__EARLY_SELF_WAIT) != 0;
  switch (op->sync) {
    case SK__SYNC_ALL_SYNC:
      barrier(core);
      if (program->sk->type != SK_MIX_AIC_1_1 && program->sk->type != SK_MIX_AIC_1_2) return;
      sk__cross_set_system(core, aic ? SK__PIPE_FIX : SK__PIPE_MTE3, 2, aic ? SK__FLAG_AIC_TO_AIV : SK__FLAG_AIV_TO_AIC);
      sk__cross_wait_system(core, aic ? SK__FLAG_AIV_TO_AIC : SK__FLAG_AIC_TO_AIV);
      return;
    case SK__SYNC_AIC_TO_AIC:
    case SK__SYNC_AIV_TO_AIV:
      if (early_set) sk__cross_set_system(core, aic ? SK__PIPE_FIX : SK__PIPE_MTE3, 0, aic ? SK__FLAG_AIC_ALL : SK__FLAG_AIV_ALL);
      else if (early_wait) sk__cross_wait_system(core, aic ? SK__FLAG_AIC_ALL : SK__FLAG_AIV_ALL);
      else barrier(core);
      return;
    case SK__SYNC_SET_AIC_TO_AIV: sk__cross_set_system(core, SK__PIPE_FIX, 2, SK__FLAG_AIC_TO_AIV); return;
    case SK__SYNC_SET_AIV_TO_AIC: sk__cross_set_system(core, SK__PIPE_MTE3, 2, SK__FLAG_AIV_TO_AIC); return;
    case SK__SYNC_WAIT_AIC_TO_AIV: sk__cross_wait_system(core, SK__FLAG_AIC_TO_AIV); return;
    case SK__SYNC_WAIT_AIV_TO_AIC: sk__cross_wait_system(core, SK__FLAG_AIV_TO_AIC); return;
    case SK__SYNC_EARLY_START: return; /* not emitted: early start carries the kinds above with a mask */
  }
}

/* Calls one sub-kernel. GetBlockNum is the sub's own number, as in operators compiled for an SK; the raw
 * intrinsic's value (the SK's blocks) is given only when the options ask for it. */
static void call(sk__core *core, const sk_program *program, const sk__op *op) {
  if (index_of(core) >= op->blocks) return;
  const sk__task *task = op->task;
  sk__view view = {
      .kernel = task->kernel->name,
      .block_num = program->options->raw_block_num ? program->sk->blocks : task->blocks,
      .task = op->node,
      .sub_ratio = program->sk->type == SK_MIX_AIC_1_2 ? 2 : program->sk->type == SK_AIC_ONLY ? 0 : 1,
      .dynamic_ub_bytes = task->dynamic_ub_bytes,
      .raw_block_num = program->options->raw_block_num,
      .sk_num_blocks = op->blocks,
      .early_mask = op->early_mask,
  };
  sk__core_begin_sub(core, &view);
  sk__advance(core, SK__PIPE_S, sk__machine_soc(core->machine)->costs.sub_call_cycles);
  if ((op->debug & SK__FUNC_DCCI_BEFORE) != 0) sk__dcache_clean_all(core);
  (core->type == SK__AIC ? task->kernel->aic : task->kernel->aiv)(task->args);
  if ((op->debug & SK__FUNC_DO_AFTER_FLUSH) != 0) sk__dcache_clean_all(core);
  sk__core_end_sub(core);
}

/* Instruction cache and argument block are host memory here: PRELOAD has nothing to load. The cross-core
 * check compares counters after each sub, which sk__core_end_sub does anyway. */
static void run_queue(sk__core *core, void *context) {
  const sk_program *program = context;
  const sk__queue *queue = &program->sk->queue[core->type];
  for (size_t i = 0; i < queue->count; i++) {
    const sk__op *op = &queue->ops[i];
    if (op->type == SK__OP_FUNC) {
      call(core, program, op);
    } else if (op->type == SK__OP_SYNC) {
      sk__enter(SK__PIPE_S, "SK barrier", NULL);
      sync(core, program, op);
    }
  }
  sk__enter(SK__PIPE_S, "SK end", NULL);
  sk__pipe_barrier(core, SK__PIPE_ALL);
}

/* ---- launches -------------------------------------------------------------------------------- */

static sk_status run_sk(sk__runtime *runtime, const sk__plan *plan, const sk__sk *sk, sk__snapshot *before, sk__snapshot *after,
                        sk__launch_result *result) {
  sk_program program = {sk, &plan->options};
  sk__launch launch = {.name = sk->name, .type = sk->type, .blocks = sk->blocks, .context = &program, .is_sk = true};
  /* entries of one core type are MIX kernels too: they have the cross-core scheduler */
  if (sk->type == SK_AIC_ONLY) launch.type = SK_MIX_AIC_1_0;
  if (sk->type == SK_AIV_ONLY) launch.type = SK_MIX_AIV_1_0;
  if (sk->type != SK_AIV_ONLY) launch.entry[SK__AIC] = run_queue;
  if (sk->type != SK_AIC_ONLY) launch.entry[SK__AIV] = run_queue;
  for (size_t i = 0; i < sk->member_count; i++) {
    const sk__task *task = plan->graph->nodes[sk->members[i].value].task;
    if (task->kind == SK__TASK_KERNEL) launch.flags |= task->kernel->flags;
  }
  *result = (sk__launch_result){.name = sk->name, .is_sk = true, .type = sk->type, .blocks = sk->blocks};
  result->status = sk__machine_run(sk__runtime_machine(runtime), &launch, before, after, &result->stats);
  return result->status;
}

/* What belongs to each SK: nodes of SK k stand at nodes[first[k]] .. nodes[first[k + 1]], its streams at
 * streams[first[k]] ..., each once. */
typedef struct parts {
  uint32_t *first, *nodes, *stream_count;
  sk__stream **streams;
} parts;

static void parts_free(parts *all) {
  sk__free(all->first);
  sk__free(all->nodes);
  sk__free(all->stream_count);
  sk__free(all->streams);
}

static void add_stream(parts *all, uint32_t sk, sk__stream *stream) {
  sk__stream **mine = all->streams + all->first[sk];
  for (uint32_t i = all->stream_count[sk]; i-- > 0;)
    if (mine[i] == stream) return;
  mine[all->stream_count[sk]++] = stream;
}

static sk_status parts_make(const sk__plan *plan, parts *all) {
  size_t count = plan->graph->node_count;
  all->first = sk__calloc(plan->sk_count + 2, sizeof(uint32_t));
  all->stream_count = sk__calloc(plan->sk_count + 1, sizeof(uint32_t));
  all->nodes = sk__calloc(count + 1, sizeof(uint32_t));
  all->streams = sk__calloc(count + 1, sizeof(sk__stream *));
  if (all->first == NULL || all->stream_count == NULL || all->nodes == NULL || all->streams == NULL) return SK_OUT_OF_MEMORY;
  for (size_t i = 0; i < count; i++)
    if (plan->decisions[i].sk != UINT32_MAX) all->first[plan->decisions[i].sk + 2]++;
  for (size_t k = 0; k < plan->sk_count; k++) all->first[k + 2] += all->first[k + 1];
  for (uint32_t i = 0; i < count; i++) /* first[k + 1] runs from the start of k to its end */
    if (plan->decisions[i].sk != UINT32_MAX) all->nodes[all->first[plan->decisions[i].sk + 1]++] = i;
  for (uint32_t k = 0; k < plan->sk_count; k++)
    for (uint32_t i = all->first[k]; i < all->first[k + 1]; i++) add_stream(all, k, plan->graph->nodes[all->nodes[i]].task->stream);
  return SK_OK;
}

/* Events of the SK's nodes, as tasks of the runtime: waits before the launch, records behind it. */
static sk_status run_events(sk__runtime *runtime, const sk__plan *plan, const parts *all, uint32_t sk, bool waits) {
  sk_status worst = SK_OK;
  for (uint32_t i = all->first[sk]; i < all->first[sk + 1]; i++) {
    const sk__node *node = &plan->graph->nodes[all->nodes[i]];
    if (node->type == SK__NODE_KERNEL || (node->type == SK__NODE_WAIT) != waits) continue;
    if (waits && plan->decisions[all->nodes[i]].fate != SK__FUSED) continue; /* released inside the SK */
    sk_status status = sk__runtime_run(runtime, &node->task, 1, NULL);
    if (worst == SK_OK) worst = status;
  }
  return worst;
}

static sk_status launch_sk(sk__runtime *runtime, const sk__plan *plan, const parts *all, uint32_t number, sk__launch_result *result) {
  const sk__sk *sk = &plan->sks[number];
  sk__checker *checker = sk__machine_checker(sk__runtime_machine(runtime));
  sk__stream *const *streams = all->streams + all->first[number];
  sk_status status = run_events(runtime, plan, all, number, true);
  if (status != SK_OK) return status;
  sk__snapshot *before = sk__snapshot_new(checker, sk__stream_order(streams[0]));
  if (before == NULL) return SK_OUT_OF_MEMORY;
  for (uint32_t i = 1; i < all->stream_count[number]; i++)
    if (sk__stream_order(streams[i]) != NULL) sk__snapshot_join(before, sk__stream_order(streams[i]));
  sk__snapshot *after = sk__snapshot_new(checker, before);
  if (after == NULL) {
    sk__snapshot_unref(before);
    return SK_OUT_OF_MEMORY;
  }
  status = run_sk(runtime, plan, sk, before, after, result);
  sk__snapshot_unref(before);
  for (uint32_t i = 0; i < all->stream_count[number]; i++) sk__stream_set_order(streams[i], sk__snapshot_ref(after));
  sk__snapshot_unref(after);
  sk_status events = run_events(runtime, plan, all, number, false);
  return status != SK_OK ? status : events;
}

static sk_status run_task(sk__runtime *runtime, const sk__node *node, sk__launch_result *results, size_t *launches) {
  sk__task_result result;
  sk_status status = sk__runtime_run(runtime, &node->task, 1, &result);
  if (node->task->kind != SK__TASK_KERNEL) return status;
  results[(*launches)++] = (sk__launch_result){
      .name = node->kernel.name, .type = node->kernel.type, .blocks = node->kernel.blocks, .status = result.status, .stats = result.stats};
  return status;
}

static sk_status run_units(sk__runtime *runtime, const sk__plan *plan, const parts *all, const uint32_t *order, size_t count,
                           sk__launch_result *results, size_t *launches) {
  sk_status worst = SK_OK;
  for (size_t i = 0; i < count; i++) {
    const sk__decision *decision = &plan->decisions[order[i]];
    sk_status status;
    if (decision->fate == SK__STAYS) status = run_task(runtime, &plan->graph->nodes[order[i]], results, launches);
    else status = launch_sk(runtime, plan, all, decision->sk, &results[(*launches)++]);
    if (worst == SK_OK) worst = status;
  }
  return worst;
}

sk_status sk__plan_run(sk__runtime *runtime, const sk__plan *plan, sk__launch_result *results, size_t *launches) {
  *launches = 0;
  for (size_t i = 0; i < plan->graph->node_count; i++)
    if (plan->graph->nodes[i].task == NULL) return SK_INVALID_ARGUMENT; /* a graph from a file has nothing to run */
  uint32_t *order = NULL;
  size_t count = 0;
  parts all = {0};
  sk_status status = sk__plan_order(plan, &order, &count);
  if (status == SK_NOT_MODELLED) sk__report_circle(runtime, plan, order, count);
  if (status == SK_OK) status = parts_make(plan, &all);
  if (status == SK_OK) sk__judge_plan(sk__machine_checker(sk__runtime_machine(runtime)), plan);
  if (status == SK_OK) status = run_units(runtime, plan, &all, order, count, results, launches);
  parts_free(&all);
  sk__free(order);
  return status;
}
