/* planner.h - a plan in the making, shared by the passes. Private to the fuse floor.
 *
 * The passes, in order: classify.c (kinds and fusibility), scopes.c (marker sets), split.c (first scopes),
 * schedmode.c, deadlock.c, prune.c (default nodes, streams of events only), boundary.c (where the launch
 * stands), tasks.c (what is executed), sync.c (barriers and flags), emit.c (queues). pipeline.c drives. */
#ifndef SK_FUSE_PLANNER_H
#define SK_FUSE_PLANNER_H

#include <stdio.h>

#include "base/arena.h"
#include "base/text.h"
#include "base/vec.h"
#include "fuse/fuse.h"
#include "fuse/reasons.h"

#define SK__NONE UINT32_MAX
enum { SK__MAX_SCOPE_NAMES = 1024 };

/* How the planner sees a kernel: which queues it occupies. */
typedef enum sk__shape { SK__SHAPE_NONE, SK__SHAPE_AIC, SK__SHAPE_AIV, SK__SHAPE_MIX } sk__shape;

/* Every pass walks these: less than a line of the cache each, with what the passes need of the graph's own node. */
typedef struct sk__pnode {
  sk__node_type type : 8;  /* after classification */
  sk__marker marker : 8;
  sk__reason reason : 8;
  sk__sub_reason sub : 8;
  sk__shape shape : 8;     /* kernels; markers are vector kernels of one block */
  uint8_t schedmode;
  bool fusible : 1, scope_verdict : 1; /* scope_verdict: unfusible because of the scopes, whatever else it is */
  bool unpaired : 1;       /* value wait that nothing in the graph releases */
  uint32_t stream, position; /* as in the graph */
  uint32_t flags;          /* number of its set of open scopes; 0 = the empty set */
  uint32_t event;          /* index in events; SK__NONE */
  uint32_t need[2];        /* cores, by sk__core_type */
  uint32_t scope;          /* index of the final scope it is in; SK__NONE */
  uint32_t accepted;       /* 1 + index of its scope among those that the deadlock pass accepted; 0 none */
  uint32_t visit;          /* stamp of the last backward search */
} sk__pnode;
_Static_assert(sizeof(sk__pnode) <= 44, "10,000 of them stay in a second cache of 1 MiB");

/* An event or a value address. */
typedef struct sk__pevent {
  uint64_t key;
  bool by_address;
  uint32_t notify;         /* node, SK__NONE */
  SK__VEC(uint32_t) waits, resets, writes; /* writes: value writes before classification */
  int64_t balance;         /* of the scope in work */
  uint32_t touched_by;     /* 1 + scope whose balance it is */
  bool worded;             /* rewritten to a device word */
} sk__pevent;

typedef enum sk__break { SK__BREAK_NONE, SK__BREAK_UNFUSIBLE_NODE, SK__BREAK_DEADLOCK_DETECTED, SK__BREAK_SYNCALL_OP_DROP } sk__break;
typedef enum sk__scope_status {
  SK__SCOPE_INIT, SK__SCOPE_SUCCESS, SK__SCOPE_RESOURCE_INSUFFICIENT, SK__SCOPE_NO_TARGET_NODE, SK__SCOPE_UNRECOVERABLE_FAIL,
} sk__scope_status;
const char *sk__break_code(sk__break reason);
const char *sk__scope_status_code(sk__scope_status status);

typedef struct sk__list { uint32_t *items; size_t count; } sk__list;

/* A boundary word: which scope, which stream, front or back. */
typedef struct sk__word { uint32_t scope, stream; bool back; } sk__word;

/* What the update of the model does to a node. */
typedef enum sk__update_kind { SK__UPDATE_NONE, SK__UPDATE_LAUNCH, SK__UPDATE_DISABLE, SK__UPDATE_WRITE, SK__UPDATE_WAIT } sk__update_kind;
typedef struct sk__update {
  sk__update_kind kind : 8;
  bool is_event;           /* word: index of an event, else of planner.words */
  uint8_t value;
  uint32_t word;
} sk__update;

typedef struct sk__boundary_op { uint32_t word; bool notify; } sk__boundary_op;

