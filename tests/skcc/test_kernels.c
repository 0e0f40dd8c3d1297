/* test_kernels.c - kernels, launches and local arrays, from source to the calls they make. */
#include <stdio.h>
#include <string.h>

#include "sandbox.h"

static const char words[] =
    "#ifndef WORDS_H\n#define WORDS_H\n#include <stdint.h>\n#include <stdio.h>\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
    "char *fake_gm(void); const char *fake_accesses(void);\n#ifdef __cplusplus\n}\n#endif\n#endif\n";

/* Compiles s.c or s.cpp with each compiler, runs it, and leaves the output of the last in said(). */
static void compile_and_run(const char *file, const char *options, const char *expected) {
  static const char *const compilers[] = {"gcc", "clang"};
  for (size_t i = 0; i < 2; i++) {
    if (!has_compiler(compilers[i])) continue;
    assert_runs("skcc --cc=%s -Wall -Wextra -Werror %s -o program %s", compilers[i], options, file);
    assert_string_equal(said(), "");
    assert_runs("./program | grep -v '^accesses'"); /* how many is the compiler's choice */
    if (strcmp(said(), expected) != 0) fail_msg("%s:\n%s\nexpected:\n%s", compilers[i], said(), expected);
  }
}

static void start(void) {
  sandbox_open();
  put("words.h", words);
}

static void test_argument_block_has_natural_alignment_and_at_least_four(void **state) {
  (void)state;
  start();
  put("s.c",
      "#include \"words.h\"\n"
      "struct pair { short a, b; };\n"
      "__global__ __vector__ void k(__gm__ float *x, int8_t a, uint16_t b, const struct pair p, double d, int8_t e) {\n"
      "  printf(\"%d %d %d %d %g %d\\n\", x == 0, a, b, p.b, d, e);\n"
      "}\n"
      "int main(void) { k<<<2, 0, 0>>>(0, -1, 65535, (struct pair){1, 2}, 2.5, 7); return 0; }\n");
  compile_and_run("s.c", "",
      "kernel k type 0 line 3 schedmode 0 flags 0 args 40 aic 0 aiv 1 abi 1\n"
      "  x at 0 bytes 8 pointer 1 type '__gm__ float *'\n"
      "  a at 8 bytes 1 pointer 0 type 'int8_t'\n"
      "  b at 12 bytes 2 pointer 0 type 'uint16_t'\n"
      "  p at 16 bytes 4 pointer 0 type 'const struct pair'\n"
      "  d at 24 bytes 8 pointer 0 type 'double'\n"
      "  e at 32 bytes 1 pointer 0 type 'int8_t'\n"
      "launch k blocks 2 ub 0 stream (nil) at s.c:6\n"
      "1 -1 65535 2 2.5 7\n");
  sandbox_close();
}

