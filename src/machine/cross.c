/* cross.c - cross-core flags: 16 counters per core, sets that wait for their group, waits that block.
 *
 * A set of mode 0, 1 or (from a vector core) 2 takes effect when every member of its group has set once
 * more; then each receiver's counter goes up by one and gets what all members published. Deliveries of
 * one id are consumed in the order in which they completed. */
#include <string.h>

#include "machine/flags.h"
#include "machine/framework.h"

/* ---- mailboxes ----------------------------------------------------------------------------- */

static void message_join(sk__machine *machine, sk__message *into, const sk__message *from) {
  if (into->cycles < from->cycles) into->cycles = from->cycles;
  if (from->snapshot == NULL) return;
  sk__snapshot *joined = sk__snapshot_new(machine->checker, into->snapshot); /* snapshots are shared: never in place */
  if (joined == NULL) return;
  sk__snapshot_join(joined, from->snapshot);
  if (into->snapshot != NULL) sk__snapshot_unref(into->snapshot);
  into->snapshot = joined;
}

static sk__message message_ref(const sk__message *message) {
  if (message->snapshot != NULL) sk__snapshot_ref(message->snapshot);
  return *message;
}

static void message_drop(sk__message *message) {
  if (message->snapshot != NULL) sk__snapshot_unref(message->snapshot);
  *message = (sk__message){0};
}

static sk__message *box_slot(sk__mailbox *box, uint32_t index) {
  if (index >= SK__FLAG_IDS) index = SK__FLAG_IDS - 1;
  return &box->items[(box->first + index) % SK__FLAG_IDS];
}

static void box_push(sk__machine *machine, sk__mailbox *box, const sk__message *message) {
  if (box->count < SK__FLAG_IDS) *box_slot(box, box->count) = message_ref(message);
  else message_join(machine, box_slot(box, box->count), message);
  box->count++;
}

/* The oldest message, now the caller's. */
static sk__message box_pop(sk__mailbox *box) {
  sk__message message = *box_slot(box, 0);
  sk__message last = *box_slot(box, SK__FLAG_IDS - 1);
  *box_slot(box, 0) = (sk__message){0};
  box->first = (box->first + 1) % SK__FLAG_IDS;
  if (box->count-- > SK__FLAG_IDS) *box_slot(box, SK__FLAG_IDS - 1) = message_ref(&last);
  return message;
}

static void box_clear(sk__mailbox *box) {
  for (uint32_t i = 0; i < SK__FLAG_IDS; i++) message_drop(&box->items[i]);
  *box = (sk__mailbox){0};
}

/* ---- groups -------------------------------------------------------------------------------- */

uint32_t sk__flag_group_size(const sk__core *core, uint32_t mode) {
  const sk__run *run = &core->machine->run;
  return mode == 0 ? run->members[core->type] : run->share[SK__AIV];
}

static sk__flag_scope *scope_of(sk__core *core, uint32_t mode) {
  sk__machine *machine = core->machine;
  if (mode == 0) return &machine->common.all[core->type];
  return mode == 1 ? &machine->pair[core->group] : &machine->up[core->group];
}

sk__flag_group *sk__flag_group_of(sk__core *core, uint32_t mode, uint32_t id) {
  if (mode == 2 && core->type == SK__AIC) return NULL;
  sk__flag_scope *scope = scope_of(core, mode);
  sk__flag_group *group = &scope->groups[id];
  if ((scope->used & 1u << id) == 0) {
    scope->used = (uint16_t)(scope->used | 1u << id);
    *group = (sk__flag_group){.missing = sk__flag_group_size(core, mode)};
  }
  return group;
}

/* Cores that a set of this mode concerns: members, or receivers. Returns their number. */
static uint32_t cores_of(sk__core *core, uint32_t mode, bool receivers, sk__core **out) {
  sk__machine *machine = core->machine;
  const sk__run *run = &machine->run;
  sk__core_type type = mode == 2 && receivers ? (core->type == SK__AIC ? SK__AIV : SK__AIC) : core->type;
  const uint8_t *cores = run->cores;
  uint32_t count = run->core_count, n = 0;
  if (mode != 0) {
    const sk__lane *lane = &run->lanes[sk__seat_of(core)->lane];
    cores = lane->cores;
    count = lane->core_count;
  }
  for (uint32_t i = 0; i < count; i++)
    if (machine->cores[cores[i]].type == type) out[n++] = &machine->cores[cores[i]];
  return n;
}

