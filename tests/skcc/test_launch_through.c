/* test_launch_through.c - launches of what an expression points to: what is refused, and that every way to name a kernel
 * reaches the kernel that a launch by name would. */
#include <stdio.h>
#include <string.h>

#include "sandbox.h"

static const char *const compilers[] = {"gcc", "clang"};

static void expect_error(const char *source, const char *where) {
  put("s.cpp", source);
  for (size_t i = 0; i < 2; i++) {
    if (!has_compiler(compilers[i])) continue;
    assert_int_equal(run("skcc --cc=%s -o program s.cpp", compilers[i]), 1);
    assert_said(where);
    assert_said("error:");
  }
}

/* With each compiler, with and without optimisation; only launches and what kernels print. */
static void expect_output(const char *file, const char *expected) {
  for (size_t i = 0; i < 3; i++) {
    if (!has_compiler(compilers[i / 2])) continue;
    assert_runs("skcc --cc=%s %s -Wall -Wextra -Werror -Wpedantic -o program %s", compilers[i / 2], i == 1 ? "-O0" : "-O2", file);
    assert_string_equal(said(), "");
    assert_runs("./program | grep -v -e ^accesses -e ^kernel -e '^  '");
    if (strcmp(said(), expected) != 0) fail_msg("%s:\n%s\nexpected:\n%s", compilers[i / 2], said(), expected);
  }
}

#define KERNELS                                                                                                     \
  "#include <stdint.h>\n#include <stdio.h>\n"                                                                        \
  "__global__ __vector__ void a(int x, short y) { printf(\"a %d %d\\n\", x, y); }\n"                                 \
  "__global__ __mix__(1, 1) void b(int x, short) { printf(\"b %s %d\\n\", SK_HALF_AIC ? \"cube\" : \"vector\", x); }\n"

/* ---- misuse ---- */

static void test_wrong_arguments_do_not_compile(void **state) {
  (void)state;
  sandbox_open();
  expect_error(KERNELS "int main() { auto k = a;\n  k<<<1, 0>>>(1);\n}\n", "s.cpp:6:");
  expect_error(KERNELS "int main() { auto k = a;\n  k<<<1, 0>>>(1, 2, 3);\n}\n", "s.cpp:6:");
  expect_error(KERNELS "int main() { auto k = a;\n  k<<<1, 0>>>(nullptr, 2);\n}\n", "s.cpp:6:");
  expect_error(KERNELS "int main() { auto k = a;\n  k<<<\"one\", 0>>>(1, 2);\n}\n", "s.cpp:6:");
  expect_error(KERNELS "template <auto K> void run() {\n  K<<<1, 0>>>(1);\n}\nint main() { run<a>(); }\n", "s.cpp:6:");
  sandbox_close();
}

static void test_what_is_no_function_does_not_compile(void **state) {
  (void)state;
  sandbox_open();
  expect_error(KERNELS "int main() { int k = 3;\n  k<<<1, 0>>>(1, 2);\n}\n", "s.cpp:6:");
  expect_error(KERNELS "int main() { auto k = [](int, short) {};\n  k<<<1, 0>>>(1, 2);\n}\n", "s.cpp:6:");
  expect_error(KERNELS "int main() {\n  unknown<<<1, 0>>>(1, 2);\n}\n", "s.cpp:6:");
  sandbox_close();
}

static void test_calls_without_a_launch_are_told(void **state) {
  (void)state;
  sandbox_open();
  put("s.cpp", KERNELS "template <class T> __global__ __vector__ void t(T) { printf(\"t\\n\"); }\nvoid host(int, short) { printf(\"host\\n\"); }\n"
               "int main() { a(1, 2); t<int>(3); auto k = b; k(1, 2); auto h = host, none = k; none = nullptr;\n"
               "  printf(\"%d\\n\", h<<<1, 0>>>(1, 2)); printf(\"%d\\n\", none<<<1, 0>>>(1, 2)); }\n");
  expect_output("s.cpp", "a called like a function\nt<int> called like a function\nb called like a function\nhost\n2\n1\n");
  sandbox_close();
}

