/* binary.c - add, subtract and multiply, element by element, by another tensor or by one value.
 *
 * The type that is computed in: float32, int32, int16 and float16 their own; bfloat16 (and float16 where alpha is to
 * be applied) float32 with one rounding at the end; int8 and uint8 int16, whose low eight bits are the wrapped result. */
#include <math.h>

#include "acl/acl.h"
#include "element_tools.h"
#include "ops_host.h"

#define POOL_BYTES (128u * 1024u)
#define TILE_BYTES (32u * 1024u)

typedef enum binary_kind { KIND_ADD, KIND_SUB, KIND_MUL } binary_kind;
/* How tiles are computed; the converting forms hold two more tiles in the type computed in. */
typedef enum binary_form { FORM_F32, FORM_F16, FORM_I32, FORM_I16, FORM_WIDE_F16, FORM_WIDE_BF16, FORM_I8, FORM_U8 } binary_form;
/* What stands on the right. */
typedef enum binary_right { RIGHT_TENSOR, RIGHT_ELEMENT, RIGHT_VALUE } binary_right;

typedef struct binary_tiling {
  uint64_t total, per_core;
  uint32_t kind, form, right, element_bytes, tile_elems;
  float alpha, value; /* value: the right side, alpha applied */
  int32_t integer_alpha, integer_value;
  uint32_t has_alpha;
} binary_tiling;

typedef struct binary {
  const binary_tiling *tiling;
  __gm__ uint8_t *self, *other, *out;
  __ubuf__ uint8_t *left[2], *right[2], *wide_left, *wide_right;
  element_range range;
  float value; /* the one value on the right, in the type computed in */
  int32_t integer_value;
} binary;

__aicore__ static void load_tile(const binary *b, uint64_t tile) {
  const binary_tiling *t = b->tiling;
  uint64_t offset = (b->range.first + tile * t->tile_elems) * t->element_bytes;
  uint32_t bytes = tile_length(&b->range, tile, t->tile_elems) * t->element_bytes;
  tile_load_begin(tile);
  asc_copy_gm2ub_align(b->left[tile & 1u], b->self + offset, bytes);
  if (t->right == RIGHT_TENSOR) asc_copy_gm2ub_align(b->right[tile & 1u], b->other + offset, bytes);
  tile_load_end(tile);
}

