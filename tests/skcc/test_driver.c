/* test_driver.c - the command line, outputs, temporary files, exit codes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sandbox.h"

static const char kernel[] = "#include <stdio.h>\n__global__ __mix__(1, 2) void k(int n) { printf(\"k %d\\n\", n); }\nint main(void) { k<<<1, 0>>>(3); return 0; }\n";

static void expect_usage(const char *command, const char *message) {
  int code = run("%s", command);
  if (code != 2) fail_msg("%s: exit code %d\n%s", command, code, said());
  assert_said(message);
  if (strchr(said(), '\n') != strrchr(said(), '\n')) fail_msg("more than one line:\n%s", said());
}

static void test_wrong_usage_is_named(void **state) {
  (void)state;
  sandbox_open();
  put("s.c", kernel);
  put("s.txt", kernel);
  expect_usage("skcc", "no input file");
  expect_usage("skcc s.txt", "'s.txt': unknown file type");
  expect_usage("skcc missing.c", "cannot read 'missing.c': No such file");
  expect_usage("mkdir d.c; skcc d.c", "cannot read 'd.c': Is a directory");
  expect_usage("skcc --frobnicate s.c", "unknown option '--frobnicate'; legal: --npu-arch=, ");
  expect_usage("skcc --cc=icc s.c", "there is no known C++ compiler beside 'icc'");
  expect_usage("skcc s.c -o no/such/p", "cannot write 'no/such/p': No such file");
  expect_usage("skcc s.c -c -o /nonexistent/x.o", "cannot write '/nonexistent/x.o': No such file");
  expect_usage("skcc -S s.c", "unknown option '-S'");
  expect_usage("skcc s.c -o", "'-o' needs a value");
  expect_usage("skcc -I", "'-I' needs a value");
  expect_usage("skcc -x rust s.c", "language 'rust' is not known");
  expect_usage("skcc -flto s.c", "'-flto' is not supported");
  expect_usage("skcc -fsanitize=address s.c", "'-fsanitize=address' is not supported");
  expect_usage("skcc --npu-arch=dav-3510 s.c", "--npu-arch=dav-3510: the simulated chip is dav-2201");
  expect_usage("skcc --enable-simt s.c", "'--enable-simt': the simulated chip, dav-2201, has no SIMT units");
  expect_usage("skcc s.c -mllvm -unroll=4", "-mllvm '-unroll=4' is not known");
  expect_usage("skcc --kernel-type=both s.c", "--kernel-type=both: vector, cube, mix(1,1) or mix(1,2)");
  expect_usage("skcc s.c -mllvm", "'-mllvm' needs a value");
  expect_usage("cp s.c t.c; skcc -c s.c t.c -o x.o", "-o names one file");
  expect_usage("touch x.o; skcc -c x.o", "'x.o' cannot be compiled with -c");
  sandbox_close();
}

static void test_missing_parts_are_named(void **state) {
  (void)state;
  sandbox_open();
  put("s.c", kernel);
  assert_int_equal(run("skcc --cc=no-such-gcc s.c -o p"), 1);
  assert_said("cannot run 'no-such-gcc'");
  assert_int_equal(run("mkdir empty && cp bin/skcc empty/ && empty/skcc s.c -o p"), 4);
  assert_said("its own file '");
  sandbox_close();
}

static void test_help_and_version(void **state) {
  (void)state;
  sandbox_open();
  assert_runs("skcc --help");
  assert_said("usage: skcc");
  assert_said("skcc -shared -o libops.so");
  assert_runs("skcc --version");
  assert_said("skcc 0.");
  sandbox_close();
}

static void test_outputs(void **state) {
  (void)state;
  sandbox_open();
  put("s.c", kernel);
  assert_runs("skcc s.c && ./a.out");
  assert_said("k 3\nk 3\n");
  assert_runs("cp s.c s.txt && skcc -x c s.txt -o fromtext && ./fromtext");
  assert_runs("mkdir sub && cp s.c sub/deep.asc && skcc -c sub/deep.asc && test -f deep.o && skcc deep.o -o joined && ./joined");
  assert_said("k 3\nk 3\n");
  assert_runs("skcc --rewrite-only s.c");
  assert_said("sk__launch_k");
  assert_runs("skcc -v s.c -o p");
  assert_said("gcc -E ");
  assert_runs("TMPDIR=$PWD/tmp skcc s.c -o p && test -z \"$(ls tmp)\"");
  assert_runs("TMPDIR=$PWD/tmp skcc --save-temps s.c -o p && ls tmp/*/0.aic.i");
  assert_said("temporary files are in");
  sandbox_close();
}

