/* run.h - running the tasks of a segment once, un-fused or by a plan, with the launches counted. */
#ifndef SK_VERIFY_RUN_H
#define SK_VERIFY_RUN_H

#include "fuse/ge/ge.h"
#include "verify/verify.h"

/* The machine as a mode needs it: its schedule, one host thread; all that was before is ordered before it. `plain`: the options
 * of the program's own runs. The reference comes first and is ordered as the program's streams are. */
void sk__run_prepare_first(sk__runtime *runtime, const sk__machine_options *plain, sk__schedule schedule);
void sk__run_prepare(sk__runtime *runtime, const sk__machine_options *plain, sk__schedule schedule);
sk__fuse_options sk__mode_options(sk__runtime *runtime, sk__mode_kind kind);
/* What the launches did is added to *mode. Errors are of the verifier; those of kernels are in mode->status. */
SK_MUST_USE sk_status sk__run_tasks(sk__runtime *runtime, sk__task *const *tasks, size_t count, sk__mode_result *mode);
/* The same, with the cycles of each task. */
SK_MUST_USE sk_status sk__run_tasks_timed(sk__runtime *runtime, sk__task *const *tasks, size_t count, sk__mode_result *mode, uint64_t *cycles);
/* sk_cycles: plan->sk_count entries, or NULL. */
SK_MUST_USE sk_status sk__run_plan(sk__runtime *runtime, const sk__plan *plan, sk__mode_result *mode, uint64_t *sk_cycles);
SK_MUST_USE sk_status sk__run_ge_plan(sk__runtime *runtime, const sk__graph *graph, const sk__ge_plan *plan, sk__mode_result *mode);

/* A known-good operator on all cores of the kernel's type (neighbour.c). */
sk__neighbour sk__neighbour_of(sk__runtime *runtime, const sk_kernel *kernel);

/* Same id and same places, in either order; without places the words decide. */
bool sk__same_cause(const sk__finding *a, const sk__finding *b);

#endif
