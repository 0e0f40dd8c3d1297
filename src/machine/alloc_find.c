/* alloc_find.c - questions about device memory: what lies at an address, what was freed there, what is nearest. */
#include <string.h>

#include "base/text.h"
#include "machine/blocks.h"

bool sk__memory_extent(sk__memory *memory, uint64_t address, sk__extent *out) {
  pthread_mutex_lock(&memory->lock);
  sk__block *block = sk__index_find(memory, address);
  bool found = block != NULL && block->state == SK__BLOCK_LIVE && sk__usable_holds(block, address);
  if (found) *out = (sk__extent){block->start, block->start + block->usable};
  pthread_mutex_unlock(&memory->lock);
  return found;
}

bool sk__memory_next_extent(sk__memory *memory, uint64_t address, sk__extent *out) {
  pthread_mutex_lock(&memory->lock);
  size_t at = sk__index_above(memory, address);
  if (at > 0) at--;
  bool found = false;
  for (; at < memory->block_count && !found; at++) {
    const sk__block *block = memory->blocks[at];
    if (block->state != SK__BLOCK_LIVE || block->start + block->usable <= address) continue;
    *out = (sk__extent){block->start, block->start + block->usable};
    found = true;
  }
  pthread_mutex_unlock(&memory->lock);
  return found;
}

bool sk__memory_freed(sk__memory *memory, uint64_t address, char *label, size_t label_bytes, uint64_t *bytes) {
  pthread_mutex_lock(&memory->lock);
  const sk__block *block = sk__index_find(memory, address);
  bool found = block != NULL && block->state == SK__BLOCK_QUARANTINED && sk__usable_holds(block, address);
  if (found) {
    sk__text_copy(label, label_bytes, block->label);
    *bytes = block->size;
  }
  pthread_mutex_unlock(&memory->lock);
  return found;
}

void sk__gm_argument(sk__machine *machine, uint64_t address, const char *was, const char *label, uint32_t element_bytes) {
  sk__memory *memory = &machine->memory;
  pthread_mutex_lock(&memory->lock);
  sk__block *block = sk__index_find(memory, address);
  if (block != NULL && block->state == SK__BLOCK_LIVE && block->start == address) {
    if (strcmp(block->label, was) == 0) {
      sk__text_copy(block->label, sizeof block->label, label);
      block->argument = true;
    }
    if (block->element_bytes == 0) block->element_bytes = element_bytes;
  }
  pthread_mutex_unlock(&memory->lock);
}

void sk__gm_set_output(sk__machine *machine, uint64_t address) {
  sk__memory *memory = &machine->memory;
  pthread_mutex_lock(&memory->lock);
  sk__block *block = sk__index_find(memory, address);
  if (block != NULL && block->state == SK__BLOCK_LIVE) block->output = true;
  pthread_mutex_unlock(&memory->lock);
}

static void info_of(const sk__block *block, sk__gm_info *out) {
  *out = (sk__gm_info){block->start, block->size, block->label, block->serial, block->element_bytes, block->output, block->argument};
}

bool sk__gm_find(sk__machine *machine, uint64_t address, sk__gm_info *out) {
  sk__memory *memory = &machine->memory;
  pthread_mutex_lock(&memory->lock);
  const sk__block *block = sk__index_find(memory, address);
  bool found = block != NULL && block->state == SK__BLOCK_LIVE && sk__usable_holds(block, address);
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
  size_t above = sk__index_above(memory, address);
  const sk__block *best = NULL;
  for (size_t i = above; i > 0 && best == NULL; i--)
    if (memory->blocks[i - 1]->state == SK__BLOCK_LIVE) best = memory->blocks[i - 1];
  for (size_t i = above; i < memory->block_count; i++) {
    if (memory->blocks[i]->state != SK__BLOCK_LIVE) continue;
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
