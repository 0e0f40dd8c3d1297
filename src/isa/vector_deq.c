/* vector_deq.c - requantisation with the DEQSCALE register: int32 to half, int16 to 8 bits.
 *
 * DEQSCALE:  46     45 ........ 37     31 .............. 0
 *            sign   offset (9 bits)    scale (float, or a half in the low 16 bits)
 * In the table forms it holds the table's address / 32 instead: 16 such words, element j uses word j % 16.
 *
 * int16: product and sum are binary32 operations, rounded one after the other; then to nearest even, then
 * clamped to int8 or uint8 as the sign bit says. */
#include <string.h>

#include "base/numbers.h"
#include "c_api/asc_vector_other.h"
#include "isa/vector_other.h"

#define OFFSET_SHIFT 37
#define SIGN_SHIFT 46
#define TABLE_WORDS 16u
#define HALF_BLOCK 16u /* bytes, and elements of one int16 block */

/* ---- the register ---------------------------------------------------------------------------- */

static uint64_t pack_scale(float scale, int16_t offset, bool sign_mode) {
  return (uint64_t)sk__bits_from_f32(scale) | ((uint64_t)offset & 0x1ffu) << OFFSET_SHIFT | (uint64_t)sign_mode << SIGN_SHIFT;
}
static bool offset_fits(sk__core *core, int16_t offset) {
  if (offset >= -256 && offset <= 255) return true;
  sk__bad_argument(core, "offset", offset, "-256..255");
  return false;
}
static sk__core *set_register(const void *site) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_S, "asc_set_deq_scale", site);
  if (core != NULL) sk__advance(core, SK__PIPE_S, sk__machine_soc(core->machine)->costs.scalar_cycles);
  return core;
}
static void set_scale(sk__core *core, uint64_t scale) {
  if (core == NULL) return;
  core->deq_scale = scale;
  sk__state_set(core, SK__STATE_DEQ, 0);
}
void sk_set_deq_scale_f16(sk_scalar_f16 scale) {
  sk__core *core = set_register(SK__SITE());
  set_scale(core, (uint16_t)scale);
}
void sk_set_deq_scale_f32(float scale, int16_t offset, bool sign_mode) {
  sk__core *core = set_register(SK__SITE());
  if (core != NULL && offset_fits(core, offset)) set_scale(core, pack_scale(scale, offset, sign_mode));
}
void sk_set_deq_scale_list(uint64_t *tmp, const float *scale, const int16_t *offset, const bool *sign_mode) {
  sk__core *core = set_register(SK__SITE());
  uint64_t *table = core == NULL ? NULL : sk__ub_operand(core, tmp, TABLE_WORDS * 8, SK__BLOCK_BYTES, "tmp");
  if (table == NULL) return;
  for (uint32_t i = 0; i < TABLE_WORDS; i++)
    if (!offset_fits(core, offset[i])) return;
  sk__scalar_access(core, (uint64_t)table, TABLE_WORDS * 8, true, core->site);
  for (uint32_t i = 0; i < TABLE_WORDS; i++) table[i] = pack_scale(scale[i], offset[i], sign_mode[i]);
  set_scale(core, (uint64_t)table / SK__BLOCK_BYTES);
}

/* ---- one instruction ------------------------------------------------------------------------- */

typedef struct requantisation {
  const char *name, *name_sync;
  uint8_t high;      /* the upper half of each destination block */
  uint8_t is_table;
  uint8_t is_signed; /* type of the destination operand */
} requantisation;

typedef struct deq_strides { uint32_t dst_block, src_block, dst_repeat, src_repeat; } deq_strides;

static void deq_int322half(sk__core *core, void *dst, const void *src, const sk__iterations *it, const deq_strides *k) {
  if (sk__iterations_empty(it)) return;
  sk__stream d = sk__stream_of(dst, 16, k->dst_block == 0 ? 1 : k->dst_block, k->dst_repeat);
  sk__stream s = sk__stream_of(src, 32, k->src_block, k->src_repeat);
  d.base = sk__ub_operand(core, dst, sk__stream_extent(&d, it), SK__BLOCK_BYTES, "dst");
  if (d.base == NULL) return;
  s.base = sk__ub_operand(core, src, sk__stream_extent(&s, it), SK__BLOCK_BYTES, "src");
  if (s.base == NULL) return;
  if (core->checks) {
    sk__stream_access(core, SK__PIPE_V, SK__READ, &s, it);
    sk__stream_access(core, SK__PIPE_V, SK__WRITE, &d, it);
  }
  sk__state_use(core, SK__STATE_DEQ);
  sk__float_mode mode = sk__ctrl(core, SK__CTRL_FLOAT_INF_NAN) ? SK__FLOAT_INF_NAN : SK__FLOAT_SATURATE;
  for (uint32_t r = 0; r < sk__iteration_total(it); r++) {
    int32_t in[64] = {0};
    uint16_t out[64];
    sk__stream_gather(&s, it, r, in);
    for (uint32_t i = 0; i < 64; i++) out[i] = sk__f16_from_i32_deq(in[i], (uint16_t)core->deq_scale, mode);
    sk__stream_scatter(&d, it, r, out);
  }
  sk__vector_time(core, SK__RATE_CAST, 4, (uint64_t)it->full * it->lanes + it->tail);
}

