/* report.c - findings of the host side, and names for device memory. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "runtime/internal.h"

static sk__finding host_finding(const char *id, uint64_t address) {
  sk__finding finding = {.category = SK__CAT_HOST, .severity = SK__ERROR, .end_count = 1};
  sk__text_copy(finding.id, sizeof finding.id, id);
  finding.ends[0] = (sk__end){.role = "host", .core = SK__HOST_CORE, .core_type = -1, .pipe = -1, .block = -1, .sub_block = -1,
                              .launch = -1, .task = -1, .address = address, .mem = SK__MEM_GM};
  return finding;
}

static void report_argument(sk__runtime *runtime, const sk__task *task, const char *parameter, uint32_t number, uint64_t address) {
  sk__finding finding = host_finding("GM_ARGUMENT", address);
  sk__end *end = &finding.ends[0];
  end->instr = "launch";
  sk__text_copy(end->kernel, sizeof end->kernel, task->kernel->name);
  sk__text words = sk__text_on(finding.message, sizeof finding.message), detail = sk__text_on(end->detail, sizeof end->detail);
  sk__text_add(&words, "argument %u (%s) of kernel '%s' points to ", number, parameter, task->kernel->name);
  sk__text_add_address(&words, address);
  sk__text_add(&words, ", which is no device memory");
  if (task->file != NULL) sk__text_add(&detail, "launched at %s:%u", task->file, task->line);
  sk__text_copy(finding.remedy, sizeof finding.remedy,
                "pass an address that aclrtMalloc returned; host data reaches the device by aclrtMemcpy");
  sk__report(sk__machine_checker(runtime->machine), &finding);
}

/* Of a declared pointer type; 0 for bytes, which carry any type. */
static uint32_t element_bytes(const char *type) {
  static const struct { const char *word; uint32_t bytes; } words[] = {
      {"int64_t", 8}, {"double", 8}, {"bfloat16", 2}, {"float16", 2}, {"half", 2}, {"int16_t", 2}, {"float", 4}, {"int32_t", 4}};
  for (size_t i = 0; type != NULL && i < sizeof words / sizeof words[0]; i++)
    if (strstr(type, words[i].word) != NULL) return words[i].bytes;
  return 0;
}

void sk__report_arguments(sk__runtime *runtime, const sk__task *task) {
  const sk_kernel *kernel = task->kernel;
  for (uint32_t i = 0; i < kernel->param_count; i++) {
    const sk_kernel_param *parameter = &kernel->params[i];
    uint64_t address = 0;
    if (parameter->is_pointer == 0 || parameter->size_bytes != sizeof address) continue;
    memcpy(&address, (const char *)task->args + parameter->offset_bytes, sizeof address);
    if (address == 0) continue; /* an optional tensor that is not there */
    if (!sk__in_gm(address)) {
      report_argument(runtime, task, parameter->name, i + 1, address);
      continue;
    }
    char label[96];
    sk__text text = sk__text_on(label, sizeof label);
    sk__text_add(&text, "%s (argument %u of %s)", parameter->name, i + 1, kernel->name);
    sk__gm_argument(runtime->machine, address, SK__UNNAMED_MEMORY, label, element_bytes(parameter->type));
  }
}

void sk__report_launch(sk__runtime *runtime, const char *kernel, const void *site, const char *file, uint32_t line, const char *why) {
  sk__finding finding = host_finding("LAUNCH_INVALID", 0);
  sk__end *end = &finding.ends[0];
  end->instr = "launch";
  end->site = site;
  if (kernel != NULL) sk__text_copy(end->kernel, sizeof end->kernel, kernel);
  sk__text detail = sk__text_on(end->detail, sizeof end->detail);
  if (file != NULL) sk__text_add(&detail, "launched at %s:%u", file, line);
  sk__text_copy(finding.message, sizeof finding.message, why);
  sk__text_copy(finding.remedy, sizeof finding.remedy, "launch with legal values, and look at the code that a launch returns");
  sk__report(sk__machine_checker(runtime->machine), &finding);
}

void sk__report_outside_reset(sk__runtime *runtime, const sk__model *model) {
  sk__finding finding = host_finding("H44", 0);
  finding.ends[0].instr = "aclrtResetEvent";
  if (!model->optimised) finding.severity = SK__WARNING;
  sk__text_copy(finding.message, sizeof finding.message,
                "aclrtResetEvent outside of the captured model whose record and wait use the event. Replayed task by task that works; "
                "inside a SuperKernel the event is a word of device memory, which this does not reset, and the second replay runs ahead");
  sk__text_copy(finding.remedy, sizeof finding.remedy, "capture the reset too, behind the last wait: record, wait and reset of an event belong in one graph");
  sk__report(sk__machine_checker(runtime->machine), &finding);
}

