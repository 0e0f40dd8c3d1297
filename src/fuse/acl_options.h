/* acl_options.h - the C interface's options. Private to the fuse floor. */
#ifndef SK_FUSE_ACL_OPTIONS_H
#define SK_FUSE_ACL_OPTIONS_H

#include "acl/super_kernel.h"
#include "base/arena.h"
#include "fuse/fuse.h"

/* Never refuses: what is wrong is warned of and has no effect. options may be NULL. Names are copied into the
 * arena. SK_OUT_OF_MEMORY. */
SK_MUST_USE sk_status sk__acl_options_read(const aclskOptions *options, sk__arena *arena, sk__fuse_options *out,
                                           sk__warn_fn warn, void *context);

#endif
