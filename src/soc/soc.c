/* soc.c - the chip profiles.
 *
 * Each number is written once, as X(field, value, origin, note); the record the machine uses and the list
 * of facts that people read both come from that line. */
#include "soc/soc.h"

#include <string.h>

#include "base/window.h"

#define KIB(n) ((n) * 1024u)
#define MIB(n) (UINT64_C(n) << 20)
#define GIB(n) (UINT64_C(n) << 30)

/* What every chip of architecture 2201 has. */
#define ARCH_2201(X)                                                                                       \
  X(npu_arch, 2201, SHEET, "cube and vector cores apart")                                                  \
  X(ub_bytes, KIB(192), SHEET, "per AIV")                                                                  \
  X(l1_bytes, KIB(512), SHEET, "per AIC")                                                                  \
  X(l0a_bytes, KIB(64), SHEET, "per AIC")                                                                  \
  X(l0b_bytes, KIB(64), SHEET, "per AIC")                                                                  \
  X(l0c_bytes, KIB(128), SHEET, "per AIC")                                                                 \
  X(bt_bytes, KIB(1), SHEET, "per AIC")                                                                    \
  X(fb_bytes, KIB(8), INFERRED, "four sub-buffers of 2 KiB; one page says 2 KiB in all")                   \
  X(dcache_bytes[SK__AIC], KIB(16), SHEET, "lines of 64 bytes; one page says 32 KiB")                      \
  X(dcache_bytes[SK__AIV], KIB(32), SHEET, "lines of 64 bytes")                                            \
  X(icache_bytes[SK__AIC], KIB(32), SHEET, "lines of 128 bytes")                                           \
  X(icache_bytes[SK__AIV], KIB(16), SHEET, "lines of 128 bytes")                                           \
  X(l2_bytes, MIB(192), SHEET, "shared by all cores, coherent for DMA")

/* Times. Startups are the time from issue to the first result of an instruction whose data is near. */
#define COSTS_2201(X)                                                                                      \
  X(costs.clock_mhz, 1850, ESTIMATE, "documented as about 1500 to 1850")                                   \
  X(costs.system_counter_mhz, 50, SHEET, "")                                                               \
  X(costs.startup_cycles[SK__PIPE_S], 1, ESTIMATE, "")                                                     \
  X(costs.startup_cycles[SK__PIPE_V], 16, ESTIMATE, "depth of the vector unit")                            \
  X(costs.startup_cycles[SK__PIPE_M], 24, ESTIMATE, "depth of the cube unit")                              \
  X(costs.startup_cycles[SK__PIPE_MTE1], 24, ESTIMATE, "")                                                 \
  X(costs.startup_cycles[SK__PIPE_MTE2], 32, ESTIMATE, "without gm_latency_cycles")                        \
  X(costs.startup_cycles[SK__PIPE_MTE3], 32, ESTIMATE, "without gm_latency_cycles")                        \
  X(costs.startup_cycles[SK__PIPE_FIX], 32, ESTIMATE, "")                                                  \
  X(costs.gm_latency_cycles, 550, ESTIMATE, "about 300 ns")                                                \
  X(costs.l1_l0a_bytes_per_cycle, 256, SHEET, "")                                                          \
  X(costs.l1_l0b_bytes_per_cycle, 128, SHEET, "")                                                          \
  X(costs.l1_bt_bytes_per_cycle, 32, SHEET, "L1 to FB likewise")                                           \
  X(costs.l0c_elems_per_cycle, 64, SHEET, "documented for L0C to L1")                                      \
  X(costs.scalar_cycles, 1, ESTIMATE, "a hit in the data cache")                                           \
  X(costs.dcache_miss_cycles, 400, ESTIMATE, "about 220 ns, mostly from L2")                               \
  X(costs.dcci_line_cycles, 60, ESTIMATE, "")                                                              \
  X(costs.dcci_all_cycles, 900, ESTIMATE, "half a microsecond for 256 to 512 lines")                       \
  X(costs.flag_cycles, 8, ESTIMATE, "")                                                                    \
  X(costs.cross_flag_cycles, 370, ESTIMATE, "about 200 ns")                                                \
  X(costs.launch_cycles, 5550, ESTIMATE, "about 3 us between two kernels of one stream")                   \
  X(costs.sub_call_cycles, 370, ESTIMATE, "about 200 ns")

/* GM rates: 1.6 TB/s of device memory are 865 bytes per cycle, shared by the vector cores of a full chip. */
#define ASCEND910_93(X)                                                                                    \
  X(aic_count, 24, SHEET, "per die; a device is one die")                                                  \
  X(aiv_count, 48, SHEET, "two per AIC")                                                                   \
  X(gm_bytes, GIB(64), INFERRED, "per die")                                                                \
  X(costs.gm_read_bytes_per_cycle, 18, ESTIMATE, "1.6 TB/s over 48 cores")                                 \
  X(costs.gm_write_bytes_per_cycle, 18, ESTIMATE, "1.6 TB/s over 48 cores")                                \
  X(costs.sync_all_cycles, 2800, ESTIMATE, "about 1.5 us")

#define ASCEND910B3(X)                                                                                     \
  X(aic_count, 20, SHEET, "")                                                                              \
  X(aiv_count, 40, SHEET, "two per AIC")                                                                   \
  X(gm_bytes, GIB(64), INFERRED, "as documented for B2")                                                   \
  X(costs.gm_read_bytes_per_cycle, 21, ESTIMATE, "1.6 TB/s over 40 cores")                                 \
  X(costs.gm_write_bytes_per_cycle, 21, ESTIMATE, "1.6 TB/s over 40 cores")                                \
  X(costs.sync_all_cycles, 2800, ESTIMATE, "about 1.5 us")

