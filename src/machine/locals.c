/* locals.c - arrays a kernel declares in local memory. Each declaration has a static slot; on every core
 * it stands at one place from the first time it is met until the kernel or sub-kernel ends. The launch's
 * dynamic UB comes first, the arrays follow in the order in which they are met.
 *
 * On the chip they stand side by side, where the compiler wants them. In UB a guard of at least one block stands
 * behind each here, so that what goes beyond an array is found, and told by its name. Room for guards is not taken
 * from the arrays: there is some behind UB. Arrays begin at whole chunks of the shadow, large ones at whole pages,
 * where they are cheapest to check. */
#include <stdio.h>

#include "base/log.h"
#include "machine/framework.h"
#include "machine/internal.h"

enum {
  RESERVED_TAIL_BYTES = 256, /* of UB and L1: kept by the system for cube and vector fusion */
  GUARD_BYTES = 32,          /* at least: a block */
  CHUNK_BYTES = 256,
  PAGE_BYTES = 4096,
};

typedef struct sk__local_entry {
  uint32_t generation;          /* valid if equal to the table's */
  uint32_t offset;              /* in the core's slot */
} sk__local_entry;

typedef struct sk__local_table {
  SK__VEC(sk__local_entry) entries; /* by slot id */
  uint32_t generation;
  uint32_t used_bytes[SK__MEMS];
  SK__VEC(sk__local_array) arrays[SK__MEMS]; /* ascending */
  sk__ub_map ub;
  bool open_behind;             /* what is behind UB may be touched */
  sk__framework framework;      /* of the C++ tensor layer: shares the lifetime of the arrays */
  uint8_t *sparse_buffer;       /* NULL until the first sparse load; stays with the core */
  void *cube_memory;            /* likewise */
} sk__local_table;

static const uint32_t start_align[SK__MEMS] = {
  [SK__MEM_GM] = 1, [SK__MEM_UB] = 32, [SK__MEM_L1] = 32, [SK__MEM_L0A] = 512, [SK__MEM_L0B] = 512,
  [SK__MEM_L0C] = 64, [SK__MEM_BT] = 64, [SK__MEM_FB] = 64,
};

/* No arrays: an operand may be anywhere in UB. */
static void whole_ub(sk__core *core) {
  core->locals->ub.stretch[0] = (sk__ub_stretch){0, core->machine->mem_capacity[core->type][SK__MEM_UB]};
}

/* The chunks of an array name it; those it shares with another, and arrays beyond the 254th, are left to the judge. */
static void map_array(sk__core *core, const sk__local_array *array, size_t number) {
  sk__ub_map *ub = core->ub;
  ub->stretch[0] = (sk__ub_stretch){0, 0};
  if (number >= SK__UB_CLOSELY) return;
  ub->stretch[number] = (sk__ub_stretch){array->start, array->end - array->start};
  for (uint32_t at = array->start & ~(CHUNK_BYTES - 1u); at < array->end; at += CHUNK_BYTES)
    ub->of_chunk[at / CHUNK_BYTES] = (uint8_t)(ub->of_chunk[at / CHUNK_BYTES] == 0 ? number : 0);
}

void sk__ub_map_buffer(sk__core *core, uint32_t number, uint64_t start, uint64_t bytes) {
  sk__ub_map *ub = core->ub;
  if (core->locals->arrays[SK__MEM_UB].count != 0 || number >= SK__UB_CLOSELY || start + bytes > (uint64_t)CHUNK_BYTES * SK__UB_CHUNKS) return;
  core->framework->mapped = true;
  ub->stretch[0] = (sk__ub_stretch){0, 0};
  ub->stretch[number] = (sk__ub_stretch){(uint32_t)start, (uint32_t)bytes};
  memset(ub->of_chunk + start / CHUNK_BYTES, (int)number, (start + bytes + CHUNK_BYTES - 1) / CHUNK_BYTES - start / CHUNK_BYTES);
}

void sk__ub_unmap_buffers(sk__core *core) {
  const sk__local_table *table = core->locals;
  if (!core->framework->mapped) return;
  core->framework->mapped = false;
  memset(core->ub->of_chunk, 0, sizeof core->ub->of_chunk);
  whole_ub(core);
  for (size_t i = 0; i < table->arrays[SK__MEM_UB].count; i++) map_array(core, &table->arrays[SK__MEM_UB].items[i], i + 1);
}

static void unmap_arrays(sk__core *core) {
  const sk__local_table *table = core->locals;
  for (size_t i = 0; i < table->arrays[SK__MEM_UB].count; i++) {
    const sk__local_array *array = &table->arrays[SK__MEM_UB].items[i];
    memset(&core->ub->of_chunk[array->start / CHUNK_BYTES], 0, (array->end + CHUNK_BYTES - 1) / CHUNK_BYTES - array->start / CHUNK_BYTES);
  }
  whole_ub(core);
}

