/* internal.h - the machine as its own files see it. Private to the machine floor.
 *
 * Words. A *lane* is what executes blocks one after another: one core of a single-type launch, one AI
 * core (AIC and its AIVs) of a MIX launch; lane l runs blocks l, l + lanes, l + 2 lanes ... A *seat* is
 * the scheduling state of one core. A *shard* is a set of lanes with a run queue of its own; a *worker* is
 * a host thread that runs one or more shards. Fibers never change their thread.
 *
 * Locking. With one shard nothing is locked. With several, `machine->lock` guards seat states, run
 * queues, cross-core flags and barriers (sk__lock / sk__unlock); everything else a fiber touches is its
 * own core's. */
#ifndef SK_MACHINE_INTERNAL_H
#define SK_MACHINE_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/rng.h"
#include "base/vec.h"
#include "machine/left.h"
#include "machine/fiber.h"
#include "machine/machine.h"
#include "machine/memory.h"

enum {
  SK__FLAG_IDS = 16,
  SK__FLAG_LIMIT = 15,          /* a counter has four bits */
  SK__EVENT_IDS = 8,
  SK__MAX_GROUPS = SK__MAX_CORES / 3 + 1,
  SK__MAX_WORKERS = 8,
  SK__SCRATCH_BYTES = 1 << 20,
};
/* Reserved flag ids: the hardware barriers' and the matmul service's. */
enum { SK__ID_AIC_ALL = 11, SK__ID_AIV_TO_AIC = 12, SK__ID_AIC_TO_AIV = 13, SK__ID_AIV_ALL = 14, SK__ID_SERVICE = 15 };

#define SK__NO_TASK UINT32_MAX

/* ---- cross-core flags ---------------------------------------------------------------------- */

/* What one increment of a counter carries to the wait that consumes it. */
typedef struct sk__message {
  sk__snapshot *snapshot;       /* NULL without checks */
  uint64_t cycles;
} sk__message;

/* Messages in order of arrival. More than 16 outstanding is reported when it happens; from there on the
 * newest slot takes the rest together. */
typedef struct sk__mailbox {
  sk__message items[SK__FLAG_IDS];
  uint32_t first, count;
} sk__mailbox;

/* Sets of one id that take effect together: delivered when every member has set once more. */
typedef struct sk__flag_group {
  uint32_t completed;           /* times all members had set */
  uint32_t missing;             /* members that have not set for the next time */
  sk__mailbox pending;          /* contributions to completion completed + 1, + 2 ... */
} sk__flag_group;

typedef struct sk__flag_state {
  sk__mailbox inbox[SK__FLAG_IDS];
  uint32_t sets[3][SK__FLAG_IDS];  /* executed by this core, by mode */
  int32_t lead[SK__FLAG_IDS];      /* own group sets (mode 0, 1) minus own waits: how far the counter can run up */
  /* Since the core last waited for anything. A wait of any kind may be the answer to its sets: the safe side. */
  struct {
    uint8_t last_mode[SK__FLAG_IDS]; /* 1 + mode of the last set, 0 = none */
    uint8_t sent[SK__FLAG_IDS];      /* sets of mode 2 */
  } unanswered;
} sk__flag_state;

typedef struct sk__flag_scope { /* groups of one set of members, by id */
  sk__flag_group groups[SK__FLAG_IDS];
  uint16_t used;
} sk__flag_scope;

/* ---- ledger: what each sub-kernel did with flags and barriers ------------------------------ */

typedef enum sk__act {
  SK__ACT_BEGIN,                /* the core entered the sub-kernel */
  SK__ACT_SET0, SK__ACT_SET1, SK__ACT_SET2, SK__ACT_WAIT,
  SK__ACT_SYNC_AIV, SK__ACT_SYNC_MIX,
  SK__ACT_EARLY_CALL, SK__ACT_EARLY_END, /* early.c: a call; the end of a sub-kernel that owes calls */
} sk__act;

