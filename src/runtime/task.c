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
  return task;
}

sk__task *sk__task_ref(sk__task *task) {
  task->references++;
  return task;
}

void sk__task_unref(sk__task *task) {
  if (task == NULL || --task->references > 0) return;
  free(task->args);
  free(task->scope);
  free(task);
}

sk_status sk__task_list_add(sk__task_list *list, sk__task *task) {
  if (list->count == list->capacity) {
    size_t capacity = list->capacity > 0 ? list->capacity * 2 : 64;
    sk__task **items = realloc(list->items, capacity * sizeof(sk__task *));
    if (items == NULL) {
      sk__task_unref(task);
      return SK_OUT_OF_MEMORY;
    }
    list->items = items;
    list->capacity = capacity;
  }
  list->items[list->count++] = task;
  return SK_OK;
}

void sk__task_list_clear(sk__task_list *list) {
  for (size_t i = 0; i < list->count; i++) sk__task_unref(list->items[i]);
  free(list->items);
  memset(list, 0, sizeof *list);
}

aclError sk__task_submit(sk__runtime *runtime, sk__task *task) {
  sk__model *model = task->stream->capturing;
  sk__task_list *list = model != NULL ? &model->tasks : &runtime->pending;
  if (sk__task_list_add(list, task) != SK_OK)
    return sk__fail(ACL_ERROR_BAD_ALLOC, "no host memory to queue a task");
  return ACL_SUCCESS;
}
