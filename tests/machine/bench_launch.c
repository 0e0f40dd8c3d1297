/* bench_launch.c - what launches and barriers cost: an empty kernel, SyncAll, flag ping-pong. Prints
 * nanoseconds; nothing is asserted, since the numbers belong to the machine they are taken on. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "machine/internal.h"

enum { ROUNDS = 2000, REPEATS = 9 };

static void empty(sk__core *core, void *context) { (void)core, (void)context; }
static void sync_rounds(sk__core *core, void *context) {
  for (int i = 0; i < ROUNDS; i++) sk__sync_all(core, *(const bool *)context);
}
static void flag_rounds(sk__core *core, void *context) {
  (void)context;
  for (int i = 0; i < ROUNDS; i++) {
    sk__pipe pipe = core->type == SK__AIC ? SK__PIPE_FIX : SK__PIPE_MTE3;
    if (core->type == SK__AIC) {
      sk__cross_set(core, pipe, 2, 1);
      sk__cross_wait(core, 2);
    } else {
      sk__cross_wait(core, 1);
      sk__cross_set(core, pipe, 2, 2);
    }
  }
}
static void mode0_rounds(sk__core *core, void *context) {
  (void)context;
  for (int i = 0; i < ROUNDS; i++) {
    sk__cross_set(core, SK__PIPE_MTE3, 0, 3);
    sk__cross_wait(core, 3);
  }
}
static void event_rounds(sk__core *core, void *context) {
  (void)context;
  for (int i = 0; i < 1000000; i++) {
    sk__set_flag(core, SK__PIPE_MTE2, SK__PIPE_V, 0);
    sk__wait_flag(core, SK__PIPE_MTE2, SK__PIPE_V, 0);
  }
}

/* CPU time: other work on the machine does not count. */
static double thread_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median_ns(sk__machine *machine, sk_kernel_type type, uint32_t blocks, void (*fn)(sk__core *, void *),
                        void *context, double units) {
  double ns[REPEATS];
  sk__launch l = {.name = "bench", .type = type, .blocks = blocks, .entry = {fn, fn}, .context = context};
  for (int i = 0; i < REPEATS; i++) {
    double start = thread_ns();
    if (sk__machine_run(machine, &l, NULL, NULL, NULL) != SK_OK) abort();
    ns[i] = (thread_ns() - start) / units;
  }
  qsort(ns, REPEATS, sizeof ns[0], by_value);
  return ns[REPEATS / 2];
}

int main(void) {
  for (int checks = 0; checks < 2; checks++) {
    sk__machine *machine;
    if (sk__machine_create(&(sk__machine_options){.checks = checks != 0}, &machine) != SK_OK) return 1;
    bool aiv = true, mix = false;
    printf("checks %s\n", checks ? "on" : "off");
    for (int i = 0; i < 20; i++) median_ns(machine, SK_AIV_ONLY, 48, empty, NULL, 1);
    printf("  empty kernel, 48 vector cores   %9.0f ns\n", median_ns(machine, SK_AIV_ONLY, 48, empty, NULL, 1));
    printf("  empty kernel, 24 x 1:2          %9.0f ns\n", median_ns(machine, SK_MIX_AIC_1_2, 24, empty, NULL, 1));
    printf("  SyncAll of 48 vector cores      %9.0f ns\n", median_ns(machine, SK_MIX_AIV_1_0, 48, sync_rounds, &aiv, ROUNDS));
    printf("  SyncAll of 72 cores             %9.0f ns\n", median_ns(machine, SK_MIX_AIC_1_2, 24, sync_rounds, &mix, ROUNDS));
    printf("  set 0 and wait of 48 cores      %9.0f ns\n", median_ns(machine, SK_MIX_AIV_1_0, 48, mode0_rounds, NULL, ROUNDS));
    printf("  mode 2 there and back, 1:2      %9.0f ns\n", median_ns(machine, SK_MIX_AIC_1_2, 1, flag_rounds, NULL, ROUNDS));
    printf("  event set and wait              %9.1f ns\n", median_ns(machine, SK_AIV_ONLY, 1, event_rounds, NULL, 1e6));
    sk__machine_destroy(machine);
  }
  return 0;
}
