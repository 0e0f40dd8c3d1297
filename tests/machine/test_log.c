/* test_log.c - transactions: rolling back, committing, what was touched. */
#include <pthread.h>

#include "memory_fixture.h"

static void test_begin_twice_is_refused(void **state) {
  (void)state;
  fixture *f = fixture_new(false);
  assert_int_equal(sk__gm_begin(&f->machine), SK_OK);
  assert_int_equal(sk__gm_begin(&f->machine), SK_STATE);
  sk__gm_commit(&f->machine);
  assert_int_equal(sk__gm_begin(&f->machine), SK_OK);
  fixture_free(f);
}

static void test_roll_back_and_commit(void **state) {
  (void)state;
  fixture *f = fixture_new(false);
  uint8_t *a = alloc_filled(f, 10000, "a"), image[600];
  memset(image, 0xee, sizeof image);
  assert_int_equal(sk__gm_begin(&f->machine), SK_OK);
  assert_int_equal(sk__gm_host_write(&f->machine, (uint64_t)a + 500, image, 600), SK_OK);
  assert_int_equal(sk__gm_host_write(&f->machine, (uint64_t)a + 600, image, 600), SK_OK);
  sk__gm_roll_back(&f->machine);
  for (uint64_t i = 0; i < 10000; i++) assert_int_equal(a[i], (uint8_t)i);
  assert_int_equal(sk__gm_begin(&f->machine), SK_OK);
  assert_int_equal(sk__gm_host_write(&f->machine, (uint64_t)a + 500, image, 600), SK_OK);
  sk__gm_commit(&f->machine);
  sk__gm_roll_back(&f->machine); /* nothing to take back */
  assert_int_equal(a[500], 0xee);
  fixture_free(f);
}

static void test_never_written_becomes_uninitialised_again(void **state) {
  (void)state;
  fixture *f = fixture_new(true);
  uint8_t *out = alloc(f, 4096, "out"), *in = alloc_filled(f, 512, "in"), *ub = (uint8_t *)sk__local_slot(AIV0);
  on(f, AIV0);
  assert_int_equal(sk__gm_begin(&f->machine), SK_OK);
  assert_true(mover_out(out, ub, 4096, site(1)));
  uint64_t live, peak, touched;
  sk__gm_usage(&f->machine, &live, &peak, &touched);
  assert_int_equal(touched, 4096 + 512);
  sk__gm_roll_back(&f->machine);
  sk__gm_usage(&f->machine, &live, &peak, &touched);
  assert_int_equal(touched, 512);
  for (uint32_t i = 0; i < 4096; i++) assert_int_equal(out[i], 0xa5);
  meet(f);
  assert_true(mover_in(ub, in, 512, site(2)));
  assert_silent(f);
  assert_true(mover_in(ub, out, 64, site(2)));
  assert_non_null(finding(f, "UNINITIALISED_READ"));
  fixture_free(f);
}

static void test_memory_of_the_transaction_is_rolled_back_to_fill(void **state) {
  (void)state;
  fixture *f = fixture_new(false);
  uint8_t *a = alloc_filled(f, 4096, "a");
  assert_int_equal(sk__gm_begin(&f->machine), SK_OK);
  assert_int_equal(sk__gm_host_set(&f->machine, (uint64_t)a, 1, 4096), SK_OK);
  uint8_t *b = alloc_filled(f, 4096, "b"); /* lives on */
  assert_int_equal(sk__gm_free(&f->machine, a), SK_OK);
  sk__gm_roll_back(&f->machine);
  for (uint32_t i = 0; i < 4096; i++) assert_int_equal(b[i], 0xa5);
  sk__gm_info info;
  assert_true(sk__gm_find(&f->machine, (uint64_t)b, &info));
  assert_false(sk__gm_find(&f->machine, (uint64_t)a, &info));
  fixture_free(f);
}

static bool collect(void *context, uint64_t start, uint64_t bytes) {
  uint64_t(*ranges)[2] = context;
  while ((*ranges)[1] != 0) ranges++;
  (*ranges)[0] = start;
  (*ranges)[1] = bytes;
  return true;
}
static bool first_only(void *context, uint64_t start, uint64_t bytes) {
  (void)start, (void)bytes;
  ++*(uint32_t *)context;
  return false;
}

static void test_touched_ranges_are_merged_and_clipped(void **state) {
  (void)state;
  fixture *f = fixture_new(false);
  uint64_t a = (uint64_t)alloc(f, 3 << 20, "a"), b = (uint64_t)alloc(f, 100, "b"), c = (uint64_t)alloc(f, 5000, "c");
  uint64_t ranges[8][2] = {{0}};
  uint32_t calls = 0;
  assert_int_equal(sk__gm_begin(&f->machine), SK_OK);
  sk__gm_touched(&f->machine, first_only, &calls);
  assert_int_equal(calls, 0);
  assert_int_equal(sk__gm_host_set(&f->machine, c + 600, 1, 10), SK_OK);
  assert_int_equal(sk__gm_host_set(&f->machine, b, 1, 1), SK_OK);
  assert_int_equal(sk__gm_host_set(&f->machine, a + (1 << 20), 1, 1 << 20), SK_OK);
  assert_int_equal(sk__gm_host_set(&f->machine, a + (2 << 20), 1, 700), SK_OK);
  sk__gm_touched(&f->machine, collect, ranges);
  assert_int_equal(ranges[0][0], a + (1 << 20));
  assert_int_equal(ranges[0][1], (1 << 20) + 1024);
  assert_int_equal(ranges[1][0], b);
  assert_int_equal(ranges[1][1], 128);
  assert_int_equal(ranges[2][0], c + 512);
  assert_int_equal(ranges[2][1], 512);
  assert_int_equal(ranges[3][1], 0);
  sk__gm_touched(&f->machine, first_only, &calls);
  assert_int_equal(calls, 1);
  sk__gm_commit(&f->machine);
  sk__gm_touched(&f->machine, first_only, &calls);
  assert_int_equal(calls, 1);
  fixture_free(f);
}

