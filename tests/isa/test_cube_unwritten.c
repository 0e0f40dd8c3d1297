/* Bytes that nobody has written, on their way through the cube: told where Fixpipe stores what is made of them, and nowhere
 * else. Random products leave one place of L1 unwritten, and a model asks element by element whether a stored result takes it. */
#include "cube_fixture.h"

enum { SIDE = 64, L1_B = 64 << 10, L1_BIAS = 128 << 10, L1_END = 256 << 10 };

typedef struct product {
  uint32_t bytes, m, k, n;           /* bytes: of an element */
  uint32_t stored_rows, stored_columns;
  bool turned;                       /* A stands turned in L1 */
  bool bias;
  uint32_t hole, hole_bytes;         /* of L1 */
  uint32_t what;                     /* of a kernel that does several things */
  uint8_t *gm;
} product;

static void then(sk__core *core, sk__pipe from, sk__pipe to) {
  sk__set_flag(core, from, to, 0);
  sk__wait_flag(core, from, to, 0);
}

/* L1 is written, but for the hole. */
static void write_l1(sk__core *core, const product *p) {
  uint8_t *l1 = local(core, SK__MEM_L1);
  uint32_t end = p->hole + p->hole_bytes;
  if (p->hole != 0) sk__local_access(core, SK__PIPE_MTE2, SK__WRITE, l1, p->hole);
  sk__local_access(core, SK__PIPE_MTE2, SK__WRITE, l1 + end, L1_END - end);
  then(core, SK__PIPE_MTE2, SK__PIPE_MTE1);
}

static void load(sk__core *core, const product *p) {
  void *l1 = local(core, SK__MEM_L1), *a = local(core, SK__MEM_L0A), *b = local(core, SK__MEM_L0B);
  uint8_t fractals = (uint8_t)(SIDE / 16 * (SIDE * p->bytes / 32));
  if (p->turned) asc_copy_l12l0a_trans((half *)a, (half *)l1, 0, fractals, 1, 0, false, 0);
  else asc_copy_l12l0a((half *)a, (half *)l1, 0, fractals, 1, 0);
  asc_copy_l12l0b((half *)b, (half *)((uint8_t *)l1 + L1_B), 0, fractals, 1, 0);
  if (p->bias) asc_copy_l12bt(0, (uint8_t *)l1 + L1_BIAS, 0, SIDE * 4);
  then(core, SK__PIPE_MTE1, SK__PIPE_M);
}

static void multiply(sk__core *core, const product *p, bool from_zero) {
  void *a = local(core, SK__MEM_L0A), *b = local(core, SK__MEM_L0B), *c = local(core, SK__MEM_L0C);
  uint16_t m = (uint16_t)p->m, k = (uint16_t)p->k, n = (uint16_t)p->n;
  if (p->bytes == 1) asc_mmad((int32_t *)c, (int8_t *)a, (int8_t *)b, m, k, n, 0, false, p->bias, from_zero);
  if (p->bytes == 2) asc_mmad((float *)c, (half *)a, (half *)b, m, k, n, 0, false, p->bias, from_zero);
  if (p->bytes == 4) asc_mmad((float *)c, (float *)a, (float *)b, m, k, n, 0, false, p->bias, from_zero);
}

static void store(sk__core *core, const product *p) {
  then(core, SK__PIPE_M, SK__PIPE_FIX);
  asc_copy_l0c2gm((float *)p->gm, (float *)local(core, SK__MEM_L0C), (uint16_t)p->stored_columns, (uint16_t)p->stored_rows, SIDE,
                  (uint16_t)((p->m + 15) / 16 * 16), 0, 0, 0, false, true);
}

static void product_kernel(sk__core *core, void *context) {
  const product *p = context;
  write_l1(core, p);
  load(core, p);
  multiply(core, p, !p->bias);
  store(core, p);
}

static sk__machine *run_product(half_fn kernel, product *p) {
  sk__machine *machine = small_machine();
  p->gm = gm(machine, SIDE * SIDE * 4, NULL);
  run_aic(machine, kernel, p);
  return machine;
}
static void assert_told(half_fn kernel, product *p, bool told) {
  sk__machine *machine = run_product(kernel, p);
  if (told) assert_only(machine, "UNINITIALISED_READ");
  else assert_silent(machine);
  sk__machine_destroy(machine);
}

