/* Results out of L0C: layouts and conversions against formulas in double. */
#include <math.h>

#include "cube_fixture.h"

enum { SPACE = 131072 };
static uint8_t l0c_image[SPACE], before[SPACE], want[SPACE], got[SPACE];

typedef enum result { F32_F32, F16_F32, BF16_F32, I8_F32, U8_F32, I32_I32, F16_I32, I8_I32, U8_I32, RESULTS } result;
static const uint32_t result_bytes[RESULTS] = {4, 2, 2, 1, 1, 4, 2, 1, 1};

typedef struct out {
  uint8_t *gm;
  result kind;
  uint32_t n, m, dst_stride, src_stride, relu, nd_num, src_nd, dst_nd;
  uint64_t quant;
  bool split, nd, to_l1, saturate, per_column;
  uint64_t scales[256];
} out;

#define RUN(op, dst)                                                                                                        \
  do {                                                                                                                      \
    uint16_t n = (uint16_t)o->n, m = (uint16_t)o->m, ss = (uint16_t)o->src_stride;                                          \
    uint8_t relu = (uint8_t)o->relu;                                                                                        \
    switch (o->kind) {                                                                                                      \
      case F32_F32: op((float *)(dst), (float *)c, n, m, o->dst_stride, ss, 0, o->quant, relu, o->split, o->nd); break;     \
      case F16_F32: op((half *)(dst), (float *)c, n, m, o->dst_stride, ss, 0, o->quant, relu, o->split, o->nd); break;      \
      case BF16_F32: op((bfloat16_t *)(dst), (float *)c, n, m, o->dst_stride, ss, 0, o->quant, relu, o->split, o->nd); break; \
      case I8_F32: op((int8_t *)(dst), (float *)c, n, m, o->dst_stride, ss, 0, o->quant, relu, o->split, o->nd); break;     \
      case U8_F32: op((uint8_t *)(dst), (float *)c, n, m, o->dst_stride, ss, 0, o->quant, relu, o->split, o->nd); break;    \
      case I32_I32: op((int32_t *)(dst), (int32_t *)c, n, m, o->dst_stride, ss, 0, o->quant, relu, o->split, o->nd); break; \
      case F16_I32: op((half *)(dst), (int32_t *)c, n, m, o->dst_stride, ss, 0, o->quant, relu, o->split, o->nd); break;    \
      case I8_I32: op((int8_t *)(dst), (int32_t *)c, n, m, o->dst_stride, ss, 0, o->quant, relu, o->split, o->nd); break;   \
      case U8_I32: op((uint8_t *)(dst), (int32_t *)c, n, m, o->dst_stride, ss, 0, o->quant, relu, o->split, o->nd); break;  \
      case RESULTS: break;                                                                                                  \
    }                                                                                                                       \
  } while (0)

static void out_kernel(sk__core *core, void *context) {
  out *o = context;
  uint8_t *c = local(core, SK__MEM_L0C), *l1 = local(core, SK__MEM_L1), *fb = local(core, SK__MEM_FB);
  memcpy(c, l0c_image, SPACE);
  memcpy(l1, before, SPACE);
  memcpy(fb + 128, o->scales, sizeof o->scales);
  asc_set_l0c2gm_config(0, (uint64_t)(fb + 128), false);
  asc_set_l0c_copy_prequant(o->scales[0]);
  if (o->nd_num > 1) asc_set_l0c_copy_params((uint16_t)o->nd_num, (uint16_t)o->src_nd, (uint16_t)o->dst_nd);
  if (o->saturate) asc_set_ctrl((uint64_t)asc_get_ctrl() & ~(UINT64_C(1) << 48));
  if (o->to_l1)
    RUN(asc_copy_l0c2l1, l1);
  else
    RUN(asc_copy_l0c2gm, o->gm);
  memcpy(got, l1, SPACE);
}

/* ---- the model ------------------------------------------------------------------------------- */

