/* The other vector instructions on the machine with its checks: what was never written is found where it
 * counts and only there, a missing barrier or flag is found, results go through to device memory. */
#include <stdio.h>
#include <string.h>

#include "cube_fixture.h"

static sk__machine *checked(void) { return machine_of("test", (sk__machine_options){.checks = true}); }
static uint32_t findings_of(sk__machine *machine, char *first, size_t bytes) {
  size_t count;
  const sk__finding *all = sk__findings(sk__machine_checker(machine), &count);
  snprintf(first, bytes, "%s", count != 0 ? all[0].message : "");
  return (uint32_t)count;
}
static void expect(half_fn kernel, uint32_t findings) {
  sk__machine *machine = checked();
  char first[512];
  run_aiv(machine, kernel, NULL);
  uint32_t count = findings_of(machine, first, sizeof first);
  if (count != findings) fail_msg("%u findings instead of %u; first: '%s'", count, findings, first);
  sk__machine_destroy(machine);
}
static void *at(sk__core *core, uint32_t offset) { return local(core, SK__MEM_UB) + offset; }

#define SRC 0x8000u
#define BITS 0x10000u

/* 32 of 64 elements are written; the bits keep these, or all. */
static void keeps_what_was_written(sk__core *core, void *context) {
  (void)context;
  asc_set_vector_mask(0, UINT32_MAX);
  asc_duplicate((uint32_t *)at(core, SRC), 7u, 1, 1, 8);
  asc_set_vector_mask(0, 1);
  asc_duplicate((uint32_t *)at(core, BITS), UINT32_MAX, 1, 1, 8); /* bits 0..31 */
  asc_set_vector_mask(0, 2);
  asc_duplicate((uint32_t *)at(core, BITS), 0u, 1, 1, 8); /* bits 32..63 */
  asc_sync_pipe(PIPE_V);
  asc_reduce((uint32_t *)at(core, 0), (uint32_t *)at(core, SRC), (uint32_t *)at(core, BITS), 1, 1, 0, 8, 8);
}
static void keeps_what_was_not(sk__core *core, void *context) {
  (void)context;
  asc_set_vector_mask(0, UINT32_MAX);
  asc_duplicate((uint32_t *)at(core, SRC), 7u, 1, 1, 8);
  asc_set_vector_mask(0, 3);
  asc_duplicate((uint32_t *)at(core, BITS), UINT32_MAX, 1, 1, 8);
  asc_sync_pipe(PIPE_V);
  asc_reduce((uint32_t *)at(core, 0), (uint32_t *)at(core, SRC), (uint32_t *)at(core, BITS), 1, 1, 0, 8, 8);
}
static void test_unwritten_elements_matter_when_kept(void **state) {
  (void)state;
  expect(keeps_what_was_not, 1);
  expect(keeps_what_was_written, 0);
}

static void sorts_unwritten(sk__core *core, void *context) {
  (void)context;
  asc_duplicate((float *)at(core, SRC), 1.0f, 31);
  asc_duplicate((uint32_t *)at(core, BITS), 1u, 32);
  asc_sync_pipe(PIPE_V);
  asc_bitsort((float *)at(core, 0), (float *)at(core, SRC), (uint32_t *)at(core, BITS), 1);
}
static void sorts_written(sk__core *core, void *context) {
  (void)context;
  asc_duplicate((float *)at(core, SRC), 1.0f, 32);
  asc_duplicate((uint32_t *)at(core, BITS), 1u, 32);
  asc_sync_pipe(PIPE_V);
  asc_bitsort((float *)at(core, 0), (float *)at(core, SRC), (uint32_t *)at(core, BITS), 1);
}
static void test_sort_of_unwritten_scores(void **state) {
  (void)state;
  expect(sorts_unwritten, 1);
  expect(sorts_written, 0);
}

static void gathers_beyond(sk__core *core, void *context) {
  asc_duplicate((float *)at(core, SRC), 1.0f, 64);
  asc_duplicate((uint32_t *)at(core, BITS), context == NULL ? 256u : 252u, 64);
  asc_sync_pipe(PIPE_V);
  asc_gather((float *)at(core, 0), (float *)at(core, SRC), (uint32_t *)at(core, BITS), 64);
}
static void gathers_within(sk__core *core, void *context) {
  (void)context;
  gathers_beyond(core, core);
}
static void test_gather_of_unwritten_elements(void **state) {
  (void)state;
  expect(gathers_beyond, 1);
  expect(gathers_within, 0);
}

static void stores(sk__core *core, void *out, bool waits) {
  asc_duplicate((float *)at(core, SRC), 1.0f, 64);
  asc_sync_pipe(PIPE_V);
  asc_repeat_reduce_sum((float *)at(core, 0), (float *)at(core, SRC), 64);
  if (waits) {
    asc_sync_notify(PIPE_V, PIPE_MTE3, 0);
    asc_sync_wait(PIPE_V, PIPE_MTE3, 0);
  }
  asc_copy_ub2gm_align((float *)out, (float *)at(core, 0), 4);
}
static void stores_at_once(sk__core *core, void *context) { stores(core, context, false); }
static void stores_after_a_flag(sk__core *core, void *context) { stores(core, context, true); }
static void test_result_stored_without_a_flag(void **state) {
  (void)state;
  half_fn kernels[2] = {stores_at_once, stores_after_a_flag};
  for (uint32_t i = 0; i < 2; i++) {
    sk__machine *machine = checked();
    void *out = gm(machine, 32, NULL);
    char first[512];
    float sum = 0;
    run_aiv(machine, kernels[i], out);
    assert_int_equal(findings_of(machine, first, sizeof first), i == 0);
    gm_read(machine, &sum, out, 4);
    assert_true(sum == 64.0f);
    sk__machine_destroy(machine);
  }
}

SK_TESTS(SK_TEST(test_unwritten_elements_matter_when_kept), SK_TEST(test_sort_of_unwritten_scores),
         SK_TEST(test_gather_of_unwritten_elements), SK_TEST(test_result_stored_without_a_flag))
