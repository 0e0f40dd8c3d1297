/* pool.c - blocks of power-of-two sizes out of slabs; what is larger than the largest of them has a reservation of its own. */
#include "check/pool.h"

#include "base/memory.h"

#define SLAB_BYTES (1024u * 1024u)

struct sk__pool_slab {
  _Alignas(64) struct sk__pool_slab *older;
};

struct sk__pool_large {
  _Alignas(64) struct sk__pool_large *next;
  struct sk__pool_large **at; /* what points here */
  size_t bytes;               /* with this head */
};

static unsigned class_of(size_t bytes) {
  unsigned c = 0;
  while (((size_t)1 << (c + SK__POOL_MIN_SHIFT)) < bytes) c++;
  return c;
}

static void *large_alloc(sk__pool *pool, size_t bytes) {
  struct sk__pool_large *large = sk__reserve(sizeof *large + bytes);
  if (large == NULL) return NULL;
  large->bytes = sizeof *large + bytes;
  large->next = pool->large;
  large->at = &pool->large;
  if (large->next != NULL) large->next->at = &large->next;
  pool->large = large;
  return large + 1;
}

static void large_free(struct sk__pool_large *large) {
  *large->at = large->next;
  if (large->next != NULL) large->next->at = large->at;
  sk__unreserve(large, large->bytes);
}

void *sk__pool_alloc(sk__pool *pool, size_t bytes) {
  unsigned c = class_of(bytes);
  if (c >= SK__POOL_CLASSES) return large_alloc(pool, bytes);
  void *block = pool->free[c];
  if (block != NULL) {
    pool->free[c] = *(void **)block;
    return block;
  }
  size_t size = (size_t)1 << (c + SK__POOL_MIN_SHIFT);
  if (pool->left_bytes < size) {
    struct sk__pool_slab *slab = sk__reserve(SLAB_BYTES);
    if (slab == NULL) return NULL;
    slab->older = pool->slabs;
    pool->slabs = slab;
    pool->next = (unsigned char *)(slab + 1);
    pool->left_bytes = SLAB_BYTES - sizeof *slab;
  }
  block = pool->next;
  pool->next += size;
  pool->left_bytes -= size;
  return block;
}

void sk__pool_free(sk__pool *pool, void *block, size_t bytes) {
  if (block == NULL) return;
  unsigned c = class_of(bytes);
  if (c >= SK__POOL_CLASSES) {
    large_free((struct sk__pool_large *)block - 1);
    return;
  }
  *(void **)block = pool->free[c];
  pool->free[c] = block;
}

void sk__pool_release(sk__pool *pool) {
  while (pool->large != NULL) large_free(pool->large);
  while (pool->slabs != NULL) {
    struct sk__pool_slab *slab = pool->slabs;
    pool->slabs = slab->older;
    sk__unreserve(slab, SLAB_BYTES);
  }
  *pool = (sk__pool){0};
}
