/* asc_move.h - data movement of vector cores, and what rides on it: DMA atomics, padding value.
 *
 * GM to UB runs on PIPE_MTE2, UB to GM on PIPE_MTE3, UB to UB on PIPE_V. Sizes are bytes, of which whole
 * 32-byte blocks are copied; bursts and gaps count blocks, gaps from the end of one burst to the start of
 * the next. The _align forms move any number of bytes: their gap on the GM side counts bytes. */
#ifndef ASC_MOVE_H
#define ASC_MOVE_H

#include "asc_types.h"

#define SK_ARGS_BURSTS uint16_t n_burst, uint16_t len_burst, uint16_t src_gap, uint16_t dst_gap
#define SK_ARGS_ALIGN                                                                           \
  uint16_t n_burst, uint32_t len_burst, uint8_t left_padding_num, uint8_t right_padding_num,    \
      uint32_t src_gap, uint32_t dst_gap

/* Instructions without an element type: symbols sk_<op>_z (size), _zs (size, then a full barrier), _m. */
#define SK_MOVE_LIST(X) X(copy_gm2ub) X(copy_ub2gm) X(copy_ub2ub)

/* Element types of the _align forms: X(op, C type, tag); only the size of an element matters. */
#define SK_ALIGN_NARROW(X, op)                                                                   \
  X(op, int8_t, b8) X(op, uint8_t, b8) X(op, int16_t, b16) X(op, uint16_t, b16) X(op, half, b16) \
  X(op, bfloat16_t, b16) X(op, int32_t, b32) X(op, uint32_t, b32) X(op, float, b32)
#define SK_ALIGN_WIDE(X, op) X(op, int64_t, b64) X(op, uint64_t, b64) X(op, double, b64)
#define SK_ALIGN_SIZES(X) X(b8, 1) X(b16, 2) X(b32, 4) X(b64, 8)

/* What asc_get_store_atomic_config tells: type 0 none, 1 float, 2 half, 3 int16, 4 int32, 5 int8,
 * 6 bfloat16; op 0 add (1 max, 2 min: set by the named setters). */
typedef union asc_store_atomic_config {
  uint64_t config;
  struct {
    uint64_t atomic_type : 3;
    uint64_t atomic_op : 2;
    uint64_t reserved : 59;
  };
} asc_store_atomic_config;

#define SK_ATOMIC_LIST(X) \
  X(float, 1) X(float16, 2) X(int16, 3) X(int, 4) X(int8, 5) X(bfloat, 6)

#pragma GCC visibility push(default)

#ifdef __cplusplus
extern "C" {
#endif
void asc_set_atomic_none(void);
#define SK_ATOMIC_ROW(name, type)        \
  void asc_set_atomic_add_##name(void);  \
  void asc_set_atomic_max_##name(void);  \
  void asc_set_atomic_min_##name(void);
SK_ATOMIC_LIST(SK_ATOMIC_ROW)
#undef SK_ATOMIC_ROW
void asc_set_store_atomic_config_v1(uint16_t type, uint16_t op);
#ifdef __cplusplus
}
#endif

#ifdef __cplusplus

#define SK_MOVE_ROW(op)                                                                  \
  void asc_##op(void *dst, const void *src, uint32_t size) __asm__("sk_" #op "_z");      \
  void asc_##op##_sync(void *dst, const void *src, uint32_t size) __asm__("sk_" #op "_zs"); \
  void asc_##op(void *dst, const void *src, SK_ARGS_BURSTS) __asm__("sk_" #op "_m");
#define SK_ALIGN_ROW(op, T, tag)                                                                        \
  void asc_##op(T *dst, const T *src, uint32_t size) __asm__("sk_" #op "_" #tag "_z");                  \
  void asc_##op##_sync(T *dst, const T *src, uint32_t size) __asm__("sk_" #op "_" #tag "_zs");          \
  void asc_##op(T *dst, const T *src, SK_ARGS_ALIGN) __asm__("sk_" #op "_" #tag "_m");
SK_MOVE_LIST(SK_MOVE_ROW)
SK_ALIGN_NARROW(SK_ALIGN_ROW, copy_gm2ub_align)
SK_ALIGN_NARROW(SK_ALIGN_ROW, copy_ub2gm_align)
SK_ALIGN_WIDE(SK_ALIGN_ROW, copy_ub2gm_align)
#undef SK_MOVE_ROW
#undef SK_ALIGN_ROW

#define SK_PAD_ROW(T, tag) void asc_set_copy_pad_val(T value) __asm__("sk_set_copy_pad_val_" #tag);
SK_PAD_ROW(int8_t, b8)
SK_PAD_ROW(uint8_t, b8)
SK_PAD_ROW(int16_t, b16)
SK_PAD_ROW(uint16_t, b16)
SK_PAD_ROW(half, b16)
SK_PAD_ROW(bfloat16_t, b16)
SK_PAD_ROW(int32_t, b32)
SK_PAD_ROW(uint32_t, b32)
SK_PAD_ROW(float, f32)
#undef SK_PAD_ROW

void asc_get_store_atomic_config(asc_store_atomic_config &cfg) __asm__("sk_get_store_atomic_config");

#else /* C */

#define SK_MOVE_ROW(op)                                               \
  void sk_##op##_z(void *dst, const void *src, uint32_t size);        \
  void sk_##op##_zs(void *dst, const void *src, uint32_t size);       \
  void sk_##op##_m(void *dst, const void *src, SK_ARGS_BURSTS);
