/* asc_reduce, asc_squeeze, asc_gather, asc_gather_datablock and asc_brcb against a naive model. */
#include <stdio.h>
#include <string.h>

#include "other_model.h"

#include "c_api/asc_vector_other.h"

#define SRC 0x10000u
#define BITS 0x28000u

static void expect(const char *part) {
  assert_int_equal(fixture_findings, 1);
  if (strstr(fixture_finding.message, part) == NULL) fail_msg("'%s' lacks '%s'", fixture_finding.message, part);
  assert_memory_equal(model_memory, fixture_ub, UB_BYTES);
}

/* ---- misuse ---------------------------------------------------------------------------------- */

static void test_pattern_past_7(void **state) {
  (void)state;
  model_start(1);
  asc_reduce((uint32_t *)ub(0), (uint32_t *)ub(SRC), (uint32_t *)ub(BITS), 1, 1, 8, 8, 8);
  expect("asc_reduce: pattern_mode is 8; legal: 0..7");
}
static void test_fixed_pattern_needs_no_bits(void **state) {
  (void)state;
  model_start(1);
  asc_reduce((uint32_t *)ub(0), (uint32_t *)ub(SRC), NULL, 1, 1, 3, 8, 8);
  assert_int_equal(fixture_findings, 0);
  model_start(1);
  asc_reduce((uint32_t *)ub(0), (uint32_t *)ub(SRC), (uint32_t *)ub(BITS + 4), 1, 1, 0, 8, 8);
  expect("src1");
}
static void offsets_set(uint32_t n, uint32_t offset) {
  for (uint32_t i = 0; i < n; i++) memcpy(ub(BITS + 4 * i), &offset, 4);
  model_take();
}
static void test_gather_refuses(void **state) {
  (void)state;
  model_start(1);
  offsets_set(64, 8);
  *(uint32_t *)ub(BITS + 20) = 6;
  model_take();
  asc_gather((float *)ub(0), (float *)ub(SRC), (uint32_t *)ub(BITS), 64);
  expect("asc_gather: offset 5 is 6; legal: multiples of 4 bytes");
  asc_gather((half *)ub(0), (half *)ub(SRC), (uint32_t *)ub(BITS), 64); /* fine for two bytes */
  assert_int_equal(fixture_findings, 1);
  model_start(1);
  offsets_set(64, UB_BYTES - SRC);
  asc_gather((float *)ub(0), (float *)ub(SRC), (uint32_t *)ub(BITS), 64);
  expect("src + offset");
  model_start(1);
  offsets_set(64, UB_BYTES - SRC - 4);
  asc_gather((float *)ub(0), (float *)ub(SRC), (uint32_t *)ub(BITS), 64);
  assert_int_equal(fixture_findings, 0);
  model_start(1);
  offsets_set(64, 0);
  asc_gather((float *)ub(SRC), (float *)ub(SRC), (uint32_t *)ub(BITS), 64);
  expect("dst and src are the same memory");
  model_start(1);
  offsets_set(64, 512);
  asc_gather((float *)ub(SRC + 512), (float *)ub(SRC), (uint32_t *)ub(BITS), 64);
  expect("an offset points into dst");
  model_start(1);
  offsets_set(16, 16);
  asc_gather_datablock((uint32_t *)ub(0), (uint32_t *)ub(SRC), (uint32_t *)ub(BITS), 8, 1, 1);
  expect("offset 0 is 16; legal: multiples of 32 bytes");
  model_start(1);
  offsets_set(128, 0);
  asc_gather((half *)ub(BITS + 256), (half *)ub(SRC), (uint32_t *)ub(BITS), 128);
  expect("dst and src_offset share bytes");
}
static void test_brcb_refuses(void **state) {
  (void)state;
  model_start(1);
  asc_brcb((uint32_t *)ub(0), (uint32_t *)ub(0), 1, 8, 1);
  expect("dst and src share bytes");
  model_start(1);
  asc_brcb_sync((uint32_t *)ub(UB_BYTES - 256), (uint32_t *)ub(SRC), 1, 8, 2);
  expect("dst");
  model_start(1);
  asc_brcb((uint32_t *)ub(UB_BYTES - 512), (uint32_t *)ub(SRC), 1, 8, 2);
  assert_int_equal(fixture_findings, 0);
}

