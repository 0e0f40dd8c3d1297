/* ops_host.h - host side helpers of the operator library. */
#ifndef SK_OPS_HOST_H
#define SK_OPS_HOST_H

#include "superkernel/ops.h"

/* Records "call: what is value; legal: legal" as this thread's error text and returns 100000. */
int sk_ops_refuse(const char *call, const char *what, uint64_t value, const char *legal);
/* The vector cores an operator may use: `asked`, or all of the device for 0. 0 = not legal. */
uint32_t sk_ops_vector_cores(uint32_t asked);

#endif