typedef struct sk__ledger_entry {
  uint32_t task;
  uint8_t act, id;
  uint32_t count;
  uint32_t block_num;
  const void *site;             /* of the first */
  const char *instr, *kernel;
} sk__ledger_entry;

typedef struct sk__ledger {
  SK__VEC(sk__ledger_entry) entries;
  size_t scope;                 /* entries of the running sub-kernel start here */
} sk__ledger;

/* ---- seats, lanes, shards, workers --------------------------------------------------------- */

typedef enum sk__seat_state { SK__SEAT_OUT, SK__SEAT_READY, SK__SEAT_RUNNING, SK__SEAT_BLOCKED, SK__SEAT_DONE } sk__seat_state;
typedef enum sk__wait_kind { SK__WAIT_NONE, SK__WAIT_FLAG, SK__WAIT_SYNC_AIV, SK__WAIT_SYNC_MIX, SK__WAIT_POLL, SK__WAIT_OUTSIDE } sk__wait_kind;

typedef struct sk__shard sk__shard;

/* Who gave a register its value. */
typedef struct sk__state_setting {
  const void *site;
  const char *instr, *kernel;
  uint32_t task;
} sk__state_setting;

typedef struct sk__seat {
  /* One cache line: what a switch touches. */
  _Alignas(64) sk__core *core;
  sk__shard *shard;
  sk__seat_state state;
  sk__wait_kind wait;
  uint32_t wait_id;
  uint32_t lane;
  bool second_aiv;              /* physically the second vector core of its AI core */
  bool resume_slow;             /* woken from a barrier whose shortcut was given up */
  bool aborted;
  bool fresh;                   /* its block has not begun yet */
  bool polling;                 /* gave way in sk__yield */
  sk__fiber fiber;
  uint32_t idle_epoch, idle_picks;
  const char *outside;          /* SK__WAIT_OUTSIDE: what for */
  uint32_t stuck_task;          /* sub-kernel the core was in when the launch ended for it */
  sk__rng rng;
  sk__ledger ledger;
  uint8_t events_at_begin[SK__PIPE_SLOTS][SK__PIPE_SLOTS]; /* of the running sub-kernel */
  const void **event_sites;     /* of the last set, as event_clocks */
  sk__state_setting states[SK__STATES];
  uint32_t early_sets, early_waits; /* early-start calls of the running sub-kernel */
  uint64_t early_stores;        /* gm_stores of the core at its begin */
#if !SK__FIBER_ASAN && !SK__FIBER_UCONTEXT
  uint8_t spread[64];           /* see sk__core */
#endif
} sk__seat;
#if !SK__FIBER_ASAN && !SK__FIBER_UCONTEXT
_Static_assert(sizeof(sk__seat) / 64 % 2 == 1, "pad sk__seat to an odd number of cache lines");
#endif

typedef struct sk__lane {
  uint8_t core_count, live;
  uint8_t cores[3];             /* AIC first */
  uint32_t block;
} sk__lane;

enum { SK__QUEUES = 4, SK__QUEUE_POLLING = SK__QUEUES - 1, SK__QUEUE_SLOTS = 256 };

typedef struct sk__queue {      /* a ring; every core stands in at most one */
  uint8_t cores[SK__QUEUE_SLOTS];
  uint8_t head, tail;
} sk__queue;

typedef struct sk__worker sk__worker;

struct sk__shard {
  sk__queue queues[SK__QUEUES]; /* the lowest non-empty one is served */
  sk__worker *worker;           /* NULL until some thread has started it */
  bool started;
  sk__rng rng;
};

typedef struct sk__fault {
  bool pending;
  bool endless;                 /* the guard's hopeless, not a signal of the kernel */
  bool write;
  int signal, code;
  uint64_t address;
  const void *site;
} sk__fault;

