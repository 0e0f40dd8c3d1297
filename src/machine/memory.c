/* memory.c - the reserved window: device memory and the local memories of every core; host access to
 * device memory; the words of a bounds finding. */
#include "machine/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>

#include "base/text.h"
#include "machine/blocks.h"
#include "machine/copy.h"
#include "machine/dcache.h"
#include "machine/internal.h"
#include "machine/log.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

static const uint64_t local_bytes = SK__MAX_CORES * SK__LOCAL_SLOT_BYTES;

/* ---- mapping --------------------------------------------------------------------------------- */

/* Old kernels take the address as a hint: what lies elsewhere is given back. */
static bool map_at(uint64_t base, uint64_t bytes, int protection, const char *what, char *why, size_t why_bytes) {
  void *at = mmap((void *)base, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (at == (void *)base) return true;
  int error = at == MAP_FAILED ? errno : EEXIST;
  if (at != MAP_FAILED) munmap(at, bytes);
  sk__text text = sk__text_on(why, why_bytes);
  sk__text_add(&text, "cannot reserve %" PRIu64 " MiB of address space at 0x%" PRIx64 " for %s: %s", bytes >> 20, base, what,
               error == EEXIST ? "something else lies there" : strerror(error));
  if (error == ENOMEM) sk__text_add(&text, " (check the limit on virtual memory, ulimit -v, and vm.overcommit_memory)");
  return false;
}

/* Only the bytes of real memories may be touched; the rest of each slot faults. */
static bool open_local_memories(const sk__soc *soc) {
  for (uint32_t core = 0; core < soc->aic_count + soc->aiv_count; core++) {
    sk__core_type type = core < soc->aic_count ? SK__AIC : SK__AIV;
    for (uint32_t mem = SK__MEM_UB; mem < SK__MEMS; mem++) {
      uint64_t bytes = sk__mem_bytes(soc, type, (sk__mem)mem);
      if (bytes == 0) continue;
      uint64_t at = sk__local_slot(core) + sk__mem_slot_offset((sk__mem)mem);
      uint64_t rounded = (bytes + SK__PAGE_BYTES - 1) & ~(SK__PAGE_BYTES - 1);
      if (mprotect((void *)at, rounded, PROT_READ | PROT_WRITE) != 0) return false;
    }
  }
  return true;
}

bool sk__memory_open_behind_ub(const sk__soc *soc, uint64_t slot) {
  uint64_t end = slot + sk__mem_slot_offset(SK__MEM_UB) + sk__mem_bytes(soc, SK__AIV, SK__MEM_UB);
  uint64_t rounded = (end + SK__PAGE_BYTES - 1) & ~(uint64_t)(SK__PAGE_BYTES - 1);
  return mprotect((void *)rounded, SK__UB_GUARD_ROOM, PROT_READ | PROT_WRITE) == 0;
}

sk_status sk__memory_create(sk__memory *memory, const sk__soc *soc, sk__checker *checker, char *why, size_t why_bytes) {
  memset(memory, 0, sizeof *memory);
  memory->soc = soc;
  memory->checker = checker;
  memory->copy = sk__copy_here()->near;
  memory->copy_stream = sk__copy_here()->stream;
  sk__text_copy(why, why_bytes, "out of host memory");
  uint64_t gm_bytes = soc->gm_bytes & ~((UINT64_C(1) << SK__REGION_SHIFT) - 1);
  if (gm_bytes == 0 || gm_bytes > SK__GM_BYTES) {
    sk__text_copy(why, why_bytes, "the chip profile's device memory must be 1 MiB to 128 GiB");
    return SK_INVALID_ARGUMENT;
  }
  if (!map_at(SK__GM_BASE, gm_bytes, PROT_READ | PROT_WRITE, "device memory", why, why_bytes)) return SK_OUT_OF_MEMORY;
  if (!map_at(SK__LOCAL_BASE, local_bytes, PROT_NONE, "the cores' local memories", why, why_bytes)) {
    munmap((void *)SK__GM_BASE, gm_bytes);
    return SK_OUT_OF_MEMORY;
  }
  memory->gm_end = SK__GM_BASE + gm_bytes;
  pthread_mutex_init(&memory->lock, NULL);
  pthread_mutex_init(&memory->directory_lock, NULL);
  pthread_mutex_init(&memory->atomic_lock, NULL);
  (void)madvise((void *)SK__GM_BASE, gm_bytes, MADV_HUGEPAGE);
  sk_status status = open_local_memories(soc) ? SK_OK : SK_OUT_OF_MEMORY;
  if (status == SK_OK) status = sk__log_create(memory);
  if (status == SK_OK) status = sk__directory_create(memory);
  if (status == SK_OK) status = sk__alloc_create(memory);
  if (status == SK_OK) sk__fresh_create(memory);
  if (status != SK_OK) sk__memory_destroy(memory);
  return status;
}

void sk__memory_destroy(sk__memory *memory) {
  if (memory->gm_end == 0) return;
  sk__fresh_destroy(memory);
  sk__blocks_destroy(memory);
  sk__directory_destroy(memory);
  sk__log_destroy(memory);
  munmap((void *)SK__LOCAL_BASE, local_bytes);
  munmap((void *)SK__GM_BASE, memory->gm_end - SK__GM_BASE);
  pthread_mutex_destroy(&memory->lock);
  pthread_mutex_destroy(&memory->directory_lock);
  pthread_mutex_destroy(&memory->atomic_lock);
  memory->gm_end = 0;
}

void sk__memory_configure(sk__memory *memory, uint8_t fill, uint32_t threads) {
  memory->fill = fill;
  memory->found = (sk__fresh){0};
  memory->threaded = threads > 1;
}

/* ---- host access ----------------------------------------------------------------------------- */

/* True if one live allocation holds the range; otherwise it has been reported. */
static bool host_range(sk__memory *memory, sk__access kind, uint64_t address, uint64_t bytes, const char *what) {
  sk__extent extent;
  if (sk__memory_extent(memory, address, &extent) && bytes <= extent.end - address) return true;
  sk__memory_report_bounds(memory, NULL, SK__PIPE_S, kind, address, bytes, NULL, what);
  return false;
}

/* Before the bytes change: *cached as of sk__log_open. */
static bool open_write(sk__memory *memory, uint64_t to, uint64_t bytes, const char *what, bool *cached) {
  if (!host_range(memory, SK__WRITE, to, bytes, what)) return false;
  *cached = sk__log_open(memory, to, bytes);
  sk__dcache_host_write(memory, to, bytes);
  return true;
}

/* They have changed: by the host, which is ordered before all that comes, or by a stream. */
static void close_write(sk__memory *memory, const sk__copier *by, uint64_t to, uint64_t bytes) {
  if (by == NULL) sk__shadow_gm_host_write(memory->checker, to, bytes);
  else sk__shadow_gm_engine(memory->checker, &by->core->order, SK__WRITE, to, bytes, by->call);
  sk__fresh_defined(memory, to, bytes);
}

static sk_status write_by(sk__machine *machine, const sk__copier *by, uint64_t to, const void *from, uint64_t bytes) {
  sk__memory *memory = &machine->memory;
  bool cached;
  if (bytes == 0) return SK_OK;
  if (!open_write(memory, to, bytes, "a host copy", &cached)) return SK_INVALID_ARGUMENT;
  (cached ? memory->copy : memory->copy_stream)((void *)to, from, bytes);
  close_write(memory, by, to, bytes);
  return SK_OK;
}

static sk_status read_by(sk__machine *machine, const sk__copier *by, void *to, uint64_t from, uint64_t bytes) {
  sk__memory *memory = &machine->memory;
  if (bytes == 0) return SK_OK;
  if (!host_range(memory, SK__READ, from, bytes, "a host copy")) return SK_INVALID_ARGUMENT;
  if (by != NULL) sk__shadow_gm_engine(memory->checker, &by->core->order, SK__READ, from, bytes, by->call);
  memory->copy(to, (const void *)from, bytes);
  sk__dcache_host_read(memory, to, from, bytes);
  return SK_OK;
}

static sk_status set_by(sk__machine *machine, const sk__copier *by, uint64_t to, int value, uint64_t bytes) {
  sk__memory *memory = &machine->memory;
  bool cached;
  if (bytes == 0) return SK_OK;
  if (!open_write(memory, to, bytes, "a host memset", &cached)) return SK_INVALID_ARGUMENT;
  memset((void *)to, value, bytes);
  close_write(memory, by, to, bytes);
  return SK_OK;
}

sk_status sk__gm_host_writes(sk__machine *machine, uint64_t to, uint64_t bytes) {
  sk__memory *memory = &machine->memory;
  bool cached;
  if (bytes == 0) return SK_OK;
  if (!open_write(memory, to, bytes, "a write by the host", &cached)) return SK_INVALID_ARGUMENT;
  close_write(memory, NULL, to, bytes);
  return SK_OK;
}

sk_status sk__gm_host_write(sk__machine *machine, uint64_t to, const void *from, uint64_t bytes) { return write_by(machine, NULL, to, from, bytes); }
sk_status sk__gm_host_read(sk__machine *machine, void *to, uint64_t from, uint64_t bytes) { return read_by(machine, NULL, to, from, bytes); }
sk_status sk__gm_host_set(sk__machine *machine, uint64_t to, int value, uint64_t bytes) { return set_by(machine, NULL, to, value, bytes); }
sk_status sk__copy_write(const sk__copier *copier, uint64_t to, const void *from, uint64_t bytes) {
  return write_by(copier->core->machine, copier, to, from, bytes);
}
sk_status sk__copy_read(const sk__copier *copier, void *to, uint64_t from, uint64_t bytes) {
  return read_by(copier->core->machine, copier, to, from, bytes);
}
sk_status sk__copy_set(const sk__copier *copier, uint64_t to, int value, uint64_t bytes) {
  return set_by(copier->core->machine, copier, to, value, bytes);
}

/* ---- bounds findings ------------------------------------------------------------------------- */

static const char *verb_of(sk__access kind) {
  return kind == SK__READ ? "reads" : kind == SK__WRITE ? "writes" : "updates";
}

/* "'x' (4096 bytes)", or the serial number of an allocation nobody named. */
static void add_name(sk__text *text, const sk__gm_info *info) {
  if (info->label[0] != 0) sk__text_add(text, "'%s' (%" PRIu64 " bytes)", info->label, info->bytes);
  else sk__text_add(text, "allocation #%u (%" PRIu64 " bytes)", info->serial, info->bytes);
}

void sk__memory_report_red_zone(sk__memory *memory, uint64_t address, uint64_t bytes, bool behind, const char *label,
                                uint32_t serial, uint64_t size) {
  sk__finding finding = {.category = SK__CAT_OPERATOR, .severity = SK__ERROR, .end_count = 1};
  sk__text_copy(finding.id, sizeof finding.id, "RED_ZONE");
  finding.ends[0] = (sk__end){.role = "writer", .core = -1, .core_type = -1, .pipe = -1, .block = -1, .sub_block = -1,
                              .launch = -1, .task = -1, .address = address, .bytes = bytes, .mem = SK__MEM_GM};
  sk__text text = sk__text_on(finding.message, sizeof finding.message);
  sk__text_add(&text, "%" PRIu64 " bytes at 0x%" PRIx64 " were changed, just %s ", bytes, address, behind ? "behind" : "before");
  add_name(&text, &(sk__gm_info){.bytes = size, .label = label, .serial = serial});
  sk__text_add(&text, "; found when it was freed");
  sk__text_copy(finding.remedy, sizeof finding.remedy, "Correct the extent of the store that passes the end or starts too early.");
  sk__report(memory->checker, &finding);
}

/* " (5 elements)", where the element's size is known. */
static void add_elements(sk__text *text, const sk__gm_info *info, uint64_t bytes) {
  if (info->element_bytes > 1 && bytes % info->element_bytes == 0) sk__text_add(text, " (%" PRIu64 " elements)", bytes / info->element_bytes);
}

/* Where the access lies relative to the nearest allocation. */
static void add_place(sk__memory *memory, sk__machine *machine, sk__text *text, uint64_t address, uint64_t bytes) {
  sk__gm_info info;
  if (address + bytes > memory->gm_end || address < SK__GM_BASE) sk__text_add(text, ", outside device memory");
  bool inside = sk__gm_find(machine, address, &info);
  if (!inside && !sk__gm_nearest(machine, address, &info)) {
    sk__text_add(text, "; nothing is allocated");
    return;
  }
  uint64_t end = info.start + ((info.bytes + 31) & ~UINT64_C(31));
  if (inside) {
    sk__text_add(text, ": %" PRIu64 " bytes", address + bytes - end);
    add_elements(text, &info, address + bytes - end);
    sk__text_add(text, " past the end of ");
  } else if (address < info.start) {
    sk__text_add(text, ": starts %" PRIu64 " bytes", info.start - address);
    add_elements(text, &info, info.start - address);
    sk__text_add(text, " before ");
  } else {
    sk__text_add(text, ": starts %" PRIu64 " bytes", address - end);
    add_elements(text, &info, address - end);
    sk__text_add(text, " behind the end of ");
  }
  add_name(text, &info);
}

void sk__memory_report_bounds(sk__memory *memory, const sk__core *core, sk__pipe pipe, sk__access kind,
                              uint64_t address, uint64_t bytes, const void *site, const char *instr) {
  sk__machine *machine = (sk__machine *)((char *)memory - offsetof(sk__machine, memory));
  char label[96];
  uint64_t freed_bytes = 0;
  bool freed = sk__memory_freed(memory, address, label, sizeof label, &freed_bytes);
  const char *id = freed ? "GM_USE_AFTER_FREE" : "GM_OUT_OF_BOUNDS";
  sk__finding finding;
  sk__end *end;
  if (core != NULL) {
    finding = sk__core_finding(core, id, freed ? SK__CAT_HOST : SK__CAT_OPERATOR, SK__ERROR);
    finding.end_count = 0;
    end = sk__finding_end(&finding, core, kind == SK__READ ? "reader" : "writer", site, instr);
    machine->cores[core->index].order.refused = true;
  } else {
    memset(&finding, 0, sizeof finding);
    sk__text_copy(finding.id, sizeof finding.id, id);
    finding.category = SK__CAT_HOST;
    finding.severity = SK__ERROR;
    finding.end_count = 1;
    end = &finding.ends[0];
    *end = (sk__end){.role = "host", .instr = instr, .core = SK__HOST_CORE, .core_type = -1, .block = -1, .sub_block = -1,
                     .launch = -1, .task = -1};
  }
  end->pipe = core != NULL ? (int8_t)pipe : -1;
  end->address = address;
  end->bytes = bytes;
  end->mem = SK__MEM_GM;
  sk__text text = sk__text_on(finding.message, sizeof finding.message);
  sk__text_add(&text, "%s %s %" PRIu64 " bytes of device memory at ", instr == NULL ? "a scalar access" : instr, verb_of(kind),
               bytes);
  sk__text_add_address(&text, address);
  if (freed) {
    sk__text_add(&text, ", which was freed: '%s' (%" PRIu64 " bytes)", label, freed_bytes);
    sk__text_copy(finding.remedy, sizeof finding.remedy, "Free the memory after the last task that uses it.");
  } else {
    add_place(memory, machine, &text, address, bytes);
    sk__text_copy(finding.remedy, sizeof finding.remedy,
                  "Check the offset and the length against the tensor's size; on the last tile copy only what is left.");
  }
  sk__report(memory->checker, &finding);
}

/* ---- results that nobody wrote ------------------------------------------------------------------- */

typedef struct unwritten {
  uint64_t first, first_bytes, bytes, stretches;
} unwritten;

static bool add_stretch(void *context, uint64_t start, uint64_t bytes) {
  unwritten *u = context;
  if (bytes < 32 && (start + bytes) % 32 == 0) return true;
  if (u->stretches++ == 0) {
    u->first = start;
    u->first_bytes = bytes;
  }
  u->bytes += bytes;
  return true;
}

static bool ignore_stretch(void *context, uint64_t start, uint64_t bytes) {
  (void)context, (void)start, (void)bytes;
  return true;
}

static void add_elements_of(sk__text *text, const sk__gm_info *info, uint64_t start, uint64_t bytes) {
  uint64_t offset = start - info->start, size = info->element_bytes > 1 ? info->element_bytes : 1;
  sk__text_add(text, size > 1 ? "elements %" PRIu64 " to %" PRIu64 : "bytes %" PRIu64 " to %" PRIu64, offset / size, (offset + bytes - 1) / size);
}

/* The first stretch of undefined bytes speaks for all of them. */
static void judge_undefined(sk__machine *machine, const sk__gm_info *info, uint64_t address, uint64_t bytes) {
  const sk__memory *memory = &machine->memory;
  const sk__undefined_bytes *first = NULL;
  for (size_t i = 0; i < memory->undefined.count && first == NULL; i++)
    if (memory->undefined.items[i].start < address + bytes && memory->undefined.items[i].end > address) first = &memory->undefined.items[i];
  if (first == NULL) return;
  sk__finding finding = {.category = SK__CAT_OPERATOR, .severity = SK__ERROR, .end_count = 2, .count = 1};
  sk__text_copy(finding.id, sizeof finding.id, "UNDEFINED_RESULT");
  finding.ends[0] = memory->undefined_readers.items[first->reader];
  finding.ends[1] = (sk__end){.role = "host", .instr = "copy to the host", .core = SK__HOST_CORE, .core_type = -1, .pipe = -1, .block = -1,
                              .sub_block = -1, .launch = -1, .task = -1, .address = first->start, .bytes = first->end - first->start,
                              .mem = SK__MEM_GM};
  sk__text text = sk__text_on(finding.message, sizeof finding.message);
  sk__text_add(&text, "the host copies ");
  add_name(&text, info);
  sk__text_add(&text, ", of which ");
  add_elements_of(&text, info, first->start, first->end - first->start);
  sk__text_add(&text, " depend on what memory holds that nobody has written: %s of %s is the first to read such bytes, %" PRIu64 " of %s",
               finding.ends[0].instr != NULL ? finding.ends[0].instr : "an access", finding.ends[0].kernel, finding.ends[0].bytes,
               sk__mem_name(finding.ends[0].mem));
  sk__text_copy(finding.remedy, sizeof finding.remedy, "initialise what is read beyond the data, or do not let it into the result");
  sk__report(machine->checker, &finding);
}

void sk__gm_judge_result(sk__machine *machine, uint64_t address, uint64_t bytes) {
  sk__gm_info info;
  unwritten u = {0};
  if (!machine->options.checks || !sk__gm_find(machine, address, &info)) return;
  if (address + bytes > info.start + info.bytes) bytes = info.start + info.bytes - address;
  judge_undefined(machine, &info, address, bytes);
  (void)sk__shadow_gm_unwritten(machine->checker, address, bytes, add_stretch, &u);
  if (u.stretches == 0) return;
  bool output = info.output || sk__shadow_gm_unwritten(machine->checker, info.start, info.bytes, ignore_stretch, NULL);
  if (!output && !info.argument) return;
  sk__finding finding = {.category = SK__CAT_OPERATOR, .severity = SK__WARNING, .end_count = 1, .count = 1};
  sk__text_copy(finding.id, sizeof finding.id, "UNWRITTEN_OUTPUT");
  sk__end *end = &finding.ends[0];
  *end = (sk__end){.role = "host", .instr = "copy to the host", .core = SK__HOST_CORE, .core_type = -1, .pipe = -1, .block = -1, .sub_block = -1,
                   .launch = -1, .task = -1, .address = u.first, .bytes = u.first_bytes, .mem = SK__MEM_GM};
  sk__text text = sk__text_on(finding.message, sizeof finding.message);
  sk__text_add(&text, "the host copies ");
  add_name(&text, &info);
  uint64_t offset = u.first - info.start;
  if (info.element_bytes > 1 && offset % info.element_bytes == 0 && u.first_bytes % info.element_bytes == 0)
    sk__text_add(&text, ", of which nobody has written elements %" PRIu64 " to %" PRIu64, offset / info.element_bytes,
                 (offset + u.first_bytes) / info.element_bytes - 1);
  else
    sk__text_add(&text, ", of which nobody has written bytes %" PRIu64 " to %" PRIu64, offset, offset + u.first_bytes - 1);
  if (u.stretches > 1) sk__text_add(&text, " and %" PRIu64 " more stretches, %" PRIu64 " bytes in all", u.stretches - 1, u.bytes);
  if (!output) sk__text_add(&text, "; no kernel has written to it at all");
  sk__text_copy(finding.remedy, sizeof finding.remedy,
                output ? "write the whole output, also the last tile, or copy only what is written"
                       : "look whether the kernel did any work: tiling data, tiling key, block number, the addresses it was given");
  sk__report(machine->checker, &finding);
}
