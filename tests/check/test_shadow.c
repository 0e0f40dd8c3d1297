/* test_shadow.c - levels, byte exactness, atomics, reader sets, bytes never written. */
#include "fake_core.h"
#include "meet.h"

#include <pthread.h>

static sk__checker *checker;
static fake_core cores[72];

static int setup(void) {
  checker = fake_checker();
  memset(cores, 0, sizeof cores);
  for (uint32_t i = 0; i < 72; i++) fake_begin(checker, &cores[i], i, NULL);
  return 0;
}

static void test_disjoint_bytes_of_one_block_are_no_conflict(void **state) {
  (void)state;
  setup();
  for (uint32_t i = 0; i < 8; i++) gm_access(checker, &cores[24 + i], SK__PIPE_MTE3, SK__WRITE, i * 4, 4, 1);
  local_access(checker, &cores[30], SK__PIPE_V, SK__WRITE, 0, 17, 1);
  local_access(checker, &cores[30], SK__PIPE_MTE2, SK__WRITE, 17, 15, 1);
  assert_int_equal(finding_count(checker), 0);
}

static void test_one_shared_byte_is_a_conflict(void **state) {
  (void)state;
  setup();
  gm_access(checker, &cores[24], SK__PIPE_MTE3, SK__WRITE, 0, 5, 1);
  gm_access(checker, &cores[25], SK__PIPE_MTE3, SK__WRITE, 4, 4, 1);
  const sk__finding *f = only_finding(checker, "SYNC_GM");
  assert_int_equal(f->ends[1].address, SK__GM_BASE + 4);
  assert_int_equal(f->ends[1].bytes, 1);
}

static void test_tiles_that_share_pages(void **state) {
  (void)state;
  setup();
  for (uint32_t i = 0; i < 48; i++) /* 3000-byte tiles: two or three runs per page */
    gm_access(checker, &cores[24 + i], SK__PIPE_MTE3, SK__WRITE, i * 3000, 3000, 1);
  assert_int_equal(finding_count(checker), 0);
  gm_access(checker, &cores[24 + 5], SK__PIPE_MTE3, SK__WRITE, 17 * 3000 + 2999, 1, 2);
  const sk__finding *f = only_finding(checker, "SYNC_GM");
  assert_int_equal(f->ends[0].core, 24 + 5);
  assert_int_equal(f->ends[1].core, 24 + 17);
}

static void test_page_of_many_writers_keeps_them_apart(void **state) {
  (void)state;
  setup();
  for (uint32_t i = 0; i < 128; i++) /* 32-byte blocks, interleaved over 48 cores: expanded */
    gm_access(checker, &cores[24 + i % 48], SK__PIPE_MTE3, SK__WRITE, i * 32, 32, 1);
  assert_int_equal(finding_count(checker), 0);
  for (uint32_t i = 0; i < 128; i++) {
    sk__end end;
    assert_true(sk__shadow_gm_last_writer(checker, SK__GM_BASE + i * 32 + 31, &end));
    assert_int_equal(end.core, 24 + i % 48);
    assert_ptr_equal(end.site, SITE(1));
  }
  gm_access(checker, &cores[24], SK__PIPE_MTE3, SK__WRITE, 33 * 32, 64, 2);
  const sk__finding *f = only_finding(checker, "SYNC_GM");
  assert_int_equal(f->count, 2); /* two far ends */
  assert_int_equal(f->ends[1].core, 24 + 33);
  assert_int_equal(f->ends[1].bytes, 32);
}

static void test_reader_set_is_exact(void **state) {
  (void)state;
  setup();
  sk__shadow_gm_host_write(checker, SK__GM_BASE, 65536);
  sk__order *orders[48];
  for (uint32_t i = 0; i < 48; i++) {
    gm_access(checker, &cores[24 + i], SK__PIPE_MTE2, SK__READ, 0, 65536, 1);
    orders[i] = &cores[24 + i].order;
  }
  assert_int_equal(finding_count(checker), 0);
  /* All but one meet: a write by one of them conflicts with exactly that one. */
  cores_meet(checker, orders + 1, 47);
  gm_access(checker, &cores[40], SK__PIPE_MTE3, SK__WRITE, 4096, 4096, 2);
  const sk__finding *f = only_finding(checker, "SYNC_GM");
  assert_string_equal(f->ends[0].role, "writer");
  assert_int_equal(f->ends[1].core, 24);
  sk__findings_clear(checker);
  cores_meet(checker, orders, 48);
  gm_access(checker, &cores[40], SK__PIPE_MTE3, SK__WRITE, 0, 65536, 3);
  assert_int_equal(finding_count(checker), 0);
}

