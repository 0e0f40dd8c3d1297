/* ledger.c - what every core did with cross-core flags and barriers, per sub-kernel, and the verdict over
 * it at the end of a launch.
 *
 * Counters at one moment depend on the schedule; sums over a finished sub-kernel do not. A sub-kernel is
 * balanced when, on every core and id, the increments its own sets bring about equal its own waits, and
 * no set is left without its group. */
#include <string.h>

#include "base/log.h"
#include "machine/ledger.h"

void sk__ledger_free(sk__ledger *ledger) { sk__vec_free(&ledger->entries); }

void sk__ledger_begin(sk__machine *machine) {
  for (uint32_t i = 0; i < machine->run.core_count; i++) {
    sk__ledger *ledger = &machine->seats[machine->run.cores[i]].ledger;
    sk__vec_clear(&ledger->entries);
    ledger->scope = 0;
  }
}

bool sk__ledger_note(sk__core *core, sk__act act, uint32_t id) {
  sk__ledger *ledger = &sk__seat_of(core)->ledger;
  if (act == SK__ACT_BEGIN) ledger->scope = ledger->entries.count;
  for (size_t i = ledger->scope; i < ledger->entries.count; i++) {
    sk__ledger_entry *entry = &ledger->entries.items[i];
    if (entry->act != act || entry->id != id) continue;
    entry->count++;
    return false;
  }
  sk__ledger_entry entry = {.task = core->view.task, .act = (uint8_t)act, .id = (uint8_t)id, .count = 1,
                            .block_num = core->view.block_num, .site = core->site, .instr = core->instr,
                            .kernel = core->view.kernel};
  if (!sk__vec_push(&ledger->entries, entry)) sk__log(SK__LOG_ERROR, "out of host memory for the flag ledger");
  return true;
}

const sk__ledger_entry *sk__ledger_find(const sk__machine *machine, uint32_t core, uint32_t task, sk__act act, uint32_t id) {
  const sk__ledger *ledger = &machine->seats[core].ledger;
  for (size_t i = 0; i < ledger->entries.count; i++) {
    const sk__ledger_entry *entry = &ledger->entries.items[i];
    if (entry->task == task && entry->act == act && entry->id == id) return entry;
  }
  return NULL;
}

/* A kernel may run in a task more than once on a core (several blocks): all of it together. */
uint32_t sk__ledger_count(const sk__machine *machine, uint32_t core, uint32_t task, sk__act act, uint32_t id) {
  const sk__ledger *ledger = &machine->seats[core].ledger;
  uint32_t count = 0;
  for (size_t i = 0; i < ledger->entries.count; i++) {
    const sk__ledger_entry *entry = &ledger->entries.items[i];
    if (entry->task == task && entry->act == act && entry->id == id) count += entry->count;
  }
  return count;
}

/* ---- balance ------------------------------------------------------------------------------- */

typedef struct balance {
  int64_t left[SK__MAX_CORES];     /* increments minus waits */
  uint32_t alone[SK__MAX_CORES];   /* sets without their group */
  uint8_t alone_mode[SK__MAX_CORES];
} balance;

static uint32_t sets_of(const sk__machine *machine, uint32_t core, uint32_t task, uint32_t mode, uint32_t id) {
  return sk__ledger_count(machine, core, task, (sk__act)(SK__ACT_SET0 + mode), id);
}

/* Smallest number of sets over the members that are there; cores that are not there have none. */
static uint32_t completed_all(const sk__machine *machine, sk__core_type type, uint32_t task, uint32_t id) {
  const sk__run *run = &machine->run;
  uint32_t least = UINT32_MAX;
  if (run->members[type] > run->present[type]) return 0;
  for (uint32_t i = 0; i < run->core_count; i++) {
    if (machine->cores[run->cores[i]].type != type) continue;
    uint32_t sets = sets_of(machine, run->cores[i], task, 0, id);
    if (sets < least) least = sets;
  }
  return least == UINT32_MAX ? 0 : least;
}

static uint32_t completed_lane(const sk__machine *machine, const sk__lane *lane, uint32_t task, uint32_t mode, uint32_t id) {
  uint32_t least = UINT32_MAX;
  for (uint32_t i = 0; i < lane->core_count; i++) {
    if (machine->cores[lane->cores[i]].type != SK__AIV) continue;
    uint32_t sets = sets_of(machine, lane->cores[i], task, mode, id);
    if (sets < least) least = sets;
  }
  return least == UINT32_MAX ? 0 : least;
}

static void note_alone(balance *b, uint32_t core, uint32_t mode, uint32_t sets, uint32_t completed) {
  if (sets <= completed) return;
  b->alone[core] += sets - completed;
  b->alone_mode[core] = (uint8_t)mode;
}

