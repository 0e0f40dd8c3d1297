/* The cube's inner loops: every instruction set level gives the bits of a scalar chain of fmaf. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "harness.h"
#include "isa/simd/cube_ops.h"

static uint64_t random_state;
static uint32_t random_bits(void) {
  random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(random_state >> 32);
}
static uint32_t random_below(uint32_t n) { return random_bits() % n; }

/* All tables this CPU can run. */
static size_t tables(const sk__cube_ops *out[8]) {
  size_t n = 0;
  for (uint32_t level = 0; level < SK__SIMD_LEVEL_COUNT; level++)
    if (sk__simd_cube_of((sk__simd_level)level) != NULL) out[n++] = sk__simd_cube_of((sk__simd_level)level);
  if (sk__cube_quads() != NULL) out[n++] = sk__cube_quads();
  return n;
}

/* What kind of numbers: half-like, bfloat16-like, any float, and any float with specials. */
typedef enum numbers { HALVES, BFLOATS, FLOATS, SPECIALS, NUMBERS } numbers;
static uint32_t number(numbers kind) {
  uint32_t bits = random_bits();
  switch (kind) {
    case HALVES: return sk__bits_from_f32(sk__f32_from_f16((uint16_t)(bits & 0xbfffu)));
    case BFLOATS: return bits & 0xffff0000u & ~0x40000000u;
    case FLOATS: return (bits & 0x8fffffffu) | 0x38000000u; /* exponents near 0: sums cancel and round */
    default: break;
  }
  switch (random_below(8)) {
    case 0: return 0x7f800000u | (bits & 0x80000000u);
    case 1: return 0x7fc00000u | (bits & 0x803fffffu);
    case 2: return bits & 0x807fffffu;
    case 3: return (bits & 0x80ffffffu) | 0x7f000000u;
    case 4: return (bits & 0x80ffffffu) | 0x1f000000u; /* products are subnormal */
    default: return bits;
  }
}

typedef struct problem {
  sk__cube_tile tile;
  size_t a_words, b_words, c_words;
  uint32_t *a, *b, *start, *c, bias[64], add[64];
} problem;

static void make(problem *p, uint32_t m, uint32_t n, uint32_t steps, uint32_t row_words, sk__cube_start start) {
  uint32_t fractals = (steps + row_words - 1) / row_words, blocks = (n + 15) / 16;
  p->tile = (sk__cube_tile){.a_row_words = row_words, .a_fractals = fractals, .b_steps = fractals * row_words,
                            .c_block_elems = (m + 15) / 16 * 256, .m = m, .n = n, .steps = steps, .start = start};
  p->a_words = (size_t)(m + 15) / 16 * fractals * 16 * row_words;
  p->b_words = (size_t)blocks * p->tile.b_steps * 16;
  p->c_words = (size_t)blocks * p->tile.c_block_elems;
  p->a = malloc(p->a_words * 4);
  p->b = malloc(p->b_words * 4);
  p->start = malloc(p->c_words * 4);
  p->c = malloc(p->c_words * 4);
  p->tile.a = p->a;
  p->tile.b = p->b;
  p->tile.c = p->c;
  p->tile.bias = p->bias;
}
static void fill(problem *p, numbers kind) {
  for (size_t i = 0; i < p->a_words; i++) p->a[i] = number(kind);
  for (size_t i = 0; i < p->b_words; i++) p->b[i] = number(kind);
  for (size_t i = 0; i < p->c_words; i++) p->start[i] = number(kind == HALVES ? FLOATS : kind);
  for (size_t i = 0; i < 64; i++) p->bias[i] = number(kind);
}
static void drop(problem *p) { free(p->a), free(p->b), free(p->start), free(p->c); }

static uint32_t a_word(const problem *p, uint32_t m, uint32_t k) {
  uint32_t w = p->tile.a_row_words;
  return p->a[(((size_t)(m / 16) * p->tile.a_fractals + k / w) * 16 + m % 16) * w + k % w];
}
static uint32_t b_word(const problem *p, uint32_t n, uint32_t k) {
  return p->b[((size_t)(n / 16) * p->tile.b_steps + k) * 16 + n % 16];
}
static uint32_t start_word(const problem *p, uint32_t m, uint32_t n) {
  if (p->tile.start == SK__CUBE_ZERO) return 0;
  if (p->tile.start == SK__CUBE_BIAS) return p->bias[n];
  return p->start[(size_t)(n / 16) * p->tile.c_block_elems + m * 16 + n % 16];
}

