/* locals.c - arrays a kernel declares in local memory. Each declaration has a static slot; on every core
 * it stands at one place from the first time it is met until the kernel or sub-kernel ends. The launch's
 * dynamic UB comes first, the arrays follow in the order in which they are met. */
#include <stdio.h>

#include "base/log.h"
#include "machine/framework.h"
#include "machine/internal.h"

enum { RESERVED_TAIL_BYTES = 256 }; /* of UB and L1: kept by the system for cube and vector fusion */

typedef struct sk__local_entry {
  uint32_t generation;          /* valid if equal to the table's */
  uint32_t offset;              /* in the core's slot */
} sk__local_entry;

typedef struct sk__local_table {
  SK__VEC(sk__local_entry) entries; /* by slot id */
  uint32_t generation;
  uint32_t used_bytes[SK__MEMS];
  sk__framework framework;      /* of the C++ tensor layer: shares the lifetime of the arrays */
  uint8_t *sparse_buffer;       /* NULL until the first sparse load; stays with the core */
} sk__local_table;

static const uint32_t start_align[SK__MEMS] = {
  [SK__MEM_GM] = 1, [SK__MEM_UB] = 32, [SK__MEM_L1] = 32, [SK__MEM_L0A] = 512, [SK__MEM_L0B] = 512,
  [SK__MEM_L0C] = 64, [SK__MEM_BT] = 64, [SK__MEM_FB] = 64,
};

sk_status sk__locals_make(sk__core *core) {
  core->locals = sk__calloc(1, sizeof *core->locals);
  return core->locals != NULL ? SK_OK : SK_OUT_OF_MEMORY;
}

void sk__locals_drop(sk__core *core) {
  if (core->locals == NULL) return;
  sk__vec_free(&core->locals->entries);
  sk__free(core->locals->sparse_buffer);
  sk__free(core->locals);
  core->locals = NULL;
}

void sk__locals_reset(sk__core *core) {
  sk__local_table *table = core->locals;
  table->generation++;
  table->framework = (sk__framework){0};
  for (uint32_t mem = 0; mem < SK__MEMS; mem++) table->used_bytes[mem] = 0;
  table->used_bytes[SK__MEM_UB] = (uint32_t)((core->view.dynamic_ub_bytes + 31) / 32 * 32);
}

sk__framework *sk__framework_of(sk__core *core) { return &core->locals->framework; }

uint8_t *sk__sparse_buffer_of(sk__core *core) {
  sk__local_table *table = core->locals;
  if (table->sparse_buffer == NULL) table->sparse_buffer = sk__calloc(1, sk__local_place_of(core, SK__MEM_L0B).bytes / 4);
  if (table->sparse_buffer == NULL) {
    sk__log(SK__LOG_ERROR, "out of host memory for the index buffer of a cube core");
    sk__core_abort(core, SK_OUT_OF_MEMORY);
  }
  return table->sparse_buffer;
}

sk__core *sk__neighbour(sk__core *core, sk__core_type type, uint32_t sub_block) {
  sk__machine *machine = core->machine;
  const sk__lane *lane = &machine->run.lanes[sk__seat_of(core)->lane];
  for (uint32_t i = 0; i < lane->core_count; i++) {
    sk__core *other = &machine->cores[lane->cores[i]];
    if (other->type == type && (type == SK__AIC || other->sub_block == sub_block)) return other;
  }
  return NULL;
}

sk__local_place sk__local_place_of(const sk__core *core, sk__mem mem) {
  const sk__machine *machine = core->machine;
  return (sk__local_place){core->local + machine->mem_offset[mem], machine->mem_capacity[core->type][mem]};
}

static uint32_t usable_bytes(const sk__core *core, sk__mem mem) {
  uint32_t capacity = core->machine->mem_capacity[core->type][mem];
  bool has_tail = (mem == SK__MEM_UB || mem == SK__MEM_L1) && capacity > RESERVED_TAIL_BYTES;
  return has_tail ? capacity - RESERVED_TAIL_BYTES : capacity;
}

