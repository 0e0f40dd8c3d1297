/* fuse.h - floor 6: from a graph and options to SK programs, with the reason of every decision.
 *
 * A plan says for every node what becomes of it; an SK is two short instruction lists (AIC queue, AIV
 * queue) that every core of its launch interprets. Both front ends produce this one form. */
#ifndef SK_FUSE_FUSE_H
#define SK_FUSE_FUSE_H

#include <stdio.h>
#include <jansson.h>

#include "graph/graph.h"

/* ---- options -------------------------------------------------------------------------------- */

typedef struct sk__patterns { const char *const *items; size_t count; } sk__patterns;

/* Options of the captured-graph path (the sheet's section 2.2), plus what the verifier forces. */
typedef struct sk__fuse_options {
  uint32_t preload_code, split_mode, stream_fusion, debug_sync_all, auto_op_parallel;
  uint32_t debug_op_exec_trace, debug_cross_core_sync_check, early_start, debug_per_op_max_core_num;
  uint32_t constant_codegen;
  uint32_t event_breaker_bypass, value_breaker_bypass, task_breaker_bypass;
  sk__patterns dcci_disable_on_kernel, dcci_before_kernel_start, dcci_after_kernel_end, ubuf_lock_ignore_kernel;
  /* Not options of the real planner: launch every SK with these counts (GE: debug-aic-num, debug-aiv-num);
   * 0 = as computed. aiv must be 0, aic or 2 * aic. */
  uint32_t force_aic, force_aiv;
  /* Not an option of the real planner either: no sub is followed by a flush, as in an SK of the GE path, but for
   * those that the two dcci lists name. */
  bool no_flush;
  /* Only to tell causes apart: every operator an SK of its own, on the cores it asks for; and a barrier over all
   * pipes behind these kernels, which debug-dcci-all of the GE path puts behind every one. */
  bool single_op_scopes;
  sk__patterns barrier_after;
  bool strict_stream_fusion; /* stream_fusion = 0 keeps streams apart; the real planner only warns */
  bool emulate_vendor_defects;
  bool raw_block_num;       /* sub-kernels read the SK's block number, as hand-written __sk__ functions do */
} sk__fuse_options;

SK__API sk__fuse_options sk__fuse_defaults(void);

/* Options from the two dictionaries of the Python interface, {"super_kernel_optimize_options": {...},
 * "super_kernel_debug_options": {...}}; either may be absent or null. A value out of range warns and
 * leaves the default; an unknown key or a value of another type is SK_INVALID_ARGUMENT, with the nearest
 * spelling in why. Text is borrowed from `options`. warn may be NULL. */
typedef void (*sk__warn_fn)(void *context, const char *text);
SK__API SK_MUST_USE sk_status sk__fuse_options_read(const json_t *options, struct sk__arena *arena, sk__fuse_options *out,
                                            sk__warn_fn warn, void *context, char *why, size_t why_bytes);

/* ---- the program ---------------------------------------------------------------------------- */

#define SK__TASK_TYPE_LIST(X)                                                                     \
  X(FUNC, 0) X(SYNC, 1) X(PRELOAD, 2) X(EVENT_NOTIFY, 3) X(EVENT_WAIT, 4) X(EVENT_RESET, 5)
typedef enum sk__op_type {
#define X(name, value) SK__OP_##name = (value),
  SK__TASK_TYPE_LIST(X)
#undef X
} sk__op_type;

#define SK__SYNC_LIST(X)                                                                          \
  X(ALL_SYNC, 0) X(AIC_TO_AIC, 1) X(AIV_TO_AIV, 2) X(SET_AIC_TO_AIV, 3) X(SET_AIV_TO_AIC, 4)      \
  X(WAIT_AIC_TO_AIV, 5) X(WAIT_AIV_TO_AIC, 6) X(EARLY_START, 7)
typedef enum sk__sync {
#define X(name, value) SK__SYNC_##name = (value),
  SK__SYNC_LIST(X)
#undef X
} sk__sync;
const char *sk__sync_name(sk__sync sync); /* "AIC_TO_AIC" ... */

