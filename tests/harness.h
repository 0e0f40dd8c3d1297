/* harness.h - a test program: each test runs in a process of its own, with a time limit, and the
 * program prints TAP. Assertions are cmocka's.
 *
 *   static void test_refuses_zero(void **state) { assert_int_equal(...); }
 *   SK_TESTS(SK_TEST(test_refuses_zero), SK_TEST_LIMIT(test_long, 120))
 *
 * program            run all      program NAME   run one, in this process (for a debugger)
 * program --list     names */
#ifndef SK_TESTS_HARNESS_H
#define SK_TESTS_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

typedef struct sk_test {
  const char *name;
  void (*run)(void **state);
  unsigned limit_seconds;
} sk_test;

#define SK_TEST(function) {#function, function, 60}
#define SK_TEST_LIMIT(function, seconds) {#function, function, seconds}
#define SK_TESTS(...)                                                            \
  int main(int argc, char **argv) {                                              \
    static const sk_test tests[] = {__VA_ARGS__};                                \
    return sk_run_tests(tests, sizeof tests / sizeof tests[0], argc, argv);      \
  }

int sk_run_tests(const sk_test *tests, size_t count, int argc, char **argv);
/* Ends the running test as skipped: TAP "ok N - name # SKIP reason". cmocka's skip() does the same. */
void sk_test_skip(const char *reason, const char *file, int line);
#define SK_SKIP(reason) sk_test_skip((reason), __FILE__, __LINE__)
#undef skip
#define skip() SK_SKIP("not possible here")
/* Seed of a random test: $SK_TEST_SEED or a fixed default, printed. */
uint64_t sk_test_seed(const char *name);

#endif
