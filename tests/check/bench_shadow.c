/* bench_shadow.c - what one recorded access costs, in nanoseconds: medians of repeats. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "check/check.h"
#include "meet.h"

static const sk__soc chip = {.name = "full", .aic_count = 24, .aiv_count = 48};
static const char code[16];
static sk__checker *checker;
static sk__order orders[72];
static sk__event_clock event;

/* CPU time: other work on the machine does not count. */
static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Median over repeats of the time per call of body(i), i = 0 .. n-1. */
static double measure(void (*body)(uint32_t i), uint32_t n) {
  double t[15];
  for (int r = 0; r < 15; r++) {
    double start = now_ns();
    for (uint32_t i = 0; i < n; i++) body(i);
    t[r] = (now_ns() - start) / n;
  }
  qsort(t, 15, sizeof *t, compare_doubles);
  return t[7];
}

static uint64_t local_bytes = 256, local_step = 256, gm_bytes = 32768;

static void local_pair(uint32_t i) { /* write by V, handed over, read by MTE3, handed back */
  uint64_t a = sk__local_slot(30) + (i % 256 * local_step) % 131072;
  sk__order *o = &orders[30];
  sk__shadow_local(checker, o, SK__PIPE_V, SK__WRITE, a, local_bytes, code + 1, "asc_add");
  sk__order_set_flag(o, SK__PIPE_V, &event);
  sk__order_wait_flag(o, SK__PIPE_MTE3, &event);
  sk__shadow_local(checker, o, SK__PIPE_MTE3, SK__READ, a, local_bytes, code + 2, "asc_copy_ub2gm");
  sk__order_set_flag(o, SK__PIPE_MTE3, &event);
  sk__order_wait_flag(o, SK__PIPE_V, &event);
}
static void flag_pair(uint32_t i) {
  sk__order *o = &orders[30 + i % 2];
  sk__order_set_flag(o, SK__PIPE_V, &event);
  sk__order_wait_flag(o, SK__PIPE_MTE3, &event);
  sk__order_set_flag(o, SK__PIPE_MTE3, &event);
  sk__order_wait_flag(o, SK__PIPE_V, &event);
}
static void local_three(uint32_t i) { /* an add: two reads, one write, no synchronisation */
  uint64_t a = sk__local_slot(30) + i % 64 * 256;
  sk__order *o = &orders[30];
  sk__local_range ranges[] = {{a, 256, SK__READ}, {a + 32768, 256, SK__READ}, {a + 65536, 256, SK__WRITE}};
  sk__shadow_local_ranges(checker, o, SK__PIPE_V, ranges, 3, code + 3, "asc_add");
}
static void gm_write(uint32_t i) {
  uint64_t a = SK__GM_BASE + (uint64_t)(i % 1024) * gm_bytes;
  sk__shadow_gm(checker, &orders[24 + (i & 1)], SK__PIPE_MTE3, SK__WRITE, a, gm_bytes, code + 4, "asc_copy_ub2gm");
}
static void gm_read(uint32_t i) {
  uint64_t a = SK__GM_BASE + (UINT64_C(1) << 32) + (uint64_t)(i % 1024) * gm_bytes;
  sk__shadow_gm(checker, &orders[24], SK__PIPE_MTE2, SK__READ, a, gm_bytes, code + 5, "asc_copy_gm2ub");
}
static void gm_read_misaligned(uint32_t i) {
  uint64_t a = SK__GM_BASE + (UINT64_C(1) << 32) + 32 + (uint64_t)(i % 1024) * gm_bytes;
  sk__shadow_gm(checker, &orders[24], SK__PIPE_MTE2, SK__READ, a, gm_bytes, code + 5, "asc_copy_gm2ub");
}
static void gm_weights(uint32_t i) { /* 48 cores read the same tiles */
  uint64_t a = SK__GM_BASE + (UINT64_C(1) << 33) + (uint64_t)(i / 48 % 32) * gm_bytes;
  sk__shadow_gm(checker, &orders[24 + i % 48], SK__PIPE_MTE2, SK__READ, a, gm_bytes, code + 6, "asc_copy_gm2ub");
}
static void gm_scatter(uint32_t i) { /* 32 bytes here and there */
  uint64_t a = SK__GM_BASE + (UINT64_C(3) << 32) + (uint64_t)(i * 2654435761u >> 10) / 32 * 32;
  sk__shadow_gm(checker, &orders[24], SK__PIPE_MTE3, SK__WRITE, a, 32, code + 7, "asc_copy_ub2gm");
}
static void sync_all(uint32_t i) {
  (void)i;
  sk__order *all[72];
  for (int k = 0; k < 72; k++) all[k] = &orders[k];
  static sk__meeting meeting;
  cores_meet_in(checker, &meeting, all, 72);
}
static void cross_flag(uint32_t i) {
  sk__snapshot *message = NULL;
  sk__order_publish(checker, &orders[i % 24], SK__PIPE_FIX, &message);
  sk__order_acquire(checker, &orders[24 + i % 48], message);
  sk__snapshot_unref(message);
}
static void launch(uint32_t i) {
  (void)i;
  static sk__snapshot *last;
  sk__snapshot *after = sk__snapshot_new(checker, last);
  for (uint32_t k = 0; k < 72; k++) sk__order_end(checker, &orders[k], after);
  for (uint32_t k = 0; k < 72; k++) sk__order_begin(checker, &orders[k], k, after);
  sk__snapshot_unref(last);
  last = after;
}

