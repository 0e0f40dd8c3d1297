/* diagnose.h - by what a failure of a fused mode goes away, and how few operators it takes. */
#ifndef SK_VERIFY_DIAGNOSE_H
#define SK_VERIFY_DIAGNOSE_H

#include "verify/trial.h"

/* What the segment brought: findings from `first_finding` on are new in it. */
typedef struct sk__failures {
  size_t first_finding;
  const sk__outcome *outcomes; /* per mode, before the segment */
} sk__failures;

/* Diagnoses what failed in the segment for the first time: *all_runs counts up to SK__DIAGNOSIS_ALL_RUNS. Memory is as
 * it was before the segment, and is left so. */
SK_MUST_USE sk_status sk__diagnose(const sk__segment *segment, const sk__failures *failures, sk__verify_result *result,
                                   uint32_t *all_runs);
void sk__diagnosis_free(sk__diagnosis *diagnosis);

/* How a failure shows again: by a finding, or by results that differ or a run that fails. */
typedef struct sk__symptom {
  bool is_finding;
  sk__sign sign;
  sk__outcome outcome;       /* SK__MISMATCH, SK__FAILED */
  sk_status status;          /* FAILED */
} sk__symptom;

/* Trials that were run in the segment. */
typedef struct sk__remembered {
  sk__trial trial;           /* with members of its own */
  uint32_t runs, latest;     /* what it took; number of the failure that asked last */
  bool ran;                  /* false: the tasks fail un-fused, or cannot be fused */
  sk__trial_result result;
} sk__remembered;
typedef struct sk__memory { SK__VEC(sk__remembered) items; } sk__memory;
void sk__memory_free(sk__memory *memory);

/* One failure while it is looked into. */
typedef struct sk__inquiry {
  const sk__segment *segment;
  sk__symptom symptom;
  sk__mode mode;
  sk__members all;           /* operators fused in the mode */
  sk__members named;         /* those of them that the finding names */
  sk__reduced *reduced;
  sk__memory *memory;        /* trials that were run before, for this failure or another */
  uint32_t number;           /* of this failure in the segment */
  uint32_t runs, limit;
  uint32_t shared_runs;      /* runs for other failures that told about this one as well */
  bool exhausted;            /* a trial was not run for want of runs */
} sk__inquiry;

/* What the failure does under a change, with these members. UNCLEAR when no run is left. */
SK_MUST_USE sk_status sk__inquire(sk__inquiry *inquiry, const sk__members *members, sk__change change, const char *operator_name,
                                  sk__effect *effect);
typedef SK__VEC(sk__attempt) sk__attempts;
/* Appends what each change of the option matrix does (matrix.c). */
SK_MUST_USE sk_status sk__matrix_run(sk__inquiry *inquiry, const sk__members *members, sk__attempts *out);
/* Hazards that the first change of the list that helps points to; "". */
const char *sk__matrix_points_to(const sk__attempts *attempts);
/* Takes members out as long as the failure stays (shrink.c). *smallest: none of those left can go. */
SK_MUST_USE sk_status sk__shrink(sk__inquiry *inquiry, sk__members *members, bool *smallest);

#endif
