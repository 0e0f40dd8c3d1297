/* kernel_tiling.h - tiling structures as kernels read them: they come with kernel_operator.h. */
#ifndef SK_KERNEL_TILING_H
#define SK_KERNEL_TILING_H

#include "kernel_operator.h"

#endif
