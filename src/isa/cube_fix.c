/* cube_fix.c - results out of L0C: quantisation, relu and layout on the way to device memory or L1.
 *
 * The matrix stands in L0C as blocks of 16 columns; each row of it is gathered, converted and staged in
 * scratch, then stored in the longest pieces the destination's layout has. */
#include <math.h>
#include <string.h>

#include "base/numbers.h"
#include "isa/cube_unwritten.h"

#define MAX_COLUMNS 4095u
#define MAX_ROWS_ND 8192u
#define MAX_SRC_ND_STRIDE 512u
#define COLUMNS_PER_BLOCK SK__CUBE_LANES
#define SCALE_MASK 0xffffe000u /* scales have 10 bits of mantissa: the low 13 are ignored */
#define FB_BYTES_TABLE 8u      /* one 64-bit entry per column */

typedef enum sk__fix_element element;
static uint32_t element_bytes(element e) {
  switch (e) {
    case SK__FIX_F16:
    case SK__FIX_BF16:
    case SK__FIX_I16: return 2;
    case SK__FIX_F32:
    case SK__FIX_I32: return 4;
    case SK__FIX_I8:
    case SK__FIX_U8: return 1;
  }
  return 0;
}

/* Modes that convert: X(mode, type in L0C, kind of result, one scale per column). */
#define QUANT_LIST(X)                            \
  X(F322F16, SK__FIX_F32, KIND_F16, false)          \
  X(F322BF16, SK__FIX_F32, KIND_BF16, false)        \
  X(DEQF16, SK__FIX_I32, KIND_SCALED_F16, false)    \
  X(VDEQF16, SK__FIX_I32, KIND_SCALED_F16, true)    \
  X(REQ8, SK__FIX_I32, KIND_B8, false)              \
  X(VREQ8, SK__FIX_I32, KIND_B8, true)              \
  X(QF322B8_PRE, SK__FIX_F32, KIND_B8, false)       \
  X(VQF322B8_PRE, SK__FIX_F32, KIND_B8, true)
typedef enum quant_kind { KIND_NONE, KIND_F16, KIND_BF16, KIND_SCALED_F16, KIND_B8 } quant_kind;

typedef struct fix {
  sk__core *core;
  element to, from;
  quant_kind kind;
  bool per_column;
  bool relu;
  bool saturate;
  uint32_t rows, columns;
  uint32_t src_stride;       /* rows from one block of 16 columns to the next */
  const uint64_t *scales;    /* one, or one per column */
} fix;

/* ---- one value ------------------------------------------------------------------------------- */

static float scale_of(uint64_t entry) { return sk__f32_from_bits((uint32_t)entry & SCALE_MASK); }

/* Bit 36: the integer is shifted right by a 4-bit field plus one and clamped to 16 bits first. */
static int32_t shifted(int32_t value, uint64_t entry) {
  if ((entry >> 36 & 1u) == 0) return value;
  int32_t v = value >> ((entry >> 32 & 15u) + 1);
  return v > INT16_MAX ? INT16_MAX : v < INT16_MIN ? INT16_MIN : v;
}

static uint8_t to_b8(float scaled, uint64_t entry) {
  float rounded = rintf(scaled);
  int32_t q = rounded != rounded ? 0 : rounded < -256 ? -256 : rounded > 255 ? 255 : (int32_t)rounded;
  q += (int32_t)((entry >> 37 & 0x1ffu) ^ 0x100u) - 0x100; /* offset: 9 bits, signed */
  int32_t low = (entry >> 46 & 1u) != 0 ? -128 : 0, high = low + 255;
  return (uint8_t)(q < low ? low : q > high ? high : q);
}

/* Relu of a float: NaN stays, both zeros and all negatives become +0. */
static float relu_f32(float v) { return v > 0 || v != v ? v : 0; }

/* ---- rows ------------------------------------------------------------------------------------ */

/* One row of L0C, contiguous. */
static void gather(const fix *f, const uint8_t *src, uint32_t row, void *to) {
  uint32_t blocks = sk__ceil_div(f->columns, COLUMNS_PER_BLOCK);
  for (uint32_t b = 0; b < blocks; b++)
    memcpy((uint8_t *)to + b * SK__L0C_ALIGN, src + ((size_t)b * f->src_stride + row) * SK__L0C_ALIGN, SK__L0C_ALIGN);
}

