/* alloc.c - the allocator of device memory: red zones on both sides of what the user gets, and a quarantine for
 * what was freed. Records, free lists and the index are in blocks.c, questions in alloc_find.c.
 *
 * A block is | 512 bytes lead | usable bytes | tail |. The tail is as long as the allocation itself
 * within 4 KiB .. 1 MiB: address space is cheap, and an index that runs to twice its range still lands in
 * it instead of in a neighbour. The 256 bytes next to the usable ones hold a pattern: a store that no
 * hook saw (inline assembler, foreign code) is found when the block is freed. */
#include <string.h>
#include <sys/mman.h>

#include "base/text.h"
#include "machine/blocks.h"

enum { RED_ZONE_BYTES = 256, RED_ZONE_FILL = 0xfd };
static const uint64_t lead_bytes = SK__PIECE_BYTES;
static const uint64_t tail_least_bytes = 4096, tail_most_bytes = UINT64_C(1) << 20;
/* Fresh memory is filled only where that is cheap; above, uninitialised reads are found by their stamps. */
static const uint64_t fill_most_bytes = UINT64_C(4) << 20;
static const uint64_t quarantine_most_bytes = UINT64_C(256) << 20;
/* Free memory that the host keeps backed for reuse; what is freed beyond goes back and reads as zero. */
static const uint64_t resident_most_bytes = UINT64_C(1) << 30;

/* ---- quarantine ----------------------------------------------------------------------------- */

/* A neighbour is swallowed by `block`. */
static void absorb(sk__memory *memory, sk__block *block, sk__block *neighbour) {
  sk__bin_remove(memory, neighbour);
  if (neighbour == block->before) {
    block->base = neighbour->base;
    block->before = neighbour->before;
    if (block->before != NULL) block->before->after = block;
    else memory->first = block;
  } else {
    block->after = neighbour->after;
    if (block->after != NULL) block->after->before = block;
  }
  block->bytes += neighbour->bytes;
  block->resident |= neighbour->resident;
  sk__block_give(memory, neighbour);
}

static void release_oldest(sk__memory *memory) {
  sk__block *block = memory->quarantine_first;
  memory->quarantine_first = block->next;
  if (block->next == NULL) memory->quarantine_last = NULL;
  memory->quarantine_bytes -= block->bytes;
  sk__index_remove(memory, block);
  block->resident = true;
  if (memory->free_resident_bytes + block->bytes > resident_most_bytes) {
    uint64_t from = (block->base + SK__PAGE_BYTES - 1) & ~(SK__PAGE_BYTES - 1);
    uint64_t to = (block->base + block->bytes) & ~(SK__PAGE_BYTES - 1);
    if (to > from && madvise((void *)from, to - from, MADV_DONTNEED) == 0) block->resident = false;
  }
  if (block->before != NULL && block->before->state == SK__BLOCK_FREE) absorb(memory, block, block->before);
  if (block->after != NULL && block->after->state == SK__BLOCK_FREE) absorb(memory, block, block->after);
  sk__bin_insert(memory, block);
}

/* ---- create, take ---------------------------------------------------------------------------- */

sk_status sk__alloc_create(sk__memory *memory) {
  sk__block *all = sk__block_take(memory);
  if (all == NULL) return SK_OUT_OF_MEMORY;
  all->base = SK__GM_BASE;
  all->bytes = memory->gm_end - SK__GM_BASE;
  memory->first = all;
  sk__bin_insert(memory, all);
  return SK_OK;
}

static uint64_t round_up(uint64_t value, uint64_t unit) { return (value + unit - 1) & ~(unit - 1); }

static uint64_t block_bytes_for(uint64_t usable) {
  uint64_t tail = usable < tail_least_bytes ? tail_least_bytes : usable;
  if (tail > tail_most_bytes) tail = tail_most_bytes;
  return lead_bytes + round_up(usable + tail, SK__PIECE_BYTES);
}

/* Cuts `bytes` off the low end of a free block. `rest` is an unused record, given back if not needed. */
static void split(sk__memory *memory, sk__block *block, uint64_t bytes, sk__block *rest) {
  sk__bin_remove(memory, block);
  if (block->bytes == bytes) {
    sk__block_give(memory, rest);
    return;
  }
  rest->base = block->base + bytes;
  rest->bytes = block->bytes - bytes;
  rest->resident = block->resident;
  rest->before = block;
  rest->after = block->after;
  if (rest->after != NULL) rest->after->before = rest;
  block->after = rest;
  block->bytes = bytes;
  sk__bin_insert(memory, rest);
}

/* The history of a fresh allocation: nothing was written yet, also for the log. */
static void forget_history(sk__memory *memory, const sk__block *block) {
  uint64_t first = (block->start - SK__GM_BASE) >> SK__PIECE_SHIFT;
  uint64_t end = first + (round_up(block->usable, SK__PIECE_BYTES) >> SK__PIECE_SHIFT);
  uint64_t forgotten = 0;
  for (uint64_t piece = first; piece < end;) {
    uint64_t page = piece >> 3, in_page = end - piece < 8 - (piece & 7) ? end - piece : 8 - (piece & 7);
    uint8_t mask = (uint8_t)(((1u << in_page) - 1) << (piece & 7));
    uint8_t old = atomic_load_explicit(&memory->written[page], memory_order_relaxed);
    if ((old & mask) != 0) {
      atomic_fetch_and_explicit(&memory->written[page], (uint8_t)~mask, memory_order_relaxed);
      forgotten += (uint64_t)__builtin_popcount(old & mask);
    }
    /* Memory that changed hands inside a transaction is rolled back to "uninitialised". */
    if (memory->in_transaction) {
      uint8_t saved = atomic_load_explicit(&memory->saved[page], memory_order_relaxed) & mask;
      if (saved != 0) atomic_fetch_or_explicit(&memory->fresh[page], saved, memory_order_relaxed);
    }
    piece += in_page;
  }
  atomic_fetch_sub_explicit(&memory->written_pieces, forgotten, memory_order_relaxed);
}

