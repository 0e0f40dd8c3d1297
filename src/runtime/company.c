/* company.c - the tasks of a segment with each kernel in company: once more, or between two neighbours. */
#include <stdlib.h>
#include <string.h>

#include "runtime/internal.h"

static sk_status add(sk__task_list *list, sk__task *task) { return task != NULL ? sk__task_list_add(list, task) : SK_OUT_OF_MEMORY; }

/* Two names take turns, so that what belongs together is one SuperKernel and the next is another. */
static sk_status add_mark(sk__runtime *runtime, sk__task_list *list, sk__task_kind kind, const sk__task *task, size_t number) {
  sk__task *mark = sk__task_new(runtime, kind, task->stream);
  if (mark != NULL && (mark->scope = strdup(number % 2 == 0 ? "even" : "odd")) == NULL) {
    sk__task_unref(mark);
    mark = NULL;
  }
  return add(list, mark);
}

static sk_status add_neighbour(sk__runtime *runtime, sk__task_list *list, sk__neighbour neighbour, const sk__task *task) {
  sk__task *beside = sk__task_new(runtime, SK__TASK_KERNEL, task->stream);
  if (beside != NULL) {
    beside->kernel = neighbour.kernel;
    beside->blocks = neighbour.blocks;
    beside->args = calloc(1, neighbour.kernel->args_bytes > 0 ? neighbour.kernel->args_bytes : 1);
    if (beside->args == NULL) {
      sk__task_unref(beside);
      beside = NULL;
    }
  }
  return add(list, beside);
}

/* [neighbour] kernel [kernel once more, or neighbour] */
static sk_status add_company(sk__runtime *runtime, sk__task_list *list, const sk__task *task, sk__neighbour_fn neighbour_of, bool marked,
                             size_t number) {
  sk__neighbour neighbour = {NULL, 0};
  if (neighbour_of != NULL) neighbour = neighbour_of(runtime, task->kernel);
  sk_status status = marked ? add_mark(runtime, list, SK__TASK_SCOPE_BEGIN, task, number) : SK_OK;
  if (status == SK_OK && neighbour.kernel != NULL) status = add_neighbour(runtime, list, neighbour, task);
  if (status == SK_OK) status = add(list, sk__task_again(runtime, task, task->stream));
  if (status == SK_OK)
    status = neighbour.kernel != NULL ? add_neighbour(runtime, list, neighbour, task) : add(list, sk__task_again(runtime, task, task->stream));
  if (status == SK_OK && marked) status = add_mark(runtime, list, SK__TASK_SCOPE_END, task, number);
  return status;
}

sk_status sk__tasks_in_company(sk__runtime *runtime, sk__task *const *tasks, size_t count, sk__neighbour_fn neighbour_of, bool marked,
                               sk__task ***out, size_t *out_count) {
  sk__task_list list = {0};
  sk_status status = SK_OK;
  size_t unnamed = 0, number = 0;
  for (size_t i = 0; i < count && status == SK_OK; i++) {
    bool mark = tasks[i]->kind == SK__TASK_SCOPE_BEGIN || tasks[i]->kind == SK__TASK_SCOPE_END;
    if (mark && tasks[i]->scope != NULL) continue; /* every kernel gets a scope of its own */
    if (tasks[i]->kind == SK__TASK_SCOPE_BEGIN) unnamed++;
    if (tasks[i]->kind == SK__TASK_SCOPE_END && unnamed > 0) unnamed--;
    status = tasks[i]->kind == SK__TASK_KERNEL && unnamed == 0
                 ? add_company(runtime, &list, tasks[i], neighbour_of, marked, number++)
                 : sk__task_list_add(&list, sk__task_ref(tasks[i]));
  }
  if (status != SK_OK) {
    sk__task_list_clear(&list);
    return status;
  }
  *out = list.items;
  *out_count = list.count;
  return SK_OK;
}
