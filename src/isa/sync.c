/* sync.c - flags, barriers, cross-core flags, system variables and caches of the C API. */
#define SK_NO_BUILTIN_VARIABLES
#include "ascendc/c_api/asc_sync.h"

#include "isa/isa.h"
#include "isa/move.h"

#define CROSS_FLAGS 16u

/* ---- pipes ----------------------------------------------------------------------------------- */

sk__pipe sk__pipe_of(int pipe) {
  switch (pipe) {
#define X(name, slot, api) \
  case api: return SK__PIPE_##name;
    SK__PIPE_LIST(X)
#undef X
  }
  return SK__PIPES;
}

/* Pipes that exist on a core type, as bits. */
static bool pipe_exists(const sk__core *core, sk__pipe pipe) {
  static const uint32_t pipes[] = {
      [SK__AIC] = 1u << SK__PIPE_S | 1u << SK__PIPE_MTE1 | 1u << SK__PIPE_MTE2 | 1u << SK__PIPE_MTE3 |
                  1u << SK__PIPE_FIX | 1u << SK__PIPE_M,
      [SK__AIV] = 1u << SK__PIPE_S | 1u << SK__PIPE_V | 1u << SK__PIPE_MTE2 | 1u << SK__PIPE_MTE3,
  };
  return (pipes[core->type] >> pipe & 1u) != 0;
}

static sk__core *enter_sync(const char *instr, const void *site) { return sk__enter(SK__PIPE_S, instr, site); }

/* ---- in-core flags and barriers -------------------------------------------------------------- */

void sk_set_flag(pipe_t src, pipe_t dst, int32_t id) {
  sk__core *core = enter_sync("asc_sync_notify", SK__SITE());
  if ((id == 6 || id == 7) && !sk__event_was_given(core, sk__pipe_of(src), sk__pipe_of(dst), (uint32_t)id))
    sk__instr_finding(core, "FLAG_RESERVED", SK__CAT_OPERATOR, SK__WARNING, "use ids 0 to 5",
                      "asc_sync_notify with event id %d: 6 and 7 belong to the system", id);
  sk__set_flag(core, sk__pipe_of(src), sk__pipe_of(dst), (uint32_t)id);
}
void sk_wait_flag(pipe_t src, pipe_t dst, int32_t id) {
  sk__core *core = enter_sync("asc_sync_wait", SK__SITE());
  sk__wait_flag(core, sk__pipe_of(src), sk__pipe_of(dst), (uint32_t)id);
}
void sk_pipe_barrier(pipe_t pipe) {
  sk__core *core = enter_sync("asc_sync_pipe", SK__SITE());
  if (pipe == PIPE_ALL) {
    sk__pipe_barrier(core, SK__PIPE_ALL);
    return;
  }
  sk__pipe which = sk__pipe_of(pipe);
  if (which == SK__PIPES || which == SK__PIPE_S) {
    sk__bad_argument(core, "the pipe", pipe, "a pipe of this core other than PIPE_S");
    return;
  }
  /* A barrier of a pipe that this core lacks is what unguarded code of a mix kernel does: nothing. */
  if (pipe_exists(core, which)) sk__pipe_barrier(core, which);
}
void asc_sync(void) { sk__pipe_barrier(enter_sync("asc_sync", SK__SITE()), SK__PIPE_ALL); }
void asc_sync_vec(void) { sk__pipe_barrier(enter_sync("asc_sync_vec", SK__SITE()), SK__PIPE_ALL); }

/* A finished transfer of `pipe` becomes visible to V and to the other DMA pipe, then a barrier of it. */
static void sync_transfer(sk__core *core, sk__pipe pipe, sk__pipe other, int id) {
  if (core->type != SK__AIV) return;
  sk__set_flag(core, pipe, other, (uint32_t)id);
  sk__wait_flag(core, pipe, other, (uint32_t)id);
  sk__set_flag(core, pipe, SK__PIPE_V, (uint32_t)id);
  sk__wait_flag(core, pipe, SK__PIPE_V, (uint32_t)id);
  sk__pipe_barrier(core, pipe);
}
void asc_sync_mte2(int id) {
  sync_transfer(enter_sync("asc_sync_mte2", SK__SITE()), SK__PIPE_MTE2, SK__PIPE_MTE3, id);
}
void asc_sync_mte3(int id) {
  sync_transfer(enter_sync("asc_sync_mte3", SK__SITE()), SK__PIPE_MTE3, SK__PIPE_MTE2, id);
}

/* ---- across cores ---------------------------------------------------------------------------- */

