/* test_dcache.c - the scalar data caches: values as on the chip, and findings with both ends. */
#include "memory_fixture.h"

enum { A = AIV0, B = AIV0 + 1, C = AIV0 + 2 };
static uint8_t *ub_of(uint32_t core) { return (uint8_t *)sk__local_slot(core); }

static uint32_t in_ub(uint32_t core, uint32_t offset) {
  uint32_t value;
  memcpy(&value, ub_of(core) + offset, sizeof value);
  return value;
}
static uint32_t in_gm(fixture *f, const void *at) {
  uint32_t value;
  assert_int_equal(sk__gm_host_read(&f->machine, &value, (uint64_t)at, 4), SK_OK);
  return value;
}
static const uint32_t old0 = 0x03020100, old4 = 0x07060504, old64 = 0x43424140; /* what alloc_filled puts there */

/* ---- H11: stores not flushed ------------------------------------------------------------------ */

static void test_mover_reads_below_own_dirty_bytes(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc_filled(f, 256, "a");
  on(f, A);
  store32(a, 111, site(1));
  assert_true(mover_in(ub_of(A), a, 64, site(2)));
  assert_int_equal(in_ub(A, 0), old0);
  assert_int_equal(in_ub(A, 4), old4);
  assert_int_equal(load32(a, site(3)), 111); /* the core itself sees its store */
  assert_found(f, "H11", "4 bytes");
  assert_found(f, "H11", "('a' + 0)");
  assert_found(f, "H11", "this core's data cache");
  assert_true(has_site(finding(f, "H11"), site(1)));
  assert_true(has_site(finding(f, "H11"), site(2)));
  fixture_free(f);
}

static void test_mover_reads_flushed_bytes(void **state) { /* the repaired twin */
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc_filled(f, 256, "a");
  on(f, A);
  store32(a, 111, site(1));
  dcci(a);
  assert_true(mover_in(ub_of(A), a, 64, site(2)));
  assert_int_equal(in_ub(A, 0), 111);
  assert_silent(f);
  fixture_free(f);
}

static void test_mover_beside_dirty_bytes_is_no_finding(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc_filled(f, 256, "a");
  on(f, A);
  store32(a, 111, site(1));
  assert_true(mover_in(ub_of(A), a + 4, 60, site(2)));
  assert_int_equal(in_ub(A, 0), old4);
  assert_silent(f);
  fixture_free(f);
}

static void test_next_sub_kernel_reads_unflushed_bytes(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc_filled(f, 256, "a");
  for (uint32_t i = 0; i < CORES; i++) f->cores[i].view = (sk__view){.kernel = "first", .task = 0};
  on(f, A);
  store32(a + 8, 5, site(1));
  meet(f);
  for (uint32_t i = 0; i < CORES; i++) {
    sk__order_begin_sub(&f->cores[i].order);
    f->cores[i].view = (sk__view){.kernel = "second", .task = 1};
  }
  on(f, B);
  assert_true(mover_in(ub_of(B), a, 64, site(2)));
  assert_found(f, "H11", "sub-kernel second (#1)");
  assert_found(f, "H11", "sub-kernel first (#0)");
  assert_found(f, "H11", "data cache of core 2");
  const sk__finding *found = finding(f, "H11");
  assert_int_equal(found->ends[0].task, 1);
  assert_int_equal(found->ends[1].task, 0);
  assert_string_equal(found->ends[1].kernel, "first");
  assert_int_equal(in_ub(B, 8), 0x0b0a0908);
  fixture_free(f);
}

static void test_other_core_loads_unflushed_bytes(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc_filled(f, 256, "a");
  on(f, A);
  store32(a, 111, site(1));
  meet(f);
  on(f, B);
  assert_int_equal(load32(a, site(2)), old0);
  assert_found(f, "H11", "scalar load");
  on(f, A);
  assert_int_equal(load32(a, site(3)), 111);
  on(f, B);
  assert_int_equal(load32(a, site(2)), old0);
  assert_int_equal(load32(a + 4, site(2)), old4);
  fixture_free(f);
}

