/* matmul_intf.h - Matmul objects: they come with kernel_operator.h. */
#ifndef SK_LIB_MATMUL_INTF_H
#define SK_LIB_MATMUL_INTF_H

#include "kernel_operator.h"

#endif
