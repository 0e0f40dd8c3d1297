/* window.h - the one fixed address window in which all simulated memories live.
 *
 * A plain access of a kernel is classified by one shift and one compare (the hooks do this), so the
 * window is a constant of the build, not a value.
 *
 *   SK__WINDOW_BASE              + 2^38                    + 2^41                            + 2^42
 *   | device memory (GM), 128 GiB | the simulator's tables | local memories, 1 MiB per core | ... |
 *
 * The tables (sk__reserve) lie here so that the same compare keeps kernels away from them: a plain access to
 * the window that is neither device memory nor the core's own UB is a finding, and never carried out.
 *
 * A core's local slot (offsets in bytes):
 *   AIV:  UB  at 0        (192 KiB; 256 KiB behind it serve arrays that guards have pushed on, machine/locals.c)
 *   AIC:  L1  at 0        (512 KiB), L0A at 512 KiB (64), L0B at 576 KiB (64), L0C at 640 KiB (128),
 *         BT  at 768 KiB  (1 KiB),   FB  at 772 KiB (8 KiB: FB0..FB3 of 2 KiB each)
 */
#ifndef SK_BASE_WINDOW_H
#define SK_BASE_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#define SK__WINDOW_SHIFT 42
#define SK__WINDOW_BASE UINT64_C(0x200000000000)
#define SK__GM_BASE SK__WINDOW_BASE
#define SK__GM_BYTES (UINT64_C(1) << 37)
#define SK__TABLES_BASE (SK__WINDOW_BASE + (UINT64_C(1) << 38))
#define SK__LOCAL_BASE (SK__WINDOW_BASE + (UINT64_C(1) << 41))
#define SK__LOCAL_SLOT_SHIFT 20
#define SK__LOCAL_SLOT_BYTES (UINT64_C(1) << SK__LOCAL_SLOT_SHIFT)
#define SK__UB_GUARD_ROOM (256u << 10)
#define SK__MAX_CORES 128

static inline bool sk__in_window(uint64_t address) {
  return (address >> SK__WINDOW_SHIFT) == (SK__WINDOW_BASE >> SK__WINDOW_SHIFT);
}
/* The same in every run. Others are the host's, which the loader and the allocator choose anew: they are not told. */
static inline bool sk__is_stable_address(uint64_t address) { return address < UINT64_C(1) << 32 || sk__in_window(address); }
static inline bool sk__in_gm(uint64_t address) { return address - SK__GM_BASE < SK__GM_BYTES; }
static inline bool sk__in_local(uint64_t address) {
  return address - SK__LOCAL_BASE < SK__MAX_CORES * SK__LOCAL_SLOT_BYTES;
}
/* Machine-wide core index of a local address (only if sk__in_local). */
static inline uint32_t sk__local_core(uint64_t address) {
  return (uint32_t)((address - SK__LOCAL_BASE) >> SK__LOCAL_SLOT_SHIFT);
}
static inline uint64_t sk__local_slot(uint32_t core_index) {
  return SK__LOCAL_BASE + ((uint64_t)core_index << SK__LOCAL_SLOT_SHIFT);
}

#endif
