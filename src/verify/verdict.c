/* verdict.c - from results to one word and one exit code. */
#include "verify/verify.h"

const char *sk__outcome_name(sk__outcome outcome) {
  switch (outcome) {
    case SK__REFERENCE: return "reference";
    case SK__NOTHING_FUSED: return "nothing-fused";
    case SK__SAME: return "identical";
    case SK__CLOSE: return "within-tolerance";
    case SK__MISMATCH: return "different";
    case SK__FAILED: return "failed";
  }
  return "unknown";
}

const char *sk__verdict_name(sk__verdict verdict) {
  static const char *const names[] = {
#define X(name, text, exit_code) text,
      SK__VERDICT_LIST(X)
#undef X
  };
  return names[verdict];
}

int sk__verdict_exit_code(sk__verdict verdict) {
  static const int codes[] = {
#define X(name, text, exit_code) exit_code,
      SK__VERDICT_LIST(X)
#undef X
  };
  return codes[verdict];
}

sk__verdict sk__verdict_of(const sk__verify_result *result) {
  if (result->status != SK_OK) return result->status == SK_NOT_MODELLED ? SK__VERDICT_NOT_MODELLED : SK__VERDICT_ERROR;
  sk__verdict verdict = result->segments == 0 && result->mode_count > 1 ? SK__VERDICT_NOTHING : SK__VERDICT_CLEAN;
  for (size_t i = 0; i < result->mode_count; i++) {
    const sk__mode_result *mode = &result->modes[i];
    if (mode->status == SK_INTERNAL || mode->status == SK_OUT_OF_MEMORY) return SK__VERDICT_ERROR;
    if (mode->status == SK_NOT_MODELLED && verdict < SK__VERDICT_NOT_MODELLED) verdict = SK__VERDICT_NOT_MODELLED;
    if (mode->outcome == SK__MISMATCH && verdict < SK__VERDICT_MISMATCH) verdict = SK__VERDICT_MISMATCH;
    if (mode->outcome == SK__FAILED && verdict < SK__VERDICT_FINDINGS) verdict = SK__VERDICT_FINDINGS;
  }
  for (size_t i = 0; i < result->finding_count; i++) {
    const sk__finding *finding = &result->findings[i].finding;
    if (finding->category == SK__CAT_INTERNAL) return SK__VERDICT_ERROR;
    if (finding->category == SK__CAT_NOT_MODELLED) verdict = SK__VERDICT_NOT_MODELLED;
    else if (finding->severity == SK__ERROR && verdict < SK__VERDICT_FINDINGS) verdict = SK__VERDICT_FINDINGS;
  }
  return verdict;
}
