/* blocked.c - what cannot come to pass while a host callback runs: its stream waits for it to return, and so does whatever
 * waits for an event that is recorded behind it. A callback that waits for one of these waits for itself. */
#include "base/vec.h"
#include "runtime/internal.h"

typedef SK__VEC(const void *) set; /* streams or events */

static bool has(const set *in, const void *item) {
  for (size_t i = 0; i < in->count; i++)
    if (in->items[i] == item) return true;
  return false;
}

static bool put(set *in, const void *item) { return has(in, item) || sk__vec_push(in, item); }

static void take(set *from, const void *item) {
  for (size_t i = 0; i < from->count; i++)
    if (from->items[i] == item) from->items[i--] = from->items[--from->count];
}

typedef struct blocked { set streams, events; } blocked;

/* One task that was queued behind the callback; false on no memory. */
static bool follow(blocked *b, const sk__task *task) {
  bool held = has(&b->streams, task->stream);
  if (task->kind == SK__TASK_EVENT_WAIT && has(&b->events, task->event)) return put(&b->streams, task->stream);
  if (task->kind != SK__TASK_EVENT_RECORD) return true;
  if (held) return put(&b->events, task->event);
  take(&b->events, task->event);
  return true;
}

static bool follow_list(blocked *b, const sk__task_list *tasks, size_t from) {
  for (size_t i = from; i < tasks->count; i++)
    if (!follow(b, tasks->items[i])) return false;
  return true;
}

/* Streams and events that wait for the callback; on no memory none more. */
static void find(const sk__runtime *runtime, blocked *out) {
  const sk__task_list *batch = runtime->batch;
  size_t at = 0;
  if (!put(&out->streams, runtime->callback->stream)) return;
  while (at < batch->count && batch->items[at] != runtime->callback) at++;
  if (follow_list(out, batch, at + 1)) (void)follow_list(out, &runtime->pending, 0);
}

static bool is_blocked(const sk__runtime *runtime, const sk__stream *stream, const sk__event *event) {
  if (runtime->callback == NULL) return false;
  blocked b = {{NULL, 0, 0}, {NULL, 0, 0}};
  find(runtime, &b);
  bool found = stream != NULL ? has(&b.streams, stream) : has(&b.events, event);
  sk__vec_free(&b.streams);
  sk__vec_free(&b.events);
  return found;
}

bool sk__stream_is_blocked(const sk__runtime *runtime, const sk__stream *stream) { return is_blocked(runtime, stream, NULL); }
bool sk__event_is_blocked(const sk__runtime *runtime, const sk__event *event) { return is_blocked(runtime, NULL, event); }
