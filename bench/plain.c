/* plain.c - the plain sides: c = a + b over arrays, and pure arithmetic, on pinned threads.
 *
 *   plain add THREADS ELEMENTS_MI
 *   plain add16 THREADS ELEMENTS_MI the same bytes as so many half values: sums of 16-bit integers, the cheapest there are
 *   plain arithmetic THREADS        the same work on each thread: one CPU per thread takes the same time */
#include <pthread.h>
#include <sched.h>

#include "contender.h"

#define MOST_THREADS 64u

typedef struct part { const float *a, *b; float *c; size_t count; int cpu; uint64_t sink; } part;
typedef struct job { part parts[MOST_THREADS]; uint32_t threads; void *(*work)(void *); } job;

/* Without a place of its own a thread may be woken on the other's CPU. */
static void pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

static void *add(void *context) {
  part *p = context;
  pin(p->cpu);
  const float *restrict a = p->a, *restrict b = p->b;
  float *restrict c = p->c;
  for (size_t i = 0; i < p->count; i++) c[i] = a[i] + b[i];
  return NULL;
}

static void *add16(void *context) {
  part *p = context;
  pin(p->cpu);
  const uint16_t *restrict a = (const void *)p->a, *restrict b = (const void *)p->b;
  uint16_t *restrict c = (void *)p->c;
  for (size_t i = 0; i < 2 * p->count; i++) c[i] = (uint16_t)(a[i] + b[i]);
  return NULL;
}

static void *arithmetic(void *context) {
  part *p = context;
  pin(p->cpu);
  uint64_t x = p->sink | 1;
  for (uint32_t i = 0; i < 20000000u; i++) x = x * 6364136223846793005u + 1442695040888963407u;
  p->sink = x;
  return NULL;
}

static void run(void *context) {
  job *j = context;
  pthread_t threads[MOST_THREADS];
  for (uint32_t i = 0; i < j->threads; i++)
    if (pthread_create(&threads[i], NULL, j->work, &j->parts[i]) != 0) contender_stop("plain", "no thread");
  for (uint32_t i = 0; i < j->threads; i++) pthread_join(threads[i], NULL);
}

static float *filled(size_t count, uint32_t factor) {
  float *data = aligned_alloc(64, count * sizeof *data);
  if (data == NULL) contender_stop("plain", "out of memory");
  for (size_t i = 0; i < count; i++) data[i] = (float)((uint32_t)i * factor & 0xffffu);
  return data;
}

static void split(job *j, size_t count) {
  float *a = filled(count, 5), *b = filled(count, 7), *c = filled(count, 1);
  for (uint32_t i = 0; i < j->threads; i++) {
    size_t first = count * i / j->threads, last = count * (i + 1) / j->threads;
    j->parts[i] = (part){.a = a + first, .b = b + first, .c = c + first, .count = last - first};
  }
}

/* One CPU for each thread, from those this process may use; again from the start when they run out. */
static void choose_cpus(job *j) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) contender_stop("plain", "no list of CPUs");
  int cpu = -1;
  for (uint32_t i = 0; i < j->threads; i++) {
    do cpu = (cpu + 1) % CPU_SETSIZE;
    while (!CPU_ISSET(cpu, &allowed));
    j->parts[i].cpu = cpu;
  }
}

int main(int argc, char **argv) {
  static job j;
  j.threads = contender_number("plain", argc > 2 ? argv[2] : NULL, MOST_THREADS);
  if (strcmp(argv[1], "add") == 0) {
    j.work = add;
    split(&j, (size_t)contender_number("plain", argc > 3 ? argv[3] : NULL, 256) << 20);
  } else if (strcmp(argv[1], "add16") == 0) {
    j.work = add16;
    split(&j, ((size_t)contender_number("plain", argc > 3 ? argv[3] : NULL, 256) << 20) / 2);
  } else if (strcmp(argv[1], "arithmetic") == 0) {
    j.work = arithmetic;
  } else {
    contender_stop("plain", "usage: plain add|add16 THREADS ELEMENTS_MI | plain arithmetic THREADS");
  }
  choose_cpus(&j);
  return contender_serve(run, &j);
}
