/* stream.c - streams, events and waiting. Waiting for anything runs everything that is pending. */
#include <stdlib.h>
#include <string.h>

#include "runtime/internal.h"

aclError sk__stream_resolve(sk__runtime *runtime, aclrtStream handle, sk__stream **out) {
  if (handle == NULL) {
    *out = &runtime->default_stream;
    return ACL_SUCCESS;
  }
  for (sk__stream *stream = runtime->streams; stream != NULL; stream = stream->next)
    if (stream == handle) {
      *out = stream;
      return ACL_SUCCESS;
    }
  return sk__fail(ACL_ERROR_RT_INVALID_HANDLE, "%p is no live stream", handle);
}

static aclError resolve_event(sk__runtime *runtime, aclrtEvent handle, sk__event **out) {
  for (sk__event *event = runtime->events; event != NULL; event = event->next)
    if (event == handle) {
      *out = event;
      return ACL_SUCCESS;
    }
  return sk__fail(ACL_ERROR_RT_INVALID_HANDLE, "%p is no live event", handle);
}

sk__snapshot *sk__stream_order(sk__stream *stream) { return stream->order; }

void sk__stream_set_order(sk__stream *stream, sk__snapshot *order) {
  if (stream->order != NULL) sk__snapshot_unref(stream->order);
  stream->order = order;
}

aclError sk__synchronize(sk__runtime *runtime) {
  sk_status status = sk__runtime_flush(runtime);
  runtime->device_error = SK_OK;
  if (status == SK_OK) return ACL_SUCCESS;
  aclError error = sk__acl_of_status(status, runtime->device_error_core);
  return sk__fail(error, "%s (%s); the findings say why", sk__acl_error_text(error), sk_status_text(status));
}

/* ---- streams ---- */

aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag) {
  (void)priority; /* no preemption is modelled; the order of streams is the schedule's */
  sk__runtime *runtime = NULL;
  aclError error = sk__runtime_ready(&runtime);
  if (error != ACL_SUCCESS) return error;
  if (stream == NULL) return sk__fail(ACL_ERROR_INVALID_PARAM, "aclrtCreateStream: stream is NULL");
  if (flag > 0x3f) return sk__fail(ACL_ERROR_INVALID_PARAM, "aclrtCreateStream: flag 0x%x; legal bits: 0x3f", flag);
  sk__stream *made = calloc(1, sizeof *made);
  if (made == NULL) return sk__fail(ACL_ERROR_BAD_ALLOC, "no host memory for a stream");
  made->index = runtime->next_stream_index++;
  made->next = runtime->streams;
  runtime->streams = made;
  *stream = made;
  return ACL_SUCCESS;
}

aclError aclrtCreateStream(aclrtStream *stream) { return aclrtCreateStreamWithConfig(stream, 0, 0); }

aclError aclrtDestroyStream(aclrtStream stream) {
  sk__runtime *runtime = NULL;
  sk__stream *gone = NULL;
  aclError error = sk__runtime_ready(&runtime);
  if (error == ACL_SUCCESS) error = sk__stream_resolve(runtime, stream, &gone);
  if (error != ACL_SUCCESS) return error;
  if (gone->is_default) return sk__fail(ACL_ERROR_INVALID_PARAM, "aclrtDestroyStream: the default stream stays");
  if (gone->capturing != NULL)
    return sk__fail(ACL_ERROR_RT_STREAM_CAPTURED, "aclrtDestroyStream: the stream is being captured");
  error = sk__synchronize(runtime);
  sk__stream **at = &runtime->streams;
  while (*at != gone) at = &(*at)->next;
  *at = gone->next;
  sk__stream_set_order(gone, NULL);
  free(gone);
  return error;
}

aclError aclrtDestroyStreamForce(aclrtStream stream) { return aclrtDestroyStream(stream); }

