/* dcache_lines.c - which lines of device memory some cache holds, which copy of one memory shows, and which are out of date. */
#include "base/memory.h"
#include "machine/dcache_lines.h"

enum { ENTRIES = SK__MAX_CORES * SK__DCACHE_MAX_LINES + 1 }; /* every cache full of lines of its own; 0 = none */

/* ---- the directory --------------------------------------------------------------------------- */

sk_status sk__directory_create(sk__memory *memory) {
  uint64_t pages = (memory->gm_end - SK__GM_BASE) >> SK__PAGE_SHIFT;
  size_t map_bytes = pages * sizeof *memory->page_entry;
  size_t page_bytes = (size_t)ENTRIES * sizeof(sk__page_entry), line_bytes = (size_t)ENTRIES * sizeof(sk__line_entry);
  page_bytes = (page_bytes + 63) & ~(size_t)63;
  memory->directory_bytes = map_bytes + page_bytes + line_bytes;
  memory->directory = sk__reserve(memory->directory_bytes);
  if (memory->directory == NULL) return SK_OUT_OF_MEMORY;
  char *at = memory->directory;
  memory->page_entry = (uint32_t *)(void *)at;
  memory->pages = (sk__page_entry *)(void *)(at + map_bytes);
  memory->lines = (sk__line_entry *)(void *)(at + map_bytes + page_bytes);
  memory->used_pages = memory->used_lines = 1;
  return SK_OK;
}

void sk__directory_destroy(sk__memory *memory) {
  sk__unreserve(memory->directory, memory->directory_bytes);
  memory->directory = NULL;
}

sk__line_entry *sk__line_entry_make(sk__memory *memory, uint64_t line) {
  uint32_t *page_slot = &memory->page_entry[sk__page_number(line)];
  if (*page_slot == 0) {
    uint32_t at = memory->spare_page;
    if (at != 0) memory->spare_page = memory->pages[at].next_spare;
    else at = memory->used_pages++;
    memory->pages[at].page = sk__page_number(line); /* everything else is zero while it is not in use */
    *page_slot = at;
  }
  sk__page_entry *page = &memory->pages[*page_slot];
  uint32_t *slot = &page->line[sk__line_in_page(line)];
  if (*slot == 0) {
    uint32_t at = memory->spare_line;
    if (at != 0) memory->spare_line = memory->lines[at].next_spare;
    else at = memory->used_lines++;
    memory->lines[at].line = line; /* nobody holds it yet; `change` and `gm` are written before they are read */
    memory->lines[at].view = SK__VIEW_GM;
    *slot = at;
    page->cached |= UINT64_C(1) << sk__line_in_page(line);
  }
  return &memory->lines[*slot];
}

void sk__line_entry_drop(sk__memory *memory, sk__line_entry *entry) {
  sk__page_entry *page = sk__page_entry_of(memory, entry->line);
  uint32_t *slot = &page->line[sk__line_in_page(entry->line)];
  uint64_t bit = UINT64_C(1) << sk__line_in_page(entry->line);
  entry->next_spare = memory->spare_line;
  memory->spare_line = *slot;
  *slot = 0;
  page->cached &= ~bit;
  page->uneven &= ~bit;
  if (page->cached != 0) return;
  uint32_t *page_slot = &memory->page_entry[page->page];
  page->next_spare = memory->spare_page;
  memory->spare_page = *page_slot;
  *page_slot = 0;
}

sk__line_entry *sk__directory_next(sk__memory *memory, uint64_t *at, uint64_t end, bool only_uneven) {
  while (*at < end) {
    uint32_t index = memory->page_entry[sk__page_number(*at)];
    uint64_t page_end = (*at | (SK__PAGE_BYTES - 1)) + 1;
    if (index != 0) {
      const sk__page_entry *page = &memory->pages[index];
      uint64_t bits = (only_uneven ? page->uneven : page->cached) & ~UINT64_C(0) << sk__line_in_page(*at);
      if (bits != 0) {
        uint32_t in_page = (uint32_t)__builtin_ctzll(bits);
        uint64_t line = (*at & ~(SK__PAGE_BYTES - 1)) + in_page * SK__LINE_BYTES;
        if (line >= end) return NULL;
        *at = line + SK__LINE_BYTES;
        return &memory->lines[page->line[in_page]];
      }
    }
    *at = page_end;
  }
  return NULL;
}

/* ---- the copies of a line -------------------------------------------------------------------- */

void sk__copies_update_uneven(sk__memory *memory, const sk__line_entry *entry) {
  sk__copies walk = sk__copies_of(memory, entry);
  bool uneven = false;
  for (sk__line *copy; (copy = sk__copies_next(&walk)) != NULL;) uneven |= sk__line_is_private(copy);
  uint64_t bit = UINT64_C(1) << sk__line_in_page(entry->line);
  sk__page_entry *page = sk__page_entry_of(memory, entry->line);
  page->uneven = uneven ? page->uneven | bit : page->uneven & ~bit;
}

void sk__copies_turn(sk__memory *memory, sk__line_entry *entry, sk__dcache *owner) {
  uint8_t *shown = (uint8_t *)entry->line;
  uint8_t *keep = entry->view == SK__VIEW_GM ? entry->gm : sk__dcache_find(memory->caches[entry->view], entry->line)->bytes;
  memcpy(keep, shown, SK__LINE_BYTES);
  memcpy(shown, owner == NULL ? entry->gm : sk__dcache_find(owner, entry->line)->bytes, SK__LINE_BYTES);
  entry->view = owner == NULL ? (uint32_t)SK__VIEW_GM : owner->core->index;
  sk__copies walk = sk__copies_of(memory, entry);
  for (sk__line *copy; (copy = sk__copies_next(&walk)) != NULL;) copy->seen.fast = 0;
}

void sk__copies_push_stale(sk__memory *memory, sk__line_entry *entry, const sk__dcache *but, uint64_t mask, const uint8_t *old) {
  sk__copies walk = sk__copies_of(memory, entry);
  for (sk__line *copy; (copy = sk__copies_next(&walk)) != NULL;) {
    if (walk.cache == but) continue;
    if (!sk__line_is_private(copy) && !memory->threaded) memcpy(copy->bytes, old, SK__LINE_BYTES);
    copy->stale |= mask;
    copy->seen.fast = 0;
  }
}

void sk__copies_settle_newest(sk__memory *memory, sk__line_entry *entry) {
  sk__copies walk = sk__copies_of(memory, entry);
  uint64_t dirty = 0;
  for (sk__line *copy; (copy = sk__copies_next(&walk)) != NULL;) dirty |= copy->dirty;
  if (dirty == 0) entry->view = SK__VIEW_GM;
}