/* What build files for the chip say. */
static void test_options_of_the_chips_compiler(void **state) {
  (void)state;
  sandbox_open();
  put("s.c", kernel);
  assert_runs("skcc --npu-arch=dav-2201 -dc s.c -o s.o && skcc --npu-arch=dav-2201 s.o -lascendcl -l tiling_api -lplatform -o p && ./p");
  assert_said("k 3\nk 3\n");
  assert_runs("skcc -mllvm -cce-aicore-record-overflow=true --cce-res-usage -Xhost-start -fstack-protector-strong -Xhost-end s.c -o p");
  assert_int_equal(run("skcc s.c -lnobody -o p"), 1);
  put("auto.c", "#ifdef SK_NO_AUTO_SYNC\n#error off\n#endif\nint main(void) { return 0; }\n");
  assert_runs("skcc --cce-auto-sync auto.c -o p && skcc --cce-auto-sync=on auto.c -o p");
  assert_int_equal(run("skcc --cce-auto-sync=off auto.c -o p"), 1);
  assert_said("#error off");
  sandbox_close();
}

/* Kernels whose source leaves their type to the compiler. */
static void test_the_type_of_kernels_that_do_not_say(void **state) {
  (void)state;
  sandbox_open();
  put("s.c", "#include <stdio.h>\n__global__ __aicore__ void free_(void) { printf(\"free %d\\n\", SK_HALF_AIC); }\n"
             "__global__ __vector__ void said(void) { printf(\"said %d\\n\", SK_HALF_AIC); }\n"
             "int main(void) { free_<<<1, 0>>>(); said<<<1, 0>>>(); return 0; }\n");
  assert_runs("skcc s.c -o p && ./p | grep '^[fs]'");
  assert_string_equal(said(), "free 0\nsaid 0\n");
  assert_runs("skcc --kernel-type=cube s.c -o p && ./p | grep '^[fs]'");
  assert_string_equal(said(), "free 1\nsaid 0\n");
  assert_runs("skcc '--kernel-type=mix(1,1)' s.c -o p && ./p | grep '^[fs]'");
  assert_string_equal(said(), "free 1\nfree 0\nsaid 0\n");
  sandbox_close();
}

static void test_failure_leaves_the_old_output_and_nothing_else(void **state) {
  (void)state;
  sandbox_open();
  put("s.c", kernel);
  assert_runs("skcc s.c -o p && cp p old");
  put("s.c", "void missing(void);\nint main(void) { missing(); return 0; }\n");
  assert_int_equal(run("TMPDIR=$PWD/tmp skcc s.c -o p"), 1);
  assert_said("undefined reference to `missing'");
  assert_runs("cmp p old && test -z \"$(ls tmp)\" && test -z \"$(ls | grep skcc)\"");
  sandbox_close();
}

static void test_interruption_cleans_up(void **state) {
  (void)state;
  sandbox_open();
  put("s.c", kernel);
  put("bin/slow", "#!/bin/sh\ntouch running\nsleep 30\n");
  assert_runs("chmod +x bin/slow; (TMPDIR=$PWD/tmp skcc --cc=bin/slow-gcc s.c -o p; true) || true");
  assert_runs("ln -s slow bin/slow-gcc; TMPDIR=$PWD/tmp skcc --cc=slow-gcc s.c -o p & p=$!\n"
              "while ! test -e running; do sleep 0.05; done; kill -TERM $p; wait $p; code=$?; test $code = 4 && test -z \"$(ls tmp)\" && ! test -e p");
  assert_said("skcc: interrupted");
  sandbox_close();
}

