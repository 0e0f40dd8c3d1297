/* check.h - floor 1: findings, shadow memory, happens-before.
 *
 * This floor knows actors (core, pipe), addresses and call sites; it does not know kernels, launches
 * or cores as such. The machine owns one sk__checker and one sk__order per core and calls in here.
 *
 * Order. A clock per actor. Inside a core, row[p][q] = the latest clock of pipe q that pipe p's next
 * instruction is ordered after. Towards other cores one vector per core suffices, since a cross-core
 * wait blocks all further issue of the core: ext = shared immutable base + few own entries.
 *
 * A stamp is 64 bits: actor << 48 | clock; 0 = never written. Clocks never restart. Local memory counts
 * as initialised only by stamps of this launch (or this sub-kernel, see sk__order_begin_sub). */
#ifndef SK_CHECK_CHECK_H
#define SK_CHECK_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/window.h"
#include "soc/soc.h"

#define SK__PIPE_SLOTS 8 /* SK__PIPES rounded up: the last one is ... */
/* ... what plain code of the scalar unit stores in local memory. The unit issues the store and goes on: other pipes find it
 * only behind a flag from the unit or a barrier over all pipes, the unit itself always does. */
#define SK__STORES SK__PIPES
#define SK__MAX_ACTORS (SK__MAX_CORES * SK__PIPE_SLOTS + SK__PIPE_SLOTS) /* last core = the host */
#define SK__HOST_CORE SK__MAX_CORES
/* The copy engine: what streams copy and set by themselves. The first core that the chip does not have. */
static inline uint32_t sk__engine_core(const sk__soc *soc) { return soc->aic_count + soc->aiv_count; }

/* ---- findings ------------------------------------------------------------------------------ */

typedef enum sk__category { /* whose problem it is */
  SK__CAT_OPERATOR, SK__CAT_FUSER, SK__CAT_OPTIONS, SK__CAT_HOST, SK__CAT_NOT_MODELLED, SK__CAT_INTERNAL,
} sk__category;
typedef enum sk__severity { SK__ERROR, SK__WARNING, SK__INFO } sk__severity;

/* One end of a finding: who did what, where. Unknown parts are 0 / NULL / negative. */
typedef struct sk__end {
  const char *role;     /* "writer", "reader", "waits", "missing" ... static text */
  const void *site;     /* return address in the kernel's code; turned into file:line when reported */
  const char *instr;    /* API name, static text: "asc_copy_gm2ub" */
  int32_t core;         /* machine-wide core index, -1 unknown, SK__HOST_CORE = host */
  int8_t core_type;     /* sk__core_type or -1 */
  int8_t pipe;          /* sk__pipe or -1 */
  int32_t block, sub_block;
  int32_t launch, task; /* launch serial; index of the sub-kernel inside an SK or -1 */
  uint64_t address, bytes;
  sk__mem mem;
  char kernel[64];      /* kernel or sub-kernel name */
  char detail[160];     /* free words, already composed */
} sk__end;

/* Detail of an end whose sub-kernel has read the index of the AI core where its own index is another. */
#define SK__RAW_INDEX "takes its place from block_idx"

typedef struct sk__finding {
  char id[32];          /* key of the catalogue: "H1", "H12", "GM_OUT_OF_BOUNDS" ... (hazards.h) */
  sk__category category;
  sk__severity severity;
  char message[512];    /* one sentence that names the thing */
  char remedy[256];     /* the one missing or superfluous action */
  uint32_t end_count;
  sk__end ends[8];      /* the first two are the two ends; more for deadlocks (sk__finding_add_waiter) */
  uint64_t count;       /* how often this cause was seen */
  bool in_unfused, in_fused;
} sk__finding;

typedef struct sk__checker sk__checker;

/* A checker with its shadow tables in reserved memory. checks=false: bounds stay checked, shadow and
 * order are not kept. Owned by the caller. */
SK_MUST_USE sk_status sk__checker_create(const sk__soc *soc, sk__checker **out);
void sk__checker_destroy(sk__checker *checker);

