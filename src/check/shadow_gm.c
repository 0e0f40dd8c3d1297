/* shadow_gm.c - who wrote and read device memory: one record per 4 KiB page.
 *
 *   page record   up to three runs inline; misaligned tiles need no more
 *   expanded      16 chunks of 256 bytes, each one cell or a list of byte runs
 *   accessor set  where several actors read (weights) or add atomically since the last write
 *
 * A covering write makes any page one run again. Dropping an accessor that is ordered before a new one
 * of the same kind loses nothing: who is ordered after the new one is ordered after the old one. */
#include "check/shadow.h"

#define HEAD_LOCK (1u << 31)
#define HEAD_EXPANDED (1u << 30)
#define ROOM (SK__GM_RUNS + 2)

/* Beyond sk__access and SK__PROBE_WRITE_BACK: what the host does. Nothing is judged. */
enum { FORGET = 8, HOST_WRITE = 9 };

/* ---- accessor sets --------------------------------------------------------------------------- */

/* Open addressing over (actor, atomic), which may come more than once, from launches that do not know each other; a stamp
 * of 0 is an empty slot. The origins follow the stamps. */
typedef struct gm_set {
  uint32_t capacity, count;
  uint32_t atomics, unused; /* how many are atomic */
  uint64_t stamp[];
} gm_set;

static size_t set_bytes(uint32_t capacity) {
  return sizeof(gm_set) + capacity * (sizeof(uint64_t) + sizeof(uint16_t));
}
static uint16_t *set_origins(gm_set *set) { return (uint16_t *)(set->stamp + set->capacity); }
static gm_set *set_of(uint64_t accessor) { return (gm_set *)(uintptr_t)(accessor & SK__STAMP_CLOCK); }
static bool is_set(uint64_t accessor) { return (accessor & SK__STAMP_SET) != 0; }
static uint64_t key_of(uint64_t stamp) { return stamp >> SK__STAMP_SHIFT; }

/* The actor's own earlier access of the same kind is of no more use, unless it was made in a launch that this one does not
 * know. */
static bool is_superseded(const sk__probe *probe, uint64_t earlier, uint64_t me) {
  if (key_of(earlier) != key_of(me)) return false;
  return SK__LIKELY(probe->gaps == NULL) || sk__stamp_clock(earlier) >= probe->order->launch_clock || sk__ordered(probe, earlier);
}

