/* residue.c - registers that a sub-kernel leaves changed: what it left, and who used it without setting it.
 *
 * A launch starts with default values; a sub-kernel with what the one before left. Count forms leave their
 * count in the mask register, so the mask is judged by its use alone. */
#include <stdio.h>

#include "base/text.h"
#include "machine/internal.h"

static const char *const names[] = {
#define X(name, text) text,
    SK__STATE_LIST(X)
#undef X
};
static const uint64_t default_ctrl = UINT64_C(1) << 48;

static bool differs(const sk__core *core, sk__state state) {
  switch (state) {
    case SK__STATE_ATOMIC: return core->atomic_type != 0;
    case SK__STATE_MASK: return (core->mask[0] & core->mask[1]) != UINT64_MAX;
    case SK__STATE_CTRL: return core->ctrl != default_ctrl;
    case SK__STATE_PAD: return core->pad_value != 0;
    case SK__STATE_DEQ: return core->deq_scale != 0;
    case SK__STATE_WATCH: return core->order.watched != 0;
    default: return false;
  }
}

void sk__state_set(sk__core *core, sk__state state, uint64_t ctrl_bits) {
  sk__seat_of(core)->states[state] = (sk__state_setting){core->site, core->instr, core->view.kernel, core->view.task};
  if (state == SK__STATE_CTRL) core->ctrl_inherited &= ~ctrl_bits;
  core->inherited &= ~(UINT64_C(1) << state);
}

static void add_setting(const sk__core *core, sk__state state, sk__finding *finding) {
  const sk__state_setting *setting = &sk__seat_of(core)->states[state];
  sk__end *end = sk__finding_end(finding, core, "sets", setting->site, setting->instr);
  end->task = setting->task == SK__NO_TASK ? -1 : (int32_t)setting->task;
  sk__text_copy(end->kernel, sizeof end->kernel, setting->kernel != NULL ? setting->kernel : "");
}

void sk__state_report(const sk__core *core, sk__state state) {
  sk__finding finding = sk__core_finding(core, "H33", SK__CAT_OPERATOR, SK__ERROR);
  finding.ends[0].role = "uses";
  add_setting(core, state, &finding);
  snprintf(finding.message, sizeof finding.message, "%s of sub-kernel %s runs with %s as %s left it", core->instr,
           core->view.kernel, names[state], finding.ends[1].kernel);
  sk__text_copy(finding.remedy, sizeof finding.remedy,
                "set back at the end of the operator what it changed, and set at the start what is needed (asc_init)");
  sk__report(core->checker, &finding);
}

void sk__residue_begin(sk__core *core) {
  core->inherited = 0;
  for (int state = 0; state < SK__STATES; state++)
    if (state != SK__STATE_CTRL && differs(core, (sk__state)state)) core->inherited |= UINT64_C(1) << state;
  core->ctrl_inherited = core->ctrl ^ default_ctrl;
}

/* What was already so at the begin is the fault of another. */
void sk__residue_judge(sk__core *core) {
  for (int state = 0; state < SK__STATES; state++) {
    const sk__state_setting *setting = &sk__seat_of(core)->states[state];
    if (state == SK__STATE_MASK || setting->task != core->view.task || !differs(core, (sk__state)state)) continue;
    sk__finding finding = sk__core_finding(core, "H33", SK__CAT_OPERATOR, SK__WARNING);
    finding.end_count = 0;
    add_setting(core, (sk__state)state, &finding);
    snprintf(finding.message, sizeof finding.message, "sub-kernel %s leaves %s changed", core->view.kernel, names[state]);
    sk__text_copy(finding.remedy, sizeof finding.remedy, "set it back at the end of the operator");
    sk__report(core->checker, &finding);
  }
}

void sk__residue_reset(sk__core *core) {
  memset(sk__seat_of(core)->states, 0, sizeof sk__seat_of(core)->states);
  for (int state = 0; state < SK__STATES; state++) sk__seat_of(core)->states[state].task = SK__NO_TASK;
  core->inherited = core->ctrl_inherited = 0;
}
