/* memory.c - the gate in front of malloc; in a hard build also the one who says no. */
#include "base/memory.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/window.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

#if SK__HARD
#include <malloc.h>

/* The hard build's only process-wide state. */
static _Atomic uint64_t allocations;
static _Atomic uint64_t fail_number; /* value of `allocations` that fails; 0 = none */

__attribute__((constructor)) static void read_environment(void) {
  const char *text = getenv("SUPERKERNEL_FAIL_ALLOC");
  if (text != NULL) sk__alloc_fail_at(strtoull(text, NULL, 0));
}

void sk__alloc_fail_at(uint64_t n) {
  atomic_store(&fail_number, n == 0 ? 0 : atomic_load(&allocations) + n);
}

uint64_t sk__alloc_count(void) { return atomic_load(&allocations); }

static bool refused(void) {
  return atomic_fetch_add(&allocations, 1) + 1 == atomic_load(&fail_number);
}

static void *poison(void *block, size_t bytes) {
  if (block != NULL) memset(block, (int)(0xa5u ^ (atomic_load(&allocations) & 0xffu)), bytes);
  return block;
}
#else
#define refused() 0
#define poison(block, bytes) (block)
#endif

void *sk__malloc(size_t bytes) {
  if (refused()) return NULL;
  if (bytes == 0) bytes = 1;
  return poison(malloc(bytes), bytes);
}

void *sk__calloc(size_t count, size_t item_bytes) {
  if (refused()) return NULL;
  return count == 0 || item_bytes == 0 ? calloc(1, 1) : calloc(count, item_bytes);
}

void *sk__realloc(void *block, size_t bytes) {
  if (refused()) return NULL;
  if (bytes == 0) bytes = 1;
#if SK__HARD
  /* Moves always, so that a pointer kept across a realloc is seen to be wrong. */
  void *moved = poison(malloc(bytes), bytes);
  if (moved == NULL || block == NULL) return moved;
  size_t old_bytes = malloc_usable_size(block);
  memcpy(moved, block, old_bytes < bytes ? old_bytes : bytes);
  free(block);
  return moved;
#else
  return realloc(block, bytes);
#endif
}

void *sk__aligned_alloc(size_t alignment_bytes, size_t bytes) {
  if (refused()) return NULL;
  void *block = NULL;
  if (posix_memalign(&block, alignment_bytes, bytes == 0 ? 1 : bytes) != 0) return NULL;
  return poison(block, bytes);
}

char *sk__strdup(const char *text) {
  size_t bytes = strlen(text) + 1;
  char *copy = sk__malloc(bytes);
  return copy == NULL ? NULL : memcpy(copy, text, bytes);
}

void sk__free(void *block) { free(block); }

/* ---- tables -------------------------------------------------------------------------------- */

/* Where the next table is tried first; only a hint, so that searching starts behind the last one. */
static _Atomic uint64_t next_table = SK__TABLES_BASE;

/* What tables point to is not lost. Larger ones hold no pointers, and would be read page by page. */
static void tell_leak_checker(const void *start, size_t bytes, bool reserved) {
#if defined(__SANITIZE_ADDRESS__)
  if (bytes > (size_t)64 << 20) return;
  if (reserved) __lsan_register_root_region(start, bytes);
  else __lsan_unregister_root_region(start, bytes);
#else
  (void)start, (void)bytes, (void)reserved;
#endif
}

/* Old kernels take the address as a hint: what lies elsewhere is given back. */
void *sk__reserve(size_t bytes) {
  const uint64_t unit = UINT64_C(2) << 20, step = (bytes + unit - 1) / unit * unit;
  if (refused() || bytes > SK__LOCAL_BASE - SK__TABLES_BASE) return NULL;
  for (int rounds = 0; rounds < 2;) {
    uint64_t at = atomic_fetch_add(&next_table, step);
    if (at > SK__LOCAL_BASE - step) {
      atomic_store(&next_table, SK__TABLES_BASE);
      rounds++;
      continue;
    }
    void *start = mmap((void *)at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (start == (void *)at) {
      tell_leak_checker(start, bytes, true);
      return start;
    }
    if (start != MAP_FAILED) munmap(start, bytes);
    else if (errno != EEXIST) return NULL;
  }
  return NULL;
}

void sk__unreserve(void *start, size_t bytes) {
  if (start == NULL) return;
  tell_leak_checker(start, bytes, false);
  munmap(start, bytes);
}