static void test_other_core_loads_flushed_bytes(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc_filled(f, 256, "a");
  on(f, A);
  store32(a, 111, site(1));
  dcci(a);
  meet(f);
  on(f, B);
  assert_int_equal(load32(a, site(2)), 111);
  assert_silent(f);
  fixture_free(f);
}

/* The flag goes up before the flush: the reader may come too early, even if it did not this time. */
static void test_flush_behind_the_signal(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc_filled(f, 256, "a");
  on(f, A);
  store32(a, 111, site(1));
  meet(f);
  dcci(a);
  on(f, B);
  assert_true(mover_in(ub_of(B), a, 64, site(2)));
  assert_int_equal(in_ub(B, 0), 111);
  assert_non_null(finding(f, "SYNC_GM"));
  assert_true(has_site(finding(f, "SYNC_GM"), site(1)));
  assert_true(has_site(finding(f, "SYNC_GM"), site(2)));
  fixture_free(f);
}

static void test_flush_before_the_signal(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc_filled(f, 256, "a");
  on(f, A);
  store32(a, 111, site(1));
  dcci(a);
  meet(f);
  on(f, B);
  assert_true(mover_in(ub_of(B), a, 64, site(2)));
  assert_silent(f);
  fixture_free(f);
}

/* Without an order between store and load it is a race (or a poll), not a missing flush. */
static void test_unordered_reader_is_a_race(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc_filled(f, 256, "a");
  on(f, A);
  store32(a, 111, site(1));
  on(f, B);
  assert_true(mover_in(ub_of(B), a, 64, site(2)));
  assert_null(finding(f, "H11"));
  assert_non_null(finding(f, "SYNC_GM"));
  fixture_free(f);
}

static void test_mover_writes_over_unflushed_store(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc_filled(f, 256, "a");
  on(f, A);
  store32(a, 111, site(1));
  memset(ub_of(A), 0x22, 64);
  assert_true(mover_out(a, ub_of(A), 64, site(2)));
  assert_int_equal(in_gm(f, a), 0x22222222);
  dcci(a);
  assert_int_equal(in_gm(f, a), 111); /* written back over the newer bytes */
  assert_int_equal(in_gm(f, a + 4), old4); /* and so is the rest of the line */
  assert_found(f, "H11", "wrote later");
  assert_true(has_site(finding(f, "H11"), site(1)));
  assert_true(has_site(finding(f, "H11"), site(2)));
  fixture_free(f);
}

/* B's store comes later, in order, and is flushed; A's older one is written back over it. */
static void test_later_store_of_another_core_is_written_over(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc_filled(f, 256, "a");
  on(f, A);
  store32(a, 111, site(1));
  meet(f);
  on(f, B);
  store32(a, 222, site(2));
  dcci(a);
  assert_int_equal(in_gm(f, a), 222);
  on(f, A);
  dcci(a);
  assert_int_equal(in_gm(f, a), 111);
  assert_found(f, "H11", "wrote later");
  assert_true(has_site(finding(f, "H11"), site(1)));
  assert_true(has_site(finding(f, "H11"), site(2)));
  fixture_free(f);
}

/* The order of the stores counts, not that of the flushes, as long as those are ordered too. */
static void test_earlier_store_flushed_between_is_no_finding(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc_filled(f, 256, "a");
  on(f, B);
  store32(a, 222, site(2));
  meet(f);
  on(f, A);
  store32(a, 111, site(1));
  meet(f);
  on(f, B);
  dcci(a);
  meet(f);
  on(f, A);
  dcci(a);
  assert_int_equal(in_gm(f, a), 111);
  assert_silent(f);
  fixture_free(f);
}

static void test_mover_writes_after_flush(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc_filled(f, 256, "a");
  on(f, A);
  store32(a, 111, site(1));
  dcci(a);
  memset(ub_of(A), 0x22, 64);
  assert_true(mover_out(a, ub_of(A), 64, site(2)));
  dcci_all();
  assert_int_equal(in_gm(f, a), 0x22222222);
  assert_silent(f);
  fixture_free(f);
}

