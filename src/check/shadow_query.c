/* shadow_query.c - questions about local memory's history that record nothing. */
#include "check/shadow.h"

static bool fresh(const sk__order *order, const sk__local_cell *cell) {
  return sk__stamp_clock(cell->writer) >= order->begin_clock;
}

bool sk__shadow_local_initialised(const sk__checker *checker, const sk__order *order, uint64_t address, uint64_t bytes) {
  if (!order->enabled) return true;
  uint64_t end = address - SK__LOCAL_BASE + bytes;
  for (uint64_t at = address - SK__LOCAL_BASE; at < end;) {
    const sk__local_page *page = &checker->local_pages[at >> SK__PAGE_SHIFT];
    if (!page->split) {
      if (!fresh(order, &page->cell)) return false;
      at = (at | (SK__PAGE_BYTES - 1)) + 1;
    } else {
      const sk__local_chunk *chunk = &checker->local_chunks[at >> SK__CHUNK_SHIFT];
      if (chunk->form != 0 || !fresh(order, &chunk->cell)) return false;
      at = (at | (SK__CHUNK_BYTES - 1)) + 1;
    }
  }
  return true;
}
