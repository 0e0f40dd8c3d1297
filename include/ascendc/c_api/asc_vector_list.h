/* asc_vector_list.h - the elementwise vector instructions, once: types, forms and names.
 *
 * Prototypes, C++ overloads, C11 selections and the library's definitions all come from here.
 * A row is X(op, arg, tag, D, S, V): tag names the types in the symbol, D and S are the element types of
 * destination and sources, V the form of the scalar operand. Symbols are sk_<op>_<tag>_<form>, form being
 *   n   count form                          asc_<op>(operands, count)
 *   ns  count form, then a full barrier     asc_<op>_sync(operands, count)
 *   h   repeats with strides                asc_<op>(operands, repeat, strides...) */
#ifndef ASC_VECTOR_LIST_H
#define ASC_VECTOR_LIST_H

#define SK_ROW_F16(X, op, arg) X(op, arg, f16, half, half, sk_scalar_f16)
#define SK_ROW_BF16(X, op, arg) X(op, arg, bf16, bfloat16_t, bfloat16_t, sk_scalar_bf16)
#define SK_ROW_F32(X, op, arg) X(op, arg, f32, float, float, sk_scalar_f32)
#define SK_ROW_I16(X, op, arg) X(op, arg, i16, int16_t, int16_t, sk_scalar_i16)
#define SK_ROW_U16(X, op, arg) X(op, arg, u16, uint16_t, uint16_t, sk_scalar_u16)
#define SK_ROW_I32(X, op, arg) X(op, arg, i32, int32_t, int32_t, sk_scalar_i32)
#define SK_ROW_U32(X, op, arg) X(op, arg, u32, uint32_t, uint32_t, sk_scalar_u32)

#define SK_ROWS_HF(X, op, arg) SK_ROW_F16(X, op, arg) SK_ROW_F32(X, op, arg)
#define SK_ROWS_HFSI(X, op, arg) SK_ROWS_HF(X, op, arg) SK_ROW_I16(X, op, arg) SK_ROW_I32(X, op, arg)
#define SK_ROWS_16(X, op, arg) SK_ROW_I16(X, op, arg) SK_ROW_U16(X, op, arg)
#define SK_ROWS_INT(X, op, arg) SK_ROWS_16(X, op, arg) SK_ROW_I32(X, op, arg) SK_ROW_U32(X, op, arg)

/* ---- (d, s0, s1) --------------------------------------------------------------------------- */

#define SK_ROWS_add SK_ROWS_HFSI
#define SK_ROWS_sub SK_ROWS_HFSI
#define SK_ROWS_mul SK_ROWS_HFSI
#define SK_ROWS_max SK_ROWS_HFSI
#define SK_ROWS_min SK_ROWS_HFSI
#define SK_ROWS_div SK_ROWS_HF
#define SK_ROWS_and SK_ROWS_16
#define SK_ROWS_or SK_ROWS_16
#define SK_ROWS_mul_add SK_ROWS_HF
#define SK_ROWS_mul_add_relu SK_ROWS_HF
/* One destination type with several source types: selected by both. */
#define SK_ROWS_fma(X, op, arg) SK_ROWS_HF(X, op, arg) X(op, arg, f32f16, float, half, sk_scalar_f16)
#define SK_ROWS_add_relu(X, op, arg)                 \
  SK_ROWS_HF(X, op, arg)                             \
  SK_ROW_I16(X, op, arg)                             \
  X(op, arg, i8f16, int8_t, half, sk_scalar_f16)     \
  X(op, arg, f16f32, half, float, sk_scalar_f32)     \
  X(op, arg, i8i16, int8_t, int16_t, sk_scalar_i16)
#define SK_ROWS_sub_relu SK_ROWS_add_relu
#define SK_ROWS_mul_cast_half2int8(X, op, arg) X(op, arg, i8f16, int8_t, half, sk_scalar_f16)
#define SK_ROWS_mul_cast_half2uint8(X, op, arg) X(op, arg, u8f16, uint8_t, half, sk_scalar_f16)

#define SK_VECTOR_BINARY_LIST(OP)                                                        \
  OP(add) OP(sub) OP(mul) OP(max) OP(min) OP(div) OP(and) OP(or) OP(mul_add) OP(mul_add_relu) \
  OP(fma) OP(add_relu) OP(sub_relu) OP(mul_cast_half2int8) OP(mul_cast_half2uint8)

/* ---- (d, s) -------------------------------------------------------------------------------- */

#define SK_ROWS_not SK_ROWS_16
#define SK_ROWS_exp SK_ROWS_HF
#define SK_ROWS_log SK_ROWS_HF
#define SK_ROWS_abs SK_ROWS_HF
#define SK_ROWS_rcp SK_ROWS_HF
#define SK_ROWS_rsqrt SK_ROWS_HF
#define SK_ROWS_sqrt SK_ROWS_HF
#define SK_ROWS_relu(X, op, arg) SK_ROWS_HF(X, op, arg) SK_ROW_I32(X, op, arg)
#define SK_ROWS_copy SK_ROWS_INT

#define SK_VECTOR_UNARY_LIST(OP) \
  OP(not) OP(exp) OP(log) OP(abs) OP(rcp) OP(rsqrt) OP(sqrt) OP(relu) OP(copy)

/* ---- (d, s, value) ------------------------------------------------------------------------- */

