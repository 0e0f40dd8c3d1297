/* Vector instructions on the machine itself, checks on: footprints meet the order of pipes. */
#include "cube_fixture.h"

typedef struct job { bool barrier, wait; uint32_t mask_bits; } job;

static sk__machine *checked_machine(void) { return machine_of("test", (sk__machine_options){.checks = true}); }

/* exp of data an earlier instruction of the same pipe wrote: needs a barrier of PIPE_V. */
static void chain(sk__core *core, void *context) {
  const job *j = context;
  (void)core;
  asc_duplicate((float *)0, 1.0f, 64);
  if (j->barrier) asc_sync_pipe(PIPE_V);
  asc_exp((float *)512, (float *)0, 64);
}
static void test_same_pipe_needs_a_barrier(void **state) {
  (void)state;
  sk__machine *machine = checked_machine();
  run_aiv(machine, chain, &(job){.barrier = false});
  assert_found(machine, "SAME_PIPE");
  sk__machine_destroy(machine);
  machine = checked_machine();
  run_aiv(machine, chain, &(job){.barrier = true});
  assert_silent(machine);
  sk__machine_destroy(machine);
}

/* Neighbouring elements of one block, written by two masked instructions: no conflict, no barrier needed. */
static void halves_of_a_block(sk__core *core, void *context) {
  const job *j = context;
  (void)core;
  asc_set_vector_mask(0, 0x0f);
  asc_duplicate((float *)0, 1.0f, 1, 1, 8);
  asc_set_vector_mask(0, 0xff ^ ((UINT64_C(1) << j->mask_bits) - 1));
  asc_duplicate((float *)0, 2.0f, 1, 1, 8);
  asc_sync_pipe(PIPE_V);
  asc_add((float *)256, (float *)0, (float *)0, 8);
}
static void test_masked_elements_of_one_block(void **state) {
  (void)state;
  sk__machine *machine = checked_machine();
  run_aiv(machine, halves_of_a_block, &(job){.mask_bits = 3});
  assert_found(machine, "SAME_PIPE");
  sk__machine_destroy(machine);
  machine = checked_machine();
  run_aiv(machine, halves_of_a_block, &(job){.mask_bits = 4});
  assert_silent(machine);
  sk__machine_destroy(machine);
}

/* Element 8 was never written. */
static void tail(sk__core *core, void *context) {
  const job *j = context;
  (void)core;
  asc_duplicate((float *)0, 1.0f, 8);
  asc_sync_pipe(PIPE_V);
  asc_exp((float *)512, (float *)0, j->mask_bits);
}
static void test_reads_one_element_too_many(void **state) {
  (void)state;
  sk__machine *machine = checked_machine();
  run_aiv(machine, tail, &(job){.mask_bits = 9});
  size_t count;
  assert_non_null(sk__findings(sk__machine_checker(machine), &count));
  assert_int_equal(count, 1);
  sk__machine_destroy(machine);
  machine = checked_machine();
  run_aiv(machine, tail, &(job){.mask_bits = 8});
  assert_silent(machine);
  sk__machine_destroy(machine);
}

SK_TESTS(SK_TEST(test_same_pipe_needs_a_barrier), SK_TEST(test_masked_elements_of_one_block),
         SK_TEST(test_reads_one_element_too_many))
