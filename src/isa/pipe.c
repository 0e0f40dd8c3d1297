/* pipe.c - TPipe from its making to its end: registers, what it waits for, what it finds forgotten; what is left of UB. */
#include <stdio.h>
#include <string.h>

#include "isa/high_level.h"
#include "isa/pipe.h"

#define SCRATCH_OFFSET_BYTES (184u * 1024u) /* UB above it belongs to functions of the framework */

void sk__pipe_misuse(sk__core *core, const char *id, const char *remedy, const char *message) {
  sk__instr_finding(core, id, SK__CAT_OPERATOR, SK__ERROR, remedy, "%s", message);
}

void sk__pipe_fatal(sk__core *core, const char *id, const char *remedy, const char *message) {
  sk__pipe_misuse(core, id, remedy, message);
  sk__core_abort(core, SK_FAULT);
}

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

void sk_init_soc_state(void) { first_state(sk__pipe_enter("InitSocState", SK__SITE())); }

void sk_pipe_init(sk_pipe *pipe) {
  if (sk__self == NULL) return; /* an object of host code */
  sk__core *core = sk__pipe_enter("TPipe", SK__SITE());
  sk__framework *framework = sk__framework_of(core);
  const sk_pipe *other = framework->pipe;
  if (other != NULL && other != pipe && other->alive)
    sk__pipe_misuse(core, "QUEUE_STATE", "keep one TPipe alive at a time", "another TPipe of this kernel is still alive");
  sk__buffers_forget(core);
  memset(pipe, 0, offsetof(sk_pipe, buffers));
  pipe->alive = 1;
  framework->pipe = pipe;
  first_state(core);
  if (core->type == SK__AIV) return;
  for (uint32_t i = 0; i < SK__MMAD_EVENTS; i++) (void)sk__pipe_set_event(core, pipe, SK__KIND_M_MTE1);
}

void sk__pipe_wait_free_events(sk__core *core, sk_pipe *pipe, const sk_pool *pool) {
  for (uint32_t i = 0; i < pipe->buffer_count; i++) {
    sk_buffer *buffer = &pipe->buffers[i];
    if (buffer->free_event < 0 || (pool != NULL && buffer->pool != pool)) continue;
    sk__pipe_wait_event(core, pipe, buffer->free_kind, buffer->free_event);
    buffer->free_event = -1;
  }
}

void sk__pipe_judge_leaks(sk__core *core, const sk_pipe *pipe, const sk_pool *pool) {
  for (uint32_t i = 0; i < pipe->buffer_count; i++) {
    const sk_buffer *buffer = &pipe->buffers[i];
    if (!buffer->queued || sk__buffer_is_free(buffer) || buffer->state == SK_BUFFER_UNPLACED || (pool != NULL && buffer->pool != pool)) continue;
    char text[120];
    snprintf(text, sizeof text, "a queue buffer of %u bytes at offset %llu of %s is %s at the %s", buffer->bytes,
             (unsigned long long)(buffer->address - sk__pipe_place_of(core, buffer->memory).address),
             sk__mem_name((sk__mem)buffer->memory), buffer->state == SK_BUFFER_ENQUEUED ? "still enqueued" : "not freed",
             pool != NULL ? "reset of its pool" : "end of its TPipe");
    sk__pipe_misuse(core, "QUEUE_LEAK", "call FreeTensor for every tensor that AllocTensor or DeQue gave", text);
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
  sk__core *core = sk__pipe_enter("TPipe::Destroy", SK__SITE());
  sk__pipe_judge_leaks(core, pipe, NULL);
  sk__pipe_wait_free_events(core, pipe, NULL);
  pipe->alive = 0;
  sk__framework *framework = sk__framework_of(core);
  sk__buffers_forget(core);
  if (framework->pipe == pipe) framework->pipe = NULL; /* its storage may be anything from here on */
  sk__pipe_forget_copy(core, pipe);
  if (core->type == SK__AIC)
    for (uint32_t i = 0; i < SK__MMAD_EVENTS; i++) sk__pipe_wait_event(core, pipe, SK__KIND_M_MTE1, (int8_t)i);
  if (with_barrier) end_barrier(core);
}

void sk_pipe_reset(sk_pipe *pipe) {
  sk__core *core = sk__pipe_enter("TPipe::Reset", SK__SITE());
  sk__pipe_judge_leaks(core, pipe, NULL);
  sk__pipe_wait_free_events(core, pipe, NULL);
  sk__buffers_forget(core);
  memset(pipe->used_bytes, 0, sizeof pipe->used_bytes);
  memset(pipe->matmul_address, 0, sizeof pipe->matmul_address);
  memset(pipe->matmul_bytes, 0, sizeof pipe->matmul_bytes);
  pipe->matmul_cleared_bytes = pipe->shared_l1_bytes = 0;
  pipe->buffer_count = pipe->own_count = 0;
  uint8_t kept = pipe->event_taken[SK__KIND_M_MTE1];
  memset(pipe->event_taken, 0, sizeof pipe->event_taken);
  if (core->type == SK__AIC) pipe->event_taken[SK__KIND_M_MTE1] = kept & ((1u << SK__MMAD_EVENTS) - 1u);
}

void *sk_pipe_current(void) {
  sk__core *core = sk__self;
  sk_pipe *pipe = sk__framework_of(core)->pipe;
  if (pipe != NULL) return pipe;
  core->site = SK__SITE();
  core->instr = "GetTPipePtr";
  sk__pipe_must_be_known(core);
  sk__pipe_fatal(core, "QUEUE_STATE", "make a TPipe before it is asked for", "there is no TPipe in this kernel");
}

bool sk__pipe_rest(sk__core *core, sk_memory *rest) {
  sk__pipe_must_be_known(core);
  const sk_pipe *pipe = sk__framework_of(core)->pipe;
  uint32_t used = pipe != NULL && core->type == SK__AIV ? pipe->used_bytes[1] : 0;
  if (used > SCRATCH_OFFSET_BYTES) used = SCRATCH_OFFSET_BYTES;
  *rest = (sk_memory){core->local + used, SCRATCH_OFFSET_BYTES - used};
  return pipe != NULL;
}
sk_memory sk_pipe_rest(void) {
  sk_memory rest;
  sk__pipe_rest(sk__pipe_enter("PopStackBuffer", SK__SITE()), &rest);
  return rest;
}

uint64_t sk_local_address(uint32_t memory, uint32_t offset_bytes) {
  const sk__core *core = sk__self;
  return core == NULL ? 0 : sk__pipe_place_of(core, memory).address + offset_bytes;
}
