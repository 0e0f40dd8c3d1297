/* vector_kernels.h - the table of elementwise inner loops, one per row of asc_vector_list.h. */
#ifndef SK_ISA_SIMD_VECTOR_KERNELS_H
#define SK_ISA_SIMD_VECTOR_KERNELS_H

#include "c_api/asc_types.h"
#include "c_api/asc_vector_list.h"
#include "isa/isa.h"
#include "isa/simd/simd.h"

/* E(op, tag) for every instruction and type; grouped by the file that holds the loops. */
#define SK__VECTOR_ROW_(E, op, tag) E(op, tag)
#define SK__VECTOR_ROW(op, E, tag, D, S, V) SK__VECTOR_ROW_(E, op, tag)
#define SK__VECTOR_ARITH_LIST(ROW, E)                                                                          \
  SK_ROWS_add(ROW, add, E) SK_ROWS_sub(ROW, sub, E) SK_ROWS_mul(ROW, mul, E) SK_ROWS_max(ROW, max, E)          \
  SK_ROWS_min(ROW, min, E) SK_ROWS_div(ROW, div, E) SK_ROWS_and(ROW, and, E) SK_ROWS_or(ROW, or, E)            \
  SK_ROWS_mul_add(ROW, mul_add, E) SK_ROWS_mul_add_relu(ROW, mul_add_relu, E) SK_ROWS_fma(ROW, fma, E)         \
  SK_ROWS_add_relu(ROW, add_relu, E) SK_ROWS_sub_relu(ROW, sub_relu, E)                                        \
  SK_ROWS_mul_cast_half2int8(ROW, mul_cast_half2int8, E) SK_ROWS_mul_cast_half2uint8(ROW, mul_cast_half2uint8, E) \
  SK_ROWS_not(ROW, not, E) SK_ROWS_exp(ROW, exp, E) SK_ROWS_log(ROW, log, E) SK_ROWS_abs(ROW, abs, E)          \
  SK_ROWS_rcp(ROW, rcp, E) SK_ROWS_rsqrt(ROW, rsqrt, E) SK_ROWS_sqrt(ROW, sqrt, E) SK_ROWS_relu(ROW, relu, E)  \
  SK_ROWS_copy(ROW, copy, E) SK_ROWS_add_scalar(ROW, add_scalar, E) SK_ROWS_mul_scalar(ROW, mul_scalar, E)     \
  SK_ROWS_max_scalar(ROW, max_scalar, E) SK_ROWS_min_scalar(ROW, min_scalar, E)                                \
  SK_ROWS_leakyrelu(ROW, leakyrelu, E) SK_ROWS_axpy(ROW, axpy, E) SK_ROWS_shiftleft(ROW, shiftleft, E)         \
  SK_ROWS_shiftright(ROW, shiftright, E) SK_ROWS_shiftright_round(ROW, shiftright_round, E)                    \
  SK_ROWS_duplicate(ROW, duplicate, E)
#define SK__VECTOR_KERNEL_LIST(E, C) SK__VECTOR_ARITH_LIST(SK__VECTOR_ROW, E) SK_VECTOR_CONVERT_LIST(C)

#define SK__VECTOR_ENUM(op, tag) SK__K_##op##_##tag,
#define SK__VECTOR_ENUM_C(op, tag, D, S, from, to, rounding) SK__K_##op##_##tag,
typedef enum sk__vector_kernel {
  SK__VECTOR_KERNEL_LIST(SK__VECTOR_ENUM, SK__VECTOR_ENUM_C) SK__VECTOR_KERNELS
} sk__vector_kernel;

#ifdef SK__SIMD_LEVEL
#define SK__VECTOR_KERNEL(op, tag) \
  void SK__SIMD(op##_##tag)(void *dst, const void *s0, const void *s1, size_t n, const sk__vparams *p)
#define SK__VECTOR_DECLARE(op, tag) SK__VECTOR_KERNEL(op, tag);
#define SK__VECTOR_DECLARE_C(op, tag, D, S, from, to, rounding) SK__VECTOR_KERNEL(op, tag);
SK__VECTOR_KERNEL_LIST(SK__VECTOR_DECLARE, SK__VECTOR_DECLARE_C)
#endif

typedef struct sk__simd_vector_table {
  sk__vkernel *kernel[SK__VECTOR_KERNELS];
} sk__simd_vector_table;
SK__SIMD_AREA(vector)

#endif
