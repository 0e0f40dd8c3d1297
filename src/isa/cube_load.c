/* cube_load.c - the ways into the cube's memories: GM to L1 and L0, L1 to L0A, L0B, L0C, BT, FB, and fills. */
#include <string.h>

#include "isa/cube_unwritten.h"

#define MAX_ND_NUM 4095u
#define MAX_ND_VALUE 16384u
#define MAX_NZ_STRIDE 16384u

static const sk__costs *costs_of(const sk__core *core) { return &sk__machine_soc(core->machine)->costs; }

/* ---- bulk ------------------------------------------------------------------------------------ */

static void gm_to_l1(sk__core *core, void *dst, const void *src, sk__bursts b) {
  if (core != NULL && sk__bursts_legal(core, (uint32_t)b.n, b.bytes))
    sk__move_gm_to_local(core, SK__PIPE_MTE2, SK__MEM_L1, dst, src, b, SK__BLOCK_BYTES);
}
void sk_copy_gm2l1_z(void *dst, const void *src, uint32_t size) {
  gm_to_l1(sk__begin(SK__AIC, SK__PIPE_MTE2, "asc_copy_gm2l1", SK__SITE()), dst, src, sk__bursts_size(size));
}
void sk_copy_gm2l1_m(void *dst, const void *src, SK_ARGS_BURSTS) {
  gm_to_l1(sk__begin(SK__AIC, SK__PIPE_MTE2, "asc_copy_gm2l1", SK__SITE()), dst, src,
           sk__bursts_blocks(n_burst, len_burst, src_gap, dst_gap));
}

static void l1_to_gm(sk__core *core, void *dst, const void *src, sk__bursts b) {
  if (core != NULL && sk__bursts_legal(core, (uint32_t)b.n, b.bytes))
    sk__move_local_to_gm(core, SK__PIPE_MTE3, SK__MEM_L1, dst, src, b, SK__BLOCK_BYTES);
}
void sk_copy_l12gm_z(void *dst, const void *src, uint32_t size) {
  l1_to_gm(sk__begin(SK__AIC, SK__PIPE_MTE3, "asc_copy_l12gm", SK__SITE()), dst, src, sk__bursts_size(size));
}
void sk_copy_l12gm_m(void *dst, const void *src, SK_ARGS_BURSTS) {
  l1_to_gm(sk__begin(SK__AIC, SK__PIPE_MTE3, "asc_copy_l12gm", SK__SITE()), dst, src,
           sk__bursts_blocks(n_burst, len_burst, src_gap, dst_gap));
}

static void refuse(const char *instr, const void *site, sk__pipe pipe, const char *what) {
  sk__core *core = sk__begin(SK__AIC, pipe, instr, site);
  if (core != NULL) sk__not_modelled_instr(core, what);
}
void sk_copy_gm2l1_pad_z(void *dst, const void *src, uint32_t size) {
  (void)dst, (void)src, (void)size;
  refuse("asc_copy_gm2l1_pad", SK__SITE(), SK__PIPE_MTE2, "image padding (PAD_MODE1..8)");
}
void sk_copy_gm2l1_pad_m(void *dst, const void *src, SK_ARGS_BURSTS) {
  (void)dst, (void)src, (void)n_burst, (void)len_burst, (void)src_gap, (void)dst_gap;
  refuse("asc_copy_gm2l1_pad", SK__SITE(), SK__PIPE_MTE2, "image padding (PAD_MODE1..8)");
}
void asc_load_image_to_cbuf(void *dst, ...) {
  (void)dst;
  refuse("asc_load_image_to_cbuf", SK__SITE(), SK__PIPE_MTE2, "the camera crop");
}

/* ---- fractals as they are -------------------------------------------------------------------- */

static void gm_fractals(sk__core *core, sk__mem mem, uint32_t align, void *dst, const void *src, SK_ARGS_FRACTALS) {
  if (core == NULL || repeat == 0) return;
  const uint8_t *first = (const uint8_t *)src + (uint64_t)base_idx * SK__FRACTAL_BYTES;
  sk__bursts b = {repeat, SK__FRACTAL_BYTES, (uint64_t)src_stride * SK__FRACTAL_BYTES,
                  (uint64_t)(1 + dst_gap) * SK__FRACTAL_BYTES};
  void *to = sk__local_operand(core, mem, dst, sk__bursts_extent(b.n, b.bytes, b.dst_step), align, "dst");
  if (to == NULL) return;
  sk__move_gm_to_local(core, SK__PIPE_MTE2, mem, to, first, b, align);
  if (mem != SK__MEM_L1) sk__unwritten_clear(core, mem, to, b.n, b.bytes, b.dst_step);
}
void sk_copy_gm2l1_2d(void *dst, const void *src, SK_ARGS_FRACTALS) {
  gm_fractals(sk__begin(SK__AIC, SK__PIPE_MTE2, "asc_copy_gm2l1", SK__SITE()), SK__MEM_L1, SK__BLOCK_BYTES, dst, src,
              base_idx, repeat, src_stride, dst_gap);
}
void sk_copy_gm2l0a_2d(void *dst, const void *src, SK_ARGS_FRACTALS) {
  gm_fractals(sk__begin(SK__AIC, SK__PIPE_MTE2, "asc_copy_gm2l0a", SK__SITE()), SK__MEM_L0A, SK__FRACTAL_BYTES, dst,
              src, base_idx, repeat, src_stride, dst_gap);
}
void sk_copy_gm2l0b_2d(void *dst, const void *src, SK_ARGS_FRACTALS) {
  gm_fractals(sk__begin(SK__AIC, SK__PIPE_MTE2, "asc_copy_gm2l0b", SK__SITE()), SK__MEM_L0B, SK__FRACTAL_BYTES, dst,
              src, base_idx, repeat, src_stride, dst_gap);
}

