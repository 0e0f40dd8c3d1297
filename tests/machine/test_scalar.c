/* test_scalar.c - plain accesses through the hooks: shadow, bounds of local memory, hit path. */
#include "memory_fixture.h"

enum { A = AIV0, B = AIV0 + 1 };

static void test_host_code_is_ignored(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc(f, 64, "a");
  sk__self = NULL;
  (void)load32(a + 4096, site(1));
  store32(a, 1, site(1));
  assert_silent(f);
  fixture_free(f);
}

static void test_stack_is_ignored(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint32_t local = 0;
  on(f, A);
  store32(&local, 5, site(1));
  assert_int_equal(load32(&local, site(1)), 5);
  assert_silent(f);
  fixture_free(f);
}

static void test_load_of_never_written_bytes(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc(f, 64, "a");
  on(f, A);
  store32(a, 1, site(1));
  (void)load32(a, site(2));
  assert_silent(f);
  (void)load32(a + 4, site(2));
  assert_non_null(finding(f, "UNINITIALISED_READ"));
  fixture_free(f);
}

static void test_every_byte_of_a_line_is_judged(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc_filled(f, 64, "a"), *ub = (uint8_t *)sk__local_slot(B);
  on(f, A);
  for (uint32_t i = 0; i < 60; i += 4) (void)load32(a + i, site(1));
  sk__scalar_settle(&f->cores[A]);
  on(f, B);
  assert_true(mover_out(a + 60, ub, 4, site(2))); /* not read by A */
  assert_silent(f);
  assert_true(mover_out(a + 56, ub, 4, site(3))); /* read last */
  assert_non_null(finding(f, "SYNC_GM"));
  fixture_free(f);
}

/* The reads are handed in late, after the other core's store, and still conflict with it. */
static void test_late_reads_conflict(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc_filled(f, 64, "a"), *ub = (uint8_t *)sk__local_slot(B);
  on(f, A);
  for (uint32_t i = 0; i < 60; i += 4) (void)load32(a + i, site(1));
  on(f, B);
  assert_true(mover_out(a + 60, ub, 4, site(2)));
  sk__scalar_settle(&f->cores[A]);
  assert_silent(f);
  on(f, A);
  for (uint32_t i = 0; i < 60; i += 4) (void)load32(a + i, site(1));
  sk__enter(SK__PIPE_V, "an instruction", site(4));
  for (uint32_t i = 0; i < 60; i += 4) (void)load32(a + i, site(1));
  on(f, B);
  assert_true(mover_out(a + 40, ub, 4, site(3)));
  on(f, A);
  sk__enter(SK__PIPE_V, "an instruction", site(4));
  assert_non_null(finding(f, "SYNC_GM"));
  assert_true(has_site(finding(f, "SYNC_GM"), site(1)));
  assert_true(has_site(finding(f, "SYNC_GM"), site(3)));
  fixture_free(f);
}

/* Reads that come after an own store of the same bytes are not reads of uninitialised memory; the other
 * way round they are. */
static void test_late_reads_and_writes_keep_their_order(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *ub = (uint8_t *)sk__local_slot(A);
  on(f, A);
  for (uint32_t i = 0; i < 64; i += 4) {
    store32(ub + i, i, site(1));
    (void)load32(ub + i, site(2));
  }
  sk__enter(SK__PIPE_V, "an instruction", site(3));
  assert_silent(f);
  for (uint32_t i = 64; i < 128; i += 4) {
    (void)load32(ub + i, site(2));
    store32(ub + i, i, site(1));
  }
  sk__enter(SK__PIPE_V, "an instruction", site(3));
  assert_int_equal(finding_count(f), 1);
  assert_true(has_site(sk__findings(f->machine.checker, &(size_t){0}), site(2)));
  fixture_free(f);
}

