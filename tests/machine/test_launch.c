/* Launches: which core runs which block, schedules, waves, statistics. */
#include "run_fixture.h"

typedef struct seen {
  uint32_t count;
  struct { uint32_t core, block, sub, ratio, num; } at[256];
} seen;

static void note(sk__core *core, void *context) {
  seen *s = context;
  s->at[s->count].core = core->index;
  s->at[s->count].block = core->block_idx;
  s->at[s->count].sub = core->sub_block;
  s->at[s->count].ratio = core->ratio;
  s->at[s->count].num = core->view.block_num;
  s->count++;
  assert_ptr_equal(sk__self, core);
}

static void test_refuses_bad_launches(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  assert_int_equal(launch(m, SK_AIV_ONLY, 0, NULL, note, NULL), SK_INVALID_ARGUMENT);
  assert_int_equal(launch(m, SK_AIV_ONLY, 1, NULL, NULL, NULL), SK_INVALID_ARGUMENT);
  assert_int_equal(launch(m, (sk_kernel_type)9, 1, NULL, note, NULL), SK_INVALID_ARGUMENT);
  sk__machine_destroy(m);
}

static void nested(sk__core *core, void *context) {
  *(sk_status *)context = launch(core->machine, SK_AIV_ONLY, 1, NULL, note, NULL);
}
static void test_refuses_a_launch_inside_a_kernel(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  sk_status inner = SK_OK;
  assert_int_equal(launch(m, SK_AIV_ONLY, 1, NULL, nested, &inner), SK_OK);
  assert_int_equal(inner, SK_STATE);
  sk__machine_destroy(m);
}

static void test_schedules_are_parsed(void **state) {
  (void)state;
  sk__schedule s;
  assert_int_equal(sk__schedule_parse("random:7", &s), SK_OK);
  assert_int_equal(s.kind, SK__SCHEDULE_RANDOM);
  assert_int_equal(s.seed, 7);
  assert_int_equal(sk__schedule_parse("slow-aiv1", &s), SK_OK);
  assert_int_equal(s.kind, SK__SCHEDULE_SLOW_AIV1);
  assert_int_equal(sk__schedule_parse("random", &s), SK_OK);
  const char *bad[] = {"", "rand", "random:", "random:x", "random:-1", "random:7x", "waves:3", "in-order2", "In-order"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) assert_int_equal(sk__schedule_parse(bad[i], &s), SK_INVALID_ARGUMENT);
}

static void test_vector_blocks_run_on_vector_cores_in_order(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  seen s = {0};
  assert_int_equal(launch(m, SK_AIV_ONLY, 3, NULL, note, &s), SK_OK);
  assert_int_equal(s.count, 3);
  for (uint32_t i = 0; i < 3; i++) {
    assert_int_equal(s.at[i].core, 2 + i);
    assert_int_equal(s.at[i].block, i);
    assert_int_equal(s.at[i].sub, 0);
    assert_int_equal(s.at[i].ratio, 1);
    assert_int_equal(s.at[i].num, 3);
  }
  assert_silent(m);
  sk__machine_destroy(m);
}

static void test_mix_starts_a_cube_and_two_vector_cores_per_block(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  seen s = {0};
  assert_int_equal(launch(m, SK_MIX_AIC_1_2, 2, note, note, &s), SK_OK);
  assert_int_equal(s.count, 6);
  const uint32_t core[] = {0, 2, 3, 1, 4, 5}, block[] = {0, 0, 0, 1, 1, 1}, sub[] = {0, 0, 1, 0, 0, 1}, ratio[] = {1, 2, 2, 1, 2, 2};
  for (uint32_t i = 0; i < 6; i++) {
    assert_int_equal(s.at[i].core, core[i]);
    assert_int_equal(s.at[i].block, block[i]);
    assert_int_equal(s.at[i].sub, sub[i]);
    assert_int_equal(s.at[i].ratio, ratio[i]);
  }
  s.count = 0;
  assert_int_equal(launch(m, SK_MIX_AIC_1_1, 2, note, note, &s), SK_OK);
  assert_int_equal(s.count, 4);
  assert_int_equal(s.at[1].core, 2);
  assert_int_equal(s.at[3].core, 4);
  assert_int_equal(s.at[3].ratio, 1);
  sk__machine_destroy(m);
}

static void test_a_missing_half_has_nothing_to_do(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  seen s = {0};
  assert_int_equal(launch(m, SK_MIX_AIC_1_2, 1, NULL, note, &s), SK_OK);
  assert_int_equal(s.count, 2);
  sk__machine_destroy(m);
}

static void test_more_blocks_than_cores_run_in_waves(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  seen s = {0};
  assert_int_equal(launch(m, SK_AIV_ONLY, 11, NULL, note, &s), SK_OK);
  assert_int_equal(s.count, 11);
  for (uint32_t i = 0; i < 11; i++) {
    assert_int_equal(s.at[i].block, i);
    assert_int_equal(s.at[i].core, 2 + i % 4);
  }
  s.count = 0;
  assert_int_equal(launch(m, SK_MIX_AIC_1_2, 5, note, note, &s), SK_OK);
  assert_int_equal(s.count, 15);
  assert_silent(m);
  sk__machine_destroy(m);
}

static sk__machine *scheduled(const char *text) {
  sk__schedule schedule;
  assert_int_equal(sk__schedule_parse(text, &schedule), SK_OK);
  return machine_of("test", (sk__machine_options){.schedule = schedule, .checks = true});
}

