/* asc_vector_other.h - vector instructions of the C API that are not elementwise: comparisons and
 * selection, reductions, picking and gathering, sorting, transposing, requantisation.
 *
 * All execute on PIPE_V of a vector core and do nothing on a cube core, except where a register is read or
 * set, which is the scalar unit's work. Symbols are sk_<name>_<tag>_<form>: n, ns and h as in
 * asc_vector_list.h, hs = h and then a full barrier, r and rs = a comparison into the mask register. */
#ifndef ASC_VECTOR_OTHER_H
#define ASC_VECTOR_OTHER_H

#include "asc_vector.h"

/* ---- the lists ----------------------------------------------------------------------------- */

#define SK_ROWS_lt SK_ROWS_HF
#define SK_ROWS_gt SK_ROWS_HF
#define SK_ROWS_ge SK_ROWS_HF
#define SK_ROWS_ne SK_ROWS_HF
#define SK_ROWS_le SK_ROWS_HF
#define SK_ROWS_eq(X, op, arg) SK_ROWS_HF(X, op, arg) SK_ROW_I32(X, op, arg) /* i32: not into the register */
#define SK_ROWS_lt_scalar SK_ROWS_lt
#define SK_ROWS_gt_scalar SK_ROWS_gt
#define SK_ROWS_ge_scalar SK_ROWS_ge
#define SK_ROWS_ne_scalar SK_ROWS_ne
#define SK_ROWS_le_scalar SK_ROWS_le
#define SK_ROWS_eq_scalar SK_ROWS_eq
#define SK_COMPARE_LIST(OP) OP(lt, LT) OP(gt, GT) OP(ge, GE) OP(eq, EQ) OP(ne, NE) OP(le, LE)

#define SK_ROWS_select SK_ROWS_HF

#define SK_ROWS_U(X, op, arg) SK_ROW_U16(X, op, arg) SK_ROW_U32(X, op, arg)

#define SK_ROWS_datablock_reduce_sum SK_ROWS_HF
#define SK_ROWS_datablock_reduce_max SK_ROWS_HF
#define SK_ROWS_datablock_reduce_min SK_ROWS_HF
#define SK_ROWS_repeat_reduce_sum SK_ROWS_HF
#define SK_ROWS_pair_reduce_sum SK_ROWS_HF
#define SK_ROWS_repeat_reduce_max_value_index SK_ROWS_HF
#define SK_ROWS_repeat_reduce_max_index_value SK_ROWS_HF
#define SK_ROWS_repeat_reduce_max_only_value SK_ROWS_HF
#define SK_ROWS_repeat_reduce_min_value_index SK_ROWS_HF
#define SK_ROWS_repeat_reduce_min_index_value SK_ROWS_HF
#define SK_ROWS_repeat_reduce_min_only_value SK_ROWS_HF
#define SK_REDUCE_LIST(OP)                                                                              \
  OP(datablock_reduce_sum) OP(datablock_reduce_max) OP(datablock_reduce_min)                            \
  OP(repeat_reduce_sum) OP(pair_reduce_sum)                                                             \
  OP(repeat_reduce_max_value_index) OP(repeat_reduce_max_index_value) OP(repeat_reduce_max_only_value)  \
  OP(repeat_reduce_min_value_index) OP(repeat_reduce_min_index_value) OP(repeat_reduce_min_only_value)
/* The index alone is 32 bits wide whatever the elements are: written through a pointer of either type. */
#define SK_ROWS_repeat_reduce_max_only_index SK_ROWS_HF
#define SK_ROWS_repeat_reduce_min_only_index SK_ROWS_HF
#define SK_REDUCE_INDEX_LIST(OP) OP(repeat_reduce_max_only_index) OP(repeat_reduce_min_only_index)

/* Requantisation: int16 to either 8-bit type, into one half of each destination block. */
#define SK_ROWS_B8(X, op, arg)                 \
  X(op, arg, i8i16, int8_t, int16_t, )         \
  X(op, arg, u8i16, uint8_t, int16_t, )
#define SK_ROWS_deq_int162b8_h SK_ROWS_B8
#define SK_ROWS_deq_int162b8_l SK_ROWS_B8
#define SK_ROWS_vdeq_int162b8_h SK_ROWS_B8
#define SK_ROWS_vdeq_int162b8_l SK_ROWS_B8
#define SK_ROWS_deq_int322half(X, op, arg) X(op, arg, f16i32, half, int32_t, )
#define SK_DEQ_LIST(OP) \
  OP(deq_int322half) OP(deq_int162b8_h) OP(deq_int162b8_l) OP(vdeq_int162b8_h) OP(vdeq_int162b8_l)

