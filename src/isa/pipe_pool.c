/* pipe_pool.c - TBufPool: buffers in a part of the pipe's memory, which pools may share. */
#include <stdio.h>

#include "isa/pipe.h"

bool sk_pipe_init_pool(sk_pipe *pipe, sk_pool *parent, sk_pool *pool, const sk_pool *shared, uint32_t memory, uint32_t bytes) {
  sk__core *core = sk__pipe_enter("InitBufPool", SK__SITE());
  sk__pipe_must_live(core, pipe);
  uint32_t size = sk__pipe_round_up(bytes);
  if (shared != NULL && size > shared->bytes)
    sk__pipe_fatal(core, "LOCAL_OUT_OF_BOUNDS", "make the shared pool the larger one", "the pool is larger than the one whose memory it shares");
  uint64_t address = shared != NULL ? shared->address : sk__pipe_take_memory(core, pipe, parent, memory, size);
  *pool = (sk_pool){.pipe = pipe, .address = address, .bytes = shared != NULL ? shared->bytes : size, .memory = (uint8_t)memory,
                    .limit = pool->limit};
  return true;
}

/* Waits until what used its buffers is done, so that another pool may have the memory. */
void sk_pool_reset(sk_pool *pool) {
  if (sk__self == NULL || pool->pipe == NULL || sk__framework_of(sk__self)->pipe != pool->pipe) return; /* the pipe has ended */
  sk__core *core = sk__pipe_enter("TBufPool::Reset", SK__SITE());
  sk__pipe_judge_leaks(core, pool->pipe, pool);
  sk__pipe_wait_free_events(core, pool->pipe, pool);
  for (uint32_t i = 0; i < pool->pipe->buffer_count; i++)
    if (pool->pipe->buffers[i].pool == pool) {
      sk__buffer_end_release(core, pool->pipe, &pool->pipe->buffers[i]);
      pool->pipe->buffers[i].retired = 1;
    }
  pool->used_bytes = 0;
  pool->count = 0;
}

void sk_pool_slot_at(sk_pool_slot *slots, sk_pool *pool, uint32_t index) {
  sk__core *core = sk__pipe_enter("GetBufHandle", SK__SITE());
  if (index >= pool->limit) {
    sk__bad_argument(core, "the number of the buffer", index, "0..%u", pool->limit - 1u);
    sk__core_abort(core, SK_FAULT);
  }
  slots[index] = (sk_pool_slot){pool, index};
}
void sk_pool_place_queue(const sk_pool_slot *slot, sk_queue *queue, uint32_t count) {
  sk__core *core = sk__pipe_enter("InitStartBufHandle", SK__SITE());
  sk_pool *pool = slot->pool;
  sk__pipe_must_live(core, pool->pipe);
  sk__queue_begin(core, queue, pool->pipe, count);
  sk_buffer like = {.memory = queue->memory, .queued = 1, .state = SK_BUFFER_UNPLACED, .free_kind = queue->free_kind};
  uint8_t kept = pool->count; /* the kernel counts itself */
  pool->count = (uint8_t)slot->index;
  queue->first = (uint8_t)sk__pipe_add_buffers(core, pool->pipe, pool, count, &like);
  pool->count = kept;
}
static sk_memory place_in_pool(sk__core *core, const sk_pool *pool, uint32_t offset_bytes, uint32_t bytes) {
  sk__pipe_must_live(core, pool->pipe);
  sk__local_place where = sk__pipe_place_of(core, pool->memory);
  uint32_t size = sk__pipe_round_up(bytes), start = (uint32_t)(pool->address - where.address);
  if (offset_bytes < start || (uint64_t)offset_bytes + size > (uint64_t)start + pool->bytes) {
    char text[120];
    snprintf(text, sizeof text, "%u bytes at %u are not inside the pool, which has %u at %u", size, offset_bytes, pool->bytes, start);
    sk__pipe_fatal(core, "LOCAL_OUT_OF_BOUNDS", "place buffers between the pool's start and its end", text);
  }
  if (offset_bytes % SK__BLOCK_BYTES != 0) {
    sk__bad_argument(core, "the buffer's address", offset_bytes, "multiples of %u", SK__BLOCK_BYTES);
    sk__core_abort(core, SK_FAULT);
  }
  sk__pipe_hand_out(core, pool->pipe, where.address + offset_bytes, size);
  return (sk_memory){where.address + offset_bytes, size};
}
sk_memory sk_pool_place(const sk_pool *pool, uint32_t offset_bytes, uint32_t bytes) {
  return place_in_pool(sk__pipe_enter("InitBufHandle", SK__SITE()), pool, offset_bytes, bytes);
}
void sk_pool_place_buffer(const sk_pool *pool, sk_queue *queue, uint32_t index, uint32_t offset_bytes, uint32_t bytes) {
  sk__core *core = sk__pipe_enter("InitBufHandle", SK__SITE());
  if (queue->pipe == NULL) sk__pipe_fatal(core, "QUEUE_STATE", "call InitStartBufHandle for the queue first", "the queue has no buffers to place");
  if (index >= queue->count) {
    sk__bad_argument(core, "the number of the buffer", index, "0..%u", queue->count - 1u);
    sk__core_abort(core, SK_FAULT);
  }
  sk_memory memory = place_in_pool(core, pool, offset_bytes, bytes);
  sk_buffer *buffer = &queue->pipe->buffers[queue->first + index];
  sk__buffer_end_release(core, queue->pipe, buffer);
  buffer->address = memory.address;
  buffer->bytes = (uint32_t)memory.bytes;
  buffer->state = SK_BUFFER_FREE;
  sk__buffer_note(core, queue->pipe, buffer);
}
