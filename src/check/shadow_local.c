/* shadow_local.c - who wrote and read local memory: 4 KiB cells over chunks of 256 bytes (local_chunk.h). */
#include "check/local_chunk.h"

/* ---- levels ---------------------------------------------------------------------------------- */

static sk__local_chunk *chunks_of(const sk__checker *checker, uint64_t address) {
  return &checker->local_chunks[(address - SK__LOCAL_BASE) >> SK__CHUNK_SHIFT];
}

static __attribute__((noinline)) void split_page(sk__checker *checker, sk__local_page *page, uint64_t base) {
  sk__local_chunk *chunks = chunks_of(checker, base);
  for (uint32_t i = 0; i < SK__CHUNKS_PER_PAGE; i++) {
    chunks[i].cell = page->cell;
    chunks[i].form = 0;
  }
  page->split = true;
}

/* After an access to all chunks of a page: one cell again, if they agree. */
static void unite_page(sk__checker *checker, sk__local_page *page, uint64_t base) {
  sk__local_chunk *chunks = chunks_of(checker, base);
  if (chunks[0].form != 0) return;
  for (uint32_t i = 1; i < SK__CHUNKS_PER_PAGE; i++)
    if (chunks[i].form != 0 || !same_cell(&chunks[i].cell, &chunks[0].cell)) return;
  page->cell = chunks[0].cell;
  page->split = false;
}