/* Appends one more end (a waiting core of a deadlock); beyond the eighth only "and n more" is noted. */
void sk__finding_add_waiter(sk__finding *finding, const sk__end *end);
/* Reports a finding: copied, and merged with an earlier one of the same cause (same id, kernels and call sites).
 * Thread safe. Never fails; on memory shortage only the count grows. */
void sk__report(sk__checker *checker, const sk__finding *finding);
/* Findings so far, one per id, kernels and places (sk__site_place) of the first two ends in either order; sorted by id,
 * message and places. Valid until the next report or clear. */
const sk__finding *sk__findings(sk__checker *checker, size_t *count);
void sk__findings_clear(sk__checker *checker);
/* Calls of sk__report since the checker was made. */
uint64_t sk__reports(sk__checker *checker);

/* Source position of a site, by the debug information of the object it lies in. Returns false (and a
 * text like "libops.so+0x12ab") without one. Cold. */
bool sk__site_text(const void *site, char *text, size_t text_bytes);
typedef struct sk__source { char file[256]; char function[128]; uint32_t line; } sk__source;
bool sk__site_source(const void *site, sk__source *out);
/* The same for all sites of one line of one file, whatever call sites a compiler makes of it; the site itself without
 * debug information. To be compared only. */
const void *sk__site_place(const void *site);
/* A site that stands for the function it lies in: its position is that of the declaration. The site itself without debug
 * information. */
const void *sk__site_function(const void *site);

/* The fields of the structure that a function's first parameter points to: those that are made of others come before
 * their parts. False without debug information, and where no plain answer exists (unions, bit fields, base classes,
 * several functions of one name that differ). `near` is an address in the same compile unit. Cold. */
#define SK__LAYOUT_FIELDS 128
typedef struct sk__layout_field {
  char name[48];
  uint32_t offset_bytes, bytes;
  bool composite;       /* a structure or an array: its parts follow, unless bytes_only */
  bool bytes_only;      /* an array of bytes */
  bool part;            /* of a field before it */
} sk__layout_field;
typedef struct sk__layout {
  uint32_t bytes, count;
  sk__layout_field fields[SK__LAYOUT_FIELDS];
} sk__layout;
bool sk__parameter_layout(const void *near, const char *function, sk__layout *out);

/* One entry of the catalogue (hazards.h): what a finding id means. All texts are static, never NULL. */
typedef struct sk__hazard {
  const char *id, *title;
  sk__category category;
  const char *cause, *symptom, *detection, *remedy;
  const char *silent;   /* H1..H45: why nothing shows un-fused, or seldom does; else "" */
} sk__hazard;
/* The entry of an id, letter case ignored; NULL when there is none. */
SK__API const sk__hazard *sk__hazard_find(const char *id);
/* All entries in catalogue order. */
SK__API const sk__hazard *sk__hazard_all(size_t *count);
/* The id that was most likely meant, NULL when none is near. */
SK__API const char *sk__hazard_nearest(const char *id);
SK__API const char *sk__category_name(sk__category category); /* "operator", "fuser" ... */
const char *sk__severity_name(sk__severity severity); /* "error" ... */

/* ---- order --------------------------------------------------------------------------------- */

typedef struct sk__snapshot sk__snapshot; /* immutable vector over all actors, reference counted */

