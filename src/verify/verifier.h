/* verifier.h - what the verifier's own files share: its state, a segment of work in its forms. */
#ifndef SK_VERIFY_VERIFIER_H
#define SK_VERIFY_VERIFIER_H

#include <time.h>

#include "verify/estimate.h"
#include "verify/judge.h"
#include "verify/order_sums.h"
#include "verify/tracker.h"
#include "verify/undefined.h"
#include "verify/verify.h"

/* How a mode differed on what nobody has written, and only there. */
typedef struct sk__doubt { uint32_t count; sk__buffer_difference items[SK__MAX_DIFFERENCES]; } sk__doubt;

struct sk__verifier {
  sk__runtime *runtime;
  sk__segment_hook hook;
  sk__machine_options plain;   /* the machine's options outside twin runs */
  sk__progress_fn progress;
  void *progress_context;
  sk__verify_result result;
  sk__mode *mode_list;
  const char *ge_options;      /* of every scope in mode ge; NULL none */
  sk__tracker *tracker;        /* NULL: no timelines are kept */
  sk__task_costs costs;        /* of the segment in work, un-fused */
  json_t *last_plan;           /* what the latest plan says, without estimates; NULL */
  sk__observer_fn observer;
  void *observer_context;
  sk__judged_bindings judged;
  sk__order_sums sums;         /* of the running segment */
  bool again;                  /* a mode is run once more, for its results alone */
  sk__inherited inherited;     /* the same of earlier segments */
  sk__undefined undefined;     /* results of the segment that depend on what nobody has written */
  sk__left **left, **leaving;  /* per mode: lines in data caches before the segment, and behind it */
  sk__doubt *doubts;           /* per mode: what counts once the host takes such a result */
  bool emulate;                /* vendor defects */
  bool diagnose;
  bool scoped;                 /* only segments that are asked for */
  uint32_t diagnosis_runs;     /* of all segments */
};

/* One segment of work in three forms. They differ only where the program made SuperKernels itself. */
typedef struct sk__form { sk__task *const *tasks; size_t count; } sk__form;
typedef struct sk__work {
  sk__form made;               /* as the program queued it */
  sk__form apart;              /* those SuperKernels taken apart: the reference */
  sk__form marked;             /* the same with their names as scopes */
  bool by_program;             /* there are any */
} sk__work;

/* One finding of mode `mode`: joined with what has the same cause (collect.c). */
void sk__collect_finding(sk__verify_result *result, size_t mode, const sk__finding *finding, sk__streams streams);
/* Takes the checker's findings over into the mode, so that the next mode starts with none. plan: what ran,
 * NULL un-fused (collect.c). */
void sk__collect_findings(sk__verifier *verifier, size_t mode, const sk__plan *plan);

/* Plans go into the report as data and as the listing people read. sk_cycles: plan->sk_count entries, or NULL (plans.c). */
void sk__keep_plan(sk__verifier *verifier, const sk__plan *plan, const uint64_t *sk_cycles);
/* The same of SuperKernels that the program made itself: their listings. */
void sk__keep_made(sk__verifier *verifier, sk__form work);

/* Runs the work in mode `index` on memory as it is; how it ended is in that mode's result (one_mode.c). */
SK_MUST_USE sk_status sk__run_mode(sk__verifier *verifier, const sk__work *work, size_t index);

/* H45: what the program made with such an option is planned and run once more without it, as part of mode `index` (hidden.c). */
SK_MUST_USE sk_status sk__look_behind(sk__verifier *verifier, const sk__work *work, size_t index, const sk__buffers *buffers, sk__image *reference);

/* The work cannot be fused so, which is no failure of the verifier. */
static inline bool sk__is_refusal(sk_status status) { return status == SK_INVALID_ARGUMENT || status == SK_STATE || status == SK_NOT_MODELLED; }

/* What the runtime calls with each stretch of work: in every mode, or once as it is (twin.c). context: the verifier. */
sk_status sk__verify_segment(void *context, sk__runtime *runtime, sk__task *const *tasks, size_t count);
sk_status sk__record_segment(void *context, sk__runtime *runtime, sk__task *const *tasks, size_t count);

static inline double sk__seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