/* ---- arguments after the operands ------------------------------------------------------------ */

#define SK_ARGS_REDUCE \
  uint8_t repeat, uint16_t dst_repeat_stride, uint16_t src_block_stride, uint16_t src_repeat_stride
#define SK_ARGS_PICK                                                                           \
  uint16_t repeat, uint8_t src0_block_stride, uint8_t pattern_mode, uint16_t src0_repeat_stride, \
      uint8_t src1_repeat_stride
#define SK_ARGS_BRCB uint16_t dst_block_stride, uint16_t dst_repeat_stride, uint8_t repeat
#define SK_ARGS_GATHER uint16_t dst_repeat_stride, uint8_t repeat
#define SK_ARGS_GATHER_BLOCK uint16_t dst_repeat_stride, uint8_t dst_block_stride, uint8_t repeat
#define SK_ARGS_MRGSORT                                                                              \
  uint8_t repeat, uint16_t element_length_0, uint16_t element_length_1, uint16_t element_length_2,   \
      uint16_t element_length_3, bool if_exhausted_suspension, uint8_t valid_bit
#define SK_ARGS_DEQ                                                                                  \
  uint8_t repeat, uint16_t dst_block_stride, uint16_t src_block_stride, uint8_t dst_repeat_stride,   \
      uint8_t src_repeat_stride

#pragma GCC visibility push(default)

/* ---- plain functions, the same in both languages ---------------------------------------------- */

#ifdef __cplusplus
extern "C" {
#endif

void asc_get_cmp_mask(void *dst);       /* 16 bytes of UB */
void asc_set_cmp_mask(const void *src);
int64_t asc_get_rsvd_count(void);       /* elements the last asc_reduce or asc_squeeze kept */
int64_t asc_get_acc_val(void);          /* bits of the last repeat-sum's running total */
void asc_get_vms4_sr(uint16_t sorted_num[4]);
/* Lists are 16 addresses in the register pairs (dst, dst+1) and (src, src+1). */
void asc_transto5hd_b8(ub_addr8_t dst, ub_addr8_t src, uint8_t repeat, uint16_t dst_stride, uint16_t src_stride,
                       bool dst_high_half, bool src_high_half);
void asc_transto5hd_b16(ub_addr8_t dst, ub_addr8_t src, uint8_t repeat, uint16_t dst_stride, uint16_t src_stride);
void asc_transto5hd_b32(ub_addr8_t dst, ub_addr8_t src, uint8_t repeat, uint16_t dst_stride, uint16_t src_stride);
void sk_set_va_reg(ub_addr8_t va, const void *eight_addresses);

#ifdef __cplusplus
}
#endif

#define asc_set_va_reg(va, src_array) sk_set_va_reg((va), (const void *)(src_array))

/* ---- prototypes ------------------------------------------------------------------------------ */

#ifdef __cplusplus

#define SK_COMPARE_REG_ROW(op, arg, tag, D, S, V)                                                        \
  void SK_NAME(op, )(const S *src0, const S *src1, SK_ARGS_BINARY) SK_LABEL(op, tag, r);                 \
  void SK_NAME(op, _sync)(const S *src0, const S *src1, SK_ARGS_BINARY) SK_LABEL(op, tag, rs);
#define SK_COMPARE_ROW(op, arg, tag, D, S, V)                                                            \
  void SK_NAME(op, )(uint8_t * dst, const S *src0, const S *src1, SK_ARGS_BINARY) SK_LABEL(op, tag, h);  \
  void SK_NAME(op, _sync)(uint8_t * dst, const S *src0, const S *src1, SK_ARGS_BINARY) SK_LABEL(op, tag, hs);
#define SK_COMPARE_SCALAR_ROW(op, arg, tag, D, S, V)                                                     \
  void SK_NAME(op, )(uint8_t * dst, const S *src, V value, SK_ARGS_UNARY) SK_LABEL(op, tag, h);          \
  void SK_NAME(op, _sync)(uint8_t * dst, const S *src, V value, SK_ARGS_UNARY) SK_LABEL(op, tag, hs);
#define SK_REDUCE_ROW_(op, tag, D, S)                                                                    \
  void SK_NAME(op, )(D * dst, const S *src, uint32_t count) SK_LABEL(op, tag, n);                        \
  void SK_NAME(op, _sync)(D * dst, const S *src, uint32_t count) SK_LABEL(op, tag, ns);                  \
  void SK_NAME(op, )(D * dst, const S *src, SK_ARGS_REDUCE) SK_LABEL(op, tag, h);
