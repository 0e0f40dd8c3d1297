/* pipe_buffer.c - memory of a TPipe: its buffers' records and places, those of queues and of TBuf. */
#include <stdio.h>

#include "isa/pipe.h"

void sk__pipe_hand_out(sk__core *core, sk_pipe *pipe, uint64_t address, uint64_t bytes) {
  for (uint32_t i = 0; i < pipe->buffer_count; i++) {
    sk_buffer *buffer = &pipe->buffers[i];
    if (buffer->address < address + bytes && address < buffer->address + buffer->bytes) sk__buffer_end_release(core, pipe, buffer);
  }
}

uint64_t sk__pipe_take_memory(sk__core *core, sk_pipe *pipe, sk_pool *pool, uint32_t memory, uint64_t bytes) {
  sk__local_place where = sk__pipe_place_of(core, memory);
  bool absent = where.bytes == 0; /* a mix kernel's other half: addresses nobody uses */
  uint32_t *used = pool != NULL ? &pool->used_bytes : &pipe->used_bytes[memory];
  uint32_t capacity = pool != NULL ? pool->bytes : absent ? UINT32_MAX : where.bytes;
  if (bytes > capacity - *used) {
    char text[160];
    snprintf(text, sizeof text, "%llu more bytes do not fit into %s: %u of %u bytes are taken", (unsigned long long)bytes,
             pool != NULL ? "the pool" : sk__mem_name((sk__mem)memory), *used, capacity);
    sk__pipe_fatal(core, "LOCAL_OUT_OF_BOUNDS", "make the buffers smaller", text);
  }
  uint64_t address = (pool != NULL ? pool->address : where.address) + (absent ? 0 : *used);
  *used += (uint32_t)bytes;
  return address;
}

static void judge_limits(sk__core *core, const sk_pipe *pipe, const sk_pool *pool, uint32_t count) {
  if (pool != NULL && pool->count + count > pool->limit) {
    char text[80];
    snprintf(text, sizeof text, "the pool was declared with %u buffers, and this makes %u", pool->limit, pool->count + count);
    sk__pipe_fatal(core, "QUEUE_LIMIT", "declare the pool with more buffers (bufIDSize, at most 16)", text);
  }
  if (pool == NULL && pipe->own_count + count > SK_MAX_PIPE_BUFFERS)
    sk__pipe_fatal(core, "QUEUE_LIMIT", "use at most 64 buffers in one TPipe", "the TPipe has 64 buffers already");
}
/* The first of `count` records side by side: those that a reset of the pool gave back, or new ones. */
static uint32_t take_records(sk__core *core, sk_pipe *pipe, const sk_pool *pool, uint32_t count) {
  uint32_t run = 0;
  for (uint32_t i = 0; pool != NULL && i < pipe->buffer_count; i++) {
    run = pipe->buffers[i].retired && pipe->buffers[i].pool == pool ? run + 1 : 0;
    if (run == count) return i + 1 - count;
  }
  if (pipe->buffer_count + count > SK_BUFFER_RECORDS)
    sk__pipe_fatal(core, "QUEUE_LIMIT", "use fewer pools at a time", "the TPipe and its pools have 128 buffers already");
  pipe->buffer_count += count;
  if (pool == NULL) pipe->own_count += count;
  return pipe->buffer_count - count;
}

uint32_t sk__pipe_add_buffers(sk__core *core, sk_pipe *pipe, sk_pool *pool, uint32_t count, const sk_buffer *like) {
  judge_limits(core, pipe, pool, count);
  uint32_t first = take_records(core, pipe, pool, count);
  if (pool != NULL) pool->count = (uint8_t)(pool->count + count);
  for (uint32_t i = 0; i < count; i++) {
    sk_buffer *buffer = &pipe->buffers[first + i];
    *buffer = *like;
    buffer->pool = pool;
    buffer->enque_event = buffer->free_event = -1;
  }
  return first;
}

/* The part of L1 that a vector core's TSCM queues have: what lies above the half of its cube core, by sub-block. */
static sk__local_place shared_l1_of(sk__core *core) {
  sk__core *cube = sk__neighbour(core, SK__AIC, 0);
  if (cube == NULL) return (sk__local_place){0, 0};
  sk__local_place l1 = sk__local_place_of(cube, SK__MEM_L1);
  uint32_t bytes = l1.bytes / 2 / core->view.own_ratio;
  return (sk__local_place){l1.address + l1.bytes / 2 + core->sub_block * bytes, bytes};
}
static uint64_t take_shared_l1(sk__core *core, sk_pipe *pipe, uint64_t bytes) {
  sk__local_place where = shared_l1_of(core);
  if (bytes > where.bytes - pipe->shared_l1_bytes) {
    char text[160];
    snprintf(text, sizeof text, "%llu more bytes do not fit into TSCM: %u of this vector core's %u bytes of L1 are taken",
             (unsigned long long)bytes, pipe->shared_l1_bytes, where.bytes);
    sk__pipe_fatal(core, "LOCAL_OUT_OF_BOUNDS", "make the buffers smaller", text);
  }
  uint64_t address = where.address + pipe->shared_l1_bytes;
  pipe->shared_l1_bytes += (uint32_t)bytes;
  return address;
}

