/* inquire.c - trials for one failure after another: each is run once, and asked again by the next failure. */
#include <string.h>

#include "verify/diagnose.h"

void sk__memory_free(sk__memory *memory) {
  for (size_t i = 0; i < memory->items.count; i++) {
    sk__free(memory->items.items[i].trial.members.items);
    sk__trial_result_free(&memory->items.items[i].result);
  }
  sk__vec_free(&memory->items);
}

static bool same_schedule(sk__schedule a, sk__schedule b) { return a.kind == b.kind && a.seed == b.seed; }

static bool same_trial(const sk__trial *a, const sk__trial *b) {
  if (a->change != b->change || a->mode.kind != b->mode.kind || !same_schedule(a->mode.schedule, b->mode.schedule)) return false;
  if (a->operator_name != b->operator_name) return false; /* names are the kernels' own */
  return a->members.count == b->members.count &&
         memcmp(a->members.items, b->members.items, a->members.count * sizeof *a->members.items) == 0;
}

static sk_status run_trial(sk__inquiry *inquiry, const sk__trial *trial, const sk__remembered **out) {
  for (size_t i = 0; i < inquiry->memory->items.count; i++) {
    sk__remembered *known = &inquiry->memory->items.items[i];
    if (!same_trial(&known->trial, trial)) continue;
    if (known->latest != inquiry->number) inquiry->shared_runs += known->runs;
    known->latest = inquiry->number;
    *out = known;
    return SK_OK;
  }
  sk__remembered fresh = {.trial = *trial, .latest = inquiry->number};
  fresh.trial.members.items = sk__malloc(trial->members.count * sizeof *trial->members.items);
  if (fresh.trial.members.items == NULL) return SK_OUT_OF_MEMORY;
  memcpy(fresh.trial.members.items, trial->members.items, trial->members.count * sizeof *trial->members.items);
  sk_status status = sk__trial_run(inquiry->segment, trial, inquiry->reduced, &fresh.result, &fresh.runs);
  inquiry->runs += fresh.runs;
  fresh.ran = status == SK_OK;
  if (status == SK_STATE) status = SK_OK;
  if (status == SK_OK && !sk__vec_push(&inquiry->memory->items, fresh)) status = SK_OUT_OF_MEMORY;
  if (status != SK_OK) {
    sk__free(fresh.trial.members.items);
    sk__trial_result_free(&fresh.result);
    return status;
  }
  *out = &inquiry->memory->items.items[inquiry->memory->items.count - 1];
  return SK_OK;
}

static bool shows(const sk__symptom *symptom, const sk__trial_result *result) {
  if (!symptom->is_finding)
    return result->outcome == symptom->outcome && (symptom->outcome != SK__FAILED || result->status == symptom->status);
  for (size_t i = 0; i < result->signs.count; i++)
    if (sk__same_sign(&symptom->sign, &result->signs.items[i])) return true;
  return false;
}

sk_status sk__inquire(sk__inquiry *inquiry, const sk__members *members, sk__change change, const char *operator_name, sk__effect *effect) {
  sk__trial trial = {.mode = inquiry->mode, .change = change, .operator_name = operator_name, .members = *members, .all = &inquiry->all};
  const sk__remembered *seen = NULL;
  *effect = SK__EFFECT_UNCLEAR;
  inquiry->exhausted |= inquiry->runs + 2 > inquiry->limit; /* a trial may take two */
  if (inquiry->exhausted) return SK_OK;
  sk_status status = run_trial(inquiry, &trial, &seen);
  if (status != SK_OK || !seen->ran) return status;
  sk__outcome outcome = seen->result.outcome;
  if (shows(&inquiry->symptom, &seen->result)) *effect = SK__EFFECT_STAYS;
  else if (outcome != SK__FAILED && outcome != SK__NOTHING_FUSED) *effect = SK__EFFECT_GOES_AWAY;
  return SK_OK;
}