static aclError wait_for_stream(aclrtStream stream) {
  sk__runtime *runtime = NULL;
  sk__stream *which = NULL;
  aclError error = sk__runtime_ready(&runtime);
  if (error == ACL_SUCCESS) error = sk__stream_resolve(runtime, stream, &which);
  if (error != ACL_SUCCESS) return error;
  if (which->capturing != NULL)
    return sk__fail(ACL_ERROR_RT_STREAM_CAPTURED, "waiting for a stream that is being captured");
  return sk__synchronize(runtime);
}

aclError aclrtSynchronizeStream(aclrtStream stream) { return wait_for_stream(stream); }

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeoutMs) {
  if (timeoutMs < -1) return sk__fail(ACL_ERROR_INVALID_PARAM, "timeout %d ms; legal: -1 (for ever) and above", timeoutMs);
  return wait_for_stream(stream); /* a hang is found at once, so the limit never passes */
}

aclError aclrtSynchronizeDevice(void) {
  sk__runtime *runtime = NULL;
  aclError error = sk__runtime_ready(&runtime);
  return error != ACL_SUCCESS ? error : sk__synchronize(runtime);
}

/* ---- events ---- */

aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag) {
  sk__runtime *runtime = NULL;
  aclError error = sk__runtime_ready(&runtime);
  if (error != ACL_SUCCESS) return error;
  if (event == NULL) return sk__fail(ACL_ERROR_INVALID_PARAM, "aclrtCreateEvent: event is NULL");
  sk__event *made = calloc(1, sizeof *made);
  if (made == NULL) return sk__fail(ACL_ERROR_BAD_ALLOC, "no host memory for an event");
  made->flags = flag;
  made->next = runtime->events;
  runtime->events = made;
  *event = made;
  return ACL_SUCCESS;
}

aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag) { return aclrtCreateEventExWithFlag(event, flag); }

aclError aclrtCreateEvent(aclrtEvent *event) {
  return aclrtCreateEventExWithFlag(event, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE);
}

aclError aclrtDestroyEvent(aclrtEvent event) {
  sk__runtime *runtime = NULL;
  sk__event *gone = NULL;
  aclError error = sk__runtime_ready(&runtime);
  if (error == ACL_SUCCESS) error = resolve_event(runtime, event, &gone);
  if (error != ACL_SUCCESS) return error;
  error = sk__synchronize(runtime); /* pending records and waits still name it */
  sk__event **at = &runtime->events;
  while (*at != gone) at = &(*at)->next;
  *at = gone->next;
  if (gone->order != NULL) sk__snapshot_unref(gone->order);
  free(gone);
  return error;
}

static aclError submit_event(aclrtEvent event, aclrtStream stream, sk__task_kind kind, sk__event **found,
                             sk__stream **on) {
  sk__runtime *runtime = NULL;
  aclError error = sk__runtime_ready(&runtime);
  if (error == ACL_SUCCESS) error = resolve_event(runtime, event, found);
  if (error == ACL_SUCCESS) error = sk__stream_resolve(runtime, stream, on);
  if (error != ACL_SUCCESS) return error;
  sk__task *task = sk__task_new(runtime, kind, *on);
  if (task == NULL) return sk__fail(ACL_ERROR_BAD_ALLOC, "no host memory for a task");
  task->event = *found;
  return sk__task_submit(runtime, task);
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
  sk__event *found = NULL;
  sk__stream *on = NULL;
  aclError error = submit_event(event, stream, SK__TASK_EVENT_RECORD, &found, &on);
  if (error != ACL_SUCCESS) return error;
  found->recorded = true;
  found->complete = false;
  found->recorded_in = on->capturing;
  return ACL_SUCCESS;
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream) {
  sk__event *found = NULL;
  sk__stream *on = NULL;
  return submit_event(event, stream, SK__TASK_EVENT_RESET, &found, &on);
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
  sk__runtime *runtime = NULL;
  sk__event *found = NULL;
  sk__stream *on = NULL;
  aclError error = sk__runtime_ready(&runtime);
  if (error == ACL_SUCCESS) error = resolve_event(runtime, event, &found);
  if (error == ACL_SUCCESS) error = sk__stream_resolve(runtime, stream, &on);
  if (error != ACL_SUCCESS) return error;
  /* A wait on an event of a capture draws its stream into that capture. */
  if (found->recorded_in != NULL && found->recorded_in->active && on->capturing == NULL)
    on->capturing = found->recorded_in;
  else if (on->capturing != NULL && found->recorded_in != on->capturing)
    return sk__fail(found->recorded_in == NULL ? ACL_ERROR_RT_CAPTURE_DEPENDENCY : ACL_ERROR_STREAM_CAPTURE_CONFLICT,
                    "a captured wait needs an event that was recorded in the same capture");
  return submit_event(event, stream, SK__TASK_EVENT_WAIT, &found, &on);
}

