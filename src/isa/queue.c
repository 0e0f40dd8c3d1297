/* queue.c - TQue: states of its buffers, events, and what is found when it is misused.
 *
 * A queue's order is kept by two event kinds: E, set by EnQue and waited for by DeQue, says that the data
 * has arrived; F, set by FreeTensor and waited for by the next AllocTensor of the same buffer, says that
 * it may be overwritten. */
#include <stdio.h>

#include "isa/pipe.h"

static sk_buffer *buffer_of(const sk_queue *queue, uint32_t index) { return &queue->pipe->buffers[queue->first + index]; }

static void queue_must_be_ready(sk__core *core, const sk_queue *queue) {
  if (queue->pipe == NULL) sk__pipe_fatal(core, "QUEUE_STATE", "call InitBuffer for the queue first", "the queue has no buffers: InitBuffer was not called");
  sk__pipe_must_be_there(core, queue->pipe);
}

SK__COLD static _Noreturn void none_is_free(sk__core *core, const sk_queue *queue) {
  for (uint32_t i = 0; i < queue->count; i++)
    if (buffer_of(queue, i)->state == SK_BUFFER_UNPLACED)
      sk__pipe_fatal(core, "QUEUE_STATE", "call InitBufHandle for each buffer of the queue", "a buffer of the queue has no memory: InitBufHandle was not called");
  char text[120];
  snprintf(text, sizeof text, "all %u buffers of the queue are in use: none has been freed", queue->count);
  sk__pipe_fatal(core, "QUEUE_STATE", "free a tensor before allocating the next one, or give InitBuffer more buffers", text);
}

sk_memory sk_queue_alloc(sk_queue *queue) {
  sk__core *core = sk__pipe_enter("AllocTensor", SK__SITE());
  queue_must_be_ready(core, queue);
  for (uint32_t tried = 0; tried < queue->count; tried++) {
    sk_buffer *buffer = buffer_of(queue, queue->cursor);
    queue->cursor = (uint8_t)(queue->cursor + 1 == queue->count ? 0 : queue->cursor + 1);
    if (queue->inert) return (sk_memory){buffer->address, buffer->bytes};
    if (!sk__buffer_is_free(buffer)) continue;
    if (buffer->free_event >= 0) sk__pipe_wait_event(core, queue->pipe, queue->free_kind, buffer->free_event);
    buffer->free_event = -1;
    bool shared = buffer->pool != NULL || buffer->own_place;
    if (shared) sk__pipe_hand_out(core, queue->pipe, buffer->address, buffer->bytes);
    else sk__buffer_end_release(core, queue->pipe, buffer);
    buffer->state = SK_BUFFER_ALLOCATED;
    queue->allocated++;
    return (sk_memory){buffer->address, buffer->bytes};
  }
  none_is_free(core, queue);
}

/* The buffer of this queue that holds the address; -1 if there is none. */
static int find_buffer(const sk_queue *queue, uint64_t address) {
  for (uint32_t i = 0; i < queue->count; i++) {
    const sk_buffer *buffer = buffer_of(queue, i);
    if (address - buffer->address < buffer->bytes || address == buffer->address) return (int)i;
  }
  return -1;
}

static const char *const state_text[] = {"free", "allocated", "enqueued", "dequeued", "without memory", "free"};

SK__COLD static void tell_not_allocated(sk__core *core, const sk_buffer *buffer) {
  char text[80];
  snprintf(text, sizeof text, "the tensor's buffer is %s, not allocated", state_text[buffer->state]);
  sk__pipe_misuse(core, "QUEUE_STATE", "enqueue a tensor once, between AllocTensor and DeQue", text);
}
SK__COLD static void tell_full(sk__core *core, const sk_queue *queue, uint32_t depth) {
  char text[80];
  snprintf(text, sizeof text, "the queue holds %u tensors already, its depth is %u", queue->waiting, depth);
  sk__pipe_misuse(core, "QUEUE_STATE", "dequeue before enqueuing more, or declare a greater depth", text);
}