typedef struct sk__scope {
  sk__list nodes;          /* in the order they were taken */
  uint32_t flags;
  sk__break broken;
  uint32_t trigger;        /* node */
  sk__list culprits;
  sk__scope_status status;
  sk__list streams;        /* in order of first appearance */
  uint32_t main;           /* node */
  sk__list tasks;          /* nodes executed inside, final order */
  uint32_t last_before_move; /* the last task before waits were moved */
  SK__VEC(sk__boundary_op) boundary;
  const char *name;        /* with * for the scope id */
  sk__sk *sk;              /* after emission */
} sk__scope;

typedef enum sk__stage { SK__STAGE_GRAPH, SK__STAGE_SPLIT, SK__STAGE_POSTPROCESS, SK__STAGE_BUILD, SK__STAGE_DONE } sk__stage;

/* The kernel that a search for the queue of an event found, and for which scope (1 + index). */
typedef struct sk__remembered { uint32_t kernel, scope; } sk__remembered;

typedef struct sk__planner {
  const sk__graph *graph;
  const sk__fuse_options *options;
  sk__arena *keep;         /* of the plan: what outlives planning */
  sk__arena scratch;
  sk__arena scope_scratch; /* of the one scope that is placed and built, taken back before the next */
  sk__pnode *nodes;
  SK__VEC(sk__pevent) events;
  const char **scope_names; /* registered names in order, at most SK__MAX_SCOPE_NAMES */
  size_t scope_name_count;
  sk__list markers;        /* nodes, ascending */
  uint64_t **flag_sets;    /* bit sets over scope_names, by number */
  size_t flag_set_count;
  SK__VEC(sk__scope) scopes;
  SK__VEC(sk__word) words;
  SK__VEC(sk__op) ops[2];  /* queues of the SK that is built, by sk__core_type */
  sk__update *updates;     /* per node */
  /* scratch of sync.c, clean between scopes: */
  uint32_t *step_of;       /* per node: its step, SK__NONE */
  sk__remembered *remembered; /* per node; vendor defects only */
  uint32_t *last_step;     /* per stream: 1 + its latest step, 0 */
  uint32_t *links;         /* of the whole graph, for all scopes: kernels that an event joins with the one before its record, ... */
  uint32_t *link_first;    /* ... per node where its own begin, and the end */
  bool resplit;            /* a pass asks to begin again */
  uint32_t search_stamp;
  FILE *split_log;         /* scopes after every pass; NULL none */
  sk__stage stage;         /* where it failed */
  sk__text why;
} sk__planner;