static uint32_t l0_rate(const sk__core *core, sk__mem mem) {
  return mem == SK__MEM_L0A ? costs_of(core)->l1_l0a_bytes_per_cycle : costs_of(core)->l1_l0b_bytes_per_cycle;
}

static void move_fractals(uint8_t *to, const uint8_t *from, sk__bursts b) {
  if (b.bytes == SK__FRACTAL_BYTES)
    for (uint64_t i = 0; i < b.n; i++) memcpy(to + i * b.dst_step, from + i * b.src_step, SK__FRACTAL_BYTES);
  else
    memcpy(to, from, b.bytes);
}

/* What was never written goes along, unless nothing is (cube_unwritten.h). */
static void follow_fractals(sk__core *core, sk__mem mem, uint8_t *to, const uint8_t *from, sk__bursts b) {
  sk__unwritten_load load;
  if (!sk__unwritten_begin(&load, core, SK__PIPE_MTE1, mem, to, from, sk__bursts_extent(b.n, b.bytes, b.src_step))) return;
  move_fractals(load.to, load.from, b);
  for (uint64_t i = 0; i < b.n; i++)
    for (uint64_t at = 0; at < b.bytes; at += SK__FRACTAL_BYTES)
      sk__unwritten_unit(&load, to + i * b.dst_step + at, from + i * b.src_step + at, SK__FRACTAL_BYTES);
}

/* Whole fractals carry the padding of a matrix along: what was never written is no finding here. */
void sk__l1_fractals(sk__core *core, sk__mem mem, void *dst, const void *src, SK_ARGS_FRACTALS) {
  if (core == NULL || repeat == 0) return;
  sk__bursts b = sk__bursts_merge((sk__bursts){repeat, SK__FRACTAL_BYTES, (uint64_t)src_stride * SK__FRACTAL_BYTES,
                                               (uint64_t)(1 + dst_gap) * SK__FRACTAL_BYTES});
  uint64_t start = (uint64_t)base_idx * SK__FRACTAL_BYTES;
  uint8_t *to = sk__local_operand(core, mem, dst, sk__bursts_extent(b.n, b.bytes, b.dst_step), SK__FRACTAL_BYTES, "dst");
  const uint8_t *from = sk__local_operand(core, SK__MEM_L1, src, start + sk__bursts_extent(b.n, b.bytes, b.src_step),
                                          SK__BLOCK_BYTES, "src");
  if (to == NULL || from == NULL) return;
  from += start;
  bool unwritten = sk__l1_read(core, SK__PIPE_MTE1, from, b.n, b.bytes, b.src_step);
  move_fractals(to, from, b);
  if (unwritten) follow_fractals(core, mem, to, from, b);
  else sk__unwritten_clear(core, mem, to, b.n, b.bytes, b.dst_step);
  sk__bursts_access(core, SK__PIPE_MTE1, SK__WRITE, to, b.n, b.bytes, b.dst_step);
  sk__advance_bytes(core, SK__PIPE_MTE1, b.n * b.bytes, l0_rate(core, mem));
}
void sk_copy_l12l0a_2d(void *dst, const void *src, SK_ARGS_FRACTALS) {
  sk__l1_fractals(sk__begin(SK__AIC, SK__PIPE_MTE1, "asc_copy_l12l0a", SK__SITE()), SK__MEM_L0A, dst, src, base_idx,
              repeat, src_stride, dst_gap);
}
void sk_copy_l12l0b_2d(void *dst, const void *src, SK_ARGS_FRACTALS) {
  sk__l1_fractals(sk__begin(SK__AIC, SK__PIPE_MTE1, "asc_copy_l12l0b", SK__SITE()), SK__MEM_L0B, dst, src, base_idx,
              repeat, src_stride, dst_gap);
}

/* ---- ND to Nz -------------------------------------------------------------------------------- */

typedef sk__nd2nz nd2nz;