struct sk__worker {
  sk__machine *machine;
  sk__context context;          /* of the scheduler on this thread */
  uint32_t index;
  void *scratch;
  _Atomic uint64_t switches;
  sk__core *volatile running;   /* NULL while the scheduler itself runs */
  sk__seat *seat;               /* that runs, or ran last */
  sk__fault fault;
  /* the guard against loops that call nothing */
  uint64_t guard_switches, guard_instructions;
  uint32_t guard_ticks;
  pthread_t thread;             /* helpers only */
  bool thread_made;
};

/* All cores in one hardware barrier, as a shortcut of the flag algorithm (sync_all.c). */
typedef struct sk__rendezvous {
  uint32_t arrived;
  uint64_t cycles;              /* latest clock of those that are here */
  uint64_t agreed_cycles;       /* of the last complete one: with it all have left before the next is complete */
  uint64_t waiting[SK__MAX_CORES / 64]; /* a bit per core */
  sk__meeting meeting;
} sk__rendezvous;

/* The launch that is running. */
typedef struct sk__run {
  const sk__launch *launch;
  sk__snapshot *before, *after;
  sk__lane lanes[SK__MAX_CORES];
  uint32_t lane_count;
  uint32_t share[2];            /* cores of each type per block */
  uint32_t members[2];          /* cores of each type over all blocks: what mode 0 counts */
  uint32_t present[2];          /* of them co-resident */
  uint8_t cores[SK__MAX_CORES]; /* the present cores, lane by lane */
  uint32_t core_count;
  uint32_t live;                /* seats not done */
  uint32_t blocked;
  uint32_t outside;             /* of them waiting for other launches */
  uint32_t shard_count;
  bool shared;                  /* more than one shard: lock. Off in every launch that runs on one thread */
  bool chances;                 /* synchronising instructions may switch */
  bool remarks;                 /* barriers have something to note or to report: SKs, and types without scheduler */
  bool open;                    /* helpers may join */
  bool over;                    /* nobody is to be resumed any more */
  bool may_stand;               /* the caller can run what cores wait for outside ... */
  bool stands;                  /* ... and has to: nobody else can go on */
  const sk__hopeless *hopeless;   /* why it never will, for the report; NULL */
  _Atomic bool whole_barriers;  /* a kernel has used a barrier over all its cores */
  sk_status status;
  uint32_t idle_epoch, idle_seats;
  uint64_t idle_stores;
  uint32_t waiting_workers, active_workers;
  _Atomic uint32_t changes;     /* counts wake-ups, for workers that spin */
  bool help_called;             /* helpers have been woken ... */
  bool help_expected;           /* ... and shards are kept for them a little longer */
  uint64_t started_ns, spent_ns; /* spent: before it stood */
  uint64_t begin_cycles;        /* from the begin of the first of its group, the launches that run at the same time */
  uint32_t group;               /* serial of that */
} sk__run;

/* The last run of a kernel with so many blocks: how long it took, so that helpers are woken at once for the long ones,
 * and whether it brought no finding. `key` tells runs apart and is the same in every process. */
typedef struct sk__past_run { uint64_t key, ns; bool silent; } sk__past_run;
enum { SK__REMEMBERED_RUNS = 256 };

/* Order by words of device memory that cores poll (soft.h). */
typedef struct sk__soft_word {
  uint64_t address;
  uint32_t round;
  sk__snapshot *message;
} sk__soft_word;
void sk__soft_reset(sk__machine *machine); /* before a launch */

/* What all cores of the launch that runs meet in; nothing of it outlives the launch. Guarded by `lock`. */
typedef struct sk__common {
  sk__flag_scope all[2];        /* mode 0, by core type */
  uint32_t plain_users[SK__FLAG_IDS]; /* counters, pending sets and waits on an id outside the shortcut */
  sk__rendezvous sync_aiv[2], sync_mix;
  SK__VEC(sk__soft_word) soft;
} sk__common;