/* A failure of the real call: SK_STATE after noting why. */
SK_MUST_USE sk_status sk__plan_refuse(sk__planner *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Name of a node for messages: its kernel, or its kind. */
const char *sk__node_label(const sk__planner *p, uint32_t node);

/* The node before or behind on the stream, SK__NONE. */
static inline uint32_t sk__before(const sk__planner *p, uint32_t node) {
  uint32_t position = p->nodes[node].position;
  return position > 0 ? p->graph->stream_nodes[p->nodes[node].stream][position - 1] : SK__NONE;
}
static inline uint32_t sk__behind(const sk__planner *p, uint32_t node) {
  uint32_t stream = p->nodes[node].stream, position = p->nodes[node].position + 1;
  return position < p->graph->stream_sizes[stream] ? p->graph->stream_nodes[stream][position] : SK__NONE;
}

static inline bool sk__is_marker(const sk__planner *p, uint32_t node) { return p->nodes[node].marker != SK__NO_MARKER; }
static inline bool sk__is_real_kernel(const sk__planner *p, uint32_t node) {
  return p->nodes[node].type == SK__NODE_KERNEL && !sk__is_marker(p, node);
}
static inline bool sk__is_event_node(sk__node_type type) {
  return type == SK__NODE_NOTIFY || type == SK__NODE_WAIT || type == SK__NODE_RESET;
}

/* ---- passes ---- */
SK_MUST_USE sk_status sk__classify(sk__planner *p);        /* classify.c */
void sk__classify_after_scopes(sk__planner *p);            /* value tasks and default nodes */
SK_MUST_USE sk_status sk__mark_scopes(sk__planner *p);     /* scopes.c */
SK_MUST_USE sk_status sk__initial_split(sk__planner *p);   /* split.c */
SK_MUST_USE sk_status sk__per_op_split(sk__planner *p);
SK_MUST_USE sk_status sk__schedmode_split(sk__planner *p); /* schedmode.c */
SK_MUST_USE sk_status sk__deadlock_refine(sk__planner *p); /* deadlock.c */
SK_MUST_USE sk_status sk__prune_default_nodes(sk__planner *p); /* prune.c */
SK_MUST_USE sk_status sk__prune_event_streams(sk__planner *p);
SK_MUST_USE sk_status sk__scope_streams(sk__planner *p, sk__scope *scope); /* split.c: fills scope->streams */
SK_MUST_USE sk_status sk__place_launch(sk__planner *p, uint32_t scope); /* boundary.c: main, updates, tasks */
SK_MUST_USE sk_status sk__make_tasks(sk__planner *p, uint32_t scope); /* tasks.c */
void sk__rewrite_events(sk__planner *p);                   /* after all scopes */
SK_MUST_USE sk_status sk__build_sk(sk__planner *p, uint32_t scope);   /* emit.c */
/* All passes; on SK_STATE p->stage and p->why say where and why. */
SK_MUST_USE sk_status sk__planner_run(sk__planner *p);     /* pipeline.c */
void sk__planner_free(sk__planner *p);

/* ---- small services ---- */
bool sk__pattern_legal(const char *pattern); /* pattern.c */
bool sk__extension_legal(const char *text, size_t limit); /* key=value,value:key=value */
bool sk__pattern_match(const char *pattern, const char *name);
bool sk__patterns_match(const sk__patterns *patterns, const char *name);
/* Replaces scope `at` by n scopes (n may be 0). */
SK_MUST_USE sk_status sk__scopes_replace(sk__planner *p, size_t at, const sk__scope *with, size_t n);

/* sk__plan_make that tells of its splitting: scopes after every pass of every round. plan.c */
SK_MUST_USE sk_status sk__plan_make_logged(const sk__graph *graph, const sk__fuse_options *options, FILE *split_log, sk__plan **out, char *why,
                                           size_t why_bytes);
json_t *sk__fuse_options_json(const sk__fuse_options *options); /* options_json.c: key -> {name, type, value} */
json_t *sk__inner_options_json(bool third_chip);

/* ---- a scope's task list with its synchronisation (sync.c -> emit.c) ---- */
enum { SK__EARLY_C2C_SET = 1, SK__EARLY_C2C_WAIT = 2, SK__EARLY_C2V_SET = 4, SK__EARLY_V2C_WAIT = 8, SK__EARLY_V2V_SET = 16,
       SK__EARLY_V2V_WAIT = 32, SK__EARLY_V2C_SET = 64, SK__EARLY_C2V_WAIT = 128, SK__EARLY_SPLIT_CORE_CTRL = 1 << 15 };

typedef struct sk__step {
  uint32_t node;           /* graph node */
  uint32_t group;          /* third chip: groups of tasks with full barriers between */
  bool uses[2];            /* queues */
  bool barrier[2];         /* self barrier behind it */
  bool all_sync;
  uint32_t send[2], receive[2]; /* cross flags by the sender's core type: other step, SK__NONE */
  uint32_t early_func, early_sync;
  uint32_t set_step[2], next_step[2], wait_step[2]; /* early start, by core type: whose blocks count; SK__NONE */
} sk__step;
SK_MUST_USE sk_status sk__find_links(sk__planner *p); /* links.c: once, before the first scope */
bool sk__linked(const sk__planner *p, uint32_t from, uint32_t to);
const uint32_t *sk__links_from(const sk__planner *p, uint32_t from, size_t *count); /* in order of the receivers */
SK_MUST_USE sk_status sk__plan_sync(sk__planner *p, uint32_t scope, sk__step **steps, uint32_t *end_queue);

/* Does this value end a wait for `value`? Conditions as in sk__node (classify.c). */
bool sk__value_satisfies(uint64_t memory, uint64_t value, uint32_t condition);

#endif
