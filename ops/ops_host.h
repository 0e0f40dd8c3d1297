/* ops_host.h - host side helpers of the operator library. */
#ifndef SK_OPS_HOST_H
#define SK_OPS_HOST_H

#include "superkernel/ops.h"

/* Records "call: what is value; legal: legal" as this thread's error text and returns 100000. */
int sk_ops_refuse(const char *call, const char *what, uint64_t value, const char *legal);
/* The same for a tensor that is missing: "call: what is NULL; legal: legal". */
int sk_ops_refuse_null(const char *call, const char *what, const char *legal);
/* The first of the tensors that is NULL is refused; ACL_SUCCESS when all are there. */
typedef struct sk_ops_tensor { const char *name; const void *address; } sk_ops_tensor;
int sk_ops_check_tensors(const char *call, const sk_ops_tensor *tensors, uint32_t count);
/* The vector cores an operator may use: `asked`, or all of the device for 0. 0 = not legal. */
uint32_t sk_ops_vector_cores(uint32_t asked);

#endif