/* ---- against the model ------------------------------------------------------------------------- */

static bool in_hole(const product *p, uint32_t at, uint32_t bytes) { return at + bytes > p->hole && at < p->hole + p->hole_bytes; }

/* A as fractals of rows, B as fractals of columns; lines of fractals as long as K and N ask for. A of one row is one line. */
static bool takes_hole(const product *p) {
  uint32_t c0 = 32 / p->bytes, k_fractals = (p->k + c0 - 1) / c0, n_fractals = (p->n + 15) / 16;
  for (uint32_t k = 0; k < p->k; k++) {
    for (uint32_t m = 0; m < p->stored_rows; m++) {
      uint32_t fractal = m / 16 * k_fractals + k / c0, in_row = m % 16 * c0 + k % c0, turned = k % c0 * 16 + m % 16;
      uint32_t at = fractal * 512 + (p->turned ? turned : in_row) * p->bytes;
      if (in_hole(p, p->m == 1 ? k * p->bytes : at, p->bytes)) return true;
    }
    for (uint32_t n = 0; n < p->stored_columns; n++)
      if (in_hole(p, L1_B + (k / c0 * n_fractals + n / 16) * 512 + (n % 16 * c0 + k % c0) * p->bytes, p->bytes)) return true;
  }
  return p->bias && in_hole(p, L1_BIAS, p->stored_columns * 4);
}

static void test_told_exactly_where_a_stored_result_takes_them(void **state) {
  (void)state;
  random_state = sk_test_seed("unwritten");
  uint32_t told = 0, rounds = 600;
  for (uint32_t round = 0; round < rounds; round++) {
    product p = {.bytes = 1u << round % 3, .m = 1 + random_below(SIDE), .k = 1 + random_below(SIDE), .n = 1 + random_below(SIDE)};
    p.turned = p.bytes == 2 && p.m > 1 && random_below(2) == 1;
    p.bias = random_below(3) == 0;
    p.stored_rows = 1 + random_below(p.m);
    p.stored_columns = 1 + random_below(p.n);
    bool at_bias = p.bias && random_below(2) == 1;
    p.hole = at_bias ? L1_BIAS + random_below(SIDE * 4) : (random_below(2) == 1 ? L1_B : 0) + random_below(SIDE * SIDE * p.bytes);
    p.hole_bytes = 1 + random_below(random_below(3) == 0 ? 1024 : 64);
    bool takes = takes_hole(&p);
    assert_told(product_kernel, &p, takes);
    told += takes;
  }
  assert_in_range(told, rounds / 10, rounds * 9 / 10);
}

/* ---- more than one instruction ------------------------------------------------------------------- */

static product small_product(void) {
  return (product){.bytes = 2, .m = 32, .k = 32, .n = 32, .stored_rows = 32, .stored_columns = 32, .hole_bytes = 32};
}

static void test_both_ends_are_named(void **state) {
  (void)state;
  product p = small_product();
  p.hole = L1_B + 96;
  p.hole_bytes = 300; /* beyond a chunk's end */
  sk__machine *machine = run_product(product_kernel, &p);
  const sk__finding *f = finding_of(machine, "UNINITIALISED_READ");
  assert_non_null(f);
  assert_int_equal(f->severity, SK__WARNING);
  assert_int_equal(f->end_count, 3);
  assert_string_equal(f->ends[0].instr, "asc_copy_l12l0b");
  assert_int_equal(f->ends[0].mem, SK__MEM_L1);
  assert_int_equal(f->ends[0].bytes, 300);
  assert_string_equal(f->ends[1].instr, "asc_mmad");
  assert_string_equal(f->ends[2].instr, "asc_copy_l0c2gm");
  assert_non_null(strstr(f->message, "L1 bytes 0x10060..0x1018b"));
  sk__machine_destroy(machine);
}

