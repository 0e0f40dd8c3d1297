/* memory.h - host memory: malloc and friends through one gate.
 *
 * Running out of memory is an ordinary NULL. In a hard build (SK__HARD) the gate can be told to fail the
 * n-th allocation from now, fills fresh memory with a pattern that changes from one allocation to the
 * next, and moves a block on every realloc. */
#ifndef SK_BASE_MEMORY_H
#define SK_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#ifndef SK__HARD
#define SK__HARD 0
#endif

/* NULL when out of memory, when the size overflows, or (hard build) when told so. Never NULL for 0. */
void *sk__malloc(size_t bytes);
void *sk__calloc(size_t count, size_t item_bytes);
/* The old block stays valid when NULL comes back. */
void *sk__realloc(void *block, size_t bytes);
void *sk__aligned_alloc(size_t alignment_bytes, size_t bytes);
char *sk__strdup(const char *text);
void sk__free(void *block);

/* A table of its own: zero, aligned to 2 MiB, paid for where it is touched, in the window (window.h), where no plain
 * access of a kernel is carried out. NULL when refused. */
void *sk__reserve(size_t bytes);
void sk__unreserve(void *start, size_t bytes); /* NULL is allowed */

#if SK__HARD
/* The n-th allocation from now returns NULL, n >= 1, once; 0 = none. Also set at the first allocation from
 * $SUPERKERNEL_FAIL_ALLOC. Process-wide, thread safe. */
void sk__alloc_fail_at(uint64_t n);
/* Allocations since the start of the process: the n to try are 1 .. this. */
uint64_t sk__alloc_count(void);
#endif

#endif
