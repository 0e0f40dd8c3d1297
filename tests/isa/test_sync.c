/* Flags, barriers and cross-core flags of the C API between kernels that are C functions; system
 * variables, scalar functions, caches. */
#include "cube_fixture.h"

#include "check/check.h"

typedef struct shared {
  float *buffer;
  int64_t seen[8];
} shared;

static shared *make_shared(sk__machine *machine) {
  shared *s = calloc(1, sizeof *s);
  float *zeros = calloc(4096, sizeof *zeros);
  s->buffer = gm(machine, 4096 * sizeof *zeros, zeros);
  free(zeros);
  return s;
}

/* ---- misuse ---------------------------------------------------------------------------------- */

static void bad_pair_kernel(sk__core *core, void *context) {
  (void)core, (void)context;
  asc_sync_notify(PIPE_M, PIPE_V, 0);
}
static void bad_id_kernel(sk__core *core, void *context) {
  (void)core, (void)context;
  asc_sync_notify(PIPE_MTE2, PIPE_V, 8);
}
static void bad_barrier_kernel(sk__core *core, void *context) {
  (void)core, (void)context;
  asc_sync_pipe(PIPE_S);
}
static void bad_cross_pipe_kernel(sk__core *core, void *context) {
  (void)core, (void)context;
  asc_sync_block_arrive(PIPE_S, 3);
}
static void bad_cross_id_kernel(sk__core *core, void *context) {
  (void)core, (void)context;
  asc_sync_block_arrive(PIPE_MTE3, 16);
}
static void unknown_variable_kernel(sk__core *core, void *context) {
  (void)core, (void)context;
  (void)asc_get_phy_stack_base();
}
static void test_misuse_is_found(void **state) {
  (void)state;
  const struct { half_fn kernel; const char *id; } cases[] = {
      {bad_pair_kernel, "FLAG_NO_PAIR"},     {bad_id_kernel, "BAD_ARGUMENT"},
      {bad_barrier_kernel, "BAD_ARGUMENT"},  {bad_cross_pipe_kernel, "BAD_ARGUMENT"},
      {bad_cross_id_kernel, "BAD_ARGUMENT"}, {unknown_variable_kernel, "NOT_MODELLED"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    sk__machine *machine = small_machine();
    assert_int_equal(launch(machine, SK_MIX_AIC_1_2, 1, NULL, cases[i].kernel, NULL), SK_OK);
    assert_only(machine, cases[i].id);
    sk__machine_destroy(machine);
  }
}

static void waits_for_nobody(sk__core *core, void *context) {
  (void)core, (void)context;
  asc_sync_wait(PIPE_MTE2, PIPE_V, 1);
}
static void waits_for_a_set(sk__core *core, void *context) {
  (void)core, (void)context;
  asc_sync_notify(PIPE_MTE2, PIPE_V, 1);
  asc_sync_wait(PIPE_MTE2, PIPE_V, 1);
}
static void test_wait_needs_a_set(void **state) {
  (void)state;
  sk__machine *machine = small_machine();
  assert_int_equal(launch(machine, SK_AIV_ONLY, 1, NULL, waits_for_nobody, NULL), SK_OK);
  assert_only(machine, "FLAG_UNPAIRED");
  sk__machine_destroy(machine);
  machine = small_machine();
  assert_int_equal(launch(machine, SK_AIV_ONLY, 1, NULL, waits_for_a_set, NULL), SK_OK);
  assert_silent(machine);
  sk__machine_destroy(machine);
}

/* ---- across cores ---------------------------------------------------------------------------- */

/* Each AIV stores a row, the AIC waits for both and reads it through L1. */
static void produce(sk__core *core, void *context) {
  shared *s = context;
  uint64_t offset = (uint64_t)asc_get_sub_block_id() * 64;
  float *row = (float *)local(core, SK__MEM_UB);
  asc_copy_gm2ub((void *)row, (void *)(s->buffer + 1024), 256);
  asc_sync();
  asc_copy_ub2gm((void *)(s->buffer + offset), (void *)row, 256);
  asc_sync_block_arrive(PIPE_MTE3, 2);
}
static void consume(sk__core *core, void *context) {
  shared *s = context;
  (void)core;
  asc_sync_block_wait(PIPE_S, 2);
  asc_copy_gm2l1((void *)0, (void *)s->buffer, 512);
}
static void consume_at_once(sk__core *core, void *context) {
  shared *s = context;
  (void)core;
  asc_copy_gm2l1((void *)0, (void *)s->buffer, 512);
  asc_sync_block_wait(PIPE_S, 2);
}
static void test_flag_from_vector_to_cube(void **state) {
  (void)state;
  sk__machine *machine = small_machine();
  shared *s = make_shared(machine);
  assert_int_equal(launch(machine, SK_MIX_AIC_1_2, 2, consume, produce, s), SK_OK);
  assert_found(machine, "SYNC_GM"); /* two blocks store the same rows */
  sk__machine_destroy(machine);
  machine = small_machine();
  s = make_shared(machine);
  assert_int_equal(launch(machine, SK_MIX_AIC_1_2, 1, consume, produce, s), SK_OK);
  assert_silent(machine);
  sk__machine_destroy(machine);
}
static void test_read_before_the_flag_is_found(void **state) {
  (void)state;
  sk__machine *machine = small_machine();
  shared *s = make_shared(machine);
  assert_int_equal(launch(machine, SK_MIX_AIC_1_2, 1, consume_at_once, produce, s), SK_OK);
  assert_found(machine, "SYNC_GM");
  sk__machine_destroy(machine);
}

/* Every vector core stores its row, then reads its neighbour's: a barrier lies between. */
typedef enum barrier { BY_FLAGS, BY_SYNC_ALL, BY_NOTHING } barrier;
static barrier how;
static void exchange(sk__core *core, void *context) {
  shared *s = context;
  float *row = (float *)local(core, SK__MEM_UB);
  asc_copy_gm2ub((void *)row, (void *)(s->buffer + 1024), 256);
  asc_sync();
  uint64_t me = (uint64_t)asc_get_block_idx(), all = (uint64_t)asc_get_block_num();
  asc_copy_ub2gm((void *)(s->buffer + me * 64), (void *)row, 256);
  if (how == BY_FLAGS) {
    asc_sync();
    asc_sync_inter_arrive(PIPE_MTE3, 5);
    asc_sync_inter_wait(PIPE_S, 5);
  }
  if (how == BY_SYNC_ALL) sk_sync_all_aiv();
  asc_copy_gm2ub((void *)(row + 64), (void *)(s->buffer + (me + 1) % all * 64), 256);
}
static void expect_exchange(barrier b, const char *id) {
  how = b;
  sk__machine *machine = small_machine();
  shared *s = make_shared(machine);
  assert_int_equal(launch(machine, SK_MIX_AIV_1_0, 4, NULL, exchange, s), SK_OK);
  if (id != NULL)
    assert_found(machine, id);
  else
    assert_silent(machine);
  sk__machine_destroy(machine);
}
static void test_barrier_from_flags(void **state) { (void)state; expect_exchange(BY_FLAGS, NULL); }
static void test_hardware_barrier(void **state) { (void)state; expect_exchange(BY_SYNC_ALL, NULL); }
static void test_no_barrier_is_found(void **state) { (void)state; expect_exchange(BY_NOTHING, "SYNC_GM"); }

/* ---- variables, scalars, caches --------------------------------------------------------------- */

static void variables_kernel(sk__core *core, void *context) {
  shared *s = context;
  assert_int_equal(asc_get_block_idx(), core->block_idx);
  assert_int_equal(asc_get_block_num(), 2);
  assert_int_equal(asc_get_sub_block_num(), core->type == SK__AIV ? 2 : 1);
  assert_int_equal(asc_get_sub_block_id(), core->sub_block);
  assert_int_equal(asc_get_core_id(), core->index);
  asc_set_ctrl(UINT64_C(1) << 53);
  assert_int_equal(asc_get_ctrl(), INT64_C(1) << 53);
  asc_set_ffts_base_addr(4096);
  assert_int_equal(asc_get_ffts_base_addr(), 4096);
  assert_int_equal(asc_get_phy_buf_addr(512), 512);
  uint32_t version = 0;
  asc_get_arch_ver(version);
  assert_int_equal(version, 2201);
  assert_true(asc_get_program_counter() != 0);
  int64_t before = asc_get_system_cycle();
  for (int i = 0; i < 4000; i++) asc_sync_data_barrier(DSB_ALL);
  assert_true(asc_get_system_cycle() > before);
  asc_icache_preload(NULL, 1);
  assert_int_equal(asc_get_icache_preload_status(), 0);
  core->mask[0] = 5;
  core->atomic_type = 3;
  asc_init();
  assert_int_equal(core->mask[0], core->type == SK__AIV ? UINT64_MAX : 5);
  assert_int_equal(core->atomic_type, core->type == SK__AIV ? 0 : 3);
  asc_set_atomic_none();
  s->seen[core->type]++;
}
static void test_variables(void **state) {
  (void)state;
  sk__machine *machine = small_machine();
  shared *s = make_shared(machine);
  assert_int_equal(launch(machine, SK_MIX_AIC_1_2, 2, variables_kernel, variables_kernel, s), SK_OK);
  assert_int_equal(s->seen[SK__AIC], 2);
  assert_int_equal(s->seen[SK__AIV], 4);
  sk__machine_destroy(machine);
}

static void test_scalar_functions(void **state) {
  (void)state;
  assert_int_equal(asc_clz(0), 64);
  assert_int_equal(asc_clz(1), 63);
  assert_int_equal(asc_ffs(0), -1);
  assert_int_equal(asc_ffs(8), 3);
  assert_int_equal(asc_ffz(UINT64_MAX), -1);
  assert_int_equal(asc_ffz(7), 3);
  assert_int_equal(asc_popc(0xff), 8);
  assert_int_equal(asc_zero_bits_cnt(0xff), 56);
  assert_int_equal(asc_sflbits(0), -1);
  assert_int_equal(asc_sflbits(-1), -1);
  assert_int_equal(asc_sflbits(1), 62);
  assert_int_equal(asc_sflbits(INT64_MIN), 0);
  assert_int_equal(asc_set_nthbit(0, 65), 2);
  assert_int_equal(asc_clear_nthbit(7, 64), 6);
}

/* A scalar store of one core reaches the other only after a clean, and the reader must not hold the line. */
static void scalar_writer(sk__core *core, void *context) {
  shared *s = context;
  sk__scalar_access(core, (uint64_t)s->buffer, 4, true, __builtin_return_address(0));
  s->buffer[0] = 3;
  asc_dcci_single(s->buffer);
  asc_sync_data_barrier(DSB_ALL);
  asc_sync_block_arrive(PIPE_MTE3, 1);
}
static void test_clean_of_a_line_lets_a_transfer_see_it(void **state) {
  (void)state;
  sk__machine *machine = small_machine();
  shared *s = make_shared(machine);
  assert_int_equal(launch(machine, SK_AIV_ONLY, 1, NULL, scalar_writer, s), SK_OK);
  float value = 0;
  gm_read(machine, &value, s->buffer, sizeof value);
  assert_true(value == 3);
  sk__machine_destroy(machine);
}

SK_TESTS(SK_TEST(test_misuse_is_found), SK_TEST(test_wait_needs_a_set), SK_TEST(test_flag_from_vector_to_cube),
         SK_TEST(test_read_before_the_flag_is_found), SK_TEST(test_barrier_from_flags), SK_TEST(test_hardware_barrier),
         SK_TEST(test_no_barrier_is_found), SK_TEST(test_variables), SK_TEST(test_scalar_functions),
         SK_TEST(test_clean_of_a_line_lets_a_transfer_see_it))
