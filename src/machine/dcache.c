/* dcache.c - a core's lines: fills, stores, loads and write-back, and what goes wrong between caches and memory (H11..H14). */
#include "machine/dcache.h"

#include "machine/dcache_lines.h"
#include "machine/dcache_report.h"

void sk__dcache_recent_clear(sk__dcache *cache) {
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
  sk__dcache_recent_clear(cache);
  memory->caches[core->index] = cache;
  core->dcache = cache;
}

void sk__dcache_destroy(sk__core *core) {
  if (core->dcache == NULL) return;
  core->dcache->memory->caches[core->index] = NULL;
  core->dcache = NULL;
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
    sk__copies_push_stale(memory, entry, cache, line->dirty, NULL);
    const uint8_t *shown = (const uint8_t *)entry->line;
    for (uint64_t rest = line->dirty; rest != 0; rest &= rest - 1) {
      uint32_t at = (uint32_t)__builtin_ctzll(rest);
      entry->gm[at] = shown[at];
    }
  } else {
    sk__copies_show(memory, entry, cache);
    sk__copies_push_stale(memory, entry, cache, line->dirty | line->stale, entry->gm);
    entry->view = SK__VIEW_GM;
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

void sk__dcache_drop(sk__core *core, sk__line *line, const char *why) {
  sk__dcache *cache = core->dcache;
  sk__memory *memory = cache->memory;
  sk__line_entry *entry = line->entry;
  if (line->dirty != 0) write_back(core, line, why);
  else if (entry->view == core->index) sk__copies_show(memory, entry, NULL);
  entry->holders[core->index / 64] &= ~(UINT64_C(1) << core->index % 64);
  uint32_t at = (uint32_t)(line - cache->lines);
  cache->occupied[at / 64] &= ~(UINT64_C(1) << at % 64);
  line->tag = line->dirty = line->stale = line->superseded = line->seen.fast = 0;
  line->left_behind = line->left_over = false;
  if (memory->threaded && entry->view == SK__VIEW_NEWEST) sk__copies_settle_newest(memory, entry);
  if ((entry->holders[0] | entry->holders[1]) == 0) sk__line_entry_drop(memory, entry);
  else sk__copies_update_uneven(memory, entry);
}

/* ---- scalar accesses ------------------------------------------------------------------------- */

sk__line *sk__dcache_fill(sk__core *core, uint64_t address) {
  sk__dcache *cache = core->dcache;
  uint32_t set = sk__dcache_set(cache, address), way = cache->next_way[set];
  sk__line *lines = &cache->lines[set * SK__DCACHE_WAYS];
  for (uint32_t i = 0; i < SK__DCACHE_WAYS; i++)
    if (lines[i].tag == 0) {
      way = i;
      break;
    }
  if (lines[way].tag != 0) {
    sk__scalar_settle(core);
    sk__dcache_drop(core, &lines[way], "eviction");
    cache->next_way[set] = (uint8_t)((way + 1) % SK__DCACHE_WAYS);
  }
  sk__line *line = &lines[way];
  sk__line_entry *entry = sk__line_entry_make(cache->memory, address);
  sk__copies_show(cache->memory, entry, NULL);
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
  sk__copies walk = sk__copies_of(cache->memory, entry);
  for (sk__line *copy; (copy = sk__copies_next(&walk)) != NULL;) {
    uint64_t missed = copy->dirty & need & ~line->dirty;
    if (walk.cache != cache && missed != 0 && sk__note_is_ordered(core, SK__PIPE_S, &copy->store))
      sk__dcache_report_unflushed(core, SK__PIPE_S, &copy->store, line->tag, missed, copy->left_behind);
  }
  if ((line->stale & need) != 0 && sk__note_is_ordered(core, SK__PIPE_S, &entry->change))
    sk__dcache_report_stale(core, &entry->change, line->tag, line->stale & need, line->left_over);
  sk__copies_show(cache->memory, entry, sk__line_is_private(line) ? cache : NULL);
}

static void store(sk__core *core, sk__line *line, uint64_t need) {
  sk__dcache *cache = core->dcache;
  sk__memory *memory = cache->memory;
  sk__line_entry *entry = line->entry;
  if (memory->threaded) {
    if (entry->view == SK__VIEW_GM) memcpy(entry->gm, (const void *)entry->line, SK__LINE_BYTES);
    entry->view = SK__VIEW_NEWEST;
  } else if (sk__line_is_private(line)) {
    sk__copies_show(memory, entry, cache);
  } else {
    sk__copies_show(memory, entry, NULL);
    memcpy(entry->gm, (const void *)entry->line, SK__LINE_BYTES);
    entry->view = core->index;
  }
  if (line->dirty == 0) {
    sk__copies walk = sk__copies_of(memory, entry);
    for (sk__line *copy; (copy = sk__copies_next(&walk)) != NULL;) copy->seen.fast = 0;
    sk__page_entry_of(memory, entry->line)->uneven |= UINT64_C(1) << sk__line_in_page(entry->line);
  }
  if (sk__line_entry_uneven(memory, entry)) {
    sk__copies walk = sk__copies_of(memory, entry);
    for (sk__line *copy; (copy = sk__copies_next(&walk)) != NULL;)
      if (copy != line) (void)sk__copy_supersede(core, SK__PIPE_S, copy, need);
  }
  line->dirty |= need;
  line->stale &= ~need;
  line->superseded &= ~need;
  sk__note_now(core, SK__PIPE_S, &line->store);
}

static bool may_be_fast(sk__memory *memory, const sk__dcache *cache, const sk__line *line) {
  if (!sk__line_entry_uneven(memory, line->entry)) return true;
  if (line->stale != 0) return false;
  if (!memory->threaded && line->entry->view != (line->dirty != 0 ? cache->core->index : (uint32_t)SK__VIEW_GM)) return false;
  sk__copies walk = sk__copies_of(memory, line->entry);
  for (const sk__line *copy; (copy = sk__copies_next(&walk)) != NULL;)
    if (copy != line && copy->dirty != 0) return false;
  return true;
}

sk__line *sk__dcache_access(sk__core *core, uint64_t address, uint64_t bytes, bool is_write) {
  sk__dcache *cache = core->dcache;
  sk__memory *memory = cache->memory;
  uint64_t at = address & ~(SK__LINE_BYTES - 1), need = sk__line_mask(address, bytes);
  sk__line *line = sk__dcache_find(cache, at);
  if (line != NULL && line->seen.fast == at && (!is_write || (need & ~line->dirty) == 0)) {
    if (is_write) sk__note_now(core, SK__PIPE_S, &line->store);
    cache->recent[sk__recent_slot(at)] = &line->seen;
    cache->recent_used = true;
    return line;
  }
  sk__directory_lock(memory);
  if (line == NULL) line = sk__dcache_fill(core, at);
  if (is_write) store(core, line, need);
  else if (sk__line_entry_uneven(memory, line->entry)) uneven_load(core, line, need);
  line->seen.fast = may_be_fast(memory, cache, line) ? at : 0;
  sk__directory_unlock(memory);
  cache->recent[sk__recent_slot(at)] = &line->seen;
  cache->recent_used = true;
  return line;
}
