/* vector_table.c - this level's table of elementwise loops. */
#include "isa/simd/vector_kernels.h"

#define ROW(op, tag) [SK__K_##op##_##tag] = SK__SIMD(op##_##tag),
#define ROW_C(op, tag, D, S, from, to, rounding) [SK__K_##op##_##tag] = SK__SIMD(op##_##tag),
const sk__simd_vector_table SK__SIMD(vector) = {{SK__VECTOR_KERNEL_LIST(ROW, ROW_C)}};
