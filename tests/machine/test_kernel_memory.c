/* test_kernel_memory.c - device memory, data caches and plain accesses in kernels that the machine runs:
 * what a kernel's end flushes, what a sub-kernel's end does not, and wild accesses that end a block. */
#include "run_fixture.h"

#include "machine/dcache.h"

typedef struct job {
  uint32_t *gm;
  uint64_t wild;
  uint32_t seen[SK__MAX_CORES];
  bool flush;
} job;

static const void *place(uint32_t n) { return (const void *)(uintptr_t)(0x2000 + n); }
static void store(volatile uint32_t *at, uint32_t value, uint32_t site) {
  sk_hook_write((void *)(uintptr_t)at, 4, place(site));
  *at = value;
}
static uint32_t load(const volatile uint32_t *at, uint32_t site) {
  sk_hook_read((const void *)(uintptr_t)at, 4, place(site));
  return *at;
}
static void dcci_all(sk__core *core) {
  sk__enter(SK__PIPE_S, "dcci", place(90));
  sk__dcache_clean_all(core);
}
static void copy_in(sk__core *core, const void *from, uint64_t bytes, uint32_t site) {
  sk__enter(SK__PIPE_MTE2, "copy_gm2ub", place(site));
  sk__local_access(core, SK__PIPE_MTE2, SK__WRITE, (void *)core->local, bytes);
  (void)sk__gm_load(core, SK__PIPE_MTE2, (void *)core->local, (uint64_t)from, bytes);
  sk__pipe_barrier(sk__enter(SK__PIPE_S, "pipe_barrier", place(91)), SK__PIPE_ALL);
}

static uint32_t *alloc(sk__machine *machine, uint64_t bytes) {
  void *at;
  assert_int_equal(sk__gm_alloc(machine, bytes, "data", &at), SK_OK);
  assert_int_equal(sk__gm_host_set(machine, (uint64_t)at, 0, bytes), SK_OK);
  return at;
}

/* ---- wild accesses ------------------------------------------------------------------------------ */

static void wild_store(sk__core *core, void *context) {
  (void)core;
  job *j = context;
  store((volatile uint32_t *)j->wild, 1, 1);
  j->seen[0] = 1;
}

static void run_wild(uint64_t address, sk_kernel_type type, const char *id) {
  sk__machine *m = small_machine();
  job j = {.gm = alloc(m, 64), .wild = address};
  assert_int_equal(launch(m, type, 1, wild_store, wild_store, &j), SK_FAULT);
  assert_int_equal(j.seen[0], 0); /* the block ended there */
  assert_found(m, id);
  sk__findings_clear(sk__machine_checker(m));
  j.wild = (uint64_t)j.gm;
  assert_int_equal(launch(m, type, 1, wild_store, wild_store, &j), SK_OK); /* the machine goes on */
  assert_int_equal(j.seen[0], 1);
  assert_silent(m);
  sk__machine_destroy(m);
}

static void test_store_far_outside_device_memory(void **state) {
  (void)state;
  run_wild(SK__GM_BASE + SK__GM_BYTES - 64, SK_AIV_ONLY, "GM_OUT_OF_BOUNDS");
}
static void test_store_behind_ub(void **state) {
  (void)state;
  run_wild(sk__local_slot(2) + 192 * 1024, SK_AIV_ONLY, "LOCAL_OUT_OF_BOUNDS");
}
static void test_store_into_another_cores_ub(void **state) {
  (void)state;
  run_wild(sk__local_slot(3), SK_AIV_ONLY, "LOCAL_OUT_OF_BOUNDS");
}
static void test_scalar_store_on_a_cube_core_into_l1(void **state) {
  (void)state;
  run_wild(sk__local_slot(0), SK_AIC_ONLY, "LOCAL_OUT_OF_BOUNDS");
}

static void test_store_behind_an_allocation_is_harmless(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  job j = {.gm = alloc(m, 64)};
  j.wild = (uint64_t)j.gm + 1024;
  assert_int_equal(launch(m, SK_AIV_ONLY, 1, NULL, wild_store, &j), SK_OK);
  assert_int_equal(j.seen[0], 1);
  assert_only(m, "GM_OUT_OF_BOUNDS");
  sk__machine_destroy(m);
}

