/* replace.h - the tasks of a captured model with SuperKernels in place of what they fuse. Private to the fuse floor. */
#ifndef SK_FUSE_REPLACE_H
#define SK_FUSE_REPLACE_H

#include "fuse/fuse.h"

enum { SK__REPLACE_WHY_BYTES = 512 };

/* Makes SK `number` of the plan; a new reference, NULL on no memory. */
typedef sk__superkernel *(*sk__make_sk_fn)(void *context, uint32_t number);

/* Each SK becomes one task on the stream of its main node; the other streams it takes in are tied to that stream by
 * events before and behind it. What is not fused stays the task it was, so a replay, a verifier or a dump sees ordinary
 * work. Scope marks go. *tasks is malloced and holds references. SK_NOT_MODELLED: why tells. */
SK_MUST_USE sk_status sk__replace_tasks(sk__runtime *runtime, const sk__plan *plan, sk__make_sk_fn make, void *context, sk__task ***tasks, size_t *count,
                                        char why[SK__REPLACE_WHY_BYTES]);

/* Tasks that SK `number` consists of, in order of issue; malloced, borrowed references. NULL on no memory. */
sk__task **sk__parts_of(const sk__plan *plan, uint32_t number, size_t *count);

#endif
