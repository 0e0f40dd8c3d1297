/* log.c - saving pre-images, committing, rolling back.
 *
 * Two host threads may write one piece at the same time. Who sets a bit in `claimed` saves the
 * pre-image and then sets it in `saved`; the other waits for that bit before it writes. */
#include "machine/log.h"

#include <string.h>
#include <sys/mman.h>

#include "machine/dcache.h"
#include "machine/internal.h"

/* What an arena keeps backed from one transaction to the next. */
static const uint64_t arena_warm_bytes = UINT64_C(1) << 30;
enum { ALL_PIECES = 0xff, PIECES_PER_PAGE = 8 };

sk_status sk__log_create(sk__memory *memory) {
  uint64_t gm_bytes = memory->gm_end - SK__GM_BASE, pages = gm_bytes >> SK__PAGE_SHIFT;
  memory->bitmaps_bytes = 4 * pages;
  memory->bitmaps = sk__reserve(memory->bitmaps_bytes);
  memory->arena = sk__reserve(gm_bytes);
  memory->arena_piece = sk__reserve((gm_bytes >> SK__PIECE_SHIFT) * sizeof *memory->arena_piece);
  if (memory->bitmaps == NULL || memory->arena == NULL || memory->arena_piece == NULL) return SK_OUT_OF_MEMORY;
  (void)madvise(memory->arena, gm_bytes, MADV_HUGEPAGE);
  memory->written = memory->bitmaps;
  memory->claimed = memory->written + pages;
  memory->saved = memory->claimed + pages;
  memory->fresh = memory->saved + pages;
  memory->gate = memory->written;
  return SK_OK;
}

void sk__log_destroy(sk__memory *memory) {
  uint64_t gm_bytes = memory->gm_end - SK__GM_BASE;
  sk__unreserve(memory->bitmaps, memory->bitmaps_bytes);
  sk__unreserve(memory->arena, gm_bytes);
  sk__unreserve(memory->arena_piece, (gm_bytes >> SK__PIECE_SHIFT) * sizeof *memory->arena_piece);
  memory->bitmaps = NULL;
  memory->arena = NULL;
  memory->arena_piece = NULL;
}

/* ---- claiming -------------------------------------------------------------------------------- */

static uint64_t piece_address(uint64_t piece) { return SK__GM_BASE + (piece << SK__PIECE_SHIFT); }

static void save_pieces(sk__memory *memory, uint64_t first, uint32_t count) {
  uint64_t slot = atomic_fetch_add_explicit(&memory->arena_used, count, memory_order_relaxed);
  for (uint32_t i = 0; i < count; i++) memory->arena_piece[slot + i] = (uint32_t)(first + i);
  memory->copy_stream(memory->arena + (slot << SK__PIECE_SHIFT), (const void *)piece_address(first),
                      (size_t)count << SK__PIECE_SHIFT);
}

static void note_region(sk__memory *memory, uint64_t page) {
  uint64_t region = page >> (SK__REGION_SHIFT - SK__PAGE_SHIFT), bit = UINT64_C(1) << (region & 63);
  _Atomic uint64_t *word = &memory->regions[region >> 6];
  if ((atomic_load_explicit(word, memory_order_relaxed) & bit) == 0) atomic_fetch_or_explicit(word, bit, memory_order_relaxed);
}

static void note_written(sk__memory *memory, uint64_t page, uint8_t mask) {
  uint8_t old = atomic_load_explicit(&memory->written[page], memory_order_relaxed);
  if ((old & mask) == mask) return;
  old = atomic_fetch_or_explicit(&memory->written[page], mask, memory_order_relaxed);
  atomic_fetch_add_explicit(&memory->written_pieces, (uint64_t)__builtin_popcount(mask & ~(uint32_t)old), memory_order_relaxed);
}