aclError aclrtSynchronizeEvent(aclrtEvent event) {
  sk__runtime *runtime = NULL;
  sk__event *found = NULL;
  aclError error = sk__runtime_ready(&runtime);
  if (error == ACL_SUCCESS) error = resolve_event(runtime, event, &found);
  return error != ACL_SUCCESS ? error : sk__synchronize(runtime);
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus *status) {
  sk__runtime *runtime = NULL;
  sk__event *found = NULL;
  aclError error = sk__runtime_ready(&runtime);
  if (error == ACL_SUCCESS) error = resolve_event(runtime, event, &found);
  if (error != ACL_SUCCESS) return error;
  if (status == NULL) return sk__fail(ACL_ERROR_INVALID_PARAM, "aclrtQueryEventStatus: status is NULL");
  /* A program that polls waits: what it polls for must come. */
  if (found->recorded && !found->complete) runtime->device_error = sk__runtime_flush(runtime);
  *status = found->recorded && !found->complete ? ACL_EVENT_RECORDED_STATUS_NOT_READY
                                                : ACL_EVENT_RECORDED_STATUS_COMPLETE;
  return ACL_SUCCESS;
}

aclError aclrtEventElapsedTime(float *ms, aclrtEvent start, aclrtEvent end) {
  sk__runtime *runtime = NULL;
  sk__event *from = NULL, *to = NULL;
  aclError error = sk__runtime_ready(&runtime);
  if (error == ACL_SUCCESS) error = resolve_event(runtime, start, &from);
  if (error == ACL_SUCCESS) error = resolve_event(runtime, end, &to);
  if (error != ACL_SUCCESS) return error;
  if (ms == NULL) return sk__fail(ACL_ERROR_INVALID_PARAM, "aclrtEventElapsedTime: ms is NULL");
  if (!from->complete || !to->complete)
    return sk__fail(ACL_ERROR_INVALID_PARAM, "aclrtEventElapsedTime: both events must be recorded and complete");
  double cycles = (double)to->cycles - (double)from->cycles;
  *ms = (float)(cycles / (1000.0 * sk__machine_soc(runtime->machine)->costs.clock_mhz));
  return ACL_SUCCESS;
}

/* ---- host callbacks ---- */

static aclError submit_host_func(aclrtStream stream, void (*fn)(void *), void *context) {
  sk__runtime *runtime = NULL;
  sk__stream *on = NULL;
  aclError error = sk__runtime_ready(&runtime);
  if (error == ACL_SUCCESS) error = sk__stream_resolve(runtime, stream, &on);
  if (error != ACL_SUCCESS) return error;
  if (fn == NULL) return sk__fail(ACL_ERROR_INVALID_PARAM, "a host callback is NULL");
  sk__task *task = sk__task_new(runtime, SK__TASK_HOST_FUNC, on);
  if (task == NULL) return sk__fail(ACL_ERROR_BAD_ALLOC, "no host memory for a task");
  task->host_func = fn;
  task->host_context = context;
  return sk__task_submit(runtime, task);
}

aclError aclrtLaunchCallback(aclrtCallback fn, void *userData, aclrtCallbackBlockType blockType, aclrtStream stream) {
  (void)blockType; /* later tasks of the stream always run after it */
  return submit_host_func(stream, fn, userData);
}

aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void *args) {
  return submit_host_func(stream, fn, args);
}
