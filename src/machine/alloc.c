/* alloc.c - the allocator of device memory: segregated free lists over blocks kept by address, red zones
 * on both sides of what the user gets, and a quarantine for what was freed.
 *
 * A block is | 512 bytes lead | usable bytes | tail |. The tail is as long as the allocation itself
 * within 4 KiB .. 1 MiB: address space is cheap, and an index that runs to twice its range still lands in
 * it instead of in a neighbour. The 256 bytes next to the usable ones hold a pattern: a store that no
 * hook saw (inline assembler, foreign code) is found when the block is freed. */
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "base/text.h"
#include "machine/internal.h"
#include "machine/memory.h"

enum { LABEL_BYTES = 96, CHUNK_BLOCKS = 256, RED_ZONE_BYTES = 256, RED_ZONE_FILL = 0xfd };
static const uint64_t lead_bytes = SK__PIECE_BYTES;
static const uint64_t tail_least_bytes = 4096, tail_most_bytes = UINT64_C(1) << 20;
/* Fresh memory is filled only where that is cheap; above, uninitialised reads are found by their stamps. */
static const uint64_t fill_most_bytes = UINT64_C(4) << 20;
static const uint64_t quarantine_most_bytes = UINT64_C(256) << 20;
/* Free memory that the host keeps backed for reuse; what is freed beyond goes back and reads as zero. */
static const uint64_t resident_most_bytes = UINT64_C(1) << 30;

typedef enum block_state { BLOCK_FREE, BLOCK_LIVE, BLOCK_QUARANTINED } block_state;

struct sk__block {
  uint64_t base, bytes;          /* the whole run, in pieces */
  sk__block *before, *after;     /* neighbours by address */
  sk__block *next, *previous;    /* free list or quarantine */
  block_state state;
  bool resident;                 /* free: the host may back it with memory */
  uint64_t start, size, usable;  /* what the user asked for and got */
  uint32_t serial;
  uint32_t element_bytes;
  bool output;
  char label[LABEL_BYTES];
};

typedef struct block_chunk {
  struct block_chunk *next;
  sk__block blocks[CHUNK_BLOCKS];
} block_chunk;

static sk__block *record_take(sk__memory *memory) {
  if (memory->spare_blocks == NULL) {
    block_chunk *chunk = sk__malloc(sizeof *chunk);
    if (chunk == NULL) return NULL;
    chunk->next = memory->block_chunks;
    memory->block_chunks = chunk;
    for (size_t i = 0; i < CHUNK_BLOCKS; i++) {
      chunk->blocks[i].next = memory->spare_blocks;
      memory->spare_blocks = &chunk->blocks[i];
    }
  }
  sk__block *block = memory->spare_blocks;
  memory->spare_blocks = block->next;
  *block = (sk__block){0};
  return block;
}

static void record_give(sk__memory *memory, sk__block *block) {
  block->next = memory->spare_blocks;
  memory->spare_blocks = block;
}

/* ---- free lists: rows double, sixteen columns to a row -------------------------------------- */

static void bin_of(uint64_t bytes, uint32_t *row, uint32_t *column) {
  uint64_t pieces = bytes >> SK__PIECE_SHIFT;
  if (pieces < SK__BIN_COLUMNS) {
    *row = 0;
    *column = (uint32_t)pieces;
  } else {
    uint32_t top = 63u - (uint32_t)__builtin_clzll(pieces);
    *row = top - 3;
    *column = (uint32_t)(pieces >> (top - 4)) & (SK__BIN_COLUMNS - 1);
  }
}

static void bin_insert(sk__memory *memory, sk__block *block) {
  uint32_t row, column;
  bin_of(block->bytes, &row, &column);
  block->state = BLOCK_FREE;
  block->previous = NULL;
  block->next = memory->bins[row][column];
  if (block->next != NULL) block->next->previous = block;
  memory->bins[row][column] = block;
  memory->row_bits |= 1u << row;
  memory->column_bits[row] |= 1u << column;
  if (block->resident) memory->free_resident_bytes += block->bytes;
}

static void bin_remove(sk__memory *memory, sk__block *block) {
  uint32_t row, column;
  bin_of(block->bytes, &row, &column);
  if (block->next != NULL) block->next->previous = block->previous;
  if (block->previous != NULL) block->previous->next = block->next;
  else memory->bins[row][column] = block->next;
  if (memory->bins[row][column] == NULL) {
    memory->column_bits[row] &= ~(1u << column);
    if (memory->column_bits[row] == 0) memory->row_bits &= ~(1u << row);
  }
  if (block->resident) memory->free_resident_bytes -= block->bytes;
}

