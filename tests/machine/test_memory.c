/* test_memory.c - the window, the allocator, bounds and host access. */
#include <unistd.h>

#include "memory_fixture.h"

static void test_occupied_window_is_an_error_with_words(void **state) {
  (void)state;
  fixture *f = fixture_new(false);
  sk__memory second;
  char why[256] = "";
  assert_int_not_equal(sk__memory_create(&second, &f->soc, f->machine.checker, why, sizeof why), SK_OK);
  assert_non_null(strstr(why, "something else lies there"));
  fixture_free(f);
}

static void test_too_large_profile_is_refused(void **state) {
  (void)state;
  sk__soc soc = *sk__soc_find(NULL);
  soc.gm_bytes = SK__GM_BYTES + (UINT64_C(1) << 21);
  sk__memory memory;
  char why[256];
  assert_int_equal(sk__memory_create(&memory, &soc, NULL, why, sizeof why), SK_INVALID_ARGUMENT);
}

static void test_default_profile_maps(void **state) {
  (void)state;
  sk__memory memory;
  char why[256];
  sk_status status = sk__memory_create(&memory, sk__soc_find(NULL), NULL, why, sizeof why);
  if (status != SK_OK) fail_msg("%s", why);
  sk__memory_destroy(&memory);
}

/* A system call that reads the byte fails instead of faulting. */
static bool readable(uint64_t address) {
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  bool ok = write(ends[1], (const void *)address, 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return ok;
}

static void test_local_slots_are_guarded(void **state) {
  (void)state;
  fixture *f = fixture_new(false);
  uint64_t ub = sk__local_slot(AIV0), slot = sk__local_slot(0);
  assert_true(readable(ub));
  assert_true(readable(ub + f->soc.ub_bytes - 1));
  assert_false(readable(ub + f->soc.ub_bytes));
  for (int mem = SK__MEM_L1; mem < SK__MEMS; mem++) {
    uint64_t at = slot + sk__mem_slot_offset((sk__mem)mem);
    assert_true(readable(at));
    assert_true(readable(at + sk__mem_bytes(&f->soc, SK__AIC, (sk__mem)mem) - 1));
  }
  assert_false(readable(sk__local_slot(CORES)));
  fixture_free(f);
}

static void test_allocations_are_aligned_and_filled(void **state) {
  (void)state;
  fixture *f = fixture_new(false);
  for (uint64_t bytes = 1; bytes < 2000; bytes += 37) {
    uint8_t *at = alloc(f, bytes, "x");
    assert_int_equal((uint64_t)at % 512, 0);
    for (uint64_t i = 0; i < bytes; i++) assert_int_equal(at[i], 0xa5);
  }
  fixture_free(f);
}

static void test_free_of_no_start_is_not_found(void **state) {
  (void)state;
  fixture *f = fixture_new(false);
  char *at = alloc(f, 100, "x");
  assert_int_equal(sk__gm_free(&f->machine, at + 32), SK_NOT_FOUND);
  assert_int_equal(sk__gm_free(&f->machine, NULL), SK_NOT_FOUND);
  assert_int_equal(sk__gm_free(&f->machine, at), SK_OK);
  assert_int_equal(sk__gm_free(&f->machine, at), SK_NOT_FOUND);
  fixture_free(f);
}

static void test_zero_and_too_many_bytes_are_refused(void **state) {
  (void)state;
  fixture *f = fixture_new(false);
  void *at;
  assert_int_equal(sk__gm_alloc(&f->machine, 0, "x", &at), SK_INVALID_ARGUMENT);
  assert_int_equal(sk__gm_alloc(&f->machine, UINT64_C(1) << 40, "x", &at), SK_OUT_OF_DEVICE_MEMORY);
  assert_int_equal(sk__gm_alloc(&f->machine, UINT64_MAX - 4, "x", &at), SK_OUT_OF_DEVICE_MEMORY);
  assert_null(at);
  fixture_free(f);
}

static void test_full_memory_takes_back_what_was_freed(void **state) {
  (void)state;
  fixture *f = fixture_new(false);
  uint64_t half = UINT64_C(120) << 20;
  void *a = alloc(f, half, "a"), *b = alloc(f, half, "b"), *c;
  assert_int_equal(sk__gm_alloc(&f->machine, half, "c", &c), SK_OUT_OF_DEVICE_MEMORY);
  assert_int_equal(sk__gm_free(&f->machine, a), SK_OK);
  assert_int_equal(sk__gm_alloc(&f->machine, half, "c", &c), SK_OK);
  assert_ptr_equal(a, c);
  assert_int_equal(sk__gm_free(&f->machine, b), SK_OK);
  assert_int_equal(sk__gm_free(&f->machine, c), SK_OK);
  assert_int_equal(sk__gm_alloc(&f->machine, half + half, "d", &c), SK_OK); /* neighbours grew together */
  fixture_free(f);
}

static void test_find_and_nearest(void **state) {
  (void)state;
  fixture *f = fixture_new(false);
  sk__gm_info info;
  assert_false(sk__gm_nearest(&f->machine, SK__GM_BASE + 5, &info));
  uint64_t a = (uint64_t)alloc(f, 1000, "a"), b = (uint64_t)alloc(f, 50000, NULL);
  assert_true(sk__gm_find(&f->machine, a + 999, &info));
  assert_string_equal(info.label, "a");
  assert_int_equal(info.start, a);
  assert_int_equal(info.bytes, 1000);
  assert_true(sk__gm_find(&f->machine, a + 1023, &info)); /* rounded up to 32 */
  assert_false(sk__gm_find(&f->machine, a + 1024, &info));
  assert_false(sk__gm_find(&f->machine, a - 1, &info));
  assert_true(sk__gm_nearest(&f->machine, a + 1024, &info));
  assert_int_equal(info.start, a);
  assert_true(sk__gm_nearest(&f->machine, b - 1, &info));
  assert_int_equal(info.start, b);
  assert_true(sk__gm_nearest(&f->machine, SK__GM_BASE, &info));
  assert_int_equal(info.start, a);
  uint64_t live, peak, touched;
  sk__gm_usage(&f->machine, &live, &peak, &touched);
  assert_int_equal(live, 1024 + 50016);
  assert_int_equal(touched, 0);
  assert_int_equal(sk__gm_free(&f->machine, (void *)b), SK_OK);
  assert_false(sk__gm_find(&f->machine, b, &info));
  sk__gm_usage(&f->machine, &live, &peak, &touched);
  assert_int_equal(live, 1024);
  assert_int_equal(peak, 1024 + 50016);
  fixture_free(f);
}

static void test_host_copies_stay_inside(void **state) {
  (void)state;
  fixture *f = fixture_new(false);
  uint64_t a = (uint64_t)alloc(f, 64, "a");
  uint8_t image[96] = {7};
  assert_int_equal(sk__gm_host_write(&f->machine, a, image, 65), SK_INVALID_ARGUMENT);
  assert_found(f, "GM_OUT_OF_BOUNDS", "1 bytes past the end of 'a' (64 bytes)");
  assert_int_equal(finding(f, "GM_OUT_OF_BOUNDS")->category, SK__CAT_HOST);
  assert_int_equal(*(uint8_t *)a, 0xa5);
  sk__findings_clear(f->machine.checker);
  assert_int_equal(sk__gm_host_write(&f->machine, a, image, 64), SK_OK);
  assert_int_equal(sk__gm_host_set(&f->machine, a + 1, 9, 63), SK_OK);
  assert_int_equal(sk__gm_host_read(&f->machine, image + 1, a, 64), SK_OK);
  assert_int_equal(image[1], 7);
  assert_int_equal(image[64], 9);
  assert_silent(f);
  fixture_free(f);
}

static void test_movers_and_loads_out_of_bounds(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc_filled(f, 4096, "tiles"), *ub = (uint8_t *)sk__local_slot(AIV0);
  on(f, AIV0);
  ub[0] = 77;
  assert_false(mover_in(ub, a + 4064, 64, site(1)));
  assert_found(f, "GM_OUT_OF_BOUNDS", "copy_gm2ub reads 64 bytes");
  assert_found(f, "GM_OUT_OF_BOUNDS", "32 bytes past the end of 'tiles' (4096 bytes)");
  assert_true(has_site(finding(f, "GM_OUT_OF_BOUNDS"), site(1)));
  assert_int_equal(ub[0], 77); /* nothing was moved */
  sk__findings_clear(f->machine.checker);
  (void)load32(a + 4096 + 8, site(2));
  assert_found(f, "GM_OUT_OF_BOUNDS", "starts 8 bytes behind the end of 'tiles'");
  sk__findings_clear(f->machine.checker);
  (void)load32(a + 4092, site(2)); /* repaired */
  assert_true(mover_in(ub, a + 4064, 32, site(1)));
  assert_silent(f);
  fixture_free(f);
}

static void test_use_after_free(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc_filled(f, 4096, "old"), *ub = (uint8_t *)sk__local_slot(AIV0);
  on(f, AIV0);
  assert_true(mover_in(ub, a, 64, site(1)));
  assert_silent(f);
  assert_int_equal(sk__gm_free(&f->machine, a), SK_OK);
  assert_false(mover_in(ub, a, 64, site(1)));
  assert_found(f, "GM_USE_AFTER_FREE", "'old' (4096 bytes)");
  fixture_free(f);
}

static void test_unseen_store_into_a_red_zone(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc(f, 100, "a"), *b = alloc(f, 100, "b");
  on(f, AIV0);
  memset(a, 1, 128); /* CA(100, 32) */
  assert_int_equal(sk__gm_free(&f->machine, a), SK_OK);
  assert_silent(f);
  b[128 + 5] = 1;
  b[128 + 8] = 1;
  assert_int_equal(sk__gm_free(&f->machine, b), SK_OK);
  assert_found(f, "RED_ZONE", "4 bytes");
  assert_found(f, "RED_ZONE", "just behind 'b' (100 bytes)");
  fixture_free(f);
}

/* Rolling back to "never written" must not touch what lies beside. */
static void test_roll_back_keeps_red_zones(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *a = alloc(f, 100, "a");
  on(f, AIV0);
  assert_int_equal(sk__gm_begin(&f->machine), SK_OK);
  assert_int_equal(sk__gm_host_set(&f->machine, (uint64_t)a, 1, 100), SK_OK);
  sk__gm_roll_back(&f->machine);
  assert_int_equal(a[0], 0xa5);
  assert_int_equal(sk__gm_free(&f->machine, a), SK_OK);
  assert_silent(f);
  fixture_free(f);
}

static uint64_t next_random(uint64_t *seed) {
  *seed ^= *seed << 13, *seed ^= *seed >> 7, *seed ^= *seed << 17;
  return *seed;
}

/* Random allocating and freeing against a plain list. */
static void test_random_allocations(void **state) {
  (void)state;
  fixture *f = fixture_new(false);
  uint64_t seed = sk_test_seed("random allocations") | 1;
  enum { LIVE = 300 };
  struct { uint64_t start, bytes; uint8_t mark; } live[LIVE];
  memset(live, 0, sizeof live);
  for (uint32_t round = 0; round < 20000; round++) {
    uint32_t i = (uint32_t)(next_random(&seed) % LIVE);
    if (live[i].bytes != 0) {
      uint8_t *at = (uint8_t *)live[i].start;
      assert_int_equal(at[0], live[i].mark);
      assert_int_equal(at[live[i].bytes - 1], live[i].mark);
      assert_int_equal(sk__gm_free(&f->machine, at), SK_OK);
      live[i].bytes = 0;
      continue;
    }
    uint64_t bytes = 1 + next_random(&seed) % (UINT64_C(1) << (next_random(&seed) % 18));
    live[i].start = (uint64_t)alloc(f, bytes, "r");
    live[i].bytes = bytes;
    live[i].mark = (uint8_t)round;
    memset((void *)live[i].start, live[i].mark, bytes);
    for (uint32_t j = 0; j < LIVE; j++) { /* apart by at least a red zone */
      if (j == i || live[j].bytes == 0) continue;
      assert_true(live[i].start + bytes + 256 <= live[j].start || live[j].start + live[j].bytes + 256 <= live[i].start);
    }
    sk__gm_info info;
    uint64_t inside = live[i].start + next_random(&seed) % bytes;
    assert_true(sk__gm_find(&f->machine, inside, &info));
    assert_int_equal(info.start, live[i].start);
  }
  uint64_t bytes = 0, usage, peak, touched;
  for (uint32_t i = 0; i < LIVE; i++) bytes += (live[i].bytes + 31) & ~UINT64_C(31);
  sk__gm_usage(&f->machine, &usage, &peak, &touched);
  assert_int_equal(usage, bytes);
  fixture_free(f);
}

SK_TESTS(SK_TEST(test_occupied_window_is_an_error_with_words), SK_TEST(test_too_large_profile_is_refused),
         SK_TEST(test_default_profile_maps), SK_TEST(test_local_slots_are_guarded),
         SK_TEST(test_allocations_are_aligned_and_filled), SK_TEST(test_free_of_no_start_is_not_found),
         SK_TEST(test_zero_and_too_many_bytes_are_refused), SK_TEST(test_full_memory_takes_back_what_was_freed),
         SK_TEST(test_find_and_nearest), SK_TEST(test_host_copies_stay_inside),
         SK_TEST(test_movers_and_loads_out_of_bounds), SK_TEST(test_use_after_free),
         SK_TEST(test_unseen_store_into_a_red_zone), SK_TEST(test_roll_back_keeps_red_zones),
         SK_TEST(test_random_allocations))
