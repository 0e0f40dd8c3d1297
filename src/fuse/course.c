/* course.c - which launch is next, and which run at once.
 *
 * A unit is ready when all it is tied to is over; the lowest ready one runs to its end. When none is ready and work is left,
 * an SK and work outside of it wait for each other: then an SK starts whose only open ties are waits inside of it. It runs
 * until none of its cores can go on, and stands; what it has told so far makes others ready, and they in turn let it go on.
 * When nothing can move, what stands is a deadlock. */
#include "fuse/course.h"

#include "fuse/course_play.h"
#include "fuse/execute.h"
#include "fuse/judge.h"

/* ---- ties ------------------------------------------------------------------------------------ */

static void loosen(sk__play *p, uint32_t number) {
  const sk__tie *tie = &p->units.ties.items[number];
  sk__unit *to = &p->state[tie->to];
  if (p->loose[number]) return;
  p->loose[number] = true;
  to->open--;
  if (tie->wait != UINT32_MAX && p->course->inside[tie->wait]) {
    to->inner--;
    to->news = true;
  }
  if (to->open == 0 && !to->started) sk__ready_push(&p->ready, tie->to);
}

void sk__play_tell(sk__play *p, uint32_t u, bool over) {
  for (uint32_t i = p->units.first[u]; i < p->units.first[u + 1]; i++) {
    const sk__tie *tie = &p->units.ties.items[p->units.leaving[i]];
    if (over || (tie->record != UINT32_MAX && p->course->told[tie->record].done)) loosen(p, p->units.leaving[i]);
  }
}

/* ---- cores ----------------------------------------------------------------------------------- */

uint32_t sk__play_cores(const sk__play *p, uint32_t u, sk_kernel_type *type) {
  const sk__task *task = sk__play_leader(p, u)->task;
  uint32_t blocks = 0;
  if (sk__play_is_sk(p, u)) {
    const sk__sk *sk = &p->course->plan->sks[sk__play_sk(p, u)];
    *type = sk->type;
    blocks = sk->blocks;
  } else if (task->kind == SK__TASK_KERNEL) {
    *type = (sk_kernel_type)task->kernel->type;
    blocks = task->kernel->schedmode == 1 ? task->blocks : 1;
  } else if (task->kind == SK__TASK_SUPERKERNEL) {
    *type = task->superkernel->type;
    blocks = task->superkernel->blocks;
  }
  const sk__soc *soc = sk__machine_soc(p->machine);
  uint32_t most = *type == SK_AIV_ONLY || *type == SK_MIX_AIV_1_0 ? soc->aiv_count : soc->aic_count;
  return blocks < most ? blocks : most; /* the rest would wait for its turn on an empty chip too */
}

static bool fits(const sk__play *p, uint32_t u) {
  sk_kernel_type type = SK_AIV_ONLY;
  if (p->standing.count == 0) return true;
  uint32_t blocks = sk__play_cores(p, u, &type);
  return blocks == 0 || blocks <= sk__machine_room(p->machine, type);
}

static void unpark(sk__play *p) {
  for (size_t i = 0; i < p->parked.count; i++) sk__ready_push(&p->ready, p->parked.items[i]);
  p->parked.count = 0;
}

/* ---- one unit -------------------------------------------------------------------------------- */

void sk__play_over(sk__play *p, uint32_t u) {
  p->state[u].over = true;
  sk__play_tell(p, u, true);
  unpark(p);
  if (p->values) sk__play_look_again(p);
}

/* A node outside of SKs. Beside what stands it adds nothing of its own. */
static void clock_node(sk__play *p, uint32_t at, sk__launch_result *launched) {
  const sk__graph *graph = sk__play_graph(p);
  const sk__node *node = &graph->nodes[at];
  uint64_t cycles = sk__play_clock(p, node->stream);
  uint32_t record = node->type == SK__NODE_WAIT ? sk__record_of(graph, node) : UINT32_MAX;
  if (record != UINT32_MAX) cycles = sk__later(cycles, p->course->told[record].cycles);
  if (launched != NULL) cycles += sk__play_gap(p) + launched->stats.cycles;
  if (node->type == SK__NODE_NOTIFY) p->course->told[at].cycles = cycles;
  if (p->standing.count == 0) return;
  if (launched != NULL) launched->stats.elapsed_cycles = 0;
  sk__play_set_clock(p, node->stream, cycles);
}

