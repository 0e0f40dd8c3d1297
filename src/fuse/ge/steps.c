/* steps.c - the pieces that programs of one and of two queues are made of. */
#include "base/memory.h"
#include "fuse/ge/internal.h"

enum { UNIT_BYTES = 2048, MAX_TEXT_BYTES = 16384, WHOLE_UNITS = 8 };

void sk__ge_emit(sk__ge_build *b, unsigned queues, sk__ge_step step) {
  for (int type = SK__AIC; type <= SK__AIV; type++) {
    sk__ge_queue *queue = &b->out->queue[type];
    if ((queues & 1u << type) == 0 || !queue->launched) continue;
    if (queue->count == queue->capacity) {
      size_t capacity = queue->capacity * 2 + 64;
      sk__ge_step *grown = sk__arena_array(b->arena, sk__ge_step, capacity);
      if (grown == NULL) {
        b->no_memory = true;
        return;
      }
      for (size_t i = 0; i < queue->count; i++) grown[i] = queue->items[i];
      queue->items = grown;
      queue->capacity = capacity;
    }
    queue->items[queue->count++] = step;
  }
}

void sk__ge_emit_kind(sk__ge_build *b, unsigned queues, sk__ge_step_kind kind) { sk__ge_emit(b, queues, (sk__ge_step){.kind = kind}); }

static sk__ge_step barrier_step(sk__core_type type, sk__pipe pipe) {
  return (sk__ge_step){.kind = SK__GE_STEP_BAR, .flag_count = 1, .flags = {{1, type == SK__AIC ? 11 : 14, 0, (uint8_t)pipe}}};
}

/* Own barrier of each queue. */
void sk__ge_emit_barrier(sk__ge_build *b, unsigned queues, sk__pipe aic_pipe) {
  sk__ge_emit(b, queues & SK__GE_AIC_BIT, barrier_step(SK__AIC, aic_pipe));
  sk__ge_emit(b, queues & SK__GE_AIV_BIT, barrier_step(SK__AIV, SK__PIPE_MTE3));
}

/* All cores of the launch. */
void sk__ge_emit_full_barrier(sk__ge_build *b) {
  if (sk__ge_is_mix(b->out->type)) sk__ge_emit_kind(b, SK__GE_BOTH, SK__GE_STEP_SYNCALL_MIX);
  else sk__ge_emit_barrier(b, SK__GE_BOTH, SK__PIPE_FIX);
}

void sk__ge_emit_clear_workspace(sk__ge_build *b) {
  const sk__ge_program *out = b->out;
  if ((out->features & SK__GE_FEATURE_FEED) == 0) return;
  unsigned by = out->type == SK_MIX_AIC_1_0 ? SK__GE_AIC_BIT : SK__GE_AIV_BIT;
  /* each core clears bytes / blocks; in a 1:2 launch there are two vector cores per block */
  uint64_t bytes = out->type == SK_MIX_AIC_1_2 ? out->workspace_bytes / 2 : out->workspace_bytes;
  sk__ge_emit(b, by, (sk__ge_step){.kind = SK__GE_STEP_ZERO, .number = (int64_t)bytes});
  sk__ge_emit_kind(b, by, SK__GE_STEP_PIPE_ALL);
  sk__ge_emit_barrier(b, by, SK__PIPE_FIX);
  if (!sk__ge_is_mix(out->type)) return;
  sk__ge_emit(b, SK__GE_AIV_BIT, (sk__ge_step){.kind = SK__GE_STEP_SETFLAG, .flag_count = 1, .flags = {{1, 12, 2, SK__PIPE_MTE3}}});
  sk__ge_emit(b, SK__GE_AIC_BIT, (sk__ge_step){.kind = SK__GE_STEP_WAITFLAG, .flag_count = 1, .flags = {{0, 12, 0, 0}}});
}

void sk__ge_emit_profile(sk__ge_build *b, unsigned queues, int64_t index, uint8_t kind, bool begin) {
  if (sk__ge_number(b, SK__GE_KEY_PROFILING) == 0) return;
  sk__ge_emit(b, queues, (sk__ge_step){.kind = SK__GE_STEP_PROF, .number = index, .prof_kind = kind, .begin = begin});
}

/* ---- instruction cache ----------------------------------------------------------------------- */

static uint8_t index_of(const sk__ge_part *part, int type) {
  return type == SK__AIV && sk__ge_is_mix(part->sub->type) ? SK__GE_BY_BLOCK : SK__GE_BY_CORE;
}

static void emit_preload(sk__ge_build *b, unsigned queues, const sk__ge_part *part) {
  if (part->sub->dynamic) return;
  for (int type = SK__AIC; type <= SK__AIV; type++) {
    if (!sk__ge_on(part->sub->type, (sk__core_type)type)) continue;
    uint32_t bytes = part->sub->text_bytes[type] < MAX_TEXT_BYTES ? part->sub->text_bytes[type] : MAX_TEXT_BYTES;
    sk__ge_emit(b, queues & 1u << type, (sk__ge_step){.kind = SK__GE_STEP_PRELOAD, .sub = part->position, .by = index_of(part, type),
                                                       .count = part->blocks, .units = (uint8_t)((bytes + UNIT_BYTES - 1) / UNIT_BYTES)});
  }
}

