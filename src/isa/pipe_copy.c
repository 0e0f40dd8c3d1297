/* pipe_copy.c - a TPipe that is copied, as the chip has it: an object like others. Both are alive then, and each waits for the
 * events that it holds when it ends. A queue goes on with the buffers of the pipe that made them, the framework with the pipe
 * that it knows, and nobody watches over the buffers of a copy. */
#include <string.h>

#include "isa/pipe.h"

#define REMEDY "make the object with its TPipe where it stays, or give it a pointer to a TPipe of the kernel"

void sk__pipe_forget_copy(sk__core *core, const sk_pipe *pipe) {
  sk__framework *framework = sk__framework_of(core);
  for (uint32_t i = 0; i < framework->copy_count; i++)
    if (framework->copies[i] == pipe) framework->copies[i] = framework->copies[--framework->copy_count];
}

void sk_pipe_copy(sk_pipe *to, const sk_pipe *from) {
  if (to == from) return;
  memcpy(to, from, offsetof(sk_pipe, buffers));
  memcpy(to->buffers, from->buffers, from->buffer_count * sizeof(sk_buffer));
  if (sk__self == NULL) return; /* objects of host code */
  sk__core *core = sk__pipe_enter("TPipe", SK__SITE());
  sk__framework *framework = sk__framework_of(core);
  sk__pipe_forget_copy(core, to);
  if (!to->alive) return;
  for (uint32_t i = 0; i < to->buffer_count; i++)
    if (to->buffers[i].state == SK_BUFFER_RELEASED) to->buffers[i].state = SK_BUFFER_FREE;
  if (framework->pipe == to) return;
  if (framework->copy_count == SK__PIPE_COPIES)
    sk__pipe_fatal(core, "NOT_MODELLED", "use references to one TPipe", "more than 8 copies of a TPipe are alive");
  framework->copies[framework->copy_count++] = to;
  core->pipe_copied = true;
}

void sk__pipe_must_be_known(sk__core *core) {
  const sk__framework *framework = sk__framework_of(core);
  if (core->pipe_copied && framework->pipe == NULL)
    sk__pipe_fatal(core, "QUEUE_STATE", REMEDY, "the TPipe that was copied is gone, and its copy is not the framework's");
}

void sk__pipe_find_copy(sk__core *core, const sk_pipe *pipe) {
  const sk__framework *framework = sk__framework_of(core);
  if (framework->pipe == pipe) return;
  for (uint32_t i = 0; i < framework->copy_count; i++)
    if (framework->copies[i] == pipe) return;
  sk__pipe_fatal(core, "QUEUE_STATE", REMEDY, "the TPipe that gave this queue its buffers was copied and is gone");
}