/* ---- use ---- */

static void test_pointers_and_references(void **state) {
  (void)state;
  sandbox_open();
  put("s.cpp", KERNELS
      "int main(int argc, char **) {\n"
      "  int stream = 0;\n"
      "  auto k = argc > 1 ? a : b;\n"
      "  k<<<2, nullptr, nullptr>>>(1, 2);\n"
      "  (argc > 1 ? b : a)<<<argc + 2, 64>>>(3, 4);\n"
      "  void (*const p)(int, short) = &a;\n  void (&r)(int, short) = b;\n"
      "  p<<<1, 0>>>(5, 6); (*p)<<<1, 0>>>(7, 8); r<<<1, 0>>>(9, 10);\n"
      "  if (argc == 1) (p)<<<1, 0>>>(11, 12); else r<<<1, 0>>>(0, 0);\n"
      "  return stream;\n}\n");
  expect_output("s.cpp",
      "launch b blocks 2 ub 0 stream (nil) at s.cpp:8\nb cube 1\nb vector 1\n"
      "launch a blocks 3 ub 64 stream (nil) at s.cpp:9\na 3 4\n"
      "launch a blocks 1 ub 0 stream (nil) at s.cpp:12\na 5 6\nlaunch a blocks 1 ub 0 stream (nil) at s.cpp:12\na 7 8\n"
      "launch b blocks 1 ub 0 stream (nil) at s.cpp:12\nb cube 9\nb vector 9\n"
      "launch a blocks 1 ub 0 stream (nil) at s.cpp:13\na 11 12\n");
  sandbox_close();
}

static void test_template_parameters(void **state) {
  (void)state;
  sandbox_open();
  put("s.cpp", KERNELS
      "template <auto K> void constant() { K<<<1, 0>>>(1, 2); }\n"
      "template <typename F, typename... P> void any(F kernel, P... p) { kernel<<<1, 0>>>(p...); }\n"
      "template <void (*a)(int, short)> void same_name() { a<<<1, 0>>>(5, 6); }\n"
      "int main() { constant<a>(); any(b, 3, short(4)); same_name<b>(); }\n");
  expect_output("s.cpp",
      "launch a blocks 1 ub 0 stream (nil) at s.cpp:5\na 1 2\nlaunch b blocks 1 ub 0 stream (nil) at s.cpp:6\nb cube 3\nb vector 3\n"
      "launch b blocks 1 ub 0 stream (nil) at s.cpp:7\nb cube 5\nb vector 5\n");
  sandbox_close();
}

static void test_tables_maps_and_members(void **state) {
  (void)state;
  sandbox_open();
  put("s.cpp", "#include <map>\n#include <string>\n" KERNELS
      "using kernel = void (*)(int, short);\n"
      "static const kernel table[2][1] = {{a}, {b}};\n"
      "struct Op { kernel run; static constexpr kernel fixed = b; Op *self() { return this; } void go() { run<<<1, 0>>>(1, 1); this->run<<<1, 0>>>(2, 2); } };\n"
      "template <int N> struct Pick { static constexpr kernel value = N == 0 ? a : b; };\n"
      "int main() {\n"
      "  std::map<std::string, kernel> named{{\"a\", a}, {\"b\", b}};\n"
      "  table[0][0]<<<1, 0>>>(3, 3); named[\"a\"]<<<1, 0>>>(4, 4); named.at(\"a\")<<<1, 0>>>(5, 5); named.find(\"a\")->second<<<1, 0>>>(6, 6);\n"
      "  Op op{a};\n  op.go(); op.run<<<1, 0>>>(7, 7); op.self()->run<<<1, 0>>>(8, 8); Op::fixed<<<1, 0>>>(9, 9); Pick<0>::value<<<1, 0>>>(10, 10);\n"
      "}\n");
  expect_output("s.cpp",
      "launch a blocks 1 ub 0 stream (nil) at s.cpp:13\na 3 3\nlaunch a blocks 1 ub 0 stream (nil) at s.cpp:13\na 4 4\n"
      "launch a blocks 1 ub 0 stream (nil) at s.cpp:13\na 5 5\nlaunch a blocks 1 ub 0 stream (nil) at s.cpp:13\na 6 6\n"
      "launch a blocks 1 ub 0 stream (nil) at s.cpp:9\na 1 1\nlaunch a blocks 1 ub 0 stream (nil) at s.cpp:9\na 2 2\n"
      "launch a blocks 1 ub 0 stream (nil) at s.cpp:15\na 7 7\nlaunch a blocks 1 ub 0 stream (nil) at s.cpp:15\na 8 8\n"
      "launch b blocks 1 ub 0 stream (nil) at s.cpp:15\nb cube 9\nb vector 9\nlaunch a blocks 1 ub 0 stream (nil) at s.cpp:15\na 10 10\n");
  sandbox_close();
}