/* ---- ends of kernels and of sub-kernels --------------------------------------------------------- */

static void store_own(sk__core *core, void *context) {
  job *j = context;
  store(j->gm + core->index * 16, core->index + 1, 1);
  if (j->flush) dcci_all(core);
}
static void copy_neighbours(sk__core *core, void *context) {
  job *j = context;
  uint32_t neighbour = core->index == 5 ? 2 : core->index + 1;
  copy_in(core, j->gm + neighbour * 16, 64, 2);
  j->seen[core->index] = load((const uint32_t *)core->local, 3);
}

static void test_kernel_end_flushes(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  job j = {.gm = alloc(m, 6 * 64)};
  sk__snapshot *between = sk__snapshot_new(sk__machine_checker(m), NULL);
  sk__launch first = {.name = "first", .type = SK_AIV_ONLY, .blocks = 4, .entry = {NULL, store_own}, .context = &j};
  sk__launch second = {.name = "second", .type = SK_AIV_ONLY, .blocks = 4, .entry = {NULL, copy_neighbours}, .context = &j};
  assert_int_equal(sk__machine_run(m, &first, NULL, between, NULL), SK_OK);
  assert_int_equal(sk__machine_run(m, &second, between, NULL, NULL), SK_OK);
  for (uint32_t core = 2; core < 6; core++) assert_int_equal(j.seen[core], core == 5 ? 3 : core + 2);
  assert_silent(m);
  sk__snapshot_unref(between);
  sk__machine_destroy(m);
}

static void two_subs(sk__core *core, void *context) {
  begin_sub(core, 0, "writer", 4);
  store_own(core, context);
  sk__core_end_sub(core);
  sk__pipe_barrier(sk__enter(SK__PIPE_S, "pipe_barrier", place(80)), SK__PIPE_ALL);
  sk__sync_all(sk__enter(SK__PIPE_S, "SYNC", place(81)), true);
  begin_sub(core, 1, "reader", 4);
  copy_neighbours(core, context);
  sk__core_end_sub(core);
}

static void test_sub_kernel_end_does_not_flush(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  job j = {.gm = alloc(m, 6 * 64)};
  assert_int_equal(launch_sk(m, SK_MIX_AIV_1_0, 4, NULL, two_subs, &j), SK_OK);
  for (uint32_t core = 2; core < 6; core++) assert_int_equal(j.seen[core], 0); /* the old bytes */
  assert_found(m, "H11");
  const sk__finding *found = finding_of(m, "H11");
  assert_non_null(strstr(found->message, "sub-kernel reader (#1)"));
  assert_non_null(strstr(found->message, "sub-kernel writer (#0)"));
  for (uint32_t core = 2; core < 6; core++) { /* the end of the SK flushes */
    uint32_t value;
    assert_int_equal(sk__gm_host_read(m, &value, (uint64_t)(j.gm + core * 16), 4), SK_OK);
    assert_int_equal(value, core + 1);
  }
  sk__machine_destroy(m);
}

static void test_sub_kernel_that_flushes(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  job j = {.gm = alloc(m, 6 * 64), .flush = true};
  assert_int_equal(launch_sk(m, SK_MIX_AIV_1_0, 4, NULL, two_subs, &j), SK_OK);
  for (uint32_t core = 2; core < 6; core++) assert_int_equal(j.seen[core], core == 5 ? 3 : core + 2);
  assert_silent(m);
  sk__machine_destroy(m);
}

/* One core says "done" by a scalar store and ends; the other polls. The end of a block flushes at last. */
static void store_or_poll(sk__core *core, void *context) {
  job *j = context;
  if (core->index == 2) {
    store(j->gm, 1, 1);
    return;
  }
  for (uint32_t value = 0; value == 0; j->seen[0]++) {
    copy_in(core, j->gm, 64, 2);
    value = load((const uint32_t *)core->local, 3);
    if (value == 0) sk__yield(core);
  }
}

static void test_poller_sees_the_flush_of_an_ended_block(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  job j = {.gm = alloc(m, 64)};
  assert_int_equal(launch(m, SK_AIV_ONLY, 2, NULL, store_or_poll, &j), SK_OK);
  assert_null(finding_of(m, "DEADLOCK"));
  assert_null(finding_of(m, "H11")); /* nothing orders the store before the poll */
  assert_found(m, "SYNC_GM");
  sk__machine_destroy(m);
}