/* ---- H14: a dcci that stops at the end of its line ------------------------------------------- */

static void test_object_over_two_lines_needs_two_dcci(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc_filled(f, 256, "a");
  on(f, A);
  sk_hook_write(a + 60, 8, site(1));
  memset(a + 60, 0x77, 8);
  dcci(a + 60);
  assert_true(mover_in(ub_of(A), a + 32, 64, site(2)));
  assert_int_equal(in_ub(A, 28), 0x77777777);
  assert_int_equal(in_ub(A, 32), old64);
  assert_found(f, "H14", "dcci of the line before");
  fixture_free(f);
}

static void test_object_over_two_lines_with_two_dcci(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc_filled(f, 256, "a");
  on(f, A);
  sk_hook_write(a + 60, 8, site(1));
  memset(a + 60, 0x77, 8);
  dcci(a + 60);
  dcci(a + 64);
  assert_true(mover_in(ub_of(A), a + 32, 64, site(2)));
  assert_int_equal(in_ub(A, 32), 0x77777777);
  assert_silent(f);
  fixture_free(f);
}

/* ---- H12: stale loads ------------------------------------------------------------------------ */

static void test_load_of_a_line_changed_by_another_core(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc_filled(f, 256, "a");
  on(f, A);
  assert_int_equal(load32(a, site(1)), old0);
  meet(f);
  on(f, B);
  memset(ub_of(B), 0x33, 64);
  assert_true(mover_out(a, ub_of(B), 64, site(2)));
  meet(f);
  on(f, A);
  assert_int_equal(load32(a, site(3)), old0); /* the stale bytes, as on the chip */
  assert_found(f, "H12", "copy_ub2gm");
  assert_true(has_site(finding(f, "H12"), site(2)));
  assert_true(has_site(finding(f, "H12"), site(3)));
  on(f, C);
  assert_int_equal(load32(a, site(4)), 0x33333333);
  on(f, A);
  assert_int_equal(load32(a + 4, site(3)), old4);
  assert_true(mover_in(ub_of(A), a, 64, site(5))); /* movers see GM */
  assert_int_equal(in_ub(A, 0), 0x33333333);
  dcci(a);
  assert_int_equal(load32(a, site(3)), 0x33333333);
  fixture_free(f);
}

static void test_load_after_dcci_is_fresh(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc_filled(f, 256, "a");
  on(f, A);
  (void)load32(a, site(1));
  meet(f);
  on(f, B);
  memset(ub_of(B), 0x33, 64);
  assert_true(mover_out(a, ub_of(B), 64, site(2)));
  meet(f);
  on(f, A);
  dcci(a);
  assert_int_equal(load32(a, site(3)), 0x33333333);
  assert_silent(f);
  fixture_free(f);
}

static void test_own_mover_makes_own_line_stale(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc_filled(f, 256, "a");
  on(f, A);
  (void)load32(a, site(1));
  memset(ub_of(A), 0x44, 64);
  assert_true(mover_out(a, ub_of(A), 32, site(2)));
  meet(f);
  assert_int_equal(load32(a + 32, site(3)), 0x23222120); /* not touched by the mover */
  assert_silent(f);
  assert_int_equal(load32(a, site(4)), old0);
  assert_non_null(finding(f, "H12"));
  fixture_free(f);
}

static void test_write_back_of_another_core_makes_stale(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc_filled(f, 256, "a");
  on(f, A);
  (void)load32(a, site(1));
  meet(f);
  on(f, B);
  store32(a, 9, site(2));
  dcci(a);
  meet(f);
  on(f, A);
  assert_int_equal(load32(a, site(3)), old0);
  assert_non_null(finding(f, "H12"));
  assert_true(has_site(finding(f, "H12"), site(2)));
  fixture_free(f);
}

/* ---- H13: false sharing ---------------------------------------------------------------------- */

