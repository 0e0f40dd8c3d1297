/* Reductions against a naive model: trees with one rounding per sum, extremes with their first position,
 * masks, strides, saturation, the registers they leave. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "other_model.h"

#include "c_api/asc_vector_other.h"

#define SRC 0x10000u

static void expect(const char *part) {
  assert_int_equal(fixture_findings, 1);
  if (strstr(fixture_finding.message, part) == NULL) fail_msg("'%s' lacks '%s'", fixture_finding.message, part);
  assert_memory_equal(model_memory, fixture_ub, UB_BYTES);
}

/* ---- misuse ---------------------------------------------------------------------------------- */

static void test_destination_alignment(void **state) {
  (void)state;
  model_start(1);
  asc_datablock_reduce_sum((float *)ub(16), (float *)ub(SRC), 64);
  expect("dst");
  model_start(1);
  asc_datablock_reduce_sum((half *)ub(16), (half *)ub(SRC), 128);
  assert_int_equal(fixture_findings, 0);
  model_start(1);
  asc_repeat_reduce_max_value_index((float *)ub(4), (float *)ub(SRC), 64);
  expect("dst");
  model_start(1);
  asc_repeat_reduce_max_only_value((float *)ub(4), (float *)ub(SRC), 64);
  assert_int_equal(fixture_findings, 0);
  model_start(1);
  asc_repeat_reduce_sum((half *)ub(2), (half *)ub(SRC), 128);
  assert_int_equal(fixture_findings, 0);
}
static void test_past_the_end(void **state) {
  (void)state;
  model_start(1);
  asc_repeat_reduce_sum((float *)ub(0), (float *)ub(UB_BYTES - 256), 65);
  expect("src");
  model_start(1);
  asc_repeat_reduce_sum((float *)ub(0), (float *)ub(UB_BYTES - 256), 64);
  assert_int_equal(fixture_findings, 0);
  model_start(1);
  asc_pair_reduce_sum((float *)ub(UB_BYTES - 128), (float *)ub(SRC), 2, 1, 1, 8);
  expect("dst");
}
static void test_results_on_the_next_source(void **state) {
  (void)state;
  model_start(1);
  asc_datablock_reduce_max((float *)ub(SRC + 256), (float *)ub(SRC), 256);
  assert_int_equal(fixture_findings, 1);
  assert_string_equal(fixture_finding.id, "OVERLAP");
  assert_non_null(strstr(fixture_finding.message, "the results of repeat 0 overlap the source of the next one"));
  model_start(1);
  asc_datablock_reduce_max((float *)ub(SRC), (float *)ub(SRC), 256);
  assert_int_equal(fixture_findings, 0);
}
static void test_nothing_to_do(void **state) {
  (void)state;
  model_start(1);
  asc_repeat_reduce_sum((float *)ub(0), (float *)ub(SRC), 0);
  asc_datablock_reduce_max((half *)ub(0), (half *)ub(SRC), 0, 1, 1, 8);
  sk__self->mask[0] = sk__self->mask[1] = 0;
  asc_datablock_reduce_max((half *)ub(0), (half *)ub(SRC), 3, 1, 1, 8);
  assert_int_equal(fixture_findings, 0);
  model_compare("nothing");
}

/* ---- values by hand -------------------------------------------------------------------------- */

static void test_saturation_at_each_step(void **state) {
  (void)state;
  model_start(1);
  const uint16_t in[4] = {0x7b53, 0x7b53, 0xf753, 0x5640}; /* 60000 60000 -30000 100 */
  assert_int_equal(model_round(60000, 2, false), in[0]);
  memset(ub(SRC), 0, 32);
  memcpy(ub(SRC), in, sizeof in);
  sk__self->ctrl = 0;
  asc_datablock_reduce_sum((half *)ub(0), (half *)ub(SRC), 16);
  /* 65504 + -29904 (each sum a half): 35600, halfway between halves, to the even one */
  assert_int_equal(*(uint16_t *)ub(0), model_round(35584, 2, false));
  sk__self->ctrl = UINT64_C(1) << 48;
  asc_datablock_reduce_sum((half *)ub(0), (half *)ub(SRC), 16);
  assert_int_equal(*(uint16_t *)ub(0), 0x7c00); /* infinity stays */
}

/* ---- the model ------------------------------------------------------------------------------- */

typedef enum reduce_kind { SUM, MAX, MIN } reduce_kind;
typedef enum reduce_unit { BLOCK, REPEAT, PAIR } reduce_unit;

static bool saturating(void) { return (sk__self->ctrl >> 48 & 1) == 0; }

