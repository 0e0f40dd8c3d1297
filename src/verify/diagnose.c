/* diagnose.c - why a fused mode fails, told by running it otherwise: the option matrix on the smallest scope that
 * still fails. Findings are those of the mode itself; nothing found under a change is reported. */
#include "verify/diagnose.h"

#include <string.h>

#include "base/arena.h"

/* ---- operators ------------------------------------------------------------------------------- */

/* What the mode fuses, and among it what the ends of the finding name. */
static sk_status find_members(sk__inquiry *inquiry, const sk__finding *finding) {
  const sk__segment *segment = inquiry->segment;
  sk__trial trial = {.mode = inquiry->mode, .change = SK__CHANGE_NONE};
  sk__planned planned;
  sk_status status = sk__trial_plan(segment, &trial, NULL, &planned);
  if (status != SK_OK) {
    sk__planned_free(&planned);
    return status == SK_STATE ? SK_OK : status;
  }
  const sk__plan *plan = sk__planned_order(&planned);
  bool *is_named = sk__calloc(plan->graph->node_count + 1, sizeof *is_named);
  inquiry->all.items = sk__calloc(segment->count + 1, sizeof(uint32_t));
  inquiry->named.items = sk__calloc(segment->count + 1, sizeof(uint32_t));
  if (is_named == NULL || inquiry->all.items == NULL || inquiry->named.items == NULL) status = SK_OUT_OF_MEMORY;
  for (uint32_t i = 0; finding != NULL && status == SK_OK && i < finding->end_count; i++)
    for (size_t k = 0; k < plan->sk_count && finding->ends[i].task >= 0; k++) {
      size_t task = (size_t)finding->ends[i].task;
      if (task >= plan->sks[k].member_count) continue;
      const sk__node *node = &plan->graph->nodes[plan->sks[k].members[task].value];
      if (node->task->kind != SK__TASK_KERNEL || strcmp(node->task->kernel->name, finding->ends[i].kernel) != 0) continue;
      is_named[plan->sks[k].members[task].value] = true;
      break;
    }
  size_t at = 0;
  for (uint32_t i = 0; i < segment->count && status == SK_OK; i++) {
    bool fused = plan->decisions[at].fate == SK__FUSED || plan->decisions[at].fate == SK__LAUNCHES_SK;
    if (fused && segment->tasks[i]->kind == SK__TASK_KERNEL) {
      inquiry->all.items[inquiry->all.count++] = i;
      if (is_named[at]) inquiry->named.items[inquiry->named.count++] = i;
    }
    at += sk__nodes_of_task(segment->tasks[i]);
  }
  sk__free(is_named);
  sk__planned_free(&planned);
  return status;
}

/* The smallest scope: from the operators the finding names if those fail alone, else from all. */
static sk_status smallest_scope(sk__inquiry *inquiry, sk__members *members, bool *smallest) {
  const sk__members *from = &inquiry->all, *named = &inquiry->named;
  sk__effect effect = SK__EFFECT_UNCLEAR;
  sk_status status = SK_OK;
  if (named->count > 0 && named->count < from->count) status = sk__inquire(inquiry, named, SK__CHANGE_NONE, NULL, &effect);
  if (effect == SK__EFFECT_STAYS) from = named;
  else if (status == SK_OK) status = sk__inquire(inquiry, from, SK__CHANGE_NONE, NULL, &effect);
  if (status != SK_OK || effect != SK__EFFECT_STAYS) return status; /* it cannot be had again */
  members->items = sk__malloc(from->count * sizeof *members->items);
  if (members->items == NULL) return SK_OUT_OF_MEMORY;
  memcpy(members->items, from->items, from->count * sizeof *members->items);
  members->count = from->count;
  return status == SK_OK ? sk__shrink(inquiry, members, smallest) : status;
}

/* ---- one failure ----------------------------------------------------------------------------- */

void sk__diagnosis_free(sk__diagnosis *diagnosis) {
  if (diagnosis == NULL) return;
  sk__arena arena = *diagnosis->arena;
  sk__arena_free(&arena);
}

/* A finding that is called by its hazard needs no guess; results of one operator that differ alone in an SK, and for
 * which nothing helps, are what H29 is about. */
static const char *points_to(const sk__attempts *attempts, const sk__members *members, const sk__seen_finding *seen, sk__mode_kind kind) {
  if (seen != NULL) {
    sk__finding shown;
    sk__classified(seen, &shown);
    if (shown.id[0] == 'H' && shown.id[1] >= '0' && shown.id[1] <= '9') return "";
  }
  const char *hazards = sk__matrix_points_to(attempts);
  return hazards[0] == '\0' && members->count == 1 && seen == NULL && kind != SK__MODE_GE ? "H29" : hazards;
}

