/* Random small programs: whatever the options, fused they give what they give un-fused, without a finding and
 * without a deadlock. The programs order every conflict by streams and events and by nothing else, so the checker
 * proves of each edge of the graph that the fused form keeps it. */
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "base/rng.h"
#include "fuse/fuse.h"
#include "fuse/ge/ge.h"
#include "fuse/order.h"
#include "harness.h"

enum { BUFFERS = 5, STREAMS = 4, SIDE = STREAMS - 1, SLOTS = 16, BYTES = SLOTS * 32, MOST_TASKS = 128, MOST_BLOCKS = 4 };

/* ---- kernels: out[slot] = in[slot] * 3 + add ---- */

typedef struct args { uint64_t in, out; uint32_t add, slots; } args;

static void handle(const args *a, uint32_t first, uint32_t step, uint32_t end) {
  sk__core *core = sk__self;
  uint32_t local[8];
  sk__pipe store = core->type == SK__AIC ? SK__PIPE_FIX : SK__PIPE_MTE3;
  for (uint32_t slot = first; slot < end; slot += step) {
    sk__enter(SK__PIPE_MTE2, "load", NULL);
    if (!sk__gm_load(core, SK__PIPE_MTE2, local, a->in + slot * 32, 32)) return;
    for (int i = 0; i < 8; i++) local[i] = local[i] * 3 + a->add;
    sk__pipe_barrier(core, SK__PIPE_ALL);
    sk__enter(store, "store", NULL);
    if (!sk__gm_store(core, store, a->out + slot * 32, local, 32)) return;
  }
  sk__pipe_barrier(core, SK__PIPE_ALL);
}

static void cube_kernel(const void *raw) { handle(raw, sk__self->block_idx, sk__self->view.block_num, SLOTS); }
static void vector_kernel(const void *raw) {
  handle(raw, sk__self->block_idx * sk__self->ratio + sk__self->sub_block, sk__self->view.block_num, SLOTS);
}
/* Both halves of a MIX kernel: the cube cores the first slots, the vector cores the rest; of a 1:1 kernel only the
 * first vector core works, however many the launch starts. */
static void mix_aic(const void *raw) { handle(raw, sk__self->block_idx, sk__self->view.block_num, SLOTS / 2); }
static void mix11_aiv(const void *raw) {
  if (sk__self->sub_block == 0) handle(raw, SLOTS / 2 + sk__self->block_idx, sk__self->view.block_num, SLOTS);
}
static void mix12_aiv(const void *raw) {
  handle(raw, SLOTS / 2 + sk__self->block_idx * 2 + sk__self->sub_block, sk__self->view.block_num * 2, SLOTS);
}

/* The calls of an operator built for early start, gated by the configuration word it is given. */
static void wait_for_predecessor(sk__core *core) {
  bool aic = core->type == SK__AIC;
  uint32_t mask = core->view.early_mask;
  sk__early_call(core, true);
  if ((mask & (aic ? 2u : 32u)) != 0) sk__cross_wait_system(core, aic ? 11 : 14);
  if ((mask & (aic ? 4u : 64u)) != 0) sk__cross_set_system(core, SK__PIPE_MTE3, 2, aic ? 13 : 12);
  if ((mask & (aic ? 8u : 128u)) != 0) sk__cross_wait_system(core, aic ? 12 : 13);
}
static void start_successor(sk__core *core) {
  bool aic = core->type == SK__AIC;
  sk__early_call(core, false);
  if ((core->view.early_mask & (aic ? 1u : 16u)) != 0) sk__cross_set_system(core, aic ? SK__PIPE_FIX : SK__PIPE_MTE3, 0, aic ? 11 : 14);
}
#define EARLY(name)                             \
  static void name##_early(const void *raw) {   \
    wait_for_predecessor(sk__self);             \
    name(raw);                                  \
    start_successor(sk__self);                  \
  }
EARLY(cube_kernel) EARLY(vector_kernel) EARLY(mix_aic) EARLY(mix11_aiv) EARLY(mix12_aiv)

#define KERNEL(text, kind, aic_half, aiv_half) {.abi = SK_KERNEL_ABI, .type = kind, .name = text, .file = "t.c", .args_bytes = sizeof(args), .aic = aic_half, .aiv = aiv_half}
static const sk_kernel kernels[] = {
    KERNEL("cube", SK_AIC_ONLY, cube_kernel, NULL), KERNEL("vector", SK_AIV_ONLY, NULL, vector_kernel),
    KERNEL("mix11", SK_MIX_AIC_1_1, mix_aic, mix11_aiv), KERNEL("mix12", SK_MIX_AIC_1_2, mix_aic, mix12_aiv),
    KERNEL("cube_early", SK_AIC_ONLY, cube_kernel_early, NULL), KERNEL("vector_early", SK_AIV_ONLY, NULL, vector_kernel_early),
    KERNEL("mix11_early", SK_MIX_AIC_1_1, mix_aic_early, mix11_aiv_early), KERNEL("mix12_early", SK_MIX_AIC_1_2, mix_aic_early, mix12_aiv_early)};