static void test_two_cores_store_in_one_line(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc_filled(f, 256, "a");
  on(f, A);
  store32(a, 111, site(1));
  on(f, B);
  store32(a + 4, 222, site(2));
  on(f, A);
  assert_int_equal(load32(a, site(3)), 111);
  dcci(a);
  assert_int_equal(in_gm(f, a), 111);
  assert_int_equal(in_gm(f, a + 4), old4);
  assert_true(has_site(finding(f, "H13"), site(1))); /* old bytes went over B's store: known before anything is lost */
  assert_true(has_site(finding(f, "H13"), site(2)));
  on(f, B);
  dcci(a);
  assert_int_equal(in_gm(f, a), old0); /* lost */
  assert_int_equal(in_gm(f, a + 4), 222);
  assert_found(f, "H13", "64-byte line");
  assert_true(has_site(finding(f, "H13"), site(1)));
  assert_true(has_site(finding(f, "H13"), site(2)));
  fixture_free(f);
}

static void test_two_cores_store_in_lines_of_their_own(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc_filled(f, 256, "a");
  on(f, A);
  store32(a, 111, site(1));
  on(f, B);
  store32(a + 64, 222, site(2));
  on(f, A);
  dcci_all();
  on(f, B);
  dcci_all();
  assert_int_equal(in_gm(f, a), 111);
  assert_int_equal(in_gm(f, a + 64), 222);
  assert_silent(f);
  fixture_free(f);
}

static void test_mover_writes_beside_a_dirty_store(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc_filled(f, 256, "a");
  on(f, A);
  store32(a, 111, site(1));
  on(f, B);
  memset(ub_of(B), 0x55, 64);
  assert_true(mover_out(a + 32, ub_of(B), 32, site(2)));
  on(f, A);
  assert_int_equal(load32(a, site(1)), 111);
  dcci_all();
  assert_int_equal(in_gm(f, a + 32), 0x23222120);
  assert_non_null(finding(f, "H13"));
  fixture_free(f);
}

/* ---- the cache as such ----------------------------------------------------------------------- */

static void test_dirty_line_nobody_reads_is_no_finding(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc_filled(f, 4096, "a");
  on(f, A);
  for (uint32_t i = 0; i < 4096; i += 4) store32(a + i, i * 3, site(1));
  meet(f);
  dcci_all();
  for (uint32_t i = 0; i < 4096; i += 4) assert_int_equal(in_gm(f, a + i), i * 3);
  assert_silent(f);
  fixture_free(f);
}

static void test_eviction_writes_back(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  enum { BYTES = 128 * 1024 };
  uint8_t *a = alloc_filled(f, BYTES, "a");
  on(f, A);
  for (uint32_t i = 0; i < BYTES; i += 64) store32(a + i, i + 1, site(1));
  assert_int_equal(in_gm(f, a), 1);                  /* evicted */
  assert_int_equal(in_gm(f, a + BYTES - 64), 0x43424140 - 0x40404040 + ((BYTES - 64) & 0xff) * 0x01010101u); /* not yet */
  dcci_all();
  for (uint32_t i = 0; i < BYTES; i += 64) assert_int_equal(in_gm(f, a + i), i + 1);
  assert_int_equal(f->machine.memory.page_entry[((uint64_t)a - SK__GM_BASE) >> 12], 0); /* directory is empty */
  assert_silent(f);
  fixture_free(f);
}

static void test_preload_brings_a_line_that_can_be_stale(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc_filled(f, 256, "a");
  on(f, A);
  sk__dcache_preload(sk__enter(SK__PIPE_S, "preload", site(1)), (uint64_t)a + 10);
  sk__dcache_preload(sk__self, 0x1234);  /* host memory: ignored */
  meet(f);
  on(f, B);
  memset(ub_of(B), 0x33, 64);
  assert_true(mover_out(a, ub_of(B), 64, site(2)));
  meet(f);
  on(f, A);
  assert_int_equal(load32(a, site(3)), old0);
  assert_non_null(finding(f, "H12"));
  fixture_free(f);
}

