/* course_node.c - nodes that stay by themselves, and what records tell to waits. */
#include "fuse/course_play.h"
#include "fuse/execute.h"

sk__task *sk__course_task(const sk__course *course, uint32_t node) {
  sk__task *own = course->part != NULL ? course->part->tasks[node] : NULL;
  return own != NULL ? own : course->plan->graph->nodes[node].task;
}

sk__stream *sk__course_stream(const sk__course *course, uint32_t node) {
  sk__stream *stream = sk__course_task(course, node)->stream;
  return course->part != NULL && stream == course->part->captured ? course->part->replayed : stream;
}

void sk__course_tell(const sk__course *course, const sk__core *core, sk__told *told) {
  told->done = true;
  told->cycles = course != NULL ? course->begin_cycles + core->cycles[SK__PIPE_S] : 0;
}

void sk__course_hear(const sk__course *course, sk__core *core, const sk__told *told) {
  if (course == NULL || told->cycles <= course->begin_cycles) return;
  core->cycles[SK__PIPE_S] = sk__later(core->cycles[SK__PIPE_S], told->cycles - course->begin_cycles);
}

/* The runtime's event keeps one record only, and a later record may run before an earlier one's waits: waits inside the graph
 * take what their own record told. */
static sk_status run_wait(sk__course *course, uint32_t at) {
  const sk__task *task = sk__course_task(course, at);
  uint32_t record = sk__record_of(course->plan->graph, &course->plan->graph->nodes[at]);
  return sk__stream_join(course->runtime, sk__course_stream(course, at), record != UINT32_MAX ? course->told[record].order : sk__event_order(task->event));
}

/* A record inside an SK has noted its order itself. */
static void run_record(sk__course *course, uint32_t at) {
  sk__told *told = &course->told[at];
  sk__stream *stream = sk__course_stream(course, at);
  sk__snapshot *order = told->order != NULL ? told->order : sk__stream_order(stream);
  if (!told->done && order != NULL) told->order = sk__snapshot_ref(order);
  told->done = true;
  sk__event_record(sk__course_task(course, at)->event, stream, order); /* for waits outside of the graph */
}

sk_status sk__course_node(sk__course *course, uint32_t at) {
  const sk__node *node = &course->plan->graph->nodes[at];
  sk__task *task = sk__course_task(course, at);
  if (node->type == SK__NODE_WAIT) return run_wait(course, at);
  if (node->type == SK__NODE_NOTIFY) {
    run_record(course, at);
    return SK_OK;
  }
  if (node->type == SK__NODE_RESET && course->part != NULL && course->plan->decisions[at].sk != UINT32_MAX) return SK_OK; /* a task behind the circle */
  sk__task_result result;
  sk_status status = sk__runtime_run_one(course->runtime, task, &result);
  if (task->kind == SK__TASK_SUPERKERNEL) { /* fused before: a launch of its own */
    const sk__superkernel *made = task->superkernel;
    course->results[(*course->launches)++] = (sk__launch_result){
        .name = made->name, .is_sk = true, .type = made->type, .blocks = made->blocks, .node = at, .status = result.status, .stats = result.stats};
  }
  if (task->kind == SK__TASK_KERNEL)
    course->results[(*course->launches)++] = (sk__launch_result){
        .name = node->kernel.name, .type = node->kernel.type, .blocks = node->kernel.blocks, .node = at, .status = result.status, .stats = result.stats};
  return status;
}

const char *sk__course_name(sk__course *course, uint32_t at) {
  const sk__node *node = &course->plan->graph->nodes[at];
  const char *name = node->type == SK__NODE_KERNEL ? node->kernel.name : sk__task_kind_name(node->task->kind);
  const char *text = sk__arena_format(&course->names, "the %s of node %llu outside of the SuperKernel", name, (unsigned long long)node->id);
  return text != NULL ? text : "an event outside of the SuperKernel";
}
