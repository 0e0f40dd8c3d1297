/* watch.c - the exception registers: what the kernel asks to be told of, in the terms of floor 1 (check/watch.c). */
#include "isa/isa.h"
#include "kernel_operator/library.h"

#define LAST_BLOCK 65535u /* the register's fields have 16 bits */

/* A kernel counts from the UB's begin, or takes what GetPhyAddr gives: then the 32 bits hold the core's slot as well. */
_Static_assert((SK__LOCAL_BASE / SK__BLOCK_BYTES & UINT32_MAX) == 0, "blocks of the first core's slot begin with 0");
static uint32_t block_in_ub(const sk__core *core, uint32_t block) {
  const uint32_t slot = SK__LOCAL_SLOT_BYTES / SK__BLOCK_BYTES;
  return block / slot == core->index ? block % slot : block;
}

void sk_watch_local(uint32_t which, uint32_t start, uint32_t end, uint32_t kinds, bool enable) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_S, "CheckLocalMemoryIA", SK__SITE());
  if (core == NULL) return; /* a cube core has no UB */
  sk__advance(core, SK__PIPE_S, 1);
  if (which >= SK__WATCHES) {
    sk__bad_argument(core, "enableBit", which, "0..%u", SK__WATCHES - 1);
    return;
  }
  start = block_in_ub(core, start);
  end = block_in_ub(core, end);
  if (enable && start > LAST_BLOCK) {
    sk__bad_argument(core, "startAddr", start, "0..%u, in blocks of %u bytes", LAST_BLOCK, SK__BLOCK_BYTES);
    return;
  }
  if (enable && (end < start || end > LAST_BLOCK)) {
    sk__bad_argument(core, "endAddr", end, "startAddr (%u) to %u, in blocks of %u bytes", start, LAST_BLOCK, SK__BLOCK_BYTES);
    return;
  }
  sk__watch watch = {.low = core->local + (start + 1) * SK__BLOCK_BYTES, .high = core->local + (end + 1) * SK__BLOCK_BYTES,
                     .kinds = kinds};
  sk__instr_end(core, &watch.setter);
  watch.setter.role = "watches";
  if (core->checks) sk__watch_set(core->checker, &core->order, which, enable ? &watch : NULL);
  sk__state_set(core, SK__STATE_WATCH, 0);
}
