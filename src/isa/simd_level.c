/* simd_level.c - which instruction set level the inner loops run at: the best this CPU has, or a lower
 * one when asked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/simd/simd.h"

const char *sk__simd_level_name(sk__simd_level level) {
  static const char *const names[] = {
#define X(level) #level,
    SK__SIMD_LEVELS(X)
#undef X
  };
  return names[level];
}

int sk__simd_level_runs_here(sk__simd_level level) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  switch (level) {
    case SK__SIMD_v2: return 1;
    case SK__SIMD_avx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
             __builtin_cpu_supports("bmi2"); /* every such CPU converts half precision too */
    case SK__SIMD_avx512:
      return sk__simd_level_runs_here(SK__SIMD_avx2) && __builtin_cpu_supports("avx512f") &&
             __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    case SK__SIMD_LEVEL_COUNT: break;
  }
  return 0;
#else
  return level < SK__SIMD_LEVEL_COUNT;
#endif
}

static sk__simd_level choose(void) {
  const char *asked = getenv("SUPERKERNEL_SIMD");
  if (asked != NULL && asked[0] != '\0') {
    for (uint32_t level = 0; level < SK__SIMD_LEVEL_COUNT; level++) {
      if (strcmp(asked, sk__simd_level_name((sk__simd_level)level)) != 0) continue;
      if (sk__simd_level_runs_here((sk__simd_level)level)) return (sk__simd_level)level;
      fprintf(stderr, "superkernel: SUPERKERNEL_SIMD=%s: this CPU cannot run that level\n", asked);
      exit(2);
    }
    fprintf(stderr, "superkernel: SUPERKERNEL_SIMD=%s: unknown level; known:", asked);
    for (uint32_t level = 0; level < SK__SIMD_LEVEL_COUNT; level++)
      fprintf(stderr, " %s", sk__simd_level_name((sk__simd_level)level));
    fputc('\n', stderr);
    exit(2);
  }
  uint32_t best = SK__SIMD_LEVEL_COUNT - 1;
  while (best > 0 && !sk__simd_level_runs_here((sk__simd_level)best)) best--;
  return (sk__simd_level)best;
}

sk__simd_level sk__simd_level_in_use(void) {
  static int chosen = -1; /* written once, by the first constructor, before any thread exists */
  if (chosen < 0) chosen = (int)choose();
  return (sk__simd_level)chosen;
}