/* Flush and debug bits of a FUNC task (section 7.3). */
#define SK__FUNC_DISABLE_DCCI 1u
#define SK__FUNC_SYNC_ALL 2u
#define SK__FUNC_DCCI_BEFORE 4u
#define SK__FUNC_DCCI_AFTER 8u
#define SK__FUNC_CROSS_CORE_CHECK 16u
#define SK__FUNC_DO_AFTER_FLUSH 32u
#define SK__FUNC_BARRIER_AFTER 64u /* not a bit of the real word */

/* What an instruction of an event stores, or polls. */
typedef struct sk__event_op {
  uint32_t word;            /* index in sk__plan.words, UINT32_MAX: the address counts */
  uint32_t condition;       /* EVENT_WAIT: as of sk__node */
  uint64_t address, value;  /* address 0 = the word of `word` */
} sk__event_op;

/* A plan has several for each operator: kept small. */
typedef struct sk__op {
  sk__op_type type : 8;
  sk__sync sync : 8;        /* SYNC */
  uint8_t preload_units;    /* PRELOAD: units of 2 KiB */
  uint8_t copy_count;       /* FUNC: slots in use; a core calls the function of slot (core id mod count) */
  uint8_t copies[4];        /* FUNC: function of each slot */
  uint32_t node;            /* index in the SK's task list; UINT32_MAX = boundary */
  uint32_t blocks;          /* FUNC, PRELOAD: cores with an index below run it; early-start SYNC: cores that
                             * leave it to the operator, 0 = none does */
  uint16_t early_mask;      /* early start: func mask (FUNC); SYNC: its bit, 0 = an ordinary SYNC */
  uint8_t debug;            /* FUNC: SK__FUNC_* */
  union {
    sk__task *task;         /* FUNC, PRELOAD: the launch whose kernel and arguments it calls; NULL from a file */
    const sk__event_op *event; /* EVENT_* */
  };
} sk__op;
_Static_assert(sizeof(sk__op) <= 32, "half a cache line");
static inline bool sk__is_event_op(const sk__op *op) { return op->type >= SK__OP_EVENT_NOTIFY; }
typedef struct sk__queue { sk__op *ops; size_t count; uint32_t blocks; } sk__queue;

typedef struct sk__sk {
  const char *name;         /* sk_<id>_<scopes>_start_<first>_end_<last> */
  uint32_t scope_id;
  sk_kernel_type type;      /* of the launch: SK_AIV_ONLY, SK_AIC_ONLY, SK_MIX_AIC_1_1, SK_MIX_AIC_1_2 */
  uint32_t blocks;
  sk__queue queue[2];       /* by sk__core_type */
  sk__node_index *members;  /* tasks in final order */
  size_t member_count;
  sk__node_index main;      /* the node whose place the SK takes */
  const char *entry;        /* name of the launched kernel */
  const char *cut;          /* why it ends where it does: code, "NONE" when nothing cut it */
  sk__node_index cut_by;    /* node that did; SK__NO_NODE */
} sk__sk;

/* Eight bytes of zeroed device memory that stand for an event inside or around SKs. */
typedef struct sk__plan_word {
  const char *label;        /* "e0x7010", "s0.front1", "s0.back1" */
  uint64_t event_id;        /* of an event; 0 = boundary word */
} sk__plan_word;

/* What becomes of a node. */
typedef enum sk__fate { SK__STAYS, SK__FUSED, SK__LAUNCHES_SK, SK__REMOVED, SK__BOUNDARY } sk__fate;
typedef struct sk__decision {
  sk__fate fate : 8;
  uint8_t reason, sub_reason; /* numbers of reasons.h; sk__why_of puts them in words */
  uint32_t sk;              /* index of its SK, UINT32_MAX none */
} sk__decision;

/* A decision in words, all of them static. */
typedef struct sk__why {
  const char *reason;       /* code: "CAN_FUSE", "NOT_IN_SCOPE" ... */
  const char *sub_reason;   /* or NULL */
  const char *text;         /* what the code means; NULL when fused */
  const char *advice;       /* what to change; NULL when fused or where nothing can be done */
} sk__why;
SK__API sk__why sk__why_of(const sk__decision *decision);