/* ---- chosen elements ------------------------------------------------------------------------- */

/* The bytes an element's read is declared with: the element, or its block where all is initialised. */
static uint64_t declared_read(uint64_t at, uint32_t size) {
  if (model_initialised)
    for (uint32_t i = 0; i < 32; i++) model_read(at / 32 * 32 + i, 1);
  return model_read(at, size);
}
static bool kept(uint32_t pattern, uint64_t bits_at, uint32_t e) {
  switch (pattern) {
    case 0: return (model_read(bits_at + e / 8, 1) >> (e % 8) & 1) != 0;
    case 1: return e % 2 == 0;
    case 2: return e % 2 == 1;
    case 7: return true;
    default: return e % 4 == pattern - 3;
  }
}
/* `elems` per repeat, the last one maybe shorter: total = elements in all. */
static uint64_t model_pick(uint32_t size, uint64_t dst, uint32_t pattern, uint32_t elems, uint64_t total, uint32_t block,
                           uint32_t src_stride, uint32_t bits_stride) {
  uint64_t n = 0;
  for (uint64_t i = 0; i < total; i++) {
    uint32_t r = (uint32_t)(i / elems), e = (uint32_t)(i % elems);
    if (kept(pattern, BITS + (uint64_t)r * bits_stride * 32, e))
      model_write(dst + n++ * size, size, declared_read(model_at(SRC, r, e, size, block, src_stride), size));
  }
  return n;
}
static void pick_case(uint64_t seed, uint32_t size) {
  model_start(seed);
  uint32_t count = 1 + below(3000), pattern = below(8), repeat = below(20), block = below(4), src_stride = below(12),
           bits_stride = below(4);
  if (size == 2) asc_reduce((uint16_t *)ub(0), (uint16_t *)ub(SRC), (uint16_t *)ub(BITS), count);
  else asc_reduce_sync((uint32_t *)ub(0), (uint32_t *)ub(SRC), (uint32_t *)ub(BITS), count);
  assert_int_equal(fixture_barriers, size == 4);
  uint64_t n = model_pick(size, 0, 0, count, count, 1, 8, 8);
  model_compare("asc_reduce(count)");
  assert_int_equal(asc_get_rsvd_count(), n);

  model_start(seed + 1);
  uint32_t elems = 256 / size;
  if (below(3) == 0) { /* counter mode: that many per repeat */
    elems = model_initialised ? 32 / size * (1 + below(20)) : 1 + below(200);
    sk__self->mask[0] = elems;
    sk__self->ctrl |= UINT64_C(1) << 56;
  } else {
    sk__self->mask[0] = 5; /* no concern of this instruction */
  }
  if (size == 2) asc_reduce((uint16_t *)ub(0), (uint16_t *)ub(SRC), (uint16_t *)ub(BITS), (uint16_t)repeat, (uint8_t)block, (uint8_t)pattern, (uint16_t)src_stride, (uint8_t)bits_stride);
  else asc_reduce((uint32_t *)ub(0), (uint32_t *)ub(SRC), (uint32_t *)ub(BITS), (uint16_t)repeat, (uint8_t)block, (uint8_t)pattern, (uint16_t)src_stride, (uint8_t)bits_stride);
  n = model_pick(size, 0, pattern, elems, (uint64_t)elems * repeat, block, src_stride, bits_stride);
  model_compare("asc_reduce(repeats)");
  assert_int_equal(asc_get_rsvd_count(), n);

  model_start(seed + 2);
  if (size == 2) asc_squeeze((uint16_t *)ub(0), (uint16_t *)ub(SRC), (uint16_t *)ub(BITS), (uint8_t)repeat, 1, (uint8_t)block, 1, 8, (uint8_t)src_stride, (uint8_t)bits_stride);
  else asc_squeeze((uint32_t *)ub(0), (uint32_t *)ub(SRC), (uint32_t *)ub(BITS), (uint8_t)repeat, 1, (uint8_t)block, 1, 8, (uint8_t)src_stride, (uint8_t)bits_stride);
  n = model_pick(size, 0, 0, 256 / size, (uint64_t)repeat * 256 / size, block, src_stride, bits_stride);
  model_compare("asc_squeeze");
  assert_int_equal(asc_get_rsvd_count(), n);
}
static void test_keep_chosen(void **state) {
  (void)state;
  uint64_t seed = sk_test_seed("pick");
  for (uint32_t round = 0; round < 120; round++) {
    model_initialised = round % 4 >= 2;
    pick_case(seed + round * 10, round % 2 == 0 ? 2 : 4);
  }
}
static void test_each_fixed_pattern(void **state) {
  (void)state;
  for (uint32_t pattern = 1; pattern < 8; pattern++) {
    model_start(pattern);
    asc_reduce((uint32_t *)ub(0), (uint32_t *)ub(SRC), NULL, 3, 1, (uint8_t)pattern, 8, 0);
    uint64_t n = model_pick(4, 0, pattern, 64, 192, 1, 8, 0);
    model_compare("fixed pattern");
    assert_int_equal(asc_get_rsvd_count(), n);
    assert_int_equal(n, pattern <= 2 ? 96 : pattern == 7 ? 192 : 48);
  }
}
static void test_pick_in_place(void **state) {
  (void)state;
  model_start(1);
  asc_reduce((uint32_t *)ub(SRC), (uint32_t *)ub(SRC), NULL, 4, 1, 2, 8, 0);
  uint32_t first;
  memcpy(&first, ub(SRC), 4);
  assert_int_equal(first, model_peek(SRC + 4, 4));
  assert_int_equal(asc_get_rsvd_count(), 128);
  for (uint32_t i = 0; i < 128; i++) assert_int_equal(((uint32_t *)ub(SRC))[i], model_peek(SRC + 8 * i + 4, 4));
}