/* No launch by name makes the halves' entries of these instances. */
static void test_instances_of_templates(void **state) {
  (void)state;
  sandbox_open();
  put("s.cpp", "#include <cstdio>\n"
      "namespace deep { template <typename T, int N> __global__ __mix__(1, 1) void t(T x, int) { if (SK_HALF_AIV) printf(\"t %d %d\\n\", N, int(x)); } }\n"
      "template <typename T> __global__ __vector__ void s(T x) { printf(\"s %d\\n\", int(x)); }\n"
      "template <> __global__ __vector__ void s<char>(char) { printf(\"special\\n\"); }\n"
      "int main() {\n"
      "  constexpr auto chosen = []() { if constexpr (sizeof(int) == 4) return deep::t<double, 7>; else return deep::t<int, 8>; }();\n"
      "  chosen<<<1, 0>>>(2, 0);\n"
      "  void (*k)(char) = s<char>;\n  void (*const others[])(float) = {s<float>};\n"
      "  k<<<1, 0>>>(3); others[0]<<<1, 0>>>(4);\n"
      "}\n");
  expect_output("s.cpp",
      "launch t<double, 7> blocks 1 ub 0 stream (nil) at s.cpp:7\nt 7 2\n"
      "launch s<char> blocks 1 ub 0 stream (nil) at s.cpp:10\nspecial\nlaunch s<float> blocks 1 ub 0 stream (nil) at s.cpp:10\ns 4\n");
  sandbox_close();
}

/* A variable that has a kernel's name is the variable. */
static void test_variables_hide_kernels(void **state) {
  (void)state;
  sandbox_open();
  put("s.cpp", KERNELS
      "using kernel = void (*)(int, short);\n"
      "void parameter(kernel a) { a<<<1, 0>>>(1, 1); }\n"
      "int main() { parameter(b); { kernel a = b; a<<<1, 0>>>(2, 2); } const kernel list[] = {b}; for (auto a : list) a<<<1, 0>>>(3, 3);\n"
      "  [](void (*a)(int, short)) { a<<<1, 0>>>(4, 4); }(b); }\n"
      "void by_name() { a<<<1, 0>>>(5, 5); }\n");
  expect_output("s.cpp",
      "launch b blocks 1 ub 0 stream (nil) at s.cpp:6\nb cube 1\nb vector 1\nlaunch b blocks 1 ub 0 stream (nil) at s.cpp:7\nb cube 2\nb vector 2\n"
      "launch b blocks 1 ub 0 stream (nil) at s.cpp:7\nb cube 3\nb vector 3\nlaunch b blocks 1 ub 0 stream (nil) at s.cpp:8\nb cube 4\nb vector 4\n");
  sandbox_close();
}

