/* test_sync.c - missing synchronisation is found, its repaired twin is silent; both ends are named. */
#include "fake_core.h"
#include "meet.h"

static void flag(fake_core *core, sk__pipe src, sk__pipe dst) {
  sk__event_clock event;
  sk__order_set_flag(&core->order, src, &event);
  sk__order_wait_flag(&core->order, dst, &event);
}

/* MTE2 loads, V adds, MTE3 stores; `flags` tells which of the two hand-overs are there. */
static void pipeline(sk__checker *checker, fake_core *core, unsigned flags) {
  local_access(checker, core, SK__PIPE_MTE2, SK__WRITE, 0, 1024, 1);
  if ((flags & 1) != 0) flag(core, SK__PIPE_MTE2, SK__PIPE_V);
  local_access(checker, core, SK__PIPE_V, SK__READ, 0, 1024, 2);
  local_access(checker, core, SK__PIPE_V, SK__WRITE, 4096, 1024, 2);
  if ((flags & 2) != 0) flag(core, SK__PIPE_V, SK__PIPE_MTE3);
  local_access(checker, core, SK__PIPE_MTE3, SK__READ, 4096, 1024, 3);
}

static void test_missing_flag_is_found_with_both_ends(void **state) {
  (void)state;
  sk__checker *checker = fake_checker();
  fake_core core = {.kernel = "add"};
  fake_begin(checker, &core, 30, NULL);
  pipeline(checker, &core, 1);
  const sk__finding *f = only_finding(checker, "SYNC_LOCAL");
  assert_int_equal(f->severity, SK__ERROR);
  assert_int_equal(f->category, SK__CAT_OPERATOR);
  assert_int_equal(f->end_count, 2);
  assert_string_equal(f->ends[0].role, "writer");
  assert_ptr_equal(f->ends[0].site, SITE(2));
  assert_int_equal(f->ends[0].pipe, SK__PIPE_V);
  assert_string_equal(f->ends[0].kernel, "add");
  assert_int_equal(f->ends[0].block, 30);
  assert_string_equal(f->ends[1].role, "reader");
  assert_ptr_equal(f->ends[1].site, SITE(3));
  assert_int_equal(f->ends[1].pipe, SK__PIPE_MTE3);
  assert_int_equal(f->ends[1].core, 30);
  assert_int_equal(f->ends[1].core_type, SK__AIV);
  assert_int_equal(f->ends[1].mem, SK__MEM_UB);
  assert_int_equal(f->ends[1].address, sk__local_slot(30) + 4096);
  assert_int_equal(f->ends[1].bytes, 1024);
  assert_non_null(strstr(f->message, "UB bytes 0x1000..0x13ff"));
  assert_non_null(strstr(f->remedy, "set_flag(PIPE_V, PIPE_MTE3, id)"));
  sk__checker_destroy(checker);
}

static void test_flags_in_place_are_silent(void **state) {
  (void)state;
  sk__checker *checker = fake_checker();
  fake_core core = {0};
  fake_begin(checker, &core, 30, NULL);
  pipeline(checker, &core, 3);
  assert_int_equal(finding_count(checker), 0);
  sk__checker_destroy(checker);
}

static void test_barrier_of_all_pipes_is_enough(void **state) {
  (void)state;
  sk__checker *checker = fake_checker();
  fake_core core = {0};
  fake_begin(checker, &core, 30, NULL);
  local_access(checker, &core, SK__PIPE_MTE2, SK__WRITE, 0, 1024, 1);
  sk__order_barrier(&core.order, SK__PIPE_ALL);
  local_access(checker, &core, SK__PIPE_V, SK__READ, 0, 1024, 2);
  assert_int_equal(finding_count(checker), 0);
  sk__order_barrier(&core.order, SK__PIPE_V); /* of one pipe: says nothing to another */
  local_access(checker, &core, SK__PIPE_MTE2, SK__WRITE, 0, 1024, 4);
  only_finding(checker, "SYNC_LOCAL");
  sk__checker_destroy(checker);
}

static void test_flag_set_too_early_does_not_cover(void **state) {
  (void)state;
  sk__checker *checker = fake_checker();
  fake_core core = {0};
  sk__event_clock event;
  fake_begin(checker, &core, 30, NULL);
  sk__order_set_flag(&core.order, SK__PIPE_MTE2, &event);
  local_access(checker, &core, SK__PIPE_MTE2, SK__WRITE, 0, 1024, 1);
  sk__order_wait_flag(&core.order, SK__PIPE_V, &event);
  local_access(checker, &core, SK__PIPE_V, SK__READ, 0, 1024, 2);
  only_finding(checker, "SYNC_LOCAL");
  sk__checker_destroy(checker);
}