enum { KINDS = sizeof kernels / sizeof kernels[0], EARLY_KINDS = 4 };

/* ---- one program ---- */

typedef struct bed {
  sk__runtime *runtime;
  aclrtStream stream[STREAMS];
  void *buffer[BUFFERS];
  sk__task *tasks[MOST_TASKS];
  size_t count;
  uint32_t known[STREAMS][STREAMS]; /* known[a][b]: launches of stream b that stream a comes after */
  uint32_t writer[BUFFERS][STREAMS], reader[BUFFERS][STREAMS]; /* last launch of that stream to do so */
  uint32_t result[BUFFERS][BYTES / 4];
} bed;

static sk_status take(void *context, sk__runtime *runtime, sk__task *const *tasks, size_t count) {
  (void)runtime;
  bed *b = context;
  assert_true(b->count + count <= MOST_TASKS);
  for (size_t i = 0; i < count; i++) b->tasks[b->count++] = sk__task_ref(tasks[i]);
  return SK_OK;
}

static void bed_open(bed *b) {
  memset(b, 0, sizeof *b);
  assert_int_equal(aclrtSetDevice(0), ACL_SUCCESS);
  b->runtime = sk__runtime_get();
  for (int s = 0; s < STREAMS; s++) assert_int_equal(aclrtCreateStream(&b->stream[s]), ACL_SUCCESS);
  for (int i = 0; i < BUFFERS; i++) assert_int_equal(aclrtMalloc(&b->buffer[i], BYTES, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
}

static void reset_buffers(const bed *b) {
  uint32_t start[BYTES / 4];
  for (uint32_t i = 0; i < BUFFERS; i++) {
    for (uint32_t w = 0; w < BYTES / 4; w++) start[w] = i * 1000 + w;
    assert_int_equal(aclrtMemcpy(b->buffer[i], BYTES, start, BYTES, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
  }
}
static void read_buffers(const bed *b, uint32_t out[BUFFERS][BYTES / 4]) {
  for (int i = 0; i < BUFFERS; i++) assert_int_equal(aclrtMemcpy(out[i], BYTES, b->buffer[i], BYTES, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
}

static void forget_tasks(bed *b) {
  for (size_t i = 0; i < b->count; i++) sk__task_unref(b->tasks[i]);
  b->count = 0;
  memset(b->known, 0, sizeof b->known);
  memset(b->writer, 0, sizeof b->writer);
  memset(b->reader, 0, sizeof b->reader);
}

/* Makes `to` come after everything `from` has done so far. */
static void join(bed *b, uint32_t from, uint32_t to) {
  aclrtEvent event = NULL;
  assert_int_equal(aclrtCreateEvent(&event), ACL_SUCCESS);
  assert_int_equal(aclrtRecordEvent(event, b->stream[from]), ACL_SUCCESS);
  assert_int_equal(aclrtStreamWaitEvent(b->stream[to], event), ACL_SUCCESS);
  assert_int_equal(aclrtDestroyEvent(event), ACL_SUCCESS);
  for (int s = 0; s < STREAMS; s++)
    if (b->known[from][s] > b->known[to][s]) b->known[to][s] = b->known[from][s];
}

static void order_after(bed *b, uint32_t stream, const uint32_t users[STREAMS]) {
  for (uint32_t s = 0; s < STREAMS; s++)
    if (s != stream && users[s] > b->known[stream][s]) join(b, s, stream);
}

/* What stands on the last stream no SK can take in, and may have to wait for: copies, in graph mode kernels that nothing
 * binds. */
static void add_work(bed *b, sk__rng *rng, uint32_t kinds, bool scopes) {
  bool side = sk__rng_below(rng, 5) == 0, copy = side && !scopes;
  uint32_t stream = side ? SIDE : sk__rng_below(rng, SIDE), in = sk__rng_below(rng, BUFFERS), out = sk__rng_below(rng, BUFFERS);
  if (copy && in == out) out = (in + 1) % BUFFERS;
  order_after(b, stream, b->writer[in]);
  order_after(b, stream, b->writer[out]);
  order_after(b, stream, b->reader[out]);
  args a = {(uint64_t)b->buffer[in], (uint64_t)b->buffer[out], sk__rng_below(rng, 1000), SLOTS};
  uint32_t number = ++b->known[stream][stream];
  b->reader[in][stream] = b->writer[out][stream] = number;
  if (copy) {
    assert_int_equal(aclrtMemcpyAsync(b->buffer[out], BYTES, b->buffer[in], BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, b->stream[stream]), ACL_SUCCESS);
    return;
  }
  assert_int_equal(sk_kernel_launch(&kernels[sk__rng_below(rng, kinds)], 1 + sk__rng_below(rng, MOST_BLOCKS), 0, b->stream[stream], &a, "t.c", 1), ACL_SUCCESS);
}

static const char *const names[] = {"one", "two", NULL};

/* scopes: everything lies in a scope of its own stretch, as graph mode needs it. */
static void make_program(bed *b, sk__rng *rng, uint32_t kinds, bool scopes) {
  forget_tasks(b);
  sk__runtime_set_hook(b->runtime, take, b);
  uint32_t launches = 3 + sk__rng_below(rng, 9), open = UINT32_MAX, marked = scopes ? 2 : sk__rng_below(rng, 3);
  for (uint32_t i = 0; i < launches; i++) {
    bool change = scopes ? i == 0 || sk__rng_below(rng, 6) == 0 : marked == 2 && sk__rng_below(rng, 3) == 0;
    if (change && open != UINT32_MAX) assert_int_equal(aclskScopeEnd(names[open], b->stream[0]), ACL_SUCCESS);
    if (change) assert_int_equal(aclskScopeBegin(names[open = sk__rng_below(rng, scopes ? 2 : 3)], b->stream[0]), ACL_SUCCESS);
    add_work(b, rng, kinds, scopes);
  }
  if (open != UINT32_MAX) assert_int_equal(aclskScopeEnd(names[open], b->stream[0]), ACL_SUCCESS);
  assert_int_equal(aclrtSynchronizeDevice(), ACL_SUCCESS);
  sk__runtime_set_hook(b->runtime, NULL, NULL);
}

static size_t print_findings(const bed *b, const char *what) {
  size_t count = 0;
  sk__checker *checker = sk__machine_checker(sk__runtime_machine(b->runtime));
  const sk__finding *findings = sk__findings(checker, &count);
  for (size_t i = 0; i < count; i++) print_message("%s: finding %s: %s\n", what, findings[i].id, findings[i].message);
  sk__findings_clear(checker);
  return count;
}

static void run_unfused(bed *b) {
  sk__task_result results[MOST_TASKS];
  reset_buffers(b);
  sk__runtime_join_streams(b->runtime);
  assert_int_equal(sk__runtime_run(b->runtime, b->tasks, b->count, results), SK_OK);
  assert_int_equal(print_findings(b, "un-fused"), 0);
  read_buffers(b, b->result);
}

static bool same_result(const bed *b) {
  uint32_t got[BUFFERS][BYTES / 4];
  read_buffers(b, got);
  return memcmp(got, b->result, sizeof got) == 0;
}

/* ---- captured-graph path ---- */

/* One digit of a mixed-radix number each. */
static uint32_t digit(uint32_t *number, uint32_t base) {
  uint32_t value = *number % base;
  *number /= base;
  return value;
}

enum { COMBINATIONS = 3 * 4 * 2 * 2 * 2 * 2 * 2 * 2 * 2 * 2 * 2 * 4 };

static sk__fuse_options options_of(uint32_t number) {
  static const char *const patterns[] = {"cube.*", "vector", "mix1.*"};
  sk__fuse_options options = sk__fuse_defaults();
  options.dcci_before_kernel_start = (sk__patterns){patterns, number % 4};
  options.dcci_after_kernel_end = (sk__patterns){patterns + 1, number % 3};
  options.preload_code = digit(&number, 3);
  options.split_mode = 1 + digit(&number, 4);
  options.stream_fusion = digit(&number, 2);
  options.auto_op_parallel = digit(&number, 2);
  options.early_start = digit(&number, 2);
  options.constant_codegen = digit(&number, 2);
  options.debug_sync_all = digit(&number, 2);
  options.debug_op_exec_trace = digit(&number, 2);
  options.debug_cross_core_sync_check = digit(&number, 2);
  options.debug_per_op_max_core_num = digit(&number, 2);
  options.task_breaker_bypass = digit(&number, 2);
  options.value_breaker_bypass = digit(&number, 4);
  return options;
}

static sk__graph *graph_of_tasks(const bed *b) {
  sk__graph *graph = NULL;
  assert_int_equal(sk__graph_from_tasks(sk__machine_soc(sk__runtime_machine(b->runtime)), b->tasks, b->count, &graph), SK_OK);
  for (size_t i = 0; i < graph->node_count; i++) {
    sk__node *node = &graph->nodes[i];
    bool early = node->type == SK__NODE_KERNEL && node->marker == SK__NO_MARKER && strstr(node->kernel.name, "_early") != NULL;
    if (node->type == SK__NODE_KERNEL && node->marker == SK__NO_MARKER && node->task->stream == b->stream[SIDE]) node->kernel.bound = false;
    if (early) node->kernel.cap |= SK_CAP_EARLY_START_SET | SK_CAP_EARLY_START_WAIT;
  }
  return graph;
}

typedef struct tally { size_t planned, fused, shared, at_once, refused, open, hang; } tally; /* at_once: an SK and work outside wait for each other */

/* Some launches have no order in which one after another could run. */
static bool needs_both(const sk__plan *plan) {
  sk__sequence sequence;
  sk_status status = sk__plan_order(plan, &sequence);
  sk__sequence_free(&sequence);
  assert_int_equal(status, SK_OK);
  return sequence.circle_count > 0;
}

static void run_plan(const bed *b, const sk__plan *plan, uint32_t number, tally *all) {
  sk__launch_result results[MOST_TASKS];
  size_t launches = 0;
  reset_buffers(b);
  sk__runtime_join_streams(b->runtime);
  sk_status status = sk__plan_run(b->runtime, plan, results, &launches);
  all->at_once += needs_both(plan);
  size_t findings = print_findings(b, "fused");
  if (status != SK_OK || findings != 0 || !same_result(b)) {
    sk__plan_print(plan, stdout);
    fail_msg("combination %u: status %s, %zu findings, results %s", number, sk_status_text(status), findings, same_result(b) ? "equal" : "differ");
  }
  all->planned++;
  for (size_t k = 0; k < plan->sk_count; k++) {
    all->fused++;
    all->shared += plan->sks[k].member_count > 1;
  }
}

enum { SLICES = 16 };

/* One slice of all combinations; each test has a time limit of its own. */
static void play_slice(uint32_t slice) {
  enum { STEP = SK__HARD ? 97 : 1, PROGRAM_FOR = SK__HARD ? 2 : 16 };
  static bed b;
  char name[32];
  snprintf(name, sizeof name, "combinations %u", slice);
  bed_open(&b);
  sk__rng rng = sk__rng_from_seed(sk_test_seed(name));
  tally all = {0};
  size_t shareable = 0; /* plans in which operators may share an SK */
  bool bypassed = false; /* some plan lets an SK wait for what it cannot take in */
  uint32_t first = slice * (COMBINATIONS / SLICES), end = first + COMBINATIONS / SLICES;
  _Static_assert(COMBINATIONS % SLICES == 0, "every combination is in one slice");
  for (uint32_t number = first; number < end; number += STEP) {
    if ((number - first) / STEP % PROGRAM_FOR == 0) {
      make_program(&b, &rng, KINDS, false);
      run_unfused(&b);
    }
    sk__graph *graph = graph_of_tasks(&b);
    sk__fuse_options options = options_of(number);
    sk__plan *plan = NULL;
    char why[256] = "";
    sk_status status = sk__plan_make(graph, &options, &plan, why, sizeof why);
    if (status != SK_OK) fail_msg("combination %u: %s", number, why);
    run_plan(&b, plan, number, &all);
    shareable += options.debug_per_op_max_core_num == 0;
    bypassed |= options.debug_per_op_max_core_num == 0 && options.task_breaker_bypass == 1;
    sk__plan_free(plan);
    sk__graph_free(graph);
  }
  print_message("%zu plans, %zu SKs, %zu of several operators, %zu at the same time as work outside\n", all.planned, all.fused, all.shared, all.at_once);
  assert_true(all.planned > 0 && all.fused > all.planned / 2 && all.shared >= shareable / 4);
  assert_true(SK__HARD || !bypassed || all.at_once > 0);
}

#define SLICE_LIST(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
#define X(slice)                                              \
  static void test_every_combination_of_options_##slice(void **state) { \
    (void)state;                                              \
    play_slice(slice);                                        \
  }
SLICE_LIST(X)
#undef X

/* ---- graph mode ---- */

static const char *ge_text(void *context, const char *scope) {
  (void)scope;
  return context;
}

/* The real generator leaves some orders open, and so does ours; the program says so. */
static bool leaves_an_order_open(const sk__ge_plan *plan) {
  size_t count = 0;
  const sk__ge_program *programs = sk__ge_plan_programs(plan, &count);
  for (size_t k = 0; k < count; k++)
    for (size_t i = 0; i < programs[k].warning_count; i++)
      if (strstr(programs[k].warnings[i], "(H36)") != NULL || strstr(programs[k].warnings[i], "(H31)") != NULL || strstr(programs[k].warnings[i], "(H8)") != NULL)
        return true;
  return false;
}

static void run_ge(const bed *b, const char *options, tally *all) {
  sk__graph *graph = graph_of_tasks(b);
  sk__ge_plan *plan = NULL;
  char why[512] = "";
  sk_status status = sk__ge_plan_make(graph, ge_text, (void *)(uintptr_t)options, false, &plan, why, sizeof why);
  if (status == SK_INVALID_ARGUMENT) {
    all->refused++;
  } else {
    assert_int_equal(status, SK_OK);
    sk__launch_result results[MOST_TASKS];
    size_t launches = 0;
    reset_buffers(b);
    sk__runtime_join_streams(b->runtime);
    status = sk__ge_plan_run(b->runtime, plan, results, &launches);
    bool open = leaves_an_order_open(plan), run = status != SK_DEADLOCK;
    size_t findings = 0;
    const sk__finding *list = sk__findings(sk__machine_checker(sk__runtime_machine(b->runtime)), &findings);
    bool hangs = false; /* there may be more findings: what the SuperKernel did not do */
    for (size_t i = 0; i < findings && !run; i++)
      hangs |= strcmp(list[i].id, "DEADLOCK") == 0 &&
               (strstr(list[i].message, "never starts") != NULL || strstr(list[i].message, "waits for the SuperKernel's end") != NULL);
    if (!open && !hangs) print_findings(b, "graph mode");
    sk__findings_clear(sk__machine_checker(sk__runtime_machine(b->runtime)));
    all->open += open;
    all->at_once += needs_both(sk__ge_plan_order(plan)) && !hangs;
    all->hang += hangs;
    bool good = open ? findings > 0 || same_result(b) : findings == 0 && same_result(b); /* what differs is found */
    if (!hangs && (status != SK_OK || !good)) {
      sk__ge_plan_print(plan, stdout);
      fail_msg("options '%s': status %s, %zu findings, results %s", options, sk_status_text(status), findings, same_result(b) ? "equal" : "differ");
    }
    all->planned += status == SK_OK;
    for (size_t i = 0; i < launches; i++) all->fused += results[i].is_sk;
  }
  sk__ge_plan_free(plan);
  sk__graph_free(graph);
}

static void test_every_combination_of_graph_mode_options(void **state) {
  (void)state;
  enum { GE_COMBINATIONS = 3 * 3 * 2 * 2 * 2 * 2 * 2 * 2, STEP = SK__HARD ? 7 : 1, ROUNDS = 3 };
  static const char *const preloads[] = {"max", "none", "per-func"};
  static bed b;
  bed_open(&b);
  sk__rng rng = sk__rng_from_seed(sk_test_seed("graph mode"));
  tally all = {0};
  for (uint32_t at = 0; at < GE_COMBINATIONS * ROUNDS; at += STEP) {
    uint32_t number = at % GE_COMBINATIONS;
    char text[400];
    uint32_t early = digit(&number, 3), preload = digit(&number, 3), fusion = digit(&number, 2), dcci = digit(&number, 2);
    uint32_t sync = digit(&number, 2), feed = digit(&number, 2), profiling = digit(&number, 2), split = digit(&number, 2);
    snprintf(text, sizeof text, "early-start=%u:preload-code=%s:stream-fusion=%u:debug-dcci-all=%u:debug-sync-all=%u:feed-sync-all=%u:profiling=%u:split-mode=%u",
             early, preloads[preload], fusion, dcci, sync, feed, profiling, split == 0 ? 1 : 4);
    make_program(&b, &rng, EARLY_KINDS, true);
    run_unfused(&b);
    run_ge(&b, text, &all);
  }
  print_message("%zu plans, %zu SKs, %zu refused, %zu with an open order, %zu that hang, %zu at the same time as work outside\n", all.planned, all.fused, all.refused, all.open, all.hang, all.at_once);
  assert_true(all.planned > 0 && all.fused >= all.planned && all.hang < all.planned / 2 && all.at_once > 0); /* what hangs hangs on the real system too */
}

/* Sanitizers need a multiple of the time. */
#define X(slice) SK_TEST_LIMIT(test_every_combination_of_options_##slice, 240),
SK_TESTS(SLICE_LIST(X) SK_TEST(test_every_combination_of_graph_mode_options))
#undef X
