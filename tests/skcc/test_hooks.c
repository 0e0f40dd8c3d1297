/* test_hooks.c - which accesses of compiled code reach the library, and that atomics are atomic. */
#include <stdio.h>
#include <string.h>

#include "sandbox.h"

static const char *const compilers[] = {"gcc", "clang"};

static const char head[] =
    "#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\nchar *fake_gm(void); const char *fake_accesses(void);\n"
    "#define SHOW(what) do { fake_accesses(); what; __asm__ volatile(\"\" ::: \"memory\"); printf(\"%s: %s\\n\", #what, fake_accesses()); } while (0)\n";

static void run_c(const char *compiler, const char *options, const char *body) {
  char source[8192];
  snprintf(source, sizeof source, "%s%s\nint main(void) { k<<<1, 0>>>(fake_gm()); return 0; }\n", head, body);
  put("s.c", source);
  assert_runs("skcc --cc=%s %s s.c -o program && ./program", compiler, options);
}

static void test_host_and_stack_accesses_pass(void **state) {
  (void)state;
  sandbox_open();
  for (size_t i = 0; i < 2; i++) {
    if (!has_compiler(compilers[i])) continue;
    run_c(compilers[i], "-O1",
          "int global; __global__ __vector__ void k(__gm__ char *x) { volatile int local[64]; (void)x;\n"
          "  for (int i = 0; i < 64; i++) local[i] = i; global = local[3]; memset((void *)local, 0, sizeof local); }\n");
    assert_said("accesses 0+0\n");
  }
  sandbox_close();
}

static void test_each_size_is_reported_with_its_bytes(void **state) {
  (void)state;
  sandbox_open();
  for (size_t i = 0; i < 2; i++) {
    if (!has_compiler(compilers[i])) continue;
    run_c(compilers[i], "-O1",
          "struct __attribute__((packed)) odd { char c; int32_t i; }; struct big { int v[25]; };\n"
          "__global__ __vector__ void k(__gm__ char *x) {\n"
          "  int8_t b; int16_t h; int32_t w; int64_t d; volatile int32_t *v = (volatile int32_t *)x;\n"
          "  SHOW(*(int8_t *)x = 1); SHOW(*(int16_t *)x = 1); SHOW(*(int32_t *)x = 1); SHOW(*(int64_t *)x = 1);\n"
          "  SHOW(b = *(int8_t *)x); SHOW(h = *(int16_t *)x); SHOW(w = *(int32_t *)x); SHOW(d = *(int64_t *)x);\n"
          "  SHOW(*v = 3); SHOW(w += *v); SHOW(((struct odd *)x)->i = w);\n"
          "  SHOW(*(__int128 *)x = 5); printf(\"%d\\n\", b + h + w + (int)d); }\n");
    assert_said("*(int8_t *)x = 1: w1 \n*(int16_t *)x = 1: w2 \n*(int32_t *)x = 1: w4 \n*(int64_t *)x = 1: w8 \n");
    assert_said("b = *(int8_t *)x: r1 \nh = *(int16_t *)x: r2 \nw = *(int32_t *)x: r4 \nd = *(int64_t *)x: r8 \n");
    assert_said("*v = 3: w4 \nw += *v: r4 \n((struct odd *)x)->i = w: w4 \n*(__int128 *)x = 5: w16 \n");
  }
  sandbox_close();
}

static void test_read_before_write_is_two_accesses(void **state) {
  (void)state;
  sandbox_open();
  for (size_t i = 0; i < 2; i++) {
    if (!has_compiler(compilers[i])) continue;
    run_c(compilers[i], "-O2", "__global__ __vector__ void k(__gm__ char *x) { SHOW(*(int *)x += 1); }\n");
    assert_said("*(int *)x += 1: r4 w4 \n");
  }
  sandbox_close();
}

static void test_memory_functions_report_ranges(void **state) {
  (void)state;
  sandbox_open();
  for (size_t i = 0; i < 2; i++) {
    if (!has_compiler(compilers[i])) continue;
    run_c(compilers[i], "-O2",
          "struct big { int v[25]; };\n"
          "__global__ __vector__ void k(__gm__ char *x) {\n"
          "  char local[64]; struct big b;\n"
          "  SHOW(memset(x, 7, 48)); SHOW(memcpy(local, x, 32)); SHOW(memcpy(x + 64, local, 16)); SHOW(memmove(x + 1, x, 40));\n"
          "  SHOW(memcpy(x + 128, x, 0)); SHOW(b = *(struct big *)x; __asm__ volatile(\"\" :: \"m\"(b))); printf(\"%d %d\\n\", local[31], b.v[0] != 0); }\n");
    assert_said("memset(x, 7, 48): w48 \nmemcpy(local, x, 32): r32 \nmemcpy(x + 64, local, 16): w16 \nmemmove(x + 1, x, 40): r40 w40 \n");
    assert_said("memcpy(x + 128, x, 0): \n");
    assert_said(": r100 ");
    assert_said("7 1\n");
  }
  sandbox_close();
}

