/* deadlock.c - no core can run: who waits for what, who never came, and why.
 *
 * Equal cores are told together. The cause is looked for in this order: a sub-kernel that called a
 * whole-core barrier on some cores only (H1), vector cores of which one signals (H2), blocks that cannot
 * start because all cores are taken, work outside of the launch that never comes, and last the plain fact. */
#include <string.h>

#include "machine/ledger.h"

/* Cores that wait in the same way at the same place. */
typedef struct waiters {
  sk__core_set cores;
  uint32_t first;               /* one of them */
} waiters;

typedef struct scene {
  sk__machine *machine;
  waiters groups[SK__MAX_CORES];
  uint32_t group_count;
} scene;

static bool is_waiting(const sk__seat *seat) { return seat->wait != SK__WAIT_NONE && seat->state != SK__SEAT_DONE; }

static bool same_wait(const sk__seat *a, const sk__seat *b) {
  return a->core->type == b->core->type && a->wait == b->wait && a->wait_id == b->wait_id &&
         a->core->view.task == b->core->view.task && a->core->site == b->core->site;
}

static void gather(scene *s) {
  const sk__run *run = &s->machine->run;
  for (uint32_t i = 0; i < run->core_count; i++) {
    const sk__seat *seat = &s->machine->seats[run->cores[i]];
    if (!is_waiting(seat)) continue;
    uint32_t g = 0;
    while (g < s->group_count && !same_wait(seat, &s->machine->seats[s->groups[g].first])) g++;
    if (g == s->group_count) s->groups[s->group_count++] = (waiters){.first = run->cores[i]};
    sk__core_set_add(&s->groups[g].cores, run->cores[i]);
  }
}

/* ---- what a wait is about ------------------------------------------------------------------ */

typedef struct awaited {
  bool barrier;                 /* of all cores of a type, or of both types */
  uint32_t barrier_id;          /* as sk__barrier_culprit takes it */
  bool one_sided;               /* an AIC whose vector cores have not both set */
  sk__core_set missing;
  char words[120];              /* "in SyncAll, which all 48 AIV cores ... must reach" */
} awaited;

static void missing_in_shortcut(const sk__machine *machine, const sk__seat *seat, awaited *out) {
  const sk__run *run = &machine->run;
  for (uint32_t i = 0; i < run->core_count; i++) {
    const sk__seat *other = &machine->seats[run->cores[i]];
    bool member = seat->wait == SK__WAIT_SYNC_MIX || other->core->type == seat->core->type;
    if (member && (other->wait != seat->wait || other->state != SK__SEAT_BLOCKED)) sk__core_set_add(&out->missing, run->cores[i]);
  }
}

/* Members of a group that have not set for its next completion. Counts those that have. */
static uint32_t missing_in_group(const sk__machine *machine, const sk__seat *seat, uint32_t mode, uint32_t id,
                                 const sk__flag_scope *scope, sk__core_set *missing) {
  if ((scope->used & 1u << id) == 0) return 0;
  const sk__run *run = &machine->run;
  const sk__flag_group *group = &scope->groups[id];
  sk__core_type type = mode == 2 ? SK__AIV : seat->core->type;
  uint32_t came = 0;
  sk__core_set absent = {{0, 0}};
  for (uint32_t i = 0; i < run->core_count; i++) {
    const sk__seat *other = &machine->seats[run->cores[i]];
    if (other->core->type != type || (mode != 0 && other->lane != seat->lane)) continue;
    if (other->core->flags->sets[mode][id] > group->completed) came++;
    else sk__core_set_add(&absent, run->cores[i]);
  }
  if (came > 0) *missing = absent;
  return came;
}

