/* asc_printf.h - printf in kernels, for sources that include no other kernel header. */
#ifndef SK_UTILS_DEBUG_ASC_PRINTF_H
#define SK_UTILS_DEBUG_ASC_PRINTF_H

#ifdef __cplusplus
#include <cstdio>

#include "kernel_operator.h"
#else
#include "c_api/asc_simd.h"
#endif

#endif
