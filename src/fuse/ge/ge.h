/* ge.h - the graph mode path: which nodes of a GE graph become one SuperKernel, and its program.
 *
 * Part of the fuse floor, beside fuse.h. Three steps, each usable alone: the option string of a scope
 * (sk__ge_options_read), grouping of graph nodes into scopes (sk__ge_group), and the generator
 * (sk__ge_generate), which turns a list of sub-kernels and an option string into one program per core type. */
#ifndef SK_FUSE_GE_GE_H
#define SK_FUSE_GE_GE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "runtime/runtime.h"

struct sk__arena;
struct sk__text;

/* ---- refusals -------------------------------------------------------------------------------- */

/* Where the real generator stops; the last ones are refusals of our own for what it lets pass. */
#define SK__GE_ERROR_LIST(X)                                                                        \
  X(NONE, "") X(SOC, "this chip has no SuperKernel") X(NO_OPS, "no list of operators was given")    \
  X(OPT_EMPTY, "empty key or value") X(OPT_REPEAT, "key given twice") X(OPT_UNKNOWN, "unknown key") \
  X(OPT_VALUE, "not one of the legal values") X(OPT_DIGIT, "not a number of digits only")           \
  X(OPT_ALIGN, "neither 0 nor a power of two from 2") X(OPT_RANGE, "out of range")                  \
  X(SUB_JSON, "unreadable description of an operator")                                              \
  X(SUB_EARLY_START, "operator built for early start, which is off")                                \
  X(SUB_SPLIT, "operator built with another number of code copies")                                 \
  X(EVENT_SELF, "operator waits for its own event")                                                 \
  X(EVENT_SAME_STREAM, "event between two operators of one stream")                                 \
  X(NEED_STREAM_FUSION, "neighbours on different streams without a connecting event")               \
  X(DYN_EARLY_START, "tiling-sink operator with early start")                                       \
  X(NUM_RATIO, "debug-aic-num and debug-aiv-num are in no launchable ratio")                        \
  X(NUM_DEVICE, "more cores than the device has")                                                   \
  X(NUM_SUBS, "fewer cores than the operators need")                                                \
  X(FIRST_RECV, "the first operator waits for an event")                                            \
  X(LAST_SEND, "the last operator records an event")                                                \
  X(CRASH, "the generator stops with a programming error")                                          \
  X(EVENT_BACKWARD, "an operator waits for an event that a later operator records")                 \
  X(EARLY_START_UNUSED, "operator built for early start in an SK of two queues, which has none")
typedef enum sk__ge_error {
#define X(name, text) SK__GE_##name,
  SK__GE_ERROR_LIST(X)
#undef X
} sk__ge_error;
const char *sk__ge_error_name(sk__ge_error error);

typedef struct sk__ge_failure {
  sk__ge_error error;
  const char *key;   /* option it is about, in the caller's arena; or NULL */
  uint32_t sub;      /* position in the list, UINT32_MAX none */
  int side;          /* sk__core_type, -1 none */
  const char *crash; /* CRASH: which */
  char why[320];     /* one line for people */
} sk__ge_failure;

/* ---- options --------------------------------------------------------------------------------- */