#define SK_ROWS_add_scalar SK_ROWS_HFSI
#define SK_ROWS_sub_scalar SK_ROWS_HFSI
#define SK_ROWS_mul_scalar SK_ROWS_HFSI
#define SK_ROWS_max_scalar SK_ROWS_HFSI
#define SK_ROWS_min_scalar SK_ROWS_HFSI
#define SK_ROWS_leakyrelu SK_ROWS_HF
#define SK_ROWS_axpy SK_ROWS_fma
/* The distance is 32 bits wide whatever the elements are. */
#define SK_ROWS_shiftleft(X, op, arg)                \
  X(op, arg, i16, int16_t, int16_t, sk_scalar_u32)   \
  X(op, arg, u16, uint16_t, uint16_t, sk_scalar_u32) \
  X(op, arg, i32, int32_t, int32_t, sk_scalar_u32)   \
  X(op, arg, u32, uint32_t, uint32_t, sk_scalar_u32)
#define SK_ROWS_shiftright(X, op, arg)               \
  X(op, arg, i16, int16_t, int16_t, sk_scalar_i32)   \
  X(op, arg, u16, uint16_t, uint16_t, sk_scalar_u32) \
  X(op, arg, i32, int32_t, int32_t, sk_scalar_i32)   \
  X(op, arg, u32, uint32_t, uint32_t, sk_scalar_u32)
#define SK_ROWS_shiftright_round(X, op, arg)       \
  X(op, arg, i16, int16_t, int16_t, sk_scalar_i32) \
  X(op, arg, i32, int32_t, int32_t, sk_scalar_i32)

#define SK_VECTOR_SCALAR_LIST(OP)                                                        \
  OP(add_scalar) OP(sub_scalar) OP(mul_scalar) OP(max_scalar) OP(min_scalar) OP(leakyrelu) OP(axpy) \
  OP(shiftleft) OP(shiftright) OP(shiftright_round)

/* ---- (d, value) ---------------------------------------------------------------------------- */

#define SK_ROWS_duplicate(X, op, arg) SK_ROWS_HF(X, op, arg) SK_ROW_BF16(X, op, arg) SK_ROWS_INT(X, op, arg)

/* ---- conversions: C(name, tag, D, S, from, to, rounding) ------------------------------------ */

#define SK_CONVERT_5(C, name, tag, D, S, from, to)     \
  C(name##_rna, tag, D, S, from, to, ROUND)            \
  C(name##_ru, tag, D, S, from, to, CEIL)              \
  C(name##_rd, tag, D, S, from, to, FLOOR)             \
  C(name##_rn, tag, D, S, from, to, RINT)              \
  C(name##_rz, tag, D, S, from, to, TRUNC)
#define SK_CONVERT_6(C, name, tag, D, S, from, to) \
  C(name, tag, D, S, from, to, RINT) SK_CONVERT_5(C, name, tag, D, S, from, to)

#define SK_VECTOR_CONVERT_LIST(C)                                                  \
  C(bfloat162float, f32bf16, float, bfloat16_t, bf16, f32, RINT)                   \
  SK_CONVERT_5(C, bfloat162int32, i32bf16, int32_t, bfloat16_t, bf16, i32)         \
  C(half2float, f32f16, float, half, f16, f32, RINT)                               \
  SK_CONVERT_5(C, half2int16, i16f16, int16_t, half, f16, i16)                     \
  SK_CONVERT_5(C, half2int32, i32f16, int32_t, half, f16, i32)                     \
  SK_CONVERT_6(C, half2int4, i4f16, int4b_t, half, f16, i4)                        \
  SK_CONVERT_6(C, half2int8, i8f16, int8_t, half, f16, i8)                         \
  SK_CONVERT_6(C, half2uint8, u8f16, uint8_t, half, f16, u8)                       \
  SK_CONVERT_6(C, float2half, f16f32, half, float, f32, f16)                       \
  C(float2half_ro, f16f32, half, float, f32, f16, ODD)                             \
  SK_CONVERT_5(C, float2float, f32f32, float, float, f32, f32)                     \
  SK_CONVERT_5(C, float2int16, i16f32, int16_t, float, f32, i16)                   \
  SK_CONVERT_5(C, float2int32, i32f32, int32_t, float, f32, i32)                   \
  SK_CONVERT_5(C, float2int64, i64f32, int64_t, float, f32, i64)                   \
  SK_CONVERT_5(C, float2bfloat16, bf16f32, bfloat16_t, float, f32, bf16)           \
  C(int42half, f16i4, half, int4b_t, i4, f16, RINT)                                \
  C(int82half, f16i8, half, int8_t, i8, f16, RINT)                                 \
  C(uint82half, f16u8, half, uint8_t, u8, f16, RINT)                               \
  SK_CONVERT_6(C, int162half, f16i16, half, int16_t, i16, f16)                     \
  C(int162float, f32i16, float, int16_t, i16, f32, RINT)                           \
  SK_CONVERT_6(C, int322float, f32i32, float, int32_t, i32, f32)                   \
  C(int322int16, i16i32, int16_t, int32_t, i32, i16, TRUNC)                        \
  C(int322int64, i64i32, int64_t, int32_t, i32, i64, TRUNC)                        \
  C(int642int32, i32i64, int32_t, int64_t, i64, i32, TRUNC)                        \
  SK_CONVERT_5(C, int642float, f32i64, float, int64_t, i64, f32)

#endif
