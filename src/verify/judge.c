/* judge.c - what the verifier finds by itself: bindings that do not fit their kernels, bound functions that compute
 * something else. */
#include "verify/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static bool is_judged(const sk__judged_bindings *judged, const sk_binding *binding) {
  for (size_t i = 0; i < judged->count; i++)
    if (judged->items[i] == binding) return true;
  return false;
}

void sk__judge_bindings(sk__checker *checker, sk__task *const *tasks, size_t count, sk__judged_bindings *judged) {
  for (size_t i = 0; i < count; i++) {
    const sk_binding *binding = tasks[i]->kernel != NULL ? sk__runtime_binding_of(tasks[i]->kernel) : NULL;
    if (binding == NULL || is_judged(judged, binding)) continue;
    const sk_binding **items = realloc(judged->items, (judged->count + 1) * sizeof(const sk_binding *));
    if (items == NULL) return; /* judged with a later segment */
    judged->items = items;
    judged->items[judged->count++] = binding;
    sk__judge_binding(checker, binding);
  }
}

/* A pointer argument of the task leads into the allocation. */
static bool uses(sk__machine *machine, const sk__task *task, uint64_t allocation) {
  for (uint32_t p = 0; p < task->kernel->param_count; p++) {
    const sk_kernel_param *parameter = &task->kernel->params[p];
    uint64_t address = 0;
    sk__gm_info info;
    if (parameter->is_pointer == 0 || parameter->size_bytes != sizeof address) continue;
    memcpy(&address, (const char *)task->args + parameter->offset_bytes, sizeof address);
    if (sk__gm_find(machine, address, &info) && info.start == allocation) return true;
  }
  return false;
}

/* The first operator that has to do with what differs: later ones may only pass it on. */
static const sk__task *first_user(sk__machine *machine, sk__task *const *tasks, size_t count, const sk__mode_result *mode) {
  for (size_t i = 0; i < count; i++)
    for (uint32_t d = 0; d < mode->difference_count && tasks[i]->kind == SK__TASK_KERNEL; d++)
      if (mode->differences[d].how.match == SK__DIFFERENT && uses(machine, tasks[i], mode->differences[d].address)) return tasks[i];
  return NULL;
}

void sk__judge_bodies(sk__machine *machine, sk__task *const *tasks, size_t count, const sk__mode_result *mode) {
  const sk__task *task = mode->findings == 0 ? first_user(machine, tasks, count, mode) : NULL;
  const sk_binding *binding = task != NULL ? sk__runtime_binding_of(task->kernel) : NULL;
  if (binding == NULL) return;
  sk__finding finding = {.category = SK__CAT_OPERATOR, .severity = SK__ERROR, .end_count = 1, .count = 1, .in_fused = true};
  sk__text_copy(finding.id, sizeof finding.id, "H29");
  sk__end *end = &finding.ends[0];
  *end = (sk__end){.role = "bound function", .core = -1, .core_type = -1, .pipe = -1, .block = -1, .sub_block = -1, .launch = -1, .task = -1};
  sk__text_copy(end->kernel, sizeof end->kernel, binding->functions[0].name);
  sk__text detail = sk__text_on(end->detail, sizeof end->detail);
  sk__text_add(&detail, "bound to %s at %s:%u", task->kernel->name, binding->file, binding->line);
  snprintf(finding.message, sizeof finding.message,
           "%s, alone in a SuperKernel, gives another result than the kernel %s that it stands for, and nothing else is found there",
           binding->functions[0].name, task->kernel->name);
  sk__text_copy(finding.remedy, sizeof finding.remedy, "give both the same body behind the arguments, and the operator's own block number");
  sk__report(sk__machine_checker(machine), &finding);
}
