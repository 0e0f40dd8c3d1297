/* kernel_operator_block_sync_intf.h - all of the kernel API is in one header. */
#ifndef SK_BASIC_API_KERNEL_OPERATOR_BLOCK_SYNC_INTF_H
#define SK_BASIC_API_KERNEL_OPERATOR_BLOCK_SYNC_INTF_H

#include "kernel_operator.h"

#endif
