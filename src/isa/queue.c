/* queue.c - TPipe, TQue and TBuf: memory, buffer states, events, and what is found when they are misused.
 *
 * A queue's order is kept by two event kinds: E, set by EnQue and waited for by DeQue, says that the data
 * has arrived; F, set by FreeTensor and waited for by the next AllocTensor of the same buffer, says that
 * it may be overwritten. Flags go through the machine like those a kernel sets by hand. */
#include <stdio.h>
#include <string.h>

#include "c_api/asc_types.h"
#include "isa/high_level.h"
#include "isa/isa.h"
#include "kernel_operator/library.h"
#include "machine/framework.h"

#define EVENT_IDS 8u
#define SCRATCH_OFFSET_BYTES (184u * 1024u) /* UB above it belongs to functions of the framework */
#define ALL_IDS 0xffu
#define MMAD_EVENTS 3u                      /* M to MTE1 ids a cube core's pipe holds for the system */

static const struct { uint8_t src, dst; } event_pipes[] = {
#define X(src, dst) {SK__PIPE_##src, SK__PIPE_##dst},
    SK_HARD_EVENT_LIST(X)
#undef X
};
_Static_assert(sizeof event_pipes / sizeof *event_pipes == SK_HARD_EVENTS, "a bit field per kind");
enum { KIND_M_MTE1 = 3 };

static bool is_free(const sk_buffer *buffer) { return buffer->state == SK_BUFFER_FREE || buffer->state == SK_BUFFER_RELEASED; }

typedef sk__local_place place;
static place place_of(const sk__core *core, uint32_t memory) {
  return memory > 0 && memory < SK__MEMS ? sk__local_place_of(core, (sk__mem)memory) : (place){0, 0};
}

static sk__core *enter(const char *call, const void *site) {
  sk__core *core = sk__enter(SK__PIPE_S, call, site);
  sk__advance(core, SK__PIPE_S, 1);
  return core;
}

static SK__COLD void misuse(sk__core *core, const char *id, const char *remedy, const char *message) {
  sk__instr_finding(core, id, SK__CAT_OPERATOR, SK__ERROR, remedy, "%s", message);
}
static SK__COLD _Noreturn void fatal(sk__core *core, const char *id, const char *remedy, const char *message) {
  misuse(core, id, remedy, message);
  sk__core_abort(core, SK_FAULT);
}

/* ---- events ---------------------------------------------------------------------------------- */

static int8_t take_event(sk__core *core, sk_pipe *pipe, uint32_t kind) {
  uint32_t free_ids = ~(uint32_t)pipe->event_taken[kind] & ALL_IDS;
  if (free_ids == 0) {
    char text[96];
    snprintf(text, sizeof text, "all eight event ids from %s to %s are taken", sk__pipe_name(event_pipes[kind].src),
             sk__pipe_name(event_pipes[kind].dst));
    fatal(core, "QUEUE_LIMIT", "release event ids, or use fewer buffers at a time", text);
  }
  uint32_t id = (uint32_t)__builtin_ctz(free_ids);
  pipe->event_taken[kind] = (uint8_t)(pipe->event_taken[kind] | 1u << id);
  return (int8_t)id;
}
static void give_event(sk_pipe *pipe, uint32_t kind, int32_t id) {
  pipe->event_taken[kind] = (uint8_t)(pipe->event_taken[kind] & ~(1u << (uint32_t)id));
}
static int8_t set_event(sk__core *core, sk_pipe *pipe, uint32_t kind) {
  int8_t id = take_event(core, pipe, kind);
  sk__set_flag(core, event_pipes[kind].src, event_pipes[kind].dst, (uint32_t)id);
  return id;
}
static void wait_event(sk__core *core, sk_pipe *pipe, uint32_t kind, int8_t id) {
  sk__wait_flag(core, event_pipes[kind].src, event_pipes[kind].dst, (uint32_t)id);
  give_event(pipe, kind, id);
}

