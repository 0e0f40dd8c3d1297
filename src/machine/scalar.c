/* scalar.c - plain accesses of kernel code: what the hooks and API scalar reads go through.
 *
 * The hit path knows three things of the line: its copy is shown, these bytes were noted, and nothing
 * happened since that may change what is ordered (see epoch_of). Within an epoch a byte already read or
 * written adds nothing to the shadow, and new bytes may wait: whatever changes the order calls settle first
 * (sk__order_settle), so they get the stamps they would have got at once. Neighbouring lines then go to the
 * shadow together. */
#include <inttypes.h>

#include "base/text.h"
#include "machine/dcache.h"
#include "machine/framework.h"
#include "machine/internal.h"
#include "machine/log.h"
#include "machine/soft.h"

#define SK__COLD __attribute__((cold, noinline))

/* Changes with each instruction, and where a sub-kernel begins. Both terms only grow while a block runs;
 * its end empties the cache and with it all that was seen. */
static inline uint64_t epoch_of(const sk__core *core) { return core->instructions + core->order.clock[SK__PIPE_S]; }

enum { SK__LOCAL_BIT = 41 }; /* device memory lies below it in the window, local memory above */
_Static_assert(SK__LOCAL_BASE - SK__GM_BASE == UINT64_C(1) << SK__LOCAL_BIT, "one bit tells them apart");

static const char load_name[] = "scalar load", store_name[] = "scalar store";

const sk__extent *sk__extent_look_up(sk__dcache *cache, uint64_t address, uint64_t bytes) {
  uint32_t generation = atomic_load_explicit(&cache->memory->generation, memory_order_relaxed);
  if (cache->near_generation != generation) {
    for (uint32_t i = 0; i < SK__NEAR_EXTENTS; i++) cache->near[i] = (sk__extent){0, 0};
    cache->near_generation = generation;
  }
  sk__extent extent;
  if (!sk__memory_extent(cache->memory, address, &extent) || bytes > extent.end - address) return NULL;
  sk__extent *near = &cache->near[cache->near_next];
  cache->near_next = (cache->near_next + 1) % SK__NEAR_EXTENTS;
  *near = extent;
  return near;
}

/* ---- late accesses --------------------------------------------------------------------------- */

/* Where the compiler synchronises by itself, stores are in order too. */
static void record(sk__core *core, sk__access kind, uint64_t address, uint64_t bytes, const void *site, const char *instr) {
  if (kind == SK__WRITE && instr == store_name && sk__in_local(address) && (core->order.in_order_pipes >> SK__PIPE_V & 1) == 0) {
    sk__shadow_local_store(core->checker, &core->order, address, bytes, site, instr);
    return;
  }
  (sk__in_local(address) ? sk__shadow_local : sk__shadow_gm)(core->checker, &core->order, SK__PIPE_S, kind, address, bytes,
                                                             site, instr);
}

void sk__scalar_record(sk__core *core, sk__access kind, uint64_t line, uint64_t bits, const void *site, const char *instr) {
  while (bits != 0) {
    uint32_t first = (uint32_t)__builtin_ctzll(bits);
    uint64_t rest = ~(bits >> first);
    uint32_t length = rest == 0 ? 64 : (uint32_t)__builtin_ctzll(rest);
    if (first + length > 64) length = 64 - first;
    record(core, kind, line + first, length, site, instr);
    bits &= first + length == 64 ? (UINT64_C(1) << first) - 1 : ~UINT64_C(0) << (first + length);
  }
}

/* Late bytes of whole neighbouring lines, of one kind and from one place. */
typedef struct stretch {
  sk__access kind;
  uint64_t low, high;
  const void *site;
  struct stretch *before; /* to be recorded first */
} stretch;

static void stretch_record(sk__core *core, stretch *s) {
  if (s == NULL || s->high == s->low) return;
  stretch_record(core, s->before);
  record(core, s->kind, s->low, s->high - s->low, s->site, s->kind == SK__READ ? load_name : store_name);
  s->low = s->high = 0;
}

static void stretch_add(sk__core *core, stretch *s, uint64_t line, uint64_t bits, const void *site) {
  if (bits == 0) return;
  if (s->site == site && line == s->high) {
    s->high += SK__LINE_BYTES;
  } else if (s->site == site && line + SK__LINE_BYTES == s->low) {
    s->low = line;
  } else {
    stretch_record(core, s);
    s->low = line;
    s->high = line + SK__LINE_BYTES;
    s->site = site;
  }
}

