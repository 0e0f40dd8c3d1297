/* Stacks and switches by themselves. */
#include <string.h>

#include "harness.h"
#include "machine/fiber.h"

enum { COUNT = 40 };
static sk__stack_pool pool;
static sk__fiber fibers[COUNT];
static sk__context scheduler;
static uint64_t log_of[COUNT * 8];
static uint32_t logged;

static void round_trip(void *argument) {
  uint64_t id = (uint64_t)(uintptr_t)argument;
  char fill[200];
  memset(fill, (int)id, sizeof fill);
  double kept = (double)id * 1.5; /* lives across switches */
  for (int i = 0; i < 3; i++) {
    log_of[logged++] = id;
    sk__context_switch(&fibers[id].context, &scheduler);
    for (size_t k = 0; k < sizeof fill; k++)
      if (fill[k] != (char)id) log_of[logged++] = 999;
    if (kept != (double)id * 1.5) log_of[logged++] = 998;
  }
  sk__context_leave(&scheduler);
}

static void start_all(void) {
  assert_int_equal(sk__stack_pool_make(COUNT, &pool), SK_OK);
  for (uint32_t i = 0; i < COUNT; i++) {
    sk__fiber_place(&fibers[i], &pool, i);
    sk__fiber_start(&fibers[i], round_trip, (void *)(uintptr_t)i);
  }
}

static void test_fibers_keep_their_stacks(void **state) {
  (void)state;
  start_all();
  for (int turn = 0; turn < 4; turn++)
    for (uint32_t i = 0; i < COUNT; i++) sk__context_switch(&scheduler, &fibers[i].context);
  assert_int_equal(logged, COUNT * 3);
  for (uint32_t i = 0; i < logged; i++) assert_int_equal(log_of[i], i % COUNT);
  sk__stack_pool_drop(&pool);
}

static void test_an_abandoned_fiber_can_be_started_again(void **state) {
  (void)state;
  start_all();
  for (int turn = 0; turn < 100; turn++) {
    sk__context_switch(&scheduler, &fibers[0].context);
    sk__fiber_start(&fibers[0], round_trip, NULL); /* in the middle of its work */
    logged = 0;
  }
  sk__stack_pool_drop(&pool);
}

static void hop(void *argument) {
  uint64_t id = (uint64_t)(uintptr_t)argument;
  log_of[logged++] = id;
  if (id + 1 < COUNT) sk__context_switch(&fibers[id].context, &fibers[id + 1].context);
  sk__context_leave(&scheduler);
}
static void test_fibers_switch_to_each_other(void **state) {
  (void)state;
  start_all();
  for (uint32_t i = 0; i < COUNT; i++) sk__fiber_start(&fibers[i], hop, (void *)(uintptr_t)i);
  sk__context_switch(&scheduler, &fibers[0].context);
  assert_int_equal(logged, COUNT);
  sk__context_switch(&scheduler, &fibers[7].context); /* left in the middle: goes on to its end */
  assert_int_equal(logged, COUNT);
  sk__stack_pool_drop(&pool);
}

static void test_guards_lie_below_each_stack(void **state) {
  (void)state;
  start_all();
  for (uint32_t i = 0; i < COUNT; i++) {
    uint64_t start = (uint64_t)(uintptr_t)fibers[i].stack;
    assert_int_equal(sk__stack_pool_guard(&pool, start), (int)i);
    assert_int_equal(sk__stack_pool_guard(&pool, start + 4095), (int)i);
    assert_int_equal(sk__stack_pool_guard(&pool, (uint64_t)(uintptr_t)fibers[i].context.stack_bottom), -1);
  }
  assert_int_equal(sk__stack_pool_guard(&pool, 0), -1);
  assert_int_equal(sk__stack_pool_guard(&pool, (uint64_t)(uintptr_t)pool.base + pool.bytes), -1);
  sk__stack_pool_drop(&pool);
}

static void calls_with_vectors(void *argument) {
  /* A misaligned stack faults in code that stores whole vectors. */
  volatile _Alignas(32) double vector[4] = {1, 2, 3, 4};
  *(uint64_t *)argument = (uint64_t)(uintptr_t)vector % 32 + ((uint64_t)(uintptr_t)__builtin_frame_address(0) % 16);
  sk__context_leave(&scheduler);
}
static void test_stacks_are_aligned(void **state) {
  (void)state;
  start_all();
  for (uint32_t i = 0; i < COUNT; i++) {
    uint64_t off = 1;
    sk__fiber_start(&fibers[i], calls_with_vectors, &off);
    sk__context_switch(&scheduler, &fibers[i].context);
    assert_int_equal(off, 0);
  }
  sk__stack_pool_drop(&pool);
}

SK_TESTS(SK_TEST(test_fibers_keep_their_stacks), SK_TEST(test_an_abandoned_fiber_can_be_started_again),
         SK_TEST(test_fibers_switch_to_each_other), SK_TEST(test_guards_lie_below_each_stack), SK_TEST(test_stacks_are_aligned))
