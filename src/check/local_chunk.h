/* local_chunk.h - private to shadow_local.c: a chunk of 256 bytes of local memory. Mostly its bytes have one history, a
 * cell. Where instructions take it in pieces there are two, told apart by blocks of 32 bytes: those that are done with, and
 * the rest. Whatever is more than that is a list of byte runs. */
#ifndef SK_CHECK_LOCAL_CHUNK_H
#define SK_CHECK_LOCAL_CHUNK_H

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

/* The kernel wrote it, by another instruction than this, and nobody has read it since. */
static bool is_lost(const sk__probe *probe, const sk__local_cell *cell) {
  const uint64_t *r = cell->reader;
  return (r[0] | r[1] | r[2] | r[3]) == 0 && sk__stamp_clock(cell->writer) >= probe->fresh_below &&
         (cell->writer != probe->stamp || cell->writer_origin != probe->origin);
}

static void cell_write(sk__probe *probe, sk__local_cell *cell, uint64_t low, uint64_t high) {
  if (SK__UNLIKELY(!sk__write_ordered_local(probe, cell->writer)))
    sk__probe_trouble(probe, SK__TROUBLE_ORDER, cell->writer, cell->writer_origin, true, low, high);
  const uint64_t *r = cell->reader; /* spelled out: a loop costs twice as much here */
  bool ordered = (r[0] == 0 || sk__ordered_local(probe, r[0])) && (r[1] == 0 || sk__ordered_local(probe, r[1])) &&
                 (r[2] == 0 || sk__ordered_local(probe, r[2])) && (r[3] == 0 || sk__ordered_local(probe, r[3]));
  if (SK__UNLIKELY(!ordered)) judge_readers(probe, cell, low, high);
  if (SK__UNLIKELY(probe->unread) && is_lost(probe, cell))
    sk__probe_trouble(probe, SK__TROUBLE_UNREAD, cell->writer, cell->writer_origin, true, low, high);
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

/* ---- chunks with several cells ---------------------------------------------------------------- */

#define BLOCK_BYTES 32u
#define CHUNK_BLOCKS (SK__CHUNK_BYTES / BLOCK_BYTES)
#define ALL_BLOCKS ((1u << CHUNK_BLOCKS) - 1)

static bool same_cell(const sk__local_cell *a, const sk__local_cell *b) { return memcmp(a, b, sizeof *a) == 0; }

/* The same, of whole records: a cache line each. */
typedef long long sk__pair __attribute__((vector_size(16), may_alias));
static bool same_line(const void *a, const void *b) {
  const sk__pair *x = a, *y = b;
  sk__pair differ = (x[0] ^ y[0]) | (x[1] ^ y[1]) | (x[2] ^ y[2]) | (x[3] ^ y[3]);
  return (differ[0] | differ[1]) == 0;
}
_Static_assert(sizeof(sk__local_chunk) == 64 && sizeof(sk__local_second) == 64, "same_line compares 64 bytes");

static bool has_two(const sk__local_chunk *chunk) { return (chunk->form & 1) != 0; }
static uint32_t second_blocks(const sk__local_chunk *chunk) { return (uint32_t)(chunk->form >> 8); }
static uint64_t form_of_two(uint32_t blocks) { return (uint64_t)blocks << 8 | 1; }
static sk__local_cell *second_cell(const sk__checker *checker, const sk__local_chunk *chunk) {
  return &checker->local_seconds[chunk - checker->local_chunks].cell;
}
static struct sk__local_runs *runs_of(const sk__local_chunk *chunk) {
  return has_two(chunk) ? NULL : (struct sk__local_runs *)(uintptr_t)chunk->form;
}

static void drop_runs(sk__checker *checker, sk__local_chunk *chunk) {
  struct sk__local_runs *runs = runs_of(chunk);
  if (runs != NULL) sk__shadow_free(checker, runs, sk__local_bytes(runs->capacity));
  chunk->form = 0;
}

/* No memory for exact bytes: the chunk's history is forgotten, in favour of silence. */
SK__COLD static void forget_chunk(sk__probe *probe, sk__local_chunk *chunk) {
  drop_runs(probe->checker, chunk);
  uint64_t pipe_s = (uint64_t)probe->core * SK__PIPE_SLOTS + SK__PIPE_S;
  chunk->cell = (sk__local_cell){.writer = pipe_s << SK__STAMP_SHIFT | probe->order->begin_clock};
}

/* First block behind `at` that has the other cell. */
static uint32_t stretch_end(uint32_t second, uint32_t at) {
  uint32_t end = at + 1;
  while (end < CHUNK_BLOCKS && (second >> end & 1) == (second >> at & 1)) end++;
  return end;
}

/* Runs with room for two more in place of one or two cells; NULL on no memory (nothing changed). */
static struct sk__local_runs *runs_made(sk__probe *probe, sk__local_chunk *chunk) {
  struct sk__local_runs *list = sk__local_list(probe->checker, &chunk->cell);
  if (list == NULL || !has_two(chunk)) return list;
  uint32_t second = second_blocks(chunk);
  const sk__local_cell *cells[2] = {&chunk->cell, second_cell(probe->checker, chunk)};
  list->run[0].cell = *cells[second & 1];
  for (uint32_t at = stretch_end(second, 0); at < CHUNK_BLOCKS; at = stretch_end(second, at)) {
    struct sk__local_runs *grown = sk__local_room(probe->checker, list);
    if (grown == NULL) {
      sk__shadow_free(probe->checker, list, sk__local_bytes(list->capacity));
      return NULL;
    }
    list = grown;
    list->run[list->count++] = (sk__local_run){.start = at * BLOCK_BYTES, .cell = *cells[second >> at & 1]};
  }
  return list;
}

/* The chunk's runs with room for two more; NULL on no memory: the chunk is forgotten. */
static struct sk__local_runs *runs_for(sk__probe *probe, sk__local_chunk *chunk) {
  struct sk__local_runs *list = runs_of(chunk);
  if (list == NULL) list = runs_made(probe, chunk);
  if (list != NULL) {
    chunk->form = (uintptr_t)list;
    list = sk__local_room(probe->checker, list);
  }
  if (list == NULL) forget_chunk(probe, chunk);
  else chunk->form = (uintptr_t)list;
  return list;
}

/* All blocks of a chunk with two cells. */
static void two_cells_whole(sk__probe *probe, sk__local_chunk *chunk, uint64_t base) {
  uint32_t second = second_blocks(chunk);
  sk__local_cell *cells[2] = {&chunk->cell, second_cell(probe->checker, chunk)}, now[2];
  for (uint32_t at = 0, end; at < CHUNK_BLOCKS; at = end) {
    uint32_t which = second >> at & 1;
    end = stretch_end(second, at);
    now[which] = *cells[which]; /* each stretch is judged; all come to the same */
    cell_access(probe, &now[which], base + at * BLOCK_BYTES, base + end * BLOCK_BYTES);
  }
  *cells[0] = now[0];
  *cells[1] = now[1];
  if (same_cell(&now[0], &now[1])) chunk->form = 0;
}

/* Blocks of a chunk with one cell or two. False, and nothing has happened: they have both. */
static bool blocks_access(sk__probe *probe, sk__local_chunk *chunk, uint64_t base, uint32_t low, uint32_t high) {
  uint32_t blocks = ((1u << (high - low) / BLOCK_BYTES) - 1) << low / BLOCK_BYTES, second = second_blocks(chunk);
  if (blocks == ALL_BLOCKS) {
    two_cells_whole(probe, chunk, base);
    return true;
  }
  bool of_second = (blocks & second) != 0;
  if (of_second && (blocks & ~second) != 0) return false;
  sk__local_cell *one = &chunk->cell, *two = second_cell(probe->checker, chunk);
  sk__local_cell *mine = of_second ? two : one, *other = of_second ? one : two;
  sk__local_cell now = *mine;
  cell_access(probe, &now, base + low, base + high);
  if (same_cell(&now, mine)) return true;
  if (second == 0) {
    *two = now;
    chunk->form = form_of_two(blocks);
  } else if (blocks == (of_second ? second : ALL_BLOCKS ^ second)) {
    *mine = now;
    if (same_cell(one, two)) chunk->form = 0;
  } else if (same_cell(&now, other)) {
    chunk->form = form_of_two(second ^ blocks);
  } else { /* a third */
    struct sk__local_runs *list = runs_for(probe, chunk);
    if (list == NULL) return true;
    uint32_t first = sk__local_cut(probe->checker, list->run, &list->count, low);
    if (high != SK__CHUNK_BYTES) (void)sk__local_cut(probe->checker, list->run, &list->count, high);
    list->run[first].cell = now;
  }
  return true;
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
  bool whole_blocks = (low | high) % BLOCK_BYTES == 0, one_or_two = chunk->form == 0 || has_two(chunk);
  if (one_or_two && whole_blocks && blocks_access(probe, chunk, base, low, high)) return;
  if (chunk->form == 0 && says_it_already(probe, &chunk->cell)) return;
  struct sk__local_runs *list = runs_for(probe, chunk);
  if (list == NULL) return;
  sk__local_apply(probe, list->run, &list->count, SK__CHUNK_BYTES, base, low, high);
  if (list->count > 1) return;
  chunk->cell = list->run[0].cell;
  drop_runs(probe->checker, chunk);
}

static inline void chunk_access(sk__probe *probe, sk__local_chunk *chunk, uint64_t low, uint64_t high) {
  uint64_t base = low & ~(uint64_t)(SK__CHUNK_BYTES - 1);
  if (SK__LIKELY(chunk->form == 0 && low == base && high == base + SK__CHUNK_BYTES))
    cell_access(probe, &chunk->cell, low, high);
  else chunk_partial(probe, chunk, base, (uint32_t)(low - base), (uint32_t)(high - base));
}

#endif