static void deliver(sk__core *to, uint32_t id, const sk__message *message) {
  sk__flag_state *flags = to->flags;
  to->flags_used = (uint16_t)(to->flags_used | 1u << id);
  box_push(to->machine, &flags->inbox[id], message);
  uint32_t count = flags->inbox[id].count;
  to->flag_count[id] = (uint8_t)(count > UINT8_MAX ? UINT8_MAX : count);
  to->machine->common.plain_users[id]++;
  sk__seat *seat = sk__seat_of(to);
  if (seat->wait == SK__WAIT_FLAG && seat->wait_id == id) sk__seat_wake(seat);
}

static void complete(sk__core *core, sk__flag_group *group, uint32_t mode, uint32_t id) {
  sk__machine *machine = core->machine;
  sk__core *members[SK__MAX_CORES], *receivers[SK__MAX_CORES];
  uint32_t member_count = cores_of(core, mode, false, members);
  uint32_t receiver_count = cores_of(core, mode, true, receivers);
  do {
    sk__message message = box_pop(&group->pending);
    group->completed++;
    machine->common.plain_users[id] -= member_count;
    for (uint32_t i = 0; i < receiver_count; i++) deliver(receivers[i], id, &message);
    message_drop(&message);
    group->missing = sk__flag_group_size(core, mode);
    for (uint32_t i = 0; i < member_count; i++)
      if (members[i]->flags->sets[mode][id] > group->completed) group->missing--;
  } while (group->missing == 0);
}

/* ---- set and wait -------------------------------------------------------------------------- */

static void publish(sk__core *core, sk__pipe pipe, sk__message *message) {
  uint64_t ready = core->cycles[pipe] > core->cycles[SK__PIPE_S] ? core->cycles[pipe] : core->cycles[SK__PIPE_S];
  ready += core->machine->soc->costs.cross_flag_cycles;
  if (message->cycles < ready) message->cycles = ready;
  if (core->checks) sk__order_publish(core->checker, &core->order, pipe, &message->snapshot);
}

void sk__flag_set_raw(sk__core *core, sk__pipe pipe, uint32_t mode, uint32_t id) {
  sk__machine *machine = core->machine;
  if (mode == 2 && machine->run.share[core->type == SK__AIC ? SK__AIV : SK__AIC] == 0) return; /* no receiver */
  sk__lock(machine);
  sk__sync_give_up(machine, id);
  core->flags_used = (uint16_t)(core->flags_used | 1u << id);
  uint32_t sets = ++core->flags->sets[mode][id];
  sk__flag_group *group = sk__flag_group_of(core, mode, id);
  if (group == NULL || (mode == 1 && sk__flag_group_size(core, mode) < 2)) { /* needs nobody else */
    sk__message message = {0};
    sk__core *receivers[SK__MAX_CORES];
    publish(core, pipe, &message);
    uint32_t n = cores_of(core, mode, true, receivers);
    for (uint32_t i = 0; i < n; i++) deliver(receivers[i], id, &message);
    message_drop(&message);
  } else {
    uint32_t ahead = sets - group->completed - 1;
    publish(core, pipe, box_slot(&group->pending, ahead));
    if (group->pending.count <= ahead) group->pending.count = ahead + 1;
    machine->common.plain_users[id]++;
    if (ahead == 0 && --group->missing == 0) complete(core, group, mode, id);
  }
  sk__unlock(machine);
}

void sk__flag_wait_raw(sk__core *core, uint32_t id) {
  sk__machine *machine = core->machine;
  sk__flag_state *flags = core->flags;
  sk__lock(machine);
  while (flags->inbox[id].count == 0) {
    sk__sync_give_up(machine, id);
    machine->common.plain_users[id]++;
    sk__seat_block(sk__seat_of(core), SK__WAIT_FLAG, id);
    sk__lock(machine);
    machine->common.plain_users[id]--;
  }
  sk__message message = box_pop(&flags->inbox[id]);
  core->flag_count[id]--;
  machine->common.plain_users[id]--;
  if (core->cycles[SK__PIPE_S] < message.cycles) core->cycles[SK__PIPE_S] = message.cycles;
  if (message.snapshot != NULL) sk__order_acquire(core->checker, &core->order, message.snapshot);
  message_drop(&message);
  sk__unlock(machine);
}

/* ---- launches ------------------------------------------------------------------------------ */

static void scope_clear(sk__flag_scope *scope) {
  for (uint32_t id = 0; scope->used != 0; id++, scope->used >>= 1)
    if ((scope->used & 1) != 0) box_clear(&scope->groups[id].pending);
}