static bool all_or_none(uint64_t bits) { return bits + 1 <= 1; }

/* Late reads are of bytes this core had not written in the epoch, so they come before the writes of their
 * line. Lines do not overlap, so their order does not matter. */
static __attribute__((noinline)) void settle(sk__order *order) {
  sk__core *core = order->context;
  sk__dcache *cache = core->dcache;
  stretch reads = {.kind = SK__READ}, writes = {.kind = SK__WRITE, .before = &reads};
  order->settle = NULL;
  while (cache->late != NULL) {
    sk__seen *seen = cache->late;
    cache->late = seen->next_late;
    if (all_or_none(seen->late_read) && all_or_none(seen->late_write)) {
      stretch_add(core, &reads, seen->line, seen->late_read, seen->read_site);
      stretch_add(core, &writes, seen->line, seen->late_write, seen->write_site);
    } else {
      sk__scalar_record(core, SK__READ, seen->line, seen->late_read, seen->read_site, load_name);
      sk__scalar_record(core, SK__WRITE, seen->line, seen->late_write, seen->write_site, store_name);
    }
    seen->late_read = seen->late_write = 0;
  }
  stretch_record(core, &reads);
  stretch_record(core, &writes);
}

static __attribute__((noinline)) void late_begin(sk__core *core, sk__seen *seen, uint64_t line) {
  sk__dcache *cache = core->dcache;
  seen->line = line;
  seen->next_late = cache->late;
  cache->late = seen;
  core->order.settle = settle;
}

static bool has_late(const sk__seen *seen) { return (seen->late_read | seen->late_write) != 0; }

/* Must what is late be handed in before this access is noted? An access of another instruction is recorded at
 * once; only those from one place are collected. */
static bool comes_between(const sk__core *core, const sk__seen *seen, bool late, bool is_write) {
  if (!late) return has_late(seen);
  return is_write ? seen->late_write != 0 && seen->write_site != core->site
                  : seen->late_read != 0 && seen->read_site != core->site;
}

/* Bytes of the line not yet noted in this epoch become so. Those of plain accesses are late; a look at a signal leaves no trace. */
static void note(sk__core *core, sk__seen *seen, uint64_t address, uint64_t bytes, uint64_t need, bool is_write, bool signal) {
  uint64_t epoch = epoch_of(core);
  bool late = core->checks && !signal && core->instr == (is_write ? store_name : load_name);
  if (comes_between(core, seen, late, is_write)) sk__scalar_settle(core);
  if (seen->epoch != epoch) {
    seen->epoch = epoch;
    seen->read = seen->write = 0;
  }
  uint64_t added = need & ~(is_write ? seen->write : seen->read | seen->write);
  if (late && added != 0 && !has_late(seen)) late_begin(core, seen, address & ~(SK__LINE_BYTES - 1));
  if (is_write) {
    seen->write |= need;
    seen->write_site = core->site;
    if (late) seen->late_write |= added;
  } else {
    seen->read |= need;
    seen->read_site = core->site;
    if (late) seen->late_read |= added;
  }
  if (core->checks && !signal && !late && added != 0)
    record(core, is_write ? SK__WRITE : SK__READ, address, bytes, core->site, core->instr);
}

/* ---- slow path ------------------------------------------------------------------------------- */

/* Wild: the access that follows would kill the process, or hit something that is not the kernel's. */
static SK__COLD void wild(sk__core *core, uint64_t address, uint64_t bytes, bool is_write) {
  sk__memory_report_bounds(core->dcache->memory, core, SK__PIPE_S, is_write ? SK__WRITE : SK__READ, address, bytes,
                           core->site, core->instr);
  uint64_t gm_end = core->dcache->memory->gm_end;
  if (address < SK__GM_BASE || address + bytes > gm_end) sk__core_abort(core, SK_FAULT);
}

