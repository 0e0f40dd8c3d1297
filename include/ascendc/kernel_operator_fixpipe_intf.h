/* kernel_operator_fixpipe_intf.h - a part of the kernel API by itself; all of it is in kernel_operator.h. */
#include "kernel_operator.h"
