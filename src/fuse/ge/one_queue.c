/* one_queue.c - the program of a SuperKernel whose subs run one after another. */
#include "fuse/ge/internal.h"

enum { AIC, AIV, MIX };
static int kind_of(const sk__ge_part *part) { return sk__ge_is_aic(part->sub->type) ? AIC : sk__ge_is_aiv(part->sub->type) ? AIV : MIX; }

/* ---- early start ----------------------------------------------------------------------------- */

static const sk__ge_flag_op set_11 = {1, 11, 0, SK__PIPE_FIX}, set_14 = {1, 14, 0, SK__PIPE_MTE3};
#define WAIT(id) {0, id, 0, 0}
#define SET(id) {1, id, 2, SK__PIPE_MTE3}
/* What each core type does between a sub of the row's kind and one of the column's, the set of 11 or 14
 * left out: that was done when the first one ended. */
typedef struct action { uint8_t count; sk__ge_flag_op ops[3]; } action;
static const action actions[3][3][2] = {
    [AIC] = {[AIC] = {{1, {WAIT(11)}}, {0}}, [AIV] = {{2, {WAIT(11), SET(13)}}, {1, {WAIT(13)}}}, [MIX] = {{2, {WAIT(11), SET(13)}}, {1, {WAIT(13)}}}},
    [AIV] = {[AIC] = {{1, {WAIT(12)}}, {2, {WAIT(14), SET(12)}}}, [AIV] = {{0}, {1, {WAIT(14)}}}, [MIX] = {{1, {WAIT(12)}}, {2, {WAIT(14), SET(12)}}}},
    [MIX] = {[AIC] = {{2, {WAIT(11), WAIT(12)}}, {2, {WAIT(14), SET(12)}}},
             [AIV] = {{2, {WAIT(11), SET(13)}}, {2, {WAIT(14), WAIT(13)}}},
             [MIX] = {{3, {WAIT(11), SET(13), WAIT(12)}}, {3, {WAIT(14), SET(12), WAIT(13)}}}},
};
#undef WAIT
#undef SET

/* The cores of `type` that the sub itself serves are left out when it makes the call itself. */
static sk__ge_step early_step(sk__ge_step_kind kind, const sk__ge_part *part, int type, bool own_call) {
  bool some = own_call && !part->sub->dynamic && sk__ge_on(part->sub->type, (sk__core_type)type);
  return (sk__ge_step){.kind = kind, .some = some, .count = some ? part->blocks : 0,
                       .by = some && type == SK__AIV && kind_of(part) == MIX ? SK__GE_BY_BLOCK : SK__GE_BY_CORE};
}

static void emit_early_start(sk__ge_build *b, const sk__ge_part *before, const sk__ge_part *part) {
  int from = kind_of(before), to = kind_of(part);
  for (int type = SK__AIC; type <= SK__AIV; type++) {
    if (sk__ge_on(before->sub->type, (sk__core_type)type)) {
      sk__ge_step set = early_step(SK__GE_STEP_ES_SET, before, type, before->sub->es_set);
      set.flag_count = 1;
      set.flags[0] = type == SK__AIC ? set_11 : set_14;
      sk__ge_emit(b, 1u << type, set);
    }
    sk__ge_emit(b, 1u << type, (sk__ge_step){.kind = SK__GE_STEP_ES_CFG, .number = from * 4 + to});
    const action *what = &actions[from][to][type];
    if (what->count == 0) continue;
    sk__ge_step wait = early_step(SK__GE_STEP_ES_WAIT, part, type, part->sub->es_wait);
    wait.flag_count = what->count;
    for (int i = 0; i < what->count; i++) wait.flags[i] = what->ops[i];
    sk__ge_emit(b, 1u << type, wait);
  }
}

/* ---- between two subs ------------------------------------------------------------------------ */

static void emit_between(sk__ge_build *b, const sk__ge_part *before, const sk__ge_part *part) {
  if (b->early) emit_early_start(b, before, part);
  else sk__ge_emit_full_barrier(b);
}

/* A wait is done by one block of one core type; where the barrier behind it does not gather that type, an
 * extra one does. SK_INVALID_ARGUMENT: here the real generator stops. */
