/* unwritten.c - see unwritten.h. */
#include "verify/unwritten.h"

#include <stdlib.h>

enum { MOST_STRETCHES = 1 << 20 };

static bool add(void *context, uint64_t start, uint64_t bytes) {
  sk__unwritten *out = context;
  if (out->count == out->capacity) {
    size_t capacity = out->capacity > 0 ? out->capacity * 2 : 64;
    sk__stretch *items = capacity > MOST_STRETCHES ? NULL : realloc(out->items, capacity * sizeof *items);
    if (items == NULL) return false;
    out->items = items;
    out->capacity = capacity;
  }
  out->items[out->count++] = (sk__stretch){start, bytes};
  return true;
}

void sk__unwritten_take(sk__machine *machine, const sk__image *reference, sk__unwritten *out) {
  *out = (sk__unwritten){NULL, 0, 0};
  if (!sk__machine_options_of(machine)->checks) return;
  for (size_t i = 0; i < reference->count; i++) {
    const sk__piece *piece = &reference->pieces[i];
    if (sk__shadow_gm_unwritten(sk__machine_checker(machine), piece->start, piece->bytes, add, out)) sk__gm_set_output(machine, piece->start);
  }
}

void sk__unwritten_put(sk__machine *machine, const sk__unwritten *unwritten) {
  for (size_t i = 0; i < unwritten->count; i++)
    sk__shadow_gm_reset(sk__machine_checker(machine), unwritten->items[i].start, unwritten->items[i].bytes);
}

void sk__unwritten_free(sk__unwritten *unwritten) { free(unwritten->items); }
