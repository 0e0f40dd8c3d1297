/* verify.h - floor 7: twin runs: the same work un-fused and fused, in a matrix of modes, compared.
 *
 * A verifier sits on the runtime's segment hook. For each segment it runs the tasks un-fused as the
 * reference, then in every other mode on rolled-back memory, and leaves the device as the reference
 * left it. Needs no harness and no copy of device memory. */
#ifndef SK_VERIFY_VERIFY_H
#define SK_VERIFY_VERIFY_H

#include "fuse/fuse.h"

/* ---- modes ---------------------------------------------------------------------------------- */

#define SK__MODE_LIST(X)                                                                              \
  X(UNFUSED, "unfused", "each task its own launch; the reference when in-order")                      \
  X(FUSED, "fused", "scopes fused into SuperKernels; without scopes everything that can be fused")    \
  X(PER_OP, "per-op", "each operator its own SuperKernel on all cores (debug_per_op_max_core_num)")   \
  X(FULL_CORES, "full-cores", "every SuperKernel forced to all AIC and AIV cores")                    \
  X(NO_FLUSH, "no-flush", "fused without a cache flush after each sub-kernel, as in GE graph mode")     \
  X(GE, "ge", "scopes fused by the rules of GE graph mode; nothing is fused without a scope")            \
  X(ALONE, "alone", "each operator its own SuperKernel on the cores it asks for")                      \
  X(TWICE, "twice", "each operator twice in a row in one SuperKernel, against the same un-fused")        \
  X(NEIGHBOUR, "neighbour", "each operator in one SuperKernel between two that use all of every core, and use it well") \
  X(EARLY_START, "early-start", "fused with early_start = 1; in the default matrix if an SK binding has such a capability")
typedef enum sk__mode_kind {
#define X(name, text, help) SK__MODE_##name,
  SK__MODE_LIST(X)
#undef X
  SK__MODE_KINDS
} sk__mode_kind;

typedef struct sk__mode {
  sk__mode_kind kind;
  sk__schedule schedule;
} sk__mode;

/* Operators are added to the program's own, so the reference is another un-fused run. */
static inline bool sk__mode_has_company(sk__mode_kind kind) { return kind == SK__MODE_TWICE || kind == SK__MODE_NEIGHBOUR; }

#define SK__MODE_NAME_BYTES 48
/* "fused", "fused/random:7" ...: the schedule is named unless it is in-order. */
void sk__mode_name(sk__mode mode, char text[SK__MODE_NAME_BYTES]);
/* The inverse; SK_INVALID_ARGUMENT otherwise. */
SK_MUST_USE sk_status sk__mode_parse(const char *text, sk__mode *out);
/* A comma separated list of mode names; "default" stands for the default matrix with `random` more random
 * schedules of the fused mode. The reference is put in front when it is missing. The list is the caller's
 * (free). */
SK__API SK_MUST_USE sk_status sk__mode_list(const char *text, uint32_t random, sk__mode **out, size_t *count, char *why,
                                    size_t why_bytes);

/* ---- comparison ----------------------------------------------------------------------------- */

#define SK__DTYPE_LIST(X) \
  X(BYTES, "bytes", 1) X(F32, "float", 4) X(F16, "half", 2) X(BF16, "bfloat16", 2) X(I8, "int8", 1) \
  X(U8, "uint8", 1) X(I16, "int16", 2) X(U16, "uint16", 2) X(I32, "int32", 4) X(U32, "uint32", 4)   \
  X(I64, "int64", 8) X(U64, "uint64", 8)
typedef enum sk__dtype {
#define X(name, text, bytes) SK__DTYPE_##name,
  SK__DTYPE_LIST(X)
#undef X
} sk__dtype;
const char *sk__dtype_name(sk__dtype dtype);
uint32_t sk__dtype_bytes(sk__dtype dtype);
/* From a declared parameter type such as "__gm__ half *"; BYTES when it says nothing. */
sk__dtype sk__dtype_of_text(const char *type);

