/* internal.h - shared by the files of the graph mode path. */
#ifndef SK_FUSE_GE_INTERNAL_H
#define SK_FUSE_GE_INTERNAL_H

#include "base/arena.h"
#include "fuse/ge/ge.h"

/* Fills the failure and returns SK_INVALID_ARGUMENT. sub UINT32_MAX, side -1, key NULL: not about one. */
sk_status sk__ge_fail(sk__ge_failure *failure, sk__ge_error error, const char *key, uint32_t sub, int side, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* White space as the option grammar counts it. */
static inline bool sk__ge_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= 0x1f); }

/* Comma separated words, trimmed, empty ones dropped. NULL text = none. false: no memory. */
typedef struct sk__ge_words { const char **items; size_t count; } sk__ge_words;
SK_MUST_USE bool sk__ge_split(const char *text, sk__arena *arena, sk__ge_words *out);
bool sk__ge_listed(const sk__ge_words *words, const char *word);

static inline bool sk__ge_is_aic(sk_kernel_type type) { return type == SK_AIC_ONLY || type == SK_MIX_AIC_1_0; }
static inline bool sk__ge_is_aiv(sk_kernel_type type) { return type == SK_AIV_ONLY || type == SK_MIX_AIV_1_0; }
static inline bool sk__ge_is_mix(sk_kernel_type type) { return type == SK_MIX_AIC_1_1 || type == SK_MIX_AIC_1_2; }
static inline bool sk__ge_on(sk_kernel_type type, sk__core_type queue) {
  return queue == SK__AIC ? !sk__ge_is_aiv(type) : !sk__ge_is_aic(type);
}

/* A described sub-kernel while the program is made. */
typedef struct sk__ge_part {
  const sk__ge_sub *sub;
  uint32_t position, number; /* in the list, among the described */
  uint32_t blocks;           /* dynamic: of the device */
  sk__ge_ids send, recv;     /* sorted */
  uint32_t first_param, lock_param, notify_param, wait_param;
  bool has_notify, has_wait; /* events of the outside */
  bool flush_before, flush_after; /* as executed */
  bool last_of_stream;
  uint32_t rank[2];          /* two queues: place in each queue */
  uint32_t edges_out, edges_in; /* two queues: kinds of edges kept, SK__GE_EDGE_* */
} sk__ge_part;

/* Who sends and who receives an event, by number among the described subs; UINT32_MAX nobody. */
typedef struct sk__ge_event_use { int64_t id; uint32_t first_send, last_send, last_recv; } sk__ge_event_use;

typedef struct sk__ge_build {
  const sk__ge_input *input;
  sk__arena *arena;
  sk__ge_program *out;
  sk__ge_failure *failure;
  sk__ge_part *parts;
  size_t count;
  sk__ge_event_use *events;  /* ascending ids */
  size_t event_count;
  bool emulate;
  bool separate;             /* two queues: selections meet per core type, not all together */
  bool early;                /* early start between operators */
  bool no_memory;            /* a step could not be stored; looked at once, at the end */
} sk__ge_build;

static inline uint64_t sk__ge_number(const sk__ge_build *b, sk__ge_key key) { return b->out->options.values[key].number; }

/* events.c: event tables, one queue or two. */
SK_MUST_USE sk_status sk__ge_read_events(sk__ge_build *b);
const sk__ge_event_use *sk__ge_use_of(const sk__ge_build *b, int64_t event); /* NULL: nobody's */
bool sk__ge_is_inner(const sk__ge_build *b, int64_t event);
/* facts.c: events, launch, parameters, flushes; refusals in the order of the real generator. */
SK_MUST_USE sk_status sk__ge_facts(sk__ge_build *b);
bool sk__ge_needs_feed(const sk__ge_build *b, const sk__ge_part *part);
/* edges.c: dependencies of the two-queue mode, and which of them are kept. */
SK_MUST_USE sk_status sk__ge_edges(sk__ge_build *b);
/* select.c */
SK_MUST_USE sk_status sk__ge_make_select(sk__ge_build *b, const sk__ge_part *part, sk__ge_select *out);
/* steps.c: pieces both modes are made of. `queues` is a set of bits 1 << core type. */
enum { SK__GE_AIC_BIT = 1 << SK__AIC, SK__GE_AIV_BIT = 1 << SK__AIV, SK__GE_BOTH = 3 };
void sk__ge_emit(sk__ge_build *b, unsigned queues, sk__ge_step step);
void sk__ge_emit_kind(sk__ge_build *b, unsigned queues, sk__ge_step_kind kind);
void sk__ge_emit_barrier(sk__ge_build *b, unsigned queues, sk__pipe aic_pipe);
void sk__ge_emit_full_barrier(sk__ge_build *b);
void sk__ge_emit_clear_workspace(sk__ge_build *b);
void sk__ge_emit_profile(sk__ge_build *b, unsigned queues, int64_t index, uint8_t kind, bool begin);
void sk__ge_emit_preloads(sk__ge_build *b, unsigned queues, const sk__ge_part *part, const sk__ge_part *next, bool first);
void sk__ge_emit_select(sk__ge_build *b, unsigned queues, const sk__ge_part *part, bool first);
void sk__ge_emit_call(sk__ge_build *b, unsigned queues, const sk__ge_part *part);
void sk__ge_emit_waits(sk__ge_build *b, const sk__ge_part *part);
void sk__ge_emit_notifies(sk__ge_build *b, const sk__ge_part *part, sk__core_type queue);
void sk__ge_emit_end(sk__ge_build *b);
static inline sk__core_type sk__ge_event_queue(const sk__ge_part *part) { return sk__ge_is_aic(part->sub->type) ? SK__AIC : SK__AIV; }
/* warn.c: one more line for people, as far as there is room. */
void sk__ge_warn(sk__ge_build *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* hang.c: no core gets to the end of the program, whatever the subs do. */
bool sk__ge_hangs(const sk__ge_program *program);
/* one_queue.c, two_queues.c */
SK_MUST_USE sk_status sk__ge_one_queue(sk__ge_build *b);
SK_MUST_USE sk_status sk__ge_two_queues(sk__ge_build *b);

#endif
