/* dcache.h - the cores' scalar data caches, modelled with values. Private to the machine floor.
 *
 * Two numbers exist for a byte of device memory: what memory (GM) holds and what a core's cache holds.
 * Host memory at the byte's address *shows* one of them: a line's `view` is GM or the core whose copy
 * lies there. Before a scalar access of a core its copy is shown, so a compiled load or store needs no
 * further help; movers read and write GM whatever is shown. A line on which all copies agree with GM -
 * almost every line - is shown to everybody at once.
 *
 * Staleness is pushed: who changes GM marks the copies of others. So a hit is a tag compare.
 *
 * With several host threads a view cannot be kept while another thread runs: then memory shows the
 * newest bytes of everybody, movers still get GM's bytes, and staleness is only reported.
 *
 * Rules where the hardware is not documented: write-allocate, first-in-first-out replacement, and a
 * write-back writes all 64 bytes of a dirty line. */
#ifndef SK_MACHINE_DCACHE_H
#define SK_MACHINE_DCACHE_H

#include "machine/memory.h"

#if SK__HARD
enum { SK__DCACHE_WAYS = 2, SK__DCACHE_MAX_SETS = 1 };
#else
enum { SK__DCACHE_WAYS = 4, SK__DCACHE_MAX_SETS = 128 };
#endif
enum { SK__DCACHE_MAX_LINES = SK__DCACHE_WAYS * SK__DCACHE_MAX_SETS, SK__NEAR_EXTENTS = 4 };
/* Lines hit last. Few of local memory: their records stand here, and a block's end clears them. */
enum { SK__RECENT = 64, SK__RECENT_LOCAL = 64 };

/* Who did something: enough to make an end of a finding and to ask whether it is ordered. */
typedef struct sk__note {
  const void *site;
  const char *instr, *kernel;
  uint64_t clock;
  uint32_t launch, task, block;
  uint8_t core, pipe, sub_block;
} sk__note;

/* What this core did to a 64-byte line, of device or local memory, as long as `epoch` holds (scalar.c).
 * A loop over a line is handed to the shadow once, not once per element: bytes are `late` until then. */
typedef struct sk__seen {
  uint64_t fast;        /* the line's address while a plain access needs no look; else 0 */
  uint64_t epoch;
  uint64_t read, write; /* a bit per byte: recorded or late */
  uint64_t valid;       /* bytes inside the memory or allocation */
  uint64_t late_read, late_write;
  const void *read_site, *write_site; /* only accesses from one place are collected */
  uint64_t line;        /* of the late bytes */
  struct sk__seen *next_late;
} sk__seen;

typedef struct sk__line {
  sk__seen seen;
  uint64_t tag;         /* address, 0 = empty */
  uint64_t dirty;       /* bytes stored and not written back */
  uint64_t stale;       /* bytes GM holds a newer value of */
  uint64_t superseded;  /* dirty bytes that somebody wrote later, in order */
  sk__line_entry *entry;
  bool left_behind;     /* a dcci of the line before stopped short of this one */
  bool left_over;       /* an earlier launch loaded it (left.c) */
  sk__note store;       /* the last one */
  _Alignas(16) uint8_t bytes[SK__LINE_BYTES]; /* this core's copy while it differs from GM and is not shown */
} sk__line;

struct sk__dcache {
  sk__seen *recent[SK__RECENT]; /* lines of device memory hit last, by sk__recent_slot; never NULL */
  sk__seen local[SK__RECENT_LOCAL]; /* lines of local memory, likewise */
  bool recent_used;     /* some of the two above is not cleared */
  uint64_t fresh_line;  /* the line that the core cleaned on its own last; 0 none */
  uint64_t fresh_until; /* instruction count up to which a load of it is a look at a signal */
  sk__seen *late;       /* those with late bytes */
  uint32_t sets;
  uint32_t ub_bytes;    /* what scalar code can reach of the local memories */
  /* allocations used last */
  sk__extent near[SK__NEAR_EXTENTS];
  uint32_t near_generation, near_next;
  sk__memory *memory;
  sk__core *core;
  uint64_t occupied[(SK__DCACHE_MAX_LINES + 63) / 64];
  uint32_t polls;
  uint8_t next_way[SK__DCACHE_MAX_SETS];
  sk__seen none;
  sk__line lines[SK__DCACHE_MAX_LINES];
};