/* Sum by halving: neighbours first. */
static uint32_t tree(const uint32_t *x, uint32_t n, uint32_t size) {
  if (n == 1) return x[0];
  uint32_t sums[64];
  for (uint32_t i = 0; i < n / 2; i++)
    sums[i] = model_round(model_value(x[2 * i], size) + model_value(x[2 * i + 1], size), size, saturating());
  return tree(sums, n / 2, size);
}
static uint32_t number_limits(uint32_t bits, uint32_t size) {
  return size == 2 || isnan(model_value(bits, size)) ? model_round(model_value(bits, size), size, saturating()) : bits;
}

typedef struct expected_registers { uint32_t best; uint64_t index; uint32_t total; bool any; } expected_registers;

static expected_registers model_reduce(reduce_unit unit, reduce_kind kind, Order_t order, uint32_t size, uint64_t dst, uint64_t src,
                                       const model_mask *mask, uint32_t repeat, uint32_t dst_stride, uint32_t block,
                                       uint32_t src_stride) {
  uint32_t lanes = 256 / size, width = unit == BLOCK ? 32 / size : unit == PAIR ? 2 : lanes;
  uint32_t bytes = kind == SUM || unit == BLOCK || order == ONLY_VALUE ? size : order == ONLY_INDEX ? 4 : 2 * size;
  expected_registers registers = {0};
  for (uint32_t r = 0; r < model_repeats(mask, repeat, lanes); r++) {
    for (uint32_t result = 0; result < lanes / width; result++) {
      uint32_t x[128], best = 0, index = 0;
      bool any = false;
      for (uint32_t i = 0; i < width; i++) {
        uint32_t lane = result * width + i;
        x[i] = 0;
        if (!model_on(mask, r, lane, lanes)) continue;
        x[i] = (uint32_t)model_read(model_at(src, r, lane, size, block, src_stride), size);
        int than_best = any ? model_order(x[i], best, size, false) : 0;
        if (kind == MIN && any && !isnan(model_value(x[i], size)) && !isnan(model_value(best, size))) than_best = -than_best;
        if (!any || than_best > 0) best = x[i], index = i;
        any = true;
      }
      if (!any) continue;
      uint32_t value = kind == SUM ? tree(x, width, size) : number_limits(best, size);
      uint64_t at = dst + (uint64_t)r * dst_stride * (lanes / width) * bytes + result * bytes;
      if (kind == SUM || unit == BLOCK || order == ONLY_VALUE) model_write(at, size, value);
      else if (order == ONLY_INDEX) model_write(at, 4, index);
      else model_write(at + (order == INDEX_VALUE ? size : 0), size, value),
           model_write(at + (order == INDEX_VALUE ? 0 : size), size, index);
      if (kind == SUM) {
        registers.total = registers.any ? model_round(model_value(registers.total, size) + model_value(value, size), size, saturating()) : value;
      } else {
        int than_best = registers.any ? model_order(value, registers.best, size, false) : 0;
        if (kind == MIN && registers.any && !isnan(model_value(value, size)) && !isnan(model_value(registers.best, size))) than_best = -than_best;
        if (!registers.any || than_best > 0) registers.best = value, registers.index = (uint64_t)r * lanes + index;
      }
      registers.any = true;
    }
  }
  return registers;
}

/* ---- every instruction ----------------------------------------------------------------------- */

#define INSTRUCTIONS(X)                                          \
  X(datablock_reduce_sum, BLOCK, SUM, ONLY_VALUE)                \
  X(datablock_reduce_max, BLOCK, MAX, ONLY_VALUE)                \
  X(datablock_reduce_min, BLOCK, MIN, ONLY_VALUE)                \
  X(repeat_reduce_sum, REPEAT, SUM, ONLY_VALUE)                  \
  X(pair_reduce_sum, PAIR, SUM, ONLY_VALUE)                      \
  X(repeat_reduce_max_value_index, REPEAT, MAX, VALUE_INDEX)     \
  X(repeat_reduce_max_index_value, REPEAT, MAX, INDEX_VALUE)     \
  X(repeat_reduce_max_only_value, REPEAT, MAX, ONLY_VALUE)       \
  X(repeat_reduce_max_only_index, REPEAT, MAX, ONLY_INDEX)       \
  X(repeat_reduce_min_value_index, REPEAT, MIN, VALUE_INDEX)     \
  X(repeat_reduce_min_index_value, REPEAT, MIN, INDEX_VALUE)     \
  X(repeat_reduce_min_only_value, REPEAT, MIN, ONLY_VALUE)       \
  X(repeat_reduce_min_only_index, REPEAT, MIN, ONLY_INDEX)

