/* run.c - executes tasks: in order of issue, which is a topological order of streams and events. */
#include <stdlib.h>
#include <string.h>

#include "runtime/internal.h"

static void run_block(sk__core *core, void *context) {
  const sk__task *task = context;
  sk_kernel_entry entry = core->type == SK__AIC ? task->kernel->aic : task->kernel->aiv;
  SK__OWN_ARGUMENTS(args, task);
  entry(args);
}

static bool uses_core(sk_kernel_type type, sk__core_type core) {
  if (core == SK__AIC) return type != SK_AIV_ONLY && type != SK_MIX_AIV_1_0;
  return type != SK_AIC_ONLY && type != SK_MIX_AIC_1_0;
}

/* Runs one launch on behalf of a stream and moves the stream's order and clock on. */
static sk_status run_kernel(sk__runtime *runtime, sk__task *task, sk__run_stats *stats) {
  const sk_kernel *kernel = task->kernel;
  sk__launch launch = {
      .name = kernel->name,
      .type = (sk_kernel_type)kernel->type,
      .blocks = task->blocks,
      .schedmode = kernel->schedmode,
      .dynamic_ub_bytes = task->dynamic_ub_bytes,
      .flags = kernel->flags,
      .context = task,
  };
  for (int core = SK__AIC; core <= SK__AIV; core++)
    if (uses_core(launch.type, (sk__core_type)core)) launch.entry[core] = run_block;
  sk__snapshot *after = sk__snapshot_new(sk__machine_checker(runtime->machine), task->stream->order);
  if (after == NULL) return SK_OUT_OF_MEMORY;
  sk_status status = sk__machine_run(runtime->machine, &launch, task->stream->order, after, stats);
  sk__stream_set_order(task->stream, after);
  sk__hasty_judge(runtime, task, launch.serial);
  task->stream->cycles += stats->cycles + sk__machine_soc(runtime->machine)->costs.launch_cycles;
  if (status != SK_OK) runtime->device_error_core = uses_core(launch.type, SK__AIV) ? SK__AIV : SK__AIC;
  return status;
}

static sk_status copy(sk__machine *machine, const sk__copier *by, const sk__task *task) {
  bool to_device = sk__in_gm(task->to), from_device = sk__in_gm(task->from);
  if (to_device && !from_device) return sk__copy_write(by, task->to, (const void *)task->from, task->bytes);
  if (!to_device) sk__gm_judge_result(machine, task->from, task->bytes);
  if (!to_device) return sk__copy_read(by, (void *)task->to, task->from, task->bytes);
  void *through = malloc(task->bytes);
  if (through == NULL) return SK_OUT_OF_MEMORY;
  sk_status status = sk__copy_read(by, through, task->from, task->bytes);
  if (status == SK_OK) status = sk__copy_write(by, task->to, through, task->bytes);
  free(through);
  return status;
}

/* On behalf of a stream. A copy from pageable memory is over when the call returns: the host has done it. */
static sk_status run_copy(sk__runtime *runtime, const sk__task *task) {
  sk__machine *machine = runtime->machine;
  bool set = task->kind == SK__TASK_SET;
  if (!set && !sk__in_gm(task->from)) sk__gm_host_rewrites(machine, task->to, task->bytes);
  if (task->staged != NULL) return sk__gm_host_write(machine, task->to, task->staged, task->bytes);
  sk__snapshot *after = sk__snapshot_new(sk__machine_checker(machine), task->stream->order);
  if (after == NULL) return SK_OUT_OF_MEMORY;
  sk__copier by = sk__copy_begin(machine, task->stream->order, set ? "aclrtMemsetAsync" : "aclrtMemcpyAsync");
  sk_status status = set ? sk__copy_set(&by, task->to, task->value, task->bytes) : copy(machine, &by, task);
  sk__copy_end(&by, after);
  sk__stream_set_order(task->stream, after);
  sk__hasty_judge(runtime, task, 0);
  return status;
}

