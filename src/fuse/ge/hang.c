/* hang.c - can the program's own barriers be passed at all: one core of each type walks its steps. */
#include "fuse/ge/internal.h"

typedef struct walker {
  const sk__ge_queue *queue;
  size_t at;
  int flag;              /* next flag operation of the step */
  uint32_t counters[16];
} walker;

/* Does what the core can do by itself; false: it waits. The other core's counters may grow. */
static bool advance(walker *me, walker *other) {
  const sk__ge_step *step = &me->queue->items[me->at];
  if (step->kind == SK__GE_STEP_SYNCALL_MIX) return false; /* the caller lets both pass together */
  if (step->kind != SK__GE_STEP_BAR)
    for (; me->flag < step->flag_count; me->flag++) {
      const sk__ge_flag_op *op = &step->flags[me->flag];
      if (op->set) (op->mode == 0 ? me : other)->counters[op->id & 15]++;
      else if (me->counters[op->id & 15] == 0) return false;
      else me->counters[op->id & 15]--;
    }
  me->flag = 0;
  me->at++;
  return true;
}

static bool done(const walker *w) { return w->at == w->queue->count; }
static bool meets(const walker *w) { return !done(w) && w->queue->items[w->at].kind == SK__GE_STEP_SYNCALL_MIX; }

bool sk__ge_hangs(const sk__ge_program *program) {
  walker walkers[2] = {{.queue = &program->queue[0]}, {.queue = &program->queue[1]}};
  for (bool moved = true; moved;) {
    moved = false;
    for (int type = SK__AIC; type <= SK__AIV; type++)
      while (!done(&walkers[type]) && advance(&walkers[type], &walkers[1 - type])) moved = true;
    if (!meets(&walkers[0]) || !meets(&walkers[1])) continue;
    walkers[0].at++;
    walkers[1].at++;
    moved = true;
  }
  return !done(&walkers[0]) || !done(&walkers[1]);
}
