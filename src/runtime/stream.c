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

void sk__stream_unref(sk__stream *stream) {
  if (--stream->references > 0) return;
  sk__stream_set_order(stream, NULL);
  free(stream);
}

void sk__event_unref(sk__event *event) {
  if (--event->references > 0) return;
  if (event->order != NULL) sk__snapshot_unref(event->order);
  free(event);
}

sk__snapshot *sk__stream_order(sk__stream *stream) { return stream->order; }

void sk__stream_set_order(sk__stream *stream, sk__snapshot *order) {
  if (stream->order != NULL) sk__snapshot_unref(stream->order);
  stream->order = order;
}

void sk__stream_add_cycles(sk__stream *stream, uint64_t cycles) { stream->cycles += cycles; }

/* Does what the host waits for stand behind a wait for a value? */
static bool is_held(const sk__runtime *runtime, const sk__stream *stream, const sk__event *event) {
  for (size_t i = 0; i < runtime->pending.count; i++) {
    const sk__task *task = runtime->pending.items[i];
    if (stream == NULL && event == NULL) return true;
    if (stream != NULL ? task->stream == stream : task->kind == SK__TASK_EVENT_RECORD && task->event == event) return true;
  }
  return false;
}

/* Nothing that is queued brings the values. Other threads of the program may; else it hangs, and what hangs goes. */
static sk_status settle(sk__runtime *runtime, const sk__stream *stream, const sk__event *event) {
  sk_status status = sk__run_what_can(runtime, false);
  if (runtime->running) return status;
  while (is_held(runtime, stream, event)) {
    bool others = sk__others_came(runtime);
    sk_status more = sk__run_what_can(runtime, !others);
    if (status == SK_OK) status = more;
    if (!others) break;
  }
  if (!is_held(runtime, stream, event)) return status;
  sk__report_held(runtime, runtime->pending.items, runtime->pending.count, NULL);
  sk__task_list_clear(&runtime->pending);
  return status == SK_OK ? SK_DEADLOCK : status;
}

sk_status sk__runtime_flush(sk__runtime *runtime) {
  SK__GUARD;
  return settle(runtime, NULL, NULL);
}

static aclError told(sk__runtime *runtime, sk_status status) {
  runtime->device_error = SK_OK;
  if (status == SK_OK) return ACL_SUCCESS;
  aclError error = sk__acl_of_status(status, runtime->device_error_core);
  return sk__fail(error, "%s (%s); the findings say why", sk__acl_error_text(error), sk_status_text(status));
}

aclError sk__synchronize(sk__runtime *runtime, const sk__stream *stream, const sk__event *event) {
  SK__GUARD;
  return told(runtime, settle(runtime, stream, event));
}

aclError sk__finish_pending(sk__runtime *runtime) { return told(runtime, sk__run_what_can(runtime, false)); }

void sk__run_pending(sk__runtime *runtime) {
  sk_status status = sk__run_what_can(runtime, false);
  if (runtime->device_error == SK_OK) runtime->device_error = status;
}

/* ---- streams ---- */

aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag) {
  SK__GUARD;
  (void)priority; /* no preemption is modelled; the order of streams is the schedule's */
  sk__runtime *runtime = NULL;
  aclError error = sk__runtime_ready(&runtime);
  if (error != ACL_SUCCESS) return error;
  if (stream == NULL) return sk__fail(ACL_ERROR_INVALID_PARAM, "aclrtCreateStream: stream is NULL");
  if (flag > 0x3f) return sk__fail(ACL_ERROR_INVALID_PARAM, "aclrtCreateStream: flag 0x%x; legal bits: 0x3f", flag);
  sk__stream *made = calloc(1, sizeof *made);
  if (made == NULL) return sk__fail(ACL_ERROR_BAD_ALLOC, "no host memory for a stream");
  made->references = 1;
  made->index = runtime->next_stream_index++;
  made->next = runtime->streams;
  runtime->streams = made;
  *stream = made;
  return ACL_SUCCESS;
}

aclError aclrtCreateStream(aclrtStream *stream) { return aclrtCreateStreamWithConfig(stream, 0, 0); }

aclError aclrtDestroyStream(aclrtStream stream) {
  SK__GUARD;
  sk__runtime *runtime = NULL;
  sk__stream *gone = NULL;
  aclError error = sk__runtime_ready(&runtime);
  if (error == ACL_SUCCESS) error = sk__stream_resolve(runtime, stream, &gone);
  if (error != ACL_SUCCESS) return error;
  if (gone->is_default) return sk__fail(ACL_ERROR_INVALID_PARAM, "aclrtDestroyStream: the default stream stays");
  if (gone->capturing != NULL)
    return sk__fail(ACL_ERROR_RT_STREAM_CAPTURED, "aclrtDestroyStream: the stream is being captured");
  error = sk__synchronize(runtime, gone, NULL);
  sk__stream **at = &runtime->streams;
  while (*at != gone) at = &(*at)->next;
  *at = gone->next;
  sk__stream_unref(gone);
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
  if (sk__stream_is_blocked(runtime, which)) sk__report_waits_for_itself(runtime, "aclrtSynchronizeStream", which == runtime->callback->stream ? "its own stream" : "a stream that waits for it");
  return sk__synchronize(runtime, which, NULL);
}

