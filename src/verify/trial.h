/* trial.h - runs of a segment outside the mode matrix: with one change, or with fewer operators fused. */
#ifndef SK_VERIFY_TRIAL_H
#define SK_VERIFY_TRIAL_H

#include "base/arena.h"
#include "base/vec.h"
#include "fuse/ge/ge.h"
#include "verify/image.h"

/* What is left of a finding: enough to know it again in another run. */
typedef struct sk__sign {
  char id[32];
  const void *places[2];     /* sk__site_place */
  char kernels[2][64];
} sk__sign;
sk__sign sk__sign_of(const sk__finding *finding);
/* Same id, and an end at the same place: with other operators around it a failure may have another second end. */
bool sk__same_sign(const sk__sign *a, const sk__sign *b);

/* A segment and what is known of it. */
typedef struct sk__segment {
  sk__runtime *runtime;
  const sk__machine_options *plain;
  sk__task *const *tasks;
  size_t count;
  const sk__buffers *buffers;
  sk__image *reference;      /* what the un-fused run of all tasks left */
  bool emulate;              /* vendor defects */
  const char *ge_options;    /* of every scope in mode ge; NULL none */
} sk__segment;

/* Indices of tasks, ascending. */
typedef struct sk__members { uint32_t *items; size_t count; } sk__members;

typedef struct sk__trial {
  sk__mode mode;
  sk__change change;         /* SK__CHANGE_NONE: none */
  const char *operator_name; /* of the changes at one operator */
  /* Only these operators may be fused. Those of `all` before the first and behind the last run un-fused; those
   * between are left out, since they would cut the scope. */
  sk__members members;
  const sk__members *all;    /* operators that the mode fuses */
} sk__trial;

typedef struct sk__trial_result {
  sk_status status;          /* worst of its launches */
  sk__outcome outcome;       /* compared with the same tasks un-fused */
  SK__VEC(sk__sign) signs;   /* findings of any severity that the same tasks do not have un-fused */
} sk__trial_result;
void sk__trial_result_free(sk__trial_result *result);

/* The un-fused run of a list of tasks, kept from one trial to the next. */
typedef struct sk__reduced {
  sk__task **tasks;          /* borrowed one by one */
  uint32_t *indices;         /* where each stands in the segment */
  size_t count;
  sk__image image;
  sk_status status;          /* worst of its launches */
  SK__VEC(sk__sign) signs;
} sk__reduced;
void sk__reduced_free(sk__reduced *reduced);

/* Runs the trial on rolled-back memory and rolls back again. *runs goes up by how often the segment was run.
 * SK_STATE: the tasks fail without any fusing, or cannot be fused. Other errors are the verifier's. */
SK_MUST_USE sk_status sk__trial_run(const sk__segment *segment, const sk__trial *trial, sk__reduced *reduced,
                                    sk__trial_result *out, uint32_t *runs);
/* The plan of a trial, by the planner of its mode: `ge` in mode ge, else `plan`. Freed also after a failure. */
typedef struct sk__planned {
  sk__graph *graph;
  sk__plan *plan;
  sk__ge_plan *ge;
  sk__arena arena;           /* texts the plan borrows */
} sk__planned;
/* reduced: for those tasks only, NULL for all of the segment. Options are borrowed from the trial. SK_STATE: they cannot be
 * fused. */
SK_MUST_USE sk_status sk__trial_plan(const sk__segment *segment, const sk__trial *trial, const sk__reduced *reduced, sk__planned *out);
/* The option string that a scope's operators carry; NULL none. */
const char *sk__scope_options(sk__task *const *tasks, size_t count, const char *scope);
/* The text without the key, which may be given once only, and with the new part ("" none) behind. NULL on no memory. */
char *sk__options_with(sk__arena *arena, const char *text, const char *key, const char *part);
/* Members and decisions of either. */
const sk__plan *sk__planned_order(const sk__planned *planned);
void sk__planned_free(sk__planned *planned);
/* Nodes that the graph of tasks has for one: three for a scope mark. */
uint32_t sk__nodes_of_task(const sk__task *task);

#endif
