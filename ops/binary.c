/* binary.c - add, subtract and multiply, element by element, by another tensor or by one value.
 *
 * The type that is computed in: float32, int32, int16 and float16 their own; bfloat16 (and float16 where alpha is to
 * be applied) float32 with one rounding at the end; int8 and uint8 int16, whose low eight bits are the wrapped result.
 *
 * self is looked at as rows of columns, so that the other operand has an element for each, one per column, or one per
 * row (rows may begin again). Tiles are stretches of a row, numbered through; cores take equal runs of them. */
#include <math.h>

#include "acl/acl.h"
#include "element_tools.h"
#include "ops_host.h"

#define POOL_BYTES (128u * 1024u)
#define TILE_BYTES (32u * 1024u)
#define SPREAD_ELEMS 8u /* of one value, in every place of a block */

typedef enum binary_kind { KIND_ADD, KIND_SUB, KIND_MUL } binary_kind;
/* How tiles are computed; the converting forms hold two more tiles in the type computed in. */
typedef enum binary_form { FORM_F32, FORM_F16, FORM_I32, FORM_I16, FORM_WIDE_F16, FORM_WIDE_BF16, FORM_I8, FORM_U8 } binary_form;
/* What stands on the right. */
typedef enum binary_right { RIGHT_EACH, RIGHT_PER_COLUMN, RIGHT_PER_ROW, RIGHT_VALUE } binary_right;

typedef struct binary_tiling {
  uint64_t columns, tiles, tiles_per_core;
  uint32_t chunks;    /* tiles of a row */
  uint32_t row_cycle; /* one value per row: how many rows there are values for */
  uint32_t kind, form, right, element_bytes, tile_elems;
  float alpha, value; /* value: the right side, alpha applied */
  int32_t integer_alpha, integer_value;
  uint32_t has_alpha;
} binary_tiling;

typedef struct binary {
  const binary_tiling *tiling;
  __gm__ uint8_t *self, *other, *out;
  __ubuf__ uint8_t *left[2], *right[2], *wide_left, *wide_right, *spread;
  uint64_t first, tiles; /* of this core */
} binary;

/* A stretch of a row. */
typedef struct place { uint64_t row, column; uint32_t count; } place;

__aicore__ static place place_of(const binary *b, uint64_t tile) {
  const binary_tiling *t = b->tiling;
  uint64_t number = b->first + tile;
  place p = {.row = number / t->chunks, .column = number % t->chunks * t->tile_elems};
  p.count = t->columns - p.column < t->tile_elems ? (uint32_t)(t->columns - p.column) : t->tile_elems;
  return p;
}
__aicore__ static inline uint64_t offset_of(const binary_tiling *t, const place *p) { return (p->row * t->columns + p->column) * t->element_bytes; }

__aicore__ static void load_tile(const binary *b, uint64_t tile) {
  const binary_tiling *t = b->tiling;
  place p = place_of(b, tile);
  uint32_t bytes = t->element_bytes;
  __ubuf__ uint8_t *right = b->right[tile & 1u];
  tile_load_begin(tile);
  asc_copy_gm2ub_align(b->left[tile & 1u], b->self + offset_of(t, &p), p.count * bytes);
  if (t->right == RIGHT_EACH) asc_copy_gm2ub_align(right, b->other + offset_of(t, &p), p.count * bytes);
  if (t->right == RIGHT_PER_COLUMN) asc_copy_gm2ub_align(right, b->other + p.column * bytes, p.count * bytes);
  if (t->right == RIGHT_PER_ROW) asc_copy_gm2ub_align(right, b->other + p.row % t->row_cycle * bytes, bytes);
  tile_load_end(tile);
}

/* Elements of the right side that matter: one value comes with what fills its block. */
__aicore__ static inline uint32_t right_count(const binary *b, uint32_t count) { return b->tiling->right == RIGHT_PER_ROW ? SPREAD_ELEMS : count; }

/* x := x op y, both in the type computed in; alpha is applied to y first. One value fills a block that is read again
 * and again. */
