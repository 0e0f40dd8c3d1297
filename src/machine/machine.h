/* machine.h - floor 2: the simulated chip: device memory, cores, scheduler, flags, data caches, clocks.
 *
 * One machine per process (the current device). Cores are fibers; instructions execute at once, in
 * program order, on real memory; what may be unordered on the chip is judged by floor 1. */
#ifndef SK_MACHINE_MACHINE_H
#define SK_MACHINE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/window.h"
#include "check/check.h"
#include "soc/soc.h"
#include "superkernel/kernel.h"

typedef struct sk__machine sk__machine;

/* ---- schedules ----------------------------------------------------------------------------- */

#define SK__SCHEDULE_LIST(X)                                                             \
  X(IN_ORDER, "in-order", "blocks in ascending order")                                   \
  X(REVERSED, "reversed", "blocks in descending order")                                  \
  X(RANDOM, "random", "seeded random order, also at every synchronising instruction")    \
  X(SLOW_CONSUMER, "slow-consumer", "a core that waits is resumed as late as possible")  \
  X(SLOW_AIV1, "slow-aiv1", "the second vector core of each AI core runs last")          \
  X(WAVES, "waves", "a third of the cores at a time")
typedef enum sk__schedule_kind {
#define X(name, text, help) SK__SCHEDULE_##name,
  SK__SCHEDULE_LIST(X)
#undef X
  SK__SCHEDULES
} sk__schedule_kind;
typedef struct sk__schedule { sk__schedule_kind kind; uint64_t seed; } sk__schedule;
/* Parses "in-order", "random:7" ...; SK_INVALID_ARGUMENT otherwise. */
SK__API SK_MUST_USE sk_status sk__schedule_parse(const char *text, sk__schedule *out);

/* ---- launches ------------------------------------------------------------------------------ */

typedef struct sk__core sk__core;

/* What one core sees as "its kernel": an un-fused launch has one view, a sub-kernel of an SK its own. */
typedef struct sk__view {
  const char *kernel;       /* name, for findings */
  uint32_t block_num;       /* GetBlockNum */
  uint32_t task;            /* index of the sub-kernel, UINT32_MAX un-fused */
  uint32_t sub_ratio;       /* AIVs per AIC of the *launch*: 0, 1, 2 */
  uint32_t own_ratio;       /* AIVs per AIC that the kernel itself is written for */
  uint64_t dynamic_ub_bytes;
  bool bound;               /* sub-kernels: runs through the function that SK_BIND names */
  bool beyond;              /* sub-kernels: the core's index is at or above block_num: it has no work to do (H43) */
  bool raw_block_num;       /* block_num is the SK's, not the sub-kernel's: reading it is H5 */
  bool raw_index;           /* the raw block index was read where it is not the operator's */
  uint32_t schedmode;       /* sub-kernels: declared batch mode */
  uint32_t sk_num_blocks;   /* sub-kernels: cores of this type that run it (sysArgs->skNumBlocks) */
  uint32_t early_mask;      /* sub-kernels: early-start configuration word (sysArgs->skTaskSyncCfg) */
  /* Told of each hardware SyncAll before the core takes part in it; NULL = nobody wants to know. An SK of
   * graph mode has its idle cores replay the SyncAlls of a sub-kernel. */
  void (*on_sync_all)(sk__core *core, bool aiv_only);
  void *sync_context;
} sk__view;

typedef struct sk__launch {
  const char *name;
  sk_kernel_type type;
  uint32_t blocks;              /* >= 1; above the core count they run in waves */
  uint32_t schedmode;
  uint64_t dynamic_ub_bytes;
  uint32_t flags;               /* SK_KERNEL_* */
  /* Runs one block. `context` and the argument block are read only. Index by sk__core_type; NULL = the
   * core type has nothing to do. */
  void (*entry[2])(sk__core *core, void *context);
  void *context;
  bool is_sk;                   /* an SK program: the end-of-kernel rules apply to the SK as a whole */
  bool leaves_lines;            /* an SK of which nothing says that its end invalidates the data caches */
  uint32_t serial;              /* filled in by the machine */
} sk__launch;