/* One ahead: the first sub before everything, each other one before the sub in front of it runs. */
void sk__ge_emit_preloads(sk__ge_build *b, unsigned queues, const sk__ge_part *part, const sk__ge_part *next, bool first) {
  if (sk__ge_number(b, SK__GE_KEY_PRELOAD_CODE) != SK__GE_PRELOAD_PER_FUNC) return;
  if (first) emit_preload(b, queues, part);
  if (next != NULL) emit_preload(b, queues, next);
}

/* ---- dynamic subs ---------------------------------------------------------------------------- */

static void emit_flush(sk__ge_build *b, unsigned queues, bool wanted) {
  if (wanted) sk__ge_emit_kind(b, queues, SK__GE_STEP_DCCI);
}

void sk__ge_emit_select(sk__ge_build *b, unsigned queues, const sk__ge_part *part, bool first) {
  if (!part->sub->dynamic) return;
  uint32_t lock = part->lock_param;
  sk__ge_emit(b, queues, (sk__ge_step){.kind = SK__GE_STEP_SELECT, .sub = part->position, .param = {lock - 2, lock - 1, lock}});
  if (b->out->type == SK_MIX_AIV_1_0) {
    emit_flush(b, queues, part->flush_before);
    sk__ge_emit(b, queues, (sk__ge_step){.kind = SK__GE_STEP_PRELOAD, .sub = part->position, .count = part->blocks, .units = WHOLE_UNITS});
    emit_flush(b, queues, part->flush_after);
  }
  if (!first || b->out->queue_count == 2) return;
  sk__ge_emit_kind(b, queues, SK__GE_STEP_PIPE_ALL);
  if (b->emulate) sk__ge_emit_kind(b, queues, SK__GE_STEP_SYNCALL_MIX); /* also where one core type only is launched */
  else sk__ge_emit_full_barrier(b);
}

/* All selections of the cores that take part are done before anybody calls what was selected. */
static void emit_selection_barrier(sk__ge_build *b, unsigned queues, const sk__ge_part *part) {
  if (b->out->queue_count == 1) return;
  if (!b->separate || sk__ge_is_mix(part->sub->type)) sk__ge_emit_kind(b, queues, SK__GE_STEP_SYNCALL_MIX);
  else sk__ge_emit_barrier(b, queues, SK__PIPE_FIX);
}

static bool has_vector_tiling(const sk__ge_sub *sub) {
  for (size_t i = 0; i < sub->tiling_count; i++)
    if (sk__ge_is_aiv(sub->tilings[i].type)) return true;
  return false;
}