static void awaited_flag(const sk__machine *machine, const sk__seat *seat, awaited *out) {
  const sk__run *run = &machine->run;
  uint32_t id = seat->wait_id;
  sk__core_type type = seat->core->type;
  if (missing_in_group(machine, seat, 0, id, &machine->common.all[type], &out->missing) > 0) {
    out->barrier = true;
    out->barrier_id = id;
    snprintf(out->words, sizeof out->words, "for flag id %u (mode 0: every one of %u %s must set it)", id, run->members[type],
             sk__core_type_name(type));
  } else if (type == SK__AIC && missing_in_group(machine, seat, 2, id, &machine->up[seat->core->group], &out->missing) > 0) {
    out->one_sided = true;
    snprintf(out->words, sizeof out->words, "for flag id %u (mode 2: both vector cores must set it)", id);
  } else if (type == SK__AIV && missing_in_group(machine, seat, 1, id, &machine->pair[seat->core->group], &out->missing) > 0) {
    snprintf(out->words, sizeof out->words, "for flag id %u (mode 1: both vector cores must set it)", id);
  } else {
    snprintf(out->words, sizeof out->words, "for flag id %u, which nobody has set for it", id);
  }
}

static awaited awaited_by(const sk__machine *machine, const sk__seat *seat) {
  awaited out = {0};
  const sk__run *run = &machine->run;
  switch (seat->wait) {
    case SK__WAIT_SYNC_AIV:
      out.barrier = true;
      out.barrier_id = SK__ID_AIV_ALL;
      snprintf(out.words, sizeof out.words, "in SyncAll, which all %u %s of the launch must reach",
               run->members[seat->core->type], sk__core_type_name(seat->core->type));
      missing_in_shortcut(machine, seat, &out);
      break;
    case SK__WAIT_SYNC_MIX:
      out.barrier = true;
      out.barrier_id = SK__ID_AIC_ALL;
      snprintf(out.words, sizeof out.words, "in SyncAll, which all %u AIC and %u AIV of the launch must reach",
               run->members[SK__AIC], run->members[SK__AIV]);
      missing_in_shortcut(machine, seat, &out);
      break;
    case SK__WAIT_FLAG: awaited_flag(machine, seat, &out); break;
    case SK__WAIT_OUTSIDE: snprintf(out.words, sizeof out.words, "for %.110s", seat->outside); break;
    default: snprintf(out.words, sizeof out.words, "for device memory to change (polling)"); break;
  }
  return out;
}

/* ---- culprits ------------------------------------------------------------------------------ */

static uint32_t barrier_count(const sk__machine *machine, uint32_t core, uint32_t task, uint32_t id) {
  uint32_t count = sk__ledger_count(machine, core, task, SK__ACT_SET0, id);
  if (id == SK__ID_AIV_ALL) count += sk__ledger_count(machine, core, task, SK__ACT_SYNC_AIV, 0);
  if (id == SK__ID_AIC_ALL) count += sk__ledger_count(machine, core, task, SK__ACT_SYNC_MIX, 0);
  return count;
}

static const sk__ledger_entry *barrier_entry(const sk__machine *machine, uint32_t core, uint32_t task, uint32_t id) {
  const sk__ledger_entry *entry = NULL;
  if (id == SK__ID_AIV_ALL) entry = sk__ledger_find(machine, core, task, SK__ACT_SYNC_AIV, 0);
  if (id == SK__ID_AIC_ALL) entry = sk__ledger_find(machine, core, task, SK__ACT_SYNC_MIX, 0);
  return entry != NULL ? entry : sk__ledger_find(machine, core, task, SK__ACT_SET0, id);
}