/* First block of the lowest bin above (row, column), every one of which is larger. */
static sk__block *bin_above(sk__memory *memory, uint32_t row, uint32_t column) {
  uint32_t columns = memory->column_bits[row] & ~((2u << column) - 1);
  if (columns == 0) {
    uint32_t rows = memory->row_bits & (uint32_t)~((UINT64_C(2) << row) - 1);
    if (rows == 0) return NULL;
    row = (uint32_t)__builtin_ctz(rows);
    columns = memory->column_bits[row];
  }
  return memory->bins[row][__builtin_ctz(columns)];
}

/* The own bin holds the best fits but must be walked: a few steps are worth it. */
static sk__block *bin_find(sk__memory *memory, uint64_t bytes) {
  uint32_t row, column;
  bin_of(bytes, &row, &column);
  sk__block *block = memory->bins[row][column];
  for (uint32_t step = 0; block != NULL && step < 16; block = block->next, step++)
    if (block->bytes >= bytes) return block;
  sk__block *above = bin_above(memory, row, column);
  if (above != NULL) return above;
  while (block != NULL && block->bytes < bytes) block = block->next;
  return block;
}

/* ---- index of live and quarantined blocks by address ---------------------------------------- */

/* Position of the first block whose base is above the address. */
static size_t index_above(const sk__memory *memory, uint64_t address) {
  size_t low = 0, count = memory->block_count;
  while (count > 0) {
    size_t half = count / 2;
    bool right = memory->bases[low + half] <= address;
    low = right ? low + half + 1 : low;
    count = right ? count - half - 1 : half;
  }
  return low;
}

static sk_status index_reserve(sk__memory *memory) {
  if (memory->block_count < memory->block_capacity) return SK_OK;
  size_t capacity = memory->block_capacity == 0 ? 256 : memory->block_capacity * 2;
  uint64_t *bases = sk__realloc(memory->bases, capacity * sizeof *bases);
  if (bases == NULL) return SK_OUT_OF_MEMORY;
  memory->bases = bases;
  sk__block **blocks = sk__realloc(memory->blocks, capacity * sizeof *blocks);
  if (blocks == NULL) return SK_OUT_OF_MEMORY;
  memory->blocks = blocks;
  memory->block_capacity = capacity;
  return SK_OK;
}

static void index_insert(sk__memory *memory, sk__block *block) {
  size_t at = index_above(memory, block->base), behind = memory->block_count - at;
  memmove(memory->bases + at + 1, memory->bases + at, behind * sizeof *memory->bases);
  memmove(memory->blocks + at + 1, memory->blocks + at, behind * sizeof *memory->blocks);
  memory->bases[at] = block->base;
  memory->blocks[at] = block;
  memory->block_count++;
}

static void index_remove(sk__memory *memory, const sk__block *block) {
  size_t at = index_above(memory, block->base) - 1, behind = memory->block_count - at - 1;
  memmove(memory->bases + at, memory->bases + at + 1, behind * sizeof *memory->bases);
  memmove(memory->blocks + at, memory->blocks + at + 1, behind * sizeof *memory->blocks);
  memory->block_count--;
}

/* The live or quarantined block whose run holds the address; NULL if the memory is free. */
static sk__block *index_find(const sk__memory *memory, uint64_t address) {
  size_t above = index_above(memory, address);
  if (above == 0) return NULL;
  sk__block *block = memory->blocks[above - 1];
  return address - block->base < block->bytes ? block : NULL;
}

static bool usable_holds(const sk__block *block, uint64_t address) {
  return address - block->start < block->usable;
}

/* ---- quarantine ----------------------------------------------------------------------------- */

/* A neighbour is swallowed by `block`. */
static void absorb(sk__memory *memory, sk__block *block, sk__block *neighbour) {
  bin_remove(memory, neighbour);
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
  record_give(memory, neighbour);
}