/* The file that launches knows no kernel at all; the library that holds them gives pointers out. */
static void test_kernels_of_other_files_and_libraries(void **state) {
  (void)state;
  sandbox_open();
  put("k.cpp", KERNELS "using kernel = void (*)(int, short);\nkernel chosen(bool first) { return first ? a : b; }\n");
  put("main.cpp", "void (*chosen(bool))(int, short);\nint main() {\n  chosen(true)<<<1, 0>>>(1, 2);\n  auto k = chosen(false);\n  k<<<1, 0>>>(3, 4);\n}\n");
  const char *expected = "launch a blocks 1 ub 0 stream (nil) at main.cpp:3\na 1 2\nlaunch b blocks 1 ub 0 stream (nil) at main.cpp:5\nb cube 3\nb vector 3\n";
  expect_output("main.cpp k.cpp", expected);
  assert_runs("skcc -shared k.cpp -o libk.so && skcc main.cpp -L. -lk -Wl,-rpath,$PWD -o program && ./program | grep -v -e ^acc -e ^kern -e '^  '");
  assert_string_equal(said(), expected);
  sandbox_close();
}

static void test_c(void **state) {
  (void)state;
  sandbox_open();
  put("s.c", "#include <stdio.h>\n"
      "__global__ __vector__ void a(int x, char *y) { printf(\"a %d %d\\n\", x, y == 0); }\n"
      "__global__ __vector__ void b(int x, char *y) { printf(\"b %d %d\\n\", x, y == 0); }\n"
      "typedef void (*kernel)(int, char *);\n"
      "static const kernel table[] = {a, b};\n"
      "struct op { kernel run; };\n"
      "static void with(kernel a) { a<<<1, 0>>>(6, 0); }\n"
      "int main(int argc, char **argv) {\n"
      "  kernel k = argc > 1 ? a : b;\n  struct op op = {a}, *p = &op;\n"
      "  k<<<2, NULL, argv>>>(1, 0);\n  if (argc > 1) k<<<1, 0>>>(0, 0); else table[0]<<<1, 8>>>(2, 0);\n"
      "  (argc > 1 ? b : a)<<<1, 0>>>(3, 0); op.run<<<1, 0>>>(4, 0); p->run<<<1, 0>>>(5, 0); with(b);\n"
      "  k = 0;\n  return (k<<<1, 0>>>(0, 0)) - 1;\n}\n");
  for (size_t i = 0; i < 3; i++) {
    if (!has_compiler(compilers[i / 2])) continue;
    assert_runs("skcc --cc=%s %s -Wall -Wextra -Werror -Wpedantic -o program s.c", compilers[i / 2], i == 1 ? "-O0" : "-O2");
    assert_runs("./program | grep -v -e ^accesses -e ^kernel -e '^  ' | sed 's/stream 0x[0-9a-f]*/stream/'");
    assert_string_equal(said(),
        "launch b blocks 2 ub 0 stream at s.c:11\nb 1 1\nlaunch a blocks 1 ub 8 stream (nil) at s.c:12\na 2 1\n"
        "launch a blocks 1 ub 0 stream (nil) at s.c:13\na 3 1\nlaunch a blocks 1 ub 0 stream (nil) at s.c:13\na 4 1\n"
        "launch a blocks 1 ub 0 stream (nil) at s.c:13\na 5 1\nlaunch b blocks 1 ub 0 stream (nil) at s.c:7\nb 6 1\n");
  }
  sandbox_close();
}

SK_TESTS(SK_TEST(test_wrong_arguments_do_not_compile), SK_TEST(test_what_is_no_function_does_not_compile),
         SK_TEST(test_calls_without_a_launch_are_told), SK_TEST(test_pointers_and_references), SK_TEST(test_template_parameters),
         SK_TEST(test_tables_maps_and_members), SK_TEST(test_instances_of_templates), SK_TEST(test_variables_hide_kernels),
         SK_TEST(test_kernels_of_other_files_and_libraries), SK_TEST(test_c))
