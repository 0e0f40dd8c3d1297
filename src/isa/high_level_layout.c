/* high_level_layout.c - high-level functions that move elements of a tensor to other places: rows padded and cut, formats of
 * five dimensions, matrices in fractals with two dimensions exchanged, split or joined. */
#include <string.h>

#include "isa/high_level.h"

#define CUBE 16u /* rows and columns of a fractal */

static void *plain(const void *pointer) { return (void *)(uintptr_t)pointer; }
static uint32_t up(uint32_t n, uint32_t unit) { return (n + unit - 1) / unit * unit; }

static void move(void *to, uint64_t at, const void *from, uint64_t source, uint32_t elem_bytes) {
  memcpy((uint8_t *)to + at * elem_bytes, (const uint8_t *)from + source * elem_bytes, elem_bytes);
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

/* Rows become whole blocks. Rows that are already: the columns from `original` on get the value. */
void sk_high_pad(uint32_t elem_bytes, void *dst, const void *src, const sk_padding *p, uint64_t value, sk_scratch tmp) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, "Pad", SK__SITE());
  if (core == NULL || p->rows == 0 || p->columns == 0) return;
  uint32_t pitch = up(p->columns, SK__BLOCK_BYTES / elem_bytes), left = p->left, kept = p->columns;
  bool whole_rows = pitch == p->columns;
  if (whole_rows) kept = p->original < p->columns ? p->original : p->columns;
  if (whole_rows && left != 0) {
    sk__bad_argument(core, "leftPad", left, "0 where rows are whole blocks of 32 bytes");
    return;
  }
  if (left + kept + p->right > pitch || (left + p->right) == 0) {
    sk__bad_argument(core, "leftPad + rightPad", (int64_t)left + p->right, "1..%u, up to whole blocks of 32 bytes", pitch - kept);
    return;
  }
  if ((uint64_t)p->rows * p->columns * elem_bytes % SK__BLOCK_BYTES != 0) {
    sk__bad_argument(core, "the source's bytes", (int64_t)p->rows * p->columns * elem_bytes, "a multiple of 32");
    return;
  }
  if (!sk__high_scratch(core, tmp, sk_tmp_pad(p->rows * p->columns).least)) return;
  void *d = dst, *s = plain(src);
  if (!sk__high_operand(core, &s, (uint64_t)p->rows * p->columns * elem_bytes, SK__READ, "src") ||
      !sk__high_operand(core, &d, (uint64_t)p->rows * pitch * elem_bytes, SK__WRITE, "dst"))
    return;
  for (uint32_t r = p->rows; r-- > 0;) /* from the end: the result may lie over the source */
    for (uint32_t i = left + kept + p->right; i-- > 0;) {
      uint64_t at = (uint64_t)r * pitch + i;
      if (i < left || i >= left + kept) move(d, at, &value, 0, elem_bytes);
      else move(d, at, s, (uint64_t)r * p->columns + i - left, elem_bytes);
    }
  sk__high_time(core, (uint64_t)p->rows * pitch, 4);
}

/* On this architecture it takes no temporary memory. */
void sk_high_unpad(uint32_t elem_bytes, void *dst, const void *src, const sk_padding *p) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, "UnPad", SK__SITE());
  if (core == NULL || p->rows == 0 || p->columns == 0) return;
  uint32_t per_block = SK__BLOCK_BYTES / elem_bytes;
  if (p->columns % per_block != 0) {
    sk__bad_argument(core, "the number of columns", p->columns, "a multiple of %u, a block of 32 bytes", per_block);
    return;
  }
  if (p->left != 0) {
    sk__bad_argument(core, "leftPad", p->left, "0: nothing is cut on the left");
    return;
  }
  if (p->right == 0 || p->right >= per_block) {
    sk__bad_argument(core, "rightPad", p->right, "1..%u, less than a block of 32 bytes", per_block - 1);
    return;
  }
  uint32_t kept = p->columns - p->right;
  void *d = dst, *s = plain(src);
  if (!sk__high_operand(core, &s, (uint64_t)p->rows * p->columns * elem_bytes, SK__READ, "src") ||
      !sk__high_operand(core, &d, (uint64_t)p->rows * kept * elem_bytes, SK__WRITE, "dst"))
    return;
  for (uint32_t r = 0; r < p->rows; r++)
    for (uint32_t i = 0; i < kept; i++) move(d, (uint64_t)r * kept + i, s, (uint64_t)r * p->columns + i, elem_bytes);
  sk__high_time(core, (uint64_t)p->rows * p->columns, 4);
}