static void saturate_f16(uint16_t *row, uint32_t n, uint16_t inf, uint16_t most) {
  for (uint32_t i = 0; i < n; i++) {
    uint16_t magnitude = row[i] & 0x7fffu;
    if (magnitude > inf)
      row[i] = 0;
    else if (magnitude == inf)
      row[i] = (uint16_t)((row[i] & 0x8000u) | most);
  }
}

static void convert_scaled_f16(const fix *f, const int32_t *row, uint16_t *to, float *floats) {
  for (uint32_t i = 0; i < f->columns; i++) {
    uint64_t entry = f->scales[f->per_column ? i : 0];
    int32_t v = shifted(row[i], entry);
    floats[i] = f->relu && v < 0 ? 0.0f : (float)v * scale_of(entry);
  }
  sk__cube()->narrow_f16(to, floats, f->columns);
}

static void convert_b8(const fix *f, const void *row, uint8_t *to) {
  for (uint32_t i = 0; i < f->columns; i++) {
    uint64_t entry = f->scales[f->per_column ? i : 0];
    float v = f->from == SK__FIX_F32 ? ((const float *)row)[i] : (float)shifted(((const int32_t *)row)[i], entry);
    to[i] = to_b8(f->relu && !(v >= 0) && v == v ? 0.0f : v * scale_of(entry), entry);
  }
}

/* `row` may be changed. */
static void convert(const fix *f, void *row, void *to, float *floats) {
  if (f->relu && f->from == SK__FIX_F32 && f->kind != KIND_B8)
    for (uint32_t i = 0; i < f->columns; i++) ((float *)row)[i] = relu_f32(((float *)row)[i]);
  switch (f->kind) {
    case KIND_NONE:
      if (f->relu && f->from == SK__FIX_I32)
        for (uint32_t i = 0; i < f->columns; i++) ((int32_t *)row)[i] = ((int32_t *)row)[i] < 0 ? 0 : ((int32_t *)row)[i];
      memcpy(to, row, f->columns * (size_t)4);
      return;
    case KIND_F16:
      sk__cube()->narrow_f16(to, row, f->columns);
      if (f->saturate) saturate_f16(to, f->columns, SK__F16_INF, SK__F16_MAX);
      return;
    case KIND_BF16:
      sk__cube()->narrow_bf16(to, row, f->columns);
      if (f->saturate) saturate_f16(to, f->columns, SK__BF16_INF, SK__BF16_MAX);
      return;
    case KIND_SCALED_F16:
      convert_scaled_f16(f, row, to, floats);
      if (f->saturate) saturate_f16(to, f->columns, SK__F16_INF, SK__F16_MAX);
      return;
    case KIND_B8: convert_b8(f, row, to); return;
  }
}

/* ---- arguments ------------------------------------------------------------------------------- */

static bool choose_kind(fix *f, uint64_t quant_pre, bool to_l1) {
  f->kind = KIND_NONE;
  f->per_column = false;
  switch (quant_pre) {
    case NoQuant:
      if (f->to != f->from) {
        sk__bad_argument(f->core, "quant_pre", (int64_t)quant_pre, "a mode that converts, since the types differ");
        return false;
      }
      if (to_l1) sk__bad_argument(f->core, "quant_pre", NoQuant, "a converting mode for results that go to L1");
      return !to_l1;
#define X(mode, type, result, column)                                                                        \
  case mode:                                                                                                 \
    f->kind = result;                                                                                        \
    f->per_column = column;                                                                                  \
    if (f->from != (type)) {                                                                                 \
      sk__bad_argument(f->core, "quant_pre", (int64_t)quant_pre, "a mode for the type that stands in L0C");  \
      return false;                                                                                          \
    }                                                                                                        \
    break;
    QUANT_LIST(X)
#undef X
    default: sk__not_modelled_instr(f->core, "this quant_pre mode"); return false;
  }
  bool fits = f->kind == KIND_BF16 ? f->to == SK__FIX_BF16
              : f->kind == KIND_B8 ? f->to == SK__FIX_I8 || f->to == SK__FIX_U8
                                   : f->to == SK__FIX_F16;
  if (!fits) sk__bad_argument(f->core, "quant_pre", (int64_t)quant_pre, "a mode that gives the destination's type");
  return fits;
}

