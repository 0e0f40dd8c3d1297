/* The C API seen from C++: every overload of movement, synchronisation and cube must find its function in
 * the library, and must be the one the operands' types ask for. */
#define SK_NO_BUILTIN_VARIABLES
#include "c_api/asc_simd.h"

template <typename T> static void align_copies(T *d, T *s) {
  asc_copy_gm2ub_align(d, s, 8);
  asc_copy_gm2ub_align_sync(d, s, 8);
  asc_copy_gm2ub_align(d, s, 1, 8, 0, 0, 0, 0);
  asc_copy_ub2gm_align(d, s, 8);
  asc_copy_ub2gm_align_sync(d, s, 8);
  asc_copy_ub2gm_align(d, s, 1, 8, 0, 0, 0, 0);
  asc_set_copy_pad_val(*d);
}
template <typename T> static void wide_align_copies(T *d, T *s) {
  asc_copy_ub2gm_align(d, s, 8);
  asc_copy_ub2gm_align_sync(d, s, 8);
  asc_copy_ub2gm_align(d, s, 1, 8, 0, 0, 0, 0);
}
template <typename T> static void fractals(T *d, T *s) {
  asc_copy_l12l0a(d, s, 0, 1, 1, 0);
  asc_copy_l12l0b(d, s, 0, 1, 1, 0);
}
template <typename T> static void loads(T *d, T *s) {
  fractals(d, s);
  asc_copy_gm2l1(d, s, 0, 1, 1, 0);
  asc_copy_gm2l0a(d, s, 0, 1, 1, 0);
  asc_copy_gm2l0b(d, s, 0, 1, 1, 0);
  asc_copy_gm2l1_nd2nz(d, s, 1, 1, 1, 1, 1, 1, 1, 1);
  asc_copy_l12l0a_trans(d, s, 0, 1, 1, 0, false, 0);
  asc_copy_l12l0b_trans(d, s, 0, 1, 1, 0, false, 0);
  asc_copy_l12l0a(d, s, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, false, false, false, false, 16);
}
template <typename T> static void wide_loads(T *d, T *s) {
  loads(d, s);
  asc_copy_l12l0b(d, s, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, false, false, false, false, 16);
  asc_copy_l12l0c(d, s, 1, 1, 0, 0);
}
template <typename C, typename A> static void products(C *c, A *a) {
  asc_mmad(c, a, a, 1, 1, 1, 0, false, false, true);
  asc_mmad_sync(c, a, a, 1, 1, 1, 0, false, false, true);
  asc_mmad(c, a, a, 1, 1, 1, 0, 0, 0, false, false, false, true);
  asc_mmad_sync(c, a, a, 1, 1, 1, 0, 0, 0, false, false, false, true);
}
template <typename D, typename S> static void results(D *d, S *s) {
  asc_copy_l0c2gm(d, s, 1, 1, 1, 1, 0, NoQuant, 0, false, true);
  asc_copy_l0c2l1(d, s, 1, 1, 1, 1, 0, NoQuant, 0, false, true);
}
template <typename T, typename V> static void fills(T *d, V value) {
  asc_fill_value_config cfg = {0};
  asc_fill_l0a(d, value, cfg);
  asc_fill_l0b(d, value, cfg);
  asc_fill_l1(d, value, cfg);
}

struct operands {
  half *h;
  bfloat16_t *bf;
  float *f;
  double *d;
  int8_t *i8;
  uint8_t *u8;
  int16_t *i16;
  uint16_t *u16;
  int32_t *i32;
  uint32_t *u32;
  int64_t *i64;
  uint64_t *u64;
  int4b_t *i4;
  void *v;
};

