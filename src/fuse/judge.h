/* judge.h - findings about a plan as such. Private to the fuse floor. */
#ifndef SK_FUSE_JUDGE_H
#define SK_FUSE_JUDGE_H

#include "fuse/fuse.h"

/* What can be told from the plan alone: H6, H15, H16. */
void sk__judge_plan(sk__checker *checker, const sk__plan *plan);
/* The program of an SK against its own rules: H31, SK_PROGRAM. */
void sk__judge_program(sk__checker *checker, const sk__plan *plan, const sk__sk *sk);
/* An SK that waits, before it starts, for what waits for its end: launches of it hang. */
void sk__report_never_starts(sk__checker *checker, const sk__plan *plan, uint32_t number);

#endif
