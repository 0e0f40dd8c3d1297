/* execute.h - one SK run on the machine, for whoever drives the streams around it. Private to the fuse floor. */
#ifndef SK_FUSE_EXECUTE_H
#define SK_FUSE_EXECUTE_H

#include "fuse/fuse.h"
#include "fuse/course.h"

/* The record that a wait inside the graph means, as a node; UINT32_MAX for events shared with the outside. */
uint32_t sk__record_of(const sk__graph *graph, const sk__node *wait);

/* Runs one SK, of which all waits have been answered. told, per graph node: what records that have run ordered; those inside
 * the SK are filled in (new references). before, after: order towards other launches. */
SK_MUST_USE sk_status sk__sk_run(sk__runtime *runtime, const sk__plan *plan, const sk__sk *sk, sk__told *told,
                                 sk__snapshot *before, sk__snapshot *after, sk__launch_result *result);

#endif