#define COMBINE(name, type, word, alpha_member, value_member)                                                             \
  __aicore__ static void name(const binary *b, __ubuf__ type *x, __ubuf__ type *y, uint32_t count) {                      \
    const binary_tiling *t = b->tiling;                                                                                   \
    bool single = t->right == RIGHT_PER_ROW;                                                                              \
    if (t->right == RIGHT_VALUE && t->kind == KIND_MUL) {                                                                 \
      asc_mul_scalar(x, x, t->value_member, count);                                                                       \
      return;                                                                                                             \
    }                                                                                                                     \
    if (t->right == RIGHT_VALUE) {                                                                                        \
      asc_add_scalar(x, x, t->value_member, count);                                                                       \
      return;                                                                                                             \
    }                                                                                                                     \
    if (t->has_alpha) {                                                                                                   \
      asc_mul_scalar(y, y, t->alpha_member, right_count(b, count));                                                       \
      asc_sync_pipe(PIPE_V);                                                                                              \
    }                                                                                                                     \
    if (single) {                                                                                                         \
      asc_set_vector_mask(~(uint64_t)0, ~(uint64_t)0);                                                                    \
      asc_brcb((__ubuf__ word *)b->spread, (__ubuf__ word *)y, 1, 8, 1);                                                  \
      asc_sync_pipe(PIPE_V);                                                                                              \
      y = (__ubuf__ type *)b->spread;                                                                                     \
    }                                                                                                                     \
    uint8_t step = single ? 0 : 1, repeat_step = single ? 0 : 8;                                                          \
    begin_count(count);                                                                                                   \
    if (t->kind == KIND_ADD)                                                                                              \
      asc_add(x, x, y, 1, 1, 1, step, 8, 8, repeat_step);                                                                 \
    else if (t->kind == KIND_SUB)                                                                                         \
      asc_sub(x, x, y, 1, 1, 1, step, 8, 8, repeat_step);                                                                 \
    else                                                                                                                  \
      asc_mul(x, x, y, 1, 1, 1, step, 8, 8, repeat_step);                                                                 \
    end_count();                                                                                                          \
  }
COMBINE(combine_float, float, uint32_t, alpha, value)
COMBINE(combine_half, half, uint16_t, alpha, value)
COMBINE(combine_int32, int32_t, uint32_t, integer_alpha, integer_value)
COMBINE(combine_int16, int16_t, uint16_t, integer_alpha, integer_value)

__aicore__ static void combine_wide(const binary *b, __ubuf__ uint8_t *x, __ubuf__ uint8_t *y, uint32_t count, uint32_t dtype) {
  __ubuf__ float *left = (__ubuf__ float *)b->wide_left, *right = (__ubuf__ float *)b->wide_right;
  row_to_float(left, (__ubuf__ float *)x, dtype, count);
  if (b->tiling->right != RIGHT_VALUE) row_to_float(right, (__ubuf__ float *)y, dtype, right_count(b, count));
  combine_float(b, left, right, count);
  asc_sync_pipe(PIPE_V);
  if (dtype == DTYPE_HALF)
    asc_float2half_rn((__ubuf__ half *)x, left, count);
  else
    asc_float2bfloat16_rn((__ubuf__ bfloat16_t *)x, left, count);
}

__aicore__ static void widen_byte(__ubuf__ int16_t *to, __ubuf__ uint8_t *from, __ubuf__ half *between, uint32_t form, uint32_t count) {
  if (form == FORM_I8)
    asc_int82half(between, (__ubuf__ int8_t *)from, count);
  else
    asc_uint82half(between, from, count);
  asc_sync_pipe(PIPE_V);
  asc_half2int16_rn(to, between, count);
  asc_sync_pipe(PIPE_V);
}

