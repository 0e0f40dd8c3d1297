/* Local memory: arrays that kernels declare, and the operands of instructions. */
#include "run_fixture.h"

#define KERNEL(name) static void name(sk__core *core, void *context)
enum { UB = 1, L1 = 2, L0A = 3, L0C = 5 };

/* ---- arrays -------------------------------------------------------------------------------- */

static sk_local_slot slot_a, slot_b, slot_c, slot_big, slot_cube;

KERNEL(two_arrays) {
  char *a = sk_local_array(&slot_a, UB, 100, "a"), *b = sk_local_array(&slot_b, UB, 100, "b");
  assert_int_equal((uint64_t)(uintptr_t)a, core->local);
  assert_int_equal(b - a, 256); /* whole blocks, a guard, and the next chunk */
  assert_ptr_equal(sk_local_array(&slot_a, UB, 100, "a"), a); /* one place for the whole kernel */
  ++*(uint32_t *)context;
}
KERNEL(the_other_way_round) {
  char *b = sk_local_array(&slot_b, UB, 100, "b"), *a = sk_local_array(&slot_a, UB, 100, "a");
  assert_int_equal((uint64_t)(uintptr_t)b, core->local);
  assert_int_equal(a - b, 256);
  ++*(uint32_t *)context;
}
static void test_arrays_stand_one_after_another(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  uint32_t ran = 0;
  assert_int_equal(launch(m, SK_AIV_ONLY, 4, NULL, two_arrays, &ran), SK_OK);
  assert_int_equal(launch(m, SK_AIV_ONLY, 9, NULL, the_other_way_round, &ran), SK_OK);
  assert_int_equal(ran, 13);
  assert_silent(m);
  sk__machine_destroy(m);
}

KERNEL(cube_arrays) {
  char *l1 = sk_local_array(&slot_cube, L1, 1000, "l1"), *l0a = sk_local_array(&slot_a, L0A, 1000, "l0a");
  char *next = sk_local_array(&slot_b, L0A, 1000, "l0a2"), *l0c = sk_local_array(&slot_c, L0C, 70, "l0c");
  assert_int_equal((uint64_t)(uintptr_t)l1 - core->local, sk__mem_slot_offset(SK__MEM_L1));
  assert_int_equal((uint64_t)(uintptr_t)l0a - core->local, sk__mem_slot_offset(SK__MEM_L0A));
  assert_int_equal(next - l0a, 1024);
  assert_int_equal((uint64_t)(uintptr_t)l0c - core->local, sk__mem_slot_offset(SK__MEM_L0C));
  ++*(uint32_t *)context;
}
static void test_each_memory_has_its_own_arrays(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  uint32_t ran = 0;
  assert_int_equal(launch(m, SK_AIC_ONLY, 2, cube_arrays, NULL, &ran), SK_OK);
  assert_int_equal(ran, 2);
  sk__machine_destroy(m);
}

KERNEL(too_large) {
  sk_local_array(&slot_a, UB, 100 * 1024, "first");
  sk_local_array(&slot_big, UB, 92 * 1024, "second");
  (void)core;
  ++*(uint32_t *)context;
}
KERNEL(just_fits) {
  sk_local_array(&slot_a, UB, 100 * 1024, "first");
  sk_local_array(&slot_big, UB, 92 * 1024 - 256, "second");
  (void)core;
  ++*(uint32_t *)context;
}
KERNEL(wrong_core) {
  sk_local_array(&slot_cube, L1, 100, "l1");
  (void)core;
  ++*(uint32_t *)context;
}
static void test_arrays_beyond_the_memory_end_the_kernel(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  uint32_t ran = 0;
  assert_int_equal(launch(m, SK_AIV_ONLY, 2, NULL, too_large, &ran), SK_FAULT);
  assert_only(m, "LOCAL_OUT_OF_BOUNDS");
  assert_non_null(strstr(finding_of(m, "LOCAL_OUT_OF_BOUNDS")->message, "'second'"));
  sk__findings_clear(sk__machine_checker(m));
  assert_int_equal(launch(m, SK_AIV_ONLY, 2, NULL, wrong_core, &ran), SK_FAULT);
  assert_only(m, "LOCAL_OUT_OF_BOUNDS");
  assert_int_equal(ran, 0);
  sk__findings_clear(sk__machine_checker(m));
  assert_int_equal(launch(m, SK_AIV_ONLY, 2, NULL, just_fits, &ran), SK_OK);
  assert_int_equal(ran, 2);
  assert_silent(m);
  sk__machine_destroy(m);
}

