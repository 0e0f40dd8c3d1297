/* conflict.c - turns trouble found by the shadow into findings with both ends. Cold. */
#include <inttypes.h>

#include "base/text.h"
#include "check/shadow.h"

const char sk__written_back[] = "scalar store, written back,";

/* The earlier access was no read: the bytes came along with a line that was written back. */
static bool went_back(const sk__probe *probe, const sk__end *other) {
  return !probe->other_writes && other->instr == sk__written_back;
}

/* A vector instruction over what the same call wrote before: equal latency keeps their writes in order. */
static bool is_in_order(const sk__probe *probe, sk__trouble trouble, uint64_t other, uint16_t other_origin) {
  return trouble == SK__TROUBLE_ORDER && probe->pipe == SK__PIPE_V && probe->kind == SK__WRITE &&
         other_origin == probe->origin && sk__is_same_pipe(probe, other);
}

static void fill_current(const sk__probe *probe, sk__end *end);
static sk__mem memory_of(const sk__checker *checker, uint64_t address);

/* Scalar code has read already when its accesses are judged. */
static void tell_fresh(const sk__probe *probe, uint64_t other, uint64_t low, uint64_t high) {
  sk__checker *checker = probe->checker;
  if (checker->fresh == NULL || probe->pipe == SK__PIPE_S) return;
  checker->fresh(checker->fresh_context, low, high - low, probe->order->in_sub && sk__stamp_clock(other) >= probe->order->launch_clock);
  if (checker->has_fresh || checker->threaded) return;
  checker->has_fresh = true;
  checker->first_fresh = (sk__end){0};
  fill_current(probe, &checker->first_fresh);
  checker->first_fresh.address = low;
  checker->first_fresh.bytes = high - low;
  checker->first_fresh.mem = memory_of(checker, low);
}

SK__COLD void sk__probe_trouble(sk__probe *probe, sk__trouble trouble, uint64_t other, uint16_t other_origin,
                                bool other_writes, uint64_t low, uint64_t high) {
  probe->met = true;
  if (is_in_order(probe, trouble, other, other_origin)) return;
  if (trouble == SK__TROUBLE_FRESH) tell_fresh(probe, other, low, high);
  if (trouble == SK__TROUBLE_FRESH && probe->any) {
    probe->order->met_unwritten = true;
    return;
  }
  if (trouble == SK__TROUBLE_FRESH && probe->order->refused && sk__in_local(low)) return;
  if (probe->trouble != SK__TROUBLE_NONE) {
    bool same = probe->trouble == trouble && probe->other_origin == other_origin &&
                probe->other_writes == other_writes && sk__stamp_actor(probe->other) == sk__stamp_actor(other);
    if (same && probe->high == low) {
      probe->high = high;
      return;
    }
    sk__probe_report(probe);
  }
  probe->trouble = trouble;
  probe->other = other;
  probe->other_origin = other_origin;
  probe->other_writes = other_writes;
  probe->low = low;
  probe->high = high;
}

static sk__mem memory_of(const sk__checker *checker, uint64_t address) {
  if (!sk__in_local(address)) return SK__MEM_GM;
  uint32_t core = sk__local_core(address);
  if (core >= checker->soc->aic_count) return SK__MEM_UB;
  sk__mem found = SK__MEM_L1;
  uint64_t offset = (address - SK__LOCAL_BASE) & (SK__LOCAL_SLOT_BYTES - 1);
  for (int m = SK__MEM_L1; m < SK__MEMS; m++)
    if (offset >= sk__mem_slot_offset((sk__mem)m) && sk__mem_slot_offset((sk__mem)m) >= sk__mem_slot_offset(found))
      found = (sk__mem)m;
  return found;
}

/* Address as people count it: offset inside the memory, or the device address. */
static uint64_t shown_address(const sk__end *end) {
  if (end->mem == SK__MEM_GM) return end->address;
  return ((end->address - SK__LOCAL_BASE) & (SK__LOCAL_SLOT_BYTES - 1)) - sk__mem_slot_offset(end->mem);
}

static void fill_bytes(const sk__probe *probe, sk__end *end) {
  end->address = probe->low;
  end->bytes = probe->high - probe->low;
  end->mem = memory_of(probe->checker, probe->low);
}