/* name, key, kind (what values it takes), default, largest value of a number or the choices, help */
#define SK__GE_OPTION_LIST(X)                                                                                       \
  X(FUNC_ALIGN, "func-align", ALIGN, 512, "0|2|4|8|...", "alignment of the SK function in bytes, 0 = none")         \
  X(PRELOAD_CODE, "preload-code", CHOICE, 2, "max|none|per-func", "instruction cache preload")                      \
  X(EARLY_START, "early-start", CHOICE, 1, "0|1|2", "overlap of neighbouring operators")                            \
  X(STREAM_FUSION, "stream-fusion", CHOICE, 0, "0|1", "operators of unconnected streams run in two queues")         \
  X(DEBUG_DCCI_ALL, "debug-dcci-all", CHOICE, 0, "0|1", "flush the data cache after every operator")                \
  X(DEBUG_SYNC_ALL, "debug-sync-all", CHOICE, 0, "0|1", "a full barrier after every operator")                      \
  X(FEED_SYNC_ALL, "feed-sync-all", CHOICE, 0, "0|1", "idle cores replay the SyncAll calls of an operator")         \
  X(PROFILING, "profiling", CHOICE, 0, "0|1", "time records")                                                       \
  X(COMPILE_OPTIONS, "compile-options", TEXT, 0, "text,text", "appended to the compiler's command line")            \
  X(STRICT_SCOPE_CHECK, "strict-scope-check", TEXT, 0, "bypass|abort", "what happens to a scope with foreign nodes")\
  X(DCCI_BEFORE, "dcci-before-kernel-start", TEXT, 0, "type,type", "flush before operators of these types")         \
  X(DCCI_AFTER, "dcci-after-kernel-end", TEXT, 0, "type,type", "flush after operators of these types")              \
  X(DCCI_DISABLE, "dcci-disable-on-kernel", TEXT, 0, "type,type", "no flush around operators of these types")       \
  X(SPLIT_MODE, "split-mode", COPIES, 4, "1..64", "code copies of each operator")                                   \
  X(DEBUG_AIC_NUM, "debug-aic-num", COUNT, 0, "0..", "cube cores of the SK, 0 = as computed")                       \
  X(DEBUG_AIV_NUM, "debug-aiv-num", COUNT, 0, "0..", "vector cores of the SK, 0 = as computed")
typedef enum sk__ge_key {
#define X(name, key, kind, standard, legal, help) SK__GE_KEY_##name,
  SK__GE_OPTION_LIST(X)
#undef X
  SK__GE_KEYS
} sk__ge_key;
enum { SK__GE_PRELOAD_MAX, SK__GE_PRELOAD_NONE, SK__GE_PRELOAD_PER_FUNC };

typedef struct sk__ge_options {
  struct {
    bool given;
    uint64_t number;  /* value, or index of the choice; default when not given */
    const char *text; /* as given; NULL when not given */
  } values[SK__GE_KEYS];
  const char **ignored; /* parts without '=', in order */
  size_t ignored_count;
} sk__ge_options;

#define SK__GE_MAX_OPTION_BYTES 65536u
/* NULL text = no options. SK_INVALID_ARGUMENT: the first bad part is in *failure. */
SK__API SK_MUST_USE sk_status sk__ge_options_read(const char *text, struct sk__arena *arena, sk__ge_options *out, sk__ge_failure *failure);
/* One line per option: key, legal values, default, help. */
SK__API void sk__ge_options_help(FILE *to);

/* ---- what goes into one SK ------------------------------------------------------------------- */

typedef struct sk__ge_tiling { uint64_t key; sk_kernel_type type; } sk__ge_tiling;
typedef struct sk__ge_ids { const int64_t *items; size_t count; } sk__ge_ids;

/* One sub-kernel as its compiled description tells it. */
typedef struct sk__ge_sub {
  bool described;            /* false: an entry without description; it only keeps its number */
  const char *name;          /* kernel name, for texts and symbols; may be NULL */
  sk_kernel_type type;
  bool type_known, complete; /* complete: no field is missing */
  bool task_known;           /* kind of task is "normal" or "dynamic" */
  uint32_t blocks;           /* dynamic subs: ignored, they count with the whole device */
  int64_t stream;            /* -1 none */
  sk__ge_ids send, recv;     /* event ids */
  bool dynamic;              /* tiling decided on the device (tiling-sink) */
  const sk__ge_tiling *tilings; /* dynamic: its keys */
  size_t tiling_count;
  bool sync_all;             /* uses SyncAll */
  bool aicpu_tiling;         /* the operator's implementation can compute its tiling on the AICPU; grouping looks at it */
  bool es_set, es_wait;      /* calls SetNextTaskStart, WaitPreTaskEnd itself */
  uint32_t split;            /* code copies named in the description, 0 = not named */
  const char *op_type;       /* for the dcci lists; "" none */
  bool dcci_before, dcci_after, dcci_disable;
  uint32_t args;             /* kernel parameters */
  uint32_t text_bytes[2];    /* code size by sk__core_type, 0 = cannot be read */
  const char *const *debug;  /* debug options: printf, assert ... */
  size_t debug_count;
  uint64_t debug_bytes;      /* size of its debug buffer */
  sk__task *task;            /* the launch it stands for; NULL from a file */
} sk__ge_sub;