KERNEL(dynamic) {
  char *dyn = sk_local_dynamic(), *a = sk_local_array(&slot_a, UB, 64, "a");
  assert_int_equal((uint64_t)(uintptr_t)dyn, core->local);
  assert_int_equal(a - dyn, 1280);
  ++*(uint32_t *)context;
}
static void test_dynamic_ub_comes_first(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  uint32_t ran = 0;
  sk__launch l = {.name = "k", .type = SK_AIV_ONLY, .blocks = 1, .dynamic_ub_bytes = 1000, .entry = {NULL, dynamic}, .context = &ran};
  assert_int_equal(sk__machine_run(m, &l, NULL, NULL, NULL), SK_OK);
  assert_int_equal(ran, 1);
  sk__machine_destroy(m);
}

KERNEL(subs_start_anew) {
  (void)context;
  char *first = sk_local_array(&slot_a, UB, 64, "a");
  begin_sub(core, 0, "one", 1);
  char *b = sk_local_array(&slot_b, UB, 64, "b"), *a = sk_local_array(&slot_a, UB, 64, "a");
  assert_ptr_equal(b, first);
  assert_int_equal(a - b, 256);
  sk__core_end_sub(core);
}
static void test_a_sub_places_its_arrays_anew(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  assert_int_equal(launch_sk(m, SK_MIX_AIV_1_0, 1, NULL, subs_start_anew, NULL), SK_OK);
  sk__machine_destroy(m);
}

/* ---- guards -------------------------------------------------------------------------------- */

static sk_local_slot slot_each[24];

/* UB to its last usable byte: the guards between the arrays push the last ones behind its end. */
KERNEL(many_arrays) {
  uint64_t each = 8 * 1024, last = 192 * 1024 - 256 - 23 * each;
  (void)core;
  for (uint32_t i = 0; i < 24; i++) {
    uint64_t bytes = i < 23 ? each : last;
    uint8_t *array = sk_local_array(&slot_each[i], UB, bytes, "each");
    sk_hook_write1(array + bytes - 1, (const void *)(uintptr_t)(100 + i));
    array[bytes - 1] = 1;
    if (sk__local_operand(core, SK__MEM_UB, array, bytes, 32, "dst") != array) return;
  }
  ++*(uint32_t *)context;
}
static void test_guards_take_nothing_from_the_arrays(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  uint32_t ran = 0;
  assert_int_equal(launch(m, SK_AIV_ONLY, 2, NULL, many_arrays, &ran), SK_OK);
  assert_int_equal(ran, 2);
  assert_silent(m);
  sk__machine_destroy(m);
}

typedef struct bytes_of { int64_t at; uint32_t bytes; bool scalar; } bytes_of; /* of array "b" */
KERNEL(touch) {
  const bytes_of *t = context;
  core->instr = "asc_add";
  (void)sk_local_array(&slot_a, UB, 64, "a");
  char *b = sk_local_array(&slot_b, UB, 100, "b");
  (void)sk_local_array(&slot_c, UB, 64, "c");
  if (t->scalar) sk_hook_write(b + t->at, t->bytes, (const void *)(uintptr_t)0x77);
  else (void)sk__local_operand(core, SK__MEM_UB, b + t->at, t->bytes, 32, "src0");
}
static void test_what_goes_beyond_an_array_is_found(void **state) {
  (void)state;
  const struct { bytes_of t; const char *words; } cases[] = {
    {{0, 160, false}, "src0 of asc_add reaches 60 bytes beyond array 'b': 160 bytes from byte 0 of its 100"},
    {{96, 64, false}, "src0 of asc_add reaches 60 bytes beyond array 'b': 64 bytes from byte 96 of its 100"},
    {{128, 32, false}, "src0 of asc_add lies behind array 'b': 32 bytes from byte 128 of its 100"},
    {{-32, 32, false}, "src0 of asc_add lies behind array 'a': 32 bytes from byte 224 of its 64"},
    {{100, 4, true}, "scalar store lies behind array 'b': 4 bytes from byte 100 of its 100"},
    {{96, 8, true}, "scalar store reaches 4 bytes beyond array 'b': 8 bytes from byte 96 of its 100"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    sk__machine *m = small_machine();
    bytes_of t = cases[i].t;
    assert_int_equal(launch(m, SK_AIV_ONLY, 1, NULL, touch, &t), SK_OK);
    assert_only(m, "LOCAL_OUT_OF_BOUNDS");
    assert_string_equal(finding_of(m, "LOCAL_OUT_OF_BOUNDS")->message, cases[i].words);
    sk__machine_destroy(m);
  }
}
static void test_what_stays_inside_is_not(void **state) {
  (void)state;
  /* whole blocks, the last byte, memory behind all arrays, and the array before */
  const bytes_of cases[] = {{0, 128, false}, {96, 32, false}, {96, 4, true}, {0, 8, true}, {4096, 4096, false}, {4096, 8, true}, {-256, 64, false}, {-256, 64, true}};
  sk__machine *m = small_machine();
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    bytes_of t = cases[i];
    assert_int_equal(launch(m, SK_AIV_ONLY, 1, NULL, touch, &t), SK_OK);
    assert_silent(m);
  }
  sk__machine_destroy(m);
}