static void test_kernel_types_and_halves(void **state) {
  (void)state;
  start();
  put("s.cpp",
      "#include \"words.h\"\n"
      "#define HALF (SK_HALF_AIC ? \"aic\" : \"aiv\")\n"
      "inline int shared(int x) { static int calls; return ++calls + (SK_HALF_AIC ? 100 : 0) + x; }\n"
      "extern \"C\" __global__ __vector__ void v() { printf(\"v %s\\n\", HALF); }\n"
      "__schedmode__(1) __global__ __cube__ void c() { printf(\"c %s\\n\", HALF); }\n"
      "namespace deep { namespace er { __global__ __mix__(1, 2) void m(int x) { printf(\"m %s %d\\n\", HALF, shared(x)); } } }\n"
      "__global__ __mix__(1,1) void m11() {}\n__global__ __mix__(0,1) void m01() {}\n__global__ __mix__(1,0) void m10() {}\n"
      "__global__ __aicore__ void plain() { printf(\"plain %s\\n\", HALF); }\n"
      "__global__ __aicore__ void keyed() { KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2); }\n"
      "__global__ __aicore__ void chips() { KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY); KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AICORE); }\n"
      "__global__ __aicore__ void keys() { KERNEL_TASK_TYPE(1, 0, KERNEL_TYPE_MIX_AIC_1_2); KERNEL_TASK_TYPE(1, 1, KERNEL_TYPE_MIX_AIC_1_1); }\n"
      "struct once { once() { printf(\"constructor %s\\n\", HALF); } } object;\n"
      "int main() { v<<<1, 0>>>(); c<<<1, nullptr>>>(); deep::er::m<<<1, 0, nullptr>>>(5); plain<<<1, 0>>>(); }\n");
  compile_and_run("s.cpp", "",
      "kernel v type 0 line 4 schedmode 0 flags 0 args 0 aic 0 aiv 1 abi 1\n"
      "kernel c type 1 line 5 schedmode 1 flags 0 args 0 aic 1 aiv 0 abi 1\n"
      "kernel m type 5 line 6 schedmode 0 flags 0 args 4 aic 1 aiv 1 abi 1\n"
      "  x at 0 bytes 4 pointer 0 type 'int'\n"
      "kernel m11 type 4 line 7 schedmode 0 flags 0 args 0 aic 1 aiv 1 abi 1\n"
      "kernel m01 type 2 line 8 schedmode 0 flags 0 args 0 aic 0 aiv 1 abi 1\n"
      "kernel m10 type 3 line 9 schedmode 0 flags 0 args 0 aic 1 aiv 0 abi 1\n"
      "kernel plain type 0 line 10 schedmode 0 flags 0 args 0 aic 0 aiv 1 abi 1\n"
      "kernel keyed type 5 line 11 schedmode 0 flags 0 args 0 aic 1 aiv 1 abi 1\n"
      "kernel chips type 1 line 12 schedmode 0 flags 0 args 0 aic 1 aiv 0 abi 1\n"
      "kernel keys type 4 line 13 schedmode 0 flags 0 args 0 aic 1 aiv 1 abi 1\n"
      "constructor aiv\n"
      "launch v blocks 1 ub 0 stream (nil) at s.cpp:15\nv aiv\n"
      "launch c blocks 1 ub 0 stream (nil) at s.cpp:15\nc aic\n"
      "launch m blocks 1 ub 0 stream (nil) at s.cpp:15\nm aic 106\nm aiv 6\n"
      "launch plain blocks 1 ub 0 stream (nil) at s.cpp:15\nplain aiv\n");
  sandbox_close();
}

static void test_what_a_source_asks_of_the_chip(void **state) {
  (void)state;
  start();
  put("s.cpp",
      "#if __CCE_AICORE__ != 220 || __NPU_ARCH__ != 2201 || defined(__CCE_KT_TEST__)\n#error the chip\n#endif\n"
      "#include \"words.h\"\n"
      "#if defined(__DAV_C220_CUBE__) && defined(__DAV_CUBE__)\n#define CORE \"cube\"\n#endif\n"
      "#if defined(__DAV_C220_VEC__) && defined(__DAV_VEC__)\n#define CORE \"vector\"\n#endif\n"
      "__global__ __mix__(1, 1) void k() { printf(\"%s\\n\", CORE); }\n"
      "int main() { k<<<1, nullptr>>>(); }\n");
  compile_and_run("s.cpp", "",
      "kernel k type 4 line 11 schedmode 0 flags 0 args 0 aic 1 aiv 1 abi 1\n"
      "launch k blocks 1 ub 0 stream (nil) at s.cpp:12\ncube\nvector\n");
  sandbox_close();
}