#define SK__GE_MAX_SUBS 65536u
#define SK__GE_MAX_EVENTS 1048576u /* of all subs together */

typedef struct sk__ge_input {
  const sk__ge_sub *subs;    /* NULL: no list was given */
  size_t count;
  const char *options;
  uint32_t aic_count, aiv_count; /* of the device, or what limit_core_num leaves */
  bool chip_supported;
  bool emulate_vendor_defects;
} sk__ge_input;

/* ---- the program ----------------------------------------------------------------------------- */

/* What a core does, in order. Words are parameter numbers (number 0 is the sync base). */
#define SK__GE_STEP_LIST(X)                                                                            \
  X(FUNC)        /* call sub; see by, count, copies, feed */                                           \
  X(DFUNC)       /* call a dynamic sub: its selected type decides which core type runs it */           \
  X(SELECT)      /* poll the lock word, choose the tiling key */                                       \
  X(UNLOCK)      /* block 0 resets the lock word */                                                    \
  X(PRELOAD)     /* instruction cache, units of 2 KiB */                                               \
  X(PRELOAD_SK)  /* the SK's own code */                                                               \
  X(SETFLAG) X(WAITFLAG) /* cross-core flag */                                                         \
  X(BAR)         /* set mode 0 and wait, flag 11 on AIC and 14 on AIV */                               \
  X(SYNCALL_MIX) /* SyncAll of both core types */                                                      \
  X(SYNCALL_V)   /* SyncAll of the vector kind, also on AIC */                                         \
  X(ES_SET) X(ES_WAIT) /* early-start actions of the cores that do not do them inside the sub */       \
  X(ES_CFG)      /* configuration for subs that wait themselves */                                     \
  X(WAIT) X(NOTIFY) X(CLEAR) /* block 0 polls for 1, writes 1, writes 0 */                             \
  X(DCCI)        /* flush the whole data cache */                                                      \
  X(PIPE_ALL)    /* full local pipe barrier */                                                         \
  X(FEED)        /* the next sub's SyncAlls are published at this offset of the workspace, -1 = not */ \
  X(ZERO)        /* clear the workspace */                                                             \
  X(REPLAY)      /* replay branch that lost its condition (emulated defect only) */                    \
  X(PROF)        /* time record */
typedef enum sk__ge_step_kind {
#define X(name) SK__GE_STEP_##name,
  SK__GE_STEP_LIST(X)
#undef X
} sk__ge_step_kind;

enum { SK__GE_BY_CORE, SK__GE_BY_BLOCK }; /* index compared: GetBlockIdx of this core, or the AI core's number */
enum { SK__GE_FEED_PUBLISH_END = 1, SK__GE_FEED_REPLAY = 2 };

typedef struct sk__ge_flag_op { uint8_t set, id, mode, pipe; } sk__ge_flag_op;

typedef struct sk__ge_step {
  sk__ge_step_kind kind;
  uint32_t sub;          /* FUNC, DFUNC, SELECT, PRELOAD: position in the list */
  uint32_t count;        /* FUNC, DFUNC, PRELOAD: cores with a smaller index; ES_*: cores with an index from here on */
  uint32_t vector_count; /* DFUNC: the same when the selected type is a vector one */
  uint8_t by;            /* which index */
  bool some;             /* ES_*: only cores from `count` on; false = all */
  uint8_t copies, feed, units, flag_count;
  bool begin;            /* PROF */
  uint8_t prof_kind;     /* PROF: 0 SK, 4 notify, 8 sub, 12 wait */
  uint32_t param[3];     /* WAIT, NOTIFY, CLEAR, UNLOCK: the word; SELECT: key, block count, lock */
  int64_t number;        /* FEED offset; ZERO bytes; PROF index; ES_CFG value */
  sk__ge_flag_op flags[3]; /* SETFLAG, WAITFLAG, BAR: the first; ES_*: flag_count of them */
} sk__ge_step;