aclError aclrtSynchronizeStream(aclrtStream stream) { return wait_for_stream(stream); }

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeoutMs) {
  SK__GUARD;
  if (timeoutMs < -1) return sk__fail(ACL_ERROR_INVALID_PARAM, "timeout %d ms; legal: -1 (for ever) and above", timeoutMs);
  return wait_for_stream(stream); /* a hang is found at once, so the limit never passes */
}

aclError aclrtSynchronizeDevice(void) {
  SK__GUARD;
  sk__runtime *runtime = NULL;
  aclError error = sk__runtime_ready(&runtime);
  if (error == ACL_SUCCESS && runtime->callback != NULL) sk__report_waits_for_itself(runtime, "aclrtSynchronizeDevice", "the device");
  return error != ACL_SUCCESS ? error : sk__synchronize(runtime, NULL, NULL);
}

/* ---- events ---- */

#define EVENT_FLAGS (ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE)

sk__event *sk__event_new(void) {
  sk__event *event = calloc(1, sizeof *event);
  if (event == NULL) return NULL;
  event->references = 1;
  event->flags = ACL_EVENT_SYNC;
  return event;
}

sk__snapshot *sk__event_order(const sk__event *event) { return event->order; }

void sk__event_record(sk__event *event, const sk__stream *stream, sk__snapshot *order) {
  if (event->order != NULL) sk__snapshot_unref(event->order);
  event->order = order != NULL ? sk__snapshot_ref(order) : NULL;
  event->cycles = stream->cycles;
  event->complete = true;
}

static bool is_captured(const sk__event *event) { return event->recorded_in != NULL && event->recorded_in->active; }

/* The host cannot wait for a record that a capture holds: it never runs by itself. */
static aclError refuse_captured(const sk__event *event, const char *call) {
  if (!is_captured(event)) return ACL_SUCCESS;
  return sk__fail(ACL_ERROR_RT_EVENT_CAPTURED, "%s: the event was recorded in a capture that has not ended", call);
}

aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag) {
  SK__GUARD;
  sk__runtime *runtime = NULL;
  aclError error = sk__runtime_ready(&runtime);
  if (error != ACL_SUCCESS) return error;
  if (event == NULL) return sk__fail(ACL_ERROR_INVALID_PARAM, "aclrtCreateEvent: event is NULL");
  if ((flag & ~EVENT_FLAGS) != 0)
    return sk__fail(ACL_ERROR_INVALID_PARAM, "aclrtCreateEvent: flag 0x%x; legal bits: 0x%x", flag, EVENT_FLAGS);
  sk__event *made = calloc(1, sizeof *made);
  if (made == NULL) return sk__fail(ACL_ERROR_BAD_ALLOC, "no host memory for an event");
  made->references = 1;
  made->flags = flag;
  made->next = runtime->events;
  runtime->events = made;
  *event = made;
  return ACL_SUCCESS;
}

aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag) { return aclrtCreateEventExWithFlag(event, flag); }

aclError aclrtCreateEvent(aclrtEvent *event) {
  SK__GUARD;
  return aclrtCreateEventExWithFlag(event, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE);
}

aclError aclrtDestroyEvent(aclrtEvent event) {
  SK__GUARD;
  sk__runtime *runtime = NULL;
  sk__event *gone = NULL;
  aclError error = sk__runtime_ready(&runtime);
  if (error == ACL_SUCCESS) error = resolve_event(runtime, event, &gone);
  if (error != ACL_SUCCESS) return error;
  error = sk__finish_pending(runtime); /* what cannot run yet keeps it alive */
  sk__event **at = &runtime->events;
  while (*at != gone) at = &(*at)->next;
  *at = gone->next;
  sk__event_unref(gone);
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
  sk__task_set_event(task, *found);
  return sk__task_submit(runtime, task);
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
  SK__GUARD;
  sk__event *found = NULL;
  sk__stream *on = NULL;
  aclError error = submit_event(event, stream, SK__TASK_EVENT_RECORD, &found, &on);
  if (error != ACL_SUCCESS) return error;
  found->recorded = true;
  found->complete = false;
  found->recorded_in = on->capturing;
  found->waited_in = found->reset_in = false;
  return ACL_SUCCESS;
}