static void release_oldest(sk__memory *memory) {
  sk__block *block = memory->quarantine_first;
  memory->quarantine_first = block->next;
  if (block->next == NULL) memory->quarantine_last = NULL;
  memory->quarantine_bytes -= block->bytes;
  index_remove(memory, block);
  block->resident = true;
  if (memory->free_resident_bytes + block->bytes > resident_most_bytes) {
    uint64_t from = (block->base + SK__PAGE_BYTES - 1) & ~(SK__PAGE_BYTES - 1);
    uint64_t to = (block->base + block->bytes) & ~(SK__PAGE_BYTES - 1);
    if (to > from && madvise((void *)from, to - from, MADV_DONTNEED) == 0) block->resident = false;
  }
  if (block->before != NULL && block->before->state == BLOCK_FREE) absorb(memory, block, block->before);
  if (block->after != NULL && block->after->state == BLOCK_FREE) absorb(memory, block, block->after);
  bin_insert(memory, block);
}

/* ---- create, take ---------------------------------------------------------------------------- */

sk_status sk__alloc_create(sk__memory *memory) {
  sk__block *all = record_take(memory);
  if (all == NULL) return SK_OUT_OF_MEMORY;
  all->base = SK__GM_BASE;
  all->bytes = memory->gm_end - SK__GM_BASE;
  memory->first = all;
  bin_insert(memory, all);
  return SK_OK;
}

void sk__alloc_destroy(sk__memory *memory) {
  block_chunk *chunk = memory->block_chunks;
  while (chunk != NULL) {
    block_chunk *next = chunk->next;
    sk__free(chunk);
    chunk = next;
  }
  sk__free(memory->bases);
  sk__free(memory->blocks);
  memory->block_chunks = NULL;
  memory->bases = NULL;
  memory->blocks = NULL;
}

static uint64_t round_up(uint64_t value, uint64_t unit) { return (value + unit - 1) & ~(unit - 1); }

static uint64_t block_bytes_for(uint64_t usable) {
  uint64_t tail = usable < tail_least_bytes ? tail_least_bytes : usable;
  if (tail > tail_most_bytes) tail = tail_most_bytes;
  return lead_bytes + round_up(usable + tail, SK__PIECE_BYTES);
}