/* What the macros of Matmul objects leave in a body says what cores a kernel needs. */
static void test_types_that_matmul_objects_imply(void **state) {
  (void)state;
  start();
  put("s.cpp",
      "#include \"words.h\"\nvoid matmuls_init(int);\ninline void matmuls_init(int) {}\n"
      "__global__ __aicore__ void service() { const void *sk_matmul_workspace = nullptr; (void)sk_matmul_workspace; matmuls_init(0); }\n"
      "__global__ __aicore__ void cube() { matmuls_init(0); }\n"
      "__global__ __vector__ void said() { matmuls_init(0); }\n"
      "int main() {}\n");
  assert_runs("skcc -Wall -Wextra -Werror -o program s.cpp && ./program");
  assert_said("kernel service type 5 ");
  assert_said("kernel cube type 1 ");
  assert_said("kernel said type 0 ");
  sandbox_close();
}

static void test_facts_come_from_the_source_as_written(void **state) {
  (void)state;
  start();
  put("s.c",
      "#include \"words.h\"\n"
      "#define asc_sync_block_arrive(pipe, flag) ((void)(pipe), (void)(flag))\n"
      "/* asc_set_atomic_add_float() in a comment does not count */\n"
      "__global__ __vector__ void k(void) { asc_sync_block_arrive(1, 2); puts(\"SetAtomicAdd\"); }\n"
      "int main(void) { return 0; }\n");
  assert_runs("skcc -o program s.c && ./program");
  assert_said("kernel k type 0 line 4 schedmode 0 flags 2 ");
  put("s.c",
      "#include \"words.h\"\n"
      "static void asc_set_atomic_add_float(void) {}\n"
      "__global__ __vector__ void k(void) { asc_set_atomic_add_float(); }\n"
      "int main(void) { return 0; }\n");
  assert_runs("skcc -o program s.c && ./program");
  assert_said("flags 1 ");
  sandbox_close();
}

static void test_launches_in_every_place(void **state) {
  (void)state;
  start();
  put("s.cpp",
      "#include \"words.h\"\n#include <algorithm>\n#include <vector>\n"
      "template <typename T, int N> struct limits { static int of(int x) { return x + N; } };\n"
      "__global__ __vector__ void k(int x, int y = 5);\n"
      "#define LAUNCH(name, ...) name<<<2, 0, stream>>>(__VA_ARGS__)\n"
      "#define REPEAT(what) do { what; what; } while (0)\n"
      "// a comment with k<<<1, 2>>>(3)\n"
      "const char *text = \"k<<<1, 2>>>(3)\", *raw = R\"(k<<<\"1\", 2>>>(3) )\";\n"
      "__global__ __vector__ void k(int x, int y) { printf(\"k %d %d\\n\", x, y); }\n"
      "int main() {\n"
      "  void *stream = nullptr;\n"
      "  std::vector<std::vector<int>> nested(3);\n"
      "  int shift = 1 << 2 >> 1;\n"
      "  k<<<(shift < 3 ? 1 : 2), 0, stream>>>(1);\n"
      "  k<<<limits<int, 3>::of(4), std::max<int>(1, 2), stream>>>(\n"
      "      (int)nested.size(),\n"
      "      8);\n"
      "  LAUNCH(k, 9);\n"
      "  auto later = [&](int n) { k <<<n, 0>>> (n); };\n"
      "  later(4);\n"
      "  if (shift) k<<<1, 0>>>(11, 12); else k<<<1, 0>>>(13);\n"
      "  puts(text); puts(raw);\n"
      "}\n");
  compile_and_run("s.cpp", "",
      "kernel k type 0 line 10 schedmode 0 flags 0 args 8 aic 0 aiv 1 abi 1\n"
      "  x at 0 bytes 4 pointer 0 type 'int'\n  y at 4 bytes 4 pointer 0 type 'int'\n"
      "launch k blocks 1 ub 0 stream (nil) at s.cpp:15\nk 1 5\n"
      "launch k blocks 7 ub 2 stream (nil) at s.cpp:16\nk 3 8\n"
      "launch k blocks 2 ub 0 stream (nil) at s.cpp:19\nk 9 5\n"
      "launch k blocks 4 ub 0 stream (nil) at s.cpp:20\nk 4 5\n"
      "launch k blocks 1 ub 0 stream (nil) at s.cpp:22\nk 11 12\n"
      "k<<<1, 2>>>(3)\nk<<<\"1\", 2>>>(3) \n");
  sandbox_close();
}

