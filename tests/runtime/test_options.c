/* Options of the simulated device from the environment: what is refused names what is legal. */
#include "device_fixture.h"

static void assert_option_refused(const char *name, const char *value, const char *legal) {
  sk__machine_options options;
  char why[512] = "";
  setenv(name, value, 1);
  assert_int_equal(sk__runtime_env_options(&options, why, sizeof why), SK_INVALID_ARGUMENT);
  if (strstr(why, name) == NULL || strstr(why, legal) == NULL) fail_msg("no '%s' and '%s' in: %s", name, legal, why);
  unsetenv(name);
}

static void test_bad_values_are_refused(void **state) {
  (void)state;
  assert_option_refused("SUPERKERNEL_SOC", "ascend9", "ascend910b3");
  assert_option_refused("SUPERKERNEL_SCHEDULE", "random:", "random:SEED");
  assert_option_refused("SUPERKERNEL_THREADS", "0", "1 to 64");
  assert_option_refused("SUPERKERNEL_THREADS", "65", "1 to 64");
  assert_option_refused("SUPERKERNEL_THREADS", "2x", "1 to 64");
  assert_option_refused("SUPERKERNEL_CHECKS", "yes", "on, off");
}
static void test_a_bad_option_stops_the_first_call(void **state) {
  (void)state;
  setenv("SUPERKERNEL_SOC", "ascend9", 1);
  assert_fails(aclInit(NULL), ACL_ERROR_INTERNAL_ERROR, "no chip profile 'ascend9'");
  assert_int_equal(aclrtSetDevice(0), ACL_ERROR_INTERNAL_ERROR);
}

static void test_defaults(void **state) {
  (void)state;
  sk__machine_options options;
  char why[512];
  assert_int_equal(sk__runtime_env_options(&options, why, sizeof why), SK_OK);
  assert_int_equal(options.schedule.kind, SK__SCHEDULE_IN_ORDER);
  assert_true(options.checks);
  assert_in_range(options.threads, 1, 2);
  assert_non_null(options.soc);
}
static void test_all_options(void **state) {
  (void)state;
  sk__machine_options options;
  char why[512];
  setenv("SUPERKERNEL_SOC", "ascend910b3", 1);
  setenv("SUPERKERNEL_SCHEDULE", "random:42", 1);
  setenv("SUPERKERNEL_THREADS", "3", 1);
  setenv("SUPERKERNEL_CHECKS", "off", 1);
  assert_int_equal(sk__runtime_env_options(&options, why, sizeof why), SK_OK);
  assert_int_equal(options.schedule.kind, SK__SCHEDULE_RANDOM);
  assert_int_equal(options.schedule.seed, 42);
  assert_int_equal(options.threads, 3);
  assert_false(options.checks);
  assert_int_equal(options.soc->aic_count, 20);
}

SK_TESTS(SK_TEST(test_bad_values_are_refused), SK_TEST(test_a_bad_option_stops_the_first_call), SK_TEST(test_defaults),
         SK_TEST(test_all_options))