SK_MOVE_LIST(SK_MOVE_ROW)
#undef SK_MOVE_ROW
#define SK_ALIGN_ROW(tag, bytes)                                                   \
  void sk_copy_gm2ub_align_##tag##_z(void *dst, const void *src, uint32_t size);   \
  void sk_copy_gm2ub_align_##tag##_zs(void *dst, const void *src, uint32_t size);  \
  void sk_copy_gm2ub_align_##tag##_m(void *dst, const void *src, SK_ARGS_ALIGN);   \
  void sk_copy_ub2gm_align_##tag##_z(void *dst, const void *src, uint32_t size);   \
  void sk_copy_ub2gm_align_##tag##_zs(void *dst, const void *src, uint32_t size);  \
  void sk_copy_ub2gm_align_##tag##_m(void *dst, const void *src, SK_ARGS_ALIGN);
SK_ALIGN_SIZES(SK_ALIGN_ROW)
#undef SK_ALIGN_ROW
void sk_set_copy_pad_val_b8(uint8_t value);
void sk_set_copy_pad_val_b16(uint16_t value);
void sk_set_copy_pad_val_b32(uint32_t value);
void sk_set_copy_pad_val_f32(float value);
void sk_get_store_atomic_config(asc_store_atomic_config *cfg);

/* The form by the number of arguments. */
#define SK_MOVE_PICK(_1, _2, _3, _4, _5, _6, _7, _8, form, ...) form
#define SK_MOVE(op, ...) SK_MOVE_PICK(__VA_ARGS__, no, no, sk_##op##_m, no, no, sk_##op##_z, no, no, no)(__VA_ARGS__)
#define asc_copy_gm2ub(...) SK_MOVE(copy_gm2ub, __VA_ARGS__)
#define asc_copy_gm2ub_sync(...) sk_copy_gm2ub_zs(__VA_ARGS__)
#define asc_copy_ub2gm(...) SK_MOVE(copy_ub2gm, __VA_ARGS__)
#define asc_copy_ub2gm_sync(...) sk_copy_ub2gm_zs(__VA_ARGS__)
#define asc_copy_ub2ub(...) SK_MOVE(copy_ub2ub, __VA_ARGS__)
#define asc_copy_ub2ub_sync(...) sk_copy_ub2ub_zs(__VA_ARGS__)

#define SK_ALIGN_FORM(...) SK_MOVE_PICK(__VA_ARGS__, m, no, no, no, no, z, no, no, no)
#define SK_ALIGN_CASE_m(op, T, tag) T *: sk_##op##_##tag##_m,
#define SK_ALIGN_CASE_z(op, T, tag) T *: sk_##op##_##tag##_z,
#define SK_ALIGN_CASE_zs(op, T, tag) T *: sk_##op##_##tag##_zs,
#define SK_ALIGN_NONE(X, op)
#define SK_ALIGN__(op, wide, form, dst, ...)                                                           \
  _Generic((dst), SK_ALIGN_NARROW(SK_ALIGN_CASE_##form, op) wide(SK_ALIGN_CASE_##form, op) struct      \
               sk_no_such_type *: 0)(dst, __VA_ARGS__)
#define SK_ALIGN_(op, wide, form, ...) SK_ALIGN__(op, wide, form, __VA_ARGS__)
#define SK_ALIGN(op, wide, ...) SK_ALIGN_(op, wide, SK_ALIGN_FORM(__VA_ARGS__), __VA_ARGS__)
#define asc_copy_gm2ub_align(...) SK_ALIGN(copy_gm2ub_align, SK_ALIGN_NONE, __VA_ARGS__)
#define asc_copy_gm2ub_align_sync(...) SK_ALIGN_(copy_gm2ub_align, SK_ALIGN_NONE, zs, __VA_ARGS__)
#define asc_copy_ub2gm_align(...) SK_ALIGN(copy_ub2gm_align, SK_ALIGN_WIDE, __VA_ARGS__)
#define asc_copy_ub2gm_align_sync(...) SK_ALIGN_(copy_ub2gm_align, SK_ALIGN_WIDE, zs, __VA_ARGS__)

SK_VALUE_INLINE void sk_set_copy_pad_val_f16(half value) { sk_set_copy_pad_val_b16((uint16_t)sk_half_raw(value)); }
SK_VALUE_INLINE void sk_set_copy_pad_val_bf16(bfloat16_t value) { sk_set_copy_pad_val_b16(value.bits); }
#define asc_set_copy_pad_val(value)                                                            \
  _Generic((value), int8_t: sk_set_copy_pad_val_b8, uint8_t: sk_set_copy_pad_val_b8,           \
           int16_t: sk_set_copy_pad_val_b16, uint16_t: sk_set_copy_pad_val_b16,                \
           half: sk_set_copy_pad_val_f16, bfloat16_t: sk_set_copy_pad_val_bf16,                \
           int32_t: sk_set_copy_pad_val_b32, uint32_t: sk_set_copy_pad_val_b32,                \
           float: sk_set_copy_pad_val_f32)(value)
#define asc_get_store_atomic_config(cfg) sk_get_store_atomic_config(&(cfg))

#endif

/* What the C++ layer needs beyond the C API. pad_mode 0: padding from asc_set_copy_pad_val, 1: pad_bits,
 * 2: the first element of each burst. Padding counts and the rest up to 32 bytes are filled. */
#ifdef __cplusplus
extern "C" {
#endif
void sk_copy_gm2ub_pad(void *dst, const void *src, uint32_t elem_bytes, uint32_t n_burst, uint32_t len_bytes,
                       uint32_t left_elems, uint32_t right_elems, uint32_t src_gap_bytes, uint32_t dst_gap_blocks,
                       uint32_t pad_mode, uint64_t pad_bits);
void sk_copy_ub2gm_pad(void *dst, const void *src, uint32_t elem_bytes, uint32_t n_burst, uint32_t len_bytes,
                       uint32_t src_gap_blocks, uint32_t dst_gap_bytes);
#ifdef __cplusplus
}
#endif

#pragma GCC visibility pop

#endif