static uint32_t f16_bits(double value, bool saturate) {
  uint16_t bits = sk__f16_from_f32((float)value, SK__ROUND_RINT, saturate ? SK__FLOAT_SATURATE : SK__FLOAT_INF_NAN);
  return saturate && isnan(value) ? 0 : bits;
}
static uint32_t b8_bits(float scaled, uint64_t scale) {
  double q = isnan(scaled) ? 0 : nearbyint((double)scaled);
  q = q < -256 ? -256 : q > 255 ? 255 : q;
  int32_t offset = (int32_t)(scale >> 37 & 0x1ff);
  q += offset >= 256 ? offset - 512 : offset;
  bool is_signed = (scale >> 46 & 1) != 0;
  double low = is_signed ? -128 : 0, high = is_signed ? 127 : 255;
  return (uint32_t)(int32_t)(q < low ? low : q > high ? high : q) & 255u;
}
static uint32_t convert(const out *o, uint32_t word, uint32_t column) {
  uint64_t scale = o->scales[o->per_column ? column : 0];
  uint32_t cut = (uint32_t)scale & ~0x1fffu;
  float factor, f;
  memcpy(&factor, &cut, 4);
  memcpy(&f, &word, 4);
  int32_t i = (int32_t)word;
  if (o->kind >= I32_I32 && o->kind != I32_I32 && (scale >> 36 & 1)) {
    i >>= (scale >> 32 & 15) + 1;
    i = i > 32767 ? 32767 : i < -32768 ? -32768 : i;
  }
  bool cut_off = o->relu == 1;
  switch (o->kind) {
    case F32_F32: return cut_off && f <= 0 ? 0 : word;
    case F16_F32: return f16_bits((double)(cut_off && f <= 0 ? 0 : f), o->saturate);
    case BF16_F32: {
      float v = cut_off && f <= 0 ? 0 : f;
      if (o->saturate && isnan(v)) return 0;
      return sk__bf16_from_f32(v, SK__ROUND_RINT, o->saturate ? SK__FLOAT_SATURATE : SK__FLOAT_INF_NAN);
    }
    case I8_F32:
    case U8_F32: return b8_bits(cut_off && f < 0 ? 0 : f * factor, scale);
    case I32_I32: return cut_off && i < 0 ? 0 : word;
    case F16_I32: return f16_bits((double)(cut_off && i < 0 ? 0 : (float)i * factor), o->saturate);
    case I8_I32:
    case U8_I32: return b8_bits(cut_off && i < 0 ? 0 : (float)i * factor, scale);
    case RESULTS: break;
  }
  return 0;
}
static void model(const out *o) {
  uint32_t size = result_bytes[o->kind], width = o->split ? 8 : size == 1 ? 32 : 16;
  for (uint32_t nd = 0; nd < o->nd_num; nd++)
    for (uint32_t r = 0; r < o->m; r++)
      for (uint32_t c = 0; c < o->n; c++) {
        uint32_t word, block = c / width, left = o->n - block * width;
        memcpy(&word, l0c_image + nd * o->src_nd * 1024 + (c / 16 * o->src_stride + r) * 64 + c % 16 * 4, 4);
        uint32_t value = convert(o, word, c), columns = left < width ? left : width;
        size_t at = o->nd ? (size_t)(o->dst_nd * nd + r * o->dst_stride + c) * size
                          : (size_t)block * o->dst_stride * 32 + (r * columns + c % width) * size;
        memcpy(want + at, &value, size);
      }
}

static void random_words(bool floats, bool specials) {
  for (uint32_t i = 0; i < SPACE / 4; i++) {
    uint32_t r = random_bits();
    if (floats && !(specials && r % 16 == 0)) {
      float f = (float)((int32_t)random_bits() >> 8) / 8192;
      memcpy(&r, &f, 4);
    } else if (!floats) {
      r = (uint32_t)((int32_t)r >> (r & 15));
    } else {
      r = r % 32 < 16 ? 0x7f800000u | (r & 0x80000000u) : 0x7fc00000u;
    }
    memcpy(l0c_image + 4 * i, &r, 4);
  }
}

