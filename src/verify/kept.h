/* kept.h - the SuperKernels of a segment in short. Private to the verify floor. */
#ifndef SK_VERIFY_KEPT_H
#define SK_VERIFY_KEPT_H

#include "verify/verify.h"

/* Puts `superkernels` and `launched_alone` into the object: of a plan. */
void sk__tell_plan(json_t *json, const sk__plan *plan);
/* The same of work in which the program made its SuperKernels itself. */
void sk__tell_made(json_t *json, sk__task *const *tasks, size_t count);

#endif
