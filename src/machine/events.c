/* events.c - synchronisation inside a core: event flags between pipes, and pipe barriers. */
#include <string.h>

#include "machine/flags.h"

/* Pairs that exist, per core type; every pair with S is listed like any other. */
#define AIV_PAIRS(X) \
  X(MTE2, V) X(V, MTE2) X(MTE3, V) X(V, MTE3) X(V, V) X(MTE3, MTE2) X(MTE2, MTE3) \
  X(S, V) X(V, S) X(S, MTE2) X(MTE2, S) X(S, MTE3) X(MTE3, S)
#define AIC_PAIRS(X) \
  X(MTE2, MTE1) X(MTE1, MTE2) X(MTE1, M) X(M, MTE1) X(MTE3, MTE1) X(MTE1, MTE3) X(MTE2, M) X(M, MTE2) \
  X(M, FIX) X(FIX, M) X(MTE3, MTE2) X(MTE2, MTE3) X(S, MTE2) X(MTE2, S) X(S, MTE3) X(MTE3, S) \
  X(MTE2, FIX) X(FIX, MTE2) X(FIX, S) X(M, S) X(FIX, MTE3) X(MTE1, FIX) X(FIX, MTE1) X(FIX, FIX)
static const uint8_t pairs[2][SK__PIPE_SLOTS][SK__PIPE_SLOTS] = {
#define X(src, dst) [SK__AIC][SK__PIPE_##src][SK__PIPE_##dst] = 1,
  AIC_PAIRS(X)
#undef X
#define X(src, dst) [SK__AIV][SK__PIPE_##src][SK__PIPE_##dst] = 1,
  AIV_PAIRS(X)
#undef X
};

static uint32_t slot_of(sk__pipe src, sk__pipe dst, uint32_t id) {
  return ((uint32_t)src * SK__PIPE_SLOTS + (uint32_t)dst) * SK__EVENT_IDS + id;
}

static __attribute__((noinline, cold)) void report(sk__core *core, const char *id, sk__pipe src, sk__pipe dst,
                                                   uint32_t event, const char *words, const char *remedy) {
  sk__finding finding = sk__core_finding(core, id, SK__CAT_OPERATOR, SK__ERROR);
  snprintf(finding.message, sizeof finding.message, "event flag %s to %s, id %u, on an %s: %s", sk__pipe_name(src),
           sk__pipe_name(dst), event, sk__core_type_name(core->type), words);
  snprintf(finding.remedy, sizeof finding.remedy, "%s", remedy);
  if (src < SK__PIPES && dst < SK__PIPES && event < SK__EVENT_IDS && (core->events[src][dst] >> event & 1) != 0)
    sk__finding_end(&finding, core, "set before", sk__seat_of(core)->event_sites[slot_of(src, dst, event)], NULL);
  sk__report(core->checker, &finding);
}

static bool check_flag(sk__core *core, sk__pipe src, sk__pipe dst, uint32_t id) {
  if (src >= SK__PIPES || dst >= SK__PIPES || pairs[core->type][src][dst] == 0) {
    report(core, "FLAG_NO_PAIR", src, dst, id, "this pair of pipes has no flags", "use a pair of pipes the core has");
    return false;
  }
  if (id >= SK__EVENT_IDS) {
    report(core, "BAD_ARGUMENT", src, dst, id, "ids go from 0 to 7", "use ids 0 to 5; 6 and 7 belong to the system");
    return false;
  }
  return true;
}

static inline uint64_t ready_at(const sk__core *core, sk__pipe pipe) {
  return core->cycles[pipe] > core->cycles[SK__PIPE_S] ? core->cycles[pipe] : core->cycles[SK__PIPE_S];
}

