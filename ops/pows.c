/* pows.c - powers with one of the exponents 0.5, 2, 3, -0.5, -1 and -2: in float32, rounded once for 16-bit types.
 *
 * Roots are correctly rounded square roots; negative powers are one divided by the positive one. */
#include "acl/acl.h"
#include "element_tools.h"
#include "ops_host.h"

#define TILE_ELEMS 8192u

/* The power that is computed, and whether one is divided by it. */
typedef enum pow_form { POW_ROOT, POW_SAME, POW_SQUARE, POW_CUBE } pow_form;

typedef struct pow_tiling {
  uint64_t total, per_core;
  uint32_t form, inverse, dtype, element_bytes;
} pow_tiling;

typedef struct pows_core {
  const pow_tiling *tiling;
  element_stream stream;
  __ubuf__ float *value, *other;
} pows_core;

__aicore__ static void raise_tile(const pows_core *c, uint64_t tile) {
  const pow_tiling *t = c->tiling;
  uint32_t count = tile_length(&c->stream.range, tile, TILE_ELEMS);
  __ubuf__ uint8_t *x = c->stream.buffer[tile & 1u];
  __ubuf__ float *value = c->value;
  tile_compute_begin(tile);
  row_to_float(value, (__ubuf__ float *)x, t->dtype, count);
  if (t->form == POW_ROOT) {
    asc_sqrt(value, value, count);
  } else if (t->form == POW_SQUARE) {
    asc_mul(value, value, value, count);
  } else if (t->form == POW_CUBE) {
    asc_mul(c->other, value, value, count);
    asc_sync_pipe(PIPE_V);
    asc_mul(value, c->other, value, count);
  }
  asc_sync_pipe(PIPE_V);
  if (t->inverse) {
    asc_duplicate(c->other, 1.0f, count);
    asc_sync_pipe(PIPE_V);
    asc_div(value, c->other, value, count);
    asc_sync_pipe(PIPE_V);
  }
  if (t->dtype == DTYPE_HALF)
    asc_float2half_rn((__ubuf__ half *)x, value, count);
  else if (t->dtype == DTYPE_BF16)
    asc_float2bfloat16_rn((__ubuf__ bfloat16_t *)x, value, count);
  else
    asc_max((__ubuf__ int32_t *)x, (__ubuf__ int32_t *)value, (__ubuf__ int32_t *)value, count);
  tile_compute_end(tile);
}

__global__ __vector__ void pows(__gm__ uint8_t *from, __gm__ uint8_t *to, pow_tiling tiling) {
  __ubuf__ uint8_t buffers[2 * TILE_ELEMS * 4];
  __ubuf__ float value[TILE_ELEMS], other[TILE_ELEMS];
  asc_init();
  const pow_tiling *t = &tiling;
  pows_core c = {.tiling = t, .value = value, .other = other,
                 .stream = {element_part(t->total, t->per_core), from, to, {buffers, buffers + TILE_ELEMS * 4}, TILE_ELEMS,
                            t->element_bytes, t->element_bytes}};
  if (c.stream.range.count == 0) return;
  uint64_t tiles = (c.stream.range.count + TILE_ELEMS - 1) / TILE_ELEMS;
  tile_load(&c.stream, 0);
  for (uint64_t tile = 0; tile < tiles; tile++) {
    if (tile + 1 < tiles) tile_load(&c.stream, tile + 1);
    raise_tile(&c, tile);
    tile_store(&c.stream, c.stream.buffer[tile & 1u], tile, tiles);
  }
  asc_sync(); /* leave no transfer behind: what runs next on this core may reuse UB at once */
}

/* ---- host ---- */

static const struct { double exponent; uint32_t form, inverse; } exponents[] = {
    {0.5, POW_ROOT, 0}, {2.0, POW_SQUARE, 0}, {3.0, POW_CUBE, 0}, {-0.5, POW_ROOT, 1}, {-1.0, POW_SAME, 1}, {-2.0, POW_SQUARE, 1},
};
#define EXPONENTS (sizeof exponents / sizeof exponents[0])

static uint32_t index_of(double exponent) {
  uint32_t i = 0;
  while (i < EXPONENTS && exponents[i].exponent != exponent) i++;
  return i;
}

static int plan(sk_ops_job *job) {
  if (index_of(sk_ops_real(job, 0)) == EXPONENTS)
    return sk_ops_refuse_text(job->op->name, "exponent", "another number", "0.5, 2, 3, -0.5, -1, -2");
  sk_ops_output(&job->out[0], job->in[0], job->in[0]->dtype);
  return ACL_SUCCESS;
}

static int launch(const sk_ops_job *job) {
  const sk_tensor *x = job->in[0];
  uint32_t cores = sk_ops_vector_cores(job->blocks), which = index_of(sk_ops_real(job, 0));
  if (cores == 0) return sk_ops_refuse(job->op->name, "blocks", job->blocks, "0, or up to 65535");
  uint64_t total = sk_ops_elements(x);
  pow_tiling tiling = {.total = total, .per_core = element_share(total, cores), .form = exponents[which].form, .inverse = exponents[which].inverse,
                       .dtype = (uint32_t)x->dtype, .element_bytes = (uint32_t)sk_dtype_bytes(x->dtype)};
  uint32_t used = (uint32_t)((total + tiling.per_core - 1) / tiling.per_core);
  sk_ops_begin_launch();
  pows<<<used, 0, job->stream>>>((__gm__ uint8_t *)x->data, (__gm__ uint8_t *)job->out[0].data, tiling);
  return sk_ops_end_launch();
}

const sk_ops_code sk_ops_pows = {plan, launch};
