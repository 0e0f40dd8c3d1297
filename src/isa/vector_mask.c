/* vector_mask.c - the mask register and its mode; set by the scalar unit, used by later vector
 * instructions in program order. And the question which half of a kernel runs here. */
#include "c_api/asc_vector.h"
#include "isa/isa.h"

static void set_mode(sk__core *core, bool counter) {
  if (core == NULL) return;
  sk__ctrl_set(core, SK__CTRL_COUNTER_MODE, counter);
  sk__state_set(core, SK__STATE_CTRL, 0);
}

void asc_set_mask_count(void) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_S, "asc_set_mask_count", SK__SITE());
  set_mode(core, true);
}

void asc_set_mask_norm(void) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_S, "asc_set_mask_norm", SK__SITE());
  set_mode(core, false);
}

void asc_set_vector_mask(uint64_t mask1, uint64_t mask0) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_S, "asc_set_vector_mask", SK__SITE());
  if (core == NULL) return;
  core->mask[0] = mask0;
  core->mask[1] = mask1;
  core->mask_length = 0;
  sk__state_set(core, SK__STATE_MASK, 0);
}

int sk_core_is_aiv(void) { return sk__self != NULL && sk__self->type == SK__AIV; }
