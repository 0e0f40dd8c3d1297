/* other_api_calls.h - every form of the instructions that are not elementwise, called once; included by a C
 * and a C++ file, so that both languages are seen to reach the same functions. Defines a static table. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "c_api/asc_vector_other.h"

typedef struct other_call {
  const char *name;                 /* what the running core then says about itself */
  void (*run)(uint8_t *memory);     /* a UB with room for all operands */
} other_call;

#define D(T) ((T *)m)
#define S(T) ((T *)(m + 0x8000))
#define R(T) ((T *)(m + 0x10000))
#define BINARY_STRIDES 2, 1, 1, 1, 8, 8, 8
#define UNARY_STRIDES 2, 1, 1, 8, 8

/* The empty asm keeps the last call from becoming a jump, which would have another return address. */
#define CALL(id, ...)                   \
  static void call_##id(uint8_t *m) {   \
    __VA_ARGS__;                        \
    __asm__ volatile("");               \
  }
#define COMPARES(op, T)                                                       \
  CALL(op##_##T##_r, asc_##op(S(T), R(T), BINARY_STRIDES))                    \
  CALL(op##_##T##_rs, asc_##op##_sync(S(T), R(T), BINARY_STRIDES))            \
  CALL(op##_##T##_h, asc_##op(D(uint8_t), S(T), R(T), BINARY_STRIDES))        \
  CALL(op##_##T##_hs, asc_##op##_sync(D(uint8_t), S(T), R(T), BINARY_STRIDES)) \
  CALL(op##_##T##_v, asc_##op##_scalar(D(uint8_t), S(T), *R(T), UNARY_STRIDES)) \
  CALL(op##_##T##_vs, asc_##op##_scalar_sync(D(uint8_t), S(T), *R(T), UNARY_STRIDES))
#define REDUCTIONS(op, T)                                       \
  CALL(op##_##T##_n, asc_##op(D(T), S(T), 200))                 \
  CALL(op##_##T##_ns, asc_##op##_sync(D(T), S(T), 200))         \
  CALL(op##_##T##_h, asc_##op(D(T), S(T), 3, 1, 1, 8))
#define PICKS(T)                                                               \
  CALL(reduce_##T##_n, asc_reduce(D(T), S(T), R(T), 100))                      \
  CALL(reduce_##T##_ns, asc_reduce_sync(D(T), S(T), R(T), 100))                \
  CALL(reduce_##T##_h, asc_reduce(D(T), S(T), R(T), 2, 1, 3, 8, 8))            \
  CALL(squeeze_##T##_h, asc_squeeze(D(T), S(T), R(T), BINARY_STRIDES))         \
  CALL(brcb_##T##_h, asc_brcb(D(T), S(T), 1, 8, 2))                            \
  CALL(brcb_##T##_hs, asc_brcb_sync(D(T), S(T), 1, 8, 2))                      \
  CALL(gdb_##T##_h, asc_gather_datablock(D(T), S(T), (uint32_t *)(m + 0x20000), 8, 1, 1))  \
  CALL(gdb_##T##_hs, asc_gather_datablock_sync(D(T), S(T), (uint32_t *)(m + 0x20000), 8, 1, 1))
#define GATHERS(T)                                                                       \
  CALL(gather_##T##_n, asc_gather(D(T), S(T), (uint32_t *)(m + 0x20000), 30))            \
  CALL(gather_##T##_ns, asc_gather_sync(D(T), S(T), (const uint32_t *)(m + 0x20000), 30)) \
  CALL(gather_##T##_h, asc_gather(D(T), S(T), (uint32_t *)(m + 0x20000), 8, 2))
#define SORTS(T)                                                                                           \
  CALL(bitsort_##T##_h, asc_bitsort(D(T), S(T), R(uint32_t), 2))                                           \
  CALL(bitsort_##T##_hs, asc_bitsort_sync(D(T), S(T), R(uint32_t), 2))                                     \
  CALL(mrgsort4_##T##_h, T *q[4] = {S(T), S(T) + 64, S(T) + 128, S(T) + 192};                              \
       asc_mrgsort4(D(T), q, 1, 3, 2, 1, 4, false, 15))                                                    \
  CALL(mrgsort4_##T##_hs, T *q[4] = {S(T), S(T) + 64, S(T) + 128, S(T) + 192};                             \
       asc_mrgsort4_sync(D(T), q, 1, 3, 2, 1, 4, true, 7))
#define DEQS(op, T)                                               \
  CALL(op##_##T##_n, asc_##op(D(T), S(int16_t), 100))             \
  CALL(op##_##T##_ns, asc_##op##_sync(D(T), S(int16_t), 100))     \
  CALL(op##_##T##_h, asc_##op(D(T), S(int16_t), UNARY_STRIDES))

#define OTHER_COMPARES(X) X(lt) X(gt) X(ge) X(eq) X(ne) X(le)
#define OTHER_REDUCTIONS(X)                                                                               \
  X(datablock_reduce_sum) X(datablock_reduce_max) X(datablock_reduce_min) X(repeat_reduce_sum)            \
  X(pair_reduce_sum) X(repeat_reduce_max_value_index) X(repeat_reduce_max_index_value)                    \
  X(repeat_reduce_max_only_value) X(repeat_reduce_max_only_index) X(repeat_reduce_min_value_index)        \
  X(repeat_reduce_min_index_value) X(repeat_reduce_min_only_value) X(repeat_reduce_min_only_index)
#define OTHER_DEQS(X) X(deq_int162b8_h) X(deq_int162b8_l)

#define ONE(op) COMPARES(op, half) COMPARES(op, float)
OTHER_COMPARES(ONE)
#undef ONE
CALL(eq_int32_t_h, asc_eq(D(uint8_t), S(int32_t), R(int32_t), BINARY_STRIDES))
CALL(eq_int32_t_vs, asc_eq_scalar_sync(D(uint8_t), S(int32_t), 7, UNARY_STRIDES))
#define ONE(op) REDUCTIONS(op, half) REDUCTIONS(op, float)
OTHER_REDUCTIONS(ONE)
#undef ONE
CALL(index_u32, asc_repeat_reduce_max_only_index((uint32_t *)m, S(half), 128))
PICKS(uint16_t)
PICKS(uint32_t)
GATHERS(int16_t)
GATHERS(uint16_t)
GATHERS(half)
GATHERS(bfloat16_t)
GATHERS(int32_t)
GATHERS(uint32_t)
GATHERS(float)
SORTS(half)
SORTS(float)
#define ONE(op) DEQS(op, int8_t) DEQS(op, uint8_t)
OTHER_DEQS(ONE)
#undef ONE
CALL(select_half, asc_select(D(half), S(half), R(half), 100))
CALL(select_float, asc_select_sync(D(float), S(float), R(float), 100))
CALL(select_strided, asc_select(D(float), S(float), R(float), BINARY_STRIDES))
CALL(transpose, asc_transpose(D(int16_t), S(int16_t)))
CALL(transpose_sync, asc_transpose_sync(D(uint16_t), S(uint16_t)))
CALL(scale_half, asc_set_deq_scale(*S(half)); asc_deq_int322half(D(half), R(int32_t), 100))
CALL(scale_half_strided, asc_set_deq_scale(*S(half)); asc_deq_int322half(D(half), R(int32_t), UNARY_STRIDES))
CALL(scale_half_sync, asc_set_deq_scale(*S(half)); asc_deq_int322half_sync(D(half), R(int32_t), 100))
CALL(scale_float, asc_set_deq_scale(0.25f, -3, true); asc_deq_int162b8_h(D(int8_t), S(int16_t), 100))
CALL(scale_list, float scale[16] = {1}; int16_t offset[16] = {2}; bool sign[16] = {true};
     asc_set_deq_scale((uint64_t *)(m + 0x2f000), scale, offset, sign); asc_vdeq_int162b8_l(D(int8_t), S(int16_t), 100);
     asc_vdeq_int162b8_h(D(uint8_t), S(int16_t), UNARY_STRIDES))
CALL(registers, asc_set_cmp_mask(S(void)); asc_get_cmp_mask(m);
     float f; half h; uint32_t i[4]; uint16_t n[4];
     asc_repeat_reduce_max_only_value(D(float) + 64, S(float), 64);
     asc_repeat_reduce_min_only_value(D(float) + 64, S(float), 64);
     asc_get_reduce_max_cnt(f, i[0]); asc_get_reduce_min_cnt(f, i[1]); asc_get_reduce_max_cnt(h, i[2]);
     asc_get_reduce_min_cnt(h, i[3]); memcpy(m + 0x1000, i, sizeof i); memcpy(m + 0x1010, &f, 4);
     memcpy(m + 0x1014, &h, 2); asc_get_vms4_sr(n); memcpy(m + 0x1018, n, 8);
     int64_t both[2] = {asc_get_acc_val(), asc_get_rsvd_count()}; memcpy(m + 0x1020, both, 16))
CALL(five_hd, float *list[8]; for (int i = 0; i < 8; i++) list[i] = S(float) + 8 * i;
     asc_set_va_reg(VA0, list); asc_set_va_reg(VA1, list);
     for (int i = 0; i < 8; i++) list[i] = D(float) + 8 * i;
     asc_set_va_reg(VA2, list);
     for (int i = 0; i < 8; i++) list[i] = D(float) + 64 + 8 * i;
     asc_set_va_reg(VA3, list);
     asc_transto5hd_b32(VA2, VA0, 1, 0, 0); asc_transto5hd_b16(VA2, VA0, 1, 0, 0);
     asc_transto5hd_b8(VA2, VA0, 1, 0, 0, true, false))

#define ROW(id, name) {name, call_##id},
static const other_call other_calls[] = {
#define ONE_TYPE(op, T)                                                                               \
  ROW(op##_##T##_r, "asc_" #op) ROW(op##_##T##_rs, "asc_" #op "_sync") ROW(op##_##T##_h, "asc_" #op)  \
  ROW(op##_##T##_hs, "asc_" #op "_sync") ROW(op##_##T##_v, "asc_" #op "_scalar")                      \
  ROW(op##_##T##_vs, "asc_" #op "_scalar_sync")
#define ONE(op) ONE_TYPE(op, half) ONE_TYPE(op, float)
    OTHER_COMPARES(ONE)
#undef ONE
#undef ONE_TYPE
    ROW(eq_int32_t_h, "asc_eq") ROW(eq_int32_t_vs, "asc_eq_scalar_sync")
#define ONE_TYPE(op, T) ROW(op##_##T##_n, "asc_" #op) ROW(op##_##T##_ns, "asc_" #op "_sync") ROW(op##_##T##_h, "asc_" #op)
#define ONE(op) ONE_TYPE(op, half) ONE_TYPE(op, float)
    OTHER_REDUCTIONS(ONE)
#undef ONE
#define ONE(op) ONE_TYPE(op, int8_t) ONE_TYPE(op, uint8_t)
    OTHER_DEQS(ONE)
#undef ONE
    ONE_TYPE(gather, int16_t) ONE_TYPE(gather, uint16_t) ONE_TYPE(gather, half) ONE_TYPE(gather, bfloat16_t)
    ONE_TYPE(gather, int32_t) ONE_TYPE(gather, uint32_t) ONE_TYPE(gather, float)
    ONE_TYPE(reduce, uint16_t) ONE_TYPE(reduce, uint32_t)
#undef ONE_TYPE
#define ONE_TYPE(id, op, T) ROW(id##_##T##_h, "asc_" #op) ROW(id##_##T##_hs, "asc_" #op "_sync")
    ONE_TYPE(brcb, brcb, uint16_t) ONE_TYPE(brcb, brcb, uint32_t)
    ONE_TYPE(gdb, gather_datablock, uint16_t) ONE_TYPE(gdb, gather_datablock, uint32_t)
    ONE_TYPE(bitsort, bitsort, half) ONE_TYPE(bitsort, bitsort, float)
    ONE_TYPE(mrgsort4, mrgsort4, half) ONE_TYPE(mrgsort4, mrgsort4, float)
#undef ONE_TYPE
    ROW(squeeze_uint16_t_h, "asc_squeeze") ROW(squeeze_uint32_t_h, "asc_squeeze")
    ROW(index_u32, "asc_repeat_reduce_max_only_index") ROW(select_half, "asc_select")
    ROW(select_float, "asc_select_sync") ROW(select_strided, "asc_select") ROW(transpose, "asc_transpose")
    ROW(transpose_sync, "asc_transpose_sync") ROW(scale_half, "asc_deq_int322half")
    ROW(scale_half_strided, "asc_deq_int322half") ROW(scale_half_sync, "asc_deq_int322half_sync")
    ROW(scale_float, "asc_deq_int162b8_h") ROW(scale_list, "asc_vdeq_int162b8_h")
    ROW(registers, "asc_get_rsvd_count") ROW(five_hd, "asc_transto5hd_b8")
};
#undef CALL
#undef ROW
#undef D
#undef S
#undef R
