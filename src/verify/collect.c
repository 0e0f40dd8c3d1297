/* collect.c - findings of a mode's run, told apart by cause, into the result. */
#include <stdlib.h>
#include <string.h>

#include "verify/run.h"
#include "verify/verifier.h"

void sk__collect_finding(sk__verify_result *result, size_t mode, const sk__finding *finding, sk__streams streams) {
  sk__seen_finding *seen = NULL;
  for (size_t i = 0; i < result->finding_count && seen == NULL; i++)
    if (sk__same_cause(&result->findings[i].finding, finding)) seen = &result->findings[i];
  if (seen == NULL) {
    sk__seen_finding *items = realloc(result->findings, (result->finding_count + 1) * sizeof *items);
    if (items == NULL) return; /* the mode's count still tells */
    result->findings = items;
    seen = &items[result->finding_count++];
    memset(seen, 0, sizeof *seen);
    seen->finding = *finding;
    seen->streams = streams;
  } else {
    seen->finding.count += finding->count;
    if (finding->severity < seen->finding.severity) seen->finding.severity = finding->severity; /* worst first */
  }
  if (seen->streams == SK__STREAMS_UNKNOWN) seen->streams = streams;
  bool fused = result->modes[mode].mode.kind != SK__MODE_UNFUSED;
  seen->finding.in_fused |= fused;
  seen->finding.in_unfused |= !fused;
  if (mode < 256) seen->modes[mode / 64] |= UINT64_C(1) << (mode % 64);
}

/* The host has taken a result that depends on what nobody has written: the modes in which it was another differ. */
static void collect_undefined(sk__verifier *verifier, const sk__finding *finding) {
  for (size_t i = 0; i < verifier->result.mode_count; i++) {
    sk__mode_result *mode = &verifier->result.modes[i];
    const sk__doubt *d = &verifier->doubts[i];
    if (d->count == 0) continue;
    sk__collect_finding(&verifier->result, i, finding, SK__STREAMS_UNKNOWN);
    mode->findings++;
    if (mode->outcome >= SK__MISMATCH) continue;
    mode->outcome = SK__MISMATCH;
    mode->difference_count = d->count;
    memcpy(mode->differences, d->items, sizeof d->items);
  }
}

void sk__collect_findings(sk__verifier *verifier, size_t mode, const sk__plan *plan) {
  sk__checker *checker = sk__machine_checker(sk__runtime_machine(verifier->runtime));
  size_t count = 0;
  const sk__finding *findings = sk__findings(checker, &count);
  bool no_flush = verifier->result.modes[mode].mode.kind == SK__MODE_NO_FLUSH;
  for (size_t i = 0; i < count && !verifier->again; i++) {
    if (no_flush && strcmp(findings[i].id, "H15") == 0) continue; /* the mode left the flushes out, nobody else */
    if (strcmp(findings[i].id, "UNDEFINED_RESULT") == 0) {
      collect_undefined(verifier, &findings[i]);
      continue;
    }
    sk__streams streams = plan != NULL ? sk__streams_of(plan, &findings[i]) : SK__STREAMS_UNKNOWN;
    sk__collect_finding(&verifier->result, mode, &findings[i], streams);
    if (findings[i].severity == SK__ERROR) verifier->result.modes[mode].findings++;
  }
  sk__findings_clear(checker);
}
