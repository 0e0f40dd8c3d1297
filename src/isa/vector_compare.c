/* vector_compare.c - comparisons into the mask register or into memory, and asc_select.
 *
 * Into memory: whole repeats, one bit per element, bits of all repeats without a gap; the mask does not
 * apply. Into the register: one repeat, whatever `repeat` says, and only the enabled elements' bits change. */
#include <string.h>

#include "c_api/asc_vector_other.h"
#include "isa/simd/compare_kernels.h"
#include "isa/vector_other.h"

SK__SIMD_BIND(compare)

typedef enum compare_type { CMP_F16, CMP_F32, CMP_I32 } compare_type;

typedef struct comparison {
  const char *name, *name_sync;
  sk__comparison what;
  compare_type type;
} comparison;

static uint32_t size_of(const comparison *c) { return c->type == CMP_F16 ? 2 : 4; }

/* One repeat of packed operands. */
static void compare_row(const comparison *c, uint8_t *bits, const void *a, const void *b, uint32_t lanes) {
  switch (c->type) {
    case CMP_F16: sk__simd_compare->compare_f16(bits, a, b, lanes, c->what); break;
    case CMP_F32: sk__simd_compare->compare_f32(bits, a, b, lanes, c->what); break;
    case CMP_I32: sk__simd_compare->equal_i32(bits, a, b, lanes); break;
  }
}

/* A row of the stream: in place if its blocks are contiguous. */
static const void *row_of(const sk__stream *s, const sk__iterations *it, uint32_t r, void *buffer) {
  if (s->block_bytes == SK__BLOCK_BYTES) return s->base + (uint64_t)r * s->repeat_bytes;
  sk__stream_gather(s, it, r, buffer);
  return buffer;
}

/* Whole repeats; counter mode rounds its count up to them. */
static sk__iterations whole_repeats(const sk__core *core, uint32_t repeat, uint32_t lanes) {
  if (sk__ctrl(core, SK__CTRL_COUNTER_MODE)) repeat = (uint32_t)(((core->mask[0] & UINT32_MAX) + lanes - 1) / lanes);
  return (sk__iterations){.lanes = lanes, .full = repeat, .prefix = lanes};
}

/* ---- into memory ----------------------------------------------------------------------------- */

static void compare_to(sk__core *core, const comparison *c, uint8_t *dst, sk__stream *a, sk__stream *b,
                       const uint8_t *scalar_row, uint32_t repeat) {
  uint32_t lanes = SK__REPEAT_BYTES / size_of(c), row_bytes = lanes / 8;
  sk__iterations it = whole_repeats(core, repeat, lanes);
  if (sk__iterations_empty(&it)) return;
  uint64_t dst_bytes = (uint64_t)it.full * row_bytes;
  uint8_t *d = sk__ub_operand(core, dst, dst_bytes, SK__BLOCK_BYTES, "dst");
  if (d == NULL) return;
  a->base = sk__ub_operand(core, a->base, sk__stream_extent(a, &it), SK__BLOCK_BYTES, b != NULL ? "src0" : "src");
  if (a->base == NULL) return;
  if (b != NULL) {
    b->base = sk__ub_operand(core, b->base, sk__stream_extent(b, &it), SK__BLOCK_BYTES, "src1");
    if (b->base == NULL) return;
  }
  if (core->checks) {
    sk__stream_access(core, SK__PIPE_V, SK__READ, a, &it);
    if (b != NULL) sk__stream_access(core, SK__PIPE_V, SK__READ, b, &it);
    sk__local_access(core, SK__PIPE_V, SK__WRITE, d, dst_bytes);
  }
  for (uint32_t r = 0; r < it.full; r++, d += row_bytes) {
    _Alignas(64) uint8_t left[SK__REPEAT_BYTES], right[SK__REPEAT_BYTES], bits[16];
    const void *x = row_of(a, &it, r, left), *y = b != NULL ? row_of(b, &it, r, right) : scalar_row;
    compare_row(c, bits, x, y, lanes);
    memcpy(d, bits, row_bytes);
  }
  sk__vector_time(core, SK__RATE_COMPARE, size_of(c), (uint64_t)it.full * lanes);
}