static uint8_t requantise(int16_t value, uint64_t word) {
  int32_t offset = (int32_t)(word >> OFFSET_SHIFT & 0x1ffu);
  if (offset > 255) offset -= 512;
  float result = (float)value * sk__f32_from_bits((uint32_t)word) + (float)offset;
  bool is_signed = (word >> SIGN_SHIFT & 1) != 0;
  return is_signed ? (uint8_t)sk__i8_from_f32(result, SK__ROUND_RINT, SK__INT_CLAMP)
                   : sk__u8_from_f32(result, SK__ROUND_RINT, SK__INT_CLAMP);
}

/* The destination: enabled elements of block b of repeat r as runs of bytes. Returns the extent; records
 * if asked. */
static uint64_t half_blocks(sk__core *core, const uint8_t *base, const sk__iterations *it, const deq_strides *k,
                            uint32_t high, bool record) {
  uint64_t extent = 0;
  for (uint32_t r = 0; r < sk__iteration_total(it); r++) {
    for (uint32_t lane = 0; lane < it->lanes;) {
      if (!sk__lane_enabled(it, r, lane)) {
        lane++;
        continue;
      }
      uint32_t first = lane;
      while (lane < it->lanes && lane / HALF_BLOCK == first / HALF_BLOCK && sk__lane_enabled(it, r, lane)) lane++;
      uint64_t at = ((uint64_t)r * k->dst_repeat + (uint64_t)(first / HALF_BLOCK) * k->dst_block) * SK__BLOCK_BYTES +
                    high * HALF_BLOCK + first % HALF_BLOCK;
      if (record) sk__local_access(core, SK__PIPE_V, SK__WRITE, base + at, lane - first);
      if (at + (lane - first) > extent) extent = at + (lane - first);
    }
  }
  return extent;
}

static void deq_int162b8(sk__core *core, const requantisation *what, uint8_t *dst, const void *src,
                         const sk__iterations *it, deq_strides k) {
  if (sk__iterations_empty(it)) return;
  if (k.dst_block == 0) k.dst_block = 1;
  sk__state_use(core, SK__STATE_DEQ);
  uint64_t words[TABLE_WORDS];
  for (uint32_t i = 0; i < TABLE_WORDS; i++) words[i] = core->deq_scale;
  sk__stream s = sk__stream_of(src, 16, k.src_block, k.src_repeat);
  s.base = sk__ub_operand(core, src, sk__stream_extent(&s, it), SK__BLOCK_BYTES, "src");
  if (s.base == NULL) return; /* now the number of repeats is known to be sane */
  uint8_t *d = sk__ub_operand(core, dst, half_blocks(core, dst, it, &k, what->high, false), SK__BLOCK_BYTES, "dst");
  if (d == NULL) return;
  if (what->is_table) {
    const void *address = (const void *)(uintptr_t)(core->deq_scale * SK__BLOCK_BYTES);
    const void *table = sk__ub_operand(core, address, sizeof words, SK__BLOCK_BYTES, "the scale table");
    if (table == NULL) return;
    sk__local_access(core, SK__PIPE_V, SK__READ, table, sizeof words);
    memcpy(words, table, sizeof words);
  } else if ((core->deq_scale >> SIGN_SHIFT & 1) != what->is_signed) {
    sk__instr_finding(core, "BAD_ARGUMENT", SK__CAT_OPERATOR, SK__WARNING, "set sign_mode to fit the destination's type",
                      "asc_set_deq_scale asked for %s results, the destination is %s",
                      what->is_signed ? "unsigned" : "signed", what->is_signed ? "int8_t" : "uint8_t");
  }
  if (core->checks) {
    sk__stream_access(core, SK__PIPE_V, SK__READ, &s, it);
    half_blocks(core, d, it, &k, what->high, true);
  }
  for (uint32_t r = 0; r < sk__iteration_total(it); r++) {
    int16_t in[128] = {0};
    sk__stream_gather(&s, it, r, in);
    uint8_t *row = d + (uint64_t)r * k.dst_repeat * SK__BLOCK_BYTES + what->high * HALF_BLOCK;
    for (uint32_t lane = 0; lane < it->lanes; lane++)
      if (sk__lane_enabled(it, r, lane))
        row[lane / HALF_BLOCK * k.dst_block * SK__BLOCK_BYTES + lane % HALF_BLOCK] =
            requantise(in[lane], words[lane % TABLE_WORDS]);
  }
  sk__vector_time(core, SK__RATE_CAST, 2, (uint64_t)it->full * it->lanes + it->tail);
}

