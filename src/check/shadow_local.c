/* shadow_local.c - who wrote and read local memory: 4 KiB cells over 256-byte cells over byte runs. */
#include "check/shadow.h"

/* Pipes that can read the same local memory have different classes: UB: S, V, MTE3; L1: MTE1, MTE3, FIX;
 * L0C: M, FIX; the others have one reader. A class word always belongs to the pipe that wrote it last. */
static const uint8_t reader_class[SK__PIPE_SLOTS] = {
  [SK__PIPE_S] = 0, [SK__PIPE_MTE1] = 0, [SK__PIPE_V] = 1, [SK__PIPE_M] = 1,
  [SK__PIPE_MTE3] = 2, [SK__PIPE_MTE2] = 3, [SK__PIPE_FIX] = 3,
};

/* ---- one cell -------------------------------------------------------------------------------- */

static void cell_read(sk__probe *probe, sk__local_cell *cell, uint64_t low, uint64_t high) {
  uint64_t writer = cell->writer;
  if (SK__UNLIKELY(!sk__write_ordered_local(probe, writer)))
    sk__probe_trouble(probe, SK__TROUBLE_ORDER, writer, cell->writer_origin, true, low, high);
  if (SK__UNLIKELY(sk__stamp_clock(writer) < probe->fresh_below))
    sk__probe_trouble(probe, SK__TROUBLE_FRESH, writer, cell->writer_origin, true, low, high);
  uint32_t class = reader_class[probe->pipe];
  cell->reader[class] = probe->stamp;
  cell->reader_origin[class] = probe->origin;
}

SK__COLD static void judge_readers(sk__probe *probe, const sk__local_cell *cell, uint64_t low, uint64_t high) {
  for (uint32_t i = 0; i < SK__LOCAL_READERS; i++)
    if (!sk__ordered_local(probe, cell->reader[i]))
      sk__probe_trouble(probe, SK__TROUBLE_ORDER, cell->reader[i], cell->reader_origin[i], false, low, high);
}

static void cell_write(sk__probe *probe, sk__local_cell *cell, uint64_t low, uint64_t high) {
  if (SK__UNLIKELY(!sk__write_ordered_local(probe, cell->writer)))
    sk__probe_trouble(probe, SK__TROUBLE_ORDER, cell->writer, cell->writer_origin, true, low, high);
  const uint64_t *r = cell->reader; /* spelled out: a loop costs twice as much here */
  bool ordered = (r[0] == 0 || sk__ordered_local(probe, r[0])) && (r[1] == 0 || sk__ordered_local(probe, r[1])) &&
                 (r[2] == 0 || sk__ordered_local(probe, r[2])) && (r[3] == 0 || sk__ordered_local(probe, r[3]));
  if (SK__UNLIKELY(!ordered)) judge_readers(probe, cell, low, high);
  *cell = (sk__local_cell){.writer = probe->stamp, .writer_origin = probe->origin};
}

static void cell_access(sk__probe *probe, sk__local_cell *cell, uint64_t low, uint64_t high) {
  if (probe->kind == SK__READ) cell_read(probe, cell, low, high);
  else cell_write(probe, cell, low, high);
}

#define RUNS_PREFIX sk__local_
#define RUNS_CELL sk__local_cell
#define RUNS_ACCESS cell_access
#define RUNS_SAME(a, b) (memcmp((a), (b), sizeof(sk__local_cell)) == 0)
#define RUNS_COPY(checker, to, from) ((void)(checker), *(to) = *(from))
#include "check/runs.h"

/* ---- levels ---------------------------------------------------------------------------------- */

static void drop_runs(sk__checker *checker, sk__local_chunk *chunk) {
  sk__shadow_free(checker, chunk->runs, sk__local_bytes(chunk->runs->capacity));
  chunk->runs = NULL;
}

/* No memory for exact bytes: the chunk's history is forgotten, in favour of silence. */
SK__COLD static void forget_chunk(sk__probe *probe, sk__local_chunk *chunk) {
  if (chunk->runs != NULL) drop_runs(probe->checker, chunk);
  uint64_t pipe_s = (uint64_t)probe->core * SK__PIPE_SLOTS + SK__PIPE_S;
  chunk->cell = (sk__local_cell){.writer = pipe_s << SK__STAMP_SHIFT | probe->order->begin_clock};
}