static void test_kernel_templates(void **state) {
  (void)state;
  start();
  put("s.cpp",
      "#include \"words.h\"\n"
      "template <typename T, int N = 4> __global__ __mix__(1, 1) void t(__gm__ T *x, T v) {\n"
      "  if (SK_HALF_AIV) { __ubuf__ T a[N]; a[0] = v; *x = a[0]; printf(\"%zu\\n\", sizeof a); } else printf(\"cube %d\\n\", N);\n"
      "}\n"
      "int main() { float f; unsigned char s; t<float><<<1, 0>>>(&f, 1.5f); t<unsigned char, 8><<<1, 0>>>(&s, 3); t<<<1, 0>>>(&f, 2.5f); printf(\"%g %d\\n\", f, s); }\n");
  compile_and_run("s.cpp", "",
      "kernel t<float, 4> type 4 line 2 schedmode 0 flags 0 args 16 aic 1 aiv 1 abi 1\n"
      "  x at 0 bytes 8 pointer 1 type '__gm__ T *'\n  v at 8 bytes 4 pointer 0 type 'T'\n"
      "launch t<float, 4> blocks 1 ub 0 stream (nil) at s.cpp:5\ncube 4\narray a memory 1 bytes 16 half aiv\n16\n"
      "kernel t<unsigned char, 8> type 4 line 2 schedmode 0 flags 0 args 16 aic 1 aiv 1 abi 1\n"
      "  x at 0 bytes 8 pointer 1 type '__gm__ T *'\n  v at 8 bytes 1 pointer 0 type 'T'\n"
      "launch t<unsigned char, 8> blocks 1 ub 0 stream (nil) at s.cpp:5\ncube 8\narray a memory 1 bytes 8 half aiv\n8\n"
      "launch t<float, 4> blocks 1 ub 0 stream (nil) at s.cpp:5\ncube 4\n16\n"
      "2.5 3\n");
  sandbox_close();
}

/* Templates of one name that differ in the number of parameters. */
static void test_overloaded_kernel_templates(void **state) {
  (void)state;
  start();
  put("s.cpp",
      "#include \"words.h\"\n"
      "template <class T> __global__ __vector__ void k(T a);\n"
      "template <class T> __global__ __vector__ void k(T a, int b) { printf(\"two %d %d\\n\", int(a), b); }\n"
      "template <class T> __global__ __vector__ void k(T a) { printf(\"one %d\\n\", int(a)); }\n"
      "template __global__ __vector__ void k<float>(float, int);\n"
      "int main() { k<char><<<1, 0>>>(1); k<char><<<1, 0>>>(2, 3); k<<<1, 0>>>(4); }\n");
  static const char *const compilers[] = {"gcc", "clang"};
  for (size_t i = 0; i < 2; i++) {
    if (!has_compiler(compilers[i])) continue;
    assert_runs("skcc --cc=%s -Wall -Wextra -Werror s.cpp -o program && ./program | grep '^[otk]'", compilers[i]);
    assert_string_equal(said(), "kernel k<float> type 0 line 3 schedmode 0 flags 0 args 8 aic 0 aiv 1 abi 1\n"
                                "kernel k<char> type 0 line 4 schedmode 0 flags 0 args 4 aic 0 aiv 1 abi 1\none 1\n"
                                "kernel k<char> type 0 line 3 schedmode 0 flags 0 args 8 aic 0 aiv 1 abi 1\ntwo 2 3\n"
                                "kernel k<int> type 0 line 4 schedmode 0 flags 0 args 4 aic 0 aiv 1 abi 1\none 4\n");
  }
  sandbox_close();
}

