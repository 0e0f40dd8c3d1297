/* pipe_event.c - the event ids of a TPipe: taken by queues and by the user, eight of a kind. Flags go through the machine like
 * those a kernel sets by hand. */
#include <stdio.h>

#include "isa/pipe.h"

#define EVENT_IDS 8u
#define ALL_IDS 0xffu

static const struct { uint8_t src, dst; } event_pipes[] = {
#define X(src, dst) {SK__PIPE_##src, SK__PIPE_##dst},
    SK_HARD_EVENT_LIST(X)
#undef X
};
_Static_assert(sizeof event_pipes / sizeof *event_pipes == SK_HARD_EVENTS, "a bit field per kind");

static int8_t take_event(sk__core *core, sk_pipe *pipe, uint32_t kind) {
  uint32_t free_ids = ~(uint32_t)pipe->event_taken[kind] & ALL_IDS;
  if (free_ids == 0) {
    char text[96];
    snprintf(text, sizeof text, "all eight event ids from %s to %s are taken", sk__pipe_name(event_pipes[kind].src),
             sk__pipe_name(event_pipes[kind].dst));
    sk__pipe_fatal(core, "QUEUE_LIMIT", "release event ids, or use fewer buffers at a time", text);
  }
  uint32_t id = (uint32_t)__builtin_ctz(free_ids);
  pipe->event_taken[kind] = (uint8_t)(pipe->event_taken[kind] | 1u << id);
  return (int8_t)id;
}
static void give_event(sk_pipe *pipe, uint32_t kind, int32_t id) {
  pipe->event_taken[kind] = (uint8_t)(pipe->event_taken[kind] & ~(1u << (uint32_t)id));
}
int8_t sk__pipe_set_event(sk__core *core, sk_pipe *pipe, uint32_t kind) {
  int8_t id = take_event(core, pipe, kind);
  sk__set_flag(core, event_pipes[kind].src, event_pipes[kind].dst, (uint32_t)id);
  return id;
}
void sk__pipe_wait_event(sk__core *core, sk_pipe *pipe, uint32_t kind, int8_t id) {
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
  sk__core *core = sk__pipe_enter("AllocEventID", SK__SITE());
  return kind_legal(core, kind) ? name_event(core, pipe, kind) : 0;
}
int32_t sk_event_fetch(sk_pipe *pipe, uint32_t kind) {
  sk__core *core = sk__pipe_enter("FetchEventID", SK__SITE());
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
  sk__core *core = sk__pipe_enter("ReleaseEventID", SK__SITE());
  if (!kind_legal(core, kind)) return;
  if (id < 0 || id >= (int32_t)EVENT_IDS) {
    sk__bad_argument(core, "the event id", id, "0..7");
    return;
  }
  if ((pipe->event_taken[kind] >> id & 1u) == 0)
    sk__pipe_misuse(core, "QUEUE_STATE", "release an event id once, after AllocEventID gave it", "the event id is not taken");
  give_event(pipe, kind, id);
}
