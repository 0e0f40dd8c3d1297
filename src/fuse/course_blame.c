/* course_blame.c - nothing of a course can move: what an SK that stands waits for, and why it does not come. */
#include <stdio.h>

#include "fuse/course_play.h"

static const char *name_of(const sk__play *p, uint32_t u) {
  const sk__node *node = sk__play_leader(p, u);
  if (sk__play_is_sk(p, u)) return p->course->plan->sks[sk__play_sk(p, u)].name;
  return node->type == SK__NODE_KERNEL ? node->kernel.name : sk__task_kind_name(node->task->kind);
}

/* A launch that has to run first, and there are no cores left for it. */
static void blame_cores(const sk__play *p, uint32_t u, sk__hopeless *hopeless, char *why, size_t bytes) {
  const sk__soc *soc = sk__machine_soc(p->machine);
  sk_kernel_type type = SK_AIV_ONLY;
  uint32_t blocks = sk__play_cores(p, u, &type), room = sk__machine_room(p->machine, type);
  bool aiv = type == SK_AIV_ONLY || type == SK_MIX_AIV_1_0;
  snprintf(why, bytes, "and '%.80s', which has to run first, cannot start: it needs cores for %u blocks at once, and of %u %s there are %u left beside what stands",
           name_of(p, u), blocks, aiv ? soc->aiv_count : soc->aic_count, aiv ? "AIV" : "AI cores", room);
  *hopeless = (sk__hopeless){"H39", SK__CAT_HOST, why, "cut the scope at the wait, or use fewer blocks"};
}

/* What comes behind the SK and has not run; NULL nothing. */
static const char *held_up_by(const sk__play *p, uint32_t u) {
  for (size_t i = 0; i < p->units.ties.count; i++)
    if (p->units.ties.items[i].from == u && !p->loose[i]) return name_of(p, p->units.ties.items[i].to);
  return NULL;
}

/* The node that would have told what the SK waits for, or what stands in front of it: a unit that has not run. */
static void blame(const sk__play *p, uint32_t u, sk__hopeless *hopeless, char *why, size_t bytes) {
  if (p->parked.count > 0) {
    blame_cores(p, sk__unit_list_first(&p->parked), hopeless, why, bytes);
    return;
  }
  if (sk__play_missing_value(p, u) != SK__NONE) {
    snprintf(why, bytes, "which nothing that runs before the SuperKernel's end writes");
    *hopeless = (sk__hopeless){"H41", SK__CAT_OPTIONS, why, "remove value_breaker_bypass, or move the wait out of the scope"};
    return;
  }
  const char *waits = held_up_by(p, u);
  if (waits != NULL) snprintf(why, bytes, "which in turn waits for the SuperKernel's end: '%.80s' comes behind it", waits);
  else snprintf(why, bytes, "which nothing that is left can bring");
  *hopeless = (sk__hopeless){"DEADLOCK", SK__CAT_FUSER, why, "cut the scope at the wait"};
}

void sk__play_give_up(sk__play *p, uint32_t u) {
  sk__unit *state = &p->state[u];
  sk__hopeless hopeless;
  char why[240];
  blame(p, u, &hopeless, why, sizeof why);
  state->result->status = sk__machine_give_up(p->machine, &state->standing, &hopeless, &state->result->stats);
  sk__unit_list_remove(&p->standing, u);
  sk__play_close(p, u);
}
