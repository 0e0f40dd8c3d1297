/* soft_sync.c - barriers and turns of vector cores that are built on device memory: each core owns a slot of
 * 32 bytes, stores it by DMA and polls those of the others. Polling reads past the checks (it races by
 * design); the order it gives is handed over by machine/soft.h. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "isa/isa.h"
#include "kernel_operator/library.h"
#include "machine/soft.h"

#define SLOT_BYTES 32u

static sk__core *begin(const char *call, const void *site) {
  sk__core *core = sk__begin(SK__AIV, SK__PIPE_S, call, site);
  if (core != NULL) sk__pipe_barrier(core, SK__PIPE_ALL);
  return core;
}

/* Vector cores that run the kernel. */
static uint32_t cores_of(const sk__core *core) {
  return core->view.task == UINT32_MAX ? core->view.block_num * core->ratio : core->view.sk_num_blocks;
}
static uint32_t block_index(const sk__core *core) { return core->block_idx * core->ratio + core->sub_block; }

/* The slots lie in one live allocation; a finding and false otherwise. */
static bool slots_exist(sk__core *core, uint64_t address, uint64_t slots) {
  sk__gm_info info;
  if (sk__gm_find(core->machine, address, &info) && address + slots * SLOT_BYTES <= info.start + info.bytes) return true;
  char at[32];
  sk__text text = sk__text_on(at, sizeof at);
  sk__text_add_address(&text, address);
  sk__instr_finding(core, "GM_OUT_OF_BOUNDS", SK__CAT_OPERATOR, SK__ERROR, "give the workspace 32 bytes per core",
                    "the workspace at %s does not hold %llu slots of 32 bytes", at, (unsigned long long)slots);
  return false;
}

/* What the barrier finds in a slot must be its own, or zero. Unwritten slots are reported by the read. */
static SK__COLD void judge_slot(sk__core *core, uint64_t slot, int32_t value) {
  sk__finding finding = {.category = SK__CAT_OPERATOR, .severity = SK__ERROR, .end_count = 2, .count = 1};
  if (!core->checks || !sk__shadow_gm_last_writer(core->checker, slot, &finding.ends[1])) return;
  sk__end *writer = &finding.ends[1];
  if (writer->instr != NULL && strcmp(writer->instr, core->instr) == 0) return;
  sk__instr_end(core, &finding.ends[0]);
  finding.ends[0].address = writer->address = slot;
  finding.ends[0].bytes = writer->bytes = sizeof value;
  writer->mem = SK__MEM_GM;
  writer->role = "left";
  sk__text_copy(finding.id, sizeof finding.id, "H35");
  snprintf(finding.message, sizeof finding.message,
           "%s of '%s' takes its workspace to be zero, but the slot of block %u holds %d, which %s of '%s' left there", core->instr,
           core->view.kernel, block_index(core), value, writer->instr != NULL ? writer->instr : "a copy",
           writer->kernel[0] != '\0' ? writer->kernel : "the host");
  sk__text_copy(finding.remedy, sizeof finding.remedy,
                "clear the workspace at the start of the operator, with a barrier behind it, or leave zeros at its end");
  sk__report(core->checker, &finding);
}

static int32_t poll(uint64_t address, uint64_t slot) {
  return __atomic_load_n((const int32_t *)(uintptr_t)(address + slot * SLOT_BYTES), __ATOMIC_RELAXED);
}

/* A slot through UB, as the framework's own code: checked like any transfer. */
static bool load_slot(sk__core *core, int32_t *scratch, uint64_t slot) {
  if (!sk__gm_load(core, SK__PIPE_MTE2, scratch, slot, SLOT_BYTES)) return false;
  sk__local_access(core, SK__PIPE_MTE2, SK__WRITE, scratch, SLOT_BYTES);
  sk__pipe_barrier(core, SK__PIPE_ALL);
  return true;
}
/* Who sees the value may rely on what was done before: published under the key. */
static void store_slot(sk__core *core, int32_t *scratch, uint64_t slot, int32_t value, uint64_t key, uint32_t round) {
  memset(scratch, 0, SLOT_BYTES);
  scratch[0] = value;
  sk__local_access(core, SK__PIPE_S, SK__WRITE, scratch, SLOT_BYTES);
  uint32_t atomics = core->atomic_type;
  core->atomic_type = 0;
  sk__pipe_barrier(core, SK__PIPE_ALL);
  sk__local_access(core, SK__PIPE_MTE3, SK__READ, scratch, SLOT_BYTES);
  (void)sk__gm_store(core, SK__PIPE_MTE3, slot, scratch, SLOT_BYTES); /* a failure has been reported */
  sk__soft_publish(core, key, round);
  sk__pipe_barrier(core, SK__PIPE_ALL);
  core->atomic_type = atomics;
}

