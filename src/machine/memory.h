/* memory.h - device memory: the reserved window, the red-zoned allocator, the bitmaps of the transaction
 * log, and the directory of cached lines. Private to the machine floor.
 *
 * Units. A *piece* is 512 bytes, a *page* 4 KiB; each page has one byte in every bitmap, one bit per
 * piece. Allocations start on a piece and no piece belongs to two of them, so "never written" and
 * "saved" are exact per allocation.
 *
 * Threads. Allocating and freeing take `lock`. Bitmaps are claimed with atomic OR. The directory of
 * cached lines is guarded by `directory_lock` only when more than one host thread runs cores. */
#ifndef SK_MACHINE_MEMORY_H
#define SK_MACHINE_MEMORY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "machine/machine.h"

#define SK__PIECE_SHIFT 9
#define SK__PIECE_BYTES (UINT64_C(1) << SK__PIECE_SHIFT)
#define SK__PAGE_SHIFT 12
#define SK__PAGE_BYTES (UINT64_C(1) << SK__PAGE_SHIFT)
#define SK__REGION_SHIFT 20 /* the log's summary: one bit per MiB */
#define SK__LINE_BYTES UINT64_C(64)

typedef struct sk__block sk__block;           /* a run of device memory: free, live or quarantined */
typedef struct sk__line_entry sk__line_entry; /* a 64-byte line some data cache holds */
typedef struct sk__page_entry sk__page_entry; /* a page some of whose lines are cached */

enum { SK__BIN_ROWS = 32, SK__BIN_COLUMNS = 16 };

/* The usable bytes of a live allocation, or any other stretch. */
typedef struct sk__extent { uint64_t start, end; } sk__extent;

typedef struct sk__filled { uint64_t start, bytes; uint8_t *before; } sk__filled;

/* Results that came out otherwise when memory nobody had written held other bytes. */
typedef struct sk__undefined_bytes { uint64_t start, end; size_t reader; } sk__undefined_bytes;

typedef struct sk__memory {
  const sk__soc *soc;
  sk__checker *checker;
  uint64_t gm_end;              /* first address behind the mapped device memory, 0 = not mapped */
  uint8_t fill;                 /* pattern of fresh memory */
  sk__fresh found;              /* what a run finds in memory that nobody has written (fresh.c) */
  SK__VEC(sk__filled) filled;   /* device memory that holds found.pattern, with what was there; the latest last */
  uint64_t filled_bytes;
  SK__VEC(sk__undefined_bytes) undefined;
  SK__VEC(sk__end) undefined_readers;
  bool threaded;                /* several host threads run cores: report only, no stale values */

  pthread_mutex_t atomic_lock;  /* DMA atomics, only with several host threads */

  /* copy loops for this host (copy.h) */
  void (*copy)(void *to, const void *from, size_t bytes);
  void (*copy_stream)(void *to, const void *from, size_t bytes);

  /* allocator (alloc.c); `lock` guards all of it */
  pthread_mutex_t lock;
  sk__block *first;             /* every block, by address */
  sk__block *bins[SK__BIN_ROWS][SK__BIN_COLUMNS];
  uint32_t row_bits, column_bits[SK__BIN_ROWS];
  uint64_t *bases;              /* live and quarantined blocks by address: first byte ... */
  sk__block **blocks;           /* ... and the block */
  size_t block_count, block_capacity;
  sk__block *spare_blocks;      /* unused records */
  void *block_chunks;
  sk__block *quarantine_first, *quarantine_last;
  uint64_t quarantine_bytes, free_resident_bytes;
  uint64_t live_bytes, peak_bytes;
  uint32_t next_serial;
  _Atomic uint32_t generation;  /* counts frees: remembered extents of an older one are void */

  /* bitmaps over device memory, one byte per page, in one reserved mapping */
  void *bitmaps;
  size_t bitmaps_bytes;
  _Atomic uint8_t *written;     /* since the allocation was made */
  _Atomic uint8_t *claimed;     /* somebody is saving or has saved the pre-image */
  _Atomic uint8_t *saved;       /* pre-image is in the arena, or was not needed */
  _Atomic uint8_t *fresh;       /* was never written before the transaction: no pre-image */
  _Atomic uint8_t *gate;        /* what a write must find set to go on at once: saved or written */
  _Atomic uint64_t written_pieces;

  /* transaction log (log.c) */
  bool in_transaction;
  uint8_t *arena;               /* pre-images, one piece per slot; reserved, warm from run to run */
  uint32_t *arena_piece;        /* slot -> number of the piece */
  _Atomic uint64_t arena_used;  /* slots */
  _Atomic uint64_t regions[SK__GM_BYTES >> SK__REGION_SHIFT >> 6]; /* MiB with a claimed piece */

  /* cached lines (dcache.c) */
  pthread_mutex_t directory_lock;
  void *directory;              /* one reserved mapping for the three tables */
  size_t directory_bytes;
  uint32_t *page_entry;         /* page -> its entry, 0 = no line of it is cached by any core */
  sk__page_entry *pages;
  sk__line_entry *lines;
  uint32_t spare_page, spare_line, used_pages, used_lines;
  sk__dcache *caches[SK__MAX_CORES];
} sk__memory;

/* What is behind the UB of this local slot may be touched from here on, for the guards between arrays. */
SK_MUST_USE bool sk__memory_open_behind_ub(const sk__soc *soc, uint64_t slot);
/* Maps the window for this profile. On failure `why` says in words what could not be had. */
SK_MUST_USE sk_status sk__memory_create(sk__memory *memory, const sk__soc *soc, sk__checker *checker, char *why,
                                        size_t why_bytes);
void sk__memory_destroy(sk__memory *memory);
/* Takes over fill pattern and thread count; not while cores run. */
void sk__memory_configure(sk__memory *memory, uint8_t fill, uint32_t threads);

/* ---- allocator (alloc.c, alloc_find.c) ------------------------------------------------------- */

SK_MUST_USE sk_status sk__alloc_create(sk__memory *memory);

/* The live allocation that holds the address; false if none. */
bool sk__memory_extent(sk__memory *memory, uint64_t address, sk__extent *out);
/* The first live allocation that ends behind the address; false if none. */
bool sk__memory_next_extent(sk__memory *memory, uint64_t address, sk__extent *out);
/* The freed, still quarantined allocation that holds the address; false if none. */
bool sk__memory_freed(sk__memory *memory, uint64_t address, char *label, size_t label_bytes, uint64_t *bytes);

/* ---- what nobody has written (fresh.c) ---------------------------------------------------------- */

/* From here on the checker's fresh reads are served. */
void sk__fresh_create(sk__memory *memory);
void sk__fresh_destroy(sk__memory *memory);
/* After a roll-back: what was filled is as before the transaction. */
void sk__fresh_forget(sk__memory *memory);
/* The host or a fresh allocation gives these bytes a value of their own. */
void sk__fresh_defined(sk__memory *memory, uint64_t start, uint64_t bytes);

/* ---- findings ------------------------------------------------------------------------------ */

/* Reports GM_OUT_OF_BOUNDS or GM_USE_AFTER_FREE for an access that no live allocation holds whole.
 * core NULL = the host. */
void sk__memory_report_bounds(sk__memory *memory, const sk__core *core, sk__pipe pipe, sk__access kind,
                              uint64_t address, uint64_t bytes, const void *site, const char *instr);
/* RED_ZONE: bytes beside an allocation were changed; takes no lock. */
void sk__memory_report_red_zone(sk__memory *memory, uint64_t address, uint64_t bytes, bool behind, const char *label,
                                uint32_t serial, uint64_t size);

#endif
