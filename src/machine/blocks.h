/* blocks.h - the runs of device memory: records, free lists, index by address. Shared by alloc*.c and blocks.c. */
#ifndef SK_MACHINE_BLOCKS_H
#define SK_MACHINE_BLOCKS_H

#include "machine/internal.h"
#include "machine/memory.h"

enum { SK__BLOCK_LABEL_BYTES = 96 };

typedef enum sk__block_state { SK__BLOCK_FREE, SK__BLOCK_LIVE, SK__BLOCK_QUARANTINED } sk__block_state;

struct sk__block {
  uint64_t base, bytes;          /* the whole run, in pieces */
  sk__block *before, *after;     /* neighbours by address */
  sk__block *next, *previous;    /* free list or quarantine */
  sk__block_state state;
  bool resident;                 /* free: the host may back it with memory */
  uint64_t start, size, usable;  /* what the user asked for and got */
  uint32_t serial;
  uint32_t element_bytes;
  bool output, argument;
  char label[SK__BLOCK_LABEL_BYTES];
};

/* A cleared record; NULL without host memory. */
sk__block *sk__block_take(sk__memory *memory);
void sk__block_give(sk__memory *memory, sk__block *block);

/* Free blocks, found by size: one that holds `bytes`, or NULL. */
void sk__bin_insert(sk__memory *memory, sk__block *block);
void sk__bin_remove(sk__memory *memory, sk__block *block);
sk__block *sk__bin_find(sk__memory *memory, uint64_t bytes);

/* Live and quarantined blocks, by address. Room for one more is reserved first. */
sk_status sk__index_reserve(sk__memory *memory);
void sk__index_insert(sk__memory *memory, sk__block *block);
void sk__index_remove(sk__memory *memory, const sk__block *block);
/* Position of the first block whose base is above the address. */
size_t sk__index_above(const sk__memory *memory, uint64_t address);
/* The block whose run holds the address; NULL if the memory is free. */
sk__block *sk__index_find(const sk__memory *memory, uint64_t address);

/* All records and the index. */
void sk__blocks_destroy(sk__memory *memory);

static inline bool sk__usable_holds(const sk__block *block, uint64_t address) { return address - block->start < block->usable; }

#endif