static bool nd2nz_legal(sk__core *core, const nd2nz *p) {
  const struct { const char *name; uint32_t value, most; } limits[] = {
      {"nd_num", p->nd_num, MAX_ND_NUM},
      {"n_value", p->rows, MAX_ND_VALUE},
      {"dst_nz_c0_stride", p->c0_stride, MAX_NZ_STRIDE},
      {"dst_nz_n_stride", p->row_stride, MAX_NZ_STRIDE},
  };
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
    if (limits[i].value > limits[i].most) {
      sk__bad_argument(core, limits[i].name, limits[i].value, "0..%u", limits[i].most);
      return false;
    }
  return true;
}

/* `rows` staged rows to column blocks. Blocks go in small groups with the rows inside: whole rows at a
 * time would write lines that fall into one set of the host's first cache. */
static void scatter_rows(uint8_t *to, const uint8_t *from, uint32_t rows, uint32_t pitch, uint64_t block_step,
                         uint64_t row_step) {
  enum { GROUP = 4 };
  uint32_t blocks = pitch / SK__BLOCK_BYTES;
  for (uint32_t first = 0; first < blocks; first += GROUP) {
    uint32_t last = blocks - first < GROUP ? blocks : first + GROUP;
    for (uint32_t r = 0; r < rows; r++)
      for (uint32_t b = first; b < last; b++)
        memcpy(to + b * block_step + r * row_step, from + (size_t)r * pitch + (size_t)b * SK__BLOCK_BYTES,
               SK__BLOCK_BYTES);
  }
}

/* Rows of a matrix lie far apart: the host's own prefetcher sees neither the next one coming nor what
 * the checks keep of it, which is three steps of pointers away. */
#define ROWS_AHEAD 8u
static inline void prefetch(const sk__core *core, uint64_t from, uint64_t step, uint32_t rows_left, uint32_t bytes) {
  if (rows_left > ROWS_AHEAD)
    for (uint32_t i = 0; i < bytes; i += 64) __builtin_prefetch((const void *)(from + ROWS_AHEAD * step + i));
  if (!core->checks) return;
  for (int level = 0; level <= 2; level++) {
    uint32_t ahead = ROWS_AHEAD - (uint32_t)level * 3; /* 8, 5, 2 rows */
    if (rows_left > ahead) sk__shadow_gm_ahead(core->checker, from + ahead * step, bytes, level);
  }
}

/* One matrix: rows come through scratch, because device memory is read whole bursts at a time. Few of them: what is
 * staged should still be in the host's first cache when it is scattered. */
#define STAGE_BYTES (8u << 10)
static bool nd2nz_matrix(sk__core *core, const nd2nz *p, uint8_t *to, uint64_t from) {
  uint32_t bytes = p->columns * p->elem_bytes, pitch = sk__ceil_to(bytes, SK__BLOCK_BYTES);
  uint64_t src_step = (uint64_t)p->src_row * p->elem_bytes, row_step = (uint64_t)p->row_stride * SK__BLOCK_BYTES;
  uint32_t at_once = pitch < STAGE_BYTES ? STAGE_BYTES / pitch : 1;
  if (at_once > p->rows) at_once = p->rows;
  uint8_t *stage = core->scratch;
  for (uint32_t r = 0; r < p->rows; r += at_once) {
    uint32_t rows = p->rows - r < at_once ? p->rows - r : at_once;
    if (bytes == pitch && src_step == bytes) {
      if (!sk__gm_load(core, SK__PIPE_MTE2, stage, from + r * src_step, (uint64_t)rows * bytes)) return false;
    } else {
      for (uint32_t i = 0; i < rows; i++) {
        uint8_t *row = stage + (size_t)i * pitch;
        prefetch(core, from + (r + i) * src_step, src_step, p->rows - (r + i), bytes);
        if (!sk__gm_load(core, SK__PIPE_MTE2, row, from + (r + i) * src_step, bytes)) return false;
        memset(row + bytes, 0, pitch - bytes);
      }
    }
    scatter_rows(to + r * row_step, stage, rows, pitch, (uint64_t)p->c0_stride * SK__BLOCK_BYTES, row_step);
  }
  return true;
}

static void nd2nz_touch(sk__core *core, const nd2nz *p, const uint8_t *to) {
  uint32_t blocks = sk__ceil_div(p->columns * p->elem_bytes, SK__BLOCK_BYTES);
  uint64_t block_step = (uint64_t)p->c0_stride * SK__BLOCK_BYTES;
  if (p->row_stride == 1) {
    sk__bursts_access(core, SK__PIPE_MTE2, SK__WRITE, to, blocks, (uint64_t)p->rows * SK__BLOCK_BYTES, block_step);
    return;
  }
  for (uint32_t b = 0; b < blocks; b++)
    sk__bursts_access(core, SK__PIPE_MTE2, SK__WRITE, to + b * block_step, p->rows, SK__BLOCK_BYTES,
                      (uint64_t)p->row_stride * SK__BLOCK_BYTES);
}