static sk_status run_superkernel(sk__runtime *runtime, const sk__task *task, sk__run_stats *stats) {
  sk_status status = task->superkernel->run(task->superkernel, runtime, task->stream, stats);
  if (status != SK_OK) runtime->device_error_core = stats->aiv_used > 0 ? SK__AIV : SK__AIC;
  return status;
}

/* The stream goes on behind this, too, and no earlier. */
static sk_status join(sk__runtime *runtime, sk__stream *stream, const sk__snapshot *order, uint64_t cycles) {
  if (cycles > stream->cycles) stream->cycles = cycles;
  return sk__stream_join(runtime, stream, order);
}

static sk_status run_value_write(sk__runtime *runtime, const sk__task *task) {
  sk__snapshot *order = task->stream->order;
  return sk__value_store(runtime, task->to, task->number, order != NULL ? sk__snapshot_ref(order) : NULL, task->stream->cycles);
}

static sk_status run_value_wait(sk__runtime *runtime, const sk__task *task) {
  uint64_t cycles = 0;
  sk__snapshot *order = sk__value_order(runtime, task->to, &cycles);
  sk_status status = join(runtime, task->stream, order, cycles);
  if (order != NULL) sk__snapshot_unref(order);
  return status;
}

static sk_status run_task(sk__runtime *runtime, sk__task *task, sk__task_result *result) {
  memset(result, 0, sizeof *result);
  switch (task->kind) {
    case SK__TASK_KERNEL: return run_kernel(runtime, task, &result->stats);
    case SK__TASK_COPY:
    case SK__TASK_SET: return run_copy(runtime, task);
    case SK__TASK_EVENT_RECORD: sk__event_record(task->event, task->stream, task->stream->order); return SK_OK;
    case SK__TASK_EVENT_WAIT: return join(runtime, task->stream, task->event->order, task->event->cycles);
    case SK__TASK_EVENT_RESET: task->event->complete = false; return SK_OK;
    case SK__TASK_VALUE_WRITE: return run_value_write(runtime, task);
    case SK__TASK_VALUE_WAIT: return run_value_wait(runtime, task);
    case SK__TASK_HOST_FUNC:
      runtime->callback = task;
      task->host_func(task->host_context);
      runtime->callback = NULL;
      return SK_OK;
    case SK__TASK_SCOPE_BEGIN:
    case SK__TASK_SCOPE_END: return SK_OK; /* marks for the fuser */
    case SK__TASK_SUPERKERNEL: return run_superkernel(runtime, task, &result->stats);
    case SK__TASK_KINDS: break;
  }
  return SK_INTERNAL;
}

sk_status sk__runtime_run_one(sk__runtime *runtime, sk__task *task, sk__task_result *result) {
  return result->status = run_task(runtime, task, result);
}

/* A circle that is not whole can only stand for ever; nobody makes such a list. */
static sk_status run_circle(sk__runtime *runtime, sk__task *const *tasks, size_t count, sk__task_result *results) {
  sk__circle *circle = tasks[0]->circle;
  sk__task_result *all = calloc(circle->count, sizeof *all);
  if (all == NULL) return SK_OUT_OF_MEMORY;
  bool whole = circle->count <= count;
  for (size_t i = 0; i < circle->count && whole; i++) whole = tasks[i]->circle == circle;
  sk_status status = whole ? circle->run(circle, runtime, tasks, all) : SK_INTERNAL;
  for (size_t i = 0; i < circle->count && whole; i++)
    if (tasks[i]->kind == SK__TASK_SUPERKERNEL && all[i].status != SK_OK) runtime->device_error_core = all[i].stats.aiv_used > 0 ? SK__AIV : SK__AIC;
  if (results != NULL && whole) memcpy(results, all, circle->count * sizeof *all);
  free(all);
  return status;
}

typedef struct runner {
  sk__runtime *runtime;
  sk__task *const *tasks;
  size_t count;
  sk__task_result *results; /* NULL: nobody asks */
  sk_status worst;
} runner;

