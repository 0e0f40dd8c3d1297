/* Multiply-add through the instruction: layouts, start values, modes and limits, on the machine. */
#include <math.h>

#include "cube_fixture.h"

/* A problem in ND, the operands' images in L0, and what came out. */
typedef struct product {
  sk_mmad_type type;
  uint32_t m, k, n;
  bool align, from_bias, from_zero, sparse_start;
  uint32_t unit_flag;
  uint32_t a[64 * 128], b[128 * 64], c[64 * 64]; /* element bits */
  uint32_t out[64 * 64];
  bool call_ran;
} product;

static uint32_t bits_of(sk_mmad_type type) { return type == SK_MMAD_F32 ? 32 : type == SK_MMAD_I8 ? 8 : type == SK_MMAD_I4 ? 4 : 16; }
static void put(uint8_t *to, uint32_t bits, size_t index, uint32_t value) {
  if (bits == 4) {
    to[index / 2] = (uint8_t)(index % 2 ? (to[index / 2] & 15u) | value << 4 : (to[index / 2] & 0xf0u) | (value & 15u));
    return;
  }
  memcpy(to + index * (bits / 8), &value, bits / 8);
}
static double value_of(const product *p, uint32_t bits) {
  switch (p->type) {
    case SK_MMAD_F16: return (double)sk__f32_from_f16((uint16_t)bits);
    case SK_MMAD_BF16: return (double)sk__f32_from_bits(bits << 16);
    case SK_MMAD_F32: return (double)sk__f32_from_bits(bits);
    case SK_MMAD_I8: return (int8_t)bits;
    case SK_MMAD_I4: return (int8_t)(bits << 4) >> 4;
  }
  return 0;
}

/* The layouts by their formulas. Everything else in L0 is noise. */
static void lay_out(const product *p, uint8_t *l0a, uint8_t *l0b, uint8_t *l0c) {
  uint32_t bits = bits_of(p->type), c0 = 256 / bits, k1 = (p->k + c0 - 1) / c0, n1 = (p->n + 15) / 16, m16 = (p->m + 15) / 16 * 16;
  if (p->align && p->type == SK_MMAD_F32) k1 = (p->k + 15) / 16 * 2;
  random_fill(l0a, 65536);
  random_fill(l0b, 65536);
  random_fill(l0c, 65536);
  for (uint32_t m = 0; m < p->m; m++)
    for (uint32_t k = 0; k < p->k; k++)
      put(l0a, bits, p->m == 1 ? k : (m / 16) * k1 * 16 * c0 + (k / c0) * 16 * c0 + (m % 16) * c0 + k % c0, p->a[m * p->k + k]);
  for (uint32_t k = 0; k < p->k; k++)
    for (uint32_t n = 0; n < p->n; n++)
      put(l0b, bits, (k / c0) * n1 * 16 * c0 + (n / 16) * 16 * c0 + (n % 16) * c0 + k % c0, p->b[k * p->n + n]);
  for (uint32_t m = 0; m < p->m; m++)
    for (uint32_t n = 0; n < p->n; n++) put(l0c, 32, (n / 16) * m16 * 16 + m * 16 + n % 16, p->c[m * p->n + n]);
}

static void product_kernel(sk__core *core, void *context) {
  product *p = context;
  uint8_t *l0a = local(core, SK__MEM_L0A), *l0b = local(core, SK__MEM_L0B), *l0c = local(core, SK__MEM_L0C);
  lay_out(p, l0a, l0b, l0c);
  memcpy(local(core, SK__MEM_BT), p->c, p->n * 4);
  uint16_t m = (uint16_t)p->m, k = (uint16_t)p->k, n = (uint16_t)p->n;
  uint8_t u = (uint8_t)p->unit_flag;
  switch (p->type) {
    case SK_MMAD_F16: asc_mmad((float *)l0c, (half *)l0a, (half *)l0b, m, k, n, u, p->align, p->from_bias, p->from_zero); break;
    case SK_MMAD_BF16: asc_mmad((float *)l0c, (bfloat16_t *)l0a, (bfloat16_t *)l0b, m, k, n, u, p->align, p->from_bias, p->from_zero); break;
    case SK_MMAD_F32: asc_mmad((float *)l0c, (float *)l0a, (float *)l0b, m, k, n, u, p->align, p->from_bias, p->from_zero); break;
    case SK_MMAD_I8: asc_mmad((int32_t *)l0c, (int8_t *)l0a, (int8_t *)l0b, m, k, n, 0, 0, u, p->align, false, p->from_bias, p->from_zero); break;
    case SK_MMAD_I4: asc_mmad_s4((int32_t *)l0c, (int4b_t *)l0a, (int4b_t *)l0b, m, k, n, u, p->align, p->from_bias, p->from_zero); break;
  }
  uint32_t m16 = (p->m + 15) / 16 * 16;
  for (uint32_t i = 0; i < p->m; i++)
    for (uint32_t j = 0; j < p->n; j++)
      memcpy(&p->out[i * p->n + j], l0c + ((j / 16) * m16 * 16 + i * 16 + j % 16) * 4, 4);
  p->call_ran = true;
}