void sk__nd2nz_run(sk__core *core, const nd2nz *p, void *dst, const void *src) {
  if (core == NULL || !nd2nz_legal(core, p)) return;
  if (p->nd_num == 0 || p->rows == 0 || p->columns == 0) return;
  uint32_t blocks = sk__ceil_div(p->columns * p->elem_bytes, SK__BLOCK_BYTES);
  uint64_t matrix_step = (uint64_t)p->nz_matrix * p->elem_bytes;
  uint64_t extent = (p->nd_num - 1) * matrix_step + (uint64_t)(blocks - 1) * p->c0_stride * SK__BLOCK_BYTES +
                    (uint64_t)(p->rows - 1) * p->row_stride * SK__BLOCK_BYTES + SK__BLOCK_BYTES;
  uint8_t *to = sk__local_operand(core, SK__MEM_L1, dst, extent, SK__BLOCK_BYTES, "dst");
  if (to == NULL) return;
  for (uint32_t i = 0; i < p->nd_num; i++) {
    uint64_t from = (uint64_t)src + (uint64_t)i * p->src_matrix * p->elem_bytes;
    if (!nd2nz_matrix(core, p, to + i * matrix_step, from)) return;
    if (core->checks) nd2nz_touch(core, p, to + i * matrix_step);
  }
  sk__advance_gm(core, SK__PIPE_MTE2, (uint64_t)p->nd_num * p->rows * p->columns * p->elem_bytes, true);
}

#define ND2NZ(tag, bits)                                                                                         \
  void sk_copy_gm2l1_nd2nz_##tag(void *dst, const void *src, SK_ARGS_ND2NZ) {                                    \
    nd2nz p = {bits / 8, nd_num, n_value, d_value, src_nd_matrix_stride, src_d_value, dst_nz_c0_stride,          \
               dst_nz_n_stride, dst_nz_matrix_stride};                                                           \
    sk__nd2nz_run(sk__begin(SK__AIC, SK__PIPE_MTE2, "asc_copy_gm2l1_nd2nz", SK__SITE()), &p, dst, src);              \
  }
SK_CUBE_SIZES(ND2NZ)

/* ---- transposing loads ----------------------------------------------------------------------- */

static uint32_t square_element(const uint8_t *p, uint32_t bits, size_t index) {
  switch (bits) {
    case 4: return (uint32_t)(p[index / 2] >> (index % 2 * 4)) & 15u;
    case 8: return p[index];
    case 16: return (uint32_t)p[2 * index] | (uint32_t)p[2 * index + 1] << 8;
    default: {
      uint32_t word;
      memcpy(&word, p + 4 * index, 4);
      return word;
    }
  }
}
static void put_element(uint8_t *p, uint32_t bits, size_t index, uint32_t value) {
  switch (bits) {
    case 4: {
      uint32_t shift = index % 2 * 4;
      p[index / 2] = (uint8_t)((p[index / 2] & ~(15u << shift)) | value << shift);
      return;
    }
    case 8: p[index] = (uint8_t)value; return;
    case 16: p[2 * index] = (uint8_t)value, p[2 * index + 1] = (uint8_t)(value >> 8); return;
    default: memcpy(p + 4 * index, &value, 4);
  }
}

/* Eight rows of eight bytes: halves change places between rows 4, then 2, then 1 apart. */
static void transpose_8x8(uint64_t x[8]) {
  static const uint64_t masks[] = {UINT64_C(0xffffffff), UINT64_C(0xffff0000ffff), UINT64_C(0xff00ff00ff00ff)};
  for (uint32_t stage = 0, apart = 4; stage < 3; stage++, apart /= 2)
    for (uint32_t i = 0; i < 8; i++) {
      if ((i & apart) != 0) continue;
      uint64_t swap = ((x[i] >> 8 * apart) ^ x[i + apart]) & masks[stage];
      x[i + apart] ^= swap;
      x[i] ^= swap << 8 * apart;
    }
}

/* A 32 x 32 square of bytes to the two fractals of its transpose. */
static void transpose_bytes(uint8_t *const to[4], const uint8_t *from) {
  for (uint32_t r = 0; r < 32; r += 8)
    for (uint32_t c = 0; c < 32; c += 8) {
      uint64_t block[8];
      for (uint32_t i = 0; i < 8; i++) memcpy(&block[i], from + (c + i) * 32 + r, 8);
      transpose_8x8(block);
      for (uint32_t i = 0; i < 8; i++) memcpy(to[r / 16] + (r % 16 + i) * 32 + c, &block[i], 8);
    }
}

/* A square of `side` x `side` elements, held by side / 16 fractals: one above the other (4, 8 bits; one
 * for 16), or two side by side (32 bits). Fractal k of the transposed square goes to to[k]. */
