/* Comparisons into memory and into the mask register, and asc_select, against a naive model. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "other_model.h"

#include "c_api/asc_vector_other.h"

#define A 0x8000u
#define B 0x18000u

static void expect(const char *part) {
  assert_int_equal(fixture_findings, 1);
  if (strstr(fixture_finding.message, part) == NULL) fail_msg("'%s' lacks '%s'", fixture_finding.message, part);
  assert_memory_equal(model_memory, fixture_ub, UB_BYTES);
}

static void test_refuses(void **state) {
  (void)state;
  model_start(1);
  asc_lt((uint8_t *)ub(16), (float *)ub(A), (float *)ub(B), 1, 1, 1, 1, 8, 8, 8);
  expect("dst");
  model_start(1);
  asc_lt((float *)ub(A), (float *)ub(UB_BYTES - 128), 1, 1, 1, 1, 8, 8, 8);
  expect("src1");
  model_start(1);
  asc_ge_scalar((uint8_t *)ub(0), (float *)ub(A), 1.0f, 1, 1, 1, 8, 256);
  expect("asc_ge_scalar: src_repeat_stride is 256; legal: 0..255");
  model_start(1);
  asc_get_cmp_mask(ub(8));
  expect("dst");
  model_start(1);
  asc_select((half *)ub(0), (half *)ub(A), (half *)ub(UB_BYTES - 32), 17);
  expect("src1");
}
static void test_select_over_part_of_a_source(void **state) {
  (void)state;
  model_start(1);
  asc_select((half *)ub(A + 32), (half *)ub(A), (half *)ub(B), 128);
  assert_int_equal(fixture_findings, 1);
  assert_string_equal(fixture_finding.id, "OVERLAP");
  model_start(1);
  asc_select((half *)ub(A), (half *)ub(A), (half *)ub(B), 128);
  assert_int_equal(fixture_findings, 0);
}
static void test_not_equal_is_false_for_nan(void **state) {
  (void)state;
  model_start(1);
  for (uint32_t i = 0; i < 64; i++) {
    uint32_t nan = 0x7fc00000;
    memcpy(ub(A + 4 * i), &nan, 4);
  }
  asc_ne((uint8_t *)ub(0), (float *)ub(A), (float *)ub(B), 1, 1, 1, 1, 8, 8, 8);
  assert_true(*(uint64_t *)ub(0) == 0);
}
static void test_zeros_are_equal(void **state) {
  (void)state;
  model_start(1);
  for (uint32_t i = 0; i < 128; i++) ((uint16_t *)ub(A))[i] = 0x8000;
  asc_eq_scalar((uint8_t *)ub(0), (half *)ub(A), 0, 1, 1, 1, 8, 8);
  assert_true(*(uint64_t *)ub(0) == UINT64_MAX);
  asc_lt_scalar((uint8_t *)ub(0), (half *)ub(A), 0, 1, 1, 1, 8, 8);
  assert_true(*(uint64_t *)ub(0) == 0);
}

/* ---- the model ------------------------------------------------------------------------------- */

typedef enum what { LT, GT, GE, EQ, NE, LE } what;

static bool holds(what op, double a, double b) {
  if (isnan(a) || isnan(b)) return false;
  switch (op) {
    case LT: return a < b;
    case GT: return a > b;
    case GE: return a >= b;
    case EQ: return a == b;
    case NE: return a != b;
    default: return a <= b;
  }
}
/* size 0: int32 */
static double number(uint64_t bits, uint32_t size) { return size == 0 ? (double)(int32_t)bits : model_value(bits, size); }

static void prepare(uint64_t seed, uint32_t size) {
  model_start(seed);
  if (size == 0) {
    for (uint32_t i = 0; i < 0x4000; i++) {
      uint32_t a = below(3), b = below(3) - 1;
      memcpy(ub(A + 4 * i), &a, 4);
      memcpy(ub(B + 4 * i % 0x16000), &b, 4);
    }
  } else {
    model_numbers(A, size, 0x10000 / size);
    model_numbers(B, size, 0x16000 / size);
  }
  model_take();
}
typedef struct strides { uint32_t repeat, a_block, b_block, a_repeat, b_repeat; } strides;
static strides random_strides(void) { return (strides){below(30), below(4), below(4), below(20), below(20)}; }