/* What the chip's compiler spells otherwise. */
static void test_attributes_in_brackets(void **state) {
  (void)state;
  start();
  put("s.cpp",
      "#include \"words.h\"\n"
      "#define BOTH inline[host, aicore]\n"
      "BOTH int twice(int x) { return 2 * x; }\n"
      "struct Part { [aicore] int value() const { return 3; } };\n"
      "[aicore] inline int pick(const int *x, int aicore) { return x[aicore]; }\n"
      "__global__ __vector__ void k(int n) { int x[] = {n, 7}; printf(\"%d %d %d\\n\", twice(n), Part().value(), pick(x, 1)); }\n"
      "int main() { int host = 4; k<<<1, 0>>>([host] { return host; }()); printf(\"%d\\n\", twice(1)); }\n");
  compile_and_run("s.cpp", "",
      "kernel k type 0 line 6 schedmode 0 flags 0 args 4 aic 0 aiv 1 abi 1\n"
      "  n at 0 bytes 4 pointer 0 type 'int'\n"
      "launch k blocks 1 ub 0 stream (nil) at s.cpp:7\n"
      "8 3 7\n2\n");
  sandbox_close();
}

/* Floats of a structure that was copied as integers are there. */
static void test_structures_copied_word_by_word(void **state) {
  (void)state;
  start();
  put("s.cpp",
      "#include \"words.h\"\n"
      "struct Tiling { uint32_t rows = 0; float alpha = 0; };\n"
      "__aicore__ inline void Copy(Tiling *to, __gm__ uint8_t *from) {\n"
      "  uint32_t *word = reinterpret_cast<uint32_t *>(to);\n"
      "  for (size_t i = 0; i < sizeof(Tiling) / 4; i++, word++) *word = reinterpret_cast<__gm__ uint32_t *>(from)[i];\n"
      "}\n"
      "__global__ __vector__ void k(__gm__ uint8_t *x) { Tiling t; Copy(&t, x); printf(\"%u %g\\n\", t.rows, t.alpha); }\n"
      "int main() { Tiling t; t.rows = 7, t.alpha = 0.75f; k<<<1, 0, nullptr>>>(reinterpret_cast<uint8_t *>(&t)); }\n");
  compile_and_run("s.cpp", "-O2",
      "kernel k type 0 line 7 schedmode 0 flags 0 args 8 aic 0 aiv 1 abi 1\n"
      "  x at 0 bytes 8 pointer 1 type '__gm__ uint8_t *'\n"
      "launch k blocks 1 ub 0 stream (nil) at s.cpp:8\n"
      "7 0.75\n");
  sandbox_close();
}

static void test_kernels_of_other_files(void **state) {
  (void)state;
  start();
  put("kernels.h", "#pragma once\n#include <stdint.h>\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
                   "__global__ __vector__ void add(__gm__ int *, uint8_t);\n#ifdef __cplusplus\n}\n#endif\n");
  put("add.c", "#include \"kernels.h\"\n#include \"words.h\"\n"
               "__global__ __vector__ void add(__gm__ int *x, uint8_t y) { printf(\"add %d %d\\n\", x == 0, y); }\n");
  put("main.cpp", "#include \"kernels.h\"\nint main() {\n  add<<<3, 64>>>(nullptr, 200);\n}\n");
  assert_runs("skcc -Wall -Wextra -Werror add.c main.cpp -o program && ./program");
  assert_said("launch add blocks 3 ub 64 stream (nil) at main.cpp:3\nadd 1 200\n");
  assert_runs("skcc -c add.c && skcc -c main.cpp -o m.o && skcc m.o add.o -o program && ./program");
  assert_said("add 1 200\n");
  assert_runs("skcc -shared add.c -o libadd.so && skcc main.cpp -L. -ladd -Wl,-rpath,$PWD -o program && ./program");
  assert_said("add 1 200\n");
  sandbox_close();
}