static const uint64_t scalar_modes[RESULTS] = {NoQuant, F322F16, F322BF16, QF322B8_PRE, QF322B8_PRE, NoQuant, DEQF16, REQ8, REQ8};
static const uint64_t vector_modes[RESULTS] = {NoQuant, F322F16, F322BF16, VQF322B8_PRE, VQF322B8_PRE, NoQuant, VDEQF16, VREQ8, VREQ8};

static void test_every_result_in_every_layout(void **state) {
  (void)state;
  random_state = sk_test_seed("fixpipe");
  sk__machine *machine = plain_machine();
  out *o = calloc(1, sizeof *o);
  o->gm = gm(machine, SPACE, NULL);
  for (uint32_t round = 0; round < 360; round++) {
    o->kind = (result)(round % RESULTS);
    o->per_column = round % 2;
    o->quant = (o->per_column ? vector_modes : scalar_modes)[o->kind];
    o->saturate = random_below(3) == 0;
    o->relu = random_below(2);
    o->nd = random_below(2);
    o->split = o->kind == F32_F32 && !o->nd && random_below(2);
    o->to_l1 = o->quant != NoQuant && random_below(3) == 0;
    o->m = 1 + random_below(40);
    o->n = o->nd ? 1 + random_below(70) : o->split ? 8 * (1 + random_below(8)) : 16 * (1 + random_below(5));
    o->src_stride = o->m + random_below(20);
    o->nd_num = o->nd ? 1 + random_below(2) : 1;
    o->src_nd = 8 + random_below(4), o->dst_nd = (o->m + 2) * 80;
    uint32_t size = result_bytes[o->kind], block = size == 4 && o->split ? 32 : size == 1 ? 32 : 16 * size;
    o->dst_stride = o->nd ? o->n + random_below(9) : (o->m * block + 31) / 32 + random_below(3);
    for (uint32_t i = 0; i < 256; i++) {
      float scale = ldexpf(1 + (float)random_below(4096) / 4096, (int)random_below(9) - 8);
      memcpy(&o->scales[i], &scale, 4);
      o->scales[i] = (o->scales[i] & UINT32_MAX) | (uint64_t)random_below(16) << 32 | (uint64_t)random_below(2) << 36 |
                     (uint64_t)random_below(512) << 37 | (uint64_t)(o->kind == I8_F32 || o->kind == I8_I32) << 46;
    }
    random_words(o->kind < I32_I32, true);
    random_fill(before, SPACE);
    memcpy(want, before, SPACE);
    if (!o->to_l1) assert_int_equal(sk__gm_host_write(machine, (uint64_t)o->gm, before, SPACE), SK_OK);
    run_aic(machine, out_kernel, o);
    if (!o->to_l1) gm_read(machine, got, o->gm, SPACE);
    model(o);
    for (uint32_t i = 0; i < SPACE; i++)
      if (got[i] != want[i])
        fail_msg("round %u kind %d nd %d split %d l1 %d relu %u: byte %u is %02x, not %02x", round, o->kind, o->nd, o->split,
                 o->to_l1, o->relu, i, got[i], want[i]);
  }
  assert_silent(machine);
  sk__machine_destroy(machine);
}

static void register_kernel(sk__core *core, void *context) {
  (void)core, (void)context;
  asc_set_l0c2gm_config(128, 256, true);
  assert_int_equal(asc_get_l0c2gm_relu(), 128);
  assert_int_equal(asc_get_l0c2gm_prequant(), 256);
  assert_int_equal(asc_get_l0c2gm_unitflag(), 1);
  asc_set_l0c2gm_config(0, 0, false);
  assert_int_equal(asc_get_l0c2gm_unitflag(), 0);
}
static void test_registers(void **state) {
  (void)state;
  sk__machine *machine = small_machine();
  run_aic(machine, register_kernel, NULL);
  assert_silent(machine);
  sk__machine_destroy(machine);
}

