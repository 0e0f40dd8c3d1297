/* gm_accessors.c - sets of accessors of device memory: kept, judged, copied. */
#include "check/gm_accessors.h"

static uint64_t key_of(uint64_t stamp) { return stamp >> SK__STAMP_SHIFT; }

static uint32_t set_start(const sk__gm_set *set, uint64_t stamp) {
  uint64_t key = key_of(stamp);
  return (uint32_t)((key ^ key >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> 40) & (set->capacity - 1);
}
static uint32_t set_next(const sk__gm_set *set, uint32_t i) { return (i + 1) & (set->capacity - 1); }

/* Where the access that `me` supersedes stands, or an empty slot. */
static uint32_t set_slot(const sk__probe *probe, const sk__gm_set *set, uint64_t me) {
  uint32_t i = set_start(set, me);
  while (set->stamp[i] != 0 && !sk__gm_is_superseded(probe, set->stamp[i], me)) i = set_next(set, i);
  return i;
}

static void set_add(sk__gm_set *set, uint64_t stamp, uint16_t origin) {
  uint32_t i = set_start(set, stamp);
  while (set->stamp[i] != 0) i = set_next(set, i);
  set->count++;
  set->atomics += (stamp & SK__STAMP_ATOMIC) != 0;
  set->stamp[i] = stamp;
  sk__gm_set_origins(set)[i] = origin;
}

static sk__gm_set *set_new(sk__checker *checker, uint32_t capacity) {
  sk__gm_set *set = sk__shadow_alloc(checker, sk__gm_set_bytes(capacity));
  if (set == NULL) return NULL;
  *set = (sk__gm_set){.capacity = capacity};
  memset(set->stamp, 0, sk__gm_set_bytes(capacity) - sizeof *set);
  return set;
}

void sk__gm_set_free(sk__checker *checker, sk__gm_set *set) { sk__shadow_free(checker, set, sk__gm_set_bytes(set->capacity)); }

void sk__gm_forget_cell(sk__checker *checker, sk__gm_cell *cell) {
  sk__gm_drop_accessor(checker, cell->accessor);
  *cell = (sk__gm_cell){.writer = SK__STAMP_HOST};
}

void sk__gm_cell_copy(sk__checker *checker, sk__gm_cell *to, const sk__gm_cell *from) {
  *to = *from;
  if (!sk__gm_is_set(from->accessor)) return;
  sk__gm_set *old = sk__gm_set_of(from->accessor), *set = sk__shadow_alloc(checker, sk__gm_set_bytes(old->capacity));
  if (set == NULL) {
    *to = (sk__gm_cell){.writer = SK__STAMP_HOST};
    return;
  }
  memcpy(set, old, sk__gm_set_bytes(old->capacity));
  to->accessor = SK__STAMP_SET | (uintptr_t)set;
}

/* A new accessor for which the set has no room: without those it makes superfluous, in a set that fits. */
SK__COLD static sk__gm_set *set_rebuilt(sk__probe *probe, sk__gm_set *old, uint64_t me) {
  uint32_t keep = 0;
  for (uint32_t i = 0; i < old->capacity; i++) {
    uint64_t s = old->stamp[i];
    if (s == 0) continue;
    if (((s ^ me) & SK__STAMP_ATOMIC) == 0 && sk__gm_is_covered(probe, s)) old->stamp[i] = 0;
    else keep++;
  }
  uint32_t capacity = 8;
  while (capacity < (keep + 1) * 2) capacity *= 2;
  sk__gm_set *set = set_new(probe->checker, capacity);
  if (set != NULL)
    for (uint32_t i = 0; i < old->capacity; i++)
      if (old->stamp[i] != 0) set_add(set, old->stamp[i], sk__gm_set_origins(old)[i]);
  sk__gm_set_free(probe->checker, old);
  return set;
}

void sk__gm_add_accessor(sk__probe *probe, sk__gm_cell *cell, uint64_t me) {
  uint64_t a = cell->accessor;
  sk__gm_set *set;
  if (sk__gm_is_set(a)) {
    set = sk__gm_set_of(a);
    uint32_t mine = set_slot(probe, set, me);
    if (SK__LIKELY(set->stamp[mine] != 0)) { /* once more: only the time changes */
      set->stamp[mine] = me;
      sk__gm_set_origins(set)[mine] = probe->origin;
      return;
    }
    if ((set->count + 1) * 4 > set->capacity * 3) set = set_rebuilt(probe, set, me);
  } else {
    bool same_kind = ((a ^ me) & SK__STAMP_ATOMIC) == 0;
    if (a == 0 || sk__gm_is_superseded(probe, a, me) || (same_kind && sk__gm_is_covered(probe, a))) {
      cell->accessor = me;
      cell->accessor_origin = probe->origin;
      return;
    }
    set = set_new(probe->checker, 8);
    if (set != NULL) set_add(set, a, cell->accessor_origin);
  }
  if (set == NULL) {
    cell->accessor = 0; /* given back or never there */
    sk__gm_forget_cell(probe->checker, cell);
    return;
  }
  set_add(set, me, probe->origin);
  cell->accessor = SK__STAMP_SET | (uintptr_t)set;
  cell->accessor_origin = 0;
}

typedef struct rival { uint64_t stamp; uint16_t origin; } rival;

/* Of the unordered ones with one call site the lowest actor speaks: many cores, one finding. */
void sk__gm_judge_set(sk__probe *probe, const sk__gm_cell *cell, uint64_t low, uint64_t high) {
  sk__gm_set *set = sk__gm_set_of(cell->accessor);
  rival rivals[16];
  uint32_t n = 0;
  for (uint32_t i = 0; i < set->capacity; i++) {
    uint64_t s = set->stamp[i];
    if (!sk__gm_is_rival(probe, s)) continue;
    uint16_t origin = sk__gm_set_origins(set)[i];
    uint32_t k = 0;
    while (k < n && (rivals[k].origin != origin || ((rivals[k].stamp ^ s) & SK__STAMP_ATOMIC) != 0)) k++;
    if (k == n && n < sizeof rivals / sizeof *rivals) rivals[n++] = (rival){s, origin};
    else if (k < n && sk__stamp_actor(s) < sk__stamp_actor(rivals[k].stamp)) rivals[k].stamp = s;
  }
  for (uint32_t k = 0; k < n; k++)
    sk__probe_trouble(probe, SK__TROUBLE_ORDER, rivals[k].stamp, rivals[k].origin, false, low, high);
}