void sk__flags_end(sk__machine *machine) {
  const sk__run *run = &machine->run;
  scope_clear(&machine->common.all[SK__AIC]);
  scope_clear(&machine->common.all[SK__AIV]);
  for (uint32_t i = 0; i < run->core_count; i++) {
    sk__core *core = &machine->cores[run->cores[i]];
    sk__flag_state *flags = core->flags;
    if (run->share[SK__AIC] != 0 && run->share[SK__AIV] != 0) { /* else they may be those of a launch that stands */
      scope_clear(&machine->pair[core->group]);
      scope_clear(&machine->up[core->group]);
    }
    if (core->flags_used == 0) continue;
    for (uint32_t id = 0; id < SK__FLAG_IDS; id++)
      if ((core->flags_used & 1u << id) != 0) box_clear(&flags->inbox[id]);
    core->flags_used = 0;
    memset(flags, 0, sizeof *flags);
    memset(core->flag_count, 0, sizeof core->flag_count);
  }
  memset(machine->common.plain_users, 0, sizeof machine->common.plain_users);
  sk__sync_end(machine);
}

/* ---- what kernels call --------------------------------------------------------------------- */

static void warn(sk__core *core, const char *id, sk__severity severity, const char *remedy, const char *format, ...)
  __attribute__((format(printf, 5, 6), noinline, cold));
static void warn(sk__core *core, const char *id, sk__severity severity, const char *remedy, const char *format, ...) {
  sk__finding finding = sk__core_finding(core, id, SK__CAT_OPERATOR, severity);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(finding.message, sizeof finding.message, format, arguments);
  va_end(arguments);
  snprintf(finding.remedy, sizeof finding.remedy, "%s", remedy);
  sk__report(core->checker, &finding);
}

void sk__flags_check_type(sk__core *core, const char *what) {
  const sk__launch *launch = core->launch;
  if (launch->is_sk || (launch->type != SK_AIV_ONLY && launch->type != SK_AIC_ONLY)) return;
  bool aic = launch->type == SK_AIC_ONLY;
  warn(core, "H10", SK__WARNING, aic ? "declare the kernel __mix__(1, 0)" : "declare the kernel __mix__(0, 1)",
       "%s in kernel '%s', which is %s only: such a launch runs without the scheduler that counts cross-core flags",
       what, core->view.kernel, aic ? "AIC" : "AIV");
}

void sk__flags_check_schedmode(sk__core *core, const char *what) {
  if (!sk__in_sub(core) || core->view.schedmode != 0 || core->view.on_sync_all != NULL) return;
  uint32_t device = core->type == SK__AIC ? core->machine->soc->aic_count : core->machine->soc->aiv_count;
  if (core->view.sk_num_blocks >= device) return; /* no SK is larger */
  warn(core, "H40", SK__WARNING, "declare the kernel __schedmode__(1)",
       "sub-kernel '%s' calls %s, which counts every core of the launch, and is not declared schedmode 1: nothing keeps it "
       "from an SK of more cores", core->view.kernel, what);
}

/* True for an id that only the hardware barriers and the matmul service may use, called by operator code. */
static bool check_id(sk__core *core, const char *what, uint32_t *id) {
  if (*id >= SK__FLAG_IDS) {
    warn(core, "H8", SK__ERROR, "use ids 0 to 10", "%s of cross-core flag id %u: the chip keeps the low four bits, so it is id %u",
         what, *id, *id % SK__FLAG_IDS);
    *id %= SK__FLAG_IDS;
  }
  uint32_t matmuls = sk__framework_of(core)->matmuls;
  if (*id < 2 * matmuls && !sk__is_sk_code(core))
    warn(core, "H8", core->launch->is_sk ? SK__ERROR : SK__WARNING, "use an id that no Matmul object owns, up to 10",
         "%s of cross-core flag id %u: ids 0 to %u belong to the %u Matmul objects of the kernel", what, *id, 2 * matmuls - 1,
         matmuls);
  if (*id < SK__ID_AIC_ALL || sk__is_sk_code(core)) return false;
  warn(core, "H8", core->launch->is_sk ? SK__ERROR : SK__WARNING, "use ids 0 to 10",
       "%s of cross-core flag id %u, which is reserved for %s", what, *id,
       *id == SK__ID_SERVICE ? "the matmul service" : "the hardware's own barriers");
  return true;
}