/* What another product adds to stays; what it replaces does not, nor what other data has overwritten. */
static void again_kernel(sk__core *core, void *context) {
  const product *p = context;
  product whole = *p;
  write_l1(core, p);
  load(core, p);
  if (p->what < 2) multiply(core, p, true);
  then(core, SK__PIPE_M, SK__PIPE_MTE1);
  then(core, SK__PIPE_MTE1, SK__PIPE_MTE2);
  whole.hole = L1_END - 32; /* the same L1, now written */
  write_l1(core, &whole);
  asc_fill_value_config zeros = {.repeat = 1, .blk_num = 16};
  if (p->what == 3) asc_fill_l0a((uint32_t *)local(core, SK__MEM_L0A), 0u, zeros);
  else load(core, &whole);
  then(core, SK__PIPE_MTE1, SK__PIPE_M);
  asc_sync_pipe(PIPE_M);
  multiply(core, p, p->what != 0);
  store(core, p);
}
static void test_added_to_and_replaced(void **state) {
  (void)state;
  const bool told[] = {true, false, false, false};
  for (uint32_t what = 0; what < 4; what++) {
    product p = small_product();
    p.what = what;
    assert_told(again_kernel, &p, told[what]);
  }
}

/* To L1 padding goes along: told is only a result of which nothing can count. */
static void to_l1_kernel(sk__core *core, void *context) {
  const product *p = context;
  write_l1(core, p);
  load(core, p);
  multiply(core, p, true);
  then(core, SK__PIPE_M, SK__PIPE_FIX);
  asc_copy_l0c2l1((half *)(local(core, SK__MEM_L1) + L1_END), (float *)local(core, SK__MEM_L0C), 32, 32, 32, 32, 0, F322F16, 0, false, false);
}
static void test_results_to_l1(void **state) {
  (void)state;
  product p = small_product();
  p.hole_bytes = 16 * 512; /* all of A */
  assert_told(to_l1_kernel, &p, true);
  p.hole = 1024; /* its second row of fractals */
  assert_told(to_l1_kernel, &p, false);
}

static void refused_kernel(sk__core *core, void *context) {
  const product *p = context;
  asc_mmad((float *)local(core, SK__MEM_L0C), (half *)local(core, SK__MEM_L0A), (half *)local(core, SK__MEM_L0B), 4096, 16, 16, 0, false, false, true);
  product_kernel(core, (void *)(uintptr_t)p);
}
static void test_what_a_refused_instruction_should_have_written(void **state) {
  (void)state;
  product p = small_product();
  sk__machine *machine = run_product(refused_kernel, &p);
  assert_only(machine, "BAD_ARGUMENT");
  sk__machine_destroy(machine);
}

/* ---- images ------------------------------------------------------------------------------------- */

/* Two channels of 4 x 4 elements as a matrix of 16 rows. */
static void image_kernel(sk__core *core, void *context) {
  const product *p = context;
  asc_l13d_fmatrix_config f = {.l1_h_size = 4, .l1_w_size = 4};
  write_l1(core, p);
  asc_set_l13d_fmatrix(f);
  half *a = (half *)local(core, SK__MEM_L0A);
  asc_copy_l12l0a(a, (half *)local(core, SK__MEM_L1), 32, 16, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 32);
  asc_copy_l12l0b((half *)local(core, SK__MEM_L0B), (half *)(local(core, SK__MEM_L1) + L1_B), 0, 2, 1, 0);
  then(core, SK__PIPE_MTE1, SK__PIPE_M);
  multiply(core, p, true);
  store(core, p);
}
static void test_images(void **state) {
  (void)state;
  product p = {.bytes = 2, .m = 16, .k = 32, .n = 16, .stored_rows = 16, .stored_columns = 16, .hole_bytes = 32};
  p.hole = (16 + 5) * 32; /* of the second channel group position 5: row 5, columns 16..31 */
  assert_told(image_kernel, &p, true);
  p.stored_rows = 5;
  assert_told(image_kernel, &p, false);
  p.stored_rows = 16;
  p.k = 16;
  assert_told(image_kernel, &p, false);
}

SK_TESTS(SK_TEST(test_told_exactly_where_a_stored_result_takes_them), SK_TEST(test_both_ends_are_named), SK_TEST(test_added_to_and_replaced),
         SK_TEST(test_results_to_l1), SK_TEST(test_what_a_refused_instruction_should_have_written), SK_TEST(test_images))