/* One page of a write inside a transaction; true if bytes were copied. */
static bool claim_page(sk__memory *memory, uint64_t page, uint8_t mask) {
  if ((atomic_load_explicit(&memory->saved[page], memory_order_acquire) & mask) == mask) return false;
  uint8_t mine = mask & (uint8_t)~atomic_fetch_or_explicit(&memory->claimed[page], mask, memory_order_acq_rel);
  uint8_t to_save = 0;
  if (mine != 0) {
    note_region(memory, page);
    uint8_t written = atomic_load_explicit(&memory->written[page], memory_order_relaxed);
    to_save = mine & written;
    uint8_t never = mine & (uint8_t)~written;
    if (never != 0) atomic_fetch_or_explicit(&memory->fresh[page], never, memory_order_relaxed);
    for (uint32_t rest = to_save; rest != 0;) {
      uint32_t first = (uint32_t)__builtin_ctz(rest), run = (uint32_t)__builtin_ctz(~(rest >> first));
      save_pieces(memory, page * PIECES_PER_PAGE + first, run);
      rest &= rest + (1u << first); /* the lowest run carries away */
    }
    note_written(memory, page, mine);
    atomic_fetch_or_explicit(&memory->saved[page], mine, memory_order_release);
  }
  while ((atomic_load_explicit(&memory->saved[page], memory_order_acquire) & mask) != mask) {}
  return to_save != 0;
}

bool sk__log_claim(sk__memory *memory, uint64_t address, uint64_t bytes) {
  bool copied = false;
  for (uint64_t at = address, end = address + bytes; at < end;) {
    uint64_t page = (at - SK__GM_BASE) >> SK__PAGE_SHIFT;
    uint64_t next = (at | (SK__PAGE_BYTES - 1)) + 1;
    if (next > end) next = end;
    uint8_t mask = next - at == SK__PAGE_BYTES ? ALL_PIECES : sk__piece_mask(at, next - at);
    if (memory->in_transaction) copied |= claim_page(memory, page, mask);
    else note_written(memory, page, mask);
    at = next;
  }
  return copied;
}

/* ---- begin, commit, roll back ---------------------------------------------------------------- */

sk_status sk__gm_begin(sk__machine *machine) {
  sk__memory *memory = &machine->memory;
  if (memory->in_transaction) return SK_STATE;
  memory->in_transaction = true;
  memory->gate = memory->saved;
  return SK_OK;
}

/* Calls fn(first page) for each touched MiB, in ascending order; false from fn stops. */
typedef bool (*region_fn)(sk__memory *memory, uint64_t first_page, void *context);
static void each_region(sk__memory *memory, region_fn fn, void *context) {
  uint64_t words = ((memory->gm_end - SK__GM_BASE) >> SK__REGION_SHIFT) / 64;
  for (uint64_t word = 0; word < words + 1 && word < sizeof memory->regions / sizeof memory->regions[0]; word++)
    for (uint64_t bits = atomic_load_explicit(&memory->regions[word], memory_order_relaxed); bits != 0; bits &= bits - 1) {
      uint64_t region = word * 64 + (uint64_t)__builtin_ctzll(bits);
      if (!fn(memory, region << (SK__REGION_SHIFT - SK__PAGE_SHIFT), context)) return;
    }
}

static bool clear_region(sk__memory *memory, uint64_t first_page, void *context) {
  (void)context;
  size_t pages = (size_t)1 << (SK__REGION_SHIFT - SK__PAGE_SHIFT);
  memset((void *)(memory->claimed + first_page), 0, pages);
  memset((void *)(memory->saved + first_page), 0, pages);
  memset((void *)(memory->fresh + first_page), 0, pages);
  return true;
}

static void close_transaction(sk__memory *memory) {
  each_region(memory, clear_region, NULL);
  memset((void *)memory->regions, 0, sizeof memory->regions);
  uint64_t used_bytes = atomic_load(&memory->arena_used) << SK__PIECE_SHIFT;
  if (used_bytes > arena_warm_bytes)
    (void)madvise(memory->arena + arena_warm_bytes, used_bytes - arena_warm_bytes, MADV_DONTNEED);
  atomic_store(&memory->arena_used, 0);
  memory->in_transaction = false;
  memory->gate = memory->written;
}

void sk__gm_commit(sk__machine *machine) {
  if (machine->memory.in_transaction) close_transaction(&machine->memory);
}

/* A run of pieces that were never written before the transaction: pattern again, history forgotten.
 * The pattern matters: with the other run's results left in place, a run that writes too little would
 * look complete. Bytes beside the allocation stay as they are. */
static void refresh(sk__memory *memory, uint64_t first_piece, uint64_t count) {
  uint64_t at = piece_address(first_piece), end = at + (count << SK__PIECE_SHIFT);
  sk__extent extent;
  while (at < end && sk__memory_next_extent(memory, at, &extent) && extent.start < end) {
    uint64_t from = at > extent.start ? at : extent.start, to = end < extent.end ? end : extent.end;
    memset((void *)from, memory->fill, to - from);
    sk__shadow_gm_reset(memory->checker, from, to - from);
    at = to;
  }
}

