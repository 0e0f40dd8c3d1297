/* report.c - findings about the instruction that runs: the cold end of every argument check. */
#include <stdio.h>
#include <string.h>

#include "isa/isa.h"

void sk__instr_end(const sk__core *core, sk__end *end) {
  end->role = "instruction";
  end->site = core->site;
  end->instr = core->instr;
  end->core = (int32_t)core->index;
  end->core_type = (int8_t)core->type;
  end->pipe = -1;
  end->block = (int32_t)core->block_idx;
  end->sub_block = (int32_t)core->sub_block;
  end->launch = core->launch != NULL ? (int32_t)core->launch->serial : -1;
  end->task = core->view.task == UINT32_MAX ? -1 : (int32_t)core->view.task;
  if (core->view.kernel != NULL) snprintf(end->kernel, sizeof end->kernel, "%s", core->view.kernel);
}

static void report(sk__core *core, const char *id, sk__category category, sk__severity severity,
                   const char *message, const char *remedy) {
  sk__finding finding;
  memset(&finding, 0, sizeof finding);
  snprintf(finding.id, sizeof finding.id, "%s", id);
  finding.category = category;
  finding.severity = severity;
  snprintf(finding.message, sizeof finding.message, "%s", message);
  snprintf(finding.remedy, sizeof finding.remedy, "%s", remedy);
  finding.end_count = 1;
  finding.count = 1;
  sk__instr_end(core, &finding.ends[0]);
  sk__report(core->checker, &finding);
}

void sk__bad_argument(sk__core *core, const char *what, int64_t value, const char *legal, ...) {
  char range[200], message[512], remedy[256];
  va_list list;
  va_start(list, legal);
  vsnprintf(range, sizeof range, legal, list);
  va_end(list);
  snprintf(message, sizeof message, "%s: %s is %lld; legal: %s", core->instr, what, (long long)value, range);
  snprintf(remedy, sizeof remedy, "give %s a legal value", what);
  report(core, "BAD_ARGUMENT", SK__CAT_OPERATOR, SK__ERROR, message, remedy);
  core->order.refused = true;
}

void sk__instr_finding(sk__core *core, const char *id, sk__category category, sk__severity severity,
                       const char *remedy, const char *message, ...) {
  char text[480], whole[512];
  va_list list;
  va_start(list, message);
  vsnprintf(text, sizeof text, message, list);
  va_end(list);
  snprintf(whole, sizeof whole, "%.30s: %s", core->instr, text);
  report(core, id, category, severity, whole, remedy);
  if (severity == SK__ERROR) core->order.refused = true;
}

void sk__not_modelled_instr(sk__core *core, const char *what) {
  char message[512];
  snprintf(message, sizeof message, "%s: %s is not modelled", core->instr, what);
  report(core, "NOT_MODELLED", SK__CAT_NOT_MODELLED, SK__ERROR, message, "");
  core->order.refused = true;
}