static void gm_part(sk__core *core, uint64_t address, uint64_t bytes, bool is_write) {
  sk__dcache *cache = core->dcache;
  const sk__extent *extent = sk__extent_of(cache, address, bytes);
  if (extent == NULL) {
    wild(core, address, bytes, is_write);
    return;
  }
  uint64_t whole = address & ~(SK__LINE_BYTES - 1);
  if (!core->checks && !cache->memory->threaded && whole + SK__LINE_BYTES <= extent->end) {
    address = whole; /* which bytes it was matters to findings only */
    bytes = SK__LINE_BYTES;
  }
  if (is_write) (void)sk__log_open(cache->memory, address, bytes);
  sk__seen *seen = &sk__dcache_access(core, address, bytes, is_write)->seen;
  uint64_t low = whole > extent->start ? whole : extent->start;
  uint64_t high = whole + SK__LINE_BYTES < extent->end ? whole + SK__LINE_BYTES : extent->end;
  seen->valid = sk__line_mask(low, high - low);
  bool signal = !is_write && cache->fresh_line == whole && core->instructions <= cache->fresh_until;
  note(core, seen, address, bytes, sk__line_mask(address, bytes), is_write, signal);
  if (signal) sk__soft_acquire(core, sk__signal_of_line(whole), 0);
}

static SK__COLD sk__finding out_of_bounds(sk__core *core, uint64_t address, uint64_t bytes, bool is_write) {
  sk__finding finding = sk__core_finding(core, "LOCAL_OUT_OF_BOUNDS", SK__CAT_OPERATOR, SK__ERROR);
  sk__end *end = &finding.ends[0];
  end->role = is_write ? "writer" : "reader";
  end->pipe = SK__PIPE_S;
  end->address = address;
  end->bytes = bytes;
  return finding;
}

static SK__COLD void report_local(sk__core *core, uint64_t address, uint64_t bytes, bool is_write) {
  sk__finding finding = out_of_bounds(core, address, bytes, is_write);
  sk__text text = sk__text_on(finding.message, sizeof finding.message);
  sk__text_add(&text, "%s of %" PRIu64 " bytes", core->instr, bytes);
  uint32_t owner = sk__local_core(address);
  if (owner != core->index)
    sk__text_add(&text, " in the local memory of another core (%u)", owner);
  else if (core->type == SK__AIC)
    sk__text_add(&text, " at offset 0x%" PRIx64 " of the cube core's local memories, which scalar code cannot address",
                 address - core->local);
  else
    sk__text_add(&text, " at UB offset %" PRIu64 ", behind its end at %u", address - core->local,
                 core->dcache->memory->soc->ub_bytes);
  sk__text_copy(finding.remedy, sizeof finding.remedy, "Let scalar code touch only the core's own UB; use copies for other memories.");
  sk__report(core->checker, &finding);
}

static SK__COLD void report_beyond(sk__core *core, const sk__local_array *array, uint64_t address, uint64_t bytes, bool is_write) {
  sk__finding finding = out_of_bounds(core, address, bytes, is_write);
  finding.ends[0].mem = SK__MEM_UB;
  char where[200];
  sk__locals_tell_beyond(array, address - core->local, bytes, where, sizeof where);
  sk__text message = sk__text_on(finding.message, sizeof finding.message), remedy = sk__text_on(finding.remedy, sizeof finding.remedy);
  sk__text_add(&message, "%s %s", core->instr, where);
  sk__text_add(&remedy, "stay inside '%s', or make the array larger", array->name);
  sk__report(core->checker, &finding);
}

static void local_part(sk__core *core, uint64_t address, uint64_t bytes, bool is_write) {
  /* The scalar unit reaches UB only. */
  uint64_t capacity = core->dcache->ub_bytes, offset = address - core->local;
  const sk__local_array *array = NULL;
  sk__placing placing = capacity == 0 ? SK__IN_NO_ARRAY : sk__locals_place_of_scalar(core, offset, bytes, &array);
  if (placing == SK__BEYOND_ARRAY) {
    report_beyond(core, array, address, bytes, is_write);
  } else if (placing == SK__IN_NO_ARRAY && (offset >= capacity || bytes > capacity - offset)) {
    report_local(core, address, bytes, is_write);
    sk__core_abort(core, SK_FAULT);
  } else if (sk__framework_of(core)->released != 0) {
    sk__buffers_judge(core, SK__MEM_UB, address, bytes, NULL);
  }
  uint64_t line = address & ~(SK__LINE_BYTES - 1), need = core->checks ? sk__line_mask(address, bytes) : ~UINT64_C(0);
  sk__seen *seen = sk__local_seen(core->dcache, address);
  core->dcache->recent_used = true;
  if (core->order.watched != 0) { /* each access is told, so nothing may be known of its line */
    sk__scalar_settle(core);
    *seen = (sk__seen){0};
    record(core, is_write ? SK__WRITE : SK__READ, address, bytes, core->site, core->instr);
    return;
  }
  bool other_line = seen->fast != line;
  if (other_line) {
    if (has_late(seen)) sk__scalar_settle(core);
    *seen = (sk__seen){.fast = line};
  }
  if (other_line || seen->epoch != epoch_of(core)) seen->valid = ~sk__locals_behind(core, line - core->local);
  note(core, seen, address, bytes, need, is_write, false);
}