static void expect_floats(const problem *p, const char *what) {
  for (uint32_t n = 0; n < (p->tile.n + 15) / 16 * 16; n++)
    for (uint32_t m = 0; m < p->tile.c_block_elems / 16; m++) {
      size_t at = (size_t)(n / 16) * p->tile.c_block_elems + m * 16 + n % 16;
      uint32_t want = p->start[at]; /* rows beyond the matrix stay */
      if (m < p->tile.m) {
        float sum = sk__f32_from_bits(start_word(p, m, n));
        for (uint32_t k = 0; k < p->tile.steps; k++)
          sum = fmaf(sk__f32_from_bits(a_word(p, m, k)), sk__f32_from_bits(b_word(p, n, k)), sum);
        want = isnan(sum) ? 0x7fc00000u : sk__bits_from_f32(sum);
        if (p->tile.saturate && isnan(sum)) want = 0;
        if (p->tile.saturate && isinf(sum)) want -= 1;
      }
      if (p->c[at] != want) fail_msg("%s: (%u,%u) is %08x, not %08x", what, m, n, p->c[at], want);
    }
}

static void test_floats_equal_a_chain_of_fma_at_every_level(void **state) {
  (void)state;
  random_state = sk_test_seed("cube floats");
  const sk__cube_ops *ops[8];
  size_t levels = tables(ops);
  assert_true(levels >= 1);
  for (uint32_t round = 0; round < 60; round++) {
    problem p;
    numbers kind = (numbers)(round % NUMBERS);
    uint32_t row_words = round % 3 == 0 ? 8 : round % 3 == 1 ? 16 : 32;
    make(&p, 1 + random_below(40), 1 + random_below(64), 1 + random_below(70), row_words, (sk__cube_start)random_below(3));
    fill(&p, kind);
    p.tile.exact_products = kind == HALVES;
    p.tile.saturate = random_below(4) == 0;
    for (size_t i = 0; i < levels; i++) {
      memcpy(p.c, p.start, p.c_words * 4);
      ops[i]->mmad_f32(&p.tile);
      char what[64];
      snprintf(what, sizeof what, "round %u table %zu", round, i);
      expect_floats(&p, what);
    }
    drop(&p);
  }
}

/* Integers: words of 2 or 4, against plain products. */
static void test_integers_are_exact_at_every_level(void **state) {
  (void)state;
  random_state = sk_test_seed("cube integers");
  const sk__cube_ops *ops[8];
  size_t levels = tables(ops);
  for (uint32_t round = 0; round < 40; round++)
    for (size_t i = 0; i < levels; i++) {
      problem p;
      uint32_t pack = ops[i]->int_pack, row_words = (round % 2 ? 32 : 64) / pack;
      make(&p, 1 + random_below(40), 1 + random_below(64), 1 + random_below(50), row_words, (sk__cube_start)random_below(3));
      fill(&p, SPECIALS);
      for (size_t w = 0; w < 64; w++) p.bias[w] &= 0xffffffu;
      bool extreme = round % 5 == 0;
      /* Words hold -128..127 everywhere: as int16, or as bytes (A's plus 128). */
      for (size_t w = 0; w < p.a_words + p.b_words; w++) {
        uint32_t *word = w < p.a_words ? &p.a[w] : &p.b[w - p.a_words], r = extreme ? 0x80808080u : random_bits();
        *word = pack == 4 ? r ^ (w < p.a_words ? 0x80808080u : 0)
                          : (uint32_t)(uint16_t)(int8_t)r | (uint32_t)(int32_t)(int8_t)(r >> 8) << 16;
      }
      memcpy(p.c, p.start, p.c_words * 4);
      if (ops[i]->column_sums != NULL) {
        p.tile.column_add = p.add;
        ops[i]->column_sums(p.add, &p.tile);
      }
      ops[i]->mmad_i32(&p.tile);
      for (uint32_t n = 0; n < p.tile.n; n++)
        for (uint32_t m = 0; m < p.tile.m; m++) {
          uint32_t sum = start_word(&p, m, n);
          for (uint32_t k = 0; k < p.tile.steps; k++)
            for (uint32_t e = 0; e < pack; e++) {
              uint32_t a = a_word(&p, m, k), b = b_word(&p, n, k);
              int32_t x = pack == 4 ? (int8_t)((a ^ 0x80808080u) >> (8 * e)) : (int16_t)(a >> (16 * e));
              int32_t y = pack == 4 ? (int8_t)(b >> (8 * e)) : (int16_t)(b >> (16 * e));
              sum += (uint32_t)(x * y);
            }
          assert_int_equal(p.c[(size_t)(n / 16) * p.tile.c_block_elems + m * 16 + n % 16], sum);
        }
      drop(&p);
    }
}

