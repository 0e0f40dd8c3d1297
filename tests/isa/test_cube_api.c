/* The C API called from C++: overloads link, and what is passed by value or reference arrives. */
#include "cube_fixture.h"

void cube_api_cpp_kernel(void *core, void *context);
void cube_api_every_overload(const void *operands);

static void kernel(sk__core *core, void *context) { cube_api_cpp_kernel(core, context); }

static void test_overloads_link_and_values_arrive(void **state) {
  (void)state;
  void (*volatile linked)(const void *) = cube_api_every_overload;
  assert_non_null(linked);
  sk__machine *machine = small_machine();
  uint16_t source[16] = {7, 8, 9, 10}, out[32];
  uint16_t *g = gm(machine, 96, NULL);
  assert_int_equal(sk__gm_host_write(machine, (uint64_t)g, source, sizeof source), SK_OK);
  run_aiv(machine, kernel, g);
  assert_silent(machine);
  gm_read(machine, out, g + 16, sizeof out);
  const uint16_t first[5] = {0x3e00, 7, 8, 9, 0x3e00}, second[5] = {7, 8, 9, 1, 1};
  assert_memory_equal(out, first, sizeof first);
  assert_memory_equal(out + 16, second, sizeof second);
  sk__machine_destroy(machine);
}

SK_TESTS(SK_TEST(test_overloads_link_and_values_arrive))