static bool cross_legal(sk__core *core, int32_t flag) {
  if (flag >= 0 && flag < (int32_t)CROSS_FLAGS) return true;
  sk__bad_argument(core, "the flag id", flag, "0..%u", CROSS_FLAGS - 1);
  return false;
}

void sk_cross_set(pipe_t pipe, uint32_t mode, int32_t flag) {
  static const char *const names[] = {"asc_sync_inter_arrive", "asc_sync_subblock_arrive", "asc_sync_block_arrive"};
  sk__core *core = enter_sync(mode < 3 ? names[mode] : "cross-core set", SK__SITE());
  if (mode > 2) {
    sk__bad_argument(core, "the mode", mode, "0..2");
    return;
  }
  sk__pipe which = sk__pipe_of(pipe);
  if (which == SK__PIPES || which == SK__PIPE_S || !pipe_exists(core, which)) {
    sk__bad_argument(core, "the pipe", pipe, "a pipe of this core other than PIPE_S");
    return;
  }
  if (cross_legal(core, flag)) sk__cross_set(core, which, mode, (uint32_t)flag);
}
/* The pipe of a wait means nothing on this architecture: all further issue of the core stops. */
void sk_cross_wait(pipe_t pipe, int32_t flag) {
  (void)pipe;
  sk__core *core = enter_sync("cross-core wait", SK__SITE());
  if (cross_legal(core, flag)) sk__cross_wait(core, (uint32_t)flag);
}
void sk_sync_all_aiv(void) { sk__sync_all(sk__enter_unordered("SyncAll", SK__SITE()), true); }
void sk_sync_all_mix(void) { sk__sync_all(sk__enter_unordered("SyncAll", SK__SITE()), false); }

void asc_sync_data_barrier(mem_dsb_t which) {
  sk__core *core = enter_sync("asc_sync_data_barrier", SK__SITE());
  if ((unsigned)which > DSB_SEQ) {
    sk__bad_argument(core, "the barrier", which, "DSB_ALL, DSB_DDR, DSB_UB, DSB_SEQ");
    return;
  }
  /* Scalar accesses take effect at once here: only the time passes. */
  sk__advance(core, SK__PIPE_S, sk__machine_soc(core->machine)->costs.flag_cycles);
}

/* ---- system variables ------------------------------------------------------------------------ */

void asc_init(void) {
  sk__core *core = enter_sync("asc_init", SK__SITE());
  if (core->type != SK__AIV) return;
  core->atomic_type = core->atomic_op = 0;
  sk__state_set(core, SK__STATE_ATOMIC, 0);
  sk__ctrl_set(core, SK__CTRL_COUNTER_MODE, false);
  core->mask[0] = core->mask[1] = UINT64_MAX;
  sk__state_set(core, SK__STATE_MASK, 0);
}

static sk__core *enter_scalar(const char *instr, const void *site) {
  sk__core *core = enter_sync(instr, site);
  sk__advance(core, SK__PIPE_S, 1);
  return core;
}
#define VARIABLE(name, expression)                                \
  int64_t asc_get_##name(void) {                                  \
    sk__core *core = enter_scalar("asc_get_" #name, SK__SITE());  \
    return (int64_t)(expression);                                 \
  }
/* Of an operator of vector cores alone, block_idx is the whole index; beside cube cores two vector cores have the same. Whoever
 * adds the sub-block's number is right in both, so that reading it is no finding of its own. */
int64_t asc_get_block_idx(void) {
  sk__core *core = enter_scalar("asc_get_block_idx", SK__SITE());
  if (core->view.own_ratio == 0 && core->ratio == 2) core->view.raw_index = core->view.task != UINT32_MAX;
  return core->block_idx;
}
/* In a hand-written function of a SuperKernel this is the launch's number, not the operator's. */
static SK__COLD void report_raw_number(sk__core *core) {
  uint32_t ratio = core->type == SK__AIV && core->ratio == 2 ? 2 : 1;
  bool differs = core->view.block_num * ratio != core->view.sk_num_blocks;
  sk__instr_finding(core, "H5", SK__CAT_OPERATOR, differs ? SK__ERROR : SK__WARNING,
                    "Use the block count of the system arguments (skNumBlocks)",
                    "reads the SuperKernel's block number %u; %u cores of this type run the operator", core->view.block_num,
                    core->view.sk_num_blocks);
}
int64_t asc_get_block_num(void) {
  sk__core *core = enter_scalar("asc_get_block_num", SK__SITE());
  if (core->view.raw_block_num) report_raw_number(core);
  return core->view.block_num;
}
int64_t asc_get_core_id(void) {
  sk__core *core = enter_scalar("asc_get_core_id", SK__SITE());
  if (core->view.task != UINT32_MAX)
    sk__instr_finding(core, "H38", SK__CAT_OPERATOR, SK__WARNING, "lay out the work by block and sub-block index alone",
                      "sub-kernel %s asks for the number of its physical core, which fusing changes", core->view.kernel);
  return core->index;
}
VARIABLE(sub_block_id, core->sub_block)
VARIABLE(sub_block_num, core->ratio)
VARIABLE(ctrl, core->ctrl)
VARIABLE(status, core->status)
VARIABLE(program_counter, (uintptr_t)core->site)
VARIABLE(ffts_base_addr, core->ffts_base)
#define UNKNOWN_VARIABLE(name, what)                              \
  int64_t asc_get_##name(void) {                                  \
    sk__core *core = enter_scalar("asc_get_" #name, SK__SITE());  \
    sk__not_modelled_instr(core, what);                           \
    return 0;                                                     \
  }