/* Order state of one core; embedded in the core, touched only by the thread that runs it. */
typedef struct sk__order {
  _Alignas(64) uint64_t row[SK__PIPES + 1][SK__PIPE_SLOTS]; /* [pipe][pipe of the same core] */
  uint64_t clock[SK__PIPE_SLOTS];       /* current clock of each pipe of this core */
  /* One cache line: with the clocks, what a barrier over all cores touches. */
  sk__snapshot *base;                   /* ordered before everything this core does now */
  uint64_t *ext;                        /* own copy when it differs from base, else NULL */
  /* Not NULL: floor 2 holds scalar accesses it has not handed in yet. Called, and then NULL again, before
   * anything changes what this core is ordered with. */
  void (*settle)(struct sk__order *order);
  uint64_t ordered_clock;               /* own clocks below are ordered before all this core does now: base has
                                         * them, rows need not. From its last SyncAll or before the launch */
  uint64_t begin_clock;                 /* clocks below are from before this launch or sub-kernel */
  uint64_t launch_clock;                /* clocks below are from before this launch */
  uint64_t dropped_clock;               /* clocks below are from before a full barrier of the framework that builds for
                                         * SKs leave out; 0 = none in this sub-kernel */
  uint32_t core;                        /* machine-wide index */
  bool enabled;                         /* false: plain run, nothing is recorded; set by the machine */
  bool in_sub;                          /* inside a sub-kernel of an SK */
  bool same_pipe;                       /* what a pipe's own earlier instructions wrote is judged */
  uint8_t in_order_pipes;               /* a bit per pipe whose instructions are ordered among themselves: S, and V
                                         * where the compiler puts barriers between vector instructions */
  bool refused;                         /* an instruction of this launch or sub-kernel was not carried out: what it should have
                                         * written is no reader's fault. Set by the floors above */
  bool met_unwritten;                   /* a READ_ANY came upon bytes never written; the floors above take it back */
  bool scope_open;                      /* launch, task and kernel of begin_clock have been noted */
  uint8_t watched;                      /* a bit per exception register that is on (watch.c) */
  void *context;                        /* the machine's core, for describing ends */
  /* Kept by floor 1; the whole struct is all zero before its first sk__order_begin. */
  sk__checker *checker;
  uint64_t *spare;                      /* the block of an ext that was dropped, for the next one */
  uint64_t ext_cores[SK__MAX_CORES / 64]; /* cores whose entries in ext may go beyond base */
  struct sk__gaps *gaps;                /* of base, or of ext */
} sk__order;
static inline void sk__order_settle(sk__order *order) {
  if (__builtin_expect(order->settle != NULL, 0)) order->settle(order);
}

/* Told before an instruction (not scalar code) reads local memory that its kernel or sub-kernel has not written, or device
 * memory that nobody has since it was allocated; also before loads of whole fractals, for which that is no finding.
 * left: an earlier sub-kernel of this launch wrote it. */
typedef void (*sk__fresh_fn)(void *context, uint64_t address, uint64_t bytes, bool left);
void sk__checker_set_fresh(sk__checker *checker, sk__fresh_fn fn, void *context);
/* The first such read since the last clear; false: there was none. One host thread only. */
bool sk__checker_first_fresh(const sk__checker *checker, sk__end *reader);
void sk__checker_clear_fresh(sk__checker *checker);

/* How the machine describes "who is running here now" when a finding needs an end. */
typedef void (*sk__describe_fn)(void *context, sk__end *end);
void sk__checker_set_describe(sk__checker *checker, sk__describe_fn describe);
/* Same-pipe accesses: false (default) = later instructions of a pipe are ordered after its earlier ones;
 * true = who reads or overwrites what an earlier instruction of the same pipe wrote is ordered only by
 * pipe_barrier or a flag round trip (SAME_PIPE; the scalar pipe stays in order). Overwriting what the pipe's
 * own earlier instructions read is in order either way, and so is a vector instruction that overwrites what
 * the same call wrote before. Takes effect at the next sk__order_begin. */
void sk__checker_set_same_pipe(sk__checker *checker, bool judged);
/* Also what is written to local memory and overwritten in the same kernel before anybody read it (LOST_RESULT); default false. */
void sk__checker_set_unread(sk__checker *checker, bool judged);
/* More than one host thread runs cores: GM page records are locked while in use. Not while running. */
void sk__checker_set_threads(sk__checker *checker, uint32_t threads);

/* Launch begins on this core: ordered after `before` (NULL = nothing before but what the host did). The
 * caller has set order->context and order->enabled. */