static bool kind_legal(sk__core *core, uint32_t kind) {
  if (kind < SK_HARD_EVENTS) return true;
  sk__bad_argument(core, "the event", kind, "HardEvent::MTE2_MTE1..FIX_FIX");
  return false;
}
/* An id for the user. */
static int32_t name_event(sk__core *core, sk_pipe *pipe, uint32_t kind) {
  int32_t id = take_event(core, pipe, kind);
  pipe->event_given[kind] = (uint8_t)(pipe->event_given[kind] | 1u << (uint32_t)id);
  return id;
}
int32_t sk_event_alloc(sk_pipe *pipe, uint32_t kind) {
  sk__core *core = enter("AllocEventID", SK__SITE());
  return kind_legal(core, kind) ? name_event(core, pipe, kind) : 0;
}
int32_t sk_event_fetch(sk_pipe *pipe, uint32_t kind) {
  sk__core *core = enter("FetchEventID", SK__SITE());
  if (!kind_legal(core, kind)) return 0;
  int32_t id = name_event(core, pipe, kind);
  give_event(pipe, kind, id);
  return id;
}
bool sk__event_was_given(sk__core *core, sk__pipe src, sk__pipe dst, uint32_t id) {
  const sk_pipe *pipe = sk__framework_of(core)->pipe;
  for (uint32_t kind = 0; pipe != NULL && kind < SK_HARD_EVENTS; kind++)
    if (event_pipes[kind].src == src && event_pipes[kind].dst == dst) return (pipe->event_given[kind] >> id & 1u) != 0;
  return false;
}
void sk_event_release(sk_pipe *pipe, uint32_t kind, int32_t id) {
  sk__core *core = enter("ReleaseEventID", SK__SITE());
  if (!kind_legal(core, kind)) return;
  if (id < 0 || id >= (int32_t)EVENT_IDS) {
    sk__bad_argument(core, "the event id", id, "0..7");
    return;
  }
  if ((pipe->event_taken[kind] >> id & 1u) == 0)
    misuse(core, "QUEUE_STATE", "release an event id once, after AllocEventID gave it", "the event id is not taken");
  give_event(pipe, kind, id);
}

/* ---- pipe ------------------------------------------------------------------------------------ */

/* Registers as a kernel of the C++ API expects them. */
static void first_state(sk__core *core) {
  core->atomic_type = core->atomic_op = 0;
  sk__state_set(core, SK__STATE_ATOMIC, 0);
  sk__ctrl_set(core, SK__CTRL_COUNTER_MODE, false);
  if (core->type == SK__AIV) {
    core->mask[0] = core->mask[1] = UINT64_MAX;
    sk__state_set(core, SK__STATE_MASK, 0);
  } else {
    core->load3d_padding = 0;
    core->load3d_size = 0;
  }
}

void sk_init_soc_state(void) { first_state(enter("InitSocState", SK__SITE())); }

void sk_pipe_init(sk_pipe *pipe) {
  if (sk__self == NULL) return; /* an object of host code */
  sk__core *core = enter("TPipe", SK__SITE());
  sk__framework *framework = sk__framework_of(core);
  const sk_pipe *other = framework->pipe;
  if (other != NULL && other != pipe && other->alive)
    misuse(core, "QUEUE_STATE", "keep one TPipe alive at a time", "another TPipe of this kernel is still alive");
  sk__buffers_forget(core);
  memset(pipe, 0, offsetof(sk_pipe, buffers));
  pipe->alive = 1;
  framework->pipe = pipe;
  first_state(core);
  if (core->type == SK__AIV) return;
  for (uint32_t i = 0; i < MMAD_EVENTS; i++) (void)set_event(core, pipe, KIND_M_MTE1);
}

/* Of all buffers, or of those of a pool. */
static void wait_free_events(sk__core *core, sk_pipe *pipe, const sk_pool *pool) {
  for (uint32_t i = 0; i < pipe->buffer_count; i++) {
    sk_buffer *buffer = &pipe->buffers[i];
    if (buffer->free_event < 0 || (pool != NULL && buffer->pool != pool)) continue;
    wait_event(core, pipe, buffer->free_kind, buffer->free_event);
    buffer->free_event = -1;
  }
}

