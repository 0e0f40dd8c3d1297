/* Cross-core flags in modes 0, 1 and 2, and the ledger over them. */
#include "run_fixture.h"

#define KERNEL(name) static void name(sk__core *core, void *context)
#define UNUSED (void)core, (void)context

static sk__pipe out_pipe(const sk__core *core) { return core->type == SK__AIC ? SK__PIPE_FIX : SK__PIPE_MTE3; }

/* Every schedule must come to the same end. */
static const sk__schedule schedules[] = {
  {SK__SCHEDULE_IN_ORDER, 0}, {SK__SCHEDULE_REVERSED, 0}, {SK__SCHEDULE_RANDOM, 1}, {SK__SCHEDULE_RANDOM, 2},
  {SK__SCHEDULE_SLOW_CONSUMER, 0}, {SK__SCHEDULE_SLOW_AIV1, 0}, {SK__SCHEDULE_WAVES, 0}};
enum { SCHEDULES = sizeof schedules / sizeof schedules[0] };
#define EACH_SCHEDULE(m, soc_name)                                                                                  \
  for (int i_ = 0; i_ < SCHEDULES; i_++)                                                                            \
    for (sk__machine *m = machine_of(soc_name, (sk__machine_options){.schedule = schedules[i_], .checks = true}); m != NULL; \
         sk__machine_destroy(m), m = NULL)

/* ---- mode 0 -------------------------------------------------------------------------------- */

typedef struct rounds { uint32_t before[128], worst; } rounds;

KERNEL(mode0_rounds) {
  rounds *r = context;
  for (uint32_t i = 1; i <= 20; i++) {
    r->before[core->index] = i;
    sk__cross_set(core, SK__PIPE_MTE3, 0, 3);
    sk__cross_wait(core, 3);
    for (uint32_t c = 24; c < 72; c++)
      if (r->before[c] < i) r->worst++; /* somebody had not set yet */
  }
}
static void test_mode_0_waits_for_all(void **state) {
  (void)state;
  EACH_SCHEDULE(m, NULL) {
    rounds r = {{0}, 0};
    assert_int_equal(launch(m, SK_MIX_AIV_1_0, 48, NULL, mode0_rounds, &r), SK_OK);
    assert_int_equal(r.worst, 0);
    assert_silent(m);
  }
}

/* ---- mode 1 -------------------------------------------------------------------------------- */

KERNEL(mode1_pairs) {
  uint32_t(*at)[2] = context;
  for (uint32_t i = 1; i <= 10; i++) {
    at[core->group][core->sub_block] = i;
    sk__cross_set(core, SK__PIPE_V, 1, 5);
    sk__cross_wait(core, 5);
    assert_true(at[core->group][1 - core->sub_block] >= i);
  }
}
static void test_mode_1_waits_for_the_pair(void **state) {
  (void)state;
  EACH_SCHEDULE(m, "test") {
    uint32_t at[2][2] = {{0}};
    assert_int_equal(launch(m, SK_MIX_AIC_1_2, 2, NULL, mode1_pairs, at), SK_OK);
    assert_silent(m);
  }
}

/* ---- mode 2 -------------------------------------------------------------------------------- */

typedef struct exchange { uint32_t aic[2], aiv[2][2], wrong; } exchange;

KERNEL(mode2_cube) {
  exchange *x = context;
  for (uint32_t i = 1; i <= 10; i++) {
    x->aic[core->group] = i;
    sk__cross_set(core, SK__PIPE_FIX, 2, 1);
    sk__cross_wait(core, 2);
    for (int v = 0; v < 2; v++) x->wrong += x->aiv[core->group][v] < i; /* both must have answered */
  }
}
KERNEL(mode2_vector) {
  exchange *x = context;
  for (uint32_t i = 1; i <= 10; i++) {
    sk__cross_wait(core, 1);
    x->wrong += x->aic[core->group] < i;
    x->aiv[core->group][core->sub_block] = i;
    sk__cross_set(core, SK__PIPE_MTE3, 2, 2);
  }
}
static void test_mode_2_there_and_back(void **state) {
  (void)state;
  EACH_SCHEDULE(m, "test") {
    exchange x = {0};
    assert_int_equal(launch(m, SK_MIX_AIC_1_2, 2, mode2_cube, mode2_vector, &x), SK_OK);
    assert_int_equal(x.wrong, 0);
    assert_silent(m);
  }
}