void sk__order_begin(sk__checker *checker, sk__order *order, uint32_t core, sk__snapshot *before);
/* A sub-kernel begins inside an SK: nothing gets ordered, local memory becomes "not initialised". */
void sk__order_begin_sub(sk__order *order);
/* Here stands a full barrier in the un-fused build, and nothing in this sub-kernel: nothing gets ordered, and a conflict
 * across this point is H20. */
void sk__order_barrier_dropped(sk__order *order);
/* Everything this core did is folded into `into` (the launch's end snapshot under construction). */
void sk__order_end(sk__checker *checker, sk__order *order, sk__snapshot *into);

/* What a launch's cores begin with: `before`, told apart from what launches it does not know have done on these cores. The
 * reference is the caller's. NULL like `before`, when there is nothing to tell apart. _engine: a copy's order, likewise. */
sk__snapshot *sk__snapshot_launch(sk__checker *checker, sk__snapshot *before);
sk__snapshot *sk__snapshot_engine(sk__checker *checker, sk__snapshot *before);
/* Per core the clock of its latest work; SK__MAX_CORES of them. */
void sk__checker_clocks(const sk__checker *checker, uint64_t *out);
/* All that was done since the cores' clocks were these, and before that only what `known` has (NULL: nothing). */
sk__snapshot *sk__snapshot_since(sk__checker *checker, const sk__snapshot *known, const uint64_t *clocks);
/* Runs that are taken back, ordered otherwise than the program is. Who read or updated device memory before them stays on record
 * beside those who read it in them, unless all the program's streams that do so know of it anyway. */
typedef struct sk__rehearsal {
  uint64_t begun[SK__MAX_CORES];  /* clocks when it began */
  uint64_t known[SK__MAX_ACTORS]; /* up to here, all those streams know what was before */
} sk__rehearsal;
void sk__rehearsal_begin(sk__rehearsal *rehearsal, const uint64_t *clocks); /* the cores', as they were before the first run */
void sk__rehearsal_add_stream(sk__rehearsal *rehearsal, const sk__snapshot *order); /* NULL: it knows nothing */
void sk__checker_rehearse(sk__checker *checker, const sk__rehearsal *rehearsal);    /* NULL: it is over */
sk__snapshot *sk__snapshot_new(sk__checker *checker, sk__snapshot *copy_of); /* NULL on no memory */
void sk__snapshot_join(sk__snapshot *into, const sk__snapshot *from);
sk__snapshot *sk__snapshot_ref(sk__snapshot *s);
void sk__snapshot_unref(sk__snapshot *s);

/* In-core event flag: what a set carries, and what a wait takes over. */
typedef struct sk__event_clock { uint64_t row[SK__PIPE_SLOTS]; } sk__event_clock;
void sk__order_set_flag(sk__order *order, sk__pipe src, sk__event_clock *out);
void sk__order_wait_flag(sk__order *order, sk__pipe dst, const sk__event_clock *in);
/* pipe_barrier(pipe); SK__PIPE_ALL orders every pipe after every other. */
void sk__order_barrier(sk__order *order, sk__pipe pipe);
/* Issue of an instruction on `pipe`: ordered after everything the scalar unit did so far. Called by
 * every instruction; inline and cheap. */
static inline void sk__order_issue(sk__order *order, sk__pipe pipe) {
  sk__order_settle(order);
  order->row[pipe][SK__PIPE_S] = order->clock[SK__PIPE_S];
}

/* Is what pipe `other` of `core` did at `clock` ordered before what `pipe` does now? (covers.c) */
bool sk__order_covers(const sk__order *order, sk__pipe pipe, uint32_t core, sk__pipe other, uint64_t clock);

/* Cross-core: what a set on `pipe` publishes (joined into *message, made if NULL; a shared one is replaced),
 * what a wait takes: it may keep a reference to the message. */
void sk__order_publish(sk__checker *checker, sk__order *order, sk__pipe pipe, sk__snapshot **message);
void sk__order_acquire(sk__checker *checker, sk__order *order, sk__snapshot *message);