typedef struct sk__plan {
  const sk__graph *graph;   /* borrowed */
  sk__fuse_options options;
  size_t sk_count;
  sk__sk *sks;              /* in order of their main nodes */
  sk__decision *decisions;  /* per graph node */
  size_t word_count;
  sk__plan_word *words;
  struct sk__arena *arena;
} sk__plan;

/* Plans. SK_INVALID_ARGUMENT / SK_STATE: the real call would fail; *why then names the node and rule
 * (static or owned by nobody: copied into why_text). */
SK__API SK_MUST_USE sk_status sk__plan_make(const sk__graph *graph, const sk__fuse_options *options, sk__plan **out,
                                    char *why, size_t why_bytes);
SK__API void sk__plan_free(sk__plan *plan);

/* Tells of each option that is not at its default what it does to the plan, or "no effect: " and why. The graph is
 * planned again once for each. */
typedef void (*sk__effect_fn)(void *context, const char *option, const char *value, const char *effect);
SK__API SK_MUST_USE sk_status sk__plan_effects(const sk__plan *plan, sk__effect_fn tell, void *context);

/* Options of the plan that a SuperKernel of aclskOptimize is part of; NULL: it was made otherwise. */
const sk__fuse_options *sk__made_with(const sk__superkernel *superkernel);

/* What one launch of an execution was. */
typedef struct sk__launch_result {
  const char *name;
  bool is_sk;
  sk_kernel_type type;
  uint32_t blocks;
  uint32_t node;            /* of an SK the one whose place it takes */
  sk_status status;
  sk__run_stats stats;
} sk__launch_result;

/* Executes the plan's graph: tasks that stay run as they are, SKs run as one launch each. results holds
 * plan->graph->node_count entries; *launches = how many were filled. SK_DEADLOCK, with a finding that names it:
 * an SK and work outside of it wait for each other for ever. */
SK_MUST_USE sk_status sk__plan_run(sk__runtime *runtime, const sk__plan *plan, sk__launch_result *results,
                                   size_t *launches);

/* Replays recorded decisions (one JSON object per line: graph, options, expect) and counts agreement.
 * Prints "agreed N of M" and the first difference of each kind. */
typedef struct sk__check_result { size_t cases, agreed, agreed_untagged, untagged; } sk__check_result;
SK__API SK_MUST_USE sk_status sk__plan_check(FILE *vectors, bool emulate_vendor_defects, FILE *report, sk__check_result *result);

/* Listing for people, and JSON (the vendor's queue schema plus decisions). */
/* H41: a value wait that no write of the graph ends. */
bool sk__waits_for_nobody(const sk__graph *graph, const sk__node *wait);
SK__API void sk__plan_print(const sk__plan *plan, FILE *to);
SK__API SK_MUST_USE sk_status sk__plan_dot(const sk__plan *plan, FILE *to); /* Graphviz */
SK__API json_t *sk__plan_json(const sk__plan *plan); /* new reference, NULL on no memory */

/* Graph mode (fuse/ge/ge.h). A file of recorded generator decisions is told from one of plans by its first
 * record; its player names every case that differs with the record's tags. 0 = all agree; a file that cannot
 * be read or does not parse counts as a difference and is named in the report. */
SK__API bool sk__ge_is_vectors(const json_t *first_record);
SK__API int sk__ge_check(const char *path, bool emulate_vendor_defects, FILE *report);
/* The program of one record {"subs": [...], "options": "..."}: a listing, or JSON in the form of the records.
 * SK_INVALID_ARGUMENT, SK_PARSE: refused, the reason is in why. */
SK__API SK_MUST_USE sk_status sk__ge_show(const json_t *record, bool emulate_vendor_defects, bool as_json, FILE *to, char *why, size_t why_bytes);
SK_MUST_USE sk_status sk__ge_check_stream(FILE *vectors, bool emulate_vendor_defects, FILE *report, sk__check_result *result);

/* What can be told from an SK binding alone: H28 (its argument structures against the launch's argument block), H29 (core
 * types of its functions against the kernel's) and H30 (another binding of the kernel). */
void sk__judge_binding(sk__checker *checker, const sk_binding *binding);

#endif
