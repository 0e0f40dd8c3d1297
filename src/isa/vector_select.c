/* vector_select.c - what the C++ tensor layer needs beyond the C API's vector instructions: selection that
 * goes on through its mask bits over iterations, and running numbers. */
#include <string.h>

#include "base/numbers.h"
#include "isa/vector_other.h"
#include "kernel_operator/library.h"

/* ---- selection --------------------------------------------------------------------------------- */

typedef struct selection {
  uint32_t size;          /* bytes per element */
  sk__iterations it;
  sk__stream d, a, b;     /* b.base NULL: the scalar */
  const uint8_t *bits;
  uint32_t scalar;
} selection;

static bool resolve(sk__core *core, selection *s) {
  s->d.base = sk__ub_operand(core, s->d.base, sk__stream_extent(&s->d, &s->it), SK__BLOCK_BYTES, "dst");
  if (s->d.base == NULL) return false;
  s->a.base = sk__ub_operand(core, s->a.base, sk__stream_extent(&s->a, &s->it), SK__BLOCK_BYTES, "src0");
  if (s->a.base == NULL) return false;
  if (s->b.base != NULL) {
    s->b.base = sk__ub_operand(core, s->b.base, sk__stream_extent(&s->b, &s->it), SK__BLOCK_BYTES, "src1");
    if (s->b.base == NULL) return false;
  }
  uint64_t elems = (uint64_t)s->it.full * s->it.lanes + s->it.tail;
  if (s->it.tail == 0) elems -= s->it.lanes - s->it.prefix;
  s->bits = sk__ub_operand(core, s->bits, (elems + 7) / 8, SK__BLOCK_BYTES, "selMask");
  if (s->bits == NULL) return false;
  if (!core->checks) return true;
  sk__local_access(core, SK__PIPE_V, SK__READ, s->bits, (elems + 7) / 8);
  sk__stream_access(core, SK__PIPE_V, SK__READ, &s->a, &s->it);
  if (s->b.base != NULL) sk__stream_access(core, SK__PIPE_V, SK__READ, &s->b, &s->it);
  sk__stream_access(core, SK__PIPE_V, SK__WRITE, &s->d, &s->it);
  return true;
}

/* Both sources of an iteration are read whole before its destination is written. */
static void select_iterations(const selection *s) {
  _Alignas(64) uint8_t left[SK__REPEAT_BYTES], right[SK__REPEAT_BYTES];
  for (uint32_t at = 0; at < SK__REPEAT_BYTES; at += s->size) memcpy(right + at, &s->scalar, s->size);
  for (uint32_t r = 0; r < sk__iteration_total(&s->it); r++) {
    uint32_t n = r < s->it.full ? s->it.prefix : s->it.tail;
    const uint8_t *bits = s->bits + (uint64_t)r * (s->it.lanes / 8);
    sk__stream_gather(&s->a, &s->it, r, left);
    if (s->b.base != NULL) sk__stream_gather(&s->b, &s->it, r, right);
    for (uint32_t e = 0; e < n; e++)
      if ((bits[e / 8] >> (e % 8) & 1) == 0) memcpy(left + e * s->size, right + e * s->size, s->size);
    sk__stream_scatter(&s->d, &s->it, r, left);
  }
}

void sk_select_by_bits(void *dst, const void *bits, const void *src0, const void *src1, uint32_t scalar, uint32_t elem_bytes,
                       uint32_t count, uint8_t repeat, uint8_t dst_block_stride, uint8_t src0_block_stride,
                       uint8_t src1_block_stride, uint8_t dst_repeat_stride, uint8_t src0_repeat_stride,
                       uint8_t src1_repeat_stride) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, "Select", SK__SITE());
  if (core == NULL) return;
  uint32_t lanes = SK__REPEAT_BYTES / elem_bytes;
  selection s = {.size = elem_bytes, .bits = bits, .scalar = scalar};
  s.it = count != 0 ? sk__iterations_count(count, lanes) : sk__iterations_of(core, repeat, lanes);
  if (sk__iterations_empty(&s.it)) return;
  s.d = sk__stream_of(dst, elem_bytes * 8, dst_block_stride == 0 ? 1 : dst_block_stride, dst_repeat_stride);
  s.a = sk__stream_of(src0, elem_bytes * 8, src0_block_stride, src0_repeat_stride);
  if (src1 != NULL) s.b = sk__stream_of(src1, elem_bytes * 8, src1_block_stride, src1_repeat_stride);
  if (!resolve(core, &s)) return;
  select_iterations(&s);
  sk__vector_time(core, SK__RATE_COMPARE, elem_bytes, (uint64_t)sk__iteration_total(&s.it) * lanes);
}

/* ---- running numbers ----------------------------------------------------------------------------- */

enum { INDEX_F16, INDEX_F32, INDEX_I16, INDEX_I32 };

/* first + i in the element's type; integers wrap. */
static void put_number(uint8_t *to, uint32_t type, double first, uint64_t i) {
  uint16_t bits16 = (uint16_t)((int64_t)first + (int64_t)i);
  uint32_t bits32 = (uint32_t)((int64_t)first + (int64_t)i);
  if (type == INDEX_F16) bits16 = sk__f16_from_f32((float)first + (float)i, SK__ROUND_RINT, SK__FLOAT_INF_NAN);
  if (type == INDEX_F32) bits32 = sk__bits_from_f32((float)first + (float)i);
  if (type == INDEX_F16 || type == INDEX_I16) memcpy(to, &bits16, sizeof bits16);
  else memcpy(to, &bits32, sizeof bits32);
}

void sk_create_index(void *dst, uint32_t type, double first, uint32_t count, uint8_t repeat, uint16_t dst_block_stride,
                     uint16_t dst_repeat_stride) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, "CreateVecIndex", SK__SITE());
  if (core == NULL) return;
  uint32_t size = type == INDEX_F16 || type == INDEX_I16 ? 2 : 4, lanes = SK__REPEAT_BYTES / size;
  sk__iterations it = count != 0 ? sk__iterations_count(count, lanes) : sk__iterations_of(core, repeat, lanes);
  if (sk__iterations_empty(&it)) return;
  sk__stream d = sk__stream_of(dst, size * 8, dst_block_stride == 0 ? 1 : dst_block_stride, dst_repeat_stride);
  d.base = sk__ub_operand(core, dst, sk__stream_extent(&d, &it), SK__BLOCK_BYTES, "dst");
  if (d.base == NULL) return;
  if (core->checks) sk__stream_access(core, SK__PIPE_V, SK__WRITE, &d, &it);
  _Alignas(64) uint8_t row[SK__REPEAT_BYTES];
  for (uint32_t r = 0; r < sk__iteration_total(&it); r++) {
    for (uint32_t e = 0; e < lanes; e++) put_number(row + e * size, type, first, (uint64_t)r * lanes + e);
    sk__stream_scatter(&d, &it, r, row);
  }
  sk__advance(core, SK__PIPE_V, sk__startup(core, SK__PIPE_V) + sk__iteration_total(&it));
}