static sk_status emit_extra_barrier(sk__ge_build *b, const sk__ge_part *before, const sk__ge_part *part) {
  bool waits = b->emulate || part->has_wait; /* the real one looks at inner events as well */
  if (kind_of(before) == AIC && kind_of(part) != AIC) {
    if (waits) sk__ge_emit_kind(b, SK__GE_BOTH, SK__GE_STEP_SYNCALL_V);
  } else if (kind_of(before) == AIV && kind_of(part) == AIC) {
    if (b->emulate) {
      sk_status status = sk__ge_fail(b->failure, SK__GE_CRASH, NULL, UINT32_MAX, -1, "barrier behind the wait of operator %u", part->position);
      b->failure->crash = "helper undefined";
      return status;
    }
    if (waits) sk__ge_emit_barrier(b, SK__GE_AIC_BIT, SK__PIPE_FIX);
  }
  return SK_OK;
}

/* Between early-starting subs the barriers gather one core type only; as recorded: told, not repaired. */
static void warn_open(sk__ge_build *b, const sk__ge_part *before, const sk__ge_part *part) {
  int from = kind_of(before), to = kind_of(part);
  if (!b->early) return;
  if (part->has_wait && before->sub->send.count == 0 && from == AIC && to == MIX)
    sk__ge_warn(b, "operator %u waits for the outside on its vector cores, and no barrier of the AIC cores lies between the wait and its cube half (H36)", part->position);
  if (before->has_notify && from == MIX && to == AIC)
    sk__ge_warn(b, "operator %u notifies the outside from its vector cores, and no barrier of the AIC cores lies between its cube half and the notify (H31)", before->position);
}

static sk_status emit_events_and_barrier(sk__ge_build *b, const sk__ge_part *before, const sk__ge_part *part) {
  bool receives = part->sub->recv.count > 0, sends = before->sub->send.count > 0;
  sk__core_type notifier = sk__ge_event_queue(before);
  warn_open(b, before, part);
  if (receives && sends) {
    emit_between(b, before, part);
    sk__ge_emit_notifies(b, before, notifier);
    sk__ge_emit_waits(b, part);
    if (part->has_wait) sk__ge_emit_full_barrier(b);
    return SK_OK;
  }
  if (receives) {
    sk__ge_emit_waits(b, part);
    sk_status status = emit_extra_barrier(b, before, part);
    if (status != SK_OK) return status;
  }
  emit_between(b, before, part);
  sk__ge_emit_notifies(b, before, notifier);
  return SK_OK;
}

sk_status sk__ge_one_queue(sk__ge_build *b) {
  sk__ge_emit_clear_workspace(b);
  if (sk__ge_number(b, SK__GE_KEY_PRELOAD_CODE) == SK__GE_PRELOAD_MAX) sk__ge_emit(b, SK__GE_BOTH, (sk__ge_step){.kind = SK__GE_STEP_PRELOAD_SK, .units = 8});
  sk__ge_emit_profile(b, SK__GE_BOTH, 0, 0, true);
  for (size_t i = 0; i < b->count; i++) {
    const sk__ge_part *part = &b->parts[i], *next = i + 1 < b->count ? part + 1 : NULL;
    sk__ge_emit_select(b, SK__GE_BOTH, part, i == 0);
    sk__ge_emit_preloads(b, SK__GE_BOTH, part, next, i == 0);
    if (i == 0 && part->sub->recv.count > 0) return sk__ge_fail(b->failure, SK__GE_FIRST_RECV, NULL, part->position, -1, "nothing runs before it that could be synchronised");
    sk_status status = i > 0 ? emit_events_and_barrier(b, part - 1, part) : SK_OK;
    if (status != SK_OK) return status;
    sk__ge_emit_call(b, SK__GE_BOTH, part);
    if (next == NULL && part->sub->send.count > 0) return sk__ge_fail(b->failure, SK__GE_LAST_SEND, NULL, part->position, -1, "nothing runs behind it that could be synchronised");
  }
  sk__ge_emit_end(b);
  return SK_OK;
}