#define SK_REDUCE_ROW(op, arg, tag, D, S, V) SK_REDUCE_ROW_(op, tag, D, S)
#define SK_REDUCE_INDEX_ROW(op, arg, tag, D, S, V) SK_REDUCE_ROW_(op, tag, D, S) SK_REDUCE_ROW_(op, tag, uint32_t, S)
#define SK_PICK_ROW(op, arg, tag, D, S, V)                                                               \
  void SK_NAME(op, )(D * dst, const S *src0, const S *src1, uint32_t count) SK_LABEL(op, tag, n);        \
  void SK_NAME(op, _sync)(D * dst, const S *src0, const S *src1, uint32_t count) SK_LABEL(op, tag, ns);  \
  void SK_NAME(op, )(D * dst, const S *src0, const S *src1, SK_ARGS_PICK) SK_LABEL(op, tag, h);
#define SK_SQUEEZE_ROW(op, arg, tag, D, S, V) \
  void SK_NAME(op, )(D * dst, const S *src0, const S *src1, SK_ARGS_BINARY) SK_LABEL(op, tag, h);
#define SK_BRCB_ROW(op, arg, tag, D, S, V)                                                               \
  void SK_NAME(op, )(D * dst, const S *src, SK_ARGS_BRCB) SK_LABEL(op, tag, h);                          \
  void SK_NAME(op, _sync)(D * dst, const S *src, SK_ARGS_BRCB) SK_LABEL(op, tag, hs);
#define SK_GATHER_ROW_(op, tag, T)                                                                       \
  void SK_NAME(op, )(T * dst, const T *src, const uint32_t *src_offset, uint32_t count) SK_LABEL(op, tag, n);       \
  void SK_NAME(op, _sync)(T * dst, const T *src, const uint32_t *src_offset, uint32_t count) SK_LABEL(op, tag, ns); \
  void SK_NAME(op, )(T * dst, const T *src, const uint32_t *src_offset, SK_ARGS_GATHER) SK_LABEL(op, tag, h);
#define SK_GATHER_BLOCK_ROW(op, arg, tag, D, S, V)                                                       \
  void SK_NAME(op, )(D * dst, const S *src, const uint32_t *src_offset, SK_ARGS_GATHER_BLOCK) SK_LABEL(op, tag, h); \
  void SK_NAME(op, _sync)(D * dst, const S *src, const uint32_t *src_offset, SK_ARGS_GATHER_BLOCK) SK_LABEL(op, tag, hs);
#define SK_BITSORT_ROW(op, arg, tag, D, S, V)                                                            \
  void SK_NAME(op, )(D * dst, const S *src0, const uint32_t *src1, int32_t repeat) SK_LABEL(op, tag, h); \
  void SK_NAME(op, _sync)(D * dst, const S *src0, const uint32_t *src1, int32_t repeat) SK_LABEL(op, tag, hs);
#define SK_MRGSORT_ROW(op, arg, tag, D, S, V)                                                            \
  void SK_NAME(op, )(D * dst, S * const src[4], SK_ARGS_MRGSORT) SK_LABEL(op, tag, h);                   \
  void SK_NAME(op, _sync)(D * dst, S * const src[4], SK_ARGS_MRGSORT) SK_LABEL(op, tag, hs);
#define SK_TRANSPOSE_ROW(op, arg, tag, D, S, V)                                                          \
  void SK_NAME(op, )(D * dst, const S *src) SK_LABEL(op, b16, h);                                        \
  void SK_NAME(op, _sync)(D * dst, const S *src) SK_LABEL(op, b16, hs);
#define SK_DEQ_ROW(op, arg, tag, D, S, V)                                                                \
  void SK_NAME(op, )(D * dst, const S *src, uint32_t count) SK_LABEL(op, tag, n);                        \
  void SK_NAME(op, _sync)(D * dst, const S *src, uint32_t count) SK_LABEL(op, tag, ns);                  \
  void SK_NAME(op, )(D * dst, const S *src, SK_ARGS_DEQ) SK_LABEL(op, tag, h);

SK_GATHER_ROW_(gather, b16, int16_t)
SK_GATHER_ROW_(gather, b16, uint16_t)
SK_GATHER_ROW_(gather, b16, half)
SK_GATHER_ROW_(gather, b16, bfloat16_t)
SK_GATHER_ROW_(gather, b32, int32_t)
SK_GATHER_ROW_(gather, b32, uint32_t)
SK_GATHER_ROW_(gather, b32, float)