void sk__set_flag(sk__core *core, sk__pipe src, sk__pipe dst, uint32_t id) {
  sk__checkpoint(core);
  if (!check_flag(core, src, dst, id)) return;
  if ((core->events[src][dst] >> id & 1) != 0)
    report(core, "FLAG_SET_TWICE", src, dst, id, "set again before anybody waited for it",
           "wait for the flag once between two sets of it");
  uint32_t slot = slot_of(src, dst, id);
  core->events[src][dst] = (uint8_t)(core->events[src][dst] | 1u << id);
  sk__seat_of(core)->event_sites[slot] = core->site;
  core->event_cycles[slot] = ready_at(core, src) + core->machine->soc->costs.flag_cycles;
  if (core->checks) sk__order_set_flag(&core->order, src, &core->event_clocks[slot]);
  sk__chance(core);
}

void sk__wait_flag(sk__core *core, sk__pipe src, sk__pipe dst, uint32_t id) {
  sk__checkpoint(core);
  if (!check_flag(core, src, dst, id)) return;
  if ((core->events[src][dst] >> id & 1) == 0) {
    report(core, "FLAG_UNPAIRED", src, dst, id, "waited for, but not set before: the chip hangs here",
           "set the flag on the source pipe before it is waited for");
    return;
  }
  uint32_t slot = slot_of(src, dst, id);
  core->events[src][dst] = (uint8_t)(core->events[src][dst] & ~(1u << id));
  if (core->cycles[dst] < core->event_cycles[slot]) core->cycles[dst] = core->event_cycles[slot];
  if (core->checks) sk__order_wait_flag(&core->order, dst, &core->event_clocks[slot]);
  sk__chance(core);
}

void sk__pipe_barrier(sk__core *core, sk__pipe pipe) {
  sk__checkpoint(core);
  if (pipe == SK__PIPE_ALL) {
    uint64_t latest = sk__core_latest_cycles(core);
    for (uint32_t p = 0; p < SK__PIPES; p++) core->cycles[p] = latest;
  } else if (pipe >= SK__PIPES || pipe == SK__PIPE_S || !sk__core_has_pipe(core->type, pipe)) {
    sk__finding finding = sk__core_finding(core, "BAD_ARGUMENT", SK__CAT_OPERATOR, SK__ERROR);
    snprintf(finding.message, sizeof finding.message, "pipe barrier on pipe %s: an %s has no such barrier",
             sk__pipe_name(pipe), sk__core_type_name(core->type));
    snprintf(finding.remedy, sizeof finding.remedy, "use a pipe of this core other than S, or all pipes");
    sk__report(core->checker, &finding);
    return;
  }
  if (core->checks) sk__order_barrier(&core->order, pipe);
  sk__chance(core);
}

/* ---- what is left over --------------------------------------------------------------------- */

static __attribute__((noinline, cold)) void report_left(sk__core *core, sk__pipe src, sk__pipe dst, uint32_t id, bool set) {
  sk__finding finding = sk__core_finding(core, sk__in_sub(core) ? "H22" : "FLAG_UNPAIRED", SK__CAT_OPERATOR,
                                         core->launch->is_sk ? SK__ERROR : SK__WARNING);
  finding.end_count = 0;
  sk__finding_end(&finding, core, set ? "sets" : "waits", sk__seat_of(core)->event_sites[slot_of(src, dst, id)], NULL);
  snprintf(finding.message, sizeof finding.message, "event flag %s to %s, id %u, on an %s is %s at the end of '%s'",
           sk__pipe_name(src), sk__pipe_name(dst), id, sk__core_type_name(core->type),
           set ? "still set" : "taken from what ran before", core->view.kernel);
  snprintf(finding.remedy, sizeof finding.remedy, "pair every set with one wait on every path through the kernel");
  sk__report(core->checker, &finding);
}

void sk__events_judge(sk__core *core) {
  const uint8_t(*before)[SK__PIPE_SLOTS] = sk__seat_of(core)->events_at_begin;
  if (memcmp(core->events, before, sizeof core->events) == 0) return;
  for (uint32_t src = 0; src < SK__PIPES; src++)
    for (uint32_t dst = 0; dst < SK__PIPES; dst++) {
      uint32_t now = core->events[src][dst];
      for (uint32_t id = 0, left = now ^ before[src][dst]; left != 0; id++, left >>= 1)
        if ((left & 1) != 0) report_left(core, (sk__pipe)src, (sk__pipe)dst, id, (now >> id & 1) != 0);
    }
}
