/* vec.h - growable arrays.
 *
 *   SK__VEC(uint32_t) ids = {0};
 *   if (!sk__vec_push(&ids, 7)) return SK_OUT_OF_MEMORY;
 *   for (size_t i = 0; i < ids.count; i++) use(ids.items[i]);
 *   sk__vec_free(&ids);
 *
 * Pointers to items end at the next push or reserve. */
#ifndef SK_BASE_VEC_H
#define SK_BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

#define SK__VEC(type) \
  struct {            \
    type *items;      \
    size_t count, capacity; \
  }

/* The array with room for `need` items, possibly moved; NULL when out of memory (nothing changed). */
static inline void *sk__vec_grown(void *items, size_t *capacity, size_t need, size_t item_bytes) {
  if (need <= *capacity && items != NULL) return items;
  size_t wanted = SK__HARD ? need : *capacity + *capacity / 2 + 8;
  if (wanted < need) wanted = need;
  size_t bytes;
  if (__builtin_mul_overflow(wanted, item_bytes, &bytes)) return NULL;
  void *grown = sk__realloc(items, bytes);
  if (grown != NULL) *capacity = wanted;
  return grown;
}
SK_MUST_USE static inline bool sk__vec_done(bool done) { return done; }

/* Room for at least `need` items in all; false when out of memory. */
#define sk__vec_reserve(vec, need)                                                          \
  sk__vec_done(__extension__({                                                              \
    __auto_type sk__vec_r = (vec);                                                          \
    void *sk__vec_p =                                                                       \
      sk__vec_grown(sk__vec_r->items, &sk__vec_r->capacity, (need), sizeof *sk__vec_r->items); \
    if (sk__vec_p != NULL) sk__vec_r->items = sk__vec_p;                                    \
    sk__vec_p != NULL;                                                                      \
  }))

/* Appends a copy of the value (a compound literal in parentheses is fine); false when out of memory. */
#define sk__vec_push(vec, ...)                                                 \
  sk__vec_done(__extension__({                                                 \
    __auto_type sk__vec_v = (vec);                                             \
    bool sk__vec_ok = sk__vec_reserve(sk__vec_v, sk__vec_v->count + 1);        \
    if (sk__vec_ok) sk__vec_v->items[sk__vec_v->count++] = (__VA_ARGS__);      \
    sk__vec_ok;                                                                \
  }))

/* Last item; the array must not be empty. */
#define sk__vec_last(vec) ((vec)->items[(vec)->count - 1])
#define sk__vec_pop(vec) ((vec)->items[--(vec)->count])
/* Removes item i, keeping the order. */
#define sk__vec_remove(vec, i)                                                                \
  do {                                                                                        \
    __auto_type sk__vec_v = (vec);                                                            \
    size_t sk__vec_i = (i);                                                                   \
    memmove(sk__vec_v->items + sk__vec_i, sk__vec_v->items + sk__vec_i + 1,                   \
            (--sk__vec_v->count - sk__vec_i) * sizeof *sk__vec_v->items);                     \
  } while (0)
#define sk__vec_clear(vec) ((void)((vec)->count = 0))
#define sk__vec_free(vec)                          \
  do {                                             \
    __auto_type sk__vec_v = (vec);                 \
    sk__free(sk__vec_v->items);                    \
    sk__vec_v->items = NULL;                       \
    sk__vec_v->count = sk__vec_v->capacity = 0;    \
  } while (0)

#endif