static void transpose_square(uint8_t *const to[4], const uint8_t *from, uint32_t bits) {
  uint32_t c0 = sk__c0(bits);
  if (bits == 16) {
    sk__cube()->transpose_b16((uint16_t *)(void *)to[0], (const uint16_t *)(const void *)from);
    return;
  }
  if (bits == 32) {
    for (uint32_t f = 0; f < 2; f++)
      for (uint32_t r = 0; r < 16; r++)
        for (uint32_t c = 0; c < 8; c++) /* element (8f + c, r) of the square: column r is in fractal r / 8 */
          put_element(to[f], bits, r * 8 + c, square_element(from, bits, (r / 8) * 128 + (8 * f + c) * 8 + r % 8));
    return;
  }
  if (bits == 8) {
    transpose_bytes(to, from);
    return;
  }
  for (uint32_t r = 0; r < c0; r++)
    for (uint32_t c = 0; c < c0; c++)
      put_element(to[r / 16], bits, (r % 16) * c0 + c, square_element(from, bits, (size_t)c * c0 + r));
}

/* Squares of L1, `src_step` bytes apart (backwards: negative), each turned into fractals `part_step` apart. */
typedef struct squares {
  uint32_t n, bits, fractals, bytes; /* bytes: of a square */
  int64_t src_step;
  uint64_t dst_step, part_step;
} square_run;

static void turn_squares(const square_run *s, uint8_t *to, const uint8_t *from) {
  for (uint32_t i = 0; i < s->n; i++) {
    uint8_t *parts[4];
    for (uint32_t f = 0; f < 4; f++) parts[f] = to + i * s->dst_step + (f < s->fractals ? f : 0) * s->part_step;
    transpose_square(parts, from + i * s->src_step, s->bits);
  }
}

/* `lowest`: the first byte of all squares. */
static void follow_squares(sk__core *core, sk__mem mem, const square_run *s, uint8_t *to, const uint8_t *from, const uint8_t *lowest,
                           uint64_t span) {
  sk__unwritten_load load;
  if (!sk__unwritten_begin(&load, core, SK__PIPE_MTE1, mem, to, lowest, span)) return;
  turn_squares(s, load.to, load.from + (from - lowest));
  for (uint32_t i = 0; i < s->n; i++)
    for (uint32_t f = 0; f < s->fractals; f++)
      sk__unwritten_unit(&load, to + i * s->dst_step + f * s->part_step, from + i * s->src_step, s->bytes);
}

void sk__l1_transposed(sk__core *core, sk__mem mem, uint32_t bits, void *dst, const void *src, SK_ARGS_TRANS) {
  if (core == NULL || repeat == 0) return;
  uint32_t fractals = bits == 4 ? 4 : bits == 16 ? 1 : 2, square_bytes = fractals * SK__FRACTAL_BYTES;
  uint64_t span = (uint64_t)(repeat - 1) * src_stride;
  if (enable_addr_decrement && span > index_id) {
    sk__bad_argument(core, "src_stride", src_stride, "at most index_id / (repeat - 1): the load would start before src");
    return;
  }
  uint64_t lowest = enable_addr_decrement ? index_id - span : index_id;
  uint64_t dst_step = (uint64_t)(dst_gap + 1) * SK__FRACTAL_BYTES, part_step = (uint64_t)(dst_frac_gap + 1) * SK__FRACTAL_BYTES;
  uint64_t extent = (repeat - 1) * dst_step + (fractals - 1) * part_step + SK__FRACTAL_BYTES;
  uint8_t *to = sk__local_operand(core, mem, dst, extent, SK__FRACTAL_BYTES, "dst");
  const uint8_t *from = sk__local_operand(core, SK__MEM_L1, src, (lowest + span + 1) * square_bytes, SK__BLOCK_BYTES, "src");
  if (to == NULL || from == NULL) return;
  int64_t src_step = (int64_t)src_stride * square_bytes;
  square_run s = {repeat, bits, fractals, square_bytes, enable_addr_decrement ? -src_step : src_step, dst_step, part_step};
  const uint8_t *first = from + (uint64_t)index_id * square_bytes, *low = from + lowest * square_bytes;
  bool unwritten = sk__l1_read(core, SK__PIPE_MTE1, low, repeat, square_bytes, (uint64_t)src_step);
  turn_squares(&s, to, first);
  if (unwritten) follow_squares(core, mem, &s, to, first, low, (span + 1) * square_bytes);
  for (uint32_t f = 0; f < fractals; f++) {
    if (!unwritten) sk__unwritten_clear(core, mem, to + f * part_step, repeat, SK__FRACTAL_BYTES, dst_step);
    sk__bursts_access(core, SK__PIPE_MTE1, SK__WRITE, to + f * part_step, repeat, SK__FRACTAL_BYTES, dst_step);
  }
  sk__advance_bytes(core, SK__PIPE_MTE1, (uint64_t)repeat * square_bytes, l0_rate(core, mem));
}

typedef struct word_squares {
  uint32_t blocks, count; /* column blocks of eight words; squares made of two each */
  uint64_t block_bytes, square_step, part_step;
} word_squares;

