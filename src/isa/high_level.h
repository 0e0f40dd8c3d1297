/* high_level.h - shared by the high-level functions (private to this folder). */
#ifndef SK_ISA_HIGH_LEVEL_H
#define SK_ISA_HIGH_LEVEL_H

#include "isa/isa.h"
#include "kernel_operator/library.h"
#include "kernel_operator/high_level_tmp.h"

double sk__high_get(const void *from, uint32_t bits, uint64_t i);
void sk__high_put(void *to, uint32_t bits, uint64_t i, double value);
/* Resolves an operand in place and declares its footprint; NULL operands pass. False: a finding was told. */
bool sk__high_operand(sk__core *core, void **operand, uint64_t bytes, sk__access kind, const char *name);
/* Takes `least` bytes of temporary memory and leaves nothing of what was there. False: it is too small, a finding was told. */
bool sk__high_scratch(sk__core *core, sk_scratch tmp, uint32_t least);
/* Rounded to half, as the quantising functions compute; and to int8_t, to the nearest even, within its range. */
double sk__high_half(double value);
int8_t sk__high_int8(double value);
void sk__high_time(sk__core *core, uint64_t elems, uint32_t passes);

/* Rows: NULL where this core does not compute or nothing is to be done. A row's single value is a block of 32 bytes. */
sk__core *sk__high_begin_rows(const char *name, const sk_rows *shape, const void *site);
static inline uint64_t sk__high_matrix_bytes(const sk_rows *s) {
  return ((uint64_t)(s->rows - 1) * s->pitch + s->columns) * s->float_bits / 8;
}
#define SK__NZ_COLUMNS 16u
/* Where an element stands. */
static inline uint64_t sk__high_at(const sk_rows *s, uint32_t row, uint32_t column) {
  if (s->nz_rows == 0) return (uint64_t)row * s->pitch + column;
  return ((uint64_t)(column / SK__NZ_COLUMNS) * s->nz_rows + row) * SK__NZ_COLUMNS + column % SK__NZ_COLUMNS;
}
/* A matrix of rows as an operand, in either layout; in NZ the columns that pad the last 16 belong to it. */
bool sk__high_matrix(sk__core *core, void **operand, const sk_rows *s, sk__access kind, const char *name);
static inline uint64_t sk__high_values_bytes(const sk_rows *s) { return (uint64_t)s->rows * SK__BLOCK_BYTES; }
static inline void sk__high_fill_block(void *values, uint32_t bits, uint32_t row, double value) {
  uint32_t n = 256 / bits;
  for (uint32_t i = 0; i < n; i++) sk__high_put(values, bits, (uint64_t)row * n + i, value);
}
static inline double sk__high_block_value(const void *values, uint32_t bits, uint32_t row) {
  return sk__high_get(values, bits, (uint64_t)row * (256 / bits));
}
/* What the living pipe has left of UB below the reserved scratch; false: there is no pipe (pipe.c). */
bool sk__pipe_rest(sk__core *core, sk_memory *rest);

#endif