static void run_node(sk__play *p, uint32_t u) {
  uint32_t node = p->units.leader[u];
  size_t launches = *p->course->launches;
  p->state[u].started = true;
  if (p->standing.count > 0) sk__machine_set_begin(p->machine, sk__play_clock(p, sk__play_leader(p, u)->stream) - p->group_cycles);
  sk__play_note(p, sk__course_node(p->course, node));
  clock_node(p, node, *p->course->launches > launches ? &p->course->results[launches] : NULL);
  sk__play_over(p, u);
}

static void run_ready(sk__play *p, uint32_t u) {
  if (sk__play_missing_value(p, u) != SK__NONE) {
    p->state[u].polls = true;
    sk__unit_list_add(&p->polling, u);
  } else if (!fits(p, u)) {
    sk__unit_list_add(&p->parked, u);
  } else if (sk__play_is_sk(p, u)) {
    sk__play_open(p, u);
  } else {
    run_node(p, u);
  }
}

/* ---- all ------------------------------------------------------------------------------------- */

/* The first unit of a kind, UINT32_MAX none. */
static uint32_t first_with_news(const sk__play *p) {
  uint32_t first = UINT32_MAX;
  for (size_t i = 0; i < p->standing.count; i++)
    if (p->state[p->standing.items[i]].news && p->standing.items[i] < first) first = p->standing.items[i];
  return first;
}
static uint32_t first_to_open(const sk__play *p) {
  for (uint32_t u = 0; u < p->units.count; u++) {
    const sk__unit *state = &p->state[u];
    if (state->started || !sk__play_is_sk(p, u) || !fits(p, u)) continue;
    if (state->polls || (state->open > 0 && state->open == state->inner)) return u;
  }
  return UINT32_MAX;
}

/* Nothing stands, and nothing that is left can start. */
static void report_rest(sk__play *p) {
  for (uint32_t u = 0; u < p->units.count && p->polling.count > 0; u++) {
    if (!p->state[u].polls) continue;
    sk__report_value_wait(p->course->runtime, sk__play_leader(p, u)->task, NULL);
    sk__play_note(p, SK_DEADLOCK);
  }
  for (uint32_t u = 0; u < p->units.count && p->polling.count == 0; u++) {
    if (p->state[u].over || !sk__play_is_sk(p, u)) continue;
    sk__report_never_starts(sk__machine_checker(p->machine), p->course->plan, sk__play_sk(p, u));
    sk__play_note(p, SK_DEADLOCK);
    break;
  }
}

static void run_all(sk__play *p) {
  for (;;) {
    uint32_t u;
    if (p->ready.count > 0) run_ready(p, sk__ready_pop(&p->ready));
    else if ((u = first_with_news(p)) != UINT32_MAX) sk__play_go_on(p, u);
    else if ((u = first_to_open(p)) != UINT32_MAX) sk__play_open(p, u);
    else if ((u = sk__unit_list_first(&p->standing)) != UINT32_MAX) sk__play_give_up(p, u);
    else break;
  }
  report_rest(p);
}

sk_status sk__course_run(sk__course *course) {
  sk__play p = {.course = course, .machine = sk__runtime_machine(course->runtime)};
  sk_status status = sk__play_prepare(&p);
  if (status == SK_OK) {
    run_all(&p);
    status = p.worst;
  }
  for (size_t i = 0; i < course->plan->graph->node_count; i++)
    if (course->told[i].order != NULL) sk__snapshot_unref(course->told[i].order);
  sk__play_free(&p);
  sk__arena_free(&course->names);
  return status;
}