KERNEL(slow_set) {
  (void)context;
  sk__advance(core, SK__PIPE_FIX, 7000);
  sk__cross_set(core, SK__PIPE_FIX, 2, 1);
}
KERNEL(measured_wait) {
  sk__cross_wait(core, 1);
  *(uint64_t *)context = core->cycles[SK__PIPE_S];
}
static void test_a_wait_takes_over_the_setters_clock(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  uint64_t at = 0;
  launch(m, SK_MIX_AIC_1_2, 1, slow_set, measured_wait, &at);
  assert_int_equal(at, 7000 + sk__machine_soc(m)->costs.cross_flag_cycles);
  sk__machine_destroy(m);
}

/* ---- misuse -------------------------------------------------------------------------------- */

KERNEL(set_mode_3) {
  UNUSED;
  sk__cross_set(core, SK__PIPE_MTE3, 3, 0);
}
KERNEL(set_on_scalar_pipe) {
  UNUSED;
  sk__cross_set(core, SK__PIPE_S, 0, 0);
}
KERNEL(set_mode_2) {
  UNUSED;
  sk__cross_set(core, SK__PIPE_MTE3, 2, 0);
}
static void test_illegal_sets_are_found(void **state) {
  (void)state;
  const struct { half_fn fn; const char *id; } cases[] = {
    {set_mode_3, "BAD_ARGUMENT"}, {set_on_scalar_pipe, "BAD_ARGUMENT"}, {set_mode_2, "CROSS_NOT_MIXED"}};
  for (size_t i = 0; i < 3; i++) {
    sk__machine *m = small_machine();
    assert_int_equal(launch(m, SK_MIX_AIV_1_0, 2, NULL, cases[i].fn, NULL), SK_OK);
    assert_only(m, cases[i].id);
    sk__machine_destroy(m);
  }
}

KERNEL(mode0_once) {
  const uint32_t *id = context;
  sk__cross_set(core, out_pipe(core), 0, *id);
  sk__cross_wait(core, *id);
}
static void test_reserved_and_large_ids_are_h8(void **state) {
  (void)state;
  const uint32_t ids[] = {11, 14, 15, 19, 10};
  const bool found[] = {true, true, true, true, false};
  for (size_t i = 0; i < 5; i++) {
    sk__machine *m = small_machine();
    uint32_t id = ids[i];
    assert_int_equal(launch(m, SK_MIX_AIV_1_0, 4, NULL, mode0_once, &id), SK_OK);
    if (found[i]) assert_found(m, "H8");
    else assert_silent(m);
    sk__machine_destroy(m);
  }
}
static void test_an_sk_may_use_the_reserved_ids(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  uint32_t id = 14;
  assert_int_equal(launch_sk(m, SK_MIX_AIV_1_0, 4, NULL, mode0_once, &id), SK_OK);
  assert_silent(m);
  sk__machine_destroy(m);
}

KERNEL(two_modes) {
  UNUSED;
  sk__cross_set(core, SK__PIPE_MTE3, 0, 3);
  sk__cross_set(core, SK__PIPE_MTE3, 1, 3);
  sk__cross_wait(core, 3);
  sk__cross_wait(core, 3);
}
KERNEL(two_modes_in_turn) {
  UNUSED;
  sk__cross_set(core, SK__PIPE_MTE3, 0, 3);
  sk__cross_wait(core, 3);
  sk__cross_set(core, SK__PIPE_MTE3, 1, 3);
  sk__cross_wait(core, 3);
}
static void test_one_id_in_two_modes_is_h8(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  assert_int_equal(launch(m, SK_MIX_AIC_1_2, 2, NULL, two_modes, NULL), SK_OK);
  assert_only(m, "H8");
  sk__machine_destroy(m);
  m = small_machine();
  assert_int_equal(launch(m, SK_MIX_AIC_1_2, 2, NULL, two_modes_in_turn, NULL), SK_OK);
  assert_silent(m);
  sk__machine_destroy(m);
}