/* Judges one task; true if its cores of this type differ in how often they took part. */
static bool task_differs(const sk__machine *machine, sk__core_type type, uint32_t task, uint32_t id, sk__culprit *out) {
  const sk__run *run = &machine->run;
  uint32_t most = 0;
  for (uint32_t i = 0; i < run->core_count; i++) {
    uint32_t count = machine->cores[run->cores[i]].type == type ? barrier_count(machine, run->cores[i], task, id) : 0;
    if (count > most) most = count;
  }
  *out = (sk__culprit){.task = task, .missing_ran = true};
  for (uint32_t i = 0; i < run->core_count; i++) {
    uint32_t core = run->cores[i];
    if (machine->cores[core].type != type) continue;
    if (barrier_count(machine, core, task, id) == most) {
      if (out->entry == NULL) {
        out->entry = barrier_entry(machine, core, task, id);
        out->core = core;
      }
      sk__core_set_add(&out->took_part, core);
    } else {
      sk__core_set_add(&out->missing, core);
      if (sk__ledger_find(machine, core, task, SK__ACT_BEGIN, 0) == NULL) out->missing_ran = false;
    }
  }
  return most > 0 && sk__core_set_count(&out->missing) > 0;
}

bool sk__barrier_culprit(const sk__machine *machine, sk__core_type type, uint32_t id, sk__culprit *out) {
  const sk__run *run = &machine->run;
  bool found = false;
  for (uint32_t i = 0; i < run->core_count; i++) {
    const sk__ledger *ledger = &machine->seats[run->cores[i]].ledger;
    for (size_t e = 0; e < ledger->entries.count; e++) {
      uint32_t task = ledger->entries.items[e].task;
      sk__culprit here;
      if (task == SK__NO_TASK || (found && task >= out->task)) continue;
      if (!task_differs(machine, type, task, id, &here)) continue;
      *out = here;
      found = true;
    }
  }
  return found;
}

sk__finding sk__culprit_finding(const sk__machine *machine, const sk__culprit *c) {
  const sk__core *core = &machine->cores[c->core];
  uint32_t n = sk__core_set_count(&c->took_part), m = machine->run.present[core->type];
  sk__finding f = sk__core_finding(core, c->missing_ran ? "DEADLOCK" : "H1", SK__CAT_OPERATOR, SK__ERROR);
  f.end_count = 0;
  char cores[96];
  sk__end *end = sk__finding_end(&f, core, "barrier", c->entry->site, c->entry->instr);
  end->task = (int32_t)c->task;
  sk__text_copy(end->kernel, sizeof end->kernel, c->entry->kernel != NULL ? c->entry->kernel : "");
  sk__core_set_text(machine, &c->took_part, cores, sizeof cores);
  snprintf(end->detail, sizeof end->detail, "%s call it", cores);
  char kernel[64];
  sk__text_copy(kernel, sizeof kernel, end->kernel);
  uint32_t first_missing = 0;
  while (!sk__core_set_has(&c->missing, first_missing)) first_missing++;
  end = sk__finding_end(&f, &machine->cores[first_missing], "missing", NULL, NULL);
  end->task = (int32_t)c->task;
  sk__text_copy(end->kernel, sizeof end->kernel, kernel);
  sk__core_set_text(machine, &c->missing, cores, sizeof cores);
  const char *type = sk__core_type_name(core->type), *what = c->entry->instr != NULL ? c->entry->instr : "a whole-core barrier";
  if (c->missing_ran) {
    snprintf(end->detail, sizeof end->detail, "%s run the sub-kernel and do not call it as often", cores);
    snprintf(f.message, sizeof f.message, "sub-kernel '%s' does not call %s equally often on all its %s cores", kernel, what, type);
    snprintf(f.remedy, sizeof f.remedy, "call the barrier on every path of every core");
    return f;
  }
  snprintf(end->detail, sizeof end->detail, "%s are idle in this sub-kernel", cores);
  snprintf(f.message, sizeof f.message,
           "sub-kernel '%s' calls %s on %u of %u %s cores of the SuperKernel; the barrier counts all cores of the launch. "
           "Alone, its launch had exactly %u, so nothing was wrong",
           kernel, what, n, m, type, n);
  snprintf(f.remedy, sizeof f.remedy,
           "give the operator as many blocks as the SK has cores, declare it schedmode 1 so that it is split off, or "
           "(GE) set feed-sync-all=1");
  return f;
}