void asc_get_reduce_max_cnt(half &value, uint32_t &index) __asm__("sk_get_reduce_max_cnt_f16");
void asc_get_reduce_max_cnt(float &value, uint32_t &index) __asm__("sk_get_reduce_max_cnt_f32");
void asc_get_reduce_min_cnt(half &value, uint32_t &index) __asm__("sk_get_reduce_min_cnt_f16");
void asc_get_reduce_min_cnt(float &value, uint32_t &index) __asm__("sk_get_reduce_min_cnt_f32");
void asc_set_deq_scale(half scale) __asm__("sk_set_deq_scale_f16");
void asc_set_deq_scale(float scale, int16_t offset, bool sign_mode) __asm__("sk_set_deq_scale_f32");
void asc_set_deq_scale(uint64_t *tmp, const float *scale, const int16_t *offset, const bool *sign_mode)
    __asm__("sk_set_deq_scale_list");

#else /* C */

#define SK_COMPARE_REG_ROW(op, arg, tag, D, S, V)                          \
  void sk_##op##_##tag##_r(const S *src0, const S *src1, SK_ARGS_BINARY);  \
  void sk_##op##_##tag##_rs(const S *src0, const S *src1, SK_ARGS_BINARY);
#define SK_COMPARE_ROW(op, arg, tag, D, S, V)                                            \
  void sk_##op##_##tag##_h(uint8_t *dst, const S *src0, const S *src1, SK_ARGS_BINARY);  \
  void sk_##op##_##tag##_hs(uint8_t *dst, const S *src0, const S *src1, SK_ARGS_BINARY);
#define SK_COMPARE_SCALAR_ROW(op, arg, tag, D, S, V)                              \
  void sk_##op##_##tag##_h(uint8_t *dst, const S *src, V value, SK_ARGS_UNARY);   \
  void sk_##op##_##tag##_hs(uint8_t *dst, const S *src, V value, SK_ARGS_UNARY);
#define SK_REDUCE_ROW(op, arg, tag, D, S, V)                        \
  void sk_##op##_##tag##_n(D *dst, const S *src, uint32_t count);   \
  void sk_##op##_##tag##_ns(D *dst, const S *src, uint32_t count);  \
  void sk_##op##_##tag##_h(D *dst, const S *src, SK_ARGS_REDUCE);
#define SK_REDUCE_INDEX_ROW(op, arg, tag, D, S, V) SK_REDUCE_ROW(op, arg, tag, void, S, V)
#define SK_PICK_ROW(op, arg, tag, D, S, V)                                         \
  void sk_##op##_##tag##_n(D *dst, const S *src0, const S *src1, uint32_t count);  \
  void sk_##op##_##tag##_ns(D *dst, const S *src0, const S *src1, uint32_t count); \
  void sk_##op##_##tag##_h(D *dst, const S *src0, const S *src1, SK_ARGS_PICK);
#define SK_SQUEEZE_ROW(op, arg, tag, D, S, V) \
  void sk_##op##_##tag##_h(D *dst, const S *src0, const S *src1, SK_ARGS_BINARY);
#define SK_BRCB_ROW(op, arg, tag, D, S, V)                        \
  void sk_##op##_##tag##_h(D *dst, const S *src, SK_ARGS_BRCB);   \
  void sk_##op##_##tag##_hs(D *dst, const S *src, SK_ARGS_BRCB);
#define SK_GATHER_ROW(op, tag)                                                                     \
  void sk_##op##_##tag##_n(void *dst, const void *src, const uint32_t *src_offset, uint32_t count);  \
  void sk_##op##_##tag##_ns(void *dst, const void *src, const uint32_t *src_offset, uint32_t count); \
  void sk_##op##_##tag##_h(void *dst, const void *src, const uint32_t *src_offset, SK_ARGS_GATHER);
#define SK_GATHER_BLOCK_ROW(op, arg, tag, D, S, V)                                                     \
  void sk_##op##_##tag##_h(D *dst, const S *src, const uint32_t *src_offset, SK_ARGS_GATHER_BLOCK);    \
  void sk_##op##_##tag##_hs(D *dst, const S *src, const uint32_t *src_offset, SK_ARGS_GATHER_BLOCK);
#define SK_BITSORT_ROW(op, arg, tag, D, S, V)                                                  \
  void sk_##op##_##tag##_h(D *dst, const S *src0, const uint32_t *src1, int32_t repeat);       \
  void sk_##op##_##tag##_hs(D *dst, const S *src0, const uint32_t *src1, int32_t repeat);
#define SK_MRGSORT_ROW(op, arg, tag, D, S, V)                                       \
  void sk_##op##_##tag##_h(D *dst, const void *const *src, SK_ARGS_MRGSORT);        \
  void sk_##op##_##tag##_hs(D *dst, const void *const *src, SK_ARGS_MRGSORT);
