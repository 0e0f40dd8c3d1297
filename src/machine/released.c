/* released.c - buffers of queues between FreeTensor and the next AllocTensor: nobody's. Who touches one is told. In UB their
 * chunks have a stretch of no bytes, so that operands that begin in them come to the judge and all others cost nothing. */
#include <stdio.h>
#include <string.h>

#include "machine/framework.h"
#include "machine/internal.h"

enum { CHUNK_BYTES = 256 };

static bool holds(const sk_buffer *buffer, uint64_t address) { return address - buffer->address < buffer->bytes; }

/* Of the pipe that is alive, with checks: then it counts. */
static bool counts(sk__core *core, const sk_buffer *buffer) {
  const sk_pipe *pipe = sk__framework_of(core)->pipe;
  return core->checks && pipe != NULL && buffer >= pipe->buffers && buffer < pipe->buffers + SK_BUFFER_RECORDS;
}

static bool is_released(const sk_buffer *buffer) { return buffer->queued && buffer->state == SK_BUFFER_RELEASED; }

/* Chunks of UB that the buffer has a part in. A kernel that declares arrays too has all operands outside of them judged. */
static void name_chunks(sk__core *core, const sk_buffer *buffer, uint8_t stretch) {
  uint64_t offset = buffer->address - core->local, end = offset + buffer->bytes, first = offset / CHUNK_BYTES;
  if (buffer->memory != SK__MEM_UB || end > (uint64_t)CHUNK_BYTES * SK__UB_CHUNKS || core->ub->stretch[0].bytes == 0) return;
  memset(core->ub->of_chunk + first, stretch, (end + CHUNK_BYTES - 1) / CHUNK_BYTES - first);
}
static bool shares_chunks(const sk__core *core, const sk_buffer *buffer) {
  return ((buffer->address - core->local) | buffer->bytes) % CHUNK_BYTES != 0;
}

void sk__released_forget(sk__core *core) {
  sk__framework *framework = sk__framework_of(core);
  if (!framework->marked) return;
  memset(framework->released, 0, sizeof framework->released);
  framework->marked = false;
  for (uint32_t chunk = 0; chunk < SK__UB_CHUNKS; chunk++)
    if (core->ub->of_chunk[chunk] == SK__UB_CLOSELY) core->ub->of_chunk[chunk] = 0;
}

void sk__released_note(sk__core *core, const sk_buffer *buffer) {
  sk__framework *framework = sk__framework_of(core);
  if (!counts(core, buffer)) return;
  framework->released[buffer->memory]++;
  framework->marked = true;
  name_chunks(core, buffer, SK__UB_CLOSELY);
}

void sk__released_take(sk__core *core, const sk_buffer *buffer) {
  sk__framework *framework = sk__framework_of(core);
  const sk_pipe *pipe = framework->pipe;
  if (!counts(core, buffer) || framework->released[buffer->memory] == 0) return;
  framework->released[buffer->memory]--;
  name_chunks(core, buffer, 0);
  if (!shares_chunks(core, buffer)) return;
  for (uint32_t i = 0; i < pipe->buffer_count; i++) {
    const sk_buffer *other = &pipe->buffers[i];
    if (other != buffer && is_released(other) && other->address < buffer->address + buffer->bytes + CHUNK_BYTES &&
        other->address + other->bytes + CHUNK_BYTES > buffer->address)
      name_chunks(core, other, SK__UB_CLOSELY);
  }
}

static __attribute__((noinline, cold)) void tell(sk__core *core, const sk_buffer *buffer, uint64_t address, uint64_t bytes,
                                                 const char *what) {
  sk__finding finding = sk__core_finding(core, "QUEUE_USE_AFTER_FREE", SK__CAT_OPERATOR, SK__ERROR);
  sk__mem mem = (sk__mem)buffer->memory;
  finding.ends[0].role = "uses";
  finding.ends[0].address = address;
  finding.ends[0].bytes = bytes;
  finding.ends[0].mem = mem;
  (void)sk__finding_end(&finding, core, "frees", buffer->released_at, "FreeTensor");
  snprintf(finding.message, sizeof finding.message, "%s%s%s lies in a queue's buffer of %u bytes at %s offset %llu, which FreeTensor has given back",
           what != NULL ? what : "", what != NULL ? " of " : "", core->instr != NULL ? core->instr : "an instruction", buffer->bytes,
           sk__mem_name(mem), (unsigned long long)(buffer->address - core->local - core->machine->mem_offset[mem]));
  snprintf(finding.remedy, sizeof finding.remedy, "free a tensor after its last use");
  sk__report(core->checker, &finding);
}

void sk__released_judge(sk__core *core, sk__mem mem, uint64_t address, uint64_t bytes, const char *operand) {
  const sk__framework *framework = sk__framework_of(core);
  const sk_pipe *pipe = framework->pipe;
  const sk_buffer *released = NULL;
  for (uint32_t i = 0; pipe != NULL && i < pipe->buffer_count; i++) {
    const sk_buffer *buffer = &pipe->buffers[i];
    if (buffer->memory != mem || buffer->retired || !holds(buffer, address)) continue;
    if (is_released(buffer)) released = buffer;
    else if (!buffer->queued || (buffer->state != SK_BUFFER_FREE && buffer->state != SK_BUFFER_UNPLACED)) return; /* pools may share memory */
  }
  if (released != NULL) tell(core, released, address, bytes, operand);
}
