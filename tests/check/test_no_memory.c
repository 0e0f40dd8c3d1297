/* test_no_memory.c - each allocation fails once: nothing breaks, and nothing is found that is not there. */
#include "fake_core.h"

#include "base/memory.h"
#include "meet.h"

/* An ordered program over everything that allocates: cut pages, reader sets, messages, launches. */
static void ordered_program(sk__checker *checker, fake_core *cores) {
  sk__shadow_gm_host_write(checker, SK__GM_BASE, 65536);
  sk__order *orders[4];
  for (uint32_t i = 0; i < 4; i++) {
    fake_begin(checker, &cores[i], 24 + i, NULL);
    orders[i] = &cores[i].order;
  }
  for (uint32_t i = 0; i < 4; i++) gm_access(checker, &cores[i], SK__PIPE_MTE2, SK__READ, 0, 8192, 1);
  for (uint32_t i = 0; i < 64; i++) gm_access(checker, &cores[i % 4], SK__PIPE_MTE3, SK__WRITE, 16384 + i * 37, 37, 2);
  for (uint32_t i = 0; i < 64; i++) local_access(checker, &cores[0], SK__PIPE_V, SK__WRITE, i * 13, 13, 3);
  cores_meet(checker, orders, 4);
  gm_access(checker, &cores[2], SK__PIPE_MTE3, SK__WRITE, 0, 4096, 4);
  gm_access(checker, &cores[2], SK__PIPE_MTE3, SK__WRITE, 16384, 4096, 4);
  sk__snapshot *message = NULL;
  sk__order_publish(checker, &cores[2].order, SK__PIPE_MTE3, &message);
  sk__order_acquire(checker, &cores[3].order, message);
  sk__snapshot_unref(message);
  gm_access(checker, &cores[3], SK__PIPE_MTE2, SK__READ, 16384, 64 * 37, 5);
  for (uint32_t i = 0; i < 4; i++) sk__order_end(checker, &cores[i].order, NULL);
}

static void test_every_allocation_fails_once(void **state) {
  (void)state;
  uint64_t start = sk__alloc_count();
  fake_core cores[4] = {0};
  sk__checker *checker = fake_checker();
  ordered_program(checker, cores);
  assert_int_equal(finding_count(checker), 0);
  sk__checker_destroy(checker);
  uint64_t allocations = sk__alloc_count() - start;
  assert_true(allocations > 5);
  unsigned told = 0;
  for (uint64_t n = 1; n <= allocations; n++) {
    memset(cores, 0, sizeof cores);
    sk__alloc_fail_at(n);
    sk_status status = sk__checker_create(&fake_chip, &checker);
    if (status != SK_OK) {
      assert_int_equal(status, SK_OUT_OF_MEMORY);
      continue;
    }
    sk__checker_set_describe(checker, fake_describe);
    ordered_program(checker, cores);
    sk__alloc_fail_at(0);
    size_t count;
    const sk__finding *f = sk__findings(checker, &count);
    for (size_t i = 0; i < count; i++) assert_string_equal(f[i].id, "HISTORY_LOST");
    told += count == 1;
    sk__findings_clear(checker); /* it stays true */
    assert_int_equal(finding_count(checker), count);
    sk__checker_destroy(checker);
  }
  assert_true(told > 0);
}

SK_TESTS(SK_TEST(test_every_allocation_fails_once))
