/* cube_tile.h - one register tile of the cube, as a template: rows of A times blocks of 16 columns.
 *
 * Included once per arithmetic. The includer defines
 *   TILE(name)             name of an instance
 *   TILE_ATTR              function attribute (instruction set of the instance)
 *   TILE_VEC, TILE_LANES   vector of 32-bit words
 *   TILE_LOAD(p) TILE_STORE(p, v) TILE_SET1(p)   (p points to words)
 *   TILE_DOT(a, b, sum)    one step
 *   TILE_START(v, add)     start value plus column_add (integers), or v
 *   TILE_FINISH(v, tile)   last thing before the store
 *   TILE_ROWS, TILE_BLOCKS the register block of this instruction set
 *
 * All loops over registers have constant bounds and must be unrolled, else the sums live in memory. */

#define TILE_PER_BLOCK (SK__CUBE_LANES / TILE_LANES)
#define TILE_SUMS (TILE_ROWS * TILE_BLOCKS * TILE_PER_BLOCK) /* registers that hold sums */
#define TILE_WIDE (TILE_ROWS * TILE_BLOCKS)                 /* blocks of a tile with one row */
#if defined(__clang__)
#define TILE_UNROLL _Pragma("clang loop unroll(full)")
#define TILE_UNROLL4 _Pragma("clang loop unroll_count(4)")
#else
#define TILE_UNROLL _Pragma("GCC unroll 16")
#define TILE_UNROLL4 _Pragma("GCC unroll 4")
#endif

#define TILE_INLINE static inline __attribute__((always_inline)) TILE_ATTR

/* `steps` steps along one fractal of A. row_words is a constant wherever it matters. */
TILE_INLINE void TILE(steps)(TILE_VEC sum[TILE_SUMS], const uint32_t *a, const uint32_t *b,
                             size_t panel, uint32_t steps, const int rows, const int blocks,
                             const size_t row_words) {
  TILE_UNROLL4
  for (uint32_t k = 0; k < steps; k++) {
    TILE_VEC column[TILE_SUMS];
    TILE_UNROLL
    for (int v = 0; v < blocks * TILE_PER_BLOCK; v++)
      column[v] = TILE_LOAD(b + (size_t)(v / TILE_PER_BLOCK) * panel + k * SK__CUBE_LANES +
                            (v % TILE_PER_BLOCK) * TILE_LANES);
    TILE_UNROLL
    for (int r = 0; r < rows; r++) {
      TILE_VEC row = TILE_SET1(a + (size_t)r * row_words + k);
      TILE_UNROLL
      for (int v = 0; v < blocks * TILE_PER_BLOCK; v++) {
        TILE_VEC *s = &sum[r * blocks * TILE_PER_BLOCK + v];
        *s = TILE_DOT(row, column[v], *s);
      }
    }
  }
}

/* Rows row..row+rows of column blocks block..block+blocks; rows from m up are computed, not stored. */
TILE_INLINE void TILE(block)(const sk__cube_tile *t, uint32_t row, uint32_t block, const int rows,
                             const int blocks, const uint32_t row_words) {
  TILE_VEC sum[TILE_SUMS];
  TILE_UNROLL
  for (int r = 0; r < rows; r++) {
    TILE_UNROLL
    for (int v = 0; v < blocks * TILE_PER_BLOCK; v++) {
      size_t column = (block + (uint32_t)(v / TILE_PER_BLOCK)) * (size_t)SK__CUBE_LANES +
                      (uint32_t)(v % TILE_PER_BLOCK) * TILE_LANES;
      const uint32_t *c = t->c + (block + (uint32_t)(v / TILE_PER_BLOCK)) * (size_t)t->c_block_elems +
                          (row + (uint32_t)r) * (size_t)SK__CUBE_LANES + (uint32_t)(v % TILE_PER_BLOCK) * TILE_LANES;
      TILE_VEC start = {0};
      if (t->start == SK__CUBE_KEEP) start = TILE_LOAD(c);
      if (t->start == SK__CUBE_BIAS) start = TILE_LOAD(t->bias + column);
      sum[r * blocks * TILE_PER_BLOCK + v] = TILE_START(start, t->column_add + column);
    }
  }
  const uint32_t *a = t->a + ((row / 16) * (size_t)t->a_fractals * 16 + row % 16) * row_words;
  size_t panel = (size_t)t->b_steps * SK__CUBE_LANES;
  const uint32_t *b = t->b + block * panel;
  uint32_t left = t->steps;
  for (; left >= row_words; left -= row_words) {
    TILE(steps)(sum, a, b, panel, row_words, rows, blocks, row_words);
    a += 16 * (size_t)row_words;
    b += row_words * (size_t)SK__CUBE_LANES;
  }
  TILE(steps)(sum, a, b, panel, left, rows, blocks, row_words);
  TILE_UNROLL
  for (int r = 0; r < rows; r++) {
    if (row + (uint32_t)r >= t->m) break;
    TILE_UNROLL
    for (int v = 0; v < blocks * TILE_PER_BLOCK; v++) {
      uint32_t *c = t->c + (block + (uint32_t)(v / TILE_PER_BLOCK)) * (size_t)t->c_block_elems +
                    (row + (uint32_t)r) * (size_t)SK__CUBE_LANES + (uint32_t)(v % TILE_PER_BLOCK) * TILE_LANES;
      TILE_STORE(c, TILE_FINISH(sum[r * blocks * TILE_PER_BLOCK + v], t));
    }
  }
}

TILE_INLINE void TILE(blocks)(const sk__cube_tile *t, uint32_t block, const int blocks,
                              const uint32_t row_words) {
  uint32_t row = 0;
  for (; row + TILE_ROWS / 2 < t->m; row += TILE_ROWS)
    TILE(block)(t, row, block, TILE_ROWS, blocks, row_words);
  for (; row < t->m; row++) TILE(block)(t, row, block, 1, blocks, row_words);
}

TILE_INLINE void TILE(all)(const sk__cube_tile *t, const uint32_t row_words) {
  uint32_t blocks = (t->n + SK__CUBE_LANES - 1) / SK__CUBE_LANES, block = 0;
  if (t->m == 1) /* a row of sums is too short a chain: as many side by side as there are registers */
    for (; block + TILE_WIDE <= blocks; block += TILE_WIDE) TILE(block)(t, 0, block, 1, TILE_WIDE, row_words);
  for (; block + TILE_BLOCKS <= blocks; block += TILE_BLOCKS) TILE(blocks)(t, block, TILE_BLOCKS, row_words);
#if TILE_BLOCKS > 1
  for (; block < blocks; block++) TILE(blocks)(t, block, 1, row_words);
#endif
}

static TILE_ATTR void TILE(mmad)(const sk__cube_tile *t) {
  if (t->a_row_words == 8)
    TILE(all)(t, 8);
  else if (t->a_row_words == 16)
    TILE(all)(t, 16);
  else
    TILE(all)(t, t->a_row_words);
}

#undef TILE_PER_BLOCK
#undef TILE_SUMS
#undef TILE_WIDE
#undef TILE_UNROLL
#undef TILE_UNROLL4
#undef TILE_INLINE
