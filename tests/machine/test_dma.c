/* test_dma.c - bursts of the movers: copies of every length and alignment, races, atomics. */
#include <math.h>

#include "machine/copy.h"
#include "memory_fixture.h"

static uint8_t *ub(void) { return (uint8_t *)sk__local_slot(AIV0); }
static uint64_t next_random(uint64_t *seed) {
  *seed ^= *seed << 13, *seed ^= *seed >> 7, *seed ^= *seed << 17;
  return *seed;
}

static void copies_agree(const char *name, sk__copy_fn copy) {
  enum { BYTES = 20000 };
  uint64_t seed = sk_test_seed("copies") | 1;
  uint8_t *from = malloc(BYTES), *plain = malloc(BYTES), *to = malloc(BYTES);
  for (uint32_t i = 0; i < BYTES; i++) from[i] = (uint8_t)next_random(&seed);
  for (uint32_t round = 0; round < 3000; round++) {
    uint64_t bytes = next_random(&seed) % (UINT64_C(1) << (next_random(&seed) % 15));
    uint64_t in = next_random(&seed) % (BYTES - bytes), out = next_random(&seed) % (BYTES - bytes);
    memset(plain, 1, BYTES);
    memset(to, 1, BYTES);
    memcpy(plain + out, from + in, bytes);
    copy(to + out, from + in, bytes);
    if (memcmp(plain, to, BYTES) != 0) fail_msg("%s: %llu bytes from %llu to %llu", name, (unsigned long long)bytes, (unsigned long long)in, (unsigned long long)out);
  }
  free(from);
  free(plain);
  free(to);
}
static void test_near_copies_equal_memcpy(void **state) {
  (void)state;
  for (const sk__copy_kind *kind = sk__copy_kinds; kind->name != NULL; kind++)
    if (kind->runs_here()) copies_agree(kind->name, kind->near);
}
static void test_stream_copies_equal_memcpy(void **state) {
  (void)state;
  for (const sk__copy_kind *kind = sk__copy_kinds; kind->name != NULL; kind++)
    if (kind->runs_here()) copies_agree(kind->name, kind->stream);
}

static void test_zero_bytes_move_nothing(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  on(f, AIV0);
  assert_true(mover_in(ub(), (void *)1, 0, site(1)));
  assert_true(mover_out((void *)1, ub(), 0, site(1)));
  assert_silent(f);
  fixture_free(f);
}

static void test_two_cores_store_without_order(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc(f, 4096, "a");
  on(f, AIV0);
  assert_true(mover_out(a, ub(), 1024, site(1)));
  on(f, AIV0 + 1);
  assert_true(mover_out(a + 512, ub(), 1024, site(2)));
  assert_non_null(finding(f, "SYNC_GM"));
  fixture_free(f);
}

static void test_two_cores_store_in_order(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc(f, 4096, "a");
  on(f, AIV0);
  assert_true(mover_out(a, ub(), 1024, site(1)));
  meet(f);
  on(f, AIV0 + 1);
  assert_true(mover_out(a + 512, ub(), 1024, site(2)));
  assert_silent(f);
  fixture_free(f);
}

/* ---- atomics: golden values by hand or in double --------------------------------------------- */

enum { F = 1, H = 2, I16 = 3, I32 = 4, I8 = 5, BF = 6, ADD = 0, MAX = 1, MIN = 2 };

static void atomic_out(fixture *f, uint32_t type, uint32_t op, void *to, const void *from, uint64_t bytes) {
  sk__core *core = on(f, AIV0);
  core->atomic_type = type;
  core->atomic_op = op;
  assert_true(mover_out(to, from, bytes, site(1)));
  core->atomic_type = 0;
}

