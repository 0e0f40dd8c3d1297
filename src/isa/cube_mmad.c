/* cube_mmad.c - matrix multiply-add: C (M x N) = start + A (M x K) times B (K x N).
 *
 * Operands are widened to 32-bit words in the thread's scratch once, then one register tile does the work
 * (simd/cube_ops.h). Order of additions: per output k = 0, 1, 2 ..., one fused multiply-add each. Rows from
 * M up are left alone; columns from N up to the next block of 16 are computed as if B were 0 there. */
#include <string.h>

#include "isa/cube_unwritten.h"
#include "soc/soc_throughput.h"

SK__SIMD_BIND(cube)

#if defined(__x86_64__)
extern const sk__simd_cube_table sk__cube_avx512_quads;
const sk__cube_ops *sk__cube_quads(void) {
  bool runs = sk__simd_level_runs_here(SK__SIMD_avx512) && __builtin_cpu_supports("avx512vnni");
  return runs ? &sk__cube_avx512_quads : NULL;
}
#else
const sk__cube_ops *sk__cube_quads(void) { return NULL; }
#endif

static const sk__cube_ops *chosen; /* written once, before main() */
__attribute__((constructor)) static void choose(void) {
  const sk__cube_ops *quads = sk__cube_quads();
  chosen = quads != NULL && sk__simd_level_in_use() == SK__SIMD_LEVEL_COUNT - 1
               ? quads
               : sk__simd_cube_of(sk__simd_level_in_use());
}
const sk__cube_ops *sk__cube(void) { return chosen; }

#define MAX_DIM 4095u
#define MAX_BLOCKS (SK__CUBE_LANES * 256u) /* MAX_DIM columns in whole blocks */

typedef struct mmad {
  sk__core *core;
  const sk__cube_ops *ops;
  sk_mmad_type type;
  uint32_t m, k, n;
  uint32_t c0, k_fractals, n_fractals; /* elements of a fractal row; fractals along K and N */
  bool gemv;                           /* M = 1: A is one contiguous row */
  sk__cube_start start;
  const uint8_t *a, *b;
  uint32_t *c;
  const uint32_t *bias, *table; /* in scratch, padded; as it stands in BT */
} mmad;

static uint32_t type_bits(sk_mmad_type type) {
  switch (type) {
    case SK_MMAD_F16:
    case SK_MMAD_BF16: return 16;
    case SK_MMAD_F32: return 32;
    case SK_MMAD_I8: return 8;
    case SK_MMAD_I4: return 4;
  }
  return 0;
}
static bool type_is_integer(sk_mmad_type type) { return type == SK_MMAD_I8 || type == SK_MMAD_I4; }

/* ---- scratch --------------------------------------------------------------------------------- */

/* Places in the thread's scratch, in bytes. The widest operand: 64 KiB of int4 as int16. */
enum {
  SCRATCH_A = 0,
  SCRATCH_B = 256 << 10,
  SCRATCH_BIAS = 512 << 10,
  SCRATCH_SUMS = 544 << 10,
  SCRATCH_FRACTAL = 576 << 10,
  SCRATCH_WIDE = 580 << 10,
};
static void *scratch(const mmad *x, uint32_t place) { return (uint8_t *)x->core->scratch + place; }

/* ---- words ----------------------------------------------------------------------------------- */

/* n elements to words, order kept. `offset`: int8 of A in the four-way form is stored plus 128. */
static void to_words(const mmad *x, void *to, const void *from, size_t n, bool offset) {
  switch (x->type) {
    case SK_MMAD_F16: x->ops->widen_f16(to, from, n); return;
    case SK_MMAD_BF16: x->ops->widen_bf16(to, from, n); return;
    case SK_MMAD_F32: x->ops->round_hf32(to, from, n, sk__ctrl(x->core, SK__CTRL_HF32_TIES)); return;
    case SK_MMAD_I8:
    case SK_MMAD_I4: break;
  }
  const int8_t *bytes = from;
  if (x->type == SK_MMAD_I4) {
    int8_t *wide = x->ops->int_pack == 4 ? to : scratch(x, SCRATCH_WIDE);
    x->ops->widen_i4(wide, from, n);
    bytes = wide;
  }
  if (x->ops->int_pack == 2)
    x->ops->widen_i8(to, bytes, n);
  else if (offset)
    x->ops->offset_i8(to, bytes, n);
  else if (bytes != to)
    memcpy(to, bytes, n);
}