/* The scalar unit that waited holds back whatever it issues afterwards. */
static void test_scalar_wait_orders_every_pipe(void **state) {
  (void)state;
  sk__checker *checker = fake_checker();
  fake_core core = {0};
  fake_begin(checker, &core, 30, NULL);
  local_access(checker, &core, SK__PIPE_V, SK__WRITE, 0, 256, 1);
  flag(&core, SK__PIPE_V, SK__PIPE_S);
  local_access(checker, &core, SK__PIPE_MTE3, SK__READ, 0, 256, 2);
  assert_int_equal(finding_count(checker), 0);
  sk__checker_destroy(checker);
}

static void test_scalar_store_is_seen_by_later_instructions_only(void **state) {
  (void)state;
  sk__checker *checker = fake_checker();
  fake_core core = {0};
  fake_begin(checker, &core, 30, NULL);
  local_access(checker, &core, SK__PIPE_S, SK__WRITE, 0, 4, 1);
  local_access(checker, &core, SK__PIPE_V, SK__READ, 0, 4, 2);
  assert_int_equal(finding_count(checker), 0);
  local_access(checker, &core, SK__PIPE_S, SK__WRITE, 0, 4, 3); /* V may still read */
  only_finding(checker, "SYNC_LOCAL");
  sk__checker_destroy(checker);
}

static void test_same_pipe_is_judged_on_request(void **state) {
  (void)state;
  for (int judged = 0; judged < 2; judged++) {
    sk__checker *checker = fake_checker();
    sk__checker_set_same_pipe(checker, judged == 1);
    fake_core core = {0};
    fake_begin(checker, &core, 30, NULL);
    local_access(checker, &core, SK__PIPE_MTE2, SK__WRITE, 0, 512, 1);
    local_access(checker, &core, SK__PIPE_MTE2, SK__WRITE, 256, 512, 2);
    assert_int_equal(finding_count(checker), judged);
    if (judged) assert_non_null(strstr(only_finding(checker, "SAME_PIPE")->remedy, "pipe_barrier(PIPE_MTE2)"));
    sk__findings_clear(checker);
    sk__order_barrier(&core.order, SK__PIPE_MTE2);
    local_access(checker, &core, SK__PIPE_MTE2, SK__WRITE, 0, 768, 3);
    assert_int_equal(finding_count(checker), 0);
    sk__checker_destroy(checker);
  }
}

/* ---- between cores --------------------------------------------------------------------------- */

static void test_cross_core_flag(void **state) {
  (void)state;
  for (int repaired = 0; repaired < 2; repaired++) {
    sk__checker *checker = fake_checker();
    fake_core cube = {.kernel = "mix"}, vector = {.kernel = "mix"};
    fake_begin(checker, &cube, 0, NULL);
    fake_begin(checker, &vector, 24, NULL);
    gm_access(checker, &cube, SK__PIPE_FIX, SK__WRITE, 4096, 8192, 1);
    sk__snapshot *message = NULL;
    sk__order_publish(checker, &cube.order, repaired ? SK__PIPE_FIX : SK__PIPE_MTE3, &message);
    gm_access(checker, &cube, SK__PIPE_FIX, SK__WRITE, 65536, 512, 2); /* after the set: not covered */
    sk__order_acquire(checker, &vector.order, message);
    sk__snapshot_unref(message);
    gm_access(checker, &vector, SK__PIPE_MTE2, SK__READ, 4096, 8192, 3);
    if (repaired) {
      assert_int_equal(finding_count(checker), 0);
    } else {
      const sk__finding *f = only_finding(checker, "SYNC_GM");
      assert_int_equal(f->ends[0].core, 0);
      assert_int_equal(f->ends[0].core_type, SK__AIC);
      assert_ptr_equal(f->ends[0].site, SITE(1));
      assert_int_equal(f->ends[1].core, 24);
      assert_int_equal(f->ends[1].address, SK__GM_BASE + 4096);
      assert_int_equal(f->ends[1].bytes, 8192); /* both pages in one finding */
      assert_int_equal(f->count, 1);
      assert_non_null(strstr(f->remedy, "cross-core flag"));
    }
    sk__findings_clear(checker);
    gm_access(checker, &vector, SK__PIPE_MTE2, SK__READ, 65536, 512, 4);
    only_finding(checker, "SYNC_GM");
    sk__checker_destroy(checker);
  }
}

