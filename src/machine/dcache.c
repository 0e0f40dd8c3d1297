/* dcache.c - lines, views, write-back, and what goes wrong between caches and memory (H11..H14).
 *
 * The directory has an entry for each line some cache holds, found by page. Invariants:
 *   a copy is *private* if it has dirty or stale bytes; other copies equal GM;
 *   view == GM: memory holds GM's bytes, `gm` means nothing;
 *   view == core: memory holds that core's private copy, `gm` holds GM's;
 *   a private copy that is not shown stands in the line's `bytes`;
 *   no private copy: view == GM;
 *   a line's seen.fast is set only if its copy is shown and nobody else's store is pending on it. */
#include "machine/dcache.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "machine/dcache_report.h"
#include "machine/internal.h"
#include "machine/soft.h"

enum {
  VIEW_GM = 0xffff,
  VIEW_NEWEST = 0xfffe, /* several host threads: everybody's newest bytes */
  LINES_PER_PAGE = 64,
  POLLS_BEFORE_FLUSH = 256,
  ENTRIES = SK__MAX_CORES * SK__DCACHE_MAX_LINES + 1, /* every cache full of lines of its own; 0 = none */
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
  uint32_t line[LINES_PER_PAGE];
};

/* ---- the directory ------------------------------------------------------------------------- */

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

static void directory_lock(sk__memory *memory) {
  if (memory->threaded) pthread_mutex_lock(&memory->directory_lock);
}
static void directory_unlock(sk__memory *memory) {
  if (memory->threaded) pthread_mutex_unlock(&memory->directory_lock);
}

static uint64_t page_of(uint64_t address) { return (address - SK__GM_BASE) >> SK__PAGE_SHIFT; }
static uint32_t line_in_page(uint64_t address) { return (uint32_t)(address >> 6) & (LINES_PER_PAGE - 1); }
static sk__page_entry *page_entry_of(sk__memory *memory, uint64_t address) {
  return &memory->pages[memory->page_entry[page_of(address)]];
}

static sk__line_entry *entry_make(sk__memory *memory, uint64_t line) {
  uint32_t *page_slot = &memory->page_entry[page_of(line)];
  if (*page_slot == 0) {
    uint32_t at = memory->spare_page;
    if (at != 0) memory->spare_page = memory->pages[at].next_spare;
    else at = memory->used_pages++;
    memory->pages[at].page = page_of(line); /* everything else is zero while it is not in use */
    *page_slot = at;
  }
  sk__page_entry *page = &memory->pages[*page_slot];
  uint32_t *slot = &page->line[line_in_page(line)];
  if (*slot == 0) {
    uint32_t at = memory->spare_line;
    if (at != 0) memory->spare_line = memory->lines[at].next_spare;
    else at = memory->used_lines++;
    memory->lines[at].line = line; /* nobody holds it yet; `change` and `gm` are written before they are read */
    memory->lines[at].view = VIEW_GM;
    *slot = at;
    page->cached |= UINT64_C(1) << line_in_page(line);
  }
  return &memory->lines[*slot];
}