/* Never called: it only has to link. */
extern "C" void cube_api_every_overload(const operands *o);
extern "C" void cube_api_every_overload(const operands *o) {
  align_copies(o->i8, o->i8), align_copies(o->u8, o->u8), align_copies(o->i16, o->i16), align_copies(o->u16, o->u16);
  align_copies(o->h, o->h), align_copies(o->bf, o->bf), align_copies(o->i32, o->i32), align_copies(o->u32, o->u32);
  align_copies(o->f, o->f);
  wide_align_copies(o->d, o->d), wide_align_copies(o->i64, o->i64), wide_align_copies(o->u64, o->u64);
  asc_copy_gm2ub(o->v, o->v, 32), asc_copy_gm2ub_sync(o->v, o->v, 32), asc_copy_gm2ub(o->v, o->v, 1, 1, 0, 0);
  asc_copy_ub2gm(o->v, o->v, 32), asc_copy_ub2gm_sync(o->v, o->v, 32), asc_copy_ub2gm(o->v, o->v, 1, 1, 0, 0);
  asc_copy_ub2ub(o->v, o->v, 32), asc_copy_ub2ub_sync(o->v, o->v, 32), asc_copy_ub2ub(o->v, o->v, 1, 1, 0, 0);
  asc_copy_gm2l1(o->v, o->v, 32), asc_copy_gm2l1(o->v, o->v, 1, 1, 0, 0), asc_copy_gm2l1_pad1(o->v, o->v, 32);
  asc_copy_gm2l1_pad8(o->v, o->v, 1, 1, 0, 0), asc_copy_l12gm(o->v, o->v, 32), asc_copy_l12fb(o->v, o->v, 1, 1, 0, 0);
  asc_copy_l12bt((uint64_t)o->v, o->v, 0, 64), asc_copy_l12bt((uint64_t)o->v, o->v, 0, 1, 1, 0, 0);
  wide_loads(o->h, o->h), wide_loads(o->bf, o->bf), wide_loads(o->f, o->f), wide_loads(o->i32, o->i32);
  wide_loads(o->u32, o->u32), loads(o->i8, o->i8), loads(o->u8, o->u8), fractals(o->i4, o->i4);
  asc_copy_l12l0a(o->i4, o->i4, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, false, false, false, false, 64);
  asc_copy_gm2l1_nd2nz(o->i16, o->i16, 1, 1, 1, 1, 1, 1, 1, 1);
  asc_copy_l12l0c(o->f, o->h, 1, 1, 0, 0), asc_copy_l12l0c(o->f, o->bf, 1, 1, 0, 0);
  products(o->f, o->h), products(o->f, o->bf), products(o->f, o->f), products(o->i32, o->i8);
  asc_mmad_s4(o->i32, o->i4, o->i4, 1, 1, 1, 0, false, false, true);
  asc_mmad_sparse(o->i32, o->i8, o->i8, 1, 1, 1, 0, false, true);
  asc_copy_l12l0b_sparse(o->i8, o->i8, o->i8, 0, 1);
  results(o->h, o->f), results(o->bf, o->f), results(o->i8, o->f), results(o->u8, o->f), results(o->f, o->f);
  results(o->h, o->i32), results(o->i16, o->i32), results(o->i8, o->i32), results(o->u8, o->i32), results(o->i32, o->i32);
  fills(o->h, half(1)), fills(o->bf, bfloat16_t(1)), fills(o->u32, 1u), fills(o->i32, 1u), fills(o->f, 1u);
  asc_l13d_fmatrix_config matrix = {0};
  asc_load3d_v2_config repeat = {0};
  asc_set_l13d_fmatrix(matrix), asc_set_l13d_fmatrix_b(matrix), asc_set_l13d_rpt(repeat), asc_set_l13d_size(0);
  asc_set_l13d_padding(uint64_t(1)), asc_set_l13d_padding(half(1)), asc_set_l13d_padding(int16_t(1));
  asc_set_l13d_padding(uint16_t(1)), asc_set_l0c2gm_lrelu_alpha(half(1)), asc_set_l0c2gm_lrelu_alpha(1.0f);
  asc_load_image_to_cbuf(o->h, 1, 2);
  asc_enable_hf32(), asc_set_fp32_mode(), asc_enable_hf32_trans(0), asc_set_mmad_direction_m(), asc_set_mmad_direction_n();
  asc_store_atomic_config cfg;
  asc_get_store_atomic_config(cfg), asc_set_store_atomic_config_v1(1, 0), asc_set_atomic_min_bfloat();
}

/* Values must arrive: half and bfloat16_t travel by value, references as addresses. */
extern "C" void cube_api_cpp_kernel(void *core, void *context);
extern "C" void cube_api_cpp_kernel(void *core, void *context) {
  (void)core;
  uint16_t *gm = (uint16_t *)context;
  asc_set_copy_pad_val(half(1.5f));
  asc_copy_gm2ub_align((half *)0, (half *)gm, 1, 6, 1, 0, 0, 0);
  asc_sync();
  asc_copy_ub2gm((void *)(gm + 16), (void *)0, 32);
  asc_set_atomic_add_float16();
  asc_store_atomic_config cfg;
  asc_get_store_atomic_config(cfg);
  asc_set_atomic_none();
  uint32_t version = 0;
  asc_get_arch_ver(version);
  asc_set_copy_pad_val((uint16_t)(cfg.atomic_type == 2 && version == 2201));
  asc_copy_gm2ub_align((bfloat16_t *)64, (bfloat16_t *)gm, 1, 6, 0, 0, 0, 0);
  asc_sync();
  asc_copy_ub2gm((void *)(gm + 32), (void *)64, 32);
}
