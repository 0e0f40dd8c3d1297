/* tensor.c - what the C++ tensor layer asks of a core beside instructions: who it is, masks, the automatic
 * order of scalar accesses, workspace, control bits, access past the data cache, printing, assertions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"
#include "kernel_operator/library.h"
#include "machine/framework.h"
#include "machine/soft.h"

#define PRINT_BYTES (30u * 1024u) /* one print holds no more */

static sk__core *enter(const char *call, const void *site) {
  sk__core *core = sk__enter(SK__PIPE_S, call, site);
  sk__advance(core, SK__PIPE_S, 1);
  return core;
}

int64_t sk_block_index(void) {
  const sk__core *core = enter("GetBlockIdx", SK__SITE());
  return core->type == SK__AIC ? core->block_idx : (int64_t)core->block_idx * core->ratio + core->sub_block;
}

/* ---- masks: register writes of the scalar unit, in program order with what uses them ------------ */

void sk_mask_full(void) {
  sk__core *core = sk__self;
  core->mask[0] = core->mask[1] = UINT64_MAX;
  core->mask_length = 0;
  sk__state_set(core, SK__STATE_MASK, 0);
}
void sk_mask_length(uint64_t length) {
  sk__core *core = sk__self;
  sk__state_set(core, SK__STATE_MASK, 0);
  if (sk__ctrl(core, SK__CTRL_COUNTER_MODE)) {
    core->mask[0] = length;
    core->mask[1] = 0;
    return;
  }
  core->mask_length = length;
  core->mask[0] = length >= 64 ? UINT64_MAX : (UINT64_C(1) << length) - 1;
  core->mask[1] = length >= 128 ? UINT64_MAX : length > 64 ? (UINT64_C(1) << (length - 64)) - 1 : 0;
}

/* ---- automatic synchronisation ------------------------------------------------------------------ */

/* The scalar unit waits for what the pipe has been given; the other direction needs nothing, since an
 * instruction is ordered after all the scalar unit did before its issue. */
static void wait_for(sk__core *core, sk__pipe pipe) {
  sk__event_clock clock;
  sk__order_set_flag(&core->order, pipe, &clock);
  sk__order_wait_flag(&core->order, SK__PIPE_S, &clock);
  if (core->cycles[SK__PIPE_S] < core->cycles[pipe]) core->cycles[SK__PIPE_S] = core->cycles[pipe];
}
static void auto_sync(bool local) {
  sk__core *core = sk__self;
  if (core == NULL || core->type != SK__AIV || !core->checks) return;
  sk__framework *framework = sk__framework_of(core);
  if (framework->synced_at == core->instructions) return; /* no instruction since the last time */
  if (local) wait_for(core, SK__PIPE_V);
  wait_for(core, SK__PIPE_MTE2);
  wait_for(core, SK__PIPE_MTE3);
  if (local) framework->synced_at = core->instructions;
}
void sk_auto_sync_begin(void) {
  sk__core *core = sk__self;
  if (core != NULL && core->type == SK__AIV) core->order.in_order_pipes |= 1u << SK__PIPE_V;
}
void sk_auto_sync_local(void) { auto_sync(true); }
void sk_auto_sync_global(void) { auto_sync(false); }

/* ---- cache lines of GlobalTensor ----------------------------------------------------------------- */

void sk_line_clean(uint64_t address) {
  sk__core *core = sk__self;
  if (core == NULL || core->view.task == UINT32_MAX) return; /* the normal build has no such code */
  (void)enter("GlobalTensor line maintenance", SK__SITE());
  sk__advance(core, SK__PIPE_S, sk__machine_soc(core->machine)->costs.dcci_line_cycles);
  sk__dcache_clean_line(core, address);
}

/* ---- registers and workspace --------------------------------------------------------------------- */

void sk_set_system_workspace(uint64_t address) {
  sk__framework_of(enter("SetSysWorkSpace", SK__SITE()))->system_workspace = address;
}
/* 0 if there is none: kernels ask whether there is one. Who needs it complains. */
uint64_t sk_system_workspace(void) { return sk__framework_of(enter("GetSysWorkSpacePtr", SK__SITE()))->system_workspace; }

