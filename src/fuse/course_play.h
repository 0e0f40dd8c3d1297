/* course_play.h - a course while it runs: its units and what they wait for. Private to the files of the course. */
#ifndef SK_FUSE_COURSE_PLAY_H
#define SK_FUSE_COURSE_PLAY_H

#include "fuse/course.h"
#include "fuse/order.h"
#include "fuse/planner.h"

typedef struct sk__unit {
  uint32_t open, inner;        /* ties not yet loosened; of them for waits inside it */
  bool started, over;
  bool polls;                  /* ready, but for a value in memory */
  bool news;                   /* stands, and something it waits for was told */
  uint32_t *streams;           /* SKs: its streams, once each */
  uint32_t stream_count;
  uint32_t *values;            /* waits for values that somebody else must bring: nodes */
  uint32_t value_count;
  sk__standing *standing;
  sk__snapshot *before, *after;
  sk__launch_result *result;
  uint64_t begin_cycles;       /* of an SK, its launch gap over */
} sk__unit;

/* Some of the units, in no order; there is room for all. */
typedef struct sk__unit_list { uint32_t *items; size_t count; } sk__unit_list;

typedef struct sk__play {
  sk__course *course;
  sk__machine *machine;
  sk__units units;
  sk__unit *state;
  bool *loose;                 /* per tie */
  bool values;                 /* somebody waits for a value in memory */
  sk__ready ready;
  sk__unit_list standing, polling;
  sk__unit_list parked;        /* ready, but there are no cores for them */
  sk__stream **streams;        /* per stream of the graph */
  uint32_t *stream_sets, *value_sets;
  sk_status worst;
  /* Estimate. Launches follow one another, and what runs while an SK stands runs beside it: then streams have clocks. */
  uint64_t *clocks;            /* per stream of the graph */
  uint64_t group_cycles, latest_cycles; /* when the first of those that stand was launched; the latest end of any */
} sk__play;

static inline void sk__play_note(sk__play *p, sk_status status) {
  if (p->worst == SK_OK) p->worst = status;
}
static inline const sk__graph *sk__play_graph(const sk__play *p) { return p->course->plan->graph; }
static inline const sk__node *sk__play_leader(const sk__play *p, uint32_t u) { return &p->course->plan->graph->nodes[p->units.leader[u]]; }
static inline uint32_t sk__play_sk(const sk__play *p, uint32_t u) { return p->course->plan->decisions[p->units.leader[u]].sk; }
static inline bool sk__play_is_sk(const sk__play *p, uint32_t u) { return sk__play_sk(p, u) != UINT32_MAX; }

static inline void sk__unit_list_add(sk__unit_list *list, uint32_t u) { list->items[list->count++] = u; }
static inline void sk__unit_list_remove(sk__unit_list *list, uint32_t u) {
  size_t i = 0;
  while (list->items[i] != u) i++;
  list->items[i] = list->items[--list->count];
}
/* The lowest; UINT32_MAX none. */
static inline uint32_t sk__unit_list_first(const sk__unit_list *list) {
  uint32_t first = UINT32_MAX;
  for (size_t i = 0; i < list->count; i++)
    if (list->items[i] < first) first = list->items[i];
  return first;
}

/* ---- the clock ------------------------------------------------------------------------------- */

static inline uint64_t sk__later(uint64_t a, uint64_t b) { return a > b ? a : b; }
static inline uint64_t sk__play_gap(const sk__play *p) { return sk__machine_soc(p->machine)->costs.launch_cycles; }
static inline uint64_t sk__play_clock(const sk__play *p, uint32_t stream) {
  return p->standing.count > 0 ? sk__later(p->clocks[stream], p->group_cycles) : p->latest_cycles;
}
static inline void sk__play_set_clock(sk__play *p, uint32_t stream, uint64_t cycles) {
  p->clocks[stream] = cycles;
  p->latest_cycles = sk__later(p->latest_cycles, cycles);
}

/* ---- what runs (course_node.c) --------------------------------------------------------------- */

/* What runs for a node, and where. */
sk__task *sk__course_task(const sk__course *course, uint32_t node);
sk__stream *sk__course_stream(const sk__course *course, uint32_t node);

/* ---- units ----------------------------------------------------------------------------------- */

/* Everything but the ready ones' run; freed in any case. course_prepare.c */
SK_MUST_USE sk_status sk__play_prepare(sk__play *p);
void sk__play_free(sk__play *p);

/* Loosens ties for what the unit has told so far; over: all of them. course.c */
void sk__play_tell(sk__play *p, uint32_t u, bool over);
void sk__play_over(sk__play *p, uint32_t u);
/* Type and blocks that must fit at once; 0 blocks: no cores. course.c */
uint32_t sk__play_cores(const sk__play *p, uint32_t u, sk_kernel_type *type);

/* The node of a wait whose value is not there, SK__NONE. course_value.c */
uint32_t sk__play_missing_value(const sk__play *p, uint32_t u);
/* Memory may have changed: who polls looks again. */
void sk__play_look_again(sk__play *p);
/* The waits for values of each unit, as far as it does not bring them itself. */
SK_MUST_USE sk_status sk__play_list_values(sk__play *p);

/* An SK starts; one that stands goes on, or is given up because nothing can move. course_sk.c, course_blame.c */
void sk__play_open(sk__play *p, uint32_t u);
void sk__play_go_on(sk__play *p, uint32_t u);
void sk__play_close(sk__play *p, uint32_t u);
void sk__play_give_up(sk__play *p, uint32_t u);

#endif
