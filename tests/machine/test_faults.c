/* Kernels that fault, run away, or use too much: a finding and an error status, and life goes on. */
#include <fenv.h>
#include <setjmp.h>
#include <signal.h>

#include "run_fixture.h"

#define KERNEL(name) static __attribute__((noinline)) void name(sk__core *core, void *context)
#define UNUSED (void)core, (void)context

static volatile uint64_t sink;
static volatile uint32_t *volatile nowhere = (volatile uint32_t *)(uintptr_t)0x10;

KERNEL(good) {
  (void)core;
  ++*(uint32_t *)context;
}
/* After the fault, the same machine runs a kernel on all its cores. */
static void assert_goes_on(sk__machine *m) {
  sk__findings_clear(sk__machine_checker(m));
  uint32_t ran = 0;
  assert_int_equal(launch(m, SK_AIV_ONLY, 4, NULL, good, &ran), SK_OK);
  assert_int_equal(ran, 4);
  assert_silent(m);
}

KERNEL(null_read) {
  UNUSED;
  core->site = (const void *)(uintptr_t)1;
  core->instr = "asc_add";
  if (core->block_idx == 1) sink = *nowhere;
}
__attribute__((no_sanitize("undefined"))) KERNEL(divides_by_zero) {
  UNUSED;
  volatile int zero = 0;
  if (core->block_idx == 1) sink = (uint64_t)(7 / zero);
}
KERNEL(aborts) {
  UNUSED;
  if (core->block_idx == 1) abort();
}
KERNEL(traps) {
  UNUSED;
  if (core->block_idx == 1) __builtin_trap();
}
static uint32_t recurse(uint32_t depth) {
  volatile char frame[512];
  frame[depth % 512] = (char)depth;
  return depth == UINT32_MAX ? 0 : recurse(depth + 1) + (uint32_t)frame[(depth + 1) % 512];
}
KERNEL(recurses) {
  UNUSED;
  if (core->block_idx == 1) sink = recurse(0);
}
KERNEL(beyond_local_memory) {
  UNUSED;
  if (core->block_idx == 1) *(volatile uint32_t *)(uintptr_t)(core->local + 900 * 1024) = 1;
}
KERNEL(beyond_device_memory) {
  UNUSED;
  if (core->block_idx == 1) *(volatile uint32_t *)(uintptr_t)(SK__GM_BASE + (UINT64_C(100) << 30)) = 1;
}

static void test_faults_become_findings(void **state) {
  (void)state;
  const struct { half_fn fn; const char *id, *word; } cases[] = {
    {null_read, "KERNEL_FAULT", "0x10"},
    {divides_by_zero, "KERNEL_FAULT", "division"},
    {aborts, "KERNEL_FAULT", "abort"},
    {traps, "KERNEL_FAULT", "trap"},
    {recurses, "KERNEL_FAULT", "stack"},
    {beyond_device_memory, "GM_OUT_OF_BOUNDS", ""},
  };
  sk__machine *m = small_machine();
  for (int round = 0; round < 3; round++)
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
      assert_int_equal(launch(m, SK_AIV_ONLY, 4, NULL, cases[i].fn, NULL), SK_FAULT);
      assert_only(m, cases[i].id);
      assert_non_null(strstr(finding_of(m, cases[i].id)->message, cases[i].word));
      assert_int_equal(finding_of(m, cases[i].id)->ends[0].core, 3);
      assert_goes_on(m);
    }
  sk__machine_destroy(m);
}

static void test_a_fault_names_its_place(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  assert_int_equal(launch(m, SK_AIV_ONLY, 2, NULL, null_read, NULL), SK_FAULT);
  const sk__finding *f = finding_of(m, "KERNEL_FAULT");
  assert_non_null(f);
  uint64_t at = (uint64_t)(uintptr_t)f->ends[0].site, start = (uint64_t)(uintptr_t)null_read;
  assert_true(at >= start && at < start + 4096);
  assert_string_equal(f->ends[1].instr, "asc_add");
  sk__machine_destroy(m);
}

static void test_unmapped_local_memory_is_out_of_bounds(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  sk_status status = launch(m, SK_AIV_ONLY, 2, NULL, beyond_local_memory, NULL);
  assert_int_equal(status, SK_FAULT);
  assert_only(m, "LOCAL_OUT_OF_BOUNDS");
  assert_goes_on(m);
  sk__machine_destroy(m);
}

KERNEL(faults_before_a_barrier) {
  UNUSED;
  if (core->block_idx == 1) sink = *nowhere;
  sk__sync_all(core, true);
}
static void test_cores_that_wait_for_a_faulted_one_are_no_deadlock(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  assert_int_equal(launch(m, SK_MIX_AIV_1_0, 4, NULL, faults_before_a_barrier, NULL), SK_FAULT);
  assert_only(m, "KERNEL_FAULT");
  assert_goes_on(m);
  sk__machine_destroy(m);
}

