/* test_memory.c - the memory gate, arenas and growable arrays. Built twice: as the library is, and hard. */
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/vec.h"
#include "harness.h"

/* Under the address sanitizer an impossible size ends the program unless told otherwise. */
const char *__asan_default_options(void);
__attribute__((visibility("default"))) const char *__asan_default_options(void) { return "allocator_may_return_null=1"; }

static void test_an_impossible_size_is_an_ordinary_null(void **state) {
  (void)state;
  volatile size_t huge = SIZE_MAX / 2; /* hidden from the compiler, which would warn */
  sk__arena arena = {0};
  char *kept = sk__arena_strdup(&arena, "kept");
  assert_null(sk__malloc(huge));
  assert_null(sk__calloc(huge, 4));
  assert_null(sk__arena_alloc(&arena, huge));
  assert_null(sk__arena_alloc(&arena, SIZE_MAX));
  assert_null(sk__arena_calloc(&arena, huge, 4));
  assert_string_equal(kept, "kept");
  sk__arena_free(&arena);
}

static void test_zero_bytes_are_something(void **state) {
  (void)state;
  sk__arena arena = {0};
  void *a = sk__arena_alloc(&arena, 0), *b = sk__arena_alloc(&arena, 0);
  assert_non_null(a);
  assert_non_null(b);
  assert_ptr_not_equal(a, b);
  sk__arena_free(&arena);
  void *c = sk__malloc(0), *d = sk__calloc(0, 8);
  assert_non_null(c);
  assert_non_null(d);
  sk__free(c);
  sk__free(d);
}

static void test_pieces_are_aligned_and_do_not_overlap(void **state) {
  (void)state;
  sk__arena arena = {0};
  unsigned char *pieces[300];
  for (size_t i = 0; i < 300; i++) {
    size_t bytes = i * 7 % 5000;
    pieces[i] = sk__arena_alloc(&arena, bytes);
    assert_non_null(pieces[i]);
    assert_int_equal((uintptr_t)pieces[i] % SK__ARENA_ALIGN_BYTES, 0);
    memset(pieces[i], (int)(i & 0xff), bytes);
  }
  for (size_t i = 0; i < 300; i++)
    for (size_t j = 0; j < i * 7 % 5000; j++) assert_int_equal(pieces[i][j], i & 0xff);
  sk__arena_free(&arena);
}

static void test_reset_keeps_the_chunks(void **state) {
  (void)state;
  sk__arena arena = {0};
  void *first = sk__arena_alloc(&arena, 40);
  for (int i = 0; i < 50; i++) assert_non_null(sk__arena_alloc(&arena, 3000));
  sk__arena_reset(&arena);
  assert_ptr_equal(sk__arena_alloc(&arena, 40), first);
  assert_non_null(sk__arena_alloc(&arena, 1 << 20)); /* larger than any kept chunk */
  assert_non_null(sk__arena_alloc(&arena, 3000));
  sk__arena_free(&arena);
  assert_null(arena.first);
}

static void test_calloc_is_zero_and_format_formats(void **state) {
  (void)state;
  sk__arena arena = {0};
  memset(sk__arena_alloc(&arena, 256), 0xff, 256);
  sk__arena_reset(&arena);
  uint32_t *zeros = sk__arena_array(&arena, uint32_t, 64);
  for (int i = 0; i < 64; i++) assert_int_equal(zeros[i], 0);
  assert_string_equal(sk__arena_format(&arena, "%s-%d", "core", 7), "core-7");
  sk__arena_free(&arena);
}

static void test_array_grows_removes_and_pops(void **state) {
  (void)state;
  SK__VEC(uint64_t) v = {0};
  for (uint64_t i = 0; i < 1000; i++) assert_true(sk__vec_push(&v, i * i));
  assert_int_equal(v.count, 1000);
  for (uint64_t i = 0; i < 1000; i++) assert_true(v.items[i] == i * i);
  sk__vec_remove(&v, 1);
  assert_true(v.items[0] == 0 && v.items[1] == 4 && v.count == 999);
  assert_true(sk__vec_last(&v) == 999 * 999);
  assert_true(sk__vec_pop(&v) == 999 * 999);
  assert_int_equal(v.count, 998);
  sk__vec_clear(&v);
  assert_int_equal(v.count, 0);
  sk__vec_free(&v);
  assert_null(v.items);
}