typedef struct writer { fixture *f; uint8_t *at; uint32_t first; pthread_barrier_t *start; } writer;
static void *write_every_other(void *context) {
  writer *w = context;
  pthread_barrier_wait(w->start);
  for (uint32_t i = w->first; i < 4096; i += 2) {
    (void)sk__log_open(&w->f->machine.memory, (uint64_t)w->at + i * 32, 32);
    memset(w->at + i * 32, (int)(0x80 + w->first), 32);
  }
  return NULL;
}

/* Two threads interleave 32-byte writes in the same pieces; no new byte may get into a pre-image. */
static void test_two_threads_save_each_piece_once(void **state) {
  (void)state;
  fixture *f = fixture_new(false);
  enum { BYTES = 4096 * 32 };
  uint8_t *a = alloc_filled(f, BYTES, "a");
  for (uint32_t round = 0; round < 50; round++) {
    assert_int_equal(sk__gm_begin(&f->machine), SK_OK);
    pthread_barrier_t start;
    pthread_barrier_init(&start, NULL, 2);
    writer writers[2] = {{f, a, 0, &start}, {f, a, 1, &start}};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, write_every_other, &writers[1]), 0);
    write_every_other(&writers[0]);
    pthread_join(thread, NULL);
    assert_int_equal(a[32], 0x81);
    assert_int_equal(atomic_load(&f->machine.memory.arena_used), BYTES / 512);
    sk__gm_roll_back(&f->machine);
    for (uint32_t i = 0; i < BYTES; i++) assert_int_equal(a[i], (uint8_t)i);
  }
  fixture_free(f);
}

static uint64_t next_random(uint64_t *seed) {
  *seed ^= *seed << 13, *seed ^= *seed >> 7, *seed ^= *seed << 17;
  return *seed;
}

/* Random writes of every kind in many transactions, against a copy of the memory. */
static void test_random_transactions(void **state) {
  (void)state;
  fixture *f = fixture_new(false);
  uint64_t seed = sk_test_seed("random transactions") | 1;
  enum { BYTES = 300000 };
  uint8_t *a = alloc(f, BYTES, "a"), *now = malloc(BYTES), *before = malloc(BYTES), *ub = (uint8_t *)sk__local_slot(AIV0);
  memset(now, 0xa5, BYTES);
  for (uint32_t i = 0; i < 65536; i++) ub[i] = (uint8_t)next_random(&seed);
  on(f, AIV0);
  for (uint32_t round = 0; round < 300; round++) {
    memcpy(before, now, BYTES);
    if (round % 3 != 2) assert_int_equal(sk__gm_begin(&f->machine), SK_OK);
    for (uint32_t n = (uint32_t)(next_random(&seed) % 20); n > 0; n--) {
      uint64_t bytes = 1 + next_random(&seed) % (UINT64_C(1) << (next_random(&seed) % 17));
      if (bytes > 65536) bytes = 65536;
      uint64_t at = next_random(&seed) % (BYTES - bytes), from = next_random(&seed) % (65536 - bytes + 1);
      if (next_random(&seed) % 4 != 0) {
        assert_true(mover_out(a + at, ub + from, bytes, site(1)));
        memcpy(now + at, ub + from, bytes);
      } else {
        uint32_t value = (uint32_t)next_random(&seed);
        at &= ~UINT64_C(3);
        if (at + 4 > BYTES) continue;
        store32(a + at, value, site(2));
        memcpy(now + at, &value, 4);
        dcci(a + at); /* else a later mover store would be written over, as on the chip */
      }
    }
    assert_memory_equal(a, now, BYTES);
    if (round % 3 == 0) {
      sk__gm_roll_back(&f->machine);
      memcpy(now, before, BYTES);
    } else if (round % 3 == 1) {
      sk__gm_commit(&f->machine);
    }
    assert_memory_equal(a, now, BYTES);
  }
  assert_silent(f);
  free(now);
  free(before);
  fixture_free(f);
}

SK_TESTS(SK_TEST(test_begin_twice_is_refused), SK_TEST(test_roll_back_and_commit),
         SK_TEST(test_never_written_becomes_uninitialised_again),
         SK_TEST(test_memory_of_the_transaction_is_rolled_back_to_fill),
         SK_TEST(test_touched_ranges_are_merged_and_clipped), SK_TEST(test_two_threads_save_each_piece_once),
         SK_TEST(test_random_transactions))