bool sk_queue_enque(sk_queue *queue, uint64_t address) {
  sk__core *core = sk__pipe_enter("EnQue", SK__SITE());
  queue_must_be_ready(core, queue);
  if (queue->inert) return true;
  int index = find_buffer(queue, address);
  if (index < 0) {
    sk__pipe_misuse(core, "QUEUE_STATE", "enqueue a tensor into the queue whose AllocTensor gave it", "the tensor is not a buffer of this queue");
    return false;
  }
  sk_buffer *buffer = buffer_of(queue, (uint32_t)index);
  if (buffer->state != SK_BUFFER_ALLOCATED && buffer->state != SK_BUFFER_DEQUEUED) {
    tell_not_allocated(core, buffer);
    return false;
  }
  uint32_t depth = queue->depth == 0 ? 1 : queue->depth;
  if (queue->waiting >= depth || queue->waiting >= SK_MAX_QUEUE_BUFFERS) {
    tell_full(core, queue, depth);
    if (queue->waiting >= SK_MAX_QUEUE_BUFFERS) return false;
  }
  if (!queue->silent) buffer->enque_event = sk__pipe_set_event(core, queue->pipe, queue->enque_kind);
  buffer->state = SK_BUFFER_ENQUEUED;
  queue->fifo[(queue->head + queue->waiting++) % SK_MAX_QUEUE_BUFFERS] = (uint8_t)index;
  return true;
}

sk_memory sk_queue_deque(sk_queue *queue) {
  sk__core *core = sk__pipe_enter("DeQue", SK__SITE());
  queue_must_be_ready(core, queue);
  if (queue->inert) return (sk_memory){buffer_of(queue, 0)->address, buffer_of(queue, 0)->bytes};
  if (queue->waiting == 0) sk__pipe_fatal(core, "QUEUE_STATE", "enqueue a tensor before it is dequeued", "the queue is empty");
  sk_buffer *buffer = buffer_of(queue, queue->fifo[queue->head]);
  queue->head = (uint8_t)((queue->head + 1) % SK_MAX_QUEUE_BUFFERS);
  queue->waiting--;
  if (!queue->silent) sk__pipe_wait_event(core, queue->pipe, queue->enque_kind, buffer->enque_event);
  buffer->enque_event = -1;
  buffer->state = SK_BUFFER_DEQUEUED;
  return (sk_memory){buffer->address, buffer->bytes};
}

void sk_queue_free(sk_queue *queue, uint64_t address) {
  sk__core *core = sk__pipe_enter("FreeTensor", SK__SITE());
  queue_must_be_ready(core, queue);
  if (queue->inert) return;
  int index = find_buffer(queue, address);
  if (index < 0) {
    sk__pipe_misuse(core, "QUEUE_STATE", "free a tensor on the queue whose AllocTensor gave it", "the tensor is not a buffer of this queue");
    return;
  }
  sk_buffer *buffer = buffer_of(queue, (uint32_t)index);
  if (sk__buffer_is_free(buffer)) {
    sk__pipe_misuse(core, "QUEUE_DOUBLE_FREE", "free each tensor once", "the tensor's buffer is free already");
    return;
  }
  if (buffer->state == SK_BUFFER_ENQUEUED) {
    sk__pipe_misuse(core, "QUEUE_STATE", "dequeue a tensor before it is freed", "the tensor's buffer is still enqueued");
    return;
  }
  if (!queue->silent) buffer->free_event = sk__pipe_set_event(core, queue->pipe, queue->free_kind);
  buffer->free_kind = queue->free_kind;
  buffer->state = SK_BUFFER_RELEASED;
  buffer->released_at = core->site;
  if (!queue->silent) sk__released_note(core, queue->pipe, buffer);
  queue->allocated--;
}

void sk_queue_free_events(sk_queue *queue) {
  sk__core *core = sk__pipe_enter("FreeAllEvent", SK__SITE());
  queue_must_be_ready(core, queue);
  for (uint32_t i = 0; i < queue->count; i++) {
    sk_buffer *buffer = buffer_of(queue, i);
    if (buffer->free_event < 0) continue;
    sk__pipe_wait_event(core, queue->pipe, queue->free_kind, buffer->free_event);
    buffer->free_event = -1;
  }
}

bool sk_queue_vacant(const sk_queue *queue) { return queue->waiting < (queue->depth == 0 ? 1 : queue->depth); }
bool sk_queue_idle(const sk_queue *queue) { return queue->allocated < queue->count; }
