/* Transposing (asc_transpose, asc_transto5hd_*) and requantising (asc_deq_*, asc_vdeq_*) against a naive
 * model. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "other_model.h"

#include "c_api/asc_vector_other.h"

#define SRC 0x10000u
#define TABLE 0x2f000u

static void expect(const char *part) {
  assert_int_equal(fixture_findings, 1);
  if (strstr(fixture_finding.message, part) == NULL) fail_msg("'%s' lacks '%s'", fixture_finding.message, part);
}

/* ---- transpose ------------------------------------------------------------------------------- */

static void test_transpose_refuses_half_overlap(void **state) {
  (void)state;
  model_start(1);
  asc_transpose((uint16_t *)ub(32), (uint16_t *)ub(0));
  expect("dst and src share bytes");
  assert_memory_equal(model_memory, fixture_ub, UB_BYTES);
}
static void test_transpose(void **state) {
  (void)state;
  for (uint32_t in_place = 0; in_place < 2; in_place++) {
    model_start(2 + in_place);
    uint64_t src = SRC, dst = in_place ? SRC : 0;
    if (in_place) asc_transpose_sync((int16_t *)ub(dst), (int16_t *)ub(src));
    else asc_transpose((uint16_t *)ub(dst), (uint16_t *)ub(src));
    assert_int_equal(fixture_barriers, in_place);
    uint64_t value[256];
    for (uint32_t i = 0; i < 256; i++) value[i] = model_read(src + 2 * i, 2);
    for (uint32_t i = 0; i < 256; i++) model_write(dst + 2 * (i % 16 * 16 + i / 16), 2, value[i]);
    model_compare("asc_transpose");
  }
}

/* ---- 5HD ------------------------------------------------------------------------------------- */

static void set_lists(const uint64_t dst[16], const uint64_t src[16]) {
  half *list[8];
  for (uint32_t part = 0; part < 4; part++) {
    for (uint32_t i = 0; i < 8; i++) list[i] = ub((part < 2 ? dst : src)[part % 2 * 8 + i]);
    asc_set_va_reg((ub_addr8_t)(VA2 + (int)part), list);
  }
}
static void test_5hd_refuses(void **state) {
  (void)state;
  uint64_t dst[16], src[16];
  for (uint32_t i = 0; i < 16; i++) dst[i] = i * 64, src[i] = SRC + i * 64;
  model_start(1);
  set_lists(dst, src);
  asc_transto5hd_b16(VA2, VA7, 1, 0, 0);
  expect("asc_transto5hd_b16: src is 7; legal: VA0..VA6");
  model_start(1);
  src[5] = SRC + 16;
  set_lists(dst, src);
  asc_transto5hd_b16(VA2, VA4, 1, 0, 0);
  expect("src[5]");
  assert_memory_equal(model_memory, fixture_ub, UB_BYTES);
  model_start(1);
  src[5] = SRC + 32;
  set_lists(dst, src);
  asc_transto5hd_b16(VA2, VA4, 1, 0, 1);
  expect("with repeat 1 the lists are moved by one stride");
  model_start(1);
  asc_set_va_reg((ub_addr8_t)8, dst);
  expect("legal: VA0..VA7");
}
static void test_5hd(void **state) {
  (void)state;
  uint64_t seed = sk_test_seed("5hd");
  for (uint32_t round = 0; round < 60; round++) {
    model_start(seed + round);
    uint32_t size = 1u << (round % 3), repeat = below(6), dst_stride = repeat > 1 ? below(8) : 0,
             src_stride = repeat > 1 ? below(8) : 0, dst_high = below(2), src_high = below(2);
    uint64_t dst[16], src[16];
    for (uint32_t i = 0; i < 16; i++) dst[i] = i * 0x800 + below(10) * 32, src[i] = SRC + below(1000) * 32;
    set_lists(dst, src);
    uint8_t n = (uint8_t)repeat;
    uint16_t d = (uint16_t)dst_stride, s = (uint16_t)src_stride;
    if (size == 1) asc_transto5hd_b8(VA2, VA4, n, d, s, dst_high, src_high);
    else if (size == 2) asc_transto5hd_b16(VA2, VA4, n, d, s);
    else asc_transto5hd_b32(VA2, VA4, n, d, s);
    assert_int_equal(fixture_findings, 0);
    for (uint32_t t = 0; t < repeat; t++) {
      uint64_t to = (uint64_t)t * dst_stride * 32, from = (uint64_t)t * src_stride * 32;
      for (uint32_t i = 0; i < 16; i++)
        for (uint32_t j = 0; j < 16; j++) {
          if (size == 1) model_write(dst[i] + to + 16 * dst_high + j, 1, model_read(src[j] + from + 16 * src_high + i, 1));
          if (size == 2) model_write(dst[i] + to + 2 * j, 2, model_read(src[j] + from + 2 * i, 2));
        }
      for (uint32_t r = 0; r < 8 && size == 4; r++)
        for (uint32_t j = 0; j < 8; j++) {
          model_write(dst[2 * r] + to + 4 * j, 4, model_read(src[j] + from + 4 * r, 4));
          model_write(dst[2 * r + 1] + to + 4 * j, 4, model_read(src[8 + j] + from + 4 * r, 4));
        }
    }
    model_compare("asc_transto5hd");
  }
}