#define SK_TRANSPOSE_ROW(op, arg, tag, D, S, V)
#define SK_DEQ_ROW(op, arg, tag, D, S, V)                           \
  void sk_##op##_##tag##_n(D *dst, const S *src, uint32_t count);   \
  void sk_##op##_##tag##_ns(D *dst, const S *src, uint32_t count);  \
  void sk_##op##_##tag##_h(D *dst, const S *src, SK_ARGS_DEQ);

SK_GATHER_ROW(gather, b16)
SK_GATHER_ROW(gather, b32)
void sk_transpose_b16_h(void *dst, const void *src);
void sk_transpose_b16_hs(void *dst, const void *src);
void sk_get_reduce_max_cnt_f16(half *value, uint32_t *index);
void sk_get_reduce_max_cnt_f32(float *value, uint32_t *index);
void sk_get_reduce_min_cnt_f16(half *value, uint32_t *index);
void sk_get_reduce_min_cnt_f32(float *value, uint32_t *index);
void sk_set_deq_scale_f16(sk_scalar_f16 scale);
void sk_set_deq_scale_f32(float scale, int16_t offset, bool sign_mode);
void sk_set_deq_scale_list(uint64_t *tmp, const float *scale, const int16_t *offset, const bool *sign_mode);

#endif

#define SK_OP(op, what)                      \
  SK_ROWS_HF(SK_COMPARE_REG_ROW, op, )       \
  SK_ROWS_##op(SK_COMPARE_ROW, op, )         \
  SK_ROWS_##op(SK_COMPARE_SCALAR_ROW, op##_scalar, )
SK_COMPARE_LIST(SK_OP)
#undef SK_OP
SK_ROWS_select(SK_BINARY_ROW, select, )
#define SK_OP(op) SK_ROWS_##op(SK_REDUCE_ROW, op, )
SK_REDUCE_LIST(SK_OP)
#undef SK_OP
#define SK_OP(op) SK_ROWS_##op(SK_REDUCE_INDEX_ROW, op, )
SK_REDUCE_INDEX_LIST(SK_OP)
#undef SK_OP
SK_ROWS_U(SK_PICK_ROW, reduce, )
SK_ROWS_U(SK_SQUEEZE_ROW, squeeze, )
SK_ROWS_U(SK_BRCB_ROW, brcb, )
SK_ROWS_U(SK_GATHER_BLOCK_ROW, gather_datablock, )
SK_ROWS_HF(SK_BITSORT_ROW, bitsort, )
SK_ROWS_HF(SK_MRGSORT_ROW, mrgsort4, )
SK_ROWS_16(SK_TRANSPOSE_ROW, transpose, )
#define SK_OP(op) SK_ROWS_##op(SK_DEQ_ROW, op, )
SK_DEQ_LIST(SK_OP)
#undef SK_OP

#pragma GCC visibility pop

/* ---- C11: the function by argument count and operand type ------------------------------------- */

#ifndef __cplusplus

