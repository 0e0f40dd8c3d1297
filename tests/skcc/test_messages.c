/* test_messages.c - what is refused, and that messages name the user's file, line and column. */
#include <stdio.h>
#include <string.h>

#include "sandbox.h"

static void expect_error(const char *source, const char *message) {
  put("s.cpp", source);
  int code = run("skcc -c s.cpp");
  if (code != 1) fail_msg("exit code %d for:\n%s\n%s", code, source, said());
  assert_said(message);
  assert_int_equal(run("test -e s.o"), 1);
}

static void expect_c_error(const char *source, const char *message) {
  put("s.c", source);
  int code = run("skcc -c s.c");
  if (code != 1) fail_msg("exit code %d for:\n%s\n%s", code, source, said());
  assert_said(message);
}

static void test_kernels_that_are_refused(void **state) {
  (void)state;
  sandbox_open();
  expect_error("static __global__ __vector__ void k() {}\n", "s.cpp:1:1: error: kernel 'k' cannot be static");
  expect_error("\n__global__ __vector__ inline void k() {}\n", "s.cpp:2:23: error: kernel 'k' cannot be inline");
  expect_error("__global__ int k() { return 0; }\n", "s.cpp:1:16: error: kernel 'k' must return void");
  expect_error("struct s { __global__ void k() {} };\n", "error: kernel 'k' cannot be a class member");
  expect_error("__global__ __mix__(2,1) void k() {}\n", "s.cpp:1:12: error: __mix__ takes (0,1), (1,0), (1,1) or (1,2)");
  expect_error("__global__ __vector__ __cube__ void k() {}\n", "error: kernel 'k' has two different kernel types");
  expect_error("__global__ __schedmode__(2) void k() {}\n", "error: __schedmode__ takes 0 or 1");
  expect_error("__global__ void k(int &x) {}\n", "error: a parameter of kernel 'k' cannot be a reference");
  expect_error("__global__ void k(int x[4]) {}\n", "error: a parameter of kernel 'k' must be a pointer or a value");
  expect_error("__global__ void k(__ubuf__ float *x) {}\n", "error: a parameter of kernel 'k' cannot point to local memory");
  expect_error("__global__ void k(int) {}\n__global__ void k(float) {}\n", "s.cpp:2:17: error: kernel 'k' is defined twice; only templates can be overloaded");
  expect_error("template <class T> __global__ void k(T) {}\ntemplate <class T> __global__ void k(T *) {}\n",
               "s.cpp:2:36: error: kernel 'k' is defined twice; templates of one name must differ in their number of parameters");
  expect_error("__global__ void k() { KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AICORE); }\n",
               "error: kernel type 'KERNEL_TYPE_MIX_AICORE' does not exist on this chip");
  expect_error("__global__ void k() { KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY); KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV); }\n",
               "error: kernel type 'KERNEL_TYPE_MIX_AIV' does not exist on this chip");
  expect_error("__global__ void k() { KERNEL_TASK_TYPE(1, 1, KERNEL_TYPE_MIX_AIC_1_1); KERNEL_TASK_TYPE(1, 1, KERNEL_TYPE_MIX_AIC_1_2); }\n",
               "error: kernel 'k' has two different kernel types");
  sandbox_close();
}

static void test_misspelt_instructions_are_errors_in_c_too(void **state) {
  (void)state;
  sandbox_open();
  expect_c_error("#include \"c_api/asc_simd.h\"\n__global__ __vector__ void k(void) {\n  asc_innit();\n}\n",
                 "s.c:3:3: error: implicit declaration of function 'asc_innit'");
  put("s.c", "int main(void) { return puts(\"\") < 0; }\n");
  assert_runs("skcc -w -Wno-error=implicit-function-declaration -c s.c"); /* as the user wants it */
  sandbox_close();
}

