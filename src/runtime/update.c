/* update.c - other arguments for a launch of a captured model. A SuperKernel has copied them into its queue when it was made:
 * that one of its launches has others now is kept beside the task, for the reference of a twin run. */
#include <stdlib.h>
#include <string.h>

#include "runtime/internal.h"
#include "superkernel/model.h"

typedef struct search { const char *kernel; uint32_t number, found; const sk__superkernel *in; } search;

static bool is_it(search *s, const sk__task *task) {
  return task->kind == SK__TASK_KERNEL && strcmp(task->kernel->name, s->kernel) == 0 && s->found++ == s->number;
}

static sk__task *find_in_circle(search *s, sk__task *const *tasks) {
  const sk__circle *circle = tasks[0]->circle;
  for (size_t i = 0; i < circle->issue_count; i++) {
    sk__task *task = tasks[circle->issues[i].task];
    s->in = circle->issues[i].part != UINT32_MAX ? task->superkernel : NULL;
    if (s->in != NULL) task = s->in->parts[circle->issues[i].part];
    if (is_it(s, task)) return task;
  }
  s->in = NULL;
  return NULL;
}

/* The launch, and the SuperKernel it went into; NULL. Launches are counted as they were issued. */
static sk__task *find(search *s, sk__task *const *tasks, size_t count) {
  for (size_t i = 0, step; i < count; i += step) {
    step = tasks[i]->circle != NULL ? tasks[i]->circle->count : 1;
    sk__task *found = tasks[i]->circle != NULL ? find_in_circle(s, tasks + i) : NULL;
    if (found != NULL) return found;
    if (tasks[i]->circle != NULL) continue;
    if (is_it(s, tasks[i])) return tasks[i];
    if (tasks[i]->kind != SK__TASK_SUPERKERNEL) continue;
    s->in = tasks[i]->superkernel;
    for (size_t k = 0; k < s->in->part_count; k++)
      if (is_it(s, s->in->parts[k])) return s->in->parts[k];
    s->in = NULL;
  }
  return NULL;
}

static int keep(sk__runtime *runtime, const search *s, sk__task *task, const void *args) {
  if (s->in == NULL) {
    memcpy(task->args, args, task->kernel->args_bytes);
    return ACL_SUCCESS;
  }
  if (task->updated == NULL) task->updated = malloc(task->kernel->args_bytes);
  if (task->updated == NULL) return sk__fail(ACL_ERROR_BAD_ALLOC, "no host memory for the arguments of a launch");
  memcpy(task->updated, args, task->kernel->args_bytes);
  sk__report_fused_update(runtime, task, s->in->name);
  return ACL_SUCCESS;
}

int sk_model_update(void *model, const char *kernel, uint32_t number, const void *args, size_t args_bytes) {
  SK__GUARD;
  sk__runtime *runtime = sk__runtime_get();
  sk__task *const *tasks = NULL;
  size_t count = 0;
  bool optimised = false;
  if (kernel == NULL || args == NULL) return sk__fail(ACL_ERROR_INVALID_PARAM, "sk_model_update: %s is NULL", kernel == NULL ? "kernel" : "args");
  int error = sk__model_tasks(model, "sk_model_update", &tasks, &count, &optimised);
  if (error != ACL_SUCCESS) return error;
  search s = {.kernel = kernel, .number = number};
  sk__task *task = find(&s, tasks, count);
  if (task == NULL)
    return sk__fail(ACL_ERROR_INVALID_PARAM, "sk_model_update: the model has %u launches of '%s'; number %u is not among them", s.found, kernel, number);
  if (args_bytes != task->kernel->args_bytes)
    return sk__fail(ACL_ERROR_INVALID_PARAM, "sk_model_update: %zu bytes of arguments for '%s'; legal: %u", args_bytes, kernel,
                    (unsigned)task->kernel->args_bytes);
  sk__run_pending(runtime);
  return keep(runtime, &s, task, args);
}