#define SK_ASSOC_SRC(op, form, tag, D, S, V) S *: sk_##op##_##tag##_##form, const S *: sk_##op##_##tag##_##form,
#define SK_BY_ROWS(rows, op, form, src) _Generic((src), rows(SK_ASSOC_SRC, op, form) struct sk_no_such_type *: 0)
#define SK_BY_SRC(op, form, src) SK_BY_ROWS(SK_ROWS_##op, op, form, src)
#define SK_BY_U(op, form, dst) _Generic((dst), SK_ROWS_U(SK_ASSOC, op, form) struct sk_no_such_type *: 0)
#define SK_BY_HF(op, form, dst) _Generic((dst), SK_ROWS_HF(SK_ASSOC, op, form) struct sk_no_such_type *: 0)
#define SK_BY_WIDTH(op, form, dst)                                                                          \
  _Generic((dst), int16_t *: sk_##op##_b16_##form, uint16_t *: sk_##op##_b16_##form, half *: sk_##op##_b16_##form, \
           bfloat16_t *: sk_##op##_b16_##form, int32_t *: sk_##op##_b32_##form, uint32_t *: sk_##op##_b32_##form,  \
           float *: sk_##op##_b32_##form)

/* Comparisons: nine arguments go to the mask register, ten to memory. */
#define SK_FORM_COMPARE(...) SK_PICK(__VA_ARGS__, h, r, no, no, no, no, no, no, no, no)
#define SK_COMPARE(op, s, ...) SK_COMPARE_(op, s, SK_FORM_COMPARE(__VA_ARGS__), __VA_ARGS__)
#define SK_COMPARE_(op, s, form, ...) SK_COMPARE__(op, s, form, __VA_ARGS__)
#define SK_COMPARE__(op, s, form, ...) SK_COMPARE_##form(op, form##s, __VA_ARGS__)
#define SK_COMPARE_r(op, form, src0, ...) SK_BY_ROWS(SK_ROWS_HF, op, form, src0)(src0, __VA_ARGS__)
#define SK_COMPARE_h(op, form, dst, src0, ...) SK_BY_SRC(op, form, src0)(dst, src0, __VA_ARGS__)
#define SK_COMPARE_SCALAR(op, form, dst, src, value, ...) \
  SK_BY_SRC(op, form, src)(dst, src, SK_SCALAR(src, value), __VA_ARGS__)
#define asc_lt(...) SK_COMPARE(lt, , __VA_ARGS__)
#define asc_lt_sync(...) SK_COMPARE(lt, s, __VA_ARGS__)
#define asc_gt(...) SK_COMPARE(gt, , __VA_ARGS__)
#define asc_gt_sync(...) SK_COMPARE(gt, s, __VA_ARGS__)
#define asc_ge(...) SK_COMPARE(ge, , __VA_ARGS__)
#define asc_ge_sync(...) SK_COMPARE(ge, s, __VA_ARGS__)
#define asc_eq(...) SK_COMPARE(eq, , __VA_ARGS__)
#define asc_eq_sync(...) SK_COMPARE(eq, s, __VA_ARGS__)
#define asc_ne(...) SK_COMPARE(ne, , __VA_ARGS__)
#define asc_ne_sync(...) SK_COMPARE(ne, s, __VA_ARGS__)
#define asc_le(...) SK_COMPARE(le, , __VA_ARGS__)
#define asc_le_sync(...) SK_COMPARE(le, s, __VA_ARGS__)
#define asc_lt_scalar(...) SK_COMPARE_SCALAR(lt_scalar, h, __VA_ARGS__)
#define asc_lt_scalar_sync(...) SK_COMPARE_SCALAR(lt_scalar, hs, __VA_ARGS__)
#define asc_gt_scalar(...) SK_COMPARE_SCALAR(gt_scalar, h, __VA_ARGS__)
#define asc_gt_scalar_sync(...) SK_COMPARE_SCALAR(gt_scalar, hs, __VA_ARGS__)
#define asc_ge_scalar(...) SK_COMPARE_SCALAR(ge_scalar, h, __VA_ARGS__)
#define asc_ge_scalar_sync(...) SK_COMPARE_SCALAR(ge_scalar, hs, __VA_ARGS__)
#define asc_eq_scalar(...) SK_COMPARE_SCALAR(eq_scalar, h, __VA_ARGS__)
#define asc_eq_scalar_sync(...) SK_COMPARE_SCALAR(eq_scalar, hs, __VA_ARGS__)
#define asc_ne_scalar(...) SK_COMPARE_SCALAR(ne_scalar, h, __VA_ARGS__)
#define asc_ne_scalar_sync(...) SK_COMPARE_SCALAR(ne_scalar, hs, __VA_ARGS__)
#define asc_le_scalar(...) SK_COMPARE_SCALAR(le_scalar, h, __VA_ARGS__)
#define asc_le_scalar_sync(...) SK_COMPARE_SCALAR(le_scalar, hs, __VA_ARGS__)
#define asc_select(...) SK_BINARY(select, __VA_ARGS__)
#define asc_select_sync(...) SK_BINARY__(select, ns, __VA_ARGS__)

/* Reductions: three arguments are the count form, six repeats with strides. */
#define SK_FORM_REDUCE(...) SK_PICK(__VA_ARGS__, no, no, no, no, h, no, no, n, no, no)
#define SK_REDUCE(op, ...) SK_REDUCE_(op, SK_FORM_REDUCE(__VA_ARGS__), __VA_ARGS__)
#define SK_REDUCE_(op, form, ...) SK_REDUCE__(op, form, __VA_ARGS__)
#define SK_REDUCE__(op, form, dst, src, ...) SK_BY_SRC(op, form, src)(dst, src, __VA_ARGS__)
#define asc_datablock_reduce_sum(...) SK_REDUCE(datablock_reduce_sum, __VA_ARGS__)
#define asc_datablock_reduce_sum_sync(...) SK_REDUCE__(datablock_reduce_sum, ns, __VA_ARGS__)
#define asc_datablock_reduce_max(...) SK_REDUCE(datablock_reduce_max, __VA_ARGS__)
#define asc_datablock_reduce_max_sync(...) SK_REDUCE__(datablock_reduce_max, ns, __VA_ARGS__)
#define asc_datablock_reduce_min(...) SK_REDUCE(datablock_reduce_min, __VA_ARGS__)
#define asc_datablock_reduce_min_sync(...) SK_REDUCE__(datablock_reduce_min, ns, __VA_ARGS__)
#define asc_repeat_reduce_sum(...) SK_REDUCE(repeat_reduce_sum, __VA_ARGS__)
#define asc_repeat_reduce_sum_sync(...) SK_REDUCE__(repeat_reduce_sum, ns, __VA_ARGS__)
#define asc_pair_reduce_sum(...) SK_REDUCE(pair_reduce_sum, __VA_ARGS__)
#define asc_pair_reduce_sum_sync(...) SK_REDUCE__(pair_reduce_sum, ns, __VA_ARGS__)
#define asc_repeat_reduce_max_value_index(...) SK_REDUCE(repeat_reduce_max_value_index, __VA_ARGS__)
#define asc_repeat_reduce_max_value_index_sync(...) SK_REDUCE__(repeat_reduce_max_value_index, ns, __VA_ARGS__)
#define asc_repeat_reduce_max_index_value(...) SK_REDUCE(repeat_reduce_max_index_value, __VA_ARGS__)
#define asc_repeat_reduce_max_index_value_sync(...) SK_REDUCE__(repeat_reduce_max_index_value, ns, __VA_ARGS__)
#define asc_repeat_reduce_max_only_value(...) SK_REDUCE(repeat_reduce_max_only_value, __VA_ARGS__)
#define asc_repeat_reduce_max_only_value_sync(...) SK_REDUCE__(repeat_reduce_max_only_value, ns, __VA_ARGS__)
#define asc_repeat_reduce_max_only_index(...) SK_REDUCE(repeat_reduce_max_only_index, __VA_ARGS__)
#define asc_repeat_reduce_max_only_index_sync(...) SK_REDUCE__(repeat_reduce_max_only_index, ns, __VA_ARGS__)
#define asc_repeat_reduce_min_value_index(...) SK_REDUCE(repeat_reduce_min_value_index, __VA_ARGS__)
#define asc_repeat_reduce_min_value_index_sync(...) SK_REDUCE__(repeat_reduce_min_value_index, ns, __VA_ARGS__)
#define asc_repeat_reduce_min_index_value(...) SK_REDUCE(repeat_reduce_min_index_value, __VA_ARGS__)
#define asc_repeat_reduce_min_index_value_sync(...) SK_REDUCE__(repeat_reduce_min_index_value, ns, __VA_ARGS__)
#define asc_repeat_reduce_min_only_value(...) SK_REDUCE(repeat_reduce_min_only_value, __VA_ARGS__)
#define asc_repeat_reduce_min_only_value_sync(...) SK_REDUCE__(repeat_reduce_min_only_value, ns, __VA_ARGS__)
#define asc_repeat_reduce_min_only_index(...) SK_REDUCE(repeat_reduce_min_only_index, __VA_ARGS__)
#define asc_repeat_reduce_min_only_index_sync(...) SK_REDUCE__(repeat_reduce_min_only_index, ns, __VA_ARGS__)
#define asc_get_reduce_max_cnt(value, index) \
  _Generic((value), half: sk_get_reduce_max_cnt_f16, float: sk_get_reduce_max_cnt_f32)(&(value), &(index))
#define asc_get_reduce_min_cnt(value, index) \
  _Generic((value), half: sk_get_reduce_min_cnt_f16, float: sk_get_reduce_min_cnt_f32)(&(value), &(index))

/* Picking: four arguments are the count form, eight repeats with strides. */
#define SK_FORM_PICK(...) SK_PICK(__VA_ARGS__, no, no, h, no, no, no, n, no, no, no)
#define SK_PICKING(op, ...) SK_PICKING_(op, SK_FORM_PICK(__VA_ARGS__), __VA_ARGS__)
#define SK_PICKING_(op, form, ...) SK_PICKING__(op, form, __VA_ARGS__)
#define SK_PICKING__(op, form, dst, ...) SK_BY_U(op, form, dst)(dst, __VA_ARGS__)
#define asc_reduce(...) SK_PICKING(reduce, __VA_ARGS__)
#define asc_reduce_sync(...) SK_PICKING__(reduce, ns, __VA_ARGS__)
#define asc_squeeze(...) SK_PICKING__(squeeze, h, __VA_ARGS__)
#define asc_brcb(...) SK_PICKING__(brcb, h, __VA_ARGS__)
#define asc_brcb_sync(...) SK_PICKING__(brcb, hs, __VA_ARGS__)
#define asc_gather_datablock(...) SK_PICKING__(gather_datablock, h, __VA_ARGS__)
#define asc_gather_datablock_sync(...) SK_PICKING__(gather_datablock, hs, __VA_ARGS__)
#define SK_FORM_GATHER(...) SK_PICK(__VA_ARGS__, no, no, no, no, no, h, n, no, no, no)
#define SK_GATHERING(op, ...) SK_GATHERING_(op, SK_FORM_GATHER(__VA_ARGS__), __VA_ARGS__)
#define SK_GATHERING_(op, form, ...) SK_GATHERING__(op, form, __VA_ARGS__)
#define SK_GATHERING__(op, form, dst, ...) SK_BY_WIDTH(op, form, dst)(dst, __VA_ARGS__)
#define asc_gather(...) SK_GATHERING(gather, __VA_ARGS__)
#define asc_gather_sync(...) SK_GATHERING__(gather, ns, __VA_ARGS__)

#define SK_SORTING(op, form, dst, ...) SK_BY_HF(op, form, dst)(dst, __VA_ARGS__)
#define SK_MERGING(op, form, dst, src, ...) SK_BY_HF(op, form, dst)(dst, (const void *const *)(src), __VA_ARGS__)
#define asc_bitsort(...) SK_SORTING(bitsort, h, __VA_ARGS__)
#define asc_bitsort_sync(...) SK_SORTING(bitsort, hs, __VA_ARGS__)
#define asc_mrgsort4(...) SK_MERGING(mrgsort4, h, __VA_ARGS__)
#define asc_mrgsort4_sync(...) SK_MERGING(mrgsort4, hs, __VA_ARGS__)

#define SK_TRANSPOSING(form, dst, src) \
  _Generic((dst), int16_t *: sk_transpose_b16_##form, uint16_t *: sk_transpose_b16_##form)(dst, src)
#define asc_transpose(...) SK_TRANSPOSING(h, __VA_ARGS__)
#define asc_transpose_sync(...) SK_TRANSPOSING(hs, __VA_ARGS__)

/* Requantisation: three arguments are the count form, seven repeats with strides. */
#define SK_FORM_DEQ(...) SK_PICK(__VA_ARGS__, no, no, no, h, no, no, no, n, no, no)
#define SK_DEQ(op, ...) SK_DEQ_(op, SK_FORM_DEQ(__VA_ARGS__), __VA_ARGS__)
#define SK_DEQ_(op, form, ...) SK_DEQ__(op, form, __VA_ARGS__)
#define SK_DEQ__(op, form, dst, ...) SK_BY_DST(op, form, dst)(dst, __VA_ARGS__)
#define asc_deq_int322half(...) SK_DEQ(deq_int322half, __VA_ARGS__)
#define asc_deq_int322half_sync(...) SK_DEQ__(deq_int322half, ns, __VA_ARGS__)
#define asc_deq_int162b8_h(...) SK_DEQ(deq_int162b8_h, __VA_ARGS__)
#define asc_deq_int162b8_h_sync(...) SK_DEQ__(deq_int162b8_h, ns, __VA_ARGS__)
#define asc_deq_int162b8_l(...) SK_DEQ(deq_int162b8_l, __VA_ARGS__)
#define asc_deq_int162b8_l_sync(...) SK_DEQ__(deq_int162b8_l, ns, __VA_ARGS__)
#define asc_vdeq_int162b8_h(...) SK_DEQ(vdeq_int162b8_h, __VA_ARGS__)
#define asc_vdeq_int162b8_h_sync(...) SK_DEQ__(vdeq_int162b8_h, ns, __VA_ARGS__)
#define asc_vdeq_int162b8_l(...) SK_DEQ(vdeq_int162b8_l, __VA_ARGS__)
#define asc_vdeq_int162b8_l_sync(...) SK_DEQ__(vdeq_int162b8_l, ns, __VA_ARGS__)

#define SK_SCALE_HALF(scale) sk_set_deq_scale_f16(SK_HALF_BITS(scale))
#define SK_FORM_SCALE(...) SK_PICK(__VA_ARGS__, no, no, no, no, no, no, sk_set_deq_scale_list, sk_set_deq_scale_f32, no, SK_SCALE_HALF)
#define SK_SCALE(function, ...) function(__VA_ARGS__)
#define asc_set_deq_scale(...) SK_SCALE(SK_FORM_SCALE(__VA_ARGS__), __VA_ARGS__)

#endif

#endif
