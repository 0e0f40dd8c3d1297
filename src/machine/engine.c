/* engine.c - the copy engine: copies and memsets that stand on a stream. For the checker it is one more core, whose work is
 * ordered as its streams and events say. */
#include "machine/internal.h"

sk__core *sk__engine_make(sk__machine *machine) {
  sk__core *core = sk__aligned_alloc(_Alignof(sk__core), sizeof *core);
  if (core == NULL) return NULL;
  memset(core, 0, sizeof *core);
  core->machine = machine;
  core->checker = machine->checker;
  core->index = sk__engine_core(machine->soc);
  core->block_idx = core->sub_block = UINT32_MAX; /* none, in findings */
  core->order.context = core;
  core->view.task = SK__NO_TASK;
  core->view.kernel = "copy engine";
  return core;
}

void sk__engine_drop(sk__machine *machine) {
  if (machine->engine != NULL) sk__order_end(machine->checker, &machine->engine->order, NULL);
  sk__free(machine->engine);
}

sk__copier sk__copy_begin(sk__machine *machine, sk__snapshot *before, const char *call) {
  sk__core *core = machine->engine;
  core->order.enabled = machine->options.checks;
  sk__snapshot *known = core->order.enabled ? sk__snapshot_engine(machine->checker, before) : NULL;
  sk__order_begin(machine->checker, &core->order, core->index, known);
  if (known != NULL) sk__snapshot_unref(known);
  return (sk__copier){core, call};
}

void sk__copy_end(const sk__copier *copier, sk__snapshot *after) {
  sk__order_end(copier->core->checker, &copier->core->order, copier->core->order.enabled ? after : NULL);
}
