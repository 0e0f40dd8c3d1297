/* scopes.c - which scopes are open at each node: one stack over all streams, in order of capture. */
#include <string.h>

#include "base/rng.h"
#include "fuse/planner.h"

enum { SET_WORDS = SK__MAX_SCOPE_NAMES / 64 };

typedef struct open_scope {
  uint32_t name;      /* index in scope_names; NAMELESS or TOO_MANY */
} open_scope;
#define NAMELESS UINT32_MAX
#define TOO_MANY (UINT32_MAX - 1)

typedef struct name_index {
  uint32_t *slots;    /* 1 + name index */
  size_t mask;
} name_index;

typedef struct stack {
  SK__VEC(open_scope) open;
  const char **texts; /* of the open markers, for matching ends: same length as open */
  size_t texts_capacity;
  uint32_t counts[SK__MAX_SCOPE_NAMES]; /* openings per name */
  uint32_t forbidding;  /* NAMELESS or TOO_MANY: of the scopes that forbid fusing, the one opened last; 0 none is open */
  uint64_t set[SET_WORDS];
  uint64_t hash;      /* of the set: one random word per member, added up bit by bit */
  uint32_t number;    /* of the set now */
  uint32_t *numbers;  /* hash table of the sets so far: 1 + number */
  size_t numbers_mask;
  bool stale;         /* the set changed since number was looked up */
} stack;

/* ---- names ----------------------------------------------------------------------------------- */

static size_t hash_text(const char *text) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (; *text != '\0'; text++) hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
  return (size_t)(hash ^ hash >> 29);
}

/* Slot of the name, or the free slot where it belongs. */
static uint32_t *name_slot(sk__planner *p, name_index *index, const char *name) {
  size_t at = hash_text(name) & index->mask;
  while (index->slots[at] != 0 && strcmp(p->scope_names[index->slots[at] - 1], name) != 0) at = (at + 1) & index->mask;
  return &index->slots[at];
}

/* Marks every marker beyond the limit: once 1024 names are registered, also later markers of known names
 * are lost. */
static bool *register_names(sk__planner *p, name_index *index) {
  bool *lost = sk__arena_array(&p->scratch, bool, p->graph->node_count);
  if (lost == NULL) return NULL;
  for (uint32_t stream = 0; stream < p->graph->stream_count; stream++)
    for (uint32_t i = 0; i < p->graph->stream_sizes[stream]; i++) {
      uint32_t at = p->graph->stream_nodes[stream][i];
      if (p->nodes[at].marker == SK__NO_MARKER || p->graph->nodes[at].scope == NULL) continue;
      const sk__node *node = &p->graph->nodes[at];
      if (p->scope_name_count == SK__MAX_SCOPE_NAMES) {
        lost[at] = true;
        continue;
      }
      uint32_t *slot = name_slot(p, index, node->scope);
      if (*slot != 0) continue;
      p->scope_names[p->scope_name_count++] = node->scope;
      *slot = (uint32_t)p->scope_name_count;
    }
  return lost;
}

/* ---- sets ------------------------------------------------------------------------------------ */

static void toggle(stack *s, uint32_t name) {
  uint64_t seed = name;
  s->set[name / 64] ^= UINT64_C(1) << (name % 64);
  s->hash ^= sk__splitmix64(&seed);
  s->stale = true;
}

static sk_status set_number(sk__planner *p, stack *s) {
  if (!s->stale) return SK_OK;
  s->stale = false;
  size_t at = s->hash & s->numbers_mask;
  for (; s->numbers[at] != 0; at = (at + 1) & s->numbers_mask)
    if (memcmp(p->flag_sets[s->numbers[at] - 1], s->set, sizeof s->set) == 0) {
      s->number = s->numbers[at] - 1;
      return SK_OK;
    }
  uint64_t *copy = sk__arena_copy(&p->scratch, s->set, sizeof s->set);
  if (copy == NULL) return SK_OUT_OF_MEMORY;
  s->number = (uint32_t)p->flag_set_count;
  p->flag_sets[p->flag_set_count++] = copy;
  s->numbers[at] = s->number + 1;
  return SK_OK;
}

static bool forbids(uint32_t name) { return name == NAMELESS || name == TOO_MANY; }

static sk_status push(sk__planner *p, stack *s, name_index *index, uint32_t at, bool lost) {
  const sk__node *node = &p->graph->nodes[at];
  uint32_t name = node->scope == NULL ? NAMELESS : lost ? TOO_MANY : *name_slot(p, index, node->scope) - 1;
  if (!sk__vec_push(&s->open, (open_scope){name})) return SK_OUT_OF_MEMORY;
  s->texts[s->open.count - 1] = node->scope;
  if (forbids(name)) s->forbidding = name;
  else if (s->counts[name]++ == 0) toggle(s, name);
  return SK_OK;
}

static bool same_name(const char *a, const char *b) {
  if (a == NULL || b == NULL) return a == b;
  return strcmp(a, b) == 0;
}