/* Elements per word, and whether the memory holds the words already. */
static uint32_t pack_of(const mmad *x) { return type_is_integer(x->type) ? x->ops->int_pack : 1; }
static bool in_place(const mmad *x) { return x->type == SK_MMAD_F32 && !sk__ctrl(x->core, SK__CTRL_HF32); }
static bool b_in_place(const mmad *x) { return in_place(x) || (x->type == SK_MMAD_I8 && x->ops->int_pack == 4); }

static const uint32_t *words_of_a(const mmad *x) {
  if (in_place(x)) return (const uint32_t *)(const void *)x->a;
  size_t rows = (x->m + 15) / 16;
  size_t n = x->gemv ? sk__ceil_to(x->k, x->c0) : rows * x->k_fractals * 16 * x->c0;
  uint8_t *to = scratch(x, SCRATCH_A);
  if (x->type != SK_MMAD_I4 || x->ops->int_pack == 4) {
    to_words(x, to, x->a, n, true);
    return (const uint32_t *)(const void *)to;
  }
  /* int4 to int16 goes through bytes: in pieces, so that the stop-over stays small. */
  for (size_t i = 0, step = 16 * x->c0; i < n; i += step)
    to_words(x, to + 2 * i, x->a + i / 2, n - i < step ? n - i : step, true);
  return (const uint32_t *)(const void *)to;
}

/* Clears what lies outside the matrix in a widened fractal of B: columns from N up, and (integers, whose
 * words hold several k) elements from K up. */
static void trim_fractal(const mmad *x, uint8_t *fractal, uint32_t k_fractal, uint32_t n_fractal) {
  uint32_t row_bytes = x->c0 / pack_of(x) * 4, element_bytes = 4 / pack_of(x);
  uint32_t columns = x->n - n_fractal * 16;
  if (columns < 16) memset(fractal + (size_t)columns * row_bytes, 0, (16 - columns) * (size_t)row_bytes);
  uint32_t left = x->k - k_fractal * x->c0;
  if (left >= x->c0 || !type_is_integer(x->type)) return;
  for (uint32_t r = 0; r < 16; r++)
    memset(fractal + r * (size_t)row_bytes + (size_t)left * element_bytes, 0, (x->c0 - left) * (size_t)element_bytes);
}

/* One fractal of B to row_words rows of 16 words. */
static void panel_of_fractal(const mmad *x, uint32_t *to, const uint8_t *from, uint32_t k_fractal, uint32_t n_fractal,
                             bool trimmed) {
  uint8_t *wide = scratch(x, SCRATCH_FRACTAL);
  if (x->c0 == 16) { /* 16-bit floats: cheaper to turn before they are widened */
    uint16_t *turned = scratch(x, SCRATCH_WIDE);
    uint32_t columns = x->n - n_fractal * 16;
    if (trimmed) {
      memcpy(wide, from, SK__FRACTAL_BYTES);
      memset(wide + columns * SK__BLOCK_BYTES, 0, (16 - columns) * (size_t)SK__BLOCK_BYTES);
    }
    x->ops->transpose_b16(turned, (const uint16_t *)(const void *)(trimmed ? wide : from));
    to_words(x, to, turned, 256, false);
    return;
  }
  const uint8_t *words = wide;
  if (!b_in_place(x))
    to_words(x, wide, from, 16 * (size_t)x->c0, false);
  else if (trimmed)
    memcpy(wide, from, SK__FRACTAL_BYTES);
  else
    words = from;
  if (trimmed) trim_fractal(x, wide, k_fractal, n_fractal);
  x->ops->transpose(to, (const uint32_t *)(const void *)words, x->c0 / pack_of(x));
}