static void balance_of(const sk__machine *machine, uint32_t task, uint32_t id, balance *b) {
  const sk__run *run = &machine->run;
  memset(b, 0, sizeof *b);
  uint32_t all[2] = {completed_all(machine, SK__AIC, task, id), completed_all(machine, SK__AIV, task, id)};
  for (uint32_t i = 0; i < run->core_count; i++) {
    uint32_t index = run->cores[i];
    const sk__core *core = &machine->cores[index];
    const sk__lane *lane = &run->lanes[machine->seats[index].lane];
    uint32_t pair = completed_lane(machine, lane, task, 1, id), up = completed_lane(machine, lane, task, 2, id);
    int64_t got = all[core->type];
    note_alone(b, index, 0, sets_of(machine, index, task, 0, id), all[core->type]);
    if (core->type == SK__AIC) {
      got += up;
    } else {
      got += pair;
      if (run->share[SK__AIC] != 0) got += sets_of(machine, lane->cores[0], task, 2, id);
      note_alone(b, index, 1, sets_of(machine, index, task, 1, id), pair);
      note_alone(b, index, 2, sets_of(machine, index, task, 2, id), up);
    }
    b->left[index] = got - (int64_t)sk__ledger_count(machine, index, task, SK__ACT_WAIT, id);
  }
}

/* ---- reports ------------------------------------------------------------------------------- */

static const sk__ledger_entry *any_entry(const sk__machine *machine, uint32_t task, uint32_t id, bool sets, uint32_t *core) {
  const sk__run *run = &machine->run;
  for (uint32_t i = 0; i < run->core_count; i++)
    for (uint32_t mode = 0; mode < 3; mode++) {
      sk__act act = sets ? (sk__act)(SK__ACT_SET0 + mode) : SK__ACT_WAIT;
      const sk__ledger_entry *entry = sk__ledger_find(machine, run->cores[i], task, act, id);
      *core = run->cores[i];
      if (entry != NULL) return entry;
    }
  return NULL;
}

static sk__finding unbalanced(const sk__machine *machine, const char *key, uint32_t task, uint32_t id) {
  uint32_t core = 0;
  sk__severity severity = machine->run.launch->is_sk ? SK__ERROR : SK__WARNING;
  sk__finding f = sk__core_finding(&machine->cores[machine->run.cores[0]], key, SK__CAT_OPERATOR, severity);
  f.end_count = 0;
  for (int sets = 1; sets >= 0; sets--) {
    const sk__ledger_entry *entry = any_entry(machine, task, id, sets != 0, &core);
    if (entry == NULL) continue;
    sk__end *end = sk__finding_end(&f, &machine->cores[core], sets != 0 ? "sets" : "waits", entry->site, entry->instr);
    end->task = task == SK__NO_TASK ? -1 : (int32_t)task;
    sk__text_copy(end->kernel, sizeof end->kernel, entry->kernel != NULL ? entry->kernel : "");
    if (f.message[0] == '\0') snprintf(f.message, sizeof f.message, "%s", end->kernel);
  }
  return f;
}

/* One end per distinct difference, with the cores that have it. */
static void add_differences(const sk__machine *machine, sk__finding *f, const balance *b, char *first, size_t first_bytes) {
  const sk__run *run = &machine->run;
  sk__core_set done = {{0, 0}};
  for (uint32_t i = 0; i < run->core_count && f->end_count < 8; i++) {
    uint32_t index = run->cores[i];
    if (sk__core_set_has(&done, index) || (b->left[index] == 0 && b->alone[index] == 0)) continue;
    sk__core_set same = {{0, 0}};
    for (uint32_t k = i; k < run->core_count; k++) {
      uint32_t other = run->cores[k];
      if (b->left[other] != b->left[index] || b->alone[other] != b->alone[index]) continue;
      sk__core_set_add(&same, other);
      sk__core_set_add(&done, other);
    }
    sk__end *end = sk__finding_end(f, &machine->cores[index], "left", NULL, NULL);
    if (f->end_count > 1) {
      end->task = f->ends[0].task;
      sk__text_copy(end->kernel, sizeof end->kernel, f->ends[0].kernel);
    }
    char cores[96];
    sk__core_set_text(machine, &same, cores, sizeof cores);
    if (b->left[index] != 0) snprintf(end->detail, sizeof end->detail, "%s: counter %+lld", cores, (long long)b->left[index]);
    else
      snprintf(end->detail, sizeof end->detail, "%s: %u set(s) of mode %u whose group is not complete", cores,
               b->alone[index], b->alone_mode[index]);
    if (first[0] == '\0') snprintf(first, first_bytes, "%s", end->detail);
  }
}

