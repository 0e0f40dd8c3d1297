/* core.c - one core: its registers, its operands, the beginning and end of a block and of a sub-kernel,
 * and how findings speak of it. */
#include <string.h>

#include "base/text.h"
#include "machine/flags.h"
#include "machine/framework.h"

enum { CTRL_INF_NAN_BIT = 48, REPEAT_TIME_SHIFT = 16 };

/* ---- registers ----------------------------------------------------------------------------- */

void sk__core_reset_registers(sk__core *core) {
  core->mask[0] = core->mask[1] = UINT64_MAX;
  core->ctrl = UINT64_C(1) << CTRL_INF_NAN_BIT;
  core->cmp_mask[0] = core->cmp_mask[1] = 0;
  core->pad_value = core->deq_scale = 0;
  core->atomic_type = core->atomic_op = 0;
  core->rsvd_count = core->acc_value = 0;
  memset(core->reduce_max, 0, sizeof core->reduce_max);
  memset(core->reduce_min, 0, sizeof core->reduce_min);
  memset(core->merge_counts, 0, sizeof core->merge_counts);
  memset(core->va, 0, sizeof core->va);
  core->l0c_prequant = core->l0c_nd_params = core->l0c_relu_alpha = 0;
  memset(core->fix_config, 0, sizeof core->fix_config);
  core->fmatrix_a = core->fmatrix_b = core->fmatrix_a_pad = core->fmatrix_b_pad = core->load3d_padding = 0;
  core->load3d_repeat = UINT64_C(1) << REPEAT_TIME_SHIFT; /* one repeat; the 16 bits below are its stride */
  core->load3d_size = 0;
  core->ffts_base = core->status = 0;
}

/* ---- findings ------------------------------------------------------------------------------ */

void sk__core_describe(void *context, sk__end *end) {
  const sk__core *core = context;
  end->core = (int32_t)core->index;
  end->core_type = (int8_t)core->type;
  end->block = (int32_t)core->block_idx;
  end->sub_block = (int32_t)core->sub_block;
  end->launch = core->launch != NULL ? (int32_t)core->launch->serial : -1;
  end->task = sk__in_sub(core) ? (int32_t)core->view.task : -1;
  snprintf(end->kernel, sizeof end->kernel, "%s", core->view.kernel != NULL ? core->view.kernel : "");
  const char *phase = sk__early_phase(core);
  if (phase == NULL && core->view.raw_index) phase = SK__RAW_INDEX;
  if (phase != NULL && end->detail[0] == '\0') snprintf(end->detail, sizeof end->detail, "%s", phase);
}

sk__end *sk__finding_end(sk__finding *finding, const sk__core *core, const char *role, const void *site, const char *instr) {
  uint32_t last = sizeof finding->ends / sizeof finding->ends[0] - 1;
  sk__end *end = &finding->ends[finding->end_count <= last ? finding->end_count++ : last];
  *end = (sk__end){.role = role, .site = site, .instr = instr, .pipe = -1, .mem = SK__MEM_GM};
  sk__core_describe((void *)(uintptr_t)core, end);
  return end;
}

sk__finding sk__core_finding(const sk__core *core, const char *id, sk__category category, sk__severity severity) {
  sk__finding finding = {.category = category, .severity = severity, .count = 1};
  snprintf(finding.id, sizeof finding.id, "%s", id);
  bool fused = core->launch != NULL && core->launch->is_sk;
  finding.in_fused = fused;
  finding.in_unfused = !fused;
  sk__finding_end(&finding, core, "at", core->site, core->instr);
  return finding;
}

void sk__core_set_text(const sk__machine *machine, const sk__core_set *set, char *text, size_t bytes) {
  size_t used = 0;
  text[0] = '\0';
  for (int type = SK__AIC; type <= SK__AIV; type++) {
    uint32_t first = type == SK__AIC ? 0 : machine->soc->aic_count;
    uint32_t count = type == SK__AIC ? machine->soc->aic_count : machine->soc->aiv_count;
    bool named = false;
    for (uint32_t i = 0; i < count && used < bytes; i++) {
      if (!sk__core_set_has(set, first + i)) continue;
      uint32_t last = i;
      while (last + 1 < count && sk__core_set_has(set, first + last + 1)) last++;
      const char *lead = named ? ", " : type == SK__AIC ? "AIC " : used > 0 ? ", AIV " : "AIV ";
      int n = last > i ? snprintf(text + used, bytes - used, "%s%u-%u", lead, i, last)
                       : snprintf(text + used, bytes - used, "%s%u", lead, i);
      used += (size_t)n;
      named = true;
      i = last;
    }
  }
}

/* ---- operands ------------------------------------------------------------------------------ */

