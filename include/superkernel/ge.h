/* ge.h - work in the way of the GE graph compiler: launches carry the attributes of their operators, and what a
 * scope names becomes SuperKernels by the rules of graph mode.
 *
 * A graph is recorded as a captured model (aclmdlRICaptureBegin ... aclmdlRICaptureEnd), with sk_ge_operator_set
 * before the launches of each operator; sk_ge_compile fuses it; aclmdlRIExecuteAsync queues it. */
#ifndef SUPERKERNEL_GE_H
#define SUPERKERNEL_GE_H

#include <stdint.h>

#include "superkernel/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sk_ge_operator {
  const char *name;     /* of the operator in its graph */
  const char *type;     /* operator type, which the dcci options name; NULL = the kernel's name */
  const char *scope;    /* _super_kernel_scope; NULL or "" none: never fused */
  const char *options;  /* _super_kernel_options; NULL or "" none */
  uint32_t aicore_num, vectorcore_num; /* limit_core_num; 0 none */
  uint32_t tiling_sink; /* 1: its tiling is computed on the device (_tiling_sink_op), and the launch's block count is what
                         * comes out of it; a SuperKernel calls it on every core below its own block count. 0, 1 */
} sk_ge_operator;

/* Launches that this thread makes from here on belong to the operator (copied); NULL: to none. Returns an aclError. */
SK_EXPORT int sk_ge_operator_set(const sk_ge_operator *op);

/* Plans the launches of a finished capture and puts the SuperKernels in their place; scope marks do not count. A
 * model is compiled once. *listing: what became of each launch, for people; free() it; may be NULL.
 * Returns an aclError; a refusal of an option string or scope (aclGetRecentErrMsg tells) leaves the model as it was. */
SK_EXPORT int sk_ge_compile(void *model, char **listing);

#ifdef __cplusplus
}
#endif
#endif