KERNEL(trap_call) {
  UNUSED;
  if (core->block_idx == 1) sk__core_abort(core, SK_FAULT);
  ++*(uint32_t *)context;
}
static void test_abort_ends_one_block(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  uint32_t ran = 0;
  assert_int_equal(launch(m, SK_AIV_ONLY, 4, NULL, trap_call, &ran), SK_FAULT);
  assert_int_equal(ran, 3);
  assert_goes_on(m);
  sk__machine_destroy(m);
}

/* ---- kernels that do not end --------------------------------------------------------------- */

KERNEL(loops_over_instructions) {
  UNUSED;
  while (core->block_idx == 1) sk__enter(SK__PIPE_S, "asc_get_ctrl", NULL);
}
static void test_the_instruction_budget(void **state) {
  (void)state;
  sk__machine *m = machine_of("test", (sk__machine_options){.checks = true, .instruction_budget = 3000000});
  assert_int_equal(launch(m, SK_AIV_ONLY, 4, NULL, loops_over_instructions, NULL), SK_BUDGET);
  assert_only(m, "ENDLESS");
  assert_goes_on(m);
  sk__machine_destroy(m);
}

KERNEL(loops_over_nothing) {
  UNUSED;
  while (core->block_idx == 1) sink++;
}
static void test_the_guard_against_loops_that_call_nothing(void **state) {
  (void)state;
  sk__machine *m = machine_of("test", (sk__machine_options){.checks = true, .guard_ms = 100});
  for (int i = 0; i < 2; i++) {
    assert_int_equal(launch(m, SK_AIV_ONLY, 4, NULL, loops_over_nothing, NULL), SK_BUDGET);
    assert_only(m, "ENDLESS");
    uint64_t at = (uint64_t)(uintptr_t)finding_of(m, "ENDLESS")->ends[0].site, start = (uint64_t)(uintptr_t)loops_over_nothing;
    assert_true(at >= start && at < start + 4096);
    assert_goes_on(m);
  }
  sk__machine_destroy(m);
}
KERNEL(works_long) {
  UNUSED;
  for (int i = 0; i < 300; i++) {
    for (int k = 0; k < 400000; k++) sink++;
    core->instructions++;
  }
}
static void test_the_guard_leaves_long_work_alone(void **state) {
  (void)state;
  sk__machine *m = machine_of("test", (sk__machine_options){.checks = true, .guard_ms = 100});
  assert_int_equal(launch(m, SK_AIV_ONLY, 1, NULL, works_long, NULL), SK_OK);
  assert_silent(m);
  sk__machine_destroy(m);
}

/* ---- signals that are not ours ------------------------------------------------------------- */

static sigjmp_buf host_jump;
static void host_handler(int number) { siglongjmp(host_jump, number); }

static void test_host_faults_go_to_the_host(void **state) {
  (void)state;
  struct sigaction mine = {.sa_handler = host_handler, .sa_flags = SA_NODEFER}, before;
  sigaction(SIGSEGV, &mine, &before);
  sk__machine *m = small_machine();
  uint32_t ran = 0;
  assert_int_equal(launch(m, SK_AIV_ONLY, 1, NULL, good, &ran), SK_OK);
  int got = sigsetjmp(host_jump, 1);
  if (got == 0) sink = *nowhere;
  assert_int_equal(got, SIGSEGV);
  assert_int_equal(launch(m, SK_AIV_ONLY, 2, NULL, null_read, NULL), SK_FAULT); /* kernels' still come to us */
  sk__machine_destroy(m);
  struct sigaction now;
  sigaction(SIGSEGV, NULL, &now);
  assert_ptr_equal(now.sa_handler, host_handler); /* put back */
  sigaction(SIGSEGV, &before, NULL);
}

KERNEL(notes_rounding) {
  (void)core;
  *(int *)context = fegetround();
}
static void test_the_rounding_mode_is_set_and_put_back(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  int seen = -1;
  fesetround(FE_UPWARD);
  sk_status status = launch(m, SK_AIV_ONLY, 1, NULL, notes_rounding, &seen);
  int after = fegetround();
  fesetround(FE_TONEAREST);
  assert_int_equal(status, SK_OK);
  assert_int_equal(seen, FE_TONEAREST);
  assert_int_equal(after, FE_UPWARD);
  sk__machine_destroy(m);
}

SK_TESTS(SK_TEST(test_faults_become_findings), SK_TEST(test_a_fault_names_its_place),
         SK_TEST(test_unmapped_local_memory_is_out_of_bounds), SK_TEST(test_cores_that_wait_for_a_faulted_one_are_no_deadlock),
         SK_TEST(test_abort_ends_one_block), SK_TEST(test_the_instruction_budget),
         SK_TEST(test_the_guard_against_loops_that_call_nothing), SK_TEST(test_the_guard_leaves_long_work_alone),
         SK_TEST(test_host_faults_go_to_the_host), SK_TEST(test_the_rounding_mode_is_set_and_put_back))