typedef struct sk__run_stats {
  uint64_t cycles;              /* estimate: latest pipe clock of any core */
  uint64_t elapsed_cycles;      /* what it adds to the time of all launches, its launch gap included; 0: it ran beside another */
  uint64_t core_cycles[SK__MAX_CORES];
  uint32_t aic_used, aiv_used;
  double seconds;               /* host time */
  bool whole_barriers;          /* its cores met in barriers that count every core of the launch */
} sk__run_stats;

/* Told at the end of each block, and of each sub-kernel inside (task = its index, else UINT32_MAX), with the
 * core's clock at its begin and end. Launches that run at the same time have one group, the serial of the first, and clocks
 * from its begin. The name is the caller's for the call only. fn NULL: nobody asks. With more
 * than one host thread calls may overlap. */
typedef struct sk__span { const char *name; uint32_t core, launch, group, task; uint64_t begin_cycles, end_cycles; } sk__span;
typedef void (*sk__span_fn)(void *context, const sk__span *span);
void sk__machine_set_spans(sk__machine *machine, sk__span_fn fn, void *context);

/* Runs a launch to its end. SK_DEADLOCK, SK_FAULT, SK_BUDGET: a finding says why, the launch is over,
 * the machine goes on. before/after: order towards other launches (NULL before = nothing). */
SK_MUST_USE sk_status sk__machine_run(sk__machine *machine, sk__launch *launch, sk__snapshot *before,
                                      sk__snapshot *after, sk__run_stats *stats);

/* A launch that stands: some of its cores wait for work outside of it, and none can go on. It keeps its cores; other
 * launches may run on those that are left (stand.c). */
typedef struct sk__standing sk__standing;
/* As sk__machine_run, on one host thread; *standing not NULL: it stands and is not over. launch, before and after must live
 * until it is. */
SK_MUST_USE sk_status sk__machine_begin(sk__machine *machine, sk__launch *launch, sk__snapshot *before, sk__snapshot *after,
                                        sk__run_stats *stats, sk__standing **standing);
/* Some of what its cores wait for has happened: they look again. *standing becomes NULL when the launch is over. */
SK_MUST_USE sk_status sk__machine_go_on(sk__machine *machine, sk__standing **standing, sk__run_stats *stats);
/* What it waits for will never happen: reported as a deadlock, and over. */
typedef struct sk__hopeless {
  const char *id;               /* DEADLOCK, H39 */
  sk__category category;
  const char *why, *remedy;     /* why: the rest of a sentence about what it waits for */
} sk__hopeless;
SK_MUST_USE sk_status sk__machine_give_up(sk__machine *machine, sk__standing **standing, const sk__hopeless *hopeless,
                                          sk__run_stats *stats);
/* Host threads that the machine has made for itself. */
uint32_t sk__machine_helpers(const sk__machine *machine);
/* Blocks of a launch of this type that could start now, beside the launches that stand. */
uint32_t sk__machine_room(const sk__machine *machine, sk_kernel_type type);
/* Estimate: where the next launch begins, from the begin of the first that stands; 0 while none does. */
void sk__machine_set_begin(sk__machine *machine, uint64_t cycles);

/* ---- machine ------------------------------------------------------------------------------- */

typedef struct sk__machine_options {
  const sk__soc *soc;           /* NULL = default profile */
  sk__schedule schedule;
  uint32_t threads;             /* host threads, 0 = 1 */
  bool checks;                  /* shadow and order */
  uint64_t instruction_budget;  /* per core and launch; 0 = default */
  uint8_t fill;                 /* pattern of fresh device memory, so that luck differs between runs */
  uint32_t guard_ms;            /* CPU time a loop may burn without one instruction; 0 = default */
} sk__machine_options;