sk_status sk__locals_make(sk__core *core) {
  core->locals = sk__calloc(1, sizeof *core->locals);
  if (core->locals == NULL) return SK_OUT_OF_MEMORY;
  core->ub = &core->locals->ub;
  core->framework = &core->locals->framework;
  whole_ub(core);
  return SK_OK;
}

void sk__locals_drop(sk__core *core) {
  if (core->locals == NULL) return;
  sk__vec_free(&core->locals->entries);
  sk__free(core->locals->sparse_buffer);
  sk__free(core->locals->cube_memory);
  for (uint32_t mem = 0; mem < SK__MEMS; mem++) sk__vec_free(&core->locals->arrays[mem]);
  sk__free(core->locals);
  core->locals = NULL;
}

void sk__locals_reset(sk__core *core) {
  sk__local_table *table = core->locals;
  table->generation++;
  sk__buffers_forget(core);
  table->framework = (sk__framework){0};
  core->pipe_copied = false;
  unmap_arrays(core);
  for (uint32_t mem = 0; mem < SK__MEMS; mem++) {
    table->used_bytes[mem] = 0;
    sk__vec_clear(&table->arrays[mem]);
  }
  table->used_bytes[SK__MEM_UB] = (uint32_t)((core->view.dynamic_ub_bytes + 31) / 32 * 32);
}

uint8_t *sk__sparse_buffer_of(sk__core *core) {
  sk__local_table *table = core->locals;
  if (table->sparse_buffer == NULL) table->sparse_buffer = sk__calloc(1, sk__local_place_of(core, SK__MEM_L0B).bytes / 4);
  if (table->sparse_buffer == NULL) {
    sk__log(SK__LOG_ERROR, "out of host memory for the index buffer of a cube core");
    sk__core_abort(core, SK_OUT_OF_MEMORY);
  }
  return table->sparse_buffer;
}

