/* blocks.c - records of runs of device memory, free lists by size, index by address. */
#include <string.h>

#include "base/memory.h"
#include "machine/blocks.h"

enum { CHUNK_BLOCKS = 256 };

typedef struct block_chunk {
  struct block_chunk *next;
  sk__block blocks[CHUNK_BLOCKS];
} block_chunk;

sk__block *sk__block_take(sk__memory *memory) {
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

void sk__block_give(sk__memory *memory, sk__block *block) {
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

void sk__bin_insert(sk__memory *memory, sk__block *block) {
  uint32_t row, column;
  bin_of(block->bytes, &row, &column);
  block->state = SK__BLOCK_FREE;
  block->previous = NULL;
  block->next = memory->bins[row][column];
  if (block->next != NULL) block->next->previous = block;
  memory->bins[row][column] = block;
  memory->row_bits |= 1u << row;
  memory->column_bits[row] |= 1u << column;
  if (block->resident) memory->free_resident_bytes += block->bytes;
}

void sk__bin_remove(sk__memory *memory, sk__block *block) {
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
sk__block *sk__bin_find(sk__memory *memory, uint64_t bytes) {
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

size_t sk__index_above(const sk__memory *memory, uint64_t address) {
  size_t low = 0, count = memory->block_count;
  while (count > 0) {
    size_t half = count / 2;
    bool right = memory->bases[low + half] <= address;
    low = right ? low + half + 1 : low;
    count = right ? count - half - 1 : half;
  }
  return low;
}

sk_status sk__index_reserve(sk__memory *memory) {
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

void sk__index_insert(sk__memory *memory, sk__block *block) {
  size_t at = sk__index_above(memory, block->base), behind = memory->block_count - at;
  memmove(memory->bases + at + 1, memory->bases + at, behind * sizeof *memory->bases);
  memmove(memory->blocks + at + 1, memory->blocks + at, behind * sizeof *memory->blocks);
  memory->bases[at] = block->base;
  memory->blocks[at] = block;
  memory->block_count++;
}

void sk__index_remove(sk__memory *memory, const sk__block *block) {
  size_t at = sk__index_above(memory, block->base) - 1, behind = memory->block_count - at - 1;
  memmove(memory->bases + at, memory->bases + at + 1, behind * sizeof *memory->bases);
  memmove(memory->blocks + at, memory->blocks + at + 1, behind * sizeof *memory->blocks);
  memory->block_count--;
}

sk__block *sk__index_find(const sk__memory *memory, uint64_t address) {
  size_t above = sk__index_above(memory, address);
  if (above == 0) return NULL;
  sk__block *block = memory->blocks[above - 1];
  return address - block->base < block->bytes ? block : NULL;
}

void sk__blocks_destroy(sk__memory *memory) {
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
