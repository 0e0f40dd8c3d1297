/* soft.c - order by polled words: a short list per launch, emptied when the next one begins. */
#include "machine/soft.h"

#include "base/log.h"
#include "machine/internal.h"

static sk__soft_word *find(sk__machine *machine, uint64_t address, uint32_t round) {
  for (size_t i = machine->common.soft.count; i-- > 0;)
    if (machine->common.soft.items[i].address == address && machine->common.soft.items[i].round == round) return &machine->common.soft.items[i];
  return NULL;
}

void sk__soft_reset(sk__machine *machine) {
  for (size_t i = 0; i < machine->common.soft.count; i++) sk__snapshot_unref(machine->common.soft.items[i].message);
  machine->common.soft.count = 0;
}

static void publish(sk__core *core, sk__pipe pipe, uint64_t address, uint32_t round) {
  sk__machine *machine = core->machine;
  sk__note_whole_barrier(machine);
  if (!core->checks) return;
  sk__lock(machine);
  sk__soft_word *word = find(machine, address, round);
  bool room = word != NULL || sk__vec_push(&machine->common.soft, ((sk__soft_word){address, round, NULL}));
  if (room && word == NULL) word = &machine->common.soft.items[machine->common.soft.count - 1];
  if (room) sk__order_publish(core->checker, &core->order, pipe, &word->message);
  sk__unlock(machine);
  if (room) return;
  sk__log(SK__LOG_ERROR, "out of host memory for the order of soft barriers");
  sk__core_abort(core, SK_OUT_OF_MEMORY);
}

void sk__soft_publish(sk__core *core, uint64_t address, uint32_t round) { publish(core, SK__PIPE_MTE3, address, round); }
void sk__soft_signal(sk__core *core, uint64_t address, uint32_t round) { publish(core, SK__PIPE_S, address, round); }

void sk__soft_acquire(sk__core *core, uint64_t address, uint32_t round) {
  sk__machine *machine = core->machine;
  if (!core->checks) return;
  sk__lock(machine);
  sk__soft_word *word = find(machine, address, round);
  if (word != NULL) sk__order_acquire(core->checker, &core->order, word->message);
  sk__unlock(machine);
}