/* A loop over two arrays and two places: every word's first reader is named rightly. */
static void test_sites_stay_apart(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc(f, 64, "a");
  on(f, A);
  sk_hook_write(a, 32, site(1));
  for (uint32_t i = 0; i < 32; i += 4) (void)load32(a + i, site(2));
  (void)load32(a + 40, site(3)); /* never written */
  (void)load32(a + 4, site(2));
  sk__enter(SK__PIPE_V, "an instruction", site(4));
  assert_int_equal(finding_count(f), 1);
  const sk__finding *found = finding(f, "UNINITIALISED_READ");
  assert_non_null(found);
  assert_true(has_site(found, site(3)));
  assert_int_equal(found->ends[0].address, (uint64_t)a + 40);
  fixture_free(f);
}

static uint64_t next_random(uint64_t *seed) {
  *seed ^= *seed << 13, *seed ^= *seed >> 7, *seed ^= *seed << 17;
  return *seed;
}

/* Random plain accesses with instructions strewn in: exactly the reads of never written bytes are found. */
static void test_random_uninitialised_reads(void **state) {
  (void)state;
  uint64_t seed = sk_test_seed("random uninitialised reads") | 1;
  for (uint32_t round = 0; round < 300; round++) {
    fixture *f = fixture_new(true);
    uint8_t *a = alloc(f, 256, "a"), *ub = (uint8_t *)sk__local_slot(A), written[2][256] = {{0}};
    bool expected = false;
    on(f, A);
    for (uint32_t step = 0; step < 60; step++) {
      uint32_t where = (uint32_t)(next_random(&seed) % 2), bytes = 1u << next_random(&seed) % 4;
      uint32_t at = (uint32_t)(next_random(&seed) % 256) & ~(bytes - 1), from = (uint32_t)(next_random(&seed) % 3);
      uint8_t *address = (where != 0 ? ub : a) + at;
      uint64_t kind = next_random(&seed) % 8;
      bool fresh = memchr(written[where] + at, 0, bytes) != NULL;
      if (kind == 0) {
        sk__enter(SK__PIPE_V, "an instruction", site(4));
      } else if (kind < 5 || (fresh && next_random(&seed) % 64 != 0)) {
        sk_hook_write(address, bytes, site(from));
        memset(written[where] + at, 1, bytes);
      } else {
        sk_hook_read(address, bytes, site(from));
        expected |= fresh;
      }
    }
    dcci_all();
    assert_int_equal(finding_count(f) != 0, expected);
    fixture_free(f);
  }
}

/* The same bytes again after an instruction: the skip of the hit path must not hide the conflict. */
/* The pipe waits for what the scalar unit has stored. */
static void wait_for_stores(sk__core *core, sk__pipe pipe) {
  sk__event_clock event;
  sk__order_set_flag(&core->order, SK__PIPE_S, &event);
  sk__order_wait_flag(&core->order, pipe, &event);
}

static void test_load_after_unwaited_mover(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc_filled(f, 64, "a"), *ub = (uint8_t *)sk__local_slot(A);
  on(f, A);
  store32(ub, 1, site(1));
  (void)load32(ub, site(1));
  sk__core *core = sk__enter(SK__PIPE_MTE2, "copy_gm2ub", site(2));
  wait_for_stores(core, SK__PIPE_MTE2);
  sk__local_access(core, SK__PIPE_MTE2, SK__WRITE, ub, 64);
  assert_true(sk__gm_load(core, SK__PIPE_MTE2, ub, (uint64_t)a, 64));
  assert_silent(f);
  (void)load32(ub, site(3));
  assert_non_null(finding(f, "SYNC_LOCAL"));
  assert_true(has_site(finding(f, "SYNC_LOCAL"), site(3)));
  fixture_free(f);
}

