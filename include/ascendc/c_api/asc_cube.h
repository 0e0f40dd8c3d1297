/* asc_cube.h - the cube: matrix multiply-add, and the ways into and out of its memories.
 *
 * Everything here runs on a cube core and does nothing on a vector core. Layouts, with C0 = 32 bytes worth
 * of elements and fractals of 16 x C0 (512 bytes): L1 holds Nz, L0A Zz, L0B Zn, L0C Nz with blocks of 16
 * columns. Strides of fractal loads count 512-byte fractals from start to start, gaps the fractals left
 * free between two. */
#ifndef ASC_CUBE_H
#define ASC_CUBE_H

#include "asc_move.h"
#include "asc_types.h"

/* ---- registers as structures --------------------------------------------------------------- */

typedef union asc_l13d_fmatrix_config {
  uint64_t config;
  struct {
    uint64_t l1_h_size : 16;
    uint64_t l1_w_size : 16;
    uint64_t padding_left_size : 8;
    uint64_t padding_right_size : 8;
    uint64_t padding_top_size : 8;
    uint64_t padding_bottom_size : 8;
  };
} asc_l13d_fmatrix_config;
typedef union asc_load3d_v2_config {
  uint64_t config;
  struct {
    uint64_t rpt_stride : 16;
    uint64_t rpt_time : 8;
    uint64_t rpt_mode : 1;
    uint64_t reserved : 39;
  };
} asc_load3d_v2_config;
/* `repeat` times: blk_num units are written (L1: 32 bytes, L0A and L0B: 512), dst_gap units stay free. */
typedef union asc_fill_value_config {
  uint64_t config;
  struct {
    uint64_t repeat : 15;
    uint64_t reserved0 : 1;
    uint64_t blk_num : 15;
    uint64_t reserved1 : 1;
    uint64_t dst_gap : 15;
    uint64_t reserved2 : 17;
  };
} asc_fill_value_config;

/* ---- argument lists ------------------------------------------------------------------------ */

#define SK_ARGS_MMAD                                                                                \
  uint16_t left_height, uint16_t n_dim, uint16_t right_width, uint8_t unit_flag,                    \
      bool k_direction_align, bool c_matrix_source, bool c_matrix_init_val
#define SK_ARGS_MMAD_LONG                                                                           \
  uint16_t left_height, uint16_t n_dim, uint16_t right_width, uint8_t feat_offset,                  \
      uint8_t smask_offset, uint8_t unit_flag, bool k_direction_align, bool is_weight_offset,       \
      bool c_matrix_source, bool c_matrix_init_val
#define SK_ARGS_SPARSE                                                                              \
  uint16_t m, uint16_t k, uint16_t n, uint8_t unit_flag, bool c_matrix_source, bool c_matrix_init_val
#define SK_ARGS_FRACTALS uint16_t base_idx, uint8_t repeat, uint16_t src_stride, uint16_t dst_gap
#define SK_ARGS_TRANS                                                                               \
  uint16_t index_id, uint8_t repeat, uint16_t src_stride, uint16_t dst_gap,                         \
      bool enable_addr_decrement, uint16_t dst_frac_gap
#define SK_ARGS_ND2NZ                                                                               \
  uint16_t nd_num, uint16_t n_value, uint16_t d_value, uint16_t src_nd_matrix_stride,               \
      uint16_t src_d_value, uint16_t dst_nz_c0_stride, uint16_t dst_nz_n_stride,                    \
      uint16_t dst_nz_matrix_stride
#define SK_ARGS_IMAGE                                                                               \
  uint16_t k_extension, uint16_t m_extension, uint16_t k_start_pt, uint16_t m_start_pt,             \
      uint8_t stride_w, uint8_t stride_h, uint8_t filter_w, uint8_t filter_h,                       \
      uint8_t dilation_filter_w, uint8_t dilation_filter_h, bool filter_size_w, bool filter_size_h, \
      bool transpose, bool f_matrix_ctrl, uint16_t channel_size
#define SK_ARGS_FIX                                                                                 \
  uint16_t n_size, uint16_t m_size, uint32_t dst_stride_dst_d, uint16_t src_stride,                 \
      uint8_t unit_flag_mode, uint64_t quant_pre, uint8_t relu_pre, bool channel_split, bool nz2nd_en

/* ---- types --------------------------------------------------------------------------------- */