/* Full barriers over many cores (SyncAll with PIPE_ALL before it), one after another: what a core does after
 * it left is ordered after all that any of them did before it came, and they share one base. Each core brings
 * what it knows when it comes and takes the result when it leaves, so that nobody walks over all of them.
 * All zero before the first; the caller's lock guards it. */
typedef struct sk__meeting {
  sk__snapshot *all, *base;     /* under construction (NULL: nobody has come, or no memory); base of the first */
  uint32_t came;
  uint32_t inside;              /* of the last one: cores that have not left, each with a reference to `agreed` ... */
  uint32_t gave_back;           /* ... and references to `left_base` of those that have, given back together */
  sk__snapshot *agreed, *left_base;
  sk__snapshot *spare;          /* a block nobody refers to */
} sk__meeting;
/* `members`: how many come in all. Until the meeting is complete or broken, the core does nothing. */
void sk__meeting_arrive(sk__checker *checker, sk__meeting *meeting, sk__order *order, uint32_t members);
/* All are here. Before the next is complete, each must have left (or its launch be given up). */
void sk__meeting_complete(sk__meeting *meeting);
void sk__meeting_depart(sk__meeting *meeting, sk__order *order);
/* Nothing comes of it: those that wait go on as they came. */
void sk__meeting_break(sk__meeting *meeting);
/* The launch is over. */
void sk__meeting_end(sk__meeting *meeting);

/* ---- shadow -------------------------------------------------------------------------------- */

/* READ_ANY (local memory only): a READ for which bytes never written are no finding: loads of whole
 * fractals carry the padding of a matrix along, and nothing that counts comes from there. */
typedef enum sk__access { SK__READ, SK__WRITE, SK__ATOMIC, SK__READ_ANY } sk__access;

/* Records and checks one access to contiguous bytes. The caller has checked the bounds.
 * Local memory: address inside a core's slot. Findings go to the checker. */
void sk__shadow_local(sk__checker *checker, sk__order *order, sk__pipe pipe, sk__access kind,
                      uint64_t address, uint64_t bytes, const void *site, const char *instr);
void sk__shadow_gm(sk__checker *checker, sk__order *order, sk__pipe pipe, sk__access kind,
                   uint64_t address, uint64_t bytes, const void *site, const char *instr);
/* Such a store by plain code (SK__STORES). */
void sk__shadow_local_store(sk__checker *checker, sk__order *order, uint64_t address, uint64_t bytes, const void *site, const char *instr);
/* All operands of one instruction on one pipe, in this order: cheaper than one call each. */
typedef struct sk__local_range { uint64_t address, bytes; sk__access kind; } sk__local_range;
void sk__shadow_local_ranges(sk__checker *checker, sk__order *order, sk__pipe pipe, const sk__local_range *ranges,
                             uint32_t n, const void *site, const char *instr);
/* The copy engine reads or writes: what nobody has written may be copied. */
void sk__shadow_gm_engine(sk__checker *checker, sk__order *order, sk__access kind, uint64_t address, uint64_t bytes, const char *instr);
/* A data cache writes a line back: bytes of it that the core has not stored come along, with the values they had when
 * it loaded the line. Whoever wrote or writes them without an order to this is undone (H13). `instr` of all of them
 * is this one text: it tells the origin from a read. */
extern const char sk__written_back[];
void sk__shadow_gm_write_back(sk__checker *checker, sk__order *order, uint64_t address, uint64_t bytes, const void *site,
                              const char *instr);
/* n pieces of `bytes` bytes, `stride` bytes from start to start. */
void sk__shadow_local_strided(sk__checker *checker, sk__order *order, sk__pipe pipe, sk__access kind,
                              uint64_t address, uint64_t n, uint64_t bytes, uint64_t stride,
                              const void *site, const char *instr);
/* Exception registers of a vector core: each watches kinds of access to a range of UB, [low, high) in absolute addresses, and
 * an access that falls into it is a finding (WATCHED_ACCESS). All are off when a launch begins, and what the order does not
 * record is not told either. */
