/* Whole-core barriers and deadlocks: SyncAll, the same barriers written out in flags, mixtures, and what
 * is said when cores never come. */
#include "run_fixture.h"

#define KERNEL(name) static void name(sk__core *core, void *context)
#define UNUSED (void)core, (void)context

static const sk__schedule schedules[] = {
  {SK__SCHEDULE_IN_ORDER, 0}, {SK__SCHEDULE_REVERSED, 0}, {SK__SCHEDULE_RANDOM, 3}, {SK__SCHEDULE_SLOW_CONSUMER, 0},
  {SK__SCHEDULE_SLOW_AIV1, 0}, {SK__SCHEDULE_WAVES, 0}};
enum { SCHEDULES = sizeof schedules / sizeof schedules[0], ROUNDS = 12 };
#define EACH_SCHEDULE(m, soc_name)                                                                                  \
  for (int i_ = 0; i_ < SCHEDULES; i_++)                                                                            \
    for (sk__machine *m = machine_of(soc_name, (sk__machine_options){.schedule = schedules[i_], .checks = true}); m != NULL; \
         sk__machine_destroy(m), m = NULL)

typedef struct meeting { uint32_t at[SK__MAX_CORES]; uint32_t cores, early; } meeting;

static void check_all_came(meeting *x, uint32_t round, uint32_t first, uint32_t end) {
  for (uint32_t c = first; c < end; c++) x->early += x->at[c] < round;
}

/* ---- use ----------------------------------------------------------------------------------- */

KERNEL(sync_vector) {
  meeting *x = context;
  for (uint32_t i = 1; i <= ROUNDS; i++) {
    x->at[core->index] = i;
    sk__sync_all(core, true);
    check_all_came(x, i, 24, 72);
  }
}
static void test_sync_all_of_vector_cores(void **state) {
  (void)state;
  EACH_SCHEDULE(m, NULL) {
    meeting x = {{0}, 0, 0};
    assert_int_equal(launch(m, SK_MIX_AIV_1_0, 48, NULL, sync_vector, &x), SK_OK);
    assert_int_equal(x.early, 0);
    assert_silent(m);
  }
}

KERNEL(sync_mix) {
  meeting *x = context;
  for (uint32_t i = 1; i <= ROUNDS; i++) {
    x->at[core->index] = i;
    sk__sync_all(core, false);
    check_all_came(x, i, 0, 72);
  }
}
static void test_sync_all_of_all_cores(void **state) {
  (void)state;
  EACH_SCHEDULE(m, NULL) {
    meeting x = {{0}, 0, 0};
    assert_int_equal(launch(m, SK_MIX_AIC_1_2, 24, sync_mix, sync_mix, &x), SK_OK);
    assert_int_equal(x.early, 0);
    assert_silent(m);
  }
}

/* Odd cores write the barrier out in flags, even ones call it; both at once must meet. */
KERNEL(half_by_flags) {
  meeting *x = context;
  for (uint32_t i = 1; i <= ROUNDS; i++) {
    x->at[core->index] = i;
    bool flags = (core->block_idx + core->sub_block + (i > ROUNDS / 2 ? 1 : 0)) % 2 == 1 && i % 3 != 0;
    if (!flags) {
      sk__sync_all(core, false);
    } else if (core->type == SK__AIV) {
      sk__pipe_barrier(core, SK__PIPE_ALL);
      sk__cross_set(core, SK__PIPE_MTE3, 2, 12);
      sk__cross_wait(core, 13);
    } else {
      sk__pipe_barrier(core, SK__PIPE_ALL);
      sk__cross_wait(core, 12);
      sk__cross_set(core, SK__PIPE_FIX, 0, 11);
      sk__cross_wait(core, 11);
      sk__cross_set(core, SK__PIPE_MTE3, 2, 13);
    }
    check_all_came(x, i, 0, 6);
  }
}
static void test_sync_all_meets_the_same_barrier_in_flags(void **state) {
  (void)state;
  EACH_SCHEDULE(m, "test") {
    meeting x = {{0}, 0, 0};
    assert_int_equal(launch_sk(m, SK_MIX_AIC_1_2, 2, half_by_flags, half_by_flags, &x), SK_OK);
    assert_int_equal(x.early, 0);
    assert_silent(m);
  }
}
KERNEL(half_by_flags_vector) {
  meeting *x = context;
  for (uint32_t i = 1; i <= ROUNDS; i++) {
    x->at[core->index] = i;
    if ((core->block_idx + i) % 2 == 1) {
      sk__sync_all(core, true);
    } else {
      sk__cross_set(core, SK__PIPE_MTE3, 0, 14);
      sk__cross_wait(core, 14);
    }
    check_all_came(x, i, 2, 6);
  }
}
static void test_sync_all_of_vector_cores_meets_flags(void **state) {
  (void)state;
  EACH_SCHEDULE(m, "test") {
    meeting x = {{0}, 0, 0};
    assert_int_equal(launch_sk(m, SK_MIX_AIV_1_0, 4, NULL, half_by_flags_vector, &x), SK_OK);
    assert_int_equal(x.early, 0);
    assert_silent(m);
  }
}