/* The chip wants normal numbers as scales, or zero; bits that are no part of the scale do not count. */
static bool scales_legal(const fix *f) {
  uint32_t n = f->per_column ? f->columns : 1;
  for (uint32_t i = 0; i < n && f->kind >= KIND_SCALED_F16; i++) {
    uint32_t exponent = (uint32_t)f->scales[i] >> 23 & 0xffu, mantissa = (uint32_t)f->scales[i] & SCALE_MASK & 0x7fffffu;
    if (exponent != 0xff && (exponent != 0 || mantissa == 0)) continue;
    sk__instr_finding(f->core, "BAD_ARGUMENT", SK__CAT_OPERATOR, SK__ERROR, "use a normal number as scale",
                      "the scale of column %u is infinite, NaN or subnormal", i);
    return false;
  }
  return true;
}

static bool find_scales(fix *f) {
  if (f->kind < KIND_SCALED_F16) return true;
  if (!f->per_column) {
    f->scales = &f->core->l0c_prequant;
    return scales_legal(f);
  }
  uint64_t bytes = (uint64_t)f->columns * FB_BYTES_TABLE;
  f->scales = sk__local_operand(f->core, SK__MEM_FB, (const void *)(uintptr_t)f->core->fix_config[1], bytes, 64,
                                "the scales (asc_set_l0c2gm_config)");
  if (f->scales == NULL) return false;
  sk__local_access(f->core, SK__PIPE_FIX, SK__READ, f->scales, bytes);
  if (sk__unwritten_any(f->core)) sk__unwritten_scales(f->core, f->scales, bytes);
  return scales_legal(f);
}

static bool sizes_legal(const fix *f, bool nd, bool split) {
  uint32_t unit = nd ? 1 : split ? 8 : 16;
  if (f->columns > MAX_COLUMNS || f->columns % unit != 0) {
    sk__bad_argument(f->core, "n_size", f->columns, "1..%u, a multiple of %u", MAX_COLUMNS, unit);
    return false;
  }
  if (nd && f->rows > MAX_ROWS_ND) {
    sk__bad_argument(f->core, "m_size", f->rows, "1..%u", MAX_ROWS_ND);
    return false;
  }
  if (split && f->to != SK__FIX_F32) {
    sk__bad_argument(f->core, "channel_split", 1, "0 unless the result is float");
    return false;
  }
  if (split && nd) {
    sk__bad_argument(f->core, "channel_split", 1, "0 together with nz2nd_en");
    return false;
  }
  return true;
}

/* ---- destinations ---------------------------------------------------------------------------- */

typedef struct target {
  bool is_l1;
  uint64_t address; /* of the first byte; L1: resolved */
  uint64_t bytes;   /* written so far, for the clock */
} target;

static bool put(const fix *f, target *t, uint64_t offset, const void *from, uint64_t bytes) {
  t->bytes += bytes;
  if (!t->is_l1) return sk__gm_store(f->core, SK__PIPE_FIX, t->address + offset, from, bytes);
  uint8_t *to = (uint8_t *)(uintptr_t)(t->address + offset);
  memcpy(to, from, bytes);
  sk__local_access(f->core, SK__PIPE_FIX, SK__WRITE, to, bytes);
  return true;
}

/* Rows one after the other, `stride` bytes apart. Whole rows of the stage go out as one when they touch. */
static bool put_rows(const fix *f, target *t, uint64_t offset, const uint8_t *stage, uint32_t rows,
                     uint64_t row_bytes, uint64_t stride) {
  if (stride == row_bytes) return put(f, t, offset, stage, rows * row_bytes);
  for (uint32_t r = 0; r < rows; r++)
    if (!put(f, t, offset + r * stride, stage + r * row_bytes, row_bytes)) return false;
  return true;
}

