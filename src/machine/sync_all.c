/* sync_all.c - the hardware's whole-core barriers.
 *
 * By definition a barrier is a sequence of cross-core flags on ids 11 to 14, and SK programs write that
 * sequence out themselves. When all cores of the launch enter by SyncAll and nothing else is going on on
 * these ids, nobody can leave before the last has come, and all leave ordered after all: then the cores
 * just meet here and join their clocks once. At the first plain operation on such an id, the cores that
 * wait here are sent to do the flag sequence instead. */
#include "machine/flags.h"

static inline sk__rendezvous *rendezvous_of(sk__machine *machine, sk__wait_kind kind, sk__core_type type) {
  return kind == SK__WAIT_SYNC_MIX ? &machine->common.sync_mix : &machine->common.sync_aiv[type];
}

/* How many cores the barrier is for; 0: the flag sequence needs cores the launch does not start. */
static inline uint32_t members_of(const sk__run *run, sk__wait_kind kind, sk__core_type type) {
  if (kind != SK__WAIT_SYNC_MIX) return run->members[type];
  bool both = run->share[SK__AIC] != 0 && run->share[SK__AIV] != 0;
  return both ? run->members[SK__AIC] + run->members[SK__AIV] : 0;
}

/* Nobody uses the ids of this barrier by plain operations. */
static inline bool ids_idle(const sk__machine *machine, sk__wait_kind kind) {
  const uint32_t *users = machine->common.plain_users;
  if (kind == SK__WAIT_SYNC_AIV) return users[SK__ID_AIV_ALL] == 0;
  return (users[SK__ID_AIC_ALL] | users[SK__ID_AIV_TO_AIC] | users[SK__ID_AIC_TO_AIV]) == 0;
}

/* Wakes all that wait in this barrier; slow = to do the flag sequence. */
static void release(sk__machine *machine, sk__rendezvous *rendezvous, bool slow) {
  sk__seats_wake(machine, rendezvous->waiting, slow);
  memset(rendezvous->waiting, 0, sizeof rendezvous->waiting);
  rendezvous->arrived = 0;
}

static void give_up(sk__machine *machine, sk__rendezvous *rendezvous) {
  if (rendezvous->arrived == 0) return;
  sk__meeting_break(&rendezvous->meeting);
  release(machine, rendezvous, true);
}

void sk__sync_give_up(sk__machine *machine, uint32_t id) {
  if (id < SK__ID_AIC_ALL || id > SK__ID_AIV_ALL) return;
  if (id == SK__ID_AIV_ALL) {
    for (sk__core_type type = SK__AIC; type <= SK__AIV; type++) give_up(machine, &machine->common.sync_aiv[type]);
  } else {
    give_up(machine, &machine->common.sync_mix);
  }
}

void sk__sync_end(sk__machine *machine) {
  sk__rendezvous *all[] = {&machine->common.sync_aiv[SK__AIC], &machine->common.sync_aiv[SK__AIV], &machine->common.sync_mix};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    sk__meeting_end(&all[i]->meeting);
    *all[i] = (sk__rendezvous){0};
  }
}

/* Leaves the barrier: one clock for all, and the order of all. Lock held. */
static inline void depart(sk__core *core, sk__rendezvous *rendezvous) {
  uint64_t cycles = rendezvous->agreed_cycles;
  for (uint32_t pipe = 0; pipe < SK__PIPES; pipe++) core->cycles[pipe] = cycles;
  if (core->checks) sk__meeting_depart(&rendezvous->meeting, &core->order);
}

static void flag_sequence(sk__core *core, sk__wait_kind kind) {
  sk__pipe_barrier(core, SK__PIPE_ALL);
  sk__pipe out = core->type == SK__AIC ? SK__PIPE_FIX : SK__PIPE_MTE3;
  if (kind == SK__WAIT_SYNC_AIV) {
    sk__flag_set_raw(core, out, 0, SK__ID_AIV_ALL);
    sk__flag_wait_raw(core, SK__ID_AIV_ALL);
  } else if (core->type == SK__AIV) {
    sk__flag_set_raw(core, out, 2, SK__ID_AIV_TO_AIC);
    sk__flag_wait_raw(core, SK__ID_AIC_TO_AIV);
  } else {
    sk__flag_wait_raw(core, SK__ID_AIV_TO_AIC);
    sk__flag_set_raw(core, out, 0, SK__ID_AIC_ALL);
    sk__flag_wait_raw(core, SK__ID_AIC_ALL);
    sk__flag_set_raw(core, SK__PIPE_MTE3, 2, SK__ID_AIC_TO_AIV);
  }
}

static __attribute__((noinline)) void last_arrives(sk__core *core, sk__rendezvous *rendezvous) {
  sk__machine *machine = core->machine;
  sk__note_whole_barrier(machine);
  if (core->checks) sk__meeting_complete(&rendezvous->meeting);
  rendezvous->agreed_cycles = rendezvous->cycles;
  release(machine, rendezvous, false);
  depart(core, rendezvous);
  sk__unlock(machine);
  sk__chance(core);
}

static __attribute__((noinline)) void fall_back(sk__core *core, sk__seat *seat, sk__wait_kind kind) {
  seat->resume_slow = false;
  flag_sequence(core, kind);
}

static __attribute__((noinline)) void remark(sk__core *core, bool aiv_only) {
  if (core->view.on_sync_all != NULL) core->view.on_sync_all(core, aiv_only);
  sk__flags_check_type(core, "SyncAll");
  if (sk__in_sub(core) && sk__ledger_note(core, aiv_only ? SK__ACT_SYNC_AIV : SK__ACT_SYNC_MIX, 0))
    sk__flags_check_schedmode(core, "SyncAll");
}

void sk__sync_all(sk__core *core, bool aiv_only) {
  sk__machine *machine = core->machine;
  sk__wait_kind kind = aiv_only ? SK__WAIT_SYNC_AIV : SK__WAIT_SYNC_MIX;
  sk__checkpoint(core);
  if (machine->run.remarks) remark(core, aiv_only);
  if (core->flags_used != 0) sk__flags_answered(core);
  uint32_t members = members_of(&machine->run, kind, core->type);
  sk__lock(machine);
  if (members == 0 || !ids_idle(machine, kind)) {
    sk__unlock(machine);
    flag_sequence(core, kind);
    return;
  }
  sk__rendezvous *rendezvous = rendezvous_of(machine, kind, core->type);
  if (rendezvous->arrived == 0) rendezvous->cycles = 0;
  uint64_t mine = sk__core_latest_cycles(core) + machine->soc->costs.sync_all_cycles;
  if (rendezvous->cycles < mine) rendezvous->cycles = mine;
  if (core->checks) sk__meeting_arrive(machine->checker, &rendezvous->meeting, &core->order, members);
  if (++rendezvous->arrived == members) {
    last_arrives(core, rendezvous);
    return;
  }
  rendezvous->waiting[core->index / 64] |= UINT64_C(1) << core->index % 64;
  sk__seat *seat = sk__seat_of(core);
  sk__seat_block(seat, kind, 0);
  if (seat->resume_slow) {
    fall_back(core, seat, kind);
    return;
  }
  sk__lock(machine);
  depart(core, rendezvous);
  sk__unlock(machine);
}