KERNEL(clocks) {
  uint64_t *at = context;
  sk__advance(core, SK__PIPE_MTE2, 100 * core->block_idx);
  sk__sync_all(core, true);
  at[core->block_idx] = core->cycles[SK__PIPE_V];
}
static void test_all_leave_at_one_time(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  uint64_t at[4];
  launch(m, SK_MIX_AIV_1_0, 4, NULL, clocks, at);
  for (int i = 0; i < 4; i++) assert_int_equal(at[i], 300 + sk__machine_soc(m)->costs.sync_all_cycles);
  sk__machine_destroy(m);
}

/* What one core stored before the barrier, every core may load behind it. */
KERNEL(publish_and_read) {
  uint64_t gm = *(const uint64_t *)context, mine = gm + core->block_idx * 512, next = gm + (core->block_idx + 1) % 4 * 512;
  sk__shadow_gm(core->checker, &core->order, SK__PIPE_MTE3, SK__WRITE, mine, 512, __builtin_return_address(0), "store");
  sk__sync_all(core, true);
  sk__shadow_gm(core->checker, &core->order, SK__PIPE_MTE2, SK__READ, next, 512, __builtin_return_address(0), "load");
}
KERNEL(read_without_barrier) {
  uint64_t gm = *(const uint64_t *)context, mine = gm + core->block_idx * 512, next = gm + (core->block_idx + 1) % 4 * 512;
  sk__shadow_gm(core->checker, &core->order, SK__PIPE_MTE3, SK__WRITE, mine, 512, __builtin_return_address(0), "store");
  sk__shadow_gm(core->checker, &core->order, SK__PIPE_MTE2, SK__READ, next, 512, __builtin_return_address(0), "load");
}
static void test_a_barrier_orders_all_cores(void **state) {
  (void)state;
  for (int barrier = 0; barrier < 2; barrier++) {
    sk__machine *m = small_machine();
    void *gm;
    assert_int_equal(sk__gm_alloc(m, 2048, "tensor", &gm), SK_OK);
    uint64_t at = (uint64_t)(uintptr_t)gm;
    sk__gm_host_set(m, at, 0, 2048) == SK_OK ? (void)0 : fail();
    launch(m, SK_MIX_AIV_1_0, 4, NULL, barrier != 0 ? publish_and_read : read_without_barrier, &at);
    if (barrier != 0) assert_silent(m);
    else assert_true(finding_count(m) > 0);
    sk__machine_destroy(m);
  }
}

/* ---- deadlocks ----------------------------------------------------------------------------- */

KERNEL(nothing) { UNUSED; }
KERNEL(waits_for_nobody) {
  UNUSED;
  sk__cross_wait(core, 3);
}
static void test_a_wait_for_nobody_is_a_deadlock(void **state) {
  (void)state;
  EACH_SCHEDULE(m, NULL) {
    assert_int_equal(launch(m, SK_MIX_AIV_1_0, 48, NULL, waits_for_nobody, NULL), SK_DEADLOCK);
    assert_only(m, "DEADLOCK");
    const sk__finding *f = finding_of(m, "DEADLOCK");
    assert_non_null(strstr(f->message, "AIV 0-47"));
    assert_non_null(strstr(f->message, "id 3"));
    sk__findings_clear(sk__machine_checker(m));
    assert_int_equal(launch(m, SK_MIX_AIV_1_0, 48, NULL, nothing, NULL), SK_OK); /* the machine goes on */
    assert_silent(m);
  }
}

KERNEL(block_2_stays_away) {
  UNUSED;
  if (core->block_idx != 2) sk__sync_all(core, true);
}
static void test_a_core_that_skips_a_barrier_is_named(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  assert_int_equal(launch(m, SK_MIX_AIV_1_0, 4, NULL, block_2_stays_away, NULL), SK_DEADLOCK);
  assert_only(m, "DEADLOCK");
  const sk__finding *f = finding_of(m, "DEADLOCK");
  assert_non_null(strstr(f->message, "AIV 0-1, 3"));
  assert_non_null(strstr(f->ends[0].detail, "missing: AIV 2"));
  assert_non_null(strstr(f->ends[1].detail, "AIV 2 have ended"));
  sk__machine_destroy(m);
}