static sk_status allocate(sk__memory *memory, uint64_t bytes, const char *label, sk__block **out) {
  uint64_t usable = round_up(bytes, 32), block_bytes = block_bytes_for(usable);
  sk_status status = sk__index_reserve(memory);
  if (status != SK_OK) return status;
  sk__block *rest = sk__block_take(memory);
  if (rest == NULL) return SK_OUT_OF_MEMORY;
  sk__block *block = sk__bin_find(memory, block_bytes);
  while (block == NULL && memory->quarantine_first != NULL) {
    release_oldest(memory);
    block = sk__bin_find(memory, block_bytes);
  }
  if (block == NULL) {
    sk__block_give(memory, rest);
    return SK_OUT_OF_DEVICE_MEMORY;
  }
  split(memory, block, block_bytes, rest);
  block->state = SK__BLOCK_LIVE;
  block->start = block->base + lead_bytes;
  block->size = bytes;
  block->usable = usable;
  block->serial = ++memory->next_serial;
  block->element_bytes = 0;
  block->output = block->argument = false;
  sk__text_copy(block->label, sizeof block->label, label == NULL ? "" : label);
  sk__index_insert(memory, block);
  memory->live_bytes += usable;
  if (memory->live_bytes > memory->peak_bytes) memory->peak_bytes = memory->live_bytes;
  forget_history(memory, block);
  *out = block;
  return SK_OK;
}

/* ---- red zones -------------------------------------------------------------------------------- */

static void red_zones_fill(const sk__block *block) {
  memset((void *)(block->start - RED_ZONE_BYTES), RED_ZONE_FILL, RED_ZONE_BYTES);
  memset((void *)(block->start + block->usable), RED_ZONE_FILL, RED_ZONE_BYTES);
}

/* Lowest and highest changed byte of one zone; false if it is whole. */
static bool red_zone_changed(uint64_t zone, uint64_t *low, uint64_t *bytes) {
  const uint8_t *at = (const uint8_t *)zone;
  uint32_t first = 0, end = RED_ZONE_BYTES;
  while (first < end && at[first] == RED_ZONE_FILL) first++;
  while (end > first && at[end - 1] == RED_ZONE_FILL) end--;
  *low = zone + first;
  *bytes = end - first;
  return end != first;
}

static void red_zones_judge(sk__memory *memory, const sk__block *block) {
  const uint64_t zones[2] = {block->start - RED_ZONE_BYTES, block->start + block->usable};
  for (uint32_t i = 0; i < 2; i++) {
    uint64_t low, bytes;
    if (red_zone_changed(zones[i], &low, &bytes))
      sk__memory_report_red_zone(memory, low, bytes, i != 0, block->label, block->serial, block->size);
  }
}

/* ---- allocate, free ---------------------------------------------------------------------------- */

sk_status sk__gm_alloc(sk__machine *machine, uint64_t bytes, const char *label, void **out) {
  sk__memory *memory = &machine->memory;
  *out = NULL;
  if (bytes == 0) return SK_INVALID_ARGUMENT;
  if (bytes > memory->gm_end - SK__GM_BASE) return SK_OUT_OF_DEVICE_MEMORY;
  pthread_mutex_lock(&memory->lock);
  sk__block *block = NULL;
  sk_status status = allocate(memory, bytes, label, &block);
  if (status == SK_OK) {
    uint64_t start = block->start, usable = block->usable;
    red_zones_fill(block);
    /* Never touched memory reads as zero already. */
    if (usable <= fill_most_bytes && (memory->fill != 0 || block->resident))
      memset((void *)start, memory->fill, usable);
    sk__shadow_gm_reset(memory->checker, start, round_up(usable, SK__PIECE_BYTES));
    sk__fresh_defined(memory, start, usable);
    *out = (void *)start;
  }
  pthread_mutex_unlock(&memory->lock);
  return status;
}

sk_status sk__gm_free(sk__machine *machine, void *address) {
  sk__memory *memory = &machine->memory;
  pthread_mutex_lock(&memory->lock);
  sk__block *block = sk__index_find(memory, (uint64_t)address);
  sk_status status = SK_NOT_FOUND;
  if (block != NULL && block->state == SK__BLOCK_LIVE && block->start == (uint64_t)address) {
    status = SK_OK;
    red_zones_judge(memory, block);
    memory->live_bytes -= block->usable;
    atomic_fetch_add(&memory->generation, 1);
    block->state = SK__BLOCK_QUARANTINED;
    block->next = NULL;
    if (memory->quarantine_last != NULL) memory->quarantine_last->next = block;
    else memory->quarantine_first = block;
    memory->quarantine_last = block;
    memory->quarantine_bytes += block->bytes;
    while (memory->quarantine_bytes > quarantine_most_bytes) release_oldest(memory);
  }
  pthread_mutex_unlock(&memory->lock);
  return status;
}
