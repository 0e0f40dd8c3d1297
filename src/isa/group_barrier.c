/* group_barrier.c - GroupBarrier: some vector cores wait until others have arrived, round by round.
 *
 * The workspace holds 512 bytes per member of the larger group. Waiter i polls the number of arrivals at its start,
 * arriver i the number of waits 64 bytes behind it; each member adds to all of them by DMA, from blocks of ones
 * in the last 1600 bytes of UB. Polling reads past the checks, as in soft_sync.c. */
#include <stdio.h>

#include "base/text.h"
#include "isa/isa.h"
#include "kernel_operator/library.h"
#include "machine/soft.h"

#define SLOT_BYTES 512u
#define WAITS_OFFSET_BYTES 64u
#define MEMBERS 50u
#define ONES_OFFSET_BYTES (SK__UB_BYTES - MEMBERS * SK__BLOCK_BYTES)
#define ATOMIC_S32 4u

static uint32_t members(const sk_group_barrier *barrier) {
  return barrier->arrivers > barrier->waiters ? barrier->arrivers : barrier->waiters;
}
static uint64_t counts_of(const sk_group_barrier *barrier, bool waits) { return barrier->workspace + (waits ? WAITS_OFFSET_BYTES : 0); }
static int32_t poll(uint64_t address) { return __atomic_load_n((const int32_t *)(uintptr_t)address, __ATOMIC_RELAXED); }

static bool size_legal(sk__core *core, const char *what, uint32_t size) {
  if (size > 0 && size <= MEMBERS) return true;
  sk__bad_argument(core, what, size, "1..%u", MEMBERS);
  return false;
}

void sk_group_begin(sk_group_barrier *barrier, void *workspace, uint32_t arrivers, uint32_t waiters) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_S, "GroupBarrier", SK__SITE());
  *barrier = (sk_group_barrier){.workspace = (uint64_t)(uintptr_t)workspace, .round = 1};
  if (core == NULL || !size_legal(core, "arriveSize", arrivers) || !size_legal(core, "waitSize", waiters)) return;
  if (barrier->workspace % SLOT_BYTES != 0) {
    sk__bad_argument(core, "the workspace's address", (int64_t)barrier->workspace, "multiples of %u", SLOT_BYTES);
    return;
  }
  uint32_t count = arrivers > waiters ? arrivers : waiters;
  sk__gm_info info;
  if (!sk__gm_find(core->machine, barrier->workspace, &info) ||
      barrier->workspace + (uint64_t)count * SLOT_BYTES > info.start + info.bytes) {
    sk__instr_finding(core, "GM_OUT_OF_BOUNDS", SK__CAT_OPERATOR, SK__ERROR, "give the workspace as many bytes as GetWorkspaceLen tells",
                      "the workspace does not hold 512 bytes for each of %u members", count);
    return;
  }
  barrier->arrivers = arrivers;
  barrier->waiters = waiters;
  int32_t *ones = (int32_t *)(void *)(uintptr_t)(core->local + ONES_OFFSET_BYTES);
  for (uint32_t i = 0; i < MEMBERS * SK__BLOCK_BYTES / sizeof *ones; i++) ones[i] = i % (SK__BLOCK_BYTES / sizeof *ones) == 0;
  sk__local_access(core, SK__PIPE_S, SK__WRITE, ones, MEMBERS * SK__BLOCK_BYTES);
}

/* The running member may use the barrier under this number. */
static bool member_legal(sk__core *core, const sk_group_barrier *barrier, uint32_t index, uint32_t size) {
  if (core == NULL || barrier->arrivers == 0) return false; /* the constructor has told why */
  if (index < size) return true;
  sk__bad_argument(core, "the index in the group", index, "0..%u", size - 1);
  return false;
}