static void test_vector_only_kernels_have_no_scheduler(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  uint32_t id = 3;
  assert_int_equal(launch(m, SK_AIV_ONLY, 4, NULL, mode0_once, &id), SK_OK); /* counted all the same */
  assert_only(m, "H10");
  assert_int_equal(finding_of(m, "H10")->severity, SK__WARNING);
  sk__machine_destroy(m);
}

KERNEL(many_sets) {
  const int *n = context;
  for (int i = 0; i < *n; i++) sk__cross_set(core, SK__PIPE_FIX, 2, 1);
}
KERNEL(many_waits) {
  const int *n = context;
  for (int i = 0; i < *n; i++) sk__cross_wait(core, 1);
}
static void test_more_than_fifteen_sets_overflow(void **state) {
  (void)state;
  for (int n = 15; n <= 20; n += 5) {
    sk__machine *m = small_machine();
    assert_int_equal(launch(m, SK_MIX_AIC_1_2, 2, many_sets, many_waits, &n), SK_OK);
    if (n == 15) assert_silent(m);
    else assert_only(m, "CROSS_FLAG_OVERFLOW");
    sk__machine_destroy(m);
  }
}
KERNEL(many_group_sets) {
  const int *n = context;
  for (int i = 0; i < *n; i++) sk__cross_set(core, SK__PIPE_MTE3, 0, 1);
  for (int i = 0; i < *n; i++) sk__cross_wait(core, 1);
}
static void test_group_sets_overflow_in_every_schedule(void **state) {
  (void)state;
  for (int n = 15; n <= 40; n += 25) EACH_SCHEDULE(m, "test") {
    assert_int_equal(launch(m, SK_MIX_AIV_1_0, 4, NULL, many_group_sets, &n), SK_OK);
    if (n == 15) assert_silent(m);
    else assert_only(m, "CROSS_FLAG_OVERFLOW");
  }
}

/* ---- balance ------------------------------------------------------------------------------- */

KERNEL(sets_twice) {
  UNUSED;
  sk__cross_set(core, SK__PIPE_FIX, 2, 1);
  sk__cross_set(core, SK__PIPE_FIX, 2, 1);
}
KERNEL(waits_once) {
  UNUSED;
  sk__cross_wait(core, 1);
}
static void test_a_set_too_many_is_a_warning_alone(void **state) {
  (void)state;
  EACH_SCHEDULE(m, "test") {
    assert_int_equal(launch(m, SK_MIX_AIC_1_2, 2, sets_twice, waits_once, NULL), SK_OK);
    assert_only(m, "H7");
    assert_int_equal(finding_of(m, "H7")->severity, SK__WARNING);
    sk__findings_clear(sk__machine_checker(m));
    uint32_t id = 1; /* the next launch starts from zero */
    assert_int_equal(launch(m, SK_MIX_AIV_1_0, 2, NULL, mode0_once, &id), SK_OK);
    assert_silent(m);
  }
}

