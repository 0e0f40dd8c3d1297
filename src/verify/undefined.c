/* undefined.c - see undefined.h. */
#include "verify/undefined.h"

#include <string.h>

#include "base/memory.h"
#include "base/vec.h"

enum { MOST_STRETCHES = 1 << 14, BLOCK_BYTES = 1 << 16, GAP_BYTES = 8, MOST_BYTES = 1 << 28 };

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
  if (out->count == MOST_STRETCHES || !sk__vec_reserve(out, out->count + 1)) return;
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

/* The bytes of the stretches from `from` on, as they are now. */
static void keep_other(sk__undefined *out, size_t from) {
  for (size_t i = from; i < out->count; i++) {
    const sk__stretch *stretch = &out->items[i];
    if (out->other_bytes + stretch->bytes > out->other_capacity) {
      size_t capacity = 2 * (out->other_bytes + stretch->bytes);
      uint8_t *other = capacity > MOST_BYTES ? NULL : sk__realloc(out->other, capacity);
      if (other == NULL) { /* then later segments tell less */
        sk__free(out->other);
        out->other = NULL;
        out->other_bytes = out->other_capacity = 0;
        return;
      }
      out->other = other;
      out->other_capacity = capacity;
    }
    memcpy(out->other + out->other_bytes, (const void *)stretch->start, stretch->bytes);
    out->other_bytes += stretch->bytes;
  }
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

/* What still stands of the other bytes was not the run's doing. The log is open there. */
static void take_back(const sk__inherited *inherited) {
  for (size_t i = 0; i < inherited->count; i++) {
    const sk__inherited_item *item = &inherited->items[i];
    uint8_t *now = (uint8_t *)item->where.start;
    for (uint64_t at = 0; at < item->where.bytes; at++)
      if (now[at] == item->other[at]) now[at] = item->reference[at];
  }
}

void sk__undefined_take(sk__machine *machine, const sk__image *reference, const sk__inherited *inherited, sk__undefined *out) {
  *out = (sk__undefined){.count = 0};
  sk__gm_unfill(machine);
  out->read = sk__machine_read_fresh(machine, &out->reader);
  if (inherited != NULL) take_back(inherited);
  if (inherited != NULL && inherited->count > 0 && !out->read) {
    out->read = true;
    out->reader = inherited->items[0].reader;
  }
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
  keep_other(out, 0);
}

void sk__undefined_free(sk__undefined *undefined) {
  sk__free(undefined->items);
  sk__free(undefined->other);
  *undefined = (sk__undefined){.count = 0};
}

/* ---- later segments -------------------------------------------------------------------------- */

static void item_free(sk__inherited_item *item) {
  sk__free(item->reference);
  sk__free(item->other);
}

void sk__inherited_add(sk__inherited *inherited, const sk__undefined *undefined) {
  const uint8_t *other = undefined->other;
  for (size_t i = 0; i < undefined->count && other != NULL; i++) {
    const sk__stretch *stretch = &undefined->items[i];
    if (inherited->count == MOST_STRETCHES || !sk__vec_reserve(inherited, inherited->count + 1)) return;
    sk__inherited_item item = {*stretch, undefined->reader, sk__malloc(stretch->bytes), sk__malloc(stretch->bytes)};
    if (item.reference == NULL || item.other == NULL) {
      item_free(&item);
      return;
    }
    memcpy(item.other, other, stretch->bytes);
    other += stretch->bytes;
    inherited->items[inherited->count++] = item;
  }
}

void sk__inherited_refresh(sk__machine *machine, sk__inherited *inherited) {
  size_t kept = 0;
  for (size_t i = 0; i < inherited->count; i++) {
    sk__inherited_item *item = &inherited->items[i];
    if (!sk__gm_is_undefined(machine, item->where.start, item->where.bytes)) {
      item_free(item);
      continue;
    }
    memcpy(item->reference, (const void *)item->where.start, item->where.bytes);
    inherited->items[kept++] = *item;
  }
  inherited->count = kept;
}

static bool is_in(const sk__image *image, const sk__stretch *where) {
  for (size_t i = 0; i < image->count; i++) {
    const sk__piece *piece = &image->pieces[i];
    if (piece->start < where->start + where->bytes && where->start < piece->start + piece->bytes) return true;
  }
  return false;
}

void sk__inherited_forget(sk__inherited *inherited, const sk__image *written) {
  size_t kept = 0;
  for (size_t i = 0; i < inherited->count; i++) {
    if (is_in(written, &inherited->items[i].where)) item_free(&inherited->items[i]);
    else inherited->items[kept++] = inherited->items[i];
  }
  inherited->count = kept;
}

sk_status sk__inherited_keep(sk__machine *machine, const sk__inherited *inherited) {
  for (size_t i = 0; i < inherited->count; i++) {
    const sk__inherited_item *item = &inherited->items[i];
    if (sk__gm_is_undefined(machine, item->where.start, item->where.bytes)) continue;
    sk_status status = sk__gm_set_undefined(machine, &item->where, 1, &item->reader);
    if (status != SK_OK) return status;
  }
  return SK_OK;
}

void sk__inherited_put(sk__machine *machine, const sk__inherited *inherited) {
  for (size_t i = 0; i < inherited->count; i++)
    sk__gm_replace(machine, inherited->items[i].where.start, inherited->items[i].other, inherited->items[i].where.bytes);
}

void sk__inherited_free(sk__inherited *inherited) {
  for (size_t i = 0; i < inherited->count; i++) item_free(&inherited->items[i]);
  sk__free(inherited->items);
  *inherited = (sk__inherited){.count = 0};
}