typedef struct layout { /* of the destination, in bytes */
  bool nd;
  uint64_t row_stride;             /* ND */
  uint32_t block_columns;          /* NZ: columns of a block */
  uint64_t block_stride;
} layout;

/* Stage areas in scratch: one gathered row, its floats, the converted rows. */
enum { STAGE_ROW = 0, STAGE_FLOATS = 32 << 10, STAGE_ROWS = 64 << 10, STAGE_BYTES = (1 << 20) - STAGE_ROWS };

static bool store_nz_rows(const fix *f, target *t, const layout *l, const uint8_t *stage, uint32_t first, uint32_t rows,
                          uint64_t row_bytes) {
  uint32_t size = element_bytes(f->to);
  uint8_t *block = (uint8_t *)f->core->scratch + STAGE_ROWS + STAGE_BYTES / 2;
  for (uint32_t c = 0, b = 0; c < f->columns; c += l->block_columns, b++) {
    uint32_t columns = f->columns - c < l->block_columns ? f->columns - c : l->block_columns;
    uint64_t pitch = (uint64_t)columns * size;
    for (uint32_t r = 0; r < rows; r++) memcpy(block + r * pitch, stage + r * row_bytes + (uint64_t)c * size, pitch);
    if (!put(f, t, b * l->block_stride + first * pitch, block, rows * pitch)) return false;
  }
  return true;
}

/* One matrix: as many rows at a time as the stage holds. */
static bool store_matrix(const fix *f, target *t, const layout *l, uint64_t offset, const uint8_t *src) {
  uint8_t *area = f->core->scratch, *stage = area + STAGE_ROWS;
  uint64_t row_bytes = (uint64_t)f->columns * element_bytes(f->to);
  uint32_t at_once = (uint32_t)((STAGE_BYTES / 2 - 64) / row_bytes);
  for (uint32_t first = 0; first < f->rows; first += at_once) {
    uint32_t rows = f->rows - first < at_once ? f->rows - first : at_once;
    for (uint32_t r = 0; r < rows; r++) {
      gather(f, src, first + r, area + STAGE_ROW);
      convert(f, area + STAGE_ROW, stage + r * row_bytes, (float *)(void *)(area + STAGE_FLOATS));
    }
    bool ok = l->nd ? put_rows(f, t, offset + first * l->row_stride, stage, rows, row_bytes, l->row_stride)
                    : store_nz_rows(f, t, l, stage, first, rows, row_bytes);
    if (!ok) return false;
  }
  return true;
}

/* ---- one instruction ------------------------------------------------------------------------- */

typedef struct nd_params { uint32_t matrices, src_stride, dst_stride; } nd_params;
#define ND_PARAMS_SET (UINT64_C(1) << 63) /* the register was written in this launch */
static nd_params nd_of(const sk__core *core) {
  uint64_t r = core->l0c_nd_params;
  if ((r & ND_PARAMS_SET) == 0) return (nd_params){1, 0, 0};
  return (nd_params){(uint32_t)(r & 0xffffu), (uint32_t)(r >> 16 & 0xffffu), (uint32_t)(r >> 32 & 0xffffu)};
}

static uint64_t extent_of(const fix *f, const layout *l, const nd_params *nd) {
  uint32_t size = element_bytes(f->to);
  if (l->nd)
    return (uint64_t)(nd->matrices - 1) * nd->dst_stride * size + (f->rows - 1) * l->row_stride + (uint64_t)f->columns * size;
  uint32_t blocks = sk__ceil_div(f->columns, l->block_columns), last = f->columns - (blocks - 1) * l->block_columns;
  return (blocks - 1) * l->block_stride + (uint64_t)f->rows * last * size;
}

