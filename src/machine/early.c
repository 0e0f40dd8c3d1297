/* early.c - the early-start calls of a sub-kernel: what lies before and behind them, and, judged at the end of the
 * launch over all cores, how often each core makes them. */
#include <stdio.h>

#include "base/text.h"
#include "machine/ledger.h"

/* Bits of the configuration word that make the calls act, by core type. */
static const uint32_t set_bits[] = {[SK__AIC] = 1u, [SK__AIV] = 16u};
static const uint32_t wait_bits[] = {[SK__AIC] = 2u, [SK__AIV] = 32u};

enum { CALL_SET, CALL_WAIT, CALLS, ENDED_IDLE = 1u << CALLS }; /* as bits of an SK__ACT_EARLY_END: the binding wants the call */
static const char *const call_names[] = {[CALL_SET] = "SetNextTaskStart", [CALL_WAIT] = "WaitPreTaskEnd"};

/* Of several calls the last is the one too many. */
static void note_last(sk__ledger *ledger, uint32_t call, const void *site) {
  for (size_t i = ledger->scope; i < ledger->entries.count; i++)
    if (ledger->entries.items[i].act == SK__ACT_EARLY_CALL && ledger->entries.items[i].id == call) ledger->entries.items[i].site = site;
}

void sk__early_call(sk__core *core, bool is_wait) {
  if (!sk__in_sub(core)) return;
  sk__seat *seat = sk__seat_of(core);
  sk__order_settle(&core->order); /* what came before belongs there */
  if (is_wait) seat->early_waits++;
  else seat->early_sets++;
  uint32_t call = is_wait ? CALL_WAIT : CALL_SET;
  if (!sk__ledger_note(core, SK__ACT_EARLY_CALL, call)) note_last(&seat->ledger, call, core->site);
}