typedef struct sk__ge_queue { sk__ge_step *items; size_t count, capacity; bool launched; } sk__ge_queue;

/* Search for the tiling key: a tree in one array, node 0 is the root. */
typedef struct sk__ge_choice {
  bool less;             /* key < pivot, else key == pivot */
  uint64_t pivot;
  int32_t yes, no;       /* >= 0: choice; -1: nothing; <= -2: tiling number -2 - value, in ascending key order */
} sk__ge_choice;
typedef struct sk__ge_select {
  uint32_t sub;
  sk__ge_choice *choices;
  const sk__ge_tiling *tilings; /* ascending keys */
} sk__ge_select;

#define SK__GE_EDGE_LIST(X) X(CC, 1) X(CV, 2) X(VC, 4) X(VV, 8)
enum {
#define X(name, bit) SK__GE_EDGE_##name = (bit),
  SK__GE_EDGE_LIST(X)
#undef X
};
typedef struct sk__ge_edge { uint32_t from, to, kinds; } sk__ge_edge; /* positions in the list */

#define SK__GE_FEATURE_LIST(X) X(DYNAMIC, 1, "dynamic") X(EARLY, 2, "early-start") X(FEED, 4, "feed") X(DUMP, 8, "dump")
enum {
#define X(name, bit, text) SK__GE_FEATURE_##name = (bit),
  SK__GE_FEATURE_LIST(X)
#undef X
};

typedef struct sk__ge_program {
  const char *name;         /* of the kernel: te_superkernel_<hash> */
  sk__ge_options options;
  sk_kernel_type type;
  uint32_t blocks, queue_count, copies;
  uint64_t align, workspace_bytes;
  uint32_t features;        /* SK__GE_FEATURE_* */
  const char **compile_options;
  size_t compile_option_count;
  const char **debug;       /* merged debug options of printing subs */
  size_t debug_count;
  uint64_t debug_bytes;
  size_t sub_count;         /* described subs */
  const uint32_t *subs;     /* their positions */
  struct { uint32_t kernel, notify, wait; } *params; /* per described sub: first of each */
  uint32_t param_count;     /* without number 0 */
  uint32_t workspace_param, profiling_param, task_param; /* 0 none */
  int64_t *inner_events;    /* ascending */
  size_t inner_event_count;
  sk__ge_select *selects;
  size_t select_count;
  sk__ge_edge *edges, *edges_kept; /* two queues: ascending (from, to) */
  size_t edge_count, edge_kept_count;
  uint32_t (*no_dcci_runs)[2]; /* described subs first .. last whose flush is disabled */
  size_t no_dcci_run_count;
  bool invalid_code;
  const char **warnings;    /* for people */
  size_t warning_count;
  sk__ge_queue queue[2];    /* by sk__core_type */
  const sk__ge_sub *inputs; /* borrowed */
  uint32_t device_blocks[2];
} sk__ge_program;

/* SK_INVALID_ARGUMENT: refused, *failure says why. Everything in *out lives in the arena, and borrows
 * input->subs. */
SK_MUST_USE sk_status sk__ge_generate(const sk__ge_input *input, struct sk__arena *arena, sk__ge_program *out, sk__ge_failure *failure);
/* A word of device memory by which launches wait for each other. */
typedef struct sk__ge_word {
  bool value;
  sk__snapshot *order;       /* what the writer ordered; owned by whoever owns the word; NULL nothing */
} sk__ge_word;
struct sk__launch_result;
/* Runs the program as one launch; every described sub needs its task. words: one per parameter number
 * (program->param_count + 1), NULL: everything waited for has happened. SK_INVALID_ARGUMENT: nothing that
 * could be launched (subs without tasks, no block, invalid text of the real generator). */