static void test_dependency_files(void **state) {
  (void)state;
  sandbox_open();
  put("h.h", "#define N 3\n");
  put("s.c", "#include \"h.h\"\nint main(void) { return N; }\n");
  assert_runs("skcc -MMD -c s.c -o out.o && cat out.d");
  assert_said("out.o: s.c h.h");
  assert_runs("skcc -MD -MF deps -MT target -c s.c && cat deps");
  assert_said("target: s.c");
  sandbox_close();
}

static void test_feature_macros_of_the_user_work(void **state) {
  (void)state;
  sandbox_open();
  put("s.c", "#define _GNU_SOURCE\n#include <stdio.h>\n__global__ __vector__ void k(void) {}\n"
             "int main(void) { char *s; k<<<1, 0>>>(); if (asprintf(&s, \"x\") != 1) return 1; __builtin_free(s); return 0; }\n");
  assert_runs("skcc -Wall -Werror s.c -o p && ./p");
  sandbox_close();
}

static double seconds_of(const char *command) {
  double best = 1e9;
  for (int i = 0; i < 3; i++) {
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    assert_runs("%s", command);
    clock_gettime(CLOCK_MONOTONIC, &b);
    double t = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
    if (t < best) best = t;
  }
  return best;
}

/* A kernel of a hundred lines against the same functions as plain C. */
#ifdef __SANITIZE_ADDRESS__ /* then skcc itself is slow */
enum { TIMES = 8 };
#else
enum { TIMES = 4 };
#endif
static void test_compile_time_is_at_most_four_times_plain_c(void **state) {
  (void)state;
  sandbox_open();
  char body[8192] = "", source[16384];
  for (int i = 0; i < 10; i++)
    snprintf(body + strlen(body), sizeof body - strlen(body),
             "STATIC float step_%d(float *p, int n) {\n  float s = %d;\n  for (int j = 0; j < n; j++) {\n    p[j] = p[j] * 2 + s;\n"
             "    s += p[j];\n    if (s > 1000)\n      s -= n;\n  }\n  return s;\n}\n", i, i);
  snprintf(source, sizeof source, "#include <stdio.h>\n#define STATIC static inline\n%svoid k(float *x, int n) { x[0] = step_0(x, n) + step_9(x, n); }\n"
           "int main(void) { float q[32] = {0}; k(q, 32); printf(\"%%f\\n\", (double)q[0]); return 0; }\n", body);
  put("plain.c", source);
  snprintf(source, sizeof source, "#include <stdio.h>\n#define STATIC __aicore__ static inline\n%s__global__ __mix__(1, 2) void k(float *x, int n) { x[0] = step_0(x, n) + step_9(x, n); }\n"
           "int main(void) { float q[32] = {0}; k<<<1, 0>>>(q, 32); printf(\"%%f\\n\", (double)q[0]); return 0; }\n", body);
  put("kernel.c", source);
  double plain = seconds_of("gcc -O2 -g plain.c -o plain"), ours = seconds_of("skcc -O2 -g kernel.c -o kernel");
  printf("plain C %.3f s, mixed kernel %.3f s, ratio %.2f\n", plain, ours, ours / plain);
  assert_true(ours < TIMES * plain);
  sandbox_close();
}

SK_TESTS(SK_TEST(test_wrong_usage_is_named), SK_TEST(test_missing_parts_are_named), SK_TEST(test_help_and_version), SK_TEST(test_outputs),
         SK_TEST(test_options_of_the_chips_compiler), SK_TEST(test_the_type_of_kernels_that_do_not_say), SK_TEST(test_failure_leaves_the_old_output_and_nothing_else), SK_TEST(test_interruption_cleans_up),
         SK_TEST(test_dependency_files), SK_TEST(test_feature_macros_of_the_user_work),
         SK_TEST(test_compile_time_is_at_most_four_times_plain_c))
