/* log.h - the transaction log: pre-images of what a run writes, so that it can be taken back. Private to
 * the machine floor.
 *
 * Whoever writes device memory calls sk__log_open first. Outside a transaction this only notes that the
 * pieces were written since their allocation was made. Inside, the first write to a piece saves its
 * pre-image: 512 bytes for small writes, 4 KiB where a write covers a page, nothing if the piece was
 * never written before.
 *
 * Taking back gives back contents, not allocations: what was allocated inside a transaction stays
 * allocated and becomes uninitialised, what was freed stays free. "Never written" comes back per piece. */
#ifndef SK_MACHINE_LOG_H
#define SK_MACHINE_LOG_H

#include "machine/memory.h"

SK_MUST_USE sk_status sk__log_create(sk__memory *memory);
void sk__log_destroy(sk__memory *memory);

/* Slow path; true if a pre-image was just copied, so that the memory is in the host's caches. */
bool sk__log_claim(sk__memory *memory, uint64_t address, uint64_t bytes);

/* The pieces of one page that [address, address + bytes) touches; the range lies in that page. */
static inline uint8_t sk__piece_mask(uint64_t address, uint64_t bytes) {
  uint32_t first = (uint32_t)(address >> SK__PIECE_SHIFT) & 7, last = (uint32_t)((address + bytes - 1) >> SK__PIECE_SHIFT) & 7;
  return (uint8_t)((2u << last) - (1u << first));
}

/* Must come before any write to device memory; bytes > 0, bounds checked. True: memory is now cached. */
static inline bool sk__log_open(sk__memory *memory, uint64_t address, uint64_t bytes) {
  uint64_t offset = address - SK__GM_BASE, page = offset >> SK__PAGE_SHIFT;
  if ((offset + bytes - 1) >> SK__PAGE_SHIFT == page) {
    uint8_t mask = sk__piece_mask(address, bytes);
    if ((atomic_load_explicit(&memory->gate[page], memory_order_acquire) & mask) == mask) return false;
  }
  return sk__log_claim(memory, address, bytes);
}

#endif