SK_MUST_USE sk_status sk__machine_create(const sk__machine_options *options, sk__machine **out);
void sk__machine_destroy(sk__machine *machine);
void sk__machine_configure(sk__machine *machine, const sk__machine_options *options); /* not while running */
const sk__machine_options *sk__machine_options_of(const sk__machine *machine);
const sk__soc *sk__machine_soc(const sk__machine *machine);
sk__checker *sk__machine_checker(sk__machine *machine);

/* ---- device memory ------------------------------------------------------------------------- */

/* Device memory of CA(bytes, 32) plus red zones on both sides, start aligned to 512 bytes. Contents are
 * undefined: the fill pattern up to 4 MiB, above that zero or what an earlier owner left. */
SK_MUST_USE sk_status sk__gm_alloc(sk__machine *machine, uint64_t bytes, const char *label, void **out);
/* A launch is given the live allocation that starts at the address. For messages: its name, if it bears the name `was` so far,
 * and the size of its elements, if none was said so far. */
void sk__gm_argument(sk__machine *machine, uint64_t address, const char *was, const char *label, uint32_t element_bytes);
/* Kernels have written some of the allocation that holds the address, though its history does not say so any more. */
void sk__gm_set_output(sk__machine *machine, uint64_t address);
/* The host program takes bytes of device memory as a result: reports those which nobody has written, of an allocation that
 * kernels have written in part or that a launch was given. Gaps below 32 bytes in front of a multiple of 32 are padding. Floor 1 must keep history. */
void sk__gm_judge_result(sk__machine *machine, uint64_t address, uint64_t bytes);
/* The pattern a run finds where nobody has written: in local memory since the launch began, in device memory since the
 * allocation. left: also in local memory that an earlier sub-kernel of the launch wrote. With sk__machine_configure all are
 * false: whatever is there stays. Served when an instruction reads it; needs checks and one host thread. */
typedef struct sk__fresh { uint8_t pattern; bool local, left, device; } sk__fresh;
void sk__machine_set_fresh(sk__machine *machine, sk__fresh fresh);
/* The first read of such bytes since sk__machine_set_fresh; false: none. */
bool sk__machine_read_fresh(sk__machine *machine, sk__end *reader);
/* Device memory that was filled so and is still unwritten is as before. */
void sk__gm_unfill(sk__machine *machine);
/* A run with another pattern, all else equal, left other bytes in [start, start + bytes): a copy of them to the host is
 * UNDEFINED_RESULT. `reader`: who read what nobody had written. */
typedef struct sk__stretch { uint64_t start, bytes; } sk__stretch;
SK_MUST_USE sk_status sk__gm_set_undefined(sk__machine *machine, const sk__stretch *stretches, size_t count, const sk__end *reader);
/* Are these bytes still as such a run left them, in both runs? */
bool sk__gm_is_undefined(sk__machine *machine, uint64_t start, uint64_t bytes);
/* Other bytes for a run inside a transaction, without a trace in their history. */
void sk__gm_replace(sk__machine *machine, uint64_t start, const void *bytes, uint64_t count);
/* These bytes have been written anew since. */
void sk__gm_set_defined(sk__machine *machine, uint64_t start, uint64_t bytes);
SK_MUST_USE sk_status sk__gm_free(sk__machine *machine, void *address); /* SK_NOT_FOUND: not a live start */
/* The live allocation that holds the address; false if none. */
typedef struct sk__gm_info {
  uint64_t start, bytes;
  const char *label;
  uint32_t serial;
  uint32_t element_bytes;   /* 0: nobody has said */
  bool output;              /* kernels have written it, as a twin run saw */
  bool argument;            /* a launch was given its start, and it had no name before */
} sk__gm_info;
bool sk__gm_find(sk__machine *machine, uint64_t address, sk__gm_info *out);
/* The live allocation nearest below or above a wild address (for messages); false if there is none. */
bool sk__gm_nearest(sk__machine *machine, uint64_t address, sk__gm_info *out);
void sk__gm_usage(sk__machine *machine, uint64_t *live_bytes, uint64_t *peak_bytes, uint64_t *touched_bytes);

