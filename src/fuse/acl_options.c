/* acl_options.c - options of the captured-graph path from the C interface's array of tagged values. */
#include "fuse/acl_options.h"

#include <string.h>

#include "base/text.h"
#include "fuse/options.h"
#include "fuse/planner.h"

enum { OPTION_TYPES = SK_OPTION_MAX, MAX_EXTENSION = 1024 };

typedef struct reader {
  sk__fuse_options *out;
  sk__arena *arena;
  sk__warn_fn warn_fn;
  void *context;
} reader;

static void warn(const reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void warn(const reader *r, const char *format, ...) {
  if (r->warn_fn == NULL) return;
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  r->warn_fn(r->context, text);
}

static const char *name_of(aclskOptionType type) {
  static const char *const names[] = {
#define X(name, value) [value] = #name,
      ACLSK_OPTION_LIST(X)
#undef X
  };
  return names[type];
}

/* ---- values ---------------------------------------------------------------------------------- */

/* X(option, member of the union, field of the options) */
#define NUMBERS(X)                                                                                      \
  X(PRELOAD_CODE, preload.preloadMode, preload_code)                                                    \
  X(SPLIT_MODE, splitMode.splitCnt, split_mode)                                                         \
  X(STREAM_FUSION, streamFusion.streamFusion, stream_fusion)                                            \
  X(DEBUG_SYNC_ALL, debugSync.debugSyncAll, debug_sync_all)                                             \
  X(CONSTANT_CODEGEN, constantCodegen.enableConstant, constant_codegen)                                 \
  X(AUTO_OP_PARALLEL, autoOpParallel.enableAutoOpParallel, auto_op_parallel)                            \
  X(DEBUG_OP_EXEC_TRACE, debugOpExecTrace.enableOpExecTrace, debug_op_exec_trace)                       \
  X(DEBUG_CROSS_CORE_SYNC_CHECK, debugCrossCoreSyncCheck.enableCrossCoreSyncCheck, debug_cross_core_sync_check) \
  X(EARLY_START, earlyStart.enableEarlyStart, early_start)                                              \
  X(DEBUG_PER_OP_MAX_CORE_NUM, debugPerOpMaxCoreNum.enableDebugPerOpMaxCoreNum, debug_per_op_max_core_num)
#define LISTS(X)                                                                                        \
  X(DCCI_DISABLE_ON_KERNEL, disableKernelDcci.kernelNames, disableKernelDcci.kernelCnt, dcci_disable_on_kernel)            \
  X(DCCI_BEFORE_KERNEL_START, dcciBeforeKernelStart.kernelNames, dcciBeforeKernelStart.kernelCnt, dcci_before_kernel_start) \
  X(DCCI_AFTER_KERNEL_END, dcciAfterKernelEnd.kernelNames, dcciAfterKernelEnd.kernelCnt, dcci_after_kernel_end)            \
  X(UBUF_LOCK_IGNORE_KERNEL, ubufLockIgnoreKernel.ubufLockIgnoreKernel, ubufLockIgnoreKernel.ubufLockIgnoreKernelCnt, ubuf_lock_ignore_kernel)

/* Legal range of an option, by the name of its field. */
typedef struct range { const char *field; uint32_t low, high; } range;
static const range ranges[] = {
#define X(name, dictionary, low, high, standard, help) {#name, low, high},
    SK__NUMBER_OPTIONS(X)
#undef X
#define X(name, high) {#name, 0, high},
    SK__STRATEGY_OPTIONS(X)
#undef X
};

static void take_number(const reader *r, aclskOptionType type, const char *field, uint32_t value, uint32_t *out) {
  const range *legal = ranges;
  while (strcmp(legal->field, field) != 0) legal++;
  if (value < legal->low || value > legal->high)
    warn(r, "%s: %s = %u is out of range; legal: %u to %u; %u is used", name_of(type), field, value, legal->low, legal->high, *out);
  else *out = value;
}

static sk_status take_list(const reader *r, aclskOptionType type, char *const *names, size_t count, sk__patterns *out) {
  if (names == NULL) {
    if (count > 0) warn(r, "%s: %zu names, but the list is NULL; the option is ignored", name_of(type), count);
    return SK_OK;
  }
  const char **items = sk__arena_array(r->arena, const char *, count);
  if (items == NULL) return SK_OUT_OF_MEMORY;
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (names[i] == NULL) continue;
    if (!sk__pattern_legal(names[i])) warn(r, "%s: '%s' is no legal name pattern and matches nothing", name_of(type), names[i]);
    if ((items[kept++] = sk__arena_strdup(r->arena, names[i])) == NULL) return SK_OUT_OF_MEMORY;
  }
  if (kept == 0) warn(r, "%s: the list names no kernel", name_of(type));
  *out = (sk__patterns){items, kept};
  return SK_OK;
}