static uint32_t set_start(const gm_set *set, uint64_t stamp) {
  uint64_t key = key_of(stamp);
  return (uint32_t)((key ^ key >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> 40) & (set->capacity - 1);
}
static uint32_t set_next(const gm_set *set, uint32_t i) { return (i + 1) & (set->capacity - 1); }

/* Where the access that `me` supersedes stands, or an empty slot. */
static uint32_t set_slot(const sk__probe *probe, const gm_set *set, uint64_t me) {
  uint32_t i = set_start(set, me);
  while (set->stamp[i] != 0 && !is_superseded(probe, set->stamp[i], me)) i = set_next(set, i);
  return i;
}

static void set_add(gm_set *set, uint64_t stamp, uint16_t origin) {
  uint32_t i = set_start(set, stamp);
  while (set->stamp[i] != 0) i = set_next(set, i);
  set->count++;
  set->atomics += (stamp & SK__STAMP_ATOMIC) != 0;
  set->stamp[i] = stamp;
  set_origins(set)[i] = origin;
}

static gm_set *set_new(sk__checker *checker, uint32_t capacity) {
  gm_set *set = sk__shadow_alloc(checker, set_bytes(capacity));
  if (set == NULL) return NULL;
  *set = (gm_set){.capacity = capacity};
  memset(set->stamp, 0, set_bytes(capacity) - sizeof *set);
  return set;
}

static void drop_accessor(sk__checker *checker, uint64_t accessor) {
  if (!is_set(accessor)) return;
  gm_set *set = set_of(accessor);
  sk__shadow_free(checker, set, set_bytes(set->capacity));
}

/* No memory: the bytes count as written by the host, in favour of silence. */
SK__COLD static void forget_cell(sk__checker *checker, sk__gm_cell *cell) {
  drop_accessor(checker, cell->accessor);
  *cell = (sk__gm_cell){.writer = SK__STAMP_HOST};
}

static void cell_copy(sk__checker *checker, sk__gm_cell *to, const sk__gm_cell *from) {
  *to = *from;
  if (!is_set(from->accessor)) return;
  gm_set *old = set_of(from->accessor), *set = sk__shadow_alloc(checker, set_bytes(old->capacity));
  if (set == NULL) {
    *to = (sk__gm_cell){.writer = SK__STAMP_HOST};
    return;
  }
  memcpy(set, old, set_bytes(old->capacity));
  to->accessor = SK__STAMP_SET | (uintptr_t)set;
}

/* A new accessor for which the set has no room: without those it makes superfluous, in a set that fits. */
SK__COLD static gm_set *set_rebuilt(sk__probe *probe, gm_set *old, uint64_t me) {
  uint32_t keep = 0;
  for (uint32_t i = 0; i < old->capacity; i++) {
    uint64_t s = old->stamp[i];
    if (s == 0) continue;
    if (((s ^ me) & SK__STAMP_ATOMIC) == 0 && sk__ordered(probe, s)) old->stamp[i] = 0;
    else keep++;
  }
  uint32_t capacity = 8;
  while (capacity < (keep + 1) * 2) capacity *= 2;
  gm_set *set = set_new(probe->checker, capacity);
  if (set != NULL)
    for (uint32_t i = 0; i < old->capacity; i++)
      if (old->stamp[i] != 0) set_add(set, old->stamp[i], set_origins(old)[i]);
  sk__shadow_free(probe->checker, old, set_bytes(old->capacity));
  return set;
}

/* Adds the probe to the accessors; `me` is its stamp with the atomic bit. */
static __attribute__((noinline)) void add_accessor(sk__probe *probe, sk__gm_cell *cell, uint64_t me) {
  uint64_t a = cell->accessor;
  gm_set *set;
  if (is_set(a)) {
    set = set_of(a);
    uint32_t mine = set_slot(probe, set, me);
    if (SK__LIKELY(set->stamp[mine] != 0)) { /* once more: only the time changes */
      set->stamp[mine] = me;
      set_origins(set)[mine] = probe->origin;
      return;
    }
    if ((set->count + 1) * 4 > set->capacity * 3) set = set_rebuilt(probe, set, me);
  } else {
    bool same_kind = ((a ^ me) & SK__STAMP_ATOMIC) == 0;
    if (a == 0 || is_superseded(probe, a, me) || (same_kind && sk__ordered(probe, a))) {
      cell->accessor = me;
      cell->accessor_origin = probe->origin;
      return;
    }
    set = set_new(probe->checker, 8);
    if (set != NULL) set_add(set, a, cell->accessor_origin);
  }
  if (set == NULL) {
    cell->accessor = 0; /* given back or never there */
    forget_cell(probe->checker, cell);
    return;
  }
  set_add(set, me, probe->origin);
  cell->accessor = SK__STAMP_SET | (uintptr_t)set;
  cell->accessor_origin = 0;
}

/* ---- judging accessors ----------------------------------------------------------------------- */

typedef struct rival { uint64_t stamp; uint16_t origin; } rival;

/* Does the accessor with this stamp conflict with the probe, and is it unordered? */
static bool is_rival(const sk__probe *probe, uint64_t stamp) {
  if (stamp == 0) return false;
  bool atomic = (stamp & SK__STAMP_ATOMIC) != 0;
  if (probe->kind == SK__READ && !atomic) return false;
  if (probe->kind == SK__ATOMIC && atomic) return false;
  return !sk__ordered(probe, stamp);
}

/* Of the unordered ones with one call site the lowest actor speaks: many cores, one finding. */
SK__COLD static void judge_set(sk__probe *probe, const sk__gm_cell *cell, uint64_t low, uint64_t high) {
  gm_set *set = set_of(cell->accessor);
  rival rivals[16];
  uint32_t n = 0;
  for (uint32_t i = 0; i < set->capacity; i++) {
    uint64_t s = set->stamp[i];
    if (!is_rival(probe, s)) continue;
    uint16_t origin = set_origins(set)[i];
    uint32_t k = 0;
    while (k < n && (rivals[k].origin != origin || ((rivals[k].stamp ^ s) & SK__STAMP_ATOMIC) != 0)) k++;
    if (k == n && n < sizeof rivals / sizeof *rivals) rivals[n++] = (rival){s, origin};
    else if (k < n && sk__stamp_actor(s) < sk__stamp_actor(rivals[k].stamp)) rivals[k].stamp = s;
  }
  for (uint32_t k = 0; k < n; k++)
    sk__probe_trouble(probe, SK__TROUBLE_ORDER, rivals[k].stamp, rivals[k].origin, false, low, high);
}

static inline void judge_accessors(sk__probe *probe, const sk__gm_cell *cell, uint64_t low, uint64_t high) {
  uint64_t a = cell->accessor;
  if (a == 0) return;
  if (SK__UNLIKELY(is_set(a))) judge_set(probe, cell, low, high);
  else if (SK__UNLIKELY(is_rival(probe, a)))
    sk__probe_trouble(probe, SK__TROUBLE_ORDER, a, cell->accessor_origin, false, low, high);
}

static bool has_atomic(uint64_t accessor) {
  return is_set(accessor) ? set_of(accessor)->atomics != 0 : (accessor & SK__STAMP_ATOMIC) != 0;
}

/* ---- one cell -------------------------------------------------------------------------------- */

/* Reads where somebody else is in the accessor word, and atomics. Atomics read what was there, and
 * whatever they leave counts as written. */
static __attribute__((noinline)) void cell_share(sk__probe *probe, sk__gm_cell *cell, uint64_t low, uint64_t high) {
  if (SK__UNLIKELY(cell->writer == 0 && probe->fresh_below != 0 && !has_atomic(cell->accessor)))
    sk__probe_trouble(probe, SK__TROUBLE_FRESH, 0, 0, false, low, high);
  if (probe->kind == SK__ATOMIC) {
    judge_accessors(probe, cell, low, high);
    add_accessor(probe, cell, probe->stamp | SK__STAMP_ATOMIC);
    return;
  }
  if (has_atomic(cell->accessor)) judge_accessors(probe, cell, low, high);
  add_accessor(probe, cell, probe->stamp);
}

static inline void cell_access(sk__probe *probe, sk__gm_cell *cell, uint64_t low, uint64_t high) {
  uint64_t a = cell->accessor;
  if (SK__UNLIKELY(probe->kind == SK__PROBE_WRITE_BACK)) {
    if (!sk__ordered(probe, cell->writer))
      sk__probe_trouble(probe, SK__TROUBLE_ORDER, cell->writer, cell->writer_origin, true, low, high);
    add_accessor(probe, cell, probe->stamp); /* who writes these bytes later finds that they went back */
    return;
  }
  if (SK__UNLIKELY(probe->kind >= FORGET)) {
    drop_accessor(probe->checker, a);
    *cell = (sk__gm_cell){.writer = probe->stamp};
    return;
  }
  if (SK__UNLIKELY(!sk__write_ordered(probe, cell->writer)))
    sk__probe_trouble(probe, SK__TROUBLE_ORDER, cell->writer, cell->writer_origin, true, low, high);
  if (probe->kind == SK__WRITE) {
    judge_accessors(probe, cell, low, high);
    drop_accessor(probe->checker, a);
    *cell = (sk__gm_cell){.writer = probe->stamp, .writer_origin = probe->origin};
    return;
  }
  bool alone = (a & (SK__STAMP_SET | SK__STAMP_ATOMIC)) == 0 &&
               (a == 0 || is_superseded(probe, a, probe->stamp) || sk__ordered(probe, a));
  if (SK__UNLIKELY(probe->kind == SK__ATOMIC || !alone || cell->writer == 0)) {
    cell_share(probe, cell, low, high);
    return;
  }
  cell->accessor = probe->stamp;
  cell->accessor_origin = probe->origin;
}

static bool same_cell(const sk__gm_cell *a, const sk__gm_cell *b) {
  return a->writer == b->writer && a->accessor == b->accessor && a->writer_origin == b->writer_origin &&
         a->accessor_origin == b->accessor_origin;
}

#define RUNS_PREFIX gm_
#define RUNS_CELL sk__gm_cell
#define RUNS_ACCESS cell_access
#define RUNS_SAME(a, b) same_cell((a), (b))
#define RUNS_COPY cell_copy
#include "check/runs.h"

/* ---- expanded pages -------------------------------------------------------------------------- */

typedef struct gm_chunk {
  sk__gm_cell cell;
  struct gm_runs *runs; /* not NULL: they hold the state */
} gm_chunk;
typedef struct gm_chunks { gm_chunk chunk[SK__CHUNKS_PER_PAGE]; } gm_chunks;

static void drop_list(sk__checker *checker, gm_chunk *chunk) {
  sk__shadow_free(checker, chunk->runs, gm_bytes(chunk->runs->capacity));
  chunk->runs = NULL;
}

SK__COLD static void forget_chunk(sk__checker *checker, gm_chunk *chunk) {
  if (chunk->runs == NULL) {
    forget_cell(checker, &chunk->cell);
    return;
  }
  for (uint32_t i = 0; i < chunk->runs->count; i++) drop_accessor(checker, chunk->runs->run[i].cell.accessor);
  drop_list(checker, chunk);
  chunk->cell = (sk__gm_cell){.writer = SK__STAMP_HOST};
}

static void chunk_access(sk__probe *probe, gm_chunk *chunk, uint64_t base, uint32_t low, uint32_t high) {
  if (chunk->runs == NULL && high - low == SK__CHUNK_BYTES) {
    cell_access(probe, &chunk->cell, base, base + SK__CHUNK_BYTES);
    return;
  }
  struct gm_runs *list = chunk->runs != NULL ? chunk->runs : gm_list(probe->checker, &chunk->cell);
  if (list != NULL) {
    chunk->runs = list;
    list = gm_room(probe->checker, list);
  }
  if (list == NULL) {
    forget_chunk(probe->checker, chunk);
    return;
  }
  chunk->runs = list;
  gm_apply(probe, list->run, &list->count, SK__CHUNK_BYTES, base, low, high);
  if (list->count > 1) return;
  chunk->cell = list->run[0].cell;
  drop_list(probe->checker, chunk);
}

static gm_chunks *chunks_of(const sk__gm_page *page) { return (gm_chunks *)(uintptr_t)page->writer[0]; }

/* After an access to the whole page: one run again, if all chunks agree. */
static uint32_t unite(sk__checker *checker, sk__gm_page *page, uint32_t head) {
  gm_chunks *chunks = chunks_of(page);
  for (uint32_t i = 0; i < SK__CHUNKS_PER_PAGE; i++)
    if (chunks->chunk[i].runs != NULL || !same_cell(&chunks->chunk[i].cell, &chunks->chunk[0].cell)) return head;
  sk__gm_cell cell = chunks->chunk[0].cell;
  sk__shadow_free(checker, chunks, sizeof *chunks);
  page->writer[0] = cell.writer;
  page->accessor[0] = cell.accessor;
  page->writer_origin[0] = cell.writer_origin;
  page->accessor_origin[0] = cell.accessor_origin;
  return 0;
}

static uint32_t expanded_access(sk__probe *probe, sk__gm_page *page, uint32_t head, uint64_t base, uint32_t low,
                                uint32_t high) {
  gm_chunks *chunks = chunks_of(page);
  for (uint32_t at = low; at < high;) {
    uint32_t begin = at & ~(SK__CHUNK_BYTES - 1), end = begin + SK__CHUNK_BYTES;
    if (end > high) end = high;
    chunk_access(probe, &chunks->chunk[at >> SK__CHUNK_SHIFT], base + begin, at - begin, end - begin);
    at = end;
  }
  return high - low == SK__PAGE_BYTES ? unite(probe->checker, page, head) : head;
}

/* Spreads runs over chunks. On no memory the page is forgotten. */
static uint32_t expand(sk__checker *checker, sk__gm_page *page, gm_run *runs, uint32_t count) {
  gm_chunks *chunks = sk__shadow_alloc(checker, sizeof *chunks);
  if (chunks == NULL) {
    for (uint32_t i = 0; i < count; i++) drop_accessor(checker, runs[i].cell.accessor);
    page->writer[0] = SK__STAMP_HOST;
    page->accessor[0] = 0;
    return 0;
  }
  uint32_t run = 0;
  for (uint32_t i = 0; i < SK__CHUNKS_PER_PAGE; i++) {
    gm_chunk *chunk = &chunks->chunk[i];
    uint32_t begin = i * SK__CHUNK_BYTES, end = begin + SK__CHUNK_BYTES;
    while (run + 1 < count && runs[run + 1].start <= begin) run++;
    chunk->runs = NULL;
    cell_copy(checker, &chunk->cell, &runs[run].cell);
    for (uint32_t k = run + 1; k < count && runs[k].start < end; k++) {
      struct gm_runs *list = chunk->runs != NULL ? chunk->runs : gm_list(checker, &chunk->cell);
      if (list != NULL) {
        chunk->runs = list;
        list = gm_room(checker, list);
      }
      if (list == NULL) {
        forget_chunk(checker, chunk);
        break;
      }
      chunk->runs = list;
      gm_run *added = &list->run[list->count++];
      added->start = runs[k].start - begin;
      cell_copy(checker, &added->cell, &runs[k].cell);
    }
  }
  for (uint32_t i = 0; i < count; i++) drop_accessor(checker, runs[i].cell.accessor);
  page->writer[0] = (uintptr_t)chunks;
  return HEAD_EXPANDED;
}

/* ---- page records ---------------------------------------------------------------------------- */

static uint32_t page_decode(const sk__gm_page *page, uint32_t head, gm_run *runs) {
  uint32_t count = (head >> 28 & 3) + 1;
  for (uint32_t i = 0; i < count; i++) {
    runs[i].start = i == 0 ? 0 : head >> (13 * (i - 1)) & 0x1fff;
    runs[i].cell = (sk__gm_cell){page->writer[i], page->accessor[i], page->writer_origin[i], page->accessor_origin[i]};
  }
  return count;
}

static uint32_t page_encode(sk__gm_page *page, const gm_run *runs, uint32_t count) {
  uint32_t head = (count - 1) << 28;
  for (uint32_t i = 0; i < count; i++) {
    if (i > 0) head |= runs[i].start << (13 * (i - 1));
    page->writer[i] = runs[i].cell.writer;
    page->accessor[i] = runs[i].cell.accessor;
    page->writer_origin[i] = runs[i].cell.writer_origin;
    page->accessor_origin[i] = runs[i].cell.accessor_origin;
  }
  return head;
}

static __attribute__((noinline)) uint32_t page_partial(sk__probe *probe, sk__gm_page *page, uint32_t head,
                                                       uint64_t base, uint32_t low, uint32_t high) {
  if ((head & HEAD_EXPANDED) != 0) return expanded_access(probe, page, head, base, low, high);
  gm_run runs[ROOM];
  uint32_t count = page_decode(page, head, runs);
  gm_apply(probe, runs, &count, SK__PAGE_BYTES, base, low, high);
  return count <= SK__GM_RUNS ? page_encode(page, runs, count) : expand(probe->checker, page, runs, count);
}

/* Who holds the lock has the head; what stands in the record meanwhile is nobody's. */
static inline uint32_t page_lock(const sk__checker *checker, sk__gm_page *page) {
  if (SK__LIKELY(!checker->threaded)) return atomic_load_explicit(&page->head, memory_order_relaxed);
  for (;;) {
    uint32_t head = atomic_exchange_explicit(&page->head, HEAD_LOCK, memory_order_acquire);
    if (head != HEAD_LOCK) return head;
    while (atomic_load_explicit(&page->head, memory_order_relaxed) == HEAD_LOCK) {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
  }
}

static inline void page_unlock(sk__gm_page *page, uint32_t head) {
  atomic_store_explicit(&page->head, head, memory_order_release);
}

static sk__gm_page *page_of(const sk__checker *checker, uint64_t address) {
  return &checker->gm[(address - SK__GM_BASE) >> SK__PAGE_SHIFT];
}

static inline void access_bytes(sk__probe *probe, uint64_t address, uint64_t bytes) {
  uint64_t end = address + bytes;
  sk__gm_page *page = page_of(probe->checker, address);
  for (; address < end; page++) {
    uint64_t base = address & ~(uint64_t)(SK__PAGE_BYTES - 1), stop = base + SK__PAGE_BYTES;
    if (stop > end) stop = end;
    uint32_t head = page_lock(probe->checker, page);
    if (SK__LIKELY(head == 0 && stop - address == SK__PAGE_BYTES)) {
      sk__gm_cell cell = {page->writer[0], page->accessor[0], page->writer_origin[0], page->accessor_origin[0]};
      cell_access(probe, &cell, address, stop);
      page->writer[0] = cell.writer;
      page->accessor[0] = cell.accessor;
      page->writer_origin[0] = cell.writer_origin;
      page->accessor_origin[0] = cell.accessor_origin;
    } else {
      head = page_partial(probe, page, head, base, (uint32_t)(address - base), (uint32_t)(stop - base));
    }
    page_unlock(page, head);
    address = stop;
  }
}

void sk__shadow_gm(sk__checker *checker, sk__order *order, sk__pipe pipe, sk__access kind, uint64_t address,
                   uint64_t bytes, const void *site, const char *instr) {
  if (!order->enabled || bytes == 0) return;
  sk__probe probe;
  sk__probe_begin(&probe, checker, order, pipe, kind, site, instr);
  access_bytes(&probe, address, bytes);
  sk__probe_end(&probe);
}

void sk__shadow_gm_ahead(const sk__checker *checker, uint64_t address, uint64_t bytes, int level) {
  const sk__gm_page *page = page_of(checker, address);
  if (level == 0) {
    __builtin_prefetch(page);
    return;
  }
  if (checker->threaded) return; /* the record may be under another thread's hands */
  uint32_t head = atomic_load_explicit(&page->head, memory_order_relaxed);
  if ((head & HEAD_EXPANDED) == 0) {
    if (is_set(page->accessor[0])) __builtin_prefetch(set_of(page->accessor[0]));
    return;
  }
  const gm_chunk *chunk = &chunks_of(page)->chunk[address % SK__PAGE_BYTES >> SK__CHUNK_SHIFT];
  const gm_chunk *last = &chunks_of(page)->chunk[(address + bytes - 1) % SK__PAGE_BYTES >> SK__CHUNK_SHIFT];
  if (last < chunk) last = chunk; /* the access ends in the next page */
  for (; chunk <= last; chunk++) {
    if (level == 1) __builtin_prefetch(chunk);
    else if (chunk->runs == NULL && is_set(chunk->cell.accessor)) {
      const char *set = (const char *)set_of(chunk->cell.accessor);
      __builtin_prefetch(set);
      __builtin_prefetch(set + 64);
    }
  }
}

void sk__shadow_gm_write_back(sk__checker *checker, sk__order *order, uint64_t address, uint64_t bytes, const void *site,
                              const char *instr) {
  if (!order->enabled) return;
  sk__probe probe;
  sk__probe_begin(&probe, checker, order, SK__PIPE_S, SK__READ_ANY, site, instr);
  probe.kind = SK__PROBE_WRITE_BACK;
  access_bytes(&probe, address, bytes);
  sk__probe_end(&probe);
}

void sk__shadow_gm_engine(sk__checker *checker, sk__order *order, sk__access kind, uint64_t address, uint64_t bytes, const char *instr) {
  sk__shadow_gm(checker, order, SK__PIPE_S, kind == SK__READ ? SK__READ_ANY : kind, address, bytes, NULL, instr);
}

/* ---- the host -------------------------------------------------------------------------------- */

/* Pages that were never touched stay untouched when there is nothing to forget. */
void sk__shadow_gm_reset(sk__checker *checker, uint64_t address, uint64_t bytes) {
  sk__probe probe = {.checker = checker, .kind = FORGET, .stamp = 0};
  for (uint64_t end = address + bytes; address < end;) {
    uint64_t stop = (address | (SK__PAGE_BYTES - 1)) + 1;
    if (stop > end) stop = end;
    const sk__gm_page *page = page_of(checker, address);
    if (atomic_load_explicit(&page->head, memory_order_relaxed) != 0 || page->writer[0] != 0 || page->accessor[0] != 0)
      access_bytes(&probe, address, stop - address);
    address = stop;
  }
}

void sk__shadow_gm_host_write(sk__checker *checker, uint64_t address, uint64_t bytes) {
  if (bytes == 0) return;
  sk__probe probe = {.checker = checker, .kind = HOST_WRITE, .stamp = SK__STAMP_HOST};
  access_bytes(&probe, address, bytes);
}

static sk__gm_cell cell_at(const sk__gm_page *page, uint32_t head, uint32_t at) {
  if ((head & HEAD_EXPANDED) == 0) {
    gm_run runs[ROOM];
    uint32_t count = page_decode(page, head, runs);
    return runs[gm_find(runs, count, at)].cell;
  }
  const gm_chunk *chunk = &chunks_of(page)->chunk[at >> SK__CHUNK_SHIFT];
  if (chunk->runs == NULL) return chunk->cell;
  return chunk->runs->run[gm_find(chunk->runs->run, chunk->runs->count, at % SK__CHUNK_BYTES)].cell;
}

/* An atomic counts as a write; of several unordered ones the lowest actor is named. */
static void last_atomic(sk__gm_cell *cell) {
  uint64_t a = cell->accessor;
  if (!is_set(a)) {
    if ((a & SK__STAMP_ATOMIC) == 0) return;
    cell->writer = a;
    cell->writer_origin = cell->accessor_origin;
    return;
  }
  gm_set *set = set_of(a);
  uint64_t best = 0;
  for (uint32_t i = 0; i < set->capacity; i++) {
    uint64_t s = set->stamp[i];
    if ((s & SK__STAMP_ATOMIC) == 0 || (best != 0 && sk__stamp_actor(s) > sk__stamp_actor(best))) continue;
    best = s;
    cell->writer = s;
    cell->writer_origin = set_origins(set)[i];
  }
}

bool sk__shadow_gm_last_writer(sk__checker *checker, uint64_t address, sk__end *end) {
  sk__gm_page *page = page_of(checker, address);
  uint32_t head = page_lock(checker, page);
  sk__gm_cell cell = cell_at(page, head, (uint32_t)(address % SK__PAGE_BYTES));
  last_atomic(&cell);
  page_unlock(page, head);
  if (cell.writer == 0) return false;
  *end = (sk__end){.role = (cell.writer & SK__STAMP_ATOMIC) != 0 ? "atomic" : "writer", .mem = SK__MEM_GM,
                   .address = address, .bytes = 1};
  sk__end_from_stamp(checker, cell.writer, cell.writer_origin, end);
  return true;
}

/* ---- what nobody has written ------------------------------------------------------------------- */

typedef struct stretches {
  sk__gm_unwritten_fn fn;
  void *context;
  uint64_t start, end;   /* not yet told; equal: none */
  bool by_kernel, stopped;
} stretches;

static void tell_stretch(stretches *s) {
  if (s->start != s->end && !s->stopped) s->stopped = !s->fn(s->context, s->start, s->end - s->start);
  s->start = s->end = 0;
}

/* Cells come in ascending order. */
static void add_cell(stretches *s, const sk__gm_cell *cell, uint64_t low, uint64_t high) {
  bool atomic = has_atomic(cell->accessor);
  if (cell->writer != 0 || atomic) {
    s->by_kernel |= atomic || cell->writer != SK__STAMP_HOST;
    return;
  }
  if (s->end != low) {
    tell_stretch(s);
    s->start = low;
  }
  s->end = high;
}

static void add_runs(stretches *s, const gm_run *runs, uint32_t count, uint32_t span, uint64_t base, uint64_t low, uint64_t high) {
  for (uint32_t i = 0; i < count; i++) {
    uint64_t begin = base + runs[i].start, end = base + (i + 1 < count ? runs[i + 1].start : span);
    if (begin < low) begin = low;
    if (end > high) end = high;
    if (begin < end) add_cell(s, &runs[i].cell, begin, end);
  }
}

static void add_page(stretches *s, const sk__gm_page *page, uint32_t head, uint64_t base, uint64_t low, uint64_t high) {
  if ((head & HEAD_EXPANDED) == 0) {
    gm_run runs[ROOM];
    uint32_t count = page_decode(page, head, runs);
    add_runs(s, runs, count, SK__PAGE_BYTES, base, low, high);
    return;
  }
  for (uint64_t at = base; at < base + SK__PAGE_BYTES; at += SK__CHUNK_BYTES) {
    const gm_chunk *chunk = &chunks_of(page)->chunk[(at - base) >> SK__CHUNK_SHIFT];
    const gm_run whole = {.cell = chunk->cell};
    add_runs(s, chunk->runs != NULL ? chunk->runs->run : &whole, chunk->runs != NULL ? chunk->runs->count : 1, SK__CHUNK_BYTES, at, low, high);
  }
}

bool sk__shadow_gm_unwritten(sk__checker *checker, uint64_t address, uint64_t bytes, sk__gm_unwritten_fn fn, void *context) {
  stretches s = {.fn = fn, .context = context};
  for (uint64_t end = address + bytes; address < end && !s.stopped;) {
    uint64_t base = address & ~(uint64_t)(SK__PAGE_BYTES - 1), stop = base + SK__PAGE_BYTES < end ? base + SK__PAGE_BYTES : end;
    sk__gm_page *page = page_of(checker, address);
    uint32_t head = page_lock(checker, page);
    add_page(&s, page, head, base, address, stop);
    page_unlock(page, head);
    address = stop;
  }
  tell_stretch(&s);
  return s.by_kernel;
}