static void judge_leaks(sk__core *core, const sk_pipe *pipe, const sk_pool *pool) {
  for (uint32_t i = 0; i < pipe->buffer_count; i++) {
    const sk_buffer *buffer = &pipe->buffers[i];
    if (!buffer->queued || is_free(buffer) || buffer->state == SK_BUFFER_UNPLACED || (pool != NULL && buffer->pool != pool)) continue;
    char text[120];
    snprintf(text, sizeof text, "a queue buffer of %u bytes at offset %llu of %s is %s at the %s", buffer->bytes,
             (unsigned long long)(buffer->address - place_of(core, buffer->memory).address),
             sk__mem_name((sk__mem)buffer->memory), buffer->state == SK_BUFFER_ENQUEUED ? "still enqueued" : "not freed",
             pool != NULL ? "reset of its pool" : "end of its TPipe");
    misuse(core, "QUEUE_LEAK", "call FreeTensor for every tensor that AllocTensor or DeQue gave", text);
  }
}

/* The full barrier at the end of a TPipe. Builds of ordinary operators for SKs leave it out; functions written for
 * SKs (SK_BIND) have it and should not. */
static void end_barrier(sk__core *core) {
  if (core->view.task != UINT32_MAX && !core->view.bound) {
    if (core->checks) sk__order_barrier_dropped(&core->order);
    return;
  }
  if (core->view.bound)
    sk__instr_finding(core, "H21", SK__CAT_OPERATOR, SK__INFO, "call pipe.DestroyWithoutPipeAll() at the end",
                      "the TPipe of %s ends with a barrier over all pipes, which keeps the next sub-kernel from overlapping",
                      core->view.kernel);
  sk__pipe_barrier(core, SK__PIPE_ALL);
}

void sk_pipe_destroy(sk_pipe *pipe, bool with_barrier) {
  if (sk__self == NULL || !pipe->alive) return;
  sk__core *core = enter("TPipe::Destroy", SK__SITE());
  judge_leaks(core, pipe, NULL);
  wait_free_events(core, pipe, NULL);
  pipe->alive = 0;
  sk__framework *framework = sk__framework_of(core);
  sk__buffers_forget(core);
  if (framework->pipe == pipe) framework->pipe = NULL; /* its storage may be anything from here on */
  if (core->type == SK__AIC)
    for (uint32_t i = 0; i < MMAD_EVENTS; i++) wait_event(core, pipe, KIND_M_MTE1, (int8_t)i);
  if (with_barrier) end_barrier(core);
}

void sk_pipe_reset(sk_pipe *pipe) {
  sk__core *core = enter("TPipe::Reset", SK__SITE());
  judge_leaks(core, pipe, NULL);
  wait_free_events(core, pipe, NULL);
  sk__buffers_forget(core);
  memset(pipe->used_bytes, 0, sizeof pipe->used_bytes);
  memset(pipe->matmul_address, 0, sizeof pipe->matmul_address);
  memset(pipe->matmul_bytes, 0, sizeof pipe->matmul_bytes);
  pipe->matmul_cleared_bytes = pipe->shared_l1_bytes = 0;
  pipe->buffer_count = pipe->own_count = 0;
  uint8_t kept = pipe->event_taken[KIND_M_MTE1];
  memset(pipe->event_taken, 0, sizeof pipe->event_taken);
  if (core->type == SK__AIC) pipe->event_taken[KIND_M_MTE1] = kept & ((1u << MMAD_EVENTS) - 1u);
}

void *sk_pipe_current(void) {
  sk__core *core = sk__self;
  sk_pipe *pipe = sk__framework_of(core)->pipe;
  if (pipe != NULL) return pipe;
  core->site = SK__SITE();
  core->instr = "GetTPipePtr";
  fatal(core, "QUEUE_STATE", "make a TPipe before it is asked for", "there is no TPipe in this kernel");
}

/* ---- buffers --------------------------------------------------------------------------------- */

static uint32_t round_up(uint32_t bytes) { return (bytes + SK__BLOCK_BYTES - 1) & ~(SK__BLOCK_BYTES - 1); }

