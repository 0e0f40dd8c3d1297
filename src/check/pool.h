/* pool.h - private to floor 1: blocks of power-of-two sizes, larger ones on their own, given back one by one or all at once.
 *
 * Shadow tables live in reserved memory that nobody walks at the end, so what hangs on them must be
 * freed as a whole. Not thread safe: the checker's pool lock guards it. */
#ifndef SK_CHECK_POOL_H
#define SK_CHECK_POOL_H

#include <stddef.h>

#define SK__POOL_MIN_SHIFT 6
#define SK__POOL_CLASSES 12 /* 64 bytes .. 128 KiB */

typedef struct sk__pool {
  void *free[SK__POOL_CLASSES];
  struct sk__pool_slab *slabs;
  unsigned char *next;      /* rest of the newest slab */
  size_t left_bytes;
  struct sk__pool_large *large; /* blocks of no class */
} sk__pool;

/* Aligned to 64 bytes, contents undefined; NULL when out of memory. */
void *sk__pool_alloc(sk__pool *pool, size_t bytes);
void sk__pool_free(sk__pool *pool, void *block, size_t bytes); /* as many as it was asked for with */
void sk__pool_release(sk__pool *pool);

#endif