/* The latest record is a captured model's, in which somebody waits for it and nobody resets it. */
static bool is_replayed_without_reset(const sk__event *event) {
  return event->recorded_in != NULL && !event->recorded_in->active && event->waited_in && !event->reset_in;
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream) {
  SK__GUARD;
  sk__event *found = NULL;
  sk__stream *on = NULL;
  aclError error = submit_event(event, stream, SK__TASK_EVENT_RESET, &found, &on);
  if (error != ACL_SUCCESS) return error;
  if (on->capturing != NULL && on->capturing == found->recorded_in) found->reset_in = true;
  else if (on->capturing == NULL && is_replayed_without_reset(found)) sk__report_outside_reset(sk__runtime_get(), found->recorded_in);
  return ACL_SUCCESS;
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
  SK__GUARD;
  sk__runtime *runtime = NULL;
  sk__event *found = NULL;
  sk__stream *on = NULL;
  aclError error = sk__runtime_ready(&runtime);
  if (error == ACL_SUCCESS) error = resolve_event(runtime, event, &found);
  if (error == ACL_SUCCESS) error = sk__stream_resolve(runtime, stream, &on);
  if (error != ACL_SUCCESS) return error;
  if ((found->flags & ACL_EVENT_SYNC) == 0)
    return sk__fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtStreamWaitEvent: the event was made without ACL_EVENT_SYNC (0x1)");
  if (is_captured(found) && on->is_default)
    return sk__fail(ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT, "aclrtStreamWaitEvent: the wait would draw the default stream into a capture");
  /* A wait on an event of a capture draws its stream into that capture. */
  if (found->recorded_in != NULL && found->recorded_in->active && on->capturing == NULL)
    on->capturing = found->recorded_in;
  else if (on->capturing != NULL && found->recorded_in != on->capturing)
    return sk__fail(found->recorded_in == NULL ? ACL_ERROR_RT_CAPTURE_DEPENDENCY : ACL_ERROR_STREAM_CAPTURE_CONFLICT,
                    "a captured wait needs an event that was recorded in the same capture");
  error = submit_event(event, stream, SK__TASK_EVENT_WAIT, &found, &on);
  if (error == ACL_SUCCESS && on->capturing != NULL) found->waited_in = true;
  return error;
}

aclError aclrtSynchronizeEvent(aclrtEvent event) {
  SK__GUARD;
  sk__runtime *runtime = NULL;
  sk__event *found = NULL;
  aclError error = sk__runtime_ready(&runtime);
  if (error == ACL_SUCCESS) error = resolve_event(runtime, event, &found);
  if (error == ACL_SUCCESS) error = refuse_captured(found, "aclrtSynchronizeEvent");
  if (error == ACL_SUCCESS && sk__event_is_blocked(runtime, found)) sk__report_waits_for_itself(runtime, "aclrtSynchronizeEvent", "an event that comes behind it");
  return error != ACL_SUCCESS ? error : sk__synchronize(runtime, NULL, found);
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus *status) {
  SK__GUARD;
  sk__runtime *runtime = NULL;
  sk__event *found = NULL;
  aclError error = sk__runtime_ready(&runtime);
  if (error == ACL_SUCCESS) error = resolve_event(runtime, event, &found);
  if (error != ACL_SUCCESS) return error;
  if (status == NULL) return sk__fail(ACL_ERROR_INVALID_PARAM, "aclrtQueryEventStatus: status is NULL");
  error = refuse_captured(found, "aclrtQueryEventStatus");
  if (error != ACL_SUCCESS) return error;
  /* A program that polls waits: what it polls for must come. */
  if (!found->complete && sk__event_is_blocked(runtime, found)) sk__report_waits_for_itself(runtime, "aclrtQueryEventStatus", "an event that comes behind it");
  if (found->recorded && !found->complete) sk__run_pending(runtime);
  *status = found->recorded && !found->complete ? ACL_EVENT_RECORDED_STATUS_NOT_READY
                                                : ACL_EVENT_RECORDED_STATUS_COMPLETE;
  return ACL_SUCCESS;
}

aclError aclrtEventElapsedTime(float *ms, aclrtEvent start, aclrtEvent end) {
  SK__GUARD;
  sk__runtime *runtime = NULL;
  sk__event *from = NULL, *to = NULL;
  aclError error = sk__runtime_ready(&runtime);
  if (error == ACL_SUCCESS) error = resolve_event(runtime, start, &from);
  if (error == ACL_SUCCESS) error = resolve_event(runtime, end, &to);
  if (error != ACL_SUCCESS) return error;
  if (ms == NULL) return sk__fail(ACL_ERROR_INVALID_PARAM, "aclrtEventElapsedTime: ms is NULL");
  if ((from->flags & to->flags & ACL_EVENT_TIME_LINE) == 0)
    return sk__fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtEventElapsedTime: an event was made without ACL_EVENT_TIME_LINE (0x8)");
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
  SK__GUARD;
  (void)blockType; /* later tasks of the stream always run after it */
  return submit_host_func(stream, fn, userData);
}

aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void *args) {
  SK__GUARD;
  return submit_host_func(stream, fn, args);
}