/* An SK of two subs; the first one leaks, the second one relies on its own set. */
KERNEL(leaky_sk_cube) {
  const bool *leaks = context;
  begin_sub(core, 0, "leaky", 2);
  sk__cross_set(core, SK__PIPE_FIX, 2, 4);
  if (*leaks) sk__cross_set(core, SK__PIPE_FIX, 2, 4);
  sk__core_end_sub(core);
  begin_sub(core, 1, "victim", 2);
  sk__cross_set(core, SK__PIPE_FIX, 2, 4);
  sk__core_end_sub(core);
}
KERNEL(leaky_sk_vector) {
  UNUSED;
  for (uint32_t task = 0; task < 2; task++) {
    begin_sub(core, task, task == 0 ? "leaky" : "victim", 2);
    sk__cross_wait(core, 4);
    sk__core_end_sub(core);
  }
}
static void test_a_leak_inside_an_sk_is_h7(void **state) {
  (void)state;
  EACH_SCHEDULE(m, "test") {
    bool leaks = true;
    assert_int_equal(launch_sk(m, SK_MIX_AIC_1_2, 2, leaky_sk_cube, leaky_sk_vector, &leaks), SK_OK);
    assert_only(m, "H7");
    const sk__finding *f = finding_of(m, "H7");
    assert_int_equal(f->severity, SK__ERROR);
    assert_non_null(strstr(f->message, "leaky"));
    assert_non_null(strstr(f->message, "id 4"));
    assert_non_null(strstr(f->message, "AIV 0-3"));
    assert_int_equal(f->ends[0].task, 0);
  }
}
static void test_its_repaired_twin_is_silent(void **state) {
  (void)state;
  EACH_SCHEDULE(m, "test") {
    bool leaks = false;
    assert_int_equal(launch_sk(m, SK_MIX_AIC_1_2, 2, leaky_sk_cube, leaky_sk_vector, &leaks), SK_OK);
    assert_silent(m);
  }
}

/* ---- order --------------------------------------------------------------------------------- */

KERNEL(writes) {
  sk__cross_set(core, SK__PIPE_FIX, 2, 6); /* something to wait for before the store: must not cover it */
  uint64_t to = *(const uint64_t *)context;
  sk__shadow_gm(core->checker, &core->order, SK__PIPE_FIX, SK__WRITE, to, 512, __builtin_return_address(0), "store");
  sk__cross_set(core, SK__PIPE_FIX, 2, 7);
}
KERNEL(reads_after_the_flag) {
  sk__cross_wait(core, 6);
  sk__cross_wait(core, 7);
  uint64_t from = *(const uint64_t *)context;
  sk__shadow_gm(core->checker, &core->order, SK__PIPE_MTE2, SK__READ, from, 512, __builtin_return_address(0), "load");
}
KERNEL(reads_before_the_flag) {
  sk__cross_wait(core, 6);
  uint64_t from = *(const uint64_t *)context;
  sk__shadow_gm(core->checker, &core->order, SK__PIPE_MTE2, SK__READ, from, 512, __builtin_return_address(0), "load");
  sk__cross_wait(core, 7);
}
static void test_a_flag_orders_what_was_before_its_set(void **state) {
  (void)state;
  EACH_SCHEDULE(m, "test") {
    void *gm;
    assert_int_equal(sk__gm_alloc(m, 4096, "tensor", &gm), SK_OK);
    assert_int_equal(sk__gm_host_set(m, (uint64_t)(uintptr_t)gm, 0, 4096), SK_OK);
    uint64_t at = (uint64_t)(uintptr_t)gm;
    assert_int_equal(launch(m, SK_MIX_AIC_1_1, 1, writes, reads_after_the_flag, &at), SK_OK);
    assert_silent(m);
    assert_int_equal(launch(m, SK_MIX_AIC_1_1, 1, writes, reads_before_the_flag, &at), SK_OK);
    print_findings(m);
    assert_true(finding_count(m) > 0);
  }
}

SK_TESTS(SK_TEST(test_illegal_sets_are_found), SK_TEST(test_reserved_and_large_ids_are_h8), SK_TEST(test_one_id_in_two_modes_is_h8),
         SK_TEST(test_vector_only_kernels_have_no_scheduler), SK_TEST(test_more_than_fifteen_sets_overflow),
         SK_TEST(test_group_sets_overflow_in_every_schedule), SK_TEST(test_an_sk_may_use_the_reserved_ids),
         SK_TEST(test_mode_0_waits_for_all), SK_TEST(test_mode_1_waits_for_the_pair), SK_TEST(test_mode_2_there_and_back),
         SK_TEST(test_a_wait_takes_over_the_setters_clock), SK_TEST(test_a_set_too_many_is_a_warning_alone),
         SK_TEST(test_a_leak_inside_an_sk_is_h7), SK_TEST(test_its_repaired_twin_is_silent),
         SK_TEST(test_a_flag_orders_what_was_before_its_set))
