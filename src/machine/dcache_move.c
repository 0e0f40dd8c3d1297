/* dcache_move.c - movers and the host beside the caches: they get GM's bytes whatever memory shows, and leave copies behind. */
#include "machine/dcache_lines.h"
#include "machine/dcache_report.h"

/* The part of a line inside [start, end). */
typedef struct overlap { uint64_t low, bytes, mask; } overlap;
static overlap overlap_of(const sk__line_entry *entry, uint64_t start, uint64_t end) {
  uint64_t low = entry->line > start ? entry->line : start;
  uint64_t high = entry->line + SK__LINE_BYTES < end ? entry->line + SK__LINE_BYTES : end;
  return (overlap){low, high - low, sk__line_mask(low, high - low)};
}

/* GM's bytes where memory shows something else. With several threads only stored bytes differ, and `gm`
 * is kept for those alone. */
static void patch(sk__memory *memory, const sk__line_entry *entry, const overlap *part, void *to, uint64_t from) {
  if (entry->view == SK__VIEW_GM) return;
  const uint8_t *gm = entry->gm + (part->low - entry->line);
  uint8_t *out = (uint8_t *)to + (part->low - from);
  if (!memory->threaded) {
    memcpy(out, gm, part->bytes);
    return;
  }
  uint64_t stored = 0;
  sk__copies walk = sk__copies_of(memory, entry);
  for (const sk__line *copy; (copy = sk__copies_next(&walk)) != NULL;) stored |= copy->dirty;
  stored >>= part->low - entry->line;
  for (uint64_t i = 0; i < part->bytes; i++)
    if (stored >> i & 1) out[i] = gm[i];
}

void sk__dcache_mover_read(sk__core *core, sk__pipe pipe, void *to, uint64_t from, uint64_t bytes) {
  sk__memory *memory = core->dcache->memory;
  sk__directory_lock(memory);
  uint64_t at = from;
  for (sk__line_entry *entry; (entry = sk__directory_next(memory, &at, from + bytes, true)) != NULL;) {
    overlap part = overlap_of(entry, from, from + bytes);
    sk__copies walk = sk__copies_of(memory, entry);
    for (sk__line *copy; (copy = sk__copies_next(&walk)) != NULL;)
      if ((copy->dirty & part.mask) != 0 && sk__note_is_ordered(core, pipe, &copy->store))
        sk__dcache_report_unflushed(core, pipe, &copy->store, entry->line, copy->dirty & part.mask, copy->left_behind);
    patch(memory, entry, &part, to, from);
  }
  sk__directory_unlock(memory);
}

void sk__dcache_mover_write(sk__core *core, sk__pipe pipe, uint64_t to, uint64_t bytes) {
  sk__memory *memory = core->dcache->memory;
  sk__directory_lock(memory);
  uint64_t at = to;
  for (sk__line_entry *entry; (entry = sk__directory_next(memory, &at, to + bytes, false)) != NULL;) {
    overlap part = overlap_of(entry, to, to + bytes);
    sk__copies_show(memory, entry, NULL);
    sk__note_now(core, pipe, &entry->change);
    sk__copies walk = sk__copies_of(memory, entry);
    for (sk__line *copy; (copy = sk__copies_next(&walk)) != NULL;) {
      uint64_t over = sk__copy_supersede(core, pipe, copy, part.mask);
      if (over != 0 && memory->threaded)
        sk__dcache_report_overrun(core, &copy->store, &entry->change, entry->line, over, "");
      if (memory->threaded) copy->dirty &= ~part.mask;
    }
    if (memory->threaded) sk__copies_settle_newest(memory, entry);
    sk__copies_push_stale(memory, entry, NULL, part.mask, (const uint8_t *)entry->line);
    sk__copies_update_uneven(memory, entry);
  }
  sk__directory_unlock(memory);
}

void sk__dcache_host_read(sk__memory *memory, void *to, uint64_t from, uint64_t bytes) {
  sk__directory_lock(memory);
  uint64_t at = from;
  for (sk__line_entry *entry; (entry = sk__directory_next(memory, &at, from + bytes, true)) != NULL;) {
    overlap part = overlap_of(entry, from, from + bytes);
    patch(memory, entry, &part, to, from);
  }
  sk__directory_unlock(memory);
}

void sk__dcache_host_write(sk__memory *memory, uint64_t to, uint64_t bytes) {
  sk__directory_lock(memory);
  uint64_t at = to;
  for (sk__line_entry *entry; (entry = sk__directory_next(memory, &at, to + bytes, false)) != NULL;) {
    overlap part = overlap_of(entry, to, to + bytes);
    sk__copies_show(memory, entry, NULL);
    entry->change = SK__NOTE_OF_HOST;
    sk__copies_push_stale(memory, entry, NULL, part.mask, (const uint8_t *)entry->line);
    sk__copies_update_uneven(memory, entry);
  }
  sk__directory_unlock(memory);
}
