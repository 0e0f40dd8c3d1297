/* undefined.c - see undefined.h. */
#include "verify/undefined.h"

#include <string.h>

#include "base/memory.h"

enum { MOST_STRETCHES = 1 << 14, BLOCK_BYTES = 1 << 16, GAP_BYTES = 8 };

void sk__undefined_prepare(sk__machine *machine, bool again) {
  uint8_t fill = sk__machine_options_of(machine)->fill;
  sk__machine_set_fresh(machine, (sk__fresh){.pattern = again ? fill : (uint8_t)~fill, .local = true, .left = again, .device = !again});
}

/* Stretches come in ascending order; a few equal bytes between, of one number perhaps, do not part them. */
static void add(sk__undefined *out, uint64_t start, uint64_t bytes) {
  sk__stretch *last = out->count > out->piece_from ? &out->items[out->count - 1] : NULL;
  if (last != NULL && start - (last->start + last->bytes) < GAP_BYTES) {
    last->bytes = start + bytes - last->start;
    return;
  }
  if (out->count == out->capacity) {
    size_t capacity = out->capacity > 0 ? out->capacity * 2 : 64;
    sk__stretch *items = capacity > MOST_STRETCHES ? NULL : sk__realloc(out->items, capacity * sizeof *items);
    if (items == NULL) return;
    out->items = items;
    out->capacity = capacity;
  }
  out->items[out->count++] = (sk__stretch){start, bytes};
}

/* Padding as in UNWRITTEN_OUTPUT. */
static bool is_padding(const sk__stretch *stretch) { return stretch->bytes < 32 && (stretch->start + stretch->bytes) % 32 == 0; }

static void drop_padding(sk__undefined *out) {
  size_t kept = out->piece_from;
  for (size_t i = kept; i < out->count; i++)
    if (!is_padding(&out->items[i])) out->items[kept++] = out->items[i];
  out->count = kept;
}

static void compare(sk__undefined *out, uint64_t start, const uint8_t *reference, const uint8_t *now, uint64_t bytes) {
  if (memcmp(reference, now, bytes) == 0) return;
  for (uint64_t at = 0; at < bytes;) {
    uint64_t end = at;
    while (end < bytes && reference[end] != now[end]) end++;
    if (end > at) add(out, start + at, end - at);
    at = end + (end == at);
  }
}

void sk__undefined_take(sk__machine *machine, const sk__image *reference, sk__undefined *out) {
  *out = (sk__undefined){.count = 0};
  sk__gm_unfill(machine);
  out->read = sk__machine_read_fresh(machine, &out->reader);
  uint8_t *block = out->read ? sk__malloc(BLOCK_BYTES) : NULL;
  for (size_t i = 0; i < reference->count && block != NULL; i++) {
    const sk__piece *piece = &reference->pieces[i];
    out->piece_from = out->count;
    for (uint64_t at = 0; at < piece->bytes; at += BLOCK_BYTES) {
      uint64_t bytes = piece->bytes - at < BLOCK_BYTES ? piece->bytes - at : BLOCK_BYTES;
      if (sk__gm_host_read(machine, block, piece->start + at, bytes) != SK_OK) continue;
      compare(out, piece->start + at, piece->data + at, block, bytes);
    }
    drop_padding(out);
  }
  sk__free(block);
}

void sk__undefined_free(sk__undefined *undefined) {
  sk__free(undefined->items);
  *undefined = (sk__undefined){.count = 0};
}
