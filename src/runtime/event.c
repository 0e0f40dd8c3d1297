/* event.c - events: records that streams and the host wait for. */
#include <stdlib.h>

#include "runtime/internal.h"

#define EVENT_FLAGS (ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE)

static aclError resolve_event(sk__runtime *runtime, aclrtEvent handle, sk__event **out) {
  for (sk__event *event = runtime->events; event != NULL; event = event->next)
    if (event == handle) {
      *out = event;
      return ACL_SUCCESS;
    }
  return sk__fail(ACL_ERROR_RT_INVALID_HANDLE, "%p is no live event", handle);
}

static aclError event_ready(aclrtEvent handle, sk__runtime **runtime, sk__event **out) {
  aclError error = sk__runtime_ready(runtime);
  return error == ACL_SUCCESS ? resolve_event(*runtime, handle, out) : error;
}

sk__event *sk__event_new(void) {
  sk__event *event = calloc(1, sizeof *event);
  if (event == NULL) return NULL;
  event->references = 1;
  event->flags = ACL_EVENT_SYNC;
  return event;
}

void sk__event_unref(sk__event *event) {
  if (--event->references > 0) return;
  if (event->order != NULL) sk__snapshot_unref(event->order);
  free(event);
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
  sk__event *made = sk__event_new();
  if (made == NULL) return sk__fail(ACL_ERROR_BAD_ALLOC, "no host memory for an event");
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
  aclError error = event_ready(event, &runtime, &gone);
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
  aclError error = event_ready(event, &runtime, found);
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
  aclError error = event_ready(event, &runtime, &found);
  if (error == ACL_SUCCESS) error = sk__stream_resolve(runtime, stream, &on);
  if (error != ACL_SUCCESS) return error;
  if ((found->flags & ACL_EVENT_SYNC) == 0)
    return sk__fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtStreamWaitEvent: the event was made without ACL_EVENT_SYNC (0x1)");
  if (is_captured(found) && on->is_default)
    return sk__fail(ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT, "aclrtStreamWaitEvent: the wait would draw the default stream into a capture");
  /* A wait on an event of a capture draws its stream into that capture. */
  if (is_captured(found) && on->capturing == NULL)
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
  aclError error = event_ready(event, &runtime, &found);
  if (error == ACL_SUCCESS) error = refuse_captured(found, "aclrtSynchronizeEvent");
  if (error == ACL_SUCCESS && sk__event_is_blocked(runtime, found)) sk__report_waits_for_itself(runtime, "aclrtSynchronizeEvent", "an event that comes behind it");
  return error != ACL_SUCCESS ? error : sk__synchronize(runtime, NULL, found);
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus *status) {
  SK__GUARD;
  sk__runtime *runtime = NULL;
  sk__event *found = NULL;
  aclError error = event_ready(event, &runtime, &found);
  if (error != ACL_SUCCESS) return error;
  if (status == NULL) return sk__fail(ACL_ERROR_INVALID_PARAM, "aclrtQueryEventStatus: status is NULL");
  error = refuse_captured(found, "aclrtQueryEventStatus");
  if (error != ACL_SUCCESS) return error;
  /* A program that polls waits: what it polls for must come. */
  if (!found->complete && sk__event_is_blocked(runtime, found)) sk__report_waits_for_itself(runtime, "aclrtQueryEventStatus", "an event that comes behind it");
  if (found->recorded && !found->complete) sk__run_pending(runtime);
  *status = found->recorded && !found->complete ? ACL_EVENT_RECORDED_STATUS_NOT_READY
                                                : ACL_EVENT_RECORDED_STATUS_COMPLETE;
  if (*status == ACL_EVENT_RECORDED_STATUS_COMPLETE) sk__runtime_join_streams(runtime); /* and has waited */
  return ACL_SUCCESS;
}

aclError aclrtEventElapsedTime(float *ms, aclrtEvent start, aclrtEvent end) {
  SK__GUARD;
  sk__runtime *runtime = NULL;
  sk__event *from = NULL, *to = NULL;
  aclError error = event_ready(start, &runtime, &from);
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
