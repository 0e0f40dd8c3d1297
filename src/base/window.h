/* window.h - the one fixed address window in which all simulated memories live.
 *
 * A plain access of a kernel is classified by one shift and one compare (the hooks do this), so the
 * window is a constant of the build, not a value.
 *
 *   SK__WINDOW_BASE                              + 2^41                              + 2^42
 *   | device memory (GM), 128 GiB reserved | ... | local memories, 1 MiB per core | ... |
 *
 * A core's local slot (offsets in bytes):
 *   AIV:  UB  at 0        (192 KiB)
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
#define SK__LOCAL_BASE (SK__WINDOW_BASE + (UINT64_C(1) << 41))
#define SK__LOCAL_SLOT_SHIFT 20
#define SK__LOCAL_SLOT_BYTES (UINT64_C(1) << SK__LOCAL_SLOT_SHIFT)
#define SK__MAX_CORES 128

static inline bool sk__in_window(uint64_t address) {
  return (address >> SK__WINDOW_SHIFT) == (SK__WINDOW_BASE >> SK__WINDOW_SHIFT);
}
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
