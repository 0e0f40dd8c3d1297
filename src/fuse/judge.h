/* judge.h - findings about a plan as such. Private to the fuse floor. */
#ifndef SK_FUSE_JUDGE_H
#define SK_FUSE_JUDGE_H

#include "fuse/fuse.h"

/* What can be told from the plan alone: H6, H15, H16. */
void sk__judge_plan(sk__checker *checker, const sk__plan *plan);
/* The program of an SK against its own rules: H31, SK_PROGRAM. */
void sk__judge_program(sk__checker *checker, const sk__plan *plan, const sk__sk *sk);
/* Streams run one launch after another here: names an SK that waits for what waits for it. `order` holds
 * the launches that could be placed. */
void sk__report_circle(sk__runtime *runtime, const sk__plan *plan, const uint32_t *order, size_t count);

#endif