/* A loop over words that goes one too far: the words before it are of the same line, and noted late. */
KERNEL(one_too_many) {
  (void)core;
  (void)context;
  uint32_t *words = sk_local_array(&slot_a, UB, 48, "a");
  for (uint32_t i = 0; i <= 12; i++) sk_hook_write4(words + i, (const void *)(uintptr_t)0x99);
}
static void test_a_loop_that_goes_one_too_far_is_found(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  assert_int_equal(launch(m, SK_AIV_ONLY, 1, NULL, one_too_many, NULL), SK_OK);
  assert_only(m, "LOCAL_OUT_OF_BOUNDS");
  assert_int_equal(finding_of(m, "LOCAL_OUT_OF_BOUNDS")->count, 1);
  sk__machine_destroy(m);
}

KERNEL(beyond_dynamic) {
  core->instr = "asc_add";
  uint64_t bytes = *(const uint64_t *)context;
  (void)sk__local_operand(core, SK__MEM_UB, sk_local_dynamic(), bytes, 32, "dst");
}
static void test_dynamic_ub_ends_where_the_launch_said(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  uint64_t bytes = 1024; /* whole blocks */
  sk__launch l = {.name = "k", .type = SK_AIV_ONLY, .blocks = 1, .dynamic_ub_bytes = 1000, .entry = {NULL, beyond_dynamic}, .context = &bytes};
  assert_int_equal(sk__machine_run(m, &l, NULL, NULL, NULL), SK_OK);
  assert_silent(m);
  bytes = 1056;
  assert_int_equal(sk__machine_run(m, &l, NULL, NULL, NULL), SK_OK);
  assert_only(m, "LOCAL_OUT_OF_BOUNDS");
  assert_non_null(strstr(finding_of(m, "LOCAL_OUT_OF_BOUNDS")->message, "'dynamic UB'"));
  sk__machine_destroy(m);
}

KERNEL(cube_operand) {
  core->instr = "asc_copy_l12l0a";
  char *l1 = sk_local_array(&slot_cube, L1, 1024, "l1");
  (void)sk_local_array(&slot_a, L1, 1024, "next");
  (void)sk__local_operand(core, SK__MEM_L1, l1, *(const uint64_t *)context, 32, "src");
}
static void test_arrays_in_l1_have_ends_too(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  uint64_t bytes = 1024;
  assert_int_equal(launch(m, SK_AIC_ONLY, 1, cube_operand, NULL, &bytes), SK_OK);
  assert_silent(m);
  bytes = 1536;
  assert_int_equal(launch(m, SK_AIC_ONLY, 1, cube_operand, NULL, &bytes), SK_OK);
  assert_only(m, "LOCAL_OUT_OF_BOUNDS");
  assert_non_null(strstr(finding_of(m, "LOCAL_OUT_OF_BOUNDS")->message, "reaches 512 bytes beyond array 'l1'"));
  sk__machine_destroy(m);
}

static void test_host_code_has_no_local_arrays(void **state) {
  (void)state;
  assert_null(sk_local_array(&slot_a, UB, 64, "a"));
  assert_null(sk_local_dynamic());
}

/* ---- operands ------------------------------------------------------------------------------ */

typedef struct operand { sk__mem mem; uint64_t pointer; bool relative; uint64_t bytes; uint32_t align; uint64_t expected; } operand;