static void turn_words(const word_squares *w, uint8_t *to, const uint8_t *from) {
  for (uint32_t i = 0; i < w->count; i++) {
    uint32_t square[2 * SK__FRACTAL_BYTES / 4] = {0}; /* a second block that is not there is zero */
    uint8_t *parts[4];
    for (uint32_t b = 0; b < 2 && 2 * i + b < w->blocks; b++)
      memcpy(square + b * SK__FRACTAL_BYTES / 4, from + (2 * i + b) * w->block_bytes, SK__FRACTAL_BYTES);
    for (uint32_t f = 0; f < 4; f++) parts[f] = to + i * w->square_step + (f < 2 ? f : 0) * w->part_step;
    transpose_square(parts, (const uint8_t *)square, 32);
  }
}

/* Fractal f of a turned square is made of its column block f, and of rows of both. */
static void follow_words(sk__core *core, sk__mem mem, const word_squares *w, uint8_t *to, const uint8_t *from, uint64_t span) {
  sk__unwritten_load load;
  if (!sk__unwritten_begin(&load, core, SK__PIPE_MTE1, mem, to, from, span)) return;
  turn_words(w, load.to, load.from);
  for (uint32_t i = 0; i < w->count; i++)
    for (uint32_t f = 0; f < 2; f++)
      sk__unwritten_unit(&load, to + i * w->square_step + f * w->part_step, from + 2 * i * w->block_bytes,
                         (2 * i + 1 < w->blocks ? w->block_bytes : 0) + SK__FRACTAL_BYTES);
}

/* Sixteen rows of words in Nz, column blocks `block_bytes` apart; two blocks make a square of 16 x 16. Of square i the fractal f of
 * its transpose goes to fractal i * square_step + f * part_step of dst. This is what an image load with `transpose` does to an
 * image of one column. */
void sk__l1_words_turned(sk__core *core, sk__mem mem, void *dst, const void *src, uint32_t blocks, uint64_t block_bytes,
                         uint32_t square_step, uint32_t part_step) {
  if (core == NULL || blocks == 0) return;
  word_squares w = {blocks, sk__ceil_div(blocks, 2), block_bytes, (uint64_t)square_step * SK__FRACTAL_BYTES, (uint64_t)part_step * SK__FRACTAL_BYTES};
  uint64_t extent = (w.count - 1) * w.square_step + w.part_step + SK__FRACTAL_BYTES, span = (blocks - 1) * block_bytes + SK__FRACTAL_BYTES;
  uint8_t *to = sk__local_operand(core, mem, dst, extent, SK__FRACTAL_BYTES, "dst");
  const uint8_t *from = sk__local_operand(core, SK__MEM_L1, src, span, SK__BLOCK_BYTES, "src");
  if (to == NULL || from == NULL) return;
  bool unwritten = sk__l1_read(core, SK__PIPE_MTE1, from, blocks, SK__FRACTAL_BYTES, block_bytes);
  turn_words(&w, to, from);
  if (unwritten) follow_words(core, mem, &w, to, from, span);
  for (uint32_t f = 0; f < 2; f++) {
    if (!unwritten) sk__unwritten_clear(core, mem, to + f * w.part_step, w.count, SK__FRACTAL_BYTES, w.square_step);
    sk__bursts_access(core, SK__PIPE_MTE1, SK__WRITE, to + f * w.part_step, w.count, SK__FRACTAL_BYTES, w.square_step);
  }
  sk__advance_bytes(core, SK__PIPE_MTE1, (uint64_t)w.count * 2 * SK__FRACTAL_BYTES, l0_rate(core, mem));
}

#define TRANS(tag, bits)                                                                                          \
  void sk_copy_l12l0a_trans_##tag(void *dst, const void *src, SK_ARGS_TRANS) {                                    \
    sk__l1_transposed(sk__begin(SK__AIC, SK__PIPE_MTE1, "asc_copy_l12l0a_trans", SK__SITE()), SK__MEM_L0A, bits, dst, \
                  src, index_id, repeat, src_stride, dst_gap, enable_addr_decrement, dst_frac_gap);               \
  }                                                                                                               \
  void sk_copy_l12l0b_trans_##tag(void *dst, const void *src, SK_ARGS_TRANS) {                                    \
    sk__l1_transposed(sk__begin(SK__AIC, SK__PIPE_MTE1, "asc_copy_l12l0b_trans", SK__SITE()), SK__MEM_L0B, bits, dst, \
                  src, index_id, repeat, src_stride, dst_gap, enable_addr_decrement, dst_frac_gap);               \
  }
SK_CUBE_SIZES(TRANS)
void sk_copy_l12l0b_trans_b4(void *dst, const void *src, SK_ARGS_TRANS) {
  sk__l1_transposed(sk__begin(SK__AIC, SK__PIPE_MTE1, "LoadDataWithTranspose", SK__SITE()), SK__MEM_L0B, 4, dst, src,
                index_id, repeat, src_stride, dst_gap, enable_addr_decrement, dst_frac_gap);
}

/* ---- tables and L0C -------------------------------------------------------------------------- */

#define BT_UNIT 64u
#define FB_UNIT 128u

