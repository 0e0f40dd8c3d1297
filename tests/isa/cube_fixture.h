/* cube_fixture.h - a machine without checks of order, whose kernels may look into their own memories. */
#ifndef SK_TESTS_CUBE_FIXTURE_H
#define SK_TESTS_CUBE_FIXTURE_H

#include "machine/run_fixture.h"

#include "base/numbers.h"

#define SK_NO_BUILTIN_VARIABLES
#include "c_api/asc_simd.h"

static uint64_t random_state;
static inline uint32_t random_bits(void) {
  random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(random_state >> 32);
}
static inline uint32_t random_below(uint32_t n) { return random_bits() % n; }
static inline void random_fill(void *to, size_t bytes) {
  uint8_t *p = to;
  for (size_t i = 0; i < bytes; i++) p[i] = (uint8_t)(random_bits() >> 13);
}

static inline uint8_t *local(sk__core *core, sk__mem mem) { return (uint8_t *)(uintptr_t)core->local + sk__mem_slot_offset(mem); }

/* Order is not judged: for tests that write local memory behind the machine's back. */
static inline sk__machine *plain_machine(void) { return machine_of("test", (sk__machine_options){.checks = false}); }

static inline void *gm(sk__machine *machine, size_t bytes, const void *contents) {
  void *address = NULL;
  assert_int_equal(sk__gm_alloc(machine, bytes, "test", &address), SK_OK);
  if (contents != NULL) assert_int_equal(sk__gm_host_write(machine, (uint64_t)address, contents, bytes), SK_OK);
  return address;
}
static inline void gm_read(sk__machine *machine, void *to, const void *from, size_t bytes) {
  assert_int_equal(sk__gm_host_read(machine, to, (uint64_t)from, bytes), SK_OK);
}
static inline void run_aic(sk__machine *machine, half_fn kernel, void *context) {
  assert_int_equal(launch(machine, SK_AIC_ONLY, 1, kernel, NULL, context), SK_OK);
}
static inline void run_aiv(sk__machine *machine, half_fn kernel, void *context) {
  assert_int_equal(launch(machine, SK_AIV_ONLY, 1, NULL, kernel, context), SK_OK);
}

#endif