/* Would the access leave the cell as it is, and find nothing? Then part of a cell need not be cut out. */
static bool says_it_already(const sk__probe *probe, const sk__local_cell *cell) {
  if (probe->kind != SK__READ)
    return cell->writer == probe->stamp && cell->writer_origin == probe->origin &&
           (cell->reader[0] | cell->reader[1] | cell->reader[2] | cell->reader[3]) == 0 &&
           sk__write_ordered_local(probe, cell->writer);
  uint32_t class = reader_class[probe->pipe];
  return cell->reader[class] == probe->stamp && cell->reader_origin[class] == probe->origin &&
         sk__stamp_clock(cell->writer) >= probe->fresh_below && sk__write_ordered_local(probe, cell->writer);
}

static __attribute__((noinline)) void chunk_partial(sk__probe *probe, sk__local_chunk *chunk, uint64_t base,
                                                    uint32_t low, uint32_t high) {
  if (chunk->runs == NULL) {
    if (says_it_already(probe, &chunk->cell)) return;
    struct sk__local_runs *list = sk__local_list(probe->checker, &chunk->cell);
    if (list == NULL) {
      forget_chunk(probe, chunk);
      return;
    }
    chunk->runs = list;
  }
  struct sk__local_runs *list = sk__local_room(probe->checker, chunk->runs);
  if (list == NULL) {
    forget_chunk(probe, chunk);
    return;
  }
  chunk->runs = list;
  sk__local_apply(probe, list->run, &list->count, SK__CHUNK_BYTES, base, low, high);
  if (list->count > 1) return;
  chunk->cell = list->run[0].cell;
  drop_runs(probe->checker, chunk);
}

static inline void chunk_access(sk__probe *probe, sk__local_chunk *chunk, uint64_t low, uint64_t high) {
  uint64_t base = low & ~(uint64_t)(SK__CHUNK_BYTES - 1);
  if (SK__LIKELY(chunk->runs == NULL && low == base && high == base + SK__CHUNK_BYTES))
    cell_access(probe, &chunk->cell, low, high);
  else chunk_partial(probe, chunk, base, (uint32_t)(low - base), (uint32_t)(high - base));
}

static sk__local_chunk *chunks_of(const sk__checker *checker, uint64_t address) {
  return &checker->local_chunks[(address - SK__LOCAL_BASE) >> SK__CHUNK_SHIFT];
}

static __attribute__((noinline)) void split_page(sk__checker *checker, sk__local_page *page, uint64_t base) {
  sk__local_chunk *chunks = chunks_of(checker, base);
  for (uint32_t i = 0; i < SK__CHUNKS_PER_PAGE; i++) {
    chunks[i].cell = page->cell;
    chunks[i].runs = NULL;
  }
  page->split = true;
}

/* After an access to all chunks of a page: one cell again, if they agree. */
static void unite_page(sk__checker *checker, sk__local_page *page, uint64_t base) {
  sk__local_chunk *chunks = chunks_of(checker, base);
  if (chunks[0].runs != NULL) return;
  for (uint32_t i = 1; i < SK__CHUNKS_PER_PAGE; i++)
    if (chunks[i].runs != NULL || memcmp(&chunks[i].cell, &chunks[0].cell, sizeof chunks[0].cell) != 0) return;
  page->cell = chunks[0].cell;
  page->split = false;
}

static inline void page_access(sk__probe *probe, uint64_t low, uint64_t high) {
  sk__local_page *page = &probe->checker->local_pages[(low - SK__LOCAL_BASE) >> SK__PAGE_SHIFT];
  uint64_t base = low & ~(uint64_t)(SK__PAGE_BYTES - 1);
  bool whole = high - low == SK__PAGE_BYTES;
  if (!page->split) {
    if (whole) {
      cell_access(probe, &page->cell, low, high);
      return;
    }
    split_page(probe->checker, page, base);
  }
  sk__local_chunk *chunk = chunks_of(probe->checker, low);
  for (uint64_t a = low; a < high; chunk++) {
    uint64_t end = (a | (SK__CHUNK_BYTES - 1)) + 1;
    if (end > high) end = high;
    chunk_access(probe, chunk, a, end);
    a = end;
  }
  if (whole) unite_page(probe->checker, page, base);
}

static inline void access_bytes(sk__probe *probe, uint64_t address, uint64_t bytes) {
  uint64_t end = address + bytes;
  while (address < end) {
    uint64_t page_end = (address | (SK__PAGE_BYTES - 1)) + 1;
    if (page_end > end) page_end = end;
    page_access(probe, address, page_end);
    address = page_end;
  }
}

