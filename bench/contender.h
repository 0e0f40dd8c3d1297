/* contender.h - one side of a comparison, kept alive so that sides can take turns.
 *
 * A program does its work once per line on standard input and answers with the wall clock seconds and the
 * CPU seconds that took. bench/run.py starts the sides, sends the lines and compares. */
#ifndef SK_BENCH_CONTENDER_H
#define SK_BENCH_CONTENDER_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline double contender_clock(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline int contender_serve(void (*work)(void *context), void *context) {
  char line[64];
  while (fgets(line, sizeof line, stdin) != NULL) {
    double wall = contender_clock(CLOCK_MONOTONIC), cpu = contender_clock(CLOCK_PROCESS_CPUTIME_ID);
    work(context);
    cpu = contender_clock(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    wall = contender_clock(CLOCK_MONOTONIC) - wall;
    printf("%.9f %.9f\n", wall, cpu);
    fflush(stdout);
  }
  return 0;
}

/* Ends the program with a line of text and exit code 2. */
static inline void contender_stop(const char *program, const char *what) {
  fprintf(stderr, "%s: %s\n", program, what);
  exit(2);
}

/* A whole number from the command line, within [1, most]. */
static inline uint32_t contender_number(const char *program, const char *text, uint32_t most) {
  char *end = NULL;
  unsigned long value = text != NULL ? strtoul(text, &end, 10) : 0;
  if (text == NULL || *text == '\0' || *end != '\0' || value < 1 || value > most) contender_stop(program, "a number is missing or out of range");
  return (uint32_t)value;
}

#endif
