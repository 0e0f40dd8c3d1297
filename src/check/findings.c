/* findings.c - what was found: one entry per cause, in an order that does not depend on luck.
 *
 * A cause is an id with the kernels and places of its first two ends, in either order. While kernels run an
 * entry is kept per pair of call sites, which are told apart at no cost; entries of one cause are joined when
 * they are read. Of all occurrences of a cause the first in canonical order (launch, task, block, address) is
 * kept, so the schedule and the number of host threads do not show. All of it under the checker's lock. */
#include <stdio.h>
#include <stdlib.h>

#include <xxhash.h>

#include "base/text.h"
#include "check/checker.h"

#define END_LIMIT (sizeof((sk__finding *)0)->ends / sizeof(sk__end))

struct sk__findings_store {
  SK__VEC(sk__finding *) all;   /* in order of arrival */
  uint32_t *slots;              /* open addressing over the cause: index + 1 */
  size_t slot_count;
  sk__finding *sorted;          /* what sk__findings last returned */
  uint64_t reports;             /* ever */
};

struct sk__findings_store *sk__findings_new(void) { return sk__calloc(1, sizeof(struct sk__findings_store)); }

static void empty(struct sk__findings_store *store) {
  for (size_t i = 0; i < store->all.count; i++) sk__free(store->all.items[i]);
  sk__vec_free(&store->all);
  sk__free(store->slots);
  sk__free(store->sorted);
  *store = (struct sk__findings_store){.reports = store->reports};
}

void sk__findings_delete(struct sk__findings_store *store) {
  if (store == NULL) return;
  empty(store);
  sk__free(store);
}

/* ---- causes ---------------------------------------------------------------------------------- */

/* Where the first two ends are: sites while kernels run, places when findings are read. An end that is not there counts
 * as unknown. */
typedef struct cause {
  const char *id, *kernels[2];
  const void *where[2];
} cause;

static cause cause_of(const sk__finding *f) {
  return (cause){f->id, {f->ends[0].kernel, f->ends[1].kernel}, {f->ends[0].site, f->ends[1].site}};
}

static cause told_cause_of(const sk__finding *f) {
  cause c = cause_of(f);
  for (int i = 0; i < 2; i++) c.where[i] = sk__site_place(c.where[i]);
  return c;
}

static bool same_place(const cause *a, int i, const cause *b, int j) {
  return a->where[i] == b->where[j] && strcmp(a->kernels[i], b->kernels[j]) == 0;
}

static bool same_cause(const cause *a, const cause *b) {
  if (strcmp(a->id, b->id) != 0) return false;
  if (same_place(a, 0, b, 0) && same_place(a, 1, b, 1)) return true;
  return same_place(a, 0, b, 1) && same_place(a, 1, b, 0);
}

static uint64_t hash_cause(const cause *c) { /* symmetric in the ends */
  uint64_t hash = XXH3_64bits(c->id, strlen(c->id));
  for (int i = 0; i < 2; i++) hash += XXH3_64bits_withSeed(c->kernels[i], strlen(c->kernels[i]), (uint64_t)c->where[i]);
  return hash;
}