static void test_array_of_structs_takes_literals(void **state) {
  (void)state;
  typedef struct pair { int a, b; } pair;
  SK__VEC(pair) v = {0};
  assert_true(sk__vec_push(&v, (pair){1, 2}));
  assert_int_equal(v.items[0].b, 2);
  sk__vec_free(&v);
}

static void test_array_too_large_stays_as_it_was(void **state) {
  (void)state;
  SK__VEC(uint64_t) v = {0};
  assert_true(sk__vec_push(&v, 5));
  assert_false(sk__vec_reserve(&v, SIZE_MAX / 4));
  assert_true(v.count == 1 && v.items[0] == 5);
  sk__vec_free(&v);
}

#if SK__HARD
static void test_the_nth_allocation_fails_once(void **state) {
  (void)state;
  sk__alloc_fail_at(2);
  void *a = sk__malloc(8);
  assert_non_null(a);
  assert_null(sk__malloc(8));
  void *c = sk__malloc(8);
  assert_non_null(c);
  sk__free(a);
  sk__free(c);
}

/* What a user of the arena does, tried with a failure at each allocation: every failure is a NULL, what was
 * given out before stays, and the arena goes on afterwards. */
static void test_an_arena_survives_a_failure_at_each_allocation(void **state) {
  (void)state;
  for (uint64_t n = 1;; n++) {
    sk__arena arena = {0};
    uint64_t before = sk__alloc_count();
    sk__alloc_fail_at(n);
    char *texts[10];
    int failures = 0;
    for (int i = 0; i < 10; i++) {
      texts[i] = sk__arena_format(&arena, "text number %d, long enough to need a chunk of its own soon", i);
      failures += texts[i] == NULL;
    }
    for (int i = 0; i < 10; i++)
      if (texts[i] != NULL) assert_int_equal(texts[i][12], '0' + i);
    uint64_t made = sk__alloc_count() - before;
    sk__alloc_fail_at(0);
    sk__arena_free(&arena);
    assert_int_equal(failures, n <= made);
    if (n > made) return;
    assert_true(n < 100);
  }
}

static void test_an_array_survives_a_failed_push(void **state) {
  (void)state;
  SK__VEC(int) v = {0};
  assert_true(sk__vec_push(&v, 1));
  sk__alloc_fail_at(1);
  assert_false(sk__vec_push(&v, 2));
  assert_true(v.count == 1 && v.items[0] == 1);
  assert_true(sk__vec_push(&v, 2));
  sk__vec_free(&v);
}

static void test_realloc_moves_and_keeps_the_contents(void **state) {
  (void)state;
  char *a = sk__strdup("contents"), *b = sk__realloc(a, 100);
  assert_ptr_not_equal(a, b);
  assert_string_equal(b, "contents");
  sk__free(b);
}
#endif

SK_TESTS(SK_TEST(test_an_impossible_size_is_an_ordinary_null), SK_TEST(test_zero_bytes_are_something),
         SK_TEST(test_pieces_are_aligned_and_do_not_overlap), SK_TEST(test_reset_keeps_the_chunks),
         SK_TEST(test_calloc_is_zero_and_format_formats), SK_TEST(test_array_grows_removes_and_pops),
         SK_TEST(test_array_of_structs_takes_literals), SK_TEST(test_array_too_large_stays_as_it_was),
#if SK__HARD
         SK_TEST(test_the_nth_allocation_fails_once), SK_TEST(test_an_arena_survives_a_failure_at_each_allocation),
         SK_TEST(test_an_array_survives_a_failed_push), SK_TEST(test_realloc_moves_and_keeps_the_contents),
#endif
)