/* Bytes in int16; the low eight bits are kept, with the sign of bit 7 or without one. */
__aicore__ static void combine_bytes(const binary *b, __ubuf__ uint8_t *x, __ubuf__ uint8_t *y, uint32_t count) {
  uint32_t form = b->tiling->form;
  __ubuf__ int16_t *left = (__ubuf__ int16_t *)b->wide_left, *right = (__ubuf__ int16_t *)b->wide_right;
  __ubuf__ half *between = (__ubuf__ half *)(b->wide_right + TILE_BYTES / 2);
  widen_byte(left, x, between, form, count);
  if (b->tiling->right != RIGHT_VALUE) widen_byte(right, y, between, form, right_count(b, count));
  combine_int16(b, left, right, count);
  asc_sync_pipe(PIPE_V);
  asc_shiftleft(left, left, 8, count);
  asc_sync_pipe(PIPE_V);
  if (form == FORM_I8)
    asc_shiftright(left, left, 8, count);
  else
    asc_shiftright((__ubuf__ uint16_t *)left, (__ubuf__ uint16_t *)left, 8, count);
  asc_sync_pipe(PIPE_V);
  asc_int162half(between, left, count);
  asc_sync_pipe(PIPE_V);
  if (form == FORM_I8)
    asc_half2int8((__ubuf__ int8_t *)x, between, count);
  else
    asc_half2uint8(x, between, count);
}

__aicore__ static void compute_tile(const binary *b, uint64_t tile) {
  uint32_t count = place_of(b, tile).count;
  __ubuf__ uint8_t *x = b->left[tile & 1u], *y = b->right[tile & 1u];
  tile_compute_begin(tile);
  switch (b->tiling->form) {
    case FORM_F32: combine_float(b, (__ubuf__ float *)x, (__ubuf__ float *)y, count); break;
    case FORM_F16: combine_half(b, (__ubuf__ half *)x, (__ubuf__ half *)y, count); break;
    case FORM_I32: combine_int32(b, (__ubuf__ int32_t *)x, (__ubuf__ int32_t *)y, count); break;
    case FORM_I16: combine_int16(b, (__ubuf__ int16_t *)x, (__ubuf__ int16_t *)y, count); break;
    case FORM_WIDE_F16: combine_wide(b, x, y, count, DTYPE_HALF); break;
    case FORM_WIDE_BF16: combine_wide(b, x, y, count, DTYPE_BF16); break;
    default: combine_bytes(b, x, y, count); break;
  }
  tile_compute_end(tile);
}

__aicore__ static void store_tile(const binary *b, uint64_t tile) {
  const binary_tiling *t = b->tiling;
  place p = place_of(b, tile);
  tile_store_begin(tile);
  asc_copy_ub2gm_align(b->out + offset_of(t, &p), b->left[tile & 1u], p.count * t->element_bytes);
  tile_store_end(tile, b->tiles);
}

__global__ __vector__ void binary_elementwise(__gm__ uint8_t *self, __gm__ uint8_t *other, __gm__ uint8_t *out, binary_tiling tiling) {
  __ubuf__ uint8_t pool[POOL_BYTES], spread[256];
  asc_init();
  const binary_tiling *t = &tiling;
  uint32_t step = TILE_BYTES / 4 * (t->element_bytes == 1 ? 1 : t->form == FORM_WIDE_F16 || t->form == FORM_WIDE_BF16 ? 2 : 4);
  binary b = {.tiling = t, .self = self, .other = other, .out = out, .left = {pool, pool + step}, .right = {pool + 2 * step, pool + 3 * step},
              .wide_left = pool + POOL_BYTES - 2 * TILE_BYTES, .wide_right = pool + POOL_BYTES - TILE_BYTES, .spread = spread,
              .first = vector_index() * t->tiles_per_core};
  if (b.first >= t->tiles) return;
  b.tiles = t->tiles - b.first < t->tiles_per_core ? t->tiles - b.first : t->tiles_per_core;
  load_tile(&b, 0);
  for (uint64_t tile = 0; tile < b.tiles; tile++) {
    if (tile + 1 < b.tiles) load_tile(&b, tile + 1);
    compute_tile(&b, tile);
    store_tile(&b, tile);
  }
  asc_sync(); /* leave no transfer behind: what runs next on this core may reuse UB at once */
}

