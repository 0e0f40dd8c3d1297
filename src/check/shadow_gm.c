/* shadow_gm.c - who wrote and read device memory: one record per 4 KiB page.
 *
 *   page record   up to three runs inline; misaligned tiles need no more
 *   expanded      chunks (gm_chunk.h)
 *   accessor set  where several actors read or add atomically since the last write (gm_accessors.h)
 *
 * A covering write makes any page one run again. */
#include "check/gm_chunk.h"

#define HEAD_LOCK (1u << 31)
#define ROOM (SK__GM_RUNS + 2)

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
    if (sk__gm_is_set(page->accessor[0])) __builtin_prefetch(sk__gm_set_of(page->accessor[0]));
    return;
  }
  const gm_chunk *chunk = &chunks_of(page)->chunk[address % SK__PAGE_BYTES >> SK__CHUNK_SHIFT];
  const gm_chunk *last = &chunks_of(page)->chunk[(address + bytes - 1) % SK__PAGE_BYTES >> SK__CHUNK_SHIFT];
  if (last < chunk) last = chunk; /* the access ends in the next page */
  for (; chunk <= last; chunk++) {
    if (level == 1) __builtin_prefetch(chunk);
    else if (chunk->runs == NULL && sk__gm_is_set(chunk->cell.accessor)) {
      const char *set = (const char *)sk__gm_set_of(chunk->cell.accessor);
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

/* ---- what is there --------------------------------------------------------------------------- */

typedef struct walk {
  sk__gm_cell_fn fn;
  void *context;
  uint64_t low, high; /* of the page */
  bool stopped;
} walk;

static void walk_runs(walk *w, const gm_run *runs, uint32_t count, uint32_t span, uint64_t base) {
  for (uint32_t i = 0; i < count; i++) {
    uint64_t begin = base + runs[i].start, end = base + (i + 1 < count ? runs[i + 1].start : span);
    if (begin < w->low) begin = w->low;
    if (end > w->high) end = w->high;
    if (begin < end) w->stopped |= !w->fn(w->context, &runs[i].cell, begin, end);
  }
}

static void walk_page(walk *w, const sk__gm_page *page, uint32_t head, uint64_t base) {
  if ((head & HEAD_EXPANDED) == 0) {
    gm_run runs[ROOM];
    uint32_t count = page_decode(page, head, runs);
    walk_runs(w, runs, count, SK__PAGE_BYTES, base);
    return;
  }
  uint64_t first = w->low & ~(uint64_t)(SK__CHUNK_BYTES - 1);
  for (uint64_t at = first; at < w->high; at += SK__CHUNK_BYTES) {
    const gm_chunk *chunk = &chunks_of(page)->chunk[(at - base) >> SK__CHUNK_SHIFT];
    const gm_run whole = {.cell = chunk->cell};
    walk_runs(w, chunk->runs != NULL ? chunk->runs->run : &whole, chunk->runs != NULL ? chunk->runs->count : 1, SK__CHUNK_BYTES, at);
  }
}

void sk__shadow_gm_walk(sk__checker *checker, uint64_t address, uint64_t bytes, sk__gm_cell_fn fn, void *context) {
  walk w = {.fn = fn, .context = context};
  for (uint64_t end = address + bytes; address < end && !w.stopped;) {
    uint64_t base = address & ~(uint64_t)(SK__PAGE_BYTES - 1), stop = base + SK__PAGE_BYTES < end ? base + SK__PAGE_BYTES : end;
    w.low = address;
    w.high = stop;
    sk__gm_page *page = page_of(checker, address);
    uint32_t head = page_lock(checker, page);
    walk_page(&w, page, head, base);
    page_unlock(page, head);
    address = stop;
  }
}