static void test_float_atomics(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  static const float memory[6] = {1.5f, -0.0f, 0.0f, 3.0f, NAN, INFINITY}, data[6] = {2.25f, 0.0f, -0.0f, NAN, 1.0f, 7.0f};
  float *a = alloc(f, sizeof memory, "a");
  for (uint32_t op = ADD; op <= MIN; op++) {
    assert_int_equal(sk__gm_host_write(&f->machine, (uint64_t)a, memory, sizeof memory), SK_OK);
    atomic_out(f, F, op, a, data, sizeof data);
    assert_true(isnan(a[3]) && isnan(a[4]));
    if (op == ADD) {
      assert_true(a[0] == 3.75f && isinf(a[5]));
    } else {
      assert_true(a[0] == (op == MAX ? 2.25f : 1.5f) && a[5] == (op == MAX ? INFINITY : 7.0f));
      assert_int_equal(signbit(a[1]) != 0, op == MIN);
      assert_int_equal(signbit(a[2]) != 0, op == MIN);
    }
  }
  assert_silent(f);
  fixture_free(f);
}

static double half_value(uint16_t h) { /* by the definition of the format */
  int e = h >> 10 & 31, m = h & 1023;
  double v = e == 0 ? ldexp(m, -24) : e == 31 ? (m != 0 ? (double)NAN : (double)INFINITY) : ldexp(1024 + m, e - 25);
  return (h & 0x8000) != 0 ? -v : v;
}

static void test_half_add_rounds_once(void **state) {
  (void)state;
  fixture *f = fixture_new(false);
  uint64_t seed = sk_test_seed("half atomics") | 1;
  enum { N = 4096 };
  uint16_t memory[N], data[N], *a = alloc(f, sizeof memory, "a");
  for (uint32_t i = 0; i < N; i++) {
    memory[i] = (uint16_t)(next_random(&seed) % 0x7800 | (next_random(&seed) & 0x8000)); /* below half of MAX */
    data[i] = (uint16_t)(next_random(&seed) % 0x7800 | (next_random(&seed) & 0x8000));
  }
  assert_int_equal(sk__gm_host_write(&f->machine, (uint64_t)a, memory, sizeof memory), SK_OK);
  atomic_out(f, H, ADD, a, data, sizeof data);
  for (uint32_t i = 0; i < N; i++) { /* the exact sum lies within half a unit of the result, ties on even */
    double exact = half_value(memory[i]) + half_value(data[i]), got = half_value(a[i]);
    double up = half_value((uint16_t)(a[i] + 1)), down = half_value((uint16_t)(a[i] - 1));
    if (got != 0) assert_true(fabs(exact - got) <= fabs(exact - up) && fabs(exact - got) <= fabs(exact - down));
    else assert_true(exact == 0);
    if (fabs(exact - got) == fabs(exact - up) || fabs(exact - got) == fabs(exact - down)) assert_int_equal(a[i] & 1, 0);
  }
  fixture_free(f);
}

static void test_half_and_bfloat_limits(void **state) {
  (void)state;
  fixture *f = fixture_new(false);
  uint16_t *a = alloc(f, 64, "a");
  const uint16_t max_half[2] = {0x7bff, 0x7e00}, max_bf[2] = {0x7f7f, 0x7fc0};
  assert_int_equal(sk__gm_host_write(&f->machine, (uint64_t)a, max_half, 4), SK_OK);
  atomic_out(f, H, ADD, a, max_half, 4);
  assert_int_equal(a[0], 0x7c00);
  assert_int_equal(a[1], 0x7e00);
  assert_int_equal(sk__gm_host_write(&f->machine, (uint64_t)a, max_bf, 4), SK_OK);
  atomic_out(f, BF, ADD, a, max_bf, 4);
  assert_int_equal(a[0], 0x7f80);
  f->cores[AIV0].ctrl = 0; /* saturate */
  assert_int_equal(sk__gm_host_write(&f->machine, (uint64_t)a, max_half, 4), SK_OK);
  atomic_out(f, H, ADD, a, max_half, 4);
  assert_int_equal(a[0], 0x7bff);
  assert_int_equal(a[1], 0);
  const uint16_t one_and_half = 0x3fc0, small = 0x3b80; /* bfloat 1.5 and 2^-8: 1.50390625 needs 9 bits, tie to even */
  assert_int_equal(sk__gm_host_write(&f->machine, (uint64_t)a, &one_and_half, 2), SK_OK);
  atomic_out(f, BF, ADD, a, &small, 2);
  assert_int_equal(a[0], 0x3fc0);
  atomic_out(f, BF, MAX, a, &small, 2);
  assert_int_equal(a[0], 0x3fc0);
  atomic_out(f, BF, MIN, a, &small, 2);
  assert_int_equal(a[0], 0x3b80);
  fixture_free(f);
}