/* Host access: bounds checked, logged, coherent (a task boundary lies between). */
SK_MUST_USE sk_status sk__gm_host_write(sk__machine *machine, uint64_t to, const void *from, uint64_t bytes);
SK_MUST_USE sk_status sk__gm_host_read(sk__machine *machine, void *to, uint64_t from, uint64_t bytes);
SK_MUST_USE sk_status sk__gm_host_set(sk__machine *machine, uint64_t to, int value, uint64_t bytes);
/* The host program has written these bytes of device memory: lines that SKs left in data caches do not see it. */
void sk__gm_host_rewrites(sk__machine *machine, uint64_t start, uint64_t bytes);
/* The caller is about to write the bytes in place. */
SK_MUST_USE sk_status sk__gm_host_writes(sk__machine *machine, uint64_t to, uint64_t bytes);

/* Lines that SKs have left in the cores' data caches. A twin run has one set per mode: the set comes in, the one there was
 * comes back. NULL: none. */
typedef struct sk__left sk__left;
sk__left *sk__machine_swap_left(sk__machine *machine, sk__left *left);
sk__left *sk__left_copy(const sk__left *left); /* on no memory fewer lines: less is told */
void sk__left_free(sk__left *left);

/* The copy engine at work for a stream, between two orders as a launch: what nothing orders with a copy is found as between
 * launches. Begin, then the copy's accesses, then end: what it did goes into `after`. `call` is the program's, static text. */
typedef struct sk__copier { struct sk__core *core; const char *call; } sk__copier;
sk__copier sk__copy_begin(sk__machine *machine, sk__snapshot *before, const char *call);
SK_MUST_USE sk_status sk__copy_write(const sk__copier *copier, uint64_t to, const void *from, uint64_t bytes);
SK_MUST_USE sk_status sk__copy_read(const sk__copier *copier, void *to, uint64_t from, uint64_t bytes);
SK_MUST_USE sk_status sk__copy_set(const sk__copier *copier, uint64_t to, int value, uint64_t bytes);
void sk__copy_end(const sk__copier *copier, sk__snapshot *after);

/* Transaction log of pre-images: begin .. (commit | roll back). Not nested, not while running. Rolling back
 * restores contents, not allocations: what was never written is filled with the pattern and counts as
 * uninitialised again; memory allocated inside stays allocated, uninitialised; what was freed stays free. */
SK_MUST_USE sk_status sk__gm_begin(sk__machine *machine);
void sk__gm_commit(sk__machine *machine);
void sk__gm_roll_back(sk__machine *machine);
/* Ranges of live allocations written since begin, ascending, merged, rounded out to 512 bytes. The callback
 * returns false to stop. */
typedef bool (*sk__gm_range_fn)(void *context, uint64_t start, uint64_t bytes);
void sk__gm_touched(sk__machine *machine, sk__gm_range_fn fn, void *context);

/* ---- a core -------------------------------------------------------------------------------- */

typedef struct sk__dcache sk__dcache;
typedef struct sk__fiber sk__fiber;

/* Where operands in UB are in order: inside one stretch. Each chunk of 256 bytes names its stretch; 0 is UB as a whole while
 * a kernel has no arrays, and afterwards nothing: the machine judges. So it does where a chunk has the last one, which is always
 * empty. Offsets in the core's slot. */
typedef struct sk__ub_stretch { uint32_t start, bytes; } sk__ub_stretch;
enum { SK__UB_CHUNKS = ((192u << 10) + SK__UB_GUARD_ROOM) / 256, SK__UB_STRETCHES = 256, SK__UB_CLOSELY = SK__UB_STRETCHES - 1 };
typedef struct sk__ub_map {
  uint8_t of_chunk[SK__UB_CHUNKS];
  sk__ub_stretch stretch[SK__UB_STRETCHES];
} sk__ub_map;