void sk_soft_sync_all(void *workspace, void *ub, int32_t used_cores) {
  sk__core *core = begin("SyncAll", SK__SITE());
  if (core == NULL) return;
  uint64_t base = (uint64_t)(uintptr_t)workspace;
  uint32_t cores = used_cores > 0 ? (uint32_t)used_cores : cores_of(core), own = block_index(core);
  int32_t *scratch = sk__ub_operand(core, ub, SLOT_BYTES, SK__BLOCK_BYTES, "ubWorkspace");
  if (scratch == NULL || !slots_exist(core, base, cores) || !load_slot(core, scratch, base + own * SLOT_BYTES)) return;
  if (scratch[0] != 0) judge_slot(core, base + own * SLOT_BYTES, scratch[0]);
  if (used_cores > 0 && cores > cores_of(core))
    sk__instr_finding(core, "H35", SK__CAT_OPERATOR, SK__ERROR, "count the cores that run the operator, or leave usedCores out",
                      "waits for %u cores, and %u run '%s'", cores, cores_of(core), core->view.kernel);
  int32_t round = scratch[0] + 1;
  store_slot(core, scratch, base + own * SLOT_BYTES, round, base, (uint32_t)round);
  for (;;) {
    int64_t sum = 0;
    for (uint32_t i = 0; i < cores; i++) sum += poll(base, i);
    if (sum >= (int64_t)cores * round) break;
    sk__yield(core);
  }
  sk__soft_acquire(core, base, (uint32_t)round);
}

/* Polls a slot until it holds the value, then stores the other one. */
static void swap_slot(sk__core *core, void *workspace, void *ub, int32_t block, int32_t event, bool aiv_only, int32_t until,
                      int32_t then) {
  if (core == NULL) return;
  uint32_t cores = aiv_only ? core->view.block_num : 2 * core->view.block_num;
  uint64_t base = (uint64_t)(uintptr_t)workspace, slot = (uint64_t)cores * (uint32_t)event + (uint32_t)block;
  int32_t *scratch = sk__ub_operand(core, ub, SLOT_BYTES, SK__BLOCK_BYTES, "ubWorkspace");
  if (scratch == NULL || !slots_exist(core, base, slot + 1)) return;
  int32_t before = poll(base, slot);
  if (before != 0 && before != 1) judge_slot(core, base + slot * SLOT_BYTES, before);
  while (poll(base, slot) != until) sk__yield(core);
  sk__soft_acquire(core, base + slot * SLOT_BYTES, 0);
  store_slot(core, scratch, base + slot * SLOT_BYTES, then, base + slot * SLOT_BYTES, 0);
}
void sk_soft_set(void *workspace, void *ub, int32_t block, int32_t event, bool aiv_only) {
  swap_slot(begin("IBSet", SK__SITE()), workspace, ub, block, event, aiv_only, 0, 1);
}
void sk_soft_wait(void *workspace, void *ub, int32_t block, int32_t event, bool aiv_only) {
  swap_slot(begin("IBWait", SK__SITE()), workspace, ub, block, event, aiv_only, 1, 0);
}

/* ---- turns: blocks one after the other, round by round -------------------------------------------- */

/* A core's round counter stands in UB behind the slots. */
static int32_t *round_counter(sk__core *core, void *ub) {
  uint64_t slots = cores_of(core);
  uint8_t *scratch = sk__ub_operand(core, ub, (slots + 1) * SLOT_BYTES, SK__BLOCK_BYTES, "ubWorkspace");
  return scratch == NULL ? NULL : (int32_t *)(void *)(scratch + slots * SLOT_BYTES);
}

void sk_turns_begin(void *workspace, void *ub) {
  sk__core *core = begin("InitDetermineComputeWorkspace", SK__SITE());
  if (core == NULL) return;
  uint64_t base = (uint64_t)(uintptr_t)workspace;
  uint32_t cores = cores_of(core);
  int32_t *round = round_counter(core, ub);
  if (round == NULL || !slots_exist(core, base, cores)) return;
  for (uint32_t i = 0; i < cores && block_index(core) == 0; i++) store_slot(core, ub, base + i * SLOT_BYTES, 0, base, 0);
  *round = 1;
  sk__local_access(core, SK__PIPE_S, SK__WRITE, round, sizeof *round);
}

void sk_turn_wait(void *workspace, void *ub) {
  sk__core *core = begin("WaitPreBlock", SK__SITE());
  int32_t *round = core != NULL ? round_counter(core, ub) : NULL;
  if (round == NULL) return;
  uint64_t base = (uint64_t)(uintptr_t)workspace;
  uint32_t cores = cores_of(core), own = block_index(core);
  for (bool ready = false; !ready;) {
    ready = true;
    for (uint32_t i = 0; i < cores && ready; i++) ready = poll(base, i) == (i < own ? *round : 0);
    if (!ready) sk__yield(core);
  }
  sk__soft_acquire(core, base, 0);
}

void sk_turn_notify(void *workspace, void *ub) {
  sk__core *core = begin("NotifyNextBlock", SK__SITE());
  int32_t *round = core != NULL ? round_counter(core, ub) : NULL;
  if (round == NULL) return;
  uint64_t base = (uint64_t)(uintptr_t)workspace;
  uint32_t cores = cores_of(core), own = block_index(core);
  bool last = own + 1 == cores;
  for (uint32_t i = last ? 0 : own; i <= own; i++) store_slot(core, ub, base + i * SLOT_BYTES, last ? 0 : *round, base, 0);
  ++*round;
}
