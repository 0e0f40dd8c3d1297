/* apart.c - SuperKernels that a program made itself, taken apart into the tasks they were made of. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/internal.h"

enum { MAX_SCOPE_BYTES = 255 };

/* Where a part runs when the SuperKernel is replayed. */
static sk__stream *stream_of(const sk__task *task, const sk__task *part) {
  return part->stream == task->captured ? task->replayed : part->stream;
}

static sk_status add(sk__task_list *list, sk__task *task) { return task != NULL ? sk__task_list_add(list, task) : SK_OUT_OF_MEMORY; }

static sk_status add_mark(sk__runtime *runtime, sk__task_list *list, sk__task_kind kind, const sk__task *task) {
  char name[MAX_SCOPE_BYTES + 1];
  snprintf(name, sizeof name, "%s", task->superkernel->name);
  return add(list, sk__task_of_mark(runtime, kind, task->stream, name));
}

static sk__task *part_again(sk__runtime *runtime, const sk__task *task, const sk__task *part) {
  sk__task *again = sk__task_again(runtime, part, stream_of(task, part));
  if (again != NULL && part->updated != NULL) memcpy(again->args, part->updated, part->kernel->args_bytes);
  return again;
}

static sk_status take_apart(sk__runtime *runtime, const sk__task *task, bool marked, sk__task_list *list) {
  const sk__superkernel *made = task->superkernel;
  sk_status status = marked ? add_mark(runtime, list, SK__TASK_SCOPE_BEGIN, task) : SK_OK;
  for (size_t i = 0; i < made->part_count && status == SK_OK; i++)
    status = add(list, part_again(runtime, task, made->parts[i]));
  if (status == SK_OK && marked) status = add_mark(runtime, list, SK__TASK_SCOPE_END, task);
  return status;
}

/* A circle in order of issue: what stands outside of its SuperKernels lies in no scope of theirs. */
static sk_status take_circle_apart(sk__runtime *runtime, sk__task *const *tasks, bool marked, sk__task_list *list) {
  const sk__circle *circle = tasks[0]->circle;
  const sk__task *open = NULL; /* whose parts are being added */
  sk_status status = SK_OK;
  for (size_t i = 0; i <= circle->issue_count && status == SK_OK; i++) {
    const sk__issue *issue = i < circle->issue_count ? &circle->issues[i] : NULL;
    const sk__task *task = issue != NULL ? tasks[issue->task] : NULL, *of = issue != NULL && issue->part != UINT32_MAX ? task : NULL;
    if (open != of && open != NULL && marked) status = add_mark(runtime, list, SK__TASK_SCOPE_END, open);
    if (open != of && of != NULL && marked && status == SK_OK) status = add_mark(runtime, list, SK__TASK_SCOPE_BEGIN, of);
    open = of;
    if (task == NULL || status != SK_OK) continue;
    status = add(list, of != NULL ? part_again(runtime, of, of->superkernel->parts[issue->part]) : sk__task_again(runtime, task, task->stream));
  }
  return status;
}

sk_status sk__tasks_apart(sk__runtime *runtime, sk__task *const *tasks, size_t count, bool marked, sk__task ***out, size_t *out_count) {
  sk__task_list list = {0};
  sk_status status = SK_OK;
  for (size_t i = 0, step; i < count && status == SK_OK; i += step) {
    step = tasks[i]->circle != NULL ? tasks[i]->circle->count : 1;
    if (tasks[i]->circle != NULL) {
      status = take_circle_apart(runtime, tasks + i, marked, &list);
      continue;
    }
    if (tasks[i]->tie) continue;
    bool made = tasks[i]->kind == SK__TASK_SUPERKERNEL && tasks[i]->superkernel->part_count > 0;
    status = made ? take_apart(runtime, tasks[i], marked, &list) : sk__task_list_add(&list, sk__task_ref(tasks[i]));
  }
  if (status != SK_OK) {
    sk__task_list_clear(&list);
    return status;
  }
  *out = list.items;
  *out_count = list.count;
  return SK_OK;
}

void sk__tasks_free(sk__task **tasks, size_t count) {
  sk__task_list list = {tasks, count, count};
  sk__task_list_clear(&list);
}
