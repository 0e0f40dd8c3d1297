/* select.c - the search for the tiling key of a dynamic sub-kernel. */
#include <stdlib.h>
#include <string.h>

#include "fuse/ge/internal.h"

static int by_key(const void *a, const void *b) {
  const sk__ge_tiling *x = a, *y = b;
  return x->key < y->key ? -1 : x->key > y->key;
}

typedef struct tree { sk__ge_select *out; int32_t used; } tree;

static int32_t leaf(size_t tiling) { return -2 - (int32_t)tiling; }

/* [from, to) is not empty; returns the choice's number. The depth is that of a halving, at most 32. */
static int32_t grow(tree *t, size_t from, size_t to) {
  const sk__ge_tiling *tilings = t->out->tilings;
  int32_t me = t->used++;
  sk__ge_choice choice = {.pivot = tilings[from].key, .yes = leaf(from), .no = to - from == 2 ? leaf(from + 1) : -1};
  if (to - from > 2) {
    size_t middle = from + (to - from) / 2;
    choice.less = true;
    choice.pivot = tilings[middle].key;
    choice.yes = grow(t, from, middle);
    choice.no = grow(t, middle, to);
  }
  t->out->choices[me] = choice;
  return me;
}

sk_status sk__ge_make_select(sk__ge_build *b, const sk__ge_part *part, sk__ge_select *out) {
  size_t count = part->sub->tiling_count;
  sk__ge_tiling *tilings = sk__arena_array(b->arena, sk__ge_tiling, count);
  *out = (sk__ge_select){.sub = part->position, .choices = sk__arena_array(b->arena, sk__ge_choice, count + 1), .tilings = tilings};
  if (tilings == NULL || out->choices == NULL) return SK_OUT_OF_MEMORY;
  for (size_t i = 0; i < count; i++) tilings[i] = part->sub->tilings[i];
  qsort(tilings, count, sizeof *tilings, by_key);
  tree t = {out, 0};
  grow(&t, 0, count);
  return SK_OK;
}
