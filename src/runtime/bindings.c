/* bindings.c - the SK bindings of the process, in the order in which objects brought them. */
#include <string.h>

#include "base/log.h"
#include "base/vec.h"
#include "runtime/runtime.h"

/* Filled by constructors of objects that skcc made, before main or inside dlopen. */
static SK__VEC(const sk_binding *) bindings;

void sk_kernel_bind(const sk_binding *binding) {
  if (!sk__vec_push(&bindings, binding)) sk__log(SK__LOG_ERROR, "no host memory for the binding of kernel '%s'", binding->kernel->name);
}

const sk_binding *const *sk__runtime_bindings(size_t *count) {
  *count = bindings.count;
  return bindings.items;
}

const sk_binding *sk__runtime_binding_of(const sk_kernel *kernel) {
  for (size_t i = 0; i < bindings.count; i++)
    if (bindings.items[i]->kernel == kernel) return bindings.items[i];
  return NULL;
}

static bool same_content(const sk_binding *a, const sk_binding *b) {
  if (a->capabilities != b->capabilities || a->count != b->count) return false;
  for (uint32_t i = 0; i < a->count; i++)
    if (a->functions[i].type != b->functions[i].type || strcmp(a->functions[i].name, b->functions[i].name) != 0) return false;
  return true;
}

const sk_binding *sk__runtime_binding_conflict(const sk_binding *binding) {
  for (size_t i = 0; i < bindings.count; i++)
    if (bindings.items[i]->kernel == binding->kernel && !same_content(bindings.items[i], binding)) return bindings.items[i];
  return NULL;
}
