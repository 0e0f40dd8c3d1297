/* arena.c - bump allocation in a chain of chunks. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* A hard build has chunks so small that nearly every piece starts a new one. */
#define CHUNK_BYTES (SK__HARD ? (size_t)64 : (size_t)64 * 1024)

typedef struct sk__arena_chunk {
  struct sk__arena_chunk *next;
  size_t capacity_bytes;
  _Alignas(SK__ARENA_ALIGN_BYTES) unsigned char bytes[];
} sk__arena_chunk;

/* Makes a chunk with room for `bytes` current: the next kept one if it is large enough, otherwise a new
 * one put in front of it. */
static int enter_chunk(sk__arena *arena, size_t bytes) {
  sk__arena_chunk **link = arena->current == NULL ? &arena->first : &arena->current->next;
  if (*link == NULL || (*link)->capacity_bytes < bytes) {
    size_t capacity_bytes = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    if (capacity_bytes > SIZE_MAX - sizeof(sk__arena_chunk)) return 0;
    sk__arena_chunk *chunk = sk__malloc(sizeof(sk__arena_chunk) + capacity_bytes);
    if (chunk == NULL) return 0;
    chunk->capacity_bytes = capacity_bytes;
    chunk->next = *link;
    *link = chunk;
  }
  arena->current = *link;
  arena->used_bytes = 0;
  return 1;
}

void *sk__arena_alloc(sk__arena *arena, size_t bytes) {
  if (bytes > SIZE_MAX - SK__ARENA_ALIGN_BYTES) return NULL;
  bytes = bytes == 0 ? SK__ARENA_ALIGN_BYTES
                     : (bytes + SK__ARENA_ALIGN_BYTES - 1) / SK__ARENA_ALIGN_BYTES * SK__ARENA_ALIGN_BYTES;
  if (arena->current == NULL || arena->current->capacity_bytes - arena->used_bytes < bytes)
    if (!enter_chunk(arena, bytes)) return NULL;
  void *piece = arena->current->bytes + arena->used_bytes;
  arena->used_bytes += bytes;
  return piece;
}

void *sk__arena_calloc(sk__arena *arena, size_t count, size_t item_bytes) {
  size_t bytes;
  if (__builtin_mul_overflow(count, item_bytes, &bytes)) return NULL;
  void *piece = sk__arena_alloc(arena, bytes);
  return piece == NULL ? NULL : memset(piece, 0, bytes);
}

void *sk__arena_copy(sk__arena *arena, const void *data, size_t bytes) {
  void *piece = sk__arena_alloc(arena, bytes);
  if (piece != NULL && bytes != 0) memcpy(piece, data, bytes);
  return piece;
}

char *sk__arena_strdup(sk__arena *arena, const char *text) {
  return sk__arena_copy(arena, text, strlen(text) + 1);
}

char *sk__arena_format(sk__arena *arena, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  char *text = length < 0 ? NULL : sk__arena_alloc(arena, (size_t)length + 1);
  if (text == NULL) return NULL;
  va_start(arguments, format);
  vsnprintf(text, (size_t)length + 1, format, arguments);
  va_end(arguments);
  return text;
}

void sk__arena_reset(sk__arena *arena) {
  arena->current = NULL;
  arena->used_bytes = 0;
}

void sk__arena_free(sk__arena *arena) {
  for (sk__arena_chunk *chunk = arena->first; chunk != NULL;) {
    sk__arena_chunk *next = chunk->next;
    sk__free(chunk);
    chunk = next;
  }
  *arena = (sk__arena){0};
}
