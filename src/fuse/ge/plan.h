/* plan.h - a planned graph of graph mode, as its makers, its runner and its printers see it. Private to fuse/ge. */
#ifndef SK_FUSE_GE_PLAN_H
#define SK_FUSE_GE_PLAN_H

#include "base/text.h"
#include "fuse/course.h"
#include "fuse/fuse.h"
#include "fuse/ge/internal.h"

struct sk__ge_plan {
  const sk__graph *graph;    /* borrowed; NULL: from a text, which cannot be run */
  sk__arena arena;
  sk__ge_graph ge;
  bool before_compile;       /* the text tells of no node whether it supports a SuperKernel */
  size_t other_graphs;       /* in the text, not planned */
  uint32_t *scope_of;        /* per node: scope it is fused into, UINT32_MAX none */
  sk__ge_grouping grouping;
  sk__ge_program *programs;  /* per scope */
  bool *made;                /* per scope: all its operators are known, the program is there */
  /* Of tasks only: */
  uint32_t *before, *behind; /* per graph node: nearest kernels of its stream */
  uint32_t *record;          /* per graph node: of a wait, what it waits for */
  sk__plan order;            /* what the order of launches needs: members, places, decisions */
};

void sk__ge_plan_warn(sk__ge_plan *plan, const char *format, ...) __attribute__((format(printf, 2, 3))); /* warn.c */

/* Per parameter number of a program the nodes that stand for its word, nodes[first[n]] .. nodes[first[n + 1]]: of a wait word
 * the records outside, of a notify word what lies in the SK and is told by it. */
typedef struct sk__ge_tellers { uint32_t *first, *nodes; } sk__ge_tellers;
/* Starts a program as part of a plan; *keep must live until it is over (sk__ge_kept_free). */
SK_MUST_USE sk_status sk__ge_begin(sk__course *course, const sk__ge_program *program, const sk__ge_tellers *tellers, sk__snapshot *before,
                                   sk__snapshot *after, sk__launch_result *result, sk__standing **standing, void **keep);
void sk__ge_kept_free(void *keep);
/* As sk__ge_plan_run, of a circle only (NULL: of the whole plan). plan_run.c */
SK_MUST_USE sk_status sk__ge_plan_run_part(sk__runtime *runtime, const sk__ge_plan *plan, const sk__part *part, sk__launch_result *results,
                                           size_t *launches);

/* Why a node runs by itself; of fused ones NONE. X(code, what it means, what to change) */
#define SK__GE_ALONE_LIST(X)                                                                                                         \
  X(NONE, "", "")                                                                                                                    \
  X(NOT_IN_SCOPE, "it lies in no scope", "put it into a super_kernel scope")                                                         \
  X(OP_UNSUPPORT, "it cannot be called from a SuperKernel (supportSuperKernel is not 1)", "leave it out of the scope, or build the operator for it") \
  X(SIMT_OP_UNSUPPORT, "its vector half is SIMT code (local_memory_size is above 0)", "leave it out of the scope")                   \
  X(TILING_ON_AICPU, "its tiling runs on the AICPU and its binary must be reused", "let its tiling sink to the device")              \
  X(SCOPE_BYPASSED, "its scope holds foreign operators, and strict-scope-check=bypass gives it up", "move these out of the scope, or leave strict-scope-check out")
typedef enum sk__ge_alone {
#define X(code, text, advice) SK__GE_ALONE_##code,
  SK__GE_ALONE_LIST(X)
#undef X
} sk__ge_alone;
sk__ge_alone sk__ge_alone_of(const sk__ge_plan *plan, uint32_t node);
const char *sk__ge_alone_code(sk__ge_alone why);
const char *sk__ge_alone_text(sk__ge_alone why);
const char *sk__ge_alone_advice(sk__ge_alone why);
/* The node at which the scope was cut off in front (or behind); UINT32_MAX when nothing was. */
uint32_t sk__ge_cut_of(const sk__ge_plan *plan, uint32_t scope, bool behind);
/* Reason of a cut: the node is unfusible, or foreign to the scope. */
const char *sk__ge_cut_reason(const sk__ge_plan *plan, uint32_t scope, uint32_t node);
/* What an option that was given does to a program, or why nothing. */
void sk__ge_option_effect(const sk__ge_plan *plan, uint32_t scope, sk__ge_key key, sk__text *to);
const char *sk__ge_key_name(sk__ge_key key);
/* Operators as people read them: what the node is worth in a list. NetOutput only ends a graph. */
bool sk__ge_is_operator(const sk__ge_node *node);

#endif