/* ---- a twin run ------------------------------------------------------------------------------- */

static bool hash_range(void *context, uint64_t start, uint64_t bytes) {
  uint64_t *sum = context;
  for (uint64_t i = 0; i < bytes; i++) *sum = *sum * 31 + *(const uint8_t *)(start + i);
  return true;
}

static void test_twin_run_sees_the_same_memory(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  job j = {.gm = alloc(m, 6 * 64), .flush = true};
  uint64_t sums[2] = {0, 0};
  sk__snapshot *between = sk__snapshot_new(sk__machine_checker(m), NULL);
  for (uint32_t run = 0; run < 2; run++) {
    assert_int_equal(sk__gm_begin(m), SK_OK);
    sk__launch l = {.name = "kernel", .type = SK_AIV_ONLY, .blocks = 4, .entry = {NULL, store_own}, .context = &j};
    assert_int_equal(sk__machine_run(m, &l, run == 0 ? NULL : between, between, NULL), SK_OK);
    sk__gm_touched(m, hash_range, &sums[run]);
    sk__gm_roll_back(m);
    for (uint32_t i = 0; i < 6 * 16; i++) assert_int_equal(j.gm[i], 0);
  }
  assert_true(sums[0] != 0 && sums[0] == sums[1]);
  assert_silent(m);
  sk__snapshot_unref(between);
  sk__machine_destroy(m);
}

/* ---- several host threads ----------------------------------------------------------------------- */

static void add_ones(sk__core *core, void *context) {
  job *j = context;
  volatile float *ub = (volatile float *)core->local;
  for (uint32_t i = 0; i < 64; i++) {
    sk_hook_write((void *)(core->local + i * 4), 4, place(1));
    ub[i] = 1;
  }
  sk__pipe_barrier(sk__enter(SK__PIPE_S, "pipe_barrier", place(2)), SK__PIPE_ALL);
  for (uint32_t round = 0; round < 50; round++) {
    sk__enter(SK__PIPE_MTE3, "copy_ub2gm", place(3));
    core->atomic_type = 1;
    (void)sk__gm_store(core, SK__PIPE_MTE3, (uint64_t)j->gm, (const void *)core->local, 256);
    core->atomic_type = 0;
    store(j->gm + 64 + core->index * 16 + round % 16, round, 4);
    if (round % 7 == 0) dcci_all(core);
  }
}

static void test_two_host_threads(void **state) {
  (void)state;
  sk__machine *m = machine_of(NULL, (sk__machine_options){.checks = true, .threads = 2});
  job j = {.gm = alloc(m, 256 + 72 * 64)};
  for (uint32_t run = 0; run < 3; run++) {
    assert_int_equal(launch(m, SK_AIV_ONLY, 48, NULL, add_ones, &j), SK_OK);
    if (run == 0) assert_silent(m); /* so that the next has two */
  }
  for (uint32_t i = 0; i < 64; i++) {
    float value;
    memcpy(&value, j.gm + i, sizeof value);
    assert_true(value == 3 * 48 * 50);
  }
  for (uint32_t core = 24; core < 72; core++)
    for (uint32_t i = 0; i < 16; i++) assert_int_equal(j.gm[64 + core * 16 + i], i < 2 ? 48 + i : 32 + i);
  sk__machine_destroy(m);
}

SK_TESTS(SK_TEST(test_store_far_outside_device_memory), SK_TEST(test_store_behind_ub),
         SK_TEST(test_store_into_another_cores_ub), SK_TEST(test_scalar_store_on_a_cube_core_into_l1),
         SK_TEST(test_store_behind_an_allocation_is_harmless), SK_TEST(test_kernel_end_flushes),
         SK_TEST(test_sub_kernel_end_does_not_flush), SK_TEST(test_sub_kernel_that_flushes),
         SK_TEST(test_poller_sees_the_flush_of_an_ended_block),
         SK_TEST(test_twin_run_sees_the_same_memory), SK_TEST(test_two_host_threads))