void sk__report_fused_update(sk__runtime *runtime, const sk__task *task, const char *superkernel) {
  sk__finding finding = host_finding("H42", 0);
  finding.end_count = 2;
  finding.ends[0].role = "updates";
  finding.ends[0].instr = "sk_model_update";
  sk__end *end = &finding.ends[1];
  *end = (sk__end){.role = "sub-kernel", .core = -1, .core_type = -1, .pipe = -1, .block = -1, .sub_block = -1, .launch = -1, .task = -1};
  sk__text_copy(end->kernel, sizeof end->kernel, task->kernel->name);
  sk__text detail = sk__text_on(end->detail, sizeof end->detail);
  sk__text_add(&detail, "in %s", superkernel);
  if (task->file != NULL) sk__text_add(&detail, ", launched at %s:%u", task->file, task->line);
  snprintf(finding.message, sizeof finding.message,
           "the arguments of '%s' are changed after it was fused into %s, whose queue has a copy: the SuperKernel goes on with the old ones",
           task->kernel->name, superkernel);
  snprintf(finding.remedy, sizeof finding.remedy, "keep '%s' out of SuperKernels (a scope with the name None), or optimise after the update",
           task->kernel->name);
  sk__report(sk__machine_checker(runtime->machine), &finding);
}

void sk__report_waits_for_itself(sk__runtime *runtime, const char *call, const char *what) {
  sk__finding finding = host_finding("DEADLOCK", 0);
  uint32_t stream = runtime->callback->stream_index;
  finding.ends[0].role = "waits";
  finding.ends[0].instr = call;
  sk__text detail = sk__text_on(finding.ends[0].detail, sizeof finding.ends[0].detail);
  sk__text_add(&detail, "in a host callback on stream %" PRIu32, stream);
  snprintf(finding.message, sizeof finding.message,
           "a host callback on stream %" PRIu32 " waits in %s for %s, and stream %" PRIu32 " waits for the callback to return: neither goes on",
           stream, call, what, stream);
  sk__text_copy(finding.remedy, sizeof finding.remedy, "do not wait in a callback: let the host wait after it, or record an event before it");
  sk__report(sk__machine_checker(runtime->machine), &finding);
}

void sk__report_value_wait(sk__runtime *runtime, const sk__task *wait, const char *superkernel) {
  sk__finding finding = host_finding(superkernel != NULL ? "H41" : "DEADLOCK", wait->to);
  sk__end *end = &finding.ends[0];
  end->role = "waits";
  end->instr = "aclrtValueWait";
  char what[160];
  sk__value_text(runtime, wait->to, wait->number, wait->condition, what, sizeof what);
  sk__text detail = sk__text_on(end->detail, sizeof end->detail);
  sk__text_add(&detail, "on stream %" PRIu32, wait->stream_index);
  if (superkernel == NULL) {
    snprintf(finding.message, sizeof finding.message, "stream %" PRIu32 " waits for %s, and nothing that can still run writes it", wait->stream_index, what);
    sk__text_copy(finding.remedy, sizeof finding.remedy, "write the value on a stream that does not wait for this one, before the host waits");
  } else {
    finding.category = SK__CAT_OPTIONS;
    sk__text_copy(end->kernel, sizeof end->kernel, superkernel);
    snprintf(finding.message, sizeof finding.message,
             "'%.80s' waits inside for %s, and nothing that can still run writes it: it polls for ever and holds all its cores", superkernel, what);
    sk__text_copy(finding.remedy, sizeof finding.remedy, "remove value_breaker_bypass, or move the wait out of the scope");
  }
  sk__report(sk__machine_checker(runtime->machine), &finding);
}

void sk__report_invalid_free(sk__runtime *runtime, const void *address) {
  sk__finding finding = host_finding("GM_FREE_INVALID", (uint64_t)address);
  finding.ends[0].instr = "aclrtFree";
  sk__text words = sk__text_on(finding.message, sizeof finding.message);
  sk__gm_info info;
  sk__text_add(&words, "aclrtFree of ");
  sk__text_add_address(&words, (uint64_t)address);
  sk__text_add(&words, ", which is not the start of live device memory");
  if (sk__gm_find(runtime->machine, (uint64_t)address, &info))
    sk__text_add(&words, ": it lies %" PRIu64 " bytes inside '%s' (%" PRIu64 " bytes)", (uint64_t)address - info.start, info.label,
                 info.bytes);
  else
    sk__text_add(&words, ": it was freed before, or never was");
  sk__text_copy(finding.remedy, sizeof finding.remedy, "free each allocation once, by the address that aclrtMalloc returned");
  sk__report(sk__machine_checker(runtime->machine), &finding);
}
