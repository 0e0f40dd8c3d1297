/* stream.c - streams, host callbacks and waiting. Waiting for anything runs everything that is pending. */
#include <stdlib.h>

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

aclError sk__stream_ready(aclrtStream handle, sk__runtime **runtime, sk__stream **out) {
  aclError error = sk__runtime_ready(runtime);
  return error == ACL_SUCCESS ? sk__stream_resolve(*runtime, handle, out) : error;
}

void sk__stream_unref(sk__stream *stream) {
  if (--stream->references > 0) return;
  sk__stream_set_order(stream, NULL);
  free(stream);
}

sk__snapshot *sk__stream_order(sk__stream *stream) { return stream->order; }

void sk__stream_set_order(sk__stream *stream, sk__snapshot *order) {
  if (stream->order != NULL) sk__snapshot_unref(stream->order);
  stream->order = order;
  stream->order_is_news = true;
}

sk_status sk__stream_join(sk__runtime *runtime, sk__stream *stream, const sk__snapshot *order) {
  if (order == NULL) return SK_OK;
  sk__snapshot *joined = sk__snapshot_new(sk__machine_checker(runtime->machine), stream->order);
  if (joined == NULL) return SK_OUT_OF_MEMORY;
  sk__snapshot_join(joined, order);
  sk__stream_set_order(stream, joined);
  return SK_OK;
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
  sk_status status = sk__run_what_can(runtime, false, true);
  if (runtime->running) return status;
  while (is_held(runtime, stream, event)) {
    bool others = sk__others_came(runtime);
    sk_status more = sk__run_what_can(runtime, !others, true);
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

aclError sk__finish_pending(sk__runtime *runtime) { return told(runtime, sk__run_what_can(runtime, false, false)); }

void sk__run_pending(sk__runtime *runtime) {
  sk_status status = sk__run_what_can(runtime, false, false);
  if (runtime->device_error == SK_OK) runtime->device_error = status;
}

/* ---- streams --------------------------------------------------------------------------------- */

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
  aclError error = sk__stream_ready(stream, &runtime, &gone);
  if (error != ACL_SUCCESS) return error;
  if (gone->is_default) return sk__fail(ACL_ERROR_INVALID_PARAM, "aclrtDestroyStream: the default stream stays");
  if (gone->capturing != NULL)
    return sk__fail(ACL_ERROR_RT_STREAM_CAPTURED, "aclrtDestroyStream: the stream is being captured");
  error = sk__synchronize(runtime, gone, NULL);
  sk__stream **at = &runtime->streams;
  while (*at != gone) at = &(*at)->next;
  *at = gone->next;
  sk__streams_order_forget(runtime);
  sk__stream_unref(gone);
  return error;
}

aclError aclrtDestroyStreamForce(aclrtStream stream) { return aclrtDestroyStream(stream); }

static aclError wait_for_stream(aclrtStream stream) {
  sk__runtime *runtime = NULL;
  sk__stream *which = NULL;
  aclError error = sk__stream_ready(stream, &runtime, &which);
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

/* ---- host callbacks -------------------------------------------------------------------------- */

static aclError submit_host_func(aclrtStream stream, void (*fn)(void *), void *context) {
  sk__runtime *runtime = NULL;
  sk__stream *on = NULL;
  aclError error = sk__stream_ready(stream, &runtime, &on);
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