static __attribute__((noinline, cold)) void *refuse(sk__core *core, sk__mem mem, uint64_t address, uint64_t bytes,
                                                    uint32_t align, const char *operand) {
  const sk__machine *machine = core->machine;
  uint64_t capacity = machine->mem_capacity[core->type][mem], start = core->local + machine->mem_offset[mem];
  const char *name = sk__mem_name(mem), *instr = core->instr != NULL ? core->instr : "instruction";
  bool misaligned = capacity != 0 && address - start < capacity && align != 0 && (address - start) % align != 0;
  sk__finding f = sk__core_finding(core, misaligned ? "LOCAL_MISALIGNED" : "LOCAL_OUT_OF_BOUNDS", SK__CAT_OPERATOR, SK__ERROR);
  f.ends[0].address = address;
  f.ends[0].bytes = bytes;
  f.ends[0].mem = mem;
  snprintf(f.remedy, sizeof f.remedy, "keep %s of %s inside the %llu bytes of %s", operand, instr,
           (unsigned long long)capacity, name);
  if (capacity == 0)
    snprintf(f.message, sizeof f.message, "%s of %s lies in %s, which an %s does not have", operand, instr, name,
             sk__core_type_name(core->type));
  else if (misaligned) {
    snprintf(f.message, sizeof f.message, "%s of %s starts at %s offset %llu, which is not a multiple of %u bytes", operand,
             instr, name, (unsigned long long)(address - start), align);
    snprintf(f.remedy, sizeof f.remedy, "align %s to %u bytes", operand, align);
  } else if (address - start < capacity)
    snprintf(f.message, sizeof f.message, "%s of %s reaches %llu bytes beyond %s: %llu bytes from offset %llu of %llu", operand,
             instr, (unsigned long long)(address - start + bytes - capacity), name, (unsigned long long)bytes,
             (unsigned long long)(address - start), (unsigned long long)capacity);
  else if (address - start < SK__LOCAL_SLOT_BYTES && address < core->local + SK__LOCAL_SLOT_BYTES)
    snprintf(f.message, sizeof f.message, "%s of %s must be in %s, but points behind its %llu bytes", operand, instr, name,
             (unsigned long long)capacity);
  else if (sk__in_local(address) && sk__local_core(address) != core->index)
    snprintf(f.message, sizeof f.message, "%s of %s points into the local memory of another core", operand, instr);
  else {
    sk__text text = sk__text_on(f.message, sizeof f.message);
    sk__text_add(&text, "%s of %s must be in %s, but points to ", operand, instr, name);
    if (sk__in_gm(address)) sk__text_add(&text, "device memory, ");
    else if (sk__in_local(address)) sk__text_add(&text, "another local memory, ");
    sk__text_add_address(&text, address);
  }
  sk__report(core->checker, &f);
  core->order.refused = true;
  return NULL;
}

static __attribute__((noinline, cold)) void *refuse_array(sk__core *core, sk__mem mem, const sk__local_array *array, uint64_t offset,
                                                          uint64_t bytes, const char *operand) {
  const char *instr = core->instr != NULL ? core->instr : "instruction";
  sk__finding f = sk__core_finding(core, "LOCAL_OUT_OF_BOUNDS", SK__CAT_OPERATOR, SK__ERROR);
  f.ends[0].address = core->local + core->machine->mem_offset[mem] + offset;
  f.ends[0].bytes = bytes;
  f.ends[0].mem = mem;
  char where[200];
  sk__locals_tell_beyond(array, offset, bytes, where, sizeof where);
  snprintf(f.message, sizeof f.message, "%s of %s %s", operand, instr, where);
  snprintf(f.remedy, sizeof f.remedy, "keep %s inside '%s', or make the array larger", operand, array->name);
  sk__report(core->checker, &f);
  core->order.refused = true;
  return NULL;
}

void *sk__local_operand(sk__core *core, sk__mem mem, const void *pointer, uint64_t bytes, uint32_t align,
                        const char *operand) {
  const sk__machine *machine = core->machine;
  uint64_t start = core->local + machine->mem_offset[mem], capacity = machine->mem_capacity[core->type][mem];
  uint64_t address = (uint64_t)(uintptr_t)pointer;
  if (address < SK__LOCAL_SLOT_BYTES) address += start;
  uint64_t offset = address - start;
  bool aligned = (offset & (align - (align != 0))) == 0;
  const sk__local_array *array = NULL;
  sk__placing placing = aligned ? sk__locals_place_of(core, mem, offset, bytes, &array) : SK__IN_NO_ARRAY;
  if (__builtin_expect(placing == SK__IN_ARRAY, 1)) return (void *)(uintptr_t)address;
  if (placing == SK__BEYOND_ARRAY) return refuse_array(core, mem, array, offset, bytes, operand);
  if (__builtin_expect(offset >= capacity || bytes > capacity - offset || !aligned, 0))
    return refuse(core, mem, address, bytes, align, operand);
  if (sk__framework_of(core)->pipe != NULL && core->checks) sk__buffers_judge(core, mem, address, bytes, operand);
  return (void *)(uintptr_t)address;
}

/* ---- spans ---------------------------------------------------------------------------------- */

enum { SPAN_BLOCK, SPAN_SUB };