static int compare_numbers(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int compare_ends(const sk__end *a, const sk__end *b) {
  int c = compare_numbers(a->launch, b->launch);
  if (c == 0) c = compare_numbers(a->task, b->task);
  if (c == 0) c = compare_numbers(a->block, b->block);
  if (c == 0) c = compare_numbers(a->sub_block, b->sub_block);
  if (c == 0) c = (a->address > b->address) - (a->address < b->address);
  if (c == 0) c = compare_numbers(a->core, b->core);
  if (c == 0) c = compare_numbers(a->pipe, b->pipe);
  return c;
}

/* Which of two occurrences of one cause is kept. */
static int compare_occurrences(const sk__finding *a, const sk__finding *b) {
  int c = compare_ends(&a->ends[0], &b->ends[0]);
  if (c == 0) c = compare_ends(&a->ends[1], &b->ends[1]);
  if (c == 0) c = strcmp(a->message, b->message);
  return c;
}

/* ---- reporting ------------------------------------------------------------------------------- */

static bool grow_slots(struct sk__findings_store *store) {
  size_t count = store->slot_count == 0 ? 64 : store->slot_count * 2;
  uint32_t *slots = sk__calloc(count, sizeof *slots);
  if (slots == NULL) return false;
  for (size_t k = 0; k < store->all.count; k++) {
    cause there = cause_of(store->all.items[k]);
    size_t i = hash_cause(&there) & (count - 1);
    while (slots[i] != 0) i = (i + 1) & (count - 1);
    slots[i] = (uint32_t)k + 1;
  }
  sk__free(store->slots);
  store->slots = slots;
  store->slot_count = count;
  return true;
}

static void merge(sk__finding *kept, const sk__finding *incoming) {
  uint64_t count = kept->count + (incoming->count == 0 ? 1 : incoming->count);
  bool in_unfused = kept->in_unfused || incoming->in_unfused, in_fused = kept->in_fused || incoming->in_fused;
  if (compare_occurrences(incoming, kept) < 0) *kept = *incoming;
  kept->count = count;
  kept->in_unfused = in_unfused;
  kept->in_fused = in_fused;
}

static void store_finding(struct sk__findings_store *store, const sk__finding *finding) {
  if ((store->all.count + 1) * 2 > store->slot_count && !grow_slots(store)) return;
  cause mine = cause_of(finding);
  size_t i = hash_cause(&mine) & (store->slot_count - 1);
  for (; store->slots[i] != 0; i = (i + 1) & (store->slot_count - 1)) {
    sk__finding *there = store->all.items[store->slots[i] - 1];
    cause its = cause_of(there);
    if (!same_cause(&its, &mine)) continue;
    merge(there, finding);
    return;
  }
  sk__finding *copy = sk__malloc(sizeof *copy);
  if (copy == NULL || !sk__vec_push(&store->all, copy)) {
    sk__free(copy);
    return;
  }
  *copy = *finding;
  if (copy->count == 0) copy->count = 1;
  store->slots[i] = (uint32_t)store->all.count;
}

/* Ends that the reporter left out compare equal and are all zero. */
static void clear_unused_ends(sk__finding *f) {
  if (f->end_count > END_LIMIT) f->end_count = END_LIMIT;
  if (f->end_count < END_LIMIT) memset(&f->ends[f->end_count], 0, (END_LIMIT - f->end_count) * sizeof f->ends[0]);
}

SK__COLD void sk__report(sk__checker *checker, const sk__finding *finding) {
  sk__finding f = *finding;
  clear_unused_ends(&f);
  pthread_mutex_lock(&checker->lock);
  checker->findings->reports++;
  store_finding(checker->findings, &f);
  pthread_mutex_unlock(&checker->lock);
}

SK__COLD void sk__finding_add_waiter(sk__finding *finding, const sk__end *end) {
  if (finding->end_count < END_LIMIT) {
    finding->ends[finding->end_count++] = *end;
    return;
  }
  /* The last end's words count those that found no room. */
  sk__end *last = &finding->ends[END_LIMIT - 1];
  char *mark = strstr(last->detail, " (and ");
  unsigned long more = mark != NULL ? strtoul(mark + strlen(" (and "), NULL, 10) : 0;
  if (mark != NULL) *mark = '\0';
  size_t length = strlen(last->detail);
  if (length > sizeof last->detail - 32) length = sizeof last->detail - 32;
  snprintf(last->detail + length, sizeof last->detail - length, " (and %lu more)", more + 1);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Sites are compared as text: addresses differ from one process to the next. */
static int compare_sites(const void *a, const void *b) {
  char left[512], right[512];
  if (a == b) return 0;
  if (a == NULL || b == NULL) return a == NULL ? -1 : 1;
  sk__site_text(a, left, sizeof left);
  sk__site_text(b, right, sizeof right);
  return strcmp(left, right);
}

static int compare_canonical(const void *left, const void *right) {
  const sk__finding *a = left, *b = right;
  int c = strcmp(a->id, b->id);
  if (c == 0) c = strcmp(a->message, b->message);
  for (int i = 0; c == 0 && i < 2; i++) c = compare_sites(a->ends[i].site, b->ends[i].site);
  if (c == 0) c = compare_occurrences(a, b);
  return c;
}

/* Entries of one cause become one. As many slots as while they came, so there is room. */
static size_t join_causes(const struct sk__findings_store *store, sk__finding *out, cause *causes, uint32_t *slots) {
  size_t count = 0;
  for (size_t k = 0; k < store->all.count; k++) {
    cause mine = told_cause_of(store->all.items[k]);
    size_t i = hash_cause(&mine) & (store->slot_count - 1);
    while (slots[i] != 0 && !same_cause(&causes[slots[i] - 1], &mine)) i = (i + 1) & (store->slot_count - 1);
    if (slots[i] != 0) {
      merge(&out[slots[i] - 1], store->all.items[k]);
      continue;
    }
    out[count] = *store->all.items[k];
    causes[count++] = mine;
    slots[i] = (uint32_t)count;
  }
  return count;
}

const sk__finding *sk__findings(sk__checker *checker, size_t *count) {
  pthread_mutex_lock(&checker->lock);
  struct sk__findings_store *store = checker->findings;
  sk__free(store->sorted);
  store->sorted = store->all.count == 0 ? NULL : sk__malloc(store->all.count * sizeof *store->sorted);
  cause *causes = store->sorted == NULL ? NULL : sk__malloc(store->all.count * sizeof *causes);
  uint32_t *slots = causes == NULL ? NULL : sk__calloc(store->slot_count, sizeof *slots);
  *count = slots == NULL ? 0 : join_causes(store, store->sorted, causes, slots);
  sk__free(causes);
  sk__free(slots);
  if (*count > 1) qsort(store->sorted, *count, sizeof *store->sorted, compare_canonical);
  pthread_mutex_unlock(&checker->lock);
  return store->sorted;
}

void sk__findings_clear(sk__checker *checker) {
  pthread_mutex_lock(&checker->lock);
  empty(checker->findings);
  pthread_mutex_unlock(&checker->lock);
  if (atomic_load_explicit(&checker->lost, memory_order_relaxed)) sk__history_lost(checker); /* still true */
}

uint64_t sk__reports(sk__checker *checker) {
  pthread_mutex_lock(&checker->lock);
  uint64_t reports = checker->findings->reports;
  pthread_mutex_unlock(&checker->lock);
  return reports;
}
