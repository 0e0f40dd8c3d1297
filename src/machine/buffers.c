/* buffers.c - buffers of the living pipe as what operands are held to: an operand that begins in one ends in it, and between
 * FreeTensor and the next AllocTensor a queue's buffer is nobody's. In UB chunks name the buffer that begins in them or that
 * they are part of, so that an operand inside it costs nothing; all others come to the judge. Of a buffer that was given back
 * the chunks keep the name, but nothing lies inside. Buffers of pools, and those that a kernel places itself, may lie over one
 * another: they have no name, and operands end in the pool, or in one of the buffers they begin in. */
#include <stdio.h>

#include "machine/framework.h"
#include "machine/internal.h"

static bool holds(const sk_buffer *buffer, uint64_t address) { return address - buffer->address < buffer->bytes; }

static bool is_released(const sk_buffer *buffer) { return buffer->queued && buffer->state == SK_BUFFER_RELEASED; }

/* In its memory. */
static uint64_t offset_of(const sk__core *core, const sk_buffer *buffer) {
  return buffer->address - core->local - core->machine->mem_offset[buffer->memory];
}

/* Its name in the chunks of UB; 0: it may lie over others, so what begins in it is always judged. */
static uint32_t number_of(const sk_pipe *pipe, const sk_buffer *buffer) {
  return buffer->pool != NULL || buffer->own_place ? 0 : (uint32_t)(buffer - pipe->buffers) + 1;
}

void sk__buffer_note(sk__core *core, const sk_pipe *pipe, const sk_buffer *buffer) {
  if (!core->checks || core->framework->pipe != pipe || buffer->memory != SK__MEM_UB) return;
  uint32_t number = number_of(pipe, buffer);
  if (number == 0) sk__ub_map_buffer(core, 0, 0, 0);
  else sk__ub_map_buffer(core, number, offset_of(core, buffer), buffer->bytes);
}

void sk__buffers_forget(sk__core *core) {
  core->framework->released = 0;
  sk__ub_unmap_buffers(core);
}

void sk__released_note(sk__core *core, const sk_pipe *pipe, const sk_buffer *buffer) {
  if (!core->checks || core->framework->pipe != pipe || buffer->memory != SK__MEM_UB) return;
  core->framework->released++;
  /* Without a name: inside of what is nobody's there is nothing anyway. */
  if (core->framework->mapped) core->ub->stretch[number_of(pipe, buffer)].bytes = 0;
}

void sk__released_take(sk__core *core, const sk_pipe *pipe, const sk_buffer *buffer) {
  sk__framework *framework = core->framework;
  if (!core->checks || framework->pipe != pipe || buffer->memory != SK__MEM_UB || framework->released == 0) return;
  framework->released--;
  uint32_t number = number_of(pipe, buffer);
  if (framework->mapped && number != 0) core->ub->stretch[number].bytes = buffer->bytes;
}

static sk__finding begin(sk__core *core, const char *id, sk__mem mem, uint64_t address, uint64_t bytes) {
  sk__finding finding = sk__core_finding(core, id, SK__CAT_OPERATOR, SK__ERROR);
  finding.ends[0].role = "uses";
  finding.ends[0].address = address;
  finding.ends[0].bytes = bytes;
  finding.ends[0].mem = mem;
  return finding;
}

static __attribute__((noinline, cold)) void tell_beyond(sk__core *core, const sk_buffer *buffer, uint64_t address, uint64_t bytes,
                                                        const char *operand) {
  sk__mem mem = (sk__mem)buffer->memory;
  uint64_t at = address - buffer->address;
  sk__finding finding = begin(core, "TENSOR_OVERFLOW", mem, address, bytes);
  snprintf(finding.message, sizeof finding.message, "%s of %s reaches %llu bytes beyond its buffer of %u bytes at %s offset %llu: %llu bytes from byte %llu of it",
           operand, core->instr != NULL ? core->instr : "an instruction", (unsigned long long)(at + bytes - buffer->bytes), buffer->bytes,
           sk__mem_name(mem), (unsigned long long)offset_of(core, buffer), (unsigned long long)bytes, (unsigned long long)at);
  snprintf(finding.remedy, sizeof finding.remedy, "make the buffer larger, or repeats, strides and counts smaller");
  sk__report(core->checker, &finding);
}

static __attribute__((noinline, cold)) void tell_released(sk__core *core, const sk_buffer *buffer, uint64_t address, uint64_t bytes,
                                                 const char *what) {
  sk__mem mem = (sk__mem)buffer->memory;
  sk__finding finding = begin(core, "QUEUE_USE_AFTER_FREE", mem, address, bytes);
  (void)sk__finding_end(&finding, core, "frees", buffer->released_at, "FreeTensor");
  snprintf(finding.message, sizeof finding.message, "%s%s%s lies in a queue's buffer of %u bytes at %s offset %llu, which FreeTensor has given back",
           what != NULL ? what : "", what != NULL ? " of " : "", core->instr != NULL ? core->instr : "an instruction", buffer->bytes,
           sk__mem_name(mem), (unsigned long long)offset_of(core, buffer));
  snprintf(finding.remedy, sizeof finding.remedy, "free a tensor after its last use");
  sk__report(core->checker, &finding);
}

/* Where an operand that begins in the buffer has to end. */
static uint64_t end_of(const sk_buffer *buffer) {
  return buffer->pool != NULL ? buffer->pool->address + buffer->pool->bytes : buffer->address + buffer->bytes;
}

void sk__buffers_judge(sk__core *core, sk__mem mem, uint64_t address, uint64_t bytes, const char *operand) {
  const sk_pipe *pipe = sk__framework_of(core)->pipe;
  const sk_buffer *released = NULL, *beyond = NULL;
  bool fits = false, owned = false;
  for (uint32_t i = 0; pipe != NULL && i < pipe->buffer_count; i++) {
    const sk_buffer *buffer = &pipe->buffers[i];
    if (buffer->memory != mem || buffer->retired || !holds(buffer, address)) continue;
    if (address + bytes <= end_of(buffer)) fits = true;
    else beyond = buffer;
    if (is_released(buffer)) released = buffer;
    else owned |= !buffer->queued || (buffer->state != SK_BUFFER_FREE && buffer->state != SK_BUFFER_UNPLACED); /* pools may share memory */
  }
  if (released != NULL && !owned) tell_released(core, released, address, bytes, operand);
  else if (beyond != NULL && !fits && operand != NULL) tell_beyond(core, beyond, address, bytes, operand);
}