void sk__barriers_judge(sk__machine *machine) {
  static const struct { sk__core_type type; uint32_t id; } barriers[] = {
    {SK__AIC, SK__ID_AIC_ALL}, {SK__AIV, SK__ID_AIV_ALL}, {SK__AIC, SK__ID_AIV_ALL}};
  for (uint32_t i = 0; i < sizeof barriers / sizeof barriers[0]; i++) {
    const sk__flag_scope *scope = &machine->common.all[barriers[i].type];
    sk__culprit culprit;
    bool left = (scope->used & 1u << barriers[i].id) != 0 && scope->groups[barriers[i].id].pending.count > 0;
    if (!left || !sk__barrier_culprit(machine, barriers[i].type, barriers[i].id, &culprit)) continue;
    sk__finding f = sk__culprit_finding(machine, &culprit);
    size_t used = strlen(f.message);
    snprintf(f.message + used, sizeof f.message - used, ". Here idle cores that had gone ahead completed it: too early for them");
    sk__report(machine->checker, &f);
  }
}

/* Of a launch whose caller has nothing to run for it. */
static const sk__hopeless nobody = {"DEADLOCK", SK__CAT_HOST, "and nothing is left that could bring it",
                                   "do what it waits for before the launch, or drop the wait"};

/* ---- the report ---------------------------------------------------------------------------- */

static void add_waiters(const scene *s, sk__finding *f) {
  for (uint32_t g = 0; g < s->group_count; g++) {
    const sk__seat *seat = &s->machine->seats[s->groups[g].first];
    awaited what = awaited_by(s->machine, seat);
    char cores[96];
    sk__finding single = {0};
    sk__end *end = sk__finding_end(&single, seat->core, "waits", seat->core->site, seat->core->instr);
    sk__core_set_text(s->machine, &s->groups[g].cores, cores, sizeof cores);
    sk__text text = sk__text_on(end->detail, sizeof end->detail);
    sk__text_add(&text, "%s wait %s", cores, what.words);
    if (sk__core_set_count(&what.missing) > 0) {
      sk__core_set_text(s->machine, &what.missing, cores, sizeof cores);
      sk__text_add(&text, "; missing: %s", cores);
    }
    sk__finding_add_waiter(f, end);
  }
}

/* Cores that have come to their end while others wait for them. */
static void add_ended(const scene *s, const awaited *what, sk__finding *f) {
  const sk__run *run = &s->machine->run;
  sk__core_set ended = {{0, 0}};
  const sk__core *one = NULL;
  for (uint32_t i = 0; i < run->core_count; i++) {
    uint32_t core = run->cores[i];
    if (!sk__core_set_has(&what->missing, core) || s->machine->seats[core].state != SK__SEAT_DONE) continue;
    if (one == NULL) one = &s->machine->cores[core];
    sk__core_set_add(&ended, core);
  }
  if (one == NULL) return;
  sk__finding single = {0};
  sk__end *end = sk__finding_end(&single, one, "missing", NULL, NULL);
  char cores[96];
  sk__core_set_text(s->machine, &ended, cores, sizeof cores);
  snprintf(end->detail, sizeof end->detail, "%s have ended without it", cores);
  sk__finding_add_waiter(f, end);
}

static const sk__core_set *cores_like(const scene *s, const sk__seat *seat) {
  uint32_t g = 0;
  while (g + 1 < s->group_count && s->machine->seats[s->groups[g].first].core != seat->core) g++;
  return &s->groups[g].cores;
}