static void test_roll_back_drops_what_is_cached(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc_filled(f, 256, "a");
  assert_int_equal(sk__gm_begin(&f->machine), SK_OK);
  on(f, A);
  store32(a, 111, site(1));
  on(f, B);
  store32(a + 4, 222, site(2));
  memset(ub_of(B), 0x55, 64);
  assert_true(mover_out(a + 64, ub_of(B), 64, site(2)));
  sk__gm_roll_back(&f->machine);
  for (uint32_t i = 0; i < 256; i++) assert_int_equal(a[i], i);
  on(f, A);
  dcci_all();
  assert_int_equal(in_gm(f, a), old0);
  fixture_free(f);
}

/* Several host threads: old bytes for movers and findings stay, values shown to scalar code are the newest. */
static void test_threaded_model_reports_the_same(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  sk__memory_configure(&f->machine.memory, 0xa5, 2);
  uint8_t *a = alloc_filled(f, 256, "a");
  on(f, A);
  store32(a, 111, site(1));
  assert_true(mover_in(ub_of(A), a, 64, site(2)));
  assert_int_equal(in_ub(A, 0), old0);
  assert_non_null(finding(f, "H11"));
  memset(ub_of(A), 0x66, 64);
  assert_true(mover_out(a + 4, ub_of(A), 60, site(3))); /* beside the dirty bytes */
  assert_true(mover_in(ub_of(A), a, 64, site(2)));
  assert_int_equal(in_ub(A, 0), old0);
  assert_int_equal(in_ub(A, 4), 0x66666666);
  dcci_all();
  assert_int_equal(in_gm(f, a), 111);
  assert_int_equal(in_gm(f, a + 4), 0x66666666);
  fixture_free(f);
}

/* ---- against a naive model --------------------------------------------------------------------- */

typedef struct naive_line { bool held; uint64_t dirty, stale, superseded; uint8_t bytes[64]; } naive_line;
enum { LINES = 16 };
typedef struct naive { uint8_t gm[LINES * 64]; naive_line lines[CORES][LINES]; } naive;

static naive_line *naive_hold(naive *n, uint32_t core, uint32_t line) {
  naive_line *l = &n->lines[core][line];
  if (!l->held) memcpy(l->bytes, n->gm + line * 64, 64);
  l->held = true;
  return l;
}
static void naive_clean(naive *n, uint32_t core, uint32_t line) {
  naive_line *l = &n->lines[core][line];
  if (l->held && l->dirty != 0) memcpy(n->gm + line * 64, l->bytes, 64);
  *l = (naive_line){0};
}
static uint64_t next_random(uint64_t *seed) {
  *seed ^= *seed << 13, *seed ^= *seed >> 7, *seed ^= *seed << 17;
  return *seed;
}

static void naive_step(fixture *f, naive *n, uint8_t *a, uint64_t *seed) {
  uint32_t core = (uint32_t)(next_random(seed) % CORES), line = (uint32_t)(next_random(seed) % LINES);
  uint32_t at = line * 64 + (uint32_t)(next_random(seed) % 16) * 4, value = (uint32_t)next_random(seed);
  on(f, core);
  switch (next_random(seed) % 6) {
    case 0: {
      naive_line *l = naive_hold(n, core, line);
      uint32_t expected;
      memcpy(&expected, l->bytes + at % 64, 4);
      assert_int_equal(load32(a + at, site(1)), expected);
      break;
    }
    case 1: {
      naive_line *l = naive_hold(n, core, line);
      memcpy(l->bytes + at % 64, &value, 4);
      l->dirty |= UINT64_C(15) << at % 64;
      store32(a + at, value, site(2));
      break;
    }
    case 2: {
      uint64_t bytes = 1 + next_random(seed) % (LINES * 64 - at);
      uint8_t into[LINES * 64];
      assert_true(mover_in(into, a + at, bytes, site(3)));
      assert_memory_equal(into, n->gm + at, bytes);
      break;
    }
    case 3: {
      uint64_t bytes = 1 + next_random(seed) % (LINES * 64 - at);
      uint8_t from[LINES * 64];
      for (uint64_t i = 0; i < bytes; i++) from[i] = (uint8_t)next_random(seed);
      assert_true(mover_out(a + at, from, bytes, site(4)));
      memcpy(n->gm + at, from, bytes);
      break;
    }
    case 4:
      dcci(a + at);
      naive_clean(n, core, line);
      break;
    default:
      if (next_random(seed) % 8 != 0) break;
      dcci_all();
      for (uint32_t l = 0; l < LINES; l++) naive_clean(n, core, l);
      break;
  }
}

