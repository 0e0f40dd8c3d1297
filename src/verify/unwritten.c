/* unwritten.c - see unwritten.h. */
#include "verify/unwritten.h"

#include "base/vec.h"

enum { MOST_STRETCHES = 1 << 20 };

static bool add(void *context, uint64_t start, uint64_t bytes) {
  sk__unwritten *out = context;
  return out->count < MOST_STRETCHES && sk__vec_push(out, ((sk__stretch){start, bytes}));
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

void sk__unwritten_free(sk__unwritten *unwritten) { sk__free(unwritten->items); }