static void fix_run(fix *f, bool to_l1, void *dst, const void *src, SK_ARGS_FIX) {
  sk__core *core = f->core;
  f->columns = n_size;
  f->rows = m_size;
  f->src_stride = src_stride;
  f->saturate = !sk__ctrl(core, SK__CTRL_FLOAT_INF_NAN);
  f->relu = relu_pre == 1;
  nd_params nd = nz2nd_en ? nd_of(core) : (nd_params){1, 0, 0};
  if (n_size == 0 || m_size == 0 || nd.matrices == 0) return;
  if (relu_pre > 1) {
    sk__not_modelled_instr(core, "a relu_pre mode other than 0 (none) and 1 (normal)");
    return;
  }
  if (!sizes_legal(f, nz2nd_en, channel_split) || !choose_kind(f, quant_pre, to_l1) || !find_scales(f)) return;
  if (nd.matrices > 1 && (nd.src_stride == 0 || nd.src_stride > MAX_SRC_ND_STRIDE)) {
    sk__bad_argument(core, "src_nd_stride", nd.src_stride, "1..%u", MAX_SRC_ND_STRIDE);
    return;
  }
  uint32_t size = element_bytes(f->to), blocks = sk__ceil_div(f->columns, COLUMNS_PER_BLOCK);
  layout l = {.nd = nz2nd_en,
              .row_stride = (uint64_t)dst_stride_dst_d * size,
              .block_columns = channel_split ? 8 : size == 1 ? 32 : COLUMNS_PER_BLOCK,
              .block_stride = (uint64_t)dst_stride_dst_d * SK__BLOCK_BYTES};
  uint64_t matrix_bytes = ((uint64_t)(blocks - 1) * src_stride + m_size) * SK__L0C_ALIGN;
  uint64_t src_step = (uint64_t)nd.src_stride * SK__L0C_FRACTAL_BYTES;
  const uint8_t *from = sk__local_operand(core, SK__MEM_L0C, src, (nd.matrices - 1) * src_step + matrix_bytes,
                                          SK__L0C_ALIGN, "src");
  if (from == NULL) return;
  target t = {to_l1, (uint64_t)dst, 0};
  if (to_l1) t.address = (uint64_t)sk__local_operand(core, SK__MEM_L1, dst, extent_of(f, &l, &nd), SK__BLOCK_BYTES, "dst");
  if (t.address == 0) return;
  if (!nz2nd_en && !to_l1 && t.address % SK__BLOCK_BYTES != 0) {
    sk__bad_argument(core, "the address of dst", (int64_t)t.address, "a multiple of 32 for the NZ layout");
    return;
  }
  uint64_t whole = (nd.matrices - 1) * src_step + matrix_bytes;
  if (!sk__unit_flag_wait(core, SK__PIPE_FIX, unit_flag_mode, from, whole)) return;
  for (uint32_t i = 0; i < nd.matrices; i++) {
    const uint8_t *matrix = from + i * src_step;
    sk__bursts_access(core, SK__PIPE_FIX, SK__READ, matrix, blocks, (uint64_t)m_size * SK__L0C_ALIGN,
                      (uint64_t)src_stride * SK__L0C_ALIGN);
    if (sk__unwritten_any(core)) sk__unwritten_store(core, matrix, f->rows, f->columns, src_stride, to_l1);
    if (!store_matrix(f, &t, &l, (uint64_t)i * nd.dst_stride * size, matrix)) return;
  }
  sk__unit_flag_done(core, SK__PIPE_FIX, unit_flag_mode, from, whole);
  if (to_l1)
    sk__advance_bytes(core, SK__PIPE_FIX, t.bytes / size, sk__machine_soc(core->machine)->costs.l0c_elems_per_cycle);
  else
    sk__advance_gm(core, SK__PIPE_FIX, t.bytes, false);
}

#define FIX_ELEMENTS(X) \
  X(half, SK__FIX_F16) X(bfloat16_t, SK__FIX_BF16) X(float, SK__FIX_F32) X(int8_t, SK__FIX_I8) X(uint8_t, SK__FIX_U8) \
  X(int16_t, SK__FIX_I16) X(int32_t, SK__FIX_I32)
#define FIX_ELEMENT(T, e) elem_##T = (e),
enum { FIX_ELEMENTS(FIX_ELEMENT) };
#define FIX_ARGS \
  n_size, m_size, dst_stride_dst_d, src_stride, unit_flag_mode, quant_pre, relu_pre, channel_split, nz2nd_en