static void test_transposes(void **state) {
  (void)state;
  const sk__cube_ops *ops[8];
  size_t levels = tables(ops);
  for (size_t i = 0; i < levels; i++) {
    for (uint32_t row_words = 8; row_words <= 32; row_words *= 2) {
      uint32_t from[16 * 32], to[16 * 32];
      for (uint32_t w = 0; w < 16 * row_words; w++) from[w] = w * 2654435761u;
      ops[i]->transpose(to, from, row_words);
      for (uint32_t r = 0; r < 16; r++)
        for (uint32_t w = 0; w < row_words; w++) assert_int_equal(to[w * 16 + r], from[r * row_words + w]);
    }
    uint16_t small[256], back[256];
    for (uint32_t w = 0; w < 256; w++) small[w] = (uint16_t)(w * 40503u);
    ops[i]->transpose_b16(back, small);
    for (uint32_t r = 0; r < 16; r++)
      for (uint32_t c = 0; c < 16; c++) assert_int_equal(back[c * 16 + r], small[r * 16 + c]);
  }
}

static void test_conversions(void **state) {
  (void)state;
  random_state = sk_test_seed("cube conversions");
  enum { N = 65536 + 3 };
  static uint16_t narrow[N], back[N];
  static float wide[N], any[N];
  const sk__cube_ops *ops[8];
  size_t levels = tables(ops);
  for (uint32_t i = 0; i < N; i++) {
    narrow[i] = (uint16_t)i;
    any[i] = sk__f32_from_bits(i % 4 == 0 ? number(SPECIALS) : 0x33000000u + random_below(0x15000000u) + (random_bits() & 0x80000000u));
  }
  for (size_t i = 0; i < levels; i++) {
    ops[i]->widen_f16(wide, narrow, N);
    for (uint32_t w = 0; w < N; w++) assert_int_equal(sk__bits_from_f32(wide[w]), sk__bits_from_f32(sk__f32_from_f16(narrow[w])));
    ops[i]->widen_bf16(wide, narrow, N);
    for (uint32_t w = 0; w < N; w++) assert_int_equal(sk__bits_from_f32(wide[w]), (uint32_t)narrow[w] << 16);
    ops[i]->narrow_f16(back, any, N);
    for (uint32_t w = 0; w < N; w++)
      assert_int_equal(back[w], sk__f16_from_f32(any[w], SK__ROUND_RINT, SK__FLOAT_INF_NAN));
    ops[i]->narrow_bf16(back, any, N);
    for (uint32_t w = 0; w < N; w++)
      assert_int_equal(back[w], sk__bf16_from_f32(any[w], SK__ROUND_RINT, SK__FLOAT_INF_NAN));
  }
}

static void test_integer_helpers(void **state) {
  (void)state;
  enum { N = 200 };
  uint8_t bytes[N / 2], offset[N];
  int8_t nibbles[N], whole[N];
  int16_t words[N];
  uint32_t values[N];
  for (uint32_t i = 0; i < N / 2; i++) bytes[i] = (uint8_t)(i * 37);
  for (uint32_t i = 0; i < N; i++) whole[i] = (int8_t)(i * 3), values[i] = i * 2654435761u >> (i % 3);
  const sk__cube_ops *ops[8];
  size_t levels = tables(ops);
  for (size_t t = 0; t < levels; t++) {
    ops[t]->widen_i4(nibbles, bytes, N);
    for (uint32_t i = 0; i < N; i++) {
      int value = bytes[i / 2] >> (i % 2 * 4) & 15;
      assert_int_equal(nibbles[i], value >= 8 ? value - 16 : value);
    }
    ops[t]->offset_i8(offset, whole, N);
    ops[t]->widen_i8(words, whole, N);
    for (uint32_t i = 0; i < N; i++) {
      assert_int_equal(offset[i], whole[i] + 128);
      assert_int_equal(words[i], whole[i]);
    }
    for (uint32_t n = 0; n < N; n += 7) {
      int64_t most = 0;
      for (uint32_t i = 0; i < n; i++) {
        int64_t v = (int32_t)values[i];
        if (v < 0) v = -v;
        if (v > most) most = v;
      }
      assert_int_equal(ops[t]->largest(values, n), most);
    }
    const uint32_t lowest = 0x80000000u;
    assert_int_equal(ops[t]->largest(&lowest, 1), 0x80000000u);
    const uint32_t from[4] = {0x3f800800u, 0x3f801800u, 0x7f800001u, 0xbf800801u};
    const uint32_t want[2][4] = {{0x3f800000u, 0x3f802000u, 0x7f800001u, 0xbf801000u},
                                 {0x3f800000u, 0x3f801000u, 0x7f800001u, 0xbf801000u}};
    for (int mode = 0; mode < 2; mode++) {
      uint32_t to[4];
      ops[t]->round_hf32(to, from, 4, mode == 1);
      assert_memory_equal(to, want[mode], sizeof to);
    }
  }
}

SK_TESTS(SK_TEST(test_integer_helpers), SK_TEST(test_floats_equal_a_chain_of_fma_at_every_level), SK_TEST(test_integers_are_exact_at_every_level),
         SK_TEST(test_transposes), SK_TEST(test_conversions))