int main(void) {
  if (sk__checker_create(&chip, &checker) != SK_OK) return 1;
  for (uint32_t k = 0; k < 72; k++) {
    orders[k].enabled = true;
    sk__order_begin(checker, &orders[k], k, NULL);
  }
  sk__shadow_gm_host_write(checker, SK__GM_BASE, UINT64_C(4) << 32);
  double flags = measure(flag_pair, 20000);
  printf("flag round trip (2 sets, 2 waits)            %8.1f ns\n", flags);
  printf("local 256 B, V write + MTE3 read, less flags  %8.1f ns per access\n", (measure(local_pair, 20000) - flags) / 2);
  local_bytes = local_step = 4096;
  printf("local 4 KiB, the same                         %8.1f ns per access\n", (measure(local_pair, 20000) - flags) / 2);
  local_bytes = 65536, local_step = 65536;
  printf("local 64 KiB, the same                        %8.1f ns per access\n", (measure(local_pair, 20000) - flags) / 2);
  measure(local_three, 1000);
  printf("local 256 B add (2 reads, 1 write)            %8.1f ns per access\n", measure(local_three, 20000) / 3);
  local_bytes = 100, local_step = 256;
  printf("local 100 B of a 256-byte record              %8.1f ns per access\n", (measure(local_pair, 20000) - flags) / 2);
  printf("GM 32 KiB write, aligned                      %8.1f ns\n", measure(gm_write, 4096));
  printf("GM 32 KiB read, aligned                       %8.1f ns\n", measure(gm_read, 4096));
  printf("GM 32 KiB read, 32 bytes off                  %8.1f ns\n", measure(gm_read_misaligned, 4096));
  printf("GM 32 KiB read by 48 cores in turn (sets)     %8.1f ns\n", measure(gm_weights, 9216));
  printf("GM 32 B scattered write over 4 MiB            %8.1f ns\n", measure(gm_scatter, 4096));
  printf("SyncAll of 72 cores                           %8.1f ns\n", measure(sync_all, 2000));
  printf("cross-core publish + acquire                  %8.1f ns\n", measure(cross_flag, 5000));
  printf("launch end + begin, 72 cores                  %8.1f ns\n", measure(launch, 1000));
  size_t n;
  sk__findings(checker, &n);
  printf("findings %zu\n", n);
  for (uint32_t k = 0; k < 72; k++) sk__order_end(checker, &orders[k], NULL);
  sk__checker_destroy(checker);
  return 0;
}