static const uint32_t *panels_of_b(const mmad *x) {
  uint32_t *to = scratch(x, SCRATCH_B);
  uint32_t row_words = x->c0 / pack_of(x);
  size_t steps = (size_t)x->k_fractals * row_words;
  for (uint32_t kf = 0; kf < x->k_fractals; kf++) {
    if (kf * x->c0 >= x->k) break; /* direction align: the last fractal may hold padding only */
    bool k_tail = type_is_integer(x->type) && x->k - kf * x->c0 < x->c0;
    for (uint32_t nf = 0; nf < x->n_fractals; nf++)
      panel_of_fractal(x, to + (nf * steps + (size_t)kf * row_words) * SK__CUBE_LANES,
                       x->b + ((size_t)kf * x->n_fractals + nf) * SK__FRACTAL_BYTES, kf, nf, k_tail || x->n - nf * 16 < 16);
  }
  return to;
}

/* ---- integers at their limits ---------------------------------------------------------------- */

static int64_t largest_start(const mmad *x) {
  uint32_t most = 0;
  if (x->start == SK__CUBE_ZERO) return 0;
  if (x->start == SK__CUBE_BIAS) return x->ops->largest(x->bias, (size_t)x->n_fractals * SK__CUBE_LANES);
  for (uint32_t n = 0; n < x->n_fractals; n++) {
    size_t block = (size_t)n * sk__ceil_to(x->m, 16) * SK__CUBE_LANES;
    uint32_t here = x->ops->largest(x->c + block, (size_t)x->m * SK__CUBE_LANES);
    if (here > most) most = here;
  }
  return most;
}

static int32_t element(const mmad *x, const uint8_t *matrix, size_t index) {
  if (x->type == SK_MMAD_I8) return (int8_t)matrix[index];
  uint8_t byte = matrix[index / 2];
  return index % 2 != 0 ? (int8_t)byte >> 4 : (int8_t)(byte << 4) >> 4;
}

/* Plain version of the integer path, clamped at each addition: also what runs when a sum could pass the
 * limits of 32 bits. */
static void mmad_clamped(const mmad *x) {
  uint32_t c0 = x->c0;
  for (uint32_t n = 0; n < x->n_fractals * SK__CUBE_LANES; n++)
    for (uint32_t m = 0; m < x->m; m++) {
      uint32_t *c = x->c + ((size_t)(n / 16) * sk__ceil_to(x->m, 16) + m) * SK__CUBE_LANES + n % 16;
      int64_t sum = x->start == SK__CUBE_ZERO ? 0 : (int32_t)(x->start == SK__CUBE_BIAS ? x->bias[n] : *c);
      for (uint32_t k = 0; k < x->k && n < x->n; k++) {
        size_t a = x->gemv ? k : (((size_t)(m / 16) * x->k_fractals + k / c0) * 16 + m % 16) * c0 + k % c0;
        size_t b = (((size_t)(k / c0) * x->n_fractals + n / 16) * 16 + n % 16) * c0 + k % c0;
        sum += element(x, x->a, a) * element(x, x->b, b);
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
      }
      *c = (uint32_t)(int32_t)sum;
    }
}

static bool may_clamp(const mmad *x) {
  int64_t most_product = x->type == SK_MMAD_I8 ? 1 << 14 : 1 << 6;
  return largest_start(x) + most_product * x->k > INT32_MAX;
}

/* ---- one instruction ------------------------------------------------------------------------- */

static void compute(const mmad *x) {
  if (type_is_integer(x->type) && may_clamp(x)) {
    mmad_clamped(x);
    return;
  }
  uint32_t pack = pack_of(x);
  sk__cube_tile tile = {
      .a = words_of_a(x),
      .a_row_words = x->gemv ? sk__ceil_to(x->k, x->c0) / pack : x->c0 / pack,
      .a_fractals = x->gemv ? 1 : x->k_fractals,
      .b = panels_of_b(x),
      .b_steps = x->k_fractals * (x->c0 / pack),
      .c = x->c,
      .c_block_elems = sk__ceil_to(x->m, 16) * SK__CUBE_LANES,
      .m = x->m,
      .n = x->n,
      .steps = sk__ceil_div(x->k, pack),
      .start = x->start,
      .bias = x->bias,
      .saturate = !sk__ctrl(x->core, SK__CTRL_FLOAT_INF_NAN),
      .exact_products = x->type == SK_MMAD_F16,
  };
  if (!type_is_integer(x->type)) {
    x->ops->mmad_f32(&tile);
    return;
  }
  if (x->ops->column_sums != NULL) {
    tile.column_add = scratch(x, SCRATCH_SUMS);
    x->ops->column_sums(scratch(x, SCRATCH_SUMS), &tile);
  }
  x->ops->mmad_i32(&tile);
}

