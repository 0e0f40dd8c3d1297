/* matrix.c - the option matrix: what makes the failure of the smallest scope go away. */
#include <string.h>

#include "verify/diagnose.h"

enum { MOST_NAMES = 4 }; /* operators that changes are tried at one by one */

/* ---- names ----------------------------------------------------------------------------------- */

static const char *const keys[] = {
#define X(name, key, words, hazards) key,
    SK__CHANGE_LIST(X)
#undef X
};
static const char *const words[] = {
#define X(name, key, text, hazards) text,
    SK__CHANGE_LIST(X)
#undef X
};
static const char *const hazards[] = {
#define X(name, key, text, ids) ids,
    SK__CHANGE_LIST(X)
#undef X
};
const char *sk__change_key(sk__change change) { return keys[change]; }
const char *sk__change_words(sk__change change) { return words[change]; }
const char *sk__change_hazards(sk__change change) { return hazards[change]; }

const char *sk__effect_name(sk__effect effect) {
  static const char *const names[] = {
#define X(name, text) text,
      SK__EFFECT_LIST(X)
#undef X
  };
  return names[effect];
}

/* ---- changes --------------------------------------------------------------------------------- */

typedef struct matrix {
  sk__inquiry *inquiry;
  const sk__members *members;
  const char *names[MOST_NAMES]; /* of the members, each once */
  size_t name_count;             /* beyond MOST_NAMES: there are more */
  sk__attempts *attempts;
} matrix;

static void note_names(matrix *m) {
  const sk__segment *segment = m->inquiry->segment;
  for (size_t i = 0; i < m->members->count; i++) {
    const sk__task *task = segment->tasks[m->members->items[i]];
    bool known = false;
    for (size_t k = 0; k < m->name_count && k < MOST_NAMES; k++) known |= strcmp(m->names[k], task->kernel->name) == 0;
    if (!known && m->name_count < MOST_NAMES) m->names[m->name_count] = task->kernel->name;
    m->name_count += !known;
  }
}

static sk_status attempt(matrix *m, sk__change change, const char *name, bool keep, sk__effect *effect) {
  sk_status status = sk__inquire(m->inquiry, m->members, change, name, effect);
  if (status != SK_OK || m->inquiry->exhausted || !keep) return status;
  return sk__vec_push(m->attempts, ((sk__attempt){change, name, *effect})) ? SK_OK : SK_OUT_OF_MEMORY;
}

/* At every operator, and if that helps, at one after the other. What one operator does is told; all of them only
 * when no one does it alone. */
static sk_status attempt_at_operators(matrix *m, sk__change everywhere, sk__change first, sk__change last) {
  sk__effect effect = SK__EFFECT_UNCLEAR;
  sk_status status = attempt(m, everywhere, NULL, true, &effect);
  if (status != SK_OK || effect != SK__EFFECT_GOES_AWAY || m->name_count > MOST_NAMES) return status;
  size_t row = m->attempts->count - 1;
  bool one_helps = false;
  for (size_t i = 0; i < m->name_count && status == SK_OK; i++)
    for (sk__change change = first; change <= last && status == SK_OK; change++) {
      status = attempt(m, change, m->names[i], true, &effect);
      one_helps |= effect == SK__EFFECT_GOES_AWAY;
    }
  if (one_helps) sk__vec_remove(m->attempts, row);
  return status;
}

static bool streams_differ(const sk__segment *segment, const sk__members *members) {
  for (size_t i = 1; i < members->count; i++)
    if (segment->tasks[members->items[i]]->stream != segment->tasks[members->items[0]]->stream) return true;
  return false;
}

/* The two ends of a finding may stand on two streams though one of them suffices for the scope: then it is their scope
 * whose streams become one. */
static sk_status try_one_stream(matrix *m) {
  const sk__segment *segment = m->inquiry->segment;
  const sk__members *smallest = m->members;
  sk__effect effect = SK__EFFECT_STAYS;
  sk_status status = SK_OK;
  if (!streams_differ(segment, smallest)) {
    if (!streams_differ(segment, &m->inquiry->named)) return SK_OK;
    m->members = &m->inquiry->named;
    status = attempt(m, SK__CHANGE_NONE, NULL, false, &effect);
  }
  if (status == SK_OK && effect == SK__EFFECT_STAYS) status = attempt(m, SK__CHANGE_ONE_STREAM, NULL, true, &effect);
  m->members = smallest;
  return status;
}

/* Graph mode's own options of that kind. */
static sk_status try_ge_changes(matrix *m) {
  sk__effect effect;
  sk_status status = attempt(m, SK__CHANGE_DCCI_ALL, NULL, true, &effect);
  if (status == SK_OK) status = attempt(m, SK__CHANGE_EARLY_START_OFF, NULL, true, &effect);
  if (status == SK_OK) status = try_one_stream(m);
  if (status == SK_OK) status = attempt(m, SK__CHANGE_SYNC_ALL, NULL, true, &effect);
  return status;
}

static sk_status try_changes(matrix *m) {
  sk__mode_kind kind = m->inquiry->mode.kind;
  if (kind == SK__MODE_GE) return try_ge_changes(m);
  bool all_cores = kind == SK__MODE_PER_OP || kind == SK__MODE_FULL_CORES;
  sk__effect effect;
  sk_status status = attempt_at_operators(m, SK__CHANGE_DCCI_EVERYWHERE, SK__CHANGE_DCCI_BEFORE, SK__CHANGE_DCCI_AFTER);
  if (status == SK_OK && kind == SK__MODE_EARLY_START) status = attempt(m, SK__CHANGE_EARLY_START_OFF, NULL, true, &effect);
  if (status == SK_OK && all_cores) status = attempt(m, SK__CHANGE_OWN_CORES, NULL, true, &effect);
  if (status == SK_OK) status = try_one_stream(m);
  if (status == SK_OK) status = attempt_at_operators(m, SK__CHANGE_BARRIER_EVERYWHERE, SK__CHANGE_BARRIER_AFTER, SK__CHANGE_BARRIER_AFTER);
  if (status == SK_OK) status = attempt(m, SK__CHANGE_SYNC_ALL, NULL, true, &effect);
  bool several = m->members->count > 1 && kind != SK__MODE_PER_OP;
  if (status == SK_OK && several) status = attempt(m, SK__CHANGE_ALONE, NULL, true, &effect);
  if (status == SK_OK && several) status = attempt(m, SK__CHANGE_SINGLE_OPERATORS, NULL, true, &effect);
  return status;
}

sk_status sk__matrix_run(sk__inquiry *inquiry, const sk__members *members, sk__attempts *out) {
  matrix m = {.inquiry = inquiry, .members = members, .attempts = out};
  note_names(&m);
  return try_changes(&m);
}

/* What fails alone on all cores hangs on them. */
const char *sk__matrix_points_to(const sk__attempts *attempts) {
  sk__change best = SK__CHANGE_NONE;
  for (size_t i = 0; i < attempts->count; i++) {
    const sk__attempt *made = &attempts->items[i];
    bool tells = made->effect == (made->change == SK__CHANGE_ALONE ? SK__EFFECT_STAYS : SK__EFFECT_GOES_AWAY);
    if (tells && made->change < best) best = made->change;
  }
  return best != SK__CHANGE_NONE ? hazards[best] : "";
}
