/* kernel_operator_acos_intf.h - a part of the high-level API by itself; all of it is in kernel_operator.h. */
#include "kernel_operator.h"
