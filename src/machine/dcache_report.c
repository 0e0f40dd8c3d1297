/* dcache_report.c - findings about data caches: both ends, the bytes, and the one missing action. */
#include "machine/dcache_report.h"

#include <inttypes.h>

#include "base/text.h"
#include "machine/internal.h"

/* First and one past the last byte of a mask, as addresses. */
static uint64_t mask_low(uint64_t line, uint64_t mask) { return line + (uint64_t)__builtin_ctzll(mask); }
static uint64_t mask_high(uint64_t line, uint64_t mask) { return line + 64 - (uint64_t)__builtin_clzll(mask); }

/* "4 bytes at 0x... ('x' + 128)". */
static void add_bytes(sk__text *text, const sk__core *core, uint64_t line, uint64_t mask) {
  uint64_t low = mask_low(line, mask);
  sk__text_add(text, "%" PRIu64 " bytes at 0x%" PRIx64, mask_high(line, mask) - low, low);
  sk__gm_info info;
  if (core->machine != NULL && sk__gm_find(core->machine, low, &info) && info.label[0] != 0)
    sk__text_add(text, " ('%s' + %" PRIu64 ")", info.label, low - info.start);
}

static void add_kernel(sk__text *text, const char *kernel, uint32_t task) {
  if (kernel == NULL) return;
  if (task == SK__NO_TASK) sk__text_add(text, " of %s", kernel);
  else sk__text_add(text, " of sub-kernel %s (#%u)", kernel, task);
}

static void place(sk__end *end, sk__pipe pipe, uint64_t line, uint64_t mask) {
  end->pipe = (int8_t)pipe;
  end->mem = SK__MEM_GM;
  end->address = mask_low(line, mask);
  end->bytes = mask_high(line, mask) - end->address;
}

/* The end that was noted earlier: identity of its core, everything else as it was then. */
static void add_noted(sk__finding *finding, const sk__core *core, const sk__note *note, const char *role, uint64_t line,
                      uint64_t mask) {
  const sk__core *other = note->core < SK__MAX_CORES ? core->dcache->memory->caches[note->core]->core : NULL;
  sk__end *end;
  if (other != NULL) {
    end = sk__finding_end(finding, other, role, note->site, note->instr);
    end->launch = (int32_t)note->launch;
    end->task = note->task == SK__NO_TASK ? -1 : (int32_t)note->task;
    end->block = (int32_t)note->block;
    end->sub_block = note->sub_block;
    sk__text_copy(end->kernel, sizeof end->kernel, note->kernel == NULL ? "" : note->kernel);
    place(end, (sk__pipe)note->pipe, line, mask);
  } else if (finding->end_count < sizeof finding->ends / sizeof finding->ends[0]) {
    end = &finding->ends[finding->end_count++];
    *end = (sk__end){.role = role, .instr = note->instr, .core = SK__HOST_CORE, .core_type = -1, .pipe = -1, .block = -1,
                     .sub_block = -1, .launch = -1, .task = -1};
    place(end, SK__PIPE_S, line, mask);
    end->pipe = -1;
  }
}

static sk__finding begin(const sk__core *core, const char *id, const char *role, sk__pipe pipe, uint64_t line, uint64_t mask) {
  sk__finding finding = sk__core_finding(core, id, SK__CAT_OPERATOR, SK__ERROR);
  finding.ends[0].role = role;
  place(&finding.ends[0], pipe, line, mask);
  return finding;
}

void sk__dcache_report_unflushed(const sk__core *core, sk__pipe pipe, const sk__note *store, uint64_t line, uint64_t mask,
                                 bool left_behind) {
  sk__finding finding = begin(core, left_behind ? "H14" : "H11", "reader", pipe, line, mask);
  add_noted(&finding, core, store, "writer", line, mask);
  sk__text text = sk__text_on(finding.message, sizeof finding.message);
  sk__text_add(&text, "%s", core->instr);
  add_kernel(&text, core->view.kernel, core->view.task);
  sk__text_add(&text, " reads old values of ");
  add_bytes(&text, core, line, mask);
  sk__text_add(&text, ": the scalar store");
  add_kernel(&text, store->kernel, store->task);
  sk__text_add(&text, store->core == core->index ? " still stands in this core's data cache"
                                                : " still stands in the data cache of core %u", store->core);
  if (left_behind) sk__text_add(&text, "; the dcci of the line before does not reach it");
  sk__text_copy(finding.remedy, sizeof finding.remedy,
                left_behind ? "Issue one dcci per 64-byte line of the object."
                            : "Clean the line after the store (DataCacheCleanAndInvalid / asc_dcci), or list the "
                              "writer in dcci_after_kernel_end; do not set capability 4 for it.");
  sk__report(core->checker, &finding);
}