struct sk__machine {
  sk__machine_options options;
  const sk__soc *soc;
  sk__checker *checker;
  sk__memory memory;
  sk__stack_pool stacks;
  uint32_t core_count;
  sk__core *cores;              /* [core_count] */
  sk__core *engine;             /* engine.c; runs nothing */
  sk__seat *seats;              /* [core_count] */
  struct sk__core_room *rooms;  /* [core_count]: what a core and its seat point to */
  uint32_t mem_offset[SK__MEMS];
  uint32_t mem_capacity[2][SK__MEMS];
  sk__common common;
  sk__flag_scope *pair;         /* mode 1, by AI core */
  sk__flag_scope *up;           /* mode 2 AIV -> AIC, by AI core */
  uint64_t instruction_budget;  /* as configured, or the default */
  uint32_t next_serial;
  bool running;
  uint64_t held[SK__MAX_CORES / 64]; /* a bit per core of a launch that stands */
  uint64_t next_begin_cycles;   /* of the next launch, see sk__run */
  uint32_t group;

  pthread_mutex_t lock;
  pthread_cond_t changed;       /* a worker without work waits for this */
  sk__shard shards[SK__MAX_WORKERS];
  sk__worker workers[SK__MAX_WORKERS]; /* [0] is the caller of sk__machine_run */
  sk__run run;
  sk__left *left;               /* NULL: none */
  sk__host_writes host_writes;
  pthread_cond_t called;        /* helpers sleep on this */
  uint64_t calls;               /* counts launches that wanted helpers; `lock` */
  bool stopping;
  sk__past_run remembered[SK__REMEMBERED_RUNS];
  sk__span_fn span;             /* NULL: nobody asks */
  void *span_context;
  uint64_t span_begin[SK__MAX_CORES][2]; /* clock at the begin of the block, of the sub-kernel */
};

static inline void sk__lock(sk__machine *machine) {
  if (machine->run.shared) pthread_mutex_lock(&machine->lock);
}
static inline void sk__unlock(sk__machine *machine) {
  if (machine->run.shared) pthread_mutex_unlock(&machine->lock);
}
static inline void sk__note_whole_barrier(sk__machine *machine) {
  if (!atomic_load_explicit(&machine->run.whole_barriers, memory_order_relaxed))
    atomic_store_explicit(&machine->run.whole_barriers, true, memory_order_relaxed);
}
static inline sk__seat *sk__seat_of(const sk__core *core) { return &core->machine->seats[core->index]; }
static inline bool sk__in_sub(const sk__core *core) { return core->view.task != SK__NO_TASK; }
_Static_assert(SK__PIPES == 7, "sk__core_latest_cycles names each pipe");
static inline uint64_t sk__later(uint64_t a, uint64_t b) { return a > b ? a : b; }
static inline uint64_t sk__core_latest_cycles(const sk__core *core) { /* as a tree: a chain is slower */
  const uint64_t *c = core->cycles;
  return sk__later(sk__later(sk__later(c[0], c[1]), sk__later(c[2], c[3])), sk__later(sk__later(c[4], c[5]), c[6]));
}
/* Code of the SK program itself, not of a sub-kernel. */
static inline bool sk__is_sk_code(const sk__core *core) { return core->launch->is_sk && !sk__in_sub(core); }

/* ---- core.c -------------------------------------------------------------------------------- */

/* A finding about the running core with its first end filled in; texts are added by the caller. */
sk__finding sk__core_finding(const sk__core *core, const char *id, sk__category category, sk__severity severity);
/* One more end; identity of the core, site and instruction as given. The end, to add words to. */
sk__end *sk__finding_end(sk__finding *finding, const sk__core *core, const char *role, const void *site, const char *instr);
void sk__core_describe(void *context, sk__end *end);
void sk__core_begin_block(sk__core *core, uint32_t block);
/* completed: the kernel came to its own end; else it was aborted or abandoned. */
void sk__core_end_block(sk__core *core, bool completed);

/* ---- engine.c ------------------------------------------------------------------------------ */

sk__core *sk__engine_make(sk__machine *machine); /* NULL on no memory */
void sk__engine_drop(sk__machine *machine);

