/* replace.h - the tasks of a captured model with SuperKernels in place of what they fuse. Private to the fuse floor. */
#ifndef SK_FUSE_REPLACE_H
#define SK_FUSE_REPLACE_H

#include "fuse/course.h"

enum { SK__REPLACE_WHY_BYTES = 512 };

/* A front end that fuses a model. The context is what all that it makes shares. */
typedef struct sk__maker {
  /* SK `number` of the plan; a new reference, NULL on no memory. */
  sk__superkernel *(*superkernel)(void *context, uint32_t number);
  /* Runs a circle of the plan. */
  sk_status (*run)(void *context, sk__runtime *runtime, const sk__part *part, sk__launch_result *results, size_t *launches);
  void (*keep)(void *context); /* one reference more, and one less */
  void (*drop)(void *context);
} sk__maker;

/* Each SK becomes one task on the stream of its main node; the other streams it takes in are tied to that stream by
 * events before and behind it. What is not fused stays the task it was, so a replay, a verifier or a dump sees ordinary
 * work. SKs and work outside of them that wait for each other become a circle, in which nothing is tied. Scope marks go.
 * *tasks is malloced and holds references. SK_NOT_MODELLED: why tells. */
SK_MUST_USE sk_status sk__replace_tasks(sk__runtime *runtime, const sk__plan *plan, const sk__maker *maker, void *context, sk__task ***tasks, size_t *count,
                                        char why[SK__REPLACE_WHY_BYTES]);
/* The circle of these launches (leading nodes, ascending); a new reference, NULL on no memory. circle.c */
sk__circle *sk__circle_new(const sk__plan *plan, const uint32_t *nodes, uint32_t count, const sk__maker *maker, void *context);

/* A node that SK `number` consists of; resets are tasks of their own behind the SK. */
bool sk__is_part(const sk__plan *plan, uint32_t node, uint32_t number);
/* Tasks that SK `number` consists of, in order of issue; malloced, borrowed references. NULL on no memory. */
sk__task **sk__parts_of(const sk__plan *plan, uint32_t number, size_t *count);

#endif
