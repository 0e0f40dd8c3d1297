/* tracker.h - what fills timelines. Private to the verify floor. */
#ifndef SK_VERIFY_TRACKER_H
#define SK_VERIFY_TRACKER_H

#include "verify/verify.h"

typedef struct sk__tracker sk__tracker;

sk__tracker *sk__tracker_new(uint64_t launch_cycles); /* NULL: no memory */
void sk__tracker_free(sk__tracker *tracker);
/* What the machine does until stop goes into a timeline, behind what is there. */
void sk__tracker_start(sk__tracker *tracker, sk__machine *machine, sk__timeline_kind kind);
void sk__tracker_stop(sk__tracker *tracker, sk__machine *machine);
const sk__timeline *sk__tracker_timeline(const sk__tracker *tracker, sk__timeline_kind kind);

#endif