void sk__early_begin(sk__core *core) {
  sk__seat *seat = sk__seat_of(core);
  seat->early_sets = seat->early_waits = 0;
  seat->early_stores = core->gm_stores;
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

/* ---- how often ------------------------------------------------------------------------------ */


void sk__early_end(sk__core *core) {
  uint32_t wanted = ((core->view.early_mask & set_bits[core->type]) != 0) << CALL_SET |
                    ((core->view.early_mask & wait_bits[core->type]) != 0) << CALL_WAIT;
  bool idle = core->gm_stores == sk__seat_of(core)->early_stores;
  if (wanted != 0) sk__ledger_note(core, SK__ACT_EARLY_END, wanted | (idle ? ENDED_IDLE : 0));
}

/* Cores of a sub-kernel that owe a call, by what they did about it. */
typedef struct callers {
  sk__core_set once, many, none, idle; /* idle: did not call, and stored nothing either */
  const sk__ledger_entry *call, *end;  /* any call; any core's end */
  uint32_t call_core, end_core;
} callers;

static void sort_core(const sk__machine *machine, const sk__core *core, uint32_t task, int call, callers *out) {
  const sk__ledger *ledger = &machine->seats[core->index].ledger;
  for (size_t i = 0; i < ledger->entries.count; i++) {
    const sk__ledger_entry *entry = &ledger->entries.items[i];
    if (entry->task != task || entry->act != SK__ACT_EARLY_END || (entry->id >> call & 1u) == 0) continue;
    uint32_t count = sk__ledger_count(machine, core->index, task, SK__ACT_EARLY_CALL, (uint32_t)call);
    sk__core_set *set = count == 1 ? &out->once : count > 1 ? &out->many : (entry->id & ENDED_IDLE) != 0 ? &out->idle : &out->none;
    sk__core_set_add(set, core->index);
    const sk__ledger_entry *made = sk__ledger_find(machine, core->index, task, SK__ACT_EARLY_CALL, (uint32_t)call);
    if (made != NULL && (out->call == NULL || count > 1)) {
      out->call = made;
      out->call_core = core->index;
    }
    if (count == 0 || out->end == NULL) {
      out->end = entry;
      out->end_core = core->index;
    }
    return;
  }
}

static void add_end(const sk__machine *machine, sk__finding *finding, uint32_t core, const sk__ledger_entry *entry, const char *role,
                    const char *instr, const sk__core_set *cores, const char *words) {
  sk__end *end = sk__finding_end(finding, &machine->cores[core], role, entry->act == SK__ACT_EARLY_CALL ? entry->site : NULL, instr);
  char text[96];
  end->task = (int32_t)entry->task;
  sk__text_copy(end->kernel, sizeof end->kernel, entry->kernel != NULL ? entry->kernel : "");
  sk__core_set_text(machine, cores, text, sizeof text);
  sk__text detail = sk__text_on(end->detail, sizeof end->detail);
  sk__text_add(&detail, "%s %s", text, words);
}

static sk__finding begin_finding(const sk__machine *machine, const char *id, sk__category category, const callers *c) {
  sk__finding finding = sk__core_finding(&machine->cores[c->end_core], id, category, SK__ERROR);
  finding.end_count = 0;
  return finding;
}

static void report_nobody(sk__machine *machine, const callers *c, int call, const sk__core_set *missing) {
  sk__finding f = begin_finding(machine, "H26", SK__CAT_OPTIONS, c);
  add_end(machine, &f, c->end_core, c->end, "missing", call_names[call], missing, "do not call it");
  snprintf(f.message, sizeof f.message,
           "the binding of %s promises %s (capability %d), and none of its cores makes the call: the SK leaves out its own "
           "synchronisation there",
           c->end->kernel, call_names[call], call == CALL_SET ? 2 : 1);
  sk__text_copy(f.remedy, sizeof f.remedy, "make capability bits, code and the early_start option agree, and build the operator again");
  sk__report(machine->checker, &f);
}

static void report_idle(sk__machine *machine, const callers *c, int call) {
  sk__finding f = begin_finding(machine, "H27", SK__CAT_OPERATOR, c);
  char cores[96];
  sk__core_set_text(machine, &c->idle, cores, sizeof cores);
  add_end(machine, &f, c->call_core, c->call, "calls", call_names[call], &c->once, "call it");
  add_end(machine, &f, c->end_core, c->end, "missing", call_names[call], &c->idle, "store nothing and do not call it");
  snprintf(f.message, sizeof f.message,
           "%s of sub-kernel %s find nothing to do and return without %s; the SK stands in for cores above the block count only, "
           "not for these",
           cores, c->end->kernel, call_names[call]);
  sk__text_copy(f.remedy, sizeof f.remedy, "make the call on every core below the block count, also where there is no work");
  sk__report(machine->checker, &f);
}

static void report_uneven(sk__machine *machine, const callers *c, int call, const sk__core_set *wrong, const char *words) {
  sk__finding f = begin_finding(machine, "H23", SK__CAT_OPERATOR, c);
  char cores[96];
  sk__core_set_text(machine, wrong, cores, sizeof cores);
  bool missing = wrong == &c->none;
  if (c->call != NULL) add_end(machine, &f, c->call_core, c->call, "calls", call_names[call], missing ? &c->once : wrong, missing ? "call it" : words);
  if (missing) add_end(machine, &f, c->end_core, c->end, "missing", call_names[call], wrong, words);
  snprintf(f.message, sizeof f.message, "%s of sub-kernel %s %s %s%s; its binding promises one call on each core, and the SK counts on it",
           cores, c->end->kernel, missing ? "do not call" : "call", call_names[call], missing ? "" : " more than once");
  sk__text_copy(f.remedy, sizeof f.remedy, "call it exactly once on every path of every core that runs the operator");
  sk__report(machine->checker, &f);
}

void sk__early_judge(sk__machine *machine, uint32_t task) {
  for (int call = 0; call < CALLS; call++) {
    callers c = {0};
    for (uint32_t i = 0; i < machine->run.core_count; i++) sort_core(machine, &machine->cores[machine->run.cores[i]], task, call, &c);
    bool some = sk__core_set_count(&c.once) + sk__core_set_count(&c.many) > 0;
    if (!some && c.end != NULL) {
      sk__core_set missing = c.none;
      for (int w = 0; w < 2; w++) missing.bits[w] |= c.idle.bits[w];
      report_nobody(machine, &c, call, &missing);
      continue;
    }
    if (sk__core_set_count(&c.many) > 0) report_uneven(machine, &c, call, &c.many, "call it more than once");
    if (sk__core_set_count(&c.none) > 0) report_uneven(machine, &c, call, &c.none, "do not call it");
    if (sk__core_set_count(&c.idle) > 0) report_idle(machine, &c, call);
  }
}
