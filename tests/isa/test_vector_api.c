/* The public header: C selections and C++ overloads reach the function of the row they name, in all three
 * forms, with const sources, and the call site is the caller's own code. */
#include <stdio.h>
#include <string.h>

#include "vector_reference.h"

#include "vector_api_calls.h"

static const api_call api_c[] = {
#include "vector_api_rows.h"
};
extern const api_call api_cpp[];
float cpp_half_arithmetic(void);

#define D_AT 0
#define A_AT 65536
#define B_AT 131072

/* Runs one form both ways on the same memory. */
static void compare(const row *r, const api_call *call, int form, uint64_t k) {
  static uint8_t start[UB_BYTES], want[UB_BYTES];
  memcpy(start, fixture_ub, UB_BYTES);
  sk__self->mask[0] = sk__self->mask[1] = UINT64_MAX;
  strides s = {3, 1, 1, 1, 8, 8, 8};
  if (form == 0) r->count(ub(D_AT), ub(A_AT), ub(B_AT), k, 66);
  if (form == 1) r->sync(ub(D_AT), ub(A_AT), ub(B_AT), k, 66);
  if (form == 2) r->strided(ub(D_AT), ub(A_AT), ub(B_AT), k, &s);
  memcpy(want, fixture_ub, UB_BYTES);
  memcpy(fixture_ub, start, UB_BYTES);
  sk__self->mask[0] = sk__self->mask[1] = UINT64_MAX;
  if (form == 0) call->count(ub(D_AT), ub(A_AT), ub(B_AT), k, 66);
  if (form == 1) call->sync(ub(D_AT), ub(A_AT), ub(B_AT), k, 66);
  if (form == 2) call->strided(ub(D_AT), ub(A_AT), ub(B_AT), k, 3);
  if (memcmp(want, fixture_ub, UB_BYTES) != 0) fail_msg("%s form %d: another result", r->name, form);
  char name[64];
  snprintf(name, sizeof name, "%s%s", call->name, form == 1 ? "_sync" : "");
  assert_string_equal(sk__self->instr, name);
  assert_int_equal(fixture_findings, 0);
}

static void run(const api_call *table) {
  fixture_reset(sk_test_seed("api"));
  for (uint32_t i = 0; i < row_count; i++)
    for (int form = 0; form < 3; form++) compare(&rows[i], &table[i], form, scalar_for(&rows[i], fixture_random()));
  assert_int_equal(sizeof api_c / sizeof api_c[0], row_count);
  assert_int_equal(fixture_barriers, 2 * row_count);
}
static void test_c_selections(void **state) { (void)state; run(api_c); }
static void test_cpp_overloads(void **state) { (void)state; run(api_cpp); }
static void test_cpp_numbers(void **state) { (void)state; assert_true(cpp_half_arithmetic() == 9.0f); }

static __attribute__((noinline)) void call_site(void) { asc_add((float *)ub(0), (float *)ub(0), (float *)ub(0), 8); __asm__ volatile(""); }
static void test_site_is_the_caller(void **state) {
  (void)state;
  fixture_reset(1);
  call_site();
  uint64_t distance = (uint64_t)sk__self->site - (uint64_t)(uintptr_t)call_site;
  assert_true(distance < 200);
}

/* Numbers of any type are accepted as scalar operands of half instructions. */
static void test_c_scalars(void **state) {
  (void)state;
  fixture_reset(1);
  asc_duplicate((half *)ub(0), 1.5, 4);
  asc_duplicate((bfloat16_t *)ub(32), 3, 4);
  asc_add_scalar((half *)ub(0), (const half *)ub(0), 1, 4);
  assert_int_equal(*(uint16_t *)ub(2), 0x4100);
  assert_int_equal(*(uint16_t *)ub(34), 0x4040);
  asc_axpy((float *)ub(64), (half *)ub(0), 2.0f, 2);
  assert_int_equal(fixture_findings, 0);
}

SK_TESTS(SK_TEST(test_c_selections), SK_TEST(test_cpp_overloads), SK_TEST(test_cpp_numbers),
         SK_TEST(test_site_is_the_caller), SK_TEST(test_c_scalars))