/* x := x op y, both in the type computed in; alpha is applied to y first. */
#define COMBINE(name, type, member)                                                                                       \
  __aicore__ static void name(const binary *b, __ubuf__ type *x, __ubuf__ type *y, uint32_t count) {                      \
    const binary_tiling *t = b->tiling;                                                                                   \
    if (t->right != RIGHT_TENSOR) {                                                                                       \
      if (t->kind == KIND_MUL)                                                                                            \
        asc_mul_scalar(x, x, (type)b->member, count);                                                                     \
      else                                                                                                                \
        asc_add_scalar(x, x, (type)b->member, count);                                                                     \
      return;                                                                                                             \
    }                                                                                                                     \
    if (t->has_alpha) {                                                                                                   \
      asc_mul_scalar(y, y, (type)t->ALPHA_##member, count);                                                               \
      asc_sync_pipe(PIPE_V);                                                                                              \
    }                                                                                                                     \
    if (t->kind == KIND_ADD)                                                                                              \
      asc_add(x, x, y, count);                                                                                            \
    else if (t->kind == KIND_SUB)                                                                                         \
      asc_sub(x, x, y, count);                                                                                            \
    else                                                                                                                  \
      asc_mul(x, x, y, count);                                                                                            \
  }
#define ALPHA_value alpha
#define ALPHA_integer_value integer_alpha
COMBINE(combine_float, float, value)
COMBINE(combine_int32, int32_t, integer_value)
COMBINE(combine_int16, int16_t, integer_value)

/* Half has no alpha here: such calls are computed in float. */
__aicore__ static void combine_half(const binary *b, __ubuf__ half *x, __ubuf__ half *y, uint32_t count) {
  const binary_tiling *t = b->tiling;
  if (t->right == RIGHT_TENSOR && t->kind == KIND_ADD)
    asc_add(x, x, y, count);
  else if (t->right == RIGHT_TENSOR && t->kind == KIND_SUB)
    asc_sub(x, x, y, count);
  else if (t->right == RIGHT_TENSOR)
    asc_mul(x, x, y, count);
  else if (t->kind == KIND_MUL)
    asc_mul_scalar(x, x, b->value, count);
  else
    asc_add_scalar(x, x, b->value, count);
}

__aicore__ static void combine_wide(const binary *b, __ubuf__ uint8_t *x, __ubuf__ uint8_t *y, uint32_t count, uint32_t dtype) {
  __ubuf__ float *left = (__ubuf__ float *)b->wide_left, *right = (__ubuf__ float *)b->wide_right;
  row_to_float(left, (__ubuf__ float *)x, dtype, count);
  if (b->tiling->right == RIGHT_TENSOR) row_to_float(right, (__ubuf__ float *)y, dtype, count);
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
  if (b->tiling->right == RIGHT_TENSOR) widen_byte(right, y, between, form, count);
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
  uint32_t count = tile_length(&b->range, tile, b->tiling->tile_elems);
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

__aicore__ static void store_tile(const binary *b, uint64_t tile, uint64_t tiles) {
  const binary_tiling *t = b->tiling;
  uint64_t offset = (b->range.first + tile * t->tile_elems) * t->element_bytes;
  tile_store_begin(tile);
  asc_copy_ub2gm_align(b->out + offset, b->left[tile & 1u], tile_length(&b->range, tile, t->tile_elems) * t->element_bytes);
  tile_store_end(tile, tiles);
}

/* The only element on the right comes through UB, is widened there, and is read by the scalar unit. */
__aicore__ static void take_element(binary *b, __ubuf__ uint8_t *raw, __ubuf__ float *wide) {
  const binary_tiling *t = b->tiling;
  asc_copy_gm2ub_align(raw, b->other, t->element_bytes);
  asc_sync_notify(PIPE_MTE2, PIPE_V, 2);
  asc_sync_wait(PIPE_MTE2, PIPE_V, 2);
  switch (t->form) {
    case FORM_F32: row_to_float(wide, (__ubuf__ float *)raw, DTYPE_FLOAT, 1); break;
    case FORM_F16:
    case FORM_WIDE_F16: row_to_float(wide, (__ubuf__ float *)raw, DTYPE_HALF, 1); break;
    case FORM_WIDE_BF16: row_to_float(wide, (__ubuf__ float *)raw, DTYPE_BF16, 1); break;
    case FORM_I32: asc_max((__ubuf__ int32_t *)wide, (__ubuf__ int32_t *)raw, (__ubuf__ int32_t *)raw, 1); break;
    case FORM_I16: asc_int162float(wide, (__ubuf__ int16_t *)raw, 1); break;
    default:
      widen_byte((__ubuf__ int16_t *)(raw + 32), raw, (__ubuf__ half *)(raw + 64), t->form, 1);
      asc_int162float(wide, (__ubuf__ int16_t *)(raw + 32), 1);
  }
  asc_sync_notify(PIPE_V, PIPE_S, 0);
  asc_sync_wait(PIPE_V, PIPE_S, 0);
  if (t->form == FORM_I32)
    b->integer_value = (int32_t)((uint32_t)*(__ubuf__ int32_t *)wide * (uint32_t)t->integer_alpha);
  else if (t->form == FORM_I16 || t->form == FORM_I8 || t->form == FORM_U8)
    b->integer_value = (int32_t)((uint32_t)(int32_t)wide[0] * (uint32_t)t->integer_alpha);
  else
    b->value = wide[0] * t->alpha;
}

__global__ __vector__ void binary_elementwise(__gm__ uint8_t *self, __gm__ uint8_t *other, __gm__ uint8_t *out, binary_tiling tiling) {
  __ubuf__ uint8_t pool[POOL_BYTES], raw[128];
  __ubuf__ float wide[8];
  asc_init();
  const binary_tiling *t = &tiling;
  uint32_t step = t->tile_elems * t->element_bytes;
  binary b = {.tiling = t, .self = self, .other = other, .out = out, .left = {pool, pool + step}, .right = {pool + 2 * step, pool + 3 * step},
              .wide_left = pool + POOL_BYTES - 2 * TILE_BYTES, .wide_right = pool + POOL_BYTES - TILE_BYTES,
              .range = element_part(t->total, t->per_core), .value = t->value, .integer_value = t->integer_value};
  if (b.range.count == 0) return;
  uint64_t tiles = (b.range.count + t->tile_elems - 1) / t->tile_elems;
  if (t->right == RIGHT_ELEMENT) take_element(&b, raw, wide);
  load_tile(&b, 0);
  for (uint64_t tile = 0; tile < tiles; tile++) {
    if (tile + 1 < tiles) load_tile(&b, tile + 1);
    compute_tile(&b, tile);
    store_tile(&b, tile, tiles);
  }
  asc_sync(); /* leave no transfer behind: what runs next on this core may reuse UB at once */
}

/* ---- host ---- */

static bool is_integer(sk_dtype dtype) { return dtype == SK_INT8 || dtype == SK_UINT8 || dtype == SK_INT16 || dtype == SK_INT32; }

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
  if (other != NULL && sk_ops_elements(other) != 1 && !sk_ops_same_shape(self, other))
    return sk_ops_refuse_shape(name, "other", other, "the shape of self, or one element");
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

static int launch_kind(const sk_ops_job *job, binary_kind kind) {
  const sk_tensor *self = job->in[0], *other = job->in[1];
  uint32_t cores = sk_ops_vector_cores(job->blocks);
  if (cores == 0) return sk_ops_refuse(job->op->name, "blocks", job->blocks, "0, or up to 65535");
  uint64_t total = sk_ops_elements(self);
  const sk_attribute one = {"alpha", SK_INTEGER, 1, 1.0};
  const sk_attribute *alpha = is_product(job) ? &one : &job->attribute[0], *scalar = &job->attribute[scalar_index(job)];
  binary_right right = other == NULL ? RIGHT_VALUE : total > 1 && sk_ops_elements(other) == 1 ? RIGHT_ELEMENT : RIGHT_TENSOR;
  bool integer = is_integer(self->dtype), has_alpha = alpha->real != 1.0;
  binary_tiling tiling = {
      .total = total, .per_core = element_share(total, cores), .kind = (uint32_t)kind, .right = (uint32_t)right,
      .form = (uint32_t)form_of(self->dtype, has_alpha), .element_bytes = (uint32_t)sk_dtype_bytes(self->dtype),
      .alpha = (float)alpha->real, .integer_alpha = integer ? low_bits(alpha) : 1, .has_alpha = has_alpha,
  };
  tiling.tile_elems = tiling.form == FORM_F16 || tiling.form == FORM_I16 ? TILE_BYTES / 2 : TILE_BYTES / 4;
  /* One value is added: what is to be subtracted changes its sign. */
  if (right != RIGHT_TENSOR && kind == KIND_SUB) {
    tiling.alpha = -tiling.alpha;
    tiling.integer_alpha = (int32_t)(0u - (uint32_t)tiling.integer_alpha);
  }
  if (right == RIGHT_VALUE) {
    tiling.value = (float)(scalar->real * (double)tiling.alpha);
    tiling.integer_value = integer ? (int32_t)((uint32_t)low_bits(scalar) * (uint32_t)tiling.integer_alpha) : 0;
  }
  uint32_t used = (uint32_t)((total + tiling.per_core - 1) / tiling.per_core);
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
