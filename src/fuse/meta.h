/* meta.h - the dump directory of the real optimizer. Private to the fuse floor. */
#ifndef SK_FUSE_META_H
#define SK_FUSE_META_H

#include <stdio.h>

#include "fuse/fuse.h"

/* One call of the optimizer. NULL everywhere below: dumps are not asked for. */
typedef struct sk__meta sk__meta;

/* With ASCEND_OP_COMPILE_SAVE_KERNEL_META=1 in the environment a directory sk_meta/<pid>/model_<id>_<call>/ below the
 * current one; otherwise NULL, and also when it cannot be made, which is logged. */
sk__meta *sk__meta_open(void);
/* Where the splitting tells of itself: sk_scope_split.log; NULL none. */
FILE *sk__meta_split_log(sk__meta *meta);
/* Graph before the call; the plan, or NULL and why there is none; the tasks behind the call. Frees the meta. */
void sk__meta_close(sk__meta *meta, const sk__graph *origin, const sk__plan *plan, const char *why, sk__task *const *tasks, size_t count);

#endif
