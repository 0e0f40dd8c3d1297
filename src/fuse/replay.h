/* replay.h - recorded decisions of the real planner and generator, one JSON document a line, against ours. Private to the fuse
 * floor. */
#ifndef SK_FUSE_REPLAY_H
#define SK_FUSE_REPLAY_H

#include <jansson.h>
#include <stdio.h>

#include "fuse/fuse.h"

enum { SK__REPLAY_KINDS = 48, SK__REPLAY_KIND_BYTES = 24 };

typedef struct sk__replay {
  bool emulate;
  FILE *report;
  sk__check_result *result;
  /* Plays *record, tells what differs; a case that cannot be read is one that differs. */
  sk_status (*play)(struct sk__replay *replay);
  const json_t *record;
  bool differs;              /* this record does */
  char kinds[SK__REPLAY_KINDS][SK__REPLAY_KIND_BYTES]; /* of difference, already shown */
  size_t kind_count;
} sk__replay;

/* Plays all lines and counts in *result. */
SK_MUST_USE sk_status sk__replay_all(sk__replay *replay, FILE *vectors);
/* Each kind of difference is shown once, with why (may be ""); without emulation every case that differs is named besides. */
void sk__replay_differs(sk__replay *replay, const char *kind, const json_t *expected, const json_t *mine, const char *why);
void sk__replay_unreadable(sk__replay *replay, const char *why);
/* The line is no case at all: SK_PARSE. */
sk_status sk__replay_refuse(const sk__replay *replay, const char *why);

#endif