/* ---- misuse ---------------------------------------------------------------------------------- */

typedef struct misuse { uint32_t which; uint8_t *gm; } misuse;
static void misuse_kernel(sk__core *core, void *context) {
  const misuse *u = context;
  float *c = (float *)local(core, SK__MEM_L0C);
  int32_t *ci = (int32_t *)c;
  uint8_t *l1 = local(core, SK__MEM_L1);
  asc_set_l0c_copy_prequant(0x3f800000u);
  switch (u->which) {
    case 0: asc_copy_l0c2gm((half *)u->gm, c, 16, 16, 16, 16, 0, NoQuant, 0, false, true); break;
    case 1: asc_copy_l0c2gm((half *)u->gm, c, 16, 16, 16, 16, 0, DEQF16, 0, false, true); break;
    case 2: asc_copy_l0c2gm((half *)u->gm, ci, 16, 16, 16, 16, 0, F322F16, 0, false, true); break;
    case 3: asc_copy_l0c2gm((int8_t *)u->gm, c, 20, 16, 16, 16, 0, QF322B8_PRE, 0, false, false); break;
    case 4: asc_copy_l0c2l1((float *)l1, c, 16, 16, 16, 16, 0, NoQuant, 0, false, true); break;
    case 5: asc_copy_l0c2gm((int16_t *)u->gm, ci, 16, 16, 16, 16, 0, SHIFTS322S16, 0, false, true); break;
    case 6: asc_copy_l0c2gm((half *)u->gm, c, 16, 16, 16, 16, 0, F322F16, 2, false, true); break;
    case 7: asc_copy_l0c2gm((half *)u->gm, c, 16, 16, 16, 16, 3, F322F16, 0, false, true); break;
    case 8: asc_copy_l0c2gm((half *)u->gm, c, 16, 16, 16, 16, 0, F322F16, 0, true, false); break;
    case 9: asc_copy_l0c2gm((half *)(u->gm + 2), c, 16, 16, 16, 16, 0, F322F16, 0, false, false); break;
    case 10: asc_copy_l0c2gm((half *)u->gm, c, 256, 256, 256, 256, 0, F322F16, 0, false, true); break;
    case 11: asc_copy_l0c2gm((half *)u->gm, c, 4096, 1, 4096, 16, 0, F322F16, 0, false, true); break;
    case 12:
      asc_set_l0c_copy_prequant(0x7f800000u);
      asc_copy_l0c2gm((half *)u->gm, ci, 16, 16, 16, 16, 0, DEQF16, 0, false, true);
      break;
    default: asc_copy_l0c2gm((half *)u->gm, c, 0, 16, 16, 16, 0, NoQuant, 0, false, true); break;
  }
}
static void test_misuse_is_found(void **state) {
  (void)state;
  const char *const ids[] = {"BAD_ARGUMENT", "BAD_ARGUMENT", "BAD_ARGUMENT", "BAD_ARGUMENT",  "BAD_ARGUMENT",
                             "NOT_MODELLED", "NOT_MODELLED", "FLAG_UNPAIRED", "BAD_ARGUMENT", "BAD_ARGUMENT",
                             "LOCAL_OUT_OF_BOUNDS", "BAD_ARGUMENT", "BAD_ARGUMENT"};
  for (uint32_t i = 0; i <= sizeof ids / sizeof ids[0]; i++) {
    sk__machine *machine = plain_machine();
    misuse u = {i, gm(machine, SPACE, NULL)};
    run_aic(machine, misuse_kernel, &u);
    if (i < sizeof ids / sizeof ids[0])
      assert_only(machine, ids[i]);
    else
      assert_silent(machine);
    sk__machine_destroy(machine);
  }
}

SK_TESTS(SK_TEST(test_misuse_is_found), SK_TEST(test_registers), SK_TEST(test_every_result_in_every_layout))