struct sk__core {
  /* What every instruction touches: two cache lines. */
  sk__machine *machine;
  uint64_t local;               /* base of the local slot (window.h) */
  const void *site;             /* where (for findings): set by every instruction */
  const char *instr;
  uint64_t instructions;        /* so far in this launch */
  uint64_t instruction_stop;    /* at this count sk__checkpoint leaves the fast path */
  uint32_t index;               /* machine-wide: AICs 0..aic-1, then AIVs */
  sk__core_type type;
  bool checks;                  /* = order.enabled */
  bool pipe_copied;             /* there was a copy of a TPipe (isa/pipe_copy.c) */
  uint16_t flags_used;          /* cross-core flag ids that the end of the launch must clear */
  _Alignas(64) uint64_t cycles[SK__PIPE_SLOTS]; /* estimate, per pipe */

  /* who (constant during a launch) */
  sk__checker *checker;
  uint32_t group;               /* AI core */
  uint32_t sub_block;           /* as the kernel sees it: AIV of MIX 1:2: 0/1; all others 0 */
  uint32_t block_idx;           /* raw: AIC and AIV of MIX: block of the AI core */
  uint32_t ratio;               /* what GetTaskRatio is: AIC 1; AIV 2 in MIX 1:2, else 1 */
  const sk__launch *launch;
  sk__view view;
  const void *divided_at;       /* the first integer division by zero, and whose it was (division.c) */
  const char *divided_by;
  uint32_t divided_in;
  uint64_t gm_stores;           /* writes to device memory so far: progress, for cores that poll */

  /* registers (reset: sk__core_reset_registers) */
  uint64_t mask[2];             /* MASK0, MASK1 */
  uint64_t mask_length;         /* asked for as a number of elements, for the next vector instruction; 0 not so */
  uint64_t ctrl;                /* CTRL, bits as in the sheet; reset value has bit 48 set */
  uint64_t ctrl_inherited;      /* its bits that an earlier sub-kernel left changed and this one has not set */
  uint64_t inherited;           /* bit per sk__state, likewise */
  uint64_t cmp_mask[2];
  uint64_t pad_value;           /* asc_set_copy_pad_val */
  uint64_t deq_scale;
  uint32_t atomic_type, atomic_op; /* 0 = off; codes of asc_set_store_atomic_config_v1 */
  uint64_t rsvd_count;          /* asc_get_rsvd_count */
  uint64_t acc_value;           /* asc_get_acc_val */
  uint64_t reduce_max[2], reduce_min[2]; /* value bits, index */
  uint16_t merge_counts[4];     /* asc_get_vms4_sr */
  uint64_t va[8][8];            /* address registers of transto5hd */
  uint64_t l0c_prequant, l0c_nd_params, l0c_relu_alpha, fix_config[2];
  uint64_t fmatrix_a, fmatrix_b, fmatrix_a_pad, fmatrix_b_pad, load3d_padding, load3d_repeat, load3d_size;
  uint64_t ffts_base, status;
  uint64_t unit_flags[4];       /* bit per 512-byte block of L0C: Mmad sets, Fixpipe clears */
  sk__event_clock unit_clock[2]; /* what the last set (0) and the last clear (1) carry */