#define SK__WATCHES 4
enum { /* a write's bit stands behind its read's */
  SK__WATCH_SCALAR_READ = 1, SK__WATCH_SCALAR_WRITE = 2, SK__WATCH_VECTOR_READ = 4, SK__WATCH_VECTOR_WRITE = 8,
  SK__WATCH_MTE_READ = 16, SK__WATCH_MTE_WRITE = 32,
};
typedef struct sk__watch {
  uint64_t low, high;
  uint32_t kinds;
  sk__end setter;
} sk__watch;
/* NULL: off. The caller has settled the order: what was accessed before is not told. */
void sk__watch_set(sk__checker *checker, sk__order *order, uint32_t which, const sk__watch *watch);
/* Every byte was written since this launch (or sub-kernel) began? For instructions that may then declare
 * more than they use. Records nothing; false also where an answer would cost a search. */
bool sk__shadow_local_initialised(const sk__checker *checker, const sk__order *order, uint64_t address, uint64_t bytes);
/* Calls fn for each stretch of bytes in the range that this launch (or sub-kernel) has not written. `leaver`: who of an earlier
 * sub-kernel of the launch did; its stamp is 0 when there is none. Records nothing. */
typedef struct sk__leaver { uint64_t stamp; uint16_t origin; } sk__leaver;
typedef void (*sk__local_unwritten_fn)(void *context, uint64_t start, uint64_t bytes, sk__leaver leaver);
void sk__shadow_local_unwritten(const sk__checker *checker, const sk__order *order, uint64_t address, uint64_t bytes,
                                sk__local_unwritten_fn fn, void *context);
/* Fills an end with what is known of a leaver: role, kernel, core, site. */
void sk__leaver_end(sk__checker *checker, sk__leaver leaver, sk__end *end);
/* A hint that bytes at `address` will soon be judged: fetches what that needs into the host's cache, one
 * level per call: 0 the page's record, 1 what it points to, 2 the sets of readers. Each level reads what
 * the one before fetched, so call them some accesses apart. Without effect on any result. */
void sk__shadow_gm_ahead(const sk__checker *checker, uint64_t address, uint64_t bytes, int level);
/* Device memory was allocated (contents undefined) or freed: forget its history. */
void sk__shadow_gm_reset(sk__checker *checker, uint64_t address, uint64_t bytes);
/* The host wrote device memory (memcpy, memset): initialised, ordered before every later launch. */
void sk__shadow_gm_host_write(sk__checker *checker, uint64_t address, uint64_t bytes);
/* Float sums that cores make in device memory, in whatever order they come. `largest` is the
 * largest magnitude of an addend, of what stood there, or of a sum. Not while several threads run cores. */
typedef enum sk__sum_kind { SK__SUM_F32, SK__SUM_F16, SK__SUM_BF16 } sk__sum_kind;
void sk__sum_note(sk__checker *checker, const void *site, const char *instr, sk__sum_kind kind, float largest);
void sk__sums_clear(sk__checker *checker);
bool sk__sums_any(const sk__checker *checker);
/* The byte was last changed by such sums: how often the call site has added anywhere, and the largest magnitude.
 * False otherwise. */
bool sk__sum_at(sk__checker *checker, uint64_t address, sk__sum_kind *kind, uint64_t *adds, float *largest, sk__end *end);
/* Calls fn for each stretch of bytes in the range that nobody has written; fn returns false to stop. True: a kernel has
 * written or updated some of the others. */
typedef bool (*sk__gm_unwritten_fn)(void *context, uint64_t start, uint64_t bytes);
bool sk__shadow_gm_unwritten(sk__checker *checker, uint64_t address, uint64_t bytes, sk__gm_unwritten_fn fn, void *context);
/* Fills *end with the last writer of the byte; false if none is known. */
bool sk__shadow_gm_last_writer(sk__checker *checker, uint64_t address, sk__end *end);
/* True: a kernel of the launch was the last to write some of the bytes; fills *end with the first of them. */
bool sk__shadow_gm_written_by(sk__checker *checker, uint64_t address, uint64_t bytes, int32_t launch, sk__end *end);

#endif