void sk__pipe_must_live(sk__core *core, const sk_pipe *pipe) {
  if (pipe == NULL) sk__pipe_fatal(core, "QUEUE_STATE", "call InitBufPool for the pool first", "the pool has no memory: InitBufPool was not called");
  if (!pipe->alive) sk__pipe_fatal(core, "QUEUE_STATE", "initialise buffers before Destroy", "the TPipe has been destroyed");
}

void sk__queue_begin(sk__core *core, sk_queue *queue, sk_pipe *pipe, uint32_t count) {
  if (count == 0 || count > SK_MAX_QUEUE_BUFFERS) {
    sk__bad_argument(core, "the number of buffers", count, "1..%u", SK_MAX_QUEUE_BUFFERS);
    sk__core_abort(core, SK_FAULT);
  }
  queue->pipe = pipe;
  queue->count = (uint8_t)count;
  queue->cursor = queue->head = queue->waiting = queue->allocated = 0;
  queue->silent = queue->shared_l1 && core->type == SK__AIV && core->view.own_ratio != 0 && shared_l1_of(core).bytes != 0;
  queue->inert = !queue->silent && sk__pipe_place_of(core, queue->memory).bytes == 0;
}

bool sk_pipe_init_queue(sk_pipe *pipe, sk_pool *pool, sk_queue *queue, uint32_t count, uint32_t bytes) {
  sk__core *core = sk__pipe_enter("InitBuffer", SK__SITE());
  sk__pipe_must_live(core, pipe);
  sk__queue_begin(core, queue, pipe, count);
  uint32_t size = sk__pipe_round_up(bytes);
  uint64_t start = queue->silent ? take_shared_l1(core, pipe, (uint64_t)size * count)
                                 : sk__pipe_take_memory(core, pipe, pool, queue->memory, (uint64_t)size * count);
  sk_buffer like = {.address = start, .bytes = size, .memory = queue->memory, .queued = 1, .free_kind = queue->free_kind};
  queue->first = (uint8_t)sk__pipe_add_buffers(core, pipe, pool, count, &like);
  for (uint32_t i = 0; i < count && !queue->inert; i++) {
    pipe->buffers[queue->first + i].address = start + (uint64_t)i * size;
    if (!queue->silent) sk__buffer_note(core, pipe, &pipe->buffers[queue->first + i]);
  }
  return true;
}

static void place_must_exist(sk__core *core, uint32_t memory, const sk_memory *wanted) {
  sk__local_place where = sk__pipe_place_of(core, memory);
  if (wanted->address % SK__BLOCK_BYTES != 0) {
    sk__bad_argument(core, "the buffer's address", (int64_t)wanted->address, "multiples of %u", SK__BLOCK_BYTES);
    sk__core_abort(core, SK_FAULT);
  }
  if (wanted->address <= where.bytes && wanted->bytes <= where.bytes - wanted->address) return;
  char text[120];
  snprintf(text, sizeof text, "%llu bytes at %llu are not inside %s, which has %u", (unsigned long long)wanted->bytes,
           (unsigned long long)wanted->address, sk__mem_name((sk__mem)memory), where.bytes);
  sk__pipe_fatal(core, "LOCAL_OUT_OF_BOUNDS", "place buffers inside the memory", text);
}

bool sk_pipe_init_queue_at(sk_pipe *pipe, sk_queue *queue, uint32_t count, const sk_memory *places) {
  sk__core *core = sk__pipe_enter("InitBuffer", SK__SITE());
  sk__pipe_must_live(core, pipe);
  sk__queue_begin(core, queue, pipe, count);
  for (uint32_t i = 0; i < count && !queue->inert; i++) place_must_exist(core, queue->memory, &places[i]);
  sk_buffer like = {.memory = queue->memory, .queued = 1, .own_place = 1, .free_kind = queue->free_kind};
  queue->first = (uint8_t)sk__pipe_add_buffers(core, pipe, NULL, count, &like);
  for (uint32_t i = 0; i < count; i++) {
    sk_buffer *buffer = &pipe->buffers[queue->first + i];
    buffer->address = sk__pipe_place_of(core, queue->memory).address + places[i].address;
    buffer->bytes = (uint32_t)places[i].bytes;
    if (!queue->inert) sk__buffer_note(core, pipe, buffer);
  }
  return true;
}

sk_memory sk_pipe_init_buffer(sk_pipe *pipe, sk_pool *pool, uint32_t memory, uint32_t bytes) {
  sk__core *core = sk__pipe_enter("InitBuffer", SK__SITE());
  sk__pipe_must_live(core, pipe);
  uint32_t size = sk__pipe_round_up(bytes);
  uint64_t address = sk__pipe_take_memory(core, pipe, pool, memory, size);
  sk_buffer like = {.address = address, .bytes = size, .memory = (uint8_t)memory};
  sk__pipe_hand_out(core, pipe, address, size);
  const sk_buffer *buffer = &pipe->buffers[sk__pipe_add_buffers(core, pipe, pool, 1, &like)];
  if (sk__pipe_place_of(core, memory).bytes != 0) sk__buffer_note(core, pipe, buffer);
  return (sk_memory){address, size};
}