/* Tables take whole units, and with them what pads the last one. */
static void l1_to_table(sk__core *core, sk__pipe pipe, sk__mem mem, uint32_t unit, void *dst, const void *src, sk__bursts bursts) {
  sk__bursts b = sk__bursts_merge(bursts);
  uint64_t span = sk__bursts_extent(b.n, b.bytes, b.src_step);
  uint8_t *to = sk__local_operand(core, mem, dst, sk__bursts_extent(b.n, b.bytes, b.dst_step), unit, "dst");
  const uint8_t *from = sk__local_operand(core, SK__MEM_L1, src, span, SK__BLOCK_BYTES, "src");
  if (to == NULL || from == NULL) return;
  bool unwritten = sk__l1_read(core, pipe, from, b.n, b.bytes, b.src_step);
  for (uint64_t i = 0; i < b.n; i++) memcpy(to + i * b.dst_step, from + i * b.src_step, b.bytes);
  sk__unwritten_clear(core, mem, to, b.n, b.bytes, b.dst_step);
  sk__unwritten_load load;
  if (unwritten && sk__unwritten_begin(&load, core, pipe, mem, to, from, span)) {
    for (uint64_t i = 0; i < b.n; i++) memcpy(load.to + i * b.dst_step, load.from + i * b.src_step, b.bytes);
    sk__unwritten_unit(&load, to, from, span);
  }
  sk__bursts_access(core, pipe, SK__WRITE, to, b.n, b.bytes, b.dst_step);
  sk__advance_bytes(core, pipe, b.n * b.bytes, costs_of(core)->l1_bt_bytes_per_cycle);
}

/* A float is made of nothing that anybody wrote when its half is. */
static void widen_mask(uint8_t *to, const uint8_t *from, uint64_t halves) {
  for (uint64_t i = 0; i < halves; i++) memset(to + 4 * i, (from[2 * i] | from[2 * i + 1]) != 0 ? 0xff : 0, 4);
}

/* conv_control 1: halves become floats on the way; lengths are those of the source. */
void sk__l1_to_bt(sk__core *core, uint64_t dst, const void *src, uint32_t conv_control, sk__bursts b) {
  if (core == NULL || !sk__bursts_legal(core, (uint32_t)b.n, b.bytes)) return;
  void *table = (void *)(uintptr_t)dst;
  if (conv_control == 0) {
    l1_to_table(core, SK__PIPE_MTE1, SK__MEM_BT, BT_UNIT, table, src, b);
    return;
  }
  if (conv_control != 1) {
    sk__bad_argument(core, "conv_control", conv_control, "0 (copy), 1 (half to float)");
    return;
  }
  uint64_t dst_step = b.bytes * 2 + (b.dst_step - b.bytes), span = sk__bursts_extent(b.n, b.bytes, b.src_step);
  uint8_t *to = sk__local_operand(core, SK__MEM_BT, table, sk__bursts_extent(b.n, b.bytes * 2, dst_step), BT_UNIT, "dst");
  const uint8_t *from = sk__local_operand(core, SK__MEM_L1, src, span, SK__BLOCK_BYTES, "src");
  if (to == NULL || from == NULL) return;
  bool unwritten = sk__l1_read(core, SK__PIPE_MTE1, from, b.n, b.bytes, b.src_step);
  sk__unwritten_clear(core, SK__MEM_BT, to, b.n, b.bytes * 2, dst_step);
  sk__unwritten_load load;
  if (unwritten && sk__unwritten_begin(&load, core, SK__PIPE_MTE1, SK__MEM_BT, to, from, span)) {
    for (uint64_t i = 0; i < b.n; i++) widen_mask(load.to + i * dst_step, load.from + i * b.src_step, b.bytes / 2);
    sk__unwritten_unit(&load, to, from, span);
  }
  for (uint64_t i = 0; i < b.n; i++)
    sk__cube()->widen_f16((float *)(void *)(to + i * dst_step), (const uint16_t *)(const void *)(from + i * b.src_step),
                          b.bytes / 2);
  sk__bursts_access(core, SK__PIPE_MTE1, SK__WRITE, to, b.n, b.bytes * 2, dst_step);
  sk__advance_bytes(core, SK__PIPE_MTE1, b.n * b.bytes, costs_of(core)->l1_bt_bytes_per_cycle);
}
void sk_copy_l12bt_z(uint64_t dst, const void *src, uint16_t conv_control, uint32_t size) {
  sk__l1_to_bt(sk__begin(SK__AIC, SK__PIPE_MTE1, "asc_copy_l12bt", SK__SITE()), dst, src, conv_control, sk__bursts_size(size));
}
void sk_copy_l12bt_m(uint64_t dst, const void *src, uint16_t conv_control, SK_ARGS_BURSTS) {
  sk__bursts b = {n_burst, (uint64_t)len_burst * BT_UNIT, (uint64_t)len_burst * BT_UNIT + src_gap * (uint64_t)SK__BLOCK_BYTES,
                  (uint64_t)(len_burst + dst_gap) * BT_UNIT};
  sk__l1_to_bt(sk__begin(SK__AIC, SK__PIPE_MTE1, "asc_copy_l12bt", SK__SITE()), dst, src, conv_control, b);
}

