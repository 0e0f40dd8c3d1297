/* bench_vector - cost of one vector instruction on the machine, checks off and on, and of the inner loops.
 *
 * ns are the best of many short stretches; the last column is elements per ns. */
#include <stdio.h>
#include <time.h>

#include "cube_fixture.h"

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

#define STRETCH 64
#define TIME(label, elements, call)                                                          \
  do {                                                                                       \
    double best = 1e30;                                                                      \
    for (int turn = 0; turn < 300; turn++) {                                                 \
      asc_sync_pipe(PIPE_ALL);                                                               \
      double start = now_ns();                                                               \
      for (int i = 0; i < STRETCH; i++) call;                                                \
      double each = (now_ns() - start) / STRETCH;                                            \
      if (each < best) best = each;                                                          \
    }                                                                                        \
    printf("%-28s %9.1f ns %8.2f /ns\n", label, best, (double)(elements) / best);            \
  } while (0)

static void measure(sk__core *core, void *context) {
  (void)context;
  float *a = (float *)0, *b = (float *)(uintptr_t)(50 << 10), *c = (float *)(uintptr_t)(101 << 10);
  half *h = (half *)(uintptr_t)(152 << 10);
  printf("-- checks %s\n", core->checks ? "on" : "off");
  asc_duplicate(a, 1.5f, 8192);
  asc_duplicate(b, 2.5f, 8192);
  TIME("asc_add float 8", 8, asc_add(c, a, b, 8));
  TIME("asc_add float 64", 64, asc_add(c, a, b, 64));
  TIME("asc_add float 256", 256, asc_add(c, a, b, 256));
  TIME("asc_add float 4096", 4096, asc_add(c, a, b, 4096));
  TIME("asc_exp float 4096", 4096, asc_exp(c, a, 4096));
  TIME("asc_log float 4096", 4096, asc_log(c, a, 4096));
  TIME("asc_float2half 4096", 4096, asc_float2half(h, a, 4096));
  asc_set_vector_mask(UINT64_MAX, UINT64_MAX);
  TIME("asc_add float 16 rows", 1024, asc_add(c, a, b, 16, 1, 1, 1, 8, 8, 0));
  asc_set_vector_mask(0, 0xffff);
  TIME("asc_add float 16 rows of 16", 256, asc_add(c, a, b, 16, 1, 1, 1, 8, 8, 8));
}

int main(void) {
  for (int checks = 0; checks < 2; checks++) {
    sk__machine *machine = machine_of("test", (sk__machine_options){.checks = checks != 0});
    run_aiv(machine, measure, NULL);
    sk__machine_destroy(machine);
  }
  return 0;
}
