/* Event flags and pipe barriers inside a core. */
#include "run_fixture.h"

#define KERNEL(name) static void name(sk__core *core, void *context)
#define UNUSED (void)core, (void)context

KERNEL(set_and_wait) {
  UNUSED;
  sk__set_flag(core, SK__PIPE_MTE2, SK__PIPE_V, 0);
  sk__wait_flag(core, SK__PIPE_MTE2, SK__PIPE_V, 0);
}
KERNEL(waits_without_a_set) {
  UNUSED;
  sk__wait_flag(core, SK__PIPE_MTE2, SK__PIPE_V, 0);
}
KERNEL(sets_twice) {
  UNUSED;
  for (int i = 0; i < 2; i++) sk__set_flag(core, SK__PIPE_MTE2, SK__PIPE_V, 0);
  sk__wait_flag(core, SK__PIPE_MTE2, SK__PIPE_V, 0);
}
KERNEL(leaves_it_set) {
  UNUSED;
  sk__set_flag(core, SK__PIPE_MTE2, SK__PIPE_V, 3);
}
KERNEL(no_such_pair) {
  UNUSED;
  sk__set_flag(core, SK__PIPE_M, SK__PIPE_V, 0);
}
KERNEL(no_such_id) {
  UNUSED;
  sk__set_flag(core, SK__PIPE_MTE2, SK__PIPE_V, 8);
}

static sk__machine *run_on_vector(half_fn kernel) {
  sk__machine *m = small_machine();
  assert_int_equal(launch(m, SK_MIX_AIV_1_0, 2, NULL, kernel, NULL), SK_OK);
  return m;
}

static void test_a_pair_is_silent(void **state) {
  (void)state;
  sk__machine *m = run_on_vector(set_and_wait);
  assert_silent(m);
  sk__machine_destroy(m);
}
static void test_a_wait_without_a_set_is_found(void **state) {
  (void)state;
  sk__machine *m = run_on_vector(waits_without_a_set);
  assert_only(m, "FLAG_UNPAIRED");
  assert_int_equal(finding_of(m, "FLAG_UNPAIRED")->severity, SK__ERROR);
  sk__machine_destroy(m);
}
static void test_a_second_set_is_found(void **state) {
  (void)state;
  sk__machine *m = run_on_vector(sets_twice);
  assert_only(m, "FLAG_SET_TWICE");
  sk__machine_destroy(m);
}
static void test_a_flag_left_set_is_found(void **state) {
  (void)state;
  sk__machine *m = run_on_vector(leaves_it_set);
  assert_only(m, "FLAG_UNPAIRED");
  assert_int_equal(finding_of(m, "FLAG_UNPAIRED")->severity, SK__WARNING);
  sk__findings_clear(sk__machine_checker(m));
  assert_int_equal(launch(m, SK_MIX_AIV_1_0, 2, NULL, set_and_wait, NULL), SK_OK); /* a launch starts clear */
  assert_silent(m);
  sk__machine_destroy(m);
}
static void test_illegal_flags_are_found(void **state) {
  (void)state;
  sk__machine *m = run_on_vector(no_such_pair);
  assert_only(m, "FLAG_NO_PAIR");
  sk__machine_destroy(m);
  m = run_on_vector(no_such_id);
  assert_only(m, "BAD_ARGUMENT");
  sk__machine_destroy(m);
}

/* The pairs of the hardware description, written out once more as text. */
static const char *const pairs_of[2] = {
  "MTE2_MTE1 MTE1_MTE2 MTE1_M M_MTE1 MTE3_MTE1 MTE1_MTE3 MTE2_M M_MTE2 M_FIX FIX_M MTE3_MTE2 MTE2_MTE3 S_MTE2 MTE2_S "
  "S_MTE3 MTE3_S MTE2_FIX FIX_MTE2 FIX_S M_S FIX_MTE3 MTE1_FIX FIX_MTE1 FIX_FIX ",
  "MTE2_V V_MTE2 MTE3_V V_MTE3 V_V MTE3_MTE2 MTE2_MTE3 S_V V_S S_MTE2 MTE2_S S_MTE3 MTE3_S "};