static void emit_dynamic_call(sk__ge_build *b, unsigned queues, const sk__ge_part *part, bool feed) {
  if (feed && b->emulate) return; /* the real generator has no such call and writes nothing */
  const sk__ge_program *out = b->out;
  /* an AI core has two vector cores in a 1:2 launch; the real generator lets half of them run */
  bool doubled = !b->emulate && out->type == SK_MIX_AIC_1_2 && has_vector_tiling(part->sub);
  emit_selection_barrier(b, queues, part);
  emit_flush(b, queues, part->flush_before);
  for (int type = SK__AIC; type <= SK__AIV; type++)
    sk__ge_emit(b, queues & 1u << type, (sk__ge_step){.kind = SK__GE_STEP_DFUNC, .sub = part->position, .count = out->blocks,
                                                       .vector_count = out->blocks * (doubled && type == SK__AIV ? 2 : 1), .copies = (uint8_t)out->copies,
                                                       .feed = feed ? SK__GE_FEED_PUBLISH_END | SK__GE_FEED_REPLAY : 0});
  emit_flush(b, queues, part->flush_after);
  sk__core_type unlocker = sk__ge_is_aiv(part->sub->type) ? SK__AIV : SK__AIC;
  sk__ge_emit(b, queues & 1u << unlocker, (sk__ge_step){.kind = SK__GE_STEP_UNLOCK, .param = {part->lock_param}});
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void emit_static_call(sk__ge_build *b, unsigned queues, const sk__ge_part *part, bool feed) {
  uint8_t bits = 0;
  if (feed) bits = SK__GE_FEED_PUBLISH_END | SK__GE_FEED_REPLAY;
  /* defects of the real generator: without code copies nobody tells the end; and the flush behind the call
   * stands between the two branches, which makes its text invalid */
  if (feed && b->emulate && b->out->copies == 1) bits &= (uint8_t)~SK__GE_FEED_PUBLISH_END;
  bool broken = feed && b->emulate && part->flush_after;
  if (broken) bits &= (uint8_t)~SK__GE_FEED_REPLAY;
  for (int type = SK__AIC; type <= SK__AIV; type++) {
    unsigned queue = queues & 1u << type;
    if (queue == 0 || !sk__ge_on(part->sub->type, (sk__core_type)type)) continue;
    emit_flush(b, queue, part->flush_before);
    sk__ge_emit(b, queue, (sk__ge_step){.kind = SK__GE_STEP_FUNC, .sub = part->position, .by = index_of(part, type), .count = part->blocks,
                                        .copies = (uint8_t)b->out->copies, .feed = bits});
    emit_flush(b, queue, part->flush_after);
    if (broken) sk__ge_emit_kind(b, queue, SK__GE_STEP_REPLAY);
  }
  b->out->invalid_code = b->out->invalid_code || broken;
}

static void emit_debug(sk__ge_build *b, unsigned queues) {
  if (sk__ge_number(b, SK__GE_KEY_DEBUG_DCCI_ALL) != 0) {
    sk__ge_emit_kind(b, queues, SK__GE_STEP_PIPE_ALL);
    sk__ge_emit_kind(b, queues, SK__GE_STEP_DCCI);
  }
  if (sk__ge_number(b, SK__GE_KEY_DEBUG_SYNC_ALL) == 0) return;
  if (b->out->queue_count == 1) {
    sk__ge_emit_full_barrier(b);
  } else {
    sk__ge_emit_kind(b, queues, SK__GE_STEP_PIPE_ALL);
    sk__ge_emit_barrier(b, queues, SK__PIPE_MTE3);
  }
}

/* From the switch of SyncAll feeding to the time record behind the debug barriers. */
void sk__ge_emit_call(sk__ge_build *b, unsigned queues, const sk__ge_part *part) {
  enum { WORD_BYTES = 64, PROF_SUB = 8 };
  bool feeding = (b->out->features & SK__GE_FEATURE_FEED) != 0, feed = feeding && sk__ge_needs_feed(b, part);
  if (feeding)
    for (int type = SK__AIC; type <= SK__AIV; type++) {
      int64_t offset = feed ? WORD_BYTES * (part->number + (type == SK__AIV ? (int64_t)b->count : 0)) : -1;
      sk__ge_emit(b, queues & 1u << type, (sk__ge_step){.kind = SK__GE_STEP_FEED, .number = offset});
    }
  sk__ge_emit_profile(b, queues, part->number + 1, PROF_SUB, true);
  if (part->sub->dynamic) emit_dynamic_call(b, queues, part, feed);
  else emit_static_call(b, queues, part, feed);
  emit_debug(b, queues);
  sk__ge_emit_profile(b, queues, part->number + 1, PROF_SUB, false);
}

/* ---- events with the outside ----------------------------------------------------------------- */

static void emit_event(sk__ge_build *b, unsigned queue, sk__ge_step_kind kind, int64_t event, uint32_t param) {
  enum { PROF_NOTIFY = 4, PROF_WAIT = 12 };
  uint8_t prof = kind == SK__GE_STEP_NOTIFY ? PROF_NOTIFY : PROF_WAIT;
  sk__ge_emit_profile(b, queue, event, prof, true);
  sk__ge_emit(b, queue, (sk__ge_step){.kind = kind, .param = {param}});
  sk__ge_emit_profile(b, queue, event, prof, false);
}

void sk__ge_emit_waits(sk__ge_build *b, const sk__ge_part *part) {
  const sk__ge_ids *recv = &part->sub->recv;
  for (size_t i = 0; i < recv->count; i++)
    if (!sk__ge_is_inner(b, recv->items[i]))
      emit_event(b, 1u << sk__ge_event_queue(part), SK__GE_STEP_WAIT, recv->items[i], part->wait_param + (uint32_t)i);
}

void sk__ge_emit_notifies(sk__ge_build *b, const sk__ge_part *part, sk__core_type queue) {
  const sk__ge_ids *send = &part->sub->send;
  for (size_t i = 0; i < send->count; i++)
    if (!sk__ge_is_inner(b, send->items[i])) emit_event(b, 1u << queue, SK__GE_STEP_NOTIFY, send->items[i], part->notify_param + (uint32_t)i);
}

/* Words waited for are zero again before the next launch. */
void sk__ge_emit_end(sk__ge_build *b) {
  for (size_t i = 0; i < b->count; i++) {
    const sk__ge_part *part = &b->parts[i];
    for (size_t k = 0; k < part->sub->recv.count; k++)
      if (!sk__ge_is_inner(b, part->sub->recv.items[k]))
        sk__ge_emit(b, 1u << sk__ge_event_queue(part), (sk__ge_step){.kind = SK__GE_STEP_CLEAR, .param = {part->wait_param + (uint32_t)k}});
  }
  sk__ge_emit_profile(b, SK__GE_BOTH, 0, 0, false);
}