void *sk__cube_memory_of(sk__core *core, size_t bytes) {
  sk__local_table *table = core->locals;
  if (table->cube_memory == NULL) table->cube_memory = sk__calloc(1, bytes);
  return table->cube_memory;
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

static _Noreturn void out_of_memory(sk__core *core) {
  sk__log(SK__LOG_ERROR, "out of host memory for the local arrays of a core");
  sk__core_abort(core, SK_OUT_OF_MEMORY);
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

/* Where an array starts that would start at `used` side by side with those before it. */
static uint32_t start_of(const sk__core *core, sk__mem mem, uint32_t used, uint64_t bytes) {
  const sk__local_table *table = core->locals;
  size_t count = table->arrays[mem].count;
  uint32_t before = count != 0 ? table->arrays[mem].items[count - 1].end : used, grain = bytes < PAGE_BYTES ? CHUNK_BYTES : PAGE_BYTES;
  if (mem != SK__MEM_UB || before == 0) return before;
  uint32_t start = (before + GUARD_BYTES + grain - 1) & ~(grain - 1);
  return start - used <= SK__UB_GUARD_ROOM - PAGE_BYTES ? start : before;
}

/* First time in this kernel on this core. */
static __attribute__((noinline)) void *place(sk__core *core, uint32_t id, sk__mem mem, uint64_t bytes, const char *name,
                                             const void *site) {
  sk__local_table *table = core->locals;
  uint64_t align = start_align[mem], used = (table->used_bytes[mem] + align - 1) / align * align;
  uint32_t usable = usable_bytes(core, mem);
  if (used > usable || bytes > usable - used) does_not_fit(core, mem, bytes, table->used_bytes[mem], name, site);
  size_t old_count = table->entries.count;
  uint32_t start = start_of(core, mem, (uint32_t)used, bytes), end = start + (uint32_t)((bytes + align - 1) / align * align);
  sk__local_array array = {name, start, (uint32_t)bytes, end, end + (mem == SK__MEM_UB ? GUARD_BYTES : 0)};
  if (table->arrays[mem].count != 0) sk__vec_last(&table->arrays[mem]).guard_end = start; /* all up to here is nobody's */
  if (mem == SK__MEM_UB) sk__ub_unmap_buffers(core); /* from here on arrays are what operands are held to */
  if (!sk__vec_reserve(&table->entries, id + 1) || !sk__vec_push(&table->arrays[mem], array)) out_of_memory(core);
  if (mem == SK__MEM_UB && array.guard_end > core->machine->mem_capacity[core->type][mem] && !table->open_behind) {
    table->open_behind = sk__memory_open_behind_ub(core->machine->soc, core->local);
    if (!table->open_behind) out_of_memory(core);
  }
  for (; old_count <= id; old_count++) table->entries.items[old_count] = (sk__local_entry){0};
  if (table->entries.count <= id) table->entries.count = id + 1;
  uint32_t offset = core->machine->mem_offset[mem] + start;
  table->entries.items[id] = (sk__local_entry){table->generation, offset};
  table->used_bytes[mem] = (uint32_t)(used + bytes);
  if (mem == SK__MEM_UB) map_array(core, &array, table->arrays[mem].count);
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

/* A kernel that asks for dynamic UB has it as an array of its own, the first one. */
static void note_dynamic(sk__core *core) {
  sk__local_table *table = core->locals;
  uint32_t bytes = (uint32_t)core->view.dynamic_ub_bytes, end = (bytes + 31) / 32 * 32;
  if (bytes == 0 || (table->arrays[SK__MEM_UB].count != 0 && table->arrays[SK__MEM_UB].items[0].start == 0)) return;
  sk__local_array array = {"dynamic UB", 0, bytes, end, end + GUARD_BYTES};
  sk__ub_unmap_buffers(core);
  if (!sk__vec_push(&table->arrays[SK__MEM_UB], array)) out_of_memory(core);
  sk__local_array *all = table->arrays[SK__MEM_UB].items;
  size_t count = table->arrays[SK__MEM_UB].count;
  if (count > 1) array.guard_end = all[0].start;
  memmove(all + 1, all, (count - 1) * sizeof *all);
  all[0] = array;
  map_array(core, &array, count); /* numbers are in the order of their coming */
}

void *sk_local_dynamic(void) {
  sk__core *core = sk__self;
  if (core == NULL) return NULL;
  uint32_t usable = usable_bytes(core, SK__MEM_UB);
  if (core->view.dynamic_ub_bytes > usable || usable == 0)
    does_not_fit(core, SK__MEM_UB, core->view.dynamic_ub_bytes, 0, "dynamic UB", __builtin_return_address(0));
  note_dynamic(core);
  return (void *)(uintptr_t)(core->local + core->machine->mem_offset[SK__MEM_UB]);
}

/* ---- where accesses lie ---------------------------------------------------------------------- */

/* How many arrays begin at or before the offset. */
static size_t arrays_until(const sk__local_table *table, sk__mem mem, uint64_t offset) {
  size_t low = 0, high = table->arrays[mem].count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (table->arrays[mem].items[middle].start <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

sk__placing sk__locals_place_of(const sk__core *core, sk__mem mem, uint64_t offset, uint64_t bytes, const sk__local_array **array) {
  const sk__local_table *table = core->locals;
  size_t until = arrays_until(table, mem, offset);
  if (until == 0) return SK__IN_NO_ARRAY;
  const sk__local_array *mine = &table->arrays[mem].items[until - 1];
  if (offset >= mine->guard_end) return SK__IN_NO_ARRAY;
  *array = mine;
  return offset < mine->end && bytes <= mine->end - offset ? SK__IN_ARRAY : SK__BEYOND_ARRAY;
}

sk__placing sk__locals_place_of_scalar(const sk__core *core, uint64_t offset, uint64_t bytes, const sk__local_array **array) {
  const sk__local_table *table = core->locals;
  size_t until = arrays_until(table, SK__MEM_UB, offset);
  if (until == 0) return SK__IN_NO_ARRAY;
  const sk__local_array *mine = &table->arrays[SK__MEM_UB].items[until - 1];
  if (offset >= mine->guard_end) return SK__IN_NO_ARRAY;
  *array = mine;
  return offset < mine->start + mine->bytes && bytes <= mine->start + mine->bytes - offset ? SK__IN_ARRAY : SK__BEYOND_ARRAY;
}

uint64_t sk__locals_behind(const sk__core *core, uint64_t offset) {
  const sk__local_table *table = core->locals;
  uint64_t behind = 0;
  for (size_t until = arrays_until(table, SK__MEM_UB, offset + 63); until != 0; until--) {
    const sk__local_array *array = &table->arrays[SK__MEM_UB].items[until - 1];
    if (array->guard_end <= offset) break;
    uint64_t low = array->start + array->bytes, high = array->guard_end;
    for (uint64_t i = low > offset ? low - offset : 0; i < 64 && offset + i < high; i++) behind |= UINT64_C(1) << i;
  }
  return behind;
}

void sk__locals_tell_beyond(const sk__local_array *array, uint64_t offset, uint64_t bytes, char *text, size_t text_bytes) {
  uint64_t at = offset - array->start;
  if (at < array->bytes)
    snprintf(text, text_bytes, "reaches %llu bytes beyond array '%s': %llu bytes from byte %llu of its %u",
             (unsigned long long)(at + bytes - array->bytes), array->name, (unsigned long long)bytes, (unsigned long long)at, array->bytes);
  else
    snprintf(text, text_bytes, "lies behind array '%s': %llu bytes from byte %llu of its %u", array->name, (unsigned long long)bytes,
             (unsigned long long)at, array->bytes);
}
