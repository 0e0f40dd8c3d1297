/* watch.c - exception registers: ranges of local memory whose accesses a kernel wants to be told of. Cold: without a range
 * nobody comes here. */
#include <inttypes.h>

#include "base/text.h"
#include "check/checker.h"

static sk__watch *watch_of(const sk__checker *checker, const sk__order *order, uint32_t which) {
  return &checker->watches[order->core * SK__WATCHES + which];
}

void sk__watch_set(sk__checker *checker, sk__order *order, uint32_t which, const sk__watch *watch) {
  order->watched &= (uint8_t)~(1u << which);
  if (watch == NULL) return;
  *watch_of(checker, order, which) = *watch;
  order->watched |= (uint8_t)(1u << which);
}

static uint32_t kind_of(sk__pipe pipe, bool is_write) {
  uint32_t reads = pipe == SK__PIPE_S ? SK__WATCH_SCALAR_READ : pipe == SK__PIPE_V ? SK__WATCH_VECTOR_READ : SK__WATCH_MTE_READ;
  return is_write ? reads << 1 : reads;
}

static void tell(sk__checker *checker, const sk__order *order, uint32_t which, sk__pipe pipe, bool is_write, uint64_t low,
                 uint64_t high, const void *site, const char *instr) {
  const sk__watch *watch = watch_of(checker, order, which);
  uint64_t slot = sk__local_slot(order->core);
  sk__finding f = {.category = SK__CAT_OPERATOR, .severity = SK__ERROR, .end_count = 2};
  sk__text_copy(f.id, sizeof f.id, "WATCHED_ACCESS");
  sk__end *end = &f.ends[0];
  *end = (sk__end){.launch = -1, .task = -1, .block = -1, .sub_block = -1};
  if (checker->describe != NULL) checker->describe(order->context, end);
  end->role = is_write ? "writer" : "reader";
  end->site = site;
  end->instr = instr;
  end->core = (int32_t)order->core;
  end->core_type = SK__AIV;
  end->pipe = (int8_t)pipe;
  end->address = low;
  end->bytes = high - low;
  end->mem = SK__MEM_UB;
  f.ends[1] = watch->setter;
  sk__text m = sk__text_on(f.message, sizeof f.message);
  sk__text_add(&m, "%s on %s of %s core %" PRIu32 " %s UB bytes 0x%" PRIx64 "..0x%" PRIx64, instr != NULL ? instr : "an access",
               sk__pipe_name(pipe), sk__core_type_name(SK__AIV), order->core, is_write ? "writes" : "reads", low - slot, high - 1 - slot);
  sk__text_add(&m, ", of the range 0x%" PRIx64 "..0x%" PRIx64 " that exception register %" PRIu32 " watches", watch->low - slot,
               watch->high - 1 - slot, which);
  sk__text_copy(f.remedy, sizeof f.remedy,
                "keep the access out of the range, or end the watch before it: CheckLocalMemoryIA with isEnable false");
  sk__report(checker, &f);
}

void sk__watch_judge(sk__checker *checker, const sk__order *order, sk__pipe pipe, sk__access kind, uint64_t address,
                     uint64_t bytes, const void *site, const char *instr) {
  bool is_write = kind == SK__WRITE || kind == SK__ATOMIC;
  for (uint32_t which = 0; which < SK__WATCHES; which++) {
    const sk__watch *watch = watch_of(checker, order, which);
    if ((order->watched >> which & 1u) == 0 || (watch->kinds & kind_of(pipe, is_write)) == 0) continue;
    uint64_t low = address > watch->low ? address : watch->low, end = address + bytes;
    uint64_t high = end < watch->high ? end : watch->high;
    if (low < high) tell(checker, order, which, pipe, is_write, low, high, site, instr);
  }
}
