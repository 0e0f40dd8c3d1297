/* checker.h - private to floor 1: the checker object and what its parts share.
 *
 * Locks. `lock` guards findings, scopes, and new entries of the origin table: cold paths only.
 * `pool_lock` guards the pool. GM page records have a lock bit of their own (shadow_gm.c). Everything
 * else belongs to the thread that runs the core. */
#ifndef SK_CHECK_CHECKER_H
#define SK_CHECK_CHECKER_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/vec.h"
#include "check/check.h"
#include "check/pool.h"

#define SK__COLD __attribute__((cold, noinline))
#define SK__LIKELY(x) __builtin_expect(!!(x), 1)
#define SK__UNLIKELY(x) __builtin_expect(!!(x), 0)

/* A stamp: | 63 set | 62 atomic | 61..59 zero | 58..48 actor | 47..0 clock |. Bits 63 and 62 occur only
 * in the accessor word of GM cells. */
#define SK__STAMP_SHIFT 48
#define SK__STAMP_CLOCK ((UINT64_C(1) << SK__STAMP_SHIFT) - 1)
#define SK__STAMP_ATOMIC (UINT64_C(1) << 62)
#define SK__STAMP_SET (UINT64_C(1) << 63)
#define SK__STAMP_ACTOR_MASK UINT64_C(0x7ff)
/* What the host writes carries this stamp; every snapshot dominates it. */
#define SK__STAMP_HOST (((uint64_t)SK__HOST_CORE * SK__PIPE_SLOTS) << SK__STAMP_SHIFT | 1)

static inline uint32_t sk__stamp_actor(uint64_t stamp) {
  return (uint32_t)(stamp >> SK__STAMP_SHIFT & SK__STAMP_ACTOR_MASK);
}
static inline uint64_t sk__stamp_clock(uint64_t stamp) { return stamp & SK__STAMP_CLOCK; }

typedef struct sk__cores { uint64_t word[SK__MAX_CORES / 64]; } sk__cores;

/* gaps.c: stretches below a vector's clocks that it does not know; NULL = none. Shared, and never changed. */
typedef struct sk__gaps sk__gaps;
sk__gaps *sk__gaps_ref(sk__gaps *gaps);
void sk__gaps_unref(sk__gaps *gaps);
bool sk__gaps_hold(const sk__gaps *gaps, uint32_t actor, uint64_t clock);
uint64_t sk__gaps_first(const sk__gaps *gaps, uint32_t actor); /* the lowest clock in one; UINT64_MAX: there is none */
/* Of two vectors, each with its gaps, when they become one. */
sk__gaps *sk__gaps_joined(sk__gaps *a, const uint64_t *a_clocks, sk__gaps *b, const uint64_t *b_clocks, uint32_t actors);
/* Of a vector that is about to learn what a launch does on some of the cores [first, end): all it does not know of what these
 * have done so far. */
sk__gaps *sk__gaps_until(sk__gaps *gaps, const uint64_t *clocks, const uint64_t *core_clocks, uint32_t actors, uint32_t first, uint32_t end);

struct sk__snapshot {
  _Atomic uint32_t references;
  uint32_t actors;     /* entries in use: cores of the chip and the copy engine; the host's entries are always the maximum */
  uint64_t serial;     /* of this content; unique in the process, changes when it is joined into */
  uint64_t contains;   /* serial of a snapshot known to be contained, 0 = none */
  struct sk__snapshot *parent; /* that snapshot, if this is a message made from it; never more than one deep */
  sk__cores beyond;    /* cores whose entries may go beyond that snapshot's */
  sk__gaps *gaps;
  _Alignas(64) uint64_t clock[SK__MAX_ACTORS]; /* a cache line per core */
};

/* Origin: which call site issued an access. The index fits 16 bits, so that records carry it. */
#define SK__ORIGINS (1u << 16)
typedef struct sk__call {
  _Atomic(const void *) site;
  const char *instr;
} sk__call;

/* What a core was doing from a clock on. A ring per core: the last ones only. */
#define SK__SCOPES 2048
typedef struct sk__scope {
  uint64_t begin_clock;
  int32_t launch, task, block, sub_block;
  char kernel[64];
} sk__scope;
typedef struct sk__scopes {
  uint64_t count; /* ever opened; the last SK__SCOPES are there */
  sk__scope ring[SK__SCOPES];
} sk__scopes;

/* Pairs of call sites already told of as SAME_PIPE, per core: a loop meets one pair very often. */
#define SK__TOLD_SHIFT 7
#define SK__TOLD (1u << SK__TOLD_SHIFT)
typedef struct sk__told {
  uint64_t scope;   /* begin_clock of the launch or sub-kernel */
  uint32_t calls;   /* both origins */
} sk__told;