/* Footprints: what of the fractals belongs to the matrices, in whole rows of fractals. */
static void touch_a(const mmad *x) {
  uint32_t k_bytes = x->k_fractals * SK__FRACTAL_BYTES, used = sk__ceil_div(x->k, x->c0), rest = x->m % 16;
  if (x->gemv) {
    sk__local_access(x->core, SK__PIPE_M, SK__READ, x->a, (uint64_t)x->k * 32 / x->c0);
    return;
  }
  sk__bursts_access(x->core, SK__PIPE_M, SK__READ, x->a, x->m / 16, (uint64_t)used * SK__FRACTAL_BYTES, k_bytes);
  if (rest != 0)
    sk__bursts_access(x->core, SK__PIPE_M, SK__READ, x->a + (size_t)(x->m / 16) * k_bytes, used,
                      (uint64_t)rest * SK__BLOCK_BYTES, SK__FRACTAL_BYTES);
}
static void touch_b(const mmad *x) {
  uint64_t bytes = (uint64_t)x->n * SK__BLOCK_BYTES; /* rows of fractals stand one after the other */
  sk__bursts_access(x->core, SK__PIPE_M, SK__READ, x->b, sk__ceil_div(x->k, x->c0), bytes,
                    (uint64_t)x->n_fractals * SK__FRACTAL_BYTES);
}
static void touch_c(const mmad *x, sk__access kind) {
  sk__bursts_access(x->core, SK__PIPE_M, kind, x->c, x->n_fractals, (uint64_t)x->m * SK__L0C_ALIGN,
                    (uint64_t)sk__ceil_to(x->m, 16) * SK__L0C_ALIGN);
}

static bool dim_legal(sk__core *core, const char *name, uint32_t value) {
  if (value <= MAX_DIM) return true;
  sk__bad_argument(core, name, value, "0..%u", MAX_DIM);
  return false;
}

/* An address of C may carry the bias table's address above bit 32 when it is a raw one. */
static const void *split_bias(void **c) {
  uint64_t address = (uint64_t)*c;
  if (sk__in_window(address)) return NULL;
  *c = (void *)(uintptr_t)(address & UINT32_MAX);
  return (const void *)(uintptr_t)(address >> 32);
}

static bool resolve(mmad *x, void *c, const void *a, const void *b, const void *bias) {
  uint64_t k_bytes = (uint64_t)x->k_fractals * SK__FRACTAL_BYTES, used = sk__ceil_div(x->k, x->c0);
  uint64_t a_bytes = x->gemv ? ((uint64_t)x->k * type_bits(x->type) + 7) / 8
                             : (uint64_t)((x->m - 1) / 16) * k_bytes + (used - 1) * SK__FRACTAL_BYTES +
                                   ((x->m - 1) % 16 + 1) * (uint64_t)SK__BLOCK_BYTES;
  uint64_t b_bytes = (used - 1) * (uint64_t)x->n_fractals * SK__FRACTAL_BYTES + (uint64_t)x->n * SK__BLOCK_BYTES;
  uint64_t c_bytes = (uint64_t)(x->n_fractals - 1) * sk__ceil_to(x->m, 16) * SK__L0C_ALIGN + (uint64_t)x->m * SK__L0C_ALIGN;
  x->a = sk__local_operand(x->core, SK__MEM_L0A, a, a_bytes, SK__FRACTAL_BYTES, "a");
  x->b = sk__local_operand(x->core, SK__MEM_L0B, b, b_bytes, SK__FRACTAL_BYTES, "b");
  x->c = sk__local_operand(x->core, SK__MEM_L0C, c, c_bytes, SK__L0C_FRACTAL_BYTES, "c");
  if (x->a == NULL || x->b == NULL || x->c == NULL) return false;
  if (x->start != SK__CUBE_BIAS) return true;
  const uint32_t *from = sk__local_operand(x->core, SK__MEM_BT, bias, x->n * UINT64_C(4), 64, "bias");
  if (from == NULL) return false;
  sk__local_access(x->core, SK__PIPE_M, SK__READ, from, x->n * UINT64_C(4));
  uint32_t *padded = scratch(x, SCRATCH_BIAS);
  memcpy(padded, from, x->n * (size_t)4);
  memset(padded + x->n, 0, (x->n_fractals * (size_t)SK__CUBE_LANES - x->n) * 4);
  x->bias = padded;
  x->table = from;
  return true;
}