static void test_launches_that_are_refused(void **state) {
  (void)state;
  sandbox_open();
  expect_error("void f(int);\nint main() {\n  f<<<1, 0>>>(2);\n}\n", "s.cpp:3:3: error: 'f' is launched but is no kernel");
  expect_error("__global__ void k(int) {}\nint main() { k<<<1>>>(2); }\n", "s.cpp:2:15: error: a launch takes <<<blocks");
  expect_error("__global__ void k(int) {}\nint main() { k<<<1, 0, 0, 0>>>(2); }\n", "s.cpp:2:15: error: a launch takes <<<blocks");
  expect_error("__global__ void k(int) {}\nint main() { k<<<1, 0; }\n", "s.cpp:2:15: error: this <<< of 'k' has no >>>");
  expect_error("__global__ void k(int) {}\nint main() { k<<<1, 0>>>; }\n", "s.cpp:2:22: error: a launch goes on with its arguments");
  expect_error("struct s { void f(int); void g() { f<<<1, 0>>>(2); } };\n", "s.cpp:1:36: error:");
  expect_error("__aicore__ inline void f() {}\nint main() { f<<<1, 0>>>(); }\n", "s.cpp:2:14: error: 'f' is launched but is no kernel");
  expect_error("int main() { \"k\"<<<1, 0>>>(); }\n", "s.cpp:1:17: error: <<< needs a kernel, or an expression that points to one, before it");
  expect_error("int main() { (1)<<<1, 0>>>(); }\n", "s.cpp:1:");
  expect_error("__global__ void k(int *) {}\nint main() {\n  k<<<1, 0>>>(2.5);\n}\n", "s.cpp:3:");
  sandbox_close();
}

static void test_local_arrays_that_are_refused(void **state) {
  (void)state;
  sandbox_open();
  expect_error("__global__ void k() { __ubuf__ int x[2] = {1, 2}; }\n", "s.cpp:1:41: error: local memory has no initialiser: 'x' starts undefined");
  expect_error("__global__ void k() { __ubuf__ int x[2][3]; }\n", "error: local array 'x' has more than one dimension");
  expect_error("__global__ void k() { static __ubuf__ int x[2]; }\n", "error: local array 'x' cannot be static");
  expect_error("__global__ void k() { alignas(64) __ubuf__ int x[2]; }\n", "error: local array 'x' cannot be alignas");
  expect_error("__global__ void k() { extern __ubuf__ int x[2]; }\n", "error: the dynamic part of UB is declared");
  expect_error("__global__ void k() { extern __cbuf__ int x[]; }\n", "error: only __ubuf__ memory has a dynamic part");
  expect_error("__global__ void k() { __ubuf__ int x[]; }\n", "error: local array 'x' needs a size");
  expect_error("__global__ void k(int n) { __ubuf__ int x[n]; }\n", "s.cpp:1:");
  expect_error("__ubuf__ float x[4];\n", "s.cpp:1:16: error: local memory 'x' can only be declared inside a function");
  expect_c_error("__global__ void k(void) { __ubuf__ int x[2]; for (int x = 0; x < 2; x++) {} }\n", "s.c:1:55: error: 'x' hides a local array here");
  expect_c_error("__global__ void k(void) { __ubuf__ int x[2]; { enum { x }; } }\n", "s.c:1:55: error: 'x' names a local array here; rename this enumerator");
  sandbox_close();
}

static void test_compiler_errors_show_the_users_line_and_column(void **state) {
  (void)state;
  static const char *const compilers[] = {"gcc", "clang"};
  sandbox_open();
  put("helper.h", "\n\n#define BODY(x) x\n__aicore__ inline int helper(int x) {\n  return BODY(missing_in_header) + x;\n}\n");
  put("s.cpp",
      "#include \"helper.h\"\n"
      "__global__ __mix__(1, 2) void first(__gm__ int *x) { *x = helper(1); }\n"
      "__global__ __vector__ void k(__gm__ int *x) {\n"
      "  __ubuf__ float a[16], b[32]; a[0] = missing_after_arrays;\n"
      "  *x = 1; }\n"
      "int main() { first<<<1, 0>>>(0); missing_after_launch(); }\n");
  for (size_t i = 0; i < 2; i++) {
    if (!has_compiler(compilers[i])) continue;
    assert_int_equal(run("skcc --cc=%s -o program s.cpp", compilers[i]), 1);
    assert_said("s.cpp:4:39: error:");
    assert_said("s.cpp:6:34: error:");
    assert_said("helper.h:5:");
    assert_not_said("in the cube half"); /* both halves say the same: said once */
    assert_int_equal(run("test -e program"), 1);
    assert_int_equal(run("ls tmp | grep ."), 1);
  }
  sandbox_close();
}

static void test_error_in_one_half_only(void **state) {
  (void)state;
  sandbox_open();
  put("s.c", "__global__ __mix__(1, 1) void k(void) {\n#if SK_HALF_AIC\n  nowhere;\n#endif\n}\n");
  assert_int_equal(run("skcc -c s.c"), 1);
  assert_said("s.c: in the cube half:\n");
  assert_said("s.c:3:3: error:");
  sandbox_close();
}

