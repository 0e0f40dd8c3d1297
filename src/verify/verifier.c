/* verifier.c - the verifier's life and settings. */
#include <stdlib.h>

#include "verify/diagnose.h"
#include "verify/verifier.h"

void sk__verifier_attach(sk__verifier *verifier) { sk__runtime_set_hook(verifier->runtime, verifier->hook, verifier); }

static sk_status create(sk__runtime *runtime, sk__mode *modes, size_t count, bool twin, sk__verifier **out) {
  sk__verifier *verifier = calloc(1, sizeof *verifier);
  sk__mode_result *results = calloc(count, sizeof *results);
  json_t *plans = json_array();
  sk__doubt *doubts = calloc(count, sizeof *doubts);
  sk__left **left = calloc(2 * count, sizeof(sk__left *));
  if (verifier == NULL || results == NULL || plans == NULL || doubts == NULL || left == NULL) {
    free(verifier);
    free((void *)left);
    free(results);
    free(doubts);
    json_decref(plans);
    return SK_OUT_OF_MEMORY;
  }
  verifier->runtime = runtime;
  verifier->doubts = doubts;
  verifier->left = left;
  verifier->leaving = left + count;
  verifier->mode_list = modes;
  verifier->plain = *sk__machine_options_of(sk__runtime_machine(runtime));
  verifier->result.mode_count = count;
  verifier->result.modes = results;
  verifier->result.plans = plans;
  for (size_t i = 0; i < count; i++) {
    results[i].mode = modes[i];
    results[i].outcome = i == 0                               ? SK__REFERENCE
                         : modes[i].kind == SK__MODE_UNFUSED ? SK__SAME
                                                             : SK__NOTHING_FUSED;
  }
  verifier->hook = twin ? sk__verify_segment : sk__record_segment;
  sk__verifier_attach(verifier);
  *out = verifier;
  return SK_OK;
}

sk_status sk__verifier_create(sk__runtime *runtime, sk__mode *modes, size_t mode_count, sk__verifier **out) {
  return create(runtime, modes, mode_count, true, out);
}

sk_status sk__recorder_create(sk__runtime *runtime, sk__verifier **out) {
  sk__mode *mode = calloc(1, sizeof *mode);
  if (mode == NULL) return SK_OUT_OF_MEMORY;
  mode->schedule = sk__machine_options_of(sk__runtime_machine(runtime))->schedule;
  return create(runtime, mode, 1, false, out);
}

void sk__verifier_set_progress(sk__verifier *verifier, sk__progress_fn progress, void *context) {
  verifier->progress = progress;
  verifier->progress_context = context;
}

void sk__verifier_set_ge_options(sk__verifier *verifier, const char *options) { verifier->ge_options = options; }

void sk__verifier_set_emulate(sk__verifier *verifier, bool emulate_vendor_defects) { verifier->emulate = emulate_vendor_defects; }

void sk__verifier_set_diagnose(sk__verifier *verifier, bool diagnose) { verifier->diagnose = diagnose; }

void sk__verifier_set_scoped(sk__verifier *verifier, bool scoped) { verifier->scoped = scoped; }

sk_status sk__verifier_keep_timelines(sk__verifier *verifier) {
  verifier->tracker = sk__tracker_new(sk__machine_soc(sk__runtime_machine(verifier->runtime))->costs.launch_cycles);
  return verifier->tracker != NULL ? SK_OK : SK_OUT_OF_MEMORY;
}

const sk__timeline *sk__verifier_timeline(const sk__verifier *verifier, sk__timeline_kind kind) {
  return verifier->tracker != NULL ? sk__tracker_timeline(verifier->tracker, kind) : NULL;
}

void sk__verifier_set_observer(sk__verifier *verifier, sk__observer_fn observer, void *context) {
  verifier->observer = observer;
  verifier->observer_context = context;
}

void sk__verifier_collect(sk__verifier *verifier) { sk__collect_findings(verifier, 0, NULL); }

const sk__verify_result *sk__verifier_result(sk__verifier *verifier) { return &verifier->result; }

void sk__verifier_destroy(sk__verifier *verifier) {
  if (verifier == NULL) return;
  sk__runtime_set_hook(verifier->runtime, NULL, NULL);
  sk__tracker_free(verifier->tracker);
  json_decref(verifier->result.plans);
  json_decref(verifier->last_plan);
  sk__task_costs_free(&verifier->costs);
  for (size_t i = 0; i < verifier->result.mode_count; i++) sk__diagnosis_free(verifier->result.modes[i].diagnosis);
  for (size_t i = 0; i < verifier->result.finding_count; i++) sk__diagnosis_free(verifier->result.findings[i].diagnosis);
  free(verifier->result.modes);
  free(verifier->result.findings);
  free(verifier->mode_list);
  free(verifier->judged.items);
  free(verifier->doubts);
  sk__inherited_free(&verifier->inherited);
  for (size_t i = 0; i < 2 * verifier->result.mode_count; i++) sk__left_free(verifier->left[i]);
  free((void *)verifier->left);
  free(verifier);
}