static void random_operands(product *p) {
  for (uint32_t i = 0; i < p->m * p->k + p->k * p->n; i++) {
    uint32_t *e = i < p->m * p->k ? &p->a[i] : &p->b[i - p->m * p->k];
    uint32_t r = random_bits();
    switch (p->type) {
      case SK_MMAD_F16: *e = sk__f16_from_f32((float)((int32_t)(r % 2001) - 1000) / 64, SK__ROUND_RINT, SK__FLOAT_INF_NAN); break;
      case SK_MMAD_BF16: *e = sk__bf16_from_f32((float)((int32_t)(r % 2001) - 1000) / 64, SK__ROUND_RINT, SK__FLOAT_INF_NAN); break;
      case SK_MMAD_F32: *e = sk__bits_from_f32((float)((int32_t)(r % 200001) - 100000) / 4096); break;
      case SK_MMAD_I8: *e = r & 255; break;
      case SK_MMAD_I4: *e = r & 15; break;
    }
  }
  for (uint32_t i = 0; i < p->m * p->n; i++)
    p->c[i] = p->type >= SK_MMAD_I8 ? random_bits() >> 8 : sk__bits_from_f32((float)random_below(4000) / 8 - 250);
}

static double start_of(const product *p, uint32_t m, uint32_t n) {
  uint32_t bits = p->from_zero ? 0 : p->from_bias ? p->c[n] : p->c[m * p->n + n];
  return p->type >= SK_MMAD_I8 ? (double)(int32_t)bits : (double)sk__f32_from_bits(bits);
}

static void expect_product(const product *p) {
  for (uint32_t m = 0; m < p->m; m++)
    for (uint32_t n = 0; n < p->n; n++) {
      double exact = start_of(p, m, n), size = fabs(exact);
      float chain = (float)exact;
      for (uint32_t k = 0; k < p->k; k++) {
        double a = value_of(p, p->a[m * p->k + k]), b = value_of(p, p->b[k * p->n + n]);
        exact += a * b;
        size += fabs(a * b);
        chain = fmaf((float)a, (float)b, chain);
      }
      uint32_t got = p->out[m * p->n + n];
      if (p->type >= SK_MMAD_I8) {
        assert_int_equal((int32_t)got, (int64_t)exact);
      } else {
        assert_int_equal(got, sk__bits_from_f32(chain));
        assert_true(fabs((double)sk__f32_from_bits(got) - exact) <= size * p->k * 0x1p-24);
      }
    }
}

static void test_products_of_every_type_and_start(void **state) {
  (void)state;
  random_state = sk_test_seed("products");
  sk__machine *machine = plain_machine();
  product *p = calloc(1, sizeof *p);
  for (uint32_t round = 0; round < 150; round++) {
    p->type = (sk_mmad_type)(round % 5);
    p->m = round % 7 == 0 ? 1 : 1 + random_below(40);
    p->k = 1 + random_below(100);
    p->n = 1 + random_below(60);
    p->align = random_below(2);
    p->from_zero = round % 3 == 0;
    p->from_bias = round % 3 == 1;
    random_operands(p);
    run_aic(machine, product_kernel, p);
    expect_product(p);
  }
  assert_silent(machine);
  sk__machine_destroy(machine);
}

static void vector_core_kernel(sk__core *core, void *context) {
  (void)core, (void)context;
  asc_mmad((float *)0, (half *)0, (half *)0, 16, 16, 16, 0, false, false, true);
  asc_copy_l0c2gm((float *)0, (float *)0, 16, 16, 16, 16, 0, NoQuant, 0, false, true);
  asc_copy_l12l0a((half *)0, (half *)0, 0, 1, 1, 0);
}
static void test_nothing_on_a_vector_core(void **state) {
  (void)state;
  sk__machine *machine = small_machine();
  run_aiv(machine, vector_core_kernel, NULL);
  assert_silent(machine);
  sk__machine_destroy(machine);
}