static void test_functions_called_by_kernels_are_hooked_but_not_host_functions(void **state) {
  (void)state;
  sandbox_open();
  for (size_t i = 0; i < 2; i++) {
    if (!has_compiler(compilers[i])) continue;
    run_c(compilers[i], "-O2",
          "__attribute__((noinline)) static int bare_helper(int *p) { return *p; }\n"
          "__aicore__ __attribute__((noinline)) static int helper(int *p) { return bare_helper(p); }\n"
          "__attribute__((noinline)) static int host(int *p) { return *p; }\n"
          "__global__ __vector__ void k(__gm__ char *x) { volatile int sink; SHOW(sink = helper((int *)x)); }\n"
          "__attribute__((constructor)) static void early(void) { fake_accesses(); volatile int sink = host((int *)(void *)fake_gm()); (void)sink; printf(\"host: %s\\n\", fake_accesses()); }\n");
    assert_said("sink = helper((int *)x): r4 \n");
    assert_said("host: \n");
  }
  sandbox_close();
}

static void test_atomics_of_every_size(void **state) {
  (void)state;
  sandbox_open();
  put("s.cpp",
      "#include <atomic>\n#include <cstdint>\n#include <cstdio>\n#include <thread>\n"
      "extern \"C\" char *fake_gm(); extern \"C\" const char *fake_accesses();\n"
      "template <typename T> __aicore__ bool same(std::atomic<T> &a) {\n"
      "  a.store(10); bool good = a.load() == 10 && a.fetch_add(5) == 10 && a.fetch_sub(3) == 15 && a.fetch_and(12) == 12;\n"
      "  good = good && a.fetch_or(3) == 12 && a.fetch_xor(5) == 15 && a.exchange(77) == 10;\n"
      "  T expected = 1; good = good && !a.compare_exchange_strong(expected, 2) && expected == 77;\n"
      "  good = good && a.compare_exchange_strong(expected, 100); while (!a.compare_exchange_weak(expected = 100, 50)) {}\n"
      "  std::atomic_thread_fence(std::memory_order_seq_cst); return good && a == 50;\n"
      "}\n"
      "__global__ __vector__ void k(__gm__ char *x) {\n"
      "  std::atomic<int8_t> a; std::atomic<int16_t> b; std::atomic<int32_t> c; std::atomic<int64_t> d;\n"
      "  printf(\"%d%d%d%d\\n\", same(a), same(b), same(c), same(d));\n"
      "  fake_accesses(); reinterpret_cast<std::atomic<int32_t> *>(x)->fetch_add(1); printf(\"add: %s\\n\", fake_accesses());\n"
      "}\n"
      "int main() {\n"
      "  k<<<1, 0>>>(fake_gm());\n"
      "  std::atomic<int> sum(0); auto work = [&] { for (int i = 0; i < 100000; i++) sum++; };\n"
      "  std::thread one(work), two(work); one.join(); two.join(); printf(\"%d\\n\", sum.load());\n"
      "}\n");
  for (size_t i = 0; i < 2; i++) {
    if (!has_compiler(compilers[i])) continue;
    assert_runs("skcc --cc=%s -Wall -Werror -pthread s.cpp -o program && ./program", compilers[i]);
    assert_said("1111\nadd: r4 w4 \n");
    assert_said("200000\n");
  }
  sandbox_close();
}

static void test_hooks_of_two_libraries_live_in_one_process(void **state) {
  (void)state;
  sandbox_open();
  for (int n = 1; n <= 2; n++) {
    char source[2048], name[16];
    snprintf(source, sizeof source,
             "%sstatic int version = %d;\n__global__ __mix__(1, 1) void same(__gm__ char *x) { *x = 1; printf(\"library %%d half %%d\\n\", version, SK_HALF_AIC); }\n"
             "void start%d(void) { same<<<1, 0>>>(fake_gm()); }\n", head, n, n);
    snprintf(name, sizeof name, "l%d.c", n);
    put(name, source);
    assert_runs("skcc -shared l%d.c -o libl%d.so", n, n);
  }
  put("main.c", "void start1(void); void start2(void);\nint main(void) { start1(); start2(); return 0; }\n");
  assert_runs("skcc main.c -L. -ll1 -ll2 -Wl,-rpath,$PWD -o program && ./program | grep library");
  assert_string_equal(said(), "library 1 half 1\nlibrary 1 half 0\nlibrary 2 half 1\nlibrary 2 half 0\n");
  sandbox_close();
}

SK_TESTS(SK_TEST(test_host_and_stack_accesses_pass), SK_TEST(test_each_size_is_reported_with_its_bytes),
         SK_TEST(test_read_before_write_is_two_accesses), SK_TEST(test_memory_functions_report_ranges),
         SK_TEST(test_functions_called_by_kernels_are_hooked_but_not_host_functions), SK_TEST(test_atomics_of_every_size),
         SK_TEST(test_hooks_of_two_libraries_live_in_one_process))