/* ---- five dimensions ---------------------------------------------------------------------------------------- */

/* Where (n, c, d, h, w) stands: NCDHW with planes of whole blocks, NDC1HWC0, or FRACTAL_Z_3D. */
static uint64_t plain_place(const sk_volume *v, uint32_t n, uint32_t c, uint32_t d, uint32_t at) {
  return (((uint64_t)n * v->c + c) * v->d + d) * up(v->h * v->w, CUBE) + at;
}
static uint64_t block_place(const sk_volume *v, bool by_n, uint32_t n, uint32_t c, uint32_t d, uint32_t at) {
  uint64_t channels = (v->c + CUBE - 1) / CUBE, plane = (uint64_t)v->h * v->w, numbers = (v->n + CUBE - 1) / CUBE;
  if (!by_n) return ((((uint64_t)n * v->d + d) * channels + c / CUBE) * plane + at) * CUBE + c % CUBE;
  return ((((uint64_t)d * channels + c / CUBE) * plane + at) * numbers * CUBE + n) * CUBE + c % CUBE;
}

/* Elements of 16 bits. Missing channels and numbers of a block are zero. */
void sk_high_trans_data(void *dst, const void *src, const sk_volume *v, bool to_blocks, bool by_n, sk_scratch tmp) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, "TransData", SK__SITE());
  if (core == NULL) return;
  if (v->n == 0 || v->c == 0 || v->d == 0 || v->h == 0 || v->w == 0) {
    sk__bad_argument(core, "a dimension", 0, "1 or more");
    return;
  }
  if (!sk__high_scratch(core, tmp, sk_tmp_trans_data(v->n, v->c, v->d, v->h, v->w, to_blocks, by_n).least)) return;
  uint32_t plane = v->h * v->w, channels = up(v->c, CUBE), numbers = by_n ? up(v->n, CUBE) : v->n;
  uint64_t rows = (uint64_t)v->n * v->c * v->d * up(plane, CUBE) * 2, blocks = (uint64_t)numbers * channels * v->d * plane * 2;
  void *d = dst, *s = plain(src);
  if (!sk__high_operand(core, &s, to_blocks ? rows : blocks, SK__READ, "src") ||
      !sk__high_operand(core, &d, to_blocks ? blocks : rows, SK__WRITE, "dst"))
    return;
  static const uint16_t zero = 0;
  for (uint32_t n = 0; n < numbers; n++)
    for (uint32_t c = 0; c < channels; c++)
      for (uint32_t z = 0; z < v->d; z++)
        for (uint32_t at = 0; at < plane; at++) {
          uint64_t in_blocks = block_place(v, by_n, n, c, z, at);
          bool there = n < v->n && c < v->c;
          if (there && to_blocks) move(d, in_blocks, s, plain_place(v, n, c, z, at), 2);
          else if (there) move(d, plain_place(v, n, c, z, at), s, in_blocks, 2);
          else if (to_blocks) move(d, in_blocks, &zero, 0, 2);
        }
  sk__high_time(core, blocks, 4);
}

/* Channels from before the plane to behind it, or back. */
void sk_high_channels(uint32_t elem_bytes, void *dst, const void *src, const sk_volume *v, bool to_last, sk_scratch tmp) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, "Transpose", SK__SITE());
  if (core == NULL) return;
  uint32_t plane = v->h * v->w;
  if (v->c > 4095 || plane > 4095) {
    sk__bad_argument(core, v->c > 4095 ? "cSize" : "hSize * wSize", v->c > 4095 ? v->c : plane, "0..4095");
    return;
  }
  if (plane * elem_bytes % SK__BLOCK_BYTES != 0) {
    sk__bad_argument(core, "hSize * wSize", plane, "a multiple of %u, a block of 32 bytes", SK__BLOCK_BYTES / elem_bytes);
    return;
  }
  uint64_t elems = (uint64_t)v->n * v->c * plane;
  if (elems == 0 || !sk__high_scratch(core, tmp, sk_tmp_channels(v->c, elem_bytes, to_last).least)) return;
  void *d = dst, *s = plain(src);
  if (!sk__high_operand(core, &s, elems * elem_bytes, SK__READ, "src") || !sk__high_operand(core, &d, elems * elem_bytes, SK__WRITE, "dst")) return;
  for (uint32_t n = 0; n < v->n; n++)
    for (uint32_t c = 0; c < v->c; c++)
      for (uint32_t at = 0; at < plane; at++) {
        uint64_t before = ((uint64_t)n * v->c + c) * plane + at, behind = ((uint64_t)n * plane + at) * v->c + c;
        move(d, to_last ? behind : before, s, to_last ? before : behind, elem_bytes);
      }
  sk__high_time(core, elems, 4);
}