/* ---- host ---- */

static bool is_integer(sk_dtype dtype) { return dtype == SK_INT8 || dtype == SK_UINT8 || dtype == SK_INT16 || dtype == SK_INT32; }

/* self as rows of columns for what stands on the right. */
typedef struct layout { uint64_t rows, columns, row_cycle; binary_right right; } layout;

/* Dimensions of `other` from the last: first those it is repeated along (inner), then its own (middle), then repeated
 * ones again (outer). false: it does not broadcast to self, or not in this order. */
static bool find_layout(const sk_tensor *self, const sk_tensor *other, layout *l) {
  uint64_t size[3] = {1, 1, 1};
  uint32_t part = 0;
  if (other->rank > self->rank && sk_ops_elements(other) != 1) return false;
  for (uint32_t i = 0; i < self->rank; i++) {
    uint64_t mine = (uint64_t)self->shape[self->rank - 1 - i], its = i < other->rank ? (uint64_t)other->shape[other->rank - 1 - i] : 1;
    if (mine == 1 && its == 1) continue;
    if (its != mine && its != 1) return false;
    if (its == mine && part == 0) part = 1;
    if (its != mine && part == 1) part = 2;
    if (its == mine && part == 2) return false;
    size[part] *= mine;
  }
  uint64_t inner = size[0], middle = size[1], outer = size[2];
  if (inner > 1)
    *l = (layout){outer * middle, inner, middle, RIGHT_PER_ROW};
  else
    *l = (layout){outer, middle, 1, outer > 1 ? RIGHT_PER_COLUMN : RIGHT_EACH};
  return true;
}

/* A number that an integer tensor can take. */
static int check_number(const sk_ops_job *job, const char *name, const sk_attribute *attribute) {
  if (!is_integer(job->in[0]->dtype) || (attribute->real == rint(attribute->real) && fabs(attribute->real) <= 0x1p53)) return ACL_SUCCESS;
  return sk_ops_refuse_text(job->op->name, name, "no integer", "an integer, for self is of an integer type");
}

/* Multiplication has no alpha. */
static bool is_product(const sk_ops_job *job) { return job->op->attribute_count == 1; }
static uint32_t scalar_index(const sk_ops_job *job) { return is_product(job) ? 0 : 1; }

static int plan(sk_ops_job *job) {
  const sk_tensor *self = job->in[0], *other = job->in[1];
  const char *name = job->op->name;
  uint32_t scalar = scalar_index(job);
  if (other == NULL && !job->given[scalar]) return sk_ops_refuse_null(name, "other", "a tensor, or the attribute scalar");
  if (other != NULL && job->given[scalar]) return sk_ops_refuse_text(name, "scalar", "given", "nothing where other is given");
  if (other != NULL && other->dtype != self->dtype) return sk_ops_refuse_dtype(name, "other", other, "the type of self");
  layout unused;
  if (other != NULL && !find_layout(self, other, &unused))
    return sk_ops_refuse_shape(name, "other", other, "the shape of self, but for dimensions of 1 before or behind its own");
  sk_ops_output(&job->out[0], self, self->dtype);
  for (uint32_t i = 0; i < job->op->attribute_count; i++) {
    int error = check_number(job, job->op->attributes[i].name, &job->attribute[i]);
    if (error != ACL_SUCCESS) return error;
  }
  return ACL_SUCCESS;
}

static binary_form form_of(sk_dtype dtype, bool has_alpha) {
  switch (dtype) {
    case SK_FLOAT: return FORM_F32;
    case SK_FLOAT16: return has_alpha ? FORM_WIDE_F16 : FORM_F16;
    case SK_BF16: return FORM_WIDE_BF16;
    case SK_INT32: return FORM_I32;
    case SK_INT16: return FORM_I16;
    case SK_INT8: return FORM_I8;
    default: return FORM_U8;
  }
}