static void test_load_after_waited_mover(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc_filled(f, 64, "a"), *ub = (uint8_t *)sk__local_slot(A);
  on(f, A);
  store32(ub, 1, site(1));
  sk__core *core = sk__enter(SK__PIPE_MTE2, "copy_gm2ub", site(2));
  wait_for_stores(core, SK__PIPE_MTE2);
  sk__local_access(core, SK__PIPE_MTE2, SK__WRITE, ub, 64);
  assert_true(sk__gm_load(core, SK__PIPE_MTE2, ub, (uint64_t)a, 64));
  sk__event_clock event;
  sk__order_set_flag(&core->order, SK__PIPE_MTE2, &event);
  sk__order_wait_flag(&core->order, SK__PIPE_S, &event);
  (void)sk__enter(SK__PIPE_S, "wait_flag", site(4));
  assert_int_equal(load32(ub, site(3)), 0x03020100);
  assert_silent(f);
  fixture_free(f);
}

/* No instruction stands between the sub-kernels: what the first stored is not the second's. */
static void test_next_sub_kernel_finds_ub_uninitialised(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *ub = (uint8_t *)sk__local_slot(A);
  sk__core *core = on(f, A);
  core->view = (sk__view){.kernel = "first", .task = 0};
  store32(ub, 1, site(1));
  (void)load32(ub, site(1));
  assert_silent(f);
  core->view = (sk__view){.kernel = "second", .task = 1};
  sk__order_begin_sub(&core->order);
  (void)load32(ub, site(2));
  assert_int_equal(finding_count(f), 1);
  assert_true(has_site(sk__findings(f->machine.checker, &(size_t){0}), site(2)));
  fixture_free(f);
}

static void test_access_over_two_lines(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc(f, 4096, "a");
  on(f, A);
  sk_hook_write(a + 100, 1000, site(1));
  memset(a + 100, 3, 1000);
  dcci_all();
  uint8_t back[1000], *ub = (uint8_t *)sk__local_slot(A);
  assert_true(mover_in(ub, a + 100, 1000, site(2)));
  assert_silent(f);
  assert_int_equal(sk__gm_host_read(&f->machine, back, (uint64_t)a + 100, 1000), SK_OK);
  for (uint32_t i = 0; i < 1000; i++) assert_int_equal(back[i], 3);
  fixture_free(f);
}

static void test_api_access_keeps_its_name(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc(f, 64, "a");
  on(f, A);
  sk__core *core = sk__enter(SK__PIPE_S, "GetValue", site(7));
  sk__scalar_access(core, (uint64_t)a, 4, false, core->site);
  assert_non_null(finding(f, "UNINITIALISED_READ"));
  assert_string_equal(finding(f, "UNINITIALISED_READ")->ends[0].instr, "GetValue");
  assert_true(has_site(finding(f, "UNINITIALISED_READ"), site(7)));
  fixture_free(f);
}

static void test_plain_store_is_logged(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc_filled(f, 64, "a");
  assert_int_equal(sk__gm_begin(&f->machine), SK_OK);
  on(f, A);
  for (uint32_t i = 0; i < 64; i += 4) store32(a + i, 0, site(1));
  dcci_all();
  sk__gm_roll_back(&f->machine);
  for (uint32_t i = 0; i < 64; i++) assert_int_equal(a[i], i);
  assert_silent(f);
  fixture_free(f);
}

SK_TESTS(SK_TEST(test_host_code_is_ignored), SK_TEST(test_stack_is_ignored), SK_TEST(test_load_of_never_written_bytes),
         SK_TEST(test_every_byte_of_a_line_is_judged), SK_TEST(test_late_reads_conflict),
         SK_TEST(test_late_reads_and_writes_keep_their_order), SK_TEST(test_sites_stay_apart),
         SK_TEST(test_random_uninitialised_reads), SK_TEST(test_load_after_unwaited_mover),
         SK_TEST(test_load_after_waited_mover), SK_TEST(test_next_sub_kernel_finds_ub_uninitialised),
         SK_TEST(test_access_over_two_lines), SK_TEST(test_api_access_keeps_its_name),
         SK_TEST(test_plain_store_is_logged))