static void fill_current(const sk__probe *probe, sk__end *end) {
  end->launch = end->task = end->block = end->sub_block = -1;
  if (probe->checker->describe != NULL) probe->checker->describe(probe->order->context, end);
  bool engine = probe->core == sk__engine_core(probe->checker->soc);
  end->core = engine ? -1 : (int32_t)probe->core;
  end->core_type = engine ? -1 : probe->core < probe->checker->soc->aic_count ? SK__AIC : SK__AIV;
  end->pipe = engine ? -1 : (int8_t)probe->pipe;
  end->site = probe->site;
  end->instr = probe->instr;
  end->role = probe->kind == SK__READ                   ? "reader"
              : probe->kind == SK__WRITE                ? "writer"
              : probe->kind == SK__PROBE_WRITE_BACK ? "writes back"
                                                    : "atomic";
  fill_bytes(probe, end);
}

static void fill_other(const sk__probe *probe, sk__end *end) {
  sk__end_from_stamp(probe->checker, probe->other, probe->other_origin, end);
  bool atomic = (probe->other & SK__STAMP_ATOMIC) != 0;
  end->role = atomic ? "atomic" : probe->other_writes ? "writer" : went_back(probe, end) ? "writes back" : "reader";
  fill_bytes(probe, end);
}

/* ---- words ----------------------------------------------------------------------------------- */

static void add_who(sk__text *t, const sk__end *end, bool name_core) {
  sk__text_add(t, "%s", end->instr != NULL ? end->instr : "an access");
  if (end->pipe >= 0) sk__text_add(t, " on %s", sk__pipe_name((sk__pipe)end->pipe));
  if (!name_core || end->core < 0) return;
  sk__text_add(t, " of %s core %" PRId32, sk__core_type_name((sk__core_type)end->core_type), end->core);
  if (end->block >= 0) sk__text_add(t, " (block %" PRId32 ")", end->block);
}

static void add_where(sk__text *t, const sk__end *end) {
  uint64_t at = shown_address(end);
  sk__text_add(t, "%s bytes 0x%" PRIx64 "..0x%" PRIx64, sk__mem_name(end->mem), at, at + end->bytes - 1);
}

static const char *verb_of(const sk__end *end) {
  return strcmp(end->role, "reader") == 0 ? "reads" : strcmp(end->role, "writer") == 0 ? "writes"
         : strcmp(end->role, "writes back") == 0 ? "writes back the line of" : "updates atomically";
}

static void describe_conflict(sk__finding *f, const sk__end *earlier, const sk__end *later) {
  bool local = later->mem != SK__MEM_GM, one_core = earlier->core == later->core && later->core >= 0;
  sk__text m = sk__text_on(f->message, sizeof f->message), r = sk__text_on(f->remedy, sizeof f->remedy);
  const sk__end *a = &f->ends[0], *b = &f->ends[1];
  add_who(&m, a, !local);
  sk__text_add(&m, " %s ", verb_of(a));
  add_where(&m, a);
  if (local) sk__text_add(&m, " on %s core %" PRId32, sk__core_type_name((sk__core_type)a->core_type), a->core);
  sk__text_add(&m, ", ");
  add_who(&m, b, !local);
  sk__text_add(&m, " %s them, and nothing orders the two", verb_of(b));
  if (!one_core) {
    bool one_launch = earlier->launch == later->launch && later->launch >= 0;
    sk__text_add(&r, one_launch ? "let the cores meet between the two accesses: a cross-core flag from the first to the "
                                  "second, or SyncAll"
                                : "order the two launches: the same stream, or an event between the streams");
    return;
  }
  const char *from = sk__pipe_name((sk__pipe)earlier->pipe), *to = sk__pipe_name((sk__pipe)later->pipe);
  if (earlier->launch != later->launch || (!local && earlier->block != later->block)) {
    sk__text_add(&r, "the two only share a core by chance: order the launches or blocks, or keep their bytes apart");
  } else if (earlier->pipe == later->pipe) {
    sk__text_add(&r, "put pipe_barrier(PIPE_%s) between the two", from);
  } else {
    sk__text_add(&r, "set_flag(PIPE_%s, PIPE_%s, id) after the first and wait_flag(PIPE_%s, PIPE_%s, id) before the second",
                 from, to, from, to);
  }
}

/* ---- findings -------------------------------------------------------------------------------- */

static int rank_of(const sk__end *end) { /* writer, atomic, reader */
  return strcmp(end->role, "writer") == 0 ? 0 : strcmp(end->role, "atomic") == 0 ? 1 : 2;
}