KERNEL(sync_once) {
  UNUSED;
  sk__sync_all(core, true);
}
static void test_a_barrier_over_more_blocks_than_cores(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  assert_int_equal(launch(m, SK_MIX_AIV_1_0, 5, NULL, sync_once, NULL), SK_DEADLOCK);
  assert_only(m, "DEADLOCK");
  assert_non_null(strstr(finding_of(m, "DEADLOCK")->message, "of 5 blocks only 4 fit"));
  sk__findings_clear(sk__machine_checker(m));
  assert_int_equal(launch(m, SK_MIX_AIV_1_0, 4, NULL, sync_once, NULL), SK_OK);
  assert_silent(m);
  sk__machine_destroy(m);
}

KERNEL(cross_wise_cube) {
  UNUSED;
  sk__cross_wait(core, 1);
  sk__cross_set(core, SK__PIPE_FIX, 2, 2);
}
KERNEL(cross_wise_vector) {
  UNUSED;
  sk__cross_wait(core, 2);
  sk__cross_set(core, SK__PIPE_MTE3, 2, 1);
}
static void test_a_circle_is_a_deadlock(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  assert_int_equal(launch(m, SK_MIX_AIC_1_2, 2, cross_wise_cube, cross_wise_vector, NULL), SK_DEADLOCK);
  assert_only(m, "DEADLOCK");
  assert_int_equal(finding_of(m, "DEADLOCK")->end_count, 2); /* AIC 0-1, and AIV 0-3 */
  sk__machine_destroy(m);
}

/* Polling for a word that nobody writes. */
KERNEL(polls) {
  volatile uint32_t *word = context;
  while (*word == 0) sk__yield(core);
}
KERNEL(polls_until_the_last_writes) {
  volatile uint32_t *word = context;
  if (core->block_idx == 3) {
    for (int i = 0; i < 5000; i++) sk__yield(core), core->gm_stores++;
    *word = 1;
  }
  while (*word == 0) sk__yield(core);
}
static void test_polling_in_vain_is_a_deadlock(void **state) {
  (void)state;
  EACH_SCHEDULE(m, "test") {
    uint32_t word = 0;
    assert_int_equal(launch(m, SK_MIX_AIV_1_0, 4, NULL, polls, &word), SK_DEADLOCK);
    assert_only(m, "DEADLOCK");
    sk__findings_clear(sk__machine_checker(m));
    assert_int_equal(launch(m, SK_MIX_AIV_1_0, 4, NULL, polls_until_the_last_writes, &word), SK_OK);
    assert_silent(m);
  }
}
/* A loop that polls without giving way is preempted, so that the writer comes to run. */
KERNEL(polls_by_hand) {
  volatile uint32_t *word = context;
  if (core->block_idx == 3) *word = 1;
  while (*word == 0) {
    core->instructions++;
    sk__checkpoint(core);
  }
}
static void test_polling_by_hand_lets_others_run(void **state) {
  (void)state;
  EACH_SCHEDULE(m, "test") {
    uint32_t word = 0;
    assert_int_equal(launch(m, SK_MIX_AIV_1_0, 4, NULL, polls_by_hand, &word), SK_OK);
    assert_silent(m);
  }
}

/* ---- inside an SK -------------------------------------------------------------------------- */

typedef struct program { uint32_t blocks; bool barrier_between; } program;

/* Two subs; the first one calls SyncAll and runs on `blocks` cores. */
KERNEL(sk_with_sync) {
  const program *p = context;
  if (core->block_idx < p->blocks) {
    begin_sub(core, 0, "reducer", p->blocks);
    core->instr = "SyncAll";
    sk__sync_all(core, true);
    sk__core_end_sub(core);
  }
  if (p->barrier_between) {
    sk__cross_set_system(core, SK__PIPE_MTE3, 0, 14);
    sk__cross_wait_system(core, 14);
  }
  begin_sub(core, 1, "next", 48);
  sk__core_end_sub(core);
}
static void test_sync_all_on_too_few_cores_is_h1(void **state) {
  (void)state;
  EACH_SCHEDULE(m, NULL) {
    for (int barrier = 0; barrier < 2; barrier++) {
      program p = {20, barrier != 0};
      assert_int_equal(launch_sk(m, SK_MIX_AIV_1_0, 48, NULL, sk_with_sync, &p), SK_DEADLOCK);
      assert_only(m, "H1");
      const sk__finding *f = finding_of(m, "H1");
      assert_non_null(strstr(f->message, "'reducer'"));
      assert_non_null(strstr(f->message, "on 20 of 48 AIV"));
      assert_non_null(strstr(f->ends[0].detail, "AIV 0-19"));
      assert_non_null(strstr(f->ends[1].detail, "AIV 20-47"));
      sk__findings_clear(sk__machine_checker(m));
    }
  }
}
static void test_its_repaired_twin_is_silent(void **state) {
  (void)state;
  EACH_SCHEDULE(m, NULL) {
    for (int barrier = 0; barrier < 2; barrier++) {
      program p = {48, barrier != 0};
      assert_int_equal(launch_sk(m, SK_MIX_AIV_1_0, 48, NULL, sk_with_sync, &p), SK_OK);
      assert_silent(m);
    }
  }
}
/* The same operator alone has exactly as many cores as blocks. */
static void test_alone_it_is_silent(void **state) {
  (void)state;
  sk__machine *m = big_machine();
  assert_int_equal(launch(m, SK_MIX_AIV_1_0, 20, NULL, sync_once, NULL), SK_OK);
  assert_silent(m);
  sk__machine_destroy(m);
}

