/* pipe.h - what TPipe, its event ids, buffers, pools and queues share (private to this folder). */
#ifndef SK_ISA_PIPE_H
#define SK_ISA_PIPE_H

#include "c_api/asc_types.h"
#include "isa/isa.h"
#include "kernel_operator/library.h"
#include "machine/framework.h"

#define SK__MMAD_EVENTS 3u /* M to MTE1 ids a cube core's pipe holds for the system */
enum { SK__KIND_M_MTE1 = 3 };

static inline sk__core *sk__pipe_enter(const char *call, const void *site) {
  sk__core *core = sk__enter(SK__PIPE_S, call, site);
  sk__advance(core, SK__PIPE_S, 1);
  return core;
}
static inline sk__local_place sk__pipe_place_of(const sk__core *core, uint32_t memory) {
  return memory > 0 && memory < SK__MEMS ? sk__local_place_of(core, (sk__mem)memory) : (sk__local_place){0, 0};
}
static inline uint32_t sk__pipe_round_up(uint32_t bytes) { return (bytes + SK__BLOCK_BYTES - 1) & ~(SK__BLOCK_BYTES - 1); }
static inline bool sk__buffer_is_free(const sk_buffer *buffer) {
  return buffer->state == SK_BUFFER_FREE || buffer->state == SK_BUFFER_RELEASED;
}

/* ---- findings (pipe.c) ----------------------------------------------------------------------- */

SK__COLD void sk__pipe_misuse(sk__core *core, const char *id, const char *remedy, const char *message);
SK__COLD _Noreturn void sk__pipe_fatal(sk__core *core, const char *id, const char *remedy, const char *message);
/* The kernel cannot go on without a pipe that is alive. (pipe_buffer.c) */
void sk__pipe_must_live(sk__core *core, const sk_pipe *pipe);

/* ---- at the end of a pipe, or of a pool when there is one (pipe.c) --------------------------- */

void sk__pipe_judge_leaks(sk__core *core, const sk_pipe *pipe, const sk_pool *pool);
void sk__pipe_wait_free_events(sk__core *core, sk_pipe *pipe, const sk_pool *pool);

/* ---- copies (pipe_copy.c) -------------------------------------------------------------------- */

void sk__pipe_forget_copy(sk__core *core, const sk_pipe *pipe);
/* Whoever takes the framework's pipe; whoever takes a queue's. One that was copied and is gone ends the core. */
void sk__pipe_must_be_known(sk__core *core);
SK__COLD void sk__pipe_find_copy(sk__core *core, const sk_pipe *pipe);
static inline void sk__pipe_must_be_there(sk__core *core, const sk_pipe *pipe) {
  if (core->pipe_copied) sk__pipe_find_copy(core, pipe);
}

/* ---- event ids (pipe_event.c) ---------------------------------------------------------------- */

typedef struct sk__event_pipes { uint8_t src, dst; } sk__event_pipes;
extern const sk__event_pipes sk__event_pipes_of[SK_HARD_EVENTS]; /* by kind */

SK__COLD _Noreturn void sk__no_event_is_free(sk__core *core, uint32_t kind);
static inline int8_t sk__pipe_take_event(sk__core *core, sk_pipe *pipe, uint32_t kind) {
  uint32_t free_ids = ~(uint32_t)pipe->event_taken[kind] & 0xffu; /* a bit field per kind */
  if (free_ids == 0) sk__no_event_is_free(core, kind);
  uint32_t id = (uint32_t)__builtin_ctz(free_ids);
  pipe->event_taken[kind] = (uint8_t)(pipe->event_taken[kind] | 1u << id);
  return (int8_t)id;
}
static inline void sk__pipe_give_event(sk_pipe *pipe, uint32_t kind, int32_t id) {
  pipe->event_taken[kind] = (uint8_t)(pipe->event_taken[kind] & ~(1u << (uint32_t)id));
}
/* Takes an id of the kind and sets it. */
static inline int8_t sk__pipe_set_event(sk__core *core, sk_pipe *pipe, uint32_t kind) {
  int8_t id = sk__pipe_take_event(core, pipe, kind);
  sk__set_flag(core, sk__event_pipes_of[kind].src, sk__event_pipes_of[kind].dst, (uint32_t)id);
  return id;
}
/* Waits for it and gives it back. */
static inline void sk__pipe_wait_event(sk__core *core, sk_pipe *pipe, uint32_t kind, int8_t id) {
  sk__wait_flag(core, sk__event_pipes_of[kind].src, sk__event_pipes_of[kind].dst, (uint32_t)id);
  sk__pipe_give_event(pipe, kind, id);
}

/* ---- buffers (pipe_buffer.c) ----------------------------------------------------------------- */

/* From the pool, or from the pipe where there is none (NULL). What does not fit ends the core. */
uint64_t sk__pipe_take_memory(sk__core *core, sk_pipe *pipe, sk_pool *pool, uint32_t memory, uint64_t bytes);
/* The number of the first of `count` new records side by side, each a copy of *like. */
uint32_t sk__pipe_add_buffers(sk__core *core, sk_pipe *pipe, sk_pool *pool, uint32_t count, const sk_buffer *like);
/* An empty queue of so many buffers. */
void sk__queue_begin(sk__core *core, sk_queue *queue, sk_pipe *pipe, uint32_t count);
/* A buffer that was given back: nobody watches over it any more. */
static inline void sk__buffer_end_release(sk__core *core, const sk_pipe *pipe, sk_buffer *buffer) {
  if (buffer->state != SK_BUFFER_RELEASED) return;
  sk__released_take(core, pipe, buffer);
  buffer->state = SK_BUFFER_FREE;
}
/* Memory is handed out, perhaps under another name than before. */
void sk__pipe_hand_out(sk__core *core, sk_pipe *pipe, uint64_t address, uint64_t bytes);

#endif