static void test_host_variables_in_device_code_draw_a_warning(void **state) {
  (void)state;
  sandbox_open();
  put("s.c", "static int counter, table[4];\nint shadowed;\nstatic const int fine = 3;\n"
             "__global__ __vector__ void k(__gm__ int *x) {\n  int shadowed = 2; struct { int table; } s = {1};\n"
             "  *x = fine + shadowed + s.table;\n  counter++;\n}\n"
             "int main(void) { k<<<1, 0>>>(0); return counter + table[0] + shadowed; }\n");
  assert_runs("skcc -Wall -Wextra -Werror s.c -o p");
  assert_string_equal(said(), "s.c:7:3: warning: device code has its own copy of 'counter': what it stores there the host never "
                              "sees, nor the other way round\n");
  sandbox_close();
}

/* Names of templates are no variables of the host, whatever they share with one. */
static void test_templates_draw_no_warning(void **state) {
  (void)state;
  sandbox_open();
  put("s.cpp", "template <class A, class Element> struct Cut;\ntemplate <class Element> struct Cut<int, Element> { static constexpr int value = 4; };\n"
               "template struct Cut<int, float>;\nint value;\n"
               "template <class Element> __global__ __vector__ void k(__gm__ Element *x) { *x = static_cast<Element>(Cut<int, Element>::value); }\n"
               "int main() { k<float><<<1, 0>>>(nullptr); return value; }\n");
  assert_runs("skcc -Wall -Wextra -Werror s.cpp -o p");
  assert_string_equal(said(), "");
  put("t.cpp", "int counter;\n__global__ __vector__ void k() { counter++; }\nint main() { k<<<1, 0>>>(); return counter; }\n");
  assert_runs("skcc -w t.cpp -o p");
  assert_string_equal(said(), "");
  sandbox_close();
}

static void test_warnings_of_the_user_do_not_judge_what_is_added(void **state) {
  (void)state;
  static const char *const compilers[] = {"gcc", "clang"};
  sandbox_open();
  const char *source = "#include <stdint.h>\n__global__ __mix__(1, 2) void k(__gm__ float *x, uint8_t n) { __ubuf__ float a[8]; __cbuf__ float b[4]; a[0] = n; x[0] = a[0] + b[0]; }\n"
                       "int main(void);\nint main(void) { k<<<1, 0>>>(0, 3); return 0; }\n";
  put("s.cpp", source);
  put("s.c", source);
  for (size_t i = 0; i < 2; i++) {
    if (!has_compiler(compilers[i])) continue;
    const char *strict = "-Wall -Wextra -Wpedantic -Wshadow -Wcast-align -Werror";
    assert_runs("skcc --cc=%s %s -Wmissing-prototypes -Wno-missing-prototypes -c s.c", compilers[i], strict);
    assert_runs("skcc --cc=%s %s -Wold-style-cast -Wuseless-cast -Wno-unknown-warning-option -c s.cpp", compilers[i], strict);
  }
  sandbox_close();
}

static void test_debug_information_names_the_users_lines(void **state) {
  (void)state;
  sandbox_open();
  if (!has_compiler("gdb")) {
    sandbox_close();
    return;
  }
  put("s.cpp", "#include <cstdlib>\n__global__ __mix__(1, 1) void k(__gm__ int *x) {\n  __cbuf__ int a[4], b[4];\n  a[0] = 1;\n"
               "  if (SK_HALF_AIC)\n    abort();\n}\nint main() { k<<<1,\n  0>>>(nullptr); }\n");
  assert_runs("skcc -O0 s.cpp -o program && gdb -batch -nx -iex 'set debuginfod enabled off' -ex run -ex bt ./program || true");
  assert_said("in k (x=0x0) at s.cpp:6");
  sandbox_close();
}

SK_TESTS(SK_TEST(test_kernels_that_are_refused), SK_TEST(test_misspelt_instructions_are_errors_in_c_too), SK_TEST(test_launches_that_are_refused), SK_TEST(test_local_arrays_that_are_refused),
         SK_TEST(test_compiler_errors_show_the_users_line_and_column), SK_TEST(test_error_in_one_half_only),
         SK_TEST(test_host_variables_in_device_code_draw_a_warning),
         SK_TEST(test_templates_draw_no_warning),
         SK_TEST(test_warnings_of_the_user_do_not_judge_what_is_added), SK_TEST(test_debug_information_names_the_users_lines))