void sk__l1_to_fb(sk__core *core, void *dst, const void *src, sk__bursts b) {
  if (core != NULL && sk__bursts_legal(core, (uint32_t)b.n, b.bytes))
    l1_to_table(core, SK__PIPE_FIX, SK__MEM_FB, FB_UNIT, dst, src, b);
}
void sk_copy_l12fb_z(void *dst, const void *src, uint32_t size) {
  uint64_t bytes = size / FB_UNIT * FB_UNIT;
  sk__l1_to_fb(sk__begin(SK__AIC, SK__PIPE_FIX, "asc_copy_l12fb", SK__SITE()), dst, src, (sk__bursts){1, bytes, bytes, bytes});
}
/* Gaps of this one are counted from start to start. */
void sk_copy_l12fb_m(void *dst, const void *src, SK_ARGS_BURSTS) {
  sk__bursts b = {n_burst, (uint64_t)len_burst * FB_UNIT, (uint64_t)src_gap * SK__BLOCK_BYTES, (uint64_t)dst_gap * FB_UNIT};
  sk__l1_to_fb(sk__begin(SK__AIC, SK__PIPE_FIX, "asc_copy_l12fb", SK__SITE()), dst, src, b);
}

void sk_copy_l12l0c_m(void *dst, const void *src, SK_ARGS_BURSTS) {
  sk__core *core = sk__begin(SK__AIC, SK__PIPE_MTE1, "asc_copy_l12l0c", SK__SITE());
  if (core == NULL || !sk__bursts_legal(core, n_burst, len_burst)) return;
  sk__bursts b = sk__bursts_blocks(n_burst, len_burst, src_gap, dst_gap);
  void *to = sk__local_operand(core, SK__MEM_L0C, dst, sk__bursts_extent(b.n, b.bytes, b.dst_step), SK__L0C_ALIGN, "dst");
  if (to == NULL) return;
  sk__move_local(core, SK__PIPE_MTE1, SK__MEM_L0C, to, SK__L0C_ALIGN, SK__MEM_L1, src, SK__BLOCK_BYTES, b,
                 costs_of(core)->l1_l0b_bytes_per_cycle);
  sk__unwritten_clear(core, SK__MEM_L0C, to, b.n, b.bytes, b.dst_step);
}
void sk_copy_l12l0c_widen(float *dst, const void *src, SK_ARGS_BURSTS) {
  (void)dst, (void)src, (void)n_burst, (void)len_burst, (void)src_gap, (void)dst_gap;
  refuse("asc_copy_l12l0c", SK__SITE(), SK__PIPE_MTE1, "the converting form (16-bit floats to float)");
}

/* ---- fills ----------------------------------------------------------------------------------- */

/* Only the low value_bytes of the value count: what is above them in the register is anything. */
static void fill(sk__core *core, sk__pipe pipe, sk__mem mem, void *dst, uint32_t value, uint32_t value_bytes,
                 const asc_fill_value_config *cfg) {
  if (core == NULL || cfg->repeat == 0 || cfg->blk_num == 0) return;
  uint64_t unit = mem == SK__MEM_L1 ? SK__BLOCK_BYTES : SK__FRACTAL_BYTES;
  uint64_t bytes = cfg->blk_num * unit, step = (cfg->blk_num + cfg->dst_gap) * unit;
  uint8_t *to = sk__local_operand(core, mem, dst, sk__bursts_extent(cfg->repeat, bytes, step), (uint32_t)unit, "dst");
  if (to == NULL) return;
  for (uint64_t i = 0; i < cfg->repeat; i++)
    for (uint64_t at = 0; at < bytes; at += value_bytes) memcpy(to + i * step + at, &value, value_bytes);
  sk__bursts_access(core, pipe, SK__WRITE, to, cfg->repeat, bytes, step);
  if (mem != SK__MEM_L1) sk__unwritten_clear(core, mem, to, cfg->repeat, bytes, step);
  sk__advance_bytes(core, pipe, cfg->repeat * bytes, costs_of(core)->l1_l0a_bytes_per_cycle);
}
#define FILL(op, pipe, mem)                                                                              \
  void sk_##op##_b16(void *dst, uint32_t value, const asc_fill_value_config *cfg) {                      \
    fill(sk__begin(SK__AIC, pipe, "asc_" #op, SK__SITE()), pipe, mem, dst, value, 2, cfg);               \
  }                                                                                                      \
  void sk_##op##_b32(void *dst, uint32_t value, const asc_fill_value_config *cfg) {                      \
    fill(sk__begin(SK__AIC, pipe, "asc_" #op, SK__SITE()), pipe, mem, dst, value, 4, cfg);               \
  }
FILL(fill_l0a, SK__PIPE_MTE1, SK__MEM_L0A)
FILL(fill_l0b, SK__PIPE_MTE1, SK__MEM_L0B)
FILL(fill_l1, SK__PIPE_MTE2, SK__MEM_L1)
