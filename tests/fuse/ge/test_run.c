/* Graph mode programs executed on the machine: data flows through the subs in order, idle cores take part in
 * the barriers only, SyncAlls of small operators are replayed. */
#include "acl/acl.h"
#include "fuse/fuse.h"
#include "ge_text.h"

enum { SLOTS = 96, BUFFERS = 5, MAX_TASKS = 16 };

/* Argument block of the test kernels: out[slot] = in[slot] + add, one slot of 32 bytes per step. */
typedef struct args { uint64_t in, out; uint32_t add, slots; } args;

static uint32_t my_index(const sk__core *core) {
  return core->type == SK__AIC ? core->block_idx : core->block_idx * core->ratio + core->sub_block;
}

static bool add_slots(const args *a, uint32_t step) {
  sk__core *core = sk__self;
  uint32_t local[8];
  sk__pipe store = core->type == SK__AIC ? SK__PIPE_FIX : SK__PIPE_MTE3;
  for (uint32_t slot = my_index(core); slot < a->slots; slot += step) {
    sk__enter(SK__PIPE_MTE2, "load", NULL);
    if (!sk__gm_load(core, SK__PIPE_MTE2, local, a->in + slot * 32, 32)) return false;
    for (int i = 0; i < 8; i++) local[i] += a->add;
    sk__pipe_barrier(core, SK__PIPE_ALL);
    sk__enter(store, "store", NULL);
    if (!sk__gm_store(core, store, a->out + slot * 32, local, 32)) return false;
  }
  sk__pipe_barrier(core, SK__PIPE_ALL);
  return true;
}

static void add_kernel(const void *raw) { add_slots(raw, sk__self->view.block_num); }

/* Two rounds with a barrier of all cores of the launch between them: the second reads what other cores wrote. */
static void synced_kernel(const void *raw) {
  args round = *(const args *)raw;
  uint32_t step = sk__self->view.block_num;
  if (!add_slots(&round, step)) return;
  sk__enter(SK__PIPE_S, "SyncAll", NULL);
  sk__sync_all(sk__self, true);
  uint32_t local[8];
  uint32_t other = round.slots - 1 - my_index(sk__self); /* a slot of another core, just written */
  sk__enter(SK__PIPE_MTE2, "load", NULL);
  if (sk__gm_load(sk__self, SK__PIPE_MTE2, local, round.out + other * 32, 32)) sk__pipe_barrier(sk__self, SK__PIPE_ALL);
}

static void early_kernel(const void *raw) {
  sk__core *core = sk__self;
  bool aic = core->type == SK__AIC;
  uint32_t mask = core->view.early_mask;
  if ((mask & (aic ? 2u : 32u)) != 0) sk__cross_wait_system(core, aic ? 11 : 14);
  if ((mask & (aic ? 4u : 64u)) != 0) sk__cross_set_system(core, SK__PIPE_MTE3, 2, aic ? 13 : 12);
  if ((mask & (aic ? 8u : 128u)) != 0) sk__cross_wait_system(core, aic ? 12 : 13);
  sk__early_call(core, true);
  add_slots(raw, core->view.block_num);
  sk__early_call(core, false);
  if ((mask & (aic ? 1u : 16u)) != 0) sk__cross_set_system(core, aic ? SK__PIPE_FIX : SK__PIPE_MTE3, 0, aic ? 11 : 14);
}

#define KERNEL(identifier, kind, half, function, bits)                                                                  \
  static const sk_kernel identifier = {.abi = SK_KERNEL_ABI, .type = kind, .name = #identifier, .file = "t.c", .flags = bits, \
                                       .args_bytes = sizeof(args), .half = function}
KERNEL(cube, SK_AIC_ONLY, aic, add_kernel, 0);
KERNEL(vector, SK_AIV_ONLY, aiv, add_kernel, 0);
KERNEL(synced, SK_MIX_AIV_1_0, aiv, synced_kernel, SK_KERNEL_USES_CROSS_CORE);
KERNEL(early_cube, SK_AIC_ONLY, aic, early_kernel, 0);
KERNEL(early_vector, SK_AIV_ONLY, aiv, early_kernel, 0);