/* Stored by the real optimizer and never looked at. */
static void take_extension(const reader *r, aclskOptionType type, const char *value) {
  if (value == NULL || !sk__extension_legal(value, MAX_EXTENSION))
    warn(r, "%s: not of the form key=value,value:key=value; the option is ignored", name_of(type));
}

/* ---- the array ------------------------------------------------------------------------------- */

static sk_status take(const reader *r, const aclskOption *option) {
  switch (option->optionType) {
#define X(type, member, field) \
  case type: take_number(r, type, #field, option->member, &r->out->field); break;
    NUMBERS(X)
#undef X
#define X(type, names, count, field) \
  case type: return take_list(r, type, option->names, option->count, &r->out->field);
    LISTS(X)
#undef X
    case OPT_EXTEND_OPTION: take_extension(r, OPT_EXTEND_OPTION, option->optExtend.value); break;
    case DEBUG_EXTEND_OPTION: take_extension(r, DEBUG_EXTEND_OPTION, option->debugExtend.value); break;
    case AGGRESSIVE_OPT_STRATEGIES:
      take_number(r, option->optionType, "event_breaker_bypass", option->aggressiveOpts.eventBreakerBypass, &r->out->event_breaker_bypass);
      take_number(r, option->optionType, "value_breaker_bypass", option->aggressiveOpts.valueBreakerBypass, &r->out->value_breaker_bypass);
      take_number(r, option->optionType, "task_breaker_bypass", option->aggressiveOpts.taskBreakerBypass, &r->out->task_breaker_bypass);
      break;
    case KERNEL_MAP: /* a placeholder of the interface */
    case SK_OPTION_MAX: break;
  }
  /* where it stands, this option turns the check on; the check's own value counts if it comes later */
  if (option->optionType == DEBUG_PER_OP_MAX_CORE_NUM && r->out->debug_per_op_max_core_num != 0) r->out->debug_cross_core_sync_check = 1;
  return SK_OK;
}

sk_status sk__acl_options_read(const aclskOptions *options, sk__arena *arena, sk__fuse_options *out, sk__warn_fn warn_fn, void *context) {
  reader r = {out, arena, warn_fn, context};
  bool seen[OPTION_TYPES] = {false};
  *out = sk__fuse_defaults();
  if (options == NULL || options->numOptions == 0) return SK_OK;
  if (options->options == NULL) {
    warn(&r, "%zu options, but the array is NULL; the defaults are used", options->numOptions);
    return SK_OK;
  }
  for (size_t i = 0; i < options->numOptions; i++) {
    const aclskOption *option = &options->options[i];
    uint32_t type = (uint32_t)option->optionType;
    if (type >= OPTION_TYPES) continue; /* newer than this interface */
    if (seen[type]) {
      warn(&r, "%s is given twice; the first counts", name_of(option->optionType));
      continue;
    }
    seen[type] = true;
    sk_status status = take(&r, option);
    if (status != SK_OK) return status;
  }
  return SK_OK;
}