/* Cuts `bytes` off the low end of a free block. `rest` is an unused record, given back if not needed. */
static void split(sk__memory *memory, sk__block *block, uint64_t bytes, sk__block *rest) {
  bin_remove(memory, block);
  if (block->bytes == bytes) {
    record_give(memory, rest);
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
  bin_insert(memory, rest);
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
  sk_status status = index_reserve(memory);
  if (status != SK_OK) return status;
  sk__block *rest = record_take(memory);
  if (rest == NULL) return SK_OUT_OF_MEMORY;
  sk__block *block = bin_find(memory, block_bytes);
  while (block == NULL && memory->quarantine_first != NULL) {
    release_oldest(memory);
    block = bin_find(memory, block_bytes);
  }
  if (block == NULL) {
    record_give(memory, rest);
    return SK_OUT_OF_DEVICE_MEMORY;
  }
  split(memory, block, block_bytes, rest);
  block->state = BLOCK_LIVE;
  block->start = block->base + lead_bytes;
  block->size = bytes;
  block->usable = usable;
  block->serial = ++memory->next_serial;
  block->element_bytes = 0;
  block->output = false;
  sk__text_copy(block->label, sizeof block->label, label == NULL ? "" : label);
  index_insert(memory, block);
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
  sk__block *block = index_find(memory, (uint64_t)address);
  sk_status status = SK_NOT_FOUND;
  if (block != NULL && block->state == BLOCK_LIVE && block->start == (uint64_t)address) {
    status = SK_OK;
    red_zones_judge(memory, block);
    memory->live_bytes -= block->usable;
    atomic_fetch_add(&memory->generation, 1);
    block->state = BLOCK_QUARANTINED;
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

/* ---- questions ------------------------------------------------------------------------------- */

bool sk__memory_extent(sk__memory *memory, uint64_t address, sk__extent *out) {
  pthread_mutex_lock(&memory->lock);
  sk__block *block = index_find(memory, address);
  bool found = block != NULL && block->state == BLOCK_LIVE && usable_holds(block, address);
  if (found) *out = (sk__extent){block->start, block->start + block->usable};
  pthread_mutex_unlock(&memory->lock);
  return found;
}

bool sk__memory_next_extent(sk__memory *memory, uint64_t address, sk__extent *out) {
  pthread_mutex_lock(&memory->lock);
  size_t at = index_above(memory, address);
  if (at > 0) at--;
  bool found = false;
  for (; at < memory->block_count && !found; at++) {
    const sk__block *block = memory->blocks[at];
    if (block->state != BLOCK_LIVE || block->start + block->usable <= address) continue;
    *out = (sk__extent){block->start, block->start + block->usable};
    found = true;
  }
  pthread_mutex_unlock(&memory->lock);
  return found;
}

bool sk__memory_freed(sk__memory *memory, uint64_t address, char *label, size_t label_bytes, uint64_t *bytes) {
  pthread_mutex_lock(&memory->lock);
  const sk__block *block = index_find(memory, address);
  bool found = block != NULL && block->state == BLOCK_QUARANTINED && usable_holds(block, address);
  if (found) {
    sk__text_copy(label, label_bytes, block->label);
    *bytes = block->size;
  }
  pthread_mutex_unlock(&memory->lock);
  return found;
}

void sk__gm_label(sk__machine *machine, uint64_t address, const char *was, const char *label) {
  sk__memory *memory = &machine->memory;
  pthread_mutex_lock(&memory->lock);
  sk__block *block = index_find(memory, address);
  if (block != NULL && block->state == BLOCK_LIVE && block->start == address && strcmp(block->label, was) == 0)
    sk__text_copy(block->label, sizeof block->label, label);
  pthread_mutex_unlock(&memory->lock);
}

void sk__gm_set_element(sk__machine *machine, uint64_t address, uint32_t element_bytes) {
  sk__memory *memory = &machine->memory;
  pthread_mutex_lock(&memory->lock);
  sk__block *block = index_find(memory, address);
  if (block != NULL && block->state == BLOCK_LIVE && block->start == address && block->element_bytes == 0) block->element_bytes = element_bytes;
  pthread_mutex_unlock(&memory->lock);
}

void sk__gm_set_output(sk__machine *machine, uint64_t address) {
  sk__memory *memory = &machine->memory;
  pthread_mutex_lock(&memory->lock);
  sk__block *block = index_find(memory, address);
  if (block != NULL && block->state == BLOCK_LIVE) block->output = true;
  pthread_mutex_unlock(&memory->lock);
}

static void info_of(const sk__block *block, sk__gm_info *out) {
  *out = (sk__gm_info){block->start, block->size, block->label, block->serial, block->element_bytes, block->output};
}

bool sk__gm_find(sk__machine *machine, uint64_t address, sk__gm_info *out) {
  sk__memory *memory = &machine->memory;
  pthread_mutex_lock(&memory->lock);
  const sk__block *block = index_find(memory, address);
  bool found = block != NULL && block->state == BLOCK_LIVE && usable_holds(block, address);
  if (found) info_of(block, out);
  pthread_mutex_unlock(&memory->lock);
  return found;
}

/* Bytes between a wild address and an allocation. */
static uint64_t gap(const sk__block *block, uint64_t address) {
  uint64_t end = block->start + block->usable;
  if (address < block->start) return block->start - address;
  return address >= end ? address - end : 0;
}

bool sk__gm_nearest(sk__machine *machine, uint64_t address, sk__gm_info *out) {
  sk__memory *memory = &machine->memory;
  pthread_mutex_lock(&memory->lock);
  size_t above = index_above(memory, address);
  const sk__block *best = NULL;
  for (size_t i = above; i > 0 && best == NULL; i--)
    if (memory->blocks[i - 1]->state == BLOCK_LIVE) best = memory->blocks[i - 1];
  for (size_t i = above; i < memory->block_count; i++) {
    if (memory->blocks[i]->state != BLOCK_LIVE) continue;
    if (best == NULL || gap(memory->blocks[i], address) < gap(best, address)) best = memory->blocks[i];
    break;
  }
  if (best != NULL) info_of(best, out);
  pthread_mutex_unlock(&memory->lock);
  return best != NULL;
}

void sk__gm_usage(sk__machine *machine, uint64_t *live_bytes, uint64_t *peak_bytes, uint64_t *touched_bytes) {
  sk__memory *memory = &machine->memory;
  pthread_mutex_lock(&memory->lock);
  *live_bytes = memory->live_bytes;
  *peak_bytes = memory->peak_bytes;
  *touched_bytes = atomic_load(&memory->written_pieces) * SK__PIECE_BYTES;
  pthread_mutex_unlock(&memory->lock);
}