/* Launches of streams without an event between them supersede no reads of one another: more readers than there are cores. */
static void test_readers_of_many_streams(void **state) {
  (void)state;
  enum { STREAMS = 300 };
  setup();
  sk__shadow_gm_host_write(checker, SK__GM_BASE, 4096);
  sk__snapshot *all = sk__snapshot_new(checker, NULL);
  for (int round = 0; round < 2; round++)
    for (uint32_t s = 0; s < STREAMS; s++) {
      sk__snapshot *before = sk__snapshot_launch(checker, NULL), *after = sk__snapshot_new(checker, before);
      for (uint32_t i = 0; i < 48; i++) {
        fake_begin(checker, &cores[24 + i], 24 + i, before);
        gm_access(checker, &cores[24 + i], SK__PIPE_MTE2, SK__READ, 0, 4096, 1);
        sk__order_end(checker, &cores[24 + i].order, after);
      }
      sk__snapshot_join(all, after);
      sk__snapshot_unref(before);
      sk__snapshot_unref(after);
    }
  assert_int_equal(finding_count(checker), 0);
  sk__snapshot *knows_all = sk__snapshot_launch(checker, all), *knows_none = sk__snapshot_launch(checker, NULL);
  fake_begin(checker, &cores[24], 24, knows_all);
  gm_access(checker, &cores[24], SK__PIPE_MTE3, SK__WRITE, 0, 2048, 2);
  assert_int_equal(finding_count(checker), 0);
  fake_begin(checker, &cores[24], 24, knows_none);
  gm_access(checker, &cores[24], SK__PIPE_MTE3, SK__WRITE, 2048, 2048, 2);
  (void)only_finding(checker, "SYNC_GM");
  sk__snapshot_unref(knows_none);
  sk__snapshot_unref(knows_all);
  sk__snapshot_unref(all);
}

static void test_atomics_agree_among_themselves_only(void **state) {
  (void)state;
  setup();
  sk__shadow_gm_host_write(checker, SK__GM_BASE, 4096);
  for (uint32_t i = 0; i < 48; i++) gm_access(checker, &cores[24 + i], SK__PIPE_MTE3, SK__ATOMIC, 0, 4096, 1);
  assert_int_equal(finding_count(checker), 0);
  gm_access(checker, &cores[50], SK__PIPE_MTE2, SK__READ, 128, 32, 2);
  const sk__finding *f = only_finding(checker, "SYNC_GM");
  assert_string_equal(f->ends[0].role, "atomic");
  assert_string_equal(f->ends[1].role, "reader");
  sk__findings_clear(checker);
  sk__order *orders[48];
  for (uint32_t i = 0; i < 48; i++) orders[i] = &cores[24 + i].order;
  cores_meet(checker, orders, 48);
  gm_access(checker, &cores[51], SK__PIPE_MTE2, SK__READ, 0, 4096, 3);
  assert_int_equal(finding_count(checker), 0);
}

static void test_bytes_never_written(void **state) {
  (void)state;
  setup();
  gm_access(checker, &cores[24], SK__PIPE_MTE3, SK__WRITE, 0, 100, 1);
  gm_access(checker, &cores[24], SK__PIPE_MTE3, SK__READ, 0, 128, 2);
  const sk__finding *f = only_finding(checker, "UNINITIALISED_READ");
  assert_int_equal(f->severity, SK__WARNING);
  assert_int_equal(f->ends[0].address, SK__GM_BASE + 100);
  assert_int_equal(f->ends[0].bytes, 28);
  sk__findings_clear(checker);
  gm_access(checker, &cores[24], SK__PIPE_MTE3, SK__WRITE, 100, 28, 1);
  gm_access(checker, &cores[24], SK__PIPE_MTE3, SK__READ, 0, 128, 2);
  assert_int_equal(finding_count(checker), 0);
}