#define FIX_INSTR(tag, D, S)                                                                            \
  void sk_copy_l0c2gm_##tag(D *dst, const S *src, SK_ARGS_FIX) {                                        \
    fix f = {.core = sk__begin(SK__AIC, SK__PIPE_FIX, "asc_copy_l0c2gm", SK__SITE()),                   \
             .to = (element)elem_##D, .from = (element)elem_##S};                                       \
    if (f.core != NULL) fix_run(&f, false, dst, src, FIX_ARGS);                                         \
  }                                                                                                     \
  void sk_copy_l0c2l1_##tag(D *dst, const S *src, SK_ARGS_FIX) {                                        \
    fix f = {.core = sk__begin(SK__AIC, SK__PIPE_FIX, "asc_copy_l0c2l1", SK__SITE()),                   \
             .to = (element)elem_##D, .from = (element)elem_##S};                                       \
    if (f.core != NULL) fix_run(&f, true, dst, src, FIX_ARGS);                                          \
  }
SK_FIX_LIST(FIX_INSTR)

void sk__fix(sk__core *core, sk__fix_element to, sk__fix_element from, bool to_l1, void *dst, const void *src, SK_ARGS_FIX) {
  fix f = {.core = core, .to = to, .from = from};
  fix_run(&f, to_l1, dst, src, FIX_ARGS);
}

/* ---- registers ------------------------------------------------------------------------------- */

static sk__core *setter(const char *instr, const void *site) {
  sk__core *core = sk__begin(SK__AIC, SK__PIPE_S, instr, site);
  if (core != NULL) sk__advance(core, SK__PIPE_S, 1);
  return core;
}
/* Addresses of the relu and scale tables in FB; clears the unit flags when asked. */
#define UNIT_FLAG_BIT (UINT64_C(1) << 63)
void asc_set_l0c2gm_config(uint64_t relu_pre, uint64_t quant_pre, bool enable_unit_flag) {
  sk__core *core = setter("asc_set_l0c2gm_config", SK__SITE());
  if (core == NULL) return;
  core->fix_config[0] = (relu_pre & ~UNIT_FLAG_BIT) | (enable_unit_flag ? UNIT_FLAG_BIT : 0);
  core->fix_config[1] = quant_pre;
  if (enable_unit_flag) memset(core->unit_flags, 0, sizeof core->unit_flags);
}
uint64_t asc_get_l0c2gm_relu(void) {
  sk__core *core = setter("asc_get_l0c2gm_relu", SK__SITE());
  return core != NULL ? core->fix_config[0] & ~UNIT_FLAG_BIT : 0;
}
uint64_t asc_get_l0c2gm_unitflag(void) {
  sk__core *core = setter("asc_get_l0c2gm_unitflag", SK__SITE());
  return core != NULL ? core->fix_config[0] >> 63 : 0;
}
uint64_t asc_get_l0c2gm_prequant(void) {
  sk__core *core = setter("asc_get_l0c2gm_prequant", SK__SITE());
  return core != NULL ? core->fix_config[1] : 0;
}
void asc_set_l0c_copy_prequant(uint64_t scale) {
  sk__core *core = setter("asc_set_l0c_copy_prequant", SK__SITE());
  if (core != NULL) core->l0c_prequant = scale;
}
void asc_set_l0c_copy_params(uint16_t nd_num, uint16_t src_nd_stride, uint16_t dst_nd_stride) {
  sk__core *core = setter("asc_set_l0c_copy_params", SK__SITE());
  if (core != NULL)
    core->l0c_nd_params = (uint64_t)nd_num | (uint64_t)src_nd_stride << 16 | (uint64_t)dst_nd_stride << 32 | ND_PARAMS_SET;
}
void sk_set_l0c2gm_lrelu_alpha_f16(const half *alpha) {
  sk__core *core = setter("asc_set_l0c2gm_lrelu_alpha", SK__SITE());
  if (core == NULL) return;
  uint16_t bits;
  memcpy(&bits, alpha, sizeof bits);
  core->l0c_relu_alpha = bits;
}
void sk_set_l0c2gm_lrelu_alpha_f32(const float *alpha) {
  sk__core *core = setter("asc_set_l0c2gm_lrelu_alpha", SK__SITE());
  if (core != NULL) core->l0c_relu_alpha = sk__bits_from_f32(*alpha);
}