/* Which end comes first must not depend on which access happened to run first on another core. */
static bool comes_first(const sk__end *a, const sk__end *b) {
  if (rank_of(a) != rank_of(b)) return rank_of(a) < rank_of(b);
  const int32_t left[] = {a->launch, a->task, a->block, a->sub_block, a->core};
  const int32_t right[] = {b->launch, b->task, b->block, b->sub_block, b->core};
  for (size_t i = 0; i < sizeof left / sizeof *left; i++)
    if (left[i] != right[i]) return left[i] < right[i];
  return true;
}

/* The earlier access was made before a full barrier of the framework that is left out inside an SK. */
static bool lost_barrier(const sk__probe *probe) {
  const sk__order *order = probe->order;
  uint64_t clock = sk__stamp_clock(probe->other);
  return order->dropped_clock != 0 && sk__stamp_actor(probe->other) / SK__PIPE_SLOTS == probe->core &&
         clock >= order->begin_clock && clock < order->dropped_clock;
}

/* The other core has set a flag behind its access, and this core has waited for one that the other set after that: with
 * sets in order the two accesses would be ordered. */
static bool counts_on_set_order(const sk__probe *probe) {
  uint32_t actor = sk__stamp_actor(probe->other), core = actor / SK__PIPE_SLOTS, pipe = actor % SK__PIPE_SLOTS;
  if (core == probe->core || core == SK__HOST_CORE) return false;
  uint64_t clock = sk__stamp_clock(probe->other), heard = probe->seen[core * SK__PIPE_SLOTS + SK__PIPE_S];
  const sk__sets *sets = &probe->checker->sets[core];
  uint64_t count = atomic_load_explicit(&sets->count, memory_order_acquire);
  for (uint64_t i = count > SK__SETS ? count - SK__SETS : 0; i < count; i++) {
    const sk__set_note *note = &sets->ring[i % SK__SETS];
    bool behind = atomic_load_explicit(&note->pipe, memory_order_relaxed) == pipe &&
                  atomic_load_explicit(&note->clock, memory_order_relaxed) >= clock;
    if (behind && atomic_load_explicit(&note->issue, memory_order_relaxed) < heard) return true;
  }
  return false;
}

static void name_set_order(sk__finding *f, const sk__end *earlier) {
  sk__text_copy(f->id, sizeof f->id, "H9");
  size_t used = strlen(f->message);
  sk__text m = sk__text_on(f->message + used, sizeof f->message - used);
  sk__text_add(&m, ". A flag was set behind the first on %s, but the one that was waited for was set later on another pipe: "
                   "consecutive sets of a core take effect in any order", sk__pipe_name((sk__pipe)earlier->pipe));
  sk__text_copy(f->remedy, sizeof f->remedy, "wait for the flag that is set behind the access: each datum by a flag of its own");
}

static void report_order(sk__probe *probe, sk__finding *f) {
  sk__end earlier = {0}, later = {0};
  fill_other(probe, &earlier);
  fill_current(probe, &later);
  bool swap = !comes_first(&earlier, &later);
  f->ends[0] = swap ? later : earlier;
  f->ends[1] = swap ? earlier : later;
  f->end_count = 2;
  bool same_pipe = sk__is_same_pipe(probe, probe->other);
  /* Many kernels rely on vector instructions being in order; the documents ask for the barrier all the same. */
  f->severity = same_pipe && probe->pipe == SK__PIPE_V ? SK__WARNING : SK__ERROR;
  sk__text_copy(f->id, sizeof f->id, same_pipe ? "SAME_PIPE" : later.mem == SK__MEM_GM ? "SYNC_GM" : "SYNC_LOCAL");
  describe_conflict(f, &earlier, &later);
  if (lost_barrier(probe)) {
    f->severity = SK__ERROR;
    sk__text_copy(f->id, sizeof f->id, "H20");
    size_t used = strlen(f->message);
    sk__text m = sk__text_on(f->message + used, sizeof f->message - used);
    sk__text_add(&m, ". Un-fused, the end of the first TPipe is a full barrier; builds for SuperKernels leave it out");
    sk__text_copy(f->remedy, sizeof f->remedy, "put PipeBarrier<PIPE_ALL>() between the two TPipe objects");
    return;
  }
  bool one_kernel = earlier.launch == later.launch && earlier.task == later.task;
  bool undone = probe->kind == SK__PROBE_WRITE_BACK || went_back(probe, &earlier);
  if (one_kernel && !undone && counts_on_set_order(probe)) name_set_order(f, &earlier);
  if (!undone) return;
  sk__text_copy(f->id, sizeof f->id, "H13");
  sk__text_copy(f->remedy, sizeof f->remedy, "give each core's scalar output 64-byte lines of its own, or write it with DMA");
}

