/* fresh.c - memory that nobody has written. It holds whatever was there, so a run finds a pattern of its own in it: two
 * runs with two patterns tell results that depend on it. The pattern goes in where such bytes are read, just before
 * that, so that the rest costs nothing. */
#include <string.h>

#include "machine/internal.h"
#include "machine/log.h"
#include "machine/memory.h"

enum { MOST_UNDEFINED = 1 << 14 };
static const uint64_t filled_most_bytes = UINT64_C(64) << 20;

static bool holds(uint64_t start, uint64_t bytes, uint8_t pattern) {
  const uint8_t *at = (const uint8_t *)start;
  return at[0] == pattern && memcmp(at, at + 1, bytes - 1) == 0;
}

/* Keeps what is there; false: there is no room, and it must stay. */
static bool keep(sk__memory *memory, uint64_t start, uint64_t bytes) {
  if (memory->filled_bytes + bytes > filled_most_bytes) return false;
  uint8_t *before = sk__malloc(bytes);
  if (before == NULL) return false;
  memcpy(before, (const void *)start, bytes);
  if (!sk__vec_push(&memory->filled, ((sk__filled){start, bytes, before}))) {
    sk__free(before);
    return false;
  }
  memory->filled_bytes += bytes;
  return true;
}

static void serve(void *context, uint64_t address, uint64_t bytes, bool left) {
  sk__memory *memory = context;
  const sk__fresh *found = &memory->found;
  bool local = sk__in_local(address);
  if (!(local ? found->local && (!left || found->left) : found->device && !memory->threaded)) return;
  if (!local && (holds(address, bytes, found->pattern) || !keep(memory, address, bytes))) return;
  memset((void *)address, found->pattern, bytes);
}

void sk__fresh_create(sk__memory *memory) {
  if (memory->checker != NULL) sk__checker_set_fresh(memory->checker, serve, memory);
}

void sk__fresh_destroy(sk__memory *memory) {
  if (memory->checker != NULL) sk__checker_set_fresh(memory->checker, NULL, NULL);
  for (size_t i = 0; i < memory->filled.count; i++) sk__free(memory->filled.items[i].before);
  sk__vec_free(&memory->filled);
  sk__vec_free(&memory->undefined);
  sk__vec_free(&memory->undefined_readers);
}

void sk__machine_set_fresh(sk__machine *machine, sk__fresh fresh) {
  machine->memory.found = fresh;
  sk__checker_clear_fresh(machine->checker);
}

bool sk__machine_read_fresh(sk__machine *machine, sk__end *reader) { return sk__checker_first_fresh(machine->checker, reader); }

static bool put_back(void *context, uint64_t start, uint64_t bytes) {
  const sk__filled *filled = context;
  memcpy((void *)start, filled->before + (start - filled->start), bytes);
  return true;
}

/* The earliest copy of a byte is what was there: it comes last. */
void sk__gm_unfill(sk__machine *machine) {
  sk__memory *memory = &machine->memory;
  for (size_t i = memory->filled.count; i-- > 0;)
    (void)sk__shadow_gm_unwritten(memory->checker, memory->filled.items[i].start, memory->filled.items[i].bytes, put_back, &memory->filled.items[i]);
}

/* What was unwritten when it was filled was unwritten when the transaction began. */
void sk__fresh_forget(sk__memory *memory) {
  for (size_t i = memory->filled.count; i-- > 0;) {
    sk__filled *filled = &memory->filled.items[i];
    (void)put_back(filled, filled->start, filled->bytes);
    sk__free(filled->before);
  }
  memory->filled.count = 0;
  memory->filled_bytes = 0;
}

/* ---- results made of it ------------------------------------------------------------------------ */

sk_status sk__gm_set_undefined(sk__machine *machine, const sk__stretch *stretches, size_t count, const sk__end *reader) {
  sk__memory *memory = &machine->memory;
  if (count == 0) return SK_OK;
  if (!sk__vec_push(&memory->undefined_readers, *reader)) return SK_OUT_OF_MEMORY;
  size_t number = memory->undefined_readers.count - 1;
  for (size_t i = 0; i < count && memory->undefined.count < MOST_UNDEFINED; i++)
    if (!sk__vec_push(&memory->undefined, ((sk__undefined_bytes){stretches[i].start, stretches[i].start + stretches[i].bytes, number})))
      return SK_OUT_OF_MEMORY;
  return SK_OK;
}

bool sk__gm_is_undefined(sk__machine *machine, uint64_t start, uint64_t bytes) {
  const sk__memory *memory = &machine->memory;
  for (size_t i = 0; i < memory->undefined.count; i++)
    if (memory->undefined.items[i].start == start && memory->undefined.items[i].end == start + bytes) return true;
  return false;
}

void sk__gm_replace(sk__machine *machine, uint64_t start, const void *bytes, uint64_t count) {
  (void)sk__log_open(&machine->memory, start, count);
  memcpy((void *)start, bytes, count);
}

void sk__gm_set_defined(sk__machine *machine, uint64_t start, uint64_t bytes) { sk__fresh_defined(&machine->memory, start, bytes); }

/* Whatever is touched goes whole: less is told, nothing wrong. */
void sk__fresh_defined(sk__memory *memory, uint64_t start, uint64_t bytes) {
  if (memory->undefined.count == 0) return;
  size_t kept = 0;
  for (size_t i = 0; i < memory->undefined.count; i++) {
    sk__undefined_bytes *item = &memory->undefined.items[i];
    if (item->start >= start + bytes || item->end <= start) memory->undefined.items[kept++] = *item;
  }
  memory->undefined.count = kept;
  if (kept == 0) memory->undefined_readers.count = 0;
}