static uint64_t cycles_of(const mmad *x) {
  static const uint32_t k0[] = {[SK_MMAD_F16] = SK__CUBE_K0_F16, [SK_MMAD_BF16] = SK__CUBE_K0_BF16,
                                [SK_MMAD_F32] = SK__CUBE_K0_F32, [SK_MMAD_I8] = SK__CUBE_K0_I8,
                                [SK_MMAD_I4] = SK__CUBE_K0_I4};
  bool hf32 = x->type == SK_MMAD_F32 && sk__ctrl(x->core, SK__CTRL_HF32);
  return sk__cube_cycles(x->m, x->n, x->k, hf32 ? SK__CUBE_K0_HF32 : k0[x->type]);
}

static __attribute__((noinline, cold)) void follow(const mmad *x) {
  sk__unwritten_multiply(x->core, &(sk__unwritten_product){
    .a = x->a, .b = x->b, .c = x->c, .bias = x->table, .m = x->m, .k = x->k, .n = x->n,
    .bits = type_bits(x->type), .k_fractals = x->k_fractals, .n_fractals = x->n_fractals, .gemv = x->gemv, .keep = x->start == SK__CUBE_KEEP});
}

void sk__mmad_run(sk__core *core, sk_mmad_type type, void *c, const void *a, const void *b, const void *bias,
                     uint32_t m, uint32_t k, uint32_t n, uint32_t unit_flag, bool align_k, bool from_bias,
                     bool from_zero) {
  if (core == NULL || !dim_legal(core, "M", m) || !dim_legal(core, "K", k) || !dim_legal(core, "N", n)) return;
  if (m == 0 || k == 0 || n == 0) return;
  mmad x = {.core = core, .ops = sk__cube(), .type = type, .m = m, .k = k, .n = n};
  x.c0 = sk__c0(type_bits(type));
  x.k_fractals = align_k && type == SK_MMAD_F32 ? sk__ceil_div(k, 16) * 2 : sk__ceil_div(k, x.c0);
  x.n_fractals = sk__ceil_div(n, 16);
  x.gemv = m == 1;
  x.start = from_zero ? SK__CUBE_ZERO : from_bias ? SK__CUBE_BIAS : SK__CUBE_KEEP;
  if (!resolve(&x, c, a, b, bias)) return;
  uint64_t c_bytes = (uint64_t)x.n_fractals * sk__ceil_to(m, 16) * SK__L0C_ALIGN;
  if (!sk__unit_flag_wait(core, SK__PIPE_M, unit_flag, x.c, c_bytes)) return;
  /* The hardware keeps two additions to one L0C matrix in order when the first is long enough. */
  if (core->checks && x.start == SK__CUBE_KEEP && (m / 16) * (n / 16) >= 10) sk__order_barrier(&core->order, SK__PIPE_M);
  touch_a(&x);
  touch_b(&x);
  if (x.start == SK__CUBE_KEEP) touch_c(&x, SK__READ);
  if (sk__unwritten_any(core)) follow(&x);
  compute(&x);
  touch_c(&x, SK__WRITE);
  sk__unit_flag_done(core, SK__PIPE_M, unit_flag, x.c, c_bytes);
  sk__advance(core, SK__PIPE_M, sk__startup(core, SK__PIPE_M) + cycles_of(&x));
}

/* ---- unit flags ------------------------------------------------------------------------------ */

