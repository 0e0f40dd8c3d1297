/* vector_elementwise.c - the elementwise instructions themselves: one descriptor and three entry points
 * per row of asc_vector_list.h. The outline they share is in vector_run.c. */
#include "c_api/asc_vector.h"
#include "isa/isa.h"
#include "isa/simd/vector_kernels.h"

/* Cycles per iteration (256 bytes of the widest operand). Multiply-add into dst runs at half rate. */
enum {
  CYCLES_add = 1, CYCLES_sub = 1, CYCLES_mul = 1, CYCLES_max = 1, CYCLES_min = 1, CYCLES_and = 1, CYCLES_or = 1,
  CYCLES_mul_add = 1, CYCLES_mul_add_relu = 1, CYCLES_fma = 2, CYCLES_add_relu = 1, CYCLES_sub_relu = 1,
  CYCLES_mul_cast_half2int8 = 1, CYCLES_mul_cast_half2uint8 = 1, CYCLES_not = 1, CYCLES_abs = 1, CYCLES_rcp = 1,
  CYCLES_rsqrt = 1, CYCLES_relu = 1, CYCLES_copy = 1, CYCLES_add_scalar = 1, CYCLES_sub_scalar = 1,
  CYCLES_mul_scalar = 1, CYCLES_max_scalar = 1, CYCLES_min_scalar = 1, CYCLES_leakyrelu = 1, CYCLES_axpy = 1,
  CYCLES_shiftleft = 1, CYCLES_shiftright = 1, CYCLES_shiftright_round = 1, CYCLES_duplicate = 1,
  CYCLES_div = 0, CYCLES_exp = 0, CYCLES_log = 0, CYCLES_sqrt = 0, /* 0: 32 elements per cycle */
};
#define CYCLES(op, D) (CYCLES_##op != 0 ? CYCLES_##op : (int)(SK__REPEAT_BYTES / sizeof(D) / 32))

#define BITS(T) ((uint8_t)_Generic((T *)0, int4b_t *: 4, default: sizeof(T) * 8))
#define STRIDES_BINARY                                                                                           \
  &(sk__vstrides) {                                                                                              \
    repeat, dst_block_stride, src0_block_stride, src1_block_stride, dst_repeat_stride, src0_repeat_stride,       \
        src1_repeat_stride                                                                                       \
  }
#define STRIDES_UNARY                                                                                            \
  &(sk__vstrides) { repeat, dst_block_stride, src_block_stride, 0, dst_repeat_stride, src_repeat_stride, 0 }
#define STRIDES_FILL                                                                                             \
  &(sk__vstrides) { repeat, dst_block_stride, 0, 0, dst_repeat_stride, 0, 0 }

#define WIDEST(D, S) (BITS(D) > BITS(S) ? BITS(D) : BITS(S))
#define LANES_LOG2(D, S) (WIDEST(D, S) <= 16 ? 7 : WIDEST(D, S) == 32 ? 6 : 5)
#define INSTR(op, kernel_op, tag, D, S, n, with_dst, cycles_, ...)                                               \
  static const sk__vinstr instr_##op##_##tag = {                                                                 \
      .name = "asc_" #op, .name_sync = "asc_" #op "_sync", .kernel = SK__K_##kernel_op##_##tag,                  \
      .dst_bits = BITS(D), .src_bits = BITS(S), .lanes_log2 = LANES_LOG2(D, S), .sources = n, .reads_dst = with_dst, .cycles = cycles_,\
      __VA_ARGS__};

/* ---- (d, s0, s1) --------------------------------------------------------------------------- */

#define ENTER_BINARY(op, tag, D, S)                                                                              \
  void sk_##op##_##tag##_n(D *dst, const S *src0, const S *src1, uint32_t count) {                               \
    sk__vector_count_2(&instr_##op##_##tag, dst, src0, src1, count, SK__SITE());                                 \
  }                                                                                                              \
  void sk_##op##_##tag##_ns(D *dst, const S *src0, const S *src1, uint32_t count) {                              \
    sk__vector_sync_2(&instr_##op##_##tag, dst, src0, src1, count, SK__SITE());                                  \
  }                                                                                                              \
  void sk_##op##_##tag##_h(D *dst, const S *src0, const S *src1, SK_ARGS_BINARY) {                               \
    sk__vector_strided(&instr_##op##_##tag, dst, src0, src1, 0, STRIDES_BINARY, SK__SITE());                     \
  }