typedef enum sk__match { SK__IDENTICAL, SK__WITHIN_TOLERANCE, SK__DIFFERENT } sk__match;

/* How two buffers of one type differ. */
typedef struct sk__difference {
  sk__match match;
  sk__dtype dtype;
  uint64_t elements, differing;
  uint64_t first_index;         /* element index of the first difference */
  double first_reference, first_other;
  double max_abs, max_rel;      /* over differing elements; the tolerance they would need */
  uint64_t max_ulp;             /* floats */
  uint64_t ties;                /* integers that differ by exactly one: rounding ties */
} sk__difference;
/* Bit-exact first; then by type: floats within the type's thresholds, integers exact. */
void sk__compare(sk__dtype dtype, const void *reference, const void *other, uint64_t bytes, sk__difference *out);

/* ---- diagnosis ------------------------------------------------------------------------------ */

/* What is changed to see whether a failure goes away (the sheet's option matrix, 10.7), the most telling change first:
 * of several that help, the first tells where to look. X(name, key, words, hazards it points to) */
#define SK__CHANGE_LIST(X)                                                                                             \
  X(DCCI_BEFORE, "dcci-before", "dcci before operator", "H11 H12 H13")                                                 \
  X(DCCI_AFTER, "dcci-after", "dcci after operator", "H11 H12 H13")                                                    \
  X(DCCI_EVERYWHERE, "dcci-everywhere", "dcci before and after every operator", "H11 H12 H13")                         \
  X(DCCI_ALL, "dcci-all", "a flush and a barrier over all pipes behind every operator (debug-dcci-all)",               \
    "H11 H12 H13 H18 H19 H20")                                                                                         \
  X(EARLY_START_OFF, "early-start-off", "early start off", "H23 H24 H25 H26 H27")                                      \
  X(OWN_CORES, "own-cores", "every operator on the cores it asks for", "H1 H2 H3 H4 H5 H6")                            \
  X(ONE_STREAM, "one-stream", "all operators on one stream", "H36 H39")                                                \
  X(BARRIER_AFTER, "barrier-after", "a barrier over all pipes after operator", "H18 H19 H20")                          \
  X(BARRIER_EVERYWHERE, "barrier-everywhere", "a barrier over all pipes after every operator", "H18 H19 H20")          \
  X(SYNC_ALL, "sync-all", "sync-all (debug_sync_all)", "H18 H19 H24 H25 H31 H36")                                      \
  X(ALONE, "alone-on-all-cores", "every operator alone on all cores (debug_per_op_max_core_num)", "H1 H2 H3 H4 H5 H6") \
  X(SINGLE_OPERATORS, "single-operator-scopes", "every operator in a scope of its own", "H7 H12 H33 H34 H35")
typedef enum sk__change {
#define X(name, key, words, hazards) SK__CHANGE_##name,
  SK__CHANGE_LIST(X)
#undef X
  SK__CHANGE_NONE
} sk__change;
const char *sk__change_key(sk__change change);
const char *sk__change_words(sk__change change);
const char *sk__change_hazards(sk__change change); /* separated by blanks */

/* UNCLEAR: the failure was not seen, and something else failed, or nothing came to be fused. */
#define SK__EFFECT_LIST(X) X(STAYS, "stays") X(GOES_AWAY, "goes-away") X(UNCLEAR, "unclear")
typedef enum sk__effect {
#define X(name, text) SK__EFFECT_##name,
  SK__EFFECT_LIST(X)
#undef X
} sk__effect;
const char *sk__effect_name(sk__effect effect);

typedef struct sk__attempt {
  sk__change change;
  const char *operator_name;    /* of the changes at one operator; else NULL */
  sk__effect effect;
} sk__attempt;