  /* state owned by the machine */
  sk__order order;
  sk__event_clock *event_clocks; /* [src pipe][dst pipe][8] */
  uint8_t events[SK__PIPE_SLOTS][SK__PIPE_SLOTS]; /* bit per id */
  uint64_t *event_cycles;
  uint8_t flag_count[16];       /* cross-core counters */
  uint32_t matmul_posted, matmul_served; /* AIV: messages to the matmul service so far, and those it has done */
  struct sk__flag_state *flags; /* what the counters carry */
  sk__dcache *dcache;
  sk__fiber *fiber;
  struct sk__local_table *locals;
  sk__ub_map *ub;
  struct sk__framework *framework; /* of the C++ tensor layer (framework.h) */
  void *scratch;                /* per host thread, 1 MiB, 64-byte aligned: instruction temporaries */
  /* Cores stand side by side: an odd number of cache lines each spreads them over the cache's sets. */
  _Alignas(64) uint8_t spread[128];
};
_Static_assert(sizeof(sk__core) / 64 % 2 == 1, "make the padding of sk__core one line longer or shorter");

/* The core that runs on this thread, NULL on host code. */
extern _Thread_local sk__core *sk__self __attribute__((tls_model("initial-exec"), visibility("default")));

void sk__core_reset_registers(sk__core *core); /* launch defaults: masks all ones, atomics off ... */

/* Registers of which it is followed what a sub-kernel leaves changed (H33). */
#define SK__STATE_LIST(X)                                \
  X(ATOMIC, "the atomic mode of stores to device memory") \
  X(MASK, "the vector mask")                              \
  X(CTRL, "CTRL")                                         \
  X(PAD, "the padding value of copies")                   \
  X(DEQ, "the dequantisation scale")                      \
  X(WATCH, "the exception registers of UB")
typedef enum sk__state {
#define X(name, text) SK__STATE_##name,
  SK__STATE_LIST(X)
#undef X
  SK__STATES
} sk__state;
/* Part of every setter: the running instruction gives the register a value (CTRL: the bits of `ctrl_bits`). */
void sk__state_set(sk__core *core, sk__state state, uint64_t ctrl_bits);
/* Use of a register by the running instruction: reports one that an earlier sub-kernel left changed. */
__attribute__((cold, noinline)) void sk__state_report(const sk__core *core, sk__state state);
static inline void sk__state_use(const sk__core *core, sk__state state) {
  if (__builtin_expect((core->inherited >> state & 1) != 0, 0)) sk__state_report(core, state);
}

/* A sub-kernel begins / ends on this core (SK program only): view, local arrays, ledgers. End compares
 * flags and events with the state at begin and reports H7, H22-class findings. */
void sk__core_begin_sub(sk__core *core, const sk__view *view);
void sk__core_end_sub(sk__core *core);

/* ---- what instructions use ----------------------------------------------------------------- */

/* Part of every instruction: ends a block that is over its instruction budget, and lets others run when a
 * core has kept its thread for very long (it may be polling). */
void sk__checkpoint_slow(sk__core *core);
static inline void sk__checkpoint(sk__core *core) {
  if (__builtin_expect(core->instructions >= core->instruction_stop, 0)) sk__checkpoint_slow(core);
}

/* First line of every instruction: notes the site, counts, orders after the scalar unit. NULL core
 * type mismatch is the caller's business. `pipe` is where it executes; _unordered is for barriers of the whole
 * core, which order everything themselves. */
static inline sk__core *sk__enter_unordered(const char *instr, const void *site) {
  sk__core *core = sk__self;
  core->site = site;
  core->instr = instr;
  core->instructions++;
  sk__checkpoint(core);
  return core;
}
static inline sk__core *sk__enter(sk__pipe pipe, const char *instr, const void *site) {
  sk__core *core = sk__enter_unordered(instr, site);
  if (core->checks) sk__order_issue(&core->order, pipe);
  return core;
}
/* Advances a pipe's clock: the instruction starts when the pipe and the scalar unit are ready. */
static inline void sk__advance(sk__core *core, sk__pipe pipe, uint64_t cycles) {
  uint64_t start = core->cycles[pipe] > core->cycles[SK__PIPE_S] ? core->cycles[pipe] : core->cycles[SK__PIPE_S];
  core->cycles[pipe] = start + cycles;
}

