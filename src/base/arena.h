/* arena.h - memory that is given out piece by piece and taken back all at once. */
#ifndef SK_BASE_ARENA_H
#define SK_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

#define SK__ARENA_ALIGN_BYTES 16

/* Zero-initialised = empty and ready. Not thread safe; one owner. */
typedef struct sk__arena {
  struct sk__arena_chunk *first, *current; /* chunks from first to current are in use, in this order */
  size_t used_bytes;                       /* in the current chunk */
} sk__arena;

/* Aligned to 16 bytes, contents undefined; lives until reset or free. NULL when out of memory: pieces
 * given out before stay valid. 0 bytes is a valid request. */
void *sk__arena_alloc(sk__arena *arena, size_t bytes);
/* The same, zeroed; NULL also when the product overflows. */
void *sk__arena_calloc(sk__arena *arena, size_t count, size_t item_bytes);
void *sk__arena_copy(sk__arena *arena, const void *data, size_t bytes);
char *sk__arena_strdup(sk__arena *arena, const char *text);
/* Formatted text in the arena. */
char *sk__arena_format(sk__arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Takes every piece back and keeps the chunks for the next use. */
void sk__arena_reset(sk__arena *arena);
/* Gives the chunks back; the arena is empty and usable again. */
void sk__arena_free(sk__arena *arena);

#define sk__arena_new(arena, type) ((type *)sk__arena_calloc((arena), 1, sizeof(type)))
#define sk__arena_array(arena, type, count) ((type *)sk__arena_calloc((arena), (count), sizeof(type)))

#endif