SK_MUST_USE sk_status sk__ge_run(sk__runtime *runtime, const sk__ge_program *program, sk__ge_word *words, struct sk__launch_result *result);
/* The same between two orders that the caller keeps; no stream moves on. */
struct sk__snapshot;
SK_MUST_USE sk_status sk__ge_launch(sk__runtime *runtime, const sk__ge_program *program, sk__ge_word *words, struct sk__snapshot *before,
                                    struct sk__snapshot *after, struct sk__launch_result *result);
/* What a launch tells about its kernel. Events, early start and flush wishes are the caller's to add. */
sk__ge_sub sk__ge_sub_of_task(sk__task *task);
/* Symbol of a sub's copy: <name>_start|middle|end[_split<copy>]. */
const char *sk__ge_symbol(const sk__ge_program *program, uint32_t described, uint32_t copy, struct sk__arena *arena);
void sk__ge_print(const sk__ge_program *program, FILE *to);
/* In the form of the recorded decisions; new reference, NULL on no memory. */
json_t *sk__ge_program_json(const sk__ge_program *program);
json_t *sk__ge_failure_json(const sk__ge_failure *failure);
/* One description, with the fields of a recorded sub; `label` stands for it in messages. */
SK__API SK_MUST_USE sk_status sk__ge_sub_from_json(const json_t *object, const char *label, struct sk__arena *arena, sk__ge_sub *out, struct sk__text *why);
/* One recorded case read; SK_PARSE names the place. The object is borrowed. */
SK_MUST_USE sk_status sk__ge_input_from_json(const json_t *record, struct sk__arena *arena, sk__ge_input *out, char *why, size_t why_bytes);

/* ---- scopes of a graph ----------------------------------------------------------------------- */

/* Data: Data, Variable, Constant, ConstantOp, ConstPlaceholder. Event: sends and receives of events, notifies
 * and memory words. Both never belong to a scope and are looked through. */
typedef enum sk__ge_node_kind { SK__GE_NODE_COMPUTE, SK__GE_NODE_DATA, SK__GE_NODE_EVENT } sk__ge_node_kind;

typedef struct sk__ge_node {
  int64_t id;                /* topological, ascending in node order */
  const char *name, *type;   /* type: of the operator */
  sk__ge_node_kind kind;
  int64_t stream;
  const char *scope, *options; /* attributes; NULL or "" none */
  bool supported;            /* supportSuperKernel == 1 */
  bool simt;                 /* local_memory_size above 0 */
  bool tiling_on_aicpu, tiling_sink, reuse_binary, hccl;
  uint32_t aicore_num, vectorcore_num; /* from limit_core_num, 0 unknown */
  bool facts_known;          /* sub tells type and blocks; a dump from before compilation does not */
  sk__ge_sub sub;            /* its compiled description; event lists and stream are filled in by grouping */
} sk__ge_node;

typedef enum sk__ge_event_kind { SK__GE_EVENT_KIND, SK__GE_NOTIFY_KIND, SK__GE_MEMORY_KIND } sk__ge_event_kind;
/* A send at one node and the receive at another. Ends: node index, or SK__GE_SK_END | k = SK k itself. */
typedef struct sk__ge_event {
  sk__ge_event_kind kind;
  int64_t id;
  uint32_t from, to;
  int64_t recv_stream;       /* where the receive stands */
} sk__ge_event;
#define SK__GE_SK_END 0x80000000u

typedef struct sk__ge_graph {
  const sk__ge_node *nodes;
  size_t node_count;
  const sk__ge_event *events;
  size_t event_count;
  uint32_t aic_count, aiv_count;
} sk__ge_graph;
#define SK__GE_MAX_NODES 1000000u
#define SK__GE_MAX_STREAMS 4096u