typedef struct bed {
  sk__runtime *runtime;
  void *stream, *buffer[BUFFERS];
  sk__task *tasks[MAX_TASKS];
  sk__ge_sub subs[MAX_TASKS];
  size_t count;
  sk__arena arena;
  sk__ge_program program;
  sk__launch_result result;
} bed;

/* The hook: tasks are taken, not run. */
static sk_status take(void *context, sk__runtime *runtime, sk__task *const *tasks, size_t count) {
  (void)runtime;
  bed *b = context;
  for (size_t i = 0; i < count && b->count < MAX_TASKS; i++) b->tasks[b->count++] = sk__task_ref(tasks[i]);
  return SK_OK;
}

static void bed_open(bed *b) {
  memset(b, 0, sizeof *b);
  assert_int_equal(aclInit(NULL), ACL_SUCCESS);
  assert_int_equal(aclrtSetDevice(0), ACL_SUCCESS);
  assert_int_equal(aclrtCreateStream(&b->stream), ACL_SUCCESS);
  b->runtime = sk__runtime_get();
  uint32_t start[SLOTS * 8];
  for (uint32_t i = 0; i < SLOTS * 8; i++) start[i] = i;
  for (int i = 0; i < BUFFERS; i++) {
    assert_int_equal(aclrtMalloc(&b->buffer[i], sizeof start, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    assert_int_equal(aclrtMemcpy(b->buffer[i], sizeof start, start, sizeof start, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
  }
  sk__runtime_set_hook(b->runtime, take, b);
}

static void bed_close(bed *b) {
  for (size_t i = 0; i < b->count; i++) sk__task_unref(b->tasks[i]);
  sk__arena_free(&b->arena);
}

static void launch(bed *b, const sk_kernel *kernel, uint32_t blocks, int from, int to, uint32_t add) {
  args a = {(uint64_t)b->buffer[from], (uint64_t)b->buffer[to], add, SLOTS};
  assert_int_equal(sk_kernel_launch(kernel, blocks, 0, b->stream, &a, "t.c", 1), ACL_SUCCESS);
}

/* Takes what was launched. */
static void describe(bed *b) {
  assert_int_equal(aclrtSynchronizeStream(b->stream), ACL_SUCCESS);
  sk__runtime_set_hook(b->runtime, NULL, NULL);
  for (size_t i = 0; i < b->count; i++) b->subs[i] = sk__ge_sub_of_task(b->tasks[i]);
}

static sk_status plan_and_run(bed *b, const char *options, bool emulate, sk__ge_word *words) {
  sk__ge_input input = {b->subs, b->count, options, 24, 48, true, emulate};
  sk__ge_failure failure;
  sk_status made = sk__ge_generate(&input, &b->arena, &b->program, &failure);
  if (made != SK_OK) print_message("%s\n", failure.why);
  assert_int_equal(made, SK_OK);
  return sk__ge_run(b->runtime, &b->program, words, &b->result);
}

static size_t finding_count(const bed *b) {
  size_t count = 0;
  const sk__finding *findings = sk__findings(sk__machine_checker(sk__runtime_machine(b->runtime)), &count);
  for (size_t i = 0; i < count; i++) print_message("finding %s: %s\n", findings[i].id, findings[i].message);
  return count;
}

static void expect_clean(bed *b, const char *options) {
  assert_int_equal(plan_and_run(b, options, false, NULL), SK_OK);
  assert_int_equal(finding_count(b), 0);
}

static void check(bed *b, int buffer, uint32_t added) {
  uint32_t got[SLOTS * 8];
  assert_int_equal(aclrtMemcpy(got, sizeof got, b->buffer[buffer], sizeof got, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
  for (uint32_t i = 0; i < SLOTS * 8; i++) assert_int_equal(got[i], i + added);
}

/* ---- misuse ---- */

static void test_nothing_to_call(void **state) {
  (void)state;
  planned p;
  sk__launch_result result;
  ge_plan(&p, "[{'type':'AIV_ONLY','blocks':8}]", "", false);
  assert_int_equal(sk__ge_run(NULL, &p.program, NULL, &result), SK_INVALID_ARGUMENT);
  ge_free(&p);
}

static void test_word_that_nobody_writes_hangs(void **state) {
  (void)state;
  bed b;
  bed_open(&b);
  launch(&b, &vector, 8, 0, 1, 1);
  launch(&b, &vector, 8, 1, 2, 10);
  describe(&b);
  static const int64_t event[] = {70};
  b.subs[1].recv = (sk__ge_ids){event, 1};
  sk__ge_word words[16] = {{false, NULL}};
  assert_int_equal(plan_and_run(&b, "", false, words), SK_DEADLOCK);
  bed_close(&b);
}

static void test_word_that_is_written_is_cleared(void **state) {
  (void)state;
  bed b;
  bed_open(&b);
  launch(&b, &vector, 8, 0, 1, 1);
  launch(&b, &vector, 8, 1, 2, 10);
  describe(&b);
  static const int64_t event[] = {70}, other[] = {71};
  b.subs[0].send = (sk__ge_ids){other, 1};
  b.subs[1].recv = (sk__ge_ids){event, 1};
  sk__ge_word words[16] = {{false, NULL}};
  words[2].value = true; /* no arguments are described: a notify word, the wait word */
  assert_int_equal(plan_and_run(&b, "", false, words), SK_OK);
  assert_int_equal(b.program.params[1].wait, 2);
  assert_false(words[2].value);
  assert_true(words[1].value);
  assert_int_equal(finding_count(&b), 0);
  check(&b, 2, 11);
  if (words[1].order != NULL) sk__snapshot_unref(words[1].order);
  bed_close(&b);
}

static void test_small_operator_with_syncall_hangs_unfed(void **state) {
  (void)state;
  bed b;
  bed_open(&b);
  launch(&b, &vector, 48, 0, 1, 1);
  launch(&b, &synced, 8, 1, 2, 10);
  describe(&b);
  assert_int_equal(plan_and_run(&b, "", false, NULL), SK_DEADLOCK);
  bed_close(&b);
}

/* ---- use ---- */

static void test_small_operator_with_syncall_is_fed(void **state) {
  (void)state;
  bed b;
  bed_open(&b);
  launch(&b, &vector, 48, 0, 1, 1);
  launch(&b, &synced, 8, 1, 2, 10);
  launch(&b, &vector, 48, 2, 3, 100);
  describe(&b);
  expect_clean(&b, "feed-sync-all=1");
  check(&b, 3, 111);
}

static void chain(const char *options) {
  bed b;
  bed_open(&b);
  launch(&b, &cube, 8, 0, 1, 1);
  launch(&b, &vector, 40, 1, 2, 10);
  launch(&b, &cube, 20, 2, 3, 100);
  describe(&b);
  expect_clean(&b, options);
  assert_int_equal(b.result.type, SK_MIX_AIC_1_2);
  assert_int_equal(b.result.blocks, 20);
  assert_int_equal(b.result.stats.aiv_used, 40);
  check(&b, 3, 111);
  bed_close(&b);
}
static void test_chain(void **state) {
  (void)state;
  chain("");
}
static void test_chain_without_early_start(void **state) {
  (void)state;
  chain("early-start=0:preload-code=max:profiling=1");
}
static void test_chain_with_debug_barriers(void **state) {
  (void)state;
  chain("debug-sync-all=1:debug-dcci-all=1");
}

static void test_operators_that_start_early_themselves(void **state) {
  (void)state;
  bed b;
  bed_open(&b);
  launch(&b, &early_cube, 8, 0, 1, 1);
  launch(&b, &early_vector, 12, 1, 2, 10);
  launch(&b, &early_vector, 6, 2, 3, 100);
  launch(&b, &early_cube, 4, 3, 4, 1000);
  describe(&b);
  for (size_t i = 0; i < b.count; i++) {
    b.subs[i].es_set = i + 1 < b.count;
    b.subs[i].es_wait = i > 0;
  }
  expect_clean(&b, "");
  check(&b, 4, 1111);
  bed_close(&b);
}

static void test_two_queues(void **state) {
  (void)state;
  bed b;
  bed_open(&b);
  launch(&b, &cube, 8, 0, 1, 1);
  launch(&b, &vector, 8, 0, 2, 10);
  launch(&b, &vector, 16, 1, 3, 100);
  launch(&b, &cube, 4, 2, 4, 1000);
  describe(&b);
  for (size_t i = 0; i < b.count; i++) b.subs[i].stream = i % 2;
  expect_clean(&b, "stream-fusion=1");
  assert_int_equal(b.program.queue_count, 2);
  check(&b, 3, 101);
  check(&b, 4, 1010);
  bed_close(&b);
}

static void test_dynamic_operator_runs_on_its_own_blocks(void **state) {
  (void)state;
  bed b;
  bed_open(&b);
  launch(&b, &cube, 8, 0, 1, 1);
  launch(&b, &vector, 48, 1, 2, 10);
  launch(&b, &cube, 8, 2, 3, 100);
  describe(&b);
  static const sk__ge_tiling tiling[] = {{0, SK_AIV_ONLY}};
  b.subs[1].dynamic = true;
  b.subs[1].tilings = tiling;
  b.subs[1].tiling_count = 1;
  expect_clean(&b, "");
  check(&b, 3, 111);
  bed_close(&b);
}

/* A SyncAll of both core types in a launch of one. */
static void first_is_dynamic(bed *b, bool emulate, sk_status wanted) {
  static const sk__ge_tiling tiling[] = {{0, SK_AIC_ONLY}};
  bed_open(b);
  launch(b, &cube, 24, 0, 1, 1);
  launch(b, &cube, 8, 1, 2, 10);
  describe(b);
  b->subs[0].dynamic = true;
  b->subs[0].tilings = tiling;
  b->subs[0].tiling_count = 1;
  assert_int_equal(plan_and_run(b, "", emulate, NULL), wanted);
}
static void test_defect_of_the_first_dynamic_operator_hangs(void **state) {
  (void)state;
  bed b;
  first_is_dynamic(&b, true, SK_DEADLOCK);
  assert_int_equal(b.program.warning_count, 2); /* no flush around it; it hangs */
  bed_close(&b);
}
static void test_first_dynamic_operator(void **state) {
  (void)state;
  bed b;
  first_is_dynamic(&b, false, SK_OK);
  check(&b, 2, 11);
  bed_close(&b);
}

/* ---- whole graphs ---- */

static const char *options_of(void *context, const char *scope) {
  assert_string_equal(scope, "s");
  return context;
}

/* Takes, groups, generates and runs; how many launches it took. */
static size_t run_graph(bed *b, const char *options, sk__launch_result *results, sk_status wanted) {
  assert_int_equal(aclrtSynchronizeStream(b->stream), ACL_SUCCESS);
  sk__runtime_set_hook(b->runtime, NULL, NULL);
  sk__graph *graph;
  sk__ge_plan *plan;
  char why[512];
  assert_int_equal(sk__graph_from_tasks(sk__machine_soc(sk__runtime_machine(b->runtime)), b->tasks, b->count, &graph), SK_OK);
  sk_status made = sk__ge_plan_make(graph, options_of, (void *)(uintptr_t)options, false, &plan, why, sizeof why);
  if (made != wanted) print_message("%s\n", why);
  assert_int_equal(made, wanted);
  size_t launches = 0;
  if (made == SK_OK) {
    assert_int_equal(sk__ge_plan_run(b->runtime, plan, results, &launches), SK_OK);
    assert_int_equal(finding_count(b), 0);
    sk__ge_plan_free(plan);
  }
  sk__graph_free(graph);
  return launches;
}

static void mark(bed *b, bool begin, const char *scope) {
  assert_int_equal((begin ? aclskScopeBegin : aclskScopeEnd)(scope, b->stream), ACL_SUCCESS);
}

static void test_graph_without_scope_is_not_fused(void **state) {
  (void)state;
  bed b;
  sk__launch_result results[MAX_TASKS];
  bed_open(&b);
  launch(&b, &cube, 8, 0, 1, 1);
  launch(&b, &vector, 8, 1, 2, 10);
  assert_int_equal(run_graph(&b, "", results, SK_OK), 2);
  assert_false(results[0].is_sk);
  check(&b, 2, 11);
  bed_close(&b);
}

static void test_bad_options_name_the_scope(void **state) {
  (void)state;
  bed b;
  bed_open(&b);
  mark(&b, true, "s");
  launch(&b, &cube, 8, 0, 1, 1);
  mark(&b, false, "s");
  run_graph(&b, "early-start=7", NULL, SK_INVALID_ARGUMENT);
  bed_close(&b);
}

static void test_graph_with_a_scope(void **state) {
  (void)state;
  bed b;
  sk__launch_result results[MAX_TASKS];
  bed_open(&b);
  launch(&b, &vector, 8, 0, 1, 1);
  mark(&b, true, "s");
  launch(&b, &cube, 8, 1, 2, 10);
  launch(&b, &vector, 16, 2, 3, 100);
  mark(&b, false, "s");
  launch(&b, &vector, 8, 3, 4, 1000);
  assert_int_equal(run_graph(&b, "early-start=0", results, SK_OK), 3);
  assert_false(results[0].is_sk);
  assert_true(results[1].is_sk);
  assert_int_equal(results[1].type, SK_MIX_AIC_1_2);
  check(&b, 4, 1111);
  bed_close(&b);
}

static void test_none_scope_hides(void **state) {
  (void)state;
  bed b;
  sk__launch_result results[MAX_TASKS];
  bed_open(&b);
  mark(&b, true, "s");
  launch(&b, &cube, 8, 0, 1, 1);
  mark(&b, true, NULL);
  launch(&b, &vector, 16, 1, 2, 10);
  mark(&b, false, NULL);
  launch(&b, &cube, 8, 2, 3, 100);
  mark(&b, false, "s");
  assert_int_equal(run_graph(&b, "", results, SK_OK), 3);
  assert_true(results[0].is_sk && !results[1].is_sk && results[2].is_sk);
  check(&b, 3, 111);
  bed_close(&b);
}

static void test_graph_of_two_streams(void **state) {
  (void)state;
  bed b;
  sk__launch_result results[MAX_TASKS];
  bed_open(&b);
  void *first = b.stream, *second, *event;
  assert_int_equal(aclrtCreateStream(&second), ACL_SUCCESS);
  assert_int_equal(aclrtCreateEvent(&event), ACL_SUCCESS);
  mark(&b, true, "s");
  launch(&b, &cube, 8, 0, 1, 1);
  assert_int_equal(aclrtRecordEvent(event, first), ACL_SUCCESS);
  assert_int_equal(aclrtStreamWaitEvent(second, event), ACL_SUCCESS);
  b.stream = second;
  launch(&b, &vector, 8, 1, 2, 10);
  assert_int_equal(aclrtRecordEvent(event, second), ACL_SUCCESS);
  assert_int_equal(aclrtStreamWaitEvent(first, event), ACL_SUCCESS);
  b.stream = first;
  launch(&b, &cube, 8, 2, 3, 100);
  mark(&b, false, "s");
  assert_int_equal(run_graph(&b, "", results, SK_OK), 1);
  check(&b, 3, 111);
  bed_close(&b);
}

SK_TESTS(SK_TEST(test_nothing_to_call), SK_TEST(test_word_that_nobody_writes_hangs), SK_TEST(test_word_that_is_written_is_cleared),
         SK_TEST(test_small_operator_with_syncall_hangs_unfed), SK_TEST(test_small_operator_with_syncall_is_fed), SK_TEST(test_chain),
         SK_TEST(test_chain_without_early_start), SK_TEST(test_chain_with_debug_barriers),
         SK_TEST(test_operators_that_start_early_themselves), SK_TEST(test_two_queues), SK_TEST(test_dynamic_operator_runs_on_its_own_blocks),
         SK_TEST(test_defect_of_the_first_dynamic_operator_hangs), SK_TEST(test_first_dynamic_operator),
         SK_TEST(test_graph_without_scope_is_not_fused), SK_TEST(test_bad_options_name_the_scope), SK_TEST(test_graph_with_a_scope),
         SK_TEST(test_none_scope_hides), SK_TEST(test_graph_of_two_streams))