static void prepare(uint64_t seed, uint32_t size) {
  model_start(seed);
  if (below(3) == 0) sk__self->ctrl = 0; /* saturating */
  model_numbers(SRC, size, (UB_BYTES - SRC) / size);
  if (below(4) == 0) /* many equal extremes */
    for (uint32_t i = 0; i < 4096; i++) memcpy(fixture_ub + SRC + i * size, fixture_ub + SRC + (i % 5) * size, size);
  model_take();
}
static void check_registers(reduce_kind kind, reduce_unit unit, uint32_t size, const expected_registers *want) {
  if (unit != REPEAT || !want->any) return;
  if (kind == SUM) {
    assert_int_equal((uint64_t)asc_get_acc_val(), want->total);
    return;
  }
  uint32_t bits = 0, index = 0;
  float f;
  half h;
  if (size == 2) {
    if (kind == MAX) asc_get_reduce_max_cnt(h, index);
    else asc_get_reduce_min_cnt(h, index);
    memcpy(&bits, &h, 2);
  } else {
    if (kind == MAX) asc_get_reduce_max_cnt(f, index);
    else asc_get_reduce_min_cnt(f, index);
    memcpy(&bits, &f, 4);
  }
  if (saturating() && size == 2) return; /* several infinities share one value */
  assert_int_equal(bits, want->best);
  assert_int_equal(index, want->index);
}

#define CASE(op, T, size, unit, kind, order)                                                             \
  {                                                                                                      \
    prepare(seed, size);                                                                                 \
    uint32_t count = 1 + below(4000), sync = below(2);                                                   \
    if (sync) asc_##op##_sync((T *)ub(0), (const T *)ub(SRC), count);                                    \
    else asc_##op((T *)ub(0), (T *)ub(SRC), count);                                                      \
    assert_int_equal(fixture_barriers, sync);                                                            \
    assert_int_equal(sk__self->mask[0], count);                                                          \
    model_mask whole = model_count(count);                                                               \
    expected_registers want = model_reduce(unit, kind, order, size, 0, SRC, &whole, 1, 1, 1, 8);         \
    model_compare("asc_" #op "(count) on " #T);                                                          \
    check_registers(kind, unit, size, &want);                                                            \
    prepare(seed + 1, size);                                                                             \
    model_mask mask = model_random_mask(true, 3000);                                                     \
    uint32_t repeat = below(30), dst_stride = below(4), block = below(4), src_stride = below(20);        \
    asc_##op((T *)ub(0), (T *)ub(SRC), (uint8_t)repeat, (uint16_t)dst_stride, (uint16_t)block, (uint16_t)src_stride); \
    assert_int_equal(fixture_findings, 0);                                                               \
    want = model_reduce(unit, kind, order, size, 0, SRC, &mask, repeat, dst_stride, block, src_stride);  \
    model_compare("asc_" #op "(repeats) on " #T);                                                        \
    check_registers(kind, unit, size, &want);                                                            \
  }
static void all_body(void) {
  uint64_t seed = sk_test_seed("reduce");
  for (uint32_t round = 0; round < 12; round++, seed += 10) {
#define X(op, unit, kind, order) CASE(op, half, 2, unit, kind, order) CASE(op, float, 4, unit, kind, order)
    INSTRUCTIONS(X)
#undef X
  }
}
static void test_every_reduction(void **state) {
  (void)state;
  model_each_level(all_body);
}

static void in_place_body(void) {
  model_start(7);
  model_numbers(SRC, 4, 2048);
  model_take();
  asc_datablock_reduce_max((float *)ub(SRC), (float *)ub(SRC), 2048);
  model_mask whole = model_count(2048);
  model_reduce(BLOCK, MAX, ONLY_VALUE, 4, SRC, SRC, &whole, 1, 1, 1, 8);
  model_compare("in place");
}
static void test_in_place(void **state) {
  (void)state;
  model_each_level(in_place_body);
}
static void test_index_through_a_u32_pointer(void **state) {
  (void)state;
  model_start(7);
  asc_repeat_reduce_max_only_index((uint32_t *)ub(0), (half *)ub(SRC), 128);
  assert_true(*(uint32_t *)ub(0) < 128);
}

SK_TESTS(SK_TEST(test_destination_alignment), SK_TEST(test_past_the_end), SK_TEST(test_results_on_the_next_source), SK_TEST(test_nothing_to_do),
         SK_TEST(test_saturation_at_each_step), SK_TEST(test_every_reduction), SK_TEST(test_in_place),
         SK_TEST(test_index_through_a_u32_pointer))
