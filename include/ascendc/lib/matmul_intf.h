/* matmul_intf.h - Matmul objects: they come with kernel_operator.h. What is new here is an ASCENDC_CUBE_ONLY that was
 * defined after it. */
#ifndef SK_LIB_MATMUL_INTF_H
#define SK_LIB_MATMUL_INTF_H

#include "kernel_operator.h"
#ifdef ASCENDC_CUBE_ONLY
#include "kernel_operator/matmul_cube_only.h"
#endif

#endif
