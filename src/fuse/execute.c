/* execute.c - runs a plan on the machine: the interpreter every core of an SK runs, and the order of
 * launches around it.
 *
 * Streams are executed one launch after another, in an order that respects streams and events. So a wait
 * inside an SK has been released before the SK starts; what it orders is only what comes behind it in the
 * queues. A record inside an SK orders what its core knew then, not what the SK did later. A plan in which
 * work outside waits for an SK that waits for that work cannot be run so and stops as not modelled. */
#include "base/memory.h"
#include "base/vec.h"
#include "fuse/execute.h"
#include "fuse/judge.h"
#include "fuse/order.h"

/* ---- one core -------------------------------------------------------------------------------- */

typedef struct sk_program {
  const sk__sk *sk;
  const sk__plan *plan;
  sk__snapshot **records;  /* per node: what a record that has run ordered; NULL */
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

/* The second argument of a bound function: sk::SkSystemArgs. */
typedef struct system_args {
  uint16_t block_index, block_count, sync_config;
  uint8_t reserved[10];
} system_args;
_Static_assert(sizeof(system_args) == 16, "layout of the system arguments");

/* The function that SK_BIND names for this core's copy, else the kernel itself. */
static void call_entry(sk__core *core, const sk_program *program, const sk__op *op) {
  const sk__task *task = op->task;
  const sk_binding *binding = sk__runtime_binding_of(task->kernel);
  if (binding == NULL) {
    (core->type == SK__AIC ? task->kernel->aic : task->kernel->aiv)(task->args);
    return;
  }
  uint32_t slot = op->copy_count != 0 ? core->index % op->copy_count : 0;
  const sk_bound_function *function = &binding->functions[op->copies[slot] < binding->count ? op->copies[slot] : 0];
  system_args args = {.block_index = (uint16_t)index_of(core), .block_count = (uint16_t)op->blocks,
                      .sync_config = (uint16_t)op->early_mask};
  core->view.block_num = program->sk->blocks; /* a hand-written function reads the SK's number: H5 */
  core->view.raw_block_num = core->view.bound = true;
  (core->type == SK__AIC ? function->aic : function->aiv)(task->args, &args);
}

/* Calls one sub-kernel. GetBlockNum is the sub's own number, as in operators compiled for an SK; the raw
 * intrinsic's value (the SK's blocks) is given only when the options ask for it. */
static void call(sk__core *core, const sk_program *program, const sk__op *op) {
  if (index_of(core) >= op->blocks) return;
  const sk__task *task = op->task;
  sk__view view = {
      .kernel = task->kernel->name,
      .block_num = program->plan->options.raw_block_num ? program->sk->blocks : task->blocks,
      .task = op->node,
      .sub_ratio = program->sk->type == SK_MIX_AIC_1_2 ? 2 : program->sk->type == SK_AIC_ONLY ? 0 : 1,
      .own_ratio = task->kernel->type == SK_MIX_AIC_1_2 ? 2 : task->kernel->type == SK_MIX_AIC_1_1 ? 1 : 0,
      .dynamic_ub_bytes = task->dynamic_ub_bytes,
      .raw_block_num = program->plan->options.raw_block_num,
      .schedmode = task->kernel->schedmode,
      .sk_num_blocks = op->blocks,
      .early_mask = op->early_mask,
  };
  sk__core_begin_sub(core, &view);
  sk__advance(core, SK__PIPE_S, sk__machine_soc(core->machine)->costs.sub_call_cycles);
  if ((op->debug & SK__FUNC_DCCI_BEFORE) != 0) sk__dcache_clean_all(core);
  call_entry(core, program, op);
  if ((op->debug & SK__FUNC_BARRIER_AFTER) != 0) sk__pipe_barrier(core, SK__PIPE_ALL);
  if ((op->debug & SK__FUNC_DO_AFTER_FLUSH) != 0) sk__dcache_clean_all(core);
  sk__core_end_sub(core);
}

uint32_t sk__record_of(const sk__graph *graph, const sk__node *wait) {
  bool inside = (wait->event_flag & SK__EVENT_EXTERNAL) == 0 && wait->event_id - 1 < graph->node_count;
  return inside ? (uint32_t)(wait->event_id - 1) : UINT32_MAX; /* events of task graphs are named by their record's id */
}

/* Block 0 stores or polls a word of device memory; here only the order this gives is kept. Boundary words
 * stand for the streams' own order around the launch. */
static void event(sk__core *core, const sk_program *program, const sk__op *op) {
  if (index_of(core) != 0 || op->node == UINT32_MAX || !core->checks) return;
  uint32_t node = program->sk->members[op->node].value;
  if (op->type == SK__OP_EVENT_NOTIFY) {
    sk__order_publish(core->checker, &core->order, SK__PIPE_S, &program->records[node]);
  } else if (op->type == SK__OP_EVENT_WAIT) {
    uint32_t record = sk__record_of(program->plan->graph, &program->plan->graph->nodes[node]);
    if (record != UINT32_MAX && program->records[record] != NULL)
      sk__order_acquire(core->checker, &core->order, program->records[record]);
  }
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
    } else if (op->type != SK__OP_PRELOAD) {
      sk__enter(SK__PIPE_S, "SK event", NULL);
      event(core, program, op);
    }
  }
  sk__enter(SK__PIPE_S, "SK end", NULL);
  sk__pipe_barrier(core, SK__PIPE_ALL);
}

