/* two_queues.c - the program of a SuperKernel whose cube and vector cores walk lists of their own. */
#include "fuse/ge/internal.h"

enum { CUBE_TO_VECTOR_FLAG = 13, VECTOR_TO_CUBE_FLAG = 12 };

static void emit_flag(sk__ge_build *b, sk__core_type queue, bool set, uint8_t id) {
  sk__ge_flag_op op = {set, id, set ? 2 : 0, set ? SK__PIPE_MTE3 : 0};
  sk__ge_emit(b, 1u << queue, (sk__ge_step){.kind = set ? SK__GE_STEP_SETFLAG : SK__GE_STEP_WAITFLAG, .flag_count = 1, .flags = {op}});
}

/* Behind a sub. Two subs of one queue that no edge connects are separated by a local barrier only. */
static void emit_sends(sk__ge_build *b, sk__core_type queue, const sk__ge_part *part, bool last) {
  if (part->number + 1 == b->count) return;
  if (part->edges_out != 0 || (part->last_of_stream && part->has_notify)) {
    sk__ge_emit_barrier(b, 1u << queue, SK__PIPE_FIX);
    uint32_t crossing = queue == SK__AIC ? SK__GE_EDGE_CV : SK__GE_EDGE_VC;
    if ((part->edges_out & crossing) != 0) emit_flag(b, queue, true, queue == SK__AIC ? CUBE_TO_VECTOR_FLAG : VECTOR_TO_CUBE_FLAG);
  } else if (!last) {
    sk__ge_emit_kind(b, 1u << queue, SK__GE_STEP_PIPE_ALL);
  }
}

static void emit_receives(sk__ge_build *b, sk__core_type queue, const sk__ge_part *part) {
  uint32_t crossing = queue == SK__AIC ? SK__GE_EDGE_VC : SK__GE_EDGE_CV;
  if ((part->edges_in & crossing) != 0) emit_flag(b, queue, false, queue == SK__AIC ? VECTOR_TO_CUBE_FLAG : CUBE_TO_VECTOR_FLAG);
}

/* Who tells the outside: a MIX sub's vector half, except when an AIC sub comes next in the list. */
static void emit_notifies(sk__ge_build *b, sk__core_type queue, const sk__ge_part *part) {
  sk__core_type notifier = sk__ge_event_queue(part);
  if (sk__ge_is_mix(part->sub->type) && part->number + 1 < b->count && sk__ge_is_aic(part[1].sub->type)) notifier = SK__AIC;
  if (notifier == queue) sk__ge_emit_notifies(b, part, queue);
}

static void emit_outside_waits(sk__ge_build *b, sk__core_type queue, const sk__ge_part *part) {
  if (!part->has_wait) return;
  if (sk__ge_event_queue(part) == queue) sk__ge_emit_waits(b, part);
  if (sk__ge_is_mix(part->sub->type)) sk__ge_emit_kind(b, 1u << queue, SK__GE_STEP_SYNCALL_MIX);
  else sk__ge_emit_barrier(b, 1u << queue, SK__PIPE_FIX);
}

/* The next sub of the same queue behind `part`; NULL none. */
static const sk__ge_part *next_in(const sk__ge_build *b, sk__core_type queue, const sk__ge_part *part) {
  for (const sk__ge_part *next = part + 1; next < b->parts + b->count; next++)
    if (sk__ge_on(next->sub->type, queue)) return next;
  return NULL;
}

static sk_status emit_queue(sk__ge_build *b, sk__core_type queue) {
  const sk__ge_part *before = NULL, *part = b->parts;
  if (b->count > 0 && !sk__ge_on(part->sub->type, queue)) part = next_in(b, queue, part);
  if (part != NULL && b->count > 0 && sk__ge_number(b, SK__GE_KEY_PRELOAD_CODE) == SK__GE_PRELOAD_MAX)
    sk__ge_emit(b, 1u << queue, (sk__ge_step){.kind = SK__GE_STEP_PRELOAD_SK, .units = 8});
  for (const sk__ge_part *next; part != NULL && b->count > 0; before = part, part = next) {
    next = next_in(b, queue, part);
    sk__ge_emit_select(b, 1u << queue, part, before == NULL);
    sk__ge_emit_preloads(b, 1u << queue, part, next, before == NULL);
    if (before == NULL && part->position == 0 && part->sub->recv.count > 0)
      return sk__ge_fail(b->failure, SK__GE_FIRST_RECV, NULL, part->position, -1, "nothing runs before it that could be synchronised");
    if (before != NULL) emit_sends(b, queue, before, false);
    emit_receives(b, queue, part);
    if (before != NULL) emit_notifies(b, queue, before);
    /* the real generator forgets the wait of a queue's first sub, and still clears its word */
    if (before != NULL || !b->emulate) emit_outside_waits(b, queue, part);
    sk__ge_emit_call(b, 1u << queue, part);
    if (next != NULL) continue;
    emit_sends(b, queue, part, true);
    if (part->number + 1 == b->count && part->sub->send.count > 0)
      return sk__ge_fail(b->failure, SK__GE_LAST_SEND, NULL, part->position, -1, "nothing runs behind it that could be synchronised");
    emit_notifies(b, queue, part);
  }
  return SK_OK;
}

static sk_status emit_program(sk__ge_build *b) {
  sk_status status = SK_OK;
  sk__ge_emit_profile(b, SK__GE_BOTH, 0, 0, true);
  sk__ge_emit_clear_workspace(b);
  for (int queue = SK__AIC; queue <= SK__AIV && status == SK_OK; queue++) status = emit_queue(b, (sk__core_type)queue);
  if (status == SK_OK) sk__ge_emit_end(b);
  return status;
}

sk_status sk__ge_two_queues(sk__ge_build *b) {
  sk_status status = sk__ge_edges(b);
  if (status == SK_OK) status = emit_program(b);
  if (status != SK_OK || b->emulate || !sk__ge_hangs(b->out)) return status;
  /* the real generator's barrier of both core types, before calls that one of them makes, does not meet */
  b->separate = true;
  b->out->queue[SK__AIC].count = b->out->queue[SK__AIV].count = 0;
  return emit_program(b);
}