/* In the first round a count can hold what its own group has added, and no more. */
static void judge_count(sk__core *core, const sk_group_barrier *barrier, bool waits, uint32_t most) {
  uint64_t slot = counts_of(barrier, waits);
  int32_t value = poll(slot);
  if (barrier->round > 1 || !core->checks || (value >= 0 && (uint32_t)value <= most)) return;
  sk__finding finding = {.category = SK__CAT_OPERATOR, .severity = SK__ERROR, .end_count = 1, .count = 1};
  sk__instr_end(core, &finding.ends[0]);
  finding.ends[0].address = slot;
  finding.ends[0].bytes = sizeof value;
  finding.ends[0].mem = SK__MEM_GM;
  sk__text_copy(finding.id, sizeof finding.id, "H35");
  snprintf(finding.message, sizeof finding.message,
           "%s of '%s' takes its workspace to be zero, but it counts %d %s before the first round's own", core->instr, core->view.kernel,
           value, waits ? "waits" : "arrivals");
  sk__text_copy(finding.remedy, sizeof finding.remedy, "clear the workspace before every launch, or at the start with a barrier behind it");
  sk__report(core->checker, &finding);
}

/* Adds one to a count of every member; what MTE3 did before goes with it. */
static void add_to_all(sk__core *core, const sk_group_barrier *barrier, bool waits, uint32_t round) {
  const uint8_t *ones = (const uint8_t *)(uintptr_t)(core->local + ONES_OFFSET_BYTES);
  uint32_t type = core->atomic_type, op = core->atomic_op, count = members(barrier);
  core->atomic_type = ATOMIC_S32, core->atomic_op = 0;
  sk__local_access(core, SK__PIPE_MTE3, SK__READ, ones, (uint64_t)count * SK__BLOCK_BYTES);
  for (uint32_t i = 0; i < count; i++) /* a failure has been reported */
    (void)sk__gm_store(core, SK__PIPE_MTE3, counts_of(barrier, waits) + i * SLOT_BYTES, ones + i * SK__BLOCK_BYTES, SK__BLOCK_BYTES);
  core->atomic_type = type, core->atomic_op = op;
  sk__advance(core, SK__PIPE_MTE3, sk__startup(core, SK__PIPE_MTE3) + count);
  sk__soft_publish(core, counts_of(barrier, waits), round);
}

bool sk_group_arrive_ready(sk_group_barrier *barrier, uint32_t index) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_S, "GroupBarrier::Arrive", SK__SITE());
  if (!member_legal(core, barrier, index, barrier->arrivers)) return false;
  judge_count(core, barrier, false, barrier->arrivers - 1);
  if (barrier->round == 1) return true;
  uint64_t count = counts_of(barrier, true) + index * SLOT_BYTES;
  while (poll(count) != (int32_t)((barrier->round - 1) * barrier->waiters)) sk__yield(core);
  sk__soft_acquire(core, counts_of(barrier, true), barrier->round - 1);
  return true;
}
void sk_group_arrive(sk_group_barrier *barrier) {
  add_to_all(sk__enter(SK__PIPE_MTE3, "GroupBarrier::Arrive", SK__SITE()), barrier, false, barrier->round);
  barrier->round++;
  barrier->arrived = true;
}

/* A member of both groups has counted the round on when it arrived. */
static uint32_t waited_round(const sk_group_barrier *barrier) { return barrier->arrived ? barrier->round - 1 : barrier->round; }

bool sk_group_wait_ready(sk_group_barrier *barrier, uint32_t index) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_S, "GroupBarrier::Wait", SK__SITE());
  if (!member_legal(core, barrier, index, barrier->waiters)) return false;
  judge_count(core, barrier, true, barrier->waiters - 1);
  uint64_t count = counts_of(barrier, false) + index * SLOT_BYTES;
  while (poll(count) < (int32_t)(waited_round(barrier) * barrier->arrivers)) sk__yield(core);
  sk__soft_acquire(core, counts_of(barrier, false), waited_round(barrier));
  return true;
}
void sk_group_wait(sk_group_barrier *barrier) {
  add_to_all(sk__enter(SK__PIPE_MTE3, "GroupBarrier::Wait", SK__SITE()), barrier, true, waited_round(barrier));
  barrier->round = waited_round(barrier) + 1;
  barrier->arrived = false;
}
