/* judge.h - what the verifier finds by itself, beside the checkers of the machine. Private to the verify floor. */
#ifndef SK_VERIFY_JUDGE_H
#define SK_VERIFY_JUDGE_H

#include "verify/verify.h"

/* Bindings already judged, so that each is judged once. Freed by the owner. */
typedef struct sk__judged_bindings { const sk_binding **items; size_t count; } sk__judged_bindings;
/* H28 to H30 of the bindings of these tasks' kernels go to the checker. */
void sk__judge_bindings(sk__checker *checker, sk__task *const *tasks, size_t count, sk__judged_bindings *judged);

/* H29: a bound function that alone in a SuperKernel gives another result than its kernel, while nothing else is found in
 * that mode. mode: per-op, after a segment of these tasks made it differ. */
void sk__judge_bodies(sk__machine *machine, sk__task *const *tasks, size_t count, const sk__mode_result *mode);

/* H39: launches that nothing orders, each holding cores while it waits for more of its own. results: of the un-fused run
 * of these tasks. On no memory nothing is judged. */
void sk__judge_cores(sk__checker *checker, const sk__soc *soc, sk__task *const *tasks, const sk__task_result *results, size_t count);

#endif