/* A buffer that was given back: nobody watches over it any more. */
static void end_release(sk__core *core, sk_buffer *buffer) {
  if (buffer->state != SK_BUFFER_RELEASED) return;
  sk__released_take(core, buffer);
  buffer->state = SK_BUFFER_FREE;
}
/* Memory is handed out, perhaps under another name than before. */
static void hand_out(sk__core *core, sk_pipe *pipe, uint64_t address, uint64_t bytes) {
  for (uint32_t i = 0; i < pipe->buffer_count; i++) {
    sk_buffer *buffer = &pipe->buffers[i];
    if (buffer->address < address + bytes && address < buffer->address + buffer->bytes) end_release(core, buffer);
  }
}

/* Takes memory from the pool, or from the pipe where there is none. */
static uint64_t take_memory(sk__core *core, sk_pipe *pipe, sk_pool *pool, uint32_t memory, uint64_t bytes) {
  place where = place_of(core, memory);
  bool absent = where.bytes == 0; /* a mix kernel's other half: addresses nobody uses */
  uint32_t *used = pool != NULL ? &pool->used_bytes : &pipe->used_bytes[memory];
  uint32_t capacity = pool != NULL ? pool->bytes : absent ? UINT32_MAX : where.bytes;
  if (bytes > capacity - *used) {
    char text[160];
    snprintf(text, sizeof text, "%llu more bytes do not fit into %s: %u of %u bytes are taken", (unsigned long long)bytes,
             pool != NULL ? "the pool" : sk__mem_name((sk__mem)memory), *used, capacity);
    fatal(core, "LOCAL_OUT_OF_BOUNDS", "make the buffers smaller", text);
  }
  uint64_t address = (pool != NULL ? pool->address : where.address) + (absent ? 0 : *used);
  *used += (uint32_t)bytes;
  return address;
}