/* ---- gather ---------------------------------------------------------------------------------- */

static void random_offsets(uint32_t n, uint32_t granule, uint32_t span) {
  for (uint32_t i = 0; i < n; i++) {
    uint32_t offset = below(span / granule) * granule;
    memcpy(ub(BITS + 4 * i), &offset, 4);
  }
  model_take();
}
static void model_gather(uint32_t size, const model_mask *mask, uint32_t repeat, uint32_t dst_stride) {
  uint32_t lanes = 256 / size;
  for (uint32_t r = 0; r < model_repeats(mask, repeat, lanes); r++)
    for (uint32_t e = 0; e < lanes; e++)
      if (model_on(mask, r, e, lanes))
        model_write(model_at(0, r, e, size, 1, dst_stride), size,
                    declared_read(SRC + model_read(BITS + 4 * (r * lanes + e), 4), size));
}
static void test_gather(void **state) {
  (void)state;
  uint64_t seed = sk_test_seed("gather");
  for (uint32_t round = 0; round < 60; round++) {
    uint32_t size = round % 2 == 0 ? 2 : 4;
    model_initialised = round % 4 >= 2;
    model_start(seed + round);
    random_offsets(4096, size, below(2) ? 64 : 0x10000);
    uint32_t count = 1 + below(2000), repeat = below(12), dst_stride = below(12);
    if (size == 2) asc_gather((bfloat16_t *)ub(0), (bfloat16_t *)ub(SRC), (uint32_t *)ub(BITS), count);
    else asc_gather_sync((int32_t *)ub(0), (int32_t *)ub(SRC), (uint32_t *)ub(BITS), count);
    assert_int_equal(fixture_barriers, size == 4);
    model_mask whole = model_count(count);
    model_gather(size, &whole, 1, 8);
    model_compare("asc_gather(count)");
    model_start(seed + round);
    random_offsets(4096, size, 0x4000);
    model_mask mask = model_random_mask(true, 1500);
    if (size == 2) asc_gather((half *)ub(0), (half *)ub(SRC), (uint32_t *)ub(BITS), (uint16_t)dst_stride, (uint8_t)repeat);
    else asc_gather((float *)ub(0), (float *)ub(SRC), (uint32_t *)ub(BITS), (uint16_t)dst_stride, (uint8_t)repeat);
    model_gather(size, &mask, repeat, dst_stride);
    model_compare("asc_gather(repeats)");
  }
}
static void test_gather_over_its_offsets(void **state) {
  (void)state;
  model_start(4);
  random_offsets(256, 4, 0x4000);
  asc_gather((uint32_t *)ub(BITS), (uint32_t *)ub(SRC), (uint32_t *)ub(BITS), 256);
  assert_int_equal(fixture_findings, 0);
  for (uint32_t i = 0; i < 256; i++)
    assert_int_equal(((uint32_t *)ub(BITS))[i], model_peek(SRC + model_peek(BITS + 4 * i, 4), 4));
}
static void test_gather_datablock(void **state) {
  (void)state;
  uint64_t seed = sk_test_seed("gather_datablock");
  for (uint32_t round = 0; round < 40; round++) {
    model_start(seed + round);
    random_offsets(2048, 32, 0x8000);
    sk__self->mask[0] = 0; /* no concern of this instruction */
    uint32_t repeat = below(20), block = below(4), stride = below(20);
    if (round % 2 == 0) asc_gather_datablock((uint16_t *)ub(0), (uint16_t *)ub(SRC), (uint32_t *)ub(BITS), (uint16_t)stride, (uint8_t)block, (uint8_t)repeat);
    else asc_gather_datablock_sync((uint32_t *)ub(0), (uint32_t *)ub(SRC), (uint32_t *)ub(BITS), (uint16_t)stride, (uint8_t)block, (uint8_t)repeat);
    for (uint32_t r = 0; r < repeat; r++)
      for (uint32_t b = 0; b < 8; b++)
        for (uint32_t i = 0; i < 32; i++)
          model_write((uint64_t)(r * stride + b * (block == 0 ? 1 : block)) * 32 + i, 1,
                      model_read(SRC + model_read(BITS + 4 * (r * 8 + b), 4) + i, 1));
    model_compare("asc_gather_datablock");
  }
}

