/* pool.c - blocks of power-of-two sizes out of slabs. */
#include "check/pool.h"

#include "base/memory.h"

#define SLAB_BYTES (1024u * 1024u)

struct sk__pool_slab {
  _Alignas(64) struct sk__pool_slab *older;
};

static unsigned class_of(size_t bytes) {
  unsigned c = 0;
  while (((size_t)1 << (c + SK__POOL_MIN_SHIFT)) < bytes) c++;
  return c;
}

void *sk__pool_alloc(sk__pool *pool, size_t bytes) {
  unsigned c = class_of(bytes);
  if (c >= SK__POOL_CLASSES) return NULL;
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
  *(void **)block = pool->free[c];
  pool->free[c] = block;
}

void sk__pool_release(sk__pool *pool) {
  while (pool->slabs != NULL) {
    struct sk__pool_slab *slab = pool->slabs;
    pool->slabs = slab->older;
    sk__unreserve(slab, SLAB_BYTES);
  }
  *pool = (sk__pool){0};
}