/* A sum that passes 2^31 stays there, at the addition where it happens. */
static void test_integers_clamp_at_each_addition(void **state) {
  (void)state;
  sk__machine *machine = plain_machine();
  product *p = calloc(1, sizeof *p);
  *p = (product){.type = SK_MMAD_I8, .m = 2, .k = 3, .n = 2};
  const uint32_t a[6] = {100, 100, 0x9c, 1, 1, 1}, b[6] = {100, 1, 100, 1, 100, 1};
  memcpy(p->a, a, sizeof a);
  memcpy(p->b, b, sizeof b);
  const uint32_t c[4] = {0x7fffffff - 5000, 0x7fffffff - 5000, (uint32_t)INT32_MIN + 1, (uint32_t)INT32_MIN + 2};
  memcpy(p->c, c, sizeof c);
  p->a[3] = 0xff, p->a[4] = 0xff, p->a[5] = 0x01; /* second row: -1, -1, 1 */
  run_aic(machine, product_kernel, p);
  assert_int_equal((int32_t)p->out[0], INT32_MAX - 10000);     /* clamped, then 10000 less */
  assert_int_equal((int32_t)p->out[1], INT32_MAX - 4900);      /* +100, +100, -100 */
  assert_int_equal((int32_t)p->out[2], INT32_MIN + 100);       /* clamped twice, then +100 */
  assert_int_equal((int32_t)p->out[3], INT32_MIN + 1);         /* -1, -1, +1 */
  assert_silent(machine);
  sk__machine_destroy(machine);
}

/* HF32: 11 bits of mantissa. The value lies half way between two of them. */
static void hf32_kernel(sk__core *core, void *context) {
  uint32_t *out = context;
  uint8_t *l0a = local(core, SK__MEM_L0A), *l0b = local(core, SK__MEM_L0B), *l0c = local(core, SK__MEM_L0C);
  float *a = (float *)l0a, *b = (float *)l0b, *c = (float *)l0c;
  const uint32_t half_way[2] = {0x3f800800u, 0x3f801800u};
  for (uint32_t i = 0; i < 2; i++) {
    memcpy(a, &half_way[i], 4);
    b[0] = 1;
    for (uint32_t mode = 0; mode < 3; mode++) {
      if (mode < 2) {
        asc_enable_hf32();
        asc_enable_hf32_trans(mode);
      } else {
        asc_set_fp32_mode();
      }
      asc_mmad(c, a, b, 1, 1, 1, 0, false, false, true);
      memcpy(&out[3 * i + mode], c, 4);
    }
  }
}
static void test_hf32_rounds_operands(void **state) {
  (void)state;
  sk__machine *machine = plain_machine();
  uint32_t out[6];
  run_aic(machine, hf32_kernel, out);
  const uint32_t want[6] = {0x3f800000u, 0x3f800000u, 0x3f800800u, 0x3f802000u, 0x3f801000u, 0x3f801800u};
  assert_memory_equal(out, want, sizeof want);
  assert_silent(machine);
  sk__machine_destroy(machine);
}

/* ---- misuse ---------------------------------------------------------------------------------- */

static void misuse_kernel(sk__core *core, void *context) {
  uint32_t which = *(uint32_t *)context;
  float *c = (float *)local(core, SK__MEM_L0C);
  half *a = (half *)local(core, SK__MEM_L0A), *b = (half *)local(core, SK__MEM_L0B);
  switch (which) {
    case 0: asc_mmad(c, a, b, 4096, 16, 16, 0, false, false, true); break;
    case 1: asc_mmad(c, a, b, 256, 256, 16, 0, false, false, true); break; /* A: 128 KiB */
    case 2: asc_mmad(c + 16, a, b, 16, 16, 16, 0, false, false, true); break;
    case 3: asc_mmad(c, a + 8, b, 16, 16, 16, 0, false, false, true); break;
    case 4: asc_mmad(c, a, b, 16, 16, 16, 1, false, false, true); break;
    case 5: asc_mmad(c, a, b, 16, 16, 16, 1, 0, 0, false, false, false, true); break;
    case 6: asc_mmad(c, a, b, 16, 16, 272, 0, false, true, false); break; /* bias: 1088 bytes */
    case 7: asc_mmad(c, a, b, 16, 16, 16, 3, false, false, true), asc_mmad(c, a, b, 16, 16, 16, 3, false, false, false); break;
    default: asc_mmad(c, a, b, 0, 16, 16, 0, false, false, true); break;
  }
}
static void test_misuse_is_found(void **state) {
  (void)state;
  const char *const ids[] = {"BAD_ARGUMENT", "LOCAL_OUT_OF_BOUNDS", "LOCAL_MISALIGNED", "LOCAL_MISALIGNED", "BAD_ARGUMENT",
                             "NOT_MODELLED", "LOCAL_OUT_OF_BOUNDS", "NOT_MODELLED"};
  for (uint32_t i = 0; i < 9; i++) {
    sk__machine *machine = plain_machine();
    run_aic(machine, misuse_kernel, &i);
    if (i < 8)
      assert_only(machine, ids[i]);
    else
      assert_silent(machine);
    sk__machine_destroy(machine);
  }
}