/* ---- matrices in fractals --------------------------------------------------------------------------------------- */

/* A matrix of s rows and h columns in fractals of 16 x 16, column after column of them. */
static uint64_t fractal_place(uint32_t s_up, uint32_t row, uint32_t column) {
  return ((uint64_t)(column / CUBE) * s_up + row) * CUBE + column % CUBE;
}

/* Types 1 to 7 of TransposeType over [B, N, S, H / N]; 7: [H, W] as S and H / N. S and the lengths of rows are rounded up to
 * 16 in memory; what pads them is zero in the result. */
void sk_high_transpose(uint32_t type, uint32_t elem_bytes, void *dst, const void *src, const sk_volume *v, sk_scratch tmp) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, "Transpose", SK__SITE());
  if (core == NULL) return;
  uint32_t batch = v->n, heads = v->c, s = v->h, part = v->w;
  if (batch == 0 || heads == 0 || s == 0 || part == 0) {
    sk__bad_argument(core, "a dimension of the tiling", 0, "1 or more, as GetTransposeTilingInfo fills it");
    return;
  }
  if (type == 7 && (s % CUBE != 0 || part % CUBE != 0)) {
    sk__bad_argument(core, "a dimension", s % CUBE != 0 ? s : part, "a multiple of 16");
    return;
  }
  if (!sk__high_scratch(core, tmp, sk_tmp_transpose(type, s, elem_bytes).least)) return;
  bool joined_source = type == 3 || type == 4;
  uint32_t s_up = up(s, CUBE), part_up = up(part, CUBE), whole_up = up(heads * part, CUBE);
  uint64_t split_elems = (uint64_t)batch * heads * part_up * s_up, joined_elems = (uint64_t)batch * whole_up * s_up;
  uint64_t from_elems = type == 7 ? (uint64_t)s * part : joined_source ? joined_elems : split_elems, to_elems = from_elems;
  if (joined_source) to_elems = split_elems;
  if (type == 5 || type == 6) to_elems = joined_elems;
  void *d = dst, *from = plain(src);
  if (!sk__high_operand(core, &from, from_elems * elem_bytes, SK__READ, "src") || !sk__high_operand(core, &d, to_elems * elem_bytes, SK__WRITE, "dst"))
    return;
  uint8_t *copy = core->scratch; /* the result may lie over the source */
  memcpy(copy, from, from_elems * elem_bytes);
  memset(d, 0, to_elems * elem_bytes);
  for (uint32_t b = 0; b < batch; b++)
    for (uint32_t n = 0; n < heads; n++)
      for (uint32_t r = 0; r < s; r++)
        for (uint32_t i = 0; i < part; i++) {
          uint32_t whole = n * part + i;
          uint64_t head = (uint64_t)b * heads + n, split = head * part_up * s_up + fractal_place(s_up, r, i);
          uint64_t joined = (uint64_t)b * whole_up * s_up + fractal_place(s_up, r, whole), to = 0;
          switch (type) {
            case 1: to = (((uint64_t)b * s_up + r) * heads + n) * part_up + i; break;
            case 2: to = ((uint64_t)b * s_up + r) * heads * part_up + fractal_place(heads, n, i); break;
            case 3: to = split; break;
            case 4: to = (head * s_up + r) * part_up + i; break;
            case 5: to = ((uint64_t)b * s_up + r) * whole_up + whole; break;
            case 6: to = joined; break;
            default: to = (uint64_t)i * s + r; break;
          }
          move(d, to, copy, type == 7 ? (uint64_t)r * part + i : joined_source ? joined : split, elem_bytes);
        }
  sk__high_time(core, to_elems, 6);
}
