/* order.h - the order in which a plan's launches are executed. Private to the fuse floor. */
#ifndef SK_FUSE_ORDER_H
#define SK_FUSE_ORDER_H

#include "base/vec.h"
#include "fuse/fuse.h"

/* Ids of the SK's own flags. */
enum { SK__FLAG_AIC_ALL = 11, SK__FLAG_AIV_TO_AIC = 12, SK__FLAG_AIC_TO_AIV = 13, SK__FLAG_AIV_ALL = 14 };
/* Parts of an early-start barrier, in either core type's bits. */
enum { SK__EARLY_SELF_SET = 1 | 16, SK__EARLY_SELF_WAIT = 2 | 32 };

/* Units are what is run as a whole: SKs, and tasks outside of them. Ties say that one comes behind another, by the order of
 * a stream or by a wait that means a record; both of one unit is no tie. */
typedef struct sk__tie {
  uint32_t from, to;         /* units */
  uint32_t record, wait;     /* nodes, UINT32_MAX: the order of a stream */
} sk__tie;
typedef struct sk__units {
  const sk__plan *plan;
  uint32_t *unit_of;         /* per node: unit, UINT32_MAX for nodes that vanish */
  uint32_t *leader;          /* per unit: node that stands for it */
  size_t count;
  SK__VEC(sk__tie) ties;
  uint32_t *first, *leaving; /* ties from unit i: leaving[first[i]] .. leaving[first[i + 1]] */
} sk__units;
SK_MUST_USE sk_status sk__units_make(const sk__plan *plan, sk__units *out); /* freed in any case */
void sk__units_free(sk__units *units);

/* Units that are ready, the lowest first; `items` has room for all. */
typedef struct sk__ready { uint32_t *items; size_t count; } sk__ready;
void sk__ready_push(sk__ready *ready, uint32_t unit);
uint32_t sk__ready_pop(sk__ready *ready);

/* Nodes to execute, in order: tasks that stay, and for each SK the node that launches it. An SK and work outside of it that
 * wait for each other are a circle: its launches stand side by side. */
typedef struct sk__sequence {
  uint32_t *nodes;
  uint32_t *circles;         /* per place: number of the circle it belongs to, UINT32_MAX none */
  size_t count;
  uint32_t circle_count;
} sk__sequence;
SK_MUST_USE sk_status sk__plan_order(const sk__plan *plan, sk__sequence *out); /* freed in any case */
void sk__sequence_free(sk__sequence *sequence);

#endif
