/* high_level_quant.c - high-level functions that scale to integers of 8 bits and back: AscendQuant, AscendDequant,
 * AscendAntiQuant, AddDeqRelu. */
#include <math.h>

#include "base/numbers.h"
#include "isa/high_level.h"
#include "isa/vector_other.h"

static void put(void *to, uint32_t bits, bool bf16, uint64_t i, double value) {
  if (bf16) ((uint16_t *)to)[i] = sk__bf16_from_f32((float)value, SK__ROUND_RINT, SK__FLOAT_INF_NAN);
  else sk__high_put(to, bits, i, value);
}
static double get(const void *from, uint32_t bits, bool bf16, uint64_t i) {
  return bf16 ? (double)sk__f32_from_bf16(((const uint16_t *)from)[i]) : sk__high_get(from, bits, i);
}

/* ---- to int8_t -------------------------------------------------------------------------------------- */

void sk_high_quantise(uint32_t float_bits, int8_t *dst, const void *src, float scale, float offset, uint32_t count, sk_scratch tmp) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, "AscendQuant", SK__SITE());
  if (core == NULL || count == 0 || !sk__high_scratch(core, tmp, sk_tmp_quantise(count).least)) return;
  void *d = dst, *s = (void *)(uintptr_t)src;
  if (!sk__high_operand(core, &s, (uint64_t)count * float_bits / 8, SK__READ, "src") ||
      !sk__high_operand(core, &d, count, SK__WRITE, "dst"))
    return;
  for (uint32_t i = 0; i < count; i++) {
    double product = sk__high_half(sk__high_half(sk__high_get(s, float_bits, i)) * sk__high_half(scale));
    ((int8_t *)d)[i] = sk__high_int8(sk__high_half(product + sk__high_half(offset)));
  }
  sk__high_time(core, count, 4);
}

/* One scale per element of a period. */
void sk_high_quantise_by(uint32_t float_bits, int8_t *dst, const void *src, const void *scales, const void *offsets, double offset,
                         uint32_t period, uint32_t count, sk_scratch tmp) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, "AscendQuant", SK__SITE());
  if (core == NULL || count == 0 || !sk__high_scratch(core, tmp, sk_tmp_quantise(count).least)) return;
  if (period == 0) {
    sk__bad_argument(core, "scaleCount", period, "1 or more");
    return;
  }
  void *d = dst, *s = (void *)(uintptr_t)src, *k = (void *)(uintptr_t)scales, *o = (void *)(uintptr_t)offsets;
  if (!sk__high_operand(core, &s, (uint64_t)count * float_bits / 8, SK__READ, "src") ||
      !sk__high_operand(core, &k, (uint64_t)period * float_bits / 8, SK__READ, "scale") ||
      !sk__high_operand(core, &o, (uint64_t)period * float_bits / 8, SK__READ, "offset") ||
      !sk__high_operand(core, &d, count, SK__WRITE, "dst"))
    return;
  for (uint32_t i = 0; i < count; i++) {
    double by = sk__high_half(sk__high_get(k, float_bits, i % period)), add = sk__high_half(o != NULL ? sk__high_get(o, float_bits, i % period) : offset);
    double product = sk__high_half(sk__high_half(sk__high_get(s, float_bits, i)) * by);
    ((int8_t *)d)[i] = sk__high_int8(sk__high_half(product + add));
  }
  sk__high_time(core, count, 4);
}

/* ---- from int32_t ------------------------------------------------------------------------------------- */

static bool shape_legal(sk__core *core, const sk_dequant *w) {
  if (w->columns % 8 != 0) {
    sk__bad_argument(core, "n of a row of int32_t", w->columns, "multiples of 8: rows have whole blocks of 32 bytes");
    return false;
  }
  if (w->count >= 1 && w->count <= w->columns) return true;
  sk__bad_argument(core, "calCount", w->count, "1..%u, the columns n", w->columns);
  return false;
}
static float scale_of(const sk_dequant *w, const void *scales, uint32_t column) {
  if (scales == NULL) return w->scale;
  switch (w->kind) {
    case SK_HIGH_SCALE_BF16: return sk__f32_from_bf16(((const uint16_t *)scales)[column]);
    case SK_HIGH_SCALE_U64: return ((const float *)scales)[2 * column];
    default: return ((const float *)scales)[column];
  }
}

/* What lies behind the count in a row of the result stays as it was. */
void sk_high_dequantise(const sk_dequant *what, void *dst, const int32_t *src, const void *scales, sk_scratch tmp) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, "AscendDequant", SK__SITE());
  sk_dequant w = *what;
  if (core == NULL || w.rows == 0 || w.columns == 0 || w.elems == 0 || !shape_legal(core, &w)) return;
  uint32_t per_block = 256 / w.result_bits, scale_bytes = w.kind == SK_HIGH_SCALE_U64 ? 8 : w.kind == SK_HIGH_SCALE_BF16 ? 2 : 4;
  if (w.single_row && w.rows == 1 && w.count % per_block == 0 && w.columns % w.count == 0) w.rows = w.columns / w.count, w.columns = w.count;
  if (!sk__high_scratch(core, tmp, sk_tmp_dequantise(1, w.columns).least)) return;
  uint32_t pitch = (w.columns + per_block - 1) / per_block * per_block, rows = (w.elems + w.columns - 1) / w.columns;
  uint32_t last = w.elems - (rows - 1) * w.columns < w.count ? w.elems - (rows - 1) * w.columns : w.count;
  void *d = dst, *s = (void *)(uintptr_t)src, *k = (void *)(uintptr_t)scales;
  if (!sk__high_operand(core, &s, (uint64_t)w.elems * 4, SK__READ, "src") ||
      !sk__high_operand(core, &k, (uint64_t)w.count * scale_bytes, SK__READ, "deqScale") ||
      !sk__high_operand(core, &d, ((uint64_t)(rows - 1) * pitch + last) * w.result_bits / 8, SK__WRITE, "dst"))
    return;
  for (uint32_t r = 0; r < rows; r++)
    for (uint32_t c = 0; c < (r + 1 < rows ? w.count : last); c++) {
      float value = (float)((const int32_t *)s)[(uint64_t)r * w.columns + c] * scale_of(&w, k, c);
      put(d, w.result_bits, w.result_is_bf16, (uint64_t)r * pitch + c, value);
    }
  sk__high_time(core, w.elems, 3);
}