/* Removes the topmost scope of that name; false when none is open. */
static bool pop(stack *s, const char *text) {
  size_t i = s->open.count;
  while (i > 0 && !same_name(s->texts[i - 1], text)) i--;
  if (i == 0) return false;
  uint32_t name = s->open.items[--i].name;
  if (!forbids(name) && --s->counts[name] == 0) toggle(s, name);
  memmove(s->texts + i, s->texts + i + 1, (s->open.count - 1 - i) * sizeof *s->texts);
  sk__vec_remove(&s->open, i);
  if (!forbids(name)) return true;
  for (i = s->open.count; i > 0 && !forbids(s->open.items[i - 1].name);) i--;
  s->forbidding = i > 0 ? s->open.items[i - 1].name : 0;
  return true;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static sk__reason reason_of(const sk__planner *p, const stack *s) {
  if (s->open.count == 0) return p->scope_name_count > 0 ? SK__REASON_NOT_IN_SCOPE : SK__REASON_CAN_FUSE;
  if (s->forbidding == NAMELESS) return SK__REASON_IN_UNFUSIBLE_SCOPE;
  return s->forbidding == TOO_MANY ? SK__REASON_EXCEED_SCOPE_MAX : SK__REASON_CAN_FUSE;
}

static void judge(sk__planner *p, const stack *s, uint32_t at, bool lost) {
  sk__pnode *node = &p->nodes[at];
  sk__reason reason = reason_of(p, s);
  node->flags = s->number;
  if (sk__is_marker(p, at)) { /* stays fusible, whatever its reason */
    if (lost) node->reason = SK__REASON_EXCEED_SCOPE_MAX;
    if (reason == SK__REASON_NOT_IN_SCOPE && p->nodes[at].marker != SK__MARK_END) node->reason = reason;
    return;
  }
  if (reason == SK__REASON_CAN_FUSE) return;
  node->fusible = false;
  node->scope_verdict = true;
  node->reason = reason;
  node->sub = SK__NO_SUB;
}

static sk_status visit(sk__planner *p, stack *s, name_index *index, uint32_t at, bool lost) {
  sk__marker marker = p->nodes[at].marker;
  if (marker != SK__NO_MARKER) p->markers.items[p->markers.count++] = at;
  if (marker == SK__MARK_BEGIN) {
    sk_status status = push(p, s, index, at, lost);
    if (status != SK_OK) return status;
  }
  sk_status status = set_number(p, s);
  if (status != SK_OK) return status;
  judge(p, s, at, lost);
  if (marker != SK__MARK_END) return SK_OK;
  const sk__node *node = &p->graph->nodes[at];
  if (!pop(s, node->scope) && !p->options->emulate_vendor_defects)
    return sk__plan_refuse(p, "scope end '%s' (node %llu) has no open begin", node->scope != NULL ? node->scope : "None",
                           (unsigned long long)node->id);
  return SK_OK;
}

sk_status sk__mark_scopes(sk__planner *p) {
  size_t markers = 0;
  for (size_t i = 0; i < p->graph->node_count; i++)
    markers += p->nodes[i].marker != SK__NO_MARKER;
  name_index index = {NULL, 15};
  while (index.mask < 2 * markers) index.mask = index.mask * 2 + 1;
  index.slots = sk__arena_array(&p->scratch, uint32_t, index.mask + 1);
  p->scope_names = sk__arena_array(&p->scratch, const char *, markers < SK__MAX_SCOPE_NAMES ? markers : SK__MAX_SCOPE_NAMES);
  p->flag_sets = sk__arena_array(&p->scratch, uint64_t *, markers + 1);
  p->markers.items = sk__arena_array(&p->scratch, uint32_t, markers);
  stack *s = sk__arena_new(&p->scratch, stack);
  if (index.slots == NULL || p->scope_names == NULL || p->flag_sets == NULL || p->markers.items == NULL || s == NULL) return SK_OUT_OF_MEMORY;
  s->texts = sk__arena_array(&p->scratch, const char *, markers + 1);
  s->numbers = sk__arena_array(&p->scratch, uint32_t, index.mask + 1);
  s->numbers_mask = index.mask;
  const bool *lost = register_names(p, &index);
  if (s->texts == NULL || s->numbers == NULL || lost == NULL) return SK_OUT_OF_MEMORY;
  s->stale = true;
  sk_status status = set_number(p, s); /* the empty set is number 0 */
  for (size_t i = 0; i < p->graph->node_count && status == SK_OK; i++) status = visit(p, s, &index, (uint32_t)i, lost[i]);
  if (status == SK_OK && s->open.count > 0 && !p->options->emulate_vendor_defects)
    status = sk__plan_refuse(p, "scope '%s' is begun and never ended",
                             s->texts[s->open.count - 1] != NULL ? s->texts[s->open.count - 1] : "None");
  sk__vec_free(&s->open);
  return status;
}