/* What was learned about a failure of a fused mode by running it otherwise. */
typedef struct sk__diagnosis {
  sk__mode mode;                /* in which the failure was first seen; all runs below are in it, but for the change */
  uint32_t fused_count;         /* operators that were fused there */
  uint32_t member_count;        /* of the smallest scope that still fails */
  const char **members;         /* names of their kernels, in order */
  bool smallest;                /* fails without none of them; false: the runs were used up before that was known */
  uint32_t attempt_count;       /* with that smallest scope */
  sk__attempt *attempts;
  const char *points_to;        /* ids of hazards separated by blanks; "" for a finding that is called by its hazard */
  uint32_t runs;                /* also those that another failure shares */
  struct sk__arena *arena;      /* owns all of it */
} sk__diagnosis;
#define SK__DIAGNOSIS_RUNS 64u      /* at most, for one failure */
#define SK__DIAGNOSIS_ALL_RUNS 512u /* for all failures of a program */

/* ---- results -------------------------------------------------------------------------------- */

typedef struct sk__buffer_difference {
  char buffer[96];              /* "out (argument 2 of add)" or the allocation */
  uint64_t address;
  sk__difference how;
} sk__buffer_difference;

/* In ascending severity. NOTHING_FUSED: a fused mode in which no SuperKernel came about. */
typedef enum sk__outcome { SK__REFERENCE, SK__NOTHING_FUSED, SK__SAME, SK__CLOSE, SK__MISMATCH, SK__FAILED } sk__outcome;
const char *sk__outcome_name(sk__outcome outcome);

#define SK__MAX_DIFFERENCES 8
typedef struct sk__mode_result {
  sk__mode mode;
  sk__outcome outcome;
  sk_status status;             /* worst of its launches */
  char why[256];                /* FAILED: the reason */
  uint64_t launches, sk_launches;
  uint32_t aic, aiv;            /* most cores any launch used */
  double seconds;
  uint64_t cycles;              /* estimate, launch gaps included */
  uint64_t findings;            /* of severity error */
  uint32_t difference_count;
  sk__buffer_difference differences[SK__MAX_DIFFERENCES];
  sk__diagnosis *diagnosis;     /* of a mode that fails without a finding of severity error; NULL */
} sk__mode_result;

/* Whether the two ends of a finding inside an SK belong to one stream of the program. */
typedef enum sk__streams { SK__STREAMS_UNKNOWN, SK__STREAMS_SAME, SK__STREAMS_DIFFER } sk__streams;

typedef struct sk__seen_finding {
  sk__finding finding;          /* as the checkers reported it; sk__classified gives it as it is shown */
  sk__streams streams;
  uint64_t modes[4];            /* bit per mode index (the first 256 modes) */
  sk__diagnosis *diagnosis;     /* of an error that only fused modes have; NULL */
} sk__seen_finding;

/* The finding with the id, remedy and category of the hazard it turned out to be: an unordered access that
 * only fusing brought about is H4, H18, H19 or H36, an unwritten local byte H34. */
void sk__classified(const sk__seen_finding *seen, sk__finding *out);
sk__streams sk__streams_of(const sk__plan *plan, const sk__finding *finding);

typedef struct sk__verify_result {
  size_t mode_count;
  sk__mode_result *modes;
  size_t finding_count;
  sk__seen_finding *findings;
  uint64_t segments;
  uint64_t passed_segments;     /* run once, because nobody asked for more */
  json_t *plans;                /* array: the fused plan (sk__plan_json) of each segment; of equal neighbours one */
  double seconds;
  sk_status status;             /* of the verifier itself: SK_OUT_OF_MEMORY, SK_INTERNAL ... */
} sk__verify_result;

/* H32, a note for each kernel that has two or more of H7, H11, H19, H22 and H33 where it is fused. *out is the caller's (free); the
 * number of them, none on no memory. */
size_t sk__collective(const sk__verify_result *result, sk__seen_finding **out);

#define SK__VERDICT_LIST(X)                                                            \
  X(CLEAN, "clean", 0) X(NOTHING, "nothing-launched", 2) X(PROGRAM, "program-failed", 1) \
  X(MISMATCH, "mismatch", 1) X(FINDINGS, "findings", 1)                                \
  X(NOT_MODELLED, "not-modelled", 3) X(ERROR, "error", 4)