static void run_one(void *context, size_t i) {
  runner *r = context;
  sk__task_result ignored;
  sk__task_result *result = r->results != NULL ? &r->results[i] : &ignored;
  bool circle = r->tasks[i]->circle != NULL;
  sk_status status = circle ? run_circle(r->runtime, r->tasks + i, r->count - i, r->results != NULL ? result : NULL)
                            : sk__runtime_run_one(r->runtime, r->tasks[i], result);
  if (status != SK_OK && r->worst == SK_OK) r->worst = status;
}

static bool may_run(void *context, const sk__task *task) { return sk__values_are_there(((runner *)context)->runtime, task); }

/* What waits for values comes when they are there. */
static sk_status run_in_turns(runner *r) {
  size_t count = r->count;
  bool *done = calloc(count, sizeof(bool));
  if (done == NULL) return SK_OUT_OF_MEMORY;
  sk__walk_tasks(&(sk__walk){r->tasks, count, done, may_run, run_one, r});
  bool hangs = false;
  for (size_t i = 0; i < count; i++) {
    if (done[i]) continue;
    hangs = true;
    if (r->results != NULL) r->results[i] = (sk__task_result){.status = SK_DEADLOCK};
  }
  if (hangs) sk__report_held(r->runtime, r->tasks, count, done);
  free(done);
  return hangs && r->worst == SK_OK ? SK_DEADLOCK : r->worst;
}

sk_status sk__runtime_run(sk__runtime *runtime, sk__task *const *tasks, size_t count, sk__task_result *results) {
  runner r = {runtime, tasks, count, results, SK_OK};
  for (size_t i = 0; i < count; i++)
    if (sk__waits_for_values(tasks[i])) return run_in_turns(&r);
  for (size_t i = 0; i < count; i += sk__unit_size(tasks[i])) run_one(&r, i);
  return r.worst;
}

void sk__runtime_join_streams(sk__runtime *runtime) {
  sk__snapshot *all = sk__streams_order(runtime);
  if (all == NULL) return; /* order stays per stream: fewer accesses count as ordered, none more */
  for (sk__stream *stream = runtime->streams; stream != NULL; stream = stream->next)
    sk__stream_set_order(stream, sk__snapshot_ref(all));
  sk__stream_set_order(&runtime->default_stream, all);
}

bool sk__task_is_host_visible(const sk__task *task) {
  if (task->circle != NULL) return task->circle->host_visible;
  if (task->kind == SK__TASK_HOST_FUNC) return true;
  return task->kind == SK__TASK_COPY && !(sk__in_gm(task->to) && sk__in_gm(task->from));
}

static sk_status run_segment(sk__runtime *runtime, const sk__task_list *batch, size_t begin, size_t end) {
  if (runtime->hook != NULL && !sk__task_is_host_visible(batch->items[begin])) return sk__segment_run(runtime, batch, begin, end);
  return sk__runtime_run(runtime, batch->items + begin, end - begin, NULL);
}

sk_status sk__run_what_can(sk__runtime *runtime, bool force, bool waits) {
  SK__GUARD;
  if (runtime->running) return SK_OK; /* a host callback waits for its own past */
  runtime->running = true;
  sk_status worst = SK_OK;
  for (;;) { /* callbacks may queue more meanwhile */
    sk__task_list batch = {0};
    sk_status held = sk__hold_back(runtime, force, &batch);
    if (held != SK_OK && worst == SK_OK) worst = held;
    if (batch.count == 0) break;
    runtime->batch = &batch;
    for (size_t begin = 0, end; begin < batch.count; begin = end) {
      bool visible = sk__task_is_host_visible(batch.items[begin]);
      for (end = begin + 1; end < batch.count && sk__task_is_host_visible(batch.items[end]) == visible; end++) continue;
      runtime->goes_on = !waits || end < batch.count || runtime->pending.count > 0;
      sk_status status = run_segment(runtime, &batch, begin, end);
      if (status != SK_OK && worst == SK_OK) worst = status;
    }
    runtime->batch = NULL;
    sk__task_list_clear(&batch);
  }
  if (worst == SK_OK) worst = runtime->device_error;
  if (waits) sk__runtime_join_streams(runtime);
  sk__hasty_forget(runtime);
  runtime->running = false;
  return worst;
}
