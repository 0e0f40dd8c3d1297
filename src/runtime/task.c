/* task.c - tasks: made, shared by reference, queued on a stream or put into a capture. */
#include <stdlib.h>
#include <string.h>

#include "runtime/internal.h"

const char *sk__task_kind_name(sk__task_kind kind) {
  static const char *const names[] = {
#define X(name, text) text,
      SK__TASK_LIST(X)
#undef X
  };
  return kind < SK__TASK_KINDS ? names[kind] : "unknown";
}

sk__task *sk__task_new(sk__runtime *runtime, sk__task_kind kind, sk__stream *stream) {
  sk__task *task = calloc(1, sizeof *task);
  if (task == NULL) return NULL;
  task->kind = kind;
  task->references = 1;
  task->serial = runtime->next_serial++;
  task->stream = stream;
  task->stream_index = stream->index;
  stream->references++;
  return task;
}

void sk__task_set_event(sk__task *task, sk__event *event) {
  event->references++;
  task->event = event;
}

void sk__task_set_circle(sk__task *task, sk__circle *circle) {
  circle->references++;
  task->circle = circle;
}

sk__task *sk__task_of_event(sk__runtime *runtime, sk__task_kind kind, sk__stream *stream, sk__event *event) {
  sk__task *task = sk__task_new(runtime, kind, stream);
  if (task != NULL) sk__task_set_event(task, event);
  return task;
}

sk__task *sk__task_of_mark(sk__runtime *runtime, sk__task_kind kind, sk__stream *stream, const char *scope) {
  sk__task *task = sk__task_new(runtime, kind, stream);
  if (task == NULL || scope == NULL || (task->scope = strdup(scope)) != NULL) return task;
  sk__task_unref(task);
  return NULL;
}

sk__task *sk__task_of_superkernel(sk__runtime *runtime, sk__stream *stream, sk__superkernel *superkernel) {
  sk__task *task = sk__task_new(runtime, SK__TASK_SUPERKERNEL, stream);
  if (task != NULL) task->superkernel = superkernel;
  else if (--superkernel->references == 0) superkernel->free(superkernel);
  return task;
}

/* A copy of owned bytes; false on no memory. */
static bool duplicate(void **to, const void *from, size_t bytes) {
  if (from == NULL) return true;
  *to = malloc(bytes > 0 ? bytes : 1);
  if (*to != NULL) memcpy(*to, from, bytes);
  return *to != NULL;
}

sk__task *sk__task_again(sk__runtime *runtime, const sk__task *task, sk__stream *stream) {
  sk__task *again = sk__task_new(runtime, task->kind, stream);
  if (again == NULL) return NULL;
  again->file = task->file;
  again->line = task->line;
  again->kernel = task->kernel;
  again->blocks = task->blocks;
  again->dynamic_ub_bytes = task->dynamic_ub_bytes;
  again->to = task->to;
  again->from = task->from;
  again->bytes = task->bytes;
  again->value = task->value;
  again->tie = task->tie;
  again->number = task->number;
  again->condition = task->condition;
  again->host_func = task->host_func;
  again->host_context = task->host_context;
  if (task->event != NULL) sk__task_set_event(again, task->event);
  again->attributes = sk__attributes_ref(task->attributes);
  if (task->superkernel != NULL) {
    task->superkernel->references++;
    again->superkernel = task->superkernel;
  }
  bool good = task->kernel == NULL || duplicate(&again->args, task->args, task->kernel->args_bytes);
  if (good && task->scope != NULL) good = (again->scope = strdup(task->scope)) != NULL;
  if (good && task->staged != NULL) {
    good = duplicate(&again->staged, task->staged, task->bytes);
    again->from = (uint64_t)again->staged;
  }
  if (good) return again;
  sk__task_unref(again);
  return NULL;
}

sk__task *sk__task_ref(sk__task *task) {
  task->references++;
  return task;
}

void sk__task_unref(sk__task *task) {
  if (task == NULL || --task->references > 0) return;
  sk__stream_unref(task->stream);
  if (task->event != NULL) sk__event_unref(task->event);
  if (task->superkernel != NULL && --task->superkernel->references == 0) task->superkernel->free(task->superkernel);
  if (task->circle != NULL && --task->circle->references == 0) task->circle->free(task->circle);
  sk__attributes_unref(task->attributes);
  free(task->args);
  free(task->updated);
  free(task->staged);
  free(task->scope);
  free(task);
}

sk_status sk__task_list_add(sk__task_list *list, sk__task *task) {
  if (sk__vec_push(list, task)) return SK_OK;
  sk__task_unref(task);
  return SK_OUT_OF_MEMORY;
}

void sk__task_list_clear(sk__task_list *list) {
  for (size_t i = 0; i < list->count; i++) sk__task_unref(list->items[i]);
  free(list->items);
  memset(list, 0, sizeof *list);
}

aclError sk__task_submit(sk__runtime *runtime, sk__task *task) {
  if (task->attributes == NULL) task->attributes = sk__attributes_current();
  sk__model *model = task->stream->capturing;
  sk__task_list *list = model != NULL ? &model->tasks : &runtime->pending;
  if (sk__task_list_add(list, task) != SK_OK)
    return sk__fail(ACL_ERROR_BAD_ALLOC, "no host memory to queue a task");
  return ACL_SUCCESS;
}