/* One SK node: its subs are ready for sk__ge_generate. */
typedef struct sk__ge_scope {
  const char *scope;         /* name, with _split_<begin>_<end> after a cut */
  const char *base;          /* name before any cut */
  bool split, cut_before, cut_behind; /* a node cuts it off there; a first and a last piece have one free end */
  int64_t cut_begin, cut_end; /* ids of these nodes */
  const char *name;          /* of the SK node */
  int64_t stream;
  const char *options;       /* of the first sub */
  uint32_t *members;         /* node indices in graph order */
  size_t member_count;
  sk__ge_sub *subs;
  uint32_t aic_count, aiv_count;
} sk__ge_scope;
typedef struct sk__ge_grouping {
  sk__ge_scope *scopes;      /* in order of merging: ascending names */
  size_t scope_count;
  sk__ge_event *events;      /* all events of the graph after merging */
  size_t event_count;
  const char **warnings;
  size_t warning_count;
} sk__ge_grouping;

/* SK_INVALID_ARGUMENT: the real pass stops (strict-scope-check), why names node and scope. */
SK_MUST_USE sk_status sk__ge_group(const sk__ge_graph *graph, bool emulate_vendor_defects, struct sk__arena *arena,
                                   sk__ge_grouping *out, char *why, size_t why_bytes);
/* Input of the generator for one scope. */
sk__ge_input sk__ge_scope_input(const sk__ge_scope *scope, bool emulate_vendor_defects);

/* ---- a whole graph of launches --------------------------------------------------------------- */

/* From what a program launched (or a dump): scope marks are frames, the innermost counts, the None scope
 * hides what is around it; what a launch's operator says (sk_ge_operator_set) counts instead where it has one.
 * options_of gives the option string of a scope; NULL = none of its own. The graph is borrowed.
 * SK_INVALID_ARGUMENT: the real compiler would stop, why names the scope and the rule. */
struct sk__graph;
typedef struct sk__ge_plan sk__ge_plan;
typedef const char *(*sk__ge_options_fn)(void *context, const char *scope);
SK__API SK_MUST_USE sk_status sk__ge_plan_make(const struct sk__graph *graph, sk__ge_options_fn options_of, void *context, bool emulate_vendor_defects,
                                       sk__ge_plan **out, char *why, size_t why_bytes);
/* The same of a text dump of a GE graph: `node { ... }` blocks (pbtxt) or `op { ... }` blocks (txt). SK_PARSE: the text
 * is no graph, or a description is malformed; why names the place. A plan of a text cannot be run. */
typedef struct sk__ge_request {
  const char *options;       /* of scopes that bring none; NULL none */
  const json_t *kernels;     /* descriptions by node name or operator type, where the text has none; NULL none. Borrowed
                              * as long as the plan lives */
  bool emulate_vendor_defects;
} sk__ge_request;
SK__API SK_MUST_USE sk_status sk__ge_plan_read(const char *text, size_t bytes, const sk__ge_request *request, sk__ge_plan **out, char *why, size_t why_bytes);
SK__API void sk__ge_plan_free(sk__ge_plan *plan);
const sk__ge_program *sk__ge_plan_programs(const sk__ge_plan *plan, size_t *count);
/* Members and places of the SKs in the captured-graph form, for whoever orders launches or places findings. */
const struct sk__plan *sk__ge_plan_order(const sk__ge_plan *plan);
const char *sk__ge_plan_scope(const sk__ge_plan *plan, uint32_t number); /* name of the scope that became SK `number` */
size_t sk__ge_plan_warning_count(const sk__ge_plan *plan);
const char *sk__ge_plan_warning(const sk__ge_plan *plan, size_t number);
/* Per SuperKernel its operators, type, cores, program and what each given option does to it; per operator that runs by
 * itself the reason and what to change. */
SK__API void sk__ge_plan_print(const sk__ge_plan *plan, FILE *to);
SK__API json_t *sk__ge_plan_json(const sk__ge_plan *plan); /* new reference, NULL on no memory */
SK__API void sk__ge_plan_dot(const sk__ge_plan *plan, FILE *to); /* Graphviz */
/* As sk__plan_run: results holds one entry per node of the graph, *launches = how many were filled. */
SK_MUST_USE sk_status sk__ge_plan_run(sk__runtime *runtime, const sk__ge_plan *plan, struct sk__launch_result *results, size_t *launches);

#endif