/* Mmad: X(tag, type of C, type of A and B). */
#define SK_MMAD_LIST(X) \
  X(f32f16, float, half) X(f32bf16, float, bfloat16_t) X(f32f32, float, float) X(i32i8, int32_t, int8_t)
/* Element types of loads: X(C type, tag); only the size matters. */
#define SK_CUBE_TYPES_16(X, op) X(op, half, b16) X(op, bfloat16_t, b16)
#define SK_CUBE_TYPES_32(X, op) X(op, float, b32) X(op, int32_t, b32) X(op, uint32_t, b32)
#define SK_CUBE_TYPES_8(X, op) X(op, int8_t, b8) X(op, uint8_t, b8)
#define SK_CUBE_TYPES_4(X, op) X(op, int4b_t, b4)
#define SK_CUBE_TYPES_WIDE(X, op) SK_CUBE_TYPES_16(X, op) SK_CUBE_TYPES_32(X, op)
#define SK_CUBE_TYPES(X, op) SK_CUBE_TYPES_WIDE(X, op) SK_CUBE_TYPES_8(X, op)
#define SK_CUBE_TYPES_ND2NZ(X, op) SK_CUBE_TYPES(X, op) X(op, int16_t, b16)
/* Results: X(tag, destination type, type in L0C). */
#define SK_FIX_LIST(X)                                                                       \
  X(f16f32, half, float) X(bf16f32, bfloat16_t, float) X(i8f32, int8_t, float)               \
  X(u8f32, uint8_t, float) X(f32f32, float, float) X(f16i32, half, int32_t)                  \
  X(i16i32, int16_t, int32_t) X(i8i32, int8_t, int32_t) X(u8i32, uint8_t, int32_t)           \
  X(i32i32, int32_t, int32_t)

#pragma GCC visibility push(default)

#ifdef __cplusplus
extern "C" {
#endif

/* ---- registers ----------------------------------------------------------------------------- */

void asc_enable_hf32(void);
void asc_set_fp32_mode(void);
void asc_enable_hf32_trans(uint32_t mode); /* 0: ties to even, 1: ties toward zero */
void asc_set_mmad_direction_m(void);
void asc_set_mmad_direction_n(void);
void asc_set_l0c2gm_config(uint64_t relu_pre, uint64_t quant_pre, bool enable_unit_flag);
uint64_t asc_get_l0c2gm_relu(void);
uint64_t asc_get_l0c2gm_unitflag(void);
uint64_t asc_get_l0c2gm_prequant(void);
void asc_set_l0c_copy_prequant(uint64_t scale);
void asc_set_l0c_copy_params(uint16_t nd_num, uint16_t src_nd_stride, uint16_t dst_nd_stride);
void asc_set_l13d_size(uint64_t bytes);

/* ---- instructions without a choice of types ------------------------------------------------ */

#define SK_PAD_MODES(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8)
void asc_mmad_s4(int32_t *c, const int4b_t *a, const int4b_t *b, SK_ARGS_MMAD);
void asc_mmad_s4_sync(int32_t *c, const int4b_t *a, const int4b_t *b, SK_ARGS_MMAD);
void asc_mmad_sparse(int32_t *c, const int8_t *a, const int8_t *b, SK_ARGS_SPARSE);
void asc_copy_l12l0b_sparse(int8_t *dst, const int8_t *src, const int8_t *index, uint16_t start_index, uint8_t repeat);
void asc_load_image_to_cbuf(void *dst, ...);

/* For the C++ layer: bias = address in the bias table, element type by code (see sk_mmad_type). */
typedef enum sk_mmad_type { SK_MMAD_F16, SK_MMAD_BF16, SK_MMAD_F32, SK_MMAD_I8, SK_MMAD_I4 } sk_mmad_type;
void sk_mmad_bias(void *c, const void *a, const void *b, const void *bias, sk_mmad_type type, SK_ARGS_MMAD);

#ifdef __cplusplus
}

/* ---- overloads ----------------------------------------------------------------------------- */

