/* is_inf.c - which elements are infinite: an exact test of the bits; integers never are.
 *
 * Without its sign an infinite number is one bit pattern: the difference to it is zero. Between -1 and 1 and squared,
 * that difference is 0 or 1, and the answer the other of the two. */
#include "acl/acl.h"
#include "element_tools.h"
#include "ops_host.h"

#define TILE_ELEMS 8192u

typedef enum inf_form { FORM_32, FORM_HALF, FORM_BF16, FORM_NEVER } inf_form;

typedef struct inf_tiling {
  uint64_t total, per_core;
  uint32_t form, element_bytes;
} inf_tiling;

typedef struct is_inf_core {
  const inf_tiling *tiling;
  element_stream stream;
  __ubuf__ int16_t *bits;
} is_inf_core;

/* Float: the sign leaves at the top; 0x7f800000 is subtracted. */
__aicore__ static void difference_32(__ubuf__ int16_t *bits, __ubuf__ int32_t *x, uint32_t count) {
  asc_shiftleft((__ubuf__ uint32_t *)x, (__ubuf__ uint32_t *)x, 1, count);
  asc_sync_pipe(PIPE_V);
  asc_shiftright((__ubuf__ uint32_t *)x, (__ubuf__ uint32_t *)x, 1, count);
  asc_sync_pipe(PIPE_V);
  asc_add_scalar(x, x, -0x7f800000, count);
  asc_sync_pipe(PIPE_V);
  asc_min_scalar(x, x, 1, count);
  asc_sync_pipe(PIPE_V);
  asc_max_scalar(x, x, -1, count);
  asc_sync_pipe(PIPE_V);
  asc_int322int16(bits, x, count);
  asc_sync_pipe(PIPE_V);
}

__aicore__ static void difference_16(__ubuf__ int16_t *bits, __ubuf__ int16_t *x, int16_t infinity, uint32_t count) {
  asc_shiftleft((__ubuf__ uint16_t *)bits, (__ubuf__ uint16_t *)x, 1, count);
  asc_sync_pipe(PIPE_V);
  asc_shiftright((__ubuf__ uint16_t *)bits, (__ubuf__ uint16_t *)bits, 1, count);
  asc_sync_pipe(PIPE_V);
  asc_add_scalar(bits, bits, (int16_t)-infinity, count);
  asc_sync_pipe(PIPE_V);
  asc_min_scalar(bits, bits, (int16_t)1, count);
  asc_sync_pipe(PIPE_V);
  asc_max_scalar(bits, bits, (int16_t)-1, count);
  asc_sync_pipe(PIPE_V);
}

__aicore__ static void judge_tile(const is_inf_core *c, uint64_t tile) {
  const inf_tiling *t = c->tiling;
  uint32_t count = tile_length(&c->stream.range, tile, TILE_ELEMS);
  __ubuf__ uint8_t *x = c->stream.buffer[tile & 1u];
  tile_compute_begin(tile);
  switch (t->form) {
    case FORM_32: difference_32(c->bits, (__ubuf__ int32_t *)x, count); break;
    case FORM_HALF: difference_16(c->bits, (__ubuf__ int16_t *)x, 0x7c00, count); break;
    case FORM_BF16: difference_16(c->bits, (__ubuf__ int16_t *)x, 0x7f80, count); break;
    default: asc_duplicate(c->bits, (int16_t)1, count); asc_sync_pipe(PIPE_V); break;
  }
  asc_mul(c->bits, c->bits, c->bits, count);
  asc_sync_pipe(PIPE_V);
  asc_mul_scalar(c->bits, c->bits, (int16_t)-1, count);
  asc_sync_pipe(PIPE_V);
  asc_add_scalar(c->bits, c->bits, (int16_t)1, count);
  asc_sync_pipe(PIPE_V);
  asc_int162half((__ubuf__ half *)c->bits, c->bits, count);
  asc_sync_pipe(PIPE_V);
  asc_half2uint8(x, (__ubuf__ half *)c->bits, count);
  tile_compute_end(tile);
}

__global__ __vector__ void is_inf(__gm__ uint8_t *from, __gm__ uint8_t *to, inf_tiling tiling) {
  __ubuf__ uint8_t buffers[2 * TILE_ELEMS * 4];
  __ubuf__ int16_t bits[TILE_ELEMS];
  asc_init();
  const inf_tiling *t = &tiling;
  uint32_t loaded_bytes = t->form == FORM_NEVER ? 0 : t->element_bytes;
  is_inf_core c = {.tiling = t, .bits = bits,
                   .stream = {element_part(t->total, t->per_core), from, to, {buffers, buffers + TILE_ELEMS * 4}, TILE_ELEMS, loaded_bytes, 1}};
  if (c.stream.range.count == 0) return;
  uint64_t tiles = (c.stream.range.count + TILE_ELEMS - 1) / TILE_ELEMS;
  tile_load(&c.stream, 0);
  for (uint64_t tile = 0; tile < tiles; tile++) {
    if (tile + 1 < tiles) tile_load(&c.stream, tile + 1);
    judge_tile(&c, tile);
    tile_store(&c.stream, c.stream.buffer[tile & 1u], tile, tiles);
  }
  asc_sync(); /* leave no transfer behind: what runs next on this core may reuse UB at once */
}

/* ---- host ---- */

static int plan(sk_ops_job *job) {
  sk_ops_output(&job->out[0], job->in[0], SK_BOOL);
  return ACL_SUCCESS;
}

static int launch(const sk_ops_job *job) {
  const sk_tensor *x = job->in[0];
  uint32_t cores = sk_ops_vector_cores(job->blocks);
  if (cores == 0) return sk_ops_refuse(job->op->name, "blocks", job->blocks, "0, or up to 65535");
  uint64_t total = sk_ops_elements(x);
  inf_form form = x->dtype == SK_FLOAT ? FORM_32 : x->dtype == SK_FLOAT16 ? FORM_HALF : x->dtype == SK_BF16 ? FORM_BF16 : FORM_NEVER;
  inf_tiling tiling = {.total = total, .per_core = element_share(total, cores), .form = (uint32_t)form,
                       .element_bytes = (uint32_t)sk_dtype_bytes(x->dtype)};
  uint32_t used = (uint32_t)((total + tiling.per_core - 1) / tiling.per_core);
  sk_ops_begin_launch();
  is_inf<<<used, 0, job->stream>>>((__gm__ uint8_t *)x->data, (__gm__ uint8_t *)job->out[0].data, tiling);
  return sk_ops_end_launch();
}

const sk_ops_code sk_ops_is_inf = {plan, launch};