void sk_set_pad_value(uint64_t bits) {
  sk__core *core = enter("SetPadValue", SK__SITE());
  core->pad_value = bits;
  sk__state_set(core, SK__STATE_PAD, 0);
  sk__framework_of(core)->pad_given = true;
}
bool sk_pad_value_given(void) { return sk__framework_of(sk__self)->pad_given; }

void sk_note_extreme(bool least) { sk__framework_of(sk__self)->extreme_is_least = least; }
bool sk_last_extreme_is_least(void) { return sk__framework_of(sk__self)->extreme_is_least; }

void sk_set_atomic_type(uint32_t type) {
  sk__core *core = enter("SetAtomicType", SK__SITE());
  core->atomic_type = type;
  sk__state_set(core, SK__STATE_ATOMIC, 0);
}

static bool bits_legal(sk__core *core, uint32_t first, uint32_t last) {
  if (first <= last && last < 64) return true;
  sk__bad_argument(core, "the last bit", last, "%u..63", first);
  return false;
}
static uint64_t bits_mask(uint32_t first, uint32_t last) {
  uint32_t n = last - first + 1;
  return (n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1) << first;
}
void sk_set_control_bits(uint32_t first, uint32_t last, uint64_t value) {
  sk__core *core = enter("SetCtrlSpr", SK__SITE());
  if (!bits_legal(core, first, last)) return;
  uint64_t mask = bits_mask(first, last);
  core->ctrl = (core->ctrl & ~mask) | (value << first & mask);
  sk__state_set(core, SK__STATE_CTRL, mask);
}
uint64_t sk_control_bits(uint32_t first, uint32_t last) {
  sk__core *core = enter("GetCtrlSpr", SK__SITE());
  return bits_legal(core, first, last) ? (core->ctrl & bits_mask(first, last)) >> first : 0;
}

/* ---- past the data cache -------------------------------------------------------------------------- */

/* Words that cores signal by: read while others write them, so the read is not held against the write; who has read
 * one may rely on what its writer's scalar unit had done. */

void sk_read_past_cache(void *to, const void *from, uint32_t bytes) {
  sk__core *core = enter("ReadGmByPassDCache", SK__SITE());
  memset(to, 0, bytes);
  bool checks = core->checks;
  core->checks = false;
  (void)sk__gm_load(core, SK__PIPE_S, to, (uint64_t)(uintptr_t)from, bytes); /* a failure has been reported */
  core->checks = checks;
  sk__soft_acquire(core, (uint64_t)(uintptr_t)from, 0);
}
void sk_write_past_cache(void *to, uint64_t value, uint32_t bytes) {
  sk__core *core = enter("WriteGmByPassDCache", SK__SITE());
  uint32_t atomics = core->atomic_type; /* of DMA transfers only */
  core->atomic_type = 0;
  (void)sk__gm_store(core, SK__PIPE_S, (uint64_t)(uintptr_t)to, &value, bytes);
  sk__soft_signal(core, (uint64_t)(uintptr_t)to, 0);
  core->atomic_type = atomics;
}

/* ---- early start ------------------------------------------------------------------------------------ */

/* Bits of the configuration word, and the system's flag ids. */
enum {
  EARLY_C2C_SET = 1, EARLY_C2C_WAIT = 2, EARLY_C2V_SET = 4, EARLY_V2C_WAIT = 8, EARLY_V2V_SET = 16, EARLY_V2V_WAIT = 32,
  EARLY_V2C_SET = 64, EARLY_C2V_WAIT = 128
};
enum { FLAG_AIC_ALL = 11, FLAG_AIV_TO_AIC = 12, FLAG_AIC_TO_AIV = 13, FLAG_AIV_ALL = 14 };

static uint32_t early_mask(const sk__core *core) { return core->view.task == UINT32_MAX ? 0 : core->view.early_mask; }