static void model_compare_to(what op, uint32_t size, const strides *k, const double *scalar) {
  uint32_t s = size == 0 ? 4 : size, lanes = 256 / s;
  for (uint32_t r = 0; r < k->repeat; r++)
    for (uint32_t byte = 0; byte < lanes / 8; byte++) {
      uint32_t bits = 0;
      for (uint32_t i = 0; i < 8; i++) {
        uint32_t e = byte * 8 + i;
        double a = number(model_read(model_at(A, r, e, s, k->a_block, k->a_repeat), s), size);
        double b = scalar != NULL ? *scalar : number(model_read(model_at(B, r, e, s, k->b_block, k->b_repeat), s), size);
        bits |= (uint32_t)holds(op, a, b) << i;
      }
      model_write(r * lanes / 8 + byte, 1, bits);
    }
}

#define PASS(k) (uint8_t)k.repeat, 1, (uint8_t)k.a_block, (uint8_t)k.b_block, 8, (uint8_t)k.a_repeat, (uint8_t)k.b_repeat
#define TO_MEMORY(op, OP, T, size)                                                                       \
  {                                                                                                      \
    prepare(seed, size);                                                                                 \
    strides k = random_strides();                                                                        \
    sk__self->mask[0] = 3; /* no concern of these */                                                     \
    if (below(2)) asc_##op((uint8_t *)ub(0), (T *)ub(A), (T *)ub(B), PASS(k));                           \
    else asc_##op##_sync((uint8_t *)ub(0), (T *)ub(A), (T *)ub(B), PASS(k));                             \
    model_compare_to(OP, size, &k, NULL);                                                                \
    model_compare("asc_" #op " to memory, " #T);                                                         \
    prepare(seed + 1, size);                                                                             \
    T value;                                                                                             \
    memcpy(&value, ub(A + 4 * below(1000)), sizeof value);                                               \
    uint64_t bits = 0;                                                                                   \
    memcpy(&bits, &value, sizeof value);                                                                 \
    double scalar = number(bits, size);                                                                  \
    if (below(2)) asc_##op##_scalar((uint8_t *)ub(0), (T *)ub(A), value, (uint8_t)k.repeat, 1, (uint16_t)k.a_block, 8, (uint16_t)k.a_repeat); \
    else asc_##op##_scalar_sync((uint8_t *)ub(0), (T *)ub(A), value, (uint8_t)k.repeat, 1, (uint16_t)k.a_block, 8, (uint16_t)k.a_repeat);     \
    model_compare_to(OP, size, &k, &scalar);                                                             \
    model_compare("asc_" #op "_scalar, " #T);                                                            \
  }
#define TO_REGISTER(op, OP, T, size)                                                                     \
  {                                                                                                      \
    prepare(seed + 2, size);                                                                             \
    strides k = random_strides();                                                                        \
    model_mask mask = model_random_mask(true, 256 / size);                                               \
    uint64_t old[2] = {fixture_random(), fixture_random()};                                              \
    memcpy(sk__self->cmp_mask, old, sizeof old);                                                         \
    if (below(2)) asc_##op((T *)ub(A), (T *)ub(B), PASS(k));                                             \
    else asc_##op##_sync((T *)ub(A), (T *)ub(B), PASS(k));                                               \
    for (uint32_t e = 0; e < 256 / size; e++) {                                                          \
      if (!model_on(&mask, 0, e, 256 / size)) continue;                                                  \
      bool yes = holds(OP, number(model_read(model_at(A, 0, e, size, k.a_block, 8), size), size),        \
                       number(model_read(model_at(B, 0, e, size, k.b_block, 8), size), size));           \
      old[e / 64] = (old[e / 64] & ~(UINT64_C(1) << (e % 64))) | (uint64_t)yes << (e % 64);              \
    }                                                                                                    \
    model_compare("asc_" #op " to the register, " #T);                                                   \
    assert_memory_equal(old, sk__self->cmp_mask, 16);                                                    \
  }
#define BOTH(op, OP)                                                       \
  TO_MEMORY(op, OP, half, 2) TO_MEMORY(op, OP, float, 4)                   \
  TO_REGISTER(op, OP, half, 2) TO_REGISTER(op, OP, float, 4)
static void all_body(void) {
  uint64_t seed = sk_test_seed("compare");
  for (uint32_t round = 0; round < 6; round++, seed += 10) {
    BOTH(lt, LT) BOTH(gt, GT) BOTH(ge, GE) BOTH(eq, EQ) BOTH(ne, NE) BOTH(le, LE)
    TO_MEMORY(eq, EQ, int32_t, 0)
  }
}
static void test_every_comparison(void **state) {
  (void)state;
  model_each_level(all_body);
}

/* ---- the register and select ----------------------------------------------------------------- */

static void test_register_to_memory_and_back(void **state) {
  (void)state;
  model_start(1);
  asc_set_cmp_mask(ub(A + 16));
  for (uint32_t i = 0; i < 16; i++) model_read(A + 16 + i, 1);
  asc_get_cmp_mask(ub(32));
  for (uint32_t i = 0; i < 16; i++) model_write(32 + i, 1, model_peek(A + 16 + i, 1));
  model_compare("set and get");
}
static void model_select(uint32_t size, const model_mask *mask, const strides *k, uint32_t d_block, uint32_t d_repeat) {
  uint32_t lanes = 256 / size;
  for (uint32_t r = 0; r < model_repeats(mask, k->repeat, lanes); r++)
    for (uint32_t e = 0; e < lanes; e++) {
      if (!model_on(mask, r, e, lanes)) continue;
      uint64_t a = model_read(model_at(A, r, e, size, k->a_block, k->a_repeat), size);
      uint64_t b = model_read(model_at(B, r, e, size, k->b_block, k->b_repeat), size);
      bool first = (sk__self->cmp_mask[e / 64] >> (e % 64) & 1) != 0;
      model_write(model_at(0, r, e, size, d_block == 0 ? 1 : d_block, d_repeat), size, first ? a : b);
    }
}
static void select_body(void) {
  uint64_t seed = sk_test_seed("select");
  for (uint32_t round = 0; round < 30; round++) {
    uint32_t size = round % 2 == 0 ? 2 : 4;
    model_start(seed + round);
    asc_set_cmp_mask(ub(A));
    model_take();
    uint32_t count = 1 + below(3000);
    if (size == 2) asc_select((half *)ub(0), (half *)ub(A), (half *)ub(B), count);
    else asc_select_sync((float *)ub(0), (float *)ub(A), (float *)ub(B), count);
    strides k = {1, 1, 1, 8, 8};
    model_mask whole = model_count(count);
    model_select(size, &whole, &k, 1, 8);
    model_compare("asc_select(count)");
    model_start(seed + round);
    sk__self->cmp_mask[0] = fixture_random(), sk__self->cmp_mask[1] = fixture_random();
    model_mask mask = model_random_mask(true, 2000);
    k = random_strides();
    uint32_t d_block = below(3), d_repeat = below(20);
    if (size == 2) asc_select((half *)ub(0), (half *)ub(A), (half *)ub(B), (uint8_t)k.repeat, (uint8_t)d_block, (uint8_t)k.a_block, (uint8_t)k.b_block, (uint8_t)d_repeat, (uint8_t)k.a_repeat, (uint8_t)k.b_repeat);
    else asc_select((float *)ub(0), (float *)ub(A), (float *)ub(B), (uint8_t)k.repeat, (uint8_t)d_block, (uint8_t)k.a_block, (uint8_t)k.b_block, (uint8_t)d_repeat, (uint8_t)k.a_repeat, (uint8_t)k.b_repeat);
    model_select(size, &mask, &k, d_block, d_repeat);
    model_compare("asc_select(repeats)");
  }
}
static void test_select(void **state) {
  (void)state;
  model_each_level(select_body);
}

SK_TESTS(SK_TEST(test_refuses), SK_TEST(test_select_over_part_of_a_source), SK_TEST(test_not_equal_is_false_for_nan), SK_TEST(test_zeros_are_equal),
         SK_TEST(test_every_comparison), SK_TEST(test_register_to_memory_and_back), SK_TEST(test_select))
