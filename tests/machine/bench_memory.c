/* bench_memory.c - what plain accesses, movers and the transaction log cost: best of several repeats, in
 * nanoseconds each, beside memcpy of the same bytes in the same process. */
#include <stdio.h>
#include <time.h>

#include "memory_fixture.h"

enum { REPEATS = 9, ROWS = 32, BURST = 16384, BURSTS = 256 };
typedef struct row { const char *name; double best_ns; } row;
static row rows[ROWS];

/* CPU time: other work on the machine does not count. */
static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

#define TIME(slot, what, n, statement)                                                \
  do {                                                                                \
    double start = now_ns();                                                          \
    for (uint64_t i = 0; i < (n); i++) statement;                                     \
    double each = (now_ns() - start) / (double)(n);                                   \
    if (rows[slot].name == NULL || each < rows[slot].best_ns) rows[slot].best_ns = each; \
    rows[slot].name = what;                                                           \
  } while (0)

static void scalar_rows(uint32_t *a, uint32_t *b, uint32_t *ub) {
  volatile uint32_t on_stack = 0;
  TIME(0, "hook: stack", 65536, (void)load32((const void *)(uintptr_t)&on_stack, site(1)));
  TIME(1, "hook: GM load, one word", 65536, (void)load32(a, site(1)));
  TIME(2, "hook: GM load, 16 KiB in order", 65536, (void)load32(a + (i & 4095), site(1)));
  TIME(3, "hook: GM load, 4 MiB in order", 1 << 20, (void)load32(a + i, site(1)));
  TIME(4, "hook: GM store, one word", 65536, store32(b, 1, site(2)));
  TIME(5, "hook: GM store, 16 KiB in order", 65536, store32(b + (i & 4095), 1, site(2)));
  TIME(6, "hook: UB store, 16 KiB in order", 65536, store32(ub + (i & 4095), 1, site(4)));
  TIME(7, "hook: UB load, 16 KiB in order", 65536, (void)load32(ub + (i & 4095), site(3)));
  dcci_all();
}

/* Barriers keep it free of findings, whose reports would be timed too. */
static void mover_rows(fixture *f, uint32_t *a, uint32_t *b, uint32_t *ub) {
  sk__order_barrier(&sk__self->order, SK__PIPE_ALL);
  TIME(8, "mover: 64 B in", 20000, (void)mover_in(ub, a + (i & 1023) * 16, 64, site(6)));
  TIME(9, "memcpy: 16 KiB in", 1024, memcpy(ub, a + (i % BURSTS) * (BURST / 4), BURST));
  TIME(10, "mover: 16 KiB in", 1024, (void)mover_in(ub, a + (i % BURSTS) * (BURST / 4), BURST, site(7)));
  TIME(11, "memcpy: 16 KiB out", 1024, memcpy(b + (i % BURSTS) * (BURST / 4), ub, BURST));
  TIME(12, "mover: 16 KiB out", 1024, (void)mover_out(b + (i % BURSTS) * (BURST / 4), ub, BURST, site(8)));
  assert_int_equal(sk__gm_begin(&f->machine), SK_OK);
  TIME(13, "mover: 16 KiB out, saving pre-images", BURSTS, (void)mover_out(b + i * (BURST / 4), ub, BURST, site(8)));
  TIME(14, "mover: 16 KiB out, already saved", BURSTS, (void)mover_out(b + i * (BURST / 4), ub, BURST, site(8)));
  sk__order_barrier(&sk__self->order, SK__PIPE_ALL);
  TIME(15, "mover: 32 B out, saving pre-images", 4096, (void)mover_out(a + i * 256, ub, 32, site(9)));
  TIME(16, "roll back of 6 MiB", 1, sk__gm_roll_back(&f->machine));
  sk__order_barrier(&sk__self->order, SK__PIPE_ALL);
}

int main(void) {
  for (int checks = 0; checks < 2; checks++) {
    memset(rows, 0, sizeof rows);
    fixture *f = fixture_new(checks != 0);
    uint32_t *a = (uint32_t *)(void *)alloc_filled(f, 4 << 20, "a"), *b = (uint32_t *)(void *)alloc_filled(f, 4 << 20, "b");
    uint32_t *ub = (uint32_t *)sk__local_slot(AIV0);
    on(f, AIV0);
    for (int repeat = 0; repeat < REPEATS; repeat++) {
      scalar_rows(a, b, ub);
      mover_rows(f, a, b, ub);
    }
    for (int i = 0; i < ROWS; i++)
      if (rows[i].name != NULL) printf("checks %-3s  %-40s %10.2f ns\n", checks ? "on" : "off", rows[i].name, rows[i].best_ns);
    if (finding_count(f) != 0) printf("checks %-3s  %zu findings: their reports were timed too\n", checks ? "on" : "off", finding_count(f));
    fixture_free(f);
  }
  return 0;
}