/* What judging one repeat of a vector instruction needs. Never has its address taken, so that it stays in
 * registers: a probe goes to memory, which costs as much as the judgement. */
typedef struct quick {
  const sk__checker *checker;
  const uint64_t *row;
  uint64_t ordered_clock, write_order_from, begin_clock, stamp;
  uint32_t class;
  uint8_t pipe;
  uint16_t origin;
} quick;

static inline quick quick_begin(sk__checker *checker, const sk__order *order, sk__pipe pipe, const void *site,
                                const char *instr) {
  return (quick){
    checker, order->row[pipe], order->ordered_clock, sk__write_order_from(order, pipe), order->begin_clock,
    sk__stamp_of(order, pipe), reader_class[pipe], (uint8_t)pipe, sk__call_of(checker, site, instr),
  };
}

static inline bool quick_ordered(const quick *q, uint64_t stamp, uint64_t own_from) {
  return sk__own_ordered(stamp, q->row, q->pipe, q->ordered_clock, own_from);
}

/* A whole chunk of its own, accessed in order: done here. Everything else changes nothing and is false. */
static inline bool quick_access(const quick *q, const sk__local_range *range) {
  uint64_t offset = range->address - SK__LOCAL_BASE;
  sk__local_chunk *chunk = chunks_of(q->checker, range->address);
  if (range->bytes != SK__CHUNK_BYTES || offset % SK__CHUNK_BYTES != 0 || range->kind == SK__READ_ANY ||
      !q->checker->local_pages[offset >> SK__PAGE_SHIFT].split || chunk->runs != NULL)
    return false;
  sk__local_cell *cell = &chunk->cell;
  if (!quick_ordered(q, cell->writer, q->write_order_from)) return false;
  if (range->kind == SK__READ) {
    if (sk__stamp_clock(cell->writer) < q->begin_clock) return false;
    cell->reader[q->class] = q->stamp;
    cell->reader_origin[q->class] = q->origin;
    return true;
  }
  const uint64_t *r = cell->reader;
  for (uint32_t i = 0; i < SK__LOCAL_READERS; i++)
    if (r[i] != 0 && !quick_ordered(q, r[i], 0)) return false;
  *cell = (sk__local_cell){.writer = q->stamp, .writer_origin = q->origin};
  return true;
}

__attribute__((flatten, noinline)) static void slow_range(sk__checker *checker, sk__order *order, sk__pipe pipe,
                                                          const sk__local_range *range, const void *site,
                                                          const char *instr) {
  sk__probe probe;
  sk__probe_begin(&probe, checker, order, pipe, range->kind, site, instr);
  access_bytes(&probe, range->address, range->bytes);
  sk__probe_end(&probe); /* a finding is about one kind of access */
}

void sk__shadow_local_ranges(sk__checker *checker, sk__order *order, sk__pipe pipe, const sk__local_range *ranges,
                             uint32_t n, const void *site, const char *instr) {
  if (!order->enabled) return;
  if (SK__UNLIKELY(!order->scope_open)) sk__scope_open(checker, order);
  quick q = quick_begin(checker, order, pipe, site, instr);
  for (uint32_t i = 0; i < n; i++)
    if (!quick_access(&q, &ranges[i])) slow_range(checker, order, pipe, &ranges[i], site, instr);
}

void sk__shadow_local(sk__checker *checker, sk__order *order, sk__pipe pipe, sk__access kind, uint64_t address,
                      uint64_t bytes, const void *site, const char *instr) {
  sk__shadow_local_ranges(checker, order, pipe, &(sk__local_range){address, bytes, kind}, 1, site, instr);
}

void sk__shadow_local_strided(sk__checker *checker, sk__order *order, sk__pipe pipe, sk__access kind,
                              uint64_t address, uint64_t n, uint64_t bytes, uint64_t stride, const void *site,
                              const char *instr) {
  if (!order->enabled || n == 0) return;
  if (stride == bytes) {
    bytes *= n;
    n = 1;
  }
  sk__probe probe;
  sk__probe_begin(&probe, checker, order, pipe, kind, site, instr);
  for (uint64_t i = 0; i < n; i++) access_bytes(&probe, address + i * stride, bytes);
  sk__probe_end(&probe);
}