static void report_fresh(sk__probe *probe, sk__finding *f) {
  fill_current(probe, &f->ends[0]);
  f->end_count = 1;
  f->severity = SK__WARNING;
  sk__end *reader = &f->ends[0];
  sk__text m = sk__text_on(f->message, sizeof f->message);
  add_who(&m, reader, true);
  sk__text_add(&m, " reads ");
  add_where(&m, reader);
  if (probe->order->in_sub && sk__stamp_clock(probe->other) >= probe->order->launch_clock) {
    fill_other(probe, &f->ends[1]);
    f->end_count = 2;
    sk__text_copy(f->id, sizeof f->id, "H34");
    sk__text_add(&m, ", which this sub-kernel has not written: they hold what %s of %s left there",
                 f->ends[1].instr != NULL ? f->ends[1].instr : "an access",
                 f->ends[1].kernel[0] != '\0' ? f->ends[1].kernel : "an earlier sub-kernel");
    sk__text_copy(f->remedy, sizeof f->remedy, "initialise the buffer in this sub-kernel, or do not read these bytes");
    return;
  }
  sk__text_copy(f->id, sizeof f->id, "UNINITIALISED_READ");
  sk__text_add(&m, reader->mem == SK__MEM_GM ? ", which nobody has written since they were allocated"
                                             : ", which this kernel has not written");
  sk__text_copy(f->remedy, sizeof f->remedy, "write the bytes first, or do not read them");
}

/* A buffer that is filled before some of it is written is no lost result. */
static bool is_fill(const char *instr) {
  static const char *const fills[] = {"duplicate", "Duplicate", "fill", "Fill", "InitOutput"};
  for (size_t i = 0; instr != NULL && i < sizeof fills / sizeof *fills; i++)
    if (strstr(instr, fills[i]) != NULL) return true;
  return false;
}

static bool report_unread(sk__probe *probe, sk__finding *f) {
  fill_other(probe, &f->ends[0]);
  fill_current(probe, &f->ends[1]);
  if (is_fill(f->ends[0].instr)) return false;
  f->end_count = 2;
  f->severity = SK__INFO;
  sk__text_copy(f->id, sizeof f->id, "LOST_RESULT");
  sk__text m = sk__text_on(f->message, sizeof f->message);
  add_who(&m, &f->ends[0], false);
  sk__text_add(&m, " writes ");
  add_where(&m, &f->ends[0]);
  sk__text_add(&m, ", ");
  add_who(&m, &f->ends[1], false);
  sk__text_add(&m, " overwrites them, and nobody has read them in between");
  sk__text_copy(f->remedy, sizeof f->remedy, "read the result before its place is used again, or leave out what makes it");
  return true;
}

/* In this launch or sub-kernel on this core, once per pair of call sites is enough. */
static bool already_told(const sk__probe *probe) {
  uint32_t calls = (uint32_t)probe->other_origin << 16 | probe->origin;
  sk__told *told = &probe->checker->told[probe->core * SK__TOLD + (calls * 0x9e3779b1u >> (32 - SK__TOLD_SHIFT))];
  bool known = told->calls == calls && told->scope == probe->order->begin_clock;
  *told = (sk__told){probe->order->begin_clock, calls};
  return known;
}

SK__COLD void sk__probe_report(sk__probe *probe) {
  bool often = probe->trouble == SK__TROUBLE_UNREAD || (probe->trouble == SK__TROUBLE_ORDER && sk__is_same_pipe(probe, probe->other));
  if (often && already_told(probe)) {
    probe->trouble = SK__TROUBLE_NONE;
    return;
  }
  sk__finding f = {.category = SK__CAT_OPERATOR};
  sk__trouble trouble = probe->trouble;
  probe->trouble = SK__TROUBLE_NONE;
  if (atomic_load_explicit(&probe->checker->lost, memory_order_relaxed)) return;
  if (trouble == SK__TROUBLE_UNREAD && !report_unread(probe, &f)) return;
  if (trouble == SK__TROUBLE_ORDER) report_order(probe, &f);
  else if (trouble == SK__TROUBLE_FRESH) report_fresh(probe, &f);
  sk__report(probe->checker, &f);
}
