/* simd.h - inner loops, compiled once per instruction set level and bound once at start.
 *
 * How to add an area (say "sort"):
 *   1. simd/sort_kernels.h: the table     typedef struct sk__simd_sort_table { void (*sort32)(...); } ...;
 *                           its externs   SK__SIMD_AREA(sort)
 *   2. simd/sort.c (in simd_sources): functions whose external names are SK__SIMD(name), and at the end
 *          const sk__simd_sort_table SK__SIMD(sort) = {.sort32 = sort32, ...};
 *      Static functions need no wrapping. vec.h has the vector types of the level.
 *   3. one ordinary file of the floor:    SK__SIMD_BIND(sort)
 *      It defines sk__simd_sort, a pointer set before main() to the table of the best level this CPU has.
 *   4. Tests compare levels by sk__simd_sort_of(level), NULL where this CPU has no such level, against a
 *      plain version.
 *
 * SUPERKERNEL_SIMD=v2|avx2|avx512 (base elsewhere) asks for a lower level; one this CPU cannot run, or an
 * unknown name, ends the process with a message. Same bits at every level is a rule, not a hope. */
#ifndef SK_ISA_SIMD_SIMD_H
#define SK_ISA_SIMD_SIMD_H

#include <stddef.h>
#include <stdint.h>

#define SK__SIMD_PASTE_(name, level) sk__##name##_##level
#define SK__SIMD_PASTE(name, level) SK__SIMD_PASTE_(name, level)
#define SK__SIMD(name) SK__SIMD_PASTE(name, SK__SIMD_LEVEL)

/* Levels of this architecture, lowest first. */
#if defined(__x86_64__)
#define SK__SIMD_LEVELS(X) X(v2) X(avx2) X(avx512)
#else
#define SK__SIMD_LEVELS(X) X(base)
#endif
typedef enum sk__simd_level {
#define X(level) SK__SIMD_##level,
  SK__SIMD_LEVELS(X)
#undef X
  SK__SIMD_LEVEL_COUNT
} sk__simd_level;

/* The level in use; constant for the life of the process. And whether this CPU could run another. */
sk__simd_level sk__simd_level_in_use(void);
int sk__simd_level_runs_here(sk__simd_level level);
const char *sk__simd_level_name(sk__simd_level level);

#define SK__SIMD_AREA(area)                                            \
  extern const sk__simd_##area##_table *sk__simd_##area;               \
  const sk__simd_##area##_table *sk__simd_##area##_of(sk__simd_level level);

#define SK__SIMD_EXTERN_(area, level) extern const sk__simd_##area##_table sk__##area##_##level;
#if defined(__x86_64__)
#define SK__SIMD_TABLES(area) \
  SK__SIMD_EXTERN_(area, v2) SK__SIMD_EXTERN_(area, avx2) SK__SIMD_EXTERN_(area, avx512)
#define SK__SIMD_ROWS(area) &sk__##area##_v2, &sk__##area##_avx2, &sk__##area##_avx512
#else
#define SK__SIMD_TABLES(area) SK__SIMD_EXTERN_(area, base)
#define SK__SIMD_ROWS(area) &sk__##area##_base
#endif
#define SK__SIMD_BIND(area)                                                            \
  SK__SIMD_TABLES(area)                                                                \
  const sk__simd_##area##_table *sk__simd_##area;                                      \
  const sk__simd_##area##_table *sk__simd_##area##_of(sk__simd_level level) {          \
    static const sk__simd_##area##_table *const tables[] = {SK__SIMD_ROWS(area)};      \
    return sk__simd_level_runs_here(level) ? tables[level] : NULL;                     \
  }                                                                                    \
  __attribute__((constructor)) static void bind_##area(void) {                         \
    sk__simd_##area = sk__simd_##area##_of(sk__simd_level_in_use());                   \
  }

#endif
