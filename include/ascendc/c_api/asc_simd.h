/* asc_simd.h - the C API of Ascend C kernels (arch 2201). What a kernel source includes.
 *
 * Nothing in here has a body that touches memory: C++ overloads are bound by label to the library's C
 * functions, C11 macros pick the function by argument count and operand type. So the address a function
 * returns to is the user's own line, and instrumented kernels see no access of ours. */
#ifndef ASC_SIMD_H
#define ASC_SIMD_H

#include "asc_types.h"
#include "asc_vector.h"
#include "asc_vector_other.h"
#include "asc_move.h"
#include "asc_sync.h"
#include "asc_cube.h"

#endif