KERNEL(sk_mix_with_sync) {
  const program *p = context;
  if (core->block_idx < p->blocks) {
    begin_sub(core, 0, "mixer", p->blocks);
    sk__sync_all(core, false);
    sk__core_end_sub(core);
  }
}
static void test_a_mix_barrier_on_too_few_cores_is_h1(void **state) {
  (void)state;
  EACH_SCHEDULE(m, "test") {
    program p = {1, false};
    assert_int_equal(launch_sk(m, SK_MIX_AIC_1_2, 2, sk_mix_with_sync, sk_mix_with_sync, &p), SK_DEADLOCK);
    assert_only(m, "H1");
    sk__findings_clear(sk__machine_checker(m));
    p.blocks = 2;
    assert_int_equal(launch_sk(m, SK_MIX_AIC_1_2, 2, sk_mix_with_sync, sk_mix_with_sync, &p), SK_OK);
    assert_silent(m);
  }
}

/* A hand-written mode 0 barrier, inside a sub on two of four cores, completed by nobody. */
KERNEL(sk_with_mode0) {
  const program *p = context;
  if (core->block_idx >= p->blocks) return;
  begin_sub(core, 0, "hand-made", p->blocks);
  sk__cross_set(core, SK__PIPE_MTE3, 0, 2);
  sk__cross_wait(core, 2);
  sk__core_end_sub(core);
}
static void test_a_hand_written_barrier_is_h1_too(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  program p = {2, false};
  assert_int_equal(launch_sk(m, SK_MIX_AIV_1_0, 4, NULL, sk_with_mode0, &p), SK_DEADLOCK);
  assert_only(m, "H1");
  sk__machine_destroy(m);
}

/* A 1:1 operator in a 1:2 SK: only the first vector core signals. */
KERNEL(one_sided_cube) {
  UNUSED;
  begin_sub(core, 0, "one-to-one", 2);
  sk__cross_wait(core, 5);
  sk__core_end_sub(core);
}
KERNEL(one_sided_vector) {
  begin_sub(core, 0, "one-to-one", 2);
  if (core->sub_block == 0 || *(const bool *)context) sk__cross_set(core, SK__PIPE_MTE3, 2, 5);
  sk__core_end_sub(core);
}
static void test_one_signalling_vector_core_is_h2(void **state) {
  (void)state;
  EACH_SCHEDULE(m, "test") {
    bool both = false;
    assert_int_equal(launch_sk(m, SK_MIX_AIC_1_2, 2, one_sided_cube, one_sided_vector, &both), SK_DEADLOCK);
    assert_only(m, "H2");
    sk__findings_clear(sk__machine_checker(m));
    both = true;
    assert_int_equal(launch_sk(m, SK_MIX_AIC_1_2, 2, one_sided_cube, one_sided_vector, &both), SK_OK);
    assert_silent(m);
  }
}

SK_TESTS(SK_TEST(test_a_wait_for_nobody_is_a_deadlock), SK_TEST(test_a_core_that_skips_a_barrier_is_named),
         SK_TEST(test_a_barrier_over_more_blocks_than_cores), SK_TEST(test_a_circle_is_a_deadlock),
         SK_TEST(test_polling_in_vain_is_a_deadlock), SK_TEST(test_polling_by_hand_lets_others_run),
         SK_TEST(test_sync_all_on_too_few_cores_is_h1), SK_TEST(test_its_repaired_twin_is_silent),
         SK_TEST(test_alone_it_is_silent), SK_TEST(test_a_mix_barrier_on_too_few_cores_is_h1),
         SK_TEST(test_a_hand_written_barrier_is_h1_too), SK_TEST(test_one_signalling_vector_core_is_h2),
         SK_TEST(test_sync_all_of_vector_cores), SK_TEST(test_sync_all_of_all_cores),
         SK_TEST(test_sync_all_meets_the_same_barrier_in_flags), SK_TEST(test_sync_all_of_vector_cores_meets_flags),
         SK_TEST(test_all_leave_at_one_time), SK_TEST(test_a_barrier_orders_all_cores))