static uint32_t unit_first(const sk__core *core, const void *c) {
  return (uint32_t)(((uint64_t)c - core->local - sk__mem_slot_offset(SK__MEM_L0C)) / SK__FRACTAL_BYTES);
}

bool sk__unit_flag_wait(sk__core *core, sk__pipe pipe, uint32_t mode, const void *c, uint64_t bytes) {
  if (mode == 0) return true;
  if (mode != 2 && mode != 3) {
    sk__bad_argument(core, "the unit flag", mode, "0, 2, 3");
    return false;
  }
  bool wanted = pipe == SK__PIPE_FIX;
  uint32_t first = unit_first(core, c), last = first + (uint32_t)((bytes + SK__FRACTAL_BYTES - 1) / SK__FRACTAL_BYTES);
  for (uint32_t i = first; i < last && i < 256; i++) {
    if ((core->unit_flags[i >> 6] >> (i & 63) & 1u) == wanted) continue;
    if (wanted)
      sk__instr_finding(core, "FLAG_UNPAIRED", SK__CAT_OPERATOR, SK__ERROR, "let the last Mmad of the tile have unit flag 3",
                        "waits for the unit flag of an L0C block that no earlier Mmad has set");
    else
      sk__not_modelled_instr(core, "a Mmad that waits for the unit flag a later Fixpipe clears");
    return false;
  }
  if (core->checks) sk__order_wait_flag(&core->order, pipe, &core->unit_clock[!wanted]);
  return true;
}

void sk__unit_flag_done(sk__core *core, sk__pipe pipe, uint32_t mode, const void *c, uint64_t bytes) {
  if (mode != 3) return;
  bool set = pipe == SK__PIPE_M;
  uint32_t first = unit_first(core, c), last = first + (uint32_t)((bytes + SK__FRACTAL_BYTES - 1) / SK__FRACTAL_BYTES);
  for (uint32_t i = first; i < last && i < 256; i++) {
    uint64_t bit = UINT64_C(1) << (i & 63);
    core->unit_flags[i >> 6] = set ? core->unit_flags[i >> 6] | bit : core->unit_flags[i >> 6] & ~bit;
  }
  if (core->checks) sk__order_set_flag(&core->order, pipe, &core->unit_clock[!set]);
}

/* ---- what kernels call ----------------------------------------------------------------------- */

#define C_FORM unit_flag, k_direction_align, c_matrix_source, c_matrix_init_val
static void mmad_entry(sk_mmad_type type, const char *instr, const void *site, void *c, const void *a, const void *b,
                       SK_ARGS_MMAD, bool sync) {
  sk__core *core = sk__begin(SK__AIC, SK__PIPE_M, instr, site);
  if (core == NULL) return;
  const void *bias = split_bias(&c);
  sk__mmad_run(core, type, c, a, b, bias, left_height, n_dim, right_width, C_FORM);
  if (sync) sk__full_barrier(core);
}
static void mmad_long(sk_mmad_type type, const char *instr, const void *site, void *c, const void *a, const void *b,
                      SK_ARGS_MMAD_LONG, bool sync) {
  if (feat_offset != 0 || smask_offset != 0 || is_weight_offset) {
    sk__core *core = sk__begin(SK__AIC, SK__PIPE_M, instr, site);
    if (core != NULL) sk__not_modelled_instr(core, "an operand offset (feat_offset, smask_offset, is_weight_offset)");
    return;
  }
  mmad_entry(type, instr, site, c, a, b, left_height, n_dim, right_width, C_FORM, sync);
}

#define MMAD_TYPES(X) \
  X(f32f16, SK_MMAD_F16) X(f32bf16, SK_MMAD_BF16) X(f32f32, SK_MMAD_F32) X(i32i8, SK_MMAD_I8)
