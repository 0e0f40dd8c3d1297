/* soc.h - chip profiles: what a simulated chip has, as data.
 *
 * Every number names its source in the profile table (soc.c): "sheet" = documented fact,
 * "inferred" = deduced, "estimate" = a cost model parameter nobody documents. */
#ifndef SK_SOC_SOC_H
#define SK_SOC_SOC_H

#include <stddef.h>
#include <stdint.h>

#define SK__API __attribute__((visibility("default")))

/* Pipes of a core, in slots 0..6; the enumerators of the kernel API (PIPE_*) differ: FIX is 10 there. */
#define SK__PIPE_LIST(X) \
  X(S, 0, 0)             \
  X(V, 1, 1)             \
  X(M, 2, 2)             \
  X(MTE1, 3, 3)          \
  X(MTE2, 4, 4)          \
  X(MTE3, 5, 5)          \
  X(FIX, 6, 10)
typedef enum sk__pipe {
#define X(name, slot, api) SK__PIPE_##name = (slot),
  SK__PIPE_LIST(X)
#undef X
  SK__PIPES = 7,
  SK__PIPE_ALL = 7, /* barrier only */
} sk__pipe;

typedef enum sk__core_type { SK__AIC = 0, SK__AIV = 1 } sk__core_type;

/* On-chip memories of a core. */
#define SK__MEM_LIST(X) X(GM) X(UB) X(L1) X(L0A) X(L0B) X(L0C) X(BT) X(FB)
typedef enum sk__mem {
#define X(name) SK__MEM_##name,
  SK__MEM_LIST(X)
#undef X
  SK__MEMS
} sk__mem;

/* Cost model parameters: cycles = startup + work / rate. All are estimates of a documented or deduced
 * rate; results computed with them are labelled "estimate". */
typedef struct sk__costs {
  uint32_t clock_mhz;              /* core clock */
  uint32_t system_counter_mhz;     /* what asc_get_system_cycle counts */
  uint32_t startup_cycles[SK__PIPES];
  uint32_t gm_read_bytes_per_cycle, gm_write_bytes_per_cycle; /* per core, MTE2 / MTE3 */
  uint32_t gm_latency_cycles;      /* first byte of a GM transfer */
  uint32_t l1_l0a_bytes_per_cycle, l1_l0b_bytes_per_cycle, l1_bt_bytes_per_cycle;
  uint32_t l0c_elems_per_cycle;
  uint32_t scalar_cycles;          /* one scalar access or call */
  uint32_t dcache_miss_cycles, dcci_line_cycles, dcci_all_cycles;
  uint32_t flag_cycles;            /* set/wait of an in-core event */
  uint32_t cross_flag_cycles;      /* set to visible on the other core */
  uint32_t sync_all_cycles;        /* one hardware SyncAll over all cores */
  uint32_t launch_cycles;          /* gap between two launches on one stream */
  uint32_t sub_call_cycles;        /* SK program: one FUNC task */
} sk__costs;

typedef struct sk__soc {
  const char *name;                /* "ascend910_93" */
  const char *title;               /* for people */
  uint32_t aic_count, aiv_count;   /* aiv_count = 2 * aic_count */
  uint32_t ub_bytes, l1_bytes, l0a_bytes, l0b_bytes, l0c_bytes, bt_bytes, fb_bytes;
  uint32_t dcache_bytes[2];        /* by sk__core_type; lines of 64 bytes */
  uint32_t icache_bytes[2];
  uint64_t gm_bytes;               /* size of device memory */
  uint64_t l2_bytes;
  uint32_t npu_arch;               /* 2201 */
  sk__costs costs;
} sk__soc;

/* All profiles, *count of them; the first is the default. Static storage. */
SK__API const sk__soc *sk__soc_all(size_t *count);
/* Profile by name (exact, lower case); NULL when unknown. NULL name = default profile. */
SK__API const sk__soc *sk__soc_find(const char *name);
const char *sk__pipe_name(sk__pipe pipe);
const char *sk__mem_name(sk__mem mem);
const char *sk__core_type_name(sk__core_type type);
/* Capacity in bytes of an on-chip memory on a core of this type; 0 where it does not exist. */
uint32_t sk__mem_bytes(const sk__soc *soc, sk__core_type type, sk__mem mem);
/* Offset of the memory inside a core's local slot (window.h); 0 for GM, which is in no slot. */
uint32_t sk__mem_slot_offset(sk__mem mem);

/* Where a number of a profile comes from. */
#define SK__ORIGIN_LIST(X) X(SHEET, "sheet") X(INFERRED, "inferred") X(ESTIMATE, "estimate")
typedef enum sk__origin {
#define X(name, text) SK__ORIGIN_##name,
  SK__ORIGIN_LIST(X)
#undef X
  SK__ORIGINS
} sk__origin;
const char *sk__origin_name(sk__origin origin);

/* The numbers of a profile with their origins, for people: *count of them, static storage; NULL for a
 * record that is not one of sk__soc_all. */
typedef struct sk__soc_fact {
  const char *field; /* as in C: "costs.clock_mhz" */
  uint64_t value;
  sk__origin origin;
  const char *note;
} sk__soc_fact;
SK__API const sk__soc_fact *sk__soc_facts(const sk__soc *soc, size_t *count);

#endif
