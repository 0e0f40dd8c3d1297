/* early.c - the early-start calls of a sub-kernel: how often each core makes them, and what lies before and
 * behind them. */
#include <stdio.h>

#include "base/text.h"
#include "machine/internal.h"

/* Bits of the configuration word that make the calls act, by core type. */
static const uint32_t set_bits[] = {[SK__AIC] = 1u, [SK__AIV] = 16u};
static const uint32_t wait_bits[] = {[SK__AIC] = 2u, [SK__AIV] = 32u};

void sk__early_call(sk__core *core, bool is_wait) {
  if (!sk__in_sub(core)) return;
  sk__seat *seat = sk__seat_of(core);
  sk__order_settle(&core->order); /* what came before belongs there */
  if (is_wait) seat->early_waits++;
  else seat->early_sets++;
  seat->early_site = core->site;
}

void sk__early_begin(sk__core *core) {
  sk__seat *seat = sk__seat_of(core);
  seat->early_sets = seat->early_waits = 0;
  seat->early_site = NULL;
}

const char *sk__early_phase(const sk__core *core) {
  if (!sk__in_sub(core)) return NULL;
  const sk__seat *seat = sk__seat_of(core);
  bool sets = (core->view.early_mask & set_bits[core->type]) != 0, waits = (core->view.early_mask & wait_bits[core->type]) != 0;
  if (waits && seat->early_waits == 0) return "before WaitPreTaskEnd";
  if (sets && seat->early_sets != 0) return "after SetNextTaskStart";
  if (!sets && !waits) return NULL;
  return sets ? "before SetNextTaskStart" : "after WaitPreTaskEnd";
}

static __attribute__((cold)) void report(sk__core *core, const char *call, uint32_t count) {
  sk__finding finding = sk__core_finding(core, "H23", SK__CAT_OPERATOR, SK__ERROR);
  finding.end_count = 0;
  sk__finding_end(&finding, core, count == 0 ? "missing" : "calls", sk__seat_of(core)->early_site, call);
  snprintf(finding.message, sizeof finding.message,
           "sub-kernel %s calls %s %u times on a core; its binding promises one call, and the SK counts on it", core->view.kernel,
           call, count);
  sk__text_copy(finding.remedy, sizeof finding.remedy, "call it exactly once on every path of every core that runs the operator");
  sk__report(core->checker, &finding);
}

void sk__early_judge(sk__core *core) {
  const sk__seat *seat = sk__seat_of(core);
  if ((core->view.early_mask & set_bits[core->type]) != 0 && seat->early_sets != 1) report(core, "SetNextTaskStart", seat->early_sets);
  if ((core->view.early_mask & wait_bits[core->type]) != 0 && seat->early_waits != 1) report(core, "WaitPreTaskEnd", seat->early_waits);
}