/* ---- a whole product with checks on: flags between the pipes ---------------------------------- */

typedef struct whole {
  half *a, *b;
  float *c;
  bool fix_waits, load_waits, by_unit_flag;
} whole;
enum { M = 20, K = 40, N = 33 };
static void whole_kernel(sk__core *core, void *context) {
  const whole *w = context;
  (void)core;
  half *l1a = (half *)0, *l1b = (half *)(uintptr_t)65536, *l0a = (half *)0, *l0b = (half *)0;
  float *l0c = (float *)0;
  asc_copy_gm2l1_nd2nz(l1a, w->a, 1, M, K, 0, K, 32, 1, 0);
  asc_copy_gm2l1_nd2nz(l1b, w->b, 1, K, N, 0, N, 48, 1, 0);
  if (w->load_waits) {
    asc_sync_notify(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
    asc_sync_wait(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  }
  for (uint16_t m1 = 0; m1 < 2; m1++) asc_copy_l12l0a(l0a + m1 * 3 * 256, l1a, m1, 3, 2, 0);
  for (uint16_t k1 = 0; k1 < 3; k1++) asc_copy_l12l0b_trans(l0b + k1 * 3 * 256, l1b, k1, 3, 3, 0, false, 0);
  asc_sync_notify(PIPE_MTE1, PIPE_M, EVENT_ID0);
  asc_sync_wait(PIPE_MTE1, PIPE_M, EVENT_ID0);
  asc_mmad(l0c, l0a, l0b, M, K, N, w->by_unit_flag ? 3 : 0, false, false, true);
  if (w->fix_waits) {
    asc_sync_notify(PIPE_M, PIPE_FIX, EVENT_ID0);
    asc_sync_wait(PIPE_M, PIPE_FIX, EVENT_ID0);
  }
  asc_copy_l0c2gm(w->c, l0c, N, M, N, 32, w->by_unit_flag ? 3 : 0, NoQuant, 0, false, true);
}
static void expect_whole(bool load_waits, bool fix_waits, bool by_unit_flag, const char *id) {
  sk__machine *machine = small_machine();
  uint16_t a[M * K], b[K * N];
  for (uint32_t i = 0; i < M * K; i++) a[i] = sk__f16_from_f32((float)(i % 13) - 6, SK__ROUND_RINT, SK__FLOAT_INF_NAN);
  for (uint32_t i = 0; i < K * N; i++) b[i] = sk__f16_from_f32((float)(i % 11) - 5, SK__ROUND_RINT, SK__FLOAT_INF_NAN);
  whole w = {gm(machine, sizeof a, a), gm(machine, sizeof b, b), gm(machine, M * N * 4, NULL), fix_waits, load_waits, by_unit_flag};
  run_aic(machine, whole_kernel, &w);
  if (id != NULL)
    assert_found(machine, id);
  else
    assert_silent(machine);
  float c[M * N];
  gm_read(machine, c, w.c, sizeof c);
  for (uint32_t m = 0; m < M; m++)
    for (uint32_t n = 0; n < N; n++) {
      float want = 0;
      for (uint32_t k = 0; k < K; k++) want += ((float)((m * K + k) % 13) - 6) * ((float)((k * N + n) % 11) - 5);
      assert_true(c[m * N + n] == want);
    }
  sk__machine_destroy(machine);
}
static void test_whole_product_is_silent_and_right(void **state) { (void)state; expect_whole(true, true, false, NULL); }
static void test_unit_flag_orders_fixpipe(void **state) { (void)state; expect_whole(true, false, true, NULL); }
static void test_missing_flag_before_l0_load(void **state) { (void)state; expect_whole(false, true, false, "SYNC_LOCAL"); }
static void test_missing_flag_before_fixpipe(void **state) { (void)state; expect_whole(true, false, false, "SYNC_LOCAL"); }

SK_TESTS(SK_TEST(test_misuse_is_found), SK_TEST(test_nothing_on_a_vector_core), SK_TEST(test_products_of_every_type_and_start),
         SK_TEST(test_integers_clamp_at_each_addition), SK_TEST(test_hf32_rounds_operands),
         SK_TEST(test_whole_product_is_silent_and_right), SK_TEST(test_unit_flag_orders_fixpipe),
         SK_TEST(test_missing_flag_before_l0_load), SK_TEST(test_missing_flag_before_fixpipe))