SK_MUST_USE sk_status sk__directory_create(sk__memory *memory);
void sk__directory_destroy(sk__memory *memory);
/* The core's cache in this room, which is zero: empty; core->index and core->type are set. */
void sk__dcache_create(sk__memory *memory, sk__core *core, sk__dcache *room);
void sk__dcache_destroy(sk__core *core);

/* The core has polled in vain once more: now and then, the caches of blocks that ended are flushed. On the
 * chip that happens when the block ends; here it waits (sk__core_end_block), but not for ever. */
void sk__dcache_polled(sk__core *core);
/* The core's cache holds these bytes of a line, of which `mask` were rewritten by the host since. */
void sk__dcache_put_stale(sk__core *core, uint64_t line, const uint8_t bytes[SK__LINE_BYTES], uint64_t mask);
/* Steps through the lines of a core's cache that hold what memory would give. *at begins at 0. */
bool sk__dcache_next_even(const sk__core *core, uint32_t *at, uint64_t *line);
/* All copies vanish, nothing is written back; memory shows GM. For rolling back. */
void sk__dcache_forget_all(sk__memory *memory);

/* The part [address, address + bytes) of one line is loaded or stored by scalar code: fills, tells what
 * is stale, shows this core's copy. Bounds are checked, the log is open, core->site says where. */
sk__line *sk__dcache_access(sk__core *core, uint64_t address, uint64_t bytes, bool is_write);

/* Does any core hold a line of these pages? */
static inline bool sk__dcache_near(const sk__memory *memory, uint64_t address, uint64_t bytes) {
  uint64_t page = (address - SK__GM_BASE) >> SK__PAGE_SHIFT, last = (address + bytes - 1 - SK__GM_BASE) >> SK__PAGE_SHIFT;
  uint32_t any = 0;
  for (; page <= last; page++) any |= memory->page_entry[page];
  return any != 0;
}
/* A mover has read memory into `to`: puts GM's bytes where something else was shown. */
void sk__dcache_mover_read(sk__core *core, sk__pipe pipe, void *to, uint64_t from, uint64_t bytes);
/* A mover is about to write memory: GM is shown there, copies become stale. */
void sk__dcache_mover_write(sk__core *core, sk__pipe pipe, uint64_t to, uint64_t bytes);
/* The same for host copies, which come between tasks. */
void sk__dcache_host_read(sk__memory *memory, void *to, uint64_t from, uint64_t bytes);
void sk__dcache_host_write(sk__memory *memory, uint64_t to, uint64_t bytes);

/* Bounds: the live allocation that holds the whole range; NULL if none does. */
const sk__extent *sk__extent_look_up(sk__dcache *cache, uint64_t address, uint64_t bytes);
static inline const sk__extent *sk__extent_of(sk__dcache *cache, uint64_t address, uint64_t bytes) {
  uint32_t generation = atomic_load_explicit(&cache->memory->generation, memory_order_relaxed);
  if (__builtin_expect(cache->near_generation == generation, 1))
    for (uint32_t i = 0; i < SK__NEAR_EXTENTS; i++) {
      const sk__extent *near = &cache->near[i];
      if (address >= near->start && address < near->end && bytes <= near->end - address) return near;
    }
  return sk__extent_look_up(cache, address, bytes);
}

/* Arrays often start a power of two apart: mix higher bits in. */
static inline uint32_t sk__recent_slot(uint64_t address) {
  return (uint32_t)(address >> 6 ^ address >> 12 ^ address >> 17) % SK__RECENT;
}
static inline sk__seen *sk__local_seen(sk__dcache *cache, uint64_t address) {
  return &cache->local[(address >> 6 ^ address >> 10 ^ address >> 13) % SK__RECENT_LOCAL];
}
/* Hands late accesses to the shadow. Before anything that ends the line's stay or the sub-kernel. */
static inline void sk__scalar_settle(sk__core *core) { sk__order_settle(&core->order); }

/* Scalar accesses to these bytes of a line, for the shadow. */
void sk__scalar_record(sk__core *core, sk__access kind, uint64_t line, uint64_t bits, const void *site, const char *instr);

/* The bits of a line's bytes [address, address + bytes), which lie in that line. */
static inline uint64_t sk__line_mask(uint64_t address, uint64_t bytes) {
  return (bytes >= SK__LINE_BYTES ? ~UINT64_C(0) : (UINT64_C(1) << bytes) - 1) << (address & (SK__LINE_BYTES - 1));
}

#endif
