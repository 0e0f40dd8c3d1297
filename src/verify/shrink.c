/* shrink.c - the smallest scope that still fails. */
#include <string.h>

#include "verify/diagnose.h"

/* Does it still fail with members [from, to) only? */
static sk_status fails_with(sk__inquiry *inquiry, const sk__members *members, size_t from, size_t to, bool *fails) {
  sk__members part = {members->items + from, to - from};
  sk__effect effect = SK__EFFECT_UNCLEAR;
  sk_status status = sk__inquire(inquiry, &part, SK__CHANGE_NONE, NULL, &effect);
  *fails = effect == SK__EFFECT_STAYS;
  return status;
}

/* A failure that needs no later operator shows in every longer list, so halving finds the shortest. Whatever the
 * failure does instead, the list that is kept has been seen to fail. */
static sk_status shorten_end(sk__inquiry *inquiry, sk__members *members) {
  size_t low = 0;
  sk_status status = SK_OK;
  while (low + 1 < members->count && status == SK_OK) {
    size_t middle = (low + members->count) / 2;
    bool fails = false;
    status = fails_with(inquiry, members, 0, middle, &fails);
    if (status == SK_OK && fails) members->count = middle;
    else if (status == SK_OK) low = middle;
  }
  return status;
}

static sk_status shorten_begin(sk__inquiry *inquiry, sk__members *members) {
  size_t from = 0, high = members->count;
  sk_status status = SK_OK;
  while (from + 1 < high && status == SK_OK) {
    size_t middle = (from + high) / 2;
    bool fails = false;
    status = fails_with(inquiry, members, middle, members->count, &fails);
    if (status == SK_OK && fails) from = middle;
    else if (status == SK_OK) high = middle;
  }
  members->count -= from;
  memmove(members->items, members->items + from, members->count * sizeof *members->items);
  return status;
}

/* Takes out [at, at + n) if it fails all the same. */
static sk_status try_without(sk__inquiry *inquiry, sk__members *members, size_t at, size_t n, bool *gone) {
  size_t count = members->count;
  uint32_t *rest = sk__malloc(count * sizeof *rest);
  if (rest == NULL) return SK_OUT_OF_MEMORY;
  memcpy(rest, members->items, at * sizeof *rest);
  memcpy(rest + at, members->items + at + n, (count - at - n) * sizeof *rest);
  sk__members part = {rest, count - n};
  sk_status status = fails_with(inquiry, &part, 0, part.count, gone);
  if (status == SK_OK && *gone) {
    memcpy(members->items, rest, part.count * sizeof *rest);
    members->count = part.count;
  }
  sk__free(rest);
  return status;
}

/* Pieces of falling size, from the end; at size one until a whole round takes nothing out. */
static sk_status thin_out(sk__inquiry *inquiry, sk__members *members) {
  sk_status status = SK_OK;
  for (size_t size = (members->count + 1) / 2; size > 0 && status == SK_OK;) {
    bool any = false;
    for (size_t end = members->count; end > 0 && status == SK_OK;) {
      size_t n = size < end ? size : end, at = end - n;
      bool gone = false;
      if (n < members->count) status = try_without(inquiry, members, at, n, &gone);
      any |= gone;
      end = at;
    }
    if (size == 1 && !any) break;
    if (size > 1) size /= 2;
    else if (members->count == 1) break;
  }
  return status;
}

sk_status sk__shrink(sk__inquiry *inquiry, sk__members *members, bool *smallest) {
  sk_status status = members->count > 2 ? shorten_end(inquiry, members) : SK_OK;
  if (status == SK_OK && members->count > 2) status = shorten_begin(inquiry, members);
  if (status == SK_OK) status = thin_out(inquiry, members);
  *smallest = status == SK_OK && !inquiry->exhausted;
  return status;
}
