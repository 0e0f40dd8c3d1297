/* asc_vector.h - elementwise vector instructions of the C API: mask setters, arithmetic, conversions.
 *
 * All execute on PIPE_V of a vector core and do nothing on a cube core. Strides are in 32-byte blocks. A
 * count form leaves `count` behind in the mask register, as on the chip: set the mask again before the
 * next instruction with repeats. */
#ifndef ASC_VECTOR_H
#define ASC_VECTOR_H

#include "asc_types.h"
#include "asc_vector_list.h"

#define SK_ARGS_BINARY                                                                                 \
  uint8_t repeat, uint8_t dst_block_stride, uint8_t src0_block_stride, uint8_t src1_block_stride,      \
      uint8_t dst_repeat_stride, uint8_t src0_repeat_stride, uint8_t src1_repeat_stride
#define SK_ARGS_UNARY                                                                                  \
  uint8_t repeat, uint16_t dst_block_stride, uint16_t src_block_stride, uint16_t dst_repeat_stride,    \
      uint16_t src_repeat_stride
#define SK_ARGS_FILL uint8_t repeat, uint16_t dst_block_stride, uint16_t dst_repeat_stride

#pragma GCC visibility push(default)

#ifdef __cplusplus

/* An overload is a name for the library's symbol; `half` and `bfloat16_t` scalars travel in the low half
 * of an integer register, which is where the library looks. */
#define SK_NAME(op, suffix) asc_##op##suffix
#define SK_LABEL(op, tag, form) __asm__("sk_" #op "_" #tag "_" #form)

#define SK_BINARY_ROW(op, arg, tag, D, S, V)                                                           \
  void SK_NAME(op, )(D *dst, const S *src0, const S *src1, uint32_t count) SK_LABEL(op, tag, n);       \
  void SK_NAME(op, _sync)(D *dst, const S *src0, const S *src1, uint32_t count) SK_LABEL(op, tag, ns); \
  void SK_NAME(op, )(D *dst, const S *src0, const S *src1, SK_ARGS_BINARY) SK_LABEL(op, tag, h);
#define SK_UNARY_ROW(op, arg, tag, D, S, V)                                                            \
  void SK_NAME(op, )(D *dst, const S *src, uint32_t count) SK_LABEL(op, tag, n);                       \
  void SK_NAME(op, _sync)(D *dst, const S *src, uint32_t count) SK_LABEL(op, tag, ns);                 \
  void SK_NAME(op, )(D *dst, const S *src, SK_ARGS_UNARY) SK_LABEL(op, tag, h);
#define SK_SCALAR_ROW(op, arg, tag, D, S, V)                                                           \
  void SK_NAME(op, )(D *dst, const S *src, V value, uint32_t count) SK_LABEL(op, tag, n);              \
  void SK_NAME(op, _sync)(D *dst, const S *src, V value, uint32_t count) SK_LABEL(op, tag, ns);        \
  void SK_NAME(op, )(D *dst, const S *src, V value, SK_ARGS_UNARY) SK_LABEL(op, tag, h);
#define SK_FILL_ROW(op, arg, tag, D, S, V)                                                             \
  void SK_NAME(op, )(D *dst, V value, uint32_t count) SK_LABEL(op, tag, n);                            \
  void SK_NAME(op, _sync)(D *dst, V value, uint32_t count) SK_LABEL(op, tag, ns);                      \
  void SK_NAME(op, )(D *dst, V value, SK_ARGS_FILL) SK_LABEL(op, tag, h);

extern "C" {
void asc_set_mask_count(void);
void asc_set_mask_norm(void);
void asc_set_vector_mask(uint64_t mask1, uint64_t mask0);
}

#else /* C */

#define SK_BINARY_ROW(op, arg, tag, D, S, V)                                       \
  void sk_##op##_##tag##_n(D *dst, const S *src0, const S *src1, uint32_t count);  \
  void sk_##op##_##tag##_ns(D *dst, const S *src0, const S *src1, uint32_t count); \
  void sk_##op##_##tag##_h(D *dst, const S *src0, const S *src1, SK_ARGS_BINARY);
#define SK_UNARY_ROW(op, arg, tag, D, S, V)                       \
  void sk_##op##_##tag##_n(D *dst, const S *src, uint32_t count);  \
  void sk_##op##_##tag##_ns(D *dst, const S *src, uint32_t count); \
  void sk_##op##_##tag##_h(D *dst, const S *src, SK_ARGS_UNARY);
#define SK_SCALAR_ROW(op, arg, tag, D, S, V)                               \
  void sk_##op##_##tag##_n(D *dst, const S *src, V value, uint32_t count);  \
  void sk_##op##_##tag##_ns(D *dst, const S *src, V value, uint32_t count); \
  void sk_##op##_##tag##_h(D *dst, const S *src, V value, SK_ARGS_UNARY);
#define SK_FILL_ROW(op, arg, tag, D, S, V)                   \
  void sk_##op##_##tag##_n(D *dst, V value, uint32_t count);  \
  void sk_##op##_##tag##_ns(D *dst, V value, uint32_t count); \
  void sk_##op##_##tag##_h(D *dst, V value, SK_ARGS_FILL);