static void compare(const comparison *c, uint8_t *dst, const void *src0, const void *src1, SK_ARGS_BINARY, bool sync,
                    const void *site) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, sync ? c->name_sync : c->name, site);
  if (core == NULL) return;
  (void)dst_block_stride, (void)dst_repeat_stride; /* the bits are packed */
  sk__stream a = sk__stream_of(src0, size_of(c) * 8, src0_block_stride, src0_repeat_stride);
  sk__stream b = sk__stream_of(src1, size_of(c) * 8, src1_block_stride, src1_repeat_stride);
  compare_to(core, c, dst, &a, &b, NULL, repeat);
  if (sync) sk__pipe_barrier(core, SK__PIPE_ALL);
}

static void compare_scalar(const comparison *c, uint8_t *dst, const void *src, uint32_t scalar, SK_ARGS_UNARY, bool sync,
                           const void *site) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, sync ? c->name_sync : c->name, site);
  if (core == NULL) return;
  (void)dst_block_stride, (void)dst_repeat_stride; /* the bits are packed */
  if (src_repeat_stride > 255) {
    sk__bad_argument(core, "src_repeat_stride", src_repeat_stride, "0..255");
    return;
  }
  _Alignas(64) uint8_t row[SK__REPEAT_BYTES];
  uint32_t size = size_of(c);
  for (uint32_t at = 0; at < SK__REPEAT_BYTES; at += size) memcpy(row + at, &scalar, size);
  sk__stream a = sk__stream_of(src, size * 8, src_block_stride, src_repeat_stride);
  compare_to(core, c, dst, &a, NULL, row, repeat);
  if (sync) sk__pipe_barrier(core, SK__PIPE_ALL);
}

/* ---- into the register ----------------------------------------------------------------------- */

static void compare_into_register(sk__core *core, const comparison *c, const void *src0, const void *src1,
                                  SK_ARGS_BINARY) {
  (void)repeat, (void)dst_block_stride, (void)dst_repeat_stride, (void)src0_repeat_stride, (void)src1_repeat_stride;
  uint32_t lanes = SK__REPEAT_BYTES / size_of(c);
  sk__iterations it = sk__iterations_of(core, 1, lanes);
  if (it.full > 1) it = (sk__iterations){.lanes = lanes, .full = 1, .prefix = lanes};
  if (it.full == 1) it.tail = 0;
  if (sk__iterations_empty(&it)) return;
  sk__stream operand[2] = {sk__stream_of(src0, size_of(c) * 8, src0_block_stride, 8),
                           sk__stream_of(src1, size_of(c) * 8, src1_block_stride, 8)};
  static const char *const names[2] = {"src0", "src1"};
  _Alignas(64) uint8_t row[2][SK__REPEAT_BYTES] = {{0}};
  for (uint32_t i = 0; i < 2; i++) {
    operand[i].base = sk__ub_operand(core, operand[i].base, sk__stream_extent(&operand[i], &it), SK__BLOCK_BYTES, names[i]);
    if (operand[i].base == NULL) return;
  }
  for (uint32_t i = 0; i < 2; i++) {
    if (core->checks) sk__stream_access(core, SK__PIPE_V, SK__READ, &operand[i], &it);
    sk__stream_gather(&operand[i], &it, 0, row[i]);
  }
  uint64_t bits[2] = {0, 0};
  compare_row(c, (uint8_t *)bits, row[0], row[1], lanes);
  for (uint32_t lane = 0; lane < lanes; lane++) {
    if (!sk__lane_enabled(&it, 0, lane)) continue;
    uint64_t one = UINT64_C(1) << (lane & 63);
    core->cmp_mask[lane >> 6] = (core->cmp_mask[lane >> 6] & ~one) | (bits[lane >> 6] & one);
  }
  sk__vector_time(core, SK__RATE_COMPARE, size_of(c), lanes);
}

static void compare_register(const comparison *c, const void *src0, const void *src1, SK_ARGS_BINARY, bool sync,
                             const void *site) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, sync ? c->name_sync : c->name, site);
  if (core == NULL) return;
  compare_into_register(core, c, src0, src1, repeat, dst_block_stride, src0_block_stride, src1_block_stride,
                        dst_repeat_stride, src0_repeat_stride, src1_repeat_stride);
  if (sync) sk__pipe_barrier(core, SK__PIPE_ALL);
}

/* ---- entry points of the comparisons --------------------------------------------------------- */

#define PASS_BINARY                                                                                    \
  repeat, dst_block_stride, src0_block_stride, src1_block_stride, dst_repeat_stride, src0_repeat_stride, \
      src1_repeat_stride