void sk__dcache_report_stale(const sk__core *core, const sk__note *change, uint64_t line, uint64_t mask, bool left_over) {
  sk__finding finding = begin(core, left_over ? "H17" : "H12", "reader", SK__PIPE_S, line, mask);
  add_noted(&finding, core, change, "writer", line, mask);
  sk__text text = sk__text_on(finding.message, sizeof finding.message);
  sk__text_add(&text, "%s", core->instr);
  add_kernel(&text, core->view.kernel, core->view.task);
  sk__text_add(&text, " reads ");
  add_bytes(&text, core, line, mask);
  sk__text_add(&text, " from a line this core loaded %sbefore %s", left_over ? "in an earlier launch, " : "", change->instr == NULL ? "a write" : change->instr);
  add_kernel(&text, change->kernel, change->task);
  sk__text_add(&text, " changed it");
  if (left_over) sk__text_add(&text, ": that SuperKernel ended without a flush on this core");
  sk__text_copy(finding.remedy, sizeof finding.remedy,
                left_over ? "Do not rewrite what fused operators read by scalar code: use other memory for each launch, or leave the flush on "
                            "(no capability 4, dcci_after_kernel_end), or invalidate the line before reading (asc_dcci)."
                : "Invalidate the line before reading (DataCacheCleanAndInvalid / asc_dcci), read through a const "
                "GetValue, or list the reader in dcci_before_kernel_start.");
  sk__report(core->checker, &finding);
}

void sk__dcache_report_overrun(const sk__core *core, const sk__note *store, const sk__note *change, uint64_t line,
                               uint64_t mask, const char *why) {
  sk__finding finding = begin(core, "H11", "writes back", SK__PIPE_S, line, mask);
  add_noted(&finding, core, store, "writer", line, mask);
  add_noted(&finding, core, change, "overwritten", line, mask);
  sk__text text = sk__text_on(finding.message, sizeof finding.message);
  sk__text_add(&text, "a scalar store");
  add_kernel(&text, store->kernel, store->task);
  sk__text_add(&text, " stayed in the data cache and is written back%s%s over ", why[0] != 0 ? " by " : "", why);
  add_bytes(&text, core, line, mask);
  sk__text_add(&text, " that %s", change->instr == NULL ? "a mover" : change->instr);
  add_kernel(&text, change->kernel, change->task);
  sk__text_add(&text, " wrote later");
  sk__text_copy(finding.remedy, sizeof finding.remedy,
                "Clean the line after the store (DataCacheCleanAndInvalid / asc_dcci), before anybody else writes it.");
  sk__report(core->checker, &finding);
}

void sk__dcache_report_sharing(const sk__core *core, const sk__note *store, const sk__note *change, uint64_t line,
                               uint64_t mask, const char *why) {
  sk__finding finding = begin(core, "H13", "writes back", SK__PIPE_S, line, mask);
  add_noted(&finding, core, store, "writer", line, mask);
  add_noted(&finding, core, change, "lost write", line, mask);
  sk__text text = sk__text_on(finding.message, sizeof finding.message);
  sk__text_add(&text, "%s writes back a whole 64-byte line because of a scalar store", why);
  add_kernel(&text, store->kernel, store->task);
  sk__text_add(&text, " and puts old values over ");
  add_bytes(&text, core, line, mask);
  sk__text_add(&text, " that %s", change->instr == NULL ? "another core" : change->instr);
  add_kernel(&text, change->kernel, change->task);
  sk__text_add(&text, " wrote since the line was loaded");
  sk__text_copy(finding.remedy, sizeof finding.remedy,
                "Give each core's scalar output 64-byte lines of its own, or write it with DMA.");
  sk__report(core->checker, &finding);
}