/* ---- residue.c ----------------------------------------------------------------------------- */

void sk__residue_reset(sk__core *core); /* a block begins: registers are at their defaults */
void sk__residue_begin(sk__core *core); /* a sub-kernel begins */
void sk__residue_judge(sk__core *core); /* and ends */

/* ---- early.c ------------------------------------------------------------------------------- */

void sk__early_begin(sk__core *core);
void sk__early_end(sk__core *core);
void sk__early_judge(sk__machine *machine, uint32_t task); /* H23, H26, H27: once per sub-kernel, when the launch is over */
/* Where the running sub-kernel stands between its calls; NULL where early start does not concern it. */
const char *sk__early_phase(const sk__core *core);

/* ---- locals.c ------------------------------------------------------------------------------ */

SK_MUST_USE sk_status sk__locals_make(sk__core *core);
/* A pipe's buffer in UB: operands that begin and end in it need no judge. number: from 1, below
 * SK__UB_CLOSELY; 0: one whose operands are all judged. Without effect in a kernel that declares arrays there: the framework's
 * `mapped` says whether it had one. The other: none is there any more. */
void sk__ub_map_buffer(sk__core *core, uint32_t number, uint64_t start, uint64_t bytes);
void sk__ub_unmap_buffers(sk__core *core);
void sk__locals_drop(sk__core *core);
void sk__locals_reset(sk__core *core);

/* A declared array, or the launch's dynamic UB, where the kernel asks for it. Offsets from the start of the memory. */
typedef struct sk__local_array {
  const char *name;
  uint32_t start, bytes;
  uint32_t end;                 /* of its last block */
  uint32_t guard_end;           /* up to here what is behind it is nobody's */
} sk__local_array;
typedef enum sk__placing { SK__IN_NO_ARRAY, SK__IN_ARRAY, SK__BEYOND_ARRAY } sk__placing;
/* Where bytes lie that begin at this offset. *array: what they begin in or right behind, NULL for none. An operand takes
 * whole blocks, so the rest of an array's last one is its own. */
sk__placing sk__locals_place_of(const sk__core *core, sk__mem mem, uint64_t offset, uint64_t bytes, const sk__local_array **array);
/* The same for what scalar code does: exact to the byte. */
sk__placing sk__locals_place_of_scalar(const sk__core *core, uint64_t offset, uint64_t bytes, const sk__local_array **array);
/* Of the 64 bytes of UB from this offset: a bit for each that stands behind an array. */
uint64_t sk__locals_behind(const sk__core *core, uint64_t offset);
/* "reaches 32 bytes beyond array 'x': 96 bytes from byte 64 of its 128" and the like. */
void sk__locals_tell_beyond(const sk__local_array *array, uint64_t offset, uint64_t bytes, char *text, size_t text_bytes);

/* ---- scheduler.c --------------------------------------------------------------------------- */

void sk__scheduler_begin(sk__machine *machine);
/* Runs fibers of this worker's shards until the launch is over. */
void sk__worker_loop(sk__worker *worker);
uint64_t sk__now_ns(void);
/* Puts a seat into its shard's queue; lock held. */
void sk__seat_wake(sk__seat *seat);
/* The same for all blocked cores of a set (a bit per core), in the order of cores; they find resume_slow so. */
void sk__seats_wake(sk__machine *machine, const uint64_t *which, bool slow);
/* The running core waits until sk__seat_wake; called with the lock held, returns without it. */
void sk__seat_block(sk__seat *seat, sk__wait_kind kind, uint32_t id);
/* A chance to switch at a synchronising instruction (random schedules, hard builds). */
void sk__chance(sk__core *core);
/* Lets others run, in front of or behind polling cores. */
void sk__give_way(sk__core *core, bool polling);

/* ---- machine.c, stand.c -------------------------------------------------------------------- */