static void test_freed_and_allocated_again_is_never_written(void **state) {
  (void)state;
  setup();
  sk__shadow_gm_host_write(checker, SK__GM_BASE, 1 << 20);
  gm_access(checker, &cores[24], SK__PIPE_MTE2, SK__READ, 0, 1 << 20, 1);
  assert_int_equal(finding_count(checker), 0);
  sk__shadow_gm_reset(checker, SK__GM_BASE + 512, (1 << 20) - 1024);
  sk__end end;
  assert_true(sk__shadow_gm_last_writer(checker, SK__GM_BASE, &end));
  assert_int_equal(end.core, SK__HOST_CORE);
  assert_false(sk__shadow_gm_last_writer(checker, SK__GM_BASE + 512, &end));
  gm_access(checker, &cores[24], SK__PIPE_MTE2, SK__READ, 0, 1 << 20, 1);
  const sk__finding *f = only_finding(checker, "UNINITIALISED_READ");
  assert_int_equal(f->ends[0].address, SK__GM_BASE + 512);
  assert_int_equal(f->ends[0].bytes, (1 << 20) - 1024);
}

static void test_local_memory_starts_fresh_with_each_launch(void **state) {
  (void)state;
  setup();
  fake_core *core = &cores[30];
  local_access(checker, core, SK__PIPE_V, SK__WRITE, 0, 256, 1);
  sk__order_end(checker, &core->order, NULL);
  fake_begin(checker, core, 30, NULL);
  local_access(checker, core, SK__PIPE_V, SK__READ, 0, 256, 2);
  only_finding(checker, "UNINITIALISED_READ");
  sk__findings_clear(checker);
  sk__order_issue(&core->order, SK__PIPE_V);
  sk__shadow_local(checker, &core->order, SK__PIPE_V, SK__READ_ANY, sk__local_slot(30), 256, SITE(3), "asc_load");
  assert_int_equal(finding_count(checker), 0);
}

static void test_data_of_an_earlier_sub_kernel(void **state) {
  (void)state;
  setup();
  fake_core *core = &cores[30];
  core->kernel = "sub0";
  core->task = 0;
  sk__order_begin_sub(&core->order);
  local_access(checker, core, SK__PIPE_V, SK__WRITE, 0, 4096, 1);
  core->kernel = "sub1";
  core->task = 1;
  sk__order_begin_sub(&core->order);
  local_access(checker, core, SK__PIPE_V, SK__READ, 256, 256, 2);
  const sk__finding *f = only_finding(checker, "H34");
  assert_string_equal(f->ends[0].kernel, "sub1");
  assert_int_equal(f->ends[0].task, 1);
  assert_string_equal(f->ends[1].kernel, "sub0");
  assert_int_equal(f->ends[1].task, 0);
  assert_ptr_equal(f->ends[1].site, SITE(1));
  sk__findings_clear(checker);
  local_access(checker, core, SK__PIPE_V, SK__WRITE, 256, 256, 3);
  local_access(checker, core, SK__PIPE_V, SK__READ, 256, 256, 2);
  assert_int_equal(finding_count(checker), 0);
  local_access(checker, core, SK__PIPE_MTE2, SK__WRITE, 2048, 256, 4); /* nothing drained V of sub0 */
  f = only_finding(checker, "SYNC_LOCAL");
  assert_int_equal(f->ends[0].task, 0);
  assert_int_equal(f->ends[1].task, 1);
}

static void test_strided_access_leaves_gaps_alone(void **state) {
  (void)state;
  setup();
  fake_core *core = &cores[30];
  uint64_t base = sk__local_slot(30);
  sk__shadow_local_strided(checker, &core->order, SK__PIPE_V, SK__WRITE, base, 16, 32, 64, SITE(1), "asc_add");
  sk__shadow_local_strided(checker, &core->order, SK__PIPE_MTE2, SK__WRITE, base + 32, 16, 32, 64, SITE(2), "asc_copy");
  assert_int_equal(finding_count(checker), 0);
  sk__shadow_local_strided(checker, &core->order, SK__PIPE_MTE2, SK__WRITE, base + 31, 1, 32, 64, SITE(3), "asc_copy");
  assert_int_equal(only_finding(checker, "SYNC_LOCAL")->ends[1].bytes, 1);
}

