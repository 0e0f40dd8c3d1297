/* course.h - the launches of a plan on the machine: one after another where that can be, and several at once where an SK and
 * work outside of it wait for each other. Private to the fuse floor. */
#ifndef SK_FUSE_COURSE_H
#define SK_FUSE_COURSE_H

#include "base/arena.h"
#include "fuse/fuse.h"

/* What a node has told the others: a record inside or outside of SKs, or in graph mode a sub-kernel whose stream goes on
 * before its SK ends. */
typedef struct sk__told {
  bool done;
  sk__snapshot *order;         /* what is ordered before whoever heard of it; NULL nothing */
  uint64_t cycles;             /* estimate: when, on the course's clock */
} sk__told;

/* A circle of the plan, in a replay of the model it stands in. */
typedef struct sk__part {
  const uint32_t *member_of;   /* per node: UINT32_MAX when it lies outside of the circle */
  sk__task *const *tasks;      /* per node: what runs in its place; NULL inside SKs */
  const sk__stream *captured;  /* stands for `replayed`; NULL */
  sk__stream *replayed;
} sk__part;

typedef struct sk__course {
  sk__runtime *runtime;
  const sk__plan *plan;
  const sk__part *part;        /* NULL: the whole plan */
  const bool *inside;          /* per node: a wait that an SK's program makes */
  const bool *releases;        /* per node: its stream goes on when told, not when its SK ends; NULL none */
  sk__told *told;              /* per node; the program of an SK sets what lies in it */
  sk__launch_result *results;  /* as many as there are nodes */
  size_t *launches;
  uint64_t begin_cycles;       /* estimate: when the SK that runs began, on the course's clock */
  sk__arena names;             /* texts of what is waited for; live as long as the course */
  /* What of the SK's nodes takes effect before it starts; NULL: nothing. */
  sk_status (*prepare)(struct sk__course *course, uint32_t sk);
  /* Starts an SK between two orders; what it is goes to *result. `context` is the front end's. */
  sk_status (*begin)(struct sk__course *course, uint32_t sk, sk__snapshot *before, sk__snapshot *after, sk__launch_result *result,
                     sk__standing **standing);
  /* Has the value come that an SK that stands waits for? NULL: no program waits for values. */
  bool (*has_value)(struct sk__course *course, uint32_t sk);
  /* What of the SK's nodes takes effect for the world outside the graph when it is over; NULL: nothing. */
  sk_status (*finish)(struct sk__course *course, uint32_t sk);
  void *context;
} sk__course;

/* Runs the plan. The worst status; one that fails does not stop the rest. */
SK_MUST_USE sk_status sk__course_run(sk__course *course);
/* As sk__plan_run, of a circle only (NULL: of the whole plan). execute.c */
SK_MUST_USE sk_status sk__plan_run_part(sk__runtime *runtime, const sk__plan *plan, const sk__part *part, sk__launch_result *results, size_t *launches);
/* A node that stays, by itself: waits take what their record told, records tell. */
SK_MUST_USE sk_status sk__course_node(sk__course *course, uint32_t node);
/* A core of the running SK tells, and hears what was told: its scalar unit goes on no earlier. */
void sk__course_tell(const sk__course *course, const sk__core *core, sk__told *told);
void sk__course_hear(const sk__course *course, sk__core *core, const sk__told *told);
/* For a core that waits for the node to tell: "the event that node 7 records" ... */
const char *sk__course_name(sk__course *course, uint32_t node);

#endif