/* Sixteen lines fit every cache of an ordinary build, so that nothing is evicted. */
static void test_random_against_naive_caches(void **state) {
  (void)state;
  if (SK__HARD) skip();
  uint64_t seed = sk_test_seed("random against naive caches") | 1;
  fixture *f = fixture_new(false);
  uint8_t *a = alloc_filled(f, LINES * 64, "a");
  naive *n = calloc(1, sizeof *n);
  memcpy(n->gm, a, sizeof n->gm);
  for (uint32_t step = 0; step < 200000; step++) naive_step(f, n, a, &seed);
  for (uint32_t core = 0; core < CORES; core++) {
    on(f, core);
    dcci_all();
    for (uint32_t l = 0; l < LINES; l++) naive_clean(n, core, l);
  }
  assert_memory_equal(a, n->gm, sizeof n->gm);
  free(n);
  fixture_free(f);
}

/* ---- findings against rules told byte by byte -------------------------------------------------- */

enum { H11 = 1, H12 = 2, H13 = 4 };
static uint64_t bits_of(uint32_t line, uint32_t at, uint64_t bytes) { /* of [at, at + bytes) in this line */
  uint64_t mask = 0;
  for (uint32_t i = 0; i < 64; i++)
    if (line * 64 + i >= at && line * 64 + i < at + bytes) mask |= UINT64_C(1) << i;
  return mask;
}

static uint32_t told_clean(naive *n, uint32_t core, uint32_t line) {
  naive_line *l = &n->lines[core][line];
  uint32_t told = 0;
  if (l->held && l->dirty != 0) {
    if ((l->dirty & l->stale & l->superseded) != 0) told |= H11;
    if ((l->stale & ~l->dirty) != 0) told |= H13;
    for (uint32_t c = 0; c < CORES; c++)
      if (c != core && n->lines[c][line].held) n->lines[c][line].stale |= l->dirty | l->stale;
  }
  *l = (naive_line){0};
  return told;
}

static uint32_t told_scalar(naive *n, uint32_t core, uint32_t at, bool is_write) {
  uint32_t line = at / 64, told = 0;
  uint64_t need = bits_of(line, at, 4);
  naive_line *l = &n->lines[core][line];
  l->held = true;
  for (uint32_t c = 0; c < CORES; c++) {
    naive_line *other = &n->lines[c][line];
    if (c == core) continue;
    if (is_write) other->superseded |= other->dirty & need;
    else if ((other->dirty & need & ~l->dirty) != 0) told |= H11;
  }
  if (is_write) {
    l->dirty |= need;
    l->stale &= ~need;
    l->superseded &= ~need;
  } else if ((l->stale & need) != 0) {
    told |= H12;
  }
  return told;
}

static uint32_t told_mover(naive *n, uint32_t at, uint64_t bytes, bool is_write) {
  uint32_t told = 0;
  for (uint32_t line = 0; line < LINES; line++)
    for (uint32_t c = 0; c < CORES; c++) {
      naive_line *l = &n->lines[c][line];
      uint64_t need = bits_of(line, at, bytes);
      if (!is_write && (l->dirty & need) != 0) told |= H11;
      if (!is_write || !l->held) continue;
      l->superseded |= l->dirty & need;
      l->stale |= need;
    }
  return told;
}