/* An instance by a constant or a type of one file: each file has its own, of the same name. */
static void test_templates_by_what_one_file_owns(void **state) {
  (void)state;
  start();
  put("t.h", "#pragma once\n#include \"words.h\"\nstruct Config { int add, rows; };\n"
             "template <const Config &config, typename T> __global__ __mix__(1, 1) void t(T x) {\n"
             "  printf(\"%s %d %d\\n\", SK_HALF_AIV ? \"vector\" : \"cube\", config.add, int(sizeof x)); }\n");
  put("one.cpp", "#include \"t.h\"\nnamespace { struct Own { char c[4]; }; }\nconstexpr Config FAST = {1, 2};\n"
                 "void one() { t<FAST><<<1, 0>>>(Own{}); }\n");
  put("two.cpp", "#include \"t.h\"\nnamespace { struct Own { char c[8]; }; }\nconstexpr Config FAST = {3, 4};\n"
                 "constexpr const Config &CHOSEN = FAST;\nextern constexpr Config SHARED = {5, 6};\nvoid one();\n"
                 "int main() { one(); t<CHOSEN><<<1, 0>>>(Own{}); t<SHARED><<<1, 0>>>(Own{}); }\n");
  assert_runs("skcc -Wall -Wextra -Werror one.cpp two.cpp -o program && ./program");
  assert_said("cube 1 4\nvector 1 4\n");
  assert_said("cube 3 8\nvector 3 8\n");
  assert_said("cube 5 8\nvector 5 8\n");
  assert_runs("skcc -c one.cpp && skcc -c two.cpp && skcc two.o one.o -o program && ./program");
  assert_said("cube 1 4\nvector 1 4\n");
  assert_said("cube 3 8\nvector 3 8\n");
  sandbox_close();
}

static void test_local_arrays_in_c(void **state) {
  (void)state;
  start();
  put("s.c",
      "#include \"words.h\"\n#define N 16\n#define COUNT(x) (sizeof(x) / sizeof((x)[0]))\n"
      "struct pair { int a, b; };\n"
      "__aicore__ static int sum(__ubuf__ int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }\n"
      "__global__ __vector__ void k(void) {\n"
      "  __ubuf__ int a[N], b[2 * N];\n"
      "  struct pair __ubuf__ s[2] = {}, one;\n"
      "  extern __ubuf__ short dyn[];\n"
      "  __ubuf__ int *p = &a[3], *q = a;\n"
      "  int (*whole)[N] = &a;\n"
      "  struct { int a; } m = {.a = 4};\n"
      "  for (int i = 0; i < N; i++) a[i] = i;\n"
      "  b[0] = m.a, s[1].b = 5, one.a = 6, dyn[1] = 7;\n"
      "  { int a = 5, c = a; printf(\"%d %zu\\n\", a + c, sizeof a); }\n"
      "  { int z = 1, *a = b; printf(\"%d %zu\\n\", *a + z, sizeof a); }\n"
      "  for (int i = 0; i < 1; i++) { int sum_a = sum(a, (int)COUNT(a)) * 2; printf(\"%d\\n\", sum_a); }\n"
      "  goto a;\na:\n"
      "  printf(\"%zu %zu %zu %zu %d %d %d %d\\n\", sizeof a, sizeof(b), sizeof s, COUNT(b), *p, *q, (*whole)[2], one.a + dyn[1]);\n"
      "}\n"
      "int main(void) { k<<<1, 64>>>(); k<<<1, 64>>>(); return 0; }\n");
  const char *body = "10 4\n5 8\n240\n64 128 16 32 3 0 2 13\n";
  char expected[2048];
  snprintf(expected, sizeof expected,
           "array a memory 1 bytes 64 half aiv\narray b memory 1 bytes 128 half aiv\n"
           "array s memory 1 bytes 16 half aiv\narray one memory 1 bytes 8 half aiv\n%s", body);
  for (size_t i = 0; i < 2; i++) {
    static const char *const compilers[] = {"gcc", "clang"};
    if (!has_compiler(compilers[i])) continue;
    assert_runs("skcc --cc=%s -Wall -Wextra -Werror s.c -o program && ./program | grep -v -e accesses -e launch -e kernel", compilers[i]);
    char twice[4096];
    snprintf(twice, sizeof twice, "%s%s", expected, body);
    assert_string_equal(said(), twice);
  }
  sandbox_close();
}

