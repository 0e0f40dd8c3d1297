/* order.h - the order in which a plan's launches are executed. Private to the fuse floor. */
#ifndef SK_FUSE_ORDER_H
#define SK_FUSE_ORDER_H

#include "fuse/fuse.h"

/* Ids of the SK's own flags. */
enum { SK__FLAG_AIC_ALL = 11, SK__FLAG_AIV_TO_AIC = 12, SK__FLAG_AIC_TO_AIV = 13, SK__FLAG_AIV_ALL = 14 };
/* Parts of an early-start barrier, in either core type's bits. */
enum { SK__EARLY_SELF_SET = 1 | 16, SK__EARLY_SELF_WAIT = 2 | 32 };

/* Nodes to execute, in order: tasks that stay, and for each SK the node that launches it. *order is the
 * caller's (sk__free). SK_NOT_MODELLED: an SK and work outside it wait for each other. */
SK_MUST_USE sk_status sk__plan_order(const sk__plan *plan, uint32_t **order, size_t *count);

#endif
