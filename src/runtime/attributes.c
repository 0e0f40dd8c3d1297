/* attributes.c - whose launches these are: the operator of graph mode that a thread launches for. */
#include <stdlib.h>
#include <string.h>

#include "runtime/internal.h"
#include "superkernel/ge.h"

static _Thread_local sk__attributes *current;

sk__attributes *sk__attributes_ref(sk__attributes *attributes) {
  if (attributes != NULL) attributes->references++;
  return attributes;
}

void sk__attributes_unref(sk__attributes *attributes) {
  if (attributes == NULL || --attributes->references > 0) return;
  free((void *)(uintptr_t)attributes->name);
  free((void *)(uintptr_t)attributes->type);
  free((void *)(uintptr_t)attributes->scope);
  free((void *)(uintptr_t)attributes->options);
  free(attributes);
}

sk__attributes *sk__attributes_current(void) { return sk__attributes_ref(current); }

/* false on no memory. Empty text counts as none. */
static bool keep(const char **to, const char *from) {
  return from == NULL || from[0] == '\0' || (*to = strdup(from)) != NULL;
}

int sk_ge_operator_set(const sk_ge_operator *op) {
  SK__GUARD;
  sk__attributes_unref(current);
  current = NULL;
  if (op == NULL) return ACL_SUCCESS;
  if (op->name == NULL || op->name[0] == '\0') return sk__fail(ACL_ERROR_INVALID_PARAM, "sk_ge_operator_set: the operator has no name");
  if (op->tiling_sink > 1) return sk__fail(ACL_ERROR_INVALID_PARAM, "sk_ge_operator_set: tiling_sink %u of %s; legal: 0, 1", op->tiling_sink, op->name);
  sk__attributes *attributes = calloc(1, sizeof *attributes);
  if (attributes == NULL) return sk__fail(ACL_ERROR_BAD_ALLOC, "no host memory for an operator's attributes");
  attributes->references = 1;
  attributes->aicore_num = op->aicore_num;
  attributes->vectorcore_num = op->vectorcore_num;
  attributes->tiling_sink = op->tiling_sink != 0;
  if (keep(&attributes->name, op->name) && keep(&attributes->type, op->type) && keep(&attributes->scope, op->scope) &&
      keep(&attributes->options, op->options)) {
    current = attributes;
    return ACL_SUCCESS;
  }
  sk__attributes_unref(attributes);
  return sk__fail(ACL_ERROR_BAD_ALLOC, "no host memory for an operator's attributes");
}