/* Cores of each type that one block takes. */
void sk__shares_of(sk_kernel_type type, uint32_t share[2]);
/* The first core of each lane a launch with these shares could have now, by machine-wide index; returns their number. */
uint32_t sk__lane_places(const sk__machine *machine, const uint32_t share[2], uint8_t places[SK__MAX_CORES]);
/* Can the launch be made now? */
SK_MUST_USE sk_status sk__launch_check(const sk__machine *machine, const sk__launch *launch);
void sk__run_begin(sk__machine *machine, sk__launch *launch, sk__snapshot *before, sk__snapshot *after, bool may_stand);
void sk__run_end(sk__machine *machine, sk__run_stats *stats);

/* ---- workers.c ----------------------------------------------------------------------------- */

SK_MUST_USE sk_status sk__workers_make(sk__machine *machine);
void sk__workers_drop(sk__machine *machine);
/* How many host threads may run the launch without that its findings depend on it. */
uint32_t sk__workers_allowed(const sk__machine *machine, const sk__launch *launch);
/* Runs the launch on the caller's thread and, if worth it, on helpers; returns when all have left it. */
void sk__workers_run(sk__machine *machine);
/* The launch is over: with or without findings. */
void sk__workers_remember(sk__machine *machine, const sk__launch *launch, bool silent);
/* A shard nobody has started: taken by this worker, or NULL. Lock held. */
sk__shard *sk__workers_claim(sk__worker *worker);
/* The launch has turned out long: wakes helpers if shards are left for them. Lock held. */
void sk__workers_call(sk__machine *machine);

/* ---- events.c ------------------------------------------------------------------------------ */

/* Reports event flags that are not as they were when the kernel or sub-kernel began. */
void sk__events_judge(sk__core *core);

/* ---- cross.c, sync_all.c ------------------------------------------------------------------- */

void sk__flags_end(sk__machine *machine); /* forgets what is outstanding: the next launch starts from zero */
void sk__flag_set_raw(sk__core *core, sk__pipe pipe, uint32_t mode, uint32_t id);
void sk__flag_wait_raw(sk__core *core, uint32_t id);
uint32_t sk__flag_group_size(const sk__core *core, uint32_t mode);
/* The group a set of this mode belongs to; NULL for AIC sets of mode 2, which need nobody else. */
sk__flag_group *sk__flag_group_of(sk__core *core, uint32_t mode, uint32_t id);
static inline void sk__flags_answered(sk__core *core) {
  memset(&core->flags->unanswered, 0, sizeof core->flags->unanswered);
}
/* A plain operation on a barrier's id: cores waiting in the shortcut fall back to flags. Lock held. */
void sk__sync_give_up(sk__machine *machine, uint32_t id);
void sk__sync_end(sk__machine *machine); /* the launch is over */

/* ---- ledger.c, deadlock.c ------------------------------------------------------------------ */

/* True for the first of its kind in the running sub-kernel. */
bool sk__ledger_note(sk__core *core, sk__act act, uint32_t id);
void sk__ledger_begin(sk__machine *machine);
void sk__ledger_judge(sk__machine *machine); /* H2, H7 and barrier counts over the whole launch */
void sk__ledger_free(sk__ledger *ledger);
void sk__deadlock_report(sk__machine *machine);

/* ---- division.c ---------------------------------------------------------------------------- */

/* Carries out the division that raised a signal, as if it were one by a number; false if it is none of a kernel. */
bool sk__division_skip(sk__core *core, void *context, const void *site);
/* The first of a block; when the block ends. */
void sk__division_report(sk__core *core);

/* ---- faults.c ------------------------------------------------------------------------------ */

void sk__faults_install(void);
void sk__faults_remove(void);
/* This thread is about to run fibers / has left them. */
void sk__faults_enter(sk__worker *worker);
void sk__faults_leave(sk__worker *worker);
/* Reports what the signal handler noted; on the scheduler's stack. */
void sk__fault_report(sk__worker *worker, sk__core *core);

#endif