static uint32_t told_step(fixture *f, naive *n, uint8_t *a, uint64_t *seed) {
  uint32_t core = (uint32_t)(next_random(seed) % CORES), kind = (uint32_t)(next_random(seed) % 5);
  uint32_t at = (uint32_t)(next_random(seed) % (4 * 16)) * 4; /* four lines, so that they meet */
  uint64_t bytes = 1 + next_random(seed) % 100;
  uint8_t buffer[128] = {0};
  on(f, core);
  if (kind == 4) {
    dcci(a + at);
    return told_clean(n, core, at / 64);
  }
  if (kind >= 2) {
    (void)(kind == 3 ? mover_out(a + at, buffer, bytes, site(4)) : mover_in(buffer, a + at, bytes, site(3)));
    return told_mover(n, at, bytes, kind == 3);
  }
  if (kind == 1) store32(a + at, 0, site(2));
  else (void)load32(a + at, site(1));
  return told_scalar(n, core, at, kind == 1);
}

/* Everything is ordered here, so each rule broken must be told, and nothing else. */
static void test_random_findings_in_order(void **state) {
  (void)state;
  if (SK__HARD) skip();
  uint64_t seed = sk_test_seed("random findings in order") | 1;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc_filled(f, LINES * 64, "a");
  naive *n = calloc(1, sizeof *n);
  uint32_t seen_ids = 0;
  for (uint32_t round = 0; round < 4000; round++) {
    uint32_t told = 0;
    for (uint32_t step = 0; step < 10 && told == 0; step++) {
      told |= told_step(f, n, a, &seed);
      meet(f);
    }
    size_t count;
    const sk__finding *all = sk__findings(f->machine.checker, &count);
    uint32_t found = 0;
    for (size_t i = 0; i < count; i++) {
      bool h11 = strcmp(all[i].id, "H11") == 0 || strcmp(all[i].id, "H14") == 0;
      found |= h11 ? H11 : strcmp(all[i].id, "H12") == 0 ? H12 : strcmp(all[i].id, "H13") == 0 ? H13 : 8;
    }
    assert_int_equal(found, told);
    seen_ids |= found;
    for (uint32_t core = 0; core < CORES; core++) {
      on(f, core);
      dcci_all();
      meet(f);
    }
    memset(n->lines, 0, sizeof n->lines);
    sk__findings_clear(f->machine.checker);
  }
  assert_int_equal(seen_ids, H11 | H12 | H13);
  free(n);
  fixture_free(f);
}

SK_TESTS(SK_TEST(test_mover_reads_below_own_dirty_bytes), SK_TEST(test_mover_reads_flushed_bytes),
         SK_TEST(test_mover_beside_dirty_bytes_is_no_finding), SK_TEST(test_next_sub_kernel_reads_unflushed_bytes),
         SK_TEST(test_other_core_loads_unflushed_bytes), SK_TEST(test_other_core_loads_flushed_bytes),
         SK_TEST(test_flush_behind_the_signal),
         SK_TEST(test_flush_before_the_signal), SK_TEST(test_unordered_reader_is_a_race), SK_TEST(test_mover_writes_over_unflushed_store),
         SK_TEST(test_later_store_of_another_core_is_written_over),
         SK_TEST(test_earlier_store_flushed_between_is_no_finding), SK_TEST(test_mover_writes_after_flush), SK_TEST(test_object_over_two_lines_needs_two_dcci),
         SK_TEST(test_object_over_two_lines_with_two_dcci), SK_TEST(test_load_of_a_line_changed_by_another_core),
         SK_TEST(test_load_after_dcci_is_fresh), SK_TEST(test_own_mover_makes_own_line_stale),
         SK_TEST(test_write_back_of_another_core_makes_stale), SK_TEST(test_two_cores_store_in_one_line),
         SK_TEST(test_two_cores_store_in_lines_of_their_own), SK_TEST(test_mover_writes_beside_a_dirty_store),
         SK_TEST(test_dirty_line_nobody_reads_is_no_finding), SK_TEST(test_eviction_writes_back),
         SK_TEST(test_preload_brings_a_line_that_can_be_stale), SK_TEST(test_roll_back_drops_what_is_cached),
         SK_TEST(test_threaded_model_reports_the_same), SK_TEST(test_random_against_naive_caches),
         SK_TEST(test_random_findings_in_order))