#define PASS_UNARY repeat, dst_block_stride, src_block_stride, dst_repeat_stride, src_repeat_stride

#define COMPARE_REGISTER(op, WHAT, tag, T, type)                                                       \
  void sk_##op##_##tag##_r(const T *src0, const T *src1, SK_ARGS_BINARY) {                             \
    compare_register(&op##_##tag, src0, src1, PASS_BINARY, false, SK__SITE());                         \
  }                                                                                                    \
  void sk_##op##_##tag##_rs(const T *src0, const T *src1, SK_ARGS_BINARY) {                            \
    compare_register(&op##_##tag, src0, src1, PASS_BINARY, true, SK__SITE());                          \
  }
#define COMPARE_MEMORY(op, WHAT, tag, T, V, type)                                                      \
  static const comparison op##_##tag = {SK__NAME(op), SK__NAME_SYNC(op), SK__CMP_##WHAT, type};        \
  static const comparison op##_scalar_##tag = {SK__NAME(op##_scalar), SK__NAME_SYNC(op##_scalar),      \
                                               SK__CMP_##WHAT, type};                                  \
  void sk_##op##_##tag##_h(uint8_t *dst, const T *src0, const T *src1, SK_ARGS_BINARY) {               \
    compare(&op##_##tag, dst, src0, src1, PASS_BINARY, false, SK__SITE());                             \
  }                                                                                                    \
  void sk_##op##_##tag##_hs(uint8_t *dst, const T *src0, const T *src1, SK_ARGS_BINARY) {              \
    compare(&op##_##tag, dst, src0, src1, PASS_BINARY, true, SK__SITE());                              \
  }                                                                                                    \
  void sk_##op##_scalar_##tag##_h(uint8_t *dst, const T *src, V value, SK_ARGS_UNARY) {                \
    uint32_t bits;                                                                                     \
    memcpy(&bits, &value, sizeof bits);                                                                \
    compare_scalar(&op##_scalar_##tag, dst, src, bits, PASS_UNARY, false, SK__SITE());                 \
  }                                                                                                    \
  void sk_##op##_scalar_##tag##_hs(uint8_t *dst, const T *src, V value, SK_ARGS_UNARY) {               \
    uint32_t bits;                                                                                     \
    memcpy(&bits, &value, sizeof bits);                                                                \
    compare_scalar(&op##_scalar_##tag, dst, src, bits, PASS_UNARY, true, SK__SITE());                  \
  }
#define COMPARE(op, WHAT)                                                  \
  COMPARE_MEMORY(op, WHAT, f16, half, sk_scalar_f16, CMP_F16)              \
  COMPARE_MEMORY(op, WHAT, f32, float, sk_scalar_f32, CMP_F32)             \
  COMPARE_REGISTER(op, WHAT, f16, half, CMP_F16)                           \
  COMPARE_REGISTER(op, WHAT, f32, float, CMP_F32)
SK_COMPARE_LIST(COMPARE)
COMPARE_MEMORY(eq, EQ, i32, int32_t, sk_scalar_i32, CMP_I32)

/* ---- the register itself --------------------------------------------------------------------- */

void asc_get_cmp_mask(void *dst) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, "asc_get_cmp_mask", SK__SITE());
  void *d = core == NULL ? NULL : sk__ub_operand(core, dst, sizeof core->cmp_mask, 16, "dst");
  if (d == NULL) return;
  sk__local_access(core, SK__PIPE_V, SK__WRITE, d, sizeof core->cmp_mask);
  memcpy(d, core->cmp_mask, sizeof core->cmp_mask);
  sk__advance(core, SK__PIPE_V, sk__startup(core, SK__PIPE_V) + 1);
}
void asc_set_cmp_mask(const void *src) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, "asc_set_cmp_mask", SK__SITE());
  const void *s = core == NULL ? NULL : sk__ub_operand(core, src, sizeof core->cmp_mask, 16, "src");
  if (s == NULL) return;
  sk__local_access(core, SK__PIPE_V, SK__READ, s, sizeof core->cmp_mask);
  memcpy(core->cmp_mask, s, sizeof core->cmp_mask);
  sk__advance(core, SK__PIPE_V, sk__startup(core, SK__PIPE_V) + 1);
}

/* ---- select ---------------------------------------------------------------------------------- */