#define MMAD_TYPE_ENUM(tag, type) type_##tag = (type),
enum { MMAD_TYPES(MMAD_TYPE_ENUM) };
#define MMAD_INSTR(tag, C, A)                                                                                    \
  void sk_mmad_##tag##_n(C *c, const A *a, const A *b, SK_ARGS_MMAD) {                                           \
    mmad_entry((sk_mmad_type)type_##tag, "asc_mmad", SK__SITE(), c, a, b, left_height, n_dim, right_width,       \
               C_FORM, false);                                                                                   \
  }                                                                                                              \
  void sk_mmad_##tag##_ns(C *c, const A *a, const A *b, SK_ARGS_MMAD) {                                          \
    mmad_entry((sk_mmad_type)type_##tag, "asc_mmad_sync", SK__SITE(), c, a, b, left_height, n_dim, right_width,  \
               C_FORM, true);                                                                                    \
  }                                                                                                              \
  void sk_mmad_##tag##_l(C *c, const A *a, const A *b, SK_ARGS_MMAD_LONG) {                                      \
    mmad_long((sk_mmad_type)type_##tag, "asc_mmad", SK__SITE(), c, a, b, left_height, n_dim, right_width,        \
              feat_offset, smask_offset, unit_flag, k_direction_align, is_weight_offset, c_matrix_source,        \
              c_matrix_init_val, false);                                                                         \
  }                                                                                                              \
  void sk_mmad_##tag##_ls(C *c, const A *a, const A *b, SK_ARGS_MMAD_LONG) {                                     \
    mmad_long((sk_mmad_type)type_##tag, "asc_mmad_sync", SK__SITE(), c, a, b, left_height, n_dim, right_width,   \
              feat_offset, smask_offset, unit_flag, k_direction_align, is_weight_offset, c_matrix_source,        \
              c_matrix_init_val, true);                                                                          \
  }
SK_MMAD_LIST(MMAD_INSTR)

void asc_mmad_s4(int32_t *c, const int4b_t *a, const int4b_t *b, SK_ARGS_MMAD) {
  mmad_entry(SK_MMAD_I4, "asc_mmad_s4", SK__SITE(), c, a, b, left_height, n_dim, right_width, C_FORM, false);
}
void asc_mmad_s4_sync(int32_t *c, const int4b_t *a, const int4b_t *b, SK_ARGS_MMAD) {
  mmad_entry(SK_MMAD_I4, "asc_mmad_s4_sync", SK__SITE(), c, a, b, left_height, n_dim, right_width, C_FORM, true);
}
void sk_mmad_bias(void *c, const void *a, const void *b, const void *bias, sk_mmad_type type, SK_ARGS_MMAD) {
  sk__core *core = sk__begin(SK__AIC, SK__PIPE_M, "Mmad", SK__SITE());
  if (core != NULL) sk__mmad_run(core, type, c, a, b, bias, left_height, n_dim, right_width, C_FORM);
}

/* ---- modes ----------------------------------------------------------------------------------- */

static void set_ctrl(const char *instr, const void *site, uint32_t bit, bool on) {
  sk__core *core = sk__begin(SK__AIC, SK__PIPE_S, instr, site);
  if (core == NULL) return;
  sk__ctrl_set(core, bit, on);
  sk__state_set(core, SK__STATE_CTRL, 0);
  sk__advance(core, SK__PIPE_S, 1);
}
void asc_enable_hf32(void) { set_ctrl("asc_enable_hf32", SK__SITE(), SK__CTRL_HF32, true); }
void asc_set_fp32_mode(void) { set_ctrl("asc_set_fp32_mode", SK__SITE(), SK__CTRL_HF32, false); }
void asc_enable_hf32_trans(uint32_t mode) {
  sk__core *core = sk__begin(SK__AIC, SK__PIPE_S, "asc_enable_hf32_trans", SK__SITE());
  if (core == NULL) return;
  if (mode > 1)
    sk__bad_argument(core, "mode", mode, "0, 1");
  else
    sk__ctrl_set(core, SK__CTRL_HF32_TIES, mode == 1);
}
/* The direction is the order in which the hardware walks C: no result depends on it. */
void asc_set_mmad_direction_m(void) { set_ctrl("asc_set_mmad_direction_m", SK__SITE(), SK__CTRL_MMAD_N_FIRST, false); }
void asc_set_mmad_direction_n(void) { set_ctrl("asc_set_mmad_direction_n", SK__SITE(), SK__CTRL_MMAD_N_FIRST, true); }