static sk__finding plain_finding(const scene *s, const sk__seat *seat, const awaited *what) {
  const sk__machine *machine = s->machine;
  const sk__run *run = &machine->run;
  bool h2 = what->one_sided && run->launch->is_sk;
  sk__finding f = sk__core_finding(seat->core, h2 ? "H2" : "DEADLOCK", SK__CAT_OPERATOR, SK__ERROR);
  f.end_count = 0;
  char cores[96];
  sk__core_set_text(machine, cores_like(s, seat), cores, sizeof cores);
  uint32_t started = run->lane_count;
  if (seat->wait == SK__WAIT_OUTSIDE) {
    const sk__hopeless *hopeless = run->hopeless != NULL ? run->hopeless : &nobody;
    sk__text_copy(f.id, sizeof f.id, hopeless->id);
    f.category = hopeless->category;
    snprintf(f.message, sizeof f.message, "no core can go on: %s wait %s, %s", cores, what->words, hopeless->why);
    sk__text_copy(f.remedy, sizeof f.remedy, hopeless->remedy);
  } else if (what->barrier && run->launch->blocks > started) {
    snprintf(f.message, sizeof f.message,
             "no core can go on: %s wait %s, but of %u blocks only %u fit the chip at once; the others start when a core becomes free",
             cores, what->words, run->launch->blocks, started);
    snprintf(f.remedy, sizeof f.remedy, "launch at most %u blocks when cores synchronise with each other", started);
  } else if (h2) {
    snprintf(f.message, sizeof f.message, "no core can go on: %s wait %s, but '%s' sets it on one of them", cores, what->words,
             seat->core->view.kernel);
    snprintf(f.remedy, sizeof f.remedy, "let both vector cores set and wait equally often, or declare the kernel __mix__(1, 2)");
  } else {
    snprintf(f.message, sizeof f.message, "no core can go on: %s wait %s", cores, what->words);
    snprintf(f.remedy, sizeof f.remedy, "%s",
             what->barrier                  ? "let every core of the launch reach the barrier equally often"
             : seat->wait == SK__WAIT_POLL ? "write the polled word before, or on another core"
                                           : "set the flag on the missing side, or drop the wait");
  }
  return f;
}

/* Who waits at a barrier for cores that wait elsewhere is not the cause: they are. Stops where the others wait for no
 * barrier, or came to their end, or wait in a circle. */
static const sk__seat *follow_barriers(const scene *s, const sk__seat *chief, awaited *what) {
  bool been[SK__MAX_CORES] = {false};
  for (bool on = true; on && what->barrier;) {
    on = false;
    for (uint32_t g = 0; g < s->group_count && !on; g++) {
      uint32_t first = s->groups[g].first;
      if (been[g] || !sk__core_set_has(&what->missing, first)) continue;
      been[g] = on = true;
      chief = &s->machine->seats[first];
      *what = awaited_by(s->machine, chief);
    }
  }
  return chief;
}

void sk__deadlock_report(sk__machine *machine) {
  scene s = {.machine = machine};
  gather(&s);
  if (s.group_count == 0) return;
  const sk__seat *chief = NULL; /* a core in a whole-core barrier tells most */
  awaited what = {0};
  for (uint32_t g = 0; g < s.group_count; g++) {
    const sk__seat *seat = &machine->seats[s.groups[g].first];
    awaited its = awaited_by(machine, seat);
    if (chief != NULL && !(its.barrier && !what.barrier)) continue;
    chief = seat;
    what = its;
  }
  sk__finding f;
  sk__culprit culprit;
  bool found = machine->run.launch->is_sk && what.barrier &&
               sk__barrier_culprit(machine, chief->core->type, what.barrier_id, &culprit);
  for (uint32_t g = 0; g < s.group_count && !found && machine->run.outside > 0; g++) { /* what the others wait for in turn */
    const sk__seat *seat = &machine->seats[s.groups[g].first];
    if (seat->wait != SK__WAIT_OUTSIDE) continue;
    chief = seat;
    what = awaited_by(machine, seat);
    break;
  }
  if (!found && machine->run.outside == 0) chief = follow_barriers(&s, chief, &what);
  if (found) f = sk__culprit_finding(machine, &culprit);
  else f = plain_finding(&s, chief, &what);
  add_waiters(&s, &f);
  add_ended(&s, &what, &f);
  sk__report(machine->checker, &f);
}
