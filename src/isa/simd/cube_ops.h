/* cube_ops.h - the inner loops of the cube, once per instruction set level.
 *
 * Every operand is brought into 32-bit words first, so that one register tile serves all types:
 *
 *   A  words in fractal order: [m/16][k fractal][m%16][words of one fractal row]
 *   B  panels of 16 columns:   [n/16][step][n%16]
 *   C  L0C's own order (Nz):   [n/16][m][n%16], in place
 *
 * A word is one float, or (int8, int4) as many integers as one dot instruction multiplies at once.
 * A step is one word of A times one word of B. */
#ifndef SK_ISA_SIMD_CUBE_OPS_H
#define SK_ISA_SIMD_CUBE_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/simd/simd.h"

#define SK__CUBE_LANES 16 /* columns of an L0C block */

typedef enum sk__cube_start { SK__CUBE_ZERO, SK__CUBE_KEEP, SK__CUBE_BIAS } sk__cube_start;

typedef struct sk__cube_tile {
  const uint32_t *a;
  uint32_t a_row_words;        /* words of one fractal row of A */
  uint32_t a_fractals;         /* fractals of A from one group of 16 rows to the next */
  const uint32_t *b;
  uint32_t b_steps;            /* steps from one panel of B to the next */
  uint32_t *c;
  uint32_t c_block_elems;      /* elements from one block of 16 columns to the next */
  uint32_t m, n, steps;
  sk__cube_start start;
  const uint32_t *bias;        /* padded with zeros to whole blocks */
  const uint32_t *column_add;  /* integers: added to the start value of each column, or NULL */
  bool saturate;               /* floats: infinities to the largest finite value, NaN to 0 */
  bool exact_products;         /* floats: every product fits binary32, so multiply-add equals fma */
} sk__cube_tile;

typedef struct sk__cube_ops {
  void (*widen_f16)(float *to, const uint16_t *from, size_t n);
  void (*widen_bf16)(float *to, const uint16_t *from, size_t n);
  void (*narrow_f16)(uint16_t *to, const float *from, size_t n);  /* to nearest even, overflow to inf */
  void (*narrow_bf16)(uint16_t *to, const float *from, size_t n);
  /* 16 rows of `row_words` words (a fractal; 8, 16 or 32) to row_words rows of 16 words. */
  void (*transpose)(uint32_t *to, const uint32_t *from, uint32_t row_words);
  void (*transpose_b16)(uint16_t *to, const uint16_t *from); /* 16 x 16 */
  /* Floats: step k of every output is fma(a, b, sum), k ascending: the same bits at every level. */
  void (*mmad_f32)(const sk__cube_tile *tile);
  /* Integers, wrapping; the caller has made sure that no sum can leave 32 bits. int_pack = integers
   * per word: 2 (A and B int16) or 4 (A uint8 = int8 + 128, B int8, column_add carries the 128s). */
  void (*mmad_i32)(const sk__cube_tile *tile);
  uint32_t int_pack;
  void (*widen_i8)(int16_t *to, const int8_t *from, size_t n);
  void (*widen_i4)(int8_t *to, const uint8_t *from, size_t n);    /* n even */
  void (*offset_i8)(uint8_t *to, const int8_t *from, size_t n);   /* plus 128; to may be from */
  uint32_t (*largest)(const uint32_t *from, size_t n);            /* magnitude of int32; 0 for none */
  void (*round_hf32)(uint32_t *to, const uint32_t *from, size_t n, bool ties_to_zero);
  /* int_pack 4 only: to[column] = -128 * sum of that column of B. */
  void (*column_sums)(uint32_t *to, const sk__cube_tile *tile);
} sk__cube_ops;

typedef sk__cube_ops sk__simd_cube_table;
SK__SIMD_AREA(cube)

/* The table in use: the level's, or its faster variant where this CPU has the instructions. */
const sk__cube_ops *sk__cube(void);
/* The variant with four-way integer dot products; NULL where this CPU cannot run it. */
const sk__cube_ops *sk__cube_quads(void);

#endif