/* ---- requantisation -------------------------------------------------------------------------- */

static void test_deq_refuses(void **state) {
  (void)state;
  model_start(1);
  asc_set_deq_scale(1.0f, 256, true);
  expect("asc_set_deq_scale: offset is 256; legal: -256..255");
  model_start(1);
  asc_set_deq_scale(1.0f, 0, true);
  asc_deq_int162b8_l((uint8_t *)ub(0), (int16_t *)ub(SRC), 16);
  expect("asked for signed results, the destination is uint8_t");
  model_start(1);
  asc_set_deq_scale(1.0f, 0, true);
  asc_deq_int162b8_h((int8_t *)ub(UB_BYTES - 32), (int16_t *)ub(SRC), 16);
  asc_deq_int162b8_l((int8_t *)ub(UB_BYTES - 32), (int16_t *)ub(SRC), 16);
  assert_int_equal(fixture_findings, 0);
  asc_deq_int162b8_h((int8_t *)ub(UB_BYTES - 32), (int16_t *)ub(SRC), 17);
  expect("dst");
  model_start(1);
  float scale[16] = {1};
  int16_t offset[16] = {0};
  bool sign[16] = {true};
  asc_set_deq_scale((uint64_t *)ub(TABLE + 8), scale, offset, sign);
  expect("tmp");
}
static void test_int32_to_half(void **state) {
  (void)state;
  uint64_t seed = sk_test_seed("deq int32");
  for (uint32_t round = 0; round < 40; round++) {
    model_start(seed + round);
    bool saturate = below(2);
    sk__self->ctrl = (uint64_t)!saturate << 48;
    for (uint32_t i = 0; i < 0x4000; i++) {
      int32_t value = (int32_t)(fixture_random() >> (32 + below(30)));
      memcpy(ub(SRC + 4 * i), &value, 4);
    }
    model_take();
    uint32_t bits = model_round(((double)below(2001) - 1000) / 4096, 2, false);
    half scale;
    memcpy(&scale, &bits, 2);
    asc_set_deq_scale(scale);
    model_mask mask = model_count(1 + below(2000));
    uint32_t repeat = 1, d_block = 1, s_block = 1, d_repeat = 4, s_repeat = 8;
    if (round % 2 == 0) {
      asc_deq_int322half((half *)ub(0), (int32_t *)ub(SRC), mask.count);
    } else {
      mask = model_random_mask(true, 1500);
      repeat = below(20), d_block = below(3), s_block = below(3), d_repeat = below(12), s_repeat = below(12);
      asc_deq_int322half((half *)ub(0), (int32_t *)ub(SRC), (uint8_t)repeat, (uint16_t)d_block, (uint16_t)s_block,
                         (uint8_t)d_repeat, (uint8_t)s_repeat);
    }
    for (uint32_t r = 0; r < model_repeats(&mask, repeat, 64); r++)
      for (uint32_t e = 0; e < 64; e++) {
        if (!model_on(&mask, r, e, 64)) continue;
        double value = (int32_t)model_read(model_at(SRC, r, e, 4, s_block, s_repeat), 4);
        uint32_t result = model_round(value * model_value(bits, 2), 2, saturate);
        model_write(model_at(0, r, e, 2, d_block == 0 ? 1 : d_block, d_repeat), 2, result);
      }
    model_compare("asc_deq_int322half");
  }
}