/* No real chip: small, so that tests reach every core and the end of the memory. */
#define TEST_CHIP(X)                                                                                       \
  X(aic_count, 2, ESTIMATE, "no real chip")                                                                \
  X(aiv_count, 4, ESTIMATE, "two per AIC")                                                                 \
  X(gm_bytes, GIB(1), ESTIMATE, "no real chip")                                                            \
  X(costs.gm_read_bytes_per_cycle, 18, ESTIMATE, "as ascend910_93")                                        \
  X(costs.gm_write_bytes_per_cycle, 18, ESTIMATE, "as ascend910_93")                                       \
  X(costs.sync_all_cycles, 1850, ESTIMATE, "about 1 us")

/* X(list of the profile's own numbers, name, title); the first is the default. */
#define PROFILES(X)                                                                                        \
  X(ASCEND910_93, "ascend910_93", "Ascend 910_93 (A3), one die: 24 cube and 48 vector cores")              \
  X(ASCEND910B3, "ascend910b3", "Ascend 910B3 (A2): 20 cube and 40 vector cores")                          \
  X(TEST_CHIP, "test", "test chip: 2 cube and 4 vector cores")

#define MEMBER(field, number, origin, note) .field = (number),
#define FACT(field, number, origin, note) {#field, (number), SK__ORIGIN_##origin, note},

static const sk__soc profiles[] = {
#define X(own, profile_name, profile_title) \
  {.name = profile_name, .title = profile_title, own(MEMBER) ARCH_2201(MEMBER) COSTS_2201(MEMBER)},
  PROFILES(X)
#undef X
};
#define PROFILE_COUNT (sizeof profiles / sizeof profiles[0])

#define X(own, profile_name, profile_title) \
  static const sk__soc_fact facts_##own[] = {own(FACT) ARCH_2201(FACT) COSTS_2201(FACT)};
PROFILES(X)
#undef X

static const struct {
  const sk__soc_fact *items;
  size_t count;
} facts[] = {
#define X(own, profile_name, profile_title) {facts_##own, sizeof facts_##own / sizeof facts_##own[0]},
  PROFILES(X)
#undef X
};

const sk__soc *sk__soc_all(size_t *count) {
  *count = PROFILE_COUNT;
  return profiles;
}

const sk__soc *sk__soc_find(const char *name) {
  if (name == NULL) return &profiles[0];
  for (size_t i = 0; i < PROFILE_COUNT; i++)
    if (strcmp(profiles[i].name, name) == 0) return &profiles[i];
  return NULL;
}

const sk__soc_fact *sk__soc_facts(const sk__soc *soc, size_t *count) {
  for (size_t i = 0; i < PROFILE_COUNT; i++) {
    if (soc != &profiles[i]) continue;
    *count = facts[i].count;
    return facts[i].items;
  }
  *count = 0;
  return NULL;
}

const char *sk__origin_name(sk__origin origin) {
  static const char *const names[] = {
#define X(name, text) text,
    SK__ORIGIN_LIST(X)
#undef X
  };
  return (unsigned)origin < SK__ORIGINS ? names[origin] : "?";
}

const char *sk__pipe_name(sk__pipe pipe) {
  static const char *const names[] = {
#define X(name, slot, api) [slot] = #name,
    SK__PIPE_LIST(X)
#undef X
    [SK__PIPE_ALL] = "ALL",
  };
  return (unsigned)pipe <= SK__PIPE_ALL ? names[pipe] : "?";
}

const char *sk__mem_name(sk__mem mem) {
  static const char *const names[] = {
#define X(name) #name,
    SK__MEM_LIST(X)
#undef X
  };
  return (unsigned)mem < SK__MEMS ? names[mem] : "?";
}

const char *sk__core_type_name(sk__core_type type) {
  switch (type) {
    case SK__AIC: return "AIC";
    case SK__AIV: return "AIV";
  }
  return "?";
}

uint32_t sk__mem_bytes(const sk__soc *soc, sk__core_type type, sk__mem mem) {
  if (type == SK__AIV) return mem == SK__MEM_UB ? soc->ub_bytes : 0;
  switch (mem) {
    case SK__MEM_L1: return soc->l1_bytes;
    case SK__MEM_L0A: return soc->l0a_bytes;
    case SK__MEM_L0B: return soc->l0b_bytes;
    case SK__MEM_L0C: return soc->l0c_bytes;
    case SK__MEM_BT: return soc->bt_bytes;
    case SK__MEM_FB: return soc->fb_bytes;
    case SK__MEM_GM:
    case SK__MEM_UB:
    case SK__MEMS: break;
  }
  return 0;
}

uint32_t sk__mem_slot_offset(sk__mem mem) {
  switch (mem) {
    case SK__MEM_L0A: return KIB(512);
    case SK__MEM_L0B: return KIB(576);
    case SK__MEM_L0C: return KIB(640);
    case SK__MEM_BT: return KIB(768);
    case SK__MEM_FB: return KIB(772);
    case SK__MEM_GM:
    case SK__MEM_UB:
    case SK__MEM_L1:
    case SK__MEMS: break;
  }
  return 0;
}

_Static_assert(KIB(772) + KIB(8) <= SK__LOCAL_SLOT_BYTES, "the memories of a core fit its slot");