/* A local operand: resolves a raw offset (below 1 MiB) or an address, checks alignment and bounds: what begins in a
 * declared array ends in it (locals.c), everything else ends within the memory. NULL: a finding was reported, the instruction must do nothing.
 * bytes = extent from the pointer to the end of the last byte touched. */
void *sk__local_operand(sk__core *core, sk__mem mem, const void *pointer, uint64_t bytes, uint32_t align,
                        const char *operand);

/* Footprint of a local access; only records when core->checks. */
static inline void sk__local_access(sk__core *core, sk__pipe pipe, sk__access kind, const void *address, uint64_t bytes) {
  if (core->checks)
    sk__shadow_local(core->checker, &core->order, pipe, kind, (uint64_t)address, bytes, core->site, core->instr);
}
static inline void sk__local_access_strided(sk__core *core, sk__pipe pipe, sk__access kind, const void *address,
                                            uint64_t n, uint64_t bytes, uint64_t stride) {
  if (core->checks)
    sk__shadow_local_strided(core->checker, &core->order, pipe, kind, (uint64_t)address, n, bytes, stride, core->site,
                             core->instr);
}

/* GM bursts by DMA (MTE2, MTE3, FIX): bounds, shadow, log, coherence with the data caches, atomics of
 * the core's mode (element type from the register). false: a finding was reported, nothing was moved.
 * Local addresses must have been resolved; their footprint is the caller's. */
bool sk__gm_load(sk__core *core, sk__pipe pipe, void *to, uint64_t from, uint64_t bytes);
bool sk__gm_store(sk__core *core, sk__pipe pipe, uint64_t to, const void *from, uint64_t bytes);

/* Scalar accesses through the data cache (what the hooks call on their slow path, and API scalar
 * reads). Also for local memory (UB by the scalar pipe). */
void sk__scalar_access(sk__core *core, uint64_t address, uint64_t bytes, bool is_write, const void *site);
void sk__dcache_clean_line(sk__core *core, uint64_t address); /* clean + invalidate */
/* The same by the kernel's own wish: what was stored in the line is a signal from here on, and loads right behind look at
 * what others signal by it. */
void sk__dcache_signal_line(sk__core *core, uint64_t address);
void sk__dcache_clean_all(sk__core *core);
void sk__dcache_preload(sk__core *core, uint64_t address);

/* In-core synchronisation. */
void sk__set_flag(sk__core *core, sk__pipe src, sk__pipe dst, uint32_t id);
void sk__wait_flag(sk__core *core, sk__pipe src, sk__pipe dst, uint32_t id);
void sk__pipe_barrier(sk__core *core, sk__pipe pipe);
/* Cross-core: may switch to another fiber. */
void sk__cross_set(sk__core *core, sk__pipe pipe, uint32_t mode, uint32_t id);
void sk__cross_wait(sk__core *core, uint32_t id);
/* Hardware SyncAll: aiv_only = SyncAll<true>, else all cores of a mix launch. */
void sk__sync_all(sk__core *core, bool aiv_only);
/* The core waits for something outside of its launch, named for messages as in "for <what>"; the text must outlive the launch.
 * Returns when it is worth looking again. */
void sk__wait_outside(sk__core *core, const char *what);
/* A core that polls memory (soft barriers) gives way; counts towards the deadlock rule. */
void sk__yield(sk__core *core);

/* The same for the SK program's own barriers and for the early-start calls: the reserved ids 11..14 are
 * theirs, so no H8. */
void sk__cross_set_system(sk__core *core, sk__pipe pipe, uint32_t mode, uint32_t id);
void sk__cross_wait_system(sk__core *core, uint32_t id);

/* The running sub-kernel makes an early-start call. Noted, for H23 to H25; what the call does is the caller's. */
void sk__early_call(sk__core *core, bool is_wait);

/* Ends the running block at once after a fault was reported (never returns). */
_Noreturn void sk__core_abort(sk__core *core, sk_status why);

#endif
