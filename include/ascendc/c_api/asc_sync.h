/* asc_sync.h - synchronisation, scalar functions, system variables and caches of the C API.
 *
 * Flags: set on one pipe, waited for on another; eight ids per ordered pair of pipes. Across cores:
 * sixteen counters per core. A wait that nobody answers is a deadlock, and reported as one. */
#ifndef ASC_SYNC_H
#define ASC_SYNC_H

#include "asc_types.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* ---- synchronisation ----------------------------------------------------------------------- */

void asc_init(void);
void sk_set_flag(pipe_t src, pipe_t dst, int32_t id);
void sk_wait_flag(pipe_t src, pipe_t dst, int32_t id);
void sk_pipe_barrier(pipe_t pipe);
void sk_cross_set(pipe_t pipe, uint32_t mode, int32_t flag);
void sk_cross_wait(pipe_t pipe, int32_t flag);
/* The hardware barriers over all vector cores, and over all cores of a mix launch. */
void sk_sync_all_aiv(void);
void sk_sync_all_mix(void);

#define asc_sync_notify(src_pipe, dst_pipe, id) sk_set_flag(src_pipe, dst_pipe, (int32_t)(id))
#define asc_sync_wait(src_pipe, dst_pipe, id) sk_wait_flag(src_pipe, dst_pipe, (int32_t)(id))
#define asc_sync_pipe(pipe) sk_pipe_barrier(pipe)
void asc_sync(void);
void asc_sync_vec(void);
void asc_sync_mte2(int id); /* a finished load becomes visible to V and MTE3 */
void asc_sync_mte3(int id); /* a finished store releases its source to MTE2 and V */

#define asc_sync_block_arrive(pipe, flag) sk_cross_set(pipe, 2, (int32_t)(flag))    /* AIC and its AIVs */
#define asc_sync_subblock_arrive(pipe, flag) sk_cross_set(pipe, 1, (int32_t)(flag)) /* the AIVs of a group */
#define asc_sync_inter_arrive(pipe, flag) sk_cross_set(pipe, 0, (int32_t)(flag))    /* all cores of a type */
#define asc_sync_block_wait(pipe, flag) sk_cross_wait(pipe, (int32_t)(flag))
#define asc_sync_subblock_wait(pipe, flag) sk_cross_wait(pipe, (int32_t)(flag))
#define asc_sync_inter_wait(pipe, flag) sk_cross_wait(pipe, (int32_t)(flag))
void asc_sync_data_barrier(mem_dsb_t which);

/* Early start inside a SuperKernel, for functions bound with such a capability: later operators may start once
 * the pipe has finished what it was given; earlier operators have ended. Elsewhere the calls do nothing. */
void sk_set_next_task_start(pipe_t aiv_pipe, pipe_t aic_pipe);
void sk_wait_previous_task_end(void);

/* ---- system variables ---------------------------------------------------------------------- */

int64_t asc_get_block_idx(void);
int64_t asc_get_block_num(void);
int64_t asc_get_core_id(void);
int64_t asc_get_sub_block_id(void);
int64_t asc_get_sub_block_num(void);
int64_t asc_get_ctrl(void);
int64_t asc_get_status(void);
int64_t asc_get_system_cycle(void);
int64_t asc_get_program_counter(void);
int64_t asc_get_ffts_base_addr(void);
int64_t asc_get_smmu_tag_version(void);
int64_t asc_get_phy_stack_base(void);
int64_t asc_get_sys_virtual_base(void);
uint64_t asc_get_overflow_status(void);
uint64_t asc_get_phy_buf_addr(uint64_t offset);
void asc_set_ctrl(uint64_t value);
void asc_set_ffts_base_addr(uint64_t address);

/* The compiler's variables of the same meaning. A source that has such names of its own defines
 * SK_NO_BUILTIN_VARIABLES. */
#ifndef SK_NO_BUILTIN_VARIABLES
#define block_idx asc_get_block_idx()
#define block_num asc_get_block_num()
#endif

/* ---- caches -------------------------------------------------------------------------------- */

void asc_dcci_single(void *address);
void asc_ub_dcci_single(void *address);
void asc_dcci_entire_all(void);
void asc_dcci_entire_ub(void);
void asc_dcci_entire_out(void);
void asc_dcci_entire_atomic(void);
void asc_datacache_preload(uint64_t *address, int64_t offset); /* offset in bytes */
void asc_icache_preload(const void *addr, int64_t prefetch_len); /* length in 2 KiB units */
int64_t asc_get_icache_preload_status(void);

#ifdef __cplusplus
}
void asc_get_arch_ver(uint32_t &version) __asm__("sk_get_arch_ver");
#else
void sk_get_arch_ver(uint32_t *version);
#define asc_get_arch_ver(version) sk_get_arch_ver(&(version))
#endif
#pragma GCC visibility pop

/* ---- scalar arithmetic: registers only ----------------------------------------------------- */

#define SK_SCALAR_INLINE static inline __attribute__((always_inline, unused, artificial))
SK_SCALAR_INLINE int64_t asc_clz(uint64_t value_in) { return value_in == 0 ? 64 : __builtin_clzll(value_in); }
SK_SCALAR_INLINE int64_t asc_ffs(uint64_t value) { return __builtin_ffsll((long long)value) - 1; }
SK_SCALAR_INLINE int64_t asc_ffz(uint64_t value) { return __builtin_ffsll((long long)~value) - 1; }
SK_SCALAR_INLINE int64_t asc_popc(uint64_t value) { return __builtin_popcountll(value); }
SK_SCALAR_INLINE int64_t asc_zero_bits_cnt(uint64_t value) { return 64 - __builtin_popcountll(value); }
SK_SCALAR_INLINE int64_t asc_sflbits(int64_t value) {
  return value == 0 || value == -1 ? -1 : __builtin_clrsbll(value);
}
SK_SCALAR_INLINE uint64_t asc_set_nthbit(uint64_t bits, int64_t idx) { return bits | UINT64_C(1) << (idx & 63); }
SK_SCALAR_INLINE uint64_t asc_clear_nthbit(uint64_t bits, int64_t idx) { return bits & ~(UINT64_C(1) << (idx & 63)); }

#endif
