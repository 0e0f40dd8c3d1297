/* generate.c - from a list of sub-kernels and an option string to one program per core type. */
#include <inttypes.h>
#include <string.h>

#include "fuse/ge/internal.h"

static sk_status make_selects(sk__ge_build *b) {
  sk__ge_program *out = b->out;
  out->selects = sk__arena_array(b->arena, sk__ge_select, b->count);
  if (out->selects == NULL) return SK_OUT_OF_MEMORY;
  sk_status status = SK_OK;
  for (size_t i = 0; i < b->count && status == SK_OK; i++)
    if (b->parts[i].sub->dynamic) status = sk__ge_make_select(b, &b->parts[i], &out->selects[out->select_count++]);
  return status;
}

/* What the real generator lets pass although the program cannot be right. */
static sk_status refuse_own(sk__ge_build *b) {
  for (size_t i = 0; i < b->event_count; i++) {
    const sk__ge_event_use *use = &b->events[i];
    if (use->first_send == UINT32_MAX || use->last_recv == UINT32_MAX || use->first_send < use->last_recv) continue;
    if (b->out->queue_count == 2)
      return sk__ge_fail(b->failure, SK__GE_EVENT_BACKWARD, NULL, b->parts[use->last_recv].position, -1, "event %" PRId64 " of operator %u", use->id,
                         b->parts[use->first_send].position);
    sk__ge_warn(b, "operator %u waits for event %" PRId64 ", which operator %u behind it records: the SK hangs", b->parts[use->last_recv].position, use->id,
                b->parts[use->first_send].position);
  }
  if (b->out->queue_count == 1) return SK_OK;
  for (size_t i = 0; i < b->count; i++)
    if (b->parts[i].sub->es_set || b->parts[i].sub->es_wait)
      return sk__ge_fail(b->failure, SK__GE_EARLY_START_UNUSED, NULL, b->parts[i].position, -1, "build it again with early-start=0");
  return SK_OK;
}

/* In one queue of a mixed launch the cores of the other type poll the lock, too; only a barrier of both types
 * in front of the call keeps its reset behind their polling. */
static void warn_of_locks(sk__ge_build *b) {
  if (b->out->queue_count != 1 || !b->out->queue[SK__AIC].launched || !b->out->queue[SK__AIV].launched) return;
  for (size_t i = 1; i < b->count; i++) {
    const sk__ge_part *part = &b->parts[i];
    sk_kernel_type before = b->parts[i - 1].sub->type, type = part->sub->type;
    bool one_type = (sk__ge_is_aic(type) && sk__ge_is_aic(before)) || (sk__ge_is_aiv(type) && sk__ge_is_aiv(before));
    bool barrier = !b->early || (part->has_wait && b->parts[i - 1].sub->send.count > 0);
    if (part->sub->dynamic && one_type && !barrier)
      sk__ge_warn(b, "operator %u: its lock may be reset before all cores have polled it", part->position);
  }
}

sk_status sk__ge_generate(const sk__ge_input *input, sk__arena *arena, sk__ge_program *out, sk__ge_failure *failure) {
  *out = (sk__ge_program){.inputs = input->subs, .device_blocks = {input->aic_count, input->aiv_count}};
  *failure = (sk__ge_failure){.sub = UINT32_MAX, .side = -1};
  sk__ge_build b = {.input = input, .arena = arena, .out = out, .failure = failure, .emulate = input->emulate_vendor_defects};
  sk_status status = sk__ge_facts(&b);
  if (status == SK_OK) status = make_selects(&b);
  if (status == SK_OK) status = out->queue_count == 2 ? sk__ge_two_queues(&b) : sk__ge_one_queue(&b);
  if (status == SK_OK && !b.emulate) status = refuse_own(&b);
  if (status == SK_OK) warn_of_locks(&b);
  if (status == SK_OK && sk__ge_hangs(out)) sk__ge_warn(&b, "the barriers of this program can never be passed: it hangs");
  return status == SK_OK && b.no_memory ? SK_OUT_OF_MEMORY : status;
}

const char *sk__ge_symbol(const sk__ge_program *program, uint32_t described, uint32_t copy, sk__arena *arena) {
  const char *name = program->inputs[program->subs[described]].name;
  const char *place = described == 0 ? "start" : described + 1 == program->sub_count ? "end" : "middle";
  if (copy == 0) return sk__arena_format(arena, "%s_%s", name != NULL ? name : "sub", place);
  return sk__arena_format(arena, "%s_%s_split%u", name != NULL ? name : "sub", place, copy);
}
