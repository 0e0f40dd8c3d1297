/* kernel_basic_intf.h - all of the kernel API is in one header. */
#ifndef SK_BASIC_API_KERNEL_BASIC_INTF_H
#define SK_BASIC_API_KERNEL_BASIC_INTF_H

#include "kernel_operator.h"

#endif
