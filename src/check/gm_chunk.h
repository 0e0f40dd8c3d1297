/* gm_chunk.h - private to shadow_gm.c: the cell of bytes of device memory with one history, and pages that are more than a few
 * runs, in 16 chunks of 256 bytes: each one cell or a list of byte runs. */
#ifndef SK_CHECK_GM_CHUNK_H
#define SK_CHECK_GM_CHUNK_H

#include "check/gm_accessors.h"

#define HEAD_EXPANDED (1u << 30)

/* Beyond sk__access and SK__PROBE_WRITE_BACK: what the host does. Nothing is judged. */
enum { FORGET = 8, HOST_WRITE = 9 };

/* ---- one cell -------------------------------------------------------------------------------- */

/* Reads where somebody else is in the accessor word, and atomics. Atomics read what was there, and
 * whatever they leave counts as written. */
static __attribute__((noinline)) void cell_share(sk__probe *probe, sk__gm_cell *cell, uint64_t low, uint64_t high) {
  if (SK__UNLIKELY(cell->writer == 0 && probe->fresh_below != 0 && !sk__gm_has_atomic(cell->accessor)))
    sk__probe_trouble(probe, SK__TROUBLE_FRESH, 0, 0, false, low, high);
  if (probe->kind == SK__ATOMIC) {
    sk__gm_judge_accessors(probe, cell, low, high);
    sk__gm_add_accessor(probe, cell, probe->stamp | SK__STAMP_ATOMIC);
    return;
  }
  if (sk__gm_has_atomic(cell->accessor)) sk__gm_judge_accessors(probe, cell, low, high);
  sk__gm_add_accessor(probe, cell, probe->stamp);
}

static inline void cell_access(sk__probe *probe, sk__gm_cell *cell, uint64_t low, uint64_t high) {
  uint64_t a = cell->accessor;
  if (SK__UNLIKELY(probe->kind == SK__PROBE_WRITE_BACK)) {
    if (!sk__ordered(probe, cell->writer))
      sk__probe_trouble(probe, SK__TROUBLE_ORDER, cell->writer, cell->writer_origin, true, low, high);
    sk__gm_add_accessor(probe, cell, probe->stamp); /* who writes these bytes later finds that they went back */
    return;
  }
  if (SK__UNLIKELY(probe->kind >= FORGET)) {
    sk__gm_drop_accessor(probe->checker, a);
    *cell = (sk__gm_cell){.writer = probe->stamp};
    return;
  }
  if (SK__UNLIKELY(!sk__write_ordered(probe, cell->writer)))
    sk__probe_trouble(probe, SK__TROUBLE_ORDER, cell->writer, cell->writer_origin, true, low, high);
  if (probe->kind == SK__WRITE) {
    sk__gm_judge_accessors(probe, cell, low, high);
    sk__gm_drop_accessor(probe->checker, a);
    *cell = (sk__gm_cell){.writer = probe->stamp, .writer_origin = probe->origin};
    return;
  }
  bool alone = (a & (SK__STAMP_SET | SK__STAMP_ATOMIC)) == 0 &&
               (a == 0 || sk__gm_is_superseded(probe, a, probe->stamp) || sk__gm_is_covered(probe, a));
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
#define RUNS_COPY sk__gm_cell_copy
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
    sk__gm_forget_cell(checker, &chunk->cell);
    return;
  }
  for (uint32_t i = 0; i < chunk->runs->count; i++) sk__gm_drop_accessor(checker, chunk->runs->run[i].cell.accessor);
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
    for (uint32_t i = 0; i < count; i++) sk__gm_drop_accessor(checker, runs[i].cell.accessor);
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
    sk__gm_cell_copy(checker, &chunk->cell, &runs[run].cell);
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
      sk__gm_cell_copy(checker, &added->cell, &runs[k].cell);
    }
  }
  for (uint32_t i = 0; i < count; i++) sk__gm_drop_accessor(checker, runs[i].cell.accessor);
  page->writer[0] = (uintptr_t)chunks;
  return HEAD_EXPANDED;
}

#endif