UNKNOWN_VARIABLE(smmu_tag_version, "the address translation tag")
UNKNOWN_VARIABLE(phy_stack_base, "the physical stack address")
UNKNOWN_VARIABLE(sys_virtual_base, "the system's virtual base address")

int64_t asc_get_system_cycle(void) {
  sk__core *core = enter_scalar("asc_get_system_cycle", SK__SITE());
  const sk__costs *costs = &sk__machine_soc(core->machine)->costs;
  return (int64_t)(core->cycles[SK__PIPE_S] * costs->system_counter_mhz / costs->clock_mhz);
}
uint64_t asc_get_overflow_status(void) { return enter_scalar("asc_get_overflow_status", SK__SITE())->status; }
uint64_t asc_get_phy_buf_addr(uint64_t offset) {
  enter_scalar("asc_get_phy_buf_addr", SK__SITE());
  return offset; /* raw UB addresses start at 0 */
}
void sk_get_arch_ver(uint32_t *version) {
  *version = sk__machine_soc(enter_scalar("asc_get_arch_ver", SK__SITE())->machine)->npu_arch;
}
void asc_set_ctrl(uint64_t value) {
  sk__core *core = enter_scalar("asc_set_ctrl", SK__SITE());
  core->ctrl = value;
  sk__state_set(core, SK__STATE_CTRL, UINT64_MAX);
}
void asc_set_ffts_base_addr(uint64_t address) {
  enter_scalar("asc_set_ffts_base_addr", SK__SITE())->ffts_base = address;
}

/* ---- caches ---------------------------------------------------------------------------------- */

void asc_dcci_single(void *address) {
  sk__core *core = enter_sync("asc_dcci_single", SK__SITE());
  sk__advance(core, SK__PIPE_S, sk__machine_soc(core->machine)->costs.dcci_line_cycles);
  sk__dcache_signal_line(core, (uint64_t)address);
}
static void clean_all(sk__core *core, bool has_lines) {
  sk__advance(core, SK__PIPE_S, sk__machine_soc(core->machine)->costs.dcci_all_cycles);
  if (has_lines) sk__dcache_clean_all(core);
}
/* The data cache holds lines of device memory only: scalar accesses to UB are direct, atomics bypass it. */
void asc_ub_dcci_single(void *address) {
  (void)address;
  sk__core *core = enter_sync("asc_ub_dcci_single", SK__SITE());
  sk__advance(core, SK__PIPE_S, sk__machine_soc(core->machine)->costs.dcci_line_cycles);
}
void asc_dcci_entire_all(void) { clean_all(enter_sync("asc_dcci_entire_all", SK__SITE()), true); }
void asc_dcci_entire_out(void) { clean_all(enter_sync("asc_dcci_entire_out", SK__SITE()), true); }
void asc_dcci_entire_ub(void) { clean_all(enter_sync("asc_dcci_entire_ub", SK__SITE()), false); }
void asc_dcci_entire_atomic(void) { clean_all(enter_sync("asc_dcci_entire_atomic", SK__SITE()), false); }

void asc_datacache_preload(uint64_t *address, int64_t offset) {
  sk__dcache_preload(enter_scalar("asc_datacache_preload", SK__SITE()), (uint64_t)address + (uint64_t)offset);
}
/* Instructions are the host's: a preload only takes its issue slot, and is done at once. */
void asc_icache_preload(const void *addr, int64_t prefetch_len) {
  (void)addr, (void)prefetch_len;
  enter_scalar("asc_icache_preload", SK__SITE());
}
int64_t asc_get_icache_preload_status(void) {
  enter_scalar("asc_get_icache_preload_status", SK__SITE());
  return 0;
}
