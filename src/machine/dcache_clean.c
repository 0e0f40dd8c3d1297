/* dcache_clean.c - instructions on the cache, and what stays in it from launch to launch. */
#include "machine/dcache_lines.h"
#include "machine/soft.h"

enum { POLLS_BEFORE_FLUSH = 256 };

/* ---- instructions on the cache --------------------------------------------------------------- */

void sk__dcache_clean_line(sk__core *core, uint64_t address) {
  sk__dcache *cache = core->dcache;
  uint64_t at = address & ~(SK__LINE_BYTES - 1);
  sk__scalar_settle(core);
  sk__directory_lock(cache->memory);
  sk__line *line = sk__dcache_find(cache, at), *next = sk__dcache_find(cache, at + SK__LINE_BYTES);
  if (line != NULL) {
    if (next != NULL && (line->dirty >> 63 & next->dirty & 1) != 0) next->left_behind = true;
    sk__dcache_drop(core, line, "dcci");
  }
  sk__directory_unlock(cache->memory);
}

/* A scalar unit that cleans a line before each look at it polls: such a load races by design, and what it finds was
 * published by the clean of whoever stored it. */
void sk__dcache_signal_line(sk__core *core, uint64_t address) {
  enum { CALLS_BETWEEN = 2 }; /* a data barrier, and the automatic synchronisation of a tensor's GetValue */
  sk__dcache *cache = core->dcache;
  uint64_t at = address & ~(SK__LINE_BYTES - 1);
  const sk__line *line = sk__dcache_find(cache, at);
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
  sk__directory_lock(cache->memory);
  for (uint32_t word = 0; word < sizeof cache->occupied / sizeof cache->occupied[0]; word++)
    while (cache->occupied[word] != 0)
      sk__dcache_drop(core, &cache->lines[word * 64 + (uint32_t)__builtin_ctzll(cache->occupied[word])], "dcci");
  if (cache->recent_used) sk__dcache_recent_clear(cache);
  sk__directory_unlock(cache->memory);
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
  if (!sk__in_gm(address) || sk__dcache_find(cache, at) != NULL || sk__extent_of(cache, address, 1) == NULL) return;
  sk__directory_lock(cache->memory);
  (void)sk__dcache_fill(core, at);
  sk__directory_unlock(cache->memory);
}

/* ---- from launch to launch ------------------------------------------------------------------- */

void sk__dcache_put_stale(sk__core *core, uint64_t line, const uint8_t bytes[SK__LINE_BYTES], uint64_t mask) {
  sk__dcache *cache = core->dcache;
  uint64_t cycles = core->cycles[SK__PIPE_S];
  sk__directory_lock(cache->memory);
  sk__line *copy = sk__dcache_fill(core, line);
  memcpy(copy->bytes, bytes, SK__LINE_BYTES);
  copy->stale = mask;
  copy->left_over = true;
  copy->entry->change = SK__NOTE_OF_HOST;
  sk__copies_update_uneven(cache->memory, copy->entry);
  sk__directory_unlock(cache->memory);
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
        if (line->entry->view != SK__VIEW_GM) memcpy((void *)line->tag, line->entry->gm, SK__LINE_BYTES);
        line->entry->view = SK__VIEW_GM;
        line->dirty = line->stale = 0;
        sk__dcache_drop(cache->core, line, "");
      }
    cache->late = NULL;
    cache->core->order.settle = NULL;
    sk__dcache_recent_clear(cache);
  }
}