static void test_integer_atomics(void **state) {
  (void)state;
  fixture *f = fixture_new(false);
  void *a = alloc(f, 64, "a");
  const int8_t b8[2] = {127, -128}, d8[2] = {1, -1};
  const int16_t b16[2] = {32767, -5}, d16[2] = {1, 3};
  const int32_t b32[2] = {INT32_MAX, -7}, d32[2] = {1, -9};
  int8_t r8[2];
  int16_t r16[2];
  int32_t r32[2];
#define CHECK(type, base, data, result, op, first, second)                                             \
  assert_int_equal(sk__gm_host_write(&f->machine, (uint64_t)a, base, sizeof base), SK_OK);             \
  atomic_out(f, type, op, a, data, sizeof data);                                                       \
  memcpy(result, a, sizeof result);                                                                    \
  assert_int_equal(result[0], first);                                                                  \
  assert_int_equal(result[1], second);
  CHECK(I8, b8, d8, r8, ADD, -128, 127)
  CHECK(I8, b8, d8, r8, MAX, 127, -1)
  CHECK(I8, b8, d8, r8, MIN, 1, -128)
  CHECK(I16, b16, d16, r16, ADD, -32768, -2)
  CHECK(I16, b16, d16, r16, MAX, 32767, 3)
  CHECK(I32, b32, d32, r32, ADD, INT32_MIN, -16)
  CHECK(I32, b32, d32, r32, MIN, 1, -9)
  f->cores[AIV0].ctrl |= UINT64_C(1) << 53; /* clamp */
  CHECK(I8, b8, d8, r8, ADD, 127, -128)
  CHECK(I32, b32, d32, r32, ADD, INT32_MAX, -16)
#undef CHECK
  fixture_free(f);
}

static void test_half_an_element_is_refused(void **state) {
  (void)state;
  fixture *f = fixture_new(false);
  uint8_t *a = alloc_filled(f, 64, "a");
  sk__core *core = on(f, AIV0);
  core->atomic_type = F;
  assert_false(mover_out(a, ub(), 6, site(1)));
  assert_found(f, "BAD_ARGUMENT", "4-byte element");
  core->atomic_op = 3;
  assert_false(mover_out(a, ub(), 8, site(2)));
  assert_non_null(finding(f, "NOT_MODELLED"));
  for (uint32_t i = 0; i < 64; i++) assert_int_equal(a[i], i);
  fixture_free(f);
}

/* Atomics of two cores need no order between them; a plain store beside them does. */
static void test_atomics_of_two_cores_are_no_race(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  float *a = alloc(f, 256, "a"), ones[64];
  for (uint32_t i = 0; i < 64; i++) ones[i] = 1;
  assert_int_equal(sk__gm_host_set(&f->machine, (uint64_t)a, 0, 256), SK_OK);
  for (uint32_t core = AIV0; core < CORES; core++) {
    on(f, core)->atomic_type = F;
    assert_true(mover_out(a, ones, 256, site(core)));
  }
  for (uint32_t i = 0; i < 64; i++) assert_true(a[i] == 4);
  assert_silent(f);
  on(f, AIV0)->atomic_type = 0;
  assert_true(mover_out(a, ones, 256, site(50)));
  assert_non_null(finding(f, "SYNC_GM"));
  fixture_free(f);
}

SK_TESTS(SK_TEST(test_near_copies_equal_memcpy), SK_TEST(test_stream_copies_equal_memcpy), SK_TEST(test_zero_bytes_move_nothing),
         SK_TEST(test_two_cores_store_without_order), SK_TEST(test_two_cores_store_in_order), SK_TEST(test_float_atomics),
         SK_TEST(test_half_add_rounds_once), SK_TEST(test_half_and_bfloat_limits), SK_TEST(test_integer_atomics),
         SK_TEST(test_half_an_element_is_refused), SK_TEST(test_atomics_of_two_cores_are_no_race))