/* Cross-core sets of a core, the last ones: what each covers of its own pipe, and where it stands in the order of
 * issue. Written by the core's thread; readers on other threads may miss the newest. */
#define SK__SETS 64
typedef struct sk__set_note { _Atomic uint64_t clock, issue; _Atomic uint32_t pipe; } sk__set_note;
typedef struct sk__sets {
  _Atomic uint64_t count;
  sk__set_note ring[SK__SETS];
} sk__sets;

/* Call sites that add floats to device memory atomically. */
#define SK__SUMS 64
typedef struct sk__sum { const void *site; const char *instr; sk__sum_kind kind; uint64_t adds; float largest; } sk__sum;

struct sk__findings_store; /* findings.c */

struct sk__checker {
  const sk__soc *soc;
  uint32_t actors;            /* of the chip's cores and the copy engine */
  bool same_pipe, threaded, unread;
  bool has_gaps;              /* some snapshot had */
  const sk__rehearsal *rehearsal; /* NULL: what runs now stays */
  sk__describe_fn describe;
  sk__fresh_fn fresh;
  void *fresh_context;
  bool has_fresh;             /* first_fresh is the first read of what nobody wrote */
  sk__end first_fresh;
  uint64_t clock[SK__MAX_CORES + 1]; /* latest clock of any pipe of the core */
  _Atomic bool lost;          /* memory ran out: nothing is judged any more */
  sk__snapshot *nothing;      /* only the host's entries */

  pthread_mutex_t lock;
  struct sk__findings_store *findings;
  sk__call *origins;        /* SK__ORIGINS, open addressing, entry 0 = unknown */
  uint32_t origin_count;
  sk__scopes *scopes;         /* per core */
  sk__told *told;             /* [core][SK__TOLD]; belongs to the thread that runs the core */
  sk__sets *sets;             /* per core */
  sk__watch *watches;         /* [core][SK__WATCHES]; belongs to the thread that runs the core */
  sk__sum sums[SK__SUMS];
  uint32_t sum_count;

  pthread_mutex_t pool_lock;
  sk__pool pool;
  struct sk__gm_page *gm;     /* one record per 4 KiB of GM */
  struct sk__local_page *local_pages;   /* one record per 4 KiB of local memory */
  struct sk__local_chunk *local_chunks; /* one per 256 bytes */
  struct sk__local_second *local_seconds; /* likewise: the other cell of those that have two */
};

/* findings.c */
struct sk__findings_store *sk__findings_new(void);
void sk__findings_delete(struct sk__findings_store *store);

/* Memory ran out. An order that was lost would look like a conflict, so from here on conflicts and
 * uninitialised reads are not judged, and one finding says so. */
SK__COLD void sk__history_lost(sk__checker *checker);
/* Memory of shadow tables, from the pool. NULL: the caller forgets the bytes it was meant for, and history
 * is lost. */
void *sk__shadow_alloc(sk__checker *checker, size_t bytes);
void sk__shadow_free(sk__checker *checker, void *block, size_t bytes);

/* An access, to be told of if it falls into a watched range. */
SK__COLD void sk__watch_judge(sk__checker *checker, const sk__order *order, sk__pipe pipe, sk__access kind, uint64_t address,
                              uint64_t bytes, const void *site, const char *instr);

/* origin.c: index of (site, instr), 0 when the table is full. */
uint16_t sk__call_insert(sk__checker *checker, const void *site, const char *instr);
static inline uint32_t sk__call_hash(const void *site, const char *instr) {
  uint64_t h = ((uint64_t)site ^ (uint64_t)instr << 20) * UINT64_C(0x9e3779b97f4a7c15);
  return (uint32_t)(h >> 48);
}
static inline uint16_t sk__call_of(sk__checker *checker, const void *site, const char *instr) {
  uint32_t i = sk__call_hash(site, instr);
  const sk__call *origin = &checker->origins[i];
  if (SK__LIKELY(i != 0 && atomic_load_explicit(&origin->site, memory_order_acquire) == site &&
                 origin->instr == instr))
    return (uint16_t)i;
  return sk__call_insert(checker, site, instr);
}
/* Notes launch, task and kernel of what runs on this core now. */
void sk__scope_open(sk__checker *checker, sk__order *order);
/* Fills an end from what a stamp and an origin tell. */
void sk__end_from_stamp(sk__checker *checker, uint64_t stamp, uint16_t origin, sk__end *end);

#endif