void asc_set_mask_count(void);
void asc_set_mask_norm(void);
void asc_set_vector_mask(uint64_t mask1, uint64_t mask0);

/* The form by the number of arguments: SK_FORM_x names one token, "n" or "h". */
#define SK_PICK(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, form, ...) form
#define SK_FORM_BINARY(...) SK_PICK(__VA_ARGS__, h, no, no, no, no, no, n, no, no, no, no)
#define SK_FORM_UNARY(...) SK_PICK(__VA_ARGS__, no, no, no, h, no, no, no, n, no, no, no)
#define SK_FORM_SCALAR(...) SK_PICK(__VA_ARGS__, no, no, h, no, no, no, n, no, no, no, no)
#define SK_FORM_FILL(...) SK_PICK(__VA_ARGS__, no, no, no, no, no, h, no, n, no, no, no)

/* The function by the destination's type; where that leaves a choice, by the source's too. */
#define SK_ASSOC(op, form, tag, D, S, V) D *: sk_##op##_##tag##_##form,
#define SK_BY_DST(op, form, dst) _Generic((dst), SK_ROWS_##op(SK_ASSOC, op, form) struct sk_no_such_type *: 0)
#define SK_BY_FMA(op, form, dst, src)                                                                      \
  _Generic((dst), half *: sk_##op##_f16_##form,                                                            \
           float *: _Generic((src), half *: sk_##op##_f32f16_##form, const half *: sk_##op##_f32f16_##form, \
                             default: sk_##op##_f32_##form))
#define SK_BY_RELU(op, form, dst, src)                                                                        \
  _Generic((dst), float *: sk_##op##_f32_##form, int16_t *: sk_##op##_i16_##form,                             \
           half *: _Generic((src), float *: sk_##op##_f16f32_##form, const float *: sk_##op##_f16f32_##form,   \
                            default: sk_##op##_f16_##form),                                                   \
           int8_t *: _Generic((src), half *: sk_##op##_i8f16_##form, const half *: sk_##op##_i8f16_##form,     \
                              default: sk_##op##_i8i16_##form))

#define SK_BINARY(op, ...) SK_BINARY_(op, SK_FORM_BINARY(__VA_ARGS__), __VA_ARGS__)
#define SK_BINARY_(op, form, ...) SK_BINARY__(op, form, __VA_ARGS__)
#define SK_BINARY__(op, form, dst, ...) SK_BY_DST(op, form, dst)(dst, __VA_ARGS__)
#define SK_BINARY_2(by, op, ...) SK_BINARY_2_(by, op, SK_FORM_BINARY(__VA_ARGS__), __VA_ARGS__)
#define SK_BINARY_2_(by, op, form, ...) SK_BINARY_2__(by, op, form, __VA_ARGS__)
#define SK_BINARY_2__(by, op, form, dst, src0, ...) by(op, form, dst, src0)(dst, src0, __VA_ARGS__)
#define SK_UNARY(op, ...) SK_UNARY_(op, SK_FORM_UNARY(__VA_ARGS__), __VA_ARGS__)
#define SK_UNARY_(op, form, ...) SK_UNARY__(op, form, __VA_ARGS__)
#define SK_UNARY__(op, form, dst, ...) SK_BY_DST(op, form, dst)(dst, __VA_ARGS__)
#define SK_SCALAR_OP(op, ...) SK_SCALAR_OP_(op, SK_FORM_SCALAR(__VA_ARGS__), __VA_ARGS__)
#define SK_SCALAR_OP_(op, form, ...) SK_SCALAR_OP__(op, form, __VA_ARGS__)
#define SK_SCALAR_OP__(op, form, dst, src, value, ...) \
  SK_BY_DST(op, form, dst)(dst, src, SK_SCALAR(dst, value), __VA_ARGS__)
#define SK_AXPY(...) SK_AXPY_(SK_FORM_SCALAR(__VA_ARGS__), __VA_ARGS__)
#define SK_AXPY_(form, ...) SK_AXPY__(form, __VA_ARGS__)
#define SK_AXPY__(form, dst, src, value, ...) \
  SK_BY_FMA(axpy, form, dst, src)(dst, src, SK_SCALAR(src, value), __VA_ARGS__)
#define SK_FILL(op, ...) SK_FILL_(op, SK_FORM_FILL(__VA_ARGS__), __VA_ARGS__)
#define SK_FILL_(op, form, ...) SK_FILL__(op, form, __VA_ARGS__)
#define SK_FILL__(op, form, dst, value, ...) SK_BY_DST(op, form, dst)(dst, SK_SCALAR(dst, value), __VA_ARGS__)
#define SK_CONVERT(op, tag, ...) SK_CONVERT_(op, tag, SK_FORM_UNARY(__VA_ARGS__), __VA_ARGS__)
#define SK_CONVERT_(op, tag, form, ...) SK_CONVERT__(op, tag, form, __VA_ARGS__)
#define SK_CONVERT__(op, tag, form, ...) sk_##op##_##tag##_##form(__VA_ARGS__)

#define asc_add(...) SK_BINARY(add, __VA_ARGS__)
#define asc_add_sync(...) SK_BINARY__(add, ns, __VA_ARGS__)
#define asc_sub(...) SK_BINARY(sub, __VA_ARGS__)
#define asc_sub_sync(...) SK_BINARY__(sub, ns, __VA_ARGS__)
#define asc_mul(...) SK_BINARY(mul, __VA_ARGS__)
#define asc_mul_sync(...) SK_BINARY__(mul, ns, __VA_ARGS__)
#define asc_max(...) SK_BINARY(max, __VA_ARGS__)
#define asc_max_sync(...) SK_BINARY__(max, ns, __VA_ARGS__)
#define asc_min(...) SK_BINARY(min, __VA_ARGS__)
#define asc_min_sync(...) SK_BINARY__(min, ns, __VA_ARGS__)
#define asc_div(...) SK_BINARY(div, __VA_ARGS__)
#define asc_div_sync(...) SK_BINARY__(div, ns, __VA_ARGS__)
#define asc_and(...) SK_BINARY(and, __VA_ARGS__)
#define asc_and_sync(...) SK_BINARY__(and, ns, __VA_ARGS__)
#define asc_or(...) SK_BINARY(or, __VA_ARGS__)
#define asc_or_sync(...) SK_BINARY__(or, ns, __VA_ARGS__)
#define asc_mul_add(...) SK_BINARY(mul_add, __VA_ARGS__)
#define asc_mul_add_sync(...) SK_BINARY__(mul_add, ns, __VA_ARGS__)
#define asc_mul_add_relu(...) SK_BINARY(mul_add_relu, __VA_ARGS__)
#define asc_mul_add_relu_sync(...) SK_BINARY__(mul_add_relu, ns, __VA_ARGS__)
#define asc_mul_cast_half2int8(...) SK_BINARY(mul_cast_half2int8, __VA_ARGS__)
#define asc_mul_cast_half2int8_sync(...) SK_BINARY__(mul_cast_half2int8, ns, __VA_ARGS__)
#define asc_mul_cast_half2uint8(...) SK_BINARY(mul_cast_half2uint8, __VA_ARGS__)
#define asc_mul_cast_half2uint8_sync(...) SK_BINARY__(mul_cast_half2uint8, ns, __VA_ARGS__)
#define asc_fma(...) SK_BINARY_2(SK_BY_FMA, fma, __VA_ARGS__)
#define asc_fma_sync(...) SK_BINARY_2__(SK_BY_FMA, fma, ns, __VA_ARGS__)
#define asc_add_relu(...) SK_BINARY_2(SK_BY_RELU, add_relu, __VA_ARGS__)
#define asc_add_relu_sync(...) SK_BINARY_2__(SK_BY_RELU, add_relu, ns, __VA_ARGS__)
#define asc_sub_relu(...) SK_BINARY_2(SK_BY_RELU, sub_relu, __VA_ARGS__)
#define asc_sub_relu_sync(...) SK_BINARY_2__(SK_BY_RELU, sub_relu, ns, __VA_ARGS__)
#define asc_not(...) SK_UNARY(not, __VA_ARGS__)
#define asc_not_sync(...) SK_UNARY__(not, ns, __VA_ARGS__)
#define asc_exp(...) SK_UNARY(exp, __VA_ARGS__)
#define asc_exp_sync(...) SK_UNARY__(exp, ns, __VA_ARGS__)
#define asc_log(...) SK_UNARY(log, __VA_ARGS__)
#define asc_log_sync(...) SK_UNARY__(log, ns, __VA_ARGS__)
#define asc_abs(...) SK_UNARY(abs, __VA_ARGS__)
#define asc_abs_sync(...) SK_UNARY__(abs, ns, __VA_ARGS__)
#define asc_rcp(...) SK_UNARY(rcp, __VA_ARGS__)
#define asc_rcp_sync(...) SK_UNARY__(rcp, ns, __VA_ARGS__)
#define asc_rsqrt(...) SK_UNARY(rsqrt, __VA_ARGS__)
#define asc_rsqrt_sync(...) SK_UNARY__(rsqrt, ns, __VA_ARGS__)
#define asc_sqrt(...) SK_UNARY(sqrt, __VA_ARGS__)
#define asc_sqrt_sync(...) SK_UNARY__(sqrt, ns, __VA_ARGS__)
#define asc_relu(...) SK_UNARY(relu, __VA_ARGS__)
#define asc_relu_sync(...) SK_UNARY__(relu, ns, __VA_ARGS__)
#define asc_copy(...) SK_UNARY(copy, __VA_ARGS__)
#define asc_copy_sync(...) SK_UNARY__(copy, ns, __VA_ARGS__)
#define asc_add_scalar(...) SK_SCALAR_OP(add_scalar, __VA_ARGS__)
#define asc_add_scalar_sync(...) SK_SCALAR_OP__(add_scalar, ns, __VA_ARGS__)
#define asc_sub_scalar(...) SK_SCALAR_OP(sub_scalar, __VA_ARGS__)
#define asc_sub_scalar_sync(...) SK_SCALAR_OP__(sub_scalar, ns, __VA_ARGS__)
#define asc_mul_scalar(...) SK_SCALAR_OP(mul_scalar, __VA_ARGS__)
#define asc_mul_scalar_sync(...) SK_SCALAR_OP__(mul_scalar, ns, __VA_ARGS__)
#define asc_max_scalar(...) SK_SCALAR_OP(max_scalar, __VA_ARGS__)
#define asc_max_scalar_sync(...) SK_SCALAR_OP__(max_scalar, ns, __VA_ARGS__)
#define asc_min_scalar(...) SK_SCALAR_OP(min_scalar, __VA_ARGS__)
#define asc_min_scalar_sync(...) SK_SCALAR_OP__(min_scalar, ns, __VA_ARGS__)
#define asc_leakyrelu(...) SK_SCALAR_OP(leakyrelu, __VA_ARGS__)
#define asc_leakyrelu_sync(...) SK_SCALAR_OP__(leakyrelu, ns, __VA_ARGS__)
#define asc_shiftleft(...) SK_SCALAR_OP(shiftleft, __VA_ARGS__)
#define asc_shiftleft_sync(...) SK_SCALAR_OP__(shiftleft, ns, __VA_ARGS__)
#define asc_shiftright(...) SK_SCALAR_OP(shiftright, __VA_ARGS__)
#define asc_shiftright_sync(...) SK_SCALAR_OP__(shiftright, ns, __VA_ARGS__)
#define asc_shiftright_round(...) SK_SCALAR_OP(shiftright_round, __VA_ARGS__)
#define asc_shiftright_round_sync(...) SK_SCALAR_OP__(shiftright_round, ns, __VA_ARGS__)
#define asc_axpy(...) SK_AXPY(__VA_ARGS__)
#define asc_axpy_sync(...) SK_AXPY__(ns, __VA_ARGS__)
#define asc_duplicate(...) SK_FILL(duplicate, __VA_ARGS__)
#define asc_duplicate_sync(...) SK_FILL__(duplicate, ns, __VA_ARGS__)
#define asc_bfloat162float(...) SK_CONVERT(bfloat162float, f32bf16, __VA_ARGS__)
#define asc_bfloat162float_sync(...) SK_CONVERT__(bfloat162float, f32bf16, ns, __VA_ARGS__)
#define asc_bfloat162int32_rna(...) SK_CONVERT(bfloat162int32_rna, i32bf16, __VA_ARGS__)
#define asc_bfloat162int32_rna_sync(...) SK_CONVERT__(bfloat162int32_rna, i32bf16, ns, __VA_ARGS__)
#define asc_bfloat162int32_ru(...) SK_CONVERT(bfloat162int32_ru, i32bf16, __VA_ARGS__)
#define asc_bfloat162int32_ru_sync(...) SK_CONVERT__(bfloat162int32_ru, i32bf16, ns, __VA_ARGS__)
#define asc_bfloat162int32_rd(...) SK_CONVERT(bfloat162int32_rd, i32bf16, __VA_ARGS__)
#define asc_bfloat162int32_rd_sync(...) SK_CONVERT__(bfloat162int32_rd, i32bf16, ns, __VA_ARGS__)
#define asc_bfloat162int32_rn(...) SK_CONVERT(bfloat162int32_rn, i32bf16, __VA_ARGS__)
#define asc_bfloat162int32_rn_sync(...) SK_CONVERT__(bfloat162int32_rn, i32bf16, ns, __VA_ARGS__)
#define asc_bfloat162int32_rz(...) SK_CONVERT(bfloat162int32_rz, i32bf16, __VA_ARGS__)
#define asc_bfloat162int32_rz_sync(...) SK_CONVERT__(bfloat162int32_rz, i32bf16, ns, __VA_ARGS__)
#define asc_half2float(...) SK_CONVERT(half2float, f32f16, __VA_ARGS__)
#define asc_half2float_sync(...) SK_CONVERT__(half2float, f32f16, ns, __VA_ARGS__)
#define asc_half2int16_rna(...) SK_CONVERT(half2int16_rna, i16f16, __VA_ARGS__)
#define asc_half2int16_rna_sync(...) SK_CONVERT__(half2int16_rna, i16f16, ns, __VA_ARGS__)
#define asc_half2int16_ru(...) SK_CONVERT(half2int16_ru, i16f16, __VA_ARGS__)
#define asc_half2int16_ru_sync(...) SK_CONVERT__(half2int16_ru, i16f16, ns, __VA_ARGS__)
#define asc_half2int16_rd(...) SK_CONVERT(half2int16_rd, i16f16, __VA_ARGS__)
#define asc_half2int16_rd_sync(...) SK_CONVERT__(half2int16_rd, i16f16, ns, __VA_ARGS__)
#define asc_half2int16_rn(...) SK_CONVERT(half2int16_rn, i16f16, __VA_ARGS__)
#define asc_half2int16_rn_sync(...) SK_CONVERT__(half2int16_rn, i16f16, ns, __VA_ARGS__)
#define asc_half2int16_rz(...) SK_CONVERT(half2int16_rz, i16f16, __VA_ARGS__)
#define asc_half2int16_rz_sync(...) SK_CONVERT__(half2int16_rz, i16f16, ns, __VA_ARGS__)
#define asc_half2int32_rna(...) SK_CONVERT(half2int32_rna, i32f16, __VA_ARGS__)
#define asc_half2int32_rna_sync(...) SK_CONVERT__(half2int32_rna, i32f16, ns, __VA_ARGS__)
#define asc_half2int32_ru(...) SK_CONVERT(half2int32_ru, i32f16, __VA_ARGS__)
#define asc_half2int32_ru_sync(...) SK_CONVERT__(half2int32_ru, i32f16, ns, __VA_ARGS__)
#define asc_half2int32_rd(...) SK_CONVERT(half2int32_rd, i32f16, __VA_ARGS__)
#define asc_half2int32_rd_sync(...) SK_CONVERT__(half2int32_rd, i32f16, ns, __VA_ARGS__)
#define asc_half2int32_rn(...) SK_CONVERT(half2int32_rn, i32f16, __VA_ARGS__)
#define asc_half2int32_rn_sync(...) SK_CONVERT__(half2int32_rn, i32f16, ns, __VA_ARGS__)
#define asc_half2int32_rz(...) SK_CONVERT(half2int32_rz, i32f16, __VA_ARGS__)
#define asc_half2int32_rz_sync(...) SK_CONVERT__(half2int32_rz, i32f16, ns, __VA_ARGS__)
#define asc_half2int4(...) SK_CONVERT(half2int4, i4f16, __VA_ARGS__)
#define asc_half2int4_sync(...) SK_CONVERT__(half2int4, i4f16, ns, __VA_ARGS__)
#define asc_half2int4_rna(...) SK_CONVERT(half2int4_rna, i4f16, __VA_ARGS__)
#define asc_half2int4_rna_sync(...) SK_CONVERT__(half2int4_rna, i4f16, ns, __VA_ARGS__)
#define asc_half2int4_ru(...) SK_CONVERT(half2int4_ru, i4f16, __VA_ARGS__)
#define asc_half2int4_ru_sync(...) SK_CONVERT__(half2int4_ru, i4f16, ns, __VA_ARGS__)
#define asc_half2int4_rd(...) SK_CONVERT(half2int4_rd, i4f16, __VA_ARGS__)
#define asc_half2int4_rd_sync(...) SK_CONVERT__(half2int4_rd, i4f16, ns, __VA_ARGS__)
#define asc_half2int4_rn(...) SK_CONVERT(half2int4_rn, i4f16, __VA_ARGS__)
#define asc_half2int4_rn_sync(...) SK_CONVERT__(half2int4_rn, i4f16, ns, __VA_ARGS__)
#define asc_half2int4_rz(...) SK_CONVERT(half2int4_rz, i4f16, __VA_ARGS__)
#define asc_half2int4_rz_sync(...) SK_CONVERT__(half2int4_rz, i4f16, ns, __VA_ARGS__)
#define asc_half2int8(...) SK_CONVERT(half2int8, i8f16, __VA_ARGS__)
#define asc_half2int8_sync(...) SK_CONVERT__(half2int8, i8f16, ns, __VA_ARGS__)
#define asc_half2int8_rna(...) SK_CONVERT(half2int8_rna, i8f16, __VA_ARGS__)
#define asc_half2int8_rna_sync(...) SK_CONVERT__(half2int8_rna, i8f16, ns, __VA_ARGS__)
#define asc_half2int8_ru(...) SK_CONVERT(half2int8_ru, i8f16, __VA_ARGS__)
#define asc_half2int8_ru_sync(...) SK_CONVERT__(half2int8_ru, i8f16, ns, __VA_ARGS__)
#define asc_half2int8_rd(...) SK_CONVERT(half2int8_rd, i8f16, __VA_ARGS__)
#define asc_half2int8_rd_sync(...) SK_CONVERT__(half2int8_rd, i8f16, ns, __VA_ARGS__)
#define asc_half2int8_rn(...) SK_CONVERT(half2int8_rn, i8f16, __VA_ARGS__)
#define asc_half2int8_rn_sync(...) SK_CONVERT__(half2int8_rn, i8f16, ns, __VA_ARGS__)
#define asc_half2int8_rz(...) SK_CONVERT(half2int8_rz, i8f16, __VA_ARGS__)
#define asc_half2int8_rz_sync(...) SK_CONVERT__(half2int8_rz, i8f16, ns, __VA_ARGS__)
#define asc_half2uint8(...) SK_CONVERT(half2uint8, u8f16, __VA_ARGS__)
#define asc_half2uint8_sync(...) SK_CONVERT__(half2uint8, u8f16, ns, __VA_ARGS__)
#define asc_half2uint8_rna(...) SK_CONVERT(half2uint8_rna, u8f16, __VA_ARGS__)
#define asc_half2uint8_rna_sync(...) SK_CONVERT__(half2uint8_rna, u8f16, ns, __VA_ARGS__)
#define asc_half2uint8_ru(...) SK_CONVERT(half2uint8_ru, u8f16, __VA_ARGS__)
#define asc_half2uint8_ru_sync(...) SK_CONVERT__(half2uint8_ru, u8f16, ns, __VA_ARGS__)
#define asc_half2uint8_rd(...) SK_CONVERT(half2uint8_rd, u8f16, __VA_ARGS__)
#define asc_half2uint8_rd_sync(...) SK_CONVERT__(half2uint8_rd, u8f16, ns, __VA_ARGS__)
#define asc_half2uint8_rn(...) SK_CONVERT(half2uint8_rn, u8f16, __VA_ARGS__)
#define asc_half2uint8_rn_sync(...) SK_CONVERT__(half2uint8_rn, u8f16, ns, __VA_ARGS__)
#define asc_half2uint8_rz(...) SK_CONVERT(half2uint8_rz, u8f16, __VA_ARGS__)
#define asc_half2uint8_rz_sync(...) SK_CONVERT__(half2uint8_rz, u8f16, ns, __VA_ARGS__)
#define asc_float2half(...) SK_CONVERT(float2half, f16f32, __VA_ARGS__)
#define asc_float2half_sync(...) SK_CONVERT__(float2half, f16f32, ns, __VA_ARGS__)
#define asc_float2half_rna(...) SK_CONVERT(float2half_rna, f16f32, __VA_ARGS__)
#define asc_float2half_rna_sync(...) SK_CONVERT__(float2half_rna, f16f32, ns, __VA_ARGS__)
#define asc_float2half_ru(...) SK_CONVERT(float2half_ru, f16f32, __VA_ARGS__)
#define asc_float2half_ru_sync(...) SK_CONVERT__(float2half_ru, f16f32, ns, __VA_ARGS__)
#define asc_float2half_rd(...) SK_CONVERT(float2half_rd, f16f32, __VA_ARGS__)
#define asc_float2half_rd_sync(...) SK_CONVERT__(float2half_rd, f16f32, ns, __VA_ARGS__)
#define asc_float2half_rn(...) SK_CONVERT(float2half_rn, f16f32, __VA_ARGS__)
#define asc_float2half_rn_sync(...) SK_CONVERT__(float2half_rn, f16f32, ns, __VA_ARGS__)
#define asc_float2half_rz(...) SK_CONVERT(float2half_rz, f16f32, __VA_ARGS__)
#define asc_float2half_rz_sync(...) SK_CONVERT__(float2half_rz, f16f32, ns, __VA_ARGS__)
#define asc_float2half_ro(...) SK_CONVERT(float2half_ro, f16f32, __VA_ARGS__)
#define asc_float2half_ro_sync(...) SK_CONVERT__(float2half_ro, f16f32, ns, __VA_ARGS__)
#define asc_float2float_rna(...) SK_CONVERT(float2float_rna, f32f32, __VA_ARGS__)
#define asc_float2float_rna_sync(...) SK_CONVERT__(float2float_rna, f32f32, ns, __VA_ARGS__)
#define asc_float2float_ru(...) SK_CONVERT(float2float_ru, f32f32, __VA_ARGS__)
#define asc_float2float_ru_sync(...) SK_CONVERT__(float2float_ru, f32f32, ns, __VA_ARGS__)
#define asc_float2float_rd(...) SK_CONVERT(float2float_rd, f32f32, __VA_ARGS__)
#define asc_float2float_rd_sync(...) SK_CONVERT__(float2float_rd, f32f32, ns, __VA_ARGS__)
#define asc_float2float_rn(...) SK_CONVERT(float2float_rn, f32f32, __VA_ARGS__)
#define asc_float2float_rn_sync(...) SK_CONVERT__(float2float_rn, f32f32, ns, __VA_ARGS__)
#define asc_float2float_rz(...) SK_CONVERT(float2float_rz, f32f32, __VA_ARGS__)
#define asc_float2float_rz_sync(...) SK_CONVERT__(float2float_rz, f32f32, ns, __VA_ARGS__)
#define asc_float2int16_rna(...) SK_CONVERT(float2int16_rna, i16f32, __VA_ARGS__)
#define asc_float2int16_rna_sync(...) SK_CONVERT__(float2int16_rna, i16f32, ns, __VA_ARGS__)
#define asc_float2int16_ru(...) SK_CONVERT(float2int16_ru, i16f32, __VA_ARGS__)
#define asc_float2int16_ru_sync(...) SK_CONVERT__(float2int16_ru, i16f32, ns, __VA_ARGS__)
#define asc_float2int16_rd(...) SK_CONVERT(float2int16_rd, i16f32, __VA_ARGS__)
#define asc_float2int16_rd_sync(...) SK_CONVERT__(float2int16_rd, i16f32, ns, __VA_ARGS__)
#define asc_float2int16_rn(...) SK_CONVERT(float2int16_rn, i16f32, __VA_ARGS__)
#define asc_float2int16_rn_sync(...) SK_CONVERT__(float2int16_rn, i16f32, ns, __VA_ARGS__)
#define asc_float2int16_rz(...) SK_CONVERT(float2int16_rz, i16f32, __VA_ARGS__)
#define asc_float2int16_rz_sync(...) SK_CONVERT__(float2int16_rz, i16f32, ns, __VA_ARGS__)
#define asc_float2int32_rna(...) SK_CONVERT(float2int32_rna, i32f32, __VA_ARGS__)
#define asc_float2int32_rna_sync(...) SK_CONVERT__(float2int32_rna, i32f32, ns, __VA_ARGS__)
#define asc_float2int32_ru(...) SK_CONVERT(float2int32_ru, i32f32, __VA_ARGS__)
#define asc_float2int32_ru_sync(...) SK_CONVERT__(float2int32_ru, i32f32, ns, __VA_ARGS__)
#define asc_float2int32_rd(...) SK_CONVERT(float2int32_rd, i32f32, __VA_ARGS__)
#define asc_float2int32_rd_sync(...) SK_CONVERT__(float2int32_rd, i32f32, ns, __VA_ARGS__)
#define asc_float2int32_rn(...) SK_CONVERT(float2int32_rn, i32f32, __VA_ARGS__)
#define asc_float2int32_rn_sync(...) SK_CONVERT__(float2int32_rn, i32f32, ns, __VA_ARGS__)
#define asc_float2int32_rz(...) SK_CONVERT(float2int32_rz, i32f32, __VA_ARGS__)
#define asc_float2int32_rz_sync(...) SK_CONVERT__(float2int32_rz, i32f32, ns, __VA_ARGS__)
#define asc_float2int64_rna(...) SK_CONVERT(float2int64_rna, i64f32, __VA_ARGS__)
#define asc_float2int64_rna_sync(...) SK_CONVERT__(float2int64_rna, i64f32, ns, __VA_ARGS__)
#define asc_float2int64_ru(...) SK_CONVERT(float2int64_ru, i64f32, __VA_ARGS__)
#define asc_float2int64_ru_sync(...) SK_CONVERT__(float2int64_ru, i64f32, ns, __VA_ARGS__)
#define asc_float2int64_rd(...) SK_CONVERT(float2int64_rd, i64f32, __VA_ARGS__)
#define asc_float2int64_rd_sync(...) SK_CONVERT__(float2int64_rd, i64f32, ns, __VA_ARGS__)
#define asc_float2int64_rn(...) SK_CONVERT(float2int64_rn, i64f32, __VA_ARGS__)
#define asc_float2int64_rn_sync(...) SK_CONVERT__(float2int64_rn, i64f32, ns, __VA_ARGS__)
#define asc_float2int64_rz(...) SK_CONVERT(float2int64_rz, i64f32, __VA_ARGS__)
#define asc_float2int64_rz_sync(...) SK_CONVERT__(float2int64_rz, i64f32, ns, __VA_ARGS__)
#define asc_float2bfloat16_rna(...) SK_CONVERT(float2bfloat16_rna, bf16f32, __VA_ARGS__)
#define asc_float2bfloat16_rna_sync(...) SK_CONVERT__(float2bfloat16_rna, bf16f32, ns, __VA_ARGS__)
#define asc_float2bfloat16_ru(...) SK_CONVERT(float2bfloat16_ru, bf16f32, __VA_ARGS__)
#define asc_float2bfloat16_ru_sync(...) SK_CONVERT__(float2bfloat16_ru, bf16f32, ns, __VA_ARGS__)
#define asc_float2bfloat16_rd(...) SK_CONVERT(float2bfloat16_rd, bf16f32, __VA_ARGS__)
#define asc_float2bfloat16_rd_sync(...) SK_CONVERT__(float2bfloat16_rd, bf16f32, ns, __VA_ARGS__)
#define asc_float2bfloat16_rn(...) SK_CONVERT(float2bfloat16_rn, bf16f32, __VA_ARGS__)
#define asc_float2bfloat16_rn_sync(...) SK_CONVERT__(float2bfloat16_rn, bf16f32, ns, __VA_ARGS__)
#define asc_float2bfloat16_rz(...) SK_CONVERT(float2bfloat16_rz, bf16f32, __VA_ARGS__)
#define asc_float2bfloat16_rz_sync(...) SK_CONVERT__(float2bfloat16_rz, bf16f32, ns, __VA_ARGS__)
#define asc_int42half(...) SK_CONVERT(int42half, f16i4, __VA_ARGS__)
#define asc_int42half_sync(...) SK_CONVERT__(int42half, f16i4, ns, __VA_ARGS__)
#define asc_int82half(...) SK_CONVERT(int82half, f16i8, __VA_ARGS__)
#define asc_int82half_sync(...) SK_CONVERT__(int82half, f16i8, ns, __VA_ARGS__)
#define asc_uint82half(...) SK_CONVERT(uint82half, f16u8, __VA_ARGS__)
#define asc_uint82half_sync(...) SK_CONVERT__(uint82half, f16u8, ns, __VA_ARGS__)
#define asc_int162half(...) SK_CONVERT(int162half, f16i16, __VA_ARGS__)
#define asc_int162half_sync(...) SK_CONVERT__(int162half, f16i16, ns, __VA_ARGS__)
#define asc_int162half_rna(...) SK_CONVERT(int162half_rna, f16i16, __VA_ARGS__)
#define asc_int162half_rna_sync(...) SK_CONVERT__(int162half_rna, f16i16, ns, __VA_ARGS__)
#define asc_int162half_ru(...) SK_CONVERT(int162half_ru, f16i16, __VA_ARGS__)
#define asc_int162half_ru_sync(...) SK_CONVERT__(int162half_ru, f16i16, ns, __VA_ARGS__)
#define asc_int162half_rd(...) SK_CONVERT(int162half_rd, f16i16, __VA_ARGS__)
#define asc_int162half_rd_sync(...) SK_CONVERT__(int162half_rd, f16i16, ns, __VA_ARGS__)
#define asc_int162half_rn(...) SK_CONVERT(int162half_rn, f16i16, __VA_ARGS__)
#define asc_int162half_rn_sync(...) SK_CONVERT__(int162half_rn, f16i16, ns, __VA_ARGS__)
#define asc_int162half_rz(...) SK_CONVERT(int162half_rz, f16i16, __VA_ARGS__)
#define asc_int162half_rz_sync(...) SK_CONVERT__(int162half_rz, f16i16, ns, __VA_ARGS__)
#define asc_int162float(...) SK_CONVERT(int162float, f32i16, __VA_ARGS__)
#define asc_int162float_sync(...) SK_CONVERT__(int162float, f32i16, ns, __VA_ARGS__)
#define asc_int322float(...) SK_CONVERT(int322float, f32i32, __VA_ARGS__)
#define asc_int322float_sync(...) SK_CONVERT__(int322float, f32i32, ns, __VA_ARGS__)
#define asc_int322float_rna(...) SK_CONVERT(int322float_rna, f32i32, __VA_ARGS__)
#define asc_int322float_rna_sync(...) SK_CONVERT__(int322float_rna, f32i32, ns, __VA_ARGS__)
#define asc_int322float_ru(...) SK_CONVERT(int322float_ru, f32i32, __VA_ARGS__)
#define asc_int322float_ru_sync(...) SK_CONVERT__(int322float_ru, f32i32, ns, __VA_ARGS__)
#define asc_int322float_rd(...) SK_CONVERT(int322float_rd, f32i32, __VA_ARGS__)
#define asc_int322float_rd_sync(...) SK_CONVERT__(int322float_rd, f32i32, ns, __VA_ARGS__)
#define asc_int322float_rn(...) SK_CONVERT(int322float_rn, f32i32, __VA_ARGS__)
#define asc_int322float_rn_sync(...) SK_CONVERT__(int322float_rn, f32i32, ns, __VA_ARGS__)
#define asc_int322float_rz(...) SK_CONVERT(int322float_rz, f32i32, __VA_ARGS__)
#define asc_int322float_rz_sync(...) SK_CONVERT__(int322float_rz, f32i32, ns, __VA_ARGS__)
#define asc_int322int16(...) SK_CONVERT(int322int16, i16i32, __VA_ARGS__)
#define asc_int322int16_sync(...) SK_CONVERT__(int322int16, i16i32, ns, __VA_ARGS__)
#define asc_int322int64(...) SK_CONVERT(int322int64, i64i32, __VA_ARGS__)
#define asc_int322int64_sync(...) SK_CONVERT__(int322int64, i64i32, ns, __VA_ARGS__)
#define asc_int642int32(...) SK_CONVERT(int642int32, i32i64, __VA_ARGS__)
#define asc_int642int32_sync(...) SK_CONVERT__(int642int32, i32i64, ns, __VA_ARGS__)
#define asc_int642float_rna(...) SK_CONVERT(int642float_rna, f32i64, __VA_ARGS__)
#define asc_int642float_rna_sync(...) SK_CONVERT__(int642float_rna, f32i64, ns, __VA_ARGS__)
#define asc_int642float_ru(...) SK_CONVERT(int642float_ru, f32i64, __VA_ARGS__)
#define asc_int642float_ru_sync(...) SK_CONVERT__(int642float_ru, f32i64, ns, __VA_ARGS__)
#define asc_int642float_rd(...) SK_CONVERT(int642float_rd, f32i64, __VA_ARGS__)
#define asc_int642float_rd_sync(...) SK_CONVERT__(int642float_rd, f32i64, ns, __VA_ARGS__)
#define asc_int642float_rn(...) SK_CONVERT(int642float_rn, f32i64, __VA_ARGS__)
#define asc_int642float_rn_sync(...) SK_CONVERT__(int642float_rn, f32i64, ns, __VA_ARGS__)
#define asc_int642float_rz(...) SK_CONVERT(int642float_rz, f32i64, __VA_ARGS__)
#define asc_int642float_rz_sync(...) SK_CONVERT__(int642float_rz, f32i64, ns, __VA_ARGS__)

#endif

#define SK_OP(op) SK_ROWS_##op(SK_BINARY_ROW, op, )
SK_VECTOR_BINARY_LIST(SK_OP)
#undef SK_OP
#define SK_OP(op) SK_ROWS_##op(SK_UNARY_ROW, op, )
SK_VECTOR_UNARY_LIST(SK_OP)
#undef SK_OP
#define SK_OP(op) SK_ROWS_##op(SK_SCALAR_ROW, op, )
SK_VECTOR_SCALAR_LIST(SK_OP)
#undef SK_OP
SK_ROWS_duplicate(SK_FILL_ROW, duplicate, )
#define SK_CONVERT_ROW(op, tag, D, S, from, to, rounding) SK_UNARY_ROW(op, , tag, D, S, )
SK_VECTOR_CONVERT_LIST(SK_CONVERT_ROW)
#undef SK_CONVERT_ROW

#pragma GCC visibility pop

#endif