KERNEL(resolve) {
  operand *o = context;
  core->instr = "asc_add";
  uint64_t pointer = o->pointer + (o->relative ? core->local : 0);
  void *p = sk__local_operand(core, o->mem, (const void *)(uintptr_t)pointer, o->bytes, o->align, "src0");
  o->expected = p == NULL ? UINT64_MAX : (uint64_t)(uintptr_t)p - core->local;
}
static uint64_t resolved(sk__machine *m, bool on_cube, operand o) {
  assert_int_equal(launch(m, on_cube ? SK_AIC_ONLY : SK_AIV_ONLY, 1, on_cube ? resolve : NULL, on_cube ? NULL : resolve, &o), SK_OK);
  return o.expected;
}
static void test_operands_resolve(void **state) {
  (void)state;
  sk__machine *m = small_machine();
  const uint64_t ub = 192 * 1024, l0a = sk__mem_slot_offset(SK__MEM_L0A);
  assert_int_equal(resolved(m, false, (operand){SK__MEM_UB, 0, false, 32, 32, 0}), 0); /* a raw offset, as NULL looks like */
  assert_int_equal(resolved(m, false, (operand){SK__MEM_UB, 64, true, 32, 32, 0}), 64);
  assert_int_equal(resolved(m, false, (operand){SK__MEM_UB, ub - 32, false, 32, 32, 0}), ub - 32);
  assert_int_equal(resolved(m, false, (operand){SK__MEM_UB, 3, false, 1, 1, 0}), 3);
  assert_int_equal(resolved(m, true, (operand){SK__MEM_L0A, 512, false, 512, 512, 0}), l0a + 512);
  assert_int_equal(resolved(m, true, (operand){SK__MEM_L0A, l0a + 512, true, 512, 512, 0}), l0a + 512);
  assert_silent(m);
  sk__machine_destroy(m);
}
static void test_bad_operands_are_found(void **state) {
  (void)state;
  const uint64_t ub = 192 * 1024;
  const struct { bool cube; operand o; const char *id, *word; } cases[] = {
    {false, {SK__MEM_UB, 16, false, 32, 32, 0}, "LOCAL_MISALIGNED", "offset 16"},
    {false, {SK__MEM_UB, ub - 32, false, 96, 32, 0}, "LOCAL_OUT_OF_BOUNDS", "64 bytes beyond UB"},
    {false, {SK__MEM_UB, ub, false, 32, 32, 0}, "LOCAL_OUT_OF_BOUNDS", "src0"},
    {false, {SK__MEM_UB, 1 << 20, true, 32, 32, 0}, "LOCAL_OUT_OF_BOUNDS", "another core"},
    {false, {SK__MEM_L1, 0, false, 32, 32, 0}, "LOCAL_OUT_OF_BOUNDS", "does not have"},
    {true, {SK__MEM_L0A, 0, true, 512, 512, 0}, "LOCAL_OUT_OF_BOUNDS", "another local memory"},
    {false, {SK__MEM_UB, SK__GM_BASE, false, 32, 32, 0}, "LOCAL_OUT_OF_BOUNDS", "device memory"},
    {false, {SK__MEM_UB, UINT64_C(0x7f0000000000), false, 32, 32, 0}, "LOCAL_OUT_OF_BOUNDS", "host memory"},
    {false, {SK__MEM_UB, 0, false, UINT64_MAX, 32, 0}, "LOCAL_OUT_OF_BOUNDS", "beyond"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    sk__machine *m = small_machine();
    assert_int_equal(resolved(m, cases[i].cube, cases[i].o), UINT64_MAX);
    assert_only(m, cases[i].id);
    if (strstr(finding_of(m, cases[i].id)->message, cases[i].word) == NULL) fail_msg("case %zu", i);
    sk__machine_destroy(m);
  }
}

SK_TESTS(SK_TEST(test_arrays_beyond_the_memory_end_the_kernel), SK_TEST(test_host_code_has_no_local_arrays),
         SK_TEST(test_bad_operands_are_found), SK_TEST(test_what_goes_beyond_an_array_is_found),
         SK_TEST(test_a_loop_that_goes_one_too_far_is_found), SK_TEST(test_dynamic_ub_ends_where_the_launch_said),
         SK_TEST(test_arrays_in_l1_have_ends_too), SK_TEST(test_what_stays_inside_is_not), SK_TEST(test_guards_take_nothing_from_the_arrays),
         SK_TEST(test_arrays_stand_one_after_another),
         SK_TEST(test_each_memory_has_its_own_arrays), SK_TEST(test_dynamic_ub_comes_first),
         SK_TEST(test_a_sub_places_its_arrays_anew), SK_TEST(test_operands_resolve))