static void test_sync_all(void **state) {
  (void)state;
  sk__checker *checker = fake_checker();
  static fake_core cores[48];
  sk__order *orders[48];
  for (uint32_t i = 0; i < 48; i++) {
    fake_begin(checker, &cores[i], 24 + i, NULL);
    orders[i] = &cores[i].order;
    gm_access(checker, &cores[i], SK__PIPE_MTE3, SK__WRITE, i * 512, 512, 1);
  }
  gm_access(checker, &cores[47], SK__PIPE_MTE2, SK__READ, 0, 512, 2); /* too early */
  only_finding(checker, "SYNC_GM");
  sk__findings_clear(checker);
  cores_meet(checker, orders, 48);
  for (uint32_t i = 0; i < 48; i++) gm_access(checker, &cores[i], SK__PIPE_MTE2, SK__READ, 0, 48 * 512, 3);
  assert_int_equal(finding_count(checker), 0);
  sk__checker_destroy(checker);
}

static void test_launch_order(void **state) {
  (void)state;
  sk__checker *checker = fake_checker();
  fake_core first = {.kernel = "first"}, second = {.kernel = "second"};
  fake_begin(checker, &first, 30, NULL);
  gm_access(checker, &first, SK__PIPE_MTE3, SK__WRITE, 0, 4096, 1);
  sk__snapshot *after = sk__snapshot_new(checker, NULL);
  sk__order_end(checker, &first.order, after);
  fake_begin(checker, &second, 31, after); /* same stream */
  gm_access(checker, &second, SK__PIPE_MTE2, SK__READ, 0, 4096, 2);
  assert_int_equal(finding_count(checker), 0);
  sk__order_end(checker, &second.order, NULL);
  second.launch = 7;
  fake_begin(checker, &second, 31, NULL); /* another stream, no event */
  gm_access(checker, &second, SK__PIPE_MTE2, SK__READ, 0, 4096, 2);
  const sk__finding *f = only_finding(checker, "SYNC_GM");
  assert_string_equal(f->ends[0].kernel, "first");
  assert_int_equal(f->ends[0].launch, 1);
  assert_string_equal(f->ends[1].kernel, "second");
  assert_int_equal(f->ends[1].launch, 8);
  assert_non_null(strstr(f->remedy, "event"));
  sk__snapshot_unref(after);
  sk__checker_destroy(checker);
}

/* Two blocks that happened to run on one core one after the other are still unordered. */
static void test_blocks_on_one_core_are_unordered(void **state) {
  (void)state;
  sk__checker *checker = fake_checker();
  fake_core core = {0};
  fake_begin(checker, &core, 30, NULL);
  gm_access(checker, &core, SK__PIPE_MTE3, SK__WRITE, 0, 4096, 1);
  local_access(checker, &core, SK__PIPE_MTE3, SK__WRITE, 0, 4096, 1);
  sk__order_end(checker, &core.order, NULL);
  fake_begin(checker, &core, 30, NULL);
  local_access(checker, &core, SK__PIPE_V, SK__WRITE, 0, 4096, 1); /* local memory: the core was left */
  assert_int_equal(finding_count(checker), 0);
  gm_access(checker, &core, SK__PIPE_MTE3, SK__WRITE, 0, 4096, 1);
  only_finding(checker, "SYNC_GM");
  sk__checker_destroy(checker);
}

SK_TESTS(SK_TEST(test_missing_flag_is_found_with_both_ends), SK_TEST(test_flags_in_place_are_silent),
         SK_TEST(test_barrier_of_all_pipes_is_enough), SK_TEST(test_flag_set_too_early_does_not_cover),
         SK_TEST(test_scalar_wait_orders_every_pipe), SK_TEST(test_scalar_store_is_seen_by_later_instructions_only),
         SK_TEST(test_same_pipe_is_judged_on_request), SK_TEST(test_cross_core_flag), SK_TEST(test_sync_all),
         SK_TEST(test_launch_order), SK_TEST(test_blocks_on_one_core_are_unordered))
