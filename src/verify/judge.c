/* judge.c - what the verifier finds by itself: bindings that do not fit their kernels. */
#include "verify/judge.h"

#include <stdlib.h>

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
