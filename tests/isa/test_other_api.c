/* The header of the other vector instructions: C11 selection and C++ overloads reach the same functions,
 * each under its own name, from the caller's own address. */
#include <stdio.h>

#include "other_model.h"

#include "other_api_calls.h"

extern const other_call *const other_calls_cpp;
extern const uint32_t other_calls_cpp_count;

static void prepare(void) {
  model_start(11);
  for (uint32_t i = 0; i < 1024; i++) { /* offsets, legal for every gather */
    uint32_t offset = i % 7 * 32;
    memcpy(ub(0x20000 + 4 * i), &offset, 4);
  }
  fixture_clear_records();
}

static void test_both_languages_agree(void **state) {
  (void)state;
  static uint8_t memory[UB_BYTES], read[UB_BYTES], written[UB_BYTES];
  uint32_t count = sizeof other_calls / sizeof other_calls[0];
  assert_int_equal(count, other_calls_cpp_count);
  for (uint32_t i = 0; i < count; i++) {
    prepare();
    other_calls[i].run(fixture_ub);
    assert_string_equal(sk__self->instr, other_calls[i].name);
    uint32_t findings = fixture_findings, barriers = fixture_barriers;
    assert_int_equal(barriers, strstr(other_calls[i].name, "_sync") != NULL);
    memcpy(memory, fixture_ub, UB_BYTES);
    memcpy(read, fixture_read, UB_BYTES);
    memcpy(written, fixture_written, UB_BYTES);
    prepare();
    other_calls_cpp[i].run(fixture_ub);
    assert_string_equal(sk__self->instr, other_calls[i].name);
    assert_string_equal(other_calls_cpp[i].name, other_calls[i].name);
    assert_int_equal(fixture_findings, findings);
    assert_int_equal(fixture_barriers, barriers);
    assert_memory_equal(memory, fixture_ub, UB_BYTES);
    assert_memory_equal(read, fixture_read, UB_BYTES);
    assert_memory_equal(written, fixture_written, UB_BYTES);
  }
}
static void test_site_is_the_caller(void **state) {
  (void)state;
  for (uint32_t i = 0; i < other_calls_cpp_count; i++) {
    prepare();
    other_calls[i].run(fixture_ub);
    uint64_t from = (uint64_t)(uintptr_t)other_calls[i].run, site = (uint64_t)(uintptr_t)sk__self->site;
    if (site < from || site > from + 4096) fail_msg("%s: its site is not in its caller", other_calls[i].name);
  }
}
static void test_nothing_happens_on_a_cube_core(void **state) {
  (void)state;
  for (uint32_t i = 0; i < other_calls_cpp_count; i++) {
    if (strcmp(other_calls[i].name, "asc_get_rsvd_count") == 0) continue; /* it writes memory by itself */
    prepare();
    memcpy(model_memory, fixture_ub, UB_BYTES);
    sk__self->type = SK__AIC;
    other_calls[i].run(fixture_ub);
    assert_int_equal(fixture_findings + fixture_barriers, 0);
    assert_memory_equal(model_memory, fixture_ub, UB_BYTES);
  }
}

SK_TESTS(SK_TEST(test_both_languages_agree), SK_TEST(test_site_is_the_caller),
         SK_TEST(test_nothing_happens_on_a_cube_core))
