/* run_bed.h - what tests share that run plans on the machine: kernels, a runtime whose tasks are taken instead of run,
 * planning and running them. */
#ifndef RUN_BED_H
#define RUN_BED_H

#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "fuse/fuse.h"
#include "harness.h"

enum { SLOTS = 64 };

/* Argument block of the test kernels: out[slot] = in[slot] + add, one slot of 32 bytes per core. */
typedef struct args { uint64_t in, out; uint32_t add, slots; } args;

static uint32_t my_index(const sk__core *core) {
  return core->type == SK__AIC ? core->block_idx : core->block_idx * core->ratio + core->sub_block;
}

/* Each core handles the slots index, index + blocks ...; block number as the sub-kernel sees it. */
static void add_kernel(const void *raw) {
  const args *a = raw;
  sk__core *core = sk__self;
  uint32_t local[8];
  sk__pipe store = core->type == SK__AIC ? SK__PIPE_FIX : SK__PIPE_MTE3;
  for (uint32_t slot = my_index(core); slot < a->slots; slot += core->view.block_num) {
    sk__enter(SK__PIPE_MTE2, "load", NULL);
    if (!sk__gm_load(core, SK__PIPE_MTE2, local, a->in + slot * 32, 32)) return;
    for (int i = 0; i < 8; i++) local[i] += a->add;
    sk__pipe_barrier(core, SK__PIPE_ALL);
    sk__enter(store, "store", NULL);
    if (!sk__gm_store(core, store, a->out + slot * 32, local, 32)) return;
  }
  sk__pipe_barrier(core, SK__PIPE_ALL);
}

__attribute__((unused)) static const sk_kernel cube = {.abi = SK_KERNEL_ABI, .type = SK_AIC_ONLY, .name = "cube_add", .file = "t.c", .args_bytes = sizeof(args), .aic = add_kernel};
__attribute__((unused)) static const sk_kernel vector = {.abi = SK_KERNEL_ABI, .type = SK_AIV_ONLY, .name = "vector_add", .file = "t.c", .args_bytes = sizeof(args), .aiv = add_kernel};

typedef struct bed {
  sk__runtime *runtime;
  void *stream;
  void *buffer[4];
  sk__task *tasks[16];
  size_t count;
  sk__graph *graph;
  sk__plan *plan;
  char why[256];
} bed;

static bed *taking; /* the hook's target: tasks are taken, not run */
static sk_status take(void *context, sk__runtime *runtime, sk__task *const *tasks, size_t count) {
  (void)runtime;
  bed *b = context;
  for (size_t i = 0; i < count && b->count < 16; i++) b->tasks[b->count++] = sk__task_ref(tasks[i]);
  return SK_OK;
}

__attribute__((unused)) static void bed_open(bed *b) {
  memset(b, 0, sizeof *b);
  taking = b;
  assert_int_equal(aclInit(NULL), ACL_SUCCESS);
  assert_int_equal(aclrtSetDevice(0), ACL_SUCCESS);
  assert_int_equal(aclrtCreateStream(&b->stream), ACL_SUCCESS);
  b->runtime = sk__runtime_get();
  assert_non_null(b->runtime);
  uint32_t start[SLOTS * 8];
  for (uint32_t i = 0; i < SLOTS * 8; i++) start[i] = i;
  for (int i = 0; i < 4; i++) {
    assert_int_equal(aclrtMalloc(&b->buffer[i], sizeof start, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    assert_int_equal(aclrtMemcpy(b->buffer[i], sizeof start, start, sizeof start, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
  }
  sk__runtime_set_hook(b->runtime, take, b);
}

__attribute__((unused)) static void launch(bed *b, const sk_kernel *kernel, uint32_t blocks, int from, int to, uint32_t add) {
  args a = {(uint64_t)b->buffer[from], (uint64_t)b->buffer[to], add, SLOTS};
  assert_int_equal(sk_kernel_launch(kernel, blocks, 0, b->stream, &a, "t.c", 1), ACL_SUCCESS);
}

__attribute__((unused)) static void take_graph(bed *b) {
  assert_int_equal(aclrtSynchronizeStream(b->stream), ACL_SUCCESS);
  sk__runtime_set_hook(b->runtime, NULL, NULL);
  assert_int_equal(sk__graph_from_tasks(sk__machine_soc(sk__runtime_machine(b->runtime)), b->tasks, b->count, &b->graph), SK_OK);
}

__attribute__((unused)) static const sk__finding *finding(const bed *b, const char *id) {
  size_t count = 0;
  const sk__finding *findings = sk__findings(sk__machine_checker(sk__runtime_machine(b->runtime)), &count);
  for (size_t i = 0; i < count; i++)
    if (strcmp(findings[i].id, id) == 0) return &findings[i];
  return NULL;
}

/* Plans and runs what was launched; the launches made. */
__attribute__((unused)) static size_t plan_and_run(bed *b, const sk__fuse_options *options, sk__launch_result *results) {
  if (b->graph == NULL) take_graph(b);
  sk_status made = sk__plan_make(b->graph, options, &b->plan, b->why, sizeof b->why);
  if (made != SK_OK) print_message("plan: %s\n", b->why);
  assert_int_equal(made, SK_OK);
  size_t launches = 0;
  sk_status ran = sk__plan_run(b->runtime, b->plan, results, &launches);
  size_t count = 0;
  const sk__finding *findings = sk__findings(sk__machine_checker(sk__runtime_machine(b->runtime)), &count);
  for (size_t i = 0; i < count; i++) print_message("finding %s: %s\n", findings[i].id, findings[i].message);
  assert_int_equal(ran, SK_OK);
  assert_int_equal(count, 0);
  return launches;
}

__attribute__((unused)) static void check(bed *b, int buffer, uint32_t added) {
  uint32_t got[SLOTS * 8];
  assert_int_equal(aclrtMemcpy(got, sizeof got, b->buffer[buffer], sizeof got, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
  for (uint32_t i = 0; i < SLOTS * 8; i++) assert_int_equal(got[i], i + added);
}

#endif
