/* tracker.c - timelines out of the machine's spans. The clocks of each launch, and of launches that run at the same time, start
 * at 0; they are laid one behind the other with the launch gap between, as the estimate of a mode counts them. */
#include "verify/tracker.h"

#include <string.h>

#include "base/arena.h"
#include "base/vec.h"

enum { REMEMBERED_NAMES = 64 };

typedef struct track {
  SK__VEC(sk__timeline_span) spans;
  sk__timeline told;
  uint64_t base_cycles, latest_cycles; /* where the running group begins; its latest end */
  uint32_t group, launches;            /* machine's number of the running group; launches so far */
  SK__VEC(uint32_t) serials;           /* of the launches of the group; the last is number launches - 1 */
  bool in_launch;
} track;

struct sk__tracker {
  uint64_t launch_cycles;
  track tracks[SK__TIMELINES];
  track *current;
  sk__arena names;
  const char *recent[REMEMBERED_NAMES]; /* a program has few kernels: their names are kept once */
  uint32_t next_recent;
};

sk__tracker *sk__tracker_new(uint64_t launch_cycles) {
  sk__tracker *tracker = sk__calloc(1, sizeof *tracker);
  if (tracker != NULL) tracker->launch_cycles = launch_cycles;
  return tracker;
}

void sk__tracker_free(sk__tracker *tracker) {
  if (tracker == NULL) return;
  for (int i = 0; i < SK__TIMELINES; i++) {
    sk__vec_free(&tracker->tracks[i].spans);
    sk__vec_free(&tracker->tracks[i].serials);
  }
  sk__arena_free(&tracker->names);
  sk__free(tracker);
}

static const char *keep_name(sk__tracker *tracker, const char *name) {
  for (uint32_t i = 0; i < REMEMBERED_NAMES && tracker->recent[i] != NULL; i++)
    if (strcmp(tracker->recent[i], name) == 0) return tracker->recent[i];
  const char *kept = sk__arena_strdup(&tracker->names, name);
  if (kept != NULL) tracker->recent[tracker->next_recent++ % REMEMBERED_NAMES] = kept;
  return kept;
}

static void end_launch(const sk__tracker *tracker, track *t) {
  if (t->in_launch) t->base_cycles += t->latest_cycles + tracker->launch_cycles;
  t->latest_cycles = 0;
  t->in_launch = false;
  sk__vec_clear(&t->serials);
}

/* The launch's number in the timeline; without memory that of the latest. */
static uint32_t number_of(track *t, uint32_t serial) {
  for (size_t i = t->serials.count; i-- > 0;)
    if (t->serials.items[i] == serial) return t->launches - (uint32_t)(t->serials.count - i);
  if (sk__vec_push(&t->serials, serial)) t->launches++;
  return t->launches - (t->launches > 0);
}

static void take_span(void *context, const sk__span *span) {
  sk__tracker *tracker = context;
  track *t = tracker->current;
  if (!t->in_launch || t->group != span->group) {
    end_launch(tracker, t);
    t->in_launch = true;
    t->group = span->group;
  }
  uint32_t number = number_of(t, span->launch);
  if (span->end_cycles > t->latest_cycles) t->latest_cycles = span->end_cycles;
  const char *name = t->spans.count < SK__TIMELINE_MAX_SPANS ? keep_name(tracker, span->name != NULL ? span->name : "") : NULL;
  sk__timeline_span kept = {name, span->core, number, span->task, t->base_cycles + span->begin_cycles,
                            t->base_cycles + span->end_cycles};
  if (name == NULL || !sk__vec_push(&t->spans, kept)) t->told.dropped++;
  t->told.spans = t->spans.items;
  t->told.count = t->spans.count;
}

void sk__tracker_start(sk__tracker *tracker, sk__machine *machine, sk__timeline_kind kind) {
  tracker->current = &tracker->tracks[kind];
  sk__machine_set_spans(machine, take_span, tracker);
}

void sk__tracker_stop(sk__tracker *tracker, sk__machine *machine) {
  sk__machine_set_spans(machine, NULL, NULL);
  end_launch(tracker, tracker->current);
}

const sk__timeline *sk__tracker_timeline(const sk__tracker *tracker, sk__timeline_kind kind) { return &tracker->tracks[kind].told; }
