/* shadow_local_query.c - questions about local memory's history that record nothing. */
#include "check/shadow.h"

static bool is_written(const sk__order *order, const sk__local_cell *cell) {
  return sk__stamp_clock(cell->writer) >= order->begin_clock;
}

bool sk__shadow_local_initialised(const sk__checker *checker, const sk__order *order, uint64_t address, uint64_t bytes) {
  if (!order->enabled) return true;
  uint64_t end = address - SK__LOCAL_BASE + bytes;
  for (uint64_t at = address - SK__LOCAL_BASE; at < end;) {
    const sk__local_page *page = &checker->local_pages[at >> SK__PAGE_SHIFT];
    if (!page->split) {
      if (!is_written(order, &page->cell)) return false;
      at = (at | (SK__PAGE_BYTES - 1)) + 1;
    } else {
      const sk__local_chunk *chunk = &checker->local_chunks[at >> SK__CHUNK_SHIFT];
      if (chunk->form != 0 || !is_written(order, &chunk->cell)) return false;
      at = (at | (SK__CHUNK_BYTES - 1)) + 1;
    }
  }
  return true;
}

/* What was there before the sub-kernel began and, if an earlier one of the launch left it, who did. */
static sk__leaver leaver_of(const sk__order *order, const sk__local_cell *cell) {
  bool left = order->in_sub && sk__stamp_clock(cell->writer) >= order->launch_clock;
  return left ? (sk__leaver){cell->writer, cell->writer_origin} : (sk__leaver){0, 0};
}

void sk__shadow_local_unwritten(const sk__checker *checker, const sk__order *order, uint64_t address, uint64_t bytes,
                                sk__local_unwritten_fn fn, void *context) {
  if (!order->enabled) return;
  uint64_t low = 0, high = 0; /* a stretch whose end is not known yet */
  sk__leaver leaver = {0, 0};
  for (uint64_t at = address, stop = address + bytes, end; at < stop; at = end) {
    const sk__local_cell *cell = sk__local_cell_at(checker, at, &end);
    if (end > stop) end = stop;
    if (is_written(order, cell)) continue;
    sk__leaver here = leaver_of(order, cell);
    if (high != at || here.stamp != leaver.stamp || here.origin != leaver.origin) {
      if (high != low) fn(context, low, high - low, leaver);
      low = at;
      leaver = here;
    }
    high = end;
  }
  if (high != low) fn(context, low, high - low, leaver);
}

void sk__leaver_end(sk__checker *checker, sk__leaver leaver, sk__end *end) {
  sk__end_from_stamp(checker, leaver.stamp, leaver.origin, end);
  end->role = "writer";
}
