/* pipe_event.c - the event ids of a TPipe: taken by queues and by the user, eight of a kind. Flags go through the machine like
 * those a kernel sets by hand. */
#include <stdio.h>

#include "isa/pipe.h"

const sk__event_pipes sk__event_pipes_of[SK_HARD_EVENTS] = {
#define X(src, dst) {SK__PIPE_##src, SK__PIPE_##dst},
    SK_HARD_EVENT_LIST(X)
#undef X
};

void sk__no_event_is_free(sk__core *core, uint32_t kind) {
  char text[96];
  snprintf(text, sizeof text, "all eight event ids from %s to %s are taken", sk__pipe_name(sk__event_pipes_of[kind].src),
           sk__pipe_name(sk__event_pipes_of[kind].dst));
  sk__pipe_fatal(core, "QUEUE_LIMIT", "release event ids, or use fewer buffers at a time", text);
}

static bool kind_legal(sk__core *core, uint32_t kind) {
  if (kind < SK_HARD_EVENTS) return true;
  sk__bad_argument(core, "the event", kind, "HardEvent::MTE2_MTE1..FIX_FIX");
  return false;
}
/* An id for the user. */
static int32_t name_event(sk__core *core, sk_pipe *pipe, uint32_t kind) {
  int32_t id = sk__pipe_take_event(core, pipe, kind);
  pipe->event_given[kind] = (uint8_t)(pipe->event_given[kind] | 1u << (uint32_t)id);
  return id;
}
int32_t sk_event_alloc(sk_pipe *pipe, uint32_t kind) {
  sk__core *core = sk__pipe_enter("AllocEventID", SK__SITE());
  return kind_legal(core, kind) ? name_event(core, pipe, kind) : 0;
}
int32_t sk_event_fetch(sk_pipe *pipe, uint32_t kind) {
  sk__core *core = sk__pipe_enter("FetchEventID", SK__SITE());
  if (!kind_legal(core, kind)) return 0;
  int32_t id = name_event(core, pipe, kind);
  sk__pipe_give_event(pipe, kind, id);
  return id;
}
bool sk__event_was_given(sk__core *core, sk__pipe src, sk__pipe dst, uint32_t id) {
  const sk_pipe *pipe = sk__framework_of(core)->pipe;
  for (uint32_t kind = 0; pipe != NULL && kind < SK_HARD_EVENTS; kind++)
    if (sk__event_pipes_of[kind].src == src && sk__event_pipes_of[kind].dst == dst) return (pipe->event_given[kind] >> id & 1u) != 0;
  return false;
}
void sk_event_release(sk_pipe *pipe, uint32_t kind, int32_t id) {
  sk__core *core = sk__pipe_enter("ReleaseEventID", SK__SITE());
  if (!kind_legal(core, kind)) return;
  if (id < 0 || id > 7) {
    sk__bad_argument(core, "the event id", id, "0..7");
    return;
  }
  if ((pipe->event_taken[kind] >> id & 1u) == 0)
    sk__pipe_misuse(core, "QUEUE_STATE", "release an event id once, after AllocEventID gave it", "the event id is not taken");
  sk__pipe_give_event(pipe, kind, id);
}