/* ---- broadcast ------------------------------------------------------------------------------- */

static void test_brcb(void **state) {
  (void)state;
  uint64_t seed = sk_test_seed("brcb");
  for (uint32_t round = 0; round < 40; round++) {
    model_start(seed + round);
    sk__self->mask[0] = 0;
    uint32_t repeat = round == 0 ? 255 : below(30), block = round == 0 ? 1 : below(4), stride = round == 0 ? 8 : below(40);
    uint32_t size = round % 2 == 0 ? 2 : 4;
    if (size == 2) asc_brcb((uint16_t *)ub(0), (uint16_t *)ub(SRC), (uint16_t)block, (uint16_t)stride, (uint8_t)repeat);
    else asc_brcb_sync((uint32_t *)ub(0), (uint32_t *)ub(SRC), (uint16_t)block, (uint16_t)stride, (uint8_t)repeat);
    for (uint32_t r = 0; r < repeat; r++)
      for (uint32_t b = 0; b < 8; b++) {
        uint64_t value = model_read(SRC + (r * 8 + b) * size, size);
        for (uint32_t i = 0; i < 32 / size; i++)
          model_write((uint64_t)(r * stride + b * (block == 0 ? 1 : block)) * 32 + i * size, size, value);
      }
    model_compare("asc_brcb");
  }
}

SK_TESTS(SK_TEST(test_pattern_past_7), SK_TEST(test_fixed_pattern_needs_no_bits), SK_TEST(test_gather_refuses),
         SK_TEST(test_brcb_refuses), SK_TEST(test_keep_chosen), SK_TEST(test_each_fixed_pattern),
         SK_TEST(test_pick_in_place), SK_TEST(test_gather), SK_TEST(test_gather_over_its_offsets),
         SK_TEST(test_gather_datablock), SK_TEST(test_brcb))
