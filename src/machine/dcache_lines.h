/* dcache_lines.h - lines of device memory and the copies that caches hold of them. Private to dcache*.c.
 *
 * The directory has an entry for each line some cache holds, found by page. Invariants:
 *   a copy is *private* if it has dirty or stale bytes; other copies equal GM;
 *   view == GM: memory holds GM's bytes, `gm` means nothing;
 *   view == core: memory holds that core's private copy, `gm` holds GM's;
 *   a private copy that is not shown stands in the line's `bytes`;
 *   no private copy: view == GM;
 *   a line's seen.fast is set only if its copy is shown and nobody else's store is pending on it. */
#ifndef SK_MACHINE_DCACHE_LINES_H
#define SK_MACHINE_DCACHE_LINES_H

#include <string.h>

#include "machine/dcache.h"
#include "machine/internal.h"

enum {
  SK__VIEW_GM = 0xffff,
  SK__VIEW_NEWEST = 0xfffe, /* several host threads: everybody's newest bytes */
  SK__LINES_PER_PAGE = 64,
};

struct sk__line_entry {
  uint64_t line;
  uint64_t holders[SK__MAX_CORES / 64];
  uint32_t view;
  uint32_t next_spare;
  sk__note change;              /* who changed GM last while it was cached */
  _Alignas(16) uint8_t gm[SK__LINE_BYTES];
};

struct sk__page_entry {
  uint64_t cached, uneven;      /* a bit per line: somebody holds it; somebody's copy is private */
  uint64_t page;
  uint32_t next_spare;
  uint32_t line[SK__LINES_PER_PAGE];
};

/* ---- the directory --------------------------------------------------------------------------- */

static inline void sk__directory_lock(sk__memory *memory) {
  if (memory->threaded) pthread_mutex_lock(&memory->directory_lock);
}
static inline void sk__directory_unlock(sk__memory *memory) {
  if (memory->threaded) pthread_mutex_unlock(&memory->directory_lock);
}

static inline uint64_t sk__page_number(uint64_t address) { return (address - SK__GM_BASE) >> SK__PAGE_SHIFT; }
static inline uint32_t sk__line_in_page(uint64_t address) { return (uint32_t)(address >> 6) & (SK__LINES_PER_PAGE - 1); }
static inline sk__page_entry *sk__page_entry_of(sk__memory *memory, uint64_t address) {
  return &memory->pages[memory->page_entry[sk__page_number(address)]];
}

sk__line_entry *sk__line_entry_make(sk__memory *memory, uint64_t line);
/* Nobody holds the line any more. */
void sk__line_entry_drop(sk__memory *memory, sk__line_entry *entry);
/* The next line that is cached, or whose copies differ, inside [*at, end); NULL at the end. */
sk__line_entry *sk__directory_next(sk__memory *memory, uint64_t *at, uint64_t end, bool only_uneven);

/* ---- a core's lines (dcache.c) --------------------------------------------------------------- */

static inline uint32_t sk__dcache_set(const sk__dcache *cache, uint64_t line) { return (uint32_t)(line >> 6) & (cache->sets - 1); }

static inline sk__line *sk__dcache_find(sk__dcache *cache, uint64_t line) {
  sk__line *set = &cache->lines[sk__dcache_set(cache, line) * SK__DCACHE_WAYS];
  for (uint32_t way = 0; way < SK__DCACHE_WAYS; way++)
    if (set[way].tag == line) return &set[way];
  return NULL;
}

static inline bool sk__line_is_private(const sk__line *line) { return (line->dirty | line->stale) != 0; }

/* Clean and invalidate. */
void sk__dcache_drop(sk__core *core, sk__line *line, const char *why);
/* Room for the line, with GM's bytes; what stood there goes back. */
sk__line *sk__dcache_fill(sk__core *core, uint64_t address);
void sk__dcache_recent_clear(sk__dcache *cache);

/* ---- the copies of a line -------------------------------------------------------------------- */

/* Steps through the copies of a line. */
typedef struct sk__copies { sk__memory *memory; const sk__line_entry *entry; uint64_t bits[2]; sk__dcache *cache; } sk__copies;
static inline sk__copies sk__copies_of(sk__memory *memory, const sk__line_entry *entry) {
  return (sk__copies){memory, entry, {entry->holders[0], entry->holders[1]}, NULL};
}
static inline sk__line *sk__copies_next(sk__copies *walk) {
  uint32_t word = walk->bits[0] != 0 ? 0 : 1;
  if (walk->bits[word] == 0) return NULL;
  uint32_t core = word * 64 + (uint32_t)__builtin_ctzll(walk->bits[word]);
  walk->bits[word] &= walk->bits[word] - 1;
  walk->cache = walk->memory->caches[core];
  return sk__dcache_find(walk->cache, walk->entry->line);
}

static inline bool sk__line_entry_uneven(sk__memory *memory, const sk__line_entry *entry) {
  return (sk__page_entry_of(memory, entry->line)->uneven >> sk__line_in_page(entry->line) & 1) != 0;
}

/* After copies changed: does the page's bit still say whether one is private? */
void sk__copies_update_uneven(sk__memory *memory, const sk__line_entry *entry);
void sk__copies_turn(sk__memory *memory, sk__line_entry *entry, sk__dcache *owner); /* memory shows something else */
/* Makes memory show this core's private copy, or GM (owner NULL). Nothing to do with several threads. */
static inline void sk__copies_show(sk__memory *memory, sk__line_entry *entry, sk__dcache *owner) {
  uint32_t view = owner == NULL ? (uint32_t)SK__VIEW_GM : owner->core->index;
  if (!memory->threaded && entry->view != view) sk__copies_turn(memory, entry, owner);
}
/* Marks other cores' copies: GM got new bytes there. `old` are GM's bytes before. */
void sk__copies_push_stale(sk__memory *memory, sk__line_entry *entry, const sk__dcache *but, uint64_t mask, const uint8_t *old);
/* Several threads: memory shows GM again when nobody has stored bytes. */
void sk__copies_settle_newest(sk__memory *memory, sk__line_entry *entry);

/* ---- who did it ------------------------------------------------------------------------------ */

static inline void sk__note_now(const sk__core *core, sk__pipe pipe, sk__note *out) {
  *out = (sk__note){.site = core->site,
                    .instr = core->instr,
                    .kernel = core->view.kernel,
                    .clock = core->order.clock[pipe],
                    .launch = core->launch != NULL ? core->launch->serial : 0,
                    .task = core->view.task,
                    .block = core->block_idx,
                    .core = (uint8_t)core->index,
                    .pipe = (uint8_t)pipe,
                    .sub_block = (uint8_t)core->sub_block};
}

#define SK__NOTE_OF_HOST ((sk__note){.core = SK__HOST_CORE, .instr = "a host copy"})

/* Is what was noted certain to come before what `pipe` of this core does now? Without that order a read
 * of old bytes is a race, which the shadow reports, or a poll, which is legal. */
static inline bool sk__note_is_ordered(const sk__core *core, sk__pipe pipe, const sk__note *note) {
  return core->checks && sk__order_covers(&core->order, pipe, note->core, (sk__pipe)note->pipe, note->clock);
}

/* Somebody writes these bytes: notes which of the copy's dirty bytes are older for certain. */
static inline uint64_t sk__copy_supersede(const sk__core *core, sk__pipe pipe, sk__line *copy, uint64_t mask) {
  uint64_t older = copy->dirty & mask;
  if (older == 0 || !sk__note_is_ordered(core, pipe, &copy->store)) return 0;
  copy->superseded |= older;
  return older;
}

#endif