static void judge_limits(sk__core *core, const sk_pipe *pipe, const sk_pool *pool, uint32_t count) {
  if (pool != NULL && pool->count + count > pool->limit) {
    char text[80];
    snprintf(text, sizeof text, "the pool was declared with %u buffers, and this makes %u", pool->limit, pool->count + count);
    fatal(core, "QUEUE_LIMIT", "declare the pool with more buffers (bufIDSize, at most 16)", text);
  }
  if (pool == NULL && pipe->own_count + count > SK_MAX_PIPE_BUFFERS)
    fatal(core, "QUEUE_LIMIT", "use at most 64 buffers in one TPipe", "the TPipe has 64 buffers already");
}
/* The first of `count` records side by side: those that a reset of the pool gave back, or new ones. */
static uint32_t take_records(sk__core *core, sk_pipe *pipe, const sk_pool *pool, uint32_t count) {
  uint32_t run = 0;
  for (uint32_t i = 0; pool != NULL && i < pipe->buffer_count; i++) {
    run = pipe->buffers[i].retired && pipe->buffers[i].pool == pool ? run + 1 : 0;
    if (run == count) return i + 1 - count;
  }
  if (pipe->buffer_count + count > SK_BUFFER_RECORDS)
    fatal(core, "QUEUE_LIMIT", "use fewer pools at a time", "the TPipe and its pools have 128 buffers already");
  pipe->buffer_count += count;
  if (pool == NULL) pipe->own_count += count;
  return pipe->buffer_count - count;
}
static uint32_t add_buffers(sk__core *core, sk_pipe *pipe, sk_pool *pool, uint32_t count, const sk_buffer *like) {
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
static place shared_l1_of(sk__core *core) {
  sk__core *cube = sk__neighbour(core, SK__AIC, 0);
  if (cube == NULL) return (place){0, 0};
  place l1 = sk__local_place_of(cube, SK__MEM_L1);
  uint32_t bytes = l1.bytes / 2 / core->view.own_ratio;
  return (place){l1.address + l1.bytes / 2 + core->sub_block * bytes, bytes};
}
static uint64_t take_shared_l1(sk__core *core, sk_pipe *pipe, uint64_t bytes) {
  place where = shared_l1_of(core);
  if (bytes > where.bytes - pipe->shared_l1_bytes) {
    char text[160];
    snprintf(text, sizeof text, "%llu more bytes do not fit into TSCM: %u of this vector core's %u bytes of L1 are taken",
             (unsigned long long)bytes, pipe->shared_l1_bytes, where.bytes);
    fatal(core, "LOCAL_OUT_OF_BOUNDS", "make the buffers smaller", text);
  }
  uint64_t address = where.address + pipe->shared_l1_bytes;
  pipe->shared_l1_bytes += (uint32_t)bytes;
  return address;
}

static void pipe_must_live(sk__core *core, const sk_pipe *pipe) {
  if (pipe == NULL) fatal(core, "QUEUE_STATE", "call InitBufPool for the pool first", "the pool has no memory: InitBufPool was not called");
  if (!pipe->alive) fatal(core, "QUEUE_STATE", "initialise buffers before Destroy", "the TPipe has been destroyed");
}

static void begin_queue(sk__core *core, sk_queue *queue, sk_pipe *pipe, uint32_t count) {
  if (count == 0 || count > SK_MAX_QUEUE_BUFFERS) {
    sk__bad_argument(core, "the number of buffers", count, "1..%u", SK_MAX_QUEUE_BUFFERS);
    sk__core_abort(core, SK_FAULT);
  }
  queue->pipe = pipe;
  queue->count = (uint8_t)count;
  queue->cursor = queue->head = queue->waiting = queue->allocated = 0;
  queue->silent = queue->shared_l1 && core->type == SK__AIV && core->view.own_ratio != 0 && shared_l1_of(core).bytes != 0;
  queue->inert = !queue->silent && place_of(core, queue->memory).bytes == 0;
}

bool sk_pipe_init_queue(sk_pipe *pipe, sk_pool *pool, sk_queue *queue, uint32_t count, uint32_t bytes) {
  sk__core *core = enter("InitBuffer", SK__SITE());
  pipe_must_live(core, pipe);
  begin_queue(core, queue, pipe, count);
  uint32_t size = round_up(bytes);
  uint64_t start = queue->silent ? take_shared_l1(core, pipe, (uint64_t)size * count)
                                 : take_memory(core, pipe, pool, queue->memory, (uint64_t)size * count);
  sk_buffer like = {.address = start, .bytes = size, .memory = queue->memory, .queued = 1, .free_kind = queue->free_kind};
  queue->first = (uint8_t)add_buffers(core, pipe, pool, count, &like);
  for (uint32_t i = 0; i < count && !queue->inert; i++) {
    pipe->buffers[queue->first + i].address = start + (uint64_t)i * size;
    if (!queue->silent) sk__buffer_note(core, &pipe->buffers[queue->first + i]);
  }
  return true;
}

sk_memory sk_pipe_init_buffer(sk_pipe *pipe, sk_pool *pool, uint32_t memory, uint32_t bytes) {
  sk__core *core = enter("InitBuffer", SK__SITE());
  pipe_must_live(core, pipe);
  uint32_t size = round_up(bytes);
  uint64_t address = take_memory(core, pipe, pool, memory, size);
  sk_buffer like = {.address = address, .bytes = size, .memory = (uint8_t)memory};
  hand_out(core, pipe, address, size);
  const sk_buffer *buffer = &pipe->buffers[add_buffers(core, pipe, pool, 1, &like)];
  if (place_of(core, memory).bytes != 0) sk__buffer_note(core, buffer);
  return (sk_memory){address, size};
}

/* ---- pools ----------------------------------------------------------------------------------- */

bool sk_pipe_init_pool(sk_pipe *pipe, sk_pool *parent, sk_pool *pool, const sk_pool *shared, uint32_t memory, uint32_t bytes) {
  sk__core *core = enter("InitBufPool", SK__SITE());
  pipe_must_live(core, pipe);
  uint32_t size = round_up(bytes);
  if (shared != NULL && size > shared->bytes)
    fatal(core, "LOCAL_OUT_OF_BOUNDS", "make the shared pool the larger one", "the pool is larger than the one whose memory it shares");
  uint64_t address = shared != NULL ? shared->address : take_memory(core, pipe, parent, memory, size);
  *pool = (sk_pool){.pipe = pipe, .address = address, .bytes = shared != NULL ? shared->bytes : size, .memory = (uint8_t)memory,
                    .limit = pool->limit};
  return true;
}

/* Waits until what used its buffers is done, so that another pool may have the memory. */
void sk_pool_reset(sk_pool *pool) {
  if (sk__self == NULL || pool->pipe == NULL || sk__framework_of(sk__self)->pipe != pool->pipe) return; /* the pipe has ended */
  sk__core *core = enter("TBufPool::Reset", SK__SITE());
  judge_leaks(core, pool->pipe, pool);
  wait_free_events(core, pool->pipe, pool);
  for (uint32_t i = 0; i < pool->pipe->buffer_count; i++)
    if (pool->pipe->buffers[i].pool == pool) {
      end_release(core, &pool->pipe->buffers[i]);
      pool->pipe->buffers[i].retired = 1;
    }
  pool->used_bytes = 0;
  pool->count = 0;
}

void sk_pool_slot_at(sk_pool_slot *slots, sk_pool *pool, uint32_t index) {
  sk__core *core = enter("GetBufHandle", SK__SITE());
  if (index >= pool->limit) {
    sk__bad_argument(core, "the number of the buffer", index, "0..%u", pool->limit - 1u);
    sk__core_abort(core, SK_FAULT);
  }
  slots[index] = (sk_pool_slot){pool, index};
}
void sk_pool_place_queue(const sk_pool_slot *slot, sk_queue *queue, uint32_t count) {
  sk__core *core = enter("InitStartBufHandle", SK__SITE());
  sk_pool *pool = slot->pool;
  pipe_must_live(core, pool->pipe);
  begin_queue(core, queue, pool->pipe, count);
  sk_buffer like = {.memory = queue->memory, .queued = 1, .state = SK_BUFFER_UNPLACED, .free_kind = queue->free_kind};
  uint8_t kept = pool->count; /* the kernel counts itself */
  pool->count = (uint8_t)slot->index;
  queue->first = (uint8_t)add_buffers(core, pool->pipe, pool, count, &like);
  pool->count = kept;
}
static sk_memory place_in_pool(sk__core *core, const sk_pool *pool, uint32_t offset_bytes, uint32_t bytes) {
  pipe_must_live(core, pool->pipe);
  place where = place_of(core, pool->memory);
  uint32_t size = round_up(bytes), start = (uint32_t)(pool->address - where.address);
  if (offset_bytes < start || (uint64_t)offset_bytes + size > (uint64_t)start + pool->bytes) {
    char text[120];
    snprintf(text, sizeof text, "%u bytes at %u are not inside the pool, which has %u at %u", size, offset_bytes, pool->bytes, start);
    fatal(core, "LOCAL_OUT_OF_BOUNDS", "place buffers between the pool's start and its end", text);
  }
  if (offset_bytes % SK__BLOCK_BYTES != 0) {
    sk__bad_argument(core, "the buffer's address", offset_bytes, "multiples of %u", SK__BLOCK_BYTES);
    sk__core_abort(core, SK_FAULT);
  }
  hand_out(core, pool->pipe, where.address + offset_bytes, size);
  return (sk_memory){where.address + offset_bytes, size};
}
sk_memory sk_pool_place(const sk_pool *pool, uint32_t offset_bytes, uint32_t bytes) {
  return place_in_pool(enter("InitBufHandle", SK__SITE()), pool, offset_bytes, bytes);
}
void sk_pool_place_buffer(const sk_pool *pool, sk_queue *queue, uint32_t index, uint32_t offset_bytes, uint32_t bytes) {
  sk__core *core = enter("InitBufHandle", SK__SITE());
  if (queue->pipe == NULL) fatal(core, "QUEUE_STATE", "call InitStartBufHandle for the queue first", "the queue has no buffers to place");
  if (index >= queue->count) {
    sk__bad_argument(core, "the number of the buffer", index, "0..%u", queue->count - 1u);
    sk__core_abort(core, SK_FAULT);
  }
  sk_memory memory = place_in_pool(core, pool, offset_bytes, bytes);
  sk_buffer *buffer = &queue->pipe->buffers[queue->first + index];
  end_release(core, buffer);
  buffer->address = memory.address;
  buffer->bytes = (uint32_t)memory.bytes;
  buffer->state = SK_BUFFER_FREE;
  sk__buffer_note(core, buffer);
}

bool sk__pipe_rest(sk__core *core, sk_memory *rest) {
  const sk_pipe *pipe = sk__framework_of(core)->pipe;
  uint32_t used = pipe != NULL && core->type == SK__AIV ? pipe->used_bytes[1] : 0;
  if (used > SCRATCH_OFFSET_BYTES) used = SCRATCH_OFFSET_BYTES;
  *rest = (sk_memory){core->local + used, SCRATCH_OFFSET_BYTES - used};
  return pipe != NULL;
}
sk_memory sk_pipe_rest(void) {
  sk_memory rest;
  sk__pipe_rest(enter("PopStackBuffer", SK__SITE()), &rest);
  return rest;
}

/* ---- queues ---------------------------------------------------------------------------------- */

static sk_buffer *buffer_of(const sk_queue *queue, uint32_t index) { return &queue->pipe->buffers[queue->first + index]; }

static void queue_must_be_ready(sk__core *core, const sk_queue *queue) {
  if (queue->pipe == NULL) fatal(core, "QUEUE_STATE", "call InitBuffer for the queue first", "the queue has no buffers: InitBuffer was not called");
}

sk_memory sk_queue_alloc(sk_queue *queue) {
  sk__core *core = enter("AllocTensor", SK__SITE());
  queue_must_be_ready(core, queue);
  for (uint32_t tried = 0; tried < queue->count; tried++) {
    sk_buffer *buffer = buffer_of(queue, queue->cursor);
    queue->cursor = (uint8_t)(queue->cursor + 1 == queue->count ? 0 : queue->cursor + 1);
    if (queue->inert) return (sk_memory){buffer->address, buffer->bytes};
    if (!is_free(buffer)) continue;
    if (buffer->free_event >= 0) wait_event(core, queue->pipe, queue->free_kind, buffer->free_event);
    buffer->free_event = -1;
    if (buffer->pool != NULL) hand_out(core, queue->pipe, buffer->address, buffer->bytes); /* pools may share memory */
    else end_release(core, buffer);
    buffer->state = SK_BUFFER_ALLOCATED;
    queue->allocated++;
    return (sk_memory){buffer->address, buffer->bytes};
  }
  for (uint32_t i = 0; i < queue->count; i++)
    if (buffer_of(queue, i)->state == SK_BUFFER_UNPLACED)
      fatal(core, "QUEUE_STATE", "call InitBufHandle for each buffer of the queue", "a buffer of the queue has no memory: InitBufHandle was not called");
  char text[120];
  snprintf(text, sizeof text, "all %u buffers of the queue are in use: none has been freed", queue->count);
  fatal(core, "QUEUE_STATE", "free a tensor before allocating the next one, or give InitBuffer more buffers", text);
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

bool sk_queue_enque(sk_queue *queue, uint64_t address) {
  sk__core *core = enter("EnQue", SK__SITE());
  queue_must_be_ready(core, queue);
  if (queue->inert) return true;
  int index = find_buffer(queue, address);
  if (index < 0) {
    misuse(core, "QUEUE_STATE", "enqueue a tensor into the queue whose AllocTensor gave it", "the tensor is not a buffer of this queue");
    return false;
  }
  sk_buffer *buffer = buffer_of(queue, (uint32_t)index);
  if (buffer->state != SK_BUFFER_ALLOCATED && buffer->state != SK_BUFFER_DEQUEUED) {
    char text[80];
    snprintf(text, sizeof text, "the tensor's buffer is %s, not allocated", state_text[buffer->state]);
    misuse(core, "QUEUE_STATE", "enqueue a tensor once, between AllocTensor and DeQue", text);
    return false;
  }
  uint32_t depth = queue->depth == 0 ? 1 : queue->depth;
  if (queue->waiting >= depth || queue->waiting >= SK_MAX_QUEUE_BUFFERS) {
    char text[80];
    snprintf(text, sizeof text, "the queue holds %u tensors already, its depth is %u", queue->waiting, depth);
    misuse(core, "QUEUE_STATE", "dequeue before enqueuing more, or declare a greater depth", text);
    if (queue->waiting >= SK_MAX_QUEUE_BUFFERS) return false;
  }
  if (!queue->silent) buffer->enque_event = set_event(core, queue->pipe, queue->enque_kind);
  buffer->state = SK_BUFFER_ENQUEUED;
  queue->fifo[(queue->head + queue->waiting++) % SK_MAX_QUEUE_BUFFERS] = (uint8_t)index;
  return true;
}

sk_memory sk_queue_deque(sk_queue *queue) {
  sk__core *core = enter("DeQue", SK__SITE());
  queue_must_be_ready(core, queue);
  if (queue->inert) return (sk_memory){buffer_of(queue, 0)->address, buffer_of(queue, 0)->bytes};
  if (queue->waiting == 0) fatal(core, "QUEUE_STATE", "enqueue a tensor before it is dequeued", "the queue is empty");
  sk_buffer *buffer = buffer_of(queue, queue->fifo[queue->head]);
  queue->head = (uint8_t)((queue->head + 1) % SK_MAX_QUEUE_BUFFERS);
  queue->waiting--;
  if (!queue->silent) wait_event(core, queue->pipe, queue->enque_kind, buffer->enque_event);
  buffer->enque_event = -1;
  buffer->state = SK_BUFFER_DEQUEUED;
  return (sk_memory){buffer->address, buffer->bytes};
}

void sk_queue_free(sk_queue *queue, uint64_t address) {
  sk__core *core = enter("FreeTensor", SK__SITE());
  queue_must_be_ready(core, queue);
  if (queue->inert) return;
  int index = find_buffer(queue, address);
  if (index < 0) {
    misuse(core, "QUEUE_STATE", "free a tensor on the queue whose AllocTensor gave it", "the tensor is not a buffer of this queue");
    return;
  }
  sk_buffer *buffer = buffer_of(queue, (uint32_t)index);
  if (is_free(buffer)) {
    misuse(core, "QUEUE_DOUBLE_FREE", "free each tensor once", "the tensor's buffer is free already");
    return;
  }
  if (buffer->state == SK_BUFFER_ENQUEUED) {
    misuse(core, "QUEUE_STATE", "dequeue a tensor before it is freed", "the tensor's buffer is still enqueued");
    return;
  }
  if (!queue->silent) buffer->free_event = set_event(core, queue->pipe, queue->free_kind);
  buffer->free_kind = queue->free_kind;
  buffer->state = SK_BUFFER_RELEASED;
  buffer->released_at = core->site;
  if (!queue->silent) sk__released_note(core, buffer);
  queue->allocated--;
}

void sk_queue_free_events(sk_queue *queue) {
  sk__core *core = enter("FreeAllEvent", SK__SITE());
  queue_must_be_ready(core, queue);
  for (uint32_t i = 0; i < queue->count; i++) {
    sk_buffer *buffer = buffer_of(queue, i);
    if (buffer->free_event < 0) continue;
    wait_event(core, queue->pipe, queue->free_kind, buffer->free_event);
    buffer->free_event = -1;
  }
}

bool sk_queue_vacant(const sk_queue *queue) { return queue->waiting < (queue->depth == 0 ? 1 : queue->depth); }
bool sk_queue_idle(const sk_queue *queue) { return queue->allocated < queue->count; }

/* ---- addresses ------------------------------------------------------------------------------- */

uint64_t sk_local_address(uint32_t memory, uint32_t offset_bytes) {
  const sk__core *core = sk__self;
  return core == NULL ? 0 : place_of(core, memory).address + offset_bytes;
}
