/* group.h - shared by the two halves of grouping: making scopes, merging them. Private to fuse/ge. */
#ifndef SK_FUSE_GE_GROUP_H
#define SK_FUSE_GE_GROUP_H

#include "base/arena.h"
#include "base/text.h"
#include "base/vec.h"
#include "fuse/ge/ge.h"

typedef struct sk__ge_grouper {
  const sk__ge_graph *graph;
  sk__arena *arena;
  bool emulate;
  sk__text why;
  sk__ge_grouping *out;
  uint32_t *stream_of;      /* per node: number of its stream, ascending with the id */
  uint32_t *position;       /* per compute node: place in its stream */
  uint32_t **stream_nodes;  /* per stream: compute nodes in graph order; the others are looked through */
  uint32_t *stream_sizes;
  uint32_t stream_count;
  SK__VEC(sk__ge_scope) groups;
} sk__ge_grouper;

/* warn.c */
void sk__ge_group_warn(sk__ge_grouper *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Fills g->groups: scope and members. */
SK_MUST_USE sk_status sk__ge_make_groups(sk__ge_grouper *g);
/* Sorts g->groups by name and merges one after another: streams, boundary, events, lists of subs. */
SK_MUST_USE sk_status sk__ge_merge_groups(sk__ge_grouper *g);

#endif