static void test_l0c_is_named(void **state) {
  (void)state;
  setup();
  uint64_t offset = sk__mem_slot_offset(SK__MEM_L0C);
  local_access(checker, &cores[3], SK__PIPE_M, SK__WRITE, offset + 1024, 1024, 1);
  local_access(checker, &cores[3], SK__PIPE_FIX, SK__READ, offset, 4096, 2);
  size_t n;
  const sk__finding *f = sk__findings(checker, &n); /* and the rest was never written */
  assert_int_equal(n, 2);
  assert_string_equal(f[0].id, "SYNC_LOCAL");
  assert_int_equal(f[0].ends[0].mem, SK__MEM_L0C);
  assert_non_null(strstr(f[0].message, "L0C bytes 0x400..0x7ff"));
}

static void test_plain_runs_record_nothing(void **state) {
  (void)state;
  setup();
  cores[24].order.enabled = cores[25].order.enabled = false;
  gm_access(checker, &cores[24], SK__PIPE_MTE3, SK__WRITE, 0, 64, 1);
  gm_access(checker, &cores[25], SK__PIPE_MTE3, SK__WRITE, 0, 64, 1);
  assert_int_equal(finding_count(checker), 0);
}

/* Threads on disjoint bytes of the same pages: records stay whole, nothing is found. */
static void *interleave(void *which) {
  uint32_t k = *(uint32_t *)which;
  fake_core *core = &cores[24 + k];
  for (uint32_t i = 0; i < 3000; i++) {
    uint64_t at = (uint64_t)(i % 400) * 256 + k * 64 + (i * 7) % 40;
    gm_access(checker, core, SK__PIPE_MTE3, SK__WRITE, at, 1 + i % 24, 1 + (int)k);
    gm_access(checker, core, SK__PIPE_MTE2, SK__READ, UINT64_C(1) << 20, 65536, 10);
    if (i % 16 == 0) sk__order_barrier(&core->order, SK__PIPE_ALL);
  }
  return NULL;
}
static void test_threads_share_pages(void **state) {
  (void)state;
  setup();
  sk__checker_set_threads(checker, 4);
  sk__shadow_gm_host_write(checker, SK__GM_BASE, 2 << 20);
  pthread_t threads[4];
  uint32_t which[4];
  for (uint32_t k = 0; k < 4; k++) {
    which[k] = k;
    assert_int_equal(pthread_create(&threads[k], NULL, interleave, &which[k]), 0);
  }
  for (int k = 0; k < 4; k++) pthread_join(threads[k], NULL);
  assert_int_equal(finding_count(checker), 0);
  for (uint32_t i = 0; i < 3000; i++)
    for (uint32_t k = 0; k < 4; k++) {
      sk__end end;
      assert_true(sk__shadow_gm_last_writer(checker, SK__GM_BASE + (i % 400) * 256 + k * 64 + (i * 7) % 40, &end));
      assert_int_equal(end.core, 24 + k);
    }
}

static void flag(fake_core *core, sk__pipe from, sk__pipe to) {
  sk__event_clock clock;
  sk__order_set_flag(&core->order, from, &clock);
  sk__order_wait_flag(&core->order, to, &clock);
}
static void scalar_store(fake_core *core) {
  sk__shadow_local_store(checker, &core->order, sk__local_slot(core->index), 4, SITE(1), "scalar store");
}

static void test_plain_store_is_found_by_its_own_unit(void **state) {
  (void)state;
  setup();
  scalar_store(&cores[30]);
  scalar_store(&cores[30]);
  local_access(checker, &cores[30], SK__PIPE_S, SK__READ, 0, 4, 2);
  assert_int_equal(finding_count(checker), 0);
}