enum {
  READS_DST_mul_add = 1, READS_DST_mul_add_relu = 1, READS_DST_fma = 1, READS_DST_add = 0, READS_DST_sub = 0,
  READS_DST_mul = 0, READS_DST_max = 0, READS_DST_min = 0, READS_DST_div = 0, READS_DST_and = 0, READS_DST_or = 0,
  READS_DST_add_relu = 0, READS_DST_sub_relu = 0, READS_DST_mul_cast_half2int8 = 0,
  READS_DST_mul_cast_half2uint8 = 0,
};
/* Add, subtract, multiply, max, min and the relu forms of half, float and int32 may accumulate. */
#define ACCUMULATES(op, D, S)                                                                                   \
  (!READS_DST_##op && CYCLES_##op != 0 && BITS(D) == BITS(S) &&                                                 \
   _Generic((D *)0, half *: 1, float *: 1, int32_t *: 1, default: 0))
#define BINARY(op, arg, tag, D, S, V)                                                                            \
  INSTR(op, op, tag, D, S, 2, READS_DST_##op, CYCLES(op, D), .accumulates = ACCUMULATES(op, D, S))               \
  ENTER_BINARY(op, tag, D, S)
#define OP(op) SK_ROWS_##op(BINARY, op, )
SK_VECTOR_BINARY_LIST(OP)
#undef OP

/* ---- (d, s) -------------------------------------------------------------------------------- */

#define ENTER_UNARY(op, tag, D, S)                                                                               \
  void sk_##op##_##tag##_n(D *dst, const S *src, uint32_t count) {                                               \
    sk__vector_count_1(&instr_##op##_##tag, dst, src, 0, count, SK__SITE());                                     \
  }                                                                                                              \
  void sk_##op##_##tag##_ns(D *dst, const S *src, uint32_t count) {                                              \
    sk__vector_sync_1(&instr_##op##_##tag, dst, src, 0, count, SK__SITE());                                      \
  }                                                                                                              \
  void sk_##op##_##tag##_h(D *dst, const S *src, SK_ARGS_UNARY) {                                                \
    sk__vector_strided(&instr_##op##_##tag, dst, src, NULL, 0, STRIDES_UNARY, SK__SITE());                       \
  }
enum {
  MASK_PER_ITERATION_not = 0, MASK_PER_ITERATION_exp = 0, MASK_PER_ITERATION_log = 0, MASK_PER_ITERATION_abs = 0,
  MASK_PER_ITERATION_rcp = 0, MASK_PER_ITERATION_rsqrt = 0, MASK_PER_ITERATION_sqrt = 0, MASK_PER_ITERATION_relu = 0,
  MASK_PER_ITERATION_copy = 1,
};
#define UNARY(op, arg, tag, D, S, V)                                                                             \
  INSTR(op, op, tag, D, S, 1, 0, CYCLES(op, D), .count_is_mask = MASK_PER_ITERATION_##op)                        \
  ENTER_UNARY(op, tag, D, S)
#define OP(op) SK_ROWS_##op(UNARY, op, )
SK_VECTOR_UNARY_LIST(OP)
#undef OP

#define CONVERT(op, tag, D, S, from, to, rounding)                                                               \
  INSTR(op, op, tag, D, S, 1, 0, 1, .scalar_bits = 0)                                                            \
  ENTER_UNARY(op, tag, D, S)
SK_VECTOR_CONVERT_LIST(CONVERT)

/* ---- (d, s, value) ------------------------------------------------------------------------- */

/* The scalar as the bits its kernel takes. sub_scalar adds the negative, formed in float. */
static uint64_t float_bits(float value) { return sk_float_bits(value); }
static uint64_t int_bits(int64_t value) { return (uint64_t)value; }
static int64_t negative_i32(int32_t value) {
  float negative = -(float)value; /* rounds to 24 bits, as the chip's header does */
  return negative >= 0x1p31f ? INT32_MAX : (int64_t)negative;
}
#define VALUE_f16(value) ((value)&0xffffu)
#define VALUE_f32(value) float_bits(value)
#define VALUE_f32f16(value) ((value)&0xffffu)
#define VALUE_i16(value) int_bits(value)
#define VALUE_u16(value) int_bits(value)
#define VALUE_i32(value) int_bits(value)
#define VALUE_u32(value) int_bits(value)
#define NEGATIVE_f16(value) (VALUE_f16(value) ^ 0x8000u)
#define NEGATIVE_f32(value) float_bits(-(value))
#define NEGATIVE_i16(value) int_bits((value) == INT16_MIN ? INT16_MAX : -(value))
#define NEGATIVE_i32(value) int_bits(negative_i32(value))
#define AS_IS(tag, value) VALUE_##tag(value)
#define NEGATED(tag, value) NEGATIVE_##tag(value)

#define ENTER_SCALAR(op, tag, D, S, V, value_of)                                                                 \
  void sk_##op##_##tag##_n(D *dst, const S *src, V value, uint32_t count) {                                      \
    sk__vector_count_1(&instr_##op##_##tag, dst, src, value_of(tag, value), count, SK__SITE());                  \
  }                                                                                                              \
  void sk_##op##_##tag##_ns(D *dst, const S *src, V value, uint32_t count) {                                     \
    sk__vector_sync_1(&instr_##op##_##tag, dst, src, value_of(tag, value), count, SK__SITE());                   \
  }                                                                                                              \
  void sk_##op##_##tag##_h(D *dst, const S *src, V value, SK_ARGS_UNARY) {                                       \
    sk__vector_strided(&instr_##op##_##tag, dst, src, NULL, value_of(tag, value), STRIDES_UNARY, SK__SITE());    \
  }
#define SCALAR(op, arg, tag, D, S, V)                                                                            \
  INSTR(op, op, tag, D, S, 1, 0, CYCLES(op, D), .scalar_bits = 0)                                                \
  ENTER_SCALAR(op, tag, D, S, V, AS_IS)
#define SHIFT(op, arg, tag, D, S, V)                                                                             \
  INSTR(op, op, tag, D, S, 1, 0, CYCLES(op, D), .scalar_bits = BITS(D))                                          \
  ENTER_SCALAR(op, tag, D, S, V, AS_IS)
#define MINUS(op, arg, tag, D, S, V)                                                                             \
  INSTR(op, add_scalar, tag, D, S, 1, 0, CYCLES(op, D), .scalar_bits = 0)                                        \
  ENTER_SCALAR(op, tag, D, S, V, NEGATED)
#define INTO_DST(op, arg, tag, D, S, V)                                                                          \
  INSTR(op, op, tag, D, S, 1, 1, CYCLES(op, D), .scalar_bits = 0)                                                \
  ENTER_SCALAR(op, tag, D, S, V, AS_IS)
SK_ROWS_add_scalar(SCALAR, add_scalar, )
SK_ROWS_sub_scalar(MINUS, sub_scalar, )
SK_ROWS_mul_scalar(SCALAR, mul_scalar, )
SK_ROWS_max_scalar(SCALAR, max_scalar, )
SK_ROWS_min_scalar(SCALAR, min_scalar, )
SK_ROWS_leakyrelu(SCALAR, leakyrelu, )
SK_ROWS_axpy(INTO_DST, axpy, )
SK_ROWS_shiftleft(SHIFT, shiftleft, )
SK_ROWS_shiftright(SHIFT, shiftright, )
SK_ROWS_shiftright_round(SHIFT, shiftright_round, )

/* ---- (d, value) ---------------------------------------------------------------------------- */

#define VALUE_bf16(value) ((value)&0xffffu)
#define FILL(op, arg, tag, D, S, V)                                                                              \
  INSTR(op, op, tag, D, D, 0, 0, CYCLES(op, D), .scalar_bits = 0)                                                \
  void sk_##op##_##tag##_n(D *dst, V value, uint32_t count) {                                                    \
    sk__vector_count_0(&instr_##op##_##tag, dst, VALUE_##tag(value), count, SK__SITE());                         \
  }                                                                                                              \
  void sk_##op##_##tag##_ns(D *dst, V value, uint32_t count) {                                                   \
    sk__vector_sync_0(&instr_##op##_##tag, dst, VALUE_##tag(value), count, SK__SITE());                          \
  }                                                                                                              \
  void sk_##op##_##tag##_h(D *dst, V value, SK_ARGS_FILL) {                                                      \
    sk__vector_strided(&instr_##op##_##tag, dst, NULL, NULL, VALUE_##tag(value), STRIDES_FILL, SK__SITE());      \
  }
SK_ROWS_duplicate(FILL, duplicate, )
