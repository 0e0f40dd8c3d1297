/* verify.h - a twin run of a stretch of a process, for frameworks: what skv verify does for a whole program.
 *
 * Between begin and end every piece of work on the device is run un-fused and in every other mode, compared, and the
 * device is left as the un-fused run left it. */
#ifndef SUPERKERNEL_VERIFY_H
#define SUPERKERNEL_VERIFY_H

#include "superkernel/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* modes: as of skv verify --modes. What was queued before runs first and does not count. An aclError; a process that
 * skv verifies as a whole, or a second begin, is refused. */
SK_EXPORT int sk_verify_begin(const char *modes);
/* Runs what is queued. *json: the report (schema superkernel.verify/1), *text: the same for people; both are the
 * caller's (free). program: what the report calls the work. */
SK_EXPORT int sk_verify_end(const char *program, char **json, char **text);

#ifdef __cplusplus
}
#endif
#endif
