/* segment.c - a stretch of device-only work on its way to the hook: host work that cuts a scope ends it before and
 * begins it again behind, so that each stretch has whole scopes. */
#include <stdlib.h>
#include <string.h>

#include "runtime/internal.h"

static bool same_scope(const sk__task *a, const sk__task *b) {
  if (a->scope == NULL || b->scope == NULL) return a->scope == b->scope;
  return strcmp(a->scope, b->scope) == 0;
}

/* The begins of scopes that are open before task `at`, in order; *count of them. An end closes the first open begin
 * of its name. `open` has room for all of them. */
static size_t open_before(sk__task *const *tasks, size_t at, const sk__task **open) {
  size_t count = 0;
  for (size_t i = 0; i < at; i++) {
    if (tasks[i]->kind == SK__TASK_SCOPE_BEGIN) open[count++] = tasks[i];
    if (tasks[i]->kind != SK__TASK_SCOPE_END) continue;
    size_t match = 0;
    while (match < count && !same_scope(open[match], tasks[i])) match++;
    if (match < count) memmove(open + match, open + match + 1, (--count - match) * sizeof(const sk__task *));
  }
  return count;
}

static sk_status add_marks(sk__runtime *runtime, sk__task_list *to, const sk__task *const *open, size_t count, sk__task_kind kind) {
  for (size_t i = 0; i < count; i++) {
    sk__task *mark = sk__task_again(runtime, open[i], open[i]->stream);
    if (mark == NULL) return SK_OUT_OF_MEMORY;
    mark->kind = kind;
    sk_status status = sk__task_list_add(to, mark);
    if (status != SK_OK) return status;
  }
  return SK_OK;
}

static bool has_scopes(sk__task *const *tasks, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (tasks[i]->kind == SK__TASK_SCOPE_BEGIN) return true;
  return false;
}

sk_status sk__segment_run(sk__runtime *runtime, const sk__task_list *batch, size_t begin, size_t end) {
  if (!has_scopes(batch->items, end)) return runtime->hook(runtime->hook_context, runtime, batch->items + begin, end - begin);
  sk__task_list whole = {0};
  const sk__task **open = malloc(end * sizeof *open);
  sk_status status = open != NULL ? SK_OK : SK_OUT_OF_MEMORY;
  if (status == SK_OK) status = add_marks(runtime, &whole, open, open_before(batch->items, begin, open), SK__TASK_SCOPE_BEGIN);
  for (size_t i = begin; i < end && status == SK_OK; i++) status = sk__task_list_add(&whole, sk__task_ref(batch->items[i]));
  if (status == SK_OK && end < batch->count)
    status = add_marks(runtime, &whole, open, open_before(batch->items, end, open), SK__TASK_SCOPE_END);
  free((void *)open);
  if (status == SK_OK) status = runtime->hook(runtime->hook_context, runtime, whole.items, whole.count);
  sk__task_list_clear(&whole);
  return status;
}