/* One vector core of a pair signalled the AIC more often than the other, in a launch that started both. */
static bool one_sided(const sk__machine *machine, uint32_t task, uint32_t id) {
  const sk__run *run = &machine->run;
  if (run->share[SK__AIC] == 0 || run->share[SK__AIV] != 2) return false;
  for (uint32_t l = 0; l < run->lane_count; l++)
    if (sets_of(machine, run->lanes[l].cores[1], task, 2, id) != sets_of(machine, run->lanes[l].cores[2], task, 2, id))
      return true;
  return false;
}

static void judge_id(sk__machine *machine, uint32_t task, uint32_t id) {
  balance b;
  balance_of(machine, task, id, &b);
  bool unequal = false;
  for (uint32_t i = 0; i < machine->run.core_count; i++)
    unequal |= b.left[machine->run.cores[i]] != 0 || b.alone[machine->run.cores[i]] != 0;
  if (!unequal) return;
  bool one = machine->run.launch->is_sk && one_sided(machine, task, id);
  sk__finding f = unbalanced(machine, one ? "H2" : "H7", task, id);
  char kernel[64], first[160] = "";
  sk__text_copy(kernel, sizeof kernel, f.message);
  add_differences(machine, &f, &b, first, sizeof first);
  if (one) {
    snprintf(f.message, sizeof f.message,
             "'%s': the two vector cores of an AI core do not set cross-core flag id %u equally often, so the AIC never gets it (%s)",
             kernel, id, first);
    snprintf(f.remedy, sizeof f.remedy, "let both vector cores set and wait equally often, or declare the kernel __mix__(1, 2)");
  } else {
    snprintf(f.message, sizeof f.message, "'%s' leaves cross-core flag id %u unbalanced (%s)%s", kernel, id, first,
             machine->run.launch->is_sk ? "; the next operator inherits it" : "; the launch's end resets it, inside an SK nothing does");
    snprintf(f.remedy, sizeof f.remedy, "pair every set of id %u with one wait on every path through the kernel", id);
  }
  sk__report(machine->checker, &f);
}

/* A sub-kernel some core is still inside of is not over. */
static bool task_is_over(const sk__machine *machine, uint32_t task) {
  const sk__run *run = &machine->run;
  if (run->status == SK_OK) return true;
  if (task == SK__NO_TASK) return false;
  for (uint32_t i = 0; i < run->core_count; i++)
    if (machine->seats[run->cores[i]].stuck_task == task || machine->seats[run->cores[i]].aborted) return false;
  return true;
}

/* Sub-kernels that owe early-start calls. */
static void judge_early(sk__machine *machine) {
  const sk__run *run = &machine->run;
  SK__VEC(uint32_t) judged = {0};
  for (uint32_t i = 0; i < run->core_count; i++) {
    const sk__ledger *ledger = &machine->seats[run->cores[i]].ledger;
    for (size_t e = 0; e < ledger->entries.count; e++) {
      uint32_t task = ledger->entries.items[e].task;
      bool known = ledger->entries.items[e].act != SK__ACT_EARLY_END;
      for (size_t k = judged.count; k-- > 0 && !known;) known = judged.items[k] == task;
      if (known || !sk__vec_push(&judged, task)) continue;
      sk__early_judge(machine, task);
    }
  }
  sk__vec_free(&judged);
}

void sk__ledger_judge(sk__machine *machine) {
  const sk__run *run = &machine->run;
  bool is_sk = run->launch->is_sk;
  if (is_sk) judge_early(machine);
  SK__VEC(uint64_t) judged = {0};
  for (uint32_t i = 0; i < run->core_count; i++) {
    const sk__ledger *ledger = &machine->seats[run->cores[i]].ledger;
    for (size_t e = 0; e < ledger->entries.count; e++) {
      const sk__ledger_entry *entry = &ledger->entries.items[e];
      bool flag = entry->act >= SK__ACT_SET0 && entry->act <= SK__ACT_WAIT;
      /* Inside an SK ids 11 to 14 are the program's too: their residue is judged as barriers. */
      bool reserved = entry->id >= SK__ID_AIC_ALL && entry->id <= SK__ID_AIV_ALL;
      if (!flag || (is_sk && (reserved || entry->task == SK__NO_TASK)) || !task_is_over(machine, entry->task)) continue;
      uint64_t key = (uint64_t)entry->task << 8 | entry->id;
      bool known = false;
      for (size_t k = 0; k < judged.count && !known; k++) known = judged.items[k] == key;
      if (known) continue;
      if (!sk__vec_push(&judged, key)) break;
      judge_id(machine, entry->task, entry->id);
    }
  }
  sk__vec_free(&judged);
  if (is_sk && run->status == SK_OK) sk__barriers_judge(machine);
}