KERNEL(every_pair) {
  uint32_t *legal = context;
  for (int src = 0; src < SK__PIPES; src++)
    for (int dst = 0; dst < SK__PIPES; dst++) {
      char name[32], padded[1024];
      snprintf(name, sizeof name, " %s_%s ", sk__pipe_name((sk__pipe)src), sk__pipe_name((sk__pipe)dst));
      snprintf(padded, sizeof padded, " %s", pairs_of[core->type]);
      bool expected = strstr(padded, name) != NULL;
      sk__set_flag(core, (sk__pipe)src, (sk__pipe)dst, 1);
      bool done = core->events[src][dst] != 0;
      assert_int_equal(done, expected);
      legal[core->type] += done;
      if (done) sk__wait_flag(core, (sk__pipe)src, (sk__pipe)dst, 1);
    }
}
static void test_the_table_of_pairs(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  uint32_t legal[2] = {0, 0};
  assert_int_equal(launch(m, SK_MIX_AIC_1_1, 1, every_pair, every_pair, legal), SK_OK);
  assert_int_equal(legal[SK__AIC], 24);
  assert_int_equal(legal[SK__AIV], 13);
  sk__machine_destroy(m);
}

KERNEL(times) {
  uint64_t *seen = context;
  uint32_t flag = core->machine->soc->costs.flag_cycles;
  sk__advance(core, SK__PIPE_MTE2, 1000);
  sk__advance(core, SK__PIPE_V, 10);
  sk__set_flag(core, SK__PIPE_MTE2, SK__PIPE_V, 0);
  sk__wait_flag(core, SK__PIPE_MTE2, SK__PIPE_V, 0);
  seen[0] = core->cycles[SK__PIPE_V] - flag; /* waits for MTE2 */
  sk__advance(core, SK__PIPE_MTE3, 5000);
  sk__pipe_barrier(core, SK__PIPE_MTE3);
  seen[1] = core->cycles[SK__PIPE_V] - flag; /* does not wait for MTE3 */
  sk__pipe_barrier(core, SK__PIPE_ALL);
  seen[2] = core->cycles[SK__PIPE_V];
  seen[3] = core->cycles[SK__PIPE_S];
}
static void test_clocks_follow_flags_and_barriers(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  uint64_t seen[4] = {0};
  launch(m, SK_MIX_AIV_1_0, 1, NULL, times, seen);
  assert_int_equal(seen[0], 1000);
  assert_int_equal(seen[1], 1000);
  assert_int_equal(seen[2], 5000);
  assert_int_equal(seen[3], 5000);
  sk__machine_destroy(m);
}

KERNEL(bad_barrier) {
  UNUSED;
  sk__pipe_barrier(core, SK__PIPE_S);
}
KERNEL(foreign_barrier) {
  UNUSED;
  sk__pipe_barrier(core, SK__PIPE_M);
}
static void test_illegal_barriers_are_found(void **state) {
  (void)state;
  sk__machine *m = run_on_vector(bad_barrier);
  assert_only(m, "BAD_ARGUMENT");
  sk__machine_destroy(m);
  m = run_on_vector(foreign_barrier);
  assert_only(m, "BAD_ARGUMENT");
  sk__machine_destroy(m);
}

/* ---- inside an SK -------------------------------------------------------------------------- */

KERNEL(sub_leaves_it_set) {
  UNUSED;
  begin_sub(core, 0, "first", 2);
  sk__set_flag(core, SK__PIPE_MTE2, SK__PIPE_V, 3);
  sk__core_end_sub(core);
  begin_sub(core, 1, "second", 2);
  sk__wait_flag(core, SK__PIPE_MTE2, SK__PIPE_V, 3); /* passes too early: it is the first one's */
  sk__core_end_sub(core);
}
KERNEL(subs_keep_it_paired) {
  UNUSED;
  for (uint32_t task = 0; task < 2; task++) {
    begin_sub(core, task, task == 0 ? "first" : "second", 2);
    set_and_wait(core, NULL);
    sk__core_end_sub(core);
  }
}
static void test_a_sub_that_leaves_a_flag_set_is_h22(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  assert_int_equal(launch_sk(m, SK_MIX_AIV_1_0, 2, NULL, sub_leaves_it_set, NULL), SK_OK);
  assert_found(m, "H22");
  assert_non_null(strstr(finding_of(m, "H22")->message, "first"));
  sk__machine_destroy(m);
}
static void test_its_repaired_twin_is_silent(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  assert_int_equal(launch_sk(m, SK_MIX_AIV_1_0, 2, NULL, subs_keep_it_paired, NULL), SK_OK);
  assert_silent(m);
  sk__machine_destroy(m);
}

SK_TESTS(SK_TEST(test_a_wait_without_a_set_is_found), SK_TEST(test_a_second_set_is_found),
         SK_TEST(test_a_flag_left_set_is_found), SK_TEST(test_illegal_flags_are_found), SK_TEST(test_illegal_barriers_are_found),
         SK_TEST(test_a_pair_is_silent), SK_TEST(test_the_table_of_pairs), SK_TEST(test_clocks_follow_flags_and_barriers),
         SK_TEST(test_a_sub_that_leaves_a_flag_set_is_h22), SK_TEST(test_its_repaired_twin_is_silent))