static __attribute__((noinline, cold)) void tell_span(const sk__core *core, int which) {
  const sk__machine *machine = core->machine;
  bool sub = which == SPAN_SUB;
  sk__span span = {.name = sub ? core->view.kernel : core->launch->name, .core = core->index, .launch = core->launch->serial, .group = machine->run.group,
                   .task = sub ? core->view.task : SK__NO_TASK, .begin_cycles = machine->run.begin_cycles + machine->span_begin[core->index][which],
                   .end_cycles = machine->run.begin_cycles + sk__core_latest_cycles(core)};
  machine->span(machine->span_context, &span);
}

static void span_begin(const sk__core *core, int which) {
  if (core->machine->span != NULL) core->machine->span_begin[core->index][which] = sk__core_latest_cycles(core);
}

void sk__machine_set_spans(sk__machine *machine, sk__span_fn fn, void *context) {
  machine->span = fn;
  machine->span_context = context;
}

/* ---- blocks -------------------------------------------------------------------------------- */

void sk__core_begin_block(sk__core *core, uint32_t block) {
  const sk__launch *launch = core->launch;
  sk__seat *seat = sk__seat_of(core);
  if (block >= core->machine->run.lane_count) sk__dcache_clean_all(core); /* of the block this core ran before */
  core->block_idx = block;
  core->view = (sk__view){.kernel = launch->name, .block_num = launch->blocks, .task = SK__NO_TASK,
                          .sub_ratio = core->machine->run.share[SK__AIV],
                          .own_ratio = core->machine->run.share[SK__AIV], .dynamic_ub_bytes = launch->dynamic_ub_bytes};
  core->site = NULL;
  core->instr = NULL;
  span_begin(core, SPAN_BLOCK);
  sk__core_reset_registers(core);
  sk__residue_reset(core);
  core->matmul_posted = core->matmul_served = 0;
  memset(core->events, 0, sizeof core->events);
  memset(seat->events_at_begin, 0, sizeof seat->events_at_begin);
  sk__locals_reset(core);
  sk__order_begin(core->checker, &core->order, core->index, core->machine->run.before);
}

/* The end of a kernel on the chip: pipes drain, the data cache is written back and emptied. The latter is
 * put off until this core's next block or the end of the launch: it orders nothing towards other cores of
 * the launch, so none of them may see the flushed bytes by luck. */
void sk__core_end_block(sk__core *core, bool completed) {
  sk__machine *machine = core->machine;
  sk__division_report(core);
  sk__order_settle(&core->order); /* while the view still says whose accesses they are */
  uint64_t latest = sk__core_latest_cycles(core);
  for (uint32_t pipe = 0; pipe < SK__PIPES; pipe++) core->cycles[pipe] = latest;
  if (machine->span != NULL) {
    if (sk__in_sub(core)) tell_span(core, SPAN_SUB); /* aborted inside */
    tell_span(core, SPAN_BLOCK);
  }
  sk__seat_of(core)->stuck_task = core->view.task;
  core->view.task = SK__NO_TASK;
  core->view.kernel = core->launch->name;
  if (completed) sk__events_judge(core);
  sk__lock(machine);
  if (machine->run.after != NULL) sk__order_end(core->checker, &core->order, machine->run.after);
  sk__unlock(machine);
}

void sk__core_begin_sub(sk__core *core, const sk__view *view) {
  core->view = *view;
  span_begin(core, SPAN_SUB);
  memcpy(sk__seat_of(core)->events_at_begin, core->events, sizeof core->events);
  sk__locals_reset(core);
  sk__residue_begin(core);
  sk__early_begin(core);
  if (core->checks) sk__order_begin_sub(&core->order);
  sk__ledger_note(core, SK__ACT_BEGIN, 0);
}

void sk__core_end_sub(sk__core *core) {
  sk__order_settle(&core->order); /* while the view still says whose accesses they are */
  if (core->machine->span != NULL) tell_span(core, SPAN_SUB);
  sk__events_judge(core);
  sk__residue_judge(core);
  sk__early_end(core);
  const sk__launch *launch = core->launch;
  core->view = (sk__view){.kernel = launch->name, .block_num = launch->blocks, .task = SK__NO_TASK,
                          .sub_ratio = core->machine->run.share[SK__AIV],
                          .own_ratio = core->machine->run.share[SK__AIV], .dynamic_ub_bytes = launch->dynamic_ub_bytes};
  memcpy(sk__seat_of(core)->events_at_begin, core->events, sizeof core->events);
  sk__ledger *ledger = &sk__seat_of(core)->ledger;
  ledger->scope = ledger->entries.count;
}

/* ---- for debuggers ---------------------------------------------------------------------------- */

/* Called from break point conditions (docs/debugging.md): which core runs on this thread, without any effect. */
SK__API int sk_debug_core(void);
SK__API int sk_debug_block(void);
int sk_debug_core(void) { return sk__self != NULL ? (int)sk__self->index : -1; }
int sk_debug_block(void) {
  const sk__core *core = sk__self;
  if (core == NULL) return -1;
  return core->type == SK__AIC ? (int)core->block_idx : (int)(core->block_idx * core->ratio + core->sub_block);
}