static uint32_t requantised(int16_t value, float scale, int32_t offset, bool sign) {
  float product = (float)value * scale, sum = product + (float)offset; /* two roundings */
  if (isnan(sum)) return 0;
  double result = nearbyint((double)sum), least = sign ? -128 : 0, most = sign ? 127 : 255;
  result = result < least ? least : result > most ? most : result;
  return (uint32_t)(int32_t)result & 0xff;
}
static void test_int16_to_8_bits(void **state) {
  (void)state;
  uint64_t seed = sk_test_seed("deq int16");
  for (uint32_t round = 0; round < 60; round++) {
    model_start(seed + round);
    for (uint32_t i = 0; i < 0x4000; i++) {
      int16_t value = (int16_t)((int16_t)fixture_random() >> below(15));
      memcpy(ub(SRC + 2 * i), &value, 2);
    }
    model_take();
    bool table = below(2), high = below(2), is_signed = below(2), sign[16];
    float scale[16];
    int16_t offset[16];
    for (uint32_t i = 0; i < 16; i++) {
      uint32_t k = table ? i : 0;
      scale[i] = i == k ? ((float)below(2001) - 1000) / (float)(1 + below(1000)) : scale[0];
      offset[i] = i == k ? (int16_t)((int)below(512) - 256) : offset[0];
      sign[i] = i == k && table ? below(2) : is_signed;
    }
    if (table) {
      asc_set_deq_scale((uint64_t *)ub(TABLE), scale, offset, sign);
      for (uint32_t i = 0; i < 16; i++) {
        uint32_t bits;
        memcpy(&bits, &scale[i], 4);
        uint64_t word = bits | ((uint64_t)(offset[i] & 0x1ff) << 37) | (uint64_t)sign[i] << 46;
        model_write(TABLE + 8 * i, 8, word);
      }
    } else {
      asc_set_deq_scale(scale[0], offset[0], sign[0]);
    }
    model_mask mask = model_count(1 + below(3000));
    uint32_t repeat = 1, d_block = 1, s_block = 1, d_repeat = 8, s_repeat = 8;
    bool strided = below(2);
    if (strided) {
      mask = model_random_mask(true, 2000);
      repeat = below(20), d_block = below(3), s_block = below(3), d_repeat = below(12), s_repeat = below(12);
    }
#define RUN(op)                                                                                                    \
  if (strided && is_signed) asc_##op((int8_t *)ub(0), (int16_t *)ub(SRC), (uint8_t)repeat, (uint16_t)d_block, (uint16_t)s_block, (uint8_t)d_repeat, (uint8_t)s_repeat); \
  else if (strided) asc_##op((uint8_t *)ub(0), (int16_t *)ub(SRC), (uint8_t)repeat, (uint16_t)d_block, (uint16_t)s_block, (uint8_t)d_repeat, (uint8_t)s_repeat);       \
  else if (is_signed) asc_##op##_sync((int8_t *)ub(0), (int16_t *)ub(SRC), mask.count);                           \
  else asc_##op((uint8_t *)ub(0), (int16_t *)ub(SRC), mask.count)
    if (table && high) { RUN(vdeq_int162b8_h); }
    else if (table) { RUN(vdeq_int162b8_l); }
    else if (high) { RUN(deq_int162b8_h); }
    else { RUN(deq_int162b8_l); }
    assert_int_equal(fixture_findings, 0);
    bool ran = false;
    for (uint32_t r = 0; r < model_repeats(&mask, repeat, 128); r++)
      for (uint32_t e = 0; e < 128; e++) {
        if (!model_on(&mask, r, e, 128)) continue;
        ran = true;
        int16_t value = (int16_t)model_read(model_at(SRC, r, e, 2, s_block, s_repeat), 2);
        uint64_t at = (uint64_t)r * d_repeat * 32 + (e / 16) * (d_block == 0 ? 1 : d_block) * 32 + 16u * high + e % 16;
        model_write(at, 1, requantised(value, scale[e % 16], offset[e % 16], sign[e % 16]));
      }
    if (table && ran)
      for (uint32_t i = 0; i < 16; i++) model_read(TABLE + 8 * i, 8);
    model_compare("deq_int162b8");
  }
}

SK_TESTS(SK_TEST(test_transpose_refuses_half_overlap), SK_TEST(test_transpose), SK_TEST(test_5hd_refuses),
         SK_TEST(test_5hd), SK_TEST(test_deq_refuses), SK_TEST(test_int32_to_half), SK_TEST(test_int16_to_8_bits))