/* ---- entry points ---------------------------------------------------------------------------- */

static void to_half_count(void *dst, const void *src, uint32_t count, bool sync, const void *site) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, sync ? SK__NAME_SYNC(deq_int322half) : SK__NAME(deq_int322half), site);
  if (core == NULL) return;
  sk__mask_count_form(core, count);
  sk__iterations it = sk__iterations_count(count, 64);
  const deq_strides k = {1, 1, 4, 8};
  deq_int322half(core, dst, src, &it, &k);
  if (sync) sk__pipe_barrier(core, SK__PIPE_ALL);
}
void sk_deq_int322half_f16i32_n(half *dst, const int32_t *src, uint32_t count) {
  to_half_count(dst, src, count, false, SK__SITE());
}
void sk_deq_int322half_f16i32_ns(half *dst, const int32_t *src, uint32_t count) {
  to_half_count(dst, src, count, true, SK__SITE());
}
void sk_deq_int322half_f16i32_h(half *dst, const int32_t *src, SK_ARGS_DEQ) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, SK__NAME(deq_int322half), SK__SITE());
  if (core == NULL) return;
  sk__iterations it = sk__iterations_of(core, repeat, 64);
  const deq_strides k = {dst_block_stride, src_block_stride, dst_repeat_stride, src_repeat_stride};
  deq_int322half(core, dst, src, &it, &k);
}

/* Half-filled blocks: the count form's destination advances as fast as its source. */
static void to_b8_count(const requantisation *what, void *dst, const int16_t *src, uint32_t count, bool sync,
                        const void *site) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, sync ? what->name_sync : what->name, site);
  if (core == NULL) return;
  sk__mask_count_form(core, count);
  sk__iterations it = sk__iterations_count(count, 128);
  deq_int162b8(core, what, dst, src, &it, (deq_strides){1, 1, 8, 8});
  if (sync) sk__pipe_barrier(core, SK__PIPE_ALL);
}

#define TO_B8(op, tag, D, high, is_table, is_signed)                                                          \
  static const requantisation op##_##tag = {SK__NAME(op), SK__NAME_SYNC(op), high, is_table, is_signed};      \
  void sk_##op##_##tag##_n(D *dst, const int16_t *src, uint32_t count) {                                      \
    to_b8_count(&op##_##tag, dst, src, count, false, SK__SITE());                                             \
  }                                                                                                           \
  void sk_##op##_##tag##_ns(D *dst, const int16_t *src, uint32_t count) {                                     \
    to_b8_count(&op##_##tag, dst, src, count, true, SK__SITE());                                              \
  }                                                                                                           \
  void sk_##op##_##tag##_h(D *dst, const int16_t *src, SK_ARGS_DEQ) {                                         \
    sk__core *core = sk__begin(SK__AIV, SK__PIPE_V, SK__NAME(op), SK__SITE());                                \
    if (core == NULL) return;                                                                                 \
    sk__iterations it = sk__iterations_of(core, repeat, 128);                                                 \
    deq_int162b8(core, &op##_##tag, (uint8_t *)dst, src, &it,                                                 \
                 (deq_strides){dst_block_stride, src_block_stride, dst_repeat_stride, src_repeat_stride});    \
  }
#define TO_B8_BOTH(op, high, is_table)            \
  TO_B8(op, i8i16, int8_t, high, is_table, 1)     \
  TO_B8(op, u8i16, uint8_t, high, is_table, 0)
TO_B8_BOTH(deq_int162b8_h, 1, 0)
TO_B8_BOTH(deq_int162b8_l, 0, 0)
TO_B8_BOTH(vdeq_int162b8_h, 1, 1)
TO_B8_BOTH(vdeq_int162b8_l, 0, 1)