/* ---- launches -------------------------------------------------------------------------------- */

sk_status sk__sk_run(sk__runtime *runtime, const sk__plan *plan, const sk__sk *sk, sk__snapshot **records, sk__snapshot *before,
                     sk__snapshot *after, sk__launch_result *result) {
  sk_program program = {sk, plan, records};
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

/* ---- the whole plan -------------------------------------------------------------------------- */

typedef struct execution {
  sk__runtime *runtime;
  sk__checker *checker;
  const sk__plan *plan;
  parts parts;
  sk__snapshot **records;  /* per record that ran: where its stream stood */
  sk__launch_result *results;
  size_t *launches;
} execution;

/* The runtime's event keeps one record only, and a later record may run before an earlier one's waits:
 * waits inside the graph take what their own record left. */
static sk_status run_wait(execution *e, const sk__node *node) {
  uint32_t record = sk__record_of(e->plan->graph, node);
  if (record == UINT32_MAX) return sk__runtime_run(e->runtime, &node->task, 1, NULL);
  if (e->records[record] == NULL) return SK_OK;
  sk__snapshot *joined = sk__snapshot_new(e->checker, sk__stream_order(node->task->stream));
  if (joined == NULL) return SK_OUT_OF_MEMORY;
  sk__snapshot_join(joined, e->records[record]);
  sk__stream_set_order(node->task->stream, joined);
  return SK_OK;
}

/* A record inside an SK has noted its order itself. */
static sk_status run_record(execution *e, uint32_t at) {
  const sk__node *node = &e->plan->graph->nodes[at];
  sk__snapshot *order = sk__stream_order(node->task->stream);
  if (e->records[at] == NULL && order != NULL) e->records[at] = sk__snapshot_ref(order);
  return sk__runtime_run(e->runtime, &node->task, 1, NULL); /* for waits outside the graph */
}

static sk_status run_node(execution *e, uint32_t at) {
  const sk__node *node = &e->plan->graph->nodes[at];
  if (node->type == SK__NODE_WAIT) return run_wait(e, node);
  if (node->type == SK__NODE_NOTIFY) return run_record(e, at);
  sk__task_result result;
  sk_status status = sk__runtime_run(e->runtime, &node->task, 1, &result);
  if (node->task->kind == SK__TASK_SUPERKERNEL) { /* fused before: a launch of its own */
    const sk__superkernel *made = node->task->superkernel;
    e->results[(*e->launches)++] = (sk__launch_result){
        .name = made->name, .is_sk = true, .type = made->type, .blocks = made->blocks, .status = result.status, .stats = result.stats};
  }
  if (node->task->kind != SK__TASK_KERNEL) return status;
  e->results[(*e->launches)++] = (sk__launch_result){
      .name = node->kernel.name, .type = node->kernel.type, .blocks = node->kernel.blocks, .status = result.status, .stats = result.stats};
  return status;
}

/* Records and resets of the SK's nodes, for the world outside the graph. Waits took effect inside. */
static sk_status run_events(execution *e, uint32_t sk) {
  sk_status worst = SK_OK;
  for (uint32_t i = e->parts.first[sk]; i < e->parts.first[sk + 1]; i++) {
    sk__node_type type = e->plan->graph->nodes[e->parts.nodes[i]].type;
    if (type != SK__NODE_NOTIFY && type != SK__NODE_RESET) continue;
    sk_status status = run_node(e, e->parts.nodes[i]);
    if (worst == SK_OK) worst = status;
  }
  return worst;
}

static sk_status launch_sk(execution *e, uint32_t number) {
  sk__stream *const *streams = e->parts.streams + e->parts.first[number];
  uint32_t stream_count = e->parts.stream_count[number];
  sk__snapshot *before = sk__snapshot_new(e->checker, sk__stream_order(streams[0]));
  if (before == NULL) return SK_OUT_OF_MEMORY;
  for (uint32_t i = 1; i < stream_count; i++)
    if (sk__stream_order(streams[i]) != NULL) sk__snapshot_join(before, sk__stream_order(streams[i]));
  sk__snapshot *after = sk__snapshot_new(e->checker, before);
  if (after == NULL) {
    sk__snapshot_unref(before);
    return SK_OUT_OF_MEMORY;
  }
  sk_status status = sk__sk_run(e->runtime, e->plan, &e->plan->sks[number], e->records, before, after, &e->results[(*e->launches)++]);
  sk__snapshot_unref(before);
  for (uint32_t i = 0; i < stream_count; i++) sk__stream_set_order(streams[i], sk__snapshot_ref(after));
  sk__snapshot_unref(after);
  sk_status events = run_events(e, number);
  return status != SK_OK ? status : events;
}

static sk_status run_units(execution *e, const uint32_t *order, size_t count) {
  size_t nodes = e->plan->graph->node_count;
  sk_status worst = parts_make(e->plan, &e->parts);
  e->records = sk__calloc(nodes + 1, sizeof(sk__snapshot *));
  if (e->records == NULL || worst != SK_OK) return SK_OUT_OF_MEMORY;
  for (size_t i = 0; i < count; i++) {
    const sk__decision *decision = &e->plan->decisions[order[i]];
    sk_status status = decision->fate == SK__STAYS ? run_node(e, order[i]) : launch_sk(e, decision->sk);
    if (worst == SK_OK) worst = status;
  }
  for (size_t i = 0; i < nodes; i++)
    if (e->records[i] != NULL) sk__snapshot_unref(e->records[i]);
  return worst;
}

sk_status sk__plan_run(sk__runtime *runtime, const sk__plan *plan, sk__launch_result *results, size_t *launches) {
  *launches = 0;
  for (size_t i = 0; i < plan->graph->node_count; i++)
    if (plan->graph->nodes[i].task == NULL) return SK_INVALID_ARGUMENT; /* a graph from a file has nothing to run */
  execution e = {.runtime = runtime, .checker = sk__machine_checker(sk__runtime_machine(runtime)), .plan = plan,
                 .results = results, .launches = launches};
  uint32_t *order = NULL;
  size_t count = 0;
  sk_status status = sk__plan_order(plan, &order, &count);
  if (status == SK_NOT_MODELLED) sk__report_circle(runtime, plan, order, count);
  if (status == SK_OK) {
    sk__judge_plan(e.checker, plan);
    status = run_units(&e, order, count);
  }
  parts_free(&e.parts);
  sk__free(e.records);
  sk__free(order);
  return status;
}