/* ---- weights of 8 and 4 bits ----------------------------------------------------------------------------- */

static int32_t weight(const void *from, uint32_t bits, uint64_t i) {
  if (bits == 8) return ((const int8_t *)from)[i];
  uint32_t four = (uint32_t)((const uint8_t *)from)[i / 2] >> (i % 2 * 4) & 15u;
  return (int32_t)(four ^ 8u) - 8;
}

/* (x + offset) * scale, in half where the result is: one pair for all, one per column, or per row where the matrix stands transposed. */
void sk_high_anti_quantise(uint32_t src_bits, bool bf16, void *dst, const void *src, const void *offsets, const void *scales, double offset,
                           double scale, uint32_t rows, uint32_t columns, bool per_row, sk_scratch tmp) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, "AscendAntiQuant", SK__SITE());
  if (core == NULL || rows == 0 || columns == 0) return;
  uint64_t count = (uint64_t)rows * columns, channels = per_row ? rows : columns;
  uint32_t pairs = scales == NULL ? 1 : (uint32_t)channels;
  if (!sk__high_scratch(core, tmp, sk_tmp_anti_quantise(bf16, per_row ? columns : rows, (uint32_t)count, pairs, per_row).least)) return;
  void *d = dst, *s = (void *)(uintptr_t)src, *o = (void *)(uintptr_t)offsets, *k = (void *)(uintptr_t)scales;
  if (!sk__high_operand(core, &s, (count * src_bits + 7) / 8, SK__READ, "src") || !sk__high_operand(core, &o, channels * 2, SK__READ, "offset") ||
      !sk__high_operand(core, &k, channels * 2, SK__READ, "scale") || !sk__high_operand(core, &d, count * 2, SK__WRITE, "dst"))
    return;
  for (uint64_t i = 0; i < count; i++) {
    uint64_t channel = per_row ? i / columns : i % columns;
    double by = k != NULL ? get(k, 16, bf16, channel) : scale, add = o != NULL ? get(o, 16, bf16, channel) : offset;
    double sum = weight(s, src_bits, i) + add;
    put(d, 16, bf16, i, (bf16 ? sum : sk__high_half(sum)) * by);
  }
  sk__high_time(core, count, 4);
}

/* ---- max(0, (a + b) * DEQSCALE), the scale in half --------------------------------------------------------- */

typedef struct deq_strides { uint32_t dst_block, src0_block, src1_block, dst_repeat, src0_repeat, src1_repeat; } deq_strides;
#define LANES 64u

static void add_deq_relu(sk__core *core, void *dst, const int32_t *src0, const int32_t *src1, const sk__iterations *it, const deq_strides *k) {
  if (sk__iterations_empty(it)) return;
  sk__state_use(core, SK__STATE_DEQ);
  sk__stream d = sk__stream_of(dst, 16, k->dst_block == 0 ? 1 : k->dst_block, k->dst_repeat);
  sk__stream a = sk__stream_of(src0, 32, k->src0_block, k->src0_repeat), b = sk__stream_of(src1, 32, k->src1_block, k->src1_repeat);
  if (!sk__take_two_sources(core, it, &d, &a, &b)) return;
  double scale = (double)sk__f32_from_f16((uint16_t)core->deq_scale);
  for (uint32_t r = 0; r < sk__iteration_total(it); r++) {
    int32_t x[LANES] = {0}, y[LANES] = {0};
    uint16_t out[LANES];
    sk__stream_gather(&a, it, r, x);
    sk__stream_gather(&b, it, r, y);
    for (uint32_t i = 0; i < LANES; i++) {
      double sum = ((double)x[i] + y[i]) * scale;
      sk__high_put(out, 16, i, sum > 0 ? sum : 0);
    }
    sk__stream_scatter(&d, it, r, out);
  }
  sk__high_time(core, (uint64_t)it->full * it->lanes + it->tail, 1);
}

void sk_add_deq_relu(void *dst, const int32_t *src0, const int32_t *src1, uint32_t count) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, "AddDeqRelu", SK__SITE());
  if (core == NULL || count == 0) return;
  sk__mask_count_form(core, count);
  sk__iterations it = sk__iterations_count(count, LANES);
  add_deq_relu(core, dst, src0, src1, &it, &(deq_strides){1, 1, 1, 4, 8, 8});
}
void sk_add_deq_relu_strided(void *dst, const int32_t *src0, const int32_t *src1, uint8_t repeat, uint8_t dst_block, uint8_t src0_block,
                             uint8_t src1_block, uint8_t dst_repeat, uint8_t src0_repeat, uint8_t src1_repeat) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, "AddDeqRelu", SK__SITE());
  if (core == NULL) return;
  sk__iterations it = sk__iterations_of(core, repeat, LANES);
  add_deq_relu(core, dst, src0, src1, &it, &(deq_strides){dst_block, src0_block, src1_block, dst_repeat, src0_repeat, src1_repeat});
}