static void test_local_arrays_in_cpp(void **state) {
  (void)state;
  start();
  put("s.cpp",
      "#include \"words.h\"\n"
      "namespace n { struct item { int a = 3; float f; }; }\n"
      "template <typename T, unsigned N> unsigned count(T (&)[N]) { return N; }\n"
      "class Worker {\n public:\n  __aicore__ inline void run() { __ubuf__ float mine[8]; mine[1] = 2; printf(\"%g %zu\\n\", mine[1], sizeof(mine)); }\n};\n"
      "__global__ __vector__ void k() {\n"
      "  __ubuf__ n::item items[2] = {};\n"
      "  const unsigned size = 4;\n"
      "  __ubuf__ unsigned long long wide[size], wider[size * 2];\n"
      "  extern __ubuf__ char dyn[];\n"
      "  for (auto &w : wide) w = 1;\n"
      "  items[1].a = 9; dyn[0] = 'x';\n"
      "  { int wide = 3; printf(\"%d \", wide); }\n"
      "  printf(\"%u %u %d %c %zu\\n\", count(wide), count(wider), items[1].a, dyn[0], sizeof wide);\n"
      "  Worker().run();\n"
      "}\n"
      "int main() { k<<<1, 32>>>(); }\n");
  compile_and_run("s.cpp", "",
      "kernel k type 0 line 8 schedmode 0 flags 0 args 0 aic 0 aiv 1 abi 1\n"
      "launch k blocks 1 ub 32 stream (nil) at s.cpp:19\n"
      "array items memory 1 bytes 16 half aiv\narray wide memory 1 bytes 32 half aiv\narray wider memory 1 bytes 64 half aiv\n"
      "3 4 8 9 x 32\narray mine memory 1 bytes 32 half aiv\n2 32\n" );
  sandbox_close();
}

static void test_each_half_asks_only_for_its_own_memories(void **state) {
  (void)state;
  start();
  put("s.c",
      "#include \"words.h\"\n"
      "__global__ __mix__(1, 2) void m(void) { __ubuf__ int u[8]; __cbuf__ int l1[8]; __ca__ int a[8]; __cb__ int b[8];\n"
      "  __cc__ int c[8]; __biasbuf__ int bt[8]; __fbuf__ int fb[8];\n"
      "  (void)u, (void)l1, (void)a, (void)b, (void)c, (void)bt, (void)fb; }\n"
      "__global__ __vector__ void wrong(void) { __cbuf__ int only[8]; (void)only; }\n"
      "int main(void) { m<<<1, 0>>>(); wrong<<<1, 0>>>(); return 0; }\n");
  assert_runs("skcc s.c -o program && ./program | grep array");
  assert_string_equal(said(),
      "array l1 memory 2 bytes 32 half aic\narray a memory 3 bytes 32 half aic\narray b memory 4 bytes 32 half aic\n"
      "array c memory 5 bytes 32 half aic\narray bt memory 6 bytes 32 half aic\narray fb memory 7 bytes 32 half aic\n"
      "array u memory 1 bytes 32 half aiv\narray only memory 2 bytes 32 half aiv\n");
  sandbox_close();
}