typedef enum sk__verdict {
#define X(name, text, exit_code) SK__VERDICT_##name,
  SK__VERDICT_LIST(X)
#undef X
} sk__verdict;
/* In ascending severity. NOTHING: a twin run of a program without launches proves nothing. PROGRAM is given by
 * whoever started the program and saw it fail though its device work is clean. */
sk__verdict sk__verdict_of(const sk__verify_result *result);
SK__API const char *sk__verdict_name(sk__verdict verdict);
SK__API int sk__verdict_exit_code(sk__verdict verdict);

/* ---- timelines ------------------------------------------------------------------------------- */

/* One launch or sub-kernel on one core; clocks of the whole run, launches one after another. Estimates. */
typedef struct sk__timeline_span {
  const char *name;
  uint32_t core, launch, task;  /* launch: counted from 0; task: UINT32_MAX for the launch itself */
  uint64_t begin_cycles, end_cycles;
} sk__timeline_span;
#define SK__TIMELINE_LIST(X) X(UNFUSED, "un-fused") X(FUSED, "fused")
typedef enum sk__timeline_kind {
#define X(name, text) SK__TIMELINE_##name,
  SK__TIMELINE_LIST(X)
#undef X
  SK__TIMELINES
} sk__timeline_kind;
typedef struct sk__timeline {
  sk__timeline_span *spans;
  size_t count;
  uint64_t dropped;             /* beyond SK__TIMELINE_MAX_SPANS, or for want of memory */
} sk__timeline;
#define SK__TIMELINE_MAX_SPANS 1000000u

typedef struct sk__verifier sk__verifier;
typedef void (*sk__progress_fn)(void *context, const char *mode, size_t index, size_t count);

/* Attaches to the runtime's hook. Takes the modes (free()d with the verifier). */
SK_MUST_USE sk_status sk__verifier_create(sk__runtime *runtime, sk__mode *modes, size_t mode_count,
                                          sk__verifier **out);
void sk__verifier_set_progress(sk__verifier *verifier, sk__progress_fn progress, void *context);
/* The option string of every scope in mode ge; NULL none. Borrowed. */
void sk__verifier_set_ge_options(sk__verifier *verifier, const char *options);
/* Fused modes decide as the real optimizers do where these are known to be wrong. */
void sk__verifier_set_emulate(sk__verifier *verifier, bool emulate_vendor_defects);
/* A failure that only fused modes have is diagnosed: within SK__DIAGNOSIS_RUNS more runs of its segment. */
void sk__verifier_set_diagnose(sk__verifier *verifier, bool diagnose);
/* Only segments with a scope or with SuperKernels of the program's own are run in all modes. */
void sk__verifier_set_scoped(sk__verifier *verifier, bool scoped);
/* Records what each core does in the in-order runs of the un-fused and the fused mode. SK_OUT_OF_MEMORY. */
SK_MUST_USE sk_status sk__verifier_keep_timelines(sk__verifier *verifier);
/* Owned by the verifier; NULL when none are kept. */
const sk__timeline *sk__verifier_timeline(const sk__verifier *verifier, sk__timeline_kind kind);
/* Told of each segment before it is run. */
typedef void (*sk__observer_fn)(void *context, sk__task *const *tasks, size_t count);
void sk__verifier_set_observer(sk__verifier *verifier, sk__observer_fn observer, void *context);
/* Findings made outside of device work, by the host's calls, count for the reference. */
void sk__verifier_collect(sk__verifier *verifier);
/* Results so far, owned by the verifier. */
const sk__verify_result *sk__verifier_result(sk__verifier *verifier);
void sk__verifier_destroy(sk__verifier *verifier);
/* Sits on the segment hook again, after another verifier did. */
void sk__verifier_attach(sk__verifier *verifier);

/* Collects findings of plain runs (no twin) in the same form; modes[0] is the run. */
SK_MUST_USE sk_status sk__recorder_create(sk__runtime *runtime, sk__verifier **out);

#endif