#define SK_MMAD_ROW(tag, C, A)                                                                             \
  void asc_mmad(C *c, const A *a, const A *b, SK_ARGS_MMAD) __asm__("sk_mmad_" #tag "_n");                 \
  void asc_mmad_sync(C *c, const A *a, const A *b, SK_ARGS_MMAD) __asm__("sk_mmad_" #tag "_ns");           \
  void asc_mmad(C *c, const A *a, const A *b, SK_ARGS_MMAD_LONG) __asm__("sk_mmad_" #tag "_l");            \
  void asc_mmad_sync(C *c, const A *a, const A *b, SK_ARGS_MMAD_LONG) __asm__("sk_mmad_" #tag "_ls");
SK_MMAD_LIST(SK_MMAD_ROW)
#undef SK_MMAD_ROW

#define SK_BULK_ROW(op)                                                                  \
  void asc_##op(void *dst, const void *src, uint32_t size) __asm__("sk_" #op "_z");      \
  void asc_##op(void *dst, const void *src, SK_ARGS_BURSTS) __asm__("sk_" #op "_m");
SK_BULK_ROW(copy_gm2l1)
SK_BULK_ROW(copy_l12gm)
SK_BULK_ROW(copy_l12fb)
#define SK_PAD_MODE_ROW(mode)                                                                                   \
  void asc_copy_gm2l1_pad##mode(void *dst, const void *src, uint32_t size) __asm__("sk_copy_gm2l1_pad_z");      \
  void asc_copy_gm2l1_pad##mode(void *dst, const void *src, SK_ARGS_BURSTS) __asm__("sk_copy_gm2l1_pad_m");
SK_PAD_MODES(SK_PAD_MODE_ROW)
#undef SK_PAD_MODE_ROW
#undef SK_BULK_ROW

#define SK_FRACTAL_ROW(op, T, tag) void asc_##op(T *dst, const T *src, SK_ARGS_FRACTALS) __asm__("sk_" #op "_2d");
SK_CUBE_TYPES(SK_FRACTAL_ROW, copy_gm2l1)
SK_CUBE_TYPES(SK_FRACTAL_ROW, copy_gm2l0a)
SK_CUBE_TYPES(SK_FRACTAL_ROW, copy_gm2l0b)
SK_CUBE_TYPES(SK_FRACTAL_ROW, copy_l12l0a)
SK_CUBE_TYPES_4(SK_FRACTAL_ROW, copy_l12l0a)
SK_CUBE_TYPES(SK_FRACTAL_ROW, copy_l12l0b)
SK_CUBE_TYPES_4(SK_FRACTAL_ROW, copy_l12l0b)
#undef SK_FRACTAL_ROW
#define SK_ND2NZ_ROW(op, T, tag) void asc_##op(T *dst, const T *src, SK_ARGS_ND2NZ) __asm__("sk_" #op "_" #tag);
SK_CUBE_TYPES_ND2NZ(SK_ND2NZ_ROW, copy_gm2l1_nd2nz)
#undef SK_ND2NZ_ROW
#define SK_TRANS_ROW(op, T, tag) void asc_##op(T *dst, const T *src, SK_ARGS_TRANS) __asm__("sk_" #op "_" #tag);
SK_CUBE_TYPES(SK_TRANS_ROW, copy_l12l0a_trans)
SK_CUBE_TYPES(SK_TRANS_ROW, copy_l12l0b_trans)
#undef SK_TRANS_ROW
#define SK_IMAGE_ROW(op, T, tag) void asc_##op(T *dst, const T *src, SK_ARGS_IMAGE) __asm__("sk_" #op "_3d_" #tag);
SK_CUBE_TYPES(SK_IMAGE_ROW, copy_l12l0a)
SK_CUBE_TYPES_4(SK_IMAGE_ROW, copy_l12l0a)
SK_CUBE_TYPES_WIDE(SK_IMAGE_ROW, copy_l12l0b)
#undef SK_IMAGE_ROW
#define SK_L0C_ROW(op, T, tag) void asc_##op(T *dst, const T *src, SK_ARGS_BURSTS) __asm__("sk_" #op "_m");
SK_CUBE_TYPES_WIDE(SK_L0C_ROW, copy_l12l0c)
#undef SK_L0C_ROW
void asc_copy_l12l0c(float *dst, const half *src, SK_ARGS_BURSTS) __asm__("sk_copy_l12l0c_widen");
void asc_copy_l12l0c(float *dst, const bfloat16_t *src, SK_ARGS_BURSTS) __asm__("sk_copy_l12l0c_widen");
void asc_copy_l12bt(uint64_t dst, const void *src, uint16_t conv_control, uint32_t size) __asm__("sk_copy_l12bt_z");
void asc_copy_l12bt(uint64_t dst, const void *src, uint16_t conv_control, SK_ARGS_BURSTS) __asm__("sk_copy_l12bt_m");
#define SK_FIX_ROW(tag, D, S)                                                                  \
  void asc_copy_l0c2gm(D *dst, const S *src, SK_ARGS_FIX) __asm__("sk_copy_l0c2gm_" #tag);     \
  void asc_copy_l0c2l1(D *dst, const S *src, SK_ARGS_FIX) __asm__("sk_copy_l0c2l1_" #tag);
SK_FIX_LIST(SK_FIX_ROW)
#undef SK_FIX_ROW

#define SK_FILL_VALUE_ROW(op, T, V, tag) \
  void asc_##op(T *dst, V value, const asc_fill_value_config &cfg) __asm__("sk_" #op "_" #tag);
#define SK_FILL_VALUE_ROWS(op)                                                                               \
  SK_FILL_VALUE_ROW(op, half, half, b16) SK_FILL_VALUE_ROW(op, bfloat16_t, bfloat16_t, b16)                  \
  SK_FILL_VALUE_ROW(op, uint32_t, uint32_t, b32) SK_FILL_VALUE_ROW(op, int32_t, uint32_t, b32)               \
  SK_FILL_VALUE_ROW(op, float, uint32_t, b32)
SK_FILL_VALUE_ROWS(fill_l0a)
SK_FILL_VALUE_ROWS(fill_l0b)
SK_FILL_VALUE_ROWS(fill_l1)
#undef SK_FILL_VALUE_ROWS
#undef SK_FILL_VALUE_ROW

void asc_set_l13d_fmatrix(const asc_l13d_fmatrix_config &config) __asm__("sk_set_l13d_fmatrix");
void asc_set_l13d_fmatrix_b(const asc_l13d_fmatrix_config &config) __asm__("sk_set_l13d_fmatrix_b");
void asc_set_l13d_rpt(const asc_load3d_v2_config &config) __asm__("sk_set_l13d_rpt");
void asc_set_l13d_padding(uint64_t value) __asm__("sk_set_l13d_padding_b64");
void asc_set_l13d_padding(half value) __asm__("sk_set_l13d_padding_b16");
void asc_set_l13d_padding(int16_t value) __asm__("sk_set_l13d_padding_b16");
void asc_set_l13d_padding(uint16_t value) __asm__("sk_set_l13d_padding_b16");
void asc_set_l0c2gm_lrelu_alpha(const half &alpha) __asm__("sk_set_l0c2gm_lrelu_alpha_f16");
void asc_set_l0c2gm_lrelu_alpha(const float &alpha) __asm__("sk_set_l0c2gm_lrelu_alpha_f32");

#endif

/* ---- the library's functions --------------------------------------------------------------- */

#if !defined(__cplusplus)

#define SK_MMAD_ROW(tag, C, A)                                                \
  void sk_mmad_##tag##_n(C *c, const A *a, const A *b, SK_ARGS_MMAD);         \
  void sk_mmad_##tag##_ns(C *c, const A *a, const A *b, SK_ARGS_MMAD);        \
  void sk_mmad_##tag##_l(C *c, const A *a, const A *b, SK_ARGS_MMAD_LONG);    \
  void sk_mmad_##tag##_ls(C *c, const A *a, const A *b, SK_ARGS_MMAD_LONG);
SK_MMAD_LIST(SK_MMAD_ROW)
#undef SK_MMAD_ROW
#define SK_BULK_ROW(op)                                          \
  void sk_##op##_z(void *dst, const void *src, uint32_t size);   \
  void sk_##op##_m(void *dst, const void *src, SK_ARGS_BURSTS);
SK_BULK_ROW(copy_gm2l1)
SK_BULK_ROW(copy_gm2l1_pad)
SK_BULK_ROW(copy_l12gm)
SK_BULK_ROW(copy_l12fb)
#undef SK_BULK_ROW
void sk_copy_gm2l1_2d(void *dst, const void *src, SK_ARGS_FRACTALS);
void sk_copy_gm2l0a_2d(void *dst, const void *src, SK_ARGS_FRACTALS);
void sk_copy_gm2l0b_2d(void *dst, const void *src, SK_ARGS_FRACTALS);
void sk_copy_l12l0a_2d(void *dst, const void *src, SK_ARGS_FRACTALS);
void sk_copy_l12l0b_2d(void *dst, const void *src, SK_ARGS_FRACTALS);
#define SK_CUBE_SIZES(X) X(b8, 8) X(b16, 16) X(b32, 32)
#define SK_SIZE_ROW(tag, bits)                                                     \
  void sk_copy_gm2l1_nd2nz_##tag(void *dst, const void *src, SK_ARGS_ND2NZ);       \
  void sk_copy_l12l0a_trans_##tag(void *dst, const void *src, SK_ARGS_TRANS);      \
  void sk_copy_l12l0b_trans_##tag(void *dst, const void *src, SK_ARGS_TRANS);      \
  void sk_copy_l12l0a_3d_##tag(void *dst, const void *src, SK_ARGS_IMAGE);         \
  void sk_copy_l12l0b_3d_##tag(void *dst, const void *src, SK_ARGS_IMAGE);
SK_CUBE_SIZES(SK_SIZE_ROW)
#undef SK_SIZE_ROW
void sk_copy_l12l0a_3d_b4(void *dst, const void *src, SK_ARGS_IMAGE);
void sk_copy_l12l0b_trans_b4(void *dst, const void *src, SK_ARGS_TRANS);
void sk_copy_l12l0c_m(void *dst, const void *src, SK_ARGS_BURSTS);
void sk_copy_l12l0c_widen(float *dst, const void *src, SK_ARGS_BURSTS);
void sk_copy_l12bt_z(uint64_t dst, const void *src, uint16_t conv_control, uint32_t size);
void sk_copy_l12bt_m(uint64_t dst, const void *src, uint16_t conv_control, SK_ARGS_BURSTS);
#define SK_FIX_ROW(tag, D, S)                                        \
  void sk_copy_l0c2gm_##tag(D *dst, const S *src, SK_ARGS_FIX);      \
  void sk_copy_l0c2l1_##tag(D *dst, const S *src, SK_ARGS_FIX);
SK_FIX_LIST(SK_FIX_ROW)
#undef SK_FIX_ROW
#define SK_FILL_VALUE_ROW(op)                                                           \
  void sk_##op##_b16(void *dst, uint32_t value, const asc_fill_value_config *cfg);      \
  void sk_##op##_b32(void *dst, uint32_t value, const asc_fill_value_config *cfg);
SK_FILL_VALUE_ROW(fill_l0a)
SK_FILL_VALUE_ROW(fill_l0b)
SK_FILL_VALUE_ROW(fill_l1)
#undef SK_FILL_VALUE_ROW
void sk_set_l13d_fmatrix(const asc_l13d_fmatrix_config *config);
void sk_set_l13d_fmatrix_b(const asc_l13d_fmatrix_config *config);
void sk_set_l13d_rpt(const asc_load3d_v2_config *config);
void sk_set_l13d_padding_b64(uint64_t value);
void sk_set_l13d_padding_b16(uint16_t value);
void sk_set_l0c2gm_lrelu_alpha_f16(const half *alpha);
void sk_set_l0c2gm_lrelu_alpha_f32(const float *alpha);

/* ---- C11: the function by argument count and operand types --------------------------------- */

#define SK_CUBE_PICK(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, _17, form, ...) form
#define SK_MMAD_FORM(...) SK_CUBE_PICK(__VA_ARGS__, no, no, no, no, l, no, no, n, no, no, no, no, no, no, no, no, no, no)
#define SK_MMAD_FORM_SYNC(...) \
  SK_CUBE_PICK(__VA_ARGS__, no, no, no, no, ls, no, no, ns, no, no, no, no, no, no, no, no, no, no)
#define SK_MMAD_BY(form, a)                                                                             \
  _Generic((a), half *: sk_mmad_f32f16_##form, const half *: sk_mmad_f32f16_##form,                     \
           bfloat16_t *: sk_mmad_f32bf16_##form, const bfloat16_t *: sk_mmad_f32bf16_##form,            \
           float *: sk_mmad_f32f32_##form, const float *: sk_mmad_f32f32_##form,                        \
           int8_t *: sk_mmad_i32i8_##form, const int8_t *: sk_mmad_i32i8_##form)
#define SK_MMAD(form, ...) SK_MMAD_(form, __VA_ARGS__)
#define SK_MMAD_(form, c, a, ...) SK_MMAD_BY(form, a)(c, a, __VA_ARGS__)
#define asc_mmad(...) SK_MMAD(SK_MMAD_FORM(__VA_ARGS__), __VA_ARGS__)
#define asc_mmad_sync(...) SK_MMAD(SK_MMAD_FORM_SYNC(__VA_ARGS__), __VA_ARGS__)

/* Six arguments are bursts for untyped pointers and fractals for typed ones. */
#define SK_GM2L1_6(dst, ...) _Generic((dst), void *: sk_copy_gm2l1_m, default: sk_copy_gm2l1_2d)(dst, __VA_ARGS__)
#define SK_GM2L1_3(...) sk_copy_gm2l1_z(__VA_ARGS__)
#define asc_copy_gm2l1(...) SK_MOVE_PICK(__VA_ARGS__, no, no, SK_GM2L1_6, no, no, SK_GM2L1_3, no, no, no)(__VA_ARGS__)
#define asc_copy_l12gm(...) SK_MOVE(copy_l12gm, __VA_ARGS__)
#define asc_copy_l12fb(...) SK_MOVE(copy_l12fb, __VA_ARGS__)
#define asc_copy_gm2l1_pad1(...) SK_MOVE(copy_gm2l1_pad, __VA_ARGS__)
#define asc_copy_gm2l1_pad2(...) SK_MOVE(copy_gm2l1_pad, __VA_ARGS__)
#define asc_copy_gm2l1_pad3(...) SK_MOVE(copy_gm2l1_pad, __VA_ARGS__)
#define asc_copy_gm2l1_pad4(...) SK_MOVE(copy_gm2l1_pad, __VA_ARGS__)
#define asc_copy_gm2l1_pad5(...) SK_MOVE(copy_gm2l1_pad, __VA_ARGS__)
#define asc_copy_gm2l1_pad6(...) SK_MOVE(copy_gm2l1_pad, __VA_ARGS__)
#define asc_copy_gm2l1_pad7(...) SK_MOVE(copy_gm2l1_pad, __VA_ARGS__)
#define asc_copy_gm2l1_pad8(...) SK_MOVE(copy_gm2l1_pad, __VA_ARGS__)

#define asc_copy_gm2l0a sk_copy_gm2l0a_2d
#define asc_copy_gm2l0b sk_copy_gm2l0b_2d
#define SK_SIZE_BY(op, dst)                                                                              \
  _Generic((dst), int8_t *: sk_##op##_b8, uint8_t *: sk_##op##_b8, int16_t *: sk_##op##_b16,             \
           half *: sk_##op##_b16, bfloat16_t *: sk_##op##_b16, float *: sk_##op##_b32,                   \
           int32_t *: sk_##op##_b32, uint32_t *: sk_##op##_b32)
#define asc_copy_gm2l1_nd2nz(dst, ...) SK_SIZE_BY(copy_gm2l1_nd2nz, dst)(dst, __VA_ARGS__)
#define asc_copy_l12l0a_trans(dst, ...) SK_SIZE_BY(copy_l12l0a_trans, dst)(dst, __VA_ARGS__)
#define asc_copy_l12l0b_trans(dst, ...) SK_SIZE_BY(copy_l12l0b_trans, dst)(dst, __VA_ARGS__)
#define SK_L12L0A_6(...) sk_copy_l12l0a_2d(__VA_ARGS__)
#define SK_L12L0A_17(dst, ...)                                                                                \
  _Generic((dst), int4b_t *: sk_copy_l12l0a_3d_b4, int8_t *: sk_copy_l12l0a_3d_b8, uint8_t *: sk_copy_l12l0a_3d_b8, \
           half *: sk_copy_l12l0a_3d_b16, bfloat16_t *: sk_copy_l12l0a_3d_b16, float *: sk_copy_l12l0a_3d_b32, \
           int32_t *: sk_copy_l12l0a_3d_b32, uint32_t *: sk_copy_l12l0a_3d_b32)(dst, __VA_ARGS__)
#define SK_L12L0B_6(...) sk_copy_l12l0b_2d(__VA_ARGS__)
#define SK_L12L0B_17(dst, ...) SK_SIZE_BY(copy_l12l0b_3d, dst)(dst, __VA_ARGS__)
#define SK_LOAD_FORM(six, seventeen, ...) \
  SK_CUBE_PICK(__VA_ARGS__, seventeen, no, no, no, no, no, no, no, no, no, no, six, no, no, no, no, no, no)
#define asc_copy_l12l0a(...) SK_LOAD_FORM(SK_L12L0A_6, SK_L12L0A_17, __VA_ARGS__)(__VA_ARGS__)
#define asc_copy_l12l0b(...) SK_LOAD_FORM(SK_L12L0B_6, SK_L12L0B_17, __VA_ARGS__)(__VA_ARGS__)
#define asc_copy_l12l0c(dst, src, ...)                                                                  \
  _Generic((dst), float *: _Generic((src), half *: sk_copy_l12l0c_widen, const half *: sk_copy_l12l0c_widen,   \
                                    bfloat16_t *: sk_copy_l12l0c_widen,                                  \
                                    const bfloat16_t *: sk_copy_l12l0c_widen, default: sk_copy_l12l0c_m), \
           default: sk_copy_l12l0c_m)(dst, src, __VA_ARGS__)
#define asc_copy_l12bt(...) \
  SK_MOVE_PICK(__VA_ARGS__, no, sk_copy_l12bt_m, no, no, sk_copy_l12bt_z, no, no, no, no)(__VA_ARGS__)

#define SK_FIX_BY(op, dst, src)                                                                          \
  _Generic((src), float *: SK_FIX_FLOAT(op, dst), const float *: SK_FIX_FLOAT(op, dst),                  \
           int32_t *: SK_FIX_INT(op, dst), const int32_t *: SK_FIX_INT(op, dst))
#define SK_FIX_FLOAT(op, dst)                                                                            \
  _Generic((dst), half *: sk_##op##_f16f32, bfloat16_t *: sk_##op##_bf16f32, int8_t *: sk_##op##_i8f32,  \
           uint8_t *: sk_##op##_u8f32, float *: sk_##op##_f32f32, default: 0)
#define SK_FIX_INT(op, dst)                                                                              \
  _Generic((dst), half *: sk_##op##_f16i32, int16_t *: sk_##op##_i16i32, int8_t *: sk_##op##_i8i32,      \
           uint8_t *: sk_##op##_u8i32, int32_t *: sk_##op##_i32i32, default: 0)
#define asc_copy_l0c2gm(dst, src, ...) SK_FIX_BY(copy_l0c2gm, dst, src)(dst, src, __VA_ARGS__)
#define asc_copy_l0c2l1(dst, src, ...) SK_FIX_BY(copy_l0c2l1, dst, src)(dst, src, __VA_ARGS__)

#define SK_FILL_VALUE(op, dst, value, cfg)                                                              \
  _Generic((dst), half *: sk_##op##_b16, bfloat16_t *: sk_##op##_b16,                                   \
           default: sk_##op##_b32)(dst, SK_SCALAR(dst, value), &(cfg))
#define asc_fill_l0a(dst, value, cfg) SK_FILL_VALUE(fill_l0a, dst, value, cfg)
#define asc_fill_l0b(dst, value, cfg) SK_FILL_VALUE(fill_l0b, dst, value, cfg)
#define asc_fill_l1(dst, value, cfg) SK_FILL_VALUE(fill_l1, dst, value, cfg)

#define asc_set_l13d_fmatrix(config) sk_set_l13d_fmatrix(&(config))
#define asc_set_l13d_fmatrix_b(config) sk_set_l13d_fmatrix_b(&(config))
#define asc_set_l13d_rpt(config) sk_set_l13d_rpt(&(config))
SK_VALUE_INLINE void sk_set_l13d_padding_f16(half value) { sk_set_l13d_padding_b16((uint16_t)sk_half_raw(value)); }
#define asc_set_l13d_padding(value)                                                              \
  _Generic((value), half: sk_set_l13d_padding_f16, int16_t: sk_set_l13d_padding_b16,             \
           uint16_t: sk_set_l13d_padding_b16, default: sk_set_l13d_padding_b64)(value)
#define asc_set_l0c2gm_lrelu_alpha(alpha) \
  _Generic((alpha), half: sk_set_l0c2gm_lrelu_alpha_f16, float: sk_set_l0c2gm_lrelu_alpha_f32)(&(alpha))

#endif

#pragma GCC visibility pop

#endif