void sk__scalar_access(sk__core *core, uint64_t address, uint64_t bytes, bool is_write, const void *site) {
  if (!sk__in_window(address)) return; /* stack and constants */
  core->site = site;
  bool local = sk__in_local(address);
  while (bytes > 0) {
    uint64_t part = SK__LINE_BYTES - (address & (SK__LINE_BYTES - 1));
    if (part > bytes) part = bytes;
    if (local) local_part(core, address, part, is_write);
    else gm_part(core, address, part, is_write);
    address += part;
    bytes -= part;
  }
}

/* ---- hooks ----------------------------------------------------------------------------------- */

static __attribute__((noinline)) void hook_slow(sk__core *core, uint64_t address, uint64_t bytes, bool is_write,
                                                const void *site) {
  const char *instr = core->instr;
  const void *instr_site = core->site;
  core->instr = is_write ? store_name : load_name;
  sk__scalar_access(core, address, bytes, is_write, site);
  core->instr = instr; /* compilers put plain accesses elsewhere: the last instruction stays the last one called */
  core->site = instr_site;
}

/* A hit: a recent line whose copy is shown, and all bytes are checked, or may be checked later with
 * those that came from the same place. */
static inline __attribute__((always_inline)) bool hit(sk__core *core, uint64_t address, uint64_t bytes, bool is_write, const void *site) {
  sk__dcache *cache = core->dcache;
  uint64_t line = address & ~(SK__LINE_BYTES - 1), at = address & (SK__LINE_BYTES - 1);
  bool local = (address >> SK__LOCAL_BIT & 1) != 0;
  sk__seen *seen = local ? sk__local_seen(cache, address) : cache->recent[sk__recent_slot(address)];
  if (seen->fast != line || seen->epoch != epoch_of(core) || at + bytes > SK__LINE_BYTES) return false;
  uint64_t need = sk__line_mask(address, bytes), known = is_write ? seen->write : seen->read | seen->write;
  if ((need & ~known) == 0) return true;
  if ((need & ~seen->valid) != 0 || site != (is_write ? seen->write_site : seen->read_site)) return false;
  if ((is_write ? seen->late_write : seen->late_read) == 0) return false; /* the first; no calls here */
  if (is_write) {
    seen->write |= need;
    seen->late_write |= need & ~known;
    if (!local) ((sk__line *)(void *)seen)->dirty |= need;
  } else {
    seen->read |= need;
    seen->late_read |= need & ~known;
  }
  return true;
}

void sk_hook_read(const void *address, uint64_t bytes, const void *site) {
  sk__core *core = sk__self;
  if (core == NULL || hit(core, (uint64_t)address, bytes, false, site)) return;
  hook_slow(core, (uint64_t)address, bytes, false, site);
}

void sk_hook_write(void *address, uint64_t bytes, const void *site) {
  sk__core *core = sk__self;
  if (core == NULL || hit(core, (uint64_t)address, bytes, true, site)) return;
  hook_slow(core, (uint64_t)address, bytes, true, site);
}

/* Each begins with a cache line of code: else what stands before them in the library tells how fast they are. */
#define ALIGNED __attribute__((aligned(64)))
#define HOOKS(bytes)                                                                    \
  ALIGNED void sk_hook_read##bytes(const void *address, const void *site) {             \
    sk__core *core = sk__self;                                                          \
    if (core == NULL || hit(core, (uint64_t)address, bytes, false, site)) return;       \
    hook_slow(core, (uint64_t)address, bytes, false, site);                             \
  }                                                                                     \
  ALIGNED void sk_hook_write##bytes(void *address, const void *site) {                  \
    sk__core *core = sk__self;                                                          \
    if (core == NULL || hit(core, (uint64_t)address, bytes, true, site)) return;        \
    hook_slow(core, (uint64_t)address, bytes, true, site);                              \
  }
SK_HOOK_SIZES(HOOKS)
