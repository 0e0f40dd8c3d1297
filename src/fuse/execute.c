/* execute.c - runs a plan on the machine: the interpreter every core of an SK runs.
 *
 * A wait inside an SK has mostly been answered before the SK starts; then what it orders is only what comes behind it in the
 * queues. Else the SK stands there until the work outside has run (course.c). A record inside an SK orders what its core knew
 * then, not what the SK did later. */
#include "base/memory.h"
#include "fuse/execute.h"
#include "fuse/judge.h"
#include "fuse/order.h"

/* ---- one core -------------------------------------------------------------------------------- */

typedef struct sk_program {
  sk__runtime *runtime;
  const sk__sk *sk;
  const sk__plan *plan;
  sk__told *told;          /* per node: records that have run */
  sk__course *course;        /* NULL: all that it waits for has been told */
  sk__launch launch;
  const sk__event_op *waits; /* for a value, in its block 0; NULL */
  char awaited[200];         /* that value, for messages */
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
  SK__OWN_ARGUMENTS(own, task);
  if (binding == NULL) {
    (core->type == SK__AIC ? task->kernel->aic : task->kernel->aiv)(own);
    return;
  }
  uint32_t slot = op->copy_count != 0 ? core->index % op->copy_count : 0;
  const sk_bound_function *function = &binding->functions[op->copies[slot] < binding->count ? op->copies[slot] : 0];
  system_args args = {.block_index = (uint16_t)index_of(core), .block_count = (uint16_t)op->blocks,
                      .sync_config = (uint16_t)op->early_mask};
  core->view.block_num = program->sk->blocks; /* a hand-written function reads the SK's number: H5 */
  core->view.raw_block_num = core->view.bound = true;
  (core->type == SK__AIC ? function->aic : function->aiv)(own, &args);
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

/* A word that the program of the host named: it is in memory. */
static void value_event(sk__core *core, sk_program *program, const sk__op *op) {
  const sk__event_op *word = op->event;
  sk__snapshot *order = NULL;
  uint64_t cycles = 0;
  if (op->type != SK__OP_EVENT_WAIT) {
    if (core->checks) sk__order_publish(core->checker, &core->order, SK__PIPE_S, &order);
    sk_status status = sk__value_store(program->runtime, word->address, word->value, order, 0);
    if (status != SK_OK) sk__core_abort(core, status);
    return;
  }
  program->waits = word;
  while (!sk__value_is(program->runtime, word->address, word->value, word->condition)) {
    sk__value_text(program->runtime, word->address, word->value, word->condition, program->awaited, sizeof program->awaited);
    sk__wait_outside(core, program->awaited);
  }
  program->waits = NULL;
  order = sk__value_order(program->runtime, word->address, &cycles);
  if (core->checks && order != NULL) sk__order_acquire(core->checker, &core->order, order);
  if (order != NULL) sk__snapshot_unref(order);
}

/* Block 0 stores or polls a word of device memory; of an event only the order this gives is kept. Boundary words
 * stand for the streams' own order around the launch. */
static void event(sk__core *core, sk_program *program, const sk__op *op) {
  if (index_of(core) != 0 || op->node == UINT32_MAX) return;
  if (op->event->address != 0) {
    value_event(core, program, op);
    return;
  }
  uint32_t node = program->sk->members[op->node].value;
  if (op->type == SK__OP_EVENT_NOTIFY) {
    sk__course_tell(program->course, core, &program->told[node]);
    if (core->checks) sk__order_publish(core->checker, &core->order, SK__PIPE_S, &program->told[node].order);
  } else if (op->type == SK__OP_EVENT_WAIT) {
    uint32_t record = sk__record_of(program->plan->graph, &program->plan->graph->nodes[node]);
    if (record == UINT32_MAX) return;
    const sk__told *told = &program->told[record];
    while (!told->done && program->course != NULL) sk__wait_outside(core, sk__course_name(program->course, record));
    sk__course_hear(program->course, core, told);
    if (core->checks && told->order != NULL) sk__order_acquire(core->checker, &core->order, told->order);
  }
}

/* Instruction cache and argument block are host memory here: PRELOAD has nothing to load. The cross-core
 * check compares counters after each sub, which sk__core_end_sub does anyway. */
static void run_queue(sk__core *core, void *context) {
  sk_program *program = context;
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

static void prepare(sk_program *program, sk__launch_result *result) {
  const sk__sk *sk = program->sk;
  sk__launch *launch = &program->launch;
  *launch = (sk__launch){.name = sk->name, .type = sk->type, .blocks = sk->blocks, .context = program, .is_sk = true};
  /* entries of one core type are MIX kernels too: they have the cross-core scheduler */
  if (sk->type == SK_AIC_ONLY) launch->type = SK_MIX_AIC_1_0;
  if (sk->type == SK_AIV_ONLY) launch->type = SK_MIX_AIV_1_0;
  if (sk->type != SK_AIV_ONLY) launch->entry[SK__AIC] = run_queue;
  if (sk->type != SK_AIC_ONLY) launch->entry[SK__AIV] = run_queue;
  for (size_t i = 0; i < sk->member_count; i++) {
    const sk__task *task = program->plan->graph->nodes[sk->members[i].value].task;
    if (task->kind == SK__TASK_KERNEL) launch->flags |= task->kernel->flags;
  }
  for (int queue = SK__AIC; queue <= SK__AIV && !program->plan->options.no_flush; queue++)
    for (size_t i = 0; i < sk->queue[queue].count; i++)
      launch->leaves_lines |= sk->queue[queue].ops[i].type == SK__OP_FUNC && (sk->queue[queue].ops[i].debug & SK__FUNC_DO_AFTER_FLUSH) == 0;
  *result = (sk__launch_result){.name = sk->name, .is_sk = true, .type = sk->type, .blocks = sk->blocks, .node = sk->main.value};
}

static bool has_values(const sk__plan *plan, const sk__sk *sk) {
  for (size_t i = 0; i < sk->member_count; i++) {
    sk__node_type type = plan->graph->nodes[sk->members[i].value].type;
    if (type == SK__NODE_MEMORY_WAIT || type == SK__NODE_MEMORY_WRITE) return true;
  }
  return false;
}

/* Words of device memory are the runtime's, which knows one host thread. */
static sk_status run_alone(sk_program *program, sk__snapshot *before, sk__snapshot *after, sk__run_stats *stats) {
  static const sk__hopeless nobody = {"H41", SK__CAT_OPTIONS, "which nothing that runs before the SuperKernel's end writes",
                                      "remove value_breaker_bypass, or move the wait out of the scope"};
  sk__machine *machine = sk__runtime_machine(program->runtime);
  sk__standing *standing = NULL;
  sk_status status = sk__machine_begin(machine, &program->launch, before, after, stats, &standing);
  return standing != NULL ? sk__machine_give_up(machine, &standing, &nobody, stats) : status;
}

sk_status sk__sk_run(sk__runtime *runtime, const sk__plan *plan, const sk__sk *sk, sk__told *told, sk__snapshot *before,
                     sk__snapshot *after, sk__launch_result *result) {
  sk_program program = {.runtime = runtime, .sk = sk, .plan = plan, .told = told};
  prepare(&program, result);
  result->status = has_values(plan, sk) ? run_alone(&program, before, after, &result->stats)
                                        : sk__machine_run(sk__runtime_machine(runtime), &program.launch, before, after, &result->stats);
  return result->status;
}

/* ---- the whole plan -------------------------------------------------------------------------- */

/* One that none of its waits can hold up may run on several host threads. */
static bool may_stand(const sk__course *course, uint32_t sk) {
  const sk__graph *graph = course->plan->graph;
  if (has_values(course->plan, &course->plan->sks[sk])) return true;
  for (size_t i = 0; i < course->plan->sks[sk].member_count; i++) {
    const sk__node *node = &graph->nodes[course->plan->sks[sk].members[i].value];
    uint32_t record = node->type == SK__NODE_WAIT ? sk__record_of(graph, node) : UINT32_MAX;
    if (record != UINT32_MAX && course->plan->decisions[record].sk != sk && !course->told[record].done) return true;
  }
  return false;
}

static sk_status begin(sk__course *course, uint32_t sk, sk__snapshot *before, sk__snapshot *after, sk__launch_result *result,
                       sk__standing **standing) {
  sk__machine *machine = sk__runtime_machine(course->runtime);
  sk_program *program = (sk_program *)course->context + sk;
  *program = (sk_program){.runtime = course->runtime, .sk = &course->plan->sks[sk], .plan = course->plan, .told = course->told, .course = course};
  prepare(program, result);
  if (may_stand(course, sk)) return sk__machine_begin(machine, &program->launch, before, after, &result->stats, standing);
  return sk__machine_run(machine, &program->launch, before, after, &result->stats);
}

static bool has_value(sk__course *course, uint32_t sk) {
  const sk_program *program = (const sk_program *)course->context + sk;
  const sk__event_op *word = program->waits;
  return word != NULL && sk__value_is(course->runtime, word->address, word->value, word->condition);
}

/* Records and resets of the SK's nodes, for the world outside the graph. Waits took effect inside. */
static sk_status finish(sk__course *course, uint32_t sk) {
  const sk__plan *plan = course->plan;
  sk_status worst = SK_OK;
  for (size_t i = 0; i < plan->graph->node_count; i++) {
    sk__node_type type = plan->graph->nodes[i].type;
    if (plan->decisions[i].sk != sk || (type != SK__NODE_NOTIFY && type != SK__NODE_RESET)) continue;
    sk_status status = sk__course_node(course, (uint32_t)i);
    if (worst == SK_OK) worst = status;
  }
  return worst;
}

sk_status sk__plan_run_part(sk__runtime *runtime, const sk__plan *plan, const sk__part *part, sk__launch_result *results, size_t *launches) {
  size_t nodes = plan->graph->node_count;
  *launches = 0;
  for (size_t i = 0; i < nodes; i++)
    if (plan->graph->nodes[i].task == NULL) return SK_INVALID_ARGUMENT; /* a graph from a file has nothing to run */
  bool *inside = sk__calloc(nodes + 1, sizeof(bool));
  sk_program *programs = sk__calloc(plan->sk_count + 1, sizeof *programs);
  sk__course course = {.runtime = runtime, .plan = plan, .part = part, .inside = inside, .told = sk__calloc(nodes + 1, sizeof(sk__told)),
                     .results = results, .launches = launches, .begin = begin, .has_value = has_value, .finish = finish, .context = programs};
  sk_status status = inside != NULL && programs != NULL && course.told != NULL ? SK_OK : SK_OUT_OF_MEMORY;
  if (status == SK_OK) {
    for (size_t i = 0; i < nodes; i++) inside[i] = plan->decisions[i].sk != UINT32_MAX && plan->graph->nodes[i].type == SK__NODE_WAIT;
    status = sk__course_run(&course);
  }
  sk__free(inside);
  sk__free(programs);
  sk__free(course.told);
  return status;
}

sk_status sk__plan_run(sk__runtime *runtime, const sk__plan *plan, sk__launch_result *results, size_t *launches) {
  sk__judge_plan(sk__machine_checker(sk__runtime_machine(runtime)), plan);
  return sk__plan_run_part(runtime, plan, NULL, results, launches);
}