static void test_reversed_runs_the_last_block_first(void **state) {
  (void)state;
  sk__machine *m = scheduled("reversed");
  seen s = {0};
  launch(m, SK_AIV_ONLY, 4, NULL, note, &s);
  for (uint32_t i = 0; i < 4; i++) assert_int_equal(s.at[i].block, 3 - i);
  sk__machine_destroy(m);
}

static void test_slow_aiv1_runs_last(void **state) {
  (void)state;
  sk__machine *m = scheduled("slow-aiv1");
  seen s = {0};
  launch(m, SK_MIX_AIC_1_2, 2, note, note, &s);
  assert_int_equal(s.at[4].sub, 1);
  assert_int_equal(s.at[5].sub, 1);
  sk__machine_destroy(m);
}

static void twice_around_a_yield(sk__core *core, void *context) {
  note(core, context);
  sk__sync_all(core, true);
  note(core, context);
}

static void test_waves_run_a_third_at_a_time(void **state) {
  (void)state;
  sk__schedule schedule = {SK__SCHEDULE_WAVES, 0};
  sk__machine *m = machine_of(NULL, (sk__machine_options){.schedule = schedule});
  seen s = {0};
  launch(m, SK_MIX_AIV_1_0, 48, NULL, twice_around_a_yield, &s);
  assert_int_equal(s.count, 96);
  for (uint32_t i = 0; i < 16; i++) assert_true(s.at[i].block < 16);
  for (uint32_t i = 16; i < 32; i++) assert_true(s.at[i].block >= 16 && s.at[i].block < 32);
  sk__machine_destroy(m);
}

static void test_random_orders_depend_on_the_seed_only(void **state) {
  (void)state;
  seen s[3] = {{0}, {0}, {0}};
  const char *text[3] = {"random:1", "random:1", "random:2"};
  for (int i = 0; i < 3; i++) {
    sk__schedule schedule;
    assert_int_equal(sk__schedule_parse(text[i], &schedule), SK_OK);
    sk__machine *m = machine_of(NULL, (sk__machine_options){.schedule = schedule});
    launch(m, SK_MIX_AIV_1_0, 48, NULL, twice_around_a_yield, &s[i]);
    assert_int_equal(s[i].count, 96);
    sk__machine_destroy(m);
  }
  assert_memory_equal(&s[0], &s[1], sizeof s[0]);
  assert_memory_not_equal(&s[0], &s[2], sizeof s[0]);
}

static void advance(sk__core *core, void *context) {
  (void)context;
  sk__advance(core, SK__PIPE_V, 100 * (core->block_idx + 1));
}
static void test_stats_name_the_latest_core(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  sk__launch l = {.name = "kernel", .type = SK_AIV_ONLY, .blocks = 6, .entry = {NULL, advance}};
  sk__run_stats stats;
  assert_int_equal(sk__machine_run(m, &l, NULL, NULL, &stats), SK_OK);
  assert_int_equal(stats.aiv_used, 4);
  assert_int_equal(stats.aic_used, 0);
  assert_int_equal(stats.core_cycles[2], 100 + 500);
  assert_int_equal(stats.core_cycles[5], 400);
  assert_int_equal(stats.cycles, 200 + 600);
  sk__machine_destroy(m);
}

static void dirty_registers(sk__core *core, void *context) {
  *(uint64_t *)context += core->mask[0] != UINT64_MAX || core->atomic_type != 0 || core->ctrl != UINT64_C(1) << 48;
  core->mask[0] = 3;
  core->atomic_type = 1;
  core->ctrl = 0;
}
static void test_registers_are_reset_at_a_launch(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  uint64_t wrong = 0;
  for (int i = 0; i < 2; i++) launch(m, SK_MIX_AIC_1_2, 2, dirty_registers, dirty_registers, &wrong);
  assert_int_equal(wrong, 0);
  sk__machine_destroy(m);
}

#if SK__HARD
static void test_making_a_machine_survives_every_failing_allocation(void **state) {
  (void)state;
  sk__machine_options options = {.soc = sk__soc_find("test"), .checks = true};
  for (uint64_t n = 1;; n++) {
    sk__machine *m = NULL;
    sk__alloc_fail_at(n);
    sk_status status = sk__machine_create(&options, &m);
    sk__alloc_fail_at(0);
    if (status == SK_OK) {
      seen s = {0};
      assert_int_equal(launch(m, SK_AIV_ONLY, 3, NULL, note, &s), SK_OK);
      sk__machine_destroy(m);
      assert_true(n > 10);
      return;
    }
    assert_int_equal(status, SK_OUT_OF_MEMORY);
  }
}
#endif

SK_TESTS(SK_TEST(test_refuses_bad_launches), SK_TEST(test_refuses_a_launch_inside_a_kernel), SK_TEST(test_schedules_are_parsed),
         SK_TEST(test_vector_blocks_run_on_vector_cores_in_order),
         SK_TEST(test_mix_starts_a_cube_and_two_vector_cores_per_block), SK_TEST(test_a_missing_half_has_nothing_to_do),
         SK_TEST(test_more_blocks_than_cores_run_in_waves), SK_TEST(test_reversed_runs_the_last_block_first),
         SK_TEST(test_slow_aiv1_runs_last), SK_TEST(test_waves_run_a_third_at_a_time),
         SK_TEST(test_random_orders_depend_on_the_seed_only), SK_TEST(test_stats_name_the_latest_core),
         SK_TEST(test_registers_are_reset_at_a_launch)
#if SK__HARD
         , SK_TEST(test_making_a_machine_survives_every_failing_allocation)
#endif
)