/* Nobody holds the line any more. */
static void entry_drop(sk__memory *memory, sk__line_entry *entry) {
  sk__page_entry *page = page_entry_of(memory, entry->line);
  uint32_t *slot = &page->line[line_in_page(entry->line)];
  uint64_t bit = UINT64_C(1) << line_in_page(entry->line);
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

/* ---- a core's lines -------------------------------------------------------------------------- */

static void recent_clear(sk__dcache *cache) {
  for (uint32_t i = 0; i < SK__RECENT; i++) cache->recent[i] = &cache->none;
  memset(cache->local, 0, sizeof cache->local);
  cache->recent_used = false;
}

void sk__dcache_create(sk__memory *memory, sk__core *core, sk__dcache *cache) {
  uint32_t sets = memory->soc->dcache_bytes[core->type] / (uint32_t)(SK__LINE_BYTES * SK__DCACHE_WAYS);
  cache->sets = sets < SK__DCACHE_MAX_SETS ? sets : SK__DCACHE_MAX_SETS;
  cache->ub_bytes = sk__mem_bytes(memory->soc, core->type, SK__MEM_UB);
  cache->memory = memory;
  cache->core = core;
  recent_clear(cache);
  memory->caches[core->index] = cache;
  core->dcache = cache;
}

void sk__dcache_destroy(sk__core *core) {
  if (core->dcache == NULL) return;
  core->dcache->memory->caches[core->index] = NULL;
  core->dcache = NULL;
}

static uint32_t set_of(const sk__dcache *cache, uint64_t line) { return (uint32_t)(line >> 6) & (cache->sets - 1); }

static sk__line *line_find(sk__dcache *cache, uint64_t line) {
  sk__line *set = &cache->lines[set_of(cache, line) * SK__DCACHE_WAYS];
  for (uint32_t way = 0; way < SK__DCACHE_WAYS; way++)
    if (set[way].tag == line) return &set[way];
  return NULL;
}

static bool is_private(const sk__line *line) { return (line->dirty | line->stale) != 0; }

/* Steps through the copies of a line. */
typedef struct copies { sk__memory *memory; const sk__line_entry *entry; uint64_t bits[2]; sk__dcache *cache; } copies;
static copies copies_of(sk__memory *memory, const sk__line_entry *entry) {
  return (copies){memory, entry, {entry->holders[0], entry->holders[1]}, NULL};
}
static sk__line *copies_next(copies *walk) {
  uint32_t word = walk->bits[0] != 0 ? 0 : 1;
  if (walk->bits[word] == 0) return NULL;
  uint32_t core = word * 64 + (uint32_t)__builtin_ctzll(walk->bits[word]);
  walk->bits[word] &= walk->bits[word] - 1;
  walk->cache = walk->memory->caches[core];
  return line_find(walk->cache, walk->entry->line);
}

static bool entry_uneven(sk__memory *memory, const sk__line_entry *entry) {
  return (page_entry_of(memory, entry->line)->uneven >> line_in_page(entry->line) & 1) != 0;
}

static void uneven_update(sk__memory *memory, const sk__line_entry *entry) {
  copies walk = copies_of(memory, entry);
  bool uneven = false;
  for (sk__line *copy; (copy = copies_next(&walk)) != NULL;) uneven |= is_private(copy);
  uint64_t bit = UINT64_C(1) << line_in_page(entry->line);
  sk__page_entry *page = page_entry_of(memory, entry->line);
  page->uneven = uneven ? page->uneven | bit : page->uneven & ~bit;
}

/* Makes memory show this core's private copy, or GM (owner NULL). Nothing to do with several threads. */
static void show(sk__memory *memory, sk__line_entry *entry, sk__dcache *owner) {
  uint32_t view = owner == NULL ? VIEW_GM : owner->core->index;
  if (memory->threaded || entry->view == view) return;
  uint8_t *shown = (uint8_t *)entry->line;
  uint8_t *keep = entry->view == VIEW_GM ? entry->gm : line_find(memory->caches[entry->view], entry->line)->bytes;
  memcpy(keep, shown, SK__LINE_BYTES);
  memcpy(shown, owner == NULL ? entry->gm : line_find(owner, entry->line)->bytes, SK__LINE_BYTES);
  entry->view = view;
  copies walk = copies_of(memory, entry);
  for (sk__line *copy; (copy = copies_next(&walk)) != NULL;) copy->seen.fast = 0;
}

static void note_now(const sk__core *core, sk__pipe pipe, sk__note *out) {
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

/* Is what was noted certain to come before what `pipe` of this core does now? Without that order a read
 * of old bytes is a race, which the shadow reports, or a poll, which is legal. */
static bool is_ordered(const sk__core *core, sk__pipe pipe, const sk__note *note) {
  return core->checks && sk__order_covers(&core->order, pipe, note->core, (sk__pipe)note->pipe, note->clock);
}

/* Marks other cores' copies: GM got new bytes there. `old` are GM's bytes before. */
static void push_stale(sk__memory *memory, sk__line_entry *entry, const sk__dcache *but, uint64_t mask, const uint8_t *old) {
  copies walk = copies_of(memory, entry);
  for (sk__line *copy; (copy = copies_next(&walk)) != NULL;) {
    if (walk.cache == but) continue;
    if (!is_private(copy) && !memory->threaded) memcpy(copy->bytes, old, SK__LINE_BYTES);
    copy->stale |= mask;
    copy->seen.fast = 0;
  }
}

/* Somebody writes these bytes: notes which of the copy's dirty bytes are older for certain. */
static uint64_t supersede(const sk__core *core, sk__pipe pipe, sk__line *copy, uint64_t mask) {
  uint64_t older = copy->dirty & mask;
  if (older == 0 || !is_ordered(core, pipe, &copy->store)) return 0;
  copy->superseded |= older;
  return older;
}

/* ---- write-back ------------------------------------------------------------------------------ */

/* The bytes that go back with the line although the core has not stored them. */
static void record_rest(sk__core *core, const sk__line *line) {
  for (uint64_t rest = ~line->dirty; rest != 0;) {
    uint32_t first = (uint32_t)__builtin_ctzll(rest);
    uint64_t above = ~(rest >> first);
    uint32_t count = above == 0 ? 64 - first : (uint32_t)__builtin_ctzll(above);
    sk__shadow_gm_write_back(core->checker, &core->order, line->tag + first, count, line->store.site, sk__written_back);
    rest = first + count == 64 ? 0 : rest & UINT64_MAX << (first + count);
  }
}

static void write_back(sk__core *core, sk__line *line, const char *why) {
  sk__dcache *cache = core->dcache;
  sk__memory *memory = cache->memory;
  sk__line_entry *entry = line->entry;
  core->gm_stores++;
  uint64_t overrun = line->stale & line->dirty & line->superseded;
  if (overrun != 0) sk__dcache_report_overrun(core, &line->store, &entry->change, line->tag, overrun, why);
  if ((line->stale & ~line->dirty) != 0 && core->checks)
    sk__dcache_report_sharing(core, &line->store, &entry->change, line->tag, line->stale & ~line->dirty, why);
  if (memory->threaded) {
    push_stale(memory, entry, cache, line->dirty, NULL);
    const uint8_t *shown = (const uint8_t *)entry->line;
    for (uint64_t rest = line->dirty; rest != 0; rest &= rest - 1) {
      uint32_t at = (uint32_t)__builtin_ctzll(rest);
      entry->gm[at] = shown[at];
    }
  } else {
    show(memory, entry, cache);
    push_stale(memory, entry, cache, line->dirty | line->stale, entry->gm);
    entry->view = VIEW_GM;
  }
  entry->change = line->store;
  entry->change.clock = core->order.clock[SK__PIPE_S];
  /* Memory changes now, not when the store was made: who is ordered after the store alone is not safe. A
   * flush that the launch's end makes for the core orders nothing and is nobody's. */
  if (core->checks && core == sk__self) {
    sk__scalar_record(core, SK__WRITE, line->tag, line->dirty, line->store.site, sk__written_back);
    record_rest(core, line);
  }
}

static void settle_newest(sk__memory *memory, sk__line_entry *entry) {
  copies walk = copies_of(memory, entry);
  uint64_t dirty = 0;
  for (sk__line *copy; (copy = copies_next(&walk)) != NULL;) dirty |= copy->dirty;
  if (dirty == 0) entry->view = VIEW_GM;
}

/* Clean and invalidate. */
static void line_drop(sk__core *core, sk__line *line, const char *why) {
  sk__dcache *cache = core->dcache;
  sk__memory *memory = cache->memory;
  sk__line_entry *entry = line->entry;
  if (line->dirty != 0) write_back(core, line, why);
  else if (entry->view == core->index) show(memory, entry, NULL);
  entry->holders[core->index / 64] &= ~(UINT64_C(1) << core->index % 64);
  uint32_t at = (uint32_t)(line - cache->lines);
  cache->occupied[at / 64] &= ~(UINT64_C(1) << at % 64);
  line->tag = line->dirty = line->stale = line->superseded = line->seen.fast = 0;
  line->left_behind = line->left_over = false;
  if (memory->threaded && entry->view == VIEW_NEWEST) settle_newest(memory, entry);
  if ((entry->holders[0] | entry->holders[1]) == 0) entry_drop(memory, entry);
  else uneven_update(memory, entry);
}

/* ---- scalar accesses ------------------------------------------------------------------------- */

static sk__line *line_fill(sk__core *core, uint64_t address) {
  sk__dcache *cache = core->dcache;
  uint32_t set = set_of(cache, address), way = cache->next_way[set];
  sk__line *lines = &cache->lines[set * SK__DCACHE_WAYS];
  for (uint32_t i = 0; i < SK__DCACHE_WAYS; i++)
    if (lines[i].tag == 0) {
      way = i;
      break;
    }
  if (lines[way].tag != 0) {
    sk__scalar_settle(core);
    line_drop(core, &lines[way], "eviction");
    cache->next_way[set] = (uint8_t)((way + 1) % SK__DCACHE_WAYS);
  }
  sk__line *line = &lines[way];
  sk__line_entry *entry = entry_make(cache->memory, address);
  show(cache->memory, entry, NULL);
  line->tag = address;
  line->entry = entry;
  line->seen = (sk__seen){0};
  entry->holders[core->index / 64] |= UINT64_C(1) << core->index % 64;
  uint32_t at = (uint32_t)(line - cache->lines);
  cache->occupied[at / 64] |= UINT64_C(1) << at % 64;
  core->cycles[SK__PIPE_S] += cache->memory->soc->costs.dcache_miss_cycles;
  return line;
}

/* Copies differ somewhere on this line: judges the load and shows the right copy. */
static void uneven_load(sk__core *core, sk__line *line, uint64_t need) {
  sk__dcache *cache = core->dcache;
  sk__line_entry *entry = line->entry;
  copies walk = copies_of(cache->memory, entry);
  for (sk__line *copy; (copy = copies_next(&walk)) != NULL;) {
    uint64_t missed = copy->dirty & need & ~line->dirty;
    if (walk.cache != cache && missed != 0 && is_ordered(core, SK__PIPE_S, &copy->store))
      sk__dcache_report_unflushed(core, SK__PIPE_S, &copy->store, line->tag, missed, copy->left_behind);
  }
  if ((line->stale & need) != 0 && is_ordered(core, SK__PIPE_S, &entry->change))
    sk__dcache_report_stale(core, &entry->change, line->tag, line->stale & need, line->left_over);
  show(cache->memory, entry, is_private(line) ? cache : NULL);
}

static void store(sk__core *core, sk__line *line, uint64_t need) {
  sk__dcache *cache = core->dcache;
  sk__memory *memory = cache->memory;
  sk__line_entry *entry = line->entry;
  if (memory->threaded) {
    if (entry->view == VIEW_GM) memcpy(entry->gm, (const void *)entry->line, SK__LINE_BYTES);
    entry->view = VIEW_NEWEST;
  } else if (is_private(line)) {
    show(memory, entry, cache);
  } else {
    show(memory, entry, NULL);
    memcpy(entry->gm, (const void *)entry->line, SK__LINE_BYTES);
    entry->view = core->index;
  }
  if (line->dirty == 0) {
    copies walk = copies_of(memory, entry);
    for (sk__line *copy; (copy = copies_next(&walk)) != NULL;) copy->seen.fast = 0;
    page_entry_of(memory, entry->line)->uneven |= UINT64_C(1) << line_in_page(entry->line);
  }
  if (entry_uneven(memory, entry)) {
    copies walk = copies_of(memory, entry);
    for (sk__line *copy; (copy = copies_next(&walk)) != NULL;)
      if (copy != line) (void)supersede(core, SK__PIPE_S, copy, need);
  }
  line->dirty |= need;
  line->stale &= ~need;
  line->superseded &= ~need;
  note_now(core, SK__PIPE_S, &line->store);
}

static bool may_be_fast(sk__memory *memory, const sk__dcache *cache, const sk__line *line) {
  if (!entry_uneven(memory, line->entry)) return true;
  if (line->stale != 0) return false;
  if (!memory->threaded && line->entry->view != (line->dirty != 0 ? cache->core->index : (uint32_t)VIEW_GM)) return false;
  copies walk = copies_of(memory, line->entry);
  for (const sk__line *copy; (copy = copies_next(&walk)) != NULL;)
    if (copy != line && copy->dirty != 0) return false;
  return true;
}

sk__line *sk__dcache_access(sk__core *core, uint64_t address, uint64_t bytes, bool is_write) {
  sk__dcache *cache = core->dcache;
  sk__memory *memory = cache->memory;
  uint64_t at = address & ~(SK__LINE_BYTES - 1), need = sk__line_mask(address, bytes);
  sk__line *line = line_find(cache, at);
  if (line != NULL && line->seen.fast == at && (!is_write || (need & ~line->dirty) == 0)) {
    if (is_write) note_now(core, SK__PIPE_S, &line->store);
    cache->recent[sk__recent_slot(at)] = &line->seen;
    cache->recent_used = true;
    return line;
  }
  directory_lock(memory);
  if (line == NULL) line = line_fill(core, at);
  if (is_write) store(core, line, need);
  else if (entry_uneven(memory, line->entry)) uneven_load(core, line, need);
  line->seen.fast = may_be_fast(memory, cache, line) ? at : 0;
  directory_unlock(memory);
  cache->recent[sk__recent_slot(at)] = &line->seen;
  cache->recent_used = true;
  return line;
}

/* ---- instructions on the cache --------------------------------------------------------------- */

void sk__dcache_clean_line(sk__core *core, uint64_t address) {
  sk__dcache *cache = core->dcache;
  uint64_t at = address & ~(SK__LINE_BYTES - 1);
  sk__scalar_settle(core);
  directory_lock(cache->memory);
  sk__line *line = line_find(cache, at), *next = line_find(cache, at + SK__LINE_BYTES);
  if (line != NULL) {
    if (next != NULL && (line->dirty >> 63 & next->dirty & 1) != 0) next->left_behind = true;
    line_drop(core, line, "dcci");
  }
  directory_unlock(cache->memory);
}

/* A scalar unit that cleans a line before each look at it polls: such a load races by design, and what it finds was
 * published by the clean of whoever stored it. */
void sk__dcache_signal_line(sk__core *core, uint64_t address) {
  enum { CALLS_BETWEEN = 2 }; /* a data barrier, and the automatic synchronisation of a tensor's GetValue */
  sk__dcache *cache = core->dcache;
  uint64_t at = address & ~(SK__LINE_BYTES - 1);
  const sk__line *line = line_find(cache, at);
  bool stored = line != NULL && line->dirty != 0;
  sk__dcache_clean_line(core, at);
  if (stored) sk__soft_signal(core, sk__signal_of_line(at), 0);
  cache->fresh_line = at;
  cache->fresh_until = core->instructions + CALLS_BETWEEN;
}

void sk__dcache_clean_all(sk__core *core) {
  sk__dcache *cache = core->dcache;
  cache->fresh_line = 0;
  sk__scalar_settle(core);
  directory_lock(cache->memory);
  for (uint32_t word = 0; word < sizeof cache->occupied / sizeof cache->occupied[0]; word++)
    while (cache->occupied[word] != 0)
      line_drop(core, &cache->lines[word * 64 + (uint32_t)__builtin_ctzll(cache->occupied[word])], "dcci");
  if (cache->recent_used) recent_clear(cache);
  directory_unlock(cache->memory);
}

void sk__dcache_polled(sk__core *core) {
  sk__machine *machine = core->machine;
  if (++core->dcache->polls % POLLS_BEFORE_FLUSH != 0) return;
  sk__lock(machine);
  for (uint32_t i = 0; i < machine->run.core_count; i++) {
    uint32_t other = machine->run.cores[i];
    if (machine->seats[other].state == SK__SEAT_DONE) sk__dcache_clean_all(&machine->cores[other]);
  }
  sk__unlock(machine);
}

void sk__dcache_preload(sk__core *core, uint64_t address) {
  sk__dcache *cache = core->dcache;
  uint64_t at = address & ~(SK__LINE_BYTES - 1);
  if (!sk__in_gm(address) || line_find(cache, at) != NULL || sk__extent_of(cache, address, 1) == NULL) return;
  directory_lock(cache->memory);
  (void)line_fill(core, at);
  directory_unlock(cache->memory);
}

/* ---- from launch to launch ------------------------------------------------------------------- */

static const sk__note by_host = {.core = SK__HOST_CORE, .instr = "a host copy"};

void sk__dcache_put_stale(sk__core *core, uint64_t line, const uint8_t bytes[SK__LINE_BYTES], uint64_t mask) {
  sk__dcache *cache = core->dcache;
  uint64_t cycles = core->cycles[SK__PIPE_S];
  directory_lock(cache->memory);
  sk__line *copy = line_fill(core, line);
  memcpy(copy->bytes, bytes, SK__LINE_BYTES);
  copy->stale = mask;
  copy->left_over = true;
  copy->entry->change = by_host;
  uneven_update(cache->memory, copy->entry);
  directory_unlock(cache->memory);
  core->cycles[SK__PIPE_S] = cycles; /* no miss: it was there */
}

bool sk__dcache_next_even(const sk__core *core, uint32_t *at, uint64_t *line) {
  const sk__dcache *cache = core->dcache;
  for (; *at < SK__DCACHE_MAX_LINES; ++*at) {
    const sk__line *copy = &cache->lines[*at];
    if (copy->tag == 0 || copy->stale != 0) continue;
    *line = copy->tag;
    ++*at;
    return true;
  }
  return false;
}

void sk__dcache_forget_all(sk__memory *memory) {
  for (uint32_t core = 0; core < SK__MAX_CORES; core++) {
    sk__dcache *cache = memory->caches[core];
    if (cache == NULL) continue;
    for (uint32_t word = 0; word < sizeof cache->occupied / sizeof cache->occupied[0]; word++)
      while (cache->occupied[word] != 0) {
        sk__line *line = &cache->lines[word * 64 + (uint32_t)__builtin_ctzll(cache->occupied[word])];
        if (line->entry->view != VIEW_GM) memcpy((void *)line->tag, line->entry->gm, SK__LINE_BYTES);
        line->entry->view = VIEW_GM;
        line->dirty = line->stale = 0;
        line_drop(cache->core, line, "");
      }
    cache->late = NULL;
    cache->core->order.settle = NULL;
    recent_clear(cache);
  }
}

/* ---- movers and the host ----------------------------------------------------------------------- */

/* The next line with its bit set in page->cached or page->uneven inside [*at, end); NULL at the end. */
static sk__line_entry *next_line(sk__memory *memory, uint64_t *at, uint64_t end, bool only_uneven) {
  while (*at < end) {
    uint32_t index = memory->page_entry[page_of(*at)];
    uint64_t page_end = (*at | (SK__PAGE_BYTES - 1)) + 1;
    if (index != 0) {
      const sk__page_entry *page = &memory->pages[index];
      uint64_t bits = (only_uneven ? page->uneven : page->cached) & ~UINT64_C(0) << line_in_page(*at);
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
  if (entry->view == VIEW_GM) return;
  const uint8_t *gm = entry->gm + (part->low - entry->line);
  uint8_t *out = (uint8_t *)to + (part->low - from);
  if (!memory->threaded) {
    memcpy(out, gm, part->bytes);
    return;
  }
  uint64_t stored = 0;
  copies walk = copies_of(memory, entry);
  for (const sk__line *copy; (copy = copies_next(&walk)) != NULL;) stored |= copy->dirty;
  stored >>= part->low - entry->line;
  for (uint64_t i = 0; i < part->bytes; i++)
    if (stored >> i & 1) out[i] = gm[i];
}

void sk__dcache_mover_read(sk__core *core, sk__pipe pipe, void *to, uint64_t from, uint64_t bytes) {
  sk__memory *memory = core->dcache->memory;
  directory_lock(memory);
  uint64_t at = from;
  for (sk__line_entry *entry; (entry = next_line(memory, &at, from + bytes, true)) != NULL;) {
    overlap part = overlap_of(entry, from, from + bytes);
    copies walk = copies_of(memory, entry);
    for (sk__line *copy; (copy = copies_next(&walk)) != NULL;)
      if ((copy->dirty & part.mask) != 0 && is_ordered(core, pipe, &copy->store))
        sk__dcache_report_unflushed(core, pipe, &copy->store, entry->line, copy->dirty & part.mask, copy->left_behind);
    patch(memory, entry, &part, to, from);
  }
  directory_unlock(memory);
}

void sk__dcache_mover_write(sk__core *core, sk__pipe pipe, uint64_t to, uint64_t bytes) {
  sk__memory *memory = core->dcache->memory;
  directory_lock(memory);
  uint64_t at = to;
  for (sk__line_entry *entry; (entry = next_line(memory, &at, to + bytes, false)) != NULL;) {
    overlap part = overlap_of(entry, to, to + bytes);
    show(memory, entry, NULL);
    note_now(core, pipe, &entry->change);
    copies walk = copies_of(memory, entry);
    for (sk__line *copy; (copy = copies_next(&walk)) != NULL;) {
      uint64_t over = supersede(core, pipe, copy, part.mask);
      if (over != 0 && memory->threaded)
        sk__dcache_report_overrun(core, &copy->store, &entry->change, entry->line, over, "");
      if (memory->threaded) copy->dirty &= ~part.mask;
    }
    if (memory->threaded) settle_newest(memory, entry);
    push_stale(memory, entry, NULL, part.mask, (const uint8_t *)entry->line);
    uneven_update(memory, entry);
  }
  directory_unlock(memory);
}

void sk__dcache_host_read(sk__memory *memory, void *to, uint64_t from, uint64_t bytes) {
  directory_lock(memory);
  uint64_t at = from;
  for (sk__line_entry *entry; (entry = next_line(memory, &at, from + bytes, true)) != NULL;) {
    overlap part = overlap_of(entry, from, from + bytes);
    patch(memory, entry, &part, to, from);
  }
  directory_unlock(memory);
}

void sk__dcache_host_write(sk__memory *memory, uint64_t to, uint64_t bytes) {
  directory_lock(memory);
  uint64_t at = to;
  for (sk__line_entry *entry; (entry = next_line(memory, &at, to + bytes, false)) != NULL;) {
    overlap part = overlap_of(entry, to, to + bytes);
    show(memory, entry, NULL);
    entry->change = by_host;
    push_stale(memory, entry, NULL, part.mask, (const uint8_t *)entry->line);
    uneven_update(memory, entry);
  }
  directory_unlock(memory);
}