/* The low 32 bits of an integer attribute, however it was given. */
static int32_t low_bits(const sk_attribute *attribute) {
  return (int32_t)(uint32_t)(uint64_t)(attribute->kind == SK_INTEGER ? attribute->integer : (int64_t)attribute->real);
}

/* Whole rows where there are enough of them; else pieces of a multiple of ELEMENT_UNIT, down to one for each core. */
static void choose_tiles(binary_tiling *t, const layout *l, uint32_t cores) {
  uint64_t most = t->form == FORM_F16 || t->form == FORM_I16 ? TILE_BYTES / 2 : TILE_BYTES / 4;
  uint64_t pieces = l->rows >= cores ? 1 : (cores + l->rows - 1) / l->rows;
  uint64_t fair = ((l->columns + pieces - 1) / pieces + ELEMENT_UNIT - 1) / ELEMENT_UNIT * ELEMENT_UNIT;
  t->tile_elems = (uint32_t)(fair < most ? fair : most);
  t->chunks = (uint32_t)((l->columns + t->tile_elems - 1) / t->tile_elems);
  t->tiles = l->rows * t->chunks;
  t->tiles_per_core = (t->tiles + cores - 1) / cores;
}

static int launch_kind(const sk_ops_job *job, binary_kind kind) {
  const sk_tensor *self = job->in[0], *other = job->in[1];
  uint32_t cores = sk_ops_vector_cores(job->blocks);
  if (cores == 0) return sk_ops_refuse(job->op->name, "blocks", job->blocks, "0, or up to 65535");
  const sk_attribute one = {"alpha", SK_INTEGER, 1, 1.0};
  const sk_attribute *alpha = is_product(job) ? &one : &job->attribute[0], *scalar = &job->attribute[scalar_index(job)];
  layout l = {1, sk_ops_elements(self), 1, RIGHT_VALUE};
  if (other != NULL) (void)find_layout(self, other, &l);
  bool integer = is_integer(self->dtype), has_alpha = alpha->real != 1.0;
  binary_tiling tiling = {
      .columns = l.columns, .row_cycle = (uint32_t)l.row_cycle, .kind = (uint32_t)kind, .right = (uint32_t)l.right,
      .form = (uint32_t)form_of(self->dtype, has_alpha), .element_bytes = (uint32_t)sk_dtype_bytes(self->dtype),
      .alpha = (float)alpha->real, .integer_alpha = integer ? low_bits(alpha) : 1, .has_alpha = has_alpha,
  };
  choose_tiles(&tiling, &l, cores);
  /* One value is added: what is to be subtracted changes its sign. */
  if (l.right == RIGHT_VALUE) {
    double sign = kind == KIND_SUB ? -1.0 : 1.0;
    tiling.value = (float)(scalar->real * sign * (double)tiling.alpha);
    if (integer) tiling.integer_value = (int32_t)((uint32_t)low_bits(scalar) * (uint32_t)tiling.integer_alpha * (kind == KIND_SUB ? UINT32_MAX : 1u));
  }
  uint32_t used = (uint32_t)((tiling.tiles + tiling.tiles_per_core - 1) / tiling.tiles_per_core);
  sk_ops_begin_launch();
  binary_elementwise<<<used, 0, job->stream>>>((__gm__ uint8_t *)self->data, (__gm__ uint8_t *)(other != NULL ? other->data : NULL),
                                               (__gm__ uint8_t *)job->out[0].data, tiling);
  return sk_ops_end_launch();
}

static int launch_add(const sk_ops_job *job) { return launch_kind(job, KIND_ADD); }
static int launch_sub(const sk_ops_job *job) { return launch_kind(job, KIND_SUB); }
static int launch_mul(const sk_ops_job *job) { return launch_kind(job, KIND_MUL); }
const sk_ops_code sk_ops_add = {plan, launch_add};
const sk_ops_code sk_ops_sub = {plan, launch_sub};
const sk_ops_code sk_ops_mul = {plan, launch_mul};