static void test_plain_store_waits_for_a_flag_of_its_unit(void **state) {
  (void)state;
  /* Flags behind the store: none, one of another pipe, its own, on by way of another pipe, a barrier over all pipes. */
  for (int how = 0; how < 5; how++)
    for (int write = 0; write < 2; write++) {
      setup();
      fake_core *core = &cores[30];
      flag(core, SK__PIPE_S, SK__PIPE_MTE3); /* of an earlier store */
      scalar_store(core);
      if (how == 1) flag(core, SK__PIPE_V, SK__PIPE_MTE3);
      if (how == 2) flag(core, SK__PIPE_S, SK__PIPE_MTE3);
      if (how == 3) flag(core, SK__PIPE_S, SK__PIPE_V), flag(core, SK__PIPE_V, SK__PIPE_MTE3);
      if (how == 4) sk__order_barrier(&core->order, SK__PIPE_ALL);
      local_access(checker, core, SK__PIPE_MTE3, write != 0 ? SK__WRITE : SK__READ, 0, 32, 2);
      if (how >= 2) {
        assert_int_equal(finding_count(checker) - (write == 0), 0); /* 28 bytes were never written */
        continue;
      }
      size_t n;
      const sk__finding *all = sk__findings(checker, &n), *f = NULL;
      for (size_t i = 0; i < n; i++)
        if (strcmp(all[i].id, "SYNC_LOCAL") == 0) f = &all[i];
      assert_non_null(f);
      assert_int_equal(f->ends[0].pipe, SK__PIPE_S);
      assert_int_equal(f->ends[0].bytes, 4);
    }
}

/* Two chunks that were written alike; of each V or MTE3 has read the first block. V reads both in one access, which changes
 * the second only; what overwrites that is in order with MTE3 alone, or with both. */
static void test_a_column_tells_its_chunks_apart(void **state) {
  (void)state;
  for (int both = 0; both < 2; both++) {
    setup();
    fake_core *core = &cores[30];
    uint64_t base = sk__local_slot(30), next = base + 256;
    sk__shadow_local(checker, &core->order, SK__PIPE_MTE2, SK__WRITE, base, 512, SITE(1), "asc_copy");
    flag(core, SK__PIPE_MTE2, SK__PIPE_V);
    flag(core, SK__PIPE_MTE2, SK__PIPE_MTE3);
    sk__shadow_local(checker, &core->order, SK__PIPE_V, SK__READ, base, 32, SITE(2), "asc_add");
    sk__shadow_local(checker, &core->order, SK__PIPE_MTE3, SK__READ, next, 32, SITE(3), "asc_store");
    sk__shadow_local_strided(checker, &core->order, SK__PIPE_V, SK__READ, base, 2, 32, 256, SITE(2), "asc_add");
    flag(core, SK__PIPE_MTE3, SK__PIPE_MTE2);
    if (both != 0) flag(core, SK__PIPE_V, SK__PIPE_MTE2);
    sk__shadow_local(checker, &core->order, SK__PIPE_MTE2, SK__WRITE, next, 32, SITE(4), "asc_copy");
    if (both != 0) assert_int_equal(finding_count(checker), 0);
    else assert_int_equal(only_finding(checker, "SYNC_LOCAL")->ends[1].pipe, SK__PIPE_V);
  }
}

SK_TESTS(SK_TEST(test_plain_store_is_found_by_its_own_unit), SK_TEST(test_plain_store_waits_for_a_flag_of_its_unit),
         SK_TEST(test_disjoint_bytes_of_one_block_are_no_conflict), SK_TEST(test_one_shared_byte_is_a_conflict),
         SK_TEST(test_tiles_that_share_pages), SK_TEST(test_page_of_many_writers_keeps_them_apart),
         SK_TEST(test_reader_set_is_exact), SK_TEST(test_readers_of_many_streams), SK_TEST(test_atomics_agree_among_themselves_only),
         SK_TEST(test_bytes_never_written), SK_TEST(test_freed_and_allocated_again_is_never_written),
         SK_TEST(test_local_memory_starts_fresh_with_each_launch), SK_TEST(test_data_of_an_earlier_sub_kernel),
         SK_TEST(test_strided_access_leaves_gaps_alone), SK_TEST(test_a_column_tells_its_chunks_apart), SK_TEST(test_l0c_is_named),
         SK_TEST(test_plain_runs_record_nothing), SK_TEST(test_threads_share_pages))