void sk_set_next_task_start(pipe_t aiv_pipe, pipe_t aic_pipe) {
  sk__core *core = enter("SetNextTaskStart", SK__SITE());
  bool aic = core->type == SK__AIC;
  sk__pipe pipe = sk__pipe_of(aic ? aic_pipe : aiv_pipe);
  if (pipe == SK__PIPES) {
    sk__bad_argument(core, "the pipe", aic ? aic_pipe : aiv_pipe, "a pipe of this core");
    return;
  }
  sk__early_call(core, false);
  if ((early_mask(core) & (aic ? EARLY_C2C_SET : EARLY_V2V_SET)) == 0) return;
  sk__cross_set_system(core, pipe, 0, aic ? FLAG_AIC_ALL : FLAG_AIV_ALL);
}
void sk_wait_previous_task_end(void) {
  sk__core *core = enter("WaitPreTaskEnd", SK__SITE());
  uint32_t mask = early_mask(core);
  bool aic = core->type == SK__AIC;
  if ((mask & (aic ? EARLY_C2C_WAIT : EARLY_V2V_WAIT)) != 0) sk__cross_wait_system(core, aic ? FLAG_AIC_ALL : FLAG_AIV_ALL);
  if ((mask & (aic ? EARLY_C2V_SET : EARLY_V2C_SET)) != 0)
    sk__cross_set_system(core, SK__PIPE_MTE3, 2, aic ? FLAG_AIC_TO_AIV : FLAG_AIV_TO_AIC);
  if ((mask & (aic ? EARLY_V2C_WAIT : EARLY_C2V_WAIT)) != 0)
    sk__cross_wait_system(core, aic ? FLAG_AIV_TO_AIC : FLAG_AIC_TO_AIV);
  sk__early_call(core, true);
}

/* ---- findings, printing, stopping ------------------------------------------------------------------ */

static sk__core *tell(const char *id, sk__severity severity, const char *text, const void *site) {
  sk__core *core = sk__self;
  core->site = site;
  core->instr = "kernel";
  sk__instr_finding(core, id, strcmp(id, "NOT_MODELLED") == 0 ? SK__CAT_NOT_MODELLED : SK__CAT_OPERATOR, severity, "", "%s", text);
  return core;
}

void sk_kernel_finding(const char *id, const char *text, bool fatal) {
  sk__core *core = tell(id, SK__ERROR, text, SK__SITE());
  if (fatal) sk__core_abort(core, SK_FAULT);
}

void sk_kernel_warning(const char *id, const char *text) { tell(id, SK__WARNING, text, SK__SITE()); }

void sk_tensor_overflow(uint32_t count, uint32_t elems) {
  sk__core *core = enter("tensor call", SK__SITE());
  sk__instr_finding(core, "TENSOR_OVERFLOW", SK__CAT_OPERATOR, SK__ERROR, "make the tensor larger, or the count smaller",
                    "touches %u elements of a tensor of %u", count, elems);
}

void sk_work_too_small(const char *call, uint32_t elems, uint32_t least) {
  sk__bad_argument(enter(call, SK__SITE()), "the number of elements of the work tensor", elems, "%u or more for these elements", least);
}

int sk_kernel_printf(const char *format, ...) {
  va_list list;
  va_start(list, format);
  int length;
  if (sk__self == NULL) {
    length = vprintf(format, list);
  } else {
    char *text = malloc(PRINT_BYTES); /* a fiber's stack is small */
    length = text == NULL ? -1 : vsnprintf(text, PRINT_BYTES, format, list);
    if (length >= 0 && (uint32_t)length < PRINT_BYTES) fputs(text, stdout); /* longer ones are dropped whole */
    free(text);
  }
  va_end(list);
  return length;
}

void sk_kernel_assert_failed(const char *expression, const char *file, int line) {
  sk__core *core = sk__self;
  if (core == NULL) {
    fprintf(stderr, "%s:%d: assertion '%s' failed\n", file, line, expression);
    abort();
  }
  core->site = SK__SITE();
  core->instr = "assert";
  sk__instr_finding(core, "TRAP", SK__CAT_OPERATOR, SK__ERROR, "", "assertion '%.200s' failed in %.160s:%d", expression, file, line);
  sk__core_abort(core, SK_FAULT);
}

void sk_kernel_trap(void) {
  sk__core *core = enter("Trap", SK__SITE());
  sk__instr_finding(core, "TRAP", SK__CAT_OPERATOR, SK__ERROR, "", "the kernel stopped itself");
  sk__core_abort(core, SK_FAULT);
}