static void test_bindings_in_c(void **state) {
  (void)state;
  start();
  put("s.c",
      "#include \"words.h\"\nstruct args { int a, b; }; struct system { int n; };\n"
      "__global__ __mix__(1, 2) void k(int a, int b) { (void)a, (void)b; }\n"
      "__sk__ __mix__(1, 2) void sub(const struct args *x, struct system *s) { printf(\"  sub %d %d %d half %d\\n\", x->a, x->b, s->n, SK_HALF_AIC); }\n"
      "__sk__ void other(const struct args *x) { printf(\"  other %d half %d\\n\", x->b, SK_HALF_AIC); }\n"
      "SK_BIND(k, 1 | 4, sub, other);\n"
      "int main(void) { return 0; }\n");
  compile_and_run("s.c", "",
      "kernel k type 5 line 3 schedmode 0 flags 0 args 8 aic 1 aiv 1 abi 1\n"
      "  a at 0 bytes 4 pointer 0 type 'int'\n  b at 4 bytes 4 pointer 0 type 'int'\n"
      "bind k capabilities 5 line 6\n"
      "  sub type 5 aic 1 aiv 1\n  sub 11 22 33 half 1\n  sub 11 22 33 half 0\n"
      "  other type 5 aic 1 aiv 1\n  other 22 half 1\n  other 22 half 0\n");
  sandbox_close();
}

static void test_bindings_of_templates(void **state) {
  (void)state;
  start();
  put("s.cpp",
      "#include \"words.h\"\nnamespace op { struct args { int a, b; };\n"
      "template <typename T> __global__ __vector__ void k(T a, T b) { printf(\"k %d %d\\n\", int(a), int(b)); }\n"
      "template <> __global__ __vector__ void k<char>(char a, char b) { printf(\"special %d %d\\n\", a, b); }\n"
      "template __global__ __vector__ void k<int>(int, int);\n"
      "template <int copy> __sk__ __vector__ void sub(const args *x) { printf(\"  sub %d copy %d\\n\", x->a, copy); } }\n"
      "SK_BIND(op::k<int>, 2, op::sub<0>, op::sub<1>);\n"
      "int main() { op::k<char><<<1, 0>>>(1, 2); }\n");
  compile_and_run("s.cpp", "",
      "kernel k<int> type 0 line 3 schedmode 0 flags 0 args 8 aic 0 aiv 1 abi 1\n"
      "  a at 0 bytes 4 pointer 0 type 'T'\n  b at 4 bytes 4 pointer 0 type 'T'\n"
      "bind k<int> capabilities 2 line 7\n"
      "  op::sub<0> type 0 aic 0 aiv 1\n  sub 11 copy 0\n  op::sub<1> type 0 aic 0 aiv 1\n  sub 11 copy 1\n"
      "kernel k<char> type 0 line 3 schedmode 0 flags 0 args 8 aic 0 aiv 1 abi 1\n"
      "  a at 0 bytes 1 pointer 0 type 'T'\n  b at 4 bytes 1 pointer 0 type 'T'\n"
      "launch k<char> blocks 1 ub 0 stream (nil) at s.cpp:8\nspecial 1 2\n");
  sandbox_close();
}

SK_TESTS(SK_TEST(test_argument_block_has_natural_alignment_and_at_least_four), SK_TEST(test_kernel_types_and_halves),
         SK_TEST(test_types_that_matmul_objects_imply), SK_TEST(test_what_a_source_asks_of_the_chip),
         SK_TEST(test_facts_come_from_the_source_as_written), SK_TEST(test_launches_in_every_place),
         SK_TEST(test_kernel_templates), SK_TEST(test_overloaded_kernel_templates), SK_TEST(test_attributes_in_brackets),
         SK_TEST(test_structures_copied_word_by_word), SK_TEST(test_kernels_of_other_files),
         SK_TEST(test_templates_by_what_one_file_owns), SK_TEST(test_local_arrays_in_c),
         SK_TEST(test_local_arrays_in_cpp), SK_TEST(test_each_half_asks_only_for_its_own_memories),
         SK_TEST(test_bindings_in_c), SK_TEST(test_bindings_of_templates))