/* The register's bits as all-ones and all-zeros elements of one repeat. */
static void spread_mask(const sk__core *core, uint32_t size, uint8_t *chosen) {
  for (uint32_t lane = 0; lane < SK__REPEAT_BYTES / size; lane++) {
    bool set = (core->cmp_mask[lane >> 6] >> (lane & 63) & 1) != 0;
    memset(chosen + lane * size, set ? 0xff : 0, size);
  }
}

static void choose(sk__core *core, void *dst, const void *src0, const void *src1, const sk__iterations *it,
                   uint32_t size, const sk__vstrides *k) {
  if (sk__iterations_empty(it)) return;
  sk__stream d = sk__stream_of(dst, size * 8, k->dst_block == 0 ? 1 : k->dst_block, k->dst_repeat);
  sk__stream a = sk__stream_of(src0, size * 8, k->src0_block, k->src0_repeat);
  sk__stream b = sk__stream_of(src1, size * 8, k->src1_block, k->src1_repeat);
  if (!sk__take_two_sources(core, it, &d, &a, &b)) return;
  static const sk__vinstr plain = {0}; /* does not accumulate over iterations */
  uint64_t d_bytes = sk__stream_extent(&d, it);
  const sk__stream *sources[2] = {&a, &b};
  for (uint32_t i = 0; i < 2; i++) {
    const sk__stream *s = sources[i];
    bool same = s->base == d.base && s->block_bytes == d.block_bytes && s->repeat_bytes == d.repeat_bytes &&
                d.repeat_bytes >= SK__REPEAT_BYTES;
    if (!same && s->base < d.base + d_bytes && d.base < s->base + sk__stream_extent(s, it))
      (void)sk__vector_overlap(core, &plain, &d, s, i, it);
  }
  _Alignas(64) uint8_t chosen[SK__REPEAT_BYTES], left[SK__REPEAT_BYTES], right[SK__REPEAT_BYTES], out[SK__REPEAT_BYTES];
  spread_mask(core, size, chosen);
  for (uint32_t r = 0; r < sk__iteration_total(it); r++) {
    uint32_t n = r < it->full ? it->prefix : it->tail;
    const void *x = row_of(&a, it, r, left), *y = row_of(&b, it, r, right);
    if (size == 2) sk__simd_compare->select_b16((uint16_t *)out, x, y, (const uint16_t *)chosen, n);
    else sk__simd_compare->select_b32((uint32_t *)out, x, y, (const uint32_t *)chosen, n);
    sk__stream_scatter(&d, it, r, out);
  }
  sk__vector_time(core, SK__RATE_COMPARE, size, (uint64_t)it->full * it->lanes + it->tail);
}

static void select_count(void *dst, const void *src0, const void *src1, uint32_t count, uint32_t size, bool sync,
                         const void *site) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, sync ? SK__NAME_SYNC(select) : SK__NAME(select), site);
  if (core == NULL) return;
  sk__mask_count_form(core, count);
  sk__iterations it = sk__iterations_count(count, SK__REPEAT_BYTES / size);
  const sk__vstrides k = {0, 1, 1, 1, 8, 8, 8};
  choose(core, dst, src0, src1, &it, size, &k);
  if (sync) sk__pipe_barrier(core, SK__PIPE_ALL);
}

#define SELECT(tag, T)                                                                                \
  void sk_select_##tag##_n(T *dst, const T *src0, const T *src1, uint32_t count) {                    \
    select_count(dst, src0, src1, count, sizeof *dst, false, SK__SITE());                             \
  }                                                                                                   \
  void sk_select_##tag##_ns(T *dst, const T *src0, const T *src1, uint32_t count) {                   \
    select_count(dst, src0, src1, count, sizeof *dst, true, SK__SITE());                              \
  }                                                                                                   \
  void sk_select_##tag##_h(T *dst, const T *src0, const T *src1, SK_ARGS_BINARY) {                    \
    sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, SK__NAME(select), SK__SITE());                    \
    if (core == NULL) return;                                                                         \
    sk__iterations it = sk__iterations_of(core, repeat, SK__REPEAT_BYTES / sizeof *dst);              \
    const sk__vstrides k = {PASS_BINARY};                                                             \
    choose(core, dst, src0, src1, &it, sizeof *dst, &k);                                              \
  }
SELECT(f16, half)
SELECT(f32, float)
