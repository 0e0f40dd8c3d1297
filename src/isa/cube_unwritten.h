/* cube_unwritten.h - what the cube's memories hold of bytes that nobody has written.
 *
 * Loads take whole fractals and, with them, what pads a matrix. That may even be multiplied: kernels round M and N up to
 * fractals and let Fixpipe store the rows and columns that count. So such bytes are followed: from L1 to L0A, L0B, BT and FB by
 * masks that go the way the data goes, through the product by rows and columns, and told where Fixpipe stores what comes of
 * them. Only with checks; a kernel that has none of them pays for a look at a flag per instruction. */
#ifndef SK_ISA_CUBE_UNWRITTEN_H
#define SK_ISA_CUBE_UNWRITTEN_H

#include "isa/cube.h"
#include "machine/framework.h"

/* Footprint of a load's source in L1; true: bytes of it were never written. */
static inline bool sk__l1_read(sk__core *core, sk__pipe pipe, const void *from, uint64_t n, uint64_t bytes, uint64_t step) {
  if (!core->checks) return false;
  core->order.met_unwritten = false;
  sk__bursts_access(core, pipe, SK__READ_ANY, from, n, bytes, step);
  return core->order.met_unwritten;
}

/* Does this kernel or sub-kernel follow such bytes so far? */
static inline bool sk__unwritten_any(sk__core *core) { return core->checks && sk__framework_of(core)->unwritten; }

/* A load that met such bytes. `to` and `from` are masks of its two sides, a bit set for each that nobody has written: the
 * load's own work is done on them as it was on the data. */
typedef struct sk__unwritten_load {
  uint8_t *to;
  const uint8_t *from;
  sk__core *core;
  sk__mem mem;
  sk__pipe pipe;
  const uint8_t *to_data, *from_data;
} sk__unwritten_load;
/* `from`, `span`: all the load may read of L1. Uses the thread's scratch. False: no memory, nothing is followed. */
bool sk__unwritten_begin(sk__unwritten_load *load, sk__core *core, sk__pipe pipe, sk__mem mem, const void *to, const void *from,
                         uint64_t span);
/* The masks have moved: the fractal at `to` (of BT and FB: all) was made of these bytes of L1. */
void sk__unwritten_unit(const sk__unwritten_load *load, const void *to, const void *from, uint64_t bytes);

/* Other data, written by somebody, has come to n pieces of a memory. */
void sk__unwritten_forget(sk__core *core, sk__mem mem, const void *to, uint64_t n, uint64_t bytes, uint64_t step);
static inline void sk__unwritten_clear(sk__core *core, sk__mem mem, const void *to, uint64_t n, uint64_t bytes, uint64_t step) {
  if (__builtin_expect(sk__unwritten_any(core), 0)) sk__unwritten_forget(core, mem, to, n, bytes, step);
}

/* The product of the running instruction: C has rows of 16 columns in blocks. Call when any. */
typedef struct sk__unwritten_product {
  const void *a, *b, *c, *bias; /* bias NULL: none */
  uint32_t m, k, n, bits;
  uint32_t k_fractals, n_fractals;
  bool gemv;                    /* A is one contiguous row */
  bool keep;                    /* C is added to */
  bool sparse;                  /* A has 2 * k columns, of which each column of B takes two in four */
} sk__unwritten_product;
void sk__unwritten_multiply(sk__core *core, const sk__unwritten_product *product);

/* The running instruction stores rows of C (src_stride rows from one block of 16 columns to the next), or scales by a part of
 * FB. On the way to L1 a result counts only if nothing of it can: padding goes along there too. Call when any. */
void sk__unwritten_store(sk__core *core, const void *c, uint32_t rows, uint32_t columns, uint32_t src_stride, bool to_l1);
void sk__unwritten_scales(sk__core *core, const void *scales, uint64_t bytes);

#endif
