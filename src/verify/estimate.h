/* estimate.h - what fusing saves, SK by SK, by the cost model of the chip profile. Private to the verify floor. */
#ifndef SK_VERIFY_ESTIMATE_H
#define SK_VERIFY_ESTIMATE_H

#include <stdio.h>

#include "fuse/fuse.h"

/* Cycles of the launches of one segment, un-fused: per task, 0 where nothing was launched. */
typedef struct sk__task_costs {
  sk__task *const *tasks;   /* borrowed */
  uint64_t *cycles;         /* owned */
  size_t count;
} sk__task_costs;
void sk__task_costs_free(sk__task_costs *costs);

typedef struct sk__sk_estimate {
  uint64_t unfused_launches;
  uint64_t unfused_cycles, unfused_gaps; /* work of its operators one after another; launch gaps between */
  uint64_t fused_cycles, fused_gaps;
  double unfused_us, fused_us;           /* gaps included */
} sk__sk_estimate;
/* Per SK of the plan. sk_cycles: of its launch. out: plan->sk_count entries. */
void sk__estimate_plan(const sk__plan *plan, const sk__task_costs *costs, const uint64_t *sk_cycles, const sk__soc *soc, sk__sk_estimate *out);
json_t *sk__estimate_json(const sk__sk_estimate *estimate);
void sk__estimate_print(const sk__plan *plan, const sk__sk_estimate *estimates, const sk__soc *soc, FILE *to);

#endif