static bool check_set(sk__core *core, sk__pipe pipe, uint32_t mode, uint32_t id) {
  bool exists = pipe < SK__PIPES && pipe != SK__PIPE_S && sk__core_has_pipe(core->type, pipe);
  if (mode > 2 || !exists) {
    warn(core, "BAD_ARGUMENT", SK__ERROR, "use a pipe of this core other than S, and mode 0, 1 or 2",
         "cross-core set of mode %u on pipe %s: an %s has no such set", mode, sk__pipe_name(pipe),
         sk__core_type_name(core->type));
    return false;
  }
  const sk__run *run = &core->machine->run;
  if (mode != 0 && (run->share[SK__AIC] == 0 || run->share[SK__AIV] == 0)) {
    warn(core, "CROSS_NOT_MIXED", SK__ERROR, "declare the kernel __mix__(1, 1) or __mix__(1, 2)",
         "cross-core set of mode %u in a launch that starts no %s: nobody takes part in it", mode,
         sk__core_type_name(run->share[SK__AIC] == 0 ? SK__AIC : SK__AIV));
    return false;
  }
  sk__flag_state *flags = core->flags;
  if (flags->unanswered.last_mode[id] != 0 && flags->unanswered.last_mode[id] != mode + 1)
    warn(core, "H8", core->launch->is_sk ? SK__ERROR : SK__WARNING,
         "let all sets and waits of one mode complete before the id is used with another",
         "cross-core flag id %u is set with mode %u while a set with mode %u has not been waited for", id, mode,
         flags->unanswered.last_mode[id] - 1u);
  flags->unanswered.last_mode[id] = (uint8_t)(mode + 1);
  core->flags_used = (uint16_t)(core->flags_used | 1u << id);
  return true;
}

static void report_overflow(sk__core *core, const sk__core *receiver, uint32_t id) {
  warn(core, "CROSS_FLAG_OVERFLOW", SK__ERROR, "wait for the flag at least once per 15 sets",
       "cross-core flag id %u of %s %u can count more than %u sets that nobody has waited for: the chip raises an exception",
       id, sk__core_type_name(receiver->type), sk__core_number(receiver), SK__FLAG_LIMIT);
}

/* Judged by how far this core runs ahead of its own waits, so that the verdict does not hang on the
 * schedule: for group sets, of waits for the same id; for sets between AIC and AIV, of any wait, since only
 * that can hold it back. Such a set is also judged by the counter it lands in. */
static void check_overflow(sk__core *core, uint32_t mode, uint32_t id) {
  sk__flag_state *flags = core->flags;
  if (mode != 2) {
    if (++flags->lead[id] == SK__FLAG_LIMIT + 1) report_overflow(core, core, id);
    return;
  }
  sk__core *receivers[SK__MAX_CORES];
  uint32_t n = cores_of(core, mode, true, receivers);
  bool unbounded = flags->unanswered.sent[id] < UINT8_MAX && ++flags->unanswered.sent[id] == SK__FLAG_LIMIT + 1;
  for (uint32_t i = 0; i < n; i++)
    if (unbounded || receivers[i]->flags->inbox[id].count == SK__FLAG_LIMIT + 1) report_overflow(core, receivers[i], id);
}

void sk__cross_set_system(sk__core *core, sk__pipe pipe, uint32_t mode, uint32_t id) {
  id %= SK__FLAG_IDS;
  sk__checkpoint(core);
  sk__flags_check_type(core, "cross-core set");
  if (!check_set(core, pipe, mode, id)) return;
  sk__flag_set_raw(core, pipe, mode, id);
  sk__chance(core);
}

void sk__cross_set(sk__core *core, sk__pipe pipe, uint32_t mode, uint32_t id) {
  sk__checkpoint(core);
  sk__flags_check_type(core, "cross-core set");
  check_id(core, "set", &id);
  if (!check_set(core, pipe, mode, id)) return;
  if (mode == 0) sk__note_whole_barrier(core->machine);
  if (sk__ledger_note(core, (sk__act)(SK__ACT_SET0 + mode), id) && mode == 0) sk__flags_check_schedmode(core, "a set of mode 0");
  sk__flag_set_raw(core, pipe, mode, id);
  check_overflow(core, mode, id);
  sk__chance(core);
}

void sk__cross_wait_system(sk__core *core, uint32_t id) {
  id %= SK__FLAG_IDS;
  sk__checkpoint(core);
  sk__chance(core);
  sk__flags_answered(core);
  sk__flag_wait_raw(core, id);
}

void sk__cross_wait(sk__core *core, uint32_t id) {
  sk__checkpoint(core);
  sk__flags_check_type(core, "cross-core wait");
  check_id(core, "wait", &id);
  sk__chance(core);
  sk__ledger_note(core, SK__ACT_WAIT, id);
  sk__flags_answered(core);
  if (core->flags->lead[id] > 0) core->flags->lead[id]--;
  sk__flag_wait_raw(core, id);
}
