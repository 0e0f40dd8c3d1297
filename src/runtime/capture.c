/* capture.c - captured models: tasks recorded instead of run, replayed as often as asked; scope marks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/internal.h"

#define MAX_SCOPE_BYTES 255

static aclError resolve_model(sk__runtime *runtime, aclmdlRI handle, sk__model **out) {
  for (sk__model *model = runtime->models; model != NULL; model = model->next)
    if (model == handle) {
      *out = model;
      return ACL_SUCCESS;
    }
  return sk__fail(ACL_ERROR_RT_INVALID_HANDLE, "%p is no live captured model", handle);
}

static aclError model_ready(aclmdlRI handle, sk__runtime **runtime, sk__model **out) {
  aclError error = sk__runtime_ready(runtime);
  return error == ACL_SUCCESS ? resolve_model(*runtime, handle, out) : error;
}

aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode) {
  SK__GUARD;
  sk__runtime *runtime = NULL;
  sk__stream *origin = NULL;
  aclError error = sk__stream_ready(stream, &runtime, &origin);
  if (error != ACL_SUCCESS) return error;
  if (origin->is_default)
    return sk__fail(ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT, "aclmdlRICaptureBegin: the default stream cannot be captured; create a stream");
  if (origin->capturing != NULL)
    return sk__fail(ACL_ERROR_RT_STREAM_CAPTURED, "aclmdlRICaptureBegin: the stream is already being captured");
  if ((int)mode < 0 || mode > ACL_MODEL_RI_CAPTURE_MODE_RELAXED)
    return sk__fail(ACL_ERROR_INVALID_PARAM, "aclmdlRICaptureBegin: mode %d; legal: 0 GLOBAL, 1 THREAD_LOCAL, 2 RELAXED", (int)mode);
  sk__model *model = calloc(1, sizeof *model);
  if (model == NULL) return sk__fail(ACL_ERROR_BAD_ALLOC, "no host memory for a captured model");
  model->active = true;
  model->mode = mode;
  model->thread = pthread_self();
  model->origin = origin;
  origin->references++;
  model->next = runtime->models;
  runtime->models = model;
  origin->capturing = model;
  return ACL_SUCCESS;
}

aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus *status, aclmdlRI *modelRI) {
  SK__GUARD;
  sk__runtime *runtime = NULL;
  sk__stream *which = NULL;
  aclError error = sk__stream_ready(stream, &runtime, &which);
  if (error != ACL_SUCCESS) return error;
  if (status == NULL || modelRI == NULL) return sk__fail(ACL_ERROR_INVALID_PARAM, "aclmdlRICaptureGetInfo: NULL result");
  const sk__model *model = which->capturing;
  *status = model == NULL      ? ACL_MODEL_RI_CAPTURE_STATUS_NONE
            : model->invalid ? ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED
                             : ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
  *modelRI = which->capturing;
  return ACL_SUCCESS;
}

/* A stream that was drawn in by an event must have come back to the origin by another. */
static bool is_joined(const sk__model *model, const sk__stream *stream) {
  for (size_t i = model->tasks.count; i-- > 0;) {
    const sk__task *task = model->tasks.items[i];
    if (task->stream != stream) continue;
    if (task->kind != SK__TASK_EVENT_RECORD) return false;
    for (size_t j = i + 1; j < model->tasks.count; j++)
      if (model->tasks.items[j]->kind == SK__TASK_EVENT_WAIT && model->tasks.items[j]->event == task->event) return true;
    return false;
  }
  return true;
}

aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI *modelRI) {
  SK__GUARD;
  sk__runtime *runtime = NULL;
  sk__stream *which = NULL;
  aclError error = sk__stream_ready(stream, &runtime, &which);
  if (error != ACL_SUCCESS) return error;
  if (modelRI == NULL) return sk__fail(ACL_ERROR_INVALID_PARAM, "aclmdlRICaptureEnd: modelRI is NULL");
  sk__model *model = which->capturing;
  if (model == NULL) return sk__fail(ACL_ERROR_RT_STREAM_NOT_CAPTURED, "aclmdlRICaptureEnd: the stream is not being captured");
  if (model->origin != which)
    return sk__fail(ACL_ERROR_STREAM_CAPTURE_UNMATCHED, "aclmdlRICaptureEnd: the capture was begun on another stream");
  if (model->mode != ACL_MODEL_RI_CAPTURE_MODE_RELAXED && !pthread_equal(model->thread, pthread_self()))
    return sk__fail(ACL_ERROR_STREAM_CAPTURE_WRONG_THREAD, "aclmdlRICaptureEnd: the capture was begun on another thread");
  bool joined = true;
  for (sk__stream *other = runtime->streams; other != NULL; other = other->next) {
    if (other->capturing != model) continue;
    if (other != which) joined = joined && is_joined(model, other);
    other->capturing = NULL;
  }
  model->active = false;
  *modelRI = model;
  if (joined) return ACL_SUCCESS;
  model->invalid = true;
  return sk__fail(ACL_ERROR_RT_STREAM_UNJOINED, "aclmdlRICaptureEnd: a stream of the capture did not come back to the origin by an event");
}

/* Its capture has ended well: there are tasks to look at. */
static aclError check_ended(const sk__model *model, const char *call) {
  if (model->active) return sk__fail(ACL_ERROR_RT_MODEL_CAPTURED, "%s: the model is still being captured", call);
  if (model->invalid) return sk__fail(ACL_ERROR_RT_CAPTURE_INVALIDATED, "%s: the capture was invalidated", call);
  return ACL_SUCCESS;
}

int sk__model_tasks(sk__model_handle handle, const char *call, sk__task *const **tasks, size_t *count, bool *optimised) {
  sk__runtime *runtime = NULL;
  sk__model *model = NULL;
  aclError error = sk__runtime_ready(&runtime);
  if (error == ACL_SUCCESS && handle == NULL) return sk__fail(ACL_ERROR_INVALID_PARAM, "%s: the model is NULL", call);
  if (error == ACL_SUCCESS) error = resolve_model(runtime, handle, &model);
  if (error == ACL_SUCCESS) error = check_ended(model, call);
  if (error != ACL_SUCCESS) return error;
  *tasks = model->tasks.items;
  *count = model->tasks.count;
  *optimised = model->optimised;
  return ACL_SUCCESS;
}

void sk__model_replace(sk__model_handle handle, sk__task **tasks, size_t count) {
  sk__model *model = handle;
  sk__task_list old = model->tasks;
  model->tasks = (sk__task_list){tasks, count, count};
  model->optimised = true;
  sk__task_list_clear(&old);
}

/* A model's replays follow one another, whatever streams they are given. */
static sk_status follow_last_replay(sk__runtime *runtime, sk__model *model, sk__stream *on) {
  sk__stream *last = model->replayed_on;
  if (last == on) return SK_OK;
  sk_status status = last != NULL ? sk__stream_join(runtime, on, last->order) : SK_OK;
  if (status != SK_OK) return status;
  on->references++;
  if (last != NULL) sk__stream_unref(last);
  model->replayed_on = on;
  return SK_OK;
}

aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream) {
  SK__GUARD;
  sk__runtime *runtime = NULL;
  sk__stream *on = NULL;
  sk__model *model = NULL;
  aclError error = sk__stream_ready(stream, &runtime, &on);
  if (error == ACL_SUCCESS) error = resolve_model(runtime, modelRI, &model);
  if (error == ACL_SUCCESS) error = check_ended(model, "aclmdlRIExecute");
  if (error != ACL_SUCCESS) return error;
  if (on->capturing != NULL)
    return sk__fail(ACL_ERROR_RT_STREAM_CAPTURED, "aclmdlRIExecute: replaying a model into a capture is not supported");
  /* What the capture held for its origin is issued on the given stream, between what that stream did so far
   * and what comes; the streams it drew in are tied to the origin by the events of the capture. A replay
   * begins a stretch of work of its own, which is what gets fused. */
  sk__run_pending(runtime);
  if (follow_last_replay(runtime, model, on) != SK_OK) return sk__fail(ACL_ERROR_BAD_ALLOC, "no host memory to queue a replay");
  for (size_t i = 0; i < model->tasks.count && error == ACL_SUCCESS; i++) {
    const sk__task *task = model->tasks.items[i];
    sk__task *again = sk__task_again(runtime, task, task->stream == model->origin ? on : task->stream);
    if (again != NULL && again->kind == SK__TASK_SUPERKERNEL) {
      again->captured = model->origin;
      again->replayed = on;
    }
    if (again != NULL && task->circle != NULL) sk__task_set_circle(again, task->circle);
    if (again == NULL || sk__task_list_add(&runtime->pending, again) != SK_OK)
      error = sk__fail(ACL_ERROR_BAD_ALLOC, "no host memory to queue a replay");
  }
  return error;
}

aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeoutMs) {
  SK__GUARD;
  if (timeoutMs < -1) return sk__fail(ACL_ERROR_INVALID_PARAM, "timeout %d ms; legal: -1 (for ever) and above", timeoutMs);
  aclError error = aclmdlRIExecuteAsync(modelRI, NULL);
  return error == ACL_SUCCESS ? aclrtSynchronizeDevice() : error;
}

aclError aclmdlRIDestroy(aclmdlRI modelRI) {
  SK__GUARD;
  sk__runtime *runtime = NULL;
  sk__model *model = NULL;
  aclError error = model_ready(modelRI, &runtime, &model);
  if (error != ACL_SUCCESS) return error;
  if (model->active) return sk__fail(ACL_ERROR_RT_MODEL_CAPTURED, "aclmdlRIDestroy: the model is still being captured");
  error = sk__finish_pending(runtime);
  sk__model **at = &runtime->models;
  while (*at != model) at = &(*at)->next;
  *at = model->next;
  for (sk__event *event = runtime->events; event != NULL; event = event->next)
    if (event->recorded_in == model) event->recorded_in = NULL;
  sk__task_list_clear(&model->tasks);
  sk__stream_unref(model->origin);
  if (model->replayed_on != NULL) sk__stream_unref(model->replayed_on);
  free(model);
  return error;
}

aclError aclmdlRIDebugPrint(aclmdlRI modelRI) {
  SK__GUARD;
  sk__runtime *runtime = NULL;
  sk__model *model = NULL;
  aclError error = model_ready(modelRI, &runtime, &model);
  if (error != ACL_SUCCESS) return error;
  for (size_t i = 0; i < model->tasks.count; i++) {
    const sk__task *task = model->tasks.items[i];
    printf("%4zu stream %u %s", i, task->stream_index, sk__task_kind_name(task->kind));
    if (task->kind == SK__TASK_KERNEL) printf(" %s <<<%u>>>", task->kernel->name, task->blocks);
    if (task->kind == SK__TASK_SUPERKERNEL) printf(" %s <<<%u>>>", task->superkernel->name, task->superkernel->blocks);
    if (task->scope != NULL) printf(" \"%s\"", task->scope);
    printf("\n");
  }
  return ACL_SUCCESS;
}

/* ---- SuperKernel scope marks ----------------------------------------------------------------- */

static aclError submit_scope(const char *name, aclrtStream stream, sk__task_kind kind, const char *call) {
  sk__runtime *runtime = NULL;
  sk__stream *on = NULL;
  aclError error = sk__stream_ready(stream, &runtime, &on);
  if (error != ACL_SUCCESS) return error;
  if (name != NULL && (name[0] == '\0' || strlen(name) > MAX_SCOPE_BYTES))
    return sk__fail(ACL_ERROR_INVALID_PARAM, "%s: a scope name has 1 to %d bytes (NULL: never fuse); given %zu", call,
                    MAX_SCOPE_BYTES, strlen(name));
  sk__task *task = sk__task_of_mark(runtime, kind, on, name);
  if (task == NULL) return sk__fail(ACL_ERROR_BAD_ALLOC, "no host memory for a scope mark");
  return sk__task_submit(runtime, task);
}

aclError aclskScopeBegin(const char *name, aclrtStream stream) {
  SK__GUARD;
  return submit_scope(name, stream, SK__TASK_SCOPE_BEGIN, "aclskScopeBegin");
}

aclError aclskScopeEnd(const char *name, aclrtStream stream) {
  SK__GUARD;
  return submit_scope(name, stream, SK__TASK_SCOPE_END, "aclskScopeEnd");
}