static sk_status write_down(const sk__inquiry *inquiry, const sk__members *scope, bool smallest, const sk__attempts *made,
                            const sk__seen_finding *seen, sk__diagnosis **out) {
  sk__arena arena = {0};
  sk__diagnosis *diagnosis = sk__arena_new(&arena, sk__diagnosis);
  sk__arena *kept = sk__arena_new(&arena, sk__arena);
  const char **members = sk__arena_array(&arena, const char *, scope->count);
  sk__attempt *attempts = sk__arena_array(&arena, sk__attempt, made->count + 1);
  bool ok = diagnosis != NULL && kept != NULL && members != NULL && attempts != NULL;
  for (size_t i = 0; ok && i < scope->count; i++) {
    members[i] = sk__arena_strdup(&arena, inquiry->segment->tasks[scope->items[i]]->kernel->name);
    ok = members[i] != NULL;
  }
  for (size_t i = 0; ok && i < made->count; i++) {
    attempts[i] = made->items[i];
    if (attempts[i].operator_name == NULL) continue;
    attempts[i].operator_name = sk__arena_strdup(&arena, attempts[i].operator_name);
    ok = attempts[i].operator_name != NULL;
  }
  if (!ok) {
    sk__arena_free(&arena);
    return SK_OUT_OF_MEMORY;
  }
  *diagnosis = (sk__diagnosis){.mode = inquiry->mode, .fused_count = (uint32_t)inquiry->all.count,
                               .member_count = (uint32_t)scope->count, .members = members, .smallest = smallest,
                               .attempt_count = (uint32_t)made->count, .attempts = attempts, .points_to = points_to(made, scope, seen, inquiry->mode.kind),
                               .runs = inquiry->runs + inquiry->shared_runs, .arena = kept};
  *kept = arena; /* the arena lives in its own first chunk */
  *out = diagnosis;
  return SK_OK;
}

/* seen: NULL when the symptom is no finding. No diagnosis when the mode fused nothing in this segment. */
static sk_status look_into(sk__inquiry *inquiry, const sk__seen_finding *seen, sk__diagnosis **out) {
  sk__members members = {NULL, 0};
  bool smallest = false;
  sk_status status = find_members(inquiry, seen != NULL ? &seen->finding : NULL);
  if (status == SK_OK && inquiry->all.count > 0) status = smallest_scope(inquiry, &members, &smallest);
  if (status == SK_OK && members.count > 0) {
    sk__attempts attempts = {0};
    status = sk__matrix_run(inquiry, &members, &attempts);
    if (status == SK_OK) status = write_down(inquiry, &members, smallest, &attempts, seen, out);
    sk__vec_free(&attempts);
  }
  sk__free(members.items);
  sk__free(inquiry->all.items);
  sk__free(inquiry->named.items);
  return status;
}

/* ---- a segment ------------------------------------------------------------------------------- */

static bool in_mode(const sk__seen_finding *seen, size_t mode) {
  return mode < 256 && (seen->modes[mode / 64] >> (mode % 64) & 1) != 0;
}

static bool is_fused_error(const sk__seen_finding *seen) {
  return seen->finding.severity == SK__ERROR && seen->finding.in_fused && !seen->finding.in_unfused;
}

static size_t first_mode(const sk__verify_result *result, const sk__seen_finding *seen) {
  size_t mode = 0;
  while (mode < result->mode_count && (!in_mode(seen, mode) || sk__mode_has_company(result->modes[mode].mode.kind))) mode++;
  return mode;
}

/* A failure of the mode itself that no error explains; of several schedules of a mode the first. */
static bool is_unexplained(const sk__verify_result *result, size_t mode, const sk__failures *failures) {
  const sk__mode_result *ended = &result->modes[mode];
  if (ended->mode.kind == SK__MODE_UNFUSED || sk__mode_has_company(ended->mode.kind) || ended->outcome <= SK__CLOSE || ended->outcome == failures->outcomes[mode]) return false;
  for (size_t i = 1; i <= mode; i++)
    if (result->modes[i].mode.kind == ended->mode.kind && result->modes[i].diagnosis != NULL) return false;
  for (size_t i = 0; i < result->finding_count; i++)
    if (result->findings[i].finding.severity == SK__ERROR && in_mode(&result->findings[i], mode)) return false;
  return true;
}

static void begin(sk__inquiry *inquiry, const sk__mode_result *mode, uint32_t all_runs) {
  uint32_t left = SK__DIAGNOSIS_ALL_RUNS - all_runs;
  inquiry->mode = mode->mode;
  inquiry->all = inquiry->named = (sk__members){NULL, 0};
  inquiry->number++;
  inquiry->runs = inquiry->shared_runs = 0;
  inquiry->exhausted = false;
  inquiry->limit = left < SK__DIAGNOSIS_RUNS ? left : SK__DIAGNOSIS_RUNS;
}

sk_status sk__diagnose(const sk__segment *segment, const sk__failures *failures, sk__verify_result *result, uint32_t *all_runs) {
  sk__memory memory = {.items = {NULL, 0, 0}};
  sk__reduced reduced;
  memset(&reduced, 0, sizeof reduced);
  sk__inquiry inquiry = {.segment = segment, .memory = &memory, .reduced = &reduced};
  sk_status status = SK_OK;
  for (size_t i = failures->first_finding; i < result->finding_count && status == SK_OK; i++) {
    sk__seen_finding *seen = &result->findings[i];
    size_t mode = first_mode(result, seen);
    if (!is_fused_error(seen) || mode == result->mode_count) continue;
    begin(&inquiry, &result->modes[mode], *all_runs);
    inquiry.symptom = (sk__symptom){.is_finding = true, .sign = sk__sign_of(&seen->finding)};
    status = look_into(&inquiry, seen, &seen->diagnosis);
    *all_runs += inquiry.runs;
  }
  for (size_t i = 1; i < result->mode_count && status == SK_OK; i++) {
    sk__mode_result *mode = &result->modes[i];
    if (!is_unexplained(result, i, failures)) continue;
    begin(&inquiry, mode, *all_runs);
    inquiry.symptom = (sk__symptom){.outcome = mode->outcome, .status = mode->status};
    status = look_into(&inquiry, NULL, &mode->diagnosis);
    *all_runs += inquiry.runs;
  }
  sk__reduced_free(&reduced);
  sk__memory_free(&memory);
  return status;
}