static _Noreturn __attribute__((noinline, cold)) void does_not_fit(sk__core *core, sk__mem mem, uint64_t bytes,
                                                                    uint64_t used, const char *name, const void *site) {
  core->site = site;
  sk__finding finding = sk__core_finding(core, "LOCAL_OUT_OF_BOUNDS", SK__CAT_OPERATOR, SK__ERROR);
  uint32_t usable = usable_bytes(core, mem);
  if (usable == 0)
    snprintf(finding.message, sizeof finding.message, "array '%s' is in %s, which an %s does not have", name,
             sk__mem_name(mem), sk__core_type_name(core->type));
  else
    snprintf(finding.message, sizeof finding.message,
             "array '%s' of %llu bytes does not fit into %s: %llu of %u bytes are taken", name, (unsigned long long)bytes,
             sk__mem_name(mem), (unsigned long long)used, usable);
  snprintf(finding.remedy, sizeof finding.remedy, "make the arrays of '%s' smaller", core->view.kernel);
  sk__report(core->checker, &finding);
  sk__core_abort(core, SK_FAULT);
}

/* First time in this kernel on this core. */
static __attribute__((noinline)) void *place(sk__core *core, uint32_t id, sk__mem mem, uint64_t bytes, const char *name,
                                             const void *site) {
  sk__local_table *table = core->locals;
  uint64_t align = start_align[mem], used = (table->used_bytes[mem] + align - 1) / align * align;
  uint32_t usable = usable_bytes(core, mem);
  if (used > usable || bytes > usable - used) does_not_fit(core, mem, bytes, table->used_bytes[mem], name, site);
  size_t old_count = table->entries.count;
  if (!sk__vec_reserve(&table->entries, id + 1)) {
    sk__log(SK__LOG_ERROR, "out of host memory for the local arrays of a core");
    sk__core_abort(core, SK_OUT_OF_MEMORY);
  }
  for (; old_count <= id; old_count++) table->entries.items[old_count] = (sk__local_entry){0};
  if (table->entries.count <= id) table->entries.count = id + 1;
  uint32_t offset = core->machine->mem_offset[mem] + (uint32_t)used;
  table->entries.items[id] = (sk__local_entry){table->generation, offset};
  table->used_bytes[mem] = (uint32_t)(used + bytes);
  return (void *)(uintptr_t)(core->local + offset);
}

void *sk_local_array(sk_local_slot *slot, uint32_t memory, uint64_t bytes, const char *name) {
  static _Atomic uint32_t last_id; /* slots are static objects of the process, so their numbers are too */
  sk__core *core = sk__self;
  if (core == NULL) return NULL; /* host code */
  uint32_t id = __atomic_load_n(&slot->id, __ATOMIC_RELAXED);
  if (id == 0) {
    uint32_t fresh = atomic_fetch_add(&last_id, 1) + 1;
    if (!__atomic_compare_exchange_n(&slot->id, &id, fresh, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) fresh = id;
    id = fresh;
  }
  sk__local_table *table = core->locals;
  if (id < table->entries.count && table->entries.items[id].generation == table->generation)
    return (void *)(uintptr_t)(core->local + table->entries.items[id].offset);
  return place(core, id, (sk__mem)(memory % SK__MEMS), bytes, name, __builtin_return_address(0));
}

void *sk_local_dynamic(void) {
  sk__core *core = sk__self;
  if (core == NULL) return NULL;
  uint32_t usable = usable_bytes(core, SK__MEM_UB);
  if (core->view.dynamic_ub_bytes > usable || usable == 0)
    does_not_fit(core, SK__MEM_UB, core->view.dynamic_ub_bytes, 0, "dynamic UB", __builtin_return_address(0));
  return (void *)(uintptr_t)(core->local + core->machine->mem_offset[SK__MEM_UB]);
}