/* Chunks of one page. Most neighbours have the same history: what one becomes as a whole, the next become too. */
static inline void chunks_access(sk__probe *probe, sk__local_chunk *chunk, uint64_t low, uint64_t high) {
  sk__local_chunk before = {0};
  const sk__local_chunk *after = NULL;
  for (uint64_t end; low < high; chunk++, low = end) {
    end = (low | (SK__CHUNK_BYTES - 1)) + 1;
    if (end > high) end = high;
    bool whole = end - low == SK__CHUNK_BYTES;
    if (whole && after != NULL && same_line(chunk, &before)) {
      *chunk = *after;
      continue;
    }
    before = *chunk;
    chunk_access(probe, chunk, low, end);
    after = whole && before.form == 0 && !probe->met ? chunk : NULL;
  }
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
  chunks_access(probe, chunks_of(probe->checker, low), low, high);
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

const sk__local_cell *sk__local_cell_at(const sk__checker *checker, uint64_t address, uint64_t *end) {
  const sk__local_page *page = &checker->local_pages[(address - SK__LOCAL_BASE) >> SK__PAGE_SHIFT];
  *end = (address | (SK__PAGE_BYTES - 1)) + 1;
  if (!page->split) return &page->cell;
  const sk__local_chunk *chunk = chunks_of(checker, address);
  uint64_t base = address & ~(uint64_t)(SK__CHUNK_BYTES - 1);
  uint32_t at = (uint32_t)(address - base);
  *end = base + SK__CHUNK_BYTES;
  if (chunk->form == 0) return &chunk->cell;
  if (has_two(chunk)) {
    uint32_t second = second_blocks(chunk), block = at / BLOCK_BYTES;
    *end = base + stretch_end(second, block) * (uint64_t)BLOCK_BYTES;
    return (second >> block & 1) != 0 ? second_cell(checker, chunk) : &chunk->cell;
  }
  const struct sk__local_runs *list = runs_of(chunk);
  uint32_t i = sk__local_find(list->run, list->count, at);
  if (i + 1 < list->count) *end = base + list->run[i + 1].start;
  return &list->run[i].cell;
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

/* Were this cell's accesses all in order before what is judged now, and does a read find its bytes written? */
static inline bool quick_judge(const quick *q, const sk__local_cell *cell, bool is_read) {
  if (!quick_ordered(q, cell->writer, q->write_order_from)) return false;
  if (is_read) return sk__stamp_clock(cell->writer) >= q->begin_clock;
  const uint64_t *r = cell->reader;
  return (r[0] == 0 || quick_ordered(q, r[0], 0)) && (r[1] == 0 || quick_ordered(q, r[1], 0)) &&
         (r[2] == 0 || quick_ordered(q, r[2], 0)) && (r[3] == 0 || quick_ordered(q, r[3], 0));
}

static inline void quick_note(const quick *q, sk__local_cell *cell, bool is_read) {
  if (is_read) {
    cell->reader[q->class] = q->stamp;
    cell->reader_origin[q->class] = q->origin;
  } else {
    *cell = (sk__local_cell){.writer = q->stamp, .writer_origin = q->origin};
  }
}

/* Is `to` what `from` becomes? */
static inline bool quick_becomes(const quick *q, const sk__local_cell *from, const sk__local_cell *to, bool is_read) {
  if (!is_read) return to->writer == q->stamp && to->writer_origin == q->origin && (to->reader[0] | to->reader[1] | to->reader[2] | to->reader[3]) == 0;
  if (to->reader[q->class] != q->stamp || to->reader_origin[q->class] != q->origin) return false;
#define DIFFERS(i) (q->class == i ? 0 : (to->reader[i] ^ from->reader[i]) | (uint64_t)(to->reader_origin[i] ^ from->reader_origin[i]))
  return ((to->writer ^ from->writer) | (uint64_t)(to->writer_origin ^ from->writer_origin) | DIFFERS(0) | DIFFERS(1) |
          DIFFERS(2) | DIFFERS(3)) == 0;
#undef DIFFERS
}

/* Some blocks of a chunk that have one history and become what the others are, or leave one cell for two. */
static inline __attribute__((always_inline)) bool quick_blocks(const quick *q, sk__local_chunk *chunk, uint32_t blocks, bool is_read) {
  uint32_t second = second_blocks(chunk);
  if (chunk->form != 0 && !has_two(chunk)) return false;
  bool of_second = (blocks & second) != 0;
  if (of_second && (blocks & ~second) != 0) return false;
  sk__local_cell *one = &chunk->cell, *two = second_cell(q->checker, chunk), *mine = of_second ? two : one;
  if (!quick_judge(q, mine, is_read)) return false;
  if (quick_becomes(q, mine, mine, is_read)) return true; /* nothing changes */
  if (second == 0) {
    if (is_read) *two = *one;
    quick_note(q, two, is_read);
    chunk->form = form_of_two(blocks);
    return true;
  }
  if (!quick_becomes(q, mine, of_second ? one : two, is_read)) return false;
  second ^= blocks;
  if (second == ALL_BLOCKS) *one = *two;
  chunk->form = second == 0 || second == ALL_BLOCKS ? 0 : form_of_two(second);
  return true;
}

/* A whole chunk of its own, accessed in order: done here. Everything else changes nothing and is false. */
static inline bool quick_access(const quick *q, const sk__local_range *range) {
  uint64_t offset = range->address - SK__LOCAL_BASE;
  sk__local_chunk *chunk = chunks_of(q->checker, range->address);
  if (range->bytes != SK__CHUNK_BYTES || offset % SK__CHUNK_BYTES != 0 || range->kind == SK__READ_ANY ||
      !q->checker->local_pages[offset >> SK__PAGE_SHIFT].split || chunk->form != 0)
    return false;
  bool is_read = range->kind == SK__READ;
  if (!quick_judge(q, &chunk->cell, is_read)) return false;
  quick_note(q, &chunk->cell, is_read);
  return true;
}

/* Is the range whole blocks of one chunk, but not all of them? */
static inline bool is_blocks(const sk__local_range *range) {
  uint64_t at = range->address % SK__CHUNK_BYTES;
  return range->bytes < SK__CHUNK_BYTES && (at | range->bytes) % BLOCK_BYTES == 0 && at + range->bytes <= SK__CHUNK_BYTES &&
         range->bytes != 0 && range->kind != SK__READ_ANY;
}

/* The same for such blocks. */
static inline bool quick_some(const quick *q, const sk__local_range *range) {
  if (!q->checker->local_pages[(range->address - SK__LOCAL_BASE) >> SK__PAGE_SHIFT].split) return false;
  uint32_t first = (uint32_t)(range->address % SK__CHUNK_BYTES / BLOCK_BYTES), count = (uint32_t)(range->bytes / BLOCK_BYTES);
  return quick_blocks(q, chunks_of(q->checker, range->address), ((1u << count) - 1) << first, range->kind == SK__READ);
}

__attribute__((flatten, noinline)) static void slow_range(sk__checker *checker, sk__order *order, sk__pipe pipe,
                                                          const sk__local_range *range, const void *site,
                                                          const char *instr) {
  if (is_blocks(range) && !checker->unread) {
    quick q = quick_begin(checker, order, pipe, site, instr);
    if (quick_some(&q, range)) return;
  }
  sk__probe probe;
  sk__probe_begin(&probe, checker, order, pipe, range->kind, site, instr);
  access_bytes(&probe, range->address, range->bytes);
  sk__probe_end(&probe); /* a finding is about one kind of access */
}

void sk__shadow_local_ranges(sk__checker *checker, sk__order *order, sk__pipe pipe, const sk__local_range *ranges,
                             uint32_t n, const void *site, const char *instr) {
  if (!order->enabled) return;
  if (SK__UNLIKELY(!order->scope_open)) sk__scope_open(checker, order);
  if (SK__UNLIKELY(order->watched != 0))
    for (uint32_t i = 0; i < n; i++)
      sk__watch_judge(checker, order, pipe, ranges[i].kind, ranges[i].address, ranges[i].bytes, site, instr);
  quick q = quick_begin(checker, order, pipe, site, instr);
  bool closely = checker->unread; /* what is overwritten unread is found by probes */
  for (uint32_t i = 0; i < n; i++)
    if (closely || !quick_access(&q, &ranges[i])) slow_range(checker, order, pipe, &ranges[i], site, instr);
}

void sk__shadow_local_store(sk__checker *checker, sk__order *order, uint64_t address, uint64_t bytes, const void *site, const char *instr) {
  if (!order->enabled) return;
  if (SK__UNLIKELY(order->watched != 0)) sk__watch_judge(checker, order, SK__PIPE_S, SK__WRITE, address, bytes, site, instr);
  sk__probe probe;
  order->row[SK__PIPE_S][SK__STORES] = order->clock[SK__STORES]; /* in order with its own */
  sk__probe_begin(&probe, checker, order, SK__PIPE_S, SK__WRITE, site, instr);
  probe.stamp = ((uint64_t)order->core * SK__PIPE_SLOTS + SK__STORES) << SK__STAMP_SHIFT | order->clock[SK__STORES];
  access_bytes(&probe, address, bytes);
  sk__probe_end(&probe);
}

void sk__shadow_local(sk__checker *checker, sk__order *order, sk__pipe pipe, sk__access kind, uint64_t address,
                      uint64_t bytes, const void *site, const char *instr) {
  sk__shadow_local_ranges(checker, order, pipe, &(sk__local_range){address, bytes, kind}, 1, site, instr);
}

/* The same blocks of one chunk after another: where a chunk's history is as the last one's was, it becomes what that became.
 * Returns how many pieces are done; the next is none of these, or has to be looked at closely. */
static uint64_t quick_column(const quick *q, const sk__local_range *piece, uint64_t n, uint64_t stride) {
  uint32_t first = (uint32_t)(piece->address % SK__CHUNK_BYTES / BLOCK_BYTES), count = (uint32_t)(piece->bytes / BLOCK_BYTES);
  uint32_t blocks = ((1u << count) - 1) << first;
  bool is_read = piece->kind == SK__READ;
  uint64_t step = stride / SK__CHUNK_BYTES;
  sk__local_chunk *chunk = chunks_of(q->checker, piece->address), before = {0}, *done = NULL;
  sk__local_second *second = &q->checker->local_seconds[chunk - q->checker->local_chunks], before_second = {0}, *done_second = NULL;
  for (uint64_t i = 0; i < n; i++, chunk += step, second += step) {
    if (!q->checker->local_pages[(uint64_t)(chunk - q->checker->local_chunks) / SK__CHUNKS_PER_PAGE].split) return i;
    if (done != NULL && same_line(chunk, &before) && (before.form == 0 || same_line(second, &before_second))) {
      *chunk = *done;
      if (before.form == 0 && has_two(done)) *second = *done_second;
      continue;
    }
    before = *chunk;
    before_second = *second;
    if (!quick_blocks(q, chunk, blocks, is_read)) return i;
    done = chunk;
    done_second = second;
  }
  return n;
}

void sk__shadow_local_strided(sk__checker *checker, sk__order *order, sk__pipe pipe, sk__access kind,
                              uint64_t address, uint64_t n, uint64_t bytes, uint64_t stride, const void *site,
                              const char *instr) {
  if (!order->enabled || n == 0) return;
  if (SK__UNLIKELY(order->watched != 0))
    for (uint64_t i = 0; i < n; i++) sk__watch_judge(checker, order, pipe, kind, address + i * stride, bytes, site, instr);
  if (stride == bytes) {
    bytes *= n;
    n = 1;
  }
  sk__probe probe;
  sk__probe_begin(&probe, checker, order, pipe, kind, site, instr);
  quick q = quick_begin(checker, order, pipe, site, instr);
  sk__local_range piece = {address, bytes, kind};
  bool column = !probe.unread && stride % SK__CHUNK_BYTES == 0 && stride != 0 && is_blocks(&piece);
  for (uint64_t i = 0; i < n; i++, piece.address += stride) {
    if (column) {
      uint64_t done = quick_column(&q, &piece, n - i, stride);
      i += done;
      piece.address += done * stride;
      if (i < n) access_bytes(&probe, piece.address, bytes);
    } else if (probe.unread || !is_blocks(&piece) || !quick_some(&q, &piece)) {
      access_bytes(&probe, piece.address, bytes);
    }
  }
  sk__probe_end(&probe);
}
