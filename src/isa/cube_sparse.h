/* cube_sparse.h - 4:2 structured sparsity without its begin, for steps of the library that consist of several. */
#ifndef SK_ISA_CUBE_SPARSE_H
#define SK_ISA_CUBE_SPARSE_H

#include "machine/machine.h"

/* `count` fractals of dense B from L1 to L0B, and their indices of 128 bytes each to the index buffer. */
void sk__sparse_load(sk__core *core, void *dst, const void *src, const void *index, uint32_t first, uint32_t count);
/* C = A B with two of every four elements of A's rows, as the index of B's column says; k counts A's columns. */
void sk__mmad_sparse_run(sk__core *core, void *c, const void *a, const void *b, const void *bias, uint32_t m, uint32_t k, uint32_t n,
                         uint32_t unit_flag, bool from_bias, bool from_zero);

#endif
