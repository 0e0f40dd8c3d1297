/* gaps.c - what a snapshot does not know below its clocks.
 *
 * A clock says "all up to here". That holds while each launch on a core is ordered after the one before it. Streams without
 * an event between them take turns on the same cores: who then knows a later launch of one stream does not know an earlier
 * one of the other, although its clocks are smaller. Such stretches are gaps. They are rare, so snapshots share them, and a
 * snapshot without any has none to look at. Of more than MOST the oldest count as known: a race less is found, none is
 * invented; so it is when memory runs out. */
#include <string.h>

#include "check/checker.h"

enum { MOST = 64 }; /* per actor */

typedef struct gap { uint64_t low, high; } gap; /* clocks, both ends in it */

struct sk__gaps {
  _Atomic uint32_t references;
  uint32_t actors;
  uint32_t start[SK__MAX_ACTORS + 1]; /* where an actor's gaps begin */
  gap of[];                           /* of each actor ascending and apart */
};

sk__gaps *sk__gaps_ref(sk__gaps *gaps) {
  if (gaps != NULL) atomic_fetch_add_explicit(&gaps->references, 1, memory_order_relaxed);
  return gaps;
}

void sk__gaps_unref(sk__gaps *gaps) {
  if (gaps != NULL && atomic_fetch_sub_explicit(&gaps->references, 1, memory_order_acq_rel) == 1) sk__free(gaps);
}

bool sk__gaps_hold(const sk__gaps *gaps, uint32_t actor, uint64_t clock) {
  if (actor >= gaps->actors) return false;
  uint32_t low = gaps->start[actor], high = gaps->start[actor + 1];
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (gaps->of[middle].high < clock) low = middle + 1;
    else high = middle;
  }
  return low < gaps->start[actor + 1] && gaps->of[low].low <= clock;
}

uint64_t sk__gaps_first(const sk__gaps *gaps, uint32_t actor) {
  if (gaps == NULL || actor >= gaps->actors || gaps->start[actor] == gaps->start[actor + 1]) return UINT64_MAX;
  return gaps->of[gaps->start[actor]].low;
}

static uint32_t count_of(const sk__gaps *gaps, uint32_t actor) {
  return gaps == NULL ? 0 : gaps->start[actor + 1] - gaps->start[actor];
}

static uint64_t end_of(const sk__gaps *gaps, uint32_t actor) {
  return count_of(gaps, actor) == 0 ? 0 : gaps->of[gaps->start[actor + 1] - 1].high;
}

/* All that is not known up to `end`: the gaps, and what is beyond the clock. At most MOST + 1. */
static uint32_t unknown(const sk__gaps *gaps, uint64_t clock, uint32_t actor, uint64_t end, gap *into) {
  uint32_t n = 0, count = count_of(gaps, actor);
  gap rest = {clock + 1, end};
  for (uint32_t i = 0; i < count; i++) {
    gap one = gaps->of[gaps->start[actor] + i];
    if (one.high < clock) into[n++] = one;
    else if (one.low < rest.low) rest.low = one.low;
  }
  if (rest.low <= end) into[n++] = rest;
  return n;
}

/* What both lack. */
static uint32_t common(const gap *a, uint32_t m, const gap *b, uint32_t n, gap *into) {
  uint32_t count = 0;
  for (uint32_t i = 0, j = 0; i < m && j < n;) {
    gap g = {a[i].low > b[j].low ? a[i].low : b[j].low, a[i].high < b[j].high ? a[i].high : b[j].high};
    if (g.low <= g.high) into[count++] = g;
    if (a[i].high < b[j].high) i++;
    else j++;
  }
  return count;
}

/* Room for as many as both have, and one more per actor. */
static sk__gaps *gaps_new(const sk__gaps *a, const sk__gaps *b, uint32_t actors) {
  size_t room = (size_t)(a != NULL ? a->start[actors] : 0) + (b != NULL ? b->start[actors] : 0) + 2 * (size_t)actors;
  sk__gaps *gaps = sk__malloc(sizeof *gaps + room * sizeof(gap));
  if (gaps == NULL) return NULL;
  atomic_init(&gaps->references, 1);
  gaps->actors = actors;
  gaps->start[0] = 0;
  return gaps;
}

static void add(sk__gaps *gaps, uint32_t actor, const gap *of, uint32_t count) {
  uint32_t first = count > MOST ? count - MOST : 0, start = gaps->start[actor];
  memcpy(gaps->of + start, of + first, (count - first) * sizeof *of);
  gaps->start[actor + 1] = start + count - first;
}

static bool same(const sk__gaps *a, const sk__gaps *b) {
  size_t starts = (a->actors + 1) * sizeof *a->start;
  return b != NULL && memcmp(a->start, b->start, starts) == 0 && memcmp(a->of, b->of, a->start[a->actors] * sizeof *a->of) == 0;
}

sk__gaps *sk__gaps_joined(sk__gaps *a, const uint64_t *a_clocks, sk__gaps *b, const uint64_t *b_clocks, uint32_t actors) {
  if (a == NULL && b == NULL) return NULL;
  sk__gaps *gaps = gaps_new(a, b, actors);
  if (gaps == NULL) return NULL;
  for (uint32_t actor = 0; actor < actors; actor++) {
    uint64_t end = end_of(a, actor) > end_of(b, actor) ? end_of(a, actor) : end_of(b, actor);
    gap of_a[MOST + 1], of_b[MOST + 1], both[2 * MOST + 2];
    uint32_t m = end == 0 ? 0 : unknown(a, a_clocks[actor], actor, end, of_a);
    uint32_t n = m == 0 ? 0 : unknown(b, b_clocks[actor], actor, end, of_b);
    add(gaps, actor, both, common(of_a, m, of_b, n, both));
  }
  sk__gaps *known = same(gaps, a) ? a : same(gaps, b) ? b : NULL;
  if (gaps->start[actors] != 0 && known == NULL) return gaps;
  sk__gaps *result = gaps->start[actors] == 0 ? NULL : sk__gaps_ref(known);
  sk__gaps_unref(gaps);
  return result;
}

sk__gaps *sk__gaps_until(sk__gaps *gaps, const uint64_t *clocks, const uint64_t *core_clocks, uint32_t actors, uint32_t first, uint32_t end) {
  uint32_t core = first;
  for (; core < end; core++) { /* its latest launch is known if any pipe's end is */
    uint64_t latest = 0;
    for (uint32_t q = core * SK__PIPE_SLOTS; q < (core + 1) * SK__PIPE_SLOTS; q++)
      if (clocks[q] > latest) latest = clocks[q];
    if (latest < core_clocks[core]) break;
  }
  if (core == end) return sk__gaps_ref(gaps);
  sk__gaps *more = gaps_new(gaps, NULL, actors);
  if (more == NULL) return NULL;
  for (uint32_t actor = 0; actor < actors; actor++) {
    bool runs = actor / SK__PIPE_SLOTS >= first && actor / SK__PIPE_SLOTS < end;
    uint64_t ended = runs ? core_clocks[actor / SK__PIPE_SLOTS] : 0, until = end_of(gaps, actor) > ended ? end_of(gaps, actor) : ended;
    gap all[MOST + 1];
    add(more, actor, all, until == 0 ? 0 : unknown(gaps, clocks[actor], actor, until, all));
  }
  return more;
}