typedef struct piece_run { uint64_t first, count; } piece_run;

static bool refresh_region(sk__memory *memory, uint64_t first_page, void *context) {
  piece_run *run = context;
  for (uint64_t page = first_page; page < first_page + (1u << (SK__REGION_SHIFT - SK__PAGE_SHIFT)); page++) {
    uint32_t bits = atomic_load_explicit(&memory->fresh[page], memory_order_relaxed);
    if (bits == 0) continue;
    uint8_t written = atomic_fetch_and_explicit(&memory->written[page], (uint8_t)~bits, memory_order_relaxed);
    atomic_fetch_sub_explicit(&memory->written_pieces, (uint64_t)__builtin_popcount(written & bits), memory_order_relaxed);
    for (; bits != 0;) {
      uint32_t first = (uint32_t)__builtin_ctz(bits), length = (uint32_t)__builtin_ctz(~(bits >> first));
      uint64_t piece = page * PIECES_PER_PAGE + first;
      if (run->first + run->count != piece) {
        if (run->count != 0) refresh(memory, run->first, run->count);
        *run = (piece_run){piece, 0};
      }
      run->count += length;
      bits &= bits + (1u << first);
    }
  }
  return true;
}

void sk__gm_roll_back(sk__machine *machine) {
  sk__memory *memory = &machine->memory;
  if (!memory->in_transaction) return;
  sk__dcache_forget_all(memory);
  uint64_t used = atomic_load(&memory->arena_used);
  for (uint64_t slot = 0; slot < used;) {
    uint64_t end = slot + 1;
    while (end < used && memory->arena_piece[end] == memory->arena_piece[end - 1] + 1) end++;
    memory->copy_stream((void *)piece_address(memory->arena_piece[slot]), memory->arena + (slot << SK__PIECE_SHIFT),
                        (end - slot) << SK__PIECE_SHIFT);
    slot = end;
  }
  piece_run run = {0, 0};
  each_region(memory, refresh_region, &run);
  if (run.count != 0) refresh(memory, run.first, run.count);
  sk__fresh_forget(memory);
  close_transaction(memory);
}

/* ---- what was touched ------------------------------------------------------------------------ */

typedef struct touched_walk {
  sk__gm_range_fn fn;
  void *context;
  uint64_t first, count; /* pieces not handed out yet */
  bool stopped;
} touched_walk;

/* Hands out the part of the pending run that lies in live allocations, one range per allocation. */
static void touched_flush(sk__memory *memory, touched_walk *walk) {
  uint64_t at = piece_address(walk->first), end = at + (walk->count << SK__PIECE_SHIFT);
  sk__extent extent;
  while (!walk->stopped && at < end && sk__memory_next_extent(memory, at, &extent) && extent.start < end) {
    uint64_t from = at > extent.start ? at : extent.start, to = end < extent.end ? end : extent.end;
    walk->stopped = !walk->fn(walk->context, from, to - from);
    at = to;
  }
  walk->count = 0;
}

static bool touched_region(sk__memory *memory, uint64_t first_page, void *context) {
  touched_walk *walk = context;
  for (uint64_t page = first_page; page < first_page + (1u << (SK__REGION_SHIFT - SK__PAGE_SHIFT)) && !walk->stopped; page++) {
    for (uint32_t bits = atomic_load_explicit(&memory->saved[page], memory_order_relaxed); bits != 0;) {
      uint32_t first = (uint32_t)__builtin_ctz(bits), length = (uint32_t)__builtin_ctz(~(bits >> first));
      uint64_t piece = page * PIECES_PER_PAGE + first;
      if (walk->count != 0 && walk->first + walk->count != piece) touched_flush(memory, walk);
      if (walk->count == 0) walk->first = piece;
      walk->count += length;
      bits &= bits + (1u << first);
    }
  }
  return !walk->stopped;
}

void sk__gm_touched(sk__machine *machine, sk__gm_range_fn fn, void *context) {
  touched_walk walk = {.fn = fn, .context = context};
  each_region(&machine->memory, touched_region, &walk);
  if (walk.count != 0 && !walk.stopped) touched_flush(&machine->memory, &walk);
}
