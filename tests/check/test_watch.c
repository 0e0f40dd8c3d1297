/* test_watch.c - exception registers: which accesses are told, and how long a register stays on. */
#include "fake_core.h"

static void watch(sk__checker *checker, fake_core *core, uint32_t which, uint64_t low, uint64_t high, uint32_t kinds) {
  uint64_t slot = sk__local_slot(core->index);
  sk__watch_set(checker, &core->order, which,
                &(sk__watch){slot + low, slot + high, kinds, {.role = "watches", .site = SITE(9), .kernel = "first"}});
}

static sk__checker *begin(fake_core *core) {
  sk__checker *checker = fake_checker();
  fake_begin(checker, core, 30, NULL);
  local_access(checker, core, SK__PIPE_V, SK__WRITE, 0, 4096, 1);
  sk__order_barrier(&core->order, SK__PIPE_ALL);
  return checker;
}

static void test_both_ends_and_the_bytes_in_common_are_named(void **state) {
  (void)state;
  fake_core core = {.kernel = "second"};
  sk__checker *checker = begin(&core);
  watch(checker, &core, 2, 1024, 2048, SK__WATCH_MTE_READ);
  local_access(checker, &core, SK__PIPE_MTE3, SK__READ, 512, 768, 2);
  const sk__finding *f = only_finding(checker, "WATCHED_ACCESS");
  assert_int_equal(f->severity, SK__ERROR);
  assert_int_equal(f->end_count, 2);
  assert_string_equal(f->ends[0].role, "reader");
  assert_string_equal(f->ends[0].kernel, "second");
  assert_ptr_equal(f->ends[0].site, SITE(2));
  assert_int_equal(f->ends[0].pipe, SK__PIPE_MTE3);
  assert_int_equal(f->ends[0].core, 30);
  assert_int_equal(f->ends[0].mem, SK__MEM_UB);
  assert_int_equal(f->ends[0].address, sk__local_slot(30) + 1024);
  assert_int_equal(f->ends[0].bytes, 256);
  assert_string_equal(f->ends[1].kernel, "first");
  assert_ptr_equal(f->ends[1].site, SITE(9));
  assert_non_null(strstr(f->message, "reads UB bytes 0x400..0x4ff"));
  assert_non_null(strstr(f->message, "the range 0x400..0x7ff that exception register 2 watches"));
  sk__checker_destroy(checker);
}

static void test_bytes_beside_the_range_are_silent(void **state) {
  (void)state;
  fake_core core = {0};
  sk__checker *checker = begin(&core);
  watch(checker, &core, 0, 1024, 2048, UINT32_MAX);
  local_access(checker, &core, SK__PIPE_V, SK__READ, 0, 1024, 2);
  local_access(checker, &core, SK__PIPE_V, SK__READ, 2048, 1024, 2);
  assert_int_equal(finding_count(checker), 0);
  sk__checker_destroy(checker);
}

static void test_a_strided_access_is_judged_by_its_pieces(void **state) {
  (void)state;
  fake_core core = {0};
  sk__checker *checker = begin(&core);
  watch(checker, &core, 0, 1056, 1088, SK__WATCH_VECTOR_READ);
  uint64_t at = sk__local_slot(30) + 1024;
  sk__shadow_local_strided(checker, &core.order, SK__PIPE_V, SK__READ, at, 8, 32, 64, SITE(2), "read");
  assert_int_equal(finding_count(checker), 0);
  sk__shadow_local_strided(checker, &core.order, SK__PIPE_V, SK__READ, at, 8, 32, 32, SITE(3), "read");
  assert_ptr_equal(only_finding(checker, "WATCHED_ACCESS")->ends[0].site, SITE(3));
  sk__checker_destroy(checker);
}

static void test_plain_stores_are_scalar_writes(void **state) {
  (void)state;
  fake_core core = {0};
  sk__checker *checker = begin(&core);
  watch(checker, &core, 0, 1024, 2048, SK__WATCH_SCALAR_WRITE);
  sk__shadow_local_store(checker, &core.order, sk__local_slot(30) + 1024, 4, SITE(2), "store");
  only_finding(checker, "WATCHED_ACCESS");
  sk__checker_destroy(checker);
}

static void test_a_register_outlives_a_sub_kernel(void **state) {
  (void)state;
  fake_core core = {0};
  sk__checker *checker = begin(&core);
  watch(checker, &core, 0, 1024, 2048, SK__WATCH_VECTOR_WRITE);
  sk__order_begin_sub(&core.order);
  sk__order_barrier(&core.order, SK__PIPE_ALL);
  local_access(checker, &core, SK__PIPE_V, SK__WRITE, 1024, 32, 2);
  only_finding(checker, "WATCHED_ACCESS");
  sk__checker_destroy(checker);
}

static void test_a_launch_begins_with_all_registers_off(void **state) {
  (void)state;
  fake_core core = {0};
  sk__checker *checker = begin(&core);
  watch(checker, &core, 0, 1024, 2048, SK__WATCH_VECTOR_WRITE);
  sk__order_end(checker, &core.order, NULL);
  fake_begin(checker, &core, 30, NULL);
  local_access(checker, &core, SK__PIPE_V, SK__WRITE, 1024, 32, 2);
  assert_int_equal(finding_count(checker), 0);
  sk__checker_destroy(checker);
}

static void test_other_cores_are_not_watched(void **state) {
  (void)state;
  fake_core core = {0}, other = {0};
  sk__checker *checker = begin(&core);
  watch(checker, &core, 0, 1024, 2048, SK__WATCH_VECTOR_WRITE);
  fake_begin(checker, &other, 31, NULL);
  local_access(checker, &other, SK__PIPE_V, SK__WRITE, 1024, 32, 2);
  assert_int_equal(finding_count(checker), 0);
  sk__checker_destroy(checker);
}

static void test_what_is_not_recorded_is_not_told(void **state) {
  (void)state;
  fake_core core = {0};
  sk__checker *checker = begin(&core);
  watch(checker, &core, 0, 1024, 2048, SK__WATCH_VECTOR_WRITE);
  core.order.enabled = false;
  local_access(checker, &core, SK__PIPE_V, SK__WRITE, 1024, 32, 2);
  assert_int_equal(finding_count(checker), 0);
  sk__checker_destroy(checker);
}

SK_TESTS(SK_TEST(test_both_ends_and_the_bytes_in_common_are_named), SK_TEST(test_bytes_beside_the_range_are_silent),
         SK_TEST(test_a_strided_access_is_judged_by_its_pieces), SK_TEST(test_plain_stores_are_scalar_writes),
         SK_TEST(test_a_register_outlives_a_sub_kernel), SK_TEST(test_a_launch_begins_with_all_registers_off),
         SK_TEST(test_other_cores_are_not_watched), SK_TEST(test_what_is_not_recorded_is_not_told))
